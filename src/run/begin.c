// SPDX-License-Identifier: Apache-2.0
// Where a run begins, at the start, behind a discontinuity or where the length of steps changes: a state that is consistent,
// which rows it does without, accelerations and multipliers of the equations, a method without a past.
#include <math.h>
#include <string.h>

#include "driver.h"
#include "step/nearby.h"

enum { MOST_WARNINGS = 4000 }; // characters
static const double LOST = 0.1;

// ---- redundant rows -----------------------------------------------------------------------------------

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
tr_status tr_run_diagnose(tr_run *r, const tr_state *x, tr_error *error) {
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
  if (r->recompute || r->sys->nevent > 0) TR_TRY(tr_run_make_shown(r, error));
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
const tr_state *tr_run_closed(tr_run *r) {
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

// ---- the beginning ------------------------------------------------------------------------------------

// From the positions and velocities in r->x: consistent, with accelerations.
static tr_status make_consistent(tr_run *r, bool first, bool fresh, tr_error *error) {
  tr_start_info info = {0};
  r->projector.again = !first;
  r->projector.most_rank = 0;
  tr_change_coordinates(r->sys, 0, &r->x); // of a caller's state, at a pole perhaps
  if (!first || r->settings.consistent_start)
    TR_TRY(tr_project(&r->projector, &r->x, &info, error));
  TR_TRY(tr_run_diagnose(r, &r->x, error));
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
  if (first) r->top_speed = fmax(1, r->first_speed), r->leap.t = r->driven.t = NAN;
  tr_kinematics(r->work, r->x.t, r->x.q, r->x.v, r->x.mem, TR_AT_VELOCITY);
  tr_accept(r->work, r->x.mem);
  if (first) r->energy = NAN;
  if (r->settings.audit)
    tr_run_audit(r, first);
  else
    r->info.max_phi = r->info.max_phi_v = r->info.energy0 = r->info.max_energy_change = NAN;
  r->kept_t = r->coast_t = NAN;
  bool zero = first && r->settings.zero_start;
  return tr_run_forget(r, zero ? TR_START_PLAIN : TR_START_OWN, &counts, error);
}
