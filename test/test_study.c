// SPDX-License-Identifier: Apache-2.0
// Studies: orders and errors known from elsewhere, the same bits from any number of threads, and clear
// refusals.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/study.h"
#include "helper_cases.h"
#include "helper_study.h"

// ---- convergence ------------------------------------------------------------------------------------

static void fitted_orders(void **u) {
  (void)u;
  static const char *const methods[] = {"newmark", "hht-i3", "nstiff"};
  static const double orders[] = {1, 2, 2}, steps[] = {0x1p-10, 0x1p-7, 0x1p-8, 0x1p-9};
  mechanism m = load_model("slider_crank.yaml", NULL);
  tr_study_settings set = tr_study_defaults(TR_STUDY_CONVERGENCE);
  set.methods = 3, set.method = methods, set.steps = 4, set.step = steps, set.end = 1;
  tr_study *s = run_study(m.sys, TR_STUDY_CONVERGENCE, &set);
  const tr_table *t = table(s, "orders");
  for (int k = 0; k < 3; k++) {
    assert_near(number(t, k, "order_q"), orders[k], 0.08, "%s, q", methods[k]);
    assert_near(number(t, k, "order_v"), orders[k], 0.08, "%s, v", methods[k]);
    assert_near(number(t, k, "order_lam"), orders[k], 0.08, "%s, lam", methods[k]);
  }
  const tr_table *r = table(s, "reference");
  for (int k = 0; k < 3; k++) assert_true(number(r, k, "estimated_error") < 1e-9);
  assert_int_equal(s->page.figures, 1);
  for (int k = 0; k < 3; k++) { // triangles show the orders that there are
    const tr_panel *p = &s->page.figure[0].panel[k];
    assert_int_equal(p->slopes, 2);
    assert_true(p->slope[0] == 1 && p->slope[1] == 2);
  }
  tr_study_free(s);
  unload(&m);
}

// Ends that steps do not divide: by given steps that have times in common, by some that do not, by the usual ones.
static void odd_ends(void **u) {
  (void)u;
  static const char *const methods[] = {"hht-i3", "nstiff"};
  static const double nested[] = {0x1p-8, 0x1p-9, 0x1p-10, 0x1p-11};
  static const double odd[] = {0.0021, 0.0011, 0.0006, 0.00031};
  static const struct {
    int n;
    const double *step;
    double end;
  } course[] = {{4, nested, 0.2013}, {4, odd, 0.2013}, {0, NULL, 0.2013}};
  mechanism m = load_model("universal_shaft.yaml", NULL);
  for (int i = 0; i < 3; i++) {
    if (!in_turn(1, i, 3)) continue;
    tr_study_settings set = tr_study_defaults(TR_STUDY_CONVERGENCE);
    set.methods = 2, set.method = methods, set.end = course[i].end;
    set.steps = course[i].n, set.step = course[i].step;
    tr_study *s = run_study(m.sys, TR_STUDY_CONVERGENCE, &set);
    const tr_table *t = table(s, "orders");
    for (int k = 0; k < 2; k++) {
      assert_near(number(t, k, "order_v"), 2, 0.1, "%s, v, course %d", methods[k], i);
      assert_near(number(t, k, "order_lam"), 2, 0.15, "%s, lam, course %d", methods[k], i);
    }
    tr_study_free(s);
  }
  unload(&m);
}

// Errors of the crank's rate at the end of the damped slider crank, known from independent prototypes.
static void known_errors(void **u) {
  (void)u;
  static const char *const methods[] = {"newmark:beta=0.4,gamma=0.7",
                                        "nstiff:start=printed",
                                        "nstiff-si2:start=printed,metric=identity",
                                        "hht-i3:alpha=-0.3,start=printed",
                                        "hht-si2:start=printed",
                                        "hht-add"};
  static const double want[] = {2.9e-3, 3.4e-4, 3.1e-4, 1.39e-4, 1.34e-4, 4.2e-5}, h = 0x1p-10;
  static const char *const rate = "crank.omega";
  mechanism m = load_model("slider_crank.yaml", NULL);
  tr_study_settings set = tr_study_defaults(TR_STUDY_CONVERGENCE);
  set.methods = 6, set.method = methods, set.steps = 1, set.step = &h, set.end = 2;
  set.at_end = true, set.outputs = 1, set.output = &rate;
  tr_study *s = run_study(m.sys, TR_STUDY_CONVERGENCE, &set);
  for (int k = 0; k < 6; k++)
    assert_near(number(table(s, "errors"), k, "error_v"), want[k], 0.02 * want[k], "%s",
                methods[k]);
  // one step size: no order
  assert_true(isnan(number(table(s, "orders"), 0, "order_v")));
  tr_study_free(s);
  unload(&m);
}

