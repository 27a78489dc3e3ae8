// SPDX-License-Identifier: Apache-2.0
// Published results: the rule that compares, every group, and the runs behind them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/problems.h"
#include "analysis/verify.h"
#include "helper_cases.h"
#include "trammel/report.h"

// ---- the rule -------------------------------------------------------------------------------------

static void test_rule(void **state) {
  (void)state;
  static const struct {
    const char *published;
    double computed;
    bool digits, ok;
  } c[] = {{"7.72e-2", 0.0772, true, true},
           {"7.72e-2", 0.077249, true, true},
           {"7.72e-2", 0.077251, false, true},
           {"7.72e-2", 0.077349, false, true},
           {"7.72e-2", 0.077351, false, false},
           {"7.72e-2", 0.077049, false, false},
           {"7.72e-2", -0.0772, false, false},
           {"7.72e-2", 0.772, false, false},
           {"7.72e-2", NAN, false, false},
           {"7.72e-2", INFINITY, false, false},
           {"1.0856e-4", 1.08564e-4, true, true},
           {"1.0856e-4", 1.0860e-4, false, false},
           {"8.00", 7.9951, true, true},
           {"8.00", 7.984, false, false},
           {"-0.333", -1.0 / 3, true, true},
           {"-0.333", 1.0 / 3, false, false},
           {"2", 2.4, true, true},
           {"1.13", 1.13063, true, true},
           {"< 1e-10", 9e-11, true, true},
           {"< 1e-10", 2e-10, false, false},
           {"< 1e-10", NAN, false, false},
           {"> 3", 4, true, true},
           {"> 3", 3, false, false},
           {"> 3", NAN, false, false},
           {"-", 17, true, true},
           {"-", NAN, false, false}};
  for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
    tr_verify_entry e = {0};
    verify_compare(c[i].published, c[i].computed, &e);
    if (e.digits != c[i].digits || e.ok != c[i].ok)
      fail_msg("%s against %.17g: %d %d", c[i].published, c[i].computed, e.digits, e.ok);
  }
}

// ---- groups ---------------------------------------------------------------------------------------

typedef struct tally {
  tr_verifier verifier;
  int entries, off;
  double done;
  bool early;      // more runs after done = 1
  char first[160]; // label that was off
  tr_status answer;
} tally;

static tr_status count(tr_verifier *self, const tr_verify_entry *e) {
  tally *t = (tally *)self;
  t->entries++;
  assert_true(*e->group && *e->label && *e->published && e->unit && e->note);
  if (!e->ok && t->off++ == 0)
    snprintf(t->first, sizeof t->first, "%s: %s: %s, computed %.6g", e->group, e->label,
             e->published, e->computed);
  return t->answer;
}

static tr_status follow(tr_verifier *self, const char *group, double done) {
  tally *t = (tally *)self;
  assert_true(*group);
  assert_true(done >= 0 && done <= 1);
  if (t->done == 1) t->early = true;
  t->done = done;
  return !all_cases() && done >= 0.5 && t->entries > 0 ? TR_STOPPED : TR_OK;
}

static void test_groups(void **state) {
  (void)state;
  for (int g = 0; g < tr_verify_count(); g++) {
    tally t = {.verifier = {count, follow}};
    tr_error error = {0};
    tr_verify_group info = tr_verify_describe(g);
    if (!all_cases() && strcmp(info.name, "yen-petzold") == 0) continue; // as for its figures
    assert_true(*info.name && *info.doc && *info.reference);
    tr_status status = tr_verify(g, &t.verifier, &error);
    bool half = status == TR_STOPPED && !all_cases();
    if (status != TR_OK && !half) fail_msg("%s: %s", info.name, error.text);
    if (t.off > 0) fail_msg("%d off: %s", t.off, t.first);
    assert_true(t.entries > 0);
    // the announced number of runs is the real one: the progress ends at 1, and not before
    assert_true(t.done == 1 || half);
    if (t.early) fail_msg("%s: the progress ends too early", info.name);
  }
}

// ---- figures --------------------------------------------------------------------------------------

typedef struct album {
  tr_verifier verifier;
  int failures, energies, steps;
  int stop_at, figures;
} album;

static tr_status pass(tr_verifier *self, const tr_verify_entry *e) {
  (void)self;
  return e->ok ? TR_OK : TR_BAD_INPUT;
}

// GGL, the first curve of each panel, fails at the smallest eps, the others nowhere.
static void see_failures(const tr_panel *p) {
  for (int i = 0; i < p->series; i++) {
    const tr_series *c = &p->s[i];
    assert_int_equal(c->n, 7);
    assert_true(c->x[0] > c->x[6] && c->y[0] == 0);
    for (int k = 0; k < c->n && i > 0; k++) assert_true(c->y[k] == 0);
    if (i == 0) assert_true(c->y[6] > 0);
  }
}

// The oscillation begins with its whole energy and ends with none of it.
static void see_energy(const tr_panel *p) {
  for (int i = 0; i < p->series; i++) {
    const tr_series *c = &p->s[i];
    assert_true(c->n > 50);
    assert_true(fabs(c->y[0] - 1) < 0.01);
    for (int k = 0; k < c->n; k++) assert_true(c->y[k] > -0.01 && c->y[k] < 1.01);
    if (!(fabs(c->y[c->n - 1]) < 0.01)) fail_msg("%s: %g", p->title, c->y[c->n - 1]);
  }
}

