// SPDX-License-Identifier: Apache-2.0
// The number of entries in each column of L from the elimination tree alone [GNP94], in a time that grows with the entries
// of the matrix: L itself may have the square of that, where all that hangs on a hub waits for it.
//
// Row i of L has the columns on the ways from its entries in the matrix up to i: a subtree of the elimination tree. With
// w = 1 at each of its leaves and w = -1 where two ways meet, a column is in the subtree when the sum of w at and
// below it is 1. So one sweep adds the w of all rows, and sums towards the roots are the counts.
//
// (1) In postorder a node begins a new way to i unless the one before on such a way is below it.
// (2) Two ways meet at the root, so far, of the tree in which the earlier leaf is: what has been visited is tied to
//     its parent then.
#include "block_count.h"

typedef struct counting {
  int *place;  // (n) of an unknown in the order
  int *parent; // (n) in the elimination tree, -1: none
  int *up;     // (n) towards the root of what has been visited, shortened as it is used
  int *post;   // (n) nodes in postorder
  int *lowest; // (n) place in postorder of the first one at or below a node
  int *last;   // (n) the latest leaf of a row, -1: none yet
  int *count;  // (n)
  int *room;   // (2 n)
} counting;

static bool prepare(tr_arena *ar, size_t n, const int *order, counting *c) {
  int *all = TR_NEW(ar, 9 * n, int);
  if (!all) return false;
  *c = (counting){.place = all, .parent = all + n, .up = all + 2 * n, .post = all + 3 * n};
  c->lowest = all + 4 * n, c->last = all + 5 * n, c->count = all + 6 * n, c->room = all + 7 * n;
  for (int k = 0; k < (int)n; k++) c->place[order[k]] = k;
  return true;
}

static int top_of(int *up, int i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

// The parent of j is the first that its column has an entry in.
static void find_tree(int n, const int *first, const int *to, const int *order, counting *c) {
  for (int j = 0; j < n; j++) {
    c->parent[j] = -1, c->up[j] = j;
    for (int e = first[order[j]]; e < first[order[j] + 1]; e++) {
      if (c->place[to[e]] >= j) continue;
      int top = top_of(c->up, c->place[to[e]]);
      if (top != j) c->parent[top] = c->up[top] = j;
    }
  }
}

// Places from the sizes of subtrees: a node goes behind all below it, the children of one in their order.
static void sort_tree(int n, counting *c) {
  int *size = c->room, *next = c->room + n; // next: place of the next subtree below a node
  int roots = 0;
  for (int j = 0; j < n; j++) size[j] = 1;
  for (int j = 0; j < n; j++)
    if (c->parent[j] >= 0) size[c->parent[j]] += size[j];
  for (int j = n - 1; j >= 0; j--) { // the last child first, which is where a chain goes on
    int *at = c->parent[j] >= 0 ? &next[c->parent[j]] : &roots;
    c->lowest[j] = next[j] = *at;
    *at += size[j];
    c->post[c->lowest[j] + size[j] - 1] = j;
  }
}

// w of all rows that have an entry in column j.
static void weigh(const int *first, const int *to, const int *order, int j, counting *c) {
  for (int e = first[order[j]]; e < first[order[j] + 1]; e++) {
    int i = c->place[to[e]], before = c->last[i];
    if (i <= j || (before >= 0 && c->room[before] >= c->lowest[j])) continue; // (1)
    c->count[j]++, c->last[i] = j;
    if (before >= 0) c->count[top_of(c->up, before)]--; // (2)
  }
}

tr_status tr_count_operations(tr_allocator *al, int n, const int *first, const int *to,
                              const int *order, double *flops) {
  tr_arena own = tr_arena_make(al);
  counting c;
  *flops = 0;
  bool room = prepare(&own, (size_t)n, order, &c);
  if (room) {
    find_tree(n, first, to, order, &c);
    sort_tree(n, &c);
    int *turn = c.room; // place in postorder
    for (int k = 0; k < n; k++) turn[c.post[k]] = k, c.last[k] = -1, c.up[k] = k;
    for (int k = 0; k < n; k++) { // its own row begins at a leaf, and ends at each node
      int j = c.post[k], parent = c.parent[j];
      c.count[j] += c.lowest[j] == k;
      weigh(first, to, order, j, &c);
      if (parent >= 0) c.count[parent]--, c.up[j] = parent;
    }
    for (int j = 0; j < n; j++) {
      if (c.parent[j] >= 0) c.count[c.parent[j]] += c.count[j];
      *flops += (double)c.count[j] * c.count[j];
    }
  }
  tr_arena_free(&own);
  return room ? TR_OK : TR_NO_MEMORY;
}
