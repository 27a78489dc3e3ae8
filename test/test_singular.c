// SPDX-License-Identifier: Apache-2.0
// Passing singular positions: neither failure nor a change of branch, with fixed steps and under error
// control.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_machine.h"
#include "math/v3.h"

// ---- IFToMM A02 -----------------------------------------------------------------------------------

// th'' = -k cos th by Runge-Kutta.
static double swung(double k, double th0, double w0, double end) {
  double y[2] = {th0, w0};
  int steps = (int)lround(end * 1e4);
  double h = end / steps;
  for (int n = 0; n < steps; n++) {
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double d[2] = {0}, sum[2] = {0};
    for (int j = 0; j < 4; j++) {
      double th = y[0] + at[j] * h * d[0], w = y[1] + at[j] * h * d[1];
      d[0] = w, d[1] = -k * cos(th);
      for (int i = 0; i < 2; i++) sum[i] += weight[j] * d[i];
    }
    for (int i = 0; i < 2; i++) y[i] += h / 6 * sum[i];
  }
  return y[0];
}

// All uprights turn alike: ((N + 1)/3 + N) L th'' = -((N + 1)/2 + N) g cos th.
static double upright_angle(int N, double end) {
  return swung(9.81 * ((N + 1) / 2. + N) / ((N + 1) / 3. + N), TR_PI / 2, -1, end);
}

// Where the published exact solutions end.
static void the_angle_is_right(void **unused) {
  (void)unused;
  static const struct {
    int N;
    double x, y;
  } end[] = {{1, 0.478385057761, 0.878150178791},
             {2, 0.328458111541, 0.944518538179},
             {10, 0.204353560990, 0.978897145828}};
  for (int i = 0; i < 3; i++) {
    double th = upright_angle(end[i].N, 10);
    assert_near(cos(th), end[i].x, 1e-9, "x, N = %d", end[i].N);
    assert_near(sin(th), end[i].y, 1e-9, "y, N = %d", end[i].N);
  }
}

static machine windows_up_to(double max_step, int N, const char *method, double step, double tol,
                             double end) {
  char set[32];
  snprintf(set, sizeof set, "N=%d", N);
  machine k = {.m = load_model("four_bar_chain.yaml", (const char *const[]){set, NULL})};
  tr_run_settings s = tr_run_defaults();
  s.method = method, s.step = step, s.end = end, s.control.tol = tol;
  s.control.max_step = max_step;
  k.run = begin_run(k.m.sys, &s);
  return k;
}

static machine windows(int N, const char *method, double step, double tol, double end) {
  return windows_up_to(0, N, method, step, tol, end);
}

// The uprights stay parallel, and turn as they should.
static void follow(machine *k, int N, double end, int points, double tol) {
  char last[32];
  snprintf(last, sizeof last, "upright_%d.angle", N);
  for (int i = 1; i <= points; i++) {
    double t = end * i / points, want = upright_angle(N, t);
    go_to(k, t);
    double first = read_output(k, "upright_0.angle");
    assert_near(first, want, tol, "N = %d: angle at %g s", N, t);
    assert_near(read_output(k, last), first, fmin(tol, 1e-5), "N = %d: parallel at %g s", N, t);
  }
}

static void windows_at_fixed_steps(void **unused) {
  (void)unused;
  static const int count[] = {1, 2, 10, 100};
  double end = or_less(10, 3);
  for (int i = 0; i < 4; i++) {
    machine k = windows(count[i], "hht-i3:alpha=-0.1", 1e-3, 0, end);
    follow(&k, count[i], end, 10, 2e-3);
    stop(&k);
  }
  // four passes of a long one
  end = or_less(4, 1);
  machine k = windows(400, "hht-i3:alpha=-0.1", 2e-3, 0, end);
  follow(&k, 400, end, 4, 2e-2);
  stop(&k);
}

