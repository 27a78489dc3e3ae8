// SPDX-License-Identifier: Apache-2.0
// What acts between the ends of steps that have grown long in quiet motion, or that are whole periods from the first one on, is
// felt, with every method: what it leaves of the velocity, or of an angle, is that of the exact solution, up to a part
// that falls with the tolerance. A step that hides it would be off by the whole.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_control.h"
#include "helper_mechanics.h"
#include "system/system.h"

typedef struct hidden {
  const char *name, *text, *output;
  double end, exact, whole; // whole: what is missed by those who miss it
  double coarse, fine;      // part of it that may be off with a tolerance of 1e-3, 1e-8
  double till;              // not 0: the time of the exact solution, instead of the end
} hidden;

// True: under control of velocities, with methods that have it.
static double run_to_end(const tr_system *sys, const hidden *c, const char *method, double tol,
                         bool velocities) {
  tr_error error = {0};
  tr_run *run;
  tr_run_settings s = controlled(method, tol, c->end);
  s.control.velocities = velocities, s.audit = false;
  if (tr_run_new(sys, &s, NULL, &run, &error) != TR_OK) {
    s.control.velocities = false, error = (tr_error){0};
    run = begin_run(sys, &s);
  }
  if (tr_run_to(run, c->till > 0 ? c->till : c->end, &error) != TR_OK)
    fail_msg("%s, %s at %g: %s", c->name, method, tol, error.text);
  double value = at_end(sys, run, c->output);
  tr_run_free(run);
  return value;
}

static void check(const hidden *c, bool velocities, double least) {
  mechanism m = load_text(c->text);
  int decades = (int)lround(log10(1e-3 / least)) + 1;
  for (int i = 0; i < control_cases(); i++)
    for (int k = 0; k < decades; k++) {
      if (!in_turn(i, k, decades)) continue;
      double tol = 1e-3 * pow(0.1, k);
      const char *method = control_method(i);
      double off = run_to_end(m.sys, c, method, tol, velocities) - c->exact;
      double most = c->coarse * pow(c->fine / c->coarse, log10(1e-3 / tol) / 5);
      if (!(fabs(off) <= most * c->whole))
        fail_msg("%s, %s at %g: off by %g, the whole is %g", c->name, method, tol, off, c->whole);
    }
  unload(&m);
}

// v1^2 = v0^2 - 2 mu g s, at a jump to and fro: h ~ tol^(1/2)
static void test_patch(void **state) {
  (void)state;
  double v1 = sqrt(36 - 2 * 0.4 * 9.81 * 3);
  hidden c = {"patch",
              "trammel: 1\n"
              "bodies: {p: {type: planar, mass: 3, inertia: 0.1, velocity: [6, 0]}}\n"
              "joints: {ice: {type: prismatic, markers: [ground, p]}}\n"
              "forces: {rough: {type: force, markers: [p], force: [\"if(DX(p) > 15, if(DX(p) < 18, "
              "-0.4*3*9.81, 0), 0)\", 0, 0]}}\n",
              "p.vx",
              7,
              v1,
              6 - v1,
              0.4,
              0.01,
              0};
  check(&c, false, 1e-8);
}

// A block that slides over a rough patch, beside another body that something pulls at: what, is appended.
#define PATCH(k)                                                                               \
  "trammel: 1\n"                                                                               \
  "parameters: {k: " k                                                                         \
  "}\n"                                                                                        \
  "bodies:\n"                                                                                  \
  "  p: {type: planar, mass: 3, inertia: 0.1, velocity: [6, 0]}\n"                             \
  "  other: {type: planar, mass: 1, inertia: 0.1}\n"                                           \
  "joints:\n"                                                                                  \
  "  ice: {type: prismatic, markers: [ground, p]}\n"                                           \
  "  rail: {type: prismatic, markers: [ground, other]}\n"                                      \
  "forces:\n"                                                                                  \
  "  rough: {type: force, markers: [p], force: [\"if(DX(p) > 15, if(DX(p) < 18, -0.4*3*9.81, " \
  "0), 0)\", 0, 0]}\n"

