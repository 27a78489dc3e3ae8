// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share: a run from the inside.
#ifndef TR_DRIVER_H
#define TR_DRIVER_H

#include <math.h>
#include <time.h>

#include "blows.h"
#include "step/start.h"
#include "step/step.h"
#include "trammel/run.h"

// An event being watched; see events.c.
typedef struct tr_watch {
  int side;                 // of zero that the expression is on; 0: at rest there
  bool spent;               // it happens once, and has
  bool idle;                // spent, or it sleeps
  bool settled;             // its impacts have died away, joints took over
  bool stays;               // at zero since it happened
  bool fires, fired, again; // at the event under way: is to happen, has, more than once
  bool switched;            // of parameters and time alone: in one instant events change it
  int turn;                 // blows of others before it is drawn in there
  bool passing;             // it goes through zero with those that fire
  bool grazes, touched;     // it happens by a touch; it has, and is still near
  double g, rate, most_g, most_rate; // at the last state; largest so far
  double rate0;                      // of the state before
  double from, till;                 // it is watched from here to there in the last step
  bool lost;                         // where it ceases to be a number
  bool winds, wound; // of time alone, and no straight line; it may have crossed zero and come back
  double at;         // when it happens in there, or INFINITY
  int over;          // the side it crosses to there
  int to;            // its side at the end of it
  double blur;       // what its value says at the event under way is open by so much
  bool lifts;        // a contact across zero that comes from there and is led back
  double slack;      // so far across zero it still counts as on its side; 0: it has been there
  bool apart;    // across zero by what a method leaves open: on the constraints it is on its side
  double before; // rate before the event
  double last;   // when it happened last, or -INFINITY
  const char *what; // instead of what it usually does, or NULL
} tr_watch;

typedef struct tr_multipliers tr_multipliers;
typedef struct tr_leap {
  double t, from, to;
  int of; // velocity
} tr_leap;

// Steps whose length has the same power of 2.
enum { TR_LENGTHS = 64, TR_LENGTH_1 = 56 }; // of 1 s
typedef struct tr_lengths {
  long n;
  double shortest, end;
} tr_lengths;

// Steps that were cut to a small part of what was tried first; the element that was last seen to jump on such a way, and
// what to tell of it once that was the same twice.
typedef struct tr_cuts {
  long count;
  const char *of;
  char jump[300];
} tr_cuts;

