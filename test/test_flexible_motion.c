// SPDX-License-Identifier: Apache-2.0
// Flexible bodies in motion against what is known of them: a published reference solution, chains of rigid
// segments, the rigid limit, the plane in space.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/problems.h"
#include "helper_mechanics.h"
#include "math/v3.h"

// A run to the end by a method; the state there stays with the run.
static tr_run *go(const tr_system *sys, const char *method, double step, double end) {
  tr_run *run = new_run(sys, method, step, end);
  tr_error error = {0};
  if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", method, error.text);
  return run;
}

static double at_end(const tr_run *run, const tr_system *sys, const char *name) {
  return output(sys, tr_run_state(run), name);
}

// ---- Simeon's slider crank --------------------------------------------------------------------------

// Test Set for IVP Solvers, slider crank at t = 0.1, computed in quadruple precision.
// x3: that solution keeps the 2.031e-10 by which its start is off the constraint.
static const double crank_q[7] = {15,
                                  -0.3311734988256299287,
                                  0.1697373328430721369 - 2.031e-10,
                                  1.893192899700940493e-4,
                                  2.375751249986639016e-5,
                                  -5.323896770748607154e-6,
                                  -8.363313278807773624e-6};
static const double crank_v[7] = {150,
                                  60.25346755131834931,
                                  -8.753116326704162553,
                                  -3.005541399852557072e-2,
                                  -5.500431801332844398e-3,
                                  4.974111794646480036e-4,
                                  1.105559993603117881e-3};
static const double crank_lam[3] = {-62.32935832773677285, -163.7920993237247259,
                                    25.29857947000306616};

static void simeon_problem(void **u) {
  (void)u;
  mechanism m = load_problem(&tr_problem_elastic_crank);
  tr_run *run = go(m.sys, "radau5", 5e-6, 0.1);
  const tr_state *x = tr_run_state(run);
  for (int i = 0; i < 7; i++) {
    assert_near(x->q[i], crank_q[i], i == 2 ? 5e-13 : 1e-13, "q%d", i + 1);
    assert_near(x->v[i], crank_v[i], 5e-9, "v%d", i + 1);
  }
  for (int i = 0; i < 3; i++) assert_near(x->lam[i], crank_lam[i], 5e-6, "lam%d", i + 1);
  tr_run_free(run);
  unload(&m);
}

// The same rod as a body: its shapes at Gauss points and both ends, and the published modal mass, stiffness and
// inertia. An indented map.
static int write_rod(char *text, size_t size) {
  static const double gx[4] = {0.1834346424956498049, 0.5255324099163289858, 0.7966664774136267396,
                               0.9602898564975362317},
                      gw[4] = {0.3626837833783619830, 0.3137066458778872873, 0.2223810344533744706,
                               0.1012285362903762591};
  enum { PANELS = 4, NODES = 8 * PANELS + 2 };
  const double L = 0.3, m = 0.151104, k = 0.2e12 * 6.4e-5 / L, pi = 3.1415927;
  double z[NODES] = {0, 1}, w[NODES] = {0}, bow = k * pow(pi, 4) / 24 * pow(0.008 / L, 2);
  for (int i = 2; i < NODES; i++) {
    int g = (i - 2) % 8;
    z[i] = ((i - 2) / 8 + 0.5 + 0.5 * (g < 4 ? -gx[g] : gx[g - 4])) / PANELS;
    w[i] = 0.5 * gw[g % 4] / PANELS;
  }
  int n = snprintf(text, size, "      nodes:\n");
#define ADD(...) n += snprintf(text + n, size - (size_t)n, __VA_ARGS__)
  for (int i = 0; i < NODES; i++) ADD("        - [%.17g, 0, %.17g]\n", L * z[i], m * w[i]);
  ADD("      shapes:\n");
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < NODES; i++) {
      double x = z[i], bend = j < 2 ? sin((j + 1) * TR_PI * x) : 0;
      double along = j == 2 ? 4 * x * (1 - x) : j == 3 ? x * (2 * x - 1) : 0;
      ADD("        - [%.17g, %.17g]\n", along, bend);
    }
  ADD("      stiffness: [[%.17g, 0, 0, 0], [0, %.17g, 0, 0], [0, 0, %.17g, %.17g], "
      "[0, 0, %.17g, %.17g]]\n",
      bow, 16 * bow, k * 16 / 3, -k * 8 / 3, -k * 8 / 3, k * 7 / 3);
  ADD("      mass: [[%.17g, 0, 0, 0], [0, %.17g, 0, 0], [0, 0, %.17g, %.17g], "
      "[0, 0, %.17g, %.17g]]\n      inertia: %.17g\n",
      m / 2, m / 2, 8 * m, m, m, 2 * m, 0.0045339259 - m * L * L / 4);
