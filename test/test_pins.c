// SPDX-License-Identifier: Apache-2.0
// Velocities projected by pins alone (system/pins.h): against G by its other ways; where that is not to be.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_mechanics.h"
#include "system/pins.h"

// Chains, loops, bodies with several pins and with one, numbers of bodies that are no multiple of four.
static const char *const texts[] = {
    "trammel: 1\n"
    "repeat:\n"
    "  - {for: i, from: 1, to: 1, bodies: {\"b_{i}\": {type: spatial, mass: 0.3, inertia: [2e-4, "
    "3e-4, 4e-4, 1e-5, -2e-5, 3e-5],"
    " position: [0.05, 0.01, 0.02], com: [0.01, 0, 0.02]}},\n"
    "     joints: {\"j_{i}\": {type: spherical, bodies: [ground, \"b_{i}\"], at: [0, 0, 0]}}}\n"
    "  - {for: i, from: 2, to: 11, bodies: {\"b_{i}\": {type: spatial, mass: 0.1*i, inertia: "
    "[7e-5, 8e-5, 9e-5],"
    " position: [0.1*i - 0.05, 0.02, -0.01]}},\n"
    "     joints: {\"j_{i}\": {type: spherical, bodies: [\"b_{i}\", \"b_{i-1}\"], at: [0.1*i - "
    "0.1, 0, 0]}}}\n"
    "  - {for: i, from: 1, to: 4, bodies: {\"c_{i}\": {type: spatial, mass: 0.1, inertia: [7e-5, "
    "8e-5, 9e-5],"
    " position: [0.1*i, 0.2, -0.01]}},\n"
    "     joints: {\"k_{i}\": {type: spherical, bodies: [\"b_5\", \"c_{i}\"], at: [0.1*i, 0.03*i, "
    "0.01]}}}\n",
    "trammel: 1\n"
    "bodies:\n"
    "  plate: {type: planar, mass: 2, inertia: 0.1, position: [0, 1]}\n"
    "  left: {type: planar, mass: 0.5, inertia: 0.02, position: [-0.6, 0.5]}\n"
    "  right: {type: planar, mass: 0.7, inertia: 0.03, position: [0.6, 0.4]}\n"
    "  whip: {type: planar, mass: 0.1, inertia: 0.001, position: [0.1, 1.5]}\n"
    "  tip: {type: planar, mass: 0.05, inertia: 0.0007, position: [0.2, 2]}\n"
    "joints:\n"
    "  a: {type: revolute, bodies: [ground, left], at: [-0.7, 0]}\n"
    "  b: {type: revolute, bodies: [left, plate], at: [-0.5, 1]}\n"
    "  c: {type: revolute, bodies: [plate, right], at: [0.5, 1.1]}\n"
    "  d: {type: revolute, bodies: [right, ground], at: [0.7, 0]}\n"
    "  e: {type: revolute, bodies: [plate, whip], at: [0, 1.2]}\n"
    "  f: {type: revolute, bodies: [whip, tip], at: [0.2, 1.7]}\n",
};
static const char *const models[] = {"rod_chain.yaml", "four_bar_chain.yaml"};

typedef struct scene {
  mechanism m;
  tr_state x;
  tr_work *w;
  tr_arena arena;
  tr_pins *pins;
  double *room; // (2 nc + 3 nv)
} scene;

static scene open_scene(mechanism m) {
  scene s = {.m = m, .arena = tr_arena_make(NULL)};
  assert_int_equal(tr_state_new(m.sys, &s.x, NULL), TR_OK);
  assert_int_equal(tr_work_new(m.sys, &s.w), TR_OK);
  assert_int_equal(tr_pins_make(m.sys, &s.arena, &s.pins), TR_OK);
  s.room = TR_NEW(&s.arena, 2 * m.sys->nc + 4 * m.sys->nv + 8, double);
  assert_non_null(s.room);
  if (s.pins) s.pins->S = TR_NEW(&s.arena, s.pins->numbers, double);
  assert_true(!s.pins || s.pins->S);
  return s;
}

