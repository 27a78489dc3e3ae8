// SPDX-License-Identifier: Apache-2.0
// Nodes that wait for others let those pass that do not.
#ifndef TR_BLOCK_VISIT_H
#define TR_BLOCK_VISIT_H

#include "block.h"

// Once b has its windows and tiles; of (n): the node of an unknown.
tr_status tr_let_leaves_pass(tr_allocator *al, const int *of, tr_blocks *b);

#endif