#undef ADD
  return n;
}

static void simeon_body(void **u) {
  (void)u;
  static char text[40000];
  static const char bodies[] =
      "trammel: 1\nbodies:\n"
      "  crank: {type: planar, mass: 0.36, inertia: 0.002727, omega: 150}\n"
      "  slider: {type: planar-point, mass: 0.075552, position: [0.4500169327969, 0], velocity: "
      "[-2.68938672e-06, 0]}\n"
      "  rod:\n    type: planar-modal\n    position: [0.15, 0]\n    velocity: [0, 22.5]\n"
      "    omega: -74.99576703969452379\n    start: given\n"
      "    deformation: [0, 0, 0.103339863e-4, 0.169327969e-4]\n"
      "    deformation-rate: [0.4448961125815999048, 4.634339319238302056e-3, -1.78591076e-6, "
      "-2.68938672e-6]\n    modal:\n";
  static const char joints[] =
      "joints:\n"
      "  pin_O: {type: revolute, markers: [ground, crank]}\n"
      "  pin_A: {type: revolute, markers: [{body: crank, at: [0.15, 0]}, {body: rod, at: [0, "
      "0]}]}\n"
      "  pin_B: {type: revolute, markers: [{body: rod, at: [0.3, 0]}, slider]}\n"
      "  guide: {type: point-on-line, markers: [ground, slider]}\n"
      "  drive: {type: motion, joint: pin_O, position: 150*time}\n";
  int n = snprintf(text, sizeof text, "%s", bodies);
  n += write_rod(text + n, sizeof text - (size_t)n);
  snprintf(text + n, sizeof text - (size_t)n, "%s", joints);
  mechanism m = load_text(text);
  tr_run *run = go(m.sys, "radau5", 1e-5, 0.1);
  // pi of the published program is 1.5e-8 off
  assert_near(at_end(run, m.sys, "rod.angle"), crank_q[1], 1e-9, "phi2");
  assert_near(at_end(run, m.sys, "slider.x"), crank_q[2], 1e-9, "x3");
  assert_near(at_end(run, m.sys, "rod.omega"), crank_v[1], 1e-6, "v of phi2");
  for (int j = 0; j < 4; j++) {
    char name[32];
    snprintf(name, sizeof name, "rod.eta%d", j + 1);
    assert_near(at_end(run, m.sys, name), crank_q[3 + j], 1e-9, "%s", name);
    snprintf(name, sizeof name, "rod.eta_v%d", j + 1);
    assert_near(at_end(run, m.sys, name), crank_v[3 + j], 2e-6, "%s", name);
  }
  tr_run_free(run);
  unload(&m);
}

// ---- spin-up of a rotating beam -----------------------------------------------------------------------

// Largest way of the tip behind the hub's line in a run, and the last.
typedef struct tip {
  tr_observer observer;
  const tr_system *sys;
  const char *frame, *point; // names
  double largest, last, tail;
} tip;

static tr_status look(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  tip *w = (tip *)self;
  (void)info;
  char name[64];
  snprintf(name, sizeof name, "%s.angle", w->frame);
  double a = output(w->sys, x, name);
  snprintf(name, sizeof name, "%s.x", w->point);
  double px = output(w->sys, x, name);
  snprintf(name, sizeof name, "%s.y", w->point);
  double py = output(w->sys, x, name);
  w->last = cos(a) * py - sin(a) * px;
  w->largest = fmax(w->largest, fabs(w->last));
  if (x->t > 15.5) w->tail = fmax(w->tail, fabs(w->last));
  return TR_OK;
}

static tip spin_up(mechanism *m, const char *frame, const char *point, double end) {
  tip w = {
      .observer = {.step = look, .spacing = 0.05}, .sys = m->sys, .frame = frame, .point = point};
  tr_run *run = new_run(m->sys, "hht-i3:alpha=-0.1", 0.01, end);
  assert_int_equal(tr_run_observe(run, &w.observer), TR_OK);
  assert_int_equal(tr_run_all(run, NULL), TR_OK);
  tr_run_free(run);
  return w;
}

