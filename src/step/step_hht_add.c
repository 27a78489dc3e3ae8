// SPDX-License-Identifier: Apache-2.0
// HHT-ADD: Hilber-Hughes-Taylor for the applied forces, a partitioned pair of multipliers for the
// constraint forces [NJK09].
//
//   f = M^-1 Q,   R_I = -M_n^-1 G_n' psi_I,   R_II = -M_1^-1 G_1' psi_II
//   q1 = q_n o exp(h v + h^2/2 [(1-2beta) a_n + 2beta a1] + h^2/2 [(1-b) R_I + b R_II])
//   v1 = v + h [(1-gamma) a_n + gamma a1] + h/2 (R_I + R_II)
//   a1 = (1+alpha) f1 - alpha f_n,   Phi(q1, t1) = 0,   G1 v1 + Phi_t = 0
// a holds applied accelerations only and belongs to t_n + alpha h: a_0 = f + alpha h f' (jerk.h). The printed a_0 = f is kept as
// start=printed: it costs O(h^2) in v once, and the order where steps begin anew all the time. psi_II is a multiplier of first order:
// a and lam for output are computed anew from the state.
//
// Unknowns: a1, psi_I, psi_II, the increment d of q and v1, each formula an equation with the defects
//   p = d - (formula of d),   s = v1 - (formula of v1),   e1 = M1 (a1 + alpha f_n) - (1+alpha) Q1
// Newton, with A = M - (1+alpha)(cq Q_q + cv Q_v):
//   [A G'; G 0] (z, nu) = (e1 + M s/cv, rate/cv)
//   [M G'; G 0] (u, ka) = (M (p/cq - s/cv), Phi/cq - rate/cv)
//   v1 by cv z,                   psi_I + psi_II          by 2 gamma nu
//   d  by cq y,  y = z + u,       (1-b) psi_I + b psi_II  by 2 beta (nu + ka)
//   a1 by z + M^-1 G' nu - s/cv
// Multipliers of rows of velocities belong to the forces: f = M^-1 (Q - Gam_v' lam), and
//   Gam(v1, q1, t1)/cv in place of rate/cv,   nu = (1+alpha) dlam,   and no part in (u, ka), psi and a1's M^-1 G' nu
// Unless forces are stiff A serves for M, one factorisation, two right-hand sides, and Q_q u is left out: u converges on
// its own. Where they are u comes first, and e1 gets (1+alpha) cq Q_q u.
#include <float.h>
#include <math.h>
#include <string.h>

#include "hht_add.h"

typedef struct par {
  double alpha, b;
  int start;
} par;

enum { START_SMOOTH, START_PRINTED };
static const char *const starts[] = {"smooth", "printed", NULL};

static const tr_field fields[] = {
    {"alpha", TR_REAL, TR_NUMBER, offsetof(par, alpha), "-0.3", .min = -1.0 / 3, .max = 0,
     .doc = "numerical damping: 0 none, -1/3 most"},
    {"b", TR_REAL, TR_NUMBER, offsetof(par, b), "0", .min = 0, .max = 1,
     .doc = "share of the second multiplier in the positions; anything but 1/2"},
    {"start", TR_CHOICE, TR_NUMBER, offsetof(par, start), "smooth", .choices = starts,
     .doc = "a_0 at t_0 + alpha h; `printed`: at t_0, off by O(h)"},
    {0}};

static const char *check(const void *pv) {
  double b = ((const par *)pv)->b;
  return fabs(b - 0.5) < 1e-3 ? "b = 1/2 makes the equations singular" : NULL;
}

static tr_status prepare(tr_step *s) {
  size_t nc = (size_t)s->sys->nc;
  tr_hht_add *m = s->memory = TR_NEW(&s->arena, 1, tr_hht_add);
  if (!m) return TR_NO_MEMORY;
  if (!(m->jerk = tr_jerk_new(s))) return TR_NO_MEMORY;
  m->G = TR_NEW(&s->arena, s->sys->nG, double);
  m->blocks = TR_NEW(&s->arena, s->sys->nmass, double);
  double *psi = TR_NEW(&s->arena, 7 * nc, double);
  if (!m->G || !m->blocks || !psi) return TR_NO_MEMORY;
  TR_TRY(tr_rows_keep(s->work));
  TR_TRY(tr_projection_make(s));
  if (!(m->springs = TR_NEW(&s->arena, s->sys->pattern.nnz + 1, double))) return TR_NO_MEMORY;
  if (s->settings.fixed_iterations > 0) {
    m->bent = TR_NEW(&s->arena, s->sys->pattern.nnz + 1, double);
    m->pulled = TR_NEW(&s->arena, s->sys->nG, double);
    if (!m->bent || !m->pulled) return TR_NO_MEMORY;
  }
  m->psi_1 = psi, m->psi_2 = psi + nc, m->last_1 = psi + 2 * nc, m->last_2 = psi + 3 * nc;
  m->older_1 = psi + 4 * nc, m->older_2 = psi + 5 * nc;
  m->lam = psi + 6 * nc;
  s->newest_a = s->room[ACCELERATION];
  return TR_OK;
}

