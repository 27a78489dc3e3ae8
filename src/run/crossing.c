// SPDX-License-Identifier: Apache-2.0
// When an expression g(t, q, v) crosses zero in the step behind; see events.c.
//
// (1) Inside a step it is what it is on the dense output, whose states leave the constraints open: by the
//     tolerance, or by more where a method lets them drift.
// (2) An event that acts begins anew from a consistent state, and it is there that g should vanish: from the root
//     t of the dense output Newton's iteration goes on with states put on their constraints,
//       x(t) = project(dense(t)),   t <- t - g(x)/g'(x),
//     not back before what has been told. Where it is not in the step, it waits for the next (apart). What is left
//     of g at the end of it, and what the constraints moved others by, says nothing about sides: blur, slack.
#include <string.h>

#include "events.h"

static const double STILL = 1e-12; // of the largest rate so far: round-off
static const double JUMP = 0.1;    // of g on the constraints: what is left of it before
enum { MOST_HALVINGS = 48, MOST_ROOT = 200, MOST_SEARCH = 60, WOUND = 16, MOST_LANDING = 8 };

static double value_inside(tr_run *r, int k, double t) {
  bool reactions = r->sys->nreaction > 0;
  const tr_state *x = reactions ? tr_dense_at(r, t) : tr_dense_motion(r, t);
  tr_kinematics(r->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  if (reactions) tr_show_reactions(r->work, x->lam);
  return tr_event_value(r->work, k);
}

// How well the place of a smallest value is known: g = g'' dt^2/2 is round-off there.
static double bluntness(const tr_run *r, int k) {
  const tr_watch *w = &r->watch[k];
  double h = w->till - w->from;
  return fmin(h, sqrt(2 * h * roundoff(r, k) / fmax(fabs(w->rate - w->rate0), DBL_MIN)));
}

// ---- on the constraints ---------------------------------------------------------------------------

bool tr_crossing_close(tr_run *r, tr_state *x) {
  tr_projector *p = &r->projector;
  const tr_mask *mask = p->kkt->mask;
  p->again = true;
  tr_status status = tr_project(p, x, NULL, NULL);
  p->kkt->mask = mask;
  if (status == TR_OK) status = tr_solve_accelerations(p, x, x->a, x->lam);
  if (status == TR_OK && r->settings.redundant == TR_REDUNDANT_LEAST_NORM)
    status = tr_spread_multipliers(p, x, x->lam);
  return status == TR_OK;
}

// g and its rate there, in the state at t put on its constraints.
static bool value_closed(tr_run *r, int k, double t, double *g, double *rate) {
  tr_state *x = &r->next;
  tr_state_copy(x, t < r->x.t ? tr_dense_at(r, t) : tr_run_state(r));
  if (!tr_crossing_close(r, x)) return false;
  tr_kinematics(r->work, x->t, x->q, x->v, x->mem, TR_AT_BIAS);
  if (r->sys->nreaction > 0) tr_show_reactions(r->work, x->lam);
  *g = tr_event_value(r->work, k), *rate = slope(r, k, x);
  return isfinite(*g);
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

// Up to here the rate of a contact is round-off: of its rates so far, or of places that drift within the run.
static double still(const tr_run *r, int k) {
  const tr_watch *w = &r->watch[k];
  double span = r->settings.end - r->first_t;
  return fmax(STILL * w->most_rate, DRIFT * fmax(1, w->most_g) / span);
}

// It came nearer to zero where the step began; what touches there already does not by round-off.
static bool comes_nearer(const tr_run *r, int k) {
  const tr_watch *w = &r->watch[k];
  return w->side * w->rate0 < (is_contact(r, k) ? -still(r, k) : 0);
}

// A contact that ends the step at zero, and is led no further within the run: it touches, and has not crossed. So does
// one that drifts by round-off, of places far from zero too, after a blow that left it without a rate: nothing presses.
static bool rests(const tr_run *r, int k) {
  const tr_watch *w = &r->watch[k];
  double round = roundoff(r, k), span = r->settings.end - r->first_t;
  if (!is_contact(r, k)) return false;
  if (fabs(w->g) <= nothing(r, k) && -w->side * w->rate <= still(r, k)) return true;
  return fabs(w->g) <= round && -w->side * w->rate <= fmax(NOTHING * w->most_rate, round / span);
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

bool tr_crossing_winds(const tr_run *r, int k) {
  const tr_watch *w = &r->watch[k];
  double from = w->from, at, g;
  int side = w->side;
  return w->winds && side != 0 && !w->spent && isfinite(w->g) &&
         (wind(r, k, &from, &side, &at, &g) || side != w->side);
}

// Where it is not long on its side, or the constraints are not closed: it still is there with constraints that are.
static bool stays_closed(tr_run *r, int k) {
  const tr_watch *w = &r->watch[k];
  double g, rate;
  if (is_contact(r, k) || (w->from > w->last && w->slack == 0 && !w->apart)) return false;
  return value_closed(r, k, w->till, &g, &rate) && w->side * g >= -2 * w->slack;
}

// When an expression fires in the last step, or INFINITY; w->to: its side at the end.
static double first_crossing(tr_run *r, int k) {
  tr_watch *w = &r->watch[k];
  double t0 = w->from, t1 = w->till, near = instant(r);
  int s = w->side;
  if (w->wound) {
    double at, g;
    if (wind(r, k, &t0, &s, &at, &g)) return w->to = w->over = -s, root(r, k, s, t0, at, g);
    if (s == w->side) t0 = w->from;
  }
  w->over = -s;
  if (ends_grazing(r, k)) return touch_at(r, k, t1);
  if (rests(r, k)) return INFINITY;
  if (s * w->g > 0 && comes_nearer(r, k) && s * w->rate > 0) { // and goes away
    double low = nearest(r, k, s, t0, t1), g = value_inside(r, k, low);
    bool touches = is_contact(r, k) ? s * g > 0 && fabs(g) <= tr_event_touch(r->sys, k)
                                    : fabs(g) <= shallow(r, k);
    if (touches) return touch_at(r, k, low);
    if (s * g <= 0 && counts(r, k, s)) return root(r, k, s, t0, low, g);
    if (s * g <= 0) t0 = low, s = -s, w->over = -s;
  }
  bool over = s * w->g < 0, there = s * w->g <= near * fabs(w->rate) && s * w->rate < 0;
  w->to = over || there ? -s : s;
  if (over && s == w->side && stays_closed(r, k)) return w->to = s, w->apart = true, INFINITY;
  if (w->to == s || !counts(r, k, s)) return INFINITY;
  double t = over ? root(r, k, s, t0, t1, w->g) : t1;
  bool never = t == w->last || (w->slack > 0 && t == w->from); // on this side
  return never && !is_contact(r, k) ? INFINITY : t;
}

bool tr_crossing_may(const tr_run *r, int k) {
  const tr_watch *w = &r->watch[k];
  double near = instant(r);
  int s = w->side;
  if (s == 0 || w->spent || w->lifts) return false;
  if (s * w->g <= near * fabs(w->rate)) return true;
  return comes_nearer(r, k) && (s * w->rate > 0 || fabs(w->rate) <= NOTHING * w->most_rate);
}

void tr_crossing_watch_numbers(tr_run *r, int k) {
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

// Touches, whose time is not sharp, go with crossings next to them, unless those only tell.
void tr_crossing_find(tr_run *r, double *acts, double *told) {
  double crossing[2] = {INFINITY, INFINITY}, first[2] = {INFINITY, INFINITY};
  for (int k = 0; k < r->sys->nevent; k++) {
    tr_watch *w = &r->watch[k];
    w->to = w->side, w->grazes = false;
    bool may = tr_crossing_may(r, k) || (w->wound && !w->spent);
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

double tr_crossing_land(tr_run *r, double t, int *first) {
  double earliest = r->before.t, best = INFINITY, found = t, g, rate;
  int k = -1;
  for (int i = 0; i < r->sys->nevent; i++) {
    const tr_watch *w = &r->watch[i];
    earliest = fmax(earliest, w->from);
    if (!tells(r, i) && !w->grazes && w->at == t) k = i;
  }
  *first = k;
  if (r->sys->nc == 0 || k < 0) return t;
  const tr_watch *w = &r->watch[k];
  double open = t < r->x.t ? fabs(value_inside(r, k, t)) : fabs(w->g);
  for (int i = 0; i < MOST_LANDING && value_closed(r, k, t, &g, &rate); i++) {
    if (i == 0 && !w->apart && open > JUMP * fabs(g)) break; // it has not been moved, or jumps
    bool yet = w->over * g < 0 && fabs(g) > at_zero(r, k) && !is_contact(r, k);
    if (t == r->x.t && yet) return INFINITY;
    if (!(fabs(g) < best)) break;
    best = fabs(g), found = t;
    double next = fmin(fmax(t - g / rate, earliest), r->x.t);
    if (best <= roundoff(r, k) || !isfinite(next) || next == t) break;
    t = next;
  }
  return found;
}