// The same beside a stiff state, whose rate is off the line in every long step.
static void test_patch_beside_state(void **state) {
  (void)state;
  double v1 = sqrt(36 - 2 * 0.4 * 9.81 * 3);
  hidden c = {"patch beside a state",
              PATCH("1") "  pull: {type: force, markers: [other], force: [k*(lag - DX(other)), 0, 0]}\n"
                         "states: {lag: {rate: \"300*(DX(p) - lag)\"}}\n",
              "p.vx",
              7,
              v1,
              6 - v1,
              0.4,
              0.01,
              0};
  check(&c, false, 1e-8);
}

// And beside another body on a stiff spring, in whose forces such steps are off as well: that explains nothing of this one.
static void test_patch_beside_spring(void **state) {
  (void)state;
  double v1 = sqrt(36 - 2 * 0.4 * 9.81 * 3);
  hidden c = {.name = "patch beside a spring", .output = "p.vx", .end = 7};
  mechanism m = load_text(PATCH(
      "1.2e6") "  pull: {type: force, markers: [other], force: [\"120*sin(0.3*time) - k*DX(other) "
               "- "
               "2*sqrt(k)*VX(other)\", 0, 0]}\n");
  double off = run_to_end(m.sys, &c, "hht-i3", 1e-5, false) - v1;
  assert_near(off, 0, 0.05 * (6 - v1), "off by");
  unload(&m);
}

// v1^2 = v0^2 + 2 F w sqrt(pi)/m
static void test_gate(void **state) {
  (void)state;
  double v1 = sqrt(1.5 * 1.5 + 2 * 20 * 0.03 * 1.7724538509055159 / 2);
  hidden c = {"gate",
              "trammel: 1\n"
              "bodies: {p: {type: planar-point, mass: 2, velocity: [1.5, 0]}}\n"
              "forces: {f: {type: force, markers: [p], force: "
              "[\"20*exp(-((DX(p) - 4)/0.03)^2)\", 0, 0]}}\n",
              "p.vx",
              8,
              v1,
              v1 - 1.5,
              0.5,
              0.01,
              0};
  check(&c, false, 1e-8);
}

// Equal masses: they exchange their velocities.
static void test_pool(void **state) {
  (void)state;
  hidden c = {"pool",
              "trammel: 1\n"
              "bodies:\n"
              "  cue: {type: planar-point, mass: 0.3, velocity: [8, 0]}\n"
              "  ball: {type: planar-point, mass: 0.3, position: [15, 0]}\n"
              "forces: {c: {type: sphere-sphere, markers: [cue, ball], radii: [0.1, 0.1], "
              "stiffness: 2e5}}\n",
              "ball.vx",
              3,
              8,
              8,
              0.5,
              0.01,
              0};
  check(&c, false, 1e-8);
}

// Head on: it comes back as fast as it came.
static void test_peg(void **state) {
  (void)state;
  hidden c = {"peg",
              "trammel: 1\n"
              "bodies: {p: {type: planar-point, mass: 2, position: [-25, 0], velocity: [4, 0]}}\n"
              "forces: {peg: {type: bump-stop, markers: [ground, p], coordinate: distance, limit: "
              "0.3, side: lower, stiffness: 2e3}}\n",
              "p.vx",
              15,
              -4,
              8,
              0.5,
              0.01,
              0};
  check(&c, false, 1e-8);
}

// A pendulum at its lowest hits a mass on a rail: 2 M/(M + m) sqrt(2 g L)
static void test_pit(void **state) {
  (void)state;
  double v = 2 * 50 / 53.0 * sqrt(2 * 9.81 * 4);
  hidden c = {"pit",
              "trammel: 1\n"
              "gravity: [0, -9.81]\n"
              "bodies:\n"
              "  ball: {type: planar-point, mass: 50, position: [-4, 0]}\n"
              "  brick: {type: planar-point, mass: 3, position: [0.3, -4]}\n"
              "joints:\n"
              "  rope: {type: distance, markers: [ground, ball]}\n"
              "  rail: {type: expression, phi: DY(brick) + 4}\n"
              "forces: {c: {type: sphere-sphere, markers: [ball, brick], radii: [0.2, 0.1], "
              "stiffness: 1e8}}\n",
              "brick.vx",
              1.8,
              v,
              v,
              0.5,
              0.01,
              0};
  check(&c, false, 1e-6);
}

