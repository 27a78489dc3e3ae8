// SPDX-License-Identifier: Apache-2.0
// Constant-velocity joint: the points coincide, and B turns against A without twist (4 rows):
//   phi = x_A . y_B - y_A . x_B,   -2 n_z sin(angle) of the turn from A to B about the axis n,
// so n stays in A's xy plane (and B's). The shafts are the z axes; both turn about themselves
// equally fast at any bend below 180 degrees, since then G u = 0 says (w_B - w_A).(z_A + z_B) = 0.
//
// Made of the rows of two perpendicular axes: the last one is their difference.
#include <math.h>

#include "primitive.h"

static const prim prims[] = {{POINT, 0, 0}, {DOT1, X, Y}, {DOT1, Y, X}};
enum { PRIMS = 3, ROWS = 4 };

static void split(const double *lam, double *five) {
  memcpy(five, lam, ROWS * sizeof *five);
  five[4] = -lam[3];
}

static void eval(const void *par, double t, const tr_frame *const *f, const double *mem,
                 const double *lam, double *phi, double *w) {
  (void)par, (void)t, (void)mem;
  double five[5], rows[5];
  if (lam) split(lam, five);
  prim_eval(prims, PRIMS, f, lam ? five : NULL, rows, w);
  memcpy(phi, rows, ROWS * sizeof *phi);
  phi[3] -= rows[4];
}

static void jac(const void *par, double t, const tr_frame *const *f, double *G) {
  (void)par, (void)t;
  double rows[5 * 12];
  prim_jac(prims, PRIMS, 5, f, rows);
  memcpy(G, rows, ROWS * 12 * sizeof *G);
  for (int j = 0; j < 12; j++) G[3 * 12 + j] -= rows[4 * 12 + j];
}

static void geom(const void *par, double t, const tr_frame *const *f, const double *lam,
                 double *K) {
  (void)par, (void)t;
  double five[5];
  split(lam, five);
  prim_geom(prims, PRIMS, f, five, K);
}

static void gamma3(const void *par, double t, const tr_frame *const *f, double *out) {
  (void)par, (void)t;
  double rows[5];
  prim_gamma(prims, PRIMS, f, rows);
  memcpy(out, rows, ROWS * sizeof *out);
  out[3] -= rows[4];
}

static void rate(const void *par, double t, const tr_frame *const *f, double *out) {
  (void)par, (void)t;
  double rows[5];
  prim_rate(prims, PRIMS, f, rows);
  memcpy(out, rows, ROWS * sizeof *out);
  out[3] -= rows[4];
}

// The angle between the shafts.
static void measure(const void *par, double t, const tr_frame *const *f, const double *mem,
                    double *out) {
  (void)par, (void)t, (void)mem;
  double a[3], b[3], c[3];
  m3_axis(f[0]->R, Z, a), m3_axis(f[1]->R, Z, b);
  v3_cross(a, b, c);
  out[0] = atan2(v3_norm(c), v3_dot(a, b));
}

static const char *const names[] = {"bend", NULL};
static const tr_joint_ops spatial = {.rows = ROWS,
                                     .eval = eval,
                                     .jac = jac,
                                     .rate = rate,
                                     .geom = geom,
                                     .gamma = gamma3,
                                     .measure_names = names,
                                     .measure = measure};

const tr_joint_type tr_joint_constant_velocity = {
    .name = "constant-velocity",
    .doc = "points coincide; the shafts, the z axes, turn equally fast whatever the bend",
    .markers = 2,
    .spatial = &spatial,
};
