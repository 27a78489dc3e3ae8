// SPDX-License-Identifier: Apache-2.0
// Newton's matrix of the stabilised form with nothing left out, in the unknowns (y, l, dw, -dmu) and equations of the
// two halves of corrector_si2.c: positions move by cq y, velocities by cv (y - ratio dw), ratio = cw/cq, and lam
// by l - share (-dmu). With K3 = (cm X w - G' mu)_q:
//   [ A + share cq K3    -ratio (cm M - cv Q_v), or with e3 its M gone   G'   0  ]
//   [ cq K3               cm X                                           0    G' ]
//   [ G T                 0                                              0    0  ]
//   [ (G T - G)/ratio - cq^2/(cv cw) (G v + Phi_t)_q      G              0    0  ]
// Rows of velocities:
//   [ Gam_v + cq/cv Gam_q T   0 ] + ratio times the second one, (Gam_v w)' + [ 0  Gam_v ]
// Forces that depend on reactions have Q_lam in the columns of multipliers; where Gam is curved in v, (G' lam)_v
// and (G' mu)_v come to Q_v.
#include "full.h"

typedef struct point {
  tr_step *s;
  const tr_state *x0, *x;
  double length, ratio, share;
  const double *lam, *mu; // mu: with the other sign
  bool numbers;
} point;

// cq (cm Mass a + G' lam - Q)_q, cq/cv Gam_q and cq K3, to be turned.
static void add_stiffness(const point *p) {
  tr_step *s = p->s;
  const tr_corrector *c = &s->c;
  tr_full *f = s->full;
  tr_coefficients with = {c->cm, c->cq, 0, c->cq / c->cv}, without = {.cm = c->cm};
  tr_full_tangent(f, s->work, p->x, p->x->a, p->lam, c->blocks, with, without);
  tr_full_add_corner(f, 0, 0, 1, f->some);
  tr_full_add_rows(f, 0, 0, 1, f->some);
  const double *w = c->unit_metric ? NULL : s->w;
  tr_full_tangent(f, s->work, p->x, w, p->mu, c->blocks, with, with);
  tr_full_add_corner(f, 0, 0, p->share, f->some);
  tr_full_add_corner(f, 1, 0, 1, f->some);
}

// What velocities do: cv (G' lam - Q)_v, with the columns of multipliers, and -cv (G' mu)_v.
static void add_damping(const point *p) {
  tr_step *s = p->s;
  tr_full *f = s->full;
  const tr_state *x = p->x;
  tr_coefficients rates = {.cd = s->c.cv};
  tr_tangent(s->work, x->t, x->q, x->v, x->mem, NULL, p->lam, s->c.blocks, rates, f->some);
  tr_full_add_corner(f, 0, 0, 1, f->some);
  tr_full_add_corner(f, 0, 1, -p->ratio, f->some);
  tr_full_add_columns(f, 0, 0, 1, f->some, TR_ALL);
  tr_full_add_columns(f, 0, 1, -p->share, f->some, TR_ALL);
  tr_full_add_Gt(f, 0, 1, p->share, s->work->G, TR_ALL);
  tr_full_add_Gt(f, 1, 1, 1, s->work->G, TR_ALL);
  if (s->sys->nvelocity == 0) return;
  tr_full_tangent(f, s->work, x, NULL, p->mu, s->c.blocks, rates, rates);
  tr_full_add_corner(f, 0, 0, p->share, f->some);
  tr_full_add_corner(f, 0, 1, -p->ratio * p->share, f->some);
  tr_full_add_corner(f, 1, 0, 1, f->some);
  tr_full_add_corner(f, 1, 1, -p->ratio, f->some);
}

// Gam_v of y and of dw in rows of velocities; of y - ratio dw in equations of states that have no e2.
static void add_velocity_rows(const point *p) {
  tr_full *f = p->s->full;
  const tr_system *sys = p->s->sys;
  const double *G = p->s->work->G;
  int plain = p->numbers ? TR_GAM : TR_GAM | TR_NUMBERS;
  tr_full_add_G(f, 0, 0, 1, G, TR_GAM | TR_NUMBERS);
  tr_full_add_G(f, 1, 1, 1, G, plain);
  tr_full_add_G(f, 0, 1, -p->ratio, G, TR_NUMBERS & ~plain);
  for (int i = 0; p->numbers && i < sys->nc; i++)
    if (sys->of_number[i]) tr_full_add(f, 1, 1, sys->nv + i, sys->nv + i, 1);
}

// Column j of the rates of positions, and of Gam_v w in rows of velocities.
static void add_bends(const point *p, int j) {
  const tr_step *s = p->s;
  const tr_corrector *c = &s->c;
  const tr_system *sys = s->sys;
  tr_full *f = s->full;
  tr_full_rate_slope(f, s->work, p->x0->q, s->d, p->x, p->length, s->w, j);
  for (int i = f->one.column[j]; i < f->one.column[j + 1]; i++) {
    int row = f->one.row[i], r = row - sys->nv;
    if (r < 0 || (p->numbers && sys->of_number[r])) continue;
    if (!sys->of_velocity[r]) {
      tr_full_add(f, 1, 0, row, j, -c->cq * c->cq / (c->cv * c->cw) * f->slope[r]);
      continue;
    }
    double y = c->cq * f->bend_q[r] + c->cv * f->bend_v[r], dw = -p->ratio * c->cv * f->bend_v[r];
    tr_full_add(f, 0, 0, row, j, p->ratio * y), tr_full_add(f, 0, 1, row, j, p->ratio * dw);
    tr_full_add(f, 1, 0, row, j, y), tr_full_add(f, 1, 1, row, j, dw);
  }
}

tr_status tr_full_matrix_si2(tr_step *s, const tr_state *x0, const tr_state *x1, double length,
                             bool numbers) {
  tr_full *f = s->full;
  const tr_corrector *c = &s->c;
  const double *G = s->work->G;
  double ratio = c->cw / c->cq;
  point p = {
      s,      x0,     x1, length, ratio, c->unit_metric ? 0 : ratio, c->plain ? NULL : x1->lam,
      s->lam, numbers};
  for (int i = 0; i < s->sys->nc; i++) s->lam[i] = c->plain ? 0 : -s->mu[i];
  s->work->reactions = x1->lam;
  tr_full_clear(f, s->kkt.mask);
  add_stiffness(&p);
  tr_full_add_G(f, 0, 0, 1, G, TR_PHI);
  tr_full_add_G(f, 1, 0, 1 / ratio, G, TR_PHI);
  tr_full_turn(f, s->d);
  add_damping(&p);
  tr_full_add_G(f, 1, 0, -1 / ratio, G, TR_PHI);
  tr_full_add_G(f, 1, 1, 1, G, TR_PHI);
  add_velocity_rows(&p);
  const double *blocks = c->blocks ? c->blocks : tr_mass_blocks(s->work, s->blocks);
  tr_full_add_mass(f, 0, 0, c->cm, blocks);
  tr_full_add_mass(f, 1, 1, c->cm, c->unit_metric ? NULL : blocks);
  if (c->unit_metric) tr_full_add_mass(f, 0, 1, -ratio * c->cm, blocks);
  s->work->reactions = NULL;
  for (int j = 0; j < s->sys->nv; j++) add_bends(&p, j);
  return tr_full_factor(f, ratio);
}
