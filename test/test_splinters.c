// SPDX-License-Identifier: Apache-2.0
// Stops a splinter of time apart, as of a caller with two clocks: they leave no trace in what follows, and a and lam of
// the splinter are those of the motion, down to where steps are round-off.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_mechanics.h"
#include "math/vector.h"
#include "system/system.h"

static const double H = 0x1p-8, STOP = 0.1, GOAL = 0.12;
enum { ROOM = 64 };

typedef struct result {
  double v[ROOM], lam[ROOM]; // at the goal; after the splinter
} result;

static void go(const tr_system *sys, const char *method, double tol, double w, result *x) {
  tr_error error = {0};
  tr_run_settings set = tr_run_defaults();
  tr_run *run = NULL;
  set.method = method, set.end = 1;
  if (tol > 0)
    set.control.tol = tol;
  else
    set.step = H;
  assert_true(sys->nv <= ROOM && sys->nc <= ROOM);
  tr_status status = tr_run_new(sys, &set, NULL, &run, &error);
  if (status == TR_OK) status = tr_run_to(run, STOP, &error);
  if (status == TR_OK && w > 0) status = tr_run_to(run, STOP + w, &error);
  if (status != TR_OK) fail_msg("%s, w = %g: %s", method, w, error.text);
  assert_true(fabs(tr_run_state(run)->t - (STOP + w)) < 2e-9 * H);
  memcpy(x->lam, tr_run_state(run)->lam, (size_t)sys->nc * sizeof *x->lam);
  if (tr_run_to(run, GOAL, &error) != TR_OK) fail_msg("%s, w = %g: %s", method, w, error.text);
  memcpy(x->v, tr_run_state(run)->v, (size_t)sys->nv * sizeof *x->v);
  tr_run_free(run);
}

