// SPDX-License-Identifier: Apache-2.0
#include "vector.h"

#include "lanes.h"

static const long long INFINITE = 0x7ff0000000000000ll; // its bits

// The bits of |x| in the order of the numbers: a NaN is above the infinite.
TR_INLINE void raise_to(const lanes_mask *a, lanes_mask *most) {
  lanes_mask more = *a > *most;
  *most = (*a & more) | (*most & ~more);
}
TR_INLINE void raise_bits(const double *x, lanes_mask *most) {
  lanes_mask a = (lanes_mask) * (const lanes_anywhere *)x & 0x7fffffffffffffffll;
  raise_to(&a, most);
}

// n >= LANES; the last four numbers may be looked at twice
TR_INLINE void largest_all(const double *x, int n, double *out) {
  lanes_mask a = {0}, b = {0}, c = {0}, d = {0}, odd;
  int i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES) {
    raise_bits(x + i, &a), raise_bits(x + i + LANES, &b);
    raise_bits(x + i + 2 * LANES, &c), raise_bits(x + i + 3 * LANES, &d);
  }
  for (; i + LANES < n; i += LANES) raise_bits(x + i, &a);
  raise_bits(x + n - LANES, &b);
  raise_to(&b, &a), raise_to(&d, &c), raise_to(&c, &a);
  odd = a >= INFINITE;
  lanes top = (lanes)a;
  *out = odd[0] | odd[1] | odd[2] | odd[3] ? INFINITY : lanes_top(&top);
}

TR_WIDE(largest, largest_all, (const double *x, int n, double *out), (x, n, out))

__attribute__((noinline)) static double largest_of_many(const double *x, int n) {
  double m;
  largest(x, n, &m);
  return m;
}

// Pairs of |x|: the larger ones, and what they add up to.
typedef struct few {
  lanes_pair most, sum;
} few;
TR_INLINE void meet_pair(const double *x, few *f) {
  typedef long long bits __attribute__((vector_size(16)));
  lanes_pair a = (lanes_pair)((bits) * (const lanes_pair *)x & 0x7fffffffffffffffll);
  lanes_raise_pair(&a, &f->most);
  f->sum += a;
}
// With the last number, if that is in no pair; and what all add up to.
TR_INLINE double top_of_few(const few *f, const double *x, int n, double *all) {
  double top = max2(f->most[0], f->most[1]);
  *all = f->sum[0] + f->sum[1];
  if (n % 2 == 1) top = max2(top, fabs(x[n - 1])), *all += fabs(x[n - 1]);
  return top;
}

double vec_largest(const double *x, int n) {
  few f = {{0}, {0}};
  double all;
  if (n > VEC_FEW) return largest_of_many(x, n);
  for (int i = 0; i + 1 < n; i += 2) meet_pair(x + i, &f);
  double top = top_of_few(&f, x, n, &all);
  return all == all ? top : INFINITY;
}

__attribute__((noinline)) static void largest_two_of_many(const double *x, const double *y, int n,
                                                          double *a, double *b) {
  largest(x, n, a), largest(y, n, b);
}

void vec_largest_two(const double *x, const double *y, int n, double *a, double *b) {
  few f = {{0}, {0}}, g = {{0}, {0}};
  double all, rest;
  if (n > VEC_FEW) {
    largest_two_of_many(x, y, n, a, b);
    return;
  }
  for (int i = 0; i + 1 < n; i += 2) meet_pair(x + i, &f), meet_pair(y + i, &g);
  double top_x = top_of_few(&f, x, n, &all), top_y = top_of_few(&g, y, n, &rest);
  bool finite = all + rest == all + rest;
  *a = finite ? top_x : INFINITY, *b = finite ? top_y : INFINITY;
}

TR_INLINE void apart_all(const double *x, double f, const double *y, int n, double *out) {
  lanes most = {0}, odd = {0};
  double top, rest = 0;
  int i = 0;
  for (; i + LANES <= n; i += LANES) {
    lanes a = *(const lanes_anywhere *)(x + i) - f * *(const lanes_anywhere *)(y + i);
    lanes_raise(&a, &most);
    odd += 0 * a;
  }
  top = lanes_top(&most);
  for (; i < n; i++) {
    double a = fabs(x[i] - f * y[i]);
    top = a > top ? a : top;
    rest += 0 * a;
  }
  rest += odd[0] + odd[1] + odd[2] + odd[3];
  *out = rest == 0 ? top : INFINITY;
}

TR_WIDE(apart, apart_all, (const double *x, double f, const double *y, int n, double *out),
        (x, f, y, n, out))

double vec_apart(const double *x, double f, const double *y, int n) {
  double m = 0, sum = 0;
  if (n > VEC_FEW) {
    apart(x, f, y, n, &m);
    return m;
  }
  for (int i = 0; i < n; i++) {
    double a = fabs(x[i] - f * y[i]);
    m = max2(m, a), sum += a;
  }
  return sum == sum ? m : INFINITY;
}

// 0 unless a NaN or an infinity comes by.
TR_INLINE void nothing_of(const double *x, int n, double *out) {
  lanes sum[2] = {0};
  double all = 0;
  int i = 0;
  for (; i + 2 * LANES <= n; i += 2 * LANES) {
    sum[0] += 0 * *(const lanes_anywhere *)(x + i);
    sum[1] += 0 * *(const lanes_anywhere *)(x + i + LANES);
  }
  for (; i < n; i++) all += 0 * x[i];
  sum[0] += sum[1];
  *out = all + ((sum[0][0] + sum[0][1]) + (sum[0][2] + sum[0][3]));
}

TR_WIDE(nothing, nothing_of, (const double *x, int n, double *out), (x, n, out))

bool vec_finite(const double *x, int n) {
  double all;
  nothing(x, n, &all);
  return all == 0;
}