// Kane, Ryan and Banerjee's manoeuvre, E I = 1.4e4, rho A = 1.2, L = 10, to 6 rad/s in 15 s. The reference has
// no modes: N rigid segments, hinged, with springs E I/h.
static void spin_up_against_segments(void **u) {
  (void)u;
  static const char chain[] =
      "trammel: 1\n"
      "parameters: {N: 24, h: 10/N, m: 1.2*h, k: 1.4e4/h, T: 15, w: 6}\n"
      "bodies:\n  hub: {type: planar, mass: 1, inertia: 1}\n"
      "joints:\n  axle: {type: revolute, markers: [ground, hub]}\n"
      "  drive: {type: motion, joint: axle, position: \"w*(min(time, T)^2/(2*T) + "
      "T*(cos(2*pi*min(time, T)/T) - 1)/(4*pi^2) + time - min(time, T))\"}\n"
      "  root: {type: revolute, markers: [hub, {body: s_1, at: [-h/2, 0]}]}\n"
      "forces:\n  root_k: {type: torsion-spring, markers: [hub, {body: s_1}], stiffness: 2*k, "
      "free-angle: 0}\n"
      "markers:\n  tip: {body: \"s_{N}\", at: [h/2, 0]}\n"
      "repeat:\n"
      "  - for: i\n    from: 1\n    to: N\n    bodies:\n"
      "      s_{i}: {type: planar, mass: m, inertia: m*h^2/12, position: [(i - 0.5)*h, 0]}\n"
      "  - for: i\n    from: 1\n    to: N - 1\n    joints:\n"
      "      p_{i}: {type: revolute, markers: [{body: \"s_{i}\", at: [h/2, 0]}, {body: "
      "\"s_{i+1}\", at: [-h/2, 0]}]}\n"
      "    forces:\n"
      "      k_{i}: {type: torsion-spring, markers: [{body: \"s_{i}\"}, {body: \"s_{i+1}\"}], "
      "stiffness: k, free-angle: 0}\n";
  mechanism segments = load_text(chain), beam = load_model("rotating_beam.yaml", NULL);
  tip a = spin_up(&segments, "hub", "tip", 18), b = spin_up(&beam, "beam", "tip", 18);
  assert_near(b.largest, a.largest, 5e-3 * a.largest, "largest deflection");
  assert_true(b.largest > 0.5 && a.largest < 0.65); // their figure: a little below 0.6 m
  assert_true(a.tail < 0.01 && b.tail < 0.01);      // and straight again
  // steady: the tip is drawn out by rho w^2 L^3/(3 E), which sine modes reach from below
  tr_run *run = go(beam.sys, "hht-i3:alpha=-0.3", 0.02, 20);
  double x = at_end(run, beam.sys, "tip.x"), y = at_end(run, beam.sys, "tip.y");
  assert_near(sqrt(x * x + y * y) - 10, 5.143e-4, 0.02 * 5.143e-4, "steady stretch");
  tr_run_free(run);
  unload(&segments);
  unload(&beam);
}

// Without stiffening the same beam is softened by its rotation above 3.8 rad/s.
static void spin_up_without(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\nparameters: {T: 15, w: 6}\nbodies:\n"
      "  beam: {type: planar-beam, length: 10, density: 3000, area: 4e-4, I: 2e-7, young: 7e10, "
      "modes: clamped-free, bending: 3}\n"
      "markers:\n  tip: {body: beam, at: [10, 0]}\n"
      "joints:\n  axle: {type: revolute, markers: [ground, beam]}\n"
      "  drive: {type: motion, joint: axle, position: \"w*(min(time, T)^2/(2*T) + "
      "T*(cos(2*pi*min(time, T)/T) - 1)/(4*pi^2) + time - min(time, T))\"}\n");
  tip w = spin_up(&m, "beam", "tip", 11);
  assert_true(w.largest > 10);
  unload(&m);
}

// ---- the rigid limit; the plane in space --------------------------------------------------------------

