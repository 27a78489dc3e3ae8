// SPDX-License-Identifier: Apache-2.0
// Six springs and dampers at once between frames A and B: what bushings and beams are.
//
//   x = (R_A' d, theta)       place and rotation vector of B relative to A, in A's axes
//   F = F_0 - K (x - x_0) - C x'    on B, dual to x;   wrenches = (x by displacements)' F
// Everything below is in A's axes: a displacement (dp_A, dt_A, dp_B, dt_B) turned by R_A', likewise
// the twists u and the wrench. With the rotation's quaternion (c, eps), r = dt_B - dt_A, a = R_A' d:
//   da = dp_B - dp_A + a x dt_A,  dc = -eps.r/2,  deps = (c r - eps x r)/2
//   theta = f(c) eps,  f = 2 acos(c)/sqrt(1 - c^2),   dtheta = P r
//   P r  = f/2 (c r - eps x r) - f'/2 eps (eps.r),    P' F = f/2 (c F + eps x F) - f'/2 eps (eps.F)
// The turn is told up to 180 degrees.
#ifndef TR_SIX_H
#define TR_SIX_H

#include <string.h>

#include "elem.h"
#include "force.h"
#include "math/v3.h"

typedef struct six_par {
  double K[36], C[36], F0[6], x0[6]; // K symmetric
} six_par;

typedef struct six {
  double a[3], c, eps[3], f, f1, f2; // f and its derivatives by c
  double u[12];
  double x[6], rate[6], F[6], w[12];
} six;

// f, f', f'' by  (1 - c^2) f' = c f - 2,  or near c = 1 by the series
// f = sum a_k (1 - c)^k,  a_0 = 2,  a_k = a_k-1 k/(2 k + 1)
static inline void six_angle(double c, double *f, double *f1, double *f2) {
  double m = 1 - c;
  if (m > 0.05) {
    double s = 1 - c * c;
    *f = 2 * acos(c) / sqrt(s);
    *f1 = (c * *f - 2) / s;
    *f2 = (*f + 3 * c * *f1) / s;
    return;
  }
  double a[16] = {2};
  for (int k = 1; k < 16; k++) a[k] = a[k - 1] * k / (2 * k + 1);
  *f = *f1 = *f2 = 0;
  for (int k = 15; k >= 0; k--) {
    *f2 = *f2 * m + (k < 14 ? (k + 2) * (k + 1) * a[k + 2] : 0);
    *f1 = *f1 * m - (k < 15 ? (k + 1) * a[k + 1] : 0);
    *f = *f * m + a[k];
  }
}

// sign -1: P y; +1: P' y
static inline void six_P(const six *s, double sign, const double *y, double *out) {
  double cross[3], dot = v3_dot(s->eps, y);
  v3_cross(s->eps, y, cross);
  for (int i = 0; i < 3; i++)
    out[i] = 0.5 * s->f * (s->c * y[i] + sign * cross[i]) - 0.5 * s->f1 * s->eps[i] * dot;
}

// its change with dc, deps
static inline void six_dP(const six *s, double sign, double dc, const double *de, const double *y,
                          double *out) {
  double cross[3], dcross[3], dot = v3_dot(s->eps, y), ddot = v3_dot(de, y);
  v3_cross(s->eps, y, cross);
  v3_cross(de, y, dcross);
  for (int i = 0; i < 3; i++)
    out[i] = 0.5 * s->f1 * dc * (s->c * y[i] + sign * cross[i]) +
             0.5 * s->f * (dc * y[i] + sign * dcross[i]) - 0.5 * s->f2 * dc * s->eps[i] * dot -
             0.5 * s->f1 * (de[i] * dot + s->eps[i] * ddot);
}

// out = x by displacements times d (12)
static inline void six_forward(const six *s, const double *d, double *out) {
  double r[3];
  v3_cross(s->a, d + 3, out);
  for (int i = 0; i < 3; i++) out[i] += d[6 + i] - d[i], r[i] = d[9 + i] - d[3 + i];
  six_P(s, -1, r, out + 3);
}

