// SPDX-License-Identifier: Apache-2.0
// Events: expressions g(t, q, v) that cross zero, found in the steps behind, and what comes of them.
//
// (1) Every event knows on which side of zero its expression is. A step that ends on the other side, or
//     that approaches zero and leaves again, is looked at from inside by the dense output; the first
//     crossing of all is found to the last digits of t. Those within a picosecond of a second are
//     one instant.
// (2) The step then ends there: the state of the dense output, with the accelerations of the states on
//     either end, is shown, acted on in the order of the model, made consistent and shown again. The
//     method begins anew. Events that only tell are noted, and the step goes on: neither the steps nor the
//     times of other events know of them.
// (3) After its own event an expression is at zero up to round-off. Its side is where its rate leads it,
//     so that it neither fires again nor misses the next crossing, however soon. A rate that is nothing
//     either is rest: it has no side until it is clearly away (a contact: once it has settled). It
//     sleeps while a joint holds that it would lock.
//     What its rate says may be round-off: a side on which the next step has no point was none.
//     An excursion no deeper than `touch`, or than round-off, is a touch: one event or none, no side
//     is changed, and it counts again after |g| was larger than `touch`. (Contacts know no touches: what
//     is let through falls.)
// (4) What jumps over zero by the doing of others fires in the same instant, each event once. So does a
//     velocity or a state that passes zero in that instant and is turned back; a place that a blow turns back
//     has not crossed. If one that has fired would fire again, they chatter.
// (5) Events without any time between them end the run with an error that names them; so does an expression that is
//     no number, once it is watched there.
#include <float.h>
#include <math.h>
#include <string.h>

#include "driver.h"

static const double INSTANT = 1e-12; // of the time: what is one and the same instant
static const double NOTHING = 1e-9;  // of the largest value so far: g or g' is nothing
static const double CLEAR = 1e-6;    // of the largest rate so far: no touch
static const double QUICK = 1e-8;    // of the run: hardly any time
enum {
  FIRST_RECORDS = 64,
  MOST_QUICK = 100,
  MOST_ROUNDS = 20,
  MOST_HALVINGS = 48,
  MOST_ROOT = 200,
  MOST_SEARCH = 60,
  MOST_TOLD = 1000, // in one step
  WOUND = 16        // places
};

tr_status tr_events_make(tr_run *r, tr_error *error) {
  r->watch = TR_NEW(&r->arena, r->sys->nevent, tr_watch);
  r->normal = TR_NEW(&r->arena, 2 * r->sys->nv, double);
  r->follows = TR_NEW(&r->arena, r->sys->nc, bool);
  r->plain = TR_NEW(&r->arena, r->sys->nv + r->sys->nc, double);
  if (!r->watch || !r->normal || !r->follows || !r->plain) return tr_no_memory(error);
  r->record_capacity = FIRST_RECORDS;
  r->record = tr_resize(r->sys->al, NULL, FIRST_RECORDS * sizeof *r->record);
  if (!r->record) return tr_no_memory(error);
  r->last_event = -INFINITY;
  r->reads_motion = r->fresh && tr_events_read_motion(r->sys);
  for (int k = 0; k < r->sys->nevent; k++)
    r->watch[k].last = -INFINITY, r->watch[k].winds = tr_event_winds(r->sys, k);
  return r->sampling ? TR_OK : tr_dense_make(r, error);
}

static const tr_event_par *par_of(const tr_run *r, int k) { return &r->sys->event[k].plan->par; }

static bool counts(const tr_run *r, int k, int side) { // leaving this side
  int d = par_of(r, k)->direction;
  return d == TR_CROSS_BOTH || d == (side < 0 ? TR_CROSS_RISING : TR_CROSS_FALLING);
}

// It changes nothing.
static bool tells(const tr_run *r, int k) {
  const tr_plan_event *e = r->sys->event[k].plan;
  return !e->par.stop && isnan(e->par.restitution) && !e->nset && !e->nlock && !e->nunlock;
}

static int sign(double x) { return (x > 0) - (x < 0); }

static double instant(const tr_run *r) {
  return INSTANT * fmax(fabs(r->x.t), r->settings.end - r->first_t) + DBL_MIN;
}

