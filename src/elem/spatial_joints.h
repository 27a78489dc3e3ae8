// SPDX-License-Identifier: Apache-2.0
// Four joints of primitives (primitive.h) between spatial rigid bodies, in the Lie-group coordinates of body_spatial.c.
//
// In body axes, a_A = R_A' a, b_A = R_A' b and so on, with arms c and d = p_B - p_A, a frame's J is (1, -R [c]; 0, R), so
//   POINT   G = (-1, R_A [c_A]; 1, -R_B [c_B])
//   DOT1    G = (0, a_A x b_A; 0, -a_B x b_B)
//   DOT2    G = (-a, a_A x d_A - c_A x a_A; a, c_B x a_B)
// and the geometry J' K J, Q = R_A' R_B,
//   DOT1    AA: a_A b_A' - a.b 1,  AB: a.b Q - b_A a_B',  BA: a.b Q' - a_B b_A',  BB: b_B a_B' - a.b 1   on rotations
//   DOT2    S = [a_A]:  AA: (0, R_A S; -S R_A', ([c_A] + [d_A]) S + S [c_A]),
//           AB: (0, 0; S R_A', -S Q [c_B]),  BA: (0, -R_A S; 0, -[c_B] Q' S)
#ifndef TR_SPATIAL_JOINTS_H
#define TR_SPATIAL_JOINTS_H

#include "primitive.h"
#include "spatial_lanes.h"

// One body of each joint, or the ground, and the frame on it.
typedef struct side4 {
  lanes R[9], c[4], T[9], axes[9];
  double *G[LANES], *turned[LANES]; // rotational columns of the first row
  int stride[LANES];
} side4;

TR_INLINE void load_side4(const tr_bodies_at *b, tr_frames frame, const tr_between *j, int k,
                          const tr_four_joints *io, double *nowhere, side4 *s) {
  static const double still[13] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  POINTERS(const tr_body_slot, body, j[l].body[k] < 0 ? NULL : b->slot + j[l].body[k]);
  POINTERS(const double, cache, body[l] ? b->cache + body[l]->cache : still);
  POINTERS(const double, arm, body[l] ? b->site[j[l].site[k]].c : still + 9);
  POINTERS(const double, axes, tr_frame_at(frame, j[l].frame[k])->R);
  lanes_load9(cache, s->R), lanes_load4(arm, s->c), lanes_load9(axes, s->axes);
  if (io->increment) {
    lanes d[4];
    POINTERS(const double, turn, body[l] ? io->increment + body[l]->v + 2 : still + 9);
    lanes_load4(turn, d);
    turn4(d + 1, s->T);
  }
  for (int l = 0; l < LANES; l++) {
    bool both = j[l].body[0] >= 0 && j[l].body[1] >= 0;
    int at = l * TR_ROWS_ROOM + (both ? NV * k : 0) + 3;
    s->stride[l] = body[l] ? (both ? 2 * NV : NV) : 0;
    s->G[l] = body[l] ? io->G + at : nowhere + 3;
    s->turned[l] = body[l] && io->increment ? io->turned + at : nowhere + 3;
  }
}

// Row r on the rotation of one side; on the place it is put by itself.
TR_INLINE void put_turn4(const side4 *s, int r, const lanes *g, bool turned) {
  POINTERS(double, to, s->G[l] + r * s->stride[l]);
  lanes_store3(g, to);
  if (!turned) return;
  lanes gT[3];
  POINTERS(double, other, s->turned[l] + r * s->stride[l]);
  lanes_tmul(s->T, g, gT);
  lanes_store3(gT, other);
}

TR_INLINE void put_place4(const side4 *s, int r, double sign, const lanes *a, bool turned) {
  lanes x[3] = {sign * a[0], sign * a[1], sign * a[2]};
  POINTERS(double, to, s->G[l] + r * s->stride[l] - 3);
  lanes_store3(x, to);
  if (!turned) return;
  POINTERS(double, other, s->turned[l] + r * s->stride[l] - 3);
  lanes_store3(x, other);
}

