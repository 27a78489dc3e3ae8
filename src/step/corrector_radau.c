// SPDX-License-Identifier: Apache-2.0
// The stages of Radau IIA on the stabilised index-2 form, by systems of index-3 size.
//
// At each stage, with U and a the rates of u and z,
//   e1 = M a + G' lam - Q,   e3 = M (U - u'(u, v)) - G' mu,   e2 = Phi,   e4 = G v + Phi_t
// where u'(u, v) is the rate of the increment at velocity v, which is v itself on flat coordinates; that
// makes a method of the Munthe-Kaas kind of it, whose order does not suffer from rotations.
//
// With the matrices of one point for all stages and B = A^-1/h, the correction in stage space is
//   B M dz + K du - Q_v dz + G' dlam = e1      G du = e2
//   B M du - M dz          - G' dmu  = e3      G dz = e4        K = (M a + G' lam - Q)_q
// where du are displacements at the stage, from which the increments follow. What vanishes with mu is
// left out, and (G v)_q du in e4. From the second line dz = B du - M^-1 (G' dmu + e3); but for Q_v of that
// remainder the positions come first,
//   (B^2 M + K - B Q_v) du + G' l = e1 + B e3,   G du = e2,   l = dlam - B dmu
// which T takes apart into a real system and a complex one of index-3 size, with w = h/eigenvalue:
//   [M + w^2 K - w Q_v, G'; G 0] (du/w^2, l) = (.., e2/w^2)
// and then the velocities, three right-hand sides of the projection:
//   [M G'; G 0] (dz, dmu) = (M B du - e3, e4)
// evaluated after the positions have moved, so that (G v)_q du is in it after all. K and Q_v are kept:
// another step length costs two factorisations but no evaluation.
//
// Rows of velocities have e4 = Gam, and e2 = Gam_v (U - u') = 0 in place of the position; those of states and variables
// U - u' = 0 of these alone, or a state that reads velocities would read U instead, which is of lower order. Since
// Gam_v dz = Gam_v B du - e2 their rows among the positions are
//   (B Gam_v + Gam_q) du = e4 + e2,   scaled  (Gam_v + w Gam_q) du/w^2 = (e4 + e2)/w
// and D holds h0 Gam_q.
//
// Where w^2 K - w Q_v is small beside M, under step control, it is left out: with Y = B^2 du the positions are
//   [M G'; G 0] (Y, l) = (e1 + B e3, B^2 e2)
// the projection again, three more right-hand sides; nothing depends on h, and one factorisation is all.
//
// Where Q_v is large, the forces of that remainder are foreseen (foresee), or every other correction would
// be spent on them.
//
// One G for all stages is too few near a singular position, where its directions turn fast. When that
// iteration fails, another one takes each stage's own matrices: one real system of three times the
// size for the positions, a projection for each stage.
#include <float.h>
#include <math.h>
#include <string.h>

#include "corrector_radau.h"
#include "math/vector.h"

static const double GROWN = 1.5, DAMPED = 0.3;
static const double MOST_NOISE = 1e-6; // of positions and velocities
// Of the round-off of places, that velocities far from the origin may be known to: less costs matrices made of noise, more
// adds up over the steps.
static const double GRAIN = 0.0625;
// What the iteration may leave under step control: of the error that a step may have, and of any numbers.
static const double MOST_REST = 1e-3, LEAST_REST = 16 * DBL_EPSILON;
enum { DOUBTS = 8 }; // matrices until something stiff is looked at again

// ---- the iteration --------------------------------------------------------------------------------

// out = sum w_j in_j
static inline void mix_some(const double w[STAGES], int first, int end, const double *const *in,
                            double *out) {
  for (int i = first; i < end; i++) out[i] = w[0] * in[0][i] + w[1] * in[1][i] + w[2] * in[2][i];
}
static void mix(const double w[STAGES], int n, const double *const *in, double *out) {
  mix_some(w, 0, n, in, out);
}

// A loop over numbers of a stage, or of x and y.
typedef struct loop {
  const correction *k;
  int stage;
  const double *x;
  double *y;
} loop;

TR_INLINE void place_part(void *what, int part, int first, int end) {
  const correction *k = ((loop *)what)->k;
  const tr_radau *m = k->m;
  int i = ((loop *)what)->stage;
  (void)part;
  mix_some(k->B[i], first, end, (const double *const *)m->u, m->U[i]);
  mix_some(k->B[i], first, end, (const double *const *)m->z, m->a[i]);
  for (int j = first; j < end; j++) m->v[j] = k->x0->v[j] + m->z[i][j];
}