// By other methods, those that hold velocities too among them.
static void windows_by_other_methods(void **unused) {
  (void)unused;
  static const char *const methods[] = {
      "gen-alpha:rho=0.8",  "nstiff",     "gen-alpha:rho=0.8,index=2",
      "hht-si2:alpha=-0.1", "nstiff-si2", "ggl-bdf"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    for (int N = 1; N <= 10; N += 9) {
      machine k = windows(N, methods[i], 1e-3, 0, 3);
      follow(&k, N, 3, 6, 1e-3);
      stop(&k);
    }
}

// Where the steps hit the line is chance. Next to it round-off is all that moves the corrections, and of some signs the
// matrix makes little.
static void windows_hit_by_chance(void **unused) {
  (void)unused;
  static const char *const methods[] = {"hht-si2", "nstiff-si2"};
  static const int count[] = {4, 10, 15};
  for (int i = 0; i < 2 * 3 * 4; i++) {
    if (!in_turn(i / 4, i, 2)) continue;
    double step = 1e-3 * (0.8 + 0.1 * (i % 4));
    machine k = windows(count[i / 8], methods[i / 4 % 2], step, 0, 4);
    follow(&k, count[i / 8], 4, 2, 2e-3);
    stop(&k);
  }
}

// A kilometre of windows: on the line round-off of the far coordinates is all that moves the corrections. A solution that
// is nothing but noise there shows in the energy: 2.5 J of 15.4 kJ with matrices from the line itself.
static void a_thousand_windows(void **unused) {
  (void)unused;
  static const char *const methods[] = {"hht-i3:alpha=-0.1", "hht-i3", "hht-si2", "nstiff-si2",
                                        "gen-alpha:rho=0.8,index=2"};
  int count = (int)or_less(1000, 120);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    machine k = windows(count, methods[i], 1e-3, 0, 0.75);
    follow(&k, count, 0.75, 1, 1e-3);
    tr_run_info info = tr_run_describe(k.run);
    if (!(info.max_energy_change < 5e-5 * info.energy0))
      fail_msg("%s: energy off by %g of %g J", methods[i], info.max_energy_change, info.energy0);
    stop(&k);
  }
}

// Steps that end within 6e-6 of the line. By a matrix from there, where the one at hand had brought corrections down to
// round-off already, windows lost up to 2e-5 of their energy in two steps.
static void steps_onto_the_line(void **unused) {
  (void)unused;
  static const struct {
    int count;
    const char *method;
  } c[] = {{900, "hht-si2:alpha=-0.065"}, {900, "hht-si2:alpha=-0.1"},
           {1000, "hht-si2:alpha=-0.12"}, {1000, "hht-si2:alpha=-0.18"},
           {900, "hht-si2:alpha=-0.12"},  {1000, "hht-i3:alpha=-0.05"}};
  for (int i = 0; i < 6; i++) {
    double change[2], end[2] = {0.715, 0.73};
    if (!in_turn(0, i, 6)) continue;
    for (int j = 0; j < 2; j++) {
      machine k = windows(c[i].count, c[i].method, 1e-3, 0, end[j]);
      follow(&k, c[i].count, end[j], 1, 1e-3);
      tr_run_info info = tr_run_describe(k.run);
      change[j] = info.max_energy_change / info.energy0;
      stop(&k);
    }
    if (!(change[1] - change[0] < 2.5e-6))
      fail_msg("%s: energy off by %g, by %g before", c[i].method, change[1], change[0]);
  }
}

// Next to the line a solve leaves velocities open, at positions that have moved far since the matrix was made.
static void velocities_of_a_thousand_windows(void **unused) {
  (void)unused;
  static const char *const methods[] = {"hht-si2:alpha=-0.1", "nstiff-si2"};
  int count = (int)or_less(1000, 100);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    machine k = windows(count, methods[i], 1e-3, 0, 3.3);
    follow(&k, count, 3.3, 1, 1e-3);
    assert_near(tr_run_describe(k.run).max_phi_v, 0, 1e-5, "%s: G v", methods[i]);
    stop(&k);
  }
}

