// SPDX-License-Identifier: Apache-2.0
// What round-off leaves of the residuals of corrector_si2.c, and what it does to the unknowns; what corrections leave where
// friction sticks.
#include <float.h>
#include <math.h>
#include <string.h>

#include "corrector_si2.h"
#include "math/vector.h"

// The sizes of its entries, times f, where the values are not at hand.
static const tr_kkt *look(const correction *k, const tr_sizes *out) {
  tr_step *s = k->s;
  const tr_kkt *held = tr_step_look(s);
  if (held) return held;
  tr_tangent_sizes(s->work, s->sum_a, s->c.plain ? NULL : s->sum_lam, s->c.blocks,
                   tr_si2_weights(&s->c), out);
  return NULL;
}

// The same of the second half.
static const tr_kkt *look_second(const correction *k, const tr_sizes *out) {
  const tr_step *s = k->s;
  if (!s->stiff && !s->turns) return look(k, out);
  if (s->projection.held) return &s->projection;
  tr_tangent_sizes(s->work, NULL, NULL, s->c.blocks, (tr_coefficients){.cm = s->c.cm}, out);
  return NULL;
}

// Of the step before, or what its accelerations make in this one.
static double fastest(const correction *k) {
  const tr_step *s = k->s;
  double v = tr_largest(s->work, k->x0->v, s->sys->nv);
  return fmax(v, s->c.cv * tr_largest(s->work, k->x0->a, s->sys->nv));
}

// Constraints at round-off of the coordinates and velocities, forces at that of their terms.
bool tr_si2_at_floor(const tr_newton_problem *p, const double *r) {
  const correction *k = (const correction *)p;
  tr_step *s = k->s;
  const tr_corrector *c = &s->c;
  const tr_kkt *second = s->stiff || s->turns ? &s->projection : &s->kkt;
  int nv = s->sys->nv, nc = s->sys->nc;
  if (c->few && c->multipliers) return false; // residuals tell little of lam and mu
  double positions = 64 * DBL_EPSILON * k->length_scale;
  double speed = fastest(k),
         both = positions + 64 * DBL_EPSILON * speed * c->cq / c->cv; // e2 - cq e4
  double noise = 64 * DBL_EPSILON * speed + positions * c->cv / c->cq;
  if (!tr_rows_at_floor(s, &s->kkt, c->cq, positions, noise, r + nv) ||
      (!k->apart && !tr_rows_at_floor(s, second, c->cw, both, noise, r + 2 * nv + nc)))
    return false;
  const double *a = k->apart ? s->sum_a : k->x1->a, *lam = k->apart ? s->sum_lam : k->x1->lam;
  tr_sizes sizes = tr_step_sizes(s, lam);
  if (!tr_forces_at_floor(s, look(k, &sizes), a, lam, k->length_scale / c->cq, 64, r)) return false;
  if (k->apart) return true;
  sizes.f = s->mu;
  return tr_forces_at_floor(s, look_second(k, &sizes), s->w, s->mu, k->length_scale / c->cw, 64,
                            r + nv + nc);
}

bool tr_si2_closed(const tr_newton_problem *p, const double *r) {
  const correction *k = (const correction *)p;
  const tr_step *s = k->s;
  return s->c.few || tr_rows_closed(s, k->length_scale, p->tol, r + s->sys->nv);
}

// What round-off alone makes of `weighted`: that of each coordinate, and cj of it in its velocity; on curved
// coordinates, or where multipliers count, that of the largest.
double tr_si2_few_floor(const correction *k) {
  const tr_step *s = k->s;
  const tr_corrector *c = &s->c;
  double cj = c->cv / c->cq, sum = 0;
  if (c->multipliers || !s->sys->flat)
    return 4 * DBL_EPSILON * k->length_scale * fmax(1, c->multipliers ? cj * cj : cj) / s->allowed;
  for (int i = 0; i < s->sys->nv; i++) {
    double q = k->x0->q[i], dq = q / s->scale_q[i], dv = cj * q / s->scale_v[i];
    sum += dq * dq + dv * dv;
  }
  return 4 * DBL_EPSILON * sqrt(sum / (2 * s->sys->nv)) / s->allowed;
}

