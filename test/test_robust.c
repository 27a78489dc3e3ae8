// SPDX-License-Identifier: Apache-2.0
// Runs that cannot go on say why, naming who is to blame; and stiff ones that should go on do.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helper_mechanics.h"
#include "system/system.h"

static tr_run *begin(const tr_system *sys, const char *method, double h, double tol, int fixed) {
  tr_error error = {0};
  tr_run *run;
  tr_run_settings s = tr_run_defaults();
  s.method = method, s.step = h, s.control.tol = tol, s.newton.fixed_iterations = fixed;
  if (tr_run_new(sys, &s, NULL, &run, &error) != TR_OK) fail_msg("%s: %s", method, error.text);
  return run;
}

static void assert_blames(const char *file, const char *method, double h, double tol, int fixed,
                          const char *words) {
  tr_error error = {0};
  mechanism m = load_model(file, NULL);
  tr_run *run = begin(m.sys, method, h, tol, fixed);
  assert_int_equal(tr_run_all(run, &error), TR_FAILED);
  if (!strstr(error.text, words)) fail_msg("%s by %s: %s", file, method, error.text);
  for (int i = 0; i < m.sys->nq; i++) assert_true(isfinite(tr_run_state(run)->q[i]));
  tr_run_free(run);
  unload(&m);
}

// Dry friction as a bare sign: it sticks, and no step is short enough.
static const char *const sliding =
    "trammel: 1\n"
    "bodies: {slide: {type: planar, mass: 2, inertia: 0.1, velocity: [1, 0]}}\n"
    "joints: {rail: {type: prismatic, markers: [ground, slide]}}\n"
    "forces:\n"
    "  pull: {type: force, markers: [slide], force: [2*sin(3*time), 0]}\n"
    "  rub_2: {type: force, markers: [slide], force: [-5*sign(VX(slide)), 0]}\n"
    "simulation: {end: 2, step: 0.01}\n";

static void test_discontinuous_force(void **state) {
  (void)state;
  static const char *const methods[] = {"newmark",    "hht-i3",  "nstiff",    "hht-si2",
                                        "hht-add",    "ggl-bdf", "gen-alpha", "radau5",
                                        "nstiff-si2", "cs",      "cm",        NULL};
  tr_system *sys = system_of_text(sliding);
  for (int i = 0; methods[i]; i++)
    for (int k = 0; k < 2; k++) {
      tr_error error = {0};
      tr_run *run = begin(sys, methods[i], NAN, k ? 1e-6 : 0, 0);
      assert_int_equal(tr_run_all(run, &error), TR_FAILED);
      if (!strstr(error.text, "force \"rub_2\" is discontinuous at t = 0.5"))
        fail_msg("%s: %s", methods[i], error.text);
      assert_true(strstr(error.text, "jumps by 10") != NULL);
      assert_true(!k || tr_run_describe(run).steps <= 1500); // it does not take long to see
      tr_run_free(run);
    }
  tr_system_free(sys);
}

// A prescribed motion that jumps.
static void test_discontinuous_motion(void **state) {
  (void)state;
  tr_error error = {0};
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "bodies: {rod: {type: planar, mass: 2, inertia: 0.1}}\n"
      "joints:\n"
      "  pin: {type: revolute, markers: [ground, rod]}\n"
      "  drive_7: {type: motion, joint: pin, position: \"if(time < 0.3, time, time + 0.1)\"}\n"
      "simulation: {end: 2, step: 0.01}\n");
  tr_run *run = begin(sys, "hht-i3", NAN, 1e-5, 0);
  assert_int_equal(tr_run_all(run, &error), TR_FAILED);
  if (!strstr(error.text, "joint \"drive_7\" is discontinuous at t = 0.3"))
    fail_msg("%s", error.text);
  tr_run_free(run);
  tr_system_free(sys);
}

static void test_explicit_and_stiff(void **state) {
  (void)state;
  static const char *const methods[] = {"pfpc2", "pfpc1", "baumgarte", NULL};
  for (int i = 0; methods[i]; i++) {
    assert_blames("double_pendulum.yaml", methods[i], 1.0 / 1024, 0, 0, "(force \"spring2\")");
    assert_blames("double_pendulum.yaml", methods[i], 1.0 / 1024, 0, 0, "explicit method");
  }
}

