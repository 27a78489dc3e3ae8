// SPDX-License-Identifier: Apache-2.0
// Degrees of freedom by the rank of G, consistency, and what each element contributes.
//
// Rank: Householder QR of the rows of G, scaled to length 1, with pivoting; a pivot below
// RANK_TOL of the first counts as zero. Beyond DENSE_ROWS rows the KKT factorisation decides instead:
// if it exists, the rank is full.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/vector.h"
#include "step/start.h"

static const double RANK_TOL = 1e-9;
enum { DENSE_ROWS = 1500 };

// Rank of A (rows x columns, row-major, destroyed): orthogonalise rows, the longest rest first.
static int rank_of(double *A, int rows, int columns) {
  int rank = 0;
  for (int k = 0; k < rows; k++) {
    int best = k;
    double most = -1;
    for (int i = k; i < rows; i++) {
      double s = 0;
      for (int j = 0; j < columns; j++)
        s += A[(size_t)i * columns + j] * A[(size_t)i * columns + j];
      if (s > most) most = s, best = i;
    }
    double length = sqrt(most);
    if (!(length > RANK_TOL)) break;
    double *p = A + (size_t)k * columns, *b = A + (size_t)best * columns;
    for (int j = 0; j < columns; j++) {
      double x = p[j];
      p[j] = b[j] / length;
      if (best != k) b[j] = x;
    }
    for (int i = k + 1; i < rows; i++) {
      double *r = A + (size_t)i * columns, dot = 0;
      for (int j = 0; j < columns; j++) dot += p[j] * r[j];
      for (int j = 0; j < columns; j++) r[j] -= dot * p[j];
    }
    rank++;
  }
  return rank;
}

// Row-major dense G with rows of length 1.
static void dense_rows(const tr_work *w, double *A) {
  const tr_system *s = w->sys;
  memset(A, 0, (size_t)s->nc * (size_t)s->nv * sizeof *A);
  for (int i = 0; i < s->nblock; i++) {
    const sys_block *b = &s->block[i];
    const double *G = w->G + b->G;
    for (int r = 0; r < b->rows; r++) {
      double *row = A + (size_t)(b->row + r) * (size_t)s->nv, sum = 0;
      for (int k = 0; k < b->count; k++)
        for (int c = 0; c < b->nv[k]; c++) row[b->v[k] + c] += *G++;
      for (int j = 0; j < s->nv; j++) sum += row[j] * row[j];
      if (sum > 0)
        for (int j = 0; j < s->nv; j++) row[j] /= sqrt(sum);
    }
  }
}

static tr_status find_rank(tr_work *w, const tr_state *x, int *rank, tr_error *error) {
  const tr_system *s = w->sys;
  if (s->nc <= DENSE_ROWS) {
    double *A = tr_resize(s->al, NULL, (size_t)s->nc * (size_t)s->nv * sizeof *A + 1);
    if (!A) return tr_no_memory(error);
    tr_kinematics(w, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
    tr_jacobian(w);
    dense_rows(w, A);
    *rank = rank_of(A, s->nc, s->nv);
    tr_resize(s->al, A, 0);
    return TR_OK;
  }
  tr_state copy;
  TR_TRY(tr_state_new(s, &copy, error));
  tr_state_copy(&copy, x);
  tr_status status = tr_accelerations(s, &copy, NULL);
  tr_state_free(s, &copy);
  if (status == TR_NO_MEMORY) return tr_no_memory(error);
  *rank = status == TR_OK ? s->nc : -1;
  return TR_OK;
}

tr_status tr_check(const tr_system *s, const tr_state *x, tr_check_info *info, tr_error *error) {
  *info = (tr_check_info){.coordinates = s->nv, .constraints = s->nc, .worst = ""};
  tr_work *w;
  if (tr_work_new(s, &w) != TR_OK) return tr_no_memory(error);
  tr_kinematics(w, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_forces(w, NULL, NULL, w->x);
  info->phi = vec_norm(w->x, s->nc);
  int worst = 0;
  for (int i = 1; i < s->nc; i++)
    if (fabs(w->x[i]) > fabs(w->x[worst])) worst = i;
  const char *kind;
  if (s->nc > 0) info->worst = tr_row_owner(s, worst, &kind);
  tr_jacobian(w);
  tr_G_times(w, x->v, w->x);
  tr_phi_t(w, w->y);
  for (int i = 0; i < s->nc; i++) w->x[i] += w->y[i];
  info->phi_v = vec_norm(w->x, s->nc);
  tr_status status = find_rank(w, x, &info->rank, error);
  info->freedom = info->rank < 0 ? -1 : s->nv - info->rank;
  tr_work_free(w);
  return status;
}

int tr_element_count(const tr_system *s) { return s->nbody + s->njoint + s->nforce; }

tr_status tr_element_describe(const tr_system *s, const tr_state *x, int i, tr_element_info *info) {
  *info = (tr_element_info){.kind = "", .type = "", .name = ""};
  if (i < 0 || i >= tr_element_count(s)) return TR_BAD_INPUT;
  int row = 0;
  if (i < s->nbody) {
    const sys_body *b = &s->body[i];
    *info = (tr_element_info){"body", b->type->name, b->name, b->nv, b->nc, 0};
    row = b->row;
  } else if (i < s->nbody + s->njoint) {
    const sys_joint *j = &s->joint[i - s->nbody];
    *info = (tr_element_info){"joint", j->type->name, j->e.name, 0, j->ops->rows, 0};
    row = j->row;
  } else {
    const sys_force *f = &s->force[i - s->nbody - s->njoint];
    *info = (tr_element_info){"force", f->type->name, f->e.name, 0, 0, 0};
  }
  if (info->constraints == 0 || !x) return TR_OK;
  tr_work *w;
  TR_TRY(tr_work_new(s, &w));
  tr_kinematics(w, x->t, x->q, x->v, x->mem, TR_AT_POSITION);
  tr_forces(w, NULL, NULL, w->x);
  info->phi = vec_norm(w->x + row, info->constraints);
  tr_work_free(w);
  return TR_OK;
}
