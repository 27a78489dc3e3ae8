// SPDX-License-Identifier: Apache-2.0
// An order of bodies and joints as wholes, by least degree: for trees from the leaves to the root, without
// any fill.
//
// A joint may go before one of its bodies. Its pivots are those of -G S^-1 G', with S what the elimination
// left of the bodies that went before and G its rows on them. Bodies and joints that have gone and hang
// together make a cluster. What has not gone yet counts as held fast, so a cluster *floats* when none of its
// joints is on ground or on a body that is still to come: then it has all motions of a rigid body, and
// the rows of one more joint at it are independent. Any joint may go when its bodies have, and all that is
// tied to them. A bold order counts instead: a joint may go when one of its bodies has gone and answers for it, which
// bodies do for as many rows as they have coordinates, less one. So points between two hubs go with both of their
// rods, where otherwise the hubs would go first and tie all rods to each other. The rows are then independent in most
// positions, with all held fast that has not gone; where they are not (a point in line with both hubs) pivots tell.
//
// (1) near[i] are the neighbours of i in the graph that is left, every one once, and some that have gone: what
//     has few neighbours is not looked for there, lest a hub be searched for each of its spokes.
// (2) open and grounded are those of the cluster's root.
#include "block_order.h"

#include <string.h>

// Entries of lists, looked at and in memory: beyond these dissection or KLU is the better way anyway.
static const double MOST_WORK = 3e7, ROOM_LEAST = 5e5, ROOM_EACH = 50; // of a group

typedef struct list {
  int n, capacity, *item;
} list;

typedef struct entry {
  int degree, group;
} entry;

typedef struct linkage {
  tr_arena *ar;
  const tr_groups *groups;
  const bool *late; // (n) unknowns whose groups go last, or NULL
  bool bold;
  int count, leading;
  int *first, *member; // unknowns of group i: member[first[i]] .. member[first[i + 1] - 1]
  list *near, *ends;   // ends: of a joint its bodies, of a body its joints
  bool *body, *gone, *grounded;
  int *parent, *open; // clusters as a forest; joints' ends still to come
  int *spare;         // rows that a body may still answer for
  int *degree;        // unknowns of the neighbours
  int *mark, stamp;
  entry *heap;
  int heaped, heap_capacity;
  double work, room;
} linkage;

static bool add(linkage *k, list *l, int item) {
  if (l->n == l->capacity) {
    int capacity = l->capacity > 0 ? 2 * l->capacity : 4;
    int *grown = TR_RAW(k->ar, capacity, int);
    if (!grown) return false;
    if (l->n > 0) memcpy(grown, l->item, (size_t)l->n * sizeof *grown);
    l->item = grown, l->capacity = capacity;
    k->room += capacity;
  }
  l->item[l->n++] = item;
  return true;
}

static bool is_too_much(const linkage *k) {
  return k->work > MOST_WORK || k->room > ROOM_LEAST + ROOM_EACH * k->count;
}

// ---- the graph of groups ---------------------------------------------------------------------------

static void collect_members(linkage *k, int n) {
  const int *of = k->groups->of;
  for (int i = 0; i < n; i++) k->first[of[i] + 1]++;
  for (int i = 0; i < k->count; i++) k->first[i + 1] += k->first[i];
  for (int i = n - 1; i >= 0; i--) k->member[--k->first[of[i] + 1]] = i;
  for (int i = 0; i < k->count; i++) k->first[i] = k->first[i + 1];
  k->first[k->count] = n;
}

static bool find_neighbours(linkage *k, const int *first, const int *to) {
  for (int i = 0; i < k->count; i++) {
    k->stamp++;
    k->mark[i] = k->stamp;
    for (int m = k->first[i]; m < k->first[i + 1]; m++)
      for (int e = first[k->member[m]]; e < first[k->member[m] + 1]; e++) {
        int j = k->groups->of[to[e]];
        if (k->mark[j] == k->stamp) continue;
        k->mark[j] = k->stamp;
        if (!add(k, &k->near[i], j)) return false;
        if (k->body[i] != k->body[j] && !add(k, &k->ends[i], j)) return false;
      }
  }
  return true;
}

static int size_of(const linkage *k, int i) { return k->first[i + 1] - k->first[i]; }

// Every row of a joint acts on the body, and they are not more than it has motions.
static bool acts_on(const linkage *k, const int *first, const int *to, int joint, int body) {
  if (size_of(k, joint) > size_of(k, body)) return false;
  for (int m = k->first[joint]; m < k->first[joint + 1]; m++) {
    bool found = false;
    for (int e = first[k->member[m]]; e < first[k->member[m] + 1] && !found; e++)
      found = k->groups->of[to[e]] == body;
    if (!found) return false;
  }
  return true;
}