// [GNP05] Tables 1 and 2: one iteration a step, errors at the end.
// Parameters that change the order change the claim, others do not; and the claims hold.
static void claims_of_parameters(void **u) {
  (void)u;
  static const struct {
    const char *method;
    int q, v, lam;
  } known[] = {{"hht-i3:alpha=-0.05", 2, 2, 2},
               {"gen-alpha:index=2", 2, 2, 2},
               {"hht-si2:start=printed", 2, 2, 1},
               {"newmark:gamma=0.5,beta=0.25", 2, 2, 2},
               {"ggl-bdf:order=1", 1, 1, 1},
               {"ggl-bdf:order=4", 3, 3, 3},
               {"pfpc2:passes=1", 1, 1, 1},
               {"baumgarte:scheme=rk4", 2, 1, 1},
               {"baumgarte:scheme=rk4,unit=1/s", 4, 4, 4}};
  enum { N = sizeof known / sizeof *known };
  static const double steps[] = {0x1p-8, 0x1p-9, 0x1p-10};
  const char *methods[N];
  for (int i = 0; i < N; i++) methods[i] = known[i].method;
  mechanism m = load_model("slider_crank.yaml", NULL);
  tr_study_settings set = tr_study_defaults(TR_STUDY_CONVERGENCE);
  set.methods = N, set.method = methods, set.steps = 3, set.step = steps, set.end = 1;
  tr_study *s = run_study(m.sys, TR_STUDY_CONVERGENCE, &set);
  const tr_table *t = table(s, "orders");
  for (int i = 0; i < N; i++) {
    assert_true(number(t, i, "claimed_q") == known[i].q);
    assert_true(number(t, i, "claimed_v") == known[i].v);
    assert_true(number(t, i, "claimed_lam") == known[i].lam);
    if (!(number(t, i, "order_q") > known[i].q - 0.25))
      fail_msg("%s: %g", methods[i], number(t, i, "order_q"));
  }
  tr_study_free(s);
  unload(&m);
}

static void given_iterations(void **u) {
  (void)u;
  static const char *const methods[] = {"newmark:beta=1/4,gamma=1/2",
                                        "newmark:beta=25/64,gamma=3/4"};
  static const double want[2][2][2] = {{{2.82e-4, 9.02e-4}, {7.05e-5, 2.29e-4}},
                                       {{3.15e-3, 1.20e-1}, {1.31e-3, 6.12e-2}}};
  static const double steps[] = {0x1p-8, 0x1p-9};
  mechanism m = load_model("pendulum.yaml", NULL);
  tr_study_settings set = tr_study_defaults(TR_STUDY_CONVERGENCE);
  set.methods = 2, set.method = methods, set.steps = 2, set.step = steps, set.end = 4;
  set.at_end = true, set.newton_iterations = 1;
  tr_study *s = run_study(m.sys, TR_STUDY_CONVERGENCE, &set);
  const tr_table *t = table(s, "errors");
  for (int k = 0; k < 4; k++) {
    const double *w = want[k / 2][k % 2];
    assert_near(number(t, k, "error_q"), w[0], 0.005 * w[0], "row %d, q", k);
    assert_near(number(t, k, "error_v"), w[1], 0.005 * w[1], "row %d, v", k);
  }
  tr_study_free(s);
  unload(&m);
}

