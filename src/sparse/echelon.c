// SPDX-License-Identifier: Apache-2.0
// Gaussian elimination of sparse rows in the order they come, each with its largest entry as pivot.
//
//   row_i = sum_k L_ik P_k + P_i       P_i has nothing in the pivot columns before it
// A row is eliminated by the pivots in ascending order, for P_k may hold columns of later pivots: a heap
// gives the next one. With the largest entry as pivot a multiple of P_k is never larger than the
// entry it removes, so rows do not grow fast, and what is left of a dependent row is small.
//
// A row with a large entry in a column that no row had before is independent as it is, and P_i = row_i: the
// body at the end of a chain costs nothing. Such a P_i may hold columns of pivots before it, and no row before
// it, nor a pivot after it that was eliminated, holds its own. So these come first, the last before the others.
//
// (1) Row i, pivot or not, keeps its L_i; a pivot also its P_i, scaled as it came.
// (2) pivot[column] is the number of the pivot there, or -1; the heap knows pivot k as key k, as -1 - k where
//     its row is as it was.
#include "echelon.h"

#include <math.h>
#include <string.h>

static const double TINY = 1e-14; // dropped: round-off of entries of order 1
static const double LARGE = 0.5;  // of the largest entry of its row: good enough for a pivot

typedef struct entries {
  int n, capacity;
  int *index;
  double *value;
} entries;

typedef struct row_at {
  int first, n; // among the entries of L
  int pivot;    // or -1: depends on others
} row_at;

typedef struct pivot_at {
  int first, n; // among the entries of P
  int column, row;
  bool plain; // the row as it came
  double value;
} pivot_at;

struct tr_echelon {
  tr_arena arena;
  int columns, rows, rank;
  double work, limit;
  entries L, P;
  row_at *row;
  int row_capacity;
  pivot_at *at; // (rank)
  int at_capacity;
  int *pivot;          // (columns)
  double *x;           // (columns) the row under way
  int *used, nused;    // its columns
  bool *seen, *queued; // (columns) column in used; pivot in the heap
  bool *met;           // (columns) in some row
  int *heap, nheap;
  double *m; // (columns) multipliers by pivot, 0 between uses
};

tr_status tr_echelon_new(tr_allocator *al, int columns, double limit, tr_echelon **out) {
  tr_arena ar = tr_arena_make(al);
  size_t n = (size_t)columns + 1;
  tr_echelon *e = TR_NEW(&ar, 1, tr_echelon);
  *out = NULL;
  if (!e) return TR_NO_MEMORY;
  e->pivot = TR_NEW(&ar, n, int);
  e->x = TR_NEW(&ar, n, double);
  e->used = TR_NEW(&ar, n, int);
  e->heap = TR_NEW(&ar, n, int);
  e->seen = TR_NEW(&ar, n, bool);
  e->queued = TR_NEW(&ar, n, bool);
  e->met = TR_NEW(&ar, n, bool);
  e->m = TR_NEW(&ar, n, double);
  if (!e->pivot || !e->x || !e->used || !e->heap || !e->seen || !e->queued || !e->met || !e->m) {
    tr_arena_free(&ar);
    return TR_NO_MEMORY;
  }
  e->columns = columns, e->limit = limit, e->arena = ar;
  tr_echelon_clear(e);
  *out = e;
  return TR_OK;
}

void tr_echelon_clear(tr_echelon *e) {
  for (int j = 0; j < e->columns; j++) e->pivot[j] = -1, e->met[j] = false;
  e->rows = e->rank = e->L.n = e->P.n = 0;
  e->work = 0;
}

static void forget(tr_allocator *al, entries *s) {
  tr_resize(al, s->index, 0);
  tr_resize(al, s->value, 0);
}

void tr_echelon_free(tr_echelon *e) {
  if (!e) return;
  tr_arena arena = e->arena;
  forget(arena.al, &e->L), forget(arena.al, &e->P);
  tr_resize(arena.al, e->row, 0);
  tr_resize(arena.al, e->at, 0);
  tr_arena_free(&arena);
}

static bool append(tr_echelon *e, entries *s, int index, double value) {
  if (s->n == s->capacity) {
    int capacity = s->capacity > 0 ? 2 * s->capacity : 256;
    int *i = tr_resize(e->arena.al, s->index, (size_t)capacity * sizeof *i);
    if (i) s->index = i;
    double *v = i ? tr_resize(e->arena.al, s->value, (size_t)capacity * sizeof *v) : NULL;
    if (!v) return false;
    s->value = v, s->capacity = capacity;
  }
  s->index[s->n] = index, s->value[s->n++] = value;
  return true;
}

// ---- the heap of pivots still to be used ------------------------------------------------------------

static void push_key(tr_echelon *e, int k) {
  int i = e->nheap++;
  for (; i > 0 && e->heap[(i - 1) / 2] > k; i = (i - 1) / 2) e->heap[i] = e->heap[(i - 1) / 2];
  e->heap[i] = k;
}

static int pop_key(tr_echelon *e) {
  int top = e->heap[0], last = e->heap[--e->nheap], i = 0;
  for (int c; (c = 2 * i + 1) < e->nheap; i = c) {
    if (c + 1 < e->nheap && e->heap[c + 1] < e->heap[c]) c++;
    if (e->heap[c] >= last) break;
    e->heap[i] = e->heap[c];
  }
  e->heap[i] = last;
  return top;
}

static void push(tr_echelon *e, int pivot) {
  if (e->queued[pivot]) return;
  e->queued[pivot] = true;
  push_key(e, e->at[pivot].plain ? -1 - pivot : pivot);
}

static int pop(tr_echelon *e) {
  int top = pop_key(e);
  top = top < 0 ? -1 - top : top;
  e->queued[top] = false;
  return top;
}

