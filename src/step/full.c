// SPDX-License-Identifier: Apache-2.0
// The pattern of two sets of index-3 size, its filling and solution.
//
// (G v)_q reaches every velocity of the bodies that a constraint touches, also where G itself has zeros:
// hence whole blocks. It comes from central differences of the rates, which also have Phi_tq; their
// error of 1e-10 is invisible in a correction.
#include "full.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"

// What can be counted: four times as many in `two`, whose slots are whole numbers; and before those that are
// the same are taken together, 16 GB of them.
enum { MOST_ENTRIES = INT_MAX / 4 - 1, MOST_TAKEN = INT_MAX };

static const double DIFFERENCE = 6e-6; // relative to the coordinates: cube root of the round-off

// ---- pattern --------------------------------------------------------------------------------------

static int by_entry(const void *a, const void *b) {
  long long x = *(const long long *)a, y = *(const long long *)b;
  return (x > y) - (x < y);
}

static tr_status build(tr_arena *ar, int n, size_t count, long long *entry, tr_pattern *p) {
  size_t different = 0;
  qsort(entry, count, sizeof *entry, by_entry);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || entry[i] != entry[i - 1]) entry[different++] = entry[i];
  if (different > MOST_ENTRIES) return TR_BAD_INPUT;
  int nnz = (int)different;
  int *column = TR_NEW(ar, n + 1, int), *row = TR_NEW(ar, nnz, int);
  if (!column || !row) return TR_NO_MEMORY;
  for (int i = 0; i < nnz; i++) row[i] = (int)(entry[i] % n), column[entry[i] / n + 1]++;
  for (int j = 0; j < n; j++) column[j + 1] += column[j];
  *p = (tr_pattern){.n = n, .nnz = nnz, .column = column, .row = row};
  return TR_OK;
}

// Column j of the pattern with every row in which a neighbour on the same curved body has an entry.
static size_t take_column(const tr_system *sys, int j, const sys_body *b, long long *entry) {
  const tr_pattern *p = &sys->pattern;
  long long n = p->n;
  int first = b ? b->v : j, last = b ? b->v + b->nv : j + 1;
  size_t count = 0;
  for (int i = first; i < last; i++)
    for (int k = p->column[i]; k < p->column[i + 1]; k++) entry[count++] = j * n + p->row[k];
  return count;
}

// Entries that all bodies take, again and again where columns look alike, and those of the multipliers.
static size_t count_entries(const tr_system *sys) {
  const tr_pattern *p = &sys->pattern;
  size_t count = (size_t)(p->nnz - p->column[sys->nv]);
  for (int i = 0; i < sys->nbody; i++) {
    const sys_body *b = &sys->body[i];
    size_t own = (size_t)(p->column[b->v + b->nv] - p->column[b->v]);
    count += b->type->pull_increment ? own * (size_t)b->nv : own;
  }
  return count;
}

static tr_status widen(tr_arena *ar, const tr_system *sys, tr_pattern *out) {
  const tr_pattern *p = &sys->pattern;
  size_t count = 0, most = count_entries(sys) + 2 * (size_t)sys->nG;
  if (most > MOST_TAKEN) return TR_BAD_INPUT;
  long long *entry = tr_resize(sys->al, NULL, (most + 1) * sizeof *entry), n = p->n;
  if (!entry) return TR_NO_MEMORY;
  for (int i = 0; i < sys->nbody; i++) {
    const sys_body *b = &sys->body[i];
    for (int j = b->v; j < b->v + b->nv; j++)
      count += take_column(sys, j, b->type->pull_increment ? b : NULL, entry + count);
  }
  for (int j = sys->nv; j < p->n; j++) count += take_column(sys, j, NULL, entry + count);
  for (int i = 0; i < sys->nblock; i++) {
    sys_block block;
    const sys_block *b = tr_block(sys, i, &block);
    for (int r = sys->nv + b->row; r < sys->nv + b->row + b->rows; r++)
      for (int k = 0; k < b->count; k++)
        for (int c = b->v[k]; c < b->v[k] + b->nv[k]; c++)
          entry[count++] = c * n + r, entry[count++] = r * n + c;
  }
  tr_status status = build(ar, p->n, count, entry, out);
  tr_resize(sys->al, entry, 0);
  return status;
}

