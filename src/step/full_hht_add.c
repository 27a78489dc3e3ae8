// SPDX-License-Identifier: Apache-2.0
// Newton's matrix of HHT-ADD with nothing left out (step_hht_add.c has the rest).
//
// With Gam = M_1 M_n^-1 G_n', psi_I by p1 nu + p2 ka, psi_II by (2 gamma - p1) nu - p2 ka,
//   p1 = (2 beta - 2 gamma b)/(1 - 2b),  p2 = 2 beta/(1 - 2b),  K1 = (M1 (a1 + alpha f_n))_q - (1+alpha) Q_q
//   KN = (G1' psi_II + M1 R_II)_q,  E = (Gam (psi_I) + G1' (psi_II) + cq KN y)/(2 gamma) the reactions' change:
//   M z + cq K1 y - (1+alpha) cv Q_v z + E                                      = e1 + M s/cv
//   G z + cq/cv (G v + Phi_t)_q y                                              = rate/cv
//   M u + ((1-b) Gam (psi_I) + b (G1' (psi_II) + cq KN y))/(2 beta) - E        = M (p/cq - s/cv)
//   G T y - G z - cq/cv (G v + Phi_t)_q y                                      = Phi/cq - rate/cv
//   a1 by z + M^-1 E - s/cv
// Rows of velocities: Q with -Gam_v' lam, nu = (1+alpha) dlam, no part in E, in the second pair ka = 0.
#include <string.h>

#include "hht_add.h"

// Gam by rows: G_n M_n^-1 M_1, body by body.
static tr_status pull_rows(tr_step *s, const double *blocks) {
  const tr_hht_add *m = s->memory;
  double *x = s->work->x, *y = s->work->y;
  for (int i = 0; i < s->sys->nblock; i++) {
    sys_block block;
    const sys_block *b = tr_block(s->sys, i, &block);
    for (int r = 0, at = b->G; r < b->rows; r++, at += b->width) {
      memset(x, 0, (size_t)s->sys->nv * sizeof *x);
      for (int k = 0, c = at; k < b->count; c += b->nv[k++])
        memcpy(x + b->v[k], m->G + c, (size_t)b->nv[k] * sizeof *x);
      TR_TRY(tr_mass_solve(s->work, m->blocks, x));
      tr_mass_times(s->sys, blocks, x, y);
      for (int k = 0, c = at; k < b->count; c += b->nv[k++])
        memcpy(m->pulled + c, y + b->v[k], (size_t)b->nv[k] * sizeof *x);
    }
  }
  return TR_OK;
}

// cq K1 and cq KN by y = z + u, which is in both sets of unknowns.
static void add_stiffness(const tr_hht_add_trial *k) {
  tr_step *s = k->s;
  const tr_hht_add *m = s->memory;
  tr_full *f = s->full;
  double al = k->alpha, *sum = s->room[SCRATCH];
  for (int i = 0; i < s->sys->nv; i++) sum[i] = (k->x1->a[i] + al * s->room[APPLIED][i]) / (1 + al);
  tr_coefficients with = {1, s->c.cq, 0, 0}, without = {.cm = 1};
  tr_full_tangent(f, s->work, k->x1, sum, m->lam, NULL, with, without);
  for (int of = 0; of < 2; of++) tr_full_add_corner(f, 0, of, 1 + al, f->some);
  tr_full_tangent(f, s->work, k->x1, s->room[REACTION_II], m->psi_2, NULL, with, with);
  memcpy(m->bent, f->some, (size_t)s->sys->pattern.nnz * sizeof *f->some);
  double e = 0.5 / k->gamma, low = 0.5 * k->b / k->beta - e;
  for (int of = 0; of < 2; of++) {
    tr_full_add_corner(f, 0, of, e, f->some);
    tr_full_add_corner(f, 1, of, low, f->some);
  }
}

static void add_reactions(const tr_hht_add_trial *k) {
  tr_step *s = k->s;
  const tr_hht_add *m = s->memory;
  tr_full *f = s->full;
  double e = 0.5 / k->gamma, g = 0.5 / k->beta, b = k->b, *G = s->work->G;
  double p1 = (2 * k->beta - 2 * k->gamma * b) / (1 - 2 * b), p2 = 2 * k->beta / (1 - 2 * b);
  const double by[2][2] = {{p1, 2 * k->gamma - p1}, {p2, -p2}}; // psi_I, psi_II by nu; by ka
  const double in[2][2] = {{e, e}, {g * (1 - b) - e, g * b - e}};
  for (int i = 0; i < 4; i++) {
    tr_full_add_Gt(f, i / 2, i % 2, in[i / 2][0] * by[i % 2][0], m->pulled, TR_PHI);
    tr_full_add_Gt(f, i / 2, i % 2, in[i / 2][1] * by[i % 2][1], G, TR_PHI);
  }
}

