// SPDX-License-Identifier: Apache-2.0
// One motion in three sets of coordinates: every method converges with its order in each of them, and
// what the coordinates disagree about is of that order, too.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "helper_cases.h"
#include "helper_rotations.h"

enum { COORDINATES = 3, HALVINGS = 3 };

typedef struct motion {
  int n, positions; // values, the first of which are positions
  double value[MOTION_MAX];
} motion;

static motion move(int model, int coordinates, const char *method, double h) {
  motion m = {0};
  tr_error e = {0};
  tr_model *description;
  tr_system *s;
  tr_run *run;
  compile_rotation(model, coordinates, &description, &s);
  tr_run_settings settings = tr_run_defaults();
  settings.method = method;
  settings.end = rotation_end(model), settings.step = h;
  settings.audit = false;
  if (tr_run_new(s, &settings, NULL, &run, &e) || tr_run_all(run, &e))
    fail_msg("%s, %s, %s, h = %g: %s", rotation_name(model), rotation_coordinates[coordinates],
             method, h, e.text);
  m.n = read_motion(s, tr_run_state(run), m.value);
  m.positions = m.n / 13 * 7;
  tr_run_free(run);
  tr_system_free(s);
  tr_model_free(description);
  return m;
}

// Largest differences in positions and in velocities.
typedef struct gap {
  double q, v;
} gap;
static gap compare(const motion *a, const motion *b) {
  gap g = {0};
  assert_int_equal(a->n, b->n);
  for (int i = 0; i < a->n; i++) {
    double *to = i < a->positions ? &g.q : &g.v;
    *to = fmax(*to, fabs(a->value[i] - b->value[i]));
  }
  return g;
}

typedef struct outcome {
  double energy, phi, rate; // largest change of the energy, |Phi|, |G v|
} outcome;

// What Newton's tolerance leaves, or round-off over the step.
static const double NOISE = 1e-9, NOTHING = 1e-4;

static void check_order(double coarse, double fine, int order, double noise, const char *what) {
  if (fine < noise) return;
  double measured = log2(coarse / fine);
  if (measured < order - 0.35) fail_msg("%s: order %.2f of %d (%g)", what, measured, order, fine);
}

static void check_method(int model, const tr_method_info *info) {
  motion m[COORDINATES][HALVINGS];
  char what[160];
  for (int c = 0; c < COORDINATES; c++) {
    for (int k = 0; k < HALVINGS; k++)
      m[c][k] = move(model, c, info->name, ldexp(rotation_step(model), -k));
    gap coarse = compare(&m[c][0], &m[c][1]), fine = compare(&m[c][1], &m[c][2]);
    snprintf(what, sizeof what, "%s, %s, %s", rotation_name(model), info->name,
             rotation_coordinates[c]);
    check_order(coarse.q, fine.q, info->order_q, NOISE, what);
    check_order(coarse.v, fine.v, info->order_v, NOISE, what);
    if (c == 0) continue;
    // nothing is said of differences that are nothing beside the error of either
    double none_q = fmax(NOISE, NOTHING * fine.q), none_v = fmax(NOISE, NOTHING * fine.v);
    coarse = compare(&m[0][1], &m[c][1]), fine = compare(&m[0][2], &m[c][2]);
    snprintf(what, sizeof what, "%s, %s, lie and %s", rotation_name(model), info->name,
             rotation_coordinates[c]);
    check_order(coarse.q, fine.q, info->order_q, none_q, what);
    check_order(coarse.v, fine.v, info->order_v, none_v, what);
  }
}

static void check_model(int model) {
  for (int i = 0; i < tr_method_count(); i++) {
    tr_method_info info = tr_method_describe(i);
    if (in_turn(i, model, 2)) check_method(model, &info);
  }
}

static void test_free_body(void **state) {
  (void)state;
  check_model(0);
}

static void test_heavy_top(void **state) {
  (void)state;
  check_model(1);
}

static void test_three_links(void **state) {
  (void)state;
  check_model(2);
}

