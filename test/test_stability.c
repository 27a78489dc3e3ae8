// SPDX-License-Identifier: Apache-2.0
// Stability: eigenvalues, spectra against the roots of the methods' characteristic equations, exponents of
// systems with states and with constraints of velocities, and equilibria.
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/linear.h"
#include "helper_cases.h"
#include "helper_study.h"

static const double PI = 3.14159265358979323846;

// ---- spectra ----------------------------------------------------------------------------------------

static void eigenvalues(void **u) {
  (void)u;
  tr_arena ar = tr_arena_make(NULL);
  // companion of (x - 1)(x - 2)(x + 3)(x^2 + 1) = x^5 - 6 x^3 + 6 x^2 - 7 x + 6
  double A[] = {0, 6, -6, 7, -6, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0};
  double complex w[5], want[] = {1, 2, -3, I, -I};
  assert_int_equal(tr_eigenvalues(&ar, 5, A, w), TR_OK);
  for (int k = 0; k < 5; k++) {
    double least = INFINITY;
    for (int j = 0; j < 5; j++) least = fmin(least, cabs(w[j] - want[k]));
    assert_true(least < 1e-12);
  }
  // a Jordan block of zeros, and the empty matrix
  double J[] = {0, 1, 0, 0, 0, 1, 0, 0, 0};
  assert_int_equal(tr_eigenvalues(&ar, 3, J, w), TR_OK);
  for (int k = 0; k < 3; k++) assert_true(cabs(w[k]) < 1e-4);
  double bad[] = {NAN};
  assert_int_equal(tr_eigenvalues(&ar, 1, bad, w), TR_NOT_FINITE);
  tr_arena_free(&ar);
}

static tr_status unit(const tr_problem *p, const double *q, double *M) {
  (void)p, (void)q;
  M[0] = M[3] = 1, M[1] = M[2] = 0;
  return TR_OK;
}
static tr_status pull(const tr_problem *p, double t, const double *q, const double *v, double *Q) {
  (void)p, (void)t, (void)v;
  Q[0] = -q[0], Q[1] = 0;
  return TR_OK;
}
static tr_status rail(const tr_problem *p, double t, const double *q, double *phi) {
  (void)p, (void)t;
  phi[0] = q[1];
  return TR_OK;
}

// Spectral radius of one step h of x'' + x = 0 beside a rail.
static double radius(const char *method, double h) {
  static const double q0[] = {0, 0};
  tr_problem problem = {
      .n = 2, .m = 1, .q0 = q0, .constant_mass = true, .mass = unit, .force = pull, .phi = rail};
  mechanism m = load_problem(&problem);
  tr_arena ar = tr_arena_make(NULL);
  tr_state x;
  tr_modes modes;
  tr_error e = {0};
  double complex *w = NULL;
  int n = 0;
  assert_int_equal(tr_state_new(m.sys, &x, &e), TR_OK);
  assert_int_equal(tr_find_modes(&ar, m.sys, &x, &modes, &e), TR_OK);
  assert_int_equal(modes.f, 1);
  assert_near(modes.omega, 1, 1e-6, "omega");
  tr_status status = tr_step_spectrum(&ar, m.sys, &x, &modes, method, h, 1e-2, &w, &n, &e);
  if (status != TR_OK) fail_msg("%s, h = %g: %s %s", method, h, tr_status_text(status), e.text);
  double most = 0;
  for (int k = 0; k < n; k++) most = fmax(most, cabs(w[k]));
  tr_state_free(m.sys, &x);
  tr_arena_free(&ar);
  unload(&m);
  return most;
}

static double bdf2_radius(double z) {
  double complex a = 1.5 - I * z, root = csqrt(4 - 2 * a);
  return fmax(cabs((2 + root) / (2 * a)), cabs((2 - root) / (2 * a)));
}

