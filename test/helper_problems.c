// SPDX-License-Identifier: Apache-2.0
// The bead and the seven angles.
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

// ---- andrews ----------------------------------------------------------------------------------------

enum { BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON, ANGLES, NONE = -1 };

static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050,
                    m6 = 0.00706, m7 = 0.05498;
static const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
                    I6 = 5.667e-7, I7 = 1.912e-5;
#define XA (-0.06934)
#define YA (-0.00227)
#define XB (-0.03635)
#define YB 0.03273
#define SS 0.035
#define RR 0.007
#define D 0.028
#define E 0.02
#define ZT 0.04
#define ZF 0.02
#define U 0.04
static const double xc = 0.014, yc = 0.072, c0 = 4530, l0 = 0.07785, da = 0.0115, ea = 0.01421,
                    ra = 0.00092, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308,
                    tb = 0.00916, ua = 0.01228, ub = 0.00449, fa = 0.01421, mom = 0.033;

// The coefficients of the three couplings in M and Q.
static double k2(void) { return m2 * da * RR; }
static double k4(void) { return m4 * ZT * (E - ea); }
static double k6(void) { return m6 * U * (ZF - fa); }

static tr_status andrews_mass(const tr_problem *p, const double *q, double *M) {
  (void)p;
  double a4 = m4 * (E - ea) * (E - ea) + I4, a6 = m6 * (ZF - fa) * (ZF - fa) + I6;
  memset(M, 0, ANGLES * ANGLES * sizeof *M);
  M[0] = m1 * ra * ra + m2 * (RR * RR + da * da) - 2 * k2() * cos(q[THETA]) + I1 + I2;
  M[1] = M[7] = m2 * da * da - k2() * cos(q[THETA]) + I2;
  M[8] = m2 * da * da + I2;
  M[16] = m3 * (sa * sa + sb * sb) + I3;
  M[24] = a4;
  M[25] = M[31] = a4 + k4() * sin(q[PHI]);
  M[32] = a4 + m4 * ZT * ZT + 2 * k4() * sin(q[PHI]) + m5 * (ta * ta + tb * tb) + I5;
  M[40] = a6;
  M[41] = M[47] = a6 - k6() * sin(q[OMEGA]);
  M[48] = a6 + m6 * U * U - 2 * k6() * sin(q[OMEGA]) + m7 * (ua * ua + ub * ub) + I7;
  return TR_OK;
}

static tr_status andrews_mass_dq(const tr_problem *p, const double *q, const double *a, double *K) {
  (void)p;
  double s = k2() * sin(q[THETA]), c = k4() * cos(q[PHI]), e = k6() * cos(q[OMEGA]);
  memset(K, 0, ANGLES * ANGLES * sizeof *K);
  K[ANGLES * BETA + THETA] = s * (2 * a[BETA] + a[THETA]);
  K[ANGLES * THETA + THETA] = s * a[BETA];
  K[ANGLES * PHI + PHI] = c * a[DELTA];
  K[ANGLES * DELTA + PHI] = c * (a[PHI] + 2 * a[DELTA]);
  K[ANGLES * OMEGA + OMEGA] = -e * a[EPSILON];
  K[ANGLES * EPSILON + OMEGA] = -e * (a[OMEGA] + 2 * a[EPSILON]);
  return TR_OK;
}

// The spring from C to D on the third body: d = D - C, its derivatives by gamma, length.
typedef struct spring {
  double d[2], d1[2], d2[2], L, P; // P = d . d1
} spring;
static spring stretch(const double *q) {
  double c = cos(q[GAMMA]), s = sin(q[GAMMA]);
  spring k = {.d = {sd * c + sc * s + XB - xc, sd * s - sc * c + YB - yc},
              .d1 = {sc * c - sd * s, sd * c + sc * s},
              .d2 = {-sd * c - sc * s, sc * c - sd * s}};
  k.L = hypot(k.d[0], k.d[1]);
  k.P = k.d[0] * k.d1[0] + k.d[1] * k.d1[1];
  return k;
}

