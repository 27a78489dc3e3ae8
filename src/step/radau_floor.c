// SPDX-License-Identifier: Apache-2.0
// What velocities of states and variables are measured by in corrector_radau.c, and what round-off leaves of its residuals.
//
// A rate, or the value of a variable, is known as well as what it is made of:  Gam = v - F,  dv = F_q dq + F_v dv.  With a
// time constant tau that is eps/tau at best, and no smaller correction is to be asked for. So under step control the
// tolerance of theirs is not below ROUND of
//   |F_q| length + |F_v| speed
// while bodies are not measured by rates of states.
#include <float.h>
#include <math.h>
#include <string.h>

#include "corrector_radau.h"

// See find_sizes: units of what counts as round-off; the same of springs at one place, over that.
static const double FLOOR = 64 * DBL_EPSILON, FARTHEST = 64, ONE_EVALUATION = 1.0 / 32;
static const double ROUND = 16 * DBL_EPSILON; // of rates of numbers

// The length of the step that w^2 K - w Q_v in s->kkt belongs to, over its eigenvalue.
static double matrix_w(const correction *k) {
  return tr_radau_real() * (k->m->plain && !k->each ? k->m->h0 : k->h);
}

// ---- numbers --------------------------------------------------------------------------------------

// Of one number, from those before it.
static double reach_of(const correction *c, const sys_joint *joint, const double *reach) {
  const tr_step *s = c->s;
  const tr_pattern *p = &s->sys->pattern;
  const double *A = s->kkt.values, *P = s->projection.values;
  int row = s->sys->nv + joint->row, number = s->sys->body[joint->e.body[0]].v;
  sys_block block;
  const sys_block *b = tr_joint_block(s->sys, joint, &block);
  double own = 0, made = 0, by_q = c->length / matrix_w(c);
  for (int k = 0; k < b->count; k++)
    for (int j = b->v[k]; j < b->v[k] + b->nv[k]; j++) {
      int at = tr_pattern_slot(p, row, j);
      if (at >= p->nnz) continue;
      made += fabs(A[at] - P[at]) * by_q + (j == number ? 0 : fabs(P[at]) * reach[j]);
      if (j == number) own = fabs(P[at]);
    }
  return made / own;
}

void tr_radau_find_reach(const correction *k) {
  const tr_system *sys = k->s->sys;
  const tr_state *x = k->x0;
  double *reach = k->m->reach, *unit = k->m->unit;
  if (!k->apart) return;
  for (int j = 0; j < sys->nv; j++) {
    double own = sys->number[j] ? fmax(fabs(x->v[j]), k->h * fabs(x->a[j])) : 0;
    reach[j] = unit[j] = fmax(own, k->speed);
  }
  for (int i = 0; i < sys->njoint; i++) {
    if (sys->joint[i].ops->rows == 0 || !sys->of_number[sys->joint[i].row]) continue;
    double made = reach_of(k, &sys->joint[i], reach);
    int number = sys->body[sys->joint[i].e.body[0]].v;
    if (!isfinite(made)) continue;
    reach[number] = fmax(reach[number], made);
    unit[number] = fmax(unit[number], ROUND / k->p.tol * made);
  }
}

// ---- round-off ------------------------------------------------------------------------------------

// What round-off in e1 and e3 of a stage is relative to: the terms of a and U, which cancel; springs and dampers, which
// feel the round-off of the place; multipliers that cancel each other. Places are known to eps, near a singular position
// to eps/rcond, and multipliers after them: fixed steps, which ask for all there is, end there. Under step control, where
// the rest of one step after the other adds up in the same direction, that is no excuse. There not more than FARTHEST
// times what moves the row that bears most: an iterate that was thrown off would explain itself.
static void find_sizes(const correction *k, int i, double *high, double *low) {
  const tr_step *s = k->s;
  const tr_radau *m = k->m;
  const tr_pattern *p = &s->sys->pattern;
  const double *A = s->kkt.values, *P = s->projection.values;
  double g = matrix_w(k), most = 0, rcond = 1;
  int nv = s->sys->nv;
  for (int l = 0; k->each && l < STAGES; l++) rcond = fmin(rcond, m->stage[l].rcond);
  bool lenient = !(s->allowed > 0);
  double spread = lenient ? k->length / rcond : 0;
  double felt = (lenient ? 1 : ONE_EVALUATION) * k->length / (g * g);
  tr_forces_pull(&s->kkt, nv, m->lam[i], high);
  tr_forces_pull(&s->kkt, nv, m->mu[i], low);
  for (int j = 0; j < nv; j++) {
    double own = k->apart && s->sys->number[j] ? m->reach[j] : 0;
    double a = spread / (g * g) + own / g, U = spread / g + fabs(k->x0->v[j]) + own;
    for (int l = 0; l < STAGES; l++) {
      a += fabs(k->B[i][l] * m->z[l][j]);
      U += fabs(k->B[i][l] * m->u[l][j]);
    }
    for (int e = p->column[j]; e < p->column[j + 1] && p->row[e] < nv; e++) {
      high[p->row[e]] += fabs(P[e]) * a + fabs(A[e] - P[e]) * felt;
      low[p->row[e]] += fabs(P[e]) * U;
      most = fmax(most, fabs(A[e]));
    }
  }
  most = lenient ? INFINITY : most * FARTHEST * k->length / g;
  for (int j = 0; j < nv; j++) high[j] = fmin(high[j], most / g), low[j] = fmin(low[j], most);
}

