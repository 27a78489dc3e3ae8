// SPDX-License-Identifier: Apache-2.0
// What the factorisation and the sweeps of a solve share: kernels for the shapes that matter, four nodes in four lanes.
#ifndef TR_BLOCK_SHAPE_H
#define TR_BLOCK_SHAPE_H

#include <stdint.h>

#include "block.h"
#include "math/lanes.h"

enum { WIDTH = 16 };
#define BY_SHAPE(s, plain, lanes_of, ...)                            \
  do {                                                               \
    const block_kind *k = (const block_kind *)(b->kind + (s)->kind); \
    if (k->lanes) {                                                  \
      switch (k->width) {                                            \
        case 2: lanes_of(s, k, 2, __VA_ARGS__); break;               \
        case 3: lanes_of(s, k, 3, __VA_ARGS__); break;               \
        default: lanes_of(s, k, k->width, __VA_ARGS__);              \
      }                                                              \
      break;                                                         \
    }                                                                \
    switch (16 * k->width + (k->uniform < 16 ? k->uniform : 0)) {    \
      case 16 * 1 + 1: plain(s, k, 1, 1, __VA_ARGS__); break;        \
      case 16 * 1 + 2: plain(s, k, 1, 2, __VA_ARGS__); break;        \
      case 16 * 2 + 2: plain(s, k, 2, 2, __VA_ARGS__); break;        \
      case 16 * 2 + 3: plain(s, k, 2, 3, __VA_ARGS__); break;        \
      case 16 * 3 + 3: plain(s, k, 3, 3, __VA_ARGS__); break;        \
      case 16 * 4 + 2: plain(s, k, 4, 2, __VA_ARGS__); break;        \
      default: /* runs that differ */                                \
        switch (k->width) {                                          \
          case 1: plain(s, k, 1, 0, __VA_ARGS__); break;             \
          case 2: plain(s, k, 2, 0, __VA_ARGS__); break;             \
          case 3: plain(s, k, 3, 0, __VA_ARGS__); break;             \
          case 4: plain(s, k, 4, 0, __VA_ARGS__); break;             \
          case 5: plain(s, k, 5, 0, __VA_ARGS__); break;             \
          case 6: plain(s, k, 6, 0, __VA_ARGS__); break;             \
          default: plain(s, k, k->width, 0, __VA_ARGS__);            \
        }                                                            \
    }                                                                \
  } while (0)
#define FIXED static inline __attribute__((always_inline))

// Factors are read one after the other, and more than FAR numbers of them come from far: what is so many bytes ahead,
// perhaps on another page, is asked for in time. As much of it as a small node has.
enum { FAR = 1 << 20, AHEAD = 8192, LINE = 64 };
FIXED void fetch(const double *from, int ahead) {
  const char *at = (const char *)((uintptr_t)from + (uintptr_t)(intptr_t)ahead);
  __builtin_prefetch(at), __builtin_prefetch(at + LINE), __builtin_prefetch(at + 2 * LINE);
}

// Runs of a node before unknown `limit`.
static inline int runs_before(const block_node *s, const block_kind *kind, int limit) {
  int n = kind->runs;
  while (n > 0 && s->first + kind->run[n - 1].first >= limit) n--;
  return n;
}

// All that the numbers of a window have.
FIXED void fetch_window(const tr_blocks *b, const block_window *w, const double *F, int ahead) {
  const block_node *s = b->node + w->node;
  int numbers = BLOCK_FOUR * (s[w->period].at - s->at);
  for (int k = 0; k < numbers; k += 3 * LINE / (int)sizeof *F) fetch(F + s->at + k, ahead);
}

// The first window from a node on.
static inline const block_window *window_from(const tr_blocks *b, int node) {
  int lo = 0, hi = b->windows;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (b->window[mid].node < node)
      lo = mid + 1;
    else
      hi = mid;
  }
  return b->window + lo;
}

// ---- four nodes, one in each lane: numbers of the next are `step` apart ----------------------------

// x[k], lane l = from[k + l step], k < n, 4 <= n; and back
FIXED void load_four(int n, const double *from, int step, lanes *x) {
#pragma GCC unroll 16
  for (int k = 0; k < n; k += LANES) {
    int at = k + LANES <= n ? k : n - LANES;
    POINTERS(const double, p, from + at + l * step);
    lanes_load4(p, x + at);
  }
}

FIXED void store_four(int n, const lanes *x, double *to, int step) {
#pragma GCC unroll 16
  for (int k = 0; k < n; k += LANES) {
    int at = k + LANES <= n ? k : n - LANES;
    POINTERS(double, p, to + at + l * step);
    lanes_store4(x + at, p);
  }
}

// One number of each.
FIXED void gather(const double *x, int step, lanes *out) {
  *out = (lanes){x[0], x[step], x[2 * step], x[3 * step]};
}

FIXED void spread(const lanes *from, double *x, int step) {
  for (int l = 0; l < LANES; l++) x[l * step] = (*from)[l];
}

// n numbers from `to` on, those of lane l: l step from there, -= x. No others are touched: they may be somebody else's.
FIXED void subtract_four(int n, const lanes *x, double *to, int step) {
  lanes y[LANES];
#pragma GCC unroll 4
  for (int k = 0; k < n; k += LANES) {
    int left = n - k;
    for (int i = 0; i < LANES; i++) y[i] = x[i < left ? k + i : k];
    lanes_transpose(y);
    for (int l = 0; l < LANES; l++) {
      double *at = to + k + l * step;
      if (left >= LANES)
        *(lanes_anywhere *)at -= y[l];
      else if (left > 1)
        *(lanes_pair *)at -= __builtin_shufflevector(y[l], y[l], 0, 1);
      if (left == 3) at[2] -= y[l][2];
      if (left == 1) at[0] -= y[l][0];
    }
  }
}

#endif
