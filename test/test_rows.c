// SPDX-License-Identifier: Apache-2.0
// Rows that repeat each other: those that stand for all are chosen anew where they go bad. And positions from which
// nothing can move.
//
// A plate on four parallel cranks of length 1/2 under a torque, in space: 40 rows of rank 29, and 28 where the cranks lie
// flat. With th from the upright
//   1.415 th'' = 3 g sin th + 20 sin 3t,   x = sin th/2, z = cos th/2
// which owes nothing to the engine. Where it begins the x of a crank's end tells its angle; where it lies flat z does.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_machine.h"
#include "helper_motion.h"

static const char head[] =
    "trammel: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  p: {type: spatial, mass: 5, inertia: [0.4, 0.4, 0.8], position: [0, 0, 0.5]}\n";

// The first `cranks` of c1 .. c4 at the corners of a square.
static mechanism plate(int cranks) {
  static const double x[] = {0.5, -0.5, -0.5, 0.5}, y[] = {0.5, 0.5, -0.5, -0.5};
  char text[4000];
  size_t room = sizeof text, n = (size_t)snprintf(text, room, "%s", head);
  for (int i = 0; i < cranks; i++)
    n += (size_t)snprintf(text + n, room - n,
                          "  c%d: {type: spatial, mass: 0.5, inertia: [0.01, 0.01, 0.001], "
                          "position: [%g, %g, 0.25]}\n",
                          i + 1, x[i], y[i]);
  n += (size_t)snprintf(text + n, room - n, "joints:\n");
  for (int i = 0; i < 2 * cranks; i++)
    n += (size_t)snprintf(
        text + n, room - n,
        "  %c%d: {type: revolute, bodies: [%s, c%d], at: [%g, %g, %g], axis: [0, 1, 0]}\n",
        i < cranks ? 'a' : 'b', i % cranks + 1, i < cranks ? "ground" : "p", i % cranks + 1,
        x[i % cranks], y[i % cranks], i < cranks ? 0. : 0.5);
  snprintf(text + n, room - n,
           "forces:\n  t: {type: torque, markers: [c1], torque: [0, \"20*sin(3*time)\", 0]}\n"
           "simulation: {end: 3 s, step: 1 ms}\n"
           "output: [p.x, p.z, c2.x, c2.z]\n");
  return load_text(text);
}

static void slope_of_four(double t, const double *y, double *dy) {
  dy[0] = y[1], dy[1] = (29.43 * sin(y[0]) + 20 * sin(3 * t)) / 1.415;
}

static void slope_of_two(double t, const double *y, double *dy) {
  dy[0] = y[1], dy[1] = (26.9775 * sin(y[0]) + 20 * sin(3 * t)) / 1.3325;
}

typedef struct attempt {
  const char *method;
  double step, tol; // tol 0: fixed steps
  long steps;       // at most
  double off;       // |x| and |z| at the end, at most
} attempt;

typedef struct counter {
  tr_observer o;
  long most;
} counter;

static tr_status count(tr_observer *o, const tr_state *x, const tr_run_info *info) {
  (void)x;
  return info->steps + info->rejected > ((counter *)o)->most ? TR_STOPPED : TR_OK;
}

// Five passes of the flat position.
static void passes(int cranks, double end, const attempt *a, const double *th) {
  machine k = {.m = plate(cranks)};
  tr_run_settings s = tr_run_defaults();
  tr_error error = {0};
  s.method = a->method, s.control.tol = a->tol, s.end = end;
  if (a->step > 0) s.step = a->step;
  k.run = begin_run(k.m.sys, &s);
  counter c = {{.step = count, .motion_only = true}, a->steps};
  tr_run_observe(k.run, &c.o);
  tr_status status = tr_run_all(k.run, &error);
  if (status < 0) fail_msg("%s, %g: %s", a->method, a->tol, error.text);
  tr_run_info info = tr_run_describe(k.run);
  if (info.t < end - 1e-9)
    fail_msg("%s, %g: only at %g s after %ld steps", a->method, a->tol, info.t, a->steps);
  double x = sin(th[0]) / 2, z = cos(th[0]) / 2;
  assert_near(read_output(&k, "p.x"), x, a->off, "%s, %g: x", a->method, a->tol);
  assert_near(read_output(&k, "p.z"), z, a->off, "%s, %g: z", a->method, a->tol);
  assert_near(read_output(&k, "c2.x"), -0.5 + x / 2, a->off, "%s, %g: x", a->method, a->tol);
  assert_near(read_output(&k, "c2.z"), z / 2, a->off, "%s, %g: z", a->method, a->tol);
  assert_true(info.max_phi < fmax(2e-9, a->tol)); // hht-add 1e-9, others 3e-12
  stop(&k);
}

