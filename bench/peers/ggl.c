// SPDX-License-Identifier: Apache-2.0
// The pattern of the matrix from one emission, and the consistent start.
#include "ggl.h"

#include <klu.h>

static void *room(size_t n, size_t size) { return calloc(n ? n : 1, size); }

typedef struct entry {
  int row, column, index;
} entry;

static int by_column(const void *a, const void *b) {
  const entry *x = a, *y = b;
  return x->column != y->column ? x->column - y->column : x->row - y->row;
}

// Emits once with places, sorts, and gives each emission its slot.
static int find_pattern(ggl *g) {
  double *y = room((size_t)g->n, sizeof *y), *yp = room((size_t)g->n, sizeof *yp);
  entry *e = NULL;
  g->entry_row = room((size_t)g->entries, sizeof *g->entry_row);
  g->entry_column = room((size_t)g->entries, sizeof *g->entry_column);
  g->entry = room((size_t)g->entries, sizeof *g->entry);
  if (!y || !yp || !g->entry_row || !g->entry_column || !g->entry) goto done;
  memcpy(y, g->q0, (size_t)g->nq * sizeof *y);
  g->at = 0;
  g->matrix(g, 0, 1, y, yp);
  g->entries = g->at;
  e = room((size_t)g->entries, sizeof *e);
  g->column = room((size_t)g->n + 1, sizeof *g->column);
  g->row = room((size_t)g->entries, sizeof *g->row);
  g->values = room((size_t)g->entries, sizeof *g->values);
  int *slot = room((size_t)g->entries, sizeof *slot);
  if (!e || !g->column || !g->row || !g->values || !slot) goto done;
  for (int i = 0; i < g->entries; i++) e[i] = (entry){g->entry_row[i], g->entry_column[i], i};
  qsort(e, (size_t)g->entries, sizeof *e, by_column);
  for (int i = 0; i < g->entries; i++) {
    if (i == 0 || e[i].column != e[i - 1].column || e[i].row != e[i - 1].row) {
      g->row[g->nnz++] = e[i].row;
      g->column[e[i].column + 1]++;
    }
    slot[e[i].index] = g->nnz - 1;
  }
  for (int j = 0; j < g->n; j++) g->column[j + 1] += g->column[j];
  g->slot = slot;
done:
  free(y), free(yp), free(e);
  return g->slot ? 0 : 1;
}

ggl *ggl_make(bench_problem problem, int n) {
  ggl *g = room(1, sizeof *g);
  if (!g) return NULL;
  int failed = problem == ANDREWS ? ggl_andrews(g) : ggl_planar(g, problem, n);
  if (!failed && !ggl_finish(g)) return g;
  ggl_free(g);
  return NULL;
}

int ggl_finish(ggl *g) {
  g->n = 2 * (g->nq + g->nc);
  return find_pattern(g);
}

void ggl_free(ggl *g) {
  if (!g) return;
  free(g->q0), free(g->v0), free(g->data);
  free(g->column), free(g->row), free(g->values);
  free(g->slot), free(g->entry_row), free(g->entry_column), free(g->entry);
  free(g);
}

void ggl_evaluate(ggl *g, double t, double cj, const double *y, const double *yp) {
  memset(g->values, 0, (size_t)g->nnz * sizeof *g->values);
  g->at = 0;
  g->matrix(g, t, cj, y, yp);
}

// d/dt (G v) over cj along the motion, by a central difference, into the rows of G v.
static void find_bend(const ggl *g, double cj, const double *y, const double *yp, double *room_y,
                      double *room_r, double *r) {
  const double eps = 1e-6;
  int nq = g->nq, nc = g->nc;
  memset(r + 2 * nq, 0, (size_t)nc * sizeof *r);
  for (int side = -1; side <= 1; side += 2) {
    double h = side * eps;
    memcpy(room_y, y, (size_t)g->n * sizeof *y);
    for (int i = 0; i < nq; i++) room_y[i] += h * y[nq + i], room_y[nq + i] += h * yp[nq + i];
    g->residual(g, h, room_y, yp, room_r);
    for (int i = 0; i < nc; i++) r[2 * nq + i] += room_r[2 * nq + i] / (2 * h * cj);
  }
}

// With q' = v, mu = 0 the rest is linear in (v', lam): M v' + G' lam = f, d/dt (G v) = 0. The matrix of a
// very short step, cj large, holds it up to O(1/cj), which repetition removes.
int ggl_start(ggl *g, double *y, double *yp) {
  const double cj = 1e6;
  int nq = g->nq, nc = g->nc, n = g->n, failed = 1;
  double *r = room(3 * (size_t)n, sizeof *r);
  klu_common common;
  klu_defaults(&common);
  klu_symbolic *symbolic = klu_analyze(n, g->column, g->row, &common);
  klu_numeric *numeric = NULL;
  memset(y, 0, (size_t)n * sizeof *y), memset(yp, 0, (size_t)n * sizeof *yp);
  memcpy(y, g->q0, (size_t)nq * sizeof *y), memcpy(y + nq, g->v0, (size_t)nq * sizeof *y);
  memcpy(yp, g->v0, (size_t)nq * sizeof *yp);
  if (!r || !symbolic) goto done;
  ggl_evaluate(g, 0, cj, y, yp);
  if (!(numeric = klu_factor(g->column, g->row, g->values, symbolic, &common))) goto done;
  for (int pass = 0; pass < 20; pass++) {
    g->residual(g, 0, y, yp, r);
    find_bend(g, cj, y, yp, r + n, r + 2 * n, r);
    memset(r, 0, (size_t)nq * sizeof *r);
    memset(r + 2 * nq + nc, 0, (size_t)nc * sizeof *r);
    if (!klu_solve(symbolic, numeric, n, 1, r, &common)) goto done;
    for (int i = 0; i < nq; i++) yp[nq + i] -= cj * r[nq + i];
    for (int i = 0; i < nc; i++) y[2 * nq + i] -= r[2 * nq + i];
  }
  failed = 0;
done:
  if (numeric) klu_free_numeric(&numeric, &common);
  if (symbolic) klu_free_symbolic(&symbolic, &common);
  free(r);
  return failed;
}
