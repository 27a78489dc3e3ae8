// SPDX-License-Identifier: Apache-2.0
// A block LU for sparse systems, KLU where that does not fit, a dense LU by rows for tiny ones.
//
// (0) The block LU (block.h) has a fixed order. Where its pivots are small the first solve tells what the factors are
//     worth. Where they grow or vanish, or refinement does not help, KLU factors that matrix, and some after it,
//     twice as many for each refusal in a row.
// (1) The matrix is equilibrated symmetrically first, so that nothing below depends on units.
// (2) KLU: see by_klu.c.
// (3) Dense: see tiny.c.
// (4) Singular means to working precision: a pivot no larger than the round-off of what it came from.
#include "kkt.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "block.h"
#include "by_klu.h"
#include "math/lanes.h"
#include "math/vector.h"
#include "tiny.h"

// From times measured on chains, nets and small linkages, in ns: per unknown, per row of an element that is not
// evaluated together with others, per operation of a factorisation, per number of the factors.
static double predict_cost(const tr_pattern *p, double flops, double numbers) {
  double assembly = 10 * p->n + 200 * p->single, residual = 4.5 * p->n + 12 * p->single;
  return (assembly + 0.57 * numbers + 0.28 * flops) / (residual + 0.75 * numbers);
}

// Operations in windows, by lanes, take so many times less, as counted on chains of 20 to 1000 rods.
static const double WINDOW_SPEED = 5.5;

static double operations(const tr_blocks *b) {
  double inside = 0; // nodes
  for (const block_window *w = b->window; w < b->window + b->windows; w++)
    inside += BLOCK_FOUR * w->period;
  return b->flops * (1 - (1 - 1 / WINDOW_SPEED) * inside / b->nodes);
}

static tr_status choose_solver(tr_arena *ar, tr_pattern *p, int dense_max) {
  p->klu = false, p->blocks = NULL;
  p->matrix_cost = p->tiny_cost = 0;
  if (p->n <= dense_max) {
    double n = p->n;
    p->tiny_cost = predict_cost(p, n * n * n, n * n);
    return TR_OK;
  }
  tr_klu_cost cost = {10.0 * p->nnz, p->nnz}; // nobody asks
  if (!p->klu_only) TR_TRY(tr_blocks_plan(ar, p, &cost, &p->blocks));
  p->klu = !p->blocks;
  if (p->klu) p->matrix_cost = predict_cost(p, TR_BLOCK_SPEED * cost.flops, cost.numbers);
  return TR_OK;
}

tr_status tr_pattern_analyse(tr_arena *ar, tr_pattern *p, int dense_max) {
  TR_TRY(choose_solver(ar, p, dense_max));
  if (p->blocks) p->matrix_cost = predict_cost(p, operations(p->blocks), p->blocks->numbers);
  return TR_OK;
}

tr_status tr_pattern_blocks(tr_arena *ar, const tr_pattern *p, int m, tr_pattern *out) {
  if ((double)m * m * p->nnz >= INT_MAX) return TR_NO_MEMORY;
  int *column = TR_NEW(ar, m * p->n + 1, int), *row = TR_NEW(ar, m * m * p->nnz, int), at = 0;
  if (!column || !row) return TR_NO_MEMORY;
  for (int j = 0; j < m * p->n; j++) {
    column[j] = at;
    for (int k = p->column[j / m]; k < p->column[j / m + 1]; k++)
      for (int i = 0; i < m; i++) row[at++] = m * p->row[k] + i;
  }
  column[m * p->n] = at;
  *out = (tr_pattern){
      .n = m * p->n, .nnz = at, .leading = m * p->leading, .column = column, .row = row};
  out->like = p->blocks;
  return tr_pattern_analyse(ar, out, TR_DENSE_MAX);
}

int tr_pattern_slot(const tr_pattern *p, int row, int column) {
  int lo = p->column[column], hi = p->column[column + 1];
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (p->row[mid] < row)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < p->column[column + 1] && p->row[lo] == row ? lo : p->nnz;
}

