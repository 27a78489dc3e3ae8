// SPDX-License-Identifier: Apache-2.0
// What round-off of all that they read makes of states and variables.
//
// Corrections cv da of velocities below p->floor are round-off. Laws with large gains make more of it: a motor with a lag
// of 5 ms that holds a joint by its speed has hundreds of floors, and no correction takes that away. How much there is shows
// in a solve with random signs, one with each matrix. What a number has beyond a SHARE of that counts in full, lest bodies
// that it moves be left off by what it hides; what is within it counts as a part of the tolerance.
#include <float.h>
#include <math.h>

#include "step.h"

// Of the largest draw of late, which is slowly forgotten.
static const double SHARE = 0.5, FADE = 0.9;
enum { DRAWS = 6 };

void tr_numbers_weigh(tr_step *s, tr_newton_problem *p) {
  int first = s->sys->nv - s->sys->nnumber;
  double *b = s->newton.spare, *noise = s->number_noise;
  p->draw = (int)(s->newton.matrices % DRAWS);
  if (s->allowed > 0 || p->noise(p, b) != TR_OK) return; // error control asks for less
  for (int i = 0; i < s->sys->nnumber; i++) {
    double now = s->c.cv * fabs(b[first + i]) / p->floor;
    if (isfinite(now)) noise[i] = fmax(FADE * noise[i], now);
  }
}

// A draw has round-off of the largest coordinate in all rows. Laws that amplify read angles, and lengths near by: theirs is
// that of a metre.
double tr_numbers_largest(const tr_step *s, const tr_newton_problem *p, const double *dx) {
  const double *x = dx + s->sys->nv - s->sys->nnumber;
  double tol = p->tol / s->c.cv, unit = SHARE * 4 * DBL_EPSILON / s->c.cq, most = 0;
  for (int i = 0; i < s->sys->nnumber; i++) {
    double size = fabs(x[i]), floor = s->number_noise[i] * unit;
    if (floor > tol) size = fmax(size * tol / floor, size - floor);
    if (!(size <= most)) most = isnan(size) ? INFINITY : size;
  }
  return most;
}
