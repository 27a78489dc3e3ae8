// SPDX-License-Identifier: Apache-2.0
// The plan of the block LU: order, nodes, where everything goes.
//
// Order: parts of A that hang together (a body's rotation, each coordinate of its place) and are small go
// first; what they leave is a graph of multipliers and of coordinates tied to each other by forces, which
// AMD or nested dissection orders. A multiplier then waits for the last coordinate that it acts on. Or
// bodies and joints go as wholes (block_order.h); whichever costs less.
//
// Structure: column j has the rows of its own entries below j and of its children, the columns whose
// first row is j. If j - 1 is a child and no other row comes in, both are pivots of one node. The nodes
// are then brought into postorder, so that what is needed together lies together.
#include <math.h>
#include <metis.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/amd.h>
#include <suitesparse/camd.h>

#include "block.h"
#include "block_count.h"
#include "block_cut.h"
#include "block_layout.h"
#include "block_merge.h"
#include "block_order.h"
#include "block_tile.h"
#include "block_visit.h"
#include "block_window.h"
#include "by_klu.h"

enum { PART_MAX = 12, TIES_MAX = 48 }; // unknowns of a part that goes first, multipliers at it
enum { DISSECT_MIN = 600 };            // unknowns for which nested dissection is worth a look
enum { LINK_MIN = 300 };               // the same for bodies and joints as wholes
// Multiplications per unknown: nothing to gain by dissection, nor by bodies and joints as wholes.
static const double FLOPS_FEW = 400, FLOPS_LEAST = 30;
static const double FLOPS_RIVAL = 2000; // KLU is asked for its own
static const double WORTH_IT = 0.9;     // another order is taken for that share of the operations
static const double SEQUENTIAL = 0.6;   // share of the time of one that four need: too much
static const double TWIST_COST = 1.01;
static const double WORTH_BOLD = 0.1; // the same for one that may need KLU in some positions
typedef enum order_kind { DEGREE, LINKAGE, BOLD_LINKAGE, DISSECTION } order_kind;

typedef struct graph {
  int n;
  int *first, *to; // neighbours of i: to[first[i]] .. to[first[i + 1] - 1], ascending, each once
} graph;

static int sort_once(int *x, int n) {
  int kept = 0;
  qsort(x, (size_t)n, sizeof *x, by_number);
  for (int i = 0; i < n; i++)
    if (i == 0 || x[i] != x[i - 1]) x[kept++] = x[i];
  return kept;
}

// The pattern and its transpose, without the diagonal.
static tr_status symmetric(tr_arena *ar, const tr_pattern *p, graph *g) {
  *g = (graph){.n = p->n, .first = TR_NEW(ar, p->n + 2, int)};
  if (!g->first || !(g->to = TR_NEW(ar, 2 * (size_t)p->nnz, int))) return TR_NO_MEMORY;
  int *end = g->first + 1;
  for (int j = 0; j < p->n; j++)
    for (int s = p->column[j]; s < p->column[j + 1]; s++)
      if (p->row[s] != j) end[j + 1]++, end[p->row[s] + 1]++;
  for (int j = 0; j < p->n; j++) end[j + 1] += end[j];
  for (int j = 0; j < p->n; j++)
    for (int s = p->column[j]; s < p->column[j + 1]; s++)
      if (p->row[s] != j) g->to[end[j]++] = p->row[s], g->to[end[p->row[s]]++] = j;
  int at = 0;
  for (int j = 0; j < p->n; j++) {
    int from = g->first[j], kept = sort_once(g->to + from, g->first[j + 1] - from);
    memmove(g->to + at, g->to + from, (size_t)kept * sizeof *g->to);
    g->first[j] = at;
    at += kept;
  }
  g->first[p->n] = at;
  return TR_OK;
}

// ---- order ----------------------------------------------------------------------------------------

typedef struct ordering {
  const graph *g;
  int leading;
  int *order, placed; // (n)
  int *part;          // (n) number of the part that went first, -1: it did not
  int *list;          // (n) room
  int *mark;          // (n) room
} ordering;

// The part of A around `start` into list; how many unknowns.
static int find_part(ordering *o, int start, int stamp) {
  int count = 0;
  o->list[count++] = start;
  o->mark[start] = stamp;
  for (int k = 0; k < count; k++) {
    int i = o->list[k];
    for (int e = o->g->first[i]; e < o->g->first[i + 1]; e++) {
      int j = o->g->to[e];
      if (j >= o->leading || o->mark[j] == stamp) continue;
      o->mark[j] = stamp;
      o->list[count++] = j;
    }
  }
  return count;
}

