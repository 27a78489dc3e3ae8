// SPDX-License-Identifier: Apache-2.0
// Forces and curves in small systems whose motion is known in closed form.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_mechanics.h"
#include "math/v3.h"

typedef struct machine {
  mechanism m;
  tr_run *run;
} machine;

static machine start(const char *text, double step, double end) {
  machine k = {.m = load_text(text)};
  k.run = new_run(k.m.sys, "gen-alpha:rho=0.9", step, end);
  return k;
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

// ---- given forces -------------------------------------------------------------------------------

// A thruster on a body that spins with w: v = F/(m w) (sin w t, 1 - cos w t).
static void follower_force(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\n"
      "bodies:\n"
      "  ship: {type: spatial, mass: 2, inertia: 1, omega: [0, 0, 1.5]}\n"
      "  twin: {type: planar, mass: 2, inertia: 1, omega: 1.5}\n"
      "forces:\n"
      "  a: {type: force, markers: [ship], force: [3, 0, 0], frame: marker}\n"
      "  b: {type: force, markers: [twin], force: [3, 0], frame: marker}\n",
      1e-3, 3);
  go_to(&k, 3);
  double vx = 3 / 3. * sin(4.5), vy = 3 / 3. * (1 - cos(4.5));
  assert_near(read(&k, "ship.vx"), vx, 1e-5, "vx"),
      assert_near(read(&k, "ship.vy"), vy, 1e-5, "vy");
  assert_near(read(&k, "twin.vx"), vx, 1e-5, "vx"),
      assert_near(read(&k, "twin.vy"), vy, 1e-5, "vy");
  stop(&k);
}

// A point force off the centre gives force and moment; the torque undoes the moment.
static void force_and_torque(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\n"
      "bodies:\n"
      "  b: {type: spatial, mass: 2, inertia: 0.5}\n"
      "forces:\n"
      "  f: {type: force, markers: [{body: b, at: [0.5, 0, 0]}], force: [0, 0, 4]}\n"
      "  m: {type: torque, markers: [b], torque: [0, 2, 0]}\n"
      "  s: {type: torque, markers: [b], torque: [0, 0, 0.25], frame: marker}\n",
      1e-3, 1);
  go_to(&k, 0.01);
  assert_near(read(&k, "b.aly"), 0, 1e-4, "moment and torque cancel");
  assert_near(read(&k, "b.az"), 2, 1e-10, "acceleration");
  assert_near(read(&k, "b.wz"), 0.005, 1e-6, "spin");
  stop(&k);
}

// Falling through air: v = v_t tanh(g t/v_t), v_t = sqrt(m g/c); and through oil: exp(-c t/m).
static void drag(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  ball: {type: planar-point, mass: 0.5}\n"
      "forces:\n"
      "  air: {type: drag, markers: [ball], quadratic: 0.02}\n",
      1e-3, 3);
  double vt = sqrt(0.5 * 9.81 / 0.02);
  go_to(&k, 3);
  assert_near(read(&k, "ball.vy"), -vt * tanh(9.81 * 3 / vt), 1e-5, "speed in air");
  assert_near(read(&k, "air.f"), 0.02 * pow(read(&k, "air.speed"), 2), 1e-12, "its force");
  stop(&k);
  k = start(
      "trammel: 1\n"
      "bodies:\n"
      "  ball: {type: spatial-point, mass: 0.5, velocity: [1, 2, 3]}\n"
      "forces:\n"
      "  oil: {type: drag, markers: [ball], linear: 0.7, wind: [1, 0, 0]}\n",
      1e-3, 2);
  go_to(&k, 2);
  assert_near(read(&k, "ball.vz"), 3 * exp(-2.8), 1e-6, "speed in oil");
  assert_near(read(&k, "ball.vx"), 1, 1e-12, "with the stream");
  stop(&k);
}

// ---- friction and stops -------------------------------------------------------------------------

