// SPDX-License-Identifier: Apache-2.0
// Events and steps: inside steps that are rejected, switches that undo each other, and none in a million steps.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_events.h"

static tr_run *begin_text(const char *text, const char *method, double h, double tol,
                          tr_system **sys) {
  tr_error error = {0};
  tr_model *model;
  tr_run *run;
  tr_run_settings s = tr_run_defaults();
  s.method = method, s.step = h, s.control.tol = tol;
  assert_int_equal(tr_model_new(NULL, &model), TR_OK);
  if (tr_model_read_text(model, text, strlen(text), "m.yaml", &error) != TR_OK ||
      tr_compile(model, sys, &error) != TR_OK || tr_run_new(*sys, &s, NULL, &run, &error) != TR_OK)
    fail_msg("%s", error.text);
  tr_model_free(model);
  return run;
}

// A spring that is hit at x = 1, t = 1 with speed 1: the steps that reach it are rejected. What they would have
// crossed does not happen, and what lies before the spring happens once, in time.
static void test_inside_rejected_steps(void **state) {
  (void)state;
  static const char *const methods[] = {"hht-i3", "nstiff", "hht-si2", "ggl-bdf:order=5", "cm"};
  static const char *const text =
      "trammel: 1\n"
      "bodies: {b: {type: planar, mass: 1, inertia: 1, velocity: [1, 0]}}\n"
      "joints: {rail: {type: prismatic, markers: [ground, b]}}\n"
      "forces: {stop: {type: force, markers: [b], force: [\"-1e6*max(0, DX(b) - 1)\", 0]}}\n"
      "events:\n"
      "  before: {when: DX(b) - 0.999, direction: rising, message: there}\n"
      "  beyond: {when: DX(b) - 1.01, message: through}\n" // it turns at 1.001
      "  back: {when: DX(b) - 0.999, direction: falling, message: back}\n"
      "simulation: {end: 1.5, step: 0.01}\n";
  const double pi = acos(-1), t1 = 0.999, t2 = 1 + pi / 1e3 + 1e-3;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    tr_error error = {0};
    tr_system *sys;
    tr_run *run = begin_text(text, methods[i], NAN, 1e-7, &sys);
    if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", methods[i], error.text);
    tr_run_info info = tr_run_describe(run);
    if (info.events != 2 || info.rejected == 0)
      fail_msg("%s: %ld events, %ld rejected", methods[i], info.events, info.rejected);
    assert_near(tr_run_event(run, 0).t, t1, 1e-5, "%s: before", methods[i]);
    assert_near(tr_run_event(run, 1).t, t2, 1e-4, "%s: back", methods[i]);
    tr_run_free(run);
    tr_system_free(sys);
  }
}

// Dry friction by two events that switch its sign: at rest each undoes the other. Nobody sticks by this, and it was
// taken for a touch once, after which friction drove the slide.
static void test_switches_chatter(void **state) {
  (void)state;
  static const char *const methods[] = {"hht-i3", "hht-si2", "ggl-bdf", "radau5"};
  static const char *const text =
      "trammel: 1\n"
      "parameters: {side: -1}\n"
      "bodies: {slide: {type: planar, mass: 2, inertia: 0.1, velocity: [1, 0]}}\n"
      "joints: {rail: {type: prismatic, markers: [ground, slide]}}\n"
      "forces:\n"
      "  pull: {type: force, markers: [slide], force: [2*sin(3*time), 0]}\n"
      "  rub: {type: force, markers: [slide], force: [5*side, 0]}\n"
      "events:\n"
      "  back: {when: VX(slide), direction: falling, set: {side: 1}}\n"
      "  forth: {when: VX(slide), direction: rising, set: {side: -1}}\n"
      "simulation: {end: 2, step: 0.01}\n";
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    for (int fixed = 0; fixed < 2; fixed++) {
      tr_error error = {0};
      tr_system *sys;
      tr_run *run = begin_text(text, methods[i], NAN, fixed ? 0 : 1e-5, &sys);
      assert_int_equal(tr_run_all(run, &error), TR_FAILED);
      if (!strstr(error.text, "event \"back\": events chatter at t = 0.539"))
        fail_msg("%s: %s", methods[i], error.text);
      assert_true(tr_run_describe(run).events < 10);
      tr_run_free(run);
      tr_system_free(sys);
    }
}

