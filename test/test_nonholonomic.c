// SPDX-License-Identifier: Apache-2.0
// Rows of velocities in mechanisms whose motion is known: skates, coins, wheels, constraints by expression.
// That every method has its order on a sleigh and on a coin is in test_methods_order.c.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_claims.h"
#include "helper_mechanics.h"

typedef struct machine {
  mechanism m;
  tr_run *run;
} machine;

static machine start(mechanism m, const char *method, double step, double end) {
  return (machine){m, new_run(m.sys, method, step, end)};
}

static void go_to(machine *k, double t) {
  tr_error error = {0};
  if (tr_run_to(k->run, t, &error) != TR_OK) fail_msg("%s", error.text);
}

static double read(const machine *k, const char *name) {
  return output(k->m.sys, tr_run_state(k->run), name);
}

static void stop(machine *k) {
  tr_run_free(k->run);
  unload(&k->m);
}

// ---- skate --------------------------------------------------------------------------------------------

// With g down the slope, the blade along it first and th = w t: u = -(g/w)(1 - cos th) and
//   x = -(g/w^2) (sin th - th/2 - sin(2 th)/4),   y = -(g/(2 w^2)) (1 - cos th)^2
//   the blade pushes with  m (u w + g cos th)  across itself
static void cycloid(void **unused) {
  (void)unused;
  claim list[MAX_CLAIMS];
  int n = all_claims(list);
  for (int i = 0; i < n; i++) {
    machine k = start(load_model("skate.yaml", NULL), list[i].text, 1e-3, 4);
    double g = 9.81 * sin(20 * acos(-1) / 180), w = 2;
    double tol = list[i].q == 1 || list[i].v == 1 ? 0.02 : 5e-5;
    for (double t = 1; t <= 4; t += 1) {
      double th = w * t, u = -g / w * (1 - cos(th)), push = u * w + g * cos(th);
      go_to(&k, t);
      assert_near(read(&k, "skate.x"), -g / (w * w) * (sin(th) - 0.5 * th - 0.25 * sin(2 * th)),
                  tol, "%s: x, t = %g", list[i].text, t);
      assert_near(read(&k, "skate.y"), -0.5 * g / (w * w) * (1 - cos(th)) * (1 - cos(th)), tol,
                  "%s: y, t = %g", list[i].text, t);
      assert_near(read(&k, "blade.fx"), -push * sin(th), 200 * tol, "%s: fx", list[i].text);
      assert_near(read(&k, "blade.fy"), push * cos(th), 200 * tol, "%s: fy", list[i].text);
    }
    // the row itself holds to round-off where the method enforces velocities or solves for them
    if (list[i].position)
      assert_near(tr_run_describe(k.run).max_phi_v, 0, 2e-8, "%s: Gam", list[i].text);
    stop(&k);
  }
}

// The same row as an expression; and in space, on a plane that carries the body.
static void same_skate(void **unused) {
  (void)unused;
  static const char *const text[] = {
      "trammel: 1\ngravity: [0, -3]\nbodies:\n"
      "  b: {type: planar, mass: 1, inertia: 0.05, com: [0.1, 0], omega: 2, keep: [omega]}\n"
      "joints:\n  blade: {type: knife-edge, markers: [ground, b]}\n",
      "trammel: 1\ngravity: [0, -3]\nbodies:\n"
      "  b: {type: planar, mass: 1, inertia: 0.05, com: [0.1, 0], omega: 2, keep: [omega]}\n"
      "joints:\n  blade: {type: velocity-expression, gam: \"VY(b, ground, b)\"}\n",
      "trammel: 1\ngravity: [0, -3, -9]\nbodies:\n"
      "  b: {type: spatial, mass: 1, inertia: [1, 1, 0.05], com: [0.1, 0, 0],\n"
      "    omega: [0, 0, 2], keep: [wz]}\n"
      "joints:\n  ice: {type: planar, markers: [ground, b]}\n"
      "  blade: {type: knife-edge, markers: [ground, b]}\n"};
  double x[3], y[3], f[3];
  for (int i = 0; i < 3; i++) {
    machine k = start(load_text(text[i]), "radau5", 0.01, 2);
    go_to(&k, 2);
    x[i] = read(&k, "b.x"), y[i] = read(&k, "b.y");
    f[i] = fabs(read(&k, "blade.mu"));
    if (i > 0) {
      assert_near(x[i], x[0], 1e-9, "x, %d", i);
      assert_near(y[i], y[0], 1e-9, "y, %d", i);
      assert_near(f[i], f[0], 1e-7, "force, %d", i);
    }
    stop(&k);
  }
}

