// SPDX-License-Identifier: Apache-2.0
// Every registered body against the definitions of plugin.h: its frames against derivatives along the
// retraction, its forces against its energies, its tangents against both.
//
// The tests know no type: parameters come from the field tables. Problems in the user's coordinates go
// through the same tests, so that own constraints (nc > 0) and a changing mass are covered too.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elem/elem.h"
#include "elem/modal.h"
#include "helper_mechanics.h"
#include "helper_problems.h"
#include "math/v3.h"

enum {
  CASES = 4,
  MAX_NV = 18,
  MAX_NQ = 20,
  MAX_NC = 8,
  MAX_CACHE = 4096,
  MAX_PAR = 1024,
  MAX_ROOM = 8192,
  MAX_SHAPE = 512
};

typedef struct body {
  const tr_body_type *listed, *type; // type: the variant of the listed one
  char name[64];
  double par[MAX_PAR / sizeof(double)];
  int nq, nv, nc, ncache;
  double q[MAX_NQ], v[MAX_NV], a[MAX_NV], g[3], t;
  double lam[MAX_NC], wrench[6];
  tr_site site;
  double R[9]; // of the site
  // the path under way: q o exp(s d), v + s dv, t + s dt
  double d[MAX_NV], dv[MAX_NV], dt;
  // the point reached
  double qs[MAX_NQ], vs[MAX_NV], cache[MAX_CACHE];
  double room[MAX_ROOM], shape[MAX_SHAPE]; // of a deformable body
} body;

static void retract(const body *b, const double *q, double s, const double *d, double *q1) {
  double sd[MAX_NV];
  for (int i = 0; i < b->nv; i++) sd[i] = s * d[i];
  if (b->type->retract)
    b->type->retract(b->par, q, sd, q1);
  else
    for (int i = 0; i < b->nq; i++) q1[i] = q[i] + sd[i];
}

// The body at s, its cache filled.
static tr_body_at stand(body *b, double s, tr_frame *f) {
  tr_frame unused;
  retract(b, b->q, s, b->d, b->qs);
  for (int i = 0; i < b->nv; i++) b->vs[i] = b->v[i] + s * b->dv[i];
  tr_body_at at = {b->par, b->qs, b->vs, b->cache, b->t + s * b->dt};
  b->type->kinematics(&at, TR_AT_BIAS, b->type->site ? 1 : 0, &b->site, f ? f : &unused);
  return at;
}

static void rest(body *b) {
  memset(b->d, 0, sizeof b->d);
  memset(b->dv, 0, sizeof b->dv);
  b->dt = 0;
}

static void draw_site(body *b, seed *s, int nd) {
  double p[3], *R = b->R;
  if (!b->type->site) return;
  draw_many(s, 3, p);
  draw_rotation(s, R);
  if (nd == 3) {
    double a = 3 * draw(s), Z[9] = {cos(a), -sin(a), 0, sin(a), cos(a), 0, 0, 0, 1};
    m3_copy(Z, R);
    p[2] = 0;
  }
  b->site = (tr_site){.nd = nd, .shape = b->shape};
  b->type->site(b->par, p, R, &b->site);
  b->site.nd = nd;
}

// Whether deformable bodies are damped; energies ask for none.
static double damped = 1;

// Five nodes, three modes, everything that can be told of them.
static void draw_modal(seed *s, bool planar, tr_modal *d) {
  enum { NODES = 5, MODES = 3 };
  static double nodes[NODES * 7], shapes[NODES * MODES * 6], K[9], C[9], M[9];
  int lines = planar ? 2 : 3, own = planar ? 1 : 3;
  draw_many(s, NODES * 7, nodes), draw_many(s, NODES * MODES * 6, shapes);
  for (int k = 0; k < NODES; k++)
    for (int i = lines; i < lines + 1 + own; i++)
      nodes[k * (lines + 1 + own) + i] = 1 + 0.5 * draw(s);
  draw_many(s, 9, K), draw_many(s, 9, C), draw_many(s, 9, M);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++) {
      K[3 * i + j] = K[3 * j + i] += i == j ? 5 : 0;
      C[3 * i + j] = C[3 * j + i] = damped * (0.1 * C[3 * i + j] + (i == j));
      M[3 * i + j] = M[3 * j + i] = i == j ? 40 + M[3 * i + j] : M[3 * i + j];
    }
  *d = (tr_modal){.nodes = {NODES, lines + 1 + own, nodes, NULL},
                  .shapes = {NODES * MODES, lines + own, shapes, NULL},
                  .stiffness = {3, 3, K, NULL},
                  .damping = {3, 3, C, NULL},
                  .total_mass = draw(s) > 0 ? NAN : 6,
                  .com = {draw(s) > 0 ? NAN : 0.1, 0.2, planar ? 0 : -0.1}};
  if (draw(s) > 0) d->mass = (tr_rows){3, 3, M, NULL};
  for (int i = 0; i < 9; i++) d->inertia[i] = i % 4 ? 0 : 6 + i;
  if (draw(s) > 0) d->inertia[8] = NAN;
}

