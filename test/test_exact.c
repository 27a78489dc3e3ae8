// SPDX-License-Identifier: Apache-2.0
// Runs against exact solutions and published numbers.
//
// Where the exact solution is known the test asks two things of a second-order method: the error at a
// given step is what it was measured to be (within a margin), and half the step leaves a quarter of it.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_mechanics.h"
#include "math/v3.h"

// Runs to each time in turn and reads the named outputs there.
static void sample(const tr_system *sys, const char *method, double step, int times,
                   const double *at, int n, const char *const *names, double *out,
                   tr_run_info *info) {
  tr_run *run = new_run(sys, method, step, at[times - 1]);
  tr_error error = {0};
  for (int k = 0; k < times; k++) {
    if (tr_run_to(run, at[k], &error) != TR_OK) fail_msg("%s", error.text);
    assert_true(tr_run_state(run)->t == at[k]);
    for (int i = 0; i < n; i++) out[k * n + i] = output(sys, tr_run_state(run), names[i]);
  }
  if (info) *info = tr_run_describe(run);
  tr_run_free(run);
}

static double distance(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

// The error falls with the second power of the step: 4 per halving, less what O(h^3) adds.
static void assert_second_order(double coarse, double fine, const char *what) {
  assert_near(log2(coarse / fine), 2, 0.15, "%s: order", what);
}

// At least that, where a term of higher order still counts.
static void assert_order(double coarse, double fine, double least, const char *what) {
  if (log2(coarse / fine) < least) fail_msg("%s: order %.3f", what, log2(coarse / fine));
}

// ---- the pendulum by elliptic functions -------------------------------------------------------------

// sn, cn, dn of u for modulus k by descending Landen steps (arithmetic-geometric means).
static void jacobi(double u, double k, double *sn, double *cn, double *dn) {
  double a[16], c[16], b = sqrt(1 - k * k);
  int n = 0;
  a[0] = 1, c[0] = k;
  while (fabs(c[n]) > 1e-17 && n < 15) {
    a[n + 1] = 0.5 * (a[n] + b), c[n + 1] = 0.5 * (a[n] - b);
    b = sqrt(a[n] * b);
    n++;
  }
  double phi = ldexp(a[n] * u, n), last = phi;
  for (int i = n; i > 0; i--) {
    last = phi;
    phi = 0.5 * (phi + asin(c[i] / a[i] * sin(phi)));
  }
  *sn = sin(phi), *cn = cos(phi);
  *dn = n > 0 && fabs(cos(last - phi)) > 0.1 ? *cn / cos(last - phi) : sqrt(1 - k * k * *sn * *sn);
}

// Released at rest at theta0: sin(theta/2) = k cd(w t), k = sin(theta0/2).
static void pendulum(double t, double theta0, double g, double length, double *theta,
                     double *rate) {
  double k = sin(0.5 * theta0), w = sqrt(g / length), sn, cn, dn;
  jacobi(w * t, k, &sn, &cn, &dn);
  *theta = 2 * asin(k * cn / dn);
  // d(cd)/du = -(1 - k^2) sn/dn^2
  *rate = -2 * k * (1 - k * k) * w * sn / (dn * dn * cos(0.5 * *theta));
}

// The functions used as the reference are themselves right: 8 digits of a table row of A01 (IFToMM
// benchmark library, point mass released at rest at (-1, 0), g = 9.81), and its period.
static void elliptic_functions(void **u) {
  (void)u;
  double th, w;
  pendulum(0.3, 0.5 * TR_PI, 9.81, 1, &th, &w);
  assert_near(-sin(th), -9.053428509216325e-01, 1e-13, "A01 x(0.3)");
  assert_near(-cos(th), -4.246814362379058e-01, 1e-13, "A01 y(0.3)");
  assert_near(-cos(th) * w, 1.225870002079920, 1e-12, "A01 vx(0.3)");
  assert_near(sin(th) * w, -2.613329775781903, 1e-12, "A01 vy(0.3)");
  pendulum(2.3678419475762, 0.5 * TR_PI, 9.81, 1, &th, &w);
  assert_near(th, 0.5 * TR_PI, 1e-12, "A01 period");
}

// 2-norms of the errors in q and v of the shipped pendulum at T = 4; tol 0: the default.
static void pendulum_errors(const char *method, double h, int iterations, double tol, double *dq,
                            double *dv) {
  mechanism m = load_model("pendulum.yaml", NULL);
  tr_run_settings s = tr_run_defaults();
  tr_error error = {0};
  tr_run *run;
  double th, w;
  s.method = method, s.step = h, s.end = 4, s.newton.fixed_iterations = iterations;
  if (tol > 0) s.newton.tol = tol;
  if (tr_run_new(m.sys, &s, NULL, &run, &error) != TR_OK) fail_msg("%s", error.text);
  if (tr_run_all(run, &error) != TR_OK) fail_msg("%s", error.text);
  if (iterations > 0)
    assert_int_equal(tr_run_describe(run).newton_iterations, iterations * (long)(4 / h));
  const tr_state *x = tr_run_state(run);
  pendulum(4, TR_PI / 3, 9.81, 1, &th, &w);
  *dq = distance(2, x->q, (double[]){sin(th), -cos(th)});
  *dv = distance(2, x->v, (double[]){cos(th) * w, sin(th) * w});
  tr_run_free(run);
  unload(&m);
}

// [GNP05] Tables 1 and 2: one Newton iteration per step from (a_n, lam_n); all printed digits.
//
// Round-off: with gamma = 1/2 the constrained direction of the scheme, v1 = -v + 2 d/h and
// a1 = -a - 4 v/h + 4 d/h^2 for a gap d, has a double root at -1, so gaps of eps add up to eps N^(3/2)/h.
// It shows in the third digit of the last two velocities (in exact arithmetic they are 5.736e-5 and
// 1.435e-5), in ours and in the printed ones.
static void published_tables(void **u) {
  (void)u;
  static const double printed[8][4] = {
      {7.72e-2, 7.46e-1, 1.56e-1, 1.13},    {1.49e-2, 2.94e-2, 6.21e-2, 7.38e-1},
      {4.48e-3, 1.10e-2, 2.26e-2, 4.27e-1}, {1.13e-3, 3.42e-3, 8.19e-3, 2.31e-1},
      {2.82e-4, 9.02e-4, 3.15e-3, 1.20e-1}, {7.05e-5, 2.29e-4, 1.31e-3, 6.12e-2},
      {1.76e-5, 5.73e-5, 5.88e-4, 3.09e-2}, {4.41e-6, 1.44e-5, 2.77e-4, 1.55e-2}};
  static const char *const methods[2] = {"newmark:beta=1/4,gamma=1/2",
                                         "newmark:beta=25/64,gamma=3/4"};
  for (int row = 0; row < 8; row++)
    for (int table = 0; table < 2; table++) {
      double e[2], h = ldexp(1, -4 - row);
      pendulum_errors(methods[table], h, 1, 0, &e[0], &e[1]);
      for (int k = 0; k < 2; k++) {
        double want = printed[row][2 * table + k];
        double tol = 0.5 * pow(10, floor(log10(want)) - 2) * (1 + 1e-9);
        if (table == 0 && k == 1) tol += DBL_EPSILON * pow(4 / h, 1.5) / h;
        assert_near(e[k], want, tol, "table %d, h = 2^-%d, d%c", table + 1, 4 + row, "qv"[k]);
      }
    }
}

// With a converged Newton iteration Table 1 holds for h <= 2^-8 too; what the iteration leaves open is
// amplified as round-off is, hence the tight tolerance.
static void converged_table(void **u) {
  (void)u;
  static const double dq[] = {2.82e-4, 7.05e-5, 1.76e-5, 4.41e-6};
  static const double dv[] = {9.02e-4, 2.29e-4, 5.73e-5, 1.44e-5};
  for (int k = 0; k < 4; k++) {
    double eq, ev;
    pendulum_errors("newmark:beta=1/4,gamma=1/2", ldexp(1, -8 - k), 0, 1e-12, &eq, &ev);
    assert_near(eq / dq[k], 1, 0.002, "dq, h = 2^-%d", 8 + k);
    assert_near(ev / dv[k], 1, 0.005, "dv, h = 2^-%d", 8 + k);
    pendulum_errors("newmark:beta=1/4,gamma=1/2", ldexp(1, -8 - k), 0, 0, &eq, &ev);
    assert_near(eq / dq[k], 1, 0.002, "dq, h = 2^-%d, default tolerance", 8 + k);
    assert_near(ev / dv[k], 1, 0.02, "dv, h = 2^-%d, default tolerance", 8 + k);
  }
}

// G v = kappa h^2 G q''' + O(h^3), kappa = gamma/2 - beta - 1/12. For Phi = (|q|^2 - 1)/2 three
// derivatives give G q''' = -3 v.a = -3 theta' theta''.
static void velocity_drift(void **u) {
  (void)u;
  static const struct {
    const char *method;
    double beta, gamma;
  } row[] = {{"newmark:beta=0.3025,gamma=0.6", 0.3025, 0.6},
             {"newmark:beta=25/64,gamma=3/4", 25. / 64, 0.75},
             {"hht-i3:alpha=-0.3", 0.4225, 0.8},
             {"hht-i3:alpha=-0.1", 0.3025, 0.6}};
  for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
    mechanism m = load_model("pendulum.yaml", NULL);
    double h = ldexp(1, -11), T = 1.75, th, w;
    tr_run *run = new_run(m.sys, row[k].method, h, T);
    assert_int_equal(tr_run_all(run, NULL), TR_OK);
    const tr_state *x = tr_run_state(run);
    double Gv = x->q[0] * x->v[0] + x->q[1] * x->v[1];
    pendulum(T, TR_PI / 3, 9.81, 1, &th, &w);
    double kappa = 0.5 * row[k].gamma - row[k].beta - 1. / 12;
    double law = kappa * h * h * -3 * w * (-9.81 * sin(th));
    // the motion itself is off by O(h) with gamma > 1/2, and so is the law
    assert_near(Gv / law, 1, 0.03, "%s: drift", row[k].method);
    tr_run_free(run);
    unload(&m);
  }
}

