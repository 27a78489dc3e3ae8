// SPDX-License-Identifier: Apache-2.0
// No slip at a point of contact: rows on the velocity of B's matter at a point relative to A's.
//
// The point is p_B + r, r a vector that turns with the frames; s = p_B - p_A + r. Along directions c_k,
//   Gam_k = c_k . V,   V = v_B + w_B x r - v_A - w_A x s
//   by twists          v_B c,  w_B r x c,  v_A -c,  w_A -s x c
//   by displacements   V . dc + (c x w_B) . dr - (c x w_A) . ds,     ds = dp_B - dp_A + dr
// and with F = sum lam_k c_k the wrench is -(F, r x F) on B, (F, s x F) on A. How c_k and r turn is what a
// joint tells: dc_k = cA_k dt_A + cB_k dt_B, dr = rA dt_A + rB dt_B (3 x 3 each), where that is asked for.
// A first row of positions, phi, may go along, if its G is that of Gam_0.
// Planar frames are looked at as spatial ones that turn about z.
#ifndef TR_SLIP_H
#define TR_SLIP_H

#include <string.h>

#include "elem.h"
#include "math/lanes.h"
#include "math/v3.h"

enum { SLIP_ROWS = 3, SLIP_A = 0, SLIP_B = 6, SLIP_N = 12 };

typedef struct slip {
  int rows;
  bool turns;   // how c_k and r turn is asked for, too
  bool contact; // the first row is one of positions
  double phi;
  double c[SLIP_ROWS][3], cA[SLIP_ROWS][9], cB[SLIP_ROWS][9];
  double r[3], rA[9], rB[9];
  // found by slip_begin
  const tr_frame *A, *B;
  double s[3], V[3];
} slip;

// A frame, or in `room` what a planar one is in space.
static inline const tr_frame *slip_lift(const tr_frame *f, int nd, tr_frame *room) {
  if (nd == 6) return f;
  *room = (tr_frame){.p = {f->p[0], f->p[1], 0},
                     .R = {f->R[0], f->R[1], 0, f->R[3], f->R[4], 0, 0, 0, 1},
                     .v = {f->v[0], f->v[1], 0},
                     .w = {0, 0, f->w[2]}};
  return room;
}

// s and V, once r is known.
static inline void slip_begin(slip *x) {
  double a[3];
  v3_sub(x->B->p, x->A->p, x->s);
  v3_add(x->s, x->r, x->s);
  v3_sub(x->B->v, x->A->v, x->V);
  v3_cross(x->B->w, x->r, a);
  v3_add(x->V, a, x->V);
  v3_cross(x->A->w, x->s, a);
  v3_sub(x->V, a, x->V);
}

// g (12) = c on B's twist at p_B + r, -c on A's
static inline void slip_row(const slip *x, const double *c, double *g) {
  v3_scale(-1, c, g + SLIP_A);
  v3_cross(c, x->s, g + SLIP_A + 3);
  v3_copy(c, g + SLIP_B);
  v3_cross(x->r, c, g + SLIP_B + 3);
}

// out += S' v
static inline void slip_add_turned(const double *S, const double *v, double f, double *out) {
  for (int i = 0; i < 3; i++) out[i] += f * (S[i] * v[0] + S[3 + i] * v[1] + S[6 + i] * v[2]);
}

// Gam_k by displacements (12)
static inline void slip_row_dq(const slip *x, int k, double *g) {
  double cb[3], ca[3], by_r[3];
  memset(g, 0, SLIP_N * sizeof *g);
  v3_cross(x->c[k], x->B->w, cb);
  v3_cross(x->c[k], x->A->w, ca);
  v3_sub(cb, ca, by_r);
  v3_copy(ca, g + SLIP_A);
  v3_scale(-1, ca, g + SLIP_B);
  slip_add_turned(x->cA[k], x->V, 1, g + SLIP_A + 3);
  slip_add_turned(x->cB[k], x->V, 1, g + SLIP_B + 3);
  slip_add_turned(x->rA, by_r, 1, g + SLIP_A + 3);
  slip_add_turned(x->rB, by_r, 1, g + SLIP_B + 3);
}

// K (12 x 12) += f [a] S at block row i, column j of 3 x 3 blocks; a NULL: f S
static inline void slip_block(double *K, int i, int j, double f, const double *a, const double *S) {
  double X[9], Y[9];
  if (a) {
    m3_skew(a, X);
    m3_mulm(X, S, Y);
    S = Y;
  }
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) K[SLIP_N * (3 * i + r) + 3 * j + c] += f * S[3 * r + c];
}

