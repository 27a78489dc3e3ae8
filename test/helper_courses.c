// SPDX-License-Identifier: Apache-2.0
// Planar and spatial mechanisms, problems in coordinates of their own; damped, driven in time, with masses
// that change. All start from consistent data, away from symmetry.
#include "helper_courses.h"

#include <math.h>
#include <string.h>

#include "analysis/problems.h"
#include "helper_problems.h"
#include "math/v3.h"

static void copy(int n, const double *from, double *to) {
  memcpy(to, from, (size_t)n * sizeof *to);
}

// ---- shipped models ---------------------------------------------------------------------------------

static void make_slider_crank(motion *x) {
  x->m = load_model("slider_crank.yaml", NULL);
  x->end = 0.75, x->step = 0.75 / 384;
  motion_by_rk4(x, 12000);
}

static void make_three_links(motion *x) {
  x->m = load_model("three_link_pendulum.yaml", NULL);
  x->end = 0.75, x->step = 0.75 / 128;
  motion_by_rk4(x, 6000);
}

// ---- rotations --------------------------------------------------------------------------------------

// e' = e (0, w)/2
static void turn(const double e[4], const double w[3], double de[4]) {
  double half[4] = {0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]};
  quat_mul(e, half, de);
}

// J w' = n - w x J w, J diagonal
static void spin_up(const double J[3], const double n[3], const double w[3], double dw[3]) {
  double Jw[3] = {J[0] * w[0], J[1] * w[1], J[2] * w[2]}, c[3];
  v3_cross(w, Jw, c);
  for (int i = 0; i < 3; i++) dw[i] = (n[i] - c[i]) / J[i];
}

// y = (r, r', e, w), thrown in the field g
static const double body_J[3] = {0.1, 0.25, 0.3};
static void body_slope(double t, const double *y, double *dy) {
  static const double none[3] = {0};
  (void)t;
  copy(3, y + 3, dy);
  dy[3] = dy[4] = 0, dy[5] = -9.81;
  turn(y + 6, y + 10, dy + 6);
  spin_up(body_J, none, y + 10, dy + 10);
}
static void body_lift(double t, const double *y, double *q, double *v) {
  (void)t;
  copy(3, y, q), copy(4, y + 6, q + 3), copy(3, y + 3, v), copy(3, y + 10, v + 3);
}
// Thrown about the axis of middle inertia: it tumbles.
static void make_free_body(motion *x) {
  static const double y0[13] = {0, 0, 0, 1, 0.5, 2, 1, 0, 0, 0, 0.3, 6, -0.2};
  x->m = load_text(
      "trammel: 1\nname: thrown body\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  body: {type: spatial, mass: 2, inertia: [0.1, 0.25, 0.3],\n"
      "    velocity: [1, 0.5, 2], omega: [0.3, 6, -0.2]}\n");
  x->end = 1, x->step = 1.0 / 64;
  motion_by_ode(x, body_slope, body_lift, 13, y0, 8000);
}

// y = (e, w) about the tip: m = 15, l = 1 along y
static void top_slope(double t, const double *y, double *dy) {
  static const double J[3] = {0.234375 + 15, 0.46875, 0.234375 + 15}, g[3] = {0, 0, -9.81 * 15};
  static const double arm[3] = {0, 1, 0};
  double R[9], weight[3], n[3];
  (void)t;
  quat_to_m3(y, R);
  m3_tmul(R, g, weight);
  v3_cross(arm, weight, n);
  turn(y, y + 4, dy);
  spin_up(J, n, y + 4, dy + 4);
}
static void top_lift(double t, const double *y, double *q, double *v) {
  static const double arm[3] = {0, 1, 0};
  double R[9], wa[3];
  (void)t;
  quat_to_m3(y, R);
  m3_mul(R, arm, q);
  copy(4, y, q + 3);
  v3_cross(y + 4, arm, wa);
  m3_mul(R, wa, v);
  copy(3, y + 4, v + 3);
}
static void make_top(motion *x) {
  static const char *const set[] = {"spin=40", "precession=-2", NULL};
  static const double y0[7] = {1, 0, 0, 0, 0, 40, -2};
  x->m = load_model("heavy_top.yaml", set);
  x->end = 0.5, x->step = 0.5 / 512;
  motion_by_ode(x, top_slope, top_lift, 7, y0, 16000);
}

