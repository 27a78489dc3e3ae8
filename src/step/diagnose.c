// SPDX-License-Identifier: Apache-2.0
// Which constraints repeat others at a state: they are found and taken out of the matrix; and whether they still do so a
// moment later.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/vector.h"
#include "start.h"

// What may be left of a row that is known to repeat others, where the constraints are not quite closed: first, last.
static const double OPEN = 1e-6, OPENEST = 0.1;
static const double SUSPICIOUS = 1e-8; // pivot ratio below which constraints may be redundant
static const double TURNS =
    1e-3; // of its terms: what is left of gamma where rows do not repeat each other
static const double NO_TURN = 1e-9; // of the squares of the velocities as they were: round-off

tr_status tr_take_rows_out(tr_projector *p, const tr_state *x, int n, const int *rows) {
  const tr_system *s = p->sys;
  int all = n + tr_idle_rows(s, x->mem, NULL);
  p->kkt->mask = NULL;
  if (all == 0) return TR_OK;
  if (!p->masked_row) p->masked_row = TR_NEW(p->arena, 2 * s->nc, int);
  if (!p->masked_row) return TR_NO_MEMORY;
  int *row = p->masked_row + s->nc;
  tr_rows_out(s, x->mem, n, rows, row);
  if (all != p->masked || memcmp(row, p->masked_row, (size_t)all * sizeof *row) != 0) {
    memcpy(p->masked_row, row, (size_t)all * sizeof *row);
    p->masked = all;
    tr_arena_free(&p->of_mask);
    p->of_mask = tr_arena_make(s->al);
    TR_TRY(tr_mask_make(&p->of_mask, &s->pattern, all, p->masked_row, &p->mask));
  }
  p->kkt->mask = &p->mask;
  return TR_OK;
}

tr_status tr_all_independent(tr_projector *p, const tr_state *x, bool *independent) {
  TR_TRY(tr_take_rows_out(p, x, 0, NULL));
  p->kkt->expected = TR_EXPECT_SINGULAR;
  tr_status status = tr_factor_mass(p, x);
  p->kkt->expected = TR_EXPECT_REGULAR;
  *independent = status == TR_OK && p->kkt->rcond > SUSPICIOUS;
  return status == TR_SINGULAR ? TR_OK : status;
}

tr_status tr_diagnose(tr_projector *p, const tr_state *x) {
  const tr_system *s = p->sys;
  bool independent;
  p->redundancy = (tr_redundancy){.known = true, .rank = s->nc};
  TR_TRY(tr_all_independent(p, x, &independent));
  bool fewer =
      p->most_rank > 0 && p->most_rank < s->nc; // next to a singular position that is not seen
  if (!fewer && independent) return TR_OK;
  tr_kinematics(p->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  for (double open = 0; open < OPENEST; open = fmax(10 * open, OPEN)) {
    tr_arena_free(&p->of_redundancy);
    p->of_redundancy = tr_arena_make(s->al);
    TR_TRY(tr_find_redundancy(p->work, &p->of_redundancy, open, NULL, &p->redundancy));
    if (!fewer || p->redundancy.rank <= p->most_rank) break;
  }
  int n = p->redundancy.count;
  if (n == 0) return tr_factor_mass(p, x);
  if (!p->spread) p->spread = TR_NEW(p->arena, 5 * (s->nv + s->nc), double);
  if (!p->spread) return TR_NO_MEMORY;
  TR_TRY(tr_take_rows_out(p, x, n, p->redundancy.row));
  return tr_factor_mass(p, x);
}

// ---- a moment later -----------------------------------------------------------------------------------

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
