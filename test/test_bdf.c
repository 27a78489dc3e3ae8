// SPDX-License-Identifier: Apache-2.0
// The BDF methods under error control: what is asked for is what comes, at every order; higher orders pay;
// constraints hold as well as the iteration was asked to; runs tell how often what failed.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "helper_cases.h"
#include "helper_mechanics.h"

static const char *const methods[] = {"ggl-bdf:test=ggl", "ggl-bdf:test=ggl-star",
                                      "ggl-bdf:order=5", "cs", "cm"};
enum { METHODS = sizeof methods / sizeof *methods };

typedef struct finish {
  double q; // largest difference of a coordinate from the reference
  tr_run_info info;
} finish;

static finish go(const tr_system *sys, const char *method, double tol, double end,
                 const tr_state *reference) {
  tr_run_settings s = tr_run_defaults();
  s.method = method, s.control.tol = tol, s.end = end;
  tr_run *run;
  tr_error error = {0};
  if (tr_run_new(sys, &s, NULL, &run, &error) != TR_OK || tr_run_all(run, &error) != TR_OK)
    fail_msg("%s, %g: %s", method, tol, error.text);
  finish f = {.info = tr_run_describe(run)};
  const tr_state *x = tr_run_state(run);
  for (int i = 0; i < tr_system_describe(sys).nq; i++)
    f.q = fmax(f.q, fabs(x->q[i] - reference->q[i]));
  tr_run_free(run);
  return f;
}

static tr_state motion_to(const tr_system *sys, double step, double end) {
  tr_state x;
  step *= or_less(1, 4);
  tr_run *run = new_run(sys, "baumgarte:alpha=0,beta=0,unit=1/s,scheme=rk4", step, end);
  assert_int_equal(tr_run_all(run, NULL), TR_OK);
  assert_int_equal(tr_state_new(sys, &x, NULL), TR_OK);
  tr_state_copy(&x, tr_run_state(run));
  tr_run_free(run);
  return x;
}

// Errors at the end follow the tolerance to the power k/(k+1), and stay below a bound.
static void test_tolerance(void **state) {
  (void)state;
  static const char *const model[] = {"pendulum.yaml", "slider_crank.yaml", "heavy_top.yaml"};
  static const double ends[] = {2, 1, 0.5}, step[] = {1e-3, 5e-4, 2e-5};
  for (int m = 0; m < 3; m++) {
    mechanism x = load_model(model[m], NULL);
    tr_state reference = motion_to(x.sys, step[m], ends[m]);
    for (int i = 0; i < METHODS; i++) {
      finish coarse = go(x.sys, methods[i], 1e-4, ends[m], &reference);
      finish fine = go(x.sys, methods[i], 1e-7, ends[m], &reference);
      // a thousandth of the tolerance: a hundredth of the error at order 2
      if (!(fine.q < 0.05 * coarse.q) || !(fine.q < 1e-3))
        fail_msg("%s, %s: %g and %g", model[m], methods[i], coarse.q, fine.q);
      assert_true(fine.info.max_phi < 1e-6);
      assert_true(fine.info.max_phi_v < 1e-4);
      assert_true(fine.info.rejected < fine.info.steps / 10);
      assert_true(fine.info.newton_failures <= fine.info.rejected);
      assert_true(fine.info.jacobians < fine.info.steps);
    }
    tr_state_free(x.sys, &reference);
    unload(&x);
  }
}

// A second correction no smaller than the first, both far below the tolerance, is no failure: steps would
// be quartered again and again, ten times as many as needed.
static void test_small_corrections(void **state) {
  (void)state;
  mechanism x = load_model("gyroscope.yaml", NULL);
  tr_state reference = motion_to(x.sys, 1e-3, 1e-3); // errors do not matter here
  double tol = 1e-3;
  long last = 0;
  for (int k = 0; k < 5; k++, tol *= 0.1) {
    tr_run_info info = go(x.sys, "ggl-bdf", tol, 1, &reference).info;
    if (info.newton_failures > 5 || (last > 0 && info.steps > 3 * last))
      fail_msg("%g: %ld failures, %ld steps", tol, info.newton_failures, info.steps);
    last = info.steps;
  }
  tr_state_free(x.sys, &reference);
  unload(&x);
}

