// SPDX-License-Identifier: Apache-2.0
// HHT-ADD, see step_hht_add.c: what a step keeps and works on, for its iteration with nothing left out.
#ifndef TR_HHT_ADD_H
#define TR_HHT_ADD_H

#include "full.h"
#include "jerk.h"

// f_n; a_n; R_I; R_II; s
enum { APPLIED, ACCELERATION, REACTION_I, REACTION_II, DEFECT, SCRATCH, ROOMS };

typedef struct tr_hht_add {
  tr_jerk *jerk;
  double *G;                 // (nG) G_n
  double *blocks;            // (nmass) M_n
  double *lam;               // (nc) in rows of velocities, 0 elsewhere
  double h;                  // of the step under way
  double *psi_1, *psi_2;     // (nc) of the step under way, 0 in rows of velocities,
  double *last_1, *last_2;   // of the last accepted
  double *older_1, *older_2; // and of the one before it
  double *springs;           // (nnz + 1) -(1+alpha) cq Q_q by slots, where it is not small beside M
  bool springs_act;          // that is so
  // with a given number of iterations, see full_hht_add.c
  double *bent;   // (nnz + 1) cq KN by slots
  double *pulled; // (nG) the rows of Gam'
} tr_hht_add;

typedef struct tr_hht_add_trial {
  tr_newton_problem p;
  tr_step *s;
  const tr_state *x0;
  tr_state *x1;
  double h, t1, alpha, b, beta, gamma;
  double length_scale, speed;
  double weight; // of u against z
  bool at_end;   // R_I too at q1, see advance
} tr_hht_add_trial;

// r = (e1 + M s/cv, rate/cv, M (p/cq - s/cv), Phi/cq - rate/cv)
tr_status tr_hht_add_residual(tr_newton_problem *p, double *r);
// The whole matrix of an iteration, into s->full; out (nv) = -E of a correction dx, at the point of the residual.
tr_status tr_hht_add_matrix_full(tr_newton_problem *p);
void tr_hht_add_change(const tr_hht_add_trial *k, const double *dx, double *out);

#endif
