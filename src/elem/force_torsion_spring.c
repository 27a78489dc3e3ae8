// SPDX-License-Identifier: Apache-2.0
// Rotational spring-damper-actuator about the z axis.
//
//   T = -k (x - x0) - c x' + T0,   x the angle of B about A's z axis, forward on B; T0 a law
// In space meant for frames whose z axes stay together. Whole turns count: the spatial angle is continued
// from step to step.
#include "coordinate.h"
#include "force.h"
#include "law.h"

typedef struct par {
  double stiffness, damping, free_angle;
  const tr_law *torque;
} par;

static const tr_variable variables[] = {
    {"angle", TR_ANGLE, "of B about A's z axis"}, {"rate", TR_ANGULAR_VELOCITY, "its rate"}, {0}};
static const tr_field fields[] = {
    {"stiffness", TR_REAL, TR_TORSION_STIFFNESS, offsetof(par, stiffness), "0", .min = 0,
     .max = INFINITY, .doc = "k"},
    {"damping", TR_REAL, TR_TORSION_DAMPING, offsetof(par, damping), "0", .min = 0, .max = INFINITY,
     .doc = "c"},
    {"free-angle", TR_REAL, TR_ANGLE, offsetof(par, free_angle), "0",
     .doc = "angle without torque"},
    {"torque", TR_LAW, TR_TORQUE, offsetof(par, torque), "0",
     .doc = "actuator torque, turns B forward against A; a law, also of angle and rate",
     .variables = variables},
    {0}};

static inline double torque(int nd, const par *p, double t, const tr_frame *const *f, double x,
                            double rate) {
  const double variable[] = {x, rate};
  return -p->stiffness * (x - p->free_angle) - p->damping * rate +
         law_value(p->torque, nd, t, f, variable);
}

static inline void eval(int nd, const par *p, double t, const tr_frame *const *f, const double *mem,
                        double *w) {
  double x = coordinate_value(ANGLE, nd, t, f, mem), rate = coordinate_rate(ANGLE, nd, f);
  for (int i = 2 * nd; i < p->torque->markers * nd; i++) w[i] = 0;
  coordinate_pull(ANGLE, nd, f, torque(nd, p, t, f, x, rate), w);
}

static inline void tangent(int nd, const par *p, double t, const tr_frame *const *f,
                           const double *mem, double *K, double *D) {
  double x = coordinate_value(ANGLE, nd, t, f, mem), rate = coordinate_rate(ANGLE, nd, f);
  double T = torque(nd, p, t, f, x, rate);
  if (p->torque->constant && p->torque->markers == 2) {
    coordinate_pull_tangent(ANGLE, nd, f, T, -p->stiffness, -p->damping, K, D);
    return;
  }
  law_slope s;
  const double variable[] = {x, rate};
  double K0[144] = {0}, D0[144] = {0}, g[12];
  int n = p->torque->markers * nd;
  law_derive(p->torque, nd, t, f, variable, &s);
  coordinate_pull_tangent(ANGLE, nd, f, T, s.variable[0] - p->stiffness, s.variable[1] - p->damping,
                          K0, D0);
  coordinate_gradient(ANGLE, nd, f, g);
  law_spread(2 * nd, n, K0, g, s.q, K);
  law_spread(2 * nd, n, D0, g, s.v, D);
}

// A constant actuator torque has the potential -T0 x; of a law nothing is known.
static inline double potential(int nd, const par *p, double t, const tr_frame *const *f,
                               const double *mem) {
  double x = coordinate_value(ANGLE, nd, t, f, mem), y = x - p->free_angle;
  return 0.5 * p->stiffness * y * y - (p->torque->constant ? p->torque->value * x : 0);
}

static inline void measure(int nd, const par *p, double t, const tr_frame *const *f,
                           const double *mem, double *out) {
  out[1] = coordinate_value(ANGLE, nd, t, f, mem), out[2] = coordinate_rate(ANGLE, nd, f);
  out[0] = torque(nd, p, t, f, out[1], out[2]);
}

static void accept(const void *pv, double t, const tr_frame *const *f, double *mem) {
  (void)pv;
  hinge_remember(f, t, mem);
}

static const char *const names[] = {"f", "angle", "rate", NULL};
FORCE_FUNCTIONS_OF_TIME(2, 3)
FORCE_FUNCTIONS_OF_TIME(3, 6)
FORCE_POTENTIAL_OF_TIME(2, 3)
FORCE_POTENTIAL_OF_TIME(3, 6)
static const tr_force_ops planar = {.uses_velocity = true,
                                    .uses_moments = true,
                                    .eval = eval2,
                                    .tangent = tangent2,
                                    .potential = potential2,
                                    .measure_names = names,
                                    .measure = measure2};
static const tr_force_ops spatial = {.uses_velocity = true,
                                     .uses_moments = true,
                                     .eval = eval3,
                                     .tangent = tangent3,
                                     .potential = potential3,
                                     .measure_names = names,
                                     .measure = measure3};

static const char *take(void *pv, int k, const tr_joint_type *joint) {
  int kind = ANGLE;
  (void)pv, (void)k;
  return coordinate_take(&kind, joint);
}

static bool passive(const void *pv) { return law_is_zero(((const par *)pv)->torque); }

const tr_force_type tr_force_torsion_spring = {
    .name = "torsion-spring",
    .doc = "rotational spring, damper and actuator about the z axis",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .joints = 1,
    .nmem = TURN_MEM,
    .planar = &planar,
    .spatial = &spatial,
    .accept = accept,
    .take = take,
    .passive = passive,
    .anywhere = true,
};
