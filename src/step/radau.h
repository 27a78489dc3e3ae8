// SPDX-License-Identifier: Apache-2.0
// Radau IIA with three stages: its coefficients, and the stages of a step.
//
// Stage i belongs to t_n + c_i h. Its unknowns are increments, which hold digits that sums would lose:
//   q_i = q_n o exp(u_i),  v_i = v_n + z_i,  lam_i, mu_i
// and the rates of u and z follow from the collocation:  U = A^-1 u/h,  a = A^-1 z/h.
// A^-1 = T diag(GAMMA, [ALPHA -BETA; BETA ALPHA]) T^-1 [HW96]: a real system and a complex one.
#ifndef TR_RADAU_H
#define TR_RADAU_H

#include "step.h"

enum { STAGES = 3, RADAU_PAST = 6, RADAU_LAMS = 5 };

typedef struct tr_radau {
  double h;                         // of the step under way
  double *u[STAGES], *z[STAGES];    // (nv)
  double *lam[STAGES], *mu[STAGES]; // (nc)
  double *U[STAGES], *a[STAGES];    // (nv)
  double *kept[STAGES];             // (nv) u, for the time of a look ahead
  double *q, *v;                    // a stage's point
  double *reach,
      *unit; // (nv) of velocities: what they are made of; what they are measured by (radau_floor.c)
  double *last_z[STAGES]; // of the last accepted step
  double last_h;          // its length, 0: none
  // for the first guess, see step_radau5.c
  int ends;                   // steps in a row, at most RADAU_PAST
  double lengths[RADAU_PAST]; // of these, newest first
  double *gains[RADAU_PAST];  // (nv) v at the end of each minus v at its beginning
  double *defect[STAGES];     // (nv) of the stages of the last step, the last room for scratch
  int degree; // of the polynomial through the ends; 0: that of the last step is better
  double *lams[RADAU_LAMS][STAGES]; // (nc) of these steps
  int degree_lam;                   // of the polynomials through equal stages; 0: the last step's
  // the matrix: tangents at step length h0, by the slots of the system's pattern
  double h0, factored_h;
  bool plain;             // nothing is stiff: the projection serves for all, and there is no other
  bool mixed;             // stages differ in which forces act
  int doubts;             // matrices until that is looked at again
  bool damped;            // Q_v is not small beside M
  double *K, *D;          // (nnz) h0^2 (M a + G' lam - Q)_q and -h0 (Q_v + M W), see add_turning
  double *each_D[STAGES]; // (nnz) of each stage, where they have their own
  double *C;              // (nnz) -Q_lam, in the columns of multipliers
  double *mass;           // (nmass) room for the mass that goes with it
  const double *M;
  tr_pattern pattern; // of the complex matrix: each entry x + iy is a block [x -y; y x]
  tr_kkt pair;
  tr_kkt stage[STAGES];   // projections of the stages
  tr_pattern all_pattern; // of all stages together, entry (i, j) at (3 i + stage, 3 j + stage)
  tr_kkt all;
  int sure_steps;  // to be taken with matrices of each stage
  double failed_h; // the longest step from this state that the fast iteration failed in; 0: none
  double *b;       // (3 (nv + nc)) right-hand sides
} tr_radau;

// c, A, A^-1
void tr_radau_nodes(double c[STAGES]);
void tr_radau_weights(double A[STAGES][STAGES]);
void tr_radau_inverse(double B[STAGES][STAGES]);
// T and T^-1
void tr_radau_transform(double T[STAGES][STAGES], double inverse[STAGES][STAGES]);
// What the error is filtered by: the real matrix, or the projection.
tr_kkt *tr_radau_filter(tr_step *s);
// 1/GAMMA, and so the real matrix is [M + w^2 (..)_q - w Q_v, G'; G 0] with w = h/GAMMA
double tr_radau_real(void);

// The systems for the positions (radau_stages.c): the real matrix from the tangents, and with it the complex one, both
// factored; the rows of a stage with its own matrices in that of all; r (3 stages): (e1 + B e3, e2) becomes (du, l).
void tr_radau_fill_real(tr_step *s, double h);
tr_status tr_radau_factor(tr_step *s, double h);
void tr_radau_fill_stage(tr_step *s, int i);
tr_status tr_radau_solve_positions(tr_step *s, double h, bool each, double *r);

// Solves for the stages from a first guess in them.
tr_status tr_radau_solve(tr_step *s, const tr_state *x0, double h);
// The same with matrices of each stage: slower, but it also works near singular positions.
tr_status tr_radau_solve_each(tr_step *s, const tr_state *x0, double h);

#endif