// Multipliers at the part list[0..count-1], into list behind it.
static int find_ties(ordering *o, int count, int stamp) {
  int ties = 0;
  for (int k = 0; k < count; k++)
    for (int e = o->g->first[o->list[k]]; e < o->g->first[o->list[k] + 1]; e++) {
      int j = o->g->to[e];
      if (o->mark[j] == stamp) continue;
      o->mark[j] = stamp;
      o->list[count + ties++] = j;
    }
  return ties;
}

// Small parts go first. For each, its multipliers as one clique: size, members ... in *cliques.
static tr_status place_parts(ordering *o, tr_allocator *al, int **cliques, int *length) {
  int room = 0;
  for (int i = 0; i < o->g->n; i++) o->mark[i] = o->part[i] = -1;
  for (int i = 0; i < o->leading; i++) {
    if (o->mark[i] >= 0) continue;
    int count = find_part(o, i, i);
    if (count > PART_MAX) continue;
    int ties = find_ties(o, count, i);
    if (ties > TIES_MAX) continue;
    qsort(o->list, (size_t)count, sizeof *o->list, by_number);
    for (int k = 0; k < count; k++) {
      o->part[o->list[k]] = i;
      o->order[o->placed++] = o->list[k];
    }
    for (int k = -1; k < ties; k++) {
      int *grown = tr_grow(al, *cliques, *length, &room, sizeof **cliques);
      if (!grown) return TR_NO_MEMORY;
      *cliques = grown;
      grown[(*length)++] = k < 0 ? ties : o->list[count + k];
    }
  }
  return TR_OK;
}

// What is left after the parts went: old edges between what remains, and the cliques.
static tr_status remainder_graph(tr_arena *ar, const ordering *o, const int *cliques, int length,
                                 int *number, int *old, graph *r) {
  const graph *g = o->g;
  *r = (graph){0};
  for (int i = 0; i < g->n; i++)
    if (number[i] = -1, o->part[i] < 0) old[r->n] = i, number[i] = r->n++;
  r->first = TR_NEW(ar, r->n + 2, int);
  if (!r->first) return TR_NO_MEMORY;
  int *end = r->first + 1;
  for (int fill = 0; fill < 2; fill++) {
    for (int k = 0; k < r->n; k++)
      for (int e = g->first[old[k]]; e < g->first[old[k] + 1]; e++) {
        int j = number[g->to[e]];
        if (j >= 0 && fill) r->to[end[k]++] = j;
        if (j >= 0 && !fill) end[k + 1]++;
      }
    for (int at = 0; at < length; at += cliques[at] + 1)
      for (int a = 1; a <= cliques[at]; a++)
        for (int b = 1; b <= cliques[at]; b++) {
          int i = number[cliques[at + a]], j = number[cliques[at + b]];
          if (i != j && fill) r->to[end[i]++] = j;
          if (i != j && !fill) end[i + 1]++;
        }
    if (fill) break;
    for (int k = 0; k < r->n; k++) end[k + 1] += end[k];
    if (!(r->to = TR_NEW(ar, end[r->n], int))) return TR_NO_MEMORY;
  }
  int at = 0;
  for (int j = 0; j < r->n; j++) {
    int from = r->first[j], kept = sort_once(r->to + from, r->first[j + 1] - from);
    memmove(r->to + at, r->to + from, (size_t)kept * sizeof *r->to);
    r->first[j] = at;
    at += kept;
  }
  r->first[r->n] = at;
  return TR_OK;
}

// The rest in the order wished for; multipliers wait until the last of their coordinates has gone.
static void place_rest(ordering *o, const int *wish, const int *old, int rest) {
  const graph *g = o->g;
  int *waits = o->mark; // coordinates still to come; a multiplier whose turn has passed: -1 - them
  for (int i = 0; i < g->n; i++) {
    waits[i] = 0;
    for (int e = g->first[i]; i >= o->leading && e < g->first[i + 1]; e++)
      waits[i] += g->to[e] < o->leading && o->part[g->to[e]] < 0;
  }
  for (int k = 0; k < rest; k++) {
    int i = old[wish[k]];
    if (waits[i] > 0) {
      waits[i] = -1 - waits[i];
      continue;
    }
    o->order[o->placed++] = i;
    for (int e = g->first[i]; i < o->leading && e < g->first[i + 1]; e++) {
      int j = g->to[e];
      if (j < o->leading) continue;
      if (waits[j] > 0)
        waits[j]--;
      else if (++waits[j] == -1)
        o->order[o->placed++] = j;
    }
  }
}

