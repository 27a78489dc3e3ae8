// SPDX-License-Identifier: Apache-2.0
// Moments at which forces, drives or rates of states jump, whatever the motion, under step control.
//
// On positions alone a step across a jump f of the accelerations passes with h ~ sqrt(tol/f) and leaves velocities off by
// h f ~ sqrt(tol f), which lasts; and some methods never get rid of velocities that a drive made jump. So when a step does
// not pass, and there is a law that reads the time and may jump, its interval is looked at with all bodies held where they
// are. If something jumps in there a step ends just before, and another begins just after, at a consistent state. Positions
// that are made to jump are none of this: no motion follows them.
// Those that the laws tell themselves - what they compare the time with, ends of steps, knots of tables - are known
// beforehand, and steps end there: a model at rest would sleep through them. A kink is no reason to begin anew, and where
// there are many, in every step that is wanted, they are passed.
// Switches of what depends on time alone in any other way are looked for from one to the next.
// Trains of them are left alone while nothing happens there. Steps that are all as long as a period see the same phase, so
// where a train is not one of jumps with what is known between them steps are shorter than that, by an uneven part.
// What jumps again and again, as a train of pulses does, may do so within a step that begins and ends alike: no step is longer
// than the shortest time between two of the last jumps, until twice the longest has passed without one. A jump that moves with
// the motion is found where it is with the bodies held; if it is elsewhere when that is reached it does not count.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ahead.h"

enum { MOST_KNOWN = 4096 };
// Instructions for one search of when a switch does so, and how many searches in a row may fail.
enum { WORK = 20000, MOST_FAILED = 32 };
static const double MOST_TIMES = 1e4; // of a train: more often is left to what finds it
static const double UNEVEN = 0.37;    // of a period
// Times of a switch that are nearer than this part of the whole, or where more and more are as near: round-off.
static const double APART = 1e-10;
enum { COUNT = 64 }; // of them, by which it is told how many there will be
enum { IDLE = 8 };   // times a train did nothing: it sleeps
// Kinks, more than so many, of which some are in each of so many intervals of two steps that follow: a crowd. One that is
// longer than this part of the whole is none.
enum { FEW_KINKS = 64, CROWD = 4 };
static const double CROWDED = 0.01, MOST_IN_STEP = 2;
static const double MOST_BULGES = 2000;
enum { MOST_WAIT = 3 };              // rejected steps between two looks
enum { GAPS = 8 };                   // times between jumps that are kept
static const double SAME = 1e-3;     // of what was looked at: one jump
static const double SHORTEST = 1e-5; // of the whole: no limit for steps
static const double ASIDE = 8;       // eps: so far before a jump a step ends

static const double BEYOND = 1.001; // of the step is looked at: one that ends at a jump feels it

typedef struct stop {
  double before, after; // on either side
  bool jump;            // it may be one
} stop;

// What happens again and again: with a period, or as a switch of a law finds it.
typedef struct train {
  tr_instant is;
  int idle;             // times in a row that nothing happened
  int asked;            // times that it was looked at whether it is a jump
  double most;          // step until the next time
  double begins, until; // of a switch: where that holds
  // of a switch
  double next[2];    // the two that come next; INFINITY: not known
  double clear;      // up to here nothing else
  double last, gap;  // the last that was found, and the time between two
  double apart;      // what is nearer to it is the same
  double marked;     // where the last so many of them began to be counted
  int count, failed; // found in all; searches in a row that failed
} train;

typedef struct tr_instants {
  tr_ahead p;
  bool steep;           // some law of time may jump where that is not known
  tr_state held;        // where the bodies are, half a step on
  double before, after; // the next one, on either side; INFINITY: none is known
  int wait, idle;       // rejected steps until the next look; looks that found nothing
  double within;        // how long the interval was in which it was found
  double last;          // the last one that was passed
  double gap[GAPS];     // between two
  int gaps;             // in all
  bool begun;
  // told by the laws, with the memory of the state when they were asked: kinks and jumps, in order, of which so many have
  // passed, and trains
  tr_timed timed;
  double *memory;   // (nmem)
  tr_instant *told; // (most) all of them
  int most;
  tr_instant *kink, *jump;
  int kinks, jumps, past_kinks, past_jumps;
  train *train;
  int trains, turn; // the next that is looked at in its sleep,
  int follow;       // or where steps follow it
  bool crowded;     // some are passed
  double density;   // of kinks of switches, a second
  stop any, firm;   // the next ones; firm: but for a single kink
} tr_instants;

