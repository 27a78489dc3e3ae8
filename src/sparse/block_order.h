// SPDX-License-Identifier: Apache-2.0
// The order of a linkage: bodies and joints as wholes.
#ifndef TR_BLOCK_ORDER_H
#define TR_BLOCK_ORDER_H

#include "kkt.h"

// order (n): the unknowns, given p->groups and the symmetric graph of the pattern, neighbours of i in
// to[first[i]] .. to[first[i + 1] - 1]. late (n) or NULL: unknowns whose groups go last. bold: joints go
// also where rows may depend on each other in some positions. TR_FAILED: none was found with little work.
tr_status tr_group_order(tr_arena *ar, const tr_pattern *p, const int *first, const int *to,
                         const bool *late, bool bold, int *order);

#endif