// (1+alpha) (cv (Gam_v' lam - Q)_v z + Gam_v' dlam - Q_lam (..)), the last where forces depend on reactions: see apply.
static void add_damping(const tr_hht_add_trial *k) {
  tr_step *s = k->s;
  tr_full *f = s->full;
  const tr_state *x = k->x1;
  double more = 1 + k->alpha, seen = more * k->gamma * (1 + k->h / (k->h + s->last_h));
  tr_coefficients rates = {.cd = s->c.cv};
  const double *lam = ((const tr_hht_add *)s->memory)->lam;
  tr_tangent(s->work, k->t1, x->q, x->v, x->mem, NULL, lam, NULL, rates, f->some);
  tr_full_add_corner(f, 0, 0, more, f->some);
  tr_full_add_columns(f, 0, 0, 1, f->some, TR_GAM | TR_NUMBERS);
  if (s->sys->nreaction == 0) return;
  tr_full_add_columns(f, 0, 0, seen, f->some, TR_PHI);
  tr_full_add_Gt(f, 0, 0, -seen, s->work->G, TR_PHI);
}

tr_status tr_hht_add_matrix_full(tr_newton_problem *p) {
  const tr_hht_add_trial *k = (tr_hht_add_trial *)p;
  tr_step *s = k->s;
  const tr_state *x = k->x1;
  tr_full *f = s->full;
  int nv = s->sys->nv;
  const double *G = s->work->G;
  TR_TRY(tr_hht_add_residual(p, s->newton.r)); // R_II
  tr_full_clear(f, s->kkt.mask);
  if (s->sys->nreaction > 0) s->work->reactions = s->lam; // as the residual left them
  add_stiffness(k);
  for (int of = 0; of < 2; of++) tr_full_add_G(f, 1, of, 1, G, TR_PHI);
  tr_full_turn(f, s->d);
  tr_full_add_G(f, 1, 0, -1, G, TR_PHI);
  tr_full_add_G(f, 0, 0, 1, G, TR_ALL);
  add_damping(k);
  s->work->reactions = NULL;
  const double *blocks = tr_mass_blocks(s->work, s->blocks);
  for (int set = 0; set < 2; set++) tr_full_add_mass(f, set, set, 1, blocks);
  TR_TRY(pull_rows(s, blocks));
  add_reactions(k);
  for (int j = 0; j < nv; j++) {
    tr_full_rate_slope(f, s->work, k->x0->q, s->d, x, k->length_scale, NULL, j);
    for (int i = f->one.column[j]; i < f->one.column[j + 1]; i++) {
      int r = f->one.row[i] - nv;
      if (r < 0) continue;
      double bend = s->c.cq / s->c.cv * f->slope[r], low = s->sys->of_velocity[r] ? 0 : -bend;
      for (int of = 0; of < 2; of++)
        tr_full_add(f, 0, of, nv + r, j, bend), tr_full_add(f, 1, of, nv + r, j, low);
    }
  }
  for (int i = nv; i < f->one.n; i++)
    if (s->sys->of_velocity[i - nv]) tr_full_add(f, 1, 1, i, i, 1);
  tr_kinematics(s->work, k->t1, x->q, x->v, x->mem, TR_AT_VELOCITY); // for the update
  return tr_full_factor(f, 1);
}

// out = -E of a correction, at the point of the residual.
void tr_hht_add_change(const tr_hht_add_trial *k, const double *dx, double *out) {
  tr_step *s = k->s;
  const tr_hht_add *m = s->memory;
  const tr_pattern *p = &s->sys->pattern;
  int nv = s->sys->nv, nc = s->sys->nc;
  const double *nu = dx + nv, *u = nu + nc, *ka = u + nv;
  double b = k->b, *x = s->work->y, *G = s->work->G, *first = s->lam;
  double p1 = (2 * k->beta - 2 * k->gamma * b) / (1 - 2 * b), p2 = 2 * k->beta / (1 - 2 * b);
  for (int i = 0; i < nc; i++)
    first[i] = s->sys->of_velocity[i] ? 0 : (2 * k->gamma - p1) * nu[i] - p2 * ka[i];
  tr_constraint_force(s->work, first, out);
  for (int i = 0; i < nc; i++) first[i] = s->sys->of_velocity[i] ? 0 : p1 * nu[i] + p2 * ka[i];
  s->work->G = m->pulled;
  tr_Gt_times(s->work, first, x);
  s->work->G = G;
  for (int i = 0; i < nv; i++) out[i] += x[i];
  for (int j = 0; j < nv; j++)
    for (int e = p->column[j]; e < p->column[j + 1] && p->row[e] < nv; e++)
      out[p->row[e]] += m->bent[e] * (dx[j] + u[j]);
  for (int i = 0; i < nv; i++) out[i] *= -0.5 / k->gamma;
}
