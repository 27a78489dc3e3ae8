// SPDX-License-Identifier: Apache-2.0
// Orientation: the frames' axes stay parallel, the points are free. Planar 1 row, spatial 3.
#include "planar.h"
#include "primitive.h"

static const prim prims[] = {{DOT1, X, Y}, {DOT1, Y, Z}, {DOT1, Z, X}};
TR_PRIMITIVE_OPS(prims, 3)

static void eval2(const void *par, double t, const tr_frame *const *f, const double *mem,
                  const double *lam, double *phi, double *w) {
  (void)par, (void)t, (void)mem;
  phi[0] = f[1]->angle - f[0]->angle;
  if (lam) w[0] = w[1] = w[3] = w[4] = 0, w[2] = lam[0], w[5] = -lam[0];
}

static void jac2(const void *par, double t, const tr_frame *const *f, double *G) {
  (void)par, (void)t, (void)f;
  G[0] = G[1] = G[3] = G[4] = 0, G[2] = -1, G[5] = 1;
}

static void rate2(const void *par, double t, const tr_frame *const *f, double *out) {
  (void)par, (void)t;
  out[0] = f[1]->w[2] - f[0]->w[2];
}

static const tr_joint_ops planar = {.rows = 1, .eval = eval2, .jac = jac2, .rate = rate2};
static const tr_joint_ops spatial = {.rows = 3,
                                     .eval = eval3,
                                     .jac = jac3,
                                     .rate = rate3,
                                     .eval_two = two3,
                                     .geom = geom3,
                                     TR_MADE_OF(prims),
                                     .gamma = gamma3};

const tr_joint_type tr_joint_orientation = {
    .name = "orientation",
    .doc = "the axes stay parallel, the points are free",
    .markers = 2,
    .planar = &planar,
    .spatial = &spatial,
    .anywhere = true,
};
