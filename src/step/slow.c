// SPDX-License-Identifier: Apache-2.0
// A start on the slow manifold: modal coordinates x of deformable bodies such that x'' = x''' = 0, so that
// no vibration is excited: the deformation is the quasi-static one, and its rate that of the load.
//
//   F(x, x') = (x'', x''') = 0,  x'' from [M G'; G 0] (a, lam) = (Q, -gacc) at the projected state,
//   x''' = (x''(t + d) - x''(t - d))/(2 d) along q o exp(+-d v + d^2 a/2), v +- d a.
// F is nearly linear with slopes -omega^2, so Newton with one matrix of differences converges in a few
// steps. Modes that constraints hold have no slope of their own: the elimination takes pivots as
// large as they come and leaves alone what has none.
#include <math.h>
#include <string.h>

#include "start.h"

enum { MAX_ITERATIONS = 25 };
static const double LOST = 1e-7;  // a pivot, of its row, below which nothing can be said
static const double STEP = 1e-6;  // of the differences
static const double DONE = 1e-10; // a change that no longer counts, of 1 + |z|

typedef struct slow {
  tr_projector *p;
  tr_state *x, here, near; // here: projected, with a; near: before and after it in time
  int n, *at_q, *at_v;     // (n) modal coordinates and rates
  int *order;              // (2 n)
  double *z, *F, *G;       // (2 n)
  double *J, *copy;        // (2 n x 2 n)
  double *scale;           // (2 n) of the rows
  double d;                // of the difference by time
} slow;

static int find_modes(const tr_system *s, int *at_q, int *at_v) {
  int n = 0;
  for (int i = 0; i < s->nbody; i++) {
    const sys_body *b = &s->body[i];
    bool is_slow = false;
    int modes = b->type->modes ? b->type->modes(b->par, &is_slow) : 0;
    for (int k = 0; is_slow && k < modes; k++, n++)
      if (at_q) at_q[n] = b->q + b->nq - modes + k, at_v[n] = b->v + b->nv - modes + k;
  }
  return n;
}

// x'' a little later or earlier (t).
static tr_status accelerate_at(slow *w, double t, double *out) {
  const tr_system *s = w->p->sys;
  const tr_state *x = &w->here;
  tr_state *y = &w->near;
  tr_state_copy(y, x);
  y->t = x->t + t;
  for (int i = 0; i < s->nv; i++) {
    y->a[i] = t * x->v[i] + 0.5 * t * t * x->a[i]; // the increment, for a moment
    y->v[i] = x->v[i] + t * x->a[i];
  }
  tr_retract(s, x->q, y->a, y->q);
  TR_TRY(tr_solve_accelerations(w->p, y, y->a, y->lam));
  for (int i = 0; i < w->n; i++) out[i] = y->a[w->at_v[i]];
  return TR_OK;
}

// F at z; w->here is the state there.
static tr_status evaluate(slow *w, const double *z, double *F, tr_error *error) {
  tr_state *x = &w->here;
  int n = w->n;
  tr_state_copy(x, w->x);
  for (int i = 0; i < n; i++) x->q[w->at_q[i]] = z[i], x->v[w->at_v[i]] = z[n + i];
  TR_TRY(tr_project(w->p, x, NULL, error));
  TR_TRY(tr_solve_accelerations(w->p, x, x->a, x->lam));
  TR_TRY(accelerate_at(w, w->d, F));
  TR_TRY(accelerate_at(w, -w->d, F + n));
  for (int i = 0; i < n; i++) {
    F[n + i] = (F[i] - F[n + i]) / (2 * w->d);
    F[i] = x->a[w->at_v[i]];
  }
  return TR_OK;
}

static void swap(int n, double *a, double *b) {
  for (int i = 0; i < n; i++) {
    double x = a[i];
    a[i] = b[i], b[i] = x;
  }
}

// z: J z = F, rows scaled to 1. J and F are destroyed; order (n) is scratch.
static void eliminate(int n, double *J, double *F, int *order, double *z) {
  int rank = 0;
  memset(z, 0, (size_t)n * sizeof *z);
  for (int j = 0; j < n; j++) order[j] = j;
  for (; rank < n; rank++) {
    int r = rank, c = rank;
    for (int i = rank; i < n; i++)
      for (int j = rank; j < n; j++)
        if (fabs(J[i * n + order[j]]) > fabs(J[r * n + order[c]])) r = i, c = j;
    int column = order[c];
    if (!(fabs(J[r * n + column]) > LOST)) break;
    order[c] = order[rank], order[rank] = column;
    swap(1, F + r, F + rank), swap(n, J + r * n, J + rank * n);
    for (int i = rank + 1; i < n; i++) {
      double f = J[i * n + column] / J[rank * n + column];
      for (int j = 0; j < n; j++) J[i * n + j] -= f * J[rank * n + j];
      F[i] -= f * F[rank];
    }
  }
  for (int k = rank - 1; k >= 0; k--) {
    double sum = F[k];
    for (int m = k + 1; m < rank; m++) sum -= J[k * n + order[m]] * z[order[m]];
    z[order[k]] = sum / J[k * n + order[k]];
  }
}

