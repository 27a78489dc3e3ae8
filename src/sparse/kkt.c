// SPDX-License-Identifier: Apache-2.0
// A block LU for sparse systems, KLU where that does not fit, a dense LU by rows for tiny ones.
//
// (0) The block LU (block.h) has a fixed order. Where its pivots grow or vanish, KLU factors that matrix,
//     and some after it, twice as many for each refusal in a row.
// (1) The matrix is equilibrated symmetrically first, so that nothing below depends on units.
// (2) KLU: one full factorisation finds pivots; later matrices of the same pattern reuse them
//     (refactor). The reuse is trusted while the reciprocal pivot growth max|A|/max|U| stays above
//     GROWTH_MIN; else the full factorisation runs again.
// (3) Dense: partial pivoting, no allocation ever. A factorisation that is used for a third solve is
//     inverted: a product by columns runs several times faster than two triangular solves this small.
// (4) Singular means to working precision: a pivot no larger than the round-off of what it came from.
#include "kkt.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <suitesparse/klu.h>

#include "block.h"

static const double GROWTH_MIN = 1e-6;
enum { INVERT_AT = 3 }; // solves

// Numbers side by side in tiny systems.
enum { LANES = 4 };
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
#define FOUR(x) (*(four *)(x))
#define FIXED static inline __attribute__((always_inline))
static int padded(int n) { return (n + LANES - 1) / LANES * LANES; }

typedef struct klu_handle {
  klu_symbolic *symbolic;
  klu_common common;
} klu_handle;

typedef struct klu_numbers {
  klu_symbolic *symbolic;
  bool own; // symbolic is not the pattern's
  klu_numeric *numeric;
  klu_common common;
} klu_numbers;

// KLU's interface is not const-correct; analyse reads only.
static tr_status klu_order(const tr_pattern *p, klu_common *common, klu_symbolic **symbolic) {
  klu_defaults(common);
  common->scale = -1; // we scale ourselves
  *symbolic = klu_analyze(p->n, (int *)p->column, (int *)p->row, common);
  if (*symbolic) return TR_OK;
  return common->status == KLU_OUT_OF_MEMORY ? TR_NO_MEMORY : TR_SINGULAR;
}

// The block solver does about BLOCK_SPEED times as many operations in a time as KLU, whose number KLU
// estimates from below: it knows nothing of the pivots that zeros on the diagonal will force it to take. On
// lattices of more than KLU_MOST unknowns these make it many times as many. It is asked only where they are
// many.
static const double BLOCK_SPEED = 4, FLOPS_FEW = 2000;
enum { KLU_MOST = 2000 };

// From times measured on chains, nets and small linkages, in ns: per unknown, per row of an element that is not
// evaluated together with others, per operation of a factorisation, per number of the factors.
static double predict_cost(const tr_pattern *p, double flops, double numbers) {
  double assembly = 10 * p->n + 200 * p->single, residual = 4.5 * p->n + 12 * p->single;
  return (assembly + 0.8 * numbers + 0.4 * flops) / (residual + 0.75 * numbers);
}

static tr_status choose_solver(tr_arena *ar, tr_pattern *p, int dense_max) {
  p->klu = NULL, p->blocks = NULL;
  p->matrix_cost = 0;
  if (p->n <= dense_max) return TR_OK;
  if (!p->klu_only) TR_TRY(tr_blocks_plan(ar, p, &p->blocks));
  if (p->blocks && (p->n > KLU_MOST || p->blocks->flops <= FLOPS_FEW * p->n)) return TR_OK;
  klu_handle *h = TR_NEW(ar, 1, klu_handle);
  if (!h) return TR_NO_MEMORY;
  TR_TRY(klu_order(p, &h->common, &h->symbolic));
  p->klu = h;
  p->matrix_cost = predict_cost(p, BLOCK_SPEED * h->symbolic->est_flops, 2 * h->symbolic->lnz);
  if (p->blocks && p->blocks->flops <= BLOCK_SPEED * h->symbolic->est_flops)
    tr_pattern_free(p);
  else
    p->blocks = NULL;
  return TR_OK;
}

tr_status tr_pattern_analyse(tr_arena *ar, tr_pattern *p, int dense_max) {
  TR_TRY(choose_solver(ar, p, dense_max));
  if (p->blocks) p->matrix_cost = predict_cost(p, p->blocks->flops, p->blocks->numbers);
  return TR_OK;
}

