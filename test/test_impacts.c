// SPDX-License-Identifier: Apache-2.0
// Impacts at one instant: what approaches at once is struck at once, what is struck by others after them; the order
// in the file is none.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_events.h"

static const char *const methods[] = {"hht-i3", "radau5", "baumgarte", "ggl-bdf"};

// A body that falls flat from 1 m: it leaves with e times its speed, and does not turn; legs by name, in this order.
static void fall_flat(const char *bodies, const char *const *legs, int n, const char *along) {
  char text[2000];
  int size = snprintf(text, sizeof text, "trammel: 1\n%ssimulation: {end: 0.6}\nevents:\n", bodies);
  for (int i = 0; i < n; i++)
    size += snprintf(text + size, sizeof text - (size_t)size,
                     "  on_%s: {when: %s(%s), direction: falling, restitution: 0.5}\n", legs[i],
                     along, legs[i]);
  tr_system *sys = system_of_text(text);
  double fall = sqrt(2 / 9.81), v = 0.5 * 9.81 * fall - 9.81 * (0.6 - fall);
  for (int m = 0; m < 4; m++)
    for (int k = 0; k < 3; k++) {
      tr_run *run = start_run(sys, methods[m], 0.01, k == 0 ? 0 : k == 1 ? 1e-4 : 1e-8);
      finish(run, methods[m]);
      assert_int_equal(tr_run_describe(run).events, n);
      bool planar = strcmp(along, "DY") == 0;
      double tol = strcmp(methods[m], "ggl-bdf") == 0 && k > 0 ? k == 1 ? 3e-2 : 1e-5 : 1e-10;
      assert_near(at_end(sys, run, planar ? "r.vy" : "r.vz"), v, tol, "%s, %d", methods[m], k);
      assert_near(at_end(sys, run, planar ? "r.omega" : "r.wx"), 0, 1e-12, "%s, %d", methods[m], k);
      tr_run_free(run);
    }
  tr_system_free(sys);
}

static void test_flat(void **state) {
  (void)state;
  static const char *const there[] = {"A", "B"}, *const back[] = {"B", "A"};
  static const char *const three[] = {"A", "M", "B"};
  static const char *const table[] = {"A", "B", "C", "D"}, *const other[] = {"C", "A", "D", "B"};
  const char *rod =
      "gravity: [0, -9.81]\n"
      "bodies: {r: {type: planar, mass: 3, inertia: 1, position: [0, 1]}}\n"
      "markers: {A: {body: r, at: [-0.5, 0]}, M: {body: r}, B: {body: r, at: [0.5, 0]}}\n";
  const char *halves =
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  r: {type: planar, mass: 3, inertia: 1, position: [-0.5, 1]}\n"
      "  s: {type: planar, mass: 3, inertia: 1, position: [0.5, 1]}\n"
      "joints: {w: {type: fixed, bodies: [r, s], at: [0, 1]}}\n"
      "markers:\n"
      "  A: {body: r, at: [-0.5, 0]}\n"
      "  M: {body: s, at: [-0.5, 0]}\n"
      "  B: {body: s, at: [0.5, 0]}\n";
  const char *board =
      "gravity: [0, 0, -9.81]\n"
      "bodies: {r: {type: spatial, mass: 3, inertia: [1, 2, 2.5], position: [0, 0, 1]}}\n"
      "markers:\n"
      "  A: {body: r, at: [-0.5, -0.3, 0]}\n"
      "  B: {body: r, at: [0.5, -0.3, 0]}\n"
      "  C: {body: r, at: [0.5, 0.3, 0]}\n"
      "  D: {body: r, at: [-0.5, 0.3, 0]}\n";
  fall_flat(rod, there, 2, "DY");
  fall_flat(rod, back, 2, "DY");
  fall_flat(rod, three, 3, "DY");
  fall_flat(halves, there, 2, "DY");
  fall_flat(halves, three, 3, "DY");
  fall_flat(board, table, 4, "DZ");
  fall_flat(board, other, 4, "DZ");
}

enum { MOST_BALLS = 6 };
typedef struct balls {
  int n;
  double m[MOST_BALLS], v[MOST_BALLS], e, gap;
} balls;

