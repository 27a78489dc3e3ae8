// SPDX-License-Identifier: Apache-2.0
// Where the iteration of corrector_si2.c begins, whose symbols these are, and its first half alone; in large systems stretch by
// stretch, as index 3 has it. Sums are those of whole loops, to the last bit.
#include <math.h>

#include "corrector_si2.h"
#include "math/lanes.h"
#include "places.h"
#include "si2_loops.h"
#include "tops.h"

// The angle by which a body turns that is as fast in three coordinates as any is in one; below LITTLE nobody asks how far.
static const double TURN_OF_V = 1.8, LITTLE = 0.1;

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

static tops walk(correction *k, const tr_walk *along) {
  return tr_walk_to_tops(k->s->work, along, k, &k->tops);
}

// ---- begin --------------------------------------------------------------------------------------------

// From the last state: predicted, placed, moved.
static void begin_bodies(void *what, int hand, const sys_range *of) {
  const correction *k = what;
  const tr_step *s = k->s;
  sys_range v = tr_velocities_of(s->sys, of);
  if (s->ahead) tr_predict_some(&s->ahead_a, v.first, v.end);
  if (!k->sums) tr_predict_some(&k->ahead, v.first, v.end);
  place_part(what, hand, v.first, v.end);
  tr_retract_some(s->sys, of, k->base, s->d, k->x1->q);
  move_bodies(what, hand, of);
}

// The same from one of which nothing is known.
static void meet_bodies(void *what, int hand, const sys_range *of) {
  const correction *k = what;
  const tr_step *s = k->s;
  const tr_state *x0 = k->x0;
  sys_range v = tr_velocities_of(s->sys, of);
  tops *top = &k->tops[hand];
  begin_bodies(what, hand, of);
  raise(&top->a, x0->a, v), raise(&top->v, x0->v, v);
  raise(&top->q, x0->q, tr_coordinates_of(s->sys, of));
  if (s->floored) top->fastest = max2(top->fastest, tr_fastest_turn(s->sys, of, x0->v));
  top->turn = max2(top->turn, tr_turn_of_some(s->sys, of, s->d));
}

static void begin_joints(void *what, int hand, const sys_range *of) {
  const correction *k = what;
  int nv = k->s->sys->nv;
  sys_range rows = tr_rows_of(k->s->sys, of);
  if (k->s->ahead) tr_predict_some(&k->s->ahead_lam, rows.first, rows.end);
  if (!k->sums) tr_predict_some(&k->ahead, nv + rows.first, nv + rows.end);
  sum_part(what, hand, rows.first, rows.end);
  load_joints(what, hand, of);
}

// How to the residual r: from the last state on or where the bodies are.
static const tr_walk *way_to_residual(correction *k, double *r) {
  static const tr_walk on = {move_bodies, load_joints, balance_bodies},
                       first = {begin_bodies, begin_joints, balance_bodies};
  const tr_step *s = k->s;
  const tr_state *x = k->x1;
  const tr_walk *way = k->begins ? &first : &on;
  k->top = r, k->low = r + s->sys->nv, k->scale = 1 / s->c.cq, k->begins = false;
  tr_go_to(s->work, k->t1, x->q, x->v, x->mem, s->sys->force_level);
  return way;
}

void tr_si2_have_walked(correction *k) {
  k->due.walk = NULL;
  if (k->s->ahead) tr_have_predicted(k->s);
  k->s->past_w.fresh = false;
}

void tr_si2_walk_now(correction *k) {
  if (k->due.walk) walk(k, k->due.walk);
  tr_si2_have_walked(k);
}

tr_status tr_si2_walk_to_residual(correction *k, double *r) {
  if (!k->evaluated) k->due = (tr_walking){way_to_residual(k, r), k};
  k->evaluated = false;
  if (!k->p.renews || !k->waits) tr_si2_walk_now(k);
  k->p.side = k->s->work->acting;
  return TR_OK;
}

