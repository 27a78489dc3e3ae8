// SPDX-License-Identifier: Apache-2.0
// Prismatic joint. Planar: B slides along A's x axis without turning (2 rows: n . d = 0, equal
// angles). Spatial: B slides along A's z axis without turning (5 rows). Coordinate: the way s.
#include <math.h>

#include "planar.h"
#include "primitive.h"

// The three dots vanish together when the axes agree (or differ by half turns: the start decides).
static const prim prims[] = {{DOT2, X, 0}, {DOT2, Y, 0}, {DOT1, X, Y}, {DOT1, Y, Z}, {DOT1, Z, X}};
TR_PRIMITIVE_OPS(prims, 5)

typedef struct par {
  double angle;
} par;

static const tr_field fields[] = {{"angle", TR_REAL, TR_ANGLE, offsetof(par, angle), "0",
                                   .doc = "planar only: fixed angle of B relative to A"},
                                  {0}};

static void eval2(const void *pv, double t, const tr_frame *const *f, const double *mem,
                  const double *lam, double *phi, double *w) {
  (void)t, (void)mem;
  line_eval(f, lam, phi, w);
  phi[1] = f[1]->angle - f[0]->angle - ((const par *)pv)->angle;
  if (lam) w[2] += lam[1], w[5] -= lam[1];
}

static void jac2(const void *pv, double t, const tr_frame *const *f, double *G) {
  (void)pv, (void)t;
  line_jac(f, G);
  for (int i = 6; i < 12; i++) G[i] = 0;
  G[6 + 2] = -1, G[6 + 5] = 1;
}

static void geom2(const void *pv, double t, const tr_frame *const *f, const double *lam,
                  double *K) {
  (void)pv, (void)t;
  line_geom(f, lam[0], K);
}

static void gamma2(const void *pv, double t, const tr_frame *const *f, double *out) {
  (void)pv, (void)t;
  out[0] = line_gamma(f), out[1] = 0;
}

static void measure2(const void *pv, double t, const tr_frame *const *f, const double *mem,
                     double *out) {
  (void)pv, (void)t, (void)mem;
  out[0] = along_x(f);
}

static void measure3(const void *pv, double t, const tr_frame *const *f, const double *mem,
                     double *out) {
  (void)pv, (void)t, (void)mem;
  out[0] = way_along(f, Z);
}

static void rate2(const void *pv, double t, const tr_frame *const *f, double *out) {
  (void)pv, (void)t;
  out[0] = line_rate(f), out[1] = f[1]->w[2] - f[0]->w[2];
}

static void two2(const void *pv, double t, const tr_frame *const *f, const double *mem,
                 const tr_joint_two *io) {
  (void)t, (void)mem;
  line_two(f, io);
  io->phi[1] = f[1]->angle - f[0]->angle - ((const par *)pv)->angle;
  io->rate[1] = f[1]->w[2] - f[0]->w[2];
  io->w[2] += io->lam[1], io->w[5] = -io->lam[1];
  io->w2[2] += io->mu[1], io->w2[5] = -io->mu[1];
}

static const char *const names[] = {"s", NULL};
static const tr_joint_ops planar = {.rows = 2,
                                    .eval = eval2,
                                    .jac = jac2,
                                    .rate = rate2,
                                    .eval_two = two2,
                                    .geom = geom2,
                                    .gamma = gamma2,
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

const tr_joint_type tr_joint_prismatic = {
    .name = "prismatic",
    .doc = "slides without turning, along A's x axis in the plane, along A's z axis in space",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .planar = &planar,
    .spatial = &spatial,
};
