// SPDX-License-Identifier: Apache-2.0
// Forces of time alone that switch at moments which no number in the law tells: they are found, whatever the step would be.
//
// A body of 1 kg at rest. Where the force is constant between its jumps v and x follow from when these are, which is found
// here by marching along the force as it is written in C.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_events.h"

static double mod(double a, double b) { return a - b * floor(a / b); }
static double sign(double x) { return (x > 0) - (x < 0); }

static double square(double t) { return 5 * sign(sin(31.41592653589793 * t)); }
static double narrow(double t) { return sin(20 * t) > 0.99 ? 50 : 0; }
static double rare(double t) { return sin(0.1 * t) > 0.9999 ? 500 : 0; }
static double root(double t) { return sqrt(t) > 4 && sqrt(t) < 4.001 ? 500 : 0; }
static double inverse(double t) { return 1 / (t + 1) < 0.05 && 1 / (t + 1) > 0.0499 ? 300 : 0; }
static double powers(double t) { return 5 * (t * t > 2) - 5 * (exp(t) > 10); }
static double nested(double t) { return mod(mod(t, 3), 1.1) < 0.01 ? 100 : 0; }
static double product(double t) { return 2 * sign(sin(10 * t) * cos(3 * t)); }
static double beat(double t) { return 3 * floor(1.5 * sin(7 * t)) + floor(2 * cos(t * t + 1)); }
static double table(double t) { return sin(3 * t) * fabs(sin(3 * t)) > 0.5 ? 4 : -1; }
static double started(double t) { return t > 0 ? 5 : 0; }
static double modulated(double t) {
  return mod(t, 0.01) / 0.01 < 0.5 + 0.4 * sin(6.283185307179586 * t) ? 10 : -10;
}

static const struct {
  const char *law;
  double (*force)(double t);
  double end;
} of[] = {
    {"5*sign(sin(2*pi*5*time))", square, 3},
    {"if(sin(20*time) > 0.99, 50, 0)", narrow, 5},
    {"if(sin(0.1*time) > 0.9999, 500, 0)", rare, 60},
    {"if(sqrt(time) > 4, if(sqrt(time) < 4.001, 500, 0), 0)", root, 60},
    {"if(1/(time + 1) < 0.05, if(1/(time+1) > 0.0499, 300, 0), 0)", inverse, 60},
    {"if(time^2 > 2, 5, 0) - if(exp(time) > 10, 5, 0)", powers, 5},
    {"if(mod(mod(time, 3), 1.1) < 0.01, 100, 0)", nested, 12},
    {"sign(sin(10*time)*cos(3*time))*2", product, 4},
    {"3*floor(1.5*sin(7*time)) + floor(2*cos(time^2 + 1))", beat, 3},
    {"if(sin(3*time)*abs(sin(3*time)) > 0.5, 4, -1)", table, 5},
    {"if(mod(time, 0.01)/0.01 < 0.5 + 0.4*sin(2*pi*time), 10, -10)", modulated, 1.3},
    {"if(mod(time, 0.01) < 0.01*duty, 10, -10)", modulated, 1.3},
    {"voltage", modulated, 1.3},
    {"5*sign(time)", started, 3},
    {"if(time > 0, 5, 0)", started, 3},
    {"if(time <= 0, 100, 5)", started, 3},
    {"if(mod(time, 0.5) > 0, 5, 0)", started, 3},
};
enum { LAWS = sizeof of / sizeof *of };

// x and v at the end; f is constant between places that are found by halving.
static void march(double (*f)(double), double end, double *x, double *v) {
  enum { PLACES = 400000 };
  double from = 0;
  *x = *v = 0;
  for (int i = 0; i < PLACES; i++) {
    double a = end * (i + 0.5) / PLACES, b = end * (i + 1.5) / PLACES, force = f(a);
    bool last = i == PLACES - 1;
    if (!last && f(b) == force) continue;
    for (int k = 0; k < 60; k++) {
      double c = 0.5 * (a + b);
      if (f(c) == force)
        a = c;
      else
        b = c;
    }
    double h = (last ? end : b) - from;
    *x += *v * h + 0.5 * force * h * h, *v += force * h, from = b;
  }
}

