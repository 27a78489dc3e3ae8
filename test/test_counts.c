// SPDX-License-Identifier: Apache-2.0
// What the iteration takes where little of a system moves, or where forces dwarf inertia: corrections and matrices are few.
#include <stdio.h>

#include "helper_cases.h"
#include "helper_mechanics.h"
#include "system/system.h"

static tr_run_info run_whole(mechanism m, const char *method, double step, double end) {
  tr_run *run = new_run(m.sys, method, step, end);
  tr_error error;
  if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", method, error.text);
  tr_run_info info = tr_run_describe(run);
  tr_run_free(run);
  unload(&m);
  return info;
}

static tr_run_info run_text(const char *text, const char *method, double step, double end) {
  return run_whole(load_text(text), method, step, end);
}

static tr_run_info run_rods(const char *count, const char *method, double end) {
  const char *const sets[] = {count, NULL};
  return run_whole(load_model("rod_chain.yaml", sets), method, 1e-3, end);
}

// 400 pendulums, all but one at rest: what it does next is seen wherever it stands among the others.
static void one_of_many(void **u) {
  (void)u;
  static const char *const method[] = {"hht-i3", "nstiff"};
  static const int moves[] = {2, 12, 199, 399};
  for (int i = 0; i < 4; i++) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "trammel: 1\ngravity: [0, -9.81]\n"
        "repeat:\n"
        "  - {for: i, from: 0, to: 399,\n"
        "     bodies: {\"b_{i}\": {type: planar, mass: 1, inertia: 0.1, angle: \"if(i == %d, 0, "
        "-90 deg)\",\n"
        "       position: [\"2*i + if(i == %d, 0.5, 0)\", \"if(i == %d, 0, -0.5)\"]}},\n"
        "     joints: {\"j_{i}\": {type: revolute, markers: [{at: [2*i, 0]}, {body: \"b_{i}\", "
        "at: [-0.5, 0]}]}}}\n",
        moves[i], moves[i], moves[i]);
    for (int k = 0; k < 2; k++) {
      if (!in_turn(i, k, 2)) continue;
      tr_run_info info = run_text(text, method[k], 1e-3, 0.3);
      if (info.newton_iterations > 1.3 * (double)info.steps || info.jacobians > 20)
        fail_msg("%s, pendulum %d: %ld corrections, %ld matrices in %ld steps", method[k], moves[i],
                 info.newton_iterations, info.jacobians, info.steps);
    }
  }
}

// A rod without inertia about its axis, pulled along it by a force so large that the inertia is lost in the round-off of
// what the force makes of it, unless that cancels first.
static void taut_rods(void **u) {
  (void)u;
  static const char *const method[] = {"nstiff", "hht-i3", "gen-alpha"};
  for (int k = 0; k < 3; k++) {
    tr_run_info info = run_text(
        "trammel: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {b: {type: spatial, mass: 1, inertia: [1e-14, 0.1, 0.1], position: [0.5, 0, 0]}}\n"
        "joints: {j: {type: spherical, markers: [ground, {body: b, at: [-0.5, 0, 0]}]}}\n"
        "markers: {tip: {body: b, at: [0.5, 0, 0]}}\n"
        "forces: {pull: {type: force, markers: [tip], force: [1e7, 0, 0]}}\n",
        method[k], 0.01, 0.5);
    if (info.newton_iterations > 4 * (double)info.steps)
      fail_msg("%s: %ld corrections in %ld steps", method[k], info.newton_iterations, info.steps);
  }
}

// After a start that shakes, trends of the past are of no use until that is forgotten: then they are, where the motion goes
// on smoothly and where it is tiny.
static void after_a_rough_start(void **u) {
  (void)u;
  static const struct {
    const char *model, *method;
    double step, end, most; // corrections per step
  } cases[] = {{"flyball_governor.yaml", "nstiff-si2", 1e-3, 1, 1.4},
               {"double_pendulum.yaml", "hht-si2:alpha=-0.1", 0.0009765625, 2, 1.8}};
  for (int i = 0; i < 2; i++) {
    mechanism m = load_model(cases[i].model, NULL);
    tr_run *run = new_run(m.sys, cases[i].method, cases[i].step, cases[i].end);
    tr_error error;
    if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", cases[i].model, error.text);
    tr_run_info info = tr_run_describe(run);
    if (info.newton_iterations > cases[i].most * (double)info.steps)
      fail_msg("%s: %ld corrections in %ld steps", cases[i].model, info.newton_iterations,
               info.steps);
    tr_run_free(run);
    unload(&m);
  }
}

