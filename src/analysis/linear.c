// SPDX-License-Identifier: Apache-2.0
// Equilibria by implicit pseudo-time, and the exact modes at a state in coordinates of the null space of G.
//
//   equilibrium  [M/tau^2 + K, G'; G, 0] (d, lam) = (Q, -Phi),  q <- q o exp(d),  tau growing:
//                falling down the potential first, Newton's iteration in the end
//   modes        T' M T x'' + T' D T x' + T' K T x = 0,  K = (G' lam - Q)_q, D = -Q_v
#include "linear.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "step/redundancy.h"
#include "trammel/analysis.h"

static const double LONG = 50; // s

static double largest(const double *x, int n) {
  double m = 0;
  for (int i = 0; i < n; i++) m = isnan(x[i]) ? NAN : fmax(m, fabs(x[i]));
  return m;
}

// The rows of G that repeat others at x, for factorisations to do without; NULL: none.
static tr_status find_mask(tr_arena *ar, tr_work *w, const tr_state *x, const tr_mask **out) {
  tr_redundancy r;
  *out = NULL;
  tr_kinematics(w, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  TR_TRY(tr_find_redundancy(w, ar, 0, NULL, &r));
  int *rows = TR_NEW(ar, w->sys->nc, int);
  tr_mask *mask = TR_NEW(ar, 1, tr_mask);
  if (!rows || !mask) return TR_NO_MEMORY;
  int n = tr_rows_out(w->sys, x->mem, r.known ? r.count : 0, r.row, rows);
  if (n == 0) return TR_OK;
  *out = mask;
  return tr_mask_make(ar, &w->sys->pattern, n, rows, mask);
}

// ---- the null space of G ----------------------------------------------------------------------------

double tr_dot(int n, const double *x, const double *y) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}

bool tr_extend_basis(int n, double *B, int count, const double *x, double tol) {
  double *u = B + (size_t)count * n, before = sqrt(tr_dot(n, x, x));
  memcpy(u, x, (size_t)n * sizeof *u);
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < count; k++) {
      const double *b = B + (size_t)k * n;
      double d = tr_dot(n, u, b);
      for (int i = 0; i < n; i++) u[i] -= d * b[i];
    }
  double after = sqrt(tr_dot(n, u, u));
  if (!(after > tol * before) || !isfinite(after)) return false;
  for (int i = 0; i < n; i++) u[i] /= after;
  return true;
}

