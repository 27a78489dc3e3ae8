// SPDX-License-Identifier: Apache-2.0
// Cases as other programs ship them for validation, in other positions and with other laws, against
// solutions that are known: Newton and Euler for every joint's reactions, equations of motion in minimal
// coordinates, closed forms.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_machine.h"
#include "math/v3.h"

static void vector(const machine *k, const char *element, const char *const part[3],
                   double out[3]) {
  char name[64];
  for (int i = 0; i < 3; i++) {
    snprintf(name, sizeof name, "%s.%s", element, part[i]);
    out[i] = read_output(k, name);
  }
}

static const char *const X[] = {"x", "y", "z"}, *const A[] = {"ax", "ay", "az"},
                         *const W[] = {"wx", "wy", "wz"}, *const AL[] = {"alx", "aly", "alz"},
                         *const F[] = {"fx", "fy", "fz"}, *const T[] = {"tx", "ty", "tz"};

static void rotation(const machine *k, const char *body, double R[9]) {
  char name[64];
  double e[4];
  for (int i = 0; i < 4; i++) {
    snprintf(name, sizeof name, "%s.e%d", body, i);
    e[i] = read_output(k, name);
  }
  quat_to_m3(e, R);
}

// ---- reactions --------------------------------------------------------------------------------------

// Body b with centre of mass at its origin, joint j from ground to marker m on it, gravity:
//   F = m (a - g),   T + (p_m - p) x F = J al + w x J w, global axes.
static void check_reactions(const machine *k, const double J[3], const char *what) {
  double p[3], m[3], a[3], w[3], al[3], f[3], t[3], R[9], Jw[3], Jal[3], body[3], arm[3], x[3],
      y[3];
  vector(k, "b", X, p), vector(k, "m", X, m), vector(k, "b", A, a), vector(k, "b", W, w);
  vector(k, "b", AL, al), vector(k, "j", F, f), vector(k, "j", T, t);
  rotation(k, "b", R);
  double want[3] = {a[0], a[1], a[2] + 9.80665};
  double size = 1 + v3_norm(want);
  assert_all_near(3, f, want, 1e-6 * size, "%s: force", what);
  m3_tmul(R, w, body);
  for (int i = 0; i < 3; i++) body[i] *= J[i];
  m3_mul(R, body, Jw);
  m3_tmul(R, al, body);
  for (int i = 0; i < 3; i++) body[i] *= J[i];
  m3_mul(R, body, Jal);
  for (int i = 0; i < 3; i++) arm[i] = m[i] - p[i];
  v3_cross(arm, f, x), v3_cross(w, Jw, y);
  for (int i = 0; i < 3; i++) x[i] += t[i], y[i] += Jal[i];
  assert_all_near(3, x, y, 1e-6 * (size + v3_norm(y)), "%s: torque", what);
}

