// SPDX-License-Identifier: Apache-2.0
// A dense LU by rows with partial pivoting; no allocation ever. A factorisation that is used for a third solve
// is inverted: a product by columns runs several times faster than two triangular solves this small. What was before has no
// part in that: a step that is tried again must come out the same, to the last bit.
#include "tiny.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/vector.h"

enum { INVERT_AT = 3 }; // solves

// Numbers side by side in tiny systems.
enum { LANES = 4 };
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
typedef double two __attribute__((vector_size(16)));
#define FOUR(x) (*(four *)(x))
#define FIXED static inline __attribute__((always_inline))
static int padded(int n) { return (n + LANES - 1) & -LANES; }

tr_status tr_tiny_make(tr_arena *ar, tr_kkt *k) {
  size_t n = (size_t)k->p->n, wide = (size_t)padded(k->p->n);
  k->dense = TR_NEW(ar, n * wide, double);
  k->inverse = TR_NEW(ar, n * wide, double);
  k->work = TR_NEW(ar, wide, double);
  k->pivot = TR_NEW(ar, n, int);
  return k->dense && k->inverse && k->work && k->pivot ? TR_OK : TR_NO_MEMORY;
}

// row -= l top, from the c-th number on: one by one up to a multiple of LANES
FIXED void subtract(int wide, int c, double l, const double *top, double *row) {
  int j = c;
  for (; j % LANES != 0; j++) row[j] -= l * top[j];
  for (; j < wide; j += LANES) FOUR(row + j) -= l * FOUR(top + j);
}

FIXED void exchange(int wide, double *x, double *y) {
  for (int j = 0; x != y && j < wide; j += LANES) {
    four a = FOUR(x + j);
    FOUR(x + j) = FOUR(y + j), FOUR(y + j) = a;
  }
}

// P A = L U by rows, unit L; U's diagonal is kept inverted.
FIXED bool reduce_all(tr_kkt *k, int n, int wide) {
  double least = INFINITY, most = 0, *A = k->dense;
  for (int c = 0; c < n; c++) {
    double *top = A + c * wide, *below = top + wide, *end = A + n * wide, *best = top;
    for (double *row = below; row < end; row += wide)
      if (fabs(row[c]) > fabs(best[c])) best = row;
    k->pivot[c] = (int)(best - A) / wide;
    exchange(wide, top, best);
    double d = top[c], size = fabs(d);
    least = min2(least, size), most = max2(most, size);
    if (!(size > n * DBL_EPSILON * k->work[c])) return false;
    d = top[c] = 1 / d;
    for (double *row = below; row < end; row += wide) {
      if (row[c] == 0) continue;
      double l = row[c] *= d;
      subtract(wide, c + 1, l, top, row);
    }
  }
  k->rcond = least / most;
  return true;
}

// s - sum of a_j x_j, j from `first` to `end`: four sums side by side, lest each product wait for the last.
#define LESSEN(name, number, zero)                                                           \
  FIXED number name(int first, int end, const double *a, const number *x, const number *s) { \
    number y = *s, z = zero, u = zero, v = zero;                                             \
    int j = first;                                                                           \
    for (; j + 3 < end; j += 4) {                                                            \
      y -= a[j] * x[j], z -= a[j + 1] * x[j + 1];                                            \
      u -= a[j + 2] * x[j + 2], v -= a[j + 3] * x[j + 3];                                    \
    }                                                                                        \
    if (j < end) y -= a[j] * x[j];                                                           \
    if (j + 1 < end) z -= a[j + 1] * x[j + 1];                                               \
    if (j + 2 < end) u -= a[j + 2] * x[j + 2];                                               \
    return (y + z) + (u + v);                                                                \
  }
LESSEN(lessen, double, 0)
LESSEN(lessen_pairs, two, {0})

// x := A^-1 x of numbers, or of pairs of them.
#define SUBSTITUTE(name, number, less)                                     \
  static void name(const tr_kkt *k, number *x) {                           \
    int n = k->p->n, wide = padded(n);                                     \
    const double *A = k->dense;                                            \
    for (int i = 0; i < n; i++) x[i] *= k->scale[i];                       \
    for (int i = 0; i < n; i++) {                                          \
      number y = x[k->pivot[i]];                                           \
      x[k->pivot[i]] = x[i];                                               \
      x[i] = y;                                                            \
    }                                                                      \
    for (int i = 1; i < n; i++) x[i] = less(0, i, A + i * wide, x, &x[i]); \
    for (int i = n - 1; i >= 0; i--)                                       \
      x[i] = less(i + 1, n, A + i * wide, x, &x[i]) * A[i * wide + i];     \
    for (int i = 0; i < n; i++) x[i] *= k->scale[i];                       \
  }
