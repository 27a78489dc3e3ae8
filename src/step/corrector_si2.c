// SPDX-License-Identifier: Apache-2.0
// The corrector of the stabilised index-2 family [NJK09], at the cost of the index-3 one.
//
// Unknowns (a1, lam1, w, mu):
//   q1 = q_n o exp(dhat + cq a1 + cw w),  v1 = vhat + cv a1
//   e1 = cm Mass a1 + G' lam - Q + history,   e4 = (G v1 + Phi_t)/cv
//   e3 = cm X w - G' mu,                      e2 = Phi(q1, t1)
// w and mu vanish with the truncation error, so the Newton matrix needs no terms with mu. In the
// correction of the positions, cq y = cq da + cw dw, the equations fall into two halves of index-3
// size, the first of them the index-3 iteration itself:
//   [ A   G'; G 0 ] (y, l)     = (e1 + cw/cq e3, e2/cq)     A = cm M + cq (..)_q - cv Q_v
//   [cm X G'; G 0 ] (dw, -dmu) = (e3, (e2 - cq e4)/cw)
//   da = y - cw/cq dw,   dlam = l + cw/cq dmu
// With X = 1 the second half comes first, and the first has e1 + cm cw/cq M dw and dlam = l.
// With a coordinate split [YP98] lam and mu belong to the point: e1 and e3 are projected with the G there
// before the solve, and the matrix is the same, with these lam or without any.
// What is left out, (G v)_q y and (G T - G) y of the increments' chart in e4 and -cv cw/cq Q_v dw in the first
// half, vanishes with y and dw: positions converge first, then velocities, then lam, also near singular
// positions. Bodies that turn by a radian in a step make the first two as large as the rest. Methods that count their
// corrections have the last one; where a fresh matrix converges slowly, where bodies turn far, or if lam has to converge
// with the rest, the others too: the rates where y leads tell both, low = -cq/cw e4(q1 - cq y, v1 - cv y).
// Rows of velocities have e2 := Gam_v w, e4 = Gam/cv, and in the halves  Gam_v dw = e2,
//   (Gam_v + cq/cv Gam_q) y = e4 + cw/cq e2
// Equations of states and variables are none of those that w is for: w = 0 there, or what they read of velocities, times
// their gains, would move the states. (e2 := 0, and what the others' dw leave in e4 goes to the first half.)
// A differs from cm X by O(h) unless the forces are stiff: then one factorisation serves both, as two
// right-hand sides of one solve. Where matrices are made step by step the positions need one or two corrections, and
// velocities another: they follow the positions by the second half alone, which is linear there, until they have them.
// Where that happens and all constraints are pins, the first half goes alone and velocities are projected once it is done:
// si2_project.c. A stiff system, the unit metric, or a body that turns far in a step gets a factorisation of its own for the
// second half: metric.c. Next to stiff springs both are solved side by side (narrow.c): what is left out above is left out
// there too, unless dampers are a large part of A.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "corrector_si2.h"
#include "full.h"
#include "math/vector.h"
#include "places.h"
#include "si2_loops.h"
#include "split.h"

static const double FEW_TOL = 0.33;
// A matrix as close to cm X as this part of the limit is looked at again after so many; so is a tiny one.
static const double CLOSE = 0.25, CLOSE_TINY = 0.5;
enum { SELDOM = 8 };
// The rate of a fresh matrix for which something must be missing in it; how that is forgotten from step to step.
static const double SLOW = 0.15, FADE = 1.02;
static const double SETTLES = 0.5; // contraction of P e1 that will do
// What is left of the price of a matrix where corrections are dearer, since they are refined.
static const double REFINED = 0.4;
enum { RENEWED = 3 };       // matrices for that
enum { FEW = 4, MORE = 7 }; // corrections; more with all terms: steps are as long as that pays

// e1 += cm Mass (a + cw/cq w) + history, with X = 1 cm Mass a; e3 = cm X w - e3, or NULL
static void weigh_masses(const correction *k, double *e1, double *e3) {
  const tr_step *s = k->s;
  const tr_corrector *c = &s->c;
  const double *blocks = c->blocks ? c->blocks : tr_mass_blocks(s->work, s->blocks);
  if (e3 && !c->unit_metric) {
    tr_mass_add_two(s->work, blocks, c->cm, s->sum_a, c->history, e1, s->w, e3);
    return;
  }
  tr_mass_add(s->work, blocks, c->cm, c->unit_metric ? k->x1->a : s->sum_a, c->history, e1);
  for (int i = 0; e3 && i < s->sys->nv; i++) e3[i] = c->cm * s->w[i] - e3[i];
}

