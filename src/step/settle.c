// SPDX-License-Identifier: Apache-2.0
// States and variables where explicit methods look at forces: their v is put on their equations.
//
//   Gam(v, q, t) = 0 in the rows of numbers, for the v of numbers, with bodies as they are:
//   [M G'; G 0] (d, .) = (0, -Gam),   v <- v + d in numbers alone
// Formulas alone would not do. X' = f may jump, and feedback would take its time; a variable that switches where another
// one tells it must read the value of that very place; and where an equation has no solution any more one linear
// step leads on to any number. By the matrix at hand, and where that does not lead on by those of the place itself.
#include <math.h>
#include <string.h>

#include "step.h"

enum { MOST = 60 };                            // a root of a square is found by halves
static const double ENOUGH = 1e-9;             // of a number, or of its scale
static const double ROUND = 1e-5, STUCK = 0.9; // round-off may keep it so far off, for ever
static const double SLOW = 0.25;               // contraction that is worth a matrix

// d into s->newton.r.
static tr_status find_change(tr_step *s, tr_kkt *kkt, double t, const double *q, const double *v,
                             const double *mem, const double *guess, bool fresh) {
  const tr_system *sys = s->sys;
  double *r = s->newton.r, *gam = r + sys->nv;
  if (fresh) {
    tr_tangent(s->work, t, q, v, mem, NULL, NULL, NULL, (tr_coefficients){.cm = 1}, kkt->values);
    tr_plain_columns(s->work, kkt->values);
    s->newton.matrices += kkt == &s->kkt;
    TR_TRY(tr_kkt_factor(kkt));
  }
  tr_kinematics(s->work, t, q, v, mem, TR_AT_VELOCITY);
  if (sys->nreaction > 0) tr_show_reactions(s->work, guess);
  tr_rates(s->work, gam);
  memset(r, 0, (size_t)sys->nv * sizeof *r);
  for (int i = 0; i < sys->nc; i++) gam[i] = sys->of_number[i] ? -gam[i] : 0;
  return tr_kkt_solve(kkt, 1, r);
}

// The largest change; *worst: whose it is.
static double change(const tr_system *sys, const double *d, double *v, int *worst) {
  double most = 0;
  for (int i = 0; i < sys->nv; i++) {
    if (!sys->number[i]) continue;
    v[i] += d[i];
    double part = fabs(d[i]) / fmax(1, fabs(v[i]));
    if (!(part <= most)) most = isfinite(part) ? part : INFINITY, *worst = i;
  }
  return most;
}

// *worst: the one that is not found.
static tr_status settle(tr_step *s, tr_kkt *kkt, double t, const double *q, double *v,
                        const double *mem, const double *guess, int *worst) {
  double last = INFINITY;
  bool fresh = kkt != &s->kkt;
  *worst = -1;
  for (int k = 0; k < MOST; k++) {
    tr_status status = find_change(s, kkt, t, q, v, mem, guess, fresh);
    if (status < 0 || (status > 0 && *worst < 0)) return status;
    double most = status > 0 ? INFINITY : change(s->sys, s->newton.r, v, worst);
    if (most <= ENOUGH || (most <= ROUND && most > STUCK * last)) return TR_OK;
    if (isinf(most)) break;
    fresh = most > SLOW * last;
    last = most;
  }
  return TR_NO_CONVERGENCE;
}

tr_status tr_settle_numbers(tr_step *s, double t, const double *q, double *v, const double *mem,
                            const double *guess) {
  int worst;
  if (s->sys->nnumber == 0) return TR_OK;
  tr_status status = settle(s, &s->kkt, t, q, v, mem, guess, &worst);
  if (status == TR_NO_CONVERGENCE && worst >= 0) s->unsettled = worst;
  return status;
}

tr_status tr_settle_aside(tr_step *s, tr_kkt *kkt, double t, const double *q, double *v,
                          const double *mem, const double *guess) {
  int worst;
  return settle(s, kkt, t, q, v, mem, guess, &worst);
}