// A pendulum that turns over and over: each of its coordinates is dependent for a while.
static void test_turns(void **state) {
  (void)state;
  static const char text[] =
      "trammel: 1\n"
      "gravity: [0, -10]\n"
      "bodies:\n"
      "  bob: {type: planar-point, mass: 1, position: [0, -1], velocity: [9, 0]}\n"
      "joints:\n"
      "  rod: {type: distance, markers: [ground, bob], length: 1}\n";
  mechanism x = load_text(text);
  tr_state reference = motion_to(x.sys, 1e-4, 3);
  for (int i = 0; i < METHODS; i++) {
    finish f = go(x.sys, methods[i], 1e-7, 3, &reference);
    if (!(f.q < 5e-3)) fail_msg("%s: off by %g", methods[i], f.q);
    assert_int_equal(f.info.newton_failures, 0);
  }
  tr_state_free(x.sys, &reference);
  unload(&x);
}

// A gyroscope in steady precession: its gimbals, the independent coordinates, turn evenly, and the rotor's
// other axes tell the error. cs and cm do as the equations do that they solve another way.
static void test_spinning(void **state) {
  (void)state;
  mechanism x = load_model("gyroscope.yaml", NULL);
  tr_state reference = motion_to(x.sys, 1e-4, 1);
  for (double tol = 1e-3; tol > 1e-6; tol *= 0.1) {
    finish whole = go(x.sys, "ggl-bdf:metric=identity", tol, 1, &reference);
    for (int i = METHODS - 2; i < METHODS; i++) {
      finish f = go(x.sys, methods[i], tol, 1, &reference);
      if (!(f.q < 1.5 * whole.q) || f.info.rejected > f.info.steps / 50 + 5)
        fail_msg("%s, %g: off by %g, ggl-bdf by %g; %ld steps, %ld rejected", methods[i], tol, f.q,
                 whole.q, f.info.steps, f.info.rejected);
    }
  }
  tr_state_free(x.sys, &reference);
  unload(&x);
}

// Steps to 1e-7 fall with every order that is allowed but one in between at most, and so does the error; on rotations
// without coordinates too.
static void test_orders_pay(void **state) {
  (void)state;
  static const char *const model[] = {"pendulum.yaml", "heavy_top.yaml"};
  static const double ends[] = {2, 0.5}, step[] = {1e-3, 2e-5};
  for (int m = 0; m < 2; m++) {
    mechanism x = load_model(model[m], NULL);
    tr_state reference = motion_to(x.sys, step[m], ends[m]);
    finish f[6];
    for (int k = 1; k <= 5; k++) {
      char method[32];
      snprintf(method, sizeof method, "ggl-bdf:order=%d", k);
      f[k] = go(x.sys, method, 1e-7, ends[m], &reference);
    }
    assert_true(f[2].info.steps < f[1].info.steps / 5);
    assert_true(f[3].info.steps < f[2].info.steps);
    assert_true(f[5].info.steps < f[2].info.steps / 4);
    assert_true(f[5].q < f[2].q);
    tr_state_free(x.sys, &reference);
    unload(&x);
  }
}

// An unbalanced rotor on a base that a motor moves. Its angle is the only coordinate that does not depend on others, and
// hardly tells of the rest: a test of that one alone leaves no digit.
static void test_unbalanced(void **state) {
  (void)state;
  mechanism x = load_text(
      "trammel: 1\ngravity: [0, -9.81]\nbodies:\n"
      "  base: {type: planar, mass: 2, inertia: 0.1}\n"
      "  rotor: {type: planar, mass: 1, inertia: 0.02, position: [0.01, 0], omega: 200, keep: "
      "[omega]}\n"
      "joints:\n  rail: {type: prismatic, markers: [ground, base]}\n"
      "  motor: {type: motion, joint: rail, position: 0.1*(1 - cos(5*time))}\n"
      "  spin: {type: revolute, markers: [base, {body: rotor, at: [-0.01, 0]}]}\n");
  tr_state reference = motion_to(x.sys, 2e-5, 1);
  for (double tol = 1e-6; tol > 1e-9; tol *= 0.01) {
    finish ggl = go(x.sys, "ggl-bdf", tol, 1, &reference);
    finish cs = go(x.sys, "cs", tol, 1, &reference), cm = go(x.sys, "cm", tol, 1, &reference);
    assert_true(cs.q < 2 * ggl.q && cm.q < 2 * ggl.q && ggl.q < 2e4 * tol);
    assert_true(10 * cs.info.steps < 11 * ggl.info.steps && cs.info.rejected < 10);
  }
  assert_true(go(x.sys, "cs:error=independent", 1e-8, 1, &reference).q > 0.1);
  tr_state_free(x.sys, &reference);
  unload(&x);
}

