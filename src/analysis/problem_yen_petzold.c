// SPDX-License-Identifier: Apache-2.0
// Highly oscillatory problems of [YP98]: a slow motion on a constraint, stiff forces around it.
//
//   linear    point on the unit circle, f = -(x, k (y + 1))/eps: k is the stiffness across the circle over
//             that along it
//   spring    point on the unit circle, spring 1/eps^2 of free length 0.4 from (0, -0.5)
//   bushing   a body (x, y, theta), its centre on the unit circle about the body before, theta = 0 by a
//             constraint; a bushing between (0.5, 0) there and (-0.5, 0) here, stiffness k/eps along x, which is
//             across the circle, else 1/eps, damping 1
// Equilibria: the bottom; of the body the angle f with tan f = -eps, the least of (1 - cos f)/eps + sin f.
// Unit mass, inertia and gravity. The point starts at (0.04471, -0.999) at rest; the body at the same angle
// from its equilibrium. (The paper leaves the body's data open but for orders of magnitude.)
#include <math.h>
#include <string.h>

#include "problems.h"

static const double point[] = {0.04471, -0.999}, body[] = {0.999, 0.04471, 0};
static const double L0 = 0.4, ARM = 0.5;

static tr_status mass(const tr_problem *p, const double *q, double *M) {
  (void)q;
  memset(M, 0, (size_t)(p->n * p->n) * sizeof *M);
  for (int i = 0; i < p->n; i++) M[i * (p->n + 1)] = 1;
  return TR_OK;
}

// ---- the circle, and theta = 0 where there is one ---------------------------------------------------

static tr_status phi(const tr_problem *p, double t, const double *q, double *out) {
  (void)t;
  out[0] = q[0] * q[0] + q[1] * q[1] - 1;
  if (p->m > 1) out[1] = q[2];
  return TR_OK;
}

static tr_status jac(const tr_problem *p, double t, const double *q, double *G) {
  (void)t;
  memset(G, 0, (size_t)(p->n * p->m) * sizeof *G);
  G[0] = 2 * q[0], G[1] = 2 * q[1];
  if (p->m > 1) G[5] = 1;
  return TR_OK;
}

static tr_status phi_t(const tr_problem *p, double t, const double *q, double *out) {
  (void)t, (void)q;
  memset(out, 0, (size_t)p->m * sizeof *out);
  return TR_OK;
}

static tr_status gacc(const tr_problem *p, double t, const double *q, const double *v,
                      double *out) {
  (void)t, (void)q;
  out[0] = 2 * (v[0] * v[0] + v[1] * v[1]);
  if (p->m > 1) out[1] = 0;
  return TR_OK;
}

static tr_status geom(const tr_problem *p, double t, const double *q, const double *lam,
                      double *K) {
  (void)t, (void)q;
  memset(K, 0, (size_t)(p->n * p->n) * sizeof *K);
  K[0] = K[p->n + 1] = 2 * lam[0];
  return TR_OK;
}

static tr_status no_damping(const tr_problem *p, double t, const double *q, const double *v,
                            double *Qv) {
  (void)t, (void)q, (void)v;
  memset(Qv, 0, (size_t)(p->n * p->n) * sizeof *Qv);
  return TR_OK;
}

static double kinetic_of(const tr_problem *p, const double *v) {
  double sum = 0;
  for (int i = 0; i < p->n; i++) sum += v[i] * v[i];
  return 0.5 * sum;
}

// ---- linear -----------------------------------------------------------------------------------------

static tr_status linear(const tr_problem *p, double t, const double *q, const double *v,
                        double *Q) {
  const tr_stiff_problem *s = (const tr_stiff_problem *)p;
  (void)t, (void)v;
  Q[0] = -q[0] / s->eps, Q[1] = -s->k * (q[1] + 1) / s->eps - 1;
  return TR_OK;
}

static tr_status linear_dq(const tr_problem *p, double t, const double *q, const double *v,
                           double *K) {
  const tr_stiff_problem *s = (const tr_stiff_problem *)p;
  (void)t, (void)q, (void)v;
  K[0] = -1 / s->eps, K[1] = K[2] = 0, K[3] = -s->k / s->eps;
  return TR_OK;
}

static tr_status linear_energy(const tr_problem *p, double t, const double *q, const double *v,
                               double *kinetic, double *potential) {
  const tr_stiff_problem *s = (const tr_stiff_problem *)p;
  (void)t;
  *kinetic = kinetic_of(p, v);
  *potential = 0.5 * (q[0] * q[0] + s->k * (q[1] + 1) * (q[1] + 1)) / s->eps + q[1];
  return TR_OK;
}

// ---- spring -----------------------------------------------------------------------------------------

static tr_status spring(const tr_problem *p, double t, const double *q, const double *v,
                        double *Q) {
  const tr_stiff_problem *s = (const tr_stiff_problem *)p;
  (void)t, (void)v;
  double x = q[0], y = q[1] + 0.5, f = -(1 - L0 / hypot(x, y)) / (s->eps * s->eps);
  Q[0] = f * x, Q[1] = f * y - 1;
  return TR_OK;
}

