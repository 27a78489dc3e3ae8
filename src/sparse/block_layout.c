// SPDX-License-Identifier: Apache-2.0
// Where everything goes: products of nodes, entries of the matrix. Places are taken from that of the node, or of the
// first entry of the column, so that what looks alike is the same list.
#include "block_layout.h"

#include "base/lists.h"

void tr_layout_runs(const layout *b, plan_node *node, const int *row) {
  const int *owner = b->owner;
  plan_run *run = b->run + node->run;
  node->runs = 0;
  for (int k = 0; k < (node->lanes ? node->rows / node->width : node->rows); k++) {
    int i = row[k];
    plan_run *last = run + node->runs - 1;
    if (!node->lanes && node->runs > 0 && last->first + last->size == i && last->owner == owner[i])
      last->size++;
    else
      run[node->runs++] = (plan_run){i, node->lanes ? node->width : 1, k, owner[i]};
  }
  node->uniform = node->runs > 0 ? run[0].size : 0;
  for (int k = 1; k < node->runs; k++)
    if (run[k].size != node->uniform) node->uniform = 0;
}

static int offset_L(const plan_node *s) {
  return s->at + (s->lanes ? s->width : s->width * s->width);
}
static int offset_U(const plan_node *s) {
  return offset_L(s) + (s->lanes ? s->runs : s->rows) * s->width;
}

// Place of row i among the rows of node s: i is one of them.
static int find_row(const layout *b, const plan_node *s, int i) {
  const plan_run *run = b->run + s->run;
  int lo = 0, hi = s->runs - 1;
  while (lo < hi) {
    int mid = (lo + hi + 1) / 2;
    if (run[mid].first <= i)
      lo = mid;
    else
      hi = mid - 1;
  }
  return run[lo].row + i - run[lo].first;
}

// Where entry (i, j) goes; plain nodes only for what is not on the diagonal of lanes.
static int find_number(const layout *b, int i, int j) {
  const int *owner = b->owner;
  int first = i < j ? i : j, other = i < j ? j : i;
  const plan_node *s = &b->node[owner[first]];
  int k = first - s->first;
  if (s->lanes) {
    if (other == first) return s->at + k;
    int r = 0;
    while (b->run[s->run + r].first + k != other) r++;
    return (i < j ? offset_U(s) : offset_L(s)) + r * s->width + k;
  }
  if (owner[other] == owner[first]) return s->at + (i - s->first) * s->width + j - s->first;
  int row = find_row(b, s, other);
  return i < j ? offset_U(s) + k * s->rows + row : offset_L(s) + row * s->width + k;
}

static block_shape find_shape(const layout *b, const plan_node *n) {
  const plan_run *run = b->run + n->run;
  int one = n->runs > 0 ? run[0].size : 0, two = n->runs > 1 ? run[1].size : 0;
#define SHAPE(w, first, second)                                                          \
  if (!n->lanes && n->width == (w) && n->runs <= 2 && one == (first) && two == (second)) \
    return BLOCK_##w##_##first##_##second;
#define LANE(w, number) \
  if (n->lanes && n->width == (w) && n->runs == (number)) return BLOCK_LANES_##w##_##number;
  BLOCK_SHAPES(SHAPE)
  BLOCK_LANES(LANE)
#undef SHAPE
#undef LANE
  return BLOCK_OTHER;
}

// The list that is a block_kind.
static void push_kind(const layout *b, const plan_node *node, tr_lists *l) {
  const plan_run *run = b->run + node->run;
  int head[] = {node->width,   node->rows,  node->runs,
                node->uniform, node->lanes, (int)find_shape(b, node)};
  for (int i = 0; i < 6; i++) tr_lists_push(l, head[i]);
  for (int i = 0; i < node->runs; i++) {
    tr_lists_push(l, run[i].first - node->first);
    tr_lists_push(l, run[i].size);
    tr_lists_push(l, run[i].row);
  }
  for (int i = 0; i < node->runs; i++)
    for (int j = 0; j < node->runs; j++) {
      const plan_node *to = &b->node[run[i < j ? i : j].owner];
      bool right = i < j && run[i].owner != run[j].owner; // in U
      int step = right ? to->rows : to->width;
      if (node->lanes) step = to->lanes ? 1 : step + 1;
      tr_lists_push(l, find_number(b, run[i].first, run[j].first) - node->at);
      tr_lists_push(l, step);
    }
}
_Static_assert(sizeof(block_kind) == 6 * sizeof(int) && sizeof(block_run) == 3 * sizeof(int) &&
                   sizeof(block_target) == 2 * sizeof(int),
               "kinds are lists of int");

