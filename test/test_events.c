// SPDX-License-Identifier: Apache-2.0
// Events: found when they are, acted on once, and the motion after them is what mechanics says.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_events.h"
#include "math/v3.h"

// ---- the bouncing ball --------------------------------------------------------------------------------

// The largest error of the first n impact times.
static double impact_error(const tr_run *run, int n, double h, double e, double g) {
  double t = sqrt(2 * h / g), v = g * t, most = 0;
  assert_true(tr_run_describe(run).events >= n);
  for (int k = 0; k < n; k++) {
    tr_event_record r = tr_run_event(run, k);
    most = fmax(most, fabs(r.t - t));
    v *= e;
    t += 2 * v / g;
  }
  return most;
}

// The figures of docs/events.md. Formulas that are exact for a parabola, and begin so: with any step, or
// at any tolerance, the first eight to round-off, the twentieth when the ball rises by 1e-12 m.
static void test_bouncing_ball(void **state) {
  static const char *const exact[] = {"newmark", "hht-i3", "gen-alpha", "hht-si2", "hht-add",
                                      "pfpc2",   "radau5", "baumgarte", "nstiff",  "nstiff-si2",
                                      "ggl-bdf", "cs",     "cm",        NULL};
  (void)state;
  tr_system *sys = compile_file("models/bouncing_ball.yaml");
  for (int i = 0; exact[i]; i++)
    for (int k = 0; k < 5; k++) {
      const double h[] = {1.0 / 64, 0.0137, 0.3, 0, 0}, tol[] = {0, 0, 0, 1e-4, 1e-9};
      bool begins = i < 10; // so under control too
      if (tol[k] > 0 && !begins) continue;
      tr_run *run = start_run(sys, exact[i], h[k], tol[k]);
      finish(run, exact[i]);
      double off = impact_error(run, 8, 1, 0.5, 9.81), all = impact_error(run, 20, 1, 0.5, 9.81);
      if (!(off < 1e-13 && all < 1e-11))
        fail_msg("%s: impact times off by %g, %g", exact[i], off, all);
      assert_true(tr_run_describe(run).events < 40); // settled, not endless
      tr_event_record last = tr_run_event(run, tr_run_describe(run).events - 1);
      assert_string_equal(last.what, "comes to rest");
      assert_true(fabs(last.t - sqrt(2 / 9.81) * 1.5 / 0.5) < 1e-8);
      assert_true(fabs(at_end(sys, run, "ball.y") - 0.05) < 1e-12);
      assert_near(at_end(sys, run, "ball.vx"), 0.3, k < 4 ? 1e-12 : 1e-11, "%s, %d", exact[i], k);
      tr_run_free(run);
    }
  tr_system_free(sys);
}

// Those that begin with a step of backward Euler when they choose their steps: a hundred times the tolerance, 1e-8
// by 1e-11. Of first order: 2e-4 for a hundred thousand steps.
static void test_bouncing_by_tolerance(void **state) {
  static const char *const bdf[] = {"ggl-bdf", "ggl-bdf:order=5", "cs", "cm", NULL};
  (void)state;
  tr_system *sys = compile_file("models/bouncing_ball.yaml");
  for (int i = 0; bdf[i]; i++)
    for (double tol = 1e-8; tol > 0.5e-13; tol *= 0.1) {
      tr_run *run = start_run(sys, bdf[i], NAN, tol);
      finish(run, bdf[i]);
      double off = impact_error(run, 8, 1, 0.5, 9.81);
      if (!(off < 150 * tol)) fail_msg("%s, tol %g: impact times off by %g", bdf[i], tol, off);
      tr_run_free(run);
    }
  tr_run *run = start_run(sys, "pfpc1", NAN, 1e-9);
  finish(run, "pfpc1");
  assert_near(impact_error(run, 8, 1, 0.5, 9.81), 2e-4, 1e-4, "pfpc1");
  assert_true(tr_run_describe(run).steps < 130000);
  tr_run_free(run);
  tr_system_free(sys);
}

