// SPDX-License-Identifier: Apache-2.0
// The constraint primitives from which joints are put together.
//
// Between frame A (axes a_i) and frame B (axes b_j), d = p_B - p_A; in order dp_A, dt_A, dp_B, dt_B:
//   POINT      phi = d            3 rows   G = (-1, 0, 1, 0)
//   DOT1(i,j)  phi = a_i . b_j    n = a x b:  G = (0, n, 0, -n),        dn = [b][a] dt_A - [a][b] dt_B
//   DOT2(i)    phi = a_i . d      G = (-a, a x d, a, 0),                da = -[a] dt_A
// A spatial joint is a list of them; TR_PRIMITIVE_OPS writes its functions, TR_MADE_OF in its table says that there is
// nothing else: rigid bodies then write rows of four such joints at once (spatial_joints.h).
#ifndef TR_PRIMITIVE_H
#define TR_PRIMITIVE_H

#include <string.h>

#include "elem.h"
#include "math/lanes.h"
#include "math/v3.h"

typedef enum prim_kind { POINT, DOT1, DOT2 } prim_kind;
typedef struct prim {
  prim_kind kind;
  int i, j;
} prim;

enum { X, Y, Z };

// What a joint pulls with: a force on A, its opposite on B, and torques. In registers until all rows have added to it.
typedef struct prim_pull {
  double f[3], a[3], b[3];
} prim_pull;

static inline void prim_twist(double lam, const double *c, prim_pull *p) {
  for (int i = 0; i < 3; i++) {
    double x = lam * c[i];
    p->a[i] -= x, p->b[i] += x;
  }
}

static inline void prim_put(const prim_pull *p, double *w) {
  for (int i = 0; i < 3; i++) w[i] = p->f[i], w[3 + i] = p->a[i];
  for (int i = 0; i < 3; i++) w[6 + i] = -p->f[i], w[9 + i] = p->b[i];
}

TR_INLINE void prim_eval(const prim *p, int n, const tr_frame *const *f, const double *lam,
                         double *phi, double *w) {
  double d[3], a[3], b[3], c[3];
  prim_pull pull = {0};
  v3_sub(f[1]->p, f[0]->p, d);
#pragma GCC unroll 6
  for (int k = 0, r = 0; k < n; k++, p++) {
    if (p->kind == POINT) {
      v3_copy(d, phi + r);
      if (lam) v3_axpy(1, lam + r, pull.f);
      r += 3;
      continue;
    }
    m3_axis(f[0]->R, p->i, a);
    if (p->kind == DOT1) {
      m3_axis(f[1]->R, p->j, b);
      phi[r] = v3_dot(a, b);
      if (lam) {
        v3_cross(a, b, c);
        prim_twist(lam[r], c, &pull);
      }
    } else {
      phi[r] = v3_dot(a, d);
      if (lam) {
        v3_cross(a, d, c);
        v3_axpy(lam[r], a, pull.f), v3_axpy(-lam[r], c, pull.a);
      }
    }
    r++;
  }
  if (lam) prim_put(&pull, w);
}

static inline void prim_jac(const prim *p, int n, int rows, const tr_frame *const *f, double *G) {
  double d[3], a[3], b[3], c[3];
  v3_sub(f[1]->p, f[0]->p, d);
  memset(G, 0, 12 * (size_t)rows * sizeof *G);
  for (int k = 0; k < n; k++, p++) {
    if (p->kind == POINT) {
      for (int i = 0; i < 3; i++, G += 12) G[i] = -1, G[6 + i] = 1;
      continue;
    }
    m3_axis(f[0]->R, p->i, a);
    if (p->kind == DOT1) {
      m3_axis(f[1]->R, p->j, b);
      v3_cross(a, b, c);
      v3_copy(c, G + 3), v3_scale(-1, c, G + 9);
    } else {
      v3_cross(a, d, c);
      v3_scale(-1, a, G), v3_copy(c, G + 3), v3_copy(a, G + 6);
    }
    G += 12;
  }
}

// K (12 x 12) += s S at block row i, column j of 3 x 3 blocks.
static inline void add_block(double *K, int i, int j, double s, const double *S) {
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) K[12 * (3 * i + r) + 3 * j + c] += s * S[3 * r + c];
}

static inline void prim_geom(const prim *p, int n, const tr_frame *const *f, const double *lam,
                             double *K) {
  double d[3], a[3], b[3], S[9];
  v3_sub(f[1]->p, f[0]->p, d);
  for (int k = 0; k < n; k++, p++) {
    if (p->kind == POINT) {
      lam += 3;
      continue;
    }
    m3_axis(f[0]->R, p->i, a);
    if (p->kind == DOT1) {
      m3_axis(f[1]->R, p->j, b);
      m3_skew2(b, a, S);
      add_block(K, 1, 1, *lam, S), add_block(K, 3, 1, -*lam, S);
      m3_skew2(a, b, S);
      add_block(K, 1, 3, -*lam, S), add_block(K, 3, 3, *lam, S);
    } else {
      m3_skew2(d, a, S);
      add_block(K, 1, 1, *lam, S);
      m3_skew(a, S);
      add_block(K, 0, 1, *lam, S), add_block(K, 2, 1, -*lam, S);
      add_block(K, 1, 2, *lam, S), add_block(K, 1, 0, -*lam, S);
    }
    lam++;
  }
}

