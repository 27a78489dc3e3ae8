// SPDX-License-Identifier: Apache-2.0
// An instantaneous motion in words: which bodies turn about what, which joint coordinates change.
#ifndef TR_MOTION_TEXT_H
#define TR_MOTION_TEXT_H

#include "system/system.h"

// What is read of bodies and joints; one for many motions of a state.
typedef struct tr_teller tr_teller;
tr_status tr_teller_new(const tr_system *sys, const tr_state *x, tr_teller **teller);
void tr_teller_free(tr_teller *t); // NULL is fine

// Adds one line for velocities v (nv); v is scaled to a largest turning speed of 1, or a largest speed.
tr_status tr_tell_motion(tr_teller *t, double *v, tr_text *text);

#endif
