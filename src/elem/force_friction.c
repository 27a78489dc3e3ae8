// SPDX-License-Identifier: Apache-2.0
// Dry friction in a joint, against its coordinate's rate: Coulomb with Stribeck's dip, regularised.
//
//   v = r x' (angle, r the bearing's radius)  or  x' (way s)
//   F = -N (mu + (mu_s - mu) exp(-(v/v_s)^2)) tanh(v/v_0) - c v,   on B; torque r F about the hinge
// N is a given load, not the joint's reaction, so the force depends on velocities alone. The tanh
// makes it smooth: a joint at rest creeps below about v_0, which should be small against the speeds
// of interest.
#include "coordinate.h"
#include "force.h"

typedef struct par {
  int kind;
  double load, mu, mu_static, stribeck, transition, viscous, radius;
} par;

static const tr_field fields[] = {
    {"load", TR_REAL, TR_FORCE, offsetof(par, load), .min = 0, .max = INFINITY,
     .doc = "N, what presses the surfaces together"},
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
  return p->kind == UNKNOWN ? "coordinate must be given with markers" : NULL;
}

// T(x') and its derivative.
static double law(const par *p, double rate, double *slope) {
  double r = p->kind == ANGLE ? p->radius : 1, v = r * rate;
  double y = v / p->stribeck, dip = (p->mu_static - p->mu) * exp(-y * y);
  double h = tanh(v / p->transition), mu = p->mu + dip;
  *slope =
      -r * r *
      (p->load * (mu * (1 - h * h) / p->transition - 2 * y / p->stribeck * dip * h) + p->viscous);
  return -r * (p->load * mu * h + p->viscous * v);
}

static inline void eval(int nd, const par *p, const tr_frame *const *f, const double *mem,
                        double *w) {
  double slope;
  (void)mem;
  coordinate_pull(p->kind, nd, f, law(p, coordinate_rate(p->kind, nd, f), &slope), w);
}

static inline void tangent(int nd, const par *p, const tr_frame *const *f, const double *mem,
                           double *K, double *D) {
  double slope, T = law(p, coordinate_rate(p->kind, nd, f), &slope);
  (void)mem;
  coordinate_pull_tangent(p->kind, nd, f, T, 0, slope, K, D);
}

static inline void measure(int nd, const par *p, const tr_frame *const *f, const double *mem,
                           double *out) {
  double slope;
  (void)mem;
  out[1] = coordinate_rate(p->kind, nd, f);
  out[0] = law(p, out[1], &slope);
}

static const char *const names[] = {"f", "rate", NULL};
FORCE_FUNCTIONS(2, 3)
FORCE_FUNCTIONS(3, 6)
static const tr_force_ops planar = {.uses_velocity = true,
                                    .uses_moments = true,
                                    .eval = eval2,
                                    .tangent = tangent2,
                                    .measure_names = names,
                                    .measure = measure2};
static const tr_force_ops spatial = {.uses_velocity = true,
                                     .uses_moments = true,
                                     .eval = eval3,
                                     .tangent = tangent3,
                                     .measure_names = names,
                                     .measure = measure3};

const tr_force_type tr_force_friction = {
    .name = "friction",
    .doc = "dry friction in a hinge or slide: regularised Coulomb with Stribeck's dip, given load",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .joints = 1,
    .planar = &planar,
    .spatial = &spatial,
    .start = start,
    .take = take,
};