static const char *const ball =
    "trammel: 1\n"
    "gravity: [0, -10]\n"
    "bodies: {ball: {type: planar-point, mass: 1, position: [0, 5]}}\n"
    "simulation: {end: 4, step: 0.01}\n";

static tr_system *ball_with(const char *more) {
  char text[2000];
  snprintf(text, sizeof text, "%s%s", ball, more);
  return system_of_text(text);
}

// Without a joint to rest on the run says so and keeps what it has.
static void test_nothing_carries(void **state) {
  (void)state;
  tr_error error = {0};
  const char *e[] = {"0.5", "0"};
  for (int k = 0; k < 2; k++) {
    char event[200];
    snprintf(event, sizeof event,
             "events: {b: {when: DY(ball), direction: falling, restitution: %s}}\n", e[k]);
    tr_system *sys = ball_with(event);
    tr_run *run = start_run(sys, "hht-i3", NAN, 0);
    assert_int_equal(tr_run_all(run, &error), TR_FAILED);
    assert_non_null(strstr(error.text, "event \"b\" at t = "));
    assert_non_null(strstr(error.text, "died away"));
    double when = k == 0 ? 3 : 1;
    assert_true(fabs(tr_run_state(run)->t - when) < 1e-6);
    tr_run_free(run);
    tr_system_free(sys);
  }
}

// `rest` ends the bouncing sooner: rebounds of 5, 2.5, 1.25, 0.625 m/s, the next blow is below 0.7.
static void test_rest(void **state) {
  (void)state;
  tr_system *sys = ball_with(
      "joints: {floor: {type: expression, phi: DY(ball), active: no}}\n"
      "events: {b: {when: DY(ball), direction: falling, restitution: 0.5, "
      "rest: 0.7 m/s, settle: floor}}\n");
  tr_run *run = start_run(sys, "radau5", NAN, 0);
  finish(run, "rest");
  assert_int_equal(tr_run_describe(run).events, 5);
  assert_true(fabs(at_end(sys, run, "ball.y")) < 1e-14);
  assert_true(fabs(at_end(sys, run, "ball.vy")) < 1e-14);
  tr_run_free(run);
  tr_system_free(sys);
}

// At the floor from the start: with a speed, which is an impact there and then; or at rest, and carried.
static void test_on_the_floor(void **state) {
  (void)state;
  for (int rest = 0; rest < 2; rest++) {
    char text[500];
    snprintf(text, sizeof text,
             "trammel: 1\ngravity: [0, -10]\n"
             "bodies: {b: {type: planar-point, mass: 1, velocity: [1, %s]}}\n"
             "joints: {floor: {type: expression, phi: DY(b), active: no}}\n"
             "events: {hit: {when: DY(b), direction: falling, restitution: 0.5, settle: floor}}\n"
             "simulation: {end: 0.3, step: 0.01}\n",
             rest ? "0" : "-4");
    tr_system *sys = system_of_text(text);
    for (int m = 0; m < tr_method_count(); m++)
      for (int k = 0; k < 2; k++) {
        const char *method = tr_method_describe(m).name;
        tr_run *run = start_run(sys, method, NAN, k ? 1e-6 : 0);
        finish(run, method);
        assert_int_equal(tr_run_describe(run).events, 1);
        tr_event_record e = tr_run_event(run, 0);
        assert_true(e.t == 0);
        assert_string_equal(e.what, rest ? "comes to rest" : "impact");
        if (rest) assert_near(at_end(sys, run, "b.y"), 0, 1e-14, "%s", method);
        assert_near(at_end(sys, run, "b.vy"), rest ? 0 : -1, 1e-9, "%s", method);
        tr_run_free(run);
      }
    tr_system_free(sys);
  }
}

// ---- awkward times ------------------------------------------------------------------------------------

