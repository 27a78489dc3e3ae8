// SPDX-License-Identifier: Apache-2.0
// Spherical joint: the points coincide. Planar (2 rows) it is a revolute joint; spatial 3 rows.
#include "planar.h"
#include "primitive.h"

static void eval2(const void *par, double t, const tr_frame *const *f, const double *mem,
                  const double *lam, double *phi, double *w) {
  (void)par, (void)t, (void)mem;
  points_eval(f, lam, phi, w);
}

static void jac2(const void *par, double t, const tr_frame *const *f, double *G) {
  (void)par, (void)t, (void)f;
  points_jac(G);
}

static void eval3(const void *par, double t, const tr_frame *const *f, const double *mem,
                  const double *lam, double *phi, double *w) {
  (void)par, (void)t, (void)mem;
  v3_sub(f[1]->p, f[0]->p, phi);
  if (!lam) return;
  for (int i = 0; i < 3; i++) w[i] = lam[i], w[6 + i] = -lam[i], w[3 + i] = w[9 + i] = 0;
}

static void jac3(const void *par, double t, const tr_frame *const *f, double *G) {
  (void)par, (void)t, (void)f;
  memset(G, 0, 36 * sizeof *G);
  for (int i = 0; i < 3; i++) G[12 * i + i] = -1, G[12 * i + 6 + i] = 1;
}

static void rate2(const void *par, double t, const tr_frame *const *f, double *out) {
  (void)par, (void)t;
  points_rate(f, out);
}

static void pull(const double *lam, const tr_link *l, double *W) {
  v3_copy(lam + l->row, W + 6 * l->frame[0]);
  v3_scale(-1, lam + l->row, W + 6 * l->frame[1]);
}

static void run3(int n, const tr_link *l, double t, tr_frames frame, const tr_joint_run *io) {
  (void)t;
  for (; n > 0; n--, l++) {
    const tr_frame *A = tr_frame_at(frame, l->frame[0]), *B = tr_frame_at(frame, l->frame[1]);
    if (io->phi) v3_sub(B->p, A->p, io->phi + l->row);
    if (io->rate) v3_sub(B->v, A->v, io->rate + l->row);
    if (io->lam) pull(io->lam, l, io->W);
    if (io->mu) pull(io->mu, l, io->W2);
  }
}

static void rate3(const void *par, double t, const tr_frame *const *f, double *out) {
  (void)par, (void)t;
  v3_sub(f[1]->v, f[0]->v, out);
}

static const tr_joint_ops planar = {.rows = 2,
                                    .sight = TR_JOINS_POINTS,
                                    .eval = eval2,
                                    .jac = jac2,
                                    .rate = rate2,
                                    .eval_run = points_run};
static const tr_joint_ops spatial = {.rows = 3,
                                     .sight = TR_JOINS_POINTS,
                                     .eval = eval3,
                                     .jac = jac3,
                                     .rate = rate3,
                                     .eval_run = run3};

const tr_joint_type tr_joint_spherical = {
    .name = "spherical",
    .doc = "ball joint: the points coincide",
    .markers = 2,
    .planar = &planar,
    .spatial = &spatial,
};
