// SPDX-License-Identifier: Apache-2.0
// The life of a method at work: rooms, prediction, acceptance.
//
// Prediction: a and lam extrapolated through the last accepted states (divided differences, degree up
// to the settings' and to what is remembered).
#include "step.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "full.h"

#define METHOD(m) extern const tr_method m;
#include "step_list.h"
#undef METHOD
#define METHOD(m) &m,
static const tr_method *const methods[] = {
#include "step_list.h"
    NULL};
#undef METHOD

const tr_method *const *tr_methods(void) { return methods; }

int tr_method_count(void) { return (int)(sizeof methods / sizeof *methods) - 1; }

tr_method_info tr_method_describe(int method) {
  if (method < 0 || method >= tr_method_count()) return (tr_method_info){.name = ""};
  return methods[method]->info;
}

static tr_status allocate(tr_step *s) {
  size_t nv = (size_t)s->sys->nv, nc = (size_t)s->sys->nc;
  tr_arena *ar = &s->arena;
  s->newton.n = 2 * (int)(nv + nc);
  s->newton.r = TR_NEW(ar, 2 * (size_t)s->newton.n, double);
  s->c.dhat = TR_NEW(ar, nv, double);
  s->c.vhat = TR_NEW(ar, nv, double);
  s->d = TR_NEW(ar, nv, double);
  s->lam = TR_NEW(ar, nc, double);
  s->blocks = TR_NEW(ar, s->sys->constant_mass ? 1 : s->sys->nmass, double);
  s->room = TR_NEW(ar, s->method->vectors, double *);
  if (!s->newton.r || !s->c.dhat || !s->c.vhat || !s->d || !s->lam || !s->blocks || !s->room)
    return TR_NO_MEMORY;
  for (int i = 0; i < s->method->vectors; i++)
    if (!(s->room[i] = TR_NEW(ar, nv, double))) return TR_NO_MEMORY;
  for (int i = 0; i < TR_PAST; i++) {
    s->past_a[i] = TR_NEW(ar, nv, double);
    s->past_lam[i] = TR_NEW(ar, nc, double);
    if (!s->past_a[i] || !s->past_lam[i]) return TR_NO_MEMORY;
  }
  if (s->settings.fixed_iterations > 0 && !s->method->direct && !(s->full = tr_full_new(s)))
    return TR_NO_MEMORY;
  if (s->method->stabilised) {
    double *p = TR_NEW(ar, 3 * (nv + nc), double);
    if (!p) return TR_NO_MEMORY;
    s->w = p, s->last_w = p + nv, s->older_w = p + 2 * nv, p += 3 * nv;
    s->mu = p, s->last_mu = p + nc, s->older_mu = p + 2 * nc;
    TR_TRY(tr_kkt_make(ar, &s->sys->pattern, &s->projection));
    if (s->method->choose) {
      s->damping = TR_NEW(ar, s->sys->pattern.nnz + 1, double);
      s->bent = TR_NEW(ar, (size_t)s->sys->nq + 3 * nv + 4 * nc, double);
      if (!s->damping || !s->bent) return TR_NO_MEMORY;
    }
  }
  if (s->method->prepare) TR_TRY(s->method->prepare(s));
  s->newton.spare = s->newton.r + s->newton.n;
  TR_TRY(tr_estimate_make(s));
  TR_TRY(tr_kkt_make(ar, &s->sys->pattern, &s->kkt));
  return tr_work_new(s->sys, &s->work);
}

tr_status tr_step_new(const tr_system *sys, const tr_method *method, const void *par,
                      const tr_newton_settings *settings, tr_step **step, tr_error *error) {
  *step = NULL;
  tr_arena ar = tr_arena_make(sys->al);
  tr_step *s = TR_NEW(&ar, 1, tr_step);
  if (!s) return tr_no_memory(error);
  s->sys = sys;
  s->method = method;
  s->par = par;
  s->settings = *settings;
  s->newton.max_iterations = settings->max_iterations;
  s->newton.fixed_iterations = settings->fixed_iterations;
  s->newton.reuse = settings->reuse;
  s->arena = ar;
  if (allocate(s) != TR_OK) {
    tr_step_free(s);
    return tr_no_memory(error);
  }
  *step = s;
  return TR_OK;
}

void tr_step_free(tr_step *s) {
  if (!s) return;
  if (s->method->release && s->memory) s->method->release(s);
  tr_full_free(s->full);
  tr_kkt_free(&s->kkt);
  tr_kkt_free(&s->projection);
  tr_work_free(s->work);
  tr_arena arena = s->arena; // the step itself lives in it
  tr_arena_free(&arena);
}

double tr_step_tolerance(const tr_step *s, const tr_state *x0) {
  double v = 0, a = 0;
  for (int i = 0; i < s->sys->nv; i++) {
    v = fmax(v, fabs(x0->v[i]));
    a = fmax(a, fabs(x0->a[i]));
  }
  // under step control a thousandth of the error that the step may make in q [GNP05]
  if (s->allowed > 0) return 1e-3 * s->allowed * s->c.cv / s->c.cq;
  a *= s->c.cv; // what the accelerations do to the velocities in a step
  return s->settings.tol * fmin(fmax(v, a), 1000 * a);
}

bool tr_forces_at_floor(tr_step *s, const tr_kkt *A, const double *x, const double *f,
                        double spread, const double *r) {
  double *pull = s->work->x;
  tr_constraint_force(s->work, f, pull);
  double force = vec_largest(pull, s->sys->nv);
  for (int i = 0; i < s->sys->nv; i++) {
    double diagonal = fabs(A->values[tr_pattern_slot(A->p, i, i)]);
    if (!(fabs(r[i]) <= 1e3 * DBL_EPSILON * (diagonal * (fabs(x[i]) + spread) + force)))
      return false;
  }
  return true;
}

