// SPDX-License-Identifier: Apache-2.0
// A window: four periods of nodes, kind for kind alike. A node of one period is free if no node of another writes to it:
// then four of them, one of each period, go side by side, and before all that are not free. That is an order of
// elimination as good as the other: who is not free only waits longer. The window lies in one part, without bridges, so
// that it is the same for one and for many who work at it.
#include "block_window.h"

enum { PERIOD_MAX = 8 };

static const block_kind *kind_of(const tr_blocks *b, int node) {
  return (const block_kind *)(b->kind + b->node[node].kind);
}

static bool is_bridge(const tr_blocks *b, int node) {
  const block_kind *k = kind_of(b, node);
  return k->runs > 0 && b->node[node].first + k->run[k->runs - 1].first >= b->top;
}

#define SHAPE(w, one, two) case BLOCK_##w##_##one##_##two:
#define LANE(w, runs) case BLOCK_LANES_##w##_##runs:
static bool may_go(const block_kind *k) {
  switch (k->shape) {
    BLOCK_FOURS(SHAPE)
    BLOCK_FOUR_LANES(LANE)
    return true;
    default: return false;
  }
}
static bool may_wait(const block_kind *k) {
  switch (k->shape) {
    BLOCK_RESTS(SHAPE)
    return true;
    default: return false;
  }
}
#undef SHAPE
#undef LANE

// Nodes s .. before `end` begin with four periods of this length, none of them a bridge.
static bool repeats(const tr_blocks *b, int s, int end, int period, bool below) {
  if (s + BLOCK_FOUR * period > end) return false;
  for (int i = s; i < s + (BLOCK_FOUR - 1) * period; i++)
    if (b->node[i].kind != b->node[i + period].kind) return false;
  for (int i = s; i < s + BLOCK_FOUR * period; i++)
    if (below && is_bridge(b, i)) return false;
  return true;
}

// Node y writes to unknowns begin .. begin + width - 1.
static bool writes_to(const tr_blocks *b, int y, int begin, int width) {
  const block_kind *k = kind_of(b, y);
  for (int r = 0; r < k->runs; r++) {
    int first = b->node[y].first + k->run[r].first;
    if (first < begin + width && begin < first + k->run[r].size) return true;
  }
  return false;
}

// No node of a period writes to node x of a later one. x: of the first
static bool is_free(const tr_blocks *b, int s, int period, int x) {
  int next = b->node[s + period].first - b->node[s].first;
  if (!may_go(kind_of(b, x))) return false;
  for (int y = s; y < s + period; y++)
    for (int later = 1; later < BLOCK_FOUR; later++)
      if (writes_to(b, y, b->node[x].first + later * next, kind_of(b, x)->width)) return false;
  return true;
}

// The one that is not free, -1: there are more of them, it is of another shape, or one of its own period waits for it.
static int find_rest(const tr_blocks *b, int s, int period) {
  int rest = -1;
  for (int o = 0; o < period; o++) {
    if (is_free(b, s, period, s + o)) continue;
    if (rest >= 0 || !may_wait(kind_of(b, s + o))) return -1;
    rest = o;
  }
  if (rest < 0) return -1;
  int first = b->node[s].first, all = b->node[s + period].first - first;
  return writes_to(b, s + rest, first, all) ? -1 : rest;
}

// Windows of nodes s .. end - 1, how many so far.
static int find_some(const tr_blocks *b, int s, int end, bool below, int count,
                     block_window *window) {
  while (s < end) {
    int rest = -1, period = 2;
    for (; period <= PERIOD_MAX; period++)
      if (repeats(b, s, end, period, below) && (rest = find_rest(b, s, period)) >= 0) break;
    if (period > PERIOD_MAX) {
      s++;
      continue;
    }
    if (window) window[count] = (block_window){s, period, rest};
    count++, s += BLOCK_FOUR * period;
  }
  return count;
}

static int find_all(const tr_blocks *b, block_window *window) {
  int count = 0;
  for (int p = 0; p < b->parts; p++)
    count = find_some(b, b->part[p], b->part[p + 1], true, count, window);
  return find_some(b, b->part[b->parts], b->nodes, false, count, window);
}

tr_status tr_find_windows(tr_arena *ar, tr_blocks *b) {
  int count = b->measured ? 0 : find_all(b, NULL);
  block_window *window = TR_NEW(ar, count + 1, block_window);
  if (!window) return TR_NO_MEMORY;
  if (count > 0) find_all(b, window);
  window[count].node = b->nodes;
  b->windows = count, b->window = window;
  return TR_OK;
}
