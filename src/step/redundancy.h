// SPDX-License-Identifier: Apache-2.0
// Constraints that repeat or contradict each other at a state, by name.
#ifndef TR_REDUNDANCY_H
#define TR_REDUNDANCY_H

#include "sparse/echelon.h"
#include "sparse/kkt.h"
#include "system/system.h"

// G_row = sum weight G_k over n rows k before it.
typedef struct tr_sources {
  int n, *row;
  double *weight;
} tr_sources;

typedef struct tr_redundancy {
  bool known;         // false: more work than the analysis may take
  int rank, count;    // count = nc - rank
  int *row;           // (count) constraint rows that follow from the rows before them
  tr_sources *source; // (count), or NULL
} tr_redundancy;

// Looks at G at the point of the last tr_kinematics. open: what may be left of a row, divided by its length, that
// repeats others; 0: round-off.
// preferred (nc): rows that are rather not the redundant ones, unless others hold far better; NULL: by their order.
tr_status tr_find_redundancy(tr_work *w, tr_arena *ar, double open, const bool *preferred,
                             tr_redundancy *out);
// The same without `source`, which may be most of the work.
tr_status tr_find_redundant_rows(tr_work *w, tr_arena *ar, double open, const bool *preferred,
                                 tr_redundancy *out);
// The elimination behind it, of rows divided by their length (nc); depends (nc). TR_FAILED: too much work.
tr_status tr_eliminate_constraints(tr_work *w, double open, tr_echelon **out, double *length,
                                   bool *depends);

// "joint "d": 3 of 5 rows repeat what "a", "b" say", a line per element; verb: "repeat".
tr_status tr_redundancy_text(const tr_system *sys, const tr_redundancy *r, const char *verb,
                             tr_text *text);

// n rows and those of joints that do not hold, as rows of the KKT matrix, ascending; how many.
int tr_rows_out(const tr_system *sys, const double *mem, int n, const int *rows, int *out);

#endif
