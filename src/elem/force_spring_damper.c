// SPDX-License-Identifier: Apache-2.0
// Translational spring-damper-actuator between two points.
//
//   d = p_B - p_A, L = |d|, e = d/L, L' = e.d'
//   f = -k (L - L0) - c L' + F,   +f e on B, -f e on A: positive f pushes the points apart
//   d(f e) = (f_L e e' + f_r e (d'_perp)'/L + f/L (1 - e e')) dd + f_r e e' dd' + e dF
// where d'_perp/L = dL'/dd, f_L = -k + F_L, f_r = -c + F_r, and dF is what the law of the actuator force
// has from elsewhere. At L = 0 the direction is that of the relative velocity.
#include "force.h"
#include "law.h"
#include "math/v3.h"

typedef struct par {
  double stiffness, damping, free_length;
  const tr_law *force;
} par;

static const tr_variable variables[] = {
    {"length", TR_LENGTH, "distance of the points"}, {"rate", TR_VELOCITY, "its rate"}, {0}};
static const tr_field fields[] = {
    {"stiffness", TR_REAL, TR_STIFFNESS, offsetof(par, stiffness), "0", .min = 0, .max = INFINITY,
     .doc = "k"},
    {"damping", TR_REAL, TR_DAMPING, offsetof(par, damping), "0", .min = 0, .max = INFINITY,
     .doc = "c"},
    {"free-length", TR_REAL, TR_LENGTH, offsetof(par, free_length), "auto", .min = 0,
     .max = INFINITY, .doc = "length without force; by default what it is at the start"},
    {"force", TR_LAW, TR_FORCE, offsetof(par, force), "0",
     .doc = "actuator force, pushes the points apart; a law, also of length and rate",
     .variables = variables},
    {0}};

typedef struct stretch {
  double e[3], L, rate;
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

static inline stretch look(int nd, const tr_frame *const *f) {
  stretch s = {0};
  double d[3] = {0}, LL = 0, vv = 0;
  int n = nd == 3 ? 2 : 3;
  for (int i = 0; i < n; i++) {
    d[i] = f[1]->p[i] - f[0]->p[i], s.dv[i] = f[1]->v[i] - f[0]->v[i];
    LL += d[i] * d[i], vv += s.dv[i] * s.dv[i];
  }
  s.L = sqrt(LL);
  double scale = s.L > 0 ? 1 / s.L : vv > 0 ? 1 / sqrt(vv) : 0;
  const double *along = s.L > 0 ? d : s.dv;
  for (int i = 0; i < n; i++) s.e[i] = scale * along[i], s.rate += s.e[i] * s.dv[i];
  return s;
}

static inline double force(int nd, const par *p, double t, const tr_frame *const *f,
                           const stretch *s) {
  const double variable[] = {s->L, s->rate};
  return -p->stiffness * (s->L - p->free_length) - p->damping * s->rate +
         law_value(p->force, nd, t, f, variable);
}

static inline void eval(int nd, const par *p, double t, const tr_frame *const *f, const double *mem,
                        double *w) {
  stretch s = look(nd, f);
  double size = force(nd, p, t, f, &s);
  (void)mem;
  for (int i = 0; i < p->force->markers * nd; i++) w[i] = 0;
  for (int i = 0; i < (nd == 3 ? 2 : 3); i++) w[nd + i] = size * s.e[i], w[i] = -w[nd + i];
}

// K and D (2 nd x 2 nd) of a force f along the line whose slopes are f_L and f_r.
static inline void line_tangent(int nd, const stretch *s, double f, double f_L, double f_r,
                                double *K, double *D) {
  int n = nd == 3 ? 2 : 3, size = 2 * nd;
  double iL = s->L > 0 ? 1 / s->L : 0, fL = s->L > 0 ? f / s->L : f_L;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double ee = s->e[i] * s->e[j], perp = iL * (s->dv[j] - s->rate * s->e[j]);
      double k = f_L * ee + f_r * s->e[i] * perp + fL * ((i == j) - ee), c = f_r * ee;
      K[size * (nd + i) + nd + j] += k, K[size * i + j] += k;
      K[size * (nd + i) + j] -= k, K[size * i + nd + j] -= k;
      D[size * (nd + i) + nd + j] += c, D[size * i + j] += c;
      D[size * (nd + i) + j] -= c, D[size * i + nd + j] -= c;
    }
  }
}

static inline void tangent(int nd, const par *p, double t, const tr_frame *const *f,
                           const double *mem, double *K, double *D) {
  stretch s = look(nd, f);
  double size = force(nd, p, t, f, &s);
  (void)mem;
  if (p->force->constant && p->force->markers == 2) {
    line_tangent(nd, &s, size, -p->stiffness, -p->damping, K, D);
    return;
  }
  law_slope F;
  const double variable[] = {s.L, s.rate};
  double K0[144] = {0}, D0[144] = {0}, g[12] = {0};
  int own = 2 * nd, n = p->force->markers * nd;
  law_derive(p->force, nd, t, f, variable, &F);
  line_tangent(nd, &s, size, F.variable[0] - p->stiffness, F.variable[1] - p->damping, K0, D0);
  for (int i = 0; i < (nd == 3 ? 2 : 3); i++) g[i] = -s.e[i], g[nd + i] = s.e[i];
  law_spread(own, n, K0, g, F.q, K);
  law_spread(own, n, D0, g, F.v, D);
}

// A constant actuator force has the potential -F L; of a law nothing is known.
static inline double potential(int nd, const par *p, const tr_frame *const *f, const double *mem) {
  stretch s = look(nd, f);
  double x = s.L - p->free_length;
  (void)mem;
  return 0.5 * p->stiffness * x * x - (p->force->constant ? p->force->value * s.L : 0);
}

static inline void measure(int nd, const par *p, double t, const tr_frame *const *f,
                           const double *mem, double *out) {
  stretch s = look(nd, f);
  (void)mem;
  out[0] = force(nd, p, t, f, &s), out[1] = s.L, out[2] = s.rate;
}

static const char *const names[] = {"f", "length", "rate", NULL};
FORCE_FUNCTIONS_OF_TIME(2, 3)
FORCE_FUNCTIONS_OF_TIME(3, 6)
FORCE_POTENTIAL(2, 3)
FORCE_POTENTIAL(3, 6)
static const tr_force_ops planar = {.sight = TR_SEES_POINTS,
                                    .uses_velocity = true,
                                    .eval = eval2,
                                    .tangent = tangent2,
                                    .potential = potential2,
                                    .measure_names = names,
                                    .measure = measure2};
static const tr_force_ops spatial = {.sight = TR_SEES_POINTS,
                                     .uses_velocity = true,
                                     .eval = eval3,
                                     .tangent = tangent3,
                                     .potential = potential3,
                                     .measure_names = names,
                                     .measure = measure3};

static bool passive(const void *pv) { return law_is_zero(((const par *)pv)->force); }

const tr_force_type tr_force_spring_damper = {
    .name = "spring-damper",
    .doc = "translational spring, damper and actuator between two points",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .planar = &planar,
    .spatial = &spatial,
    .start = start,
    .passive = passive,
};
