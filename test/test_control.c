// SPDX-License-Identifier: Apache-2.0
// Error control: what is asked for is what comes out, step by step and between steps.
//
// A local error of tol in a method of order p makes h ~ tol^(1/(k+1)), k the order of the estimate, and a
// global error ~ h^p ~ tol^(p/(k+1)): tol^(2/3) for second order, tol^(1/2) for pfpc1, tol^(1/3) for Newmark,
// whose estimate is that of second order.
#include <math.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_control.h"
#include "helper_motion.h"
#include "step/step.h"

static int order_of(int i) { return i < tr_method_count() ? tr_method_describe(i).order_q : 2; }

// Feedback of the constraints by gains of 1/h: velocities are of first order.
static bool pulled_by_step(const char *method) {
  return !strncmp(method, "pfpc", 4) || !strcmp(method, "baumgarte");
}

// ---- samples ----------------------------------------------------------------------------------------

// Its estimate is of lower order than the step, and cubic output between steps is coarser than both: its
// own tests say what to expect of it.
static bool of_high_order(int i) { return order_of(i) > 2; }

enum { SAMPLES = 64, NUMBERS = 64 };

// Keeps q, v, a, lam of what it is shown.
typedef struct sampler {
  tr_observer observer;
  const tr_system *sys;
  int n;
  double t[SAMPLES], x[SAMPLES][4][NUMBERS];
} sampler;

static tr_status take(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  (void)info;
  sampler *s = (sampler *)self;
  if (s->n == SAMPLES) return TR_OK;
  s->t[s->n] = x->t;
  memcpy(s->x[s->n][0], x->q, (size_t)s->sys->nq * sizeof(double));
  memcpy(s->x[s->n][1], x->v, (size_t)s->sys->nv * sizeof(double));
  memcpy(s->x[s->n][2], x->a, (size_t)s->sys->nv * sizeof(double));
  memcpy(s->x[s->n][3], x->lam, (size_t)s->sys->nc * sizeof(double));
  s->n++;
  return TR_OK;
}

static void look_every(sampler *s, const tr_system *sys, double spacing) {
  memset(s, 0, sizeof *s);
  s->observer.step = take, s->observer.spacing = spacing, s->sys = sys;
  assert_true(sys->nq <= NUMBERS && sys->nv <= NUMBERS && sys->nc <= NUMBERS);
}

