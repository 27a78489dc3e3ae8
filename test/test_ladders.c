// SPDX-License-Identifier: Apache-2.0
// Long ladders of redundant loops: scissor lifts, which bend like beams, so that the last pivots of their matrices get
// small with the third power of their length. The start and the steps stay cheap and right for all that.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/SuiteSparse_config.h>
#include <time.h>

#include "helper_machine.h"
#include "sparse/block.h"
#include "system/system.h"

static const double A0 = 0.7, G = 9.81, INERTIA = 0.1;

// n crossed pairs of bars of length 1 and mass 1, by revolute joints; the left foot turns, the right one slides.
static void describe(int n, char *text, size_t size) {
  static const char format[] =
      "trammel: 1\n"
      "parameters: {N: %d, a: %.17g}\n"
      "gravity: [0, 0, -%.17g]\n"
      "repeat:\n"
      "  - for: i\n"
      "    to: N - 1\n"
      "    bodies:\n"
      "      l_{i}: {type: spatial, mass: 1, inertia: [0.01, %g, 0.1], position: [0, 0, \"(i + "
      "0.5)*sin(a)\"], orientation: {y: -a}}\n"
      "      r_{i}: {type: spatial, mass: 1, inertia: [0.01, %g, 0.1], position: [0, 0, \"(i + "
      "0.5)*sin(a)\"], orientation: {y: a}}\n"
      "    joints:\n"
      "      x_{i}: {type: revolute, bodies: [\"l_{i}\", \"r_{i}\"], at: [0, 0, \"(i + "
      "0.5)*sin(a)\"], axis: [0, 1, 0]}\n"
      "  - for: i\n"
      "    from: 1\n"
      "    to: N - 1\n"
      "    joints:\n"
      "      p_{i}: {type: revolute, bodies: [\"l_{i-1}\", \"r_{i}\"], at: [cos(a)/2, 0, "
      "i*sin(a)], axis: [0, 1, 0]}\n"
      "      q_{i}: {type: revolute, bodies: [\"r_{i-1}\", \"l_{i}\"], at: [-cos(a)/2, 0, "
      "i*sin(a)], axis: [0, 1, 0]}\n"
      "joints:\n"
      "  foot: {type: revolute, bodies: [ground, l_0], at: [-cos(a)/2, 0, 0], axis: [0, 1, 0]}\n"
      "  slide: {type: point-on-plane, bodies: [ground, r_0], at: [cos(a)/2, 0, 0]}\n";
  assert_true(snprintf(text, size, format, n, A0, G, INERTIA, INERTIA) < (int)size);
}

static double examine(int n) {
  char text[4096];
  describe(n, text, sizeof text);
  mechanism m = load_text(text);
  tr_state x;
  tr_examination *e;
  tr_error error = {0};
  assert_int_equal(tr_state_new(m.sys, &x, NULL), TR_OK);
  clock_t begin = clock();
  if (tr_consistent_start(m.sys, &x, NULL, &error) != TR_OK ||
      tr_examine(m.sys, &x, false, &e, &error) != TR_OK)
    fail_msg("%s", error.text);
  double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  assert_int_equal(e->freedom, 1);
  assert_int_equal(e->rank, 12 * n - 1);
  assert_int_equal(e->constraints, 15 * n - 4);
  assert_int_equal(e->rank_nearby, e->rank);
  tr_examination_free(e);
  tr_state_free(m.sys, &x);
  unload(&m);
  return seconds;
}

// Twice the length, twice the time and some more.
static void start_grows_with_length(void **u) {
  (void)u;
  double half = examine(120), whole = examine(240);
  if (whole > 6 * half + 0.1) fail_msg("%g s after %g s of half the length", whole, half);
}

// T = (n (sin^2 a/4 + I) + S cos^2 a) a'^2,  V = g n^2 sin a,  S = sum (i + 1/2)^2: one equation for the angle.
static double turn(int n, double a, double w) {
  double S = n * (4.0 * n * n - 1) / 12, s = sin(a), c = cos(a);
  double J = n * (s * s / 4 + INERTIA) + S * c * c, slope = 2 * s * c * (n / 4.0 - S);
  return (-slope * w * w - G * n * n * c) / (2 * J);
}

