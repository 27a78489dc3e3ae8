// SPDX-License-Identifier: Apache-2.0
// Systems with states, variables or constraints of velocities, linearised by differences of their flow.
//
// z = (q, v) lives on the manifold Phi = 0, Gam = 0, and z' = (v, a) there. Directions are those of q that
// positions leave free (Tq), then those of v that all rows leave free (T). With consistent starts a little
// to both sides of z along each, P what z changes by and R what z' changes by,
//   R = P A,   A = (P' P)^-1 P' R
// The eigenvalues of A are the exponents. An equilibrium is where implicit Euler steps of growing length
// come to rest, (1/tau - A) c = the coordinates of z': along the motion first, Newton's iteration in the end.
//
// A variable has no place, only a value among the velocities: it counts in v, and never in q'.
#include <math.h>
#include <string.h>

#include "linear.h"
#include "trammel/analysis.h"

static const double DELTA = 1e-5; // of the differences

typedef struct flow {
  const tr_system *sys;
  const tr_modes *m;
  tr_state y;         // scratch
  int n, rows;        // directions, 2 nv
  double *P, *R;      // (n x rows) direction by direction
  double *N, *A, *c;  // (n x n), (n x n), (n)
  double *d, *rate;   // (nv), (rows)
  double *plus, *dot; // (rows) scratch
} flow;

static tr_status make(tr_arena *ar, const tr_system *sys, const tr_modes *m, flow *f) {
  *f = (flow){.sys = sys, .m = m, .n = m->fq + m->f, .rows = 2 * sys->nv};
  size_t n = (size_t)f->n, rows = (size_t)f->rows;
  f->P = TR_NEW(ar, n * rows, double), f->R = TR_NEW(ar, n * rows, double);
  f->N = TR_NEW(ar, n * n, double), f->A = TR_NEW(ar, n * n, double), f->c = TR_NEW(ar, n, double);
  f->d = TR_NEW(ar, rows, double), f->rate = TR_NEW(ar, rows, double);
  f->plus = TR_NEW(ar, rows, double), f->dot = TR_NEW(ar, rows, double);
  if (!f->P || !f->R || !f->N || !f->A || !f->c || !f->d || !f->rate || !f->plus || !f->dot)
    return TR_NO_MEMORY;
  return tr_state_new(sys, &f->y, NULL);
}

// z' = (v, a) of a state.
static void rate_of(const flow *f, const tr_state *x, double *out) {
  int nv = f->sys->nv;
  memcpy(out, x->v, (size_t)nv * sizeof *out);
  memcpy(out + nv, x->a, (size_t)nv * sizeof *out);
  for (int i = 0; i < f->sys->nbody; i++)
    if (f->sys->body[i].nq == 0) out[f->sys->body[i].v] = 0;
}

// y: the consistent start at x moved by the directions' coordinates c; d: what q is moved by.
static tr_status move(flow *f, const tr_state *x, const double *c) {
  int nv = f->sys->nv;
  tr_state_copy(&f->y, x);
  memset(f->d, 0, (size_t)nv * sizeof *f->d);
  for (int k = 0; k < f->n; k++) {
    bool place = k < f->m->fq;
    const double *t = place ? f->m->Tq + (size_t)k * nv : f->m->T + (size_t)(k - f->m->fq) * nv;
    for (int i = 0; i < nv && c[k] != 0; i++) *(place ? &f->d[i] : &f->y.v[i]) += c[k] * t[i];
  }
  tr_retract(f->sys, x->q, f->d, f->y.q);
  return tr_consistent_start(f->sys, &f->y, NULL, NULL);
}