static tr_run_info push(const char *law, const char *method, double tol, double end, double *x,
                        double *v) {
  char text[900];
  tr_error error = {0};
  snprintf(text, sizeof text,
           "trammel: 1\nbodies: {cart: {type: planar, mass: 1, inertia: 1}}\n"
           "joints: {rail: {type: prismatic, markers: [ground, cart]}}\n"
           "variables:\n  duty: {value: \"0.5 + 0.4*wave\"}\n"
           "  wave: {value: \"sin(2*pi*time)\"}\n"
           "  voltage: {value: \"if(mod(time, 0.01) < 0.01*duty, 10, -10)\"}\n"
           "forces: {push: {type: force, markers: [cart], force: [\"%s\", 0]}}\n",
           law);
  if (!strstr(law, "duty") && !strstr(law, "voltage")) {
    char *from = strstr(text, "variables"), *to = strstr(text, "forces");
    memmove(from, to, strlen(to) + 1);
  }
  tr_system *sys = system_of_text(text);
  tr_run_settings s = tr_run_defaults();
  tr_run *run;
  s.method = method, s.control.tol = tol, s.end = end;
  if (tr_run_new(sys, &s, NULL, &run, &error) != TR_OK || tr_run_all(run, &error) != TR_OK)
    fail_msg("%s, %s: %s", method, law, error.text);
  assert_true(tr_run_state(run)->t == end);
  *x = tr_run_state(run)->q[0], *v = tr_run_state(run)->v[0];
  tr_run_info info = tr_run_describe(run);
  tr_run_free(run);
  tr_system_free(sys);
  return info;
}

// All methods, at all tolerances: velocities as good as the moments, which are known to the last digits; positions are
// what the method makes of parabolas.
static void test_laws(void **state) {
  (void)state;
  static const char *const methods[] = {"hht-i3",  "hht-si2", "nstiff",   "newmark",
                                        "ggl-bdf", "cs",      "cm",       "gen-alpha",
                                        "radau5",  "pfpc2",   "baumgarte"};
  static const double tols[] = {1e-3, 1e-5, 1e-8};
  for (int i = 0; i < LAWS; i++) {
    double X, V, x, v;
    march(of[i].force, of[i].end, &X, &V);
    for (int m = 0; m < 11; m++)
      for (int k = 0; k < 3; k++) {
        if (!in_turn(i + m, k, 6)) continue;
        bool number = strstr(of[i].law, "voltage"); // one that reads another
        push(of[i].law, methods[m], tols[k], of[i].end, &x, &v);
        double off = fabs(v - V) / fmax(1, fabs(V)), away = fabs(x - X) / fmax(1, fabs(X));
        if (!(off < (number ? tols[k] : 1e-9) && away < 10 * tols[k]))
          fail_msg("%s, %s, %g: v %.9g, not %.9g; x %.9g, not %.9g", methods[m], of[i].law, tols[k],
                   v, V, x, X);
      }
  }
}

// Kinks between which a force rises and falls, of a body at rest: max(|sin 4t| - 4/5, 0) for 5 s.
static void test_dead_band(void **state) {
  (void)state;
  static const char *const methods[] = {"hht-i3", "ggl-bdf", "radau5", "gen-alpha"};
  double V = 0, a = 0.25 * asin(0.8), quarter = 0.25 * acos(-1), x, v; // pi/4: half of a period
  for (int n = 0; n * quarter + a < 5; n++) {
    double from = a, to = fmin(quarter - a, 5 - n * quarter);
    V += 40 * (0.25 * (cos(4 * from) - cos(4 * to)) - 0.8 * (to - from));
  }
  for (int m = 0; m < 4; m++) {
    push("max(abs(sin(4*time)) - 0.8, 0)*40", methods[m], 1e-4, 5, &x, &v);
    if (!(fabs(v - V) < 0.03 * V)) fail_msg("%s: %g m/s, not %g", methods[m], v, V);
  }
}

