// SPDX-License-Identifier: Apache-2.0
// The vectors of corrector_si2.c, whose symbols these are, in small systems: all that a correction moves in one call, four
// numbers at a time, then two, then one.
#include <math.h>

#include "corrector_si2.h"
#include "math/lanes.h"

// Numbers i .. of x, as many as T has.
#define AT(T, x) (*(T *)((x) + i))

// a -= x - f z,  w -= z  unless x is NULL,  sum = a + f w,  d = dhat + cq sum,  v = vhat + cv a; given: with v and a of the step
// before in place of dhat and vhat
#define MOVE(T)                                                        \
  do {                                                                 \
    T a1 = AT(T, a), w1 = AT(T, w);                                    \
    if (x) {                                                           \
      T z1 = AT(const T, z);                                           \
      AT(T, a) = a1 -= AT(const T, x) - f * z1, AT(T, w) = w1 -= z1;   \
    }                                                                  \
    T s1 = a1 + f * w1, d1 = AT(const T, d0), v1 = AT(const T, v0);    \
    if (given) {                                                       \
      T p = d1;                                                        \
      d1 = d_v * p + d_a * v1, v1 = p + v_a * v1;                      \
    }                                                                  \
    AT(T, sum) = s1, AT(T, d) = d1 + cq * s1, AT(T, v) = v1 + cv * a1; \
  } while (0)

TR_INLINE void move_given(bool given, const correction *k, const double *x, const double *z) {
  const tr_step *s = k->s;
  const tr_corrector *c = &s->c;
  const double *d0 = given ? c->v : c->dhat, *v0 = given ? c->a : c->vhat;
  double *a = k->x1->a, *w = s->w, *sum = s->sum_a, *d = s->d, *v = k->x1->v;
  double f = k->ratio, cq = c->cq, cv = c->cv, d_v = c->d_v, d_a = c->d_a, v_a = c->v_a;
  int n = s->sys->nv, i = 0;
#pragma GCC unroll 1
  for (; i + LANES <= n; i += LANES) MOVE(lanes_anywhere);
  if (n & 2) {
    MOVE(lanes_pair);
    i += 2;
  }
  if (n & 1) MOVE(double);
}

// lam -= l - g m,  mu += m  unless l is NULL,  sum = lam - f mu
#define PULL(T)                                                       \
  do {                                                                \
    T y = AT(T, lam), u = AT(T, mu);                                  \
    if (l) {                                                          \
      T m1 = AT(const T, m);                                          \
      AT(T, lam) = y -= AT(const T, l) - g * m1, AT(T, mu) = u += m1; \
    }                                                                 \
    AT(T, sum) = y - f * u;                                           \
  } while (0)

TR_INLINE void pull_small(const correction *k, const double *l, const double *m) {
  const tr_step *s = k->s;
  double *lam = k->x1->lam, *mu = s->mu, *sum = s->sum_lam;
  double f = k->ratio, g = s->c.unit_metric ? 0 : f; // of dmu in dlam
  int n = s->sys->nc, i = 0;
#pragma GCC unroll 1
  for (; i + LANES <= n; i += LANES) PULL(lanes_anywhere);
  if (n & 2) {
    PULL(lanes_pair);
    i += 2;
  }
  if (n & 1) PULL(double);
}
#undef AT
#undef MOVE
#undef PULL

// Both halves by dx, which is NULL where they begin; dmu comes with the other sign.
TR_INLINE void move_small_all(const correction *k, const double *dx) {
  int nv = k->s->sys->nv, nc = k->s->sys->nc;
  const double *l = dx ? dx + nv : NULL, *dw = dx ? l + nc : NULL, *dmu = dx ? dw + nv : NULL;
  if (k->s->c.v)
    move_given(true, k, dx, dw);
  else
    move_given(false, k, dx, dw);
  pull_small(k, l, dmu);
}
TR_INLINE void place_small_all(const correction *k) { move_small_all(k, NULL); }
TR_WIDE(place_small, place_small_all, (const correction *k), (k))

// Of x and z side by side; what is not finite shows in what all of them add up to.
TR_INLINE void meet(const double *x, const double *z, lanes *most, lanes *sum) {
  lanes x1 = *(const lanes_anywhere *)x, z1 = *(const lanes_anywhere *)z;
  lanes_raise(&x1, &most[0]), lanes_raise(&z1, &most[1]);
  *sum += x1 + z1;
}
TR_INLINE void find_largest(int n, const double *x, const double *z, double *a, double *b) {
  lanes most[2] = {{0}}, sum = {0};
  int i = 0;
#pragma GCC unroll 1
  for (; i + LANES < n; i += LANES) meet(x + i, z + i, most, &sum);
  if (n >= LANES) {
    meet(x + n - LANES, z + n - LANES, most, &sum); // some of them again
  } else {
    lanes p = {0}, q = {0};
    for (; i < n; i++) p[i] = x[i], q[i] = z[i];
    meet((double *)&p, (double *)&q, most, &sum);
  }
  double all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  bool finite = fabs(all) < INFINITY;
  *a = finite ? lanes_top(&most[0]) : INFINITY, *b = finite ? lanes_top(&most[1]) : INFINITY;
}
TR_INLINE void shift_small_all(const correction *k, const double *dx, double *da, double *dw) {
  int nv = k->s->sys->nv, nc = k->s->sys->nc;
  move_small_all(k, dx);
  find_largest(nv, dx, dx + nv + nc, da, dw);
}
TR_WIDE(shift_small, shift_small_all,
        (const correction *k, const double *dx, double *da, double *dw), (k, dx, da, dw))

void tr_si2_place_small(const correction *k) { place_small(k); }

void tr_si2_shift_small(const correction *k, const double *dx, double *da, double *dw) {
  shift_small(k, dx, da, dw);
}
