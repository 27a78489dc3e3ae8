// SPDX-License-Identifier: Apache-2.0
// Coordinate split by elimination, projection by a sparse solve [YP98].
//
// q = (X q, Y q) such that G_Y is regular:  P = X' - X' G' (Y' G')^-1 Y',  so P G' = 0. One solve gives
//   [E G'; G 0] (z, s) = (r, 0),  E = 1 on X, 0 on Y:   Y' G' s = Y' r,   X z = X r - X' G' s = P r
// and with it P r and s. The matrix has the pattern of the KKT matrix.
// Y comes from the elimination of G, row by row, with the largest entry of what is left of a row as pivot (echelon.c): sparse, so
// that a chain costs what its links do. Once at the start and then when the pivots of the solve have lost a factor of
// WORSE.
#include "split.h"

#include <math.h>
#include <string.h>

static const double WORSE = 0.4;
static const double DEFECT = 4; // it has one sign for long: steps add it up

tr_status tr_split_make(tr_step *s, tr_split *p) {
  const tr_system *sys = s->sys;
  size_t nv = (size_t)sys->nv, nc = (size_t)sys->nc;
  tr_arena *ar = &s->arena;
  p->dependent = TR_NEW(ar, nv, bool);
  p->slot = TR_NEW(ar, 2 * (size_t)sys->nG, int);
  p->rhs = TR_NEW(ar, 2 * (nv + nc), double);
  p->diagonal = TR_NEW(ar, nv, int);
  p->column = TR_NEW(ar, sys->max_rows, int);
  p->value = TR_NEW(ar, sys->max_rows, double);
  p->left = TR_NEW(ar, 3 * nv, double);
  if (!p->dependent || !p->slot || !p->rhs || !p->diagonal || !p->column || !p->value || !p->left)
    return TR_NO_MEMORY;
  p->before = p->left + nv, p->room = p->left + 2 * nv;
  p->turned = p->slot + sys->nG;
  for (int i = 0; i < sys->nblock; i++) {
    sys_block block;
    const sys_block *b = tr_block(sys, i, &block);
    for (int r = 0, at = b->G; r < b->rows; r++)
      for (int k = 0, j = 0; k < b->count; k++)
        for (int c = 0; c < b->nv[k]; c++, at++, j++) {
          int row = sys->nv + b->row + r, column = b->v[k] + c;
          p->slot[at] = tr_pattern_slot(&sys->pattern, row, column);
          p->turned[at] = // into the bin where nothing is felt of it
              j < b->pull ? tr_pattern_slot(&sys->pattern, column, row) : sys->pattern.nnz;
        }
  }
  for (int i = 0; i < sys->nv; i++) p->diagonal[i] = tr_pattern_slot(&sys->pattern, i, i);
  TR_TRY(tr_echelon_new(sys->al, sys->nv, INFINITY, &p->rows));
  TR_TRY(tr_rows_keep(s->work));
  return tr_step_kkt(s, ar, &sys->pattern, &p->kkt);
}

void tr_split_free(tr_split *p) {
  tr_echelon_free(p->rows);
  tr_kkt_free(&p->kkt);
}

void tr_split_begin(tr_split *p) { p->chosen = p->held = false; }

void tr_split_watch(tr_split *p) {
  p->held = false;
  if (p->chosen && p->kkt.rcond < WORSE * p->good) p->chosen = false;
}

// ---- the choice -----------------------------------------------------------------------------------

// Row r of a block, as far as bodies feel it, scaled by its largest entry: where one alone does it is that one's coordinate
// which depends on the others.
static int take_row(const tr_split *p, const double *G, const sys_block *b) {
  double most = 0;
  int n = 0;
  for (int k = 0; k < b->count && n < b->pull; k++)
    for (int c = 0; c < b->nv[k]; c++, n++) {
      p->column[n] = b->v[k] + c, p->value[n] = G[n];
      most = fmax(most, fabs(G[n]));
    }
  for (int i = 0; most > 0 && i < n; i++) p->value[i] /= most;
  return n;
}

