// SPDX-License-Identifier: Apache-2.0
// The rank of G by orthogonalising its rows, scaled to length 1, in the order of the model: a row that
// leaves less than RANK_TOL repeats rows before it. The order makes the messages natural (the later
// joint is the redundant one); orthogonalising twice keeps it stable.
//
//   row_k = sum_l R_lk q_l over the kept rows l;  for a redundant row r = sum_l r_l q_l the weights c on
//   the kept rows solve R c = r.
// The forces G' lam do not change along n_j = (-c_j on the kept rows, 1 on row j): the multipliers of
// least norm are lam + sum z_j n_j with (N'N) z = -N' lam.
#include "redundancy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double RANK_TOL = 1e-7;
enum { MOST_ROWS = 800 };

// Row i of G, dense, scaled to length 1.
static double dense_row(const tr_work *w, const sys_block *b, int r, double *out) {
  const tr_system *s = w->sys;
  memset(out, 0, (size_t)s->nv * sizeof *out);
  const double *G = w->G + b->G + r * b->width;
  for (int k = 0; k < b->count; k++)
    for (int c = 0; c < b->nv[k]; c++) out[b->v[k] + c] += *G++;
  double length = vec_norm(out, s->nv);
  if (length > 0)
    for (int j = 0; j < s->nv; j++) out[j] /= length;
  return length;
}

typedef struct basis {
  int n, nv, nc;
  double *Q;      // n rows of nv
  double *R;      // nc x nc: column k holds row k in the basis
  double *length; // (nc) of the rows
  int *kept;      // (n) rows behind the basis
} basis;

// Row into the basis or, if nothing is left of it, false; its coordinates into R either way.
static bool add_row(basis *b, int row, double *x) {
  double *r = b->R + (size_t)row * (size_t)b->nc;
  for (int pass = 0; pass < 2; pass++)
    for (int l = 0; l < b->n; l++) {
      const double *q = b->Q + (size_t)l * (size_t)b->nv;
      double dot = 0;
      for (int j = 0; j < b->nv; j++) dot += q[j] * x[j];
      for (int j = 0; j < b->nv; j++) x[j] -= dot * q[j];
      r[l] += dot;
    }
  double rest = vec_norm(x, b->nv);
  if (!(rest > RANK_TOL)) return false;
  r[b->n] = rest;
  double *q = b->Q + (size_t)b->n * (size_t)b->nv;
  for (int j = 0; j < b->nv; j++) q[j] = x[j] / rest;
  b->kept[b->n++] = row;
  return true;
}

// Weights of a redundant row on the kept rows before it, undoing the scaling.
static void find_weights(const basis *b, int n, int row, double *weight) {
  const double *r = b->R + (size_t)row * (size_t)b->nc;
  for (int l = n - 1; l >= 0; l--) {
    double sum = r[l];
    for (int k = l + 1; k < n; k++)
      sum -= b->R[(size_t)b->kept[k] * (size_t)b->nc + (size_t)l] * weight[b->kept[k]];
    weight[b->kept[l]] = sum / b->R[(size_t)b->kept[l] * (size_t)b->nc + (size_t)l];
  }
  for (int k = 0; k < n; k++) {
    double *c = &weight[b->kept[k]];
    *c = fabs(*c) < 1e-9 ? 0 : *c * b->length[row] / b->length[b->kept[k]];
  }
}

tr_status tr_find_redundancy(tr_work *w, tr_arena *ar, tr_redundancy *out) {
  const tr_system *s = w->sys;
  size_t nc = (size_t)s->nc, nv = (size_t)s->nv;
  *out = (tr_redundancy){.known = s->nc <= MOST_ROWS, .rank = s->nc};
  if (!out->known || s->nc == 0) return TR_OK;
  tr_arena own = tr_arena_make(ar->al);
  basis b = {.nv = s->nv, .nc = s->nc};
  size_t most = nc < nv ? nc : nv;
  b.Q = TR_NEW(&own, (most + 1) * nv, double);
  b.R = TR_NEW(&own, nc * nc, double);
  b.length = TR_NEW(&own, nc, double);
  b.kept = TR_NEW(&own, nc, int);
  double *x = TR_NEW(&own, nv, double);
  int *behind = TR_NEW(&own, nc, int); // basis size when a redundant row came
  bool *skip = TR_NEW(&own, nc, bool);
  out->row = TR_NEW(ar, nc, int);
  tr_status status =
      b.Q && b.R && b.length && b.kept && x && behind && skip && out->row ? TR_OK : TR_NO_MEMORY;
  if (status != TR_OK) goto done;
  tr_jacobian(w);
  int idle = tr_idle_rows(s, w->mem, b.kept); // rows that do not hold repeat nothing
  for (int i = 0; i < idle; i++) skip[b.kept[i]] = true;
  for (int i = 0; i < s->nblock; i++)
    for (int r = 0; r < s->block[i].rows; r++) {
      int row = s->block[i].row + r;
      if (skip[row]) continue;
      b.length[row] = dense_row(w, &s->block[i], r, x);
      if (add_row(&b, row, x)) continue;
      behind[out->count] = b.n;
      out->row[out->count++] = row;
    }
  out->rank = b.n;
  out->weight = TR_NEW(ar, (size_t)out->count * nc, double);
  out->room = TR_NEW(ar, (size_t)out->count * (size_t)(out->count + 1), double);
  if (!out->weight || !out->room) status = TR_NO_MEMORY;
  for (int k = 0; status == TR_OK && k < out->count; k++)
    find_weights(&b, behind[k], out->row[k], out->weight + (size_t)k * nc);
done:
  tr_arena_free(&own);
  return status;
}

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int tr_rows_out(const tr_system *s, const double *mem, int n, const int *rows, int *out) {
  int all = tr_idle_rows(s, mem, out);
  for (int i = 0; i < n; i++) out[all++] = rows[i];
  qsort(out, (size_t)all, sizeof *out, by_number);
  for (int i = 0; i < all; i++) out[i] += s->nv;
  return all;
}

