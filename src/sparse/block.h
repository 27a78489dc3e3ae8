// SPDX-License-Identifier: Apache-2.0
// Block LU of KKT matrices: fixed order, dense blocks, pivoting inside a block only.
//
// (1) The plan is made once from the pattern, which need not be symmetric: its union with its transpose
//     counts. Unknowns of one node have the same pattern below and are eliminated together.
// (2) Unknowns with a mass come before the multipliers that act on them. Then the pivots of a multiplier
//     are those of -G A^-1 G', regular wherever the constraints are independent and A is definite.
// (3) Where that fails the factorisation says so and the caller takes another way.
#ifndef TR_BLOCK_H
#define TR_BLOCK_H

#include "by_klu.h"
#include "kkt.h"

enum { BLOCK_PARTS_MAX = 68 }; // of an elimination that go side by side

// Rows that follow each other in the elimination and belong to one node.
typedef struct block_run {
  int first, size; // first: from that of the node on
  int row;         // its first row among those of the node
} block_run;

// Where the product of the rows of one run and the columns of another goes, from D of the node on, and from
// one row to the next; of lanes, from one lane to the next.
typedef struct block_target {
  int at, step;
} block_target;

// Shapes that sweeps are compiled for, by width and sizes of the first and the second run, 0: there is none; of lanes by
// width and number of runs; of one pivot and single rows, as pins through the centres of bars in a plane have them, by
// their number. Those of hinges have five rows, those of universal joints four.
#define BLOCK_SHAPES(X) \
  X(1, 1, 0)            \
  X(1, 2, 0)            \
  X(1, 2, 2)            \
  X(1, 3, 0)            \
  X(1, 3, 3)            \
  X(1, 4, 2)            \
  X(2, 2, 0)            \
  X(2, 2, 2)            \
  X(2, 3, 0)            \
  X(2, 3, 3)            \
  X(3, 3, 0)            \
  X(3, 3, 3)            \
  X(3, 4, 3)            \
  X(3, 5, 3)            \
  X(4, 2, 0)            \
  X(4, 3, 3)            \
  X(4, 4, 0)            \
  X(5, 3, 3)            \
  X(5, 6, 0)            \
  X(6, 5, 0)            \
  X(6, 5, 3)
#define BLOCK_LANES(X) X(2, 1) X(2, 2) X(2, 3) X(3, 1) X(3, 2)
#define BLOCK_SINGLES(X) X(2) X(3) X(4)
// Those of which four go side by side, and those that may wait for them.
#define BLOCK_FOURS(X) X(1, 2, 0) X(1, 2, 2) X(2, 3, 3) X(3, 3, 3)
#define BLOCK_FOUR_LANES(X) X(2, 2) X(3, 2)
#define BLOCK_RESTS(X) X(2, 2, 0) X(3, 3, 0)
#define BLOCK_SHAPE(w, one, two) BLOCK_##w##_##one##_##two,
#define BLOCK_LANE(w, runs) BLOCK_LANES_##w##_##runs,
#define BLOCK_SINGLE(runs) BLOCK_SINGLES_##runs,
typedef enum {
  BLOCK_OTHER,
  BLOCK_SHAPES(BLOCK_SHAPE) BLOCK_LANES(BLOCK_LANE) BLOCK_SINGLES(BLOCK_SINGLE)
} block_shape;
#undef BLOCK_SHAPE
#undef BLOCK_LANE
#undef BLOCK_SINGLE

// What nodes look like; all of one kind, as those of the bodies of a chain, share it. All in whole numbers.
typedef struct block_kind {
  int width, rows, runs;
  int uniform;     // size of all runs, 0: they differ
  int lanes;       // or 0
  int shape;       // a block_shape, for sweeps
  block_run run[]; // (runs), then the targets, (runs x runs) of rows in run i by columns in run j
} block_kind;
static inline const block_target *block_targets(const block_kind *k) {
  return (const block_target *)(k->run + k->runs);
}

// D (w x w), then L (rows x w), then U (w x rows), all by rows. A node of lanes stands for w unknowns
// that do not see each other: run r of unknown l is one row, first + l. Then D has w numbers, L and U
// have runs x w.
typedef struct block_node {
  int first;
  int at; // D among the numbers
  int kind;
} block_node;

// Nodes node .. node + 4 period - 1: four periods alike. All of a period but its last are free: block_window.c. Unknowns
// and numbers of four free nodes, one of each period, lie side by side: those of a node are four apart. Behind them come
// the last nodes of the periods, as elsewhere, but once they are factored those of three pivots are stored by columns.
// First come D and U of all, then L of all.
enum { BLOCK_FOUR = 4, BLOCK_PERIOD_MAX = 8 };
typedef struct block_window {
  int node, period;
  int next;   // the node that the last one writes to
  bool alike; // it follows another one that is the same in all but that
  bool clean; // nobody else writes to L and U of its last nodes
} block_window;