tr_status tr_mask_make(tr_arena *ar, const tr_pattern *p, int count, const int *row,
                       tr_mask *mask) {
  *mask = (tr_mask){.count = count};
  bool *out = TR_NEW(ar, p->n, bool);
  mask->row = TR_NEW(ar, count, int);
  mask->diagonal = TR_NEW(ar, count, int);
  if (!out || !mask->row || !mask->diagonal) return TR_NO_MEMORY;
  for (int k = 0; k < count; k++) {
    mask->row[k] = row[k];
    mask->diagonal[k] = tr_pattern_slot(p, row[k], row[k]);
    out[row[k]] = true;
  }
  for (int fill = 0; fill < 2; fill++) { // count, then write
    int n = 0;
    for (int j = 0; j < p->n; j++)
      for (int s = p->column[j]; s < p->column[j + 1]; s++)
        if (out[j] || out[p->row[s]]) {
          if (fill) mask->zero[n] = s;
          n++;
        }
    mask->zeros = n;
    if (!fill && !(mask->zero = TR_NEW(ar, n, int))) return TR_NO_MEMORY;
  }
  return TR_OK;
}

// Values of a matrix so small are always there.
enum { LEAN_MIN = 1 << 14 };

static tr_status make(tr_arena *ar, const tr_pattern *p, bool lean, tr_kkt *k) {
  size_t n = (size_t)p->n;
  *k = (tr_kkt){.p = p, .al = ar->al, .lean = lean};
  if (!lean) k->values = TR_NEW(ar, p->nnz + 1, double);
  if (!lean && !k->values) return TR_NO_MEMORY;
  if (p->blocks) {
    k->factors = TR_BUSY(ar, p->blocks->numbers, double);
    k->work = TR_NEW(ar, 2 * n, double);
    k->balance = TR_NEW(ar, p->blocks->measured ? 1 : n, signed char);
    if (p->blocks->measured && !(k->refined = tr_resize(ar->al, NULL, 2 * n * sizeof(double))))
      return TR_NO_MEMORY;
    k->refined_size = k->refined ? n : 0;
    return k->factors && k->work && k->balance ? TR_OK : TR_NO_MEMORY;
  }
  if (p->klu) return tr_klu_make(k);
  k->scaled = TR_NEW(ar, p->nnz + 1, double);
  k->scale = TR_NEW(ar, n, double);
  return k->scaled && k->scale ? tr_tiny_make(ar, k) : TR_NO_MEMORY;
}

tr_status tr_kkt_make(tr_arena *ar, const tr_pattern *p, tr_kkt *k) {
  return make(ar, p, false, k);
}

tr_status tr_kkt_make_lean(tr_arena *ar, const tr_pattern *p, tr_kkt *k) {
  return make(ar, p, p->blocks && p->nnz >= LEAN_MIN, k);
}

tr_status tr_kkt_hold(tr_kkt *k) {
  if (!k->values) k->values = tr_resize(k->al, NULL, ((size_t)k->p->nnz + 1) * sizeof *k->values);
  return k->values ? TR_OK : TR_NO_MEMORY;
}

void tr_kkt_forget(tr_kkt *k, const tr_kkt *then) {
  k->factorisations = then->factorisations;
  k->refactorisations = then->refactorisations;
  k->solves = then->solves;
  k->managed = false;
  k->usual = 0;
  k->refusals = k->pause = k->poor = 0;
  k->wanted = false;
}

void tr_kkt_free(tr_kkt *k) {
  if (k->refined) tr_resize(k->al, k->refined, 0);
  if (k->lean) tr_resize(k->al, k->values, 0);
  if (k->klu) tr_klu_free(k);
}

// ---- scale ----------------------------------------------------------------------------------------

static double entry(const tr_kkt *k, bool in_blocks, int column, int slot) {
  const tr_blocks *b = k->p->blocks;
  if (!in_blocks) return k->values[slot];
  int list = b->column[2 * column + 1], at = slot - k->p->column[column];
  return k->factors[b->column[2 * column] + b->offsets[list + at]];
}

// D of D A D: d_i = |A_ii|^(-1/2) for the leading unknowns, and what makes the largest entry of a column 1
// for the others. Masses and lengths of any size then look alike. False: an empty column.
// in_blocks: the matrix is in k->factors.
static bool find_scale(const tr_kkt *k, bool in_blocks, double *d) {
  const tr_pattern *p = k->p;
  for (int j = 0; j < p->leading; j++) {
    int at = tr_pattern_slot(p, j, j);
    double diagonal = at < p->nnz ? fabs(entry(k, in_blocks, j, at)) : 0;
    d[j] = diagonal > 0 ? 1 / sqrt(diagonal) : 1;
  }
  for (int j = p->leading; j < p->n; j++) {
    double most = 0;
    for (int s = p->column[j]; s < p->column[j + 1]; s++) {
      int i = p->row[s];
      double x = fabs(entry(k, in_blocks, j, s)) * (i < p->leading ? d[i] : 1);
      most = x > most ? x : most;
    }
    if (!(most > 0)) return false;
    d[j] = p->leading > 0 ? 1 / most : 1 / sqrt(most);
  }
  return true;
}