static void test_awkward_times(void **state) {
  (void)state;
  // at the start, two at once, at a sampling time, on the grid of the steps, at the very end
  tr_system *sys = ball_with(
      "parameters: {a: 1, b: 0}\n"
      "forces: {f: {type: force, markers: [ball], force: [a + 10*b, 10]}}\n"
      "events:\n"
      "  start: {when: time, set: {b: 1}}\n"
      "  first: {when: time - 1, set: {a: 3*a + b}}\n"
      "  second: {when: 2*(time - 1), set: {b: a}}\n"
      "  third: {when: 1 - time, direction: rising, message: never}\n"
      "  end: {when: time - 4, message: the end}\n");
  static const char *const names[] = {"start", "first", "second", "end"};
  static const double times[] = {0, 1, 1, 4};
  for (int m = 0; m < tr_method_count(); m++)
    for (int k = 0; k < 2; k++) {
      const char *method = tr_method_describe(m).name;
      tr_run *run = start_run(sys, method, NAN, k ? 1e-4 : 0);
      finish(run, method);
      assert_int_equal(tr_run_describe(run).events, 4);
      for (int i = 0; i < 4; i++) {
        assert_string_equal(tr_run_event(run, i).name, names[i]);
        if (fabs(tr_run_event(run, i).t - times[i]) > 1e-12)
          fail_msg("%s: %s at %.17g", method, names[i], tr_run_event(run, i).t);
      }
      // force 1 + 10 for 1 s, then a = 3*1 + 1 = 4 and b = 4
      double v = at_end(sys, run, "ball.vx");
      if (fabs(v - (11 + 3 * 44)) > 1e-9) fail_msg("%s: v = %.17g", method, v);
      tr_run_free(run);
    }
  tr_system_free(sys);
}

// Thrown up to h = 5 m exactly: touched, not crossed.
static void test_tangent(void **state) {
  (void)state;
  static const char *const wish[] = {"", ", touch: 1 um"};
  for (int k = 0; k < 2; k++) {
    char text[400];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "gravity: [0, -10]\n"
             "bodies: {ball: {type: planar-point, mass: 1, velocity: [0, 10 - 1e-9]}}\n"
             "simulation: {end: 1.9, step: 0.013}\n"
             "events: {top: {when: DY(ball) - 5, message: up%s}}\n",
             wish[k]);
    tr_system *sys = system_of_text(text);
    for (int tol = 0; tol < 2; tol++) {
      tr_run *run = start_run(sys, "gen-alpha", NAN, tol ? 1e-6 : 0);
      finish(run, "tangent");
      assert_int_equal(tr_run_describe(run).events, k);
      if (k) assert_true(fabs(tr_run_event(run, 0).t - 1) < 1e-4);
      tr_run_free(run);
    }
    tr_system_free(sys);
  }
}

// Touched to the last digit, in a step, at its end, and where another event ends it: once where touches
// are asked for, else not at all; and never again and again.
static void test_touch_is_once(void **state) {
  (void)state;
  static const double steps[] = {0.05, 0.3, 0x1p-6, 0.013, NAN};
  static const char *const apex[] = {"", "  apex: {when: VY(ball), message: apex}\n"};
  for (int other = 0; other < 2; other++) {
    char text[500];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "gravity: [0, -10]\n"
             "bodies: {ball: {type: planar-point, mass: 1, velocity: [1, 5]}}\n"
             "simulation: {end: 0.9, step: 0.01}\n"
             "events:\n"
             "  wide: {when: time - 0.3, message: anew}\n"
             "  touches: {when: DY(ball) - 1.25, touch: 1 nm, message: touch}\n"
             "  crosses: {when: DY(ball) - 1.25, message: cross}\n%s",
             apex[other]);
    tr_system *sys = system_of_text(text);
    static const char *const methods[] = {"newmark", "hht-i3",  "gen-alpha",
                                          "hht-si2", "hht-add", "radau5"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
      for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        tr_run *run = start_run(sys, methods[m], steps[i], isnan(steps[i]) ? 1e-6 : 0);
        finish(run, methods[m]);
        long count = tr_run_describe(run).events;
        bool found = false;
        for (long e = 0; e < count; e++) {
          tr_event_record record = tr_run_event(run, e);
          found = found || (!strcmp(record.name, "touches") && fabs(record.t - 0.5) < 1e-7);
        }
        if (count != 2 + other || !found)
          fail_msg("%s, h = %g: %ld events", methods[m], steps[i], count);
        tr_run_free(run);
      }
    tr_system_free(sys);
  }
}

