// SPDX-License-Identifier: Apache-2.0
// Moments at which forces, drives or rates of states jump, whatever the motion, under step control.
//
// On positions alone a step across a jump f of the accelerations passes with h ~ sqrt(tol/f) and leaves velocities off by
// h f ~ sqrt(tol f), which lasts; and some methods never get rid of velocities that a drive made jump. So when a step does
// not pass, and there is a law that reads the time and may jump, its interval is looked at with all bodies held where they
// are. If something jumps in there a step ends just before, and another begins just after, at a consistent state. Positions
// that are made to jump are none of this: no motion follows them.
// Those that the laws tell themselves - what they compare the time with, ends of steps, knots of tables - are known
// beforehand, and steps end there: a model at rest would sleep through them. A kink is no reason to begin anew.
// What jumps again and again, as a train of pulses does, may do so within a step that begins and ends alike: no step is longer
// than the shortest time between two jumps, until twice the longest has passed without one.
#include <float.h>
#include <math.h>
#include <string.h>

#include "ahead.h"

enum { MOST_KNOWN = 4096 };
// A step ends beyond a kink only within this part of the time until the next instant, and if it is shorter than this part of
// the whole: something narrow may be there.
static const double ROOM = 0.25, LONG = 0.005;
static const double MOST_TIMES = 1e4; // of a train: more often is left to what finds it
enum { MOST_WAIT = 3 };               // rejected steps between two looks
static const double ASIDE = 8;        // eps: so far before a jump a step ends

static const double BEYOND = 1.001; // of the step is looked at: one that ends at a jump feels it

typedef struct tr_instants {
  tr_ahead p;
  tr_state held;        // where the bodies are, half a step on
  double before, after; // the next one, on either side; INFINITY: none is known
  int wait, idle;       // rejected steps until the next look; looks that found nothing
  double last;          // the last one that was passed; the shortest and longest time between two
  double shortest, longest;
  // told by the laws; of the next one, on either side as above; it may be a jump
  tr_instant *known;
  int nknown;
  double known_before, known_after;
  bool known_jump;
  double known_room; // a kink may be passed by so much: what follows it is felt there
} tr_instants;

// The first that is known after a time, and whether it may be a jump.
static double first_after(const tr_instants *w, double t, double aside, bool *jump) {
  double next = INFINITY;
  *jump = false;
  for (int i = 0; i < w->nknown; i++) {
    const tr_instant *k = &w->known[i];
    double at = k->t;
    if (k->period > 0) at += k->period * (floor((t + 2 * aside - at) / k->period) + 1);
    if (!(at > t + 2 * aside) || at > next + 2 * aside) continue;
    bool same = fabs(at - next) <= 2 * aside;
    *jump = k->jump || (same && *jump);
    next = same ? next : at;
  }
  return next;
}

static void find_known(const tr_run *r, tr_instants *w, double t) {
  double aside = ASIDE * DBL_EPSILON * fmax(fabs(t), r->settings.end);
  double next = first_after(w, t, aside, &w->known_jump);
  bool any;
  double lasts = isinf(next) ? INFINITY : first_after(w, next, aside, &any) - next;
  w->known_room = isinf(lasts) ? 0 : ROOM * lasts; // nothing tells how narrow the last one is
  w->known_before = w->known_jump ? next - aside : next;
  w->known_after = w->known_jump ? next + aside : next;
}

static tr_status learn_known(tr_run *r, tr_instants *w, tr_error *error) {
  double span = r->settings.end - r->x.t;
  tr_instant *all = TR_NEW(&r->arena, MOST_KNOWN, tr_instant);
  if (!all) return tr_no_memory(error);
  int n = tr_probe_instants(r->sys, MOST_KNOWN, all);
  w->known = all;
  for (int i = 0; i < n; i++)
    if (all[i].period > 0 ? MOST_TIMES * all[i].period > span : all[i].t > r->x.t)
      all[w->nknown++] = all[i];
  find_known(r, w, r->x.t);
  return TR_OK;
}

tr_status tr_instants_make(tr_run *r, tr_error *error) {
  tr_instant first;
  if (!tr_probe_switches(r->sys) && tr_probe_instants(r->sys, 1, &first) == 0) return TR_OK;
  tr_instants *w = r->instants = TR_NEW(&r->arena, 1, tr_instants);
  if (!w || !tr_ahead_make(r, &w->p)) return tr_no_memory(error);
  w->p.held = true;
  w->before = w->after = w->shortest = INFINITY;
  w->last = NAN;
  TR_TRY(learn_known(r, w, error));
  return tr_state_new(r->sys, &w->held, error);
}

void tr_instants_free(tr_run *r) {
  if (!r->instants) return;
  if (r->instants->p.r) tr_ahead_free(&r->instants->p);
  tr_state_free(r->sys, &r->instants->held);
}

bool tr_instants_look(tr_run *r, double h) {
  tr_instants *w = r->instants;
  if (!w || w->wait-- > 0) return false;
  double till = fmin(r->x.t + BEYOND * h, fmin(w->before, w->known_before)),
         half = 0.5 * (till - r->x.t);
  tr_state_copy(&w->held, &r->x);
  w->held.t = r->x.t + half;
  tr_jump jump = tr_ahead_find_jump(&w->p, &w->held, half, 1);
  double aside = ASIDE * DBL_EPSILON * fmax(fabs(jump.t), r->settings.end);
  bool found = jump.part && tr_jump_follows(r, jump.part) && jump.t > r->x.t && jump.t < till;
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

double tr_instants_next(const tr_run *r) {
  const tr_instants *w = r->instants;
  return w ? fmin(w->before, w->known_before) : INFINITY;
}

double tr_instants_ahead(const tr_run *r, double h) {
  const tr_instants *w = r->instants;
  if (!w) return INFINITY;
  double past = r->x.t + h - w->known_before, span = r->settings.end - r->first_t;
  bool ends = w->known_jump || past > w->known_room || (past > 0 && h > LONG * span);
  return fmin(w->before, ends ? w->known_before : INFINITY);
}

static tr_status pass_known(tr_run *r, tr_error *error) {
  tr_instants *w = r->instants;
  double before = w->known_before, after = w->known_after;
  bool jumps = r->x.t < after && w->known_jump && tr_ahead_jumps(&w->p, &r->x, before, after);
  r->x.t = fmax(r->x.t, after);
  find_known(r, w, r->x.t);
  return jumps ? tr_run_begin(r, false, false, error) : TR_OK;
}

tr_status tr_instants_pass(tr_run *r, tr_error *error) {
  tr_instants *w = r->instants;
  if (w && r->x.t >= w->known_before) TR_TRY(pass_known(r, error));
  if (!w || r->x.t < w->before) return TR_OK;
  bool reached = r->x.t < w->after;
  double gap = w->after - w->last;
  r->x.t = fmax(r->x.t, w->after);
  if (gap > 0) w->shortest = fmin(w->shortest, gap), w->longest = fmax(w->longest, gap);
  w->last = w->after;
  w->before = w->after = INFINITY;
  return reached ? tr_run_begin(r, false, false, error) : TR_OK;
}
