// SPDX-License-Identifier: Apache-2.0
// What every method has to keep besides its order: the constraint levels it claims, indifference to steps
// that were tried and not taken, time reversal where it holds, and long runs.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/problems.h"
#include "helper_cases.h"
#include "helper_claims.h"
#include "helper_courses.h"

// ---- constraint levels ------------------------------------------------------------------------------

// Newton's iteration ends when v is known to tol |v|. That leaves G v within a few tol |v|, and Phi within
// h times that; or round-off of lengths, whatever is more.
static void check_levels(const motion *x, const claim *c, double tol, long steps) {
  tr_run_settings s = tr_run_defaults();
  tr_error error = {0};
  tr_run *run;
  double h = x->end / 500;
  s.method = c->text, s.step = h, s.end = (double)steps * h;
  s.newton.tol = tol;
  if (tr_run_new(x->m.sys, &s, NULL, &run, &error) != TR_OK || tr_run_all(run, &error) != TR_OK)
    fail_msg("%s, %s: %s", x->name, c->text, error.text);
  tr_run_info info = tr_run_describe(run);
  const tr_state *end = tr_run_state(run);
  tr_system_info n = tr_system_describe(x->m.sys);
  double speed = fmax(x->scale_v, largest(n.nv, end->v));
  double length = fmax(1, fmax(x->scale_q, largest(n.nq, end->q)));
  double round = 100 * DBL_EPSILON * length;
  if (c->position)
    assert_near(info.max_phi, 0, 50 * tol * speed * h + round, "%s, %s: Phi", x->name, c->text);
  if (c->velocity)
    assert_near(info.max_phi_v, 0, 50 * tol * speed + round / h, "%s, %s: G v", x->name, c->text);
  tr_run_free(run);
}

static void levels(void **state) {
  static const char *const names[] = {"damped slider crank",
                                      "three-link pendulum",
                                      "heavy top",
                                      "swing",
                                      "bead on a breathing rail",
                                      "sleigh",
                                      "rolling coin",
                                      "driven loop",
                                      "loop in mixed coordinates",
                                      NULL};
  (void)state;
  claim list[MAX_CLAIMS];
  int n = all_claims(list);
  for (int k = 0; names[k]; k++) {
    motion x = follow_named(names[k]);
    for (int i = 0; i < n; i++) {
      if (!list[i].position || !in_turn(i, k, 5)) continue;
      check_levels(&x, &list[i], 1e-10, list[i].alternates ? 500 : (long)or_less(3000, 300));
      check_levels(&x, &list[i], 1e-13, list[i].alternates ? 500 : 1000);
    }
    motion_free(&x);
  }
}

// The descriptions name a level, or say that there is none.
static void descriptions(void **state) {
  (void)state;
  for (int i = 0; i < tr_method_count(); i++) {
    tr_method_info m = tr_method_describe(i);
    assert_true(!strncmp(m.levels, "position", 8) || !strncmp(m.levels, "none", 4));
    assert_true(m.order_q >= 1 && m.order_v >= 1 && m.order_lam >= 1);
    assert_true(strlen(m.doc) > 0 && strlen(m.damping) > 0 && strlen(m.cost) > 0);
    assert_true(strlen(m.reference) > 0);
  }
}

// ---- tried and not taken ----------------------------------------------------------------------------

// Both walk 24 steps of changing length; one tries others first, which may even fail.
static void check_retry(const motion *x, const claim *c, bool reuse) {
  static const double others[] = {0.37, 2, 0.05};
  tr_newton_settings newton = newton_to(1e-12);
  newton.reuse = reuse;
  stepper a = new_stepper(x->m.sys, c->text, &newton), b = new_stepper(x->m.sys, c->text, &newton);
  tr_system_info n = tr_system_describe(x->m.sys);
  for (int k = 0; k < 24; k++) {
    double h = x->step * (k % 8 == 5 ? 0.5 : 1);
    take_step(&a, h);
    for (int i = 0; i <= k % 3; i++) (void)tr_step_try(b.step, &b.x, others[i] * x->step, &b.next);
    take_step(&b, h);
  }
  // Without reuse every iteration has its own matrix: not a bit may differ.
  double q = reuse ? 1e-10 * x->scale_q : 0, v = reuse ? 1e-9 * x->scale_v : 0;
  assert_all_near(n.nq, b.x.q, a.x.q, q, "%s, %s: q after retries", x->name, c->text);
  assert_all_near(n.nv, b.x.v, a.x.v, v, "%s, %s: v after retries", x->name, c->text);
  if (!reuse) {
    assert_all_near(n.nv, b.x.a, a.x.a, 0, "%s, %s: a after retries", x->name, c->text);
    assert_all_near(n.nc, b.x.lam, a.x.lam, 0, "%s, %s: lam after retries", x->name, c->text);
  }
  free_stepper(&a), free_stepper(&b);
}

