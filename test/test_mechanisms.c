// SPDX-License-Identifier: Apache-2.0
// Joints and forces in small mechanisms whose motion is known in closed form.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_machine.h"
#include "math/v3.h"

// ---- shafts -------------------------------------------------------------------------------------

// The driven shaft keeps its direction and hangs on the joint; a spring of no stiffness measures
// it.
#define SHAFTS(joint)                                                                  \
  "trammel: 1\n"                                                                       \
  "bodies:\n"                                                                          \
  "  in: {type: spatial, mass: 1, inertia: [1, 1, 5], omega: [0, 0, 3], keep: [wz]}\n" \
  "  out: {type: spatial, mass: 1, inertia: [1, 1, 0.02], orientation: {y: 40 deg}}\n" \
  "markers:\n"                                                                         \
  "  far: {orientation: {y: 40 deg}}\n"                                                \
  "joints:\n"                                                                          \
  "  bearing: {type: revolute, bodies: [ground, in], at: [0, 0, 0]}\n"                 \
  "  guide: {type: parallel, markers: [far, out]}\n"                                   \
  "  j: {type: " joint                                                                 \
  ", markers: [in, out]}\n"                                                            \
  "forces:\n"                                                                          \
  "  out_angle: {type: torsion-spring, markers: [far, out]}\n"

// Two shafts at an angle b. Hooke's joint with the first pin along x of the driving shaft at the
// start, in the plane of the shafts: tan(out) = tan(in)/cos(b), so out'/in' = cos b/(1 - sin^2 b
// cos^2 in).
static void hooke(void **unused) {
  (void)unused;
  double b = 40 * TR_PI / 180;
  machine k = start(SHAFTS("universal"), "gen-alpha:rho=0.9,index=2", 1e-3, 4);
  for (int i = 1; i <= 40; i++) {
    go_to(&k, 0.1 * i);
    double in = read_output(&k, "bearing.angle"), out = read_output(&k, "out_angle.angle");
    double want = atan2(sin(in), cos(in) * cos(b));
    assert_near(remainder(out - want, 2 * TR_PI), 0, 1e-6, "angle of the driven shaft at %g", in);
    assert_near(out, in, 0.5, "and its turns");
    double ratio = cos(b) / (1 - sin(b) * sin(b) * cos(in) * cos(in));
    double speed = read_output(&k, "out_angle.rate");
    assert_near(speed, ratio * read_output(&k, "in.wz"), 1e-4, "speed of the driven shaft");
  }
  assert_near(read_output(&k, "energy.total"), 0.5 * 5 * 9 + 0.5 * 0.02 * pow(3 / cos(b), 2), 1e-4,
              "energy");
  stop(&k);
}

static void constant_velocity(void **unused) {
  (void)unused;
  machine k = start(SHAFTS("constant-velocity"), "gen-alpha:rho=0.9,index=2", 1e-3, 4);
  for (int i = 1; i <= 8; i++) {
    go_to(&k, 0.5 * i);
    assert_near(read_output(&k, "bearing.angle"), 1.5 * i, 1e-8, "driving shaft");
    assert_near(read_output(&k, "out_angle.angle"), 1.5 * i, 1e-8, "driven shaft");
    assert_near(read_output(&k, "j.bend"), 40 * TR_PI / 180, 1e-9, "angle between them");
  }
  stop(&k);
}

// ---- screws, racks, gears -----------------------------------------------------------------------

// A nut sinks along its screw: s'' = -m g/(m + J (2 pi/p)^2), twenty turns.
static void screw(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\n"
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  nut: {type: spatial, mass: 1, inertia: [1, 1, 0.01], position: [0, 0, 1]}\n"
      "joints:\n"
      "  thread: {type: screw, bodies: [ground, nut], at: [0, 0, 0], pitch: 0.1}\n",
      "gen-alpha:rho=0.9,index=2", 1e-3, 4);
  double turn = 2 * TR_PI / 0.1, a = -9.81 / (1 + 0.01 * turn * turn);
  for (int i = 1; i <= 4; i++) {
    go_to(&k, i);
    assert_near(read_output(&k, "thread.s"), 0.5 * a * i * i, 1e-5, "way at %d s", i);
    assert_near(read_output(&k, "nut.z"), 1 + 0.5 * a * i * i, 1e-5, "height at %d s", i);
    assert_near(read_output(&k, "thread.angle"), turn * 0.5 * a * i * i, 1e-3, "angle at %d s", i);
  }
  assert_true(read_output(&k, "thread.angle") < -19 * 2 * TR_PI);
  stop(&k);
}

