// SPDX-License-Identifier: Apache-2.0
// Constraints that repeat or contradict each other at a state, by name.
#ifndef TR_REDUNDANCY_H
#define TR_REDUNDANCY_H

#include "sparse/kkt.h"
#include "system/system.h"

typedef struct tr_redundancy {
  bool known;      // false: too many rows for the analysis
  int rank, count; // count = nc - rank, less the rows of joints that do not hold
  int *row;        // (count) constraint rows that follow from the rows before them
  double *weight;  // (count x nc) G_row = sum weight G_k over the rows before it
  double *room;    // (count^2 + count) for tr_least_norm
} tr_redundancy;

// Looks at G at the point of the last tr_kinematics.
tr_status tr_find_redundancy(tr_work *w, tr_arena *ar, tr_redundancy *out);

// "joint "d": 3 of 5 rows repeat what "a", "b" say", a line per element; verb: "repeat".
tr_status tr_redundancy_text(const tr_system *sys, const tr_redundancy *r, const char *verb,
                             tr_text *text);

// n rows and those of joints that do not hold, as rows of the KKT matrix, ascending; how many.
int tr_rows_out(const tr_system *sys, const double *mem, int n, const int *rows, int *out);

// Changes lam, zero on the redundant rows, to the multipliers of least norm with the same forces.
void tr_least_norm(const tr_redundancy *r, int nc, double *lam);

#endif