static void retries(void **state) {
  (void)state;
  claim list[MAX_CLAIMS];
  int n = all_claims(list);
  for (const course *c = courses; c->name; c++) {
    motion x = follow(c);
    for (int i = 0; i < n; i++) {
      if (!in_turn(i, (int)(c - courses), 4)) continue;
      check_retry(&x, &list[i], false);
      check_retry(&x, &list[i], true);
    }
    motion_free(&x);
  }
}

// ---- time reversal ----------------------------------------------------------------------------------

// Forth, velocities turned round, back: the distance from the start, in q and v.
static double turn_back(const tr_system *sys, const char *method, double h, int steps) {
  tr_newton_settings newton = newton_to(1e-14);
  tr_system_info n = tr_system_describe(sys);
  stepper s = new_stepper(sys, method, &newton);
  tr_state start;
  double off = 0;
  assert_int_equal(tr_state_new(sys, &start, NULL), TR_OK);
  tr_state_copy(&start, &s.x);
  for (int k = 0; k < steps; k++) take_step(&s, h);
  for (int i = 0; i < n.nv; i++) s.x.v[i] = -s.x.v[i];
  assert_int_equal(tr_step_begin(s.step, &s.x), TR_OK); // a and lam stay
  for (int k = 0; k < steps; k++) take_step(&s, h);
  for (int i = 0; i < n.nq; i++) off = fmax(off, fabs(s.x.q[i] - start.q[i]));
  for (int i = 0; i < n.nv; i++) off = fmax(off, fabs(s.x.v[i] + start.v[i]));
  tr_state_free(sys, &start);
  free_stepper(&s);
  return off;
}

static void reversal(void **state) {
  static const char *const reversible[] = {"newmark:beta=1/4,gamma=1/2", "hht-i3:alpha=0",
                                           "gen-alpha:rho=1", NULL};
  static const char *const undamped[] = {"c=0", NULL};
  (void)state;
  mechanism m[] = {load_model("pendulum.yaml", NULL), load_model("slider_crank.yaml", undamped),
                   load_model("three_link_pendulum.yaml", NULL), load_model("heavy_top.yaml", NULL),
                   load_problem(&tr_problem_seven_angles)};
  static const double step[] = {0.01, 0.002, 0.005, 0.0005, 1e-5};
  for (size_t k = 0; k < sizeof m / sizeof *m; k++) {
    for (int i = 0; reversible[i]; i++) {
      double off = turn_back(m[k].sys, reversible[i], step[k], 200);
      assert_near(off, 0, 1e-7, "model %d, %s: way back", (int)k, reversible[i]);
    }
    // Damped methods do not find back: the test can tell.
    double off = turn_back(m[k].sys, "hht-i3:alpha=-0.3", step[k], 200);
    if (!(off > 1e-6)) fail_msg("model %d: damping leaves no trace, %g", (int)k, off);
    unload(&m[k]);
  }
}

// ---- long runs --------------------------------------------------------------------------------------

typedef struct watch {
  tr_observer o;
  double half; // time
  double phi[2], phi_v[2], energy[2];
  tr_reader *reader;
} watch;

