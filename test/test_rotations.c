// SPDX-License-Identifier: Apache-2.0
// Spatial bodies in their three sets of coordinates: every function of the tables against differences
// along q o exp(s d), v + s u; the tangent of whole systems; what is kept at the start; axes that change.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elem/spatial.h"
#include "helper_rotations.h"
#include "math/v3.h"
#include "step/start.h"
#include "system/system.h"

enum { NV_MAX = 7, OUT_MAX = 64 };

// ---- one body at random -----------------------------------------------------------------------------

typedef struct scene {
  tr_spatial_par par;
  const tr_body_type *type;
  double q[NV_MAX], v[NV_MAX]; // the point
  double d[NV_MAX], u[NV_MAX]; // the direction from it
  double a[NV_MAX], wrench[6], g[3], lam;
  tr_site site;
  double q1[NV_MAX], v1[NV_MAX], cache[32];
  tr_frame frame;
  unsigned long long random;
} scene;

static double draw(scene *x) {
  x->random = x->random * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(x->random >> 11) / 4503599627370496.0 - 1;
}

static void draw_many(scene *x, int n, double *out) {
  for (int i = 0; i < n; i++) out[i] = draw(x);
}

static void draw_rotation(scene *x, double *R) {
  double e[4];
  draw_many(x, 4, e);
  quat_normalise(e);
  quat_to_m3(e, R);
}

static scene make_scene(int coordinates, int number) {
  scene x = {.random = (unsigned)(100 * number + 7)};
  double B[9];
  x.par.mass = 1.5 + draw(&x);
  x.par.coordinates = coordinates;
  draw_many(&x, 9, B);
  m3_tmulm(B, B, x.par.inertia);
  for (int i = 0; i < 3; i++) x.par.inertia[4 * i] += 0.5;
  draw_many(&x, 3, x.par.com), draw_many(&x, 3, x.par.position);
  draw_many(&x, 3, x.par.velocity), draw_many(&x, 3, x.par.omega);
  draw_rotation(&x, x.par.orientation);
  assert_null(tr_spatial_check(&x.par));
  x.type = tr_body_spatial.variant(&x.par);
  static double R[9]; // of the latest scene
  double p[3];
  draw_many(&x, 3, p);
  draw_rotation(&x, R);
  x.type->site(&x.par, p, R, &x.site);
  x.site.nd = 6;
  x.type->start(&x.par, x.q, x.v);
  draw_many(&x, x.type->nv, x.d);
  for (int i = 0; i < x.type->nv; i++) x.d[i] *= 0.1, x.v[i] += draw(&x);
  if (x.type->retract) x.type->retract(&x.par, x.q, x.d, x.q1), memcpy(x.q, x.q1, sizeof x.q);
  if (!x.type->retract) // off the constraint, too
    for (int i = 0; i < x.type->nq; i++) x.q[i] += x.d[i];
  draw_many(&x, NV_MAX, x.a), draw_many(&x, 6, x.wrench), draw_many(&x, 3, x.g);
  x.lam = draw(&x);
  return x;
}

static void aim(scene *x, const double *d, const double *u) {
  memset(x->d, 0, sizeof x->d), memset(x->u, 0, sizeof x->u);
  if (d) memcpy(x->d, d, sizeof x->d);
  if (u) memcpy(x->u, u, sizeof x->u);
}

static tr_body_at walk(scene *x, double s) {
  double sd[NV_MAX];
  for (int i = 0; i < x->type->nv; i++) sd[i] = s * x->d[i], x->v1[i] = x->v[i] + s * x->u[i];
  if (x->type->retract)
    x->type->retract(&x->par, x->q, sd, x->q1);
  else
    for (int i = 0; i < x->type->nq; i++) x->q1[i] = x->q[i] + sd[i];
  tr_body_at at = {&x->par, x->q1, x->v1, x->cache, 0};
  x->type->kinematics(&at, TR_AT_BIAS, 1, &x->site, &x->frame);
  return at;
}

typedef void (*path)(scene *x, const tr_body_at *at, double *out);

// f by s at 0: five points, error O(h^4)
static void differentiate(scene *x, path f, int n, double *out) {
  static const double weight[] = {1, -8, 0, 8, -1};
  const double h = 1e-3;
  double value[OUT_MAX];
  for (int i = 0; i < n; i++) out[i] = 0;
  for (int k = -2; k <= 2; k++) {
    if (k == 0) continue;
    tr_body_at at = walk(x, k * h);
    memset(value, 0, sizeof value);
    f(x, &at, value);
    for (int i = 0; i < n; i++) out[i] += weight[k + 2] * value[i] / (12 * h);
  }
}

