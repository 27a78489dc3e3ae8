// SPDX-License-Identifier: Apache-2.0
// Measures of frames and their derivatives by the frames' displacements and twists.
//
// d = p_to - p_from, c an axis of `along` (dc = dt x c), u = d/|d|:
//   way       c.d      dp_to c, dp_from -c, dt_along c x d
//   distance  |d|      dp_to u, dp_from -u,  du = (1 - u u') dd/|d|
//   angle     atan2(s, k),  s = a_j.b_i, k = a_i.b_i,  a of `from`, b of `to`, (axis, i, j) cyclic
//             dt_to g, dt_from -g,  g = (s n1 - k n2)/(k^2 + s^2),  n1 = a_i x b_i, n2 = a_j x b_i
// Planar frames are looked at as spatial ones that only turn about z; their angles are not bounded.
#include <string.h>

#include "law.h"
#include "math/v3.h"

typedef enum part { PLACE, TURN } part;

// ---- frames, planar or spatial, or the global one ---------------------------------------------------

static void place(const tr_frame *const *f, int k, int nd, double p[3]) {
  for (int i = 0; i < 3; i++) p[i] = k < 0 || (nd == 3 && i == 2) ? 0 : f[k]->p[i];
}

static void velocity(const tr_frame *const *f, int k, int nd, double v[3]) {
  for (int i = 0; i < 3; i++) v[i] = k < 0 || (nd == 3 && i == 2) ? 0 : f[k]->v[i];
}

static void spin(const tr_frame *const *f, int k, int nd, double w[3]) {
  for (int i = 0; i < 3; i++) w[i] = k < 0 || (nd == 3 && i < 2) ? 0 : f[k]->w[i];
}

static void axis_of(const tr_frame *const *f, int k, int nd, int axis, double c[3]) {
  if (k >= 0 && nd == 6) {
    m3_axis(f[k]->R, axis, c);
    return;
  }
  for (int i = 0; i < 3; i++) c[i] = i == axis;
  if (k >= 0 && axis < 2) c[0] = f[k]->R[axis], c[1] = f[k]->R[3 + axis];
}

// g += s a, on a part of frame k
static void add(double *g, int nd, int k, part which, double s, const double a[3]) {
  if (k < 0 || !g) return;
  g += k * nd;
  if (nd == 6)
    v3_axpy(s, a, g + (which == TURN ? 3 : 0));
  else if (which == TURN)
    g[2] += s * a[2];
  else
    g[0] += s * a[0], g[1] += s * a[1];
}

// H += s S: rows of a part of frame k, columns of a part of frame l
static void add_block(double *H, int n, int nd, int k, part row, int l, part column, double s,
                      const double S[9]) {
  if (k < 0 || l < 0) return;
  H += k * nd * n + l * nd;
  int r0 = 0, r1 = 3, c0 = 0, c1 = 3, up = 0, right = 0;
  if (nd == 6) {
    up = row == TURN ? 3 : 0, right = column == TURN ? 3 : 0;
  } else { // the place has x and y, the turn only z, which comes third
    if (row == TURN)
      r0 = 2;
    else
      r1 = 2;
    if (column == TURN)
      c0 = 2;
    else
      c1 = 2;
  }
  for (int r = r0; r < r1; r++)
    for (int c = c0; c < c1; c++) H[(up + r) * n + right + c] += s * S[3 * r + c];
}

// ---- what a measure looks at ------------------------------------------------------------------------

typedef struct pair {
  double d[3], L, u[3]; // p_to - p_from, its length and direction (zero when they coincide)
  double dv[3], dw[3], c[3];
} pair;

static pair look(const law_input *m, int nd, const tr_frame *const *f, bool moving) {
  pair x;
  double a[3], b[3];
  place(f, m->to, nd, a), place(f, m->from, nd, b);
  v3_sub(a, b, x.d);
  x.L = v3_norm(x.d);
  v3_scale(x.L > 0 ? 1 / x.L : 0, x.d, x.u);
  axis_of(f, m->along, nd, m->axis, x.c);
  if (!moving) return x;
  velocity(f, m->to, nd, a), velocity(f, m->from, nd, b);
  v3_sub(a, b, x.dv);
  spin(f, m->to, nd, a), spin(f, m->from, nd, b);
  v3_sub(a, b, x.dw);
  return x;
}

typedef struct turning {
  double ai[3], aj[3], bi[3], n1[3], n2[3], s, k, D, g[3];
} turning;