static void close_scene(scene *s) {
  tr_work_free(s->w);
  tr_state_free(s->m.sys, &s->x);
  tr_arena_free(&s->arena);
  unload(&s->m);
}

// Every velocity once.
typedef struct taking {
  const double *out;
  double *v;
} taking;
static void take(void *what, int part, int first, int end) {
  const taking *k = what;
  (void)part;
  for (int i = first; i < end; i++) k->v[i] -= k->out[i];
}

// What is left of any velocities is in no constraint's way, and what was taken is M^-1 G' x.
static void check_projection(scene *s, seed *random, const char *what) {
  const tr_system *sys = s->m.sys;
  int nv = sys->nv, nc = sys->nc;
  double *x = s->room, *rate = x + nc + 2, *taken = rate + nc, *was = taken + nv, *M = was + nv;
  double *pull = M + nv, *q = s->x.q;
  assert_non_null(s->pins);
  draw_many(random, nv, taken);
  for (int i = 0; i < nv; i++) taken[i] *= 0.3;
  tr_retract(sys, q, taken, q);
  draw_many(random, nv, s->x.v), draw_many(random, nv, was);
  if (!tr_pins_solve(s->w, s->pins, q, s->x.v, x)) fail_msg("%s: singular", what);
  taking all = {taken, s->x.v};
  tr_pins_pull(s->w, s->pins, q, s->x.v, 0, 0.1, was, x, taken, &(tr_pins_taking){take, &all});
  tr_kinematics(s->w, 0, q, s->x.v, s->x.mem, TR_AT_VELOCITY);
  tr_rates(s->w, rate);
  if (!(largest(nc, rate) < 1e-11)) fail_msg("%s: G v = %g", what, largest(nc, rate));
  tr_mass_times(sys, tr_mass_blocks(s->w, M), taken, M);
  tr_Gt_times(s->w, x, pull);
  double size = 1 + largest(nv, pull);
  assert_all_near(nv, M, pull, 1e-12 * size, "%s", what);
}

// Segments of chains of many lengths, side by side and with what is left over; bars that are alike or not, in line with their
// centres or not, in trees of several chains, from a joint in the middle on; both ends on the ground, or on one body.
#define RISING                                                                                 \
  "  - {for: i, from: 1, to: N, bodies: {\"b_{i}\": {type: planar, mass: 0.1, inertia: 8e-5, " \
  "position: [0.1*i - 0.05, 0.01*i]}},\n"                                                      \
  "     joints: {\"j_{i}\": {type: revolute, markers: [\"e_{i-1}\", {body: \"b_{i}\", at: "    \
  "[-0.05, 0]}]}},\n"                                                                          \
  "     markers: {\"e_{i}\": {body: \"b_{i}\", at: [0.05, 0]}}}\n"