// A start that is far from closed leads to one and the same place: the steps towards it are uniform turnings.
static void test_rough_start(void **state) {
  (void)state;
  motion m[COORDINATES] = {0};
  for (int c = 0; c < COORDINATES; c++) {
    char text[2000];
    tr_error e = {0};
    tr_model *description;
    tr_system *s;
    tr_state x;
    tr_start_info info;
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "bodies:\n"
             "  crank: {type: spatial, coordinates: %s, mass: 2, inertia: [0.02, 0.02, 0.001],\n"
             "    position: [0.1, 0, 0], orientation: {y: 90 deg}, omega: [0, 0, 4]}\n"
             "  rod: {type: spatial, coordinates: %s, mass: 1.5, inertia: [0.08, 0.08, 0.002],\n"
             "    position: [0.503, 0.074, 0.164], orientation: {y: 90 deg}}\n"
             "  rocker: {type: spatial, coordinates: %s, mass: 3, inertia: [0.05, 0.003, 0.05],\n"
             "    position: [0.8, 0.35, 0.15], orientation: {x: 20 deg}}\n"
             "joints:\n"
             "  a: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
             "  s1: {type: spherical, markers: [{body: crank, at: [0, 0, 0.1]},\n"
             "    {body: rod, at: [0, 0, -0.35]}]}\n"
             "  s2: {type: spherical, markers: [{body: rod, at: [0, 0, 0.35]},\n"
             "    {body: rocker, at: [0, -0.2, 0]}]}\n"
             "  b: {type: revolute, bodies: [ground, rocker], at: [0.8, 0.6, 0.3],\n"
             "    axis: [1, 0.2, 0]}\n"
             "simulation: {end: 1, step: 1 ms}\n",
             rotation_coordinates[c], rotation_coordinates[c], rotation_coordinates[c]);
    compile_text(text, &description, &s);
    assert_int_equal(tr_state_new(s, &x, NULL), TR_OK);
    if (tr_consistent_start(s, &x, &info, &e)) fail_msg("%s", e.text);
    assert_true(info.phi_before > 0.1);
    m[c].n = read_motion(s, &x, m[c].value);
    m[c].positions = m[c].n / 13 * 7;
    gap g = compare(&m[0], &m[c]);
    if (!(g.q < 1e-9 && g.v < 1e-8))
      fail_msg("%s: off by %g, %g", rotation_coordinates[c], g.q, g.v);
    tr_state_free(s, &x);
    tr_system_free(s);
    tr_model_free(description);
  }
}

// ---- past the pole of the angles --------------------------------------------------------------------

static const struct {
  const char *orientation, *omega;
} starts[] = {{"[{z: -1.34594}, {x: 3}, {z: -2.44756}]", "[2.23159, -2.32595, 3.58528]"},
              {"[{z: 0.760835}, {x: 0.5}, {z: 2.98036}]", "[-4.06165, -5.41737, 5.84039]"},
              {"[{z: 0.1}, {x: 2}, {z: 0.2}]", "[0, 0, 0]"}};

static outcome swing(int start, int coordinates, const char *method, double h, double tol,
                     motion *m) {
  char text[600];
  tr_error e = {0};
  tr_model *description;
  tr_system *s;
  tr_run *run;
  snprintf(text, sizeof text,
           "trammel: 1\n"
           "gravity: [0, 0, -9.81]\n"
           "bodies:\n"
           "  a: {type: spatial, coordinates: %s, mass: 1, inertia: [0.2, 0.1, 0.15],\n"
           "    com: [0.1, 0.2, -0.3], orientation: %s, omega: %s}\n"
           "joints:\n"
           "  s: {type: spherical, bodies: [ground, a], at: [0, 0, 0]}\n",
           rotation_coordinates[coordinates], starts[start].orientation, starts[start].omega);
  compile_text(text, &description, &s);
  tr_run_settings settings = tr_run_defaults();
  settings.method = method, settings.end = 2, settings.step = h;
  if (tol > 0) settings.step = NAN, settings.control.tol = tol;
  if (tr_run_new(s, &settings, NULL, &run, &e) || tr_run_all(run, &e))
    fail_msg("start %d, %s, %s: %s", start, rotation_coordinates[coordinates], method, e.text);
  tr_run_info info = tr_run_describe(run);
  m->n = read_motion(s, tr_run_state(run), m->value);
  m->positions = m->n / 13 * 7;
  tr_run_free(run);
  tr_system_free(s);
  tr_model_free(description);
  return (outcome){info.max_energy_change, info.max_phi, info.max_phi_v};
}

// Pendulums whose z axis comes by the vertical, up and down: the angles take other axes in time, and the motion is that of
// the other coordinates.
static void test_past_the_pole(void **state) {
  (void)state;
  for (int k = 0; k < (int)(sizeof starts / sizeof *starts); k++) {
    motion exact, m;
    swing(k, 0, "radau5", 0.002, 0, &exact);
    for (int i = 0; i < tr_method_count(); i++) {
      tr_method_info info = tr_method_describe(i);
      double off[3];
      if (!in_turn(i, k, 3)) continue;
      for (int c = 0; c < COORDINATES; c++) {
        swing(k, c, info.name, 0.0025, 0, &m);
        off[c] = compare(&exact, &m).q;
      }
      if (info.order_q > 1 && !(off[2] < 10 * fmax(off[0], off[1]) + 1e-3))
        fail_msg("start %d, %s: off by %g, on the Lie group by %g", k, info.name, off[2], off[0]);
      swing(k, 2, info.name, 0.00125, 0, &m);
      char what[100];
      snprintf(what, sizeof what, "start %d, %s", k, info.name);
      check_order(off[2], compare(&exact, &m).q, info.order_q, NOISE, what);
      swing(k, 2, info.name, NAN, 1e-6, &m);
      off[2] = compare(&exact, &m).q;
      if (!(off[2] < (info.order_q > 1 ? 0.01 : 0.5)))
        fail_msg("start %d, %s: off by %g under control", k, info.name, off[2]);
    }
  }
}