// Rows of G first, then unit vectors: what the latter add is the null space. Of positions: without the rows of
// velocities, and without what has no position.
static tr_status find_null_space(tr_arena *ar, tr_work *w, const tr_state *x, bool positions,
                                 int *dimension, double **T) {
  const tr_system *s = w->sys;
  int n = s->nv, count = 0;
  double *B = TR_NEW(ar, ((size_t)n + 1) * n, double), *row = TR_NEW(ar, n, double);
  if (!B || !row) return TR_NO_MEMORY;
  tr_kinematics(w, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  for (int i = 0; positions && i < s->nbody; i++) {
    if (s->body[i].nq > 0) continue;
    memset(row, 0, (size_t)n * sizeof *row);
    row[s->body[i].v] = 1;
    if (tr_extend_basis(n, B, count, row, 1e-9)) count++;
  }
  for (int b = 0; b < s->nblock; b++) {
    sys_block block;
    const sys_block *k = tr_block(s, b, &block);
    const double *G = tr_block_rows(w, b);
    for (int r = 0; r < k->rows; r++) {
      memset(row, 0, (size_t)n * sizeof *row);
      for (int i = 0; i < k->count; i++)
        for (int c = 0; c < k->nv[i]; c++) row[k->v[i] + c] += *G++;
      if (positions && s->nvelocity > 0 && s->of_velocity[k->row + r]) continue;
      if (count < n && tr_extend_basis(n, B, count, row, 1e-9)) count++;
    }
  }
  int rank = count;
  double least = 0.5; // the best unit vectors first: the basis is then far from dependent
  while (count < n && least > 1e-8) {
    for (int i = 0; i < n && count < n; i++) {
      memset(row, 0, (size_t)n * sizeof *row);
      row[i] = 1;
      if (tr_extend_basis(n, B, count, row, least)) count++;
    }
    least *= 0.5;
  }
  *dimension = count - rank;
  *T = B + (size_t)rank * n;
  return TR_OK;
}

static tr_status find_directions(tr_arena *ar, tr_work *w, const tr_state *x, tr_modes *m) {
  TR_TRY(find_null_space(ar, w, x, false, &m->f, &m->T));
  m->fq = m->f, m->Tq = m->T;
  if (w->sys->nvelocity > 0) TR_TRY(find_null_space(ar, w, x, true, &m->fq, &m->Tq));
  m->n = m->fq + m->f;
  return TR_OK;
}

// ---- equilibrium ------------------------------------------------------------------------------------

typedef struct search {
  const tr_system *sys;
  tr_work *work;
  tr_kkt kkt;
  double *r, *q; // (nv + nc), (nq)
} search;

// One pseudo-step; out: the largest movement and the largest unbalanced acceleration-like force.
static tr_status fall(search *k, tr_state *x, double tau, double *moved) {
  const tr_system *s = k->sys;
  tr_coefficients c = {.cm = 1 / (tau * tau), .ck = 1};
  tr_tangent(k->work, x->t, x->q, x->v, x->mem, NULL, x->lam, NULL, c, k->kkt.values);
  TR_TRY(tr_kkt_factor(&k->kkt));
  tr_kinematics(k->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_forces(k->work, NULL, k->r, k->r + s->nv);
  for (int i = 0; i < s->nv + s->nc; i++) k->r[i] = -k->r[i];
  TR_TRY(tr_kkt_solve(&k->kkt, 1, k->r));
  *moved = largest(k->r, s->nv);
  if (!isfinite(*moved)) return TR_NOT_FINITE;
  double f = *moved > 0.3 ? 0.3 / *moved : 1;
  for (int i = 0; i < s->nv; i++) k->r[i] *= f;
  memcpy(k->q, x->q, (size_t)s->nq * sizeof *k->q);
  tr_retract(s, k->q, k->r, x->q);
  memcpy(x->lam, k->r + s->nv, (size_t)s->nc * sizeof *x->lam);
  return TR_OK;
}

// The same with states, variables and constraints of velocities, in the directions that are free here.
static tr_status fall_along(search *k, tr_state *x, double tau, double *moved) {
  tr_arena ar = tr_arena_make(k->sys->al);
  tr_modes m = {0};
  tr_status status = find_directions(&ar, k->work, x, &m);
  if (status == TR_OK) status = tr_flow_fall(&ar, k->sys, &m, tau, x, moved);
  tr_arena_free(&ar);
  return status;
}

static tr_status descend(search *k, tr_state *x, bool *found) {
  double tau = 0.03, moved = INFINITY;
  int still = 0;
  memset(x->v, 0, (size_t)k->sys->nv * sizeof *x->v);
  memset(x->a, 0, (size_t)k->sys->nv * sizeof *x->a);
  tr_status status = TR_OK;
  if (k->sys->nvelocity > 0) status = tr_consistent_start(k->sys, x, NULL, NULL);
  for (int i = 0; i < 400 && status == TR_OK; i++) {
    tr_change_coordinates(k->sys, 0, x);
    status = k->sys->nvelocity > 0 ? fall_along(k, x, tau, &moved) : fall(k, x, tau, &moved);
    if (status != TR_OK) break;
    tau = fmin(1e4, moved < 0.05 ? 2 * tau : moved > 0.3 ? fmax(0.5 * tau, 1e-4) : tau);
    // At rest when a long pseudo-step moves nothing. Not too long: round-off moves free directions.
    double size = k->sys->nvelocity > 0 ? 1 : fmax(1, largest(x->q, k->sys->nq));
    bool rests = tau >= LONG && moved <= 1e-9 * size;
    still = rests ? still + 1 : 0;
    if (still >= 2) {
      *found = true;
      break;
    }
  }
  return status == TR_NO_MEMORY ? status : TR_OK; // what fails on the way: none is found
}

tr_status tr_find_equilibrium(const tr_system *sys, tr_state *x, bool *found, tr_error *error) {
  tr_arena ar = tr_arena_make(sys->al);
  search k = {.sys = sys};
  *found = false;
  k.r = TR_NEW(&ar, sys->nv + sys->nc, double);
  k.q = TR_NEW(&ar, sys->nq, double);
  tr_status status = k.r && k.q ? tr_kkt_make(&ar, &sys->pattern, &k.kkt) : TR_NO_MEMORY;
  if (status == TR_OK) status = tr_work_new(sys, &k.work);
  if (status == TR_OK) status = find_mask(&ar, k.work, x, &k.kkt.mask);
  if (status == TR_OK) status = descend(&k, x, found);
  tr_work_free(k.work);
  tr_kkt_free(&k.kkt);
  tr_arena_free(&ar);
  return status == TR_NO_MEMORY ? tr_no_memory(error) : status;
}

// ---- modes ------------------------------------------------------------------------------------------

// T' A T of the leading block of a KKT matrix with these coefficients, f x f.
static tr_status reduce(tr_arena *ar, tr_work *w, tr_kkt *kkt, const tr_state *x, const tr_modes *m,
                        tr_coefficients c, double *out) {
  const tr_system *s = w->sys;
  double *in = TR_NEW(ar, s->nv + s->nc, double), *y = TR_NEW(ar, s->nv + s->nc, double);
  if (!in || !y) return TR_NO_MEMORY;
  tr_tangent(w, x->t, x->q, x->v, x->mem, x->a, x->lam, NULL, c, kkt->values);
  for (int j = 0; j < m->f; j++) {
    memcpy(in, m->T + (size_t)j * s->nv, (size_t)s->nv * sizeof *in);
    tr_kkt_multiply(kkt, in, y);
    for (int i = 0; i < m->f; i++) {
      double sum = 0;
      for (int k = 0; k < s->nv; k++) sum += m->T[(size_t)i * s->nv + k] * y[k];
      out[(size_t)i * m->f + j] = sum;
    }
  }
  return TR_OK;
}

// Eigenvalues of [0 1; -M^-1 K, -M^-1 D].
static tr_status exponents(tr_arena *ar, tr_work *w, tr_kkt *kkt, const tr_state *x, tr_modes *m) {
  int f = m->f, n = 2 * f;
  double *M = TR_NEW(ar, (size_t)f * f, double), *K = TR_NEW(ar, (size_t)f * f, double);
  double *D = TR_NEW(ar, (size_t)f * f, double), *KD = TR_NEW(ar, (size_t)f * n, double);
  double *A = TR_NEW(ar, (size_t)n * n, double);
  m->s = TR_NEW(ar, n, double complex);
  if (!M || !K || !D || !KD || !A || !m->s) return TR_NO_MEMORY;
  TR_TRY(reduce(ar, w, kkt, x, m, (tr_coefficients){.cm = 1}, M));
  // (M a)_q counts where the mass varies: K = (M + K) - M
  bool varies = !w->sys->constant_mass;
  TR_TRY(reduce(ar, w, kkt, x, m, (tr_coefficients){.cm = varies, .ck = 1}, K));
  for (int i = 0; varies && i < f * f; i++) K[i] -= M[i];
  TR_TRY(reduce(ar, w, kkt, x, m, (tr_coefficients){.cd = 1}, D));
  for (int i = 0; i < f; i++)
    for (int j = 0; j < f; j++) {
      KD[(size_t)i * n + j] = K[(size_t)i * f + j];
      KD[(size_t)i * n + f + j] = D[(size_t)i * f + j];
    }
  TR_TRY(tr_dense_solve(f, M, n, KD));
  for (int i = 0; i < f; i++) {
    A[(size_t)i * n + f + i] = 1;
    for (int j = 0; j < n; j++) A[(size_t)(f + i) * n + j] = -KD[(size_t)i * n + j];
  }
  return tr_eigenvalues(ar, n, A, m->s);
}

// Free motions, whose exponents are 0 up to round-off, neither grow nor decay: they count only where nothing else does.
static void measure(tr_modes *m) {
  double growth = -INFINITY;
  for (int i = 0; i < m->n; i++) m->omega = fmax(m->omega, cabs(m->s[i]));
  for (int i = 0; i < m->n; i++)
    if (cabs(m->s[i]) > TR_FREE_MODE * m->omega) growth = fmax(growth, creal(m->s[i]));
  m->growth = isfinite(growth) ? growth : 0;
}

tr_status tr_find_modes(tr_arena *ar, const tr_system *sys, const tr_state *x, tr_modes *m,
                        tr_error *error) {
  *m = (tr_modes){0};
  tr_work *w = NULL;
  tr_kkt kkt = {0};
  tr_status status = tr_kkt_make(ar, &sys->pattern, &kkt);
  if (status == TR_OK) status = tr_work_new(sys, &w);
  if (status == TR_OK) status = find_mask(ar, w, x, &m->mask);
  if (status == TR_OK) status = find_directions(ar, w, x, m);
  if (status == TR_OK && m->n > 0)
    status = sys->nvelocity > 0 ? tr_flow_exponents(ar, sys, x, m) : exponents(ar, w, &kkt, x, m);
  if (status == TR_OK) measure(m);
  tr_work_free(w);
  tr_kkt_free(&kkt);
  if (status == TR_NO_MEMORY) return tr_no_memory(error);
  if (status != TR_OK)
    return tr_fail(error, TR_FAILED, NULL, "the linearised model has no eigenvalues: %s",
                   tr_status_text(status));
  return TR_OK;
}
