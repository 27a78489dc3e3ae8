// SPDX-License-Identifier: Apache-2.0
// Parts of pieces.c that other loops over elements share.
#ifndef TR_PIECES_H
#define TR_PIECES_H

#include "system.h"

static inline void frames_of(const tr_work *w, const sys_element *e, const tr_frame **f) {
  for (int k = 0; k < e->markers; k++) f[k] = tr_frame_at(w->frames, e->frame[k]);
}

static inline void put_wrenches(const sys_element *e, const double *wrench, double *W) {
  for (int k = 0; k < e->markers; k++, wrench += e->nd) {
    double *to = W + 6 * e->frame[k];
    if (e->first >> k & 1)
      for (int i = 0; i < e->nd; i++) to[i] = wrench[i];
    else
      for (int i = 0; i < e->nd; i++) to[i] += wrench[i];
  }
}

// The joint does not hold: its rows and wrenches are 0.
bool tr_load_idle(const tr_work *w, const sys_joint *j, const double *lam, double *phi, double *W);
void tr_load_forces(tr_work *w); // their wrenches
// F = G' lam - Q from the wrenches w->W, phi of bodies' own constraints; G' mu from those in w->W2.
void tr_gather_bodies(tr_work *w, const double *lam, double *F, double *phi, const double *mu,
                      double *P);
void tr_joint_rate(const tr_work *w, const sys_joint *j, const tr_frame *const *f, double *out);
// Rows of a joint on its frames -> rows on its bodies' velocities, block by block of bodies; NULL: 0.
const double *tr_pull_joint(tr_work *w, const sys_joint *j, const double *Gf);
// Such rows G times x in the rows of velocities of out (nc).
void tr_joint_velocity_rows(const tr_system *sys, const sys_joint *j, const double *G,
                            const double *x, double *out);
// The rates of bodies' own constraints in their rows of out (nc).
void tr_own_rates(tr_work *w, double *out);

#endif
