// SPDX-License-Identifier: Apache-2.0
// Residual and matrix from the pieces of the library.
//
// (1) The matrix comes from four of its KKT matrices: K = (M a + G' lam - Q)_q, cj M - Q_v, and two whose
//     difference is (G v)_q, on flat coordinates the derivative of G along v. (G' mu)_q is left out: mu
//     vanishes with the error of the step.
// (2) Rows that repeat others at the start are left out, lam = mu = 0. IDA would find a singular matrix.
// (3) Rows of velocities, Gam(v, q, t) = 0, have no mu. Of states and variables they stand in place of the
//     equation of motion: v is algebraic, q' = v, and a variable, which has no q, gets one that is 0.
#include "ggl_trammel.h"

#include "step/redundancy.h"

typedef struct pieces {
  const tr_system *sys;
  tr_work *work;
  double *mem, *mass;
  double *stiff, *rates, *ahead, *behind; // (nnz + 1) values of KKT matrices
  double *q;                              // (nq) of the system
  int *place;                             // (nv) of a coordinate in it, -1: there is none
  int *equation;                          // (nv) the row in place of an equation of motion, or -1
  int *number;                            // (nc) the other way round
  bool *left_out;                         // (nc) rows without lam; mu have only those of positions
} pieces;

static bool has_mu(const pieces *p, int row) {
  return !p->left_out[row] && !p->sys->of_velocity[row];
}

static const double *coordinates(const pieces *p, const double *y) {
  for (int i = 0; i < p->sys->nv; i++)
    if (p->place[i] >= 0) p->q[p->place[i]] = y[i];
  return p->q;
}

static void residual(const ggl *g, double t, const double *y, const double *yp, double *r) {
  const pieces *p = g->data;
  int nq = g->nq, nc = g->nc;
  const double *v = y + nq, *lam = v + nq, *mu = lam + nc;
  double *r_v = r + nq, *rate = r_v + nq, *phi = rate + nc;
  tr_kinematics(p->work, t, coordinates(p, y), v, p->mem, TR_AT_VELOCITY);
  tr_stabilised(p->work, lam, mu, NULL, r_v, phi, rate, r);
  const double *mass = tr_mass_blocks(p->work, p->mass);
  tr_mass_times(p->sys, mass, yp + nq, p->work->x);
  for (int i = 0; i < nq; i++) {
    r[i] = p->place[i] < 0 ? y[i] : r[i] + yp[i] - v[i];
    r_v[i] = p->equation[i] < 0 ? r_v[i] + p->work->x[i] : rate[p->equation[i]];
  }
  for (int i = 0; i < nc; i++) {
    if (p->left_out[i]) rate[i] = lam[i];
    if (!has_mu(p, i)) phi[i] = mu[i];
  }
}

// Entry k at (row, j) of the rows of constraints.
static void emit_row(ggl *g, const pieces *p, int row, int j, int k, double bend) {
  int nq = g->nq, V = nq, LAM = 2 * nq, MU = LAM + g->nc, number = p->number[row];
  int to = number < 0 ? LAM + row : V + number;
  if (number < 0 && p->left_out[row]) return;
  ggl_emit(g, to, V + j, p->rates[k]);
  ggl_emit(g, to, j, p->sys->of_velocity[row] ? p->stiff[k] - p->rates[k] : bend);
  if (has_mu(p, row)) ggl_emit(g, MU + row, j, p->rates[k]);
}

static void emit_column(ggl *g, const pieces *p, int i, int row, int k) {
  int nq = g->nq, V = nq, LAM = 2 * nq, MU = LAM + g->nc;
  if (!p->left_out[row]) ggl_emit(g, V + i, LAM + row, p->rates[k]);
  if (has_mu(p, row)) ggl_emit(g, i, MU + row, p->rates[k]);
}

static void matrix(ggl *g, double t, double cj, const double *y, const double *yp) {
  const pieces *p = g->data;
  const tr_pattern *pattern = &p->sys->pattern;
  int nq = g->nq, nc = g->nc, V = nq, LAM = 2 * nq, MU = LAM + nc;
  const double *v = y + nq, *lam = v + nq;
  double speed = vec_largest(v, nq), eps = speed > 0 ? 1e-6 / speed : 1e-6;
  for (int side = 0; side < 2; side++) {
    coordinates(p, y);
    for (int i = 0; i < nq; i++)
      if (p->place[i] >= 0) p->q[p->place[i]] += (side ? -eps : eps) * v[i];
    tr_tangent(p->work, t, p->q, v, p->mem, NULL, NULL, NULL, (tr_coefficients){.cm = 1},
               side ? p->behind : p->ahead);
  }
  coordinates(p, y);
  tr_tangent(p->work, t, p->q, v, p->mem, yp + nq, lam, NULL, (tr_coefficients){.ck = 1, .cr = 1},
             p->stiff);
  tr_tangent(p->work, t, p->q, v, p->mem, NULL, NULL, NULL, (tr_coefficients){.cm = cj, .cd = 1},
             p->rates);
  for (int i = 0; i < nq; i++) {
    ggl_emit(g, i, i, p->place[i] < 0 ? 1 : cj);
    if (p->place[i] >= 0) ggl_emit(g, i, V + i, -1);
  }
  for (int i = 0; i < nc; i++) {
    if (p->left_out[i]) ggl_emit(g, LAM + i, LAM + i, 1);
    if (!has_mu(p, i)) ggl_emit(g, MU + i, MU + i, 1);
  }
  for (int j = 0; j < pattern->n; j++)
    for (int k = pattern->column[j]; k < pattern->column[j + 1]; k++) {
      int i = pattern->row[k];
      if (i >= nq && j < nq) {
        emit_row(g, p, i - nq, j, k, (p->ahead[k] - p->behind[k]) / (2 * eps));
      } else if (i < nq && p->equation[i] < 0) {
        if (j >= nq)
          emit_column(g, p, i, j - nq, k);
        else
          ggl_emit(g, V + i, j, p->stiff[k]), ggl_emit(g, V + i, V + j, p->rates[k]);
      }
    }
}

