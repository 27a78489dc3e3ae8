// SPDX-License-Identifier: Apache-2.0
// Step control: accept or reject by the local error, choose the next step.
//
//   e = error/tol of the step, p the method's order:  accepted when e <= 1
//   [GNP05]:  h_new = 0.9 h e^(-1/(p+1)), after a rejection too (e^2 is the paper's Theta)
//   PI:       h_new = 0.9 h e^(-0.7/(p+1)) e_last^(0.4/(p+1)), kept when it would hardly change
// Methods that choose their own order choose the step too.
// A step whose Newton iteration fails is tried again with a quarter of its length. A step below the
// smallest ends the run with the reason and the coordinate that is worst; nothing unconverged or
// inaccurate is ever accepted. So do steps that would not reach the end in a million, some of them
// rejected all the time, if a force that jumps explains it.
#include <float.h>
#include <math.h>
#include <string.h>

#include "driver.h"

static const double LEAST_TOL = 1e-15;
static const double LEAST_STEP = 1e3 * DBL_EPSILON; // of the time
// Steps below and above so many times the last one are begun anew.
static const double SPLINTER = 0.1, STRETCH = 4;
static const double SAFETY = 0.9, SHRINK = 0.2, GROW = 3;
// So many steps that lead nowhere are worth a look at why.
enum { STALLED_STEPS = 250, STALLED_TIMES = 3 };
static const double STALLED = 2.5e-4;
static const double FEEBLE =
    1e-8; // steps, over the whole time: worth a look at whether there is a way on
enum { WARY = 8, MOST_WARY = 64 };
enum { MOST_LEAPS = 4 }; // tries of a step, each a quarter of the last
static const double BELOW = 0.7;
// A step is short enough to tell, of one that was rejected before; its error has not fallen, of that one's.
static const double SHORTER = 0.05, NO_LESS = 0.3;
static const double LEAST_OPEN = 0.1, MOST_OPEN = 100; // tolerances
static const double OPEN_RATES = 1e-3;                 // of the largest velocity
static const double KEEP_LOW = 0.95, KEEP_HIGH = 1.2;  // changes inside are not worth a new matrix

tr_status tr_control_check(const tr_run *r, tr_error *error) {
  const tr_control_settings *c = &r->settings.control;
  const tr_step *s = r->step;
  if (c->tol == 0) return TR_OK;
  if (!(c->tol > 0) || !(c->tol < 1))
    return tr_fail(error, TR_BAD_INPUT, NULL, "the tolerance must be between 0 and 1, not %g",
                   c->tol);
  if (c->tol < LEAST_TOL)
    return tr_fail(error, TR_BAD_INPUT, NULL,
                   "a tolerance of %g is below what round-off lets any step keep; %g is the least",
                   c->tol, LEAST_TOL);
  if (!(c->first_step >= 0) || !(c->min_step >= 0) || !(c->max_step >= 0))
    return tr_fail(error, TR_BAD_INPUT, NULL, "steps must not be negative");
  if (c->max_step > 0 && c->min_step > c->max_step)
    return tr_fail(error, TR_BAD_INPUT, NULL, "the smallest step is larger than the largest");
  double least = LEAST_STEP * fmax(fabs(r->x.t), r->settings.end);
  if (c->max_step > 0 && c->max_step < least)
    return tr_fail(
        error, TR_BAD_INPUT, NULL,
        "a largest step of %g s is below the smallest that moves times up to %g s, %.2g s",
        c->max_step, r->settings.end, least);
  if (r->settings.newton.fixed_iterations > 0)
    return tr_fail(error, TR_BAD_INPUT, NULL,
                   "a fixed number of Newton iterations goes with a fixed step, not a tolerance");
  if (s->method->choose || s->method->error) return TR_OK;
  tr_truncation e = s->method->truncation(s->par);
  if (e.q2 == 0 && fabs(e.q3) < 1e-6)
    return tr_fail(error, TR_BAD_INPUT, NULL,
                   "method %s: with these parameters its error estimate vanishes",
                   s->method->info.name);
  if ((c->velocities || c->multipliers) && isnan(e.v3))
    return tr_fail(error, TR_BAD_INPUT, NULL,
                   "method %s: the error of its velocities and multipliers cannot be told, only "
                   "that of positions",
                   s->method->info.name);
  if (c->rule == TR_CONTROL_GNP05 && isnan(e.v3))
    return tr_fail(error, TR_BAD_INPUT, NULL,
                   "method %s: a step that changes every time undoes its feedback; use the PI rule",
                   s->method->info.name);
  if (s->method->alternates && s->method->alternates(s->par))
    return tr_fail(error, TR_BAD_INPUT, NULL,
                   "method %s: error control needs numerical damping, or accelerations oscillate "
                   "from step to step",
                   s->method->info.name);
  return TR_OK;
}