// Numbers that make sense together: few modes, at the scale of 1.
static void tame(seed *s, const tr_body_type *t, void *par) {
  if (!t->modes) return;
  for (const tr_field *f = t->fields; f->name; f++) {
    void *at = (char *)par + f->offset;
    if (f->kind == TR_GROUP) draw_modal(s, t->dim == 2, at);
    if (f->kind == TR_INT) *(int *)at = 1 + *(int *)at % 3;
    if (f->kind == TR_ROWS) *(tr_rows *)at = (tr_rows){0};
    if (!strcmp(f->name, "start")) *(int *)at = 0;
    if (!strcmp(f->name, "length")) *(double *)at += 2;
    if (f->quantity == TR_PRESSURE) *(double *)at *= 0.1;
    if (!strcmp(f->name, "damping-ratio")) *(double *)at = 0.01 * damped;
    if (!strcmp(f->name, "rayleigh")) ((double *)at)[0] = ((double *)at)[1] = 0.1 * damped;
  }
}

// A generic state, away from the start.
static void begin(body *b, seed *s, int nd) {
  const tr_body_type *t = b->listed;
  assert_true(t->par_size <= sizeof b->par);
  for (int tries = 0; t->fields; tries++) {
    memset(b->par, 0, sizeof b->par);
    draw_parameters(s, t->fields, b->par);
    tame(s, t, b->par);
    const char *why = t->check ? t->check(b->par) : NULL;
    if (!why && t->prepare) {
      assert_true(t->room(b->par) <= MAX_ROOM);
      why = t->prepare(b->par, b->room);
      assert_true(why || t->shape_size(b->par) <= MAX_SHAPE);
    }
    if (!why) break;
    if (tries == 100) fail_msg("%s: no parameters from its table pass its check", b->name);
  }
  b->type = t = t->variant ? t->variant(b->par) : t;
  b->nq = t->nq, b->nv = t->nv, b->nc = t->nc, b->ncache = t->ncache;
  if (t->sizes) t->sizes(b->par, &b->nq, &b->nv, &b->nc, &b->ncache);
  assert_true(b->nq <= MAX_NQ && b->nv <= MAX_NV && b->nc <= MAX_NC && b->ncache <= MAX_CACHE);
  tr_body_at at = {.par = b->par, .q = b->q, .v = b->v};
  do { // where its coordinates are good for small steps
    t->start(b->par, b->q, b->v);
    draw_many(s, b->nv, b->d), draw_many(s, b->nv, b->v);
    for (int i = b->nv - (t->modes ? t->modes(b->par, NULL) : 0); i < b->nv; i++)
      b->d[i] *= 0.01, b->v[i] *= 0.1; // deformations are small
    retract(b, b->q, 0.5, b->d, b->qs);
    memcpy(b->q, b->qs, sizeof b->q);
  } while (t->trouble && t->trouble(&at, 0.1));
  draw_many(s, b->nv, b->a), draw_many(s, b->nc, b->lam);
  draw_many(s, 3, b->g), draw_many(s, 6, b->wrench);
  b->t = 0.4;
  draw_site(b, s, nd);
  rest(b);
}

static void twist_of(const body *b, const tr_frame *f, double *u) {
  memcpy(u, f->v, 3 * sizeof *u);
  if (b->site.nd == 3)
    u[2] = f->w[2];
  else
    memcpy(u + 3, f->w, 3 * sizeof *u);
}

// ---- frames -----------------------------------------------------------------------------------------

