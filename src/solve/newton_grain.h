// SPDX-License-Identifier: Apache-2.0
// The grain of positions: what the matrix makes of their round-off far from the origin, found by random draws.
#ifndef TR_NEWTON_GRAIN_H
#define TR_NEWTON_GRAIN_H

#include "newton.h"

// p->grain, before the iteration, if p->far.
void tr_newton_take_grain(const tr_newton *nw, tr_newton_problem *p);

// After a solve with a matrix that was made in it: a draw with some of these, the fewer the less draws change.
void tr_newton_find_grain(tr_newton *nw, tr_newton_problem *p);

#endif
