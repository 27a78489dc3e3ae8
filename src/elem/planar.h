// SPDX-License-Identifier: Apache-2.0
// Pieces shared by planar joints: coincident points, and a point on a line of frame A.
//
// Displacements in order (dx, dy, dt)_A, (dx, dy, dt)_B; d = p_B - p_A; a = A's x axis, n = z x a.
//   points  phi = d                G = (-1, 0 | 1, 0), no stiffness of its own
//   line    phi = n . d            G = (-n, -a.d | n, 0),   dn = -a dt_A, da = n dt_A
//   angle   phi = t_B - t_A - t0   G = (0, -1 | 0, 1)
#ifndef TR_PLANAR_H
#define TR_PLANAR_H

#include <string.h>

#include "elem.h"
#include "math/lanes.h"

static inline void points_eval(const tr_frame *const *f, const double *lam, double *phi,
                               double *w) {
  phi[0] = f[1]->p[0] - f[0]->p[0], phi[1] = f[1]->p[1] - f[0]->p[1];
  if (lam) w[0] = lam[0], w[1] = lam[1], w[2] = 0, w[3] = -lam[0], w[4] = -lam[1], w[5] = 0;
}

static inline void points_jac(double *G) {
  memset(G, 0, 12 * sizeof *G);
  G[0] = G[7] = -1, G[3] = G[10] = 1;
}

TR_INLINE void difference2(const double *b, const double *a, double *out) {
  *(lanes_pair *)out = *(const lanes_pair *)b - *(const lanes_pair *)a;
}

// Where wrenches on both frames are is found once for both multipliers; one of W and W2 tells how far these are apart.
TR_INLINE void pull_points(const tr_link *l, const tr_joint_run *io) {
  int size = io->lam ? io->W.size : io->W2.size;
  size_t A = (size_t)l->frame[0] * (size_t)size, B = (size_t)l->frame[1] * (size_t)size;
  if (io->lam) {
    lanes_pair x = *(const lanes_pair *)(io->lam + l->row);
    *(lanes_pair *)(io->W.first + A) = x, *(lanes_pair *)(io->W.first + B) = -x;
  }
  if (io->mu) {
    lanes_pair x = *(const lanes_pair *)(io->mu + l->row);
    *(lanes_pair *)(io->W2.first + A) = x, *(lanes_pair *)(io->W2.first + B) = -x;
  }
}

// What io has is known where it is called: nothing is asked in the loop.
TR_INLINE void points_all(int n, const tr_link *l, tr_frames frame, tr_joint_run io) {
  for (; n > 0; n--, l++) {
    const tr_frame *A = tr_frame_at(frame, l->frame[0]), *B = tr_frame_at(frame, l->frame[1]);
    if (io.phi) difference2(B->p, A->p, io.phi + l->row);
    if (io.rate) difference2(B->v, A->v, io.rate + l->row);
    if (io.lam || io.mu) pull_points(l, &io);
  }
}

static inline void points_run(int n, const tr_link *l, double t, tr_frames frame,
                              const tr_joint_run *io) {
  (void)t;
  if (io->phi && io->rate && io->lam && io->mu)
    points_all(n, l, frame, *io);
  else if (io->phi && io->lam && !io->rate && !io->mu)
    points_all(n, l, frame, (tr_joint_run){.lam = io->lam, .phi = io->phi, .W = io->W});
  else
    points_all(n, l, frame, *io);
}

static inline void points_rate(const tr_frame *const *f, double *out) {
  out[0] = f[1]->v[0] - f[0]->v[0], out[1] = f[1]->v[1] - f[0]->v[1];
}

