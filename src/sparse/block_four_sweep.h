// SPDX-License-Identifier: Apache-2.0
// The sweeps of a solve through four nodes of one kind that do not see each other (block_window.c), one in each lane, for
// one right-hand side. (Two side by side fill the lanes of one node.) Included by block_solve.c.
//
// x is that of the first pivot of the first node, the others' are `next` apart, their numbers `step`.

enum { FOUR_ROWS = 6, FOUR_PIVOTS = 3 }; // at most

// x (n) -= L y
FIXED void forward_four_run(int n, int w, const lanes *L, const lanes *y, double *x, int next) {
  lanes sum[FOUR_ROWS];
#pragma GCC unroll 8
  for (int a = 0; a < n; a++) {
    const lanes *row = L + a * w;
    sum[a] = row[0] * y[0];
    if (w > 1) sum[a] += row[1] * y[1];
    if (w > 2) sum[a] += row[2] * y[2];
  }
  subtract_four(n, sum, x, next);
}

FIXED void forward_four_of(const block_kind *kind, int w, int one, int two, int step,
                           const double *D, double *x, int next) {
  int numbers = (one + two) * w;
  lanes L[FOUR_ROWS * FOUR_PIVOTS], y[FOUR_PIVOTS];
  load_four(numbers < LANES ? LANES : numbers, D + w * w, step, L); // U is behind
#pragma GCC unroll 3
  for (int k = 0; k < w; k++) gather(x + k, next, y + k);
  forward_four_run(one, w, L, y, x + kind->run[0].first, next);
  if (two > 0) forward_four_run(two, w, L + one * w, y, x + kind->run[1].first, next);
}

FIXED void forward_four_lanes(const block_kind *kind, int w, int runs, int step, const double *D,
                              double *x, int next) {
  lanes L[FOUR_ROWS], y[FOUR_PIVOTS], product[FOUR_PIVOTS];
  load_four(runs * w, D + w, step, L);
#pragma GCC unroll 3
  for (int k = 0; k < w; k++) gather(x + k, next, y + k);
#pragma GCC unroll 3
  for (int i = 0; i < runs; i++) {
    for (int k = 0; k < w; k++) product[k] = L[i * w + k] * y[k];
    subtract_four(w, product, x + kind->run[i].first, next);
  }
}

// y -= U x, U (w x n, stride rows)
FIXED void backward_four_run(int n, int w, int rows, const lanes *U, const double *x, int next,
                             lanes *y) {
#pragma GCC unroll 8
  for (int a = 0; a < n; a++) {
    lanes v;
    gather(x + a, next, &v);
    y[0] -= U[a] * v;
    if (w > 1) y[1] -= U[rows + a] * v;
    if (w > 2) y[2] -= U[2 * rows + a] * v;
  }
}

FIXED void backward_four_of(const block_kind *kind, int w, int one, int two, int step,
                            const double *D, double *x, int next) {
  int rows = one + two;
  lanes I[9 + 2 * FOUR_ROWS * FOUR_PIVOTS], y[FOUR_PIVOTS], *U = I + w * (w + rows);
  if (w == 1) {
    load_four(1 + 2 * rows, D, step, I);
  } else {
    load_four(w * w, D, step, I);
    load_four(w * rows, D + w * (w + rows), step, U);
  }
#pragma GCC unroll 3
  for (int k = 0; k < w; k++) gather(x + k, next, y + k);
  if (two > 0) backward_four_run(two, w, rows, U + one, x + kind->run[1].first, next, y);
  backward_four_run(one, w, rows, U, x + kind->run[0].first, next, y);
#pragma GCC unroll 3
  for (int k = 0; k < w; k++) {
    const lanes *row = I + k * w;
    lanes sum = row[0] * y[0];
    if (w > 1) sum += row[1] * y[1];
    if (w > 2) sum += row[2] * y[2];
    spread(&sum, x + k, next);
  }
}

