// SPDX-License-Identifier: Apache-2.0
// Runs under error control that say they went well are right, and what the others say is the reason.
#include <math.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_mechanics.h"
#include "system/system.h"

static tr_status run_to_end(const tr_system *sys, const char *method, double tol, tr_run **run,
                            tr_error *error) {
  tr_run_settings set = tr_run_defaults();
  *error = (tr_error){0};
  set.method = method, set.control.tol = tol;
  tr_status status = tr_run_new(sys, &set, NULL, run, error);
  return status == TR_OK ? tr_run_all(*run, error) : status;
}

// ---- an eccentric -----------------------------------------------------------------------------------

// A crane of 50 m and 20 t with an eccentric of 1 mm and 1 g at its tip, which no tolerance fit for the crane can see.
static const char *const crane =
    "trammel: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  boom: {type: planar, mass: 20000, inertia: 20000*2500/12, position: [15, 20],\n"
    "         angle: \"atan2(40, 30)\", keep: [angle]}\n"
    "  load: {type: planar-point, mass: 3000, position: [30, 20]}\n"
    "  ecc: {type: planar, mass: 1e-3, inertia: 1e-9, com: [1e-3, 0], position: [30, 40], omega: "
    "300}\n"
    "joints:\n"
    "  foot: {type: revolute, markers: [ground, {body: boom, at: [-25, 0]}]}\n"
    "  pin: {type: revolute, markers: [{body: boom, at: [25, 0]}, ecc]}\n"
    "forces:\n"
    "  rope: {type: spring-damper, markers: [{body: boom, at: [25, 0]}, load], stiffness: 2e7,\n"
    "         damping: 1e3, free-length: 19.99}\n"
    "  ram: {type: spring-damper, markers: [{at: [10, 0]}, {body: boom, at: [-10, 0]}],\n"
    "        stiffness: 5e7, damping: 1e6, force: \"2e5 + 3e5*step(time, 0.5, 0, 1, 1)\"}\n"
    "simulation: {end: 3 s}\n";

// Steps that turn it at random angles drive it until it moves the crane: thousands of times the energy of the ram's work.
// The stabilised methods and those with much damping must come through, none may be wrong without a word.
static void eccentric_does_not_move_the_crane(void **u) {
  (void)u;
  static const char *const well[] = {"hht-i3", "nstiff", "hht-si2",        "nstiff-si2",
                                     "cm",     "cs",     "cm:order=5",     "cs:order=5",
                                     "radau5", "pfpc2",  "ggl-bdf:order=5"};
  static const double tol[] = {1e-2, 1e-3};
  mechanism m = load_text(crane);
  tr_error error;
  tr_run *run;
  assert_int_equal(run_to_end(m.sys, "radau5", 1e-5, &run, &error), TR_OK);
  double work = tr_run_describe(run).max_energy_change; // 1600 J
  tr_run_free(run);
  int known = (int)(sizeof well / sizeof *well);
  for (int i = 0; i < known + tr_method_count(); i++)
    for (int k = 0; k < 2; k++) {
      if (!in_turn(i, k, 2)) continue;
      const char *method = i < known ? well[i] : tr_method_describe(i - known).name;
      tr_status status = run_to_end(m.sys, method, tol[k], &run, &error);
      tr_run_info info = tr_run_describe(run);
      if (i < known && status != TR_OK) fail_msg("%s, %g: %s", method, tol[k], error.text);
      if (status == TR_OK && !(info.max_energy_change < 1.5 * work) && !info.notes[0])
        fail_msg("%s, %g: %g J", method, tol[k], info.max_energy_change);
      tr_run_free(run);
    }
  unload(&m);
}

// ---- jumps ------------------------------------------------------------------------------------------

// One force jumps a few times, the other one for ever, at rest: that is what velocities swing about.
static void the_jump_is_named(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  crank: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0], keep: [angle]}\n"
      "  rod: {type: planar, mass: 1, inertia: 0.1, position: [1.5, 0]}\n"
      "joints:\n"
      "  a: {type: revolute, markers: [ground, {body: crank, at: [-0.5, 0]}]}\n"
      "  b: {type: revolute, markers: [{body: crank, at: [0.5, 0]}, {body: rod, at: [-0.5, 0]}]}\n"
      "forces:\n"
      "  dry: {type: torsion-spring, joint: a, torque: \"-4*sign(rate)\"}\n"
      "  kick: {type: force, markers: [rod], force: [\"if(DX(rod) < 0.3, 50, 0)\", 0]}\n"
      "simulation: {end: 3 s}\n");
  static const double tol[] = {1e-4, 1e-6, 1e-8};
  int named = 0;
  for (int i = 0; i < tr_method_count(); i++)
    for (int k = 0; k < 3; k++) {
      if (!in_turn(i, k, 3)) continue;
      const char *method = tr_method_describe(i).name;
      tr_error error;
      tr_run *run;
      tr_status status = run_to_end(m.sys, method, tol[k], &run, &error);
      const char *notes = tr_run_describe(run).notes;
      if (strstr(error.text, "\"kick\"") || strstr(notes, "\"kick\""))
        fail_msg("%s, %g: %s%s", method, tol[k], error.text, notes);
      if (status != TR_OK && !strstr(error.text, "force \"dry\" is discontinuous"))
        fail_msg("%s, %g: %s", method, tol[k], error.text);
      named += strstr(notes, "\"dry\"") != NULL;
      if (k == 2 && status == TR_OK && !strstr(notes, "\"dry\""))
        fail_msg("%s, %g: no word", method, tol[k]);
      tr_run_free(run);
    }
  assert_true(named >= (all_cases() ? 6 : 2));
  unload(&m);
}

