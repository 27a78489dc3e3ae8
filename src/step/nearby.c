// SPDX-License-Identifier: Apache-2.0
// Redundant for good, or singular only here? A position from which the mechanism has moved on a little, along
// any mixture of its free motions and back onto the constraints, has the rank that is usual nearby. In a
// singular position most mixtures lead off the constraints, but only to second order: the
// projection then ends on one of the branches.
#include "nearby.h"

#include <math.h>
#include <string.h>

static const double NUDGE = 0.02; // rad, and of the bodies' size
static const double STAYS = 0.1;  // less than this of it: it has come back
enum { TRIES = 2 };

static double draw(unsigned long long *s) {
  *s = *s * 6364136223846793005u + 1442695040888963407u;
  return (double)(*s >> 11) / 4503599627370496.0 - 1;
}

double tr_body_size(const tr_system *s) {
  double most = 0;
  for (int i = s->ground_sites; i < s->nsite; i++) {
    const double *c = s->site[i].c;
    most = fmax(most, sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]));
  }
  return most > 0 ? most : 1;
}

static bool is_way(const sys_body *b, int k) { return k < (b->type->dim == 2 ? 2 : 3); }

// Free motions with random weights, as a small increment.
static void some_motion(const tr_system *s, const tr_echelon *e, unsigned long long *seed,
                        double *out) {
  double size = tr_body_size(s), most = 0;
  for (int j = 0; j < s->nv; j++) out[j] = tr_echelon_is_free(e, j) ? draw(seed) : 0;
  tr_echelon_solve(e, out);
  for (int i = 0; i < s->nbody; i++)
    for (int k = 0; k < s->body[i].nv; k++)
      most = fmax(most, fabs(out[s->body[i].v + k]) / (is_way(&s->body[i], k) ? size : 1));
  for (int i = 0; i < s->nv; i++) out[i] *= most > 0 ? NUDGE / most : 0;
}

// The motion is kept in beside->a.
tr_status tr_look_nearby(tr_projector *p, const tr_state *x, const tr_echelon *e, tr_state *beside,
                         tr_nearby *out) {
  const tr_mask *mask = p->kkt->mask;
  unsigned long long seed = 3;
  double least = STAYS * NUDGE * fmin(1, tr_body_size(p->sys));
  int back = 0;
  *out = (tr_nearby){.rank = tr_echelon_rank(e)};
  for (int k = 0; k < TRIES; k++) {
    tr_redundancy r;
    tr_state_copy(beside, x);
    some_motion(p->sys, e, &seed, beside->a);
    tr_retract(p->sys, x->q, beside->a, beside->q);
    p->kkt->mask = NULL;
    tr_status status = tr_project(p, beside, NULL, NULL);
    p->kkt->mask = mask;
    if (status == TR_NO_MEMORY) return status;
    if (status != TR_OK) continue;
    tr_kinematics(p->work, beside->t, beside->q, beside->v, beside->mem, TR_AT_VELOCITY);
    TR_TRY(tr_find_redundancy(p->work, p->arena, 0, NULL, &r));
    if (r.known && r.rank > out->rank) out->rank = r.rank;
    double moved = 0;
    for (int i = 0; i < p->sys->nq; i++) moved = fmax(moved, fabs(beside->q[i] - x->q[i]));
    back += moved < least;
  }
  out->locked = back == TRIES;
  return TR_OK;
}

tr_status tr_look_beside(tr_projector *p, const tr_state *x, tr_nearby *out) {
  const tr_system *s = p->sys;
  tr_arena own = tr_arena_make(s->al);
  tr_echelon *e = NULL;
  tr_state beside = {0};
  double *length = TR_NEW(&own, s->nc, double);
  bool *depends = TR_NEW(&own, s->nc, bool);
  tr_status status = length && depends ? tr_state_new(s, &beside, NULL) : TR_NO_MEMORY;
  tr_kinematics(p->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  if (status == TR_OK) status = tr_eliminate_constraints(p->work, 0, &e, length, depends);
  if (status == TR_OK) status = tr_look_nearby(p, x, e, &beside, out);
  tr_echelon_free(e);
  if (beside.block) tr_state_free(s, &beside);
  tr_arena_free(&own);
  return status == TR_FAILED ? TR_OK : status;
}
