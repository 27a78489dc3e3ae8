// SPDX-License-Identifier: Apache-2.0
// The bead, and a point that is led.
#include "helper_problems.h"

#include <math.h>
#include <string.h>

// ---- bead -------------------------------------------------------------------------------------------

// M = diag(2, 2 r^2), weight along -y, rail r = 1 + cos(phi) sin(t)/10.

static tr_status bead_mass(const tr_problem *p, const double *q, double *M) {
  (void)p;
  M[0] = 2, M[1] = M[2] = 0, M[3] = 2 * q[0] * q[0];
  return TR_OK;
}

static tr_status bead_mass_dq(const tr_problem *p, const double *q, const double *a, double *K) {
  (void)p;
  K[0] = K[1] = K[3] = 0, K[2] = 4 * q[0] * a[1];
  return TR_OK;
}

// Q from Lagrange: (2 r w^2 - V_r, -4 r r' w - V_phi), V = 2 g r sin(phi)
static tr_status bead_force(const tr_problem *p, double t, const double *q, const double *v,
                            double *Q) {
  (void)p, (void)t;
  Q[0] = 2 * q[0] * v[1] * v[1] - 6 * sin(q[1]);
  Q[1] = -4 * q[0] * v[0] * v[1] - 6 * q[0] * cos(q[1]);
  return TR_OK;
}

static tr_status bead_force_dq(const tr_problem *p, double t, const double *q, const double *v,
                               double *K) {
  (void)p, (void)t;
  K[0] = 2 * v[1] * v[1], K[1] = -6 * cos(q[1]);
  K[2] = -4 * v[0] * v[1] - 6 * cos(q[1]), K[3] = 6 * q[0] * sin(q[1]);
  return TR_OK;
}

static tr_status bead_force_dv(const tr_problem *p, double t, const double *q, const double *v,
                               double *K) {
  (void)p, (void)t;
  K[0] = 0, K[1] = 4 * q[0] * v[1], K[2] = -4 * q[0] * v[1], K[3] = -4 * q[0] * v[0];
  return TR_OK;
}

static tr_status bead_phi(const tr_problem *p, double t, const double *q, double *phi) {
  (void)p;
  phi[0] = q[0] - 1 - 0.1 * cos(q[1]) * sin(t);
  return TR_OK;
}

static tr_status bead_jac(const tr_problem *p, double t, const double *q, double *G) {
  (void)p;
  G[0] = 1, G[1] = 0.1 * sin(q[1]) * sin(t);
  return TR_OK;
}

static tr_status bead_phi_t(const tr_problem *p, double t, const double *q, double *phi_t) {
  (void)p;
  phi_t[0] = -0.1 * cos(q[1]) * cos(t);
  return TR_OK;
}

static tr_status bead_gamma(const tr_problem *p, double t, const double *q, const double *v,
                            double *gacc) {
  (void)p;
  gacc[0] = 0.1 * (cos(q[1]) * sin(t) * (v[1] * v[1] + 1) + 2 * sin(q[1]) * cos(t) * v[1]);
  return TR_OK;
}

static tr_status bead_geom(const tr_problem *p, double t, const double *q, const double *lam,
                           double *K) {
  (void)p;
  K[0] = K[1] = K[2] = 0, K[3] = lam[0] * 0.1 * cos(q[1]) * sin(t);
  return TR_OK;
}

static tr_status bead_energy(const tr_problem *p, double t, const double *q, const double *v,
                             double *kinetic, double *potential) {
  (void)p, (void)t;
  *kinetic = v[0] * v[0] + q[0] * q[0] * v[1] * v[1];
  *potential = 6 * q[0] * sin(q[1]);
  return TR_OK;
}

static const double bead_q0[2] = {1.2, 0.5};
const tr_problem bead = {.n = 2,
                         .m = 1,
                         .q0 = bead_q0,
                         .mass = bead_mass,
                         .force = bead_force,
                         .phi = bead_phi,
                         .jac = bead_jac,
                         .phi_t = bead_phi_t,
                         .gamma = bead_gamma,
                         .mass_dq = bead_mass_dq,
                         .force_dq = bead_force_dq,
                         .force_dv = bead_force_dv,
                         .geom = bead_geom,
                         .energy = bead_energy};

// ---- led ----------------------------------------------------------------------------------------------

tr_status unit_mass(const tr_problem *p, const double *q, double *M) {
  (void)p, (void)q;
  M[0] = 1;
  return TR_OK;
}

tr_status no_force(const tr_problem *p, double t, const double *q, const double *v, double *Q) {
  (void)p, (void)t, (void)q, (void)v;
  Q[0] = 0;
  return TR_OK;
}

tr_status refuses_late(const tr_problem *p, double t, const double *q, double *phi) {
  (void)p;
  phi[0] = q[0] - 1 - t;
  return t > 0.5 ? TR_FAILED : TR_OK;
}