// ---- text -----------------------------------------------------------------------------------------

static int rows_of(const tr_system *s, int row) {
  for (int i = 0; i < s->nblock; i++)
    if (row >= s->block[i].row && row < s->block[i].row + s->block[i].rows) return s->block[i].rows;
  return 1;
}

// Names the elements whose rows carry weight in any of the redundant rows from..to; how many.
static int name_sources(const tr_system *s, const tr_redundancy *r, int from, int to,
                        const char *self, tr_text *text) {
  int named = 0, more = 0;
  enum { NAMES = 6 };
  for (int i = 0; i < s->nblock; i++) {
    bool carries = false;
    for (int k = from; k < to && !carries; k++)
      for (int j = 0; j < s->block[i].rows && !carries; j++)
        carries = r->weight[(size_t)k * (size_t)s->nc + (size_t)(s->block[i].row + j)] != 0;
    const char *kind, *name = tr_row_owner(s, s->block[i].row, &kind);
    if (!carries || !strcmp(name, self)) continue;
    if (named++ < NAMES)
      tr_text_add(text, "%s\"%s\"", named > 1 ? ", " : "", name);
    else
      more++;
  }
  if (more > 0) tr_text_add(text, " and %d more", more);
  if (named == 0) tr_text_add(text, "its other rows");
  return named;
}

tr_status tr_redundancy_text(const tr_system *s, const tr_redundancy *r, const char *verb,
                             tr_text *text) {
  for (int k = 0; k < r->count;) {
    const char *kind, *name = tr_row_owner(s, r->row[k], &kind);
    int end = k, all = rows_of(s, r->row[k]);
    for (const char *other; end < r->count; end++)
      if (other = tr_row_owner(s, r->row[end], &kind), strcmp(other, name) != 0) break;
    tr_row_owner(s, r->row[k], &kind);
    if (end - k == all && all == 1)
      tr_text_add(text, "%s \"%s\" %ss what ", kind, name, verb);
    else
      tr_text_add(text, "%s \"%s\": %d of %d rows %s%s what ", kind, name, end - k, all, verb,
                  end - k == 1 ? "s" : "");
    int sources = name_sources(s, r, k, end, name, text);
    tr_text_add(text, " %s\n", sources == 1 ? "says" : "say");
    k = end;
  }
  return text->failed ? TR_NO_MEMORY : TR_OK;
}

// ---- multipliers of least norm --------------------------------------------------------------------

static double n_at(const tr_redundancy *r, int nc, int j, int row) {
  return row == r->row[j] ? 1 : -r->weight[(size_t)j * (size_t)nc + (size_t)row];
}

void tr_least_norm(const tr_redundancy *r, int nc, double *lam) {
  int m = r->count;
  double *A = r->room, *z = r->room + m * m;
  for (int i = 0; i < m; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < nc; k++) sum += n_at(r, nc, i, k) * n_at(r, nc, j, k);
      A[i * m + j] = sum;
    }
    z[i] = 0;
    for (int k = 0; k < nc; k++) z[i] -= n_at(r, nc, i, k) * lam[k];
  }
  // N'N is positive definite: each n_j has its own 1. Cholesky, in place.
  for (int j = 0; j < m; j++)
    for (int i = j; i < m; i++) {
      double sum = A[i * m + j];
      for (int k = 0; k < j; k++) sum -= A[i * m + k] * A[j * m + k];
      A[i * m + j] = i == j ? sqrt(sum) : sum / A[j * m + j];
    }
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < i; k++) z[i] -= A[i * m + k] * z[k];
    z[i] /= A[i * m + i];
  }
  for (int i = m - 1; i >= 0; i--) {
    for (int k = i + 1; k < m; k++) z[i] -= A[k * m + i] * z[k];
    z[i] /= A[i * m + i];
  }
  for (int j = 0; j < m; j++)
    for (int k = 0; k < nc; k++) lam[k] += z[j] * n_at(r, nc, j, k);
}
