// SPDX-License-Identifier: Apache-2.0
// Every registered joint, planar and spatial, against the definitions of plugin.h.
//
// The tests know no type: parameters are drawn from the field tables, frames at random, and everything
// an element computes is compared with derivatives of its own phi along motions of
// the frames. A frame moves by its twist u = (v, w):  p + s v,  exp([s w]) R,  angle + s w_z.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helper_scene.h"
#include "math/v3.h"

static void joint_at(const scene *x, double s, const double *lam, double *phi, double *w) {
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  double t = walk(x, s, f, pf), unused[MAX_N];
  x->jops->eval(x->par, t, pf, x->mem, lam, phi, w ? w : unused);
}

static void jacobian_at(const scene *x, double s, double *G) {
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  double t = walk(x, s, f, pf);
  x->jops->jac(x->par, t, pf, G);
}

static void phi_path(void *context, double s, double *out) {
  joint_at(context, s, NULL, out, NULL);
}

static bool of_velocity(const scene *x, int row) { return x->jops->velocity >> row & 1u; }

// Rows of positions by displacements, rows of velocities by twists; these by displacements are jac_q.
static void check_jacobian(scene *x, seed *s) {
  double G[TR_MAX_ROWS * MAX_N], Q[TR_MAX_ROWS * MAX_N] = {0};
  double by_u[TR_MAX_ROWS], by_du[TR_MAX_ROWS];
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  const double part = 0.1; // of the usual step: a disk that lies almost flat turns sharply
  int rows = x->jops->rows;
  (void)s;
  jacobian_at(x, 0, G);
  if (x->jops->jac_q) x->jops->jac_q(x->par, walk(x, 0, f, pf), pf, Q);
  for (int j = 0; j < x->n; j++) {
    stand_still(x);
    x->u[j] = part;
    double tol = differentiate(phi_path, x, rows, by_u);
    stand_still(x);
    x->du[j] = part;
    tol = fmax(tol, differentiate(phi_path, x, rows, by_du));
    for (int i = 0; i < rows; i++) {
      bool v = of_velocity(x, i);
      by_u[i] /= part, by_du[i] /= part;
      assert_near(G[i * x->n + j], v ? by_du[i] : by_u[i], tol, "%s: jac, row %d column %d",
                  x->name, i, j);
      assert_near(Q[i * x->n + j], v ? by_u[i] : by_du[i], tol, "%s: jac_q, row %d column %d",
                  x->name, i, j);
    }
  }
}

static void check_phi_t(scene *x, seed *s) {
  double d[TR_MAX_ROWS], phi_t[TR_MAX_ROWS] = {0};
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  (void)s;
  x->dt = 1;
  double tol = differentiate(phi_path, x, x->jops->rows, d);
  for (int i = 0; i < x->jops->rows; i++)
    if (of_velocity(x, i)) d[i] = 0; // part of gamma
  if (x->jops->phi_t) x->jops->phi_t(x->par, walk(x, 0, f, pf), pf, x->mem, phi_t);
  assert_all_near(x->jops->rows, phi_t, d, tol, "%s: phi_t", x->name);
}

static void check_wrench(scene *x, seed *s) {
  double G[TR_MAX_ROWS * MAX_N], lam[TR_MAX_ROWS], w[MAX_N], want[MAX_N] = {0};
  double phi[TR_MAX_ROWS], alone[TR_MAX_ROWS];
  int rows = x->jops->rows;
  draw_many(s, rows, lam);
  joint_at(x, 0, lam, phi, w);
  joint_at(x, 0, NULL, alone, NULL);
  assert_memory_equal(phi, alone, (size_t)rows * sizeof *phi);
  jacobian_at(x, 0, G);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < x->n; j++) want[j] -= G[i * x->n + j] * lam[i];
  assert_all_near(x->n, w, want, 64 * DBL_EPSILON, "%s: wrench = -G' lam", x->name);
}

