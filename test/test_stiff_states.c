// SPDX-License-Identifier: Apache-2.0
// States with small time constants, filters of sensors and currents of motors, by radau5: as good as what they read, and
// steps as long as the motion allows, however stiff they are.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_machine.h"

// A pendulum, 0.19 W' = -0.3 9.81 cos th + torque, as three coordinates on a hinge.
#define PENDULUM                                                             \
  "gravity: [0, -9.81]\n"                                                    \
  "bodies: {p: {type: planar, mass: 1, inertia: 0.1, position: [0.3, 0]}}\n" \
  "joints: {h: {type: revolute, bodies: [ground, p], at: [0, 0]}}\n"

// f' = (W - f)/T, torque -0.3 f
static const char sensor[] = "trammel: 1\nparameters: {T: 1e-6}\n" PENDULUM
                             "states: {f: {rate: \"(WZ(p) - f)/T\"}}\n"
                             "forces: {t: {type: torque, markers: [p], torque: \"-0.3*f\"}}\n";
// f' = (sin 3t - f)/T, torque f - 0.3 W
static const char signal[] =
    "trammel: 1\nparameters: {T: 1e-6}\n" PENDULUM
    "states: {f: {rate: \"(sin(3*time) - f)/T\"}}\n"
    "forces: {t: {type: torque, markers: [p], torque: \"f - 0.3*WZ(p)\"}}\n";
// T f' = 12 sin 2t - f - 0.1 W, torque 0.1 f
static const char motor[] = "trammel: 1\nparameters: {T: 1e-6}\n" PENDULUM
                            "states: {f: {rate: \"(12*sin(2*time) - f - 0.1*WZ(p))/T\"}}\n"
                            "forces: {t: {type: torque, markers: [p], torque: 0.1*f}}\n";

// f as it follows the rest, f = F - T F' + O(T^2), and c W' = .. with what of F' is in it:
//   sensor  F = W                  signal  F = sin 3t              motor  F = 12 sin 2t - 0.1 W
typedef struct law {
  const char *text;
  double amplitude, rate, of_W; // F = amplitude sin(rate t) + of_W W
  double gain, damping;         // torque = gain f - damping W
} law;

static const law laws[] = {
    {sensor, 0, 0, 1, -0.3, 0}, {signal, 1, 3, 0, 1, 0.3}, {motor, 12, 2, -0.1, 0.1, 0}};

static double slope(const law *l, double T, double t, double th, double W) {
  double F = l->amplitude * sin(l->rate * t) + l->of_W * W;
  double torque = l->gain * (F - T * l->amplitude * l->rate * cos(l->rate * t)) - l->damping * W;
  return (-0.3 * 9.81 * cos(th) + torque) / (0.19 + l->gain * T * l->of_W);
}

// th, W, f at a time, by Runge-Kutta on that.
static void follow(const law *l, double T, double end, double y[3]) {
  int steps = (int)lround(end * 1e4);
  double h = end / steps;
  y[0] = y[1] = 0;
  for (int n = 0; n < steps; n++) {
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double d[2] = {0}, sum[2] = {0};
    for (int j = 0; j < 4; j++) {
      double th = y[0] + at[j] * h * d[0], W = y[1] + at[j] * h * d[1];
      d[0] = W, d[1] = slope(l, T, (n + at[j]) * h, th, W);
      for (int i = 0; i < 2; i++) sum[i] += weight[j] * d[i];
    }
    for (int i = 0; i < 2; i++) y[i] += h / 6 * sum[i];
  }
  double t = end, slow = l->amplitude * l->rate * cos(l->rate * t);
  y[2] = l->amplitude * sin(l->rate * t) + l->of_W * y[1] -
         T * (slow + l->of_W * slope(l, T, t, y[0], y[1]));
}

static machine begin(const law *l, double T, double h, double tol, double max_step, double end) {
  char text[1000], value[32];
  const char *mark = strstr(l->text, "1e-6");
  snprintf(value, sizeof value, "%g", T);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(mark - l->text), l->text, value, mark + 4);
  machine k = {.m = load_text(text)};
  tr_run_settings s = tr_run_defaults();
  s.method = "radau5", s.step = h, s.end = end, s.control.tol = tol;
  s.control.max_step = max_step;
  k.run = begin_run(k.m.sys, &s);
  return k;
}

