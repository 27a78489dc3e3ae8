// SPDX-License-Identifier: Apache-2.0
// Flexible bodies against what is known of them: published reference solutions, frequencies of beams and
// rotating beams, chains of rigid segments, the rigid limit.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/linear.h"
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

// The same rod as a body: its shapes at Gauss points, and the published modal mass, stiffness and inertia.
static void simeon_body(void **u) {
  (void)u;
  static char text[40000];
  static const double gx[4] = {0.1834346424956498049, 0.5255324099163289858, 0.7966664774136267396,
                               0.9602898564975362317},
                      gw[4] = {0.3626837833783619830, 0.3137066458778872873, 0.2223810344533744706,
                               0.1012285362903762591};
  enum { PANELS = 4, NODES = 8 * PANELS + 2 };
  const double L = 0.3, m = 0.151104, k = 0.2e12 * 6.4e-5 / L, pi = 3.1415927;
  double z[NODES] = {0, 1}, w[NODES] = {0};
  for (int i = 2; i < NODES; i++) {
    int g = (i - 2) % 8;
    z[i] = ((i - 2) / 8 + 0.5 + 0.5 * (g < 4 ? -gx[g] : gx[g - 4])) / PANELS;
    w[i] = 0.5 * gw[g % 4] / PANELS;
  }
  int n =
      snprintf(text, sizeof text,
               "trammel: 1\nbodies:\n"
               "  crank: {type: planar, mass: 0.36, inertia: 0.002727, omega: 150}\n"
               "  slider: {type: planar-point, mass: 0.075552, position: [0.4500169327969, 0], "
               "velocity: [-2.68938672e-06, 0]}\n"
               "  rod:\n    type: planar-modal\n    position: [0.15, 0]\n    velocity: [0, 22.5]\n"
               "    omega: -74.99576703969452379\n    start: given\n"
               "    deformation: [0, 0, 0.103339863e-4, 0.169327969e-4]\n"
               "    deformation-rate: [0.4448961125815999048, 4.634339319238302056e-3, "
               "-1.78591076e-6, -2.68938672e-6]\n    modal:\n      nodes:\n");
#define ADD(...) n += snprintf(text + n, sizeof text - (size_t)n, __VA_ARGS__)
  for (int i = 0; i < NODES; i++) ADD("        - [%.17g, 0, %.17g]\n", L * z[i], m * w[i]);
  ADD("      shapes:\n");
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < NODES; i++) {
      double x = z[i], bend = j < 2 ? sin((j + 1) * TR_PI * x) : 0;
      double along = j == 2 ? 4 * x * (1 - x) : j == 3 ? x * (2 * x - 1) : 0;
      ADD("        - [%.17g, %.17g]\n", along, bend);
    }
  double bend = k * pow(pi, 4) / 24 * pow(0.008 / L, 2);
  ADD("      stiffness: [[%.17g, 0, 0, 0], [0, %.17g, 0, 0], [0, 0, %.17g, %.17g], "
      "[0, 0, %.17g, %.17g]]\n",
      bend, 16 * bend, k * 16 / 3, -k * 8 / 3, -k * 8 / 3, k * 7 / 3);
  ADD("      mass: [[%.17g, 0, 0, 0], [0, %.17g, 0, 0], [0, 0, %.17g, %.17g], "
      "[0, 0, %.17g, %.17g]]\n      inertia: %.17g\n",
      m / 2, m / 2, 8 * m, m, m, 2 * m, 0.0045339259 - m * L * L / 4);
  ADD("joints:\n"
      "  pin_O: {type: revolute, markers: [ground, crank]}\n"
      "  pin_A: {type: revolute, markers: [{body: crank, at: [0.15, 0]}, {body: rod, at: [0, "
      "0]}]}\n"
      "  pin_B: {type: revolute, markers: [{body: rod, at: [0.3, 0]}, slider]}\n"
      "  guide: {type: point-on-line, markers: [ground, slider]}\n"
      "  drive: {type: motion, joint: pin_O, position: 150*time}\n");
