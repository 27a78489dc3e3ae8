// SPDX-License-Identifier: Apache-2.0
// Operations of an elimination, without its structure.
#ifndef TR_BLOCK_COUNT_H
#define TR_BLOCK_COUNT_H

#include "base/base.h"

// *flops: the sum of squares of the numbers of entries in the columns of L, of a symmetric graph with neighbours of i in
// to[first[i]] .. to[first[i + 1] - 1], eliminated in this order.
tr_status tr_count_operations(tr_allocator *al, int n, const int *first, const int *to,
                              const int *order, double *flops);

#endif
