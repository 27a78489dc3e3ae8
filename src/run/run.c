// SPDX-License-Identifier: Apache-2.0
// The driver: from the start to the end, by fixed steps or under error control, observers after each.
//
// (1) A step that fails is not accepted: the run ends with the last good state and the reason.
// (2) The audit (constraint violation, energy) is not part of the stepping time: the process' CPU time
//     is shared out between the two by a wall clock.
#include "driver.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/subnormal.h"

enum { MOST_DIAGNOSES = 100 }; // of redundancy in one run

tr_run_settings tr_run_defaults(void) {
  return (tr_run_settings){
      .end = NAN,
      .step = NAN,
      .consistent_start = true,
      .audit = true,
      .threads = 1,
      .newton = {.tol = 1e-10, .max_iterations = 20, .predictor = TR_PREDICT_TREND, .reuse = true}};
}

// ---- life -----------------------------------------------------------------------------------------

// Whether fixed steps move on times up to t.
static tr_status check_times(const tr_run *r, double t, tr_error *error) {
  double far = fmax(fabs(t), fabs(r->x.t)), lost = DBL_EPSILON * far;
  if (r->settings.step >= lost) return TR_OK;
  return tr_fail(error, TR_BAD_INPUT, NULL,
                 "a step of %g s is lost in the round-off of times up to %g s: no step below %.2g "
                 "s moves them on",
                 r->settings.step, far, lost);
}

// Threads, if asked for and worth while.
static tr_status hire(tr_run *r, tr_error *error) {
  int threads = r->settings.threads != 0 ? r->settings.threads : tr_team_cores();
  tr_status status = tr_team_for(r->sys, threads, &r->team);
  r->info.threads = tr_team_size(r->team);
  if (status == TR_FAILED)
    return tr_fail(error, status, NULL, "the system does not give us %d threads", abs(threads));
  return status == TR_OK ? TR_OK : tr_no_memory(error);
}

static tr_status settle(tr_run *r, tr_error *error) {
  tr_simulation sim = tr_system_simulation(r->sys);
  tr_run_settings *s = &r->settings;
  if (isnan(s->end)) s->end = sim.end;
  if (isnan(s->step)) s->step = sim.step;
  bool model_method = !s->method && sim.method;
  if (!s->method) s->method = sim.method ? sim.method : "hht-i3";
  if (isnan(s->end)) tr_fail(error, TR_BAD_INPUT, NULL, "no end time: give simulation: end");
  bool fixed = !(s->control.tol > 0);
  if (fixed && isnan(s->step))
    tr_fail(error, TR_BAD_INPUT, NULL, "no step size: give simulation: step, or a tolerance");
  if (isnan(s->end) || (fixed && isnan(s->step))) return TR_BAD_INPUT;
  if (fixed && (!(s->step > 0) || isinf(s->step)))
    return tr_fail(error, TR_BAD_INPUT, NULL, "the step size must be positive, not %g", s->step);
  if (fixed && s->end > r->x.t) TR_TRY(check_times(r, s->end, error));
  if (!(s->end >= r->x.t) || isinf(s->end))
    return tr_fail(error, TR_BAD_INPUT, NULL, "the end, t = %g s, lies before the start, t = %g s",
                   s->end, r->x.t);
  if (s->newton.max_iterations < 1 || s->newton.fixed_iterations < 0 || !(s->newton.tol > 0))
    return tr_fail(error, TR_BAD_INPUT, NULL, "the Newton settings make no sense");
  const tr_method *method;
  void *par;
  TR_TRY(model_method ? tr_method_of_model(&r->arena, r->sys, &method, &par, error)
                      : tr_method_parse(&r->arena, s->method, &method, &par, error));
  if (method->direct && s->newton.fixed_iterations > 0)
    return tr_fail(error, TR_BAD_INPUT, NULL,
                   "method %s does not iterate: there are no Newton iterations to count",
                   method->info.name);
  r->info.method = tr_method_text(&r->arena, method, par);
  if (!r->info.method) return tr_no_memory(error);
  r->info.end = s->end, r->info.step = s->step, r->info.tol = s->control.tol;
  bool alternates = method->alternates && method->alternates(par);
  bool rings = !fixed && ((method->rings && method->rings(par)) ||
                          (method->undamped && method->undamped(par)));
  bool watched = !fixed && s->control.multipliers;
  r->fresh = s->recompute || method->recompute || alternates || rings || watched;
  TR_TRY(hire(r, error));
  TR_TRY(tr_step_new(r->sys, method, par, &s->newton, r->team, &r->step, error));
  if (!fixed && tr_estimate_make(r->step) != TR_OK) return tr_no_memory(error);
  if (watched) TR_TRY(tr_multipliers_make(r, error));
  bool published = !fixed && s->control.rule == TR_CONTROL_GNP05;
  for (int i = 0; published && i < r->sys->nv; i++) r->step->most_scale[i] = INFINITY;
  return tr_control_check(r, error);
}