// T on the pinion: s'' = T r/(J + m r^2); in the plane, and in space about an axis askew.
static void rack_and_pinion(void **unused) {
  (void)unused;
  static const char *const text[] = {
      "trammel: 1\n"
      "bodies:\n"
      "  pinion: {type: planar, mass: 1, inertia: 0.02}\n"
      "  rack: {type: planar, mass: 3, inertia: 1, position: [0, -0.1]}\n"
      "joints:\n"
      "  rack_drive: {type: rack-and-pinion, joints: [hinge, slide], radius: 0.1}\n"
      "  hinge: {type: revolute, bodies: [ground, pinion], at: [0, 0]}\n"
      "  slide: {type: prismatic, bodies: [ground, rack], at: [0, -0.1], axis: [1, 0]}\n"
      "forces:\n"
      "  motor: {type: torsion-spring, markers: [ground, pinion], torque: 0.5}\n",
      "trammel: 1\n"
      "bodies:\n"
      "  pinion: {type: spatial, mass: 1, inertia: 0.02}\n"
      "  rack: {type: spatial, mass: 3, inertia: 1, position: [0, -0.1]}\n"
      "joints:\n"
      "  hinge: {type: revolute, bodies: [ground, pinion], at: [0, 0], axis: [1, 2, 2]}\n"
      "  slide: {type: prismatic, bodies: [ground, rack], at: [0, -0.1], axis: [2, -1, 0]}\n"
      "  rack_drive: {type: rack-and-pinion, joints: [hinge, slide], radius: 0.1}\n"
      "forces:\n"
      "  motor: {type: torsion-spring, markers: [{orientation: {z-axis: [1, 2, 2]}}, {body: "
      "pinion, orientation: {z-axis: [1, 2, 2]}}], torque: 0.5}\n"};
  for (int n = 0; n < 2; n++) {
    machine k = start(text[n], "gen-alpha:rho=0.9,index=2", 1e-3, 4);
    double a = 0.5 * 0.1 / (0.02 + 3 * 0.01);
    go_to(&k, 4);
    assert_near(read_output(&k, "slide.s"), 8 * a, 1e-4, "way");
    assert_near(read_output(&k, "hinge.angle"), 80 * a, 1e-3, "twelve turns");
    assert_true(read_output(&k, "rack_drive.tz") < 0); // the mesh holds the pinion back
    stop(&k);
  }
}

// T on the first wheel: a_1 = T/(J_1 + J_2/i^2), a_2 = -+a_1/i.
static void gears(void **unused) {
  (void)unused;
  static const char *const text[] = {
      "trammel: 1\n"
      "bodies:\n"
      "  small: {type: planar, mass: 1, inertia: 0.02}\n"
      "  large: {type: planar, mass: 4, inertia: 0.3, position: [0.4, 0]}\n"
      "joints:\n"
      "  hinge_s: {type: revolute, bodies: [ground, small], at: [0, 0]}\n"
      "  hinge_l: {type: revolute, bodies: [ground, large], at: [0.4, 0]}\n"
      "  mesh: {type: gear, joints: [hinge_s, hinge_l], ratio: 3}\n"
      "forces:\n"
      "  motor: {type: torsion-spring, markers: [ground, small], torque: 0.5}\n",
      "trammel: 1\n"
      "bodies:\n"
      "  small: {type: spatial, mass: 1, inertia: 0.02}\n"
      "  large: {type: spatial, mass: 4, inertia: 0.3, position: [0.4, 0]}\n"
      "joints:\n"
      "  hinge_s: {type: revolute, bodies: [ground, small], at: [0, 0]}\n"
      "  hinge_l: {type: revolute, bodies: [ground, large], at: [0.4, 0]}\n"
      "  mesh: {type: gear, joints: [hinge_s, hinge_l], ratio: 3, mesh: internal}\n"
      "forces:\n"
      "  motor: {type: torsion-spring, markers: [ground, small], torque: 0.5}\n"};
  for (int n = 0; n < 2; n++) {
    machine k = start(text[n], "gen-alpha:rho=0.9,index=2", 1e-3, 4);
    double a = 0.5 / (0.02 + 0.3 / 9);
    go_to(&k, 4);
    assert_near(read_output(&k, "hinge_s.angle"), 8 * a, 1e-4, "small wheel");
    assert_near(read_output(&k, "hinge_l.angle"), (n == 0 ? -8 : 8) * a / 3, 1e-4, "large wheel");
    // the mesh's torque on the small wheel is what the large one needs
    assert_near(read_output(&k, "mesh.tz"), -0.3 * a / 9, 1e-4, "torque in the mesh");
    stop(&k);
  }
}