// Balls of radius 5 cm in a row; the outer ones, where they move, come from 5 cm away. v: after.
static void collide(const balls *row, bool backwards, double *v) {
  char text[2000];
  int n = row->n,
      size = snprintf(text, sizeof text, "trammel: 1\nsimulation: {end: 0.2}\nbodies:\n");
  for (int i = 0; i < n; i++) {
    double away = row->v[i] > 0 ? -0.05 : row->v[i] < 0 ? 0.05 : 0;
    size += snprintf(
        text + size, sizeof text - (size_t)size,
        "  b%d: {type: planar-point, mass: %.17g, position: [%.17g, 0], velocity: [%g, 0]}\n", i,
        row->m[i], i * (0.1 + row->gap) + away, row->v[i]);
  }
  size += snprintf(text + size, sizeof text - (size_t)size, "events:\n");
  for (int k = 0; k < n - 1; k++) {
    int i = backwards ? n - 2 - k : k;
    size +=
        snprintf(text + size, sizeof text - (size_t)size,
                 "  c%d: {when: DX(b%d) - DX(b%d) - 0.1, direction: falling, restitution: %g}\n", i,
                 i + 1, i, row->e);
  }
  tr_system *sys = system_of_text(text);
  tr_run *run = start_run(sys, "hht-i3", 0.013, 0);
  finish(run, "row");
  for (int i = 0; i < n; i++) {
    char name[24];
    snprintf(name, sizeof name, "b%d.vx", i);
    v[i] = at_end(sys, run, name);
  }
  tr_run_free(run);
  tr_system_free(sys);
}

static void expect(const balls *row, const double *expected) {
  for (int back = 0; back < 2; back++) {
    double v[MOST_BALLS];
    collide(row, back, v);
    for (int i = 0; i < row->n; i++)
      assert_near(v[i], expected[i], 1e-12, "ball %d of %d, e %g, gap %g, order %d", i, row->n,
                  row->e, row->gap, back);
  }
}

// Newton's cradle, its balls in touch or next to it.
static void test_cradle(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    const double gap[] = {0, 1e-9, 1e-3};
    balls one = {5, {1, 1, 1, 1, 1}, {1, 0, 0, 0, 0}, 1, gap[k]};
    balls two = {5, {1, 1, 1, 1, 1}, {1, 1, 0, 0, 0}, 1, gap[k]};
    balls both = {5, {1, 1, 1, 1, 1}, {1, 0, 0, 0, -1}, 1, gap[k]};
    expect(&one, (const double[]){0, 0, 0, 0, 1});
    expect(&two, (const double[]){0, 0, 0, 1, 1});
    expect(&both, (const double[]){-1, 0, 0, 0, 1});
    balls close = {3, {1, 2, 1}, {1, 0, -1}, 0.8, gap[k]}; // by symmetry: a ball and a wall
    expect(&close, (const double[]){-0.8, 0, 0.8});
    // each contact in its turn: v -> (1 - e)/2 v and (1 + e)/2 v for equal masses
    balls lossy = {3, {1, 1, 1}, {1, 0, 0}, 0.5, gap[k]};
    expect(&lossy, (const double[]){0.203125, 0.234375, 0.5625}); // the first twice
  }
}

// Any masses in touch, hit from one side or both: momentum stays, energy does not grow, none approaches any more,
// and the order in the file is none.
static void test_any_row(void **state) {
  (void)state;
  seed dice = 1;
  for (int k = 0; k < 60; k++) {
    balls any = {.n = 3 + k % 4, .e = 0.2 + 0.2 * (k % 5)};
    double v[MOST_BALLS], w[MOST_BALLS], p = 0, T = 0;
    for (int i = 0; i < any.n; i++) any.m[i] = 2.7 + 2.5 * draw(&dice);
    any.v[0] = 1, any.v[any.n - 1] = k % 3 == 0 ? -1 : 0;
    collide(&any, false, v);
    collide(&any, true, w);
    for (int i = 0; i < any.n; i++) {
      p += any.m[i] * (v[i] - any.v[i]);
      T += any.m[i] * (v[i] * v[i] - any.v[i] * any.v[i]);
      assert_near(v[i], w[i], 1e-12, "row %d, ball %d", k, i);
      if (i > 0) assert_true(v[i] > v[i - 1] - 1e-9);
    }
    assert_near(p, 0, 1e-12, "row %d", k);
    assert_true(any.e == 1 ? fabs(T) < 1e-12 : T < 0);
  }
}

