// SPDX-License-Identifier: Apache-2.0
// The error of multipliers under step control, where it is asked for: with every method it follows the tolerance.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_mechanics.h"
#include "math/vector.h"
#include "system/system.h"

enum { ROOM = 64 };

static long run_to_end(const tr_system *sys, const char *method, double tol, bool asked,
                       double *lam) {
  tr_error error = {0};
  tr_run_settings set = tr_run_defaults();
  tr_run *run = NULL;
  set.method = method, set.end = 1;
  set.control.tol = tol, set.control.multipliers = asked;
  tr_status status = tr_run_new(sys, &set, NULL, &run, &error);
  if (status == TR_OK) status = tr_run_all(run, &error);
  if (status != TR_OK) fail_msg("%s, %g: %s", method, tol, error.text);
  memcpy(lam, tr_run_state(run)->lam, (size_t)sys->nc * sizeof *lam);
  long steps = tr_run_describe(run).steps;
  tr_run_free(run);
  return steps;
}

static void follow_the_tolerance(void **u) {
  (void)u;
  mechanism m = load_model("slider_crank.yaml", NULL);
  double truth[ROOM], lam[2][ROOM];
  assert_true(m.sys->nc <= ROOM);
  run_to_end(m.sys, "radau5", 1e-11, false, truth);
  double size = vec_largest(truth, m.sys->nc);
  for (int i = 0; i < tr_method_count(); i++) {
    const char *name = tr_method_describe(i).name;
    if (strstr("pfpc1 pfpc2 baumgarte", name)) continue; // feedback of 1/h: refused
    for (double tol = 1e-4; tol > 5e-7; tol /= 10) {
      double e[2] = {0};
      long steps[2];
      for (int asked = 0; asked < 2; asked++) {
        steps[asked] = run_to_end(m.sys, name, tol, asked, lam[asked]);
        for (int k = 0; k < m.sys->nc; k++)
          e[asked] = fmax(e[asked], fabs(lam[asked][k] - truth[k]) / size);
      }
      // a method of first order is off by h, and h ~ tol^(1/2)
      double most = tr_method_describe(i).order_lam > 1 ? 20 * tol : sqrt(tol);
      if (!(e[1] < most)) fail_msg("%s, %g: off by %g", name, tol, e[1]);
      assert_true(steps[1] > steps[0]); // it is what bounds the step
    }
  }
  unload(&m);
}

// A pendulum let go at the height of its hinge, and an integrator beside it with values of up to A: the largest multiplier
// is the tension's, 3 m g in the end, which the integrator's hid. And it begins with none: the error was related to what
// had been seen of it, with steps of 3e-8 s.
static void of_mechanics(void **u) {
  (void)u;
  for (double A = 1; A < 1e7; A *= 1e3) {
    char text[1000];
    double lam[ROOM];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "gravity: [0, -9.81]\n"
             "bodies: {p: {type: planar-point, mass: 1, position: [1, 0]}}\n"
             "joints: {r: {type: distance, markers: [ground, p]}}\n"
             "states: {s: {rate: '%g*sin(time)'}}\n"
             "simulation: {end: 1 s, step: 1 ms}\n",
             A);
    tr_system *sys = system_of_text(text);
    long asked = run_to_end(sys, "hht-i3", 1e-5, true, lam);
    long plain = run_to_end(sys, "hht-i3", 1e-5, false, lam);
    if (asked < 4 * plain || asked > 1000) fail_msg("A = %g: %ld and %ld steps", A, asked, plain);
    tr_system_free(sys);
  }
}

static void refused_with_feedback(void **u) {
  (void)u;
  mechanism m = load_model("slider_crank.yaml", NULL);
  tr_run_settings set = tr_run_defaults();
  tr_error error = {0};
  tr_run *run = NULL;
  set.method = "pfpc1", set.control.tol = 1e-4, set.control.multipliers = true;
  assert_int_equal(tr_run_new(m.sys, &set, NULL, &run, &error), TR_BAD_INPUT);
  assert_non_null(strstr(error.text, "multipliers cannot be told"));
  unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(follow_the_tolerance),
                                     cmocka_unit_test(of_mechanics),
                                     cmocka_unit_test(refused_with_feedback)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
