// SPDX-License-Identifier: Apache-2.0
// Residual and matrix from the pieces of the library.
//
// The matrix comes from four of its KKT matrices: K = (M a + G' lam - Q)_q, cj M - Q_v, and two whose
// difference is (G v)_q, on flat coordinates the derivative of G along v. (G' mu)_q is left out: mu
// vanishes with the error of the step.
#include "ggl_trammel.h"

typedef struct pieces {
  const tr_system *sys;
  tr_work *work;
  double *mem, *mass;
  double *stiff, *rates, *ahead, *behind; // (nnz + 1) values of KKT matrices
  double *q;                              // (nq)
} pieces;

static void residual(const ggl *g, const double *y, const double *yp, double *r) {
  const pieces *p = g->data;
  int nq = g->nq, nc = g->nc;
  const double *v = y + nq, *lam = v + nq, *mu = lam + nc;
  double *r_v = r + nq, *rate = r_v + nq, *phi = rate + nc;
  tr_kinematics(p->work, 0, y, v, p->mem, TR_AT_VELOCITY);
  tr_stabilised(p->work, lam, mu, NULL, r_v, phi, rate, r);
  const double *mass = tr_mass_blocks(p->work, p->mass);
  tr_mass_times(p->sys, mass, yp + nq, p->work->x);
  for (int i = 0; i < nq; i++) r[i] += yp[i] - v[i], r_v[i] += p->work->x[i];
}

static void matrix(ggl *g, double cj, const double *y, const double *yp) {
  const pieces *p = g->data;
  const tr_pattern *pattern = &p->sys->pattern;
  int nq = g->nq, nc = g->nc, V = nq, LAM = 2 * nq, MU = LAM + nc;
  const double *v = y + nq, *lam = v + nq;
  double speed = vec_largest(v, nq), eps = speed > 0 ? 1e-6 / speed : 1e-6;
  tr_coefficients only_mass = {.cm = 1};
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < nq; i++) p->q[i] = y[i] + (side ? -eps : eps) * v[i];
    tr_tangent(p->work, 0, p->q, v, p->mem, NULL, NULL, NULL, only_mass,
               side ? p->behind : p->ahead);
  }
  tr_tangent(p->work, 0, y, v, p->mem, yp + nq, lam, NULL, (tr_coefficients){.ck = 1}, p->stiff);
  tr_tangent(p->work, 0, y, v, p->mem, NULL, NULL, NULL, (tr_coefficients){.cm = cj, .cd = 1},
             p->rates);
  for (int i = 0; i < nq; i++) ggl_emit(g, i, i, cj), ggl_emit(g, i, V + i, -1);
  for (int j = 0; j < pattern->n; j++)
    for (int k = pattern->column[j]; k < pattern->column[j + 1]; k++) {
      int i = pattern->row[k];
      if (i < nq && j < nq) {
        ggl_emit(g, V + i, j, p->stiff[k]), ggl_emit(g, V + i, V + j, p->rates[k]);
      } else if (j < nq) {
        ggl_emit(g, MU + i - nq, j, p->rates[k]), ggl_emit(g, LAM + i - nq, V + j, p->rates[k]);
        ggl_emit(g, LAM + i - nq, j, (p->ahead[k] - p->behind[k]) / (2 * eps));
      } else if (i < nq) {
        ggl_emit(g, V + i, LAM + j - nq, p->rates[k]), ggl_emit(g, i, MU + j - nq, p->rates[k]);
      }
    }
}

static double *copy(const double *x, int n) {
  double *p = calloc((size_t)n + 1, sizeof *p);
  if (p && x) memcpy(p, x, (size_t)n * sizeof *p);
  return p;
}

ggl *ggl_of_system(const tr_system *sys, const tr_state *x) {
  if (!sys->flat || sys->rheonomic || sys->nvelocity > 0 || sys->nreaction > 0) return NULL;
  ggl *g = calloc(1, sizeof *g);
  pieces *p = calloc(1, sizeof *p);
  if (!g || !p) {
    free(g), free(p);
    return NULL;
  }
  *p = (pieces){.sys = sys};
  g->data = p;
  g->nq = sys->nv, g->nc = sys->nc;
  g->entries = 2 * sys->nv + 3 * sys->pattern.nnz;
  g->residual = residual, g->matrix = matrix;
  g->q0 = copy(x->q, sys->nv), g->v0 = copy(x->v, sys->nv);
  p->mem = copy(x->mem, sys->nmem), p->mass = copy(NULL, sys->nmass), p->q = copy(NULL, sys->nq);
  p->stiff = copy(NULL, sys->pattern.nnz), p->rates = copy(NULL, sys->pattern.nnz);
  p->ahead = copy(NULL, sys->pattern.nnz), p->behind = copy(NULL, sys->pattern.nnz);
  if (g->q0 && g->v0 && p->mem && p->mass && p->q && p->stiff && p->rates && p->ahead &&
      p->behind && tr_work_new(sys, &p->work) == TR_OK && tr_wrenches_keep(p->work) == TR_OK &&
      !ggl_finish(g))
    return g;
  ggl_of_system_free(g);
  return NULL;
}

void ggl_of_system_free(ggl *g) {
  if (!g) return;
  pieces *p = g->data;
  if (p->work) tr_work_free(p->work);
  free(p->mem), free(p->mass), free(p->q);
  free(p->stiff), free(p->rates), free(p->ahead), free(p->behind);
  ggl_free(g);
}