// x, v and the acceleration kept after a step z from (x, v, A), x'' = -x:
//   (1 - am) A1 + am A = -(1 - af) x1 - af x
// Newmark: am = af = 0; hht: am = 0, af = -alpha; generalised-alpha: both.
typedef struct alphas {
  double beta, gamma, am, af;
} alphas;
static alphas of_hht(double a) { return (alphas){(1 - a) * (1 - a) / 4, (1 - 2 * a) / 2, 0, -a}; }
static alphas of_rho(double rho) {
  double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), gamma = 0.5 + af - am;
  return (alphas){(gamma + 0.5) * (gamma + 0.5) / 4, gamma, am, af};
}
static double largest_root(int n, double *A) {
  tr_arena ar = tr_arena_make(NULL);
  double complex w[6];
  double most = 0;
  assert_true(n <= 6);
  assert_int_equal(tr_eigenvalues(&ar, n, A, w), TR_OK);
  for (int k = 0; k < n; k++) most = fmax(most, cabs(w[k]));
  tr_arena_free(&ar);
  return most;
}
static double alpha_radius(alphas c, double z) {
  double A[9];
  for (int j = 0; j < 3; j++) {
    double x = j == 0, v = j == 1, a = j == 2, known = x + z * v + z * z * (0.5 - c.beta) * a;
    double a1 =
        -(c.am * a + (1 - c.af) * known + c.af * x) / (1 - c.am + (1 - c.af) * c.beta * z * z);
    A[j] = known + c.beta * z * z * a1;
    A[3 + j] = v + z * ((1 - c.gamma) * a + c.gamma * a1);
    A[6 + j] = a1;
  }
  return largest_root(3, A);
}

// Predictor v - z x, then passes at half the way.
static double pfpc_radius(int passes, double z) {
  double A[4];
  for (int j = 0; j < 2; j++) {
    double x = j == 0, v = j == 1, v1 = v - z * x, u = z * v1;
    for (int k = 0; k < passes; k++) {
      v1 = v - z * (x + 0.5 * u);
      u = 0.5 * z * (v + v1);
    }
    A[j] = x + u, A[2 + j] = v1;
  }
  return largest_root(2, A);
}

static double radau_radius(double h) {
  double complex z = I * h;
  return cabs((1 + 2 * z / 5 + z * z / 20) / (1 - 3 * z / 5 + 3 * z * z / 20 - z * z * z / 60));
}

// Every method against the roots of its formulas, at every h omega.
static void radii_of_formulas(void **u) {
  (void)u;
  static const double steps[] = {0.1, 0.5, 1.5, 4, 20, 100};
  for (int i = 0; i < 6; i++) {
    double z = steps[i];
    assert_near(radius("newmark", z), alpha_radius((alphas){0.3025, 0.6, 0, 0}, z), 1e-7, "%g", z);
    static const char *const hht[] = {"hht-i3", "hht-si2", "hht-add"};
    for (int k = 0; k < 3; k++)
      assert_near(radius(hht[k], z), alpha_radius(of_hht(-0.3), z), 1e-7, "%s, %g", hht[k], z);
    assert_near(radius("hht-i3:alpha=-0.05", z), alpha_radius(of_hht(-0.05), z), 1e-7, "%g", z);
    assert_near(radius("gen-alpha", z), alpha_radius(of_rho(0.8), z), 1e-6, "gen-alpha, %g", z);
    assert_near(radius("gen-alpha:index=2,rho=0.3", z), alpha_radius(of_rho(0.3), z), 1e-6,
                "gen-alpha on index 2, %g", z);
    static const char *const bdf[] = {"nstiff", "nstiff-si2", "ggl-bdf", "cs", "cm"};
    for (int k = 0; k < 5; k++)
      assert_near(radius(bdf[k], z), bdf2_radius(z), 1e-6, "%s, %g", bdf[k], z);
    assert_near(radius("ggl-bdf:order=1", z), 1 / hypot(1, z), 1e-6, "backward Euler, %g", z);
    assert_near(radius("radau5", z), radau_radius(z), 1e-7, "radau5, %g", z);
    if (z > 2) continue;
    assert_near(radius("pfpc1", z), pfpc_radius(0, z), 1e-7, "pfpc1, %g", z);
    assert_near(radius("pfpc2", z), pfpc_radius(2, z), 1e-7, "pfpc2, %g", z);
    assert_near(radius("pfpc2:passes=1", z), pfpc_radius(1, z), 1e-7, "pfpc2, one pass, %g", z);
    assert_near(radius("baumgarte:scheme=heun,unit=1/s", z), cabs(1 + I * z - z * z / 2), 1e-7,
                "heun, %g", z);
  }
}