// Willis: sun of 20 teeth, planets of 15, ring of 50 held: carrier/sun = 20/(20 + 50).
static void epicyclic(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\n"
      "bodies:\n"
      "  sun: {type: planar, mass: 1, inertia: 0.01, omega: 7, keep: [omega]}\n"
      "  carrier: {type: planar, mass: 1, inertia: 0.05}\n"
      "  planet: {type: planar, mass: 0.5, inertia: 0.004, position: [0.35, 0]}\n"
      "joints:\n"
      "  axle: {type: revolute, markers: [carrier, ground]}\n"
      "  sun_pin: {type: revolute, markers: [carrier, sun]}\n"
      "  planet_pin: {type: revolute, bodies: [carrier, planet], at: [0.35, 0]}\n"
      "  outer: {type: gear, joints: [planet_pin, axle], ratio: 50/15, mesh: internal}\n"
      "  inner: {type: gear, joints: [sun_pin, planet_pin], ratio: 15/20}\n",
      "gen-alpha:rho=0.9,index=2", 1e-3, 10);
  go_to(&k, 10);
  assert_near(read_output(&k, "sun.omega"), 7, 1e-6, "sun");
  assert_near(read_output(&k, "carrier.omega"), 2, 1e-6, "carrier");
  assert_near(read_output(&k, "carrier.angle"), 20, 1e-5, "angle of the carrier");
  assert_near(read_output(&k, "planet.omega"), 2 * (1 - 50. / 15), 1e-6, "planet");
  stop(&k);
}

// Two weights on vertical slides: 2 s_1 + s_2 = c, a tackle. m_1 g s_1 + m_2 g s_2, Lagrange:
// a_1 = -g (m_1 - 2 m_2)/(m_1 + 4 m_2).
static void coupler(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\n"
      "gravity: [0, -10]\n"
      "bodies:\n"
      "  one: {type: planar, mass: 3, inertia: 1}\n"
      "  two: {type: planar, mass: 1, inertia: 1, position: [1, 0]}\n"
      "joints:\n"
      "  rope: {type: coupler, joints: [slide_1, slide_2], scales: [2, 1]}\n"
      "  slide_1: {type: prismatic, bodies: [ground, one], at: [0, 0], axis: [0, 1]}\n"
      "  slide_2: {type: prismatic, bodies: [ground, two], at: [1, 0], axis: [0, 1]}\n",
      "gen-alpha:rho=0.9,index=2", 1e-3, 2);
  double a = -10 * (3 - 2.) / (3 + 4.);
  go_to(&k, 2);
  assert_near(read_output(&k, "one.y"), 2 * a, 1e-6, "first weight");
  assert_near(read_output(&k, "slide_2.s"), -4 * a, 1e-6, "second weight");
  stop(&k);
}

// ---- linkages -----------------------------------------------------------------------------------

// Freudenstein: K1 cos t4 - K2 cos t2 + K3 = cos(t2 - t4) for links a (crank), b, c (rocker), d
// (ground), K1 = d/a, K2 = d/c, K3 = (a^2 - b^2 + c^2 + d^2)/(2 a c).
static void freudenstein(void **unused) {
  (void)unused;
  const double a = 1, b = 2, c = 1.5, d = 2.2;
  machine k = start(
      "trammel: 1\n"
      "parameters: {a: 1, b: 2, c: 1.5, d: 2.2}\n"
      "bodies:\n"
      "  crank: {type: planar, mass: 1, inertia: 5, omega: 6, keep: [angle, omega]}\n"
      "  rod: {type: planar, mass: 0.1, inertia: 0.05, position: [a, 0], angle: 0.7}\n"
      "  rocker: {type: planar, mass: 0.1, inertia: 0.05, position: [d, 0], angle: 1.5}\n"
      "joints:\n"
      "  O2: {type: revolute, markers: [ground, crank]}\n"
      "  A: {type: revolute, markers: [{body: crank, at: [a, 0]}, rod]}\n"
      "  B: {type: revolute, markers: [{body: rod, at: [b, 0]}, {body: rocker, at: [c, 0]}]}\n"
      "  O4: {type: revolute, markers: [{at: [d, 0]}, rocker]}\n",
      "gen-alpha:rho=0.9,index=2", 1e-3, 3);
  for (int i = 1; i <= 30; i++) {
    go_to(&k, 0.1 * i);
    double t2 = read_output(&k, "O2.angle"), t4 = read_output(&k, "O4.angle");
    double K3 = (a * a - b * b + c * c + d * d) / (2 * a * c);
    assert_near(d / a * cos(t4) - d / c * cos(t2) + K3, cos(t2 - t4), 1e-9, "at %g", t2);
  }
  assert_true(read_output(&k, "O2.angle") > 4 * TR_PI);
  stop(&k);
}

// ---- what the heads of shipped models say -------------------------------------------------------

