// SPDX-License-Identifier: Apache-2.0
// Translational spring-damper-actuator between two points.
//
//   d = p_B - p_A, L = |d|, e = d/L, L' = e.d'
//   f = -k (L - L0) - c L' + F,   +f e on B, -f e on A: positive f pushes the points apart
//   d(f e) = (-k e e' - c e (d'_perp)'/L + f/L (1 - e e')) dd  -  c e e' dd'
// where d'_perp/L = dL'/dd. At L = 0 the direction is that of the relative velocity.
#include <math.h>

#include "elem.h"
#include "math/v3.h"

typedef struct par {
  double stiffness, damping, free_length, force;
} par;

static const tr_field fields[] = {
    {"stiffness", TR_REAL, TR_STIFFNESS, offsetof(par, stiffness), "0", .min = 0, .max = INFINITY,
     .doc = "k"},
    {"damping", TR_REAL, TR_DAMPING, offsetof(par, damping), "0", .min = 0, .max = INFINITY,
     .doc = "c"},
    {"free-length", TR_REAL, TR_LENGTH, offsetof(par, free_length), "auto", .min = 0,
     .max = INFINITY, .doc = "length without force; by default what it is at the start"},
    {"force", TR_REAL, TR_FORCE, offsetof(par, force), "0",
     .doc = "actuator force, pushes the points apart"},
    {0}};

typedef struct stretch {
  double e[3], L, rate, f;
  double dv[3]; // relative velocity
} stretch;

static const char *start(void *pv, int nd, const tr_frame *const *f) {
  (void)nd;
  par *p = pv;
  double d[3];
  v3_sub(f[1]->p, f[0]->p, d);
  if (isnan(p->free_length)) p->free_length = v3_norm(d);
  return NULL;
}

static inline stretch look(int n, const par *p, const tr_frame *const *f) {
  stretch s = {0};
  double d[3] = {0}, LL = 0, vv = 0;
  for (int i = 0; i < n; i++) {
    d[i] = f[1]->p[i] - f[0]->p[i], s.dv[i] = f[1]->v[i] - f[0]->v[i];
    LL += d[i] * d[i], vv += s.dv[i] * s.dv[i];
  }
  s.L = sqrt(LL);
  double scale = s.L > 0 ? 1 / s.L : vv > 0 ? 1 / sqrt(vv) : 0;
  const double *along = s.L > 0 ? d : s.dv;
  for (int i = 0; i < n; i++) s.e[i] = scale * along[i], s.rate += s.e[i] * s.dv[i];
  s.f = -p->stiffness * (s.L - p->free_length) - p->damping * s.rate + p->force;
  return s;
}

static inline void eval(int n, const par *p, const tr_frame *const *f, double *w) {
  int m = 3 * (n - 1);
  stretch s = look(n, p, f);
  for (int i = 0; i < 2 * m; i++) w[i] = 0;
  for (int i = 0; i < n; i++) w[m + i] = s.f * s.e[i], w[i] = -w[m + i];
}

static inline void tangent(int n, const par *p, const tr_frame *const *f, double *K, double *D) {
  int m = 3 * (n - 1), size = 2 * m;
  stretch s = look(n, p, f);
  double iL = s.L > 0 ? 1 / s.L : 0, fL = s.L > 0 ? s.f / s.L : -p->stiffness;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double ee = s.e[i] * s.e[j], perp = iL * (s.dv[j] - s.rate * s.e[j]);
      double k = -p->stiffness * ee - p->damping * s.e[i] * perp + fL * ((i == j) - ee);
      double c = -p->damping * ee;
      K[size * (m + i) + m + j] += k, K[size * i + j] += k;
      K[size * (m + i) + j] -= k, K[size * i + m + j] -= k;
      D[size * (m + i) + m + j] += c, D[size * i + j] += c;
      D[size * (m + i) + j] -= c, D[size * i + m + j] -= c;
    }
  }
}

// The actuator force has the potential -F L.
static inline double potential(int n, const par *p, const tr_frame *const *f) {
  stretch s = look(n, p, f);
  double x = s.L - p->free_length;
  return 0.5 * p->stiffness * x * x - p->force * s.L;
}

static inline void measure(int n, const par *p, const tr_frame *const *f, double *out) {
  stretch s = look(n, p, f);
  out[0] = s.f, out[1] = s.L, out[2] = s.rate;
}

static const char *const names[] = {"f", "length", "rate", NULL};

#define SPRING(n)                                                                              \
  static void eval##n(const void *p, double t, const tr_frame *const *f, const double *mem,    \
                      double *w) {                                                             \
    (void)t, (void)mem;                                                                        \
    eval(n, p, f, w);                                                                          \
  }                                                                                            \
  static void tangent##n(const void *p, double t, const tr_frame *const *f, const double *mem, \
                         double *K, double *D) {                                               \
    (void)t, (void)mem;                                                                        \
    tangent(n, p, f, K, D);                                                                    \
  }                                                                                            \
  static double potential##n(const void *p, double t, const tr_frame *const *f,                \
                             const double *mem) {                                              \
    (void)t, (void)mem;                                                                        \
    return potential(n, p, f);                                                                 \
  }                                                                                            \
  static void measure##n(const void *p, double t, const tr_frame *const *f, const double *mem, \
                         double *out) {                                                        \
    (void)t, (void)mem;                                                                        \
    measure(n, p, f, out);                                                                     \
  }                                                                                            \
  static const tr_force_ops ops##n = {.uses_velocity = true,                                   \
                                      .eval = eval##n,                                         \
                                      .tangent = tangent##n,                                   \
                                      .potential = potential##n,                               \
                                      .measure_names = names,                                  \
                                      .measure = measure##n};

SPRING(2)
SPRING(3)

const tr_force_type tr_force_spring_damper = {
    .name = "spring-damper",
    .doc = "translational spring, damper and actuator between two points",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .planar = &ops2,
    .spatial = &ops3,
    .start = start,
};
