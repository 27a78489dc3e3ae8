// SPDX-License-Identifier: Apache-2.0
// Steps far shorter than positions ask for are the better for it: what Newton's iteration leaves in each of them must not add up.
//
// A pendulum of mass 2 kg and inertia 0.1 kg m^2 whose centre is 1 m from its hinge, at (0.8, -0.6) to begin with:
//   2.1 p'' = -19.62 cos p,   by the classical Runge-Kutta scheme in steps that leave 1e-13.
#include <math.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_mechanics.h"
#include "step/step.h"
#include "system/system.h"

static const char pendulum[] =
    "trammel: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies: {b: {type: planar, mass: 2, inertia: 0.1, com: [0.8, -0.6], position: [0, 0]}}\n"
    "joints: {h: {type: revolute, markers: [ground, b]}}\n";

static double pull(double p) { return -19.62 / 2.1 * cos(p); }

// How far the pendulum has turned by then.
static double exact_angle(double end) {
  enum { STEPS = 20000 };
  double first = atan2(-0.6, 0.8), p = first, v = 0, h = end / STEPS;
  for (int i = 0; i < STEPS; i++) {
    double a1 = pull(p), v2 = v + 0.5 * h * a1, a2 = pull(p + 0.5 * h * v);
    double v3 = v + 0.5 * h * a2, a3 = pull(p + 0.5 * h * v2), v4 = v + h * a3;
    double a4 = pull(p + h * v3);
    p += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return p - first;
}

static double angle_error(const tr_system *sys, const tr_run_settings *s, double exact,
                          tr_run_info *info) {
  tr_error error = {0};
  tr_run *run = begin_run(sys, s);
  if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", s->method, error.text);
  double e = fabs(output(sys, tr_run_state(run), "b.angle") - exact);
  if (info) *info = tr_run_describe(run);
  tr_run_free(run);
  return e;
}

// Shorter largest steps: never worse than none, and by 1e-4 s far better.
static void hold_back(const tr_system *sys, const char *method, tr_control rule, bool second) {
  static const double most[] = {1e-2, 1e-3, 1e-4};
  double end = or_less(3, 0.5), exact = exact_angle(end);
  tr_run_settings s = tr_run_defaults();
  s.method = method, s.end = end, s.audit = false;
  s.control.tol = 1e-4, s.control.rule = rule;
  double free = angle_error(sys, &s, exact, NULL), e = free;
  for (int i = 0; i < 3; i++) {
    s.control.max_step = most[i];
    e = angle_error(sys, &s, exact, NULL);
    if (!(e <= 1.5 * free))
      fail_msg("%s: off by %g in steps of up to %g s, by %g in longer ones", method, e, most[i],
               free);
  }
  if (second && !(e <= free / 20)) fail_msg("%s: off by %g, by %g in long steps", method, e, free);
}

static void test_largest_step(void **state) {
  mechanism x = load_text(pendulum);
  (void)state;
  for (int i = 0; tr_methods()[i]; i++) {
    const tr_method *m = tr_methods()[i];
    hold_back(x.sys, m->info.name, TR_CONTROL_PI, m->info.order_q > 1);
    if (!m->direct) hold_back(x.sys, m->info.name, TR_CONTROL_GNP05, m->info.order_q > 1);
  }
  unload(&x);
}

// Multipliers ask for steps of tol^(1/2): positions are then off by h^2 ~ tol.
static void test_multipliers(void **state) {
  static const char *const methods[] = {"hht-i3", "gen-alpha", "gen-alpha:rho=0.9", "nstiff"};
  mechanism x = load_text(pendulum);
  double exact = exact_angle(3);
  (void)state;
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    tr_run_settings s = tr_run_defaults();
    s.method = methods[m], s.end = 3, s.audit = false;
    s.control.multipliers = true;
    s.control.tol = 1e-5;
    double coarse = angle_error(x.sys, &s, exact, NULL);
    s.control.tol = 1e-6;
    double fine = angle_error(x.sys, &s, exact, NULL);
    if (!(coarse < 1e-4 && fine < 0.2 * coarse))
      fail_msg("%s: off by %g and %g", methods[m], coarse, fine);
  }
  unload(&x);
}

// Fixed steps so short that round-off is all the tolerance: second order leaves h^2 = 1e-12 of an energy of 12 J. Round-off of
// positions, 1e-16 m, is 1e-10 m/s of random sign in each of 300000 velocities across the constraint, and less along it.
static void test_many(void **state) {
  static const char *const methods[] = {"hht-i3", "hht-si2", "gen-alpha"};
  mechanism x = load_text(pendulum);
  double end = or_less(0.3, 0.02), exact = exact_angle(end);
  (void)state;
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    tr_run_info info;
    tr_run_settings s = tr_run_defaults();
    s.method = methods[m], s.end = end, s.step = 1e-6;
    double e = angle_error(x.sys, &s, exact, &info);
    if (!(e < 3e-9 && info.max_energy_change < 1e-7))
      fail_msg("%s: off by %g, and by %g J", methods[m], e, info.max_energy_change);
    assert_true((double)info.newton_iterations < 1.01 * (double)info.steps);
  }
  unload(&x);
}