// Dry friction by sign(): methods without an iteration that would fail go to and fro across rest. They say so, and what
// jumps; where nothing does, however fast it swings, they do not.
static void test_jumps_are_noted(void **state) {
  (void)state;
  static const char *const methods[] = {"pfpc1", "pfpc2", "baumgarte", "baumgarte:scheme=euler"};
  static const char *const laws[] = {"-5*sign(VX(slide))", "-5*tanh(1000*VX(slide))",
                                     "-3e4*DX(slide)"};
  for (int law = 0; law < 3; law++) {
    char text[600];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "bodies: {slide: {type: planar, mass: 2, inertia: 0.1, velocity: [1, 0]}}\n"
             "joints: {rail: {type: prismatic, markers: [ground, slide]}}\n"
             "forces:\n"
             "  pull: {type: force, markers: [slide], force: [2*sin(3*time), 0]}\n"
             "  rub: {type: force, markers: [slide], force: [\"%s\", 0]}\n"
             "simulation: {end: 2, step: 0.01}\n",
             laws[law]);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
      for (int k = 0; k < 3; k++) {
        tr_error error = {0};
        tr_system *sys;
        tr_run *run = begin_text(text, methods[i], k == 1 ? 1e-3 : NAN, k == 2 ? 1e-5 : 0, &sys);
        tr_status status = tr_run_all(run, &error);
        tr_run_info info = tr_run_describe(run);
        bool noted = strstr(info.notes, "force \"rub\" is discontinuous at t = ");
        if (law == 0 && status != TR_OK) fail_msg("%s: %s", methods[i], error.text);
        if (noted != (law == 0)) fail_msg("%s, %d: \"%s\"", methods[i], k, info.notes);
        tr_run_free(run);
        tr_system_free(sys);
      }
  }
}

// A pendulum's million steps, with an event that never comes, and the same bits without it.
static void test_none_in_a_million(void **state) {
  (void)state;
  static const char text[] =
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "bodies: {b: {type: planar, mass: 1, inertia: 0.1, position: [1, 0]}}\n"
      "joints: {pin: {type: revolute, bodies: [ground, b], at: [0, 0]}}\n"
      "simulation: {end: 100, step: %g}\n";
  double steps = or_less(1e6, 1e5);
  char plain[500], armed[600];
  snprintf(plain, sizeof plain, text, 100 / steps);
  snprintf(armed, sizeof armed, "%sevents: {never: {when: DY(b) - 0.5, stop: yes}}\n", plain);
  double angle[2];
  for (int with = 0; with < 2; with++) {
    tr_error error = {0};
    tr_system *sys;
    tr_run *run = begin_text(with ? armed : plain, "hht-i3", NAN, 0, &sys);
    if (tr_run_all(run, &error) != TR_OK) fail_msg("%s", error.text);
    tr_run_info info = tr_run_describe(run);
    assert_int_equal(info.steps, lround(steps));
    assert_int_equal(info.events, 0);
    angle[with] = tr_run_state(run)->q[2];
    tr_run_free(run);
    tr_system_free(sys);
  }
  assert_memory_equal(&angle[0], &angle[1], sizeof angle[0]);
}

