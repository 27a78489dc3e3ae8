// SPDX-License-Identifier: Apache-2.0
// Where everything goes: products of nodes, entries of the matrix. Places are taken from that of the node, or of the
// first entry of the column, so that what looks alike is the same list.
#include "block_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/lists.h"
#include "block_cut.h"
#include "block_window.h"

// Runs of a node from its rows: a run ends where the numbering or the owner jumps.
static void find_runs(const layout *b, plan_node *node, const int *row) {
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

// Numbers of D, of L and of U.
static int size_D(const plan_node *s) { return s->lanes ? s->width : s->width * s->width; }
static int size_L(const plan_node *s) { return (s->lanes ? s->runs : s->rows) * s->width; }
static int numbers_of(const plan_node *s) { return size_D(s) + 2 * size_L(s); }

// One after the other.
static void put_at(plan_node *s, int at) {
  s->at = at, s->low = at + size_D(s), s->up = s->low + size_L(s);
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
  return run[lo].row + (i - run[lo].first) / b->node[run[lo].owner].next;
}

// Where entry (i, j) goes; plain nodes only for what is not on the diagonal of lanes.
static int find_number(const layout *b, int i, int j) {
  int first = i < j ? i : j, other = i < j ? j : i;
  const plan_node *s = &b->node[b->owner[first]];
  int k = (first - s->first) / s->next, w = s->width, begin = i < j ? s->up : s->low;
  if (s->lanes) {
    if (other == first) return s->at + s->next * k;
    const plan_run *run = b->run + s->run;
    int r = 0;
    while (run[r].first + k * b->node[run[r].owner].next != other) r++;
    return begin + s->next * (r * w + k);
  }
  if (b->owner[i] == b->owner[j]) return s->at + (i - s->first) * w + j - s->first;
  int row = find_row(b, s, other);
  return begin + s->next * (i < j ? k * s->rows + row : row * w + k);
}

static block_shape find_shape(const layout *b, const plan_node *n) {
  const plan_run *run = b->run + n->run;
  int one = n->runs > 0 ? run[0].size : 0, two = n->runs > 1 ? run[1].size : 0;
#define SHAPE(w, first, second)                                                          \
  if (!n->lanes && n->width == (w) && n->runs <= 2 && one == (first) && two == (second)) \
    return BLOCK_##w##_##first##_##second;
#define LANE(w, number) \
  if (n->lanes && n->width == (w) && n->runs == (number)) return BLOCK_LANES_##w##_##number;
#define SINGLE(number)                                                      \
  if (!n->lanes && n->width == 1 && n->uniform == 1 && n->runs == (number)) \
    return BLOCK_SINGLES_##number;
  BLOCK_SHAPES(SHAPE)
  BLOCK_LANES(LANE)
  BLOCK_SINGLES(SINGLE)
#undef SHAPE
#undef LANE
#undef SINGLE
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
      tr_lists_push(l, step * to->next);
    }
}
_Static_assert(sizeof(block_kind) == 6 * sizeof(int) && sizeof(block_run) == 3 * sizeof(int) &&
                   sizeof(block_target) == 2 * sizeof(int),
               "kinds are lists of int");

