// SPDX-License-Identifier: Apache-2.0
// Functions of many bodies or rows from those of one, which the compiler can then inline. Include it
// before add_pull, use TR_PULL_ROWS after it; nv: velocities of the body.
#ifndef TR_BODY_RUN_H
#define TR_BODY_RUN_H

#include "elem.h"

static inline tr_body_at one_of(const tr_bodies_at *b, const tr_body_slot *s) {
  return (tr_body_at){s->par, b->q + s->q, b->v + s->v, b->cache + s->cache, b->t};
}

#define TR_PULL_ROWS(nv)                                                                   \
  static void pull_rows(const tr_body_at *b, const tr_site *s, int rows, int frame_stride, \
                        const double *Gf, int stride, double *G) {                         \
    for (int r = 0; r < rows; r++, Gf += frame_stride, G += stride) {                      \
      for (int i = 0; i < nv; i++) G[i] = 0;                                               \
      add_pull(b, s, Gf, G);                                                               \
    }                                                                                      \
  }

#endif
