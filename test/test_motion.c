// SPDX-License-Identifier: Apache-2.0
// Motions, forces and constraints by laws in mechanisms whose motion is known.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_mechanics.h"
#include "math/v3.h"

typedef struct machine {
  mechanism m;
  tr_run *run;
} machine;

static machine start(const char *text, const char *method, double step, double end) {
  machine k = {.m = load_text(text)};
  k.run = new_run(k.m.sys, method, step, end);
  return k;
}

static void go_to(machine *k, double t) {
  tr_error error = {0};
  if (tr_run_to(k->run, t, &error) != TR_OK) fail_msg("%s", error.text);
}

static double read(const machine *k, const char *name) {
  return output(k->m.sys, tr_run_state(k->run), name);
}

// At the state's q and v, with the accelerations and multipliers that belong to them.
static double read_exact(const machine *k, const char *name) {
  tr_state x;
  tr_error error = {0};
  assert_int_equal(tr_state_new(k->m.sys, &x, NULL), TR_OK);
  tr_state_copy(&x, tr_run_state(k->run));
  if (tr_accelerations(k->m.sys, &x, &error) != TR_OK) fail_msg("%s", error.text);
  double value = output(k->m.sys, &x, name);
  tr_state_free(k->m.sys, &x);
  return value;
}

static void stop(machine *k) {
  tr_run_free(k->run);
  unload(&k->m);
}

// ---- slider crank -------------------------------------------------------------------------------------

#define R 0.3
#define L 0.6
#define CRANK(drive)                                                          \
  "trammel: 1\n"                                                              \
  "parameters: {r: 0.3, l: 0.6}\n"                                            \
  "gravity: [0, -9.81]\n"                                                     \
  "bodies:\n"                                                                 \
  "  crank: {type: planar, mass: 3, inertia: 0.02, position: [r/2, 0]}\n"     \
  "  rod: {type: planar, mass: 0.9, inertia: 0.03, position: [r + l/2, 0]}\n" \
  "  slider: {type: planar, mass: 1, inertia: 1, position: [r + l, 0]}\n"     \
  "joints:\n"                                                                 \
  "  drive: {type: motion, joint: A, " drive                                  \
  "}\n"                                                                       \
  "  A: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"              \
  "  B: {type: revolute, bodies: [crank, rod], at: [r, 0]}\n"                 \
  "  C: {type: revolute, bodies: [rod, slider], at: [r + l, 0]}\n"            \
  "  S: {type: prismatic, markers: [ground, slider]}\n"

// th = 8 t + 0.5 sin 3 t: many turns; x = r cos th + sqrt(l^2 - r^2 sin^2 th) and its derivatives.
static void crank_at(double t, double x[3]) {
  double th = 8 * t + 0.5 * sin(3 * t), w = 8 + 1.5 * cos(3 * t), al = -4.5 * sin(3 * t);
  double s = sin(th), c = cos(th), u = L * L - R * R * s * s, q = sqrt(u);
  double u1 = -2 * R * R * s * c, u2 = -2 * R * R * (c * c - s * s); // by th
  double q1 = u1 / (2 * q), q2 = u2 / (2 * q) - u1 * u1 / (4 * q * u);
  x[0] = R * c + q;
  x[1] = (-R * s + q1) * w;
  x[2] = (-R * c + q2) * w * w + (-R * s + q1) * al;
}

static void slider_crank(void **unused) {
  (void)unused;
  // the same motion by its law, its rate and its acceleration; the latter go on from the start
  static const char *const text[] = {
      CRANK("position: 8*time + 0.5*sin(3*time)"),
      CRANK("velocity: 8 rad/s + 1.5*cos(3*time)"),
      CRANK("acceleration: -4.5*sin(3*time)"),
  };
  for (int k = 0; k < 3; k++) {
    char given[2048];
    snprintf(given, sizeof given, "%s", text[k]);
    if (k == 2) { // its rate at the start
      char *at = strstr(given, "inertia: 0.02");
      memmove(at + 13 + 12, at + 13, strlen(at + 13) + 1);
      memcpy(at + 13, ", omega: 9.5", 12);
    }
    machine m = start(given, "gen-alpha:rho=0.9,index=2", 1e-3, 3);
    for (int i = 1; i <= 10; i++) {
      double x[3], t = 0.3 * i;
      go_to(&m, t);
      crank_at(t, x);
      assert_near(read(&m, "A.angle"), 8 * t + 0.5 * sin(3 * t), 1e-11, "angle, %d, t = %g", k, t);
      assert_near(read(&m, "slider.x"), x[0], 1e-11, "x, %d, t = %g", k, t);
      assert_near(read_exact(&m, "slider.vx"), x[1], 1e-7, "vx, %d, t = %g", k, t);
      assert_near(read_exact(&m, "slider.ax"), x[2], 1e-6, "ax, %d, t = %g", k, t);
    }
    stop(&m);
  }
}