// ---- four-bar windows through their singular positions ----------------------------------------------

// B0 (x, y) of A02 at t = 5, 10, 15, 20 (IFToMM benchmark library, exact solution).
static void four_bar_windows(void **u) {
  (void)u;
  static const struct {
    const char *set;
    double exact[8], tol10, tol20, energy;
  } row[] = {
      {"N=1",
       {-9.44908186042955e-01, -3.27335485318980e-01, 4.78385057760971e-01, 8.78150178791209e-01,
        -4.92746170989814e-01, 8.70173092536696e-01, 9.59099959630669e-01, -2.83067602237433e-01},
       1e-4,
       7.5e-4,
       1.1e-3},
      {"N=2",
       {-8.11310461005110e-01, -5.84615545348971e-01, 3.28458111540816e-01, 9.44518538178601e-01,
        -7.73840452888389e-01, 6.33380575541667e-01, 8.39746574306848e-01, 5.42978536352878e-01},
       9e-5,
       4.6e-4,
       1.9e-3},
      {"N=10",
       {-5.95545255478629e-01, -8.03321759120774e-01, 2.04353560989771e-01, 9.78897145828304e-01,
        -9.91428367665444e-01, 1.30651413265349e-01, 4.77803195877347e-01, 8.78466906610257e-01},
       7e-5,
       2.6e-4,
       8.2e-3}};
  static const double at[] = {5, 10, 15, 20};
  static const char *const names[] = {"B0.x", "B0.y"};
  for (int k = 0; k < 3; k++) {
    if (!in_turn(k, 1, 3)) continue;
    const char *set[] = {row[k].set, NULL};
    mechanism m = load_model("four_bar_chain.yaml", set);
    double b[2][8], error[2][4];
    for (int half = 0; half < 2; half++) {
      tr_run_info info;
      sample(m.sys, "hht-i3:alpha=-0.1", 1e-3 / (1 + half), 4, at, 2, names, b[half], &info);
      assert_int_equal(info.steps, 20000 * (1 + half));
      assert_int_equal(info.rejected, 0);
      // positions closed to the tolerance of Newton on v, integrated once: h 1e-10 |v|
      assert_true(info.max_phi < 1e-12);
      assert_true(info.max_energy_change < row[k].energy / (half ? 3.5 : 1));
      for (int i = 0; i < 4; i++)
        error[half][i] = distance(2, b[half] + 2 * i, row[k].exact + 2 * i);
    }
    assert_true(error[0][1] < row[k].tol10);
    assert_true(error[0][3] < row[k].tol20);
    // as accurate after twelve singular passes as the order says
    assert_order(error[0][3], error[1][3], 1.9, row[k].set);
    unload(&m);
  }
}

