// SPDX-License-Identifier: Apache-2.0
// Forces that jump under error control, without an event to find the place.
//
// A relay: x'' = -f for x > 0, g for x < 0, from x = 1 at rest. Its course is made of parabolas. A step across a jump
// is of first order in what it adds to the velocity, so that a local error of tol is h^2 ~ tol and leaves v off by
// h ~ tol^(1/2), whatever the method.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_mechanics.h"
#include "system/system.h"

// x of the relay at t
static double relay(double f, double g, double t) {
  double down = sqrt(2 / f), v = f * down, below = 2 * v / g;
  t = fmod(t, 2 * down + below);
  if (t < down) return 1 - 0.5 * f * t * t;
  t -= down;
  if (t < below) return -v * t + 0.5 * g * t * t;
  t -= below;
  return v * t - 0.5 * f * t * t;
}

static tr_run *begin(const tr_system *sys, const char *method, double tol, double end) {
  tr_run_settings s = tr_run_defaults();
  tr_error error = {0};
  tr_run *run;
  s.method = method, s.control.tol = tol, s.end = end;
  if (tr_run_new(sys, &s, NULL, &run, &error) != TR_OK) fail_msg("%s: %s", method, error.text);
  return run;
}

// The error after six jumps or so stays in proportion to tol^(1/2).
static void test_relay(const char *const *methods) {
  static const double forces[][2] = {{1, 1}, {1, 2.3}, {2, 1}, {1, 0.7}};
  for (int i = 0; i < 4; i++) {
    char text[400];
    double f = forces[i][0], g = forces[i][1];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "bodies: {p: {type: planar-point, mass: 1, position: [1, 0]}}\n"
             "forces: {s: {type: force, markers: [p], force: [\"if(DX(p) > 0, %g, %g)\", 0]}}\n",
             -f, g);
    tr_system *sys = system_of_text(text);
    for (int m = 0; methods[m]; m++)
      for (double tol = 1e-4; tol > 1e-11; tol *= 0.1) {
        tr_error error = {0};
        tr_run *run = begin(sys, methods[m], tol, 10);
        if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", methods[m], error.text);
        double off = tr_run_state(run)->q[0] - relay(f, g, 10);
        if (!(fabs(off) < 60 * sqrt(tol)))
          fail_msg("%s, forces %g and %g, tolerance %g: off by %g", methods[m], f, g, tol, off);
        tr_run_free(run);
      }
    tr_system_free(sys);
  }
}

static void test_one_step(void **state) {
  (void)state;
  test_relay((const char *const[]){"newmark", "hht-i3", "nstiff", "hht-si2", "nstiff-si2",
                                   "gen-alpha", "gen-alpha:index=2", "hht-add", "radau5", "pfpc2",
                                   "baumgarte", NULL});
}

// Order 1, which every jump brings them back to, must not take what comes after a jump for what was before it.
static void test_multistep(void **state) {
  (void)state;
  test_relay((const char *const[]){"ggl-bdf", "ggl-bdf:order=5", "cs", "cm", "cm:order=3", NULL});
}

// u' = -k (u - cos t) beside a slow motion: explicit formulas bear steps of 1/k or so, and in the first steps too, also
// of those after an event. Where these cannot be told from good ones u explodes.
static void test_stiff_state(void **state) {
  (void)state;
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "parameters: {k: 1e4}\n"
      "bodies: {a: {type: planar, mass: 1, inertia: 1, omega: 1, keep: [omega]}}\n"
      "joints: {h: {type: revolute, markers: [ground, a]}}\n"
      "states: {u: {initial: 1, rate: \"-k*(u - cos(time))\"}}\n"
      "forces: {t: {type: torque, markers: [a], torque: \"-1*AZ(a)\"}}\n"
      "events: {e: {when: time - 0.1, set: {k: 1e5}}}\n");
  for (int m = 0; m < tr_method_count(); m++) {
    tr_error error = {0};
    const char *method = tr_method_describe(m).name;
    tr_run *run = begin(sys, method, 1e-6, 0.12);
    while (tr_run_state(run)->t < 0.12) {
      if (tr_run_step(run, &error) != TR_OK) fail_msg("%s: %s", method, error.text);
      const tr_state *x = tr_run_state(run);
      double k = x->t < 0.1 ? 1e4 : 1e5, A = k * k / (1 + k * k);
      double u = A * (cos(x->t) + sin(x->t) / k), off = x->q[sys->nq - 1] - u;
      double left = x->t < 0.1 ? 0 : 0.9e-5 * exp(-k * (x->t - 0.1)); // of the lag before
      if (!(fabs(off - left) < 3e-4)) fail_msg("%s: u off by %g at t = %g", method, off, x->t);
    }
    tr_run_free(run);
  }
  tr_system_free(sys);
}

