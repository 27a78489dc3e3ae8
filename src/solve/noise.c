// SPDX-License-Identifier: Apache-2.0
// What a matrix makes of round-off, by random draws: corrections no larger than that tell nothing.
#include "noise.h"

// Noise of this many times the expected size is noise still.
static const double MARGIN = 4, FAR = 64; // that many are none, of any signs
// Draws in all; those without which nothing is called too large: of one the rows of a loop may cancel by chance. The
// others must then show all of it.
enum { DRAWS = TR_NOISE_DRAWS, DRAWS_LEAST = 3 };

// Solves for which a draw that explained a correction tells of others by the same matrix.
enum { REMEMBERED = 16 };

static bool too_large(const tr_newton_problem *p, double norm) {
  return p->most_noise > 0 && norm > p->most_noise;
}

static void remember(tr_newton *nw, const tr_newton_problem *p, double noise) {
  nw->noise = noise, nw->noise_age = nw->age, nw->noise_finishes = p->finishes;
}

bool tr_noise_known(const tr_newton *nw, const tr_newton_problem *p, double norm) {
  if (!p->steady || !p->noise || too_large(p, norm)) return false;
  bool same = nw->age <= nw->noise_age + REMEMBERED && nw->noise_finishes == p->finishes;
  return same && norm <= MARGIN * nw->noise;
}

bool tr_noise_explains(tr_newton *nw, tr_newton_problem *p, double norm) {
  if (!p->noise || too_large(p, norm)) return false;
  double margin = MARGIN;
  for (p->draw = 0; p->draw < DRAWS; p->draw++) {
    if (p->noise(p, nw->spare) != TR_OK) return false;
    double noise = p->norm(p, nw->spare);
    if (norm <= margin * noise) {
      if (p->draw == 0) remember(nw, p, noise);
      return true;
    }
    if (norm <= FAR * noise) continue;
    if (p->draw + 1 >= DRAWS_LEAST) return false;
    margin = 1;
  }
  return false;
}