// What is known of where the step begins: the last one has left it, or it is found on the walk up to the first residual.
static double begin_here(correction *k) {
  static const tr_walk meet = {meet_bodies, begin_joints, balance_bodies};
  tr_step *s = k->s;
  if (!k->sums) k->ahead = tr_look_ahead_w(s, k->t1);
  k->known = true, k->waits = tr_walk_may_wait(s->work);
  if (s->known_t == k->x0->t) {
    s->top_v = s->known.v, s->top_a = s->known.a;
    k->fastest = s->known.turn, k->begins = true;
    k->turn = s->known.angle * (k->t1 - k->x0->t) / s->last_h;
    return s->known.q;
  }
  way_to_residual(k, s->newton.r);
  tops top = walk(k, &meet);
  tr_si2_have_walked(k);
  s->top_v = top.v, s->top_a = top.a, k->turn = top.turn, k->evaluated = true;
  k->fastest = s->floored ? top.fastest : -1;
  return top.q;
}

// q1 and v1, with a + cw/cq w in s->sum_a; and lam - cw/cq mu. e1 + cw/cq e3 is e1 of these two.
static void place(correction *k) {
  const tr_step *s = k->s;
  k->small = tr_si2_is_small(k);
  if (k->small) {
    tr_si2_place_small(k);
  } else {
    TR_SHARE(s->work, s->sys->nv, place_part, k);
    TR_SHARE(s->work, s->sys->nc, sum_part, k);
  }
  tr_retract_shared(s->work, k->base, s->d, k->x1->q);
}

// Of a start that was not predicted, w is none.
static void take_as_sums(const correction *k) {
  tr_step *s = k->s;
  tr_predict_settle_sums(s);
  tr_copy(s->work, k->x1->a, s->sum_a, s->sys->nv);
  tr_copy(s->work, k->x1->lam, s->sum_lam, s->sys->nc);
}

double tr_si2_begin(correction *k) {
  tr_step *s = k->s;
  const tr_state *x0 = k->x0;
  bool plainly = !s->aim && !s->calm, summed = s->summed;
  k->sums = s->sums, s->summed = false;
  if (k->sums && !summed) take_as_sums(k);
  if (plainly && s->sys->nstretch > 0 && s->c.blocks && tr_si2_projects(k)) return begin_here(k);
  if (s->ahead) tr_predict_now(s);
  if (s->later) s->top_v = tr_largest(s->work, x0->v, s->sys->nv);
  if (!plainly || !k->usual) tr_corrector_write(s);
  if (!plainly) tr_step_calm(s, x0, k->t1, k->x1);
  if (k->sums && !plainly) take_as_sums(k);
  if (!k->sums) tr_predict_w(s, k->t1);
  place(k);
  double turn = TURN_OF_V * (k->t1 - x0->t) * s->top_v;
  k->turn = s->top_v >= 0 && turn < LITTLE ? turn : tr_largest_turn(s->work, s->d, NULL);
  return tr_step_top_q(s, x0);
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

TR_INLINE void lessen_part(void *what, int part, int first, int end) {
  const correction *k = what;
  (void)part;
  lessen(end - first, k->dx + k->s->sys->nv + first, k->s->sum_lam + first);
}

static void shift_bodies(void *what, int hand, const sys_range *of) {
  const correction *k = what;
  const tr_step *s = k->s;
  sys_range v = tr_velocities_of(s->sys, of);
  tops *top = &k->tops[hand];
  shift_part(what, hand, v.first, v.end);
  raise(&top->d, s->d, v), raise(&top->dx, k->dx, v);
  tr_retract_some(s->sys, of, k->base, s->d, k->x1->q);
  raise(&top->q, k->x1->q, tr_coordinates_of(s->sys, of));
  top->turn = max2(top->turn, tr_turn_of_some(s->sys, of, s->d));
  if (s->floored) top->fastest = max2(top->fastest, tr_fastest_turn(s->sys, of, k->x1->v));
}

static void shift_joints(void *what, int hand, const sys_range *of) {
  sys_range rows = tr_rows_of(((const correction *)what)->s->sys, of);
  lessen_part(what, hand, rows.first, rows.end);
}

static double walk_on(correction *k) {
  static const tr_walk on = {shift_bodies, shift_joints, NULL};
  tr_step *s = k->s;
  tops top = walk(k, &on);
  s->top_d = top.d;
  k->led = (tr_tops){.q = top.q, .turn = s->floored ? top.fastest : -1, .angle = top.turn};
  return top.dx;
}

double tr_si2_shift(correction *k) {
  const tr_step *s = k->s;
  if (tr_si2_walks(k)) return walk_on(k);
  TR_SHARE(s->work, s->sys->nv, shift_part, k);
  TR_SHARE(s->work, s->sys->nc, lessen_part, k);
  tr_retract_shared(s->work, k->base, s->d, k->x1->q);
  return 0;
}
