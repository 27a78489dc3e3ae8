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
#include "block_cut.h"
#include "block_layout.h"
#include "block_merge.h"
#include "block_order.h"

enum { PART_MAX = 12, TIES_MAX = 48 }; // unknowns of a part that goes first, multipliers at it
enum { DISSECT_MIN = 600 };            // unknowns for which nested dissection is worth a look
enum { LINK_MIN = 300 };               // the same for bodies and joints as wholes
// Multiplications per unknown: nothing to gain by dissection, nor by bodies and joints as wholes.
static const double FLOPS_FEW = 400, FLOPS_LEAST = 30;
static const double FLOPS_MANY = 1e5; // another order is looked at before more are counted
static const double WORTH_IT = 0.9;   // another order is taken for that share of the operations
enum { SHARED_MIN = 2000 };           // unknowns for which several may work at one matrix
static const double SEQUENTIAL = 0.6; // share of the time of one that four need: too much
static const double TWIST_COST = 1.01;
static const double WORTH_BOLD = 0.1; // the same for one that may need KLU in some positions
typedef enum order_kind { DEGREE, LINKAGE, BOLD_LINKAGE, DISSECTION } order_kind;

typedef struct graph {
  int n;
  int *first, *to; // neighbours of i: to[first[i]] .. to[first[i + 1] - 1], ascending, each once
} graph;

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

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
    if (d->flops > d->most) return TR_FAILED;
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
  ordering o;
  graph r;
  int parts, *first;      // unknowns of the parts, in their order
  int *old, *wish, *room; // (n), (n), (4 n)
  const bool *late;       // (n) unknowns that are to go last, or NULL
  double least;           // operations of the best order so far
  int best, last;         // that one; the one whose nodes are in the draft, or -1
} choice;

// An order and its nodes. TR_FAILED: there is none of this kind.
static tr_status try_order(tr_arena *ar, choice *c, order_kind kind, draft *d) {
  const graph *g = c->o.g;
  memcpy(c->o.order, c->first, (size_t)c->parts * sizeof *c->first);
  c->o.placed = c->parts, c->last = -1;
  if (kind == LINKAGE || kind == BOLD_LINKAGE) {
    bool bold = kind == BOLD_LINKAGE;
    TR_TRY(tr_group_order(ar, c->p, g->first, g->to, c->late, bold, c->o.order));
  } else {
    int *late = c->late ? c->room : NULL;
    for (int i = 0; late && i < c->r.n; i++) late[i] = c->late[c->old[i]];
    TR_TRY(wish(&c->r, kind, late, c->wish, c->room));
    place_rest(&c->o, c->wish, c->old, c->r.n);
  }
  TR_TRY(draft_nodes(g, c->o.order, c->room, d));
  c->last = kind;
  double worth = kind == BOLD_LINKAGE ? WORTH_BOLD : WORTH_IT;
  if (kind == DEGREE || d->flops < worth * c->least) c->least = d->flops, c->best = kind;
  return TR_OK;
}