// The limits of infinite frequency, and roots that are known at every h omega.
static void known_radii(void **u) {
  (void)u;
  const double far = 1e4;
  assert_near(radius("hht-i3:alpha=-0.3", far), 0.7 / 1.3, 1e-3, "hht -0.3");
  assert_near(radius("hht-i3:alpha=-0.1", far), 0.9 / 1.1, 1e-3, "hht -0.1");
  assert_near(radius("hht-si2:alpha=-0.1", far), 0.9 / 1.1, 1e-3, "hht-si2");
  assert_near(radius("hht-add:alpha=-0.1", far), 0.9 / 1.1, 1e-3, "hht-add");
  assert_near(radius("gen-alpha:rho=0.5", far), 0.5, 1e-2, "gen-alpha");
  assert_near(radius("gen-alpha:rho=0.5,index=2", far), 0.5, 1e-2, "gen-alpha");
  for (double z = 0.1; z < 50; z *= 3) {
    assert_near(radius("newmark:beta=1/4,gamma=1/2", z), 1, 1e-9, "trapezoidal rule, %g", z);
    assert_near(radius("nstiff", z), bdf2_radius(z), 1e-7, "nstiff, %g", z);
    assert_near(radius("nstiff-si2", z), bdf2_radius(z), 1e-7, "nstiff-si2, %g", z);
  }
  // explicit: Runge-Kutta's polynomial
  double complex z = 0.5 * I;
  assert_near(radius("baumgarte:scheme=rk4,unit=1/s", 0.5),
              cabs(1 + z + z * z / 2 + z * z * z / 6 + z * z * z * z / 24), 1e-9, "rk4");
}

static void amplitude_and_period(void **u) {
  (void)u;
  static const char *const methods[] = {"newmark:beta=1/4,gamma=1/2", "nstiff"};
  mechanism m = load_model("pendulum.yaml", NULL);
  tr_study_settings set = tr_study_defaults(TR_STUDY_STABILITY);
  set.methods = 2, set.method = methods;
  tr_study *s = run_study(m.sys, TR_STUDY_STABILITY, &set);
  const tr_table *t = table(s, "oscillator"), *model = table(s, "model");
  int n = t->rows / 2, periods = 0;
  for (int i = 0; i < n; i++) {
    double z = number(t, i, "h_omega"), theta = 2 * atan(z / 2);
    if (z > PI) continue;
    assert_near(number(t, i, "amplitude_decay"), 0, 1e-8, "%g", z);
    assert_near(number(t, i, "period_error"), z / theta - 1, 1e-8, "%g", z);
    assert_true(number(t, n + i, "amplitude_decay") > 0);
    periods++;
  }
  assert_true(periods > 10);
  // the pendulum hangs: omega = sqrt(g/L), and the trapezoidal rule keeps the radius 1
  assert_near(number(model, 0, "h_omega") / number(model, 0, "h"), sqrt(9.81), 1e-6, "omega");
  for (int i = 0; i < model->rows / 2; i++)
    assert_near(number(model, i, "spectral_radius"), 1, 1e-4, "row %d", i);
  tr_study_free(s);
  unload(&m);
}

static void equilibrium(void **u) {
  (void)u;
  mechanism m = load_model("pendulum.yaml", NULL);
  tr_state x;
  bool found = false;
  tr_error e = {0};
  assert_int_equal(tr_state_new(m.sys, &x, &e), TR_OK);
  assert_int_equal(tr_find_equilibrium(m.sys, &x, &found, &e), TR_OK);
  assert_true(found);
  assert_near(x.q[0], 0, 1e-9, "x");
  assert_near(x.q[1], -1, 1e-9, "y");
  tr_state_free(m.sys, &x);
  unload(&m);
}