// Half waves, 159 of them in 10 s: 2/50 m/s each. Steps from kink to kink would feel none.
static void test_half_waves(void **state) {
  (void)state;
  static const char *const methods[] = {"hht-i3", "ggl-bdf", "radau5", "nstiff"};
  for (int m = 0; m < 4; m++)
    for (double tol = 1e-2; tol > 1e-5; tol *= 0.1) {
      double x, v;
      tr_run_info info = push("max(sin(50*time), 0)", methods[m], tol, 10, &x, &v);
      assert_near(v, 3.2, 0.16, "%s, tol %g", methods[m], tol);
      if (info.steps > 600) fail_msg("%s, tol %g: %ld steps", methods[m], tol, info.steps);
    }
}

// An arm with a pendulum, driven along a law whose kinks make velocities jump: from some time on only, or in a train. No
// step has to be tried again to find them.
static void test_kinks_of_drives(void **state) {
  (void)state;
  static const char *const laws[] = {"step(time, 1.3, 0, 1.5, 1)*0.2*abs(sin(20*time))",
                                     "step(time, 2.5, 0, 2.7, 1)*0.2*abs(sin(20*time))",
                                     "0.2*abs(mod(time, 0.5) - 0.25)"};
  static const char *const methods[] = {"radau5", "hht-si2", "hht-i3", "ggl-bdf"};
  for (int i = 0; i < 3; i++) {
    char text[900];
    snprintf(
        text, sizeof text,
        "trammel: 1\ngravity: [0, -9.81]\n"
        "bodies:\n"
        "  arm: {type: planar, mass: 2, inertia: 0.2, com: [0.5, 0]}\n"
        "  bob: {type: planar, mass: 1, inertia: 0.05, com: [0.3, 0], position: [1, 0]}\n"
        "markers: {e: {body: arm, at: [1, 0]}}\n"
        "joints:\n"
        "  j1: {type: revolute, markers: [ground, arm]}\n"
        "  j2: {type: revolute, markers: [e, bob]}\n"
        "  drv: {type: motion, joint: j1, position: \"%s\"}\n"
        "forces: {d: {type: torsion-spring, markers: [arm, bob], stiffness: 3, damping: 0.3}}\n"
        "simulation: {end: 4}\n",
        laws[i]);
    tr_system *sys = system_of_text(text);
    double truth = 0;
    for (int m = 0; m < 5; m++) {
      tr_run_settings s = tr_run_defaults();
      tr_error error = {0};
      tr_run *run;
      const char *method = methods[m > 0 ? m - 1 : 0];
      s.method = method, s.control.tol = m > 0 ? 1e-5 : 1e-9, s.end = 4;
      if (tr_run_new(sys, &s, NULL, &run, &error) || tr_run_all(run, &error))
        fail_msg("%s, %s: %s", laws[i], method, error.text);
      double omega = tr_run_state(run)->v[5];
      if (m == 0) truth = omega;
      assert_near(omega, truth, m == 1 ? 2e-5 : 5e-3, "%s, %s", laws[i], method);
      if (tr_run_describe(run).rejected > 12)
        fail_msg("%s, %s: %ld rejected", laws[i], method, tr_run_describe(run).rejected);
      tr_run_free(run);
    }
    tr_system_free(sys);
  }
}

// Steps end at kinks however short they are: radau5 does not see them inside. The integral of 6 ||sin 4t| - 1/2|.
static void test_kinks_in_short_steps(void **state) {
  (void)state;
  double x, v[4];
  for (int k = 0; k < 4; k++)
    push("6*abs(abs(sin(4*time)) - 0.5)", "radau5", pow(10, -6 - k), 4, &x, &v[k]);
  for (int k = 0; k < 3; k++) assert_near(v[k], v[3], 1e-8, "tolerance 1e-%d", 6 + k);
}

// Half waves that come to an end, die away, are nothing beside the motion, or come in short pulses with long pauses: steps
// grow where there is nothing to follow.
static void test_waves_end(void **state) {
  (void)state;
  static const struct {
    const char *law;
    long most;
  } cases[] = {{"max(sin(60*time), 0)*(time < 2)", 300},
               {"max(sin(60*time), 0)*exp(-5*time)", 1000},
               {"1e-12*max(sin(60*time), 0)", 40},
               {"max(sin(5*time) - 0.99, 0)*100", 1600}};
  for (int i = 0; i < 4; i++)
    for (int m = 0; m < 2; m++) {
      double x, v;
      const char *method = m ? "radau5" : "hht-i3";
      tr_run_info info = push(cases[i].law, method, 1e-3, 100, &x, &v);
      if (info.steps > cases[i].most) fail_msg("%s, %s: %ld", cases[i].law, method, info.steps);
    }
}

