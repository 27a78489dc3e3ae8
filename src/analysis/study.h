// SPDX-License-Identifier: Apache-2.0
// What the studies share: the lists of methods and steps, runs on all cores, sampling, a reference, and
// the building of tables and figures.
//
// (1) Every run writes into a slot of its own, so results do not depend on the number of threads.
// (2) A run that fails numerically is a gap in the results and a note; only memory, bad input and a
//     stop end a study.
// (3) Everything a study hands out lives in its arena. Threads at work do not touch it.
#ifndef TR_STUDY_INTERNAL_H
#define TR_STUDY_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"
#include "system/system.h"
#include "trammel/study.h"

enum { STUDY_NOTES = 64, STUDY_TABLES = 4, STUDY_FIGURES = 4 };

typedef struct study {
  tr_study out; // first: what the caller holds
  tr_arena arena;
  const tr_system *sys;
  tr_study_kind kind;
  tr_study_settings set;
  int methods, steps;
  const char **method; // (methods)
  int *style;          // (methods) of their curves
  int (*claim)[3];     // (methods) orders in q, v, lam with their parameters
  double *step;        // (steps) descending
  double end;
  tr_error *error;
  bool starved; // a text found no memory: told at the end
  // results
  const char *note[STUDY_NOTES];
  tr_table table[STUDY_TABLES];
  tr_figure figure[STUDY_FIGURES];
  // progress
  pthread_mutex_t lock;
  atomic_int stop;   // a tr_status
  atomic_llong done; // of the work, in steps
  double total;
  double last_look; // seconds
  const char *what;
} study;

// ---- the studies themselves -----------------------------------------------------------------------

tr_status tr_study_convergence(study *s); // also work-precision
tr_status tr_study_energy(study *s);
tr_status tr_study_drift(study *s);
tr_status tr_study_cost(study *s);
tr_status tr_study_stability(study *s);

// ---- work (study_jobs.c) --------------------------------------------------------------------------

// task(s, data, i) for i = 0 .. n-1 on the study's threads, or one after the other (serial).
typedef tr_status (*study_task)(study *s, void *data, int i);
tr_status tr_study_work(study *s, int n, study_task task, void *data, bool serial);
// Progress: `total` steps of work lie ahead; `steps` more are done. TR_OK, or what stopped the study.
void tr_study_expect(study *s, const char *what, double total);
tr_status tr_study_tick(study *s, long steps);

// ---- runs (study_runs.c) --------------------------------------------------------------------------

// What is looked at in a state: all of q, v, lam, and channels. Groups are q, v, lam and energy.
enum { GROUP_Q, GROUP_V, GROUP_LAM, GROUP_ENERGY, GROUPS, GROUP_NONE = -1 };
typedef struct study_watch {
  bool raw; // q, v, lam of the state come first
  int channels;
  const int *channel;
  int n;            // numbers in all
  const int *group; // (n)
  int size[GROUPS];
} study_watch;
tr_status tr_study_watch_make(study *s, bool raw, int channels, const int *channel, study_watch *w);

// Times at which all the steps land, at most `most` of them, the last one being the end.
tr_status tr_study_times(study *s, int most, int *count, const double **times);

typedef struct study_run {
  const char *method;
  double h, newton_tol;
  bool recompute;
  bool exact; // of the reference: converged, from a consistent start, whatever the settings
  tr_observer *observer; // or NULL
  const study_watch *watch;
  int times;
  const double *time;
  double *y; // (times x watch->n), NaN where the run did not get
  tr_status status;
  char why[400]; // status != TR_OK: the reason
  tr_run_info info;
} study_run;
tr_status tr_study_run_new(study *s, const char *method, double h, const study_watch *watch,
                           int times, const double *time, study_run *run); // with room for y
// On the threads; what: for the progress line.
tr_status tr_study_run_all(study *s, const char *what, int n, study_run *runs);
tr_status tr_study_run_one(study *s, study_run *run);
// Methods that failed, with the reason, as notes.
void tr_study_note_failures(study *s, int n, const study_run *runs);

// CPU seconds of one run, the mean of as many as fill settings.measure; NaN when it fails.
tr_status tr_study_time(study *s, const char *method, double h, double *seconds, long *steps);
double tr_study_clock(void); // seconds of the wall

// Largest 2-norm of the difference over the times, by group.
void tr_study_difference(const study_watch *w, int times, const double *y, const double *reference,
                         bool at_end, double *out);

// ---- reference (study_reference.c) ----------------------------------------------------------------

typedef struct study_reference {
  double *y;            // (times x watch->n)
  double error[GROUPS]; // estimated
  double scale[GROUPS]; // largest 2-norm
} study_reference;
tr_status tr_study_reference_make(study *s, const study_watch *w, int times, const double *time,
                                  study_reference *r);
tr_status tr_study_reference_given(study *s, study_watch *w, int *times, const double **time,
                                   study_reference *r);

// ---- results (study_report.c) ---------------------------------------------------------------------

void tr_study_note(study *s, const char *format, ...) TR_PRINTF(2, 3);
const char *tr_study_text(study *s, const char *format, ...) TR_PRINTF(2, 3); // in the arena
double *tr_study_numbers(study *s, int n);                                    // in the arena, NaN

// A table filled row by row.
typedef struct study_rows {
  tr_table *table;
  tr_cell *cell;
  int at; // next cell
} study_rows;
tr_status tr_study_table(study *s, const char *name, const char *title, int columns,
                         const tr_column *column, int rows, study_rows *r);
void tr_study_put(study_rows *r, double x);
void tr_study_put_text(study_rows *r, const char *text);
tr_figure *tr_study_figure(study *s, const char *name, const char *title, int panels, int columns);
// A panel with one curve per method, y[m] (n) over x[m] (n).
tr_status tr_study_curves(study *s, tr_panel *p, const char *title, const char *x_label,
                          const char *y_label, int n, const double *const *x,
                          const double *const *y);
// Triangles of the orders (methods) that the curves have, to the nearest whole number; NaN: none.
tr_status tr_study_slopes(study *s, tr_panel *p, const double *order, double sign);
// A panel with one row per method: value and its spread.
tr_status tr_study_bars(study *s, tr_panel *p, const char *title, const char *x_label,
                        const char *const *name, int n, const double *value, const double *low,
                        const double *high);

// Order by least squares on logarithms over the finest steps (3 or 4) whose error lies between floor and
// ceiling and falls steadily. NaN: none can be told.
double tr_study_order(int n, const double *h, const double *error, double floor, double ceiling);

void tr_study_sort(int n, double *x);                // ascending
double tr_study_median(int n, const double *sorted); // of an even number: between the middle two

#endif