static double apart(int n, const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

// ---- requested and achieved -------------------------------------------------------------------------

static int open_motions(void **state) {
  static motion x[2];
  x[0] = (motion){.name = "slider crank", .end = 1};
  x[0].m = load_model("slider_crank.yaml", (const char *const[]){"omega0=2", NULL});
  x[1] = (motion){.name = "three links", .end = 1};
  x[1].m = load_model("three_link_pendulum.yaml", NULL);
  for (int k = 0; k < 2; k++) motion_by_rk4(&x[k], 16384);
  *state = x;
  return 0;
}

static int close_motions(void **state) {
  motion *x = *state;
  for (int k = 0; k < 2; k++) motion_free(&x[k]);
  return 0;
}

// The deviation at the motion's four times, by samples between steps.
static deviation achieve(const motion *x, const tr_run_settings *s, tr_run_info *info) {
  static sampler look;
  deviation d = {0};
  tr_state got, room;
  look_every(&look, x->m.sys, x->end / TIMES);
  tr_run *run = begin_run(x->m.sys, s);
  assert_int_equal(tr_run_observe(run, &look.observer), TR_OK);
  *info = finish(run, s->method);
  assert_int_equal(look.n, TIMES + 1);
  assert_int_equal(tr_state_new(x->m.sys, &got, NULL), TR_OK);
  assert_int_equal(tr_state_new(x->m.sys, &room, NULL), TR_OK);
  for (int k = 0; k < TIMES; k++) {
    got.t = x->end * (k + 1) / TIMES;
    memcpy(got.q, look.x[k + 1][0], (size_t)x->m.sys->nq * sizeof(double));
    memcpy(got.v, look.x[k + 1][1], (size_t)x->m.sys->nv * sizeof(double));
    memcpy(got.lam, look.x[k + 1][3], (size_t)x->m.sys->nc * sizeof(double));
    compare(x, k, &got, &room, &d);
  }
  tr_state_free(x->m.sys, &got);
  tr_state_free(x->m.sys, &room);
  tr_run_free(run);
  return d;
}

// The same by steps that end at these times.
static deviation achieve_at_ends(const motion *x, const tr_run_settings *s, tr_run_info *info) {
  deviation d = {0};
  tr_error error = {0};
  tr_state room;
  tr_run *run = begin_run(x->m.sys, s);
  assert_int_equal(tr_state_new(x->m.sys, &room, NULL), TR_OK);
  for (int k = 0; k < TIMES; k++) {
    assert_int_equal(tr_run_to(run, x->end * (k + 1) / TIMES, &error), TR_OK);
    compare(x, k, tr_run_state(run), &room, &d);
  }
  *info = tr_run_describe(run);
  tr_state_free(x->m.sys, &room);
  tr_run_free(run);
  return d;
}

enum { DECADES = 5 }; // of the tolerance

// A fifth may be rejected; by [GNP05]'s rule, which aims at the limit in every step, a third.
static void sane_steps(const motion *x, const tr_run_settings *s, const tr_run_info *i) {
  const char *method = s->method;
  double tol = s->control.tol, share = s->control.rule == TR_CONTROL_PI ? 0.2 : 1. / 3;
  double mean = x->end / (double)i->steps;
  if ((double)i->rejected > share * (double)i->steps)
    fail_msg("%s, %s, tol %g: %ld of %ld rejected", x->name, method, tol, i->rejected, i->steps);
  if (!(i->smallest_step > 1e-3 * mean && i->largest_step < 20 * mean))
    fail_msg("%s, %s, tol %g: steps %g .. %g", x->name, method, tol, i->smallest_step,
             i->largest_step);
  assert_int_equal(i->newton_failures, 0);
}

static void assert_slope(const motion *x, int i, tr_control rule) {
  const char *method = control_method(i);
  // high order has steps too long to tell anything with wide tolerances
  double q[DECADES], v[DECADES], n[DECADES], tol = of_high_order(i) ? 1e-5 : 1e-3;
  for (int k = 0; k < DECADES; k++, tol *= 0.1) {
    tr_run_info info;
    tr_run_settings s = controlled(method, tol, x->end);
    s.control.rule = rule;
    deviation d = achieve(x, &s, &info);
    sane_steps(x, &s, &info);
    q[k] = d.q, v[k] = d.v, n[k] = 1 / (double)info.steps;
  }
  // the error estimated goes like h^k1, that of the run like h^p
  double decade = log10(2), p = order_of(i),
         k1 = of_high_order(i)              ? 4
              : strncmp(method, "pfpc1", 5) ? 3
                                            : 2;
  double want = p / k1, power = decade * fit(DECADES, q), steps = decade * fit(DECADES, n);
  if (!(power > 0.75 * want && power < 1.35 * want))
    fail_msg("%s, %s: error of q like tol^%.2f, tol^%.2f expected", x->name, method, power, want);
  if (!(steps > 0.8 / k1 && steps < 1.15 / k1))
    fail_msg("%s, %s: 1/steps like tol^%.2f", x->name, method, steps);
  // gains of 1/h make the velocities of this one a matter of first order
  if (!strcmp(method, "baumgarte")) return;
  power = decade * fit(DECADES, v);
  if (!(power > 0.75 * want && power < 1.45 * want))
    fail_msg("%s, %s: error of v like tol^%.2f, tol^%.2f expected", x->name, method, power, want);
}

static void error_follows_tolerance(void **u) {
  const motion *x = *u;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < control_cases(); i++)
      if (in_turn(i, k, 2)) assert_slope(&x[k], i, TR_CONTROL_PI);
}

static void error_follows_tolerance_by_the_other_rule(void **u) {
  const motion *x = *u;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < control_cases(); i++) {
      if (!in_turn(i, k, 2)) continue;
      tr_run_settings s = controlled(control_method(i), 1e-4, 1);
      s.control.rule = TR_CONTROL_GNP05;
      if (pulled_by_step(s.method))
        assert_refused(x[k].m.sys, &s, "use the PI rule");
      else
        assert_slope(&x[k], i, TR_CONTROL_GNP05);
    }
}