// The power of the drive is what the energy gains.
static void power(void **unused) {
  (void)unused;
  machine m =
      start(CRANK("position: 8*time + 0.5*sin(3*time)"), "gen-alpha:rho=0.9,index=2", 1e-3, 3);
  double h = 1e-3, E[3];
  for (int i = 0; i < 3; i++) {
    go_to(&m, 0.7 + i * h);
    E[i] = read(&m, "energy.total");
    if (i != 1) continue;
    double t = 0.7 + h, P = read_exact(&m, "drive.tz") * (8 + 1.5 * cos(3 * t));
    go_to(&m, 0.7 + 2 * h);
    E[2] = read(&m, "energy.total");
    assert_near((E[2] - E[0]) / (2 * h), P, 1e-3 * fabs(P), "power");
    break;
  }
  stop(&m);
}

// ---- spatial motions ----------------------------------------------------------------------------------

// A turntable about a slanted axis, a slide on it: many turns, and the angles count on.
static void turntable(void **unused) {
  (void)unused;
  static const char text[] =
      "trammel: 1\n"
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  table: {type: spatial, mass: 2, inertia: [1, 1, 2], orientation: {x: 30 deg}}\n"
      "  block: {type: spatial, mass: 1, inertia: 0.1, orientation: {x: 30 deg}}\n"
      "markers:\n"
      "  axis: {orientation: {x: 30 deg}}\n"
      "  rail: {body: table, orientation: {y: 90 deg}}\n"
      "  shoe: {body: block, orientation: {y: 90 deg}}\n"
      "joints:\n"
      "  spin: {type: revolute, markers: [axis, table]}\n"
      "  slide: {type: prismatic, markers: [rail, shoe]}\n"
      "  turn: {type: motion, joints: [spin], velocity: \"5*step(time, 0, 0, 1, 1)\"}\n"
      "  push: {type: motion, joint: slide, position: 0.2 m * sin(2*time)}\n";
  machine m = start(text, "gen-alpha:rho=0.9,index=2", 1e-3, 4);
  go_to(&m, 4);
  // the cubic step has the integral 1/2 over its length
  double th = 5 * (0.5 + 3), s = 0.2 * sin(8);
  assert_near(read(&m, "spin.angle"), th, 1e-9, "angle");
  assert_near(read(&m, "slide.s"), s, 1e-12, "way");
  assert_near(read(&m, "block.x"), s * cos(th), 1e-9, "x");
  assert_near(read(&m, "block.y"), s * sin(th) * cos(TR_PI / 6), 1e-9, "y");
  assert_near(read(&m, "block.z"), s * sin(th) * sin(TR_PI / 6), 1e-9, "z");
  stop(&m);
}

