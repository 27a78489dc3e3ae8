// SPDX-License-Identifier: Apache-2.0
// Every registered force, planar and spatial, against the definitions of plugin.h.
//
// The tests know no type: parameters are drawn from the field tables, frames at random, and everything
// an element computes is compared with derivatives of its own wrench or potential along motions of
// the frames. A frame moves by its twist u = (v, w):  p + s v,  exp([s w]) R,  angle + s w_z.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helper_scene.h"
#include "math/v3.h"

static void force_path(void *context, double s, double *out) {
  const scene *x = context;
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  double t = walk(x, s, f, pf);
  x->fops->eval(x->par, t, pf, x->mem, out);
}

static void potential_path(void *context, double s, double *out) {
  const scene *x = context;
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  double t = walk(x, s, f, pf);
  *out = x->fops->potential(x->par, t, pf, x->mem);
}

static double force_here(scene *x, double *w) {
  force_path(x, 0, w);
  return norm2(x->n, w);
}

// A force that is given in global axes, or acts on one body only, does not care for the rest.
static bool is_external(const scene *x) { return x->markers == 1; }

// Components in the axes of a marker that turns: no potential.
static bool follows(const scene *x) {
  for (const tr_field *f = x->force->fields; f && f->name; f++)
    if (f->kind == TR_MARKER) return *(const int *)((const char *)x->par + f->offset) >= 0;
  return false;
}

static void check_tangent(scene *x, seed *s) {
  double K[MAX_N * MAX_N] = {0}, D[MAX_N * MAX_N] = {0}, d[MAX_N], column[MAX_N];
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  const double part = 0.1; // of the usual step: friction is sharp
  int n = x->n, point = x->nd == 3 ? 2 : 3;
  (void)s;
  x->fops->tangent(x->par, walk(x, 0, f, pf), pf, x->mem, K, D);
  for (int by_twist = 0; by_twist < 2; by_twist++) {
    for (int j = 0; j < n; j++) {
      stand_still(x);
      (by_twist ? x->du : x->u)[j] = part;
      double tol = differentiate(force_path, x, n, d);
      for (int i = 0; i < n; i++) d[i] /= part;
      for (int i = 0; i < n; i++) column[i] = (by_twist ? D : K)[i * n + j];
      assert_all_near(n, column, d, tol, "%s: %c, column %d", x->name, by_twist ? 'D' : 'K', j);
      if (by_twist && !x->fops->uses_velocity) assert_true(largest(n, column) == 0);
      for (int i = 0; i < n && !x->fops->uses_moments && !x->lively; i++)
        if (i % x->nd >= point || j % x->nd >= point) assert_true(column[i] == 0);
    }
  }
}

// Nothing is left of a contact that is open.
static void check_one_sided(scene *x, seed *s) {
  double w[MAX_N], K[MAX_N * MAX_N] = {0}, D[MAX_N * MAX_N] = {0};
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  (void)s;
  if (!x->fops->one_sided) return;
  double t = walk(x, 0, f, pf);
  x->fops->eval(x->par, t, pf, x->mem, w);
  x->fops->tangent(x->par, t, pf, x->mem, K, D);
  if (largest(x->n, w) == 0) assert_true(largest(x->n * x->n, K) + largest(x->n * x->n, D) == 0);
}

static void check_force_sight(scene *x, seed *s) {
  double w[MAX_N], again[MAX_N], K[MAX_N * MAX_N] = {0}, D[MAX_N * MAX_N] = {0};
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  (void)s;
  if (x->fops->sight == TR_SEES_FRAMES) return;
  double t = walk(x, 0, f, pf);
  x->fops->eval(x->par, t, pf, x->mem, w);
  blind(x, f);
  x->fops->eval(x->par, t, pf, x->mem, again);
  assert_memory_equal(again, w, (size_t)x->n * sizeof *w);
  assert_no_moments(x, w);
  x->fops->tangent(x->par, t, pf, x->mem, K, D);
  assert_true(isfinite(largest(x->n * x->n, K)) && isfinite(largest(x->n * x->n, D)));
}

// At rest the force is minus the gradient of the potential.
static void check_potential(scene *x, seed *s) {
  double w[MAX_N], d;
  (void)s;
  if (!x->fops->potential || follows(x)) return;
  stop_frames(x);
  force_path(x, 0, w);
  for (int j = 0; j < x->n; j++) {
    stand_still(x);
    x->u[j] = 1;
    double tol = differentiate(potential_path, x, 1, &d);
    assert_near(-w[j], d, tol, "%s: gradient of the potential, %d", x->name, j);
  }
}

