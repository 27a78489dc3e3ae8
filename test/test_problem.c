// SPDX-License-Identifier: Apache-2.0
// Problems given as functions: Andrews' squeezing mechanism in its seven angles against its reference
// solution, with and without derivatives, and against the same mechanism made of bodies.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helper_mechanics.h"
#include "helper_problems.h"
#include "system/system.h"

enum { N = 7, M = 6 };

// Test Set for IVP Solvers, Andrews' squeezing mechanism: angles, velocities and multipliers at
// t = 0.03, computed in quadruple precision (they agree with the published ones).
static const double end_q[N] = {1.581077119515370709711939e+01, -1.575637105841183946972775e+01,
                                4.082224011964580485828232e-02, -5.347301163420795937701850e-01,
                                5.244099658799540693716558e-01, 5.347301163420795937701850e-01,
                                1.048080741041937873068515e+00};
static const double end_v[N] = {1.139920302259106064198097e+03, -1.424379295177540073196026e+03,
                                1.103291191061859374532731e+01, 1.929337410503204083162756e+01,
                                5.735699148295024538176879e-01, -1.929337410503204083162756e+01,
                                3.231791492491308749907484e-01};
static const double end_lam[M] = {1.991753481045386281862395e+02, -2.975530997497176332441573e+01,
                                  2.306654361162215112861737e+01, 3.145272527577113707538454e+01,
                                  2.264249478639437857771292e+01, 1.161739235261125590680148e+01};

typedef struct outcome {
  double q[N], v[N], lam[M];
  tr_run_info info;
} outcome;

static outcome solve_to(double newton, const tr_problem *problem, const char *method, double h,
                        double end) {
  mechanism m = load_problem(problem);
  tr_run_settings s = tr_run_defaults();
  s.method = method, s.step = h, s.end = end, s.newton.tol = newton;
  tr_run *run;
  tr_error error = {0};
  outcome o;
  if (tr_run_new(m.sys, &s, NULL, &run, &error) != TR_OK || tr_run_all(run, &error) != TR_OK)
    fail_msg("%s", error.text);
  memcpy(o.q, tr_run_state(run)->q, sizeof o.q);
  memcpy(o.v, tr_run_state(run)->v, sizeof o.v);
  // the method's own multiplier belongs to its own equation; that of the state at the end is asked for
  tr_state x;
  assert_int_equal(tr_state_new(m.sys, &x, NULL), TR_OK);
  tr_state_copy(&x, tr_run_state(run));
  assert_int_equal(tr_accelerations(m.sys, &x, NULL), TR_OK);
  memcpy(o.lam, x.lam, sizeof o.lam);
  tr_state_free(m.sys, &x);
  o.info = tr_run_describe(run);
  tr_run_free(run);
  unload(&m);
  return o;
}

static outcome solve(const tr_problem *problem, const char *method, double h, double end) {
  return solve_to(tr_run_defaults().newton.tol, problem, method, h, end);
}

// Largest error relative to the size of what is compared.
static double error_of(int n, const double *got, const double *want) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(got[i] - want[i]));
  return most / largest(n, want);
}

// Second order in q and v, and the multipliers at the end state follow.
static void reference_solution(void **u) {
  (void)u;
  static const char *const methods[] = {"hht-i3:alpha=-0.1", "hht-i3:alpha=-0.3"};
  for (int k = 0; k < 2; k++) {
    double eq[3], ev[3], el[3];
    for (int i = 0; i < 3; i++) {
      outcome o = solve(&tr_problem_seven_angles, methods[k], ldexp(0.03 / 3000, -i), 0.03);
      eq[i] = error_of(N, o.q, end_q), ev[i] = error_of(N, o.v, end_v);
      el[i] = error_of(M, o.lam, end_lam);
      assert_int_equal(o.info.steps, 3000 << i);
    }
    for (int i = 0; i < 2; i++) {
      assert_near(log2(eq[i] / eq[i + 1]), 2, 0.1, "%s: order in q", methods[k]);
      assert_near(log2(ev[i] / ev[i + 1]), 2, 0.1, "%s: order in v", methods[k]);
      assert_near(log2(el[i] / el[i + 1]), 2, 0.3, "%s: order in lam", methods[k]);
    }
    assert_true(eq[2] < 7e-7);
    assert_true(ev[2] < 3e-6);
    assert_true(el[2] < 4e-6);
  }
}

// beta to eight digits and more, by the method of high order.
static void reference_to_eight_digits(void **u) {
  (void)u;
  for (int i = 0; i < 2; i++) {
    outcome o = solve_to(1e-13, &tr_problem_seven_angles, "radau5", ldexp(0.03 / 1500, -i), 0.03);
    assert_near(o.q[0], end_q[0], 1e-8, "beta, %d steps", 1500 << i);
    assert_true(error_of(N, o.q, end_q) < 1e-9 && error_of(N, o.v, end_v) < 1e-8);
    assert_true(error_of(M, o.lam, end_lam) < 1e-7);
  }
}