static const char *const chains[] = {
    "  - {for: i, from: 1, to: N, bodies: {\"b_{i}\": {type: spatial, mass: 0.1, inertia: [7e-6, "
    "8e-5, 9e-5], position: [0.1*i - 0.05, 0, 0]}},\n"
    "     joints: {\"j_{i}\": {type: spherical, markers: [\"e_{i-1}\", {body: \"b_{i}\", at: "
    "[-0.05, "
    "0, 0]}]}},\n"
    "     markers: {\"e_{i}\": {body: \"b_{i}\", at: [0.05, 0, 0]}}}\n"
    "markers: {e_0: {}}\n",
    "  - {for: i, from: 1, to: N, bodies: {\"b_{i}\": {type: spatial, mass: 0.1*i, inertia: [7e-5, "
    "8e-5, 9e-5, 1e-6, 0, 2e-6], position: [0.1*i - 0.05, 0, 0]}},\n"
    "     joints: {\"j_{i}\": {type: spherical, markers: [{body: \"b_{i}\", at: [-0.05, 0, "
    "0.01*floor(i/7)]}, \"e_{i-1}\"]}},\n"
    "     markers: {\"e_{i}\": {body: \"b_{i}\", at: [0.05, 0, 0]}}}\n"
    "markers: {e_0: {}}\n",
    "  - {for: i, from: 1, to: N, bodies: {\"b_{i}\": {type: spatial, mass: 0.1, inertia: [7e-6, "
    "8e-5, 9e-5], position: [0.1*i - 0.05, 0, 0]}},\n"
    "     joints: {\"j_{i}\": {type: spherical, markers: [\"e_{i - 1 - 5*(floor(i/9) - "
    "floor((i - 1)/9))}\", {body: \"b_{i}\", at: [-0.05, 0, 0]}]}},\n"
    "     markers: {\"e_{i}\": {body: \"b_{i}\", at: [0.05, 0, 0]}}}\n"
    "markers: {e_0: {}}\n",
    "  - {for: i, from: 1, to: N, bodies: {\"b_{i}\": {type: planar, mass: 0.1*i, inertia: 8e-5, "
    "position: [0.1*i - 0.05, 0.01]}},\n"
    "     joints: {\"j_{i}\": {type: revolute, markers: [\"e_{i-1}\", {body: \"b_{i}\", at: "
    "[-0.05, "
    "-0.01]}]}},\n"
    "     markers: {\"e_{i}\": {body: \"b_{i}\", at: [0.05, -0.01]}}}\n"
    "markers: {e_0: {}}\n",
    RISING
    "markers: {e_0: {}}\n"
    "joints: {last: {type: revolute, markers: [\"e_{N}\", {body: ground, at: [0.05*N, 0.3]}]}}\n",
    RISING
    "bodies: {plate: {type: planar, mass: 2, inertia: 0.1}}\n"
    "markers: {e_0: {body: plate, at: [0.1, 0]}}\n"
    "joints: {last: {type: revolute, markers: [\"e_{N}\", {body: plate, at: [0.3, 0.3]}]},\n"
    "  foot: {type: revolute, markers: [{body: plate, at: [0, 0.2]}, {body: ground, at: [0, "
    "0.2]}]}}\n",
};

static void long_chains(void **u) {
  static const int lengths[] = {1, 2, 3, 5, 8, 9, 10, 12, 13, 14, 21, 40, 131};
  char text[2048], what[64];
  seed random = 7;
  (void)u;
  for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
      if (strstr(chains[i], "last") && lengths[k] == 1) continue; // it could not move, twice
      snprintf(text, sizeof text, "trammel: 1\nparameters: {N: %d}\nrepeat:\n%s", lengths[k],
               chains[i]);
      snprintf(what, sizeof what, "chain %d of %d", (int)i, lengths[k]);
      scene s = open_scene(load_text(text));
      check_projection(&s, &random, what);
      close_scene(&s);
    }
}

static void projections(void **u) {
  (void)u;
  enum { TEXTS = sizeof texts / sizeof *texts, MODELS = sizeof models / sizeof *models };
  seed random = 5;
  for (int i = 0; i < TEXTS + MODELS; i++) {
    scene s = open_scene(i < TEXTS ? load_text(texts[i]) : load_model(models[i - TEXTS], NULL));
    for (int turn = 0; turn < 3; turn++)
      check_projection(&s, &random, i < TEXTS ? "text" : models[i - TEXTS]);
    close_scene(&s);
  }
}

// The change of accelerations by gyroscopic forces, of a body that is held at its centre of mass alone: by Euler's equations.
static void gyration(void **u) {
  (void)u;
  scene s = open_scene(
      load_text("trammel: 1\n"
                "bodies: {top: {type: spatial, mass: 1, inertia: [2, 3, 5]}}\n"
                "joints: {j: {type: spherical, bodies: [ground, top], at: [0, 0, 0]}}\n"));
  double x[5], v[6] = {0, 0, 0, 0.7, -1.1, 0.4}, was[6] = {0, 0, 0, 0.01, 0.02, -0.03}, out[6];
  assert_true(tr_pins_solve(s.w, s.pins, s.x.q, v, x));
  double got = tr_pins_pull(s.w, s.pins, s.x.q, v, 0, 0.5, was, x, out, NULL);
  const double J[3] = {2, 3, 5}, *w = v + 3;
  double last[3], want = 0;
  for (int i = 0; i < 3; i++) last[i] = w[i] - 0.5 * was[3 + i];
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    want = fmax(want, fabs((J[j] - J[k]) * (w[j] * w[k] - last[j] * last[k]) / J[i]));
  }
  assert_near(largest(6, out), 0, 1e-15, "nothing to take");
  assert_near(got, want, 0.03 * want, "to first order of a small change");
  close_scene(&s);
}

