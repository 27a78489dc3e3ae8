// SPDX-License-Identifier: Apache-2.0
// Four numbers at a time: the same formula for four bodies.
//
// (1) `lanes` is a vector type of the compilers' own; where the processor has narrower registers the
//     operations are split. Each lane computes what a double would, to the last bit, for nothing is
//     contracted or reordered.
// (2) TR_WIDE makes a function of an always-inlined body twice, for AVX2 and for the processor that the
//     library is built for, and asks at run time which to take. The results are the same. Neither is inlined where that is
//     asked, lest registers be saved there for both.
// (3) Vectors are passed by address only: by value the calling convention would depend on the target.
#ifndef TR_LANES_H
#define TR_LANES_H

#include <stdbool.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "v3.h"

enum { LANES = 4 };
typedef double lanes __attribute__((vector_size(32)));
typedef long long lanes_mask __attribute__((vector_size(32)));
typedef double lanes_anywhere __attribute__((vector_size(32), aligned(8), may_alias));
typedef double lanes_pair __attribute__((vector_size(16), aligned(8), may_alias));

#define TR_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__) && !defined(__AVX2__)
#define TR_AVX2 __attribute__((target("avx2"))) static
#define TR_BASE __attribute__((noinline)) static
#define TR_WIDE_NAMED(name, parameters, arguments, ...)                               \
  TR_AVX2 void name##_avx2 parameters __VA_ARGS__ TR_BASE void name##_base parameters \
      __VA_ARGS__ static void name parameters {                                       \
    if (__builtin_cpu_supports("avx2"))                                               \
      name##_avx2 arguments;                                                          \
    else                                                                              \
      name##_base arguments;                                                          \
  }
#else
#define TR_WIDE_NAMED(name, parameters, arguments, ...) static void name parameters __VA_ARGS__
#endif
// The text of a body, in braces; the name may be a macro's.
#define TR_WIDE_TEXT(name, parameters, arguments, ...) \
  TR_WIDE_NAMED(name, parameters, arguments, __VA_ARGS__)
#define TR_WIDE(name, body, parameters, arguments) \
  TR_WIDE_NAMED(name, parameters, arguments, { body arguments; })

// type *name[LANES], name[l] = expression of l
#define POINTERS(type, name, expression) \
  type *name[LANES];                     \
  for (int l = 0; l < LANES; l++) name[l] = (expression)

// rows <-> columns of a 4 x 4 matrix
TR_INLINE void lanes_transpose(lanes x[4]) {
  lanes a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6);
  lanes b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
  lanes c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6);
  lanes d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
  x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  x[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  x[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

// x[k], lane l = p[l][k], k < 4; and back
TR_INLINE void lanes_load4(const double *const *p, lanes *x) {
  for (int l = 0; l < LANES; l++) x[l] = *(const lanes_anywhere *)p[l];
  lanes_transpose(x);
}

TR_INLINE void lanes_store4(const lanes *x, double *const *p) {
  lanes y[4] = {x[0], x[1], x[2], x[3]};
  lanes_transpose(y);
  for (int l = 0; l < LANES; l++) *(lanes_anywhere *)p[l] = y[l];
}

// Two numbers.
TR_INLINE void lanes_load2(const double *const *p, lanes *x) {
  lanes_pair a[LANES];
  for (int l = 0; l < LANES; l++) a[l] = *(const lanes_pair *)p[l];
  lanes even = __builtin_shufflevector(a[0], a[2], 0, 1, 2, 3);
  lanes odd = __builtin_shufflevector(a[1], a[3], 0, 1, 2, 3);
  x[0] = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
  x[1] = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
}

TR_INLINE void lanes_store2(const lanes *x, double *const *p) {
  lanes even = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6);
  lanes odd = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
  *(lanes_pair *)p[0] = __builtin_shufflevector(even, even, 0, 1);
  *(lanes_pair *)p[1] = __builtin_shufflevector(odd, odd, 0, 1);
  *(lanes_pair *)p[2] = __builtin_shufflevector(even, even, 2, 3);
  *(lanes_pair *)p[3] = __builtin_shufflevector(odd, odd, 2, 3);
}

// Three numbers: what is behind them stays.
TR_INLINE void lanes_store3(const lanes *x, double *const *p) {
  lanes y[4] = {x[0], x[1], x[2], x[2]};
  lanes_transpose(y);
  for (int l = 0; l < LANES; l++) {
    *(lanes_pair *)p[l] = __builtin_shufflevector(y[l], y[l], 0, 1);
    p[l][2] = y[l][2];
  }
}

// The same of twelve in a row: x[k], lane l = p[3 l + k]; and back
TR_INLINE void lanes_load_threes(const double *p, lanes *x) {
  lanes a = *(const lanes_anywhere *)p, b = *(const lanes_anywhere *)(p + 4);
  lanes c = *(const lanes_anywhere *)(p + 8);
  lanes f = __builtin_shufflevector(a, b, 0, 1, 6, 7),
        g = __builtin_shufflevector(a, c, 2, 3, 4, 5);
  lanes h = __builtin_shufflevector(b, c, 0, 1, 6, 7);
  x[0] = __builtin_shufflevector(f, g, 0, 5, 2, 7);
  x[1] = __builtin_shufflevector(f, h, 1, 4, 3, 6);
  x[2] = __builtin_shufflevector(g, h, 0, 5, 2, 7);
}

TR_INLINE void lanes_store_threes(const lanes *x, double *p) {
  lanes f = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6);
  lanes g = __builtin_shufflevector(x[2], x[0], 0, 5, 2, 7);
  lanes h = __builtin_shufflevector(x[1], x[2], 1, 5, 3, 7);
  *(lanes_anywhere *)p = __builtin_shufflevector(f, g, 0, 1, 4, 5);
  *(lanes_anywhere *)(p + 4) = __builtin_shufflevector(h, f, 0, 1, 6, 7);
  *(lanes_anywhere *)(p + 8) = __builtin_shufflevector(g, h, 2, 3, 6, 7);
}

