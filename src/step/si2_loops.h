// SPDX-License-Identifier: Apache-2.0
// The long vectors of corrector_si2.c, whose symbols these are, several numbers at a time and in ranges, for those who
// share them.
#ifndef TR_SI2_LOOPS_H
#define TR_SI2_LOOPS_H

#include "corrector_si2.h"
#include "math/lanes.h"

// d = dhat + cq sum,  v = vhat + cv a,  or with v and a of the step before in place of dhat and vhat; these from `first` on
TR_INLINE void follow_sum(int n, const tr_corrector *c, int first, const double *restrict a,
                          const double *restrict sum, double *restrict d, double *restrict v) {
  double cq = c->cq, cv = c->cv, d_v = c->d_v, d_a = c->d_a, d_d = c->d_d, v_a = c->v_a;
  if (c->d) {
    const double *v0 = c->v + first, *a0 = c->a + first, *d0 = c->d + first;
    for (int i = 0; i < n; i++) {
      d[i] = ((d_v * v0[i] + d_a * a0[i]) + d_d * d0[i]) + cq * sum[i];
      v[i] = (v0[i] + v_a * a0[i]) + cv * a[i];
    }
  } else if (c->v) {
    const double *v0 = c->v + first, *a0 = c->a + first;
    for (int i = 0; i < n; i++) {
      d[i] = (d_v * v0[i] + d_a * a0[i]) + cq * sum[i];
      v[i] = (v0[i] + v_a * a0[i]) + cv * a[i];
    }
  } else {
    const double *dhat = c->dhat + first, *vhat = c->vhat + first;
    for (int i = 0; i < n; i++) d[i] = dhat[i] + cq * sum[i], v[i] = vhat[i] + cv * a[i];
  }
}

TR_INLINE void follow_alone(int n, const tr_corrector *c, int first, const double *restrict sum,
                            double *restrict d, double *restrict v) {
  follow_sum(n, c, first, sum, sum, d, v);
}
TR_WIDE(follow_wide, follow_alone,
        (int n, const tr_corrector *c, int first, const double *sum, double *d, double *v),
        (n, c, first, sum, d, v))

// a -= x - f z,  w -= z  unless x is NULL,  sum = a + f w,  and d and v of them; given: with v and a of the step before
TR_INLINE void move_some(bool given, int n, const tr_corrector *c, int first, double f,
                         const double *restrict x, const double *restrict z, double *restrict a,
                         double *restrict w, double *restrict sum, double *restrict d,
                         double *restrict v) {
  double cq = c->cq, cv = c->cv, d_v = c->d_v, d_a = c->d_a, v_a = c->v_a;
  const double *d0 = (given ? c->v : c->dhat) + first, *v0 = (given ? c->a : c->vhat) + first;
  for (int i = 0; i < n; i++) {
    if (x) a[i] -= x[i] - f * z[i], w[i] -= z[i];
    double s = a[i] + f * w[i];
    sum[i] = s;
    d[i] = (given ? d_v * d0[i] + d_a * v0[i] : d0[i]) + cq * s;
    v[i] = (given ? d0[i] + v_a * v0[i] : v0[i]) + cv * a[i];
  }
}
TR_INLINE void move_all(int n, const tr_corrector *c, int first, double f, const double *x,
                        const double *z, double *a, double *w, double *sum, double *d, double *v) {
  if (c->d) { // of large systems
    for (int i = 0; x && i < n; i++) a[i] -= x[i] - f * z[i], w[i] -= z[i];
    for (int i = 0; i < n; i++) sum[i] = a[i] + f * w[i];
    follow_sum(n, c, first, a, sum, d, v);
  } else if (c->v) {
    move_some(true, n, c, first, f, x, z, a, w, sum, d, v);
  } else {
    move_some(false, n, c, first, f, x, z, a, w, sum, d, v);
  }
}
TR_WIDE(move, move_all,
        (int n, const tr_corrector *c, int first, double f, const double *x, const double *z,
         double *a, double *w, double *sum, double *d, double *v),
        (n, c, first, f, x, z, a, w, sum, d, v))

// sum = a + ratio w,  and d and v
TR_INLINE void combine_all(int n, const tr_corrector *c, int first, double ratio, double *a,
                           double *w, double *sum, double *d, double *v) {
  move_all(n, c, first, ratio, NULL, NULL, a, w, sum, d, v);
}
TR_WIDE(combine, combine_all,
        (int n, const tr_corrector *c, int first, double ratio, double *a, double *w, double *sum,
         double *d, double *v),
        (n, c, first, ratio, a, w, sum, d, v))

// out = y + f x; of few numbers it is not worth a call
TR_INLINE void blend_all(int n, double f, const double *restrict x, const double *restrict y,
                         double *restrict out) {
  for (int i = 0; i < n; i++) out[i] = y[i] + f * x[i];
}
TR_WIDE(blend_wide, blend_all, (int n, double f, const double *x, const double *y, double *out),
        (n, f, x, y, out))