// ---- structure ------------------------------------------------------------------------------------

// Rows of column j from its own entries and its children; into list, unsorted.
static int gather_rows(const graph *g, const int *order, const int *place, const draft *d, int j,
                       int child, int *mark, int *list) {
  int count = 0;
  mark[j] = j;
  for (int e = g->first[order[j]]; e < g->first[order[j] + 1]; e++) {
    int i = place[g->to[e]];
    if (i > j) mark[i] = j, list[count++] = i;
  }
  for (; child >= 0; child = d->node[child].next)
    for (int k = 0; k < d->node[child].rows; k++) {
      int i = d->node[child].row[k];
      if (mark[i] != j) mark[i] = j, list[count++] = i;
    }
  return count;
}

// Nodes of the order. children (n), mark (n), list (n), place (n): room.
static tr_status find_nodes(const graph *g, const int *order, int *room, draft *d) {
  int n = g->n, *children = room, *mark = room + n, *list = room + 2 * n, *place = room + 3 * n;
  d->count = 0, d->flops = 0;
  for (int j = 0; j < n; j++) children[j] = mark[j] = -1, place[order[j]] = j;
  for (int j = 0; j < n; j++) {
    int count = gather_rows(g, order, place, d, j, children[j], mark, list), s = d->count - 1;
    node_draft *last = s >= 0 ? &d->node[s] : NULL;
    bool joins = last && last->rows == count + 1 && last->row[0] == j && last->width < WIDTH_MAX;
    if (joins) {
      last->width++, last->rows--, last->row++;
    } else {
      last = &d->node[s = d->count++];
      *last = (node_draft){.first = j, .width = 1, .rows = count};
      if (!(last->row = TR_NEW(&d->arena, count, int))) return TR_NO_MEMORY;
      memcpy(last->row, list, (size_t)count * sizeof *list);
      qsort(last->row, (size_t)count, sizeof *last->row, by_number);
    }
    d->of[j] = s;
    if (joins) { // it was the child of j, and is of another now: take it off
      int *link = &children[j];
      while (*link != s) link = &d->node[*link].next;
      *link = last->next;
    }
    if (count > 0) last->next = children[last->row[0]], children[last->row[0]] = s;
    d->flops += (double)(count + 1) * (count + 1);
  }
  return TR_OK;
}

static tr_status draft_nodes(const graph *g, const int *order, int *room, draft *d) {
  tr_arena_free(&d->arena);
  d->node = TR_NEW(&d->arena, g->n, node_draft);
  d->of = TR_NEW(&d->arena, g->n, int);
  d->n = g->n;
  return d->node && d->of ? find_nodes(g, order, room, d) : TR_NO_MEMORY;
}

// Wishes for the rest by AMD or nested dissection; late (n) or NULL: 1 for those that are to go last.
static tr_status wish(const graph *r, order_kind kind, int *late, int *out, int *room) {
  if (r->n == 0) return TR_OK;
  if (kind == DEGREE) {
    int status = late ? camd_order(r->n, r->first, r->to, out, NULL, NULL, late)
                      : amd_order(r->n, r->first, r->to, out, NULL, NULL);
    return status == AMD_OUT_OF_MEMORY ? TR_NO_MEMORY : TR_OK;
  }
  idx_t n = r->n, options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  int status = METIS_NodeND(&n, r->first, r->to, NULL, options, out, room);
  return status == METIS_OK ? TR_OK : TR_NO_MEMORY;
}

_Static_assert(sizeof(idx_t) == sizeof(int), "METIS counts in int");

// What the orders are made of: parts that go first in `o`, the graph r of the rest and its old numbers.
typedef struct choice {
  const tr_pattern *p;
  bool small; // there is one order, whose nodes count its operations
  ordering o;
  graph r;
  int parts, *first;      // unknowns of the parts, in their order
  int *old, *wish, *room; // (n), (n), (4 n)
  const bool *late;       // (n) unknowns that are to go last, or NULL
  int *kept;              // (n) the best order so far,
  order_kind best;        // its kind,
  double least;           // its operations
} choice;