struct tr_run {
  const tr_system *sys;
  tr_arena arena;
  tr_step *step;
  tr_team *team; // or NULL
  tr_work *work; // the step's, between steps
  tr_state x, next;
  tr_state shown; // x with a and lam computed anew, when they are asked for
  tr_kkt kkt;     // for it
  tr_projector projector;
  bool fresh;              // a and lam for the outside are computed anew
  bool recompute, current; // the shown state is wanted; it belongs to x
  tr_run_settings settings;
  tr_run_info info;
  double gain, most_kinetic; // the most that the energy grew by; the largest kinetic energy
  // of the last state, or NAN, and when; where the run began, or anew from outside
  double energy, energy_t, energy1;
  double falls, fall, fall_t; // what it lost of late; the most so, and when
  double phi_sum, phi_last;   // |Phi| after the steps so far, without the last one
  double t0;
  long k;        // steps of full length since t0
  double length; // of the last fixed step, 0: none
  // lengths.c: room; a and lam before steps became very short, and when; since when bodies coast, or NAN
  tr_state beside;
  double *kept, kept_t, coast_t;
  bool brief;       // the step under way is one of these, its a and lam are not to be had
  unsigned outside; // base/subnormal.h: the mode in which this was called, and observers are
  int observers;
  tr_observer *observer[TR_MAX_OBSERVERS];
  long due[TR_MAX_OBSERVERS]; // multiple of the spacing that comes next
  int diagnoses;
  bool given;  // the run began at a state of the caller
  bool locked; // the run began where motions are free to first order only
  const char
      *held;    // where some are: the joint, together with what it repeats, that bars them; or NULL
  double sound; // the best rcond since rows were looked at last, see tr_run_renew,
  double sound_cq, last_rcond; // with steps as long as these matrices had; the last one
  bool looked;                 // since the state is what it is
  bool observed;               // the start has been shown
  double step_wall, step_mean,
      last_step_end;           // seconds of the clock in steps; typical; the last mark
  double rest_wall, rest_mean; // the same for what is between steps
  long unwatched;              // single steps since the last call that was looked at,
  double step_cpu, step_took;  // and what each of its steps took, of the CPU and by the clock
  // step control
  double h, last_error; // the step to try next; error over tolerance of the last accepted
  double failed_h;      // a length at which a step failed, 0: none to speak of
  int wary, patience;   // so many steps stay below it; what they were set to
  double fallen;        // the longest step rejected lately, 0: none
  double closed_t;      // the last time at which a state was put on its constraints anew,
  double left_open; // or not, since that would have moved it so far beyond its tolerance; else 0
  // places where bodies are held off their centre, see arms.c; the step that the fastest of them allowed last
  struct tr_arm *arms;
  int narms;
  bool *sites_used; // (nsite) a joint or a force acts there
  int *sites_read;  // (nsite) what events read of it
  double arms_h;
  struct tr_instants *instants; // jumps in time, see instants.c; or NULL
  struct tr_inside *inside;     // what steps may hide, see inside.c; or NULL
  // dense output: the step behind x
  bool sampling;
  tr_state before, sample;
  double *increment, *rate; // (nv)
  double *own_a;            // (nv) the method's, where the step begins
  bool high_order;          // see dense.c
  double *bend;             // (4 nv) u'' at the end, and room
  double *plain;            // (nv + nc) a and lam of r->before while they are sharp, see below
  // events
  tr_watch *watch; // (nevent)
  tr_blows blows;
  bool reads_motion; // expressions want the accelerations and multipliers of the state
  bool *follows;     // (nc) rows that say nothing new
  tr_event_record *record;
  int records, record_capacity;
  double first_t, last_event;
  // the largest velocity at the start, in the last step; steps in a row in which it grew, but did not double
  double first_speed, last_speed;
  int growing;
  double fastest;   // the largest velocity after a step
  double extent;    // the largest coordinate at the start, or 1
  double top_speed; // the largest velocity so far, or 1
  // the first step in which velocities leapt or rushed, see doubt.c; the last in which time made them do so; t NAN: none
  tr_leap leap, driven;
  tr_kkt aside;                   // for looks at these
  tr_lengths lengths[TR_LENGTHS]; // of steps so far, by powers of 2
  tr_lengths *latest;             // of the last
  char note[800];                 // what to know of the results
  tr_multipliers *multipliers;    // whose error counts, or NULL
  struct tr_swing *swing;         // whether velocities go to and fro, see explain.c; or NULL
  int quick;                      // events in a row with hardly any time between
  tr_cuts cuts;                   // of steps, for a note
};

double tr_clock(clockid_t which); // in seconds
double tr_clock_wall(void);
// After each step, for a note: whether its velocities leave all those so far behind (doubt.c). Uses r->next.
void tr_run_watch_speed(tr_run *r);
void tr_run_take_speed(tr_run *r); // after an event or from outside: velocities that no step made
// Under step control: h, or less where velocities rush towards a pole; whether those of the step just tried leave all so far behind.
double tr_run_follow(const tr_run *r, double h);
bool tr_run_leapt(const tr_run *r, double h);

// Where a step begins by the clock; 0: it is not watched. To look at the clock takes a part of a short step that can be felt: one
// in TR_WATCHED of them is watched, and the pause after it; a prime, lest these be those at which samples are written, or never.
enum { TR_WATCHED = 31 };
static inline double tr_run_clock(const tr_run *r) {
  const double short_step = 5e-6; // seconds
  bool is_short = r->step_mean > 0 && r->step_mean < short_step;
  return is_short && r->info.steps % TR_WATCHED >= 2 ? 0 : tr_clock_wall();
}
// Counts the wall time of a step.
void tr_run_count_time(tr_run *r, double since);
static inline void tr_run_time(tr_run *r, double since) {
  if (since == 0)
    r->last_step_end = 0;
  else
    tr_run_count_time(r, since);
}

