// SPDX-License-Identifier: Apache-2.0
// Moments at which forces, drives or rates of states jump, whatever the motion, under step control.
//
// On positions alone a step across a jump f of the accelerations passes with h ~ sqrt(tol/f) and leaves velocities off by
// h f ~ sqrt(tol f), which lasts; and some methods never get rid of velocities that a drive made jump. So when a step does
// not pass, and there is a law that reads the time and may jump, its interval is looked at with all bodies held where they
// are. If something jumps in there a step ends just before, and another begins just after, at a consistent state. Positions
// that are made to jump are none of this: no motion follows them.
// Times that laws name (comparisons with a number, corners of ramps and tables) are known beforehand: steps end there, and
// what is shorter than a step is not passed over. Only where something jumps the method begins anew.
// What jumps again and again, as a train of pulses does, may do so within a step that begins and ends alike: no step is longer
// than the shortest time between two jumps, until twice the longest has passed without one.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ahead.h"

enum { MOST_WAIT = 3 };        // rejected steps between two looks
static const double ASIDE = 8; // eps: so far before a jump a step ends

static const double NEXT_TO = 1e-9; // of the run: next to a time
static const double BEYOND = 1.001; // of the step is looked at: one that ends at a jump feels it

typedef struct tr_instants {
  tr_ahead p;
  tr_state held;        // where the bodies are, half a step on
  double before, after; // the next one, on either side; INFINITY: none is known
  int wait, idle;       // rejected steps until the next look; looks that found nothing
  double last;          // the last one that was passed; the shortest and longest time between two
  double shortest, longest;
  double *named; // times that laws name, ascending
  int names, next;
  bool is_named; // the next one is one of them
} tr_instants;

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

tr_status tr_instants_make(tr_run *r, tr_error *error) {
  int names = tr_moments(r->sys, r->x.t, r->settings.end, NULL);
  if (names == 0 && !tr_probe_switches(r->sys)) return TR_OK;
  tr_instants *w = r->instants = TR_NEW(&r->arena, 1, tr_instants);
  if (!w || !tr_ahead_make(r, &w->p)) return tr_no_memory(error);
  w->p.held = true;
  w->before = w->after = w->shortest = INFINITY;
  w->last = NAN;
  w->named = TR_NEW(&r->arena, names, double);
  if (!w->named) return tr_no_memory(error);
  tr_moments(r->sys, r->x.t, r->settings.end, w->named);
  qsort(w->named, (size_t)names, sizeof *w->named, ascending);
  for (int i = 0; i < names; i++) // each once
    if (w->names == 0 || w->named[i] > w->named[w->names - 1]) w->named[w->names++] = w->named[i];
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
  if (found) w->before = fmax(jump.before - aside, r->x.t), w->after = jump.t, w->is_named = false;
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

// The next time that is named: whether something jumps there shows next to it.
static void name_next(tr_run *r) {
  tr_instants *w = r->instants;
  double aside = ASIDE * DBL_EPSILON * fmax(fabs(r->x.t), r->settings.end);
  while (w->next < w->names && !(w->named[w->next] > r->x.t + aside)) w->next++;
  if (w->next == w->names || !(w->named[w->next] < w->before)) return;
  double t = w->named[w->next++], near = NEXT_TO * (r->settings.end - r->first_t);
  if (w->next < w->names) near = fmin(near, 0.25 * (w->named[w->next] - t));
  if (w->next > 1) near = fmin(near, 0.25 * (t - w->named[w->next - 2]));
  near = fmax(near, 4 * aside);
  tr_state_copy(&w->held, &r->x);
  w->held.t = t;
  tr_jump jump = tr_ahead_find_jump(&w->p, &w->held, near, 1);
  bool jumps = follows(r, &jump) && fabs(jump.t - t) <= near;
  w->before = jumps ? fmax(jump.before - aside, r->x.t) : t;
  w->after = jumps ? jump.t : t;
  w->is_named = true;
}

static tr_status pass(tr_run *r, tr_error *error) {
  tr_instants *w = r->instants;
  if (r->x.t < w->before) return TR_OK;
  bool reached = r->x.t < w->after;
  double gap = w->after - w->last;
  r->x.t = fmax(r->x.t, w->after);
  if (gap > 0 && !w->is_named)
    w->shortest = fmin(w->shortest, gap), w->longest = fmax(w->longest, gap);
  w->last = w->after;
  w->before = w->after = INFINITY;
  return reached ? tr_run_begin(r, false, false, error) : TR_OK;
}

tr_status tr_instants_pass(tr_run *r, tr_error *error) {
  if (!r->instants) return TR_OK;
  TR_TRY(pass(r, error));
  name_next(r);
  return TR_OK;
}