tr_status tr_layout_kinds(tr_arena *ar, const layout *plan, tr_blocks *b) {
  size_t most = 0;
  for (int s = 0; s < plan->nodes; s++)
    most += 2 * (size_t)plan->node[s].runs * ((size_t)plan->node[s].runs + 4);
  b->nodes = plan->nodes;
  b->node = TR_BUSY(ar, plan->nodes, block_node);
  if (!b->node || most > 1u << 30) return TR_NO_MEMORY;
  tr_lists kinds = {.al = ar->al};
  for (int s = 0; s < plan->nodes; s++) {
    const plan_node *node = &plan->node[s];
    int first = kinds.length;
    push_kind(plan, node, &kinds);
    b->node[s] = (block_node){node->first, node->at, tr_lists_share(&kinds, first)};
  }
  b->kind = tr_lists_keep(&kinds, ar);
  return b->kind ? TR_OK : TR_NO_MEMORY;
}

tr_status tr_layout_columns(tr_arena *ar, const tr_pattern *p, const layout *plan, int *place,
                            tr_blocks *b) {
  int *column = TR_NEW(ar, 2 * (size_t)p->n, int);
  tr_lists offsets = {.al = ar->al};
  if (!column) return TR_NO_MEMORY;
  for (int k = 0; k < b->n; k++) place[b->order[k]] = k;
  for (int j = 0; j < p->n; j++) {
    int list = offsets.length;
    for (int s = p->column[j]; s < p->column[j + 1]; s++) {
      int at = find_number(plan, place[p->row[s]], place[j]);
      if (s == p->column[j]) column[2 * j] = at;
      tr_lists_push(&offsets, at - column[2 * j]);
    }
    column[2 * j + 1] = tr_lists_share(&offsets, list);
  }
  b->column = column;
  b->offsets = tr_lists_keep(&offsets, ar);
  return b->offsets ? TR_OK : TR_NO_MEMORY;
}

enum { SHARES = (BLOCK_PARTS_MAX - 4) / 2 }; // two parts that are neighbours have more than one

// Subtrees next to each other make a part until it has its share of the work; from (nodes): of the draft.
tr_status tr_layout_parts(tr_arena *ar, const layout *plan, const tree_cut *cut, const int *from,
                          tr_blocks *b) {
  int *part = TR_NEW(ar, BLOCK_PARTS_MAX + 1, int), *bridge = NULL, root = -1, s = 0;
  int *first = TR_NEW(ar, BLOCK_PARTS_MAX + 1, int);
  double work = 0, share = cut->total / SHARES;
  if (!part || !first) return TR_NO_MEMORY;
  for (; s < plan->nodes && cut->root[from[s]] >= 0; s++) {
    if (cut->root[from[s]] == root) continue;
    root = cut->root[from[s]];
    if (work == 0 || work + cut->below[root] > share) part[b->parts++] = s, work = 0;
    work += cut->below[root];
  }
  part[b->parts] = s;
  b->part = part;
  b->top = s < plan->nodes ? plan->node[s].first : b->n;
  for (int fill = 0; fill < 2; fill++) {
    int bridges = 0;
    for (int p = 0; p < b->parts; p++) {
      first[p] = bridges;
      for (int k = part[p]; k < part[p + 1]; k++) {
        const plan_run *run = plan->run + plan->node[k].run;
        if (plan->node[k].runs == 0 || run[plan->node[k].runs - 1].first < b->top) continue;
        if (fill) bridge[bridges] = k;
        bridges++;
      }
    }
    first[b->parts] = bridges;
    if (!fill && !(bridge = TR_NEW(ar, bridges, int))) return TR_NO_MEMORY;
  }
  b->bridge = bridge, b->first_bridge = first;
  return TR_OK;
}
