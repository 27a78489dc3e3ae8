// SPDX-License-Identifier: Apache-2.0
// Studies: orders and errors known from elsewhere, the same bits from any number of threads, spectra
// against the roots of the methods' characteristic equations, and clear refusals.
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/linear.h"
#include "analysis/study.h"
#include "helper_mechanics.h"

static const double PI = 3.14159265358979323846;

static tr_study *run_study(const tr_system *sys, tr_study_kind kind, const tr_study_settings *set) {
  tr_study *out;
  tr_error e = {0};
  tr_status status = tr_study_run(sys, kind, set, &out, &e);
  if (status != TR_OK) fail_msg("%s", e.text);
  return out;
}

static const tr_table *table(const tr_study *s, const char *name) {
  for (int i = 0; i < s->page.tables; i++)
    if (strcmp(s->page.table[i].name, name) == 0) return &s->page.table[i];
  fail_msg("no table %s", name);
  return NULL;
}

// A number by row and the name of its column.
static double number(const tr_table *t, int row, const char *column) {
  for (int j = 0; j < t->columns; j++)
    if (strcmp(t->column[j].name, column) == 0) return t->cell[(size_t)row * t->columns + j].number;
  fail_msg("no column %s", column);
  return NAN;
}

// ---- convergence ------------------------------------------------------------------------------------

static void fitted_orders(void **u) {
  (void)u;
  static const char *const methods[] = {"newmark", "hht-i3", "nstiff"};
  static const double orders[] = {1, 2, 2}, steps[] = {0x1p-10, 0x1p-7, 0x1p-8, 0x1p-9};
  mechanism m = load_model("slider_crank.yaml", NULL);
  tr_study_settings set = tr_study_defaults(TR_STUDY_CONVERGENCE);
  set.methods = 3, set.method = methods, set.steps = 4, set.step = steps, set.end = 1;
  tr_study *s = run_study(m.sys, TR_STUDY_CONVERGENCE, &set);
  const tr_table *t = table(s, "orders");
  for (int k = 0; k < 3; k++) {
    assert_near(number(t, k, "order_q"), orders[k], 0.08, "%s, q", methods[k]);
    assert_near(number(t, k, "order_v"), orders[k], 0.08, "%s, v", methods[k]);
    assert_near(number(t, k, "order_lam"), orders[k], 0.08, "%s, lam", methods[k]);
  }
  const tr_table *r = table(s, "reference");
  for (int k = 0; k < 3; k++) assert_true(number(r, k, "estimated_error") < 1e-9);
  assert_int_equal(s->page.figures, 1);
  for (int k = 0; k < 3; k++) { // triangles show the orders that there are
    const tr_panel *p = &s->page.figure[0].panel[k];
    assert_int_equal(p->slopes, 2);
    assert_true(p->slope[0] == 1 && p->slope[1] == 2);
  }
  tr_study_free(s);
  unload(&m);
}

// Errors of the crank's rate at the end of the damped slider crank, known from independent prototypes.
static void known_errors(void **u) {
  (void)u;
  static const char *const methods[] = {"newmark:beta=0.4,gamma=0.7",
                                        "nstiff:start=printed",
                                        "nstiff-si2:start=printed,metric=identity",
                                        "hht-i3:alpha=-0.3,start=printed",
                                        "hht-si2:start=printed",
                                        "hht-add"};
  static const double want[] = {2.9e-3, 3.4e-4, 3.1e-4, 1.39e-4, 1.34e-4, 4.2e-5}, h = 0x1p-10;
  static const char *const rate = "crank.omega";
  mechanism m = load_model("slider_crank.yaml", NULL);
  tr_study_settings set = tr_study_defaults(TR_STUDY_CONVERGENCE);
  set.methods = 6, set.method = methods, set.steps = 1, set.step = &h, set.end = 2;
  set.at_end = true, set.outputs = 1, set.output = &rate;
  tr_study *s = run_study(m.sys, TR_STUDY_CONVERGENCE, &set);
  for (int k = 0; k < 6; k++)
    assert_near(number(table(s, "errors"), k, "error_v"), want[k], 0.02 * want[k], "%s",
                methods[k]);
  // one step size: no order
  assert_true(isnan(number(table(s, "orders"), 0, "order_v")));
  tr_study_free(s);
  unload(&m);
}

