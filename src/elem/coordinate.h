// SPDX-License-Identifier: Apache-2.0
// The coordinate of a joint between frames A and B, as `angle` and `s` measure it, with its
// gradient and Hessian by the frames' displacements, in order A, B (n = 6 planar, 12 spatial
// numbers):
//   ANGLE  of B about A's z axis; planar t_B - t_A; spatial atan2(s, c), s = y_A.x_B, c = x_A.x_B,
//            g = dx/dt_B = (s n1 - c n2)/(c^2 + s^2) = -dx/dt_A,  n1 = x_A x x_B, n2 = y_A x x_B
//   WAY    of B along A's z axis, z_A . d; planar along the x axis
//   DISTANCE  |d| of the points, where it is not zero
// The Hessian H_ij is dg_i by displacement j; rotations do not commute, so it is not symmetric.
// Along a motion with constant twists u:  d/dt (g.u) = u' H u.
#ifndef TR_COORDINATE_H
#define TR_COORDINATE_H

#include "planar.h"
#include "primitive.h"

// In the order of coordinate_names: what a key `coordinate` offers.
typedef enum coordinate_kind { UNKNOWN, ANGLE, WAY, DISTANCE } coordinate_kind;
static const char *const coordinate_names[] = {"auto", "angle", "s", NULL};

// The kind for a joint of this type when the key leaves it open; UNKNOWN: it has none.
static inline coordinate_kind coordinate_of(const tr_joint_type *joint) {
  const tr_joint_ops *ops = joint->spatial ? joint->spatial : joint->planar;
  for (const char *const *name = ops->measure_names; name && *name; name++)
    for (int k = ANGLE; k <= WAY; k++)
      if (strcmp(*name, coordinate_names[k]) == 0) return (coordinate_kind)k;
  return UNKNOWN;
}

static inline bool has_coordinate(const tr_joint_type *joint, coordinate_kind kind) {
  const tr_joint_ops *ops = joint->spatial ? joint->spatial : joint->planar;
  for (const char *const *name = ops->measure_names; name && *name; name++)
    if (strcmp(*name, coordinate_names[kind]) == 0) return true;
  return false;
}

// For take: settles what "auto" means on this joint. Returns why not, or NULL.
static inline const char *coordinate_take(int *kind, const tr_joint_type *joint) {
  if (*kind == UNKNOWN) *kind = (int)coordinate_of(joint);
  if (*kind == UNKNOWN) return "it has neither an angle nor a way s";
  if (has_coordinate(joint, (coordinate_kind)*kind)) return NULL;
  return *kind == ANGLE ? "it has no angle" : "it has no way s";
}

// From A to B; returns the length.
static inline double distance_of(int nd, const tr_frame *const *f, double *e) {
  double LL = 0;
  for (int i = 0; i < (nd == 3 ? 2 : 3); i++) e[i] = f[1]->p[i] - f[0]->p[i], LL += e[i] * e[i];
  double L = sqrt(LL);
  for (int i = 0; i < (nd == 3 ? 2 : 3); i++) e[i] = L > 0 ? e[i] / L : 0;
  return L;
}

static inline double coordinate_value(coordinate_kind kind, int nd, double t,
                                      const tr_frame *const *f, const double *mem) {
  double e[3];
  if (kind == DISTANCE) return distance_of(nd, f, e);
  if (kind == WAY) return nd == 3 ? along_x(f) : way_along(f, Z);
  return nd == 3 ? f[1]->angle - f[0]->angle : hinge_angle(f, t, mem);
}

typedef struct turn {
  double ax[3], ay[3], bx[3]; // axes of A and B
  double n1[3], n2[3], s, c, D, g[3];
} turn;

static inline turn turn_of(const tr_frame *const *f) {
  turn k;
  m3_axis(f[0]->R, X, k.ax), m3_axis(f[0]->R, Y, k.ay), m3_axis(f[1]->R, X, k.bx);
  v3_cross(k.ax, k.bx, k.n1), v3_cross(k.ay, k.bx, k.n2);
  k.s = v3_dot(k.ay, k.bx), k.c = v3_dot(k.ax, k.bx), k.D = k.c * k.c + k.s * k.s;
  for (int i = 0; i < 3; i++) k.g[i] = (k.s * k.n1[i] - k.c * k.n2[i]) / k.D;
  return k;
}

// dg by dt_A (first three columns) and dt_B: with ds = n2.(dt_A - dt_B), dc = n1.(dt_A - dt_B),
// dn_i = [b][a_i] dt_A - [a_i][b] dt_B, N = D g,
//   dN = n1 ds + s dn1 - n2 dc - c dn2,  dD = 2 (c dc + s ds),  dg = (dN - g dD)/D
static inline void turn_tangent(const turn *k, double dg[3][6]) {
  double A1[9], A2[9], B1[9], B2[9];
  m3_skew2(k->bx, k->ax, A1), m3_skew2(k->bx, k->ay, A2);
  m3_skew2(k->ax, k->bx, B1), m3_skew2(k->ay, k->bx, B2);
  for (int j = 0; j < 3; j++) {
    double ds = k->n2[j], dc = k->n1[j], dD = 2 * (k->c * dc + k->s * ds);
    for (int i = 0; i < 3; i++) {
      double both = k->n1[i] * ds - k->n2[i] * dc - k->g[i] * dD;
      dg[i][j] = (both + k->s * A1[3 * i + j] - k->c * A2[3 * i + j]) / k->D;
      dg[i][3 + j] = (-both - k->s * B1[3 * i + j] + k->c * B2[3 * i + j]) / k->D;
    }
  }
}

