// SPDX-License-Identifier: Apache-2.0
// The coordinate split of cs and cm. Beads on an ellipse and on a circle, drawn across them by forces of 1/eps: whatever
// eps is they move as without. The reference is the one coordinate that they have, by Runge-Kutta.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "helper_cases.h"
#include "helper_mechanics.h"
#include "system/system.h"

typedef struct bead {
  const char *name, *text; // the text has eps once
  double a;                // half an axis; the other is 1
} bead;

static const double END = 6;
static const bead beads[] = {
    {"ellipse",
     "trammel: 1\n"
     "parameters: {eps: %s, c: 1/eps}\n"
     "gravity: [0, -1]\n"
     "bodies: {p: {type: planar-point, mass: 1, position: [2, 0], velocity: [0, 0.5]}}\n"
     "joints: {e: {type: expression, phi: \"DX(p)^2/4 + DY(p)^2 - 1\"}}\n"
     "forces:\n"
     "  f:\n"
     "    type: force\n"
     "    markers: [p]\n"
     "    force: [\"-c*DX(p)*(DX(p)^2/4 + DY(p)^2 - 0.81)\",\n"
     "            \"-4*c*DY(p)*(DX(p)^2/4 + DY(p)^2 - 0.81)\", 0]\n",
     2},
    {"circle",
     "trammel: 1\n"
     "parameters: {eps: %s}\n"
     "gravity: [0, -1]\n"
     "bodies: {p: {type: planar-point, mass: 1, position: [1, 0], velocity: [0, 0.5]}}\n"
     "joints: {e: {type: distance, markers: [ground, p]}}\n"
     "forces:\n"
     "  f: {type: spring-damper, markers: [ground, p], stiffness: 1/eps, free-length: 0.9}\n",
     1}};
enum { BEADS = sizeof beads / sizeof *beads };

// (x, y) = (a cos s, sin s):  J s'' = -cos s - J' s'^2/2,  J = a^2 sin^2 s + cos^2 s
static double slope(double a, double s, double w) {
  double J = a * a * sin(s) * sin(s) + cos(s) * cos(s), dJ = (a * a - 1) * sin(2 * s);
  return (-cos(s) - 0.5 * dJ * w * w) / J;
}

static void find_end(double a, double *x, double *y) {
  enum { STEPS = 20000 };
  const double h = END / STEPS;
  double s = 0, w = 0.5;
  for (int n = 0; n < STEPS; n++) { // the classical Runge-Kutta method
    double w1 = w, f1 = slope(a, s, w);
    double w2 = w + h / 2 * f1, f2 = slope(a, s + h / 2 * w1, w2);
    double w3 = w + h / 2 * f2, f3 = slope(a, s + h / 2 * w2, w3);
    double w4 = w + h * f3, f4 = slope(a, s + h * w3, w4);
    s += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4), w += h / 6 * (f1 + 2 * f2 + 2 * f3 + f4);
  }
  *x = a * cos(s), *y = sin(s);
}

typedef struct outcome {
  double error;
  tr_run_info info;
} outcome;

static outcome go(const bead *b, const char *eps, const char *method, double h, double tol) {
  char text[1000];
  outcome out;
  double x, y;
  tr_error error = {0};
  tr_run_settings s = tr_run_defaults();
  snprintf(text, sizeof text, b->text, eps);
  tr_system *sys = system_of_text(text);
  s.method = method, s.step = h, s.control.tol = tol, s.end = END;
  tr_run *run = begin_run(sys, &s);
  if (tr_run_all(run, &error) != TR_OK)
    fail_msg("%s, eps %s, %s, %g: %s", b->name, eps, method, tol, error.text);
  find_end(b->a, &x, &y);
  out.error = hypot(tr_run_state(run)->q[0] - x, tr_run_state(run)->q[1] - y);
  out.info = tr_run_describe(run);
  tr_run_free(run);
  tr_system_free(sys);
  return out;
}

static const char *const all_eps[] = {"1e-1", "1e-2", "1e-3", "1e-4", "1e-5",
                                      "1e-6", "1e-7", "1e-8", "1e-9"};
enum { EPS = sizeof all_eps / sizeof *all_eps };

// Formulas of order k and steps h with an error of tol each: tol^(k/(k+1)) in all, at orders that change never better than
// that of 2.
static double may_err(int order, double tol) {
  return order == 1 ? 10 * pow(tol, 0.5) : 6 * pow(tol, 2.0 / 3);
}