// Where the nodes of the draft can be worked on side by side.
static tr_status cut_draft(tr_arena *ar, const draft *d, tree_cut *cut) {
  tr_arena own = tr_arena_make(ar->al);
  int *parent = TR_NEW(&own, d->count, int);
  double *work = TR_NEW(&own, d->count, double);
  for (int s = 0; parent && work && s < d->count; s++) {
    const node_draft *node = &d->node[s];
    parent[s] = node->rows > 0 ? d->of[node->row[0]] : -1;
    for (int k = 1; k <= node->width; k++) work[s] += (double)(node->rows + k) * (node->rows + k);
  }
  tr_status status =
      parent && work ? tr_tree_cut(ar, &own, d->count, parent, work, cut) : TR_NO_MEMORY;
  tr_arena_free(&own);
  return status;
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
static tr_status twist(tr_arena *ar, choice *c, draft *d) {
  tree_cut before, after;
  bool *late = TR_NEW(ar, c->p->n, bool);
  double flops = d->flops;
  if (!late) return TR_NO_MEMORY;
  TR_TRY(cut_draft(ar, d, &before));
  if (before.ideal < SEQUENTIAL) return TR_OK;
  find_middle(d, &before, c->o.order, late);
  c->late = late;
  tr_status status = try_order(ar, c, (order_kind)c->best, d);
  if (status == TR_OK) status = cut_draft(ar, d, &after);
  if (status != TR_OK && status != TR_FAILED) return status;
  if (status == TR_OK && d->flops <= TWIST_COST * flops && after.ideal < WORTH_IT * before.ideal)
    return TR_OK;
  c->late = NULL;
  return try_order(ar, c, (order_kind)c->best, d);
}

// The best of four orders, and its nodes.
static tr_status choose_order(tr_arena *ar, const tr_pattern *p, const graph *g, int *order,
                              draft *d, tr_blocks *b) {
  size_t n = (size_t)p->n;
  int *room = TR_NEW(ar, 11 * n, int), *cliques = NULL, length = 0;
  if (!room) return TR_NO_MEMORY;
  choice c = {.p = p, .old = room, .wish = room + n, .room = room + 2 * n};
  c.o = (ordering){.g = g, .leading = p->leading, .order = order};
  c.o.part = room + 6 * n, c.o.list = room + 7 * n, c.o.mark = room + 9 * n;
  tr_status status = place_parts(&c.o, ar->al, &cliques, &length);
  if (status == TR_OK)
    status = remainder_graph(ar, &c.o, cliques, length, room + 10 * n, c.old, &c.r);
  tr_resize(ar->al, cliques, 0);
  TR_TRY(status);
  c.parts = c.o.placed, c.first = room + 10 * n;
  memcpy(c.first, order, (size_t)c.parts * sizeof *order);
  bool linked = p->groups && p->n >= LINK_MIN;
  d->most = linked ? FLOPS_MANY * (double)n : INFINITY, c.least = INFINITY;
  status = try_order(ar, &c, DEGREE, d);
  d->most = INFINITY;
  if (linked && status != TR_NO_MEMORY && c.least > FLOPS_LEAST * (double)n)
    status = try_order(ar, &c, LINKAGE, d);
  if (status == TR_NO_MEMORY) return status;
  if (c.least == INFINITY) TR_TRY(try_order(ar, &c, DEGREE, d));
  if (c.r.n >= DISSECT_MIN && c.least > FLOPS_FEW * (double)n)
    TR_TRY(try_order(ar, &c, DISSECTION, d));
  if (linked && c.least > FLOPS_FEW * (double)n) status = try_order(ar, &c, BOLD_LINKAGE, d);
  if (status == TR_NO_MEMORY) return status;
  b->measured = c.best != DEGREE, b->bold = c.best == BOLD_LINKAGE;
  if (c.last != c.best) TR_TRY(try_order(ar, &c, (order_kind)c.best, d));
  return p->n >= SHARED_MIN && c.best != DISSECTION ? twist(ar, &c, d) : TR_OK;
}

// The order of another pattern, in which this one has a block for every entry: m^3 times its operations. None that is
// found here could be better, and bodies and joints are known there.
static tr_status expand_order(tr_arena *ar, const tr_pattern *p, const graph *g, int *order,
                              draft *d, tr_blocks *b) {
  const tr_blocks *like = p->like;
  int m = p->n / like->n, *room = TR_NEW(ar, 4 * (size_t)p->n, int);
  if (!room) return TR_NO_MEMORY;
  for (int i = 0; i < p->n; i++) order[i] = m * like->order[i / m] + i % m;
  b->measured = like->measured, b->bold = like->bold;
  d->most = INFINITY;
  return draft_nodes(g, order, room, d);
}

// ---- layout ---------------------------------------------------------------------------------------

// Nodes in postorder: new[s] is the place of draft s. Of the children those with children come first, the last
// one of them foremost: along a chain a node then stands near its parent, always in the same way. room (2 n).
static void postorder(const draft *d, int *new, int *room) {
  int *child = room, *sibling = room + d->count, roots = -1, next = 0;
  for (int s = 0; s < d->count; s++) child[s] = -1, new[s] = 0;
  for (int s = 0; s < d->count; s++)
    if (d->node[s].rows > 0) new[d->of[d->node[s].row[0]]] = 1; // has children
  for (int inner = 0; inner < 2; inner++)
    for (int k = 0; k < d->count; k++) {
      int s = inner ? k : d->count - 1 - k;
      if (new[s] != inner) continue;
      int parent = d->node[s].rows > 0 ? d->of[d->node[s].row[0]] : -1;
      int *head = parent < 0 ? &roots : &child[parent];
      sibling[s] = *head, *head = s;
    }
  // down to the first leaf, up over finished ones; `new` holds the way back meanwhile
  for (int s = roots, up = -1; s >= 0;) {
    if (child[s] >= 0) {
      int down = child[s];
      child[s] = -1;
      new[s] = up, up = s, s = down;
      continue;
    }
    int back = up;
    new[s] = next++;
    if (sibling[s] >= 0) {
      s = sibling[s];
    } else {
      s = back;
      if (s >= 0) up = new[s];
    }
  }
}

// Subtrees go in the order of the unknowns that they begin with, so that whoever evaluates the first bodies also
// eliminates them; the top comes behind all. new: the postorder.
// tree (nodes): of each the first of its unknowns, and where it begins in postorder.
static void sort_subtrees(const draft *d, const tree_cut *cut, const int *order, int *sorted,
                          int (*tree)[2], int *new) {
  int trees = 0, at = 0;
  for (int s = 0; s < d->count; s++) sorted[new[s]] = s;
  for (int k = 0, last = -1; k < d->count; k++) {
    const node_draft *node = &d->node[sorted[k]];
    if (cut->root[sorted[k]] < 0) continue;
    if (cut->root[sorted[k]] != last) tree[trees][0] = d->n, tree[trees++][1] = k;
    last = cut->root[sorted[k]];
    for (int i = node->first; i < node->first + node->width; i++)
      if (order[i] < tree[trees - 1][0]) tree[trees - 1][0] = order[i];
  }
  qsort(tree, (size_t)trees, sizeof *tree, by_number);
  for (int t = 0; t < trees; t++)
    for (int k = tree[t][1], root = cut->root[sorted[k]];
         k < d->count && cut->root[sorted[k]] == root; k++)
      new[sorted[k]] = at++;
  for (int k = 0; k < d->count; k++)
    if (cut->root[sorted[k]] < 0) new[sorted[k]] = at++;
}

// Nodes of one pivot that go side by side, row for row, become lanes. How many from s on. at (n): the
// node of the draft that an unknown belongs to.
static int count_lanes(const draft *d, const tree_cut *cut, const int *sorted, int s,
                       const int *at) {
  const node_draft *a = &d->node[sorted[s]];
  int lanes = 1;
  if (a->width != 1 || a->rows == 0) return 1;
  for (; s + lanes < d->count; lanes++) {
    const node_draft *b = &d->node[sorted[s + lanes]];
    if (b->width != 1 || b->rows != a->rows) break;
    if ((cut->root[sorted[s + lanes]] < 0) != (cut->root[sorted[s]] < 0)) break;
    bool same = true;
    for (int k = 0; k < a->rows && same; k++)
      same = b->row[k] == a->row[k] + lanes && at[b->row[k]] == at[a->row[k]] &&
             (k == 0 || b->row[k - 1] < a->row[k]);
    if (!same) break;
  }
  return lanes;
}

// The final numbering: nodes in postorder, in each the unknowns as they came. Brings the rows of the draft
// into it; sorted (nodes), at (n): node of the draft for each unknown. room (4 n).
static tr_status renumber(draft *d, const tree_cut *cut, const int *order, int *final, int *sorted,
                          int *at, int *room) {
  int n = d->n, *new = room, *moved = room + n, next = 0;
  postorder(d, new, room + 2 * n);
  int(*tree)[2] = tr_resize(d->al, NULL, (size_t)d->count * sizeof *tree);
  if (!tree) return TR_NO_MEMORY;
  sort_subtrees(d, cut, order, sorted, tree, new);
  tr_resize(d->al, tree, 0);
  for (int s = 0; s < d->count; s++) sorted[new[s]] = s;
  for (int k = 0; k < n; k++) new[order[k]] = k; // place in the draft's order
  for (int s = 0; s < d->count; s++) {
    const node_draft *node = &d->node[sorted[s]];
    memcpy(final + next, order + node->first, (size_t)node->width * sizeof *final);
    if (!node->sorted) qsort(final + next, (size_t)node->width, sizeof *final, by_number);
    for (int k = 0; k < node->width; k++, next++)
      at[next] = sorted[s], moved[new[final[next]]] = next;
  }
  for (int s = 0; s < d->count; s++) {
    node_draft *node = &d->node[s];
    for (int k = 0; k < node->rows; k++) node->row[k] = moved[node->row[k]];
    qsort(node->row, (size_t)node->rows, sizeof *node->row, by_number);
  }
  return TR_OK;
}

// Nodes, runs and numbering out of the draft; own: for what only the plan needs.
static tr_status lay_out(tr_arena *ar, tr_arena *own, draft *d, const int *order, int *room,
                         layout *plan, tr_blocks *b) {
  tree_cut cut;
  TR_TRY(cut_draft(own, d, &cut));
  for (int s = 0; d->n < SHARED_MIN && s < d->count; s++) cut.root[s] = -1;
  int n = d->n, *sorted = room, *at = room + n, *from = room + 2 * n, *final = TR_NEW(ar, n, int);
  size_t rows = 0, numbers = 0;
  plan->node = TR_NEW(own, d->count, plan_node);
  if (!plan->node || !final) return TR_NO_MEMORY;
  TR_TRY(renumber(d, &cut, order, final, sorted, at, room + 2 * n));
  b->order = final;
  for (int s = 0, lanes, first = 0; s < d->count; s += lanes, plan->nodes++) {
    const node_draft *one = &d->node[sorted[s]];
    plan_node *node = &plan->node[plan->nodes];
    lanes = count_lanes(d, &cut, sorted, s, at);
    *node = (plan_node){.first = first, .lanes = lanes > 1};
    node->width = lanes > 1 ? lanes : one->width;
    node->rows = one->rows * lanes;
    rows += (size_t)one->rows;
    for (int k = 0; k < node->width; k++) plan->owner[first++] = plan->nodes;
    from[plan->nodes] = sorted[s];
  }
  if (!(plan->run = TR_NEW(own, rows, plan_run))) return TR_NO_MEMORY;
  for (int s = 0, run = 0; s < plan->nodes; s++) {
    plan_node *node = &plan->node[s];
    node->run = run;
    tr_layout_runs(plan, node, d->node[from[s]].row);
    run += node->runs;
    node->at = (int)numbers;
    size_t w = (size_t)node->width, m = (size_t)node->rows;
    numbers += node->lanes ? w + 2 * m : w * (w + 2 * m);
    if (numbers > 1u << 30) return TR_NO_MEMORY;
  }
  b->numbers = (int)numbers;
  TR_TRY(tr_layout_parts(ar, plan, &cut, from, b));
  return tr_layout_kinds(ar, plan, b);
}

// The order and its draft; the graph goes again.
static tr_status draft_plan(tr_allocator *al, const tr_pattern *p, int *order, draft *d,
                            tr_blocks *b) {
  graph g;
  tr_arena own = tr_arena_make(al);
  tr_status status = symmetric(&own, p, &g);
  if (status == TR_OK) status = (p->like ? expand_order : choose_order)(&own, p, &g, order, d, b);
  if (status == TR_OK) status = tr_sort_separators(d, p->leading, order);
  if (status == TR_OK) tr_merge_nodes(d, p->leading, order);
  tr_arena_free(&own);
  return status;
}

static tr_status plan(tr_arena *ar, tr_arena *own, const tr_pattern *p, draft *d, tr_blocks *b) {
  size_t n = (size_t)p->n;
  int *order = TR_NEW(own, n, int);
  if (!order) return TR_NO_MEMORY;
  TR_TRY(draft_plan(ar->al, p, order, d, b));
  int *room = TR_NEW(own, 7 * n, int);
  if (!room) return TR_NO_MEMORY;
  b->n = p->n;
  b->flops = d->flops;
  layout laid = {.owner = room};
  TR_TRY(lay_out(ar, own, d, order, room + n, &laid, b));
  return tr_layout_columns(ar, p, &laid, room + n, b);
}

tr_status tr_blocks_plan(tr_arena *ar, const tr_pattern *p, tr_blocks **out) {
  *out = NULL;
  tr_blocks *b = TR_NEW(ar, 1, tr_blocks);
  if (!b) return TR_NO_MEMORY;
  tr_arena own = tr_arena_make(ar->al);
  draft d = {.al = ar->al, .arena = tr_arena_make(ar->al)};
  tr_status status = plan(ar, &own, p, &d, b);
  tr_arena_free(&d.arena);
  tr_arena_free(&own);
  if (status == TR_OK) *out = b;
  return status;
}