TR_INLINE void put_point4(const side4 *s, int r, double sign, bool turned) {
  lanes c[3] = {sign * s->c[0], sign * s->c[1], sign * s->c[2]}, g[3];
  for (int i = 0; i < 3; i++) {
    lanes_cross(c, s->R + 3 * i, g);
    put_turn4(s, r + i, g, turned);
    for (int l = 0; l < LANES; l++) {
      int at = (r + i) * s->stride[l] + i - 3;
      s->G[l][at] = sign;
      if (turned) s->turned[l][at] = sign;
    }
  }
}

// K += f (x y' - xy 1)
TR_INLINE void add_skew2(const lanes *f, const lanes *x, const lanes *y, const lanes *xy,
                         lanes *K) {
  for (int i = 0; i < 3; i++) {
    lanes fx = *f * x[i];
    for (int k = 0; k < 3; k++) K[3 * i + k] += fx * y[k];
    K[4 * i] -= *f * *xy;
  }
}

// K += s [x] A, or s A [x]
TR_INLINE void add_left4(double s, const lanes *x, const lanes *A, lanes *K) {
  for (int j = 0; j < 3; j++) {
    K[j] += s * (x[1] * A[6 + j] - x[2] * A[3 + j]);
    K[3 + j] += s * (x[2] * A[j] - x[0] * A[6 + j]);
    K[6 + j] += s * (x[0] * A[3 + j] - x[1] * A[j]);
  }
}
TR_INLINE void add_right4(double s, const lanes *A, const lanes *x, lanes *K) {
  for (int i = 0; i < 9; i += 3) {
    K[i] += s * (A[i + 1] * x[2] - A[i + 2] * x[1]);
    K[i + 1] += s * (A[i + 2] * x[0] - A[i] * x[2]);
    K[i + 2] += s * (A[i] * x[1] - A[i + 1] * x[0]);
  }
}

// (3 x 3) of the block of one pair, from row i and column k on.
TR_INLINE void put_geom4(const tr_four_joints *io, int block, int i, int k, const lanes *K) {
  for (int r = 0; r < 3; r++) {
    POINTERS(double, to, io->K + l * TR_GEOM_ROOM + 36 * block + 6 * (i + r) + k);
    lanes_store3(K + 3 * r, to);
  }
}

// Four joints in the making. K: of the rotations, AA, AB, BA, BB; S: sum ck lam a_A of all DOT2.
typedef struct joints4 {
  const tr_four_joints *io;
  side4 A, B;
  lanes Q[9], d[3], S[3], K[4][9];
  bool turned;
} joints4;

TR_INLINE void lanes_axis(const lanes *R, int i, lanes *a) {
  for (int k = 0; k < 3; k++) a[k] = R[3 * k + i];
}

TR_INLINE void dot1_4(joints4 *m, const prim *p, int r, const lanes *f) {
  const side4 *A = &m->A, *B = &m->B;
  lanes a[3], b[3], aA[3], aB[3], bA[3], bB[3], g[3];
  lanes_axis(A->axes, p->i, a), lanes_axis(B->axes, p->j, b);
  lanes_tmul(A->R, a, aA), lanes_tmul(B->R, a, aB);
  lanes_tmul(A->R, b, bA), lanes_tmul(B->R, b, bB);
  lanes_cross(aA, bA, g), put_turn4(A, r, g, m->turned);
  lanes_cross(bB, aB, g), put_turn4(B, r, g, m->turned);
  if (!m->io->lam) return;
  lanes ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2], less = -*f, none = {0}, fab = *f * ab;
  add_skew2(f, aA, bA, &ab, m->K[0]), add_skew2(f, bB, aB, &ab, m->K[3]);
  add_skew2(&less, bA, aB, &none, m->K[1]), add_skew2(&less, aB, bA, &none, m->K[2]);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      m->K[1][3 * i + k] += fab * m->Q[3 * i + k];
      m->K[2][3 * i + k] += fab * m->Q[3 * k + i];
    }
}