// Every joint that holds a body to ground, at (1, 2, 3) and turned, the body 2 m away and moving.
static void every_joint(void **unused) {
  (void)unused;
  static const char *const types[] = {
      "revolute",           "prismatic",     "cylindrical",    "spherical",         "universal",
      "constant-velocity",  "planar",        "fixed",          "screw, pitch: 0.3", "distance",
      "revolute-spherical", "point-on-line", "point-on-plane", "parallel",          "perpendicular",
      "orientation"};
  static const char *const turns[] = {"{x: -45 deg}", "[{y: 30 deg}, {x: 100 deg}]"};
  static const double J[3] = {0.04, 0.1, 0.12};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    for (int n = 0; n < 2; n++) {
      char text[1024], what[96];
      bool apart = strstr(types[i], "distance") || strstr(types[i], "revolute-spherical");
      bool square = !strcmp(types[i], "perpendicular");
      snprintf(what, sizeof what, "%s turned %s", types[i], turns[n]);
      snprintf(text, sizeof text,
               "trammel: 1\ngravity: [0, 0, -9.80665]\nbodies:\n"
               "  b: {type: spatial, mass: 1, inertia: [0.04, 0.1, 0.12], position: [3, 2.5, 3.2], "
               "orientation: {z: 40 deg}, velocity: [0.3, -0.2, 0.5], omega: [1, 2, -1]}\n"
               "markers:\n  g: {at: [1, 2, 3], orientation: %s}\n"
               "  m: {body: b, at-global: %s, orientation-global: %s}\n"
               "joints:\n  j: {type: %s, markers: [g, m]}\n",
               turns[n], apart ? "[2, 2.2, 3.1]" : "[1, 2, 3]",
               square ? "[{y: 30 deg}, {x: 10 deg}, {y: 90 deg}]" : turns[n], types[i]);
      if (square && n == 0) continue;
      machine k = start(text, "radau5", 1e-3, 0.4);
      double before = read_output(&k, "energy.total");
      for (int s = 1; s <= 4; s++) {
        go_to(&k, 0.1 * s);
        check_reactions(&k, J, what);
        if (!strcmp(types[i], "distance"))
          assert_near(read_output(&k, "j.length"), sqrt(1 + 0.04 + 0.01), 1e-10, "length");
        assert_near(read_output(&k, "energy.total"), before, 1e-6 * (1 + fabs(before)),
                    "%s: energy", what);
      }
      stop(&k);
    }
}

// ---- hinges -----------------------------------------------------------------------------------------

// th'' = -c sin th from th = a at rest, by Runge-Kutta.
static double swing(double c, double a, double end, double *rate) {
  double y[2] = {a, 0}, h = 1e-4;
  int steps = (int)lround(end / h);
  for (int n = 0; n < steps; n++) {
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double d[2] = {0}, sum[2] = {0};
    for (int j = 0; j < 4; j++) {
      double th = y[0] + at[j] * h * d[0], w = y[1] + at[j] * h * d[1];
      d[0] = w, d[1] = -c * sin(th);
      for (int i = 0; i < 2; i++) sum[i] += weight[j] * d[i];
    }
    for (int i = 0; i < 2; i++) y[i] += h / 6 * sum[i];
  }
  *rate = y[1];
  return y[0];
}

// A hinge whose axis is inclined by b against the horizontal, as in a gate: g cos b pulls.
static void inclined_hinge(void **unused) {
  (void)unused;
  for (int n = 0; n < 3; n++) {
    char text[1024];
    double b = 30 * n * TR_PI / 180, rate;
    // the axis is y turned about x by b; the arm starts along x, level
    snprintf(text, sizeof text,
             "trammel: 1\ngravity: [0, 0, -9.80665]\nbodies:\n"
             "  b: {type: spatial, mass: 1, inertia: [0.04, 0.1, 0.1], position: [3, 2, 3], "
             "orientation: {x: %g deg}}\n"
             "joints:\n  j: {type: revolute, bodies: [ground, b], at: [1, 2, 3], axis: [0, %.17g, "
             "%.17g]}\n",
             30. * n - 90, cos(b), sin(b));
    machine k = start(text, "radau5", 1e-3, 2);
    double c = 9.80665 * cos(b) * 2 / (0.1 + 4);
    for (int s = 1; s <= 4; s++) {
      go_to(&k, 0.5 * s);
      double th = swing(c, TR_PI / 2, 0.5 * s, &rate);
      assert_near(read_output(&k, "j.angle"), TR_PI / 2 - th, 1e-8, "angle, inclined by %d deg",
                  30 * n);
      assert_near(read_output(&k, "b.x"), 1 + 2 * sin(th), 1e-8, "place, inclined by %d deg",
                  30 * n);
      double w[3];
      vector(&k, "b", W, w);
      assert_near(v3_norm(w), fabs(rate), 1e-7, "speed, inclined by %d deg", 30 * n);
    }
    stop(&k);
  }
}