SUBSTITUTE(substitute, double, lessen)
SUBSTITUTE(substitute_pairs, two, lessen_pairs)

// Two vectors side by side: the same, to the last bit.
static void substitute_two(const tr_kkt *k, double *b, double *c) {
  two x[TR_DENSE_MAX];
  int n = k->p->n;
  for (int i = 0; i < n; i++) x[i] = (two){b[i], c[i]};
  substitute_pairs(k, x);
  for (int i = 0; i < n; i++) b[i] = x[i][0], c[i] = x[i][1];
}

static bool has_avx2(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

// The inverse by columns: a column is a row of (A^-1)' = P' L^-T U^-T, all of which are solved for at once, `parts`
// times LANES numbers of each in registers.
enum { PARTS = 6 }; // larger systems are not inverted
_Static_assert(TR_DENSE_MAX <= PARTS * LANES, "those that there are");

typedef struct square {
  int n;
  const double *LU; // by rows
  const double *scale;
  const int *pivot;
  double *y; // rows
} square;

// sum -= sum_j a_j row_j, j from `first` to `last`
FIXED void eliminate(int parts, const square *s, int first, int last, const double *a, four *sum) {
  int wide = LANES * parts;
  for (int j = first; j < last; j++)
    for (int p = 0; p < parts; p++) sum[p] -= a[j * wide] * FOUR(s->y + j * wide + LANES * p);
}

// inverse = D (D A D)^-1 D
FIXED void invert_parts(int parts, const square *s) {
  int n = s->n, wide = LANES * parts;
  for (int i = 0; i < n; i++) { // U'
    four sum[PARTS];
    double *row = s->y + i * wide;
    for (int p = 0; p < parts; p++) sum[p] = (four){0};
    sum[i / LANES][i % LANES] = s->scale[i];
    eliminate(parts, s, 0, i, s->LU + i, sum);
    for (int p = 0; p < parts; p++) FOUR(row + LANES * p) = s->LU[i * wide + i] * sum[p];
  }
  for (int i = n - 2; i >= 0; i--) { // L'
    four sum[PARTS];
    double *row = s->y + i * wide;
    for (int p = 0; p < parts; p++) sum[p] = FOUR(row + LANES * p);
    eliminate(parts, s, i + 1, n, s->LU + i, sum);
    for (int p = 0; p < parts; p++) FOUR(row + LANES * p) = sum[p];
  }
  for (int c = n - 1; c >= 0; c--) exchange(wide, s->y + c * wide, s->y + s->pivot[c] * wide);
  for (int i = 0; i < n; i++)
    for (int p = 0; p < parts; p++) FOUR(s->y + i * wide + LANES * p) *= s->scale[i];
}

FIXED void invert_all(const square *s) {
  switch (padded(s->n) / LANES) {
    case 1: invert_parts(1, s); break;
    case 2: invert_parts(2, s); break;
    case 3: invert_parts(3, s); break;
    case 4: invert_parts(4, s); break;
    case 5: invert_parts(5, s); break;
    default: invert_parts(PARTS, s);
  }
}

// b := A b of `count` vectors, A by columns, four at a time. False: not all is finite.
FIXED bool multiply_parts(int parts, int n, const double *A, int count, double *b) {
  four nothing = {0};
  int wide = LANES * parts;
  int left = n - LANES * (parts - 1); // numbers in the last part
  for (; count > 0; count--, b += n) {
    four y[PARTS];
    const double *a = A, *x = b, *end = b + n;
    for (int p = 0; p < parts; p++) y[p] = (four){0};
    for (; x + 3 < end; x += 4, a += 4 * wide)
      for (int p = 0; p < parts; p++) {
        const double *c = a + LANES * p;
        y[p] += (x[0] * FOUR(c) + x[1] * FOUR(c + wide)) +
                (x[2] * FOUR(c + 2 * wide) + x[3] * FOUR(c + 3 * wide));
      }
    for (; x < end; x++, a += wide)
      for (int p = 0; p < parts; p++) y[p] += x[0] * FOUR(a + LANES * p);
    for (int p = 0; p < parts; p++) nothing += 0 * y[p];
    for (int p = 0; p < parts - 1; p++) FOUR(b + LANES * p) = y[p];
    four last = y[parts - 1];
    double *rest = b + LANES * (parts - 1);
    rest[0] = last[0];
    if (left > 1) rest[1] = last[1];
    if (left > 2) rest[2] = last[2];
    if (left > 3) rest[3] = last[3];
  }
  return (nothing[0] + nothing[1]) + (nothing[2] + nothing[3]) == 0;
}

// A function for each number of parts: what all of them need of registers is not saved for one.
typedef bool multiplier(int n, const double *A, int count, double *b);
#define MULTIPLY(target, name, parts)                                               \
  target static bool name##_##parts(int n, const double *A, int count, double *b) { \
    return multiply_parts(parts, n, A, count, b);                                   \
  }
