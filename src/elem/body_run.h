// SPDX-License-Identifier: Apache-2.0
// The *_run functions of a body type from its functions for one body, which the compiler can then
// inline. Include it after kinematics, add_force and add_pull; nv: velocities of the body.
#ifndef TR_BODY_RUN_H
#define TR_BODY_RUN_H

#include "elem.h"

static inline tr_body_at one_of(const tr_bodies_at *b, const tr_body_slot *s) {
  return (tr_body_at){s->par, b->q + s->q, b->v + s->v, b->cache + s->cache, b->t};
}

#define TR_BODY_RUNS(nv)                                                                         \
  static void kinematics_run(const tr_bodies_at *b, tr_level level, tr_frame *frame) {           \
    for (const tr_body_slot *s = b->slot; s < b->slot + b->n; s++) {                             \
      tr_body_at at = one_of(b, s);                                                              \
      kinematics(&at, level, s->sites, b->site + s->site, frame + s->site);                      \
    }                                                                                            \
  }                                                                                              \
  static void gather_run(const tr_bodies_at *b, const double g[3], const double *W, double *F) { \
    for (const tr_body_slot *s = b->slot; s < b->slot + b->n; s++) {                             \
      tr_body_at at = one_of(b, s);                                                              \
      double sum[nv] = {0};                                                                      \
      add_force(&at, g, sum);                                                                    \
      for (int k = s->site; k < s->site + s->sites; k++)                                         \
        add_pull(&at, b->site + k, W + 6 * k, sum);                                              \
      for (int i = 0; i < nv; i++) F[s->v + i] = -sum[i];                                        \
    }                                                                                            \
  }                                                                                              \
  static void pull_run(const tr_bodies_at *b, const double *W, double *F) {                      \
    for (const tr_body_slot *s = b->slot; s < b->slot + b->n; s++) {                             \
      tr_body_at at = one_of(b, s);                                                              \
      double sum[nv] = {0};                                                                      \
      for (int k = s->site; k < s->site + s->sites; k++)                                         \
        add_pull(&at, b->site + k, W + 6 * k, sum);                                              \
      for (int i = 0; i < nv; i++) F[s->v + i] = -sum[i];                                        \
    }                                                                                            \
  }                                                                                              \
  TR_PULL_ROWS(nv)

#define TR_PULL_ROWS(nv)                                                                   \
  static void pull_rows(const tr_body_at *b, const tr_site *s, int rows, int frame_stride, \
                        const double *Gf, int stride, double *G) {                         \
    for (int r = 0; r < rows; r++, Gf += frame_stride, G += stride) {                      \
      for (int i = 0; i < nv; i++) G[i] = 0;                                               \
      add_pull(b, s, Gf, G);                                                               \
    }                                                                                      \
  }

#endif