// A first step over which the accelerations move things by the tolerance, on a way of length span.
static double first_step(const tr_run *r, double span) {
  const tr_control_settings *c = &r->settings.control;
  double v = tr_run_largest(r, r->x.v), a = tr_run_largest(r, r->x.a), h = 1e-3 * span;
  if (a > 0) h = fmin(h, sqrt(c->tol / a));
  if (v > 0) h = fmin(h, 0.1 * cbrt(c->tol) / v + sqrt(DBL_EPSILON) * span);
  if (c->first_step > 0) h = c->first_step;
  return c->max_step > 0 ? fmin(h, c->max_step) : h;
}

// Beyond the end the first step is open until it is known how far to go.
void tr_control_begin(tr_run *r) {
  const tr_control_settings *c = &r->settings.control;
  double span = r->settings.end - r->x.t;
  if (!(c->tol > 0)) return;
  r->step->allowed = c->tol, r->step->allows_v = c->velocities;
  if (r->info.steps == 0 && c->max_step > 0) r->step->taken = 0; // short ones are foreseen
  r->last_error = 1;
  tr_inside_begin(r);
  r->failed_h = r->fallen = 0, r->wary = r->patience = 0;
  r->h = span > 0 ? first_step(r, span) : 0;
}

// After a step with e <= 1.
static double next_step(const tr_run *r, double h, double e) {
  double power = 1.0 / (tr_step_order(r->step) + 1), f;
  e = fmax(e, 1e-8);
  if (r->settings.control.rule == TR_CONTROL_GNP05) return h * fmin(GROW, SAFETY * pow(e, -power));
  f = SAFETY * pow(e, -0.7 * power) * pow(r->last_error, 0.4 * power);
  f = fmin(GROW, fmax(SHRINK, f));
  return f > KEEP_LOW && f < KEEP_HIGH ? h : h * f;
}

// After a rejected one.
static double shorter_step(const tr_run *r, double h, double e) {
  double power = 1.0 / (tr_step_order(r->step) + 1);
  return isfinite(e) ? h * fmax(SHRINK, fmin(SAFETY, SAFETY * pow(e, -power))) : SHRINK * h;
}

// The length to try: not past t or a known instant, and no splinter left before them.
static double fit(tr_run *r, double t, double least) {
  double h = fmax(tr_run_follow(r, tr_arms_follow(r, r->h, least)), fmin(r->h, least));
  if (r->settings.control.max_step > 0) h = fmin(h, r->settings.control.max_step);
  h = tr_inside_follow(r, fmin(h, tr_instants_bound(r, h)));
  double left = fmin(t, tr_instants_ahead(r, h)) - r->x.t;
  if (h >= 0.999 * left) return left;
  return h > 0.5 * left ? 0.5 * left : h;
}

// After a failure at h: the wish, but the smallest step is tried before giving up.
static double smaller(double h, double wish, double least) {
  return wish < least && h > least ? least : wish;
}