// A force that is round-off alone, since it holds a body where it would go anyway, does not jump.
static void test_round_off(void **state) {
  (void)state;
  static const char *const methods[] = {"pfpc1", "pfpc2", "baumgarte"};
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "bodies: {a: {type: planar, mass: 1, inertia: 1, omega: 100, keep: [omega]}}\n"
      "joints: {h: {type: revolute, markers: [ground, a]}}\n"
      "states: {u: {initial: 1e-6, scale: 1e-6, rate: \"-1e6*(u - 1e-6*cos(time))\"}}\n"
      "forces: {t: {type: torque, markers: [a], torque: \"-1*(AZ(a) - 100*time)\"}}\n");
  for (int m = 0; m < 3; m++) {
    tr_error error = {0};
    tr_run *run = begin(sys, methods[m], 1e-6, 0.02);
    if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", methods[m], error.text);
    const char *notes = tr_run_describe(run).notes;
    if (strstr(notes, "discontinuous")) fail_msg("%s: %s", methods[m], notes);
    tr_run_free(run);
  }
  tr_system_free(sys);
}

// A pulse of 1 ms in a long quiet run, which steps of seconds would pass over: 1 m/s, by comparisons with the time, or by
// ramps, within which the tolerance of positions is all there is.
static void test_single_pulse(void **state) {
  (void)state;
  static const char *const law[] = {
      "if(time > 5, if(time < 5.001, 1000, 0), 0)",
      "1000*(step(time, 5, 0, 5.001, 1) - step(time, 5.001, 0, 5.002, 1))"};
  for (int i = 0; i < 2 * tr_method_count(); i++) {
    char text[500];
    snprintf(text, sizeof text,
             "trammel: 1\nbodies: {a: {type: planar-point, mass: 1, velocity: [0.1, 0]}}\n"
             "forces: {kick: {type: force, markers: [a], force: [\"%s\", 0]}}\n"
             "simulation: {end: 10, step: 0.01}\n",
             law[i % 2]);
    const char *method = tr_method_describe(i / 2).name;
    mechanism m = load_text(text);
    tr_run_settings s = tr_run_defaults();
    tr_run *run;
    s.method = method, s.control.tol = 1e-5;
    assert_int_equal(tr_run_new(m.sys, &s, NULL, &run, NULL), TR_OK);
    assert_int_equal(tr_run_all(run, NULL), TR_OK);
    double vx = tr_run_state(run)->v[0];
    if (!(fabs(vx - 1.1) < (i % 2 ? 0.15 : 1e-6))) fail_msg("%s, %d: %g m/s", method, i % 2, vx);
    tr_run_free(run);
    unload(&m);
  }
}

// A body at rest under a force of time alone, for a second.
static tr_run_info push(const char *method, double tol, const char *law, double *v) {
  char text[600];
  tr_error error = {0};
  snprintf(text, sizeof text,
           "trammel: 1\nbodies: {a: {type: planar-point, mass: 1}}\n"
           "forces: {f: {type: force, markers: [a], force: [\"%s\", 0]}}\n",
           law);
  tr_system *sys = system_of_text(text);
  tr_run *run = begin(sys, method, tol, 1);
  if (tr_run_all(run, &error) != TR_OK) fail_msg("%s, %s: %s", method, law, error.text);
  tr_run_info info = tr_run_describe(run);
  *v = tr_run_state(run)->v[0];
  assert_true(tr_run_state(run)->t == 1);
  tr_run_free(run);
  tr_system_free(sys);
  return info;
}