// What has come to rest has no relative error, and a reference that is right is not called rough.
static void reference_at_rest(void **u) {
  (void)u;
  static const char *const methods[] = {"nstiff"};
  static const double tiny[] = {0x1p-60};
  mechanism m = load_text(
      "trammel: 1\ngravity: [0, -9.81]\nbodies:\n"
      "  a: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
      "joints:\n  p: {type: revolute, markers: [ground, {body: a, at: [-0.5, 0]}]}\n"
      "forces:\n"
      "  s: {type: torsion-spring, markers: [ground, a], stiffness: 1e9, damping: 1e5}\n"
      "simulation: {end: 1, step: 0.01}\n");
  tr_study_settings set = tr_study_defaults(TR_STUDY_CONVERGENCE);
  set.methods = 1, set.method = methods;
  tr_study *s = run_study(m.sys, TR_STUDY_CONVERGENCE, &set);
  assert_true(has_note(s, "v is 0 to round-off"));
  assert_true(has_note(s, "agrees with it"));
  assert_false(has_note(s, "too rough"));
  tr_study_free(s);
  // steps that are refused for being too short are not advised against with "smaller"
  tr_error e = {0};
  set.steps = 1, set.step = tiny;
  assert_int_equal(tr_study_run(m.sys, TR_STUDY_CONVERGENCE, &set, &s, &e), TR_BAD_INPUT);
  assert_non_null(strstr(e.text, "lost in the round-off"));
  assert_null(strstr(e.text, "may help"));
  unload(&m);
}

static void same_bits_from_threads(void **u) {
  (void)u;
  static const char *const methods[] = {"hht-si2", "pfpc2", "hht-i3"};
  static const double steps[] = {0x1p-6, 0x1p-7};
  static const tr_study_kind kinds[] = {TR_STUDY_CONVERGENCE, TR_STUDY_ENERGY, TR_STUDY_DRIFT,
                                        TR_STUDY_STABILITY};
  mechanism m = load_model("slider_crank.yaml", NULL);
  for (int i = 0; i < 4; i++) {
    tr_study_settings set = tr_study_defaults(kinds[i]);
    set.methods = 3, set.method = methods, set.steps = 2, set.step = steps, set.end = 0.5;
    set.threads = 1;
    tr_study *one = run_study(m.sys, kinds[i], &set);
    set.threads = 4;
    tr_study *four = run_study(m.sys, kinds[i], &set);
    assert_int_equal(one->page.tables, four->page.tables);
    for (int k = 0; k < one->page.tables; k++) {
      const tr_table *a = &one->page.table[k], *b = &four->page.table[k];
      assert_int_equal(a->rows, b->rows);
      for (int j = 0; j < a->rows * a->columns; j++)
        assert_memory_equal(&a->cell[j].number, &b->cell[j].number, sizeof(double));
    }
    tr_study_free(one);
    tr_study_free(four);
  }
  unload(&m);
}

static void energy_with_and_without_damping(void **u) {
  (void)u;
  static const char *const methods[] = {"hht-i3", "newmark"};
  static const double steps[] = {0x1p-8, 0x1p-9, 0x1p-10};
  static const char *const free_of_damping[] = {"c=0", NULL};
  for (int damped = 0; damped < 2; damped++) {
    mechanism m = load_model("slider_crank.yaml", damped ? NULL : free_of_damping);
    tr_study_settings set = tr_study_defaults(TR_STUDY_ENERGY);
    set.methods = 2, set.method = methods, set.steps = 3, set.step = steps, set.end = 1;
    tr_study *s = run_study(m.sys, TR_STUDY_ENERGY, &set);
    assert_near(number(table(s, "orders"), 0, "order_average"), 2, 0.15, "hht-i3 %d", damped);
    assert_near(number(table(s, "orders"), 1, "order_max"), 1, 0.15, "newmark %d", damped);
    tr_study_free(s);
    unload(&m);
  }
}