// A caller's state: of this system, and of finite numbers.
static tr_status check_state(const tr_run *r, const tr_state *x, tr_error *error) {
  if (x->bytes != r->x.bytes)
    return tr_fail(error, TR_BAD_INPUT, NULL, "the state is of another system");
  if (!isfinite(x->t)) return tr_fail(error, TR_BAD_INPUT, NULL, "the state has no finite time");
  for (int i = 0; i < r->sys->nbody; i++) {
    const sys_body *b = &r->sys->body[i];
    bool finite = vec_finite(x->q + b->q, b->nq) && vec_finite(x->v + b->v, b->nv);
    if (!finite)
      return tr_fail(error, TR_BAD_INPUT, NULL,
                     "%s \"%s\": the state has coordinates or velocities that are not finite",
                     r->sys->number[b->v] ? b->type->name : "body", b->name);
  }
  if (!vec_finite(x->mem, r->sys->nmem))
    return tr_fail(error, TR_BAD_INPUT, NULL, "the state has memories that are not finite");
  return TR_OK;
}

static tr_status start(tr_run *r, const tr_state *x, tr_error *error) {
  TR_TRY(tr_state_new(r->sys, &r->x, error));
  TR_TRY(tr_state_new(r->sys, &r->next, error));
  if (x) TR_TRY(check_state(r, x, error));
  if (x) tr_state_copy(&r->x, x);
  r->given = x;
  TR_TRY(settle(r, error));
  r->work = r->step->work;
  r->projector = (tr_projector){.sys = r->sys,
                                .work = r->work,
                                .kkt = &r->step->kkt,
                                .r = r->step->newton.r, // free between steps
                                .again_and_again = r->sys->nevent > 0,
                                .arena = &r->arena};
  r->first_t = r->x.t, r->closed_t = r->kept_t = r->coast_t = NAN;
  r->extent = fmax(1, vec_largest(r->x.q, r->sys->nq));
  if (r->settings.control.tol > 0) TR_TRY(tr_arms_make(r, error));
  if (r->settings.control.tol > 0) TR_TRY(tr_instants_make(r, error));
  if (r->settings.control.tol > 0) TR_TRY(tr_inside_make(r, error));
  if (r->step->method->passes_jumps) TR_TRY(tr_swing_make(r, error));
  if (r->sys->nevent > 0) TR_TRY(tr_events_make(r, error));
  if (r->sys->nevent > 0) TR_TRY(tr_lengths_make(r, error));
  return tr_run_begin(r, true, !x, error);
}