static void test_given_number_of_corrections(void **state) {
  (void)state;
  static const char *const methods[] = {"hht-i3", "nstiff", "hht-si2", "radau5", NULL};
  for (int i = 0; methods[i]; i++) {
    // the accelerations at the start are 2e6 rad/s^2; radau5 does not begin with them
    const char *words =
        strcmp(methods[i], "radau5") ? "(--zero-start)" : "as many iterations as it takes";
    assert_blames("double_pendulum.yaml", methods[i], 1.0 / 64, 0, 1, words);
    assert_blames("slider_crank.yaml", methods[i], 0.25, 0, 1, "failed");
  }
  // begins with the applied forces in any case
  assert_blames("double_pendulum.yaml", "hht-add", 1.0 / 64, 0, 1,
                "as many iterations as it takes");
}

// Steps near round-off: the velocities show it, and the run says so.
static void test_tiny_steps(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    mechanism m = load_model("slider_crank.yaml", NULL);
    tr_run *run = begin(m.sys, k ? "hht-i3" : "hht-si2", 1e-12, 0, 0);
    for (int i = 0; i < 20; i++) assert_int_equal(tr_run_step(run, NULL), TR_OK);
    assert_int_equal(strstr(tr_run_describe(run).notes, "so short") != NULL, k);
    tr_run_free(run);
    run = begin(m.sys, "hht-i3", 1e-4, 0, 0);
    for (int i = 0; i < 20; i++) assert_int_equal(tr_run_step(run, NULL), TR_OK);
    assert_string_equal(tr_run_describe(run).notes, "");
    tr_run_free(run);
    unload(&m);
  }
}

// What can never work is refused with what would.
static void test_refused(void **state) {
  (void)state;
  static const struct {
    const char *method;
    double step, tol;
    const char *words;
  } cases[] = {{"hht-i3", 1e-300, 0, "lost in the round-off of times"},
               {"hht-i3", 1e-17, 0, "no step below 4.4e-16 s"},
               {"hht-i3", NAN, 1e-17, "1e-15 is the least"},
               {"ggl", NAN, 0, "did you mean \"ggl-bdf\"?"},
               {"hht_i3", NAN, 0, "did you mean \"hht-i3\"?"},
               {"hht-i3:alhpa=0", NAN, 0, "did you mean \"alpha\"?"}};
  mechanism m = load_model("slider_crank.yaml", NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tr_error error = {0};
    tr_run *run;
    tr_run_settings s = tr_run_defaults();
    s.method = cases[i].method, s.step = cases[i].step, s.control.tol = cases[i].tol;
    assert_int_equal(tr_run_new(m.sys, &s, NULL, &run, &error), TR_BAD_INPUT);
    if (!strstr(error.text, cases[i].words)) fail_msg("%s", error.text);
  }
  const char *output = "crnk.x";
  int *channels = calloc((size_t)tr_channel_count(m.sys), sizeof *channels), count;
  tr_error error = {0};
  assert_non_null(channels);
  assert_int_equal(tr_channels_choose(m.sys, 1, &output, channels, &count, &error), TR_BAD_INPUT);
  assert_non_null(strstr(error.text, "did you mean \"crank.x\"?"));
  free(channels);
  unload(&m);
}