static double difference(int n, const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

static bool passes(const char *file, double tol, bool reactions) {
  mechanism m = load_model(file, NULL);
  result truth, plain, own;
  bool ok = true;
  go(m.sys, "radau5", 1e-9, 0, &truth);
  for (int i = 0; i < tr_method_count(); i++) {
    const char *name = tr_method_describe(i).name;
    go(m.sys, name, tol, 0, &plain);
    double v = difference(m.sys->nv, plain.v, truth.v);
    double lam = difference(m.sys->nc, plain.lam, truth.lam);
    double size = 1e-3 * vec_largest(truth.lam, m.sys->nc);
    for (double w = 1e-5; w > 1e-14; w /= 10) {
      go(m.sys, name, tol, w, &own);
      double ev = difference(m.sys->nv, own.v, truth.v);
      double el = difference(m.sys->nc, own.lam, truth.lam);
      // of methods that go on through it lam is what Newton leaves open over w
      bool shows = reactions && (w > 2e-10 || !strstr("ggl-bdf cs cm", name));
      bool good = ev <= (tol > 0 ? 4 : 2) * v + 1e-6 && (!shows || el <= 2 * lam + size);
      ok &= good;
      if (!good)
        print_error("%s, %s, tol %g, w = %g: v off by %.2g, lam by %.2g; without it %.2g, %.2g\n",
                    file, name, tol, w, ev, el, v, lam);
    }
  }
  unload(&m);
  return ok;
}

static void leave_no_trace(void **u) {
  (void)u;
  bool ok = passes("slider_crank.yaml", 0, true);
  ok &= passes("three_link_pendulum.yaml", 0, true);
  ok &= passes("slider_crank.yaml", 1e-6, false); // lam at changing steps is another matter
  assert_true(ok);
}

// Stiff: lam is that of before.
static void stiff_as_well(void **u) {
  (void)u;
  mechanism m = load_model("double_pendulum.yaml", NULL);
  static const char *const methods[] = {"hht-i3", "gen-alpha", "nstiff", "hht-si2"};
  for (int i = 0; i < 4; i++) {
    result plain, own;
    go(m.sys, methods[i], 0, 0, &plain);
    for (double w = 1e-4; w > 1e-13; w /= 10) {
      go(m.sys, methods[i], 0, w, &own);
      double dv = difference(m.sys->nv, plain.v, own.v);
      double dl = difference(m.sys->nc, plain.lam, own.lam);
      if (dv > 0.2 * vec_largest(plain.v, m.sys->nv) ||
          dl > 0.2 * vec_largest(plain.lam, m.sys->nc))
        fail_msg("%s, w = %g: v other by %g, lam by %g", methods[i], w, dv, dl);
    }
  }
  unload(&m);
}

// Times by sums and by products, in turn: each is met, none is overstepped.
static void two_clocks(void **u) {
  (void)u;
  mechanism m = load_model("planar_double_pendulum.yaml", NULL);
  tr_error error = {0};
  tr_run_settings set = tr_run_defaults();
  tr_run *run = NULL;
  set.step = 1e-4, set.end = 10;
  assert_int_equal(tr_run_new(m.sys, &set, NULL, &run, &error), TR_OK);
  double sum = 0;
  for (int i = 1; i <= 3000; i++) {
    sum += 1e-3;
    double a = fmin(sum, i * 1e-3), b = fmax(sum, i * 1e-3);
    assert_int_equal(tr_run_to(run, a, &error), TR_OK);
    assert_true(fabs(tr_run_state(run)->t - a) < 1e-12);
    assert_int_equal(tr_run_to(run, b, &error), TR_OK);
    assert_true(fabs(tr_run_state(run)->t - b) < 1e-12);
  }
  tr_run_info info = tr_run_describe(run);
  assert_true(info.max_phi < 1e-9);
  tr_run_free(run);
  unload(&m);
}

// A given number of iterations, whose matrix is the whole one, bears splinters and tiny steps as well.
static void counted_iterations(void **u) {
  (void)u;
  static const char *const methods[] = {"cs", "cm", "ggl-bdf:metric=identity", "nstiff-si2",
                                        "gen-alpha:index=2"};
  mechanism m = load_model("three_link_pendulum.yaml", NULL);
  for (int i = 0; i < 5 * 4; i++) {
    static const double tiny[] = {1e-6, 1e-7, 1e-8, 1e-9};
    tr_error error = {0};
    tr_run_settings set = tr_run_defaults();
    tr_run *run = NULL;
    set.method = methods[i / 4], set.end = 1, set.step = tiny[i % 4];
    set.newton.fixed_iterations = 3;
    tr_status status = tr_run_new(m.sys, &set, NULL, &run, &error);
    for (int k = 0; k < 3 && status == TR_OK; k++) status = tr_run_step(run, &error);
    if (status != TR_OK) fail_msg("%s, h = %g: %s", set.method, set.step, error.text);
    tr_run_free(run);
  }
  unload(&m);
}

// A run that has begun anew on the way and is restarted goes on like one that begins at that state.
static void restarts_forget(void **u) {
  (void)u;
  static const char *const more[] = {"nstiff:start=printed", "nstiff-si2:start=printed",
                                     "hht-i3:start=printed", "hht-si2:start=printed",
                                     "gen-alpha:start=printed"};
  mechanism m = load_model("slider_crank.yaml", NULL);
  for (int i = 0; i < tr_method_count() + 5; i++) {
    const char *name = i < 5 ? more[i] : tr_method_describe(i - 5).name;
    tr_error error = {0};
    tr_run_settings set = tr_run_defaults();
    tr_run *old = NULL, *new = NULL;
    set.method = name, set.step = H, set.end = 1;
    tr_state x;
    assert_int_equal(tr_state_new(m.sys, &x, &error), TR_OK);
    assert_int_equal(tr_run_new(m.sys, &set, NULL, &old, &error), TR_OK);
    assert_int_equal(tr_run_to(old, STOP, &error), TR_OK);
    tr_state_copy(&x, tr_run_state(old));
    tr_start_info moved;
    assert_int_equal(tr_consistent_start(m.sys, &x, &moved, &error), TR_OK);
    assert_int_equal(tr_run_restart(old, &x, &error), TR_OK);
    assert_int_equal(tr_run_new(m.sys, &set, &x, &new, &error), TR_OK);
    assert_int_equal(tr_run_to(old, GOAL, &error), TR_OK);
    assert_int_equal(tr_run_to(new, GOAL, &error), TR_OK);
    double off = difference(m.sys->nv, tr_run_state(old)->v, tr_run_state(new)->v);
    if (!(off <= 1e-13)) fail_msg("%s: off by %g", name, off);
    tr_state_free(m.sys, &x);
    tr_run_free(old), tr_run_free(new);
  }
  unload(&m);
}

// Two flywheels on a stiff shaft. The torque on one of them rises to 2 N m until te, and further from w later on.
static const char ramps[] =
    "trammel: 1\n"
    "gravity: [0, 0]\n"
    "bodies:\n"
    "  a: {type: planar, mass: 1, inertia: 0.008}\n"
    "  b: {type: planar, mass: 1, inertia: 0.008}\n"
    "joints:\n"
    "  ha: {type: revolute, markers: [ground, a]}\n"
    "  hb: {type: revolute, markers: [ground, b]}\n"
    "forces:\n"
    "  shaft: {type: torsion-spring, markers: [a, b], stiffness: %g, damping: 0.05}\n"
    "  T: {type: torsion-spring, joint: ha, torque: \"step5(time, 0, 0, %.15g, 2) + step5(time, "
    "%.15g, 0, %.15g, 0.5)\"}\n";

// How far the mean speed is from the impulse of the torque over the inertia; the shortest step over the one before it.
static double ramp_error(const char *method, double k, double te, double w, double *shortest) {
  char text[1200];
  snprintf(text, sizeof text, ramps, k, te, te + w, te + w + 0.05);
  mechanism m = load_text(text);
  tr_error error = {0};
  tr_run_settings set = tr_run_defaults();
  tr_run *run = NULL;
  set.method = method, set.end = 0.3, set.control.tol = 1e-4;
  assert_int_equal(tr_run_new(m.sys, &set, NULL, &run, &error), TR_OK);
  double last = 0, t = 0;
  *shortest = 1;
  while (t < set.end) {
    if (tr_run_step(run, &error) != TR_OK) fail_msg("%s: %s", method, error.text);
    double h = tr_run_state(run)->t - t;
    if (last > 0) *shortest = fmin(*shortest, h / last);
    last = h, t += h;
  }
  const double *v = tr_run_state(run)->v;
  double impulse = te + 2 * (set.end - te) + 0.5 * (set.end - te - w - 0.025);
  double off = fabs(0.5 * (v[m.sys->body[0].v + 2] + v[m.sys->body[1].v + 2]) - impulse / 0.016);
  tr_run_free(run);
  unload(&m);
  return off;
}

// A step that ends where a law has a kink is no splinter; and where two kinks are a moment apart, so that one is, what
// follows it begins with accelerations that are known to be of before.
static void kinks_in_stiff_models(void **u) {
  (void)u;
  static const char *const methods[] = {"hht-i3", "hht-si2", "nstiff", "nstiff-si2", "gen-alpha"};
  static const double stiffness[] = {1e3, 1e4, 1e5};
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 3; k++)
      for (int n = 0; n < 20; n++) {
        double te = 0.08 + 0.002 * n, share, other;
        double alone = ramp_error(methods[i], stiffness[k], te, 0.05, &share);
        double apart = ramp_error(methods[i], stiffness[k], te, 1e-4, &other);
        if (alone > 0.03 || apart > 0.03 || share < 0.25)
          fail_msg("%s, k = %g, te = %g: off by %g, with kinks a moment apart by %g; a step of %g",
                   methods[i], stiffness[k], te, alone, apart, share);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(leave_no_trace),     cmocka_unit_test(stiff_as_well),
      cmocka_unit_test(two_clocks),         cmocka_unit_test(restarts_forget),
      cmocka_unit_test(counted_iterations), cmocka_unit_test(kinks_in_stiff_models)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
