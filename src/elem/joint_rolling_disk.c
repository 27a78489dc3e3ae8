// SPDX-License-Identifier: Apache-2.0
// Rolling disk: a thin disk B, its axis z, stays on the plane of A and rolls on it without slip.
//
//   phi = n.(p_B - p_A) - radius |z x n|      the lowest point of the rim is in the plane
//   Gam = t1 . V, t2 . V                      and its matter does not move along the plane
// n is A's z axis, in the plane A's y axis, where A's x axis is the line it rolls on; there no t2.
// The contact cannot lift: the sign of the normal reaction tells when a real one would.
#include "rolling.h"

typedef struct par {
  double radius;
} par;

static const tr_field fields[] = {{"radius", TR_REAL, TR_LENGTH, offsetof(par, radius),
                                   .positive = true, .doc = "from the axis to the rim"},
                                  {0}};

TR_INLINE void look(const void *pv, int nd, slip *x) {
  double radius = ((const par *)pv)->radius, d[3];
  rolling roll;
  rolling_look(nd, x->A, x->B, x->turns, &roll);
  x->rows = nd == 3 ? 2 : 3;
  x->contact = true;
  v3_sub(x->B->p, x->A->p, d);
  x->phi = v3_dot(roll.n, d) - radius * roll.s;
  v3_scale(-radius, roll.e, x->r);
  v3_copy(roll.n, x->c[0]);
  rolling_rows(&roll, 1, x->rows - 1, x);
  if (!x->turns) return;
  for (int i = 0; i < 9; i++) x->rA[i] = -radius * roll.eA[i], x->rB[i] = -radius * roll.eB[i];
  m3_copy(roll.nA, x->cA[0]);
}

TR_SLIP_OPS(look, 2, 3)
TR_SLIP_OPS(look, 3, 6)

static const char *const names[] = {"tilt", NULL};

// Between the axis and the normal: 90 degrees when it stands upright.
static void measure3(const void *pv, double t, const tr_frame *const *f, const double *mem,
                     double *out) {
  double n[3], z[3], m[3];
  (void)pv, (void)t, (void)mem;
  m3_axis(f[0]->R, 2, n), m3_axis(f[1]->R, 2, z);
  v3_cross(z, n, m);
  out[0] = atan2(v3_norm(m), v3_dot(n, z));
}

static const tr_joint_ops planar = {.rows = 2,
                                    .velocity = 2,
                                    .dense = true,
                                    .eval = eval2,
                                    .jac = jac2,
                                    .geom = geom2,
                                    .jac_q = jac_q2,
                                    .gamma = gamma2,
                                    .eval_two = two2,
                                    .two_along = true};
static const tr_joint_ops spatial = {.rows = 3,
                                     .velocity = 6,
                                     .dense = true,
                                     .eval = eval3,
                                     .jac = jac3,
                                     .geom = geom3,
                                     .jac_q = jac_q3,
                                     .gamma = gamma3,
                                     .eval_two = two3,
                                     .two_along = true,
                                     .measure_names = names,
                                     .measure = measure3};

static const char *start(void *pv, int nd, const tr_frame *const *f) {
  tr_frame A, B;
  rolling roll;
  (void)pv;
  rolling_look(nd, slip_lift(f[0], nd, &A), slip_lift(f[1], nd, &B), false, &roll);
  return roll.s > 1e-6 ? NULL : "the disk lies flat on the plane: its axis is the normal";
}

const tr_joint_type tr_joint_rolling_disk = {
    .name = "rolling-disk",
    .doc = "a thin disk (axis z of B) rolls on the plane of A (normal z; planar: on A's x axis)",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .start = start,
    .planar = &planar,
    .spatial = &spatial,
};
