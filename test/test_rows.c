// SPDX-License-Identifier: Apache-2.0
// Rows that repeat each other: those that stand for all are chosen anew where they go bad.
//
// A plate on four parallel cranks of length 1/2 under a torque, in space: 40 rows of rank 29, and 28 where the cranks lie
// flat. With th from the upright
//   1.415 th'' = 3 g sin th + 20 sin 3t,   x = sin th/2, z = cos th/2
// which owes nothing to the engine. Where it begins the x of a crank's end tells its angle; where it lies flat z does.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_machine.h"
#include "helper_motion.h"

static const char head[] =
    "trammel: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  p: {type: spatial, mass: 5, inertia: [0.4, 0.4, 0.8], position: [0, 0, 0.5]}\n";

// The first `cranks` of c1 .. c4 at the corners of a square.
static mechanism plate(int cranks) {
  static const double x[] = {0.5, -0.5, -0.5, 0.5}, y[] = {0.5, 0.5, -0.5, -0.5};
  char text[4000];
  size_t room = sizeof text, n = (size_t)snprintf(text, room, "%s", head);
  for (int i = 0; i < cranks; i++)
    n += (size_t)snprintf(text + n, room - n,
                          "  c%d: {type: spatial, mass: 0.5, inertia: [0.01, 0.01, 0.001], "
                          "position: [%g, %g, 0.25]}\n",
                          i + 1, x[i], y[i]);
  n += (size_t)snprintf(text + n, room - n, "joints:\n");
  for (int i = 0; i < 2 * cranks; i++)
    n += (size_t)snprintf(
        text + n, room - n,
        "  %c%d: {type: revolute, bodies: [%s, c%d], at: [%g, %g, %g], axis: [0, 1, 0]}\n",
        i < cranks ? 'a' : 'b', i % cranks + 1, i < cranks ? "ground" : "p", i % cranks + 1,
        x[i % cranks], y[i % cranks], i < cranks ? 0. : 0.5);
  snprintf(text + n, room - n,
           "forces:\n  t: {type: torque, markers: [c1], torque: [0, \"20*sin(3*time)\", 0]}\n"
           "simulation: {end: 3 s, step: 1 ms}\n"
           "output: [p.x, p.z, c2.x, c2.z]\n");
  return load_text(text);
}

static void slope_of_four(double t, const double *y, double *dy) {
  dy[0] = y[1], dy[1] = (29.43 * sin(y[0]) + 20 * sin(3 * t)) / 1.415;
}

static void slope_of_two(double t, const double *y, double *dy) {
  dy[0] = y[1], dy[1] = (26.9775 * sin(y[0]) + 20 * sin(3 * t)) / 1.3325;
}

typedef struct attempt {
  const char *method;
  double step, tol; // tol 0: fixed steps
  long steps;       // at most
  double off;       // |x| and |z| at the end, at most
} attempt;

typedef struct counter {
  tr_observer o;
  long most;
} counter;

static tr_status count(tr_observer *o, const tr_state *x, const tr_run_info *info) {
  (void)x;
  return info->steps + info->rejected > ((counter *)o)->most ? TR_STOPPED : TR_OK;
}

