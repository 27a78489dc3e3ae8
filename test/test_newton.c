// SPDX-License-Identifier: Apache-2.0
// The Newton iteration on scalar problems: when it stops, when it renews its matrix, what it counts.
#include <float.h>
#include <math.h>
#include <string.h>

#include "helper_mechanics.h"
#include "solve/newton.h"
#include "solve/noise.h"

// f(x) = 0 with a derivative that may be frozen, wrong or missing.
typedef struct scalar {
  tr_newton_problem p;
  double (*f)(const struct scalar *s, double x);
  double (*df)(const struct scalar *s, double x);
  double x, slope, target;
  double noise;    // round-off of the residual, of either sign
  double at_floor; // residual that counts as round-off
  long residuals, matrices, solves, updates;
  tr_status fail_matrix;
} scalar;

static tr_status residual(tr_newton_problem *p, double *r) {
  scalar *s = (scalar *)p;
  s->residuals++;
  *r = s->f(s, s->x) + (s->residuals % 2 ? s->noise : -s->noise);
  return TR_OK;
}

static tr_status matrix(tr_newton_problem *p) {
  scalar *s = (scalar *)p;
  s->matrices++;
  s->slope = s->df(s, s->x);
  return s->fail_matrix ? s->fail_matrix : s->slope == 0 ? TR_SINGULAR : TR_OK;
}

static tr_status solve(tr_newton_problem *p, double *r) {
  scalar *s = (scalar *)p;
  s->solves++;
  *r /= s->slope;
  return TR_OK;
}

static void update(tr_newton_problem *p, const double *dx) {
  scalar *s = (scalar *)p;
  s->updates++;
  s->x -= *dx;
}

static double norm(const tr_newton_problem *p, const double *dx) {
  (void)p;
  return fabs(*dx);
}

static bool at_floor(const tr_newton_problem *p, const double *r) {
  return fabs(*r) <= ((const scalar *)p)->at_floor;
}

// x^2 = target
static double square(const scalar *s, double x) { return x * x - s->target; }
static double square_slope(const scalar *s, double x) {
  (void)s;
  return 2 * x;
}
// slopes too steep by 1.25 and by 10/3: contractions 0.2 and 0.7; too flat: divergence by -2.3
static double line(const scalar *s, double x) { return x - s->target; }
static double slope_good(const scalar *s, double x) {
  (void)s, (void)x;
  return 1.25;
}
static double slope_slow(const scalar *s, double x) {
  (void)s, (void)x;
  return 1 / 0.3;
}
static double slope_lost(const scalar *s, double x) {
  (void)s, (void)x;
  return 0.3;
}

static double room;

static scalar make(double (*f)(const scalar *, double), double (*df)(const scalar *, double),
                   double x, double target, double tol) {
  return (scalar){.p = {.tol = tol,
                        .residual = residual,
                        .matrix = matrix,
                        .solve = solve,
                        .update = update,
                        .norm = norm,
                        .at_floor = at_floor},
                  .f = f,
                  .df = df,
                  .x = x,
                  .target = target};
}

static tr_newton newton(bool reuse) {
  return (tr_newton){.max_iterations = 20, .reuse = reuse, .r = &room};
}

static void assert_counts(const tr_newton *nw, const scalar *s) {
  assert_int_equal(nw->residuals, s->residuals);
  assert_int_equal(nw->matrices, s->matrices);
  assert_int_equal(nw->iterations, s->solves);
  assert_int_equal(nw->iterations, s->updates);
}

static void converges(void **u) {
  (void)u;
  tr_newton nw = newton(false);
  scalar s = make(square, square_slope, 1.5, 2, 1e-12);
  assert_int_equal(tr_newton_solve(&nw, &s.p), TR_OK);
  assert_near(s.x, sqrt(2), 1e-12, "root");
  assert_counts(&nw, &s);
  // one matrix, contraction 0.06 and better: 12 digits need between 4 and 10 corrections
  assert_int_equal(nw.matrices, 1);
  assert_true(nw.iterations >= 4 && nw.iterations <= 10);
  assert_int_equal(nw.stagnations, 0);
}