// On a chain a matrix costs little more than a correction, and its first correction is the last one in most steps: few others
// are made to measure rates, and few solves to find what round-off does.
static void chains(void **u) {
  (void)u;
  static const char *const method[] = {"hht-i3:alpha=-0.1", "hht-si2:alpha=-0.1", "nstiff-si2"};
  for (int k = 0; k < 3; k++) {
    tr_run_info info = run_rods("N=100", method[k], 1);
    if (info.solves > 1.5 * (double)info.steps)
      fail_msg("%s: %ld solves in %ld steps", method[k], info.solves, info.steps);
  }
}

// Chains whose velocities could be projected by their pins, but gyroscopic forces see what that changes, or masses differ by so
// much that the matrix is nearly singular: it takes no more than where a damper that does nothing forbids it.
#define CHAIN(bodies)                                                                            \
  "trammel: 1\ngravity: [0, 1, -9.81]\n"                                                         \
  "repeat:\n"                                                                                    \
  "  - {for: i, from: 0, to: 4,\n"                                                               \
  "     bodies: {\"b_{i}\": {type: spatial, position: [0.1*i + 0.05, 0, 0], " bodies             \
  "}}}\n"                                                                                        \
  "  - {for: i, from: 1, to: 4,\n"                                                               \
  "     joints: {\"j_{i}\": {type: spherical, bodies: [\"b_{i-1}\", \"b_{i}\"], at: [0.1*i, 0, " \
  "0]}}}\n"                                                                                      \
  "joints: {j: {type: spherical, bodies: [ground, b_0], at: [0, 0, 0]}}\n"
#define NOTHING "forces: {none: {type: spring-damper, markers: [{}, {body: b_4}]}}\n"