TR_INLINE void dot2_4(joints4 *m, const prim *p, int r, const lanes *f) {
  const side4 *A = &m->A, *B = &m->B;
  lanes a[3], aA[3], aB[3], g[3], x[3];
  lanes_axis(A->axes, p->i, a);
  lanes_tmul(A->R, a, aA), lanes_tmul(B->R, a, aB);
  lanes_cross(aA, m->d, g), lanes_cross(A->c, aA, x);
  for (int i = 0; i < 3; i++) g[i] -= x[i], m->S[i] += *f * aA[i];
  put_turn4(A, r, g, m->turned), put_place4(A, r, -1, a, m->turned);
  lanes_cross(B->c, aB, g);
  put_turn4(B, r, g, m->turned), put_place4(B, r, 1, a, m->turned);
}

// The geometry of all DOT2 together.
TR_INLINE void geom_places4(joints4 *m) {
  const side4 *A = &m->A, *B = &m->B;
  const lanes *S = m->S, *Q = m->Q;
  lanes arm[3], skew[9] = {0}, down[9] = {0}, across[9], SQ[9] = {0}, QS[9] = {0};
  const lanes Qt[9] = {Q[0], Q[3], Q[6], Q[1], Q[4], Q[7], Q[2], Q[5], Q[8]};
  skew[1] = -S[2], skew[2] = S[1], skew[3] = S[2], skew[5] = -S[0], skew[6] = -S[1], skew[7] = S[0];
  add_right4(1, A->R, S, down); // R_A S
  for (int i = 0; i < 3; i++) {
    arm[i] = A->c[i] + m->d[i];
    for (int k = 0; k < 3; k++) across[3 * i + k] = -down[3 * k + i]; // S R_A' = -(R_A S)'
  }
  add_left4(1, arm, skew, m->K[0]), add_right4(1, skew, A->c, m->K[0]);
  add_left4(1, S, Q, SQ), add_right4(1, Qt, S, QS);
  add_right4(-1, SQ, B->c, m->K[1]), add_left4(-1, B->c, QS, m->K[2]);
  put_geom4(m->io, 0, 0, 3, down), put_geom4(m->io, 1, 3, 0, across);
  for (int i = 0; i < 9; i++) down[i] = -down[i], across[i] = -across[i];
  put_geom4(m->io, 2, 0, 3, down), put_geom4(m->io, 0, 3, 0, across);
}

TR_INLINE void joint_rows4(const tr_bodies_at *b, tr_frames frame, const tr_between *j,
                           const tr_four_joints *io) {
  double nowhere[6];
  joints4 m = {.io = io, .turned = io->increment != NULL};
  POINTERS(const double, from, tr_frame_at(frame, j[l].frame[0])->p);
  POINTERS(const double, to, tr_frame_at(frame, j[l].frame[1])->p);
  lanes p[4], d[4];
  bool places = false;
  load_side4(b, frame, j, 0, io, nowhere, &m.A), load_side4(b, frame, j, 1, io, nowhere, &m.B);
  lanes_load4(from, p), lanes_load4(to, d);
  for (int i = 0; i < 3; i++) d[i] -= p[i];
  lanes_tmul(m.A.R, d, m.d);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      m.Q[3 * i + k] =
          m.A.R[i] * m.B.R[k] + m.A.R[3 + i] * m.B.R[3 + k] + m.A.R[6 + i] * m.B.R[6 + k];
  for (int k = 0, r = 0; k < io->nprim; r += io->prims[k++].kind == POINT ? 3 : 1) {
    lanes f = {0};
    if (io->prims[k].kind == POINT) {
      put_point4(&m.A, r, -1, m.turned), put_point4(&m.B, r, 1, m.turned);
      continue;
    }
    for (int l = 0; io->lam && l < LANES; l++) f[l] = io->ck * io->lam[j[l].row + r];
    if (io->prims[k].kind == DOT1)
      dot1_4(&m, io->prims + k, r, &f);
    else
      dot2_4(&m, io->prims + k, r, &f), places = true;
  }
  if (!io->lam) return;
  if (places) geom_places4(&m);
  for (int k = 0; k < 4; k++) put_geom4(io, k, 3, 3, m.K[k]);
}

#endif