static void windows_within_a_tolerance(void **unused) {
  (void)unused;
  static const int count[] = {1, 2, 10, 100};
  for (int i = 0; i < 4; i++) {
    machine k = windows(count[i], "hht-i3:alpha=-0.1", NAN, 1e-7, 3);
    // 100 windows: 1e-3 .. 3e-3 at 3 s, for what sequence of steps the instants of looking make; 8e-8 .. 1.2e-7
    // without looking 2.4e-3 .. 3.2e-3
    follow(&k, count[i], 3, 6, 4e-3);
    stop(&k);
  }
}

// What round-off does next to the line depends on the signs that it has in the rows of a loop, and those of one draw may
// cancel: with the numbering of a single window they do so. At tolerances where nothing but round-off is left to end
// the iteration, and with steps that are short for another reason.
static void windows_to_the_last_digit(void **unused) {
  (void)unused;
  static const struct { double tol, max_step; } c[] = {{1e-10, 0}, {1e-11, 0}, {1e-4, 1e-3}};
  double end = or_less(10, 3);
  for (int i = 0; i < 3; i++) {
    long steps[2];
    for (int N = 1; N <= 2; N++) {
      machine k = windows_up_to(c[i].max_step, N, "radau5", NAN, c[i].tol, end);
      follow(&k, N, end, 6, 1e-8);
      tr_run_info info = tr_run_describe(k.run);
      assert_int_equal(info.newton_failures, 0);
      steps[N - 1] = info.steps;
      stop(&k);
    }
    assert_true(steps[0] < 2 * steps[1]);
  }
}

// ---- others ---------------------------------------------------------------------------------------

// Crank and rod of one length: in the middle the slider may stay with the rod turning along, or go on;
// it has the speed to go on: s = 2 r cos th.
static void slider_crank_in_the_middle(void **unused) {
  (void)unused;
  for (int control = 0; control < 2; control++) {
    machine k = {.m = load_text(
                     "trammel: 1\ngravity: [0, -9.81]\nparameters: {th: 45 deg, w: 6}\nbodies:\n"
                     "  crank: {type: planar, mass: 1, inertia: 0.2, position: [cos(th)/2, "
                     "sin(th)/2], angle: th, omega: w, keep: [omega]}\n"
                     "  rod: {type: planar, mass: 1, inertia: 0.1, position: [1.5*cos(th), "
                     "sin(th)/2], angle: -th}\n"
                     "  slider: {type: planar, mass: 0.5, inertia: 0.1, position: [2*cos(th), 0]}\n"
                     "joints:\n"
                     "  O: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
                     "  A: {type: revolute, bodies: [crank, rod], at: [cos(th), sin(th)]}\n"
                     "  B: {type: revolute, bodies: [rod, slider], at: [2*cos(th), 0]}\n"
                     "  slide: {type: prismatic, markers: [ground, slider]}\n")};
    tr_run_settings s = tr_run_defaults();
    s.method = "gen-alpha:rho=0.8", s.step = 1e-3, s.end = 5, s.control.tol = control ? 1e-6 : 0;
    k.run = begin_run(k.m.sys, &s);
    double first = output(k.m.sys, tr_run_state(k.run), "energy.total");
    for (int i = 1; i <= 100; i++) {
      go_to(&k, 0.05 * i);
      double th = read_output(&k, "crank.angle");
      assert_near(read_output(&k, "slide.s"), 2 * cos(th), control ? 1e-5 : 1e-7, "slider at %g",
                  th);
    }
    assert_true(read_output(&k, "crank.angle") > 4 * TR_PI);
    assert_near(read_output(&k, "energy.total"), first, 0.01 * first, "energy");
    stop(&k);
  }
}