// HHT-I3 as printed takes M(q) at the end of the step: first order where M varies. Newmark with
// gamma > 1/2 is of first order anyway.
static void printed_mass_is_first_order(void **u) {
  (void)u;
  static const char *const methods[] = {"hht-i3:alpha=-0.3,mass=end",
                                        "newmark:beta=0.3025,gamma=0.6"};
  for (int k = 0; k < 2; k++) {
    double e[3];
    for (int i = 0; i < 3; i++) {
      outcome o = solve(&tr_problem_seven_angles, methods[k], ldexp(0.01 / 4000, -i), 0.01);
      static outcome fine;
      if (k == 0 && i == 0)
        fine = solve(&tr_problem_seven_angles, "hht-i3:alpha=-0.1", 0.01 / 32000, 0.01);
      e[i] = error_of(N, o.v, fine.v);
    }
    assert_near(log2(e[0] / e[1]), 1, 0.15, "%s: order", methods[k]);
    assert_near(log2(e[1] / e[2]), 1, 0.15, "%s: order", methods[k]);
  }
}

// ---- what is left out is differenced ----------------------------------------------------------------

// The KKT matrix (dense), Phi_t and gacc at one generic state.
static int pieces(const tr_problem *problem, double *A, double *phi_t, double *gacc) {
  mechanism m = load_problem(problem);
  const tr_system *sys = m.sys;
  const tr_pattern *p = &sys->pattern;
  tr_work *w;
  tr_state x;
  seed s = 77;
  static double values[1024];
  assert_true(p->nnz < 1024);
  assert_int_equal(tr_work_new(sys, &w), TR_OK);
  assert_int_equal(tr_state_new(sys, &x, NULL), TR_OK);
  for (int i = 0; i < sys->nv; i++) x.q[i] += 0.3 * draw(&s), x.v[i] = 3 * draw(&s);
  draw_many(&s, sys->nv, x.a), draw_many(&s, sys->nc, x.lam);
  x.t = 0.8;
  tr_tangent(w, x.t, x.q, x.v, x.mem, x.a, x.lam, NULL, (tr_coefficients){1, 1, 1, 0}, values);
  memset(A, 0, (size_t)(p->n * p->n) * sizeof *A);
  for (int j = 0; j < p->n; j++)
    for (int k = p->column[j]; k < p->column[j + 1]; k++) A[p->row[k] * p->n + j] = values[k];
  tr_kinematics(w, x.t, x.q, x.v, x.mem, TR_AT_BIAS);
  tr_phi_t(w, phi_t);
  tr_gamma(w, gacc);
  int n = p->n;
  tr_state_free(sys, &x);
  tr_work_free(w);
  unload(&m);
  return n;
}

// Central differences with h = eps^(1/3) are good to 1e-10 of the scale, second ones of Phi with
// h = eps^(1/4) to 1e-7.
static void differences(void **u) {
  (void)u;
  const tr_problem *const given[] = {&bead, &tr_problem_seven_angles, &tr_problem_slider_crank};
  for (int k = 0; k < 3; k++)
    for (int variant = 0; variant < 7; variant++) {
      tr_problem p = *given[k];
      double A[2][256], phi_t[2][8], gacc[2][8];
      if (variant == 0 || variant == 6) p.mass_dq = NULL;
      if (variant == 1 || variant == 6) p.force_dq = NULL;
      if (variant == 2 || variant == 6) p.force_dv = NULL;
      if (variant == 3 || variant == 6) p.geom = NULL;
      if (variant == 4 || variant == 6) p.phi_t = NULL;
      if (variant == 5 || variant == 6) p.gamma = NULL;
      if (variant == 6) p.jac = NULL;
      double tol = variant == 6 ? 3e-7 : 3e-9;
      int n = pieces(given[k], A[0], phi_t[0], gacc[0]);
      pieces(&p, A[1], phi_t[1], gacc[1]);
      assert_all_near(n * n, A[1], A[0], tol * fmax(1, largest(n * n, A[0])), "matrix, %d",
                      variant);
      assert_all_near(p.m, phi_t[1], phi_t[0], 1e-9, "phi_t, %d", variant);
      assert_all_near(p.m, gacc[1], gacc[0], tol * fmax(1, largest(p.m, gacc[0])), "gacc, %d",
                      variant);
    }
}

// A function that fails is not stepped over.
static tr_status broken_force(const tr_problem *p, double t, const double *q, const double *v,
                              double *Q) {
  tr_status status = tr_problem_seven_angles.force(p, t, q, v, Q);
  return t > 1e-4 ? TR_FAILED : status;
}

static tr_status broken_phi(const tr_problem *p, double t, const double *q, double *phi) {
  (void)p, (void)t, (void)q, (void)phi;
  return TR_NO_CONVERGENCE;
}

// Whether a text has `what`, and ends with a time between two.
static void assert_tells(const char *text, const char *what, double from, double to) {
  const char *found = strstr(text, what);
  double t = found ? strtod(found + strlen(what), NULL) : NAN;
  if (!(t >= from && t <= to)) fail_msg("\"%s\" instead of \"%s\"", text, what);
}