// In which half of the run were they worst?
static tr_status look(tr_observer *o, const tr_state *x, const tr_run_info *info) {
  watch *w = (watch *)o;
  double value[3];
  int half = x->t > w->half;
  TR_TRY(tr_reader_read(w->reader, x, value));
  w->phi[half] = fmax(w->phi[half], value[0]);
  w->phi_v[half] = fmax(w->phi_v[half], value[1]);
  w->energy[half] = fmax(w->energy[half], value[2] - info->energy0);
  return TR_OK;
}

static void check_long(const mechanism *m, const char *name, const claim *c, double h, long steps) {
  const int channel[3] = {tr_channel_find(m->sys, "constraint.position"),
                          tr_channel_find(m->sys, "constraint.velocity"),
                          tr_channel_find(m->sys, "energy.total")};
  tr_error error = {0};
  watch w = {.o = {.step = look}, .half = 0.5 * h * (double)steps};
  assert_int_equal(tr_reader_new(m->sys, 3, channel, &w.reader, NULL), TR_OK);
  tr_run *run = new_run(m->sys, c->text, h, h * (double)steps);
  assert_int_equal(tr_run_observe(run, &w.o), TR_OK);
  if (tr_run_all(run, &error) != TR_OK) fail_msg("%s, %s: %s", name, c->text, error.text);
  tr_run_info info = tr_run_describe(run);
  assert_int_equal(info.steps, steps);
  // What Newton's tolerance leaves, and it does not grow.
  if (c->position) {
    assert_near(w.phi[0], 0, 1e-11, "%s, %s: Phi", name, c->text);
    assert_near(w.phi[1], 0, 1e-11, "%s, %s: Phi later", name, c->text);
  }
  double limit = c->velocity ? 5e-9 : fmax(1e-9, 1.5 * w.phi_v[0]);
  assert_near(w.phi_v[1], 0, limit, "%s, %s: G v later", name, c->text);
  // No energy comes in but for the error of the method in a period; explicit ones gain a little in each.
  double more = c->position ? 1.2 : 3;
  double allowed = fmax(1e-4 * fabs(info.energy0), more * fmax(w.energy[0], 0));
  if (!(w.energy[1] <= allowed))
    fail_msg("%s, %s: energy grows by %g, allowed %g", name, c->text, w.energy[1], allowed);
  tr_run_free(run);
  tr_reader_free(w.reader);
}

// 100 000 steps of the two methods that are meant for it, fewer of the others; TR_TEST_LONG: ten times
// as many. The slider crank swings without its damper.
static void long_runs(void **state) {
  static const char *const undamped[] = {"c=0", NULL};
  static const char *const far[] = {"hht-i3", "hht-si2", "gen-alpha:index=2", NULL};
  (void)state;
  long times = getenv("TR_TEST_LONG") ? 10 : 1;
  mechanism pendulum = load_model("pendulum.yaml", NULL);
  mechanism crank = load_model("slider_crank.yaml", undamped);
  claim list[MAX_CLAIMS];
  int n = all_claims(list);
  for (int i = 0; i < n; i++) {
    bool chosen = false;
    for (int k = 0; far[k]; k++) chosen = chosen || !strcmp(far[k], list[i].text);
    if (!chosen && i >= tr_method_count()) continue;
    long steps = (chosen ? (long)or_less(100000, 5000) : (long)or_less(10000, 2500)) * times;
    check_long(&pendulum, "pendulum", &list[i], 1e-3, steps);
    check_long(&crank, "slider crank", &list[i], 1e-3, steps);
  }
  unload(&pendulum), unload(&crank);
}

// Twice per turn constraints of the chain of four-bars become dependent. All implicit methods pass.
static void singular_positions(void **state) {
  static const char *const ten[] = {"N=10", NULL};
  (void)state;
  mechanism m = load_model("four_bar_chain.yaml", ten);
  for (int i = 0; i < tr_method_count(); i++) {
    if (tr_methods()[i]->direct) continue;
    const char *method = tr_method_describe(i).name;
    tr_error error = {0};
    tr_run *run = new_run(m.sys, method, 1e-3, 2);
    if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", method, error.text);
    assert_near(tr_run_describe(run).max_phi, 0, 2e-9, "%s: Phi", method);
    assert_true(tr_run_describe(run).max_energy_change < 2);
    tr_run_free(run);
  }
  unload(&m);
}