// A slider crank whose flywheel goes on turning, from p = 0 at 10 rad/s. The crank pin is at 0.1 (cos p, sin p), the rod of
// 0.6 m at f with 6 sin f = -sin p, its mass in the middle, and energy is kept:
//   2 E = (0.2 + 0.9 (x_p^2 + y_p^2) + 0.027 f_p^2 + 0.5 s_p^2) p'^2 + 2 * 0.9 * 9.81 y
static const char crank[] =
    "trammel: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  b: {type: planar, mass: 5, inertia: 0.2, omega: 10, keep: [omega]}\n"
    "  rod: {type: planar, mass: 0.9, inertia: 0.027, position: [0.4, 0]}\n"
    "  slider: {type: planar, mass: 0.5, inertia: 0.001, position: [0.7, 0]}\n"
    "joints:\n"
    "  A: {type: revolute, bodies: [ground, b], at: [0, 0]}\n"
    "  B: {type: revolute, bodies: [b, rod], at: [0.1, 0]}\n"
    "  C: {type: revolute, bodies: [rod, slider], at: [0.7, 0]}\n"
    "  D: {type: prismatic, bodies: [ground, slider], at: [0, 0]}\n";

static double crank_inertia(double p) {
  double sine = -sin(p) / 6, cosine = sqrt(1 - sine * sine), f = -cos(p) / (6 * cosine);
  double x = -0.1 * sin(p) - 0.3 * sine * f, y = 0.05 * cos(p), s = -0.1 * sin(p) - 0.6 * sine * f;
  return 0.2 + 0.9 * (x * x + y * y) + 0.027 * f * f + 0.5 * s * s;
}

static double crank_speed(double p) {
  double weight = 0.9 * 9.81 * 0.05 * sin(p);
  return sqrt((100 * crank_inertia(0) - 2 * weight) / crank_inertia(p));
}

// Whole turns by the trapezoidal rule, which has all digits of a periodic integrand; the rest by the classical scheme.
static double crank_angle(double end) {
  enum { POINTS = 256, STEPS = 2000 };
  double turn = 2 * acos(-1), period = 0, p = 0;
  for (int i = 0; i < POINTS; i++) period += turn / POINTS / crank_speed(i * turn / POINTS);
  double turns = floor(end / period), h = (end - turns * period) / STEPS;
  for (int i = 0; i < STEPS; i++) {
    double v1 = crank_speed(p), v2 = crank_speed(p + 0.5 * h * v1);
    double v3 = crank_speed(p + 0.5 * h * v2), v4 = crank_speed(p + h * v3);
    p += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
  }
  return turns * turn + p;
}

// Angles that count turns raise the floor of round-off, which is no leave to keep a matrix that is a radian old: second order
// leaves 3.7e-4 rad after 100 s in steps of 1 ms, and 1/25 of that in steps of a fifth.
static void test_turning(void **state) {
  static const char *const methods[] = {"gen-alpha", "hht-i3:alpha=-0.05", "nstiff",
                                        "hht-si2:alpha=-0.05"};
  mechanism x = load_text(crank);
  double end = or_less(50, 1), exact = crank_angle(end);
  (void)state;
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    tr_run_info info;
    tr_run_settings s = tr_run_defaults();
    s.method = methods[m], s.end = end, s.step = 2e-4;
    double e = angle_error(x.sys, &s, exact, &info);
    if (!(e < 3e-5 && info.max_energy_change < 6e-6))
      fail_msg("%s: off by %g, and by %g J", methods[m], e, info.max_energy_change);
    assert_true((double)info.newton_iterations < 1.1 * (double)info.steps);
  }
  unload(&x);
}

// Dry friction of 7 N on a spring of 100 N/m, from 1 m: swings of 0.14 m less each time, -0.02 m in the end, where friction holds,
// but for 1e-5 m/s atanh(2/7) of creep for 2.8 s. Explicit steps are far longer than its transition bears.
static void test_narrow_friction(void **state) {
  static const struct {
    const char *method;
    double off; // at 1e-6
  } cases[] = {{"baumgarte", 2e-3}, {"baumgarte:scheme=rk4", 2e-3},       {"pfpc2", 4e-3},
               {"pfpc1", 3e-3},     {"baumgarte:scheme=euler", INFINITY}, {"hht-i3", 1e-4}};
  mechanism x = load_text(
      "trammel: 1\n"
      "bodies:\n"
      "  p: {type: planar-point, mass: 1, position: [1, 0]}\n"
      "joints: {y: {type: expression, phi: DY(p)}}\n"
      "forces:\n"
      "  k: {type: force, markers: [p], force: ['-100*DX(p)', 0, 0]}\n"
      "  rub: {type: force, markers: [p], force: ['-7*tanh(VX(p)/1e-5)', 0, 0]}\n");
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tr_error error = {0};
    tr_run_settings s = tr_run_defaults();
    s.method = cases[i].method, s.end = 5;
    s.control.tol = 1e-6;
    tr_run *run = begin_run(x.sys, &s);
    if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", s.method, error.text);
    double off = fabs(output(x.sys, tr_run_state(run), "p.x") + 0.02 - 8e-6);
    const char *notes = tr_run_describe(run).notes;
    bool told = strstr(notes, "to and fro") && strstr(notes, "body \"p\", x");
    if (!(off < cases[i].off)) fail_msg("%s: off by %g", s.method, off);
    if (told == (strcmp(s.method, "hht-i3") == 0)) fail_msg("%s: %s", s.method, notes);
    tr_run_free(run);
  }
  unload(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_largest_step),
                                     cmocka_unit_test(test_multipliers),
                                     cmocka_unit_test(test_many), cmocka_unit_test(test_turning),
                                     cmocka_unit_test(test_narrow_friction)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
