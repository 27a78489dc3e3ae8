// SPDX-License-Identifier: Apache-2.0
// Crossings: each counts once, though steps leave constraints open and what an event begins anew from is put
// back on them; and happens when the joints say it does.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_events.h"

static const double PI = 3.14159265358979323846;

typedef struct way {
  double h, tol;
} way;
static const way ways[] = {{1e-2, 0}, {1e-3, 0}, {NAN, 1e-3}, {NAN, 1e-5}, {NAN, 1e-7}};
enum { WAYS = sizeof ways / sizeof *ways };

// A point that a motion moves as 0.01 sin(50 t).
static tr_system *driven(const char *event, double end) {
  char text[800];
  snprintf(text, sizeof text,
           "trammel: 1\n"
           "parameters: {n: 0}\n"
           "bodies:\n"
           "  p: {type: planar-point, mass: 1}\n"
           "  w: {type: planar-point, mass: 1, position: [0, 1]}\n"
           "joints:\n"
           "  m: {type: motion, markers: [ground, p], along: x, position: \"0.01*sin(50*time)\"}\n"
           "forces: {f: {type: force, markers: [w], force: [sin(pi*n/2)^2, 0]}}\n"
           "variables: {c: {value: n}}\n"
           "events: {z: {%s, set: {n: n + 1}}}\n"
           "simulation: {end: %g}\n",
           event, end);
  return system_of_text(text);
}

// A method that lets the constraints drift may have its steps end between the crossing there and on them, where it happens:
// then it is a step late, or as late as the tolerance says.
static double late(const char *method, const way *w) {
  bool drifts = strncmp(method, "pfpc", 4) == 0 || strcmp(method, "baumgarte") == 0 ||
                strcmp(method, "newmark") == 0;
  if (w->tol == 0) return drifts ? w->h : 1e-12;
  return w->tol < 1e-4 && !drifts ? 1e-12 : fmin(20 * w->tol, 1e-2);
}

// How often it happens, by every method, by fixed steps and at tolerances, and the n-th at (n + first) every.
static void happens(int turn, const char *event, int count, double first, double every) {
  tr_system *sys = driven(event, 4);
  for (int m = 0; m < tr_method_count(); m++)
    for (int k = 0; k < WAYS; k++) {
      const char *method = tr_method_describe(m).name;
      if (!in_turn(m + turn, k, 7)) continue;
      if (strcmp(method, "pfpc1") == 0 && ways[k].tol > 0 && ways[k].tol < 1e-4) continue; // slow
      tr_run *run = start_run(sys, method, ways[k].h, ways[k].tol);
      finish(run, method);
      tr_run_info info = tr_run_describe(run);
      if (info.events != count || fabs(at_end(sys, run, "c") - count) > 1e-6)
        fail_msg("%s, step %g, tol %g: %ld of \"%s\", not %d", method, ways[k].h, ways[k].tol,
                 (long)info.events, event, count);
      double most = 0;
      for (int i = 0; i < count; i++)
        most = fmax(most, fabs(tr_run_event(run, i).t - (i + first) * every));
      if (most > late(method, &ways[k]))
        fail_msg("%s, step %g, tol %g: \"%s\" off by %g", method, ways[k].h, ways[k].tol, event,
                 most);
      tr_run_free(run);
    }
  tr_system_free(sys);
}

static void test_places(void **state) {
  (void)state;
  happens(0, "when: DX(p)", 64, 0, PI / 50);
  happens(1, "when: DX(p), direction: rising", 32, 0, PI / 25);
  happens(2, "when: DX(p), direction: falling", 32, 0.5, PI / 25);
}

static void test_velocities(void **state) {
  (void)state;
  happens(3, "when: VX(p)", 64, 0.5, PI / 50);
  happens(4, "when: VX(p), direction: rising", 32, 0.75, PI / 25);
}

