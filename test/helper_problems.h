// SPDX-License-Identifier: Apache-2.0
// Problems in coordinates of their own, with every derivative given; the library has two more.
#ifndef TR_HELPER_PROBLEMS_H
#define TR_HELPER_PROBLEMS_H

#include "analysis/problems.h"
#include "trammel/trammel.h"

// A bead of mass 2 in polar coordinates (r, phi) on a rail that breathes: changing mass, rheonomic.
extern const tr_problem bead;

#endif