typedef struct tr_blocks {
  int n, nodes;
  // Nodes part[p] .. part[p + 1] - 1 are subtrees of the elimination: nobody else needs them but the top, the
  // nodes from part[parts] and unknowns from top on. Bridges are the nodes of parts that have rows in it.
  int parts, top;
  const int *part;                  // (parts + 1)
  const int *bridge, *first_bridge; // those of part p: first_bridge[p] .. first_bridge[p + 1] - 1
  int numbers;                      // of the factors
  double flops;                     // of a factorisation
  bool measured;                    // against what they were made of: see tr_blocks_factor
  bool bold;        // there are regular matrices that they do not manage: see block_order.h
  int *order;       // (n) unknown that is eliminated k-th
  bool threes;      // they come by threes that follow each other: order[3 k + i] = order[3 k] + i
  block_node *node; // (nodes) as they are visited
  const int *kind;  // block_kind one after the other
  int windows;
  block_window *window; // by node, then one at the end of all
  // Nodes tile[t] .. tile[t + 1] - 1 are filled and factored while they are in the cache; those of part p: tiles
  // first_tile[p] .. first_tile[p + 1] - 1. They touch unknowns of their part before reach[t]. None: all together.
  int tiles;
  const int *tile, *first_tile, *reach;
  // (2 n) where the entries of a column of the matrix go: the first one, and the list that says how far
  // from it each of them is
  const int *column, *offsets;
} tr_blocks;

// The block solver does about that many times as many operations in a time as KLU.
#define TR_BLOCK_SPEED 4.0

// NULL in *out: KLU will do better. *klu: what that takes, where the operations are so many that it was asked.
tr_status tr_blocks_plan(tr_arena *ar, const tr_pattern *p, tr_klu_cost *klu, tr_blocks **out);

// Smallest and largest pivot met, and the largest entry of a diagonal block, all scaled.
typedef struct block_report {
  double least, most, largest;
} block_report;

// (n) As if there were no windows, all nodes one by one.
void tr_blocks_plain_order(const tr_blocks *b, int *order);

// F (numbers) is the matrix, scattered by tr_blocks_fill or by the caller who knows where; then the factors.
// d (n), in the order of elimination, makes the matrix D A D look balanced.
// Pivots may grow by nature: what carries a branch of a tree has its inertia. In a measured plan d is
// written, from the sum of all that a pivot was made of: its size then tells what has cancelled.
// False: a pivot vanished or is not finite.
void tr_blocks_clear(const tr_blocks *b, tr_team *team, double *F);
void tr_blocks_fill(const tr_blocks *b, tr_team *team, const tr_pattern *p, const double *values,
                    double *F);
bool tr_blocks_factor(const tr_blocks *b, tr_team *team, double *d, double *F,
                      block_report *report);
// Tile by tile: before(what, hand, t) makes the numbers of tile t and returns their d, less that of the first unknowns;
// TR_DUE_FIRST: of the top, and all numbers that do not wait for any tile. after: it is factored, or NULL. hand: who of the
// team asks.
typedef struct tr_block_tiling {
  double *(*before)(void *what, int hand, int tile);
  void (*after)(void *what, int tile);
  void *what;
} tr_block_tiling;
enum { TR_DUE_FIRST = -1 };
bool tr_blocks_factor_tiles(const tr_blocks *b, tr_team *team, const tr_block_tiling *tiling,
                            double *F, block_report *report);
// (numbers) The first tile whose nodes read a number or subtract from it. Those of the top are due first.
void tr_blocks_due(const tr_blocks *b, int *due);
bool tr_blocks_apart(const tr_blocks *b, int one, int other); // tiles of two parts
// (n) The tile whose descent reads an unknown of the right-hand side first, TR_DUE_FIRST: that of the top.
void tr_blocks_read(const tr_blocks *b, int *tile);
void tr_blocks_slots(const tr_blocks *b, const tr_pattern *p, int *slot); // (nnz) of F
// How far the next number of the same node is from one of them, and the end of all for which that is so.
int tr_blocks_next(const tr_blocks *b, int number, int *end);
// Numbers that a factorisation writes, whatever was there before: made[i] := value; F[i] := 0.
void tr_blocks_made(const tr_blocks *b, int value, unsigned char *made);
void tr_blocks_clear_made(const tr_blocks *b, double *F);
// Where the entries of column j of the matrix are in F: first + offset[k] for the k-th.
typedef struct tr_block_column {
  int first;
  const int *offset;
} tr_block_column;
static inline tr_block_column tr_blocks_column(const tr_blocks *b, int j) {
  return (tr_block_column){b->column[2 * j], b->offsets + b->column[2 * j + 1]};
}
// In place, `count` right-hand sides one after the other; x: room for 2 n. False: a solution is not finite.
bool tr_blocks_solve(const tr_blocks *b, tr_team *team, const double *F, double *x, int count,
                     double *rhs);
// Factors of two matrices side by side in `twin` (2 numbers, even in memory); then two right-hand sides, one of each, for
// the price of two of one matrix.
void tr_blocks_pair(const tr_blocks *b, tr_team *team, const double *one, const double *other,
                    double *twin);
bool tr_blocks_solve_twins(const tr_blocks *b, tr_team *team, const double *twin, double *x,
                           double *rhs);
// The same of one right-hand side in two halves: through each tile, once it is factored, and TR_DUE_FIRST before all; then
// back.
void tr_blocks_descend(const tr_blocks *b, tr_team *team, const double *F, double *x,
                       const double *rhs, int tile);
bool tr_blocks_ascend(const tr_blocks *b, tr_team *team, const double *F, double *x, double *rhs);

#endif