// m->lam from lam in the rows of velocities.
static void take_lam(tr_step *s, const double *lam) {
  double *own = ((tr_hht_add *)s->memory)->lam;
  for (int i = 0; i < s->sys->nc; i++) own[i] = s->sys->of_velocity[i] ? lam[i] : 0;
}

// F = -Q at the point of the last kinematics, with the reactions of rows of velocities.
static void apply(tr_step *s, double *F, double *phi) {
  const tr_hht_add *m = s->memory;
  if (s->sys->nreaction > 0) {
    // (psi_1 + psi_2)/2 belongs to the middle of the step: on a line to its end
    double on = m->h > 0 ? m->h / (m->h + s->last_h) : 0;
    for (int i = 0; i < s->sys->nc; i++) {
      double now = 0.5 * (m->psi_1[i] + m->psi_2[i]), last = 0.5 * (m->last_1[i] + m->last_2[i]);
      s->lam[i] = now + on * (now - last) + m->lam[i];
    }
    s->work->reactions = s->lam;
  }
  tr_forces(s->work, s->sys->nvelocity > 0 ? m->lam : NULL, F, phi);
  s->work->reactions = NULL;
}

// f = M^-1 Q at the point of the last kinematics.
static tr_status applied(tr_step *s, double *f) {
  apply(s, f, NULL);
  for (int i = 0; i < s->sys->nv; i++) f[i] = -f[i];
  return tr_mass_solve(s->work, tr_mass_blocks(s->work, s->blocks), f);
}