// Time of a call: single, if it is to make one step.
typedef struct tr_call_time {
  bool on, single;
  clockid_t clock;
  long steps; // these and what follows: where it began
  double cpu, wall, step, rest;
} tr_call_time;
tr_call_time tr_call_begin(tr_run *r, bool single);
void tr_call_end(tr_run *r, const tr_call_time *w);

// Tries a step of length h into r->next. > 0: it failed, a shorter one may do. < 0: the error tells why.
tr_status tr_run_try(tr_run *r, double h, tr_error *error);
// Takes r->next, at t1 to the last bit. The caller has seen to it that it may be accepted. by_method: it made it.
void tr_run_accept(tr_run *r, double t1, bool by_method);
// After an accepted step: what happens in it, then the state is shown to the auditor and the observers.
tr_status tr_run_look_closely(tr_run *r, tr_error *error);
static inline tr_status tr_run_look(tr_run *r, tr_error *error) {
  bool seen = r->sys->nevent > 0 || r->observers > 0 || r->settings.audit;
  return seen ? tr_run_look_closely(r, error) : TR_OK;
}
// What the outside sees (shown.c). Shows the state to the auditor and the observers; the start, to all of them.
tr_status tr_run_show(tr_run *r, tr_error *error);
tr_status tr_run_show_start(tr_run *r, tr_error *error);
void tr_run_audit(tr_run *r, bool first);
void tr_run_set_due(tr_run *r, int i); // the sample that an observer sees next
// Room for the state as the outside sees it, and a matrix for its a and lam.
tr_status tr_run_make_shown(tr_run *r, tr_error *error);
// The state as observers see it, with its own accelerations and multipliers.
tr_status tr_run_refresh(tr_run *r, tr_error *error);
// Shows a state inside the last step; NULL: its end, to those who do not see every step.
tr_status tr_run_tell(tr_run *r, const tr_state *x, tr_error *error);
// The samples of the last step up to t.
tr_status tr_run_serve(tr_run *r, double t, tr_error *error);
// Begins at the positions and velocities in r->x: consistent, the method without a past (begin.c).
tr_status tr_run_begin(tr_run *r, bool first, bool fresh, tr_error *error);
// The parts of it: r->x made consistent, with a and lam of the equations; the method forgets.
tr_status tr_run_consistent(tr_run *r, tr_error *error);
tr_status tr_run_forget(tr_run *r, tr_start start, const tr_kkt *counts, tr_error *error);
// What the projector knows of redundant rows is known to all.
void tr_run_know_rows(tr_run *r);
// Finds redundant rows at a state and treats them as the settings say.
tr_status tr_run_diagnose(tr_run *r, const tr_state *x, tr_error *error);
// The state with constraints that hold, in r->next, if that is near.
const tr_state *tr_run_closed(tr_run *r);

