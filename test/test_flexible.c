// SPDX-License-Identifier: Apache-2.0
// Flexible bodies at a state: frequencies of beams at rest and in rotation against exact ones; modal data.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/linear.h"
#include "helper_mechanics.h"
#include "math/v3.h"

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

// ---- modal data ---------------------------------------------------------------------------------------

#define TWO                                    \
  "nodes: [[0, 0, 1], [1, 0, 1], [2, 0, 1]]\n" \
  "shapes: [[0, 0], [0, 1], [0, 0], [0, 0], [1, 0], [0, 0]]\n"
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
       "flex_data.yaml:2:9: body \"b\": modal: shapes: need one row for every node, mode after "
       "mode\n"},
      {"nodes: [[0, 0, 1], [1, 0, 1]]\nshapes: [[0, 0], [0, 1]]\nstiffness: [3, 4]\n",
       "flex_data.yaml:3:12: body \"b\": modal: stiffness: needs one number per mode, or a "
       "matrix\n"},
      {"nodes: [[0, 0, 1], [1, 0, -1]]\nshapes: [[0, 0], [0, 1]]\nstiffness: [3]\n",
       "flex_data.yaml:1:8: body \"b\": modal: nodes: masses and inertias must not be "
       "negative\n"},
      {TWO "stiffness: [[1, 2], [3, 4]]\n",
       "flex_data.yaml:3:12: body \"b\": modal: stiffness: the matrix is not symmetric\n"},
      {TWO "stiffness: [[1, 2], [2, 1]]\n",
       "flex_data.yaml:3:12: body \"b\": modal: stiffness: is negative for some deformation; it "
       "must be positive or zero for all\n"},
      {TWO "stiffness: [1, 0]\n", NULL},
      {TWO "stiffness: [1, 2]\nmass: [1, -1]\n",
       "flex_data.yaml:4:7: body \"b\": modal: mass: must be positive for every mode, as a matrix "
       "positive definite\n"},
      {TWO "stiffness: [1, 2]\ndamping: [-1, 1]\n",
       "flex_data.yaml:4:10: body \"b\": modal: damping: is negative for some motion; it must be "
       "positive or zero for all\n"},
      {TWO "stiffness: [1, 2]\ndamping-ratio: 0.1\n",
       "flex_data.yaml:4:16: body \"b\": modal: damping-ratio: needs diagonal mass and stiffness; "
       "give damping or rayleigh\n"},
      {TWO "stiffness: [nan, 1]\n",
       "flex_data.yaml:3:13: body \"b\": stiffness: unknown name \"nan\"\n"},
      {"nodes: [[0, 0, 1], [1, 0, 1]]\nshapes: [[0, 1], [0, 1]]\nstiffness: [3]\n",
       "flex_model.yaml:3:3: body \"b\": its mass matrix is not positive definite: a mode that "
       "moves as the whole body does, two modes alike, no inertia about an axis, or a total mass "
       "less than its modes move\n"},
      {"nodes: [[0, 0, 1], [1, 0, 1]]\nshapes: [[0, 0], [0, 1]]\nstiffness: 3\n",
       "flex_data.yaml:3:12: body \"b\": stiffness: a list of numbers, or of lists of numbers, is "
       "expected\n"},
      {"nodes: [\n",
       "flex_data.yaml:1:8: \"[\" is not closed (noticed at line 2, column 1: flow sequence "
       "without a closing bracket)\n"},
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
      cmocka_unit_test(planar_frequencies),
      cmocka_unit_test(modes_converge),
      cmocka_unit_test(spatial_frequencies),
      cmocka_unit_test(rotating_frequencies),
      cmocka_unit_test(rotating_on_a_hub),
      cmocka_unit_test(whirling_shaft),
      cmocka_unit_test(buckling),
      cmocka_unit_test(modal_files),
      cmocka_unit_test(modal_data),
      cmocka_unit_test(memory_runs_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
