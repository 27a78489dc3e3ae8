// SPDX-License-Identifier: Apache-2.0
// Stretches of an elimination that repeat themselves, as along a chain, and what may go side by side in them.
#ifndef TR_BLOCK_WINDOW_H
#define TR_BLOCK_WINDOW_H

#include "block.h"

// Once b has its nodes and parts; of (n): the node of an unknown. Then they are to be laid out side by side (tr_interleave).
tr_status tr_find_windows(tr_arena *ar, const int *of, tr_blocks *b);

static inline const block_kind *kind_of(const tr_blocks *b, int node) {
  return (const block_kind *)(b->kind + b->node[node].kind);
}

// The first window from a node, an unknown, a number on.
typedef enum { BY_NODE, BY_UNKNOWN, BY_NUMBER } window_key;
static inline block_window *first_window(const tr_blocks *b, window_key key, int from) {
  int lo = 0, hi = b->windows;
  while (lo < hi) {
    int mid = (lo + hi) / 2, node = b->window[mid].node;
    int at = key == BY_NODE ? node : key == BY_UNKNOWN ? b->node[node].first : b->node[node].at;
    if (at < from)
      lo = mid + 1;
    else
      hi = mid;
  }
  return b->window + lo;
}
static inline const block_window *window_from(const tr_blocks *b, int node) {
  return first_window(b, BY_NODE, node);
}
// The one that a node is in, or NULL.
static inline block_window *window_of(const tr_blocks *b, int node) {
  block_window *w = first_window(b, BY_NODE, node + 1);
  return w-- == b->window || node >= w->node + BLOCK_FOUR * w->period ? NULL : w;
}

// The unknown behind a window; how many there are in its free nodes.
static inline int window_end(const tr_blocks *b, const block_window *w) {
  const block_node *last = b->node + w->node + BLOCK_FOUR * w->period - 1;
  return last->first + ((const block_kind *)(b->kind + last->kind))->width;
}
static inline int window_free(const tr_blocks *b, const block_window *w) {
  return b->node[w->node + w->period - 1].first - b->node[w->node].first;
}

#endif
