// SPDX-License-Identifier: Apache-2.0
// Andrews' squeezing mechanism (seven bodies) in angles b, T, g, F, d, W, e: the relative angles T, F,
// W make M(q) vary, the absolute ones make three loops of two constraints each.
//
// Each loop closes the point P = (X, Y) of the first two bodies:
//   X = rr cos b - dd cos(b+T),   Y = rr sin b - dd sin(b+T)
//   loop 1   X - ss sin g - xb,                     Y + ss cos g - yb
//   loop 2   X - ee sin(F+d) - zt cos d - xa,       Y + ee cos(F+d) - zt sin d - ya
//   loop 3   X - zf cos(W+e) - u sin e - xa,        Y - zf sin(W+e) + u cos e - ya
// Every row is a constant plus a sum of terms R cos(angle) or R sin(angle), angle a sum of coordinates;
// the table `term` holds them, and Phi, G, gacc and (G' lam)_q all follow from it.
#include <math.h>
#include <string.h>

#include "problems.h"

enum { B, T, C, F, D, W, E, N }; // beta, Theta, gamma, Phi, delta, Omega, epsilon
enum { LOOPS = 3, TERMS = 4, M = 2 * LOOPS };

static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050,
                    m6 = 0.00706, m7 = 0.05498;
static const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
                    I6 = 5.667e-7, I7 = 1.912e-5;
static const double xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072, c0 = 4530, l0 = 0.07785;
static const double da = 0.0115, e_ea = 0.02 - 0.01421, rr = 0.007, ra = 0.00092, sa = 0.01874,
                    sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04,
                    ua = 0.01228, ub = 0.00449, zf_fa = 0.02 - 0.01421, zt = 0.04, torque = 0.033;
static const double q0[N] = {-0.0617138900142764496, 0,
                             0.455279819163070380,   0.222668390165885885,
                             0.487364979543842550,   -0.222668390165885885,
                             1.23054744454982119};

// ---- constraints ----------------------------------------------------------------------------------

// R cos(q[i] + q[j] + turn) in the first row of a loop, R sin(...) in the second; j < 0: q[i] alone.
typedef struct term {
  double R, turn;
  int i, j;
} term;

#define QUARTER 1.57079632679489661923
static const double at[LOOPS][2] = {
    {-0.03635, 0.03273}, {-0.06934, -0.00227}, {-0.06934, -0.00227}};
// -R sin x = R cos(x + QUARTER), R cos x = R sin(x + QUARTER)
static const term terms[LOOPS][TERMS] = {
    {{0.007, 0, B, -1}, {-0.028, 0, B, T}, {0.035, QUARTER, C, -1}, {0, 0, C, -1}},
    {{0.007, 0, B, -1}, {-0.028, 0, B, T}, {0.02, QUARTER, F, D}, {-0.04, 0, D, -1}},
    {{0.007, 0, B, -1}, {-0.028, 0, B, T}, {-0.02, 0, W, E}, {0.04, QUARTER, E, -1}}};

static double angle(const term *k, const double *x) { return x[k->i] + (k->j < 0 ? 0 : x[k->j]); }

static tr_status phi(const tr_problem *p, double t, const double *q, double *out) {
  (void)p, (void)t;
  for (int l = 0; l < LOOPS; l++) {
    out[2 * l] = -at[l][0], out[2 * l + 1] = -at[l][1];
    for (int k = 0; k < TERMS; k++) {
      const term *s = &terms[l][k];
      double x = angle(s, q) + s->turn;
      out[2 * l] += s->R * cos(x);
      out[2 * l + 1] += s->R * sin(x);
    }
  }
  return TR_OK;
}

static tr_status jac(const tr_problem *p, double t, const double *q, double *G) {
  (void)p, (void)t;
  memset(G, 0, (size_t)(M * N) * sizeof *G);
  for (int l = 0; l < LOOPS; l++) {
    for (int k = 0; k < TERMS; k++) {
      const term *s = &terms[l][k];
      double x = angle(s, q) + s->turn, *row = G + (size_t)(2 * l) * N;
      row[s->i] -= s->R * sin(x);
      row[N + s->i] += s->R * cos(x);
      if (s->j < 0) continue;
      row[s->j] -= s->R * sin(x);
      row[N + s->j] += s->R * cos(x);
    }
  }
  return TR_OK;
}