// b->kind, and what b->node says of them.
static tr_status find_kinds(tr_arena *ar, const layout *plan, tr_blocks *b) {
  size_t most = 0;
  for (int s = 0; s < plan->nodes; s++)
    most += 2 * (size_t)plan->node[s].runs * ((size_t)plan->node[s].runs + 4);
  if (most > 1u << 30) return TR_NO_MEMORY;
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

enum { SHARES = (BLOCK_PARTS_MAX - 4) / 2 }; // two parts that are neighbours have more than one

// Subtrees next to each other make a part until it has its share of the work; from (nodes): of the draft.
static tr_status find_parts(tr_arena *ar, const layout *plan, const tree_cut *cut, const int *from,
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

// ---- nodes -----------------------------------------------------------------------------------------

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

static bool goes_by_threes(int n, const int *order) {
  for (int k = 0; k + 2 < n; k += 3)
    if (order[k + 1] != order[k] + 1 || order[k + 2] != order[k] + 2) return false;
  return n % 3 == 0;
}

tr_status tr_lay_out(tr_arena *ar, tr_arena *own, draft *d, const int *order, int *room,
                     layout *plan, tr_blocks *b) {
  tree_cut cut;
  TR_TRY(tr_cut_draft(own, d, &cut));
  for (int s = 0; d->n < SHARED_MIN && s < d->count; s++) cut.root[s] = -1;
  int n = d->n, *sorted = room, *at = room + n, *from = room + 2 * n, *final = TR_NEW(ar, n, int);
  size_t rows = 0, numbers = 0;
  plan->node = TR_NEW(own, d->count, plan_node);
  if (!plan->node || !final) return TR_NO_MEMORY;
  TR_TRY(renumber(d, &cut, order, final, sorted, at, room + 2 * n));
  b->order = final, b->threes = goes_by_threes(b->n, final);
  for (int s = 0, lanes, first = 0; s < d->count; s += lanes, plan->nodes++) {
    const node_draft *one = &d->node[sorted[s]];
    plan_node *node = &plan->node[plan->nodes];
    lanes = count_lanes(d, &cut, sorted, s, at);
    *node = (plan_node){.first = first, .next = 1, .lanes = lanes > 1};
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
    find_runs(plan, node, d->node[from[s]].row);
    run += node->runs;
    put_at(node, (int)numbers);
    size_t w = (size_t)node->width, m = (size_t)node->rows;
    numbers += node->lanes ? w + 2 * m : w * (w + 2 * m);
    if (numbers > 1u << 30) return TR_NO_MEMORY;
  }
  b->numbers = (int)numbers, b->nodes = plan->nodes;
  TR_TRY(find_parts(ar, plan, &cut, from, b));
  if (!(b->node = TR_BUSY(ar, plan->nodes, block_node))) return TR_NO_MEMORY;
  return find_kinds(own, plan, b);
}

// Unknowns of a window; to[i]: what i is now
static void interleave_unknowns(plan_node *node, int period, int *to) {
  int first = node->first;
  for (int o = 0; o < period; o++) {
    int width = node[o].width, next = o < period - 1 ? BLOCK_FOUR : 1;
    for (int l = 0; l < BLOCK_FOUR; l++) {
      plan_node *s = &node[o + l * period];
      int begin = first + l * (next > 1 ? 1 : width);
      for (int k = 0; k < width; k++) to[s->first + k] = begin + k * next;
      s->first = begin, s->next = next;
    }
    first += BLOCK_FOUR * width;
  }
}

// And its numbers: D and U of all, which go together upwards, then L, which downwards goes alone. Of the last nodes first D
// of all, then U of all.
static void interleave_numbers(plan_node *node, int period, int at) {
  for (int o = 0; o < period; o++) {
    int D = size_D(&node[o]), U = size_L(&node[o]), next = o < period - 1 ? BLOCK_FOUR : 1;
    for (int l = 0; l < BLOCK_FOUR; l++) {
      plan_node *s = &node[o + l * period];
      s->at = at + l * (next > 1 ? 1 : D), s->up = at + BLOCK_FOUR * D + l * (next > 1 ? 1 : U);
    }
    at += BLOCK_FOUR * (D + U);
  }
  for (int o = 0; o < period; o++) {
    int L = size_L(&node[o]);
    for (int l = 0; l < BLOCK_FOUR; l++)
      node[o + l * period].low = at + l * (o < period - 1 ? 1 : L);
    at += BLOCK_FOUR * L;
  }
}

// Whether nobody but its own free nodes writes to L and U of its last nodes.
static void find_clean(const layout *plan, const tr_blocks *b, block_window *window) {
  for (block_window *w = window; w < window + b->windows; w++) w->clean = true;
  for (int s = 0; s < plan->nodes; s++) {
    const plan_run *run = plan->run + plan->node[s].run;
    for (int r = 0; r < plan->node[s].runs; r++) {
      block_window *w = window_of(b, run[r].owner);
      if (!w || s >= w->node) continue;
      for (int k = r; k < plan->node[s].runs; k++) w->clean &= run[k].owner == run[r].owner;
    }
  }
}

// Windows that follow each other and look alike.
static void find_alike(const tr_blocks *b, block_window *window) {
  for (block_window *w = window + 1; w < window + b->windows; w++) {
    const block_window *last = w - 1;
    w->alike = w->period == last->period && w->node == last->node + BLOCK_FOUR * w->period;
    for (int o = 0; o < w->period - 1; o++)
      w->alike &= b->node[w->node + o].kind == b->node[last->node + o].kind;
  }
}

// Threes are still threes.
static bool keeps_threes(const layout *plan, const block_window *w) {
  const plan_node *s = plan->node + w->node, *last = s + w->period - 1;
  return s->first % 3 == 0 && (last->first - s->first) % 3 == 0 && last->width == 3;
}

// Windows begin at multiples of four numbers.
tr_status tr_interleave(tr_arena *ar, layout *plan, int *room, tr_blocks *b) {
  int *to = room, *old = room + b->n, at = 0, *order = b->order;
  block_window *window = b->window, *w = window;
  for (int i = 0; i < b->n; i++) to[i] = i;
  for (int s = 0, end = 0; s < plan->nodes && b->windows > 0; s++) {
    plan_node *node = &plan->node[s];
    if (s == w->node) at = (at + BLOCK_FOUR - 1) & -BLOCK_FOUR;
    if (s >= end) put_at(node, at);
    if (s == w->node) {
      b->threes &= keeps_threes(plan, w);
      interleave_unknowns(node, w->period, to), interleave_numbers(node, w->period, at);
      end = s + BLOCK_FOUR * w++->period;
    }
    at += numbers_of(node);
  }
  if (b->windows > 0)
    b->numbers = at + 1; // which may be read with the last of a block (read_three)
  memcpy(old, order, (size_t)b->n * sizeof *old);
  for (int i = 0; i < b->n; i++) order[to[i]] = old[i];
  memcpy(old, plan->owner, (size_t)b->n * sizeof *old);
  for (int i = 0; i < b->n; i++) plan->owner[to[i]] = old[i];
  for (int s = 0; s < plan->nodes; s++)
    for (int r = 0; r < plan->node[s].runs; r++) {
      plan_run *run = &plan->run[plan->node[s].run + r];
      run->first = to[run->first];
    }
  TR_TRY(find_kinds(ar, plan, b));
  find_alike(b, window), find_clean(plan, b, window);
  return TR_OK;
}

void tr_blocks_plain_order(const tr_blocks *b, int *order) {
  memcpy(order, b->order, (size_t)b->n * sizeof *order);
  for (const block_window *w = b->window; w < b->window + b->windows; w++)
    for (int i = 0, to = b->node[w->node].first; i < BLOCK_FOUR * w->period; i++) {
      int o = i % w->period, next = o < w->period - 1 ? BLOCK_FOUR : 1;
      const block_node *s = b->node + w->node + i;
      for (int k = 0; k < ((const block_kind *)(b->kind + s->kind))->width; k++)
        order[to++] = b->order[s->first + k * next];
    }
}

// An entry of the matrix in L or U of the last node of a period.
static void mark_unclean(const layout *plan, int i, int j, const tr_blocks *b) {
  int s = plan->owner[i < j ? i : j];
  block_window *w = window_of(b, s);
  if (w && plan->node[s].next == 1 && plan->owner[i] != plan->owner[j]) w->clean = false;
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
      mark_unclean(plan, place[p->row[s]], place[j], b);
      if (s == p->column[j]) column[2 * j] = at;
      tr_lists_push(&offsets, at - column[2 * j]);
    }
    column[2 * j + 1] = tr_lists_share(&offsets, list);
  }
  b->column = column;
  b->offsets = tr_lists_keep(&offsets, ar);
  return b->offsets ? TR_OK : TR_NO_MEMORY;
}
