// SPDX-License-Identifier: Apache-2.0
// (1) One full factorisation finds pivots; later matrices of the same pattern reuse them (refactor). The reuse is
//     trusted while the reciprocal pivot growth max|A|/max|U| stays above GROWTH_MIN; else the full
//     factorisation runs again.
// (2) Two orders, and the one that took fewer operations stays. AMD orders A + A' and expects pivots on the diagonal.
//     The zeros there, of all multipliers that come before their bodies, force others, and fill that it knows nothing
//     of: on loops and nets 10 to 250 times as many operations as COLAMD's order, which bounds the fill for any pivots.
//     On chains and hubs it is AMD that is better. What AMD promises is a lower bound, so it is tried only where it
//     promises much or takes no time, and no further than to the fill of COLAMD.
#include "by_klu.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <suitesparse/klu.h>

static const double GROWTH_MIN = 1e-6;
static const double PROMISES_MUCH = 0.25; // that share of COLAMD's operations,
static const double NO_TIME = 1e5;        // or COLAMD takes no more
static const double PIVOT_TOL = 0.1; // of the largest in a column, for a pivot of COLAMD's order
static const double LOWER_BOUND = 4; // times what AMD expects: what it takes at least, as a rule

typedef struct klu_numbers {
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  klu_common common;
} klu_numbers;

typedef enum order_kind { BY_AMD = 0, BY_COLAMD = 1 } order_kind;

static void drop(klu_numbers *u) {
  if (u->numeric) klu_free_numeric(&u->numeric, &u->common);
  if (u->symbolic) klu_free_symbolic(&u->symbolic, &u->common);
}

// KLU's interface is not const-correct; analyse reads only.
static tr_status put_in_order(const tr_pattern *p, order_kind order, klu_numbers *u) {
  *u = (klu_numbers){0};
  klu_defaults(&u->common);
  u->common.scale = -1; // we scale ourselves
  u->common.ordering = (int)order;
  if (order == BY_COLAMD) u->common.tol = PIVOT_TOL;
  u->symbolic = klu_analyze(p->n, (int *)p->column, (int *)p->row, &u->common);
  if (u->symbolic) return TR_OK;
  return u->common.status == KLU_OUT_OF_MEMORY ? TR_NO_MEMORY : TR_SINGULAR;
}

static tr_status factor_fully(const tr_pattern *p, double *values, klu_numbers *u) {
  if (u->numeric) klu_free_numeric(&u->numeric, &u->common);
  u->numeric = klu_factor((int *)p->column, (int *)p->row, values, u->symbolic, &u->common);
  bool memory = u->common.status != KLU_OUT_OF_MEMORY;
  if (u->numeric && u->common.status == KLU_OK) return TR_OK;
  if (u->numeric) klu_free_numeric(&u->numeric, &u->common);
  return memory ? TR_SINGULAR : TR_NO_MEMORY;
}

// The same, given up where the factors outgrow this many numbers: KLU asks for no more room where it would get more than
// it can count.
static tr_status factor_bounded(const tr_pattern *p, double *values, double most, klu_numbers *u) {
  const double grow = u->common.memgrow, first = u->common.initmem_amd, never = 1e18;
  u->common.memgrow = never;
  u->common.initmem_amd = 1 + (0.5 * most + p->n) / fmax(1, u->symbolic->lnz);
  tr_status status = factor_fully(p, values, u);
  u->common.memgrow = grow, u->common.initmem_amd = first;
  return status;
}

// Order and factors for these values; flops: of them. TR_SINGULAR: an order is there nevertheless.
static tr_status choose_order(const tr_pattern *p, double *values, klu_numbers *u, double *flops) {
  klu_numbers other;
  *flops = INFINITY;
  TR_TRY(put_in_order(p, BY_AMD, &other));
  double promised = other.symbolic->est_flops;
  tr_status status = put_in_order(p, BY_COLAMD, u);
  if (status == TR_OK) status = factor_fully(p, values, u);
  if (status == TR_OK && klu_flops(u->symbolic, u->numeric, &u->common)) *flops = u->common.flops;
  if (status == TR_NO_MEMORY || (*flops > NO_TIME && promised > PROMISES_MUCH * *flops)) {
    drop(&other);
    if (status == TR_NO_MEMORY) drop(u);
    return status;
  }
  double most = u->numeric ? (double)u->numeric->lnz + u->numeric->unz : INFINITY;
  tr_status second =
      u->numeric ? factor_bounded(p, values, most, &other) : factor_fully(p, values, &other);
  bool counted = second == TR_OK && klu_flops(other.symbolic, other.numeric, &other.common);
  if (counted && other.common.flops <= *flops) {
    *flops = other.common.flops;
    drop(u);
    *u = other;
    return TR_OK;
  }
  drop(&other);
  return status;
}