// By every method: how often events a, b and c happen.
static void count(const char *about, const char *text, int a, int b, int c) {
  tr_system *sys = system_of_text(text);
  for (int m = 0; m < tr_method_count(); m++)
    for (int k = 0; k < WAYS; k++) {
      const char *method = tr_method_describe(m).name;
      if ((strcmp(method, "pfpc1") == 0 && ways[k].tol > 0) || !in_turn(m, k, 3)) continue;
      tr_run *run = start_run(sys, method, ways[k].h, ways[k].tol);
      finish(run, method);
      int n[3] = {0};
      for (long i = 0; i < tr_run_describe(run).events; i++)
        n[tr_run_event(run, i).name[0] - 'a']++;
      if (n[0] != a || n[1] != b || n[2] != c)
        fail_msg("%s: %s, step %g, tol %g: %d, %d, %d of %d, %d, %d", about, method, ways[k].h,
                 ways[k].tol, n[0], n[1], n[2], a, b, c);
      tr_run_free(run);
    }
  tr_system_free(sys);
}

// What an event does moves its own expression away from zero, to the side that it comes from; at the start and the end;
// two thresholds that know of each other.
static void test_own_doing(void **state) {
  (void)state;
#define CART(law)                                                        \
  "trammel: 1\n"                                                         \
  "gravity: [0, -9.81]\n"                                                \
  "parameters: {n: 0, lim: 1}\n"                                         \
  "bodies:\n"                                                            \
  "  p: {type: planar-point, mass: 1}\n"                                 \
  "  q: {type: planar, mass: 1, inertia: 0.1, position: [0, -1]}\n"      \
  "joints:\n"                                                            \
  "  m: {type: motion, markers: [ground, p], along: x, position: \"" law \
  "\"}\n"                                                                \
  "  pin: {type: revolute, markers: [p, {body: q, at: [0, 1]}]}\n"       \
  "simulation: {end: 2 s}\n"                                             \
  "events:\n"
  count("stairs",
        CART("0.01*time") "  a: {when: DX(p) - 0.001*lim, set: {lim: lim + 1}}\n"
                          "  b: {when: DX(p), set: {n: n + 1}}\n"
                          "  c: {when: DX(p) - 0.02, set: {n: n + 1}}\n",
        20, 1, 1);
  count("thresholds",
        CART("0.01*sin(20*time)") "  a: {when: DX(p) - 0.005*lim, direction: rising, set: {lim: 3}}\n"
                                  "  b: {when: DX(p) + 0.005, direction: falling, set: {lim: 1}}\n"
                                  "  c: {when: time - 1, set: {n: 1}}\n",
        7, 6, 1);
}

// Two with the same place, by other expressions, and one that tells: each counts once.
static void test_at_once(void **state) {
  (void)state;
  count("loop",
        "trammel: 1\n"
        "parameters: {n: 0, k: 0}\n"
        "bodies:\n"
        "  p: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
        "  q: {type: planar, mass: 1, inertia: 0.1, position: [1.5, 0]}\n"
        "joints:\n"
        "  A: {type: revolute, bodies: [ground, p], at: [0, 0]}\n"
        "  D: {type: motion, joint: A, position: \"0.7*sin(10*time)\"}\n"
        "  B: {type: revolute, bodies: [p, q], at: [1, 0]}\n"
        "  C: {type: point-on-line, markers: [ground, {body: q, at: [0.8, 0]}]}\n"
        "simulation: {end: 2 s}\n"
        "events:\n"
        "  a: {when: DY(p), set: {n: n + 1}}\n"
        "  b: {when: sin(AZ(p)), set: {k: k + 1}}\n"
        "  c: {when: DY(p), message: passes}\n",
        7, 7, 7);
}

