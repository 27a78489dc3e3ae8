// SPDX-License-Identifier: Apache-2.0
// The rank of G by elimination of its rows, scaled to length 1, in the order of the model, joints that events
// lock after all others: a row of which nothing larger than RANK_TOL is left repeats rows before it. The
// order makes the messages natural: the later joint is the redundant one. G is sparse, and so is the work.
#include "redundancy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"

static const double RANK_TOL = 1e-7, MOST_WORK = 3e9;
enum { MOST_LINES = 20 };

// Row r of a block, scaled to length 1: its columns and values, `width` of them.
static double scaled_row(const double *rows, const sys_block *b, int r, int *column,
                         double *value) {
  const double *G = rows + r * b->width;
  int n = 0;
  for (int k = 0; k < b->count; k++)
    for (int c = 0; c < b->nv[k]; c++, n++) column[n] = b->v[k] + c, value[n] = G[n];
  double length = vec_norm(value, n);
  for (int i = 0; length > 0 && i < n; i++) value[i] /= length;
  return length;
}

static bool comes_last(const tr_system *s, int block) {
  return block >= s->nown && s->joint[block - s->nown].lock >= 0;
}

// The rows (nc) in the order of the elimination.
static void order_rows(const tr_system *s, int *row) {
  for (int last = 0; last < 2; last++)
    for (int i = 0; i < s->nblock; i++) {
      sys_block b;
      tr_block(s, i, &b);
      for (int r = 0; comes_last(s, i) == last && r < b.rows; r++) *row++ = b.row + r;
    }
}

tr_status tr_eliminate_constraints(tr_work *w, double open, tr_echelon **out, double *length,
                                   bool *depends) {
  const tr_system *s = w->sys;
  tr_arena own = tr_arena_make(s->al);
  int *column = TR_NEW(&own, s->max_rows, int);
  double *value = TR_NEW(&own, s->max_rows, double);
  tr_status status = column && value ? tr_echelon_new(s->al, s->nv, MOST_WORK, out) : TR_NO_MEMORY;
  for (int k = 0; k < 2 * s->nblock && status == TR_OK; k++) {
    int i = k % s->nblock;
    if (comes_last(s, i) != (k >= s->nblock)) continue;
    sys_block b;
    tr_block(s, i, &b);
    const double *rows = tr_block_rows(w, i);
    for (int r = 0; r < b.rows && status == TR_OK; r++) {
      length[b.row + r] = scaled_row(rows, &b, r, column, value);
      status =
          tr_echelon_add(*out, b.width, column, value, fmax(open, RANK_TOL), &depends[b.row + r]);
    }
  }
  tr_arena_free(&own);
  if (status != TR_OK && column && value) tr_echelon_free(*out), *out = NULL;
  return status;
}

// The weights of the k-th redundant row, the at-th of the elimination, undoing the scaling, where they are
// not round-off. order: see order_rows.
static tr_status note_weights(tr_arena *ar, tr_echelon *e, const double *length, const int *order,
                              int at, int k, int nc, double *weight, tr_redundancy *r) {
  int row = order[at], n = 0;
  r->row[k] = row;
  tr_echelon_weights(e, at, weight);
  for (int i = 0; i < nc; i++) n += fabs(weight[i]) > 1e-9;
  tr_sources *to = &r->source[k];
  to->row = TR_NEW(ar, n, int);
  to->weight = TR_NEW(ar, n, double);
  if (!to->row || !to->weight) return TR_NO_MEMORY;
  for (int i = 0; i < nc; i++)
    if (fabs(weight[i]) > 1e-9) {
      to->row[to->n] = order[i];
      to->weight[to->n++] = weight[i] * length[row] / length[order[i]];
    }
  return TR_OK;
}

tr_status tr_find_redundancy(tr_work *w, tr_arena *ar, double open, tr_redundancy *out) {
  const tr_system *s = w->sys;
  *out = (tr_redundancy){.known = true, .rank = s->nc};
  if (s->nc == 0) return TR_OK;
  tr_arena own = tr_arena_make(ar->al);
  tr_echelon *e = NULL;
  double *length = TR_NEW(&own, s->nc, double), *weight = TR_NEW(&own, s->nc, double);
  bool *depends = TR_NEW(&own, s->nc, bool);
  int *rows = TR_NEW(&own, s->nc, int);
  tr_status status = length && weight && depends && rows ? TR_OK : TR_NO_MEMORY;
  if (status == TR_OK) status = tr_eliminate_constraints(w, open, &e, length, depends);
  if (status == TR_FAILED) {
    out->known = false;
    status = TR_OK;
    goto done;
  }
  if (status != TR_OK) goto done;
  int idle = tr_idle_rows(s, w->mem, rows); // rows of joints that do not hold repeat nothing
  for (int i = 0; i < idle; i++) depends[rows[i]] = false;
  for (int i = 0; i < s->nc; i++) out->count += depends[i];
  out->rank = s->nc - idle - out->count;
  out->row = TR_NEW(ar, out->count, int);
  out->source = TR_NEW(ar, out->count, tr_sources);
  if (!out->row || !out->source) status = TR_NO_MEMORY;
  order_rows(s, rows);
  for (int i = 0, k = 0; i < s->nc && status == TR_OK; i++)
    if (depends[rows[i]]) status = note_weights(ar, e, length, rows, i, k++, s->nc, weight, out);
done:
  tr_echelon_free(e);
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
  for (int i = 0; i < s->nblock; i++) {
    sys_block b;
    tr_block(s, i, &b);
    if (row >= b.row && row < b.row + b.rows) return b.rows;
  }
  return 1;
}

// Whether a row of a block carries weight in one of the redundant rows from..to.
static bool carries(const tr_redundancy *r, const sys_block *b, int from, int to) {
  for (int k = from; k < to; k++)
    for (int i = 0; i < r->source[k].n; i++)
      if (r->source[k].row[i] >= b->row && r->source[k].row[i] < b->row + b->rows) return true;
  return false;
}

// Names the elements that do; how many.
static int name_sources(const tr_system *s, const tr_redundancy *r, int from, int to,
                        const char *self, tr_text *text) {
  int named = 0, more = 0;
  enum { NAMES = 6 };
  for (int i = 0; i < s->nblock; i++) {
    sys_block b;
    tr_block(s, i, &b);
    if (!carries(r, &b, from, to)) continue;
    const char *kind, *name = tr_row_owner(s, b.row, &kind);
    if (!strcmp(name, self)) continue;
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
  int lines = 0, rest = 0;
  for (int k = 0; k < r->count;) {
    if (lines++ == MOST_LINES) {
      rest = r->count - k;
      break;
    }
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
  if (rest > 0) tr_text_add(text, "and %d rows more %s others\n", rest, verb);
  return text->failed ? TR_NO_MEMORY : TR_OK;
}
