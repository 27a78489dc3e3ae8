// SPDX-License-Identifier: Apache-2.0
// Where the length of steps changes: the method begins anew, at a state that is consistent, with a and lam from the
// equations. But not where forces are stiff: what positions lack of their balance, which is little, is multiplied by k/m
// in these a. There a and lam of the method go on; only not those of steps so short that they are what index 3 made of
// open velocities, by 1/h. They hardly had the time to change, and are again what they were before.
//
// Stiff are forces that a change of a by z, felt by a step of length h, answers with more than that:
//   z -> a(q o exp(h^2/4 z), v + h/2 z) - a(q, v)
// grows by the largest of (h omega)^2/4 and h c/(2m), which some of these maps find.
//
// Steps whose a would be round-off over h^2 are not worth an iteration: there the bodies coast.
#include <float.h>
#include <math.h>
#include <string.h>

#include "driver.h"

static const double STIFF = 1;     // growth from which on forces are
static const double BESIDE = 1e-7; // how far beside the state to look, of its extent
static const double NOISE = 1e-5;  // of a that may be round-off
static const double SPLINTER = 1e-5;
enum { MAPS = 4 };

tr_status tr_lengths_make(tr_run *r, tr_error *error) {
  size_t nv = (size_t)r->sys->nv, nc = (size_t)r->sys->nc;
  if (r->beside.block) return TR_OK;
  TR_TRY(tr_state_new(r->sys, &r->beside, error));
  r->kept = TR_NEW(&r->arena, 2 * nv + nc, double);
  return r->kept ? TR_OK : tr_no_memory(error);
}

// z -> a(beside) - a, its largest over that of z; 0: it vanishes. False: there is no a beside.
static bool map(tr_run *r, double h, double *z, double *growth) {
  const tr_system *s = r->sys;
  tr_state *b = &r->beside;
  double most = vec_largest(z, s->nv), size = BESIDE * r->extent / (0.25 * h * h);
  *growth = 0;
  if (most == 0) return true;
  for (int i = 0; i < s->nv; i++) z[i] *= size / most, b->v[i] = 0.25 * h * h * z[i];
  tr_retract(s, r->x.q, b->v, b->q);
  for (int i = 0; i < s->nv; i++) b->v[i] = r->x.v[i] + 0.5 * h * z[i];
  if (tr_solve_accelerations(&r->projector, b, b->a, b->lam) != TR_OK) return false;
  for (int i = 0; i < s->nv; i++) z[i] = s->number[i] ? 0 : b->a[i] - r->x.a[i];
  *growth = vec_largest(z, s->nv) / size;
  return isfinite(*growth);
}

// Whether forces are stiff for steps of length h; r->x has the accelerations of the equations.
static bool stiff(tr_run *r, double h) {
  const tr_system *s = r->sys;
  double *z = r->kept + s->nv + s->nc, before = 0, growth = 0;
  if (s->nforce == 0 && s->nnumber == 0) return false;
  tr_state_copy(&r->beside, &r->x);
  for (int i = 0; i < s->nv; i++)
    z[i] = s->number[i] ? 0 : ((unsigned)i * 2654435761u >> 16 & 1u) ? 1 : -1;
  for (int m = 0; m < MAPS; m++) {
    before = growth;
    if (!map(r, h, z, &growth)) return true;
  }
  return sqrt(before * growth) > STIFF;
}

// a and lam of the state, for the steps after some that are too short for them.
static void keep(tr_run *r, double t) {
  size_t nv = (size_t)r->sys->nv, nc = (size_t)r->sys->nc;
  memcpy(r->kept, r->x.a, nv * sizeof *r->kept);
  memcpy(r->kept + nv, r->x.lam, nc * sizeof *r->kept);
  r->kept_t = t;
}

// a and lam are again what was kept, and the method begins with them as they are.
static tr_status recall(tr_run *r, const tr_kkt *counts, tr_error *error) {
  size_t nv = (size_t)r->sys->nv, nc = (size_t)r->sys->nc;
  memcpy(r->x.a, r->kept, nv * sizeof *r->kept);
  memcpy(r->x.lam, r->kept + nv, nc * sizeof *r->kept);
  return tr_run_forget(r, TR_START_KEPT, counts, error);
}