// One that comes up to an instant after another happens with it, and not once more when it is there: in the
// first step, which is shorter than what follows by far.
static void test_within_an_instant(void **state) {
  (void)state;
  static const char *const methods[] = {"hht-i3", "radau5", "ggl-bdf", "pfpc2", "nstiff-si2", NULL};
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "bodies: {p: {type: planar-point, mass: 1, position: [-1e-9, 0], velocity: [1, 0]}}\n"
      "simulation: {end: 1, step: 0.1}\n"
      "events:\n"
      "  one: {when: DX(p), message: one}\n"
      "  two: {when: DX(p) - 0.9e-12, message: two}\n");
  for (int i = 0; methods[i]; i++)
    for (int k = 0; k < 2; k++) {
      tr_run *run = start_run(sys, methods[i], NAN, k ? 1e-6 : 0);
      finish(run, methods[i]);
      if (tr_run_describe(run).events != 2)
        fail_msg("%s: %ld events", methods[i], tr_run_describe(run).events);
      assert_true(tr_run_event(run, 0).t == tr_run_event(run, 1).t);
      tr_run_free(run);
    }
  tr_system_free(sys);
}

// Soon after another, but not in its instant: it happens, at its own time, however small its expression is against what
// it was. A latch and a timer of 20 ns behind it after 100 s; two timers; impacts that a timer all but coincides with.
static void test_soon_after(void **state) {
  (void)state;
  static const char *const methods[] = {"hht-i3", "ggl-bdf", "radau5", "pfpc2", "nstiff", NULL};
  static const double away[] = {4e-12, 1e-11, 1e-9, 1e-7};
  for (int i = 0; methods[i]; i++)
    for (int k = 0; k < 8; k++) {
      char text[800];
      double d = (k < 4 ? 100 : 1) * away[k % 4], at = k < 4 ? 100 : 1;
      snprintf(text, sizeof text,
               "trammel: 1\n"
               "parameters: {F: 0}\n"
               "bodies:\n"
               "  a: {type: planar, mass: 1, inertia: 1, velocity: [1, 0]}\n"
               "  b: {type: planar, mass: 1, inertia: 1, position: [0, 2]}\n"
               "joints:\n"
               "  ra: {type: prismatic, markers: [ground, a]}\n"
               "  rb: {type: prismatic, markers: [{at: [0, 2]}, b]}\n"
               "  latch: {type: expression, phi: DX(a), active: no}\n"
               "forces: {motor: {type: force, markers: [b], force: [F, 0]}}\n"
               "events:\n"
               "  stop: {when: DX(a) - %g, direction: rising, lock: latch}\n"
               "  go: {when: time - %.17g, direction: rising, set: {F: 1}}\n"
               "simulation: {end: %g, step: 1/64}\n",
               at, at + d, at + 1);
      tr_system *sys = system_of_text(text);
      tr_run *run = start_run(sys, methods[i], NAN, i % 2 ? 1e-6 : 0);
      finish(run, methods[i]);
      if (tr_run_describe(run).events != 2)
        fail_msg("%s, %g: %ld events", methods[i], d, tr_run_describe(run).events);
      double gap = tr_run_event(run, 1).t - tr_run_event(run, 0).t;
      assert_near(gap, d, 1e-12 * at, "%s, %g", methods[i], d);
      assert_near(at_end(sys, run, "b.vx"), 1 - d, 1e-9, "%s, %g", methods[i], d);
      tr_run_free(run);
      tr_system_free(sys);
    }
}