// w (12) = its transpose times F (6)
static inline void six_back(const six *s, const double *F, double *w) {
  double lever[3];
  v3_cross(s->a, F, lever);
  six_P(s, 1, F + 3, w + 9);
  for (int i = 0; i < 3; i++) w[6 + i] = F[i], w[i] = -F[i], w[3 + i] = -lever[i] - w[9 + i];
}

static inline void six_times(const double *A, const double *x, double scale, double *y) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) y[i] += scale * A[6 * i + j] * x[j];
}

static inline six six_look(const six_par *p, const tr_frame *const *f) {
  six s;
  double d[3], R[9], e[4], y[6];
  const double *A = f[0]->R;
  v3_sub(f[1]->p, f[0]->p, d);
  m3_tmul(A, d, s.a);
  m3_tmulm(A, f[1]->R, R);
  m3_to_quat(R, e);
  double sign = e[0] < 0 ? -1 : 1;
  s.c = fmin(sign * e[0], 1);
  v3_scale(sign, e + 1, s.eps);
  six_angle(s.c, &s.f, &s.f1, &s.f2);
  m3_tmul(A, f[0]->v, s.u), m3_tmul(A, f[0]->w, s.u + 3);
  m3_tmul(A, f[1]->v, s.u + 6), m3_tmul(A, f[1]->w, s.u + 9);
  v3_copy(s.a, s.x), v3_scale(s.f, s.eps, s.x + 3);
  six_forward(&s, s.u, s.rate);
  for (int i = 0; i < 6; i++) y[i] = s.x[i] - p->x0[i], s.F[i] = p->F0[i];
  six_times(p->K, y, -1, s.F);
  six_times(p->C, s.rate, -1, s.F);
  six_back(&s, s.F, s.w);
  return s;
}

// The wrench's change with a displacement d, all in A's axes.
static inline void six_push(const six_par *p, const six *s, const double *d, double *dw) {
  double dx[6], r[3], de[3], du[12], drate[6], dF[6] = {0}, y[3], back[3];
  const double *u = s->u;
  six_forward(s, d, dx);
  v3_sub(d + 9, d + 3, r);
  v3_cross(s->eps, r, de);
  for (int i = 0; i < 3; i++) de[i] = 0.5 * (s->c * r[i] - de[i]);
  double dc = -0.5 * v3_dot(s->eps, r);
  for (int b = 0; b < 12; b += 3) v3_cross(u + b, d + 3, du + b); // A's axes turn
  six_forward(s, du, drate);
  v3_cross(dx, u + 3, y), v3_axpy(1, y, drate);
  v3_sub(u + 9, u + 3, r);
  six_dP(s, -1, dc, de, r, y), v3_axpy(1, y, drate + 3);
  six_times(p->K, dx, -1, dF);
  six_times(p->C, drate, -1, dF);
  six_back(s, dF, dw);
  six_dP(s, 1, dc, de, s->F + 3, back);
  v3_cross(dx, s->F, y);
  for (int i = 0; i < 3; i++) dw[9 + i] += back[i], dw[3 + i] -= back[i] + y[i];
  for (int b = 0; b < 12; b += 3) v3_cross(d + 3, s->w + b, y), v3_axpy(1, y, dw + b);
}

static inline void six_eval(const six_par *p, const tr_frame *const *f, double *w) {
  six s = six_look(p, f);
  for (int b = 0; b < 12; b += 3) m3_mul(f[0]->R, s.w + b, w + b);
}

// Column j: the global unit displacement j, into A's axes, pushed, and back.
static inline void six_tangent(const six_par *p, const tr_frame *const *f, double *K, double *D) {
  six s = six_look(p, f);
  const double *A = f[0]->R;
  for (int j = 0; j < 12; j++) {
    double d[12] = {0}, dw[12], back[3], rate[6], F[6] = {0};
    for (int i = 0; i < 3; i++) d[j / 3 * 3 + i] = A[3 * (j % 3) + i];
    six_push(p, &s, d, dw);
    for (int b = 0; b < 12; b += 3) {
      m3_mul(A, dw + b, back);
      for (int i = 0; i < 3; i++) K[12 * (b + i) + j] += back[i];
    }
    six_forward(&s, d, rate);
    six_times(p->C, rate, -1, F);
    six_back(&s, F, dw);
    for (int b = 0; b < 12; b += 3) {
      m3_mul(A, dw + b, back);
      for (int i = 0; i < 3; i++) D[12 * (b + i) + j] += back[i];
    }
  }
}

