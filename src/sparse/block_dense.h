// SPDX-License-Identifier: Apache-2.0
// Products of dense blocks. Whatever the tiles, each number is the sum of its products in their order. Included by
// block.c.

// C (rows x columns, stride ld) -= A (rows x w) B (w x columns, stride ldb)
FIXED void subtract(int rows, int w, int columns, const double *restrict A,
                    const double *restrict B, int ldb, double *restrict C, int ld) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      double sum = A[i * w] * B[j];
      for (int k = 1; k < w; k++) sum += A[i * w + k] * B[k * ldb + j];
      C[i * ld + j] -= sum;
    }
}

// sum (m x 4 fours) = A (m x w) B (w x 4 fours, stride ldb), all of it in registers
FIXED void multiply_tile(int m, int fours, int w, const double *A, const double *B, int ldb,
                         lanes sum[4][2]) {
  for (int i = 0; i < m; i++)
    for (int f = 0; f < fours; f++) sum[i][f] = A[i * w] * *(const lanes_anywhere *)(B + 4 * f);
  for (int k = 1; k < w; k++)
    for (int i = 0; i < m; i++)
      for (int f = 0; f < fours; f++)
        sum[i][f] += A[i * w + k] * *(const lanes_anywhere *)(B + k * ldb + 4 * f);
}

// T (m x columns, stride CHUNK) = A (m x w) B (w x columns, stride ldb)
enum { CHUNK = 64 };
FIXED void multiply_strip(int m, int w, int columns, const double *A, const double *B, int ldb,
                          double *T) {
  lanes sum[4][2];
  int j = 0;
  for (; j + 8 <= columns; j += 8) {
    multiply_tile(m, 2, w, A, B + j, ldb, sum);
    for (int i = 0; i < m; i++)
      for (int f = 0; f < 2; f++) *(lanes_anywhere *)(T + i * CHUNK + j + 4 * f) = sum[i][f];
  }
  for (; j + 4 <= columns; j += 4) {
    multiply_tile(m, 1, w, A, B + j, ldb, sum);
    for (int i = 0; i < m; i++) *(lanes_anywhere *)(T + i * CHUNK + j) = sum[i][0];
  }
  for (; j < columns; j++)
    for (int i = 0; i < m; i++) {
      double one = A[i * w] * B[j];
      for (int k = 1; k < w; k++) one += A[i * w + k] * B[k * ldb + j];
      T[i * CHUNK + j] = one;
    }
}

// What row `row` of run i has in T, in the columns of runs j .. end - 1, is taken from where it belongs.
FIXED void scatter_row(const block_kind *kind, int i, int row, int j, int end, const double *T,
                       double *D) {
  const block_run *run = kind->run;
  const block_target *to = block_targets(kind) + i * kind->runs;
  int first = run[j].row;
  row -= run[i].row;
  for (; j < end; j++) {
    double *C = D + to[j].at + row * to[j].step;
    const double *from = T + run[j].row - first;
    int c = 0, size = run[j].size;
    for (; c + 4 <= size; c += 4) *(lanes_anywhere *)(C + c) -= *(const lanes_anywhere *)(from + c);
    for (; c < size; c++) C[c] -= from[c];
  }
}

// The products of rows in runs from .. to - 1 and columns in runs first .. end - 1 of a wide node, whose runs may be
// short: four rows by a chunk of columns at a time, whatever runs they belong to.
FIXED void subtract_runs(const block_kind *kind, int from, int to, int first, int end, double *D) {
  int w = kind->width;
  const double *L = D + w * w, *U = L + kind->rows * w;
  const block_run *run = kind->run;
  if (from == to) return;
  int last = run[to - 1].row + run[to - 1].size;
  for (int j = first, next; j < end; j = next) {
    double T[4 * CHUNK];
    int columns = 0, i = from;
    for (next = j; next < end && columns + run[next].size <= CHUNK; next++)
      columns += run[next].size;
    for (int row = run[from].row, m; row < last; row += m) {
      m = row + 4 <= last ? 4 : 1;
      const double *A = L + row * w, *B = U + run[j].row;
      if (m == 4)
        multiply_strip(4, w, columns, A, B, kind->rows, T);
      else
        multiply_strip(1, w, columns, A, B, kind->rows, T);
      for (int r = row; r < row + m; r++) {
        if (r >= run[i].row + run[i].size) i++;
        scatter_row(kind, i, r, j, next, T + (r - row) * CHUNK, D);
      }
    }
  }
}

// L (m x w) := L D
FIXED void scale_strip(int m, int w, const double *D, double *L) {
  double row[4 * WIDTH], out[4 * CHUNK];
  for (int k = 0; k < m * w; k++) row[k] = L[k];
  multiply_strip(m, w, w, row, D, w, out);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < w; j++) L[i * w + j] = out[i * CHUNK + j];
}

FIXED void scale_all(int rows, int w, const double *D, double *L) {
  int i = 0;
  for (; i + 4 <= rows; i += 4) scale_strip(4, w, D, L + i * w);
  for (; i < rows; i++) scale_strip(1, w, D, L + i * w);
}

// Worth these kernels, whatever its runs are like.
static inline bool is_wide(const block_kind *kind) {
  return !kind->lanes && kind->width >= 4 && (kind->width > 6 || kind->rows >= 16);
}

// A wide node, its products as far as they do not have both rows and columns in runs from `limit` on.
FIXED void factor_dense(const block_kind *kind, int limit, const double *d, double *D,
                        block_report *report, bool *ok) {
  int w = kind->width;
  *ok = invert(w, d, D, report);
  if (!*ok) return;
  scale_all(kind->rows, w, D, D + w * w);
  subtract_runs(kind, 0, limit, 0, kind->runs, D);
  subtract_runs(kind, limit, kind->runs, 0, limit, D);
}

// Apart from the many kernels of small nodes, which want registers too.
#define APART(name, body, parameters, arguments)    \
  TR_WIDE(name##_here, body, parameters, arguments) \
  __attribute__((noinline)) static void name parameters { name##_here arguments; }
APART(factor_wide, factor_dense,
      (const block_kind *kind, int limit, const double *d, double *D, block_report *report,
       bool *ok),
      (kind, limit, d, D, report, ok))
APART(subtract_wide, subtract_runs,
      (const block_kind *kind, int from, int to, int first, int end, double *D),
      (kind, from, to, first, end, D))
#undef APART
