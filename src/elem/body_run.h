// SPDX-License-Identifier: Apache-2.0
// Functions of many bodies or rows from those of one, which the compiler can then inline. Include it
// before add_pull, use TR_PULL_ROWS after it; nv: velocities of the body. TR_PULL_SITES needs add_pulls of two wrenches, too.
#ifndef TR_BODY_RUN_H
#define TR_BODY_RUN_H

#include "elem.h"

// Sites with joints that each of four bodies has.
static inline int common_held(const tr_body_slot *s) {
  int n = s[0].held;
  for (int l = 1; l < 4; l++) n = s[l].held < n ? s[l].held : n;
  return n;
}

// Four bodies have no more sites than these, or are held at no more.
static inline bool no_more_sites(const tr_body_slot *s, int n) {
  unsigned k = (unsigned)n;
  return ((s[0].sites ^ k) | (s[1].sites ^ k) | (s[2].sites ^ k) | (s[3].sites ^ k)) == 0;
}
static inline bool no_more_held(const tr_body_slot *s, int n) {
  return ((s[0].held ^ n) | (s[1].held ^ n) | (s[2].held ^ n) | (s[3].held ^ n)) == 0;
}

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

// sum += J' W over the sites from the first-th on, second += J' W2 over those held from the held-th on
#define TR_PULL_SITES                                                                          \
  static inline void pull_sites(const tr_body_at *at, const tr_bodies_at *b,                   \
                                const tr_body_slot *s, int first, tr_wrenches W, double *sum,  \
                                int held, tr_wrenches W2, double *second) {                    \
    const tr_site *site = b->site + s->site;                                                   \
    int end = W.first ? (int)s->sites : first, both = W2.first ? s->held : 0;                  \
    for (int k = held; k < both && (k < first || !W.first); k++)                               \
      add_pull(at, site + k, tr_wrench_at(W2, s->frame + k), second);                          \
    for (int k = first; k < end; k++) {                                                        \
      if (k < both)                                                                            \
        add_pulls(at, site + k, tr_wrench_at(W, s->frame + k), tr_wrench_at(W2, s->frame + k), \
                  sum, second);                                                                \
      else                                                                                     \
        add_pull(at, site + k, tr_wrench_at(W, s->frame + k), sum);                            \
    }                                                                                          \
  }

#endif