// The stages' point: q, v, and the rates of the increments.
static void place(const correction *k, int i) {
  tr_work *w = k->s->work;
  TR_SHARE(w, k->s->sys->nv, place_part, &(loop){.k = k, .stage = i});
  tr_retract_shared(w, k->x0->q, k->m->u[i], k->m->q);
}

// y = x - y
TR_INLINE void turn_part(void *what, int part, int first, int end) {
  const double *x = ((loop *)what)->x;
  double *y = ((loop *)what)->y;
  (void)part;
  for (int j = first; j < end; j++) y[j] = x[j] - y[j];
}

TR_INLINE void take_part(void *what, int part, int first, int end) {
  const double *x = ((loop *)what)->x;
  double *y = ((loop *)what)->y;
  (void)part;
  for (int j = first; j < end; j++) y[j] -= x[j];
}

static inline void turn(const correction *k, const double *x, double *y) {
  TR_SHARE(k->s->work, k->s->sys->nv, turn_part, &(loop){.x = x, .y = y});
}

static inline void take(const correction *k, int n, const double *x, double *y) {
  TR_SHARE(k->s->work, n, take_part, &(loop){.x = x, .y = y});
}

// out (nv) = M (U - u'(u, v)), at the stage's point; U - u' stays in work->y
static void slip(const correction *k, int i, double *out) {
  tr_work *w = k->s->work;
  double *rate = w->y;
  tr_increment_rate_shared(w, k->m->u[i], k->m->v, rate);
  turn(k, k->m->U[i], rate);
  tr_mass_times_shared(w, tr_mass_blocks(w, k->s->blocks), rate, out);
}

// e2 of rows of velocities: Gam_v (U - u'), in those of numbers their own part of it.
static void slip_rows(tr_work *w, const double *slip, double *out) {
  const tr_system *sys = w->sys;
  tr_velocity_rows_times(w, slip, out);
  for (int i = 0; sys->nnumber > 0 && i < sys->njoint; i++) {
    const sys_joint *j = &sys->joint[i];
    if (j->ops->rows > 0 && sys->of_number[j->row])
      out[j->row] = tr_joint_rows(w, j)[0] * slip[sys->body[j->e.body[0]].v];
  }
}

// (e1, e2) of each stage, then (e3, e4) of each.
static tr_status residual(tr_newton_problem *p, double *r) {
  correction *k = (correction *)p;
  tr_step *s = k->s;
  const tr_radau *m = k->m;
  tr_work *w = s->work;
  int nv = s->sys->nv, n = nv + s->sys->nc;
  uint64_t first = 0;
  for (int i = 0; i < STAGES; i++) {
    double *e1 = r + i * n, *e3 = r + (STAGES + i) * n;
    place(k, i);
    tr_kinematics(w, k->x0->t + k->c[i] * k->h, m->q, m->v, k->x0->mem, TR_AT_VELOCITY);
    tr_stabilised(w, m->lam[i], m->mu[i], NULL, e1, e1 + nv, e3 + nv, e3);
    if (i == 0) first = p->side = w->acting, k->m->mixed = false;
    if (w->acting != first) k->m->mixed = true;
    p->side = 31 * p->side + w->acting;
    tr_mass_add(w, tr_mass_blocks(w, s->blocks), 1, m->a[i], NULL, e1);
    slip(k, i, w->x);
    turn(k, w->x, e3);
    if (s->sys->nvelocity == 0) continue;
    slip_rows(w, w->y, e1 + nv); // U - u', left there by slip
    for (int j = 0; j < s->sys->nc; j++)
      if (s->sys->of_velocity[j]) e1[nv + j] += e3[nv + j];
  }
  return TR_OK;
}

// (-e3, e4) of each stage with the positions as they are now.
static void look_again(const correction *k, double *r) {
  const tr_radau *m = k->m;
  tr_work *w = k->s->work;
  int nv = k->s->sys->nv, n = nv + k->s->sys->nc;
  for (int i = 0; i < STAGES; i++) {
    double *e3 = r + i * n;
    place(k, i);
    tr_kinematics(w, k->x0->t + k->c[i] * k->h, m->q, m->v, k->x0->mem, TR_AT_VELOCITY);
    tr_constraint_force(w, m->mu[i], e3);
    if (k->s->sys->nreaction > 0) tr_show_reactions(w, m->lam[i]);
    tr_rates(w, e3 + nv);
    slip(k, i, w->x);
    take(k, nv, w->x, e3);
  }
}

