// SPDX-License-Identifier: Apache-2.0
// Jacobians of frames and small products with them, for the assembly of matrices (tangent.c). Those of rigid bodies in
// space are compiled for their sizes; and only displacements that an element knows of are multiplied: a spring acts on
// points, a hinge's axis on rotations.
#ifndef TR_PRODUCTS_H
#define TR_PRODUCTS_H

#include <stdint.h>
#include <string.h>

#include "math/lanes.h"
#include "system.h"

// Of the displacements of a frame: 0 .. 2 of its point, 3 .. 5 of its axes.
typedef struct rows_used {
  int first, end;
} rows_used;

static inline tr_body_at body_at(const tr_work *w, const sys_body *b) {
  return (tr_body_at){b->par, w->q + b->q, w->v + b->v, w->cache + b->cache, w->t};
}

// J (nd x nv): row k is J' e_k.
static inline void frame_jacobian(const tr_work *w, const sys_element *e, int k, rows_used of,
                                  double *J) {
  const sys_body *b = &w->sys->body[e->body[k]];
  tr_body_at at = body_at(w, b);
  const tr_site *site = tr_site_of(w->sys, e->body[k], e->frame[k]);
  memset(J + of.first * b->nv, 0, (size_t)((of.end - of.first) * b->nv) * sizeof *J);
  for (int i = of.first; i < of.end; i++) {
    double unit[6] = {0};
    unit[i] = 1;
    b->type->add_pull(&at, site, unit, J + i * b->nv);
  }
}

// Whether a matrix of this stride, or NULL, has no entries; NaN are some.
static inline bool nothing(int rows, int columns, int stride, const double *K) {
  uint64_t bits = 0;
  for (int i = 0; K && i < rows; i++, K += stride)
    for (int j = 0; j < columns; j++) {
      uint64_t x;
      memcpy(&x, K + j, sizeof x);
      bits |= x;
    }
  return bits << 1 == 0; // but for the sign
}

// What K and D, (n x n) or NULL, of an element have entries of: first = end where that is nothing, as of laws that are
// linear; in the plane all or nothing.
static inline rows_used displacements_of(const sys_element *e, const double *K, const double *D) {
  int n = e->markers * e->nd;
  bool used[2] = {false, false};
  if (e->nd < 6) {
    bool none = nothing(1, n * n, 0, K) && nothing(1, n * n, 0, D);
    return (rows_used){0, none ? 0 : e->nd};
  }
  for (int i = 0; i < n; i += 3)
    for (int j = 0; j < n; j += 3) {
      int at = i * n + j;
      if (nothing(3, 3, n, K ? K + at : NULL) && nothing(3, 3, n, D ? D + at : NULL)) continue;
      used[i / 3 % 2] = used[j / 3 % 2] = true;
    }
  return (rows_used){used[0] ? 0 : 3, used[1] ? 6 : 3};
}

TR_INLINE void tmul_of(int n, int na, int nb, double s, const double *restrict A,
                       const double *restrict B, bool add, double *restrict out) {
  for (int i = 0; i < na; i++)
    for (int j = 0; j < nb; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += A[k * na + i] * B[k * nb + j];
      out[i * nb + j] = s * sum + (add ? out[i * nb + j] : 0);
    }
}

TR_INLINE void mul_of(int nd, int nv, int n, double s, const double *restrict K,
                      const double *restrict J, bool add, double *restrict out) {
  for (int i = 0; i < nd; i++)
    for (int j = 0; j < nv; j++) {
      double sum = 0;
      for (int k = 0; k < nd; k++) sum += K[i * n + k] * J[k * nv + j];
      out[i * nv + j] = s * sum + (add ? out[i * nv + j] : 0);
    }
}

// out (na x nb) = s A' B + (add ? out : 0), A (n x na), B (n x nb)
static inline void tmul(int n, int na, int nb, double s, const double *A, const double *B, bool add,
                        double *out) {
  if (n == 3 && na == 6 && nb == 6)
    tmul_of(3, 6, 6, s, A, B, add, out);
  else if (n == 6 && na == 6 && nb == 6)
    tmul_of(6, 6, 6, s, A, B, add, out);
  else
    tmul_of(n, na, nb, s, A, B, add, out);
}

// out (nd x nv) = s K_block J + (add ? out : 0), K of row stride n
static inline void mul(int nd, int nv, int n, double s, const double *K, const double *J, bool add,
                       double *out) {
  if (nd == 3 && nv == 6)
    mul_of(3, 6, n, s, K, J, add, out);
  else if (nd == 6 && nv == 6)
    mul_of(6, 6, n, s, K, J, add, out);
  else
    mul_of(nd, nv, n, s, K, J, add, out);
}

// Scratch of the assembly, carved out of work->block: per marker J and (J v)_q, then temporaries.
typedef struct room {
  double *J[TR_MAX_MARKERS], *U[TR_MAX_MARKERS], *KJ, *out;
} room;
static inline room carve(const tr_work *w) {
  size_t nv = (size_t)w->sys->max_nv;
  room r;
  double *p = w->block;
  for (int k = 0; k < TR_MAX_MARKERS; k++) r.J[k] = p, p += 6 * nv, r.U[k] = p, p += 6 * nv;
  r.KJ = p, p += 6 * nv;
  r.out = p;
  return r;
}

#endif
