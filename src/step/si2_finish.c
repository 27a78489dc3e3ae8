// SPDX-License-Identifier: Apache-2.0
// How the velocities of corrector_si2.c, whose symbols these are, follow its positions.
#include <math.h>
#include <string.h>

#include "corrector_si2.h"

// The second half alone: its share of the tolerance; rates for which it is not worth while, and none better; the scatter
// of what is believed of them, how it fades, in how many solves that did not measure it; solves in a row.
static const double HALF_TOL = 0.5, HALF_SLOW = 0.3, HALF_LEAST = 1e-3, HALF_SCATTER = 2,
                    HALF_FADE = 0.8, HALF_LARGER = 3;
static const double GYRATION =
    0.06; // of the angle of a step: what a change of velocities does to forces
enum { HALF_BELIEVED = 7, HALVES = 5 };

// The second half converges with the matrix of the first, as was measured lately.
bool tr_si2_halves_known(const tr_step *s) {
  return s->half_age <= HALF_BELIEVED && s->half_rate > 0 && s->half_rate < HALF_SLOW;
}

// What the rate of the halves leaves of one of this size is nothing.
static bool halved(const tr_newton_problem *p, double rate, double now) {
  return rate > 0 && rate < HALF_SLOW && rate / (1 - rate) * now <= HALF_TOL * p->tol;
}

// Velocities have changed by this much since forces were evaluated: positions need another correction where that counts.
static tr_status found(correction *k, double change) {
  k->p.moved = !k->s->sys->flat && GYRATION * k->turn * change > k->p.tol;
  return k->p.moved ? TR_NO_CONVERGENCE : TR_OK;
}

// Velocities follow the positions just found: the second half alone, again and again, since A is not cm X. It is linear;
// what is left of G dw after the first time is the change of G since the matrix was made, and where bodies turn what its
// chart makes of it, |G T - G| dw, up to half the angle: velocities are looked at again while that counts, and near
// singular positions, where solves leave G dw open, each time.
tr_status tr_si2_finish(tr_newton_problem *p, int since) {
  correction *k = (correction *)p;
  tr_step *s = k->s;
  const tr_corrector *c = &s->c;
  int nv = s->sys->nv, nc = s->sys->nc;
  double chart = 0.5 * k->turn, rate = HALF_SCATTER * s->half_rate;
  double last = k->half, change = last, *r = s->newton.r, *low = k->low = r + nv;
  bool believed = s->half_age++ < HALF_BELIEVED;
  if (since == 1 && k->half > HALF_LARGER * s->half_first) return TR_NO_CONVERGENCE;
  if (since == 2 && k->first > 0) s->half_first = k->first;
  if (since > 1 && believed && halved(p, rate, last)) return found(k, last);
  const double *blocks = c->blocks;
  k->scale = -c->cq / (c->cv * c->cw);
  for (int half = 1; half <= HALVES; half++) {
    if (half == 1 || !p->regular || chart * last > 0.5 * HALF_TOL * p->tol) {
      tr_kinematics(s->work, k->t1, k->x1->q, k->x1->v, k->x1->mem, TR_AT_VELOCITY);
      if (!blocks) blocks = tr_mass_blocks(s->work, s->blocks);
      tr_stabilised_rates(s->work, s->mu, low, r);
      tr_si2_scale(k);
    } else {
      tr_constraint_force(s->work, s->mu, r);
      memset(low, 0, (size_t)nc * sizeof *low);
    }
    tr_mass_weigh(s->work, blocks, -1, -c->cm, s->w, r);
    TR_TRY(tr_kkt_solve(&s->kkt, 1, r));
    double now = c->cv * c->cw / c->cq * tr_largest(s->work, r, nv);
    if (!isfinite(now)) return TR_NOT_FINITE;
    tr_si2_follow(k, r);
    change += now;
    if (half > 1 || since > 1) {
      rate = fmax(HALF_LEAST, now / last);
      s->half_rate = fmax(rate, HALF_FADE * s->half_rate), s->half_age = 0;
    }
    last = now;
    if ((half > 1 || since > 1 || believed) && halved(p, rate, now)) return found(k, change);
  }
  p->finishes = false;
  return TR_NO_CONVERGENCE;
}