// Where the length of steps changes (lengths.c): room, where that is to be expected; else it is made at the first change.
tr_status tr_lengths_make(tr_run *r, tr_error *error);
static const double TR_MOMENT = 0.1; // of a step, in which a and lam hardly change
// Whether the method goes on with a fixed step of length h as it is.
static inline bool tr_run_bears(const tr_run *r, double h) {
  const tr_method *m = r->step->method;
  double last = r->step->last_h;
  if (!isnan(r->coast_t)) return false;
  if (m->uneven) return true;
  return last == 0 || h == r->length ||
         (m->nearly_even && h >= TR_MOMENT * last && last >= TR_MOMENT * h);
}
// The same state, but consistent, and the method without a past, before a
// step of length h. Where that is not to be had, as next to a singular position, or forces are stiff, all stays as it is.
tr_status tr_run_begin_anew(tr_run *r, double h, tr_error *error);
// Before a step of length h: where bodies go on in other coordinates the method begins anew.
tr_status tr_run_change(tr_run *r, double h, tr_error *error);
tr_status tr_run_recall(tr_run *r, tr_error *error);                     // a and lam that were kept
static inline tr_status tr_run_after_brief(tr_run *r, tr_error *error) { // after the step
  return r->brief ? tr_run_recall(r, error) : TR_OK;
}
// The largest of rates (nv) that are some: not of variables, which have no coordinate and stand there themselves.
double tr_run_largest(const tr_run *r, const double *rates);
// A step of length h would be round-off, where others have the usual length: bodies coast to t1 instead.
bool tr_run_is_splinter(const tr_run *r, double h, double usual);
static inline bool tr_run_too_short(const tr_run *r, double h, double usual) {
  return h < TR_MOMENT * usual && tr_run_is_splinter(r, h, usual);
}
tr_status tr_run_coast(tr_run *r, double t1, tr_error *error);
// "body "x", angle": what a velocity belongs to.
void tr_run_tell_coordinate(const tr_run *r, int of, char *text, size_t room);
bool tr_run_below_round_off(const tr_run *r); // the tolerance, perhaps
// Why a step of length h failed, or had to be as short as that for the error of a coordinate (explain.c).
tr_status tr_run_explain(const tr_run *r, tr_status why, double h, tr_error *error);
tr_status tr_run_collapse(const tr_run *r, int worst, double h, tr_error *error);
// Names a force or a constraint that is no finite number on the way of length h ahead, if there is one.
bool tr_run_not_finite(const tr_run *r, double h, tr_error *error);
// The same for a callback that failed in the step of length h just tried; 0: at the state.
bool tr_run_tell_failed(const tr_run *r, double h, tr_error *error);
// For methods that pass jumps, after each step: whether velocities go to and fro because of one.
tr_status tr_swing_make(tr_run *r, tr_error *error);
void tr_swing_watch(tr_run *r, double h);
void tr_swing_free(tr_run *r);
// Under step control, before a step is taken: the length that was tried first, and that of the step.
void tr_run_watch_cut(tr_run *r, double tried, double h);
// Whether the step just tried is what it seems (doubt.c); stagnations: of Newton before it.
tr_status tr_run_doubt(tr_run *r, double h, long stagnations);
// Where rows are left out since they repeat others: looks for better ones if those that stay go bad, or if a step
// failed, once at each state; *renewed: there were, and r->x holds by them.
tr_status tr_run_renew_rows(tr_run *r, bool failed, bool *renewed);
static inline tr_status tr_run_renew(tr_run *r, bool failed, bool *renewed) {
  *renewed = false;
  return r->projector.redundancy.count > 0 ? tr_run_renew_rows(r, failed, renewed) : TR_OK;
}
// A body turns so much faster or slower in the step just tried that joints lose count.
bool tr_run_turns(const tr_run *r, double h, const char **body);
// The fastest turning of a rigid body in v, or in accelerations.
double tr_run_turning(const tr_run *r, const double *v);
// Steps follow bodies that are held off their centre (arms.c): room, whether the step just tried went too far, and h or what
// is left of it; not below `least`.
tr_status tr_arms_make(tr_run *r, tr_error *error);
void tr_arms_gather(tr_run *r); // once more: other events are idle
bool tr_arms_turned(const tr_run *r);
static inline bool tr_arms_lost(const tr_run *r) { return r->narms > 0 && tr_arms_turned(r); }
double tr_arms_follow(tr_run *r, double h, double least);
// Jumps in time (instants.c): room; whether there is one in the step of length h that did not pass; the time just before the next one
// known, or INFINITY; beyond it, once it is reached.
tr_status tr_instants_make(tr_run *r, tr_error *error);
void tr_instants_free(tr_run *r);
void tr_instants_reset(tr_run *r); // r->x is another
void tr_instants_learn(tr_run *r); // an event may have set parameters
bool tr_instants_look(tr_run *r, double h);
double tr_instants_bound(tr_run *r, double h); // the longest step that cannot pass two unseen
double tr_instants_next(const tr_run *r);
// That a step of length h must not pass, or one after it.
double tr_instants_ahead(const tr_run *r, double h);
tr_status tr_instants_pass(tr_run *r, tr_error *error);
// What a step may hide between its ends (inside.c): room; the method begins anew; the error of the step of length h just
// tried, e over the tolerance by its ends, with what is found inside; then the length up to that; h, or less behind
// a place before which a step ended.
tr_status tr_inside_make(tr_run *r, tr_error *error);
void tr_inside_begin(tr_run *r);
double tr_inside_error(tr_run *r, double h, double e);
double tr_inside_shorter(const tr_run *r, double h, double wish);
double tr_inside_next(tr_run *r, double h, double wish);
double tr_inside_follow(tr_run *r, double h); // h, or less where waves in time are to be followed
// Whether a run that began in a locked position has velocities out of all bounds: then the error tells (explain.c).
bool tr_run_is_jammed(const tr_run *r, double h, tr_error *error);
static inline bool tr_run_jams(const tr_run *r, double h, tr_error *error) {
  return r->locked && tr_run_is_jammed(r, h, error);
}
// Whether the motion has no end but infinity: then the error tells (explain.c).
bool tr_run_runaway(const tr_run *r, tr_error *error);
// Velocity i rushes, but forces and drives bring next to nothing of the energy that takes.
bool tr_run_whipped(const tr_run *r, int i);
bool tr_run_gained(const tr_run *r); // a good part of the energy came from nowhere (notes.c)
// How far positions are off at least, relative to their size, at the state or after the step just tried (doubt.c).
double tr_run_round_off(const tr_run *r);
// Whether the method has made next to all the motion by itself, or velocities have left their constraints: then the error
// tells (notes.c).
bool tr_run_made_up(tr_run *r, tr_error *error);
// Whether velocities have left their constraints: then the error tells, beside why else a run failed.
bool tr_run_tell_astray(tr_run *r, tr_error *error);
// A projector with a matrix of its own, so that steps know nothing of who asks; false: no memory.
bool tr_run_aside(tr_run *r, tr_projector *p);
// What to know of the results: r->note.
void tr_run_note(tr_run *r);
// Steps of length h hardly lead on: fails if a discontinuity is the reason.
tr_status tr_run_stall(const tr_run *r, double h, tr_error *error);

