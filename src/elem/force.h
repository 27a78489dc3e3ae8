// SPDX-License-Identifier: Apache-2.0
// The tables of a force from functions written once for plane and space. A file defines, nd 3 or 6,
//   eval(nd, p, f, mem, w), tangent(nd, p, f, mem, K, D), measure(nd, p, f, mem, out), names,
// and where it has one potential(nd, p, f, mem); FORCE_FUNCTIONS and FORCE_POTENTIAL give them the
// signatures of plugin.h, with the suffix 2 or 3.
#ifndef TR_FORCE_H
#define TR_FORCE_H

#include "elem.h"

#define FORCE_FUNCTIONS(d, nd)                                                                 \
  static void eval##d(const void *p, double t, const tr_frame *const *f, const double *mem,    \
                      double *w) {                                                             \
    (void)t;                                                                                   \
    eval(nd, p, f, mem, w);                                                                    \
  }                                                                                            \
  static void tangent##d(const void *p, double t, const tr_frame *const *f, const double *mem, \
                         double *K, double *D) {                                               \
    (void)t;                                                                                   \
    tangent(nd, p, f, mem, K, D);                                                              \
  }                                                                                            \
  static void measure##d(const void *p, double t, const tr_frame *const *f, const double *mem, \
                         double *out) {                                                        \
    (void)t;                                                                                   \
    measure(nd, p, f, mem, out);                                                               \
  }

// The same for a file whose functions take the time, too: eval(nd, p, t, f, mem, w).
#define FORCE_FUNCTIONS_OF_TIME(d, nd)                                                         \
  static void eval##d(const void *p, double t, const tr_frame *const *f, const double *mem,    \
                      double *w) {                                                             \
    eval(nd, p, t, f, mem, w);                                                                 \
  }                                                                                            \
  static void tangent##d(const void *p, double t, const tr_frame *const *f, const double *mem, \
                         double *K, double *D) {                                               \
    tangent(nd, p, t, f, mem, K, D);                                                           \
  }                                                                                            \
  static void measure##d(const void *p, double t, const tr_frame *const *f, const double *mem, \
                         double *out) {                                                        \
    measure(nd, p, t, f, mem, out);                                                            \
  }

#define FORCE_POTENTIAL(d, nd)                                                  \
  static double potential##d(const void *p, double t, const tr_frame *const *f, \
                             const double *mem) {                               \
    (void)t;                                                                    \
    return potential(nd, p, f, mem);                                            \
  }

#define FORCE_POTENTIAL_OF_TIME(d, nd)                                          \
  static double potential##d(const void *p, double t, const tr_frame *const *f, \
                             const double *mem) {                               \
    return potential(nd, p, t, f, mem);                                         \
  }

// Planar frames as spatial ones, for laws that are written in space only: of the 12 displacements
// of two frames the plane has those of `in_plane`.
static const int in_plane[6] = {0, 1, 5, 6, 7, 11};

static inline void embed(const tr_frame *f, tr_frame *g) {
  *g = (tr_frame){.p = {f->p[0], f->p[1], 0},
                  .R = {f->R[0], f->R[1], 0, f->R[3], f->R[4], 0, 0, 0, 1},
                  .v = {f->v[0], f->v[1], 0},
                  .w = {0, 0, f->w[2]}};
}

#endif