static inline void coordinate_gradient(coordinate_kind kind, int nd, const tr_frame *const *f,
                                       double *g) {
  static const prim way[] = {{DOT2, Z, 0}};
  for (int i = 0; i < 2 * nd; i++) g[i] = 0;
  if (kind == DISTANCE) {
    distance_of(nd, f, g + nd);
    for (int i = 0; i < nd; i++) g[i] = -g[nd + i];
  } else if (nd == 6 && kind == WAY) {
    prim_jac(way, 1, 1, f, g);
  } else if (nd == 6) {
    turn k = turn_of(f);
    v3_scale(-1, k.g, g + 3), v3_copy(k.g, g + 9);
  } else if (kind == WAY) { // a.d: da = n dt_A
    double ax = f[0]->R[0], ay = f[0]->R[3];
    double dx = f[1]->p[0] - f[0]->p[0], dy = f[1]->p[1] - f[0]->p[1];
    g[0] = -ax, g[1] = -ay, g[2] = -ay * dx + ax * dy, g[3] = ax, g[4] = ay;
  } else {
    g[2] = -1, g[5] = 1;
  }
}

// H (2 nd x 2 nd), written whole.
static inline void coordinate_hessian(coordinate_kind kind, int nd, const tr_frame *const *f,
                                      double *H) {
  static const prim way[] = {{DOT2, Z, 0}};
  static const double one = 1;
  memset(H, 0, 4 * (size_t)(nd * nd) * sizeof *H);
  if (kind == DISTANCE) { // (1 - e e')/L on the differences
    double e[3], L = distance_of(nd, f, e);
    int n = 2 * nd, points = nd == 3 ? 2 : 3;
    for (int i = 0; i < points && L > 0; i++)
      for (int j = 0; j < points; j++) {
        double h = ((i == j) - e[i] * e[j]) / L;
        H[n * i + j] = H[n * (nd + i) + nd + j] = h;
        H[n * i + nd + j] = H[n * (nd + i) + j] = -h;
      }
  } else if (nd == 6 && kind == WAY) {
    prim_geom(way, 1, f, &one, H);
  } else if (nd == 6) {
    turn k = turn_of(f);
    double dg[3][6];
    turn_tangent(&k, dg);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 6; j++) {
        int column = j < 3 ? 3 + j : 6 + j;
        H[12 * (9 + i) + column] = dg[i][j], H[12 * (3 + i) + column] = -dg[i][j];
      }
  } else if (kind == WAY) { // da = n dt_A, d(n.d) = n.dd - a.d dt_A
    double ax = f[0]->R[0], ay = f[0]->R[3];
    double dx = f[1]->p[0] - f[0]->p[0], dy = f[1]->p[1] - f[0]->p[1];
    H[2] = ay, H[6 + 2] = -ax, H[18 + 2] = -ay, H[24 + 2] = ax;
    H[12] = ay, H[13] = -ax, H[15] = -ay, H[16] = ax;
    H[14] = -(ax * dx + ay * dy);
  }
}

// The twists of two frames in the order of a gradient.
static inline void twists(int nd, const tr_frame *const *f, double *u) {
  for (int k = 0; k < 2; k++, u += nd) {
    if (nd == 3)
      u[0] = f[k]->v[0], u[1] = f[k]->v[1], u[2] = f[k]->w[2];
    else
      v3_copy(f[k]->v, u), v3_copy(f[k]->w, u + 3);
  }
}

// x' and what is left of x'' when the frames do not accelerate.
static inline double coordinate_rate(coordinate_kind kind, int nd, const tr_frame *const *f) {
  double g[12], u[12], sum = 0;
  coordinate_gradient(kind, nd, f, g);
  twists(nd, f, u);
  for (int i = 0; i < 2 * nd; i++) sum += g[i] * u[i];
  return sum;
}

static inline double coordinate_bias(coordinate_kind kind, int nd, const tr_frame *const *f) {
  double H[144], u[12], sum = 0;
  int n = 2 * nd;
  coordinate_hessian(kind, nd, f, H);
  twists(nd, f, u);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) sum += u[i] * H[n * i + j] * u[j];
  return sum;
}

// A force T along a coordinate, T(x, x'): the wrench T g, and its tangent with T_x, T_x' given,
//   K = g (T_x g + T_x' (x')_q) + T H,  D = T_x' g g',  (x')_q = H' u
static inline void coordinate_pull(coordinate_kind kind, int nd, const tr_frame *const *f, double T,
                                   double *w) {
  coordinate_gradient(kind, nd, f, w);
  for (int i = 0; i < 2 * nd; i++) w[i] *= T;
}

static inline void coordinate_pull_tangent(coordinate_kind kind, int nd, const tr_frame *const *f,
                                           double T, double T_x, double T_rate, double *K,
                                           double *D) {
  double g[12], H[144], u[12];
  int n = 2 * nd;
  coordinate_gradient(kind, nd, f, g);
  coordinate_hessian(kind, nd, f, H);
  twists(nd, f, u);
  for (int j = 0; j < n; j++) {
    double rate_q = 0;
    for (int i = 0; i < n; i++) rate_q += H[n * i + j] * u[i];
    for (int i = 0; i < n; i++) {
      K[n * i + j] += g[i] * (T_x * g[j] + T_rate * rate_q) + T * H[n * i + j];
      D[n * i + j] += T_rate * g[i] * g[j];
    }
  }
}

#endif
