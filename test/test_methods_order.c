// SPDX-License-Identifier: Apache-2.0
// The order of every method: in q, v and lam, on planar and spatial mechanisms and on problems in their own
// coordinates, with damping, with constraints that depend on time, with masses that change; after a
// restart and with changing steps.
//
// The exponent is fitted through four steps, each half of the one before. It must reach the claim on every
// course but for SLACK, and for the claim to be no understatement the worst course may not exceed it by
// more than TIGHT.
#include <math.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_claims.h"
#include "helper_courses.h"

static const double SLACK = 0.15, TIGHT = 0.35;
// The multipliers that a method carries along feel round-off by 1/h^2: smaller errors tell nothing.
static const double LAM_NOISE = 5e-7;

enum { IN_Q, IN_V, IN_LAM, IN_LAM_ANEW, QUANTITIES };
static const char *const quantity[] = {"q", "v", "lam", "lam anew"};

// Two steps tell no order, and are all that sanitizers need.
static int halvings(void) { return (int)or_less(HALVINGS, 2); }

typedef struct study {
  double error[QUANTITIES][HALVINGS];
} study;

static void note(study *s, int k, const deviation *d) {
  s->error[IN_Q][k] = d->q, s->error[IN_V][k] = d->v;
  s->error[IN_LAM][k] = d->lam, s->error[IN_LAM_ANEW][k] = d->lam_again;
}

static int claimed(const claim *c, int what) {
  return what == IN_Q ? c->q : what == IN_V ? c->v : c->lam;
}

// The exponent from the errors above the noise, NAN where there are fewer than two.
static double exponent(const double *error, double noise) {
  int n = 0;
  while (n < HALVINGS && error[n] > noise) n++;
  return n < 2 ? NAN : fit(n, error);
}

// True: as claimed. Tells what is not; `least` collects the worst.
static bool check(const motion *x, const claim *c, const char *how, const study *s, int quantities,
                  double *least) {
  bool ok = true;
  for (int i = 0; i < quantities && all_cases(); i++) {
    const double *e = s->error[i];
    if (i > IN_V && tr_system_describe(x->m.sys).nc == 0) continue;
    double p = exponent(e, fmax(x->noise, i == IN_LAM ? LAM_NOISE : 1e-12));
    if (isnan(p) && e[HALVINGS - 1] < 1e-6) continue;
    if (least) least[i] = fmin(least[i], p);
    if (p >= claimed(c, i) - SLACK) continue;
    ok = false;
    print_error("%s, %s%s: order %.2f in %s, claimed %d: errors %.3g %.3g %.3g %.3g\n", x->name,
                c->text, how, p, quantity[i], claimed(c, i), e[0], e[1], e[2], e[3]);
  }
  return ok;
}

static void orders(void **state) {
  (void)state;
  claim list[MAX_CLAIMS];
  int n = all_claims(list);
  double least[MAX_CLAIMS][QUANTITIES];
  bool ok = true;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < QUANTITIES; k++) least[i][k] = INFINITY;
  for (const course *c = courses; c->name; c++) {
    motion x = follow(c);
    for (int i = 0; i < n; i++) {
      study s = {0};
      if (!in_turn(i, (int)(c - courses), 7)) continue;
      for (int k = 0; k < halvings(); k++) {
        deviation d = deviate(&x, list[i].text, ldexp(x.step, -k));
        note(&s, k, &d);
      }
      if (!check(&x, &list[i], "", &s, QUANTITIES, least[i])) ok = false;
    }
    motion_free(&x);
  }
  for (int i = 0; i < n && all_cases(); i++)
    for (int k = 0; k < IN_LAM_ANEW; k++)
      if (isfinite(least[i][k]) && least[i][k] > claimed(&list[i], k) + TIGHT) {
        ok = false;
        print_error("%s: order in %s is at least %.2f, claimed %d\n", list[i].text, quantity[k],
                    least[i][k], claimed(&list[i], k));
      }
  assert_true(ok);
}

// ---- the first steps ----------------------------------------------------------------------------------

// lam from the first step on: the largest error of it over the first SOON steps, against radau5 with a
// sixteenth of the step. Methods whose lam is not for output have it computed from the state.
enum { SOON = 6 };
static double soon_off(const motion *x, const claim *c, double h) {
  tr_newton_settings newton = newton_to(1e-14);
  stepper s = new_stepper(x->m.sys, c->text, &newton), r = new_stepper(x->m.sys, "radau5", &newton);
  int nc = tr_system_describe(x->m.sys).nc;
  double off = 0, size = 1;
  tr_state shown;
  assert_int_equal(tr_state_new(x->m.sys, &shown, NULL), TR_OK);
  for (int k = 0; k < SOON; k++) {
    take_step(&s, h);
    for (int i = 0; i < 16; i++) take_step(&r, h / 16);
    assert_int_equal(tr_accelerations(x->m.sys, &r.x, NULL), TR_OK);
    tr_state_copy(&shown, &s.x);
    if (s.method->recompute) assert_int_equal(tr_accelerations(x->m.sys, &shown, NULL), TR_OK);
    for (int i = 0; i < nc; i++) {
      off = fmax(off, fabs(shown.lam[i] - r.x.lam[i]));
      size = fmax(size, fabs(r.x.lam[i]));
    }
  }
  tr_state_free(x->m.sys, &shown);
  free_stepper(&s), free_stepper(&r);
  return off / size;
}

