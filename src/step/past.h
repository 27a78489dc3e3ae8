// SPDX-License-Identifier: Apache-2.0
// States of the past, newest first, without the newest, which is kept elsewhere: as they are, or, where there are so many
// numbers that all come from beyond the cache, as differences in single precision,
//   d_k = x_(k-1) - x_k,     sum_i w_i x_i = (sum_i w_i) x_0 - sum_(k>0) (sum_(i>=k) w_i) d_k
// Their round-off is 6e-8 of what changes from one state to the next, and nothing for what is at rest.
#ifndef TR_PAST_H
#define TR_PAST_H

#include <float.h>

#include "math/lanes.h"

// Accepted states that the predictor goes on from, in large systems more: a and lam are kept but of the newest, which is
// where the step begins, w and mu of stabilised methods of all. It looks at one more of them.
enum { TR_TERMS = 6, TR_TERMS_LARGE = 8, TR_TERMS_MAX = TR_TERMS_LARGE };

typedef struct tr_past {
  bool narrow; // float differences; else double states
  bool fresh;  // the newest difference has its place, but is not known yet
  bool used;   // there has been something to keep, of w
  int count;
  void *older[TR_TERMS_MAX - 1];
} tr_past;

// What something has come through: two states, and those before them.
typedef struct tr_course {
  const double *newest, *before;
  const tr_past *past;
} tr_course;

typedef float lanes_narrow __attribute__((vector_size(16), aligned(4), may_alias));

// Beyond what floats hold it is the largest of them.
TR_INLINE float tr_past_narrow(double x) {
  x = x < FLT_MAX ? x : FLT_MAX;
  return (float)(x > -FLT_MAX ? x : -FLT_MAX);
}

TR_INLINE double tr_past_at(bool narrow, const void *x, int i) {
  return narrow ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

// Four numbers i .., or as many as there are before `end` and zeros.
TR_INLINE void tr_past_load(bool narrow, const void *from, int i, int end, lanes *x) {
  lanes y = {0};
  if (i + LANES <= end && narrow)
    y = __builtin_convertvector(*(const lanes_narrow *)((const float *)from + i), lanes);
  else if (i + LANES <= end)
    y = *(const lanes_anywhere *)((const double *)from + i);
  else
    for (int l = 0; l < LANES; l++) y[l] = i + l < end ? tr_past_at(narrow, from, i + l) : 0;
  *x = y;
}

// x_k - x_(k+1), number i; a fresh one has the older state in `before`.
static inline double tr_past_change(const tr_past *p, const double *newest, const double *before,
                                    int k, int i) {
  if (k == 0 && p->fresh) return newest[i] - before[i];
  if (p->narrow) return ((const float *)p->older[k])[i];
  return (k > 0 ? (const double *)p->older[k - 1] : newest)[i] - ((const double *)p->older[k])[i];
}

// The same from number `first` on.
static inline tr_past tr_past_from(const tr_past *p, int first) {
  tr_past q = *p;
  for (int k = 0; k < p->count; k++)
    q.older[k] = p->narrow ? (void *)((float *)p->older[k] + first) : (double *)p->older[k] + first;
  return q;
}

// w_0 .. w_(n-1) of states -> of the newest and what is kept.
static inline void tr_past_weigh(const tr_past *p, int n, double *w) {
  if (!p->narrow) return;
  for (int i = n - 1; i > 0; i--) w[i - 1] += w[i], w[i] = -w[i];
}

#endif
