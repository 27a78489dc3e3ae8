// SPDX-License-Identifier: Apache-2.0
// The sweeps of a solve through four nodes of one kind that do not see each other (block_window.c), one in each lane, for
// one right-hand side. (Two side by side fill the lanes of one node.) Included by block_solve.c.
//
// x is that of the first pivot of the first node. For the last nodes of the periods there are rows of four of their own.

typedef struct four_rows {
  lanes own[3], next[3];
} four_rows;
FIXED double *rows_at(const tr_blocks *b, const block_window *w, const block_node *s,
                      const block_kind *kind, int run, four_rows *rows, double *x) {
  run_place place = place_of(b, w, s, kind, run);
  if (place == RUN_FREE) return x + kind->run[run].first;
  return (double *)(place == RUN_OWN ? rows->own : rows->next);
}

// to (n) -= L y
FIXED void forward_four_run(int n, int w, const double *L, const lanes *y, double *to) {
#pragma GCC unroll 4
  for (int a = 0; a < n; a++, L += LANES * w) {
    lanes sum = OF(L) * y[0];
    if (w > 1) sum += OF(L + LANES) * y[1];
    if (w > 2) sum += OF(L + 2 * LANES) * y[2];
    AT(to + LANES * a) -= sum;
  }
}

FIXED void forward_four_of(int w, int one, int two, const double *D, const double *x, double *first,
                           double *second) {
  const double *L = D + LANES * w * w;
  lanes y[3];
  for (int k = 0; k < w; k++) y[k] = OF(x + LANES * k);
  forward_four_run(one, w, L, y, first);
  if (two > 0) forward_four_run(two, w, L + LANES * one * w, y, second);
}

FIXED void forward_four_lanes(int w, int runs, const double *D, const double *x, double *first,
                              double *second) {
  const double *L = D + LANES * w;
#pragma GCC unroll 3
  for (int k = 0; k < w; k++) {
    lanes y = OF(x + LANES * k);
    AT(first + LANES * k) -= OF(L + LANES * k) * y;
    if (runs > 1) AT(second + LANES * k) -= OF(L + LANES * (w + k)) * y;
  }
}

// y -= U from, U (w x n, stride all)
FIXED void backward_four_run(int n, int w, int all, const double *U, const double *from, lanes *y) {
#pragma GCC unroll 4
  for (int a = 0; a < n; a++, U += LANES) {
    lanes v = OF(from + LANES * a);
    y[0] -= OF(U) * v;
    if (w > 1) y[1] -= OF(U + LANES * all) * v;
    if (w > 2) y[2] -= OF(U + 2 * LANES * all) * v;
  }
}

FIXED void backward_four_of(int w, int one, int two, const double *D, double *x,
                            const double *first, const double *second) {
  int all = one + two;
  const double *U = D + LANES * w * (w + all);
  lanes y[3];
  for (int k = 0; k < w; k++) y[k] = OF(x + LANES * k);
  if (two > 0) backward_four_run(two, w, all, U + LANES * one, second, y);
  backward_four_run(one, w, all, U, first, y);
#pragma GCC unroll 3
  for (int k = 0; k < w; k++) {
    const double *row = D + LANES * k * w;
    lanes sum = OF(row) * y[0];
    if (w > 1) sum += OF(row + LANES) * y[1];
    if (w > 2) sum += OF(row + 2 * LANES) * y[2];
    AT(x + LANES * k) = sum;
  }
}

FIXED void backward_four_lanes(int w, int runs, const double *D, double *x, const double *first,
                               const double *second) {
  const double *U = D + LANES * w * (1 + runs);
#pragma GCC unroll 3
  for (int k = 0; k < w; k++) {
    lanes y = OF(x + LANES * k) - OF(U + LANES * k) * OF(first + LANES * k);
    if (runs > 1) y -= OF(U + LANES * (w + k)) * OF(second + LANES * k);
    AT(x + LANES * k) = y * OF(D + LANES * k);
  }
}