// Five passes of the flat position.
static void passes(int cranks, double end, const attempt *a, const double *th) {
  machine k = {.m = plate(cranks)};
  tr_run_settings s = tr_run_defaults();
  tr_error error = {0};
  s.method = a->method, s.control.tol = a->tol, s.end = end;
  if (a->step > 0) s.step = a->step;
  if (tr_run_new(k.m.sys, &s, NULL, &k.run, &error) != TR_OK) fail_msg("%s", error.text);
  counter c = {{.step = count, .motion_only = true}, a->steps};
  tr_run_observe(k.run, &c.o);
  tr_status status = tr_run_all(k.run, &error);
  if (status < 0) fail_msg("%s, %g: %s", a->method, a->tol, error.text);
  tr_run_info info = tr_run_describe(k.run);
  if (info.t < end - 1e-9)
    fail_msg("%s, %g: only at %g s after %ld steps", a->method, a->tol, info.t, a->steps);
  double x = sin(th[0]) / 2, z = cos(th[0]) / 2;
  assert_near(read_output(&k, "p.x"), x, a->off, "%s, %g: x", a->method, a->tol);
  assert_near(read_output(&k, "p.z"), z, a->off, "%s, %g: z", a->method, a->tol);
  assert_near(read_output(&k, "c2.x"), -0.5 + x / 2, a->off, "%s, %g: x", a->method, a->tol);
  assert_near(read_output(&k, "c2.z"), z / 2, a->off, "%s, %g: z", a->method, a->tol);
  assert_true(info.max_phi < fmax(2e-9, a->tol)); // hht-add 1e-9, others 3e-12
  stop(&k);
}

static void run_all(int cranks, double end, size_t n, const attempt *all) {
  double th[2] = {0, 0};
  integrate(cranks == 4 ? slope_of_four : slope_of_two, 2, 0, end, 30000, th);
  for (size_t i = 0; i < n; i++) passes(cranks, end, &all[i], th);
}

static void within_tolerances(void **unused) {
  (void)unused;
  static const attempt all[] = {// twice what they are off, and a quarter more steps than they take
                                {"radau5", 0, 1e-6, 150, 1.1e-6},
                                {"radau5", 0, 1e-9, 800, 1.5e-10},
                                {"radau5", 0, 1e-10, 1400, 1e-11},
                                {"ggl-bdf", 0, 1e-9, 10000, 2.4e-5},
                                {"ggl-bdf", 0, 1e-10, 22000, 7e-6},
                                {"ggl-bdf:order=5", 0, 1e-10, 820, 3e-6},
                                {"gen-alpha:index=2", 0, 1e-9, 7500, 2.2e-5},
                                {"hht-si2", 0, 1e-8, 3700, 1.4e-4},
                                {"hht-add", 0, 1e-10, 26000, 2e-5}};
  run_all(4, 1.5, sizeof all / sizeof *all, all);
}

static void by_fixed_steps(void **unused) {
  (void)unused;
  static const attempt all[] = {
      {"radau5", 4e-3, 0, 500, 6e-9},     {"hht-i3", 1e-3, 0, 2000, 7e-4},
      {"hht-si2", 1e-3, 0, 2000, 5.2e-4}, {"gen-alpha:index=2", 1e-3, 0, 2000, 3.5e-4},
      {"ggl-bdf", 1e-3, 0, 2000, 1.3e-3}, {"hht-add", 1e-3, 0, 2000, 8e-3}};
  run_all(4, 1.5, sizeof all / sizeof *all, all);
}

// Nothing to choose: 20 rows of rank 17 with two cranks. Round-off alone decides where they lie flat, and its size must
// not be taken for nothing.
static void without_a_choice(void **unused) {
  (void)unused;
  static const attempt all[] = {{"ggl-bdf", 0, 1e-10, 39000, 5e-6}};
  run_all(2, 3, sizeof all / sizeof *all, all);
}

// A tolerance beyond reach is told so.
static void beyond_round_off(void **unused) {
  (void)unused;
  machine k = {.m = plate(4)};
  tr_run_settings s = tr_run_defaults();
  tr_error error = {0};
  s.method = "radau5", s.control.tol = 3e-14;
  if (tr_run_new(k.m.sys, &s, NULL, &k.run, &error) != TR_OK) fail_msg("%s", error.text);
  assert_int_equal(tr_run_all(k.run, &error), TR_FAILED);
  if (!strstr(error.text, "next to a singular position round-off moves positions"))
    fail_msg("%s", error.text);
  stop(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(within_tolerances),
      cmocka_unit_test(by_fixed_steps),
      cmocka_unit_test(without_a_choice),
      cmocka_unit_test(beyond_round_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
