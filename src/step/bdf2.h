// SPDX-License-Identifier: Apache-2.0
// BDF2 in increments, for steps of changing length: with w = h/h_old
//   x1 - x0 = past (x0 - x_) + now x1',   past = w^2/(1 + 2w),   now = h (1 + w)/(1 + 2w)
// which is 1/3 and 2h/3 for equal steps. The first step is backward Euler: past = 0, now = h.
#ifndef TR_BDF2_H
#define TR_BDF2_H

typedef struct bdf2 {
  double past, now;
} bdf2;

static inline bdf2 bdf2_weights(double h, double last_h) {
  if (!(last_h > 0)) return (bdf2){0, h};
  double w = h / last_h;
  if (w > 1 - 1e-9 && w < 1 + 1e-9) w = 1; // a grid of times has equal steps up to round-off
  return (bdf2){w * w / (1 + 2 * w), h * (1 + w) / (1 + 2 * w)};
}

#endif
