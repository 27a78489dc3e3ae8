// SPDX-License-Identifier: Apache-2.0
// Nodes of the elimination while the plan of the block LU is made, and the merging of small ones.
#ifndef TR_BLOCK_MERGE_H
#define TR_BLOCK_MERGE_H

#include "base/base.h"

enum { WIDTH_MAX = 16 }; // pivots of a node

typedef struct node_draft {
  int first, width;
  int rows, *row; // ascending
  int next;       // of the children of the same column
  bool sorted;    // its pivots stay in their order
} node_draft;

typedef struct draft {
  tr_allocator *al;
  tr_arena arena;
  int n, count;
  node_draft *node; // (n)
  int *of;          // (n) node of a column
  double flops;     // operations
} draft;

// For qsort.
static inline int by_number(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}
int tr_count_runs(const draft *d, int rows, const int *row); // that follow each other in one node
// The order within separators, so that few pieces go into them.
tr_status tr_sort_separators(draft *d, int leading, int *order);
// Of an elimination in this order, in which unknowns below `leading` have a mass.
void tr_merge_nodes(draft *d, int leading, const int *order);

#endif