// Rates (nc) of numbers are, with what their increments follow them by: e4, e2 + e4.
static bool numbers_at_floor(const correction *k, const double *both, const double *rate) {
  const tr_system *sys = k->s->sys;
  bool all = true;
  for (int i = 0; k->apart && i < sys->njoint && all; i++) {
    const sys_joint *j = &sys->joint[i];
    if (j->ops->rows == 0 || !sys->of_number[j->row] || sys->follows[j->row]) continue;
    double most = FLOOR * k->m->reach[sys->body[j->e.body[0]].v];
    all = fabs(rate[j->row]) <= most && fabs(both[j->row]) <= most + FLOOR * k->length / k->h;
  }
  return all;
}

// Constraints of a stage, positions and rates, at round-off.
static bool rows_at_floor(const correction *k, const double *phi, const double *rate) {
  tr_step *s = k->s;
  double speed = FLOOR * k->speed, length = FLOOR * k->length, g = k->h * tr_radau_real();
  if (!numbers_at_floor(k, phi, rate)) return false;
  s->c.cq = g * g, s->c.cv = g; // as in the matrix, where Gam_q counts w
  for (int i = 0; i < s->sys->nc; i++)
    if (!s->sys->of_velocity[i] && !(fabs(rate[i]) <= speed)) return false;
  for (int i = 0; s->sys->nvelocity > 0 && i < s->sys->nc; i++)
    s->lam[i] = (s->sys->of_velocity[i] ? rate[i] / g : phi[i]);
  return tr_rows_at_floor(s, &s->kkt, 1, length, speed + length / g,
                          s->sys->nvelocity > 0 ? s->lam : phi);
}

bool tr_radau_at_floor(const tr_newton_problem *p, const double *r) {
  const correction *k = (const correction *)p;
  int nv = k->s->sys->nv, n = nv + k->s->sys->nc;
  double *high = k->m->b, *low = high + n;
  for (int i = 0; i < STAGES; i++) {
    const double *e1 = r + i * n, *e3 = r + (STAGES + i) * n;
    if (!rows_at_floor(k, e1 + nv, e3 + nv)) return false;
    find_sizes(k, i, high, low);
    for (int j = 0; j < nv; j++)
      if (!(fabs(e1[j]) <= FLOOR * high[j] && fabs(e3[j]) <= FLOOR * low[j])) return false;
  }
  return true;
}

// Forces (nv) by which springs and dampers feel that places are known to eps. With matrices that know of them they are
// little, and may be those of an iterate that was thrown off: not there.
static void find_felt(const correction *k, double *felt) {
  const tr_step *s = k->s;
  const tr_pattern *p = &s->sys->pattern;
  const double *A = s->kkt.values, *P = s->projection.values, w = matrix_w(k);
  double eps = DBL_EPSILON * k->length / (w * w);
  memset(felt, 0, (size_t)s->sys->nv * sizeof *felt);
  for (int j = 0; k->m->plain && !k->each && j < s->sys->nv; j++)
    for (int e = p->column[j]; e < p->column[j + 1] && p->row[e] < s->sys->nv; e++)
      felt[p->row[e]] += fabs(A[e] - P[e]) * eps;
}

// In rows of numbers (nc) that of their rates.
static void blur_numbers(const correction *k, double *high, double *low) {
  const tr_system *sys = k->s->sys;
  for (int i = 0; i < sys->njoint; i++) {
    const sys_joint *j = &sys->joint[i];
    if (j->ops->rows == 0 || !sys->of_number[j->row]) continue;
    double reach = k->m->reach[sys->body[j->e.body[0]].v];
    high[j->row] *= reach / k->length, low[j->row] *= reach / k->speed;
  }
}

// Round-off of the stages, with signs that differ from one to the next.
void tr_radau_make_noise(const correction *k, double *b) {
  const tr_radau *m = k->m;
  tr_step *s = k->s;
  int nv = s->sys->nv, nc = s->sys->nc, n = nv + nc;
  double *felt = m->b;
  find_felt(k, felt);
  for (int i = 0; i < STAGES; i++) {
    double *high = b + i * n, *low = b + (STAGES + i) * n, sign = i == 1 ? -1 : 1;
    tr_forces_noise(s, k->p.draw, &s->kkt, m->a[i], m->lam[i], high);
    for (int j = 0; j < nv; j++) high[j] += copysign(felt[j], high[j]);
    tr_rows_noise(k->p.draw, nc, DBL_EPSILON * k->length, high + nv);
    tr_forces_noise(s, k->p.draw, &s->projection, m->U[i], m->mu[i], low);
    tr_rows_noise(k->p.draw, nc, DBL_EPSILON * k->speed, low + nv);
    if (k->apart) blur_numbers(k, high + nv, low + nv);
    for (int j = 0; j < n; j++) high[j] *= sign, low[j] *= sign;
  }
}
