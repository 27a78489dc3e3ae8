// SPDX-License-Identifier: Apache-2.0
// Bushing: springs and dampers against all six relative motions of two frames, with preload.
//
//   F = F_0 - K x - C x',   x = place and rotation vector of B relative to A, in A's axes (six.h)
// K and C from three and three numbers on their diagonals, or whole matrices, or both added.
#include <math.h>

#include "six.h"

typedef struct par {
  six_par six; // first: what six.h reads
  double k[3], kt[3], c[3], ct[3];
  tr_rows K, C;
} par;

static const tr_field fields[] = {
    {"stiffness", TR_VEC3, TR_STIFFNESS, offsetof(par, k), "[0, 0, 0]", .min = 0, .max = INFINITY,
     .doc = "along A's axes"},
    {"torsion-stiffness", TR_VEC3, TR_TORSION_STIFFNESS, offsetof(par, kt), "[0, 0, 0]", .min = 0,
     .max = INFINITY, .doc = "about A's axes; in the plane the third counts"},
    {"damping", TR_VEC3, TR_DAMPING, offsetof(par, c), "[0, 0, 0]", .min = 0, .max = INFINITY,
     .doc = "along A's axes"},
    {"torsion-damping", TR_VEC3, TR_TORSION_DAMPING, offsetof(par, ct), "[0, 0, 0]", .min = 0,
     .max = INFINITY, .doc = "about A's axes"},
    {"stiffness-matrix", TR_ROWS, TR_NUMBER, offsetof(par, K), "[]",
     .doc = "6 x 6, symmetric, in SI, added: x y z, then rotations about them"},
    {"damping-matrix", TR_ROWS, TR_NUMBER, offsetof(par, C), "[]", .doc = "6 x 6, in SI, added"},
    {"force", TR_VEC3, TR_FORCE, offsetof(par, six.F0), "[0, 0, 0]",
     .doc = "preload on B when the frames coincide, in A's axes"},
    {"torque", TR_VEC3, TR_TORQUE, offsetof(par, six.F0) + 3 * sizeof(double), "[0, 0, 0]",
     .doc = "preload on B, in A's axes"},
    {0}};

static const char *fill(const double *diagonal, const double *diagonal_t, const tr_rows *rows,
                        double *K) {
  memset(K, 0, 36 * sizeof *K);
  for (int i = 0; i < 3; i++) K[7 * i] = diagonal[i], K[7 * (3 + i)] = diagonal_t[i];
  if (rows->rows == 0) return NULL;
  if (rows->rows != 6 || rows->columns != 6) return "a matrix of it is not 6 x 6";
  for (int i = 0; i < 36; i++) K[i] += rows->x[i];
  return NULL;
}

static const char *start(void *pv, int nd, const tr_frame *const *f) {
  par *p = pv;
  (void)nd, (void)f;
  const char *why = fill(p->k, p->kt, &p->K, p->six.K);
  if (!why) why = fill(p->c, p->ct, &p->C, p->six.C);
  if (why) return why;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < i; j++) {
      double a = p->six.K[6 * i + j], b = p->six.K[6 * j + i];
      if (fabs(a - b) > 1e-9 * (fabs(a) + fabs(b))) return "its stiffness-matrix is not symmetric";
    }
  return NULL;
}

const tr_force_type tr_force_bushing = {
    .name = "bushing",
    .doc = "springs and dampers against all relative motions of two frames, with preload",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .planar = &six_planar,
    .spatial = &six_spatial,
    .start = start,
};
