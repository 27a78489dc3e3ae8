// SPDX-License-Identifier: Apache-2.0
// Andrews' squeezing mechanism in seven angles, data and start of the Test Set for IVP Solvers.
//
// Ten vectors R (cos, sin)(angle) make the loops, the angle one coordinate or the sum of two:
//   X = rr cos b - d cos(b + T),   Y = rr sin b - d sin(b + T)
//   loop 1   X - ss sin g - xb                     Y + ss cos g - yb
//   loop 2   X - e sin(F + D) - zt cos D - xa      Y + e cos(F + D) - zt sin D - ya
//   loop 3   X - zf cos(W + E) - u sin E - xa      Y - zf sin(W + E) + u cos E - ya
// Sines and cosines are taken once per evaluation.
#include "ggl.h"

enum { B, T, C, F, D, W, E, NQ, NC = 6 };
static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050,
                    m6 = 0.00706, m7 = 0.05498, I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6,
                    I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7, I7 = 1.912e-5;
static const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014,
                    yc = 0.072, c0 = 4530, l0 = 0.07785, d = 0.028, da = 0.0115, e = 0.02,
                    ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874, sb = 0.01043,
                    sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228,
                    ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421, mom = 0.033;

// The vectors of the loops: (x, y) of each.
typedef struct arms {
  double b[2], bt[2], g[2], fd[2], dd[2], we[2], ee[2];
} arms;

static void find_arms(const double *q, arms *a) {
  double cb = cos(q[B]), sb_ = sin(q[B]), cbt = cos(q[B] + q[T]), sbt = sin(q[B] + q[T]);
  double cg = cos(q[C]), sg = sin(q[C]), cfd = cos(q[F] + q[D]), sfd = sin(q[F] + q[D]);
  double cd = cos(q[D]), sd_ = sin(q[D]), cwe = cos(q[W] + q[E]), swe = sin(q[W] + q[E]);
  double ce = cos(q[E]), se = sin(q[E]);
  *a = (arms){.b = {rr * cb, rr * sb_},
              .bt = {-d * cbt, -d * sbt},
              .g = {-ss * sg, ss * cg},
              .fd = {-e * sfd, e * cfd},
              .dd = {-zt * cd, -zt * sd_},
              .we = {-zf * cwe, -zf * swe},
              .ee = {-u * se, u * ce}};
}

// Loop l: its vectors and the coordinates that turn them (j < 0: one).
typedef struct use {
  const double *x;
  int i, j;
} use;

static int loop(const arms *a, int l, use *s) {
  s[0] = (use){a->b, B, -1}, s[1] = (use){a->bt, B, T};
  if (l == 0) return s[2] = (use){a->g, C, -1}, 3;
  s[2] = l == 1 ? (use){a->fd, F, D} : (use){a->we, W, E};
  s[3] = l == 1 ? (use){a->dd, D, -1} : (use){a->ee, E, -1};
  return 4;
}

static void find_mass(const double *q, double *M) {
  double cT = cos(q[T]), sF = sin(q[F]), sW = sin(q[W]), p4 = e - ea, p6 = zf - fa;
  memset(M, 0, NQ * NQ * sizeof *M);
  M[B * NQ + B] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cT + da * da) + I1 + I2;
  M[T * NQ + B] = M[B * NQ + T] = m2 * (da * da - da * rr * cT) + I2;
  M[T * NQ + T] = m2 * da * da + I2;
  M[C * NQ + C] = m3 * (sa * sa + sb * sb) + I3;
  M[F * NQ + F] = m4 * p4 * p4 + I4;
  M[D * NQ + F] = M[F * NQ + D] = m4 * (p4 * p4 + zt * p4 * sF) + I4;
  M[D * NQ + D] = m4 * (zt * zt + 2 * zt * p4 * sF + p4 * p4) + m5 * (ta * ta + tb * tb) + I4 + I5;
  M[W * NQ + W] = m6 * p6 * p6 + I6;
  M[E * NQ + W] = M[W * NQ + E] = m6 * (p6 * p6 - u * p6 * sW) + I6;
  M[E * NQ + E] = m6 * (p6 * p6 - 2 * u * p6 * sW + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
}

