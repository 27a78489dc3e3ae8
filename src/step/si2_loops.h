// SPDX-License-Identifier: Apache-2.0
// The long vectors of corrector_si2.c, whose symbols these are, several numbers at a time.
#ifndef TR_SI2_LOOPS_H
#define TR_SI2_LOOPS_H

#include "math/lanes.h"
#include "step.h"

// d = dhat + cq sum,  v = vhat + cv a,  or with v and a of the step before in place of dhat and vhat
TR_INLINE void follow_sum(int n, const tr_corrector *c, const double *restrict a,
                          const double *restrict sum, double *restrict d, double *restrict v) {
  const double *v0 = c->v, *a0 = c->a, *dhat = c->dhat, *vhat = c->vhat;
  double cq = c->cq, cv = c->cv, d_v = c->d_v, d_a = c->d_a, v_a = c->v_a;
  if (v0)
    for (int i = 0; i < n; i++) {
      d[i] = (d_v * v0[i] + d_a * a0[i]) + cq * sum[i];
      v[i] = (v0[i] + v_a * a0[i]) + cv * a[i];
    }
  else
    for (int i = 0; i < n; i++) d[i] = dhat[i] + cq * sum[i], v[i] = vhat[i] + cv * a[i];
}

// sum = a + ratio w,  and d and v
TR_INLINE void combine_all(int n, const tr_corrector *c, double ratio, const double *restrict a,
                           const double *restrict w, double *restrict sum, double *restrict d,
                           double *restrict v) {
  for (int i = 0; i < n; i++) sum[i] = a[i] + ratio * w[i];
  follow_sum(n, c, a, sum, d, v);
}
TR_WIDE(combine, combine_all,
        (int n, const tr_corrector *c, double ratio, const double *a, const double *w, double *sum,
         double *d, double *v),
        (n, c, ratio, a, w, sum, d, v))

// a -= x - f z,  w -= z,  and the same of them
TR_INLINE void move_all(int n, const tr_corrector *c, double f, const double *restrict x,
                        const double *restrict z, double *restrict a, double *restrict w,
                        double *restrict sum, double *restrict d, double *restrict v) {
  for (int i = 0; i < n; i++) {
    a[i] -= x[i] - f * z[i], w[i] -= z[i];
    sum[i] = a[i] + f * w[i];
  }
  follow_sum(n, c, a, sum, d, v);
}
TR_WIDE(move, move_all,
        (int n, const tr_corrector *c, double f, const double *x, const double *z, double *a,
         double *w, double *sum, double *d, double *v),
        (n, c, f, x, z, a, w, sum, d, v))

// The same with z = 0.
TR_INLINE void advance_all(int n, const tr_corrector *c, const double *restrict x,
                           double *restrict a, double *restrict sum, double *restrict d,
                           double *restrict v) {
  for (int i = 0; i < n; i++) a[i] -= x[i], sum[i] -= x[i];
  follow_sum(n, c, a, sum, d, v);
}
TR_WIDE(advance, advance_all,
        (int n, const tr_corrector *c, const double *x, double *a, double *sum, double *d,
         double *v),
        (n, c, x, a, sum, d, v))

// lam -= l - f m,  mu += m,  sum = lam - g mu
TR_INLINE void pull_all(int n, double f, double g, const double *restrict l,
                        const double *restrict m, double *restrict lam, double *restrict mu,
                        double *restrict sum) {
  for (int i = 0; i < n; i++) {
    lam[i] -= l[i] - f * m[i], mu[i] += m[i];
    sum[i] = lam[i] - g * mu[i];
  }
}
TR_WIDE(pull, pull_all,
        (int n, double f, double g, const double *l, const double *m, double *lam, double *mu,
         double *sum),
        (n, f, g, l, m, lam, mu, sum))

// w -= z,  a += f z,  v += g z
TR_INLINE void follow_all(int n, double f, double g, const double *restrict z, double *restrict w,
                          double *restrict a, double *restrict v) {
  for (int i = 0; i < n; i++) w[i] -= z[i], a[i] += f * z[i], v[i] += g * z[i];
}
TR_WIDE(follow, follow_all,
        (int n, double f, double g, const double *z, double *w, double *a, double *v),
        (n, f, g, z, w, a, v))

// top = Phi/cq and low = (Phi - cq/cv rate)/cw of top = Phi, low = rate
TR_INLINE void rows_all(int n, double cq, double cv, double cw, double *restrict top,
                        double *restrict low) {
  double icq = 1 / cq, icw = 1 / cw, f = cq / (cv * cw);
  for (int i = 0; i < n; i++) low[i] = icw * top[i] - f * low[i], top[i] *= icq;
}
TR_WIDE(scale_rows, rows_all, (int n, double cq, double cv, double cw, double *top, double *low),
        (n, cq, cv, cw, top, low))

#endif