// The first half alone: the residual of index 3, at a + cw/cq w and lam - cw/cq mu, with e2 = 0 in rows of velocities.
static tr_status evaluate_first(correction *k, double *r) {
  tr_step *s = k->s;
  const tr_state *x = k->x1;
  double *top = k->low = r + s->sys->nv, icq = k->scale = 1 / s->c.cq, icv = 1 / s->c.cv;
  tr_kinematics(s->work, k->t1, x->q, x->v, x->mem, s->sys->force_level);
  tr_forces(s->work, s->sum_lam, r, top);
  k->p.side = s->work->acting;
  weigh_masses(k, r, NULL);
  if (s->sys->nvelocity == 0)
    TR_SHARE(s->work, s->sys->nc, scale_part, k);
  else
    for (int i = 0; i < s->sys->nc; i++) top[i] *= s->sys->of_velocity[i] ? icv : icq;
  return TR_OK;
}

// |Phi| of the rows that hold, over what positions may be off by.
static double find_open(const correction *k, const double *phi) {
  const tr_step *s = k->s;
  const tr_mask *mask = s->kkt.mask;
  double sum = 0;
  for (int i = 0, out = 0; i < s->sys->nc; i++) {
    while (mask && out < mask->count && mask->row[out] < s->sys->nv + i) out++;
    bool left = mask && out < mask->count && mask->row[out] == s->sys->nv + i;
    if (!left && !s->sys->of_velocity[i]) sum += phi[i] * phi[i];
  }
  return sqrt(sum) / (k->length_scale * s->allowed);
}

static bool is_zero(int n, const double *x) {
  for (int i = 0; i < n; i++)
    if (x[i] != 0) return false;
  return true;
}

// Rows of both halves, of positions and of velocities; still: Gam_v w = 0.
static void scale_mixed(const correction *k, bool still) {
  const tr_system *sys = k->s->sys;
  const tr_corrector *c = &k->s->c;
  double cq = c->cq, cv = c->cv, cw = c->cw, ratio = cw / cq, rate = cq / cv;
  double *restrict top = k->top, *restrict low = k->low;
  bool holds = !c->split && k->s->work->numbers_rest;
  for (int i = 0; i < sys->nc; i++) {
    double e2 = top[i], cve4 = low[i];
    if (!sys->of_velocity[i]) {
      low[i] = (e2 - rate * cve4) / cw, top[i] = e2 / cq;
      continue;
    }
    if (still || (holds && sys->of_number[i])) e2 = 0;
    low[i] = e2, top[i] = cve4 / cv + ratio * e2;
  }
}

// r = (e1 + cw/cq e3, e2/cq, e3, (e2 - cq e4)/cw); with X = 1 e1 alone
TR_INLINE tr_status evaluate(tr_newton_problem *p, double *r) {
  correction *k = (correction *)p;
  tr_step *s = k->s;
  const tr_corrector *c = &s->c;
  const tr_state *x = k->x1;
  tr_work *w = s->work;
  int nv = s->sys->nv, nc = s->sys->nc;
  double *e1 = r, *top = k->top = r + nv, *e3 = top + nc, *low = k->low = e3 + nv;
  bool still = s->sys->nvelocity > 0 && k->usual && is_zero(nv, s->w); // Gam_v w = 0
  tr_kinematics(w, k->t1, x->q, x->v, x->mem, TR_AT_VELOCITY);
  if (c->split) {
    if (s->sys->nreaction > 0) tr_show_reactions(w, x->lam);
    tr_forces(w, NULL, e1, top);
    tr_rates(w, low);
    if (s->sys->nvelocity > 0) tr_velocity_rows_times(w, s->w, top);
    memset(e3, 0, (size_t)nv * sizeof *e3);
  } else {
    w->reactions = x->lam;
    w->numbers_rest = tr_step_holds_numbers(s);
    tr_stabilised(w, c->unit_metric ? x->lam : s->sum_lam, s->mu, still ? NULL : s->w, e1, top, low,
                  e3);
    w->reactions = NULL;
  }
  p->side = w->acting;
  if (c->few && !c->multipliers) p->open = find_open(k, top);
  weigh_masses(k, e1, e3);
  if (s->bends) tr_copy(w, low, s->bent, nc);
  if (s->sys->nvelocity == 0) TR_SHARE(w, nc, rows_part, k);
  if (s->sys->nvelocity > 0) scale_mixed(k, still);
  return c->split ? tr_split_project(c->split, s, e1, x->lam, e3, s->mu) : TR_OK;
}

