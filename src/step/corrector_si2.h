// SPDX-License-Identifier: Apache-2.0
// One step's correction of the stabilised index-2 family (corrector_si2.c), its floor of round-off (si2_floor.c), and how
// velocities follow positions (si2_finish.c).
#ifndef TR_CORRECTOR_SI2_H
#define TR_CORRECTOR_SI2_H

#include "step.h"
#include "system/stretch.h"

typedef struct correction {
  tr_newton_problem p;
  tr_step *s;
  const tr_state *x0;
  tr_state *x1;
  const double *base; // (nq) d begins here
  double t1, length_scale;
  double ratio;   // cw/cq
  double turn;    // the largest angle of a body in space in this step, as predicted, or of the last
  double fastest; // the largest turn in a time before it, where that is known; < 0: not
  bool plain;     // no constraint reads velocities, no force reactions; X = M, no split
  bool parted;    // the same, but for rows of velocities
  bool usual;     // tr_step_steady, no other resort of the iteration, no other form of the matrix
  int begun;      // corrections so far
  double half, first; // norms of w in the last one, and in the one before
  double last;        // norm of the last correction
  bool alone;         // this one is of the first half, nothing else was evaluated
  bool apart;         // all are: velocities are projected once positions are found
  bool sums;          // of sums, and nothing is known of w
  bool small;         // the numbers are moved as in si2_small.c
  bool known;         // what is largest where the step begins was found on a walk
  bool evaluated;     // the first residual is in newton.r,
  bool begins;        // or still to come, x1 to be placed, predicted perhaps
  bool waits;         // a residual that a matrix follows may be left to it:
  tr_walking due;     // what leads to it, or none
  tr_tops led;        // of where the step leads
  // what loops over long vectors are about (si2_loops.h): a correction, rows
  const double *dx;
  double *top, *low, scale;
  tr_outlook ahead;  // of w and mu
  struct tops *tops; // (hands) see tops.h
} correction;

static inline tr_coefficients tr_si2_weights(const tr_corrector *c) {
  return (tr_coefficients){.cm = c->cm, .ck = c->cq, .cd = c->cv, .cr = c->cq / c->cv};
}

bool tr_si2_at_floor(const tr_newton_problem *p, const double *r);
bool tr_si2_closed(const tr_newton_problem *p, const double *r);
tr_status tr_si2_noise(tr_newton_problem *p, double *b);
// What round-off alone makes of the norm under error control.
double tr_si2_few_floor(const correction *k);

// Few corrections, where friction sticks: each is kept as it comes; then the contraction by the last one along the
// coordinates that are stuck, or if that is slow and M^-1 e1 more than the tolerance there, by the next.
void tr_si2_keep(const correction *k);
tr_status tr_si2_contraction(correction *k, double *rate);

// Velocities by the second half alone (si2_finish.c): Newton's finish, not where velocities act on positions by more than forces,
// or one matrix is not like the next, or |G T - G| is large; whether it is known to converge with the matrix of the first.
static inline bool tr_si2_may_finish(const correction *k) {
  const double chart = 0.1;
  return k->plain && k->usual && k->p.matrix_cost > 0 && 0.5 * k->turn < chart;
}
tr_status tr_si2_finish(tr_newton_problem *p, int since);
bool tr_si2_halves_known(const tr_step *s);
// The same where all constraints are pins, by these alone; unless bodies turn far.
static inline bool tr_si2_projects(const correction *k) {
  const tr_step *s = k->s;
  return s->pins && s->apart && k->plain && k->usual && k->p.matrix_cost > 0 && !s->kkt.mask;
}
static inline bool tr_si2_may_project(const correction *k) {
  const double chart = 0.2;
  return k->turn < chart && tr_si2_projects(k);
}
void tr_si2_feel(tr_step *s); // w is to be predicted for a while
tr_status tr_si2_project(tr_newton_problem *p, int since);
void tr_si2_join(correction *k); // no longer: both halves together from here on
void tr_si2_tell(correction *k); // a and lam, and w and mu if nothing is known of them
// Whether that pays, after a step of so many.
void tr_si2_learn(tr_step *s, const correction *k, long corrections, long matrices);
// For it: w and mu -= (dw, -dmu) at fixed positions; k->low times k->scale.
void tr_si2_follow(correction *k, const double *dw);
void tr_si2_scale(const correction *k);

// Where the iteration begins (si2_walk.c), with what the step is known to turn by; the largest coordinate before.
double tr_si2_begin(correction *k);
// The numbers of a small system: where the iteration begins; by a correction of both halves, and the largest of its da + cw/cq dw
// and of its dw. Nothing is said of q.
static inline bool tr_si2_is_small(const correction *k) {
  enum { SMALL = 64 };
  const tr_step *s = k->s;
  return s->sys->nv <= SMALL && !s->work->team && !s->c.d && !k->sums;
}
void tr_si2_place_small(const correction *k);
void tr_si2_shift_small(const correction *k, const double *dx, double *da, double *dw);
// The first half alone: unknowns by k->dx, a and lam left alone, they are told at the end; in large systems, of
// bodies that are passed stretch by stretch, its residual too. The largest of the correction then.
double tr_si2_shift(correction *k);
bool tr_si2_walks(const correction *k);
// The residual, unless it waits for a matrix; it need not wait any more; it has come with that.
tr_status tr_si2_walk_to_residual(correction *k, double *r);
void tr_si2_walk_now(correction *k);
void tr_si2_have_walked(correction *k);

#endif