// A marker led along three ways and a rotation: the start is assembled, then it follows.
static void led(void **unused) {
  (void)unused;
  static const char text[] =
      "trammel: 1\n"
      "bodies:\n"
      "  b: {type: spatial, mass: 2, inertia: [1, 2, 3], position: [0.1, 0, 0.1]}\n"
      "joints:\n"
      "  x: {type: motion, markers: [ground, b], along: x, position: 0.3*cos(time)}\n"
      "  y: {type: motion, markers: [ground, b], along: y, position: 0.2*sin(2*time)}\n"
      "  z: {type: motion, markers: [ground, b], along: z, acceleration: 0.4}\n"
      "  up: {type: parallel, markers: [ground, b]}\n"
      "  rz: {type: motion, markers: [ground, b], along: rz, position: 3*time}\n";
  machine m = start(text, "gen-alpha:rho=0.9,index=2", 1e-3, 3);
  go_to(&m, 3);
  assert_near(read(&m, "b.x"), 0.3 * cos(3), 1e-11, "x");
  assert_near(read(&m, "b.y"), 0.2 * sin(6), 1e-11, "y");
  assert_near(read(&m, "b.z"), 0.1 + 0.2 * 9, 1e-11, "z");
  assert_near(read_exact(&m, "b.wz"), 3, 1e-10, "wz");
  assert_near(read_exact(&m, "b.ax"), -0.3 * cos(3), 1e-8, "ax");
  assert_near(read_exact(&m, "x.fx"), -2 * 0.3 * cos(3), 1e-8, "force");
  stop(&m);
}

// ---- shipped models -----------------------------------------------------------------------------------

static machine ship(const char *name, double end) {
  machine k = {.m = load_model(name, NULL)};
  k.run = new_run(k.m.sys, NULL, 1e-3, end);
  return k;
}

// Forward kinematics: yaw a, shoulder b, elbow c.
static void robot_arm(void **unused) {
  (void)unused;
  machine m = ship("robot_arm.yaml", 2);
  for (int i = 1; i <= 8; i++) {
    double t = 0.25 * i, u = fmin(t, 1), deg = TR_PI / 180;
    double a = 120 * deg * u * u * u * (10 + u * (6 * u - 15));
    double b = 40 * deg * pow(sin(TR_PI * t), 2), c = -60 * deg * (1 - cos(3 * t));
    double reach = 0.5 * cos(b) + 0.4 * cos(b + c);
    go_to(&m, t);
    assert_near(read(&m, "hand.x"), reach * cos(a), 1e-10, "x at %g", t);
    assert_near(read(&m, "hand.y"), reach * sin(a), 1e-10, "y at %g", t);
    assert_near(read(&m, "hand.z"), 0.6 + 0.5 * sin(b) + 0.4 * sin(b + c), 1e-10, "z at %g", t);
    assert_near(read(&m, "elbow.angle"), c, 1e-10, "elbow at %g", t);
  }
  stop(&m);
}

// The rocker points from its pivot to the crank's pin; the ram is a link's length off its tip.
static void quick_return(void **unused) {
  (void)unused;
  machine m = ship("quick_return.yaml", 2);
  for (int i = 1; i <= 16; i++) {
    double t = 0.125 * i, th = 2 * TR_PI * t;
    double rocker = atan2(0.25 + 0.1 * sin(th), 0.1 * cos(th)), drop = 0.5 - 0.5 * sin(rocker);
    go_to(&m, t);
    assert_near(read(&m, "shaft.angle"), th, 1e-10, "crank at %g", t);
    assert_near(read(&m, "rocker.angle"), rocker, 1e-9, "rocker at %g", t);
    assert_near(read(&m, "ram.x"), 0.5 * cos(rocker) + sqrt(0.04 - drop * drop), 1e-9, "ram at %g",
                t);
  }
  stop(&m);
}

// The table's acceleration, linear between its points, integrated twice by hand at t = 0.1 and beyond.
static void shake_table(void **unused) {
  (void)unused;
  machine m = ship("shake_table.yaml", 0.25);
  go_to(&m, 0.1);
  assert_near(read(&m, "table.x"), 0.8 * 0.01 / 6, 1e-12, "x");
  go_to(&m, 0.25);
  // on the second piece a = 0.8 - 2.9 s/0.15
  assert_near(read(&m, "table.x"),
              0.8 * 0.01 / 6 + 0.04 * 0.15 + 0.8 * 0.0225 / 2 - 2.9 / 0.15 * 0.003375 / 6, 1e-12,
              "x");
  assert_near(read_exact(&m, "table.vx"), 0.04 + 0.8 * 0.15 - 2.9 * 0.15 / 2, 1e-4, "vx");
  stop(&m);
}

// ---- a pendulum on a moving pivot, against its equation in one angle -------------------------------------