// All in one look: the same as one by one.
static void check_look(scene *x, seed *s) {
  enum { ROWS = TR_MAX_ROWS };
  double G[ROWS * MAX_N], want_G[ROWS * MAX_N], phi[ROWS], want_phi[ROWS], phi_t[ROWS];
  double want_phi_t[ROWS] = {0};
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  (void)s;
  if (!x->jops->look) return;
  double t = walk(x, 0, f, pf);
  x->jops->look(x->par, t, pf, x->mem, phi, phi_t, G);
  joint_at(x, 0, NULL, want_phi, NULL);
  jacobian_at(x, 0, want_G);
  if (x->jops->phi_t) x->jops->phi_t(x->par, t, pf, x->mem, want_phi_t);
  int rows = x->jops->rows;
  assert_all_near(rows, phi, want_phi, 4 * DBL_EPSILON, "%s: look, phi", x->name);
  assert_all_near(rows, phi_t, want_phi_t, 4 * DBL_EPSILON, "%s: look, phi_t", x->name);
  assert_all_near(rows * x->n, G, want_G, 4 * DBL_EPSILON, "%s: look, G", x->name);
}

// G' lam along the path
static void pull(void *context, double s, double *out) {
  const scene *x = context;
  double G[TR_MAX_ROWS * MAX_N];
  jacobian_at(x, s, G);
  for (int j = 0; j < x->n; j++) {
    out[j] = 0;
    for (int i = 0; i < x->jops->rows; i++) out[j] += G[i * x->n + j] * x->lam[i];
  }
}

static void check_geom(scene *x, seed *s) {
  double K[MAX_N * MAX_N] = {0}, D[MAX_N * MAX_N] = {0}, d[MAX_N], column[MAX_N];
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  draw_many(s, x->jops->rows, x->lam);
  if (x->jops->geom) x->jops->geom(x->par, walk(x, 0, f, pf), pf, x->lam, K);
  if (x->jops->geom_v) x->jops->geom_v(x->par, walk(x, 0, f, pf), pf, x->lam, D);
  for (int j = 0; j < 2 * x->n; j++) {
    bool by_twist = j >= x->n;
    int k = j % x->n;
    stand_still(x);
    (by_twist ? x->du : x->u)[k] = 1;
    double tol = differentiate(pull, x, x->n, d);
    for (int i = 0; i < x->n; i++) column[i] = (by_twist ? D : K)[i * x->n + k];
    assert_all_near(x->n, column, d, tol, "%s: geom%s, column %d", x->name, by_twist ? "_v" : "",
                    k);
  }
}

// G u + Phi_t, or Gam, while the frames move on with u
static void rate_path(void *context, double s, double *out) {
  const scene *x = context;
  double G[TR_MAX_ROWS * MAX_N], phi[TR_MAX_ROWS];
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  double t = walk(x, s, f, pf);
  memset(out, 0, (size_t)x->jops->rows * sizeof *out);
  if (x->jops->phi_t) x->jops->phi_t(x->par, t, pf, x->mem, out);
  jacobian_at(x, s, G);
  for (int i = 0; i < x->jops->rows; i++)
    for (int j = 0; j < x->n; j++) out[i] += G[i * x->n + j] * x->u[j];
  joint_at(x, s, NULL, phi, NULL);
  for (int i = 0; i < x->jops->rows; i++)
    if (of_velocity(x, i)) out[i] = phi[i];
}

static void check_gamma(scene *x, seed *s) {
  double d[TR_MAX_ROWS], gamma[TR_MAX_ROWS] = {0};
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  (void)s;
  twist_of(x, x->u);
  x->dt = 1;
  double tol = differentiate(rate_path, x, x->jops->rows, d);
  if (x->jops->gamma) x->jops->gamma(x->par, walk(x, 0, f, pf), pf, gamma);
  assert_all_near(x->jops->rows, gamma, d, tol, "%s: gamma", x->name);
}

static void clear_velocity_rows(const scene *x, double *phi) {
  for (int i = 0; i < x->jops->rows; i++)
    if (of_velocity(x, i)) phi[i] = 0;
}

