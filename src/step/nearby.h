// SPDX-License-Identifier: Apache-2.0
// Whether constraints repeat each other for good, or only in the position they are in.
#ifndef TR_NEARBY_H
#define TR_NEARBY_H

#include "start.h"

// What is nearby: the rank of G where the mechanism goes on the way of free motions. What cannot be told
// leaves the rank as it is here.
typedef struct tr_nearby {
  bool looked; // false: no position nearby was found, and the rank there is not known
  bool many;   // nor looked for: that would have taken too long
  int rank;
  bool locked; // it goes nowhere: the motions are free to first order only
  int held;    // a row that repeats others and bars some of the motions beyond first order, or -1
  bool
      turns; // rows that repeat others here do not do so along all of them: singular, whatever the rank nearby
} tr_nearby;

// e: the elimination at x, red: what it found, beside: a state to work on.
tr_status tr_look_nearby(tr_projector *p, const tr_state *x, const tr_echelon *e,
                         const tr_redundancy *red, tr_state *beside, tr_nearby *out);
// The same, from a state that tr_diagnose was called for.
tr_status tr_look_beside(tr_projector *p, const tr_state *x, tr_nearby *out);

// Size of the bodies: how far markers are from the centres, at most.
double tr_body_size(const tr_system *sys);

#endif
