// SPDX-License-Identifier: Apache-2.0
// Whether round-off alone would make a correction of this norm with the matrix at hand (noise.c).
#ifndef TR_NOISE_H
#define TR_NOISE_H

#include "newton.h"

enum { TR_NOISE_DRAWS = 6 };

// The same by what was drawn with this matrix before: it costs nothing.
bool tr_noise_known(const tr_newton *nw, const tr_newton_problem *p, double norm);
bool tr_noise_explains(tr_newton *nw, tr_newton_problem *p, double norm);

#endif