static void first_steps(void **state) {
  static const char *const names[] = {"heavy top", "two links", "bead on a breathing rail",
                                      "driven arm", NULL};
  (void)state;
  claim list[MAX_CLAIMS];
  int n = all_claims(list);
  bool ok = true;
  for (int k = 0; names[k]; k++) {
    motion x = follow_named(names[k]);
    for (int i = 0; i < n; i++) {
      if (list[i].alternates || !in_turn(i, k, 2))
        continue; // lam is computed from the state there, see test_method_levels.c
      double e[HALVINGS] = {0};
      for (int j = 0; j < halvings(); j++) e[j] = soon_off(&x, &list[i], ldexp(x.step, -1 - j));
      double p = exponent(e, fmax(x.noise, LAM_NOISE)), want = fmin(list[i].lam, 2);
      if ((isnan(p) && e[HALVINGS - 1] < 1e-5) || p >= want - 0.25 || !all_cases()) continue;
      ok = false;
      print_error("%s, %s: order %.2f in lam of the first steps: errors %.3g %.3g %.3g %.3g\n",
                  x.name, list[i].text, p, e[0], e[1], e[2], e[3]);
    }
    motion_free(&x);
  }
  assert_true(ok);
}

// ---- steps that change, steps that start anew -------------------------------------------------------

typedef enum plan { ALTERNATE, RESTART } plan;

// `steps` pieces of equal length: each a step of h and two of h/2, the other way round in the next; or a step.
static void march(stepper *s, plan how, int steps, double length) {
  static const double part[2][3] = {{0.5, 0.25, 0.25}, {0.25, 0.25, 0.5}};
  double h = length / steps;
  for (int k = 0; k < steps; k++)
    for (int i = 0; i < (how == RESTART ? 1 : 3); i++)
      take_step(s, how == RESTART ? h : h * part[k % 2][i]);
}

// Restarts after each quarter of the way.
static deviation deviate_marching(const motion *x, const char *method, plan how, double h) {
  tr_newton_settings newton = newton_to(1e-14);
  stepper s = new_stepper(x->m.sys, method, &newton);
  deviation d = {0};
  tr_state room;
  assert_int_equal(tr_state_new(x->m.sys, &room, NULL), TR_OK);
  for (int k = 0; k < TIMES; k++) {
    march(&s, how, (int)lround(x->end / h / TIMES), x->end / TIMES);
    assert_near(s.x.t, x->at[k].t, 1e-9 * x->end, "%s", method);
    compare(x, k, &s.x, &room, &d);
    if (how == RESTART) restart(&s);
  }
  d.lam = d.lam_again;
  tr_state_free(x->m.sys, &room);
  free_stepper(&s);
  return d;
}

// Of the variants only those of an order that can be lost.
static void check_plan(plan how, const char *text) {
  static const char *const names[] = {"damped slider crank",      "three-link pendulum", "swing",
                                      "bead on a breathing rail", "seven angles",        NULL};
  claim list[MAX_CLAIMS];
  int n = all_claims(list);
  bool ok = true;
  for (int c = 0; names[c]; c++) {
    motion x = follow_named(names[c]);
    for (int i = 0; i < n; i++) {
      study s = {0};
      if ((i >= tr_method_count() && list[i].q < 2) || !in_turn(i, c, 5)) continue;
      for (int k = 0; k < halvings(); k++) {
        deviation d = deviate_marching(&x, list[i].text, how, ldexp(x.step, -k));
        note(&s, k, &d);
      }
      if (!check(&x, &list[i], text, &s, QUANTITIES, NULL)) ok = false;
    }
    motion_free(&x);
  }
  assert_true(ok);
}

static void changing_steps(void **state) {
  (void)state;
  check_plan(ALTERNATE, ", steps h, h/2");
}

static void restarts(void **state) {
  (void)state;
  check_plan(RESTART, ", restarted");
}

// ---- events all the time --------------------------------------------------------------------------------

// A run that begins anew after every few steps.
enum { FEW = 3 };
static deviation deviate_often(const motion *x, const char *method, double h) {
  tr_run_settings set = tr_run_defaults();
  tr_run *run = NULL;
  tr_error error = {0};
  deviation d = {0};
  tr_state room;
  set.method = method, set.step = h, set.end = x->end, set.newton.tol = 1e-14;
  assert_int_equal(tr_state_new(x->m.sys, &room, NULL), TR_OK);
  assert_int_equal(tr_run_new(x->m.sys, &set, NULL, &run, &error), TR_OK);
  long steps = lround(x->end / h), part = steps / TIMES;
  for (long k = 1; k <= steps; k++) {
    tr_status status = tr_run_step(run, &error);
    if (status != TR_OK) fail_msg("%s, %s: %s", x->name, method, error.text);
    if (k % part == 0) compare(x, (int)(k / part) - 1, tr_run_state(run), &room, &d);
    if (k % FEW == 0) assert_int_equal(tr_run_restart(run, NULL, &error), TR_OK);
  }
  tr_run_free(run);
  tr_state_free(x->m.sys, &room);
  return d;
}

