// SPDX-License-Identifier: Apache-2.0
// Planar joint: B's point stays in A's xy plane and the z axes stay parallel (3 rows). Coordinates:
// x, y of B's point in A's axes and the angle about z.
#include "primitive.h"

static const prim prims[] = {{DOT2, Z, 0}, {DOT1, Z, X}, {DOT1, Z, Y}};
TR_PRIMITIVE_OPS(prims, 3)

static void measure(const void *par, double t, const tr_frame *const *f, const double *mem,
                    double *out) {
  (void)par;
  out[0] = way_along(f, X), out[1] = way_along(f, Y);
  out[2] = hinge_angle(f, t, mem);
}

static void accept(const void *par, double t, const tr_frame *const *f, double *mem) {
  (void)par;
  hinge_remember(f, t, mem);
}

static const char *const names[] = {"x", "y", "angle", NULL};
static const tr_joint_ops spatial = {.rows = 3,
                                     .eval = eval3,
                                     .jac = jac3,
                                     .rate = rate3,
                                     .eval_two = two3,
                                     .geom = geom3,
                                     TR_MADE_OF(prims),
                                     .gamma = gamma3,
                                     .measure_names = names,
                                     .measure = measure};

const tr_joint_type tr_joint_planar = {
    .name = "planar",
    .doc = "B moves in A's xy plane: its point stays there, its z axis parallel to A's",
    .markers = 2,
    .nmem = TURN_MEM,
    .spatial = &spatial,
    .accept = accept,
};
