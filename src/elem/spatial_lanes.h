// SPDX-License-Identifier: Apache-2.0
// Four spatial rigid bodies at a time, in the Lie-group coordinates of body_spatial.c: the formulas are
// the ones there.
#ifndef TR_SPATIAL_LANES_H
#define TR_SPATIAL_LANES_H

#include "math/lanes.h"
#include "spatial.h"

// Sites that each of the four bodies has.
static inline int common_sites(const tr_body_slot *s) {
  int n = s[0].sites;
  for (int l = 1; l < LANES; l++) n = s[l].sites < n ? s[l].sites : n;
  return n;
}

// False: some rotation is too large for it, nothing was done.
TR_INLINE bool retract4(const tr_body_slot *s, const double *q, const double *d, double *q1) {
  POINTERS(const double, from, q + s[l].q + 3);
  POINTERS(const double, turn, d + s[l].v + 2);
  POINTERS(double, to, q1 + s[l].q + 3);
  lanes e[4], u[4];
  lanes_load4(from, e), lanes_load4(turn, u);
  if (!lanes_quat_turn(u + 1, e)) return false;
  for (int l = 0; l < LANES; l++)
    for (int i = 0; i < 3; i++) q1[s[l].q + i] = q[s[l].q + i] + d[s[l].v + i];
  lanes_store4(e, to);
  return true;
}

// One frame of each body at place r, orientation R, velocities u, w; level < TR_AT_BIAS.
TR_INLINE void frames4(tr_level level, const lanes *r, const lanes *R, const lanes *u,
                       const lanes *w, const tr_site *const *site, tr_frame *const *f) {
  POINTERS(const double, arm, site[l]->c);
  POINTERS(double, place, f[l]->p);
  lanes c[4], x[3], wc[3], S[9], P[9];
  lanes_load4(arm, c);
  lanes_mul(R, c, x);
  for (int i = 0; i < 3; i++) x[i] = r[i] + x[i];
  lanes_store3(x, place);
  if (level >= TR_AT_VELOCITY) {
    POINTERS(double, velocity, f[l]->v);
    lanes_cross(w, c, wc);
    lanes_mul(R, wc, x);
    for (int i = 0; i < 3; i++) x[i] = u[i] + x[i];
    lanes_store3(x, velocity);
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
                           tr_frame *frame) {
  POINTERS(const double, place, b->q + s[l].q);
  POINTERS(const double, rotation, b->q + s[l].q + 3);
  POINTERS(const double, velocity, b->v + s[l].v);
  POINTERS(const double, spin, b->v + s[l].v + 2);
  POINTERS(double, cache, b->cache + s[l].cache);
  lanes r[4], e[4], R[9], u[4] = {0}, w[4] = {0};
  lanes_load4(place, r), lanes_load4(rotation, e);
  lanes_quat_to_m3(e, R);
  lanes_store9(R, cache);
  if (level >= TR_AT_VELOCITY) lanes_load4(velocity, u), lanes_load4(spin, w);
  for (int k = 0, n = common_sites(s); k < n; k++) {
    POINTERS(const tr_site, site, b->site + s[l].site + k);
    POINTERS(tr_frame, f, frame + s[l].site + k);
    frames4(level, r, R, u, w + 1, site, f);
  }
}

// sum (6) += J' W over the sites that all four have
TR_INLINE void pull4(const tr_bodies_at *b, const tr_body_slot *s, const double *W, lanes *sum) {
  POINTERS(const double, cache, b->cache + s[l].cache);
  lanes R[9], x[4], c[4], f[3], cf[3];
  lanes_load9(cache, R);
  for (int k = 0, n = common_sites(s); k < n; k++) {
    POINTERS(const double, arm, b->site[s[l].site + k].c);
    POINTERS(const double, force, W + 6 * (s[l].site + k));
    lanes_load4(force, x), lanes_load4(arm, c);
    lanes_tmul(R, x, f);
    lanes_cross(c, f, cf);
    for (int i = 0; i < 3; i++) sum[i] += x[i], sum[3 + i] += cf[i];
    bool points = true;
    for (int l = 0; l < LANES; l++) points &= b->site[s[l].site + k].point;
    if (points) continue;
    POINTERS(const double, moment, W + 6 * (s[l].site + k) + 2);
    lanes_load4(moment, x);
    lanes_tmul(R, x + 1, f);
    for (int i = 0; i < 3; i++) sum[3 + i] += f[i];
  }
}

// sum (6) = (m g, J w x w)
TR_INLINE void own_force4(const tr_bodies_at *b, const tr_body_slot *s, const double g[3],
                          lanes *sum) {
  POINTERS(const tr_spatial_par, par, s[l].par);
  POINTERS(const double, inertia, par[l]->inertia);
  POINTERS(const double, spin, b->v + s[l].v + 2);
  lanes J[9], w[4], Jw[3], m = {par[0]->mass, par[1]->mass, par[2]->mass, par[3]->mass};
  lanes_load9(inertia, J), lanes_load4(spin, w);
  lanes_mul(J, w + 1, Jw);
  lanes_cross(Jw, w + 1, sum + 3);
  for (int i = 0; i < 3; i++) sum[i] = m * g[i];
}

// F = -sum
TR_INLINE void put_force4(const tr_body_slot *s, const lanes *sum, double *F) {
  POINTERS(double, force, F + s[l].v);
  POINTERS(double, moment, F + s[l].v + 2);
  lanes x[6];
  for (int i = 0; i < 6; i++) x[i] = -sum[i];
  lanes_store4(x, force), lanes_store4(x + 2, moment);
}

#endif