// G v = kappa h^2 G q''': second order for index 3, nothing for the stabilised form.
static void drift(void **u) {
  (void)u;
  static const char *const methods[] = {"hht-i3", "hht-si2", "nstiff"};
  static const double steps[] = {0x1p-8, 0x1p-9, 0x1p-10};
  mechanism m = load_model("slider_crank.yaml", NULL);
  tr_study_settings set = tr_study_defaults(TR_STUDY_DRIFT);
  set.methods = 3, set.method = methods, set.steps = 3, set.step = steps, set.end = 1;
  set.joint = "pin_A";
  tr_study *s = run_study(m.sys, TR_STUDY_DRIFT, &set);
  const tr_table *t = table(s, "orders"), *d = table(s, "drift");
  assert_near(number(t, 0, "order_velocity"), 2, 0.05, "hht-i3");
  assert_true(isnan(number(t, 1, "order_velocity")));
  // kappa: gamma/2 - beta - 1/12 at alpha = -0.3, and -1/3
  double kappa = 0.4 - 0.4225 - 1.0 / 12;
  double ratio = number(d, 2, "max_velocity_violation") / number(d, 8, "max_velocity_violation");
  assert_near(ratio, fabs(kappa) * 3, 0.01, "kappa");
  assert_true(number(d, 5, "max_velocity_violation") < 1e-9);
  assert_int_equal(s->page.figures, 2);
  tr_study_free(s);
  // fewer steps than a panel has intervals: a curve all the same, a point for every step
  static const double coarse[] = {0.02, 0.01, 0.005};
  set.step = coarse, set.end = 0.2;
  s = run_study(m.sys, TR_STUDY_DRIFT, &set);
  const tr_series *c = &s->page.figure[0].panel[1].s[0];
  assert_int_equal(c->n, 20);
  for (int i = 0; i < c->n; i++) {
    assert_near(c->x[i], 0.01 * (i + 1), 1e-12, "time %d", i);
    assert_true(c->y[i] > 0);
  }
  tr_study_free(s);
  unload(&m);
}

static void medians(void **u) {
  (void)u;
  static const double x[] = {1, 2, 5, 9};
  assert_true(tr_study_median(1, x) == 1);
  assert_true(tr_study_median(2, x) == 1.5);
  assert_true(tr_study_median(3, x) == 2);
  assert_true(tr_study_median(4, x) == 3.5);
}

static void cost(void **u) {
  (void)u;
  static const char *const methods[] = {"nstiff"};
  mechanism m = load_model("pendulum.yaml", NULL);
  tr_study_settings set = tr_study_defaults(TR_STUDY_COST);
  set.methods = 1, set.method = methods, set.repeats = 3, set.measure = 1e-3;
  tr_study *s = run_study(m.sys, TR_STUDY_COST, &set);
  const tr_table *t = table(s, "cost");
  assert_int_equal(t->rows, 2); // the yardstick was added
  assert_true(number(t, 1, "ratio") == 1);
  assert_true(number(t, 0, "per_step") > 0);
  tr_study_free(s);
  set.steps = 0;
  s = run_study(m.sys, TR_STUDY_WORK_PRECISION, &set);
  t = table(s, "errors");
  for (int i = 0; i < t->rows; i++) {
    assert_true(number(t, i, "cpu_min") <= number(t, i, "cpu"));
    assert_true(number(t, i, "error_v") > 0);
  }
  tr_study_free(s);
  unload(&m);
}

// A method is what its parameters are, not how they are written.
static void each_method_once(void **u) {
  (void)u;
  static const char *const methods[] = {"hht-i3",
                                        "newmark:gamma=3/4,beta=25/64",
                                        "hht-i3",
                                        "hht-i3:alpha=-3/10",
                                        "newmark:beta=0.390625,gamma=0.75",
                                        "hht-i3:alpha=-0.2",
                                        "hht-i3",
                                        "hht-i3:alpha=-3/10"};
  mechanism m = load_model("pendulum.yaml", NULL);
  for (tr_study_kind kind = 0; kind < TR_STUDY_KINDS; kind++) {
    tr_study_settings set = tr_study_defaults(kind);
    double steps[] = {0.02, 0.01};
    set.methods = 8, set.method = methods, set.steps = 2, set.step = steps, set.end = 0.1;
    set.repeats = 1, set.measure = 1e-4;
    tr_study *s = run_study(m.sys, kind, &set);
    assert_int_equal(count_notes(s, "`hht-i3` was given more than once"), 1);
    assert_int_equal(count_notes(s, "`hht-i3:alpha=-3/10` is `hht-i3` in other words"), 1);
    assert_true(has_note(s,
                         "`newmark:beta=0.390625,gamma=0.75` is `newmark:gamma=3/4,beta=25/64` "
                         "in other words and was left out"));
    const tr_table *t = &s->page.table[0];
    int named[6] = {0};
    for (int row = 0; row < t->rows; row++)
      for (int i = 0; i < 6; i++)
        if (t->cell[(size_t)row * t->columns].text)
          named[i] += strcmp(t->cell[(size_t)row * t->columns].text, methods[i]) == 0;
    assert_int_equal(named[1], named[0]);
    assert_int_equal(named[5], named[0]);
    assert_int_equal(named[3] + named[4], 0);
    tr_study_free(s);
  }
  unload(&m);
}

