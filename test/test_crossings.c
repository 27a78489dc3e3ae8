// SPDX-License-Identifier: Apache-2.0
// Crossings: each counts once, though steps leave constraints open and what an event begins anew from is put
// back on them; and happens when the joints say it does.
#include <math.h>
#include <stdio.h>
#include <string.h>

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
static void happens(const char *event, int count, double first, double every) {
  tr_system *sys = driven(event, 4);
  for (int m = 0; m < tr_method_count(); m++)
    for (int k = 0; k < WAYS; k++) {
      const char *method = tr_method_describe(m).name;
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
  happens("when: DX(p)", 64, 0, PI / 50);
  happens("when: DX(p), direction: rising", 32, 0, PI / 25);
  happens("when: DX(p), direction: falling", 32, 0.5, PI / 25);
}

static void test_velocities(void **state) {
  (void)state;
  happens("when: VX(p)", 64, 0.5, PI / 50);
  happens("when: VX(p), direction: rising", 32, 0.75, PI / 25);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_places),
      cmocka_unit_test(test_velocities),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
