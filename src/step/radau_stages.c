// SPDX-License-Identifier: Apache-2.0
// The linear systems for the positions of the stages of Radau IIA, see corrector_radau.c: the real and the complex one
// that T takes the stages apart into, all three at once with the projection where nothing is stiff, or as one
// system of three times the size with each stage's own matrices.
#include <complex.h>
#include <string.h>

#include "radau.h"

static const double GAMMA = 3.637834252744495732, ALPHA = 2.681082873627752133,
                    BETA = 3.050430199247410570;

double tr_radau_real(void) { return 1 / GAMMA; }

// Loops over entries, columns or unknowns are shared: what they are about.
typedef struct loop {
  tr_step *s;
  double *r, *x, *y, *b;     // stages one after the other; two of them; room
  double complex w;          // h/eigenvalue, in filled matrices over h0
  const double (*W)[STAGES]; // what is mixed of the stages
} loop;

TR_INLINE void real_part(void *what, int part, int first, int end) {
  const tr_step *s = ((loop *)what)->s;
  const tr_radau *m = s->memory;
  const double *P = s->projection.values, g = creal(((loop *)what)->w);
  (void)part;
  for (int k = first; k < end; k++)
    s->kkt.values[k] = P[k] + m->C[k] + g * g * m->K[k] + g * m->D[k];
}

void tr_radau_fill_real(tr_step *s, double h) {
  const tr_radau *m = s->memory;
  loop l = {.s = s, .w = h / m->h0 / GAMMA};
  TR_SHARE(s->work, s->sys->pattern.nnz, real_part, &l);
}

// Of columns.
TR_INLINE void complex_part(void *what, int part, int from, int end) {
  const loop *l = what;
  const tr_radau *m = l->s->memory;
  const tr_pattern *p = &l->s->sys->pattern;
  const double *P = l->s->projection.values;
  double complex w = l->w, ww = w * w;
  (void)part;
  for (int j = from; j < end; j++) {
    int first = p->column[j], count = p->column[j + 1] - first;
    double *left = m->pair.values + 4 * first, *right = left + 2 * count;
    for (int k = 0; k < count; k++) {
      int e = first + k;
      double complex x = P[e] + m->C[e] + ww * m->K[e] + w * m->D[e];
      left[2 * k] = right[2 * k + 1] = creal(x);
      left[2 * k + 1] = cimag(x), right[2 * k] = -cimag(x);
    }
  }
}

// The real and the complex matrix for the step length at hand.
tr_status tr_radau_factor(tr_step *s, double h) {
  tr_radau *m = s->memory;
  m->factored_h = h;
  tr_radau_fill_real(s, h);
  loop l = {.s = s, .w = h / m->h0 / (ALPHA + BETA * I)};
  TR_SHARE(s->work, s->sys->pattern.n, complex_part, &l);
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

// Of unknowns: to the complex right-hand side, and back.
TR_INLINE void pair_part(void *what, int part, int first, int end) {
  const loop *l = what;
  const tr_system *sys = l->s->sys;
  const double *x = l->x, *y = l->y;
  double *b = l->b;
  double complex w = l->w, ww = w * w;
  (void)part;
  for (int i = first; i < end; i++) {
    double complex f = x[i] + y[i] * I;
    if (i >= sys->nv) f /= sys->of_velocity[i - sys->nv] ? w : ww;
    b[2 * i] = creal(f), b[2 * i + 1] = cimag(f);
  }
}

TR_INLINE void apart_part(void *what, int part, int first, int end) {
  const loop *l = what;
  const double *b = l->b;
  double *x = l->x, *y = l->y;
  double complex w = l->w, ww = w * w;
  int nv = l->s->sys->nv;
  (void)part;
  for (int i = first; i < end; i++) {
    double complex f = b[2 * i] + b[2 * i + 1] * I;
    if (i < nv) f *= ww;
    x[i] = creal(f), y[i] = cimag(f);
  }
}

// The complex system for components 1 and 2 of the transformed stages, x and y, in place.
static tr_status solve_pair(tr_step *s, double h, double *x, double *y) {
  tr_radau *m = s->memory;
  int n = s->sys->nv + s->sys->nc;
  const tr_mask *mask = s->kkt.mask;
  double *b = m->b + n; // room for 2 n
  loop l = {.s = s, .x = x, .y = y, .b = b, .w = h / (ALPHA + BETA * I)};
  TR_SHARE(s->work, n, pair_part, &l);
  for (int i = 0; mask && i < mask->count; i++) b[2 * mask->row[i]] = b[2 * mask->row[i] + 1] = 0;
  TR_TRY(tr_kkt_solve(&m->pair, 1, b));
  TR_SHARE(s->work, n, apart_part, &l);
  return TR_OK;
}

// Stages := W stages
TR_INLINE void mix_part(void *what, int part, int first, int end) {
  const loop *l = what;
  int n = l->s->sys->nv + l->s->sys->nc;
  double *r = l->r, W[STAGES][STAGES];
  memcpy(W, l->W, sizeof W);
  (void)part;
  for (int i = first; i < end; i++) {
    double x[STAGES] = {r[i], r[n + i], r[2 * n + i]};
    for (int j = 0; j < STAGES; j++)
      r[j * n + i] = W[j][0] * x[0] + W[j][1] * x[1] + W[j][2] * x[2];
  }
}

// r (3 stages): (e1 + B e3, e2) becomes (du, l).
static tr_status solve_apart(tr_step *s, double h, double *r) {
  int nv = s->sys->nv, n = nv + s->sys->nc;
  double w = h / GAMMA, *b = r, T[STAGES][STAGES], T_INV[STAGES][STAGES];
  loop l = {.s = s, .r = r, .W = T_INV};
  tr_radau_transform(T, T_INV);
  TR_SHARE(s->work, n, mix_part, &l);
  for (int i = nv; i < n; i++) b[i] /= s->sys->of_velocity[i - nv] ? w : w * w;
  TR_TRY(tr_kkt_solve(&s->kkt, 1, b));
  for (int i = 0; i < nv; i++) b[i] *= w * w;
  TR_TRY(solve_pair(s, h, r + n, r + 2 * n));
  l.W = T;
  TR_SHARE(s->work, n, mix_part, &l);
  return TR_OK;
}

// The same with the projection.
static tr_status solve_plainly(tr_step *s, double h, double *r) {
  int nv = s->sys->nv, n = nv + s->sys->nc;
  double A[STAGES][STAGES], AA[STAGES][STAGES], B[STAGES][STAGES], BB[STAGES][STAGES];
  loop l = {.s = s, .r = r, .W = AA};
  tr_radau_weights(A);
  tr_radau_inverse(B);
  for (int i = 0; i < STAGES; i++)
    for (int j = 0; j < STAGES; j++) {
      AA[i][j] = BB[i][j] = 0;
      for (int k = 0; k < STAGES; k++) {
        AA[i][j] += h * h * A[i][k] * A[k][j];
        BB[i][j] += B[i][k] * B[k][j] / (h * h);
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
  TR_SHARE(s->work, nv, mix_part, &l);
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