// Torque of a spring by a law that stiffens: J th'' = -20 th - 5 th^3 - th', against Runge-Kutta.
static void stiffening_torsion_spring(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\nbodies:\n"
      "  b: {type: spatial, mass: 1, inertia: [0.04, 0.1, 0.5], orientation: [{y: 70 deg}, {z: 100 "
      "deg}]}\n"
      "markers:\n  g: {orientation: {y: 70 deg}}\n"
      "joints:\n  j: {type: revolute, markers: [g, b]}\n"
      "forces:\n  s: {type: torsion-spring, joint: j, torque: -20*angle - 5*angle^3 - 1*rate}\n",
      "radau5", 1e-3, 3);
  double y[2] = {100 * TR_PI / 180, 0}, h = 1e-4;
  for (int s = 1; s <= 6; s++) {
    for (int n = 0; n < 5000; n++) {
      static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
      double d[2] = {0}, sum[2] = {0};
      for (int j = 0; j < 4; j++) {
        double th = y[0] + at[j] * h * d[0], w = y[1] + at[j] * h * d[1];
        d[0] = w, d[1] = (-20 * th - 5 * th * th * th - w) / 0.5;
        for (int i = 0; i < 2; i++) sum[i] += weight[j] * d[i];
      }
      for (int i = 0; i < 2; i++) y[i] += h / 6 * sum[i];
    }
    go_to(&k, 0.5 * s);
    assert_near(read_output(&k, "j.angle"), y[0], 1e-8, "angle at %g s", 0.5 * s);
    assert_near(read_output(&k, "s.f"), -20 * y[0] - 5 * pow(y[0], 3) - y[1], 1e-6, "torque");
  }
  stop(&k);
}

// ---- actuators --------------------------------------------------------------------------------------

// A slide along (1, 0, 1)/sqrt 2 moves by sin(2 t): F = m (s'' + g/sqrt 2) along it.
static void linear_actuator(void **unused) {
  (void)unused;
  static const char *const laws[] = {"position: 0.5*sin(2*time)", "velocity: cos(2*time)",
                                     "acceleration: -2*sin(2*time)"};
  for (int n = 0; n < 3; n++) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "trammel: 1\ngravity: [0, 0, -9.80665]\nbodies:\n"
        "  b: {type: spatial, mass: 3, inertia: 1, position: [1, 2, 3], velocity: [%.17g, 0, "
        "%.17g]}\n"
        "joints:\n  j: {type: prismatic, bodies: [ground, b], at: [1, 2, 3], axis: [1, 0, 1]}\n"
        "  a: {type: motion, joint: j, %s}\n",
        sqrt(0.5), sqrt(0.5), laws[n]);
    machine k = start(text, "radau5", 1e-3, 2);
    for (int s = 1; s <= 4; s++) {
      double t = 0.5 * s, f[3];
      go_to(&k, t);
      assert_near(read_output(&k, "j.s"), 0.5 * sin(2 * t), 1e-9, "%s", laws[n]);
      assert_near(read_output(&k, "b.vz"), cos(2 * t) * sqrt(0.5), 1e-8, "%s", laws[n]);
      vector(&k, "a", F, f);
      double along = 3 * (-2 * sin(2 * t) + 9.80665 * sqrt(0.5));
      double want[3] = {along * sqrt(0.5), 0, along * sqrt(0.5)};
      assert_all_near(3, f, want, 1e-6, "force of the actuator, %s", laws[n]);
    }
    stop(&k);
  }
}

