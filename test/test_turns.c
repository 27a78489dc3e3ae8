// SPDX-License-Identifier: Apache-2.0
// Fast rotations under error control: maps that fall short of the angle, turns that are counted, motors and what
// runs away.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_machine.h"

static const char *const methods[] = {
    "radau5",  "ggl-bdf", "ggl-bdf:order=5", "cs",         "hht-i3",    "gen-alpha",
    "hht-si2", "nstiff",  "hht-add",         "nstiff-si2", "baumgarte", "baumgarte:scheme=rk4"};
enum { METHODS = sizeof methods / sizeof *methods };

// Two rotors in gear, the second turns half as fast the other way; torque: a law of the first one's angle.
static machine gears(const char *torque, double omega, const char *method, double tol, double step,
                     double end) {
  char text[1024];
  snprintf(text, sizeof text,
           "trammel: 1\nbodies:\n"
           "  a: {type: spatial, mass: 1, inertia: [0.002, 0.002, 0.004], omega: [0, 0, %g], keep: "
           "[wz]}\n"
           "  b: {type: spatial, mass: 2, inertia: [0.004, 0.004, 0.007], position: [0.1, 0, 0]}\n"
           "joints:\n"
           "  ra: {type: revolute, markers: [ground, a]}\n"
           "  rb: {type: revolute, bodies: [ground, b], at: [0.1, 0, 0], axis: [0, 0, 1]}\n"
           "  mesh: {type: gear, joints: [ra, rb], ratio: 2}\n"
           "forces:\n  motor: {type: torsion-spring, joints: [ra], torque: %s}\n",
           omega, torque);
  machine k = {.m = load_text(text)};
  tr_run_settings s = tr_run_defaults();
  tr_error error = {0};
  s.method = method, s.end = end, s.step = step, s.control.tol = tol;
  if (tr_run_new(k.m.sys, &s, NULL, &k.run, &error) != TR_OK) fail_msg("%s", error.text);
  return k;
}

static const double INERTIA = 0.004 + 0.007 / 4; // of both, at the first

// From rest by a constant torque: a step that the error allows makes many turns more than the speed at its
// beginning, and joints count them.
static void turns_are_counted(void **unused) {
  (void)unused;
  for (int i = 0; i < METHODS; i++)
    for (double tol = 1e-2; tol > 1e-9; tol *= 1e-3) {
      machine k = gears("5", 0, methods[i], tol, NAN, 2);
      go_to(&k, 2);
      double want = 0.5 * 5 / INERTIA * 4, got = read_output(&k, "ra.angle");
      assert_near(got, want, 1000 * tol, "%s, %g: angle", methods[i], tol);
      assert_near(read_output(&k, "rb.angle"), -got / 2, 10 * tol, "%s, %g: gear", methods[i], tol);
      stop(&k);
    }
  machine k = gears("5", 0, "hht-i3", 0, 0.1, 2); // fixed steps that are too long are refused
  tr_error error = {0};
  assert_int_equal(tr_run_all(k.run, &error), TR_FAILED);
  assert_non_null(strstr(error.text, "body \"a\""));
  assert_non_null(strstr(error.text, "lose count"));
  stop(&k);
}

// Cayley's map falls short of the angle by (w h)^3 times a constant, of which velocities show nothing.
static void maps_that_fall_short(void **unused) {
  (void)unused;
  static const char *const maps[] = {"pfpc1", "pfpc2"};
  for (int i = 0; i < 2; i++)
    for (double tol = 1e-3; tol > 1e-6; tol *= 0.1) {
      machine k = gears("0", 100, maps[i], tol, NAN, 1);
      go_to(&k, 1);
      double steps = (double)tr_run_describe(k.run).steps;
      assert_near(read_output(&k, "ra.angle"), 100, 5 * steps * tol, "%s, %g", maps[i], tol);
      assert_true(steps > 0.3 * pow(tol, -1. / 3) * 100 / 4);
      stop(&k);
    }
}

// J w' = k w^2 ends at t = J/(k w_0): told by name, long before steps are lost in round-off.
static void runaway_is_told(void **unused) {
  (void)unused;
  for (int i = 0; i < METHODS; i++) {
    machine k = gears("1e-3*rate^2", 10, methods[i], 1e-6, NAN, 2);
    tr_error error = {0};
    assert_int_equal(tr_run_all(k.run, &error), TR_FAILED);
    if (!strstr(error.text, "runs away") || !strstr(error.text, "\"motor\""))
      fail_msg("%s: %s", methods[i], error.text);
    assert_true(tr_run_describe(k.run).smallest_step > 1e-12);
    assert_near(tr_run_state(k.run)->t, INERTIA / 1e-2, 1e-3, "%s: where it ends", methods[i]);
    assert_true(tr_run_describe(k.run).max_phi < 1e-6);
    stop(&k);
  }
}