// Balls in touch that fall on a floor together end there, on each other, whatever they keep of their speeds.
static void settle_pile(const char *method, double tol, int n, const char *e) {
  char text[2000];
  bool varied = strchr(e, 'i') != NULL; // and so the masses
  snprintf(text, sizeof text,
           "trammel: 1\n"
           "gravity: [0, -9.81]\n"
           "bodies: {b_0: {type: planar-point, mass: 1, position: [0, 1.5]}}\n"
           "joints: {s_0: {type: expression, phi: DY(b_0) - 0.5, active: no}}\n"
           "events:\n"
           "  f_0: {when: DY(b_0) - 0.5, direction: falling, restitution: %s, settle: s_0}\n"
           "repeat:\n"
           "  - for: i\n"
           "    from: 1\n"
           "    to: %d\n"
           "    bodies: {'b_{i}': {type: planar-point, mass: %s, position: [0, 1.5 + i]}}\n"
           "    joints:\n"
           "      s_{i}: {type: expression, phi: 'DY(b_{i}) - DY(b_{i-1}) - 1', active: no}\n"
           "    events:\n"
           "      f_{i}: {when: 'DY(b_{i}) - DY(b_{i-1}) - 1', direction: falling,\n"
           "              restitution: '%s', settle: 's_{i}'}\n"
           "simulation: {end: 3}\n",
           varied ? "0.5" : e, n - 1, varied ? "2.5 + 2.4*sin(3*i)" : "1", e);
  tr_system *sys = system_of_text(text);
  tr_run *run = start_run(sys, method, 0.01, tol);
  finish(run, method);
  for (int i = 0; i < n; i++) {
    char name[24];
    snprintf(name, sizeof name, "b_%d.y", i);
    assert_near(at_end(sys, run, name), 0.5 + i, 1e-9, "%s, ball %d of %d, e %s", method, i, n, e);
  }
  tr_run_free(run);
  tr_system_free(sys);
}

static void test_pile(void **state) {
  (void)state;
  for (int m = 0; m < 4; m++) {
    settle_pile(methods[m], 0, 2, "0");
    settle_pile(methods[m], 0, 3, "0");
    settle_pile(methods[m], 0, 3, "0.3");
    settle_pile(methods[m], 0, 4, "0.2");
    settle_pile(methods[m], 0, 5, "0.5");
    settle_pile(methods[m], 0, 6, "0.35*(1 + cos(2*i))");
  }
  settle_pile("gen-alpha:index=2", 0, 3, "0.3");
  settle_pile("hht-i3", 1e-6, 3, "0.3");
}

// Two balls in touch on a floor: what is drawn in settles too, at once, where it keeps nothing or is slower than `rest`.
static void test_pair(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    char text[1000];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "gravity: [0, -9.81]\n"
             "bodies:\n"
             "  a: {type: planar-point, mass: 3, position: [0, 1.5]}\n"
             "  b: {type: planar-point, mass: 1, position: [0, 2.5]}\n"
             "joints: {glue: {type: expression, phi: DY(b) - DY(a) - 1, active: no}}\n"
             "events:\n"
             "  fl: {when: DY(a) - 0.5, direction: falling, restitution: 1}\n"
             "  ab: {when: DY(b) - DY(a) - 1, direction: falling, %s, settle: glue}\n"
             "simulation: {end: 2.5}\n",
             k == 0 ? "restitution: 0" : "restitution: 0.5, rest: 10");
    tr_system *sys = system_of_text(text);
    tr_run *run = start_run(sys, "hht-i3", 0.01, 0);
    finish(run, "pair");
    assert_string_equal(tr_run_event(run, 1).name, "ab");
    assert_string_equal(tr_run_event(run, 1).what, "comes to rest");
    assert_near(tr_run_event(run, 1).t, sqrt(2 / 9.81), 1e-12, "%d", k);
    assert_near(at_end(sys, run, "b.y") - at_end(sys, run, "a.y"), 1, 1e-12, "%d", k);
    tr_run_free(run);
    tr_system_free(sys);
  }
}