// With TR_TEST_LONG a million steps of every method, in the plane, in space and on a mechanism with many
// constraints: none fails, and none leaves its constraints.
static void million(const char *model, const char *const *set, double h, const claim *c) {
  enum { MILLION = 1000000 };
  mechanism m = load_model(model, set);
  tr_error error = {0};
  tr_run *run = new_run(m.sys, c->text, h, h * MILLION);
  if (tr_run_all(run, &error) != TR_OK) fail_msg("%s, %s: %s", model, c->text, error.text);
  tr_run_info info = tr_run_describe(run);
  double speed = 0;
  for (int i = 0; i < m.sys->nv; i++) speed = fmax(speed, fabs(tr_run_state(run)->v[i]));
  assert_int_equal(info.steps, MILLION);
  if (c->position) assert_near(info.max_phi, 0, 1e-9, "%s, %s: Phi", model, c->text);
  if (c->velocity)
    assert_near(info.max_phi_v, 0, 1e-7 * fmax(1, speed), "%s, %s: G v", model, c->text);
  assert_true(info.max_phi < 1e-2 && isfinite(info.max_energy_change));
  tr_run_free(run);
  unload(&m);
}

static void a_million_steps(void **state) {
  static const char *const undamped[] = {"c=0", NULL}, *const free_motion[] = {"mom=0", NULL};
  (void)state;
  if (!getenv("TR_TEST_LONG")) skip();
  claim list[MAX_CLAIMS];
  all_claims(list);
  for (int i = 0; i < tr_method_count(); i++) {
    million("slider_crank.yaml", undamped, 0x1p-9, &list[i]);
    million("heavy_top.yaml", NULL, 1e-4, &list[i]);
    million("seven_body.yaml", free_motion, 1e-6, &list[i]);
  }
}

// The trapezoidal rule on index 3: a and lam alternate about their values, and ever more so. What is
// delivered is computed from the state. On index 2 nothing alternates, and a long run with short steps
// goes through.
static void trapezoidal_rule(void **state) {
  (void)state;
  mechanism m = load_model("pendulum.yaml", NULL);
  static const char *const rule[] = {"newmark:beta=1/4,gamma=1/2", "gen-alpha:rho=1,index=2",
                                     "hht-si2:alpha=0", NULL};
  for (int i = 0; rule[i]; i++) {
    tr_run *run;
    tr_error error = {0};
    tr_run_settings s = tr_run_defaults();
    s.method = rule[i], s.step = 1e-4, s.end = i == 0 ? 4 : or_less(20, 5);
    s.newton.tol = 1e-13; // without damping what the iteration leaves in a stays and adds up
    if (tr_run_new(m.sys, &s, NULL, &run, &error) != TR_OK || tr_run_all(run, &error) != TR_OK)
      fail_msg("%s: %s", rule[i], error.text);
    const tr_state *x = tr_run_state(run);
    tr_state again;
    assert_int_equal(tr_state_new(m.sys, &again, NULL), TR_OK);
    tr_state_copy(&again, x);
    assert_int_equal(tr_accelerations(m.sys, &again, NULL), TR_OK);
    // each step leaves a round-off of eps/cq, cq = h^2/4, and nothing damps it: they add up like a random
    // walk, measured 2 to 6 times eps/cq sqrt(steps) over steps of 1e-4 .. 4e-4 and 5 .. 40 s
    double walk = 6 * DBL_EPSILON / (0.25 * s.step * s.step) * sqrt(s.end / s.step);
    assert_all_near(2, x->a, again.a, walk, "%s: a", rule[i]);
    assert_all_near(1, x->lam, again.lam, walk, "%s: lam", rule[i]);
    assert_true(tr_run_describe(run).max_energy_change < 1e-6);
    tr_state_free(m.sys, &again);
    tr_run_free(run);
  }
  unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(descriptions),    cmocka_unit_test(levels),
      cmocka_unit_test(retries),         cmocka_unit_test(reversal),
      cmocka_unit_test(long_runs),       cmocka_unit_test(singular_positions),
      cmocka_unit_test(a_million_steps), cmocka_unit_test(trapezoidal_rule),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
