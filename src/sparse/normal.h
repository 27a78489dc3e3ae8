// SPDX-License-Identifier: Apache-2.0
// S x = b with S = G X^-1 G', symmetric and positive definite, in dense blocks of one size, along graphs that fall apart
// node by node: chains, trees, rows of loops. One right-hand side for each matrix, eliminated with it.
//
// (1) Nodes are eliminated by their number of neighbours, of two the one that has waited longer: both ends of a chain by turns,
//     so that one need not wait for the other.
// (2) A block has rows of four numbers. That of a node has b in the last column; it may come as the sum of two. That of two
//     nodes has its rows in the one that is eliminated first.
//       D := own + other,   M := D^-1 (B, b),   (own, b)_i -= B_i' M_i,   B_ij -= B_i' M_j
//       x := M b - M x, backwards
#ifndef TR_NORMAL_H
#define TR_NORMAL_H

#include "base/base.h"

enum { TR_NORMAL_STRIDE = 4 };

typedef struct normal_link {
  int at, row; // its block; where x of the other node is
} normal_link;

typedef struct normal_node {
  int own, other; // blocks; other -1: there is none
  int row;        // where its x is
  int links;      // the next ones
  double least;   // determinant of D that is none
} normal_node;

typedef struct tr_normal {
  int width, nodes;
  int numbers, filled; // of all blocks; those from `filled` on begin as 0
  normal_node *node;   // (nodes) in the order of elimination
  int links;
  normal_link *link; // (links) of the first node, of the second ..
  int *target;       // of each node's links i <= j, row by row
} tr_normal;

// What is known of S: nodes and the blocks between two of them.
typedef struct tr_normal_pair {
  int a, b, at;
} tr_normal_pair;

// rank (nodes): when each is eliminated. *good false: it is not worth while.
tr_status tr_normal_order(tr_allocator *al, int nodes, int pairs, const tr_normal_pair *pair,
                          int *rank, bool *good);
// row (nodes): where the x of each is; own, other: places of their blocks; numbers: of all these blocks. *out NULL: not worth while.
tr_status tr_normal_plan(tr_arena *ar, tr_allocator *al, int width, int nodes, const int *rank,
                         const int *row, const int *own, const int *other, int pairs,
                         const tr_normal_pair *pair, int numbers, tr_normal **out);
// False: S is singular, or nearly so.
bool tr_normal_solve(const tr_normal *p, double *F, double *x);

#endif
