// SPDX-License-Identifier: Apache-2.0
// Spatial rigid body in 3-1-3 Euler angles [GNP05]: q = (r, phi, theta, psi), v = q'.
//
//   R = Rz(phi) Rx(theta) Rz(psi),   w = phi' a1 + theta' a2 + psi' a3  in body axes,
//   a1 = (st sp, st cp, ct),  a2 = (cp, -sp, 0),  a3 = (0, 0, 1);   det [a1 a2 a3] = -st
// At st = sin theta = 0 the angles say nothing about part of w: M is singular there and phi', psi' grow
// without bound on the way. A run starts with theta in (0, pi) and cannot leave that interval:
// (1) st < ST_MIN gives NaN, so a step that leads there or across fails;
// (2) a state so near that a step of this length cannot follow the angles is `trouble`.
// cache: R (9), A (3 x 3), st.
#include <math.h>

#include "chart.h"
#include "math/v3.h"

enum { PHI = 3, THETA, PSI, N = 3 };

static const double ST_MIN = 1e-8;
// What a step may do near the pole: turn phi by TURN_MAX, change theta by TILT_MAX of its distance.
static const double TURN_MAX = 0.4, TILT_MAX = 0.2;

double tr_sin_theta(const double R[9]) { return hypot(R[2], R[5]); }

static void to_quat(const double *x, double *e) {
  double c = cos(0.5 * x[1]), s = sin(0.5 * x[1]);
  double sum = 0.5 * (x[0] + x[2]), difference = 0.5 * (x[0] - x[2]);
  e[0] = c * cos(sum), e[1] = s * cos(difference);
  e[2] = s * sin(difference), e[3] = c * sin(sum);
}

static void from_m3(const double *R, double *x) {
  x[0] = atan2(R[2], -R[5]), x[1] = atan2(tr_sin_theta(R), R[8]), x[2] = atan2(R[6], R[7]);
}

// w = A x'
static void turning(const double *x, const double *xt, double *w) {
  double sp = sin(x[2]), cp = cos(x[2]), st = sin(x[1]), ct = cos(x[1]);
  w[0] = st * sp * xt[0] + cp * xt[1];
  w[1] = st * cp * xt[0] - sp * xt[1];
  w[2] = ct * xt[0] + xt[2];
}

// x' = A^-1 w:  theta' = w.a2,  phi' = (w1 sp + w2 cp)/st,  psi' = w3 - phi' ct
static void set_rates(const double *x, const double *w, double *xt) {
  double sp = sin(x[2]), cp = cos(x[2]);
  xt[0] = (w[0] * sp + w[1] * cp) / sin(x[1]);
  xt[1] = w[0] * cp - w[1] * sp;
  xt[2] = w[2] - xt[0] * cos(x[1]);
}

static void start(const void *pv, double *q, double *v) {
  const tr_spatial_par *p = pv;
  const double *R = p->orientation;
  double w[3], e[4], e0[4];
  tr_spatial_start(p, q, v, w);
  from_m3(R, q + 3);
  set_rates(q + 3, w, v + 3);
  // of the two quaternions of this rotation the one that the other coordinates begin with
  to_quat(q + 3, e);
  m3_to_quat(R, e0);
  if (e[0] * e0[0] + v3_dot(e + 1, e0 + 1) < 0) q[PHI] += 2 * TR_PI;
}

static void place(const tr_body_at *b) {
  const double *x = b->q + 3;
  double *R = b->cache, *A = R + TR_CHART_P;
  double sf = sin(x[0]), cf = cos(x[0]), sp = sin(x[2]), cp = cos(x[2]);
  double st = sin(x[1]), ct = cos(x[1]);
  if (!(st >= ST_MIN)) st = ct = NAN;
  R[0] = cf * cp - sf * ct * sp, R[1] = -cf * sp - sf * ct * cp, R[2] = sf * st;
  R[3] = sf * cp + cf * ct * sp, R[4] = -sf * sp + cf * ct * cp, R[5] = -cf * st;
  R[6] = st * sp, R[7] = st * cp, R[8] = ct;
  A[0] = st * sp, A[1] = cp, A[2] = 0;
  A[3] = st * cp, A[4] = -sp, A[5] = 0;
  A[6] = ct, A[7] = 0, A[8] = 1;
  b->cache[TR_CHART_OWN] = st;
}

// With angles next to those before.
static double carry(const double *q, const double *d, double *q1, double *v) {
  const double *x = q + 3;
  double *x1 = q1 + 3, e[4], e1[4], w[3], w0[3], R[9];
  turning(x, d + 3, w);
  if (v) turning(x, v + 3, w0);
  to_quat(x, e);
  double turn = tr_chart_turn(e, w, e1);
  quat_to_m3(e1, R);
  const double x0 = x[0], x2 = x[2];
  from_m3(R, x1);
  x1[0] += 2 * TR_PI * round((x0 - x1[0]) / (2 * TR_PI));
  x1[2] += 2 * TR_PI * round((x2 - x1[2]) / (2 * TR_PI));
  if (v) set_rates(x1, w0, v + 3);
  for (int i = 0; i < 3; i++) q1[i] = q[i] + d[i];
  return turn;
}

