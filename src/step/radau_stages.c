// SPDX-License-Identifier: Apache-2.0
// The linear systems for the positions of the stages of Radau IIA, see corrector_radau.c: the real and the complex one
// that T takes the stages apart into, all three at once with the projection where nothing is stiff, or as one
// system of three times the size with each stage's own matrices.
#include <complex.h>

#include "radau.h"

static const double GAMMA = 3.637834252744495732, ALPHA = 2.681082873627752133,
                    BETA = 3.050430199247410570;

double tr_radau_real(void) { return 1 / GAMMA; }

void tr_radau_fill_real(tr_step *s, double h) {
  const tr_radau *m = s->memory;
  double g = h / m->h0 / GAMMA;
  for (int k = 0; k < s->sys->pattern.nnz; k++)
    s->kkt.values[k] = s->projection.values[k] + m->C[k] + g * g * m->K[k] + g * m->D[k];
}

// The real and the complex matrix for the step length at hand.
tr_status tr_radau_factor(tr_step *s, double h) {
  tr_radau *m = s->memory;
  const tr_pattern *p = &s->sys->pattern;
  const double *P = s->projection.values;
  double f = h / m->h0;
  double complex w = f / (ALPHA + BETA * I), ww = w * w;
  m->factored_h = h;
  tr_radau_fill_real(s, h);
  for (int j = 0; j < p->n; j++) {
    int first = p->column[j], count = p->column[j + 1] - first;
    double *left = m->pair.values + 4 * first, *right = left + 2 * count;
    for (int k = 0; k < count; k++) {
      int e = first + k;
      double complex x = P[e] + m->C[e] + ww * m->K[e] + w * m->D[e];
      left[2 * k] = right[2 * k + 1] = creal(x);
      left[2 * k + 1] = cimag(x), right[2 * k] = -cimag(x);
    }
  }
  TR_TRY(tr_kkt_factor(&s->kkt));
  return tr_kkt_factor(&m->pair);
}

// Rows of stage i:  sum_j ((A^-2)_ij M - (A^-1)_ij h Q_v) y_j + h^2 K y_i + G' l_i,  G y_i
void tr_radau_fill_stage(tr_step *s, int i) {
  tr_radau *m = s->memory;
  const tr_system *sys = s->sys;
  const tr_pattern *p = &sys->pattern;
  const double *P = m->stage[i].values;
  int nv = sys->nv;
  double inverse[STAGES][STAGES];
  tr_radau_inverse(inverse);
  for (int b = 0; b < STAGES; b++) {
    double B = inverse[i][b], BB = 0, own = i == b;
    for (int l = 0; l < STAGES; l++) BB += inverse[i][l] * inverse[l][b];
    for (int j = 0; j < p->n; j++) {
      double *at = m->all.values + m->all_pattern.column[STAGES * j + b] + i;
      for (int e = p->column[j]; e < p->column[j + 1]; e++, at += STAGES) {
        bool corner = j < nv && p->row[e] < nv;
        *at = corner ? BB * P[e] + B * m->D[e] + own * m->K[e] : own * (P[e] + m->C[e]);
        if (j < nv && p->row[e] >= nv && sys->of_velocity[p->row[e] - nv])
          *at = B * P[e] + own * m->D[e];
      }
    }
  }
}

// b (nv + nc): the complex system for components 1 and 2 of the transformed stages, in place.
static tr_status solve_pair(tr_step *s, double h, double *x, double *y) {
  tr_radau *m = s->memory;
  int nv = s->sys->nv, n = nv + s->sys->nc;
  const tr_mask *mask = s->kkt.mask;
  double complex w = h / (ALPHA + BETA * I), ww = w * w;
  double *b = m->b + n; // room for 2 n
  for (int i = 0; i < n; i++) {
    double complex f = x[i] + y[i] * I;
    if (i >= nv) f /= s->sys->of_velocity[i - nv] ? w : ww;
    b[2 * i] = creal(f), b[2 * i + 1] = cimag(f);
  }
  for (int i = 0; mask && i < mask->count; i++) b[2 * mask->row[i]] = b[2 * mask->row[i] + 1] = 0;
  TR_TRY(tr_kkt_solve(&m->pair, 1, b));
  for (int i = 0; i < n; i++) {
    double complex f = b[2 * i] + b[2 * i + 1] * I;
    if (i < nv) f *= ww;
    x[i] = creal(f), y[i] = cimag(f);
  }
  return TR_OK;
}