// p, R, angle
static void pose_path(void *context, double s, double *out) {
  body *b = context;
  tr_frame f = {0};
  stand(b, s, &f);
  memcpy(out, f.p, 3 * sizeof *out), memcpy(out + 3, f.R, 9 * sizeof *out);
  out[12] = f.angle;
}

static void twist_path(void *context, double s, double *out) {
  body *b = context;
  tr_frame f = {0};
  stand(b, s, &f);
  twist_of(b, &f, out);
}

// At the start a marker is where the body's pose puts it.
static void check_start(body *b, seed *s) {
  double P[3], Rb[9], p[3], R[9], want[3], Rwant[9];
  tr_frame f = {0};
  if (!b->type->site) return;
  int nd = b->site.nd, n = nd == 3 ? 2 : 3;
  draw_many(s, 3, p);
  draw_rotation(s, R);
  if (nd == 3) m3_identity(R), p[2] = 0;
  b->type->pose(b->par, P, Rb);
  b->type->site(b->par, p, R, &b->site);
  b->site.nd = nd;
  b->type->start(b->par, b->q, b->v);
  rest(b);
  stand(b, 0, &f);
  m3_mul(Rb, p, want);
  v3_add(P, want, want);
  m3_mulm(Rb, R, Rwant);
  assert_all_near(n, f.p, want, 1e-14, "%s: marker at the start", b->name);
  for (int i = 0; i < n; i++)
    assert_all_near(n, f.R + 3 * i, Rwant + 3 * i, 1e-14, "%s: its axes, row %d", b->name, i);
  // fields that say how the origin moves mean it
  const double zero[3] = {0};
  b->type->site(b->par, zero, R, &b->site);
  b->site.nd = nd;
  stand(b, 0, &f);
  for (const tr_field *k = b->type->fields; k->name; k++) {
    const double *x = (const double *)((const char *)b->par + k->offset);
    if (!strcmp(k->name, "velocity"))
      assert_all_near(k->kind == TR_VEC2 ? 2 : 3, f.v, x, 1e-13, "%s: velocity", b->name);
    if (!strcmp(k->name, "omega"))
      assert_all_near(k->kind == TR_REAL ? 1 : 3, k->kind == TR_REAL ? f.w + 2 : f.w, x, 1e-13,
                      "%s: omega", b->name);
  }
}

// Velocities are derivatives along q o exp(s v); with v constant theirs are the bias accelerations.
static void check_velocity(body *b, seed *s) {
  double d[13], W[9], RW[9], u[6], bias[6];
  tr_frame f = {0};
  (void)s;
  if (!b->type->site) return;
  memcpy(b->d, b->v, sizeof b->d);
  stand(b, 0, &f);
  double tol = differentiate(pose_path, b, 13, d);
  int n = b->site.nd == 3 ? 2 : 3;
  assert_all_near(n, f.v, d, tol, "%s: velocity", b->name);
  m3_skew(f.w, W);
  m3_mulm(W, f.R, RW);
  for (int i = 0; i < n; i++)
    assert_all_near(n, RW + 3 * i, d + 3 + 3 * i, tol, "%s: angular velocity, row %d", b->name, i);
  if (b->site.nd == 3) assert_near(f.w[2], d[12], tol, "%s: rate of the angle", b->name);
  tol = differentiate(twist_path, b, b->site.nd, u);
  tr_frame as_twist = {0};
  memcpy(as_twist.v, f.ap, sizeof f.ap), memcpy(as_twist.w, f.aw, sizeof f.aw);
  twist_of(b, &as_twist, bias);
  assert_all_near(b->site.nd, bias, u, tol, "%s: bias acceleration", b->name);
}

// J' w . v = w . u
static void check_duality(body *b, seed *s) {
  double pulled[MAX_NV] = {0}, u[6], left = 0, right = 0;
  tr_frame f = {0};
  (void)s;
  if (!b->type->site) return;
  tr_body_at at = stand(b, 0, &f);
  b->type->add_pull(&at, &b->site, b->wrench, pulled);
  twist_of(b, &f, u);
  for (int i = 0; i < b->nv; i++) left += pulled[i] * b->v[i];
  for (int i = 0; i < b->site.nd; i++) right += b->wrench[i] * u[i];
  assert_near(left, right, 1e-13, "%s: J' w against J v", b->name);
  // add, not set
  b->type->add_pull(&at, &b->site, b->wrench, pulled);
  left *= -2;
  for (int i = 0; i < b->nv; i++) left += pulled[i] * b->v[i];
  assert_near(left, 0, 1e-13, "%s: add_pull adds", b->name);
}