// A wheel out of balance is turned with the speed 1 + sin t about an axis tilted by 60 degrees from z:
//   T = (J + m e^2) w' + m g sin 60 e cos(angle from where it is level)
static void rotary_actuator(void **unused) {
  (void)unused;
  double tilt = TR_PI / 3;
  machine k = start(
      "trammel: 1\ngravity: [0, 0, -9.80665]\nbodies:\n"
      "  b: {type: spatial, mass: 2, inertia: [0.3, 0.4, 0.6], com: [0.1, 0, 0], orientation: {x: "
      "60 deg}}\n"
      "markers:\n  g: {orientation: {x: 60 deg}}\n"
      "joints:\n  j: {type: revolute, markers: [g, b]}\n"
      "  a: {type: motion, joint: j, velocity: 1 + sin(time)}\n",
      "radau5", 1e-3, 6);
  for (int s = 1; s <= 6; s++) {
    double t = s, th = t + 1 - cos(t), T3[3];
    go_to(&k, t);
    assert_near(read_output(&k, "j.angle"), th, 1e-9, "angle at %g s", t);
    // the arm e (cos th, sin th) lies in the wheel's plane, whose y axis rises by sin 60
    double want = (0.6 + 2 * 0.01) * cos(t) + 2 * 9.80665 * sin(tilt) * 0.1 * cos(th);
    vector(&k, "a", T, T3);
    double along = -T3[1] * sin(tilt) + T3[2] * cos(tilt);
    assert_near(along, want, 1e-7, "torque of the motor at %g s", t);
  }
  stop(&k);
}

// ---- a universal joint is two hinges ------------------------------------------------------------------

static void universal_by_two_hinges(void **unused) {
  (void)unused;
  machine one = start(
      "trammel: 1\ngravity: [0, 0, -9.80665]\nbodies:\n"
      "  b: {type: spatial, mass: 1, inertia: [0.1, 0.12, 0.04], position: [1, 4, 3], omega: [1, "
      "0.5, 0], velocity: [0, 0, 2]}\n"
      "joints:\n  j: {type: universal, bodies: [ground, b], at: [1, 2, 3], orientation: {x: 90 "
      "deg}}\n",
      "radau5", 1e-3, 1.5);
  machine two = start(
      "trammel: 1\ngravity: [0, 0, -9.80665]\nbodies:\n"
      "  b: {type: spatial, mass: 1, inertia: [0.1, 0.12, 0.04], position: [1, 4, 3], omega: [1, "
      "0.5, 0], velocity: [0, 0, 2]}\n"
      "  cross: {type: spatial, mass: 1e-9, inertia: 1e-11, position: [1, 2, 3], omega: [1, 0, "
      "0]}\n"
      "joints:\n"
      "  j1: {type: revolute, bodies: [ground, cross], at: [1, 2, 3], axis: [1, 0, 0]}\n"
      "  j2: {type: revolute, bodies: [cross, b], at: [1, 2, 3], axis: [0, 0, 1]}\n",
      "radau5", 1e-3, 1.5);
  for (int s = 1; s <= 3; s++) {
    double p[3], q[3];
    go_to(&one, 0.5 * s), go_to(&two, 0.5 * s);
    vector(&one, "b", X, p), vector(&two, "b", X, q);
    assert_all_near(3, p, q, 1e-6, "place at %g s", 0.5 * s);
    assert_near(read_output(&one, "j.angle1"), read_output(&two, "j1.angle"), 1e-6, "first angle");
    // the joint's y axis is global z at the start
    assert_near(read_output(&one, "j.angle2"), read_output(&two, "j2.angle"), 1e-6, "second angle");
    vector(&one, "j", F, p), vector(&two, "j1", F, q);
    assert_all_near(3, p, q, 1e-4, "force at %g s", 0.5 * s);
  }
  stop(&one), stop(&two);
}

// ---- oscillators and flights --------------------------------------------------------------------------

