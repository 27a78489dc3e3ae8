// SPDX-License-Identifier: Apache-2.0
// Consistent states: what a run begins with, and begins again with after a discontinuity.
#ifndef TR_START_H
#define TR_START_H

#include "redundancy.h"
#include "sparse/kkt.h"
#include "system/system.h"
#include "trammel/analysis.h"

// A workspace and a factorisation of [M G'; G 0], and what is redundant in it.
typedef struct tr_projector {
  const tr_system *sys;
  tr_work *work;
  tr_kkt *kkt;
  double *r;         // (nv + nc)
  double weight;     // on what is kept, in the last projection
  const bool *loose; // (nc) rows that positions are not put on; NULL: none
  tr_arena *arena;
  tr_redundancy redundancy;        // found by tr_diagnose
  tr_arena of_redundancy, of_mask; // their memory, which is given back for the next ones
  int most_rank; // that there can be, seen from places that are not singular; 0: unknown
  int patience;  // iterations of a projection; 0: as many as it may take
  bool again;    // no start but a new beginning: nothing is kept
  tr_mask mask;  // rows taken out of kkt: the redundant, and those of joints that do not hold
  int masked, *masked_row; // (nc) which they are
  bool again_and_again;    // there are events: what a projection needs stays for the next one
  double *room;            // of a projection, then
  double *spread;          // (5 (nv + nc)) for tr_spread_multipliers
} tr_projector;

// A projector of its own for questions about a state; not to be moved while it is open.
typedef struct tr_own_projector {
  tr_arena arena;
  tr_kkt kkt;
  tr_projector p;
} tr_own_projector;
tr_status tr_projector_open(const tr_system *sys, tr_own_projector *own);
void tr_projector_close(tr_own_projector *own);

// q onto Phi = 0, v onto G v + Phi_t = 0, in the mass metric, kept coordinates fixed.
tr_status tr_project(tr_projector *p, tr_state *x, tr_start_info *info, tr_error *error);
// The modal coordinates of bodies with `start: slow` without vibration, see slow.c; after tr_project and
// tr_diagnose.
tr_status tr_slow_start(tr_projector *p, tr_state *x, tr_error *error);
// Whether no constraint repeats others, nor nearly so: by the pivots of [M G'; G 0]. More than TR_MANY_ROWS are asked for that
// before they are eliminated one by one, which may take much longer.
enum { TR_MANY_ROWS = 1000 };
tr_status tr_all_independent(tr_projector *p, const tr_state *x, bool *independent);
// Redundant constraints at a consistent state; kkt does without them from then on.
tr_status tr_diagnose(tr_projector *p, const tr_state *x);
// Takes n constraint rows out, and those of joints that do not hold. The mask stays when they do.
tr_status tr_take_rows_out(tr_projector *p, const tr_state *x, int n, const int *rows);
// Where other rows hold far better than some that the redundant ones were found to repeat, these change places with
// them, as many as before: *renewed. Then x, which should be near, is put on all constraints, and x->lam, of the old
// rows, becomes the same forces by the new ones. See rows.c.
tr_status tr_renew_rows(tr_projector *p, tr_state *x, tr_state *room, bool *renewed);
void tr_projector_release(tr_projector *p); // what its arena does not hold
// What is redundant is put aside for the time of a trial; then it comes back, at the state that it was found at, or is forgotten.
typedef struct tr_rows_aside {
  tr_redundancy redundancy;
  tr_arena arena;
  int most_rank;
} tr_rows_aside;
tr_rows_aside tr_rows_set_aside(tr_projector *p);
tr_status tr_rows_take_back(tr_projector *p, const tr_state *x, tr_rows_aside *rows);
void tr_rows_forget(tr_rows_aside *rows);
// After tr_diagnose, at the place of x with velocities put on what holds: a row that repeats others here, but not a moment later,
// since it turns another way, as at a dead centre; -1: none. at_rest: on the way that forces lead from there.
// Changes v, a and lam of x.
tr_status tr_find_dead_centre(tr_projector *p, tr_state *x, int *row, bool *at_rest);
// [M G'; G -eps/most] at x into the values of the matrix; most: the largest mass. Then factored, with small pivots expected.
double tr_regular_matrix(tr_projector *p, const tr_state *x, double eps);
tr_status tr_factor_regular(tr_projector *p);
// [M G'; G 0] at x, factored.
tr_status tr_factor_mass(tr_projector *p, const tr_state *x);
// a and lam at x from [M G'; G 0] (a, lam) = (Q, -gacc).
tr_status tr_solve_accelerations(tr_projector *p, const tr_state *x, double *a, double *lam);
// The same from a and lam of a place nearby, with the matrix factored there if it still is.
tr_status tr_follow_accelerations(tr_projector *p, const tr_state *x, double *a, double *lam);
// v and a of x as the constraints have them, G v = -Phi_t, G a = -gacc; along them they stay as they are, whatever acts.
// mean (nv): accelerations of a moment before, which become those of a across the constraints.
tr_status tr_calm(tr_projector *p, tr_state *x, double *mean);
// z (nv): how the velocities answer to an impulse n (nv), [M G'; G 0] (z, .) = (n, 0).
tr_status tr_solve_impulse(tr_projector *p, const tr_state *x, const double *n, double *z);
// lam of least norm at x from a lam that is zero on the redundant rows; see least_norm.c.
tr_status tr_spread_multipliers(tr_projector *p, const tr_state *x, double *lam);

#endif
