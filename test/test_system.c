// SPDX-License-Identifier: Apache-2.0
// The assembled equations against differences: on every shipped model, and on small systems that put
// every registered joint and force between every pair of bodies it can join.
//
// All at a generic state: away from the start, velocities, accelerations and multipliers at random, so
// that every term of the tangent counts.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_mechanics.h"
#include "helper_pairs.h"
#include "math/v3.h"
#include "system/system.h"

typedef struct point {
  const tr_system *sys;
  tr_work *work;
  char name[128];
  tr_state x;
  double *d, *dv, dt;          // path: q o exp(s d), v + s dv, t + s dt
  double *q, *v;               // point reached
  double size;                 // of the mechanism, at most 1
  double cm;                   // weight of M a in the residual
  double *room, *M;            // mass blocks, dense matrix
  double *values, *unit, *tmp; // KKT values; (nv + nc)
} point;

static double *numbers(int n) {
  double *x = calloc((size_t)(n > 0 ? n : 1), sizeof *x);
  assert_non_null(x);
  return x;
}

static point *new_point(const tr_system *sys, const char *name, seed *s) {
  point *p = calloc(1, sizeof *p);
  assert_non_null(p);
  int nv = sys->nv, n = nv + sys->nc;
  p->sys = sys;
  snprintf(p->name, sizeof p->name, "%s", name);
  assert_int_equal(tr_work_new(sys, &p->work), TR_OK);
  assert_int_equal(tr_state_new(sys, &p->x, NULL), TR_OK);
  p->d = numbers(nv), p->dv = numbers(nv), p->q = numbers(sys->nq), p->v = numbers(nv);
  p->room = numbers(sys->nmass), p->M = numbers(n * n), p->values = numbers(sys->pattern.nnz + 1);
  p->unit = numbers(n), p->tmp = numbers(n);
  // as far away as the mechanism is large
  tr_kinematics(p->work, 0, p->x.q, p->x.v, p->x.mem, TR_AT_POSITION);
  for (int i = 0; i < sys->nframe; i++)
    p->size = fmax(p->size, largest(3, tr_frame_at(p->work->frames, i)->p));
  p->size = p->size > 0 ? fmin(1, p->size) : 1;
  draw_many(s, nv, p->d);
  for (int i = 0; i < nv; i++) p->d[i] *= 0.3 * p->size;
  for (int k = 0; k < sys->nbody; k++) { // deformations are small
    const sys_body *b = &sys->body[k];
    for (int i = b->nv - (b->type->modes ? b->type->modes(b->par, NULL) : 0); i < b->nv; i++)
      p->d[b->v + i] *= 0.1;
  }
  tr_retract(sys, p->x.q, p->d, p->q);
  memcpy(p->x.q, p->q, (size_t)sys->nq * sizeof *p->q);
  draw_many(s, nv, p->x.v), draw_many(s, nv, p->x.a), draw_many(s, sys->nc, p->x.lam);
  p->x.t = 0.37;
  tr_kinematics(p->work, p->x.t, p->x.q, p->x.v, p->x.mem, TR_AT_VELOCITY);
  tr_accept(p->work, p->x.mem);
  memset(p->d, 0, (size_t)nv * sizeof *p->d);
  return p;
}

static void free_point(point *p) {
  tr_work_free(p->work);
  tr_state_free(p->sys, &p->x);
  double *all[] = {p->d, p->dv, p->q, p->v, p->room, p->M, p->values, p->unit, p->tmp};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  free(p);
}

static void rest(point *p) {
  memset(p->d, 0, (size_t)p->sys->nv * sizeof *p->d);
  memset(p->dv, 0, (size_t)p->sys->nv * sizeof *p->dv);
  p->dt = 0;
}

static void stand(point *p, double s) {
  for (int i = 0; i < p->sys->nv; i++) {
    p->v[i] = p->x.v[i] + s * p->dv[i];
    p->tmp[i] = s * p->d[i];
  }
  tr_retract(p->sys, p->x.q, p->tmp, p->q);
  tr_kinematics(p->work, p->x.t + s * p->dt, p->q, p->v, p->x.mem, TR_AT_BIAS);
}