// The first correction had nothing to do with w: no constraint has moved a body from where its velocity leads. The next
// one will not either.
static bool goes_alone(const correction *k) {
  return k->begun == 1 && k->half == 0 && k->parted && k->usual;
}

// With a split lam is what the projection finds; forces that depend on it are evaluated again until it stays.
TR_APART tr_status evaluate_again(correction *k, double *r) {
  enum { SWEEPS = 100 };
  int nc = k->s->sys->nc;
  double *last = k->s->lam;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double change = 0, size = 0;
    memcpy(last, k->x1->lam, (size_t)nc * sizeof *last);
    TR_TRY(evaluate(&k->p, r));
    for (int i = 0; i < nc; i++) {
      change = fmax(change, fabs(k->x1->lam[i] - last[i]));
      size = fmax(size, fabs(last[i]));
    }
    if (change <= 1e-13 * size) return TR_OK;
  }
  return TR_NO_CONVERGENCE;
}

static tr_status residual(tr_newton_problem *p, double *r) {
  correction *k = (correction *)p;
  k->alone = k->apart || goes_alone(k);
  if (k->alone) return tr_si2_walks(k) ? tr_si2_walk_to_residual(k, r) : evaluate_first(k, r);
  bool once = !k->s->c.split || k->s->sys->nreaction == 0;
  return once ? evaluate(p, r) : evaluate_again(k, r);
}

// The matrix at the point of the last residual: its values, if asked for with s->damping, or in blocks; or, to NULL, at
// once in blocks and factored. False: that failed.
static bool fill(const correction *k, bool in_blocks, bool damped, double *to) {
  tr_step *s = k->s;
  const tr_corrector *c = &s->c;
  const double *a = c->unit_metric ? k->x1->a : s->sum_a;
  const double *lam = c->plain ? NULL : c->unit_metric ? k->x1->lam : s->sum_lam;
  const double *rhs = k->apart && !s->turns ? s->newton.r : NULL; // nothing else is solved before
  s->work->increment = s->sys->flat ? NULL : s->d;
  s->work->rates = damped ? s->damping : NULL;
  s->work->due = k->due.walk ? &k->due : NULL;
  if (c->split) tr_forces(s->work, lam, s->work->x, NULL); // the residual did without lam
  bool done = true;
  if (to)
    (in_blocks ? tr_tangent_blocks : tr_tangent_here)(s->work, a, lam, c->blocks, tr_si2_weights(c),
                                                      to);
  else
    done = tr_tangent_factor(s->work, a, lam, c->blocks, tr_si2_weights(c), &s->kkt, rhs);
  s->work->increment = NULL, s->work->rates = NULL, s->work->due = NULL;
  return done;
}

// Next to stiff springs a matrix may hide for long what converges slowly.
static bool may_plan(const tr_step *s) {
  return s->c.brisk && !s->c.multipliers && !s->c.split && !s->stiff;
}

// Both matrices straight to where they are factored, beside each other as the last ones. Whether these are still needed is
// looked at from time to time.
static bool again_beside(const correction *k, const double *mass) {
  tr_step *s = k->s;
  bool alike = !k->apart && s->stiff && s->paired && k->plain && k->usual && !s->bends;
  double *A =
      alike && k->p.side == s->far_side && s->paired_age++ < SELDOM ? tr_kkt_blocks(&s->kkt) : NULL;
  if (!A || tr_step_looks(s) || !tr_damping_mild(s)) return false;
  fill(k, true, false, A);
  return tr_second_beside(s, mass);
}