#define MULTIPLY_ALL(target, name)                                                    \
  MULTIPLY(target, name, 1)                                                           \
  MULTIPLY(target, name, 2)                                                           \
  MULTIPLY(target, name, 3)                                                           \
  MULTIPLY(target, name, 4)                                                           \
  MULTIPLY(target, name, 5)                                                           \
  MULTIPLY(target, name, 6)                                                           \
  static multiplier *const name[PARTS + 1] = {NULL,     name##_1, name##_2, name##_3, \
                                              name##_4, name##_5, name##_6};

static void invert_base(const square *s) { invert_all(s); }
static bool reduce_base(tr_kkt *k, int n, int wide) { return reduce_all(k, n, wide); }
MULTIPLY_ALL(, multiply_base)
#if defined(__x86_64__) && !defined(__AVX2__)
#define AVX2 __attribute__((target("avx2")))
AVX2 static void invert_avx2(const square *s) { invert_all(s); }
AVX2 static bool reduce_avx2(tr_kkt *k, int n, int wide) { return reduce_all(k, n, wide); }
MULTIPLY_ALL(AVX2, multiply_avx2)
#else
#define invert_avx2 invert_base
#define reduce_avx2 reduce_base
#define multiply_avx2 multiply_base
#endif

tr_status tr_tiny_factor(tr_kkt *k) {
  const tr_pattern *p = k->p;
  int n = p->n, wide = padded(n);
  k->uses = 0, k->inverted = false;
  memset(k->dense, 0, (size_t)(n * wide) * sizeof *k->dense);
  for (int j = 0; j < n; j++) {
    double most = 0; // entry of the column
    for (int s = p->column[j]; s < p->column[j + 1]; s++) {
      double x = k->scaled[s];
      k->dense[p->row[s] * wide + j] = x;
      most = max2(most, fabs(x));
    }
    k->work[j] = most;
  }
  return (has_avx2() ? reduce_avx2 : reduce_base)(k, n, wide) ? TR_OK : TR_SINGULAR;
}

TR_APART void invert(tr_kkt *k) {
  int n = k->p->n;
  square s = {n, k->dense, k->scale, k->pivot, k->inverse};
  (has_avx2() ? invert_avx2 : invert_base)(&s);
  k->inverted = true;
}

// Solves until the inverse is there; how many right-hand sides are left then.
TR_APART int solve_first(tr_kkt *k, int count, double *b, bool *finite) {
  int n = k->p->n;
  for (int some; count > 0; count -= some, b += some * n, k->uses += some) {
    if (n > 0 && padded(n) <= LANES * PARTS && k->uses == INVERT_AT - 1) {
      invert(k);
      break;
    }
    some = count > 1 && n <= TR_DENSE_MAX && k->uses + 2 < INVERT_AT ? 2 : 1;
    if (some == 2)
      substitute_two(k, b, b + n);
    else
      substitute(k, b);
    *finite &= vec_finite(b, some * n);
  }
  return count;
}

bool tr_tiny_solve(tr_kkt *k, int count, double *b) {
  int n = k->p->n;
  bool finite = true;
  if (!k->inverted) {
    int left = solve_first(k, count, b, &finite);
    if (left == 0) return finite;
    b += (count - left) * n, count = left;
  }
  multiplier *multiply = (has_avx2() ? multiply_avx2 : multiply_base)[padded(n) / LANES];
  return multiply(n, k->inverse, count, b) && finite;
}