TR_INLINE void blend(int n, double f, const double *x, const double *y, double *out) {
  enum { FEW = 32 };
  if (n > FEW)
    blend_wide(n, f, x, y, out);
  else
    blend_all(n, f, x, y, out);
}

// The same with z = 0.
TR_INLINE void advance_all(int n, const tr_corrector *c, int first, const double *restrict x,
                           double *restrict a, double *restrict sum, double *restrict d,
                           double *restrict v) {
  for (int i = 0; i < n; i++) a[i] -= x[i], sum[i] -= x[i];
  follow_sum(n, c, first, a, sum, d, v);
}
TR_WIDE(advance, advance_all,
        (int n, const tr_corrector *c, int first, const double *x, double *a, double *sum,
         double *d, double *v),
        (n, c, first, x, a, sum, d, v))

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

// ---- of velocities or rows first .. end - 1 ----------------------------------------------------------

// q1 and v1 of a and w, with a + cw/cq w in s->sum_a; and lam - cw/cq mu; or of sums as they are
TR_INLINE void place_part(void *what, int part, int first, int end) {
  const correction *k = what;
  const tr_step *s = k->s;
  (void)part;
  if (k->sums)
    follow_wide(end - first, &s->c, first, s->sum_a + first, s->d + first, k->x1->v + first);
  else
    combine(end - first, &s->c, first, k->ratio, k->x1->a + first, s->w + first, s->sum_a + first,
            s->d + first, k->x1->v + first);
}
TR_INLINE void sum_part(void *what, int part, int first, int end) {
  const correction *k = what;
  const tr_step *s = k->s;
  const double *lam = k->x1->lam + first, *mu = s->mu + first;
  double *sum = s->sum_lam + first;
  (void)part;
  if (k->sums) return;
  blend(end - first, -k->ratio, mu, lam, sum);
}

// By a correction dx of all unknowns; dmu comes with the other sign.
TR_INLINE void move_part(void *what, int part, int first, int end) {
  const correction *k = what;
  const tr_step *s = k->s;
  const double *y = k->dx + first, *dw = y + s->sys->nv + s->sys->nc;
  (void)part;
  move(end - first, &s->c, first, k->ratio, y, dw, k->x1->a + first, s->w + first, s->sum_a + first,
       s->d + first, k->x1->v + first);
}
TR_INLINE void pull_part(void *what, int part, int first, int end) {
  const correction *k = what;
  const tr_step *s = k->s;
  const double *l = k->dx + s->sys->nv + first, *dmu = l + s->sys->nc + s->sys->nv;
  double ratio = k->ratio, share = s->c.unit_metric ? 0 : ratio; // of dmu in dlam
  (void)part;
  pull(end - first, share, ratio, l, dmu, k->x1->lam + first, s->mu + first, s->sum_lam + first);
}

// By the first half alone.
TR_INLINE void advance_part(void *what, int part, int first, int end) {
  const correction *k = what;
  const tr_step *s = k->s;
  (void)part;
  advance(end - first, &s->c, first, k->dx + first, k->x1->a + first, s->sum_a + first,
          s->d + first, k->x1->v + first);
}
TR_INLINE void lam_part(void *what, int part, int first, int end) {
  const correction *k = what;
  const double *l = k->dx + k->s->sys->nv;
  double *lam = k->x1->lam, *sum = k->s->sum_lam;
  (void)part;
  for (int i = first; i < end; i++) lam[i] -= l[i], sum[i] -= l[i];
}

// By the second half alone, at fixed positions: y = 0, so that da = -cw/cq dw, dlam = cw/cq dmu.
TR_INLINE void follow_part(void *what, int part, int first, int end) {
  const correction *k = what;
  const tr_step *s = k->s;
  double ratio = k->ratio;
  (void)part;
  follow(end - first, ratio, s->c.cv * ratio, k->dx + first, s->w + first, k->x1->a + first,
         k->x1->v + first);
}
TR_INLINE void mu_part(void *what, int part, int first, int end) {
  const correction *k = what;
  const tr_step *s = k->s;
  const double *dmu = k->dx + s->sys->nv;
  double ratio = k->ratio, *lam = k->x1->lam;
  (void)part;
  for (int i = first; i < end; i++) s->mu[i] += dmu[i], lam[i] += ratio * dmu[i];
}

// Rows of both halves, in k->top and k->low; those of one, in k->low, times k->scale.
TR_INLINE void rows_part(void *what, int part, int first, int end) {
  const correction *k = what;
  const tr_corrector *c = &k->s->c;
  (void)part;
  scale_rows(end - first, c->cq, c->cv, c->cw, k->top + first, k->low + first);
}
TR_INLINE void scale_part(void *what, int part, int first, int end) {
  const correction *k = what;
  (void)part;
  for (int i = first; i < end; i++) k->low[i] *= k->scale;
}

#endif