// Other joints, two bars between the same two pins: there is none. Dependent pins: S is singular.
static void refusals(void **u) {
  (void)u;
  static const char *const others[] = {
      "trammel: 1\n"
      "bodies: {a: {type: planar, mass: 1, inertia: 1}, b: {type: planar, mass: 1, inertia: 1, "
      "position: [1, 0]}}\n"
      "joints: {j: {type: revolute, bodies: [ground, a], at: [0, 0]}, k: {type: prismatic, bodies: "
      "[a, b], at: [0, 0], axis: [1, 0]}}\n",
      "trammel: 1\n"
      "bodies: {a: {type: planar, mass: 1, inertia: 1}, b: {type: planar, mass: 1, inertia: 1}}\n"
      "joints: {j: {type: revolute, bodies: [a, b], at: [0, 0]}, k: {type: revolute, bodies: [b, "
      "a], at: [1, 0]}}\n",
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    scene s = open_scene(load_text(others[i]));
    assert_null(s.pins);
    close_scene(&s);
  }
  scene s =
      open_scene(load_text("trammel: 1\n"
                           "bodies: {a: {type: planar, mass: 1, inertia: 1}}\n"
                           "joints: {j: {type: revolute, bodies: [ground, a], at: [0, 0]}, k: "
                           "{type: revolute, bodies: [ground, a], at: "
                           "[1, 0]}}\n"));
  double x[6];
  assert_non_null(s.pins);
  assert_false(tr_pins_solve(s.w, s.pins, s.x.q, s.x.v, x));
  close_scene(&s);
}

// ---- in runs --------------------------------------------------------------------------------------

// A chain that turns in space, with or without a damper that does nothing: next to a force that reads velocities
// there are no pins to project by.
static mechanism make_chain(bool damper) {
  char text[1024];
  snprintf(text, sizeof text,
           "trammel: 1\n"
           "gravity: [0, 1, -9.81]\n"
           "repeat:\n"
           "  - {for: i, from: 1, to: 30,\n"
           "     bodies: {\"b_{i}\": {type: spatial, mass: 0.1, inertia: [7e-5, 8e-5, 9e-5],\n"
           "       position: [0.1*i - 0.05, 0.01, 0], omega: [0, 2, 3], velocity: [-0.03, 0.3*i - "
           "0.15, 0.1 - 0.2*i]}},\n"
           "     markers: {\"e_{i}\": {body: \"b_{i}\", at: [0.05, -0.01, 0]}},\n"
           "     joints: {\"j_{i}\": {type: spherical,\n"
           "       markers: [\"e_{i-1}\", {body: \"b_{i}\", at: [-0.05, -0.01, 0]}]}}}\n"
           "markers: {e_0: {}}\n"
           "%s",
           damper ? "forces: {d: {type: spring-damper, markers: [e_0, e_30]}}\n" : "");
  return load_text(text);
}

typedef struct outcome {
  double v[180], q[210], rate, phi;
  long solves;
} outcome;

