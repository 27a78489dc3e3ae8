// SPDX-License-Identifier: Apache-2.0
// Distance joint: a massless rod of length L between two points (1 row).
//
//   phi = (d.d - L^2)/(2 L),  G = d'/L on B and -d'/L on A,  (G' lam)_q = lam/L on the differences,
//   gacc = |d'|^2/L.  The square keeps phi polynomial; lam is the rod's tension.
// As spherical-spherical it is the massless link with a ball at either end.
#include <math.h>

#include "elem.h"
#include "math/v3.h"

typedef struct par {
  double length;
} par;

static const tr_field fields[] = {
    {"length", TR_REAL, TR_LENGTH, offsetof(par, length), "auto", .positive = true,
     .doc = "distance; by default what it is at the start"},
    {0}};

static const char *start(void *pv, int nd, const tr_frame *const *f) {
  (void)nd;
  par *p = pv;
  if (!isnan(p->length)) return NULL;
  double d[3];
  v3_sub(f[1]->p, f[0]->p, d);
  p->length = v3_norm(d);
  return p->length > 0 ? NULL : "the markers coincide at the start, so length must be given";
}

// n: 2 or 3 components; a frame's block has s = 3 or 6 displacements
static inline void eval(int n, const par *p, const tr_frame *const *f, const double *lam,
                        double *phi, double *w) {
  int s = 3 * (n - 1);
  double dd = 0, iL = 1 / p->length;
  if (lam)
    for (int i = 0; i < 2 * s; i++) w[i] = 0;
  for (int i = 0; i < n; i++) {
    double d = f[1]->p[i] - f[0]->p[i];
    dd += d * d;
    if (lam) w[i] = lam[0] * d * iL, w[s + i] = -w[i];
  }
  phi[0] = 0.5 * (dd * iL - p->length);
}

static inline void jac(int n, const par *p, const tr_frame *const *f, double *G) {
  int s = 3 * (n - 1);
  for (int i = 0; i < 2 * s; i++) G[i] = 0;
  for (int i = 0; i < n; i++) {
    G[s + i] = (f[1]->p[i] - f[0]->p[i]) / p->length;
    G[i] = -G[s + i];
  }
}

static inline void geom(int n, const par *p, const double *lam, double *K) {
  int s = 3 * (n - 1), m = 2 * s;
  double k = lam[0] / p->length;
  for (int i = 0; i < n; i++) {
    K[m * i + i] += k, K[m * (s + i) + s + i] += k;
    K[m * i + s + i] -= k, K[m * (s + i) + i] -= k;
  }
}

static inline void quadratic(int n, const par *p, const tr_frame *const *f, double *out) {
  double vv = 0;
  for (int i = 0; i < n; i++) {
    double d = f[1]->v[i] - f[0]->v[i];
    vv += d * d;
  }
  out[0] = vv / p->length;
}

static inline void rate(int n, const par *p, const tr_frame *const *f, double *out) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (f[1]->p[i] - f[0]->p[i]) * (f[1]->v[i] - f[0]->v[i]);
  out[0] = sum / p->length;
}

// Written at the end: what is written might be a frame, for all that compilers know.
static inline void two(int n, const par *p, const tr_frame *const *f, const tr_joint_two *io) {
  const tr_frame *A = f[0], *B = f[1];
  int s = 3 * (n - 1);
  double d[3], dd = 0, sum = 0, iL = 1 / p->length, lam = io->lam[0], mu = io->mu[0];
  double *w = io->w, *w2 = io->w2;
  for (int i = 0; i < n; i++) {
    d[i] = B->p[i] - A->p[i];
    dd += d[i] * d[i], sum += d[i] * (B->v[i] - A->v[i]);
  }
  io->phi[0] = 0.5 * (dd * iL - p->length), io->rate[0] = sum * iL;
  for (int i = 0; i < n; i++) {
    double x = lam * d[i] * iL, y = mu * d[i] * iL;
    w[i] = x, w[s + i] = -x, w2[i] = y, w2[s + i] = -y;
  }
  for (int i = n; i < s; i++) w[i] = w[s + i] = w2[i] = w2[s + i] = 0;
}

static inline void length(int n, const tr_frame *const *f, double *out) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (f[1]->p[i] - f[0]->p[i]) * (f[1]->p[i] - f[0]->p[i]);
  out[0] = sqrt(sum);
}

static const char *const names[] = {"length", NULL};

// The same functions for the plane and for space.
#define DISTANCE(n)                                                                            \
  static void eval##n(const void *p, double t, const tr_frame *const *f, const double *mem,    \
                      const double *lam, double *phi, double *w) {                             \
    (void)t, (void)mem;                                                                        \
    eval(n, p, f, lam, phi, w);                                                                \
  }                                                                                            \
  static void jac##n(const void *p, double t, const tr_frame *const *f, double *G) {           \
    (void)t;                                                                                   \
    jac(n, p, f, G);                                                                           \
  }                                                                                            \
  static void geom##n(const void *p, double t, const tr_frame *const *f, const double *lam,    \
                      double *K) {                                                             \
    (void)t, (void)f;                                                                          \
    geom(n, p, lam, K);                                                                        \
  }                                                                                            \
  static void gamma##n(const void *p, double t, const tr_frame *const *f, double *out) {       \
    (void)t;                                                                                   \
    quadratic(n, p, f, out);                                                                   \
  }                                                                                            \
  static void rate##n(const void *p, double t, const tr_frame *const *f, double *out) {        \
    (void)t;                                                                                   \
    rate(n, p, f, out);                                                                        \
  }                                                                                            \
  static void two##n(const void *p, double t, const tr_frame *const *f, const double *mem,     \
                     const tr_joint_two *io) {                                                 \
    (void)t, (void)mem;                                                                        \
    two(n, p, f, io);                                                                          \
  }                                                                                            \
  static void measure##n(const void *p, double t, const tr_frame *const *f, const double *mem, \
                         double *out) {                                                        \
    (void)p, (void)t, (void)mem;                                                               \
    length(n, f, out);                                                                         \
  }                                                                                            \
  static const tr_joint_ops ops##n = {.rows = 1,                                               \
                                      .sight = TR_SEES_POINTS,                                 \
                                      .eval = eval##n,                                         \
                                      .jac = jac##n,                                           \
                                      .geom = geom##n,                                         \
                                      .gamma = gamma##n,                                       \
                                      .rate = rate##n,                                         \
                                      .eval_two = two##n,                                      \
                                      .measure_names = names,                                  \
                                      .measure = measure##n};

DISTANCE(2)
DISTANCE(3)

const tr_joint_type tr_joint_distance = {
    .name = "distance",
    .doc = "massless rod: the points keep their distance",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .planar = &ops2,
    .spatial = &ops3,
    .start = start,
};

const tr_joint_type tr_joint_spherical_spherical = {
    .name = "spherical-spherical",
    .doc = "massless link with a ball at either end: another name for distance",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .planar = &ops2,
    .spatial = &ops3,
    .start = start,
};