// (J + m l^2) th'' = -m l (g sin th + X'' cos th),  X = 0.1 sin 7 t
static tr_status mass(const tr_problem *p, const double *q, double *M) {
  (void)p, (void)q;
  M[0] = 0.02 + 1.5 * 0.25;
  return TR_OK;
}
static tr_status force(const tr_problem *p, double t, const double *q, const double *v, double *Q) {
  (void)p, (void)v;
  double X = -4.9 * sin(7 * t);
  Q[0] = -1.5 * 0.5 * (9.81 * sin(q[0]) + X * cos(q[0]));
  return TR_OK;
}

static void moving_pivot(void **unused) {
  (void)unused;
  static const double q0[] = {0.4};
  tr_problem problem = {.n = 1, .q0 = q0, .constant_mass = true, .mass = mass, .force = force};
  static const char text[] =
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "parameters: {th: 0.4}\n"
      "bodies:\n"
      "  cart: {type: planar, mass: 1, inertia: 1}\n"
      "  rod: {type: planar, mass: 1.5, inertia: 0.02, position: [0.5*sin(th), -0.5*cos(th)],"
      " angle: th, velocity: [0.7, 0], keep: [omega]}\n"
      "joints:\n"
      "  rail: {type: prismatic, markers: [ground, cart]}\n"
      "  pin: {type: revolute, bodies: [cart, rod], at: [0, 0]}\n"
      "  shake: {type: motion, joint: rail, position: 0.1*sin(7*time)}\n";
  machine m = start(text, "gen-alpha:rho=1", 2e-4, 4), p = {.m = load_problem(&problem)};
  p.run = new_run(p.m.sys, "gen-alpha:rho=1", 2e-4, 4);
  for (int i = 1; i <= 8; i++) {
    go_to(&m, 0.5 * i), go_to(&p, 0.5 * i);
    assert_near(read(&m, "rod.angle"), read(&p, "p.q1"), 1e-5, "angle at %g", 0.5 * i);
  }
  stop(&m), stop(&p);
}

// ---- laws against what is built in ------------------------------------------------------------------------

#define PENDULUM(joints, forces)                                                     \
  "trammel: 1\n"                                                                     \
  "gravity: [0, 0, -9.81]\n"                                                         \
  "bodies:\n"                                                                        \
  "  b: {type: spatial, mass: 2, inertia: [0.3, 0.2, 0.1], position: [1.2, 0.3, 0]," \
  " omega: [0.5, 1, -0.3]}\n"                                                        \
  "markers:\n"                                                                       \
  "  hook: {body: b, at: [-0.2, 0, 0.1]}\n"                                          \
  "  far: {at: [0.1, -0.2, 0.9]}\n"                                                  \
  "joints: {" joints                                                                 \
  "}\n"                                                                              \
  "forces: {" forces "}\n"

// With a tight iteration, since what it leaves differs.
static machine start_tight(const char *text) {
  machine k = {.m = load_text(text)};
  tr_run_settings s = tr_run_defaults();
  tr_error error = {0};
  s.method = "gen-alpha:rho=0.9", s.step = 1e-3, s.end = 1, s.newton.tol = 1e-13;
  if (tr_run_new(k.m.sys, &s, NULL, &k.run, &error) != TR_OK) fail_msg("%s", error.text);
  return k;
}

static void same_motion(const char *a, const char *b) {
  machine m = start_tight(a), n = start_tight(b);
  static const char *const name[] = {"b.x", "b.y", "b.z", "b.e1", "b.e2", "b.e3", "b.wx"};
  go_to(&m, 1), go_to(&n, 1);
  for (int i = 0; i < 7; i++)
    assert_near(read(&m, name[i]), read(&n, name[i]), 1e-9, "%s of %s", name[i], b);
  stop(&m), stop(&n);
}