static outcome run_chain(const char *method, double step, bool damper) {
  mechanism m = make_chain(damper);
  outcome o;
  tr_run_settings settings = tr_run_defaults();
  tr_run *run;
  tr_work *w;
  double rate[90];
  settings.method = method, settings.step = step, settings.end = 300 * step;
  settings.threads = 1;
  assert_int_equal(tr_run_new(m.sys, &settings, NULL, &run, NULL), TR_OK);
  assert_int_equal(tr_run_all(run, NULL), TR_OK);
  const tr_state *x = tr_run_state(run);
  memcpy(o.q, x->q, sizeof o.q), memcpy(o.v, x->v, sizeof o.v);
  assert_int_equal(tr_work_new(m.sys, &w), TR_OK);
  tr_kinematics(w, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_rates(w, rate);
  o.rate = largest(90, rate);
  tr_forces(w, NULL, NULL, rate);
  o.phi = largest(90, rate);
  o.solves = tr_run_describe(run).solves;
  tr_work_free(w), tr_run_free(run), unload(&m);
  return o;
}

// The same motion in either way, to what iterations leave open over 300 steps; levels of constraints to that of one.
static void same_motion(void **u) {
  static const char *const methods[] = {"hht-si2:alpha=-0.1", "nstiff-si2", "gen-alpha:index=2"};
  (void)u;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    outcome a = run_chain(methods[i], 2e-3, false), b = run_chain(methods[i], 2e-3, true);
    assert_all_near(210, a.q, b.q, 1e-8, "%s, positions", methods[i]);
    assert_all_near(180, a.v, b.v, 1e-6, "%s, velocities", methods[i]);
    if (!(a.rate < 1e-8 && a.phi < 1e-11))
      fail_msg("%s: G v = %g, Phi = %g", methods[i], a.rate, a.phi);
    // where bodies do not turn far in a step one right-hand side instead of two
    a = run_chain(methods[i], 1e-3, false), b = run_chain(methods[i], 1e-3, true);
    if (!(5 * a.solves < 3 * b.solves))
      fail_msg("%s: %ld solves, %ld", methods[i], a.solves, b.solves);
  }
}

// Rods that tumble each about axes of its own: what stabilised velocities change by is seen by gyroscopic forces, and
// positions wait for that. Velocities of the first and the fifth, to where a thousandth of the tolerance has them.
static void tumble(const char *method, double tol, double *omega) {
  mechanism m = load_text(
      "trammel: 1\n"
      "gravity: [0, 1, -9.81]\n"
      "repeat:\n"
      "  - {for: i, from: 1, to: 20,\n"
      "     bodies: {\"b_{i}\": {type: spatial, mass: 0.1, inertia: [7e-5, 8e-5, 9e-5],\n"
      "       position: [0.1*i - 0.05, 0.01, 0],\n"
      "       omega: [2*sin(7*i), 3*cos(5*i), 4*sin(3*i)]}},\n"
      "     markers: {\"e_{i}\": {body: \"b_{i}\", at: [0.05, -0.01, 0]}},\n"
      "     joints: {\"j_{i}\": {type: spherical,\n"
      "       markers: [\"e_{i-1}\", {body: \"b_{i}\", at: [-0.05, -0.01, 0]}]}}}\n"
      "markers: {e_0: {}}\n");
  tr_run_settings settings = tr_run_defaults();
  tr_run *run;
  settings.method = method, settings.step = 3e-3, settings.end = 0.15, settings.threads = 1;
  if (tol > 0) settings.newton.tol = tol;
  assert_int_equal(tr_run_new(m.sys, &settings, NULL, &run, NULL), TR_OK);
  assert_int_equal(tr_run_all(run, NULL), TR_OK);
  const double *v = tr_run_state(run)->v;
  memcpy(omega, v + 3, 3 * sizeof *v), memcpy(omega + 3, v + 4 * 6 + 3, 3 * sizeof *v);
  tr_run_free(run), unload(&m);
}

static void tumbling(void **u) {
  static const char *const methods[] = {"hht-si2:alpha=-0.1", "nstiff-si2"};
  (void)u;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    double omega[6], closely[6];
    tumble(methods[i], 0, omega), tumble(methods[i], 1e-12, closely);
    assert_all_near(6, omega, closely, 3e-9, "%s, angular velocities", methods[i]);
  }
}

static tr_run_info describe(const mechanism *m, const char *method, double step, int steps) {
  tr_run *run = new_run(m->sys, method, step, steps * step);
  assert_int_equal(tr_run_all(run, NULL), TR_OK);
  tr_run_info i = tr_run_describe(run);
  tr_run_free(run);
  return i;
}