static inline void line_eval(const tr_frame *const *f, const double *lam, double *phi, double *w) {
  double ax = f[0]->R[0], ay = f[0]->R[3];
  double dx = f[1]->p[0] - f[0]->p[0], dy = f[1]->p[1] - f[0]->p[1];
  phi[0] = -ay * dx + ax * dy;
  if (!lam) return;
  w[0] = -lam[0] * ay, w[1] = lam[0] * ax, w[2] = lam[0] * (ax * dx + ay * dy);
  w[3] = lam[0] * ay, w[4] = -lam[0] * ax, w[5] = 0;
}

static inline void line_jac(const tr_frame *const *f, double *G) {
  double ax = f[0]->R[0], ay = f[0]->R[3];
  double dx = f[1]->p[0] - f[0]->p[0], dy = f[1]->p[1] - f[0]->p[1];
  G[0] = ay, G[1] = -ax, G[2] = -(ax * dx + ay * dy), G[3] = -ay, G[4] = ax, G[5] = 0;
}

static inline void line_geom(const tr_frame *const *f, double lam, double *K) {
  double ax = lam * f[0]->R[0], ay = lam * f[0]->R[3];
  double dx = f[1]->p[0] - f[0]->p[0], dy = f[1]->p[1] - f[0]->p[1];
  K[2] += ax, K[6 + 2] += ay;       // d(-n)/dt = a
  K[18 + 2] -= ax, K[24 + 2] -= ay; // d(n)/dt = -a
  K[12] += ax, K[12 + 1] += ay;     // -a.d by p_A
  K[12 + 3] -= ax, K[12 + 4] -= ay; // and by p_B
  K[12 + 2] -= -ay * dx + ax * dy;  // and by t_A: -n.d
}

// n.d' - w a.d
static inline double line_rate(const tr_frame *const *f) {
  double ax = f[0]->R[0], ay = f[0]->R[3];
  double dx = f[1]->p[0] - f[0]->p[0], dy = f[1]->p[1] - f[0]->p[1];
  double vx = f[1]->v[0] - f[0]->v[0], vy = f[1]->v[1] - f[0]->v[1];
  return -ay * vx + ax * vy - f[0]->w[2] * (ax * dx + ay * dy);
}

// line_eval with lam and with mu, and line_rate.
static inline void line_two(const tr_frame *const *f, const tr_joint_two *io) {
  double ax = f[0]->R[0], ay = f[0]->R[3], lam = io->lam[0], mu = io->mu[0];
  double *w = io->w, *w2 = io->w2;
  double dx = f[1]->p[0] - f[0]->p[0], dy = f[1]->p[1] - f[0]->p[1];
  double vx = f[1]->v[0] - f[0]->v[0], vy = f[1]->v[1] - f[0]->v[1], along = ax * dx + ay * dy;
  io->phi[0] = -ay * dx + ax * dy;
  io->rate[0] = -ay * vx + ax * vy - f[0]->w[2] * along;
  w[0] = -lam * ay, w[1] = lam * ax, w[2] = lam * along, w[3] = lam * ay, w[4] = -lam * ax,
  w[5] = 0;
  w2[0] = -mu * ay, w2[1] = mu * ax, w2[2] = mu * along, w2[3] = mu * ay, w2[4] = -mu * ax,
  w2[5] = 0;
}

// d/dt of G u, frames not accelerating: -2 w a.d' - w^2 n.d
static inline double line_gamma(const tr_frame *const *f) {
  double ax = f[0]->R[0], ay = f[0]->R[3], w = f[0]->w[2];
  double dx = f[1]->p[0] - f[0]->p[0], dy = f[1]->p[1] - f[0]->p[1];
  double vx = f[1]->v[0] - f[0]->v[0], vy = f[1]->v[1] - f[0]->v[1];
  return -2 * w * (ax * vx + ay * vy) - w * w * (-ay * dx + ax * dy);
}

// Distance of B along A's x axis.
static inline double along_x(const tr_frame *const *f) {
  return f[0]->R[0] * (f[1]->p[0] - f[0]->p[0]) + f[0]->R[3] * (f[1]->p[1] - f[0]->p[1]);
}

#endif