static void add_to(tr_echelon *e, int column, double value) {
  if (!e->seen[column]) e->seen[column] = true, e->used[e->nused++] = column;
  e->x[column] += value;
  if (e->pivot[column] >= 0) push(e, e->pivot[column]);
}

// ---- rows -------------------------------------------------------------------------------------------

// x by all pivots; the multipliers to L.
static tr_status eliminate(tr_echelon *e) {
  while (e->nheap > 0) {
    const pivot_at p = e->at[pop(e)];
    double f = e->x[p.column] / p.value;
    e->x[p.column] = 0;
    if (fabs(f) < TINY) continue;
    if (!append(e, &e->L, e->pivot[p.column], f)) return TR_NO_MEMORY;
    for (int i = p.first; i < p.first + p.n; i++)
      if (e->P.index[i] != p.column) add_to(e, e->P.index[i], -f * e->P.value[i]);
    e->work += p.n;
    if (e->work > e->limit) return TR_FAILED;
  }
  return TR_OK;
}

// A column for the pivot of the row as it came, or -1; notes its columns as met.
static int find_new_column(tr_echelon *e, int n, const int *column, const double *value) {
  double most = 0;
  int best = -1;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(value[i]));
  for (int i = 0; i < n; i++)
    if (!e->met[column[i]] && fabs(e->x[column[i]]) >= LARGE * most &&
        (best < 0 || fabs(e->x[column[i]]) > fabs(e->x[best])))
      best = column[i];
  for (int i = 0; i < n; i++) e->met[column[i]] |= value[i] != 0;
  return most > 0 ? best : -1;
}

// What is left becomes a pivot row.
static bool keep(tr_echelon *e, int column, bool plain) {
  pivot_at *at = tr_grow(e->arena.al, e->at, e->rank, &e->at_capacity, sizeof *at);
  if (!at) return false;
  e->at = at;
  pivot_at p = {.first = e->P.n, .column = column, .row = e->rows, .value = e->x[column]};
  p.plain = plain;
  for (int i = 0; i < e->nused; i++)
    if (fabs(e->x[e->used[i]]) > TINY && !append(e, &e->P, e->used[i], e->x[e->used[i]]))
      return false;
  p.n = e->P.n - p.first;
  e->at[e->rank] = p;
  e->pivot[column] = e->rank++;
  return true;
}

tr_status tr_echelon_add(tr_echelon *e, int n, const int *column, const double *value, double tol,
                         bool *depends) {
  row_at *row = tr_grow(e->arena.al, e->row, e->rows, &e->row_capacity, sizeof *row);
  if (!row) return TR_NO_MEMORY;
  e->row = row;
  e->row[e->rows] = (row_at){.first = e->L.n, .pivot = -1};
  e->nused = 0;
  for (int i = 0; i < n; i++)
    if (value[i] != 0) add_to(e, column[i], value[i]);
  int fresh = find_new_column(e, n, column, value), best = fresh;
  tr_status status = fresh >= 0 ? TR_OK : eliminate(e);
  while (e->nheap > 0) pop(e);
  for (int i = 0; i < e->nused && fresh < 0; i++) {
    int c = e->used[i];
    if (best < 0 || fabs(e->x[c]) > fabs(e->x[best]) ||
        (fabs(e->x[c]) == fabs(e->x[best]) && c < best))
      best = c;
  }
  *depends = best < 0 || !(fabs(e->x[best]) > tol);
  e->row[e->rows].n = e->L.n - e->row[e->rows].first;
  if (status == TR_OK && !*depends) {
    e->row[e->rows].pivot = e->rank;
    if (!keep(e, best, fresh >= 0)) status = TR_NO_MEMORY;
  }
  for (int i = 0; i < e->nused; i++) e->x[e->used[i]] = 0, e->seen[e->used[i]] = false;
  e->rows++;
  return status;
}

int tr_echelon_rank(const tr_echelon *e) { return e->rank; }
double tr_echelon_work(const tr_echelon *e) { return e->work; }

static void take(tr_echelon *e, int pivot, double m) {
  if (!e->queued[pivot]) e->queued[pivot] = true, push_key(e, -pivot); // the last one first
  e->m[pivot] += m;
}

// row = sum m_k P_k,  P_k = row_k - sum L_kl P_l
int tr_echelon_weights(tr_echelon *e, int row, int *of, double *weight) {
  row_at r = e->row[row];
  int n = 0;
  for (int i = r.first; i < r.first + r.n; i++) take(e, e->L.index[i], e->L.value[i]);
  while (e->nheap > 0) {
    int k = -pop_key(e);
    double c = e->m[k];
    row_at from = e->row[e->at[k].row];
    e->queued[k] = false, e->m[k] = 0;
    if (fabs(c) < TINY) continue;
    of[n] = e->at[k].row, weight[n++] = c;
    for (int i = from.first; i < from.first + from.n; i++)
      take(e, e->L.index[i], -c * e->L.value[i]);
  }
  return n;
}

bool tr_echelon_is_free(const tr_echelon *e, int column) { return e->pivot[column] < 0; }

static void solve_pivot(const tr_echelon *e, const pivot_at *p, double *x) {
  double sum = 0;
  for (int i = p->first; i < p->first + p->n; i++)
    if (e->P.index[i] != p->column) sum += e->P.value[i] * x[e->P.index[i]];
  x[p->column] = -sum / p->value;
}

void tr_echelon_solve(const tr_echelon *e, double *x) {
  for (int k = e->rank - 1; k >= 0; k--)
    if (!e->at[k].plain) solve_pivot(e, &e->at[k], x);
  for (int k = 0; k < e->rank; k++)
    if (e->at[k].plain) solve_pivot(e, &e->at[k], x);
}