#undef ADD
  mechanism mech = load_text(text);
  tr_run *run = go(mech.sys, "radau5", 1e-5, 0.1);
  // pi of the published program is 1.5e-8 off
  assert_near(at_end(run, mech.sys, "rod.angle"), crank_q[1], 1e-9, "phi2");
  assert_near(at_end(run, mech.sys, "slider.x"), crank_q[2], 1e-9, "x3");
  assert_near(at_end(run, mech.sys, "rod.omega"), crank_v[1], 1e-6, "v of phi2");
  for (int j = 0; j < 4; j++) {
    char name[32];
    snprintf(name, sizeof name, "rod.eta%d", j + 1);
    assert_near(at_end(run, mech.sys, name), crank_q[3 + j], 1e-9, "%s", name);
    snprintf(name, sizeof name, "rod.eta_v%d", j + 1);
    assert_near(at_end(run, mech.sys, name), crank_v[3 + j], 2e-6, "%s", name);
  }
  tr_run_free(run);
  unload(&mech);
}

// ---- frequencies ------------------------------------------------------------------------------------

enum { MOST = 40 };
static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Circular frequencies above 1e-3, in order, of a model at its consistent start; the largest growth.
static int frequencies(const char *text, double *omega, double *growth) {
  mechanism m = load_text(text);
  tr_state x;
  tr_arena ar = tr_arena_make(NULL);
  tr_modes modes;
  int n = 0;
  assert_int_equal(tr_state_new(m.sys, &x, NULL), TR_OK);
  assert_int_equal(tr_consistent_start(m.sys, &x, NULL, NULL), TR_OK);
  assert_int_equal(tr_find_modes(&ar, m.sys, &x, &modes, NULL), TR_OK);
  for (int i = 0; i < 2 * modes.f && n < MOST; i++)
    if (cimag(modes.s[i]) > 1e-3) omega[n++] = cimag(modes.s[i]);
  if (growth) *growth = modes.growth;
  qsort(omega, (size_t)n, sizeof *omega, by_size);
  tr_arena_free(&ar);
  tr_state_free(m.sys, &x);
  unload(&m);
  return n;
}

// L = 2, E I = 3, rho A = 1.5, E A = 6e4: sqrt(E I/(rho A L^4)) = 0.35355339
#define PLANAR "length: 2, density: 1500, area: 1e-3, I: 5e-8, young: 6e7"
static const double unit = 0.35355339059327376;

static void planar_frequencies(void **u) {
  (void)u;
  static const double simply[] = {1, 2, 3}; // times pi
  static const double clamped[] = {1.875104069, 4.694091133, 7.854757438},
                      loose[] = {4.730040745, 7.853204624, 10.99560784};
  double w[MOST];
  assert_int_equal(
      frequencies("trammel: 1\nbodies:\n  b: {type: planar-beam, " PLANAR
                  ", bending: 3, axial: 0}\njoints:\n"
                  "  a: {type: revolute, markers: [ground, {body: b}]}\n"
                  "  c: {type: point-on-line, markers: [ground, {body: b, at: [2, 0]}]}\n",
                  w, NULL),
      3);
  for (int i = 0; i < 3; i++)
    assert_near(w[i], unit * pow(simply[i] * TR_PI, 2), 1e-6, "simply supported %d", i);
  assert_int_equal(frequencies("trammel: 1\nbodies:\n  b: {type: planar-beam, " PLANAR
                               ", modes: clamped-free, bending: 3, axial: 1}\njoints:\n"
                               "  a: {type: fixed, markers: [ground, {body: b}]}\n",
                               w, NULL),
                   4);
  for (int i = 0; i < 3; i++)
    assert_near(w[i], unit * clamped[i] * clamped[i], 1e-6, "clamped %d", i);
  assert_near(w[3], TR_PI / 4 * sqrt(6e7 / 1500), 1e-6, "axial");
  assert_int_equal(frequencies("trammel: 1\nbodies:\n  b: {type: planar-beam, " PLANAR
                               ", modes: free-free, bending: 3, axial: 1}\n",
                               w, NULL),
                   4);
  for (int i = 0; i < 3; i++) assert_near(w[i], unit * loose[i] * loose[i], 1e-6, "free %d", i);
  assert_near(w[3], TR_PI / 2 * sqrt(6e7 / 1500), 1e-6, "free, axial");
}