static void accept(ggl *g, double t, const double *y) {
  const pieces *p = g->data;
  tr_kinematics(p->work, t, coordinates(p, y), y + g->nq, p->mem, TR_AT_VELOCITY);
  tr_accept(p->work, p->mem);
}

static bool algebraic(const ggl *g, int i) {
  const pieces *p = g->data;
  return i < g->nq ? p->place[i] < 0 : p->equation[i - g->nq] >= 0;
}

void ggl_state_of(const ggl *g, double t, const double *y, tr_state *x) {
  const pieces *p = g->data;
  x->t = t;
  memcpy(x->q, coordinates(p, y), (size_t)p->sys->nq * sizeof *y);
  memcpy(x->v, y + g->nq, (size_t)g->nq * sizeof *y);
  memcpy(x->mem, p->mem, (size_t)p->sys->nmem * sizeof *y);
}

static double *copy(const double *x, int n) {
  double *p = calloc((size_t)n + 1, sizeof *p);
  if (p && x) memcpy(p, x, (size_t)n * sizeof *p);
  return p;
}

// Which unknowns and rows are there at x. 0: done.
static int sort_rows(pieces *p, const tr_state *x) {
  const tr_system *s = p->sys;
  tr_arena arena = tr_arena_make(s->al);
  tr_redundancy found = {0};
  sys_block b;
  for (int i = 0; i < s->nv; i++) p->place[i] = p->equation[i] = -1;
  for (int i = 0; i < s->nbody; i++)
    for (int k = 0; k < s->body[i].nq; k++) p->place[s->body[i].v + k] = s->body[i].q + k;
  for (int i = 0; i < s->nc; i++) p->number[i] = -1;
  for (int i = 0; i < s->nblock; i++)
    if (tr_block(s, i, &b)->rows == 1 && s->of_number[b.row]) {
      p->number[b.row] = b.v[0], p->equation[b.v[0]] = b.row;
      p->left_out[b.row] = true;
    }
  tr_kinematics(p->work, 0, x->q, x->v, p->mem, TR_AT_VELOCITY);
  tr_status status = tr_find_redundant_rows(p->work, &arena, 0, NULL, &found);
  for (int i = 0; status == TR_OK && i < found.count; i++) p->left_out[found.row[i]] = true;
  tr_arena_free(&arena);
  return status == TR_OK ? 0 : 1;
}

static int fill(ggl *g, pieces *p, const tr_system *s, const tr_state *x) {
  size_t nv = (size_t)s->nv, nc = (size_t)s->nc;
  int nnz = s->pattern.nnz;
  g->nq = s->nv, g->nc = s->nc;
  g->entries = 2 * s->nv + 2 * s->nc + 3 * nnz;
  g->residual = residual, g->matrix = matrix, g->algebraic = algebraic;
  g->accept = s->remembers ? accept : NULL;
  g->q0 = copy(NULL, s->nv), g->v0 = copy(x->v, s->nv);
  p->mem = copy(x->mem, s->nmem), p->mass = copy(NULL, s->nmass), p->q = copy(x->q, s->nq);
  p->stiff = copy(NULL, nnz), p->rates = copy(NULL, nnz);
  p->ahead = copy(NULL, nnz), p->behind = copy(NULL, nnz);
  p->place = calloc(nv + 1, sizeof *p->place), p->equation = calloc(nv + 1, sizeof *p->equation);
  p->number = calloc(nc + 1, sizeof *p->number), p->left_out = calloc(nc + 1, 1);
  if (!g->q0 || !g->v0 || !p->mem || !p->mass || !p->q || !p->stiff || !p->rates || !p->ahead ||
      !p->behind || !p->place || !p->equation || !p->number || !p->left_out)
    return 1;
  if (tr_work_new(s, &p->work) != TR_OK || tr_wrenches_keep(p->work) != TR_OK) return 1;
  if (sort_rows(p, x)) return 1;
  for (int i = 0; i < s->nv; i++) g->q0[i] = p->place[i] < 0 ? 0 : x->q[p->place[i]];
  return ggl_finish(g);
}

ggl *ggl_of_system(const tr_system *sys, const tr_state *x) {
  if (!sys->flat || sys->nevent > 0 || sys->nreaction > 0) return NULL;
  ggl *g = calloc(1, sizeof *g);
  pieces *p = calloc(1, sizeof *p);
  if (!g || !p) {
    free(g), free(p);
    return NULL;
  }
  p->sys = sys, g->data = p;
  if (!fill(g, p, sys, x)) return g;
  ggl_of_system_free(g);
  return NULL;
}

void ggl_of_system_free(ggl *g) {
  if (!g) return;
  pieces *p = g->data;
  if (p->work) tr_work_free(p->work);
  free(p->mem), free(p->mass), free(p->q);
  free(p->stiff), free(p->rates), free(p->ahead), free(p->behind);
  free(p->place), free(p->equation), free(p->number), free(p->left_out);
  ggl_free(g);
}
