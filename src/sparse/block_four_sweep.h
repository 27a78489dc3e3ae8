// SPDX-License-Identifier: Apache-2.0
// The sweeps of a solve through four nodes of one kind that do not see each other (block_window.c), one in each lane, for
// one right-hand side. (Two side by side fill the lanes of one node.) Included by block_solve.c.
//
// x is that of the first pivot of the first node. For the last nodes of the periods there are rows of four of their own.

typedef struct four_rows {
  lanes own[3], next[3];
} four_rows;
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

FIXED void forward_four_of(int w, int one, int two, const double *L, const double *x, double *first,
                           double *second) {
  lanes y[3];
  for (int k = 0; k < w; k++) y[k] = OF(x + LANES * k);
  forward_four_run(one, w, L, y, first);
  if (two > 0) forward_four_run(two, w, L + LANES * one * w, y, second);
}

FIXED void forward_four_lanes(int w, int runs, const double *L, const double *x, double *first,
                              double *second) {
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
  const double *U = D + LANES * w * w;
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
  const double *U = D + LANES * w;
#pragma GCC unroll 3
  for (int k = 0; k < w; k++) {
    lanes y = OF(x + LANES * k) - OF(U + LANES * k) * OF(first + LANES * k);
    if (runs > 1) y -= OF(U + LANES * (w + k)) * OF(second + LANES * k);
    AT(x + LANES * k) = y * OF(D + LANES * k);
  }
}

// A free node of the first period and those of the others, down or up. F, place[RUN_FREE]: numbers and unknowns of the
// window; place: where runs are
FIXED void sweep_four(const four_op *op, bool up, const double *F, double *const *place) {
  double *x = place[RUN_FREE] + op->x;
  double *first = place[op->place[0]] + op->to[0], *second = place[op->place[1]] + op->to[1];
  const double *D = F + op->at, *L = F + op->low;
#define SHAPE(w, one, two)                                \
  case BLOCK_##w##_##one##_##two:                         \
    if (up)                                               \
      backward_four_of(w, one, two, D, x, first, second); \
    else                                                  \
      forward_four_of(w, one, two, L, x, first, second);  \
    break;
#define LANE(w, runs)                                    \
  case BLOCK_LANES_##w##_##runs:                         \
    if (up)                                              \
      backward_four_lanes(w, runs, D, x, first, second); \
    else                                                 \
      forward_four_lanes(w, runs, L, x, first, second);  \
    break;
  switch (op->shape) {
    BLOCK_FOURS(SHAPE)
    BLOCK_FOUR_LANES(LANE)
    default: __builtin_unreachable();
  }
#undef SHAPE
#undef LANE
}

// Numbers of four last nodes that follow each other; the first ones are written with what is behind them, which is written
// after that.
FIXED void write_fours(const lanes *x, double *to) {
  AT(to) = x[0], AT(to + 3) = x[1], AT(to + 6) = x[2];
  *(lanes_pair *)(to + 9) = __builtin_shufflevector(x[3], x[3], 0, 1), to[11] = x[3][2];
}

// The last nodes of the periods, if of three pivots: x_next -= L x, with what free nodes have for them; low, x: of the first
FIXED void columns_down(const double *low, four_rows *rows, double *x, double *next) {
  lanes y[BLOCK_FOUR] = {rows->own[0], rows->own[1], rows->own[2], rows->own[2]}, product, L[3];
  lanes_transpose(y);
  for (int l = 0; l < BLOCK_FOUR; l++) y[l] += OF(x + 3 * l);
#pragma GCC unroll 4
  for (int l = 0; l < BLOCK_FOUR; l++) {
    read_three(low + 9 * l, L);
    combine_three(L, &y[l], &product);
    if (l < BLOCK_FOUR - 1) y[l + 1] -= product;
  }
  write_fours(y, x);
  for (int i = 0; i < 3; i++) next[i] -= product[i];
}

// x = D (x - U x_next), backwards, and what free nodes see of them
FIXED void columns_up(const double *at, four_rows *rows, double *x, const double *next) {
  lanes y[BLOCK_FOUR], last = OF(next), product, block[3];
#pragma GCC unroll 4
  for (int l = BLOCK_FOUR - 1; l >= 0; l--) {
    read_three(at + 9 * l + 36, block);
    combine_three(block, &last, &product);
    last = OF(x + 3 * l) - product;
    read_three(at + 9 * l, block);
    combine_three(block, &last, &y[l]);
    last = y[l];
  }
  write_fours(y, x);
  lanes_transpose(y);
  for (int i = 0; i < 3; i++) {
    lanes beyond = {next[i], next[i], next[i], next[i]};
    rows->own[i] = y[i], rows->next[i] = __builtin_shufflevector(y[i], beyond, 1, 2, 3, 4);
  }
}