// Generic values of a KKT matrix: zeros at the multipliers, the rest as large as the diagonal at most.
static void make_up(const tr_pattern *p, double *values) {
  uint64_t z = 1;
  for (int j = 0; j < p->n; j++)
    for (int s = p->column[j]; s < p->column[j + 1]; s++) {
      int i = p->row[s];
      z = z * 6364136223846793005u + 1442695040888963407u;
      values[s] = i == j ? 1 : 2 * ((double)(z >> 11) * 0x1p-53) - 1;
      if (i >= p->leading && j >= p->leading) values[s] = 0;
    }
}

tr_status tr_klu_predict(tr_allocator *al, const tr_pattern *p, double most, tr_klu_cost *cost) {
  klu_numbers u;
  *cost = (tr_klu_cost){INFINITY, INFINITY};
  TR_TRY(put_in_order(p, BY_AMD, &u));
  double promised = u.symbolic->est_flops;
  drop(&u);
  if (LOWER_BOUND * promised > most) return TR_OK;
  double *values = tr_resize(al, NULL, ((size_t)p->nnz + 1) * sizeof *values);
  if (!values) return TR_NO_MEMORY;
  make_up(p, values);
  tr_status status = choose_order(p, values, &u, &cost->flops);
  if (status == TR_OK) cost->numbers = (double)u.numeric->lnz + u.numeric->unz;
  if (status == TR_OK || status == TR_SINGULAR) drop(&u);
  tr_resize(al, values, 0);
  return status == TR_SINGULAR ? TR_OK : status;
}

tr_status tr_klu_make(tr_kkt *k) {
  k->klu = tr_resize(k->al, NULL, sizeof *k->klu);
  k->scaled = tr_resize(k->al, NULL, ((size_t)k->p->nnz + 1) * sizeof *k->scaled);
  k->scale = tr_resize(k->al, NULL, (size_t)k->p->n * sizeof *k->scale);
  if (k->klu) *k->klu = (klu_numbers){0};
  if (k->klu && k->scaled && k->scale) return TR_OK;
  tr_klu_free(k);
  return TR_NO_MEMORY;
}

void tr_klu_free(tr_kkt *k) {
  if (k->klu) drop(k->klu);
  tr_resize(k->al, k->klu, 0);
  tr_resize(k->al, k->scaled, 0);
  tr_resize(k->al, k->scale, 0);
  k->klu = NULL;
  k->scaled = k->scale = NULL;
}

// Ratio of the pivots of an equilibrated matrix: below this it is singular.
static const double PIVOT_RATIO = 32 * DBL_EPSILON;

static bool regular(tr_kkt *k) {
  klu_numbers *u = k->klu;
  if (!klu_rcond(u->symbolic, u->numeric, &u->common)) return false;
  k->rcond = u->common.rcond;
  return k->rcond > PIVOT_RATIO;
}

static bool refactor(tr_kkt *k) {
  const tr_pattern *p = k->p;
  klu_numbers *u = k->klu;
  int *column = (int *)p->column, *row = (int *)p->row;
  k->refactorisations++;
  return klu_refactor(column, row, k->scaled, u->symbolic, u->numeric, &u->common) &&
         klu_rgrowth(column, row, k->scaled, u->symbolic, u->numeric, &u->common) &&
         u->common.rgrowth > GROWTH_MIN && regular(k);
}

tr_status tr_klu_factor(tr_kkt *k) {
  klu_numbers *u = k->klu;
  double flops;
  if (u->numeric && refactor(k)) return TR_OK;
  k->factorisations++;
  tr_status status =
      u->symbolic ? factor_fully(k->p, k->scaled, u) : choose_order(k->p, k->scaled, u, &flops);
  if (status == TR_OK && regular(k)) return TR_OK;
  if (u->numeric) klu_free_numeric(&u->numeric, &u->common);
  return status == TR_OK ? TR_SINGULAR : status;
}

tr_status tr_klu_solve(tr_kkt *k, int count, double *b) {
  int n = k->p->n;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < n; j++) b[i * n + j] *= k->scale[j];
  if (!k->klu->numeric ||
      !klu_solve(k->klu->symbolic, k->klu->numeric, n, count, b, &k->klu->common))
    return TR_SINGULAR;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < n; j++) b[i * n + j] *= k->scale[j];
  return TR_OK;
}