// Straight to where it is factored, unless the second half needs one of its own, as it did last time. How far it is
// from cm X is looked at from time to time only where it is close.
static tr_status matrix(tr_newton_problem *p) {
  correction *k = (correction *)p;
  tr_step *s = k->s;
  const tr_corrector *c = &s->c;
  const double *mass = c->blocks ? c->blocks : tr_mass_blocks(s->work, s->blocks);
  bool plain = s->sys->nvelocity == 0 && s->sys->nreaction == 0 && !c->unit_metric;
  double limit = tr_step_mass_like(s), rows = -1, *A = NULL;
  bool far = s->far > limit && p->side == s->far_side;
  if (k->apart || (plain && !far)) A = tr_kkt_blocks(&s->kkt);
  if (!A) tr_si2_walk_now(k);
  s->matrix_cq = c->cq, s->matrix_cv = c->cv, s->matrix_cm = c->cm;
  s->kkt.rough = s->projection.rough = true, s->made_apart = k->apart;
  if (c->split) c->split->plain = c->plain;
  if (again_beside(k, mass)) {
    p->regular = tr_step_regular(s), p->planned = s->sticks = false;
    p->strained = tr_step_strained(s, c->cq / c->cm, mass, s->newton.r);
    return TR_OK;
  }
  s->paired = false;
  bool done = false, close = s->far <= CLOSE * limit || (p->finish && tr_si2_halves_known(s));
  bool looks = A && !k->apart;
  if (k->apart) s->far_age = SELDOM; // it may count once halves are no longer apart
  if (looks && (!close || s->far_age++ >= SELDOM || p->side != s->far_side)) {
    fill(k, true, false, A);
    rows = tr_metric_rows(s, A, mass), s->far_age = 0;
    done = tr_kkt_factor_blocks(&s->kkt);
  } else if (A) {
    done = fill(k, true, false, NULL);
  }
  if (k->due.walk) tr_si2_have_walked(k);
  if (p->side != s->far_side) s->far_rows = 0, s->near = 0;
  s->far_side = p->side;
  if (rows >= 0) s->far = done && !c->few ? tr_metric_contraction(s, rows, mass) : rows;
  bool near =
      !A && k->parted && !tr_step_holds_numbers(s) && k->usual && s->near > 0 && k->begun <= 1;
  bool often = tr_step_looks(s);
  bool own = !k->apart && ((!A && !near) || s->far > limit);
  if (near) s->near--;
  if (own || often || !done || tr_kkt_refines(&s->kkt)) {
    TR_TRY(tr_kkt_hold(&s->kkt));
    s->kkt.wanted |= own; // it may happen often
    fill(k, false, own, s->kkt.values);
    s->kkt.held = true;
  }
  if (!done) TR_TRY(tr_kkt_factor(&s->kkt));
  p->regular = tr_step_regular(s);
  if (k->apart && !p->regular) {
    tr_si2_join(k);
    s->newton.matrices++;
    return matrix(p);
  }
  p->strained = tr_step_strained(s, c->cq / c->cm, mass, s->newton.r);
  s->stiff = own && tr_make_projection(s, mass, c->unit_metric);
  p->planned = may_plan(s);
  p->finishes = k->apart || (p->finish && !k->begun && !s->stiff && !s->turns);
  if (own && !s->stiff) s->far = 0, s->far_age = SELDOM;
  if (own) s->near = !s->stiff && s->rows <= CLOSE_TINY * limit ? SELDOM : 0;
  bool coupled = s->stiff || c->unit_metric;
  s->sticks = false;
  if ((!coupled && !s->turns) || (s->stiff && s->columns_used > 0)) return TR_OK;
  if (!coupled) tr_fill_projection(s, mass);
  if (coupled && s->damping) tr_find_damping(s, mass);
  bool beside = coupled && k->plain && k->usual && !s->bends;
  return tr_second_factor(s, beside && tr_damping_mild(s));
}

// The second half by y: low -= cw^-1 (cq top + cq/cv (e4(q1 - cq y, v1 - cv y) - e4)), with e4 of the point in s->bent
// and of the place beside.
static void bend(const correction *k, const double *y, const double *top, double *low) {
  const tr_step *s = k->s;
  const tr_corrector *c = &s->c;
  int nv = s->sys->nv, nc = s->sys->nc;
  double *here = s->bent, *there = here + nc, *d = there + 2 * nc, *v = d + nv, *q = v + nv;
  double f = c->cq / (c->cv * c->cw);
  for (int i = 0; i < nv; i++) d[i] = s->d[i] - c->cq * y[i], v[i] = k->x1->v[i] - c->cv * y[i];
  tr_retract_shared(s->work, k->base, d, q);
  tr_kinematics(s->work, k->t1, q, v, k->x1->mem, TR_AT_VELOCITY);
  tr_rates(s->work, there);
  for (int i = 0; i < nc; i++)
    if (!s->sys->of_velocity[i]) low[i] -= c->cq / c->cw * top[i] + f * (there[i] - here[i]);
}

