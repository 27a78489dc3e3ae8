// SPDX-License-Identifier: Apache-2.0
// Orientations as model files write them, to a matrix whose columns are the frame's axes:
//
//   identity                            no rotation
//   30 deg                              about z
//   [e0, e1, e2, e3]                    quaternion, normalised here
//   {axis: [x, y, z], angle: a}
//   {x: a}, or [{z: a}, {x: b}]         about carried axes, one after the other: R = R1 R2 ...
//   {z-axis: [..], x-axis: [..]}        directions of axes; x is made perpendicular to z
#include <math.h>
#include <string.h>

#include "math/v3.h"
#include "planner.h"

static void about_axis(const double axis[3], double angle, double R[9]) {
  double d[3], e[4], n = v3_norm(axis);
  int k = fabs(axis[0]) == n ? 0 : fabs(axis[1]) == n ? 1 : fabs(axis[2]) == n ? 2 : -1;
  if (k >= 0) { // a coordinate axis: exact zeros and ones stay exact
    double s = sin(axis[k] < 0 ? -angle : angle), c = cos(angle);
    int i = (k + 1) % 3, j = (k + 2) % 3;
    m3_identity(R);
    R[4 * i] = R[4 * j] = c;
    R[3 * i + j] = -s;
    R[3 * j + i] = s;
    return;
  }
  v3_scale(angle / n, axis, d);
  quat_exp(d, e);
  quat_normalise(e);
  quat_to_m3(e, R);
}

// A direction is numbers, or lengths: the way from one point to another.
static bool read_direction(tr_planner *p, const tr_node *node, double a[3]) {
  int n;
  a[2] = 0;
  tr_quantity quantity = TR_NUMBER;
  for (const tr_node *k = node->kind == TR_LIST ? node->first : NULL; k; k = k->next) {
    tr_value value;
    if (!tr_plan_value(p, k, &value)) return false;
    if (value.kind == TR_KNOWN && tr_dim_agree(value.dim, tr_quantity_dim(TR_LENGTH)))
      quantity = TR_LENGTH;
  }
  if (!tr_plan_numbers(p, node, quantity, 2, 3, a, &n)) return false;
  double largest = fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2])));
  if (largest == 0) return tr_plan_fail(p, node, "the direction has zero length");
  v3_scale(1 / largest, a, a); // so that squares neither overflow nor vanish
  double norm = v3_norm(a);
  if (!(norm > 0 && isfinite(norm))) return tr_plan_fail(p, node, "the direction has zero length");
  v3_scale(1 / norm, a, a);
  return true;
}

// ---- frames from axes ---------------------------------------------------------------------------

static void set_columns(const double x[3], const double y[3], const double z[3], double R[9]) {
  for (int i = 0; i < 3; i++) R[3 * i] = x[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i];
}

// Some unit vector perpendicular to a: the coordinate axis after a's largest component, made
// perpendicular. For a = z it is x, for a = x it is y.
static void perpendicular(const double a[3], double b[3]) {
  int k = 2;
  if (fabs(a[0]) > fabs(a[k])) k = 0;
  if (fabs(a[1]) > fabs(a[k])) k = 1;
  double e[3] = {0};
  e[(k + 1) % 3] = 1;
  double d = v3_dot(a, e);
  for (int i = 0; i < 3; i++) b[i] = e[i] - d * a[i];
  v3_scale(1 / v3_norm(b), b, b);
}

static bool frame_of_axes(tr_planner *p, const tr_node *node, const double *zgiven,
                          const double *xgiven, double R[9]) {
  double x[3], y[3], z[3];
  if (zgiven) {
    v3_copy(zgiven, z);
    if (xgiven) {
      double d = v3_dot(z, xgiven);
      for (int i = 0; i < 3; i++) x[i] = xgiven[i] - d * z[i];
      double n = v3_norm(x);
      if (n < 1e-9) return tr_plan_fail(p, node, "z-axis and x-axis are parallel");
      v3_scale(1 / n, x, x);
    } else {
      perpendicular(z, x);
    }
  } else {
    // x alone: z stays as near to the old z as it can.
    v3_copy(xgiven, x);
    double d = x[2];
    for (int i = 0; i < 3; i++) z[i] = (i == 2) - d * x[i];
    double n = v3_norm(z);
    if (n < 1e-9)
      perpendicular(x, z);
    else
      v3_scale(1 / n, z, z);
  }
  v3_cross(z, x, y);
  set_columns(x, y, z, R);
  return true;
}

