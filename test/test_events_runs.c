// SPDX-License-Identifier: Apache-2.0
// Events and steps: inside steps that are rejected, switches that undo each other, and none in a million steps.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_mechanics.h"

static tr_run *begin_text(const char *text, const char *method, double h, double tol,
                          tr_system **sys) {
  tr_error error = {0};
  tr_model *model;
  tr_run *run;
  tr_run_settings s = tr_run_defaults();
  s.method = method, s.step = h, s.control.tol = tol;
  assert_int_equal(tr_model_new(NULL, &model), TR_OK);
  if (tr_model_read_text(model, text, strlen(text), "m.yaml", &error) != TR_OK ||
      tr_compile(model, sys, &error) != TR_OK || tr_run_new(*sys, &s, NULL, &run, &error) != TR_OK)
    fail_msg("%s", error.text);
  tr_model_free(model);
  return run;
}

// A spring that is hit at x = 1, t = 1 with speed 1: the steps that reach it are rejected. What they would have
// crossed does not happen, and what lies before the spring happens once, in time.
static void test_inside_rejected_steps(void **state) {
  (void)state;
  static const char *const methods[] = {"hht-i3", "nstiff", "hht-si2", "ggl-bdf:order=5", "cm"};
  static const char *const text =
      "trammel: 1\n"
      "bodies: {b: {type: planar, mass: 1, inertia: 1, velocity: [1, 0]}}\n"
      "joints: {rail: {type: prismatic, markers: [ground, b]}}\n"
      "forces: {stop: {type: force, markers: [b], force: [\"-1e6*max(0, DX(b) - 1)\", 0]}}\n"
      "events:\n"
      "  before: {when: DX(b) - 0.999, direction: rising, message: there}\n"
      "  beyond: {when: DX(b) - 1.01, message: through}\n" // it turns at 1.001
      "  back: {when: DX(b) - 0.999, direction: falling, message: back}\n"
      "simulation: {end: 1.5, step: 0.01}\n";
  const double pi = acos(-1), t1 = 0.999, t2 = 1 + pi / 1e3 + 1e-3;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    tr_error error = {0};
    tr_system *sys;
    tr_run *run = begin_text(text, methods[i], NAN, 1e-7, &sys);
    if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", methods[i], error.text);
    tr_run_info info = tr_run_describe(run);
    if (info.events != 2 || info.rejected == 0)
      fail_msg("%s: %ld events, %ld rejected", methods[i], info.events, info.rejected);
    assert_near(tr_run_event(run, 0).t, t1, 1e-5, "%s: before", methods[i]);
    assert_near(tr_run_event(run, 1).t, t2, 1e-4, "%s: back", methods[i]);
    tr_run_free(run);
    tr_system_free(sys);
  }
}

// Dry friction by two events that switch its sign: at rest each undoes the other. Nobody sticks by this, and it was
// taken for a touch once, after which friction drove the slide.
static void test_switches_chatter(void **state) {
  (void)state;
  static const char *const methods[] = {"hht-i3", "hht-si2", "ggl-bdf", "radau5"};
  static const char *const text =
      "trammel: 1\n"
      "parameters: {side: -1}\n"
      "bodies: {slide: {type: planar, mass: 2, inertia: 0.1, velocity: [1, 0]}}\n"
      "joints: {rail: {type: prismatic, markers: [ground, slide]}}\n"
      "forces:\n"
      "  pull: {type: force, markers: [slide], force: [2*sin(3*time), 0]}\n"
      "  rub: {type: force, markers: [slide], force: [5*side, 0]}\n"
      "events:\n"
      "  back: {when: VX(slide), direction: falling, set: {side: 1}}\n"
      "  forth: {when: VX(slide), direction: rising, set: {side: -1}}\n"
      "simulation: {end: 2, step: 0.01}\n";
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    for (int fixed = 0; fixed < 2; fixed++) {
      tr_error error = {0};
      tr_system *sys;
      tr_run *run = begin_text(text, methods[i], NAN, fixed ? 0 : 1e-5, &sys);
      assert_int_equal(tr_run_all(run, &error), TR_FAILED);
      if (!strstr(error.text, "event \"back\": events chatter at t = 0.539"))
        fail_msg("%s: %s", methods[i], error.text);
      assert_true(tr_run_describe(run).events < 10);
      tr_run_free(run);
      tr_system_free(sys);
    }
}

// Dry friction by sign(): methods without an iteration that would fail go to and fro across rest. They say so, and what
// jumps; where nothing does, however fast it swings, they do not.
static void test_jumps_are_noted(void **state) {
  (void)state;
  static const char *const methods[] = {"hht-add", "pfpc1", "pfpc2", "baumgarte",
                                        "baumgarte:scheme=euler"};
  static const char *const laws[] = {"-5*sign(VX(slide))", "-5*tanh(1000*VX(slide))",
                                     "-3e4*DX(slide)"};
  for (int law = 0; law < 3; law++) {
    char text[600];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "bodies: {slide: {type: planar, mass: 2, inertia: 0.1, velocity: [1, 0]}}\n"
             "joints: {rail: {type: prismatic, markers: [ground, slide]}}\n"
             "forces:\n"
             "  pull: {type: force, markers: [slide], force: [2*sin(3*time), 0]}\n"
             "  rub: {type: force, markers: [slide], force: [\"%s\", 0]}\n"
             "simulation: {end: 2, step: 0.01}\n",
             laws[law]);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
      for (int k = 0; k < 3; k++) {
        tr_error error = {0};
        tr_system *sys;
        tr_run *run = begin_text(text, methods[i], k == 1 ? 1e-3 : NAN, k == 2 ? 1e-5 : 0, &sys);
        tr_status status = tr_run_all(run, &error);
        tr_run_info info = tr_run_describe(run);
        bool noted = strstr(info.notes, "force \"rub\" is discontinuous at t = ");
        if (law == 0 && status != TR_OK) fail_msg("%s: %s", methods[i], error.text);
        if (noted != (law == 0)) fail_msg("%s, %d: \"%s\"", methods[i], k, info.notes);
        tr_run_free(run);
        tr_system_free(sys);
      }
  }
}

// A pendulum's million steps, with an event that never comes, and the same bits without it.
static void test_none_in_a_million(void **state) {
  (void)state;
  static const char *const text =
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "bodies: {b: {type: planar, mass: 1, inertia: 0.1, position: [1, 0]}}\n"
      "joints: {pin: {type: revolute, bodies: [ground, b], at: [0, 0]}}\n"
      "simulation: {end: 100, step: 1e-4}\n";
  char armed[600];
  snprintf(armed, sizeof armed, "%sevents: {never: {when: DY(b) - 0.5, stop: yes}}\n", text);
  double angle[2];
  for (int with = 0; with < 2; with++) {
    tr_error error = {0};
    tr_system *sys;
    tr_run *run = begin_text(with ? armed : text, "hht-i3", NAN, 0, &sys);
    if (tr_run_all(run, &error) != TR_OK) fail_msg("%s", error.text);
    tr_run_info info = tr_run_describe(run);
    assert_int_equal(info.steps, 1000000);
    assert_int_equal(info.events, 0);
    angle[with] = tr_run_state(run)->q[2];
    tr_run_free(run);
    tr_system_free(sys);
  }
  assert_memory_equal(&angle[0], &angle[1], sizeof angle[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inside_rejected_steps),
      cmocka_unit_test(test_switches_chatter),
      cmocka_unit_test(test_jumps_are_noted),
      cmocka_unit_test(test_none_in_a_million),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