// A parallelogram, turned by a motor through its line four times: the right bar keeps turning along.
static void driven_parallelogram(void **unused) {
  (void)unused;
  machine k = start(
      "trammel: 1\nparameters: {th: 1}\nbodies:\n"
      "  left: {type: planar, mass: 1, inertia: 0.1, position: [cos(th)/2, sin(th)/2], angle: th}\n"
      "  coupler: {type: planar, mass: 1, inertia: 0.3, position: [1 + cos(th), sin(th)]}\n"
      "  right: {type: planar, mass: 1, inertia: 0.1, position: [2 + cos(th)/2, sin(th)/2], angle: "
      "th}\n"
      "joints:\n"
      "  A: {type: revolute, bodies: [ground, left], at: [0, 0]}\n"
      "  B: {type: revolute, bodies: [left, coupler], at: [cos(th), sin(th)]}\n"
      "  C: {type: revolute, bodies: [coupler, right], at: [2 + cos(th), sin(th)]}\n"
      "  D: {type: revolute, bodies: [ground, right], at: [2, 0]}\n"
      "  motor: {type: motion, joint: A, velocity: 7 rad/s}\n",
      "gen-alpha:rho=0.8", 1e-3, 2);
  for (int i = 1; i <= 40; i++) {
    go_to(&k, 0.05 * i);
    assert_near(read_output(&k, "D.angle"), read_output(&k, "A.angle"), 1e-6, "at %g s", 0.05 * i);
  }
  assert_near(read_output(&k, "A.angle"), 14, 1e-9, "the motor");
  stop(&k);
}

// ---- three legs -----------------------------------------------------------------------------------

// Three equal legs on a base that is shaken, one coupler: a leg more than the motion needs, whose rows are found to be
// redundant at the start. Twice per turn all is on one line.
typedef struct legs {
  bool spatial;
  double w, amplitude, frequency, b, mass,
      off; // first speed; the base; the middle leg; the coupler
} legs;

static mechanism stand(const legs *p) {
  static char text[4096];
  int n = snprintf(text, sizeof text,
                   "trammel: 1\nparameters: {w: %.17g, b: %g, off: %g}\n"
                   "gravity: [0, -9.81%s]\nbodies:\n",
                   p->w, p->b, p->off, p->spatial ? ", 0" : "");
  const char *third = p->spatial ? ", 0" : "", *type = p->spatial ? "spatial" : "planar";
  const char *place[3] = {"0", "b", "2"};
  n += snprintf(text + n, sizeof text - (size_t)n, "  base: {type: %s, mass: 10, inertia: 1}\n",
                type);
  for (int i = 0; i < 3; i++) {
    double m = i == 1 ? p->mass : 1, J = m / 12;
    n +=
        snprintf(text + n, sizeof text - (size_t)n,
                 "  leg_%d: {type: %s, mass: %.17g, position: [%s, 0.5%s], velocity: [-w/2, 0%s], ",
                 i, type, m, place[i], third, third);
    n += p->spatial
             ? snprintf(
                   text + n, sizeof text - (size_t)n,
                   "inertia: [%.17g, %.17g, %.17g], orientation: {z: 90 deg}, omega: [0, 0, w]}\n",
                   0.01 * m, J, J)
             : snprintf(text + n, sizeof text - (size_t)n,
                        "inertia: %.17g, angle: 90 deg, omega: w}\n", J);
  }
  n += snprintf(
      text + n, sizeof text - (size_t)n,
      "  coupler: {type: %s, mass: 1, inertia: 0.33, position: [1, 1 + off%s], velocity: [-w, "
      "0%s]}\njoints:\n",
      type, third, third);
  const char *along = p->spatial ? ", orientation: {y: 90 deg}" : "";
  n += snprintf(
      text + n, sizeof text - (size_t)n,
      "  rail: {type: prismatic, markers: [{at: [0, 0%s]%s}, {body: base, at: [0, 0%s]%s}]}\n"
      "  shaker: {type: motion, joint: rail, position: %.17g*(1 - cos(%.17g*time))}\n",
      third, along, third, along, p->amplitude, p->frequency);
  for (int i = 0; i < 3; i++)
    n += snprintf(
        text + n, sizeof text - (size_t)n,
        "  A%d: {type: revolute, markers: [{body: base, at: [%s, 0%s]}, {body: leg_%d, at: "
        "[-0.5, 0%s]}]}\n",
        i, place[i], third, i, third);
  for (int i = 0; i < 3; i++)
    n += snprintf(
        text + n, sizeof text - (size_t)n,
        "  B%d: {type: revolute, markers: [{body: leg_%d, at: [0.5, 0%s]}, {body: coupler, at: "
        "[%s - 1, -off%s]}]}\n",
        i, i, third, place[i], third);
  assert_true((size_t)n < sizeof text);
  return load_text(text);
}