// With what is usually left out. Where the halves depend on each other, one after the other, twice.
TR_APART tr_status solve_thoroughly(const correction *k, double *r) {
  tr_step *s = k->s;
  int nv = s->sys->nv, nc = s->sys->nc, n = nv + nc;
  double *second = r + n, *top = s->bent + 2 * nc, *more = top + nc + 2 * nv + s->sys->nq;
  memcpy(top, r + nv, (size_t)nc * sizeof *top);
  if (!s->stiff && !s->c.unit_metric) {
    TR_TRY(tr_kkt_solve(&s->kkt, 1, r));
    bend(k, r, top, second + nv);
    return s->turns ? tr_second_solve(s, second) : tr_kkt_solve(&s->kkt, 1, second);
  }
  TR_TRY(tr_second_solve(s, second));
  tr_couple_halves(s, second, r);
  TR_TRY(tr_kkt_solve(&s->kkt, 1, r));
  memset(more, 0, 2 * (size_t)n * sizeof *more);
  bend(k, r, top, more + n + nv);
  TR_TRY(tr_second_solve(s, more + n));
  tr_couple_halves(s, more + n, more);
  TR_TRY(tr_kkt_solve(&s->kkt, 1, more));
  for (int i = 0; i < 2 * n; i++) r[i] += more[i];
  return TR_OK;
}

// w is what it should be, to the last digit: as where constraints are linear and nothing moves against them.
static bool is_there(const correction *k, const double *second) {
  return k->parted && k->usual && is_zero(k->s->sys->nv + k->s->sys->nc, second);
}

static tr_status solve(tr_newton_problem *p, double *r) {
  correction *k = (correction *)p;
  tr_step *s = k->s;
  const tr_corrector *c = &s->c;
  double *second = r + s->sys->nv + s->sys->nc;
  if (second[0] == 0 && !k->alone && r == s->newton.r) k->alone = is_there(k, second);
  if (k->alone) return tr_kkt_solve(&s->kkt, 1, r);
  if (s->bends) return solve_thoroughly(k, r);
  if (!s->stiff && !c->unit_metric) return tr_kkt_solve(&s->kkt, 2, r);
  if (s->columns_used > 0) return tr_columns_solve(s, r);
  if (s->paired && k->usual) return tr_kkt_solve_pair(&s->kkt, &s->projection, s->twin, r);
  TR_TRY(tr_second_solve(s, second));
  tr_couple_halves(s, second, r);
  return tr_kkt_solve(&s->kkt, 1, r);
}

// The second half alone, at fixed positions; and the rows of k->low times k->scale.
void tr_si2_follow(correction *k, const double *dw) {
  const tr_step *s = k->s;
  k->dx = dw;
  TR_SHARE(s->work, s->sys->nv, follow_part, k);
  TR_SHARE(s->work, s->sys->nc, mu_part, k);
}

void tr_si2_scale(const correction *k) {
  TR_SHARE(k->s->work, k->s->sys->nc, scale_part, (void *)k);
}

static tr_status matrix_full(tr_newton_problem *p) {
  const correction *k = (correction *)p;
  tr_step *s = k->s;
  if (s->c.split && !s->c.plain)
    TR_TRY(residual(p, s->newton.r)); // lam and mu belong to this point
  return tr_full_matrix_si2(s, k->x0, k->x1, k->length_scale, tr_step_holds_numbers(s));
}

static tr_status solve_full(tr_newton_problem *p, double *r) {
  return tr_full_solve(((correction *)p)->s->full, r);
}

// By the first half alone.
static void update_first(correction *k) {
  const tr_step *s = k->s;
  TR_SHARE(s->work, s->sys->nv, advance_part, k);
  TR_SHARE(s->work, s->sys->nc, lam_part, k);
  tr_retract_shared(s->work, k->base, s->d, k->x1->q);
}