static tr_status andrews_force(const tr_problem *p, double t, const double *q, const double *v,
                               double *Q) {
  (void)p, (void)t;
  spring k = stretch(q);
  Q[BETA] = mom - k2() * v[THETA] * (v[THETA] + 2 * v[BETA]) * sin(q[THETA]);
  Q[THETA] = k2() * v[BETA] * v[BETA] * sin(q[THETA]);
  Q[GAMMA] = -c0 * (k.L - l0) / k.L * k.P;
  Q[PHI] = k4() * v[DELTA] * v[DELTA] * cos(q[PHI]);
  Q[DELTA] = -k4() * v[PHI] * (v[PHI] + 2 * v[DELTA]) * cos(q[PHI]);
  Q[OMEGA] = -k6() * v[EPSILON] * v[EPSILON] * cos(q[OMEGA]);
  Q[EPSILON] = k6() * v[OMEGA] * (v[OMEGA] + 2 * v[EPSILON]) * cos(q[OMEGA]);
  return TR_OK;
}

static tr_status andrews_force_dq(const tr_problem *p, double t, const double *q, const double *v,
                                  double *K) {
  (void)p, (void)t;
  spring k = stretch(q);
  double curve = k.d1[0] * k.d1[0] + k.d1[1] * k.d1[1] + k.d[0] * k.d2[0] + k.d[1] * k.d2[1];
  memset(K, 0, ANGLES * ANGLES * sizeof *K);
  K[ANGLES * BETA + THETA] = -k2() * v[THETA] * (v[THETA] + 2 * v[BETA]) * cos(q[THETA]);
  K[ANGLES * THETA + THETA] = k2() * v[BETA] * v[BETA] * cos(q[THETA]);
  K[ANGLES * GAMMA + GAMMA] = -c0 * (l0 / (k.L * k.L * k.L) * k.P * k.P + (k.L - l0) / k.L * curve);
  K[ANGLES * PHI + PHI] = -k4() * v[DELTA] * v[DELTA] * sin(q[PHI]);
  K[ANGLES * DELTA + PHI] = k4() * v[PHI] * (v[PHI] + 2 * v[DELTA]) * sin(q[PHI]);
  K[ANGLES * OMEGA + OMEGA] = k6() * v[EPSILON] * v[EPSILON] * sin(q[OMEGA]);
  K[ANGLES * EPSILON + OMEGA] = -k6() * v[OMEGA] * (v[OMEGA] + 2 * v[EPSILON]) * sin(q[OMEGA]);
  return TR_OK;
}

static tr_status andrews_force_dv(const tr_problem *p, double t, const double *q, const double *v,
                                  double *K) {
  (void)p, (void)t;
  double s = 2 * k2() * sin(q[THETA]), c = 2 * k4() * cos(q[PHI]), e = 2 * k6() * cos(q[OMEGA]);
  memset(K, 0, ANGLES * ANGLES * sizeof *K);
  K[ANGLES * BETA + BETA] = -s * v[THETA];
  K[ANGLES * BETA + THETA] = -s * (v[THETA] + v[BETA]);
  K[ANGLES * THETA + BETA] = s * v[BETA];
  K[ANGLES * PHI + DELTA] = c * v[DELTA];
  K[ANGLES * DELTA + PHI] = -c * (v[PHI] + v[DELTA]);
  K[ANGLES * DELTA + DELTA] = -c * v[PHI];
  K[ANGLES * OMEGA + EPSILON] = -e * v[EPSILON];
  K[ANGLES * EPSILON + OMEGA] = e * (v[OMEGA] + v[EPSILON]);
  K[ANGLES * EPSILON + EPSILON] = e * v[OMEGA];
  return TR_OK;
}

// Phi_row = sum of amplitude cos or sin (q_i + q_j), minus a constant.
typedef struct term {
  int row;
  double amplitude;
  bool sine;
  int i, j; // j NONE: one angle
} term;
static const term terms[] = {
    {0, RR, false, BETA, NONE},   {0, -D, false, BETA, THETA},     {0, -SS, true, GAMMA, NONE},
    {1, RR, true, BETA, NONE},    {1, -D, true, BETA, THETA},      {1, SS, false, GAMMA, NONE},
    {2, RR, false, BETA, NONE},   {2, -D, false, BETA, THETA},     {2, -E, true, PHI, DELTA},
    {2, -ZT, false, DELTA, NONE}, {3, RR, true, BETA, NONE},       {3, -D, true, BETA, THETA},
    {3, E, false, PHI, DELTA},    {3, -ZT, true, DELTA, NONE},     {4, RR, false, BETA, NONE},
    {4, -D, false, BETA, THETA},  {4, -ZF, false, OMEGA, EPSILON}, {4, -U, true, EPSILON, NONE},
    {5, RR, true, BETA, NONE},    {5, -D, true, BETA, THETA},      {5, -ZF, true, OMEGA, EPSILON},
    {5, U, false, EPSILON, NONE},
};
enum { TERMS = sizeof terms / sizeof *terms, ROWS = 6 };
static const double constants[ROWS] = {XB, YB, XA, YA, XA, YA};

