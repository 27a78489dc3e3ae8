// SPDX-License-Identifier: Apache-2.0
// What events do to a state: parameters, joints, impacts; in this order, each in the order of the model.
//
// An impact turns the rate of its expression, c = n v + g_t, into -e c by an impulse along its gradient n
// that keeps every constraint:
//   [M G'; G 0] (z, .) = (n, 0),   v <- v - (1 + e) c/(n.z) z
// Several that approach at once are struck at once, in no order: with W_ij = n_i.z_j and c < 0 where they approach,
//   v <- v + sum p_i z_i,   p >= 0,   W p >= -(1 + e) c,   one of them an equality:
// none pulls, and where one acts it turns its own rate. The energy changes by sum p (1 - e) c/2 <= 0. Those that come to
// approach by it are struck next, until none does: a blow passes through a row of balls. So are those that approach
// next to nothing compared with others, by the energy that it would take to stop them. Where blows go on without end, to and fro in
// a row, those left when they are next to nothing, or after very many, are struck at once without rebound, with all
// that touch: W p >= -c for any c, the least change of v by which none approaches.
//
// Impacts ever faster never end. When the next would be nothing compared with the largest, or follow at
// once, or be slower than the model's `rest`, this one has no rebound and joints take over; without
// such joints the run cannot go on, unless nothing presses: balls that merely touch.
#include <math.h>
#include <string.h>

#include "events.h"

static const double SOON = 1e-9;
static const double LEAST = 1e-28; // of the largest energy of the instant: round-off
enum { MOST_ROUNDS = 1000 };

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

// How velocities answer to an impulse along its expression: normal and z (nv), n.z over what it might be at most.
static tr_status find_answer(tr_run *r, int k, double *normal, double *z, double *answer,
                             bool *held) {
  double along = 0, size = 0, sum = 0;
  tr_event_slope(r->work, k, r->x.a, normal);
  tr_status status = tr_solve_impulse(&r->projector, &r->x, normal, z);
  for (int i = 0; i < r->sys->nv; i++) {
    normal[i] *= way_of(r, k), z[i] *= way_of(r, k);
    sum += normal[i] * z[i];
    along = fmax(along, fabs(normal[i])), size = fmax(size, fabs(z[i]));
  }
  *answer = sum, *held = !(sum > 1e-12 * along * size);
  return status;
}

bool tr_contact_held(tr_run *r, int k) {
  double answer;
  bool held = false;
  if (tr_blows_room(&r->blows, 1, r->sys->nv, r->sys->al) != TR_OK) return false;
  double *normal = tr_blow_normal(&r->blows, r->sys->nv, 0);
  place(r);
  return find_answer(r, k, normal, normal + r->sys->nv, &answer, &held) == TR_OK && held;
}

// One more of those that are struck at once: how the velocities answer to it.
static tr_status add_blow(tr_run *r, int k, double e, double c, tr_error *error) {
  int nv = r->sys->nv, n = r->blows.n;
  if (tr_blows_room(&r->blows, n + 1, nv, r->sys->al) != TR_OK) return tr_no_memory(error);
  double *normal = tr_blow_normal(&r->blows, nv, n), *z = normal + nv;
  double answer;
  bool held;
  if (find_answer(r, k, normal, z, &answer, &held) != TR_OK || held)
    return tr_fail(error, TR_FAILED, NULL,
                   "event \"%s\" at t = %.9g s: the joints let nothing move along its expression, "
                   "so there is no impact",
                   r->sys->event[k].e.name, r->x.t);
  r->blows.blow[n] = (tr_blow){.e = e, .approach = c, .answer = answer};
  r->blows.n++;
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
                   e->name, r->x.t, fabs(c), w->most_rate);
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

// The approach of the two sides, > 0, at the state placed.
static tr_status approach(tr_run *r, int k, double *c, tr_error *error) {
  *c = -way_of(r, k) * tr_event_slope(r->work, k, r->x.a, NULL);
  if (isfinite(*c)) return TR_OK;
  return tr_fail(error, TR_FAILED, &plan_of(r, k)->when_place,
                 "event \"%s\": the rate of its expression is not a finite number (%g) at t = "
                 "%.9g s: no impact can turn it",
                 plan_of(r, k)->name, fabs(*c), r->x.t);
}

// In touch, and struck by the blows of others: it happens with them. One that does more than that has its own turn.
static bool is_drawn_in(const tr_run *r, int k) {
  const tr_plan_event *e = plan_of(r, k);
  const tr_watch *w = &r->watch[k];
  return !w->spent && !w->settled && e->nset == 0 && e->nunlock == 0 && w->side == way_of(r, k) &&
         fabs(w->g) <= nothing(r, k);
}

// Drawn in by blows of the round, with approach c: for the first time in this instant. Without joints to settle on
// it may go on, as long as nothing presses.
static tr_status draw_in(tr_run *r, int k, int round, double c, tr_error *error) {
  tr_watch *w = &r->watch[k];
  w->fires = true, w->over = -way_of(r, k), w->turn = round;
  bool last = !w->fired && plan_of(r, k)->nsettle > 0 && is_last(r, k, c);
  return last ? settle(r, k, c, error) : TR_OK;
}