void tr_pattern_free(tr_pattern *p) {
  if (p->klu) klu_free_symbolic(&p->klu->symbolic, &p->klu->common);
  p->klu = NULL;
}

tr_status tr_pattern_blocks(tr_arena *ar, const tr_pattern *p, int m, tr_pattern *out) {
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

tr_status tr_kkt_make(tr_arena *ar, const tr_pattern *p, tr_kkt *k) {
  size_t n = (size_t)p->n;
  *k = (tr_kkt){.p = p,
                .al = ar->al,
                .values = TR_NEW(ar, p->nnz + 1, double),
                .scale = TR_NEW(ar, n, double)};
  if (!k->values || !k->scale) return TR_NO_MEMORY;
  if (p->blocks) {
    k->factors = TR_NEW(ar, p->blocks->numbers, double);
    k->work = TR_NEW(ar, 2 * n, double);
    if (p->blocks->measured && !(k->refined = tr_resize(ar->al, NULL, 2 * n * sizeof(double))))
      return TR_NO_MEMORY;
    return k->factors && k->work ? TR_OK : TR_NO_MEMORY;
  }
  k->scaled = TR_NEW(ar, p->nnz + 1, double);
  if (!k->scaled) return TR_NO_MEMORY;
  if (p->klu) {
    k->klu = TR_NEW(ar, 1, klu_numbers);
    if (!k->klu) return TR_NO_MEMORY;
    k->klu->common = p->klu->common;
    k->klu->symbolic = p->klu->symbolic;
    return TR_OK;
  }
  k->dense = TR_NEW(ar, n * n, double);
  k->inverse = TR_NEW(ar, n * (size_t)padded(p->n), double);
  k->work = TR_NEW(ar, 2 * (size_t)padded(p->n), double);
  k->pivot = TR_NEW(ar, n, int);
  return k->dense && k->inverse && k->work && k->pivot ? TR_OK : TR_NO_MEMORY;
}

void tr_kkt_forget(tr_kkt *k, const tr_kkt *then) {
  k->factorisations = then->factorisations;
  k->refactorisations = then->refactorisations;
  k->solves = then->solves;
  k->scale_known = false;
  k->refusals = k->pause = 0;
}

void tr_kkt_free(tr_kkt *k) {
  if (k->refined) tr_resize(k->al, k->refined, 0);
  if (k->klu && k->klu->numeric) klu_free_numeric(&k->klu->numeric, &k->klu->common);
  if (!k->klu || !k->klu->own) return;
  klu_free_symbolic(&k->klu->symbolic, &k->klu->common);
  tr_resize(k->al, k->klu, 0);
  tr_resize(k->al, k->scaled, 0);
}

static bool finite(const double *x, int n) {
  enum { TURNS = 8 };
  double sum[TURNS] = {0}, all = 0; // stay 0 unless a NaN or an infinity comes by
  int i = 0;
  for (; i + TURNS <= n; i += TURNS)
    for (int j = 0; j < TURNS; j++) sum[j] += 0 * x[i + j];
  for (; i < n; i++) all += 0 * x[i];
  for (int j = 0; j < TURNS; j++) all += sum[j];
  return all == 0;
}

// ---- dense ----------------------------------------------------------------------------------------

// D of D A D: d_i = |A_ii|^(-1/2) for the leading unknowns, and what makes the largest entry of a column 1
// for the others. Masses and lengths of any size then look alike. False: an empty column.
static bool find_scale(tr_kkt *k) {
  const tr_pattern *p = k->p;
  double *d = k->scale;
  for (int j = 0; j < p->leading; j++) {
    int at = tr_pattern_slot(p, j, j);
    double diagonal = at < p->nnz ? fabs(k->values[at]) : 0;
    d[j] = diagonal > 0 ? 1 / sqrt(diagonal) : 1;
  }
  for (int j = p->leading; j < p->n; j++) {
    double most = 0;
    for (int s = p->column[j]; s < p->column[j + 1]; s++) {
      int i = p->row[s];
      double x = fabs(k->values[s]) * (i < p->leading ? d[i] : 1);
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
  if (!find_scale(k)) return false;
  for (int j = 0; j < p->n; j++)
    for (int s = p->column[j]; s < p->column[j + 1]; s++)
      k->scaled[s] = d[p->row[s]] * k->values[s] * d[j];
  return true;
}

// P A = L U by rows, unit L; U's diagonal is kept inverted.
static tr_status dense_factor(tr_kkt *k) {
  const tr_pattern *p = k->p;
  int n = p->n;
  double *A = k->dense;
  memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
  memset(k->work, 0, (size_t)n * sizeof *k->work); // largest entry of each column
  for (int j = 0; j < n; j++)
    for (int s = p->column[j]; s < p->column[j + 1]; s++) {
      A[p->row[s] * n + j] = k->scaled[s];
      k->work[j] = fmax(k->work[j], fabs(k->scaled[s]));
    }
  double least = INFINITY, most = 0;
  for (int c = 0; c < n; c++) {
    int best = c;
    for (int i = c + 1; i < n; i++)
      if (fabs(A[i * n + c]) > fabs(A[best * n + c])) best = i;
    k->pivot[c] = best;
    if (best != c)
      for (int j = 0; j < n; j++) {
        double x = A[c * n + j];
        A[c * n + j] = A[best * n + j], A[best * n + j] = x;
      }
    double d = A[c * n + c];
    least = fmin(least, fabs(d)), most = fmax(most, fabs(d));
    if (!(fabs(d) > n * DBL_EPSILON * k->work[c])) return TR_SINGULAR;
    d = A[c * n + c] = 1 / d;
    for (int i = c + 1; i < n; i++) {
      double l = A[i * n + c];
      if (l == 0) continue;
      A[i * n + c] = l *= d;
      for (int j = c + 1; j < n; j++) A[i * n + j] -= l * A[c * n + j];
    }
  }
  k->rcond = least / most;
  return TR_OK;
}

static void dense_substitute(const tr_kkt *k, double *b) {
  int n = k->p->n;
  const double *A = k->dense;
  for (int i = 0; i < n; i++) {
    double x = b[k->pivot[i]];
    b[k->pivot[i]] = b[i];
    b[i] = x;
  }
  for (int i = 1; i < n; i++) {
    double s = b[i];
    for (int j = 0; j < i; j++) s -= A[i * n + j] * b[j];
    b[i] = s;
  }
  for (int i = n - 1; i >= 0; i--) {
    double s = b[i];
    for (int j = i + 1; j < n; j++) s -= A[i * n + j] * b[j];
    b[i] = s * A[i * n + i];
  }
}

// y = A x for one or two x of n numbers, A by columns of n numbers and some more, all multiples of LANES;
// four columns at a time, so that y is loaded and stored a quarter as often. Each number is the same sum of
// products however many are formed at once.
FIXED void multiply_any(int n, int count, const double *restrict A, const double *x,
                        double *restrict y) {
  int wide = padded(n), j = 0;
  const double *z = x + (count - 1) * n;
  double *restrict u = y + (count - 1) * wide;
  memset(y, 0, (size_t)(count * wide) * sizeof *y);
  for (; j + 4 <= n; j += 4, A += 4 * wide) {
    const double *a = A, *b = A + wide, *c = A + 2 * wide, *d = A + 3 * wide;
    double x0 = x[j], x1 = x[j + 1], x2 = x[j + 2], x3 = x[j + 3];
    double z0 = z[j], z1 = z[j + 1], z2 = z[j + 2], z3 = z[j + 3];
    for (int i = 0; i < wide; i += LANES) {
      four p = FOUR(a + i), q = FOUR(b + i), r = FOUR(c + i), s = FOUR(d + i);
      FOUR(y + i) += (x0 * p + x1 * q) + (x2 * r + x3 * s);
      if (count > 1) FOUR(u + i) += (z0 * p + z1 * q) + (z2 * r + z3 * s);
    }
  }
  for (; j < n; j++, A += wide)
    for (int i = 0; i < wide; i += LANES) {
      FOUR(y + i) += x[j] * FOUR(A + i);
      if (count > 1) FOUR(u + i) += z[j] * FOUR(A + i);
    }
}

#define MULTIPLY(name, count)                                            \
  static void name(int n, const double *A, const double *x, double *y) { \
    multiply_any(n, count, A, x, y);                                     \
  }
MULTIPLY(multiply_one, 1)
MULTIPLY(multiply_two, 2)
#if defined(__x86_64__) && !defined(__AVX2__)
__attribute__((target("avx2"))) MULTIPLY(multiply_one_avx2, 1) __attribute__((target("avx2")))
MULTIPLY(multiply_two_avx2, 2)
#else
#define multiply_one_avx2 multiply_one
#define multiply_two_avx2 multiply_two
#endif

    static bool has_avx2(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

// The inverse by columns: a column is a row of (A^-1)' = P' L^-T U^-T, all of which are solved for at once, a band
// of `parts` times LANES numbers of each in registers.
enum { BAND = 6 };

typedef struct square {
  int n, wide, at;  // the band begins at number `at` of each row
  const double *LU; // by rows
  const double *scale;
  double *y; // rows
} square;

// sum -= sum_j a_j row_j, j from `first` to `last`
FIXED void eliminate(int parts, const square *s, int first, int last, const double *a, four *sum) {
  for (int j = first; j < last; j++)
    for (int p = 0; p < parts; p++)
      sum[p] -= a[j * s->n] * FOUR(s->y + j * s->wide + s->at + LANES * p);
}

FIXED void invert_band(int parts, const square *s) {
  int n = s->n;
  for (int i = 0; i < n; i++) { // U'
    four sum[BAND] = {{0}};
    double *row = s->y + i * s->wide + s->at;
    if (i >= s->at && i < s->at + LANES * parts)
      sum[(i - s->at) / LANES][(i - s->at) % LANES] = s->scale[i];
    eliminate(parts, s, s->at < i ? s->at : i, i, s->LU + i, sum);
    for (int p = 0; p < parts; p++) FOUR(row + LANES * p) = s->LU[i * n + i] * sum[p];
  }
  for (int i = n - 2; i >= 0; i--) { // L'
    four sum[BAND];
    double *row = s->y + i * s->wide + s->at;
    for (int p = 0; p < parts; p++) sum[p] = FOUR(row + LANES * p);
    eliminate(parts, s, i + 1, n, s->LU + i, sum);
    for (int p = 0; p < parts; p++) FOUR(row + LANES * p) = sum[p];
  }
}

FIXED void invert_bands(square s) {
  for (; s.at < s.wide; s.at += LANES * BAND) switch ((s.wide - s.at) / LANES) {
      case 1: invert_band(1, &s); break;
      case 2: invert_band(2, &s); break;
      case 3: invert_band(3, &s); break;
      case 4: invert_band(4, &s); break;
      case 5: invert_band(5, &s); break;
      default: invert_band(BAND, &s);
    }
}

static void invert_base(const square *s) { invert_bands(*s); }
#if defined(__x86_64__) && !defined(__AVX2__)
__attribute__((target("avx2"))) static void invert_avx2(const square *s) { invert_bands(*s); }
#else
#define invert_avx2 invert_base
#endif

// inverse = D (D A D)^-1 D
static void invert(tr_kkt *k) {
  int n = k->p->n, wide = padded(n);
  square s = {.n = n, .wide = wide, .LU = k->dense, .scale = k->scale, .y = k->inverse};
  (has_avx2() ? invert_avx2 : invert_base)(&s);
  for (int c = n - 1; c >= 0; c--) {
    double *row = k->inverse + c * wide, *other = k->inverse + k->pivot[c] * wide;
    for (int j = 0; row != other && j < n; j++) {
      double x = row[j];
      row[j] = other[j], other[j] = x;
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) k->inverse[i * wide + j] *= k->scale[i];
}

static void dense_solve(tr_kkt *k, int count, double *b) {
  int n = k->p->n, wide = padded(n);
  for (; count > 0 && k->uses < INVERT_AT - 1; count--, b += n, k->uses++) {
    for (int i = 0; i < n; i++) b[i] *= k->scale[i];
    dense_substitute(k, b);
    for (int i = 0; i < n; i++) b[i] *= k->scale[i];
  }
  if (count == 0) return;
  if (k->uses == INVERT_AT - 1) invert(k), k->uses++;
  for (bool avx2 = has_avx2(); count > 0;) {
    int now = count > 1 ? 2 : 1;
    if (now == 2)
      (avx2 ? multiply_two_avx2 : multiply_two)(n, k->inverse, b, k->work);
    else
      (avx2 ? multiply_one_avx2 : multiply_one)(n, k->inverse, b, k->work);
    for (int i = 0; i < now; i++) memcpy(b + i * n, k->work + i * wide, (size_t)n * sizeof *b);
    count -= now, b += now * n;
  }
}

// ---- sparse ---------------------------------------------------------------------------------------

// Ratio of the pivots of an equilibrated matrix: below this it is singular.
static const double PIVOT_RATIO = 32 * DBL_EPSILON;

static bool regular(tr_kkt *k) {
  klu_numbers *u = k->klu;
  if (!klu_rcond(u->symbolic, u->numeric, &u->common)) return false;
  k->rcond = u->common.rcond;
  return k->rcond > PIVOT_RATIO;
}

static tr_status sparse_factor(tr_kkt *k) {
  const tr_pattern *p = k->p;
  klu_numbers *u = k->klu;
  klu_symbolic *symbolic = u->symbolic;
  int *column = (int *)p->column, *row = (int *)p->row;
  if (u->numeric) {
    k->refactorisations++;
    if (klu_refactor(column, row, k->scaled, symbolic, u->numeric, &u->common) &&
        klu_rgrowth(column, row, k->scaled, symbolic, u->numeric, &u->common) &&
        u->common.rgrowth > GROWTH_MIN && regular(k))
      return TR_OK;
    klu_free_numeric(&u->numeric, &u->common);
  }
  k->factorisations++;
  u->numeric = klu_factor(column, row, k->scaled, symbolic, &u->common);
  bool memory = u->common.status != KLU_OUT_OF_MEMORY;
  if (u->numeric && u->common.status == KLU_OK && regular(k)) return TR_OK;
  if (u->numeric) klu_free_numeric(&u->numeric, &u->common);
  return memory ? TR_SINGULAR : TR_NO_MEMORY;
}

// ---- blocks ---------------------------------------------------------------------------------------

// Pivots and blocks of an equilibrated matrix beyond these are no longer trusted. Small pivots of
// G A^-1 G' are differences: near singular positions KLU, which may take a row of G for a pivot, knows them
// better. Below REFINE_RATIO one step of refinement makes the residual what it is elsewhere; with more
// than LONG unknowns the last pivots get small by mere length, in proportion.
static const double BLOCK_RATIO = 1e-6, REFINE_RATIO = 1e-4, BLOCK_GROWTH = 1e6;
static const double REFINE_MEASURED = 1e-3; // what has cancelled is all that this ratio shows
static const double SMALL_RATIO = 1e-13;    // where they are meant to be
enum { PAUSE_MAX = 10 };                    // as a power of 2
static const double LONG = 1000;

static bool block_factor_once(tr_kkt *k) {
  block_report report;
  *(k->scale_known ? &k->refactorisations : &k->factorisations) += 1;
  if (!tr_blocks_factor(k->p->blocks, k->p->nnz, k->values, k->scale, k->factors, &report))
    return false;
  k->rcond = report.least / report.most;
  double least = k->expected == TR_EXPECT_SMALL ? SMALL_RATIO : BLOCK_RATIO;
  if (k->p->blocks->measured) least *= fmin(1, LONG / k->p->n);
  return k->rcond > least && fmax(report.most, report.largest) < BLOCK_GROWTH;
}

// The scale of an earlier matrix serves while nothing looks odd.
static bool block_factor(tr_kkt *k) {
  const tr_blocks *b = k->p->blocks;
  if (k->scale_known && block_factor_once(k)) return true;
  if (!finite(k->values, k->p->nnz)) return k->scale_known = false;
  if (b->measured) return k->scale_known = !k->scale_known && block_factor_once(k);
  if (!find_scale(k)) return k->scale_known = false;
  k->scale_known = false;
  for (int i = 0; i < b->n; i++) { // a power of 2 nearby, in the order of the blocks
    int e;
    frexp(k->scale[b->order[i]], &e);
    k->work[i] = ldexp(1, e);
  }
  memcpy(k->scale, k->work, (size_t)b->n * sizeof *k->scale);
  k->scale_known = block_factor_once(k);
  return k->scale_known;
}

// KLU instead, with what it needs.
static tr_status make_klu(tr_kkt *k) {
  klu_numbers *u = tr_resize(k->al, NULL, sizeof *u);
  if (!u) return TR_NO_MEMORY;
  *u = (klu_numbers){.own = true};
  k->scaled = tr_resize(k->al, NULL, ((size_t)k->p->nnz + 1) * sizeof *k->scaled);
  tr_status status = k->scaled ? klu_order(k->p, &u->common, &u->symbolic) : TR_NO_MEMORY;
  if (status == TR_OK) {
    k->klu = u;
    return TR_OK;
  }
  tr_resize(k->al, k->scaled, 0);
  tr_resize(k->al, u, 0);
  k->scaled = NULL;
  return status;
}

static bool try_blocks(tr_kkt *k) {
  if (!k->factors) return false;
  if (k->pause > 0 && k->expected == TR_EXPECT_REGULAR) {
    k->pause--;
    return false;
  }
  if (block_factor(k)) {
    k->refusals = 0;
    return true;
  }
  if (k->expected != TR_EXPECT_REGULAR) return false;
  k->refusals += k->refusals < PAUSE_MAX;
  k->pause = (1 << k->refusals) - 2;
  return false;
}

// ---- all ------------------------------------------------------------------------------------------

tr_status tr_kkt_factor(tr_kkt *k) {
  k->rcond = 0;
  if (k->mask) {
    for (int i = 0; i < k->mask->zeros; i++) k->values[k->mask->zero[i]] = 0;
    for (int i = 0; i < k->mask->count; i++) k->values[k->mask->diagonal[i]] = 1;
  }
  if ((k->by_blocks = try_blocks(k))) return TR_OK;
  k->scale_known = false;
  if (!finite(k->values, k->p->nnz)) return TR_NOT_FINITE;
  if (k->factors && k->expected == TR_EXPECT_SINGULAR) return TR_SINGULAR;
  if (k->factors && !k->klu) TR_TRY(make_klu(k));
  if (!equilibrate(k)) return TR_SINGULAR;
  if (k->klu) return sparse_factor(k);
  k->factorisations++;
  k->uses = 0;
  return dense_factor(k);
}

static tr_status solve_scaled(tr_kkt *k, int count, double *b) {
  int n = k->p->n;
  if (!k->klu) {
    dense_solve(k, count, b);
    return TR_OK;
  }
  for (int i = 0; i < count; i++)
    for (int j = 0; j < n; j++) b[i * n + j] *= k->scale[j];
  if (!k->klu->numeric ||
      !klu_solve(k->klu->symbolic, k->klu->numeric, n, count, b, &k->klu->common))
    return TR_SINGULAR;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < n; j++) b[i * n + j] *= k->scale[j];
  return TR_OK;
}

// b := A^-1 b, once more for what A b lacks: one right-hand side.
static tr_status solve_refined(tr_kkt *k, double *b) {
  size_t n = (size_t)k->p->n;
  if (!k->refined) k->refined = tr_resize(k->al, NULL, 2 * n * sizeof *b);
  if (!k->refined) return TR_NO_MEMORY;
  double *want = k->refined, *rest = want + n;
  memcpy(want, b, n * sizeof *b);
  tr_blocks_solve(k->p->blocks, k->factors, k->work, 1, b);
  tr_kkt_multiply(k, b, rest);
  for (size_t i = 0; i < n; i++) rest[i] = want[i] - rest[i];
  tr_blocks_solve(k->p->blocks, k->factors, k->work, 1, rest);
  for (size_t i = 0; i < n; i++) b[i] += rest[i];
  return TR_OK;
}

tr_status tr_kkt_solve(tr_kkt *k, int count, double *b) {
  int n = k->p->n;
  k->solves += count;
  for (int i = 0; k->mask && i < k->mask->count * count; i++)
    b[i / k->mask->count * n + k->mask->row[i % k->mask->count]] = 0;
  double ratio = k->by_blocks && k->p->blocks->measured ? REFINE_MEASURED : REFINE_RATIO;
  if (k->by_blocks && k->rcond < ratio * fmin(1, LONG / n))
    for (int i = 0; i < count; i++) TR_TRY(solve_refined(k, b + i * n));
  else if (k->by_blocks)
    tr_blocks_solve(k->p->blocks, k->factors, k->work, count, b);
  else
    TR_TRY(solve_scaled(k, count, b));
  return finite(b, count * n) ? TR_OK : TR_NOT_FINITE;
}

void tr_kkt_multiply(const tr_kkt *k, const double *x, double *y) {
  const tr_pattern *p = k->p;
  memset(y, 0, (size_t)p->n * sizeof *y);
  for (int j = 0; j < p->n; j++)
    for (int s = p->column[j]; s < p->column[j + 1]; s++) y[p->row[s]] += k->values[s] * x[j];
}