// DOT1: (a x b).(w_A - w_B);  DOT2: a.d' + (a x d).w_A
TR_INLINE void prim_rate(const prim *p, int n, const tr_frame *const *f, double *out) {
  double d[3], dv[3], a[3], b[3], c[3], w[3];
  v3_sub(f[1]->p, f[0]->p, d);
  v3_sub(f[1]->v, f[0]->v, dv);
  v3_sub(f[0]->w, f[1]->w, w);
#pragma GCC unroll 6
  for (int k = 0; k < n; k++, p++) {
    if (p->kind == POINT) {
      v3_copy(dv, out);
      out += 3;
      continue;
    }
    m3_axis(f[0]->R, p->i, a);
    if (p->kind == DOT1) {
      m3_axis(f[1]->R, p->j, b);
      v3_cross(a, b, c);
      *out++ = v3_dot(c, w);
    } else {
      v3_cross(a, d, c);
      *out++ = v3_dot(a, dv) + v3_dot(c, f[0]->w);
    }
  }
}

// The same for lam and mu, side by side; what of it is not zero is known where it is compiled.
typedef struct prim_pulls {
  lanes_pair f[3], a[3], b[3]; // the force on A, the torque on A from it, that on B
  bool has_f, has_a, has_b;
} prim_pulls;

TR_INLINE void prim_add(bool *has, const lanes_pair *s, const double *x, lanes_pair *to) {
  for (int i = 0; i < 3; i++) {
    lanes_pair y = *s * x[i];
    if (*has) y = to[i] + y;
    to[i] = y;
  }
  *has = true;
}

// One number of each pair: those of lam, or of mu. Torques on A are the opposite of those on B, or have a sum of their own.
TR_INLINE void prim_put_one(const prim_pulls *p, int k, double *restrict A, double *restrict B) {
  for (int i = 0; i < 3; i++) {
    double f = p->has_f ? p->f[i][k] : 0, b = p->has_b ? p->b[i][k] : 0;
    A[i] = f, B[i] = -f;
    A[3 + i] = -(p->has_a ? p->a[i][k] : b), B[3 + i] = b;
  }
}

// prim_eval with lam and with mu, and prim_rate.
TR_INLINE void prim_two(const prim *p, int n, const tr_frame *const *f, const tr_joint_two *io) {
  double d[3], dv[3], a[3], b[3], c[3], u[3];
  double *restrict phi = io->phi, *restrict rate = io->rate;
  const double *lam = io->lam, *mu = io->mu;
  prim_pulls pulls = {0};
  bool levers = false;
#pragma GCC unroll 6
  for (int k = 0; k < n; k++) levers |= p[k].kind == DOT2;
  v3_sub(f[1]->p, f[0]->p, d);
  v3_sub(f[1]->v, f[0]->v, dv);
  v3_sub(f[0]->w, f[1]->w, u);
#pragma GCC unroll 6
  for (int k = 0, r = 0; k < n; k++, p++) {
    lanes_pair both = {lam[r], mu[r]};
    if (p->kind == POINT) {
      v3_copy(d, phi + r), v3_copy(dv, rate + r);
      for (int i = 0; i < 3; i++) {
        lanes_pair x = {lam[r + i], mu[r + i]};
        if (pulls.has_f) x = pulls.f[i] + x;
        pulls.f[i] = x;
      }
      pulls.has_f = true;
      r += 3;
      continue;
    }
    m3_axis(f[0]->R, p->i, a);
    if (p->kind == DOT1) {
      m3_axis(f[1]->R, p->j, b);
      v3_cross(a, b, c);
      phi[r] = v3_dot(a, b), rate[r] = v3_dot(c, u);
      prim_add(&pulls.has_b, &both, c, pulls.b);
      if (levers) prim_add(&pulls.has_a, &both, c, pulls.a);
    } else {
      v3_cross(a, d, c);
      phi[r] = v3_dot(a, d), rate[r] = v3_dot(a, dv) + v3_dot(c, f[0]->w);
      prim_add(&pulls.has_f, &both, a, pulls.f), prim_add(&pulls.has_a, &both, c, pulls.a);
    }
    r++;
  }
  int apart = io->apart ? io->apart : 6;
  prim_put_one(&pulls, 0, io->w, io->w + apart);
  prim_put_one(&pulls, 1, io->w2, io->w2 + apart);
}

