// SPDX-License-Identifier: Apache-2.0
// A plane curve through given points: the cubic spline of x and y over the chord length, natural at
// the ends, or closed with all derivatives continuous up to the second. Prepared once in
// tr_rows.own, per point: chord length u up to it, second derivatives of x and y, and one number of
// scratch.
//
// The foot of a point p is where p - c(u) is perpendicular to the curve, nearest to p. There
//   e = n.(p - c),  t unit tangent, n = (-t_y, t_x), k curvature (positive: bends towards n)
//   grad e = n,  grad of the foot's way on the curve = t/(1 - k e),  grad n = -k t t'/(1 - k e)
#ifndef TR_CURVE_H
#define TR_CURVE_H

#include <math.h>
#include <stdbool.h>

#include "elem.h"

typedef struct foot {
  double e, u;    // signed distance, positive to the left; chord length of the foot
  double t[2], k; // tangent and curvature there
} foot;

enum { U, XX, YY, SCRATCH, OWN };

static inline int curve_spans(const tr_rows *r, bool closed) {
  return closed ? r->rows : r->rows - 1;
}

static inline double span_length(const tr_rows *r, bool closed, int i) {
  int j = i + 1 < r->rows ? i + 1 : 0;
  (void)closed;
  return hypot(r->x[2 * j] - r->x[2 * i], r->x[2 * j + 1] - r->x[2 * i + 1]);
}

// Thomas' algorithm on the second derivatives M of one coordinate (column XX or YY):
//   h_i-1 M_i-1 + 2 (h_i-1 + h_i) M_i + h_i M_i+1 = 6 (s_i - s_i-1),  s slopes of the chords.
// A closed curve is relaxed by Gauss and Seidel: diagonally dominant, factor 1/2 or better
// a sweep.
static inline void curve_solve(const tr_rows *r, bool closed, int axis) {
  int n = r->rows, column = XX + axis;
  const double *x = r->x + axis;
  double *own = r->own;
  for (int sweep = 0; sweep < (closed ? 120 : 1); sweep++) {
    for (int i = closed ? 0 : 1; i < (closed ? n : n - 1); i++) {
      int a = (i + n - 1) % n, b = (i + 1) % n;
      double ha = span_length(r, closed, a), hb = span_length(r, closed, i);
      double rhs = 6 * ((x[2 * b] - x[2 * i]) / hb - (x[2 * i] - x[2 * a]) / ha);
      double before = own[OWN * a + column], after = closed ? own[OWN * b + column] : 0;
      double diagonal = 2 * (ha + hb);
      if (!closed && i > 1) diagonal -= ha * own[OWN * a + SCRATCH];
      own[OWN * i + column] = (rhs - ha * before - hb * after) / diagonal;
      if (!closed) own[OWN * i + SCRATCH] = hb / diagonal;
    }
  }
  for (int i = n - 2; !closed && i > 0; i--)
    own[OWN * i + column] -= own[OWN * i + SCRATCH] * own[OWN * (i + 1) + column];
}

// Why the points make no curve, or NULL.
static inline const char *curve_prepare(const tr_rows *r, bool closed) {
  if (r->columns != 2) return "points are lists of 2 numbers";
  if (r->rows < (closed ? 3 : 2))
    return closed ? "a closed curve needs 3 points" : "2 points are needed";
  for (int i = 0; i < OWN * r->rows; i++) r->own[i] = 0;
  for (int i = 0; i < curve_spans(r, closed); i++) {
    double h = span_length(r, closed, i);
    if (!(h > 0)) return "neighbouring points coincide";
    if (i + 1 < r->rows) r->own[OWN * (i + 1) + U] = r->own[OWN * i + U] + h;
  }
  curve_solve(r, closed, 0), curve_solve(r, closed, 1);
  return NULL;
}

// c and its first two derivatives by u on span i, at v from its beginning; beyond the ends the
// cubic of the last span goes on.
static inline void curve_at(const tr_rows *r, bool closed, int i, double v, double c[2],
                            double c1[2], double c2[2]) {
  int j = i + 1 < r->rows ? i + 1 : 0;
  double h = span_length(r, closed, i);
  for (int k = 0; k < 2; k++) {
    double a = r->x[2 * i + k], b = r->x[2 * j + k];
    double Ma = r->own[OWN * i + XX + k], Mb = r->own[OWN * j + XX + k];
    double slope = (b - a) / h - h * (2 * Ma + Mb) / 6, third = (Mb - Ma) / h;
    c[k] = a + v * (slope + v * (0.5 * Ma + v * third / 6));
    c1[k] = slope + v * (Ma + 0.5 * v * third);
    c2[k] = Ma + v * third;
  }
}

// Newton for (p - c).c' = 0 from v, steps cut to the span; returns the squared distance.
static inline double foot_on_span(const tr_rows *r, bool closed, int i, const double p[2],
                                  bool first, bool last, double *v) {
  double h = span_length(r, closed, i), c[2], c1[2], c2[2];
  double low = first ? -1e3 * h : 0, high = last ? 1e3 * h : h;
  for (int k = 0; k < 50; k++) {
    curve_at(r, closed, i, *v, c, c1, c2);
    double d[2] = {p[0] - c[0], p[1] - c[1]};
    double g = d[0] * c1[0] + d[1] * c1[1];
    double slope = c1[0] * c1[0] + c1[1] * c1[1], bend = d[0] * c2[0] + d[1] * c2[1];
    double step = g / (slope - bend > 0.1 * slope ? slope - bend : slope);
    double next = fmin(fmax(*v + step, low), high);
    if (fabs(next - *v) <= 1e-16 * h) break;
    *v = next;
  }
  curve_at(r, closed, i, *v, c, c1, c2);
  return (p[0] - c[0]) * (p[0] - c[0]) + (p[1] - c[1]) * (p[1] - c[1]);
}

static inline foot curve_foot(const tr_rows *r, bool closed, const double p[2]) {
  int spans = curve_spans(r, closed), best = 0;
  double least = INFINITY, at = 0, c[2], c1[2], c2[2];
  for (int i = 0; i < spans; i++) {
    // spans farther than the best so far by more than their length cannot win
    double h = span_length(r, closed, i);
    double far = hypot(p[0] - r->x[2 * i], p[1] - r->x[2 * i + 1]) - 2 * h;
    if (far > 0 && far * far > least) continue;
    double v = 0.5 * h;
    double dd = foot_on_span(r, closed, i, p, !closed && i == 0, !closed && i == spans - 1, &v);
    if (dd < least) least = dd, best = i, at = v;
  }
  curve_at(r, closed, best, at, c, c1, c2);
  double s = hypot(c1[0], c1[1]);
  foot f = {.u = r->own[OWN * best + U] + at, .t = {c1[0] / s, c1[1] / s}};
  f.k = (c1[0] * c2[1] - c1[1] * c2[0]) / (s * s * s);
  f.e = -f.t[1] * (p[0] - c[0]) + f.t[0] * (p[1] - c[1]);
  return f;
}

#endif