// The promised error is kept: the estimate rho/(1 - rho) |d| is not below what is left, for any rate.
static void tolerance_is_honest(void **u) {
  (void)u;
  for (double tol = 1e-3; tol > 1e-13; tol /= 7) {
    tr_newton nw = newton(true);
    scalar s = make(line, slope_good, 5, 2, tol);
    assert_int_equal(tr_newton_solve(&nw, &s.p), TR_OK);
    assert_near(s.x, 2, tol * (1 + 1e-6) + 4 * DBL_EPSILON, "line, tol %g", tol);
    // and not wastefully far below: one more correction would have gained a factor of 5
    assert_true(nw.iterations <= 2 + (long)ceil(log(3 / tol) / log(5)));
  }
}

static void matrix_is_reused(void **u) {
  (void)u;
  tr_newton nw = newton(true);
  scalar s = make(square, square_slope, 1.4, 2, 1e-9);
  long before = 0;
  for (int k = 0; k < 30; k++) {
    s.target = 2 + 1e-3 * k;
    assert_int_equal(tr_newton_solve(&nw, &s.p), TR_OK);
    assert_near(s.x, sqrt(s.target), 1e-9, "root %d", k);
  }
  assert_true(nw.matrices <= 2);
  assert_counts(&nw, &s);
  // without reuse each solve has its own
  nw = newton(false);
  s = make(square, square_slope, 1.4, 2, 1e-9);
  for (int k = 0; k < 30; k++, before++) {
    s.target = 2 + 1e-3 * k;
    assert_int_equal(tr_newton_solve(&nw, &s.p), TR_OK);
  }
  assert_int_equal(nw.matrices, before);
}

// A matrix that has become bad is renewed in the same solve and the root still found.
static void stale_matrix_is_renewed(void **u) {
  (void)u;
  tr_newton nw = newton(true);
  scalar s = make(square, square_slope, 1.4, 2, 1e-10);
  assert_int_equal(tr_newton_solve(&nw, &s.p), TR_OK);
  assert_true(nw.valid);
  long matrices = nw.matrices;
  s.target = 9; // slope 2.8 against 6: contraction -1.1
  assert_int_equal(tr_newton_solve(&nw, &s.p), TR_OK);
  assert_near(s.x, 3, 1e-10, "root");
  assert_true(nw.matrices > matrices);
}

static double slope_exact(const scalar *s, double x) {
  (void)s, (void)x;
  return 1;
}

// A matrix that has become slow is not handed on to the next solve; one that is as slow as fresh ones are is.
static void slow_matrix_is_dropped(void **u) {
  (void)u;
  tr_newton nw = newton(true);
  scalar s = make(line, slope_exact, 5, 2, 1e-2);
  assert_int_equal(tr_newton_solve(&nw, &s.p), TR_OK);
  assert_true(nw.valid);
  s.slope = 1.15, s.target = 7; // contraction 0.13
  assert_int_equal(tr_newton_solve(&nw, &s.p), TR_OK);
  assert_int_equal(s.matrices, 1);
  assert_false(nw.valid);
  nw = newton(true);
  s = make(line, slope_good, 5, 2, 1e-10);
  assert_int_equal(tr_newton_solve(&nw, &s.p), TR_OK);
  assert_true(nw.valid);
}

// With noise in the residual above the tolerance the corrections stop shrinking: accepted, and told.
static void stagnates_at_the_floor(void **u) {
  (void)u;
  tr_newton nw = newton(true);
  scalar s = make(square, square_slope, 1.5, 2, 1e-14);
  s.noise = 1e-9, s.at_floor = 2e-9;
  assert_int_equal(tr_newton_solve(&nw, &s.p), TR_OK);
  assert_int_equal(nw.stagnations, 1);
  assert_near(s.x, sqrt(2), 1e-9, "root at the floor");
  // the same by the norm of the correction
  nw = newton(true);
  s = make(square, square_slope, 1.5, 2, 1e-14);
  s.noise = 1e-9, s.p.floor = 1e-9;
  assert_int_equal(tr_newton_solve(&nw, &s.p), TR_OK);
  assert_near(s.x, sqrt(2), 2e-9, "root at the floor");
  // but where the residual is no round-off it is a failure
  nw = newton(true);
  s = make(square, square_slope, 1.5, 2, 1e-14);
  s.noise = 1e-4, s.at_floor = 1e-9;
  assert_int_equal(tr_newton_solve(&nw, &s.p), TR_NO_CONVERGENCE);
  assert_int_equal(nw.stagnations, 0);
}