// Blows that run to and fro in a long row without end: none gets through another, momentum stays, energy does not grow.
static void test_long_row(void **state) {
  (void)state;
  static const struct {
    int n;
    double e;
  } row[] = {{4, 0.1}, {8, 0.3}, {16, 0.5}, {24, 0.1}, {48, 0.1}, {48, 0.5}, {64, 0.8}, {64, 1}};
  for (int k = 0; k < 8; k++) {
    char text[1000], name[24];
    int n = row[k].n;
    if (n > (int)or_less(64, 24)) continue;
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "bodies: {b_0: {type: planar-point, mass: 1, position: [-1, 0], velocity: [1, 0]}}\n"
             "repeat:\n"
             "  - for: i\n"
             "    from: 1\n"
             "    to: %d\n"
             "    bodies: {'b_{i}': {type: planar-point, mass: 1, position: [i - 0.5, 0]}}\n"
             "    events:\n"
             "      e_{i}: {when: 'DX(b_{i}) - DX(b_{i-1}) - 1', direction: falling,\n"
             "              restitution: %g}\n"
             "simulation: {end: 1.5}\n",
             n - 1, row[k].e);
    tr_system *sys = system_of_text(text);
    tr_run *run = start_run(sys, "hht-i3", 0.01, 0);
    finish(run, "row");
    double p = 0, T = 0, x0 = 0, v0 = 0;
    for (int i = 0; i < n; i++) {
      snprintf(name, sizeof name, "b_%d.x", i);
      double x = at_end(sys, run, name);
      snprintf(name, sizeof name, "b_%d.vx", i);
      double v = at_end(sys, run, name);
      p += v, T += v * v;
      if (i > 0) assert_true(x - x0 > 1 - 1e-12 && v - v0 > -1e-12);
      x0 = x, v0 = v;
    }
    assert_near(p, 1, 1e-12, "%d balls, e %g", n, row[k].e);
    assert_true(row[k].e == 1 ? fabs(T - 1) < 1e-12 : T < 1);
    tr_run_free(run);
    tr_system_free(sys);
  }
}

// A table on four legs that keep different parts of their speeds: each leaves with its part at least, and the order in the
// file is none.
static void table_of(const int *order, double *v) {
  static const char *const leg[] = {
      "A: {body: r, at: [0.4, 0.3, -0.5]}", "B: {body: r, at: [-0.4, 0.3, -0.5]}",
      "C: {body: r, at: [-0.4, -0.3, -0.5]}", "D: {body: r, at: [0.4, -0.3, -0.5]}"};
  static const double e[] = {0.6, 0.5, 0.4, 0.9}, X[] = {0.4, -0.4, -0.4, 0.4},
                      Y[] = {0.3, 0.3, -0.3, -0.3};
  char text[2000];
  int size = snprintf(text, sizeof text,
                      "trammel: 1\n"
                      "gravity: [0, 0, -9.81]\n"
                      "bodies:\n"
                      "  r: {type: spatial, mass: 2, inertia: [0.1, 0.1, 0.2], position: [0, 0, "
                      "1.3]}\nmarkers:\n");
  for (int i = 0; i < 4; i++)
    size += snprintf(text + size, sizeof text - (size_t)size, "  %s\n", leg[i]);
  size += snprintf(text + size, sizeof text - (size_t)size, "events:\n");
  for (int i = 0; i < 4; i++)
    size += snprintf(text + size, sizeof text - (size_t)size,
                     "  f%c: {when: DZ(%c), direction: falling, restitution: %g}\n",
                     "ABCD"[order[i]], "ABCD"[order[i]], e[order[i]]);
  double fall = sqrt(2 * 0.8 / 9.81), before = 9.81 * fall;
  snprintf(text + size, sizeof text - (size_t)size, "simulation: {end: %.17g}\n", fall + 1e-9);
  tr_system *sys = system_of_text(text);
  tr_run *run = start_run(sys, "hht-i3", 0.01, 0);
  finish(run, "table");
  v[0] = at_end(sys, run, "r.vz"), v[1] = at_end(sys, run, "r.wx"), v[2] = at_end(sys, run, "r.wy");
  for (int i = 0; i < 4; i++) assert_true(v[0] + v[1] * Y[i] - v[2] * X[i] > e[i] * before - 1e-6);
  tr_run_free(run);
  tr_system_free(sys);
}

static void test_legs(void **state) {
  (void)state;
  double v[3], w[3];
  table_of((const int[]){0, 1, 2, 3}, v);
  for (int k = 0; k < 24; k++) {
    int order[4] = {k % 4, 0, 0, 0}, rest[3], n = 0;
    for (int i = 0; i < 4; i++)
      if (i != order[0]) rest[n++] = i;
    int a = k / 4 % 3, b = k / 12;
    order[1] = rest[a], order[2] = rest[(a + 1 + b) % 3], order[3] = rest[(a + 2 - b) % 3];
    table_of(order, w);
    for (int i = 0; i < 3; i++) assert_near(w[i], v[i], 1e-12, "order %d, %d", k, i);
  }
}

