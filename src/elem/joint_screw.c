// SPDX-License-Identifier: Apache-2.0
// Screw joint: B turns about A's z axis and moves along it by `pitch` for every turn (5 rows: those
// of the cylindrical joint, then s - k x - c with k = pitch/2 pi, modulo the pitch: the way says
// how often it turned). Coordinates: the angle x, the way s.
#include "coordinate.h"

static const prim prims[] = {{DOT2, X, 0}, {DOT2, Y, 0}, {DOT1, Z, X}, {DOT1, Z, Y}};
enum { PRIMS = 4, ROWS = 5 };

typedef struct par {
  double pitch, offset;
} par;

static const tr_field fields[] = {{"pitch", TR_REAL, TR_LENGTH, offsetof(par, pitch),
                                   .doc = "way for a whole turn; positive: right-handed"},
                                  {"offset", TR_REAL, TR_LENGTH, offsetof(par, offset), "auto",
                                   .doc = "way when the angle is 0; by default from the start"},
                                  {0}};

static double slope(const void *pv) { return ((const par *)pv)->pitch / (2 * TR_PI); }

static const char *start(void *pv, int nd, const tr_frame *const *f) {
  par *p = pv;
  (void)nd;
  if (p->pitch == 0) return "pitch is zero";
  if (isnan(p->offset)) p->offset = way_along(f, Z) - slope(p) * angle_about_z(f[0], f[1]);
  return NULL;
}

static void gradient(const void *pv, const tr_frame *const *f, double *G) {
  double g[12], k = slope(pv);
  coordinate_gradient(WAY, 6, f, G), coordinate_gradient(ANGLE, 6, f, g);
  for (int i = 0; i < 12; i++) G[i] -= k * g[i];
}

static void eval(const void *pv, double t, const tr_frame *const *f, const double *mem,
                 const double *lam, double *phi, double *w) {
  (void)t, (void)mem;
  const par *p = pv;
  prim_eval(prims, PRIMS, f, lam, phi, w);
  phi[4] = way_along(f, Z) - slope(p) * angle_about_z(f[0], f[1]) - p->offset;
  phi[4] = remainder(phi[4], p->pitch);
  if (!lam) return;
  double g[12];
  gradient(pv, f, g);
  for (int i = 0; i < 12; i++) w[i] -= lam[4] * g[i];
}

static void jac(const void *pv, double t, const tr_frame *const *f, double *G) {
  (void)t;
  prim_jac(prims, PRIMS, 4, f, G);
  gradient(pv, f, G + 48);
}

static void geom(const void *pv, double t, const tr_frame *const *f, const double *lam, double *K) {
  (void)t;
  double H[144], k = slope(pv);
  prim_geom(prims, PRIMS, f, lam, K);
  coordinate_hessian(WAY, 6, f, H);
  for (int i = 0; i < 144; i++) K[i] += lam[4] * H[i];
  coordinate_hessian(ANGLE, 6, f, H);
  for (int i = 0; i < 144; i++) K[i] -= k * lam[4] * H[i];
}

static void gamma3(const void *pv, double t, const tr_frame *const *f, double *out) {
  (void)t;
  prim_gamma(prims, PRIMS, f, out);
  out[4] = coordinate_bias(WAY, 6, f) - slope(pv) * coordinate_bias(ANGLE, 6, f);
}

static void rate(const void *pv, double t, const tr_frame *const *f, double *out) {
  (void)t;
  prim_rate(prims, PRIMS, f, out);
  out[4] = coordinate_rate(WAY, 6, f) - slope(pv) * coordinate_rate(ANGLE, 6, f);
}

// eval with lam and with mu, and rate.
static void two(const void *pv, double t, const tr_frame *const *f, const double *mem,
                const tr_joint_two *io) {
  (void)t, (void)mem;
  const par *p = pv;
  double g[12], u[12], along = 0;
  prim_two(prims, PRIMS, f, io);
  io->phi[4] = way_along(f, Z) - slope(p) * angle_about_z(f[0], f[1]) - p->offset;
  io->phi[4] = remainder(io->phi[4], p->pitch);
  gradient(pv, f, g);
  twists(6, f, u);
  for (int i = 0; i < 12; i++) {
    along += g[i] * u[i];
    io->w[i] -= io->lam[4] * g[i], io->w2[i] -= io->mu[4] * g[i];
  }
  io->rate[4] = along;
}

static void measure(const void *pv, double t, const tr_frame *const *f, const double *mem,
                    double *out) {
  (void)pv;
  out[0] = hinge_angle(f, t, mem), out[1] = way_along(f, Z);
}

static void accept(const void *pv, double t, const tr_frame *const *f, double *mem) {
  (void)pv;
  hinge_remember(f, t, mem);
}

static const char *const names[] = {"angle", "s", NULL};
static const tr_joint_ops spatial = {.rows = ROWS,
                                     .eval = eval,
                                     .jac = jac,
                                     .rate = rate,
                                     .eval_two = two,
                                     .geom = geom,
                                     .gamma = gamma3,
                                     .measure_names = names,
                                     .measure = measure};

const tr_joint_type tr_joint_screw = {
    .name = "screw",
    .doc = "turns about A's z axis and moves along it, pitch for every turn",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .nmem = TURN_MEM,
    .spatial = &spatial,
    .start = start,
    .accept = accept,
};
