// SPDX-License-Identifier: Apache-2.0
// Slider crank of [WHTC07], q = (theta, phi, x, y): crank angle, rod angle, mass on the rod.
//
//   M = diag(J1, J2, m, m),   Q = (0, 0, 0, -m g)
//   Phi = (r cos th + L1 cos ph - x,  r sin th + L1 sin ph - y,  (L - L1) sin ph + y)
// The start is the printed one; its four digits leave |Phi| = 4e-5, which belongs to the published
// numbers.
#include <math.h>
#include <string.h>

#include "problems.h"

static const double L = 0.5, L1 = 0.3, r = 0.3, g = 10, m = 1, J1 = 0.045, J2 = 33.0 / 4800;
static const double q0[] = {0.9851, -0.5236, 0.4256, 0.1};

static tr_status mass(const tr_problem *p, const double *q, double *M) {
  (void)p, (void)q;
  memset(M, 0, 16 * sizeof *M);
  M[0] = J1, M[5] = J2, M[10] = m, M[15] = m;
  return TR_OK;
}

static tr_status force(const tr_problem *p, double t, const double *q, const double *v, double *Q) {
  (void)p, (void)t, (void)q, (void)v;
  Q[0] = Q[1] = Q[2] = 0, Q[3] = -m * g;
  return TR_OK;
}

static tr_status no_tangent(const tr_problem *p, double t, const double *q, const double *v,
                            double *K) {
  (void)p, (void)t, (void)q, (void)v;
  memset(K, 0, 16 * sizeof *K);
  return TR_OK;
}

static tr_status phi(const tr_problem *p, double t, const double *q, double *out) {
  (void)p, (void)t;
  out[0] = r * cos(q[0]) + L1 * cos(q[1]) - q[2];
  out[1] = r * sin(q[0]) + L1 * sin(q[1]) - q[3];
  out[2] = (L - L1) * sin(q[1]) + q[3];
  return TR_OK;
}

static tr_status jac(const tr_problem *p, double t, const double *q, double *G) {
  (void)p, (void)t;
  const double rows[] = {-r * sin(q[0]),
                         -L1 * sin(q[1]),
                         -1,
                         0, //
                         r * cos(q[0]),
                         L1 * cos(q[1]),
                         0,
                         -1, //
                         0,
                         (L - L1) * cos(q[1]),
                         0,
                         1};
  memcpy(G, rows, sizeof rows);
  return TR_OK;
}

static tr_status phi_t(const tr_problem *p, double t, const double *q, double *out) {
  (void)p, (void)t, (void)q;
  out[0] = out[1] = out[2] = 0;
  return TR_OK;
}

static tr_status gacc(const tr_problem *p, double t, const double *q, const double *v,
                      double *out) {
  (void)p, (void)t;
  double a = v[0] * v[0], b = v[1] * v[1];
  out[0] = -r * cos(q[0]) * a - L1 * cos(q[1]) * b;
  out[1] = -r * sin(q[0]) * a - L1 * sin(q[1]) * b;
  out[2] = -(L - L1) * sin(q[1]) * b;
  return TR_OK;
}

static tr_status geom(const tr_problem *p, double t, const double *q, const double *lam,
                      double *K) {
  (void)p, (void)t;
  memset(K, 0, 16 * sizeof *K);
  K[0] = -r * (cos(q[0]) * lam[0] + sin(q[0]) * lam[1]);
  K[5] = -L1 * (cos(q[1]) * lam[0] + sin(q[1]) * lam[1]) - (L - L1) * sin(q[1]) * lam[2];
  return TR_OK;
}

static tr_status energy(const tr_problem *p, double t, const double *q, const double *v,
                        double *kinetic, double *potential) {
  (void)p, (void)t;
  *kinetic = 0.5 * (J1 * v[0] * v[0] + J2 * v[1] * v[1] + m * (v[2] * v[2] + v[3] * v[3]));
  *potential = m * g * q[3];
  return TR_OK;
}

const tr_problem tr_problem_slider_crank = {.n = 4,
                                            .m = 3,
                                            .q0 = q0,
                                            .constant_mass = true,
                                            .mass = mass,
                                            .force = force,
                                            .phi = phi,
                                            .jac = jac,
                                            .phi_t = phi_t,
                                            .gamma = gacc,
                                            .force_dq = no_tangent,
                                            .force_dv = no_tangent,
                                            .geom = geom,
                                            .energy = energy};
