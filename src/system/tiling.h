// SPDX-License-Identifier: Apache-2.0
// Which bodies are written to the matrix before which tile of the block solver, and what of a walk to the residual must have
// come before that: found by tiling.c, followed by tangent.c and stretch.c.
#ifndef TR_TILING_H
#define TR_TILING_H

// Before tile t of the block solver, pieces from first[t + 1] on are due; t = -1: before all of them.
typedef struct sys_piece {
  int first, end, tape; // bodies or joints, where numbers of bodies of the tape begin
} sys_piece;
typedef struct sys_pieces {
  int *first;
  sys_piece *piece;
} sys_pieces;

// Gaps likewise. All elements are due before all tiles.
typedef struct sys_tiling {
  int tiles;
  sys_pieces written;
  int *first_gap;
  int elements; // where their numbers of the tape begin
  // Of a walk (stretch.h) that the tiles, and their part of the residual, cannot do without.
  bool walks; // or it comes before all of them, as a whole
  sys_pieces bodies, joints, held;
} sys_tiling;

#endif
