// SPDX-License-Identifier: Apache-2.0
// A walk along bodies and joints (system/stretch.h) that finds what is largest on its way, each hand for itself.
#ifndef TR_TOPS_H
#define TR_TOPS_H

#include "math/vector.h"
#include "step.h"
#include "system/stretch.h"

// Of a state, of how fast what turns fastest does so; of the step: angles, d, corrections.
typedef struct tops {
  double q, v, a, fastest, turn, d, dx;
} tops;

static inline void raise(double *most, const double *x, sys_range of) {
  *most = max2(*most, vec_largest(x + of.first, of.end - of.first));
}

// top: where the parts of the walk look for theirs (hands).
static inline tops tr_walk_to_tops(tr_work *w, const tr_walk *along, void *what, tops **top) {
  tops of_hand[TR_TEAM_MAX], all = {0};
  int hands = tr_team_size(w->team);
  for (int i = 0; i < hands; i++) of_hand[i] = (tops){0};
  *top = of_hand;
  tr_walk_along(w, along, what);
  for (const tops *t = of_hand; t < of_hand + hands; t++) {
    all.q = max2(all.q, t->q), all.v = max2(all.v, t->v), all.a = max2(all.a, t->a);
    all.fastest = max2(all.fastest, t->fastest), all.turn = max2(all.turn, t->turn);
    all.d = max2(all.d, t->d), all.dx = max2(all.dx, t->dx);
  }
  *top = NULL;
  return all;
}

#endif