static void run_all(int cranks, double end, size_t n, const attempt *all) {
  double th[2] = {0, 0};
  integrate(cranks == 4 ? slope_of_four : slope_of_two, 2, 0, end, 30000, th);
  for (size_t i = 0; i < n; i++)
    if (n == 1 || (double)all[i].steps < or_less(INFINITY, 9000)) passes(cranks, end, &all[i], th);
}

static void within_tolerances(void **unused) {
  (void)unused;
  static const attempt all[] = {// twice what they are off, and a quarter more steps than they take
                                {"radau5", 0, 1e-6, 150, 1.1e-6},
                                {"radau5", 0, 1e-9, 800, 1.5e-10},
                                {"radau5", 0, 1e-10, 1400, 1e-11},
                                {"ggl-bdf", 0, 1e-9, 10000, 2.4e-5},
                                {"ggl-bdf", 0, 1e-10, 22000, 7e-6},
                                {"ggl-bdf:order=5", 0, 1e-10, 820, 3e-6},
                                {"gen-alpha:index=2", 0, 1e-9, 7500, 2.2e-5},
                                {"hht-si2", 0, 1e-8, 3700, 1.4e-4},
                                {"hht-add", 0, 1e-10, 26000, 2e-5}};
  run_all(4, 1.5, sizeof all / sizeof *all, all);
}

static void by_fixed_steps(void **unused) {
  (void)unused;
  static const attempt all[] = {
      {"radau5", 4e-3, 0, 500, 6e-9},     {"hht-i3", 1e-3, 0, 2000, 7e-4},
      {"hht-si2", 1e-3, 0, 2000, 5.2e-4}, {"gen-alpha:index=2", 1e-3, 0, 2000, 3.5e-4},
      {"ggl-bdf", 1e-3, 0, 2000, 1.3e-3}, {"hht-add", 1e-3, 0, 2000, 8e-3}};
  run_all(4, 1.5, sizeof all / sizeof *all, all);
}

// Nothing to choose: 20 rows of rank 17 with two cranks. Round-off alone decides where they lie flat, and its size must
// not be taken for nothing.
static void without_a_choice(void **unused) {
  (void)unused;
  static const attempt all[] = {{"ggl-bdf", 0, 1e-10, 39000, 5e-6}};
  run_all(2, 3, sizeof all / sizeof *all, all);
}

// A tolerance beyond reach is told so.
static void beyond_round_off(void **unused) {
  (void)unused;
  machine k = {.m = plate(4)};
  tr_run_settings s = tr_run_defaults();
  tr_error error = {0};
  s.method = "radau5", s.control.tol = 3e-14;
  k.run = begin_run(k.m.sys, &s);
  assert_int_equal(tr_run_all(k.run, &error), TR_FAILED);
  if (!strstr(error.text, "next to a singular position round-off moves positions"))
    fail_msg("%s", error.text);
  stop(&k);
}