// ---- a pendulum whose pivot moves -------------------------------------------------------------------

// Point mass 1.3 at (x, y), Phi = ((x - s)^2 + y^2 - L^2)/2, s = A sin(w t), damping -c (x', y').
static const double L = 0.8, A = 0.3, W = 5, C = 0.4, MASS = 1.3, G9 = 9.81;
static double pivot(double t) { return A * sin(W * t); }
static double pivot_v(double t) { return A * W * cos(W * t); }
static double pivot_a(double t) { return -A * W * W * sin(W * t); }

static tr_status swing_mass(const tr_problem *p, const double *q, double *M) {
  (void)p, (void)q;
  M[0] = M[3] = MASS, M[1] = M[2] = 0;
  return TR_OK;
}
static tr_status swing_force(const tr_problem *p, double t, const double *q, const double *v,
                             double *Q) {
  (void)p, (void)t, (void)q;
  Q[0] = -C * v[0], Q[1] = -C * v[1] - MASS * G9;
  return TR_OK;
}
static tr_status swing_phi(const tr_problem *p, double t, const double *q, double *phi) {
  (void)p;
  double x = q[0] - pivot(t);
  phi[0] = 0.5 * (x * x + q[1] * q[1] - L * L);
  return TR_OK;
}
static tr_status swing_jac(const tr_problem *p, double t, const double *q, double *G) {
  (void)p;
  G[0] = q[0] - pivot(t), G[1] = q[1];
  return TR_OK;
}
static tr_status swing_phi_t(const tr_problem *p, double t, const double *q, double *phi_t) {
  (void)p;
  phi_t[0] = -(q[0] - pivot(t)) * pivot_v(t);
  return TR_OK;
}
static tr_status swing_gamma(const tr_problem *p, double t, const double *q, const double *v,
                             double *gacc) {
  (void)p;
  double u = v[0] - pivot_v(t);
  gacc[0] = u * u + v[1] * v[1] - (q[0] - pivot(t)) * pivot_a(t);
  return TR_OK;
}

// y = (theta, theta')
static void swing_slope(double t, const double *y, double *dy) {
  double c = cos(y[0]), s = sin(y[0]);
  double vx = pivot_v(t) + L * c * y[1], vy = L * s * y[1];
  dy[0] = y[1];
  dy[1] = -(pivot_a(t) * c + G9 * s + C / MASS * (vx * c + vy * s)) / L;
}
static void swing_lift(double t, const double *y, double *q, double *v) {
  double c = cos(y[0]), s = sin(y[0]);
  q[0] = pivot(t) + L * s, q[1] = -L * c;
  v[0] = pivot_v(t) + L * c * y[1], v[1] = L * s * y[1];
}
static const double swing_y0[2] = {0.7, 0.5};
static double swing_q0[2], swing_v0[2];
static const tr_problem swing = {.n = 2,
                                 .m = 1,
                                 .q0 = swing_q0,
                                 .v0 = swing_v0,
                                 .constant_mass = true,
                                 .mass = swing_mass,
                                 .force = swing_force,
                                 .phi = swing_phi,
                                 .jac = swing_jac,
                                 .phi_t = swing_phi_t,
                                 .gamma = swing_gamma};
static void make_swing_of(const tr_problem *p, motion *x) {
  swing_lift(0, swing_y0, swing_q0, swing_v0);
  x->m = load_problem(p);
  x->end = 1, x->step = 1.0 / 200;
  motion_by_ode(x, swing_slope, swing_lift, 2, swing_y0, 8000);
}
static void make_swing(motion *x) { make_swing_of(&swing, x); }
// The same from values of Phi alone.
static void make_bare_swing(motion *x) {
  static const tr_problem bare = {.n = 2,
                                  .m = 1,
                                  .q0 = swing_q0,
                                  .v0 = swing_v0,
                                  .mass = swing_mass,
                                  .force = swing_force,
                                  .phi = swing_phi};
  x->noise = 1e-7;
  make_swing_of(&bare, x);
}