// With the error of velocities counted there are more steps, and it is smaller.
static void velocities_count_when_asked(void **u) {
  const motion *x = *u;
  for (int i = 0; i < control_cases(); i++) {
    tr_run_info without, with;
    tr_run_settings s = controlled(control_method(i), 1e-5, x[0].end);
    if (pulled_by_step(control_method(i))) {
      s.control.velocities = true;
      assert_refused(x[0].m.sys, &s, "error of its velocities and multipliers cannot be told");
      continue;
    }
    deviation a = achieve(&x[0], &s, &without);
    s.control.velocities = true;
    deviation b = achieve(&x[0], &s, &with);
    assert_true(with.steps > without.steps);
    if (!(b.v < a.v)) fail_msg("%s: %.2g without, %.2g with", control_method(i), a.v, b.v);
  }
}

// Tight tolerances and little damping: accelerations swing across the constraints, steps do not collapse, and
// velocities do not swing with them. They are looked at where steps end: those between have h/8 of the
// difference of two accelerations in them.
static void velocities_need_little_damping(void **u) {
  enum { TOLERANCES = 4 };
  static const char *const methods[] = {"hht-i3",           "hht-i3:alpha=-0.05",
                                        "gen-alpha",        "gen-alpha:rho=0.95",
                                        "nstiff",           "newmark:gamma=0.52,beta=0.2602",
                                        "hht-si2",          "hht-si2:alpha=-0.01",
                                        "gen-alpha:index=2"};
  const motion *x = *u;
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
      if (!in_turn((int)i, k, 2)) continue;
      double v[TOLERANCES], tol = 1e-5;
      for (int n = 0; n < TOLERANCES; n++, tol *= 0.1) {
        tr_run_info info;
        tr_run_settings s = controlled(methods[i], tol, x[k].end);
        s.control.velocities = true;
        v[n] = achieve_at_ends(&x[k], &s, &info).v;
        if (info.rejected > info.steps / 3)
          fail_msg("%s: %ld of %ld rejected", methods[i], info.rejected, info.steps);
      }
      double want = strncmp(methods[i], "newmark", 7) ? 2. / 3 : 1. / 3;
      double power = log10(2) * fit(TOLERANCES, v);
      if (!(power > 0.78 * want))
        fail_msg("%s, %s: error of v like tol^%.2f", x[k].name, methods[i], power);
    }
}

// ---- dense output -----------------------------------------------------------------------------------

enum { PARTS = 40 };

static void sample(const tr_system *sys, const tr_run_settings *s, double spacing, sampler *out) {
  look_every(out, sys, spacing);
  tr_run *run = begin_run(sys, s);
  tr_run_observe(run, &out->observer);
  finish(run, s->method);
  tr_run_free(run);
}

// The same with steps that end at the multiples.
static void stop_at(const tr_system *sys, const tr_run_settings *s, double spacing, sampler *out) {
  tr_error error = {0};
  look_every(out, sys, 0);
  tr_run *run = begin_run(sys, s);
  for (int k = 0; k <= PARTS; k++) {
    assert_int_equal(tr_run_to(run, k * spacing, &error), TR_OK);
    take(&out->observer, tr_run_state(run), NULL);
  }
  tr_run_free(run);
}

static double error_of(const sampler *a, const sampler *b, int what, int n) {
  double most = 0;
  for (int k = 0; k < a->n; k++) most = fmax(most, apart(n, a->x[k][what], b->x[k][what]));
  return most;
}

// a and lam that are recomputed are those of the equations at each state that was shown.
static void assert_recomputed(const sampler *s, const char *method) {
  tr_state x;
  assert_int_equal(tr_state_new(s->sys, &x, NULL), TR_OK);
  for (int k = 0; k < s->n; k++) {
    x.t = s->t[k];
    memcpy(x.q, s->x[k][0], (size_t)s->sys->nq * sizeof *x.q);
    memcpy(x.v, s->x[k][1], (size_t)s->sys->nv * sizeof *x.v);
    assert_int_equal(tr_accelerations(s->sys, &x, NULL), TR_OK);
    double a = apart(s->sys->nv, x.a, s->x[k][2]), lam = apart(s->sys->nc, x.lam, s->x[k][3]);
    double near = 1e-9 * (1 + largest(s->sys->nv, x.a) + largest(s->sys->nc, x.lam));
    if (!(a < near && lam < near))
      fail_msg("%s, t = %g: a off by %g, lam by %g", method, x.t, a, lam);
  }
  tr_state_free(s->sys, &x);
}

