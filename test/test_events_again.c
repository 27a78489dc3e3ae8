// SPDX-License-Identifier: Apache-2.0
// Events after events: bodies that come to rest and are lifted again, events that make others happen in the same instant,
// joints that are locked by a list or exchanged for others.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_events.h"

static bool is_first_order(const char *method) { return strcmp(method, "pfpc1") == 0; }

// A look at a run that is over.
typedef void (*look)(const tr_system *sys, const tr_run *run, const char *about, double tol);

// By every method but those of first order, at n tolerances; 0: by fixed steps.
static void by_methods(const char *text, int n, const double *tol, look at) {
  tr_system *sys = system_of_text(text);
  for (int m = 0; m < tr_method_count(); m++)
    for (int k = 0; k < n; k++) {
      char about[64];
      const char *method = tr_method_describe(m).name;
      if (is_first_order(method) || !in_turn(m, k, 3)) continue;
      snprintf(about, sizeof about, "%s, %g", method, tol[k]);
      tr_run *run = start_run(sys, method, NAN, tol[k]);
      finish(run, about);
      at(sys, run, about, tol[k]);
      tr_run_free(run);
    }
  tr_system_free(sys);
}

// ---- lifted from where it came to rest ----------------------------------------------------------------

// A ball rests on a floor that lets go at t0 = 1 and 4 when a jet lifts it by g for 0.2 s, then falls from 0.2 m with 2 m/s
// upwards: it meets the floor after (2 + sqrt 8)/g with sqrt 8 m/s, and bounces for 2 e sqrt 8/(g (1 - e)).
// Bounces lower than the tolerance are not resolved: they last for some sqrt(tol/g).
static void rests_thrice(const tr_system *sys, const tr_run *run, const char *about, double tol) {
  const double rest = 1.2 + (2 + sqrt(8)) / 10 + 0.2 * sqrt(8), near = 1e-6 + 3 * sqrt(tol);
  double at[8];
  int n = 0;
  (void)sys;
  for (long i = 0; i < tr_run_describe(run).events && n < 8; i++) {
    tr_event_record e = tr_run_event(run, i);
    if (strcmp(e.what, "comes to rest") == 0) at[n++] = e.t;
  }
  if (n != 3) fail_msg("%s: rests %d times", about, n);
  assert_near(at[1], rest, near, "%s", about);
  assert_near(at[2], rest + 3, near, "%s", about);
}