static tr_status phi_t(const tr_problem *p, double t, const double *q, double *out) {
  (void)p, (void)t, (void)q;
  memset(out, 0, M * sizeof *out);
  return TR_OK;
}

static tr_status gacc(const tr_problem *p, double t, const double *q, const double *v,
                      double *out) {
  (void)p, (void)t;
  memset(out, 0, M * sizeof *out);
  for (int l = 0; l < LOOPS; l++) {
    for (int k = 0; k < TERMS; k++) {
      const term *s = &terms[l][k];
      double x = angle(s, q) + s->turn, w = angle(s, v);
      out[2 * l] -= s->R * cos(x) * w * w;
      out[2 * l + 1] -= s->R * sin(x) * w * w;
    }
  }
  return TR_OK;
}

static tr_status geom(const tr_problem *p, double t, const double *q, const double *lam,
                      double *K) {
  (void)p, (void)t;
  memset(K, 0, (size_t)(N * N) * sizeof *K);
  for (int l = 0; l < LOOPS; l++) {
    for (int k = 0; k < TERMS; k++) {
      const term *s = &terms[l][k];
      double x = angle(s, q) + s->turn;
      double f = -s->R * (cos(x) * lam[2 * l] + sin(x) * lam[2 * l + 1]);
      K[s->i * N + s->i] += f;
      if (s->j < 0) continue;
      K[s->j * N + s->j] += f;
      K[s->i * N + s->j] += f;
      K[s->j * N + s->i] += f;
    }
  }
  return TR_OK;
}

// ---- mass and forces ------------------------------------------------------------------------------

static void put(double *A, int i, int j, double x) { A[i * N + j] = A[j * N + i] = x; }

static tr_status mass(const tr_problem *p, const double *q, double *A) {
  (void)p;
  double x = m2 * da * rr * cos(q[T]), y = m4 * zt * e_ea * sin(q[F]),
         z = m6 * u * zf_fa * sin(q[W]);
  double A2 = m2 * da * da + I2, A4 = m4 * e_ea * e_ea + I4, A6 = m6 * zf_fa * zf_fa + I6;
  memset(A, 0, (size_t)(N * N) * sizeof *A);
  put(A, B, B, m1 * ra * ra + m2 * rr * rr + I1 + A2 - 2 * x);
  put(A, T, B, A2 - x);
  put(A, T, T, A2);
  put(A, C, C, m3 * (sa * sa + sb * sb) + I3);
  put(A, F, F, A4);
  put(A, D, F, A4 + y);
  put(A, D, D, m4 * zt * zt + m5 * (ta * ta + tb * tb) + I5 + A4 + 2 * y);
  put(A, W, W, A6);
  put(A, E, W, A6 - z);
  put(A, E, E, m6 * u * u + m7 * (ua * ua + ub * ub) + I7 + A6 - 2 * z);
  return TR_OK;
}

// (M a)_q: each pair of bodies depends on its relative angle alone.
static tr_status mass_dq(const tr_problem *p, const double *q, const double *a, double *K) {
  (void)p;
  double x = -m2 * da * rr * sin(q[T]), y = m4 * zt * e_ea * cos(q[F]),
         z = m6 * u * zf_fa * cos(q[W]);
  memset(K, 0, (size_t)(N * N) * sizeof *K);
  K[B * N + T] = -x * (2 * a[B] + a[T]), K[T * N + T] = -x * a[B];
  K[D * N + F] = y * (2 * a[D] + a[F]), K[F * N + F] = y * a[D];
  K[E * N + W] = -z * (2 * a[E] + a[W]), K[W * N + W] = -z * a[E];
  return TR_OK;
}

