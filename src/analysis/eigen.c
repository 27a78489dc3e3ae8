// SPDX-License-Identifier: Apache-2.0
// Eigenvalues: Hessenberg form by elimination, then QR steps with Wilkinson's shift in complex
// arithmetic, one eigenvalue at a time off the lower end.
#include "eigen.h"

#include <float.h>
#include <math.h>

#define AT(A, i, j) (A)[(size_t)(i) * (size_t)n + (size_t)(j)]

// Similar to A, zero below the subdiagonal.
static void to_hessenberg(int n, double *A) {
  for (int k = 1; k < n - 1; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(AT(A, i, k - 1)) > fabs(AT(A, pivot, k - 1))) pivot = i;
    if (AT(A, pivot, k - 1) == 0) continue;
    for (int j = 0; pivot != k && j < n; j++) {
      double x = AT(A, pivot, j);
      AT(A, pivot, j) = AT(A, k, j), AT(A, k, j) = x;
    }
    for (int i = 0; pivot != k && i < n; i++) {
      double x = AT(A, i, pivot);
      AT(A, i, pivot) = AT(A, i, k), AT(A, i, k) = x;
    }
    for (int i = k + 1; i < n; i++) {
      double f = AT(A, i, k - 1) / AT(A, k, k - 1);
      if (f == 0) continue;
      for (int j = k - 1; j < n; j++) AT(A, i, j) -= f * AT(A, k, j);
      for (int j = 0; j < n; j++) AT(A, j, k) += f * AT(A, j, i);
      AT(A, i, k - 1) = 0;
    }
  }
}

// The eigenvalue of the trailing 2 x 2 block nearest to its last entry.
static double complex wilkinson(const double complex *H, int n, int hi) {
  double complex a = AT(H, hi - 1, hi - 1), b = AT(H, hi - 1, hi), c = AT(H, hi, hi - 1);
  double complex d = AT(H, hi, hi), half = 0.5 * (a - d), root = csqrt(half * half + b * c);
  double complex one = d + half + root, two = d + half - root;
  return cabs(one - d) < cabs(two - d) ? one : two;
}

// H := R Q + mu, H - mu = Q R, on the block lo..hi. c, s: rotations.
static void qr_step(double complex *H, int n, int lo, int hi, double complex mu, double *c,
                    double complex *s) {
  for (int k = lo; k <= hi; k++) AT(H, k, k) -= mu;
  for (int k = lo; k < hi; k++) {
    double complex x = AT(H, k, k), y = AT(H, k + 1, k);
    double r = hypot(cabs(x), cabs(y));
    c[k] = 1, s[k] = 0;
    if (r == 0) continue;
    // [c s; -conj(s) c] (x, y) = (., 0), x made real on the way
    double complex phase = cabs(x) > 0 ? x / cabs(x) : 1;
    c[k] = cabs(x) / r;
    s[k] = phase * conj(y) / r;
    for (int j = k; j <= hi; j++) {
      double complex u = AT(H, k, j), v = AT(H, k + 1, j);
      AT(H, k, j) = c[k] * u + s[k] * v;
      AT(H, k + 1, j) = c[k] * v - conj(s[k]) * u;
    }
  }
  for (int k = lo; k < hi; k++) {
    int last = k + 2 < hi ? k + 2 : hi;
    for (int i = lo; i <= last; i++) {
      double complex u = AT(H, i, k), v = AT(H, i, k + 1);
      AT(H, i, k) = c[k] * u + conj(s[k]) * v;
      AT(H, i, k + 1) = c[k] * v - s[k] * u;
    }
  }
  for (int k = lo; k <= hi; k++) AT(H, k, k) += mu;
}

// First row of the unreduced block that ends at hi.
static int block_start(double complex *H, int n, int hi, double scale) {
  for (int k = hi; k > 0; k--) {
    double near = fmax(cabs(AT(H, k, k)) + cabs(AT(H, k - 1, k - 1)), 1e-3 * scale);
    if (cabs(AT(H, k, k - 1)) <= DBL_EPSILON * near) {
      AT(H, k, k - 1) = 0;
      return k;
    }
  }
  return 0;
}

tr_status tr_eigenvalues(tr_arena *ar, int n, double *A, double complex *w) {
  double complex *H = TR_NEW(ar, (size_t)n * n, double complex), *s = TR_NEW(ar, n, double complex);
  double *c = TR_NEW(ar, n, double), scale = 0;
  if (!H || !s || !c) return TR_NO_MEMORY;
  for (int i = 0; i < n * n; i++) {
    if (!isfinite(A[i])) return TR_NOT_FINITE;
    scale = fmax(scale, fabs(A[i]));
  }
  to_hessenberg(n, A);
  for (int i = 0; i < n * n; i++) H[i] = A[i];
  int iterations = 0;
  for (int hi = n - 1; hi >= 0;) {
    int lo = block_start(H, n, hi, scale);
    if (lo == hi) {
      w[hi] = AT(H, hi, hi);
      hi--, iterations = 0;
      continue;
    }
    if (++iterations > 60) return TR_NO_CONVERGENCE;
    double complex mu = wilkinson(H, n, hi);
    if (iterations % 11 == 10) mu += cabs(AT(H, hi, hi - 1)); // out of a circle
    qr_step(H, n, lo, hi, mu, c, s);
  }
  return TR_OK;
}

tr_status tr_dense_solve(int n, double *A, int columns, double *x) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(AT(A, i, k)) > fabs(AT(A, pivot, k))) pivot = i;
    if (!(fabs(AT(A, pivot, k)) > 0)) return TR_SINGULAR;
    for (int j = 0; pivot != k && j < n; j++) {
      double y = AT(A, pivot, j);
      AT(A, pivot, j) = AT(A, k, j), AT(A, k, j) = y;
    }
    for (int j = 0; pivot != k && j < columns; j++) {
      double y = x[(size_t)pivot * columns + j];
      x[(size_t)pivot * columns + j] = x[(size_t)k * columns + j], x[(size_t)k * columns + j] = y;
    }
    for (int i = k + 1; i < n; i++) {
      double f = AT(A, i, k) / AT(A, k, k);
      for (int j = k; j < n; j++) AT(A, i, j) -= f * AT(A, k, j);
      for (int j = 0; j < columns; j++)
        x[(size_t)i * columns + j] -= f * x[(size_t)k * columns + j];
    }
  }
  for (int k = n - 1; k >= 0; k--)
    for (int j = 0; j < columns; j++) {
      double y = x[(size_t)k * columns + j];
      for (int i = k + 1; i < n; i++) y -= AT(A, k, i) * x[(size_t)i * columns + j];
      x[(size_t)k * columns + j] = y / AT(A, k, k);
    }
  return TR_OK;
}