// Forces that repeat every 10 ms: steps that all begin at the same phase would take what they are there for all of it.
// Three steps in each, which is all that the tolerance of positions asks for, take the mean for what their quadrature does.
static void test_periods(void **state) {
  (void)state;
  static const char *const methods[] = {"hht-i3", "gen-alpha", "radau5", "ggl-bdf", "newmark"};
  static const struct {
    const char *law;
    double mean;
  } of[] = {
      {"10*(1-cos(2*pi*mod(time, 0.01)/0.01))", 10},
      {"10*sin(pi*mod(time, 0.01)/0.01)", 20 / 3.14159265358979},
      {"10*sin(2*pi*mod(time, 0.01)/0.01)^2", 5},
      {"10 - 2000*abs(mod(time, 0.01) - 0.005)", 5},
      {"10*(1-2*abs(time*100 - floor(time*100) - 0.5))", 5},
      {"20*(time/0.01 - floor(time/0.01))*(1 - (time/0.01 - floor(time/0.01)))", 20.0 / 6},
      {"10*sin(pi*(ceil(time*100) - time*100))", 20 / 3.14159265358979},
      {"if(mod(time, 0.01)/0.01 < 0.3, 20, 0)", 6},
      {"if(0.003 - mod(time, 0.01) > 0, 20, 0)", 6},
      {"if(time/0.01 - floor(time/0.01) < 0.3, 20, 0)", 6},
      {"if(abs(mod(time, 0.01) - 0.005) < 0.0015, 20, 0)", 6},
      {"if(100*time - round(100*time) > 0.2, 20, 0)", 6},
  };
  for (int m = 0; m < 5; m++)
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
      double v;
      push(methods[m], 1e-3, of[i].law, &v);
      if (!(fabs(v / of[i].mean - 1) < 0.25))
        fail_msg("%s, %s: %g m/s, not %g", methods[m], of[i].law, v, of[i].mean);
    }
}

// Trains that do nothing for the most part cost nothing there, and are not lost.
static void test_sleeping_trains(void **state) {
  (void)state;
  double v;
  tr_run_info info =
      push("hht-i3", 1e-3, "if(time < 0.05, if(mod(time, 0.001) < 0.0005, 5, 0), 0)", &v);
  assert_true(info.steps < 400);
  assert_near(v, 0.125, 1e-3, "train");
  info = push("hht-i3", 1e-3, "sin(9*time) + if(mod(time, 0.001) < 0.0005, 1e-9, 0)", &v);
  assert_true(info.steps < 400);
  info = push("hht-i3", 1e-3, "if(time > 0.9, if(mod(time, 0.001) < 0.0005, 50, 0), 0)", &v);
  assert_true(info.steps < 900);
  assert_near(v, 2.5, 1e-3, "train");
  // one that is turned on by what is not known beforehand is seen a step later
  info = push("hht-i3", 1e-3,
              "30*cos(30*time) + if(sin(time) > 0.5, if(mod(time, 0.001) < 0.0005, 50, 0), 0)", &v);
  assert_near(v, sin(30) + 25 * (1 - asin(0.5)), 25 * info.largest_step, "train turned on");
  assert_true(info.largest_step < 0.06);
}

// Kinks of many drives, more of them than steps.
static void test_crowds_of_kinks(void **state) {
  (void)state;
  enum { AXES = 20, MOVES = 8, ROOM = 40000 };
  static char text[ROOM];
  int n = snprintf(text, ROOM, "trammel: 1\nbodies:\n"), k = 0;
  for (int i = 0; i < AXES; i++)
    n += snprintf(text + n, (size_t)(ROOM - n), "  m%d: {type: planar-point, mass: 1}\n", i);
  n += snprintf(text + n, (size_t)(ROOM - n), "forces:\n");
  for (int i = 0; i < AXES; i++) {
    n += snprintf(text + n, (size_t)(ROOM - n),
                  "  s%d: {type: force, markers: [m%d], force: [\"0.3 - 4*DX(m%d) - 0.2*VX(m%d)", i,
                  i, i, i);
    for (int j = 0; j < MOVES; j++, k++) {
      double t = 9 * fmod(0.618034 * k, 1), lasts = 0.3 + 0.7 * fmod(0.414214 * k, 1);
      n += snprintf(text + n, (size_t)(ROOM - n), " + step5(time, %.4f, 0, %.4f, %.2f)", t,
                    t + lasts, 2 * fmod(0.732051 * k, 1) - 1);
    }
    n += snprintf(text + n, (size_t)(ROOM - n), "\", 0]}\n");
  }
  tr_system *sys = system_of_text(text);
  tr_run *run = begin(sys, "hht-i3", 1e-3, 10);
  assert_int_equal(tr_run_all(run, NULL), TR_OK);
  tr_run_info info = tr_run_describe(run);
  if (info.steps > 160) fail_msg("%ld steps", info.steps);
  tr_run_free(run);
  tr_system_free(sys);
}