// J (2 n x 2 n) and the scales of its rows, by one-sided differences; F is at z.
static tr_status linearise(slow *w, tr_error *error) {
  int n = 2 * w->n;
  TR_TRY(evaluate(w, w->z, w->F, error));
  for (int j = 0; j < n; j++) {
    double z = w->z[j], h = STEP;
    w->z[j] = z + h;
    tr_status status = evaluate(w, w->z, w->G, error);
    w->z[j] = z;
    TR_TRY(status);
    for (int i = 0; i < n; i++) w->J[i * n + j] = (w->G[i] - w->F[i]) / h;
  }
  for (int i = 0; i < n; i++) {
    double most = 0;
    for (int j = 0; j < n; j++) most = fmax(most, fabs(w->J[i * n + j]));
    w->scale[i] = most > 0 ? 1 / most : 1;
    for (int j = 0; j < n; j++) w->J[i * n + j] *= w->scale[i];
  }
  return TR_OK;
}

static tr_status iterate(slow *w, tr_error *error) {
  int n = 2 * w->n;
  double last = INFINITY;
  TR_TRY(linearise(w, error));
  for (int k = 0; k < MAX_ITERATIONS; k++) {
    TR_TRY(evaluate(w, w->z, w->F, error));
    for (int i = 0; i < n; i++) w->F[i] *= w->scale[i];
    memcpy(w->copy, w->J, (size_t)(n * n) * sizeof *w->J);
    eliminate(n, w->copy, w->F, w->order, w->G);
    double change = vec_norm(w->G, n);
    if (!isfinite(change)) return TR_NO_CONVERGENCE;
    if (change >= 0.5 * last && change <= DONE * (1 + vec_norm(w->z, n))) return TR_OK;
    if (change > 2 * last) break;
    for (int i = 0; i < n; i++) w->z[i] -= w->G[i];
    last = change;
    if (change == 0) return TR_OK;
  }
  return last <= DONE * (1 + vec_norm(w->z, n)) ? TR_OK : TR_NO_CONVERGENCE;
}

// Of the difference by time: small against what the rigid motion does.
static double time_step(const tr_system *s, const tr_state *x) {
  double fast = fmax(1, vec_largest(x->v, s->nv));
  return 1e-4 / fast;
}

static tr_status solve(slow *w, tr_error *error) {
  const tr_system *s = w->p->sys;
  size_t n = 2 * (size_t)w->n;
  double *room = TR_NEW(w->p->arena, 4 * n + 2 * n * n, double);
  int *numbers = TR_NEW(w->p->arena, 2 * n, int);
  if (!room || !numbers) return tr_no_memory(error);
  w->at_q = numbers, w->at_v = numbers + w->n, w->order = numbers + n;
  w->z = room, w->F = w->z + n, w->G = w->F + n, w->scale = w->G + n;
  w->J = w->scale + n, w->copy = w->J + n * n;
  find_modes(s, w->at_q, w->at_v);
  for (int i = 0; i < w->n; i++)
    w->z[i] = w->x->q[w->at_q[i]], w->z[w->n + i] = w->x->v[w->at_v[i]];
  w->d = time_step(s, w->x);
  tr_status status = iterate(w, error);
  if (status == TR_OK) status = evaluate(w, w->z, w->F, error);
  if (status == TR_OK) tr_state_copy(w->x, &w->here);
  if (status > 0)
    return tr_fail(error, TR_INCONSISTENT, NULL,
                   "start: slow: no deformation was found that stays at rest on the moving bodies");
  return status;
}

tr_status tr_slow_start(tr_projector *p, tr_state *x, tr_error *error) {
  slow w = {.p = p, .x = x, .n = find_modes(p->sys, NULL, NULL)};
  if (w.n == 0) return TR_OK;
  tr_status status = tr_state_new(p->sys, &w.here, error);
  if (status == TR_OK) status = tr_state_new(p->sys, &w.near, error);
  if (status == TR_OK) status = solve(&w, error);
  tr_state_free(p->sys, &w.here);
  tr_state_free(p->sys, &w.near);
  return status;
}
