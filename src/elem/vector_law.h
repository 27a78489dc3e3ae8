// SPDX-License-Identifier: Apache-2.0
// Three laws as a vector: components along the axes e_i of a frame, or of the global one.
//
//   F = sum f_i e_i,   dF = sum e_i df_i + dt x F,   dt the rotation of that frame
// In the plane a force has two components, a torque the third.
#ifndef TR_VECTOR_LAW_H
#define TR_VECTOR_LAW_H

#include "law.h"
#include "math/v3.h"

typedef struct vector_law {
  const tr_law *f[3];
  int frame; // local, -1: global
} vector_law;

static inline bool vector_law_is_constant(const vector_law *v) {
  return v->f[0]->constant && v->f[1]->constant && v->f[2]->constant;
}

static inline void vector_law_axis(const vector_law *v, int nd, const tr_frame *const *f, int i,
                                   double e[3]) {
  for (int k = 0; k < 3; k++) e[k] = k == i;
  if (v->frame < 0 || (nd == 3 && i == 2)) return;
  if (nd == 6)
    m3_axis(f[v->frame]->R, i, e);
  else
    e[0] = f[v->frame]->R[i], e[1] = f[v->frame]->R[3 + i];
}

static inline void vector_law_value(const vector_law *v, int nd, double t, const tr_frame *const *f,
                                    double F[3]) {
  double e[3];
  F[0] = F[1] = F[2] = 0;
  for (int i = 0; i < 3; i++) {
    vector_law_axis(v, nd, f, i, e);
    v3_axpy(law_value(v->f[i], nd, t, f, NULL), e, F);
  }
}

// Rows of F by the displacements and twists of all frames, 3 x n each, added to three rows of K and D
// that begin at `rows`.
static inline void vector_law_add_tangent(const vector_law *v, int nd, double t,
                                          const tr_frame *const *f, int rows, int first, int last,
                                          double *K, double *D) {
  law_slope s;
  double e[3], F[3], S[9];
  int n = v->f[0]->markers * nd;
  for (int i = 0; i < 3; i++) {
    if (v->f[i]->constant) continue;
    vector_law_axis(v, nd, f, i, e);
    law_derive(v->f[i], nd, t, f, NULL, &s);
    for (int r = first; r < last; r++)
      for (int j = 0; j < n; j++) {
        K[(rows + r - first) * n + j] += e[r] * s.q[j];
        D[(rows + r - first) * n + j] += e[r] * s.v[j];
      }
  }
  if (v->frame < 0) return;
  vector_law_value(v, nd, t, f, F);
  m3_skew(F, S); // dt x F = -[F] dt
  for (int r = first; r < last; r++)
    for (int c = nd == 3 ? 2 : 0; c < 3; c++)
      K[(rows + r - first) * n + v->frame * nd + (nd == 3 ? 0 : 3) + c] -= S[3 * r + c];
}

#endif