static tr_status restart(tr_run *r, const tr_state *x, tr_error *error) {
  TR_TRY(tr_lengths_make(r, error));
  tr_state *old = &r->beside;
  tr_state_copy(old, &r->x);
  // x may be the run's own state as seen from outside
  if (x && x->block != r->x.block) tr_state_copy(&r->x, x);
  tr_instants_reset(r);
  r->energy = NAN; // the caller's
  tr_status status = tr_run_begin(r, false, false, error);
  if (status != TR_OK) { // nothing begins there: back
    tr_state_copy(&r->x, old);
    tr_instants_reset(r);
    tr_run_begin(r, false, false, NULL);
  }
  for (int i = 0; i < r->observers; i++) tr_run_set_due(r, i);
  tr_run_take_speed(r);
  tr_status events = tr_events_reset(r, status == TR_OK ? error : NULL);
  return status == TR_OK ? events : status;
}

tr_status tr_run_restart(tr_run *r, const tr_state *x, tr_error *error) {
  if (x) TR_TRY(check_state(r, x, error));
  r->outside = tr_flush_begin();
  tr_status status = restart(r, x, error);
  tr_flush_take(r->outside);
  return status;
}

tr_status tr_run_new(const tr_system *sys, const tr_run_settings *settings, const tr_state *x,
                     tr_run **run, tr_error *error) {
  *run = NULL;
  tr_arena ar = tr_arena_make(sys->al);
  tr_run *r = TR_NEW(&ar, 1, tr_run);
  if (!r) return tr_no_memory(error);
  r->sys = sys;
  r->arena = ar;
  r->settings = settings ? *settings : tr_run_defaults();
  r->info.warnings = "";
  r->outside = tr_flush_begin();
  tr_status status = start(r, x, error);
  tr_flush_take(r->outside);
  if (status != TR_OK) {
    tr_run_free(r);
    return status;
  }
  *run = r;
  return TR_OK;
}

void tr_run_free(tr_run *r) {
  if (!r) return;
  tr_step_free(r->step);
  tr_state_free(r->sys, &r->x);
  tr_state_free(r->sys, &r->next);
  tr_state_free(r->sys, &r->beside);
  tr_state_free(r->sys, &r->shown);
  tr_state_free(r->sys, &r->before);
  tr_state_free(r->sys, &r->sample);
  tr_swing_free(r);
  tr_instants_free(r);
  tr_resize(r->sys->al, r->record, 0);
  tr_blows_free(&r->blows, r->sys->al);
  if (r->projector.sys) tr_projector_release(&r->projector);
  tr_kkt_free(&r->kkt);
  tr_kkt_free(&r->aside);
  tr_team_free(r->team);
  tr_arena arena = r->arena; // the run itself lives in it
  tr_arena_free(&arena);
}

// ---- stepping -------------------------------------------------------------------------------------

// Most steps are about as long as the last.
static void count_length(tr_run *r, double h) {
  tr_lengths *l = r->latest;
  if (l && h >= l->shortest && h < l->end) {
    l->n++;
    return;
  }
  int i = TR_LENGTH_1 + ilogb(h), k = i < 0 ? 0 : i < TR_LENGTHS ? i : TR_LENGTHS - 1;
  l = r->latest = &r->lengths[k];
  l->shortest = l->n++ > 0 ? fmin(l->shortest, h) : h;
  l->end = ldexp(1, k + 1 - TR_LENGTH_1);
}

void tr_run_accept(tr_run *r, double t1, bool by_method) {
  double h = t1 - r->x.t;
  r->next.t = t1;
  if (r->sampling) tr_dense_keep(r);
  if (by_method) tr_step_accept(r->step, &r->x, &r->next), r->coast_t = NAN;
  tr_state old = r->x;
  r->x = r->next;
  r->next = old;
  r->current = r->looked = false;
  if (r->sys->remembers) {
    tr_kinematics(r->work, r->x.t, r->x.q, r->x.v, r->x.mem, TR_AT_VELOCITY);
    tr_accept(r->work, r->x.mem);
  }
  if (by_method) {
    r->info.smallest_step = r->info.smallest_step > 0 ? min2(r->info.smallest_step, h) : h;
    count_length(r, h);
  }
  r->info.largest_step = max2(r->info.largest_step, h);
  r->info.steps++;
  if (r->swing) tr_swing_watch(r, h);
  tr_run_watch_speed(r);
}

