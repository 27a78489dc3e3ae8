// SPDX-License-Identifier: Apache-2.0
// Stretches of an elimination that repeat themselves, as along a chain, and what may go side by side in them.
#ifndef TR_BLOCK_WINDOW_H
#define TR_BLOCK_WINDOW_H

#include "block.h"

// Once b has its nodes and parts; of (n): the node of an unknown. Then they are to be laid out side by side (tr_interleave).
tr_status tr_find_windows(tr_arena *ar, const int *of, tr_blocks *b);

// The first window from a node on.
static inline const block_window *window_from(const tr_blocks *b, int node) {
  int lo = 0, hi = b->windows;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (b->window[mid].node < node)
      lo = mid + 1;
    else
      hi = mid;
  }
  return b->window + lo;
}

// The first window from an unknown on, and the unknown behind it; how many there are in its free nodes.
static inline const block_window *window_at(const tr_blocks *b, int unknown) {
  int lo = 0, hi = b->windows;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (b->node[b->window[mid].node].first < unknown)
      lo = mid + 1;
    else
      hi = mid;
  }
  return b->window + lo;
}
static inline int window_end(const tr_blocks *b, const block_window *w) {
  const block_node *last = b->node + w->node + BLOCK_FOUR * w->period - 1;
  return last->first + ((const block_kind *)(b->kind + last->kind))->width;
}
static inline int window_free(const tr_blocks *b, const block_window *w) {
  return b->node[w->node + w->period - 1].first - b->node[w->node].first;
}

#endif