static bool equilibrate(tr_kkt *k) {
  const tr_pattern *p = k->p;
  const double *d = k->scale;
  if (!find_scale(k, false, k->scale)) return false;
  for (int j = 0; j < p->n; j++)
    for (int s = p->column[j]; s < p->column[j + 1]; s++)
      k->scaled[s] = d[p->row[s]] * k->values[s] * d[j];
  return true;
}

// ---- blocks ---------------------------------------------------------------------------------------

// Pivots and blocks of an equilibrated matrix beyond these are no longer trusted. Small pivots of
// G A^-1 G' are differences: near singular positions KLU, which may take a row of G for a pivot, knows them
// better. Below REFINE_RATIO one step of refinement makes the residual what it is elsewhere; with more
// than LONG unknowns the last pivots get small by mere length, in proportion, and along a ladder, which bends like a
// beam, by its third power: refinement bears that, where KLU would fill the matrix.
static const double BLOCK_RATIO = 1e-6, REFINE_RATIO = 1e-4, BLOCK_GROWTH = 1e6;
// Of rough ones: stiff springs make small pivots too, all the time, and that does no harm; those of singular positions
// come and go.
static const double FALLEN = 0.1, USUAL_FADE = 0.99;
static const double REFINE_MEASURED = 1e-3; // what has cancelled is all that this ratio shows
static const double SMALL_RATIO = 1e-13;    // where they are meant to be,
static const double SMALLEST_RATIO = 1e-14; // at any length
enum { PAUSE_MAX = 10 };                    // as a power of 2
enum { POOR = 4 };                          // matrices with small pivots by one scale
static const double LONG = 1000;
static const double UNEVEN = 1.25; // of what each of a team has to do, the most over the mean
// Smaller pivots than trusted are in doubt, down to DOUBT_LEAST: not all that made them has cancelled. The first solve is
// refined then, and shows their error. Refinement squares it: it must be PROVEN at most, so that nothing but round-off
// is left, or PROVEN_ROUGH where corrections follow, each from a residual of its own; these are not even refined where
// it is FAIR.
static const double DOUBT_LEAST = 1e-12, PROVEN = 1e-8, PROVEN_ROUGH = 1e-3, FAIR = 1e-8;

// 2^e
TR_INLINE void power_all(int n, const signed char *restrict e, double *restrict out) {
  for (int i = 0; i < n; i++) {
    int64_t bits = (int64_t)(1023 + e[i]) << 52;
    memcpy(&out[i], &bits, sizeof bits);
  }
}
TR_WIDE(powers_of_2, power_all, (int n, const signed char *e, double *out), (n, e, out))

// Who fills k->factors tile by tile.
typedef struct filler {
  tr_kkt *k;
  void (*fill)(void *what, int hand, int tile);
  void *what;
  const double *rhs;
} filler;

// The scale goes behind the right-hand side; who is alone takes the same room again and again.
static double *before_tile(void *what, int hand, int t) {
  const filler *f = what;
  tr_kkt *k = f->k;
  const tr_blocks *b = k->p->blocks;
  bool first = t == TR_DUE_FIRST;
  int from = first ? b->top : b->node[b->tile[t]].first, next = first ? b->nodes : b->tile[t + 1];
  int to = next < b->nodes ? b->node[next].first : b->n;
  double *d = k->work + b->n - (k->team || first ? 0 : from);
  f->fill(f->what, hand, t);
  powers_of_2(to - from, k->balance + from, d + from);
  return d;
}

static void after_tile(void *what, int t) {
  const filler *f = what;
  const tr_kkt *k = f->k;
  tr_blocks_descend(k->p->blocks, k->team, k->factors, k->work, f->rhs, t);
}

static bool factor_tiles(tr_kkt *k, filler *f, block_report *report) {
  tr_block_tiling tiling = {before_tile, f->rhs ? after_tile : NULL, f};
  return tr_blocks_factor_tiles(k->p->blocks, k->team, &tiling, k->factors, report);
}

static bool has_small_pivots(const tr_kkt *k) {
  if (k->rough && k->rcond >= FALLEN * k->usual) return false;
  double ratio = k->p->blocks->measured ? REFINE_MEASURED : REFINE_RATIO;
  return k->rcond < ratio * fmin(1, LONG / k->p->n);
}