// What nobody feels costs nothing, or little; and is found when it begins to be felt.
static void test_unfelt(void **state) {
  (void)state;
  double x, v;
  static const char *const laws[] = {
      "sin(time) + 1e-9*sign(sin(3000*time))", "sin(time) + 1e-9*abs(sin(3000*time))",
      "sin(time) + 0.001*abs(sin(3000*time))", "abs(sin(3000*time))",
      "sin(3000*time)*sign(sin(3000*time))",   "sin(time) + 1e-9*sign(sin(1e6*time))",
      "sin(time)*(1 + 0*sign(sin(time) - 1))", "sin(time) + 1e-9*floor(step5(time, 1, 0, 2, 1))"};
  for (int i = 0; i < 8; i++) {
    tr_run_info info = push(laws[i], "hht-i3", 1e-4, 10, &x, &v);
    if (info.steps > 400) fail_msg("%s: %ld steps", laws[i], info.steps);
  }
  tr_run_info info =
      push("if(time > 0.9, if(sin(6000*time) > 0, 50, 0), 0)", "hht-i3", 1e-3, 1, &x, &v);
  assert_near(v, 2.5, 0.03, "turned on");
  if (info.steps > 1500) fail_msg("%ld steps", info.steps);
}

// The voltage of a motor follows a duty that depends on the motion: where its edges are is found in the steps, each
// of them more than once, and steps do not stay as short as that.
static void test_moving_edges(void **state) {
  (void)state;
  double angle[2];
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "parameters: {Tc: 0.005, U: 24, R: 1, Lm: 2e-3, k: 2}\n"
      "gravity: [0, -9.81]\n"
      "bodies: {arm: {type: planar, mass: 2, inertia: 0.06, com: [0, -0.3]}}\n"
      "joints: {h: {type: revolute, markers: [ground, arm]}}\n"
      "states: {cur: {rate: \"(v - R*cur - k*WZ(arm))/Lm\"}}\n"
      "variables:\n"
      "  duty: {value: \"0.5 + 0.1*sin(AZ(arm)) + 0.2*sin(3*time)\"}\n"
      "  v: {value: \"if(mod(time, Tc) < duty*Tc, U, -U)\"}\n"
      "forces: {m: {type: torque, markers: [arm], torque: k*cur}}\n");
  for (int i = 0; i < 2; i++) {
    tr_run_settings s = tr_run_defaults();
    tr_run *run;
    s.method = "hht-i3", s.control.tol = i ? 1e-6 : 1e-4, s.end = 0.2;
    assert_int_equal(tr_run_new(sys, &s, NULL, &run, NULL), TR_OK);
    assert_int_equal(tr_run_all(run, NULL), TR_OK);
    angle[i] = tr_run_state(run)->q[2];
    if (tr_run_describe(run).steps > 40000) fail_msg("%ld steps", tr_run_describe(run).steps);
    tr_run_free(run);
  }
  assert_near(angle[0], angle[1], 1e-3, "angle");
  tr_system_free(sys);
}

