// SPDX-License-Identifier: Apache-2.0
// Events: expressions g(t, q, v) that cross zero, found in the steps behind, and what comes of them.
//
// (1) Every event knows on which side of zero its expression is. A step that ends on the other side, or
//     that approaches zero and leaves again, is looked at from inside by the dense output; the first
//     crossing of all is found to the last digits of t. Those within a picosecond of a second are
//     one instant.
// (2) The step then ends there: the state of the dense output, put on its constraints, with accelerations of its own,
//     is shown, acted on in the order of the model, made consistent and shown again. The method
//     begins anew. Events that only tell are noted, and the step goes on: neither the steps nor the
//     times of other events know of them.
// (3) After its own event an expression is at zero up to round-off, or what was left of it on the constraints. Its side is
//     where its rate leads it, so that it neither fires again nor misses the next crossing, however soon; as long as it
//     is put back across zero no further than that (slack), it counts as there. A rate that is nothing
//     either is rest: it has no side until it is clearly away (a contact: once it has settled). It
//     sleeps while the joints that it locks hold, if they keep it there or nothing else is left to do.
//     What its rate says may be round-off: a side on which the next step has no point was none.
//     An excursion no deeper than `touch`, or than round-off, is a touch: one event or none, no side
//     is changed, and it counts again after |g| was larger than `touch`. (Contacts know no touches: what
//     is let through falls.)
// (4) What jumps over zero by the doing of others fires in the same instant, each event once; an expression of
//     parameters alone, which only events change, as often as it jumps, and if that has no end they chatter. So does a
//     velocity or a state that passes zero in that instant and is turned back; a place that a blow turns back
//     has not crossed. If one of these that has fired would fire again, they chatter.
// (5) Events without any time between them end the run with an error that names them; so does an expression that is
//     no number, once it is watched there.
#include <math.h>
#include <string.h>

#include "events.h"

static const double HELD = 1e-6; // of the largest value so far, or 1: a contact is there
static const double CLEAR =
    1e-6; // of the largest rate so far: no touch; of the largest value: away
static const double QUICK = 1e-8; // of the run: hardly any time
enum {
  FIRST_RECORDS = 64,
  FIRST_BLOWS = 8,
  MOST_QUICK = 100,
  MOST_AGAIN = 100, // rounds of one instant, besides one for each event
  MOST_TOLD = 1000  // in one step
};

tr_status tr_events_make(tr_run *r, tr_error *error) {
  r->watch = TR_NEW(&r->arena, r->sys->nevent, tr_watch);
  r->follows = TR_NEW(&r->arena, r->sys->nc, bool);
  r->plain = TR_NEW(&r->arena, r->sys->nv + r->sys->nc, double);
  if (!r->watch || !r->follows || !r->plain) return tr_no_memory(error);
  r->record_capacity = FIRST_RECORDS;
  r->record = tr_resize(r->sys->al, NULL, FIRST_RECORDS * sizeof *r->record);
  if (!r->record) return tr_no_memory(error);
  int contacts = 0;
  for (int k = 0; k < r->sys->nevent; k++) contacts += is_contact(r, k);
  if (contacts > FIRST_BLOWS) contacts = FIRST_BLOWS;
  if (tr_blows_room(&r->blows, contacts, r->sys->nv, r->sys->al) != TR_OK)
    return tr_no_memory(error);
  r->last_event = -INFINITY;
  r->reads_motion = r->fresh && tr_events_read_motion(r->sys);
  for (int k = 0; k < r->sys->nevent; k++)
    r->watch[k].last = -INFINITY, r->watch[k].winds = tr_event_winds(r->sys, k),
    r->watch[k].switched = tr_event_switched(r->sys, k);
  return r->sampling ? TR_OK : tr_dense_make(r, error);
}

// ---- values ---------------------------------------------------------------------------------------

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

// The side of an expression that is at or near zero: where its rate leads it.
static int new_side(const tr_run *r, int k) {
  const tr_watch *w = &r->watch[k];
  bool blurred = is_contact(r, k) || w->g * w->over < 0;
  if (fabs(w->g) > fmax(at_zero(r, k), blurred ? w->blur : 0)) return sign(w->g);
  if (is_contact(r, k) && !w->settled) // it has one side only, whatever is left of its rate
    return way_of(r, k);
  return fabs(w->rate) > NOTHING * w->most_rate ? sign(w->rate) : 0;
}