// ---- two links in their angles ----------------------------------------------------------------------

// Point masses m1, m2 at the ends of links of lengths l1, l2, absolute angles from the vertical, a damper
// between them. M12 = k cos(q1 - q2).
static const double m1 = 1, m2 = 0.8, l1 = 1, l2 = 0.7, damp = 0.15;
static tr_status arm_mass(const tr_problem *p, const double *q, double *M) {
  (void)p;
  M[0] = (m1 + m2) * l1 * l1, M[3] = m2 * l2 * l2;
  M[1] = M[2] = m2 * l1 * l2 * cos(q[0] - q[1]);
  return TR_OK;
}
static tr_status arm_force(const tr_problem *p, double t, const double *q, const double *v,
                           double *Q) {
  double k = m2 * l1 * l2 * sin(q[0] - q[1]), couple = damp * (v[1] - v[0]);
  (void)p, (void)t;
  Q[0] = -k * v[1] * v[1] - (m1 + m2) * G9 * l1 * sin(q[0]) + couple;
  Q[1] = k * v[0] * v[0] - m2 * G9 * l2 * sin(q[1]) - couple;
  return TR_OK;
}
static void arm_slope(double t, const double *y, double *dy) {
  double M[4], Q[2];
  arm_mass(NULL, y, M);
  arm_force(NULL, t, y, y + 2, Q);
  double det = M[0] * M[3] - M[1] * M[2];
  dy[0] = y[2], dy[1] = y[3];
  dy[2] = (M[3] * Q[0] - M[1] * Q[1]) / det, dy[3] = (M[0] * Q[1] - M[2] * Q[0]) / det;
}
static void arm_lift(double t, const double *y, double *q, double *v) {
  (void)t;
  copy(2, y, q), copy(2, y + 2, v);
}
static const double arm_q0[2] = {1.1, -0.4}, arm_v0[2] = {0.5, 1.5};
static void make_arm(motion *x) {
  static const tr_problem arm = {
      .n = 2, .q0 = arm_q0, .v0 = arm_v0, .mass = arm_mass, .force = arm_force};
  static const double y0[4] = {1.1, -0.4, 0.5, 1.5};
  x->m = load_problem(&arm);
  x->end = 1, x->step = 1.0 / 200;
  motion_by_ode(x, arm_slope, arm_lift, 4, y0, 8000);
}

// The first angle driven: q1 = 0.4 + 0.5 sin(3 t), written with Phi_qt in it.
static double drive(double t) { return 0.4 + 0.5 * sin(3 * t); }
static double drive_v(double t) { return 1.5 * cos(3 * t); }
static double drive_a(double t) { return -4.5 * sin(3 * t); }
static tr_status drive_phi(const tr_problem *p, double t, const double *q, double *phi) {
  (void)p;
  phi[0] = (1 + 0.5 * t) * (q[0] - drive(t));
  return TR_OK;
}
static tr_status drive_jac(const tr_problem *p, double t, const double *q, double *G) {
  (void)p, (void)q;
  G[0] = 1 + 0.5 * t, G[1] = 0;
  return TR_OK;
}
static tr_status drive_phi_t(const tr_problem *p, double t, const double *q, double *phi_t) {
  (void)p;
  phi_t[0] = 0.5 * (q[0] - drive(t)) - (1 + 0.5 * t) * drive_v(t);
  return TR_OK;
}
static tr_status drive_gamma(const tr_problem *p, double t, const double *q, const double *v,
                             double *gacc) {
  (void)p, (void)q;
  gacc[0] = v[0] - drive_v(t) - (1 + 0.5 * t) * drive_a(t);
  return TR_OK;
}
static void driven_slope(double t, const double *y, double *dy) {
  double q[2] = {drive(t), y[0]}, v[2] = {drive_v(t), y[1]}, M[4], Q[2];
  arm_mass(NULL, q, M);
  arm_force(NULL, t, q, v, Q);
  dy[0] = y[1];
  dy[1] = (Q[1] - M[2] * drive_a(t)) / M[3];
}
static void driven_lift(double t, const double *y, double *q, double *v) {
  q[0] = drive(t), q[1] = y[0], v[0] = drive_v(t), v[1] = y[1];
}
static void make_driven_arm(motion *x) {
  static const double q0[2] = {0.4, -0.4}, v0[2] = {1.5, 0.5}, y0[2] = {-0.4, 0.5};
  static const tr_problem driven = {.n = 2,
                                    .m = 1,
                                    .q0 = q0,
                                    .v0 = v0,
                                    .mass = arm_mass,
                                    .force = arm_force,
                                    .phi = drive_phi,
                                    .jac = drive_jac,
                                    .phi_t = drive_phi_t,
                                    .gamma = drive_gamma};
  x->m = load_problem(&driven);
  x->end = 1, x->step = 1.0 / 200;
  motion_by_ode(x, driven_slope, driven_lift, 2, y0, 8000);
}