static tr_status spring_dq(const tr_problem *p, double t, const double *q, const double *v,
                           double *K) {
  const tr_stiff_problem *s = (const tr_stiff_problem *)p;
  (void)t, (void)v;
  double x = q[0], y = q[1] + 0.5, l = hypot(x, y), stiff = 1 / (s->eps * s->eps);
  double f = -stiff * (1 - L0 / l), g = -stiff * L0 / (l * l * l);
  K[0] = f + g * x * x, K[1] = K[2] = g * x * y, K[3] = f + g * y * y;
  return TR_OK;
}

static tr_status spring_energy(const tr_problem *p, double t, const double *q, const double *v,
                               double *kinetic, double *potential) {
  const tr_stiff_problem *s = (const tr_stiff_problem *)p;
  (void)t;
  double longer = hypot(q[0], q[1] + 0.5) - L0;
  *kinetic = kinetic_of(p, v);
  *potential = 0.5 * longer * longer / (s->eps * s->eps) + q[1];
  return TR_OK;
}

// ---- bushing ----------------------------------------------------------------------------------------

// On the body's point r - ARM (cos, sin): force f; on its turning the same stiffness and damping.
static tr_status bushing(const tr_problem *p, double t, const double *q, const double *v,
                         double *Q) {
  const tr_stiff_problem *s = (const tr_stiff_problem *)p;
  (void)t;
  double c = ARM * cos(q[2]), d = ARM * sin(q[2]);
  double fx = -s->k * (q[0] - c - ARM) / s->eps - (v[0] + d * v[2]);
  double fy = -(q[1] - d) / s->eps - (v[1] - c * v[2]);
  Q[0] = fx, Q[1] = fy - 1;
  Q[2] = d * fx - c * fy - q[2] / s->eps - v[2];
  return TR_OK;
}

static tr_status bushing_dq(const tr_problem *p, double t, const double *q, const double *v,
                            double *K) {
  const tr_stiff_problem *s = (const tr_stiff_problem *)p;
  (void)t;
  double c = ARM * cos(q[2]), d = ARM * sin(q[2]), k = 1 / s->eps, kx = s->k * k;
  double fx = -kx * (q[0] - c - ARM) - (v[0] + d * v[2]), fy = -k * (q[1] - d) - (v[1] - c * v[2]);
  double fx_th = -kx * d - c * v[2], fy_th = k * c - d * v[2];
  const double rows[] = {-kx,     0,     fx_th, //
                         0,       -k,    fy_th, //
                         -kx * d, k * c, c * fx + d * fx_th + d * fy - c * fy_th - k};
  memcpy(K, rows, sizeof rows);
  return TR_OK;
}

static tr_status bushing_dv(const tr_problem *p, double t, const double *q, const double *v,
                            double *D) {
  (void)p, (void)t, (void)v;
  double c = ARM * cos(q[2]), d = ARM * sin(q[2]);
  const double rows[] = {-1, 0, -d, 0, -1, c, -d, c, -d * d - c * c - 1};
  memcpy(D, rows, sizeof rows);
  return TR_OK;
}

static tr_status bushing_energy(const tr_problem *p, double t, const double *q, const double *v,
                                double *kinetic, double *potential) {
  const tr_stiff_problem *s = (const tr_stiff_problem *)p;
  (void)t;
  double x = q[0] - ARM * cos(q[2]) - ARM, y = q[1] - ARM * sin(q[2]);
  *kinetic = kinetic_of(p, v);
  *potential = 0.5 * (s->k * x * x + y * y + q[2] * q[2]) / s->eps + q[1];
  return TR_OK;
}

// ---- the problems -----------------------------------------------------------------------------------

tr_stiff_problem tr_problem_stiff(tr_stiff_kind kind, double eps, double k) {
  tr_stiff_problem s = {.p = {.n = 2,
                              .m = 1,
                              .q0 = point,
                              .constant_mass = true,
                              .mass = mass,
                              .phi = phi,
                              .jac = jac,
                              .phi_t = phi_t,
                              .gamma = gacc,
                              .geom = geom,
                              .force_dv = no_damping},
                        .eps = eps,
                        .k = k};
  switch (kind) {
    case TR_STIFF_LINEAR:
      s.p.force = linear, s.p.force_dq = linear_dq, s.p.energy = linear_energy;
      s.rest = -1;
      break;
    case TR_STIFF_SPRING:
      s.p.force = spring, s.p.force_dq = spring_dq, s.p.energy = spring_energy;
      s.rest = 0.5 * (0.5 - L0) * (0.5 - L0) / (eps * eps) - 1;
      break;
    case TR_STIFF_BUSHING:
      s.p.n = 3, s.p.m = 2, s.p.q0 = body;
      s.p.force = bushing, s.p.force_dq = bushing_dq, s.p.force_dv = bushing_dv;
      s.p.energy = bushing_energy;
      s.rest = -eps / (1 + sqrt(1 + eps * eps));
      break;
  }
  return s;
}
