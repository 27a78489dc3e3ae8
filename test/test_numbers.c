// SPDX-License-Identifier: Apache-2.0
// States and variables: filters, loops, stiff actuators against exact solutions; what is wrong is told.
// That every method has its order on a pendulum under control is in test_methods_order.c.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_claims.h"
#include "helper_courses.h"
#include "system/system.h"

static double read(const tr_run *run, const mechanism *m, const char *name) {
  return output(m->sys, tr_run_state(run), name);
}

static void go_to(tr_run *run, double t) {
  tr_error error = {0};
  if (tr_run_to(run, t, &error) != TR_OK) fail_msg("%s", error.text);
}

// ---- made by repeat -----------------------------------------------------------------------------------

// A chain of filters X_i' = V_i - X_i with V_i = X_(i-1), X_0 = 1: X_n = 1 - e^-t sum_(k<n) t^k/k!
static void cascade(void **unused) {
  (void)unused;
  mechanism m = load_text(
      "trammel: 1\nparameters: {N: 3}\nstates: {x_0: {initial: 1, rate: 0}}\n"
      "repeat:\n"
      "  - for: i\n"
      "    from: 1\n"
      "    to: N\n"
      "    states:\n"
      "      x_{i}: {rate: \"v_{i} - x_{i}\"}\n"
      "    variables:\n"
      "      v_{i}: {value: \"x_{i-1}\"}\n"
      "variables: {last: {value: \"2*x_{N}\"}}\n");
  tr_run *run = new_run(m.sys, "radau5", 0.02, 1);
  go_to(run, 1);
  assert_near(read(run, &m, "x_1"), 1 - exp(-1), 1e-8, "first");
  assert_near(read(run, &m, "x_2"), 1 - 2 * exp(-1), 1e-8, "second");
  assert_near(read(run, &m, "x_3"), 1 - 2.5 * exp(-1), 1e-8, "third");
  assert_near(read(run, &m, "last"), 2 - 5 * exp(-1), 1e-8, "by a name outside of the repeat");
  tr_run_free(run);
  unload(&m);
}

// ---- low-pass filter ----------------------------------------------------------------------------------

// X' = (sin w t - X)/T:  X = (sin w t - w T cos w t)/(1 + w^2 T^2) + C exp(-t/T)
static double filtered(double t, double T) {
  double w = 3, A = 1 / (1 + w * w * T * T);
  return A * (sin(w * t) - w * T * cos(w * t)) + (0.5 + A * w * T) * exp(-t / T);
}

#define FILTER                                                   \
  "trammel: 1\nparameters: {T: 0.2}\n"                           \
  "states: {x: {initial: 0.5, rate: \"(sin(3*time) - x)/T\"}}\n" \
  "variables: {twice: {value: 2*x + 1}}\n"

static void filter_orders(void **unused) {
  (void)unused;
  claim list[MAX_CLAIMS];
  int n = all_claims(list);
  mechanism m = load_text(FILTER);
  for (int i = 0; i < n; i++) {
    double error[HALVINGS];
    for (int k = 0; k < HALVINGS; k++) {
      tr_run *run = new_run(m.sys, list[i].text, ldexp(0.02, -k), 1);
      error[k] = 0;
      for (double t = 0.2; t < 1.1; t += 0.2) {
        go_to(run, t);
        error[k] = fmax(error[k], fabs(read(run, &m, "x") - filtered(t, 0.2)));
        assert_near(read(run, &m, "twice"), 2 * read(run, &m, "x") + 1,
                    list[i].position ? 1e-9 : 0.1, "%s: variable", list[i].text);
      }
      tr_run_free(run);
    }
    // what is more than claimed is fine here: one equation may be easy
    assert_true(fit(HALVINGS, error) > list[i].q - 0.15 || error[HALVINGS - 1] < 1e-10);
  }
  unload(&m);
}