// ---- rolling and skating ----------------------------------------------------------------------------

// A sleigh on a slope: its blade at P, its centre of mass ahead by a. y = (P, angle, speed u, omega), e along
// the blade, n across:  u' = a w^2 + g.e,   (J + m a^2) w' = -m a (u w - g.n)
static void sleigh_slope(double t, const double *y, double *dy) {
  const double a = 0.2, m = 1.5, J = 0.1, g = -4;
  double c = cos(y[2]), s = sin(y[2]);
  (void)t;
  dy[0] = y[3] * c, dy[1] = y[3] * s, dy[2] = y[4];
  dy[3] = a * y[4] * y[4] + g * s;
  dy[4] = -m * a * (y[3] * y[4] - g * c) / (J + m * a * a);
}
static void sleigh_lift(double t, const double *y, double *q, double *v) {
  const double a = 0.2;
  double c = cos(y[2]), s = sin(y[2]);
  (void)t;
  q[0] = y[0] + a * c, q[1] = y[1] + a * s, q[2] = y[2];
  v[0] = y[3] * c - a * y[4] * s, v[1] = y[3] * s + a * y[4] * c, v[2] = y[4];
}
static void make_sleigh(motion *x) {
  static const double y0[5] = {0, 0, 0.3, 1, 2};
  x->m = load_text(
      "trammel: 1\nname: sleigh\ngravity: [0, -4]\nbodies:\n"
      "  sleigh: {type: planar, mass: 1.5, inertia: 0.1, com: [0.2, 0], angle: 0.3,\n"
      "    velocity: [cos(0.3), sin(0.3)], omega: 2}\n"
      "joints:\n  blade: {type: knife-edge, markers: [ground, sleigh]}\n");
  x->end = 1, x->step = 1.0 / 100;
  motion_by_ode(x, sleigh_slope, sleigh_lift, 5, y0, 8000);
}