static double angle_at(int n, double end) {
  enum { STEPS = 2000 };
  double a = A0, w = 0, h = end / STEPS;
  for (int i = 0; i < STEPS; i++) {
    double k1 = turn(n, a, w), k2 = turn(n, a + h / 2 * w, w + h / 2 * k1);
    double k3 = turn(n, a + h / 2 * w + h * h / 4 * k1, w + h / 2 * k2);
    double k4 = turn(n, a + h * w + h * h / 2 * k2, w + h * k3);
    a += h * w + h * h / 6 * (k1 + k2 + k3), w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return a;
}

// How long it takes; off: of the height.
static double follow(int n, const char *method, double off) {
  const double end = 0.05, high = (n - 0.5) * sin(angle_at(n, end));
  char text[4096], name[32];
  describe(n, text, sizeof text);
  snprintf(name, sizeof name, "l_%d.z", n - 1);
  machine k = start(text, method, 2.5e-3, end);
  clock_t begin = clock();
  go_to(&k, end);
  double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  assert_near(read_output(&k, name), high, off * high, "%s: height", method);
  assert_true(tr_run_describe(k.run).max_phi < 1e-9);
  stop(&k);
  return seconds;
}

static void motion_is_exact(void **u) {
  (void)u;
  static const struct {
    const char *method;
    double off;
  } row[] = {{"hht-i3", 1e-5}, {"ggl-bdf", 1e-4}, {"radau5", 1e-10}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    double half = follow(75, row[i].method, row[i].off);
    double whole = follow(150, row[i].method, row[i].off);
    if (whole > 8 * half + 0.1)
      fail_msg("%s: %g s after %g s of half the length", row[i].method, whole, half);
  }
}

// What the joints between stages i - 1 and i carry at rest: the bars above, each with the acceleration of its height.
static double carried(int n, int i) {
  double sum = 0;
  for (int j = i; j < n; j++) sum += 2 * (G + (j + 0.5) * cos(A0) * turn(n, A0, 0));
  return sum;
}

typedef struct watcher {
  tr_observer observer; // first
  const tr_system *sys;
  int n;
  bool seen;
} watcher;

static double pull(const watcher *w, const tr_state *x, const char *format, int i) {
  char name[32];
  snprintf(name, sizeof name, format, i);
  return output(w->sys, x, name);
}

static tr_status weigh(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  watcher *w = (watcher *)self;
  double all = carried(w->n, 0), off = 1e-8 * all;
  (void)info;
  if (w->seen) return TR_OK;
  w->seen = true;
  assert_near(pull(w, x, "foot.fz", 0) + pull(w, x, "slide.fz", 0), all, off, "%d: feet", w->n);
  for (int i = 1; i < w->n; i += 7)
    assert_near(pull(w, x, "p_%d.fz", i) + pull(w, x, "q_%d.fz", i), carried(w->n, i), off,
                "stage %d of %d", i, w->n);
  return TR_OK;
}

// Multipliers of least norm make the same forces as any others, though most of these act along what next to nothing
// holds.
static void joints_carry_the_load(void **u) {
  (void)u;
  static const int many[] = {30, 75, 150, 300};
  for (size_t c = 0; c < sizeof many / sizeof *many; c++) {
    char text[4096];
    describe(many[c], text, sizeof text);
    machine k = start(text, "hht-i3", 1e-3, 1e-3);
    watcher w = {.observer.step = weigh, .sys = k.m.sys, .n = many[c]};
    assert_int_equal(tr_run_observe(k.run, &w.observer), TR_OK);
    go_to(&k, 1e-3);
    assert_true(w.seen);
    stop(&k);
  }
}

// Seven uprights on a base and six bars across, all hinges about z: what the hinges bear along z is free but for its least norm,
// which knows nothing of what the base weighs, and left is like right.
static void least_norm_knows_no_masses(void **u) {
  (void)u;
  static const double mass[] = {1, 100, 1e4};
  double bears[7] = {0};
  for (int c = 0; c < 3; c++) {
    char text[2048];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "parameters: {mh: %g}\n"
             "gravity: [0, -3, -9.81]\n"
             "bodies: {base: {type: spatial, mass: mh, inertia: mh/2, position: [0, -1, 0]}}\n"
             "joints: {fix: {type: fixed, bodies: [ground, base], at: [0, -1, 0]}}\n"
             "repeat:\n"
             "  - for: i\n"
             "    to: 6\n"
             "    bodies:\n"
             "      l_{i}: {type: spatial, mass: 1, inertia: [0.1, 0.01, 0.1], position: [i - 3, "
             "0.5, 0]}\n"
             "    joints:\n"
             "      a_{i}: {type: revolute, bodies: [base, \"l_{i}\"], at: [i - 3, 0, 0], axis: "
             "[0, 0, 1]}\n"
             "  - for: i\n"
             "    to: 5\n"
             "    bodies:\n"
             "      t_{i}: {type: spatial, mass: 1, inertia: [0.01, 0.1, 0.1], position: [i - 2.5, "
             "1, 0]}\n"
             "    joints:\n"
             "      b_{i}: {type: revolute, bodies: [\"l_{i}\", \"t_{i}\"], at: [i - 3, 1, 0], "
             "axis: [0, 0, 1]}\n"
             "      c_{i}: {type: revolute, bodies: [\"l_{i+1}\", \"t_{i}\"], at: [i - 2, 1, 0], "
             "axis: [0, 0, 1]}\n",
             mass[c]);
    machine k = start(text, "hht-i3", 1e-3, 0.01);
    go_to(&k, 0.01);
    double sum = 0;
    for (int i = 0; i < 7; i++) {
      char name[32], other[32];
      snprintf(name, sizeof name, "a_%d.fz", i), snprintf(other, sizeof other, "a_%d.fz", 6 - i);
      double here = read_output(&k, name);
      sum += here;
      assert_near(here, read_output(&k, other), 1e-6, "base of %g kg: %s", mass[c], name);
      if (c == 0) bears[i] = here;
      assert_near(here, bears[i], 1e-6, "base of %g kg: %s", mass[c], name);
    }
    assert_near(sum, 13 * 9.81, 1e-6, "base of %g kg: the weight", mass[c]);
    stop(&k);
  }
}

