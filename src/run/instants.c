// SPDX-License-Identifier: Apache-2.0
// Moments at which forces, drives or rates of states jump, whatever the motion, under step control.
//
// On positions alone a step across a jump f of the accelerations passes with h ~ sqrt(tol/f) and leaves velocities off by
// h f ~ sqrt(tol f), which lasts; and some methods never get rid of velocities that a drive made jump. So when a step does
// not pass, and there is a law that reads the time and may jump, its interval is looked at with all bodies held where they
// are. If something jumps in there a step ends just before, and another begins just after, at a consistent state. Positions
// that are made to jump are none of this: no motion follows them.
// What jumps again and again, as a train of pulses does, may do so within a step that begins and ends alike: no step is longer
// than the shortest time between two jumps, until twice the longest has passed without one.
#include <float.h>
#include <math.h>
#include <string.h>

#include "ahead.h"

enum { MOST_WAIT = 3 };        // rejected steps between two looks
static const double ASIDE = 8; // eps: so far before a jump a step ends

static const double BEYOND = 1.001; // of the step is looked at: one that ends at a jump feels it

typedef struct tr_instants {
  tr_ahead p;
  tr_state held;        // where the bodies are, half a step on
  double before, after; // the next one, on either side; INFINITY: none is known
  int wait, idle;       // rejected steps until the next look; looks that found nothing
  double last;          // the last one that was passed; the shortest and longest time between two
  double shortest, longest;
} tr_instants;

tr_status tr_instants_make(tr_run *r, tr_error *error) {
  if (!tr_probe_switches(r->sys)) return TR_OK;
  tr_instants *w = r->instants = TR_NEW(&r->arena, 1, tr_instants);
  if (!w || !tr_ahead_make(r, &w->p)) return tr_no_memory(error);
  w->p.held = true;
  w->before = w->after = w->shortest = INFINITY;
  w->last = NAN;
  return tr_state_new(r->sys, &w->held, error);
}

void tr_instants_free(tr_run *r) {
  if (!r->instants) return;
  if (r->instants->p.r) tr_ahead_free(&r->instants->p);
  tr_state_free(r->sys, &r->instants->held);
}

static bool follows(const tr_run *r, const tr_jump *jump) {
  if (!jump->part) return false;
  int row = jump->part->at - (tr_probe_size(r->sys) - 2 * r->sys->nc);
  return jump->part->what != TR_PROBE_PHI || r->sys->of_velocity[row];
}

bool tr_instants_look(tr_run *r, double h) {
  tr_instants *w = r->instants;
  if (!w || w->wait-- > 0) return false;
  double till = fmin(r->x.t + BEYOND * h, w->before), half = 0.5 * (till - r->x.t);
  tr_state_copy(&w->held, &r->x);
  w->held.t = r->x.t + half;
  tr_jump jump = tr_ahead_find_jump(&w->p, &w->held, half, 1);
  double aside = ASIDE * DBL_EPSILON * fmax(fabs(jump.t), r->settings.end);
  bool found = follows(r, &jump) && jump.t > r->x.t && jump.t < till;
  if (found) w->before = fmax(jump.before - aside, r->x.t), w->after = jump.t;
  w->idle = found ? 0 : w->idle < MOST_WAIT ? w->idle + 1 : MOST_WAIT;
  w->wait = w->idle;
  return found;
}

double tr_instants_bound(tr_run *r) {
  tr_instants *w = r->instants;
  if (!w) return INFINITY;
  if (r->x.t - w->last > 2 * w->longest) w->shortest = INFINITY, w->longest = 0;
  return w->shortest;
}

double tr_instants_next(const tr_run *r) { return r->instants ? r->instants->before : INFINITY; }

tr_status tr_instants_pass(tr_run *r, tr_error *error) {
  tr_instants *w = r->instants;
  if (!w || r->x.t < w->before) return TR_OK;
  bool reached = r->x.t < w->after;
  double gap = w->after - w->last;
  r->x.t = fmax(r->x.t, w->after);
  if (gap > 0) w->shortest = fmin(w->shortest, gap), w->longest = fmax(w->longest, gap);
  w->last = w->after;
  w->before = w->after = INFINITY;
  return reached ? tr_run_begin(r, false, false, error) : TR_OK;
}