// An order and its operations. TR_FAILED: there is none of this kind.
static tr_status find_order(tr_arena *ar, choice *c, order_kind kind, double *flops) {
  const graph *g = c->o.g;
  memcpy(c->o.order, c->first, (size_t)c->parts * sizeof *c->first);
  c->o.placed = c->parts;
  if (kind == LINKAGE || kind == BOLD_LINKAGE) {
    bool bold = kind == BOLD_LINKAGE;
    TR_TRY(tr_group_order(ar, c->p, g->first, g->to, c->late, bold, c->o.order));
  } else {
    int *late = c->late ? c->room : NULL;
    for (int i = 0; late && i < c->r.n; i++) late[i] = c->late[c->old[i]];
    TR_TRY(wish(&c->r, kind, late, c->wish, c->room));
    place_rest(&c->o, c->wish, c->old, c->r.n);
  }
  *flops = 0;
  if (c->small) return TR_OK;
  return tr_count_operations(ar->al, g->n, g->first, g->to, c->o.order, flops);
}

// It is kept if it is worth it.
static tr_status try_order(tr_arena *ar, choice *c, order_kind kind) {
  double flops, worth = kind == BOLD_LINKAGE ? WORTH_BOLD : WORTH_IT;
  tr_status status = find_order(ar, c, kind, &flops);
  if (status == TR_FAILED) return TR_OK;
  TR_TRY(status);
  if (flops >= worth * c->least) return TR_OK;
  c->least = flops, c->best = kind;
  memcpy(c->kept, c->o.order, (size_t)c->p->n * sizeof *c->kept);
  return TR_OK;
}

// What holds the two halves of an elimination together.
static void find_middle(const draft *d, const tree_cut *cut, const int *order, bool *late) {
  int half = 0;
  for (int s = 0; s < d->count; s++)
    if (cut->below[s] <= 0.5 * cut->total && cut->below[s] >= cut->below[half]) half = s;
  for (int k = 0; k < d->node[half].rows; k++) late[order[d->node[half].row[k]]] = true;
}

// An elimination that goes from one end to the other, as that of a chain, goes from both ends to the middle instead, if
// that costs nothing: then two can work at it.
static tr_status twist(tr_arena *ar, choice *c, int *order, draft *d) {
  tree_cut before, after;
  bool *late = TR_NEW(ar, c->p->n, bool);
  double flops;
  if (!late) return TR_NO_MEMORY;
  TR_TRY(tr_cut_draft(ar, d, &before));
  if (before.ideal < SEQUENTIAL) return TR_OK;
  find_middle(d, &before, order, late);
  c->late = late;
  tr_status status = find_order(ar, c, c->best, &flops);
  if (status == TR_FAILED || (status == TR_OK && flops > TWIST_COST * c->least)) return TR_OK;
  if (status == TR_OK) status = draft_nodes(c->o.g, c->o.order, c->room, d);
  if (status == TR_OK) status = tr_cut_draft(ar, d, &after);
  TR_TRY(status);
  if (after.ideal >= WORTH_IT * before.ideal) return draft_nodes(c->o.g, order, c->room, d);
  memcpy(order, c->o.order, (size_t)d->n * sizeof *order);
  return TR_OK;
}

// The best of four orders, order (n).
static tr_status choose_order(tr_arena *ar, choice *c, int *order) {
  const tr_pattern *p = c->p;
  size_t n = (size_t)p->n;
  int *room = TR_NEW(ar, 12 * n, int), *cliques = NULL, length = 0;
  if (!room) return TR_NO_MEMORY;
  c->old = room, c->wish = room + n, c->room = room + 2 * n, c->kept = order;
  c->o.part = room + 6 * n, c->o.list = room + 7 * n, c->o.mark = room + 9 * n;
  c->o.order = room + 11 * n;
  tr_status status = place_parts(&c->o, ar->al, &cliques, &length);
  if (status == TR_OK)
    status = remainder_graph(ar, &c->o, cliques, length, room + 10 * n, c->old, &c->r);
  tr_resize(ar->al, cliques, 0);
  TR_TRY(status);
  c->parts = c->o.placed, c->first = room + 10 * n;
  memcpy(c->first, c->o.order, (size_t)c->parts * sizeof *order);
  bool linked = p->groups && !c->small;
  c->least = INFINITY;
  TR_TRY(try_order(ar, c, DEGREE));
  if (linked && c->least > FLOPS_LEAST * p->n) TR_TRY(try_order(ar, c, LINKAGE));
  if (c->r.n >= DISSECT_MIN && c->least > FLOPS_FEW * p->n) TR_TRY(try_order(ar, c, DISSECTION));
  if (linked && c->least > FLOPS_FEW * p->n) TR_TRY(try_order(ar, c, BOLD_LINKAGE));
  return TR_OK;
}