static bool hold(const tr_run *r, int n, const int *joint, bool all) {
  int held = 0;
  for (int i = 0; i < n; i++) held += r->x.mem[r->sys->joint[joint[i]].lock] == 0;
  return all ? held == n : held > 0;
}

// What it would do besides its locks, at the point of the last tr_kinematics.
static bool does_more(const tr_run *r, int k) {
  const tr_plan_event *e = r->sys->event[k].plan;
  if (e->par.stop || hold(r, e->nunlock, e->unlock, false)) return true;
  if (is_contact(r, k) && !r->watch[k].settled) return true;
  for (int i = 0; i < e->nset; i++)
    if (r->x.mem[r->sys->switched_mem + e->set[i].k] != tr_event_set_value(r->work, k, i))
      return true;
  return false;
}

// All joints that it locks hold, and keep it at zero since it happened; or nothing is left to do for it.
static bool sleeps(const tr_run *r, int k) {
  const tr_plan_event *e = r->sys->event[k].plan;
  const tr_watch *w = &r->watch[k];
  int settle = w->settled ? e->nsettle : 0;
  if (e->nlock + settle == 0 || !hold(r, e->nlock, e->lock, true) ||
      !hold(r, settle, e->settle, true))
    return false;
  return w->stays || !does_more(r, k);
}

// All that are watched are numbers.
static tr_status check(const tr_run *r, tr_error *error) {
  for (int k = 0; k < r->sys->nevent; k++)
    if (!isfinite(r->watch[k].g) && !r->watch[k].spent && !sleeps(r, k))
      return no_number(r, k, r->watch[k].g, r->x.t, error);
  return TR_OK;
}

// At another state, perhaps an earlier one: what has happened since has not, and a contact whose joints hold it there has
// settled.
static void go_to(tr_run *r, int k) {
  tr_watch *w = &r->watch[k];
  const tr_plan_event *e = r->sys->event[k].plan;
  if (w->last > r->x.t) w->last = -INFINITY, w->touched = false;
  w->settled = is_contact(r, k) && e->nsettle > 0 && hold(r, e->nsettle, e->settle, true) &&
               fabs(w->g) <= HELD * fmax(1, w->most_g) && tr_contact_held(r, k);
}

