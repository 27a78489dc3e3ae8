// SPDX-License-Identifier: Apache-2.0
// Point on plane: B's point stays in A's xy plane (1 row), B may turn freely. Coordinates: x, y of
// the point in A's axes. Also called in-plane.
#include "primitive.h"

static const prim prims[] = {{DOT2, Z, 0}};
TR_PRIMITIVE_OPS(prims, 1)

static void measure(const void *par, double t, const tr_frame *const *f, const double *mem,
                    double *out) {
  (void)par, (void)t, (void)mem;
  out[0] = way_along(f, X), out[1] = way_along(f, Y);
}

static const char *const names[] = {"x", "y", NULL};
static const tr_joint_ops spatial = {.rows = 1,
                                     .eval = eval3,
                                     .jac = jac3,
                                     .rate = rate3,
                                     .eval_two = two3,
                                     .geom = geom3,
                                     TR_MADE_OF(prims),
                                     .gamma = gamma3,
                                     .measure_names = names,
                                     .measure = measure};

const tr_joint_type tr_joint_point_on_plane = {
    .name = "point-on-plane",
    .doc = "B's point stays in A's xy plane",
    .markers = 2,
    .spatial = &spatial,
};

const tr_joint_type tr_joint_in_plane = {
    .name = "in-plane",
    .doc = "another name for point-on-plane",
    .markers = 2,
    .spatial = &spatial,
};