static double angle(const term *k, const double *q) {
  return q[k->i] + (k->j == NONE ? 0 : q[k->j]);
}
static double value(const term *k, const double *q) {
  return k->amplitude * (k->sine ? sin(angle(k, q)) : cos(angle(k, q)));
}
static double slope(const term *k, const double *q) {
  return k->amplitude * (k->sine ? cos(angle(k, q)) : -sin(angle(k, q)));
}

static tr_status andrews_phi(const tr_problem *p, double t, const double *q, double *phi) {
  (void)p, (void)t;
  for (int r = 0; r < ROWS; r++) phi[r] = -constants[r];
  for (int k = 0; k < TERMS; k++) phi[terms[k].row] += value(&terms[k], q);
  return TR_OK;
}

static tr_status andrews_jac(const tr_problem *p, double t, const double *q, double *G) {
  (void)p, (void)t;
  memset(G, 0, ROWS * ANGLES * sizeof *G);
  for (int k = 0; k < TERMS; k++) {
    double s = slope(&terms[k], q), *row = G + ANGLES * terms[k].row;
    row[terms[k].i] += s;
    if (terms[k].j != NONE) row[terms[k].j] += s;
  }
  return TR_OK;
}

static tr_status andrews_phi_t(const tr_problem *p, double t, const double *q, double *phi_t) {
  (void)p, (void)t, (void)q;
  memset(phi_t, 0, ROWS * sizeof *phi_t);
  return TR_OK;
}

static tr_status andrews_gamma(const tr_problem *p, double t, const double *q, const double *v,
                               double *gacc) {
  (void)p, (void)t;
  memset(gacc, 0, ROWS * sizeof *gacc);
  for (int k = 0; k < TERMS; k++)
    gacc[terms[k].row] -= value(&terms[k], q) * angle(&terms[k], v) * angle(&terms[k], v);
  return TR_OK;
}

static tr_status andrews_geom(const tr_problem *p, double t, const double *q, const double *lam,
                              double *K) {
  (void)p, (void)t;
  memset(K, 0, ANGLES * ANGLES * sizeof *K);
  for (int k = 0; k < TERMS; k++) {
    double s = lam[terms[k].row] * value(&terms[k], q);
    int at[2] = {terms[k].i, terms[k].j};
    for (int a = 0; a < 2; a++)
      for (int b = 0; b < 2; b++)
        if (at[a] != NONE && at[b] != NONE) K[ANGLES * at[a] + at[b]] -= s;
  }
  return TR_OK;
}

static tr_status andrews_energy(const tr_problem *p, double t, const double *q, const double *v,
                                double *kinetic, double *potential) {
  double M[ANGLES * ANGLES], x = stretch(q).L - l0;
  (void)t;
  andrews_mass(p, q, M);
  *kinetic = 0;
  for (int i = 0; i < ANGLES; i++)
    for (int j = 0; j < ANGLES; j++) *kinetic += 0.5 * v[i] * M[ANGLES * i + j] * v[j];
  *potential = 0.5 * c0 * x * x - mom * q[BETA];
  return TR_OK;
}

static const double andrews_q0[ANGLES] = {-0.0617138900142764496, 0,
                                          0.455279819163070380,   0.222668390165885885,
                                          0.487364979543842550,   -0.222668390165885885,
                                          1.23054744454982119};
const tr_problem andrews = {.n = ANGLES,
                            .m = ROWS,
                            .q0 = andrews_q0,
                            .mass = andrews_mass,
                            .force = andrews_force,
                            .phi = andrews_phi,
                            .jac = andrews_jac,
                            .phi_t = andrews_phi_t,
                            .gamma = andrews_gamma,
                            .mass_dq = andrews_mass_dq,
                            .force_dq = andrews_force_dq,
                            .force_dv = andrews_force_dv,
                            .geom = andrews_geom,
                            .energy = andrews_energy};