static void assert_near(int n, const double *x, const double *y, const char *what) {
  double scale = 1;
  for (int i = 0; i < n; i++) scale = fmax(scale, fabs(y[i]));
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i] - y[i]) <= 2e-9 * scale))
      fail_msg("%s [%d]: %.12g, not %.12g", what, i, x[i], y[i]);
}

// K (rows x nv) against differences of f by every coordinate (or velocity)
static void check_columns(scene *x, path f, int rows, const double *K, bool velocity,
                          const char *what) {
  int nv = x->type->nv;
  for (int j = 0; j < nv; j++) {
    double unit[NV_MAX] = {0}, want[OUT_MAX], column[OUT_MAX];
    unit[j] = 1;
    aim(x, velocity ? NULL : unit, velocity ? unit : NULL);
    differentiate(x, f, rows, want);
    for (int i = 0; i < rows; i++) column[i] = K[i * nv + j];
    assert_near(rows, column, want, what);
  }
  aim(x, NULL, NULL);
  walk(x, 0);
}

static void pose_of(scene *x, const tr_body_at *at, double *out) {
  (void)at;
  memcpy(out, x->frame.p, 3 * sizeof *out), memcpy(out + 3, x->frame.R, 9 * sizeof *out);
}

static void twist_of(scene *x, const tr_body_at *at, double *out) {
  (void)at;
  v3_copy(x->frame.v, out), v3_copy(x->frame.w, out + 3);
}

static void pull_of(scene *x, const tr_body_at *at, double *out) {
  x->type->add_pull(at, &x->site, x->wrench, out);
}

static void mass_of(scene *x, const tr_body_at *at, double *out) {
  double M[NV_MAX * NV_MAX];
  int nv = x->type->nv;
  x->type->mass(at, M);
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++) out[i] += M[i * nv + j] * x->a[j];
}

static void force_of(scene *x, const tr_body_at *at, double *out) {
  x->type->add_force(at, x->g, out);
}

static void energies_of(scene *x, const tr_body_at *at, double *out) {
  x->type->energy(at, x->g, out, out + 1);
}

static void phi_of(scene *x, const tr_body_at *at, double *out) { x->type->phi(at, out); }

static void rate_of(scene *x, const tr_body_at *at, double *out) {
  double G[NV_MAX];
  x->type->jac(at, G);
  for (int j = 0; j < x->type->nv; j++) out[0] += G[j] * at->v[j];
}

static void reaction_of(scene *x, const tr_body_at *at, double *out) {
  x->type->jac(at, out);
  for (int j = 0; j < x->type->nv; j++) out[j] *= x->lam;
}

// ---- the functions of a body ------------------------------------------------------------------------

// p' = v, R' = [w] R along the motion; the rates of the twist at a = 0; J' dual to the twist.
static void check_frames(scene *x) {
  double got[12], want[12], S[9], U[6 * NV_MAX], K[NV_MAX * NV_MAX] = {0};
  aim(x, x->v, NULL);
  differentiate(x, pose_of, 12, want);
  walk(x, 0);
  v3_copy(x->frame.v, got);
  m3_skew(x->frame.w, S);
  m3_mulm(S, x->frame.R, got + 3);
  assert_near(12, got, want, "velocity");
  differentiate(x, twist_of, 6, want);
  tr_body_at at = walk(x, 0);
  v3_copy(x->frame.ap, got), v3_copy(x->frame.aw, got + 3);
  assert_near(6, got, want, "bias");
  double pull[NV_MAX] = {0}, twist[6], power[2] = {0};
  pull_of(x, &at, pull);
  twist_of(x, &at, twist);
  for (int i = 0; i < x->type->nv; i++) power[0] += pull[i] * at.v[i];
  for (int i = 0; i < 6; i++) power[1] += twist[i] * x->wrench[i];
  assert_near(1, power, power + 1, "duality");
  x->type->twist_dq(&at, &x->site, U);
  check_columns(x, twist_of, 6, U, false, "twist_dq");
  x->type->add_wrench_dq(&at, &x->site, x->wrench, K);
  check_columns(x, pull_of, x->type->nv, K, false, "wrench_dq");
}

