// SPDX-License-Identifier: Apache-2.0
// The coordinate split of [YP98]: dependent and independent coordinates, and the projection P G' = 0.
#ifndef TR_SPLIT_H
#define TR_SPLIT_H

#include "step.h"

typedef struct tr_split {
  bool *dependent; // (nv) Y; the others are X
  bool chosen;     // since tr_split_begin
  bool frozen;     // P stays what it was where the step began
  bool held;       // for a frozen P: there is one
  double good;     // rcond of kkt where the split was chosen
  tr_kkt kkt;      // [E G'; G 0], E = 1 on X, 0 on Y
  int *slot;       // (nG) of G in it
  int *turned;     // (nG) of G'
  double *rhs;     // (2 (nv + nc))
  double *rows;    // (nc x nv) for the choice
  long choices;    // splits made so far
} tr_split;

tr_status tr_split_make(tr_step *s, tr_split *p);
void tr_split_begin(tr_split *p);
// A step begins: choose again, at the next projection, if the split has become a bad one.
void tr_split_watch(tr_split *p);
// At the point of the last tr_kinematics. e1 = M a - Q becomes P e1 on X and 0 on Y, lam what is taken
// out, with e1 + G' lam = P e1; e3 = w likewise with e3 - G' mu.
tr_status tr_split_project(tr_split *p, tr_step *s, double *e1, double *lam, double *e3,
                           double *mu);

#endif
