// SPDX-License-Identifier: Apache-2.0
// The corrector of the stabilised index-2 family [NJK09], at the cost of the index-3 one.
//
// Unknowns (a1, lam1, w, mu):
//   q1 = q_n o exp(dhat + cq a1 + cw w),  v1 = vhat + cv a1
//   e1 = cm Mass a1 + G' lam - Q + history,   e4 = (G v1 + Phi_t)/cv
//   e3 = cm X w - G' mu,                      e2 = Phi(q1, t1)
// w and mu vanish with the truncation error, so the Newton matrix needs no terms with mu, and from
// e4 the correction of a is known on G:  G da = e4. Then both halves have index-3 size:
//   [ A   G'; G 0 ] (da, dlam) = (e1, e4)            A = cm M + cq (..)_q - cv Q_v, as on index 3
//   [cm X G'; G 0 ] (dw, -dmu) = (e3, (e2 - cq e4)/cw)
// A differs from cm X by O(h) unless the forces are stiff: then one factorisation serves both, as two
// right-hand sides of one solve. A stiff system (row sums of A - cm X beyond STIFF of the diagonal),
// or the unit metric, gets a factorisation of its own for the second half.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/vector.h"
#include "step.h"

static const double STIFF = 0.1;

typedef struct correction {
  tr_newton_problem p;
  tr_step *s;
  const tr_state *x0;
  tr_state *x1;
  double t1, force_scale, length_scale, speed;
} correction;

static void place(const correction *k) {
  const tr_step *s = k->s;
  const tr_corrector *c = &s->c;
  const double *a = k->x1->a;
  for (int i = 0; i < s->sys->nv; i++) {
    s->d[i] = c->dhat[i] + c->cq * a[i] + c->cw * s->w[i];
    k->x1->v[i] = c->vhat[i] + c->cv * a[i];
  }
  tr_retract(s->sys, k->x0->q, s->d, k->x1->q);
}

