// SPDX-License-Identifier: Apache-2.0
// Fixed joint: the two frames coincide. Planar 3 rows, spatial 6.
#include "planar.h"
#include "primitive.h"

static const prim prims[] = {{POINT, 0, 0}, {DOT1, X, Y}, {DOT1, Y, Z}, {DOT1, Z, X}};
TR_PRIMITIVE_OPS(prims, 6)

static void eval2(const void *par, double t, const tr_frame *const *f, const double *mem,
                  const double *lam, double *phi, double *w) {
  (void)par, (void)t, (void)mem;
  points_eval(f, lam, phi, w);
  phi[2] = f[1]->angle - f[0]->angle;
  if (lam) w[2] += lam[2], w[5] -= lam[2];
}

static void jac2(const void *par, double t, const tr_frame *const *f, double *G) {
  (void)par, (void)t, (void)f;
  points_jac(G);
  for (int i = 12; i < 18; i++) G[i] = 0;
  G[12 + 2] = -1, G[12 + 5] = 1;
}

static void rate2(const void *par, double t, const tr_frame *const *f, double *out) {
  (void)par, (void)t;
  points_rate(f, out);
  out[2] = f[1]->w[2] - f[0]->w[2];
}

static const tr_joint_ops planar = {.rows = 3, .eval = eval2, .jac = jac2, .rate = rate2};
static const tr_joint_ops spatial = {.rows = 6,
                                     .eval = eval3,
                                     .jac = jac3,
                                     .rate = rate3,
                                     .eval_two = two3,
                                     .geom = geom3,
                                     TR_MADE_OF(prims),
                                     .gamma = gamma3};

const tr_joint_type tr_joint_fixed = {
    .name = "fixed",
    .doc = "the two frames coincide",
    .markers = 2,
    .planar = &planar,
    .spatial = &spatial,
    .anywhere = true,
};