// The derivative of (-F, -s x F, F, r x F), blocks (p_A, t_A, p_B, t_B).
static inline void slip_geom(const slip *x, const double *lam, double *K) {
  static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double F[3] = {0}, FA[9] = {0}, FB[9] = {0};
  for (int k = 0; k < x->rows; k++) {
    v3_axpy(lam[k], x->c[k], F);
    for (int i = 0; i < 9; i++) FA[i] += lam[k] * x->cA[k][i], FB[i] += lam[k] * x->cB[k][i];
  }
  const double *dF[2] = {FA, FB}, *dr[2] = {x->rA, x->rB};
  for (int m = 0; m < 2; m++) { // by the turn of A, then of B
    int column = m == 0 ? 1 : 3;
    slip_block(K, 0, column, -1, NULL, dF[m]);
    slip_block(K, 2, column, 1, NULL, dF[m]);
    slip_block(K, 1, column, -1, x->s, dF[m]), slip_block(K, 1, column, 1, F, dr[m]);
    slip_block(K, 3, column, 1, x->r, dF[m]), slip_block(K, 3, column, -1, F, dr[m]);
  }
  slip_block(K, 1, 0, -1, F, one);
  slip_block(K, 1, 2, 1, F, one);
}

// ---- the functions of a joint, nd = 3 or 6 ----------------------------------------------------------

// Number of the k-th displacement of the plane among those of space.
static inline int slip_index(int nd, int k) {
  static const int planar[6] = {0, 1, 5, 6, 7, 11};
  return nd == 3 ? planar[k] : k;
}

// -(F, r x F) on B and (F, s x F) on A, F = sum lam_k c_k
static inline void slip_wrench(const slip *x, int nd, const double *lam, double *w) {
  double F[3] = {0}, g[SLIP_N];
  for (int k = 0; k < x->rows; k++) v3_axpy(-lam[k], x->c[k], F);
  slip_row(x, F, g);
  for (int i = 0; i < 2 * nd; i++) w[i] = g[slip_index(nd, i)];
}

static inline void slip_eval(const slip *x, int nd, const double *lam, double *phi, double *w) {
  for (int k = 0; k < x->rows; k++) phi[k] = k == 0 && x->contact ? x->phi : v3_dot(x->c[k], x->V);
  if (lam) slip_wrench(x, nd, lam, w);
}

// c_k . V of other twists u (2 nd), in rows of velocities
TR_INLINE void slip_along(const slip *x, int nd, const double *u, double *out) {
  double all[SLIP_N] = {0}, V[3], a[3];
  if (nd == 3) {
    for (int i = 0; i < 2 * nd; i++) all[slip_index(nd, i)] = u[i];
    u = all;
  }
  v3_sub(u + SLIP_B, u + SLIP_A, V);
  v3_cross(u + SLIP_B + 3, x->r, a), v3_add(V, a, V);
  v3_cross(u + SLIP_A + 3, x->s, a), v3_sub(V, a, V);
#pragma GCC unroll 3
  for (int k = x->contact; k < x->rows; k++) out[k] = v3_dot(x->c[k], V);
}

// One wrench of each pair.
TR_INLINE void slip_put(int nd, const lanes_pair *g, double *w, double *w2) {
  for (int i = 0; i < nd; i++) w[i] = g[slip_index(nd, i)][0], w2[i] = g[slip_index(nd, i)][1];
}

// slip_wrench with lam and with mu, side by side
TR_INLINE void slip_wrenches(const slip *x, int nd, const tr_joint_two *io) {
  lanes_pair A[6], B[6], *F = B;
  const double *r = x->r, *s = x->s;
  int apart = io->apart != 0 ? io->apart : nd;
  F[0] = F[1] = F[2] = (lanes_pair){0};
#pragma GCC unroll 3
  for (int k = 0; k < x->rows; k++) {
    lanes_pair l = {io->lam[k], io->mu[k]};
    const double *c = x->c[k];
    F[0] -= l * c[0], F[1] -= l * c[1], F[2] -= l * c[2];
  }
  B[3] = F[2] * r[1] - F[1] * r[2];
  B[4] = F[0] * r[2] - F[2] * r[0];
  B[5] = F[1] * r[0] - F[0] * r[1];
  slip_put(nd, B, io->w + apart, io->w2 + apart);
  if (io->grounded) return;
  for (int i = 0; i < 3; i++) A[i] = -F[i];
  A[3] = F[1] * s[2] - F[2] * s[1];
  A[4] = F[2] * s[0] - F[0] * s[2];
  A[5] = F[0] * s[1] - F[1] * s[0];
  slip_put(nd, A, io->w, io->w2);
}