// (cm M a + G' lam - Q, Phi)
static void residual_path(void *context, double s, double *out) {
  point *p = context;
  int nv = p->sys->nv;
  stand(p, s);
  tr_forces(p->work, p->x.lam, out, out + nv);
  tr_mass_times(p->sys, tr_mass_blocks(p->work, p->room), p->x.a, p->tmp);
  for (int i = 0; i < nv; i++) out[i] += p->cm * p->tmp[i];
}

static void rate_path(void *context, double s, double *out) {
  point *p = context;
  stand(p, s);
  tr_jacobian(p->work);
  tr_G_times(p->work, p->v, out);
  tr_phi_t(p->work, p->unit);
  for (int i = 0; i < p->sys->nc; i++) out[i] += p->unit[i];
  tr_rates(p->work, p->unit);
  for (int i = 0; i < p->sys->nc; i++)
    if (p->sys->of_velocity[i]) out[i] = p->unit[i];
}

static void phi_path(void *context, double s, double *out) {
  point *p = context;
  stand(p, s);
  tr_forces(p->work, NULL, NULL, out);
}

static void dense(const point *p, double *A) {
  const tr_pattern *q = &p->sys->pattern;
  memset(A, 0, (size_t)(q->n * q->n) * sizeof *A);
  for (int j = 0; j < q->n; j++)
    for (int k = q->column[j]; k < q->column[j + 1]; k++) A[q->row[k] * q->n + j] = p->values[k];
}

static void tangent(point *p, tr_coefficients c) {
  const tr_state *x = &p->x;
  tr_tangent(p->work, x->t, x->q, x->v, x->mem, x->a, x->lam, NULL, c, p->values);
  dense(p, p->M);
}

// d (n) = df/dq_j or df/dv_j. A thirtieth of the usual step, less in small mechanisms, whose forces are as
// curved as their lengths say. Round-off grows to 2e-10 |f|, still far below.
static double differentiate_by(point *p, bool by_v, int j, path f, int n, double *d) {
  const double part = 0.03 * p->size;
  rest(p);
  (by_v ? p->dv : p->d)[j] = part;
  double tol = differentiate(f, p, n, d);
  for (int i = 0; i < n; i++) d[i] /= part;
  rest(p);
  return fmax(tol, DIFFERENCE_TOL * largest(n, d));
}

// The same along the path under way.
static double differentiate_finely(path f, point *p, int n, double *d) {
  const double part = 0.03 * p->size;
  for (int i = 0; i < p->sys->nv; i++) p->d[i] *= part, p->dv[i] *= part;
  p->dt *= part;
  double tol = differentiate(f, p, n, d);
  for (int i = 0; i < p->sys->nv; i++) p->d[i] /= part, p->dv[i] /= part;
  p->dt /= part;
  for (int i = 0; i < n; i++) d[i] /= part;
  return fmax(tol, DIFFERENCE_TOL * largest(n, d));
}

// ---- checks -----------------------------------------------------------------------------------------

// Column of the multiplier r: the residual is linear in it.
static void check_pull(point *p, int r) {
  int nv = p->sys->nv, n = nv + p->sys->nc;
  double *with = numbers(n), *without = numbers(n), lam = p->x.lam[r];
  residual_path(p, 0, without);
  p->x.lam[r] += 1;
  residual_path(p, 0, with);
  p->x.lam[r] = lam;
  for (int i = 0; i < n; i++)
    assert_near(p->M[i * n + nv + r], with[i] - without[i], 1e-14 * fmax(100, fabs(with[i])),
                "%s: column of multiplier %d", p->name, r);
  free(with), free(without);
}