static void pull_path(void *context, double s, double *out) {
  body *b = context;
  tr_body_at at = stand(b, s, NULL);
  memset(out, 0, (size_t)b->nv * sizeof *out);
  b->type->add_pull(&at, &b->site, b->wrench, out);
}

// Column j of an n-row matrix with nv columns against a derivative along coordinate (or velocity) j.
static void compare_columns(body *b, path f, int rows, const double *K, bool by_velocity,
                            const char *what) {
  double d[MAX_NV * MAX_NV], column[MAX_NV * MAX_NV];
  for (int j = 0; j < b->nv; j++) {
    rest(b);
    (by_velocity ? b->dv : b->d)[j] = 1;
    double tol = differentiate(f, b, rows, d);
    for (int i = 0; i < rows; i++) column[i] = K[i * b->nv + j];
    assert_all_near(rows, column, d, tol, "%s: %s, column %d", b->name, what, j);
  }
}

static void check_frame_tangents(body *b, seed *s) {
  double K[MAX_NV * MAX_NV] = {0}, U[6 * MAX_NV];
  (void)s;
  if (!b->type->site) return;
  tr_body_at at = stand(b, 0, NULL);
  b->type->add_wrench_dq(&at, &b->site, b->wrench, K);
  for (int i = 0; i < 6 * MAX_NV; i++) U[i] = NAN; // twist_dq writes all of it
  b->type->twist_dq(&at, &b->site, U);
  compare_columns(b, pull_path, b->nv, K, false, "(J' w)_q");
  compare_columns(b, twist_path, b->site.nd, U, false, "(J v)_q");
}

// ---- retraction, quaternion -------------------------------------------------------------------------

static void check_retraction(body *b, seed *s) {
  double q1[MAX_NQ], q2[MAX_NQ];
  draw_many(s, b->nv, b->d);
  retract(b, b->q, 0, b->d, q1);
  assert_all_near(b->nq, q1, b->q, 4 * DBL_EPSILON, "%s: q o exp(0)", b->name);
  // one direction is a group: exp(0.3 d) exp(0.7 d) = exp(d)
  retract(b, b->q, 0.3, b->d, q1);
  retract(b, q1, 0.7, b->d, q2);
  retract(b, b->q, 1, b->d, q1);
  assert_all_near(b->nq, q2, q1, 1e-14, "%s: exp(0.3 d) exp(0.7 d)", b->name);
  if (!b->type->retract) memcpy(q1, b->q, sizeof q1); // flat: nothing to wear out
  for (int i = 0; b->type->retract && i < 1000; i++) {
    retract(b, q1, 1, b->d, q2);
    memcpy(q1, q2, sizeof q1);
  }
  if (!b->type->quaternion) return;
  double e[4], R[9], I[9];
  m3_identity(I);
  tr_frame f = {0};
  memcpy(b->q, q1, sizeof b->q);
  rest(b);
  const double zero[3] = {0};
  b->type->site(b->par, zero, I, &b->site);
  b->site.nd = 6;
  memset(b->shape, 0, sizeof b->shape); // the frame itself
  tr_body_at at = stand(b, 0, &f);
  b->type->quaternion(&at, e);
  assert_near(norm2(4, e), 1, 1e-15, "%s: |e| after 1000 steps", b->name);
  quat_to_m3(e, R);
  assert_all_near(9, R, f.R, 1e-14, "%s: quaternion", b->name);
}

// ---- mass, forces, energy ---------------------------------------------------------------------------

static bool cholesky(int n, double *A) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double sum = A[i * n + j];
      for (int k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
      if (i == j && !(sum > 0)) return false;
      A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
    }
  return true;
}

static void solve(int n, double *A, double *x) {
  assert_true(cholesky(n, A));
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= A[i * n + k] * x[k];
    x[i] /= A[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i] -= A[k * n + i] * x[k];
    x[i] /= A[i * n + i];
  }
}

