// SPDX-License-Identifier: Apache-2.0
// KLU: a sparse LU that may take any row for a pivot. Factors and solves k->scaled.
#ifndef TR_BY_KLU_H
#define TR_BY_KLU_H

#include "kkt.h"

// Operations and numbers of the factors, for generic values; INFINITY where that is sure to be more than `most`.
typedef struct tr_klu_cost {
  double flops, numbers;
} tr_klu_cost;
tr_status tr_klu_predict(tr_allocator *al, const tr_pattern *p, double most, tr_klu_cost *cost);

tr_status tr_klu_make(tr_kkt *k); // k->klu and room for k->scaled, k->scale
void tr_klu_free(tr_kkt *k);
tr_status tr_klu_factor(tr_kkt *k); // TR_OK, TR_SINGULAR, TR_NO_MEMORY
tr_status tr_klu_solve(tr_kkt *k, int count, double *b);

#endif