// Four balls that hang in touch, the first swings in: however their impacts die away, nothing presses, and they go on. Without
// rebound all four move with a quarter of its speed, and of its energy.
static void test_touching(void **state) {
  (void)state;
  static const double e[] = {1, 0.5, 0}, tol[] = {0, 1e-4, 1e-6};
  const double low = -4 * 9.81 * 0.5, brought = 9.81 * 0.5 * (1 - cos(0.6));
  for (int i = 0; i < 3; i++) {
    char text[1500];
    int size = snprintf(text, sizeof text,
                        "trammel: 1\ngravity: [0, -9.81]\nsimulation: {end: 12, step: 0.002}\n"
                        "bodies:\n  b0: {type: planar-point, mass: 1, position: [-0.5*sin(0.6), "
                        "-0.5*cos(0.6)]}\n");
    for (int k = 1; k < 4; k++)
      size += snprintf(text + size, sizeof text - (size_t)size,
                       "  b%d: {type: planar-point, mass: 1, position: [%g, -0.5]}\n", k, 0.04 * k);
    size += snprintf(text + size, sizeof text - (size_t)size, "joints:\n");
    for (int k = 0; k < 4; k++)
      size += snprintf(text + size, sizeof text - (size_t)size,
                       "  r%d: {type: distance, markers: [{at: [%g, 0]}, b%d], length: 0.5}\n", k,
                       0.04 * k, k);
    size += snprintf(text + size, sizeof text - (size_t)size, "events:\n");
    for (int k = 0; k < 3; k++)
      size += snprintf(text + size, sizeof text - (size_t)size,
                       "  c%d: {when: \"DX(b%d, b%d) - 0.04\", direction: falling, restitution: "
                       "%g}\n",
                       k, k + 1, k, e[i]);
    tr_system *sys = system_of_text(text);
    for (int m = 0; m < 4; m++)
      for (int k = 0; k < 3; k++) {
        if (!in_turn(m + i, k, 3)) continue;
        tr_run *run = start_run(sys, methods[m], NAN, tol[k]);
        finish(run, methods[m]);
        double T = at_end(sys, run, "energy.total") - low, near = k == 1 ? 0.1 : 0.005;
        double all = e[i] == 1 ? 1 : 0.25; // what is left when they swing as one
        assert_near(T / brought, all, near, "%s, e %g, tol %g", methods[m], e[i], tol[k]);
        for (int b = 0; b < 3; b++) {
          char to[16], from[16];
          snprintf(to, sizeof to, "b%d.x", b + 1), snprintf(from, sizeof from, "b%d.x", b);
          double gap = at_end(sys, run, to) - at_end(sys, run, from) - 0.04;
          if (gap < -1e-9) fail_msg("%s, e %g, tol %g: %g", methods[m], e[i], tol[k], gap);
        }
        tr_run_free(run);
      }
    tr_system_free(sys);
  }
}

// A part on a table that is driven up and down lifts where the table falls faster than it, and flies: the first step after
// it is let go leaves it across the table by its error, which is no contact.
static void test_lift(void **state) {
  (void)state;
  static const char *const all[] = {"ggl-bdf", "ggl-bdf:order=5", "cs",      "cm",     "pfpc1",
                                    "pfpc2",   "hht-i3",          "hht-add", "nstiff", "radau5"};
  static const double tol[] = {0, 1e-3, 1e-6};
  const double g = 9.81, A = 0.02, w = 30, up = asin(g / (A * w * w)) / w, dt = 0.06 - up;
  const double y = A * sin(w * up) + A * w * cos(w * up) * dt - 0.5 * g * dt * dt;
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  table: {type: planar, mass: 10, inertia: 1}\n"
      "  part: {type: planar-point, mass: 0.5}\n"
      "joints:\n"
      "  rail: {type: prismatic, bodies: [ground, table], at: [0, 0], axis: [0, 1]}\n"
      "  shake: {type: motion, joint: rail, position: 0.02*sin(30*time)}\n"
      "  side: {type: expression, phi: DX(part)}\n"
      "  on: {type: point-on-line, markers: [table, part]}\n"
      "events:\n"
      "  lift: {when: FY(on), direction: falling, unlock: on}\n"
      "  land: {when: \"DY(part, table)\", direction: falling, restitution: 0.3, settle: on}\n"
      "simulation: {end: 0.06}\n");
  for (size_t m = 0; m < sizeof all / sizeof *all; m++)
    for (int k = 0; k < 3; k++) {
      tr_run *run = start_run(sys, all[m], 1e-3, tol[k]);
      finish(run, all[m]);
      assert_int_equal(tr_run_describe(run).events, 1);
      double near = strcmp(all[m], "pfpc1") == 0 || tol[k] == 1e-3 ? 1e-3 : 1e-5;
      assert_near(at_end(sys, run, "part.y"), y, near, "%s, tol %g", all[m], tol[k]);
      tr_run_free(run);
    }
  tr_system_free(sys);
}

