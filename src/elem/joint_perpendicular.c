// SPDX-License-Identifier: Apache-2.0
// Perpendicular axes: B's z axis stays perpendicular to A's (1 row); the points are free.
#include "primitive.h"

static const prim prims[] = {{DOT1, Z, Z}};
TR_PRIMITIVE_OPS(prims, 1)

static const tr_joint_ops spatial = {.rows = 1,
                                     .eval = eval3,
                                     .jac = jac3,
                                     .rate = rate3,
                                     .eval_two = two3,
                                     .geom = geom3,
                                     TR_MADE_OF(prims),
                                     .gamma = gamma3};

const tr_joint_type tr_joint_perpendicular = {
    .name = "perpendicular",
    .doc = "the z axes stay perpendicular",
    .markers = 2,
    .spatial = &spatial,
    .anywhere = true,
};