// The order of another pattern, in which this one has a block for every entry: m^3 times its operations. None that is
// found here could be better, and bodies and joints are known there.
static tr_status expand_order(tr_arena *ar, choice *c, int *order) {
  const tr_pattern *p = c->p;
  int m = p->n / p->like->n;
  if (!(c->room = TR_NEW(ar, 4 * (size_t)p->n, int))) return TR_NO_MEMORY;
  tr_blocks_plain_order(p->like, c->room);
  for (int i = 0; i < p->n; i++) order[i] = m * c->room[i / m] + i % m;
  return tr_count_operations(ar->al, p->n, c->o.g->first, c->o.g->to, order, &c->least);
}

// The order and its draft, unless KLU does better (TR_FAILED); all else goes again.
static tr_status draft_plan(tr_arena *own, const tr_pattern *p, int *order, draft *d,
                            tr_klu_cost *klu, tr_blocks *b) {
  graph g;
  TR_TRY(symmetric(own, p, &g));
  choice c = {.p = p, .o = {.g = &g, .leading = p->leading}};
  c.small = !p->like && p->n < LINK_MIN;
  TR_TRY((p->like ? expand_order : choose_order)(own, &c, order));
  b->measured = p->like ? p->like->measured : c.best != DEGREE;
  b->bold = p->like ? p->like->bold : c.best == BOLD_LINKAGE;
  if (c.small) TR_TRY(draft_nodes(&g, order, c.room, d));
  if (c.small) c.least = d->flops;
  if (c.least > FLOPS_RIVAL * p->n)
    TR_TRY(tr_klu_predict(own->al, p, c.least / TR_BLOCK_SPEED, klu));
  if (klu->flops < c.least / TR_BLOCK_SPEED) return TR_FAILED;
  if (!c.small) TR_TRY(draft_nodes(&g, order, c.room, d));
  if (!p->like && p->n >= SHARED_MIN && c.best != DISSECTION) TR_TRY(twist(own, &c, order, d));
  TR_TRY(tr_sort_separators(d, p->leading, order));
  tr_merge_nodes(d, p->leading, order);
  return TR_OK;
}

static tr_status plan(tr_arena *ar, tr_arena *own, const tr_pattern *p, draft *d, tr_klu_cost *klu,
                      tr_blocks *b) {
  size_t n = (size_t)p->n;
  int *order = TR_NEW(own, n, int);
  if (!order) return TR_NO_MEMORY;
  tr_arena first = tr_arena_make(ar->al);
  tr_status status = draft_plan(&first, p, order, d, klu, b);
  tr_arena_free(&first);
  TR_TRY(status);
  int *room = TR_NEW(own, 7 * n, int);
  if (!room) return TR_NO_MEMORY;
  b->n = p->n;
  b->flops = d->flops;
  layout laid = {.owner = room};
  TR_TRY(tr_lay_out(ar, own, d, order, room + n, &laid, b));
  TR_TRY(tr_find_windows(ar, laid.owner, b));
  TR_TRY(tr_interleave(ar, &laid, room + n, b));
  TR_TRY(tr_find_tiles(ar, b));
  TR_TRY(tr_layout_columns(ar, p, &laid, room + n, b));
  tr_let_leaves_pass(laid.owner, room + n, b);
  return TR_OK;
}

tr_status tr_blocks_plan(tr_arena *ar, const tr_pattern *p, tr_klu_cost *klu, tr_blocks **out) {
  *out = NULL, *klu = (tr_klu_cost){INFINITY, INFINITY};
  tr_blocks *b = TR_NEW(ar, 1, tr_blocks);
  if (!b) return TR_NO_MEMORY;
  tr_arena own = tr_arena_make(ar->al);
  draft d = {.al = ar->al, .arena = tr_arena_make(ar->al)};
  tr_status status = plan(ar, &own, p, &d, klu, b);
  tr_arena_free(&d.arena);
  tr_arena_free(&own);
  if (status == TR_OK) *out = b;
  return status == TR_FAILED ? TR_OK : status;
}