static void test_lifted(void **state) {
  (void)state;
  static const double tol[] = {0, 1e-3, 1e-4, 3e-5, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
  by_methods(
      "trammel: 1\n"
      "parameters: {F: 0}\n"
      "gravity: [0, -10]\n"
      "bodies:\n"
      "  b: {type: planar-point, mass: 1, position: [0, 0.2], velocity: [0.5, 0]}\n"
      "joints: {floor: {type: expression, phi: DY(b), active: no}}\n"
      "forces: {jet: {type: force, markers: [b], force: [0, F]}}\n"
      "events:\n"
      "  bounce: {when: DY(b), direction: falling, restitution: 0.5, settle: floor}\n"
      "  on1: {when: time - 1, set: {F: 20}, unlock: floor}\n"
      "  off1: {when: time - 1.2, set: {F: 0}}\n"
      "  on2: {when: time - 4, set: {F: 20}, unlock: floor}\n"
      "  off2: {when: time - 4.2, set: {F: 0}}\n"
      "simulation: {end: 7 s, step: 0.01}\n",
      sizeof tol / sizeof *tol, tol, rests_thrice);
}

// ---- let go while something presses -----------------------------------------------------------------------

static int count_rests(const tr_run *run, const char *name) {
  int n = 0;
  for (long i = 0; i < tr_run_describe(run).events; i++) {
    tr_event_record e = tr_run_event(run, i);
    n += strcmp(e.what, "comes to rest") == 0 && strcmp(e.name, name) == 0;
  }
  return n;
}

// Its weight still presses the ball onto the floor that lets go of it: it comes to rest again, there and then.
static void rests_again(const tr_system *sys, const tr_run *run, const char *about, double tol) {
  (void)tol;
  assert_near(at_end(sys, run, "b.y"), 0.05, 1e-8, "%s", about);
  assert_near(at_end(sys, run, "b.x"), 0.9, 1e-6, "%s", about);
  if (count_rests(run, "bounce") != 2) fail_msg("%s: rests", about);
  assert_near(tr_run_event(run, tr_run_describe(run).events - 1).t, 1.6, 1e-9, "%s", about);
}

static void test_pressed(void **state) {
  (void)state;
  static const double tol[] = {0, 1e-3, 1e-6};
  by_methods(
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  b: {type: planar-point, mass: 0.2, position: [0, 1.05], velocity: [0.3, 0]}\n"
      "joints: {floor: {type: expression, phi: DY(b) - 0.05, active: no}}\n"
      "events:\n"
      "  bounce: {when: DY(b) - 0.05, direction: falling, restitution: 0.5, settle: floor}\n"
      "  off: {when: time - 1.6, direction: rising, unlock: floor}\n"
      "simulation: {end: 3 s, step: 2^-6}\n",
      sizeof tol / sizeof *tol, tol, rests_again);
}

// Two balls, one on the other, both let go at 4 s while the lower one is pushed up by 60 N for 0.1 s: it carries the upper
// one, (60 - 2 g)/2 = 20.19 m/s^2. At 8 s the upper one alone is lifted.
static void test_pressed_from_below(void **state) {
  (void)state;
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "parameters: {f: 0, f2: 0}\n"
      "bodies:\n"
      "  a: {type: planar-point, mass: 1, position: [0, 0.5]}\n"
      "  b: {type: planar-point, mass: 1, position: [0, 1.2]}\n"
      "joints:\n"
      "  ax: {type: expression, phi: DX(a)}\n"
      "  bx: {type: expression, phi: DX(b)}\n"
      "  fa: {type: expression, phi: DY(a) - 0.1, active: no}\n"
      "  fb: {type: expression, phi: DY(b) - DY(a) - 0.2, active: no}\n"
      "forces:\n"
      "  up: {type: force, markers: [a], force: [0, f]}\n"
      "  up2: {type: force, markers: [b], force: [0, f2]}\n"
      "events:\n"
      "  low: {when: DY(a) - 0.1, direction: falling, restitution: 0.5, settle: fa}\n"
      "  high: {when: DY(b) - DY(a) - 0.2, direction: falling, restitution: 0.5, settle: fb}\n"
      "  on: {when: time - 4, direction: rising, unlock: [fa, fb], set: {f: 60}}\n"
      "  off: {when: time - 4.1, direction: rising, set: {f: 0}}\n"
      "  on2: {when: time - 8, direction: rising, unlock: fb, set: {f2: 30}}\n"
      "  off2: {when: time - 8.1, direction: rising, set: {f2: 0}}\n"
      "simulation: {end: 12 s, step: 0.005}\n");
  static const char *method[] = {"hht-i3", "gen-alpha", "radau5"};
  const double rise = 0.005 * 20.19, v = 2.019;
  for (size_t m = 0; m < sizeof method / sizeof *method; m++)
    for (int k = 0; k < 2; k++) {
      tr_run *run = start_run(sys, method[m], NAN, k ? 1e-6 : 0);
      finish(run, method[m]);
      assert_near(at_end(sys, run, "a.y"), 0.1, 1e-6, "%s", method[m]);
      assert_near(at_end(sys, run, "b.y"), 0.3, 1e-6, "%s", method[m]);
      double lands = 4.1 + (v + sqrt(v * v + 2 * 9.81 * rise)) / 9.81, next = INFINITY;
      for (long i = 0; i < tr_run_describe(run).events; i++) {
        tr_event_record e = tr_run_event(run, i);
        if (strcmp(e.name, "low") == 0 && e.t > 4.01) next = fmin(next, e.t);
      }
      assert_near(next, lands, 1e-5, "%s: back on the floor", method[m]);
      tr_run_free(run);
    }
  tr_system_free(sys);
}