static void momentum_path(void *context, double s, double *out) {
  body *b = context;
  double M[MAX_NV * MAX_NV];
  tr_body_at at = stand(b, s, NULL);
  b->type->mass(&at, M);
  for (int i = 0; i < b->nv; i++) {
    out[i] = 0;
    for (int j = 0; j < b->nv; j++) out[i] += M[i * b->nv + j] * b->a[j];
  }
}

static void check_mass(body *b, seed *s) {
  double M[MAX_NV * MAX_NV], K[MAX_NV * MAX_NV] = {0}, kinetic, potential, vMv = 0;
  int n = b->nv;
  (void)s;
  tr_body_at at = stand(b, 0, NULL);
  b->type->mass(&at, M);
  b->type->energy(&at, b->g, &kinetic, &potential);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      vMv += 0.5 * b->v[i] * M[i * n + j] * b->v[j];
      assert_near(M[i * n + j], M[j * n + i], 0, "%s: symmetry of M", b->name);
    }
  assert_near(kinetic, vMv, 1e-14 * fmax(1, vMv), "%s: kinetic energy = v'Mv/2", b->name);
  if (b->type->add_mass_dq) b->type->add_mass_dq(&at, b->a, K);
  compare_columns(b, momentum_path, n, K, false, "(M a)_q");
  if (b->type->constant_mass) assert_true(largest(n * n, K) == 0);
  assert_true(cholesky(n, M));
}

static void force_path(void *context, double s, double *out) {
  body *b = context;
  tr_body_at at = stand(b, s, NULL);
  memset(out, 0, (size_t)b->nv * sizeof *out);
  b->type->add_force(&at, b->g, out);
}

static void check_force_tangent(body *b, seed *s) {
  double Qq[MAX_NV * MAX_NV] = {0}, Qv[MAX_NV * MAX_NV] = {0};
  (void)s;
  tr_body_at at = stand(b, 0, NULL);
  if (b->type->add_force_tangent) b->type->add_force_tangent(&at, b->g, Qq, Qv);
  compare_columns(b, force_path, b->nv, Qq, false, "Q_q");
  compare_columns(b, force_path, b->nv, Qv, true, "Q_v");
}

static void potential_path(void *context, double s, double *out) {
  body *b = context;
  double kinetic;
  tr_body_at at = stand(b, s, NULL);
  b->type->energy(&at, b->g, &kinetic, out);
}

static void energy_path(void *context, double s, double *out) {
  body *b = context;
  double kinetic, potential;
  tr_body_at at = stand(b, s, NULL);
  b->type->energy(&at, b->g, &kinetic, &potential);
  *out = kinetic + potential;
}

// At rest the force is minus the gradient of the potential; in free motion, M a = Q, energy stays.
static void check_energy(body *b, seed *s) {
  double Q[MAX_NV], M[MAX_NV * MAX_NV], d;
  (void)s;
  double v[MAX_NV];
  memcpy(v, b->v, sizeof v);
  memset(b->v, 0, sizeof b->v);
  force_path(b, 0, Q);
  for (int j = 0; j < b->nv; j++) {
    rest(b);
    b->d[j] = 1;
    double tol = differentiate(potential_path, b, 1, &d);
    assert_near(-Q[j], d, tol, "%s: weight, %d", b->name, j);
  }
  memcpy(b->v, v, sizeof v);
  rest(b);
  force_path(b, 0, Q);
  tr_body_at at = stand(b, 0, NULL);
  b->type->mass(&at, M);
  solve(b->nv, M, Q);
  memcpy(b->d, b->v, sizeof b->d), memcpy(b->dv, Q, sizeof b->dv);
  double tol = differentiate(energy_path, b, 1, &d);
  assert_near(d, 0, tol, "%s: energy of the free body", b->name);
}

// ---- own constraints --------------------------------------------------------------------------------

static void phi_path(void *context, double s, double *out) {
  body *b = context;
  tr_body_at at = stand(b, s, NULL);
  b->type->phi(&at, out);
}

static void tension_path(void *context, double s, double *out) {
  body *b = context;
  double G[MAX_NC * MAX_NV];
  tr_body_at at = stand(b, s, NULL);
  b->type->jac(&at, G);
  for (int j = 0; j < b->nv; j++) {
    out[j] = 0;
    for (int i = 0; i < b->nc; i++) out[j] += G[i * b->nv + j] * b->lam[i];
  }
}