// A ball that bounces is never below the floor: what rises there does not happen. Nor is the end told twice when
// a bounce just before turns out to be in its instant.
static void test_bounced_is_not_crossed(void **state) {
  (void)state;
  static const char *const methods[] = {"hht-i3", "ggl-bdf", "radau5", "pfpc2", "nstiff", NULL};
  tr_system *sys = ball_with(
      "parameters: {n: 0}\n"
      "states: {count: {rate: n}}\n"
      "events:\n"
      "  bounce: {when: DY(ball), direction: falling, restitution: 1}\n"
      "  up: {when: DY(ball), direction: rising, message: from below}\n"
      "  more: {when: DY(ball), direction: rising, set: {n: n + 1}}\n"
      "  third: {when: time - 3, message: now}\n");
  for (int i = 0; methods[i]; i++)
    for (int k = 0; k < 2; k++) {
      int bounces = 0, thirds = 0;
      tr_run *run = start_run(sys, methods[i], NAN, k ? 1e-9 : 0);
      finish(run, methods[i]);
      for (int e = 0; e < tr_run_describe(run).events; e++) {
        bounces += strcmp(tr_run_event(run, e).name, "bounce") == 0;
        thirds += strcmp(tr_run_event(run, e).name, "third") == 0;
      }
      if (bounces != 2 || thirds != 1 || tr_run_describe(run).events != 3)
        fail_msg("%s: %d bounces, %d thirds of %ld", methods[i], bounces, thirds,
                 tr_run_describe(run).events);
      tr_run_free(run);
    }
  tr_system_free(sys);
}

// Over and back within one step, both directions and one.
static void test_two_crossings_in_a_step(void **state) {
  (void)state;
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "gravity: [0, -10]\n"
      "bodies: {ball: {type: planar-point, mass: 1, velocity: [0, 10]}}\n"
      "simulation: {end: 1.8, step: 0.9}\n"
      "events:\n"
      "  up: {when: DY(ball) - 4.99, direction: rising, message: up}\n"
      "  down: {when: DY(ball) - 4.99, direction: falling, message: down}\n"
      "  any: {when: DY(ball) - 4.99, message: any}\n");
  tr_run *run = start_run(sys, "gen-alpha", NAN, 0);
  finish(run, "two crossings");
  static const char *const names[] = {"up", "any", "down", "any"};
  assert_int_equal(tr_run_describe(run).events, 4);
  double off = sqrt(0.002);
  for (int i = 0; i < 4; i++) {
    assert_string_equal(tr_run_event(run, i).name, names[i]);
    assert_true(fabs(tr_run_event(run, i).t - (i < 2 ? 1 - off : 1 + off)) < 1e-12);
  }
  tr_run_free(run);
  tr_system_free(sys);
}

// An event that puts itself off by next to nothing, for ever.
static void test_chatter(void **state) {
  (void)state;
  tr_error error = {0};
  tr_system *sys = ball_with(
      "parameters: {T: 1}\n"
      "events: {again: {when: time - T, set: {T: T + 1e-8}}}\n");
  tr_run *run = start_run(sys, "hht-i3", NAN, 0);
  assert_int_equal(tr_run_all(run, &error), TR_FAILED);
  assert_non_null(strstr(error.text, "event \"again\": events chatter at t = 1.00000"));
  assert_true(tr_run_describe(run).events < 200);
  tr_run_free(run);
  tr_system_free(sys);
}

// ---- stop, samples, rows ------------------------------------------------------------------------------

typedef struct watcher {
  tr_observer observer;
  int rows, at_events;
  double t[4000], v[4000];
} watcher;

static tr_status watch(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  watcher *w = (watcher *)self;
  w->t[w->rows] = x->t, w->v[w->rows++] = x->v[1];
  w->at_events += info->at_event;
  return TR_OK;
}

