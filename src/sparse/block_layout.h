// SPDX-License-Identifier: Apache-2.0
// From nodes with absolute places to kinds that are shared (block.h).
#ifndef TR_BLOCK_LAYOUT_H
#define TR_BLOCK_LAYOUT_H

#include "block.h"
#include "block_cut.h"

// Nodes and runs as the plan sees them, before alike ones become kinds. Places are absolute.
typedef struct plan_run {
  int first, size, row;
  int owner; // the node whose pivots they are
} plan_run;

typedef struct plan_node {
  int first, width, rows, run, runs, uniform, at;
  bool lanes;
} plan_node;

typedef struct layout {
  int nodes;
  plan_node *node;
  plan_run *run;
  int *owner; // (n) node of an unknown
} layout;

// Runs of a node from its rows: a run ends where the numbering or the owner jumps.
void tr_layout_runs(const layout *b, plan_node *node, const int *row);
// b->node and b->kind; where the entries of each column go, place (n): room.
tr_status tr_layout_kinds(tr_arena *ar, const layout *plan, tr_blocks *b);
tr_status tr_layout_columns(tr_arena *ar, const tr_pattern *p, const layout *plan, int *place,
                            tr_blocks *b);
// Parts that go side by side, b->part and what goes with it; from (nodes): their numbers in the cut.
tr_status tr_layout_parts(tr_arena *ar, const layout *plan, const tree_cut *cut, const int *from,
                          tr_blocks *b);

#endif
