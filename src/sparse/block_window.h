// SPDX-License-Identifier: Apache-2.0
// Stretches of an elimination that repeat themselves, as along a chain, and what may go side by side in them.
#ifndef TR_BLOCK_WINDOW_H
#define TR_BLOCK_WINDOW_H

#include "block.h"

// Once b has its nodes and parts; of (n): the node of an unknown. Then they are to be laid out side by side (tr_interleave).
tr_status tr_find_windows(tr_arena *ar, const int *of, tr_blocks *b);

#endif
