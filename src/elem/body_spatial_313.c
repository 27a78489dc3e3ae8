// SPDX-License-Identifier: Apache-2.0
// Spatial rigid body in 3-1-3 Euler angles [GNP05]: q = (r, phi, theta, psi), v = q'.
//
//   R = C Rz(phi) Rx(theta) Rz(psi) B',   B' w = phi' a1 + theta' a2 + psi' a3
//   a1 = (st sp, st cp, ct),  a2 = (cp, -sp, 0),  a3 = (0, 0, 1);   det [a1 a2 a3] = -st
// C and B are the axes of ground and body that the angles count from: the global ones and the body's own, C = B = 1, or
// (y, z, x) or (z, x, y) of either.
// At st = sin theta = 0 the angles say nothing about part of w: M is singular there and phi', psi' grow
// without bound on the way. Where st of one C is small those of the others are not. A body that spins fast about a line across
// the third axis of B comes by some pole in every turn; with another B psi' is the spin, and the rest is slow.
// (1) Which ones it are is in q: theta is in 2 pi k + (0, pi), k = C + 3 B in 0 .. 8. In between st < ST_MIN gives NaN,
//     so that a step that leads there or across fails.
// (2) Before a step that begins or may end with st < POOR the axes are changed: the same motion in other numbers.
// (3) A state so near that a step of this length cannot follow the angles is `trouble`.
// cache: R (9), A (3 x 3), w = A x', st.
#include <math.h>

#include "chart.h"
#include "math/v3.h"

enum { PHI = 3, THETA, PSI, N = 3 };

static const double ST_MIN = 1e-8;
// What a step may do near the pole: turn phi by TURN_MAX, change theta by TILT_MAX of its distance.
static const double TURN_MAX = 0.4, TILT_MAX = 0.2, ST_LEFT = 0.2;

// The axes are changed where st falls below POOR, if others have so much more; those of the body where theta' is so much less.
static const double POOR = 0.6, BETTER = 0.1, SLOWER = 0.5;
static const double SPUN = 0.9;      // of w along one axis of the body
static const double VERY_POOR = 0.1; // so near the pole nothing is carried

enum { SETS = 3 }; // of either
static int axes_of(const double *x) {
  double k = floor((x[1] / TR_PI + 0.5) / 2);
  return k > 0 ? (int)fmin(k, SETS * SETS - 1) : 0;
}
// Where the axes of a set are, and the rotation to it.
static const int axis[SETS][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};
static const double turned[SETS][4] = {{1, 0, 0, 0}, {0.5, 0.5, 0.5, 0.5}, {0.5, -0.5, -0.5, -0.5}};
static const int *ground_axes(int axes) { return axis[axes % SETS]; }
static const int *body_axes(const double *x) { return axis[axes_of(x) / SETS]; }

static void to_quat(const double *x, double *e) {
  int axes = axes_of(x);
  double theta = x[1] - 2 * TR_PI * axes, c = cos(0.5 * theta), s = sin(0.5 * theta);
  double sum = 0.5 * (x[0] + x[2]), difference = 0.5 * (x[0] - x[2]), Ce[4];
  const double in[] = {c * cos(sum), s * cos(difference), s * sin(difference), c * sin(sum)};
  const double *B = turned[axes / SETS], back[4] = {B[0], -B[1], -B[2], -B[3]};
  quat_mul(turned[axes % SETS], in, Ce);
  quat_mul(Ce, back, e);
}

static void from_m3(int axes, const double *R, double *x) {
  const int *g = ground_axes(axes), *k = axis[axes / SETS];
  const double *a = R + 3 * g[0], *b = R + 3 * g[1], *c = R + 3 * g[2];
  x[0] = atan2(a[k[2]], -b[k[2]]);
  x[1] = atan2(hypot(a[k[2]], b[k[2]]), c[k[2]]) + 2 * TR_PI * axes;
  x[2] = atan2(c[k[0]], c[k[1]]);
}

