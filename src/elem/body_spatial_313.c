// SPDX-License-Identifier: Apache-2.0
// Spatial rigid body in 3-1-3 Euler angles [GNP05]: q = (r, phi, theta, psi), v = q'.
//
//   R = C Rz(phi) Rx(theta) Rz(psi),   w = phi' a1 + theta' a2 + psi' a3  in body axes,
//   a1 = (st sp, st cp, ct),  a2 = (cp, -sp, 0),  a3 = (0, 0, 1);   det [a1 a2 a3] = -st
// At st = sin theta = 0 the angles say nothing about part of w: M is singular there and phi', psi' grow
// without bound on the way. So there are two sets of axes that the angles may count from, the global ones, C = 1, and
// (y, z, x) of them. Where st of one is small that of the other is not.
// (1) Which ones it are is in q: theta is in (0, pi), or with the others in (2 pi, 3 pi). In between st < ST_MIN gives NaN,
//     so that a step that leads there or across fails.
// (2) Before a step that begins or may end with st < POOR the axes are changed: the same motion in other numbers.
// (3) A state so near that a step of this length cannot follow the angles is `trouble`.
// cache: R (9), A (3 x 3), st.
#include <math.h>

#include "chart.h"
#include "math/v3.h"

enum { PHI = 3, THETA, PSI, N = 3 };

static const double ST_MIN = 1e-8;
// What a step may do near the pole: turn phi by TURN_MAX, change theta by TILT_MAX of its distance.
static const double TURN_MAX = 0.4, TILT_MAX = 0.2, ST_LEFT = 0.2;

// The axes are changed where st falls below POOR, if the others have so much more.
static const double POOR = 0.6, BETTER = 0.1;
static const double VERY_POOR = 0.1; // so near the pole nothing is carried

enum { GLOBAL, OTHERS };
static int axes_of(const double *x) { return x[1] > 1.5 * TR_PI ? OTHERS : GLOBAL; }
// Where the rows of C' R are in R.
static const int row[][3] = {[GLOBAL] = {0, 3, 6}, [OTHERS] = {3, 6, 0}};

static void to_quat(const double *x, double *e) {
  static const double C[] = {0.5, 0.5, 0.5, 0.5};
  int axes = axes_of(x);
  double theta = x[1] - 2 * TR_PI * axes, c = cos(0.5 * theta), s = sin(0.5 * theta);
  double sum = 0.5 * (x[0] + x[2]), difference = 0.5 * (x[0] - x[2]);
  const double in[] = {c * cos(sum), s * cos(difference), s * sin(difference), c * sin(sum)};
  for (int i = 0; i < 4; i++) e[i] = in[i];
  if (axes == OTHERS) quat_mul(C, in, e);
}

static void from_m3(int axes, const double *R, double *x) {
  const double *a = R + row[axes][0], *b = R + row[axes][1], *c = R + row[axes][2];
  x[0] = atan2(a[2], -b[2]), x[1] = atan2(hypot(a[2], b[2]), c[2]) + 2 * TR_PI * axes;
  x[2] = atan2(c[0], c[1]);
}

// Of the two quaternions of this rotation the one next to e.
static void choose_sign(const double *e, double *x) {
  double own[4];
  to_quat(x, own);
  if (own[0] * e[0] + v3_dot(own + 1, e + 1) < 0) x[0] += 2 * TR_PI;
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
  double w[3], e[4];
  tr_spatial_start(p, q, v, w);
  from_m3(hypot(R[2], R[5]) < POOR ? OTHERS : GLOBAL, R, q + 3);
  set_rates(q + 3, w, v + 3);
  m3_to_quat(R, e); // that the other coordinates begin with
  choose_sign(e, q + 3);
}

static void place(const tr_body_at *b) {
  const double *x = b->q + 3;
  const int *at = row[axes_of(x)];
  double *R = b->cache, *A = R + TR_CHART_P;
  double sf = sin(x[0]), cf = cos(x[0]), sp = sin(x[2]), cp = cos(x[2]);
  double st = sin(x[1]), ct = cos(x[1]);
  if (!(st >= ST_MIN)) st = ct = NAN;
  double *R0 = R + at[0], *R1 = R + at[1], *R2 = R + at[2];
  R0[0] = cf * cp - sf * ct * sp, R0[1] = -cf * sp - sf * ct * cp, R0[2] = sf * st;
  R1[0] = sf * cp + cf * ct * sp, R1[1] = -sf * sp + cf * ct * cp, R1[2] = -cf * st;
  R2[0] = st * sp, R2[1] = st * cp, R2[2] = ct;
  A[0] = st * sp, A[1] = cp, A[2] = 0;
  A[3] = st * cp, A[4] = -sp, A[5] = 0;
  A[6] = ct, A[7] = 0, A[8] = 1;
  b->cache[TR_CHART_OWN] = st;
}