// Moves the frames until the joint closes: shortest corrections, from frames nearby.
static void close_joint(scene *x) {
  double G[TR_MAX_ROWS * MAX_N], phi[TR_MAX_ROWS], before = INFINITY;
  int rows = x->jops->rows, n = x->n;
  stand_still(x);
  for (int k = 0; k < 50; k++) {
    joint_at(x, 0, NULL, phi, NULL);
    clear_velocity_rows(x, phi);
    double gap = norm2(rows, phi);
    if (gap < 1e-14 || (gap < 1e-12 && gap >= before)) return;
    before = gap;
    jacobian_at(x, 0, G);
    // one sweep of Kaczmarz' rows is a descent; orthonormal rows would change phi's meaning
    double step[MAX_N] = {0};
    for (int sweep = 0; sweep < 200; sweep++)
      for (int i = 0; i < rows; i++) {
        const double *g = G + i * n;
        double gg = 0, r = phi[i];
        for (int j = 0; j < n; j++) gg += g[j] * g[j], r += g[j] * step[j];
        if (gg > 0)
          for (int j = 0; j < n; j++) step[j] -= r / gg * g[j];
      }
    for (int m = 0; m < x->markers; m++) displace(x->nd, &x->frame[m], 1, step + m * x->nd);
  }
  fail_msg("%s: the joint cannot be closed from frames nearby", x->name);
}

static void check_no_work(scene *x, seed *s) {
  double G[TR_MAX_ROWS * MAX_N], lam[TR_MAX_ROWS], phi[TR_MAX_ROWS], w[MAX_N], d[TR_MAX_ROWS];
  double zero[TR_MAX_ROWS] = {0}, work = 0;
  int rows = x->jops->rows;
  close_joint(x);
  draw_many(s, rows, lam);
  joint_at(x, 0, lam, phi, w);
  jacobian_at(x, 0, G);
  orthonormalise(rows, x->n, 0, G);
  draw_many(s, x->n, x->u);
  admit(rows, x->n, G, x->u);
  assert_true(norm2(x->n, x->u) > 0.1);
  // the motion keeps the joint closed to first order, and the wrench does no work on it
  double tol = differentiate(phi_path, x, rows, d);
  clear_velocity_rows(x, d);
  assert_all_near(rows, d, zero, tol, "%s: admissible motion", x->name);
  for (int j = 0; j < x->n; j++) work += w[j] * x->u[j];
  assert_near(work, 0, 1e-13 * norm2(x->n, w) * norm2(x->n, x->u), "%s: work", x->name);
}

static void check_invariance(scene *x, seed *s) {
  double phi[TR_MAX_ROWS], moved[TR_MAX_ROWS], lam[TR_MAX_ROWS], w[MAX_N];
  double G[TR_MAX_ROWS * MAX_N];
  int rows = x->jops->rows;
  rigid g = draw_rigid(s, x->nd);
  // open: the gap is as wide wherever the frames are together
  scene there = *x;
  move_all(&there, &g);
  joint_at(x, 0, NULL, phi, NULL);
  joint_at(&there, 0, NULL, moved, NULL);
  assert_near(norm2(rows, moved), norm2(rows, phi), 1e-13, "%s: |phi| moved rigidly", x->name);
  // closed: the wrench turns along. Rows may mix when turned, so what is asked is that the turned
  // wrench is one the moved joint can exert.
  close_joint(x);
  there = *x;
  move_all(&there, &g);
  draw_many(s, rows, lam);
  joint_at(x, 0, lam, phi, w);
  assert_balanced(x, w);
  turn_wrench(x, g.R, w);
  jacobian_at(&there, 0, G);
  orthonormalise(rows, x->n, 0, G);
  admit(rows, x->n, G, w);
  assert_near(norm2(x->n, w), 0, 1e-12, "%s: wrench moved rigidly", x->name);
}