static double st_of(int axes, const double *R) {
  const int *g = ground_axes(axes);
  int z = axis[axes / SETS][2];
  return hypot(R[3 * g[0] + z], R[3 * g[1] + z]);
}

// With these axes of the body.
static int farthest_from_pole(int of_body, const double *R) {
  int first = SETS * of_body, best = first;
  for (int k = first + 1; k < first + SETS; k++)
    if (st_of(k, R) > st_of(best, R)) best = k;
  return best;
}

// Of the two quaternions of this rotation the one next to e.
static void choose_sign(const double *e, double *x) {
  double own[4];
  to_quat(x, own);
  if (own[0] * e[0] + v3_dot(own + 1, e + 1) < 0) x[0] += 2 * TR_PI;
}

// w = A x'
static void turning(const double *x, const double *xt, double *w) {
  const int *k = body_axes(x);
  double sp = sin(x[2]), cp = cos(x[2]), st = sin(x[1]), ct = cos(x[1]);
  w[k[0]] = st * sp * xt[0] + cp * xt[1];
  w[k[1]] = st * cp * xt[0] - sp * xt[1];
  w[k[2]] = ct * xt[0] + xt[2];
}

// x' = A^-1 w:  theta' = w.a2,  phi' = (w1 sp + w2 cp)/st,  psi' = w3 - phi' ct
static void set_rates(const double *x, const double *w, double *xt) {
  const int *k = body_axes(x);
  double sp = sin(x[2]), cp = cos(x[2]);
  xt[0] = (w[k[0]] * sp + w[k[1]] * cp) / sin(x[1]);
  xt[1] = w[k[0]] * cp - w[k[1]] * sp;
  xt[2] = w[k[2]] - xt[0] * cos(x[1]);
}

static void start(const void *pv, double *q, double *v) {
  const tr_spatial_par *p = pv;
  const double *R = p->orientation;
  double w[3], e[4];
  tr_spatial_start(p, q, v, w);
  from_m3(st_of(0, R) < POOR ? farthest_from_pole(0, R) : 0, R, q + 3);
  set_rates(q + 3, w, v + 3);
  m3_to_quat(R, e); // that the other coordinates begin with
  choose_sign(e, q + 3);
}