// A pendulum on a spring of k/m = 1e12: what the rigid one does, with steps a million times longer than
// the spring's period.
static void test_stiff(void **state) {
  (void)state;
  static const char *const methods[] = {"hht-i3",  "nstiff",  "nstiff-si2", "gen-alpha:rho=0.5",
                                        "hht-si2", "ggl-bdf", "radau5",     NULL};
  const char *text =
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "bodies: {bob: {type: planar-point, mass: 1, position: [1, -9.81e-12]}}\n"
      "forces: {rod: {type: spring-damper, markers: [ground, bob], stiffness: 1e12, "
      "free-length: 1, damping: 0}}\n"
      "simulation: {end: 1, step: 2^-8}\n";
  // theta'' = -g sin theta from the horizontal at rest; classical Runge-Kutta
  double y[2] = {1.5707963267948966, 0}, h = 1e-4;
  for (int n = 0; n < 10000; n++) {
    double k[4][2], z[2] = {y[0], y[1]};
    for (int i = 0; i < 4; i++) {
      k[i][0] = z[1], k[i][1] = -9.81 * sin(z[0]);
      double f = i < 2 ? 0.5 * h : h;
      z[0] = y[0] + f * k[i][0], z[1] = y[1] + f * k[i][1];
    }
    for (int i = 0; i < 2; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
  tr_system *sys = system_of_text(text);
  for (int i = 0; methods[i]; i++)
    for (int k = 0; k < 2; k++) {
      tr_error error = {0};
      tr_run *run = begin(sys, methods[i], NAN, k ? 1e-8 : 0, 0);
      if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", methods[i], error.text);
      const double *q = tr_run_state(run)->q;
      double off = hypot(q[0] - sin(y[0]), q[1] + cos(y[0]));
      if (!(off < 3e-3))
        fail_msg("%s: off by %g, %ld steps", methods[i], off, tr_run_describe(run).steps);
      assert_true(tr_run_describe(run).steps < 30000);
      tr_run_free(run);
    }
  tr_system_free(sys);
}

static const char *const implicit[] = {
    "newmark",           "hht-i3",  "hht-si2", "hht-add", "nstiff", "nstiff-si2", "gen-alpha",
    "gen-alpha:index=2", "ggl-bdf", "cs",      "cm",      "radau5", NULL};

enum { IMPLICIT = sizeof implicit / sizeof *implicit };

// Two rods whose hinge is a spring of k/m = 1e10 and 1e12, in steps of 1e3 and 1e4 times its period: they do as
// rods on a hinge do. The iteration is thrown far off again and again, and wrong turns would solve its equations.
static void test_stiff_hinge(void **state) {
  (void)state;
  static const char *const hinge[] = {
      "joints: {p: {type: revolute, markers: [ground, {body: a, at: [-0.5, 0]}]},\n"
      "  k: {type: revolute, markers: [{body: a, at: [0.5, 0]}, {body: b, at: [-0.5, 0]}]}}\n",
      "joints: {p: {type: revolute, markers: [ground, {body: a, at: [-0.5, 0]}]}}\n"
      "forces: {k: {type: bushing, stiffness: [1e10, 1e10, 0],\n"
      "  markers: [{body: a, at: [0.5, 0]}, {body: b, at: [-0.5, 0]}]}}\n",
      "joints: {p: {type: revolute, markers: [ground, {body: a, at: [-0.5, 0]}]}}\n"
      "forces: {k: {type: bushing, stiffness: [1e12, 1e12, 0],\n"
      "  markers: [{body: a, at: [0.5, 0]}, {body: b, at: [-0.5, 0]}]}}\n"};
  double exact[6] = {0}, rigid[6 * IMPLICIT] = {0};
  for (int m = 0; m < 3; m++) {
    char text[1000];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "gravity: [0, -9.81]\n"
             "bodies: {a: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]},\n"
             "  b: {type: planar, mass: 1, inertia: 0.1, position: [1.5, 0]}}\n"
             "%ssimulation: {end: 0.5, step: 0.01}\n",
             hinge[m]);
    tr_system *sys = system_of_text(text);
    for (int i = 0; implicit[i]; i++) {
      tr_error error = {0};
      bool reference = m == 0 && i == 0;
      tr_run *run =
          reference ? begin(sys, "radau5", NAN, 1e-10, 0) : begin(sys, implicit[i], NAN, 0, 0);
      if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", implicit[i], error.text);
      const double *q = tr_run_state(run)->q;
      for (int k = 0; k < 6; k++) {
        if (reference) exact[k] = q[k];
        if (!(fabs(q[k] - exact[k]) < 5e-3))
          fail_msg("%s, hinge %d: coordinate %d off by %g", implicit[i], m, k, q[k] - exact[k]);
        // the same method with a joint: what is accepted as round-off of the spring's force is little
        if (m == 0) rigid[6 * i + k] = q[k];
        bool index_3 = !strcmp(implicit[i], "hht-i3") || !strcmp(implicit[i], "nstiff");
        if (index_3 && !(fabs(q[k] - rigid[6 * i + k]) < 1e-4))
          fail_msg("%s, hinge %d: off the joint by %g", implicit[i], m, q[k] - rigid[6 * i + k]);
      }
      tr_run_free(run);
    }
    tr_system_free(sys);
  }
}

// Far from the equilibrium of forces of k/m = 1e12 the first steps are violent, and yet they can be made. Not by
// hht-add, which takes the reaction explicitly, and that is as stiff as the rest.
static void test_violent_start(void **state) {
  (void)state;
  static const char *const files[] = {"stiff_circle.yaml", "stiff_circle_spring.yaml"};
  static const char *const sets[][2] = {{"eps=1e-12", NULL}, {"eps=1e-6", NULL}};
  for (int m = 0; m < 2; m++)
    for (int i = 0; implicit[i]; i++) {
      if (strcmp(implicit[i], "hht-add") == 0) continue;
      tr_error error = {0};
      mechanism x = load_model(files[m], sets[m]);
      tr_run *run = begin(x.sys, implicit[i], 0.01, 0, 0);
      if (tr_run_all(run, &error) != TR_OK)
        fail_msg("%s by %s: %s", files[m], implicit[i], error.text);
      const double *q = tr_run_state(run)->q;
      assert_true(fabs(hypot(q[0], q[1]) - 1) < 1e-9);
      tr_run_free(run);
      unload(&x);
    }
}

// A flywheel that a motor turns many times in one step is no wrong turn.
static void test_turns_in_a_step(void **state) {
  (void)state;
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "bodies: {wheel: {type: planar, mass: 1, inertia: 1}}\n"
      "joints: {axle: {type: revolute, markers: [ground, wheel]}}\n"
      "forces: {motor: {type: torque, markers: [wheel], torque: [0, 0, \"if(time > 0.25, 1e4, "
      "0)\"]}}\n"
      "simulation: {end: 1, step: 0.1}\n");
  for (int i = 0; implicit[i]; i++) {
    tr_error error = {0};
    tr_run *run = begin(sys, implicit[i], NAN, 0, 0);
    if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", implicit[i], error.text);
    assert_true(tr_run_state(run)->q[2] > 1e3);
    tr_run_free(run);
  }
  tr_system_free(sys);
}