// A coordinate called `angle` is the angle turned, one called `s` the way gone, by the second frame
// while the first is held and the joint stays closed.
static void check_joint_measures(scene *x, seed *s) {
  double G[TR_MAX_ROWS * MAX_N], d[TR_MAX_MEASURES];
  const char *const *names = x->jops->measure_names;
  int count = count_measures(names), rows = x->jops->rows;
  assert_true(count <= TR_MAX_MEASURES);
  assert_true((count > 0) == (x->jops->measure != NULL));
  if (count == 0) return;
  close_joint(x);
  accept_here(x);
  jacobian_at(x, 0, G);
  orthonormalise(rows, x->n, x->nd, G);
  draw_many(s, x->n, x->u);
  memset(x->u, 0, (size_t)x->nd * sizeof *x->u);
  admit(rows, x->n, G, x->u);
  double tol = differentiate(measure_path, x, count, d);
  const double *u = x->u + x->nd;
  int angle = find_measure(names, "angle"), way = find_measure(names, "s");
  if (angle >= 0)
    assert_near(fabs(d[angle]), x->nd == 3 ? fabs(u[2]) : norm2(3, u + 3), tol, "%s.angle",
                x->name);
  if (way >= 0) assert_near(fabs(d[way]), norm2(x->nd == 3 ? 2 : 3, u), tol, "%s.s", x->name);
  if (angle >= 0) assert_true(fabs(d[angle]) > 1e-3);
  if (way >= 0) assert_true(fabs(d[way]) > 1e-3);
  // and a rigid motion of everything changes nothing
  double here[TR_MAX_MEASURES], there[TR_MAX_MEASURES];
  measure_path(x, 0, here);
  rigid g = draw_rigid(s, x->nd);
  move_all(x, &g);
  measure_path(x, 0, there);
  assert_all_near(count, there, here, 1e-12, "%s: measures moved rigidly", x->name);
}

// Many joints at once, here three with frames of their own.
static void check_joint_run(const scene *x, const tr_frame *f) {
  const tr_joint_ops *ops = x->jops;
  tr_frame frame[6];
  tr_link link[3];
  double phi[3 * TR_MAX_ROWS], W[36] = {0}, W2[36] = {0}, rate[3 * TR_MAX_ROWS];
  double one[TR_MAX_ROWS], w[MAX_N], mu[TR_MAX_ROWS];
  const tr_frame *pf[] = {&f[0], &f[1]};
  if (!ops->eval_run) return;
  for (int k = 0; k < 3; k++) {
    frame[2 * k] = f[0], frame[2 * k + 1] = f[1];
    link[k] = (tr_link){x->par, {2 * k, 2 * k + 1}, 0};
  }
  ops->eval(x->par, x->t, pf, x->mem, x->lam, one, w);
  for (int i = 0; i < ops->rows; i++) mu[i] = 2 * x->lam[i];
  ops->eval_run(3, link, x->t, (tr_frames){frame, sizeof *frame},
                &(tr_joint_run){x->lam, mu, phi, rate, {W, 6}, {W2, 6}});
  assert_memory_equal(phi, one, (size_t)ops->rows * sizeof *phi);
  for (int k = 0; k < 6; k++)
    assert_memory_equal(W + 6 * k, w + k % 2 * x->nd, (x->nd == 3 ? 2 : 3) * sizeof *w);
  for (int i = 0; i < 36; i++) assert_true(W2[i] == 2 * W[i]);
  ops->rate(x->par, x->t, pf, one);
  assert_memory_equal(rate, one, (size_t)ops->rows * sizeof *rate);
}

// G u, by jac; u NULL: of the frames' own twists.
static void times_twists(const scene *x, double t, const tr_frame *const *f, const double *u,
                         double *out) {
  double G[TR_MAX_ROWS * MAX_N], own[MAX_N];
  for (int k = 0; k < x->n / x->nd; k++)
    for (int i = 0; i < x->nd; i++)
      own[k * x->nd + i] =
          x->nd == 3 ? (i < 2 ? f[k]->v[i] : f[k]->w[2]) : (i < 3 ? f[k]->v[i] : f[k]->w[i - 3]);
  x->jops->jac(x->par, t, f, G);
  for (int r = 0; r < x->jops->rows; r++) {
    out[r] = 0;
    for (int i = 0; i < x->n; i++) out[r] += G[r * x->n + i] * (u ? u : own)[i];
  }
}

