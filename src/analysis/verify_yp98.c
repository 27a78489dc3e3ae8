// SPDX-License-Identifier: Apache-2.0
// [YP98]: the Newton iterations of GGL, GGL*, CS and CM on highly oscillatory problems.
//
// Tables: 10 s of each problem, TOL 1e-3 and 1e-4, eps 1e-1 .. 1e-7. The number of an entry is that of
// convergence-test failures, the other statistics of the paper's tables are in its note. Those of GGL
// come up as eps -> 0, the others have none.
// Contraction: one step of backward Euler on the circle with the linear force, h^2/eps -> infinity, the
// matrix taken a distance d inside the circle. The normal force there, k d/eps, enters CS's matrix by
// (G's)_q as a tangential stiffness, which makes it (1 + k d)/eps instead of 1/eps: contraction
// k d/(1 + k d). CM's does not depend on d.
#include <math.h>
#include <stdio.h>

#include "step/step.h"
#include "verify_yp98.h"

enum { GGL, GGL_STAR, CS, CM };
const char *const yp98_problem[] = {"linear", "spring", "bushing"};
const char *const yp98_iteration[] = {"GGL", "GGL*", "CS", "CM"};
const double yp98_tolerance[] = {1e-3, 1e-4};
static const char *const methods[] = {"ggl-bdf:test=ggl", "ggl-bdf:test=ggl-star",
                                      "cs:error=independent", "cm:error=independent"};

// ---- tables ---------------------------------------------------------------------------------------

// One table of the paper: a problem, a tolerance, an iteration.
typedef struct table {
  int problem, tolerance, iteration;
  yp98_results *results; // for the figures, or NULL
} table;

// GGL: none where steps resolve the oscillation, "10 and more" at 1e-7.
static const char *expected(const table *t, int power) {
  if (t->iteration != GGL || power <= 2) return "< 1";
  return t->problem == TR_STIFF_LINEAR && t->tolerance == 0 && power == YP98_POWERS ? "> 9" : "-";
}

static tr_status row(verify *v, const table *t, const verify_run *run, int power,
                     double *failures) {
  verify_result r;
  char note[160];
  TR_TRY(verify_do(v, run, &r));
  const tr_run_info *i = &r.info;
  snprintf(note, sizeof note, "%ld steps, %ld functions, %ld Jacobians, %ld error-test failures",
           i->steps, i->residuals, i->jacobians, i->rejected - i->newton_failures);
  *failures = (double)i->newton_failures;
  verify_drop(&r);
  return verify_entry(v, "", expected(t, power), *failures, note,
                      "%s, TOL %g, eps 1e-%d, %s: failures to converge", yp98_problem[t->problem],
                      yp98_tolerance[t->tolerance], power, yp98_iteration[t->iteration]);
}

static tr_status watched_row(verify *v, const table *t, int power, double *failures) {
  tr_stiff_problem p = tr_problem_stiff((tr_stiff_kind)t->problem, pow(10, -power), 100);
  yp98_curve *curve = yp98_curve_of(t->results, t->problem, t->tolerance, t->iteration, power);
  yp98_watch w = {0};
  verify_system s;
  TR_TRY(verify_load_problem(v, &p.p, &s));
  verify_run run = {s.system, methods[t->iteration], .end = 10,
                    .control = yp98_tolerance[t->tolerance],
                    .rule = TR_CONTROL_GNP05}; // DASSL's, as it is
  tr_status status = TR_OK;
  if (curve) {
    status = yp98_watch_make(v, s.system, p.rest, curve, &w);
    run.observer = &w.observer;
  }
  if (status == TR_OK) status = row(v, t, &run, power, failures);
  tr_reader_free(w.reader);
  verify_unload(&s);
  return status;
}

static tr_status make_table(verify *v, const table *t) {
  double failures[YP98_POWERS + 1] = {0}, growth = 0, least = INFINITY;
  int apart = t->problem == TR_STIFF_BUSHING ? 2 : 1; // a failure more or less is chance there
  for (int power = 1; power <= YP98_POWERS; power++) {
    double *f = &failures[power];
    TR_TRY(watched_row(v, t, power, f));
    if (t->results) t->results->failures[t->problem][t->tolerance][t->iteration][power - 1] = *f;
    growth += power <= 3 ? -*f : power >= 5 ? *f : 0;
    if (power > apart) least = fmin(least, *f - f[-apart]);
  }
  if (t->iteration != GGL) return TR_OK;
  const char *name = yp98_problem[t->problem];
  double tol = yp98_tolerance[t->tolerance];
  TR_TRY(verify_entry(v, "", "> 0", growth, NULL,
                      "%s, TOL %g, GGL: failures at eps 1e-5 .. 1e-7 less those at 1e-1 .. 1e-3",
                      name, tol));
  return verify_entry(v, "", "> -1", least, "never fewer as eps falls",
                      "%s, TOL %g, GGL: least growth over %s of eps", name, tol,
                      apart > 1 ? "two powers" : "a power");
}