static void update(tr_newton_problem *p, const double *dx) {
  correction *k = (correction *)p;
  const tr_step *s = k->s;
  k->begun++, k->dx = dx;
  if (s->c.few && s->sticks) tr_si2_keep(k);
  if (s->c.split) tr_split_correct(s->c.split);
  if (k->alone) {
    if (k->apart)
      tr_si2_shift(k);
    else
      update_first(k);
    return;
  }
  TR_SHARE(s->work, s->sys->nv, move_part, k);
  TR_SHARE(s->work, s->sys->nc, pull_part, k);
  tr_retract_shared(s->work, k->base, s->d, k->x1->q);
}

static double square_part(void *what, int chunk, int first, int end) {
  const correction *k = what;
  const tr_step *s = k->s;
  const tr_corrector *c = &s->c;
  const double *dx = k->dx, *dw = dx + s->sys->nv + s->sys->nc;
  double ratio = k->ratio, sum = 0;
  (void)chunk;
  for (int i = first; i < end; i++) {
    double dq = c->cq * dx[i] / s->scale_q[i];
    double dv = c->cv * (dx[i] - ratio * dw[i]) / s->scale_v[i];
    sum += dq * dq + dv * dv;
  }
  return sum;
}

// Corrections of positions, velocities and, if they count, multipliers over what the step may have:
// root mean square.
static double weighted(correction *k, const double *dx) {
  const tr_step *s = k->s;
  const tr_corrector *c = &s->c;
  int nv = s->sys->nv, nc = s->sys->nc;
  const double *l = dx + nv, *dmu = l + nc + nv;
  double share = c->unit_metric ? 0 : c->cw / c->cq;
  k->dx = dx;
  double sum = tr_sum(s->work, nv, square_part, k);
  if (c->multipliers)
    for (int i = 0; i < nc; i++) {
      double dlam = (l[i] - share * dmu[i]) / (1 + fabs(k->x0->lam[i]));
      double dm = dmu[i] / (1 + fabs(s->last_mu[i]));
      sum += dlam * dlam + dm * dm;
    }
  return sqrt(sum / (2 * nv + (c->multipliers ? 2 * nc : 0))) / s->allowed;
}

// Corrections of the velocities, cv da, and of the positions, brought to the same scale.
static double norm(const tr_newton_problem *p, const double *dx) {
  correction *k = (correction *)p;
  tr_step *s = k->s;
  int nv = s->sys->nv, nc = s->sys->nc;
  if (s->c.few) return k->last = weighted(k, dx);
  bool alone = k->apart || (k->alone && dx == s->newton.r);
  double da, half = 0;
  if (alone || s->work->team) {
    da = tr_largest(s->work, dx, nv);
    if (!alone) half = tr_largest(s->work, dx + nv + nc, nv);
  } else {
    vec_largest_two(dx, dx + nv + nc, nv, &da, &half);
  }
  da *= s->c.cv, half *= s->c.cv * k->ratio;
  if (dx == s->newton.r) k->first = k->half, k->half = half;
  if (s->stiff && k->begun == 0) tr_metric_share(s, da, half, p->tol);
  return k->last = p->finishes ? da : max2(half, da);
}

// Both at once, of the first half alone.
static double move_on(tr_newton_problem *p, const double *dx) {
  correction *k = (correction *)p;
  k->begun++, k->dx = dx;
  k->first = k->half, k->half = 0;
  return k->last = k->s->c.cv * tr_si2_shift(k);
}

// Both halves of a small system in one go.
static double move_at_once(tr_newton_problem *p, const double *dx) {
  correction *k = (correction *)p;
  const tr_step *s = k->s;
  double da, half;
  if (k->alone || s->stiff) {
    double size = norm(p, dx);
    if (isfinite(size)) update(p, dx);
    return size;
  }
  k->begun++;
  tr_si2_shift_small(k, dx, &da, &half);
  tr_retract(s->sys, k->base, s->d, k->x1->q);
  da *= s->c.cv, half *= s->c.cv * k->ratio;
  k->first = k->half, k->half = half;
  return k->last = p->finishes ? da : max2(half, da);
}

