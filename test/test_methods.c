// SPDX-License-Identifier: Apache-2.0
// Every registered method keeps what its description claims: its order in positions and velocities, at
// a constant step and over changes of it, and the constraint levels it enforces; and every one fails
// honestly, repeats its bits, and starts from a moving state.
//
// The methods run with their default parameters. A new one is tested as soon as it is in the list.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_mechanics.h"
#include "helper_problems.h"
#include "system/system.h"

enum { MOST = 64 };

typedef struct outcome {
  double q[MOST], v[MOST];
  tr_run_info info;
} outcome;

// Runs to the end, with stops on the way at the given times.
static outcome go(const tr_system *sys, const char *method, double h, double end, int stops,
                  const double *stop) {
  outcome o;
  tr_error error = {0};
  tr_run *run = new_run(sys, method, h, end);
  assert_true(sys->nq <= MOST && sys->nv <= MOST);
  for (int k = 0; k < stops; k++)
    if (tr_run_to(run, stop[k], &error) != TR_OK) fail_msg("%s: %s", method, error.text);
  if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", method, error.text);
  memcpy(o.q, tr_run_state(run)->q, (size_t)sys->nq * sizeof *o.q);
  memcpy(o.v, tr_run_state(run)->v, (size_t)sys->nv * sizeof *o.v);
  o.info = tr_run_describe(run);
  tr_run_free(run);
  return o;
}