// Back to what r->next has of the state, but for a and lam of steps that were too short for them.
static tr_status go_on(tr_run *r, double h, const tr_kkt *counts, tr_error *error) {
  tr_kkt_forget(&r->step->kkt, counts);
  tr_run_know_rows(r);
  r->step->newton.valid = false;
  r->brief = h < TR_MOMENT * r->step->last_h;
  return r->x.t - r->kept_t <= TR_MOMENT * h ? recall(r, counts, error) : TR_OK;
}

tr_status tr_run_recall(tr_run *r, tr_error *error) {
  tr_kkt counts = r->step->kkt;
  r->brief = false;
  return recall(r, &counts, error);
}

tr_status tr_run_begin_anew(tr_run *r, double h, tr_error *error) {
  tr_kkt counts = r->step->kkt;
  double sound = r->sound, last = r->step->last_h;
  TR_TRY(tr_lengths_make(r, error));
  tr_rows_aside rows = tr_rows_set_aside(&r->projector);
  if (h < TR_MOMENT * last && !(r->x.t - r->kept_t <= TR_MOMENT * last)) keep(r, r->x.t);
  bool coasted = r->x.t - r->coast_t > TR_MOMENT * last; // long ago that steps had that length
  tr_state_copy(&r->next, &r->x);
  if (tr_run_consistent(r, NULL) == TR_OK && !stiff(r, coasted ? h : fmax(h, last))) {
    tr_rows_forget(&rows);
    return tr_run_forget(r, TR_START_BEST, &counts, error);
  }
  tr_state_copy(&r->x, &r->next);
  if (tr_rows_take_back(&r->projector, &r->x, &rows) != TR_OK) return tr_no_memory(error);
  r->sound = sound;
  return go_on(r, h, &counts, error);
}

tr_status tr_run_change(tr_run *r, double h, tr_error *error) {
  double wish = r->h;
  if (!tr_change_coordinates(r->sys, h, &r->x)) return TR_OK;
  TR_TRY(tr_lengths_make(r, error));
  keep(r, r->x.t);
  TR_TRY(tr_run_begin_anew(r, h, error));
  r->h = wish;
  return TR_OK;
}

double tr_run_largest(const tr_run *r, const double *rates) {
  const tr_system *sys = r->sys;
  double most = 0;
  if (sys->nnumber == 0) return vec_largest(rates, sys->nv);
  for (int i = 0; i < sys->nbody; i++)
    if (sys->body[i].nq > 0)
      most = fmax(most, vec_largest(rates + sys->body[i].v, sys->body[i].nv));
  return most;
}

bool tr_run_is_splinter(const tr_run *r, double h, double usual) {
  if (r->step->method->uneven)
    return h < SPLINTER * usual; // then formulas for uneven steps give in
  double v = tr_run_largest(r, r->x.v), a = tr_run_largest(r, r->x.a);
  return DBL_EPSILON * r->extent / (h * h) > NOISE * fmax(a, v / usual);
}

// With a and lam as they are only where forces are stiff.
tr_status tr_run_coast(tr_run *r, double t1, tr_error *error) {
  const tr_system *s = r->sys;
  double h = t1 - r->x.t, *d = r->step->d;
  TR_TRY(tr_lengths_make(r, error));
  if (r->step->last_h > 0 || !isnan(r->coast_t)) TR_TRY(tr_run_begin_anew(r, h, error));
  bool known = r->step->start == TR_START_BEST && r->step->last_h == 0;
  tr_state_copy(&r->next, &r->x);
  for (int i = 0; i < s->nv; i++) {
    d[i] = h * (r->x.v[i] + 0.5 * h * r->x.a[i]);
    r->next.v[i] += h * r->x.a[i];
  }
  tr_retract(s, r->x.q, d, r->next.q);
  if (isnan(r->coast_t)) r->coast_t = r->x.t;
  tr_run_accept(r, t1, false);
  if (known && tr_solve_accelerations(&r->projector, &r->x, r->next.a, r->next.lam) == TR_OK) {
    memcpy(r->x.a, r->next.a, (size_t)s->nv * sizeof *r->x.a);
    memcpy(r->x.lam, r->next.lam, (size_t)s->nc * sizeof *r->x.lam);
  } else {
    r->step->start = TR_START_KEPT; // should there be no past
  }
  keep(r, t1);
  return TR_OK;
}
