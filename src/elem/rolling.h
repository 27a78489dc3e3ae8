// SPDX-License-Identifier: Apache-2.0
// The point where a wheel touches a plane, and the directions there.
//
// n is the normal of A's plane (its z axis; in the plane its y axis), z the axis of the wheel:
//   m = z x n,  t1 = m/|m| the way it rolls,  t2 = n x t1,  e = t1 x z from the lowest point to the centre
//   dm = [n][z] dt_B - [z][n] dt_A,   dt1 = (1 - t1 t1') dm/|m|
//   dt2 = [t1][n] dt_A + [n] dt1,     de = -[z] dt1 - [t1][z] dt_B,     dn = -[n] dt_A
#ifndef TR_ROLLING_H
#define TR_ROLLING_H

#include "slip.h"

typedef struct rolling {
  double n[3], z[3], t1[3], t2[3], e[3], s; // s = |m|
  double nA[9], t1A[9], t1B[9], t2A[9], t2B[9], eA[9], eB[9];
} rolling;

// S = f [a] T
static inline void rolling_skew_times(double f, const double *a, const double *T, double *S) {
  double X[9];
  m3_skew(a, X);
  m3_mulm(X, T, S);
  for (int i = 0; i < 9; i++) S[i] *= f;
}

// turns: with how they turn
TR_INLINE void rolling_look(int nd, const tr_frame *A, const tr_frame *B, bool turns, rolling *x) {
  double m[3], mA[9], mB[9], S[9];
  m3_axis(A->R, nd == 3 ? 1 : 2, x->n);
  m3_axis(B->R, 2, x->z);
  v3_cross(x->z, x->n, m);
  x->s = v3_norm(m);
  v3_scale(1 / x->s, m, x->t1);
  v3_cross(x->n, x->t1, x->t2);
  v3_cross(x->t1, x->z, x->e);
  if (!turns) return;
  m3_skew(x->n, x->nA);
  for (int i = 0; i < 9; i++) x->nA[i] = -x->nA[i];
  m3_skew2(x->z, x->n, mA), m3_skew2(x->n, x->z, mB);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      double a = 0, b = 0; // t1' dm
      for (int k = 0; k < 3; k++) a -= x->t1[k] * mA[3 * k + c], b += x->t1[k] * mB[3 * k + c];
      x->t1A[3 * r + c] = (-mA[3 * r + c] - x->t1[r] * a) / x->s;
      x->t1B[3 * r + c] = (mB[3 * r + c] - x->t1[r] * b) / x->s;
    }
  rolling_skew_times(1, x->n, x->t1A, x->t2A), rolling_skew_times(1, x->n, x->t1B, x->t2B);
  m3_skew2(x->t1, x->n, S);
  for (int i = 0; i < 9; i++) x->t2A[i] += S[i];
  rolling_skew_times(-1, x->z, x->t1A, x->eA), rolling_skew_times(-1, x->z, x->t1B, x->eB);
  m3_skew2(x->t1, x->z, S);
  for (int i = 0; i < 9; i++) x->eB[i] -= S[i];
}

// A row along t1, then one along t2, from the k-th on.
TR_INLINE void rolling_rows(const rolling *x, int k, int count, slip *out) {
  v3_copy(x->t1, out->c[k]);
  if (count > 1) v3_copy(x->t2, out->c[k + 1]);
  if (!out->turns) return;
  m3_copy(x->t1A, out->cA[k]), m3_copy(x->t1B, out->cB[k]);
  if (count > 1) m3_copy(x->t2A, out->cA[k + 1]), m3_copy(x->t2B, out->cB[k + 1]);
}

#endif
