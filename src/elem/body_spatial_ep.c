// SPDX-License-Identifier: Apache-2.0
// Spatial rigid body in Euler parameters [WHTC07]: q = (r, e), v = (r', e'), constraint e.e - 1 = 0.
//
// The rotation is that of e/|e|, so it is one also off the constraint, with n = e.e
//   L(e) = [-eps, e0 1 - [eps]],   L(e) y = -L(y) e,   L e = 0,   L L' = n 1
//   w = P e',  P = 2 L(e)/n,   (P y)_e = -2 (L(y) + (P y) e')/n,   beta = -s w,  s = 2 (e.e')/n
// (e' in a product of columns is the transpose). P' J P has e in its null space. Added is the kinetic
// energy c (e.e')^2/2 = c/2 (n'/2)^2: mass c e e', force -c e (e'.e'). On the constraint the two
// cancel, and joints pull on w alone, so the multiplier of e.e - 1 vanishes and the motion does not
// depend on c; it is 4/3 tr J, the mean of the others.
// cache: R (9), P (3 x 4), 1/n.
#include <math.h>

#include "chart.h"
#include "math/v3.h"

enum { N = 4, NV = 7 };

static double dot4(const double *a, const double *b) { return a[0] * b[0] + v3_dot(a + 1, b + 1); }

static double radial(const tr_body_at *b) {
  const double *J = ((const tr_spatial_par *)b->par)->inertia;
  return 4.0 / 3 * (J[0] + J[4] + J[8]);
}

// e' = e (0, w)/2
static void set_rates(const double *e, const double *w, double *et) {
  quat_mul(e, w, et);
  for (int i = 0; i < N; i++) et[i] *= 0.5;
}

static void start(const void *pv, double *q, double *v) {
  const tr_spatial_par *p = pv;
  double w[4] = {0};
  tr_spatial_start(p, q, v, w + 1);
  m3_to_quat(p->orientation, q + 3);
  quat_normalise(q + 3);
  set_rates(q + 3, w, v + 3);
}

// s L(e)
static void make_L(double s, const double *e, double *L) {
  double S[9];
  m3_skew(e + 1, S);
  for (int i = 0; i < 3; i++) {
    L[N * i] = -s * e[1 + i];
    for (int j = 0; j < 3; j++) L[N * i + 1 + j] = s * ((i == j ? e[0] : 0) - S[3 * i + j]);
  }
}

static void place(const tr_body_at *b) {
  const double *e = b->q + 3;
  double in = 1 / dot4(e, e), u[4];
  for (int i = 0; i < N; i++) u[i] = e[i] * sqrt(in);
  quat_to_m3(u, b->cache);
  make_L(2 * in, e, b->cache + TR_CHART_P);
  b->cache[TR_CHART_OWN] = in;
}

// w = 2 L(e) y/n
static void turning(const double *e, const double *y, double *w) {
  double L[3 * N];
  make_L(2 / dot4(e, e), e, L);
  for (int i = 0; i < 3; i++) w[i] = dot4(L + N * i, y);
}

static double carry(const double *q, const double *d, double *q1, double *v) {
  double w[3], w0[4] = {0}, u[4] = {q[3], q[4], q[5], q[6]};
  turning(u, d + 3, w);
  if (v) turning(u, v + 3, w0 + 1);
  quat_normalise(u);
  double turn = tr_chart_turn(u, w, q1 + 3);
  if (v) set_rates(q1 + 3, w0, v + 3);
  for (int i = 0; i < 3; i++) q1[i] = q[i] + d[i];
  return turn;
}

static void map_dx(const tr_body_at *b, const double *y, double *out) {
  const double *e = b->q + 3, *P = b->cache + TR_CHART_P;
  double in = b->cache[TR_CHART_OWN];
  make_L(-2 * in, y, out);
  for (int i = 0; i < 3; i++) {
    double Py = dot4(P + N * i, y);
    for (int j = 0; j < N; j++) out[N * i + j] -= 2 * in * Py * e[j];
  }
}

// P' tau = 2 T e/n with T = [0, -tau'; tau, -[tau]]
static void pull_dx(const tr_body_at *b, const double *tau, double *out) {
  const double *e = b->q + 3, *P = b->cache + TR_CHART_P;
  double in = b->cache[TR_CHART_OWN], S[9];
  m3_skew(tau, S);
  out[0] = 0;
  for (int i = 0; i < 3; i++) {
    out[1 + i] = -2 * in * tau[i];
    out[N * (1 + i)] = 2 * in * tau[i];
    for (int j = 0; j < 3; j++) out[N * (1 + i) + 1 + j] = -2 * in * S[3 * i + j];
  }
  for (int i = 0; i < N; i++) {
    double Pt = P[i] * tau[0] + P[N + i] * tau[1] + P[2 * N + i] * tau[2];
    for (int j = 0; j < N; j++) out[N * i + j] -= 2 * in * Pt * e[j];
  }
}

// beta = -s w:  s_e = 2 (e' - s e)/n,  s_e' = 2 e/n
static void bias_d(const tr_body_at *b, double *Bx, double *Bv) {
  const double *e = b->q + 3, *et = b->v + 3, *P = b->cache + TR_CHART_P;
  double in = b->cache[TR_CHART_OWN], s = 2 * in * dot4(e, et);
  map_dx(b, et, Bx);
  for (int i = 0; i < 3; i++) {
    double w = dot4(P + N * i, et);
    for (int j = 0; j < N; j++) {
      Bx[N * i + j] = -s * Bx[N * i + j] - 2 * in * w * (et[j] - s * e[j]);
      Bv[N * i + j] = -s * P[N * i + j] - 2 * in * w * e[j];
    }
  }
}