// A block slides v^2/(2 mu g) and stays; a wheel's brake takes mu N r from its torque.
static void friction(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\n"
      "bodies:\n"
      "  block: {type: planar, mass: 2, inertia: 1, velocity: [3, 0]}\n"
      "  wheel: {type: spatial, mass: 1, inertia: 0.2, position: [0, 5, 0]}\n"
      "joints:\n"
      "  slide: {type: prismatic, bodies: [ground, block], at: [0, 0], axis: [1, 0]}\n"
      "  hinge: {type: revolute, bodies: [ground, wheel], at: [0, 5, 0]}\n"
      "forces:\n"
      "  rub: {type: friction, joints: [slide], load: 20, coefficient: 0.3, "
      "transition-velocity: 1e-4}\n"
      "  brake: {type: friction, joints: [hinge], load: 10, coefficient: 0.4, radius: 0.1, "
      "static-coefficient: 0.6, stribeck-velocity: 0.5}\n"
      "  motor: {type: torsion-spring, joints: [hinge], torque: 1}\n",
      1e-4, 2);
  go_to(&k, 0.5);
  assert_near(read(&k, "block.x"), 3 * 0.5 - 0.5 * 3 * 0.25, 1e-4, "sliding");
  go_to(&k, 2);
  assert_near(read(&k, "block.x"), 9 / 6., 2e-4, "where it stays");
  assert_near(read(&k, "block.vx"), 0, 1e-4, "at rest");
  // Stribeck: 0.4 + 0.2 exp(-(r w/0.5)^2), and J w' = 1 - that
  double v = 0.1 * read(&k, "wheel.wz"), mu = 0.4 + 0.2 * exp(-4 * v * v);
  assert_near(read(&k, "brake.f"), -10 * 0.1 * mu, 1e-9, "brake");
  assert_near(read(&k, "wheel.alz"), (1 - mu) / 0.2, 1e-3, "braked wheel");
  stop(&k);
}

// Against a spring stop: back with the same speed, depth v sqrt(m/k).
static void bump_stop(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\n"
      "bodies:\n"
      "  cart: {type: planar, mass: 2, inertia: 1, velocity: [3, 0]}\n"
      "joints:\n"
      "  slide: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}\n"
      "forces:\n"
      "  stop: {type: bump-stop, joints: [slide], limit: 1, stiffness: 20 kN/m}\n"
      "  back: {type: bump-stop, markers: [{at: [-1, 0]}, cart], coordinate: distance, "
      "limit: 0.5, side: lower, stiffness: 20 kN/m}\n",
      1e-5, 2);
  go_to(&k, 1 / 3. + TR_PI / 2 / 100);
  assert_near(read(&k, "slide.s"), 1 + 3 / 100., 1e-5, "depth");
  assert_near(read(&k, "stop.f"), -600, 0.1, "force");
  go_to(&k, 0.5);
  assert_near(read(&k, "cart.vx"), -3, 1e-3, "back");
  go_to(&k, 1.2);
  assert_near(read(&k, "cart.vx"), 3, 1e-3, "and back from the other one");
  assert_near(read(&k, "energy.total"), 9, 1e-3, "energy");
  stop(&k);
}

// A door against its stop, in space: turns back as fast, deepest at w sqrt(J/k).
static void angle_stop(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\n"
      "bodies:\n"
      "  door: {type: spatial, mass: 2, inertia: 0.5, omega: [0, 0, 1]}\n"
      "joints:\n"
      "  hinge: {type: revolute, bodies: [ground, door], at: [0, 0, 0]}\n"
      "forces:\n"
      "  stop: {type: angle-stop, joints: [hinge], limit: 1.9 rev, stiffness: 5000}\n",
      1e-4, 20);
  double reach = 3.8 * TR_PI;
  go_to(&k, reach + TR_PI / 2 / 100);
  assert_near(read(&k, "hinge.angle"), reach + 0.01, 1e-5, "depth, after almost two turns");
  go_to(&k, 15);
  assert_near(read(&k, "door.wz"), -1, 1e-3, "back");
  stop(&k);
}

// ---- refused ------------------------------------------------------------------------------------