// cm M + ck (cm M a + G' lam - Q)_q - cd Q_v and G, entry by entry; outside the pattern it is zero. Rows of
// velocities are Gam_v + cr Gam_q.
static void check_tangent(point *p, seed *s) {
  int nv = p->sys->nv, nc = p->sys->nc, n = nv + nc;
  double *by_q = numbers(n), *by_v = numbers(n), *mass = numbers(nv), *got = numbers(n);
  tr_coefficients c = {1.5 + 0.4 * draw(s), 0.3 + 0.1 * draw(s), 0.2 + 0.1 * draw(s),
                       0.6 + 0.1 * draw(s)};
  p->cm = c.cm;
  tangent(p, c);
  for (int j = 0; j < nv; j++) {
    double tol = differentiate_by(p, false, j, residual_path, n, by_q);
    tol = fmax(tol, differentiate_by(p, true, j, residual_path, n, by_v));
    stand(p, 0);
    memset(p->unit, 0, (size_t)n * sizeof *p->unit);
    p->unit[j] = 1;
    tr_mass_times(p->sys, tr_mass_blocks(p->work, p->room), p->unit, mass);
    for (int i = 0; i < n; i++) got[i] = p->M[i * n + j];
    for (int i = 0; i < nv; i++) by_q[i] = c.cm * mass[i] + c.ck * by_q[i] + c.cd * by_v[i];
    for (int i = nv; i < n; i++)
      if (p->sys->of_velocity[i - nv]) by_q[i] = by_v[i] + c.cr * by_q[i];
    assert_all_near(n, got, by_q, tol, "%s: tangent, column %d", p->name, j);
  }
  for (int j = nv; j < n; j++) {
    bool same = !p->sys->of_velocity[j - nv];
    for (int i = 0; i < n && same; i++) // G' is G, and the corner is empty
      assert_true(p->M[i * n + j] == (i < nv ? p->M[j * n + i] : 0));
    if (!same) check_pull(p, j - nv);
  }
  free(by_q), free(by_v), free(mass), free(got);
}

// The pieces are the tangent's linear parts, and cm weighs (M a)_q with M.
static void check_coefficients(point *p, seed *s) {
  int n = p->sys->nv + p->sys->nc, nn = n * n, nv = p->sys->nv;
  double *sum = numbers(nn), *G = numbers(nn);
  tr_coefficients c = {0.5 + 0.3 * draw(s), 0.4, 0.7, 0.2};
  tangent(p, (tr_coefficients){0});
  memcpy(G, p->M, (size_t)nn * sizeof *G);
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++) assert_true(G[i * n + j] == 0);
  // cm M; ck (G' lam - Q)_q; cd; ck cm (M a)_q = the rest of (cm, ck, 0)
  const tr_coefficients part[] = {{c.cm, c.ck, 0, 0}, {0, 0, c.cd, c.cr}};
  for (int k = 0; k < 2; k++) {
    tangent(p, part[k]);
    for (int i = 0; i < nn; i++) sum[i] += p->M[i] - G[i];
  }
  tangent(p, c);
  double tol = 1e-13 * fmax(1, largest(nn, p->M));
  for (int i = 0; i < nn; i++) sum[i] += G[i];
  assert_all_near(nn, p->M, sum, tol, "%s: coefficients", p->name);
  free(sum), free(G);
}

// Frozen mass blocks replace M and drop (M a)_q.
static void check_blocks(point *p, seed *s) {
  int nv = p->sys->nv, n = nv + p->sys->nc;
  double *blocks = numbers(p->sys->nmass), *A = numbers(n * n);
  (void)s;
  const tr_state *x = &p->x;
  tr_kinematics(p->work, x->t, x->q, x->v, x->mem, TR_AT_BIAS);
  memcpy(blocks, tr_mass_blocks(p->work, p->room), (size_t)p->sys->nmass * sizeof *blocks);
  tr_tangent(p->work, x->t, x->q, x->v, x->mem, x->a, x->lam, blocks, (tr_coefficients){2, 1, 1, 1},
             p->values);
  dense(p, A);
  tr_tangent(p->work, x->t, x->q, x->v, x->mem, NULL, x->lam, NULL, (tr_coefficients){2, 1, 1, 1},
             p->values);
  dense(p, p->M);
  assert_all_near(n * n, A, p->M, 1e-14 * fmax(1, largest(n * n, A)), "%s: frozen mass", p->name);
  free(blocks), free(A);
}

// What velocities make of it, written beside the rest, whatever was there before.
static void check_rates(point *p, seed *s) {
  const tr_pattern *q = &p->sys->pattern;
  int n = q->n, nv = p->sys->nv, nnz = q->column[n];
  double *A = numbers(n * n), *rates = numbers(nnz + 1), most = 0;
  (void)s;
  tangent(p, (tr_coefficients){2, 1, 0, 1});
  memcpy(A, p->M, (size_t)(n * n) * sizeof *A);
  for (int k = 0; k < nnz; k++) rates[k] = 1e6;
  p->work->rates = rates;
  tangent(p, (tr_coefficients){2, 1, 1, 1});
  p->work->rates = NULL;
  for (int i = 0; i < n * n; i++) most = fmax(most, fabs(p->M[i]));
  for (int j = 0; j < nv; j++)
    for (int k = q->column[j]; k < q->column[j + 1]; k++) {
      int at = q->row[k] * n + j;
      if (q->row[k] < nv)
        assert_near(rates[k], p->M[at] - A[at], 1e-12 * most, "%s: %d, %d", p->name, q->row[k], j);
    }
  free(A), free(rates);
}

