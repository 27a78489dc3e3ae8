// SPDX-License-Identifier: Apache-2.0
// SUNDIALS IDA on a mechanism in stabilised index-2 form.
#ifndef IDA_SOLVE_H
#define IDA_SOLVE_H

#include "ggl.h"

typedef struct ida_options {
  double tol;     // relative = absolute
  int order;      // largest
  int motion;     // Newton's test counts q and v alone: the multipliers' tolerance is very wide
  int amd, dense; // ordering AMD, else COLAMD; dense matrices
  double newton, first; // coefficient of Newton's test, first step; 0: IDA's own
  double end;
  // at `samples` times that divide the run, interpolated where they are within a step; 0: none
  int samples;
  void (*see)(void *who, int sample, double t, const double *y);
  void *who;
} ida_options;

// One run: fills steps, cpu_s, setup_s, x, v, energy, words of r.
void ida_solve(bench_result *r, ggl *g, const ida_options *o);

#endif