// ---- poles ------------------------------------------------------------------------------------------

// A point that falls into an attraction 1/x^2 is there at pi/sqrt(8) s, and nowhere afterwards.
static void no_step_jumps_over_a_pole(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\n"
      "bodies: {p: {type: planar-point, mass: 1, position: [1, 0]}}\n"
      "forces:\n"
      "  pull: {type: force, markers: [p], force: [\"-1/DX(p)^2*sign(DX(p))\", 0]}\n"
      "simulation: {end: 2 s}\n");
  static const double tol[] = {1e-3, 1e-4, 1e-6};
  for (int i = 0; i < tr_method_count(); i++)
    for (int k = 0; k < 3; k++) {
      const char *method = tr_method_describe(i).name;
      tr_error error;
      tr_run *run;
      tr_status status = run_to_end(m.sys, method, tol[k], &run, &error);
      if (status != TR_FAILED || !strstr(error.text, "force \"pull\"") ||
          !strstr(error.text, "pole"))
        fail_msg("%s, %g: %s", method, tol[k], status == TR_OK ? "no word" : error.text);
      assert_near(tr_run_describe(run).t, 1.1107207, 0.05, "%s, %g", method, tol[k]);
      tr_run_free(run);
    }
  unload(&m);
}

// ---- explicit methods on stiff models ---------------------------------------------------------------

// Masses in a row on stiff springs, hardly damped or not at all.
static const char *const chain =
    "trammel: 1\n"
    "parameters: {k: 1e8}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  arm: {type: spatial, mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.5, 0, 0]}\n"
    "  p1: {type: spatial-point, mass: 1, position: [1.3, 0, 0]}\n"
    "  p2: {type: spatial-point, mass: 1, position: [1.6, 0.1, 0]}\n"
    "  b3: {type: spatial, mass: 1, inertia: [0.01, 0.02, 0.03], position: [1.9, 0, 0.2]}\n"
    "joints:\n"
    "  u: {type: universal, bodies: [ground, arm], at: [0, 0, 0]}\n"
    "forces:\n"
    "  s1: {type: spring-damper, markers: [{body: arm, at: [0.5, 0, 0]}, p1], stiffness: k,\n"
    "       damping: 0.001*sqrt(k)}\n"
    "  s2: {type: spring-damper, markers: [p1, p2], stiffness: k, damping: 0.001*sqrt(k)}\n"
    "  s3: {type: spring-damper, markers: [p2, {body: b3, at: [0.05, 0.03, 0]}], stiffness: k}\n"
    "simulation: {end: 0.5 s}\n";

static double distance(const tr_system *sys, const tr_state *a, const tr_state *b) {
  double most = 0;
  for (int i = 0; i < sys->nq; i++) most = fmax(most, fabs(a->q[i] - b->q[i]));
  return most;
}

// At the limit of stability spurious motions are too small for the tolerance of positions, but not their energy: runs
// must be right, or fail. Damped ones are right.
static void explicit_methods_are_right_or_fail(void **u) {
  (void)u;
  static const char *const method[] = {"pfpc1", "pfpc2", "baumgarte", "baumgarte:scheme=rk4"};
  static const double tol[] = {1e-2, 1e-3, 1e-4};
  mechanism m[] = {load_model("flyball_governor.yaml", NULL),
                   load_model("double_pendulum.yaml", NULL), load_text(chain)};
  const char *const name[] = {"governor", "double pendulum", "chain"};
  for (int k = 0; k < 3; k++) {
    tr_run_settings set = tr_run_defaults();
    tr_run *fine = NULL, *run = NULL;
    tr_error error = {0};
    set.end = (k == 1 ? 0.1 : 0.3) * or_less(1, 0.2), set.method = "radau5", set.control.tol = 1e-8;
    assert_int_equal(tr_run_new(m[k].sys, &set, NULL, &fine, &error), TR_OK);
    assert_int_equal(tr_run_all(fine, &error), TR_OK);
    for (int i = 0; i < 4 * 3; i++) {
      if (!in_turn(i / 3 + k, i, 3)) continue;
      set.method = method[i / 3], set.control.tol = tol[i % 3];
      assert_int_equal(tr_run_new(m[k].sys, &set, NULL, &run, &error), TR_OK);
      bool fails = tr_run_all(run, &error) != TR_OK;
      double off = distance(m[k].sys, tr_run_state(run), tr_run_state(fine));
      if (fails && k < 2) fail_msg("%s, %s, %g: %s", name[k], set.method, tol[i % 3], error.text);
      if (!fails && !(off < (i % 3 == 0 ? 0.2 : 0.03)))
        fail_msg("%s, %s, %g: off by %g", name[k], set.method, tol[i % 3], off);
      tr_run_free(run);
    }
    tr_run_free(fine);
    unload(&m[k]);
  }
}