// Modes of one kind of support in another: what joints say counts.
static void modes_converge(void **u) {
  (void)u;
  double w[MOST], last = INFINITY, exact = unit * 1.875104069 * 1.875104069;
  char text[512];
  for (int n = 2; n <= 16; n *= 2) { // a cantilever of free-free modes
    snprintf(text, sizeof text,
             "trammel: 1\nbodies:\n  b: {type: planar-beam, " PLANAR
             ", modes: free-free, bending: %d}\njoints:\n"
             "  a: {type: fixed, markers: [ground, {body: b, at: [0, 0]}]}\n",
             n);
    frequencies(text, w, NULL);
    double off = fabs(w[0] / exact - 1);
    assert_true(off < 0.6 * last);
    last = off;
  }
  assert_true(last < 0.06); // like 1/n: no free-free mode bends at its ends
  // pinned at both ends
  frequencies("trammel: 1\nbodies:\n  b: {type: planar-beam, " PLANAR
              ", modes: free-free, bending: 12}\njoints:\n"
              "  a: {type: revolute, markers: [ground, {body: b, at: [0, 0]}]}\n"
              "  c: {type: point-on-line, markers: [ground, {body: b, at: [2, 0]}]}\n",
              w, NULL);
  assert_near(w[0], unit * TR_PI * TR_PI, 1e-3 * w[0], "pinned, of free-free modes");
  // a mass at the tip, mu = 1: 1 + cos cosh + mu beta (cos sinh - sin cosh) = 0, beta = 1.247917
  frequencies("trammel: 1\nbodies:\n  b: {type: planar-beam, " PLANAR
              ", modes: clamped-free, bending: 6}\n"
              "  tip: {type: planar-point, mass: 3, position: [2, 0]}\njoints:\n"
              "  a: {type: fixed, markers: [ground, b]}\n"
              "  c: {type: revolute, markers: [{body: b, at: [2, 0]}, tip]}\n",
              w, NULL);
  assert_near(w[0], unit * 1.2479174 * 1.2479174, 1e-3 * w[0], "with a tip mass");
}

// Bending in both planes, torsion, axial; a point off the axis feels torsion; damping.
static void spatial_frequencies(void **u) {
  (void)u;
  double w[MOST], growth;
  assert_int_equal(frequencies("trammel: 1\nbodies:\n"
                               "  b: {type: spatial-beam, length: 2, density: 1500, area: 1e-3, "
                               "Iz: 5e-8, Iy: 2e-7, young: 6e7, shear: 2e7, J: 1e-7, "
                               "modes: clamped-free, bending-y: 2, bending-z: 2, torsion: 1, "
                               "axial: 1, orientation: {axis: [1, 2, 3], angle: 50 deg}}\n"
                               "joints:\n  a: {type: fixed, bodies: [ground, b], at: [0, 0, 0]}\n",
                               w, &growth),
                   6);
  double y = unit * 1.875104069 * 1.875104069, y2 = unit * 4.694091133 * 4.694091133;
  double torsion = TR_PI / 4 * sqrt(2e7 * 1e-7 / (1500 * 2.5e-7));
  double want[] = {y, 2 * y, y2, 2 * y2, torsion, TR_PI / 4 * sqrt(6e7 / 1500)};
  qsort(want, 6, sizeof *want, by_size);
  assert_all_near(6, w, want, 1e-6, "cantilever in space");
  assert_near(growth, 0, 1e-9, "nothing grows");
  frequencies("trammel: 1\nbodies:\n  b: {type: planar-beam, " PLANAR
              ", modes: clamped-free, bending: 1, damping-ratio: 0.1}\njoints:\n"
              "  a: {type: fixed, markers: [ground, b]}\n",
              w, &growth);
  assert_near(w[0], y * sqrt(0.99), 1e-6, "damped frequency");
  assert_near(growth, -0.1 * y, 1e-6, "damping ratio");
  frequencies("trammel: 1\nbodies:\n  b: {type: planar-beam, " PLANAR
              ", modes: clamped-free, bending: 1, rayleigh: [0.02, 0.3]}\njoints:\n"
              "  a: {type: fixed, markers: [ground, b]}\n",
              w, &growth);
  assert_near(growth, -0.5 * (0.02 + 0.3 * y * y), 1e-6, "Rayleigh damping");
}

