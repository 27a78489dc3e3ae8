// SPDX-License-Identifier: Apache-2.0
// A system linearised at a state, and the one-step map of a method linearised there.
#ifndef TR_LINEAR_H
#define TR_LINEAR_H

#include "eigen.h"
#include "sparse/kkt.h"
#include "system/system.h"
#include "trammel/run.h"

double tr_dot(int n, const double *x, const double *y);
// Extends the orthonormal rows B (count of them, room for one more) by x, unless no more than tol of it
// lies outside their span.
bool tr_extend_basis(int n, double *B, int count, const double *x, double tol);

// Moves x to an equilibrium near by, at rest: G' lam - Q = 0, Phi = 0. found: there is one.
tr_status tr_find_equilibrium(const tr_system *sys, tr_state *x, bool *found, tr_error *error);

// M x'' + D x' + K x = 0 for x in the null space of G. Where velocities are constrained by rows of their own
// (states, variables, nonholonomic joints) positions have more freedom than velocities: linear_flow.c.
#define TR_FREE_MODE 1e-6 // exponents below this part of the largest are 0
typedef struct tr_modes {
  int f;               // degrees of freedom of velocities
  double *T;           // (f x nv) orthonormal rows that span the null space of G
  int fq;              // those of positions: f, or more
  double *Tq;          // (fq x nv) of the rows that constrain positions; variables have no place
  int n;               // exponents: fq + f
  double complex *s;   // (n) exponents of the exact solution
  double omega;        // largest |s|
  double growth;       // largest real part of those that are not 0
  const tr_mask *mask; // redundant constraints, taken out; or NULL
} tr_modes;
tr_status tr_find_modes(tr_arena *ar, const tr_system *sys, const tr_state *x, tr_modes *m,
                        tr_error *error);

// For systems with rows of velocities: exponents into m->s, and an implicit Euler step of length tau that is cut
// short where it is far; moved: its largest coordinate. m: the directions at x.
tr_status tr_flow_exponents(tr_arena *ar, const tr_system *sys, const tr_state *x, tr_modes *m);
tr_status tr_flow_fall(tr_arena *ar, const tr_system *sys, const tr_modes *m, double tau,
                       tr_state *x, double *moved);

// Eigenvalues of the one-step map that runs from consistent starts near x can show: *n of them, in the
// arena. delta: size of the differences. Recoverable statuses: the step itself failed.
tr_status tr_step_spectrum(tr_arena *ar, const tr_system *sys, const tr_state *x, const tr_modes *m,
                           const char *method, double h, double delta, double complex **w, int *n,
                           tr_error *error);

#endif