// ---- rigid bodies in space --------------------------------------------------------------------------

// A free symmetric body, J = diag(A, A, C): R(t) = exp(t L/A) R(0) exp(t (1 - C/A) w3 e3), L constant.
static void free_symmetric_body(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\nbodies:\n  top: {type: spatial, mass: 2, inertia: [0.3, 0.3, 0.5],\n"
      "    com: [0.1, -0.2, 0.3], orientation: {axis: [1, 2, 3], angle: 0.7},\n"
      "    omega: [3, -1, 2], velocity: [0.5, 0.2, -0.1]}\n"
      "markers:\n  centre: {body: top, at: [0.1, -0.2, 0.3]}\n");
  const double A = 0.3, C = 0.5, T = 3, omega[3] = {3, -1, 2};
  double error[2], slip[2];
  for (int half = 0; half < 2; half++) {
    tr_run *run = new_run(m.sys, "newmark:beta=1/4,gamma=1/2", ldexp(1, -9 - half), T);
    double e0[4], p0[3], v0[3], R0[9], w[3], L[3], turn[3], spin[3], a[4], b[4], c[4], want[4];
    const tr_state *x = tr_run_state(run);
    memcpy(e0, x->q + 3, sizeof e0), memcpy(p0, x->q, sizeof p0), memcpy(v0, x->v, sizeof v0);
    quat_to_m3(e0, R0);
    m3_tmul(R0, omega, w);
    double Jw[3] = {A * w[0], A * w[1], C * w[2]};
    m3_mul(R0, Jw, L);
    v3_scale(T / A, L, turn);
    spin[0] = spin[1] = 0, spin[2] = T * (1 - C / A) * w[2];
    quat_exp(turn, a), quat_exp(spin, b);
    quat_mul(a, e0, c), quat_mul(c, b, want);
    assert_int_equal(tr_run_all(run, NULL), TR_OK);
    x = tr_run_state(run);
    // q and -q are one rotation
    double sign = 0, R[9], L1[3];
    for (int i = 0; i < 4; i++) sign += want[i] * x->q[3 + i];
    for (int i = 0; i < 4; i++) want[i] = sign < 0 ? -want[i] : want[i];
    error[half] = distance(4, x->q + 3, want);
    quat_to_m3(x->q + 3, R);
    double Jw1[3] = {A * x->v[3], A * x->v[4], C * x->v[5]};
    m3_mul(R, Jw1, L1);
    slip[half] = distance(3, L1, L);
    // the centre of mass goes straight on
    for (int i = 0; i < 3; i++) {
      assert_near(x->q[i], p0[i] + T * v0[i], 1e-12, "centre of mass, %d", i);
      assert_near(x->v[i], v0[i], 1e-13, "its velocity, %d", i);
    }
    assert_near(norm2(4, x->q + 3), 1, 1e-15, "|e|");
    tr_run_free(run);
  }
  assert_true(error[0] < 2e-4);
  assert_second_order(error[0], error[1], "attitude");
  assert_second_order(slip[0], slip[1], "angular momentum");
  unload(&m);
}