// First flapping frequency of a beam clamped on the axis of rotation, g = speed/unit: Wright, Smith, Thresher,
// Wang (1982), J. Appl. Mech. 49, 197-202, exact by power series. In the plane of rotation w^2 - speed^2.
static void rotating_frequencies(void **u) {
  (void)u;
  static const double table[][2] = {{0, 3.5160}, {1, 3.6817}, {2, 4.1373},
                                    {3, 4.7973}, {6, 7.3604}, {12, 13.1702}};
  char text[1024];
  double w[MOST];
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    double speed = table[i][0] * unit, flap = table[i][1] * unit;
    snprintf(text, sizeof text,
             "trammel: 1\nbodies:\n"
             "  b: {type: spatial-beam, length: 2, density: 1500, area: 1e-3, Iz: 5e-6, Iy: 5e-8, "
             "young: 6e7, modes: clamped-free, bending-y: 0, bending-z: 10, stiffening: yes, "
             "omega: [0, 0, %.17g]}\n"
             "joints:\n  a: {type: revolute, markers: [ground, b]}\n"
             "  c: {type: motion, joint: a, velocity: %.17g}\n",
             speed, speed);
    frequencies(text, w, NULL);
    assert_near(w[0], flap, 1e-4 * flap + 5e-5 * unit, "flapping at %g", table[i][0]);
    snprintf(text, sizeof text,
             "trammel: 1\nbodies:\n  b: {type: planar-beam, " PLANAR
             ", modes: clamped-free, bending: 10, stiffening: yes, omega: %.17g}\n"
             "joints:\n  a: {type: revolute, markers: [ground, b]}\n"
             "  c: {type: motion, joint: a, velocity: %.17g}\n",
             speed, speed);
    frequencies(text, w, NULL);
    double lag = sqrt(flap * flap - speed * speed);
    assert_near(w[0], lag, 1e-4 * flap + 5e-5 * unit * flap / lag, "lagging at %g", table[i][0]);
  }
}

// On a hub as large as the beam is long: the solution of the beam's equation by shooting (classical
// Runge-Kutta, 2000 steps), which reproduces the table above.
static void rotating_on_a_hub(void **u) {
  (void)u;
  static const double table[][2] = {{2, 4.83368887}, {5, 8.94035813}};
  char text[1024];
  double w[MOST];
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    double speed = table[i][0] * unit, flap = table[i][1] * unit;
    snprintf(text, sizeof text,
             "trammel: 1\nbodies:\n"
             "  hub: {type: spatial, mass: 1, inertia: [1, 1, 1], omega: [0, 0, %.17g]}\n"
             "  b: {type: spatial-beam, length: 2, density: 1500, area: 1e-3, Iz: 5e-8, Iy: 5e-8, "
             "young: 6e7, modes: clamped-free, bending-y: 0, bending-z: 10, stiffening: yes, "
             "position: [2, 0, 0], velocity: [0, %.17g, 0], omega: [0, 0, %.17g]}\n"
             "joints:\n  a: {type: revolute, markers: [ground, hub]}\n"
             "  f: {type: fixed, bodies: [hub, b], at: [2, 0, 0]}\n"
             "  c: {type: motion, joint: a, velocity: %.17g}\n",
             speed, 2 * speed, speed, speed);
    frequencies(text, w, NULL);
    assert_near(w[0], flap, 1e-4 * flap, "flapping at %g", table[i][0]);
  }
}

// A round shaft that spins about its axis, seen from itself: |w +- speed|. Damping inside it drives it out
// above its critical speed, and only there.
static void whirling_shaft(void **u) {
  (void)u;
  double w0 = unit * TR_PI * TR_PI, w[MOST], growth;
  for (int k = 0; k < 3; k++) {
    double speed = w0 * (k == 1 ? 1.2 : 0.7);
    char text[1024];
    snprintf(
        text, sizeof text,
        "trammel: 1\nbodies:\n"
        "  b: {type: spatial-beam, length: 2, density: 1500, area: 1e-3, Iz: 5e-8, Iy: 5e-8, "
        "young: 6e7, bending-y: 1, bending-z: 1, omega: [%.17g, 0, 0]%s}\n"
        "joints:\n  a: {type: spherical, bodies: [ground, b], at: [0, 0, 0]}\n"
        "  c: {type: point-on-line, markers: [{orientation: {y: 90 deg}}, {body: b, at: [2, 0, "
        "0]}]}\n",
        speed, k < 2 ? ", rayleigh: [0, 1e-3]" : "");
    frequencies(text, w, &growth);
    if (k == 2) {
      assert_near(w[0], w0 - speed, 1e-6, "backward");
      assert_near(w[1], w0 + speed, 1e-6, "forward");
    } else {
      assert_true(k == 1 ? growth > 1e-4 : growth < 1e-9); // its free spin neither grows nor falls
    }
  }
}

