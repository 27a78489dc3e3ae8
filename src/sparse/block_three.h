// SPDX-License-Identifier: Apache-2.0
// Nodes of two or three pivots whose runs have three rows each, as those of ball joints: blocks of nine numbers that
// stand together, worked on as four, four and one. Each number is what the plain loops of block.c make of it, to the last
// bit. Included by block.c.

typedef struct nine {
  lanes a, b;
  double c;
} nine;

// x, y, z for the rows of a block
FIXED void by_rows(double x, double y, double z, nine *n) {
  lanes X = {x, x, x, x}, Y = {y, y, y, y}, Z = {z, z, z, z};
  n->a = __builtin_shufflevector(X, Y, 0, 1, 2, 7);
  n->b = __builtin_shufflevector(Y, Z, 0, 1, 6, 7), n->c = z;
}

// u[0], u[1], u[2] for its columns; u[-1] is of the same node and does not matter
FIXED void by_columns(const double *u, nine *n) {
  lanes x = *(const lanes_anywhere *)(u - 1);
  n->a = __builtin_shufflevector(x, x, 1, 2, 3, 1);
  n->b = __builtin_shufflevector(x, x, 2, 3, 1, 2), n->c = u[2];
}

// A (3 x w) B (w x 3), A a column and B a row at a time
FIXED void multiply(int w, const nine *A, const nine *B, nine *p) {
  p->a = A[0].a * B[0].a, p->b = A[0].b * B[0].b, p->c = A[0].c * B[0].c;
  for (int k = 1; k < w; k++)
    p->a += A[k].a * B[k].a, p->b += A[k].b * B[k].b, p->c += A[k].c * B[k].c;
}

// C (3 x 3, from one row to the next: step) -= x
FIXED void subtract_nine(const nine *x, double *C, int step) {
  if (step == 3) {
    *(lanes_anywhere *)C -= x->a, *(lanes_anywhere *)(C + 4) -= x->b, C[8] -= x->c;
    return;
  }
  double *next = C + step, *last = next + step;
  C[0] -= x->a[0], C[1] -= x->a[1], C[2] -= x->a[2];
  next[0] -= x->a[3], next[1] -= x->b[0], next[2] -= x->b[1];
  last[0] -= x->b[2], last[1] -= x->b[3], last[2] -= x->c;
}

// L (3 x 2) D, two rows and one; L (3 x 3) D
FIXED void times_two(const double *I, double *L) {
  lanes first = {I[0], I[1], I[0], I[1]}, second = {I[2], I[3], I[2], I[3]};
  lanes x = *(const lanes_anywhere *)L;
  *(lanes_anywhere *)L = __builtin_shufflevector(x, x, 0, 0, 2, 2) * first +
                         __builtin_shufflevector(x, x, 1, 1, 3, 3) * second;
  double y = L[4], z = L[5];
  L[4] = y * I[0] + z * I[2], L[5] = y * I[1] + z * I[3];
}

FIXED void times_three(const double *I, double *L) {
  nine A[3], B[3], p;
  for (int k = 0; k < 3; k++) {
    double x = I[3 * k], y = I[3 * k + 1], z = I[3 * k + 2];
    by_rows(L[k], L[3 + k], L[6 + k], A + k);
    B[k].a = (lanes){x, y, z, x}, B[k].b = (lanes){y, z, x, y}, B[k].c = z;
  }
  multiply(3, A, B, &p);
  *(lanes_anywhere *)L = p.a, *(lanes_anywhere *)(L + 4) = p.b, L[8] = p.c;
}

FIXED bool factor_threes(const block_kind *kind, int w, const double *d, double *D,
                         block_report *report, int from) {
  int runs = kind->runs;
  double I[9], *L = D + w * w, *U = L + 3 * runs * w;
  for (int i = 0; i < w * w; i++) I[i] = D[i];
  if (!invert(w, d, I, report)) return false;
  for (int i = 0; i < w * w; i++) D[i] = I[i];
  for (int i = 0; i < runs; i++)
    if (w == 2)
      times_two(D, L + 3 * i * w);
    else
      times_three(D, L + 3 * i * w);
  const block_target *target = block_targets(kind);
  for (int i = 0; i < runs; i++, target += runs) {
    const double *l = L + 3 * i * w;
    nine A[3], B[3], p;
    int end = i < from ? runs : from;
    for (int k = 0; k < w; k++) by_rows(l[k], l[w + k], l[2 * w + k], A + k);
    for (int j = 0; j < end; j++) {
      for (int k = 0; k < w; k++) by_columns(U + 3 * (k * runs + j), B + k);
      multiply(w, A, B, &p);
      subtract_nine(&p, D + target[j].at, target[j].step);
    }
  }
  return true;
}