// ---- over and done with -----------------------------------------------------------------------------------

// A wheel that turns by 100 rad/s, and a pin of it that an event watches: steps follow its turning until it has happened.
static void test_over(void **state) {
  (void)state;
  static const char *text =
      "trammel: 1\n"
      "parameters: {k: 0}\n"
      "bodies:\n"
      "  wheel: {type: planar, mass: 2, inertia: 0.5, omega: 100}\n"
      "  m: {type: planar-point, mass: 1, position: [0.3, 0]}\n"
      "markers: {pin: {body: wheel, at: [0.4, 0]}}\n"
      "joints:\n"
      "  axle: {type: revolute, markers: [ground, wheel]}\n"
      "  guide: {type: point-on-line, markers: [ground, m]}\n"
      "forces: {s: {type: force, markers: [m], force: [-4*DX(m) - 0.2*VX(m), 0]}}\n"
      "events:\n"
      "  e: {when: DY(pin) - 0.2, direction: rising, %s, set: {k: k + 1}}\n"
      "simulation: {end: 5 s, step: 0.001}\n";
  long steps[2];
  for (int often = 0; often < 2; often++) {
    char model[1000];
    snprintf(model, sizeof model, text, often ? "once: no" : "once: yes");
    tr_system *sys = system_of_text(model);
    tr_run *run = start_run(sys, "hht-i3", NAN, 1e-4);
    finish(run, "wheel");
    steps[often] = tr_run_describe(run).steps;
    assert_int_equal(tr_run_describe(run).events, often ? 80 : 1);
    tr_run_free(run);
    tr_system_free(sys);
  }
  if (!(steps[0] < 150 && steps[1] > 500)) fail_msg("%ld, %ld steps", steps[0], steps[1]);
}

// ---- one makes the other happen -----------------------------------------------------------------------

// The first is switched by a place, each of the others by the one before it.
static void test_chain(void **state) {
  (void)state;
  enum { LINKS = 60 };
  char text[8000];
  size_t n = (size_t)snprintf(text, sizeof text,
                              "trammel: 1\n"
                              "bodies: {p: {type: planar-point, mass: 1, velocity: [1, 0]}}\n"
                              "forces: {f: {type: force, markers: [p], force: [x%d, 0]}}\n"
                              "simulation: {end: 1 s, step: 0.01}\n"
                              "parameters:\n",
                              LINKS - 1);
  for (int i = 0; i < LINKS; i++) n += (size_t)snprintf(text + n, sizeof text - n, "  x%d: 0\n", i);
  n += (size_t)snprintf(text + n, sizeof text - n,
                        "events:\n  e0: {when: DX(p) - 0.5, set: {x0: 1}}\n");
  for (int i = 1; i < LINKS; i++)
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "  e%d: {when: x%d - 0.5, direction: rising, set: {x%d: 1}}\n", i, i - 1,
                          i);
  tr_system *sys = system_of_text(text);
  tr_run *run = start_run(sys, "hht-i3", NAN, 0);
  finish(run, "chain");
  assert_int_equal(tr_run_describe(run).events, LINKS);
  for (int i = 0; i < LINKS; i++) assert_near(tr_run_event(run, i).t, 0.5, 1e-12, "event %d", i);
  assert_near(at_end(sys, run, "p.vx"), 1.5, 1e-9, "pushed by the last one");
  tr_run_free(run);
  tr_system_free(sys);
}

// A parameter that is switched on and off in one instant does so for all who read it: once each way.
static void test_there_and_back(void **state) {
  (void)state;
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "parameters: {x: 0, n: 0, done: 0}\n"
      "bodies: {p: {type: planar-point, mass: 1, velocity: [1, 0]}}\n"
      "forces: {f: {type: force, markers: [p], force: [0*done, 0]}}\n"
      "variables: {c: {value: n}}\n"
      "events:\n"
      "  on: {when: DX(p) - 0.5, set: {x: 1}}\n"
      "  counts: {when: x - 0.5, set: {n: n + 1}}\n"
      "  off: {when: n - 0.5, direction: rising, set: {x: 0, done: 1}}\n"
      "simulation: {end: 1 s, step: 0.01}\n");
  tr_run *run = start_run(sys, "hht-i3", NAN, 0);
  finish(run, "there and back");
  assert_int_equal(tr_run_describe(run).events, 4);
  assert_near(at_end(sys, run, "c"), 2, 1e-12, "both ways");
  tr_run_free(run);
  tr_system_free(sys);
}

