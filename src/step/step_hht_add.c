// SPDX-License-Identifier: Apache-2.0
// HHT-ADD: Hilber-Hughes-Taylor for the applied forces, a partitioned pair of multipliers for the
// constraint forces [NJK09].
//
//   f = M^-1 Q,   R_I = -M_n^-1 G_n' psi_I,   R_II = -M_1^-1 G_1' psi_II
//   q1 = q_n o exp(h v + h^2/2 [(1-2beta) a_n + 2beta a1] + h^2/2 [(1-b) R_I + b R_II])
//   v1 = v + h [(1-gamma) a_n + gamma a1] + h/2 (R_I + R_II)
//   a1 = (1+alpha) f1 - alpha f_n,   Phi(q1, t1) = 0,   G1 v1 + Phi_t = 0
// a holds applied accelerations only and belongs to t_n + alpha h. psi_II is a multiplier of first order:
// a and lam for output are computed anew from the state.
//
// Newton, with A = M - (1+alpha)(cq Q_q + cv Q_v) and the totals cv z = dv, cq y = dq:
//   [A G'; G 0] (z, nu) = (e1, rate/cv),    psi_I + psi_II           changes by 2 gamma nu
//   [A G'; G 0] (y, ka) = (e1, Phi/cq),     (1-b) psi_I + b psi_II   changes by 2 beta ka
//   a1 changes by z + M^-1 G' nu
// exact for stiff dampers, approximate for stiff springs: one factorisation, two right-hand sides.
#include <float.h>
#include <math.h>
#include <string.h>

#include "step.h"

typedef struct par {
  double alpha, b;
} par;

static const tr_field fields[] = {
    {"alpha", TR_REAL, TR_NUMBER, offsetof(par, alpha), "-0.3", .min = -1.0 / 3, .max = 0,
     .doc = "numerical damping: 0 none, -1/3 most"},
    {"b", TR_REAL, TR_NUMBER, offsetof(par, b), "0", .min = 0, .max = 1,
     .doc = "share of the second multiplier in the positions; anything but 1/2"},
    {0}};

static const char *check(const void *pv) {
  double b = ((const par *)pv)->b;
  return fabs(b - 0.5) < 1e-3 ? "b = 1/2 makes the equations singular" : NULL;
}

// f_n; a_n; R_I; R_II; scratch; and psi_I, psi_II of the last step and of this one, kept in one room
enum { APPLIED, ACCELERATION, REACTION_I, REACTION_II, SCRATCH, FORCE_1, ROOMS };

typedef struct memory {
  double *G;               // (nG) G_n
  double *blocks;          // (nmass) M_n
  double *psi_1, *psi_2;   // (nc) of the step under way
  double *last_1, *last_2; // and of the last accepted
} memory;

typedef struct correction {
  tr_newton_problem p;
  tr_step *s;
  const tr_state *x0;
  tr_state *x1;
  double h, t1, alpha, b, beta, gamma;
} correction;

static tr_status prepare(tr_step *s) {
  size_t nc = (size_t)s->sys->nc;
  memory *m = s->memory = TR_NEW(&s->arena, 1, memory);
  if (!m) return TR_NO_MEMORY;
  m->G = TR_NEW(&s->arena, s->sys->nG, double);
  m->blocks = TR_NEW(&s->arena, s->sys->nmass, double);
  double *psi = TR_NEW(&s->arena, 4 * nc, double);
  if (!m->G || !m->blocks || !psi) return TR_NO_MEMORY;
  m->psi_1 = psi, m->psi_2 = psi + nc, m->last_1 = psi + 2 * nc, m->last_2 = psi + 3 * nc;
  return TR_OK;
}

// f = M^-1 Q at the point of the last kinematics.
static tr_status applied(tr_step *s, double *f) {
  tr_forces(s->work, NULL, f, NULL);
  for (int i = 0; i < s->sys->nv; i++) f[i] = -f[i];
  return tr_mass_solve(s->work, tr_mass_blocks(s->work, s->blocks), f);
}