// Fixed steps up to t (fixed.c).
tr_status tr_fixed_walk(tr_run *r, double t, tr_error *error);
// Steps under error control up to t (control.c).
tr_status tr_control_check(const tr_run *r, tr_error *error);
void tr_control_begin(tr_run *r);
tr_status tr_control_walk(tr_run *r, double t, tr_error *error);

// The error of multipliers (multipliers.c): room; at a new beginning; of the step just tried, 0 where nobody asks; it was
// accepted.
tr_status tr_multipliers_make(tr_run *r, tr_error *error);
void tr_multipliers_begin(tr_run *r);
double tr_multipliers_error(tr_run *r);
void tr_multipliers_accept(tr_run *r);

// Dense output (dense.c): room, the step about to be left behind, a state inside the last step.
tr_status tr_dense_make(tr_run *r, tr_error *error);
void tr_dense_keep(tr_run *r);
const tr_state *tr_dense_at(tr_run *r, double t);
// Its q and v only.
const tr_state *tr_dense_motion(tr_run *r, double t);
// The accelerations of the states on either end, where those of the method are for other times; and back.
tr_status tr_dense_sharpen(tr_run *r);
void tr_dense_blunt(tr_run *r);

// Events (events.c).
tr_status tr_events_make(tr_run *r, tr_error *error);
tr_status tr_events_reset(tr_run *r, tr_error *error); // the run begins at another state
// What happens at the start, with the start shown; what happens in the last step: then *happened, and
// all has been shown.
tr_status tr_events_start(tr_run *r, tr_error *error);
tr_status tr_events_look(tr_run *r, bool *happened, tr_error *error);
// What the events that fire do to r->x; impact.c.
tr_status tr_events_act(tr_run *r, tr_error *error);

#endif