// What is in k->factors, or comes from f.
static bool factor_in_place(tr_kkt *k, filler *f) {
  block_report report;
  *(k->managed ? &k->refactorisations : &k->factorisations) += 1;
  k->begun = f ? f->rhs : NULL, k->of = 0;
  if (f && !factor_tiles(k, f, &report)) return false;
  if (!f && !k->p->blocks->measured) powers_of_2(k->p->n, k->balance, k->work);
  if (!f && !tr_blocks_factor(k->p->blocks, k->team, k->work, k->factors, &report)) return false;
  k->rcond = report.least / report.most;
  if (k->rough) k->usual = fmax(k->rcond, USUAL_FADE * k->usual);
  double part = fmin(1, LONG / k->p->n), least = BLOCK_RATIO * part;
  if (!k->p->blocks->measured) least *= part * part;
  if (k->expected == TR_EXPECT_SMALL) least = fmax(SMALLEST_RATIO, SMALL_RATIO * part);
  k->doubt = k->rcond > least ? BLOCK_TRUSTED : BLOCK_DOUBTED;
  k->poor = k->rough && !k->p->blocks->measured && has_small_pivots(k) ? k->poor + 1 : 0;
  bool fresh = k->p->blocks->measured || !k->managed; // a scale of its own
  if (k->expected == TR_EXPECT_REGULAR && fresh)
    least = report.least > DOUBT_LEAST ? fmin(least, DOUBT_LEAST) : least;
  return k->rcond > least && fmax(report.most, report.largest) < BLOCK_GROWTH;
}

static bool block_factor_once(tr_kkt *k) {
  tr_blocks_fill(k->p->blocks, k->team, k->p, k->values, k->factors);
  return factor_in_place(k, NULL);
}

static bool find_block_scale(tr_kkt *k, bool in_blocks) {
  const tr_blocks *b = k->p->blocks;
  if (b->measured) return true; // finds it by itself
  if (!find_scale(k, in_blocks, k->work)) return false;
  k->poor = 0;
  for (int i = 0; i < b->n; i++) { // a power of 2 nearby, in the order of the blocks
    int e;
    frexp(k->work[b->order[i]], &e);
    k->balance[i] = (signed char)(e > SCHAR_MAX ? SCHAR_MAX : e < SCHAR_MIN ? SCHAR_MIN : e);
  }
  return true;
}

// A scale from next to a singular position, of huge reactions, makes all pivots look small. (Within an iteration alone: what
// others make of a matrix is not to depend on how often they asked for one.)
static void doubt_scale(tr_kkt *k) {
  if (k->poor >= POOR) k->managed = false;
}

// The scale of an earlier matrix serves while nothing looks odd.
static bool block_factor(tr_kkt *k) {
  doubt_scale(k);
  if (k->doubt != BLOCK_TRUSTED && !k->p->blocks->measured)
    k->managed = false; // a scale of its own
  if (k->managed && block_factor_once(k)) return true;
  if (k->managed && k->p->blocks->measured) return k->managed = false;
  k->managed = false;
  if (!vec_finite(k->values, k->p->nnz) || !find_block_scale(k, false)) return false;
  return k->managed = block_factor_once(k);
}

static void refuse(tr_kkt *k) {
  k->refusals += k->refusals < PAUSE_MAX;
  k->pause = (1 << k->refusals) - 2;
}

static bool try_blocks(tr_kkt *k) {
  if (!k->factors) return false;
  if (k->pause > 0 && k->expected == TR_EXPECT_REGULAR) {
    k->pause--;
    return false;
  }
  if (block_factor(k)) {
    if (k->doubt == BLOCK_TRUSTED) k->refusals = 0;
    return true;
  }
  if (k->expected == TR_EXPECT_REGULAR) refuse(k);
  return false;
}

// ---- all ------------------------------------------------------------------------------------------

void tr_kkt_apply_mask(tr_kkt *k) {
  if (!k->mask) return;
  for (int i = 0; i < k->mask->zeros; i++) k->values[k->mask->zero[i]] = 0;
  for (int i = 0; i < k->mask->count; i++) k->values[k->mask->diagonal[i]] = 1;
}