bool tr_plan_axis(tr_planner *p, const tr_node *node, bool planar, double R[9]) {
  double a[3];
  if (!read_direction(p, node, a)) return false;
  bool lies = fabs(a[2])<1e-9, stands = a[2]> 1 - 1e-9;
  if (planar && !lies && !stands) return tr_plan_fail(p, node, "the direction leaves the plane");
  bool along_x = planar && lies;
  return frame_of_axes(p, node, along_x ? NULL : a, along_x ? a : NULL, R);
}

// ---- maps ---------------------------------------------------------------------------------------

static const tr_common_key keys[] = {{"axis", NULL},   {"angle", NULL}, {"x", NULL},
                                     {"y", NULL},      {"z", NULL},     {"z-axis", NULL},
                                     {"x-axis", NULL}, {NULL, NULL}};

static bool read_map(tr_planner *p, const tr_node *node, double R[9]) {
  double a[3], z[3], x[3], angle;
  for (const tr_node *k = node->first; k; k = k->next) {
    int i = 0;
    while (keys[i].key && strcmp(keys[i].key, k->key) != 0) i++;
    if (!keys[i].key) return tr_plan_unknown_key(p, k, keys, NULL);
  }
  const tr_node *axis = tr_node_find(node, "axis"), *turn = tr_node_find(node, "angle");
  const tr_node *zn = tr_node_find(node, "z-axis"), *xn = tr_node_find(node, "x-axis");
  if (axis && turn && node->count == 2) {
    if (!read_direction(p, axis, a) || !tr_plan_number(p, turn, TR_ANGLE, &angle)) return false;
    about_axis(a, angle, R);
    return true;
  }
  if ((zn || xn) && node->count == (zn != NULL) + (xn != NULL)) {
    if ((zn && !read_direction(p, zn, z)) || (xn && !read_direction(p, xn, x))) return false;
    return frame_of_axes(p, node, zn ? z : NULL, xn ? x : NULL, R);
  }
  for (int i = 0; i < 3 && node->count == 1; i++) {
    static const char *const letter[] = {"x", "y", "z"};
    const tr_node *k = tr_node_find(node, letter[i]);
    if (!k) continue;
    double e[3] = {i == 0, i == 1, i == 2};
    if (!tr_plan_number(p, k, TR_ANGLE, &angle)) return false;
    about_axis(e, angle, R);
    return true;
  }
  return tr_plan_fail(p, node,
                      "{axis, angle}, {z-axis, x-axis} or one of {x}, {y}, {z} is expected");
}

static bool read_list(tr_planner *p, const tr_node *node, double R[9]) {
  if (node->first && node->first->kind == TR_MAP) {
    m3_identity(R);
    for (const tr_node *k = node->first; k; k = k->next) {
      double next[9], product[9];
      if (k->kind != TR_MAP)
        return tr_plan_fail(p, k, "a rotation such as {x: 30 deg} is expected");
      if (!read_map(p, k, next)) return false;
      m3_mulm(R, next, product);
      m3_copy(product, R);
    }
    return true;
  }
  double e[4];
  int n;
  if (node->count != 4)
    return tr_plan_fail(p, node, "a quaternion of 4 numbers or a list of rotations is expected");
  if (!tr_plan_numbers(p, node, TR_NUMBER, 4, 4, e, &n)) return false;
  double largest = fmax(fmax(fabs(e[0]), fabs(e[1])), fmax(fabs(e[2]), fabs(e[3])));
  if (largest == 0) return tr_plan_fail(p, node, "the quaternion is zero");
  for (int i = 0; i < 4; i++) e[i] /= largest;
  quat_normalise(e);
  quat_to_m3(e, R);
  return true;
}

bool tr_plan_rotation(tr_planner *p, const tr_node *node, double R[9]) {
  double angle, z[3] = {0, 0, 1};
  m3_identity(R);
  if (node->kind == TR_LIST) return read_list(p, node, R);
  if (node->kind == TR_MAP) return read_map(p, node, R);
  if (strcmp(node->text, "identity") == 0) return true;
  if (!tr_plan_number(p, node, TR_ANGLE, &angle)) return false;
  about_axis(z, angle, R);
  return true;
}