// A coin of radius r on the plane z = 0, y = (place of the centre x, y; e; w in body axes). With k the body's
// axis, n = (0, 0, 1), rho = r (n - (n.k) k)/|..| from the contact to the centre, all in global axes:
//   J wg' + m rho x (wg' x rho) = m rho x g - wg x J wg - m rho x (wg x rho'),   centre' = wg x rho
static const double coin_r = 0.3, coin_m = 2, coin_J[3] = {0.045, 0.045, 0.09};
static void coin_look(const double *y, double R[9], double wg[3], double rho[3], double drho[3]) {
  double k[3], dk[3], m[3], dm[3];
  quat_to_m3(y + 2, R);
  m3_mul(R, y + 6, wg);
  m3_axis(R, 2, k);
  v3_cross(wg, k, dk);
  for (int i = 0; i < 3; i++) {
    m[i] = (i == 2) - k[2] * k[i];
    dm[i] = -dk[2] * k[i] - k[2] * dk[i];
  }
  double s = v3_norm(m), ds = v3_dot(m, dm) / s;
  for (int i = 0; i < 3; i++) {
    rho[i] = coin_r * m[i] / s;
    drho[i] = coin_r * (dm[i] - m[i] * ds / s) / s;
  }
}
// B x = b, 3 x 3, by Cramer's rule
static void solve3(const double B[9], const double b[3], double x[3]) {
  double c[3], d[3], col[3][3];
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) col[j][i] = B[3 * i + j];
  v3_cross(col[1], col[2], c);
  double det = v3_dot(col[0], c);
  x[0] = v3_dot(b, c) / det;
  v3_cross(b, col[2], d), x[1] = v3_dot(col[0], d) / det;
  v3_cross(col[1], b, d), x[2] = v3_dot(col[0], d) / det;
}
static void coin_slope(double t, const double *y, double *dy) {
  double R[9], wg[3], rho[3], drho[3], B[9], b[3], Jw[3], JW[3], c[3], d[3], dwg[3];
  const double g[3] = {0, 0, -9.81};
  (void)t;
  coin_look(y, R, wg, rho, drho);
  for (int i = 0; i < 3; i++) {
    Jw[i] = coin_J[i] * y[6 + i];
    for (int j = 0; j < 3; j++) {
      B[3 * i + j] = coin_m * ((i == j) * v3_dot(rho, rho) - rho[i] * rho[j]);
      for (int l = 0; l < 3; l++) B[3 * i + j] += R[3 * i + l] * coin_J[l] * R[3 * j + l];
    }
  }
  m3_mul(R, Jw, JW);
  v3_cross(wg, drho, c);
  v3_sub(g, c, c);
  v3_cross(rho, c, b);
  v3_cross(wg, JW, d);
  for (int i = 0; i < 3; i++) b[i] = coin_m * b[i] - d[i];
  solve3(B, b, dwg);
  v3_cross(wg, rho, c);
  dy[0] = c[0], dy[1] = c[1];
  turn(y + 2, y + 6, dy + 2);
  m3_tmul(R, dwg, dy + 6); // w' = R' wg'
}
static void coin_lift(double t, const double *y, double *q, double *v) {
  double R[9], wg[3], rho[3], drho[3];
  (void)t;
  coin_look(y, R, wg, rho, drho);
  q[0] = y[0], q[1] = y[1], q[2] = rho[2];
  copy(4, y + 2, q + 3);
  v3_cross(wg, rho, v);
  copy(3, y + 6, v + 3);
}
// Tilted by 60 degrees from lying flat, wobbling on a curve.
static void make_coin(motion *x) {
  double y0[9] = {0, 0, cos(TR_PI / 6), sin(TR_PI / 6), 0, 0, 0, 0, 0}, R[9];
  const double wg[3] = {0.5, 5, 1.25};
  static const char *const set[] = {"wobble=0.5", "precession=4.136751345948129",
                                    "spin=-3.705127018922193", NULL};
  quat_to_m3(y0 + 2, R);
  m3_tmul(R, wg, y0 + 6);
  x->m = load_model("rolling_coin.yaml", set);
  x->end = 1, x->step = 1.0 / 128;
  motion_by_ode(x, coin_slope, coin_lift, 9, y0, 16000);
}

// ---- states and variables ---------------------------------------------------------------------------

// Inverted pendulum with PID control and a slow motor: y = (x, x', th, th', integral, drive).
static void pid_slope(double t, const double *y, double *dy) {
  const double mc = 1, mp = 0.2, len = 0.5, J = mp * len * len / 3;
  double c = cos(y[2]), s = sin(y[2]), lean = y[2] - 0.05 * y[0] - 0.1 * y[1];
  double a11 = mc + mp, a12 = -mp * len * c, a22 = J + mp * len * len;
  double b1 = y[5] - mp * len * y[3] * y[3] * s, b2 = mp * G9 * len * s;
  double det = a11 * a22 - a12 * a12;
  (void)t;
  dy[0] = y[1], dy[1] = (b1 * a22 - a12 * b2) / det;
  dy[2] = y[3], dy[3] = (a11 * b2 - a12 * b1) / det;
  dy[4] = lean, dy[5] = (-60 * lean - 20 * y[4] - 8 * y[3] - y[5]) / 0.02;
}
// cart, pole, states, variables
static void pid_lift(double t, const double *y, double *q, double *v) {
  double c = cos(y[2]), s = sin(y[2]), dy[6];
  pid_slope(t, y, dy);
  q[0] = y[0], q[1] = q[2] = 0, v[0] = y[1], v[1] = v[2] = 0;
  q[3] = y[0] - 0.5 * s, q[4] = 0.5 * c, q[5] = y[2];
  v[3] = y[1] - 0.5 * c * y[3], v[4] = -0.5 * s * y[3], v[5] = y[3];
  q[6] = y[4], q[7] = y[5] / 9, v[6] = dy[4], v[7] = dy[5] / 9; // counted in its first value
  v[8] = dy[4], v[9] = -60 * dy[4] - 20 * y[4] - 8 * y[3];
}
static void make_pid(motion *x) {
  static const double y0[6] = {0, 0, 0.15, 0, 0, -9};
  static const char *const set[] = {"F0=-9", NULL};
  x->m = load_model("inverted_pendulum_pid.yaml", set);
  x->end = 1, x->step = 1.0 / 400;
  motion_by_ode(x, pid_slope, pid_lift, 6, y0, 8000);
}