// Two bars that only just reach, under their weight: no finite reaction holds them. Where a run ends it says why, and
// whatever it says nothing has exploded.
static void locked_under_load(void **unused) {
  (void)unused;
  static const double tol[] = {0, 1e-3, 1e-4, 1e-6, 1e-8};
  int told = 0;
  for (int i = 0; i < tr_method_count(); i++)
    for (int k = 0; k < 5; k++) {
      machine m = {.m = load_text("trammel: 1\ngravity: [0, -9.81]\nbodies:\n"
                                  "  a: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
                                  "  b: {type: planar, mass: 1, inertia: 0.1, position: [1.5, 0]}\n"
                                  "joints:\n"
                                  "  A: {type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                  "  M: {type: revolute, bodies: [a, b], at: [1, 0]}\n"
                                  "  B: {type: revolute, bodies: [b, ground], at: [2, 0]}\n"
                                  "simulation: {end: 0.1, step: 0.001}\noutput: [a.angle]\n")};
      tr_run_settings s = tr_run_defaults();
      tr_error error = {0};
      s.method = tr_method_describe(i).name, s.control.tol = tol[k];
      m.run = begin_run(m.m.sys, &s);
      assert_non_null(strstr(tr_run_describe(m.run).warnings, "no finite reactions bear the load"));
      counter c = {{.step = count, .motion_only = true}, 20000};
      tr_run_observe(m.run, &c.o);
      tr_status status = tr_run_all(m.run, &error);
      tr_run_info info = tr_run_describe(m.run);
      if (status != TR_OK && status != TR_STOPPED &&
          !strstr(error.text, "locked from the start on"))
        fail_msg("%s, %g: %s", s.method, tol[k], error.text);
      told += status == TR_FAILED;
      // they reach as far as the tolerance lets them, 2 (1 - cos th)
      assert_near(read_output(&m, "a.angle"), 0, fmax(0.02, 2 * sqrt(tol[k])), "%s, %g", s.method,
                  tol[k]);
      if (!(info.max_energy_change < 20)) // 4 rad/s: 5.6 J
        fail_msg("%s, %g: %g J", s.method, tol[k], info.max_energy_change);
      stop(&m);
    }
  assert_true(told > 20);
}

// The same without a load is fine, and said.
static void locked_at_rest(void **unused) {
  (void)unused;
  machine m = start(
      "trammel: 1\nbodies:\n"
      "  a: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
      "  b: {type: planar, mass: 1, inertia: 0.1, position: [1.5, 0]}\n"
      "joints:\n"
      "  A: {type: revolute, bodies: [ground, a], at: [0, 0]}\n"
      "  M: {type: revolute, bodies: [a, b], at: [1, 0]}\n"
      "  B: {type: revolute, bodies: [b, ground], at: [2, 0]}\n"
      "simulation: {end: 0.1, step: 0.001}\noutput: [a.angle]\n",
      "hht-i3", 1e-3, 0.1);
  const char *warnings = tr_run_describe(m.run).warnings;
  assert_non_null(
      strstr(warnings, "the position is locked: motions are free to first order only\n"));
  go_to(&m, 0.1);
  assert_true(read_output(&m, "a.angle") == 0);
  stop(&m);
}

// A start in line is found among many rows, too.
static void a_long_line(void **unused) {
  (void)unused;
  machine m = start(
      "trammel: 1\nparameters: {N: 1200}\ngravity: [0, -9.81]\nrepeat:\n"
      "  - for: i\n    from: 0\n    to: N\n    bodies:\n"
      "      u_{i}: {type: planar, mass: 1, inertia: 0.1, position: [i + 0.5, 0]}\n"
      "    joints:\n"
      "      A_{i}: {type: revolute, markers: [{at: [i, 0]}, {body: \"u_{i}\", at: [-0.5, 0]}]}\n"
      "  - for: i\n    from: 0\n    to: N - 1\n    bodies:\n"
      "      c_{i}: {type: planar, mass: 1, inertia: 0.1, position: [i + 1.5, 0]}\n"
      "    joints:\n"
      "      l_{i}: {type: revolute, markers: [{body: \"u_{i}\", at: [0.5, 0]}, {body: \"c_{i}\", "
      "at: [-0.5, 0]}]}\n"
      "      r_{i}: {type: revolute, markers: [{body: \"u_{i+1}\", at: [0.5, 0]}, {body: "
      "\"c_{i}\", at: [0.5, 0]}]}\n",
      "hht-i3", 1e-3, 0.001);
  assert_non_null(strstr(tr_run_describe(m.run).warnings,
                         "the position is singular: 1201 motions are free here, 1 nearby"));
  stop(&m);
}