static void refused(void **unused) {
  (void)unused;
#define TWO "trammel: 1\nbodies:\n  b: {type: spatial, mass: 1, inertia: 1}\n"
  static const char *const table[][2] = {
      {TWO
       "forces:\n  f: {type: bushing, markers: [ground, b], stiffness-matrix: [[1, 2], [2, 1]]}\n",
       "m:5:3: force \"f\": a matrix of it is not 6 x 6\n"},
      {TWO "forces:\n  f: {type: bushing, markers: [ground, b], stiffness-matrix: [1, 2]}\n",
       "m:5:62: force \"f\": stiffness-matrix: a list of lists of numbers is expected\n"},
      {TWO "forces:\n  f: {type: bushing, markers: [ground, b], stiffness-matrix: [[1, 2], [1]]}\n",
       "m:5:71: force \"f\": stiffness-matrix: a list of 2 numbers is expected\n"},
      {TWO "forces:\n  f: {type: friction, markers: [ground, b], load: 1, coefficient: 1}\n",
       "m:5:3: force \"f\": coordinate must be given with markers\n"},
      {TWO "joints:\n  j: {type: screw, markers: [ground, b], pitch: 0}\n",
       "m:5:3: joint \"j\": pitch is zero\n"},
      {TWO "joints:\n  j: {type: cam, markers: [ground, b], points: [[0, 1], [1, 0]]}\n",
       "m:5:3: joint \"j\": a closed curve needs 3 points\n"},
      {TWO "joints:\n  j: {type: point-on-curve, markers: [ground, b], points: [[0, 1], [0, 1]]}\n",
       "m:5:3: joint \"j\": neighbouring points coincide\n"},
      {"trammel: 1\nbodies:\n  b: {type: planar, mass: 1, inertia: 1}\njoints:\n"
       "  j: {type: universal, markers: [ground, b]}\n",
       "m:5:3: joint \"j\": type universal is for spatial bodies, not for planar ones\n"},
      {TWO "forces:\n  f: {type: force, bodies: [ground, b], at: [0, 0], force: [1, 0, 0]}\n",
       "m:5:28: force \"f\": bodies: a list of 1 body is expected\n"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    tr_model *model;
    tr_system *sys = NULL;
    tr_error error = {0};
    assert_int_equal(tr_model_new(NULL, &model), TR_OK);
    assert_int_equal(tr_model_read_text(model, table[i][0], strlen(table[i][0]), "m", &error),
                     TR_OK);
    assert_int_equal(tr_compile(model, &sys, &error), TR_BAD_INPUT);
    assert_string_equal(error.text, table[i][1]);
    tr_model_free(model);
  }
}

// ---- bushings and beams -------------------------------------------------------------------------

// On a bushing: x = m g/k (cos w t - 1); a turn about z is a harmonic one, at any amplitude.
static void bushing(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\n"
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  engine: {type: spatial, mass: 2, inertia: 0.4, orientation: {z: 120 deg}}\n"
      "forces:\n"
      "  mount: {type: bushing, markers: [ground, engine], stiffness: [500, 500, 800], "
      "torsion-stiffness: [5, 5, 10], force: [1, 0, 0]}\n",
      1e-4, 1);
  for (int i = 1; i <= 4; i++) {
    double t = 0.25 * i, w = sqrt(800 / 2.), wx = sqrt(500 / 2.), wt = sqrt(10 / 0.4);
    go_to(&k, t);
    assert_near(read(&k, "engine.z"), 2 * 9.81 / 800 * (cos(w * t) - 1), 1e-6, "height");
    assert_near(read(&k, "engine.x"), 1 / 500. * (1 - cos(wx * t)), 1e-7, "preload");
    assert_near(2 * atan2(read(&k, "engine.e3"), read(&k, "engine.e0")),
                2 * TR_PI / 3 * cos(wt * t), 2e-5, "turn");
  }
  stop(&k);
}