// Where steps fail at the same length again and again, though shorter ones pass and seem to allow more, the step
// stays below it for some steps, for twice as many each time: Newton's iteration may not bear it, and methods
// that double their steps do not ask how far they fall short.
static void beware(tr_run *r, double h) {
  if (r->settings.control.rule == TR_CONTROL_GNP05) return; // what is published knows nothing of it
  bool again = h > 0.4 * r->failed_h && h < 2.5 * r->failed_h;
  int more = r->patience == 0 ? WARY : 2 * r->patience;
  r->patience = !again ? 0 : more < MOST_WARY ? more : MOST_WARY;
  r->failed_h = h;
  r->wary = r->patience;
}

// The length after a step of length h that passed, given what its error allows.
static double below_failures(tr_run *r, double h, double wish) {
  if (h >= r->failed_h) r->failed_h = 0, r->wary = r->patience = 0;
  if (r->wary == 0) return wish;
  double most = BELOW * r->failed_h;
  r->wary--;
  if (wish <= most) return wish;
  return most > KEEP_HIGH * h || h > most ? most : h;
}

// Before a step that is much shorter or longer than the last, as next to a time to be hit: what is open at the velocities
// by the last step's length would be closed within this one, and accelerations suffer from it by 1/h; and what belongs
// to another time than t_n cannot be moved that far. So the method begins anew.
static tr_status stretch(tr_run *r, double h, tr_error *error) {
  double last = r->step->last_h, wish = r->h;
  bool even = last == 0 || (h >= SPLINTER * last && h <= STRETCH * last);
  if (isnan(r->coast_t) && (even || r->step->method->uneven)) return TR_OK;
  TR_TRY(tr_run_begin_anew(r, h, error));
  r->h = wish;
  return TR_OK;
}

// Next to a singular position a step may leave the constraints open by its tolerance, and velocities as they cannot go on:
// rows that repeated others there do so no longer. The next one closes them, however short it is, and that is its error,
// or more than its iteration bears. So where shorter steps have no smaller errors, and the state is open by as much, it is
// closed, and the method begins anew, once at each state.
static tr_status close_state(tr_run *r, bool *closed, tr_error *error) {
  tr_start_info info = {0};
  double tol = r->settings.control.tol, h = r->h;
  *closed = false;
  if (r->sys->nc == 0 || r->closed_t == r->x.t) return TR_OK;
  r->closed_t = r->x.t;
  tr_state_copy(&r->next, &r->x);
  const tr_mask *mask = r->projector.kkt->mask;
  r->projector.again = true;
  tr_status status = tr_project(&r->projector, &r->next, &info, NULL);
  r->projector.kkt->mask = mask;
  r->step->newton.valid = false;
  if (status == TR_NO_MEMORY) return tr_no_memory(error);
  bool open = info.moved_q >= LEAST_OPEN * tol ||
              info.moved_v > OPEN_RATES * vec_largest(r->x.v, r->sys->nv);
  bool far = info.moved_q > MOST_OPEN * tol;
  r->left_open = status == TR_OK && far ? info.moved_q : 0;
  if (status != TR_OK || !open || far) return TR_OK;
  TR_TRY(tr_run_begin(r, false, false, error));
  r->h = fmax(r->h, h);
  *closed = true;
  return TR_OK;
}

// A step that was rejected, and its error: INFINITY where the iteration failed.
typedef struct rejected_step {
  double h, e;
} rejected_step;

// After another one: last is what it is compared with, next time perhaps this one.
static tr_status doubt_state(tr_run *r, rejected_step now, rejected_step *last, tr_error *error) {
  bool closed = false;
  if (last->h == 0) *last = now;
  if (now.h >= SHORTER * last->h) return TR_OK;
  if (!(now.e < NO_LESS * last->e)) TR_TRY(close_state(r, &closed, error));
  *last = closed ? (rejected_step){0} : now;
  return TR_OK;
}

