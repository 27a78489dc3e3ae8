// SPDX-License-Identifier: Apache-2.0
// A window: four periods of nodes, kind for kind alike. A node of one period is free if nobody outside of the period
// writes to it: then four of them, one of each period, go side by side, and before all that are not free. That is an
// order of elimination as good as the other: who is not free only waits longer. That is the last of each period, which
// writes to that of the next one, and free ones write to their own period and to it: so it is along a chain, where
// bodies are free and joints wait. The window lies in one part, without bridges, so that it is the same for one and for
// many who work at it.
#include "block_window.h"

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

// Runs of node x, of the period that begins with s: before its last node, or all of this one or of that of the next.
static bool stays(const tr_blocks *b, int s, int period, int x) {
  const block_node *last = b->node + s + period - 1, *next = last + period;
  const block_kind *kind = kind_of(b, x);
  int width = kind_of(b, s + period - 1)->width;
  for (int r = 0; r < kind->runs; r++) {
    int first = b->node[x].first + kind->run[r].first;
    if (x == s + period - 1 && first != next->first) return false;
    if (first < last->first) continue;
    if ((first != last->first && first != next->first) || kind->run[r].size != width) return false;
  }
  return true;
}

// What the last node of the fourth period writes to, -1: something else.
static int find_next(const tr_blocks *b, int s, int period) {
  const block_node *last = b->node + s + BLOCK_FOUR * period - 1;
  int first = last->first + kind_of(b, s + period - 1)->run[0].first,
      next = s + BLOCK_FOUR * period;
  while (next < b->nodes && b->node[next].first < first) next++;
  if (next == b->nodes || b->node[next].first != first) return -1;
  const block_kind *kind = kind_of(b, next);
  return kind->lanes || kind->width != kind_of(b, s + period - 1)->width ? -1 : next;
}

static bool is_window(const tr_blocks *b, int s, int end, int period, bool below,
                      block_window *out) {
  if (!repeats(b, s, end, period, below) || !may_wait(kind_of(b, s + period - 1))) return false;
  for (int x = s; x < s + period; x++)
    if (!stays(b, s, period, x) || (x < s + period - 1 && !may_go(kind_of(b, x)))) return false;
  *out = (block_window){s, period, find_next(b, s, period), false, false};
  return out->next >= 0;
}

// Bodies are evaluated by fours (together.h). That these are the periods of a window is a guess from how unknowns are
// numbered.
static bool is_in_step(const tr_blocks *b, int s, int period) {
  int one = b->order[b->node[s].first], other = b->order[b->node[s + period].first];
  int unit = other > one ? other - one : one - other;
  return unit > 0 && one / unit % BLOCK_FOUR == (other > one ? 0 : BLOCK_FOUR - 1);
}

// Windows one after the other from s on, up to so many that one more or less does not matter.
static int count_some(const tr_blocks *b, int s, int end, int period, bool below) {
  enum { MANY = 8 };
  block_window found;
  int count = 0;
  while (count < MANY && is_window(b, s + count * BLOCK_FOUR * period, end, period, below, &found))
    count++;
  return count;
}

// Windows of nodes s .. end - 1, how many so far. They are in step unless that takes one of a few.
static int find_some(const tr_blocks *b, int s, int end, bool below, int count,
                     block_window *window) {
  while (s < end) {
    block_window found, later;
    int period = 2;
    while (period <= BLOCK_PERIOD_MAX && !is_window(b, s, end, period, below, &found)) period++;
    if (period > BLOCK_PERIOD_MAX) {
      s++;
      continue;
    }
    int most = is_in_step(b, s, period) ? 0 : count_some(b, s, end, period, below);
    for (int k = 1; k < BLOCK_FOUR && most > 0; k++)
      if (is_window(b, s + k * period, end, period, below, &later) &&
          is_in_step(b, later.node, period) &&
          count_some(b, later.node, end, period, below) == most)
        found = later, most = 0;
    if (window) window[count] = found;
    count++, s = found.node + BLOCK_FOUR * period;
  }
  return count;
}

static int find_all(const tr_blocks *b, block_window *window) {
  int count = 0;
  for (int p = 0; p < b->parts; p++)
    count = find_some(b, b->part[p], b->part[p + 1], true, count, window);
  return find_some(b, b->part[b->parts], b->nodes, false, count, window);
}

// Those whose free nodes others write to are none: next = -1. of (n): the node of an unknown
static void find_wrong(const tr_blocks *b, const int *of) {
  for (int s = 0; s < b->nodes; s++) {
    const block_kind *kind = kind_of(b, s);
    for (int r = 0; r < kind->runs; r++) {
      int to = of[b->node[s].first + kind->run[r].first];
      block_window *w = window_of(b, to);
      if (w && s < w->node && (to - w->node) % w->period < w->period - 1) w->next = -1;
    }
  }
}

tr_status tr_find_windows(tr_arena *ar, const int *of, tr_blocks *b) {
  int count = b->measured ? 0 : find_all(b, NULL);
  block_window *window = TR_NEW(ar, count + 1, block_window);
  if (!window) return TR_NO_MEMORY;
  if (count > 0) find_all(b, window);
  b->windows = count, b->window = window;
  find_wrong(b, of);
  b->windows = 0;
  for (int w = 0; w < count; w++)
    if (window[w].next >= 0) window[b->windows++] = window[w];
  window[b->windows].node = b->nodes;
  return TR_OK;
}
