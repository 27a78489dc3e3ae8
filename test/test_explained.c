// SPDX-License-Identifier: Apache-2.0
// Runs that fail for one reason and could be thought to fail for another.
#include <math.h>
#include <string.h>

#include "helper_mechanics.h"
#include "run/ahead.h"

static void assert_explained(const tr_system *sys, const char *method, double h,
                             const char *words) {
  tr_error error = {0};
  tr_run *run = new_run(sys, method, h, NAN);
  assert_int_equal(tr_run_all(run, &error), TR_FAILED);
  if (!strstr(error.text, words)) fail_msg("%s, h = %g: %s", method, h, error.text);
  tr_run_free(run);
}

// A spring of 1000 rad/s: explicit methods explode with steps of more than 2 ms, and angles that turn wildly come near their
// singularity. It is not theirs.
static void explosions_are_no_affair_of_angles(void **u) {
  (void)u;
  static const char *const methods[] = {"baumgarte", "pfpc1", "pfpc2", NULL};
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "bodies:\n"
      "  ball: {type: spatial, coordinates: euler-313, mass: 1, inertia: [0.1, 0.2, 0.3],\n"
      "         position: [1.1, 0, 0], omega: [1, 2, 0.5]}\n"
      "forces:\n"
      "  stiff: {type: spring-damper, markers: [ground, {body: ball, at: [0.1, 0.2, 0.3]}],\n"
      "          stiffness: 1e6, free-length: 1}\n"
      "simulation: {end: 1, step: 0.01}\n");
  for (int i = 0; methods[i]; i++)
    for (double h = 0.002; h < 0.02; h *= 2) {
      assert_explained(sys, methods[i], h, "numbers explode");
      assert_explained(sys, methods[i], h, "(force \"stiff\")");
    }
  tr_system_free(sys);
}

// Fast tumbling with long steps: nothing explodes, the angles are too near their singularity for the step.
static void angles_are_still_told(void **u) {
  (void)u;
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "bodies:\n"
      "  top: {type: spatial, coordinates: euler-313, mass: 1, inertia: [0.1, 0.2, 0.3],\n"
      "        omega: [14, 13, 5]}\n"
      "simulation: {end: 1, step: 0.01}\n");
  assert_explained(sys, "pfpc1", 0.05, "Euler angles");
  assert_explained(sys, "baumgarte", 0.1, "Euler angles");
  assert_explained(sys, "baumgarte", 0.2, "Euler angles");
  tr_system_free(sys);
}

// Turns are counted from step to step, or not at all, and ways ahead are longer than that. On the way here the slider's place
// and the screw's angle part, and wheels turn faster and faster.
static const char *const counting =
    "trammel: 1\n"
    "bodies:\n"
    "  nut: {type: spatial, mass: 1, inertia: 1}\n"
    "  rack: {type: spatial, mass: 1, inertia: 1}\n"
    "  wheel: {type: spatial, mass: 1, inertia: 1}\n"
    "  pinion: {type: spatial, mass: 1, inertia: 1}\n"
    "joints:\n"
    "  thread: {type: screw, markers: [ground, nut], pitch: 0.3}\n"
    "  rail: {type: prismatic, markers: [ground, rack]}\n"
    "  hub: {type: revolute, markers: [ground, wheel]}\n"
    "  pivot: {type: revolute, markers: [ground, pinion]}\n"
    "  mesh: {type: gear, joints: [hub, pivot], ratio: 3}\n"
    "  feed: {type: rack-and-pinion, joints: [hub, rail], radius: 0.1}\n"
    "forces:\n"
    "  coil: {type: torsion-spring, markers: [ground, pinion], stiffness: 5}\n"
    "simulation: {end: 100, step: 0.01}\n";

static void lost_counts_are_no_jumps(void **u) {
  (void)u;
  tr_system *sys = system_of_text(counting);
  tr_run *run = new_run(sys, "hht-i3", 0.01, NAN);
  for (int body = 0; body < 4; body++)
    for (int k = 2; k < 6; k += 3) { // along z, about z
      tr_state x;
      tr_ahead p;
      assert_int_equal(tr_state_new(sys, &x, NULL), TR_OK);
      x.v[6 * body + k] = 1, x.a[6 * body + k] = 7;
      assert_true(tr_ahead_make(run, &p));
      tr_jump jump = tr_ahead_find_jump(&p, &x, 0.01, 9);
      if (jump.part) fail_msg("\"%s\" jumps by %g, body %d", jump.part->name, jump.size, body);
      tr_ahead_free(&p);
      tr_state_free(sys, &x);
    }
  tr_run_free(run);
  tr_system_free(sys);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(explosions_are_no_affair_of_angles),
      cmocka_unit_test(angles_are_still_told),
      cmocka_unit_test(lost_counts_are_no_jumps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
