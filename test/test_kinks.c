// SPDX-License-Identifier: Apache-2.0
// A matrix of the other side of a kink is renewed; a spring that passes through its free length is no kink, though its
// force is zero there, or round-off of either sign. So mechanisms linked by springs at rest need as few matrices as one
// of them alone, far from the origin too.
#include <stdio.h>

#include "helper_mechanics.h"

// Six-bar loops of Bricard, 3 m apart, with springs between equal bodies, which move alike.
static const char bricards[] =
    "trammel: 1\n"
    "parameters: {N: %d}\n"
    "gravity: [0, -9.81, 0]\n"
    "repeat:\n"
    "  - for: i\n"
    "    to: N - 1\n"
    "    bodies:\n"
    "      a_{i}: {type: spatial, mass: 1, inertia: [0.002, 0.08, 0.08], position: [3*i + 0.5, 0, "
    "0]}\n"
    "      b_{i}: {type: spatial, mass: 1, inertia: [0.08, 0.002, 0.08], position: [3*i + 1, -0.5, "
    "0]}\n"
    "      c_{i}: {type: spatial, mass: 1, inertia: [0.08, 0.08, 0.002], position: [3*i + 1, -1, "
    "0.5]}\n"
    "      d_{i}: {type: spatial, mass: 1, inertia: [0.002, 0.08, 0.08], position: [3*i + 0.5, -1, "
    "1]}\n"
    "      e_{i}: {type: spatial, mass: 1, inertia: [0.08, 0.002, 0.08], position: [3*i, -0.5, "
    "1]}\n"
    "    joints:\n"
    "      h1_{i}: {type: revolute, bodies: [ground, \"a_{i}\"], at: [3*i, 0, 0], axis: [0, 1, "
    "0]}\n"
    "      h2_{i}: {type: revolute, bodies: [\"a_{i}\", \"b_{i}\"], at: [3*i + 1, 0, 0], axis: [0, "
    "0, 1]}\n"
    "      h3_{i}: {type: revolute, bodies: [\"b_{i}\", \"c_{i}\"], at: [3*i + 1, -1, 0], axis: "
    "[1, 0, 0]}\n"
    "      h4_{i}: {type: revolute, bodies: [\"c_{i}\", \"d_{i}\"], at: [3*i + 1, -1, 1], axis: "
    "[0, 1, 0]}\n"
    "      h5_{i}: {type: revolute, bodies: [\"d_{i}\", \"e_{i}\"], at: [3*i, -1, 1], axis: [0, 0, "
    "1]}\n"
    "      h6_{i}: {type: revolute, bodies: [\"e_{i}\", ground], at: [3*i, 0, 1], axis: [1, 0, "
    "0]}\n"
    "  - for: i\n"
    "    from: 1\n"
    "    to: N - 1\n"
    "    forces:\n"
    "      s_{i}: {type: spring-damper, markers: [\"c_{i-1}\", \"c_{i}\"], stiffness: 50}\n";

// Bars in a row that begin at rest, with stiff springs between every tenth.
static const char chain[] =
    "trammel: 1\n"
    "parameters: {N: %d}\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  b_0: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
    "joints:\n"
    "  h_0: {type: revolute, bodies: [ground, b_0], at: [0, 0]}\n"
    "repeat:\n"
    "  - for: i\n"
    "    from: 1\n"
    "    to: N - 1\n"
    "    bodies:\n"
    "      b_{i}: {type: planar, mass: 1, inertia: 0.1, position: [i + 0.5, 0]}\n"
    "    joints:\n"
    "      h_{i}: {type: revolute, bodies: [\"b_{i-1}\", \"b_{i}\"], at: [i, 0]}\n"
    "  - for: i\n"
    "    from: 1\n"
    "    to: N/10 - 1\n"
    "    forces:\n"
    "      s_{i}: {type: spring-damper, markers: [\"b_{10*i - 10}\", \"b_{10*i}\"], stiffness: "
    "1e6, damping: 1}\n";

static mechanism load_many(const char *format, int n) {
  char text[4096];
  assert_true(snprintf(text, sizeof text, format, n) < (int)sizeof text);
  return load_text(text);
}

static tr_run_info go(const mechanism *m, const char *method, double tol, double end) {
  tr_run_settings s = tr_run_defaults();
  tr_error e = {0};
  tr_run *run;
  s.method = method, s.step = 1e-3, s.end = end, s.control.tol = tol;
  if (tr_run_new(m->sys, &s, NULL, &run, &e) != TR_OK) fail_msg("%s", e.text);
  if (tr_run_all(run, &e) != TR_OK) fail_msg("%s: %s", method, e.text);
  tr_run_info info = tr_run_describe(run);
  info.method = info.warnings = info.notes = NULL; // they go with the run
  tr_run_free(run);
  return info;
}

static void springs_between_equal_mechanisms(void **u) {
  (void)u;
  static const char *const methods[] = {"hht-i3", "nstiff",  "hht-si2",    "gen-alpha:index=2",
                                        "cs",     "hht-add", "nstiff-si2", "ggl-bdf",
                                        "radau5"};
  mechanism one = load_many(bricards, 1), many = load_many(bricards, 6);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    tr_run_info a = go(&one, methods[i], 0, 0.1), b = go(&many, methods[i], 0, 0.1);
    if (b.jacobians > a.jacobians + b.steps / 5 ||
        (double)b.newton_iterations > 1.1 * (double)a.newton_iterations)
      fail_msg("%s: %ld matrices, %ld iterations of six; %ld and %ld of one", methods[i],
               b.jacobians, b.newton_iterations, a.jacobians, a.newton_iterations);
  }
  unload(&one), unload(&many);
}

static void springs_along_a_chain(void **u) {
  (void)u;
  mechanism some = load_many(chain, 30), many = load_many(chain, 300);
  tr_run_info a = go(&some, "radau5", 1e-6, 0.1), b = go(&many, "radau5", 1e-6, 0.1);
  if (b.steps > 2 * a.steps || b.rejected > 1 || b.newton_iterations > 6 * b.steps)
    fail_msg("%ld steps, %ld rejected, %ld iterations; %ld steps of a short one", b.steps,
             b.rejected, b.newton_iterations, a.steps);
  unload(&some), unload(&many);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(springs_between_equal_mechanisms),
      cmocka_unit_test(springs_along_a_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