static void broken_callback(void **u) {
  (void)u;
  tr_problem p = tr_problem_seven_angles;
  p.force = broken_force;
  mechanism m = load_problem(&p);
  tr_run_settings s = tr_run_defaults();
  s.end = 1e-3, s.step = 1e-5;
  for (int k = 0; k < 2 * tr_method_count(); k++) {
    s.method = tr_method_describe(k / 2).name, s.control.tol = k % 2 ? 1e-6 : 0;
    tr_error error = {0};
    tr_run *run = begin_run(m.sys, &s);
    assert_int_equal(tr_run_all(run, &error), TR_FAILED);
    assert_tells(error.text, "its callback force failed at t = ", 1e-4, 1.2e-4);
    assert_near(tr_run_state(run)->t, 1e-4, 1.1e-5, "last time");
    tr_run_free(run);
  }
  unload(&m);
  // at the start
  tr_error error = {0};
  tr_run *run;
  p.force = tr_problem_seven_angles.force, p.phi = broken_phi;
  m = load_problem(&p);
  assert_int_not_equal(tr_run_new(m.sys, &s, NULL, &run, &error), TR_OK);
  assert_tells(error.text, "its callback phi failed at t = ", 0, 0);
  unload(&m);
}

// The same motion: the residual is the same, only the Newton matrix is less exact, so steps differ within
// Newton's tolerance, 1e-10 of v. Without the Jacobian the constraint forces carry differences, too.
static void missing_derivatives(void **u) {
  (void)u;
  // tight, so that the derivatives are compared and not what the iteration leaves
  outcome full = solve_to(1e-13, &tr_problem_seven_angles, "hht-i3:alpha=-0.1", 1e-5, 0.01);
  tr_problem p[6];
  for (int k = 0; k < 6; k++) p[k] = tr_problem_seven_angles;
  p[0].mass_dq = NULL;
  p[1].force_dq = NULL, p[1].force_dv = NULL;
  p[2].geom = NULL;
  p[3].gamma = NULL, p[3].phi_t = NULL;
  p[4] = (tr_problem){.n = N,
                      .m = M,
                      .q0 = tr_problem_seven_angles.q0,
                      .mass = tr_problem_seven_angles.mass,
                      .force = tr_problem_seven_angles.force,
                      .phi = tr_problem_seven_angles.phi,
                      .jac = tr_problem_seven_angles.jac};
  p[5] = p[4];
  p[5].jac = NULL;
  for (int k = 0; k < 6; k++) {
    outcome o = solve_to(1e-13, &p[k], "hht-i3:alpha=-0.1", 1e-5, 0.01);
    double tol = k < 5 ? 1e-10 : 4e-9;
    double eq = error_of(N, o.q, full.q), ev = error_of(N, o.v, full.v);
    if (eq > tol || ev > tol) fail_msg("variant %d: q off by %.2g, v by %.2g", k, eq, ev);
    // and no more work than a few more iterations
    assert_true((double)o.info.newton_iterations < 1.3 * (double)full.info.newton_iterations);
  }
  // the energy is left out in the last two: kinetic by M, potential zero
  assert_true(full.info.max_energy_change < 1e-4);
}

// The shipped model of seven bodies, 21 coordinates and 20 constraints, is the same mechanism: K1, K2,
// K3, K5, K7 turn by beta, beta + Theta, gamma, delta, epsilon.
static void bodies_agree(void **u) {
  (void)u;
  mechanism m = load_model("seven_body.yaml", NULL);
  static const char *const names[] = {"K1.angle", "K2.angle", "K3.angle", "K4.angle",
                                      "K5.angle", "K6.angle", "K7.angle", "K1.omega",
                                      "K2.omega", "K3.omega", "K5.omega", "K7.omega"};
  const double *q = end_q, *v = end_v;
  const double want[] = {q[0], q[0] + q[1], q[2],        q[3] + q[4], q[4], q[5] + q[6],
                         q[6], v[0],        v[0] + v[1], v[2],        v[4], v[6]};
  enum { COUNT = sizeof want / sizeof *want };
  double e[2][COUNT];
  assert_int_equal(m.sys->nv, 21);
  assert_int_equal(m.sys->nc, 20);
  for (int half = 0; half < 2; half++) {
    tr_run *run = new_run(m.sys, "hht-i3:alpha=-0.1", ldexp(5e-6, -half), 0.03);
    assert_int_equal(tr_run_all(run, NULL), TR_OK);
    for (int i = 0; i < COUNT; i++)
      e[half][i] = fabs(output(m.sys, tr_run_state(run), names[i]) - want[i]);
    tr_run_free(run);
  }
  for (int i = 0; i < COUNT; i++)
    assert_near(log2(e[0][i] / e[1][i]), 2, 0.15, "%s: order", names[i]);
  unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reference_solution),
      cmocka_unit_test(reference_to_eight_digits),
      cmocka_unit_test(printed_mass_is_first_order),
      cmocka_unit_test(differences),
      cmocka_unit_test(broken_callback),
      cmocka_unit_test(missing_derivatives),
      cmocka_unit_test(bodies_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