// A place that touches zero where another crosses it: the touch counts once, whichever is found first, and wherever
// the crossing is on the constraints.
static void test_touch(void **state) {
  (void)state;
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "parameters: {n: 0}\n"
      "bodies: {p: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0], omega: 10}}\n"
      "joints:\n"
      "  A: {type: revolute, bodies: [ground, p], at: [0, 0]}\n"
      "  D: {type: motion, joint: A, position: 10*time}\n"
      "simulation: {end: 5 s}\n"
      "events:\n"
      "  up: {when: DY(p), direction: rising, set: {n: n + 1}}\n"
      "  down: {when: DY(p), direction: falling, set: {n: n + 1}}\n"
      "  far: {when: DX(p) - 0.5, touch: 1e-4, set: {n: n + 1}}\n");
  for (int m = 0; m < tr_method_count(); m++)
    for (int k = 0; k < WAYS; k++) {
      const char *method = tr_method_describe(m).name;
      if (!in_turn(m, k, WAYS)) continue;
      if (strcmp(method, "pfpc1") == 0) continue; // of first order: rates that do not fit places
      tr_run *run = start_run(sys, method, ways[k].h, ways[k].tol);
      finish(run, method);
      int n[3] = {0};
      for (long i = 0; i < tr_run_describe(run).events; i++) {
        const char *name = tr_run_event(run, i).name;
        n[name[0] == 'u' ? 0 : name[0] == 'd' ? 1 : 2]++;
      }
      if (n[0] != 8 || n[1] != 8 || n[2] != 7)
        fail_msg("%s, step %g, tol %g: %d up, %d down, %d touches, not 8, 8, 7", method, ways[k].h,
                 ways[k].tol, n[0], n[1], n[2]);
      tr_run_free(run);
    }
  tr_system_free(sys);
}

// What comes once a turn of a body that nothing else resolves: a place off its centre, one along its axes, its angle in
// space; passed, or for 4e-4 rad only. Under control any tolerance counts all of them.
static void test_turns(void **state) {
  (void)state;
  static const struct {
    const char *body, *axis, *event;
    double first; // of a turn
  } row[] = {
      {"planar, mass: 1, inertia: 0.1", "", "DX(tip) - 0.9999999", 1},
      {"planar, mass: 1, inertia: 0.1", "", "DY(tip) - 0.5", 1.0 / 12},
      {"planar, mass: 1, inertia: 0.1", "", "DX(far, ground, c) + 1.5", 1.0 / 6},
      {"planar, mass: 1, inertia: 0.1", "", "sin(AZ(c)) - 0.5", 1.0 / 12},
      {"planar, mass: 1, inertia: 0.1", "", "VX(tip) + 10*sqrt(0.75)", 1.0 / 3},
      {"spatial, mass: 1, inertia: [0.1, 0.1, 0.1]", ", axis: [0, 0, 1]", "DX(tip) - 0.9999999", 1},
      {"spatial, mass: 1, inertia: [0.1, 0.1, 0.1]", ", axis: [0, 0, 1]", "sin(AZ(c) - 1)",
       0.15915494309189535},
  };
  static const double tol[] = {1e-3, 1e-5, 1e-7};
  enum { TURNS = 20 };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    char text[900];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "parameters: {n: 0}\n"
             "bodies: {c: {type: %s}}\n"
             "markers: {tip: {body: c, at: [1, 0]}, far: {at: [-3, 0]}}\n"
             "joints:\n"
             "  a: {type: revolute, bodies: [ground, c], at: [0, 0]%s}\n"
             "  d: {type: motion, joint: a, velocity: 10}\n"
             "variables: {k: {value: n}}\n"
             "events: {e: {when: \"%s\", direction: rising, set: {n: n + 1}}}\n"
             "simulation: {end: %.17g, step: 0.01}\n",
             row[i].body, row[i].axis, row[i].event, 2 * PI / 10 * (TURNS + 0.05));
    tr_system *sys = system_of_text(text);
    for (int m = 0; m < tr_method_count(); m++)
      for (int k = 0; k < 3; k++) {
        const char *method = tr_method_describe(m).name;
        if (!in_turn(m + (int)i, k, 6)) continue;
        if (strcmp(method, "pfpc1") == 0 && tol[k] < 1e-4) continue; // slow
        tr_run *run = start_run(sys, method, NAN, tol[k]);
        finish(run, method);
        long n = tr_run_describe(run).events;
        if (n != TURNS) fail_msg("%s, tol %g: %ld of \"%s\"", method, tol[k], n, row[i].event);
        for (int e = 0; e < TURNS; e++)
          assert_near(tr_run_event(run, e).t * 10 / (2 * PI), e + row[i].first, 1e-2 + 20 * tol[k],
                      "%s, tol %g, \"%s\"", method, tol[k], row[i].event);
        tr_run_free(run);
      }
    tr_system_free(sys);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_places),    cmocka_unit_test(test_velocities),
      cmocka_unit_test(test_own_doing), cmocka_unit_test(test_at_once),
      cmocka_unit_test(test_touch),     cmocka_unit_test(test_turns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
