// SPDX-License-Identifier: Apache-2.0
// [GNP05] Tables 1 and 2: Newmark on the simple pendulum, errors at T = 4 against the exact motion.
//
// Exactly one Newton iteration per step from (a_n, lam_n), as the tables were made: with converged
// iterations the coarse steps differ visibly. In Table 1 (gamma = 1/2, no damping) perturbations normal
// to the constraint have a double root at -1, so round-off grows with the steps: in exact arithmetic
// the last two velocity errors are 5.736e-5 and 1.435e-5, and every implementation in double precision
// has its own third digit there.
#include <math.h>

#include "verify.h"

enum { ROWS = 8, FIRST = 4 }; // h = 2^-4 .. 2^-11

// The amplitude am(u, k) by the arithmetic-geometric mean: sn = sin am, cn = cos am.
static double amplitude(double u, double k) {
  double a[16], c[16], b = sqrt(1 - k * k);
  int n = 0;
  a[0] = 1, c[0] = k;
  while (n < 15 && fabs(c[n]) > 1e-17) {
    a[n + 1] = 0.5 * (a[n] + b), c[n + 1] = 0.5 * (a[n] - b);
    b = sqrt(a[n] * b);
    n++;
  }
  double phi = ldexp(a[n] * u, n);
  for (; n > 0; n--) phi = 0.5 * (phi + asin(c[n] / a[n] * sin(phi)));
  return phi;
}

// K(k), a quarter of the period.
static double quarter(double k) {
  double a = 1, b = sqrt(1 - k * k);
  while (fabs(a - b) > 1e-16) {
    double mean = 0.5 * (a + b);
    b = sqrt(a * b), a = mean;
  }
  return acos(-1) / (2 * a);
}

// x, y, x', y' of the pendulum released at theta0: with k = sin(theta0/2), u = w t + K(k),
//   sin(theta/2) = k sn(u, k),   theta' = 2 k w cn(u, k)
static void exact(double theta0, double w, double t, double out[4]) {
  double k = sin(theta0 / 2), am = amplitude(w * t + quarter(k), k);
  double theta = 2 * asin(k * sin(am)), rate = 2 * k * w * cos(am);
  out[0] = sin(theta), out[1] = -cos(theta);
  out[2] = cos(theta) * rate, out[3] = sin(theta) * rate;
}

static tr_status table(verify *v, const char *method, const char *const printed[ROWS][2]) {
  static const char ROUND_OFF[] = "round-off grows: double root at -1";
  verify_system s;
  TR_TRY(verify_load(v, "pendulum", 0, NULL, &s));
  double want[4];
  exact(acos(-1) / 3, sqrt(9.81), 4, want);
  tr_status status = TR_OK;
  for (int i = 0; i < ROWS && status == TR_OK; i++) {
    int p = FIRST + i;
    verify_run run = {s.system, method, ldexp(1, -p), 4, .iterations = 1};
    verify_result r;
    status = verify_do(v, &run, &r);
    if (status != TR_OK) break;
    double dq = hypot(r.x.q[0] - want[0], r.x.q[1] - want[1]);
    double dv = hypot(r.x.v[0] - want[2], r.x.v[1] - want[3]);
    bool grown = dv < 6e-5; // Table 1 only
    verify_drop(&r);
    status = verify_entry(v, "m", printed[i][0], dq, NULL, "h = 2^-%d, error of q", p);
    if (status == TR_OK)
      status = verify_entry(v, "m/s", printed[i][1], dv, grown ? ROUND_OFF : NULL,
                            "h = 2^-%d, error of v", p);
  }
  verify_unload(&s);
  return status;
}

static tr_status table1(verify *v) {
  static const char *const printed[ROWS][2] = {{"7.72e-2", "7.46e-1"}, {"1.49e-2", "2.94e-2"},
                                               {"4.48e-3", "1.10e-2"}, {"1.13e-3", "3.42e-3"},
                                               {"2.82e-4", "9.02e-4"}, {"7.05e-5", "2.29e-4"},
                                               {"1.76e-5", "5.73e-5"}, {"4.41e-6", "1.44e-5"}};
  return table(v, "newmark:beta=1/4,gamma=1/2", printed);
}

static tr_status table2(verify *v) {
  static const char *const printed[ROWS][2] = {{"1.56e-1", "1.13"},    {"6.21e-2", "7.38e-1"},
                                               {"2.26e-2", "4.27e-1"}, {"8.19e-3", "2.31e-1"},
                                               {"3.15e-3", "1.20e-1"}, {"1.31e-3", "6.12e-2"},
                                               {"5.88e-4", "3.09e-2"}, {"2.77e-4", "1.55e-2"}};
  return table(v, "newmark:beta=25/64,gamma=3/4", printed);
}

const verify_group verify_gnp05_table1 = {{"gnp05-table1",
                                           "Newmark(1/4, 1/2) on the simple pendulum, one Newton "
                                           "iteration per step: 2-norms of the errors "
                                           "of q and v at T = 4",
                                           "GNP05"},
                                          ROWS,
                                          table1};

const verify_group verify_gnp05_table2 = {
    {"gnp05-table2", "Newmark(25/64, 3/4), of first order, in the same way", "GNP05"},
    ROWS,
    table2};
