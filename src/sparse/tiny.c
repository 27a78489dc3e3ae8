// SPDX-License-Identifier: Apache-2.0
// A dense LU by rows with partial pivoting; no allocation ever. A factorisation that is used for a third solve
// is inverted: a product by columns runs several times faster than two triangular solves this small.
#include "tiny.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { INVERT_AT = 3 }; // solves

// Numbers side by side in tiny systems.
enum { LANES = 4 };
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
#define FOUR(x) (*(four *)(x))
#define FIXED static inline __attribute__((always_inline))
static int padded(int n) { return (n + LANES - 1) / LANES * LANES; }

tr_status tr_tiny_make(tr_arena *ar, tr_kkt *k) {
  size_t n = (size_t)k->p->n, wide = (size_t)padded(k->p->n);
  k->dense = TR_NEW(ar, n * n, double);
  k->inverse = TR_NEW(ar, n * wide, double);
  k->work = TR_NEW(ar, 2 * wide, double);
  k->pivot = TR_NEW(ar, n, int);
  return k->dense && k->inverse && k->work && k->pivot ? TR_OK : TR_NO_MEMORY;
}

// P A = L U by rows, unit L; U's diagonal is kept inverted.
tr_status tr_tiny_factor(tr_kkt *k) {
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

void tr_tiny_solve(tr_kkt *k, int count, double *b) {
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