// On curved coordinates displacements turn with the body, dz = B du - W du, W du = du x w on rotations,
// and W is twice the derivative of u'(u, v) at u = 0:  D -= h M W, block by block.
static void add_turning(const correction *k) {
  const tr_system *sys = k->s->sys;
  const tr_radau *m = k->m;
  const double eps = 1e-4;
  double *e = k->s->work->x, *W = k->s->work->y, *back = k->s->d;
  for (int c = 0; c < sys->max_nv; c++) {
    for (int i = 0; i < sys->nbody; i++)
      for (int j = 0; j < sys->body[i].nv; j++) e[sys->body[i].v + j] = j == c ? eps : 0;
    tr_increment_rate_shared(k->s->work, e, m->v, W);
    for (int j = 0; j < sys->nv; j++) e[j] = -e[j];
    tr_increment_rate_shared(k->s->work, e, m->v, back);
    for (int j = 0; j < sys->nv; j++) W[j] = (W[j] - back[j]) / eps;
    tr_mass_times_shared(k->s->work, m->M, W, back);
    const int *slot = tr_step_mass_slots(k->s);
    for (int i = 0; i < sys->nbody; slot += sys->body[i].nv * sys->body[i].nv, i++) {
      const sys_body *b = &sys->body[i];
      for (int j = 0; j < b->nv && c < b->nv; j++)
        m->D[slot[j * b->nv + c]] -= k->h * back[b->v + j];
    }
  }
}

// Whether velocities that come late would make forces that count.
static bool is_damped(const correction *k) {
  const tr_system *sys = k->s->sys;
  const tr_pattern *p = &sys->pattern;
  double *sum = k->s->work->x;
  memset(sum, 0, (size_t)sys->nv * sizeof *sum);
  for (int j = 0; j < sys->nv; j++)
    for (int e = p->column[j]; e < p->column[j + 1] && p->row[e] < sys->nv; e++)
      sum[p->row[e]] += fabs(k->m->D[e]);
  for (int i = 0; i < sys->nv; i++)
    if (sum[i] > DAMPED * k->s->projection.values[tr_pattern_slot(p, i, i)]) return true;
  return false;
}

// h^2 K, -h Q_v and the projection at a stage.
static void take_tangents(const correction *k, int i) {
  tr_step *s = k->s;
  tr_radau *m = k->m;
  double h = k->h, t = k->x0->t + k->c[i] * h, *A = s->kkt.values;
  const double *P = s->projection.values, *mem = k->x0->mem, *a = m->a[i], *lam = m->lam[i];
  tr_coefficients stiffness = {1, h * h, 0, 0}, damping = {1, 0, h, h};
  int nnz = s->sys->pattern.nnz;
  place(k, i);
  tr_tangent(s->work, t, m->q, m->v, mem, a, lam, NULL, stiffness, A);
  m->M = tr_mass_blocks(s->work, m->mass);
  s->c.cm = 1;
  tr_make_projection(s, m->M, true);
  for (int j = 0; j < nnz; j++) m->K[j] = A[j] - P[j];
  tr_tangent(s->work, t, m->q, m->v, mem, a, lam, NULL, damping, A);
  for (int j = 0; j < nnz; j++) m->D[j] = A[j] - P[j];
  for (int j = s->sys->nreaction > 0 ? s->sys->pattern.column[s->sys->nv] : nnz; j < nnz; j++)
    m->C[j] = m->D[j], m->K[j] = m->D[j] = 0;
  m->damped = is_damped(k);
  if (!s->sys->flat) add_turning(k);
  m->h0 = h;
}

tr_kkt *tr_radau_filter(tr_step *s) {
  return ((const tr_radau *)s->memory)->plain ? &s->projection : &s->kkt;
}

// Whether the projection alone will do at the second stage; it is filled, and the real matrix too.
static bool find_plain(const correction *k) {
  tr_step *s = k->s;
  tr_radau *m = k->m;
  double g = k->h * tr_radau_real(), t = k->x0->t + k->c[1] * k->h;
  tr_coefficients both = {1, g * g, g, g};
  place(k, 1);
  tr_tangent(s->work, t, m->q, m->v, k->x0->mem, m->a[1], m->lam[1], NULL, both, s->kkt.values);
  m->M = tr_mass_blocks(s->work, m->mass);
  s->c.cm = 1;
  m->h0 = k->h;
  return !tr_make_projection(s, m->M, true);
}