static double aside_of(const tr_run *r, double t) {
  return ASIDE * DBL_EPSILON * fmax(fabs(t), r->settings.end);
}

static bool is_switch(const train *k) { return k->is.found.of; }
static bool is_jump(const train *k) { return k->is.jump && !k->is.blind; }
static double span_of(const tr_run *r) { return r->settings.end - r->first_t; }

// 0: not known
static double gap_of(const train *k) {
  return is_switch(k) ? (isfinite(k->gap) ? k->gap : 0) : k->is.period;
}

// Kinks of a drive are jumps of its rate.
static bool kink_jumps(const tr_run *r, double t) {
  double aside = aside_of(r, t);
  return tr_ahead_breaks(&r->instants->p, &r->x, t - aside, t + aside);
}

// Whether a kink is one of a drive shows at some of its times, where something moves.
static void ask(const tr_run *r, train *k, double t) {
  if (k->is.jump || k->asked >= IDLE || !isfinite(t)) return;
  k->asked++;
  k->is.jump = kink_jumps(r, t);
}

// The next time of a switch behind those that were found; INFINITY: there is none, or it was not found.
static double search(const tr_run *r, train *k, double from) {
  double end = r->settings.end, scale = fmax(fabs(r->x.t), end);
  if (k->failed >= MOST_FAILED) return INFINITY;
  k->clear = fmax(k->clear, from);
  if (!(k->clear < end)) return INFINITY;
  double t = law_next_switch(&k->is.found, &k->clear, end, scale, WORK);
  k->failed = isnan(t) ? k->failed + 1 : 0;
  if (!isfinite(t)) return INFINITY;
  k->gap = t - k->last, k->last = t;
  k->apart = k->gap < 4 * k->apart ? 2 * k->apart : APART * scale;
  k->clear = t + k->apart;
  ask(r, k, t);
  if (++k->count % COUNT > 0) return t;
  if (k->count + COUNT * (end - t) / (t - k->marked) > 2 * MOST_TIMES) k->failed = MOST_FAILED;
  k->marked = t;
  return t;
}

// r->x or later, and before the second of those that come next.
static double switch_after(const tr_run *r, train *k, double t, double aside) {
  double now = r->x.t + 2 * aside;
  while (k->next[0] <= now) k->next[0] = k->next[1], k->next[1] = INFINITY;
  if (isinf(k->next[0])) k->next[0] = search(r, k, now);
  if (t + 2 * aside < k->next[0]) return k->next[0];
  if (isinf(k->next[1])) k->next[1] = search(r, k, k->next[0]);
  return k->next[1];
}

static double period_after(const train *k, double t) {
  return k->is.t + k->is.period * (floor((t - k->is.t) / k->is.period) + 1);
}

// The first time of a train after another.
static double train_after(const tr_run *r, train *k, double t, double aside) {
  return is_switch(k) ? switch_after(r, k, t, aside) : period_after(k, t + 2 * aside);
}

static bool is_at(const train *k, double t, double near) {
  if (is_switch(k)) return law_switches_within(&k->is.found, t - near, t + near);
  return period_after(k, t - near) < t + near;
}

// Kinks of a switch that follow each other closer than steps, or one of many switches.
static bool crowds(const tr_run *r, const train *k) {
  double h = fmin(r->h, CROWDED * span_of(r));
  return is_switch(k) && !k->is.jump && (k->gap < 2 * h || MOST_IN_STEP < h * r->instants->density);
}

// The longest step that all trains allow.
static double least_of(const tr_run *r, const tr_instants *w) {
  double least = INFINITY;
  for (int i = 0; i < w->trains; i++)
    if (w->train[i].idle < IDLE)
      least = fmin(least, fmax(w->train[i].most, w->train[i].begins - r->x.t));
  return least;
}

// Kinks of switches, a second.
static double density_of(const tr_instants *w) {
  double sum = 0;
  for (int i = 0; i < w->trains; i++) {
    const train *k = &w->train[i];
    if (is_switch(k) && !k->is.jump && k->idle < IDLE && gap_of(k) > 0) sum += 1 / gap_of(k);
  }
  return sum;
}