static void check_inertia(scene *x) {
  int nv = x->type->nv;
  double K[NV_MAX * NV_MAX] = {0}, Qv[NV_MAX * NV_MAX] = {0}, T[2], E[2], L[NV_MAX];
  aim(x, NULL, NULL);
  tr_body_at at = walk(x, 0);
  if (x->type->add_mass_dq) x->type->add_mass_dq(&at, x->a, K);
  check_columns(x, mass_of, nv, K, false, "mass_dq");
  memset(K, 0, sizeof K);
  x->type->add_force_tangent(&at, x->g, K, Qv);
  check_columns(x, force_of, nv, K, false, "force by q");
  check_columns(x, force_of, nv, Qv, true, "force by v");
  // T = v.M v/2
  memcpy(x->a, x->v, sizeof x->a);
  double Mv[NV_MAX] = {0}, Q[NV_MAX] = {0};
  mass_of(x, &at, Mv);
  energies_of(x, &at, E);
  T[0] = 0;
  for (int i = 0; i < nv; i++) T[0] += 0.5 * Mv[i] * x->v[i];
  assert_near(1, E, T, "kinetic energy");
  // no work: M v' = Q - gradient of the potential keeps T + V, so v.Q = -v.(M' v)/2 - V'
  double dMv[NV_MAX], dE[2], power[2] = {0};
  aim(x, x->v, NULL);
  differentiate(x, mass_of, nv, dMv);
  differentiate(x, energies_of, 2, dE);
  at = walk(x, 0);
  force_of(x, &at, Q);
  for (int i = 0; i < nv; i++) power[0] += Q[i] * x->v[i], power[1] -= 0.5 * dMv[i] * x->v[i];
  power[1] -= dE[1];
  assert_near(1, power, power + 1, "power");
  if (x->type->retract) return;
  // Lagrange: Q = (T - V)_q - M' v
  for (int j = 0; j < nv; j++) {
    double unit[NV_MAX] = {0};
    unit[j] = 1;
    aim(x, unit, NULL);
    differentiate(x, energies_of, 2, dE);
    L[j] = dE[0] - dE[1] - dMv[j];
  }
  assert_near(nv, Q, L, "Lagrange's equations");
}

static void check_constraint(scene *x) {
  double G[NV_MAX], K[NV_MAX * NV_MAX] = {0}, gamma, want;
  if (x->type->nc == 0) return;
  aim(x, NULL, NULL);
  tr_body_at at = walk(x, 0);
  x->type->jac(&at, G);
  check_columns(x, phi_of, 1, G, false, "jac");
  x->type->add_geom(&at, &x->lam, K);
  check_columns(x, reaction_of, x->type->nv, K, false, "geom");
  aim(x, x->v, NULL);
  differentiate(x, rate_of, 1, &want);
  at = walk(x, 0);
  x->type->gamma(&at, &gamma);
  assert_near(1, &gamma, &want, "gamma");
}

// The same pose and twist, the same quaternion.
static void check_same(const scene *lie, const scene *x) {
  double q[NV_MAX], v[NV_MAX], cache[32], e[4], e0[4], got[12], want[12];
  tr_frame f, f0;
  lie->type->start(&lie->par, q, v);
  tr_body_at at = {&lie->par, q, v, cache, 0};
  lie->type->kinematics(&at, TR_AT_VELOCITY, 1, &lie->site, &f0);
  lie->type->quaternion(&at, e0);
  x->type->start(&x->par, q, v);
  at.par = &x->par;
  x->type->kinematics(&at, TR_AT_VELOCITY, 1, &x->site, &f);
  x->type->quaternion(&at, e);
  assert_near(4, e, e0, "quaternion");
  memcpy(got, f.p, sizeof f.p), memcpy(got + 3, f.R, sizeof f.R);
  memcpy(want, f0.p, sizeof f.p), memcpy(want + 3, f0.R, sizeof f.R);
  assert_near(12, got, want, "pose at the start");
  memcpy(got, f.v, sizeof f.v), memcpy(got + 3, f.w, sizeof f.w);
  memcpy(want, f0.v, sizeof f.v), memcpy(want + 3, f0.w, sizeof f.w);
  assert_near(6, got, want, "twist at the start");
}

static void test_functions(void **state) {
  (void)state;
  for (int number = 0; number < 10; number++) {
    scene lie = make_scene(TR_LIE, number);
    for (int c = TR_LIE; c <= TR_EULER_313; c++) {
      scene x = make_scene(c, number);
      check_frames(&x);
      check_inertia(&x);
      check_constraint(&x);
      check_same(&lie, &x);
    }
  }
}

// ---- systems ----------------------------------------------------------------------------------------

