// SPDX-License-Identifier: Apache-2.0
#include "fold.h"

#include "math/lanes.h"
#include "normal.h"

// Columns of Y: of the node before, of the node behind, of r.
enum { WIDEST = 3, COLUMNS = 2 * WIDEST + 1 };

// Places in a link.
TR_INLINE int upper(int w) { return w * (w + 1) / 2; }
TR_INLINE int at_C(int w) { return upper(w) + w; }
TR_INLINE int at_B(int w) { return at_C(w) + w * w; }
TR_INLINE int packed(int w, int i, int j) { return i * w - i * (i - 1) / 2 + j - i; } // i <= j

// Loops are of a few turns whose number is known, and unrolled, so that what they index is in registers.

// L below the diagonal of D, 1/E in e; the determinant.
TR_INLINE void split(int w, lanes (*D)[WIDEST], lanes *e, lanes *det) {
  *det = D[0][0], e[0] = 1 / D[0][0];
#pragma GCC unroll 8
  for (int j = 1; j < w; j++) {
#pragma GCC unroll 8
    for (int i = j; i < w; i++) {
      D[i][j - 1] = D[j - 1][i] * e[j - 1];
#pragma GCC unroll 8
      for (int k = j; k <= i; k++) D[k][i] -= D[i][j - 1] * D[j - 1][k];
    }
    *det *= D[j][j], e[j] = 1 / D[j][j];
  }
}

// Column j of Y, which comes as that of (C', C2, d), and Z.
TR_INLINE void divide(int w, int j, const lanes (*D)[WIDEST], const lanes *e, lanes (*Y)[COLUMNS],
                      lanes (*Z)[COLUMNS]) {
#pragma GCC unroll 8
  for (int i = 0; i < w; i++) {
#pragma GCC unroll 8
    for (int k = 0; k < i; k++) Y[i][j] -= D[i][k] * Y[k][j];
    Z[i][j] = e[i] * Y[i][j];
  }
}

// Column j of L^-T Z
TR_INLINE void put_kept(int w, int j, const lanes (*D)[WIDEST], const lanes (*Z)[COLUMNS],
                        lanes_anywhere *to) {
  lanes x[WIDEST];
#pragma GCC unroll 8
  for (int i = w - 1; i >= 0; i--) {
    x[i] = Z[i][j];
#pragma GCC unroll 8
    for (int k = i + 1; k < w; k++) x[i] -= D[k][i] * x[k];
    to[i] = x[i];
  }
}

// Y_i' Z_j
TR_INLINE void multiply(int w, const lanes (*Y)[COLUMNS], const lanes (*Z)[COLUMNS], int i, int j,
                        lanes *x) {
  *x = Y[0][i] * Z[0][j] + Y[1][i] * Z[1][j];
  if (w > 2) *x += Y[2][i] * Z[2][j];
}

// Row i of what is left.
TR_INLINE void put_rest(int w, int i, const lanes (*Y)[COLUMNS], const lanes (*Z)[COLUMNS],
                        const lanes_anywhere *link, lanes_anywhere *fold) {
  int r = 2 * w, a = upper(w), C = at_C(w) + w * i, B = at_B(w), b = B + a;
  lanes x;
#pragma GCC unroll 8
  for (int j = i; j < w; j++) {
    int at = packed(w, i, j);
    multiply(w, Y, Z, i, j, &x), fold[at] -= x;
    multiply(w, Y, Z, w + i, w + j, &x), fold[B + at] = link[B + at] - x;
  }
#pragma GCC unroll 8
  for (int j = 0; j < w; j++) multiply(w, Y, Z, i, w + j, &x), fold[C + j] = -x;
  multiply(w, Y, Z, i, r, &x), fold[a + i] -= x;
  multiply(w, Y, Z, w + i, r, &x), fold[b + i] = link[b + i] - x;
}