static void test_rows(void **state) {
  (void)state;
  tr_system *sys = ball_with(
      "events:\n"
      "  b: {when: DY(ball), direction: falling, restitution: 1}\n"
      "  high: {when: DY(ball) - 4, direction: rising, once: yes, stop: yes}\n");
  static watcher w[2], alone;
  memset(w, 0, sizeof w), memset(&alone, 0, sizeof alone);
  w[0].observer.step = w[1].observer.step = alone.observer.step = watch;
  w[1].observer.spacing = 0.25; // 1 s, the impact, is among them
  tr_run *run = start_run(sys, "hht-i3", 0.03, 0), *other = start_run(sys, "hht-i3", 0.03, 0);
  for (int k = 0; k < 2; k++) assert_int_equal(tr_run_observe(run, &w[k].observer), TR_OK);
  assert_int_equal(tr_run_observe(other, &alone.observer), TR_OK);
  tr_error error = {0};
  assert_int_equal(tr_run_all(run, &error), TR_STOPPED);
  assert_int_equal(tr_run_all(other, &error), TR_STOPPED);
  assert_string_equal(tr_run_describe(run).stopped_by, "high");
  double stop = 1 + (10 - sqrt(20)) / 10;
  assert_true(fabs(tr_run_state(run)->t - stop) < 1e-12);
  // samples change nothing
  assert_int_equal(w[0].rows, alone.rows);
  assert_memory_equal(w[0].t, alone.t, sizeof alone.t);
  assert_memory_equal(w[0].v, alone.v, sizeof alone.v);
  // before and after, at one time; 0, .25, .5, .75, 1-, 1+, 1.25, 1.5, stop-, stop+
  for (int k = 0; k < 2; k++) assert_int_equal(w[k].at_events, 4);
  assert_int_equal(w[1].rows, 10);
  assert_true(w[1].t[4] == w[1].t[5] && fabs(w[1].v[4] + 10) < 1e-9);
  assert_true(fabs(w[1].v[5] - 10) < 1e-9);
  // told to, it goes on
  assert_int_equal(tr_run_to(run, 2, &error), TR_OK);
  assert_true(fabs(tr_run_state(run)->q[1] - 5) < 1e-9);
  tr_run_free(run), tr_run_free(other);
  tr_system_free(sys);
}

// ---- impacts on mechanisms ----------------------------------------------------------------------------

// Five equal balls in a row on a line, touching: the blow passes through, one flies off.
static void test_cradle(void **state) {
  (void)state;
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "bodies: {b0: {type: planar-point, mass: 1, position: [-2, 0], velocity: [2, 0]}}\n"
      "repeat:\n"
      "  - for: i\n"
      "    from: 1\n"
      "    to: 4\n"
      "    bodies: {\"b{i}\": {type: planar-point, mass: 1, position: [i, 0]}}\n"
      "    events: {\"c{i}\": {when: \"DX(b{i}, b{i-1}) - 1\", direction: falling, restitution: "
      "1}}\n"
      "simulation: {end: 3, step: 0.1}\n");
  tr_run *run = start_run(sys, "hht-i3", NAN, 0);
  finish(run, "cradle");
  for (int i = 0; i < 5; i++) {
    char name[16];
    snprintf(name, sizeof name, "b%d.vx", i);
    assert_true(fabs(at_end(sys, run, name) - (i == 4 ? 2 : 0)) < 1e-12);
  }
  tr_run_free(run);
  tr_system_free(sys);
}

