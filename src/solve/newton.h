// SPDX-License-Identifier: Apache-2.0
// The one Newton iteration. It knows neither mechanics nor time: a problem gives residual, matrix,
// solve and update; the iteration decides when the matrix is stale and when to stop.
//
// (1) Stops when the error left after a correction d, estimated as rho/(1 - rho) |d| with the contraction rho, is
//     below the tolerance. One correction shows no contraction, and the ratio of two hides the component that
//     converges slowest behind those that the first has done away with. What is known of that one comes from many
//     solves: contraction grows with the distance from where the matrix was made, and its worst growth per solve,
//     slowly forgotten, foresees it for matrices to come; it is measured again when first corrections rise. Where
//     solves are not of one kind (step control), the rate measured last with this matrix serves instead, made worse
//     in proportion when the correction is larger than the one it was measured on, and with each solve that did not
//     measure it.
//     The first correction with a fresh matrix follows Newton's law, |e_1| ~ |e_0|^2, while the matrix is exact
//     and far from singular; what was measured of it is believed for a few solves, then measured again.
// (2) Below the round-off floor corrections stop shrinking: accepted there, counted as stagnation; of an old
//     matrix only while a fresh one did not do better, or next to a singular position, where one made at its end would do
//     worse.
//     Far from the origin a matrix makes many times the floor of the round-off of positions: that grain is found by
//     random draws. Corrections of its size are noise, which no matrix is blamed for. Without draws, what round-off has
//     stopped is believed of old matrices too, for twice as many solves each time.
// (3) A matrix serves for as long as that is cheaper than a new one: it is made anew when the next solve
//     would cost more corrections than the average so far, the making included; where reuse does not pay
//     at all it is tried only from time to time. Where the floor is all the tolerance none of this shows, and it
//     serves for a given time. Within a solve it is renewed when more corrections are
//     still to come than it costs.
// (4) Where that fails there are resorts. Kept, the matrix is one that the caller has made elsewhere, and stays: next to
//     a singular position one that is made there makes much of round-off and leads anywhere, one from beside it
//     does not. Singly, each correction has a matrix of its own and is taken as it
//     comes: near stiff springs a correction along them overloads these, the next one has their overload
//     in its matrix and does nothing but relieve them, the one after it goes on; corrections grow and fall
//     by turns and no test of descent lets them pass. Damped, each has a matrix of its own too and
//     is shortened until the one that would follow it with the same matrix is smaller: slow, but it gets
//     past kinks and steep slopes.
#ifndef TR_NEWTON_H
#define TR_NEWTON_H

#include <stdint.h>

#include "base/base.h"

typedef struct tr_newton_problem tr_newton_problem;
struct tr_newton_problem {
  double tol;         // on the norm of the error
  double floor;       // norm of a correction that is mere round-off
  double grain;       // far away, written by the iteration: what the matrix makes of that
  double matrix_cost; // of evaluating and factoring, in corrections; 0: usual, not worth planning
  double renewal;     // the same within a solve, where matrix_cost is 0; 0: usual
  double way; // of the motion from one solve to the next, in radians, where the floor is all tol
  // Written by `matrix`: it is far from singular, so that no component converges slowly with it. Then a
  // good rate is believed.
  bool regular;
  // Written by `matrix`: it was made far from balance. Loads that are not there stiffen it, and what converges slowly
  // with it looks small: it leads to another one, but nothing is believed of it.
  bool strained;
  bool steady;  // one of many steps of one length: rates change little from one to the next
  bool far;     // from the origin, or large: round-off of positions is felt
  bool lasts;   // what a solve leaves open stays for ever, and another matrix leaves something else
  bool blind;   // the norm does not see all unknowns: one correction tells nothing about the others
  bool inexact; // the matrix leaves terms out, so that a fresh one may be slow too
  bool brief;   // where new matrices hardly lead on a shorter step is the better way
  bool partial; // likewise, and it hardly depends on where it is made: a fresh one is no faster
  bool
      strict; // few corrections: as published, also where more of them or a new matrix would be better
  // Few corrections: rates of earlier solves are believed, made worse with the age of the matrix, and it is renewed when
  // it costs more than it saves, as in (3).
  bool planned;
  // Written by `residual`: a number for the side of kinks it was evaluated on. A matrix of another side is
  // renewed: a stiff contact that has opened makes corrections look small that are not.
  uint64_t side;
  // Few corrections, written by `residual`: what the constraints are off by, as part of the tolerance; 0: not told. An
  // old matrix may open them while all else converges.
  double open;
  // Written by the iteration: `matrix` follows the residual, which may be left to it.
  bool renews;
  tr_status (*residual)(tr_newton_problem *p, double *r); // at the current unknowns
  // Evaluate and factor at the unknowns, which a residual was just evaluated at.
  tr_status (*matrix)(tr_newton_problem *p);
  tr_status (*solve)(tr_newton_problem *p, double *r);    // r := matrix^-1 r
  void (*update)(tr_newton_problem *p, const double *dx); // unknowns -= dx
  double (*norm)(const tr_newton_problem *p, const double *dx);
  double (*advance)(tr_newton_problem *p, const double *dx); // or NULL: update, and the norm
  // Or NULL: unknowns that a matrix leaves behind (inexact) follow the others, whose corrections the norm is of while
  // `finishes`; since: corrections with this matrix. TR_NO_CONVERGENCE: there must be another one.
  tr_status (*finish)(tr_newton_problem *p, int since);
  bool finishes; // written by `matrix`, and by finish where it is of no use
  bool moved;    // written by finish: the next correction is about something else
  // The residual is what round-off alone would leave.
  bool (*at_floor)(const tr_newton_problem *p, const double *r);
  // Or NULL: constraints are not open by many times that. What noise explains of corrections tells nothing of directions
  // in which the matrix makes little of it.
  bool (*closed)(const tr_newton_problem *p, const double *r);
  // Or NULL: b, the correction that round-off alone would make. Next to a singular position the matrix makes more of
  // it than at_floor can know, and a correction no larger than that tells nothing. But not if it is larger than
  // most_noise, unless that is 0: so near there are other branches.
  tr_status (*noise)(tr_newton_problem *p, double *b);
  int draw;     // of its signs: of one alone the matrix may make next to nothing by chance
  bool of_rows; // of positions in constraints alone
  double most_noise;
  // Or NULL: the size of the unknowns that the norm leaves out, over theirs. An old matrix on the other side of a
  // singular position makes them grow with every correction, long before the others tell.
  double (*unseen)(const tr_newton_problem *p, const double *dx);
};