// Bricard's linkage with its axes along the edges of a cube, six hinges and one motion where Gruebler counts none; the
// second one sits on the first. 60 rows of rank 58. At t = 0.495 s the rows that it begins with lead two ways, and
// those left out only one.
static machine two_bricards(const char *method, double step) {
  static const double centre[5][3] = {
      {0.5, 0, 0}, {1, -0.5, 0}, {1, -1, 0.5}, {0.5, -1, 1}, {0, -0.5, 1}};
  static const double hinge[6][3] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                     {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  static const char *const axis[] = {"[0, 1, 0]", "[0, 0, 1]", "[1, 0, 0]"},
                           *const inertia[] = {"[0.005, 0.2525, 0.2525]", "[0.2525, 0.005, 0.2525]",
                                               "[0.2525, 0.2525, 0.005]"};
  char text[6000];
  size_t room = sizeof text,
         n = (size_t)snprintf(text, room, "trammel: 1\ngravity: [1, -9.81, 2]\nbodies:\n");
  for (int i = 0; i < 10; i++) {
    const double *c = centre[i % 5], k = i / 5;
    n += (size_t)snprintf(text + n, room - n,
                          "  b%d: {type: spatial, mass: %g, inertia: %s, position: [%g, %g, %g]}\n",
                          i, 3 + 0.3 * k, inertia[i % 5 % 3], c[0] + k, c[1] - k, c[2] + k);
  }
  n += (size_t)snprintf(text + n, room - n, "joints:\n");
  for (int i = 0; i < 12; i++) {
    const double *c = hinge[i % 6], k = i / 6;
    char from[16], to[16], base[8];
    snprintf(base, sizeof base, "%s", i < 6 ? "ground" : "b2");
    snprintf(from, sizeof from, "b%d", i / 6 * 5 + i % 6 - 1);
    snprintf(to, sizeof to, "b%d", i / 6 * 5 + i % 6);
    n += (size_t)snprintf(text + n, room - n,
                          "  h%d: {type: revolute, bodies: [%s, %s], at: [%g, %g, %g], axis: %s}\n",
                          i, i % 6 == 0 ? base : from, i % 6 == 5 ? base : to, c[0] + k, c[1] - k,
                          c[2] + k, axis[i % 3]);
  }
  snprintf(text + n, room - n, "output: [b7.x, b7.y, b7.z]\n");
  return start(text, method, step, 1);
}

// They keep all rows to round-off whatever the step, and come to where all methods with short steps do.
static void rows_left_out_stay_closed(void **unused) {
  (void)unused;
  static const char *const method[] = {"hht-i3:alpha=-0.1", "nstiff", "gen-alpha"};
  static const double step[] = {1e-3, 2.2e-3, 2.4e-3, 5e-3};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++) {
      machine m = two_bricards(method[i], step[k]);
      go_to(&m, 1);
      tr_run_info info = tr_run_describe(m.run);
      if (!(info.max_phi < 2e-11)) // 1.1e-11
        fail_msg("%s, %g: open by %g", method[i], step[k], info.max_phi);
      double h = step[k] / 1e-3;
      assert_near(read_output(&m, "b7.x"), 1.4335035, 2e-5 * h * h, "%s, %g: x", method[i],
                  step[k]);
      stop(&m);
    }
}

// ---- starts in singular positions -----------------------------------------------------------------

// N windows with all bars on one line, turning at 2 rad/s without gravity: the angle is 2 t. Random mixtures of their
// N + 1 motions come back to none of the branches.
static void flat_windows(void **unused) {
  (void)unused;
  static const int count[] = {5, 10, 50};
  for (int i = 0; i < 3; i++) {
    char text[2000], last[32], told[100];
    snprintf(
        text, sizeof text,
        "trammel: 1\nparameters: {N: %d}\nrepeat:\n"
        "  - for: i\n    from: 0\n    to: N\n    bodies:\n"
        "      u_{i}: {type: planar, mass: 1, inertia: 1/12, position: [2*i + 0.5, 0], velocity: "
        "[0, 1], omega: 2}\n"
        "    joints:\n"
        "      A_{i}: {type: revolute, markers: [{at: [2*i, 0]}, {body: \"u_{i}\", at: [-0.5, "
        "0]}]}\n"
        "  - for: i\n    from: 0\n    to: N - 1\n    bodies:\n"
        "      c_{i}: {type: planar, mass: 1, inertia: 1/3, position: [2*i + 2, 0], velocity: [0, "
        "2]}\n"
        "    joints:\n"
        "      l_{i}: {type: revolute, markers: [{body: \"u_{i}\", at: [0.5, 0]}, {body: "
        "\"c_{i}\", at: [-1, 0]}]}\n"
        "      r_{i}: {type: revolute, markers: [{body: \"u_{i+1}\", at: [0.5, 0]}, {body: "
        "\"c_{i}\", at: [1, 0]}]}\n"
        "output: [u_0.angle, u_%d.angle]\n",
        count[i], count[i]);
    machine m = start(text, "hht-i3", 1e-3, 1);
    snprintf(told, sizeof told, "singular: %d motions are free here, 1 nearby", count[i] + 1);
    assert_non_null(strstr(tr_run_describe(m.run).warnings, told));
    go_to(&m, 1);
    snprintf(last, sizeof last, "u_%d.angle", count[i]);
    assert_near(read_output(&m, "u_0.angle"), 2, 1e-5, "%d windows: first", count[i]);
    assert_near(read_output(&m, last), 2, 1e-5, "%d windows: last", count[i]);
    assert_true(tr_run_describe(m.run).max_phi < 1e-6);
    stop(&m);
  }
}

