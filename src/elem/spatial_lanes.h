// SPDX-License-Identifier: Apache-2.0
// Four spatial rigid bodies at a time, in the Lie-group coordinates of body_spatial.c: the formulas are
// the ones there.
#ifndef TR_SPATIAL_LANES_H
#define TR_SPATIAL_LANES_H

#include "math/lanes.h"
#include "spatial.h"

// T(d) = 1 - a [d] + b [d]^2, a = (1 - cos n)/n^2, b = (n - sin n)/n^3, n = |d|; by nn = n^2
#define TURN_SERIES 0.01
#define TURN_A(nn) \
  (0.5 - (nn) * (1.0 / 24 - (nn) * (1.0 / 720 - (nn) * (1.0 / 40320 - (nn) / 3628800))))
#define TURN_B(nn) \
  (1.0 / 6 - (nn) * (1.0 / 120 - (nn) * (1.0 / 5040 - (nn) * (1.0 / 362880 - (nn) / 39916800))))
static inline void turn_factors(double nn, double *a, double *b) {
  double n = sqrt(nn);
  if (nn < TURN_SERIES)
    *a = TURN_A(nn), *b = TURN_B(nn);
  else
    *a = (1 - cos(n)) / nn, *b = (n - sin(n)) / (nn * n);
}

// Numbers of a body in q, v and cache: those of neighbours follow each other.
enum { NQ = 7, NV = 6, NR = 9 };

// Sites that each of the four bodies has.
static inline int common_sites(const tr_body_slot *s) {
  int n = s[0].sites;
  for (int l = 1; l < LANES; l++) n = s[l].sites < n ? s[l].sites : n;
  return n;
}

// False: some rotation is too large for it, nothing was done.
TR_INLINE bool retract4(const double *q, const double *d, double *q1) {
  POINTERS(const double, from, q + NQ * l + 3);
  POINTERS(const double, turn, d + NV * l + 2);
  POINTERS(double, to, q1 + NQ * l + 3);
  lanes e[4], u[4];
  lanes_load4(from, e), lanes_load4(turn, u);
  if (!lanes_quat_turn(u + 1, e)) return false;
  for (int l = 0; l < LANES; l++) // the fourth is overwritten
    *(lanes_anywhere *)(to[l] - 3) =
        *(const lanes_anywhere *)(from[l] - 3) + *(const lanes_anywhere *)(turn[l] - 2);
  lanes_store4(e, to);
  return true;
}

// One frame of each body at place r, orientation R, velocities u, w; level < TR_AT_BIAS.
TR_INLINE void frames4(tr_level level, const lanes *r, const lanes *R, const lanes *u,
                       const lanes *w, const tr_site *const *site, tr_frame *const *f) {
  POINTERS(const double, arm, site[l]->c);
  POINTERS(double, place, f[l]->p); // the velocity is behind it
  _Static_assert(offsetof(tr_frame, v) == 3 * sizeof(double), "six numbers in a row");
  lanes c[4], x[6], wc[3], S[9], P[9];
  lanes_load4(arm, c);
  lanes_mul(R, c, x);
  for (int i = 0; i < 3; i++) x[i] = r[i] + x[i];
  if (level >= TR_AT_VELOCITY) {
    lanes_cross(w, c, wc);
    lanes_mul(R, wc, x + 3);
    for (int i = 0; i < 3; i++) x[3 + i] = u[i] + x[3 + i];
    lanes_store6(x, place);
  } else {
    lanes_store3(x, place);
  }
  if (site[0]->point & site[1]->point & site[2]->point & site[3]->point) return;
  POINTERS(const double, axes, site[l]->R);
  POINTERS(double, orientation, f[l]->R);
  lanes_load9(axes, S);
  lanes_mulm(R, S, P);
  lanes_store9(P, orientation);
  if (level < TR_AT_VELOCITY) return;
  POINTERS(double, spin, f[l]->w);
  lanes_mul(R, w, x);
  lanes_store3(x, spin);
}

