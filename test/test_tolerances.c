// SPDX-License-Identifier: Apache-2.0
// Requested against achieved error: over tolerances from 1e-3 to 1e-8 the largest error of a position keeps
// within a factor of 10 of c tol^p, p as the orders of method and estimate say; nothing fails, and the
// steps grow in number as they should and no faster.
//
//   p = 2/3 for second order (local error tol, h ~ tol^(1/3)); 5/4 for radau5
// The reference is radau5 at 1e-12, and where that meets the tolerance of the test is not asked for more.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_mechanics.h"
#include "system/system.h"

enum { TOLERANCES = 6, SAMPLES = 40 };

typedef struct record {
  tr_observer observer;
  int n, nq;
  double *q; // (SAMPLES + 1) x nq
} record;

static tr_status look(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  record *r = (record *)self;
  (void)info;
  if (r->n <= SAMPLES) memcpy(r->q + r->n * r->nq, x->q, (size_t)r->nq * sizeof *r->q);
  r->n++;
  return TR_OK;
}

static long run(const tr_system *sys, const char *method, double tol, double end, record *r) {
  tr_error error = {0};
  tr_run *run;
  tr_run_settings s = tr_run_defaults();
  s.method = method, s.control.tol = tol, s.end = end, s.audit = false;
  r->observer = (tr_observer){.step = look, .spacing = end / SAMPLES};
  r->n = 0, r->nq = sys->nq;
  run = begin_run(sys, &s);
  assert_int_equal(tr_run_observe(run, &r->observer), TR_OK);
  if (tr_run_all(run, &error) != TR_OK) fail_msg("%s at %g: %s", method, tol, error.text);
  long steps = tr_run_describe(run).steps;
  tr_run_free(run);
  assert_int_equal(r->n, SAMPLES + 1);
  return steps;
}

static double distance(const record *a, const record *b) {
  double most = 0, scale = 1;
  for (int i = 0; i < (SAMPLES + 1) * a->nq; i++) {
    most = fmax(most, fabs(a->q[i] - b->q[i]));
    scale = fmax(scale, fabs(a->q[i]));
  }
  return most / scale;
}

static const struct {
  const char *file, *set;
  double end;
} models[] = {{"slider_crank.yaml", NULL, 2},     {"seven_body.yaml", NULL, 0.03},
              {"four_bar_chain.yaml", "10", 2},   {"heavy_top.yaml", NULL, 0.4},
              {"flyball_governor.yaml", NULL, 2}, {"double_pendulum.yaml", NULL, 2}};

static const struct {
  const char *name;
  double power;
} methods[] = {{"hht-i3", 2.0 / 3},  {"nstiff", 2.0 / 3},
               {"hht-si2", 2.0 / 3}, {"gen-alpha:rho=0.8", 2.0 / 3},
               {"ggl-bdf", 2.0 / 3}, {"radau5", 5.0 / 4}};

static void test_proportional(void **state) {
  (void)state;
  for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
    const char *const set[] = {"N=10", NULL};
    mechanism x = load_model(models[m].file, models[m].set ? set : NULL);
    size_t bytes = (SAMPLES + 1) * (size_t)x.sys->nq * sizeof(double);
    record exact = {.q = malloc(bytes)}, r = {.q = malloc(bytes)};
    assert_true(exact.q && r.q);
    run(x.sys, "radau5", or_less(1e-12, 1e-11), models[m].end, &exact);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
      if (!in_turn((int)m, (int)k, 6)) continue;
      double ratio[TOLERANCES], mean = 0;
      long steps = 0, last = 0;
      int n = 0;
      for (int i = 0; i < TOLERANCES; i++) {
        double tol = pow(10, -3 - i);
        steps = run(x.sys, methods[k].name, tol, models[m].end, &r);
        double e = distance(&exact, &r);
        if (last > 0 && steps > 4 * last)
          fail_msg("%s by %s at %g: %ld steps after %ld", models[m].file, methods[k].name, tol,
                   steps, last);
        last = steps;
        if (e > 0.3 || e < 1e-9)
          continue; // lost its way on the coarsest, or as good as the reference
        ratio[n++] = log10(e) - methods[k].power * log10(tol);
      }
      for (int i = 0; i < n; i++) mean += ratio[i] / n;
      for (int i = 0; i < n; i++)
        if (fabs(ratio[i] - mean) > 1)
          fail_msg("%s by %s: errors are not proportional: 10^%.2f and 10^%.2f", models[m].file,
                   methods[k].name, ratio[i], mean);
      if (n < 4)
        fail_msg("%s by %s: only %d of the runs are any good", models[m].file, methods[k].name, n);
    }
    free(exact.q), free(r.q);
    unload(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_proportional)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