tr_status tr_events_reset(tr_run *r, tr_error *error) {
  if (r->sys->nevent == 0) return TR_OK;
  evaluate(r);
  if (r->last_event > r->x.t) r->last_event = -INFINITY, r->quick = 0;
  for (int k = 0; k < r->sys->nevent; k++) {
    go_to(r, k);
    r->watch[k].blur = r->watch[k].slack = 0, r->watch[k].apart = r->watch[k].lifts = false;
    r->watch[k].stays = fabs(r->watch[k].g) <= nothing(r, k);
    r->watch[k].side = new_side(r, k);
  }
  return check(r, error);
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
    double zero = fmax(w->fires && w->grazes ? shallow(r, k) : nothing(r, k),
                       w->fires ? w->blur : 2 * w->slack);
    int now = w->fires && !w->grazes           ? new_side(r, k)
              : fabs(w->g) > zero && !w->lifts ? sign(w->g)
                                               : w->side;
    bool level =
        !w->fires && (w->passing || w->fired) && passes(r, k) && fabs(w->g) <= zero && w->side != 0;
    if (w->fires && is_contact(r, k) && !w->settled) now = way_of(r, k), w->lifts = now * w->g < 0;
    int led = level ? new_side(r, k) : 0;
    if (led != 0) now = led;
    bool jumps = !w->fires && !w->spent && w->side != 0 && now == -w->side;
    if (jumps && w->fired && led != 0 && counts(r, k, w->side) && !tells(r, k)) *undone = k;
    w->fires = jumps && (!w->fired || w->switched) && counts(r, k, w->side);
    w->again = w->again || (w->fires && w->fired);
    if (w->fires) w->before = w->rate, w->over = now;
    any = any || w->fires;
    bool back = now * w->g < 0 && fabs(w->g) > roundoff(r, k);
    w->slack = !back ? 0 : w->fired ? fabs(w->g) : w->slack;
    w->blur = 0, w->apart = false, w->side = now;
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

// Events that switch each other for ever.
static tr_status goes_round(const tr_run *r, int rounds, tr_error *error) {
  tr_text text = {.al = r->sys->al};
  for (int k = 0; k < r->sys->nevent; k++)
    if (r->watch[k].again)
      tr_text_add(&text, "%s\"%s\"", text.data ? ", " : "", r->sys->event[k].e.name);
  tr_status status =
      text.failed ? tr_no_memory(error)
                  : tr_fail(error, TR_FAILED, NULL,
                            "events chatter at t = %.9g s: after %d rounds in one instant %s still "
                            "make each other happen; leave a gap between them",
                            r->x.t, rounds, text.data ? text.data : "some");
  tr_text_free(&text);
  return status;
}

// Whether some event that fires does more than tell.
static bool any_acts(const tr_run *r) {
  for (int k = 0; k < r->sys->nevent; k++)
    if (r->watch[k].fires && !tells(r, k)) return true;
  return false;
}

// Those that fire, one after the other where blows were passed on.
static void note_all(tr_run *r) {
  int last = 0;
  for (int k = 0; k < r->sys->nevent; k++) last = r->watch[k].turn > last ? r->watch[k].turn : last;
  for (int turn = 0; turn <= last; turn++)
    for (int k = 0; k < r->sys->nevent; k++) {
      tr_watch *w = &r->watch[k];
      if (!w->fires || w->turn != turn) continue;
      note(r, k, r->x.t, w->rate);
      w->fired = w->stays = true;
      if (par_of(r, k)->stop) r->info.stopped_by = r->sys->event[k].e.name;
    }
}

// The events that fire, at r->x, which has not been shown.
static tr_status happen(tr_run *r, bool shown, tr_error *error) {
  r->info.at_event = true;
  tr_status status = shown ? TR_OK : tr_run_show(r, error);
  if (status == TR_OK) status = too_quick(r, error);
  for (int k = 0; k < r->sys->nevent; k++) r->watch[k].fired = r->watch[k].again = false;
  bool more = true;
  int undone = -1;
  find_passing(r);
  for (int round = 0; status == TR_OK && more; round++) {
    if (round > r->sys->nevent + MOST_AGAIN) return goes_round(r, round, error);
    for (int k = 0; k < r->sys->nevent; k++) r->watch[k].turn = 0;
    if (any_acts(r)) status = tr_events_act(r, error);
    if (status != TR_OK) break;
    evaluate(r);
    note_all(r);
    more = find_jumps(r, &undone);
    if (undone >= 0) return undoes(r, undone, error);
  }
  tr_run_take_speed(r);
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
    w->fires = to != 0 && counts(r, k, -to) && !sleeps(r, k);
    w->before = w->rate, w->over = to;
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

// A touch in this step that would be lost with what follows a crossing: it was counted to it, or is leaving already.
static bool goes_with(const tr_run *r, int k, double crossed) {
  const tr_watch *w = &r->watch[k];
  return w->at <= crossed + instant(r) ||
         (w->at < INFINITY && fabs(w->g) <= shallow(r, k) && w->side * w->rate >= 0);
}

// The state at an event that acts, which dense output or the method leave open, on its constraints: those that are at
// zero there with the first, which crossed by dense output at `crossed`, happen too, and touches that go with it. What remains of their values says
// nothing about sides, nor what the constraints moved others by against their rates.
static void close_state(tr_run *r, double crossed) {
  double near = instant(r), t = r->x.t, late = fmax(t, crossed) + near + fabs(t - crossed);
  if (r->sys->nc > 0) {
    evaluate(r);
    for (int k = 0; k < r->sys->nevent; k++) r->watch[k].blur = r->watch[k].g;
    tr_state_copy(&r->next, &r->x);
    if (tr_crossing_close(r, &r->next)) tr_state_copy(&r->x, &r->next);
    r->current = false;
  }
  evaluate(r);
  for (int k = 0; k < r->sys->nevent; k++) {
    tr_watch *w = &r->watch[k];
    double open = r->sys->nc > 0 ? w->blur : w->g,
           zero = fmax(roundoff(r, k), near * fabs(w->rate));
    w->before = w->rate, w->blur = 0;
    bool with = w->grazes ? goes_with(r, k, crossed) : w->at <= late && fabs(w->g) <= zero;
    w->fires = w->at <= t + near || with;
    if (w->fires) w->blur = open == w->g ? 0 : 2 * fabs(w->g);
    if (!w->fires && w->side * open > 0 && w->side * w->g < 0 && w->side * w->rate > 0)
      w->slack = fabs(w->g);
  }
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
    if (!isfinite(r->watch[k].g) && r->watch[k].side != 0) tr_crossing_watch_numbers(r, k);
  tr_crossing_find(r, t, &told);
  for (int i = 0; i < MOST_TOLD && told < INFINITY && told < *t - near; i++) {
    TR_TRY(tell_inside(r, told, error));
    tr_crossing_find(r, t, &told);
  }
  for (int k = 0; k < r->sys->nevent; k++) {
    tr_watch *w = &r->watch[k];
    if (*t == INFINITY) w->side = w->to;
    if (*t == INFINITY && w->lost && !w->spent) return no_number(r, k, NAN, w->till, error);
  }
  return TR_OK;
}

// By one of its rates: a step may leave a contact that was let go, or brushed, across zero by its error, also one that
// lifts: it comes from there. What is pressed is led there by both.
static bool is_led_away(tr_run *r, int k) {
  const tr_watch *w = &r->watch[k];
  if (w->side * w->rate > NOTHING * w->most_rate) return true;
  if (tr_run_refresh(r, NULL) != TR_OK) return false;
  const tr_state *x = tr_run_state(r);
  tr_kinematics(r->work, x->t, x->q, x->v, x->mem, TR_AT_BIAS);
  return w->side * tr_event_bend(r->work, k, x->a) > 0;
}

// Whether something may have happened in the last step.
static bool suspect(tr_run *r) {
  bool any = false, others = false;
  for (int k = 0; k < r->sys->nevent; k++) {
    tr_watch *w = &r->watch[k];
    w->rate0 = w->rate, w->touched = w->touched && fabs(w->g) <= tr_event_touch(r->sys, k);
    w->from = r->before.t, w->till = r->x.t, w->lost = false;
    w->lifts = w->lifts || (is_contact(r, k) && fabs(w->g) <= nothing(r, k));
  }
  // where those of the method are its own; should they not be there, they still are a guess
  if (r->reads_motion) (void)tr_run_refresh(r, NULL);
  if (r->sys->nevent > 0) evaluate(r);
  for (int k = 0; k < r->sys->nevent; k++) {
    tr_watch *w = &r->watch[k];
    w->stays = w->stays && fabs(w->g) <= fmax(CLEAR * w->most_g, nothing(r, k));
    bool asleep = sleeps(r, k), idle = w->spent || asleep;
    others = others || idle != w->idle;
    w->idle = idle;
    if (asleep)
      w->side = 0;
    else if (w->side == 0 && (is_contact(r, k) || fabs(w->g) > nothing(r, k))) {
      // it comes from zero, not towards it; a contact that was let go is where it may be, and if it is pressed settles again
      w->side = is_contact(r, k) ? way_of(r, k) : sign(w->g);
      w->settled = false, w->rate0 = 0;
    }
    if (w->side * w->g > 0) w->slack = 0, w->apart = false;
    w->lifts = w->lifts && w->side * w->g < -nothing(r, k) && is_led_away(r, k);
    w->wound = tr_crossing_winds(r, k);
    any =
        any || w->wound || tr_crossing_may(r, k) || (w->side != 0 && !w->spent && !isfinite(w->g));
  }
  if (others) tr_arms_gather(r);
  return any;
}

// The first event that acts in the last step: at *t, by the dense output at *crossed; INFINITY: there is none. One that
// on the constraints is not in this step, or where it has happened already, waits until it is.
static tr_status find_first(tr_run *r, double *t, double *crossed, tr_error *error) {
  for (;;) {
    int k = -1;
    TR_TRY(look_inside(r, crossed, error));
    *t = *crossed;
    if (*t == INFINITY) return TR_OK;
    *t = tr_crossing_land(r, *crossed, &k);
    if (k < 0 || is_contact(r, k) || *t == *crossed) return TR_OK;
    tr_watch *w = &r->watch[k];
    if (*t<INFINITY && * t - w->last> instant(r)) return TR_OK;
    w->side = -w->over;
    w->till = w->from, w->apart = w->side * w->g < 0;
  }
}

tr_status tr_events_look(tr_run *r, bool *happened, tr_error *error) {
  double t = r->x.t, crossed = t;
  *happened = false;
  if (!suspect(r)) return TR_OK;
  if (tr_dense_sharpen(r) != TR_OK)
    tr_dense_blunt(r);
  else if (r->sys->nreaction > 0)
    evaluate(r); // those of the method swing where a drive has a kink
  TR_TRY(find_first(r, &t, &crossed, error));
  if (t == INFINITY) {
    tr_dense_blunt(r);
    return TR_OK;
  }
  *happened = true;
  TR_TRY(serve(r, t, error));
  if (t < r->x.t) step_back(r, t);
  close_state(r, crossed);
  if (r->recompute) r->current = false;
  return happen(r, false, error);
}