// (x - x_0)' K (x - x_0)/2 - F_0.x
static inline double six_potential(const six_par *p, const tr_frame *const *f) {
  six s = six_look(p, f);
  double y[6], Ky[6] = {0}, sum = 0;
  for (int i = 0; i < 6; i++) y[i] = s.x[i] - p->x0[i];
  six_times(p->K, y, 1, Ky);
  for (int i = 0; i < 6; i++) sum += 0.5 * y[i] * Ky[i] - p->F0[i] * s.x[i];
  return sum;
}

// ---- tables -------------------------------------------------------------------------------------

// Parameters of a type begin with a six_par. The plane is a part of space.
static const char *const six_names2[] = {"fx", "fy", "tz", NULL};
static const char *const six_names3[] = {"fx", "fy", "fz", "tx", "ty", "tz", NULL};

static void six_eval2(const void *p, double t, const tr_frame *const *f, const double *mem,
                      double *w) {
  tr_frame g[2];
  const tr_frame *pg[2] = {&g[0], &g[1]};
  double full[12];
  (void)t, (void)mem;
  embed(f[0], &g[0]), embed(f[1], &g[1]);
  six_eval(p, pg, full);
  for (int i = 0; i < 6; i++) w[i] = full[in_plane[i]];
}

static void six_tangent2(const void *p, double t, const tr_frame *const *f, const double *mem,
                         double *K, double *D) {
  tr_frame g[2];
  const tr_frame *pg[2] = {&g[0], &g[1]};
  double K3[144] = {0}, D3[144] = {0};
  (void)t, (void)mem;
  embed(f[0], &g[0]), embed(f[1], &g[1]);
  six_tangent(p, pg, K3, D3);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      K[6 * i + j] = K3[12 * in_plane[i] + in_plane[j]];
      D[6 * i + j] = D3[12 * in_plane[i] + in_plane[j]];
    }
}

static double six_potential2(const void *p, double t, const tr_frame *const *f, const double *mem) {
  tr_frame g[2];
  const tr_frame *pg[2] = {&g[0], &g[1]};
  (void)t, (void)mem;
  embed(f[0], &g[0]), embed(f[1], &g[1]);
  return six_potential(p, pg);
}

static void six_measure2(const void *p, double t, const tr_frame *const *f, const double *mem,
                         double *out) {
  double w[6];
  six_eval2(p, t, f, mem, w);
  memcpy(out, w + 3, 3 * sizeof *out);
}

static void six_eval3(const void *p, double t, const tr_frame *const *f, const double *mem,
                      double *w) {
  (void)t, (void)mem;
  six_eval(p, f, w);
}

static void six_tangent3(const void *p, double t, const tr_frame *const *f, const double *mem,
                         double *K, double *D) {
  (void)t, (void)mem;
  six_tangent(p, f, K, D);
}

static double six_potential3(const void *p, double t, const tr_frame *const *f, const double *mem) {
  (void)t, (void)mem;
  return six_potential(p, f);
}

static void six_measure3(const void *p, double t, const tr_frame *const *f, const double *mem,
                         double *out) {
  double w[12];
  (void)t, (void)mem;
  six_eval(p, f, w);
  memcpy(out, w + 6, 6 * sizeof *out);
}

static const tr_force_ops six_planar = {.uses_velocity = true,
                                        .uses_moments = true,
                                        .eval = six_eval2,
                                        .tangent = six_tangent2,
                                        .potential = six_potential2,
                                        .measure_names = six_names2,
                                        .measure = six_measure2};
static const tr_force_ops six_spatial = {.uses_velocity = true,
                                         .uses_moments = true,
                                         .eval = six_eval3,
                                         .tangent = six_tangent3,
                                         .potential = six_potential3,
                                         .measure_names = six_names3,
                                         .measure = six_measure3};

#endif