// Forces of either half, unless that of rows alone is asked for; second NULL: of the first.
static void force_noise(const correction *k, int draw, double *first, double *second) {
  tr_step *s = k->s;
  const double *a = k->apart ? s->sum_a : k->x1->a, *lam = k->apart ? s->sum_lam : k->x1->lam;
  tr_sizes sizes = {s->sys->nv, lam, first, tr_step_sizes(s, NULL).diagonal};
  tr_forces_noise(s, draw, look(k, &sizes), a, lam, first);
  if (!second) return;
  sizes.f = s->mu, sizes.pull = second;
  tr_forces_noise(s, draw, look_second(k, &sizes), s->w, s->mu, second);
}

tr_status tr_si2_noise(tr_newton_problem *p, double *b) {
  correction *k = (correction *)p;
  const tr_step *s = k->s;
  const tr_corrector *c = &s->c;
  int nv = s->sys->nv, nc = s->sys->nc, n = nv + nc;
  double rows = DBL_EPSILON * k->length_scale, *second = k->apart ? NULL : b + n;
  bool alone = k->alone;
  if (p->of_rows)
    memset(b, 0, (size_t)(second ? 2 * n : n) * sizeof *b);
  else
    force_noise(k, p->draw, b, second);
  tr_rows_noise(p->draw, nc, rows / c->cq, b + nv);
  if (second) {
    double both = rows + DBL_EPSILON * fastest(k) * c->cq / c->cv;
    tr_rows_noise(p->draw, nc, both / c->cw, second + nv);
  }
  k->alone = k->apart;
  tr_status status = p->solve(p, b);
  k->alone = alone;
  return status;
}

// ---- friction that sticks -------------------------------------------------------------------------

static const double CLEAR = 0.3; // contraction that needs no other look

// In s->newton.spare: the last correction, and the one before.
void tr_si2_keep(const correction *k) {
  size_t nv = (size_t)k->s->sys->nv;
  double *last = k->s->newton.spare;
  memcpy(last + nv, last, nv * sizeof *last);
  memcpy(last, k->dx, nv * sizeof *last);
}

// An acceleration over what the step may have, of the positions and velocities that it makes.
static double weigh(const tr_step *s, int i, double a) {
  const tr_corrector *c = &s->c;
  return hypot(c->cq * a / s->scale_q[i], c->cv * a / s->scale_v[i]) / s->allowed;
}

// Of the coordinates where what it hides of e1, stuck times as much, is more than the tolerance.
static double contraction(const correction *k, const double *now, const double *before) {
  const tr_step *s = k->s;
  double a = 0, b = 0;
  for (int i = 0; i < s->sys->nv; i++)
    if (s->stuck[i] * weigh(s, i, now[i]) > k->p.tol)
      a = hypot(a, weigh(s, i, now[i])), b = hypot(b, weigh(s, i, before[i]));
  return a > k->p.floor ? a / b : 0;
}

tr_status tr_si2_contraction(correction *k, double *rate) {
  tr_step *s = k->s;
  int nv = s->sys->nv;
  double *r = s->newton.r, *last = s->newton.spare, *y = last + nv, most = 0;
  const double *blocks = s->c.blocks;
  *rate = contraction(k, last, k->begun > 1 ? y : last);
  if (*rate < CLEAR) return TR_OK;
  *rate = 0;
  s->newton.residuals++;
  TR_TRY(k->p.residual(&k->p, r));
  if (!blocks) blocks = tr_mass_blocks(s->work, s->blocks);
  memcpy(y, r, (size_t)nv * sizeof *y);
  bool massive = tr_mass_solve(s->work, blocks, y) == TR_OK;
  for (int i = 0; i < nv; i++)
    if (s->stuck[i] > 0) most = fmax(most, massive ? weigh(s, i, y[i] / s->c.cm) : INFINITY);
  if (most <= k->p.tol) return TR_OK;
  TR_TRY(k->p.solve(&k->p, r));
  *rate = contraction(k, r, last);
  return TR_OK;
}
