// SPDX-License-Identifier: Apache-2.0
// Velocities projected onto constraints that are all pins, at the cost of a fraction of a solve: with S = G M^-1 G'
//   S x = G v,   v - M^-1 G' x   has no part against them
// S is built body by body from what pins of one have to do with each other, at a place q, and solved node by node
// (sparse/normal.h), a node for each joint.
#ifndef TR_SYSTEM_PINS_H
#define TR_SYSTEM_PINS_H

#include "sparse/normal.h"
#include "system.h"

typedef struct tr_pins {
  tr_normal *plan;
  tr_pin *pin; // as in the system, those of one body in the order of elimination
  int *at;     // (nbody) where its blocks are
  double *S;   // (plan->numbers) room that its owner gives it, of no use in between
  int block;   // numbers in one
} tr_pins;

// *out NULL: there are other constraints, or too many of them hang together.
tr_status tr_pins_make(const tr_system *sys, tr_arena *ar, tr_pins **out);
// S and G v at q; x (nc + 2) of them. False: S is nearly singular, or something is no number.
bool tr_pins_solve(tr_work *w, const tr_pins *p, const double *q, const double *v, double *x);
// out (nv) = M^-1 G' x, at the same place, to be taken from v; and by how much accelerations by gyroscopic forces change at most
// if that is in place of f was.
double tr_pins_pull(tr_work *w, const tr_pins *p, const double *q, const double *v, const double *x,
                    double f, const double *was, double *out);

#endif