tr_status tr_full_new(tr_step *s, tr_full **full) {
  const tr_system *sys = s->sys;
  tr_arena *ar = &s->arena;
  tr_full *f = TR_NEW(ar, 1, tr_full);
  if (!f || tr_rows_keep(s->work) != TR_OK) return TR_NO_MEMORY;
  size_t n = (size_t)sys->nv + (size_t)sys->nc, nnz = (size_t)sys->pattern.nnz + 1;
  f->sys = sys;
  f->some = TR_NEW(ar, 2 * nnz, double);
  f->b = TR_NEW(ar, 2 * n + (size_t)sys->nq + (size_t)sys->nv + 6 * (size_t)sys->nc, double);
  f->masked = TR_NEW(ar, n, bool);
  if (!f->some || !f->b || !f->masked) return TR_NO_MEMORY;
  f->none = f->some + nnz;
  f->q = f->b + 2 * n, f->d = f->q + sys->nq, f->rate = f->d + sys->nv;
  f->slope = f->rate + 3 * sys->nc, f->bend_q = f->slope + sys->nc, f->bend_v = f->bend_q + sys->nc;
  TR_TRY(widen(ar, sys, &f->one));
  TR_TRY(tr_pattern_blocks(ar, &f->one, 2, &f->two));
  *full = f; // with an order that is to be freed
  return tr_kkt_make(ar, &f->two, &f->kkt);
}

void tr_full_free(tr_full *f) {
  if (!f) return;
  tr_kkt_free(&f->kkt);
}

// ---- filling --------------------------------------------------------------------------------------

static double *at(tr_full *f, int set, int of, int row, int column) {
  int k = tr_pattern_slot(&f->one, row, column);
  if (k == f->one.nnz) return &f->kkt.values[f->two.nnz]; // the bin
  return &f->kkt.values[f->two.column[2 * column + of] + 2 * (k - f->one.column[column]) + set];
}

void tr_full_clear(tr_full *f, const tr_mask *mask) {
  size_t n = (size_t)f->one.n;
  memset(f->kkt.values, 0, ((size_t)f->two.nnz + 1) * sizeof *f->kkt.values);
  memset(f->masked, 0, n * sizeof *f->masked);
  for (int i = 0; mask && i < mask->count; i++) {
    f->masked[mask->row[i]] = true;
    for (int set = 0; set < 2; set++) *at(f, set, set, mask->row[i], mask->row[i]) = 1;
  }
}

void tr_full_add(tr_full *f, int set, int of, int row, int column, double x) {
  if (!f->masked[row] && !f->masked[column]) *at(f, set, of, row, column) += x;
}

void tr_full_tangent(tr_full *f, tr_work *w, const tr_state *x, const double *a, const double *lam,
                     const double *blocks, tr_coefficients with, tr_coefficients without) {
  tr_tangent(w, x->t, x->q, x->v, x->mem, a, lam, blocks, with, f->some);
  tr_tangent(w, x->t, x->q, x->v, x->mem, NULL, NULL, blocks, without, f->none);
  for (int i = 0; i < f->sys->pattern.nnz; i++) f->some[i] -= f->none[i];
}

static int kind(const tr_system *sys, int row) {
  return sys->of_number[row] ? TR_NUMBERS : sys->of_velocity[row] ? TR_GAM : TR_PHI;
}

void tr_full_add_corner(tr_full *f, int set, int of, double x, const double *values) {
  const tr_pattern *p = &f->sys->pattern;
  for (int j = 0; j < f->sys->nv; j++)
    for (int k = p->column[j]; k < p->column[j + 1] && p->row[k] < f->sys->nv; k++)
      tr_full_add(f, set, of, p->row[k], j, x * values[k]);
}

void tr_full_add_rows(tr_full *f, int set, int of, double x, const double *values) {
  const tr_pattern *p = &f->sys->pattern;
  int nv = f->sys->nv;
  for (int j = 0; j < nv; j++)
    for (int k = p->column[j]; k < p->column[j + 1]; k++)
      if (p->row[k] >= nv && kind(f->sys, p->row[k] - nv) != TR_PHI)
        tr_full_add(f, set, of, p->row[k], j, x * values[k]);
}

void tr_full_add_columns(tr_full *f, int set, int of, double x, const double *values, int rows) {
  const tr_pattern *p = &f->sys->pattern;
  int nv = f->sys->nv;
  for (int j = nv; j < p->n; j++)
    for (int k = p->column[j]; k < p->column[j + 1] && p->row[k] < nv; k++)
      if (rows & kind(f->sys, j - nv)) tr_full_add(f, set, of, p->row[k], j, x * values[k]);
}

void tr_full_add_mass(tr_full *f, int set, int of, double x, const double *blocks) {
  for (int i = 0; i < f->sys->nbody; i++) {
    const sys_body *b = &f->sys->body[i];
    for (int k = 0; k < b->nv * b->nv; k++) {
      double m = blocks ? blocks[b->mass + k] : k % (b->nv + 1) == 0;
      if (m != 0) tr_full_add(f, set, of, b->v + k / b->nv, b->v + k % b->nv, x * m);
    }
  }
}