// r = (e1, e4, e3, (e2 - cq e4)/cw)
static tr_status residual(tr_newton_problem *p, double *r) {
  correction *k = (correction *)p;
  tr_step *s = k->s;
  const tr_corrector *c = &s->c;
  const tr_state *x = k->x1;
  tr_work *w = s->work;
  int nv = s->sys->nv, nc = s->sys->nc;
  double *e1 = r, *e4 = r + nv, *e3 = e4 + nc, *e2 = e3 + nv;
  tr_kinematics(w, k->t1, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_forces(w, x->lam, e1, e2);
  tr_rates(w, e4);
  tr_constraint_force(w, s->mu, e3);
  const double *blocks = c->blocks ? c->blocks : tr_mass_blocks(w, s->blocks);
  tr_mass_times(s->sys, blocks, x->a, w->x);
  for (int i = 0; i < nv; i++) e1[i] += c->cm * w->x[i] + (c->history ? c->history[i] : 0);
  if (c->unit_metric)
    memcpy(w->x, s->w, (size_t)nv * sizeof *w->x);
  else
    tr_mass_times(s->sys, blocks, s->w, w->x);
  for (int i = 0; i < nv; i++) e3[i] = c->cm * w->x[i] - e3[i];
  for (int i = 0; i < nc; i++) {
    e4[i] /= c->cv;
    e2[i] = (e2[i] - c->cq * e4[i]) / c->cw;
  }
  return TR_OK;
}

// The matrix of the second half from that of the first: its corner becomes cm X. True: they differ.
static bool project(tr_step *s, const double *blocks) {
  const tr_system *sys = s->sys;
  const tr_pattern *p = &sys->pattern;
  const double *A = s->kkt.values;
  double *P = s->projection.values, *off = s->work->x, *diagonal = s->work->y;
  memcpy(P, A, ((size_t)p->nnz + 1) * sizeof *P);
  for (int j = 0; j < sys->nv; j++)
    for (int k = p->column[j]; k < p->column[j + 1] && p->row[k] < sys->nv; k++) P[k] = 0;
  for (int i = 0; i < sys->nbody; i++) {
    const sys_body *b = &sys->body[i];
    for (int k = 0; k < b->nv * b->nv; k++) {
      double x = s->c.unit_metric ? k % (b->nv + 1) == 0 : blocks[b->mass + k];
      P[sys->mass_slot[b->mass + k]] += s->c.cm * x;
      if (k % (b->nv + 1) == 0) diagonal[b->v + k / b->nv] = s->c.cm * x;
    }
  }
  memset(off, 0, (size_t)sys->nv * sizeof *off);
  for (int j = 0; j < sys->nv; j++)
    for (int k = p->column[j]; k < p->column[j + 1] && p->row[k] < sys->nv; k++)
      off[p->row[k]] += fabs(A[k] - P[k]);
  for (int i = 0; i < sys->nv; i++)
    if (off[i] > STIFF * diagonal[i]) return true;
  return false;
}

static tr_status matrix(tr_newton_problem *p) {
  const correction *k = (correction *)p;
  tr_step *s = k->s;
  const tr_corrector *c = &s->c;
  const tr_state *x = k->x1;
  tr_coefficients weights = {.cm = c->cm, .ck = c->cq, .cd = c->cv};
  tr_tangent(s->work, k->t1, x->q, x->v, x->mem, x->a, x->lam, c->blocks, weights, s->kkt.values);
  s->matrix_cq = c->cq, s->matrix_cv = c->cv, s->matrix_cm = c->cm;
  TR_TRY(tr_kkt_factor(&s->kkt));
  s->stiff = project(s, c->blocks ? c->blocks : tr_mass_blocks(s->work, s->blocks));
  return s->stiff ? tr_kkt_factor(&s->projection) : TR_OK;
}

static tr_status solve(tr_newton_problem *p, double *r) {
  tr_step *s = ((correction *)p)->s;
  if (!s->stiff) return tr_kkt_solve(&s->kkt, 2, r);
  TR_TRY(tr_kkt_solve(&s->kkt, 1, r));
  return tr_kkt_solve(&s->projection, 1, r + s->sys->nv + s->sys->nc);
}

static void update(tr_newton_problem *p, const double *dx) {
  correction *k = (correction *)p;
  tr_step *s = k->s;
  int nv = s->sys->nv, nc = s->sys->nc;
  const double *dlam = dx + nv, *dw = dlam + nc, *dmu = dw + nv;
  for (int i = 0; i < nv; i++) k->x1->a[i] -= dx[i], s->w[i] -= dw[i];
  for (int i = 0; i < nc; i++) k->x1->lam[i] -= dlam[i], s->mu[i] += dmu[i];
  place(k);
}

// Corrections of the velocities, cv da, and of the positions, brought to the same scale.
static double norm(const tr_newton_problem *p, const double *dx) {
  const tr_step *s = ((const correction *)p)->s;
  int nv = s->sys->nv, nc = s->sys->nc;
  double da = largest(dx, nv), dw = largest(dx + nv + nc, nv);
  return s->c.cv * fmax(da, s->c.cw / s->c.cq * dw);
}

static bool at_floor(const tr_newton_problem *p, const double *r) {
  const correction *k = (const correction *)p;
  const tr_step *s = k->s;
  int nv = s->sys->nv, nc = s->sys->nc;
  double stiff = 1 / s->c.cq,
         forces = 1e3 * DBL_EPSILON * (k->force_scale + k->length_scale * stiff);
  return largest(r, nv) <= forces && largest(r + nv + nc, nv) <= forces &&
         largest(r + nv, nc) * s->c.cv <= 64 * DBL_EPSILON * k->speed &&
         largest(r + 2 * nv + nc, nc) * s->c.cw <= 64 * DBL_EPSILON * k->length_scale;
}

tr_status tr_correct_si2(tr_step *s, const tr_state *x0, double t1, tr_state *x1) {
  const tr_corrector *c = &s->c;
  int nv = s->sys->nv, nc = s->sys->nc, nq = s->sys->nq;
  correction k = {.p = {.residual = residual,
                        .matrix = matrix,
                        .solve = solve,
                        .update = update,
                        .norm = norm,
                        .at_floor = at_floor},
                  .s = s,
                  .x0 = x0,
                  .x1 = x1,
                  .t1 = t1};
  k.length_scale = fmax(1, largest(x0->q, nq));
  k.force_scale = largest(x0->lam, nc) + largest(x0->a, nv);
  k.speed = fmax(largest(x0->v, nv), c->cv * largest(x0->a, nv));
  k.p.floor = 4 * DBL_EPSILON * k.length_scale * c->cv / c->cq;
  k.p.tol = fmax(tr_step_tolerance(s, x0), k.p.floor);
  if (c->cq != s->matrix_cq || c->cv != s->matrix_cv || c->cm != s->matrix_cm)
    s->newton.valid = false;
  memcpy(x1->mem, x0->mem, (size_t)s->sys->nmem * sizeof *x1->mem);
  x1->t = t1;
  // w and mu continue on a line through the last two
  double more = s->past > 2 && s->settings.fixed_iterations == 0 ? 1 : 0;
  for (int i = 0; i < nv; i++) s->w[i] = s->last_w[i] + more * (s->last_w[i] - s->older_w[i]);
  for (int i = 0; i < nc; i++) s->mu[i] = s->last_mu[i] + more * (s->last_mu[i] - s->older_mu[i]);
  place(&k);
  return tr_newton_solve(&s->newton, &k.p);
}