// ---- clusters --------------------------------------------------------------------------------------

static int root_of(linkage *k, int i) {
  while (k->parent[i] != i) i = k->parent[i] = k->parent[k->parent[i]];
  return i;
}

static void unite(linkage *k, int a, int b) {
  a = root_of(k, a), b = root_of(k, b);
  if (a == b) return;
  k->parent[b] = a;
  k->open[a] += k->open[b];
  k->grounded[a] |= k->grounded[b];
}

// It acts fully on a body that floats or answers for it; or nothing that it holds is still to come.
static bool may_go(linkage *k, const int *first, const int *to, int i) {
  bool all = true;
  if (k->body[i]) return true;
  for (int e = 0; e < k->ends[i].n; e++) {
    int b = k->ends[i].item[e], root = root_of(k, b);
    bool closed = k->gone[b] && k->open[root] == 0;
    all &= closed;
    bool floats = closed && !k->grounded[root] && k->groups->relative[i];
    bool answers = k->bold && k->gone[b] && k->spare[b] >= size_of(k, i);
    if ((floats || answers) && acts_on(k, first, to, i, b)) return true;
  }
  return all;
}

// Of the bodies that have gone the one with most to spare answers for a joint.
static void answer(linkage *k, int joint) {
  int who = -1;
  for (int e = 0; e < k->ends[joint].n; e++) {
    int b = k->ends[joint].item[e];
    if (k->gone[b] && (who < 0 || k->spare[b] > k->spare[who])) who = b;
  }
  if (who >= 0) k->spare[who] -= size_of(k, joint);
}

static void let_go(linkage *k, int i) {
  k->gone[i] = true;
  if (!k->body[i]) answer(k, i);
  k->grounded[i] = !k->body[i] && !k->groups->relative[i];
  for (int e = 0; e < k->ends[i].n; e++) {
    int j = k->ends[i].item[e];
    if (!k->gone[j]) {
      k->open[root_of(k, i)] += !k->body[i];
      continue;
    }
    unite(k, i, j);
    k->open[root_of(k, i)] -= k->body[i];
  }
}

// ---- least degree ----------------------------------------------------------------------------------

static bool before(entry a, entry b) {
  return a.degree < b.degree || (a.degree == b.degree && a.group < b.group);
}

static void count_degree(linkage *k, int i) {
  k->degree[i] = 0;
  for (int e = 0; e < k->near[i].n; e++) k->degree[i] += size_of(k, k->near[i].item[e]);
  k->work += k->near[i].n;
}

