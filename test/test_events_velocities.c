// SPDX-License-Identifier: Apache-2.0
// Joints on velocities that events engage and let go: blades, clutches, wheels. The motion is known: an impulse
// M dv + G' p = 0 with G v = 0 after it, and closed forms between.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_claims.h"
#include "helper_events.h"
#include "trammel/analysis.h"

static bool is_first_order(const claim *c) { return c->q == 1 || c->v == 1; }

// ---- a sled whose blade comes down and is lifted again ------------------------------------------------

// The blade is a = 0.2 behind the centre C. It comes down at 0.3 s: with s the speed across it, J about C,
//   p = -s/(1/m + a^2/J),   v_C += p/m across,   omega -= a p/J
// then, with u along it and m k^2 = J + m a^2, Chaplygin's sleigh:
//   u' = a omega^2, m k^2 omega' = -m a u omega:   u = E tanh f, k omega = E sech f, f' = a E/k^2
//   the angle grows by k/a (gd f_2 - gd f_1), gd = 2 atan tanh (f/2)
// and from 1.1 s on it flies.
static const char *const sled =
    "trammel: 1\n"
    "bodies:\n"
    "  s: {type: planar, mass: 2, inertia: 0.3, com: [0.2, 0], velocity: [1, 0.5], omega: 1.5}\n"
    "joints: {blade: {type: %s, active: no}}\n"
    "events:\n"
    "  down: {when: time - 0.3, direction: rising, lock: blade}\n"
    "  up: {when: time - 1.1, direction: rising, unlock: blade}\n"
    "simulation: {end: 1.5, step: %g, method: hht-i3}\n";

typedef struct flight {
  double vx, vy, omega, angle; // of the blade's point
} flight;

static flight exact_sled(void) {
  double m = 2, J = 0.3, a = 0.2, w = 1.5, cx = 1, cy = 0.5 + a * w, th = w * 0.3;
  double across = -cx * sin(th) + cy * cos(th), u = cx * cos(th) + cy * sin(th);
  double p = -(across - a * w) / (1 / m + a * a / J);
  across += p / m, w -= a * p / J;
  assert_near(across, a * w, 1e-15, "the impulse");
  double k = sqrt(J / m + a * a), E = hypot(u, k * w), f1 = atanh(u / E),
         f2 = f1 + 0.8 * a * E / (k * k);
  u = E * tanh(f2), w = copysign(E / (k * cosh(f2)), w);
  th += copysign(2 * k / a, w) * (atan(tanh(f2 / 2)) - atan(tanh(f1 / 2)));
  cx = u * cos(th) - a * w * sin(th), cy = u * sin(th) + a * w * cos(th);
  th += 0.4 * w;
  return (flight){cx + a * w * sin(th), cy - a * w * cos(th), w, th};
}

static void land_sled(const char *blade, const claim *c, double tol, double near) {
  char text[700];
  snprintf(text, sizeof text, sled, blade, is_first_order(c) && tol == 0 ? 1.0 / 4096 : 1.0 / 512);
  tr_system *sys = system_of_text(text);
  tr_run *run = start_run(sys, c->text, NAN, tol);
  flight is = exact_sled();
  finish(run, c->text);
  assert_int_equal(tr_run_describe(run).events, 2);
  assert_near(at_end(sys, run, "s.omega"), is.omega, near, "%s, %g: omega", c->text, tol);
  assert_near(at_end(sys, run, "s.angle"), is.angle, near, "%s, %g: angle", c->text, tol);
  assert_near(at_end(sys, run, "s.vx"), is.vx, near, "%s, %g: vx", c->text, tol);
  assert_near(at_end(sys, run, "s.vy"), is.vy, near, "%s, %g: vy", c->text, tol);
  // what does not hold counts for nothing: 0.5 m/s across before it comes down
  if (c->position) assert_near(tr_run_describe(run).max_phi_v, 0, 1e-6, "%s: Gam", c->text);
  tr_run_free(run);
  tr_system_free(sys);
}

