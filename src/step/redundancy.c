// SPDX-License-Identifier: Apache-2.0
// The rank of G by elimination of its rows, scaled to length 1, in the order of the model, joints that events
// lock after all others: a row of which nothing larger than RANK_TOL is left repeats rows before it. The
// order makes the messages natural: the later joint is the redundant one. G is sparse, and so is the work.
//
// Rows that hold well in one position may hold next to nothing in another, where those left out would do better: the
// angle of a crank is not told by the height of its end where it stands upright, but where it lies. So with a choice
// that is to be kept where it is good enough, rows come in turns: those of which at least level_1 is left, the preferred
// before the others, then level_2 .. A preferred row gives way to one of which ten times as much is left, more or less.
#include "redundancy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"

static const double RANK_TOL = 1e-7, MOST_WORK = 3e9;
enum { MOST_LINES = 20, LEVELS = 5 };
static const double level[LEVELS] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5};

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

// An elimination under way: the rows as they come, some of them more than once.
typedef struct trial {
  tr_work *w;
  tr_echelon *e;
  int *column; // (max_rows) a row
  double *value;
  int *block;      // (nc) of each row
  double *length;  // (nc)
  bool *depends;   // (nc)
  int tries, *row; // what was tried, in turn
} trial;

static tr_status try_row(trial *t, int row, double tol) {
  sys_block b;
  tr_block(t->w->sys, t->block[row], &b);
  const double *rows = tr_block_rows(t->w, t->block[row]);
  t->length[row] = scaled_row(rows, &b, row - b.row, t->column, t->value);
  t->row[t->tries++] = row;
  return tr_echelon_add(t->e, b.width, t->column, t->value, tol, &t->depends[row]);
}

// Rows of which at least `left` is left; first those that are preferred, then the others.
static tr_status try_rows(trial *t, const int *order, const bool *preferred, double left) {
  tr_status status = TR_OK;
  for (int others = 0; others < (preferred ? 2 : 1); others++)
    for (int i = 0; i < t->w->sys->nc && status == TR_OK; i++) {
      int row = order[i];
      if (t->depends[row] && (!preferred || preferred[row] == !others))
        status = try_row(t, row, left);
    }
  return status;
}

// Whether there are preferred rows still to be had.
static bool wants(const trial *t, const bool *preferred) {
  for (int i = 0; preferred && i < t->w->sys->nc; i++)
    if (preferred[i] && t->depends[i]) return true;
  return false;
}

static tr_status eliminate(trial *t, double open, const bool *preferred, int *order) {
  const tr_system *s = t->w->sys;
  tr_status status = TR_OK;
  for (int i = 0; i < s->nblock; i++) {
    sys_block b;
    tr_block(s, i, &b);
    for (int r = 0; r < b.rows; r++) t->block[b.row + r] = i;
  }
  order_rows(s, order);
  for (int i = 0; i < s->nc; i++) t->depends[i] = true;
  for (int k = 0; wants(t, preferred) && k < LEVELS && level[k] > open && status == TR_OK; k++)
    status = try_rows(t, order, preferred, level[k]);
  return status == TR_OK ? try_rows(t, order, preferred, fmax(open, RANK_TOL)) : status;
}

// Room for it: some of it is the caller's. Weights are by number of the try.
static tr_status make_trial(tr_work *w, tr_arena *ar, double *length, bool *depends, trial *t) {
  const tr_system *s = w->sys;
  *t = (trial){.w = w, .length = length, .depends = depends};
  t->column = TR_NEW(ar, s->max_rows, int);
  t->value = TR_NEW(ar, s->max_rows, double);
  t->block = TR_NEW(ar, s->nc, int);
  t->row = TR_NEW(ar, (LEVELS + 1) * s->nc, int);
  if (!t->column || !t->value || !t->block || !t->row) return TR_NO_MEMORY;
  return tr_echelon_new(s->al, s->nv, MOST_WORK, &t->e);
}

tr_status tr_eliminate_constraints(tr_work *w, double open, tr_echelon **out, double *length,
                                   bool *depends) {
  tr_arena own = tr_arena_make(w->sys->al);
  trial t = {0};
  int *order = TR_NEW(&own, w->sys->nc, int);
  tr_status status = order ? make_trial(w, &own, length, depends, &t) : TR_NO_MEMORY;
  if (status == TR_OK) status = eliminate(&t, open, NULL, order);
  if (status != TR_OK) tr_echelon_free(t.e);
  *out = status == TR_OK ? t.e : NULL;
  tr_arena_free(&own);
  return status;
}

