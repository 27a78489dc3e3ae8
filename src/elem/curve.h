// SPDX-License-Identifier: Apache-2.0
// A plane curve through given points: the cubic spline of x and y over the chord length, natural at
// the ends, or closed with all derivatives continuous up to the second. Beyond an open end the cubic
// of the last span goes on.
//
// The foot of a point p is where p - c(u) is perpendicular to the curve, nearest to p; of feet as
// near, the first along the curve. There
//   e = n.(p - c),  t unit tangent, n = (-t_y, t_x), k curvature (positive: bends towards n)
//   grad e = n,  grad of the foot's way on the curve = t/(1 - k e),  grad n = -k t t'/(1 - k e)
#ifndef TR_CURVE_H
#define TR_CURVE_H

#include <stdbool.h>

#include "elem.h"

typedef struct foot {
  double e, u;    // signed distance, positive to the left; chord length of the foot
  double t[2], k; // tangent and curvature there
} foot;

// Once; writes r->own. Why the points make no curve, or NULL.
const char *curve_prepare(const tr_rows *r, bool closed);
foot curve_foot(const tr_rows *r, bool closed, const double p[2]);

#endif