// Node s and those of the three periods to come, down or up.
FIXED void sweep_four(const tr_blocks *b, const block_window *window, const block_node *s, bool up,
                      const double *F, four_rows *rows, double *x) {
  const block_kind *kind = (const block_kind *)(b->kind + s->kind);
  const double *D = F + s->at;
  x += s->first;
  double *first = rows_at(b, window, s, kind, 0, rows, x);
  double *second = kind->runs > 1 ? rows_at(b, window, s, kind, 1, rows, x) : first;
#define SHAPE(w, one, two)                                      \
  case BLOCK_##w##_##one##_##two:                               \
    if (up)                                                     \
      backward_four_of(w, one, two, D, x, first, second);   \
    else                                                        \
      forward_four_of(w, one, two, D, x, first, second);    \
    break;
#define LANE(w, runs)                                           \
  case BLOCK_LANES_##w##_##runs:                                \
    if (up)                                                     \
      backward_four_lanes(w, runs, D, x, first, second);    \
    else                                                        \
      forward_four_lanes(w, runs, D, x, first, second);     \
    break;
  switch (kind->shape) {
    BLOCK_FOURS(SHAPE)
    BLOCK_FOUR_LANES(LANE)
    default: __builtin_unreachable();
  }
#undef SHAPE
#undef LANE
}

// The last nodes of the periods: with what free nodes have for them, and then down.
FIXED void down_rest(const tr_blocks *b, const block_window *window, const double *F,
                     four_rows *rows, double *x) {
  const block_node *s = b->node + window->node + window->period - 1;
  double *next = x + b->node[window->next].first;
#define SHAPE(w, one, two)                                                           \
  case BLOCK_##w##_##one##_##two:                                                    \
    for (int i = 0; i < w; i++) {                                                    \
      lanes later;                                                                   \
      lanes_later(&rows->next[i], &later);                                           \
      rows->own[i] += later, next[i] += rows->next[i][LANES - 1];                    \
    }                                                                                \
    add_row(w, rows->own, x + s->first);                                        \
    for (int i = 0; i < BLOCK_FOUR; i++, s += window->period) {                      \
      forward_of(s, (const block_kind *)(b->kind + s->kind), w, one, two, F, x);     \
    }                                                                                \
    break;
  switch (((const block_kind *)(b->kind + s->kind))->shape) {
    BLOCK_RESTS(SHAPE)
    default: __builtin_unreachable();
  }
#undef SHAPE
}

// Up, and what free nodes see of them.
FIXED void up_rest(const tr_blocks *b, const block_window *window, const double *F, four_rows *rows,
                   double *x) {
  const block_node *s = b->node + window->node + BLOCK_FOUR * window->period - 1;
  const double *next = x + b->node[window->next].first, *own;
#define SHAPE(w, one, two)                                                           \
  case BLOCK_##w##_##one##_##two:                                                    \
    for (int i = 0; i < BLOCK_FOUR; i++, s -= window->period)                        \
      backward_of(s, (const block_kind *)(b->kind + s->kind), w, one, two, F, x);    \
    own = x + s[window->period].first;                                               \
    for (int i = 0; i < w; i++) {                                                    \
      rows->own[i] = (lanes){own[i], own[w + i], own[2 * w + i], own[3 * w + i]};    \
      rows->next[i] = (lanes){own[w + i], own[2 * w + i], own[3 * w + i], next[i]};  \
    }                                                                                \
    break;
  switch (((const block_kind *)(b->kind + s->kind))->shape) {
    BLOCK_RESTS(SHAPE)
    default: __builtin_unreachable();
  }
#undef SHAPE
}

// Windows from *window on that follow each other and begin before node `end`.
FIXED void down_windows(const tr_blocks *b, const block_window **window, int end, const double *F,
                        double *x) {
  const block_window *w = *window;
  do {
    four_rows rows = {0};
    if (b->numbers > FAR) fetch_window(b, w, F, AHEAD);
    for (int o = 0; o < w->period - 1; o++)
      sweep_four(b, w, b->node + w->node + o, false, F, &rows, x);
    down_rest(b, w, F, &rows, x);
    w++;
  } while (w->node < end && w->node == w[-1].node + BLOCK_FOUR * w[-1].period);
  *window = w;
}

// The same backwards, those before *window that end behind node `first`.
FIXED void up_windows(const tr_blocks *b, const block_window **window, int first, const double *F,
                      double *x) {
  const block_window *w = *window;
  do {
    four_rows rows;
    w--;
    if (b->numbers > FAR) fetch_window(b, w, F, -AHEAD);
    up_rest(b, w, F, &rows, x);
    for (int o = w->period - 1; o-- > 0;)
      sweep_four(b, w, b->node + w->node + o, true, F, &rows, x);
  } while (w > b->window && w[-1].node >= first &&
           w[-1].node + BLOCK_FOUR * w[-1].period == w->node);
  *window = w;
}