static void rate_path(void *context, double s, double *out) {
  body *b = context;
  double G[MAX_NC * MAX_NV];
  tr_body_at at = stand(b, s, NULL);
  b->type->jac(&at, G);
  memset(out, 0, (size_t)b->nc * sizeof *out);
  if (b->type->phi_t) b->type->phi_t(&at, out);
  for (int i = 0; i < b->nc; i++)
    for (int j = 0; j < b->nv; j++) out[i] += G[i * b->nv + j] * b->vs[j];
}

static void check_constraints(body *b, seed *s) {
  double G[MAX_NC * MAX_NV], K[MAX_NV * MAX_NV] = {0}, d[MAX_NC], got[MAX_NC] = {0};
  (void)s;
  if (b->nc == 0) return;
  tr_body_at at = stand(b, 0, NULL);
  b->type->jac(&at, G);
  b->type->add_geom(&at, b->lam, K);
  compare_columns(b, phi_path, b->nc, G, false, "G");
  compare_columns(b, tension_path, b->nv, K, false, "(G' lam)_q");
  rest(b);
  b->dt = 1;
  double tol = differentiate(phi_path, b, b->nc, d);
  at = stand(b, 0, NULL);
  if (b->type->phi_t) b->type->phi_t(&at, got);
  assert_all_near(b->nc, got, d, tol, "%s: phi_t", b->name);
  memcpy(b->d, b->v, sizeof b->d);
  tol = differentiate(rate_path, b, b->nc, d);
  at = stand(b, 0, NULL);
  b->type->gamma(&at, got);
  assert_all_near(b->nc, got, d, tol, "%s: gamma", b->name);
}

// ---- over the registry ------------------------------------------------------------------------------

typedef void (*check)(body *b, seed *s);

static void each_body(check what) {
  body *b = calloc(1, sizeof *b);
  assert_non_null(b);
  for (const tr_body_type *const *t = tr_body_types(); *t; t++) {
    seed s = 3000;
    for (int nd = (*t)->dim == 2 ? 3 : 6; nd <= 6; nd += 3) {
      memset(b, 0, sizeof *b);
      b->listed = *t;
      snprintf(b->name, sizeof b->name, "%s seen in %s", (*t)->name, nd == 3 ? "plane" : "space");
      for (int i = 0; i < CASES; i++) {
        begin(b, &s, nd);
        what(b, &s);
      }
    }
  }
  const tr_stiff_problem linear = tr_problem_stiff(TR_STIFF_LINEAR, 0.3, 5),
                         spring = tr_problem_stiff(TR_STIFF_SPRING, 0.5, 0),
                         bushing = tr_problem_stiff(TR_STIFF_BUSHING, 0.3, 0);
  const tr_problem *const problem[] = {
      &bead, &tr_problem_seven_angles, &tr_problem_slider_crank, &linear.p, &spring.p, &bushing.p};
  for (size_t k = 0; k < sizeof problem / sizeof *problem; k++) {
    if (what == check_energy && problem[k] == &bushing.p) continue; // a damper
    memset(b, 0, sizeof *b);
    b->listed = &tr_body_problem;
    const tr_problem_par par = {problem[k]};
    memcpy(b->par, &par, sizeof par);
    snprintf(b->name, sizeof b->name, "problem %zu", k);
    seed s = 4000;
    for (int i = 0; i < CASES; i++) {
      begin(b, &s, 3);
      what(b, &s);
    }
  }
  free(b);
}

#define BODY_TEST(name)                    \
  static void body_##name(void **u) {      \
    (void)u;                               \
    damped = check_##name != check_energy; \
    each_body(check_##name);               \
  }
BODY_TEST(start)
BODY_TEST(velocity)
BODY_TEST(duality)
BODY_TEST(frame_tangents)
BODY_TEST(retraction)
BODY_TEST(mass)
BODY_TEST(force_tangent)
BODY_TEST(energy)
BODY_TEST(constraints)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(body_start),         cmocka_unit_test(body_velocity),
      cmocka_unit_test(body_duality),       cmocka_unit_test(body_frame_tangents),
      cmocka_unit_test(body_retraction),    cmocka_unit_test(body_mass),
      cmocka_unit_test(body_force_tangent), cmocka_unit_test(body_energy),
      cmocka_unit_test(body_constraints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