static void shipped_shaft(void **unused) {
  (void)unused;
  const char *const turned[] = {"phase=90", NULL};
  machine k = shipped("universal_shaft.yaml", NULL);
  double wobble = 0;
  for (int i = 1; i <= 20; i++) {
    go_to(&k, i / 20.);
    assert_near(read_output(&k, "output.wz"), read_output(&k, "input.wz"), 1e-6, "in phase");
    assert_near(read_output(&k, "bearing_out.angle"), read_output(&k, "bearing_in.angle"), 1e-9,
                "in phase");
  }
  stop(&k);
  k = shipped("universal_shaft.yaml", turned);
  for (int i = 1; i <= 64; i++) {
    go_to(&k, i / 64.);
    wobble = fmax(wobble, read_output(&k, "output.wz") / read_output(&k, "input.wz"));
  }
  assert_near(wobble, pow(cos(25 * TR_PI / 180), -2), 0.02, "out of phase: 1/cos^2");
  stop(&k);
}

// Fast wheels in space: by several turns in a step, and for thousands of turns. The count of turns
// follows the speed, and the mesh is as sharp in the end as in the beginning.
static void fast_gears(void **unused) {
  (void)unused;
  static const struct {
    const char *ratio;
    double value, h, end;
  } cases[] = {{"ratio: 2}", 2, 1e-3, 1},
               {"ratio: 2}", 2, 1e-2, 1},
               {"ratio: 2.7182818}", 2.7182818, 3e-2, 30}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "bodies:\n"
             "  a: {type: spatial, mass: 1, inertia: 1, omega: [0, 0, 400], keep: [wz]}\n"
             "  b: {type: spatial, mass: 1, inertia: 1, position: [1, 0, 0]}\n"
             "joints:\n"
             "  p: {type: revolute, bodies: [ground, a], at: [0, 0, 0]}\n"
             "  q: {type: revolute, bodies: [ground, b], at: [1, 0, 0]}\n"
             "  mesh: {type: gear, joints: [p, q], %s\n",
             cases[i].ratio);
    machine k = start(text, "hht-i3", cases[i].h, cases[i].end);
    double turned = 400 * cases[i].end;
    go_to(&k, cases[i].end);
    assert_near(read_output(&k, "a.wz"), 400, 1e-7, "speed");
    assert_near(read_output(&k, "p.angle"), turned, 1e-9 * turned, "angle of the first wheel");
    assert_near(read_output(&k, "q.angle"), -turned / cases[i].value, 1e-9 * turned, "the second");
    stop(&k);
  }
}

// A hinge driven through 16,000 turns: the law's angle is large, what the row leaves open is not.
static void fast_motor(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\n"
      "bodies:\n"
      "  a: {type: spatial, mass: 1, inertia: 1}\n"
      "joints:\n"
      "  p: {type: revolute, bodies: [ground, a], at: [0, 0, 0]}\n"
      "  m: {type: motion, joint: p, position: 1e4*time}\n",
      "hht-i3", 1e-3, 10);
  go_to(&k, 10);
  assert_near(read_output(&k, "p.angle"), 1e5, 1e-9, "angle");
  stop(&k);
}

static void shipped_rack(void **unused) {
  (void)unused;
  machine k = shipped("rack_and_pinion.yaml", NULL);
  double r = 8e-3, w = sqrt((2000 * r * r + 1.5) / (5e-4 + 4 * r * r));
  go_to(&k, 0.25);
  assert_near(read_output(&k, "slide.s"), 0.02 * cos(w * 0.25), 1e-4, "rack");
  assert_near(read_output(&k, "hinge.angle"), 0.02 / r * cos(w * 0.25), 1e-2, "pinion");
  stop(&k);
}

static void shipped_epicyclic(void **unused) {
  (void)unused;
  machine k = shipped("epicyclic_gear.yaml", NULL);
  go_to(&k, 2);
  assert_near(read_output(&k, "carrier.omega"), read_output(&k, "sun.omega") * 20 / 70, 1e-4,
              "carrier");
  // settled: the load's torque is the motor's times the ratio
  assert_near(read_output(&k, "load.f"), -0.5 * 3.5, 1e-6, "load");
  stop(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hooke),
      cmocka_unit_test(constant_velocity),
      cmocka_unit_test(screw),
      cmocka_unit_test(rack_and_pinion),
      cmocka_unit_test(gears),
      cmocka_unit_test(fast_gears),
      cmocka_unit_test(fast_motor),
      cmocka_unit_test(epicyclic),
      cmocka_unit_test(coupler),
      cmocka_unit_test(freudenstein),
      cmocka_unit_test(shipped_shaft),
      cmocka_unit_test(shipped_rack),
      cmocka_unit_test(shipped_epicyclic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
