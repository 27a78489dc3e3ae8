// SPDX-License-Identifier: Apache-2.0
// What the factorisation and the sweeps of a solve share: kernels for the shapes that matter, four nodes in four lanes.
#ifndef TR_BLOCK_SHAPE_H
#define TR_BLOCK_SHAPE_H

#include <stdint.h>

#include "block_merge.h"
#include "block_window.h"
#include "math/lanes.h"

enum { WIDTH = WIDTH_MAX };
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

// Numbers of a window from .. end - 1.
FIXED void fetch_window(const double *F, int from, int end, int ahead) {
  for (int at = from; at < end; at += 3 * LINE / (int)sizeof *F) fetch(F + at, ahead);
}

// ---- four free nodes of a window, one in each lane -------------------------------------------------

// Where a run of a free node is: among free nodes of its period, or all of its last node, or of that of the next.
typedef enum { RUN_FREE, RUN_OWN, RUN_NEXT } run_place;

// What is to be done with a free node, one for all windows that are alike: places are from those of the window on.
typedef struct four_op {
  const block_kind *kind;
  int shape, at, low, x;
  int to[2];          // its runs, if free
  run_place place[2]; // of which there may be one
} four_op;

// Where, from that of the window on, numbers begin: D and U of the last nodes, L of free ones and of the last ones; and
// where they end.
typedef struct window_numbers {
  int rest, low, rest_low, end;
} window_numbers;

// D and U; L.
static inline int size_up(const block_kind *k) {
  return k->width * (k->lanes ? 1 + k->runs : k->width + k->rows);
}
static inline int size_low(const block_kind *k) {
  return k->width * (k->lanes ? k->runs : k->rows);
}
static inline const block_kind *kind_of_last(const tr_blocks *b, const block_window *w) {
  return (const block_kind *)(b->kind + b->node[w->node + w->period - 1].kind);
}

// op: or NULL
FIXED window_numbers list_ops(const tr_blocks *b, const block_window *w, four_op *op) {
  const block_node *s = b->node + w->node;
  const block_kind *last = kind_of_last(b, w);
  int own = s[w->period - 1].first - s->first, rest = s[w->period - 1].at - s->at;
  int low = rest + BLOCK_FOUR * size_up(last), rest_low = low;
  for (int o = 0; o < w->period - 1; o++) {
    const block_kind *kind = (const block_kind *)(b->kind + s[o].kind);
    int at = s[o].at - s->at, x = s[o].first - s->first;
    if (op) op[o] = (four_op){kind, kind->shape, at, rest_low, x, {0}, {0}};
    for (int r = 0; op && r < 2; r++) {
      int to = x + kind->run[r < kind->runs ? r : 0].first;
      op[o].place[r] = to < own ? RUN_FREE : to == own ? RUN_OWN : RUN_NEXT;
      op[o].to[r] = to < own ? to : 0;
    }
    rest_low += BLOCK_FOUR * size_low(kind);
  }
  return (window_numbers){rest, low, rest_low, rest_low + BLOCK_FOUR * size_low(last)};
}

// Among all.
static inline window_numbers numbers_in(const tr_blocks *b, const block_window *w) {
  window_numbers n = list_ops(b, w, NULL);
  int at = b->node[w->node].at;
  return (window_numbers){at + n.rest, at + n.low, at + n.rest_low, at + n.end};
}

#define AT(x) (*(lanes_anywhere *)(x))
#define OF(x) (*(const lanes_anywhere *)(x))

// Lane l is that of l - 1, the first 0
FIXED void lanes_later(const lanes *x, lanes *y) {
  const lanes none = {0};
  *y = __builtin_shufflevector(none, *x, 0, 4, 5, 6);
}
// to[i + w l] += x[i], lane l, i < w
FIXED void add_row(int w, const lanes *x, double *to) {
  lanes y[LANES];
  for (int i = 0; i < LANES; i++) y[i] = x[i < w ? i : w - 1];
  if (w == 1) {
    AT(to) += y[0];
    return;
  }
  if (w == 2) {
    lanes a = __builtin_shufflevector(y[0], y[1], 0, 4, 2, 6);
    lanes c = __builtin_shufflevector(y[0], y[1], 1, 5, 3, 7);
    AT(to) += __builtin_shufflevector(a, c, 0, 1, 4, 5);
    AT(to + 4) += __builtin_shufflevector(a, c, 2, 3, 6, 7);
    return;
  }
  lanes_transpose(y);
  AT(to) += __builtin_shufflevector(y[0], y[1], 0, 1, 2, 4);
  AT(to + 4) += __builtin_shufflevector(y[1], y[2], 1, 2, 4, 5);
  AT(to + 8) += __builtin_shufflevector(y[2], y[3], 2, 4, 5, 6);
}

// Rows and columns of 3 x 3, from one to the next three numbers: a fourth is read and does not matter.
FIXED void read_three(const double *from, lanes *x) {
  x[0] = OF(from), x[1] = OF(from + 3), x[2] = OF(from + 6);
}

// out = sum of a[k] x_k, three numbers x
#define EVERY(x, k) __builtin_shufflevector(x, x, k, k, k, k)
FIXED void combine_three(const lanes *a, const lanes *x, lanes *out) {
  *out = a[0] * EVERY(*x, 0) + a[1] * EVERY(*x, 1) + a[2] * EVERY(*x, 2);
}

#endif
