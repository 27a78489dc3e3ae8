// SPDX-License-Identifier: Apache-2.0
// Which bodies are written to the matrix before which tile of the block solver: found by tiling.c, followed by tangent.c.
#ifndef TR_TILING_H
#define TR_TILING_H

// Before tile t of the block solver, bodies of the pieces from first_piece[t + 1] on are due, and gaps from first_gap[t + 1]
// on; before all of them, t = -1, all elements too.
typedef struct sys_piece {
  int first, end, tape; // bodies, where their numbers of the tape begin
} sys_piece;

typedef struct sys_tiling {
  int *first_piece, *first_gap;
  sys_piece *piece;
  int elements; // where those of the tape begin
} sys_tiling;

#endif