// w' = A max(0, sin(angle)), by small steps of Runge and Kutta.
static double engine_speed(double A, double w, double end) {
  enum { STEPS = 100000 };
  double h = end / STEPS, x = 0;
  for (int i = 0; i < STEPS; i++) {
    double a1 = A * fmax(0, sin(x)), w2 = w + 0.5 * h * a1;
    double a2 = A * fmax(0, sin(x + 0.5 * h * w)), w3 = w + 0.5 * h * a2;
    double a3 = A * fmax(0, sin(x + 0.5 * h * w2)), w4 = w + h * a3;
    double a4 = A * fmax(0, sin(x + h * w3));
    x += h / 6 * (w + 2 * w2 + 2 * w3 + w4), w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return w;
}

static void test_engine(void **state) {
  (void)state;
  double w = engine_speed(4, 9, 8);
  hidden c = {"engine",
              "trammel: 1\n"
              "bodies: {w: {type: planar, mass: 1, inertia: 1, omega: 9}}\n"
              "joints: {h: {type: revolute, markers: [ground, w]}}\n"
              "forces: {f: {type: torsion-spring, joint: h, torque: \"4*max(0, sin(angle))\"}}\n",
              "w.omega",
              8,
              w,
              w - 9,
              0.2,
              0.002,
              0};
  check(&c, true, 1e-8);
}

// From rest w = T/(J 2 pi f) (1 - cos(2 pi f t)), and a thousandth of the time is k periods; after some of them.
static void test_ripple(void **state) {
  static const struct { double f, end; } motors[] = {{40, 25}, {60, 50}, {1000, 1}};
  (void)state;
  for (int i = 0; i < 3; i++) {
    char text[400];
    double f = motors[i].f, end = motors[i].end, till = end / 50, amplitude = 5 * f;
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "bodies: {w: {type: planar, mass: 1, inertia: 0.02}}\n"
             "joints: {h: {type: revolute, markers: [ground, w]}}\n"
             "forces: {t: {type: torsion-spring, joint: h, torque: \"%g*sin(2*pi*%g*time)\"}}\n",
             0.02 * amplitude, f);
    double angle = amplitude / (2 * 3.141592653589793 * f) * till;
    hidden c = {"ripple", text, "w.angle", end, angle, angle, 0.9, 0.05, till};
    check(&c, true, 1e-6);
  }
}

// x = F/(m w) (t - sin(w t)/w), after 500 periods.
static void test_wave(void **state) {
  (void)state;
  double x = 100 / (2 * 3.141592653589793 * 50) * 10;
  hidden c = {
      "wave",
      "trammel: 1\n"
      "bodies: {p: {type: planar-point, mass: 1}}\n"
      "forces: {f: {type: force, markers: [p], force: [\"100*sin(2*pi*50*time)\", 0, 0]}}\n",
      "p.x",
      10,
      x,
      x,
      0,
      0,
      0};
  static const double tols[] = {5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5};
  mechanism m = load_text(c.text);
  for (int i = 0; i < 6; i++)
    if (in_turn(0, i, 3))
      assert_near(run_to_end(m.sys, &c, "radau5", tols[i], false), x, 1e-3 * x, "at %g", tols[i]);
  unload(&m);
}

static long steps_of(const char *forces, const char *method, double tol) {
  char text[600];
  tr_error error = {0};
  snprintf(text, sizeof text,
           "trammel: 1\n"
           "bodies: {w: {type: planar, mass: 1, inertia: 1, omega: 1}}\n"
           "joints:\n"
           "  h: {type: revolute, markers: [ground, w]}\n"
           "  d: {type: motion, joint: h, position: time}\n"
           "forces: {t: {type: torque, markers: [w], torque: [0, 0, \"%s\"]}}\n",
           forces);
  mechanism m = load_text(text);
  tr_run_settings s = controlled(method, tol, 60);
  tr_run *run = begin_run(m.sys, &s);
  if (tr_run_to(run, 60, &error) != TR_OK) fail_msg("%s at %g: %s", method, tol, error.text);
  long steps = tr_run_describe(run).steps;
  tr_run_free(run);
  unload(&m);
  return steps;
}