static void filter_under_control(void **unused) {
  (void)unused;
  static const char *const methods[] = {"hht-i3",    "hht-si2", "nstiff",  "nstiff-si2",
                                        "gen-alpha", "cs",      "ggl-bdf", "cm",
                                        "radau5",    "hht-add", "newmark"};
  mechanism m = load_text(FILTER);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    double error[2];
    for (int k = 0; k < 2; k++) {
      tr_run_settings s = tr_run_defaults();
      tr_error e = {0};
      tr_run *run;
      s.method = methods[i], s.end = 2, s.control.tol = k ? 1e-7 : 1e-5;
      if (tr_run_new(m.sys, &s, NULL, &run, &e) != TR_OK || tr_run_all(run, &e) != TR_OK)
        fail_msg("%s: %s", methods[i], e.text);
      error[k] = fabs(read(run, &m, "x") - filtered(2, 0.2));
      tr_run_info info = tr_run_describe(run);
      assert_true(info.steps < (k ? 20000 : 2000));
      tr_run_free(run);
    }
    assert_true(error[0] < 1e-3 && error[1] < 1e-5);
  }
  unload(&m);
}

// ---- algebraic loops ----------------------------------------------------------------------------------

static void loops(void **unused) {
  (void)unused;
  // a = b/2 + sin t, b = 0.3 a + 1;  c = cos(c) + t/10;  d^3 + d = 1 + t
  mechanism m = load_text(
      "trammel: 1\nvariables:\n"
      "  a: {value: 0.5*b + sin(time)}\n  b: {value: 0.3*a + 1}\n"
      "  c: {value: cos(c) + time/10, guess: 0.5}\n  d: {value: 1 + time - d^3}\n");
  static const char *const methods[] = {"hht-i3", "hht-si2", "nstiff-si2", "radau5",
                                        "cs",     "pfpc1",   "pfpc2",      "baumgarte"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    tr_run *run = new_run(m.sys, methods[i], 0.01, 1);
    for (double t = 0; t <= 1; t += 0.25) {
      go_to(run, t);
      double a = (0.5 + sin(t)) / 0.85, c = read(run, &m, "c"), d = read(run, &m, "d");
      assert_near(read(run, &m, "a"), a, 1e-10, "%s: a, t = %g", methods[i], t);
      assert_near(read(run, &m, "b"), 0.3 * a + 1, 1e-10, "%s: b, t = %g", methods[i], t);
      assert_near(c, cos(c) + t / 10, 1e-9, "%s: c, t = %g", methods[i], t);
      assert_near(d * d * d + d, 1 + t, 1e-9, "%s: d, t = %g", methods[i], t);
    }
    tr_run_free(run);
  }
  unload(&m);
}

// A force that depends on itself through a variable, on a mass: m x'' = F, F = 6 - F/2 - 2 x.
static void force_by_loop(void **unused) {
  (void)unused;
  mechanism m = load_text(
      "trammel: 1\nbodies: {b: {type: planar-point, mass: 1}}\n"
      "joints: {rail: {type: point-on-line, markers: [ground, b]}}\n"
      "variables: {F: {value: \"6 - F/2 - 2*DX(b)\"}}\n"
      "forces: {push: {type: force, markers: [b], force: [F, 0]}}\n");
  tr_run *run = new_run(m.sys, "radau5", 0.02, 3);
  double w = sqrt(4.0 / 3);
  for (double t = 0.5; t <= 3; t += 0.5) {
    go_to(run, t);
    assert_near(read(run, &m, "b.x"), 3 * (1 - cos(w * t)), 1e-9, "x");
    assert_near(read(run, &m, "F"), 4 * cos(w * t), 1e-8, "F");
    assert_near(read(run, &m, "F.rate"), -4 * w * sin(w * t), 1e-6, "F.rate");
  }
  tr_run_free(run);
  unload(&m);
}

// ---- stiff --------------------------------------------------------------------------------------------