// The spring's torque on K3 and its derivative by gamma.
static double spring(double g, double *slope) {
  double c = cos(g), s = sin(g), x = sd * c + sc * s + xb - xc, y = sd * s - sc * c + yb - yc;
  double dx = sc * c - sd * s, dy = sd * c + sc * s, L = hypot(x, y), k = -c0 * (L - l0) / L;
  double arm = x * dx + y * dy, dL = arm / L, dk = -c0 * l0 * dL / (L * L);
  // d/dg of (dx, dy) = -(x - xb + xc, ..)
  *slope = dk * arm + k * (dx * dx + dy * dy - x * (sd * c + sc * s) - y * (sd * s - sc * c));
  return k * arm;
}

static void residual(const ggl *g, double t, const double *y, const double *yp, double *r) {
  (void)t;
  (void)g;
  const double *q = y, *v = y + NQ, *lam = v + NQ, *mu = lam + NC, *a = yp + NQ;
  double *r_q = r, *r_v = r + NQ, *rate = r_v + NQ, *phi = rate + NC, M[NQ * NQ], slope;
  double sT = sin(q[T]), cF = cos(q[F]), cW = cos(q[W]), k2 = m2 * da * rr;
  double k4 = m4 * zt * (e - ea), k6 = m6 * u * (zf - fa);
  const double f[NQ] = {mom - k2 * v[T] * (v[T] + 2 * v[B]) * sT,
                        k2 * v[B] * v[B] * sT,
                        spring(q[C], &slope),
                        k4 * v[D] * v[D] * cF,
                        -k4 * v[F] * (v[F] + 2 * v[D]) * cF,
                        -k6 * v[E] * v[E] * cW,
                        k6 * v[W] * (v[W] + 2 * v[E]) * cW};
  find_mass(q, M);
  for (int i = 0; i < NQ; i++) {
    r_q[i] = yp[i] - v[i], r_v[i] = -f[i];
    for (int j = 0; j < NQ; j++) r_v[i] += M[i * NQ + j] * a[j];
  }
  const double at[3][2] = {{xb, yb}, {xa, ya}, {xa, ya}};
  arms arm;
  find_arms(q, &arm);
  for (int l = 0; l < 3; l++) {
    use s[4];
    int n = loop(&arm, l, s);
    const double *la = lam + 2 * l, *m = mu + 2 * l;
    phi[2 * l] = -at[l][0], phi[2 * l + 1] = -at[l][1];
    rate[2 * l] = rate[2 * l + 1] = 0;
    for (int k = 0; k < n; k++) {
      double x = s[k].x[0], z = s[k].x[1], w = v[s[k].i] + (s[k].j < 0 ? 0 : v[s[k].j]);
      double pull = -z * la[0] + x * la[1], push = -z * m[0] + x * m[1];
      phi[2 * l] += x, phi[2 * l + 1] += z;
      rate[2 * l] -= z * w, rate[2 * l + 1] += x * w;
      r_v[s[k].i] += pull, r_q[s[k].i] += push;
      if (s[k].j >= 0) r_v[s[k].j] += pull, r_q[s[k].j] += push;
    }
  }
}