static void test_sled(void **state) {
  (void)state;
  claim list[MAX_CLAIMS];
  int n = all_claims(list);
  for (int i = 0; i < n; i++) {
    if (list[i].alternates) continue;
    land_sled("knife-edge, markers: [ground, s]", &list[i], 0,
              is_first_order(&list[i]) ? 1e-3 : 1e-5);
    land_sled("velocity-expression, gam: \"VY(s, ground, s)\"", &list[i], 1e-6,
              is_first_order(&list[i]) ? 5e-3 : 1e-4);
  }
}

// ---- a clutch with a ratio ------------------------------------------------------------------------------

// Driven by 2 N m the first disc has turned by 1 rad when the clutch engages, w1 = 2 w2 from then on:
//   p = -(w1 - 2 w2)/(1/J1 + 4/J2),   w1 += p/J1,  w2 -= 2 p/J2,   (J1 + J2/4) w1' = T
static const char *const clutch =
    "trammel: 1\n"
    "bodies:\n"
    "  a: {type: planar, mass: 1, inertia: 0.4, omega: 1}\n"
    "  b: {type: planar, mass: 1, inertia: 0.6, omega: -0.5}\n"
    "joints:\n"
    "  shaft_a: {type: revolute, markers: [ground, a]}\n"
    "  shaft_b: {type: revolute, markers: [ground, b]}\n"
    "  gears: {type: velocity-expression, gam: \"WZ(a) - 2*WZ(b)\", active: no}\n"
    "forces: {drive: {type: torque, markers: [a], torque: 2 N*m}}\n"
    "events:\n"
    "  on: {when: AZ(a) - 1, direction: rising, lock: gears}\n"
    "  off: {when: time - 1, direction: rising, unlock: gears}\n"
    "simulation: {end: 1.5, step: 0.005, method: hht-i3}\n";

static void test_clutch(void **state) {
  (void)state;
  claim list[MAX_CLAIMS];
  int n = all_claims(list);
  tr_system *sys = system_of_text(clutch);
  double Ja = 0.4, Jb = 0.6, T = 2, al = T / Ja, t1 = (sqrt(1 + 2 * al) - 1) / al;
  double wa = 1 + al * t1, wb = -0.5, p = -(wa - 2 * wb) / (1 / Ja + 4 / Jb), rest = 1 - t1;
  wa += p / Ja, wb -= 2 * p / Jb;
  assert_near(wa, 2 * wb, 1e-15, "the impulse");
  double with = T / (Ja + Jb / 4), turn = 1 + wa * rest + 0.5 * with * rest * rest;
  wa += with * rest, wb += 0.5 * with * rest, turn += 0.5 * wa + 0.125 * al, wa += 0.5 * al;
  for (int i = 0; i < 2 * n; i++) {
    const claim *c = &list[i / 2];
    if (c->alternates && i % 2) continue; // nothing for error control
    double tol = i % 2 ? 1e-6 : 0, near = is_first_order(c) ? 0.03 : i % 2 ? 2e-5 : 1e-10;
    tr_run *run = start_run(sys, c->text, NAN, tol);
    finish(run, c->text);
    assert_int_equal(tr_run_describe(run).events, 2);
    assert_near(tr_run_event(run, 0).t, t1, near, "%s, %g: engages", c->text, tol);
    assert_near(at_end(sys, run, "a.omega"), wa, near, "%s, %g: a", c->text, tol);
    assert_near(at_end(sys, run, "b.omega"), wb, near, "%s, %g: b", c->text, tol);
    assert_near(at_end(sys, run, "a.angle"), turn, near, "%s, %g: turn", c->text, tol);
    tr_run_free(run);
  }
  tr_system_free(sys);
}

// ---- a disc that lands and rolls --------------------------------------------------------------------------