// The first after a time; with kinks that are none of a train, or without.
static double first_after(const tr_run *r, tr_instants *w, double t, double aside, bool kinks,
                          bool *jump) {
  double next = INFINITY;
  int i = w->past_jumps;
  *jump = false;
  while (i < w->jumps && !(w->jump[i].t > t + 2 * aside)) i++;
  if (i < w->jumps) next = w->jump[i].t, *jump = true;
  for (i = 0; i < w->trains; i++) {
    train *k = &w->train[i];
    bool crowd = crowds(r, k);
    w->crowded |= crowd;
    if (k->idle >= IDLE || crowd || (!kinks && is_switch(k) && !k->is.jump)) continue;
    double at = train_after(r, k, t, aside);
    if (at > next + 2 * aside) continue;
    bool same = fabs(at - next) <= 2 * aside;
    *jump = k->is.jump || (same && *jump);
    next = same ? next : at;
  }
  i = w->past_kinks;
  while (kinks && i < w->kinks && !(w->kink[i].t > t + 2 * aside)) i++;
  if (kinks && i < w->kinks && w->kink[i].t < next - 2 * aside) next = w->kink[i].t, *jump = false;
  return next;
}

static stop find_stop(const tr_run *r, tr_instants *w, bool kinks) {
  double aside = aside_of(r, r->x.t);
  bool jump;
  double next = first_after(r, w, r->x.t, aside, kinks, &jump);
  stop s = {next, next, jump};
  if (jump) s.before -= aside, s.after += aside;
  return s;
}

// What follows r->x.
static void find_known(const tr_run *r, tr_instants *w) {
  double till = r->x.t + 2 * aside_of(r, r->x.t);
  while (w->past_jumps < w->jumps && w->jump[w->past_jumps].t <= till) w->past_jumps++;
  while (w->past_kinks < w->kinks && w->kink[w->past_kinks].t <= till) w->past_kinks++;
  w->crowded = false, w->density = density_of(w);
  w->any = find_stop(r, w, true);
  w->firm = find_stop(r, w, false);
}

static int by_time(const void *a, const void *b) {
  double x = ((const tr_instant *)a)->t, y = ((const tr_instant *)b)->t;
  return (x > y) - (x < y);
}

// Of many they are found where a step does not pass.
static void find_jumping_kinks(tr_run *r, tr_instants *w) {
  int kinks = 0;
  if (w->kinks > FEW_KINKS) return;
  for (int i = 0; i < w->kinks; i++)
    if (kink_jumps(r, w->kink[i].t))
      w->jump[w->jumps++] = w->kink[i];
    else
      w->kink[kinks++] = w->kink[i];
  w->kinks = kinks;
}

// Nothing of what the laws tell has passed yet.
static void set_back(const tr_run *r, tr_instants *w) {
  w->past_jumps = w->past_kinks = 0, w->begun = false;
  for (int i = 0; i < w->trains; i++) {
    tr_instant is = w->train[i].is;
    bool follow = !is.found.of && !(is.jump && !is.blind);
    w->train[i] = (train){.is = is,
                          .most = follow ? UNEVEN * is.period : INFINITY,
                          .next = {INFINITY, INFINITY},
                          .clear = r->x.t,
                          .begins = -INFINITY,
                          .last = -INFINITY,
                          .gap = INFINITY,
                          .marked = r->x.t};
    if (follow) ask(r, &w->train[i], period_after(&w->train[i], r->x.t));
  }
  find_known(r, w);
}

// Which those are that the laws tell, as r->x is.
static void learn(tr_run *r, tr_instants *w) {
  double span = r->settings.end - r->x.t;
  const tr_instant *all = w->told;
  memcpy(w->memory, r->x.mem, (size_t)r->sys->nmem * sizeof *w->memory);
  int n = tr_probe_instants(&w->timed, w->most, w->told);
  w->kinks = w->jumps = w->trains = 0;
  for (int i = 0; i < n; i++)
    if (all[i].found.of || all[i].period > 0) {
      if (all[i].found.of || MOST_TIMES * all[i].period > span) w->train[w->trains++].is = all[i];
    } else if (all[i].jump)
      w->jump[w->jumps++] = all[i];
    else if (all[i].t > r->x.t)
      w->kink[w->kinks++] = all[i];
  find_jumping_kinks(r, w);
  qsort(w->kink, (size_t)w->kinks, sizeof *w->kink, by_time);
  qsort(w->jump, (size_t)w->jumps, sizeof *w->jump, by_time);
  set_back(r, w);
}

// Parameters that events set may make others of them, and others may do something.
void tr_instants_learn(tr_run *r) {
  tr_instants *w = r->instants;
  if (!w || !w->timed.set) return;
  int first = r->sys->switched_mem;
  size_t size = (size_t)r->sys->plan.nswitched * sizeof *w->memory;
  if (memcmp(w->memory + first, r->x.mem + first, size) != 0) learn(r, w);
}