// A free body has nothing that a step could upset, and a spinning one is not at rest.
static void nothing_to_be_stable(void **u) {
  (void)u;
  static const char *const methods[] = {"hht-i3", "pfpc1"};
  mechanism m = load_text(
      "trammel: 1\nbodies:\n"
      "  a: {type: spatial, mass: 1, inertia: [0.1, 0.2, 0.15], "
      "omega: [1, 2, 3]}\n"
      "simulation: {end: 1, step: 0.01}\n");
  tr_study_settings set = tr_study_defaults(TR_STUDY_STABILITY);
  set.methods = 2, set.method = methods;
  tr_study *s = run_study(m.sys, TR_STUDY_STABILITY, &set);
  assert_true(has_note(s, "All exponents are 0"));
  assert_true(has_note(s, "although the model starts in motion"));
  for (int i = 0; i < 2; i++)
    assert_true(isnan(number(table(s, "summary"), i, "largest_stable_h")));
  // theta = 0.1/(1 + error): what a method of order 2 makes of a period of 2 pi/0.1 steps
  assert_true(number(table(s, "summary"), 0, "period_error_at_0.1") > 1e-4);
  tr_study_free(s);
  unload(&m);
}

static tr_modes modes_of(tr_arena *ar, const tr_system *sys) {
  tr_state x;
  tr_modes modes;
  tr_error e = {0};
  bool found = false;
  assert_int_equal(tr_state_new(sys, &x, &e), TR_OK);
  assert_int_equal(tr_consistent_start(sys, &x, NULL, &e), TR_OK);
  assert_int_equal(tr_find_equilibrium(sys, &x, &found, &e), TR_OK);
  assert_true(found);
  if (tr_find_modes(ar, sys, &x, &modes, &e) != TR_OK) fail_msg("%s", e.text);
  tr_state_free(sys, &x);
  return modes;
}

// x'' = f, f' = 20 (-30 x - 4 x' - f), by way of a variable: s^3 + 20 s^2 + 80 s + 600 = 0.
static const char actuated[] =
    "trammel: 1\nbodies:\n"
    "  a: {type: planar, mass: 1, inertia: 0.1, position: [0.3, 0]}\n"
    "joints:\n  rail: {type: prismatic, markers: [ground, a]}\n"
    "states:\n  f: {rate: \"20*(want - f)\", initial: 2}\n"
    "variables:\n  want: {value: \"-30*DX(a) - 4*VX(a)\"}\n"
    "forces:\n  m: {type: force, markers: [a], force: [f, 0]}\n"
    "simulation: {end: 1, step: 0.01}\n";

static void exponents_with_states(void **u) {
  (void)u;
  mechanism m = load_text(actuated);
  tr_arena ar = tr_arena_make(NULL);
  tr_modes modes = modes_of(&ar, m.sys);
  assert_int_equal(modes.n, 3);
  for (int i = 0; i < 3; i++) {
    double complex s = modes.s[i], p = ((s + 20) * s + 80) * s + 600;
    assert_near(cabs(p), 0, 1e-3, "s = %g + %g i", creal(s), cimag(s));
  }
  tr_arena_free(&ar);
  // every method shows the slowest of them: exp(Re s h)
  static const double steps[] = {0.005, 0.0025};
  tr_study_settings set = tr_study_defaults(TR_STUDY_STABILITY);
  set.steps = 2, set.step = steps;
  tr_study *s = run_study(m.sys, TR_STUDY_STABILITY, &set);
  const tr_table *t = table(s, "model");
  assert_true(has_note(s, "at the equilibrium"));
  for (int i = 0; i < t->rows; i++) {
    double exact = number(t, i, "exact");
    assert_true(exact < 1 - 1e-3);
    assert_near(number(t, i, "spectral_radius"), exact, 0.06 * (1 - exact), "row %d", i);
  }
  tr_study_free(s);
  unload(&m);
}