// The coupled matrix: static answer x = K^-1 F after the motion has died out.
static void bushing_matrix(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\n"
      "bodies:\n"
      "  b: {type: spatial, mass: 1, inertia: 1}\n"
      "forces:\n"
      "  f: {type: force, markers: [b], force: [0, 0.1, 0]}\n"
      "  k:\n"
      "    type: bushing\n"
      "    markers: [ground, b]\n"
      "    stiffness: [100, 100, 100]\n"
      "    torsion-stiffness: [100, 100, 100]\n"
      "    damping: [20, 20, 20]\n"
      "    torsion-damping: [20, 20, 20]\n"
      "    stiffness-matrix:\n"
      "      - [0, 0, 0, 0, 0, 0]\n"
      "      - [0, 0, 0, 0, 0, 50]\n"
      "      - [0, 0, 0, 0, 0, 0]\n"
      "      - [0, 0, 0, 0, 0, 0]\n"
      "      - [0, 0, 0, 0, 0, 0]\n"
      "      - [0, 50, 0, 0, 0, 0]\n",
      1e-2, 10);
  go_to(&k, 10);
  assert_near(read(&k, "b.y"), 0.1 * 100 / 7500, 1e-8, "place");
  assert_near(2 * read(&k, "b.e3"), -0.1 * 50 / 7500, 1e-8, "turn");
  assert_near(read(&k, "k.fy"), -0.1, 1e-6, "force");
  stop(&k);
}

// A cantilever's tip under a load F: F L^3/(3 E I) + s F L/(G A), slope F L^2/(2 E I); in both
// planes.
static void beam(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\n"
      "bodies:\n"
      "  tip: {type: spatial, mass: 1, inertia: 0.1, position: [2, 0, 0]}\n"
      "  flat: {type: planar, mass: 1, inertia: 0.1, position: [2, 0]}\n"
      "forces:\n"
      "  beam: {type: beam, markers: [ground, tip], young: 200 GPa, area: 4e-4, Iy: 2e-8, "
      "Iz: 1e-8, shear-z: 1.2, damping-time: 0.2}\n"
      "  thin: {type: beam, markers: [ground, flat], young: 200 GPa, area: 4e-4, Iy: 2e-8, "
      "Iz: 1e-8, damping-time: 0.2}\n"
      "  load: {type: force, markers: [tip], force: [0, 0.3, 0.3]}\n"
      "  pull: {type: force, markers: [flat], force: [0, 0.3]}\n",
      1e-2, 20);
  double EIy = 200e9 * 2e-8, EIz = 200e9 * 1e-8, GA = 200e9 / 2.6 * 4e-4, F = 0.3;
  go_to(&k, 20);
  assert_near(read(&k, "tip.y"), F * 8 / (3 * EIz), 1e-8, "bending along y");
  assert_near(read(&k, "tip.z"), F * 8 / (3 * EIy) + 1.2 * F * 2 / GA, 1e-8, "and along z");
  assert_near(2 * read(&k, "tip.e3"), F * 4 / (2 * EIz), 1e-8, "slope");
  assert_near(2 * read(&k, "tip.e2"), -F * 4 / (2 * EIy), 1e-8, "slope");
  assert_near(read(&k, "flat.y"), F * 8 / (3 * EIz), 1e-8, "in the plane");
  assert_near(read(&k, "flat.angle"), F * 4 / (2 * EIz), 1e-8, "in the plane");
  stop(&k);
}

// ---- contact ------------------------------------------------------------------------------------

// Hunt and Crossley: m v dv/dd = -k d^e (1 + chi v) keeps v/chi - ln(1 + chi v)/chi^2 from the
// impact to the rebound, whatever k and e.
static double impact(double chi, double v) { return v / chi - log1p(chi * v) / (chi * chi); }

static void restitution(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\n"
      "bodies:\n"
      "  ball: {type: spatial, mass: 0.3, inertia: 1e-3, position: [0, 0, 0.2], velocity: "
      "[0, 0, -2]}\n"
      "  disc: {type: planar, mass: 0.3, inertia: 1e-3, position: [0, 0.2], velocity: "
      "[0, -2]}\n"
      "forces:\n"
      "  floor: {type: sphere-plane, markers: [ground, ball], radius: 0.1, stiffness: 1e6, "
      "damping: 0.25}\n"
      "  line: {type: sphere-plane, markers: [ground, disc], radius: 0.1, stiffness: 1e5, "
      "exponent: 2, damping: 0.25}\n",
      1e-6, 0.2);
  go_to(&k, 0.1);
  double out = read(&k, "ball.vz"), flat = read(&k, "disc.vy");
  assert_true(out > 1 && out < 2);
  assert_near(impact(0.25, -out), impact(0.25, 2), 1e-4, "rebound of the ball");
  assert_near(impact(0.25, -flat), impact(0.25, 2), 1e-4, "of the disc");
  assert_near(read(&k, "floor.normal"), 0, 0, "apart again");
  stop(&k);
}