// Rows of positions by the increment that led there instead of the displacement: G T(d), as far as the pattern of G goes.
static void check_turned(point *p, seed *s) {
  const tr_system *sys = p->sys;
  int n = sys->nv + sys->nc;
  double *A = numbers(n * n), *d = numbers(sys->nv);
  tr_coefficients c = {2, 1, 1, 1};
  draw_many(s, sys->nv, d);
  p->work->increment = d;
  tangent(p, c);
  p->work->increment = NULL;
  memcpy(A, p->M, (size_t)(n * n) * sizeof *A);
  tangent(p, c);
  for (int r = 0; r < sys->nc; r++)
    for (const sys_body *b = sys->body; b < sys->body + sys->nbody; b++) {
      if (!b->type->pull_increment || (sys->nvelocity > 0 && sys->of_velocity[r])) continue;
      b->type->pull_increment(b->par, d + b->v, 1, 0, p->M + (sys->nv + r) * n + b->v);
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (tr_pattern_slot(&sys->pattern, i, j) == sys->pattern.nnz) p->M[i * n + j] = 0;
  assert_all_near(n * n, A, p->M, 1e-14 * fmax(1, largest(n * n, A)), "%s: turned", p->name);
  free(A), free(d);
}

static void check_constraints(point *p, seed *s) {
  int nv = p->sys->nv, nc = p->sys->nc;
  double *d = numbers(nc), *got = numbers(nc), *dq = numbers(nc * nv), *column = numbers(nc);
  double *pulled = numbers(nv);
  (void)s;
  // Phi by t alone, and G v + Phi_t by Phi along the motion
  rest(p);
  p->dt = 1;
  double tol = differentiate_finely(phi_path, p, nc, d);
  stand(p, 0);
  tr_phi_t(p->work, got);
  tr_clear_velocity_rows(p->sys, d);
  assert_all_near(nc, got, d, tol, "%s: phi_t", p->name);
  memcpy(p->d, p->x.v, (size_t)nv * sizeof *p->d);
  tol = differentiate_finely(phi_path, p, nc, d);
  rate_path(p, 0, got);
  for (int i = 0; i < nc; i++)
    if (p->sys->of_velocity[i]) d[i] = got[i]; // no rate of anything
  assert_all_near(nc, got, d, tol, "%s: G v + phi_t", p->name);
  tol = differentiate_finely(rate_path, p, nc, d);
  stand(p, 0);
  tr_gamma(p->work, got);
  assert_all_near(nc, got, d, tol, "%s: gamma", p->name);
  // (G v)_q comes as a difference of tangents, which stiff forces make coarse
  tangent(p, (tr_coefficients){.ck = 1});
  int n = p->sys->nv + nc;
  double coarse = 4 * DBL_EPSILON * largest(n * n, p->M);
  assert_int_equal(tr_Gv_dq(p->work, p->x.t, p->x.q, p->x.v, p->x.mem, dq), TR_OK);
  for (int j = 0; j < nv; j++) {
    tol = differentiate_by(p, false, j, rate_path, nc, d);
    for (int i = 0; i < nc; i++) column[i] = p->sys->of_velocity[i] ? d[i] : dq[i * nv + j];
    if (!p->sys->rheonomic)
      assert_all_near(nc, column, d, tol + coarse, "%s: (G v)_q, column %d", p->name, j);
  }
  // lam.(G v) = (G' lam).v
  rest(p);
  stand(p, 0);
  tr_jacobian(p->work);
  tr_G_times(p->work, p->x.v, got);
  tr_Gt_times(p->work, p->x.lam, pulled);
  double left = 0, right = 0;
  for (int i = 0; i < nc; i++) left += p->x.lam[i] * got[i];
  for (int i = 0; i < nv; i++) right += pulled[i] * p->x.v[i];
  bool mutual = true; // else some body hears others that do not feel it
  for (int i = 0; i < p->sys->nblock; i++) {
    sys_block block;
    tr_block(p->sys, i, &block);
    mutual = mutual && block.pull == block.width;
  }
  if (mutual) assert_near(left, right, 1e-12, "%s: G' against G", p->name);
  double *force = numbers(nv);
  tr_constraint_force(p->work, p->x.lam, force);
  assert_all_near(nv, force, pulled, 1e-12 * fmax(1, largest(nv, pulled)), "%s: G' lam", p->name);
  free(force);
  free(d), free(got), free(dq), free(column), free(pulled);
}

// All at once what stabilised methods need, against the pieces.
static void check_stabilised(point *p, seed *s) {
  int nv = p->sys->nv, nc = p->sys->nc;
  double *mu = numbers(nc), *x = numbers(nv), *got = numbers(2 * (nv + nc)),
         *want = numbers(2 * (nv + nc));
  double *F = got, *phi = F + nv, *P = phi + nc, *rate = P + nv;
  draw_many(s, nc, mu), draw_many(s, nv, x);
  rest(p);
  stand(p, 0);
  assert_int_equal(tr_wrenches_keep(p->work), TR_OK);
  tr_stabilised(p->work, p->x.lam, mu, x, F, phi, rate, P);
  tr_forces(p->work, p->x.lam, want, want + nv);
  tr_velocity_rows_times(p->work, x, want + nv);
  tr_constraint_force(p->work, mu, want + nv + nc);
  tr_rates(p->work, want + 2 * nv + nc);
  static const char *const what[] = {"F", "phi", "G' mu", "rates"};
  const int size[] = {nv, nc, nv, nc};
  for (int i = 0, at = 0; i < 4; at += size[i++])
    assert_all_near(size[i], got + at, want + at,
                    64 * DBL_EPSILON * fmax(1, largest(size[i], want + at)), "%s: %s at once",
                    p->name, what[i]);
  free(mu), free(x), free(got), free(want);
}

static bool deforms(const tr_system *s) {
  for (int i = 0; i < s->nbody; i++)
    if (s->body[i].type->modes) return true;
  return false;
}

// |M| |M^-1| in the norm of the largest column sum
static double condition(point *p, const double *blocks) {
  int nv = p->sys->nv;
  double *x = numbers(nv), M = 0, inverse = 0;
  for (int j = 0; j < nv; j++) {
    double sum = 0, solved = 0;
    double *y = numbers(nv);
    x[j] = 1;
    tr_mass_times(p->sys, blocks, x, y);
    for (int i = 0; i < nv; i++) sum += fabs(y[i]), y[i] = x[i];
    assert_int_equal(tr_mass_solve(p->work, blocks, y), TR_OK);
    for (int i = 0; i < nv; i++) solved += fabs(y[i]);
    M = fmax(M, sum), inverse = fmax(inverse, solved);
    x[j] = 0;
    free(y);
  }
  free(x);
  return M * inverse;
}

static void check_mass(point *p, seed *s) {
  int nv = p->sys->nv;
  double *x = numbers(nv), *y = numbers(nv), *z = numbers(nv), kinetic, potential, sum = 0;
  draw_many(s, nv, x);
  rest(p);
  stand(p, 0);
  const double *blocks = tr_mass_blocks(p->work, p->room);
  tr_mass_times(p->sys, blocks, x, y);
  assert_int_equal(tr_mass_solve(p->work, blocks, y), TR_OK);
  // M (M^-1 M x) = M x to round-off; M^-1 M x = x as far as the condition of a beam's M lets it
  tr_mass_times(p->sys, blocks, y, z);
  double tol = deforms(p->sys) ? fmax(1e-14, DBL_EPSILON * condition(p, blocks)) : 1e-12;
  assert_all_near(nv, y, x, fmin(tol, 1e-10), "%s: M^-1 M", p->name);
  tr_mass_times(p->sys, blocks, x, y);
  assert_all_near(nv, z, y, 1e-14 * fmax(1, largest(nv, y)), "%s: M M^-1 M", p->name);
  tr_mass_times(p->sys, blocks, p->x.v, y);
  for (int i = 0; i < nv; i++)
    if (!p->sys->number[i]) sum += 0.5 * y[i] * p->x.v[i];
  tr_energy(p->work, &kinetic, &potential);
  assert_near(kinetic, sum, 1e-13 * fmax(1, sum), "%s: kinetic energy", p->name);
  free(x), free(y), free(z);
}

static void check_retraction(point *p, seed *s) {
  int nv = p->sys->nv, nq = p->sys->nq;
  double *d = numbers(nv), *q1 = numbers(nq), *q2 = numbers(nq);
  tr_retract(p->sys, p->x.q, d, q1);
  assert_all_near(nq, q1, p->x.q, 4 * DBL_EPSILON * fmax(1, largest(nq, q1)), "%s: exp(0)",
                  p->name);
  draw_many(s, nv, d);
  tr_retract(p->sys, p->x.q, d, q1);
  for (int i = 0; i < nv; i++) d[i] = -d[i];
  tr_retract(p->sys, q1, d, q2);
  assert_all_near(nq, q2, p->x.q, 1e-14 * fmax(1, largest(nq, q1)), "%s: there and back", p->name);
  free(d), free(q1), free(q2);
}

// ---- outputs ----------------------------------------------------------------------------------------

// A motion with velocities v and accelerations a: q o exp(s v + s^2 a/2), v + s a.
typedef struct motion {
  point *p;
  tr_reader *reader;
  tr_state y;
} motion;

static void channel_path(void *context, double s, double *out) {
  motion *m = context;
  point *p = m->p;
  for (int i = 0; i < p->sys->nv; i++) {
    p->tmp[i] = s * (p->x.v[i] + 0.5 * s * p->x.a[i]);
    m->y.v[i] = p->x.v[i] + s * p->x.a[i];
  }
  tr_retract(p->sys, p->x.q, p->tmp, m->y.q);
  m->y.t = p->x.t + s;
  assert_int_equal(tr_reader_read(m->reader, &m->y, out), TR_OK);
}

// Every output whose name says it is the rate of another one is so.
static void check_channels(point *p, seed *s) {
  static const char *const rates[][2] = {
      {"x", "vx"},        {"y", "vy"},        {"z", "vz"},      {"angle", "omega"}, {"vx", "ax"},
      {"vy", "ay"},       {"vz", "az"},       {"wx", "alx"},    {"wy", "aly"},      {"wz", "alz"},
      {"omega", "alpha"}, {"length", "rate"}, {"angle", "rate"}};
  int count = tr_channel_count(p->sys), tested = 0;
  motion m = {.p = p};
  (void)s;
  double *d = numbers(count), *now = numbers(count);
  int *all = calloc((size_t)count, sizeof *all);
  assert_non_null(all);
  for (int i = 0; i < count; i++) all[i] = i;
  assert_int_equal(tr_state_new(p->sys, &m.y, NULL), TR_OK);
  tr_state_copy(&m.y, &p->x);
  assert_int_equal(tr_reader_new(p->sys, count, all, &m.reader, NULL), TR_OK);
  channel_path(&m, 0, now);
  double tol = differentiate(channel_path, &m, count, d);
  for (int i = 0; i < count; i++) {
    char name[128], other[256];
    tr_channel_name(p->sys, i, name, sizeof name);
    assert_int_equal(tr_channel_find(p->sys, name), i);
    assert_true(isfinite(now[i]));
    char *dot = strrchr(name, '.');
    if (!dot) { // a number, by its name alone
      assert_near(now[i + 1], d[i], tol, "%s: %s.rate", p->name, name);
      continue;
    }
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
      if (strcmp(dot + 1, rates[k][0]) != 0) continue;
      snprintf(other, sizeof other, "%.*s.%s", (int)(dot - name), name, rates[k][1]);
      int j = tr_channel_find(p->sys, other);
      if (j < 0) continue;
      assert_near(now[j], d[i], tol, "%s: %s", p->name, other);
      tested++;
    }
  }
  for (int i = 0; i < count; i++) { // e' = (0, w) e/2
    char name[128];
    double omega[4] = {0}, want[4];
    tr_channel_name(p->sys, i, name, sizeof name);
    if (!strstr(name, ".e0")) continue;
    memcpy(omega + 1, now + i + 7, 3 * sizeof *omega); // after e1, e2, e3, vx, vy, vz
    quat_mul(omega, now + i, want);
    for (int k = 0; k < 4; k++) want[k] *= 0.5;
    assert_all_near(4, d + i, want, tol, "%s: rate of %s", p->name, name);
  }
  if (p->sys->plan.nmarker > 1 && p->sys->body[0].type->site) assert_true(tested > 0);
  tr_reader_free(m.reader);
  tr_state_free(p->sys, &m.y);
  free(d), free(now), free(all);
}

