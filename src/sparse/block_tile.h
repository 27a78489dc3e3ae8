// SPDX-License-Identifier: Apache-2.0
// Stretches of an elimination that stay in the cache from the matrix to its factors.
#ifndef TR_BLOCK_TILE_H
#define TR_BLOCK_TILE_H

#include "block.h"

// Once b has its windows.
tr_status tr_find_tiles(tr_arena *ar, tr_blocks *b);

#endif