// A pendulum whose hinge rubs by its own reaction: T = -mu |R| tanh(w/0.3), R = m (a - g) at the centre of
// mass, so that the angular acceleration is implicit. y = (angle, w)
static double rubbed(const double *y) {
  const double m = 2, J = 0.1, len = 0.6;
  double c = cos(y[0]), s = sin(y[0]), w = y[1], al = 0;
  for (int k = 0; k < 200; k++) {
    double ax = len * (-al * s - w * w * c), ay = len * (al * c - w * w * s);
    double R = hypot(m * ax, m * (ay + G9));
    al = (-m * G9 * len * c - 0.1 * R * tanh(w / 0.3)) / (J + m * len * len);
  }
  return al;
}
static void rubbed_slope(double t, const double *y, double *dy) {
  (void)t;
  dy[0] = y[1], dy[1] = rubbed(y);
}
static void rubbed_lift(double t, const double *y, double *q, double *v) {
  double c = cos(y[0]), s = sin(y[0]);
  (void)t;
  q[0] = 0.6 * c, q[1] = 0.6 * s, q[2] = y[0];
  v[0] = -0.6 * s * y[1], v[1] = 0.6 * c * y[1], v[2] = y[1];
}
static void make_rubbed(motion *x) {
  static const double y0[2] = {0, 1};
  x->m = load_text(
      "trammel: 1\nname: rubbing hinge\ngravity: [0, -9.81]\nbodies:\n"
      "  b: {type: planar, mass: 2, inertia: 0.1, position: [0.6, 0], omega: 1, velocity: [0, "
      "0.6]}\n"
      "joints:\n  pin: {type: revolute, bodies: [ground, b], at: [0, 0]}\n"
      "forces:\n  rub: {type: torque, markers: [b], torque: [0, 0, "
      "\"-0.1*FM(pin)*tanh(JV(pin)/0.3)\"]}\n");
  x->end = 1, x->step = 1.0 / 200;
  motion_by_ode(x, rubbed_slope, rubbed_lift, 2, y0, 4000);
}

// ---- spatial loops ----------------------------------------------------------------------------------

// Crank, rod and rocker; the crank driven by a quadratic law, a bob on the rod, damped.
static void make_driven_loop(motion *x) {
  x->m = load_text(
      "trammel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  crank: {type: spatial, mass: 1, inertia: [0.01, 0.02, 0.02], position: [0.1, 0, 0]}\n"
      "  rod: {type: spatial, mass: 1.5, inertia: [0.12, 0.12, 0.002], position: [0.45, 0.3, "
      "0.2],\n"
      "    orientation: {z-axis: [0.6, 0.6, 0.4]}}\n"
      "  rocker: {type: spatial, mass: 2, inertia: [0.05, 0.01, 0.05], position: [0.7, 0.6, 0.2]}\n"
      "  bob: {type: spatial, mass: 0.7, inertia: [0.01, 0.02, 0.015], position: [0.6, 0.3, 0]}\n"
      "joints:\n"
      "  A: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  B: {type: universal, bodies: [crank, rod], at: [0.1, 0, 0]}\n"
      "  C: {type: spherical, bodies: [rod, rocker], at: [0.7, 0.6, 0.4]}\n"
      "  D: {type: revolute, bodies: [ground, rocker], at: [0.7, 0.6, 0], axis: [1, 0.2, 0]}\n"
      "  E: {type: spherical, bodies: [rod, bob], at: [0.4, 0.3, 0.2]}\n"
      "  drive: {type: motion, joint: A, position: -0.3*time - 0.1*time^2}\n"
      "forces:\n"
      "  hinge: {type: torsion-spring, joints: [D], stiffness: 3, damping: 0.8}\n"
      "  pull: {type: spring-damper, markers: [{at: [0.6, 0.3, 0.5]}, bob], stiffness: 30,\n"
      "    damping: 1.5, free-length: 0.3}\n");
  x->end = 0.5, x->step = 0.5 / 64;
  motion_by_rk4(x, 4000);
}