// ---- coin ---------------------------------------------------------------------------------------------

// Steady precession at tilt a, with s the angular velocity about the own axis and p about the vertical:
//   (J3 + m r^2) s p sin a = J1 p^2 sin a cos a - m g r cos a,    the centre goes round on the radius
//   r s/p + .. and the table carries the weight
static void steady_precession(void **unused) {
  (void)unused;
  static const double tilts[] = {30, 60, 80};
  for (int i = 0; i < 3; i++) {
    char tilt[64];
    snprintf(tilt, sizeof tilt, "tilt=%g deg", tilts[i]);
    const char *const set[] = {"wobble=0", tilt, NULL};
    machine k = start(load_model("rolling_coin.yaml", set), "radau5", 0.005, 3);
    double a = tilts[i] * acos(-1) / 180;
    for (double t = 0.5; t <= 3; t += 0.5) {
      go_to(&k, t);
      double vx = read(&k, "coin.vx"), vy = read(&k, "coin.vy");
      assert_near(read(&k, "contact.tilt"), a, 1e-8, "tilt %g, t = %g", tilts[i], t);
      assert_near(read(&k, "contact.fz"), 2 * 9.81, 1e-6, "weight, t = %g", t);
      // the force that keeps the centre on its circle: m p |v|, inwards
      assert_near(hypot(read(&k, "contact.fx"), read(&k, "contact.fy")), 2 * 2.5 * hypot(vx, vy),
                  1e-6, "friction, t = %g", t);
    }
    stop(&k);
  }
}

static void coin_energy(void **unused) {
  (void)unused;
  machine k = start(load_model("rolling_coin.yaml", NULL), "radau5", 0.01, 5);
  go_to(&k, 5);
  tr_run_info info = tr_run_describe(k.run);
  assert_near(info.max_energy_change, 0, 1e-8 * info.energy0, "energy, radau5");
  assert_near(info.max_phi, 0, 1e-13, "Phi");
  assert_near(info.max_phi_v, 0, 1e-11, "Gam");
  stop(&k);
  // on a turning table the place of contact moves along
  k = start(load_text("trammel: 1\ngravity: [0, 0, -9.81]\n"
                      "bodies:\n  table: {type: spatial, mass: 1, inertia: 1}\n"
                      "  ball: {type: spatial, mass: 1, inertia: 0.004, position: [0.5, 0, 0.1],\n"
                      "    orientation: {x: 90 deg}}\n"
                      "joints:\n  axle: {type: revolute, markers: [ground, table]}\n"
                      "  turn: {type: motion, joint: axle, velocity: 1.5 rad/s}\n"
                      "  roll: {type: rolling-disk, markers: [table, ball], radius: 0.1}\n"),
            "radau5", 0.01, 0.1);
  go_to(&k, 0.1);
  assert_near(tr_run_describe(k.run).max_phi_v, 0, 1e-10, "Gam on the table");
  stop(&k);
}

// ---- wheels -------------------------------------------------------------------------------------------

// Down a slope: x'' = g sin a/(1 + J/(m r^2)), the friction J x''/r^2 up the slope.
static void wheel_on_slope(void **unused) {
  (void)unused;
  static const char *const text[] = {
      "trammel: 1\ngravity: [4, -9]\n"
      "bodies:\n  w: {type: planar, mass: 3, inertia: 0.05, position: [0, 0.2]}\n"
      "joints:\n  roll: {type: rolling-disk, markers: [ground, w], radius: 0.2}\n",
      "trammel: 1\ngravity: [4, 0, -9]\n"
      "bodies:\n  w: {type: spatial, mass: 3, inertia: [0.03, 0.03, 0.05], position: [0, 0, 0.2],\n"
      "    orientation: {x: 90 deg}}\n"
      "joints:\n  guide: {type: point-on-plane, markers: [{at: [0, 0, 0.2]}, w]}\n"
      "  upright: {type: perpendicular, markers: [ground, w]}\n"
      "  roll: {type: rolling-wheel, markers: [ground, w], radius: 0.2}\n",
      "trammel: 1\ngravity: [4, -9]\n"
      "bodies:\n  w: {type: planar, mass: 3, inertia: 0.05, position: [0, 0.2]}\n"
      "joints:\n  guide: {type: point-on-line, markers: [{at: [0, 0.2]}, w]}\n"
      "  roll: {type: rolling-wheel, markers: [ground, w], radius: 0.2}\n"};
  double a = 4 / (1 + 0.05 / (3 * 0.04));
  for (int i = 0; i < 3; i++) {
    machine k = start(load_text(text[i]), "hht-si2", 0.01, 2);
    go_to(&k, 2);
    assert_near(read(&k, "w.x"), 0.5 * a * 4, 1e-9, "way, %d", i);
    assert_near(read(&k, "roll.fx"), -0.05 * a / 0.04, 1e-7, "friction, %d", i);
    if (i != 1) assert_near(read(&k, "w.angle"), -0.5 * a * 4 / 0.2, 1e-8, "angle, %d", i);
    stop(&k);
  }
}