static void pins_that_are_no_use(void **u) {
  (void)u;
  static const struct {
    const char *apart, *together, *method;
    double step;
  } cases[] = {
#define BOTH(bodies) CHAIN(bodies), CHAIN(bodies) NOTHING
      {BOTH("mass: 0.1, inertia: [3.5e-6, 8.4e-5, 8.7e-5]"), "hht-si2", 5e-3},
      {BOTH("mass: 0.1, inertia: [3.5e-6, 8.4e-5, 8.7e-5]"), "nstiff-si2", 1e-2},
      {BOTH("mass: 0.1, inertia: [7e-6, 8.5e-5, 8.5e-5], omega: [90, 0, 0]"), "hht-si2", 2e-3},
      {BOTH("mass: 0.1 + 1e5*(i - 2*floor(i/2)), inertia: [1e-4, 1e-4, 1e-4]"), "nstiff-si2",
       2e-3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tr_run_info apart = run_text(cases[i].apart, cases[i].method, cases[i].step, 0.5);
    tr_run_info together = run_text(cases[i].together, cases[i].method, cases[i].step, 0.5);
    double few = (double)apart.newton_iterations + 3 * (double)apart.jacobians;
    double many = (double)together.newton_iterations + 3 * (double)together.jacobians;
    if (few > 1.15 * many || apart.newton_failures > together.newton_failures + apart.steps / 50)
      fail_msg("%s, %zu: %ld corrections, %ld matrices, %ld failures, not %ld, %ld, %ld",
               cases[i].method, i, apart.newton_iterations, apart.jacobians, apart.newton_failures,
               together.newton_iterations, together.jacobians, together.newton_failures);
  }
}

// Where few forces are stiff the velocities' half of stabilised methods goes with the factors of the other, corrected for these
// forces: one factorisation a matrix, but for the start, and no more corrections. Where they are many it has its own.
#define LINKAGE(springs)                                                                          \
  "trammel: 1\ngravity: [0, 1, -9.81]\n"                                                          \
  "repeat:\n"                                                                                     \
  "  - {for: i, from: 0, to: 6,\n"                                                                \
  "     bodies: {\"b_{i}\": {type: spatial, position: [i + 0.5, 0, 0], mass: 1, inertia: [0.01, " \
  "0.09, 0.09]}}}\n"                                                                              \
  "  - {for: i, from: 1, to: 6,\n"                                                                \
  "     joints: {\"j_{i}\": {type: spherical, bodies: [\"b_{i-1}\", \"b_{i}\"], at: [i, 0, "      \
  "0]}}}\n"                                                                                       \
  "  - {for: i, from: 1, to: " springs                                                            \
  ",\n"                                                                                           \
  "     forces: {\"s_{i}\": {type: spring-damper, markers: [{body: \"b_{i-1}\", at: [0, 0, "      \
  "0.2]}, "                                                                                       \
  "{body: \"b_{i}\", at: [0, 0.1, 0.3]}],\n"                                                      \
  "       stiffness: 1e4, damping: 3e4, free-length: auto}}}\n"                                   \
  "joints: {j: {type: spherical, bodies: [ground, b_0], at: [0, 0, 0]}}\n"

static void few_stiff_forces(void **u) {
  (void)u;
  static const char *const method[] = {"hht-si2:alpha=-0.1", "nstiff-si2"};
  for (int k = 0; k < 2; k++) {
    tr_run_info few = run_text(LINKAGE("2"), method[k], 1e-3, 0.5);
    tr_run_info many = run_text(LINKAGE("6"), method[k], 1e-3, 0.5);
    if (few.factorisations > few.jacobians + 6)
      fail_msg("%s: %ld factorisations, %ld matrices", method[k], few.factorisations,
               few.jacobians);
    if (few.newton_iterations > many.newton_iterations + many.newton_iterations / 10)
      fail_msg("%s: %ld corrections, %ld where it has its own", method[k], few.newton_iterations,
               many.newton_iterations);
    assert_true(many.factorisations > many.jacobians + many.jacobians / 2);
    assert_true(few.max_phi_v < 1e-8 && many.max_phi_v < 1e-8);
  }
}

// A chain whose hinges rub by a load: its friction may be the reaction of each, or a number.
static void compile_rubbing(const char *load, int n) {
  char text[1024];
  snprintf(
      text, sizeof text,
      "trammel: 1\ngravity: [0, -9.81]\nrepeat:\n  - for: i\n    from: 1\n    to: %d\n"
      "    bodies: {\"b_{i}\": {type: planar, mass: 1, inertia: 0.1, position: [i - 0.5, 0]}}\n"
      "    joints: {\"j_{i}\": {type: revolute, bodies: [\"b_{i-1}\", \"b_{i}\"], at: [i - 1, "
      "0]}}\n"
      "    forces: {\"f_{i}\": {type: friction, joint: \"j_{i}\", coefficient: 0.1, load: %s}}\n"
      "bodies: {b_0: {type: planar, mass: 1, inertia: 0.1, position: [-0.5, 0]}}\n",
      n, load);
  mechanism m = load_text(text);
  int shown = 0; // by their frames, each one of its own joint
  for (int i = 0; i < m.sys->nreaction; i++) {
    const sys_reaction *r = &m.sys->reaction[i];
    shown += tr_joint_shown(m.sys, r->site) == &m.sys->joint[r->joint];
    assert_true(i == 0 || (r->site > r[-1].site && r->joint != r[-1].joint));
  }
  assert_int_equal(shown, m.sys->nreaction);
  assert_int_equal(shown, load[0] == '"' ? n : 0);
  unload(&m);
}

// Who shows whose reaction is known without looking through all of them.
static void many_reactions(void **u) {
  (void)u;
  compile_rubbing("1", 100);
  compile_rubbing("\"FM(j_{i})\"", 100);
  compile_rubbing("\"FM(j_{i})\"", 12000);
}

// Stabilised positions are predicted as well as those of index 3: what is corrected is no larger, nor is it more often.
static void a_long_chain(void **u) {
  (void)u;
  double end = or_less(0.6, 0.06);
  tr_run_info plain = run_rods("N=3000", "hht-i3:alpha=-0.1", end);
  tr_run_info both = run_rods("N=3000", "hht-si2:alpha=-0.1", end);
  if ((double)both.newton_iterations > 1.08 * (double)plain.newton_iterations)
    fail_msg("%ld corrections, %ld on index 3", both.newton_iterations, plain.newton_iterations);
}

// What is kept of the past in single precision may be beyond its range: no step fails for that.
static void heavy_rods(void **u) {
  (void)u;
  static const char *const method[] = {"hht-i3:alpha=-0.1", "nstiff-si2"};
  static const char *const sets[] = {"N=130", "m=1e39", NULL};
  for (int k = 0; k < 2; k++) {
    tr_run_info info = run_whole(load_model("rod_chain.yaml", sets), method[k], 1e-3, 0.05);
    assert_int_equal(info.newton_failures, 0);
  }
}

// What a multiplier of a state says is what the state is off by: it asks for no matrix.
static void states_under_control(void **u) {
  (void)u;
  mechanism m = load_model("hydraulic_actuator.yaml", NULL);
  tr_run_settings s = tr_run_defaults();
  tr_run *run;
  s.method = "ggl-bdf", s.control.tol = 1e-5;
  assert_int_equal(tr_run_new(m.sys, &s, NULL, &run, NULL), TR_OK);
  assert_int_equal(tr_run_all(run, NULL), TR_OK);
  tr_run_info info = tr_run_describe(run);
  if ((double)info.jacobians > 0.4 * (double)info.steps)
    fail_msg("%ld matrices in %ld steps", info.jacobians, info.steps);
  tr_run_free(run);
  unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_of_many),          cmocka_unit_test(taut_rods),
      cmocka_unit_test(after_a_rough_start),  cmocka_unit_test(pins_that_are_no_use),
      cmocka_unit_test(few_stiff_forces),     cmocka_unit_test(many_reactions),
      cmocka_unit_test(a_long_chain),         cmocka_unit_test(chains),
      cmocka_unit_test(states_under_control), cmocka_unit_test(heavy_rods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
