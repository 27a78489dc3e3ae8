// SPDX-License-Identifier: Apache-2.0
// The order of unknowns within a separator, several nodes whose columns have all its rows. Any order costs the same
// operations, but a node below takes from it in as many pieces as its rows there fall into, and small ones are slow.
//
// Coordinates come first, then multipliers, which have what they wait for. Both are refined by the nodes below, the last
// first, for these are the largest: each class of unknowns falls into those that are rows of the node and the others,
// and the former go to the side where the neighbours are rows too.
//
// (1) A class is a stretch of `item`; only unknowns of separators, numbered as in the draft, have one.
// (2) All refinements together take as much time as the nodes have rows.
#include <stdlib.h>
#include <string.h>

#include "block_merge.h"

enum { SEPARATOR_MIN = WIDTH_MAX + 1 }; // unknowns of a separator whose order matters
enum { FEW = 4 };                       // rows in it that do not
static const double WORTH_IT = 0.8;     // another order is taken for that share of the pieces

typedef struct class {
  int first, end;
  int met;        // how many of it are rows of the node at hand
  int into, from; // the class that they go to, and back; or -1
} class;

typedef struct classes {
  int *item, *of, *place; // (n) unknown at a place; class and place of an unknown
  class *class;           // (n)
  int count;
} classes;

static int add_class(classes *c, int first, int end) {
  c->class[c->count] = (class){first, end, 0, -1, -1};
  return c->count++;
}

static void put(classes *c, int i, int place) { c->item[place] = i, c->place[i] = place; }

static void begin(classes *c, int first, int end, int leading, const int *order) {
  for (int kind = 0, at = first; kind < 2; kind++) {
    int k = add_class(c, at, at);
    for (int i = first; i < end; i++)
      if ((order[i] >= leading) == kind) put(c, i, at++), c->of[i] = k;
    c->class[k].end = at;
  }
}

// Room at an end of class k for those of it that were met. first, end: of the separator.
static void split(classes *c, int k, int first, int end) {
  const class *x = &c->class[k];
  bool before = x->first > first && c->class[c->of[c->item[x->first - 1]]].met > 0;
  bool behind = x->end < end && c->class[c->of[c->item[x->end]]].met > 0;
  int place = behind && !before ? x->end : x->first, new = add_class(c, place, place);
  c->class[new].from = k, c->class[k].into = new;
}

static void move(classes *c, int i) {
  class *x = &c->class[c->of[i]], *to = &c->class[x->into];
  int place = to->end == x->first ? x->first++ : --x->end, from = c->place[i];
  if (place == to->end)
    to->end++;
  else
    to->first--;
  put(c, c->item[place], from);
  put(c, i, place);
  c->of[i] = x->into;
}

// By rows of a node that lie in the separator first .. end - 1.
static void refine(classes *c, int count, const int *row, int first, int end) {
  for (int k = 0; k < count; k++) c->class[c->of[row[k]]].met++;
  for (int k = 0; k < count; k++) {
    const class *x = &c->class[c->of[row[k]]];
    if (x->into < 0 && x->met < x->end - x->first) split(c, c->of[row[k]], first, end);
  }
  for (int k = 0; k < count; k++)
    if (c->class[c->of[row[k]]].into >= 0) move(c, row[k]);
  for (int k = 0; k < count; k++) {
    class *x = &c->class[c->of[row[k]]];
    x->met = 0;
    if (x->from >= 0) c->class[x->from].met = 0, c->class[x->from].into = -1;
    x->from = -1;
  }
}

// Nodes s .. that are one separator: the end of them.
static int find_chain(const draft *d, int s) {
  for (; s + 1 < d->count; s++) {
    const node_draft *a = &d->node[s], *b = a + 1;
    if (a->rows == 0 || a->row[0] != b->first || a->rows != b->width + b->rows) break;
  }
  return s + 1;
}

// How many unknowns are in separators; c not NULL: their first classes, and end (n) of the separator that an unknown
// belongs to, 0: none.
static int find_separators(const draft *d, int leading, const int *order, int *end, classes *c) {
  int count = 0;
  for (int s = 0, next; s < d->count; s = next) {
    next = find_chain(d, s);
    int first = d->node[s].first, last = d->node[next - 1].first + d->node[next - 1].width;
    if (last - first < SEPARATOR_MIN) continue;
    count += last - first;
    if (!c) continue;
    begin(c, first, last, leading, order);
    for (int i = first; i < last; i++) end[i] = last;
  }
  return count;
}

static void refine_all(const draft *d, const int *end, classes *c) {
  for (int s = d->count - 1; s >= 0; s--) {
    const node_draft *node = &d->node[s];
    for (int k = 0, next; k < node->rows; k = next) {
      int stop = end[node->row[k]];
      for (next = k + 1; next < node->rows && end[node->row[next]] == stop;) next++;
      if (stop == 0 || end[node->first] == stop || next - k < FEW) continue;
      int first = stop - 1;
      while (first > 0 && end[first - 1] == stop) first--;
      refine(c, next - k, node->row + k, first, stop);
    }
  }
}

// Rows of a node as the classes say, ascending. In a separator its own nodes have all that follows, as before.
static void move_rows(const node_draft *s, const int *end, const classes *c, int *row) {
  bool moved = false;
  for (int k = 0; k < s->rows; k++) {
    bool other = end[s->row[k]] > 0 && end[s->row[k]] != end[s->first];
    row[k] = other ? c->place[s->row[k]] : s->row[k];
    moved |= other;
  }
  if (moved) qsort(row, (size_t)s->rows, sizeof *row, by_number);
}

// Whether there are fewer pieces then; room (n).
static bool pays(const draft *d, const int *end, const classes *c, int *room) {
  double before = 0, after = 0;
  for (const node_draft *s = d->node; s < d->node + d->count; s++) {
    double runs = tr_count_runs(d, s->rows, s->row);
    before += runs * runs;
    move_rows(s, end, c, room);
    runs = tr_count_runs(d, s->rows, room);
    after += runs * runs;
  }
  return after < WORTH_IT * before;
}

// From the classes to the draft; room (n).
static void renumber(draft *d, const int *end, classes *c, int *order, int *room) {
  for (int k = 0; k < c->count; k++) {
    int first = c->class[k].first, size = c->class[k].end - first;
    qsort(c->item + first, (size_t)size, sizeof *c->item, by_number);
    for (int i = first; i < first + size; i++) c->place[c->item[i]] = i;
  }
  if (!pays(d, end, c, room)) return;
  for (node_draft *s = d->node; s < d->node + d->count; s++) {
    move_rows(s, end, c, s->row);
    s->sorted = end[s->first] > 0;
  }
  memcpy(room, order, (size_t)d->n * sizeof *order);
  for (int i = 0; i < d->n; i++)
    if (end[i] > 0) order[i] = room[c->item[i]];
}

tr_status tr_sort_separators(draft *d, int leading, int *order) {
  size_t n = (size_t)d->n, some = (size_t)find_separators(d, leading, order, NULL, NULL);
  if (some == 0) return TR_OK;
  tr_arena own = tr_arena_make(d->al);
  int *room = TR_NEW(&own, 5 * n, int);
  classes c = {.class = TR_RAW(&own, 2 * some, class)};
  bool enough = room && c.class;
  if (enough) {
    int *end = room + 3 * n;
    c.item = room, c.of = room + n, c.place = room + 2 * n;
    find_separators(d, leading, order, end, &c);
    refine_all(d, end, &c);
    renumber(d, end, &c, order, room + 4 * n);
  }
  tr_arena_free(&own);
  return enough ? TR_OK : TR_NO_MEMORY;
}