static turning turn_of(const law_input *m, int nd, const tr_frame *const *f) {
  turning x;
  int i = (m->axis + 1) % 3, j = (m->axis + 2) % 3;
  axis_of(f, m->from, nd, i, x.ai), axis_of(f, m->from, nd, j, x.aj);
  axis_of(f, m->to, nd, i, x.bi);
  v3_cross(x.ai, x.bi, x.n1), v3_cross(x.aj, x.bi, x.n2);
  x.s = v3_dot(x.aj, x.bi), x.k = v3_dot(x.ai, x.bi), x.D = x.k * x.k + x.s * x.s;
  for (int r = 0; r < 3; r++) x.g[r] = (x.s * x.n1[r] - x.k * x.n2[r]) / x.D;
  return x;
}

static double planar_angle(const tr_frame *const *f, int k) { return k < 0 ? 0 : f[k]->angle; }

// ---- value and derivatives --------------------------------------------------------------------------

double measure_value(const law_input *m, int nd, const tr_frame *const *f) {
  if (m->kind == LAW_ANGLE) {
    if (nd == 3) return m->axis == 2 ? planar_angle(f, m->to) - planar_angle(f, m->from) : 0;
    turning x = turn_of(m, nd, f);
    return atan2(x.s, x.k);
  }
  if (m->kind == LAW_STATE) return f[m->to]->p[0];
  if (m->kind == LAW_VALUE) return f[m->to]->v[0];
  pair x = look(m, nd, f, m->kind >= LAW_VELOCITY);
  switch (m->kind) {
    case LAW_WAY: return v3_dot(x.c, x.d);
    case LAW_DISTANCE: return x.L;
    case LAW_VELOCITY: return v3_dot(x.c, x.dv);
    case LAW_SPEED: return v3_norm(x.dv);
    case LAW_RADIAL: return v3_dot(x.u, x.dv);
    case LAW_SPIN: return v3_dot(x.c, x.dw);
    default: return 0;
  }
}

// s a on the part of `to`, -s a on that of `from`
static void add_both(const law_input *m, double *g, int nd, part which, double s,
                     const double a[3]) {
  add(g, nd, m->to, which, s, a);
  add(g, nd, m->from, which, -s, a);
}

static void add_angle_slope(const law_input *m, int nd, const tr_frame *const *f, double s,
                            double *q) {
  static const double z[3] = {0, 0, 1};
  if (nd == 3) {
    if (m->axis == 2) add_both(m, q, nd, TURN, s, z);
    return;
  }
  turning x = turn_of(m, nd, f);
  add_both(m, q, nd, TURN, s, x.g);
}

void measure_add_slope(const law_input *m, int nd, const tr_frame *const *f, double s, double *q,
                       double *v) {
  double a[3];
  if (m->kind == LAW_ANGLE) {
    add_angle_slope(m, nd, f, s, q);
    return;
  }
  if (m->kind == LAW_STATE || m->kind == LAW_VALUE) {
    double *by = m->kind == LAW_STATE ? q : v;
    if (by) by[m->to * nd] += s;
    return;
  }
  pair x = look(m, nd, f, m->kind >= LAW_VELOCITY);
  switch (m->kind) {
    case LAW_WAY:
      add_both(m, q, nd, PLACE, s, x.c);
      v3_cross(x.c, x.d, a);
      add(q, nd, m->along, TURN, s, a);
      break;
    case LAW_DISTANCE: add_both(m, q, nd, PLACE, s, x.u); break;
    case LAW_VELOCITY:
      add_both(m, v, nd, PLACE, s, x.c);
      v3_cross(x.c, x.dv, a);
      add(q, nd, m->along, TURN, s, a);
      break;
    case LAW_SPIN:
      add_both(m, v, nd, TURN, s, x.c);
      v3_cross(x.c, x.dw, a);
      add(q, nd, m->along, TURN, s, a);
      break;
    case LAW_SPEED: {
      double speed = v3_norm(x.dv);
      if (speed > 0) add_both(m, v, nd, PLACE, s / speed, x.dv);
      break;
    }
    case LAW_RADIAL:
      add_both(m, v, nd, PLACE, s, x.u);
      if (x.L == 0) break;
      v3_copy(x.dv, a);
      v3_axpy(-v3_dot(x.u, x.dv), x.u, a);
      add_both(m, q, nd, PLACE, s / x.L, a);
      break;
    default: break;
  }
}

// ---- second derivatives -----------------------------------------------------------------------------

// s S between the places, or turns, of `to` and `from`
static void add_pair_block(const law_input *m, int nd, part which, double s, const double S[9],
                           int n, double *H) {
  add_block(H, n, nd, m->to, which, m->to, which, s, S);
  add_block(H, n, nd, m->to, which, m->from, which, -s, S);
  add_block(H, n, nd, m->from, which, m->to, which, -s, S);
  add_block(H, n, nd, m->from, which, m->from, which, s, S);
}