// ---- values ---------------------------------------------------------------------------------------

// At the point of the last tr_kinematics; 0 where there is none, as at the foot of a square root.
static double slope(const tr_run *r, int k, const tr_state *x) {
  double rate = tr_event_slope(r->work, k, x->a, NULL);
  return isfinite(rate) ? rate : 0;
}

// All expressions and their rates at the state.
static void evaluate(tr_run *r) {
  const tr_state *x = tr_run_state(r);
  tr_kinematics(r->work, x->t, x->q, x->v, x->mem, TR_AT_BIAS);
  if (r->sys->nreaction > 0) tr_show_reactions(r->work, x->lam);
  for (int k = 0; k < r->sys->nevent; k++) {
    tr_watch *w = &r->watch[k];
    w->g = tr_event_value(r->work, k);
    w->rate = slope(r, k, x);
    if (isfinite(w->g)) w->most_g = fmax(w->most_g, fabs(w->g));
    w->most_rate = fmax(w->most_rate, fabs(w->rate));
  }
}

static tr_status no_number(const tr_run *r, int k, double g, double t, tr_error *error) {
  const tr_plan_event *e = r->sys->event[k].plan;
  return tr_fail(error, TR_FAILED, &e->when_place,
                 "event \"%s\": its expression is not a finite number (%g) at t = %.9g s", e->name,
                 fabs(g), t);
}