static void divergence_is_told(void **u) {
  (void)u;
  tr_newton nw = newton(true);
  scalar s = make(line, slope_lost, 3, 2, 1e-8);
  assert_int_equal(tr_newton_solve(&nw, &s.p), TR_NO_CONVERGENCE);
  assert_true(nw.iterations < 10); // does not run to the end of its patience
  assert_false(nw.valid);
  assert_counts(&nw, &s);
  nw = newton(true);
  s = make(line, slope_slow, 3, 2, 1e-12); // 0.7^20 is not enough
  assert_int_equal(tr_newton_solve(&nw, &s.p), TR_NO_CONVERGENCE);
  assert_int_equal(nw.iterations, 20);
  assert_false(nw.valid);
}

static void broken_problems(void **u) {
  (void)u;
  tr_newton nw = newton(true);
  scalar s = make(square, square_slope, 0, 2, 1e-8);
  assert_int_equal(tr_newton_solve(&nw, &s.p), TR_SINGULAR);
  assert_int_equal(s.updates, 0);
  s = make(square, square_slope, NAN, 2, 1e-8);
  assert_int_equal(tr_newton_solve(&nw, &s.p), TR_NOT_FINITE);
  assert_int_equal(s.updates, 0); // nothing spoilt
  s = make(square, square_slope, 1, 2, 1e-8);
  s.fail_matrix = TR_NO_MEMORY;
  assert_int_equal(tr_newton_solve(&nw, &s.p), TR_NO_MEMORY);
  assert_false(nw.valid);
}

// Exactly so many iterations, each with its own matrix, whatever the tolerance says.
static void fixed_iterations(void **u) {
  (void)u;
  for (int n = 1; n <= 5; n++) {
    tr_newton nw = newton(true);
    nw.fixed_iterations = n;
    scalar s = make(square, square_slope, 1.5, 2, 1e300);
    double x = 1.5;
    assert_int_equal(tr_newton_solve(&nw, &s.p), TR_OK);
    for (int k = 0; k < n; k++) x -= (x * x - 2) / (2 * x);
    assert_true(s.x == x);
    assert_int_equal(nw.iterations, n);
    assert_int_equal(nw.matrices, n);
    assert_counts(&nw, &s);
  }
}

// ---- few corrections --------------------------------------------------------------------------------

static void few_stops_and_gives_up(void **u) {
  (void)u;
  tr_newton nw = newton(true);
  scalar s = make(line, slope_good, 1, 0, 0.05); // corrections 0.8, 0.16: left are 0.16/4
  assert_int_equal(tr_newton_few(&nw, &s.p, 4), TR_OK);
  assert_int_equal(nw.iterations, 2);
  assert_near(nw.rate, 0.2, 1e-12, "rate");
  assert_counts(&nw, &s);
  // the remembered rate is believed to be 1/2: one correction below the tolerance will do
  s.x = 0.01;
  assert_int_equal(tr_newton_few(&nw, &s.p, 4), TR_OK);
  assert_int_equal(nw.iterations, 3);
  assert_int_equal(nw.matrices, 1);
  s.x = 1;
  assert_int_equal(tr_newton_few(&nw, &s.p, 4), TR_OK);
  assert_int_equal(nw.iterations, 5);
  // too slow for four, or too slow at all
  scalar slow = make(line, slope_slow, 1, 0, 1e-3), lost = make(line, slope_lost, 1, 0, 1e-3);
  nw = newton(true);
  assert_int_equal(tr_newton_few(&nw, &slow.p, 4), TR_NO_CONVERGENCE);
  assert_int_equal(nw.iterations, 4);
  assert_int_equal(nw.matrices, 1);
  assert_false(nw.valid);
  nw = newton(true);
  assert_int_equal(tr_newton_few(&nw, &lost.p, 4), TR_NO_CONVERGENCE);
  assert_int_equal(nw.iterations, 2);
}