// A kink of a drive is a jump of its rate, and velocities jump with it; against radau5 at 1e-9.
static void test_driven_kinks(void **state) {
  (void)state;
  static const char *const methods[] = {"radau5",    "hht-i3",  "hht-si2",
                                        "gen-alpha", "ggl-bdf", "cs"};
  double angle = 0;
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  arm: {type: planar, mass: 2, inertia: 0.2, com: [0.5, 0]}\n"
      "  bob: {type: planar, mass: 1, inertia: 0.05, com: [0.3, 0], position: [1, 0]}\n"
      "markers: {e: {body: arm, at: [1, 0]}}\n"
      "joints:\n"
      "  j1: {type: revolute, markers: [ground, arm]}\n"
      "  j2: {type: revolute, markers: [e, bob]}\n"
      "  drv: {type: motion, joint: j1, position: \"max(sin(3*time), 0.2)\"}\n"
      "forces: {d: {type: torsion-spring, markers: [arm, bob], stiffness: 3, damping: 0.3}}\n");
  for (int m = 0; m < 6; m++) {
    tr_run_settings s = tr_run_defaults();
    tr_error error = {0};
    tr_run *run;
    s.method = methods[m], s.control.tol = m ? 1e-5 : 1e-9, s.end = 4;
    assert_int_equal(tr_run_new(sys, &s, NULL, &run, NULL), TR_OK);
    if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", methods[m], error.text);
    double at = tr_run_state(run)->q[5];
    if (m == 0) angle = at;
    if (!(fabs(at - angle) < 2e-3)) fail_msg("%s: %g, not %g", methods[m], at, angle);
    tr_run_free(run);
  }
  tr_system_free(sys);
}

// A table of more knots than are told beforehand makes an arm tremble, then turn at once: the angle and the velocity of a
// bob at its end. Between knots the pin P has P'' = -s^2 P, at each of them its velocity jumps by dP':
//   J w' = -m c n.(P'' + g),   J dw = -m c n.dP',   n = (-sin a, cos a)
enum { KNOTS = 81 };
static double knot(int i) { return 0.001 * (i % 2) + 12 * fmax(0, i - 40) / (KNOTS - 1); }

static double at_pin(double a, double x, double y) {
  return -0.3 * (cos(a) * y - sin(a) * x) / (0.05 + 0.09);
}

static double pull(double a, double arm, double s) {
  return at_pin(a, -s * s * cos(arm), 9.81 - s * s * sin(arm));
}

static void follow_bob(double *a, double *w) {
  enum { PARTS = 200 };
  double s = 0, h = 1.0 / (KNOTS - 1) / PARTS;
  *a = *w = 0;
  for (int i = 0; i < KNOTS - 1; i++) {
    double to = (knot(i + 1) - knot(i)) * (KNOTS - 1), arm = knot(i);
    *w += at_pin(*a, -(to - s) * sin(arm), (to - s) * cos(arm)), s = to;
    for (int k = 0; k < PARTS; k++, arm += s * h) { // the classical scheme
      double mid = arm + 0.5 * s * h, w1 = *w, k1 = pull(*a, arm, s);
      double w2 = w1 + 0.5 * h * k1, k2 = pull(*a + 0.5 * h * w1, mid, s);
      double w3 = w1 + 0.5 * h * k2, k3 = pull(*a + 0.5 * h * w2, mid, s);
      double w4 = w1 + h * k3, k4 = pull(*a + h * w3, arm + s * h, s);
      *a += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4), *w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
  }
}

static void test_long_table(void **state) {
  (void)state;
  static const struct {
    const char *method;
    double tol, near;
  } row[] = {{"radau5", 1e-3, 0.3},  {"radau5", 1e-5, 3e-3},  {"radau5", 1e-7, 1e-5},
             {"hht-i3", 1e-5, 3e-3}, {"hht-si2", 1e-5, 3e-3}, {"hht-si2", 1e-7, 1e-4},
             {"cs", 1e-5, 1e-2},     {"ggl-bdf", 1e-5, 1e-2}};
  char text[6000];
  double a, w;
  int n = snprintf(text, sizeof text, "trammel: 1\ngravity: [0, -9.81]\ndata:\n  way:\n    x: [0");
  for (int i = 1; i < KNOTS; i++)
    n += snprintf(text + n, sizeof text - (size_t)n, ", %.17g", i / (KNOTS - 1.0));
  n += snprintf(text + n, sizeof text - (size_t)n, "]\n    y: [0");
  for (int i = 1; i < KNOTS; i++)
    n += snprintf(text + n, sizeof text - (size_t)n, ", %.17g", knot(i));
  snprintf(text + n, sizeof text - (size_t)n,
           "]\n    kind: linear\n"
           "bodies:\n"
           "  arm: {type: planar, mass: 2, inertia: 0.2, com: [0.5, 0]}\n"
           "  bob: {type: planar, mass: 1, inertia: 0.05, com: [0.3, 0], position: [1, 0]}\n"
           "markers: {e: {body: arm, at: [1, 0]}}\n"
           "joints:\n"
           "  j1: {type: revolute, markers: [ground, arm]}\n"
           "  j2: {type: revolute, markers: [e, bob]}\n"
           "  drive: {type: motion, joint: j1, position: way(time)}\n"
           "simulation: {end: 1}\n");
  tr_system *sys = system_of_text(text);
  follow_bob(&a, &w);
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    tr_run *run = start_run(sys, row[i].method, NAN, row[i].tol);
    finish(run, row[i].method);
    assert_near(at_end(sys, run, "bob.angle"), a, row[i].near, "%s, %g", row[i].method, row[i].tol);
    assert_near(at_end(sys, run, "bob.omega"), w, 100 * row[i].near, "%s, %g: omega", row[i].method,
                row[i].tol);
    tr_run_free(run);
  }
  tr_system_free(sys);
}

