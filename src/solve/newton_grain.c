// SPDX-License-Identifier: Apache-2.0
// A draw costs a solve, and what it finds hardly changes along a motion, or it does not count: second corrections with fresh
// matrices leave less. It is made with one matrix of SELDOM_LEAST. Where these are not reused, and a draw counts in each step, it
// is made twice as seldom each time, up to SELDOM_MOST, while draws of all kinds change what is taken by no more than ALIKE.
#include "newton_grain.h"

#include <math.h>

#include "math/vector.h"
#include "noise.h"

// The share of a draw, which has the round-off of the farthest position in all rows; no more of the floor than leaves
// constraints closed; and until second corrections were seen.
static const double GRAIN = 0.25, GRAIN_MOST = 64, GRAIN_FIRST = 8;
static const double ALIKE = 1.5;
enum { SELDOM_LEAST = 4, SELDOM_MOST = 64 };

// Over the floor.
static double taken(const tr_newton *nw) {
  return min2(nw->grain, nw->left > 0 ? max2(1, nw->left) : GRAIN_FIRST);
}

static bool counts(const tr_newton *nw, const tr_newton_problem *p) {
  return p->far && p->steady && nw->regular;
}

void tr_newton_take_grain(const tr_newton *nw, tr_newton_problem *p) {
  if (counts(nw, p)) p->grain = taken(nw) * p->floor;
}

void tr_newton_find_grain(tr_newton *nw, tr_newton_problem *p) {
  if (!counts(nw, p) || !p->noise) return;
  if (!(nw->grain > 0)) nw->drawn = 0, nw->seldom = SELDOM_LEAST;
  // matrices are few, or what was drawn counts and did not when it was
  bool rises = nw->left > nw->grain && nw->grain > ALIKE * nw->took;
  if (nw->patience == 0 || rises) nw->seldom = SELDOM_LEAST;
  nw->undrawn++;
  bool due =
      nw->seldom > SELDOM_LEAST ? nw->undrawn >= nw->seldom : nw->matrices % SELDOM_LEAST == 0;
  if (!due) return;
  p->draw = (int)(nw->matrices / SELDOM_LEAST % TR_NOISE_DRAWS), nw->drawn++;
  p->of_rows = true;
  nw->undrawn = 0;
  if (p->noise(p, nw->r) != TR_OK) return;
  double now = fmin(GRAIN_MOST, fmax(1, GRAIN * p->norm(p, nw->r) / p->floor));
  double before = taken(nw);
  nw->grain = nw->grain > 0 ? 0.5 * (nw->grain + now) : now;
  nw->took = taken(nw);
  bool alike =
      nw->drawn >= TR_NOISE_DRAWS && max2(before, nw->took) <= ALIKE * min2(before, nw->took);
  nw->seldom = !alike ? SELDOM_LEAST : nw->seldom < SELDOM_MOST ? 2 * nw->seldom : SELDOM_MOST;
}