// ---- curved in the velocities -------------------------------------------------------------------------

// A point that keeps its speed c, whatever pulls: th' = -(g/c) cos th, th the direction of flight, and so
//   tan(th/2 + pi/4) = tan(th_0/2 + pi/4) exp(-g t/c)
static void steady_speed(void **unused) {
  (void)unused;
  static const char text[] =
      "trammel: 1\ngravity: [0, -9.81]\n"
      "bodies:\n  p: {type: planar-point, mass: 2, velocity: [2.5, 4], keep: []}\n"
      "joints:\n  pace: {type: velocity-expression, gam: \"VM(p) - 5\"}\n";
  const double pi = acos(-1);
  claim list[MAX_CLAIMS];
  int n = all_claims(list);
  for (int i = 0; i < n; i++) {
    machine k = start(load_text(text), list[i].text, 1e-3, 1);
    double th0 = atan2(4, 2.5), tol = list[i].q == 1 || list[i].v == 1 ? 0.02 : 2e-5;
    for (double t = 0.25; t <= 1; t += 0.25) {
      go_to(&k, t);
      double th = 2 * atan(tan(0.5 * th0 + 0.25 * pi) * exp(-9.81 * t / 5)) - 0.5 * pi;
      assert_near(read(&k, "p.vx"), 5 * cos(th), 10 * tol, "%s: vx", list[i].text);
      assert_near(read(&k, "p.vy"), 5 * sin(th), 10 * tol, "%s: vy", list[i].text);
      assert_near(read(&k, "pace.mu"), -2 * 9.81 * sin(th), 2000 * tol, "%s: mu", list[i].text);
    }
    stop(&k);
  }
}

// ---- what is wrong is told ----------------------------------------------------------------------------

static void doctor(void **unused) {
  (void)unused;
  // the slide forbids already what the blade does
  mechanism m = load_text(
      "trammel: 1\nbodies:\n  b: {type: planar, mass: 1, inertia: 1, velocity: [1, 0]}\n"
      "joints:\n  rail: {type: prismatic, markers: [ground, b]}\n"
      "  blade: {type: knife-edge, markers: [ground, b]}\n");
  tr_state x;
  tr_check_info info;
  assert_int_equal(tr_state_new(m.sys, &x, NULL), TR_OK);
  assert_int_equal(tr_check(m.sys, &x, &info, NULL), TR_OK);
  assert_int_equal(info.freedom, 1);
  assert_int_equal(info.of_velocities, 1);
  assert_non_null(strstr(info.findings, "joint \"blade\" repeats what \"rail\" says"));
  tr_state_free(m.sys, &x);
  unload(&m);
  // a blade takes a velocity away, no position
  m = load_model("skate.yaml", NULL);
  assert_int_equal(tr_state_new(m.sys, &x, NULL), TR_OK);
  assert_int_equal(tr_check(m.sys, &x, &info, NULL), TR_OK);
  assert_int_equal(info.freedom, 2);
  assert_int_equal(info.freedom_of_positions, 3);
  tr_state_free(m.sys, &x);
  unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cycloid),
      cmocka_unit_test(same_skate),
      cmocka_unit_test(steady_precession),
      cmocka_unit_test(coin_energy),
      cmocka_unit_test(wheel_on_slope),
      cmocka_unit_test(steady_speed),
      cmocka_unit_test(doctor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
