// SPDX-License-Identifier: Apache-2.0
// The cut that takes WORKERS the least time: from the roots on the heaviest subtree gives up its root to the top, again and
// again, and the best of all these cuts is taken. It depends on the tree alone, not on who is there to work.
#include "block_cut.h"

enum { WORKERS = 4 };
static const double TOP_COST = 2; // the top is out of the caches when its turn comes

typedef struct forest {
  int count, *child, *sibling; // (count) first child, next one of the same parent
  const double *work, *below;
  int *heap, heaped; // subtrees, the heaviest first
  double total, top;
} forest;

static bool heavier(const forest *f, int a, int b) {
  return f->below[a] > f->below[b] || (f->below[a] == f->below[b] && a < b);
}

static void push(forest *f, int s) {
  int at = f->heaped++, *heap = f->heap;
  for (; at > 0 && heavier(f, s, heap[(at - 1) / 2]); at = (at - 1) / 2)
    heap[at] = heap[(at - 1) / 2];
  heap[at] = s;
}

static int pop(forest *f) {
  int *heap = f->heap, top = heap[0], last = heap[--f->heaped], at = 0;
  for (int c; (c = 2 * at + 1) < f->heaped; at = c) {
    if (c + 1 < f->heaped && heavier(f, heap[c + 1], heap[c])) c++;
    if (!heavier(f, heap[c], last)) break;
    heap[at] = heap[c];
  }
  heap[at] = last;
  return top;
}

static void start(forest *f, const int *parent) {
  f->heaped = 0, f->top = 0;
  for (int s = 0; s < f->count; s++)
    if (parent[s] < 0) push(f, s);
}

static int split(forest *f) {
  int s = pop(f);
  f->top += f->work[s];
  for (int c = f->child[s]; c >= 0; c = f->sibling[c]) push(f, c);
  return s;
}

// All others together, then the top.
static double time_needed(const forest *f) {
  double shared = (f->total - f->top) / WORKERS, heaviest = f->below[f->heap[0]];
  return TOP_COST * f->top + (heaviest > shared ? heaviest : shared);
}

// How many roots go to the top.
static int best_cut(forest *f, const int *parent, double *ideal) {
  int best = 0;
  start(f, parent);
  *ideal = time_needed(f);
  for (int k = 1; TOP_COST * f->top < *ideal; k++) {
    split(f);
    if (f->heaped == 0) break;
    double time = time_needed(f);
    if (time < *ideal) *ideal = time, best = k;
  }
  return best;
}

// Parents behind their children, -1: none. own: for what is not needed any longer then.
static tr_status cut_tree(tr_arena *ar, tr_arena *own, int count, const int *parent,
                          const double *work, tree_cut *cut) {
  cut->root = TR_NEW(ar, count, int), cut->below = TR_NEW(ar, count, double);
  int *room = TR_NEW(own, 3 * (size_t)count, int);
  if (!cut->root || !cut->below || !room) return TR_NO_MEMORY;
  forest f = {.count = count, .child = room, .sibling = room + count, .heap = room + 2 * count};
  f.work = work, f.below = cut->below;
  for (int s = 0; s < count; s++) f.child[s] = -1, cut->root[s] = s;
  for (int s = 0; s < count; s++) {
    int p = parent[s];
    cut->below[s] += work[s], f.total += work[s];
    if (p < 0) continue;
    cut->below[p] += cut->below[s];
    f.sibling[s] = f.child[p], f.child[p] = s;
  }
  for (int s = 0; s < count; s++)
    if (parent[s] < 0) f.sibling[s] = -1;
  int best = best_cut(&f, parent, &cut->ideal);
  cut->total = f.total, cut->ideal /= f.total;
  start(&f, parent);
  for (int k = 0; k < best; k++) cut->root[split(&f)] = -1;
  for (int s = count - 1; s >= 0; s--)
    if (cut->root[s] >= 0 && parent[s] >= 0 && cut->root[parent[s]] >= 0)
      cut->root[s] = cut->root[parent[s]];
  return TR_OK;
}

tr_status tr_cut_draft(tr_arena *ar, const draft *d, tree_cut *cut) {
  tr_arena own = tr_arena_make(ar->al);
  int *parent = TR_NEW(&own, d->count, int);
  double *work = TR_NEW(&own, d->count, double);
  for (int s = 0; parent && work && s < d->count; s++) {
    const node_draft *node = &d->node[s];
    parent[s] = node->rows > 0 ? d->of[node->row[0]] : -1;
    for (int k = 1; k <= node->width; k++) work[s] += (double)(node->rows + k) * (node->rows + k);
  }
  tr_status status =
      parent && work ? cut_tree(ar, &own, d->count, parent, work, cut) : TR_NO_MEMORY;
  tr_arena_free(&own);
  return status;
}
