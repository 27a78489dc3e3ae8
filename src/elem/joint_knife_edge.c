// SPDX-License-Identifier: Apache-2.0
// Knife edge: B moves along its x axis only, not along its y axis, over what A is part of: a skate, a
// blade, the wheel of a cart. One row of velocities, Gam = y_B . V at B's point.
#include "slip.h"

TR_INLINE void look(const void *par, int nd, slip *x) {
  (void)par, (void)nd;
  x->rows = 1;
  m3_axis(x->B->R, 1, x->c[0]);
  if (!x->turns) return;
  m3_skew(x->c[0], x->cB[0]);
  for (int i = 0; i < 9; i++) x->cB[0][i] = -x->cB[0][i];
}

TR_SLIP_OPS(look, 2, 3)
TR_SLIP_OPS(look, 3, 6)

#define OPS(d)                                                                                \
  {                                                                                           \
    .rows = 1, .velocity = 1, .dense = true, .eval = eval##d, .jac = jac##d, .geom = geom##d, \
    .jac_q = jac_q##d, .gamma = gamma##d, .eval_two = two##d, .two_along = true               \
  }
static const tr_joint_ops planar = OPS(2), spatial = OPS(3);

const tr_joint_type tr_joint_knife_edge = {
    .name = "knife-edge",
    .doc = "B moves over A along its own x axis only, never along its y axis",
    .markers = 2,
    .planar = &planar,
    .spatial = &spatial,
};