// Two masses on springs that swing by 2 and 3 mm. What an explicit method adds to that may be most of the motion and still
// within a coarse tolerance: then it is told; beyond the tolerance it is no result.
static void made_up_within_the_tolerance(void **u) {
  (void)u;
  static const struct {
    const char *method;
    double tol;
    bool fails;
  } runs[] = {{"pfpc2", 1e-2, false},    {"pfpc2", 5e-3, false},    {"pfpc2", 2e-2, true},
              {"baumgarte", 1e-2, true}, {"baumgarte", 1e-3, true}, {"baumgarte", 1e-4, true}};
  mechanism m = load_text(
      "trammel: 1\ngravity: [0, -9.81]\nbodies:\n"
      "  a: {type: planar-point, mass: 1, position: [0, 1]}\n"
      "  b: {type: planar-point, mass: 1, position: [0, 2]}\n"
      "forces:\n"
      "  k1: {type: spring-damper, markers: [ground, a], stiffness: 1e4, free-length: 1}\n"
      "  k2: {type: spring-damper, markers: [a, b], stiffness: 1e4, free-length: 1}\n"
      "simulation: {end: 2 s}\n");
  tr_run_settings set = tr_run_defaults();
  tr_run *fine = NULL, *run = NULL;
  set.method = "radau5", set.control.tol = 1e-9;
  assert_int_equal(tr_run_new(m.sys, &set, NULL, &fine, NULL), TR_OK);
  assert_int_equal(tr_run_all(fine, NULL), TR_OK);
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    tr_error error = {0};
    set.method = runs[i].method, set.control.tol = runs[i].tol;
    assert_int_equal(tr_run_new(m.sys, &set, NULL, &run, NULL), TR_OK);
    bool fails = tr_run_all(run, &error) != TR_OK;
    double off = distance(m.sys, tr_run_state(run), tr_run_state(fine));
    if (fails != runs[i].fails || (!fails && !(off < runs[i].tol)))
      fail_msg("%s, %g: off by %g %s", set.method, runs[i].tol, off, error.text);
    if (!fails) assert_non_null(strstr(tr_run_describe(run).notes, "the energy grew"));
    tr_run_free(run);
  }
  tr_run_free(fine);
  unload(&m);
}

// Positions are known to round-off, which the error of velocities feels by 1/h: tolerances below that cost steps without end,
// and it is told why.
static void round_off_is_told(void **u) {
  (void)u;
  static const struct {
    double tol;
    const char *tells; // NULL: nothing to tell
    bool fails;
  } runs[] = {{1e-10, NULL, false},
              {1e-11, "below what round-off", false},
              {1e-12, "near round-off", true}};
  mechanism m = load_model("double_pendulum.yaml", NULL);
  tr_run_settings set = tr_run_defaults();
  set.method = "radau5", set.control.velocities = true, set.end = 1e-3;
  for (int i = 0; i < 3; i++) {
    tr_run *run = NULL;
    tr_error error = {0};
    set.control.tol = runs[i].tol;
    assert_int_equal(tr_run_new(m.sys, &set, NULL, &run, NULL), TR_OK);
    bool fails = tr_run_all(run, &error) != TR_OK;
    const char *text = fails ? error.text : tr_run_describe(run).notes;
    if (fails != runs[i].fails || !strstr(text, runs[i].tells ? runs[i].tells : "") ||
        (!runs[i].tells && text[0]))
      fail_msg("%g: %s", runs[i].tol, text);
    tr_run_free(run);
  }
  unload(&m);
}

// A free body has no reactions, and no constraints, that could be blamed.
static void no_constraints_no_blame(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\n"
      "bodies:\n"
      "  b: {type: planar, mass: 1, inertia: 1, position: [1, 0]}\n"
      "forces:\n"
      "  f: {type: force, markers: [b], force: [\"exp(20*(time + DX(b)))\", 0]}\n");
  tr_error error = {0};
  tr_run *run;
  tr_run_settings set = tr_run_defaults();
  set.method = "hht-add", set.step = 0.5, set.end = 1;
  assert_int_equal(tr_run_new(m.sys, &set, NULL, &run, &error), TR_OK);
  assert_int_equal(tr_run_all(run, &error), TR_FAILED);
  if (strstr(error.text, "reactions") || strstr(error.text, "constraints"))
    fail_msg("%s", error.text);
  tr_run_free(run);
  unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(eccentric_does_not_move_the_crane),
                                     cmocka_unit_test(the_jump_is_named),
                                     cmocka_unit_test(no_step_jumps_over_a_pole),
                                     cmocka_unit_test(explicit_methods_are_right_or_fail),
                                     cmocka_unit_test(made_up_within_the_tolerance),
                                     cmocka_unit_test(round_off_is_told),
                                     cmocka_unit_test(no_constraints_no_blame)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
