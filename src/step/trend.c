// SPDX-License-Identifier: Apache-2.0
// The normal equations of a trend (predict.c), their solution, and the weights by it.
#include "trend.h"

#include <math.h>
#include <string.h>

enum { DEGREES = TR_DEGREES };
static const double FADE = 0.5, RIDGE = 1e-12;
static const double WILDEST = 128,
                    WILDEST_LARGE = 512; // sum of |weights|; of the polynomial 2^m - 1

// b (m) from the normal equations by L D L', of several trends side by side: one alone would wait for itself. What
// cannot be told apart from earlier terms gets none.
TR_INLINE void solve_terms(int M, int count, tr_trend *const *f) {
  lanes A[TR_TERMS_MAX][TR_TERMS_MAX + 1], d[TR_TERMS_MAX], b[TR_TERMS_MAX];
  const tr_trend *x = f[0], *y = f[1], *z = f[count - 1];
  for (int j = 0; j < M; j++)
    for (int k = j; k <= M; k++)
      A[j][k] = (lanes){x->gram[j][k], y->gram[j][k], z->gram[j][k], z->gram[j][k]};
  for (int j = 0; j < M; j++) {
    d[j] = 1 / A[j][j];
    for (int i = 0; i < count; i++)
      if (!(A[j][j][i] > RIDGE * f[i]->gram[j][j])) d[j][i] = 0;
    if (count < TR_TRENDS) d[j][2] = d[j][3] = d[j][1];
    for (int i = j + 1; i < M; i++) {
      lanes l = A[j][i] * d[j];
      for (int k = i; k <= M; k++) A[i][k] -= l * A[j][k];
    }
  }
  for (int j = M - 1; j >= 0; j--) {
    lanes sum = A[j][M];
    for (int k = j + 1; k < M; k++) sum -= A[j][k] * b[k];
    b[j] = sum * d[j];
    for (int i = 0; i < count; i++) f[i]->b[j] = b[j][i];
  }
}

TR_INLINE void solve_all(int M, int count, tr_trend *const *f) {
  if (M == TR_TERMS)
    solve_terms(TR_TERMS, count, f);
  else
    solve_terms(TR_TERMS_LARGE, count, f);
}
TR_WIDE(solve, solve_all, (int M, int count, tr_trend *const *f), (M, count, f))

void tr_trend_solve(int terms, int count, tr_trend *const *f) { solve(terms, count, f); }

typedef struct trend_sums {
  lanes gram[TR_TERMS_MAX][TR_TERMS_MAX + 1], most[DEGREES], most_b;
} trend_sums;

// One four: the state before the newest, and x[i] = D x_i; the first finds the sums as they come.
TR_INLINE void add_sample(int M, bool first, const lanes *before, lanes *x, const double *b,
                          trend_sums *s) {
  lanes D[TR_TERMS_MAX], rest; // D^j x_1, then D^m x_0
  D[0] = *before;
  for (int j = 0; j < M; j++) {
    if (j > 0) D[j] = x[1];
    for (int i = 0; j > 0 && i < M - j; i++) x[i] -= x[i + 1];
    if (j >= DEGREES) continue;
    if (first) s->most[j] = (lanes){0};
    lanes_raise(&x[0], &s->most[j]);
  }
  rest = x[0];
  for (int j = 0; j < M; j++) {
    rest -= b[j] * D[j];
    for (int k = j; k <= M; k++) {
      lanes product = D[j] * (k < M ? D[k] : x[0]);
      s->gram[j][k] = first ? product : s->gram[j][k] + product;
    }
  }
  if (first) s->most_b = (lanes){0};
  lanes_raise(&rest, &s->most_b);
}

// The same for numbers i .., or zeros from `end` on.
TR_INLINE void load_sample(int M, bool narrow, int i, int end, const tr_course *y, lanes *before,
                           lanes *x) {
  lanes older[TR_TERMS_MAX + 1];
  tr_past_load(false, y->newest, i, end, &older[0]);
  tr_past_load(false, y->before, i, end, &older[1]);
  for (int j = 2; j <= M; j++) tr_past_load(narrow, y->past->older[j - 2], i, end, &older[j]);
  *before = older[1], x[0] = older[0] - older[1];
  for (int j = 1; j < M; j++) x[j] = narrow ? older[j + 1] : older[j] - older[j + 1];
}

