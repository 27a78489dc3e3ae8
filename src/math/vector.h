// SPDX-License-Identifier: Apache-2.0
// Norms of plain arrays.
#ifndef TR_VECTOR_H
#define TR_VECTOR_H

#include <math.h>
#include <stdbool.h>

double tr_vec_largest(const double *x, int n);

// max |x_i|; a NaN counts as infinite.
static inline double vec_largest(const double *x, int n) {
  double m = 0;
  if (n > 16) return tr_vec_largest(x, n);
  for (int i = 0; i < n; i++) {
    double a = fabs(x[i]);
    m = a > m ? a : m;
    if (a != a) return INFINITY;
  }
  return m;
}

double tr_vec_apart(const double *x, double f, const double *y, int n);

// max |x_i - f y_i|, the same
static inline double vec_apart(const double *x, double f, const double *y, int n) {
  double m = 0;
  if (n > 16) return tr_vec_apart(x, f, y, n);
  for (int i = 0; i < n; i++) {
    double a = fabs(x[i] - f * y[i]);
    m = a > m ? a : m;
    if (a != a) return INFINITY;
  }
  return m;
}

bool vec_finite(const double *x, int n);

static inline double vec_norm(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i];
  return sqrt(s);
}

#endif