// Six numbers, as four and two.
TR_INLINE void lanes_load6(const double *const *p, lanes *x) {
  POINTERS(const double, q, p[l] + 4);
  lanes_load4(p, x), lanes_load2(q, x + 4);
}

TR_INLINE void lanes_store6(const lanes *x, double *const *p) {
  POINTERS(double, q, p[l] + 4);
  lanes_store4(x, p), lanes_store2(x + 4, q);
}

TR_INLINE void lanes_load9(const double *const *p, lanes *x) {
  POINTERS(const double, q, p[l] + 4);
  lanes_load4(p, x), lanes_load4(q, x + 4);
  lanes_pair a = {p[0][8], p[1][8]}, b = {p[2][8], p[3][8]};
  x[8] = __builtin_shufflevector(a, b, 0, 1, 2, 3);
}

TR_INLINE void lanes_store9(const lanes *x, double *const *p) {
  POINTERS(double, q, p[l] + 4);
  lanes_store4(x, p), lanes_store4(x + 4, q);
  for (int l = 0; l < LANES; l++) p[l][8] = x[8][l];
}

TR_INLINE bool lanes_all(const lanes_mask *m) {
  return ((*m)[0] & (*m)[1] & (*m)[2] & (*m)[3]) != 0;
}

// most = max(most, |x|); a NaN stays unnoticed
TR_INLINE void lanes_raise(const lanes *x, lanes *most) {
  lanes_mask a = (lanes_mask)*x & 0x7fffffffffffffffll, more = (lanes)a > *most;
  *most = (lanes)((a & more) | ((lanes_mask)*most & ~more));
}

// most = max(most, x) of two, where four are not worth a call; what x has of NaN stays unnoticed
TR_INLINE void lanes_raise_pair(const lanes_pair *x, lanes_pair *most) {
#if defined(__SSE2__)
  *most = (lanes_pair)_mm_max_pd((__m128d)*x, (__m128d)*most);
#else
  for (int l = 0; l < 2; l++) (*most)[l] = (*x)[l] > (*most)[l] ? (*x)[l] : (*most)[l];
#endif
}

TR_INLINE double lanes_top(const lanes *x) {
  double a = (*x)[0] > (*x)[1] ? (*x)[0] : (*x)[1], b = (*x)[2] > (*x)[3] ? (*x)[2] : (*x)[3];
  return a > b ? a : b;
}

// ---- as in v3.h -----------------------------------------------------------------------------------

TR_INLINE void lanes_cross(const lanes *a, const lanes *b, lanes *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

TR_INLINE void lanes_mul(const lanes *A, const lanes *x, lanes *y) {
  for (int i = 0; i < 3; i++) y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}

TR_INLINE void lanes_tmul(const lanes *A, const lanes *x, lanes *y) {
  for (int i = 0; i < 3; i++) y[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
}

TR_INLINE void lanes_mulm(const lanes *A, const lanes *B, lanes *C) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

TR_INLINE void lanes_quat_to_m3(const lanes *e, lanes *R) {
  lanes x = e[1], y = e[2], z = e[3], w = e[0];
  R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
  R[3] = 2 * (x * y + w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z - w * x);
  R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = 1 - 2 * (x * x + y * y);
}

// e := e exp(d/2), trimmed to length 1; false where quat_exp or quat_trim need more than a series
TR_INLINE bool lanes_quat_turn(const lanes *d, lanes *e) {
  lanes f[4], x[4], xx = 0.25 * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  f[0] = QUAT_COS(xx);
  lanes s = QUAT_SINC(xx);
  for (int i = 0; i < 3; i++) f[1 + i] = 0.5 * s * d[i];
  x[0] = e[0] * f[0] - e[1] * f[1] - e[2] * f[2] - e[3] * f[3];
  x[1] = e[0] * f[1] + e[1] * f[0] + e[2] * f[3] - e[3] * f[2];
  x[2] = e[0] * f[2] - e[1] * f[3] + e[2] * f[0] + e[3] * f[1];
  x[3] = e[0] * f[3] + e[1] * f[2] - e[2] * f[1] + e[3] * f[0];
  lanes n2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3], off = n2 - 1;
  lanes_mask good = (xx < QUAT_SERIES) & (off < QUAT_NEAR) & (off > -QUAT_NEAR);
  for (int i = 0; i < 4; i++) e[i] = x[i] * (1.5 - 0.5 * n2);
  return lanes_all(&good);
}

#endif