// What failed on its first step.
static void test_first_steps(void **state) {
  (void)state;
  static const char *const cases[][2] = {{"double_pendulum.yaml", "cs"},
                                         {"screw_jack.yaml", "radau5"},
                                         {"double_pendulum.yaml", "cm"},
                                         {"screw_jack.yaml", "cs"}};
  for (int i = 0; i < 4; i++) {
    mechanism m = load_model(cases[i][0], NULL);
    tr_error error = {0};
    tr_run *run = begin(m.sys, cases[i][1], NAN, 0, 0);
    if (tr_run_all(run, &error) != TR_OK)
      fail_msg("%s by %s: %s", cases[i][0], cases[i][1], error.text);
    tr_run_free(run);
    unload(&m);
  }
}

// Bodies that turn by a radian and more in a step: what the halved iteration leaves out is as large as the rest, and
// the past spans more than half a turn. States that follow velocities with large gains are not moved by the
// correction of positions. Each of these had 16 to 38 % of its steps rejected.
static void test_turning(void **state) {
  (void)state;
  static const struct {
    const char *file, *method;
    int percent;
  } cases[] = {{"gyroscope.yaml", "ggl-bdf:order=5", 1},
               {"screw_jack.yaml", "ggl-bdf", 1},
               {"screw_jack.yaml", "ggl-bdf:order=5", 1},
               {"screw_jack.yaml", "cm", 1},
               {"double_wishbone.yaml", "ggl-bdf:order=5", 9},
               {"double_wishbone.yaml", "cs", 9},
               {"double_wishbone.yaml", "cm", 9},
               {"robot_arm_pid.yaml", "ggl-bdf:order=5", 9}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    mechanism m = load_model(cases[i].file, NULL);
    tr_error error = {0};
    tr_run *run = begin(m.sys, cases[i].method, NAN, 1e-3, 0);
    if (tr_run_all(run, &error) != TR_OK) fail_msg("%s", error.text);
    tr_run_info info = tr_run_describe(run);
    if (100 * info.rejected > cases[i].percent * info.steps)
      fail_msg("%s by %s: %ld of %ld steps rejected", cases[i].file, cases[i].method, info.rejected,
               info.steps);
    tr_run_free(run);
    unload(&m);
  }
}