// Starts that are those of a state on the way: no order is lost.
static void smooth_starts(void **state) {
  static const char *const names[] = {"damped slider crank",
                                      "three-link pendulum",
                                      "bead on a breathing rail",
                                      "seven angles",
                                      "rolling coin",
                                      "pendulum under control",
                                      NULL};
  static const char *const methods[] = {"hht-add",    "hht-add:b=0.3,alpha=-0.1",
                                        "hht-i3",     "hht-si2",
                                        "gen-alpha",  "nstiff",
                                        "nstiff-si2", "pfpc2"};
  (void)state;
  bool ok = true;
  for (int c = 0; names[c]; c++) {
    motion x = follow_named(names[c]);
    for (int i = 0; i < (int)(sizeof methods / sizeof *methods); i++) {
      const claim second = {.text = methods[i], .q = 2, .v = 2};
      study s = {0};
      if (!in_turn(i, c, 6)) continue;
      for (int k = 0; k < halvings(); k++) {
        deviation d = deviate_often(&x, methods[i], ldexp(x.step, -k));
        note(&s, k, &d);
      }
      if (!check(&x, &second, ", restarted every 3 steps", &s, IN_LAM, NULL)) ok = false;
    }
    motion_free(&x);
  }
  assert_true(ok);
}

// ---- a discontinuity --------------------------------------------------------------------------------

// A pendulum that is pushed sideways from the middle of its time on.
typedef struct pushed {
  tr_problem p;
  double push;
} pushed;
static double push; // for the reference
static tr_status pushed_mass(const tr_problem *p, const double *q, double *M) {
  (void)p, (void)q;
  M[0] = M[3] = 1, M[1] = M[2] = 0;
  return TR_OK;
}
static tr_status pushed_force(const tr_problem *p, double t, const double *q, const double *v,
                              double *Q) {
  (void)t, (void)q;
  Q[0] = ((const pushed *)p)->push - 0.2 * v[0], Q[1] = -9.81 - 0.2 * v[1];
  return TR_OK;
}
static tr_status pushed_phi(const tr_problem *p, double t, const double *q, double *phi) {
  (void)p, (void)t;
  phi[0] = q[0] * q[0] + q[1] * q[1] - 1;
  return TR_OK;
}
static tr_status pushed_jac(const tr_problem *p, double t, const double *q, double *G) {
  (void)p, (void)t;
  G[0] = 2 * q[0], G[1] = 2 * q[1];
  return TR_OK;
}
// y = (theta, theta')
static void pushed_slope(double t, const double *y, double *dy) {
  (void)t;
  dy[0] = y[1];
  dy[1] = -9.81 * sin(y[0]) + push * cos(y[0]) - 0.2 * y[1];
}

static deviation deviate_pushed(const char *method, int steps, const double *y) {
  static const double q0[2] = {0, -1}, v0[2] = {1.5, 0};
  pushed p = {{.n = 2,
               .m = 1,
               .q0 = q0,
               .v0 = v0,
               .constant_mass = true,
               .mass = pushed_mass,
               .force = pushed_force,
               .phi = pushed_phi,
               .jac = pushed_jac},
              0};
  mechanism m = load_problem(&p.p);
  tr_newton_settings newton = newton_to(1e-13);
  stepper s = new_stepper(m.sys, method, &newton);
  march(&s, RESTART, steps / 2, 0.5);
  p.push = 20;
  restart(&s);
  march(&s, RESTART, steps / 2, 0.5);
  deviation d = {.q = hypot(s.x.q[0] - sin(y[0]), s.x.q[1] + cos(y[0])),
                 .v = hypot(s.x.v[0] - cos(y[0]) * y[1], s.x.v[1] - sin(y[0]) * y[1])};
  free_stepper(&s);
  unload(&m);
  return d;
}

static void discontinuity(void **state) {
  (void)state;
  claim list[MAX_CLAIMS];
  int n = all_claims(list);
  bool ok = true;
  double y[2] = {0, 1.5};
  motion x = {.name = "push"};
  push = 0;
  integrate(pushed_slope, 2, 0, 0.5, 4000, y);
  push = 20;
  integrate(pushed_slope, 2, 0.5, 1, 4000, y);
  for (int i = 0; i < n; i++) {
    study s = {0};
    for (int k = 0; k < halvings(); k++) {
      deviation d = deviate_pushed(list[i].text, 100 << k, y);
      note(&s, k, &d);
    }
    if (!check(&x, &list[i], "", &s, IN_LAM, NULL)) ok = false;
  }
  assert_true(ok);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders),   cmocka_unit_test(first_steps),   cmocka_unit_test(changing_steps),
      cmocka_unit_test(restarts), cmocka_unit_test(smooth_starts), cmocka_unit_test(discontinuity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