TR_INLINE void slip_two(const slip *x, int nd, const tr_joint_two *io) {
#pragma GCC unroll 3
  for (int k = 0; k < x->rows; k++) io->rate[k] = io->phi[k] = v3_dot(x->c[k], x->V);
  if (x->contact) io->phi[0] = x->phi;
  slip_wrenches(x, nd, io);
  if (io->u) slip_along(x, nd, io->u, io->phi);
}

static inline void slip_jac(const slip *x, int nd, bool by_displacements, double *G) {
  double g[SLIP_N];
  for (int k = 0; k < x->rows; k++) {
    if (by_displacements)
      slip_row_dq(x, k, g);
    else
      slip_row(x, x->c[k], g);
    bool none = by_displacements && k == 0 && x->contact;
    for (int i = 0; i < 2 * nd; i++) G[k * 2 * nd + i] = none ? 0 : g[slip_index(nd, i)];
  }
}

static inline void slip_add_geom(const slip *x, int nd, const double *lam, double *K) {
  double S[SLIP_N * SLIP_N] = {0};
  slip_geom(x, lam, S);
  for (int i = 0; i < 2 * nd; i++)
    for (int j = 0; j < 2 * nd; j++)
      K[i * 2 * nd + j] += S[SLIP_N * slip_index(nd, i) + slip_index(nd, j)];
}

// The rows move on with the frames.
static inline void slip_gamma(const slip *x, double *out) {
  double g[SLIP_N];
  for (int k = 0; k < x->rows; k++) {
    slip_row_dq(x, k, g);
    out[k] = v3_dot(g, x->A->v) + v3_dot(g + 3, x->A->w) + v3_dot(g + 6, x->B->v) +
             v3_dot(g + 9, x->B->w);
  }
}

// TR_SLIP_OPS(look, d, nd) writes eval##d .. gamma##d, two##d, which has it inline, with
//   void look(const void *par, int nd, slip *x)   rows, contact, phi, c, r and how they turn, from x->A, x->B
#define SLIP_LOOK(looks, nd, how)                                 \
  tr_frame A, B;                                                  \
  slip x;                                                         \
  (void)t;                                                        \
  if (how) memset(&x, 0, sizeof x);                               \
  x.turns = how, x.contact = false, x.r[0] = x.r[1] = x.r[2] = 0; \
  x.A = slip_lift(f[0], nd, &A), x.B = slip_lift(f[1], nd, &B);   \
  looks;                                                          \
  slip_begin(&x)
#define TR_SLIP_OPS(look, d, nd)                                                             \
  static void still##d(const void *pv, slip *x) { x->turns = false, look(pv, nd, x); }       \
  static void turning##d(const void *pv, slip *x) { x->turns = true, look(pv, nd, x); }      \
  static void eval##d(const void *pv, double t, const tr_frame *const *f, const double *mem, \
                      const double *lam, double *phi, double *w) {                           \
    SLIP_LOOK(still##d(pv, &x), nd, false);                                                  \
    (void)mem;                                                                               \
    slip_eval(&x, nd, lam, phi, w);                                                          \
  }                                                                                          \
  static void jac##d(const void *pv, double t, const tr_frame *const *f, double *G) {        \
    SLIP_LOOK(still##d(pv, &x), nd, false);                                                  \
    slip_jac(&x, nd, false, G);                                                              \
  }                                                                                          \
  static void jac_q##d(const void *pv, double t, const tr_frame *const *f, double *G) {      \
    SLIP_LOOK(turning##d(pv, &x), nd, true);                                                 \
    slip_jac(&x, nd, true, G);                                                               \
  }                                                                                          \
  static void geom##d(const void *pv, double t, const tr_frame *const *f, const double *lam, \
                      double *K) {                                                           \
    SLIP_LOOK(turning##d(pv, &x), nd, true);                                                 \
    slip_add_geom(&x, nd, lam, K);                                                           \
  }                                                                                          \
  static void gamma##d(const void *pv, double t, const tr_frame *const *f, double *out) {    \
    SLIP_LOOK(turning##d(pv, &x), nd, true);                                                 \
    slip_gamma(&x, out);                                                                     \
  }                                                                                          \
  TR_INLINE void two_of##d(const void *pv, double t, const tr_frame *const *f,               \
                           const tr_joint_two *io) {                                         \
    SLIP_LOOK(look(pv, nd, &x), nd, false);                                                  \
    slip_two(&x, nd, io);                                                                    \
  }                                                                                          \
  TR_WIDE(two_wide##d, two_of##d,                                                            \
          (const void *pv, double t, const tr_frame *const *f, const tr_joint_two *io),      \
          (pv, t, f, io))                                                                    \
  static void two##d(const void *pv, double t, const tr_frame *const *f, const double *mem,  \
                     const tr_joint_two *io) {                                               \
    (void)mem;                                                                               \
    two_wide##d(pv, t, f, io);                                                               \
  }

#endif