// Orientations, and the frames that all four have; level < TR_AT_BIAS.
TR_INLINE void kinematics4(const tr_bodies_at *b, const tr_body_slot *s, tr_level level,
                           tr_frames frame) {
  POINTERS(const double, place, b->q + s->q + NQ * l);
  POINTERS(const double, rotation, b->q + s->q + NQ * l + 3);
  POINTERS(const double, velocity, b->v + s->v + NV * l);
  POINTERS(double, cache, b->cache + s->cache + NR * l);
  lanes r[4], e[4], R[9], u[6] = {0};
  lanes_load4(place, r), lanes_load4(rotation, e);
  lanes_quat_to_m3(e, R);
  lanes_store9(R, cache);
  if (level >= TR_AT_VELOCITY) lanes_load6(velocity, u);
  for (int k = 0, n = common_sites(s); k < n; k++) {
    POINTERS(const tr_site, site, b->site + s[l].site + k);
    POINTERS(tr_frame, f, tr_frame_at(frame, s[l].frame + k));
    frames4(level, r, R, u, u + 3, site, f);
  }
}

// sum (6) += J' W of the k-th site of each, whose arms are c
TR_INLINE void pull_site4(const tr_body_slot *s, int k, bool points, const lanes *R, const lanes *c,
                          tr_wrenches W, lanes *sum) {
  POINTERS(const double, force, tr_wrench_at(W, s[l].frame + k));
  lanes x[4], f[3], cf[3];
  lanes_load4(force, x);
  lanes_tmul(R, x, f);
  lanes_cross(c, f, cf);
  for (int i = 0; i < 3; i++) sum[i] += x[i], sum[3 + i] += cf[i];
  if (points) return;
  POINTERS(const double, moment, tr_wrench_at(W, s[l].frame + k) + 2);
  lanes_load4(moment, x);
  lanes_tmul(R, x + 1, f);
  for (int i = 0; i < 3; i++) sum[3 + i] += f[i];
}

// sum (6) += J' W over the first n sites of each, second += J' W2 over the first held ones; either may be NULL
TR_INLINE void pull4(const tr_bodies_at *b, const tr_body_slot *s, int n, tr_wrenches W, lanes *sum,
                     int held, tr_wrenches W2, lanes *second) {
  POINTERS(const double, cache, b->cache + s->cache + NR * l);
  lanes R[9], c[4];
  lanes_load9(cache, R);
  for (int k = 0, end = W.first ? n : held; k < end; k++) {
    POINTERS(const double, arm, b->site[s[l].site + k].c);
    bool points = true;
    for (int l = 0; l < LANES; l++) points &= b->site[s[l].site + k].point;
    lanes_load4(arm, c);
    if (W.first) pull_site4(s, k, points, R, c, W, sum);
    if (W2.first && k < held) pull_site4(s, k, points, R, c, W2, second);
  }
}

// sum (6) = (m g, J w x w)
TR_INLINE void own_force4(const tr_bodies_at *b, const tr_body_slot *s, const double g[3],
                          lanes *sum) {
  POINTERS(const tr_spatial_par, par, s[l].par);
  POINTERS(const double, inertia, par[l]->inertia);
  POINTERS(const double, spin, b->v + s->v + NV * l + 2);
  lanes J[9], w[4], Jw[3], m = {par[0]->mass, par[1]->mass, par[2]->mass, par[3]->mass};
  lanes_load9(inertia, J), lanes_load4(spin, w);
  lanes_mul(J, w + 1, Jw);
  lanes_cross(Jw, w + 1, sum + 3);
  for (int i = 0; i < 3; i++) sum[i] = m * g[i];
}

// F = -sum
TR_INLINE void put_force4(const tr_body_slot *s, const lanes *sum, double *F) {
  POINTERS(double, force, F + s->v + NV * l);
  lanes x[6];
  for (int i = 0; i < 6; i++) x[i] = -sum[i];
  lanes_store6(x, force);
}

// T(d) as a matrix, [d]^2 = d d' - |d|^2 1; factors of large rotations one by one
TR_INLINE void turn4(const lanes *d, lanes *T) {
  lanes nn = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], a, b;
  lanes_mask small = nn < TURN_SERIES;
  a = TURN_A(nn), b = TURN_B(nn);
  if (!lanes_all(&small))
    for (int l = 0; l < LANES; l++) {
      double x, y;
      turn_factors(nn[l], &x, &y);
      a[l] = x, b[l] = y;
    }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) T[3 * i + j] = b * d[i] * d[j];
  for (int i = 0; i < 3; i++) T[4 * i] += 1 - b * nn;
  T[1] += a * d[2], T[2] -= a * d[1], T[3] -= a * d[2];
  T[5] += a * d[0], T[6] += a * d[1], T[7] -= a * d[0];
}