// A compound pendulum against a wall, planar and in space: its rate turns round, the hinge takes what it
// must, and energy goes with e^2.
static void test_wall(void **state) {
  (void)state;
  static const char *const texts[] = {
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "bodies: {rod: {type: planar, mass: 3, inertia: 0.4, com: [0.6, 0], angle: 10 deg}}\n"
      "joints: {pin: {type: revolute, markers: [ground, rod]}}\n"
      "events: {w: {when: AZ(rod) + 60 deg, direction: falling, restitution: 0.7, once: yes}}\n"
      "simulation: {end: 1, step: 0.002}\n",
      "trammel: 1\n"
      "gravity: [0, -9.81, 0]\n"
      "bodies: {rod: {type: spatial, mass: 3, inertia: [0.1, 0.5, 0.4], com: [0.6, 0, 0], "
      "orientation: {z: 10 deg}}}\n"
      "markers: {tip: {body: rod, at: [1.1, 0, 0]}}\n"
      "joints: {pin: {type: revolute, markers: [ground, rod]}}\n"
      "events: {w: {when: \"DX(tip) - 0.55*sqrt(1)\", direction: falling, restitution: 0.7, once: "
      "yes}}\n"
      "simulation: {end: 1, step: 0.002}\n"};
  for (int k = 0; k < 2; k++) {
    tr_system *sys = system_of_text(texts[k]);
    static watcher w;
    memset(&w, 0, sizeof w);
    tr_run *run = start_run(sys, "gen-alpha:index=2,rho=0.9", NAN, 0);
    finish(run, "wall");
    tr_event_record r = tr_run_event(run, 0);
    assert_int_equal(tr_run_describe(run).events, 1);
    assert_true(fabs(r.after + 0.7 * r.before) < 1e-9 * fabs(r.before));
    // energy: m g l (sin 10 + sin 60) = J w^2/2, J about the pin
    double J = 0.4 + 3 * 0.36, fall = 3 * 9.81 * 0.6 * (sin(TR_PI / 18) + sin(TR_PI / 3));
    double omega = sqrt(2 * fall / J);
    double rate = k == 0 ? omega : 1.1 * sin(TR_PI / 3) * omega;
    if (fabs(fabs(r.before) - rate) > 1e-4) fail_msg("rate %g, not %g", r.before, rate);
    double lost = tr_run_describe(run).max_energy_change;
    assert_true(fabs(lost - (1 - 0.49) * fall) < 1e-3);
    assert_true(tr_run_describe(run).max_phi_v < 1e-9);
    tr_run_free(run);
    tr_system_free(sys);
  }
}

// The top of a throw just touches the ceiling: no impact, and down it comes.
static void test_brush(void **state) {
  (void)state;
  tr_system *sys = system_of_text(
      "trammel: 1\ngravity: [0, -10]\n"
      "bodies: {g: {type: planar-point, mass: 1, position: [0, 0.2], velocity: [1, 2]}}\n"
      "events: {ceiling: {when: DY(g) - 0.4, direction: rising, restitution: 1, touch: 1e-6}}\n"
      "simulation: {end: 0.5, step: 0.003}\n");
  for (int k = 0; k < 4; k++) {
    static const char *const methods[] = {"hht-i3", "radau5"};
    tr_run *run = start_run(sys, methods[k / 2], NAN, k % 2 ? 1e-8 : 0);
    finish(run, methods[k / 2]);
    assert_near(at_end(sys, run, "g.y"), 0.2 + 2 * 0.5 - 5 * 0.25, 1e-4, "%s", methods[k / 2]);
    tr_run_free(run);
  }
  tr_system_free(sys);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bouncing_ball),
      cmocka_unit_test(test_bouncing_by_tolerance),
      cmocka_unit_test(test_nothing_carries),
      cmocka_unit_test(test_rest),
      cmocka_unit_test(test_on_the_floor),
      cmocka_unit_test(test_awkward_times),
      cmocka_unit_test(test_tangent),
      cmocka_unit_test(test_touch_is_once),
      cmocka_unit_test(test_within_an_instant),
      cmocka_unit_test(test_soon_after),
      cmocka_unit_test(test_bounced_is_not_crossed),
      cmocka_unit_test(test_two_crossings_in_a_step),
      cmocka_unit_test(test_chatter),
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_cradle),
      cmocka_unit_test(test_wall),
      cmocka_unit_test(test_brush),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