// A drive whose acceleration jumps again and again: it is met, and no step is tried across.
static void test_driven_accelerations(void **state) {
  (void)state;
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  arm: {type: planar, mass: 2, inertia: 0.2, com: [0.5, 0]}\n"
      "  bob: {type: planar, mass: 1, inertia: 0.05, com: [0.3, 0], position: [1, 0]}\n"
      "markers: {e: {body: arm, at: [1, 0]}}\n"
      "joints:\n"
      "  j1: {type: revolute, markers: [ground, arm]}\n"
      "  j2: {type: revolute, markers: [e, bob]}\n"
      "  drv: {type: motion, joint: j1,\n"
      "        acceleration: \"if(mod(time, 0.05) < 0.025, 20, -20)\"}\n"
      "forces: {d: {type: torsion-spring, markers: [arm, bob], stiffness: 3, damping: 0.3}}\n");
  double angle[2];
  for (int i = 0; i < 2; i++) {
    tr_run *run = begin(sys, "hht-i3", i ? 1e-7 : 1e-3, 2);
    assert_int_equal(tr_run_all(run, NULL), TR_OK);
    assert_true(tr_run_state(run)->t == 2);
    assert_int_equal(tr_run_describe(run).rejected, 0);
    angle[i] = tr_run_state(run)->q[5];
    tr_run_free(run);
  }
  assert_near(angle[0], angle[1], 2e-3, "train");
  tr_system_free(sys);
}

// A load of 50 kg and 2 kg m^2, 1 m below a trolley that goes from 0 to A at the speed B from the time C on, at 5 s: it
// swings as a pendulum, (I + m l^2) angle'' = -m g l sin(angle), and the trolley's jumps of V turn it by
// -m l cos(angle) V/(I + m l^2).
static double swing(double A, double B, double C) {
  const double moment = 52, ml = 50, g = 9.81;
  const double from[] = {C, C + A / B}, till[] = {C + A / B, 5}, jump[] = {B, -B};
  double angle = 0, omega = 0;
  enum { STEPS = 20000 };
  for (int k = 0; k < 2; k++) {
    double h = (till[k] - from[k]) / STEPS;
    omega -= ml * cos(angle) * jump[k] / moment;
    for (int i = 0; i < STEPS; i++) { // Stoermer and Verlet
      omega -= 0.5 * h * ml * g * sin(angle) / moment;
      angle += h * omega;
      omega -= 0.5 * h * ml * g * sin(angle) / moment;
    }
  }
  return omega;
}

// Kinks of a drive's position, told by its law, are jumps of velocities, whatever their last digits.
static void test_driven_velocities(void **state) {
  (void)state;
  static const char *const methods[] = {"cm",        "cs",     "cs:order=5", "ggl-bdf", "pfpc2",
                                        "baumgarte", "hht-i3", "nstiff-si2", "radau5"};
  static const double drive[][3] = {{0.4, 0.8, 1.1}, {0.2, 1.85, 1.046}, {0.24, 1.86, 1.578}};
  for (int i = 0; i < 3; i++) {
    const double *d = drive[i];
    char text[700];
    snprintf(text, sizeof text,
             "trammel: 1\ngravity: [0, -9.81]\n"
             "bodies:\n"
             "  trolley: {type: planar, mass: 100, inertia: 10}\n"
             "  load: {type: planar, mass: 50, inertia: 2, position: [0, -1]}\n"
             "joints:\n"
             "  rail: {type: prismatic, markers: [ground, trolley]}\n"
             "  cable: {type: revolute, bodies: [trolley, load], at: [0, 0]}\n"
             "  d: {type: expression, phi: \"DX(trolley) - max(0, min(%g, %g*(time - %g)))\"}\n",
             d[0], d[1], d[2]);
    tr_system *sys = system_of_text(text);
    double omega = swing(d[0], d[1], d[2]);
    for (int m = 0; m < 9; m++)
      for (double tol = 1e-4; tol > 1e-8; tol *= 1e-3) {
        tr_run *run = begin(sys, methods[m], tol, 5);
        tr_error error = {0};
        if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", methods[m], error.text);
        assert_near(tr_run_state(run)->v[5], omega, tol > 1e-5 ? 0.1 : 2e-3, "%s, tol %g, drive %d",
                    methods[m], tol, i);
        tr_run_free(run);
      }
    tr_system_free(sys);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_single_pulse),
      cmocka_unit_test(test_one_step),
      cmocka_unit_test(test_multistep),
      cmocka_unit_test(test_stiff_state),
      cmocka_unit_test(test_round_off),
      cmocka_unit_test(test_periods),
      cmocka_unit_test(test_sleeping_trains),
      cmocka_unit_test(test_crowds_of_kinks),
      cmocka_unit_test(test_driven_accelerations),
      cmocka_unit_test(test_driven_velocities),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