static void forget(tr_instants *w) {
  w->gaps = w->wait = w->idle = 0;
  w->before = w->after = INFINITY, w->last = NAN;
}

void tr_instants_reset(tr_run *r) {
  if (!r->instants) return;
  forget(r->instants);
  tr_instants_learn(r);
  set_back(r, r->instants);
}

// Room for what laws tell; of parameters that events set it is not known how much.
static bool make_room(tr_run *r, tr_instants *w) {
  tr_instant *all = w->told = TR_NEW(&r->arena, MOST_KNOWN, tr_instant);
  w->most = MOST_KNOWN;
  if (!all) return false;
  int n = w->timed.set ? MOST_KNOWN : tr_probe_instants(&w->timed, MOST_KNOWN, all);
  w->kink = TR_NEW(&r->arena, n + 1, tr_instant), w->jump = TR_NEW(&r->arena, n + 1, tr_instant);
  w->train = TR_NEW(&r->arena, n + 1, train);
  return w->kink && w->jump && w->train;
}

tr_status tr_instants_make(tr_run *r, tr_error *error) {
  tr_instant first;
  tr_timed timed;
  double *memory = TR_NEW(&r->arena, r->sys->nmem + 1, double);
  if (!memory || tr_probe_timed(r->sys, &r->arena, memory, &timed) != TR_OK)
    return tr_no_memory(error);
  memcpy(memory, r->x.mem, (size_t)r->sys->nmem * sizeof *memory);
  bool tells = timed.set || tr_probe_instants(&timed, 1, &first) > 0;
  if (!tells && !tr_probe_switches(r->sys)) return TR_OK;
  tr_instants *w = r->instants = TR_NEW(&r->arena, 1, tr_instants);
  if (!w || !tr_ahead_make(r, &w->p)) return tr_no_memory(error);
  w->p.held = true, w->timed = timed, w->memory = memory;
  w->steep = tr_probe_steep(r->sys);
  if (!make_room(r, w)) return tr_no_memory(error);
  forget(w);
  learn(r, w);
  return tr_state_new(r->sys, &w->held, error);
}

void tr_instants_free(tr_run *r) {
  if (!r->instants) return;
  if (r->instants->p.r) tr_ahead_free(&r->instants->p);
  tr_state_free(r->sys, &r->instants->held);
}

// Trains that have a jump that was found.
static void wake_at(const tr_run *r, tr_instants *w, double t) {
  double near = 4 * aside_of(r, t);
  bool woken = false;
  for (int i = 0; i < w->trains; i++) {
    train *k = &w->train[i];
    if (k->idle < IDLE || !is_at(k, t, near)) continue;
    k->idle = k->asked = 0, woken = true;
  }
  if (woken) find_known(r, w);
}

bool tr_instants_look(tr_run *r, double h) {
  tr_instants *w = r->instants;
  if (!w || !w->steep || w->wait-- > 0) return false;
  double till = fmin(r->x.t + BEYOND * h, fmin(w->before, w->any.before)),
         half = 0.5 * (till - r->x.t);
  tr_state_copy(&w->held, &r->x);
  w->held.t = r->x.t + half;
  tr_jump jump = tr_ahead_find_jump(&w->p, &w->held, half, 1);
  double aside = aside_of(r, jump.t);
  bool found = jump.part && tr_jump_follows(r, jump.part) && jump.t > r->x.t && jump.t < till;
  if (found) wake_at(r, w, jump.t);
  if (found) w->before = fmax(jump.before - aside, r->x.t), w->after = jump.t, w->within = 2 * half;
  w->idle = found ? 0 : w->idle < MOST_WAIT ? w->idle + 1 : MOST_WAIT;
  w->wait = w->idle;
  return found;
}

// Whether kinks follow each other closer than steps of length h, and go on doing so, or did until the next.
static bool is_crowd(const tr_run *r, double h) {
  const tr_instants *w = r->instants;
  double wide = 2 * fmin(h, CROWDED * span_of(r));
  int next = w->past_kinks, ahead = 0, behind = 0, i = next, k = next - 1;
  if (w->kinks <= FEW_KINKS || next == w->kinks || w->kink[next].t > r->x.t + wide) return false;
  for (double t = r->x.t; ahead < CROWD; ahead++, t += wide) {
    while (i < w->kinks && w->kink[i].t <= t) i++;
    if (i == w->kinks || w->kink[i].t > t + wide) break;
  }
  for (double t = r->x.t; behind < CROWD; behind++, t -= wide) {
    while (k >= 0 && w->kink[k].t > t) k--;
    if (k < 0 || w->kink[k].t < t - wide) break;
  }
  return ahead == CROWD || behind == CROWD;
}