// (1 - u u')/length
static void across(const double u[3], double length, double P[9]) {
  for (int i = 0; i < 9; i++) P[i] = ((i % 4 == 0) - u[i / 3] * u[i % 3]) / length;
}

static void add_way_hessian(const law_input *m, int nd, const pair *x, double s, int n, double *H) {
  double C[9], DC[9];
  m3_skew(x->c, C), m3_skew2(x->d, x->c, DC);
  add_block(H, n, nd, m->to, PLACE, m->along, TURN, -s, C);
  add_block(H, n, nd, m->from, PLACE, m->along, TURN, s, C);
  add_block(H, n, nd, m->along, TURN, m->to, PLACE, s, C);
  add_block(H, n, nd, m->along, TURN, m->from, PLACE, -s, C);
  add_block(H, n, nd, m->along, TURN, m->along, TURN, s, DC);
}

static void add_distance_hessian(const law_input *m, int nd, const pair *x, double s, int n,
                                 double *H) {
  double P[9];
  if (x->L == 0) return;
  across(x->u, x->L, P);
  add_pair_block(m, nd, PLACE, s, P, n, H);
}

// dg by dt_from and dt_to: with ds = n2.(dt_from - dt_to), dk = n1.(dt_from - dt_to),
// dn = [b][a] dt_from - [a][b] dt_to, N = D g:
//   dN = n1 ds + s dn1 - n2 dk - k dn2,  dD = 2 (k dk + s ds),  dg = (dN - g dD)/D
static void add_angle_hessian(const law_input *m, int nd, const tr_frame *const *f, double s, int n,
                              double *H) {
  double A1[9], A2[9], B1[9], B2[9], by_from[9], by_to[9];
  turning x = turn_of(m, nd, f);
  m3_skew2(x.bi, x.ai, A1), m3_skew2(x.bi, x.aj, A2);
  m3_skew2(x.ai, x.bi, B1), m3_skew2(x.aj, x.bi, B2);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      double dD = 2 * (x.k * x.n1[c] + x.s * x.n2[c]);
      double both = x.n1[r] * x.n2[c] - x.n2[r] * x.n1[c] - x.g[r] * dD;
      by_from[3 * r + c] = (both + x.s * A1[3 * r + c] - x.k * A2[3 * r + c]) / x.D;
      by_to[3 * r + c] = (-both - x.s * B1[3 * r + c] + x.k * B2[3 * r + c]) / x.D;
    }
  add_block(H, n, nd, m->to, TURN, m->from, TURN, s, by_from);
  add_block(H, n, nd, m->to, TURN, m->to, TURN, s, by_to);
  add_block(H, n, nd, m->from, TURN, m->from, TURN, -s, by_from);
  add_block(H, n, nd, m->from, TURN, m->to, TURN, -s, by_to);
}

void measure_add_hessian(const law_input *m, int nd, const tr_frame *const *f, double s, int n,
                         double *H) {
  if (m->kind == LAW_ANGLE) {
    if (nd == 6) add_angle_hessian(m, nd, f, s, n, H);
    return;
  }
  if (m->kind == LAW_STATE || m->kind == LAW_VALUE) return;
  pair x = look(m, nd, f, false);
  if (m->kind == LAW_WAY) add_way_hessian(m, nd, &x, s, n, H);
  if (m->kind == LAW_DISTANCE) add_distance_hessian(m, nd, &x, s, n, H);
}

void measure_add_twist_hessian(const law_input *m, int nd, const tr_frame *const *f, double s,
                               int n, double *Q, double *V) {
  double S[9], u[3], speed;
  if (m->kind < LAW_VELOCITY || m->kind == LAW_VALUE) return;
  pair x = look(m, nd, f, true);
  part which = m->kind == LAW_SPIN ? TURN : PLACE;
  switch (m->kind) {
    case LAW_VELOCITY:
    case LAW_SPIN: // dc = -[c] dt
      m3_skew(x.c, S);
      add_block(Q, n, nd, m->to, which, m->along, TURN, -s, S);
      add_block(Q, n, nd, m->from, which, m->along, TURN, s, S);
      break;
    case LAW_SPEED:
      speed = v3_norm(x.dv);
      if (speed == 0) break;
      v3_scale(1 / speed, x.dv, u);
      across(u, speed, S);
      add_pair_block(m, nd, PLACE, s, S, n, V);
      break;
    case LAW_RADIAL:
      if (x.L == 0) break;
      across(x.u, x.L, S);
      add_pair_block(m, nd, PLACE, s, S, n, Q);
      break;
    default: break;
  }
}
