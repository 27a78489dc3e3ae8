// SPDX-License-Identifier: Apache-2.0
// From nodes with absolute places to kinds that are shared (block.h).
#ifndef TR_BLOCK_LAYOUT_H
#define TR_BLOCK_LAYOUT_H

#include "block.h"
#include "block_merge.h"

// Nodes and runs as the plan sees them, before alike ones become kinds. Places are absolute.
typedef struct plan_run {
  int first, size, row;
  int owner; // the node whose pivots they are
} plan_run;

typedef struct plan_node {
  int first, width, rows, run, runs, uniform;
  int at, low, up; // where D, L and U begin
  int next;        // from one of its unknowns or numbers to the next
  bool lanes;
} plan_node;

typedef struct layout {
  int nodes;
  plan_node *node;
  plan_run *run;
  int *owner; // (n) node of an unknown
} layout;

// Nodes, runs and numbering out of the draft: all of b but its windows, tiles and columns. own: for what only the plan needs; room (6 n).
tr_status tr_lay_out(tr_arena *ar, tr_arena *own, draft *d, const int *order, int *room,
                     layout *plan, tr_blocks *b);
// Kinds again, when unknowns and numbers of windows are side by side; room (2 n).
tr_status tr_interleave(tr_arena *ar, layout *plan, int *room, tr_blocks *b);
// Where the entries of each column go; place (n): room.
tr_status tr_layout_columns(tr_arena *ar, const tr_pattern *p, const layout *plan, int *place,
                            tr_blocks *b);

#endif