const tr_chart tr_chart_ep = {N, place, map_dx, pull_dx, bias_d};

// ---- the radial part --------------------------------------------------------------------------------

// The block of e in a nv x nv matrix += s (a b' + d 1)
static void add_outer(double s, const double *a, const double *b, double d, double *K) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) K[NV * (3 + i) + 3 + j] += s * (a[i] * b[j] + (i == j ? d : 0));
}

static void mass(const tr_body_at *b, double *M) {
  tr_chart_mass(b, M);
  add_outer(radial(b), b->q + 3, b->q + 3, 0, M);
}

static void add_mass_dq(const tr_body_at *b, const double *a, double *K) {
  tr_chart_add_mass_dq(b, a, K);
  add_outer(radial(b), b->q + 3, a + 3, dot4(b->q + 3, a + 3), K);
}

static void add_force(const tr_body_at *b, const double g[3], double *Q) {
  const double *et = b->v + 3;
  double f = radial(b) * dot4(et, et);
  tr_chart_add_force(b, g, Q);
  for (int i = 0; i < N; i++) Q[3 + i] -= f * b->q[3 + i];
}

static void add_force_tangent(const tr_body_at *b, const double g[3], double *Qq, double *Qv) {
  static const double none[4] = {0};
  const double *et = b->v + 3;
  tr_chart_add_force_tangent(b, g, Qq, Qv);
  add_outer(-radial(b), none, none, dot4(et, et), Qq);
  add_outer(-2 * radial(b), b->q + 3, et, 0, Qv);
}

static void energy(const tr_body_at *b, const double g[3], double *kinetic, double *potential) {
  double half = dot4(b->q + 3, b->v + 3);
  tr_chart_energy(b, g, kinetic, potential);
  *kinetic += 0.5 * radial(b) * half * half;
}

static void quaternion(const tr_body_at *b, double e[4]) {
  for (int i = 0; i < N; i++) e[i] = b->q[3 + i];
  quat_normalise(e);
}

// ---- e.e - 1 = 0 ------------------------------------------------------------------------------------

static void phi(const tr_body_at *b, double *out) { *out = dot4(b->q + 3, b->q + 3) - 1; }

static void jac(const tr_body_at *b, double *G) {
  for (int i = 0; i < NV; i++) G[i] = i < 3 ? 0 : 2 * b->q[i];
}

static void add_geom(const tr_body_at *b, const double *lam, double *K) {
  (void)b;
  for (int i = 3; i < NV; i++) K[(NV + 1) * i] += 2 * *lam;
}

static void gamma_e(const tr_body_at *b, double *out) { *out = 2 * dot4(b->v + 3, b->v + 3); }

// w1 = w0 + P(at) (v1 - v0): on the way the multiplier of e.e - 1 pulls along e alone, which P does not see.
static void turn_by(const tr_body_step *step, double k, double *d, double *v1) {
  const double *e = step->q + 3;
  double change[N], w[3], w1[4] = {0}, mean[6] = {0}, e1[4];
  for (int i = 0; i < N; i++) change[i] = v1[3 + i] - step->v[3 + i];
  turning(e, step->v + 3, w);
  turning(step->at + 3, change, w1 + 1);
  for (int i = 0; i < 3; i++) {
    mean[3 + i] = step->h * (w[i] + 2 / k * w1[1 + i]);
    w1[1 + i] += w[i];
  }
  tr_body_spatial.cayley(NULL, k, mean);
  tr_chart_turn(e, mean + 3, e1);
  set_rates(e1, w1, v1 + 3);
  for (int i = 0; i < N; i++) d[3 + i] = e1[i] - e[i];
}

static void see_from(const double *place, const double *q, double *v) {
  double w[4] = {0};
  turning(q + 3, v + 3, w + 1);
  set_rates(place + 3, w, v + 3);
}

// e := e/|e|; what is left of e' across it is scaled likewise, which leaves w = 2 L(e) e'/n alone.
static void close_e(double *q, double *v) {
  double *e = q + 3, *et = v + 3, in = 1 / dot4(e, e), along = dot4(e, et) * in, s = sqrt(in);
  for (int i = 0; i < N; i++) et[i] = s * (et[i] - along * e[i]), e[i] *= s;
}

const tr_body_type tr_body_spatial_ep = {
    .name = "spatial",
    .doc = "rigid body in space, Euler parameters",
    .fields = tr_spatial_fields,
    .par_size = sizeof(tr_spatial_par),
    .dim = 3,
    .nq = NV,
    .nv = NV,
    .nc = 1,
    .ncache = TR_CHART_CACHE,
    .coordinate_names = tr_spatial_coordinate_names,
    .rate_names = tr_spatial_rate_names,
    .check = tr_spatial_check,
    .pose = tr_spatial_pose,
    .start = start,
    .site = tr_spatial_site,
    .turn_by = turn_by,
    .see_from = see_from,
    .carry = carry,
    .kinematics = tr_chart_kinematics,
    .add_pull = tr_chart_add_pull,
    .add_wrench_dq = tr_chart_add_wrench_dq,
    .twist_dq = tr_chart_twist_dq,
    .quaternion = quaternion,
    .mass = mass,
    .add_mass_dq = add_mass_dq,
    .add_force = add_force,
    .add_force_tangent = add_force_tangent,
    .energy = energy,
    .phi = phi,
    .jac = jac,
    .add_geom = add_geom,
    .gamma = gamma_e,
    .close = close_e,
};
