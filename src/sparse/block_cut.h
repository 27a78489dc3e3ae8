// SPDX-License-Identifier: Apache-2.0
// Independent parts of an elimination: subtrees of its tree.
#ifndef TR_BLOCK_CUT_H
#define TR_BLOCK_CUT_H

#include "base/base.h"

// A forest of nodes, parents behind their children (parent -1: none), with the work of each, is cut into subtrees
// that several workers can eliminate side by side and a top that has to wait for them.
typedef struct tree_cut {
  int *root;     // (count) the root of the subtree a node is in, -1: it belongs to the top
  double *below; // (count) work of a node and all below it
  double total;
  double
      ideal; // time of some workers, in units of the total work: near 1 where nothing goes side by side
} tree_cut;

// own: for what is not needed any longer then.
tr_status tr_tree_cut(tr_arena *ar, tr_arena *own, int count, const int *parent, const double *work,
                      tree_cut *cut);

#endif