// The oil ever stiffer: the pressure follows (flow valve - A v)/leak, and the ram its slow equation. Steps
// stay what they are.
static double flow_gain, leak = 2e-11, area = 2e-3;
static void ram_slope(double t, const double *y, double *dy) {
  double u = t / 0.5, ref = u >= 1 ? 0.05 : 0.05 * u * u * u * (10 + u * (6 * u - 15));
  double p = (flow_gain * 20 * (ref - y[0]) - area * y[1]) / leak;
  dy[0] = y[1], dy[1] = (area * p - 2e5 * y[0] - 2e3 * y[1]) / 200;
}

static void stiff_pressure(void **unused) {
  (void)unused;
  static const char *const methods[] = {
      "hht-i3",  "hht-si2", "nstiff", "nstiff-si2", "gen-alpha:rho=0.5",
      "ggl-bdf", "cs",      "radau5", "hht-add"};
  double y[2] = {0, 0};
  flow_gain = 2e-3;
  integrate(ram_slope, 2, 0, 1, 20000, y);
  double p = (flow_gain * 20 * (0.05 - y[0]) - area * y[1]) / leak;
  static const char *const bulks[] = {"bulk=1e10", "bulk=5e13"}; // 2e4/s and 1e8/s
  for (int k = 0; k < 2; k++) {
    const char *const set[] = {bulks[k], NULL};
    mechanism m = load_model("hydraulic_actuator.yaml", set);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
      tr_run *run = new_run(m.sys, methods[i], 0.005, 1);
      go_to(run, 1);
      // the slow motion to the accuracy of the step
      assert_near(read(run, &m, "ram.x"), y[0], 2e-5, "%s, %s: x", methods[i], bulks[k]);
      assert_near(read(run, &m, "pressure"), p, 2e3, "%s, %s: p", methods[i], bulks[k]);
      tr_run_free(run);
    }
    // and under error control no more steps than the slow motion needs
    tr_run_settings s = tr_run_defaults();
    tr_error e = {0};
    tr_run *run;
    s.method = "nstiff", s.end = 1, s.control.tol = 1e-5;
    if (tr_run_new(m.sys, &s, NULL, &run, &e) != TR_OK || tr_run_all(run, &e) != TR_OK)
      fail_msg("%s", e.text);
    tr_run_info info = tr_run_describe(run);
    assert_near(read(run, &m, "ram.x"), y[0], 1e-4, "%s: x under control", bulks[k]);
    if (info.steps > 1000) fail_msg("%s: %ld steps", bulks[k], info.steps);
    tr_run_free(run);
    unload(&m);
  }
}

// ---- relaxation of a tyre -----------------------------------------------------------------------------

// sigma k' = |v| (s - k): with the way d = int v, k = s (1 - exp(-d/sigma)).
static void relaxation(void **unused) {
  (void)unused;
  mechanism m = load_text(
      "trammel: 1\nbodies: {car: {type: planar, mass: 1, inertia: 1}}\n"
      "joints:\n  road: {type: prismatic, markers: [ground, car]}\n"
      "  drive: {type: motion, joint: road, velocity: 2 + sin(3*time)}\n"
      "states: {slip: {rate: \"abs(VX(car))*(0.1 - slip)/0.4\"}}\n");
  tr_run *run = new_run(m.sys, "gen-alpha:index=2", 1e-3, 2);
  for (double t = 0.25; t <= 2; t += 0.25) {
    go_to(run, t);
    double d = 2 * t + (1 - cos(3 * t)) / 3;
    assert_near(read(run, &m, "slip"), 0.1 * (1 - exp(-d / 0.4)), 1e-7, "slip, t = %g", t);
  }
  tr_run_free(run);
  unload(&m);
}