// see (4)
typedef enum {
  TR_NEWTON_USUAL,
  TR_NEWTON_KEPT,
  TR_NEWTON_SINGLY,
  TR_NEWTON_DAMPED
} tr_newton_resort;

typedef struct tr_newton {
  int max_iterations, fixed_iterations;
  bool reuse;
  double *r;     // room for a residual
  int n;         // its length; and for damping
  double *spare; // room for another
  tr_newton_resort resort;
  // between solves
  bool valid;    // the matrix may be used
  bool regular;  // it was far from singular where it was made
  bool strained; // or from balance
  uint64_t side; // where it was made
  bool known;    // rate was measured with this matrix
  double rate;   // last contraction,
  int rate_age;  // measured when the matrix had this age
  double norm;   // of the correction it followed: a larger one contracts worse
  double
      growth; // worst contraction by the age of the matrix, of this one and earlier ones; 0: never seen
  double least;     // of the first corrections that were the only ones since it was measured
  double slow_rate; // contraction by the last fresh matrix that was partial; 0: not measured
  double first;     // first correction of the last solve
  // what reuse costs
  int age;            // solves since the matrix was made
  double extra;       // corrections in them beyond those with a fresh matrix
  double reuse_rate;  // contraction of a matrix that is reused for the first time; 0: never seen
  double last_count;  // corrections of the last solves
  double fresh_count; // of the last one that began with a fresh matrix,
  double fresh_rate;  // and its contraction
  // a matrix where it was made, far from singular positions: contraction of the first correction, whose size
  // was first_norm; solves that ended after one since it was measured; 0: never; -1: nor will the next be believed
  double first_rate, first_norm;
  int believed;
  double grain; // what matrices make of round-off far away, over the floor; 0: not found
  int drawn;    // times it was looked for; with one matrix of so many; and those since
  int seldom, undrawn;
  double took; // of it, then
  double left; // second corrections with fresh matrices, over the floor: the largest of late
  // what this matrix made of round-off where that explained a correction, and the age at which that was drawn; 0: it was not
  double noise;
  int noise_age;
  bool noise_finishes; // the norm was of corrections that p->finishes
  int blunt;    // solves for which corrections that round-off stopped are believed of any matrix,
  int dull;     // and for how many last time
  int wait;     // solves until reuse is tried though it does not seem to pay
  int patience; // the next such wait
  long iterations, residuals, matrices, stagnations;
} tr_newton;

tr_status tr_newton_solve(tr_newton *nw, tr_newton_problem *p);

// The iteration of DASSL [YP98]: at most `most` corrections, a matrix renewed on the way for
// another side only, the same test. It gives up early, so that a smaller step can be tried: for step control only.
tr_status tr_newton_few(tr_newton *nw, tr_newton_problem *p, int most);

#endif