static void place(const tr_body_at *b) {
  const double *x = b->q + 3;
  const int *g = ground_axes(axes_of(x)), *k = body_axes(x);
  double *R = b->cache, *A = R + TR_CHART_P;
  double sf = sin(x[0]), cf = cos(x[0]), sp = sin(x[2]), cp = cos(x[2]);
  double st = sin(x[1]), ct = cos(x[1]);
  if (!(st >= ST_MIN)) st = ct = NAN;
  double *R0 = R + 3 * g[0], *R1 = R + 3 * g[1], *R2 = R + 3 * g[2];
  R0[k[0]] = cf * cp - sf * ct * sp, R0[k[1]] = -cf * sp - sf * ct * cp, R0[k[2]] = sf * st;
  R1[k[0]] = sf * cp + cf * ct * sp, R1[k[1]] = -sf * sp + cf * ct * cp, R1[k[2]] = -cf * st;
  R2[k[0]] = st * sp, R2[k[1]] = st * cp, R2[k[2]] = ct;
  double *A0 = A + N * k[0], *A1 = A + N * k[1], *A2 = A + N * k[2];
  A0[0] = st * sp, A0[1] = cp, A0[2] = 0;
  A1[0] = st * cp, A1[1] = -sp, A1[2] = 0;
  A2[0] = ct, A2[1] = 0, A2[2] = 1;
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
  int axes = axes_of(x);
  if (st_of(axes, R) < VERY_POOR) {
    from_m3(farthest_from_pole(axes / SETS, R), R, x1);
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
  const int *k; // axes of the body
  double st, ct, sp, cp, a1_t[3], a1_p[3], a2_p[3];
} slopes;
static slopes slopes_at(const tr_body_at *b) {
  const double *A = b->cache + TR_CHART_P;
  const int *k = body_axes(b->q + 3);
  double st = b->cache[TR_CHART_OWN], ct = A[N * k[2]], cp = A[N * k[0] + 1], sp = -A[N * k[1] + 1];
  slopes d = {.k = k, .st = st, .ct = ct, .sp = sp, .cp = cp};
  d.a1_t[k[0]] = ct * sp, d.a1_t[k[1]] = ct * cp, d.a1_t[k[2]] = -st;
  d.a1_p[k[0]] = st * cp, d.a1_p[k[1]] = -st * sp;
  d.a2_p[k[0]] = -sp, d.a2_p[k[1]] = -cp;
  return d;
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
  double f = b->v[PHI], t = b->v[THETA], p = b->v[PSI], a1_tp[3] = {0};
  a1_tp[d.k[0]] = d.ct * d.cp, a1_tp[d.k[1]] = -d.ct * d.sp;
  for (int i = 0; i < 3; i++) {
    double a1 = A[N * i], a2 = A[N * i + 1], a1_pp = i != d.k[2] ? -a1 : 0;
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
  const int *k = body_axes(x);
  double sp = sin(x[2]), cp = cos(x[2]), st = sin(x[1]), ct = cos(x[1]);
  double ft = s * xt[0] * xt[1], fp = s * xt[0] * xt[2], tp = s * xt[1] * xt[2];
  out[k[0]] += ft * ct * sp + fp * st * cp - tp * sp;
  out[k[1]] += ft * ct * cp - fp * st * sp - tp * cp;
  out[k[2]] -= ft * st;
}

// st after a step of length h, at least.
static double margin(const double *x, const double *xt, double h) {
  return sin(x[1]) - fabs(xt[1]) * h;
}

// The axes to go on with, at R with w; those of the body change only to get rid of a spin across the third of them.
static int choose_axes(int axes, double h, double now, const double *R, const double *w) {
  double slowest = INFINITY, y[3], yt[3];
  int best = -1;
  for (int i = 0; i < SETS; i++) {
    int of_body = (axes / SETS + i) % SETS, k = farthest_from_pole(of_body, R);
    from_m3(k, R, y);
    set_rates(y, w, yt);
    bool good = margin(y, yt, h) > now + BETTER;
    bool same = best >= 0 && best / SETS == axes / SETS;
    if (good && fabs(yt[1]) < (same ? SLOWER : 1) * slowest) best = k, slowest = fabs(yt[1]);
  }
  return best;
}

// The axes of the body whose third it spins about, with next to nothing across; -1: it does not.
static int spun_about(const double *w) {
  for (int i = 0; i < 3; i++)
    if (fabs(w[i]) > SPUN * v3_norm(w)) return (i + 1) % SETS;
  return -1;
}

// Where the motion begins, h = 0, a spin chooses the axes of the body whatever st is: errors of the first turn would last.
static bool change(double h, double *q, double *v, double *a) {
  double *x = q + 3, *xt = v + 3, now = margin(x, xt, h);
  double e[4], R[9], w[3], alpha[3], y[3], yt[3];
  if (h > 0 && !(now < POOR)) return false;
  to_quat(x, e);
  quat_to_m3(e, R);
  turning(x, xt, w);
  int axes = -1, spin = h > 0 ? -1 : spun_about(w);
  if (spin >= 0 && spin != axes_of(x) / SETS)
    axes = farthest_from_pole(spin, R);
  else if (now < POOR)
    axes = choose_axes(axes_of(x), h, now, R, w);
  if (axes < 0) return false;
  from_m3(axes, R, y);
  set_rates(y, w, yt);
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
    return "its 3-1-3 Euler angles have theta outside 2 pi k + (0, pi), k in 0 .. 8: a consistent "
           "start takes others";
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
