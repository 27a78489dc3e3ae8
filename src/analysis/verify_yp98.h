// SPDX-License-Identifier: Apache-2.0
// The runs of [YP98] on their way into figures.
#ifndef TR_VERIFY_YP98_H
#define TR_VERIFY_YP98_H

#include "problems.h"
#include "verify.h"

enum { YP98_PROBLEMS = 3, YP98_TOLERANCES = 2, YP98_ITERATIONS = 4, YP98_POWERS = 7 };
extern const char *const yp98_problem[YP98_PROBLEMS];
extern const char *const yp98_iteration[YP98_ITERATIONS];
extern const double yp98_tolerance[YP98_TOLERANCES];

// Step and energy over time of one run, thinned out evenly in log t.
enum { YP98_POINTS = 512 };
typedef struct yp98_curve {
  int n;
  double t[YP98_POINTS], h[YP98_POINTS];
  double energy[YP98_POINTS]; // of the oscillation, over that at the start
} yp98_curve;

enum { YP98_DRAWN = 2 }; // powers of eps whose curves are drawn, at the finer tolerance
typedef struct yp98_results {
  double failures[YP98_PROBLEMS][YP98_TOLERANCES][YP98_ITERATIONS][YP98_POWERS];
  yp98_curve curve[YP98_DRAWN][YP98_PROBLEMS][YP98_ITERATIONS];
} yp98_results;

// Where the curve of a run goes; NULL: it is not drawn.
yp98_curve *yp98_curve_of(yp98_results *r, int problem, int tolerance, int iteration, int power);

// Watches one run: an observer for verify_run. Free it after the run.
typedef struct yp98_watch {
  tr_observer observer; // first: the run hands it back to us
  tr_reader *reader;
  yp98_curve *curve;
  double rest, start,
      last; // energy at rest; that of the oscillation at the start; time of the last step
} yp98_watch;
tr_status yp98_watch_make(verify *v, const tr_system *system, double rest, yp98_curve *curve,
                          yp98_watch *w);

// Hands three figures over: failures over eps, energies and steps over time.
tr_status yp98_draw(verify *v, const yp98_results *r);

#endif