static bool strained(const correction *k) {
  const double *r = k->s->newton.r, g = k->h * tr_radau_real();
  int n = k->s->sys->nv + k->s->sys->nc;
  bool any = false;
  for (int i = 0; i < STAGES; i++) any |= tr_step_strained(k->s, g * g, k->m->M, r + i * n);
  return any;
}

// At the second stage for all. The projection leaves redundant rows out, and they are no part of the
// differences, so that the others follow.
static tr_status matrix(tr_newton_problem *p) {
  const correction *k = (correction *)p;
  tr_radau *m = k->m;
  m->plain = k->s->allowed > 0 && m->doubts == 0 && find_plain(k);
  p->partial = m->plain;
  if (m->plain) tr_radau_find_reach(k);
  if (m->plain) return tr_kkt_factor(&k->s->projection);
  m->doubts = m->doubts > 0 ? m->doubts - 1 : DOUBTS;
  take_tangents(k, 1);
  p->strained = strained(k);
  TR_TRY(tr_kkt_factor(&k->s->projection));
  TR_TRY(tr_radau_factor(k->s, k->h));
  tr_radau_find_reach(k);
  return TR_OK;
}

static tr_status matrix_each(tr_newton_problem *p) {
  const correction *k = (correction *)p;
  tr_radau *m = k->m;
  for (int i = 0; i < STAGES; i++) {
    take_tangents(k, i);
    tr_kkt *stage = &m->stage[i];
    stage->mask = k->s->kkt.mask;
    memcpy(stage->values, k->s->projection.values,
           (size_t)k->s->sys->pattern.nnz * sizeof *stage->values);
    TR_TRY(tr_kkt_factor(stage));
    memcpy(m->each_D[i], m->D, (size_t)k->s->sys->pattern.nnz * sizeof *m->D);
    tr_radau_fill_stage(k->s, i);
  }
  tr_radau_fill_real(k->s, k->h); // for find_sizes
  tr_radau_find_reach(k);
  p->strained = strained(k);
  return tr_kkt_factor(&m->all);
}

// Velocities that the positions do not explain, dz = B du + x, are known before these but for (G v)_q du:
//   [M G'; G 0] (x, .) = (-e3, e4 - B e2),   in rows of velocities e4 - (e4 + e2)
// and r (nv of each stage) gets the forces Q_v x of it, which would otherwise come an iteration late.
static tr_status foresee(const correction *k, const double *low, double *r) {
  tr_radau *m = k->m;
  const tr_pattern *p = &k->s->sys->pattern;
  int nv = k->s->sys->nv, nc = k->s->sys->nc, n = nv + nc;
  const double *e2[STAGES] = {r + nv, r + n + nv, r + 2 * n + nv};
  double *x = m->b;
  for (int i = 0; i < STAGES; i++) {
    mix(k->B[i], nc, e2, x + nv);
    for (int j = 0; k->s->sys->nvelocity > 0 && j < nc; j++)
      if (k->s->sys->of_velocity[j]) x[nv + j] = e2[i][j];
    for (int j = 0; j < nv; j++) x[j] = -low[i * n + j];
    for (int j = nv; j < n; j++) x[j] = low[i * n + j] - x[j];
    TR_TRY(tr_kkt_solve(k->each ? &m->stage[i] : &k->s->projection, 1, x));
    const double *D = k->each ? m->each_D[i] : m->D;
    for (int j = 0; j < nv; j++)
      for (int e = p->column[j]; e < p->column[j + 1] && p->row[e] < nv; e++)
        r[i * n + p->row[e]] -= D[e] / m->h0 * x[j];
  }
  return TR_OK;
}

// From displacements (nv of each stage) to increments.
static void displace(const correction *k, const double *r) {
  const tr_system *sys = k->s->sys;
  int n = sys->nv + sys->nc;
  double *rate = k->s->work->y;
  for (int i = 0; i < STAGES; i++) {
    tr_increment_rate_shared(k->s->work, k->m->u[i], r + i * n, rate);
    take(k, sys->nv, rate, k->m->u[i]);
  }
}