// A state that sums up a velocity is the way, to the last digits, whatever the method does to the positions.
static void integral_of_velocity(void **unused) {
  (void)unused;
  mechanism m = load_text(
      "trammel: 1\ngravity: [0, -9.81]\nbodies: {b: {type: planar, mass: 1, inertia: 0.1, "
      "position: [1, 0]}}\n"
      "joints: {pin: {type: revolute, bodies: [ground, b], at: [0, 0]}}\n"
      "states: {way: {initial: 1, rate: VX(b)}, turn: {rate: WZ(b)}}\n");
  claim list[MAX_CLAIMS];
  int n = all_claims(list);
  for (int i = 0; i < n; i++) {
    tr_run *run = new_run(m.sys, list[i].text, 1e-3, 2);
    go_to(run, 2);
    bool first = list[i].q == 1 || list[i].v == 1;
    assert_near(read(run, &m, "way"), read(run, &m, "b.x"), first ? 0.05 : 1e-4, "%s: way",
                list[i].text);
    assert_near(read(run, &m, "turn"), read(run, &m, "b.angle"), first ? 0.05 : 1e-4, "%s: turn",
                list[i].text);
    tr_run_free(run);
  }
  unload(&m);
}

// ---- joints in laws -----------------------------------------------------------------------------------

// A crank, a slide, a hinge in space: coordinates, rates and reactions as laws read them are the outputs.
static void joints_in_laws(void **unused) {
  (void)unused;
  static const struct {
    const char *text, *joint, *coordinate;
  } row[] = {
      {"gravity: [0, -9.81]\nbodies: {b: {type: planar, mass: 1, inertia: 0.1, position: [1, 0]}}\n"
       "joints: {j: {type: revolute, bodies: [ground, b], at: [0, 0]}}\n",
       "j", "angle"},
      {"gravity: [3, -9.81]\nbodies: {b: {type: planar, mass: 1, inertia: 0.1, position: [1, 0]}}\n"
       "joints: {j: {type: prismatic, bodies: [ground, b], at: [0, 0], axis: [2, 1]}}\n",
       "j", "s"},
      {"gravity: [0, 1, -9.81]\n"
       "bodies: {b: {type: spatial, mass: 1, inertia: [1, 2, 1.5], position: [1, 0, 0.2]}}\n"
       "joints: {j: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: [0, 1, 0.2]}}\n",
       "j", "angle"},
      {"gravity: [1, 0, -9.81]\n"
       "bodies: {b: {type: spatial, mass: 1, inertia: 1, position: [1, 0, 0]}}\n"
       "joints: {j: {type: prismatic, bodies: [ground, b], at: [0, 0, 0], axis: [1, 0, 1]}}\n",
       "j", "s"}};
  for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
    char text[2048];
    snprintf(text, sizeof text,
             "trammel: 1\n%svariables:\n  q: {value: JQ(j)}\n  v: {value: JV(j)}\n"
             "  fx: {value: FX(j)}\n  fy: {value: FY(j)}\n  tz: {value: TZ(j)}\n"
             "  fm: {value: FM(j)}\nstates: {way: {initial: 0, rate: JV(j)}}\n",
             row[k].text);
    mechanism m = load_text(text);
    static const char *const methods[] = {"hht-i3", "nstiff-si2", "radau5"};
    for (int i = 0; i < 3; i++) {
      tr_run *run = new_run(m.sys, methods[i], 1e-3, 0.4);
      double start = read(run, &m, "q");
      go_to(run, 0.4);
      char name[32];
      snprintf(name, sizeof name, "%s.%s", row[k].joint, row[k].coordinate);
      double q = read(run, &m, "q");
      assert_near(q, read(run, &m, name), 1e-9, "%s", name);
      assert_near(read(run, &m, "way"), q - start, 1e-5, "%s: the way", methods[i]);
      if (i < 2) { // radau5 shows multipliers of its own making
        assert_near(read(run, &m, "fx"), read(run, &m, "j.fx"), 1e-6, "fx, %s", methods[i]);
        assert_near(read(run, &m, "fy"), read(run, &m, "j.fy"), 1e-6, "fy, %s", methods[i]);
        assert_near(read(run, &m, "tz"), read(run, &m, "j.tz"), 1e-6, "tz, %s", methods[i]);
      }
      assert_true(read(run, &m, "fm") >= hypot(read(run, &m, "fx"), read(run, &m, "fy")) - 1e-9);
      tr_run_free(run);
    }
    unload(&m);
  }
}