// A pair of gears that turn evenly, by 2500 rad and back by half of it, beside a pendulum: its motion makes the steps, which
// turn the gears by up to 5 rad each, at any order. Where the gears are is exact up to round-off. Then one that is braked.
static void test_even_turning(void **state) {
  (void)state;
  static const char *const by[] = {"ggl-bdf", "ggl-bdf:order=5", "cs:order=5"};
  static const char gears[] =
      "trammel: 1\ngravity: [9.81, 0, 0]\nbodies:\n"
      "  a: {type: spatial, mass: 1, inertia: [0.01, 0.01, 0.02], omega: [0, 0, 500], keep: [wz]}\n"
      "  b: {type: spatial, mass: 1, inertia: [0.01, 0.01, 0.02], position: [0.3, 0, 0]}\n"
      "  p: {type: spatial, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, -1]}\n"
      "joints:\n"
      "  ja: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  jb: {type: revolute, bodies: [ground, b], at: [0.3, 0, 0], axis: [0, 0, 1]}\n"
      "  jp: {type: revolute, bodies: [ground, p], at: [0, 0, 0], axis: [0, 1, 0]}\n"
      "  g: {type: gear, joints: [ja, jb], ratio: 2}\n"
      "forces: {brake: {type: torque, markers: [a], torque: [0, 0, %s]}}\n";
  // 25 N m (1 - t) on 0.025 kg m^2: 500 rad/s (1 - t)^2
  static const char *const brake[] = {"0", "\"-25*max(0, 1 - time)\""};
  for (int i = 0; i < 6; i++) {
    char text[1200];
    snprintf(text, sizeof text, gears, brake[i / 3]);
    mechanism x = load_text(text);
    double end = i < 3 ? 5 : 0.9, angle = i < 3 ? 2500 : 500.0 / 3 * (1 - 1e-3);
    tr_run_settings s = tr_run_defaults();
    tr_run *run;
    s.method = by[i % 3], s.control.tol = 1e-5, s.end = end;
    assert_int_equal(tr_run_new(x.sys, &s, NULL, &run, NULL), TR_OK);
    assert_int_equal(tr_run_all(run, NULL), TR_OK);
    const double *q = tr_run_state(run)->q;
    tr_run_info info = tr_run_describe(run);
    double off[2] = {2 * atan2(q[6], q[3]) - angle, 2 * atan2(q[13], q[10]) + angle / 2};
    for (int k = 0; k < 2; k++)
      if (!(fabs(remainder(off[k], 2 * acos(-1))) < (i < 3 ? 1e-11 * angle : 5e-3)))
        fail_msg("%s, %d: gear %d off by %g", by[i % 3], i, k, off[k]);
    if (i < 3 && (info.steps > 800 || info.rejected > info.steps / 50))
      fail_msg("%s: %ld steps, %ld rejected", by[i % 3], info.steps, info.rejected);
    tr_run_free(run);
    unload(&x);
  }
}

// A wheel that turns by 65 rad/s on a suspension: where that is at rest the steps may be long.
// Steps end where the kerb begins and ends.
static void test_wheel(void **state) {
  (void)state;
  mechanism x = load_model("double_wishbone.yaml", NULL);
  tr_state reference = motion_to(x.sys, 1e-4, 2);
  for (double tol = 1e-3; tol > or_less(1e-7, 5e-6); tol *= 0.1) {
    finish f = go(x.sys, "ggl-bdf:order=5", tol, 2, &reference);
    if (f.info.rejected > 3 + f.info.steps / 25 || f.info.steps > 60 + 4 * pow(tol, -0.25))
      fail_msg("%g: %ld steps, %ld rejected, off by %g", tol, f.info.steps, f.info.rejected, f.q);
  }
  tr_state_free(x.sys, &reference);
  unload(&x);
}