// r (3 stages): (e1 + B e3, e2) becomes (du, l).
static tr_status solve_apart(tr_step *s, double h, double *r) {
  int nv = s->sys->nv, n = nv + s->sys->nc;
  double w = h / GAMMA, *b = r, T[STAGES][STAGES], T_INV[STAGES][STAGES];
  tr_radau_transform(T, T_INV);
  for (int i = 0; i < n; i++) {
    double x[STAGES] = {r[i], r[n + i], r[2 * n + i]};
    for (int j = 0; j < STAGES; j++)
      r[j * n + i] = T_INV[j][0] * x[0] + T_INV[j][1] * x[1] + T_INV[j][2] * x[2];
  }
  for (int i = nv; i < n; i++) b[i] /= s->sys->of_velocity[i - nv] ? w : w * w;
  TR_TRY(tr_kkt_solve(&s->kkt, 1, b));
  for (int i = 0; i < nv; i++) b[i] *= w * w;
  TR_TRY(solve_pair(s, h, r + n, r + 2 * n));
  for (int i = 0; i < n; i++) {
    double x[STAGES] = {r[i], r[n + i], r[2 * n + i]};
    for (int j = 0; j < STAGES; j++)
      r[j * n + i] = T[j][0] * x[0] + T[j][1] * x[1] + T[j][2] * x[2];
  }
  return TR_OK;
}

// The same with the projection.
static tr_status solve_plainly(tr_step *s, double h, double *r) {
  int nv = s->sys->nv, n = nv + s->sys->nc;
  double A[STAGES][STAGES], AA[STAGES][STAGES], B[STAGES][STAGES], BB[STAGES][STAGES];
  tr_radau_weights(A);
  tr_radau_inverse(B);
  for (int i = 0; i < STAGES; i++)
    for (int j = 0; j < STAGES; j++) {
      AA[i][j] = BB[i][j] = 0;
      for (int l = 0; l < STAGES; l++) {
        AA[i][j] += h * h * A[i][l] * A[l][j];
        BB[i][j] += B[i][l] * B[l][j] / (h * h);
      }
    }
  for (int i = nv; i < n; i++) {
    double x[STAGES] = {r[i], r[n + i], r[2 * n + i]};
    bool rate = s->sys->of_velocity[i - nv];
    const double(*w)[STAGES] = rate ? B : BB, unit = rate ? h : 1;
    for (int j = 0; j < STAGES; j++)
      r[j * n + i] = (w[j][0] * x[0] + w[j][1] * x[1] + w[j][2] * x[2]) / unit;
  }
  TR_TRY(tr_kkt_solve(&s->projection, STAGES, r));
  for (int i = 0; i < nv; i++) {
    double x[STAGES] = {r[i], r[n + i], r[2 * n + i]};
    for (int j = 0; j < STAGES; j++)
      r[j * n + i] = AA[j][0] * x[0] + AA[j][1] * x[1] + AA[j][2] * x[2];
  }
  return TR_OK;
}

// The same with each stage's own matrices.
static tr_status solve_each(tr_step *s, double h, double *r) {
  tr_radau *m = s->memory;
  int nv = s->sys->nv, n = nv + s->sys->nc;
  const tr_mask *mask = s->kkt.mask;
  double *b = m->b;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < STAGES; j++)
      b[STAGES * i + j] = r[j * n + i] / (i < nv ? 1 : s->sys->of_velocity[i - nv] ? h : h * h);
  for (int i = 0; mask && i < mask->count; i++)
    for (int j = 0; j < STAGES; j++) b[STAGES * mask->row[i] + j] = 0;
  TR_TRY(tr_kkt_solve(&m->all, 1, b));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < STAGES; j++) r[j * n + i] = b[STAGES * i + j] * (i < nv ? h * h : 1);
  return TR_OK;
}

tr_status tr_radau_solve_positions(tr_step *s, double h, bool each, double *r) {
  if (each) return solve_each(s, h, r);
  return ((const tr_radau *)s->memory)->plain ? solve_plainly(s, h, r) : solve_apart(s, h, r);
}
