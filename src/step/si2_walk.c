// SPDX-License-Identifier: Apache-2.0
// The first half of corrector_si2.c alone, whose symbols these are, in large systems: stretch by stretch, as index 3 has it.
// Sums are those of whole loops, to the last bit.
#include "corrector_si2.h"
#include "math/lanes.h"
#include "system/stretch.h"

bool tr_si2_walks(const correction *k) {
  return k->apart && k->s->sys->nstretch > 0 && k->s->c.blocks;
}

// ---- residual -----------------------------------------------------------------------------------------

static void move_bodies(void *what, int hand, const sys_range *of) {
  const correction *k = what;
  (void)hand;
  tr_move_some(k->s->work, of, k->s->sys->force_level);
}

static void load_joints(void *what, int hand, const sys_range *of) {
  const correction *k = what;
  sys_range rows = tr_rows_of(k->s->sys, of);
  (void)hand;
  tr_load_some(k->s->work, of, k->s->sum_lam, k->low);
  for (int i = rows.first; i < rows.end; i++) k->low[i] *= k->scale;
}

static void balance_bodies(void *what, int hand, const sys_range *of) {
  const correction *k = what;
  const tr_step *s = k->s;
  tr_gather_some(tr_hand(s->work, hand), of, k->top);
  tr_mass_add_some(s->sys, of, s->c.blocks, s->c.cm, s->sum_a, s->c.history, k->top);
}

tr_status tr_si2_walk_to_residual(correction *k, double *r) {
  static const tr_walk to = {move_bodies, load_joints, balance_bodies};
  const tr_step *s = k->s;
  const tr_state *x = k->x1;
  k->top = r, k->low = r + s->sys->nv, k->scale = 1 / s->c.cq;
  tr_go_to(s->work, k->t1, x->q, x->v, x->mem, s->sys->force_level);
  tr_walk_along(s->work, &to, k);
  k->p.side = s->work->acting;
  return TR_OK;
}

// ---- update -------------------------------------------------------------------------------------------

// The iteration is that of index 3, in a + cw/cq w and lam - cw/cq mu: a and lam are told at its end.
TR_INLINE void shift_all(int n, double cq, double cv, const double *restrict x,
                         double *restrict sum, double *restrict d, double *restrict v) {
  for (int i = 0; i < n; i++) sum[i] -= x[i], d[i] -= cq * x[i], v[i] -= cv * x[i];
}
TR_WIDE(shift, shift_all,
        (int n, double cq, double cv, const double *x, double *sum, double *d, double *v),
        (n, cq, cv, x, sum, d, v))

TR_INLINE void lessen_all(int n, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) y[i] -= x[i];
}
TR_WIDE(lessen, lessen_all, (int n, const double *x, double *y), (n, x, y))

TR_INLINE void shift_part(void *what, int part, int first, int end) {
  const correction *k = what;
  const tr_step *s = k->s;
  (void)part;
  shift(end - first, s->c.cq, s->c.cv, k->dx + first, s->sum_a + first, s->d + first,
        k->x1->v + first);
}

TR_INLINE void pull_part(void *what, int part, int first, int end) {
  const correction *k = what;
  (void)part;
  lessen(end - first, k->dx + k->s->sys->nv + first, k->s->sum_lam + first);
}

static void shift_bodies(void *what, int hand, const sys_range *of) {
  const correction *k = what;
  const tr_step *s = k->s;
  sys_range v = tr_velocities_of(s->sys, of);
  shift_part(what, hand, v.first, v.end);
  tr_retract_some(s->sys, of, k->base, s->d, k->x1->q);
}

static void shift_joints(void *what, int hand, const sys_range *of) {
  sys_range rows = tr_rows_of(((const correction *)what)->s->sys, of);
  pull_part(what, hand, rows.first, rows.end);
}

void tr_si2_shift(correction *k) {
  static const tr_walk on = {shift_bodies, shift_joints, NULL};
  const tr_step *s = k->s;
  if (tr_si2_walks(k)) {
    tr_walk_along(s->work, &on, k);
    return;
  }
  TR_SHARE(s->work, s->sys->nv, shift_part, k);
  TR_SHARE(s->work, s->sys->nc, pull_part, k);
  tr_retract_shared(s->work, k->base, s->d, k->x1->q);
}