// Not by blocks.
static tr_status factor_otherwise(tr_kkt *k) {
  k->of = 0;
  k->by_blocks = k->managed = false;
  if (!vec_finite(k->values, k->p->nnz)) return TR_NOT_FINITE;
  if (k->factors && k->expected == TR_EXPECT_SINGULAR) return TR_SINGULAR;
  if (k->factors && k->only_blocks && !k->p->blocks->bold) return TR_SINGULAR;
  if (k->factors && !k->klu) TR_TRY(tr_klu_make(k));
  if (!equilibrate(k)) return TR_SINGULAR;
  if (k->klu) return tr_klu_factor(k);
  k->factorisations++;
  return tr_tiny_factor(k);
}

tr_status tr_kkt_factor(tr_kkt *k) {
  k->rcond = 0, k->held = true;
  tr_kkt_apply_mask(k);
  if ((k->by_blocks = try_blocks(k))) return TR_OK;
  return factor_otherwise(k);
}

double *tr_kkt_blocks(tr_kkt *k) {
  if (!k->factors || k->mask || k->pause > 0) return NULL;
  doubt_scale(k);
  k->of = 0;
  return k->factors;
}

static bool factor_blocks(tr_kkt *k, bool known, filler *f) {
  k->by_blocks = k->managed = known && factor_in_place(k, f);
  k->wanted |= !k->by_blocks || tr_kkt_refines(k); // it may happen often
  if (k->by_blocks && k->doubt == BLOCK_TRUSTED) k->refusals = 0;
  if (k->lean && !k->wanted) {
    tr_resize(k->al, k->values, 0);
    k->values = NULL;
  }
  return k->by_blocks;
}

bool tr_kkt_factor_blocks(tr_kkt *k) {
  k->held = false;
  if (!k->managed) tr_blocks_clear_made(k->p->blocks, k->factors);
  bool known =
      k->managed || (vec_finite(k->factors, k->p->blocks->numbers) && find_block_scale(k, true));
  return factor_blocks(k, known, NULL);
}

// The scale is known, and of a team nobody would wait long for the one with the largest part.
bool tr_kkt_goes_by_tiles(const tr_kkt *k) {
  const tr_blocks *b = k->p->blocks;
  double most = 0;
  if (b->tiles == 0 || !k->managed) return false;
  for (int p = 0; k->team && p < b->parts; p++)
    most = fmax(most, b->first_tile[p + 1] - b->first_tile[p]);
  return most * tr_team_size(k->team) <= UNEVEN * b->tiles;
}

bool tr_kkt_factor_tiles(tr_kkt *k, void (*fill)(void *what, int hand, int tile), void *what,
                         const double *rhs) {
  k->held = false;
  return factor_blocks(k, true, &(filler){k, fill, what, rhs});
}

bool tr_kkt_doubts_blocks(const tr_kkt *k) {
  return k->doubt != BLOCK_TRUSTED ? k->doubt != BLOCK_FAIR : has_small_pivots(k);
}

bool tr_kkt_wants_values(const tr_kkt *k) {
  return tr_kkt_refines(k) || (k->by_blocks && k->doubt != BLOCK_TRUSTED);
}

static tr_status solve_scaled(tr_kkt *k, int count, double *b) {
  if (!k->klu) return tr_tiny_solve(k, count, b) ? TR_OK : TR_NOT_FINITE;
  TR_TRY(tr_klu_solve(k, count, b));
  return vec_finite(b, count * k->p->n) ? TR_OK : TR_NOT_FINITE;
}

// rest = b - A x of two vectors one after the other, the matrix read once; side by side they take one sum for both.
static void rest_of_two(const tr_kkt *k, const double *b, const double *x, double *rest) {
  const tr_pattern *p = k->p;
  int n = p->n;
  lanes_pair *y = (lanes_pair *)k->work;
  memset(y, 0, (size_t)n * sizeof *y);
  for (int j = 0; j < n; j++) {
    lanes_pair xj = {x[j], x[n + j]};
    for (int s = p->column[j]; s < p->column[j + 1]; s++) y[p->row[s]] += k->values[s] * xj;
  }
  for (int i = 0; i < n; i++) rest[i] = b[i] - y[i][0], rest[n + i] = b[n + i] - y[i][1];
}

// Of D^-1 x, all vectors together.
static double largest_of(size_t n, int count, const double *d, const double *x) {
  double most = 0;
  for (int c = 0; c < count; c++, x += n)
    for (size_t i = 0; i < n; i++) most = max2(most, fabs(x[i]) / d[i]);
  return most;
}