// In windows, whose ends are anywhere, in a step, at an event, next to one: the events and the motion of one run.
static void compare_windows(const tr_system *sys, const char *method, double tol, const char *name,
                            double end, double near) {
  // the clutch has events at 0.2 and 0.575, the ball at 0.4515, the latch at 1.5
  static const double stops[] = {0.0,   0.01, 0.1,     0.2 - 1e-13, 0.2, 0.2 + 1e-13, 0.37, 0.4515,
                                 0.575, 0.6,  0.60001, 0.9,         1.2, 1.3,         1.5,  1.5};
  tr_error error = {0};
  tr_run *whole = start_run(sys, method, NAN, tol), *parts = start_run(sys, method, NAN, tol);
  if (tr_run_to(whole, end, &error) != TR_OK) fail_msg("%s: %s", method, error.text);
  for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
    if (stops[i] > end) continue;
    if (tr_run_to(parts, stops[i], &error) != TR_OK) fail_msg("%s: %s", method, error.text);
    assert_near(tr_run_state(parts)->t, stops[i], 1e-12, "%s", method);
  }
  if (tr_run_to(parts, end, &error) != TR_OK) fail_msg("%s: %s", method, error.text);
  long n = tr_run_describe(whole).events, m = tr_run_describe(parts).events;
  for (long i = 0; i < n && i < m && i < 8; i++) {
    tr_event_record a = tr_run_event(whole, i), b = tr_run_event(parts, i);
    assert_string_equal(a.name, b.name);
    assert_near(b.t, a.t, near, "%s, tol %g: event %ld", method, tol, i);
  }
  if (n != m && n < 20) fail_msg("%s, tol %g: %ld events and %ld", method, tol, n, m);
  assert_near(at_end(sys, parts, name), at_end(sys, whole, name), near, "%s, tol %g: %s", method,
              tol, name);
  tr_run_free(whole), tr_run_free(parts);
}

static void test_windows(void **state) {
  (void)state;
  static const struct {
    const char *file, *name;
    double end,
        near; // by fixed steps, of the first order's error; under control more than the tolerance
  } cases[] = {{"models/clutch.yaml", "load.angle", 1, 2e-3},
               {"models/latch.yaml", "door.angle", 1.9, 1e-2},
               {"models/bouncing_ball.yaml", "ball.y", 1, 2e-3}};
  for (int i = 0; i < 3; i++) {
    tr_system *sys = compile_file(cases[i].file);
    for (int m = 0; m < tr_method_count(); m++)
      for (int k = 0; k < 2; k++) {
        const char *method = tr_method_describe(m).name;
        double near = strcmp(method, "pfpc1") == 0 ? 0.2 : cases[i].near;
        compare_windows(sys, method, k ? 1e-6 : 0, cases[i].name, cases[i].end, near);
      }
    tr_system_free(sys);
  }
}

// A square wave of force, switched by an expression of time: none is missed, though steps that are exact for
// a parabola would be longer than a period.
static void test_square_wave(void **state) {
  (void)state;
  static const char *const text =
      "trammel: 1\n"
      "parameters: {s: 1}\n"
      "bodies: {b: {type: planar, mass: 1, inertia: 1}}\n"
      "joints: {rail: {type: prismatic, markers: [ground, b]}}\n"
      "forces: {f: {type: force, markers: [b], force: [s, 0]}}\n"
      "events: {flip: {when: \"sin(pi*time/0.01)\", set: {s: -s}}}\n"
      "simulation: {end: 1.005, step: 0.003}\n";
  tr_system *sys = system_of_text(text);
  for (int m = 0; m < tr_method_count(); m++)
    for (int k = 0; k < 4; k++) {
      const double tol[] = {0, 1e-3, 1e-6, 1e-8};
      const char *method = tr_method_describe(m).name;
      tr_run *run = start_run(sys, method, NAN, tol[k]);
      finish(run, method);
      assert_int_equal(tr_run_describe(run).events, 101); // the first at the start
      for (int i = 0; i < 101; i++)
        assert_near(tr_run_event(run, i).t, 0.01 * i, 1e-14, "%s, tol %g", method, tol[k]);
      assert_near(at_end(sys, run, "b.vx"), -0.005, 1e-11, "%s, tol %g", method, tol[k]);
      tr_run_free(run);
    }
  tr_system_free(sys);
}