// Lagrange's top by elliptic functions: the height of its axis is u = u1 (1 - sn^2(w t + K, k)), with u1 = -1.00, 0
// and 3.2054 the roots of u'^2; its azimuth is a sum of two integrals of the third kind. The axis at t = 1 s,
// evaluated with 30 digits, and at 0.25 s, by quadrature with 25. Every method has its order there.
static double top_off(const tr_system *sys, const char *method, double h, bool early) {
  static const double late_axis[3] = {0.17334396409838604, 0.64008859207056878,
                                      -0.74849079113358131};
  static const double early_axis[3] = {0.548884143008842142, 0.406994152332891199,
                                       -0.730124617801838183};
  const double *axis = early ? early_axis : late_axis;
  tr_run_settings set = tr_run_defaults();
  tr_run *run;
  tr_error error = {0};
  set.method = method, set.step = h, set.end = early ? 0.25 : 1;
  set.newton.tol = 1e-13; // of 150 rad/s
  if (tr_run_new(sys, &set, NULL, &run, &error) != TR_OK || tr_run_all(run, &error) != TR_OK)
    fail_msg("%s: %s", method, error.text);
  const double *q = tr_run_state(run)->q;
  double off = hypot(hypot(q[0] - axis[0], q[1] - axis[1]), q[2] - axis[2]);
  tr_run_free(run);
  return off;
}

