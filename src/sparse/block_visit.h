// SPDX-License-Identifier: Apache-2.0
// Nodes that wait for others let those pass that do not.
#ifndef TR_BLOCK_VISIT_H
#define TR_BLOCK_VISIT_H

#include "block.h"

// Once b has its windows and tiles; of (n): the node of an unknown; room (2 nodes).
void tr_let_leaves_pass(const int *of, int *room, tr_blocks *b);

#endif