// Laws that read parameters which an event sets tell other instants from then on: pulses of 1 m/s each.
static void test_set_by_events(void **state) {
  (void)state;
  static const char *const methods[] = {"hht-i3", "hht-si2", "nstiff",    "ggl-bdf",
                                        "radau5", "pfpc2",   "gen-alpha", "baumgarte"};
  static const struct {
    const char *law, *event;
    double v;
  } row[] = {
      {"if(mod(time, T) < 0.001, 1000, 0)", "when: time - 10, set: {T: 7}", 8}, // 0, 14, 21 .. 56
      {"if(time > t0 + 20, 1000, 0)*if(time < t0 + 20.001, 1, 0)",
       "when: time - 10, set: {t0: time}", 1},
      {"if(abs(sqrt(time) - 3 - n) < 1e-5, 1/12e-5, 0)", "when: time - 10, set: {n: 3}", 3},
      {"pulse", "when: time - 10, set: {T: 7}", 8},
      {"n*if(mod(time, 3) < 0.001, 1000, 0)", "when: time - 40, set: {n: 1}", 6}, // 42 .. 57
      {"if(mod(floor(time/T), 2) > 0, 1, -1)", "when: time - 10, set: {T: 5}", -10},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    char text[900];
    snprintf(text, sizeof text,
             "trammel: 1\nparameters: {T: 100, t0: 1000, n: 0}\n"
             "bodies: {cart: {type: planar, mass: 1, inertia: 1}}\n"
             "joints: {rail: {type: prismatic, markers: [ground, cart]}}\n"
             "variables: {pulse: {value: \"if(mod(time, T) < 0.001, 1000, 0)\"}}\n"
             "forces: {push: {type: force, markers: [cart], force: [\"%s\", 0]}}\n"
             "events: {go: {%s}}\nsimulation: {end: 60}\n",
             row[i].law, row[i].event);
    tr_system *sys = system_of_text(text);
    for (int m = 0; m < 8; m++)
      for (int k = 0; k < 2; k++) {
        if (!in_turn((int)i + m, k, 2)) continue;
        tr_run *run = start_run(sys, methods[m], NAN, k ? 1e-7 : 1e-3);
        tr_state first;
        assert_int_equal(tr_state_new(sys, &first, NULL), TR_OK);
        for (int again = 0; again < 2; again++) { // from the start, with parameters as they were
          if (again) assert_int_equal(tr_run_restart(run, &first, NULL), TR_OK);
          finish(run, methods[m]);
          assert_near(tr_run_state(run)->v[0], row[i].v, 1e-6, "%s, %s", methods[m], row[i].law);
        }
        tr_state_free(sys, &first);
        tr_run_free(run);
      }
    tr_system_free(sys);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_laws),
      cmocka_unit_test(test_dead_band),
      cmocka_unit_test(test_half_waves),
      cmocka_unit_test(test_waves_end),
      cmocka_unit_test(test_kinks_of_drives),
      cmocka_unit_test(test_kinks_in_short_steps),
      cmocka_unit_test(test_unfelt),
      cmocka_unit_test(test_moving_edges),
      cmocka_unit_test(test_driven_kinks),
      cmocka_unit_test(test_set_by_events),
      cmocka_unit_test(test_long_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