// The same of w pivots, and by rows.
FIXED void rows_down(int w, const double *L, double *x, double *next) {
  for (int l = 0; l < BLOCK_FOUR; l++, L += w * w, x += w)
    forward_run(w, w, L, x, l < BLOCK_FOUR - 1 ? x + w : next);
}
FIXED void rows_up(int w, const double *at, double *x, const double *next) {
  double y[3];
  for (int l = BLOCK_FOUR - 1; l >= 0; l--) {
    const double *D = at + w * w * l, *own = x + w * l;
    for (int k = 0; k < w; k++) y[k] = own[k];
    backward_run(w, w, D + BLOCK_FOUR * w * w, w, l < BLOCK_FOUR - 1 ? own + w : next, y);
    for (int k = 0; k < w; k++) dot(w, D + k * w, y, &x[w * l + k]);
  }
}

FIXED void down_last(int w, const double *L, four_rows *rows, double *x, double *next) {
  for (int i = 0; i < w; i++) {
    lanes later;
    lanes_later(&rows->next[i], &later);
    rows->own[i] += later, next[i] += rows->next[i][LANES - 1];
  }
  if (w == 3)
    columns_down(L, rows, x, next);
  else
    add_row(w, rows->own, x), rows_down(w, L, x, next);
}

FIXED void up_last(int w, const double *at, four_rows *rows, double *x, const double *next) {
  if (w == 3) {
    columns_up(at, rows, x, next);
    return;
  }
  rows_up(w, at, x, next);
  for (int i = 0; i < w; i++) {
    rows->own[i] = (lanes){x[i], x[w + i], x[2 * w + i], x[3 * w + i]};
    rows->next[i] = (lanes){x[w + i], x[2 * w + i], x[3 * w + i], next[i]};
  }
}

#define SHAPE(w, one, two)                  \
  case BLOCK_##w##_##one##_##two:           \
    if (up)                                 \
      up_last(w, F + s->at, rows, x, next); \
    else                                    \
      down_last(w, low, rows, x, next);     \
    break;
FIXED void sweep_rest(const tr_blocks *b, const block_window *window, const window_numbers *n,
                      bool up, const double *F, four_rows *rows, double *all) {
  const block_node *s = b->node + window->node + window->period - 1;
  const double *low = F + b->node[window->node].at + n->rest_low;
  double *x = all + s->first, *next = all + b->node[window->next].first;
  switch (((const block_kind *)(b->kind + s->kind))->shape) {
    BLOCK_RESTS(SHAPE)
    default: __builtin_unreachable();
  }
}
#undef SHAPE

// Windows from *window on that follow each other and begin before node `end`.
FIXED void down_windows(const tr_blocks *b, const block_window **window, int end, const double *F,
                        double *x) {
  const block_window *w = *window;
  four_op op[BLOCK_PERIOD_MAX];
  window_numbers n;
  four_rows rows;
  double *place[] = {x, (double *)rows.own, (double *)rows.next}; // by run_place
  do {
    const block_node *s = b->node + w->node;
    const lanes none = {0};
    for (int i = 0; i < 3; i++) rows.own[i] = rows.next[i] = none;
    if (w == *window || !w->alike) n = list_ops(b, w, op);
    if (b->numbers > FAR) fetch_window(F, s->at + n.low, s->at + n.end, AHEAD);
    place[RUN_FREE] = x + s->first;
    for (int o = 0; o < w->period - 1; o++) sweep_four(op + o, false, F + s->at, place);
    sweep_rest(b, w++, &n, false, F, &rows, x);
  } while (w->node < end && w->node == w[-1].node + BLOCK_FOUR * w[-1].period);
  *window = w;
}

// The same backwards, those before *window that end behind node `first`.
FIXED void up_windows(const tr_blocks *b, const block_window **window, int first, const double *F,
                      double *x) {
  const block_window *w = *window;
  four_op op[BLOCK_PERIOD_MAX];
  window_numbers n;
  four_rows rows;
  double *place[] = {x, (double *)rows.own, (double *)rows.next}; // by run_place
  do {
    bool new = w-- == *window || !w[1].alike;
    const block_node *s = b->node + w->node;
    if (new) n = list_ops(b, w, op);
    if (b->numbers > FAR) fetch_window(F, s->at, s->at + n.low, -AHEAD);
    sweep_rest(b, w, &n, true, F, &rows, x);
    place[RUN_FREE] = x + s->first;
    for (int o = w->period - 1; o-- > 0;) sweep_four(op + o, true, F + s->at, place);
  } while (w > b->window && w[-1].node >= first &&
           w[-1].node + BLOCK_FOUR * w[-1].period == w->node);
  *window = w;
}