static void few_at_the_floor(void **u) {
  (void)u;
  tr_newton nw = newton(true);
  scalar s = make(line, slope_good, 1e-9, 0, 1e-12);
  s.noise = 1e-9, s.at_floor = 1e-8;
  assert_int_equal(tr_newton_few(&nw, &s.p, 4), TR_OK);
  assert_int_equal(nw.stagnations, 1);
  s.at_floor = 0, s.x = 1e-9;
  assert_int_equal(tr_newton_few(&nw, &s.p, 4), TR_NO_CONVERGENCE);
}

// Along a path of solutions, planned: rates of earlier solves save corrections, the matrix is renewed as it pays, and what
// is left stays near the tolerance all the same.
static void few_are_planned(void **u) {
  (void)u;
  const double tol = 3e-6, matrix_price = 2.5;
  double cost[2], worst[2] = {0};
  for (int planned = 0; planned < 2; planned++) {
    tr_newton nw = newton(true);
    scalar s = make(square, square_slope, 1, 1, tol);
    s.p.planned = planned;
    for (int n = 0; n < 300; n++) {
      s.target += 1e-3;
      assert_int_equal(tr_newton_few(&nw, &s.p, 4), TR_OK);
      worst[planned] = fmax(worst[planned], fabs(s.x - sqrt(s.target)));
    }
    assert_counts(&nw, &s);
    cost[planned] = (double)nw.iterations + matrix_price * (double)nw.matrices;
  }
  if (!(cost[1] < 0.8 * cost[0]) || !(worst[1] < 2 * tol) || !(worst[0] < tol))
    fail_msg("cost %g, planned %g; left %g and %g", cost[0], cost[1], worst[0], worst[1]);
}

static tr_status draw_noise(tr_newton_problem *p, double *b) {
  scalar *s = (scalar *)p;
  s->solves++;
  *b = s->noise;
  return TR_OK;
}

// What a matrix has made of round-off is remembered for corrections by the same one, of the same unknowns, for a while.
static void noise_is_remembered(void **u) {
  (void)u;
  tr_newton nw = newton(true);
  scalar s = make(line, slope_good, 5, 2, 1e-8);
  double spare;
  nw.spare = &spare;
  s.p.steady = true, s.p.noise = draw_noise, s.noise = 1e-9;
  assert_false(tr_noise_known(&nw, &s.p, 1e-12));
  assert_false(tr_noise_explains(&nw, &s.p, 1e-6)); // too large for noise: nothing to remember
  assert_false(tr_noise_known(&nw, &s.p, 1e-12));
  assert_true(tr_noise_explains(&nw, &s.p, 3e-9));
  assert_true(tr_noise_known(&nw, &s.p, 3.9e-9));
  assert_false(tr_noise_known(&nw, &s.p, 4.1e-9));
  s.p.most_noise = 2e-9;
  assert_false(tr_noise_known(&nw, &s.p, 3e-9));
  s.p.most_noise = 0, s.p.finishes = true;
  assert_false(tr_noise_known(&nw, &s.p, 3e-9));
  s.p.finishes = false, s.p.steady = false;
  assert_false(tr_noise_known(&nw, &s.p, 3e-9));
  s.p.steady = true, nw.age = 16;
  assert_true(tr_noise_known(&nw, &s.p, 3e-9));
  nw.age = 17;
  assert_false(tr_noise_known(&nw, &s.p, 3e-9));
  nw.age = 0, s.noise = 0;
  assert_true(tr_noise_known(&nw, &s.p, 3e-9));
  assert_int_equal(tr_newton_solve(&nw, &s.p), TR_OK); // with a matrix of its own
  assert_false(tr_noise_known(&nw, &s.p, 1e-12));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(few_stops_and_gives_up),  cmocka_unit_test(few_at_the_floor),
      cmocka_unit_test(few_are_planned),         cmocka_unit_test(converges),
      cmocka_unit_test(tolerance_is_honest),     cmocka_unit_test(matrix_is_reused),
      cmocka_unit_test(stale_matrix_is_renewed), cmocka_unit_test(slow_matrix_is_dropped),
      cmocka_unit_test(stagnates_at_the_floor),  cmocka_unit_test(divergence_is_told),
      cmocka_unit_test(broken_problems),         cmocka_unit_test(fixed_iterations),
      cmocka_unit_test(noise_is_remembered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