// r = M a + G' lam - Q
static void residual(tr_work *w, const double *q, const double *v, const tr_state *x, double *room,
                     double *r) {
  const tr_system *s = w->sys;
  tr_kinematics(w, 0, q, v, x->mem, TR_AT_VELOCITY);
  tr_forces(w, x->lam, r, NULL);
  tr_mass_times(s, tr_mass_blocks(w, room), x->a, w->x);
  for (int i = 0; i < s->nv; i++) r[i] += w->x[i];
}

// Column j of M + (M a + G' lam - Q)_q - Q_v, and of G.
static void check_column(tr_work *w, const tr_state *x, const double *values, int j) {
  enum { MOST = 32 };
  const tr_system *s = w->sys;
  double d[MOST] = {0}, v[MOST], q[MOST], r[2][MOST], want[2 * MOST] = {0}, got[2 * MOST] = {0};
  double phi[2][MOST], room[3 * 49], h = 1e-5;
  assert_true(s->nv <= MOST && s->nq <= MOST && s->nc <= MOST && s->nmass <= 3 * 49);
  for (int side = 0; side < 2; side++) {
    d[j] = side ? h : -h;
    tr_retract(s, x->q, d, q);
    for (int i = 0; i < s->nv; i++) v[i] = x->v[i] + d[i];
    residual(w, q, v, x, room, r[side]);
    tr_forces(w, NULL, NULL, phi[side]);
  }
  tr_kinematics(w, 0, x->q, x->v, x->mem, TR_AT_VELOCITY);
  const double *M = tr_mass_blocks(w, room);
  double unit[MOST] = {0};
  unit[j] = 1;
  tr_mass_times(s, M, unit, want);
  for (int i = 0; i < s->nv; i++) want[i] += (r[1][i] - r[0][i]) / (2 * h);
  for (int i = 0; i < s->nc; i++) want[s->nv + i] = (phi[1][i] - phi[0][i]) / (2 * h);
  for (int k = s->pattern.column[j]; k < s->pattern.column[j + 1]; k++)
    got[s->pattern.row[k]] = values[k];
  for (int i = 0; i < s->nv + s->nc; i++)
    if (fabs(got[i] - want[i]) > 2e-8 * fmax(1, fabs(want[i])))
      fail_msg("row %d, column %d: %g, not %g", i, j, got[i], want[i]);
}

static void test_tangent(void **state) {
  (void)state;
  for (int m = 0; m < rotation_models; m++)
    for (int c = TR_LIE; c <= TR_EULER_313; c++) {
      tr_model *model;
      tr_system *s;
      tr_error e = {0};
      tr_state x;
      tr_work *w;
      compile_rotation(m, c, &model, &s);
      assert_int_equal(tr_state_new(s, &x, &e), TR_OK);
      assert_int_equal(tr_work_new(s, &w), TR_OK);
      scene random = {.random = 5};
      double *values = calloc((size_t)s->pattern.nnz + 1, sizeof *values);
      for (int i = 0; i < s->nv; i++) x.v[i] += draw(&random), x.a[i] = draw(&random);
      for (int i = 0; i < s->nc; i++) x.lam[i] = draw(&random);
      tr_tangent(w, 0, x.q, x.v, x.mem, x.a, x.lam, NULL, (tr_coefficients){1, 1, 1, 0}, values);
      for (int j = 0; j < s->nv; j++) check_column(w, &x, values, j);
      free(values);
      tr_work_free(w);
      tr_state_free(s, &x);
      tr_system_free(s);
      tr_model_free(model);
    }
}