// Two light links snap taut between a wall and a heavy slider, which is thrown back: what is fast takes its energy from
// what is heavy, and no force brings any. A motor without end at the links, which are as fast there, is told of.
static void whips_are_no_runaways(void **unused) {
  (void)unused;
  for (int k = 0; k < 4; k++) {
    char text[1024];
    snprintf(text, sizeof text,
             "trammel: 1\nparameters: {m: 1e-5, phi: 0.5}\nbodies:\n"
             "  a: {type: planar, mass: m, inertia: m/12, position: [cos(phi)/2, sin(phi)/2],\n"
             "      angle: phi}\n"
             "  b: {type: planar, mass: m, inertia: m/12, position: [1.5*cos(phi), sin(phi)/2],\n"
             "      angle: -phi}\n"
             "  s: {type: planar, mass: 1000, inertia: 1, position: [2*cos(phi), 0],\n"
             "      velocity: [1, 0], keep: [vx]}\n"
             "joints:\n"
             "  A: {type: revolute, bodies: [ground, a], at: [0, 0]}\n"
             "  B: {type: revolute, bodies: [a, b], at: [cos(phi), sin(phi)]}\n"
             "  C: {type: revolute, bodies: [b, s], at: [2*cos(phi), 0]}\n"
             "  S: {type: prismatic, markers: [ground, s]}\n"
             "forces: {brake: {type: torsion-spring, joints: [A], damping: 0}%s}\n",
             k < 3 ? "" : ", motor: {type: torsion-spring, joints: [A], torque: -1e4*rate^2}");
    machine s = {.m = load_text(text)};
    tr_run_settings set = tr_run_defaults();
    tr_error error = {0};
    static const char *const by[] = {"radau5", "radau5", "ggl-bdf:order=5", "radau5"};
    set.method = by[k], set.end = 0.6, set.control.tol = k == 1 ? 1e-8 : 1e-9;
    if (tr_run_new(s.m.sys, &set, NULL, &s.run, &error) != TR_OK) fail_msg("%s", error.text);
    tr_status status = tr_run_all(s.run, &error);
    if (k < 3 && status != TR_OK) fail_msg("%s: %s", by[k], error.text);
    if (k < 3) assert_near(read_output(&s, "s.vx"), -1, 1e-3, "%s", by[k]);
    if (k < 3 && *tr_run_describe(s.run).notes) fail_msg("%s", tr_run_describe(s.run).notes);
    if (k == 3 && !strstr(error.text, "runs away")) fail_msg("not told: %s", error.text);
    stop(&s);
  }
}

// A light link between heavy points: what a method with little damping feeds into it is a runaway, what one with much takes from
// it is told; not so what a start across the constraints has, if it is asked for.
static void energy_is_watched(void **unused) {
  (void)unused;
  static const struct {
    const char *method, *fails, *note;
    double tol, across, end;
  } runs[] = {{"gen-alpha:rho=0.8", "runs away", "grew", 1e-3, 0, 4},
              {"nstiff", NULL, "fell", 1e-5, 0, 2},
              {"radau5", NULL, "", 1e-9, 0, 2},
              {"hht-si2", NULL, "", 0, 2, 0.1},
              {"radau5", NULL, "", 1e-6, 2, 0.1}};
  for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
    char text[1024];
    snprintf(text, sizeof text,
             "trammel: 1\ngravity: [0, -9.81]\nbodies:\n"
             "  a: {type: planar-point, mass: 100, position: [1, 0], velocity: [%g, 0]}\n"
             "  b: {type: planar-point, mass: 1e-3, position: [1.5, 0.5]}\n"
             "  c: {type: planar-point, mass: 100, position: [2, 0]}\n"
             "joints:\n"
             "  A: {type: distance, markers: [ground, a], length: 1}\n"
             "  B: {type: distance, markers: [a, b], length: 0.70710678118654757}\n"
             "  C: {type: distance, markers: [b, c], length: 0.70710678118654757}\n",
             runs[k].across);
    machine s = {.m = load_text(text)};
    tr_run_settings set = tr_run_defaults();
    tr_error error = {0};
    set.method = runs[k].method, set.end = runs[k].end, set.control.tol = runs[k].tol;
    set.step = 1e-3, set.consistent_start = runs[k].across == 0;
    if (tr_run_new(s.m.sys, &set, NULL, &s.run, &error) != TR_OK) fail_msg("%s", error.text);
    tr_status status = tr_run_all(s.run, &error);
    const char *note = tr_run_describe(s.run).notes;
    assert_int_equal(status != TR_OK, runs[k].fails != NULL);
    if (runs[k].fails && !strstr(error.text, runs[k].fails)) fail_msg("%s", error.text);
    if (*runs[k].note ? !strstr(note, runs[k].note) : *note) fail_msg("%zu: %s", k, note);
    stop(&s);
  }
}

// Velocities that have left all bounds across the constraints end a run that gets nowhere.
static void strays_come_to_an_end(void **unused) {
  (void)unused;
  machine s = {.m = load_model("cam_follower.yaml", NULL)};
  tr_run_settings set = tr_run_defaults();
  tr_error error = {0};
  set.method = "gen-alpha:rho=0.8", set.control.tol = 1e-2;
  assert_int_equal(tr_run_new(s.m.sys, &set, NULL, &s.run, &error), TR_OK);
  assert_int_equal(tr_run_all(s.run, &error), TR_FAILED);
  const char *told = strstr(error.text, "gone astray");
  assert_non_null(told);
  assert_null(strstr(told + 1, "gone astray"));
  assert_true(tr_run_describe(s.run).steps < 10000);
  tr_run_free(s.run);
  assert_int_equal(tr_run_new(s.m.sys, &set, NULL, &s.run, NULL), TR_OK);
  assert_int_equal(tr_run_all(s.run, NULL), TR_FAILED); // who does not ask why
  stop(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(turns_are_counted), cmocka_unit_test(maps_that_fall_short),
      cmocka_unit_test(runaway_is_told),   cmocka_unit_test(whips_are_no_runaways),
      cmocka_unit_test(energy_is_watched), cmocka_unit_test(strays_come_to_an_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