// All three of order 5, the state too: what stabilised positions are moved by besides the velocities is none of its.
static void states_have_the_order(void **unused) {
  (void)unused;
  double T = 1e-6, y[3];
  for (int i = 0; i < 3; i++) {
    double before = 0;
    follow(&laws[i], T, 1, y);
    for (int n = 20; n <= 80; n *= 2) {
      machine k = begin(&laws[i], T, 1.0 / n, 0, 0, 1);
      go_to(&k, 1);
      double W = fabs(read_output(&k, "p.omega") - y[1]), f = fabs(read_output(&k, "f") - y[2]);
      stop(&k);
      assert_true(f < fmax(1.5 * W, 1e-9));
      if (n > 20) assert_true(W < 1e-9 || W < before / 24);
      before = W;
    }
  }
}

// Steps do not depend on the time constant, and no iteration fails.
static void long_steps(void **unused) {
  (void)unused;
  static const double constant[] = {1e-3, 1e-4, 1e-6, 1e-8};
  double end = or_less(5, 2), y[3];
  for (int i = 0; i < 3; i++)
    for (double tol = 1e-6; tol > or_less(1e-11, 1e-9); tol *= 1e-2) {
      long first = 0;
      for (int j = 0; j < 4; j++) {
        machine k = begin(&laws[i], constant[j], NAN, tol, 0, end);
        go_to(&k, end);
        tr_run_info info = tr_run_describe(k.run);
        assert_int_equal(info.newton_failures, 0);
        if (j == 0) first = info.steps;
        assert_true(info.steps < 1.25 * (double)first + 50);
        follow(&laws[i], constant[j], end, y);
        // the reference is off by T^2
        double off = constant[j] < 1e-5 ? 10 * tol : INFINITY;
        assert_near(read_output(&k, "p.angle"), y[0], off, "%d, %g, %g", i, constant[j], tol);
        assert_near(read_output(&k, "f"), y[2], 10 * off, "%d, %g, %g", i, constant[j], tol);
        stop(&k);
      }
    }
}

// Between steps the state is where it follows the rest, too: the steps are 1e4 time constants long, and what X' is off,
// over one, must not bend the curve.
typedef struct look {
  tr_observer base;
  const tr_system *sys;
  const law *l;
  double T, most;
} look;

static tr_status look_at(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  look *k = (look *)self;
  const law *l = k->l;
  (void)info;
  if (x->t < 0.01) return TR_OK; // it starts where it is not
  double th = output(k->sys, x, "p.angle"), W = output(k->sys, x, "p.omega");
  double slow = l->amplitude * l->rate * cos(l->rate * x->t);
  double f = l->amplitude * sin(l->rate * x->t) + l->of_W * W -
             k->T * (slow + l->of_W * slope(l, k->T, x->t, th, W));
  k->most = fmax(k->most, fabs(output(k->sys, x, "f") - f));
  return TR_OK;
}

static void between_steps(void **unused) {
  (void)unused;
  for (int i = 0; i < 3; i++)
    for (double tol = 1e-4; tol > 1e-9; tol *= 1e-2) {
      machine k = begin(&laws[i], 1e-6, NAN, tol, 0, 2);
      look observer = {{.step = look_at, .spacing = 1e-3}, k.m.sys, &laws[i], 1e-6, 0};
      assert_int_equal(tr_run_observe(k.run, &observer.base), TR_OK);
      go_to(&k, 2);
      assert_near(observer.most, 0, 20 * tol, "%d at %g", i, tol);
      stop(&k);
    }
}

// Short steps ask for less than round-off leaves of the rate.
static void short_steps(void **unused) {
  (void)unused;
  for (int i = 0; i < 3; i++) {
    machine k = begin(&laws[i], 1e-5, NAN, 1e-4, 1e-3, 2);
    go_to(&k, 2);
    tr_run_info info = tr_run_describe(k.run);
    assert_int_equal(info.newton_failures, 0);
    assert_true(info.steps < 2100);
    stop(&k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states_have_the_order),
      cmocka_unit_test(long_steps),
      cmocka_unit_test(between_steps),
      cmocka_unit_test(short_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