// r: of each stage (du, l), and the positions move.
static tr_status move_positions(const correction *k, double *r) {
  tr_step *s = k->s;
  int nv = s->sys->nv, n = nv + s->sys->nc;
  const double *low = r + STAGES * n, *e3[STAGES] = {low, low + n, low + 2 * n};
  double *sum = s->work->y;
  for (int i = 0; i < STAGES; i++) {
    mix(k->B[i], nv, e3, sum);
    for (int j = 0; j < nv; j++) r[i * n + j] += sum[j];
  }
  if (k->each || (!k->m->plain && k->m->damped)) TR_TRY(foresee(k, low, r));
  TR_TRY(tr_radau_solve_positions(s, k->h, k->each, r));
  displace(k, r);
  return TR_OK;
}

// r: of each stage (du, dlam), then (dz, dmu) of each, from (-e3, e4) with the new positions.
static tr_status solve_velocities(const correction *k, double *r) {
  tr_step *s = k->s;
  int nv = s->sys->nv, nc = s->sys->nc, n = nv + nc;
  double *low = r + STAGES * n, *sum = s->work->y;
  const double *dmu[STAGES] = {low + nv, low + n + nv, low + 2 * n + nv};
  if (!k->each) TR_TRY(tr_kkt_solve(&s->projection, STAGES, low));
  for (int i = 0; k->each && i < STAGES; i++) TR_TRY(tr_kkt_solve(&k->m->stage[i], 1, low + i * n));
  for (int i = 0; i < STAGES; i++) {
    mix(k->B[i], nc, dmu, sum);
    for (int j = 0; j < nc; j++) r[i * n + nv + j] += sum[j];
  }
  return TR_OK;
}

static tr_status solve(tr_newton_problem *p, double *r) {
  const correction *k = (correction *)p;
  size_t size = (size_t)k->s->sys->nv * sizeof *r;
  for (int i = 0; k->damped && i < STAGES; i++) memcpy(k->m->kept[i], k->m->u[i], size);
  TR_TRY(move_positions(k, r));
  look_again(k, r + STAGES * (k->s->sys->nv + k->s->sys->nc));
  for (int i = 0; k->damped && i < STAGES; i++) memcpy(k->m->u[i], k->m->kept[i], size);
  return solve_velocities(k, r);
}

static void update(tr_newton_problem *p, const double *dx) {
  const correction *k = (correction *)p;
  const tr_step *s = k->s;
  tr_radau *m = k->m;
  int nv = s->sys->nv, nc = s->sys->nc, n = nv + nc;
  for (int i = 0; i < STAGES; i++) {
    const double *dlam = dx + i * n + nv, *dz = dx + (STAGES + i) * n, *dmu = dz + nv;
    take(k, nv, dz, m->z[i]);
    take(k, nc, dlam, m->lam[i]);
    take(k, nc, dmu, m->mu[i]);
  }
  if (k->damped) displace(k, dx);
}

// Positions and velocities, each relative to their scale.
static double norm(const tr_newton_problem *p, const double *dx) {
  const correction *k = (const correction *)p;
  int nv = k->s->sys->nv, n = nv + k->s->sys->nc;
  double du = 0, dz = 0;
  for (int i = 0; i < STAGES; i++) {
    const double *z = dx + (STAGES + i) * n;
    du = fmax(du, tr_largest(k->s->work, dx + i * n, nv));
    if (!k->apart) dz = fmax(dz, k->weight * tr_largest(k->s->work, z, nv) / k->speed);
    for (int j = 0; k->apart && j < nv; j++) dz = fmax(dz, fabs(z[j]) / k->m->unit[j]);
  }
  return fmax(du / k->length, dz);
}

// The correction that it makes: low = (-e3, e4) + what the move of the positions changes there.
static tr_status noise(tr_newton_problem *p, double *b) {
  const correction *k = (correction *)p;
  const tr_radau *m = k->m;
  int nv = k->s->sys->nv, n = nv + k->s->sys->nc;
  double *here = k->s->newton.r, *there = m->b, *u = here + STAGES * n, *low = b + STAGES * n;
  look_again(k, here);
  for (int i = 0; i < STAGES; i++) memcpy(u + i * nv, m->u[i], (size_t)nv * sizeof *u);
  tr_radau_make_noise(k, b);
  tr_status status = move_positions(k, b);
  look_again(k, there);
  for (int i = 0; i < STAGES; i++) memcpy(m->u[i], u + i * nv, (size_t)nv * sizeof *u);
  for (int i = 0; i < STAGES * n; i++)
    low[i] = (i % n < nv ? -low[i] : low[i]) + there[i] - here[i];
  return status == TR_OK ? solve_velocities(k, b) : status;
}