// Where a drive makes velocities jump explicit methods hold the positions, and velocities swing about what they should be
// with little damping or none, or come back no faster than fixed gains let them. So after a step that had to be far
// shorter than one before, velocities are looked at: if they are open by what would be felt in a step as short, the method
// begins anew from consistent ones.
static tr_status settle(tr_run *r, double h, tr_error *error) {
  tr_start_info info = {0};
  if (h > SHORTER * r->fallen || r->sys->nc == 0 || !r->step->method->direct) return TR_OK;
  r->fallen *= 0.5; // the jump may be ahead still
  tr_state_copy(&r->next, &r->x);
  tr_kkt counts = r->step->kkt;
  r->projector.again = true;
  tr_status status = tr_project(&r->projector, &r->next, &info, NULL);
  r->projector.kkt->mask = counts.mask;
  r->step->newton.valid = false;
  if (status == TR_NO_MEMORY) return tr_no_memory(error);
  if (status != TR_OK || h * info.moved_v < LEAST_OPEN * r->settings.control.tol) return TR_OK;
  return tr_run_begin(r, false, false, error);
}

// Times so late that no step moves them on which is short enough.
static tr_status too_late(double way, double t, double least, tr_error *error) {
  return tr_fail(error, TR_BAD_INPUT, NULL,
                 "%.3g s are lost in the round-off of times up to %g s: no step below %.2g s is "
                 "taken there",
                 way, t, least);
}

// Where accelerations and velocities across the constraints alternate, and little damping does not see to it: they are
// put where the constraints have them. What is published knows nothing of it.
static tr_status calm(tr_run *r) {
  if (!r->step->ringing || r->settings.control.rule == TR_CONTROL_GNP05) return TR_OK;
  r->step->ringing = r->current = false;
  tr_status status = tr_calm(&r->projector, &r->x, r->step->mean_a);
  return status < 0 ? status : TR_OK;
}

// Tries until a step is good enough; it then stands in r->next.
static tr_status find_step(tr_run *r, double t, double *taken, tr_error *error) {
  double least = r->settings.control.min_step;
  if (!(least > 0)) least = LEAST_STEP * fmax(fabs(r->x.t), fmax(r->settings.end, t));
  if (!(r->h > 0)) r->h = first_step(r, t - r->x.t);
  tr_status status = TR_OK;
  int worst = 0, leaps = 0;
  int most_leaps = r->settings.control.rule == TR_CONTROL_GNP05 ? 0 : MOST_LEAPS;
  rejected_step last = {0};
  double tried = 0;
  for (bool rejected = false;; rejected = true) {
    bool last_one = rejected && r->h < least; // the smallest has been tried
    if (last_one && !(r->settings.control.min_step > 0) && least > first_step(r, INFINITY))
      return too_late(r->h, t, least, error);
    if (last_one)
      return status != TR_OK ? tr_run_explain(r, status, least, error)
                             : tr_run_collapse(r, worst, least, error);
    TR_TRY(tr_instants_pass(r, error));
    r->h = fmax(r->h, least);
    double h = fit(r, t, least);
    if (r->sys->changes) TR_TRY(tr_run_change(r, h, error));
    if (!rejected) TR_TRY(stretch(r, h, error));
    if (!rejected) tried = h;
    status = tr_run_try(r, h, error);
    if (status < 0) return status;
    if (status > 0) {
      r->info.rejected++, r->info.newton_failures++;
      beware(r, h);
      r->h = tr_instants_look(r, h) ? h : smaller(h, 0.25 * h, least);
      r->step->newton.valid = false;
      TR_TRY(doubt_state(r, (rejected_step){h, INFINITY}, &last, error));
      continue;
    }
    // a pole that a step jumps over is met by shorter ones; a drive may have a kink
    if (leaps < most_leaps && h > least && tr_run_leapt(r, h)) {
      r->info.rejected++, leaps++;
      r->h = tr_instants_look(r, h) ? h : smaller(h, 0.25 * h, least);
      continue;
    }
    double e = tr_step_error(r->step, &r->x, h, &r->next, r->settings.control.velocities, &worst) /
               r->settings.control.tol;
    const tr_method *m = r->step->method;
    if (e <= 1) e = fmax(e, tr_multipliers_error(r) / r->settings.control.tol);
    bool passes = e <= 1;
    if (passes) e = tr_inside_error(r, h, e);
    double wish = m->choose ? m->choose(r->step, h, e)
                  : e <= 1  ? next_step(r, h, e)
                            : shorter_step(r, h, e);
    if (e <= 1) {
      wish = tr_inside_next(r, h, below_failures(r, h, wish));
      // a step cut short by t says nothing against the longer one
      r->h = h < 0.999 * r->h ? fmax(wish, r->h) : wish;
      r->last_error = fmax(e, 1e-4);
      if (h > 0.5 * r->fallen) r->fallen = 0;
      *taken = h;
      if (rejected) tr_run_watch_cut(r, tried, h);
      return TR_OK;
    }
    r->info.rejected++;
    r->fallen = fmax(r->fallen, h);
    if (passes) wish = tr_inside_shorter(r, h, wish);
    if (m->choose && !passes) beware(r, h);
    r->h = tr_instants_look(r, h) ? h : smaller(h, wish, least);
    bool renewed;
    if (tr_run_renew(r, true, &renewed) != TR_OK) return tr_no_memory(error);
    TR_TRY(doubt_state(r, (rejected_step){h, e}, &last, error));
  }
}