// b := A^-1 b, once more for what A b lacks. *error, or NULL: that of the first solution, as the second one tells.
static tr_status solve_refined(tr_kkt *k, int count, double *b, double *error) {
  size_t n = (size_t)k->p->n, all = (size_t)count * n;
  if (all > k->refined_size) {
    double *room = tr_resize(k->al, k->refined, 2 * all * sizeof *b);
    if (!room) return TR_NO_MEMORY;
    k->refined = room, k->refined_size = all;
  }
  double *want = k->refined, *rest = want + all;
  memcpy(want, b, all * sizeof *b);
  tr_blocks_solve(k->p->blocks, k->team, k->factors, k->work, count, b);
  if (count == 2) rest_of_two(k, want, b, rest);
  for (size_t i = 0; count != 2 && i < all; i += n) {
    tr_kkt_multiply(k, b + i, rest + i);
    for (size_t j = i; j < i + n; j++) rest[j] = want[j] - rest[j];
  }
  tr_blocks_solve(k->p->blocks, k->team, k->factors, k->work, count, rest);
  if (error) {
    bool known = find_scale(k, false, k->work);
    double of = largest_of(n, count, k->work, rest), x = largest_of(n, count, k->work, b);
    *error = !known ? INFINITY : x > 0 ? of / x : 0;
  }
  for (size_t i = 0; i < all; i++) b[i] += rest[i];
  return TR_OK;
}

// With factors in doubt: KLU's instead, for this solve and those to come, unless they prove good.
static tr_status solve_doubted(tr_kkt *k, int count, double *b) {
  double error;
  TR_TRY(solve_refined(k, count, b, &error));
  if (error == 0) return TR_OK; // that has shown nothing
  if (error <= (k->rough ? PROVEN_ROUGH : PROVEN)) {
    k->doubt = k->rough && error <= FAIR ? BLOCK_FAIR : BLOCK_PROVEN;
    k->refusals = 0;
    return TR_OK;
  }
  memcpy(b, k->refined, (size_t)(count * k->p->n) * sizeof *b);
  refuse(k);
  TR_TRY(factor_otherwise(k));
  return solve_scaled(k, count, b);
}

static bool solve_blocks(tr_kkt *k, bool begun, int count, double *b) {
  const tr_blocks *blocks = k->p->blocks;
  if (begun) return tr_blocks_ascend(blocks, k->team, k->factors, k->work, b);
  return tr_blocks_solve(blocks, k->team, k->factors, k->work, count, b);
}

static void mask_rows(const tr_kkt *k, int count, double *b) {
  for (int i = 0; k->mask && i < k->mask->count * count; i++)
    b[i / k->mask->count * k->p->n + k->mask->row[i % k->mask->count]] = 0;
}

tr_status tr_kkt_solve(tr_kkt *k, int count, double *b) {
  int n = k->p->n;
  k->solves += count;
  mask_rows(k, count, b);
  bool refined = k->held && tr_kkt_refines(k), begun = k->begun == b && count == 1;
  k->begun = NULL;
  if (refined && k->doubt == BLOCK_DOUBTED)
    TR_TRY(solve_doubted(k, count, b));
  else if (refined)
    TR_TRY(solve_refined(k, count, b, NULL));
  else if (k->by_blocks)
    return solve_blocks(k, begun, count, b) ? TR_OK : TR_NOT_FINITE;
  else
    return solve_scaled(k, count, b);
  return vec_finite(b, count * n) ? TR_OK : TR_NOT_FINITE;
}

bool tr_kkt_pair(const tr_kkt *one, const tr_kkt *other, double *twin) {
  const tr_kkt *both[] = {one, other};
  if (one->p->blocks->windows > 0) return false;
  for (int i = 0; i < 2; i++)
    if (!both[i]->by_blocks || tr_kkt_refines(both[i])) return false;
  tr_blocks_pair(one->p->blocks, one->team, one->factors, other->factors, twin);
  return true;
}

tr_status tr_kkt_solve_pair(tr_kkt *one, tr_kkt *other, const double *twin, double *b) {
  one->solves++, other->solves++;
  one->begun = other->begun = NULL;
  mask_rows(one, 1, b), mask_rows(other, 1, b + one->p->n);
  bool fine = tr_blocks_solve_twins(one->p->blocks, one->team, twin, one->work, b);
  return fine ? TR_OK : TR_NOT_FINITE;
}

void tr_kkt_multiply(const tr_kkt *k, const double *x, double *y) {
  const tr_pattern *p = k->p;
  memset(y, 0, (size_t)p->n * sizeof *y);
  for (int j = 0; j < p->n; j++)
    for (int s = p->column[j]; s < p->column[j + 1]; s++) y[p->row[s]] += k->values[s] * x[j];
}
