// SPDX-License-Identifier: Apache-2.0
// Studies: many runs of one system with several methods and steps, boiled down to tables and figures.
#ifndef TRAMMEL_STUDY_H
#define TRAMMEL_STUDY_H

#include "report.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tr_study_kind {
  TR_STUDY_CONVERGENCE,    // errors of q, v, lam against h, with fitted orders
  TR_STUDY_ENERGY,         // average and largest energy error against h
  TR_STUDY_DRIFT,          // violation of the constraints over time and against h
  TR_STUDY_COST,           // CPU time a step, relative to hht-i3
  TR_STUDY_WORK_PRECISION, // error against CPU time
  TR_STUDY_STABILITY, // spectral radius of the one-step map; damping and period of an oscillator
  TR_STUDY_KINDS
} tr_study_kind;
TR_API const char *tr_study_name(tr_study_kind kind); // "work-precision"
TR_API const char *tr_study_doc(tr_study_kind kind);  // one line

// Called now and then by whichever thread is at work, never by two at once. Anything but TR_OK ends the
// study. Embed the struct in one of your own.
typedef struct tr_study_progress tr_study_progress;
struct tr_study_progress {
  tr_status (*look)(tr_study_progress *self, double share, const char *what); // share: 0 .. 1
};

typedef struct tr_study_settings {
  const char *model; // what titles call it; NULL: the name it has
  int methods;       // 0: every built-in one with its defaults
  const char *const *method;
  int steps; // 0: 8, 4, 2, 1, 1/2, 1/4 times the model's step; a grid of its own for stability
  const double *step;
  double end;     // NaN: the model's
  bool at_end;    // errors at the end only, not the largest of a grid of times
  bool recompute; // lam from the equations at the state (index 1), not the method's own
  const tr_csv_table *reference; // "t" and channels; NULL: computed
  int outputs;                   // > 0: errors of these channels instead of all q, v, lam
  const char *const *output;
  const char *joint; // of the phase plot; NULL: the one that drifts most
  bool at_start;     // stability: linearise at the start, not at the nearest equilibrium
  int repeats;       // of time measurements
  double measure;    // seconds that one time measurement lasts at least
  int threads;       // 0: one per core. Systems with an allocator of their own run in one thread
  double newton_tol;
  int newton_iterations; // > 0: exactly that many in every step of the methods, not of the reference
  bool start_as_given;   // no projection of the start, and
  bool zero_start;       // a = 0, lam = 0 there, likewise
  tr_study_progress *progress; // or NULL
} tr_study_settings;
TR_API tr_study_settings tr_study_defaults(tr_study_kind kind);

// page.note tells what the reference was, what failed, what was left out.
typedef struct tr_study {
  tr_page page;
} tr_study;
TR_API tr_status tr_study_run(const tr_system *system, tr_study_kind kind,
                              const tr_study_settings *settings, tr_study **study, tr_error *error);
TR_API void tr_study_free(tr_study *study); // NULL is fine

#ifdef __cplusplus
}
#endif
#endif