// [GNP05] Tables 1 and 2: one iteration a step, errors at the end.
// Parameters that change the order change the claim, others do not; and the claims hold.
static void claims_of_parameters(void **u) {
  (void)u;
  static const struct {
    const char *method;
    int q, v, lam;
  } known[] = {{"hht-i3:alpha=-0.05", 2, 2, 2},
               {"gen-alpha:index=2", 2, 2, 2},
               {"hht-si2:start=printed", 2, 2, 1},
               {"newmark:gamma=0.5,beta=0.25", 2, 2, 2},
               {"ggl-bdf:order=1", 1, 1, 1},
               {"ggl-bdf:order=4", 3, 3, 3},
               {"pfpc2:passes=1", 1, 1, 1},
               {"baumgarte:scheme=rk4", 2, 1, 1},
               {"baumgarte:scheme=rk4,unit=1/s", 4, 4, 4}};
  enum { N = sizeof known / sizeof *known };
  static const double steps[] = {0x1p-8, 0x1p-9, 0x1p-10};
  const char *methods[N];
  for (int i = 0; i < N; i++) methods[i] = known[i].method;
  mechanism m = load_model("slider_crank.yaml", NULL);
  tr_study_settings set = tr_study_defaults(TR_STUDY_CONVERGENCE);
  set.methods = N, set.method = methods, set.steps = 3, set.step = steps, set.end = 1;
  tr_study *s = run_study(m.sys, TR_STUDY_CONVERGENCE, &set);
  const tr_table *t = table(s, "orders");
  for (int i = 0; i < N; i++) {
    assert_true(number(t, i, "claimed_q") == known[i].q);
    assert_true(number(t, i, "claimed_v") == known[i].v);
    assert_true(number(t, i, "claimed_lam") == known[i].lam);
    if (!(number(t, i, "order_q") > known[i].q - 0.25))
      fail_msg("%s: %g", methods[i], number(t, i, "order_q"));
  }
  tr_study_free(s);
  unload(&m);
}

static void given_iterations(void **u) {
  (void)u;
  static const char *const methods[] = {"newmark:beta=1/4,gamma=1/2",
                                        "newmark:beta=25/64,gamma=3/4"};
  static const double want[2][2][2] = {{{2.82e-4, 9.02e-4}, {7.05e-5, 2.29e-4}},
                                       {{3.15e-3, 1.20e-1}, {1.31e-3, 6.12e-2}}};
  static const double steps[] = {0x1p-8, 0x1p-9};
  mechanism m = load_model("pendulum.yaml", NULL);
  tr_study_settings set = tr_study_defaults(TR_STUDY_CONVERGENCE);
  set.methods = 2, set.method = methods, set.steps = 2, set.step = steps, set.end = 4;
  set.at_end = true, set.newton_iterations = 1;
  tr_study *s = run_study(m.sys, TR_STUDY_CONVERGENCE, &set);
  const tr_table *t = table(s, "errors");
  for (int k = 0; k < 4; k++) {
    const double *w = want[k / 2][k % 2];
    assert_near(number(t, k, "error_q"), w[0], 0.005 * w[0], "row %d, q", k);
    assert_near(number(t, k, "error_v"), w[1], 0.005 * w[1], "row %d, v", k);
  }
  tr_study_free(s);
  unload(&m);
}

static void same_bits_from_threads(void **u) {
  (void)u;
  static const char *const methods[] = {"hht-si2", "pfpc2", "hht-i3"};
  static const double steps[] = {0x1p-6, 0x1p-7};
  static const tr_study_kind kinds[] = {TR_STUDY_CONVERGENCE, TR_STUDY_ENERGY, TR_STUDY_DRIFT,
                                        TR_STUDY_STABILITY};
  mechanism m = load_model("slider_crank.yaml", NULL);
  for (int i = 0; i < 4; i++) {
    tr_study_settings set = tr_study_defaults(kinds[i]);
    set.methods = 3, set.method = methods, set.steps = 2, set.step = steps, set.end = 0.5;
    set.threads = 1;
    tr_study *one = run_study(m.sys, kinds[i], &set);
    set.threads = 4;
    tr_study *four = run_study(m.sys, kinds[i], &set);
    assert_int_equal(one->page.tables, four->page.tables);
    for (int k = 0; k < one->page.tables; k++) {
      const tr_table *a = &one->page.table[k], *b = &four->page.table[k];
      assert_int_equal(a->rows, b->rows);
      for (int j = 0; j < a->rows * a->columns; j++)
        assert_memory_equal(&a->cell[j].number, &b->cell[j].number, sizeof(double));
    }
    tr_study_free(one);
    tr_study_free(four);
  }
  unload(&m);
}