// ---- refusals ---------------------------------------------------------------------------------------

static void refuse(const tr_system *sys, tr_study_kind kind, const tr_study_settings *set,
                   tr_status want, const char *words) {
  tr_study *s = NULL;
  tr_error e = {0};
  assert_int_equal(tr_study_run(sys, kind, set, &s, &e), want);
  assert_null(s);
  if (!strstr(e.text, words)) fail_msg("\"%s\" does not say \"%s\"", e.text, words);
}

static tr_status stop(tr_study_progress *self, double share, const char *what) {
  (void)self, (void)share, (void)what;
  return TR_STOPPED;
}

static void bad_settings(void **u) {
  (void)u;
  static const char *const wrong[] = {"hht-i4"}, *const none[] = {"nothing.x"};
  static const char *const energy[] = {"energy.total"};
  static const double minus = -1, endless = 99;
  mechanism m = load_model("slider_crank.yaml", NULL), p = load_model("pendulum.yaml", NULL);
  mechanism bare = load_text("trammel: 1\nbodies:\n  a: {type: planar-point, mass: 1}\n");
  tr_study_settings usual = tr_study_defaults(TR_STUDY_CONVERGENCE), set = usual;
  set.methods = 1, set.method = wrong;
  refuse(m.sys, TR_STUDY_CONVERGENCE, &set, TR_BAD_INPUT, "hht-i4");
  set = usual, set.steps = 1, set.step = &minus;
  refuse(m.sys, TR_STUDY_CONVERGENCE, &set, TR_BAD_INPUT, "positive");
  set.step = &endless;
  refuse(m.sys, TR_STUDY_CONVERGENCE, &set, TR_BAD_INPUT, "longer than the run");
  set = usual, set.outputs = 1, set.output = none;
  refuse(m.sys, TR_STUDY_CONVERGENCE, &set, TR_BAD_INPUT, "nothing.x");
  set.output = energy;
  refuse(m.sys, TR_STUDY_CONVERGENCE, &set, TR_BAD_INPUT, "no position, velocity or force");
  set = usual, set.joint = "pin_a";
  refuse(m.sys, TR_STUDY_DRIFT, &set, TR_BAD_INPUT, "did you mean \"pin_");
  set.joint = "rod";
  refuse(p.sys, TR_STUDY_DRIFT, &set, TR_BAD_INPUT, "one constraint");
  refuse(bare.sys, TR_STUDY_DRIFT, &usual, TR_BAD_INPUT, "no end time");
  set = usual, set.end = 1;
  refuse(bare.sys, TR_STUDY_DRIFT, &set, TR_BAD_INPUT, "no step sizes");
  set.steps = 1, set.step = &set.end;
  refuse(bare.sys, TR_STUDY_DRIFT, &set, TR_BAD_INPUT, "no constraints");
  tr_study_progress progress = {stop};
  set = usual, set.progress = &progress, set.end = 1e4;
  refuse(m.sys, TR_STUDY_CONVERGENCE, &set, TR_STOPPED, "");
  refuse(m.sys, TR_STUDY_KINDS, &usual, TR_BAD_INPUT, "no such study");
  tr_study_free(NULL);
  unload(&bare);
  unload(&m);
  unload(&p);
}