static void rigid_limit(void **u) {
  (void)u;
  const char *const stiff[] = {"E=200e12", NULL}, *const loose[] = {"k=0", "c=0", "omega0=1", NULL};
  mechanism a = load_model("slider_crank_flexible.yaml", stiff),
            b = load_model("slider_crank.yaml", loose);
  tr_run *x = go(a.sys, "hht-i3:alpha=-0.3", 0x1p-10, 2),
         *y = go(b.sys, "hht-i3:alpha=-0.3", 0x1p-10, 2);
  const char *const names[] = {"crank.angle", "crank.omega", "B.x",           "B.vx",
                               "pin_A.fx",    "pin_A.fy",    "energy.kinetic"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    assert_near(at_end(x, a.sys, names[i]), at_end(y, b.sys, names[i]), 1e-6, "%s", names[i]);
  tr_run_free(x), tr_run_free(y);
  unload(&a), unload(&b);
}

// A stiff beam that tumbles on a ball joint, and the rigid body it is.
static void rigid_limit_in_space(void **u) {
  (void)u;
  mechanism a = load_text(
      "trammel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  b: {type: spatial-beam, length: 0.5, density: 7800, area: 4e-4, Iy: 2e-8, Iz: 1e-8, "
      "young: 2e15, modes: clamped-free, bending-y: 2, bending-z: 2, torsion: 1, axial: 1, "
      "stiffening: yes, omega: [1, 2, 3], start: slow}\n"
      "markers:\n  tip: {body: b, at: [0.5, 0.02, 0.01]}\n"
      "joints:\n  j: {type: spherical, markers: [ground, {body: b, at: [0, 0, 0]}]}\n");
  mechanism b = load_text(
      "trammel: 1\ngravity: [0, 0, -9.81]\nparameters: {m: 7800*4e-4*0.5}\nbodies:\n"
      "  b: {type: spatial, mass: m, inertia: [7800*3e-8*0.5, m*0.25/12, m*0.25/12], "
      "com: [0.25, 0, 0], omega: [1, 2, 3]}\n"
      "markers:\n  tip: {body: b, at: [0.5, 0.02, 0.01]}\n"
      "joints:\n  j: {type: spherical, markers: [ground, {body: b, at: [0, 0, 0]}]}\n");
  tr_run *x = go(a.sys, "radau5", 1e-3, 1), *y = go(b.sys, "radau5", 1e-3, 1);
  const char *const names[] = {"tip.x",  "tip.y",  "tip.z",  "tip.e0", "tip.e1", "tip.vx",
                               "tip.vy", "tip.wx", "tip.wz", "j.fx",   "j.fz",   "energy.kinetic"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    assert_near(at_end(x, a.sys, names[i]), at_end(y, b.sys, names[i]), 1e-6, "%s", names[i]);
  tr_run_free(x), tr_run_free(y);
  unload(&a), unload(&b);
}

// The same flexible pendulum, beams and elements of the plane or of space.
static void plane_in_space(void **u) {
  (void)u;
  static const char planar[] =
      "trammel: 1\ngravity: [0.1, -0.981]\nbodies:\n"
      "  b: {type: planar-beam, length: 2, density: 1500, area: 1e-3, I: 5e-8, young: 6e9, "
      "modes: clamped-free, bending: 3, axial: 1, stiffening: yes, omega: 0.1}\n"
      "  m: {type: planar, mass: 0.5, inertia: 0.1, position: [2, 0.1]}\n"
      "joints:\n  j: {type: revolute, markers: [ground, {body: b, at: [0, 0]}]}\n"
      "  c: {type: fixed, bodies: [b, m], at: [2, 0.1]}\n";
  static const char spatial[] =
      "trammel: 1\ngravity: [0.1, -0.981, 0]\nbodies:\n"
      "  b: {type: spatial-beam, length: 2, density: 1500, area: 1e-3, Iz: 5e-8, Iy: 1e-7, young: "
      "6e9, "
      "modes: clamped-free, bending-y: 3, bending-z: 1, axial: 1, torsion: 1, stiffening: yes, "
      "omega: [0, 0, 0.1]}\n"
      "  m: {type: spatial, mass: 0.5, inertia: [0.1, 0.1, 0.1], position: [2, 0.1, 0]}\n"
      "joints:\n  j: {type: revolute, markers: [ground, {body: b, at: [0, 0, 0]}]}\n"
      "  c: {type: fixed, bodies: [b, m], at: [2, 0.1, 0]}\n";
  mechanism a = load_text(planar), b = load_text(spatial);
  tr_run *x = go(a.sys, "radau5", 2e-3, 0.2), *y = go(b.sys, "radau5", 2e-3, 0.2);
  const char *const names[] = {"m.x", "m.y", "m.vx", "m.vy", "b.eta1", "b.eta_v2", "energy.total"};
  // sections turn by psi in the plane and by 2 atan(psi/2) in space: psi^3/12 apart
  double off = 2e-7;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    assert_near(at_end(y, b.sys, names[i]), at_end(x, a.sys, names[i]), off, "%s", names[i]);
  tr_run_free(x), tr_run_free(y);
  unload(&a), unload(&b);
}

// A wheel at the end of a spinning shaft, as inertia of a node or as a body of its own: its gyroscopic
// moments are there only if the inertia turns with the node. Small deflections: the node's are of second order.
static void wheel_at_a_node(void **u) {
  (void)u;
  // E I = 20, L = 0.5; shapes of unit deflection and unit slope at the tip along y and z, and twist
  static const char shapes[] =
      "[0,0,0,0,0,0], [0,0.5,0,0,0,3], [0,1,0,0,0,0], "
      "[0,0,0,0,0,0], [0,-0.0625,0,0,0,-0.25], [0,0,0,0,0,1], "
      "[0,0,0,0,0,0], [0,0,0.5,0,-3,0], [0,0,1,0,0,0], "
      "[0,0,0,0,0,0], [0,0,-0.0625,0,0.25,0], [0,0,0,0,-1,0], "
      "[0,0,0,0,0,0], [0,0,0,0.5,0,0], [0,0,0,1,0,0]";
  static const char stiffness[] =
      "[1920,-480,0,0,0], [-480,160,0,0,0], [0,0,1920,-480,0], [0,0,-480,160,0], [0,0,0,0,50]";
  static const char wheel[] =
      "  w: {type: spatial, mass: 2, inertia: [0.02, 0.008, 0.013], "
      "position: [0.5, 0, 0], omega: [40, 0, 0]}\n",
                    grip[] = "  c: {type: fixed, markers: [tip, w]}\n";
  double got[2][6];
  static const char *const names[6] = {"tip.y", "tip.z", "tip.wy", "tip.wz", "b.eta5", "j.fy"};
  for (int k = 0; k < 2; k++) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "trammel: 1\nbodies:\n  b: {type: spatial-modal, omega: [40, 0, 0], modal: {nodes: "
        "[[0,0,0,0.1,1e-4,1e-4,1e-4], [0.25,0,0,0.1,1e-4,1e-4,1e-4], [0.5,0,0,%s]], "
        "shapes: [%s], stiffness: [%s]}, start: given, deformation: [2e-5,0,1e-5,1e-5,3e-5]}\n%s"
        "markers:\n  tip: {body: b, at: [0.5, 0, 0]}\njoints:\n"
        "  j: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}\n%s"
        "  drive: {type: motion, joint: j, position: 40*time + 0.05*time^2}\n",
        k ? "0.1,1e-4,1e-4,1e-4" : "2.1,0.0201,0.0081,0.0131", shapes, stiffness, k ? wheel : "",
        k ? grip : "");
    mechanism m = load_text(text);
    tr_run *run = go(m.sys, "radau5", 5e-4, 0.3);
    for (int i = 0; i < 6; i++) got[k][i] = at_end(run, m.sys, names[i]);
    tr_run_free(run);
    unload(&m);
  }
  for (int i = 0; i < 6; i++)
    assert_near(got[0][i], got[1][i], 1e-3 * fabs(got[1][i]), "%s", names[i]);
}