// A drive takes all of a torque that goes to and fro 3000 times: nothing moves by it, and steps are nearly those without it (reactions
// that are part of the method's own estimate, hht-add, cost some). To follow it takes 16000.
static void test_driven(void **state) {
  (void)state;
  for (int i = 0; i < control_cases(); i++)
    for (int k = 0; k < 3; k++) {
      if (!in_turn(i, k, 3)) continue;
      double tol = 1e-3 * pow(0.01, k);
      long without = steps_of("5", control_method(i), tol);
      long with = steps_of("5*sin(2*pi*50*time)", control_method(i), tol);
      if (with > 2 * without + 100)
        fail_msg("%s at %g: %ld steps, %ld without", control_method(i), tol, with, without);
    }
}

static long gaps_seen;
static double (*gap_of)(const void *, double, const tr_frame *const *, const double *);

static double count_gap(const void *par, double t, const tr_frame *const *f, const double *mem) {
  gaps_seen++;
  return gap_of(par, t, f, mem);
}

// Balls on a line that come close and meet: how often each gap is looked at in a step does not grow with their number.
static void test_many_gaps(void **state) {
  (void)state;
  for (int n = 50; n <= 800; n *= 4) {
    char text[700];
    tr_error error = {0};
    snprintf(
        text, sizeof text,
        "trammel: 1\n"
        "repeat:\n"
        "  - {for: i, from: 0, to: %d, bodies: {\"b_{i}\": {type: planar-point, mass: 1, position: "
        "[\"0.13*i + 0.01*sin(7*i)\", 0], velocity: [\"sin(3*i)\", 0]}}}\n"
        "  - {for: i, from: 1, to: %d, forces: {\"c_{i}\": {type: sphere-sphere, markers: "
        "[\"b_{i-1}\", \"b_{i}\"], radii: [0.05, 0.05], stiffness: 1e5}}}\n",
        n, n);
    mechanism m = load_text(text);
    tr_force_ops counted = *m.sys->force[0].ops;
    gap_of = counted.gap, counted.gap = count_gap, gaps_seen = 0;
    for (int i = 0; i < m.sys->nforce; i++) m.sys->force[i].ops = &counted;
    tr_run_settings s = controlled("hht-i3", 1e-4, 0.1);
    tr_run *run = begin_run(m.sys, &s);
    if (tr_run_to(run, 0.1, &error) != TR_OK) fail_msg("%d gaps: %s", n, error.text);
    tr_run_info info = tr_run_describe(run);
    double each = (double)gaps_seen / n / (double)(info.steps + info.rejected);
    if (!(each < 26)) fail_msg("%d gaps: each was looked at %g times in a step", n, each);
    tr_run_free(run);
    unload(&m);
  }
}

// ---- states and variables ---------------------------------------------------------------------------

// A point mass of 2 kg that flies at 1.5 m/s; `rest` are sections that push it along x with what is called push.
static hidden pushed(char text[800], const char *name, const char *rest, double exact) {
  snprintf(text, 800,
           "trammel: 1\n"
           "bodies: {p: {type: planar-point, mass: 2, velocity: [1.5, 0]}}\n"
           "forces: {f: {type: force, markers: [p], force: [push, 0, 0]}}\n"
           "%s",
           rest);
  return (hidden){name, text, "p.vx", 8, exact, exact - 1.5, 0.5, 0.01, 0};
}

static const double ROOT_PI = 1.7724538509055159;