// ---- contraction ----------------------------------------------------------------------------------

// At rest at (x, y); nothing accelerates.
static void stand(tr_state *s, double x, double y) {
  s->t = 0;
  s->q[0] = x, s->q[1] = y;
  for (int i = 0; i < 2; i++) s->v[i] = s->a[i] = 0;
  s->lam[0] = 0;
}

// The rate of a step near the bottom with the matrix of one that began d above it.
static tr_status measure(tr_step *s, double d, tr_state *x, tr_state *next, double *rate) {
  const double h = 0.1, aside = 1e-6;
  s->allowed = 1e3; // any correction will do
  stand(x, 0, -1 + d);
  TR_TRY(tr_step_begin(s, x));
  TR_TRY(tr_step_try(s, x, h, next));
  s->allowed = 10 * aside; // two corrections will do
  stand(x, aside, -sqrt(1 - aside * aside));
  TR_TRY(tr_step_begin(s, x));
  s->newton.valid = true;
  long matrices = s->newton.matrices;
  TR_TRY(tr_step_try(s, x, h, next));
  *rate = s->newton.matrices == matrices && s->newton.known ? s->newton.rate : NAN;
  return TR_OK;
}

static tr_status contract(verify *v, const tr_system *system, const char *method, double d,
                          double *rate) {
  tr_newton_settings settings = tr_run_defaults().newton;
  tr_arena ar = tr_arena_make(system->al);
  const tr_method *m;
  void *par;
  tr_step *s = NULL;
  tr_state x = {0}, next = {0};
  tr_status status = tr_method_parse(&ar, method, &m, &par, v->error);
  if (status == TR_OK) status = tr_step_new(system, m, par, &settings, NULL, &s, v->error);
  if (status == TR_OK) status = tr_estimate_make(s);
  if (status == TR_OK) status = tr_state_new(system, &x, v->error);
  if (status == TR_OK) status = tr_state_new(system, &next, v->error);
  if (status == TR_OK) {
    status = measure(s, d, &x, &next, rate);
    if (status != TR_OK) tr_fail(v->error, status, NULL, "%s: no step at d = %g", method, d);
  }
  if (x.block) tr_state_free(system, &x);
  if (next.block) tr_state_free(system, &next);
  tr_step_free(s);
  tr_arena_free(&ar);
  return status;
}

// Both iterations with the matrix d off the circle.
static tr_status contract_both(verify *v, double k, double d, const char *published) {
  tr_stiff_problem p = tr_problem_stiff(TR_STIFF_LINEAR, 1e-8, k);
  verify_system s;
  double cs = NAN, cm = NAN;
  TR_TRY(verify_load_problem(v, &p.p, &s));
  tr_status status = contract(v, s.system, "cs:order=1", d, &cs);
  if (status == TR_OK) status = contract(v, s.system, "cm:order=1", d, &cm);
  verify_unload(&s);
  TR_TRY(status);
  TR_TRY(verify_entry(v, "", published, cs, "k d/(1 + k d)",
                      "one step on the circle, k = %g, d = %g, CS: contraction", k, d));
  return verify_entry(v, "", "< 0.001", cm, "whatever d",
                      "one step on the circle, k = %g, d = %g, CM: contraction", k, d);
}

static tr_status contraction(verify *v) {
  static const struct {
    double k, d;
    const char *rate; // k d/(1 + k d)
  } row[] = {{1e3, 1e-5, "0.010"}, {1e3, 1e-4, "0.091"}, {1e3, 1e-3, "0.50"}, {1e5, 1e-6, "0.091"},
             {1e5, 1e-5, "0.500"}, {1e5, 2e-5, "0.667"}, {1e5, 3e-5, "0.750"}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    TR_TRY(contract_both(v, row[i].k, row[i].d, row[i].rate));
  return TR_OK;
}

static tr_status tables(verify *v, yp98_results *results) {
  for (int p = 0; p < YP98_PROBLEMS; p++)
    for (int k = 0; k < YP98_TOLERANCES; k++)
      for (int i = 0; i < YP98_ITERATIONS; i++) TR_TRY(make_table(v, &(table){p, k, i, results}));
  return TR_OK;
}

static tr_status yen_petzold(verify *v) {
  TR_TRY(contraction(v));
  if (!v->out->figure) return tables(v, NULL);
  tr_arena ar = tr_arena_make(NULL);
  yp98_results *results = TR_NEW(&ar, 1, yp98_results);
  tr_status status = results ? tables(v, results) : tr_no_memory(v->error);
  if (status == TR_OK) status = yp98_draw(v, results);
  tr_arena_free(&ar);
  return status;
}

const verify_group verify_yp98 = {
    {"yen-petzold",
     "Newton's iteration with and without multipliers on stiff problems, as eps -> 0", "YP98"},
    YP98_PROBLEMS *YP98_TOLERANCES *YP98_ITERATIONS *YP98_POWERS,
    yen_petzold};