// More modes change less and less: the torque of the four-bar's drive, largest change against 6 modes.
static void four_bar_converges(void **u) {
  (void)u;
  enum { CASES = 4, TIMES = 10 };
  static const char *const n[CASES] = {"n=6", "n=1", "n=2", "n=4"};
  double torque[CASES][TIMES], off[CASES] = {0};
  for (int k = 0; k < CASES; k++) {
    const char *const set[] = {n[k], NULL};
    mechanism m = load_model("flexible_four_bar.yaml", set);
    tr_run *run = new_run(m.sys, "radau5", 2e-4, 0.2);
    for (int i = 0; i < TIMES; i++) {
      assert_int_equal(tr_run_to(run, 0.02 * (i + 1), NULL), TR_OK);
      torque[k][i] = at_end(run, m.sys, "drive.tz");
      off[k] = fmax(off[k], fabs(torque[k][i] - torque[0][i]));
    }
    tr_run_free(run);
    unload(&m);
  }
  assert_true(largest(TIMES, torque[0]) > 1); // N m
  assert_true(off[1] < 3e-3 && off[2] < 0.2 * off[1] && off[3] < 0.1 * off[2]);
}

// A soft beam that falls about its pin: frames and shapes differ, the motion does not; with clamped-free
// shapes too, which come near to turning the whole beam, the mass stays positive definite.
static void falling_beam(void **u) {
  (void)u;
  static const char *const modes[] = {"simply-supported", "free-free", "clamped-free"};
  double end_y[3];
  for (int k = 0; k < 3; k++) {
    char text[1024];
    snprintf(text, sizeof text,
             "trammel: 1\ngravity: [0, -9.81]\nbodies:\n  b: {type: planar-beam, length: 1.2, "
             "density: 5540, area: 0.0018, I: 1.215e-8, young: 1e9, modes: %s, bending: 8, "
             "stiffening: yes}\nmarkers:\n  tip: {body: b, at: [1.2, 0]}\n"
             "joints:\n  a: {type: revolute, markers: [ground, {body: b, at: [0, 0]}]}\n",
             modes[k]);
    mechanism m = load_text(text);
    tr_run *run = go(m.sys, "hht-i3:alpha=-0.05", 1e-3, 1.1);
    end_y[k] = at_end(run, m.sys, "tip.y");
    tr_run_free(run);
    unload(&m);
  }
  assert_near(end_y[1], end_y[0], 1e-3, "free-free and simply supported");
  assert_near(end_y[2], end_y[0], 1e-2, "clamped-free and simply supported");
}