// Two lifts side by side, a rod from one to the other at each stage: loops along the whole of them.
static void describe_twins(int n, char *text, size_t size) {
  static const char format[] =
      "trammel: 1\n"
      "parameters: {N: %d, a: 0.5}\n"
      "gravity: [0, 0, -9.81]\n"
      "repeat:\n"
      "  - for: s\n"
      "    to: 1\n"
      "    repeat:\n"
      "      - for: i\n"
      "        to: N - 1\n"
      "        bodies:\n"
      "          l_{s}_{i}: {type: spatial, mass: 2, inertia: [1e-4, 0.7, 0.7], position: [0, s, "
      "\"(2*i + 1)*sin(a)\"], orientation: {y: -a}}\n"
      "          r_{s}_{i}: {type: spatial, mass: 2, inertia: [1e-4, 0.7, 0.7], position: [0, s, "
      "\"(2*i + 1)*sin(a)\"], orientation: {y: a}}\n"
      "        joints:\n"
      "          x_{s}_{i}: {type: revolute, bodies: [\"l_{s}_{i}\", \"r_{s}_{i}\"], at: [0, s, "
      "\"(2*i + 1)*sin(a)\"], axis: [0, 1, 0]}\n"
      "      - for: i\n"
      "        from: 1\n"
      "        to: N - 1\n"
      "        joints:\n"
      "          q_{s}_{i}: {type: revolute, bodies: [\"r_{s}_{i-1}\", \"l_{s}_{i}\"], at: "
      "[-cos(a), s, \"2*i*sin(a)\"], axis: [0, 1, 0]}\n"
      "          p_{s}_{i}: {type: revolute, bodies: [\"l_{s}_{i-1}\", \"r_{s}_{i}\"], at: "
      "[cos(a), s, \"2*i*sin(a)\"], axis: [0, 1, 0]}\n"
      "    joints:\n"
      "      foot_{s}: {type: revolute, bodies: [ground, \"l_{s}_0\"], at: [-cos(a), s, 0], axis: "
      "[0, 1, 0]}\n"
      "      slide_{s}: {type: point-on-plane, bodies: [ground, \"r_{s}_0\"], at: [cos(a), s, "
      "0]}\n"
      "  - for: i\n"
      "    to: N - 1\n"
      "    bodies:\n"
      "      t_{i}: {type: spatial, mass: 1, inertia: [0.1, 1e-4, 0.1], position: [0, 0.5, "
      "\"(2*i + 1)*sin(a)\"]}\n"
      "    joints:\n"
      "      c_{i}: {type: revolute, bodies: [\"l_0_{i}\", \"t_{i}\"], at: [0, 0, \"(2*i + "
      "1)*sin(a)\"], axis: [0, 1, 0]}\n"
      "      d_{i}: {type: revolute, bodies: [\"l_1_{i}\", \"t_{i}\"], at: [0, 1, \"(2*i + "
      "1)*sin(a)\"], axis: [0, 1, 0]}\n";
  assert_true(snprintf(text, size, format, n) < (int)size);
}

