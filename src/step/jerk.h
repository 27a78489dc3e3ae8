// SPDX-License-Identifier: Apache-2.0
// The first step of methods whose accelerations belong to another time than their positions.
//
// a_n of HHT and of generalised-alpha belongs to t_n + shift h, and on index 3 velocities settle at
// G v + Phi_t = kappa h^2 G q'''. A start with a_0 = q''(t_0) and consistent velocities is not where they
// settle: order 2 in q and v, but an error of O(h) in a and lam, which takes some steps to fade. With
//   a_0 = q'' + shift h q''',   v_0 + h^2 N (kappa q''' + 1/6 c),  N x what the constraints forbid of x
// there is none from the first step on; c is half the commutator of v and q'' on curved coordinates, 1/2 w x w'
// for rotations, else 0. Multistep methods get a state before the first one instead of a first step of
// order 1, which does the same to lam. q''' comes from accelerations around t_0.
#ifndef TR_JERK_H
#define TR_JERK_H

#include "step.h"

typedef struct tr_jerk {
  // States beside, accelerations there; all of this is where the predictor will keep its past.
  double *q, *v, *a[2], *lam;
  double *jerk;    // (nv) q'''
  double *turn;    // (nv) c
  double *normal;  // (nv) N (kappa q''' + 1/6 c)
  double *start_v; // (nv) velocities that the step starts with, and accelerations,
  double *start_a; // which stay good until the second step is accepted,
  bool used;       // if this is true
} tr_jerk;

tr_jerk *tr_jerk_new(tr_step *s); // in the arena of the step; NULL for no memory
// start_v and start_a for a first step of length h. False: there is nothing to be changed, that is after the
// first step, where the start is not consistent, and where h is far too long for what the accelerations do. q (nq): room.
bool tr_jerk_start(tr_step *s, tr_jerk *j, const tr_state *x, double h, double shift, double kappa,
                   double *q);

// For a method whose a is not q'' but something else of a state, given with its a and lam, that may stand in a itself.
typedef tr_status tr_along(tr_step *s, const tr_state *x, double *value);
// The rate of it along the motion before a first step of length h; now: it at x. NULL: there is none to be had.
const double *tr_jerk_along(tr_step *s, tr_jerk *j, const tr_state *x, double h, tr_along *value,
                            const double *now, double *q);

// For a method with a past: the increment from t_0 - h to t_0 and the change of the velocities over it.
// NULL: there is none to be had. q (nq): room.
const double *tr_jerk_past(tr_step *s, tr_jerk *j, const tr_state *x, double h, double kappa,
                           double *increment, double *change, double *q);

#endif