// Along a long quasi-static path the work is what the potential loses: Gauss' rule of 3 points on 40
// pieces (error of sixth order, 1e-12). With velocities the rest is dissipated, never gained.
static void check_work(scene *x, seed *s) {
  static const double at[3] = {-0.774596669241483377, 0, 0.774596669241483377};
  static const double weight[3] = {5. / 9, 8. / 9, 5. / 9};
  double w[MAX_N], moving[MAX_N], V0, V1, work = 0, power = 0;
  enum { PIECES = 40 };
  if (!x->fops->potential || follows(x)) return;
  draw_many(s, x->n, x->u);
  for (int j = 0; j < x->n; j++) x->u[j] *= 0.4;
  scene y = *x;
  force_path(x, 1, moving);
  if (force_here(&y, w) == 0 || norm2(x->n, moving) == 0) return; // one-sided, idle somewhere
  force_path(&y, 0, moving);
  twist_of(&y, y.u);
  stop_frames(x);
  force_path(x, 0, w);
  for (int j = 0; j < x->n; j++) power += (moving[j] - w[j]) * y.u[j];
  assert_true(power <= 0);
  if (x->fops->uses_velocity && !is_external(x)) assert_true(power < 0);
  for (int k = 0; k < PIECES; k++)
    for (int i = 0; i < 3; i++) {
      force_path(x, (k + 0.5 + 0.5 * at[i]) / PIECES, w);
      for (int j = 0; j < x->n; j++) work += 0.5 * weight[i] / PIECES * w[j] * x->u[j];
    }
  potential_path(x, 0, &V0);
  potential_path(x, 1, &V1);
  assert_near(work, V0 - V1, 1e-10 * fmax(1, fabs(V1 - V0)), "%s: work against energy", x->name);
}

static void check_force_invariance(scene *x, seed *s) {
  double w[MAX_N], there[MAX_N], V0 = 0, V1;
  rigid g = draw_rigid(s, x->nd);
  if (is_external(x) || force_here(x, w) == 0) return;
  assert_balanced(x, w);
  if (x->fops->potential) potential_path(x, 0, &V0);
  move_all(x, &g);
  force_path(x, 0, there);
  turn_wrench(x, g.R, w);
  assert_all_near(x->n, there, w, 1e-12 * fmax(1, largest(x->n, w)), "%s: wrench moved rigidly",
                  x->name);
  if (!x->fops->potential) return;
  potential_path(x, 0, &V1);
  assert_near(V1, V0, 1e-12 * fmax(1, V0), "%s: potential moved rigidly", x->name);
}

// `rate` is the derivative of `length` or `angle`, and f rate the power of the wrench.
static void check_force_measures(scene *x, seed *s) {
  const char *const *names = x->fops->measure_names;
  int count = count_measures(names), rate = find_measure(names, "rate");
  int f = find_measure(names, "f"), length = find_measure(names, "length");
  double d[TR_MAX_MEASURES], now[TR_MAX_MEASURES], w[MAX_N], power = 0;
  (void)s;
  assert_true(count <= TR_MAX_MEASURES);
  if (rate < 0) return;
  if (length < 0) length = find_measure(names, "angle");
  force_path(x, 0, w);
  measure_path(x, 0, now);
  twist_of(x, x->u);
  double tol = differentiate(measure_path, x, count, d);
  if (length >= 0) assert_near(now[rate], d[length], tol, "%s.rate", x->name);
  for (int j = 0; j < x->n; j++) power += w[j] * x->u[j];
  if (f >= 0)
    assert_near(now[f] * now[rate], power, 1e-12 * fmax(1, fabs(power)), "%s: power", x->name);
}

// ---- over the registry ------------------------------------------------------------------------------

typedef void (*check)(scene *x, seed *s);

enum { FORCE_CASES = 16 }; // one-sided forces are idle in many

static int each_force(check what, bool lively) {
  scene *x = new_scene();
  int done = 0;
  for (const tr_force_type *const *j = tr_force_types(); *j; j++) {
    const tr_force_ops *ops[] = {(*j)->planar, (*j)->spatial};
    assert_true(ops[0] || ops[1]);
    for (int k = 0; k < 2; k++) {
      if (!ops[k]) continue;
      *x = (scene){.force = *j, .fops = ops[k], .nd = k ? 6 : 3, .lively = lively};
      snprintf(x->name, sizeof x->name, "%s %s", k ? "spatial" : "planar", (*j)->name);
      seed s = 2000;
      int busy = 0;
      for (int i = 0; i < FORCE_CASES; i++, done++) {
        double w[MAX_N];
        begin(x, &s);
        busy += force_here(x, w) > 0;
        what(x, &s);
      }
      if (busy < 3)
        fail_msg("%s: idle in %d of %d cases", x->name, FORCE_CASES - busy, FORCE_CASES);
    }
  }
  free(x);
  return done;
}

#define FORCE_TEST(name)                      \
  static void force_##name(void **u) {        \
    (void)u;                                  \
    assert_true(each_force(name, false) > 0); \
  }
FORCE_TEST(check_tangent)
FORCE_TEST(check_potential)
FORCE_TEST(check_work)
FORCE_TEST(check_force_invariance)
FORCE_TEST(check_force_measures)
FORCE_TEST(check_turns)
FORCE_TEST(check_auto)
FORCE_TEST(check_one_sided)
FORCE_TEST(check_force_sight)

static void force_laws(void **u) {
  (void)u;
  assert_true(each_force(check_tangent, true) > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(force_check_tangent),        cmocka_unit_test(force_check_potential),
      cmocka_unit_test(force_check_work),           cmocka_unit_test(force_check_force_invariance),
      cmocka_unit_test(force_check_force_measures), cmocka_unit_test(force_check_turns),
      cmocka_unit_test(force_check_auto),           cmocka_unit_test(force_laws),
      cmocka_unit_test(force_check_one_sided),      cmocka_unit_test(force_check_force_sight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
