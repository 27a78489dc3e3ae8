// SPDX-License-Identifier: Apache-2.0
// Independent parts of an elimination: subtrees of its tree.
#ifndef TR_BLOCK_CUT_H
#define TR_BLOCK_CUT_H

#include "block_merge.h"

enum { SHARED_MIN = 2000 }; // unknowns for which several may work at one matrix

// The nodes of a draft, cut into subtrees that several workers can eliminate side by side and a top that has to wait
// for them.
typedef struct tree_cut {
  int *root;     // (count) the root of the subtree a node is in, -1: it belongs to the top
  double *below; // (count) work of a node and all below it
  double total;
  double
      ideal; // time of some workers, in units of the total work: near 1 where nothing goes side by side
} tree_cut;

tr_status tr_cut_draft(tr_arena *ar, const draft *d, tree_cut *cut);

#endif
