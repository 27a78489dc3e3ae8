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

static const char plate[] =
    "trammel: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  p: {type: spatial, mass: 5, inertia: [0.4, 0.4, 0.8], position: [0, 0, 0.5]}\n"
    "  c1: {type: spatial, mass: 0.5, inertia: [0.01, 0.01, 0.001], position: [0.5, 0.5, 0.25]}\n"
    "  c2: {type: spatial, mass: 0.5, inertia: [0.01, 0.01, 0.001], position: [-0.5, 0.5, 0.25]}\n"
    "  c3: {type: spatial, mass: 0.5, inertia: [0.01, 0.01, 0.001], position: [-0.5, -0.5, "
    "0.25]}\n"
    "  c4: {type: spatial, mass: 0.5, inertia: [0.01, 0.01, 0.001], position: [0.5, -0.5, 0.25]}\n"
    "joints:\n"
    "  a1: {type: revolute, bodies: [ground, c1], at: [0.5, 0.5, 0], axis: [0, 1, 0]}\n"
    "  a2: {type: revolute, bodies: [ground, c2], at: [-0.5, 0.5, 0], axis: [0, 1, 0]}\n"
    "  a3: {type: revolute, bodies: [ground, c3], at: [-0.5, -0.5, 0], axis: [0, 1, 0]}\n"
    "  a4: {type: revolute, bodies: [ground, c4], at: [0.5, -0.5, 0], axis: [0, 1, 0]}\n"
    "  b1: {type: revolute, bodies: [p, c1], at: [0.5, 0.5, 0.5], axis: [0, 1, 0]}\n"
    "  b2: {type: revolute, bodies: [p, c2], at: [-0.5, 0.5, 0.5], axis: [0, 1, 0]}\n"
    "  b3: {type: revolute, bodies: [p, c3], at: [-0.5, -0.5, 0.5], axis: [0, 1, 0]}\n"
    "  b4: {type: revolute, bodies: [p, c4], at: [0.5, -0.5, 0.5], axis: [0, 1, 0]}\n"
    "forces:\n"
    "  t: {type: torque, markers: [c1], torque: [0, \"20*sin(3*time)\", 0]}\n"
    "simulation: {end: 1.5 s, step: 1 ms}\n"
    "output: [p.x, p.z, c3.x, c3.z]\n";

static void slope_of_plate(double t, const double *y, double *dy) {
  dy[0] = y[1], dy[1] = (29.43 * sin(y[0]) + 20 * sin(3 * t)) / 1.415;
}

typedef struct attempt {
  const char *method;
  double step, tol; // tol 0: fixed steps
  long steps;       // at most
  double off;       // |x| and |z| at 1.5 s, at most
} attempt;

// Five passes of the flat position.
static void passes(const attempt *a, const double *th) {
  machine k = {.m = load_text(plate)};
  tr_run_settings s = tr_run_defaults();
  tr_error error = {0};
  s.method = a->method, s.control.tol = a->tol;
  if (a->step > 0) s.step = a->step;
  if (tr_run_new(k.m.sys, &s, NULL, &k.run, &error) != TR_OK) fail_msg("%s", error.text);
  tr_run_info info = tr_run_describe(k.run);
  while (info.t < 1.5 - 1e-9 && info.steps + info.rejected < a->steps) {
    if (tr_run_step(k.run, &error) != TR_OK) fail_msg("%s, %g: %s", a->method, a->tol, error.text);
    info = tr_run_describe(k.run);
  }
  if (info.t < 1.5 - 1e-9)
    fail_msg("%s, %g: only at %g s after %ld steps", a->method, a->tol, info.t, a->steps);
  double x = sin(th[0]) / 2, z = cos(th[0]) / 2;
  assert_near(read_output(&k, "p.x"), x, a->off, "%s, %g: x", a->method, a->tol);
  assert_near(read_output(&k, "p.z"), z, a->off, "%s, %g: z", a->method, a->tol);
  assert_near(read_output(&k, "c3.x"), -0.5 + x / 2, a->off, "%s, %g: x", a->method, a->tol);
  assert_near(read_output(&k, "c3.z"), z / 2, a->off, "%s, %g: z", a->method, a->tol);
  assert_true(info.max_phi < fmax(2e-9, a->tol)); // hht-add 1e-9, others 3e-12
  stop(&k);
}

static void run_all(size_t n, const attempt *all) {
  double th[2] = {0, 0};
  integrate(slope_of_plate, 2, 0, 1.5, 30000, th);
  for (size_t i = 0; i < n; i++) passes(&all[i], th);
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
                                {"hht-si2", 0, 1e-8, 3700, 1.4e-4}};
  run_all(sizeof all / sizeof *all, all);
}

static void by_fixed_steps(void **unused) {
  (void)unused;
  static const attempt all[] = {
      {"radau5", 2e-3, 0, 1000, 5e-10},   {"hht-i3", 1e-3, 0, 2000, 7e-4},
      {"hht-si2", 1e-3, 0, 2000, 5.2e-4}, {"gen-alpha:index=2", 1e-3, 0, 2000, 3.5e-4},
      {"ggl-bdf", 1e-3, 0, 2000, 1.3e-3}, {"hht-add", 1e-3, 0, 2000, 8e-3}};
  run_all(sizeof all / sizeof *all, all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(within_tolerances),
      cmocka_unit_test(by_fixed_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