static double asked; // bytes of KLU and what it needs, the largest piece

static void *ask(size_t size) {
  asked = fmax(asked, (double)size);
  return malloc(size);
}

static void *ask_again(void *old, size_t size) {
  asked = fmax(asked, (double)size);
  return realloc(old, size);
}

static double twins_ask(int n) {
  char text[4096];
  describe_twins(n, text, sizeof text);
  asked = 0;
  machine k = start(text, "hht-i3", 1e-3, 2e-3);
  go_to(&k, 2e-3);
  stop(&k);
  return asked;
}

// Factors of a matrix that the block solver does not manage grow with the length, whatever order was tried for them.
static void factors_grow_with_length(void **u) {
  (void)u;
  SuiteSparse_config.malloc_func = ask, SuiteSparse_config.realloc_func = ask_again;
  double half = twins_ask(40), whole = twins_ask(80);
  SuiteSparse_config.malloc_func = malloc, SuiteSparse_config.realloc_func = realloc;
  assert_true(half > 0);
  if (whole > 2.5 * half) fail_msg("%g bytes after %g of half the length", whole, half);
}

// A lift in the plane: pins at the centres of bars act on their places alone, x and y apart. Sweeps of a solve have
// compiled ones for nearly all nodes, without which they take longer than KLU's.
static void sweeps_are_compiled(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\n"
      "parameters: {N: 20, a: pi/6}\n"
      "repeat:\n"
      "  - {for: i, to: N - 1,\n"
      "     bodies: {\"p_{i}\": {type: planar, mass: 1, inertia: 1/12, position: [cos(a)/2, (i + "
      "0.5)*sin(a)], angle: a},\n"
      "       \"n_{i}\": {type: planar, mass: 1, inertia: 1/12, position: [cos(a)/2, (i + "
      "0.5)*sin(a)], angle: -a}},\n"
      "     joints: {\"x_{i}\": {type: revolute, markers: [{body: \"p_{i}\"}, {body: "
      "\"n_{i}\"}]}}}\n"
      "  - {for: i, from: 1, to: N - 1,\n"
      "     joints: {\"l_{i}\": {type: revolute, markers: [{body: \"n_{i-1}\", at: [-0.5, 0]}, "
      "{body: \"p_{i}\", at: [-0.5, 0]}]},\n"
      "       \"r_{i}\": {type: revolute, markers: [{body: \"p_{i-1}\", at: [0.5, 0]}, {body: "
      "\"n_{i}\", at: [0.5, 0]}]}}}\n"
      "joints: {foot: {type: revolute, markers: [ground, {body: p_0, at: [-0.5, 0]}]},\n"
      "  slide: {type: point-on-line, markers: [ground, {body: n_0, at: [0.5, 0]}]}}\n");
  const tr_blocks *b = m.sys->pattern.blocks;
  int others = 0;
  assert_non_null(b);
  for (int s = 0; s < b->nodes; s++)
    others += ((const block_kind *)(b->kind + b->node[s].kind))->shape == BLOCK_OTHER;
  if (8 * others > b->nodes) fail_msg("%d of %d nodes have none", others, b->nodes);
  unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(start_grows_with_length),  cmocka_unit_test(motion_is_exact),
      cmocka_unit_test(joints_carry_the_load),    cmocka_unit_test(least_norm_knows_no_masses),
      cmocka_unit_test(factors_grow_with_length), cmocka_unit_test(sweeps_are_compiled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
