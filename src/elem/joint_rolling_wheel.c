// SPDX-License-Identifier: Apache-2.0
// Rolling wheel: a wheel B whose place above the plane of A is the business of other joints.
//
//   Gam = t1 . V, t2 . V   at p_B - radius n
// Two rows of velocities (planar: one). With the axis in parallel to the plane and the centre at the radius
// this is the point of contact of a wheel that neither slips nor skids.
#include "rolling.h"

typedef struct par {
  double radius;
} par;

static const tr_field fields[] = {{"radius", TR_REAL, TR_LENGTH, offsetof(par, radius),
                                   .positive = true, .doc = "from the axis to the ground"},
                                  {0}};

TR_INLINE void look(const void *pv, int nd, slip *x) {
  double radius = ((const par *)pv)->radius;
  rolling roll;
  rolling_look(nd, x->A, x->B, x->turns, &roll);
  x->rows = nd == 3 ? 1 : 2;
  v3_scale(-radius, roll.n, x->r);
  rolling_rows(&roll, 0, x->rows, x);
  for (int i = 0; x->turns && i < 9; i++) x->rA[i] = -radius * roll.nA[i];
}

TR_SLIP_OPS(look, 2, 3)
TR_SLIP_OPS(look, 3, 6)

#define OPS(d, count)                                                                            \
  {                                                                                              \
    .rows = count, .velocity = (1u << count) - 1, .dense = true, .eval = eval##d, .jac = jac##d, \
    .geom = geom##d, .jac_q = jac_q##d, .gamma = gamma##d, .eval_two = two##d, .two_along = true \
  }
static const tr_joint_ops planar = OPS(2, 1), spatial = OPS(3, 2);

static const char *start(void *pv, int nd, const tr_frame *const *f) {
  tr_frame A, B;
  rolling roll;
  (void)pv;
  rolling_look(nd, slip_lift(f[0], nd, &A), slip_lift(f[1], nd, &B), false, &roll);
  return roll.s > 1e-6 ? NULL : "the wheel lies flat on the plane: its axis is the normal";
}

const tr_joint_type tr_joint_rolling_wheel = {
    .name = "rolling-wheel",
    .doc = "a wheel (axis z of B) does not slip on the plane of A; other joints carry it",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .start = start,
    .planar = &planar,
    .spatial = &spatial,
};
