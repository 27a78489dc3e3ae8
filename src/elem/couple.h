// SPDX-License-Identifier: Apache-2.0
// One row on the coordinates of two joints:  phi = r_1 x_1 + r_2 x_2 - c.
//
// Frames 0, 1 are the first joint's, 2, 3 the second's. The parameters of a type begin with a
// `couple`; COUPLE_OPS writes the functions. mem counts the turns of two angles in space,
//   x_k = a_k + 2 pi n_k,  phi = r_1 a_1 + r_2 a_2 - c + 2 pi (r_1 n_1 + r_2 n_2),
// whole turns among themselves, so that phi stays as sharp after a million turns as in the first. One
// angle against a way needs no count: phi is taken modulo whole turns.
#ifndef TR_COUPLE_H
#define TR_COUPLE_H

#include "coordinate.h"

typedef struct couple {
  int kind[2]; // coordinate_kind
  double scale[2], offset;
} couple;

static inline void couple_eval(const couple *c, int nd, double t, const tr_frame *const *f,
                               const double *mem, const double *lam, double *phi, double *w) {
  double turns = 0;
  phi[0] = -c->offset;
  for (int k = 0; k < 2; k++) {
    if (nd == 6 && c->kind[k] == ANGLE) {
      double angle = angle_about_z(f[2 * k], f[2 * k + 1]);
      phi[0] += c->scale[k] * angle;
      turns += c->scale[k] * turns_of(angle, t, mem + k * TURN_MEM);
    } else {
      phi[0] += c->scale[k] * coordinate_value(c->kind[k], nd, t, f + 2 * k, NULL);
    }
    if (!lam) continue;
    double *g = w + 2 * nd * k;
    coordinate_gradient(c->kind[k], nd, f + 2 * k, g);
    for (int i = 0; i < 2 * nd; i++) g[i] *= -lam[0] * c->scale[k];
  }
  phi[0] += 2 * TR_PI * turns;
  for (int k = 0; k < 2 && nd == 6; k++)
    if (c->kind[k] == ANGLE && c->kind[1 - k] != ANGLE && c->scale[k] != 0)
      phi[0] = remainder(phi[0], 2 * TR_PI * c->scale[k]);
}

static inline void couple_jac(const couple *c, int nd, const tr_frame *const *f, double *G) {
  for (int k = 0; k < 2; k++, G += 2 * nd) {
    coordinate_gradient(c->kind[k], nd, f + 2 * k, G);
    for (int i = 0; i < 2 * nd; i++) G[i] *= c->scale[k];
  }
}

static inline void couple_geom(const couple *c, int nd, const tr_frame *const *f, double lam,
                               double *K) {
  double H[144];
  int n = 2 * nd;
  for (int k = 0; k < 2; k++) {
    coordinate_hessian(c->kind[k], nd, f + 2 * k, H);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        K[2 * n * (n * k + i) + n * k + j] += lam * c->scale[k] * H[n * i + j];
  }
}

static inline double couple_gamma(const couple *c, int nd, const tr_frame *const *f) {
  double sum = 0;
  for (int k = 0; k < 2; k++) sum += c->scale[k] * coordinate_bias(c->kind[k], nd, f + 2 * k);
  return sum;
}

static inline double couple_rate(const couple *c, int nd, const tr_frame *const *f) {
  double sum = 0;
  for (int k = 0; k < 2; k++) sum += c->scale[k] * coordinate_rate(c->kind[k], nd, f + 2 * k);
  return sum;
}

// couple_eval with lam and with mu, and couple_rate.
static inline void couple_two(const couple *c, int nd, double t, const tr_frame *const *f,
                              const double *mem, const tr_joint_two *io) {
  double sum = 0;
  couple_eval(c, nd, t, f, mem, NULL, io->phi, NULL);
  for (int k = 0; k < 2; k++) {
    double g[12], u[12], along = 0, *w = io->w + 2 * nd * k, *w2 = io->w2 + 2 * nd * k;
    coordinate_gradient(c->kind[k], nd, f + 2 * k, g);
    twists(nd, f + 2 * k, u);
    for (int i = 0; i < 2 * nd; i++) {
      along += g[i] * u[i];
      w[i] = g[i] * (-io->lam[0] * c->scale[k]), w2[i] = g[i] * (-io->mu[0] * c->scale[k]);
    }
    sum += c->scale[k] * along;
  }
  io->rate[0] = sum;
}

// The offset that closes the row at the start, where nothing has turned yet.
static inline double couple_offset(const couple *c, int nd, const tr_frame *const *f) {
  static const double none[2 * TURN_MEM] = {0};
  double phi, unused[24];
  couple zero = *c;
  zero.offset = 0;
  couple_eval(&zero, nd, 0, f, none, NULL, &phi, unused);
  return phi;
}

static inline void couple_accept(const couple *c, double t, const tr_frame *const *f, double *mem) {
  for (int k = 0; k < 2; k++)
    if (c->kind[k] == ANGLE) hinge_remember(f + 2 * k, t, mem + k * TURN_MEM);
}

#define COUPLE_REALISATION(d, nd)                                                           \
  static void eval##d(const void *p, double t, const tr_frame *const *f, const double *mem, \
                      const double *lam, double *phi, double *w) {                          \
    couple_eval(p, nd, t, f, mem, lam, phi, w);                                             \
  }                                                                                         \
  static void jac##d(const void *p, double t, const tr_frame *const *f, double *G) {        \
    (void)t;                                                                                \
    couple_jac(p, nd, f, G);                                                                \
  }                                                                                         \
  static void geom##d(const void *p, double t, const tr_frame *const *f, const double *lam, \
                      double *K) {                                                          \
    (void)t;                                                                                \
    couple_geom(p, nd, f, lam[0], K);                                                       \
  }                                                                                         \
  static void gamma##d(const void *p, double t, const tr_frame *const *f, double *out) {    \
    (void)t;                                                                                \
    out[0] = couple_gamma(p, nd, f);                                                        \
  }                                                                                         \
  static void rate##d(const void *p, double t, const tr_frame *const *f, double *out) {     \
    (void)t;                                                                                \
    out[0] = couple_rate(p, nd, f);                                                         \
  }                                                                                         \
  static void two##d(const void *p, double t, const tr_frame *const *f, const double *mem,  \
                     const tr_joint_two *io) {                                              \
    couple_two(p, nd, t, f, mem, io);                                                       \
  }                                                                                         \
  static const tr_joint_ops ops##d = {.rows = 1,                                            \
                                      .eval = eval##d,                                      \
                                      .jac = jac##d,                                        \
                                      .geom = geom##d,                                      \
                                      .gamma = gamma##d,                                    \
                                      .rate = rate##d,                                      \
                                      .eval_two = two##d};

#define COUPLE_OPS                                                                     \
  COUPLE_REALISATION(2, 3)                                                             \
  COUPLE_REALISATION(3, 6)                                                             \
  static void accept(const void *p, double t, const tr_frame *const *f, double *mem) { \
    couple_accept(p, t, f, mem);                                                       \
  }

#endif