// An elastic ball keeps coming up; after n bounces from H the time is (2 n) sqrt(2 H/g) in the
// limit of a hard floor. Each stay on the floor adds about pi sqrt(m/k) less than 1e-3 of that.
static void bouncing(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  ball: {type: planar-point, mass: 1, position: [0, 1]}\n"
      "forces:\n"
      "  floor: {type: sphere-plane, markers: [ground, ball], radius: 0, stiffness: 1e7, "
      "exponent: 1}\n",
      5e-6, 5);
  double fall = sqrt(2 / 9.81);
  for (int n = 1; n <= 3; n++) {
    go_to(&k, 2 * n * fall);
    assert_near(read(&k, "ball.y"), 1, 1e-3, "height after %d bounces", n);
  }
  assert_near(read(&k, "energy.total"), 9.81, 2e-2, "energy");
  stop(&k);
}

// A ball that slides without spin ends rolling with 5/7 of its speed, after 2 v/(7 mu g); its depth
// in the lane is 1e-4 of the radius.
static void bowling(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\n"
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  ball: {type: spatial, mass: 5, inertia: 0.4*5*0.11^2, position: [0, 0, 0.11], "
      "velocity: [6, 0, 0]}\n"
      "forces:\n"
      "  lane: {type: sphere-plane, markers: [ground, ball], radius: 0.11, stiffness: 1e9, "
      "damping: 1, friction: 0.2, transition-velocity: 1e-3}\n",
      2e-5, 2);
  go_to(&k, 0.5);
  assert_near(read(&k, "ball.vx"), 6 - 0.2 * 9.81 * 0.5, 2e-3, "sliding");
  go_to(&k, 2);
  assert_near(read(&k, "ball.vx"), 6 * 5 / 7., 2e-3, "rolling");
  assert_near(read(&k, "ball.wy"), 6 * 5 / 7. / 0.11, 2e-2, "without slip");
  assert_near(read(&k, "lane.friction"), 0, 2e-2, "and without friction");
  stop(&k);
}

// Equal balls, one at rest: they part at right angles (frictionless, elastic), each along or across
// the line of centres.
static void billiards(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\n"
      "bodies:\n"
      "  cue: {type: spatial, mass: 0.2, inertia: 1e-3, position: [-0.2, 0.025, 0], "
      "velocity: [1, 0, 0]}\n"
      "  red: {type: spatial, mass: 0.2, inertia: 1e-3}\n"
      "forces:\n"
      "  click: {type: sphere-sphere, markers: [cue, red], radii: [0.02, 0.03], stiffness: "
      "1e9, exponent: 1.5}\n",
      1e-6, 0.3);
  go_to(&k, 0.25);
  double sine = 0.5, cosine = sqrt(0.75); // of the line of centres: 0.025/0.05
  assert_near(read(&k, "red.vx"), cosine * cosine, 2e-3, "along the line");
  assert_near(read(&k, "red.vy"), -sine * cosine, 2e-3, "along the line");
  assert_near(read(&k, "cue.vx"), sine * sine, 2e-3, "across");
  assert_near(read(&k, "cue.vy"), sine * cosine, 2e-3, "across");
  stop(&k);
}

// ---- curves -------------------------------------------------------------------------------------

static size_t add_points(char *text, size_t size, size_t n, int count, double from, double to,
                         void (*curve)(double a, double *x, double *y)) {
  n += (size_t)snprintf(text + n, size - n, "points: [");
  for (int i = 0; i < count; i++) {
    double x, y;
    curve(from + (to - from) * i / (count - 1), &x, &y);
    n += (size_t)snprintf(text + n, size - n, "%s[%.15g, %.15g]", i ? ", " : "", x, y);
  }
  return n + (size_t)snprintf(text + n, size - n, "]");
}