static double value_inside(tr_run *r, int k, double t) {
  bool reactions = r->sys->nreaction > 0;
  const tr_state *x = reactions ? tr_dense_at(r, t) : tr_dense_motion(r, t);
  tr_kinematics(r->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  if (reactions) tr_show_reactions(r->work, x->lam);
  return tr_event_value(r->work, k);
}

static bool is_contact(const tr_run *r, int k) { return !isnan(par_of(r, k)->restitution); }

static double roundoff(const tr_run *r, int k) {
  return 32 * DBL_EPSILON * fmax(1, r->watch[k].most_g);
}

// The depth up to which an expression touches zero and does not cross it.
static double shallow(const tr_run *r, int k) {
  return is_contact(r, k) ? 0 : fmax(tr_event_touch(r->sys, k), roundoff(r, k));
}

// Up to here an expression is at zero: of what it has been, or mere round-off.
static double nothing(const tr_run *r, int k) {
  return fmax(NOTHING * r->watch[k].most_g, roundoff(r, k));
}

// The same, with what comes up to an instant before: fired with that, it has still to cross.
static double at_zero(const tr_run *r, int k) {
  return fmax(nothing(r, k), 2 * instant(r) * fabs(r->watch[k].rate));
}

// How well the place of a smallest value is known: g = g'' dt^2/2 is round-off there.
static double bluntness(const tr_run *r, int k) {
  const tr_watch *w = &r->watch[k];
  double h = w->till - w->from;
  return fmin(h, sqrt(2 * h * roundoff(r, k) / fmax(fabs(w->rate - w->rate0), DBL_MIN)));
}

// The side of an expression that is at or near zero: where its rate leads it.
static int new_side(const tr_run *r, int k) {
  const tr_watch *w = &r->watch[k];
  const tr_event_par *par = par_of(r, k);
  if (fabs(w->g) > at_zero(r, k)) return sign(w->g);
  if (fabs(w->rate) > NOTHING * w->most_rate) return sign(w->rate);
  if (!is_contact(r, k) || w->settled) return 0;
  return par->direction == TR_CROSS_FALLING ? 1 : -1; // a contact that carries has one side only
}

// Nothing is left to do for it as long as the joints that it locks hold.
static bool sleeps(const tr_run *r, int k) {
  const tr_plan_event *e = r->sys->event[k].plan;
  const double *mem = r->x.mem;
  for (int i = 0; i < e->nlock; i++)
    if (mem[r->sys->joint[e->lock[i]].lock] == 0) return true;
  for (int i = 0; r->watch[k].settled && i < e->nsettle; i++)
    if (mem[r->sys->joint[e->settle[i]].lock] == 0) return true;
  return false;
}

// All that are watched are numbers.
static tr_status check(const tr_run *r, tr_error *error) {
  for (int k = 0; k < r->sys->nevent; k++)
    if (!isfinite(r->watch[k].g) && !r->watch[k].spent && !sleeps(r, k))
      return no_number(r, k, r->watch[k].g, r->x.t, error);
  return TR_OK;
}

tr_status tr_events_reset(tr_run *r, tr_error *error) {
  if (r->sys->nevent == 0) return TR_OK;
  evaluate(r);
  for (int k = 0; k < r->sys->nevent; k++) r->watch[k].side = new_side(r, k);
  return check(r, error);
}

// ---- where ----------------------------------------------------------------------------------------

// From a point on the side s to one that is not: the first of them beyond the crossing, by regula falsi
// (Illinois), every fourth time by bisection; a itself if no point is on that side. After its own event it is at zero,
// up to round-off.
static double root(tr_run *r, int k, int s, double a, double b, double gb) {
  double ga = s * value_inside(r, k, a), near = 4 * DBL_EPSILON * fmax(fabs(a), fabs(b));
  double least = a == r->watch[k].last && !is_contact(r, k) ? roundoff(r, k) : 0;
  gb *= s;
  for (int i = 0; ga <= least; i++) {
    double m = 0.5 * (a + b), gm = s * value_inside(r, k, m);
    if (i == MOST_HALVINGS || !(m > a && m < b)) return a;
    if (gm > least)
      a = m, ga = gm;
    else
      b = m, gb = gm;
  }
  for (int i = 1, kept = 0; i < MOST_ROOT && b - a > near && gb < 0; i++) {
    double m = i % 4 ? (a * gb - b * ga) / (gb - ga) : 0.5 * (a + b);
    if (!(m > a && m < b)) m = 0.5 * (a + b);
    double gm = s * value_inside(r, k, m);
    if (gm > 0) {
      if (kept > 0) gb *= 0.5;
      a = m, ga = gm, kept = 1;
    } else {
      if (kept < 0) ga *= 0.5;
      b = m, gb = gm, kept = -1;
    }
  }
  return b;
}

// The place nearest to zero between a and b, or the first found beyond it.
static double nearest(tr_run *r, int k, int s, double a, double b) {
  const double golden = 0.3819660112501051;
  double x = a + golden * (b - a), y = b - golden * (b - a);
  double gx = s * value_inside(r, k, x), gy = s * value_inside(r, k, y);
  for (int i = 0; i < MOST_SEARCH && gx > 0 && gy > 0; i++) {
    if (gx < gy)
      b = y, y = x, gy = gx, x = a + golden * (b - a), gx = s * value_inside(r, k, x);
    else
      a = x, x = y, gx = gy, y = b - golden * (b - a), gy = s * value_inside(r, k, y);
  }
  return gx < gy ? x : y;
}

// It touches at t: that is an event where touches are asked for.
static double touch_at(tr_run *r, int k, double t) {
  tr_watch *w = &r->watch[k];
  w->grazes = !w->touched && tr_event_touch(r->sys, k) > 0;
  return w->grazes ? t : INFINITY;
}

// It ends the step at zero without a rate, having come nearer: a touch so far.
static bool ends_grazing(const tr_run *r, int k) {
  const tr_watch *w = &r->watch[k];
  return fabs(w->g) <= shallow(r, k) && fabs(w->rate) <= NOTHING * w->most_rate &&
         w->side * w->rate0 < 0;
}

// A contact that ends the step at zero, and is led no further within the run: it touches, and has not crossed.
static bool rests(const tr_run *r, int k) {
  const tr_watch *w = &r->watch[k];
  double round = roundoff(r, k), slow = round / (r->settings.end - r->first_t);
  return is_contact(r, k) && fabs(w->g) <= round &&
         -w->side * w->rate <= fmax(NOTHING * w->most_rate, slow);
}

// An expression of time alone is looked at in some places inside the step: whether it is on the other side there;
// from, side: where the last of them found it.
static bool wind(const tr_run *r, int k, double *from, int *side, double *at, double *g) {
  const tr_watch *w = &r->watch[k];
  double start = w->from;
  for (int i = 1; i < WOUND; i++) {
    *at = start + (w->till - start) * i / WOUND;
    *g = tr_event_value_at(r->work, k, *at);
    if (*side * *g < 0 && counts(r, k, *side)) return true;
    if (*side * *g < 0) *side = -*side;
    *from = *at;
  }
  return false;
}

// When an expression fires in the last step, or INFINITY; w->to: its side at the end.
static double first_crossing(tr_run *r, int k) {
  tr_watch *w = &r->watch[k];
  double t0 = w->from, t1 = w->till, near = instant(r);
  int s = w->side;
  if (w->wound) {
    double at, g;
    if (wind(r, k, &t0, &s, &at, &g)) return w->to = -s, root(r, k, s, t0, at, g);
    if (s == w->side) t0 = w->from;
  }
  if (ends_grazing(r, k)) return touch_at(r, k, t1);
  if (rests(r, k)) return INFINITY;
  if (s * w->g > 0 && s * w->rate0 < 0 && s * w->rate > 0) { // comes nearer and goes away
    double low = nearest(r, k, s, t0, t1), g = value_inside(r, k, low);
    bool touches = is_contact(r, k) ? s * g > 0 && fabs(g) <= tr_event_touch(r->sys, k)
                                    : fabs(g) <= shallow(r, k);
    if (touches) return touch_at(r, k, low);
    if (s * g <= 0 && counts(r, k, s)) return root(r, k, s, t0, low, g);
    if (s * g <= 0) t0 = low, s = -s;
  }
  bool over = s * w->g < 0, there = s * w->g <= near * fabs(w->rate) && s * w->rate < 0;
  w->to = over || there ? -s : s;
  if (w->to == s || !counts(r, k, s)) return INFINITY;
  double t = over ? root(r, k, s, t0, t1, w->g) : t1;
  return t == w->last && !is_contact(r, k) ? INFINITY : t;
}

static bool may_cross(const tr_watch *w, double near) {
  int s = w->side;
  if (s == 0 || w->spent) return false;
  if (s * w->g <= near * fabs(w->rate)) return true;
  return s * w->rate0 < 0 && (s * w->rate > 0 || fabs(w->rate) <= NOTHING * w->most_rate);
}

// ---- what happens ---------------------------------------------------------------------------------

static void note(tr_run *r, int k, double t, double rate) {
  tr_watch *w = &r->watch[k];
  const sys_event *e = &r->sys->event[k];
  const char *what = w->what ? w->what : e->text;
  w->last = t, w->what = NULL;
  w->spent = par_of(r, k)->once, w->touched = w->grazes;
  r->info.events++;
  if (r->records == TR_MAX_RECORDS) return;
  tr_event_record *grown =
      tr_grow(r->sys->al, r->record, r->records, &r->record_capacity, sizeof *r->record);
  if (!grown) return; // the list is shorter, the run goes on
  r->record = grown;
  r->record[r->records++] = (tr_event_record){.t = t,
                                              .name = e->e.name,
                                              .message = e->plan->par.message,
                                              .what = what,
                                              .before = w->before,
                                              .after = rate};
}

tr_event_record tr_run_event(const tr_run *r, long i) {
  if (i < 0 || i >= r->records) return (tr_event_record){.name = "", .message = "", .what = ""};
  return r->record[i];
}

// It goes through zero here, clearly: no contact, which turns back, and no touch.
static bool passes(const tr_run *r, int k) {
  const tr_watch *w = &r->watch[k];
  return !is_contact(r, k) && !w->grazes && fabs(w->rate) > CLEAR * w->most_rate;
}

// Expressions of velocities or states at zero that pass it with those that fire, though nothing comes of it in that direction: on
// the side where they are led, from where new forces may turn them back. Places are turned back by blows alone,
// which let nothing through. What is to come, however soon, has its side.
static void find_passing(tr_run *r) {
  for (int k = 0; k < r->sys->nevent; k++) {
    tr_watch *w = &r->watch[k];
    double near = fmax(roundoff(r, k), instant(r) * fabs(w->rate));
    w->passing = !w->fires && w->side != 0 && !tells(r, k) && tr_event_turns(r->sys, k) &&
                 passes(r, k) && fabs(w->g) <= near;
    int to = w->passing ? new_side(r, k) : 0;
    if (to != 0) w->side = to;
  }
}

// Those that others made jump over zero, or turned back at zero; *undone: one that fired and would again, or -1.
static bool find_jumps(tr_run *r, int *undone) {
  bool any = false;
  *undone = -1;
  for (int k = 0; k < r->sys->nevent; k++) {
    tr_watch *w = &r->watch[k];
    double zero = w->fires && w->grazes ? shallow(r, k) : nothing(r, k);
    int now = w->fires && !w->grazes ? new_side(r, k) : fabs(w->g) > zero ? sign(w->g) : w->side;
    bool level =
        !w->fires && (w->passing || w->fired) && passes(r, k) && fabs(w->g) <= zero && w->side != 0;
    int led = level ? new_side(r, k) : 0;
    if (led != 0) now = led;
    bool jumps = !w->fires && !w->spent && w->side != 0 && now == -w->side;
    if (jumps && w->fired && led != 0 && counts(r, k, w->side) && !tells(r, k)) *undone = k;
    w->fires = jumps && !w->fired && counts(r, k, w->side);
    if (w->fires) w->before = w->rate;
    any = any || w->fires;
    w->side = now;
  }
  return any;
}

static tr_status too_quick(tr_run *r, tr_error *error) {
  double span = r->settings.end - r->first_t;
  r->quick = r->x.t - r->last_event < QUICK * span ? r->quick + 1 : 0;
  r->last_event = r->x.t;
  if (r->quick <= MOST_QUICK) return TR_OK;
  const char *name = "";
  for (int k = 0; k < r->sys->nevent; k++)
    if (r->watch[k].fires) name = r->sys->event[k].e.name;
  return tr_fail(error, TR_FAILED, NULL,
                 "event \"%s\": events chatter at t = %.9g s, %d in a row with hardly any time "
                 "between; what one does, another (or itself) undoes: leave a gap between them",
                 name, r->x.t, r->quick);
}

static tr_status undoes(const tr_run *r, int k, tr_error *error) {
  return tr_fail(
      error, TR_FAILED, NULL,
      "event \"%s\": events chatter at t = %.9g s: what it does is undone at once, and it would "
      "happen again; between them its expression should stay at zero, which takes a joint to "
      "lock, a smooth law (tanh), or a gap between the events",
      r->sys->event[k].e.name, r->x.t);
}

// Whether some event that fires does more than tell.
static bool any_acts(const tr_run *r) {
  for (int k = 0; k < r->sys->nevent; k++)
    if (r->watch[k].fires && !tells(r, k)) return true;
  return false;
}

// The events that fire, at r->x, which has not been shown.
static tr_status happen(tr_run *r, bool shown, tr_error *error) {
  r->info.at_event = true;
  tr_status status = shown ? TR_OK : tr_run_show(r, error);
  if (status == TR_OK) status = too_quick(r, error);
  for (int k = 0; k < r->sys->nevent; k++) r->watch[k].fired = false;
  bool more = true;
  int undone = -1;
  find_passing(r);
  for (int round = 0; status == TR_OK && more && round < MOST_ROUNDS; round++) {
    if (any_acts(r)) status = tr_events_act(r, error);
    if (status != TR_OK) break;
    evaluate(r);
    for (int k = 0; k < r->sys->nevent; k++) {
      if (!r->watch[k].fires) continue;
      note(r, k, r->x.t, r->watch[k].rate);
      r->watch[k].fired = true;
      if (par_of(r, k)->stop) r->info.stopped_by = r->sys->event[k].e.name;
    }
    more = find_jumps(r, &undone);
    if (undone >= 0) return undoes(r, undone, error);
  }
  if (status == TR_OK) status = check(r, error);
  if (status == TR_OK) status = tr_run_show(r, error);
  r->info.at_event = false;
  return status == TR_OK && r->info.stopped_by ? TR_STOPPED : status;
}

// Those that fire, at t in the last step or at the start, change nothing: they are noted.
static void tell(tr_run *r, const tr_state *x) {
  tr_kinematics(r->work, x->t, x->q, x->v, x->mem, TR_AT_BIAS);
  if (r->sys->nreaction > 0) tr_show_reactions(r->work, x->lam);
  for (int k = 0; k < r->sys->nevent; k++) {
    tr_watch *w = &r->watch[k];
    if (!w->fires) continue;
    w->before = slope(r, k, x);
    note(r, k, x->t, w->before);
  }
}

tr_status tr_events_start(tr_run *r, tr_error *error) {
  bool any = false;
  if (r->sys->nevent == 0) return TR_OK;
  TR_TRY(tr_events_reset(r, error));
  for (int k = 0; k < r->sys->nevent; k++) {
    tr_watch *w = &r->watch[k];
    int to = fabs(w->g) <= at_zero(r, k) ? sign(w->rate) : 0;
    w->fires = to != 0 && counts(r, k, -to);
    w->before = w->rate;
    any = any || w->fires;
  }
  if (any_acts(r)) return happen(r, true, error);
  if (any) tell(r, tr_run_state(r));
  return TR_OK;
}

// ---- in the last step -----------------------------------------------------------------------------

// The state in the middle of the last step takes the place of its end.
static void step_back(tr_run *r, double t) {
  tr_state_copy(&r->x, tr_dense_at(r, t));
  memcpy(r->x.mem, r->before.mem, (size_t)r->sys->nmem * sizeof *r->x.mem);
  tr_kinematics(r->work, r->x.t, r->x.q, r->x.v, r->x.mem, TR_AT_VELOCITY);
  tr_accept(r->work, r->x.mem);
  r->current = false;
}

// An expression that is no number at the end of the step is watched as long as it is one.
static void watch_numbers(tr_run *r, int k) {
  tr_watch *w = &r->watch[k];
  double a = w->from, b = w->till, near = 4 * DBL_EPSILON * fmax(fabs(a), fabs(b));
  while (b - a > near) {
    double m = 0.5 * (a + b);
    if (!(m > a && m < b)) break;
    *(isfinite(value_inside(r, k, m)) ? &a : &b) = m;
  }
  w->till = a, w->lost = true;
  w->g = value_inside(r, k, a);
  const tr_state *x = tr_dense_at(r, a);
  tr_kinematics(r->work, x->t, x->q, x->v, x->mem, TR_AT_BIAS);
  w->rate = slope(r, k, x);
}

// When each fires in what is left of the step; touches, whose time is not sharp, with crossings next to them,
// unless those only tell. The first that acts, the first that tells.
static void find_events(tr_run *r, double *acts, double *told) {
  double crossing[2] = {INFINITY, INFINITY}, first[2] = {INFINITY, INFINITY}, near = instant(r);
  for (int k = 0; k < r->sys->nevent; k++) {
    tr_watch *w = &r->watch[k];
    w->to = w->side, w->grazes = false;
    bool may = may_cross(w, near) || (w->wound && !w->spent);
    w->at = w->from < w->till && may ? first_crossing(r, k) : INFINITY;
    if (tells(r, k) && w->at == w->last && w->at == w->from) w->at = INFINITY; // told already
    if (!w->grazes) crossing[tells(r, k)] = fmin(crossing[tells(r, k)], w->at);
  }
  for (int k = 0; k < r->sys->nevent; k++) {
    tr_watch *w = &r->watch[k];
    double blunt = w->grazes ? bluntness(r, k) : 0;
    for (int i = 0; i <= tells(r, k) && w->grazes; i++)
      if (fabs(w->at - crossing[i]) <= blunt) w->at = crossing[i];
    first[tells(r, k)] = fmin(first[tells(r, k)], w->at);
  }
  *acts = first[0], *told = first[1];
}

// Shows the samples up to t, as they are without events.
static tr_status serve(tr_run *r, double t, tr_error *error) {
  bool sampled = false;
  for (int i = 0; i < r->observers; i++) sampled = sampled || r->observer[i]->spacing > 0;
  if (!sampled) return TR_OK;
  tr_dense_blunt(r);
  TR_TRY(tr_run_serve(r, t, error));
  tr_dense_sharpen(r);
  return TR_OK;
}

// What only tells, at t and up to an instant after: the step goes on, and so does the watch, from there.
static tr_status tell_inside(tr_run *r, double t, tr_error *error) {
  double near = instant(r);
  for (int k = 0; k < r->sys->nevent; k++) {
    tr_watch *w = &r->watch[k];
    w->fires = tells(r, k) && w->at <= t + near;
  }
  TR_TRY(serve(r, t, error));
  const tr_state *x = t < r->x.t ? tr_dense_at(r, t) : tr_run_state(r);
  tell(r, x);
  for (int k = 0; k < r->sys->nevent; k++) {
    tr_watch *w = &r->watch[k];
    if (!w->fires) continue;
    w->from = w->at, w->rate0 = w->before;
    int way = par_of(r, k)->direction;
    if (!w->grazes) w->side = way == TR_CROSS_BOTH ? -w->side : way == TR_CROSS_RISING ? 1 : -1;
  }
  return tr_run_tell(r, t < r->x.t - near ? x : NULL, error);
}

// All events of the last step up to the first that acts: it is found, INFINITY: there is none.
static tr_status look_inside(tr_run *r, double *t, tr_error *error) {
  double told, near = instant(r);
  for (int k = 0; k < r->sys->nevent; k++)
    if (!isfinite(r->watch[k].g) && r->watch[k].side != 0) watch_numbers(r, k);
  find_events(r, t, &told);
  for (int i = 0; i < MOST_TOLD && told < INFINITY && told < *t - near; i++) {
    TR_TRY(tell_inside(r, told, error));
    find_events(r, t, &told);
  }
  for (int k = 0; k < r->sys->nevent; k++) {
    tr_watch *w = &r->watch[k];
    if (*t == INFINITY) w->side = w->to;
    w->fires = *t < INFINITY && w->at <= *t + near;
    if (*t == INFINITY && w->lost && !w->spent) return no_number(r, k, NAN, w->till, error);
  }
  return TR_OK;
}

// Whether something may have happened in the last step.
static bool suspect(tr_run *r) {
  bool any = false;
  for (int k = 0; k < r->sys->nevent; k++) {
    tr_watch *w = &r->watch[k];
    w->rate0 = w->rate, w->touched = w->touched && fabs(w->g) <= tr_event_touch(r->sys, k);
    w->from = r->before.t, w->till = r->x.t, w->lost = false;
  }
  // where those of the method are its own; should they not be there, they still are a guess
  if (r->reads_motion) (void)tr_run_refresh(r, NULL);
  if (r->sys->nevent > 0) evaluate(r);
  for (int k = 0; k < r->sys->nevent; k++) {
    tr_watch *w = &r->watch[k];
    if (sleeps(r, k))
      w->side = 0;
    else if (w->side == 0 && fabs(w->g) > nothing(r, k))
      w->side = sign(w->g), w->settled = false;
    double from = w->from, at, g;
    int side = w->side;
    w->wound = w->winds && side != 0 && !w->spent && isfinite(w->g) &&
               (wind(r, k, &from, &side, &at, &g) || side != w->side);
    any = any || w->wound || may_cross(w, instant(r)) ||
          (w->side != 0 && !w->spent && !isfinite(w->g));
  }
  return any;
}

tr_status tr_events_look(tr_run *r, bool *happened, tr_error *error) {
  double t = INFINITY;
  *happened = false;
  if (!suspect(r)) return TR_OK;
  if (tr_dense_sharpen(r) != TR_OK) tr_dense_blunt(r);
  TR_TRY(look_inside(r, &t, error));
  if (t == INFINITY) {
    tr_dense_blunt(r);
    return TR_OK;
  }
  *happened = true;
  TR_TRY(serve(r, t, error));
  if (t < r->x.t) step_back(r, t);
  evaluate(r);
  for (int k = 0; k < r->sys->nevent; k++) r->watch[k].before = r->watch[k].rate;
  if (r->recompute) r->current = false;
  return happen(r, false, error);
}