static tr_status try_once(tr_run *r, double h) {
  long stagnations = r->step->newton.stagnations;
  tr_status status = tr_step_try(r->step, &r->x, h, &r->next);
  if (status != TR_OK) return status;
  status = tr_run_doubt(r, h, stagnations);
  r->step->failures += status > 0;
  return status;
}

tr_status tr_run_try(tr_run *r, double h, tr_error *error) {
  bool renewed;
  if (tr_run_renew(r, false, &renewed) != TR_OK) return tr_no_memory(error);
  tr_status status = try_once(r, h);
  if (status > 0) {
    if (tr_run_renew(r, true, &renewed) != TR_OK) return tr_no_memory(error);
    if (renewed) status = try_once(r, h);
  }
  if (status < 0) return tr_run_explain(r, status, h, error);
  if (status != TR_SINGULAR || r->diagnoses++ >= MOST_DIAGNOSES) return status;
  // other rows may be redundant now
  const tr_state *x = tr_run_closed(r);
  status = tr_run_diagnose(r, x, NULL);
  if (status < 0) return tr_run_diagnose(r, x, error);
  if (status > 0) return status;
  r->step->newton.valid = false;
  status = try_once(r, h);
  return status < 0 ? tr_run_explain(r, status, h, error) : status;
}

static tr_status walk(tr_run *r, double t, tr_error *error) {
  if (!r->observed) {
    TR_TRY(tr_run_show_start(r, error));
    TR_TRY(tr_events_start(r, error));
  }
  return r->settings.control.tol > 0 ? tr_control_walk(r, t, error) : tr_fixed_walk(r, t, error);
}

static tr_status go(tr_run *r, double t, bool single, tr_error *error) {
  r->outside = tr_flush_begin();
  tr_call_time call = tr_call_begin(r, single);
  tr_status status = walk(r, t, error);
  if (status == TR_FAILED) tr_run_tell_astray(r, error); // perhaps before
  tr_status fresh = tr_run_refresh(r, status == TR_OK ? error : NULL);
  if (status == TR_OK) status = fresh;
  if (status == TR_OK && r->x.t >= r->settings.end && tr_run_made_up(r, error)) status = TR_FAILED;
  tr_run_note(r);
  tr_call_end(r, &call);
  tr_flush_take(r->outside);
  return status;
}

tr_status tr_run_to(tr_run *r, double t, tr_error *error) {
  if (!isfinite(t) || t < r->x.t - 1e-9 * fmax(fabs(t), fabs(r->x.t)))
    return tr_fail(error, TR_BAD_INPUT, NULL, "cannot run to t = %g s from t = %g s", t, r->x.t);
  bool fixed = !(r->settings.control.tol > 0);
  if (fixed && t > r->x.t) TR_TRY(check_times(r, t, error));
  if (t > r->settings.end) { // all that is measured by the length of the run
    r->settings.end = t;
    tr_instants_reset(r);
  }
  double way = (t - r->x.t) / r->settings.step;
  return go(r, t, fixed && way > 0.5 && way < 1 + 1e-6, error);
}

tr_status tr_run_all(tr_run *r, tr_error *error) { return tr_run_to(r, r->settings.end, error); }

// One under control, wherever it leads.
static tr_status step_controlled(tr_run *r, tr_error *error) {
  long steps = r->info.steps;
  TR_TRY(go(r, NAN, true, error));
  if (r->info.steps > steps) return TR_OK;
  return tr_fail(error, TR_STOPPED, NULL,
                 "the run is at its end, t = %g s: no single step leads beyond it",
                 r->settings.end);
}

tr_status tr_run_step(tr_run *r, tr_error *error) {
  if (r->settings.control.tol > 0) return step_controlled(r, error);
  TR_TRY(check_times(r, r->x.t, error));
  return tr_run_to(r, r->t0 + (double)(r->k + 1) * r->settings.step, error);
}