// The shortest time between two jumps that were found, as far as it counts.
static double bound_gaps(const tr_run *r, tr_instants *w) {
  double shortest = INFINITY, longest = 0;
  for (int i = 0; i < w->gaps && i < GAPS; i++)
    shortest = fmin(shortest, w->gap[i]), longest = fmax(longest, w->gap[i]);
  if (r->x.t - w->last > 2 * longest) w->gaps = 0;
  return w->gaps > 0 ? fmax(shortest, SHORTEST * span_of(r)) : INFINITY;
}

double tr_instants_bound(tr_run *r, double h) {
  tr_instants *w = r->instants;
  if (!w) return INFINITY;
  double most = fmin(bound_gaps(r, w), least_of(r, w));
  if (is_crowd(r, h)) most = fmin(most, 2 * CROWDED * span_of(r));
  return most;
}

double tr_instants_next(const tr_run *r) {
  const tr_instants *w = r->instants;
  return w ? fmin(w->before, w->any.before) : INFINITY;
}

static bool ends(const tr_run *r, const stop *s, double h) {
  return s->jump || r->x.t + h > s->before;
}

double tr_instants_ahead(const tr_run *r, double h) {
  const tr_instants *w = r->instants;
  if (!w) return INFINITY;
  const stop *s = is_crowd(r, h) ? &w->firm : &w->any;
  bool soon = r->x.t + h < s->before && ends(r, s, 2 * h);
  return fmin(w->before, soon || ends(r, s, h) ? s->before : INFINITY);
}

// Whether forces rise and fall again from one kink to the next, or to the one after, so that it is felt if it goes on: steps
// that are as long would feel nothing of it. So many in all are worth steps of their own.
static bool bulges(tr_run *r, double t, double lasts, double aside) {
  tr_ahead *p = &r->instants->p;
  double tol = r->settings.control.tol * fmax(1, vec_largest(r->x.q, r->sys->nq));
  double felt = 2 * tol / (span_of(r) * span_of(r));
  if (!(MOST_BULGES * lasts > span_of(r) && isfinite(lasts))) return false;
  return tr_ahead_bulge(r, p, &r->x, t + aside, t + lasts - aside) > felt ||
         tr_ahead_bulge(r, p, &r->x, t + lasts + aside, t + 2 * lasts - aside) > felt;
}

// Whether anything happens at a time of a train: a jump, or, before the next, what steps are to follow.
static bool acts(tr_run *r, train *k, double t, double aside) {
  tr_ahead *p = &r->instants->p;
  if (is_jump(k)) return tr_ahead_breaks(p, &r->x, t - aside, t + aside);
  double lasts = is_switch(k) ? switch_after(r, k, t, aside) - t : k->is.period;
  double till = t + fmax(aside, isinf(lasts) ? 0 : UNEVEN * lasts);
  bool act = tr_ahead_jumps(p, &r->x, t - aside, till);
  if (is_switch(k)) k->most = bulges(r, t, lasts, aside) ? UNEVEN * lasts : INFINITY;
  k->begins = t, k->until = t + 2 * lasts;
  return act;
}

// At a time t that was passed, and is one of trains or, at last, another.
static void watch_trains(tr_run *r, double t, bool single, bool jumps) {
  tr_instants *w = r->instants;
  double aside = aside_of(r, t), longest = single ? INFINITY : 0;
  for (int i = 0; i < w->trains; i++) {
    train *k = &w->train[i];
    if (k->idle >= IDLE || !is_at(k, t, 4 * aside)) continue;
    bool act = is_jump(k) ? jumps : acts(r, k, t, aside);
    k->idle = act ? 0 : k->idle + 1;
    for (int m = 0; act && m < w->trains; m++) // kinks where nothing happens at once belong to it
      if (!is_jump(&w->train[m]) && gap_of(&w->train[m]) == gap_of(k)) w->train[m].idle = 0;
    if (!act) k->asked = 0; // what it would be has not shown
    if (act) ask(r, k, train_after(r, k, t, aside));
    if (jumps) longest = fmax(longest, gap_of(k));
  }
  for (int i = 0; i < w->trains; i++)
    if (w->train[i].idle >= IDLE && 2 * gap_of(&w->train[i]) < longest) w->train[i].idle = 0;
}