// The spring's moment about B, and its derivative by gamma.
static double spring(double g, double *slope) {
  double px = sd * cos(g) + sc * sin(g), py = sd * sin(g) - sc * cos(g); // D - B
  double x = px + xb - xc, y = py + yb - yc, length = sqrt(x * x + y * y);
  double along = -x * py + y * px; // (D - C) . dD
  double k = -c0 * (length - l0) / length;
  double dk = -c0 * l0 * along / (length * length * length);
  if (slope) *slope = dk * along + k * (px * px + py * py - x * px - y * py);
  return k * along;
}

static tr_status force(const tr_problem *p, double t, const double *q, const double *v, double *Q) {
  (void)p, (void)t;
  double x = m2 * da * rr * sin(q[T]), y = m4 * zt * e_ea * cos(q[F]),
         z = m6 * u * zf_fa * cos(q[W]);
  Q[B] = torque - x * v[T] * (v[T] + 2 * v[B]);
  Q[T] = x * v[B] * v[B];
  Q[C] = spring(q[C], NULL);
  Q[F] = y * v[D] * v[D];
  Q[D] = -y * v[F] * (v[F] + 2 * v[D]);
  Q[W] = -z * v[E] * v[E];
  Q[E] = z * v[W] * (v[W] + 2 * v[E]);
  return TR_OK;
}

static tr_status force_dq(const tr_problem *p, double t, const double *q, const double *v,
                          double *K) {
  (void)p, (void)t;
  double x = m2 * da * rr * cos(q[T]), y = -m4 * zt * e_ea * sin(q[F]),
         z = -m6 * u * zf_fa * sin(q[W]);
  memset(K, 0, (size_t)(N * N) * sizeof *K);
  K[B * N + T] = -x * v[T] * (v[T] + 2 * v[B]), K[T * N + T] = x * v[B] * v[B];
  (void)spring(q[C], &K[C * N + C]);
  K[D * N + F] = -y * v[F] * (v[F] + 2 * v[D]), K[F * N + F] = y * v[D] * v[D];
  K[E * N + W] = z * v[W] * (v[W] + 2 * v[E]), K[W * N + W] = -z * v[E] * v[E];
  return TR_OK;
}

static tr_status force_dv(const tr_problem *p, double t, const double *q, const double *v,
                          double *K) {
  (void)p, (void)t;
  double x = m2 * da * rr * sin(q[T]), y = m4 * zt * e_ea * cos(q[F]),
         z = m6 * u * zf_fa * cos(q[W]);
  memset(K, 0, (size_t)(N * N) * sizeof *K);
  K[B * N + T] = -2 * x * (v[T] + v[B]), K[B * N + B] = -2 * x * v[T], K[T * N + B] = 2 * x * v[B];
  K[D * N + F] = -2 * y * (v[F] + v[D]), K[D * N + D] = -2 * y * v[F], K[F * N + D] = 2 * y * v[D];
  K[E * N + W] = 2 * z * (v[W] + v[E]), K[E * N + E] = 2 * z * v[W], K[W * N + E] = -2 * z * v[E];
  return TR_OK;
}

static tr_status energy(const tr_problem *p, double t, const double *q, const double *v,
                        double *kinetic, double *potential) {
  (void)t;
  double A[N * N], g = q[C];
  (void)mass(p, q, A);
  *kinetic = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) *kinetic += 0.5 * v[i] * A[i * N + j] * v[j];
  double x = sd * cos(g) + sc * sin(g) + xb - xc, y = sd * sin(g) - sc * cos(g) + yb - yc;
  double stretch = sqrt(x * x + y * y) - l0;
  *potential = 0.5 * c0 * stretch * stretch - torque * q[B];
  return TR_OK;
}

const tr_problem tr_problem_seven_angles = {.n = N,
                                            .m = M,
                                            .q0 = q0,
                                            .mass = mass,
                                            .force = force,
                                            .phi = phi,
                                            .jac = jac,
                                            .phi_t = phi_t,
                                            .gamma = gacc,
                                            .mass_dq = mass_dq,
                                            .force_dq = force_dq,
                                            .force_dv = force_dv,
                                            .geom = geom,
                                            .energy = energy};
