// SPDX-License-Identifier: Apache-2.0
// Point on line: B's point stays on the line through A along A's x axis (planar, 1 row) or A's z axis
// (spatial, 2 rows); B may turn freely. Coordinate: the way s along the line.
// Also called in-line.
#include "planar.h"
#include "primitive.h"

static const prim prims[] = {{DOT2, X, 0}, {DOT2, Y, 0}};
TR_PRIMITIVE_OPS(prims, 2)

static void eval2(const void *par, double t, const tr_frame *const *f, const double *mem,
                  const double *lam, double *phi, double *w) {
  (void)par, (void)t, (void)mem;
  line_eval(f, lam, phi, w);
}

static void jac2(const void *par, double t, const tr_frame *const *f, double *G) {
  (void)par, (void)t;
  line_jac(f, G);
}

static void geom2(const void *par, double t, const tr_frame *const *f, const double *lam,
                  double *K) {
  (void)par, (void)t;
  line_geom(f, lam[0], K);
}

static void gamma2(const void *par, double t, const tr_frame *const *f, double *out) {
  (void)par, (void)t;
  out[0] = line_gamma(f);
}

static void measure2(const void *par, double t, const tr_frame *const *f, const double *mem,
                     double *out) {
  (void)par, (void)t, (void)mem;
  out[0] = along_x(f);
}

static void measure3(const void *par, double t, const tr_frame *const *f, const double *mem,
                     double *out) {
  (void)par, (void)t, (void)mem;
  out[0] = way_along(f, Z);
}

static void rate2(const void *par, double t, const tr_frame *const *f, double *out) {
  (void)par, (void)t;
  out[0] = line_rate(f);
}

static void two2(const void *par, double t, const tr_frame *const *f, const double *mem,
                 const tr_joint_two *io) {
  (void)par, (void)t, (void)mem;
  line_two(f, io);
}

static const char *const names[] = {"s", NULL};
static const tr_joint_ops planar = {.rows = 1,
                                    .eval = eval2,
                                    .jac = jac2,
                                    .rate = rate2,
                                    .eval_two = two2,
                                    .geom = geom2,
                                    .gamma = gamma2,
                                    .measure_names = names,
                                    .measure = measure2};
static const tr_joint_ops spatial = {.rows = 2,
                                     .eval = eval3,
                                     .jac = jac3,
                                     .rate = rate3,
                                     .eval_two = two3,
                                     .geom = geom3,
                                     TR_MADE_OF(prims),
                                     .gamma = gamma3,
                                     .measure_names = names,
                                     .measure = measure3};

const tr_joint_type tr_joint_point_on_line = {
    .name = "point-on-line",
    .doc = "B's point stays on A's x axis in the plane, on A's z axis in space",
    .markers = 2,
    .planar = &planar,
    .spatial = &spatial,
};

const tr_joint_type tr_joint_in_line = {
    .name = "in-line",
    .doc = "another name for point-on-line",
    .markers = 2,
    .planar = &planar,
    .spatial = &spatial,
};