// Two that switch each other have no end: they are named, and others are not.
static void test_no_end(void **state) {
  (void)state;
  tr_error error = {0};
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "parameters: {x: 0, y: 0}\n"
      "bodies: {p: {type: planar-point, mass: 1, velocity: [1, 0]}}\n"
      "forces: {f: {type: force, markers: [p], force: [0, x + y]}}\n"
      "events:\n"
      "  go: {when: DX(p) - 0.5, set: {x: 1}}\n"
      "  tick: {when: x - 0.5, direction: rising, set: {x: 0, y: 1}}\n"
      "  tock: {when: y - 0.5, direction: rising, set: {y: 0, x: 1}}\n"
      "simulation: {end: 1 s, step: 0.01}\n");
  tr_run *run = start_run(sys, "hht-i3", NAN, 0);
  assert_int_equal(tr_run_all(run, &error), TR_FAILED);
  if (!strstr(error.text, "events chatter at t = 0.5 s") ||
      !strstr(error.text, "\"tick\", \"tock\" still") || strstr(error.text, "\"go\""))
    fail_msg("%s", error.text);
  tr_run_free(run);
  tr_system_free(sys);
}

// ---- joints -------------------------------------------------------------------------------------------

// Two wheels: one is stopped at 1 s, both at 2 s, which the first of them has been.
static void test_list(void **state) {
  (void)state;
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "bodies:\n"
      "  w: {type: planar, mass: 1, inertia: 1, omega: 2}\n"
      "  v: {type: planar, mass: 1, inertia: 1, position: [1, 0], omega: 3}\n"
      "joints:\n"
      "  a: {type: revolute, markers: [ground, w]}\n"
      "  b: {type: revolute, markers: [{at: [1, 0]}, v]}\n"
      "  bw: {type: expression, phi: AZ(w), active: no}\n"
      "  bv: {type: expression, phi: AZ(v), active: no}\n"
      "events:\n"
      "  first: {when: time - 1, lock: bw}\n"
      "  all: {when: time - 2, lock: [bw, bv]}\n"
      "  late: {when: time - 2.5, lock: [bw, bv]}\n" // nothing to do
      "simulation: {end: 3 s, step: 0.01}\n");
  for (int m = 0; m < tr_method_count(); m++) {
    const char *method = tr_method_describe(m).name;
    tr_run *run = start_run(sys, method, NAN, 0);
    finish(run, method);
    assert_int_equal(tr_run_describe(run).events, 2);
    assert_near(at_end(sys, run, "w.angle"), 2, 1e-6, "%s", method);
    assert_near(at_end(sys, run, "v.angle"), 6, 1e-6, "%s", method);
    assert_near(at_end(sys, run, "v.omega"), 0, 1e-9, "%s", method);
    tr_run_free(run);
  }
  tr_system_free(sys);
}