// Mass, spring, damper and a constant force along x: x = x_s + e^(-d t) (..), in closed form.
static void damped_oscillator(void **unused) {
  (void)unused;
  const double m = 1.6, c = 4000, d = 8, f = 80, x0 = 0.08, v0 = 1;
  machine k = start(
      "trammel: 1\nbodies:\n  b: {type: spatial-point, mass: 1.6, position: [0.58, 0, 0], "
      "velocity: [1, 0, 0]}\n"
      "forces:\n  s: {type: spring-damper, markers: [ground, b], stiffness: 4000, damping: 8, "
      "free-length: 0.5}\n"
      "  f: {type: force, markers: [b], force: [80, 0, 0]}\n",
      "radau5", 1e-3, 1);
  double delta = d / (2 * m), w = sqrt(c / m - delta * delta), a = x0 - f / c,
         b = (v0 + delta * a) / w;
  for (int s = 1; s <= 10; s++) {
    double t = 0.1 * s;
    go_to(&k, t);
    assert_near(read_output(&k, "b.x"),
                0.5 + f / c + exp(-delta * t) * (a * cos(w * t) + b * sin(w * t)), 1e-9, "at %g s",
                t);
  }
  stop(&k);
}

// Dry friction takes 4 mu N/k off the amplitude in every cycle, and the mass stops.
static void friction_oscillator(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\nbodies:\n  b: {type: planar, mass: 1, inertia: 1, position: [0.1, 0]}\n"
      "joints:\n  slide: {type: prismatic, markers: [ground, b]}\n"
      "forces:\n  s: {type: spring-damper, markers: [{at: [-5, 0]}, b], stiffness: 100, "
      "free-length: 5}\n"
      "  rub: {type: friction, joint: slide, load: 10, coefficient: 0.05, transition-velocity: "
      "1e-4}\n",
      "gen-alpha:rho=0.5", 1e-4, 4);
  double period = 2 * TR_PI / 10;
  for (int s = 1; s <= 4; s++) {
    go_to(&k, s * period);
    assert_near(read_output(&k, "b.x"), 0.1 - s * 4 * 0.5 / 100, 1e-4, "after %d cycles", s);
  }
  go_to(&k, 4);
  assert_near(read_output(&k, "b.vx"), 0, 1e-4, "stopped");
  stop(&k);
}

// Two masses on a rod in a central field, "point gravity": a circle at w^2 = mu/r^3.
static void central_field(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\nparameters: {mu: 10, r: 2}\nbodies:\n"
      "  b: {type: spatial-point, mass: 3, position: [r, 0, 0], velocity: [0, sqrt(mu/r), 0]}\n"
      "forces:\n  g: {type: spring-damper, markers: [ground, b], force: -3*mu/length^2}\n",
      "radau5", 1e-2, 20);
  double w = sqrt(10. / 8);
  for (int s = 1; s <= 10; s++) {
    go_to(&k, 2 * s);
    assert_near(read_output(&k, "b.x"), 2 * cos(w * 2 * s), 1e-7, "orbit");
    assert_near(read_output(&k, "b.y"), 2 * sin(w * 2 * s), 1e-7, "orbit");
  }
  stop(&k);
}

// The middle axis: free, w2 turns over again and again; energy and momentum stay.
static void tennis_racket(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\nbodies:\n"
      "  b: {type: spatial, mass: 1, inertia: [1, 2, 3], omega: [0.001, 1, 0.001]}\n",
      "radau5", 1e-2, 60);
  // Euler's equations, by Runge-Kutta
  double w[3] = {0.001, 1, 0.001}, h = 1e-3;
  bool turned = false;
  for (int s = 1; s <= 60; s++) {
    for (int n = 0; n < 1000; n++) {
      static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
      double d[3] = {0}, sum[3] = {0};
      for (int j = 0; j < 4; j++) {
        double x[3];
        for (int i = 0; i < 3; i++) x[i] = w[i] + at[j] * h * d[i];
        d[0] = (2 - 3.) / 1 * x[1] * x[2], d[1] = (3 - 1.) / 2 * x[2] * x[0],
        d[2] = (1 - 2.) / 3 * x[0] * x[1];
        for (int i = 0; i < 3; i++) sum[i] += weight[j] * d[i];
      }
      for (int i = 0; i < 3; i++) w[i] += h / 6 * sum[i];
    }
    go_to(&k, s);
    double R[9], global[3], body[3];
    rotation(&k, "b", R);
    vector(&k, "b", W, global);
    m3_tmul(R, global, body);
    assert_all_near(3, body, w, 2e-5, "angular velocity at %d s", s);
    turned = turned || w[1] < -0.9;
  }
  assert_true(turned);
  stop(&k);
}

