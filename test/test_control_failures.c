// SPDX-License-Identifier: Apache-2.0
// Error control: what cannot be is refused, a run that ends early says why, what is no error fails no step, and times are hit.
#include <math.h>
#include <string.h>
#include <time.h>

#include "helper_cases.h"
#include "helper_control.h"
#include "helper_problems.h"

// ---- refusals and failures --------------------------------------------------------------------------

static void what_makes_no_sense_is_refused(void **u) {
  (void)u;
  static const char *const undamped[] = {"newmark:gamma=0.5,beta=1/4", "hht-i3:alpha=0",
                                         "gen-alpha:rho=1"};
  mechanism m = load_model("slider_crank.yaml", NULL);
  for (int i = 0; i < 3; i++) {
    tr_run_settings s = controlled(undamped[i], 1e-4, 1);
    assert_refused(m.sys, &s, "needs numerical damping");
  }
  static const double bad[] = {-1e-3, 1, 7, NAN, INFINITY};
  for (int i = 0; i < 5; i++) {
    tr_run_settings s = controlled("hht-i3", bad[i], 1);
    assert_refused(m.sys, &s, "between 0 and 1");
  }
  tr_run_settings s = controlled("hht-i3", 1e-4, 1);
  s.newton.fixed_iterations = 2;
  assert_refused(m.sys, &s, "fixed number of Newton iterations");
  s = controlled("hht-i3", 1e-4, 1);
  s.control.min_step = 0.1, s.control.max_step = 0.01;
  assert_refused(m.sys, &s, "smallest step is larger");
  s.control.min_step = -1;
  assert_refused(m.sys, &s, "negative");
  s = controlled("hht-i3", 1e-4, 1);
  s.control.max_step = 1e-16;
  assert_refused(m.sys, &s, "below the smallest that moves times");
  unload(&m);
}

// Driven along q = t, and set back by 1 at t = 1/2.
static tr_status jump(const tr_problem *p, double t, const double *q, double *phi) {
  (void)p;
  phi[0] = q[0] - t + (t > 0.5 ? 1 : 0);
  return TR_OK;
}

static void collapse_is_explained(void **u) {
  (void)u;
  static const double q0[] = {0}, v0[] = {1};
  const tr_problem jumping = {
      .n = 1, .m = 1, .q0 = q0, .v0 = v0, .mass = unit_mass, .force = no_force, .phi = jump};
  mechanism m = load_problem(&jumping);
  for (int i = 0; i < control_cases(); i++) {
    if (strstr(control_method(i), "unit=1/s")) continue; // soft feedback: it follows
    if (!in_turn(i, 0, 2)) continue;
    tr_error error = {0};
    tr_run_settings s = controlled(control_method(i), 1e-4, 1);
    s.control.max_step = 0.05; // what is explicit would not look at the jump else
    tr_run *run = begin_run(m.sys, &s);
    tr_status status = tr_run_all(run, &error);
    if (status != TR_FAILED) fail_msg("%s: %s", control_method(i), tr_status_text(status));
    if (!strstr(error.text, "body \"p\"") || !strstr(error.text, "discontinuous"))
      fail_msg("%s: %s", control_method(i), error.text);
    // the state is the last good one
    const tr_state *x = tr_run_state(run);
    if (!(x->t > 0.4 && x->t <= 0.55)) fail_msg("%s: stopped at %g", control_method(i), x->t);
    assert_near(x->q[0], x->t, 1e-3, "%s: last state", control_method(i));
    assert_true(tr_run_describe(run).rejected > 5);
    tr_run_free(run);
  }
  // a smallest step of one's own ends it sooner
  tr_error error = {0};
  tr_run_settings s = controlled("hht-i3", 1e-4, 1);
  s.control.min_step = 1e-3;
  tr_run *run = begin_run(m.sys, &s);
  assert_int_equal(tr_run_all(run, &error), TR_FAILED);
  assert_true(tr_run_describe(run).rejected < 10);
  tr_run_free(run);
  unload(&m);
}

// What feedback with gains of 1/h takes back at once is no error of the step, or no step would be short enough:
// these fell to nothing. And a contact is not stepped into unseen.
static void feedback_is_no_error(void **u) {
  (void)u;
  static const char *const forty[] = {"N=40", NULL};
  static const struct {
    const char *file, *const *set, *method;
    double tol, end;
  } cases[] = {{"four_bar_chain.yaml", forty, "pfpc1", 1e-6, 0.5},
               {"universal_shaft.yaml", NULL, "pfpc1", 1e-3, NAN},
               {"cam_follower.yaml", NULL, "pfpc1", 1e-5, NAN},
               {"peaucellier.yaml", NULL, "pfpc1", 1e-7, 0.1},
               {"newtons_cradle.yaml", NULL, "pfpc1", 1e-3, NAN},
               {"newtons_cradle.yaml", NULL, "pfpc2", 1e-5, NAN},
               {"screw_jack.yaml", NULL, "pfpc1", 1e-3, NAN}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    mechanism m = load_model(cases[i].file, cases[i].set);
    tr_run_settings s = controlled(cases[i].method, cases[i].tol, cases[i].end);
    tr_run *run = begin_run(m.sys, &s);
    tr_run_info info = finish(run, cases[i].file);
    if (!(info.max_phi < 50 * s.control.tol) || info.steps > 3000)
      fail_msg("%s by %s: open by %g, %ld steps", cases[i].file, s.method, info.max_phi,
               info.steps);
    tr_run_free(run);
    unload(&m);
  }
}