// ---- over models and registries ---------------------------------------------------------------------

typedef void (*check)(point *p, seed *s);

static void try_system(const tr_system *sys, const char *name, check what) {
  seed s = 5000;
  for (int k = 0; k < (int)or_less(2, 1); k++) {
    point *p = new_point(sys, name, &s);
    what(p, &s);
    free_point(p);
  }
}

static void try_it(const tr_system *sys, const char *name, void *what) {
  try_system(sys, name, *(check *)what);
}

#define SYSTEM_TEST(name)               \
  static void system_##name(void **u) { \
    (void)u;                            \
    check what = check_##name;          \
    on_every_system(try_it, &what);     \
  }
SYSTEM_TEST(tangent)
SYSTEM_TEST(coefficients)
SYSTEM_TEST(blocks)
SYSTEM_TEST(constraints)
SYSTEM_TEST(turned)
SYSTEM_TEST(rates)
SYSTEM_TEST(stabilised)
SYSTEM_TEST(mass)
SYSTEM_TEST(retraction)
SYSTEM_TEST(channels)

// Frames of points are as far apart as the level asks for, and show the same at any.
static void frames_of_points_are_no_larger_than_asked_for(void **u) {
  (void)u;
  static const tr_level levels[] = {TR_AT_BIAS, TR_AT_POSITION, TR_AT_VELOCITY, TR_AT_POSITION};
  static const size_t size[] = {9, 3, 6, 3}; // numbers
  const char *set[] = {"N=6", NULL};
  mechanism m = load_model("rod_chain.yaml", set);
  tr_work *w = NULL;
  tr_state x;
  assert_int_equal(tr_work_new(m.sys, &w), TR_OK);
  assert_int_equal(tr_state_new(m.sys, &x, NULL), TR_OK);
  for (int i = 0; i < m.sys->nv; i++) x.v[i] = 0.1 * i;
  for (int k = 0; k < 4; k++) {
    tr_kinematics(w, 0, x.q, x.v, x.mem, levels[k]);
    assert_int_equal(w->frames.size, size[k] * sizeof(double));
    for (int j = 0; j < m.sys->njoint; j++) { // straight and horizontal
      const int *frame = m.sys->joint[j].e.frame;
      const tr_frame *A = tr_frame_at(w->frames, frame[0]), *B = tr_frame_at(w->frames, frame[1]);
      for (int i = 0; i < 3; i++) {
        assert_true(fabs(A->p[i] - (i == 0 ? 0.1 * j : 0)) < 1e-14);
        assert_true(fabs(B->p[i] - (i == 0 ? 0.1 * j : 0)) < 1e-14);
      }
      if (levels[k] < TR_AT_VELOCITY) continue;
      // v + w x s, s = (-L/2, 0, 0)
      const double *v = x.v + m.sys->body[j].v;
      const double there[3] = {v[0], v[1] - 0.05 * v[5], v[2] + 0.05 * v[4]};
      for (int i = 0; i < 3; i++) assert_true(fabs(B->v[i] - there[i]) < 1e-14);
      for (int i = 0; j == 0 && i < 3; i++) assert_true(A->v[i] == 0); // ground
    }
  }
  tr_state_free(m.sys, &x);
  tr_work_free(w);
  unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_of_points_are_no_larger_than_asked_for),
      cmocka_unit_test(system_tangent),
      cmocka_unit_test(system_coefficients),
      cmocka_unit_test(system_blocks),
      cmocka_unit_test(system_constraints),
      cmocka_unit_test(system_stabilised),
      cmocka_unit_test(system_mass),
      cmocka_unit_test(system_retraction),
      cmocka_unit_test(system_channels),
      cmocka_unit_test(system_turned),
      cmocka_unit_test(system_rates),
  };
  return cmocka_run_group_tests(tests, NULL, forget_systems);
}
