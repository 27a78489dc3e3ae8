// SPDX-License-Identifier: Apache-2.0
// Cylindrical joint: B slides along A's z axis and turns about it (4 rows: the point on the line,
// the z axes parallel). Coordinates: the angle about z, the way s along z.
#include "primitive.h"

static const prim prims[] = {{DOT2, X, 0}, {DOT2, Y, 0}, {DOT1, Z, X}, {DOT1, Z, Y}};
TR_PRIMITIVE_OPS(prims, 4)

static void measure(const void *par, double t, const tr_frame *const *f, const double *mem,
                    double *out) {
  (void)par;
  out[0] = hinge_angle(f, t, mem);
  out[1] = way_along(f, Z);
}

static void accept(const void *par, double t, const tr_frame *const *f, double *mem) {
  (void)par;
  hinge_remember(f, t, mem);
}

static const char *const names[] = {"angle", "s", NULL};
static const tr_joint_ops spatial = {.rows = 4,
                                     .eval = eval3,
                                     .jac = jac3,
                                     .rate = rate3,
                                     .eval_two = two3,
                                     .geom = geom3,
                                     TR_MADE_OF(prims),
                                     .gamma = gamma3,
                                     .measure_names = names,
                                     .measure = measure};

const tr_joint_type tr_joint_cylindrical = {
    .name = "cylindrical",
    .doc = "slides along A's z axis and turns about it",
    .markers = 2,
    .nmem = TURN_MEM,
    .spatial = &spatial,
    .accept = accept,
};