// DOT1: (a' x b + a x b').(w_A - w_B);  DOT2: 2 a'.d' + (w_A x a').d;  a' = w_A x a, b' = w_B x b
static inline void prim_gamma(const prim *p, int n, const tr_frame *const *f, double *out) {
  double d[3], dv[3], a[3], b[3], at[3], bt[3], x[3], y[3], w[3];
  v3_sub(f[1]->p, f[0]->p, d);
  v3_sub(f[1]->v, f[0]->v, dv);
  v3_sub(f[0]->w, f[1]->w, w);
  for (int k = 0; k < n; k++, p++) {
    if (p->kind == POINT) {
      for (int i = 0; i < 3; i++) *out++ = 0;
      continue;
    }
    m3_axis(f[0]->R, p->i, a);
    v3_cross(f[0]->w, a, at);
    if (p->kind == DOT1) {
      m3_axis(f[1]->R, p->j, b);
      v3_cross(f[1]->w, b, bt);
      v3_cross(at, b, x);
      v3_cross(a, bt, y);
      *out++ = v3_dot(x, w) + v3_dot(y, w);
    } else {
      v3_cross(f[0]->w, at, x);
      *out++ = 2 * v3_dot(at, dv) + v3_dot(x, d);
    }
  }
}

// Rotation of B about A's z axis, in (-pi, pi].
static inline double angle_about_z(const tr_frame *A, const tr_frame *B) {
  double s = 0, c = 0;
  for (int i = 0; i < 3; i++) c += A->R[3 * i] * B->R[3 * i], s += A->R[3 * i + 1] * B->R[3 * i];
  return atan2(s, c);
}

// Distance of B along A's axis i.
static inline double way_along(const tr_frame *const *f, int i) {
  double d[3], a[3];
  v3_sub(f[1]->p, f[0]->p, d);
  m3_axis(f[0]->R, i, a);
  return v3_dot(a, d);
}

// Whole turns are counted by what is remembered of the last accepted step, TURN_MEM numbers: the angle,
// its rate and the time. They foretell the angle; the one congruent to x that is nearest is meant. So
// a step may turn by any angle, while its rate changes by less than half a turn in the step.
enum { TURN_ANGLE, TURN_RATE, TURN_TIME, TURN_MEM };

static inline double turns_of(double x, double t, const double *mem) {
  double foretold = mem[TURN_ANGLE] + mem[TURN_RATE] * (t - mem[TURN_TIME]);
  return nearbyint((foretold - x) / (2 * TR_PI));
}

static inline double unwrap(double x, double t, const double *mem) {
  return x + 2 * TR_PI * turns_of(x, t, mem);
}

// For `accept`; frames with velocities.
static inline void turn_remember(double x, double rate, double t, double *mem) {
  mem[TURN_ANGLE] = unwrap(x, t, mem), mem[TURN_RATE] = rate, mem[TURN_TIME] = t;
}

// w_B - w_A along an axis of frame f[k].
static inline double spin_about(const tr_frame *const *f, int k, int i) {
  double w[3], axis[3];
  v3_sub(f[1]->w, f[0]->w, w);
  m3_axis(f[k]->R, i, axis);
  return v3_dot(axis, w);
}

// The angle about A's z axis of frames whose z axes stay together.
static inline double hinge_angle(const tr_frame *const *f, double t, const double *mem) {
  return unwrap(angle_about_z(f[0], f[1]), t, mem);
}

static inline void hinge_remember(const tr_frame *const *f, double t, double *mem) {
  turn_remember(angle_about_z(f[0], f[1]), spin_about(f, 0, Z), t, mem);
}

#define TR_MADE_OF(list) .prims = (list), .nprim = sizeof(list) / sizeof *(list)

#define TR_PRIMITIVE_OPS(prims, rows)                                                       \
  static void eval3(const void *par, double t, const tr_frame *const *f, const double *mem, \
                    const double *lam, double *phi, double *w) {                            \
    (void)par, (void)t, (void)mem;                                                          \
    prim_eval(prims, sizeof prims / sizeof *prims, f, lam, phi, w);                         \
  }                                                                                         \
  static void jac3(const void *par, double t, const tr_frame *const *f, double *G) {        \
    (void)par, (void)t;                                                                     \
    prim_jac(prims, sizeof prims / sizeof *prims, rows, f, G);                              \
  }                                                                                         \
  static void geom3(const void *par, double t, const tr_frame *const *f, const double *lam, \
                    double *K) {                                                            \
    (void)par, (void)t;                                                                     \
    prim_geom(prims, sizeof prims / sizeof *prims, f, lam, K);                              \
  }                                                                                         \
  static void gamma3(const void *par, double t, const tr_frame *const *f, double *out) {    \
    (void)par, (void)t;                                                                     \
    prim_gamma(prims, sizeof prims / sizeof *prims, f, out);                                \
  }                                                                                         \
  static void rate3(const void *par, double t, const tr_frame *const *f, double *out) {     \
    (void)par, (void)t;                                                                     \
    prim_rate(prims, sizeof prims / sizeof *prims, f, out);                                 \
  }                                                                                         \
  TR_INLINE void two_of(const tr_frame *const *f, const tr_joint_two *io) {                 \
    prim_two(prims, sizeof prims / sizeof *prims, f, io);                                   \
  }                                                                                         \
  TR_WIDE(two_wide, two_of, (const tr_frame *const *f, const tr_joint_two *io), (f, io))    \
  static void two3(const void *par, double t, const tr_frame *const *f, const double *mem,  \
                   const tr_joint_two *io) {                                                \
    (void)par, (void)t, (void)mem;                                                          \
    two_wide(f, io);                                                                        \
  }

#endif