// The same by the formulas of a method: (x, x', A, f, f', B) after a step h, A1 and B1 from
//   (1 - am) A1 + am A = (1 - af) f1 + af f,   f'1 = -20 f1 - 600 x1 - 80 x'1
static double actuated_radius(alphas c, double h) {
  double A[36], cq = c.beta * h * h, cv = c.gamma * h;
  for (int j = 0; j < 6; j++) {
    double z[6] = {0};
    z[j] = 1;
    double x = z[0] + h * z[1] + h * h * (0.5 - c.beta) * z[2], v = z[1] + h * (1 - c.gamma) * z[2];
    double f = z[3] + h * z[4] + h * h * (0.5 - c.beta) * z[5], r = z[4] + h * (1 - c.gamma) * z[5];
    double K[] = {1 - c.am, -(1 - c.af) * cq, 600 * cq + 80 * cv, 20 * cq + cv};
    double y[] = {(1 - c.af) * f + c.af * z[3] - c.am * z[2], -20 * f - 600 * x - 80 * v - r};
    double det = K[0] * K[3] - K[1] * K[2];
    double a = (K[3] * y[0] - K[1] * y[1]) / det, b = (K[0] * y[1] - K[2] * y[0]) / det;
    double to[] = {x + cq * a, v + cv * a, a, f + cq * b, r + cv * b, b};
    for (int i = 0; i < 6; i++) A[6 * i + j] = to[i];
  }
  return largest_root(6, A);
}

// Radii with states are those of the formulas, however short the step.
static void radii_with_states(void **u) {
  (void)u;
  static const double steps[] = {0.3, 0.1, 1e-2, 1e-3, 1e-4, 3e-5, 1e-5, 1e-6};
  static const char *const methods[] = {"newmark", "hht-i3", "hht-si2"};
  const alphas c[] = {{0.3025, 0.6, 0, 0}, of_hht(-0.3), of_hht(-0.3)};
  mechanism m = load_text(actuated);
  tr_study_settings set = tr_study_defaults(TR_STUDY_STABILITY);
  set.methods = 3, set.method = (const char **)methods, set.steps = 8, set.step = steps;
  tr_study *s = run_study(m.sys, TR_STUDY_STABILITY, &set);
  const tr_table *t = table(s, "model");
  assert_int_equal(t->rows, 24);
  for (int i = 0; i < t->rows; i++) {
    double h = number(t, i, "h"), want = actuated_radius(c[i / 8], h);
    assert_near(number(t, i, "spectral_radius"), want, 1e-5 * (1 - want), "%s, h = %g",
                methods[i / 8], h);
  }
  tr_study_free(s);
  unload(&m);
}

// Those of a controller tend to the exact ones, exp(s h), by the square of h.
static void radii_of_very_short_steps(void **u) {
  (void)u;
  static const double steps[] = {1e-5, 1e-6};
  static const char *const methods[] = {"newmark", "hht-i3", "gen-alpha", "nstiff", "pfpc2"};
  mechanism m = load_model("inverted_pendulum_pid.yaml", NULL);
  tr_study_settings set = tr_study_defaults(TR_STUDY_STABILITY);
  set.methods = (int)or_less(5, 3), set.method = (const char **)methods, set.step = steps;
  set.steps = (int)or_less(2, 1);
  tr_study *s = run_study(m.sys, TR_STUDY_STABILITY, &set);
  const tr_table *t = table(s, "model");
  assert_int_equal(t->rows, set.methods * set.steps);
  for (int i = 0; i < t->rows; i++) {
    double exact = number(t, i, "exact");
    assert_near(number(t, i, "spectral_radius"), exact, 1e-3 * (1 - exact), "%s",
                methods[i / set.steps]);
  }
  tr_study_free(s);
  unload(&m);
}