bool tr_step_matrix_fits(tr_step *s) {
  const tr_corrector *c = &s->c;
  if (c->cq == s->matrix_cq && c->cv == s->matrix_cv && c->cm == s->matrix_cm) return true;
  // few corrections: while 0.6 < cj/cj_old < 1/0.6 [YP98]
  double ratio = c->cq / s->matrix_cq, near = c->few ? 0.36 : 0.4;
  if (!(s->allowed > 0) || !(ratio > near && ratio < 1 / near)) return false;
  s->newton.known = false; // the rate is another one
  return true;
}

static void remember(tr_step *s, const tr_state *x) {
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

tr_status tr_step_begin(tr_step *s, const tr_state *x) {
  s->past = 0;
  s->last_h = 0;
  s->newton.valid = s->newton.known = false;
  if (s->method->stabilised) {
    size_t nv = (size_t)s->sys->nv * sizeof(double), nc = (size_t)s->sys->nc * sizeof(double);
    memset(s->last_w, 0, nv), memset(s->older_w, 0, nv);
    memset(s->last_mu, 0, nc), memset(s->older_mu, 0, nc);
  }
  remember(s, x);
  tr_estimate_begin(s, x);
  return s->method->begin ? s->method->begin(s, x) : TR_OK;
}

// How far an extrapolation can be trusted: the differences of the past must get smaller with their
// order, else it leads Newton's iteration away, perhaps to another root.
static int trusted_degree(const tr_step *s) {
  double value = 0, first = 0, second = 0;
  if (s->past < 2) return 0;
  const double *a0 = s->past_a[0], *a1 = s->past_a[1], *a2 = s->past_a[s->past > 2 ? 2 : 1];
  for (int i = 0; i < s->sys->nv; i++) {
    double d = a0[i] - a1[i];
    value = fmax(value, fabs(a0[i])), first = fmax(first, fabs(d));
    second = fmax(second, fabs(d - (a1[i] - a2[i])));
  }
  return first > value ? 0 : second > first ? 1 : 2;
}

// Lagrange's weights of the past at time t, degree + 1 of them.
static int weights(const tr_step *s, double t, double *w) {
  int degree = s->settings.fixed_iterations > 0 ? 0 : (int)s->settings.predictor;
  if (degree > 0) {
    int trusted = trusted_degree(s);
    degree = trusted < degree ? trusted : degree;
  }
  int n = degree + 1 < s->past ? degree + 1 : s->past;
  for (int i = 0; i < n; i++) {
    w[i] = 1;
    for (int j = 0; j < n; j++)
      if (j != i) w[i] *= (t - s->past_t[j]) / (s->past_t[i] - s->past_t[j]);
  }
  return n;
}

static void combine(int n, const double *w, double *const *past, int size, double *out) {
  if (n == 3)
    for (int i = 0; i < size; i++)
      out[i] = w[0] * past[0][i] + w[1] * past[1][i] + w[2] * past[2][i];
  else if (n == 2)
    for (int i = 0; i < size; i++) out[i] = w[0] * past[0][i] + w[1] * past[1][i];
  else
    memcpy(out, past[0], (size_t)size * sizeof *out);
}

tr_status tr_step_try(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  double w[TR_PAST];
  int n = weights(s, x0->t + h, w);
  combine(n, w, s->past_a, s->sys->nv, x1->a);
  combine(n, w, s->past_lam, s->sys->nc, x1->lam);
  tr_status status = s->method->advance(s, x0, h, x1);
  bool once = s->settings.fixed_iterations > 0 || (s->allowed > 0 && s->method->choose);
  if (status <= TR_OK || once) return status;
  // Once more with a fresh matrix, from the last state instead of an extrapolation.
  memcpy(x1->a, x0->a, (size_t)s->sys->nv * sizeof *x1->a);
  memcpy(x1->lam, x0->lam, (size_t)s->sys->nc * sizeof *x1->lam);
  s->newton.valid = false;
  status = s->method->advance(s, x0, h, x1);
  if (status <= TR_OK) return status;
  // Stiff forces that are far from their equilibrium make both useless: once more from coasting.
  s->calm = true;
  s->newton.valid = false;
  status = s->method->advance(s, x0, h, x1);
  s->calm = false;
  if (status <= TR_OK || s->allowed > 0) return status;
  // A step that must not be shortened: corrections are.
  memcpy(x1->a, x0->a, (size_t)s->sys->nv * sizeof *x1->a);
  memcpy(x1->lam, x0->lam, (size_t)s->sys->nc * sizeof *x1->lam);
  s->newton.damped = true;
  s->newton.valid = false;
  status = s->method->advance(s, x0, h, x1);
  s->newton.damped = false;
  return status;
}

void tr_step_calm(const tr_step *s, const tr_state *x0, double t1, tr_state *x1) {
  if (!s->calm) return;
  double h = t1 - x0->t;
  for (int i = 0; i < s->sys->nv; i++) x1->a[i] = (h * x0->v[i] - s->c.dhat[i]) / s->c.cq;
  memset(x1->lam, 0, (size_t)s->sys->nc * sizeof *x1->lam);
}

static void rotate(double **now, double **last, double **older) {
  double *p = *older;
  *older = *last, *last = *now, *now = p;
}

void tr_step_accept(tr_step *s, const tr_state *x0, const tr_state *x1) {
  if (s->method->accept) s->method->accept(s, x0, x1);
  if (s->method->stabilised) {
    rotate(&s->w, &s->last_w, &s->older_w);
    rotate(&s->mu, &s->last_mu, &s->older_mu);
  }
  if (s->allowed > 0) tr_estimate_accept(s, x0, x1);
  s->last_h = x1->t - x0->t;
  remember(s, x1);
}