// The friction element with the joint's reaction as its load, on a slide that presses ever harder.
static void friction_element(void **unused) {
  (void)unused;
  mechanism m = load_text(
      "trammel: 1\ngravity: [0, -9.81]\n"
      "bodies: {b: {type: planar, mass: 2, inertia: 0.1, velocity: [5, 0]}}\n"
      "joints: {rail: {type: prismatic, markers: [ground, b]}}\n"
      "forces:\n  press: {type: force, markers: [b], force: [0, \"-3*DX(b)\"]}\n"
      "  rub: {type: friction, joint: rail, load: FM(rail), coefficient: 0.2}\n");
  tr_run *run = new_run(m.sys, "radau5", 0.01, 1);
  go_to(run, 1);
  // 2 x'' = -0.2 (2 g + 3 x)
  double w = sqrt(0.3), x0 = -2 * 9.81 / 3;
  assert_near(read(run, &m, "b.x"), x0 - x0 * cos(w) + 5 / w * sin(w), 1e-9, "x");
  int f = tr_channel_find(m.sys, "rub.f"), rate = tr_channel_find(m.sys, "rub.rate");
  assert_int_equal(tr_channel_quantity(m.sys, f), TR_FORCE);
  assert_int_equal(tr_channel_quantity(m.sys, rate), TR_VELOCITY);
  double x = read(run, &m, "b.x"); // what the element tells is what it does
  assert_near(read(run, &m, "rub.f"), -0.2 * (2 * 9.81 + 3 * x), 1e-6, "friction");
  tr_run_free(run);
  unload(&m);
}

// Friction by the reaction of the hinge itself: the order of every method that has honest multipliers.
static void friction_by_reaction(void **unused) {
  (void)unused;
  claim list[MAX_CLAIMS];
  int n = all_claims(list);
  motion x = follow(&rubbing_hinge);
  bool ok = true;
  for (int i = 0; i < n; i++) {
    double q[HALVINGS], v[HALVINGS];
    if (list[i].alternates || !in_turn(i, 0, 2)) continue;
    for (int k = 0; k < HALVINGS; k++) {
      deviation d = deviate(&x, list[i].text, ldexp(x.step, -k));
      q[k] = d.q, v[k] = d.v;
    }
    bool fine = (fit(HALVINGS, q) > list[i].q - 0.15 || q[HALVINGS - 1] < 1e-10) &&
                (fit(HALVINGS, v) > list[i].v - 0.15 || v[HALVINGS - 1] < 1e-10);
    if (!fine)
      print_error("%s: orders %.2f in q, %.2f in v; errors %g .. %g\n", list[i].text,
                  fit(HALVINGS, q), fit(HALVINGS, v), q[0], q[HALVINGS - 1]);
    ok = ok && fine;
  }
  motion_free(&x);
  assert_true(ok);
}