// Windows pass singular positions, next to which every step has a matrix: neither that nor chance has them project from then
// on, which took one in every other step.
static void windows_keep_their_matrices(void **u) {
  static const char *const methods[] = {"hht-si2:alpha=-0.093", "hht-si2:alpha=-0.096",
                                        "hht-si2:alpha=-0.111", "nstiff-si2"};
  (void)u;
  mechanism m = load_model("four_bar_chain.yaml", (const char *const[]){"N=3", NULL});
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    tr_run_info info = describe(&m, methods[i], 1e-3, 3000);
    if (!(info.jacobians < 0.06 * (double)info.steps))
      fail_msg("%s: %ld matrices in %ld steps", methods[i], info.jacobians, info.steps);
  }
  unload(&m);
}

// A chain that hangs from both ends has a loop, too, and needs matrices all the time: there it pays.
static void hung_chains_project(void **u) {
  static const char *const methods[] = {"hht-si2:alpha=-0.1", "nstiff-si2"};
  (void)u;
  mechanism m = load_text(
      "trammel: 1\n"
      "gravity: [0, 0, -9.81]\n"
      "parameters: {N: 20, c: 0.8, s: 0.6}\n"
      "repeat:\n"
      "  - {for: i, from: 1, to: N,\n"
      "     bodies: {\"b_{i}\": {type: spatial, mass: 0.1, inertia: [7e-6, 8e-5, 8e-5],\n"
      "       position: [0.1*c*(i - 0.5), 0, -0.1*s*(N/2 - abs(i - 0.5 - N/2))],\n"
      "       orientation: {axis: [0, 1, 0], angle: \"if(i <= N/2, acos(c), -acos(c))\"}}},\n"
      "     markers: {\"e_{i}\": {body: \"b_{i}\", at: [0.05, 0, 0]}},\n"
      "     joints: {\"j_{i}\": {type: spherical,\n"
      "       markers: [\"e_{i-1}\", {body: \"b_{i}\", at: [-0.05, 0, 0]}]}}}\n"
      "markers: {e_0: {}}\n"
      "joints: {end: {type: spherical, markers: [\"e_{N}\", {at: [0.1*c*N, 0, 0]}]}}\n");
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    tr_run_info info = describe(&m, methods[i], 1e-3, 600);
    // one right-hand side in a correction, not two
    if (!(2 * info.solves < 3 * info.newton_iterations))
      fail_msg("%s: %ld solves in %ld corrections", methods[i], info.solves,
               info.newton_iterations);
  }
  unload(&m);
}

// Bars that are nearly points at their middle: S has blocks of three directions that differ by 10^6, and velocities are closed.
static void nearly_points(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\n"
      "gravity: [0, 1.3, -9.81]\n"
      "repeat:\n"
      "  - {for: i, from: 1, to: 256,\n"
      "     bodies: {\"b_{i}\": {type: spatial, mass: 0.1, inertia: [8e-5, 1e-10, 8e-5],\n"
      "       position: [0.1*i - 0.05, 0, 0]}},\n"
      "     markers: {\"e_{i}\": {body: \"b_{i}\", at: [0.05, 0, 0]}},\n"
      "     joints: {\"j_{i}\": {type: spherical,\n"
      "       markers: [\"e_{i-1}\", {body: \"b_{i}\", at: [-0.05, 0, 0]}]}}}\n"
      "markers: {e_0: {}}\n");
  tr_run_settings s = tr_run_defaults();
  tr_run *run = NULL;
  s.method = "hht-si2:alpha=-0.1", s.step = 1e-3, s.end = 0.2, s.audit = true;
  assert_int_equal(tr_run_new(m.sys, &s, NULL, &run, NULL), TR_OK);
  assert_int_equal(tr_run_all(run, NULL), TR_OK);
  double open = tr_run_describe(run).max_phi_v;
  if (!(open < 1e-10)) fail_msg("G v = %g", open);
  tr_run_free(run);
  unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(projections),
      cmocka_unit_test(long_chains),
      cmocka_unit_test(gyration),
      cmocka_unit_test(refusals),
      cmocka_unit_test(same_motion),
      cmocka_unit_test(tumbling),
      cmocka_unit_test(windows_keep_their_matrices),
      cmocka_unit_test(hung_chains_project),
      cmocka_unit_test(nearly_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