// Steps that follow a crowd do not end at its kinks: whether it is worth that still, of one at a time.
static void watch_crowds(tr_run *r) {
  tr_instants *w = r->instants;
  double aside = aside_of(r, r->x.t);
  for (int i = 0; i < w->trains; i++) {
    w->follow = (w->follow + 1) % w->trains;
    train *k = &w->train[w->follow];
    if (!is_switch(k) || k->idle >= IDLE || isinf(k->most) || !(r->x.t > k->until)) continue;
    double next = train_after(r, k, r->x.t, aside), begins = k->begins;
    bool goes_on = next <= k->until + 1.01 * k->most / UNEVEN;
    if (isinf(next))
      k->most = INFINITY;
    else
      k->idle = acts(r, k, next, aside) ? 0 : k->idle + 1;
    if (goes_on) k->begins = begins;
    return;
  }
}

// One of those that sleep, in turn: whether it does so still.
static void watch_sleeper(tr_run *r) {
  tr_instants *w = r->instants;
  for (int i = 0; i < w->trains; i++) {
    w->turn = (w->turn + 1) % w->trains;
    train *k = &w->train[w->turn];
    double aside = aside_of(r, r->x.t);
    if (k->idle < IDLE) continue;
    double next = train_after(r, k, r->x.t, aside);
    if (isinf(next) || !acts(r, k, next, aside)) return;
    k->idle = k->asked = 0;
    ask(r, k, next);
    find_known(r, w);
    return;
  }
}

static tr_status begin_here(tr_run *r, tr_error *error) {
  TR_TRY(tr_run_begin(r, false, false, error));
  tr_run_take_speed(r);
  return TR_OK;
}

static tr_status pass_known(tr_run *r, tr_error *error) {
  tr_instants *w = r->instants;
  stop s = r->x.t >= w->firm.before ? w->firm : w->any;
  int single = w->past_kinks + w->past_jumps;
  bool jumps = r->x.t < s.after && s.jump && tr_ahead_breaks(&w->p, &r->x, s.before, s.after);
  r->x.t = fmax(r->x.t, s.after);
  find_known(r, w);
  single = w->past_kinks + w->past_jumps - single;
  watch_trains(r, 0.5 * (s.before + s.after), single > 0, jumps);
  find_known(r, w);
  if (s.jump && w->wait < 1) w->wait = 1;
  return jumps ? begin_here(r, error) : TR_OK;
}

// Where the run begins at a jump it does so behind it.
static tr_status pass_start(tr_run *r, tr_error *error) {
  tr_instants *w = r->instants;
  double t = r->x.t, aside = aside_of(r, t);
  w->begun = true;
  if (!tr_ahead_jumps(&w->p, &r->x, t, t + aside) ||
      tr_ahead_jumps(&w->p, &r->x, t + aside, t + 2 * aside))
    return TR_OK;
  r->x.t = t + aside;
  return begin_here(r, error);
}

// Whether what comes next is to be looked for again: searches that ended before the next step does, or crowds.
static bool is_open(const tr_run *r, const tr_instants *w) {
  bool open = w->crowded;
  for (int i = 0; i < w->trains && !open; i++) {
    const train *k = &w->train[i];
    open = is_switch(k) && k->idle < IDLE && k->failed > 0 && k->failed < MOST_FAILED &&
           isinf(k->next[0]) && k->clear < r->x.t + 2 * r->h;
  }
  return open;
}

tr_status tr_instants_pass(tr_run *r, tr_error *error) {
  tr_instants *w = r->instants;
  if (!w) return TR_OK;
  if (!w->begun) TR_TRY(pass_start(r, error));
  if (is_open(r, w)) find_known(r, w);
  if (r->x.t >= w->any.before) TR_TRY(pass_known(r, error));
  watch_crowds(r);
  watch_sleeper(r);
  if (r->x.t < w->before) return TR_OK;
  bool reached = r->x.t < w->after;
  bool is = reached && tr_ahead_jumps(&w->p, &r->x, w->before, w->after);
  double gap = w->after - w->last;
  r->x.t = fmax(r->x.t, w->after);
  if (is && gap > SAME * w->within) w->gap[w->gaps++ % GAPS] = gap;
  if (is) w->last = w->after;
  w->before = w->after = INFINITY;
  find_known(r, w); // the same may have been told, in other last digits
  return reached ? begin_here(r, error) : TR_OK;
}