// A shaft that turns on by 2 rad while a matrix serves: this opens the Hooke's joints, up to ten times more in each
// step, while all else converges. What they are off by must
// not exceed the tolerance.
static void test_closes(void **state) {
  (void)state;
  static const char *const by[] = {"ggl-bdf:order=3", "cs:order=3", "cm:order=3", "cm:order=2"};
  mechanism x = load_model("universal_shaft.yaml", NULL);
  for (int i = 0; i < 20; i++) {
    tr_run_settings s = tr_run_defaults();
    tr_run *run;
    s.method = by[i % 4], s.control.tol = pow(10, -3 - i / 4);
    assert_int_equal(tr_run_new(x.sys, &s, NULL, &run, NULL), TR_OK);
    assert_int_equal(tr_run_all(run, NULL), TR_OK);
    double open = tr_run_describe(run).max_phi / s.control.tol;
    if (!(open < 1)) fail_msg("%s, %g: open by %g tolerances", s.method, s.control.tol, open);
    tr_run_free(run);
  }
  unload(&x);
}

// A light eccentric at 300 rad/s on a bar whose spring swings at nearly the same rate: what the formula adds to the one
// must not whirl the other round ever faster. (The energy rises by 4.9 mJ at most.)
static void test_eccentric(void **state) {
  (void)state;
  static const char *const by[] = {"ggl-bdf:order=3", "cs:order=3", "cm:order=3"};
  mechanism x = load_text(
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  bar: {type: planar, mass: 10, inertia: 1, position: [0.5, 0]}\n"
      "  ecc: {type: planar, mass: 1e-3, inertia: 1e-9, com: [1e-3, 0], position: [1, 0], omega: "
      "300}\n"
      "joints:\n"
      "  f: {type: revolute, markers: [ground, {body: bar, at: [-0.5, 0]}]}\n"
      "  e: {type: revolute, markers: [{body: bar, at: [0.5, 0]}, ecc]}\n"
      "forces:\n"
      "  k: {type: spring-damper, markers: [{at: [0.5, -0.5]}, bar], stiffness: 1e6, damping: "
      "10}\n");
  for (int i = 0; i < 9; i++) {
    tr_run_settings s = tr_run_defaults();
    tr_error error = {0};
    tr_run *run;
    s.method = by[i % 3], s.control.tol = pow(10, -4 - i / 3), s.end = 3;
    assert_int_equal(tr_run_new(x.sys, &s, NULL, &run, NULL), TR_OK);
    if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", by[i % 3], error.text);
    double change = tr_run_describe(run).max_energy_change;
    if (!(change < 6e-3)) fail_msg("%s, %g: %g J", by[i % 3], s.control.tol, change);
    tr_run_free(run);
  }
  unload(&x);
}

static tr_state motion_by_radau(const tr_system *sys, double tol, double end) {
  tr_state reference;
  tr_run_settings s = tr_run_defaults();
  s.method = "radau5", s.control.tol = tol, s.end = end;
  tr_run *run;
  assert_int_equal(tr_run_new(sys, &s, NULL, &run, NULL), TR_OK);
  assert_int_equal(tr_run_all(run, NULL), TR_OK);
  assert_int_equal(tr_state_new(sys, &reference, NULL), TR_OK);
  tr_state_copy(&reference, tr_run_state(run));
  tr_run_free(run);
  return reference;
}

// Windows with points on stiff springs, damped by 0.2 to 0.5 of the critical: order 5 amplifies some of that, order 4 does not,
// and need not give way to order 2.
static void test_damped(void **state) {
  (void)state;
  mechanism x = load_text(
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "parameters: {c: cos(1.2), s: sin(1.2)}\n"
      "bodies: {u_0: {type: planar, mass: 1, inertia: 1/12, position: [c/2, s/2], angle: 1.2}}\n"
      "joints: {g_0: {type: revolute, bodies: [ground, u_0], at: [0, 0]}}\n"
      "repeat:\n"
      "  - for: i\n"
      "    from: 1\n"
      "    to: 4\n"
      "    bodies:\n"
      "      u_{i}: {type: planar, mass: 1, inertia: 1/12, position: [i + c/2, s/2], angle: 1.2}\n"
      "      c_{i}: {type: planar, mass: 1, inertia: 1/12, position: [i - 0.5 + c, s]}\n"
      "      p_{i}: {type: planar-point, mass: 0.2, position: [i - 0.1, 0.5]}\n"
      "    joints:\n"
      "      g_{i}: {type: revolute, bodies: [ground, \"u_{i}\"], at: [i, 0]}\n"
      "      l_{i}: {type: revolute, bodies: [\"u_{i-1}\", \"c_{i}\"], at: [i - 1 + c, s]}\n"
      "      r_{i}: {type: revolute, bodies: [\"c_{i}\", \"u_{i}\"], at: [i + c, s]}\n"
      "    forces:\n"
      "      a_{i}: {type: spring-damper, damping: 400, stiffness: \"1e4 + 99e4*mod(i+1, 2)\",\n"
      "              markers: [\"u_{i-1}\", \"p_{i}\"]}\n"
      "      b_{i}: {type: spring-damper, damping: 100, stiffness: \"1e3 + 99e3*mod(i, 2)\",\n"
      "              markers: [\"p_{i}\", \"c_{i}\"]}\n");
  tr_state reference = motion_by_radau(x.sys, 1e-11, 1);
  for (double tol = 1e-8; tol > 5e-11; tol *= 0.1) {
    finish four = go(x.sys, "ggl-bdf:order=4", tol, 1, &reference);
    finish five = go(x.sys, "ggl-bdf:order=5", tol, 1, &reference);
    if (!(five.q < 2 * four.q) || five.info.steps > 1.7 * (double)four.info.steps)
      fail_msg("%g: order 5 off by %g in %ld steps, order 4 by %g in %ld", tol, five.q,
               five.info.steps, four.q, four.info.steps);
  }
  tr_state_free(x.sys, &reference);
  unload(&x);
}

