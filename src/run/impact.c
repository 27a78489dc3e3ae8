// SPDX-License-Identifier: Apache-2.0
// What events do to a state: parameters, joints, impacts; in this order, each in the order of the model.
//
// An impact turns the rate of its expression, c = n v + g_t, into -e c by an impulse along its gradient n
// that keeps every constraint:
//   [M G'; G 0] (z, .) = (n, 0),   v <- v - (1 + e) c/(n.z) z
// Several at once are dealt with one after the other, again and again, until none approaches: a blow
// passes through a row of balls.
//
// Impacts ever faster never end. When the next would be nothing compared with the largest, or follow at
// once, or be slower than the model's `rest`, this one has no rebound and joints take over; without
// such joints the run cannot go on.
#include <math.h>
#include <string.h>

#include "driver.h"

static const double NOTHING = 1e-9, SOON = 1e-9;
enum { MOST_PASSES = 1000 };

static const tr_plan_event *plan_of(const tr_run *r, int k) { return r->sys->event[k].plan; }

static void place(tr_run *r) {
  const tr_state *x = &r->x;
  tr_kinematics(r->work, x->t, x->q, x->v, x->mem, TR_AT_BIAS);
}

static tr_status set_parameters(tr_run *r, int k, tr_error *error) {
  const tr_plan_event *e = plan_of(r, k);
  place(r);
  for (int i = 0; i < e->nset; i++) {
    double value = tr_event_set_value(r->work, k, i);
    if (!isfinite(value))
      return tr_fail(error, TR_FAILED, &e->place,
                     "event \"%s\" at t = %.9g s: sets \"%s\" to what is not a finite number (%g)",
                     e->name, r->x.t, r->sys->plan.switched[e->set[i].k].name, fabs(value));
    r->x.mem[r->sys->switched_mem + e->set[i].k] = value;
  }
  return TR_OK;
}

static void lock(tr_run *r, int n, const int *joint, bool on) {
  place(r);
  for (int i = 0; i < n; i++) tr_joint_lock(r->work, joint[i], on, r->x.mem);
}

// The approach of the two sides, > 0; its gradient in r->normal.
static double approach(tr_run *r, int k) {
  place(r);
  double rate = tr_event_slope(r->work, k, r->x.a, r->normal);
  return plan_of(r, k)->par.direction == TR_CROSS_FALLING ? -rate : rate;
}

static tr_status strike(tr_run *r, int k, double e, double c, tr_error *error) {
  int n = r->sys->nv;
  double *z = r->normal + n, answer = 0, along = 0, size = 0;
  double way = plan_of(r, k)->par.direction == TR_CROSS_FALLING ? 1 : -1;
  tr_status status = tr_solve_impulse(&r->projector, &r->x, r->normal, z);
  for (int i = 0; i < n; i++) {
    answer += r->normal[i] * z[i];
    along = fmax(along, fabs(r->normal[i])), size = fmax(size, fabs(z[i]));
  }
  if (status != TR_OK || !(answer > 1e-12 * along * size))
    return tr_fail(error, TR_FAILED, NULL,
                   "event \"%s\" at t = %.9g s: the joints let nothing move along its expression, "
                   "so there is no impact",
                   r->sys->event[k].e.name, r->x.t);
  for (int i = 0; i < n; i++) r->x.v[i] += way * (1 + e) * c / answer * z[i];
  return TR_OK;
}

// This impact is the last of many.
static tr_status settle(tr_run *r, int k, double c, tr_error *error) {
  const tr_plan_event *e = plan_of(r, k);
  tr_watch *w = &r->watch[k];
  w->settled = true;
  w->what = "comes to rest";
  if (e->nsettle == 0)
    return tr_fail(error, TR_FAILED, NULL,
                   "event \"%s\" at t = %.9g s: the impacts have died away (this one at %.3g, the "
                   "largest at %.3g) and nothing carries from here on: name joints to \"settle\" "
                   "on, or end the run by then",
                   e->name, r->x.t, c, w->most_rate);
  return TR_OK;
}

static bool follows_at_once(const tr_run *r, int k) {
  return r->x.t - r->watch[k].last < SOON * (r->settings.end - r->first_t);
}

// Back already by its place, while its rate still leads away: since its last impact it rose no higher than the tolerance,
// which does not resolve that.
static bool is_lower_than_told(const tr_run *r, int k, double c) {
  const tr_watch *w = &r->watch[k];
  double tol = r->settings.control.tol * fmax(1, w->most_g);
  return plan_of(r, k)->nsettle > 0 && c < 0 && isfinite(w->last) && -c * (r->x.t - w->last) < tol;
}

static bool is_last(const tr_run *r, int k, double c) {
  if (is_lower_than_told(r, k, c)) return true;
  return plan_of(r, k)->par.restitution * c <= NOTHING * r->watch[k].most_rate ||
         c < tr_event_rest(r->sys, k) || follows_at_once(r, k);
}

// What comes no nearer needs no impact, and nothing that carries: a touch in passing, the first of all, or one where
// positions and velocities of a coarse step do not quite agree.
static bool brushes(const tr_run *r, int k, double c) {
  const tr_watch *w = &r->watch[k];
  double nothing = NOTHING * w->most_rate;
  if (c < -nothing) return !follows_at_once(r, k) && !is_lower_than_told(r, k, c);
  return w->last == -INFINITY && w->grazes && c <= nothing;
}