static bool is_out(const tr_mask *mask, int row) {
  int low = 0, high = mask ? mask->count : 0;
  while (low < high) {
    int middle = (low + high) / 2;
    if (mask->row[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return mask && low < mask->count && mask->row[low] == row;
}

// Where a row depends on others no coordinate does: the factorisation will tell.
static tr_status choose(tr_split *p, const tr_step *s) {
  const tr_system *sys = s->sys;
  bool depends;
  tr_echelon_clear(p->rows);
  for (int i = 0; i < sys->nblock; i++) {
    sys_block block;
    const sys_block *b = tr_block(sys, i, &block);
    for (int r = 0; r < b->rows; r++) {
      if (is_out(s->kkt.mask, sys->nv + b->row + r)) continue;
      int n = take_row(p, s->work->G + b->G + r * b->width, b);
      TR_TRY(tr_echelon_add(p->rows, n, p->column, p->value, 0, &depends));
    }
  }
  for (int i = 0; i < sys->nv; i++) p->dependent[i] = !tr_echelon_is_free(p->rows, i);
  return TR_OK;
}

// ---- the projection -------------------------------------------------------------------------------

static tr_status factor(tr_split *p, tr_step *s) {
  const tr_system *sys = s->sys;
  double *A = p->kkt.values;
  memset(A, 0, ((size_t)sys->pattern.nnz + 1) * sizeof *A);
  for (int i = 0; i < sys->nG; i++) {
    A[p->slot[i]] += s->work->G[i];
    A[p->turned[i]] += s->work->G[i];
  }
  for (int i = 0; i < sys->nv; i++)
    if (!p->dependent[i]) A[p->diagonal[i]] = 1;
  p->kkt.mask = s->kkt.mask;
  return tr_kkt_factor(&p->kkt);
}

static tr_status choose_and_factor(tr_split *p, tr_step *s) {
  TR_TRY(choose(p, s));
  TR_TRY(factor(p, s));
  p->good = p->kkt.rcond;
  p->chosen = true;
  p->choices++;
  return TR_OK;
}

static tr_status place(tr_split *p, tr_step *s) {
  if (p->frozen && p->held && p->chosen) return TR_OK;
  tr_jacobian(s->work);
  tr_status status = p->chosen ? factor(p, s) : choose_and_factor(p, s);
  if (status == TR_SINGULAR && p->chosen) status = choose_and_factor(p, s);
  p->held = status == TR_OK;
  return status;
}

tr_status tr_split_project(tr_split *p, tr_step *s, double *e1, double *lam, double *e3,
                           double *mu) {
  int nv = s->sys->nv, nc = s->sys->nc;
  TR_TRY(place(p, s));
  double *first = p->rhs, *second = first + nv + nc;
  memset(p->rhs, 0, 2 * (size_t)(nv + nc) * sizeof *p->rhs);
  memcpy(first, e1, (size_t)nv * sizeof *e1);
  memcpy(second, e3, (size_t)nv * sizeof *e3);
  TR_TRY(tr_kkt_solve(&p->kkt, 2, p->rhs));
  for (int i = 0; i < nv; i++) {
    e1[i] = p->left[i] = p->dependent[i] ? 0 : first[i];
    e3[i] = p->dependent[i] ? 0 : second[i];
  }
  for (int i = 0; i < nc; i++) lam[i] = -first[nv + i], mu[i] = second[nv + i];
  return TR_OK;
}

// ---- the contraction ------------------------------------------------------------------------------

void tr_split_correct(tr_split *p) {
  double *left = p->before;
  p->before = p->left, p->left = left;
}

// An acceleration over what the step may have: of the positions and velocities that it makes, or of these alone.
static double weigh(const tr_step *s, int i, double a) {
  const tr_corrector *c = &s->c;
  if (!c->few) return fabs(c->cv * a);
  return hypot(c->cq * a / s->scale_q[i], c->cv * a / s->scale_v[i]) / s->allowed;
}

// M^-1 P e1, or false: bodies without mass.
static bool find_acceleration(const tr_split *p, tr_step *s) {
  const double *blocks = s->c.blocks ? s->c.blocks : tr_mass_blocks(s->work, s->blocks);
  memcpy(p->room, p->left, (size_t)s->sys->nv * sizeof *p->room);
  return tr_mass_solve(s->work, blocks, p->room) == TR_OK;
}

void tr_split_look(tr_split *p, tr_step *s) {
  double sum = 0;
  bool massive = find_acceleration(p, s);
  for (int i = 0; massive && i < s->sys->nv; i++) {
    double e = p->dependent[i] ? 0 : weigh(s, i, p->room[i] / s->c.cm);
    if (isfinite(e)) sum += e * e;
  }
  p->defect = DEFECT * sqrt(sum / (2 * s->sys->nv));
}

double tr_split_contraction(const tr_split *p, tr_step *s, double tol) {
  int nv = s->sys->nv;
  double most = 0;
  bool massive = find_acceleration(p, s);
  for (int i = 0; i < nv; i++) {
    double now = fabs(p->left[i]), before = fabs(p->before[i]);
    if (massive && isfinite(p->room[i]) && weigh(s, i, p->room[i] / s->c.cm) <= tol) continue;
    if (now > 0) most = fmax(most, before > 0 ? now / before : INFINITY);
  }
  return most;
}
