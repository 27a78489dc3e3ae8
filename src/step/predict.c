// SPDX-License-Identifier: Apache-2.0
// Where the iteration of a step begins: a and lam extrapolated through the last accepted states.
//
// Of which degree tells the past itself: the newest a is compared with what each degree would have
// predicted of it from the states before, e_k. Rough motions get fewer degrees, lest the extrapolation
// lead Newton's iteration away, perhaps to another root. A cubic must have been better than a parabola:
// noise in a, of the size of the tolerance, is made eight times larger by the one and sixteen by the other.
#include <math.h>
#include <string.h>

#include "math/lanes.h"
#include "step.h"

enum { DEGREES = TR_PAST - 1 };   // that can be judged: 0 .. 3
static const double BETTER = 0.5; // e_3/e_2 for which a cubic is taken

void tr_predict_remember(tr_step *s, const tr_state *x) {
  double *a = s->past_a[TR_PAST - 1], *lam = s->past_lam[TR_PAST - 1];
  for (int i = TR_PAST - 1; i > 0; i--) {
    s->past_a[i] = s->past_a[i - 1];
    s->past_lam[i] = s->past_lam[i - 1];
    s->past_t[i] = s->past_t[i - 1];
  }
  s->past_a[0] = a, s->past_lam[0] = lam, s->past_t[0] = x->t;
  memcpy(a, x->a, (size_t)s->sys->nv * sizeof *a);
  memcpy(lam, x->lam, (size_t)s->sys->nc * sizeof *lam);
  if (s->past < TR_PAST) s->past++;
}

// Lagrange's weights at t of n values at the times `at`, newest first.
static void weigh(int n, const double *at, double t, double *w) {
  static const double even[][4] = {{1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}};
  double h = t - at[0], uneven = 0;
  for (int i = 1; i < n; i++) uneven += fabs(at[i - 1] - at[i] - h);
  if (n <= 4 && uneven <= 1e-7 * h) {
    for (int i = 0; i < n; i++) w[i] = even[n - 1][i];
    return;
  }
  for (int i = 0; i < n; i++) {
    w[i] = 1;
    for (int j = 0; j < n; j++)
      if (j != i) w[i] *= (t - at[j]) / (at[i] - at[j]);
  }
}

// e[k] = max |y_0 - sum_i w[k][i] y_(i+1)|, i <= k
TR_INLINE void judge_all(int n, const double *const *y, const double (*w)[DEGREES], double *e) {
  lanes most[DEGREES] = {0};
  int i = 0;
  for (; i + LANES <= n; i += LANES) {
    lanes x[TR_PAST];
    for (int j = 0; j < TR_PAST; j++) x[j] = *(const lanes_anywhere *)(y[j] + i);
    for (int k = 0; k < DEGREES; k++) {
      lanes d = x[0];
      for (int j = 0; j <= k; j++) d -= w[k][j] * x[j + 1];
      lanes_raise(&d, &most[k]);
    }
  }
  for (int k = 0; k < DEGREES; k++) {
    e[k] = lanes_top(&most[k]);
    for (int m = i; m < n; m++) {
      double d = y[0][m];
      for (int j = 0; j <= k; j++) d -= w[k][j] * y[j + 1][m];
      e[k] = fabs(d) > e[k] ? fabs(d) : e[k];
    }
  }
}

TR_WIDE(judge, judge_all, (int n, const double *const *y, const double (*w)[DEGREES], double *e),
        (n, y, w, e))

static int best_degree(const tr_step *s) {
  double w[DEGREES][DEGREES] = {{0}}, e[DEGREES], value = vec_largest(s->past_a[0], s->sys->nv);
  const double *y[TR_PAST];
  int judged = s->past - 1 < DEGREES ? s->past - 1 : DEGREES;
  if (judged < 1) return 0;
  for (int j = 0; j < TR_PAST; j++) y[j] = s->past_a[j <= judged ? j : 0];
  for (int k = 0; k < judged; k++) weigh(k + 1, s->past_t + 1, s->past_t[0], w[k]);
  judge(s->sys->nv, y, w, e);
  if (e[0] > value) return 0;
  if (judged > 1 && e[1] > e[0]) return 1;
  return judged == DEGREES && e[3] < BETTER * e[2] ? 3 : 2;
}

static void combine(int n, const double *w, double *const *past, int size, double *out) {
  const double *a = past[0], *b = past[1], *c = past[2], *d = past[3];
  switch (n) {
    case 4:
      for (int i = 0; i < size; i++)
        out[i] = (w[0] * a[i] + w[1] * b[i]) + (w[2] * c[i] + w[3] * d[i]);
      return;
    case 3:
      for (int i = 0; i < size; i++) out[i] = w[0] * a[i] + w[1] * b[i] + w[2] * c[i];
      return;
    case 2:
      for (int i = 0; i < size; i++) out[i] = w[0] * a[i] + w[1] * b[i];
      return;
    default: memcpy(out, a, (size_t)size * sizeof *out);
  }
}

void tr_predict(tr_step *s, double t, tr_state *x1) {
  double w[TR_PAST];
  int degree = s->settings.fixed_iterations > 0 ? 0 : (int)s->settings.predictor;
  if (degree > 0) {
    int best = best_degree(s);
    degree = best < degree ? best : degree;
  }
  s->degree = degree;
  int n = degree + 1 < s->past ? degree + 1 : s->past;
  weigh(n, s->past_t, t, w);
  combine(n, w, s->past_a, s->sys->nv, x1->a);
  combine(n, w, s->past_lam, s->sys->nc, x1->lam);
}

void tr_predict_w(tr_step *s, double t) {
  double w[TR_PAST] = {2, -1};
  int degree = s->c.few || (s->c.undamped && s->degree > 1) ? 1 : s->degree;
  int states = s->past - 1; // the first has none
  int n = degree < states ? degree + 1 : states > 1 ? states : 1;
  if (!s->c.few || n < 2) weigh(n, s->past_t, t, w);
  combine(n, w, s->past_w, s->sys->nv, s->w);
  combine(n, w, s->past_mu, s->sys->nc, s->mu);
}