// Euler's column: a force along the axis at the tip, P = pi^2 E I/(4 L^2); only with stiffening.
static void buckling(void **u) {
  (void)u;
  double P = TR_PI * TR_PI * 3 / 16, w[MOST], growth;
  for (int k = 0; k < 3; k++) {
    char text[1024];
    snprintf(text, sizeof text,
             "trammel: 1\nbodies:\n  b: {type: planar-beam, " PLANAR
             ", modes: clamped-free, bending: 5, stiffening: %s}\n"
             "joints:\n  a: {type: fixed, markers: [ground, b]}\n"
             "forces:\n  f: {type: force, markers: [{body: b, at: [2, 0]}], force: [%.17g, 0]}\n",
             k < 2 ? "yes" : "no", -P * (k == 0 ? 0.999 : 1.001));
    frequencies(text, w, &growth);
    if (k == 1)
      assert_true(growth > 1e-3);
    else
      assert_near(growth, 0, 1e-9, "below Euler's load");
  }
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

// ---- modal data ---------------------------------------------------------------------------------------

// What is wrong with a file of modal data is told with its place; what is right is used.
static void modal_files(void **u) {
  (void)u;
  static const struct {
    const char *data, *error; // NULL: none
  } rows[] = {
      {"nodes: [[0, 0, 1], [1, 0, 1], [2, 0, 1]]\nshapes: [[0, 0], [0, 1], [0, 0]]\nstiffness: "
       "[3]\n",
       NULL},
      {"nodes: [[0, 0, 1], [1, 0, x]]\nshapes: [[0, 0], [0, 1]]\nstiffness: [3]\n",
       "flex_data.yaml:1:27: body \"b\": nodes: unknown name \"x\"\n"},
      {"nodes: [[0, 0, 1], [1, 0, 1]]\nshape: [[0, 0], [0, 1]]\nstiffness: [3]\n",
       "flex_data.yaml:2:1: body \"b\": unknown key \"shape\" (did you mean \"shapes\"?)\n"
       "flex_data.yaml:1:1: body \"b\": shapes is missing\n"},
      {"nodes: [[0, 0, 1], [1, 0]]\nshapes: [[0, 0], [0, 1]]\nstiffness: [3]\n",
       "flex_data.yaml:1:20: body \"b\": nodes: a list of 3 numbers is expected\n"},
      {"nodes: [[0, 0, 1], [1, 0, 1]]\nshapes: [[0, 0], [0, 1], [0, 2]]\nstiffness: [3]\n",
       "flex_model.yaml:3:6: body \"b\": modal: shapes need one row for every node, mode after "
       "mode\n"},
      {"nodes: [[0, 0, 1], [1, 0, 1]]\nshapes: [[0, 0], [0, 1]]\nstiffness: [3, 4]\n",
       "flex_model.yaml:3:6: body \"b\": modal: stiffness needs one number per mode, or a "
       "matrix\n"},
      {"nodes: [[0, 0, 1], [1, 0, -1]]\nshapes: [[0, 0], [0, 1]]\nstiffness: [3]\n",
       "flex_model.yaml:3:6: body \"b\": modal: masses and inertias of nodes must not be "
       "negative\n"},
      {"nodes: [[0, 0, 1], [1, 0, 1]]\nshapes: [[0, 1], [0, 1]]\nstiffness: [3]\n",
       "flex_model.yaml:3:3: body \"b\": its mass matrix is not positive definite: a mode that "
       "moves "
       "as the whole body does, two modes alike, or no inertia about an axis\n"},
      {"nodes: [[0, 0, 1], [1, 0, 1]]\nshapes: [[0, 0], [0, 1]]\nstiffness: 3\n",
       "flex_data.yaml:3:12: body \"b\": stiffness: a list of numbers, or of lists of numbers, is "
       "expected\n"},
      {"nodes: [\n", "flex_data.yaml:2:1: flow sequence without a closing bracket\n"},
      {"- 3\n", "flex_data.yaml:1:1: a map of modal data is expected\n"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    tr_model *model;
    tr_system *sys = NULL;
    tr_error error = {0};
    FILE *f = fopen("flex_data.yaml", "w"), *g = fopen("flex_model.yaml", "w");
    assert_true(f && g);
    fputs(rows[i].data, f);
    fputs("trammel: 1\nbodies:\n  b: {type: planar-modal, modal: flex_data.yaml}\n", g);
    fclose(f), fclose(g);
    assert_int_equal(tr_model_new(NULL, &model), TR_OK);
    tr_status status = tr_model_read_file(model, "flex_model.yaml", &error);
    if (status == TR_OK) status = tr_compile(model, &sys, &error);
    assert_int_equal(status == TR_OK, !rows[i].error);
    if (rows[i].error) assert_string_equal(error.text, rows[i].error);
    tr_system_free(sys);
    tr_model_free(model);
  }
  remove("flex_data.yaml"), remove("flex_model.yaml");
  mechanism m = load_model("flexible_arm.yaml", NULL); // a path relative to the model
  assert_true(tr_channel_find(m.sys, "arm.eta4") >= 0 && tr_channel_find(m.sys, "arm.eta5") < 0);
  unload(&m);
}

// The frequencies of the clamped bracket are those of the data; a beam's modes as data make the same beam.
static void modal_data(void **u) {
  (void)u;
  static const double bracket[4] = {30.968877, 33.929375, 80.298189, 98.924775}; // Hz
  char text[1024];
  double w[MOST], growth;
  snprintf(text, sizeof text,
           "trammel: 1\nbodies:\n  b: {type: spatial-modal, modal: %s/models/modal/bracket.yaml}\n"
           "joints:\n  a: {type: fixed, markers: [ground, b]}\n",
           SOURCE_DIR);
  assert_int_equal(frequencies(text, w, &growth), 4);
  for (int i = 0; i < 4; i++)
    assert_near(w[i] / (2 * TR_PI), bracket[i] * sqrt(1 - 1e-4), 1e-5 * bracket[i], "bracket %d",
                i);
  assert_near(growth, -0.01 * 2 * TR_PI * bracket[0], 1e-4, "damping");
}

typedef struct failing {
  tr_allocator al;
  long left, live;
} failing;
static void *failing_resize(tr_allocator *self, void *block, size_t size) {
  failing *f = (failing *)self;
  if (size == 0) {
    f->live -= block != NULL;
    free(block);
    return NULL;
  }
  if (f->left-- <= 0) return NULL;
  f->live += block == NULL;
  return realloc(block, size);
}

static tr_status build_with(failing *f) {
  static const char text[] =
      "{trammel: 1, bodies: {b: {type: planar-beam, " PLANAR
      ", start: slow}, c: {type: spatial-modal, "
      "modal: {nodes: [[0, 0, 0, 1], [1, 0, 0.5, 2], [0, 1, 0, 3]], shapes: [[0, 0, 0], [0.1, 0.2, "
      "0.3], [1, 0, 2]], stiffness: [3]}}}, joints: {j: {type: revolute, markers: [ground, b]}}}";
  tr_model *model;
  tr_system *sys = NULL;
  tr_state x = {0};
  tr_status status = tr_model_new(&f->al, &model);
  if (status != TR_OK) return status;
  status = tr_model_read_text(model, text, sizeof text - 1, "t", NULL);
  if (status == TR_OK) status = tr_compile(model, &sys, NULL);
  if (status == TR_OK) status = tr_state_new(sys, &x, NULL);
  if (status == TR_OK) status = tr_consistent_start(sys, &x, NULL, NULL);
  if (sys) tr_state_free(sys, &x);
  tr_system_free(sys);
  tr_model_free(model);
  return status;
}

static void memory_runs_out(void **u) {
  (void)u;
  tr_status status = TR_NO_MEMORY;
  for (long n = 0; status != TR_OK; n++) {
    failing f = {{failing_resize}, n, 0};
    status = build_with(&f);
    assert_int_equal(f.live, 0);
    if (status != TR_OK) assert_int_equal(status, TR_NO_MEMORY);
    assert_true(n < 10000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(simeon_problem),
      cmocka_unit_test(simeon_body),
      cmocka_unit_test(planar_frequencies),
      cmocka_unit_test(modes_converge),
      cmocka_unit_test(spatial_frequencies),
      cmocka_unit_test(rotating_frequencies),
      cmocka_unit_test(rotating_on_a_hub),
      cmocka_unit_test(whirling_shaft),
      cmocka_unit_test(buckling),
      cmocka_unit_test(spin_up_against_segments),
      cmocka_unit_test(spin_up_without),
      cmocka_unit_test(rigid_limit),
      cmocka_unit_test(rigid_limit_in_space),
      cmocka_unit_test(plane_in_space),
      cmocka_unit_test(modal_files),
      cmocka_unit_test(modal_data),
      cmocka_unit_test(memory_runs_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
