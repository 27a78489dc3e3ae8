// SPDX-License-Identifier: Apache-2.0
// What the groups of published results share: runs, references, entries.
//
// A group is a function that makes runs and reports entries; one line in verify_list.h makes it known.
#ifndef TR_VERIFY_H
#define TR_VERIFY_H

#include "base/base.h"
#include "trammel/analysis.h"

typedef struct verify {
  tr_verifier *out;
  const char *group;
  tr_error *error;
  int runs, expected; // for the progress
} verify;

typedef struct verify_group {
  tr_verify_group info;
  int runs; // roughly, for the progress
  tr_status (*run)(verify *v);
} verify_group;

// ---- entries --------------------------------------------------------------------------------------

// The rule. Rounded to as many digits as are printed, the computed number is the printed one (digits),
// or differs by one unit in the last digit (ok). "< x", "> x": below, above x. "-": any
// number. A NaN is never ok.
void verify_compare(const char *published, double computed, tr_verify_entry *e);

tr_status verify_entry(verify *v, const char *unit, const char *published, double computed,
                       const char *note, const char *label, ...) TR_PRINTF(6, 7);

// ---- systems --------------------------------------------------------------------------------------

typedef struct verify_system {
  tr_model *model;
  tr_system *system;
} verify_system;

// A shipped model, with n pairs of parameter and value set; or a problem.
tr_status verify_load(verify *v, const char *model, int n, const char *const *set,
                      verify_system *out);
tr_status verify_load_problem(verify *v, const tr_problem *problem, verify_system *out);
void verify_unload(verify_system *s);

// ---- runs -----------------------------------------------------------------------------------------

typedef struct verify_run {
  const tr_system *system;
  const char *method;
  double step, end;
  int iterations;        // of Newton, fixed; 0: to convergence
  bool as_given;         // keep an inconsistent start
  bool watch;            // means along the way
  double tol;            // of Newton; 0: the default
  double control;        // tolerance of the error, instead of step; 0: fixed steps
  tr_control rule;       // how steps follow from the error
  tr_observer *observer; // or NULL
} verify_run;

typedef struct verify_result {
  const tr_system *system;
  tr_state x; // at the end
  tr_run_info info;
  double mean_phi;    // (1/N) sum over n = 1 .. N-1 of |Phi|_2, as in [WHTC07]
  double mean_energy; // (1/T) int |E - E(0)| dt by the trapezoidal rule
} verify_result;

tr_status verify_do(verify *v, const verify_run *run, verify_result *out);
void verify_drop(verify_result *r);

// The motion to high accuracy: index 1 by the classical Runge-Kutta scheme, without any stabilisation,
// so that it shares no formula with the methods under test.
tr_status verify_reference(verify *v, const tr_system *system, double step, double end,
                           verify_result *out);

// Largest difference of a coordinate (q), of a velocity (v).
double verify_q_error(const verify_result *r, const verify_result *reference);
double verify_v_error(const verify_result *r, const verify_result *reference);

// Observed order from errors at h and h/2.
double verify_order(double coarse, double fine);

#endif