// J th'' = S (x'' sin th - g cos th), x the base; by Runge-Kutta.
static double leg_angle(const legs *p, double end) {
  double S = 1 + p->mass / 2 + 1, J = (2 + p->mass) / 3 + 1, y[2] = {TR_PI / 2, p->w}, h = 1e-4;
  double f = p->frequency;
  for (int n = 0; n < (int)lround(end / h); n++) {
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double d[2] = {0}, sum[2] = {0};
    for (int j = 0; j < 4; j++) {
      double th = y[0] + at[j] * h * d[0], w = y[1] + at[j] * h * d[1];
      double a = p->amplitude * f * f * cos(f * (n + at[j]) * h);
      d[0] = w, d[1] = S / J * (a * sin(th) - 9.81 * cos(th));
      for (int i = 0; i < 2; i++) sum[i] += weight[j] * d[i];
    }
    for (int i = 0; i < 2; i++) y[i] += h / 6 * sum[i];
  }
  return y[0];
}

// Multipliers that an old matrix drove away unseen on the other side of the line, rows found independent where the
// constraints were open, and round-off that no iteration gets below: each of these ended a run or made it crawl.
static void three_legs(void **unused) {
  (void)unused;
  static const legs fast = {true, -4.136452238881005, 0.1, 20, 0.3, 0.1, 0.1};
  static const legs slow = {true, -2.773367202300977, 0.02, 7, 1.5, 0.1, -0.3};
  static const legs flat = {false, -3, 0.05, 20, 1, 0.1, -0.3}, still = {false, -1, 0, 1, 1, 1, 0};
  static const struct {
    const legs *legs;
    const char *method;
    double tol, end, error; // INFINITY: so far a small difference leads anywhere
    long steps;             // at most
  } runs[] = {{&fast, "ggl-bdf:order=3", 1e-4, 5, INFINITY, 1000},
              {&fast, "ggl-bdf:order=3", 1e-3, 5, INFINITY, 1000},
              {&fast, "ggl-bdf:order=5", 1e-3, 5, INFINITY, 1000},
              {&slow, "ggl-bdf:order=3", 1e-3, 5, INFINITY, 1000},
              {&flat, "cs:order=5", 1e-2, 20, INFINITY, 1000},
              {&flat, "cs:order=4", 1e-2, 20, INFINITY, 1000},
              {&still, "radau5", 1e-9, 2, 1e-9, 1000},
              {&still, "radau5", 1e-10, 2, 1e-10, 2000},
              {&fast, "radau5", 1e-10, 2, 1e-10, 4000},
              {&fast, "ggl-bdf", 1e-9, 1, 1e-5, 14000}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    machine k = {.m = stand(runs[i].legs)};
    tr_run_settings s = tr_run_defaults();
    double tol = runs[i].tol;
    s.method = runs[i].method, s.end = runs[i].end, s.control.tol = tol;
    k.run = begin_run(k.m.sys, &s);
    go_to(&k, runs[i].end);
    double angle = read_output(&k, "A0.angle");
    assert_near(angle, leg_angle(runs[i].legs, runs[i].end), runs[i].error, "%s, tol %g: angle",
                s.method, tol);
    assert_near(read_output(&k, "A1.angle"), angle, 10 * tol, "%s, tol %g: middle", s.method, tol);
    assert_near(read_output(&k, "A2.angle"), angle, 10 * tol, "%s, tol %g: right", s.method, tol);
    assert_true(tr_run_describe(k.run).steps < runs[i].steps);
    stop(&k);
  }
}