static void add_blocks(tr_full *f, int set, int of, double x, const double *G, bool turned,
                       int rows) {
  for (int i = 0; i < f->sys->nblock; i++) {
    sys_block block;
    const sys_block *b = tr_block(f->sys, i, &block);
    for (int r = 0; r < b->rows; r++) {
      if (!(rows & kind(f->sys, b->row + r))) continue;
      const double *g = G + b->G + r * b->width, *end = g + (turned ? b->pull : b->width);
      int row = f->sys->nv + b->row + r;
      for (int k = 0; k < b->count && g < end; k++)
        for (int c = b->v[k]; c < b->v[k] + b->nv[k]; c++)
          tr_full_add(f, set, of, turned ? c : row, turned ? row : c, x * *g++);
    }
  }
}

void tr_full_add_G(tr_full *f, int set, int of, double x, const double *G, int rows) {
  add_blocks(f, set, of, x, G, false, rows);
}

void tr_full_add_Gt(tr_full *f, int set, int of, double x, const double *G, int rows) {
  add_blocks(f, set, of, x, G, true, rows);
}

void tr_full_turn(tr_full *f, const double *d) {
  double row[8];
  for (int i = 0; i < f->sys->nbody; i++) {
    const sys_body *b = &f->sys->body[i];
    if (!b->type->pull_increment || b->nv > 8) continue;
    for (int k = f->one.column[b->v]; k < f->one.column[b->v + 1]; k++)
      for (int e = 0; e < 4; e++) {
        for (int c = 0; c < b->nv; c++) row[c] = *at(f, e / 2, e % 2, f->one.row[k], b->v + c);
        b->type->pull_increment(b->par, d + b->v, 1, b->nv, row);
        for (int c = 0; c < b->nv; c++) *at(f, e / 2, e % 2, f->one.row[k], b->v + c) = row[c];
      }
  }
}

// Gam_v z at the velocities moved by e in direction j.
static void turned_rows(tr_full *f, tr_work *w, const tr_state *x1, const double *z, int j,
                        double e, double *out) {
  memcpy(f->d, x1->v, (size_t)f->sys->nv * sizeof *f->d);
  f->d[j] += e;
  tr_kinematics(w, x1->t, x1->q, f->d, x1->mem, TR_AT_VELOCITY);
  memset(out, 0, (size_t)f->sys->nc * sizeof *out);
  tr_velocity_rows_times(w, z, out);
}

void tr_full_rate_slope(tr_full *f, tr_work *w, const double *q0, const double *d,
                        const tr_state *x1, double length, const double *z, int j) {
  int nc = f->sys->nc;
  double e = DIFFERENCE * length, *rate = f->rate, *rows = rate + nc, *last = rows + nc;
  z = f->sys->nvelocity > 0 ? z : NULL;
  memset(f->slope, 0, 3 * (size_t)nc * sizeof *f->slope);
  for (int side = 1; side >= -1; side -= 2) {
    memcpy(f->d, d, (size_t)f->sys->nv * sizeof *d);
    f->d[j] += side * e;
    tr_retract(f->sys, q0, f->d, f->q);
    tr_kinematics(w, x1->t, f->q, x1->v, x1->mem, TR_AT_VELOCITY);
    tr_rates(w, rate);
    memset(rows, 0, (size_t)nc * sizeof *rows);
    if (z) tr_velocity_rows_times(w, z, rows), turned_rows(f, w, x1, z, j, side * e, last);
    for (int i = 0; i < nc; i++) {
      f->slope[i] += side * rate[i] / (2 * e);
      f->bend_q[i] += side * rows[i] / (2 * e);
      if (z) f->bend_v[i] += side * last[i] / (2 * e);
    }
  }
}

tr_status tr_full_factor(tr_full *f, double ratio) {
  f->ratio = ratio;
  for (int j = 0; j < f->two.n; j++) // blocks of 2 x 2
    for (int k = f->two.column[j] + (j % 2 == 0); k < f->two.column[j + 1]; k += 2)
      f->kkt.values[k] *= j % 2 == 0 ? ratio : 1 / ratio;
  return tr_kkt_factor(&f->kkt);
}

tr_status tr_full_solve(tr_full *f, double *r) {
  int n = f->one.n;
  for (int i = 0; i < 2 * n; i++)
    f->b[i] = f->masked[i / 2] ? 0 : r[i % 2 * n + i / 2] * (i % 2 ? f->ratio : 1);
  TR_TRY(tr_kkt_solve(&f->kkt, 1, f->b));
  for (int i = 0; i < 2 * n; i++) r[i % 2 * n + i / 2] = f->b[i] / (i % 2 ? f->ratio : 1);
  return TR_OK;
}
