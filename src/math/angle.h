// SPDX-License-Identifier: Apache-2.0
// Sine and cosine of one angle and of four at once, to the same bits, within 1 unit in the last place.
//
//   k = round(2 x/pi),  r = x - k pi/2 by Cody and Waite's three parts of pi/2 (two of 33 bits, so that
//   their products with k are exact),  |r| <= pi/4:  sin r, cos r by minimax polynomials
// and k mod 4 says which is which. Beyond ANGLE_FAR, where k has too many bits, the C library is asked.
#ifndef TR_ANGLE_H
#define TR_ANGLE_H

#include <string.h>

#include "lanes.h"

#define ANGLE_FAR 1e5
#define ANGLE_ROUND \
  6755399441055744.0 // 1.5 2^52: adding it rounds to whole numbers, in the last bits

#define ANGLE_REST(x, k)                                                       \
  ((((x) - (k)*1.57079632673412561417e+00) - (k)*6.07710050630396597660e-11) - \
   (k)*2.02226624879595063154e-21)

#define ANGLE_SIN(r, z)                                                 \
  ((r) + (r) * (z) *                                                    \
             (-1.66666666666666324348e-01 +                             \
              (z) * (8.33333333332248946124e-03 +                       \
                     (z) * (-1.98412698298579493134e-04 +               \
                            (z) * (2.75573137070700676789e-06 +         \
                                   (z) * (-2.50507602534068634195e-08 + \
                                          (z)*1.58969099521155010221e-10))))))
// (1 - z/2) + what that left out + z^2 (..)
#define ANGLE_COS(z, w)                                                 \
  ((w) + (((1.0 - (w)) - 0.5 * (z)) +                                   \
          (z) * (z) *                                                   \
              (4.16666666666666019037e-02 +                             \
               (z) * (-1.38888888888741095749e-03 +                     \
                      (z) * (2.48015872894767294178e-05 +               \
                             (z) * (-2.75573143513906633035e-07 +       \
                                    (z) * (2.08757232129817482790e-09 + \
                                           (z) * -1.13596475577881948265e-11)))))))

static inline void angle_sincos(double x, double *sine, double *cosine) {
  if (!(fabs(x) < ANGLE_FAR)) {
    *sine = sin(x), *cosine = cos(x);
    return;
  }
  double t = x * 0.63661977236758134308 + ANGLE_ROUND, k = t - ANGLE_ROUND;
  double r = ANGLE_REST(x, k), z = r * r, w = 1.0 - 0.5 * z;
  double s = ANGLE_SIN(r, z), c = ANGLE_COS(z, w);
  long long bits;
  memcpy(&bits, &t, sizeof bits);
  double a = bits & 1 ? c : s, b = bits & 1 ? s : c;
  *sine = bits & 2 ? -a : a;
  *cosine = (bits + 1) & 2 ? -b : b;
}

// False: some angle is too large, nothing was done.
TR_INLINE bool lanes_sincos(const lanes *x, lanes *sine, lanes *cosine) {
  lanes_mask near = (*x < ANGLE_FAR) & (*x > -ANGLE_FAR);
  if (!lanes_all(&near)) return false;
  lanes t = *x * 0.63661977236758134308 + ANGLE_ROUND, k = t - ANGLE_ROUND;
  lanes r = ANGLE_REST(*x, k), z = r * r, w = 1.0 - 0.5 * z;
  lanes_mask s = (lanes_mask)(lanes)ANGLE_SIN(r, z), c = (lanes_mask)(lanes)ANGLE_COS(z, w);
  lanes_mask bits = (lanes_mask)t, other = (bits & 1) == 0;
  // the second last bit of k, and of k + 1, to the place of the sign
  lanes_mask minus = bits << 62 & (long long)(1ull << 63);
  lanes_mask minus_too = (bits + 1) << 62 & (long long)(1ull << 63);
  *sine = (lanes)(((s & other) | (c & ~other)) ^ minus);
  *cosine = (lanes)(((c & other) | (s & ~other)) ^ minus_too);
  return true;
}

#endif