// ---- long runs --------------------------------------------------------------------------------------

static outcome run_long(const char *text, const char *method, double h, double end) {
  tr_error e = {0};
  tr_model *description;
  tr_system *s;
  tr_run *run;
  compile_text(text, &description, &s);
  tr_run_settings settings = tr_run_defaults();
  settings.method = method, settings.end = end, settings.step = h;
  if (tr_run_new(s, &settings, NULL, &run, &e) || tr_run_all(run, &e))
    fail_msg("%s: %s", method, e.text);
  tr_run_info info = tr_run_describe(run);
  tr_run_free(run);
  tr_system_free(s);
  tr_model_free(description);
  return (outcome){info.max_energy_change, info.max_phi, info.max_phi_v};
}

// A steady spin of 24 J: in Euler parameters e.e = 1 is a row without damping or friction, about which what is open of it
// would swing ever more. The parameter-free schemes make their steps in w, which stays; Baumgarte's do not pull at the row.
static void test_long_spin(void **state) {
  (void)state;
  static const char *const methods[] = {"pfpc1", "pfpc2", "pfpc2:passes=1", "baumgarte",
                                        "baumgarte:scheme=rk4"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    outcome o = run_long(
        "trammel: 1\n"
        "bodies:\n"
        "  t: {type: spatial, coordinates: euler-parameters, mass: 2, inertia: [0.05, 0.05, "
        "0.03],\n"
        "    omega: [0, 0, 40]}\n",
        methods[i], ldexp(1, -10), or_less(60, 15));
    if (!(o.energy < 1e-8 && o.phi < 1e-14 && o.rate < 1e-12))
      fail_msg("%s: energy %g, |Phi| %g, |G v| %g", methods[i], o.energy, o.phi, o.rate);
  }
}

// A top that nutates and precesses: steps in w are those in Lie-group form, 40 s long.
static void test_long_top(void **state) {
  (void)state;
  outcome o[2];
  for (int c = 0; c < 2; c++) {
    char text[600];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "gravity: [0, 0, -9.81]\n"
             "bodies:\n"
             "  t: {type: spatial, coordinates: %s, mass: 2, inertia: [0.05, 0.05, 0.03],\n"
             "    com: [0, 0, 0.4], orientation: [{x: -90 deg}], omega: [0.7, 40, 2],\n"
             "    keep: [wx, wy, wz]}\n"
             "joints:\n"
             "  s: {type: spherical, markers: [ground, t]}\n",
             rotation_coordinates[c]);
    o[c] = run_long(text, "pfpc2", ldexp(1, -10), or_less(40, 10));
  }
  assert_true(o[0].energy < 0.01); // J
  if (!(fabs(o[1].energy - o[0].energy) < 1e-3 * o[0].energy &&
        fabs(o[1].phi - o[0].phi) < 1e-3 * o[0].phi &&
        fabs(o[1].rate - o[0].rate) < 1e-3 * o[0].rate))
    fail_msg("energy %g and %g, |Phi| %g and %g, |G v| %g and %g", o[1].energy, o[0].energy,
             o[1].phi, o[0].phi, o[1].rate, o[0].rate);
}

// Where axes change the grid of times goes on: t_k = k h to the last bit.
static void test_times(void **state) {
  (void)state;
  tr_error e = {0};
  tr_model *description;
  tr_system *s;
  tr_run *run;
  compile_text(
      "trammel: 1\n"
      "bodies:\n"
      "  b: {type: spatial, coordinates: euler-313, mass: 2, inertia: [1, 2, 2.5],\n"
      "    orientation: {x: 0.3}, omega: [6, 5, 3]}\n",
      &description, &s);
  tr_run_settings settings = tr_run_defaults();
  settings.end = 10, settings.step = 0.001;
  assert_int_equal(tr_run_new(s, &settings, NULL, &run, &e), TR_OK);
  int changes = 0;
  for (int k = 1, axes = 0; k <= 10000; k++) {
    assert_int_equal(tr_run_step(run, &e), TR_OK);
    assert_true(tr_run_state(run)->t == k * settings.step);
    int now = (int)(tr_run_state(run)->q[4] / 6.28318531);
    changes += now != axes, axes = now;
  }
  assert_true(changes > 10);
  tr_run_free(run);
  tr_system_free(s);
  tr_model_free(description);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_free_body),     cmocka_unit_test(test_heavy_top),
      cmocka_unit_test(test_three_links),   cmocka_unit_test(test_rough_start),
      cmocka_unit_test(test_past_the_pole), cmocka_unit_test(test_long_spin),
      cmocka_unit_test(test_long_top),      cmocka_unit_test(test_times),
  };
  assert_int_equal(rotation_models, 3);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
