// SPDX-License-Identifier: Apache-2.0
// Segments of chains in S x = r of normal.h, four side by side, one in each lane: what is between the two nodes at its ends,
// which stay, is eliminated link by link, and what is left looks like one link.
//
// A link has (A, C; C', B) of its two nodes and (a, b) of r; A and B by their upper rows. One after the other makes one of both:
// with D = B + A2 and d = b + a2 of the node between them, D = L E L', Y = L^-1 (C', C2, d), Z = E^-1 Y, X = L^-T Z
//   A -= Y_1' Z_1,  a -= Y_1' z,  C := -Y_1' Z_2,  B := B2 - Y_2' Z_2,  b := b2 - Y_2' z,      x = X_3 - X_1 x_1 - X_2 x_2
#ifndef TR_FOLD_H
#define TR_FOLD_H

#include <stdbool.h>

// Numbers, each for four: of a link (A, a, C, B, b), and of what is kept of a node (X by columns). Width 2 or 3.
enum { TR_FOLD_LINK = 27, TR_FOLD_KEPT = 21 };
static inline int tr_fold_link(int width) { return width == 3 ? TR_FOLD_LINK : 14; }
static inline int tr_fold_kept(int width) { return width == 3 ? TR_FOLD_KEPT : 10; }

// fold := fold and then link. least: of each segment the determinant of D that is none; false: so it is.
bool tr_fold(int width, const double *link, const double *least, double *fold, double *kept);
// x of a node by that where the segment begins and that behind it.
void tr_unfold(int width, const double *kept, const double *first, const double *next, double *x);
// A link to where normal.h has blocks: of its first node in each lane, of both, of the second.
void tr_fold_put(int width, const double *link, double *const *first, double *const *across,
                 double *const *second);

#endif