// Far beyond what stiffening is good for, and with many modes, the mass can still be inverted.
static void mass_stays(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\nbodies:\n  b: {type: planar-beam, length: 2, density: 1500, area: 1e-3, "
      "I: 5e-8, young: 6e7, modes: clamped-free, bending: 10, stiffening: yes}\n"
      "markers:\n  tip: {body: b, at: [2, 0]}\n"
      "joints:\n  a: {type: fixed, markers: [ground, b]}\n"
      "forces:\n  f: {type: force, markers: [tip], force: [0, -0.5]}\n");
  tr_run *x = go(m.sys, "hht-add", 5e-3, 2), *y = go(m.sys, "radau5", 5e-3, 2);
  assert_near(at_end(x, m.sys, "tip.y"), at_end(y, m.sys, "tip.y"), 2e-3, "tip");
  tr_run_free(x), tr_run_free(y);
  unload(&m);
}

// Without modes a beam is a rigid rod: the same bits of motion to round-off.
static void no_modes(void **u) {
  (void)u;
  mechanism a = load_text(
      "trammel: 1\ngravity: [0, -9.81]\nbodies:\n"
      "  b: {type: planar-beam, length: 2, density: 3, area: 0.5, I: 1, young: 1, "
      "bending: 0}\n"
      "joints:\n  j: {type: revolute, markers: [ground, {body: b, at: [0, 0]}]}\n");
  mechanism b = load_text(
      "trammel: 1\ngravity: [0, -9.81]\nbodies:\n"
      "  b: {type: planar, mass: 3, inertia: 1, com: [1, 0]}\n"
      "joints:\n  j: {type: revolute, markers: [ground, {body: b, at: [0, 0]}]}\n");
  tr_run *x = go(a.sys, "radau5", 1e-2, 1), *y = go(b.sys, "radau5", 1e-2, 1);
  assert_near(at_end(x, a.sys, "b.angle"), at_end(y, b.sys, "b.angle"), 1e-9, "angle");
  assert_near(at_end(x, a.sys, "j.fy"), at_end(y, b.sys, "j.fy"), 1e-6, "reaction");
  assert_true(at_end(x, a.sys, "b.strain") == 0);
  tr_run_free(x), tr_run_free(y);
  unload(&a), unload(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(simeon_problem),
      cmocka_unit_test(simeon_body),
      cmocka_unit_test(spin_up_against_segments),
      cmocka_unit_test(spin_up_without),
      cmocka_unit_test(rigid_limit),
      cmocka_unit_test(rigid_limit_in_space),
      cmocka_unit_test(plane_in_space),
      cmocka_unit_test(wheel_at_a_node),
      cmocka_unit_test(four_bar_converges),
      cmocka_unit_test(falling_beam),
      cmocka_unit_test(mass_stays),
      cmocka_unit_test(no_modes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