// Rods in line that only just reach from pin to pin, under their weight: each of their motions is locked.
static void taut_rods(void **unused) {
  (void)unused;
  static const int count[] = {3, 5, 6, 12};
  for (int i = 0; i < 4; i++) {
    char text[1200];
    tr_error error = {0};
    snprintf(text, sizeof text,
             "trammel: 1\nparameters: {N: %d}\ngravity: [0, -9.81]\nbodies:\n"
             "  b_0: {type: planar, mass: 0.1, inertia: 1e-4, position: [0.05, 0]}\n"
             "joints:\n"
             "  j_0: {type: revolute, markers: [{at: [0, 0]}, {body: b_0, at: [-0.05, 0]}]}\n"
             "  end: {type: revolute, markers: [{at: [0.1*N, 0]}, {body: b_%d, at: [0.05, 0]}]}\n"
             "repeat:\n"
             "  - for: i\n    from: 1\n    to: N - 1\n    bodies:\n"
             "      b_{i}: {type: planar, mass: 0.1, inertia: 1e-4, position: [0.1*i + 0.05, 0]}\n"
             "    joints:\n"
             "      j_{i}: {type: revolute, markers: [{body: \"b_{i-1}\", at: [0.05, 0]}, {body: "
             "\"b_{i}\", at: [-0.05, 0]}]}\n"
             "output: [b_1.y]\n",
             count[i], count[i] - 1);
    machine m = start(text, "hht-i3", 1e-3, 0.3);
    assert_non_null(strstr(tr_run_describe(m.run).warnings, "the position is locked"));
    // or they stay where they are, by round-off
    if (tr_run_all(m.run, &error) != TR_OK && !strstr(error.text, "locked from the start on"))
      fail_msg("%d: %s", count[i], error.text);
    assert_near(read_output(&m, "b_1.y"), 0, 1e-5, "%d rods", count[i]);
    assert_true(tr_run_describe(m.run).max_phi < 1e-9);
    stop(&m);
  }
}

// A net of 6 x 6 knots, one of its edges straight between two pins: that one stays, the rest falls.
static void a_net_with_a_taut_edge(void **unused) {
  (void)unused;
  machine m = start(
      "trammel: 1\nparameters: {N: 6}\ngravity: [0, 0, -9.81]\nrepeat:\n"
      "  - for: i\n    from: 0\n    to: N - 1\n    repeat:\n"
      "      - for: k\n        from: 0\n        to: N - 1\n        bodies:\n"
      "          p_{i}_{k}: {type: spatial-point, mass: 0.01, position: [0.1*i, 0.1*k, 0]}\n"
      "  - for: i\n    from: 0\n    to: N - 2\n    repeat:\n"
      "      - for: k\n        from: 0\n        to: N - 1\n        joints:\n"
      "          x_{i}_{k}: {type: distance, markers: [\"p_{i}_{k}\", \"p_{i+1}_{k}\"]}\n"
      "          y_{i}_{k}: {type: distance, markers: [\"p_{k}_{i}\", \"p_{k}_{i+1}\"]}\n"
      "joints:\n"
      "  a: {type: spherical, markers: [ground, p_0_0]}\n"
      "  b: {type: spherical, markers: [{at: [0.5, 0, 0]}, p_5_0]}\n"
      "output: [p_2_0.z, p_2_2.z]\n",
      "hht-i3", 1e-3, 0.1);
  assert_non_null(strstr(tr_run_describe(m.run).warnings,
                         "the position is partly locked: some of 43 motions are free to first "
                         "order only, those across \"x_4_0\" and what it repeats"));
  go_to(&m, 0.1);
  assert_true(tr_run_describe(m.run).max_phi < 1e-9);
  assert_near(read_output(&m, "p_2_0.z"), 0, 1e-4, "the edge");
  assert_true(read_output(&m, "p_2_2.z") < -0.01);
  stop(&m);
}

