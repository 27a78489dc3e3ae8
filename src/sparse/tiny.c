// SPDX-License-Identifier: Apache-2.0
// A dense LU by rows with partial pivoting; no allocation ever. A factorisation that is used for a third solve
// is inverted: a product by columns runs several times faster than two triangular solves this small.
#include "tiny.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/vector.h"

enum { INVERT_AT = 3 }; // solves

// Numbers side by side in tiny systems.
enum { LANES = 4 };
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
#define FOUR(x) (*(four *)(x))
#define FIXED static inline __attribute__((always_inline))
static int padded(int n) { return (n + LANES - 1) & -LANES; }

tr_status tr_tiny_make(tr_arena *ar, tr_kkt *k) {
  size_t n = (size_t)k->p->n, wide = (size_t)padded(k->p->n);
  k->dense = TR_NEW(ar, n * n, double);
  k->inverse = TR_NEW(ar, n * wide, double);
  k->work = TR_NEW(ar, wide, double);
  k->pivot = TR_NEW(ar, n, int);
  return k->dense && k->inverse && k->work && k->pivot ? TR_OK : TR_NO_MEMORY;
}

// P A = L U by rows, unit L; U's diagonal is kept inverted.
tr_status tr_tiny_factor(tr_kkt *k) {
  const tr_pattern *p = k->p;
  int n = p->n;
  double *A = k->dense;
  k->uses = 0, k->inverted = false;
  memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
  memset(k->work, 0, (size_t)n * sizeof *k->work); // largest entry of each column
  for (int j = 0; j < n; j++)
    for (int s = p->column[j]; s < p->column[j + 1]; s++) {
      A[p->row[s] * n + j] = k->scaled[s];
      k->work[j] = max2(k->work[j], fabs(k->scaled[s]));
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
    least = min2(least, fabs(d)), most = max2(most, fabs(d));
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

static bool substitute(const tr_kkt *k, double *b) {
  int n = k->p->n;
  const double *A = k->dense;
  for (int i = 0; i < n; i++) b[i] *= k->scale[i];
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
  for (int i = 0; i < n; i++) b[i] *= k->scale[i];
  return vec_finite(b, n);
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
  int n, wide;
  const double *LU; // by rows
  const double *scale;
  double *y; // rows
} square;

// sum -= sum_j a_j row_j, j from `first` to `last`
FIXED void eliminate(int parts, const square *s, int first, int last, const double *a, four *sum) {
  for (int j = first; j < last; j++)
    for (int p = 0; p < parts; p++) sum[p] -= a[j * s->n] * FOUR(s->y + j * s->wide + LANES * p);
}

FIXED void invert_parts(int parts, const square *s) {
  int n = s->n;
  for (int i = 0; i < n; i++) { // U'
    four sum[PARTS];
    double *row = s->y + i * s->wide;
    for (int p = 0; p < parts; p++) sum[p] = (four){0};
    sum[i / LANES][i % LANES] = s->scale[i];
    eliminate(parts, s, 0, i, s->LU + i, sum);
    for (int p = 0; p < parts; p++) FOUR(row + LANES * p) = s->LU[i * n + i] * sum[p];
  }
  for (int i = n - 2; i >= 0; i--) { // L'
    four sum[PARTS];
    double *row = s->y + i * s->wide;
    for (int p = 0; p < parts; p++) sum[p] = FOUR(row + LANES * p);
    eliminate(parts, s, i + 1, n, s->LU + i, sum);
    for (int p = 0; p < parts; p++) FOUR(row + LANES * p) = sum[p];
  }
}

FIXED void invert_all(const square *s) {
  switch (s->wide / LANES) {
    case 1: invert_parts(1, s); break;
    case 2: invert_parts(2, s); break;
    case 3: invert_parts(3, s); break;
    case 4: invert_parts(4, s); break;
    case 5: invert_parts(5, s); break;
    default: invert_parts(PARTS, s);
  }
}

// b := A b of `count` vectors, A by columns of `wide` numbers, four columns at a time. False: not all is finite.
FIXED bool multiply_parts(int parts, int n, int wide, const double *A, int count, double *b) {
  four nothing = {0};
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
typedef bool multiplier(int n, int wide, const double *A, int count, double *b);
#define MULTIPLY(target, name, parts)                                                         \
  target static bool name##_##parts(int n, int wide, const double *A, int count, double *b) { \
    return multiply_parts(parts, n, wide, A, count, b);                                       \
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
MULTIPLY_ALL(, multiply_base)
#if defined(__x86_64__) && !defined(__AVX2__)
__attribute__((target("avx2"))) static void invert_avx2(const square *s) { invert_all(s); }
MULTIPLY_ALL(__attribute__((target("avx2"))), multiply_avx2)
#else
#define invert_avx2 invert_base
#define multiply_avx2 multiply_base
#endif

// inverse = D (D A D)^-1 D
TR_APART void invert(tr_kkt *k) {
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
    for (int j = 0; j < wide; j++) k->inverse[i * wide + j] *= k->scale[i];
  k->inverted = true;
}

bool tr_tiny_solve(tr_kkt *k, int count, double *b) {
  int n = k->p->n, wide = padded(n);
  bool finite = true;
  for (; count > 0 && !k->inverted; count--, b += n, k->uses++) {
    if (k->uses == INVERT_AT - 1 && n > 0 && wide <= LANES * PARTS) {
      invert(k);
      break;
    }
    finite = substitute(k, b) && finite;
  }
  if (count == 0) return finite;
  multiplier *multiply = (has_avx2() ? multiply_avx2 : multiply_base)[wide / LANES];
  return multiply(n, wide, k->inverse, count, b) && finite;
}
