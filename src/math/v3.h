// SPDX-License-Identifier: Apache-2.0
// Vectors of 3, matrices of 3 x 3 (row-major double[9]), quaternions (e0, e1, e2, e3): inline values.
// Outputs come last and may not alias inputs unless said.
#ifndef TR_V3_H
#define TR_V3_H

#include <math.h>

#define TR_PI 3.14159265358979323846

static inline double v3_dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void v3_cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void v3_sub(const double *a, const double *b, double *c) {
  for (int i = 0; i < 3; i++) c[i] = a[i] - b[i];
}

static inline void v3_add(const double *a, const double *b, double *c) {
  for (int i = 0; i < 3; i++) c[i] = a[i] + b[i];
}

static inline void v3_scale(double s, const double *a, double *b) {
  for (int i = 0; i < 3; i++) b[i] = s * a[i];
}

// b += s a
static inline void v3_axpy(double s, const double *a, double *b) {
  for (int i = 0; i < 3; i++) b[i] += s * a[i];
}

static inline void v3_copy(const double *a, double *b) {
  for (int i = 0; i < 3; i++) b[i] = a[i];
}

static inline double v3_norm(const double *a) { return sqrt(v3_dot(a, a)); }

// y = A x
static inline void m3_mul(const double *A, const double *x, double *y) {
  for (int i = 0; i < 3; i++) y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}

// y = A' x
static inline void m3_tmul(const double *A, const double *x, double *y) {
  for (int i = 0; i < 3; i++) y[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
}

// C = A B
static inline void m3_mulm(const double *A, const double *B, double *C) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

// C = A' B
static inline void m3_tmulm(const double *A, const double *B, double *C) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}

static inline void m3_identity(double *A) {
  for (int i = 0; i < 9; i++) A[i] = i % 4 == 0;
}

static inline void m3_copy(const double *A, double *B) {
  for (int i = 0; i < 9; i++) B[i] = A[i];
}

// Column k: an axis of a frame.
static inline void m3_axis(const double *A, int k, double *a) {
  for (int i = 0; i < 3; i++) a[i] = A[3 * i + k];
}

// [a]: [a] x = a x x
static inline void m3_skew(const double *a, double *S) {
  S[0] = S[4] = S[8] = 0;
  S[1] = -a[2], S[2] = a[1], S[3] = a[2], S[5] = -a[0], S[6] = -a[1], S[7] = a[0];
}

// S = [a][b] = b a' - (a.b) I
static inline void m3_skew2(const double *a, const double *b, double *S) {
  double d = v3_dot(a, b);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) S[3 * i + j] = b[i] * a[j] - (i == j ? d : 0);
}

static inline void quat_to_m3(const double *e, double *R) {
  double x = e[1], y = e[2], z = e[3], w = e[0];
  R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
  R[3] = 2 * (x * y + w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z - w * x);
  R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = 1 - 2 * (x * x + y * y);
}

// The quaternion of a rotation, by its largest component; e0 >= 0 where it is that one.
static inline void m3_to_quat(const double *R, double *e) {
  double tr = R[0] + R[4] + R[8];
  double s[4] = {tr, 2 * R[0] - tr, 2 * R[4] - tr, 2 * R[8] - tr};
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (s[i] > s[k]) k = i;
  double u = sqrt(1 + s[k]); // = 2 |e_k|
  double f = 0.5 / u;
  double yz = R[7] - R[5], zx = R[2] - R[6], xy = R[3] - R[1];
  e[k] = 0.5 * u;
  switch (k) {
    case 0: e[1] = f * yz, e[2] = f * zx, e[3] = f * xy; break;
    case 1: e[0] = f * yz, e[2] = f * (R[1] + R[3]), e[3] = f * (R[2] + R[6]); break;
    case 2: e[0] = f * zx, e[1] = f * (R[1] + R[3]), e[3] = f * (R[5] + R[7]); break;
    default: e[0] = f * xy, e[1] = f * (R[2] + R[6]), e[2] = f * (R[5] + R[7]); break;
  }
}

// c = a b
static inline void quat_mul(const double *a, const double *b, double *c) {
  c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

static inline void quat_normalise(double *e) {
  double s = 1 / sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  for (int i = 0; i < 4; i++) e[i] *= s;
}

// The same of what has length 1 but for round-off: a step of Newton's for 1/sqrt.
static const double QUAT_NEAR = 1e-7; // | |e|^2 - 1 | for which it is good
static inline void quat_trim(double *e) {
  double n2 = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3], s = 1.5 - 0.5 * n2;
  if (!(fabs(n2 - 1) < QUAT_NEAR)) s = 1 / sqrt(n2);
  for (int i = 0; i < 4; i++) e[i] *= s;
}

// cos(x) and sin(x)/x of xx = x^2 < QUAT_SERIES, by their series to the last bit; for vectors too
#define QUAT_SERIES 0.25
#define QUAT_COS(xx)                                                                     \
  (1 - (xx) * (1.0 / 2 -                                                                 \
               (xx) * (1.0 / 24 -                                                        \
                       (xx) * (1.0 / 720 -                                               \
                               (xx) * (1.0 / 40320 -                                     \
                                       (xx) * (1.0 / 3628800 - (xx) * (1.0 / 479001600 - \
                                                                       (xx) / 87178291200.0)))))))
#define QUAT_SINC(xx)                                                                    \
  (1 - (xx) * (1.0 / 6 -                                                                 \
               (xx) * (1.0 / 120 - (xx) * (1.0 / 5040 - (xx) * (1.0 / 362880 -           \
                                                                (xx) * (1.0 / 39916800 - \
                                                                        (xx) / 6227020800.0))))))

// e = exp(d/2): the rotation by the vector d.
static inline void quat_exp(const double *d, double *e) {
  double n2 = 0.25 * v3_dot(d, d), s; // half angle squared; s = sin(half)/half
  if (n2 < QUAT_SERIES) {
    e[0] = QUAT_COS(n2);
    s = QUAT_SINC(n2);
  } else {
    double n = sqrt(n2);
    e[0] = cos(n);
    s = sin(n) / n;
  }
  for (int i = 0; i < 3; i++) e[1 + i] = 0.5 * s * d[i];
}

// The rotation vector of a unit quaternion, |d| <= pi.
static inline void quat_log(const double *e, double *d) {
  double n = sqrt(e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  double f = n < 1e-10 ? 2 * (e[0] < 0 ? -1 : 1) : 2 * atan2(e[0] < 0 ? -n : n, fabs(e[0])) / n;
  for (int i = 0; i < 3; i++) d[i] = f * e[1 + i];
}

#endif