// Corrections of the multipliers over what they were: of those the norm need not know.
static double unseen(const tr_newton_problem *p, const double *dx) {
  const correction *k = (const correction *)p;
  const tr_corrector *c = &k->s->c;
  const bool *number =
      k->s->sys->of_number; // their multipliers are nothing but what states are off by
  int nv = k->s->sys->nv, nc = k->s->sys->nc;
  const double *l = dx + nv, *dmu = l + nc + nv;
  double share = c->unit_metric ? 0 : c->cw / c->cq, most = 0;
  for (int i = 0; i < nc; i++)
    if (!number[i]) most = fmax(most, fabs(l[i] - share * dmu[i]));
  return most / (1 + vec_largest(k->x0->lam, nc)); // as in weighted
}

// Steps as long as one in which a fresh matrix was slow have all terms.
static tr_status correct_few(correction *k) {
  tr_step *s = k->s;
  double h = k->t1 - k->x0->t;
  long matrices = s->newton.matrices, corrections = s->newton.iterations;
  s->bends = s->c.multipliers || tr_step_bends(s, h);
  if (s->bends) s->bends_from *= FADE;
  tr_status status = tr_newton_few(&s->newton, &k->p, s->bends && !s->c.multipliers ? MORE : FEW);
  bool many = status == TR_NO_CONVERGENCE || s->newton.iterations - corrections > 2;
  if (!s->bends && many && s->newton.matrices != matrices && s->newton.rate > SLOW)
    s->bends_from = 0.9 * h;
  return status;
}

static tr_status iterate(correction *k) {
  return k->s->c.few ? correct_few(k) : tr_newton_solve(&k->s->newton, &k->p);
}

// Without (G' lam)_q a matrix may be stiff along the constraint where nothing is: forces that turn with G are taken out by P.
// Corrections by it are small there, whatever is left, and next to others they do not show in the rate. P e1 does: its
// contraction is the rate. Where that is slow the iteration goes on with the matrix that has all. Of a frozen P the
// matrix has all, and the error is what the P of the end finds left.
static tr_status settle(correction *k) {
  tr_step *s = k->s;
  tr_split *split = s->c.split;
  s->newton.residuals++;
  if (split->frozen) split->held = false;
  TR_TRY(k->p.residual(&k->p, s->newton.r));
  if (split->frozen) {
    tr_split_look(split, s);
    return TR_OK;
  }
  double rate = tr_split_contraction(split, s, k->p.tol);
  if (rate < SETTLES && rate / (1 - rate) * k->last <= k->p.tol) return TR_OK;
  split->blunt = true;
  s->c.plain = s->newton.valid = false;
  return iterate(k);
}

// Friction that sticks makes a matrix stiff along a coordinate where nothing is once it slides: corrections by it are small,
// whatever is left. Few of them do not show that; the next one does. Where it is no smaller than the last the iteration goes
// on with a matrix of its end.
static tr_status settle_few(correction *k) {
  tr_step *s = k->s;
  for (int renewed = 0; s->sticks; renewed++) {
    long stagnations = s->newton.stagnations;
    double rate = 0;
    TR_TRY(tr_si2_contraction(k, &rate));
    if (rate < SETTLES) break;
    s->newton.valid = s->newton.known = false;
    if (renewed == RENEWED) return TR_NO_CONVERGENCE;
    TR_TRY(correct_few(k));
    if (s->newton.stagnations > stagnations) break;
  }
  return TR_OK;
}

// All rows are of velocities: there is nothing to stabilise, w = 0 and mu = 0, and this is index 3.
static bool is_index_3(const tr_step *s) {
  if (s->sys->nvelocity != s->sys->nc) return false;
  bool usual = s->settings.fixed_iterations == 0 && !s->full && !s->c.few && !s->base;
  return usual && !s->c.split && !s->c.unit_metric;
}

static const tr_newton_problem usual_problem = {.residual = residual,
                                                .matrix = matrix,
                                                .solve = solve,
                                                .update = update,
                                                .norm = norm,
                                                .at_floor = tr_si2_at_floor,
                                                .closed = tr_si2_closed,
                                                .noise = tr_si2_noise,
                                                .inexact = true};

