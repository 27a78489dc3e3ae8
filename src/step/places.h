// SPDX-License-Identifier: Apache-2.0
// Places on bodies where elements act, see places.c.
#ifndef TR_PLACES_H
#define TR_PLACES_H

#include "system/pieces.h"

// Whether c, from the centre of a body, is another place than that.
bool tr_off_centre(const tr_system *sys, const sys_body *b, const double *c);
// matters (nsite), false before: a joint or force looks at where on its body the site is.
void tr_sites_matter(const tr_system *sys, bool *matters);
// d (3): the way from the centre of the other body to that of the k-th, in its axes; false: j welds no two bodies together.
bool tr_weld_arm(const tr_system *sys, const sys_joint *j, int k, double *d);

// Whether a body is so far from the origin that Newton's iteration feels the round-off of positions.
bool tr_far_away(const tr_system *sys, const double *q);
// The largest velocity of an angle.
double tr_fastest_turn(const tr_system *sys, const sys_range *of, const double *v);

#endif