// A block on a stiff stop is pulled off it. The matrix of the contact makes of a whole pull a correction of
// nothing: steps that leave it at that would hold the block where it is. The height at 2 s is the double
// integral of the pull over what is left of it from the instant it points upwards.
static void test_lift_off(void **state) {
  (void)state;
  static const double height = 0.371777038;
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "bodies: {b: {type: planar, mass: 0.1, inertia: 0.1, position: [0, -1e-8]}}\n"
      "joints: {g: {type: prismatic, markers: [{angle: 90 deg}, {body: b, angle: 90 deg}]}}\n"
      "forces:\n"
      "  stop: {type: bump-stop, joint: g, limit: 0, side: lower, stiffness: 1e8, damping: 1e4, "
      "damping-depth: 1e-9}\n"
      "  pull: {type: force, markers: [b], force: [0, \"step5(time, 1, -1, 1.5, 0.2)\", 0]}\n"
      "simulation: {end: 2, step: 1e-3}\n");
  for (int i = 0; implicit[i]; i++)
    for (int k = 0; k < 3; k++) {
      const double tol[] = {0, 1e-5, 1e-7}, allowed[] = {1e-3, 1e-2, 1e-3};
      tr_error error = {0};
      tr_run *run = begin(sys, implicit[i], NAN, tol[k], 0);
      if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", implicit[i], error.text);
      double y = tr_run_state(run)->q[1];
      if (!(fabs(y - height) < allowed[k]))
        fail_msg("%s, %g: %.9f instead of %.9f", implicit[i], tol[k], y, height);
      tr_run_free(run);
    }
  tr_system_free(sys);
}

// Steps of an explicit method that pump energy into a stiff mode are at least told of; under control they do not.
static void test_pumped(void **state) {
  (void)state;
  mechanism m = load_model("slider_crank_flexible.yaml", NULL);
  static const char *const methods[] = {"pfpc2", "hht-i3"};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      bool pumps = i == 0 && k == 0;
      tr_run *run = begin(m.sys, methods[i], 1.5e-4, k == 0 ? 0 : 1e-3, 0);
      tr_error error = {0};
      assert_int_equal(tr_run_to(run, 0.1, &error), TR_OK);
      tr_run_info info = tr_run_describe(run);
      assert_true(pumps ? info.max_energy_change > 1e5 : info.max_energy_change < 0.1);
      assert_true((info.notes && strstr(info.notes, "explicit method")) == pumps);
      tr_run_free(run);
    }
  unload(&m);
}

// A rod that is drawn longer than it is, at t = 0.5: who wants it is named, and no joint is said to jump.
static void test_advice(void **state) {
  (void)state;
  static const char *const text =
      "trammel: 1\n"
      "bodies:\n"
      "  a: {type: planar, mass: 1, inertia: 0.1, angle: \"acos(0.75)\"}\n"
      "  b: {type: planar-point, mass: 1, position: [1.5, 0]}\n"
      "joints:\n"
      "  pin: {type: revolute, markers: [ground, a]}\n"
      "  rod: {type: distance, markers: [{body: a, at: [1, 0]}, b], length: 1}\n"
      "  rail: {type: expression, phi: DY(b)}\n"
      "  drive: {type: expression, phi: \"DX(b) - 1.5 - time\"}\n"
      "simulation: {end: 1, step: 0.01}\n";
  tr_system *sys = system_of_text(text);
  for (int m = 0; m < tr_method_count(); m++)
    for (int k = 0; k < 3; k++) {
      const char *method = tr_method_describe(m).name;
      if (k < 1 && !strncmp(method, "pfpc", 4)) continue; // steps over it and opens the constraints
      tr_error error = {0};
      tr_run *run;
      tr_run_settings s = tr_run_defaults();
      s.method = method, s.control.tol = k > 0 ? 1e-5 : 0, s.control.min_step = k > 1 ? 1e-4 : 0;
      assert_int_equal(tr_run_new(sys, &s, NULL, &run, &error), TR_OK);
      assert_int_equal(tr_run_all(run, &error), TR_FAILED);
      const char *words = "joint \"drive\" contradicts what \"pin\", \"rod\"";
      if (!strstr(error.text, words) || strstr(error.text, "discontinuous"))
        fail_msg("%s, %d: %s", method, k, error.text);
      tr_run_free(run);
    }
  tr_system_free(sys);
}