// The cycloid, a = 0.5, upside down: from everywhere at rest the bottom is reached in pi sqrt(a/g).
static void cycloid(double a, double *x, double *y) { *x = 0.5 * (a - sin(a)), *y = 0.5 * cos(a); }

static void tautochrone(void **unused) {
  (void)unused;
  const double from[] = {0.8, 1.6, 2.6};
  for (int i = 0; i < 3; i++) {
    char text[8192];
    double x, y;
    cycloid(from[i], &x, &y);
    size_t n =
        (size_t)snprintf(text, sizeof text,
                         "trammel: 1\ngravity: [0, -9.81]\nbodies:\n  bead: {type: planar-point, "
                         "mass: 1, position: [%.15g, %.15g]}\njoints:\n  wire: {type: "
                         "point-on-curve, markers: [ground, bead], ",
                         x, y);
    n = add_points(text, sizeof text, n, 61, 0.3, 2 * TR_PI - 0.3, cycloid);
    snprintf(text + n, sizeof text - n, "}\n");
    machine k = start(text, 1e-4, 1);
    go_to(&k, TR_PI * sqrt(0.5 / 9.81));
    assert_near(read(&k, "bead.x"), 0.5 * TR_PI, 2e-5, "bottom, from %g", from[i]);
    assert_near(read(&k, "bead.y"), -0.5, 2e-6, "bottom, from %g", from[i]);
    assert_near(read(&k, "bead.vx"), sqrt(2 * 9.81 * (y + 0.5)), 1e-5, "speed, from %g", from[i]);
    stop(&k);
  }
}

// An eccentric disc of radius R about (e, 0) lifts a roller r on the line above the pivot to
// e sin t + sqrt((R + r)^2 - e^2 cos^2 t); in space the same.
static void disc(double a, double *x, double *y) { *x = 0.1 + 0.3 * cos(a), *y = 0.3 * sin(a); }

static void eccentric(void **unused) {
  (void)unused;
  static const char *const kind[] = {"planar", "spatial"};
  for (int i = 0; i < 2; i++) {
    char text[8192];
    size_t n =
        (size_t)snprintf(text, sizeof text,
                         "trammel: 1\n"
                         "bodies:\n"
                         "  cam: {type: %s, mass: 1, inertia: 50, omega: %s, keep: [%s]}\n"
                         "  roller: {type: %s, mass: 0.1, inertia: 1, position: [0, 0.38732]}\n"
                         "joints:\n"
                         "  hinge: {type: revolute, markers: [ground, cam]}\n"
                         "  slide: {type: prismatic, bodies: [ground, roller], at: [0, 0], axis: "
                         "[0, 1]}\n"
                         "  touch: {type: %s, markers: [cam, roller], radius: 0.1, ",
                         kind[i], i ? "[0, 0, 3]" : "3", i ? "wz" : "omega", kind[i], "cam");
    n = add_points(text, sizeof text, n, 48, 0, 2 * TR_PI * 47 / 48, disc);
    snprintf(text + n, sizeof text - n, "}\n");
    machine k = start(text, 1e-3, 4);
    for (int j = 1; j <= 20; j++) {
      go_to(&k, 0.2 * j);
      double t = read(&k, "hinge.angle");
      double want = 0.1 * sin(t) + sqrt(0.16 - 0.01 * cos(t) * cos(t));
      assert_near(read(&k, "roller.y"), want, 1e-6, "%s, lift at %g", kind[i], t);
    }
    stop(&k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(follower_force), cmocka_unit_test(force_and_torque),
      cmocka_unit_test(drag),           cmocka_unit_test(friction),
      cmocka_unit_test(bump_stop),      cmocka_unit_test(angle_stop),
      cmocka_unit_test(refused),        cmocka_unit_test(bushing),
      cmocka_unit_test(bushing_matrix), cmocka_unit_test(beam),
      cmocka_unit_test(restitution),    cmocka_unit_test(bouncing),
      cmocka_unit_test(bowling),        cmocka_unit_test(billiards),
      cmocka_unit_test(tautochrone),    cmocka_unit_test(eccentric),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
