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

#include "problems.h"
#include "step/step.h"
#include "verify.h"

enum { SMALLEST = 7 }; // eps = 1e-7

typedef struct iteration {
  const char *name, *method;
} iteration;
static const iteration iterations[] = {
    {"GGL", "ggl-bdf:test=ggl"}, {"GGL*", "ggl-bdf:test=ggl-star"}, {"CS", "cs"}, {"CM", "cm"}};
enum { GGL, ITERATIONS = sizeof iterations / sizeof *iterations };

// ---- tables ---------------------------------------------------------------------------------------

static const char *expected(int which, int power) {
  return which != GGL || power <= 2 ? "< 1" : "-";
}

static tr_status row(verify *v, const char *problem, const tr_system *system, int which, double tol,
                     int power, double *failures) {
  verify_run run = {system, iterations[which].method, .end = 10, .control = tol};
  verify_result r;
  char note[160];
  TR_TRY(verify_do(v, &run, &r));
  const tr_run_info *i = &r.info;
  snprintf(note, sizeof note, "%ld steps, %ld functions, %ld Jacobians, %ld error-test failures",
           i->steps, i->residuals, i->jacobians, i->rejected - i->newton_failures);
  *failures = (double)i->newton_failures;
  verify_drop(&r);
  return verify_entry(v, "", expected(which, power), *failures, note,
                      "%s, TOL %g, eps 1e-%d, %s: failures to converge", problem, tol, power,
                      iterations[which].name);
}

static tr_status table(verify *v, tr_stiff_kind kind, const char *name, double tol, int which) {
  double growth = 0;
  for (int power = 1; power <= SMALLEST; power++) {
    tr_stiff_problem p = tr_problem_stiff(kind, pow(10, -power), 100);
    verify_system s;
    double failures = 0;
    TR_TRY(verify_load_problem(v, &p.p, &s));
    tr_status status = row(v, name, s.system, which, tol, power, &failures);
    verify_unload(&s);
    TR_TRY(status);
    growth += power <= 3 ? -failures : power >= 5 ? failures : 0;
  }
  if (which != GGL) return TR_OK;
  return verify_entry(v, "", "> 0", growth, NULL,
                      "%s, TOL %g, GGL: failures at eps 1e-5 .. 1e-7 less those at 1e-1 .. 1e-3",
                      name, tol);
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
  if (status == TR_OK) status = tr_step_new(system, m, par, &settings, &s, v->error);
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

static tr_status contraction(verify *v) {
  static const struct {
    double d;
    const char *rate;
  } row[] = {{1e-6, "0.091"}, {1e-5, "0.500"}, {3e-5, "0.750"}};
  tr_stiff_problem p = tr_problem_stiff(TR_STIFF_LINEAR, 1e-8, 1e5);
  verify_system s;
  TR_TRY(verify_load_problem(v, &p.p, &s));
  tr_status status = TR_OK;
  for (int i = 0; i < 6 && status == TR_OK; i++) {
    bool modified = i % 2;
    double d = row[i / 2].d, rate = NAN;
    status = contract(v, s.system, modified ? "cm:order=1" : "cs:order=1", d, &rate);
    if (status == TR_OK)
      status = verify_entry(v, "", modified ? "< 0.001" : row[i / 2].rate, rate,
                            modified ? "whatever d" : "k d/(1 + k d)",
                            "one step on the circle, k = 1e5, d = %g, %s: contraction", d,
                            modified ? "CM" : "CS");
  }
  verify_unload(&s);
  return status;
}

static tr_status yen_petzold(verify *v) {
  static const char *const name[] = {"linear", "spring", "bushing"};
  TR_TRY(contraction(v));
  for (int kind = 0; kind < 3; kind++)
    for (int k = 0; k < 2; k++)
      for (int i = 0; i < ITERATIONS; i++)
        TR_TRY(table(v, (tr_stiff_kind)kind, name[kind], k ? 1e-4 : 1e-3, i));
  return TR_OK;
}

const verify_group verify_yp98 = {
    {"yen-petzold",
     "Newton's iteration with and without multipliers on stiff problems, as eps -> 0", "YP98"},
    3 * 2 * ITERATIONS *SMALLEST,
    yen_petzold};
