// SPDX-License-Identifier: Apache-2.0
// Revolute joint. Planar: the points coincide (2 rows). Spatial: the points and the z axes coincide
// (5 rows: d = 0, z_A . x_B = 0, z_A . y_B = 0). Coordinate: the angle from A to B about z.
#include "planar.h"
#include "primitive.h"

static const prim prims[] = {{POINT, 0, 0}, {DOT1, Z, X}, {DOT1, Z, Y}};
TR_PRIMITIVE_OPS(prims, 5)

static void eval2(const void *par, double t, const tr_frame *const *f, const double *mem,
                  const double *lam, double *phi, double *w) {
  (void)par, (void)t, (void)mem;
  points_eval(f, lam, phi, w);
}

static void jac2(const void *par, double t, const tr_frame *const *f, double *G) {
  (void)par, (void)t, (void)f;
  points_jac(G);
}

static void measure2(const void *par, double t, const tr_frame *const *f, const double *mem,
                     double *out) {
  (void)par, (void)t, (void)mem;
  out[0] = f[1]->angle - f[0]->angle;
}

static void measure3(const void *par, double t, const tr_frame *const *f, const double *mem,
                     double *out) {
  (void)par;
  out[0] = hinge_angle(f, t, mem);
}

static void accept(const void *par, double t, const tr_frame *const *f, double *mem) {
  (void)par;
  hinge_remember(f, t, mem);
}

static void rate2(const void *par, double t, const tr_frame *const *f, double *out) {
  (void)par, (void)t;
  points_rate(f, out);
}

static const char *const names[] = {"angle", NULL};
static const tr_joint_ops planar = {.rows = 2,
                                    .sight = TR_JOINS_POINTS,
                                    .eval = eval2,
                                    .jac = jac2,
                                    .rate = rate2,
                                    .eval_run = points_run,
                                    .measure_names = names,
                                    .measure = measure2};
static const tr_joint_ops spatial = {.rows = 5,
                                     .eval = eval3,
                                     .jac = jac3,
                                     .rate = rate3,
                                     .eval_two = two3,
                                     .geom = geom3,
                                     TR_MADE_OF(prims),
                                     .gamma = gamma3,
                                     .measure_names = names,
                                     .measure = measure3};

const tr_joint_type tr_joint_revolute = {
    .name = "revolute",
    .doc = "hinge: points coincide; in space the z axes too",
    .markers = 2,
    .nmem = TURN_MEM,
    .planar = &planar,
    .spatial = &spatial,
    .accept = accept,
};