static void same(void **unused) {
  (void)unused;
  same_motion(PENDULUM("d: {type: distance, markers: [ground, hook], length: sqrt(1.1)}", ""),
              PENDULUM("d: {type: expression, phi: \"DM(hook) - sqrt(1.1)\"}", ""));
  same_motion(PENDULUM("d: {type: distance, markers: [far, hook], length: sqrt(1.7)}", ""),
              PENDULUM("d: {type: expression, phi: \"DX(hook, far)^2 + DY(hook, far)^2 + "
                       "DZ(hook, far, ground)^2 - 1.7\"}",
                       ""));
  same_motion(PENDULUM("d: {type: point-on-plane, markers: [{at: [0, 0, 0.1]}, hook]}", ""),
              PENDULUM("d: {type: expression, phi: \"DZ(hook, far, far) + 0.8\"}", ""));
  same_motion(PENDULUM("",
                       "s: {type: spring-damper, markers: [far, hook], stiffness: 60, "
                       "damping: 3, free-length: 0.7}"),
              PENDULUM("",
                       "s: {type: spring-damper, markers: [far, hook], "
                       "force: -60*(length - 0.7) - 3*rate}"));
  same_motion(PENDULUM("",
                       "s: {type: spring-damper, markers: [far, hook], stiffness: 60, "
                       "damping: 3, free-length: 0.7}"),
              PENDULUM("",
                       "s: {type: spring-damper, markers: [far, hook], "
                       "force: \"-60*(DM(hook, far) - 0.7) - 3*VR(hook, far)\"}"));
  same_motion(PENDULUM("",
                       "s: {type: spring-damper, markers: [ground, b], stiffness: 60, "
                       "damping: 3, free-length: 0}"),
              PENDULUM("",
                       "s: {type: force, markers: [b], force: [\"-60*DX(b) - 3*VR(b)*DX(b)/"
                       "DM(b)\", \"-60*DY(b) - 3*VR(b)*DY(b)/DM(b)\", \"-60*DZ(b) - "
                       "3*VR(b)*DZ(b)/DM(b)\"]}"));
  same_motion(PENDULUM("j: {type: revolute, markers: [far, hook]}",
                       "s: {type: torsion-spring, joint: j, stiffness: 4, damping: 0.3}"),
              PENDULUM("j: {type: revolute, markers: [far, hook]}",
                       "s: {type: torsion-spring, joint: j, torque: \"-4*angle - 0.3*rate\"}"));
  same_motion(PENDULUM("j: {type: revolute, markers: [far, hook]}",
                       "s: {type: torsion-spring, joint: j, stiffness: 4, damping: 0.3}"),
              PENDULUM("j: {type: revolute, markers: [far, hook]}",
                       "s: {type: torque, markers: [hook], frame: far, torque: [0, 0, \"-4*AZ(hook,"
                       " far) - 0.3*WZ(hook, far, far)\"]}"));
  same_motion(PENDULUM("", "g: {type: force, markers: [b], force: [0, 0, 3 N]}"),
              PENDULUM("",
                       "g: {type: force, markers: [b], frame: hook, force: [3*sin(0), 0, 0]}, "
                       "h: {type: force, markers: [b], frame: far, force: [0, 0, 3*1^time]}"));
}

// A velocity that jumps anywhere within a step, however near its ends: the way is its integral.
static void jump_of_a_velocity(void **state) {
  (void)state;
  static const char *const text =
      "trammel: 1\n"
      "bodies:\n"
      "  q: {type: planar-point, mass: 1}\n"
      "joints:\n"
      "  m: {type: motion, markers: [ground, q], along: x, velocity: \"if(time < 0.3703, 1, "
      "0.2)\"}\n";
  static const double end[] = {0.37032, 0.3704, 0.371, 0.38, 0.4, 0.5, 0.9, 3, 37};
  for (int i = 0; i < 9; i++) {
    machine k = start(text, "hht-i3", end[i], end[i]);
    go_to(&k, end[i]);
    assert_near(read(&k, "q.x"), 0.3703 + 0.2 * (end[i] - 0.3703), 1e-9, "%g", end[i]);
    stop(&k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slider_crank), cmocka_unit_test(power),
      cmocka_unit_test(turntable),    cmocka_unit_test(led),
      cmocka_unit_test(moving_pivot), cmocka_unit_test(same),
      cmocka_unit_test(robot_arm),    cmocka_unit_test(quick_return),
      cmocka_unit_test(shake_table),  cmocka_unit_test(jump_of_a_velocity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