// Bevel gear on shafts at right angles: torques in the ratio of the teeth.
static void bevel_gear(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\nbodies:\n"
      "  one: {type: spatial, mass: 1, inertia: [0.1, 0.1, 0.2]}\n"
      "  two: {type: spatial, mass: 1, inertia: [0.5, 0.2, 0.2], position: [1, 0, 0]}\n"
      "joints:\n"
      "  s1: {type: revolute, bodies: [ground, one], at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  s2: {type: revolute, bodies: [ground, two], at: [1, 0, 0], axis: [1, 0, 0]}\n"
      "  mesh: {type: gear, joints: [s1, s2], ratio: 2}\n"
      "forces:\n  motor: {type: torsion-spring, joint: s1, torque: 3}\n",
      "radau5", 1e-3, 2);
  double a = 3 / (0.2 + 0.5 / 4);
  go_to(&k, 2);
  assert_near(read_output(&k, "s1.angle"), 2 * a, 1e-8, "driving wheel");
  assert_near(read_output(&k, "s2.angle"), -a, 1e-8, "driven wheel");
  assert_near(read_output(&k, "mesh.tz"), -0.5 / 4 * a, 1e-8, "torque in the mesh");
  stop(&k);
}

// ---- a bouncing ball --------------------------------------------------------------------------------

// Penalty contact of rising stiffness: heights after the bounces approach e^2 h, e from the law of Hunt and
// Crossley for the speed of impact.
static void bouncing_ball(void **unused) {
  (void)unused;
  double off[2];
  for (int n = 0; n < 2; n++) {
    char text[1024];
    double stiffness = n == 0 ? 1e5 : 1e7, top = 0, chi = 0.15, v = sqrt(2 * 9.81);
    snprintf(text, sizeof text,
             "trammel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
             "  ball: {type: spatial, mass: 1, inertia: 0.004, position: [0, 0, 1.1]}\n"
             "forces:\n  floor: {type: sphere-plane, markers: [ground, ball], radius: 0.1, "
             "stiffness: %g, exponent: 1.5, damping: %g}\n",
             stiffness, chi);
    // v/chi - ln(1 + chi v)/chi^2 = -w/chi - ln(1 - chi w)/chi^2, by bisection
    double low = 0, high = fmin(v, 1 / chi * 0.999999),
           left = v / chi - log(1 + chi * v) / (chi * chi);
    for (int i = 0; i < 80; i++) {
      double w = (low + high) / 2, right = -w / chi - log(1 - chi * w) / (chi * chi);
      *(right < left ? &low : &high) = w;
    }
    double w = (low + high) / 2, want = w * w / (2 * 9.81);
    machine k = start(text, "gen-alpha:rho=0.9", 2e-5, 0.9);
    for (int s = 1; s <= 90; s++) {
      go_to(&k, 0.01 * s);
      if (s > 50) top = fmax(top, read_output(&k, "ball.z") - 0.1);
    }
    off[n] = fabs(top - want);
    assert_near(top, want, n == 0 ? 0.02 : 5e-3, "height of the first bounce");
    stop(&k);
  }
  assert_true(off[1] < off[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_joint),
      cmocka_unit_test(inclined_hinge),
      cmocka_unit_test(stiffening_torsion_spring),
      cmocka_unit_test(linear_actuator),
      cmocka_unit_test(rotary_actuator),
      cmocka_unit_test(universal_by_two_hinges),
      cmocka_unit_test(damped_oscillator),
      cmocka_unit_test(friction_oscillator),
      cmocka_unit_test(central_field),
      cmocka_unit_test(tennis_racket),
      cmocka_unit_test(bevel_gear),
      cmocka_unit_test(bouncing_ball),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