// A ball in a wedge: on the one side impacts at 1, 1.1, 1.15 .. 1.2 s die away, and it slides to the other. Bounces that
// are lower than the tolerance are its end: once some methods found the place back while the velocity still led
// away, and told of touches, dozens of them.
static void test_lower_than_the_tolerance(void **state) {
  (void)state;
  static const char *const methods[] = {"ggl-bdf", "ggl-bdf:order=5", "cs", "hht-i3", "radau5"};
  static const char *const text =
      "trammel: 1\n"
      "gravity: [0, -10]\n"
      "bodies: {a: {type: planar-point, mass: 1, position: [0.2, 1]}}\n"
      "joints:\n"
      "  f1: {type: expression, phi: \"DY(a) - DX(a)\", active: no}\n"
      "  f2: {type: expression, phi: \"DY(a) + DX(a)\", active: no}\n"
      "events:\n"
      "  b1: {when: \"DY(a) - DX(a)\", direction: falling, restitution: 0.5, settle: f1}\n"
      "  b2: {when: \"DY(a) + DX(a)\", direction: falling, restitution: 0.5, settle: f2}\n"
      "simulation: {end: 6 s, step: 2^-6}\n";
  for (int i = 0; i < 15; i++) {
    tr_error error = {0};
    tr_system *sys;
    double tol = pow(10, -3 - i % 3), rest = INFINITY;
    tr_run *run = begin_text(text, methods[i / 3], NAN, tol, &sys);
    if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", methods[i / 3], error.text);
    int ends = 0;
    for (long k = 0; k < tr_run_describe(run).events; k++) {
      tr_event_record e = tr_run_event(run, k);
      assert_true(strcmp(e.what, "brushes") != 0);
      if (strcmp(e.what, "comes to rest") == 0 && ends++ == 0) rest = e.t;
    }
    assert_int_equal(ends, 2);
    // a bounce of the height tol = g t^2/8, and as long again for those after it
    assert_near(rest, 1.2, 2 * sqrt(8 * tol / 10), "%s, %g", methods[i / 3], tol);
    assert_near(tr_run_state(run)->q[1], 0, 1e-10, "%s", methods[i / 3]);
    tr_run_free(run);
    tr_system_free(sys);
  }
}

// Balls that touch but for round-off, above zero or below: a blow passes through the row and comes back from the
// wall. Nothing happens before it, nor to a ball on the floor until it is pushed.
static void test_touching_up_to_round_off(void **state) {
  (void)state;
  static const char *const methods[] = {"hht-i3", "radau5", "ggl-bdf", "pfpc2"};
  static const char *const names[] = {"ab", "bc", "cd", "wall", "cd", "bc", "ab"};
  char text[2000];
  for (int i = 0; i < 24; i++) {
    const char *method = methods[i % 4];
    double tol = i / 4 % 2 ? 1e-6 : 0, off = (i / 8 - 1) * 1e-16, T[] = {0.3, 0.8, 1.3};
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "bodies:\n"
             "  a: {type: planar-point, mass: 1, velocity: [1, 0]}\n"
             "  b: {type: planar-point, mass: 1, position: [0.5, 0]}\n"
             "  c: {type: planar-point, mass: 1, position: [0.7 + %g, 0]}\n"
             "  d: {type: planar-point, mass: 1, position: [0.9, 0]}\n"
             "  e: {type: planar-point, mass: 1, position: [0, 0.3 + %g]}\n"
             "parameters: {F: 0}\n"
             "forces: {push: {type: force, markers: [e], force: [0, F]}}\n"
             "joints: {floor: {type: expression, phi: DY(e) - 0.3, active: no}}\n"
             "events:\n"
             "  ab: {when: DX(b) - DX(a) - 0.2, direction: falling, restitution: 1}\n"
             "  bc: {when: DX(c) - DX(b) - 0.2, direction: falling, restitution: 1}\n"
             "  cd: {when: DX(d) - DX(c) - 0.2, direction: falling, restitution: 1}\n"
             "  wall: {when: 1.4 - DX(d), direction: falling, restitution: 1}\n"
             "  now: {when: time - 1.5, set: {F: -1}}\n"
             "  hit: {when: DY(e) - 0.3, direction: falling, restitution: 0.5, settle: floor}\n"
             "simulation: {end: 2 s, step: 10 ms}\n",
             off, off);
    tr_system *sys = system_of_text(text);
    tr_run *run = start_run(sys, method, NAN, tol);
    finish(run, method);
    for (int k = 0; k < 7; k++) {
      assert_string_equal(tr_run_event(run, k).name, names[k]);
      assert_near(tr_run_event(run, k).t, T[k < 3 ? 0 : k < 4 ? 1 : 2], 1e-9, "%s", method);
    }
    assert_near(at_end(sys, run, "a.x"), -0.4, 1e-9, "%s", method);
    assert_near(at_end(sys, run, "b.x"), 0.5, 1e-9, "%s", method);
    assert_near(at_end(sys, run, "d.x"), 0.9, 1e-9, "%s", method);
    assert_near(at_end(sys, run, "e.y"), 0.3, 1e-9, "%s, %g", method, off);
    tr_run_free(run);
    tr_system_free(sys);
  }
}