// The gate above, as a variable, a chain of them in the wrong order, by itself, and in loops that sweeps do not solve.
static void test_gates_by_variables(void **state) {
  static const char *const rest[] = {
      "variables: {push: {value: \"20*exp(-((DX(p) - 4)/0.03)^2)\"}}\n",
      "variables: {push: {value: 20*square}, square: {value: root^2}, root: {value: "
      "\"exp(-0.5*way^2)\"}, way: {value: (DX(p) - 4)/0.03}}\n",
      "variables: {push: {value: \"2*exp(-((DX(p) - 4)/0.03)^2) + 0.9*push\"}}\n",
      "variables: {push: {value: \"140*exp(-((DX(p) - 4)/0.03)^2) + 3*back\"}, back: {value: "
      "-2*push}}\n"};
  char text[800];
  (void)state;
  for (int i = 0; i < 4; i++) {
    hidden c = pushed(text, "gate by variables", rest[i], sqrt(1.5 * 1.5 + 20 * 0.03 * ROOT_PI));
    check(&c, i == 1, 1e-8);
  }
}

// 500 N over a centimetre: v1^2 = v0^2 + 2 F s/m
static void test_window(void **state) {
  char text[800];
  hidden c =
      pushed(text, "window",
             "variables: {push: {value: \"if(DX(p) > 0.3, if(DX(p) < 0.31, 500, 0), 0)\"}}\n",
             sqrt(1.5 * 1.5 + 2 * 500 * 0.01 / 2));
  (void)state;
  c.coarse = 0.8; // it is as wide as 10 tolerances
  check(&c, false, 1e-8);
}

// Of time: by a variable, m (v1 - v0) = A w sqrt(pi); by a state, that times the time since then. And the state itself.
static void test_pulses(void **state) {
  double whole = 20 * 0.06 * ROOT_PI;
  char text[800];
  (void)state;
  hidden c = pushed(text, "pulse", "variables: {push: {value: \"20*exp(-((time - 3)/0.06)^2)\"}}\n",
                    1.5 + whole / 2);
  check(&c, false, 1e-8);
  c = pushed(text, "pulse of a rate",
             "variables: {g: {value: \"20*exp(-((time - 3)/0.06)^2)\"}}\n"
             "states: {push: {rate: g}}\n",
             1.5 + whole * 5 / 2);
  check(&c, true, 1e-8);
  c = pushed(text, "pulse of a rate in a place",
             "parameters: {push: 0}\n"
             "states: {X: {rate: \"20*exp(-((DX(p) - 4)/0.03)^2)\"}}\n",
             1.5);
  c.output = "X", c.exact = c.whole = 20 * 0.03 * ROOT_PI / 1.5;
  check(&c, true, 1e-8);
}

// The ripple above by a variable.
static void test_ripple_by_variable(void **state) {
  double f = 60, end = 50, till = 1, angle = 5 / (2 * 3.141592653589793) * till;
  char text[400];
  (void)state;
  snprintf(text, sizeof text,
           "trammel: 1\n"
           "bodies: {w: {type: planar, mass: 1, inertia: 0.02}}\n"
           "joints: {h: {type: revolute, markers: [ground, w]}}\n"
           "variables: {u: {value: \"%g*sin(2*pi*%g*time)\"}}\n"
           "forces: {t: {type: torsion-spring, joint: h, torque: u}}\n",
           0.02 * 5 * f, f);
  hidden c = {"ripple by a variable", text, "w.angle", end, angle, angle, 0.9, 0.05, till};
  check(&c, true, 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_patch),
      cmocka_unit_test(test_patch_beside_state),
      cmocka_unit_test(test_patch_beside_spring),
      cmocka_unit_test(test_gate),
      cmocka_unit_test(test_pool),
      cmocka_unit_test(test_peg),
      cmocka_unit_test(test_pit),
      cmocka_unit_test(test_engine),
      cmocka_unit_test(test_ripple),
      cmocka_unit_test(test_wave),
      cmocka_unit_test(test_driven),
      cmocka_unit_test(test_many_gaps),
      cmocka_unit_test(test_gates_by_variables),
      cmocka_unit_test(test_window),
      cmocka_unit_test(test_pulses),
      cmocka_unit_test(test_ripple_by_variable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