// G u of rows of velocities in place of phi. phi: of the others
static void check_along(scene *x, seed *s, double t, const tr_frame *const *pf, tr_joint_two *io,
                        double *phi) {
  const tr_joint_ops *ops = x->jops;
  double u[MAX_N], along[TR_MAX_ROWS];
  draw_many(s, x->n, u), io->u = u;
  ops->eval_two(x->par, t, pf, x->mem, io);
  times_twists(x, t, pf, u, along);
  for (int r = 0; r < ops->rows; r++)
    if (ops->velocity >> r & 1u) phi[r] = along[r];
  assert_all_near(ops->rows, io->phi, phi, 1e-14, "%s: G u of eval_two", x->name);
}

// The second frame's wrenches elsewhere, before the first's.
static void check_apart(const scene *x, double t, const tr_frame *const *pf, tr_joint_two io) {
  double far[MAX_N + 12], far2[MAX_N + 12];
  const double *w = io.w, *w2 = io.w2;
  io.w = far + 12, io.w2 = far2 + 12, io.apart = -12;
  x->jops->eval_two(x->par, t, pf, x->mem, &io);
  assert_memory_equal(far + 12, w, 6 * sizeof *w), assert_memory_equal(far, w + 6, 6 * sizeof *w);
  assert_memory_equal(far2 + 12, w2, 6 * sizeof *w);
  assert_memory_equal(far2, w2 + 6, 6 * sizeof *w);
  if (!x->jops->two_along) return;
  for (int i = 0; i < 6; i++) far[12 + i] = far2[12 + i] = 1;
  io.grounded = true; // of the first frame nothing is written, or what it would be
  x->jops->eval_two(x->par, t, pf, x->mem, &io);
  for (int i = 0; i < 6; i++) {
    assert_true(far[12 + i] == 1 || far[12 + i] == w[i]);
    assert_true(far2[12 + i] == 1 || far2[12 + i] == w2[i]);
  }
  assert_memory_equal(far, w + 6, 6 * sizeof *w), assert_memory_equal(far2, w2 + 6, 6 * sizeof *w);
}

// lam, mu, the rate and G u at once, frames in motion.
static void check_joint_two(scene *x, seed *s) {
  const tr_joint_ops *ops = x->jops;
  double lam[TR_MAX_ROWS], mu[TR_MAX_ROWS], phi[TR_MAX_ROWS], rate[TR_MAX_ROWS], w[MAX_N],
      w2[MAX_N];
  double one[TR_MAX_ROWS], wrench[MAX_N];
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  if (!ops->eval_two) return;
  bool velocity = ops->velocity == (1u << ops->rows) - 1; // there is no other rate
  assert_true(velocity || ops->two_along || ops->rate);
  draw_many(s, ops->rows, lam), draw_many(s, ops->rows, mu);
  double t = walk(x, 0, f, pf);
  tr_joint_two io = {.lam = lam, .mu = mu, .phi = phi, .rate = rate, .w = w, .w2 = w2};
  ops->eval_two(x->par, t, pf, x->mem, &io);
  if (velocity)
    ops->eval(x->par, t, pf, x->mem, NULL, one, NULL);
  else if (ops->rate)
    ops->rate(x->par, t, pf, one);
  else
    times_twists(x, t, pf, NULL, one);
  assert_all_near(ops->rows, rate, one, 1e-14, "%s: rate of eval_two", x->name);
  ops->eval(x->par, t, pf, x->mem, mu, one, wrench);
  assert_all_near(x->n, w2, wrench, 1e-14, "%s: wrench of mu", x->name);
  ops->eval(x->par, t, pf, x->mem, lam, one, wrench);
  assert_all_near(x->n, w, wrench, 1e-14, "%s: wrench of lam", x->name);
  assert_all_near(ops->rows, phi, one, 1e-14, "%s: phi of eval_two", x->name);
  if (ops->two_along) check_along(x, s, t, pf, &io, one);
  io.u = NULL;
  if (ops->prims || (ops->two_along && x->n == 12)) check_apart(x, t, pf, io);
}