// A blade held by a torsion spring: three places but two velocities are free. It swings, glides, and may
// stand anywhere.
static void exponents_of_a_blade(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\nbodies:\n"
      "  a: {type: planar, mass: 1, inertia: 0.05, angle: 0.1}\n"
      "joints:\n  blade: {type: knife-edge, markers: [ground, a]}\n"
      "forces:\n  s: {type: torsion-spring, markers: [ground, a], "
      "stiffness: 20}\n"
      "simulation: {end: 1, step: 0.01}\n");
  tr_arena ar = tr_arena_make(NULL);
  tr_modes modes = modes_of(&ar, m.sys);
  int none = 0;
  assert_int_equal(modes.fq, 3);
  assert_int_equal(modes.f, 2);
  assert_int_equal(modes.n, 5);
  assert_near(modes.omega, 20, 1e-6, "omega");
  for (int i = 0; i < 5; i++) none += cabs(modes.s[i]) < 1e-3;
  assert_int_equal(none, 3);
  tr_arena_free(&ar);
  unload(&m);
}

// Short steps follow the exact motion, and controllers whose commands answer to velocities a thousandfold do not drown that
// in the round-off of the differences.
static void short_steps_with_gains(void **u) {
  (void)u;
  static const char *const methods[] = {"hht-i3", "gen-alpha", "nstiff", "hht-si2"};
  static const double steps[] = {1e-4, 4e-5};
  mechanism m = load_model("robot_arm_pid.yaml", NULL);
  tr_study_settings set = tr_study_defaults(TR_STUDY_STABILITY);
  set.methods = 4, set.method = methods, set.step = steps;
  set.steps = (int)or_less(2, 1);
  tr_study *s = run_study(m.sys, TR_STUDY_STABILITY, &set);
  const tr_table *t = table(s, "model");
  assert_int_equal(t->rows, 4 * set.steps);
  for (int i = 0; i < t->rows; i++)
    assert_near(number(t, i, "spectral_radius"), number(t, i, "exact"), 1e-6, "%s",
                methods[i / set.steps]);
  tr_study_free(s);
  unload(&m);
}

// A wheel that turns freely beside a damped oscillator, x'' + x' + 14 x = 0: the exact motion that methods are measured
// by is the oscillator's, exp(-h/2), not the wheel's, which is left out of theirs.
static void free_motions_do_not_count(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\nbodies:\n"
      "  a: {type: planar, mass: 1, inertia: 0.1, position: [0.1, 0]}\n"
      "  wheel: {type: planar, mass: 1, inertia: 0.1, position: [0, 2]}\n"
      "joints:\n  rail: {type: prismatic, markers: [ground, a]}\n"
      "  axle: {type: revolute, bodies: [ground, wheel], at: [0, 2]}\n"
      "forces:\n  f: {type: force, markers: [a], force: [\"-14 N/m*DX(a) - 1 N*s/m*VX(a)\", 0]}\n"
      "simulation: {end: 1, step: 0.01}\n");
  static const double steps[] = {0.01};
  static const char *const methods[] = {"radau5"};
  tr_study_settings set = tr_study_defaults(TR_STUDY_STABILITY);
  set.steps = 1, set.step = steps, set.methods = 1, set.method = (const char **)methods;
  tr_study *s = run_study(m.sys, TR_STUDY_STABILITY, &set);
  const tr_table *t = table(s, "model");
  assert_near(number(t, 0, "exact"), exp(-0.005), 1e-9, "exact");
  assert_near(number(t, 0, "spectral_radius"), exp(-0.005), 1e-7, "radau5");
  tr_study_free(s);
  unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(eigenvalues),
      cmocka_unit_test(known_radii),
      cmocka_unit_test(radii_of_formulas),
      cmocka_unit_test(amplitude_and_period),
      cmocka_unit_test(equilibrium),
      cmocka_unit_test(nothing_to_be_stable),
      cmocka_unit_test(exponents_with_states),
      cmocka_unit_test(radii_with_states),
      cmocka_unit_test(radii_of_very_short_steps),
      cmocka_unit_test(exponents_of_a_blade),
      cmocka_unit_test(short_steps_with_gains),
      cmocka_unit_test(free_motions_do_not_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