tr_status tr_correct_si2(tr_step *s, const tr_state *x0, double t1, tr_state *x1) {
  const tr_corrector *c = &s->c;
  if (is_index_3(s)) return tr_correct(s, x0, t1, x1);
  s->top_d = -1, s->change = INFINITY, s->led.q = -1;
  correction k; // number by number: clearing all of it takes longer than this
  k.p = usual_problem;
  k.s = s, k.x0 = x0, k.x1 = x1, k.base = s->base ? s->base : x0->q, k.t1 = t1;
  k.ratio = c->cw / c->cq;
  k.begun = 0, k.half = k.first = k.last = 0, k.alone = k.apart = k.small = false;
  k.known = k.evaluated = k.begins = k.waits = false, k.due.walk = NULL;
  k.p.matrix_cost = s->allowed > 0 ? 0 : s->sys->pattern.matrix_cost;
  if (s->kkt.held && tr_kkt_refines(&s->kkt)) k.p.matrix_cost *= REFINED;
  k.p.steady = tr_step_steady(s);
  k.parted = s->sys->nreaction == 0 && !c->unit_metric && !c->split;
  k.plain = k.parted && s->sys->nvelocity == 0;
  k.usual = s->newton.resort == TR_NEWTON_USUAL && s->newton.fixed_iterations == 0 && !s->full &&
            !c->few && k.p.steady;
  if (s->sys->nmem > 0) memcpy(x1->mem, x0->mem, (size_t)s->sys->nmem * sizeof *x1->mem);
  x1->t = t1, s->filters = true;
  k.length_scale = max2(1, tr_si2_begin(&k));
  k.p.floor = 4 * DBL_EPSILON * k.length_scale * c->cv / c->cq;
  k.p.tol = max2(k.p.floor, tr_step_tolerance(s, x0));
  bool floored = k.p.tol <= k.p.floor, known = k.known && k.fastest >= 0;
  if (floored) k.p.way = (t1 - x0->t) * (known ? k.fastest : tr_fastest_turn(s->sys, NULL, x0->v));
  if (k.known) s->floored = floored;
  k.p.renewal = s->allowed > 0 ? 0 : s->sys->pattern.tiny_cost;
  k.p.most_noise = tr_step_most_noise(s, k.length_scale);
  k.p.far = s->remote;
  if (c->few) {
    k.p.floor = tr_si2_few_floor(&k);
    k.p.tol = fmax(FEW_TOL * tr_step_share(s), k.p.floor);
    k.p.strict = c->multipliers;
    k.p.planned = may_plan(s);
    if (!c->multipliers && !c->split) k.p.unseen = unseen;
  }
  if (!tr_step_matrix_fits(s)) s->newton.valid = false;
  long before = s->newton.iterations, stagnations = s->newton.stagnations;
  long matrices = s->newton.matrices;
  bool looks = !s->sys->flat && !c->few && !s->full;
  if (looks) TR_TRY(tr_metric_by_turn(s, k.turn));
  if (tr_si2_may_project(&k))
    k.apart = k.p.finishes = true, k.p.inexact = false, k.p.finish = tr_si2_project;
  else if (tr_si2_may_finish(&k))
    k.p.finish = tr_si2_finish;
  if (k.apart) {
    if (tr_si2_walks(&k)) k.p.advance = move_on;
  } else {
    if (k.begins) tr_si2_walk_to_residual(&k, s->newton.r);
    k.evaluated = false;
    if (k.small && k.usual && !c->split) k.p.advance = move_at_once;
    if (k.sums && tr_si2_projects(&k)) tr_si2_feel(s); // it turns too far
    if (k.sums) tr_si2_tell(&k);
    if (s->made_apart) s->newton.valid = false;
  }
  if (s->full) k.p.matrix = matrix_full, k.p.solve = solve_full;
  tr_status status = iterate(&k);
  if (k.apart && status != TR_OK) tr_si2_tell(&k);
  if (c->split) c->split->blunt = false, c->split->defect = 0;
  bool given = s->newton.fixed_iterations > 0;
  if (status == TR_OK && c->split && c->split->plain && s->stiff && !given) status = settle(&k);
  bool few = c->few && !c->multipliers && !(c->split && c->split->plain);
  if (status == TR_OK && few && s->newton.stagnations == stagnations) status = settle_few(&k);
  if (looks) tr_metric_learn(s, k.turn, s->newton.iterations - before);
  s->ample = s->newton.first > k.p.floor ? 0 : s->ample < INT_MAX ? s->ample + 1 : INT_MAX;
  if (s->pins && k.usual)
    tr_si2_learn(s, &k, s->newton.iterations - before, s->newton.matrices - matrices);
  return status;
}
