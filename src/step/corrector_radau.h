// SPDX-License-Identifier: Apache-2.0
// One step's correction of Radau IIA (corrector_radau.c), what its velocities are measured by, and its floor of round-off
// (radau_floor.c).
#ifndef TR_CORRECTOR_RADAU_H
#define TR_CORRECTOR_RADAU_H

#include "radau.h"

typedef struct correction {
  tr_newton_problem p;
  tr_step *s;
  tr_radau *m;
  const tr_state *x0;
  bool each;               // each stage with its own matrices
  bool damped;             // a part of the correction may be taken: positions wait for update
  bool apart;              // states and variables have speeds of their own
  double h, length, speed; // scales of positions and velocities
  double weight;           // of velocities in the norm
  double c[STAGES];
  double B[STAGES][STAGES]; // A^-1/h
} correction;

// k->m->reach and unit by the matrices at hand.
void tr_radau_find_reach(const correction *k);
// The residual (e1, e2) of each stage, then (e3, e4) of each, is mere round-off; that, by the draw of k->p, in b.
bool tr_radau_at_floor(const tr_newton_problem *p, const double *r);
void tr_radau_make_noise(const correction *k, double *b);

#endif
