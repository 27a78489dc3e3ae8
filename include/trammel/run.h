// SPDX-License-Identifier: Apache-2.0
// Runs: a system, a method, a step size, and observers that look on.
#ifndef TRAMMEL_RUN_H
#define TRAMMEL_RUN_H

#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- methods --------------------------------------------------------------------------------------

typedef struct tr_method_info {
  const char *name, *doc;
  const tr_field *fields; // parameters: "alpha", "beta", ...
  const char *levels;     // constraint levels it enforces: "position"
  int order_q, order_v, order_lam;
  const char *damping;   // one line
  const char *cost;      // per step, one line
  const char *reference; // key into docs/references.md
} tr_method_info;
TR_API int tr_method_count(void);
TR_API tr_method_info tr_method_describe(int method); // by index

// ---- settings -------------------------------------------------------------------------------------

// What Newton's iteration starts from: a polynomial through past steps, of this degree at most; or the weights
// of past steps that would have been best for the last ones, where all are of one length.
typedef enum tr_predictor {
  TR_PREDICT_CONSTANT,
  TR_PREDICT_LINEAR,
  TR_PREDICT_QUADRATIC,
  TR_PREDICT_CUBIC,
  TR_PREDICT_TREND
} tr_predictor;

typedef struct tr_newton_settings {
  double
      tol; // on the error of v, relative to the largest velocity; under error control it has its own
  int max_iterations;
  int fixed_iterations; // > 0: exactly that many of the full Newton method, from the values of the last step
  tr_predictor predictor;
  bool reuse; // keep the matrix over steps while it contracts well
} tr_newton_settings;

// Constraints that repeat others: reactions of least norm, those of the first ones met, or an error.
typedef enum tr_redundant {
  TR_REDUNDANT_LEAST_NORM,
  TR_REDUNDANT_REMOVE,
  TR_REDUNDANT_FAIL
} tr_redundant;

// How the next step follows from the error of the last: [GNP05]'s rule, or a PI controller that keeps
// the step (and with it the matrix) where nothing is gained by changing it.
typedef enum tr_control { TR_CONTROL_PI, TR_CONTROL_GNP05 } tr_control;

// Error control: used when tol > 0, then `step` is not.
typedef struct tr_control_settings {
  double tol; // local error of the positions, relative to max(1, largest |q_i| so far)
  tr_control rule;
  bool velocities;                       // estimate their error too
  bool multipliers;                      // and that of these, relative to the largest so far
  double first_step, min_step, max_step; // 0: automatic
} tr_control_settings;

typedef struct tr_run_settings {
  const char *method; // "name" or "name:key=value,key=value"; NULL: the model's, else hht-i3
  double end;         // NaN: the model's
  double step;        // NaN: the model's
  tr_control_settings control;
  bool consistent_start; // project q0, v0 onto the constraints before the first step
  bool zero_start; // the first step begins with a = 0, lam = 0, not with those of the equations
  bool recompute;  // a and lam for observers from the equations at the state (index 1)
  tr_redundant redundant;
  bool audit; // watch constraint violation and energy after every step
  tr_newton_settings newton;
  // That share the work of a step where the system is large; 0: one for each core; -n: n, even where that does not pay. The
  // results are the same.
  int threads;
} tr_run_settings;
TR_API tr_run_settings tr_run_defaults(void);

// ---- what happened --------------------------------------------------------------------------------

