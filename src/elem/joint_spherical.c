// SPDX-License-Identifier: Apache-2.0
// Spherical joint: the points coincide. Planar (2 rows) it is a revolute joint; spatial 3 rows.
#include "math/lanes.h"
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

// Three numbers as two and one.
TR_INLINE lanes_pair two_at(const double *x) { return *(const lanes_pair *)x; }

TR_INLINE void apart(const double *a, const double *b, double *out) {
  lanes_pair two = two_at(b) - two_at(a);
  double one = b[2] - a[2];
  *(lanes_pair *)out = two, out[2] = one;
}

TR_INLINE void pull(const double *lam, const tr_link *l, tr_wrenches W) {
  lanes_pair two = two_at(lam + l->row);
  double one = lam[l->row + 2];
  double *A = tr_wrench_at(W, l->frame[0]), *B = tr_wrench_at(W, l->frame[1]);
  *(lanes_pair *)A = two, A[2] = one;
  *(lanes_pair *)B = -two, B[2] = -one;
}

TR_INLINE void run_some(int n, const tr_link *l, tr_frames frame, double *phi, double *rate,
                        const double *lam, tr_wrenches W, const double *mu, tr_wrenches W2) {
  for (; n > 0; n--, l++) {
    const tr_frame *A = tr_frame_at(frame, l->frame[0]), *B = tr_frame_at(frame, l->frame[1]);
    if (phi) apart(A->p, B->p, phi + l->row);
    if (rate) apart(A->v, B->v, rate + l->row);
    if (lam) pull(lam, l, W);
    if (mu) pull(mu, l, W2);
  }
}

// What is asked for most often is known where it is compiled.
static void run3(int n, const tr_link *l, double t, tr_frames frame, const tr_joint_run *io) {
  const tr_wrenches W = io->W, W2 = io->W2;
  (void)t;
  if (io->phi && io->lam && !io->rate && !io->mu)
    run_some(n, l, frame, io->phi, NULL, io->lam, W, NULL, W2);
  else if (io->phi && io->lam && io->rate && io->mu)
    run_some(n, l, frame, io->phi, io->rate, io->lam, W, io->mu, W2);
  else
    run_some(n, l, frame, io->phi, io->rate, io->lam, W, io->mu, W2);
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
