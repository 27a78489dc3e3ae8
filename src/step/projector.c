// SPDX-License-Identifier: Apache-2.0
// A projector's life, the matrices it factors and what one of them answers; and consistent states for whoever has no step
// under way, with a projector of their own.
//
//   accelerations  [M G'; G 0] (a, lam) = (Q, -gacc)
#include "start.h"

#include <math.h>
#include <string.h>

#include "math/vector.h"

// Changes of accelerations over these: nothing is left; it may be round-off. And over the last one.
static const double FOLLOWED = 1e-14, NOISE = 1e-11, SLOW = 0.1;

tr_status tr_projector_open(const tr_system *s, tr_own_projector *own) {
  *own = (tr_own_projector){.arena = tr_arena_make(s->al)};
  own->p = (tr_projector){.sys = s, .kkt = &own->kkt, .arena = &own->arena};
  own->p.r = TR_NEW(&own->arena, s->nv + s->nc, double);
  tr_status status = own->p.r ? tr_kkt_make(&own->arena, &s->pattern, &own->kkt) : TR_NO_MEMORY;
  if (status == TR_OK) status = tr_work_new(s, &own->p.work);
  if (status != TR_OK) tr_projector_close(own);
  return status;
}

void tr_projector_release(tr_projector *p) {
  tr_arena_free(&p->of_redundancy);
  tr_arena_free(&p->of_mask);
  tr_resize(p->sys->al, p->room, 0);
}

void tr_projector_close(tr_own_projector *own) {
  tr_projector_release(&own->p);
  tr_work_free(own->p.work);
  tr_kkt_free(&own->kkt);
  tr_arena_free(&own->arena);
}

// ---- matrices ---------------------------------------------------------------------------------------

static uint64_t mix(uint64_t sum, const double *x, int n) {
  for (int i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    sum = (sum ^ bits) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 29;
  }
  return sum;
}

// All that [M G'; G 0] depends on where no row is one of velocities; never 0.
static uint64_t place_of(const tr_system *s, const tr_state *x) {
  return mix(mix(mix(1, &x->t, 1), x->q, s->nq), x->mem, s->nmem) | 1;
}

