// SPDX-License-Identifier: Apache-2.0
// Problems in coordinates of their own, with every derivative given.
#ifndef TR_HELPER_PROBLEMS_H
#define TR_HELPER_PROBLEMS_H

#include "trammel/trammel.h"

// A bead of mass 2 in polar coordinates (r, phi) on a rail that breathes: changing mass, rheonomic.
extern const tr_problem bead;
// Andrews' squeezing mechanism in its seven angles (beta, Theta, gamma, Phi, delta, Omega, epsilon), as
// the Test Set for IVP Solvers states it: index 3, 0 <= t <= 0.03 s, six constraints.
extern const tr_problem andrews;

#endif