// A parallelogram that begins flat, where both its branches start: two motions are free to first order, and forces lead
// neither way. Steps notice as soon as its constraints do, and go on along one: bars that stay parallel have
// ((m_a + m_c)/4 + I_a + I_c + m_b) th'' = -((m_a + m_c)/2 + m_b) g cos th.
static const char flat[] =
    "trammel: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  a: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
    "  b: {type: planar, mass: 2, inertia: 0.3, position: [2, 0]}\n"
    "  c: {type: planar, mass: 1.5, inertia: 0.1, position: [2.5, 0]}\n"
    "joints:\n"
    "  A: {type: revolute, bodies: [ground, a], at: [0, 0]}\n"
    "  B: {type: revolute, bodies: [a, b], at: [1, 0]}\n"
    "  C: {type: revolute, bodies: [b, c], at: [3, 0]}\n"
    "  D: {type: revolute, bodies: [c, ground], at: [2, 0]}\n"
    "simulation: {end: 0.3}\n";

static void parallelogram_from_flat(void **unused) {
  (void)unused;
  static const char *const methods[] = {"hht-i3",  "hht-si2", "nstiff",          "nstiff-si2",
                                        "newmark", "hht-add", "ggl-bdf:order=5", "cm"};
  double th = swung(9.81 * 3.25 / 2.825, 0, 0, 0.3);
  mechanism m = load_text(flat);
  for (int i = 0; i < 8; i++)
    for (double tol = 1e-4; tol > 5e-8; tol /= 10) {
      tr_run_settings s = tr_run_defaults();
      tr_error error = {0};
      tr_run *run = NULL;
      s.method = methods[i], s.control.tol = tol;
      if (tr_run_new(m.sys, &s, NULL, &run, &error) != TR_OK || tr_run_all(run, &error) != TR_OK)
        fail_msg("%s, %g: %s", methods[i], tol, error.text);
      double y = output(m.sys, tr_run_state(run), "b.y");
      assert_near(y, sin(th), 0.3 * sqrt(tol), "%s, %g", methods[i], tol);
      tr_run_free(run);
    }
  unload(&m);
}

// Where closing them would move more than the tolerance allows for the run says so.
static void parallelogram_left_open(void **unused) {
  (void)unused;
  mechanism m = load_text(flat);
  tr_run_settings s = tr_run_defaults();
  tr_error error = {0};
  tr_run *run = NULL;
  s.method = "nstiff", s.control.tol = 1e-9;
  assert_int_equal(tr_run_new(m.sys, &s, NULL, &run, &error), TR_OK);
  assert_int_equal(tr_run_all(run, &error), TR_FAILED);
  assert_non_null(strstr(error.text, "next to a singular position the constraints are open"));
  tr_run_free(run);
  unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_angle_is_right),
      cmocka_unit_test(windows_at_fixed_steps),
      cmocka_unit_test(windows_by_other_methods),
      cmocka_unit_test(windows_hit_by_chance),
      cmocka_unit_test(a_thousand_windows),
      cmocka_unit_test(steps_onto_the_line),
      cmocka_unit_test(velocities_of_a_thousand_windows),
      cmocka_unit_test(windows_within_a_tolerance),
      cmocka_unit_test(windows_to_the_last_digit),
      cmocka_unit_test(slider_crank_in_the_middle),
      cmocka_unit_test(driven_parallelogram),
      cmocka_unit_test(three_legs),
      cmocka_unit_test(parallelogram_from_flat),
      cmocka_unit_test(parallelogram_left_open),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
