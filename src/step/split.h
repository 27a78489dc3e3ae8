// SPDX-License-Identifier: Apache-2.0
// The coordinate split of [YP98]: dependent and independent coordinates, and the projection P G' = 0.
#ifndef TR_SPLIT_H
#define TR_SPLIT_H

#include "sparse/echelon.h"
#include "step.h"

typedef struct tr_split {
  bool *dependent; // (nv) Y; the others are X
  bool chosen;     // since tr_split_begin
  bool plain;      // the matrix in use does without (G' lam)_q,
  bool blunt;      // and was found to be of no use in the last solve
  bool frozen;     // P stays what it was where the step began
  bool held;       // for a frozen P: there is one
  double good;     // rcond of kkt where the split was chosen
  tr_kkt kkt;      // [E G'; G 0], E = 1 on X, 0 on Y
  int *slot;       // (nG) of G in it
  int *turned;     // (nG) of G'
  int *diagonal;   // (nv) of E
  double *rhs;     // (2 (nv + nc))
  double
      defect; // of a frozen P: what the P of the last point finds left, as part of what the step may have
  double *left;     // (nv) P e1 of the last projection,
  double *before;   // (nv) and where the last correction began
  double *room;     // (nv)
  tr_echelon *rows; // for the choice
  int *column;      // (max_rows) a row of it
  double *value;
  long choices; // splits made so far
} tr_split;

tr_status tr_split_make(tr_step *s, tr_split *p);
void tr_split_free(tr_split *p);
void tr_split_begin(tr_split *p);
// A step begins: choose again, at the next projection, if the split has become a bad one.
void tr_split_watch(tr_split *p);
// At the point of the last tr_kinematics. e1 = M a - Q becomes P e1 on X and 0 on Y, lam what is taken
// out, with e1 + G' lam = P e1; e3 = w likewise with e3 - G' mu.
tr_status tr_split_project(tr_split *p, tr_step *s, double *e1, double *lam, double *e3,
                           double *mu);

// A correction begins at the point of the last projection.
void tr_split_correct(tr_split *p);
// The contraction of P e1 by the last correction, of the coordinate in which it was worst, among those that count: whose
// acceleration M^-1 P e1 is more than tol. 0: none.
double tr_split_contraction(const tr_split *p, tr_step *s, double tol);
// With the P of this point, after a projection with it: p->defect.
void tr_split_look(tr_split *p, tr_step *s);

#endif