static void check_joint_sight(scene *x, seed *s) {
  const tr_joint_ops *ops = x->jops;
  double phi[TR_MAX_ROWS], w[MAX_N], G[TR_MAX_ROWS * MAX_N], again[TR_MAX_ROWS * MAX_N];
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  int rows = ops->rows;
  if (ops->sight == TR_SEES_FRAMES) return;
  draw_many(s, TR_MAX_ROWS, x->lam);
  double t = walk(x, 0, f, pf);
  ops->eval(x->par, t, pf, x->mem, x->lam, phi, w);
  ops->jac(x->par, t, pf, G);
  check_joint_run(x, f);
  blind(x, f);
  ops->eval(x->par, t, pf, x->mem, x->lam, again, again + rows);
  assert_memory_equal(again, phi, (size_t)rows * sizeof *phi);
  assert_memory_equal(again + rows, w, (size_t)x->n * sizeof *w);
  assert_no_moments(x, w);
  ops->jac(x->par, t, pf, again);
  assert_memory_equal(again, G, (size_t)(rows * x->n) * sizeof *G);
  for (int r = 0; r < rows; r++) assert_no_moments(x, G + r * x->n);
  if (ops->sight != TR_JOINS_POINTS) return;
  assert_int_equal(rows, x->nd == 3 ? 2 : 3);
  assert_int_equal(x->markers, 2);
  assert_true(!ops->geom && !ops->phi_t && !ops->gamma);
  for (int r = 0; r < rows; r++) {
    assert_true(phi[r] == f[1].p[r] - f[0].p[r]);
    for (int j = 0; j < x->n; j++)
      assert_true(G[r * x->n + j] == (j == r ? -1 : j == x->nd + r ? 1 : 0));
  }
}

// ---- over the registry ------------------------------------------------------------------------------

typedef void (*check)(scene *x, seed *s);

enum { CASES = 4 };

static int each_joint(check what) {
  scene *x = new_scene();
  int done = 0;
  for (const tr_joint_type *const *j = tr_joint_types(); *j; j++) {
    const tr_joint_ops *ops[] = {(*j)->planar, (*j)->spatial};
    assert_true(ops[0] || ops[1]);
    for (int k = 0; k < 2; k++) {
      if (!ops[k]) continue;
      *x = (scene){.joint = *j, .jops = ops[k], .nd = k ? 6 : 3};
      assert_true(ops[k]->rows >= 1 && ops[k]->rows <= TR_MAX_ROWS);
      snprintf(x->name, sizeof x->name, "%s %s", k ? "spatial" : "planar", (*j)->name);
      seed s = 1000;
      for (int i = 0; i < CASES; i++, done++) {
        begin(x, &s);
        what(x, &s);
      }
    }
  }
  free(x);
  return done;
}

#define JOINT_TEST(name)               \
  static void joint_##name(void **u) { \
    (void)u;                           \
    assert_true(each_joint(name) > 0); \
  }
JOINT_TEST(check_jacobian)
JOINT_TEST(check_phi_t)
JOINT_TEST(check_wrench)
JOINT_TEST(check_look)
JOINT_TEST(check_geom)
JOINT_TEST(check_gamma)
JOINT_TEST(check_no_work)
JOINT_TEST(check_invariance)
JOINT_TEST(check_joint_measures)
JOINT_TEST(check_turns)
JOINT_TEST(check_auto)
JOINT_TEST(check_joint_two)
JOINT_TEST(check_joint_sight)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joint_check_jacobian),       cmocka_unit_test(joint_check_phi_t),
      cmocka_unit_test(joint_check_wrench),         cmocka_unit_test(joint_check_geom),
      cmocka_unit_test(joint_check_gamma),          cmocka_unit_test(joint_check_no_work),
      cmocka_unit_test(joint_check_look),           cmocka_unit_test(joint_check_invariance),
      cmocka_unit_test(joint_check_joint_measures), cmocka_unit_test(joint_check_turns),
      cmocka_unit_test(joint_check_auto),           cmocka_unit_test(joint_check_joint_two),
      cmocka_unit_test(joint_check_joint_sight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