// The same of a state with its lam.
static tr_status applied_of(tr_step *s, const tr_state *x, double *f) {
  tr_hht_add *m = s->memory;
  size_t nc = (size_t)s->sys->nc * sizeof(double);
  memcpy(m->psi_1, x->lam, nc);
  tr_clear_velocity_rows(s->sys, m->psi_1);
  memcpy(m->psi_2, m->psi_1, nc);
  take_lam(s, x->lam);
  m->h = 0;
  tr_kinematics(s->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  return applied(s, f);
}

static tr_status begin(tr_step *s, const tr_state *x) {
  tr_hht_add *m = s->memory;
  size_t nc = (size_t)s->sys->nc * sizeof(double), nv = (size_t)s->sys->nv * sizeof(double);
  TR_TRY(applied_of(s, x, s->room[APPLIED]));
  memcpy(m->last_1, m->psi_1, nc), memcpy(m->last_2, m->psi_2, nc);
  memcpy(s->room[ACCELERATION], s->room[APPLIED], nv);
  return TR_OK;
}

// f' for a first step of length h; NULL: it is not needed, or not to be had. q (nq): room.
static const double *start_slope(tr_step *s, const tr_state *x, double h, double *q) {
  const par *p = s->par;
  const tr_hht_add *m = s->memory;
  bool smooth = p->start == START_SMOOTH || s->start == TR_START_BEST;
  if (s->last_h > 0 || p->alpha == 0 || !smooth) return NULL;
  return tr_jerk_along(s, m->jerk, x, h, applied_of, s->room[APPLIED], q);
}

static void rows(tr_step *s, const tr_state *x) {
  const tr_hht_add *m = s->memory;
  double *const past[] = {m->last_1, m->last_2, m->older_1, m->older_2};
  for (int i = 0; i < 4; i++) {
    memcpy(past[i], x->lam, (size_t)s->sys->nc * sizeof(double));
    tr_clear_velocity_rows(s->sys, past[i]);
  }
}

TR_INLINE void reverse_part(void *what, int part, int first, int end) {
  double *x = what;
  (void)part;
  for (int i = first; i < end; i++) x[i] = -x[i];
}

static void reverse(const tr_step *s, double *x) { TR_SHARE(s->work, s->sys->nv, reverse_part, x); }

// R = -M_n^-1 G_n' psi
static tr_status react_at_start(tr_step *s, const double *psi, double *R) {
  const tr_hht_add *m = s->memory;
  double *keep = s->work->G;
  s->work->G = m->G;
  tr_Gt_times(s->work, psi, R);
  s->work->G = keep;
  reverse(s, R);
  return tr_mass_solve(s->work, m->blocks, R);
}

// R = -M^-1 G' psi at the point of the last kinematics
static tr_status react(tr_step *s, const double *blocks, const double *psi, double *R) {
  tr_constraint_force(s->work, psi, R);
  reverse(s, R);
  return tr_mass_solve(s->work, blocks, R);
}

// Loops over velocities or rows, of the iteration: what they are about.
typedef struct loop {
  const tr_hht_add_trial *k;
  const double *dx, *x;
  double *y, *z;
} loop;

TR_INLINE void defects_part(void *what, int part, int first, int end) {
  const loop *l = what;
  const tr_hht_add_trial *k = l->k;
  const tr_step *s = k->s;
  const tr_corrector *c = &s->c;
  const tr_state *x = k->x1;
  const double *RI = s->room[REACTION_I], *RII = s->room[REACTION_II];
  double h = k->h, *p = l->y, *s_out = l->z;
  (void)part;
  for (int i = first; i < end; i++) {
    double mix = 0.5 * h * h * ((1 - k->b) * RI[i] + k->b * RII[i]);
    p[i] = s->d[i] - (c->dhat[i] + c->cq * x->a[i] + mix);
    s_out[i] = x->v[i] - (c->vhat[i] + c->cv * x->a[i] + 0.5 * h * (RI[i] + RII[i]));
  }
}

// p and s from R_I and R_II.
static void take_defects(const tr_hht_add_trial *k, double *p, double *s_out) {
  TR_SHARE(k->s->work, k->s->sys->nv, defects_part, &(loop){.k = k, .y = p, .z = s_out});
}

TR_INLINE void first_part(void *what, int part, int first, int end) {
  const loop *l = what;
  const tr_step *s = l->k->s;
  const double *a = l->k->x1->a, *f = s->room[APPLIED], *v = l->x;
  double *y = l->y, al = l->k->alpha, cv = s->c.cv;
  (void)part;
  for (int i = first; i < end; i++) y[i] = a[i] + al * f[i] + v[i] / cv;
}

TR_INLINE void second_part(void *what, int part, int first, int end) {
  const loop *l = what;
  const tr_corrector *c = &l->k->s->c;
  const double *p = l->z, *v = l->x;
  double *y = l->y, cq = c->cq, cv = c->cv;
  (void)part;
  for (int i = first; i < end; i++) y[i] = p[i] / cq - v[i] / cv;
}

TR_INLINE void force_part(void *what, int part, int first, int end) {
  const loop *l = what;
  const double *x = l->x;
  double *y = l->y, f = 1 + l->k->alpha;
  (void)part;
  for (int i = first; i < end; i++) y[i] += f * x[i];
}

TR_INLINE void rows_part(void *what, int part, int first, int end) {
  const loop *l = what;
  const tr_corrector *c = &l->k->s->c;
  double *e4 = l->y, *e2 = l->z, cq = c->cq, cv = c->cv;
  (void)part;
  for (int i = first; i < end; i++) e4[i] /= cv, e2[i] = e2[i] / cq - e4[i];
}

TR_INLINE void motion_part(void *what, int part, int first, int end) {
  const loop *l = what;
  const tr_step *s = l->k->s;
  const double *dx = l->dx, *u = dx + s->sys->nv + s->sys->nc, *v = s->room[DEFECT], *pull = l->x;
  const tr_state *x = l->k->x1;
  (void)part;
  for (int i = first; i < end; i++) {
    x->a[i] -= dx[i] - pull[i] - v[i] / s->c.cv;
    x->v[i] -= s->c.cv * dx[i];
    s->d[i] -= s->c.cq * (dx[i] + u[i]);
  }
}

TR_INLINE void psi_part(void *what, int part, int first, int end) {
  const loop *l = what;
  const tr_hht_add_trial *k = l->k;
  const tr_hht_add *m = k->s->memory;
  int nv = k->s->sys->nv;
  const double *nu = k->s->lam, *ka = l->dx + 2 * nv + k->s->sys->nc;
  (void)part;
  for (int i = first; i < end; i++) {
    double sum = 2 * k->gamma * nu[i], mix = 2 * k->beta * (nu[i] + ka[i]);
    double one = (mix - k->b * sum) / (1 - 2 * k->b);
    m->psi_1[i] -= one;
    m->psi_2[i] -= sum - one;
  }
}

// r = (e1 + M s/cv, rate/cv, M (p/cq - s/cv), Phi/cq - rate/cv)
tr_status tr_hht_add_residual(tr_newton_problem *problem, double *r) {
  tr_hht_add_trial *k = (tr_hht_add_trial *)problem;
  tr_step *s = k->s;
  const tr_hht_add *m = s->memory;
  const tr_state *x = k->x1;
  tr_work *w = s->work;
  int nv = s->sys->nv, nc = s->sys->nc;
  double *e4 = r + nv, *ep = e4 + nc, *e2 = ep + nv;
  double *v = s->room[DEFECT], *sum = s->room[SCRATCH];
  tr_kinematics(w, k->t1, x->q, x->v, x->mem, TR_AT_VELOCITY);
  const double *blocks = tr_mass_blocks(w, s->blocks);
  TR_TRY(k->at_end ? react(s, blocks, m->psi_1, s->room[REACTION_I])
                   : react_at_start(s, m->psi_1, s->room[REACTION_I]));
  TR_TRY(react(s, blocks, m->psi_2, s->room[REACTION_II]));
  take_defects(k, ep, v);
  TR_SHARE(w, nv, first_part, &(loop){.k = k, .x = v, .y = sum});
  tr_mass_times_shared(s->work, blocks, sum, r);
  TR_SHARE(w, nv, second_part, &(loop){.k = k, .x = v, .y = sum, .z = ep});
  tr_mass_times_shared(s->work, blocks, sum, ep);
  apply(s, sum, e2); // -Q1
  problem->side = w->acting;
  tr_rates(w, e4);
  TR_SHARE(w, nv, force_part, &(loop){.k = k, .x = sum, .y = r});
  TR_SHARE(w, nc, rows_part, &(loop){.k = k, .y = e4, .z = e2});
  tr_clear_velocity_rows(s->sys, e2);
  return TR_OK;
}

static tr_status matrix(tr_newton_problem *p) {
  const tr_hht_add_trial *k = (tr_hht_add_trial *)p;
  tr_step *s = k->s;
  const tr_state *x = k->x1;
  tr_hht_add *m = s->memory;
  const double *lam = s->sys->nvelocity > 0 ? m->lam : NULL;
  tr_coefficients springs = {.ck = (1 + k->alpha) * s->c.cq};
  tr_coefficients weights = {1, (1 + k->alpha) * s->c.cq, (1 + k->alpha) * s->c.cv,
                             s->c.cq / s->c.cv};
  tr_tangent(s->work, k->t1, x->q, x->v, x->mem, NULL, lam, NULL, weights, s->kkt.values);
  s->matrix_cq = s->c.cq, s->matrix_cv = s->c.cv, s->matrix_cm = 1;
  TR_TRY(tr_kkt_factor(&s->kkt));
  const double *mass = tr_mass_blocks(s->work, s->blocks);
  m->springs_act = tr_make_projection(s, mass, false);
  s->stiff = m->springs_act || s->sys->nvelocity > 0;
  p->strained = tr_step_strained(s, s->c.cq, mass, s->newton.r);
  if (s->sys->nvelocity > 0) tr_silence_rows(s->sys, s->sys->of_velocity, s->projection.values);
  if (m->springs_act)
    tr_tangent(s->work, k->t1, x->q, x->v, x->mem, NULL, lam, NULL, springs, m->springs);
  return s->stiff ? tr_kkt_factor(&s->projection) : TR_OK;
}

static tr_status solve(tr_newton_problem *p, double *r) {
  tr_step *s = ((tr_hht_add_trial *)p)->s;
  if (!s->stiff) return tr_kkt_solve(&s->kkt, 2, r);
  const tr_hht_add *m = s->memory;
  const tr_pattern *a = &s->sys->pattern;
  int nv = s->sys->nv;
  double *u = r + nv + s->sys->nc;
  TR_TRY(tr_kkt_solve(&s->projection, 1, u));
  for (int j = 0; j < nv && m->springs_act; j++)
    for (int e = a->column[j]; e < a->column[j + 1] && a->row[e] < nv; e++)
      r[a->row[e]] -= m->springs[e] * u[j];
  return tr_kkt_solve(&s->kkt, 1, r);
}

static tr_status solve_full(tr_newton_problem *p, double *r) {
  return tr_full_solve(((tr_hht_add_trial *)p)->s->full, r);
}

static void update(tr_newton_problem *p, const double *dx) {
  tr_hht_add_trial *k = (tr_hht_add_trial *)p;
  tr_step *s = k->s;
  tr_hht_add *m = s->memory;
  int nv = s->sys->nv, nc = s->sys->nc;
  double *pull = s->room[SCRATCH], *nu = s->lam;
  if (s->full) tr_hht_add_change(k, dx, pull);
  for (int i = 0; i < nc; i++) {
    nu[i] = s->sys->of_velocity[i] ? 0 : dx[nv + i];
    if (s->sys->of_velocity[i]) m->lam[i] -= dx[nv + i] / (1 + k->alpha);
  }
  // The mass was positive definite a moment ago, in the residual.
  const double *blocks = tr_mass_blocks(s->work, s->blocks);
  (void)(s->full ? tr_mass_solve(s->work, blocks, pull) : react(s, blocks, nu, pull));
  TR_SHARE(s->work, nv, motion_part, &(loop){.k = k, .dx = dx, .x = pull});
  TR_SHARE(s->work, nc, psi_part, &(loop){.k = k, .dx = dx});
  tr_retract_shared(s->work, k->x0->q, s->d, k->x1->q);
}

// Velocities have the round-off of velocities, positions, divided by cq, a larger one.
static double norm(const tr_newton_problem *p, const double *dx) {
  const tr_hht_add_trial *k = (const tr_hht_add_trial *)p;
  const tr_step *s = k->s;
  int nv = s->sys->nv, nc = s->sys->nc;
  double z = tr_largest(s->work, dx, nv), u = tr_largest(s->work, dx + nv + nc, nv);
  if (s->sys->nreaction > 0) { // forces feel the multipliers only in the next iteration
    (void)react(k->s, tr_mass_blocks(s->work, s->blocks), dx + nv, s->room[SCRATCH]);
    z = fmax(z, vec_largest(s->room[SCRATCH], nv));
  }
  return s->c.cv * fmax(z, k->weight * u);
}

static bool at_floor(const tr_newton_problem *p, const double *r) {
  const tr_hht_add_trial *k = (const tr_hht_add_trial *)p;
  tr_step *s = k->s;
  const double *a = k->x1->a, *psi = ((const tr_hht_add *)s->memory)->psi_2;
  int nv = s->sys->nv, nc = s->sys->nc;
  double spread = k->length_scale / s->c.cq + k->speed / s->c.cv;
  double rates = 64 * DBL_EPSILON * (k->speed + k->length_scale * s->c.cv / s->c.cq);
  double both = 64 * DBL_EPSILON * k->length_scale + rates * s->c.cq / s->c.cv;
  return tr_rows_at_floor(s, &s->kkt, s->c.cv, rates, rates, r + nv) &&
         vec_largest(r + 2 * nv + nc, nc) * s->c.cq <= both &&
         tr_forces_at_floor(s, &s->kkt, a, psi, spread, 64, r) &&
         tr_forces_at_floor(s, &s->kkt, a, psi, spread, 64, r + nv + nc);
}

// What the step starts from: a_n for its length, G_n and M_n.
static void look_back(tr_step *s, const tr_hht_add_trial *k, const double *slope) {
  tr_hht_add *m = s->memory;
  tr_corrector *c = &s->c;
  const tr_state *x0 = k->x0;
  double h = k->h, stretch = s->last_h > 0 ? h / s->last_h : 1;
  tr_kinematics(s->work, x0->t, x0->q, x0->v, x0->mem, TR_AT_POSITION);
  tr_jacobian(s->work);
  tr_copy(s->work, s->work->G, m->G, s->sys->nG);
  const double *blocks = tr_mass_blocks(s->work, m->blocks);
  if (blocks != m->blocks) memcpy(m->blocks, blocks, (size_t)s->sys->nmass * sizeof *blocks);
  for (int i = 0; i < s->sys->nv; i++) {
    double f = s->room[APPLIED][i];
    double a = f + (slope ? k->alpha * h * slope[i] : stretch * (s->room[ACCELERATION][i] - f));
    c->dhat[i] = h * x0->v[i] + h * h * (0.5 - k->beta) * a;
    c->vhat[i] = x0->v[i] + h * (1 - k->gamma) * a;
  }
}

// d and v1 by their formulas, q1 from d.
static void place(const tr_hht_add_trial *k) {
  tr_step *s = k->s;
  int nv = s->sys->nv;
  memset(s->d, 0, (size_t)nv * sizeof *s->d);
  memset(k->x1->v, 0, (size_t)nv * sizeof *s->d);
  take_defects(k, s->d, k->x1->v);
  reverse(s, s->d), reverse(s, k->x1->v);
  tr_retract_shared(s->work, k->x0->q, s->d, k->x1->q);
}

// Once more with the reactions at q1. After the iteration: what it leaves open in psi and a is then open in
// the directions of the constraints only, and does not add up from step to step. But stiff springs would be stretched by
// what it moves: under step control, with their matrix, the iteration has the last word.
static tr_status settle(tr_step *s, const tr_hht_add_trial *k) {
  const tr_hht_add *m = s->memory;
  const tr_state *x = k->x1;
  tr_kinematics(s->work, k->t1, x->q, x->v, x->mem, TR_AT_POSITION);
  const double *blocks = tr_mass_blocks(s->work, s->blocks);
  TR_TRY(k->at_end ? react(s, blocks, m->psi_1, s->room[REACTION_I])
                   : react_at_start(s, m->psi_1, s->room[REACTION_I]));
  TR_TRY(react(s, blocks, m->psi_2, s->room[REACTION_II]));
  place(k);
  return TR_OK;
}

// What the formulas made of the solution is one still: not where psi is huge, next to singular positions.
// So the iteration goes on from there, AGAIN times at most.
static const double OPEN = 10, WIDE_OPEN = 1e3; // tolerances
enum { AGAIN = 3 };
static bool holds(tr_step *s, const tr_hht_add_trial *k, double open) {
  const tr_state *x = k->x1;
  int nc = s->sys->nc;
  double *phi = s->newton.r, *rate = phi + nc;
  double rates = open * (k->p.tol + 64 * DBL_EPSILON * k->length_scale * s->c.cv / s->c.cq);
  tr_kinematics(s->work, k->t1, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_forces(s->work, NULL, NULL, phi);
  tr_rates(s->work, rate);
  tr_clear_velocity_rows(s->sys, phi), tr_clear_velocity_rows(s->sys, rate); // they have no psi
  return vec_largest(rate, nc) <= rates && vec_largest(phi, nc) <= rates * s->c.cq / s->c.cv;
}

// The first iterate: psi on a line through the last two; G_1 where the step leads with G_n.
static tr_status predict(tr_step *s, const tr_hht_add_trial *k) {
  tr_hht_add *m = s->memory;
  double more = s->past > 2 && s->settings.fixed_iterations == 0 ? k->h / s->last_h : 0;
  for (int i = 0; i < s->sys->nc; i++) {
    m->psi_1[i] = m->last_1[i] + more * (m->last_1[i] - m->older_1[i]);
    m->psi_2[i] = m->last_2[i] + more * (m->last_2[i] - m->older_2[i]);
  }
  TR_TRY(react_at_start(s, m->psi_1, s->room[REACTION_I]));
  TR_TRY(react_at_start(s, m->psi_2, s->room[REACTION_II]));
  place(k);
  return settle(s, k);
}

// G_1 M^-1 G_n' may be singular where neither end is: the step leads across a singular position. So a step
// that failed twice is tried with both reactions at its end, as in HHT-SI2: an error of O(h^2) in v, in a step
// here and there.
static tr_status advance(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  const par *p = s->par;
  const tr_hht_add *m = s->memory;
  tr_corrector *c = &s->c;
  int nv = s->sys->nv, nc = s->sys->nc;
  tr_hht_add_trial k = {.p = {.residual = tr_hht_add_residual,
                              .matrix = matrix,
                              .solve = solve,
                              .update = update,
                              .norm = norm,
                              .at_floor = at_floor,
                              .blind = true}, // for a1
                        .s = s,
                        .x0 = x0,
                        .x1 = x1,
                        .h = h,
                        .t1 = x0->t + h,
                        .at_end = s->calm,
                        .alpha = p->alpha,
                        .b = p->b,
                        .beta = 0.25 * (1 - p->alpha) * (1 - p->alpha),
                        .gamma = 0.5 * (1 - 2 * p->alpha)};
  c->cq = k.beta * h * h, c->cv = k.gamma * h, c->cm = 1;
  k.length_scale = fmax(1, vec_largest(x0->q, s->sys->nq));
  k.speed = fmax(vec_largest(x0->v, nv), c->cv * vec_largest(x0->a, nv));
  double tol = tr_step_tolerance(s, x0),
         positions = 4 * DBL_EPSILON * k.length_scale * c->cv / c->cq;
  k.p.floor = 4 * DBL_EPSILON * k.speed;
  k.p.tol = fmax(tol, k.p.floor);
  k.weight = k.p.tol / fmax(k.p.tol, positions);
  k.p.far = s->remote && !(s->allowed > 0);
  if (!tr_step_matrix_fits(s)) s->newton.valid = false;
  memcpy(x1->mem, x0->mem, (size_t)s->sys->nmem * sizeof *x1->mem);
  x1->t = k.t1;
  if (s->full) k.p.matrix = tr_hht_add_matrix_full, k.p.solve = solve_full;
  const double *slope = start_slope(s, x0, h, x1->q);
  ((tr_hht_add *)s->memory)->h = h;
  if (k.at_end) memcpy(x1->a, s->newest_a, (size_t)nv * sizeof *x1->a);
  look_back(s, &k, slope);
  take_lam(s, x0->lam);
  TR_TRY(predict(s, &k));
  bool counted = s->settings.fixed_iterations > 0;
  for (int more = k.at_end ? 0 : AGAIN; more >= 0; more--) {
    tr_status status = tr_newton_solve(&s->newton, &k.p);
    if (status != TR_OK) return status;
    if (!(s->allowed > 0 && m->springs_act)) TR_TRY(settle(s, &k));
    if (counted || holds(s, &k, OPEN)) break;
    if (more == 0 && !holds(s, &k, WIDE_OPEN)) return TR_NO_CONVERGENCE;
  }
  for (int i = 0; i < nc; i++) x1->lam[i] = 0.5 * (m->psi_1[i] + m->psi_2[i]) + m->lam[i];
  return TR_OK;
}

// f1 from the equation once it is solved, (1+alpha) f1 = a1 + alpha f_n; else evaluated.
static void accept(tr_step *s, const tr_state *x0, const tr_state *x1) {
  (void)x0;
  tr_hht_add *m = s->memory;
  double al = ((const par *)s->par)->alpha, *f = s->room[APPLIED];
  for (int i = 0; i < s->sys->nv; i++) {
    f[i] = (x1->a[i] + al * f[i]) / (1 + al);
    s->room[ACCELERATION][i] = x1->a[i];
  }
  if (s->settings.fixed_iterations > 0) {
    tr_kinematics(s->work, x1->t, x1->q, x1->v, x1->mem, TR_AT_VELOCITY);
    (void)applied(s, f); // the mass was positive definite during the step
  }
  double *p1 = m->older_1, *p2 = m->older_2;
  m->older_1 = m->last_1, m->last_1 = m->psi_1, m->psi_1 = p1;
  m->older_2 = m->last_2, m->last_2 = m->psi_2, m->psi_2 = p2;
}

static tr_truncation truncation(const void *pv) {
  double al = ((const par *)pv)->alpha;
  return (tr_truncation){.q3 = 1.0 / 6, .v3 = 1.0 / 12 - 0.5 * al * al};
}

const tr_method tr_method_hht_add = {
    .info = {.name = "hht-add",
             .doc = "Hilber-Hughes-Taylor with additive constraint forces",
             .fields = fields,
             .levels = "position and velocity",
             .order_q = 2,
             .order_v = 2,
             .order_lam = 2,
             .damping = "high frequencies of the applied forces, by alpha; none from the "
                        "constraints: h omega < 2 there",
             .cost = "one KKT system, two right-hand sides, one G",
             .reference = "NJK09"},
    .par_size = sizeof(par),
    .check = check,
    .nearly_even = true,
    .recompute = true,
    .passes_jumps = true,
    .limit = " takes reactions explicitly: h omega < 2 of theirs",
    .truncation = truncation,
    .vectors = ROOMS,
    .two_sets = true,
    .prepare = prepare,
    .begin = begin,
    .rows = rows,
    .advance = advance,
    .accept = accept,
};