// One that approaches by c after the blows of others, or its own.
static tr_status strike_later(tr_run *r, int k, int round, double c, double most, tr_error *error) {
  tr_watch *w = &r->watch[k];
  double e = plan_of(r, k)->par.restitution;
  if (!(c > 0)) return TR_OK;
  TR_TRY(add_blow(r, k, w->settled ? 0 : e, c, error));
  tr_blow *x = &r->blows.blow[r->blows.n - 1];
  if (!(tr_blow_energy(x) > LEAST * most)) return r->blows.n--, TR_OK;
  if (w->fires || !(tr_blow_energy(x) > NOTHING * NOTHING * most)) return TR_OK;
  w->most_rate = fmax(w->most_rate, c);
  TR_TRY(draw_in(r, k, round, c, error));
  x->e = w->settled ? 0 : e;
  return TR_OK;
}

// Whether the blow just added, without rebound, leaves it pressed: it would come nearer by more than nothing within the
// run. Uses r->next.
static bool presses(tr_run *r, int k) {
  const tr_blow *x = &r->blows.blow[r->blows.n - 1];
  const double *z = tr_blow_normal(&r->blows, r->sys->nv, r->blows.n - 1) + r->sys->nv;
  tr_state *y = &r->next;
  tr_state_copy(y, &r->x);
  for (int i = 0; i < r->sys->nv; i++) y->v[i] += z[i] * x->approach / x->answer;
  if (tr_solve_accelerations(&r->projector, y, y->a, y->lam) != TR_OK) return true;
  tr_kinematics(r->work, y->t, y->q, y->v, y->mem, TR_AT_BIAS);
  double gained = -way_of(r, k) * tr_event_bend(r->work, k, y->a) * (r->settings.end - r->first_t);
  return !(gained <= NOTHING * r->watch[k].most_rate);
}

// The last of many, or it would be, but nothing is there to settle on and nothing presses.
static tr_status find_last(tr_run *r, int k, double c, bool *last, tr_error *error) {
  *last = is_last(r, k, c);
  if (!*last || plan_of(r, k)->nsettle > 0 || follows_at_once(r, k)) return TR_OK;
  TR_TRY(add_blow(r, k, 0, c, error));
  *last = presses(r, k);
  r->blows.n--;
  place(r);
  return TR_OK;
}

static tr_status strike_first(tr_run *r, int k, double c, tr_error *error) {
  tr_watch *w = &r->watch[k];
  bool last;
  if (brushes(r, k, c)) return w->what = "brushes", TR_OK;
  TR_TRY(find_last(r, k, c, &last, error));
  if (last) TR_TRY(settle(r, k, c, error));
  if (!(c > 0 && (last || c > 1e-14 * w->most_rate))) return TR_OK;
  return add_blow(r, k, w->settled ? 0 : plan_of(r, k)->par.restitution, c, error);
}

// Those that approach; most: the energy of the largest blow so far in this instant.
static tr_status gather(tr_run *r, int round, double most, tr_error *error) {
  r->blows.n = 0;
  for (int k = 0; k < r->sys->nevent; k++) {
    double c;
    if (!is_contact(r, k) || !(r->watch[k].fires || (round > 0 && is_drawn_in(r, k)))) continue;
    place(r);
    TR_TRY(approach(r, k, &c, error));
    TR_TRY(round == 0 ? strike_first(r, k, c, error) : strike_later(r, k, round, c, most, error));
  }
  return TR_OK;
}

// Blows that go on without end, ever smaller: all that touch, at once and without rebound, until none approaches.
static tr_status finish(tr_run *r, tr_error *error) {
  r->blows.n = 0;
  for (int k = 0; k < r->sys->nevent; k++) {
    double c;
    if (!is_contact(r, k) || !(r->watch[k].fires || is_drawn_in(r, k))) continue;
    place(r);
    TR_TRY(approach(r, k, &c, error));
    tr_status status = add_blow(r, k, 0, c, c > 0 ? error : NULL); // one that is held needs none
    if (status == TR_NO_MEMORY) return tr_no_memory(error);
    if (status != TR_OK && c > 0) return status;
  }
  tr_blows_strike(&r->blows, r->sys->nv, true, r->x.v);
  return TR_OK;
}

static tr_status impacts(tr_run *r, tr_error *error) {
  double most = 0;
  for (int round = 0; round < MOST_ROUNDS; round++) {
    double now = 0;
    TR_TRY(gather(r, round, most, error));
    for (int i = 0; i < r->blows.n; i++) now = fmax(now, tr_blow_energy(&r->blows.blow[i]));
    if (r->blows.n == 0) return TR_OK;
    if (round > 0 && now <= NOTHING * NOTHING * most) break;
    most = fmax(most, now);
    tr_blows_strike(&r->blows, r->sys->nv, false, r->x.v);
  }
  return finish(r, error);
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
  bool at_rest;
  tr_status status = tr_find_dead_centre(&r->projector, &r->x, &row, &at_rest);
  if (status < 0) return tr_no_memory(error);
  if (status != TR_OK || row < 0) return TR_OK;
  const char *kind, *name = tr_row_owner(r->sys, row, &kind), *event = "";
  for (int k = 0; k < r->sys->nevent; k++)
    if (r->watch[k].fires) event = plan_of(r, k)->name;
  return tr_fail(
      error, TR_FAILED, NULL,
      "event \"%s\" at t = %.9g s: %s \"%s\" would hold from a dead centre on, where %s; "
      "lock it elsewhere",
      event, r->x.t, kind, name,
      at_rest ? "no finite reaction bears the load"
              : "it does not stop what moves and does not let it go on");
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
  TR_TRY(begin(r, error));
  tr_instants_learn(r);
  return TR_OK;
}