// ---- what a look costs ----------------------------------------------------------------------------

typedef struct watch {
  tr_allocator allocator;
  long calls;
} watch;

static void *watched(tr_allocator *self, void *block, size_t size) {
  ((watch *)self)->calls += size > 0;
  if (size == 0) return free(block), NULL;
  return realloc(block, size);
}

// Fifty bays of a tower with all diagonals swing on a hinge. Steps under error control become 70 times as long, and
// pivots next to nothing of what they were: no reason to look at the rows, which alone takes memory.
static void longer_steps_are_no_reason(void **unused) {
  (void)unused;
  enum { KNOTS = 204 };
  char text[64000];
  size_t room = sizeof text, n;
  n = (size_t)snprintf(text, room, "trammel: 1\ngravity: [0, 0, -9.81]\nbodies:\n");
  for (int i = 0; i < KNOTS; i++)
    n += (size_t)snprintf(text + n, room - n,
                          "  p%d: {type: spatial-point, mass: 0.5, position: [%g, %g, %g]}\n", i,
                          0.2 * (i / 4), 0.2 * ((i + 1) % 4 > 1), 0.2 * (i % 4 > 1));
  n += (size_t)snprintf(text + n, room - n,
                        "joints:\n  a: {type: spherical, markers: [ground, p0]}\n"
                        "  b: {type: spherical, markers: [{at: [0, 0.2, 0]}, p1]}\n");
  for (int i = 0; i < KNOTS; i++)
    for (int k = i + 1; k < KNOTS && k / 4 - i / 4 < 2; k++)
      if (k / 4 == i / 4 || (k + i) % 2 == 1 || k == i + 4)
        n += (size_t)snprintf(text + n, room - n,
                              "  d%d_%d: {type: distance, markers: [p%d, p%d]}\n", i, k, i, k);
  snprintf(text + n, room - n, "simulation: {end: 1 s}\n");
  watch c = {.allocator = {watched}};
  tr_model *model;
  tr_system *sys;
  tr_run *run;
  tr_error e = {0};
  tr_run_settings set = tr_run_defaults();
  set.method = "ggl-bdf:order=5", set.control.tol = 1e-5;
  assert_int_equal(tr_model_new(&c.allocator, &model), TR_OK);
  if (tr_model_read_text(model, text, strlen(text), "tower", &e) != TR_OK) fail_msg("%s", e.text);
  assert_int_equal(tr_compile(model, &sys, &e), TR_OK);
  assert_int_equal(tr_run_new(sys, &set, NULL, &run, &e), TR_OK);
  c.calls = 0;
  assert_int_equal(tr_run_all(run, &e), TR_OK);
  tr_run_info info = tr_run_describe(run);
  assert_true(info.largest_step > 40 * info.smallest_step);
  // one step is rejected, which is a reason: 46; the second half's own matrix, made when it is first needed, takes 99, most of
  // them to order it; looks for the length alone would take 46 more
  if (!(c.calls < 166)) fail_msg("%ld allocations, %ld steps rejected", c.calls, info.rejected);
  tr_run_free(run);
  tr_system_free(sys);
  tr_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(within_tolerances),
      cmocka_unit_test(by_fixed_steps),
      cmocka_unit_test(without_a_choice),
      cmocka_unit_test(beyond_round_off),
      cmocka_unit_test(locked_under_load),
      cmocka_unit_test(locked_at_rest),
      cmocka_unit_test(a_long_line),
      cmocka_unit_test(rows_left_out_stay_closed),
      cmocka_unit_test(flat_windows),
      cmocka_unit_test(taut_rods),
      cmocka_unit_test(a_net_with_a_taut_edge),
      cmocka_unit_test(longer_steps_are_no_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