static double difference(int n, const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

typedef struct benchmark {
  const char *name;
  mechanism m;
  double step, end;
  outcome fine; // by a method of fifth order
} benchmark;

enum { BENCHMARKS = 3 };

// Planar with a force; spatial with rotations; moving at the start and with a changing mass.
static int open_benchmarks(void **state) {
  static benchmark b[BENCHMARKS];
  b[0] = (benchmark){.name = "slider crank", .step = 0x1p-10, .end = 0.5};
  b[0].m = load_model("slider_crank.yaml", (const char *const[]){"omega0=2", NULL});
  b[1] = (benchmark){.name = "three links", .step = 0x1p-9, .end = 0.5};
  b[1].m = load_model("three_link_pendulum.yaml", NULL);
  b[2] = (benchmark){.name = "seven angles", .step = 1e-5, .end = 0.009};
  b[2].m = load_problem(&tr_problem_seven_angles);
  for (int k = 0; k < BENCHMARKS; k++)
    b[k].fine = go(b[k].m.sys, "radau5", b[k].step / 2, b[k].end, 0, NULL);
  *state = b;
  return 0;
}

static int close_benchmarks(void **state) {
  benchmark *b = *state;
  for (int k = 0; k < BENCHMARKS; k++) unload(&b[k].m);
  return 0;
}

// The error falls by the order claimed: measured between h and h/4, two halvings, against a solution
// whose own error is a thousandth of the coarser one. `slack` is left for terms of higher order; more than
// claimed is welcome.
static void assert_orders(const benchmark *b, const tr_method_info *m, const outcome *coarse,
                          const outcome *fine, double slack) {
  const tr_system *sys = b->m.sys;
  double eq = difference(sys->nq, coarse->q, b->fine.q),
         fq = difference(sys->nq, fine->q, b->fine.q);
  double ev = difference(sys->nv, coarse->v, b->fine.v),
         fv = difference(sys->nv, fine->v, b->fine.v);
  double p = 0.5 * log2(eq / fq), r = 0.5 * log2(ev / fv);
  if (m->order_q > 2 && eq < 1e-8 && ev < 1e-6) return; // nothing left to measure, see test_radau.c
  if (!(p > m->order_q - slack)) fail_msg("%s, %s: order %.2f in q", b->name, m->name, p);
  if (!(r > m->order_v - slack)) fail_msg("%s, %s: order %.2f in v", b->name, m->name, r);
}

static void orders(void **u) {
  const benchmark *b = *u;
  for (int k = 0; k < BENCHMARKS; k++)
    for (int i = 0; i < tr_method_count(); i++) {
      if (!in_turn(i, k, BENCHMARKS)) continue;
      tr_method_info m = tr_method_describe(i);
      outcome coarse = go(b[k].m.sys, m.name, b[k].step, b[k].end, 0, NULL);
      outcome fine = go(b[k].m.sys, m.name, b[k].step / 4, b[k].end, 0, NULL);
      assert_orders(&b[k], &m, &coarse, &fine, 0.2);
    }
}

// Four changes of the step on the way. Methods without damping swing on after each, with a sign that
// depends on the number of steps, so one measurement may be off by some tenths.
static void orders_with_changing_steps(void **u) {
  const benchmark *b = *u;
  for (int k = 0; k < BENCHMARKS; k++)
    for (int i = 0; i < tr_method_count(); i++) {
      if (!in_turn(i, k, BENCHMARKS)) continue;
      tr_method_info m = tr_method_describe(i);
      outcome o[2];
      for (int fine = 0; fine < 2; fine++) {
        double h = b[k].step / (fine ? 4 : 1), T = b[k].end;
        double stop[2] = {h * (floor(0.3 * T / h) + 0.37), 0};
        stop[1] = stop[0] + h * (floor(0.3 * T / h) + 0.21);
        o[fine] = go(b[k].m.sys, m.name, h, T, 2, stop);
      }
      assert_orders(&b[k], &m, &o[0], &o[1], 0.5);
    }
}

// Another step every time, h and 0.6 h in turn: whatever a method carries from step to step must know.
// Schemes that only pull the constraints back by gains of 1/h are left out: each change of the step makes
// the gap they carry a wrong one for the velocities.
static void orders_with_alternating_steps(void **u) {
  const benchmark *b = *u;
  for (int k = 0; k < BENCHMARKS; k++)
    for (int i = 0; i < tr_method_count(); i++) {
      if (!in_turn(i, k, BENCHMARKS)) continue;
      tr_method_info m = tr_method_describe(i);
      if (!strncmp(m.levels, "none", 4)) continue;
      outcome o[2];
      for (int fine = 0; fine < 2; fine++) {
        double h = b[k].step / (fine ? 4 : 1);
        int pairs = (int)(b[k].end / (1.6 * h));
        double *stop = malloc(2 * (size_t)pairs * sizeof *stop);
        assert_non_null(stop);
        for (int j = 0; j < pairs; j++) {
          stop[2 * j] = j * 1.6 * h + 0.6 * h;
          stop[2 * j + 1] = (j + 1) * 1.6 * h;
        }
        o[fine] = go(b[k].m.sys, m.name, h, b[k].end, 2 * pairs, stop);
        free(stop);
      }
      assert_orders(&b[k], &m, &o[0], &o[1], 0.5);
    }
}

// "position" among the levels: |Phi| at the tolerance of the iteration; "velocity": |G v + Phi_t| too.
static void levels(void **u) {
  const benchmark *b = *u;
  for (int k = 0; k < BENCHMARKS; k++)
    for (int i = 0; i < tr_method_count(); i++) {
      if (!in_turn(i, k, BENCHMARKS)) continue;
      tr_method_info m = tr_method_describe(i);
      outcome o = go(b[k].m.sys, m.name, b[k].step, b[k].end, 0, NULL);
      double speed = largest(b[k].m.sys->nv, b[k].fine.v), h = b[k].step;
      bool none = !strncmp(m.levels, "none", 4), velocity = strstr(m.levels, "velocity") != NULL;
      if (strchr(m.levels, ';')) velocity = false; // by a parameter only
      if (!none && o.info.max_phi > 1e-9 * speed * h + 1e-13)
        fail_msg("%s, %s: |Phi| %.2g", b[k].name, m.name, o.info.max_phi);
      if (!none && velocity && o.info.max_phi_v > 1e-9 * speed)
        fail_msg("%s, %s: |G v| %.2g", b[k].name, m.name, o.info.max_phi_v);
    }
}

// ---- bits, failures ---------------------------------------------------------------------------------

static void same_bits(void **u) {
  const benchmark *b = *u;
  for (int k = 0; k < BENCHMARKS; k++)
    for (int i = 0; i < tr_method_count(); i++) {
      const char *name = tr_method_describe(i).name;
      outcome x = go(b[k].m.sys, name, b[k].step, 100.5 * b[k].step, 0, NULL);
      outcome y = go(b[k].m.sys, name, b[k].step, 100.5 * b[k].step, 0, NULL);
      assert_memory_equal(x.q, y.q, (size_t)b[k].m.sys->nq * sizeof *x.q);
      assert_memory_equal(x.v, y.v, (size_t)b[k].m.sys->nv * sizeof *x.v);
      assert_int_equal(x.info.steps, 101);
    }
}

// Beyond t = 0.5 a function of the problem refuses: every method stops before and says why.
static void failure_is_honest(void **u) {
  (void)u;
  static const double q0[] = {1}, v0[] = {1};
  const tr_problem refusal = {.n = 1,
                              .m = 1,
                              .q0 = q0,
                              .v0 = v0,
                              .mass = unit_mass,
                              .force = no_force,
                              .phi = refuses_late};
  for (int i = 0; i < tr_method_count(); i++) {
    mechanism m = load_problem(&refusal);
    tr_run *run = new_run(m.sys, tr_method_describe(i).name, 0.01, 1);
    tr_error error = {0};
    assert_int_equal(tr_run_all(run, &error), TR_FAILED);
    const tr_state *x = tr_run_state(run);
    if (!(x->t > 0.45 && x->t <= 0.51))
      fail_msg("%s: stopped at t = %g", tr_method_describe(i).name, x->t);
    assert_near(x->q[0], 1 + x->t, 1e-6, "%s: last state", tr_method_describe(i).name);
    assert_int_equal(error.count, 1);
    tr_run_free(run);
    unload(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders),
      cmocka_unit_test(orders_with_changing_steps),
      cmocka_unit_test(orders_with_alternating_steps),
      cmocka_unit_test(levels),
      cmocka_unit_test(same_bits),
      cmocka_unit_test(failure_is_honest),
  };
  return cmocka_run_group_tests(tests, open_benchmarks, close_benchmarks);
}
