// SPDX-License-Identifier: Apache-2.0
// Sparse rows brought to echelon form one after the other: rank, what a dependent row repeats, and the
// vectors that all rows leave at zero.
#ifndef TR_ECHELON_H
#define TR_ECHELON_H

#include "base/base.h"

typedef struct tr_echelon tr_echelon;

// work_limit: multiplications after which it gives up.
tr_status tr_echelon_new(tr_allocator *al, int columns, double work_limit, tr_echelon **e);
void tr_echelon_free(tr_echelon *e);  // NULL is fine
void tr_echelon_clear(tr_echelon *e); // no rows; what it has allocated it keeps

// The next row, n entries; columns may come twice. Entries should be of order 1. It depends on the rows
// before it when nothing larger than tol is left of it. TR_FAILED: too much work.
tr_status tr_echelon_add(tr_echelon *e, int n, const int *column, const double *value, double tol,
                         bool *depends);

int tr_echelon_rank(const tr_echelon *e);
double tr_echelon_work(const tr_echelon *e); // multiplications so far
// What a dependent row is made of: row = sum weight_k row_of_k, latest first; how many, not more than the rank.
int tr_echelon_weights(tr_echelon *e, int row, int *of, double *weight);
// A column without a pivot; there are columns - rank of them.
bool tr_echelon_is_free(const tr_echelon *e, int column);
// x (columns) with every row . x = 0, given on the free columns; writes the others.
void tr_echelon_solve(const tr_echelon *e, double *x);

#endif