// A start that is wrong by itself is put right in the same way, and what is kept stays. Velocities are
// projected in one metric whatever the coordinates; positions along curves that differ.
static void test_keep(void **state) {
  (void)state;
  static const char text[] =
      "trammel: 1\n"
      "bodies:\n"
      "  top: {type: spatial, coordinates: %s, mass: 2, inertia: [1, 2, 3, 0.1, 0.2, 0.3],\n"
      "    com: [0.1, 0.2, 1], position: [%s, 0, 0], orientation: [{z: 0.3}, {x: 1}, {z: 0.2}],\n"
      "    velocity: [1, 2, 3], omega: [1, -2, 3], keep: [%s]}\n"
      "joints:\n"
      "  tip: {type: spherical, markers: [{at: [0.023408665559618749, 0.2223537930481751, "
      "-0.050108134008434634]},\n"
      "    {body: top, at: [0.1, 0.05, -0.2]}]}\n";
  static const char *const keep[] = {"", "wx, wz, rx", "wx, wy, wz, rx, ry, rz", "vx, vy, y, z"};
  for (int k = 0; k < 8; k++) {
    double first[OUT_MAX], out[OUT_MAX];
    for (int c = TR_LIE; c <= TR_EULER_313; c++) {
      char full[1024];
      snprintf(full, sizeof full, text, rotation_coordinates[c], k < 4 ? "0" : "0.1", keep[k % 4]);
      tr_error e = {0};
      tr_model *model;
      tr_system *s;
      tr_state x;
      compile_text(full, &model, &s);
      assert_int_equal(tr_state_new(s, &x, &e), TR_OK);
      tr_start_info info;
      if (tr_consistent_start(s, &x, &info, &e) != TR_OK) fail_msg("%s", e.text);
      int n = read_motion(s, &x, c == TR_LIE ? first : out);
      // Start 3 keeps rows that mix coordinates: the finite weights on them leave 1/weight, round-off eps
      // times the weight, together 3e-7 at their best.
      double worst = 0, allowed = k == 3 ? 1e-6 : k < 4 || k == 6 ? 1e-7 : 0.1;
      for (int i = 0; i < n && c != TR_LIE; i++) worst = fmax(worst, fabs(out[i] - first[i]));
      if (worst > allowed) fail_msg("%s, start %d: %g", rotation_coordinates[c], k, worst);
      tr_state_free(s, &x);
      tr_system_free(s);
      tr_model_free(model);
    }
  }
}

// ---- the axes of the 3-1-3 angles -------------------------------------------------------------------

enum { ALL_AXES = 9 };

// With all of them the functions are what they are.
static void test_axes(void **state) {
  (void)state;
  for (int number = 0; number < 10; number++)
    for (int axes = 0; axes < ALL_AXES; axes++) {
      scene x = make_scene(TR_EULER_313, number);
      x.q[4] = 2 * TR_PI * axes + 0.4 + 1.1 * (1 + draw(&x));
      check_frames(&x);
      check_inertia(&x);
    }
}

// Place, twist and the acceleration of a site stay, and the sign of the quaternion.
static void test_change(void **state) {
  (void)state;
  int changes = 0;
  for (int number = 0; number < 200; number++) {
    scene x = make_scene(TR_EULER_313, number);
    const double h = 0.01 * (number % 2);
    x.q[4] = 2 * TR_PI * (number / 2 % ALL_AXES) + 0.05 + 1.52 * (1 + draw(&x));
    double q[NV_MAX], v[NV_MAX], before[16], after[16], e[2][4];
    for (int side = 0; side < 2; side++) {
      double *out = side ? after : before, more[6] = {0};
      if (side) {
        double st = sin(x.q[4]);
        memcpy(q, x.q, sizeof q), memcpy(v, x.v, sizeof v);
        if (!x.type->change(h, x.q, x.v, x.a)) {
          assert_true(st >= 0.5 || h > 0);
          break;
        }
        changes++;
        assert_true(sin(x.q[4]) >= 0.5 && (sin(x.q[4]) > st || h == 0)); // or for a spin
        // plain numbers are the same before and after
        double back[NV_MAX], back_v[NV_MAX];
        memcpy(back, x.q, sizeof back), memcpy(back_v, x.v, sizeof back_v);
        x.type->plain(q, v), x.type->plain(back, back_v);
        assert_near(6, back, q, "plain q");
        assert_near(6, back_v, v, "plain v");
      }
      aim(&x, NULL, NULL);
      tr_body_at at = walk(&x, 0);
      v3_copy(x.frame.p, out), v3_copy(x.frame.v, out + 3), v3_copy(x.frame.w, out + 6);
      x.type->quaternion(&at, e[side]);
      // J a + bias, J a by the change of the twist with v
      double u[NV_MAX];
      memcpy(u, x.a, sizeof u);
      aim(&x, NULL, u);
      differentiate(&x, twist_of, 6, more);
      aim(&x, NULL, NULL);
      walk(&x, 0);
      for (int i = 0; i < 3; i++) {
        out[9 + i] = more[i] + x.frame.ap[i];
        out[12 + i] = more[3 + i] + x.frame.aw[i];
      }
      if (side) assert_near(15, after, before, "change");
      if (side) assert_near(4, e[1], e[0], "quaternion");
    }
  }
  assert_true(changes > 15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_functions), cmocka_unit_test(test_tangent), cmocka_unit_test(test_keep),
      cmocka_unit_test(test_axes),      cmocka_unit_test(test_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