tr_status tr_control_walk(tr_run *r, double t, tr_error *error) {
  double end = isnan(t) ? r->settings.end : t, mark = r->x.t;
  double near = LEAST_STEP * fmax(fabs(end), fabs(r->x.t)), way = end - r->x.t;
  if (way > 0 && way <= near && way > first_step(r, INFINITY))
    return too_late(way, end, near, error);
  long rejected = r->info.rejected;
  int stalled = 0; // so many steps, times in a row
  while (r->x.t < end - near) {
    double before = tr_run_clock(r), h = 0;
    bool quiet = tr_instants_next(r) >= end; // nothing is known to wake what is at rest
    if (quiet && tr_run_too_short(r, end - r->x.t, r->h)) {
      TR_TRY(tr_run_coast(r, end, error));
      TR_TRY(tr_run_look(r, error));
      break;
    }
    TR_TRY(find_step(r, end, &h, error));
    double t1 = r->x.t + h;
    double instant = tr_instants_next(r), wish = r->h;
    if (fabs(t1 - end) <= near)
      t1 = end;
    else if (fabs(t1 - instant) <= near)
      t1 = instant;
    tr_run_accept(r, t1, true);
    tr_multipliers_accept(r);
    TR_TRY(tr_run_after_brief(r, error));
    r->h = wish;
    tr_run_time(r, before);
    double speed = vec_largest(r->x.v, r->sys->nv);
    r->growing = speed > r->last_speed && speed < 2 * r->last_speed ? r->growing + 1 : 0;
    r->last_speed = speed;
    if (tr_run_jams(r, h, error)) return TR_FAILED;
    if (h < FEEBLE * (r->settings.end - r->first_t) && tr_run_runaway(r, error)) return TR_FAILED;
    if (r->info.steps % STALLED_STEPS == 0) {
      bool many = r->info.rejected - rejected > STALLED_STEPS / 40;
      bool slow = r->x.t - mark < STALLED * (end - mark);
      if (slow && !r->step->method->direct && tr_run_tell_astray(r, error)) return TR_FAILED;
      stalled = slow ? stalled + many : 0;
      if (stalled >= STALLED_TIMES) TR_TRY(tr_run_stall(r, h, error));
      mark = r->x.t, rejected = r->info.rejected;
    }
    TR_TRY(tr_run_look(r, error));
    TR_TRY(settle(r, h, error));
    if (calm(r) != TR_OK) return tr_no_memory(error);
    if (isnan(t)) break;
  }
  return TR_OK;
}