FIXED void backward_four_lanes(const block_kind *kind, int w, int runs, int step, const double *D,
                               double *x, int next) {
  lanes I[FOUR_PIVOTS + 2 * FOUR_ROWS], *U = I + w + runs * w;
  load_four(w + 2 * runs * w, D, step, I);
#pragma GCC unroll 3
  for (int k = 0; k < w; k++) {
    lanes y, v;
    gather(x + k, next, &y);
    for (int i = 0; i < runs; i++) {
      gather(x + kind->run[i].first + k, next, &v);
      y -= U[i * w + k] * v;
    }
    y *= I[k];
    spread(&y, x + k, next);
  }
}

// Node s and those of the three periods to come, down or up.
FIXED void sweep_four(const tr_blocks *b, const block_node *s, int period, bool up, const double *F,
                      double *x) {
  const block_kind *kind = (const block_kind *)(b->kind + s->kind);
  int step = s[period].at - s->at, next = s[period].first - s->first;
  const double *D = F + s->at;
  x += s->first;
#define SHAPE(w, one, two)                                   \
  case BLOCK_##w##_##one##_##two:                            \
    if (up)                                                  \
      backward_four_of(kind, w, one, two, step, D, x, next); \
    else                                                     \
      forward_four_of(kind, w, one, two, step, D, x, next);  \
    break;
#define LANE(w, runs)                                       \
  case BLOCK_LANES_##w##_##runs:                            \
    if (up)                                                 \
      backward_four_lanes(kind, w, runs, step, D, x, next); \
    else                                                    \
      forward_four_lanes(kind, w, runs, step, D, x, next);  \
    break;
  switch (kind->shape) {
    BLOCK_FOURS(SHAPE)
    BLOCK_FOUR_LANES(LANE)
    default: __builtin_unreachable();
  }
#undef SHAPE
#undef LANE
}

// The one node of each period that is not free.
#define SHAPE(w, one, two)                                                               \
  case BLOCK_##w##_##one##_##two:                                                        \
    for (int i = 0; i < BLOCK_FOUR; i++, s += period) SWEEP(s, kind, w, one, two, F, x); \
    break;
#define SWEEP forward_of
FIXED void down_rest(const tr_blocks *b, const block_node *s, int period, const double *F,
                     double *x) {
  const block_kind *kind = (const block_kind *)(b->kind + s->kind);
  switch (kind->shape) {
    BLOCK_RESTS(SHAPE)
    default: __builtin_unreachable();
  }
}
#undef SWEEP
#define SWEEP backward_of
FIXED void up_rest(const tr_blocks *b, const block_node *s, int period, const double *F,
                   double *x) {
  const block_kind *kind = (const block_kind *)(b->kind + s->kind);
  s += (BLOCK_FOUR - 1) * period, period = -period;
  switch (kind->shape) {
    BLOCK_RESTS(SHAPE)
    default: __builtin_unreachable();
  }
}
#undef SWEEP
#undef SHAPE

// Windows from *window on that follow each other and begin before node `end`.
FIXED void down_windows(const tr_blocks *b, const block_window **window, int end, const double *F,
                        double *x) {
  const block_window *w = *window;
  do {
    int period = w->period;
    const block_node *s = b->node + w->node;
    if (b->numbers > FAR) fetch_window(b, w, F, AHEAD);
    for (int o = 0; o < period; o++)
      if (o != w->rest) sweep_four(b, s + o, period, false, F, x);
    down_rest(b, s + w->rest, period, F, x);
    w++;
  } while (w->node < end && w->node == w[-1].node + BLOCK_FOUR * w[-1].period);
  *window = w;
}

// The same backwards, those before *window that end behind node `first`.
FIXED void up_windows(const tr_blocks *b, const block_window **window, int first, const double *F,
                      double *x) {
  const block_window *w = *window;
  do {
    w--;
    int period = w->period;
    const block_node *s = b->node + w->node;
    if (b->numbers > FAR) fetch_window(b, w, F, -AHEAD);
    up_rest(b, s + w->rest, period, F, x);
    for (int o = period; o-- > 0;)
      if (o != w->rest) sweep_four(b, s + o, period, true, F, x);
  } while (w > b->window && w[-1].node >= first &&
           w[-1].node + BLOCK_FOUR * w[-1].period == w->node);
  *window = w;
}
