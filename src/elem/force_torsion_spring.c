// SPDX-License-Identifier: Apache-2.0
// Rotational spring-damper-actuator about the z axis.
//
// Planar: x = t_B - t_A. Spatial: x = atan2(s, c), s = y_A . x_B, c = x_A . x_B, meant for frames whose
// z axes stay together; g = dx/dt_B = (s n1 - c n2)/(c^2 + s^2), n1 = x_A x x_B, n2 = y_A x x_B.
//   T = -k (x - x0) - c x' + T0,   x' = g.(w_B - w_A),   +T g on B, -T g on A
// Whole turns count: the spatial angle is continued from step to step (mem[0]).
#include <math.h>

#include "elem.h"
#include "primitive.h"

typedef struct par {
  double stiffness, damping, free_angle, torque;
} par;

static const tr_field fields[] = {
    {"stiffness", TR_REAL, TR_TORSION_STIFFNESS, offsetof(par, stiffness), "0", .min = 0,
     .max = INFINITY, .doc = "k"},
    {"damping", TR_REAL, TR_TORSION_DAMPING, offsetof(par, damping), "0", .min = 0, .max = INFINITY,
     .doc = "c"},
    {"free-angle", TR_REAL, TR_ANGLE, offsetof(par, free_angle), "0",
     .doc = "angle without torque"},
    {"torque", TR_REAL, TR_TORQUE, offsetof(par, torque), "0",
     .doc = "actuator torque, turns B forward against A"},
    {0}};

static double law(const par *p, double x, double rate) {
  return -p->stiffness * (x - p->free_angle) - p->damping * rate + p->torque;
}

static double energy(const par *p, double x) {
  double y = x - p->free_angle;
  return 0.5 * p->stiffness * y * y - p->torque * x;
}

static void eval2(const void *pv, double t, const tr_frame *const *f, const double *mem,
                  double *w) {
  (void)t, (void)mem;
  double T = law(pv, f[1]->angle - f[0]->angle, f[1]->w[2] - f[0]->w[2]);
  w[0] = w[1] = w[3] = w[4] = 0;
  w[2] = -T, w[5] = T;
}

static void tangent2(const void *pv, double t, const tr_frame *const *f, const double *mem,
                     double *K, double *D) {
  (void)t, (void)f, (void)mem;
  const par *p = pv;
  K[6 * 2 + 2] = K[6 * 5 + 5] = -p->stiffness, K[6 * 2 + 5] = K[6 * 5 + 2] = p->stiffness;
  D[6 * 2 + 2] = D[6 * 5 + 5] = -p->damping, D[6 * 2 + 5] = D[6 * 5 + 2] = p->damping;
}

static double potential2(const void *pv, double t, const tr_frame *const *f, const double *mem) {
  (void)t, (void)mem;
  return energy(pv, f[1]->angle - f[0]->angle);
}

static void measure2(const void *pv, double t, const tr_frame *const *f, const double *mem,
                     double *out) {
  (void)t, (void)mem;
  double x = f[1]->angle - f[0]->angle, rate = f[1]->w[2] - f[0]->w[2];
  out[0] = law(pv, x, rate), out[1] = x, out[2] = rate;
}

typedef struct twist {
  double ax[3], ay[3], bx[3]; // axes of A and B
  double n1[3], n2[3], s, c, D, g[3], x, rate, w[3];
} twist;

static twist look(const tr_frame *const *f, const double *mem) {
  twist k;
  m3_axis(f[0]->R, X, k.ax), m3_axis(f[0]->R, Y, k.ay), m3_axis(f[1]->R, X, k.bx);
  v3_cross(k.ax, k.bx, k.n1), v3_cross(k.ay, k.bx, k.n2);
  k.s = v3_dot(k.ay, k.bx), k.c = v3_dot(k.ax, k.bx), k.D = k.c * k.c + k.s * k.s;
  for (int i = 0; i < 3; i++) k.g[i] = (k.s * k.n1[i] - k.c * k.n2[i]) / k.D;
  k.x = unwrap(atan2(k.s, k.c), mem[0]);
  v3_sub(f[1]->w, f[0]->w, k.w);
  k.rate = v3_dot(k.g, k.w);
  return k;
}

static void eval3(const void *pv, double t, const tr_frame *const *f, const double *mem,
                  double *w) {
  (void)t;
  twist k = look(f, mem);
  double T = law(pv, k.x, k.rate);
  for (int i = 0; i < 3; i++) w[i] = w[6 + i] = 0, w[9 + i] = T * k.g[i], w[3 + i] = -w[9 + i];
}

// g = N/D by dt_A (first three columns) and dt_B: with ds = n2.(dt_A - dt_B), dc = n1.(dt_A - dt_B),
// dn_i = [b][a_i] dt_A - [a_i][b] dt_B,
//   dN = n1 ds + s dn1 - n2 dc - c dn2,  dD = 2 (c dc + s ds),  dg = (dN - g dD)/D
static void direction_tangent(const twist *k, double dg[3][6]) {
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

static void tangent3(const void *pv, double t, const tr_frame *const *f, const double *mem,
                     double *K, double *D) {
  (void)t;
  const par *p = pv;
  twist k = look(f, mem);
  double T = law(p, k.x, k.rate), dg[3][6];
  direction_tangent(&k, dg);
  for (int j = 0; j < 6; j++) {
    double sign = j < 3 ? -1 : 1; // dx = g.(dt_B - dt_A)
    double drate = 0;
    for (int i = 0; i < 3; i++) drate += dg[i][j] * k.w[i];
    double dT = -p->stiffness * sign * k.g[j % 3] - p->damping * drate;
    double dTv = -p->damping * sign * k.g[j % 3];
    int col = j < 3 ? 3 + j : 6 + j;
    for (int i = 0; i < 3; i++) {
      double dw = dT * k.g[i] + T * dg[i][j], dv = dTv * k.g[i];
      K[12 * (9 + i) + col] += dw, K[12 * (3 + i) + col] -= dw;
      D[12 * (9 + i) + col] += dv, D[12 * (3 + i) + col] -= dv;
    }
  }
}

static double potential3(const void *pv, double t, const tr_frame *const *f, const double *mem) {
  (void)t;
  return energy(pv, look(f, mem).x);
}

static void measure3(const void *pv, double t, const tr_frame *const *f, const double *mem,
                     double *out) {
  (void)t;
  twist k = look(f, mem);
  out[0] = law(pv, k.x, k.rate), out[1] = k.x, out[2] = k.rate;
}

static void accept(const void *pv, double t, const tr_frame *const *f, double *mem) {
  (void)pv, (void)t;
  mem[0] = unwrap(angle_about_z(f[0], f[1]), mem[0]);
}

static const char *const names[] = {"f", "angle", "rate", NULL};
static const tr_force_ops planar = {.uses_velocity = true,
                                    .uses_moments = true,
                                    .eval = eval2,
                                    .tangent = tangent2,
                                    .potential = potential2,
                                    .measure_names = names,
                                    .measure = measure2};
static const tr_force_ops spatial = {.uses_velocity = true,
                                     .uses_moments = true,
                                     .eval = eval3,
                                     .tangent = tangent3,
                                     .potential = potential3,
                                     .measure_names = names,
                                     .measure = measure3};

const tr_force_type tr_force_torsion_spring = {
    .name = "torsion-spring",
    .doc = "rotational spring, damper and actuator about the z axis",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .nmem = 1,
    .planar = &planar,
    .spatial = &spatial,
    .accept = accept,
};