// The weights of the k-th redundant row, tried at last as the at-th, undoing the scaling, where they are
// not round-off, in the order in which their rows were tried. of, weight: room for as many as the rank.
static tr_status note_weights(tr_arena *ar, const trial *t, int at, int k, int *of, double *weight,
                              tr_redundancy *r) {
  int row = t->row[at], all = tr_echelon_weights(t->e, at, of, weight), n = 0;
  for (int i = 0; i < all; i++) n += fabs(weight[i]) > 1e-9;
  tr_sources *to = &r->source[k];
  to->row = TR_NEW(ar, n, int);
  to->weight = TR_NEW(ar, n, double);
  if (!to->row || !to->weight) return TR_NO_MEMORY;
  for (int i = all - 1; i >= 0; i--)
    if (fabs(weight[i]) > 1e-9) {
      to->row[to->n] = t->row[of[i]];
      to->weight[to->n++] = weight[i] * t->length[row] / t->length[t->row[of[i]]];
    }
  return TR_OK;
}

// What an elimination has found. room (2 nc), weight (nc) or NULL: rows alone
static tr_status note_redundant(tr_arena *ar, const trial *t, int *room, double *weight,
                                tr_redundancy *out) {
  const tr_system *s = t->w->sys;
  int idle = tr_idle_rows(s, t->w->mem, room); // rows of joints that do not hold repeat nothing
  for (int i = 0; i < idle; i++) t->depends[room[i]] = false;
  for (int i = 0; i < s->nc; i++) out->count += t->depends[i];
  out->rank = s->nc - idle - out->count;
  out->row = TR_NEW(ar, out->count, int);
  out->source = weight ? TR_NEW(ar, out->count, tr_sources) : NULL;
  tr_status status = out->row && (out->source || !weight) ? TR_OK : TR_NO_MEMORY;
  // when each was tried at last
  for (int i = 0; i < s->nc; i++) room[i] = -1;
  for (int i = 0; i < t->tries; i++) room[t->row[i]] = i;
  for (int i = 0, k = 0; i < t->tries && status == TR_OK; i++)
    if (t->depends[t->row[i]] && room[t->row[i]] == i) {
      out->row[k] = t->row[i];
      if (weight) status = note_weights(ar, t, i, k, room + s->nc, weight, out);
      k++;
    }
  return status;
}

static tr_status find(tr_work *w, tr_arena *ar, double open, const bool *preferred, bool weights,
                      tr_redundancy *out) {
  const tr_system *s = w->sys;
  *out = (tr_redundancy){.known = true, .rank = s->nc};
  if (s->nc == 0) return TR_OK;
  tr_arena own = tr_arena_make(ar->al);
  trial t = {0};
  double *length = TR_NEW(&own, s->nc, double);
  double *weight = TR_NEW(&own, s->nc, double);
  bool *depends = TR_NEW(&own, s->nc, bool);
  int *order = TR_NEW(&own, 2 * s->nc, int);
  tr_status status = length && weight && depends && order ? TR_OK : TR_NO_MEMORY;
  if (status == TR_OK) status = make_trial(w, &own, length, depends, &t);
  if (status == TR_OK) status = eliminate(&t, open, preferred, order);
  if (status == TR_OK) status = note_redundant(ar, &t, order, weights ? weight : NULL, out);
  if (status == TR_FAILED) *out = (tr_redundancy){.known = false, .rank = s->nc};
  tr_echelon_free(t.e);
  tr_arena_free(&own);
  return status == TR_FAILED ? TR_OK : status;
}

tr_status tr_find_redundancy(tr_work *w, tr_arena *ar, double open, const bool *preferred,
                             tr_redundancy *out) {
  return find(w, ar, open, preferred, true, out);
}

tr_status tr_find_redundant_rows(tr_work *w, tr_arena *ar, double open, const bool *preferred,
                                 tr_redundancy *out) {
  return find(w, ar, open, preferred, false, out);
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