TR_INLINE void fold_one(int w, const double *next, const double *least, double *sum, double *keep,
                        bool *good) {
  const lanes_anywhere *link = (const lanes_anywhere *)next;
  lanes_anywhere *fold = (lanes_anywhere *)sum, *kept = (lanes_anywhere *)keep;
  lanes D[WIDEST][WIDEST], Y[WIDEST][COLUMNS], Z[WIDEST][COLUMNS], e[WIDEST], det;
  int r = 2 * w, a = upper(w), C = at_C(w), B = at_B(w);
#pragma GCC unroll 8
  for (int i = 0; i < w; i++)
#pragma GCC unroll 8
    for (int j = i; j < w; j++) D[i][j] = fold[B + packed(w, i, j)] + link[packed(w, i, j)];
  split(w, D, e, &det);
  lanes_mask large = det > *(const lanes_anywhere *)least;
  *good = lanes_all(&large);
#pragma GCC unroll 8
  for (int j = 0; j <= r; j++) {
#pragma GCC unroll 8
    for (int i = 0; i < w; i++)
      if (j < w)
        Y[i][j] = fold[C + w * j + i];
      else
        Y[i][j] = j < r ? (lanes)link[C + w * i + j - w] : (lanes)(fold[B + a + i] + link[a + i]);
    divide(w, j, D, e, Y, Z);
    put_kept(w, j, D, Z, kept + w * j);
  }
#pragma GCC unroll 8
  for (int i = 0; i < w; i++) put_rest(w, i, Y, Z, link, fold);
}

TR_INLINE void unfold_one(int w, const double *keep, const double *from, const double *behind,
                          double *to) {
  const lanes_anywhere *X = (const lanes_anywhere *)keep;
  const lanes_anywhere *first = (const lanes_anywhere *)from;
  const lanes_anywhere *next = (const lanes_anywhere *)behind;
  lanes_anywhere *x = (lanes_anywhere *)to;
  for (int i = 0; i < w; i++) {
    lanes y = X[2 * w * w + i];
    for (int j = 0; j < w; j++) y -= X[w * j + i] * first[j] + X[w * (w + j) + i] * next[j];
    x[i] = y;
  }
}

// Rows of w numbers of each lane, and the last of four.
TR_INLINE void put_row(int w, int i, lanes *x, const lanes_anywhere *last, double *const *to) {
  POINTERS(double, row, to[l] + TR_NORMAL_STRIDE * i);
  if (w == 2) x[2] = *last;
  x[3] = *last;
  lanes_store4(x, row);
}

TR_INLINE void put_one(int w, const double *from, double *const *first, double *const *across,
                       double *const *second) {
  const lanes_anywhere *A = (const lanes_anywhere *)from, *C = A + at_C(w), *B = A + at_B(w);
  for (int i = 0; i < w; i++) {
    lanes a[4], b[4], c[4];
    for (int j = 0; j < w; j++) {
      int at = i < j ? packed(w, i, j) : packed(w, j, i);
      a[j] = A[at], b[j] = B[at], c[j] = C[w * i + j];
    }
    put_row(w, i, a, &A[upper(w) + i], first);
    put_row(w, i, c, &A[upper(w) + i], across);
    put_row(w, i, b, &B[upper(w) + i], second);
  }
}

TR_INLINE void put_any(int w, const double *link, double *const *first, double *const *across,
                       double *const *second) {
  if (w == 3)
    put_one(3, link, first, across, second);
  else
    put_one(2, link, first, across, second);
}
TR_WIDE(put_wide, put_any,
        (int w, const double *link, double *const *first, double *const *across,
         double *const *second),
        (w, link, first, across, second))

TR_INLINE void fold_any(int w, const double *link, const double *least, double *fold, double *kept,
                        bool *good) {
  if (w == 3)
    fold_one(3, link, least, fold, kept, good);
  else
    fold_one(2, link, least, fold, kept, good);
}
TR_WIDE(fold_wide, fold_any,
        (int w, const double *link, const double *least, double *fold, double *kept, bool *good),
        (w, link, least, fold, kept, good))

TR_INLINE void unfold_any(int w, const double *kept, const double *first, const double *next,
                          double *x) {
  if (w == 3)
    unfold_one(3, kept, first, next, x);
  else
    unfold_one(2, kept, first, next, x);
}
TR_WIDE(unfold_wide, unfold_any,
        (int w, const double *kept, const double *first, const double *next, double *x),
        (w, kept, first, next, x))

bool tr_fold(int width, const double *link, const double *least, double *fold, double *kept) {
  bool good;
  fold_wide(width, link, least, fold, kept, &good);
  return good;
}

void tr_unfold(int width, const double *kept, const double *first, const double *next, double *x) {
  unfold_wide(width, kept, first, next, x);
}

void tr_fold_put(int width, const double *link, double *const *first, double *const *across,
                 double *const *second) {
  put_wide(width, link, first, across, second);
}