static bool push(linkage *k, int i) {
  entry x = {.degree = k->degree[i], .group = i};
  entry *heap = tr_grow(k->ar->al, k->heap, k->heaped, &k->heap_capacity, sizeof *heap);
  if (!heap) return false;
  k->heap = heap;
  int at = k->heaped++;
  for (; at > 0 && before(x, heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
  heap[at] = x;
  return true;
}

static entry pop(linkage *k) {
  entry top = k->heap[0], last = k->heap[--k->heaped];
  int at = 0;
  for (int c; (c = 2 * at + 1) < k->heaped; at = c) {
    if (c + 1 < k->heaped && before(k->heap[c + 1], k->heap[c])) c++;
    if (!before(k->heap[c], last)) break;
    k->heap[at] = k->heap[c];
  }
  if (k->heaped > 0) k->heap[at] = last;
  return top;
}

static void drop_gone(linkage *k, list *l) {
  int kept = 0;
  for (int f = 0; f < l->n; f++)
    if (!k->gone[l->item[f]]) l->item[kept++] = l->item[f];
  k->work += l->n;
  l->n = kept;
}

// Found ones move to the end of the list, where they are looked for first: hubs are tied again and again.
static bool tie_two(linkage *k, int a, int b) {
  if (k->near[b].n < k->near[a].n) return tie_two(k, b, a);
  list *l = &k->near[a];
  for (int f = l->n - 1; f >= 0; f--) {
    k->work++;
    if (l->item[f] != b) continue;
    l->item[f] = l->item[l->n - 1], l->item[l->n - 1] = b;
    return true;
  }
  k->degree[a] += size_of(k, b), k->degree[b] += size_of(k, a);
  return add(k, &k->near[a], b) && add(k, &k->near[b], a);
}

// Neighbours of i by pairs, without a look at all of a hub's.
static bool tie_pairs(linkage *k, int i) {
  const list *of = &k->near[i];
  for (int e = 0; e < of->n; e++) k->degree[of->item[e]] -= size_of(k, i);
  for (int e = 0; e < of->n; e++)
    for (int f = 0; f < e; f++)
      if (!tie_two(k, of->item[f], of->item[e])) return false;
  for (int e = 0; e < of->n; e++)
    if (!push(k, of->item[e])) return false;
  return true;
}

enum { FEW = 8, MANY = 64 }; // neighbours; of a hub

// The neighbours of i, which has gone, become neighbours of each other.
static bool tie(linkage *k, int i) {
  list *of = &k->near[i];
  int most = 0;
  drop_gone(k, of);
  for (int e = 0; e < of->n; e++)
    most = k->near[of->item[e]].n > most ? k->near[of->item[e]].n : most;
  if (of->n <= 2 || (of->n <= FEW && most > MANY)) return tie_pairs(k, i);
  for (int e = 0; e < of->n; e++) {
    int u = of->item[e];
    list *l = &k->near[u];
    drop_gone(k, l);
    k->stamp++;
    k->mark[u] = k->stamp;
    for (int f = 0; f < l->n; f++) k->mark[l->item[f]] = k->stamp;
    for (int f = 0; f < of->n; f++)
      if (k->mark[of->item[f]] != k->stamp && !add(k, l, of->item[f])) return false;
    k->work += of->n;
    if (is_too_much(k)) return true; // eliminate sees it
    count_degree(k, u);
    if (!push(k, u)) return false;
  }
  return true;
}

static bool is_late(const linkage *k, int i) {
  bool late = false;
  for (int m = k->first[i]; k->late && m < k->first[i + 1]; m++) late |= k->late[k->member[m]];
  return late;
}

// All that may go, those that are late or those that are not; *placed unknowns have gone.
static tr_status eliminate(linkage *k, const int *first, const int *to, bool late, int *order,
                           int *placed) {
  for (int i = 0; i < k->count; i++) {
    if (k->gone[i]) continue;
    drop_gone(k, &k->near[i]);
    count_degree(k, i);
    if (!push(k, i)) return TR_NO_MEMORY;
  }
  while (k->heaped > 0) {
    entry next = pop(k);
    int i = next.group;
    if (k->gone[i] || next.degree != k->degree[i] || !may_go(k, first, to, i)) continue;
    if (!late && is_late(k, i)) continue;
    let_go(k, i);
    for (int m = k->first[i]; m < k->first[i + 1]; m++) order[(*placed)++] = k->member[m];
    if (!tie(k, i)) return TR_NO_MEMORY;
    if (is_too_much(k)) return TR_FAILED;
  }
  return TR_OK;
}

static bool prepare(linkage *k, int n) {
  size_t count = (size_t)k->count + 1;
  k->first = TR_NEW(k->ar, count + 1, int), k->member = TR_NEW(k->ar, n, int);
  k->near = TR_NEW(k->ar, count, list), k->ends = TR_NEW(k->ar, count, list);
  k->body = TR_NEW(k->ar, count, bool), k->gone = TR_NEW(k->ar, count, bool);
  k->grounded = TR_NEW(k->ar, count, bool);
  k->parent = TR_NEW(k->ar, count, int), k->open = TR_NEW(k->ar, count, int);
  k->mark = TR_NEW(k->ar, count, int), k->degree = TR_NEW(k->ar, count, int);
  k->spare = TR_NEW(k->ar, count, int);
  if (!k->first || !k->member || !k->near || !k->ends || !k->body || !k->gone || !k->grounded ||
      !k->parent || !k->open || !k->mark || !k->degree || !k->spare)
    return false;
  for (int i = 0; i < k->count; i++) k->parent[i] = i;
  for (int i = 0; i < k->leading; i++) k->body[k->groups->of[i]] = true;
  for (int i = 0; i < n; i++) k->spare[k->groups->of[i]]++;
  for (int i = 0; i < k->count; i++) k->spare[i]--;
  return true;
}

tr_status tr_group_order(tr_arena *ar, const tr_pattern *p, const int *first, const int *to,
                         const bool *late, bool bold, int *order) {
  tr_arena own = tr_arena_make(ar->al);
  linkage k = {.ar = &own, .groups = p->groups, .count = p->groups->count, .leading = p->leading};
  tr_status status = TR_NO_MEMORY;
  int placed = 0;
  k.late = late, k.bold = bold;
  bool room = prepare(&k, p->n);
  if (room) collect_members(&k, p->n);
  if (room && find_neighbours(&k, first, to))
    status = eliminate(&k, first, to, !late, order, &placed);
  if (status == TR_OK && late) status = eliminate(&k, first, to, true, order, &placed);
  if (status == TR_OK && placed < p->n) status = TR_FAILED;
  tr_resize(ar->al, k.heap, 0);
  tr_arena_free(&own);
  return status;
}
