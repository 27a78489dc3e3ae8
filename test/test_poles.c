// SPDX-License-Identifier: Apache-2.0
// Bodies in 3-1-3 angles next to their singularity, and such as spin fast: the angles take other axes in time, and the motion
// is that on the Lie group; where a step is too long for them they say so.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "helper_cases.h"
#include "helper_rotations.h"
#include "math/v3.h"

static const char plain[] =
    "trammel: 1\n"
    "bodies:\n"
    "  a: {type: spatial, coordinates: %s, mass: 1, inertia: [1, 2, 3]%s}\n";

static int run_plain(const char *coordinates, const char *extra, const char *method, double h,
                     double tol, double *out, tr_run_info *info) {
  char text[512];
  tr_model *model;
  tr_system *s;
  tr_run *run;
  tr_error e = {0};
  snprintf(text, sizeof text, plain, coordinates, extra);
  compile_text(text, &model, &s);
  tr_run_settings set = tr_run_defaults();
  set.method = method, set.end = 1, set.step = h;
  if (tol > 0) set.step = NAN, set.control.tol = tol;
  if (tr_run_new(s, &set, NULL, &run, &e) || tr_run_all(run, &e))
    fail_msg("%s%s, %s: %s", coordinates, extra, method, e.text);
  int n = read_motion(s, tr_run_state(run), out);
  *info = tr_run_describe(run);
  tr_run_free(run);
  tr_system_free(s);
  tr_model_free(model);
  return n;
}

// Begun at the pole, straight into it, past it at many distances: all goes on, as well as angles do elsewhere.
static void test_pole(void **state) {
  (void)state;
  for (int k = -3; k < 12; k++) { // 0: straight into it
    char extra[256];
    double exact[MOTION_MAX], miss = k <= 0 ? 0 : 1e-4 * pow(2.5, k);
    tr_run_info info;
    if (k < 0)
      snprintf(extra, sizeof extra, "%s, omega: [1, -2, 3]",
               k == -1   ? ""
               : k == -2 ? ", orientation: {x: pi}"
                         : ", orientation: {x: 1e-9}");
    else
      snprintf(extra, sizeof extra,
               ", orientation: [{z: 0.4}, {x: 1}, {z: 0.3}], omega: [-%.17g, -%.17g, %.17g]",
               2 * cos(0.4), 2 * sin(0.4), 2 * miss);
    int n = run_plain("lie", extra, "radau5", 1e-3, 0, exact, &info);
    for (int m = 0; m < tr_method_count(); m++) {
      if (!in_turn(m + k + 3, 0, 3)) continue;
      tr_method_info method = tr_method_describe(m);
      double off[2] = {0}, out[MOTION_MAX];
      for (int c = 0; c < 2; c++) {
        run_plain(c ? "euler-313" : "lie", extra, method.name, 0.005, 0, out, &info);
        for (int i = 0; i < n; i++) off[c] = fmax(off[c], fabs(out[i] - exact[i]));
      }
      if (!(off[1] < 25 * off[0] + 2e-5)) // 18 times on a body that tumbles anywhere
        fail_msg("%s, %d: off by %g, on the Lie group by %g", method.name, k, off[1], off[0]);
      if (k > 0 && k % 3 > 0) continue;
      run_plain("euler-313", extra, method.name, NAN, 1e-4, out, &info);
      off[1] = 0;
      for (int i = 0; i < n; i++) off[1] = fmax(off[1], fabs(out[i] - exact[i]));
      if (!(off[1] < (method.order_q > 1 ? 0.05 : 0.2)))
        fail_msg("%s, %d: off by %g under control", method.name, k, off[1]);
    }
  }
}

// From good angles to the pole at once, tumbling by 5 rad a step: stopped, with the reason.
static void test_long_steps(void **state) {
  (void)state;
  char text[512];
  tr_model *model;
  tr_system *s;
  snprintf(text, sizeof text, plain, "euler-313",
           ", orientation: [{z: 0.4}, {x: 1.2}, {z: 0.3}], omega: [7, 6.5, 2.5]");
  compile_text(text, &model, &s);
  for (int k = 0; k < 2; k++) {
    tr_error e = {0};
    tr_run *run;
    tr_run_settings set = tr_run_defaults();
    set.end = 2, set.step = k == 0 ? 0.5 : 0.1;
    assert_int_equal(tr_run_new(s, &set, NULL, &run, &e), TR_OK);
    assert_int_equal(tr_run_all(run, &e), k == 0 ? TR_FAILED : TR_OK);
    if (k == 0)
      assert_non_null(
          strstr(e.text, "body \"a\": its 3-1-3 Euler angles are too near their singularity"));
    tr_run_free(run);
  }
  tr_system_free(s);
  tr_model_free(model);
}