// Rods in Euler parameters, Euler angles and on the Lie group, one of them lifted ever faster, with drag.
static void make_mixed_loop(motion *x) {
  x->m = load_text(
      "trammel: 1\ngravity: [0.5, 0, -9.81]\nbodies:\n"
      "  a: {type: spatial, coordinates: euler-parameters, mass: 1, inertia: [0.002, 0.08, 0.08],\n"
      "    position: [0.5, 0, 0], omega: [3, 2, 1]}\n"
      "  b: {type: spatial, coordinates: euler-313, mass: 1.3, inertia: [0.08, 0.003, 0.08],\n"
      "    orientation: {x: 70 deg}, position: [1, 0.5, 0.1]}\n"
      "  c: {type: spatial, mass: 0.8, inertia: [0.08, 0.08, 0.002], position: [1, 1, 0.6]}\n"
      "joints:\n"
      "  A: {type: universal, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
      "  B: {type: spherical, bodies: [a, b], at: [1, 0, 0]}\n"
      "  C: {type: universal, bodies: [b, c], at: [1, 1, 0.2], axis: [0, 1, 0]}\n"
      "  D: {type: spherical, bodies: [c, ground], at: [1, 1, 1]}\n"
      "  lift: {type: motion, markers: [ground, b], along: z, position: 0.1 + 0.05*time^2}\n"
      "forces:\n"
      "  air: {type: drag, markers: [b], linear: 0.3}\n");
  x->end = 0.5, x->step = 0.5 / 256;
  motion_by_rk4(x, 4000);
}

// ---- problems shared with other tests ---------------------------------------------------------------

static void make_bead(motion *x) {
  x->m = load_problem(&bead);
  x->end = 1, x->step = 1.0 / 80;
  motion_by_rk4(x, 8000);
}

static void make_andrews(motion *x) {
  x->m = load_problem(&tr_problem_seven_angles);
  x->end = 0.0075, x->step = 0.0075 / 128;
  motion_by_rk4(x, 8000);
}

const course courses[] = {{"damped slider crank", make_slider_crank, false, false},
                          {"three-link pendulum", make_three_links, false, true},
                          {"heavy top", make_top, false, true},
                          {"thrown body", make_free_body, false, true},
                          {"swing", make_swing, false, false},
                          {"swing from values", make_bare_swing, false, false},
                          {"two links", make_arm, true, false},
                          {"driven arm", make_driven_arm, true, false},
                          {"bead on a breathing rail", make_bead, true, false},
                          {"seven angles", make_andrews, true, false},
                          {"sleigh", make_sleigh, false, false},
                          {"rolling coin", make_coin, false, true},
                          {"pendulum under control", make_pid, false, false},
                          {"driven loop", make_driven_loop, false, true},
                          {"loop in mixed coordinates", make_mixed_loop, false, true},
                          {NULL, NULL, false, false}};

const course rubbing_hinge = {"rubbing hinge", make_rubbed, false, false};

motion follow(const course *c) {
  motion x = {.name = c->name};
  c->make(&x);
  return x;
}

motion follow_named(const char *name) {
  for (const course *c = courses; c->name; c++)
    if (!strcmp(c->name, name)) return follow(c);
  fail_msg("no course %s", name);
  return (motion){0};
}