TR_INLINE void follow_terms(int M, bool narrow, int first, int end, const tr_course *y,
                            tr_trend *f) {
  trend_sums s;
  lanes before, x[TR_TERMS_MAX];
  double b[TR_TERMS_MAX];
  for (int j = 0; j < M; j++) b[j] = f->b[j];
  load_sample(M, narrow, first, end, y, &before, x);
  add_sample(M, true, &before, x, b, &s);
  for (int i = first + LANES; i < end; i += LANES) {
    load_sample(M, narrow, i, end, y, &before, x);
    add_sample(M, false, &before, x, b, &s);
  }
  for (int k = 0; k < DEGREES; k++) f->e[k] = lanes_top(&s.most[k]);
  f->e_b = lanes_top(&s.most_b);
  for (int j = 0; j < M; j++)
    for (int k = j; k <= M; k++) {
      lanes g = s.gram[j][k];
      f->gram[j][k] = FADE * f->gram[j][k] + ((g[0] + g[1]) + (g[2] + g[3]));
    }
}

// More terms are for long vectors.
TR_INLINE void follow_all(int terms, int first, int end, const tr_course *y, tr_trend *f) {
  if (terms == TR_TERMS_LARGE)
    follow_terms(TR_TERMS_LARGE, true, first, end, y, f);
  else if (y->past->narrow)
    follow_terms(TR_TERMS, true, first, end, y, f);
  else
    follow_terms(TR_TERMS, false, first, end, y, f);
}

TR_WIDE(follow, follow_all, (int terms, int first, int end, const tr_course *y, tr_trend *f),
        (terms, first, end, y, f))

// Weights of the newest states from b, by Horner's scheme in the shift z:
//   sum (1 + b_j) (1 - z)^j = sum w_i z^i
TR_INLINE void weigh_terms(int M, double wildest, tr_trend *f) {
  double sum = 0, w[TR_TERMS_MAX] = {0};
#pragma GCC unroll 8
  for (int j = M - 1; j >= 0; j--) {
#pragma GCC unroll 8
    for (int i = M - 1; i > 0; i--) w[i] -= w[i - 1];
    w[0] += 1 + f->b[j];
  }
#pragma GCC unroll 8
  for (int i = 0; i < M; i++) sum += fabs(w[i]);
  memcpy(f->w, w, sizeof w);
  f->tame = sum < wildest;
}

void tr_trend_weigh(int terms, const tr_past *p, tr_trend *f) {
  if (terms == TR_TERMS)
    weigh_terms(TR_TERMS, WILDEST, f);
  else
    weigh_terms(TR_TERMS_LARGE, WILDEST_LARGE, f);
  tr_past_weigh(p, terms, f->w);
  if (p->narrow) f->w[0] = 1 + f->b[0]; // the sum, by which what is at rest goes on
}

// A long past is cut into chunks, whose sums are added up in their order.
typedef struct chunks {
  int terms;
  const tr_course *y;
  const double *b;
  tr_trend trend[TR_CHUNKS];
} chunks;

static double follow_chunk(void *what, int i, int first, int end) {
  chunks *c = what;
  c->trend[i] = (tr_trend){0};
  memcpy(c->trend[i].b, c->b, sizeof c->trend[i].b);
  follow(c->terms, first, end, c->y, &c->trend[i]);
  return 1;
}

static void follow_chunks(const tr_work *w, int M, int n, const tr_course *y, tr_trend *f) {
  chunks c; // large, and written as far as it is read
  c.terms = M, c.y = y, c.b = f->b;
  int count = (int)tr_sum(w, n, follow_chunk, &c);
  for (int j = 0; j < M; j++)
    for (int k = j; k <= M; k++) f->gram[j][k] *= FADE;
  memset(f->e, 0, sizeof f->e), f->e_b = 0;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < DEGREES; j++) f->e[j] = fmax(f->e[j], c.trend[i].e[j]);
    f->e_b = fmax(f->e_b, c.trend[i].e_b);
    for (int j = 0; j < M; j++)
      for (int k = j; k <= M; k++) f->gram[j][k] += c.trend[i].gram[j][k];
  }
}

void tr_trend_learn(const tr_work *w, int terms, int n, const tr_course *y, tr_trend *f) {
  if (f->steps == 0) *f = (tr_trend){0};
  if (n == 0) return;
  f->steps++;
  if (n > TR_CHUNK)
    follow_chunks(w, terms, n, y, f);
  else
    follow(terms, 0, n, y, f);
}