// A caller's state at the pole: whoever may do so goes on in other axes, the others tell why not.
static void test_start_at_the_pole(void **state) {
  (void)state;
  static const double theta[] = {0, 1e-9, TR_PI, 2 * TR_PI, 3 * TR_PI, -0.1, 4, 100};
  enum { N = sizeof theta / sizeof *theta };
  char text[512];
  tr_model *model;
  tr_system *s;
  tr_state x, y;
  tr_error e = {0};
  snprintf(text, sizeof text, plain, "euler-313", "");
  compile_text(text, &model, &s);
  assert_int_equal(tr_state_new(s, &x, &e) || tr_state_new(s, &y, &e), TR_OK);
  for (int k = 0; k < N * 3; k++) {
    const double angles[] = {0.3, theta[k % N], 0.2};
    tr_run *run;
    tr_run_settings set = tr_run_defaults();
    set.end = 1, set.step = 0.01, set.consistent_start = k < N;
    v3_copy(angles, x.q + 3);
    x.v[4] = 2, x.v[5] = 0.5;
    assert_int_equal(tr_run_new(s, &set, k < 2 * N ? &x : NULL, &run, &e), TR_OK);
    assert_int_equal(k < 2 * N ? TR_OK : tr_run_restart(run, &x, &e), TR_OK);
    assert_int_equal(tr_run_all(run, &e), TR_OK);
    tr_run_free(run);
    tr_state_copy(&y, &x);
    assert_int_equal(tr_consistent_start(s, &y, NULL, &e), TR_OK);
    e = (tr_error){0};
    assert_int_equal(tr_accelerations(s, &x, &e), TR_NOT_FINITE);
    bool pole = fabs(sin(theta[k % N])) < 1e-8;
    assert_non_null(strstr(e.text, "body \"a\": its 3-1-3 Euler angles "));
    assert_non_null(strstr(e.text, pole ? "are at their singularity" : "have theta outside"));
  }
  tr_state_free(s, &x), tr_state_free(s, &y);
  tr_system_free(s);
  tr_model_free(model);
}

// ---- fast spins -------------------------------------------------------------------------------------

// A top with the body's x, y or z for its axis, and an unbalanced rotor on a shaft askew.
static const struct spinning {
  const char *name, *text;
  double speed;
  double worse; // than on the Lie group at most
} spinning[] = {
    {"top about x",
     "trammel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
     "  b: {type: spatial, coordinates: %s, mass: 15, inertia: [0.46875, 0.234375, 0.234375],\n"
     "    com: [1, 0, 0], orientation: {z: 90 deg}, omega: [0, 150, -4.61538], keep: [wx, wy, "
     "wz]}\n"
     "joints:\n  tip: {type: spherical, markers: [ground, b]}\n",
     150, 0.1},
    {"top about y",
     "trammel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
     "  b: {type: spatial, coordinates: %s, mass: 15, inertia: [0.234375, 0.46875, 0.234375],\n"
     "    com: [0, 1, 0], omega: [0, 150, -4.61538], keep: [wx, wy, wz]}\n"
     "joints:\n  tip: {type: spherical, markers: [ground, b]}\n",
     150, 0.1},
    {"rotor about x",
     "trammel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
     "  b: {type: spatial, coordinates: %s, mass: 2, inertia: [0.02, 0.011, 0.011],\n"
     "    com: [0, 0.01, 0.003], orientation: [{z: 30 deg}, {y: -20 deg}],\n"
     "    omega: [81.379768134937381, 46.984631039295421, 34.202014332566871], keep: [wx, wy, "
     "wz]}\n"
     "joints:\n  shaft: {type: revolute, bodies: [ground, b], at: [0, 0, 0],\n"
     "    axis: [0.81379768134937381, 0.46984631039295421, 0.34202014332566871]}\n",
     100, 1.05},
    {"rotor about y",
     "trammel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
     "  b: {type: spatial, coordinates: %s, mass: 2, inertia: [0.011, 0.02, 0.011],\n"
     "    com: [0.003, 0, 0.01], omega: [0, 100, 0], keep: [wx, wy, wz]}\n"
     "joints:\n  shaft: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: [0, 1, 0]}\n",
     100, 1.05},
};

static int run_spinning(const struct spinning *x, const char *coordinates, const char *method,
                        double h, double tol, double *out) {
  char text[1024];
  tr_model *model;
  tr_system *s;
  tr_run *run;
  tr_error e = {0};
  snprintf(text, sizeof text, x->text, coordinates);
  compile_text(text, &model, &s);
  tr_run_settings set = tr_run_defaults();
  set.method = method, set.end = 0.2, set.step = h, set.control.tol = tol;
  if (tr_run_new(s, &set, NULL, &run, &e) || tr_run_all(run, &e))
    fail_msg("%s, %s, %s, h = %g: %s", x->name, coordinates, method, h, e.text);
  int n = read_motion(s, tr_run_state(run), out) / 13 * 7;
  tr_run_free(run);
  tr_system_free(s);
  tr_model_free(model);
  return n;
}

// With 0.75 rad a step and less: never worse than on the Lie group, and where all but the spin is slow far better.
static void test_spins(void **state) {
  (void)state;
  static const char *const methods[] = {"hht-i3", "gen-alpha:index=2", "nstiff"};
  for (size_t k = 0; k < sizeof spinning / sizeof *spinning; k++) {
    const struct spinning *x = &spinning[k];
    double exact[MOTION_MAX], out[MOTION_MAX], off[2];
    int n = run_spinning(x, "lie", "radau5", NAN, 1e-11, exact);
    for (int m = 0; m < 3; m++)
      for (double steps = 40; steps < 350; steps *= 2) {
        for (int c = 0; c < 2; c++) {
          off[c] = 0;
          run_spinning(x, c ? "euler-313" : "lie", methods[m], 0.2 / steps, 0, out);
          for (int i = 0; i < n; i++) off[c] = fmax(off[c], fabs(out[i] - exact[i]));
        }
        if (!(off[1] < x->worse * off[0]))
          fail_msg("%s, %s, %g rad a step: off by %g, on the Lie group by %g", x->name, methods[m],
                   0.2 * x->speed / steps, off[1], off[0]);
      }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pole),
      cmocka_unit_test(test_long_steps),
      cmocka_unit_test(test_start_at_the_pole),
      cmocka_unit_test(test_spins),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
