// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share: a run from the inside.
#ifndef TR_DRIVER_H
#define TR_DRIVER_H

#include "step/start.h"
#include "step/step.h"
#include "trammel/run.h"

struct tr_run {
  const tr_system *sys;
  tr_arena arena;
  tr_step *step;
  tr_work *work; // the step's, between steps
  tr_state x, next;
  tr_state shown; // x with a and lam computed anew, when they are asked for
  tr_kkt kkt;     // for it
  tr_projector projector;
  bool fresh;              // a and lam for the outside are computed anew
  bool recompute, current; // the shown state is wanted; it belongs to x
  tr_run_settings settings;
  tr_run_info info;
  double t0;
  long k; // steps of full length since t0
  int observers;
  tr_observer *observer[TR_MAX_OBSERVERS];
  long due[TR_MAX_OBSERVERS]; // multiple of the spacing that comes next
  int diagnoses;
  bool observed; // the start has been shown
  double step_wall, step_mean,
      last_step_end;           // seconds of the clock in steps; typical; the last mark
  double rest_wall, rest_mean; // the same for what is between steps
  // step control
  double h, last_error; // the step to try next; error over tolerance of the last accepted
  // dense output: the step behind x
  bool sampling;
  tr_state before, sample;
  double *increment, *rate; // (nv)
  bool high_order;          // see dense.c
  double *bend;             // (3 nv) u'' at the end, and room
};

double tr_clock_wall(void);
double tr_run_clock(const tr_run *r);      // where a step begins; 0: it is not watched
void tr_run_time(tr_run *r, double since); // counts the wall time of a step

// Tries a step of length h into r->next. > 0: it failed, a shorter one may do. < 0: the error tells why.
tr_status tr_run_try(tr_run *r, double h, tr_error *error);
// Takes r->next, at t1 to the last bit. The caller has seen to it that it may be accepted.
void tr_run_accept(tr_run *r, double t1);
// Shows the accepted state to the auditor and the observers.
tr_status tr_run_show(tr_run *r, tr_error *error);
tr_status tr_run_explain(const tr_run *r, tr_status why, double h, tr_error *error);
// Looks for redundant constraints at the state and treats them as the settings say.
tr_status tr_run_diagnose(tr_run *r, tr_error *error);

// Steps under error control up to t (control.c).
tr_status tr_control_check(const tr_run *r, tr_error *error);
void tr_control_begin(tr_run *r);
tr_status tr_control_walk(tr_run *r, double t, tr_error *error);

// Dense output (dense.c): room, the step about to be left behind, a state inside the last step.
tr_status tr_dense_make(tr_run *r, tr_error *error);
void tr_dense_keep(tr_run *r);
const tr_state *tr_dense_at(tr_run *r, double t);

#endif
