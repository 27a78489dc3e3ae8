// SPDX-License-Identifier: Apache-2.0
// The block solver beside KLU, on the same matrix.
#ifndef TR_HELPER_SOLVERS_H
#define TR_HELPER_SOLVERS_H

#include "helper_mechanics.h"
#include "sparse/block.h"
#include "system/system.h"

typedef struct pair {
  tr_arena ar;
  tr_pattern p[2]; // by blocks, by KLU
  tr_kkt k[2];
  double *b, *x[2]; // (3 n)
} pair;

void pair_make(pair *t, const tr_pattern *p);
void pair_make_planned(pair *t, const tr_pattern *p); // ordered as the pattern is
void pair_free(pair *t);

// Factors k[0].values by both, solves for 1 and for 3 right-hand sides; the largest difference relative
// to the solution. blocks: whether the block solver must have done it.
double compare_solvers(pair *t, seed *s, bool blocks);

#endif