static tr_status differentiate(flow *f, const tr_state *x) {
  int nv = f->sys->nv;
  memset(f->c, 0, (size_t)f->n * sizeof *f->c);
  for (int k = 0; k < f->n; k++) {
    double *P = f->P + (size_t)k * f->rows, *R = f->R + (size_t)k * f->rows;
    for (int sign = 1; sign >= -1; sign -= 2) {
      f->c[k] = sign * DELTA;
      TR_TRY(move(f, x, f->c));
      rate_of(f, &f->y, sign > 0 ? f->plus : f->dot);
      for (int i = 0; i < nv; i++) {
        P[i] = (sign > 0 ? 0 : P[i]) + sign * f->d[i] / (2 * DELTA);
        P[nv + i] = (sign > 0 ? 0 : P[nv + i]) + sign * f->y.v[i] / (2 * DELTA);
      }
    }
    f->c[k] = 0;
    for (int i = 0; i < f->rows; i++) R[i] = (f->plus[i] - f->dot[i]) / (2 * DELTA);
  }
  return TR_OK;
}

// x := (P' P)^-1 P' y of columns y (count x rows); x is row-major (n x count).
static tr_status coordinates(const flow *f, int count, const double *y, double *x) {
  for (int i = 0; i < f->n; i++) {
    const double *p = f->P + (size_t)i * f->rows;
    for (int j = 0; j < f->n; j++)
      f->N[(size_t)i * f->n + j] = tr_dot(f->rows, p, f->P + (size_t)j * f->rows);
    for (int j = 0; j < count; j++)
      x[(size_t)i * count + j] = tr_dot(f->rows, p, y + (size_t)j * f->rows);
  }
  return tr_dense_solve(f->n, f->N, count, x);
}

tr_status tr_flow_exponents(tr_arena *ar, const tr_system *sys, const tr_state *x, tr_modes *m) {
  flow f;
  tr_status status = make(ar, sys, m, &f);
  m->s = TR_NEW(ar, m->fq + m->f, double complex);
  if (!m->s) status = TR_NO_MEMORY;
  if (status == TR_OK) status = differentiate(&f, x);
  if (status == TR_OK) status = coordinates(&f, f.n, f.R, f.A);
  if (status == TR_OK) status = tr_eigenvalues(ar, f.n, f.A, m->s);
  tr_state_free(sys, &f.y);
  return status;
}

// ---- equilibrium ------------------------------------------------------------------------------------

// The largest change of a place by c; of a state relative to what it is, since its scale may be any.
static double farthest(const flow *f, const tr_state *x) {
  const tr_system *s = f->sys;
  double most = 0;
  for (int b = 0; b < s->nbody; b++)
    for (int i = s->body[b].v; i < s->body[b].v + s->body[b].nv; i++) {
      double sum = 0, size = 1;
      if (s->number[i] && s->body[b].nq > 0) size = fmax(1, fabs(x->q[s->body[b].q]));
      for (int k = 0; k < f->m->fq; k++) sum += f->c[k] * f->m->Tq[(size_t)k * s->nv + i];
      if (!(fabs(sum) / size <= most)) most = fabs(sum) / size;
    }
  return most;
}

static tr_status step(flow *f, tr_state *x, double tau, double *moved) {
  TR_TRY(differentiate(f, x));
  TR_TRY(coordinates(f, f->n, f->R, f->A));
  rate_of(f, x, f->rate);
  TR_TRY(coordinates(f, 1, f->rate, f->c));
  for (int i = 0; i < f->n; i++)
    for (int j = 0; j < f->n; j++)
      f->A[(size_t)i * f->n + j] = (i == j) / tau - f->A[(size_t)i * f->n + j];
  TR_TRY(tr_dense_solve(f->n, f->A, 1, f->c));
  double far = *moved = farthest(f, x);
  if (!isfinite(far)) return TR_NOT_FINITE;
  for (int i = 0; i < f->n && far > 0.3; i++) f->c[i] *= 0.3 / far;
  TR_TRY(move(f, x, f->c));
  tr_state_copy(x, &f->y);
  return TR_OK;
}

tr_status tr_flow_fall(tr_arena *ar, const tr_system *sys, const tr_modes *m, double tau,
                       tr_state *x, double *moved) {
  flow f;
  tr_status status = make(ar, sys, m, &f);
  if (status == TR_OK) status = step(&f, x, tau, moved);
  tr_state_free(sys, &f.y);
  return status;
}