// A beam spun up, its higher modes nearly undamped: orders 3 to 5 amplify them, would excite what is not there and follow
// it in steps twenty times too small. They are as good as order 2, in as many steps.
static void test_amplified(void **state) {
  (void)state;
  mechanism x = load_model("rotating_beam.yaml", NULL);
  tr_state reference = motion_by_radau(x.sys, 1e-9, 20);
  for (double tol = 1e-5; tol > 5e-7; tol *= 0.1) {
    finish low = go(x.sys, "ggl-bdf", tol, 20, &reference);
    for (int i = 0; i < 9; i++) {
      char method[32];
      snprintf(method, sizeof method, "%s:order=%d",
               i < 3   ? "ggl-bdf"
               : i < 6 ? "cs"
                       : "cm",
               i % 3 + 3);
      finish f = go(x.sys, method, tol, 20, &reference);
      if (!(f.q < 2 * low.q) || f.info.steps > 1.3 * (double)low.info.steps)
        fail_msg("%s, %g: off by %g in %ld steps, order 2 by %g in %ld", method, tol, f.q,
                 f.info.steps, low.q, low.info.steps);
    }
  }
  tr_state_free(x.sys, &reference);
  unload(&x);
}

// A mass that sticks and slides to and fro by 3.3 m: what holds it has a slope of 6e4 1/s until it gives way, and
// corrections by that are small however much force is left. A step across one of the slides would leave all of it.
static void test_sticks(void **state) {
  (void)state;
  static const char *const by[] = {"ggl-bdf:order=1", "ggl-bdf", "ggl-bdf:order=5", "cs", "cm"};
  mechanism x = load_text(
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "bodies: {r: {type: planar, mass: 1, inertia: 1, position: [0, 0]}}\n"
      "joints: {l: {type: prismatic, markers: [ground, r]}}\n"
      "forces:\n"
      "  f: {type: friction, joint: l, load: 9.81, coefficient: 0.6, transition-velocity: 1e-4}\n"
      "  g: {type: force, markers: [r], force: [7*sin(0.5*time), 0, 0]}\n");
  tr_state reference = motion_by_radau(x.sys, 1e-9, 50);
  for (int i = 0; i < (int)(sizeof by / sizeof *by); i++)
    for (double tol = 1e-3; tol > 5e-7; tol *= 0.1) {
      finish f = go(x.sys, by[i], tol, 50, &reference);
      if (!(f.q < 100 * pow(tol, i == 0 ? 0.5 : 2.0 / 3)))
        fail_msg("%s, %g: off by %g in %ld steps", by[i], tol, f.q, f.info.steps);
    }
  tr_state_free(x.sys, &reference);
  unload(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tolerance),    cmocka_unit_test(test_small_corrections),
      cmocka_unit_test(test_turns),        cmocka_unit_test(test_spinning),
      cmocka_unit_test(test_orders_pay),   cmocka_unit_test(test_unbalanced),
      cmocka_unit_test(test_amplified),    cmocka_unit_test(test_damped),
      cmocka_unit_test(test_closes),       cmocka_unit_test(test_eccentric),
      cmocka_unit_test(test_even_turning), cmocka_unit_test(test_wheel),
      cmocka_unit_test(test_sticks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
