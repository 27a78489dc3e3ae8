// SPDX-License-Identifier: Apache-2.0
#include "fold.h"

#include "math/lanes.h"
#include "normal.h"

enum { WIDEST = 3 };

// Places in a link.
TR_INLINE int upper(int w) { return w * (w + 1) / 2; }
TR_INLINE int at_C(int w) { return upper(w) + w; }
TR_INLINE int at_B(int w) { return at_C(w) + w * w; }
TR_INLINE int packed(int w, int i, int j) { return i * w - i * (i - 1) / 2 + j - i; } // i <= j

// Loops are of a few turns whose number is known, and unrolled, so that what they index is in registers.

// The inverse of D by its upper rows, in full; the determinant. One division: two more would wait for each other.
TR_INLINE void invert3(const lanes *D, lanes (*E)[WIDEST], lanes *det) {
  lanes a = D[3] * D[5] - D[4] * D[4], b = D[2] * D[4] - D[1] * D[5], c = D[1] * D[4] - D[2] * D[3];
  *det = D[0] * a + D[1] * b + D[2] * c;
  lanes f = 1 / *det;
  E[0][0] = f * a, E[0][1] = E[1][0] = f * b, E[0][2] = E[2][0] = f * c;
  E[1][1] = f * (D[0] * D[5] - D[2] * D[2]), E[2][2] = f * (D[0] * D[3] - D[1] * D[1]);
  E[1][2] = E[2][1] = f * (D[1] * D[2] - D[0] * D[4]);
}

TR_INLINE void invert2(const lanes *D, lanes (*E)[WIDEST], lanes *det) {
  *det = D[0] * D[2] - D[1] * D[1];
  lanes f = 1 / *det;
  E[0][0] = f * D[2], E[0][1] = E[1][0] = -(f * D[1]), E[1][1] = f * D[0];
}

// x'y
TR_INLINE void multiply(int w, const lanes *x, const lanes_anywhere *y, lanes *out) {
  *out = x[0] * y[0] + x[1] * y[1];
  if (w > 2) *out += x[2] * y[2];
}

// X = E y
TR_INLINE void divide(int w, const lanes (*E)[WIDEST], const lanes *y, lanes_anywhere *X) {
#pragma GCC unroll 8
  for (int i = 0; i < w; i++) {
    lanes x = E[i][0] * y[0] + E[i][1] * y[1];
    X[i] = w > 2 ? x + E[i][2] * y[2] : x;
  }
}

// Row i of what is left; y, z: columns i of C' and C2.
TR_INLINE void put_rest(int w, int i, const lanes *y, const lanes *z, const lanes_anywhere *X,
                        const lanes_anywhere *link, lanes_anywhere *fold) {
  int a = upper(w), C = at_C(w) + w * i, B = at_B(w), b = B + a;
  const lanes_anywhere *X2 = X + w * w, *x = X2 + w * w;
  lanes sum;
#pragma GCC unroll 8
  for (int j = 0; j < w; j++) multiply(w, y, X2 + w * j, &sum), fold[C + j] = -sum;
#pragma GCC unroll 8
  for (int j = i; j < w; j++) {
    int at = packed(w, i, j);
    multiply(w, y, X + w * j, &sum), fold[at] -= sum;
    multiply(w, z, X2 + w * j, &sum), fold[B + at] = link[B + at] - sum;
  }
  multiply(w, y, x, &sum), fold[a + i] -= sum;
  multiply(w, z, x, &sum), fold[b + i] = link[b + i] - sum;
}

TR_INLINE void fold_one(int w, const double *next, const double *least, double *sum, double *keep,
                        bool *good) {
  const lanes_anywhere *link = (const lanes_anywhere *)next;
  lanes_anywhere *fold = (lanes_anywhere *)sum, *X = (lanes_anywhere *)keep;
  lanes D[WIDEST * (WIDEST + 1) / 2], E[WIDEST][WIDEST], y[WIDEST], z[WIDEST], det;
  int a = upper(w), C = at_C(w), B = at_B(w);
#pragma GCC unroll 8
  for (int i = 0; i < a; i++) D[i] = fold[B + i] + link[i];
  if (w == 3)
    invert3(D, E, &det);
  else
    invert2(D, E, &det);
  lanes_mask large = det > *(const lanes_anywhere *)least;
  *good = lanes_all(&large);
#pragma GCC unroll 8
  for (int j = 0; j < w; j++) {
#pragma GCC unroll 8
    for (int i = 0; i < w; i++) y[i] = fold[C + w * j + i], z[i] = link[C + w * i + j];
    divide(w, E, y, X + w * j), divide(w, E, z, X + w * (w + j));
  }
#pragma GCC unroll 8
  for (int i = 0; i < w; i++) y[i] = fold[B + a + i] + link[a + i];
  divide(w, E, y, X + 2 * w * w);
#pragma GCC unroll 8
  for (int i = 0; i < w; i++) {
#pragma GCC unroll 8
    for (int j = 0; j < w; j++) y[j] = fold[C + w * i + j], z[j] = link[C + w * j + i];
    put_rest(w, i, y, z, X, link, fold);
  }
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