// finer: of the steps.
static void top_orders(const tr_system *sys, const char *coordinates, bool early, double finer) {
  for (int i = 0; i < tr_method_count(); i++) {
    tr_method_info method = tr_method_describe(i);
    double h = (method.order_q > 2 ? 0x1p-9 : method.order_q > 1 ? 0x1p-11 : 0x1p-13) / finer;
    double coarse = top_off(sys, method.name, h, early),
           fine = top_off(sys, method.name, h / 2, early);
    double order = log2(coarse / fine);
    if (!(order > method.order_q - 0.15) && fine > 1e-11)
      fail_msg("%s, %s: order %.2f, errors %.3g and %.3g", coordinates, method.name, order, coarse,
               fine);
  }
  assert_near(top_off(sys, "radau5", 0x1p-11, early), 0, 1e-9, "radau5, %s", coordinates);
}

static void exact_top(void **u) {
  (void)u;
  mechanism m = load_model("heavy_top.yaml", NULL);
  top_orders(m.sys, "lie", false, 1);
  unload(&m);
}

// The same top in other coordinates, its axis that of the body's z, before it comes near the pole of the angles. Euler
// parameters swing with half the spin, 75 rad/s, which takes shorter steps.
static void exact_top_otherwise(void **u) {
  (void)u;
  static const char *const coordinates[] = {"lie", "euler-313", "euler-parameters"};
  for (int k = all_cases() ? 0 : 1; k < 3; k++) {
    char text[1024];
    snprintf(text, sizeof text,
             "trammel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
             "  top: {type: spatial, coordinates: %s, mass: 15, com: [0, 0, 1],\n"
             "    inertia: [0.234375, 0.234375, 0.46875], orientation: {x: -90 deg},\n"
             "    omega: [0, 150, -4.61538], keep: [wx, wy, wz]}\n"
             "joints: {tip: {type: spherical, markers: [ground, top]}}\n",
             coordinates[k]);
    mechanism m = load_text(text);
    top_orders(m.sys, coordinates[k], true, k == 2 ? 4 : 1);
    unload(&m);
  }
}

// The heavy top keeps its energy and its angular momentum about the vertical through the tip, to O(h^2).
static void heavy_top(void **u) {
  (void)u;
  mechanism m = load_model("heavy_top.yaml", NULL);
  double slip[2], loss[2], tip = 0;
  for (int half = 0; half < 2; half++) {
    tr_run *run = new_run(m.sys, "hht-i3:alpha=-0.1", ldexp(1, -11 - half), 1);
    double Lz[2];
    for (int k = 0; k < 2; k++) {
      const tr_state *x = tr_run_state(run);
      double R[9], L[3], Jw[3] = {0.234375 * x->v[3], 0.46875 * x->v[4], 0.234375 * x->v[5]};
      quat_to_m3(x->q + 3, R);
      m3_mul(R, Jw, L);
      Lz[k] = L[2] + 15 * (x->q[0] * x->v[1] - x->q[1] * x->v[0]);
      tip = norm2(3, x->q); // the centre of mass stays 1 m away
      if (k == 0) assert_int_equal(tr_run_all(run, NULL), TR_OK);
    }
    slip[half] = fabs(Lz[1] - Lz[0]);
    loss[half] = tr_run_describe(run).max_energy_change;
    assert_true(fabs(Lz[0]) > 10);
    assert_near(tip, 1, 1e-10, "length");
    tr_run_free(run);
  }
  assert_order(loss[0], loss[1], 1.9, "energy");
  assert_true(loss[0] < 2e-3 * 5435 && slip[0] < 1e-2 * 70);
  assert_true(slip[1] < 0.3 * slip[0]);
  unload(&m);
}

// ---- reference values of the benchmark problems -----------------------------------------------------