// Less where the error is small, since the estimate is of order 3 and the step itself of order 5 [HW96 IV.8]; less still
// where steps are as short as velocities need them.
static double rest_allowed(const tr_step *s) {
  double share = (s->allows_v ? 1 : 3) * sqrt(s->allowed);
  return fmax(tr_step_share(s) * fmin(MOST_REST, share) * s->allowed, LEAST_REST);
}

// Rates of states are no measure of mechanics.
static double speed_of_bodies(const tr_system *sys, const tr_state *x, double h) {
  double most = 0;
  for (int j = 0; j < sys->nv; j++)
    if (!sys->number[j]) most = fmax(most, fmax(fabs(x->v[j]), h * fabs(x->a[j])));
  return most;
}

static correction make_correction(tr_step *s, const tr_state *x0, double h) {
  correction k = {.p = {.residual = residual,
                        .matrix = matrix,
                        .solve = solve,
                        .update = update,
                        .norm = norm,
                        .at_floor = tr_radau_at_floor,
                        .noise = noise,
                        .most_noise = MOST_NOISE},
                  .s = s,
                  .m = s->memory,
                  .x0 = x0,
                  .damped = s->newton.resort == TR_NEWTON_DAMPED,
                  .h = h};
  tr_radau_nodes(k.c);
  tr_radau_inverse(k.B);
  for (int i = 0; i < STAGES; i++)
    for (int j = 0; j < STAGES; j++) k.B[i][j] /= h;
  k.length = fmax(1, tr_largest(s->work, x0->q, s->sys->nq));
  k.speed = tr_largest(s->work, x0->v, s->sys->nv);
  k.speed = fmax(k.speed, h * tr_largest(s->work, x0->a, s->sys->nv));
  k.apart = s->sys->nnumber > 0 && s->allowed > 0;
  if (k.apart) k.speed = speed_of_bodies(s->sys, x0, h);
  k.speed = fmax(k.speed, 1e-8 * k.length / h); // next to rest
  k.p.partial = k.m->plain;
  k.p.brief = s->allowed > 0;
  k.p.far = s->remote && !(s->allowed > 0);
  k.p.floor = 4 * DBL_EPSILON;
  k.p.tol = fmax(s->allowed > 0 ? rest_allowed(s) : 1e-5 * s->settings.tol, k.p.floor);
  // places known to eps |q| turn bars of a metre by as much, and velocities with them
  k.weight = k.p.far ? k.p.tol / fmax(k.p.tol, GRAIN * DBL_EPSILON * k.length) : 1;
  return k;
}

// The run counts what s->kkt has done.
static void account(tr_step *s, tr_kkt *k) {
  s->kkt.factorisations += k->factorisations;
  s->kkt.refactorisations += k->refactorisations;
  s->kkt.solves += k->solves;
  k->factorisations = k->refactorisations = k->solves = 0;
}

static tr_status iterate(tr_step *s, correction *k) {
  tr_radau *m = s->memory;
  if (s->newton.valid) tr_radau_find_reach(k);
  tr_status status = tr_newton_solve(&s->newton, &k->p);
  account(s, &m->pair);
  account(s, &m->all);
  for (int i = 0; i < STAGES; i++) account(s, &m->stage[i]);
  return status;
}

tr_status tr_radau_solve(tr_step *s, const tr_state *x0, double h) {
  const tr_radau *m = s->memory;
  correction k = make_correction(s, x0, h);
  if (m->plain && h > GROWN * m->h0)
    s->newton.valid = false; // it was not looked at for such a step
  if (s->newton.valid && !m->plain && m->factored_h != h) {
    s->newton.known = false;
    s->newton.valid = tr_radau_factor(s, h) == TR_OK;
  }
  return iterate(s, &k);
}

tr_status tr_radau_solve_each(tr_step *s, const tr_state *x0, double h) {
  correction k = make_correction(s, x0, h);
  k.each = true;
  k.p.partial = k.p.brief = false; // there is no other to turn to: slow as it may be, it gets there
  k.p.matrix = matrix_each;
  s->newton.valid = false;
  TR_TRY(iterate(s, &k));
  s->newton.known = false;
  s->newton.valid = matrix(&k.p) == TR_OK; // for the estimate, and to go on with
  s->newton.matrices++;
  return s->newton.valid ? TR_OK : TR_SINGULAR;
}