static tr_status begin(tr_step *s, const tr_state *x) {
  memory *m = s->memory;
  size_t nc = (size_t)s->sys->nc * sizeof(double), nv = (size_t)s->sys->nv * sizeof(double);
  memcpy(m->last_1, x->lam, nc);
  memcpy(m->last_2, x->lam, nc);
  tr_kinematics(s->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  TR_TRY(applied(s, s->room[APPLIED]));
  memcpy(s->room[ACCELERATION], s->room[APPLIED], nv);
  memcpy(s->past_a[0], s->room[APPLIED], nv); // what the predictor goes on from
  return TR_OK;
}

// -M^-1 G' psi from the rows of G in work->G
static tr_status react(tr_step *s, const double *blocks, const double *psi, double *R) {
  tr_Gt_times(s->work, psi, R);
  for (int i = 0; i < s->sys->nv; i++) R[i] = -R[i];
  return tr_mass_solve(s->work, blocks, R);
}

// R_II at the positions of x1.
static tr_status react_at_end(const correction *k) {
  tr_step *s = k->s;
  const memory *m = s->memory;
  double *R = s->room[REACTION_II];
  tr_kinematics(s->work, k->t1, k->x1->q, k->x1->v, k->x1->mem, TR_AT_POSITION);
  tr_constraint_force(s->work, m->psi_2, R);
  for (int i = 0; i < s->sys->nv; i++) R[i] = -R[i];
  return tr_mass_solve(s->work, tr_mass_blocks(s->work, s->blocks), R);
}

// Kinematics at the iterate: q1 from a1, R_I and R_II at the last q1, then R_II there, then v1.
static tr_status place(const correction *k) {
  tr_step *s = k->s;
  const memory *m = s->memory;
  tr_work *w = s->work;
  tr_state *x = k->x1;
  double h = k->h, *RI = s->room[REACTION_I], *RII = s->room[REACTION_II], *keep = w->G;
  w->G = m->G; // R_I from the rows at t_n
  tr_status status = react(s, m->blocks, m->psi_1, RI);
  w->G = keep;
  TR_TRY(status);
  if (k->b != 0) TR_TRY(react_at_end(k));
  for (int i = 0; i < s->sys->nv; i++)
    s->d[i] = s->c.dhat[i] + s->c.cq * x->a[i] + 0.5 * h * h * ((1 - k->b) * RI[i] + k->b * RII[i]);
  tr_retract(s->sys, k->x0->q, s->d, x->q);
  TR_TRY(react_at_end(k));
  for (int i = 0; i < s->sys->nv; i++)
    x->v[i] = s->c.vhat[i] + s->c.cv * x->a[i] + 0.5 * h * (RI[i] + RII[i]);
  tr_kinematics(w, k->t1, x->q, x->v, x->mem, TR_AT_VELOCITY);
  return TR_OK;
}

// r = (e1, rate/cv, e1, Phi/cq),  e1 = M1 (a1 + alpha f_n) - (1+alpha) Q1
static tr_status residual(tr_newton_problem *p, double *r) {
  correction *k = (correction *)p;
  tr_step *s = k->s;
  int nv = s->sys->nv, nc = s->sys->nc;
  TR_TRY(place(k));
  tr_work *w = s->work;
  double *e4 = r + nv, *again = e4 + nc, *e2 = again + nv, *sum = s->room[SCRATCH];
  tr_forces(w, NULL, s->room[FORCE_1], e2); // -Q1
  tr_rates(w, e4);
  for (int i = 0; i < nv; i++) sum[i] = k->x1->a[i] + k->alpha * s->room[APPLIED][i];
  tr_mass_times(s->sys, tr_mass_blocks(w, s->blocks), sum, r);
  for (int i = 0; i < nv; i++) again[i] = r[i] += (1 + k->alpha) * s->room[FORCE_1][i];
  for (int i = 0; i < nc; i++) e4[i] /= s->c.cv, e2[i] /= s->c.cq;
  return TR_OK;
}

static tr_status matrix(tr_newton_problem *p) {
  const correction *k = (correction *)p;
  tr_step *s = k->s;
  TR_TRY(place(k));
  const tr_state *x = k->x1;
  tr_coefficients weights = {1, (1 + k->alpha) * s->c.cq, (1 + k->alpha) * s->c.cv};
  tr_tangent(s->work, k->t1, x->q, x->v, x->mem, NULL, NULL, NULL, weights, s->kkt.values);
  s->matrix_cq = s->c.cq, s->matrix_cv = s->c.cv, s->matrix_cm = 1;
  return tr_kkt_factor(&s->kkt);
}

static tr_status solve(tr_newton_problem *p, double *r) {
  return tr_kkt_solve(&((correction *)p)->s->kkt, 2, r);
}

static void update(tr_newton_problem *p, const double *dx) {
  correction *k = (correction *)p;
  tr_step *s = k->s;
  memory *m = s->memory;
  int nv = s->sys->nv, nc = s->sys->nc;
  const double *nu = dx + nv, *ka = dx + 2 * nv + nc;
  double *push = s->room[SCRATCH];
  tr_constraint_force(s->work, nu, push);
  // The mass was positive definite a moment ago, in place().
  (void)tr_mass_solve(s->work, tr_mass_blocks(s->work, s->blocks), push);
  for (int i = 0; i < nv; i++) k->x1->a[i] -= dx[i] + push[i];
  for (int i = 0; i < nc; i++) {
    double sum = 2 * k->gamma * nu[i], mix = 2 * k->beta * ka[i];
    double first = (mix - k->b * sum) / (1 - 2 * k->b);
    m->psi_1[i] -= first;
    m->psi_2[i] -= sum - first;
  }
}

static double norm(const tr_newton_problem *p, const double *dx) {
  const tr_step *s = ((const correction *)p)->s;
  int nv = s->sys->nv, nc = s->sys->nc;
  double most = 0;
  for (int i = 0; i < nv; i++) most = fmax(most, fmax(fabs(dx[i]), fabs(dx[nv + nc + i])));
  return s->c.cv * most;
}

static bool at_floor(const tr_newton_problem *p, const double *r) {
  const correction *k = (const correction *)p;
  const tr_step *s = k->s;
  int nv = s->sys->nv, nc = s->sys->nc;
  double most = 0;
  for (int i = 0; i < nc; i++) most = fmax(most, fmax(fabs(r[nv + i]), fabs(r[2 * nv + nc + i])));
  return most * s->c.cv <= 64 * p->floor;
}

static tr_status advance(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  const par *p = s->par;
  memory *m = s->memory;
  tr_corrector *c = &s->c;
  int nv = s->sys->nv, nc = s->sys->nc;
  double al = p->alpha, gamma = 0.5 * (1 - 2 * al), beta = 0.25 * (1 - al) * (1 - al);
  double stretch = s->last_h > 0 ? h / s->last_h : 1, length = 1;
  c->cq = beta * h * h, c->cv = gamma * h, c->cm = 1;
  tr_kinematics(s->work, x0->t, x0->q, x0->v, x0->mem, TR_AT_POSITION);
  tr_jacobian(s->work);
  memcpy(m->G, s->work->G, (size_t)s->sys->nG * sizeof *m->G);
  const double *blocks = tr_mass_blocks(s->work, m->blocks);
  if (blocks != m->blocks) memcpy(m->blocks, blocks, (size_t)s->sys->nmass * sizeof *blocks);
  for (int i = 0; i < nv; i++) {
    double f = s->room[APPLIED][i], a = f + stretch * (s->room[ACCELERATION][i] - f);
    c->dhat[i] = h * x0->v[i] + h * h * (0.5 - beta) * a;
    c->vhat[i] = x0->v[i] + h * (1 - gamma) * a;
  }
  for (int i = 0; i < s->sys->nq; i++) length = fmax(length, fabs(x0->q[i]));
  correction k = {.p = {.residual = residual,
                        .matrix = matrix,
                        .solve = solve,
                        .update = update,
                        .norm = norm,
                        .at_floor = at_floor,
                        .floor = 4 * DBL_EPSILON * length * c->cv / c->cq},
                  .s = s,
                  .x0 = x0,
                  .x1 = x1,
                  .h = h,
                  .t1 = x0->t + h,
                  .alpha = al,
                  .b = p->b,
                  .beta = beta,
                  .gamma = gamma};
  k.p.tol = fmax(tr_step_tolerance(s, x0), k.p.floor);
  if (c->cq != s->matrix_cq || c->cv != s->matrix_cv) s->newton.valid = false;
  memcpy(x1->mem, x0->mem, (size_t)s->sys->nmem * sizeof *x1->mem);
  memcpy(m->psi_1, m->last_1, (size_t)nc * sizeof *m->psi_1);
  memcpy(m->psi_2, m->last_2, (size_t)nc * sizeof *m->psi_2);
  x1->t = k.t1;
  memcpy(x1->v, x0->v, (size_t)nv * sizeof *x1->v);
  for (int i = 0; i < nv; i++) s->d[i] = h * x0->v[i];
  tr_retract(s->sys, x0->q, s->d, x1->q); // where R_II is first looked for
  TR_TRY(tr_newton_solve(&s->newton, &k.p));
  TR_TRY(place(&k));
  for (int i = 0; i < nc; i++) x1->lam[i] = 0.5 * (m->psi_1[i] + m->psi_2[i]);
  return TR_OK;
}

// f1 from the equation: (1+alpha) f1 = a1 + alpha f_n
static void accept(tr_step *s, const tr_state *x0, const tr_state *x1) {
  (void)x0;
  memory *m = s->memory;
  double al = ((const par *)s->par)->alpha;
  for (int i = 0; i < s->sys->nv; i++) {
    s->room[APPLIED][i] = (x1->a[i] + al * s->room[APPLIED][i]) / (1 + al);
    s->room[ACCELERATION][i] = x1->a[i];
  }
  double *p1 = m->psi_1, *p2 = m->psi_2;
  m->psi_1 = m->last_1, m->psi_2 = m->last_2;
  m->last_1 = p1, m->last_2 = p2;
}

const tr_method tr_method_hht_add = {
    .info = {.name = "hht-add",
             .doc = "Hilber-Hughes-Taylor with additive constraint forces",
             .fields = fields,
             .levels = "position and velocity",
             .order_q = 2,
             .order_v = 2,
             .order_lam = 2,
             .damping = "high frequencies of the applied forces, by alpha",
             .cost = "one KKT system, two right-hand sides, one G",
             .reference = "NJK09"},
    .par_size = sizeof(par),
    .check = check,
    .recompute = true,
    .vectors = ROOMS,
    .prepare = prepare,
    .begin = begin,
    .advance = advance,
    .accept = accept,
};