// (M v' - f) by q and v, and the mass.
static void matrix_of_motion(ggl *g, double cj, const double *q, const double *v, const double *a) {
  double M[NQ * NQ], slope, sT = sin(q[T]), cT = cos(q[T]), cF = cos(q[F]), sF = sin(q[F]);
  double cW = cos(q[W]), sW = sin(q[W]), k2 = m2 * da * rr, k4 = m4 * zt * (e - ea),
         k6 = m6 * u * (zf - fa);
  static const int pair[13][2] = {{B, B}, {B, T}, {T, B}, {T, T}, {C, C}, {F, F}, {F, D},
                                  {D, F}, {D, D}, {W, W}, {W, E}, {E, W}, {E, E}};
  find_mass(q, M);
  spring(q[C], &slope);
  for (int k = 0; k < 13; k++)
    ggl_emit(g, NQ + pair[k][0], NQ + pair[k][1], cj * M[pair[k][0] * NQ + pair[k][1]]);
  ggl_emit(g, NQ + B, T, k2 * (2 * sT * a[B] + sT * a[T] + v[T] * (v[T] + 2 * v[B]) * cT));
  ggl_emit(g, NQ + T, T, k2 * (sT * a[B] - v[B] * v[B] * cT));
  ggl_emit(g, NQ + C, C, -slope);
  ggl_emit(g, NQ + F, F, k4 * (cF * a[D] + v[D] * v[D] * sF));
  ggl_emit(g, NQ + D, F, k4 * (cF * (a[F] + 2 * a[D]) - v[F] * (v[F] + 2 * v[D]) * sF));
  ggl_emit(g, NQ + W, W, -k6 * (cW * a[E] + v[E] * v[E] * sW));
  ggl_emit(g, NQ + E, W, -k6 * (cW * (a[W] + 2 * a[E]) - v[W] * (v[W] + 2 * v[E]) * sW));
  ggl_emit(g, NQ + B, NQ + T, 2 * k2 * (v[T] + v[B]) * sT);
  ggl_emit(g, NQ + B, NQ + B, 2 * k2 * v[T] * sT);
  ggl_emit(g, NQ + T, NQ + B, -2 * k2 * v[B] * sT);
  ggl_emit(g, NQ + F, NQ + D, -2 * k4 * v[D] * cF);
  ggl_emit(g, NQ + D, NQ + F, 2 * k4 * (v[F] + v[D]) * cF);
  ggl_emit(g, NQ + D, NQ + D, 2 * k4 * v[F] * cF);
  ggl_emit(g, NQ + W, NQ + E, 2 * k6 * v[E] * cW);
  ggl_emit(g, NQ + E, NQ + W, -2 * k6 * (v[W] + v[E]) * cW);
  ggl_emit(g, NQ + E, NQ + E, -2 * k6 * v[W] * cW);
}

static void matrix(ggl *g, double t, double cj, const double *y, const double *yp) {
  (void)t;
  enum { V = NQ, LAM = 2 * NQ, MU = LAM + NC };
  const double *q = y, *v = y + NQ, *lam = v + NQ, *mu = lam + NC;
  for (int i = 0; i < NQ; i++) ggl_emit(g, i, i, cj), ggl_emit(g, i, V + i, -1);
  matrix_of_motion(g, cj, q, v, yp + NQ);
  arms arm;
  find_arms(q, &arm);
  for (int l = 0; l < 3; l++) {
    use s[4];
    int n = loop(&arm, l, s);
    for (int k = 0; k < n; k++) {
      double x[2] = {s[k].x[0], s[k].x[1]}, G[2] = {-x[1], x[0]};
      int turned[2] = {s[k].i, s[k].j};
      double w = v[s[k].i] + (s[k].j < 0 ? 0 : v[s[k].j]);
      for (int c = 0; c < 2 && turned[c] >= 0; c++) {
        int j = turned[c];
        for (int i = 0; i < 2; i++) {
          int row = 2 * l + i;
          ggl_emit(g, MU + row, j, G[i]), ggl_emit(g, LAM + row, V + j, G[i]);
          ggl_emit(g, V + j, LAM + row, G[i]), ggl_emit(g, j, MU + row, G[i]);
          ggl_emit(g, LAM + row, j, -x[i] * w);
        }
        double bend = -(x[0] * lam[2 * l] + x[1] * lam[2 * l + 1]);
        double shift = -(x[0] * mu[2 * l] + x[1] * mu[2 * l + 1]);
        for (int o = 0; o < 2 && turned[o] >= 0; o++)
          ggl_emit(g, V + turned[o], j, bend), ggl_emit(g, turned[o], j, shift);
      }
    }
  }
}

static void observe(const ggl *g, const double *y, double *x, double *v) {
  (void)g;
  x[0] = y[B], v[0] = y[NQ + B];
  x[1] = x[2] = v[1] = v[2] = 0;
}

int ggl_andrews(ggl *g) {
  static const double q0[NQ] = {-0.0617138900142764496, 0,
                                0.455279819163070380,   0.222668390165885885,
                                0.487364979543842550,   -0.222668390165885885,
                                1.23054744454982119};
  g->nq = NQ, g->nc = NC, g->entries = 1000;
  g->residual = residual, g->matrix = matrix, g->observe = observe;
  g->q0 = calloc(NQ, sizeof *g->q0);
  g->v0 = calloc(NQ, sizeof *g->v0);
  if (!g->q0 || !g->v0) return 1;
  memcpy(g->q0, q0, sizeof q0);
  return 0;
}
