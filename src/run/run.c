// SPDX-License-Identifier: Apache-2.0
// The driver: from the start to the end, by fixed steps or under error control, observers after each.
//
// (1) A step that fails is not accepted: the run ends with the last good state and the reason.
// (2) The audit (constraint violation, energy) is not part of the stepping time: the process' CPU time
//     is shared out between the two by a wall clock.
#include "driver.h"

#include "step/nearby.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>

enum { MOST_DIAGNOSES = 100 }; // of redundancy in one run
enum { MOST_WARNINGS = 4000 }; // characters
static const double LOST = 0.1;

tr_run_settings tr_run_defaults(void) {
  return (tr_run_settings){
      .end = NAN,
      .step = NAN,
      .consistent_start = true,
      .audit = true,
      .threads = 1,
      .newton = {.tol = 1e-10, .max_iterations = 20, .predictor = TR_PREDICT_TREND, .reuse = true}};
}

// ---- audit ----------------------------------------------------------------------------------------

static void audit(tr_run *r, bool first) {
  tr_work *w = r->work;
  const tr_state *x = &r->x;
  double T, V, *phi = w->x;
  int nc = r->sys->nc;
  tr_kinematics(w, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_energy(w, &T, &V);
  if (first) r->info.energy0 = T + V;
  r->gain = fmax(r->gain, T + V - r->info.energy0), r->most_kinetic = fmax(r->most_kinetic, T);
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

static tr_status call(tr_run *r, int i, const tr_state *x, const tr_run_info *info,
                      tr_error *error) {
  tr_status status = r->observer[i]->step(r->observer[i], x, info);
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
  if (r->observers == 0) return TR_OK;
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
static tr_status show_start(tr_run *r, tr_error *error) {
  r->observed = true;
  if (r->observers == 0) return TR_OK;
  TR_TRY(refresh_for_observers(r, error));
  tr_run_info info = tr_run_describe(r);
  for (int i = 0; i < r->observers; i++) TR_TRY(call(r, i, tr_run_state(r), &info, error));
  return TR_OK;
}

tr_status tr_run_show(tr_run *r, tr_error *error) {
  if (r->settings.audit) audit(r, false);
  return show(r, error);
}

tr_status tr_run_look(tr_run *r, tr_error *error) {
  bool happened = false;
  TR_TRY(tr_events_look(r, &happened, error));
  return happened ? TR_OK : tr_run_show(r, error);
}

// ---- life -----------------------------------------------------------------------------------------

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
  double lost = DBL_EPSILON * fmax(fabs(s->end), fabs(r->x.t)); // in the round-off of times
  if (fixed && s->step < lost && s->end > r->x.t)
    return tr_fail(
        error, TR_BAD_INPUT, NULL,
        "a step of %g s is lost in the round-off of times up to %g s: no step below %.2g "
        "s moves them on",
        s->step, s->end, lost);
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
  TR_TRY(tr_step_new(r->sys, method, par, &s->newton, &r->step, error));
  if (!fixed && tr_estimate_make(r->step) != TR_OK) return tr_no_memory(error);
  if (watched) TR_TRY(tr_multipliers_make(r, error));
  bool published = !fixed && s->control.rule == TR_CONTROL_GNP05;
  for (int i = 0; published && i < r->sys->nv; i++) r->step->most_scale[i] = INFINITY;
  return tr_control_check(r, error);
}

// Threads, if asked for and worth while.
static tr_status hire(tr_run *r, tr_error *error) {
  int threads = r->settings.threads > 0 ? r->settings.threads : tr_team_cores();
  tr_status status = tr_step_hire(r->step, threads, &r->team);
  r->info.threads = tr_team_size(r->team);
  if (status == TR_FAILED)
    return tr_fail(error, status, NULL, "the system does not give us %d threads", threads);
  return status == TR_OK ? TR_OK : tr_no_memory(error);
}

// Room for a and lam of the outside, and a matrix for them, so that the step's stays good.
static tr_status prepare_shown(tr_run *r, tr_error *error) {
  if (r->shown.block) return TR_OK;
  TR_TRY(tr_state_new(r->sys, &r->shown, error));
  if (tr_kkt_make(&r->arena, &r->sys->pattern, &r->kkt) != TR_OK) return tr_no_memory(error);
  r->kkt.mask = r->projector.kkt->mask, r->kkt.team = r->team;
  r->projector.kkt = &r->kkt;
  return TR_OK;
}

// The first redundant constraints met, and those that come with a lock: lines not there yet, some of them.
static bool warn_redundant(tr_run *r, const char *lines) {
  for (const char *line = lines; *line; line += strcspn(line, "\n") + 1) {
    const char *now = r->info.warnings, *known = now;
    size_t n = strcspn(line, "\n") + 1;
    while (*known && strncmp(known, line, n) != 0) known += strcspn(known, "\n") + 1;
    if (*known || strlen(now) + n > MOST_WARNINGS) continue;
    r->info.warnings = tr_arena_printf(&r->arena, "%s%.*s", now, (int)n, line);
    if (!r->info.warnings) return false;
  }
  return true;
}

// What the projector knows of redundant rows is known to all.
void tr_run_know_rows(tr_run *r) {
  const tr_redundancy *red = &r->projector.redundancy;
  r->step->kkt.mask = r->step->projection.mask = r->projector.kkt->mask;
  r->info.redundant = red->count;
  r->recompute = r->fresh || (red->count > 0 && r->settings.redundant == TR_REDUNDANT_LEAST_NORM);
}

// Finds redundant constraints at the state and treats them as the settings say.
static tr_status diagnose(tr_run *r, const tr_state *x, tr_error *error) {
  tr_projector *p = &r->projector;
  tr_status status = tr_diagnose(p, x);
  if (status == TR_SINGULAR)
    return tr_fail(error, status, NULL, "the constraints are singular at t = %g s: %s", r->x.t,
                   p->redundancy.known ? "some motion is not determined"
                                       : "too many rows to say which repeat others");
  if (status == TR_NOT_FINITE && tr_run_not_finite(r, 0, error)) return status;
  if (status != TR_OK)
    return tr_fail(error, status, NULL, "the equations at t = %g s: %s", r->x.t,
                   tr_status_text(status));
  bool redundant = p->redundancy.count > 0;
  tr_run_know_rows(r);
  if (r->recompute || r->sys->nevent > 0) TR_TRY(prepare_shown(r, error));
  if (!redundant) return TR_OK;
  tr_text text = {.al = r->sys->al};
  if (tr_redundancy_text(r->sys, &p->redundancy, "repeat", &text) != TR_OK) {
    tr_text_free(&text);
    return tr_no_memory(error);
  }
  bool fail = r->settings.redundant == TR_REDUNDANT_FAIL;
  for (const char *line = text.data; fail && *line; line += strcspn(line, "\n") + 1)
    tr_fail(error, TR_INCONSISTENT, NULL, "%.*s", (int)strcspn(line, "\n"), line);
  bool fine =
      (r->info.warnings[0] && !r->info.at_event) || warn_redundant(r, text.data ? text.data : "");
  tr_text_free(&text);
  if (!fine) return tr_no_memory(error);
  return fail ? TR_INCONSISTENT : TR_OK;
}

// The state with constraints that hold, in r->next. A step leaves them open by its tolerance, and rows that repeat others
// where they hold do not quite do so there.
static const tr_state *closed(tr_run *r) {
  tr_start_info info;
  tr_state_copy(&r->next, &r->x);
  r->projector.again = true;
  tr_status status = tr_project(&r->projector, &r->next, &info, NULL);
  return status == TR_OK && info.moved_q < LOST * r->extent ? &r->next : &r->x;
}

// A start in a singular position is worth a warning: which branch it takes is a matter of chance.
static tr_status warn_singular(tr_run *r, tr_error *error) {
  const tr_redundancy *red = &r->projector.redundancy;
  int here = r->sys->nv - red->rank, row;
  bool loaded;
  tr_nearby nearby = {.rank = red->rank, .held = -1};
  const char *kind;
  r->held = NULL;
  if (red->count == 0 || here == 0) return TR_OK;
  tr_state_copy(&r->next, &r->x);
  if (tr_factor_mass(&r->projector, &r->x) != TR_OK ||
      tr_find_dead_centre(&r->projector, &r->next, &row, &loaded) != TR_OK)
    loaded = false;
  if (tr_look_beside(&r->projector, &r->x, &nearby) != TR_OK) return tr_no_memory(error);
  if (nearby.looked && !nearby.locked && !nearby.turns && nearby.rank == red->rank)
    r->projector.most_rank = red->rank;
  const char *before = r->info.warnings;
  r->locked = nearby.locked;
  if (nearby.held >= 0 && !r->locked) r->held = tr_row_owner(r->sys, nearby.held, &kind);
  if (nearby.locked)
    r->info.warnings = tr_arena_printf(
        &r->arena, "%sthe position is locked: motions are free to first order only%s\n", before,
        loaded ? ", and no finite reactions bear the load along them" : "");
  else if (r->held)
    r->info.warnings = tr_arena_printf(
        &r->arena,
        "%sthe position is partly locked: some of %d motions are free to first order only, those "
        "across \"%s\" and what it repeats%s\n",
        before, here, r->held, loaded ? "; no finite reactions bear the load along them" : "");
  else if (nearby.rank > red->rank)
    r->info.warnings = tr_arena_printf(
        &r->arena,
        "%sthe position is singular: %d motions are free here, %d nearby; which way it goes is a "
        "matter of chance\n",
        before, here, r->sys->nv - nearby.rank);
  else if (nearby.turns)
    r->info.warnings = tr_arena_printf(
        &r->arena,
        "%sthe position is singular: %d motions are free here, and not all of them go on; which "
        "way it goes is a matter of chance\n",
        before, here);
  else if (!nearby.looked)
    r->info.warnings = tr_arena_printf(
        &r->arena, "%swhether the position is singular %s\n", before,
        nearby.many ? "was not looked at: too many loops" : "is not known: none nearby was found");
  return r->info.warnings ? TR_OK : tr_no_memory(error);
}

// From the positions and velocities in r->x: consistent, with accelerations.
static tr_status make_consistent(tr_run *r, bool first, bool fresh, tr_error *error) {
  tr_start_info info = {0};
  r->projector.again = !first;
  r->projector.most_rank = 0;
  tr_change_coordinates(r->sys, 0, &r->x); // of a caller's state, at a pole perhaps
  if (!first || r->settings.consistent_start)
    TR_TRY(tr_project(&r->projector, &r->x, &info, error));
  TR_TRY(diagnose(r, &r->x, error));
  bool renewed;
  if (!first && r->projector.redundancy.count > 0 &&
      tr_renew_rows(&r->projector, &r->x, &r->next, &renewed) != TR_OK)
    return tr_no_memory(error);
  r->sound = r->sound_cq = r->last_rcond = 0;
  if (first) TR_TRY(warn_singular(r, error));
  if (fresh && r->settings.consistent_start) TR_TRY(tr_slow_start(&r->projector, &r->x, error));
  tr_status status = tr_solve_accelerations(&r->projector, &r->x, r->x.a, r->x.lam);
  if (status == TR_NOT_FINITE && tr_run_not_finite(r, 0, error)) return status;
  if (status != TR_OK)
    return tr_fail(error, status, NULL, "accelerations at t = %g s: %s", r->x.t,
                   tr_status_text(status));
  if (first && r->settings.zero_start) {
    memset(r->x.a, 0, (size_t)r->sys->nv * sizeof *r->x.a);
    memset(r->x.lam, 0, (size_t)r->sys->nc * sizeof *r->x.lam);
  }
  if (first) r->info.start_move_q = info.moved_q, r->info.start_move_v = info.moved_v;
  r->current = false;
  return TR_OK;
}

// The method forgets its past; counts: of the matrix before the start borrowed it, whose numbers are not the steps'.
tr_status tr_run_forget(tr_run *r, tr_start start, const tr_kkt *counts, tr_error *error) {
  r->step->start = start;
  tr_control_begin(r);
  tr_kkt_forget(&r->step->kkt, counts);
  tr_multipliers_begin(r);
  tr_status status = tr_step_begin(r->step, &r->x);
  return status == TR_OK ? TR_OK : tr_fail(error, status, NULL, "the method cannot start");
}

tr_status tr_run_consistent(tr_run *r, tr_error *error) {
  return make_consistent(r, false, false, error);
}

// fresh: as the model says, not a state of the caller.
tr_status tr_run_begin(tr_run *r, bool first, bool fresh, tr_error *error) {
  tr_kkt counts = r->step->kkt;
  TR_TRY(make_consistent(r, first, fresh, error));
  r->t0 = r->x.t, r->k = 0;
  if (first) r->first_speed = vec_largest(r->x.v, r->sys->nv);
  if (first) r->top_speed = fmax(1, r->first_speed), r->leap.t = NAN;
  tr_kinematics(r->work, r->x.t, r->x.q, r->x.v, r->x.mem, TR_AT_VELOCITY);
  tr_accept(r->work, r->x.mem);
  if (r->settings.audit)
    audit(r, first);
  else
    r->info.max_phi = r->info.max_phi_v = r->info.energy0 = r->info.max_energy_change = NAN;
  r->kept_t = r->coast_t = NAN;
  bool zero = first && r->settings.zero_start;
  return tr_run_forget(r, zero ? TR_START_PLAIN : TR_START_OWN, &counts, error);
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
  TR_TRY(hire(r, error));
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

// The multiple of its spacing that an observer sees next.
static void set_due(tr_run *r, int i) {
  double spacing = r->observer[i]->spacing;
  if (spacing > 0) r->due[i] = (long)floor(r->x.t / spacing + 1e-9) + 1;
}

tr_status tr_run_restart(tr_run *r, const tr_state *x, tr_error *error) {
  if (x) TR_TRY(check_state(r, x, error));
  TR_TRY(tr_lengths_make(r, error));
  tr_state *old = &r->beside;
  tr_state_copy(old, &r->x);
  // x may be the run's own state as seen from outside
  if (x && x->block != r->x.block) tr_state_copy(&r->x, x);
  tr_instants_reset(r);
  tr_status status = tr_run_begin(r, false, false, error);
  if (status != TR_OK) { // nothing begins there: back
    tr_state_copy(&r->x, old);
    tr_instants_reset(r);
    tr_run_begin(r, false, false, NULL);
  }
  for (int i = 0; i < r->observers; i++) set_due(r, i);
  tr_run_take_speed(r);
  tr_status events = tr_events_reset(r, status == TR_OK ? error : NULL);
  return status == TR_OK ? events : status;
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
  tr_status status = start(r, x, error);
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
  tr_team_free(r->team);
  tr_arena arena = r->arena; // the run itself lives in it
  tr_arena_free(&arena);
}

tr_status tr_run_observe(tr_run *r, tr_observer *observer) {
  if (r->observers == TR_MAX_OBSERVERS || !observer || !observer->step) return TR_BAD_INPUT;
  if (observer->spacing > 0 && !r->sampling) TR_TRY(tr_dense_make(r, NULL));
  r->observer[r->observers++] = observer;
  set_due(r, r->observers - 1);
  return TR_OK;
}

// ---- stepping -------------------------------------------------------------------------------------

void tr_run_accept(tr_run *r, double t1, bool by_method) {
  double h = t1 - r->x.t;
  r->next.t = t1;
  if (r->sampling) tr_dense_keep(r);
  if (by_method) tr_step_accept(r->step, &r->x, &r->next), r->coast_t = NAN;
  tr_state old = r->x;
  r->x = r->next;
  r->next = old;
  r->current = r->looked = false;
  tr_run_watch_speed(r);
  if (r->sys->remembers) {
    tr_kinematics(r->work, r->x.t, r->x.q, r->x.v, r->x.mem, TR_AT_VELOCITY);
    tr_accept(r->work, r->x.mem);
  }
  if (by_method)
    r->info.smallest_step = r->info.smallest_step > 0 ? fmin(r->info.smallest_step, h) : h;
  r->info.largest_step = fmax(r->info.largest_step, h);
  r->info.steps++;
  if (r->swing) tr_swing_watch(r, h);
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
  const tr_state *x = closed(r);
  status = diagnose(r, x, NULL);
  if (status < 0) return diagnose(r, x, error);
  if (status > 0) return status;
  r->step->newton.valid = false;
  status = try_once(r, h);
  return status < 0 ? tr_run_explain(r, status, h, error) : status;
}

static tr_status walk(tr_run *r, double t, tr_error *error) {
  if (!r->observed) {
    TR_TRY(show_start(r, error));
    TR_TRY(tr_events_start(r, error));
  }
  return r->settings.control.tol > 0 ? tr_control_walk(r, t, error) : tr_fixed_walk(r, t, error);
}

// CPU time is shared out between steps and the rest like the clock's.
static tr_status go(tr_run *r, double t, tr_error *error) {
  clockid_t clock = r->team ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID;
  double cpu = tr_clock(clock), wall = tr_clock_wall();
  double step = r->step_wall, rest = r->rest_wall;
  r->last_step_end = 0;
  tr_status status = walk(r, t, error), fresh = tr_run_refresh(r, status == TR_OK ? error : NULL);
  if (status == TR_OK) status = fresh;
  if (status == TR_OK && r->x.t >= r->settings.end && tr_run_made_up(r, error)) status = TR_FAILED;
  tr_run_note(r);
  cpu = tr_clock(clock) - cpu, wall = tr_clock_wall() - wall;
  step = r->step_wall - step, rest = r->rest_wall - rest;
  double share = step > 0 ? step / (step + rest) : 0;
  r->info.cpu_s += cpu * share, r->info.wall_s += wall * share;
  return status;
}

tr_status tr_run_to(tr_run *r, double t, tr_error *error) {
  if (!isfinite(t) || t < r->x.t - 1e-9 * fmax(fabs(t), fabs(r->x.t)))
    return tr_fail(error, TR_BAD_INPUT, NULL, "cannot run to t = %g s from t = %g s", t, r->x.t);
  return go(r, t, error);
}

tr_status tr_run_all(tr_run *r, tr_error *error) { return tr_run_to(r, r->settings.end, error); }

tr_status tr_run_step(tr_run *r, tr_error *error) {
  if (r->settings.control.tol > 0) return go(r, NAN, error); // one step, wherever it leads
  return tr_run_to(r, r->t0 + (double)(r->k + 1) * r->settings.step, error);
}

const tr_state *tr_run_state(const tr_run *r) { return r->current ? &r->shown : &r->x; }