static void energy_with_and_without_damping(void **u) {
  (void)u;
  static const char *const methods[] = {"hht-i3", "newmark"};
  static const double steps[] = {0x1p-8, 0x1p-9, 0x1p-10};
  static const char *const free_of_damping[] = {"c=0", NULL};
  for (int damped = 0; damped < 2; damped++) {
    mechanism m = load_model("slider_crank.yaml", damped ? NULL : free_of_damping);
    tr_study_settings set = tr_study_defaults(TR_STUDY_ENERGY);
    set.methods = 2, set.method = methods, set.steps = 3, set.step = steps, set.end = 1;
    tr_study *s = run_study(m.sys, TR_STUDY_ENERGY, &set);
    assert_near(number(table(s, "orders"), 0, "order_average"), 2, 0.15, "hht-i3 %d", damped);
    assert_near(number(table(s, "orders"), 1, "order_max"), 1, 0.15, "newmark %d", damped);
    tr_study_free(s);
    unload(&m);
  }
}

// G v = kappa h^2 G q''': second order for index 3, nothing for the stabilised form.
static void drift(void **u) {
  (void)u;
  static const char *const methods[] = {"hht-i3", "hht-si2", "nstiff"};
  static const double steps[] = {0x1p-8, 0x1p-9, 0x1p-10};
  mechanism m = load_model("slider_crank.yaml", NULL);
  tr_study_settings set = tr_study_defaults(TR_STUDY_DRIFT);
  set.methods = 3, set.method = methods, set.steps = 3, set.step = steps, set.end = 1;
  set.joint = "pin_A";
  tr_study *s = run_study(m.sys, TR_STUDY_DRIFT, &set);
  const tr_table *t = table(s, "orders"), *d = table(s, "drift");
  assert_near(number(t, 0, "order_velocity"), 2, 0.05, "hht-i3");
  assert_true(isnan(number(t, 1, "order_velocity")));
  // kappa: gamma/2 - beta - 1/12 at alpha = -0.3, and -1/3
  double kappa = 0.4 - 0.4225 - 1.0 / 12;
  double ratio = number(d, 2, "max_velocity_violation") / number(d, 8, "max_velocity_violation");
  assert_near(ratio, fabs(kappa) * 3, 0.01, "kappa");
  assert_true(number(d, 5, "max_velocity_violation") < 1e-9);
  assert_int_equal(s->page.figures, 2);
  tr_study_free(s);
  // fewer steps than a panel has intervals: a curve all the same, a point for every step
  static const double coarse[] = {0.02, 0.01, 0.005};
  set.step = coarse, set.end = 0.2;
  s = run_study(m.sys, TR_STUDY_DRIFT, &set);
  const tr_series *c = &s->page.figure[0].panel[1].s[0];
  assert_int_equal(c->n, 20);
  for (int i = 0; i < c->n; i++) {
    assert_near(c->x[i], 0.01 * (i + 1), 1e-12, "time %d", i);
    assert_true(c->y[i] > 0);
  }
  tr_study_free(s);
  unload(&m);
}

static void medians(void **u) {
  (void)u;
  static const double x[] = {1, 2, 5, 9};
  assert_true(tr_study_median(1, x) == 1);
  assert_true(tr_study_median(2, x) == 1.5);
  assert_true(tr_study_median(3, x) == 2);
  assert_true(tr_study_median(4, x) == 3.5);
}

static void cost(void **u) {
  (void)u;
  static const char *const methods[] = {"nstiff"};
  mechanism m = load_model("pendulum.yaml", NULL);
  tr_study_settings set = tr_study_defaults(TR_STUDY_COST);
  set.methods = 1, set.method = methods, set.repeats = 3, set.measure = 1e-3;
  tr_study *s = run_study(m.sys, TR_STUDY_COST, &set);
  const tr_table *t = table(s, "cost");
  assert_int_equal(t->rows, 2); // the yardstick was added
  assert_true(number(t, 1, "ratio") == 1);
  assert_true(number(t, 0, "per_step") > 0);
  tr_study_free(s);
  set.steps = 0;
  s = run_study(m.sys, TR_STUDY_WORK_PRECISION, &set);
  t = table(s, "errors");
  for (int i = 0; i < t->rows; i++) {
    assert_true(number(t, i, "cpu_min") <= number(t, i, "cpu"));
    assert_true(number(t, i, "error_v") > 0);
  }
  tr_study_free(s);
  unload(&m);
}

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
  double complex w[3];
  double most = 0;
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