static tr_status impacts(tr_run *r, tr_error *error) {
  bool more = true;
  for (int pass = 0; more && pass < MOST_PASSES; pass++) {
    more = false;
    for (int k = 0; k < r->sys->nevent; k++) {
      double e = plan_of(r, k)->par.restitution;
      if (!r->watch[k].fires || isnan(e)) continue;
      double c = approach(r, k);
      if (!isfinite(c))
        return tr_fail(
            error, TR_FAILED, &plan_of(r, k)->when_place,
            "event \"%s\": the rate of its expression is not a finite number (%g) at t = "
            "%.9g s: no impact can turn it",
            plan_of(r, k)->name, fabs(c), r->x.t);
      if (pass == 0 && brushes(r, k, c)) {
        r->watch[k].what = "brushes";
        continue;
      }
      bool last = pass == 0 && is_last(r, k, c);
      if (c <= 1e-14 * r->watch[k].most_rate && !last) continue;
      if (c > 0) TR_TRY(strike(r, k, last || r->watch[k].settled ? 0 : e, c, error));
      if (last) TR_TRY(settle(r, k, c, error));
      more = true;
    }
  }
  return TR_OK;
}

// Where no consistent state follows: which events lead there.
static tr_status blame(const tr_run *r, tr_status status, tr_error *error) {
  for (int k = 0; status != TR_OK && status != TR_NO_MEMORY && k < r->sys->nevent; k++)
    if (r->watch[k].fires)
      tr_fail(error, status, &plan_of(r, k)->place,
              "event \"%s\" at t = %.9g s: no consistent state follows", plan_of(r, k)->name,
              r->x.t);
  return status;
}

static tr_status begin(tr_run *r, tr_error *error) {
  return blame(r, tr_run_begin(r, false, false, error), error);
}

// ---- joints that are to hold ----------------------------------------------------------------------

// Whether events that fire lock joints, and with `now` that they do.
static bool lock_all(tr_run *r, bool now) {
  bool any = false;
  for (int k = 0; k < r->sys->nevent; k++) {
    const tr_plan_event *e = plan_of(r, k);
    const tr_watch *w = &r->watch[k];
    if (!w->fires) continue;
    any = any || e->nlock > 0 || (w->settled && e->nsettle > 0);
    if (now && w->settled) lock(r, e->nsettle, e->settle, true);
    if (now) lock(r, e->nlock, e->lock, true);
  }
  return any;
}

static void exchange(tr_state *a, tr_state *b) {
  tr_state old = *a;
  *a = *b, *b = old;
}

// Positions onto all that holds; rows that say nothing new then hold where they are, lest they contradict
// the others in the last digits.
static tr_status put_on(tr_run *r, tr_error *error) {
  tr_state *x = &r->x;
  double *phi = r->work->x;
  const tr_redundancy *red = &r->projector.redundancy;
  bool follow = red->count > 0;
  memset(r->follows, 0, (size_t)r->sys->nc * sizeof *r->follows);
  for (int k = 0; k < red->count; k++) r->follows[red->row[k]] = true;
  r->projector.loose = follow ? r->follows : NULL;
  tr_status status = tr_project(&r->projector, x, NULL, error);
  r->projector.loose = NULL;
  if (status != TR_OK || !follow) return status;
  tr_kinematics(r->work, x->t, x->q, x->v, x->mem, TR_AT_POSITION);
  tr_forces(r->work, NULL, NULL, phi);
  tr_joints_give_way(r->sys, r->follows, phi, x->mem);
  return TR_OK;
}

// Joints that hold in r->x, where the others are closed, but allow no motion that goes on: names one.
static tr_status no_dead_centre(tr_run *r, tr_error *error) {
  int row;
  tr_status status = tr_find_dead_centre(&r->projector, &r->x, &row);
  if (status < 0) return tr_no_memory(error);
  if (status != TR_OK || row < 0) return TR_OK;
  const char *kind, *name = tr_row_owner(r->sys, row, &kind), *event = "";
  for (int k = 0; k < r->sys->nevent; k++)
    if (r->watch[k].fires) event = plan_of(r, k)->name;
  return tr_fail(error, TR_FAILED, NULL,
                 "event \"%s\" at t = %.9g s: %s \"%s\" would hold from a dead centre on, where it "
                 "does not stop what moves and does not let it go on; lock it elsewhere",
                 event, r->x.t, kind, name);
}

// Joints hold where the bodies are at the instant found, which dense output leaves open a little: which of
// their rows say something new shows once the other joints are closed. Where that instant is too far from
// any place that all of them allow, they hold where the bodies are with the others closed.
static tr_status lock_joints(tr_run *r, tr_error *error) {
  if (!lock_all(r, false)) return TR_OK;
  tr_error first = {0};
  tr_state_copy(&r->next, &r->x);
  r->projector.again = true;
  TR_TRY(blame(r, tr_project(&r->projector, &r->x, NULL, error), error));
  lock_all(r, true);
  tr_status status = tr_diagnose(&r->projector, &r->x);
  if (status < 0) return tr_no_memory(error);
  if (status == TR_OK) TR_TRY(no_dead_centre(r, error));
  exchange(&r->x, &r->next);
  lock_all(r, true);
  status = put_on(r, &first);
  if (status == TR_NO_MEMORY) return tr_no_memory(error);
  if (status != TR_OK) exchange(&r->x, &r->next);
  return TR_OK;
}

tr_status tr_events_act(tr_run *r, tr_error *error) {
  bool struck = false;
  for (int k = 0; k < r->sys->nevent; k++) {
    if (!r->watch[k].fires) continue;
    TR_TRY(set_parameters(r, k, error));
    lock(r, plan_of(r, k)->nunlock, plan_of(r, k)->unlock, false);
    struck = struck || !isnan(plan_of(r, k)->par.restitution);
  }
  if (struck) { // velocities on the constraints, without what has been let go
    TR_TRY(begin(r, error));
    TR_TRY(impacts(r, error));
  }
  TR_TRY(lock_joints(r, error));
  return begin(r, error);
}
