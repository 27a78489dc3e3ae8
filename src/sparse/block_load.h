// SPDX-License-Identifier: Apache-2.0
// Right-hand sides to the order of the elimination and back, one or two side by side: part of block_solve.c. Back, what is not
// finite makes the result something else than 0.
//
// Bodies and points in space have unknowns that go by threes: order[3 k + i] = order[3 k] + i, or four apart in windows.
// These are moved together.

static bool by_threes(const tr_blocks *b, int first, int end) {
  return b->threes && first % 3 == 0 && end % 3 == 0;
}

FIXED void load_one(int n, const int *restrict order, const double *restrict rhs,
                    double *restrict x) {
#pragma GCC unroll 4
  for (int k = 0; k < n; k++) x[k] = rhs[order[k]];
}

FIXED void load_two(int n, const int *restrict order, const double *restrict rhs,
                    const double *restrict second, pair *restrict x) {
#pragma GCC unroll 4
  for (int k = 0; k < n; k++) x[k] = (pair){rhs[order[k]], second[order[k]]};
}

FIXED double unload_one(int n, const int *restrict order, const double *restrict x,
                        double *restrict rhs) {
  double odd = 0, even = 0; // sums that do not wait for each other
  for (int k = n % 2; k < n; k += 2) {
    double a = x[k], b = x[k + 1];
    rhs[order[k]] = a, rhs[order[k + 1]] = b;
    odd += a - a, even += b - b;
  }
  if (n % 2 == 1) rhs[order[0]] = x[0], odd += x[0] - x[0];
  return odd + even;
}

FIXED double unload_two(int n, const int *restrict order, const pair *restrict x,
                        double *restrict rhs, double *restrict second) {
  pair odd = {0}, even = {0};
  for (int k = n % 2; k < n; k += 2) {
    pair a = x[k], b = x[k + 1];
    rhs[order[k]] = a[0], second[order[k]] = a[1];
    rhs[order[k + 1]] = b[0], second[order[k + 1]] = b[1];
    odd += a - a, even += b - b;
  }
  if (n % 2 == 1) rhs[order[0]] = x[0][0], second[order[0]] = x[0][1], odd += x[0] - x[0];
  odd += even;
  return odd[0] + odd[1];
}

static inline lanes_pair two_at(const double *x) { return *(const lanes_pair *)x; }

FIXED void load_threes(int n, const int *restrict order, const double *restrict rhs,
                       double *restrict x) {
#pragma GCC unroll 2
  for (int k = 0; k < n; k += 3) {
    const double *from = rhs + order[k];
    *(lanes_pair *)(x + k) = two_at(from), x[k + 2] = from[2];
  }
}

// Threes of four that lie side by side, n unknowns in all.
FIXED void load_fours(int n, const int *restrict order, const double *restrict rhs,
                      double *restrict x) {
  for (int k = 0; k < n; k += 3 * LANES) {
    POINTERS(const double, from, rhs + order[k + l]);
    lanes even = __builtin_shufflevector(two_at(from[0]), two_at(from[2]), 0, 1, 2, 3);
    lanes odd = __builtin_shufflevector(two_at(from[1]), two_at(from[3]), 0, 1, 2, 3);
    AT(x + k) = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    AT(x + k + LANES) = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
    AT(x + k + 2 * LANES) = (lanes){from[0][2], from[1][2], from[2][2], from[3][2]};
  }
}

FIXED void load_two_threes(int n, const int *restrict order, const double *restrict rhs,
                           const double *restrict second, pair *restrict x) {
  for (int k = 0; k < n; k += 3) {
    const double *one = rhs + order[k], *two = second + order[k];
    pair a = two_at(one), b = two_at(two);
    x[k] = __builtin_shufflevector(a, b, 0, 2), x[k + 1] = __builtin_shufflevector(a, b, 1, 3);
    x[k + 2] = (pair){one[2], two[2]};
  }
}

FIXED double unload_threes(int n, const int *restrict order, const double *restrict x,
                           double *restrict rhs) {
  pair sum = {0};
  double last = 0;
#pragma GCC unroll 2
  for (int k = 0; k < n; k += 3) {
    double *to = rhs + order[k], c = x[k + 2];
    pair a = two_at(x + k);
    *(lanes_pair *)to = a, to[2] = c;
    sum += a - a, last += c - c;
  }
  return sum[0] + sum[1] + last;
}

FIXED double unload_fours(int n, const int *restrict order, const double *restrict x,
                          double *restrict rhs) {
  lanes sum = {0};
  for (int k = 0; k < n; k += 3 * LANES) {
    POINTERS(double, to, rhs + order[k + l]);
    lanes y[3] = {OF(x + k), OF(x + k + LANES), OF(x + k + 2 * LANES)};
    lanes_store3(y, to);
    for (int i = 0; i < 3; i++) sum += y[i] - y[i];
  }
  return sum[0] + sum[1] + sum[2] + sum[3];
}

FIXED double unload_two_threes(int n, const int *restrict order, const pair *restrict x,
                               double *restrict rhs, double *restrict second) {
  pair sum = {0}, last = {0};
  for (int k = 0; k < n; k += 3) {
    double *one = rhs + order[k], *two = second + order[k];
    pair a = x[k], b = x[k + 1], c = x[k + 2];
    *(lanes_pair *)one = __builtin_shufflevector(a, b, 0, 2);
    *(lanes_pair *)two = __builtin_shufflevector(a, b, 1, 3);
    one[2] = c[0], two[2] = c[1];
    sum += (a - a) + (b - b), last += c - c;
  }
  sum += last;
  return sum[0] + sum[1];
}
