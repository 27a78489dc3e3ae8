// SPDX-License-Identifier: Apache-2.0
// Problems in coordinates of their own, with every derivative given; the library has two more.
#ifndef TR_HELPER_PROBLEMS_H
#define TR_HELPER_PROBLEMS_H

#include "analysis/problems.h"
#include "trammel/trammel.h"

// A bead of mass 2 in polar coordinates (r, phi) on a rail that breathes: changing mass, rheonomic.
extern const tr_problem bead;

// Of one coordinate with mass 1 that nothing moves but its constraint.
tr_status unit_mass(const tr_problem *p, const double *q, double *M);
tr_status no_force(const tr_problem *p, double t, const double *q, const double *v, double *Q);
// x = 1 + t, but no answer beyond t = 0.5.
tr_status refuses_late(const tr_problem *p, double t, const double *q, double *phi);

#endif
