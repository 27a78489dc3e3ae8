// SPDX-License-Identifier: Apache-2.0
// Stretches of an elimination that stay in the cache from the matrix to its factors.
#ifndef TR_BLOCK_TILE_H
#define TR_BLOCK_TILE_H

#include "block.h"

// The first unknown that no tile before has touched, or that of the tile itself.
static inline int tile_from(const tr_blocks *b, int t) {
  int first = b->node[b->tile[t]].first;
  return t > 0 && b->reach[t - 1] > first ? b->reach[t - 1] : first;
}

// Once b has its windows.
tr_status tr_find_tiles(tr_arena *ar, tr_blocks *b);

#endif