// With angles next to those before, or with other axes if these have their pole there.
static double carry(const double *q, const double *d, double *q1, double *v) {
  const double *x = q + 3;
  double *x1 = q1 + 3, e[4], e1[4], w[3], w0[3], R[9];
  turning(x, d + 3, w);
  if (v) turning(x, v + 3, w0);
  to_quat(x, e);
  double turn = tr_chart_turn(e, w, e1);
  quat_to_m3(e1, R);
  const double x0 = x[0], x2 = x[2];
  int axes = axes_of(x), others = axes == GLOBAL ? OTHERS : GLOBAL;
  double st = hypot(R[row[axes][0] + 2], R[row[axes][1] + 2]);
  if (st < VERY_POOR) {
    from_m3(others, R, x1);
    choose_sign(e1, x1);
  } else {
    from_m3(axes, R, x1);
    x1[0] += 2 * TR_PI * round((x0 - x1[0]) / (2 * TR_PI));
    x1[2] += 2 * TR_PI * round((x2 - x1[2]) / (2 * TR_PI));
  }
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

// beta alone
static void add_bias(double s, const double *x, const double *xt, double *out) {
  double sp = sin(x[2]), cp = cos(x[2]), st = sin(x[1]), ct = cos(x[1]);
  double ft = s * xt[0] * xt[1], fp = s * xt[0] * xt[2], tp = s * xt[1] * xt[2];
  out[0] += ft * ct * sp + fp * st * cp - tp * sp;
  out[1] += ft * ct * cp - fp * st * sp - tp * cp;
  out[2] -= ft * st;
}

// st after a step of length h, at least.
static double margin(const double *x, const double *xt, double h) {
  return sin(x[1]) - fabs(xt[1]) * h;
}

static bool change(double h, double *q, double *v, double *a) {
  double *x = q + 3, *xt = v + 3, now = margin(x, xt, h);
  double e[4], R[9], w[3], alpha[3], y[3], yt[3];
  if (!(now < POOR)) return false;
  to_quat(x, e);
  quat_to_m3(e, R);
  from_m3(axes_of(x) == GLOBAL ? OTHERS : GLOBAL, R, y);
  turning(x, xt, w);
  set_rates(y, w, yt);
  if (!(margin(y, yt, h) > now + BETTER)) return false;
  turning(x, a + 3, alpha);
  add_bias(1, x, xt, alpha);
  add_bias(-1, y, yt, alpha);
  choose_sign(e, y);
  set_rates(y, alpha, a + 3);
  v3_copy(y, x), v3_copy(yt, xt);
  return true;
}

// e1 .. e3, and w
static void plain(double *q, double *v) {
  double e[4], w[3];
  to_quat(q + 3, e);
  turning(q + 3, v + 3, w);
  v3_copy(e + 1, q + 3), v3_copy(w, v + 3);
}

static void quaternion(const tr_body_at *b, double e[4]) { to_quat(b->q + 3, e); }

// Passing the pole at distance d with speed u, phi turns by pi within 2 d/u; a method follows if
// u h < 0.4 d or so. Far from it, where `near` vanishes, long steps are no affair of the coordinates. Nor is what axes have
// ahead that are changed before the next step; but a step that ends below ST_LEFT was too long for them.
static const char *trouble(const tr_body_at *b, double h) {
  double q[6], v[6], a[6] = {0};
  for (int i = 0; i < 6; i++) q[i] = b->q[i], v[i] = b->v[i];
  if (sin(q[THETA]) >= ST_LEFT) change(h, q, v, a);
  double st = sin(q[THETA]), near = 1 - st;
  double turn = fabs(v[PHI]) * h, tilt = fabs(v[THETA]) * h;
  if (st >= ST_MIN && turn * near <= TURN_MAX && tilt * near <= TILT_MAX * st) return NULL;
  if (!(h > 0) && !(fabs(st) < ST_MIN))
    return "its 3-1-3 Euler angles have theta outside (0, pi) and (2 pi, 3 pi): a consistent start "
           "takes others";
  if (!(h > 0))
    return "its 3-1-3 Euler angles are at their singularity (theta = 0 or pi), where they say "
           "nothing about part of its turning: a consistent start takes other axes";
  return "its 3-1-3 Euler angles are too near their singularity (theta = 0 or pi) for this step; "
         "take shorter ones or coordinates: lie";
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
    .change = change,
    .plain = plain,
};