// cm J - ck sum ([c][R'f] + [R'n]) - cd ([J w] - [w] J) in the corner of rotations
TR_INLINE void own_tangent4(const tr_bodies_at *b, const tr_four_bodies *io, const lanes *R) {
  const tr_body_slot *const *s = io->slot;
  lanes_anywhere *K = (lanes_anywhere *)io->K;
  POINTERS(const tr_spatial_par, par, s[l]->par);
  POINTERS(const double, inertia, par[l]->inertia);
  POINTERS(const double, spin, b->v + s[l]->v + 2);
  lanes J[9], w[4], C[9] = {0}, m[3], f[3], x[4], c[4];
  lanes mass = {par[0]->mass, par[1]->mass, par[2]->mass, par[3]->mass};
  lanes_load9(inertia, J), lanes_load4(spin, w);
  lanes_mul(J, w + 1, f);
  for (int i = 0; i < 3; i++) m[i] = -io->cd * f[i];
  for (int k = 0, n = s[0]->sites; k < n; k++) {
    POINTERS(const tr_site, site, b->site + s[l]->site + k);
    POINTERS(const double, arm, site[l]->c);
    POINTERS(const double, force, tr_wrench_at(io->W, s[l]->frame + k));
    lanes_load4(force, x), lanes_load4(arm, c);
    lanes_tmul(R, x, f);
    for (int i = 0; i < 3; i++) f[i] *= io->ck;
    lanes p = c[0] * f[0], q = c[1] * f[1], r = c[2] * f[2];
    C[0] += q + r, C[4] += p + r, C[8] += p + q;
    C[1] -= f[0] * c[1], C[2] -= f[0] * c[2], C[3] -= f[1] * c[0];
    C[5] -= f[1] * c[2], C[6] -= f[2] * c[0], C[7] -= f[2] * c[1];
    if (site[0]->point & site[1]->point & site[2]->point & site[3]->point) continue;
    POINTERS(const double, moment, force[l] + 2);
    lanes_load4(moment, x);
    lanes_tmul(R, x + 1, f);
    for (int i = 0; i < 3; i++) m[i] -= io->ck * f[i];
  }
  C[1] -= m[2], C[2] += m[1], C[3] += m[2], C[5] -= m[0], C[6] -= m[1], C[7] += m[0];
  for (int j = 0; j < 3;
       j++) { // cm J + cd [w] J by columns; last, lest large forces that cancel take J with them
    lanes y[3], z[3] = {J[j], J[3 + j], J[6 + j]};
    lanes_cross(w + 1, z, y);
    for (int i = 0; i < 3; i++) C[3 * i + j] += io->cm * z[i] + io->cd * y[i];
  }
  for (int i = 0; i < 3; i++) {
    K[7 * i] = io->cm * mass;
    for (int j = 0; j < 3; j++) K[6 * (3 + i) + 3 + j] = C[3 * i + j];
  }
}

// Rows (sign e_i, g) of a point, g from three numbers per row.
TR_INLINE void put_rows4(const lanes *sign, const lanes *g, double *to) {
  lanes_anywhere *G = (lanes_anywhere *)to;
  for (int i = 0; i < 3; i++) {
    G[7 * i] = *sign;
    for (int j = 0; j < 3; j++) G[6 * i + 3 + j] = g[3 * i + j];
  }
}

// (sign 1, -sign R [c]): row i is (e_i, c x R' e_i)
TR_INLINE void tangent4(const tr_bodies_at *b, const tr_four_bodies *io) {
  POINTERS(const double, cache, b->cache + io->slot[l]->cache);
  const double *increment = io->increment;
  lanes R[9], c[4], d[4], g[9], T[9], gT[9];
  lanes_load9(cache, R);
  if (io->K) own_tangent4(b, io, R);
  if (increment) {
    POINTERS(const double, turn, increment + io->slot[l]->v + 2);
    lanes_load4(turn, d);
    turn4(d + 1, T);
  }
  for (int k = 0; k < io->pins; k++) {
    POINTERS(const tr_pin, p, io->pin[l] + k);
    POINTERS(const double, arm, b->site[p[l]->site].c);
    lanes sign = {p[0]->sign, p[1]->sign, p[2]->sign, p[3]->sign};
    lanes_load4(arm, c);
    for (int i = 0; i < 3; i++) c[i] = sign * c[i];
    for (int i = 0; i < 3; i++) lanes_cross(c, R + 3 * i, g + 3 * i);
    put_rows4(&sign, g, io->G + 18 * LANES * k);
    if (increment) lanes_mulm(g, T, gT);
    put_rows4(&sign, increment ? gT : g, io->turned + 18 * LANES * k);
  }
}

#endif
