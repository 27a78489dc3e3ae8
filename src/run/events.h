// SPDX-License-Identifier: Apache-2.0
// What events.c and crossing.c share: an event being watched, and what is known of it.
#ifndef TR_EVENTS_H
#define TR_EVENTS_H

#include <float.h>
#include <math.h>

#include "driver.h"

static const double INSTANT = 1e-12; // of the time: what is one and the same instant
static const double NOTHING = 1e-9;  // of the largest value so far: g or g' is nothing
static const double DRIFT = 1e-12;   // of the largest value so far, or 1: round-off of many steps

static inline const tr_event_par *par_of(const tr_run *r, int k) {
  return &r->sys->event[k].plan->par;
}

static inline bool counts(const tr_run *r, int k, int side) { // leaving this side
  int d = par_of(r, k)->direction;
  return d == TR_CROSS_BOTH || d == (side < 0 ? TR_CROSS_RISING : TR_CROSS_FALLING);
}

// It changes nothing.
static inline bool tells(const tr_run *r, int k) {
  const tr_plan_event *e = r->sys->event[k].plan;
  return !e->par.stop && isnan(e->par.restitution) && !e->nset && !e->nlock && !e->nunlock;
}

static inline int sign(double x) { return (x > 0) - (x < 0); }

static inline double instant(const tr_run *r) {
  return INSTANT * fmax(fabs(r->x.t), r->settings.end - r->first_t) + DBL_MIN;
}

// At the point of the last tr_kinematics; 0 where there is none, as at the foot of a square root.
static inline double slope(const tr_run *r, int k, const tr_state *x) {
  double rate = tr_event_slope(r->work, k, x->a, NULL);
  return isfinite(rate) ? rate : 0;
}

static inline bool is_contact(const tr_run *r, int k) { return !isnan(par_of(r, k)->restitution); }

// The side of a contact; +1: it is where the expression would be negative.
static inline int way_of(const tr_run *r, int k) {
  return par_of(r, k)->direction == TR_CROSS_FALLING ? 1 : -1;
}

static inline double roundoff(const tr_run *r, int k) {
  return 32 * DBL_EPSILON * fmax(1, r->watch[k].most_g);
}

// The depth up to which an expression touches zero and does not cross it.
static inline double shallow(const tr_run *r, int k) {
  return is_contact(r, k) ? 0 : fmax(tr_event_touch(r->sys, k), roundoff(r, k));
}

// Up to here an expression is at zero: of what it has been, or mere round-off; that of many steps for a contact, which
// may stay in touch.
static inline double nothing(const tr_run *r, int k) {
  double most = r->watch[k].most_g, drift = DRIFT * fmax(1, most);
  return fmax(NOTHING * most, is_contact(r, k) ? drift : roundoff(r, k));
}

// The same, with what comes up to an instant before: fired with that, it has still to cross.
static inline double at_zero(const tr_run *r, int k) {
  return fmax(nothing(r, k), 2 * instant(r) * fabs(r->watch[k].rate));
}

// crossing.c: whether it may have crossed zero in the last step; one of time alone: in between, and back again.
bool tr_crossing_may(const tr_run *r, int k);
bool tr_crossing_winds(const tr_run *r, int k);
// When each happens in what is left of the step; the first that acts, the first that tells.
void tr_crossing_find(tr_run *r, double *acts, double *told);
// An expression that is no number at the end of the step is watched as long as it is one.
void tr_crossing_watch_numbers(tr_run *r, int k);
// When one that acts at t by the dense output does so on the constraints; INFINITY: not in this step. *first: which
// it is, -1: it touches. Changes r->next.
double tr_crossing_land(tr_run *r, double t, int *first);
// Puts the state on its constraints, with accelerations of its own.
bool tr_crossing_close(tr_run *r, tr_state *x);

// impact.c: joints let nothing move along the expression of a contact.
bool tr_contact_held(tr_run *r, int k);

#endif