// Steps wait for the end of the oscillation, and grow then.
static void see_steps(const tr_panel *p) {
  for (int i = 0; i < p->series; i++) {
    const tr_series *c = &p->s[i];
    double most = 0;
    for (int k = 0; k < c->n; k++) {
      assert_true(c->y[k] > 0 && c->x[k] <= 10 * (1 + 1e-12) && (k == 0 || c->x[k] > c->x[k - 1]));
      most = fmax(most, c->y[k]);
    }
    if (!(most > 20 * c->y[0])) fail_msg("%s, %s: %g after %g", p->title, c->name, most, c->y[0]);
  }
}

static tr_status see(tr_verifier *self, const tr_figure *f) {
  album *a = (album *)self;
  if (++a->figures == a->stop_at) return TR_STOPPED;
  bool failures = strcmp(f->name, "yen-petzold-failures") == 0;
  bool energies = strcmp(f->name, "yen-petzold-energy") == 0;
  a->failures += failures, a->energies += energies;
  a->steps += strcmp(f->name, "yen-petzold-steps") == 0;
  assert_int_equal(f->panels, 6);
  for (int i = 0; i < f->panels; i++) {
    assert_int_equal(f->panel[i].series, 4);
    (failures ? see_failures : energies ? see_energy : see_steps)(&f->panel[i]);
  }
  return TR_OK;
}

static void test_figures(void **state) {
  (void)state;
  int g = 0;
  while (g < tr_verify_count() && strcmp(tr_verify_describe(g).name, "yen-petzold") != 0) g++;
  album a = {.verifier = {.entry = pass, .figure = see}};
  tr_error error = {0};
  if (tr_verify(g, &a.verifier, &error) != TR_OK) fail_msg("%s", error.text);
  assert_true(a.failures == 1 && a.energies == 1 && a.steps == 1);
  album b = {.verifier = {.entry = pass, .figure = see}, .stop_at = 2};
  assert_int_equal(tr_verify(g, &b.verifier, &error), TR_STOPPED);
  assert_int_equal(b.figures, 2);
}

static void test_unknown_group(void **state) {
  (void)state;
  tally t = {.verifier = {count, NULL}};
  tr_error error = {0};
  assert_int_equal(tr_verify(-1, &t.verifier, &error), TR_BAD_INPUT);
  assert_int_equal(tr_verify(tr_verify_count(), &t.verifier, &error), TR_BAD_INPUT);
  assert_string_equal(tr_verify_describe(-1).name, "");
}

// A number that is not the published one is told, and who listens can stop.
static void test_wrong_number(void **state) {
  (void)state;
  tally t = {.verifier = {count, NULL}};
  verify v = {.out = &t.verifier, .group = "test", .expected = 1};
  assert_int_equal(verify_entry(&v, "m", "7.72e-2", 0.0772, NULL, "right"), TR_OK);
  assert_int_equal(t.off, 0);
  assert_int_equal(verify_entry(&v, "m", "7.74e-2", 0.0772, NULL, "wrong by %d", 2), TR_OK);
  assert_int_equal(t.off, 1);
  assert_string_equal(t.first, "test: wrong by 2: 7.74e-2, computed 0.0772");
  t.answer = TR_STOPPED;
  tr_error error = {0};
  assert_int_equal(tr_verify(0, &t.verifier, &error), TR_STOPPED);
}

// ---- runs -----------------------------------------------------------------------------------------

// The reference of the groups on the seven angles against the Test Set's solution at 0.03 (beta and
// Theta in quad precision), and power: energy changes by nothing.
static void test_reference(void **state) {
  (void)state;
  tally t = {.verifier = {count, NULL}};
  tr_error error = {0};
  verify v = {.out = &t.verifier, .group = "test", .error = &error, .expected = 1};
  verify_system s;
  verify_result r;
  assert_int_equal(verify_load_problem(&v, &tr_problem_seven_angles, &s), TR_OK);
  assert_int_equal(verify_reference(&v, s.system, 4e-6, 0.03, &r), TR_OK);
  assert_true(fabs(r.x.q[0] - 15.81077119515370709711939) < 1e-8);
  assert_true(fabs(r.x.q[1] + 15.75637105841183946972775) < 1e-8);
  assert_true(r.info.max_energy_change < 1e-9);
  assert_true(r.info.max_phi < 1e-10);
  verify_drop(&r);
  verify_unload(&s);
}

static void test_stored_models(void **state) {
  (void)state;
  tally t = {.verifier = {count, NULL}};
  tr_error error = {0};
  verify v = {.out = &t.verifier, .group = "test", .error = &error, .expected = 1};
  verify_system s;
  static const char *const set[] = {"L", "2 m"}, *const bad[] = {"nothing", "1"};
  assert_int_equal(verify_load(&v, "pendulum", 1, set, &s), TR_OK);
  verify_unload(&s);
  assert_int_equal(verify_load(&v, "pendulum", 1, bad, &s), TR_BAD_INPUT);
  assert_null(s.model);
  assert_int_equal(verify_load(&v, "no_such_model", 0, NULL, &s), TR_BAD_INPUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule),          cmocka_unit_test(test_wrong_number),
      cmocka_unit_test(test_unknown_group), cmocka_unit_test(test_reference),
      cmocka_unit_test(test_stored_models), cmocka_unit_test(test_figures),
      cmocka_unit_test(test_groups),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
