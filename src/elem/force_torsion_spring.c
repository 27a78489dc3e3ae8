// SPDX-License-Identifier: Apache-2.0
// Rotational spring-damper-actuator about the z axis.
//
//   T = -k (x - x0) - c x' + T0,   x the angle of B about A's z axis, forward on B
// In space meant for frames whose z axes stay together. Whole turns count: the spatial angle is continued
// from step to step (mem[0]).
#include "coordinate.h"
#include "force.h"

typedef struct par {
  double stiffness, damping, free_angle, torque;
} par;

static const tr_field fields[] = {
    {"stiffness", TR_REAL, TR_TORSION_STIFFNESS, offsetof(par, stiffness), "0", .min = 0,
     .max = INFINITY, .doc = "k"},
    {"damping", TR_REAL, TR_TORSION_DAMPING, offsetof(par, damping), "0", .min = 0, .max = INFINITY,
     .doc = "c"},
    {"free-angle", TR_REAL, TR_ANGLE, offsetof(par, free_angle), "0",
     .doc = "angle without torque"},
    {"torque", TR_REAL, TR_TORQUE, offsetof(par, torque), "0",
     .doc = "actuator torque, turns B forward against A"},
    {0}};

static double law(const par *p, double x, double rate) {
  return -p->stiffness * (x - p->free_angle) - p->damping * rate + p->torque;
}

static inline void eval(int nd, const par *p, const tr_frame *const *f, const double *mem,
                        double *w) {
  double x = coordinate_value(ANGLE, nd, f, mem), rate = coordinate_rate(ANGLE, nd, f);
  coordinate_pull(ANGLE, nd, f, law(p, x, rate), w);
}

static inline void tangent(int nd, const par *p, const tr_frame *const *f, const double *mem,
                           double *K, double *D) {
  double x = coordinate_value(ANGLE, nd, f, mem), rate = coordinate_rate(ANGLE, nd, f);
  coordinate_pull_tangent(ANGLE, nd, f, law(p, x, rate), -p->stiffness, -p->damping, K, D);
}

static inline double potential(int nd, const par *p, const tr_frame *const *f, const double *mem) {
  double x = coordinate_value(ANGLE, nd, f, mem), y = x - p->free_angle;
  return 0.5 * p->stiffness * y * y - p->torque * x;
}

static inline void measure(int nd, const par *p, const tr_frame *const *f, const double *mem,
                           double *out) {
  out[1] = coordinate_value(ANGLE, nd, f, mem), out[2] = coordinate_rate(ANGLE, nd, f);
  out[0] = law(p, out[1], out[2]);
}

static void accept(const void *pv, double t, const tr_frame *const *f, double *mem) {
  (void)pv, (void)t;
  mem[0] = coordinate_remember(ANGLE, f, mem[0]);
}

static const char *const names[] = {"f", "angle", "rate", NULL};
FORCE_FUNCTIONS(2, 3)
FORCE_FUNCTIONS(3, 6)
FORCE_POTENTIAL(2, 3)
FORCE_POTENTIAL(3, 6)
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

const tr_force_type tr_force_torsion_spring = {
    .name = "torsion-spring",
    .doc = "rotational spring, damper and actuator about the z axis",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .joints = 1,
    .nmem = 1,
    .planar = &planar,
    .spatial = &spatial,
    .accept = accept,
    .take = take,
};
