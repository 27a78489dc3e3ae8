// SPDX-License-Identifier: Apache-2.0
// What the outside sees of a run: the audit of its states (constraint violation, energy), a and lam computed anew where the
// method's are not for output, and the observers, of every step, at samples in between, and at events.
#include <math.h>

#include "base/subnormal.h"
#include "driver.h"

static const double FALL_FADE =
    0.25; // of what the energy lost is forgotten, with each step as long as the longest so far

// ---- the state --------------------------------------------------------------------------------------

// Room for a and lam of the outside, and a matrix for them, so that the step's stays good.
tr_status tr_run_make_shown(tr_run *r, tr_error *error) {
  if (r->shown.block) return TR_OK;
  TR_TRY(tr_state_new(r->sys, &r->shown, error));
  if (tr_kkt_make(&r->arena, &r->sys->pattern, &r->kkt) != TR_OK) return tr_no_memory(error);
  r->kkt.mask = r->projector.kkt->mask, r->kkt.team = r->team;
  r->projector.kkt = &r->kkt;
  return TR_OK;
}

tr_status tr_run_refresh(tr_run *r, tr_error *error) {
  if (!r->recompute || r->current) return TR_OK;
  tr_state_copy(&r->shown, &r->x);
  tr_status status = TR_OK;
  if (r->fresh) status = tr_solve_accelerations(&r->projector, &r->x, r->shown.a, r->shown.lam);
  if (status == TR_OK && r->settings.redundant == TR_REDUNDANT_LEAST_NORM)
    status = tr_spread_multipliers(&r->projector, &r->x, r->shown.lam);
  if (status > 0 && r->step->method->direct)
    return tr_run_explain(r, status, r->step->last_h > 0 ? r->step->last_h : r->settings.step,
                          error);
  if (status != TR_OK)
    return tr_fail(error, TR_FAILED, NULL, "accelerations and multipliers at t = %.9g s: %s",
                   r->x.t, tr_status_text(status));
  r->current = true;
  return TR_OK;
}

const tr_state *tr_run_state(const tr_run *r) { return r->current ? &r->shown : &r->x; }

// ---- audit ------------------------------------------------------------------------------------------

// What the energy gained since the run began, and what it loses within a few steps.
static void watch_energy(tr_run *r, double energy) {
  bool begins = isnan(r->energy);
  double way = fmin((r->x.t - r->energy_t) / r->info.largest_step, 1);
  if (begins) r->energy1 = energy;
  r->gain = fmax(r->gain, energy - r->energy1);
  r->falls = begins ? 0 : (1 - FALL_FADE * way) * r->falls + r->energy - energy;
  r->energy = energy, r->energy_t = r->x.t;
  if (r->falls > r->fall) r->fall = r->falls, r->fall_t = r->x.t;
}