// b^2 = 1 - t has no solution after 1 s: the run ends there and tells whose equation that is, whatever the method.
static void no_solution(void **unused) {
  (void)unused;
  static const char *const methods[] = {"hht-i3",
                                        "nstiff",
                                        "radau5",
                                        "ggl-bdf",
                                        "pfpc1",
                                        "pfpc2",
                                        "hht-add",
                                        "hht-si2",
                                        "cs",
                                        "pfpc2:passes=1",
                                        "baumgarte",
                                        "newmark",
                                        "cm",
                                        "gen-alpha",
                                        "baumgarte:scheme=rk4",
                                        "baumgarte:scheme=euler"};
  static const double tol[] = {0, 1e-3, 1e-6};
  mechanism m = load_text(
      "trammel: 1\nbodies: {b: {type: planar-point, mass: 1}}\n"
      "joints: {rail: {type: point-on-line, markers: [ground, b]}}\n"
      "variables:\n  good: {value: 2*time}\n"
      "  root: {value: \"root - (root^2 - 1 + time)/2\", guess: 1}\n"
      "forces: {push: {type: force, markers: [b], force: [root + good, 0]}}\n");
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    for (int k = 0; k < 3; k++) {
      if (!in_turn((int)i, k, 3)) continue;
      tr_run_settings s = tr_run_defaults();
      tr_error e = {0};
      tr_run *run;
      s.method = methods[i], s.end = 2, s.step = 0.01, s.control.tol = tol[k];
      assert_int_equal(tr_run_new(m.sys, &s, NULL, &run, &e), TR_OK);
      tr_status status = tr_run_all(run, &e);
      double t = tr_run_state(run)->t;
      if (status == TR_OK || !strstr(e.text, "variable \"root\"") || !(t > 0.95 && t < 1.02))
        fail_msg("%s, %g: %g s, \"%s\"", methods[i], tol[k], t, e.text);
      tr_run_free(run);
    }
  unload(&m);
}

// ---- by calls -----------------------------------------------------------------------------------------

static void by_calls(void **unused) {
  (void)unused;
  tr_error e = {0};
  tr_model *model;
  tr_system *sys;
  assert_int_equal(tr_model_new(NULL, &model), TR_OK);
  tr_arg state[] = {{.key = "initial", .num = 1}, {.key = "rate", .text = "-2*x + V"}, {0}};
  tr_arg variable[] = {{.key = "value", .text = "0.5*x"}, {0}};
  assert_int_equal(tr_model_add(model, "states", "x", state, &e), TR_OK);
  assert_int_equal(tr_model_add(model, "variables", "V", variable, &e), TR_OK);
  if (tr_compile(model, &sys, &e) != TR_OK) fail_msg("%s", e.text);
  tr_run *run = new_run(sys, "radau5", 0.05, 1);
  go_to(run, 1);
  assert_near(output(sys, tr_run_state(run), "x"), exp(-1.5), 1e-9, "x");
  assert_near(output(sys, tr_run_state(run), "x.rate"), -1.5 * exp(-1.5), 1e-9, "rate");
  tr_system_info info = tr_system_describe(sys);
  assert_int_equal(info.numbers, 2);
  assert_int_equal(info.bodies, 0);
  tr_run_free(run);
  tr_system_free(sys);
  tr_model_free(model);
}

// ---- mistakes -----------------------------------------------------------------------------------------

