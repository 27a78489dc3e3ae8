// SPDX-License-Identifier: Apache-2.0
// The core of the BDF methods of order 1 to 5: the past, the prediction from it, the coefficients of the
// corrector, the error, and the next order and step. What is solved is the methods' own.
#ifndef TR_BDF_H
#define TR_BDF_H

#include "jerk.h"

enum { BDF_ORDER = 5, BDF_POINTS = BDF_ORDER + 2 };

typedef struct tr_bdf {
  int most;                 // largest order allowed
  int order;                // of the step under way
  double h, cj;             // of the step under way: y' = dyp + cj (y - yp)
  int points;               // known, newest first
  double apart[BDF_POINTS]; // t_{n-j} - t_{n-j-1}
  double *u[BDF_POINTS];    // (nv) positions as increments from q_n, in its axes
  double *v[BDF_POINTS];    // (nv) velocities
  int lams;                 // multipliers known, newest first
  double *lam[BDF_POINTS];  // (nc)
  // Lagrange's weights at t1 of the polynomials of each order through the known points, and of their slopes
  double value[BDF_POINTS][BDF_POINTS], slope[BDF_POINTS][BDF_POINTS];
  int weighed; // their largest order, and the grid they are for
  double weighed_h, weighed_apart[BDF_POINTS];
  // Rotations are increments from an even turning, see bdf.c:
  bool spins;          // there is some
  double *spin, *base; // (nv), (nq) it; where it leads in the step
  double *end_dp, *d;  // (nv) dp in axes of the base, the increment found in those of q_n
  double *dp, *ddp;    // (nv) increment predicted, and its derivative
  double *vp, *dvp;    // (nv) velocity likewise
  tr_jerk *jerk;       // for the start with fixed steps
  const bool *without; // (nv) coordinates that the error leaves out if not all, or NULL
  // step control
  double tau[4];   // estimates at orders k-2 .. k+1, each h^j |y^(j)| up to the same factor
  double sigma[4]; // what makes local errors of them
  int next;        // order of the next step
  int last_order;  // of the last accepted step
  double last_h;   // its length
  int equal;       // steps of one length and order so far
  int fails;       // of the error test in this step
  // Oscillations that high orders amplify: mean squares of the measures at orders k and k-1, steps they have been like
  // that, the order that damps them, steps that it still rests there, and rested the last time.
  double here, less;
  int ringing, calm, since_5, rest, last_rest;
  bool vibrates; // forces or deformations may make something vibrate fast
  bool grown;    // the first phase, where order and step only grow, is over
} tr_bdf;

// For the methods' prepare. most: the order asked for.
tr_status tr_bdf_make(tr_step *s, int most, tr_bdf *b);
// With fixed steps: the start is of order 3 at best.
void tr_bdf_orders(int most, int order[3]);
void tr_bdf_rows(tr_bdf *b, const tr_step *s, const tr_state *x); // see tr_method.rows
void tr_bdf_begin(tr_bdf *b, const tr_step *s, const tr_state *x);
// Prediction and coefficients of a step of length h, into b.
void tr_bdf_predict(tr_bdf *b, tr_step *s, const tr_state *x0, double h);
// The formulas as the stabilised corrector knows them, from the prediction: s->c.
void tr_bdf_corrector(const tr_bdf *b, tr_step *s);
// The prediction as a start of the iteration under step control: a and lam of x1.
void tr_bdf_start(const tr_bdf *b, const tr_step *s, tr_state *x1);
// After a step that was solved: the increment in s->d from q_n.
tr_status tr_bdf_finish(tr_bdf *b, tr_step *s, tr_status status);
void tr_bdf_accept(tr_bdf *b, const tr_step *s, const tr_state *x0, const tr_state *x1);

// The hooks of tr_method: the past with fixed steps,
int tr_bdf_past(tr_bdf *b, double **vectors);
void tr_bdf_resume(tr_bdf *b, double h, int vectors);
// and under step control.
double tr_bdf_error(tr_bdf *b, const tr_step *s, const tr_state *x1, bool velocity, int *worst);
double tr_bdf_choose(tr_bdf *b, const tr_step *s, double h, double e);

#endif