static void bad_references(void **u) {
  (void)u;
  static const char *const names[][2] = {
      {"t", "crank.x"}, {"t", "cronk.x"}, {"x", "crank.x"}, {"t", "energy.total"}};
  static const char *const words[] = {"no row for the end", "cronk.x", "no column \"t\"",
                                      "no column with"};
  static const double value[] = {0, 0};
  mechanism m = load_model("slider_crank.yaml", NULL);
  for (int i = 0; i < 4; i++) {
    tr_csv_table t = {2, 1, names[i], value};
    tr_study_settings set = tr_study_defaults(TR_STUDY_CONVERGENCE);
    set.reference = &t;
    refuse(m.sys, TR_STUDY_CONVERGENCE, &set, TR_BAD_INPUT, words[i]);
  }
  unload(&m);
}

// ---- memory -----------------------------------------------------------------------------------------

typedef struct counter {
  tr_allocator allocator;
  long calls, fail_at, live;
} counter;

static void *count(tr_allocator *self, void *block, size_t size) {
  counter *c = (counter *)self;
  if (size > 0 && ++c->calls == c->fail_at) return NULL;
  if (!block && size > 0) c->live++;
  if (block && size == 0) c->live--;
  if (size == 0) return free(block), NULL;
  return realloc(block, size);
}

static void no_memory(void **u) {
  (void)u;
  static const char *const methods[] = {"hht-i3"};
  static const double steps[] = {0.125, 0.0625};
  for (int i = 0; i <= TR_STUDY_KINDS; i++) { // stability once more, with states and variables
    int kind = i < TR_STUDY_KINDS ? i : TR_STUDY_STABILITY;
    const char *file = i < TR_STUDY_KINDS ? SOURCE_DIR "/models/pendulum.yaml"
                                          : SOURCE_DIR "/models/inverted_pendulum_pid.yaml";
    counter c = {.allocator = {count}};
    tr_model *model;
    tr_system *sys;
    tr_error e = {0};
    assert_int_equal(tr_model_new(&c.allocator, &model), TR_OK);
    assert_int_equal(tr_model_read_file(model, file, &e), TR_OK);
    assert_int_equal(tr_compile(model, &sys, &e), TR_OK);
    tr_study_settings set = tr_study_defaults((tr_study_kind)kind);
    set.methods = 1, set.method = methods, set.steps = 2, set.step = steps,
    set.end = or_less(0.5, 0.125);
    set.repeats = 1, set.measure = 0;
    tr_study *s;
    long live = c.live;
    c.calls = 0;
    assert_int_equal(tr_study_run(sys, (tr_study_kind)kind, &set, &s, &e), TR_OK);
    tr_study_free(s);
    long calls = c.calls;
    assert_int_equal(c.live, live);
    int tries = i < TR_STUDY_KINDS ? (int)or_less(60, 6) : (int)or_less(12, 3);
    for (int k = 0; k < tries; k++) {
      c.calls = 0;
      c.fail_at = 1 + k * (calls - 1) / (tries - 1);
      e = (tr_error){0};
      tr_status status = tr_study_run(sys, (tr_study_kind)kind, &set, &s, &e);
      if (status != TR_NO_MEMORY)
        fail_msg("%s, allocation %ld of %ld: %s", tr_study_name((tr_study_kind)kind), c.fail_at,
                 calls, tr_status_text(status));
      assert_null(s);
      assert_int_equal(c.live, live);
    }
    tr_system_free(sys);
    tr_model_free(model);
    assert_int_equal(c.live, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fitted_orders),
      cmocka_unit_test(odd_ends),
      cmocka_unit_test(known_errors),
      cmocka_unit_test(claims_of_parameters),
      cmocka_unit_test(given_iterations),
      cmocka_unit_test(same_bits_from_threads),
      cmocka_unit_test(energy_with_and_without_damping),
      cmocka_unit_test(drift),
      cmocka_unit_test(medians),
      cmocka_unit_test(reference_at_rest),
      cmocka_unit_test(cost),
      cmocka_unit_test(each_method_once),
      cmocka_unit_test(bad_settings),
      cmocka_unit_test(bad_references),
      cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
