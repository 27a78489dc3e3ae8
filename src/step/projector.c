// SPDX-License-Identifier: Apache-2.0
// Consistent states for whoever has no step under way: with a workspace of their own. And whether what is redundant in
// one stays so.
#include "start.h"

#include <math.h>
#include <string.h>

#include "math/vector.h"

static const double TURNS =
    1e-3; // of its terms: what is left of gamma where rows do not repeat each other
static const double NO_TURN = 1e-9; // of the squares of the velocities as they were: round-off

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

// What is left of gamma_row - sum w_k gamma_k at the velocities in x, of the row of which most is; -1: nothing is.
static int find_turning(tr_projector *p, const tr_state *x, double speed) {
  const tr_redundancy *red = &p->redundancy;
  double *gamma = p->r + p->sys->nv;
  int row = -1;
  tr_kinematics(p->work, x->t, x->q, x->v, x->mem, TR_AT_BIAS);
  tr_gamma(p->work, gamma);
  for (int k = 0; k < red->count; k++) {
    const tr_sources *from = &red->source[k];
    double left = gamma[red->row[k]], size = fabs(left);
    for (int i = 0; i < from->n; i++) {
      left -= from->weight[i] * gamma[from->row[i]];
      size += fabs(from->weight[i] * gamma[from->row[i]]);
    }
    if (fabs(left) > TURNS * size && fabs(left) > NO_TURN * speed * speed) row = red->row[k];
  }
  return row;
}

// The accelerations that forces make of what holds to first order go into the velocities; false: there are none.
// a' M a = a' Q, and a is round-off where that is small beside |a| |Q|.
static bool give_way(tr_projector *p, tr_state *x) {
  const tr_system *s = p->sys;
  double T, V;
  if (tr_solve_accelerations(p, x, x->a, x->lam) != TR_OK) return false;
  tr_kinematics(p->work, x->t, x->q, x->v, x->mem, s->force_level);
  tr_forces(p->work, NULL, p->r, NULL);
  double size = vec_norm(p->r, s->nv) * vec_norm(x->a, s->nv);
  memcpy(x->v, x->a, (size_t)s->nv * sizeof *x->v);
  tr_kinematics(p->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_energy(p->work, &T, &V);
  return 2 * T > NO_TURN * size;
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

// G_row = sum w_k G_k holds here. It does a moment later, on the way that the velocities lead, if
// gamma_row = sum w_k gamma_k. From rest the way is that of the accelerations, q = q_0 o exp(a t^2/2), and Phi_row is
// t^4/8 times the same form of a.
tr_status tr_find_dead_centre(tr_projector *p, tr_state *x, int *row, bool *at_rest) {
  const tr_system *s = p->sys;
  double *rate = p->r + s->nv, speed = vec_largest(x->v, s->nv);
  *row = -1, *at_rest = false;
  if (p->redundancy.count == 0) return TR_OK;
  for (int i = 0; i < s->nv; i++) p->r[i] = 0;
  tr_kinematics(p->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_rates(p->work, rate);
  TR_TRY(tr_kkt_solve(p->kkt, 1, p->r));
  for (int i = 0; i < s->nv; i++) x->v[i] -= p->r[i];
  *row = find_turning(p, x, speed);
  if (*row >= 0 || vec_largest(x->v, s->nv) > NO_TURN * speed || !give_way(p, x)) return TR_OK;
  *row = find_turning(p, x, vec_largest(x->v, s->nv));
  *at_rest = *row >= 0;
  return TR_OK;
}