// x' = x^2 ends at t = 1: fixed steps may be smaller, those under control may not.
static void test_advised_steps(void **state) {
  (void)state;
  static const char *const methods[] = {"hht-i3", "ggl-bdf", "nstiff", "hht-si2"};
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "bodies: {p: {type: planar-point, mass: 1}}\n"
      "states: {x: {initial: 1, rate: x^2}}\n"
      "simulation: {end: 2, step: 0.001}\n");
  for (int i = 0; i < 8; i++) {
    tr_error error = {0};
    tr_run *run;
    tr_run_settings s = tr_run_defaults();
    s.method = methods[i / 2], s.control.tol = i % 2 ? 1e-5 : 0;
    s.control.min_step = i % 2 ? 1e-3 : 0;
    assert_int_equal(tr_run_new(sys, &s, NULL, &run, &error), TR_OK);
    assert_int_equal(tr_run_all(run, &error), TR_FAILED);
    const char *words = i % 2 ? "allowed" : "; a smaller step may help";
    if (!strstr(error.text, words) || !strstr(error.text, "state \"x\""))
      fail_msg("%s, %d: %s", s.method, i % 2, error.text);
    tr_run_free(run);
  }
  tr_system_free(sys);
}

// What a method cannot do is told: hht-add takes reactions explicitly, here that of a point whirled round by 2.4 rad in a
// step. A stiff spring across the path is none of that, h^2 k/m = 1e4 or 1e8.
static void test_limits(void **state) {
  (void)state;
  static const char whirled[] =
      "trammel: 1\nbodies:\n"
      "  p: {type: planar-point, mass: 1, position: [0.6, -0.8], velocity: [240, 180]}\n"
      "joints:\n  rod: {type: distance, markers: [ground, p]}\n";
  static const char held[] =
      "trammel: 1\nparameters: {k: 1e8}\ngravity: [0, -9.81]\nbodies:\n"
      "  p: {type: planar-point, mass: 1, position: [0.6, -0.8]}\n"
      "joints:\n  rod: {type: distance, markers: [ground, p]}\n"
      "forces:\n  s: {type: spring-damper, markers: [{at: [0, 0.5]}, p], stiffness: %s, "
      "free-length: 1.43}\n";
  static const struct {
    const char *k, *method;
    double step;
  } c[] = {{NULL, "hht-add", 8e-3},  {NULL, "hht-add", 2e-3},   {NULL, "hht-si2", 8e-3},
           {"1e8", "hht-add", 1e-2}, {"1e12", "hht-add", 1e-2}, {"1e8", "hht-si2", 1e-2}};
  for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
    char text[600];
    snprintf(text, sizeof text, held, c[i].k ? c[i].k : "");
    mechanism m = load_text(c[i].k ? text : whirled);
    tr_run *run = new_run(m.sys, c[i].method, c[i].step, 0.1);
    tr_error error = {0};
    assert_int_equal(tr_run_all(run, &error), i == 0 ? TR_FAILED : TR_OK);
    assert_true(i > 0 || strstr(error.text, "hht-add takes reactions explicitly"));
    if (c[i].k) assert_true(tr_run_describe(run).max_phi < 1e-9);
    tr_run_free(run);
    unload(&m);
  }
}

// Velocities between the steps, at 100 places.
typedef struct velocities {
  tr_observer o;
  int rows, nv;
  double v[101][32];
} velocities;

static tr_status note_velocities(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  (void)info;
  velocities *r = (velocities *)self;
  for (int i = 0; i < r->nv; i++) r->v[r->rows][i] = x->v[i];
  r->rows++;
  return TR_OK;
}