// States between steps are as good as those at steps.
static void samples_are_accurate(void **u) {
  static const char *const names[4] = {"q", "v", "a", "lam"};
  static sampler fine, at_steps, between;
  const motion *x = *u;
  for (int k = 0; k < 2; k++) {
    const tr_system *sys = x[k].m.sys;
    int n[4] = {sys->nq, sys->nv, sys->nv, sys->nc};
    double spacing = x[k].end / PARTS;
    tr_run_settings s = tr_run_defaults();
    s.method = "baumgarte:scheme=rk4,unit=1/s,alpha=20,beta=20";
    s.step = spacing / or_less(256, 64), s.end = x[k].end;
    sample(sys, &s, spacing, &fine);
    for (int i = 0; i < control_cases(); i++) {
      if (!in_turn(i, k, 2)) continue;
      s = controlled(control_method(i), 1e-5, x[k].end);
      s.recompute = true;
      sample(sys, &s, spacing, &between);
      stop_at(sys, &s, spacing, &at_steps);
      assert_int_equal(between.n, PARTS + 1);
      assert_recomputed(&between, control_method(i));
      for (int what = 0; what < 4; what++) {
        double inside = error_of(&between, &fine, what, n[what]);
        double ends = error_of(&at_steps, &fine, what, n[what]);
        double scale = 0;
        for (int j = 0; j <= PARTS; j++) scale = fmax(scale, largest(n[what], fine.x[j][what]));
        // at high order the polynomials between are worse than the ends of steps, but within the tolerance
        double high = of_high_order(i) && what < 2 ? s.control.tol * scale : 0;
        if (!(inside < (what < 2 ? 3 : 6) * ends + 1e-4 * scale * (what >= 2) + high))
          fail_msg("%s, %s: %s off by %.2g between steps, %.2g at steps", x[k].name,
                   control_method(i), names[what], inside, ends);
      }
    }
  }
}

// The run knows nothing of its observers: same steps, same bits, and the same samples.
static void samples_do_not_disturb(void **u) {
  (void)u;
  static sampler alone, first, second, steps;
  mechanism m = load_model("three_link_pendulum.yaml", NULL);
  for (int i = 0; i < 2 * control_cases(); i++) {
    tr_run_settings s = controlled(control_method(i / 2), i % 2 ? 0 : 1e-4, 0.7);
    s.step = 1. / 64;
    tr_run *bare = begin_run(m.sys, &s), *all = begin_run(m.sys, &s);
    look_every(&first, m.sys, 0.03), look_every(&second, m.sys, 1. / 57),
        look_every(&steps, m.sys, 0);
    tr_run_observe(all, &first.observer);
    tr_run_observe(all, &steps.observer);
    tr_run_observe(all, &second.observer);
    tr_run_info a = finish(bare, s.method), b = finish(all, s.method);
    const tr_state *x = tr_run_state(bare), *y = tr_run_state(all);
    assert_int_equal(a.steps, b.steps);
    assert_int_equal(a.newton_iterations, b.newton_iterations);
    assert_int_equal(x->bytes, y->bytes);
    assert_memory_equal(x->block, y->block, x->bytes);
    sample(m.sys, &s, 0.03, &alone);
    assert_int_equal(alone.n, 24);
    assert_int_equal(first.n, 24);
    assert_memory_equal(alone.t, first.t, sizeof alone.t);
    assert_memory_equal(alone.x, first.x, sizeof alone.x);
    for (int k = 0; k < alone.n; k++) assert_true(alone.t[k] == k * 0.03);
    tr_run_free(bare);
    tr_run_free(all);
  }
  unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(error_follows_tolerance),
      cmocka_unit_test(error_follows_tolerance_by_the_other_rule),
      cmocka_unit_test(velocities_count_when_asked),
      cmocka_unit_test(velocities_need_little_damping),
      cmocka_unit_test(samples_are_accurate),
      cmocka_unit_test(samples_do_not_disturb),
  };
  return cmocka_run_group_tests(tests, open_motions, close_motions);
}