// In blocks, without room for its values; false: they are needed. At a place where it has just been factored, that stays.
static bool factor_blocks(tr_projector *p, const tr_state *x) {
  tr_work *w = p->work;
  tr_kkt *k = p->kkt;
  if (!k->lean || p->sys->nvelocity > 0 || p->sys->nreaction > 0) return false;
  uint64_t place = place_of(p->sys, x);
  bool same = k->of == place && !k->mask && k->by_blocks && !tr_kkt_refines(k);
  double *blocks = same ? NULL : tr_kkt_blocks(k);
  if (!same && !blocks) return false;
  tr_kinematics(w, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  if (same) {
    tr_jacobian(w);
    return true;
  }
  tr_forces(w, NULL, p->r, NULL); // leaves the wrenches on the frames
  tr_tangent_blocks(w, NULL, NULL, NULL, (tr_coefficients){.cm = 1}, blocks);
  tr_jacobian(w);
  if (!tr_kkt_factor_blocks(k) || tr_kkt_refines(k)) return false;
  k->of = place;
  return true;
}

// [M G'; G 0] into the values.
static void plain_matrix(tr_projector *p, const tr_state *x) {
  tr_coefficients c = {.cm = 1};
  tr_tangent(p->work, x->t, x->q, x->v, x->mem, NULL, NULL, NULL, c, p->kkt->values);
  tr_plain_columns(p->work, p->kkt->values);
}

tr_status tr_factor_mass(tr_projector *p, const tr_state *x) {
  p->kkt->rough = false; // unlike what a corrector left there
  if (factor_blocks(p, x)) return TR_OK;
  TR_TRY(tr_kkt_hold(p->kkt));
  plain_matrix(p, x);
  return tr_kkt_factor(p->kkt);
}

double tr_regular_matrix(tr_projector *p, const tr_state *x, double eps) {
  const tr_system *s = p->sys;
  const tr_pattern *t = &s->pattern;
  double *values = p->kkt->values, most = 0;
  plain_matrix(p, x);
  for (int j = 0; j < s->nv; j++)
    for (int k = t->column[j]; k < t->column[j + 1] && t->row[k] < s->nv; k++)
      most = fmax(most, fabs(values[k]));
  for (int i = s->nv; i < s->nv + s->nc; i++) values[tr_pattern_slot(t, i, i)] = -eps / most;
  return most;
}

tr_status tr_factor_regular(tr_projector *p) {
  p->kkt->expected = TR_EXPECT_SMALL;
  p->kkt->rough = false;
  tr_status status = tr_kkt_factor(p->kkt);
  p->kkt->expected = TR_EXPECT_REGULAR;
  return status;
}

tr_status tr_solve_accelerations(tr_projector *p, const tr_state *x, double *a, double *lam) {
  const tr_system *s = p->sys;
  TR_TRY(tr_factor_mass(p, x));
  tr_kinematics(p->work, x->t, x->q, x->v, x->mem, TR_AT_BIAS);
  if (s->nreaction > 0) tr_show_reactions(p->work, x->lam);
  tr_forces(p->work, NULL, p->r, NULL);
  tr_gamma(p->work, p->r + s->nv);
  for (int i = 0; i < s->nv + s->nc; i++) p->r[i] = -p->r[i];
  TR_TRY(tr_solve_with_reactions(p->work, p->kkt, p->r));
  memcpy(a, p->r, (size_t)s->nv * sizeof *x->a);
  memcpy(lam, p->r + s->nv, (size_t)s->nc * sizeof *x->lam);
  return TR_OK;
}

// r = (M a + G' lam - Q, G a + gacc) at x, d = [M G'; G 0]^-1 r by the factors of a place nearby, (a, lam) -= d. Each d is
// smaller than the last by about how far that is, until round-off is left. Where a matrix takes less, or is not at hand: anew.
tr_status tr_follow_accelerations(tr_projector *p, const tr_state *x, double *a, double *lam) {
  enum { MOST = 6 };
  const tr_system *s = p->sys;
  tr_work *w = p->work;
  double *r = p->r, *rows = r + s->nv, last = INFINITY;
  bool worth = p->kkt->of != 0 && s->constant_mass && s->pattern.matrix_cost > MOST;
  tr_kinematics(w, x->t, x->q, x->v, x->mem, TR_AT_BIAS);
  tr_jacobian(w);
  for (int i = 0; worth && i < MOST; i++) {
    tr_gamma(w, w->y);
    tr_G_times(w, a, rows);
    for (int k = 0; k < s->nc; k++) rows[k] += w->y[k];
    tr_forces(w, lam, r, NULL);
    tr_mass_add(w, s->mass, 1, a, NULL, r);
    if (tr_kkt_solve(p->kkt, 1, r) != TR_OK) break;
    for (int k = 0; k < s->nv; k++) a[k] -= r[k];
    for (int k = 0; k < s->nc; k++) lam[k] -= rows[k];
    double now = vec_largest(r, s->nv), size = vec_largest(a, s->nv);
    if (now <= FOLLOWED * size) return TR_OK;
    if (!(now < SLOW * last) && now <= NOISE * size) return TR_OK;
    if (!(now < SLOW * last)) break;
    last = now;
  }
  return tr_solve_accelerations(p, x, a, lam);
}

tr_status tr_solve_impulse(tr_projector *p, const tr_state *x, const double *n, double *z) {
  size_t nv = (size_t)p->sys->nv * sizeof *z, nc = (size_t)p->sys->nc * sizeof *z;
  TR_TRY(tr_factor_mass(p, x));
  memcpy(p->r, n, nv);
  memset(p->r + p->sys->nv, 0, nc);
  TR_TRY(tr_kkt_solve(p->kkt, 1, p->r));
  memcpy(z, p->r, nv);
  return TR_OK;
}

// ---- consistent states ------------------------------------------------------------------------------

static tr_status with_projector(const tr_system *s, tr_state *x, bool project, tr_start_info *info,
                                tr_error *error) {
  tr_own_projector own;
  tr_projector *p = &own.p;
  const char *why, *body;
  if (tr_projector_open(s, &own) != TR_OK) return tr_no_memory(error);
  tr_status status = project ? tr_project(p, x, info, error) : TR_OK;
  if (status != TR_OK) goto done;
  status = tr_diagnose(p, x);
  if (status == TR_OK && project) {
    status = tr_slow_start(p, x, error);
    if (status < 0) goto done;
  }
  if (status == TR_OK) status = tr_solve_accelerations(p, x, x->a, x->lam);
  if (status == TR_OK) status = tr_spread_multipliers(p, x, x->lam);
  if (status == TR_SINGULAR)
    tr_fail(error, status, NULL,
            "the constraints are singular here: accelerations and multipliers are not unique");
  else if (status != TR_OK && tr_tell_failed(p->work, x->t, x->t, "", status, error))
    goto done;
  else if (status != TR_OK && (why = tr_trouble(s, x, 0, &body)))
    tr_fail(error, status, NULL, "body \"%s\": %s", body, why);
  else if (status != TR_OK)
    tr_fail(error, status, NULL, "the accelerations are not finite numbers");
done:
  tr_projector_close(&own);
  return status;
}

tr_status tr_consistent_start(const tr_system *s, tr_state *x, tr_start_info *info,
                              tr_error *error) {
  return with_projector(s, x, true, info, error);
}

tr_status tr_accelerations(const tr_system *s, tr_state *x, tr_error *error) {
  return with_projector(s, x, false, NULL, error);
}

// x -= d,  [M G'; G 0] (d, .) = (0, the rows in p->r)
static tr_status take_away(tr_projector *p, double *x) {
  int nv = p->sys->nv;
  memset(p->r, 0, (size_t)nv * sizeof *p->r);
  TR_TRY(tr_kkt_solve(p->kkt, 1, p->r));
  for (int i = 0; i < nv; i++) x[i] -= p->r[i];
  return TR_OK;
}

tr_status tr_calm(tr_projector *p, tr_state *x, double *mean) {
  const tr_system *s = p->sys;
  double *rows = p->r + s->nv, *gamma = p->work->y, *d = p->work->x;
  TR_TRY(tr_factor_mass(p, x));
  tr_kinematics(p->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_rates(p->work, rows);
  TR_TRY(take_away(p, x->v));
  tr_kinematics(p->work, x->t, x->q, x->v, x->mem, TR_AT_BIAS);
  tr_G_times(p->work, x->a, rows);
  tr_gamma(p->work, gamma);
  for (int i = 0; i < s->nc; i++) rows[i] += gamma[i];
  TR_TRY(take_away(p, x->a));
  for (int i = 0; i < s->nv; i++) d[i] = mean[i] - x->a[i];
  tr_G_times(p->work, d, rows);
  return take_away(p, mean);
}