// A wheel that stands by a detent, and one that turns with 6 rad/s. At 0.25 s the detent is exchanged for a clutch, which
// holds already from 0.1 s on: 6 rad/s were stopped by both; at 0.5 s a blow of a drive turns them, at 0.75 s back
// to the detent. Inertias 0.5 and 0.25, a torque of 3 from 0.25 s on: 4 rad/s^2 while both turn.
static void test_exchange(void **state) {
  (void)state;
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "parameters: {T: 0, n: 0}\n"
      "bodies:\n"
      "  w: {type: planar, mass: 1, inertia: 0.5}\n"
      "  v: {type: planar, mass: 1, inertia: 0.25, position: [1, 0], omega: 6}\n"
      "joints:\n"
      "  a: {type: revolute, markers: [ground, w]}\n"
      "  b: {type: revolute, markers: [{at: [1, 0]}, v]}\n"
      "  clutch: {type: expression, phi: AZ(w) - AZ(v), active: no}\n"
      "  detent: {type: expression, phi: AZ(w)}\n"
      "forces: {t: {type: torque, markers: [w], torque: T}}\n"
      "events:\n"
      "  couple: {when: time - 0.1, lock: clutch}\n"
      "  go: {when: time - 0.25, unlock: detent, lock: clutch}\n"
      "  drive: {when: time - 0.25, lock: clutch, set: {T: 3}}\n" // holds already
      "  stop: {when: time - 0.75, unlock: clutch, lock: detent, set: {T: 0}}\n"
      "  turns: {when: AZ(w) - 0.18, direction: rising, lock: clutch, stop: no, set: {n: n + 1}}\n"
      "  end: {when: time - 0.9, lock: detent, stop: yes}\n"
      "simulation: {end: 1 s, step: 0.01}\n");
  for (int m = 0; m < tr_method_count(); m++) {
    const char *method = tr_method_describe(m).name;
    tr_error error = {0};
    tr_run *run = start_run(sys, method, NAN, 0);
    if (tr_run_all(run, &error) != TR_STOPPED) fail_msg("%s: %s", method, error.text);
    double near = is_first_order(method) ? 0.05 : 1e-6;
    assert_int_equal(tr_run_describe(run).events, 6);
    assert_near(tr_run_state(run)->t, 0.9, 1e-12, "%s", method);
    assert_near(at_end(sys, run, "w.angle"), 0.5, near, "%s", method); // 4 (1/2)^2/2
    assert_near(at_end(sys, run, "w.omega"), 0, 1e-9, "%s", method);
    assert_near(at_end(sys, run, "v.omega"), 2, near, "%s", method); // goes on
    tr_run_free(run);
  }
  tr_system_free(sys);
}

// ---- cut for good -------------------------------------------------------------------------------------

// A load falls 1 m into its rope, which is cut at 1 s while it carries: it is taut again at once, unless its event happens once or
// is told; then it has fallen by g/2 a second later.
static void test_cut(void **state) {
  (void)state;
  static const struct {
    const char *when, *once, *set;
    int events;
    double y;
  } ropes[] = {{"DM(c) - 1.5", "no", "{}", 3, -1.5},
               {"DM(c) - 1.5", "yes", "{}", 2, -6.5},
               {"whole*(DM(c) - 1.5)", "no", "{whole: 0}", 2, -6.5}};
  for (int i = 0; i < 3; i++) {
    char text[1000];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "parameters: {whole: 1}\n"
             "gravity: [0, -10]\n"
             "bodies: {c: {type: planar-point, mass: 2, position: [0, -0.5]}}\n"
             "joints: {rope: {type: expression, phi: DM(c) - 1.5, active: no}}\n"
             "events:\n"
             "  taut: {when: %s, direction: rising, restitution: 0, settle: rope, once: %s}\n"
             "  cut: {when: time - 1, unlock: rope, set: %s}\n"
             "simulation: {end: 2 s, step: 0.01}\n",
             ropes[i].when, ropes[i].once, ropes[i].set);
    tr_system *sys = system_of_text(text);
    for (double tol = 0; tol < 1.5e-6; tol += 1e-6) {
      tr_run *run = start_run(sys, "hht-i3", NAN, tol);
      finish(run, ropes[i].when);
      assert_int_equal(tr_run_describe(run).events, ropes[i].events);
      assert_near(at_end(sys, run, "c.y"), ropes[i].y, 1e-5, "%s, %g", ropes[i].when, tol);
      tr_run_free(run);
    }
    tr_system_free(sys);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lifted),
      cmocka_unit_test(test_pressed),
      cmocka_unit_test(test_pressed_from_below),
      cmocka_unit_test(test_over),
      cmocka_unit_test(test_chain),
      cmocka_unit_test(test_there_and_back),
      cmocka_unit_test(test_no_end),
      cmocka_unit_test(test_list),
      cmocka_unit_test(test_exchange),
      cmocka_unit_test(test_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