void tr_run_audit(tr_run *r, bool first) {
  tr_work *w = r->work;
  const tr_state *x = &r->x;
  double T, V, *phi = w->x;
  int nc = r->sys->nc;
  tr_kinematics(w, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_energy(w, &T, &V);
  if (first) r->info.energy0 = T + V;
  watch_energy(r, T + V);
  r->most_kinetic = fmax(r->most_kinetic, T);
  r->info.max_energy_change = fmax(r->info.max_energy_change, fabs(T + V - r->info.energy0));
  if (nc == 0) return;
  tr_forces(w, NULL, NULL, phi);
  tr_clear_velocity_rows(r->sys, phi);
  double size = vec_norm(phi, nc);
  r->info.max_phi = fmax(r->info.max_phi, size);
  r->phi_sum += r->phi_last;
  r->phi_last = first ? 0 : size;
  tr_rates(w, phi);
  r->info.max_phi_v = fmax(r->info.max_phi_v, vec_norm(phi, nc));
}

// ---- observers --------------------------------------------------------------------------------------

// The multiple of its spacing that an observer sees next.
void tr_run_set_due(tr_run *r, int i) {
  double spacing = r->observer[i]->spacing;
  if (spacing > 0) r->due[i] = (long)floor(r->x.t / spacing + 1e-9) + 1;
}

tr_status tr_run_observe(tr_run *r, tr_observer *observer) {
  if (r->observers == TR_MAX_OBSERVERS || !observer || !observer->step) return TR_BAD_INPUT;
  if (observer->spacing > 0 && !r->sampling) TR_TRY(tr_dense_make(r, NULL));
  r->observer[r->observers++] = observer;
  tr_run_set_due(r, r->observers - 1);
  return TR_OK;
}

static tr_status call(tr_run *r, int i, const tr_state *x, const tr_run_info *info,
                      tr_error *error) {
  tr_flush_take(r->outside);
  tr_status status = r->observer[i]->step(r->observer[i], x, info);
  tr_flush_take(TR_FLUSH);
  if (status == TR_OK || status == TR_STOPPED) return status;
  return tr_fail(error, status, NULL, "an observer ended the run at t = %g s: %s", x->t,
                 tr_status_text(status));
}

// The multiples of an observer's spacing inside the last step up to t; the end itself if it is one,
// unless an event is there: that one is shown anyway.
static tr_status call_sampled(tr_run *r, int i, double t, bool event, const tr_run_info *info,
                              tr_error *error) {
  double spacing = r->observer[i]->spacing, near = 1e-9 * spacing;
  for (double at; (at = (double)r->due[i] * spacing) <= t + near; r->due[i]++) {
    bool here = fabs(at - r->x.t) <= near;
    if (event && fabs(at - t) <= near) continue;
    TR_TRY(call(r, i, here ? tr_run_state(r) : tr_dense_at(r, at), info, error));
  }
  return TR_OK;
}

// Once, for all observers that read a and lam.
static tr_status refresh_for_observers(tr_run *r, tr_error *error) {
  bool needed = false;
  for (int i = 0; i < r->observers; i++) needed |= !r->observer[i]->motion_only;
  return needed ? tr_run_refresh(r, error) : TR_OK;
}

static tr_status show(tr_run *r, tr_error *error) {
  TR_TRY(refresh_for_observers(r, error));
  tr_run_info info = tr_run_describe(r);
  for (int i = 0; i < r->observers; i++)
    TR_TRY(r->observer[i]->spacing > 0 && !info.at_event
               ? call_sampled(r, i, r->x.t, false, &info, error)
               : call(r, i, tr_run_state(r), &info, error));
  return TR_OK;
}

tr_status tr_run_tell(tr_run *r, const tr_state *x, tr_error *error) {
  if (r->observers == 0) return TR_OK;
  if (!x) TR_TRY(refresh_for_observers(r, error));
  r->info.at_event = true;
  tr_run_info info = tr_run_describe(r);
  r->info.at_event = false;
  for (int i = 0; i < r->observers; i++)
    if (x || r->observer[i]->spacing > 0) TR_TRY(call(r, i, x ? x : tr_run_state(r), &info, error));
  return TR_OK;
}

tr_status tr_run_serve(tr_run *r, double t, tr_error *error) {
  TR_TRY(refresh_for_observers(r, error));
  tr_run_info info = tr_run_describe(r);
  for (int i = 0; i < r->observers; i++)
    if (r->observer[i]->spacing > 0) TR_TRY(call_sampled(r, i, t, true, &info, error));
  return TR_OK;
}

// The start is shown to all.
tr_status tr_run_show_start(tr_run *r, tr_error *error) {
  r->observed = true;
  if (r->observers == 0) return TR_OK;
  TR_TRY(refresh_for_observers(r, error));
  tr_run_info info = tr_run_describe(r);
  for (int i = 0; i < r->observers; i++) TR_TRY(call(r, i, tr_run_state(r), &info, error));
  return TR_OK;
}

tr_status tr_run_show(tr_run *r, tr_error *error) {
  if (r->settings.audit) tr_run_audit(r, false);
  return r->observers > 0 ? show(r, error) : TR_OK;
}

tr_status tr_run_look_closely(tr_run *r, tr_error *error) {
  bool happened = false;
  if (r->sys->nevent > 0) TR_TRY(tr_events_look(r, &happened, error));
  return happened ? TR_OK : tr_run_show(r, error);
}
