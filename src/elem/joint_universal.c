// SPDX-License-Identifier: Apache-2.0
// Universal (Hooke's) joint: the points coincide, and the cross between the shafts has one pin
// along A's x axis and the other along B's y axis, so these stay perpendicular (4 rows: d = 0,
// x_A . y_B = 0). The shafts are the z axes; frames that coincide make a straight joint.
//
// Coordinates: angle1, the cross about x_A;  angle2, B about y_B:  R_B = R_A Rx(angle1) Ry(angle2).
#include "primitive.h"

static const prim prims[] = {{POINT, 0, 0}, {DOT1, X, Y}};
TR_PRIMITIVE_OPS(prims, 4)

static void angles(const tr_frame *const *f, double x[2]) {
  double R[9]; // R_A' R_B = Rx Ry
  m3_tmulm(f[0]->R, f[1]->R, R);
  x[0] = atan2(R[7], R[4]), x[1] = atan2(R[2], R[0]);
}

static void measure(const void *par, double t, const tr_frame *const *f, const double *mem,
                    double *out) {
  double x[2];
  (void)par;
  angles(f, x);
  for (int k = 0; k < 2; k++) out[k] = unwrap(x[k], t, mem + k * TURN_MEM);
}

static void accept(const void *par, double t, const tr_frame *const *f, double *mem) {
  double x[2]; // w_B - w_A = x_A angle1' + y_B angle2'
  (void)par;
  angles(f, x);
  turn_remember(x[0], spin_about(f, 0, X), t, mem);
  turn_remember(x[1], spin_about(f, 1, Y), t, mem + TURN_MEM);
}

static const char *const names[] = {"angle1", "angle2", NULL};
static const tr_joint_ops spatial = {.rows = 4,
                                     .eval = eval3,
                                     .jac = jac3,
                                     .rate = rate3,
                                     .eval_two = two3,
                                     .geom = geom3,
                                     TR_MADE_OF(prims),
                                     .gamma = gamma3,
                                     .measure_names = names,
                                     .measure = measure};

const tr_joint_type tr_joint_universal = {
    .name = "universal",
    .doc = "points coincide; A turns about its x axis, B about its y axis, these perpendicular",
    .markers = 2,
    .nmem = 2 * TURN_MEM,
    .spatial = &spatial,
    .accept = accept,
};