// A table that moves by laws with kinks, up at once or with less than g: nothing leaves it, though reactions of the steps
// swing there.
static void test_kinks_below(void **state) {
  (void)state;
  static const char *const all[] = {"hht-i3",    "hht-si2", "nstiff", "radau5", "ggl-bdf",
                                    "gen-alpha", "newmark", "pfpc2",  "hht-add"};
  static const char *const law[] = {
      "velocity: bends(time)", "position: climbs(time)", "position: 0.02*abs(sin(20*time))",
      "velocity: 0.1*abs(sin(20*time))", "velocity: \"max(0, 4*(time-0.1))-max(0, 8*(time-0.3))\""};
  static const double step[] = {0.002, 0.0037};
  for (size_t i = 0; i < sizeof law / sizeof *law; i++) {
    char text[1200];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "gravity: [0, -9.81]\n"
             "data:\n"
             "  bends: {kind: linear, x: [0, 0.05, 0.1, 0.2, 0.25, 0.35, 0.4, 1],\n"
             "          y: [0, 0.2, -0.1, 0.3, 0.25, -0.2, 0, 0]}\n"
             "  climbs: {kind: linear, x: [0, 0.05, 0.1, 0.2, 0.25, 0.35, 0.4, 1],\n"
             "           y: [0, 0.001, 0.004, 0.02, 0.04, 0.1, 0.14, 1]}\n"
             "bodies:\n"
             "  table: {type: planar, mass: 10, inertia: 1}\n"
             "  part: {type: planar-point, mass: 0.5}\n"
             "joints:\n"
             "  rail: {type: prismatic, bodies: [ground, table], at: [0, 0], axis: [0, 1]}\n"
             "  shake: {type: motion, joint: rail, %s}\n"
             "  side: {type: expression, phi: DX(part)}\n"
             "  on: {type: point-on-line, markers: [table, part]}\n"
             "events:\n"
             "  lift: {when: FY(on), direction: falling, unlock: on}\n"
             "  land: {when: \"DY(part, table)\", direction: falling, restitution: 0.3, settle: "
             "on}\n"
             "simulation: {end: 0.6}\n",
             law[i]);
    tr_system *sys = system_of_text(text);
    for (size_t m = 0; m < sizeof all / sizeof *all; m++)
      for (int k = 0; k < 4; k++) {
        if (!in_turn((int)(m + i), k, 4)) continue;
        tr_run *run = start_run(sys, all[m], step[k % 2], k < 2 ? 0 : k == 2 ? 1e-3 : 1e-6);
        long events = finish(run, all[m]).events;
        if (events > 0) fail_msg("%s, %s: %ld events", all[m], law[i], events);
        tr_run_free(run);
      }
    tr_system_free(sys);
  }
}

// A puck on the floor between two walls, at one of them when it starts: the joint that walls let it settle on holds, but
// not against them.
static void test_joint_of_another(void **state) {
  (void)state;
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "bodies: {b: {type: planar-point, mass: 1, velocity: [2, 0]}}\n"
      "joints: {low: {type: expression, phi: DY(b)}}\n"
      "events:\n"
      "  left: {when: DX(b), direction: falling, restitution: 0.5, settle: low}\n"
      "  right: {when: DX(b) - 1, direction: rising, restitution: 0.5, settle: low}\n"
      "simulation: {end: 2}\n");
  for (int m = 0; m < 4; m++)
    for (int k = 0; k < 2; k++) {
      tr_run *run = start_run(sys, methods[m], 0.01, k ? 1e-6 : 0);
      tr_run_info info = finish(run, methods[m]);
      assert_int_equal(info.events, 2); // at 0.5 s with 2 m/s, at 1.5 s with 1 m/s
      assert_near(at_end(sys, run, "b.x"), 0.25, 1e-8, "%s", methods[m]);
      tr_run_free(run);
    }
  tr_system_free(sys);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flat),        cmocka_unit_test(test_cradle),
      cmocka_unit_test(test_any_row),     cmocka_unit_test(test_pile),
      cmocka_unit_test(test_pair),        cmocka_unit_test(test_long_row),
      cmocka_unit_test(test_legs),        cmocka_unit_test(test_touching),
      cmocka_unit_test(test_lift),        cmocka_unit_test(test_joint_of_another),
      cmocka_unit_test(test_kinks_below),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