static void sample_velocities(const tr_system *sys, const char *method, double tol, velocities *r) {
  tr_run_settings s = tr_run_defaults();
  tr_run *run;
  *r = (velocities){.o = {note_velocities, 0.01}, .nv = tr_system_describe(sys).nv};
  assert_true(r->nv <= 32);
  s.method = method, s.end = 1, s.control.tol = tol;
  assert_int_equal(tr_run_new(sys, &s, NULL, &run, NULL), TR_OK);
  assert_int_equal(tr_run_observe(run, &r->o), TR_OK);
  assert_int_equal(tr_run_all(run, NULL), TR_OK);
  assert_int_equal(r->rows, 101);
  tr_run_free(run);
}

// With little damping accelerations ring whenever the step changes; velocities between steps do not.
static void test_ringing(void **state) {
  (void)state;
  static velocities exact, got;
  static const char *const methods[] = {"gen-alpha:rho=0.8", "gen-alpha:rho=0.95",
                                        "gen-alpha:rho=0.99", "hht-i3:alpha=-0.02"};
  double most[4] = {0};
  mechanism m = load_model("double_wishbone.yaml", NULL);
  sample_velocities(m.sys, "radau5", 1e-9, &exact);
  for (int k = 0; k < 4; k++) {
    sample_velocities(m.sys, methods[k], 1e-5, &got);
    for (int i = 0; i < got.rows; i++)
      for (int j = 0; j < got.nv; j++) most[k] = fmax(most[k], fabs(got.v[i][j] - exact.v[i][j]));
    if (!(most[k] < 2 * most[0])) fail_msg("%s: %g, not %g", methods[k], most[k], most[0]);
  }
  unload(&m);
}

// Constraints that come to contradict each other, and elements that cease to be numbers, are named when it happens, by
// every method; so is a force that is none at the start.
static void test_named_later(void **state) {
  (void)state;
  static const char *const drives[] = {
      "  m: {type: motion, joint: s, position: time}\n"
      "  m2: {type: motion, joint: s, position: time + 0.001*time^2}\n",
      "  m: {type: motion, joint: s, position: sqrt(1 - time)}\n"};
  static const char *const words[] = {"joint \"m2\" contradicts what \"m\" says\n",
                                      "joint \"m\": its r"}; // rate or residual
  for (int d = 0; d < 2; d++) {
    char text[600];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "bodies: {p: {type: planar, mass: 1, inertia: 1, position: [1, 0]}}\n"
             "joints:\n"
             "  s: {type: prismatic, markers: [ground, p]}\n%s"
             "simulation: {end: 3, step: 0.001}\n",
             drives[d]);
    tr_system *sys = system_of_text(text);
    for (int i = 0; i < 2 * tr_method_count(); i++) {
      const char *method = tr_method_describe(i / 2).name;
      tr_error error = {0};
      tr_run *run = begin(sys, method, NAN, i % 2 ? 1e-4 : 0, 0);
      assert_int_equal(tr_run_all(run, &error), TR_FAILED);
      if (!strstr(error.text, words[d])) fail_msg("%s: %s", method, error.text);
      tr_run_free(run);
    }
    tr_system_free(sys);
  }
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "bodies: {p: {type: planar-point, mass: 1}}\n"
      "forces: {s: {type: force, markers: [p], force: [1/DX(p), 0]}}\n"
      "simulation: {end: 3, step: 0.001}\n");
  tr_run_settings s = tr_run_defaults();
  tr_error error = {0};
  tr_run *run;
  assert_int_equal(tr_run_new(sys, &s, NULL, &run, &error), TR_NOT_FINITE);
  assert_string_equal(error.text, "force \"s\": its value is not a finite number at t = 0 s\n");
  tr_system_free(sys);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_advice),
      cmocka_unit_test(test_advised_steps),
      cmocka_unit_test(test_discontinuous_force),
      cmocka_unit_test(test_discontinuous_motion),
      cmocka_unit_test(test_explicit_and_stiff),
      cmocka_unit_test(test_given_number_of_corrections),
      cmocka_unit_test(test_tiny_steps),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_stiff),
      cmocka_unit_test(test_stiff_hinge),
      cmocka_unit_test(test_violent_start),
      cmocka_unit_test(test_turns_in_a_step),
      cmocka_unit_test(test_first_steps),
      cmocka_unit_test(test_turning),
      cmocka_unit_test(test_lift_off),
      cmocka_unit_test(test_pumped),
      cmocka_unit_test(test_limits),
      cmocka_unit_test(test_named_later),
      cmocka_unit_test(test_ringing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