// Iterations have converged where steps are accepted: the matrix of cm, stiff along the curve where no force
// is, made corrections small and energy from nothing.
static void test_beads(void **state) {
  (void)state;
  static const struct {
    const char *method, *like;
    int order;
  } c[] = {{"cm:order=1", "cs:order=1", 1}, {"cm", "cs", 2}, {"cm:order=5", "cs:order=5", 5}};
  for (int b = 0; b < BEADS; b++)
    for (size_t k = 0; k < sizeof c / sizeof *c; k++)
      for (double tol = 1e-3; tol > 5e-7; tol /= 10)
        for (int i = 0; i < EPS; i++) {
          if (!in_turn(b + (int)k, i, EPS)) continue;
          outcome cm = go(&beads[b], all_eps[i], c[k].method, 0, tol);
          outcome cs = go(&beads[b], all_eps[i], c[k].like, 0, tol);
          double most = may_err(c[k].order, tol);
          if (!(cm.error < most) || !(cs.error < most))
            fail_msg("%s, eps %s, tol %g: off by %g with %s, %g with %s", beads[b].name, all_eps[i],
                     tol, cm.error, c[k].method, cs.error, c[k].like);
          assert_int_equal(cm.info.newton_failures, 0);
          assert_int_equal(cs.info.newton_failures, 0);
          assert_true((double)cm.info.steps < 1.25 * (double)cs.info.steps);
          assert_true((double)cm.info.residuals < 2.5 * (double)cs.info.residuals);
        }
}

// A frozen P is one of another problem; what that makes is an error like others. At order 1 the steps are many.
static void test_frozen(void **state) {
  (void)state;
  static const struct {
    const char *method;
    int order, eps;
    double tol;
  } c[] = {{"cm:order=1,projector=frozen", 1, 7, 1e-5},
           {"cm:projector=frozen", 2, EPS, 1e-3},
           {"cm:order=5,projector=frozen", 5, EPS, 1e-3}};
  for (int b = 0; b < BEADS; b++)
    for (size_t k = 0; k < sizeof c / sizeof *c; k++)
      for (double tol = c[k].tol; tol > 5e-6; tol /= 10)
        for (int i = 0; i < c[k].eps; i++) {
          if (!in_turn(b + (int)k, i, 4)) continue;
          outcome o = go(&beads[b], all_eps[i], c[k].method, 0, tol);
          if (!(o.error < 3 * may_err(c[k].order, tol)))
            fail_msg("%s, eps %s, tol %g: off by %g with %s", beads[b].name, all_eps[i], tol,
                     o.error, c[k].method);
        }
}

// The solution of fixed steps is that of cs, to what the iteration leaves.
static void test_fixed(void **state) {
  (void)state;
  for (int b = 0; b < BEADS; b++)
    for (double h = 0.2; h > 0.01; h /= 2)
      for (int i = 0; i < EPS; i += 2) {
        if (!in_turn(b, i / 2, 3)) continue;
        outcome cm = go(&beads[b], all_eps[i], "cm", h, 0),
                cs = go(&beads[b], all_eps[i], "cs", h, 0);
        if (!(fabs(cm.error - cs.error) < 1e-6))
          fail_msg("%s, eps %s, h %g: off by %g, with cs by %g", beads[b].name, all_eps[i], h,
                   cm.error, cs.error);
      }
}

// A long chain of closed loops costs in proportion, and moves as by ggl-bdf, which solves the same equations. (Elimination
// of a full matrix took a thousand times as long, which this would not bear: times are told, not tested.)
static void test_chain(void **state) {
  (void)state;
  static const char *const set[] = {"N=400", NULL}, *const methods[] = {"ggl-bdf:order=5",
                                                                        "cs:order=5", "cm:order=5"};
  mechanism m = load_model("four_bar_chain.yaml", set);
  double angle[3], cpu[3];
  for (int i = 0; i < 3; i++) {
    tr_run_settings s = tr_run_defaults();
    s.method = methods[i], s.control.tol = 1e-5, s.end = 0.5;
    clock_t begun = clock();
    tr_run *run = begin_run(m.sys, &s);
    assert_int_equal(tr_run_all(run, NULL), TR_OK);
    cpu[i] = (double)(clock() - begun) / CLOCKS_PER_SEC;
    angle[i] = tr_run_state(run)->q[2];
    tr_run_free(run);
  }
  for (int i = 1; i < 3; i++) {
    print_message("%s: %.3g s, %s %.3g s\n", methods[i], cpu[i], methods[0], cpu[0]);
    assert_true(fabs(angle[i] - angle[0]) < 1e-3);
  }
  unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_beads), cmocka_unit_test(test_frozen),
                                     cmocka_unit_test(test_fixed), cmocka_unit_test(test_chain)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