static bool has_note(const tr_study *s, const char *words) {
  for (int i = 0; i < s->page.notes; i++)
    if (strstr(s->page.note[i], words)) return true;
  return false;
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

// What has come to rest has no relative error, and a reference that is right is not called rough.
static void reference_at_rest(void **u) {
  (void)u;
  static const char *const methods[] = {"nstiff"};
  static const double tiny[] = {0x1p-60};
  mechanism m = load_text(
      "trammel: 1\ngravity: [0, -9.81]\nbodies:\n"
      "  a: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
      "joints:\n  p: {type: revolute, markers: [ground, {body: a, at: [-0.5, 0]}]}\n"
      "forces:\n"
      "  s: {type: torsion-spring, markers: [ground, a], stiffness: 1e9, damping: 1e5}\n"
      "simulation: {end: 1, step: 0.01}\n");
  tr_study_settings set = tr_study_defaults(TR_STUDY_CONVERGENCE);
  set.methods = 1, set.method = methods;
  tr_study *s = run_study(m.sys, TR_STUDY_CONVERGENCE, &set);
  assert_true(has_note(s, "v is 0 to round-off"));
  assert_true(has_note(s, "agrees with it"));
  assert_false(has_note(s, "too rough"));
  tr_study_free(s);
  // steps that are refused for being too short are not advised against with "smaller"
  tr_error e = {0};
  set.steps = 1, set.step = tiny;
  assert_int_equal(tr_study_run(m.sys, TR_STUDY_CONVERGENCE, &set, &s, &e), TR_BAD_INPUT);
  assert_non_null(strstr(e.text, "lost in the round-off"));
  assert_null(strstr(e.text, "may help"));
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
static void exponents_with_states(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\nbodies:\n"
      "  a: {type: planar, mass: 1, inertia: 0.1, position: [0.3, 0]}\n"
      "joints:\n  rail: {type: prismatic, markers: [ground, a]}\n"
      "states:\n  f: {rate: \"20*(want - f)\", initial: 2}\n"
      "variables:\n  want: {value: \"-30*DX(a) - 4*VX(a)\"}\n"
      "forces:\n  m: {type: force, markers: [a], force: [f, 0]}\n"
      "simulation: {end: 1, step: 0.01}\n");
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

// ---- refusals ---------------------------------------------------------------------------------------

static void refuse(const tr_system *sys, tr_study_kind kind, const tr_study_settings *set,
                   tr_status want, const char *words) {
  tr_study *s = NULL;
  tr_error e = {0};
  assert_int_equal(tr_study_run(sys, kind, set, &s, &e), want);
  assert_null(s);
  if (!strstr(e.text, words)) fail_msg("\"%s\" does not say \"%s\"", e.text, words);
}

static tr_status stop(tr_study_progress *self, double share, const char *what) {
  (void)self, (void)share, (void)what;
  return TR_STOPPED;
}

static void bad_settings(void **u) {
  (void)u;
  static const char *const wrong[] = {"hht-i4"}, *const none[] = {"nothing.x"};
  static const char *const energy[] = {"energy.total"};
  static const double minus = -1, endless = 99;
  mechanism m = load_model("slider_crank.yaml", NULL), p = load_model("pendulum.yaml", NULL);
  mechanism bare = load_text("trammel: 1\nbodies:\n  a: {type: planar-point, mass: 1}\n");
  tr_study_settings usual = tr_study_defaults(TR_STUDY_CONVERGENCE), set = usual;
  set.methods = 1, set.method = wrong;
  refuse(m.sys, TR_STUDY_CONVERGENCE, &set, TR_BAD_INPUT, "hht-i4");
  set = usual, set.steps = 1, set.step = &minus;
  refuse(m.sys, TR_STUDY_CONVERGENCE, &set, TR_BAD_INPUT, "positive");
  set.step = &endless;
  refuse(m.sys, TR_STUDY_CONVERGENCE, &set, TR_BAD_INPUT, "longer than the run");
  set = usual, set.outputs = 1, set.output = none;
  refuse(m.sys, TR_STUDY_CONVERGENCE, &set, TR_BAD_INPUT, "nothing.x");
  set.output = energy;
  refuse(m.sys, TR_STUDY_CONVERGENCE, &set, TR_BAD_INPUT, "no position, velocity or force");
  set = usual, set.joint = "pin_a";
  refuse(m.sys, TR_STUDY_DRIFT, &set, TR_BAD_INPUT, "did you mean \"pin_");
  set.joint = "rod";
  refuse(p.sys, TR_STUDY_DRIFT, &set, TR_BAD_INPUT, "one constraint");
  refuse(bare.sys, TR_STUDY_DRIFT, &usual, TR_BAD_INPUT, "no end time");
  set = usual, set.end = 1;
  refuse(bare.sys, TR_STUDY_DRIFT, &set, TR_BAD_INPUT, "no step sizes");
  set.steps = 1, set.step = &set.end;
  refuse(bare.sys, TR_STUDY_DRIFT, &set, TR_BAD_INPUT, "no constraints");
  tr_study_progress progress = {stop};
  set = usual, set.progress = &progress, set.end = 1e4;
  refuse(m.sys, TR_STUDY_CONVERGENCE, &set, TR_STOPPED, "");
  refuse(m.sys, TR_STUDY_KINDS, &usual, TR_BAD_INPUT, "no such study");
  tr_study_free(NULL);
  unload(&bare);
  unload(&m);
  unload(&p);
}

static void bad_references(void **u) {
  (void)u;
  static const char *const names[][2] = {
      {"t", "crank.x"}, {"t", "cronk.x"}, {"x", "crank.x"}, {"t", "energy.total"}};
  static const char *const words[] = {"no row for the end", "cronk.x", "no column \"t\"",
                                      "no column with"};
  static const double value[] = {0, 0};
  mechanism m = load_model("slider_crank.yaml", NULL);
  for (int i = 0; i < 4; i++) {
    tr_csv_table t = {2, 1, names[i], value};
    tr_study_settings set = tr_study_defaults(TR_STUDY_CONVERGENCE);
    set.reference = &t;
    refuse(m.sys, TR_STUDY_CONVERGENCE, &set, TR_BAD_INPUT, words[i]);
  }
  unload(&m);
}

// ---- memory -----------------------------------------------------------------------------------------

typedef struct counter {
  tr_allocator allocator;
  long calls, fail_at, live;
} counter;

static void *count(tr_allocator *self, void *block, size_t size) {
  counter *c = (counter *)self;
  if (size > 0 && ++c->calls == c->fail_at) return NULL;
  if (!block && size > 0) c->live++;
  if (block && size == 0) c->live--;
  if (size == 0) return free(block), NULL;
  return realloc(block, size);
}

static void no_memory(void **u) {
  (void)u;
  static const char *const methods[] = {"hht-i3"};
  static const double steps[] = {0.125, 0.0625};
  for (int kind = 0; kind < TR_STUDY_KINDS; kind++) {
    counter c = {.allocator = {count}};
    tr_model *model;
    tr_system *sys;
    tr_error e = {0};
    assert_int_equal(tr_model_new(&c.allocator, &model), TR_OK);
    assert_int_equal(tr_model_read_file(model, SOURCE_DIR "/models/pendulum.yaml", &e), TR_OK);
    assert_int_equal(tr_compile(model, &sys, &e), TR_OK);
    tr_study_settings set = tr_study_defaults((tr_study_kind)kind);
    set.methods = 1, set.method = methods, set.steps = 2, set.step = steps, set.end = 0.5;
    set.repeats = 1, set.measure = 0;
    tr_study *s;
    long live = c.live;
    c.calls = 0;
    assert_int_equal(tr_study_run(sys, (tr_study_kind)kind, &set, &s, &e), TR_OK);
    tr_study_free(s);
    long calls = c.calls;
    assert_int_equal(c.live, live);
    for (int k = 0; k < 60; k++) {
      c.calls = 0;
      c.fail_at = 1 + k * (calls - 1) / 59;
      e = (tr_error){0};
      tr_status status = tr_study_run(sys, (tr_study_kind)kind, &set, &s, &e);
      if (status != TR_NO_MEMORY)
        fail_msg("%s, allocation %ld of %ld: %s", tr_study_name((tr_study_kind)kind), c.fail_at,
                 calls, tr_status_text(status));
      assert_null(s);
      assert_int_equal(c.live, live);
    }
    tr_system_free(sys);
    tr_model_free(model);
    assert_int_equal(c.live, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fitted_orders),
      cmocka_unit_test(known_errors),
      cmocka_unit_test(claims_of_parameters),
      cmocka_unit_test(given_iterations),
      cmocka_unit_test(same_bits_from_threads),
      cmocka_unit_test(energy_with_and_without_damping),
      cmocka_unit_test(drift),
      cmocka_unit_test(medians),
      cmocka_unit_test(nothing_to_be_stable),
      cmocka_unit_test(exponents_with_states),
      cmocka_unit_test(exponents_of_a_blade),
      cmocka_unit_test(reference_at_rest),
      cmocka_unit_test(cost),
      cmocka_unit_test(eigenvalues),
      cmocka_unit_test(known_radii),
      cmocka_unit_test(radii_of_formulas),
      cmocka_unit_test(amplitude_and_period),
      cmocka_unit_test(equilibrium),
      cmocka_unit_test(bad_settings),
      cmocka_unit_test(bad_references),
      cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
