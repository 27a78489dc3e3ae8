// SPDX-License-Identifier: Apache-2.0
// Whether constraints repeat each other for good, or only in the position they are in.
#ifndef TR_NEARBY_H
#define TR_NEARBY_H

#include "start.h"

// The rank of G where the mechanism goes from x, on the way of free motions; e: the elimination at x,
// beside: a state to work on. What cannot be told leaves the rank at x.
tr_status tr_rank_nearby(tr_projector *p, const tr_state *x, const tr_echelon *e, tr_state *beside,
                         int *rank);
// The same, from a state alone.
tr_status tr_rank_beside(tr_projector *p, const tr_state *x, int *rank);

// Size of the bodies: how far markers are from the centres, at most.
double tr_body_size(const tr_system *sys);

#endif
