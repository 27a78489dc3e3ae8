// SPDX-License-Identifier: Apache-2.0
// Parallel axes: B's z axis stays parallel to A's (2 rows); the points are free.
#include "primitive.h"

static const prim prims[] = {{DOT1, Z, X}, {DOT1, Z, Y}};
TR_PRIMITIVE_OPS(prims, 2)

static const tr_joint_ops spatial = {.rows = 2,
                                     .eval = eval3,
                                     .jac = jac3,
                                     .rate = rate3,
                                     .eval_two = two3,
                                     .geom = geom3,
                                     TR_MADE_OF(prims),
                                     .gamma = gamma3};

const tr_joint_type tr_joint_parallel = {
    .name = "parallel",
    .doc = "the z axes stay parallel",
    .markers = 2,
    .spatial = &spatial,
    .anywhere = true,
};