static void mistakes(void **unused) {
  (void)unused;
  static const struct {
    const char *text, *says;
  } row[] = {
      {"states: {x: {rate: \"-y\"}}", "unknown name \"y\""},
      {"states: {level: {rate: \"-levl\"}}", "did you mean \"level\"?"},
      {"states: {x: {initial: 1}}", "state \"x\": \"rate\" is missing"},
      {"variables: {x: {guess: 1}}", "variable \"x\": \"value\" is missing"},
      {"variables: {x: {value: 1, initial: 2}}", "unknown key \"initial\""},
      {"states: {a-b: {rate: 1}}", "\"-\" in the name"},
      {"parameters: {k: 1}\nstates: {k: {rate: 1}}", "taken by a parameter"},
      {"states: {x: {rate: 1, scale: 0}}", "scale: must be positive"},
      {"states: {x: {rate: 1}}\nvariables: {x: {value: 1}}", "already"},
      {"variables: {v: {value: 1}}\nbodies: {b: {type: planar-point, mass: 1}}\n"
       "joints: {e: {type: expression, phi: \"DX(b) - v\"}}",
       "the variable \"v\" in a law of positions"},
      {"states: {x: {rate: JQ(hinge)}}", "unknown joint \"hinge\""},
      {"bodies: {b: {type: planar-point, mass: 1}}\n"
       "joints: {d: {type: distance, markers: [ground, b], length: 1}}\n"
       "states: {x: {rate: JQ(d)}}",
       "joint \"d\" has neither an angle nor a way s"},
      {"bodies: {b: {type: planar-point, mass: 1}}\nstates: {x: {rate: JQ(b)}}",
       "\"b\" is no joint"},
  };
  for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
    char text[1024];
    tr_error e = {0};
    tr_model *model;
    tr_system *sys = NULL;
    snprintf(text, sizeof text, "trammel: 1\n%s\n", row[k].text);
    assert_int_equal(tr_model_new(NULL, &model), TR_OK);
    tr_status status = tr_model_read_text(model, text, strlen(text), "m.yaml", &e);
    if (status == TR_OK) status = tr_compile(model, &sys, &e);
    if (status == TR_OK || !strstr(e.text, row[k].says))
      fail_msg("%s: \"%s\" does not say \"%s\"", row[k].text, e.text, row[k].says);
    tr_system_free(sys);
    tr_model_free(model);
  }
  // a loop without solution names the variable
  mechanism m =
      load_text("trammel: 1\nvariables: {good: {value: 1}, bad: {value: bad + 1 + bad^2}}\n");
  tr_error e = {0};
  tr_state x;
  assert_int_equal(tr_state_new(m.sys, &x, NULL), TR_OK);
  assert_true(tr_consistent_start(m.sys, &x, NULL, &e) != TR_OK);
  assert_non_null(strstr(e.text, "variable \"bad\": no value of it was found that fits its law"));
  tr_state_free(m.sys, &x);
  unload(&m);
}

// ---- one after the other --------------------------------------------------------------------------------

// Without a matrix. x' = 2 v + 1, v = 3 x + u, u = x + 4 at x = 1 are known after one sweep, though x stands first; u, which
// stands behind v, takes another one.
static void swept(void **unused) {
  (void)unused;
  static const struct {
    const char *variables;
    bool loop, formulas;
    double rate; // after one sweep
  } row[] = {
      {"{u: {value: x + 4}, v: {value: 3*x + u}}", false, true, 17},
      {"{v: {value: 3*x + u}, u: {value: x + 4}}", true, false, 7},
      {"{v: {value: 4*v - 24}}", false, false, 17}, // Newton's step is exact
  };
  for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
    char text[300];
    tr_work *work;
    snprintf(text, sizeof text,
             "trammel: 1\nstates: {x: {initial: 1, rate: 2*v + 1}}\nvariables: %s\n",
             row[k].variables);
    mechanism m = load_text(text);
    tr_state x;
    assert_int_equal(tr_state_new(m.sys, &x, NULL), TR_OK);
    assert_int_equal(tr_work_new(m.sys, &work), TR_OK);
    tr_kinematics(work, 0, x.q, x.v, x.mem, TR_AT_VELOCITY);
    tr_sweep_numbers(work, x.v);
    assert_near(x.v[0], row[k].rate, 1e-12, "rate of the state, %s", row[k].variables);
    assert_int_equal(tr_numbers_loop(m.sys), row[k].loop);
    assert_int_equal(tr_numbers_formulas(m.sys), row[k].formulas);
    tr_work_free(work);
    tr_state_free(m.sys, &x);
    unload(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cascade),
      cmocka_unit_test(filter_orders),
      cmocka_unit_test(filter_under_control),
      cmocka_unit_test(loops),
      cmocka_unit_test(force_by_loop),
      cmocka_unit_test(stiff_pressure),
      cmocka_unit_test(relaxation),
      cmocka_unit_test(integral_of_velocity),
      cmocka_unit_test(joints_in_laws),
      cmocka_unit_test(friction_by_reaction),
      cmocka_unit_test(friction_element),
      cmocka_unit_test(no_solution),
      cmocka_unit_test(by_calls),
      cmocka_unit_test(mistakes),
      cmocka_unit_test(swept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