// Under control it may settle when it rises no higher than the tolerance, 1e-6: by 2 sqrt(2e-6/g) = 1e-3 s too early.
// It bounces for t = v_0/g (1 + e)/(1 - e) after the first touch, then floor and rolling take over:
//   p = -(vx + r omega)/(1/m + r^2/J),   vx += p/m,   omega += r p/J
static void test_disc(void **state) {
  (void)state;
  tr_system *sys = system_of_text(
      "trammel: 1\ngravity: [0, -9.81]\nparameters: {r: 0.1, e: 0.4}\n"
      "bodies:\n"
      "  d: {type: planar, mass: 1, inertia: 0.005, position: [0, 0.6], velocity: [1, 0], omega: "
      "3}\n"
      "joints:\n"
      "  floor: {type: expression, phi: DY(d) - r, active: no}\n"
      "  roll: {type: velocity-expression, gam: \"VX(d) + r*WZ(d)\", active: no}\n"
      "events:\n"
      "  bounce: {when: DY(d) - r, direction: falling, restitution: e, settle: [floor, roll]}\n"
      "simulation: {end: 2, step: 0.01, method: hht-i3}\n");
  double v0 = sqrt(2 * 9.81 * 0.5), t = v0 / 9.81 * (1 + 2 * 0.4 / (1 - 0.4));
  double p = -(1 + 0.1 * 3) / (1 + 0.01 / 0.005), vx = 1 + p, w = 3 + 0.1 * p / 0.005;
  for (int m = 0; m < 2 * tr_method_count(); m++) {
    const char *method = tr_method_describe(m / 2).name;
    double near = m % 2 ? 1e-5 : strcmp(method, "pfpc1") ? 1e-7 : 0.05;
    tr_run *run = start_run(sys, method, NAN, m % 2 ? 1e-6 : 0);
    finish(run, method);
    assert_near(at_end(sys, run, "d.vx"), vx, near, "%s, %d: vx", method, m % 2);
    assert_near(at_end(sys, run, "d.omega"), w, 10 * near, "%s, %d: omega", method, m % 2);
    assert_near(at_end(sys, run, "d.x"), t + vx * (2 - t),
                m % 2 && strcmp(method, "pfpc1") ? 1e-3 : fmax(near, m % 2 ? 0.01 : 0), "%s, %d: x",
                method, m % 2);
    assert_near(at_end(sys, run, "d.y"), 0.1, near, "%s, %d: y", method, m % 2);
    tr_run_free(run);
  }
  tr_system_free(sys);
}

// ---- what does not hold does not count --------------------------------------------------------------------

static void test_counts(void **state) {
  (void)state;
  for (int idle = 0; idle < 2; idle++) {
    char text[700];
    // the second blade repeats the first; gam is no number at the start
    snprintf(text, sizeof text,
             "trammel: 1\nbodies: {s: {type: planar, mass: 2, inertia: 0.3, velocity: [1, 0]}}\n"
             "joints:\n"
             "  one: {type: knife-edge, markers: [ground, s]}\n"
             "  two: {type: velocity-expression, gam: \"VY(s, ground, s)%s}\n"
             "%ssimulation: {end: 1, step: 0.01}\n",
             idle ? "/DX(s)\", active: no" : "\"",
             idle ? "events: {e: {when: time - 0.5, lock: two}}\n" : "");
    tr_system *sys = system_of_text(text);
    tr_state x;
    tr_check_info info;
    assert_int_equal(tr_state_new(sys, &x, NULL), TR_OK);
    assert_int_equal(tr_check(sys, &x, &info, NULL), TR_OK);
    assert_int_equal(info.constraints, idle ? 1 : 2);
    assert_int_equal(info.of_velocities, idle ? 1 : 2);
    assert_int_equal(info.idle, idle);
    assert_int_equal(info.rank, 1);
    assert_int_equal(info.freedom_of_positions, 3);
    tr_state_free(sys, &x);
    for (int m = 0; m < tr_method_count(); m++) {
      const char *method = tr_method_describe(m).name;
      tr_run *run = start_run(sys, method, NAN, 0);
      assert_int_equal(tr_run_describe(run).redundant, !idle);
      finish(run, method);
      assert_int_equal(tr_run_describe(run).redundant, 1);
      assert_near(at_end(sys, run, "s.x"), 1, 1e-12, "%s", method);
      tr_run_free(run);
    }
    tr_system_free(sys);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sled),
      cmocka_unit_test(test_clutch),
      cmocka_unit_test(test_disc),
      cmocka_unit_test(test_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
