// SPDX-License-Identifier: Apache-2.0
// Curves through points (x_i, y_i), x increasing: natural cubic splines or straight lines.
//
// The cubic one has the second derivatives m_i at the points, m = 0 at both ends, and goes on straight
// outside: two continuous derivatives everywhere.
//   on [x_i, x_i+1], h their distance, u = (x - x_i)/h, w = 1 - u:
//   y = w y_i + u y_i+1 + h^2/6 ((w^3 - w) m_i + (u^3 - u) m_i+1)
#ifndef TR_SPLINE_H
#define TR_SPLINE_H

#include <stddef.h>

typedef struct tr_spline {
  int n;                   // points, at least 2
  const double *x, *y, *m; // (n) m NULL: straight lines
} tr_spline;

// m (n) from x, y; work (n).
static inline void spline_curvature(int n, const double *x, const double *y, double *m,
                                    double *work) {
  // h_i-1/6 m_i-1 + (h_i-1 + h_i)/3 m_i + h_i/6 m_i+1 = change of slope, eliminated downwards
  m[0] = work[0] = 0;
  for (int i = 1; i < n - 1; i++) {
    double a = x[i] - x[i - 1], b = x[i + 1] - x[i];
    double pivot = (a + b) / 3 - a / 6 * work[i - 1];
    double bend = (y[i + 1] - y[i]) / b - (y[i] - y[i - 1]) / a;
    work[i] = b / 6 / pivot;
    m[i] = (bend - a / 6 * m[i - 1]) / pivot;
  }
  m[n - 1] = 0;
  for (int i = n - 2; i > 0; i--) m[i] -= work[i] * m[i + 1];
}

// out: y, y', y''
static inline void spline_at(const tr_spline *s, double x, double out[3]) {
  int lo = 0, hi = s->n - 1;
  while (hi - lo > 1) {
    int mid = lo + (hi - lo) / 2;
    if (x >= s->x[mid])
      lo = mid;
    else
      hi = mid;
  }
  double h = s->x[hi] - s->x[lo], slope = (s->y[hi] - s->y[lo]) / h;
  double a = s->m ? s->m[lo] : 0, b = s->m ? s->m[hi] : 0;
  double u = (x - s->x[lo]) / h;
  if (u < 0 || u > 1) { // straight on with the slope of the end
    int end = u < 0 ? lo : hi;
    out[1] = slope - h / 6 * (u < 0 ? 2 * a + b : -a - 2 * b);
    out[0] = s->y[end] + out[1] * (x - s->x[end]);
    out[2] = 0;
    return;
  }
  double w = 1 - u;
  out[0] = w * s->y[lo] + u * s->y[hi] + h * h / 6 * ((w * w * w - w) * a + (u * u * u - u) * b);
  out[1] = slope + h / 6 * ((1 - 3 * w * w) * a + (3 * u * u - 1) * b);
  out[2] = w * a + u * b;
}

#endif
