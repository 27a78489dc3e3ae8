// SPDX-License-Identifier: Apache-2.0
// Norms of plain arrays.
#ifndef TR_VECTOR_H
#define TR_VECTOR_H

#include <math.h>
#include <stdbool.h>

// Of two numbers, by one instruction, where fmax and fmin are calls; a if b is a NaN.
static inline double max2(double a, double b) { return b > a ? b : a; }
static inline double min2(double a, double b) { return b < a ? b : a; }

enum { VEC_FEW = 16 }; // so few are done at once: a NaN is in the sum

double vec_largest(const double *x, int n); // max |x_i|; a NaN counts as infinite
double vec_apart(const double *x, double f, const double *y, int n); // max |x_i - f y_i|, the same
bool vec_finite(const double *x, int n);

// vec_largest of two, side by side; of few numbers a NaN in one counts for both.
void vec_largest_two(const double *x, const double *y, int n, double *a, double *b);

static inline double vec_norm(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i];
  return sqrt(s);
}

#endif
