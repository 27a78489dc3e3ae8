// SPDX-License-Identifier: Apache-2.0
// Dry friction in a joint, against its coordinate's rate: Coulomb with Stribeck's dip, regularised.
//
//   v = r x' (angle, r the bearing's radius)  or  x' (way s)
//   F = -N (mu + (mu_s - mu) exp(-(v/v_s)^2)) tanh(v/v_0) - c v,   on B; torque r F about the hinge
// N, the load, is a law: a number, or the joint's own reaction, FM(joint); not less than 0. The tanh makes
// it smooth: a joint at rest creeps below about v_0, which should be small against the speeds of interest.
#include <string.h>

#include "coordinate.h"
#include "force.h"
#include "law.h"

typedef struct par {
  int kind;
  const tr_law *load;
  double mu, mu_static, stribeck, transition, viscous, radius;
} par;

static const tr_field fields[] = {
    {"load", TR_LAW, TR_FORCE, offsetof(par, load), .reach = TR_OF_MOTION,
     .doc = "N, what presses the surfaces together; not less than 0. FM(joint) is its reaction"},
    {"coefficient", TR_REAL, TR_NUMBER, offsetof(par, mu), .min = 0, .max = INFINITY,
     .doc = "mu, of sliding friction"},
    {"static-coefficient", TR_REAL, TR_NUMBER, offsetof(par, mu_static), "auto", .min = 0,
     .max = INFINITY, .doc = "mu_s, near rest; by default mu"},
    {"stribeck-velocity", TR_REAL, TR_VELOCITY, offsetof(par, stribeck), "0.1", .positive = true,
     .doc = "v_s, over which mu_s falls to mu"},
    {"transition-velocity", TR_REAL, TR_VELOCITY, offsetof(par, transition), "0.001",
     .positive = true, .doc = "v_0, below which friction fades"},
    {"viscous", TR_REAL, TR_DAMPING, offsetof(par, viscous), "0", .min = 0, .max = INFINITY,
     .doc = "c"},
    {"radius", TR_REAL, TR_LENGTH, offsetof(par, radius), "1", .positive = true,
     .doc = "r of the bearing; for angles only"},
    {"coordinate", TR_CHOICE, TR_NUMBER, offsetof(par, kind), "auto",
     .doc = "what slides; by default the joint's angle if it has one, else s",
     .choices = coordinate_names},
    {0}};

static const char *take(void *pv, int k, const tr_joint_type *joint) {
  (void)k;
  return coordinate_take(&((par *)pv)->kind, joint);
}

static const char *start(void *pv, int nd, const tr_frame *const *f) {
  par *p = pv;
  (void)nd, (void)f;
  if (isnan(p->mu_static)) p->mu_static = p->mu;
  if (p->load->constant && p->load->value < 0) return "load must not be negative";
  return p->kind == UNKNOWN ? "coordinate must be given with markers" : NULL;
}

// T(x', N) and its derivatives.
typedef struct friction {
  double T, by_rate, by_load;
} friction;

static friction look(const par *p, double rate, double N) {
  double r = p->kind == ANGLE ? p->radius : 1, v = r * rate;
  double y = v / p->stribeck, dip = (p->mu_static - p->mu) * exp(-y * y);
  double h = tanh(v / p->transition), mu = p->mu + dip;
  double slope = mu * (1 - h * h) / p->transition - 2 * y / p->stribeck * dip * h;
  return (friction){-r * (N * mu * h + p->viscous * v), -r * r * (N * slope + p->viscous),
                    -r * mu * h};
}

static friction look_here(int nd, const par *p, double t, const tr_frame *const *f) {
  double N = fmax(0, law_value(p->load, nd, t, f, NULL));
  return look(p, coordinate_rate(p->kind, nd, f), N);
}

static inline void eval(int nd, const par *p, double t, const tr_frame *const *f, const double *mem,
                        double *w) {
  (void)mem;
  memset(w + 2 * nd, 0, (size_t)((p->load->markers - 2) * nd) * sizeof *w);
  coordinate_pull(p->kind, nd, f, look_here(nd, p, t, f).T, w);
}

static inline void tangent(int nd, const par *p, double t, const tr_frame *const *f,
                           const double *mem, double *K, double *D) {
  double K0[144] = {0}, D0[144] = {0}, g[12];
  int n = p->load->markers * nd;
  law_slope s;
  (void)mem;
  law_derive(p->load, nd, t, f, NULL, &s);
  friction x = look(p, coordinate_rate(p->kind, nd, f), fmax(0, s.value));
  coordinate_pull_tangent(p->kind, nd, f, x.T, 0, x.by_rate, K0, D0);
  coordinate_pull(p->kind, nd, f, s.value > 0 ? x.by_load : 0, g);
  law_spread(2 * nd, n, K0, g, s.q, K);
  law_spread(2 * nd, n, D0, g, s.v, D);
}

static inline void measure(int nd, const par *p, double t, const tr_frame *const *f,
                           const double *mem, double *out) {
  (void)mem;
  out[1] = coordinate_rate(p->kind, nd, f);
  out[0] = look_here(nd, p, t, f).T;
}

static tr_quantity measure_quantity(const void *pv, int k) {
  bool angle = ((const par *)pv)->kind == ANGLE;
  if (k == 0) return angle ? TR_TORQUE : TR_FORCE;
  return angle ? TR_ANGULAR_VELOCITY : TR_VELOCITY;
}

static const char *const names[] = {"f", "rate", NULL};
FORCE_FUNCTIONS_OF_TIME(2, 3)
FORCE_FUNCTIONS_OF_TIME(3, 6)
static const tr_force_ops planar = {.uses_velocity = true,
                                    .uses_moments = true,
                                    .eval = eval2,
                                    .tangent = tangent2,
                                    .measure_names = names,
                                    .measure_quantity = measure_quantity,
                                    .measure = measure2};
static const tr_force_ops spatial = {.uses_velocity = true,
                                     .uses_moments = true,
                                     .eval = eval3,
                                     .tangent = tangent3,
                                     .measure_names = names,
                                     .measure_quantity = measure_quantity,
                                     .measure = measure3};

const tr_force_type tr_force_friction = {
    .name = "friction",
    .doc = "dry friction in a hinge or slide: regularised Coulomb with Stribeck's dip",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .joints = 1,
    .planar = &planar,
    .spatial = &spatial,
    .start = start,
    .take = take,
};