typedef struct tr_run_info {
  const char *method; // full text with all parameters
  double t, end, step;
  double tol;           // of the error control; 0: fixed steps
  long steps, rejected; // rejected: by the error test, or because Newton failed
  // The latter; with fixed steps, which are tried again in other ways: tries that came to nothing.
  long newton_failures;
  double smallest_step, largest_step;
  long newton_iterations, residuals, jacobians;
  long factorisations, refactorisations; // all, and those of them that reused the pivots
  long solves;                           // right-hand sides
  long stagnations;                      // iterations that ended at the round-off floor
  double
      cpu_s; // stepping only, without audit and observers; of all threads; where steps are short, from some of them
  double wall_s; // the same by the clock
  int threads;   // that share the work; 1: the system is too small for more
  // by the audit, NaN without: largest 2-norms of Phi and of G v + Phi_t, energy
  double max_phi, max_phi_v;
  double mean_phi; // 1/N sum of |Phi|_2 after steps 1 .. N-1, as [WHTC07] has it
  double energy0, max_energy_change;
  int redundant;                     // constraint rows that repeat others
  const char *warnings;              // lines, "" if none; owned by the run
  double start_move_q, start_move_v; // how far the consistent start moved things
  const char *notes;                 // what else to know of the results, lines, "" if nothing
  long events;                       // that happened so far
  bool at_event;          // observers: the state is the one just before, or just after, an event
  const char *stopped_by; // the event that ended the run, or NULL
} tr_run_info;

// ---- observers ------------------------------------------------------------------------------------

// Called at the start, after every accepted step, and twice at an event: before and after what happens
// in it, at the same time; once, inside a step, at one that changes nothing. Embed the struct in one of
// your own. Anything but TR_OK ends the run: TR_STOPPED is a friendly end, everything else a failure.
typedef struct tr_observer tr_observer;
struct tr_observer {
  tr_status (*step)(tr_observer *self, const tr_state *state, const tr_run_info *info);
  // 0: every step. > 0: the start, then each multiple of it, interpolated between steps; and events.
  double spacing;
  bool
      motion_only; // does not read a and lam: where they have to be computed for observers, spare that
};

// ---- runs -----------------------------------------------------------------------------------------

typedef struct tr_run tr_run;

// start NULL: the model's start. The system must outlive the run.
TR_API tr_status tr_run_new(const tr_system *system, const tr_run_settings *settings,
                            const tr_state *start, tr_run **run, tr_error *error);
TR_API void tr_run_free(tr_run *run);
TR_API tr_status tr_run_observe(tr_run *run, tr_observer *observer); // up to TR_MAX_OBSERVERS
enum { TR_MAX_OBSERVERS = 8 };
// One step; to a time that is not past; to the end of the settings. Where fixed steps do not fit a time they get shorter
// before it: all of a way of up to 16 steps, else the last two. Under error control there is no single step beyond the end of
// the settings: there it is TR_STOPPED, and nothing changes; tr_run_to leads on. Steps that times so late cannot tell from none are refused. On failure the last accepted state stays.
TR_API tr_status tr_run_step(tr_run *run, tr_error *error);
TR_API tr_status tr_run_to(tr_run *run, double t, tr_error *error);
TR_API tr_status tr_run_all(tr_run *run, tr_error *error);
// Begins anew at a state, or with NULL where the run is: after a discontinuity (an impact, a parameter
// of yours that jumps), or at a state that was kept, whatever its time. Positions and velocities are made consistent, the method
// forgets its past. A state of another system, or with t, q, v or mem that are not finite, is refused and the run left as it is. Where
// the state cannot be made consistent the run begins anew where it was: at the same t, with velocities and accelerations made
// consistent there.
TR_API tr_status tr_run_restart(tr_run *run, const tr_state *state, tr_error *error);
TR_API const tr_state *tr_run_state(const tr_run *run);
TR_API tr_run_info tr_run_describe(const tr_run *run);

// ---- events ---------------------------------------------------------------------------------------

// One event that happened. The model says which there are; a run that one of them stops ends with
// TR_STOPPED, and goes on when it is told to.
typedef struct tr_event_record {
  double t;
  const char *name, *message; // message "": none
  const char *what;           // "impact, lock latch"
  double before, after;       // rate of the expression
} tr_event_record;
// The first of them are remembered: i = 0 .. min(info.events, TR_MAX_RECORDS) - 1.
enum { TR_MAX_RECORDS = 100000 };
TR_API tr_event_record tr_run_event(const tr_run *run, long i);

#ifdef __cplusplus
}
#endif
#endif