// Lengths at which steps fail again and again are avoided: wheels that spin, beams and controllers had every
// second step rejected.
static void failures_are_remembered(void **u) {
  (void)u;
  static const struct {
    const char *file, *method;
    double tol;
  } cases[] = {
      {"double_wishbone.yaml", "hht-si2", 1e-3}, {"double_wishbone.yaml", "nstiff-si2", 1e-5},
      {"rotating_beam.yaml", "ggl-bdf", 1e-5},   {"robot_arm_pid.yaml", "ggl-bdf", 1e-5},
      {"epicyclic_gear.yaml", "cs", 1e-5},       {"hydraulic_actuator.yaml", "ggl-bdf", 1e-5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    mechanism m = load_model(cases[i].file, NULL);
    tr_run_settings s = controlled(cases[i].method, cases[i].tol, NAN);
    tr_run *run = begin_run(m.sys, &s);
    tr_run_info info = finish(run, cases[i].file);
    if (info.rejected > info.steps / 10)
      fail_msg("%s by %s: %ld of %ld steps rejected", cases[i].file, s.method, info.rejected,
               info.steps);
    tr_run_free(run);
    unload(&m);
  }
}

// A recorded acceleration that passes zero inside a step late in the run: integrating it took seconds for a
// single step, halving what was round-off.
static void recorded_motion_is_cheap(void **u) {
  (void)u;
  mechanism m = load_model("shake_table.yaml", NULL);
  tr_run_settings s = controlled("nstiff-si2", 1e-7, NAN);
  tr_run *run = begin_run(m.sys, &s);
  clock_t before = clock();
  finish(run, s.method);
  assert_true((double)(clock() - before) < 4.0 * CLOCKS_PER_SEC);
  tr_run_free(run);
  unload(&m);
}

// ---- times ------------------------------------------------------------------------------------------

static void times_are_hit(void **u) {
  (void)u;
  mechanism m = load_model("slider_crank.yaml", NULL);
  for (int i = 0; i < control_cases(); i++) {
    tr_error error = {0};
    tr_run_settings s = controlled(control_method(i), 1e-3, 0.7);
    tr_run *run = begin_run(m.sys, &s);
    assert_int_equal(tr_run_to(run, 0.1 / 3, &error), TR_OK);
    assert_true(tr_run_state(run)->t == 0.1 / 3);
    assert_int_equal(tr_run_to(run, 0.33, &error), TR_OK);
    assert_true(tr_run_state(run)->t == 0.33);
    finish(run, s.method);
    assert_true(tr_run_state(run)->t == 0.7);
    tr_run_free(run);
    // step by step
    run = begin_run(m.sys, &s);
    long steps = 0;
    for (double t = 0; t < 0.7; steps++) {
      assert_int_equal(tr_run_step(run, &error), TR_OK);
      assert_true(tr_run_state(run)->t > t);
      t = tr_run_state(run)->t;
    }
    assert_true(tr_run_state(run)->t == 0.7);
    assert_int_equal(tr_run_describe(run).steps, steps);
    // there is none beyond the end, until that lies elsewhere
    assert_int_equal(tr_run_step(run, &error), TR_STOPPED);
    assert_non_null(strstr(error.text, "at its end, t = 0.7 s"));
    assert_true(tr_run_state(run)->t == 0.7 && tr_run_describe(run).steps == steps);
    assert_int_equal(tr_run_to(run, 0.8, &error), TR_OK);
    assert_int_equal(tr_run_step(run, NULL), TR_STOPPED);
    assert_true(tr_run_state(run)->t == 0.8);
    tr_run_free(run);
  }
  unload(&m);
}

static void largest_step_is_kept(void **u) {
  (void)u;
  mechanism m = load_model("slider_crank.yaml", NULL);
  tr_run_settings s = controlled("hht-i3", 1e-3, 1);
  s.control.max_step = 0.01, s.control.first_step = 0.5;
  tr_run *run = begin_run(m.sys, &s);
  tr_run_info info = finish(run, s.method);
  assert_true(info.largest_step < 0.01 + 1e-12 && info.steps >= 100 && info.steps < 110);
  tr_run_free(run);
  unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_makes_no_sense_is_refused), cmocka_unit_test(collapse_is_explained),
      cmocka_unit_test(feedback_is_no_error),           cmocka_unit_test(failures_are_remembered),
      cmocka_unit_test(recorded_motion_is_cheap),       cmocka_unit_test(times_are_hit),
      cmocka_unit_test(largest_step_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