// A shallow dip: in and out again, however long the step, and neither of the two by round-off once more.
static void test_shallow_dip(void **state) {
  (void)state;
  static const char *const text =
      "trammel: 1\n"
      "bodies: {p: {type: planar-point, mass: 1, velocity: [1, 0]}}\n"
      "events: {dip: {when: \"(DX(p) - 0.35)^2 - 1e-8\", message: dips}}\n"
      "simulation: {end: 1 s, step: 10 ms}\n";
  tr_system *sys = system_of_text(text);
  for (int m = 0; m < tr_method_count(); m++)
    for (int k = 0; k < 4; k++) {
      const double tol[] = {0, 1e-3, 1e-5, 1e-6};
      const char *method = tr_method_describe(m).name;
      tr_run *run = start_run(sys, method, NAN, tol[k]);
      finish(run, method);
      assert_int_equal(tr_run_describe(run).events, 2);
      assert_near(tr_run_event(run, 0).t, 0.3499, 1e-9, "%s", method);
      assert_near(tr_run_event(run, 1).t, 0.3501, 1e-9, "%s", method);
      tr_run_free(run);
    }
  tr_system_free(sys);
}

// A ball that has bounced, or come to rest, is taken back to before: it bounces as a new run from there does. Another run
// begins where it rests.
static void test_back_in_time(void **state) {
  (void)state;
  static const char *const methods[] = {"hht-i3", "hht-si2", "ggl-bdf", "radau5"};
  tr_system *sys = compile_file("models/bouncing_ball.yaml");
  for (int i = 0; i < 16; i++) {
    tr_error error = {0};
    double tol = i & 1 ? 1e-6 : 0;
    const char *method = methods[i / 4];
    tr_run *old = start_run(sys, method, 1e-3, tol), *fresh, *resting;
    tr_run_settings s = tr_run_defaults();
    tr_state early, late;
    s.method = method, s.step = 1e-3, s.control.tol = tol, s.end = 3;
    assert_int_equal(tr_state_new(sys, &early, &error), TR_OK);
    assert_int_equal(tr_state_new(sys, &late, &error), TR_OK);
    assert_int_equal(tr_run_to(old, 0.2, &error), TR_OK);
    tr_state_copy(&early, tr_run_state(old));
    assert_int_equal(tr_run_to(old, i & 2 ? 2 : 0.6, &error), TR_OK);
    tr_state_copy(&late, tr_run_state(old));
    assert_int_equal(tr_run_restart(old, &early, &error), TR_OK);
    assert_int_equal(tr_run_new(sys, &s, &early, &fresh, &error), TR_OK);
    assert_int_equal(tr_run_new(sys, &s, &late, &resting, &error), TR_OK);
    if (tr_run_to(old, 0.7, &error) || tr_run_to(fresh, 0.7, &error) ||
        tr_run_to(resting, 2.5, &error))
      fail_msg("%s, tol %g: %s", method, tol, error.text);
    assert_near(tr_run_state(old)->q[1], tr_run_state(fresh)->q[1], 1e-6, "%s", method);
    assert_true(tr_run_state(old)->q[1] > 0.29);
    tr_state_free(sys, &early), tr_state_free(sys, &late);
    tr_run_free(old), tr_run_free(fresh), tr_run_free(resting);
  }
  tr_system_free(sys);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inside_rejected_steps),
      cmocka_unit_test(test_lower_than_the_tolerance),
      cmocka_unit_test(test_switches_chatter),
      cmocka_unit_test(test_jumps_are_noted),
      cmocka_unit_test(test_square_wave),
      cmocka_unit_test(test_windows),
      cmocka_unit_test(test_none_in_a_million),
      cmocka_unit_test(test_shallow_dip),
      cmocka_unit_test(test_touching_up_to_round_off),
      cmocka_unit_test(test_back_in_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
