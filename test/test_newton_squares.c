// SPDX-License-Identifier: Apache-2.0
// A given number of Newton iterations on rotations, states, and friction that feels reactions: Newton's own mark,
// with nothing left out errors are squared. Methods that do not iterate say so.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_mechanics.h"

static const char rolling_text[] =
    "trammel: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  coin: {type: spatial, mass: 2, inertia: [0.045, 0.045, 0.09], position: [0, 0, 0.27],\n"
    "    orientation: {x: 1.1}, keep: [wx, wy, wz], omega: [0.6, -3, 1.5]}\n"
    "  bob: {type: spatial, mass: 0.5, inertia: [0.002, 0.003, 0.004], position: [0.05, 0, 0.1],\n"
    "    omega: [0, 2, 0], keep: [wy]}\n"
    "joints:\n"
    "  contact: {type: rolling-disk, markers: [ground, coin], radius: 0.3}\n"
    "  hang: {type: spherical, bodies: [coin, bob], at: [0.05, 0.02, 0.25]}\n"
    "  law: {type: velocity-expression, gam: \"WX(bob)*WY(coin) + 0.3*VZ(bob) - 0.5*WZ(bob)\"}\n"
    "simulation: {end: 1, step: 0.01}\n";
static const char controlled_text[] =
    "trammel: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  a: {type: planar, mass: 1.1, inertia: 0.03, com: [0.4, 0], angle: 0.3, omega: 2, keep: "
    "[angle]}\n"
    "  b: {type: planar, mass: 0.5, inertia: 0.01, position: [0.8, 0.2], com: [0.2, 0.03], angle: "
    "-0.5}\n"
    "joints:\n"
    "  p1: {type: revolute, markers: [ground, a]}\n"
    "  p2: {type: revolute, markers: [{body: a, at: [0.8, 0]}, b]}\n"
    "states:\n  z: {initial: 0.2, rate: \"WZ(a) - 3*z - z^3 + 0.2*DX(b)\"}\n"
    "variables:\n  u: {value: \"-2*AZ(b) + sin(z)*3 - 0.4*WZ(b)\"}\n"
    "forces:\n"
    "  motor: {type: torque, markers: [a], torque: u*(1+z)}\n"
    "  rub: {type: friction, joint: p1, load: \"FM(p1)\", coefficient: 0.2, radius: 0.05,\n"
    "    transition-velocity: 0.3}\n"
    "simulation: {end: 1, step: 0.01}\n";

static void go(const tr_system *sys, const char *method, int iterations, int n, double *end) {
  tr_run_settings set = tr_run_defaults();
  tr_error error = {0};
  tr_run *run;
  set.method = method, set.step = 0x1p-5, set.end = 5 * set.step;
  set.newton.fixed_iterations = iterations;
  if (tr_run_new(sys, &set, NULL, &run, &error) != TR_OK || tr_run_all(run, &error) != TR_OK)
    fail_msg("%s: %s", method, error.text);
  memcpy(end, tr_run_state(run)->v, (size_t)n * sizeof *end);
  tr_run_free(run);
}

static void square(const char *name, const mechanism *m) {
  static const char *const methods[] = {"newmark",
                                        "hht-i3",
                                        "hht-i3:mass=end",
                                        "nstiff",
                                        "gen-alpha",
                                        "gen-alpha:index=2",
                                        "hht-si2",
                                        "hht-si2:mass=end",
                                        "nstiff-si2",
                                        "nstiff-si2:metric=identity",
                                        "hht-add",
                                        "hht-add:b=1",
                                        "ggl-bdf",
                                        "cs",
                                        NULL};
  enum { K = 4, MOST_V = 20 };
  int n = tr_system_describe(m->sys).nv;
  assert_true(n <= MOST_V);
  for (int i = 0; methods[i]; i++) {
    double last[MOST_V], end[MOST_V], left[K + 1] = {0}, size = 0;
    go(m->sys, methods[i], 2 * K, n, last);
    for (int j = 0; j < n; j++) size = fmax(size, fabs(last[j]));
    for (int k = 1; k <= K; k++) {
      go(m->sys, methods[i], k, n, end);
      for (int j = 0; j < n; j++) left[k] = fmax(left[k], fabs(end[j] - last[j]) / size);
    }
    for (int k = 1; k < K; k++)
      if (!(left[k + 1] < fmax(60 * left[k] * left[k], 1e-12)))
        fail_msg("%s, %s: off by %g, %g, %g, %g after 1, 2, 3, 4 iterations", name, methods[i],
                 left[1], left[2], left[3], left[4]);
  }
}

static void squares(void **u) {
  (void)u;
  mechanism m = load_model("three_link_pendulum.yaml", NULL);
  square("three links", &m), unload(&m);
  m = load_text(rolling_text), square("rolling", &m), unload(&m);
  m = load_text(controlled_text), square("controlled", &m), unload(&m);
}

// Methods that do not iterate say so.
static void nothing_to_count(void **u) {
  (void)u;
  static const char *const methods[] = {"pfpc1", "pfpc2", "baumgarte", NULL};
  mechanism m = load_model("pendulum.yaml", NULL);
  for (int i = 0; methods[i]; i++) {
    tr_run_settings set = tr_run_defaults();
    tr_error error = {0};
    tr_run *run;
    set.method = methods[i], set.newton.fixed_iterations = 2;
    assert_int_equal(tr_run_new(m.sys, &set, NULL, &run, &error), TR_BAD_INPUT);
    assert_non_null(strstr(error.text, "does not iterate"));
  }
  unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(squares),
      cmocka_unit_test(nothing_to_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