// What of the columns depends on the angles.
typedef struct slopes {
  double a1_t[3], a1_p[3], a2_p[3];
} slopes;
static slopes slopes_at(const tr_body_at *b) {
  const double *A = b->cache + TR_CHART_P;
  double st = b->cache[TR_CHART_OWN], ct = A[6], cp = A[1], sp = -A[4];
  return (slopes){{ct * sp, ct * cp, -st}, {st * cp, -st * sp, 0}, {-sp, -cp, 0}};
}

static void map_dx(const tr_body_at *b, const double *y, double *out) {
  slopes d = slopes_at(b);
  for (int i = 0; i < 3; i++) {
    out[N * i] = 0;
    out[N * i + 1] = y[0] * d.a1_t[i];
    out[N * i + 2] = y[0] * d.a1_p[i] + y[1] * d.a2_p[i];
  }
}

static void pull_dx(const tr_body_at *b, const double *tau, double *out) {
  slopes d = slopes_at(b);
  for (int i = 0; i < 9; i++) out[i] = 0;
  out[1] = v3_dot(d.a1_t, tau), out[2] = v3_dot(d.a1_p, tau);
  out[5] = v3_dot(d.a2_p, tau);
}

// beta = phi' theta' a1_t + phi' psi' a1_p + theta' psi' a2_p
static void bias_d(const tr_body_at *b, double *Bx, double *Bv) {
  slopes d = slopes_at(b);
  const double *A = b->cache + TR_CHART_P;
  double f = b->v[PHI], t = b->v[THETA], p = b->v[PSI], ct = A[6], cp = A[1], sp = -A[4];
  const double a1_tp[3] = {ct * cp, -ct * sp, 0};
  for (int i = 0; i < 3; i++) {
    double a1 = A[N * i], a2 = A[N * i + 1], a1_pp = i < 2 ? -a1 : 0;
    Bx[N * i] = 0;
    Bx[N * i + 1] = -f * t * a1 + f * p * a1_tp[i];
    Bx[N * i + 2] = f * t * a1_tp[i] + f * p * a1_pp - t * p * a2;
    Bv[N * i] = t * d.a1_t[i] + p * d.a1_p[i];
    Bv[N * i + 1] = f * d.a1_t[i] + p * d.a2_p[i];
    Bv[N * i + 2] = f * d.a1_p[i] + t * d.a2_p[i];
  }
}

const tr_chart tr_chart_313 = {N, place, map_dx, pull_dx, bias_d};

static void quaternion(const tr_body_at *b, double e[4]) { to_quat(b->q + 3, e); }

// Passing the pole at distance d with speed u, phi turns by pi within 2 d/u; a method follows if
// u h < 0.4 d or so. Far from it, where `near` vanishes, long steps are no affair of the coordinates.
static const char *trouble(const tr_body_at *b, double h) {
  double st = sin(b->q[THETA]), near = 1 - st;
  double turn = fabs(b->v[PHI]) * h, tilt = fabs(b->v[THETA]) * h;
  if (st >= ST_MIN && turn * near <= TURN_MAX && tilt * near <= TILT_MAX * st) return NULL;
  return "its 3-1-3 Euler angles are too near their singularity (theta = 0 or pi) for this step; "
         "use coordinates: lie";
}

const tr_body_type tr_body_spatial_313 = {
    .name = "spatial",
    .doc = "rigid body in space, 3-1-3 Euler angles",
    .fields = tr_spatial_fields,
    .par_size = sizeof(tr_spatial_par),
    .dim = 3,
    .nq = 6,
    .nv = 6,
    .ncache = TR_CHART_CACHE,
    .coordinate_names = tr_spatial_coordinate_names,
    .rate_names = tr_spatial_rate_names,
    .check = tr_spatial_check,
    .pose = tr_spatial_pose,
    .start = start,
    .site = tr_spatial_site,
    .carry = carry,
    .kinematics = tr_chart_kinematics,
    .add_pull = tr_chart_add_pull,
    .add_wrench_dq = tr_chart_add_wrench_dq,
    .twist_dq = tr_chart_twist_dq,
    .quaternion = quaternion,
    .mass = tr_chart_mass,
    .add_mass_dq = tr_chart_add_mass_dq,
    .add_force = tr_chart_add_force,
    .add_force_tangent = tr_chart_add_force_tangent,
    .energy = tr_chart_energy,
    .trouble = trouble,
};
