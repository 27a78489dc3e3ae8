// SPDX-License-Identifier: Apache-2.0
// Impacts at one instant: blows that are struck at once; see impact.c for what they are.
#ifndef TR_BLOWS_H
#define TR_BLOWS_H

#include "base/base.h"

typedef struct tr_blow {
  double e, approach; // restitution; rate at which the sides come nearer
  double answer;      // n.z
} tr_blow;

// Memory grows with the number at once, which few models know beforehand.
typedef struct tr_blows {
  int n, capacity;
  tr_blow *blow;  // (capacity)
  double *normal; // (capacity) of n (nv), z (nv)
  double *room;   // (capacity (2 capacity + 4))
  int *set;       // (2 capacity)
} tr_blows;

tr_status tr_blows_room(tr_blows *b, int n, int nv, tr_allocator *al); // for n of them
double *tr_blow_normal(tr_blows *b, int nv, int i);
// The energy that it would take to stop it; 0: it does not approach.
double tr_blow_energy(const tr_blow *x);
// Those that count, all at once: their impulses, and v after them. every: also those that approach next to nothing
// compared with others, or not at all until they are struck.
void tr_blows_strike(tr_blows *b, int nv, bool every, double *v);
void tr_blows_free(tr_blows *b, tr_allocator *al);

#endif