// Slider crank without spring from crank angle 0 at rest; references to 12 digits.
static void slider_reference(void **u) {
  (void)u;
  static const char *const set[] = {"k=0", "c=0", "theta0=0", NULL};
  static const char *const names[] = {"crank.angle", "crank.omega"};
  static const double at[] = {2, 10};
  static const double exact[] = {-1.434924995626, 8.029801993314, -1.121203702476, 7.618726848920};
  mechanism m = load_model("slider_crank.yaml", set);
  double got[2][4];
  for (int half = 0; half < 2; half++)
    sample(m.sys, "hht-i3:alpha=-0.1", ldexp(1, -10 - half), 2, at, 2, names, got[half], NULL);
  assert_near(got[0][2], exact[2], 1.2e-3, "theta(10)");
  for (int i = 0; i < 4; i++)
    assert_second_order(fabs(got[0][i] - exact[i]), fabs(got[1][i] - exact[i]), names[i % 2]);
  unload(&m);
}

// The chain of rods: its tip after 1 s.
static void chain_reference(void **u) {
  (void)u;
  static const char *const names[] = {"tip.x", "tip.y", "tip.z"};
  static const double at[] = {1};
  static const struct {
    const char *set;
    double tip[3], tol;
    bool halve;
  } row[] = {{"N=10", {-0.897239457, 0, -0.148580260}, 2e-4, true},
             {"N=100", {7.534103850, 0, -4.905}, 2e-5, false}};
  for (int k = 0; k < 2; k++) {
    const char *set[] = {row[k].set, NULL};
    mechanism m = load_model("rod_chain.yaml", set);
    double tip[3], finer[3];
    sample(m.sys, "hht-i3:alpha=-0.1", 1e-3, 1, at, 3, names, tip, NULL);
    assert_true(distance(3, tip, row[k].tip) < row[k].tol);
    assert_near(tip[1], 0, 1e-14, "the chain stays in its plane");
    if (row[k].halve) {
      sample(m.sys, "hht-i3:alpha=-0.1", 5e-4, 1, at, 3, names, finer, NULL);
      assert_second_order(distance(3, tip, row[k].tip), distance(3, finer, row[k].tip), "tip");
    }
    unload(&m);
  }
}

// pfpc1 takes gyroscopic moments where the step begins: of a free body that is Euler's rule for Euler's equations,
// w1 = w + h w', J w' = -w x J w, and since w' J w = 0 its energy grows by h^2/2 w' J w' in every step.
static void test_gained_energy(void **state) {
  (void)state;
  mechanism x = load_text(
      "trammel: 1\nbodies:\n"
      "  t: {type: spatial, mass: 1, inertia: [1, 2, 3.5], omega: [0.3, 2, 0.5]}\n");
  const double J[3] = {1, 2, 3.5}, h = 1e-3;
  double w[3] = {0.3, 2, 0.5}, gain = 0;
  for (int n = 0; n < 10000; n++) {
    double a[3] = {(J[1] - J[2]) * w[1] * w[2] / J[0], (J[2] - J[0]) * w[2] * w[0] / J[1],
                   (J[0] - J[1]) * w[0] * w[1] / J[2]};
    for (int i = 0; i < 3; i++) gain += 0.5 * h * h * J[i] * a[i] * a[i], w[i] += h * a[i];
  }
  tr_run *run = new_run(x.sys, "pfpc1", h, 10);
  assert_int_equal(tr_run_all(run, NULL), TR_OK);
  for (int i = 0; i < 3; i++)
    assert_near(tr_run_state(run)->v[3 + i], w[i], 1e-10, "velocity %d", i);
  assert_near(tr_run_describe(run).max_energy_change, gain, 1e-10, "energy");
  tr_run_free(run);
  unload(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gained_energy),  cmocka_unit_test(elliptic_functions),
      cmocka_unit_test(published_tables),    cmocka_unit_test(converged_table),
      cmocka_unit_test(velocity_drift),      cmocka_unit_test(four_bar_windows),
      cmocka_unit_test(free_symmetric_body), cmocka_unit_test(exact_top),
      cmocka_unit_test(exact_top_otherwise), cmocka_unit_test(heavy_top),
      cmocka_unit_test(slider_reference),    cmocka_unit_test(chain_reference),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
