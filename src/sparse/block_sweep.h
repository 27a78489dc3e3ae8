// SPDX-License-Identifier: Apache-2.0
// The sweeps of a solve, for one right-hand side (NUMBER is double) or two side by side (NUMBER is a pair of them), with the
// factors of one matrix (FACTOR is double) or, side by side too, of one for each. Included three times by block_solve.c, with
// NAMED to tell the functions apart.
//
// Along a chain every node waits for the one before: what counts is the longest way from its solution to the next.
// So sums branch, and upwards the rows solved last, those of the first run, come last.

// sum of a[i] * y[i]
FIXED void NAMED(dot)(int n, const FACTOR *a, const NUMBER *y, NUMBER *sum) {
  NUMBER s = a[0] * y[0];
  if (n > 1) s += a[1] * y[1];
  for (int i = 2; i + 1 < n; i += 2) s += a[i] * y[i] + a[i + 1] * y[i + 1];
  if (n > 2 && n % 2 == 1) s += a[n - 1] * y[n - 1];
  *sum = s;
}

// to (n) -= L y
FIXED void NAMED(forward_run)(int n, int w, const FACTOR *L, const NUMBER *y, NUMBER *to) {
  for (int a = 0; a < n; a++) {
    NUMBER sum;
    NAMED(dot)(w, L + a * w, y, &sum);
    to[a] -= sum;
  }
}

// y (w) -= U from, U (w x n, stride rows)
FIXED void NAMED(backward_run)(int n, int w, const FACTOR *U, int rows, const NUMBER *from,
                               NUMBER *y) {
  for (int k = 0; k < w; k++) {
    NUMBER sum;
    NAMED(dot)(n, U + k * rows, from, &sum);
    y[k] -= sum;
  }
}

// x_rows -= L x_pivots; one, two: sizes of the runs, one 0: as they are
FIXED void NAMED(forward_of)(const block_node *s, const block_kind *kind, int w, int one, int two,
                             const FACTOR *F, NUMBER *restrict x) {
  const FACTOR *L = F + s->at + w * w;
  const block_run *run = kind->run;
  NUMBER y[WIDTH];
  x += s->first;
  for (int k = 0; k < w; k++) y[k] = x[k];
  if (one > 0) NAMED(forward_run)(one, w, L, y, x + run[0].first);
  if (two > 0) NAMED(forward_run)(two, w, L + one * w, y, x + run[1].first);
  for (int i = 0; one == 0 && i < kind->runs; L += w * run[i++].size)
    NAMED(forward_run)(run[i].size, w, L, y, x + run[i].first);
}

// x_pivots := D (x_pivots - U x_rows)
FIXED void NAMED(backward_of)(const block_node *s, const block_kind *kind, int w, int one, int two,
                              const FACTOR *F, NUMBER *restrict x) {
  int rows = one == 0 ? kind->rows : one + two;
  const FACTOR *D = F + s->at, *U = D + w * w + rows * w;
  const block_run *run = kind->run;
  NUMBER y[WIDTH];
  x += s->first;
  for (int k = 0; k < w; k++) y[k] = x[k];
  if (two > 0) NAMED(backward_run)(two, w, U + one, rows, x + run[1].first, y);
  if (one > 0) NAMED(backward_run)(one, w, U, rows, x + run[0].first, y);
  for (int i = kind->runs - 1; one == 0 && i >= 0; i--) {
    const NUMBER *from = x + run[i].first;
    for (int a = 0; a < run[i].size; a++)
      for (int k = 0; k < w; k++) y[k] -= U[k * rows + run[i].row + a] * from[a];
  }
  for (int k = 0; k < w; k++) NAMED(dot)(w, D + k * w, y, &x[k]);
}

FIXED void NAMED(forward_lanes_of)(const block_node *s, const block_kind *kind, int w, int runs,
                                   const FACTOR *F, NUMBER *restrict x) {
  const FACTOR *L = F + s->at + w;
  const block_run *run = kind->run;
  x += s->first;
  for (int i = 0; i < (runs > 0 ? runs : kind->runs); i++)
    for (int l = 0; l < w; l++) x[run[i].first + l] -= L[i * w + l] * x[l];
}

// One pivot, rows that do not follow each other.
FIXED void NAMED(forward_singles)(const block_node *s, const block_kind *kind, int runs,
                                  const FACTOR *F, NUMBER *restrict x) {
  const FACTOR *L = F + s->at + 1;
  x += s->first;
  NUMBER y = x[0];
  for (int i = 0; i < runs; i++) x[kind->run[i].first] -= L[i] * y;
}
FIXED void NAMED(backward_singles)(const block_node *s, const block_kind *kind, int runs,
                                   const FACTOR *F, NUMBER *restrict x) {
  const FACTOR *D = F + s->at, *U = D + 1 + runs;
  x += s->first;
  NUMBER y = x[0];
  for (int i = runs - 1; i >= 0; i--) y -= U[i] * x[kind->run[i].first];
  x[0] = D[0] * y;
}

// x_rows -= L x_pivots of any node in runs from .. end - 1.
static void NAMED(forward_runs)(const tr_blocks *b, int node, int from, int end, const FACTOR *F,
                                NUMBER *x) {
  const block_node *s = b->node + node;
  const block_kind *kind = (const block_kind *)(b->kind + s->kind);
  int w = kind->width;
  const FACTOR *L = F + s->at + (kind->lanes ? w + from * w : w * (w + kind->run[from].row));
  x += s->first;
  for (const block_run *run = kind->run + from; run < kind->run + end; run++)
    for (int a = 0; a < run->size; a++, L += kind->lanes ? 1 : w) {
      NUMBER sum = L[0] * x[kind->lanes ? a : 0];
      if (!kind->lanes) NAMED(dot)(w, L, x, &sum);
      x[run->first + a] -= sum;
    }
}

FIXED void NAMED(backward_lanes_of)(const block_node *s, const block_kind *kind, int w, int runs,
                                    const FACTOR *F, NUMBER *restrict x) {
  if (runs == 0) runs = kind->runs;
  const FACTOR *D = F + s->at, *U = D + w + runs * w;
  const block_run *run = kind->run;
  x += s->first;
  for (int l = 0; l < w; l++) {
    NUMBER sum = x[l];
    for (int i = 0; i < runs; i++) sum -= U[i * w + l] * x[run[i].first + l];
    x[l] = sum * D[l];
  }
}

// Of any shape.
FIXED void NAMED(forward)(const block_node *s, const block_kind *kind, int w, int size,
                          const FACTOR *F, NUMBER *restrict x) {
  (void)size;
  NAMED(forward_of)(s, kind, w, 0, 0, F, x);
}
FIXED void NAMED(backward)(const block_node *s, const block_kind *kind, int w, int size,
                           const FACTOR *F, NUMBER *restrict x) {
  (void)size;
  NAMED(backward_of)(s, kind, w, 0, 0, F, x);
}
FIXED void NAMED(forward_lanes)(const block_node *s, const block_kind *kind, int w, const FACTOR *F,
                                NUMBER *restrict x) {
  NAMED(forward_lanes_of)(s, kind, w, 0, F, x);
}
FIXED void NAMED(backward_lanes)(const block_node *s, const block_kind *kind, int w,
                                 const FACTOR *F, NUMBER *restrict x) {
  NAMED(backward_lanes_of)(s, kind, w, 0, F, x);
}

// Nodes first .. end - 1, and the way back. Each kernel jumps to the next one by itself, so that the processor can learn what
// follows on what: from one place for all it guesses well or badly by where that happens to lie in memory, and a wrong guess
// takes longer than a node.
#define GO                                                 \
  do {                                                     \
    if (s == stop) return;                                 \
    s += BEFORE;                                           \
    if (far) fetch((const double *)(F + s->at), AHEAD_OF); \
    kind = (const block_kind *)(b->kind + s->kind);        \
    goto *way[kind->shape];                                \
  } while (0)
#define SHAPE_WAY(w, one, two) &&at_##w##_##one##_##two,
#define LANE_WAY(w, runs) &&at_lanes_##w##_##runs,
#define SINGLE_WAY(runs) &&at_singles_##runs,
#define SHAPE_AT(w, one, two)                                 \
  at_##w##_##one##_##two : SWEEP(s, kind, w, one, two, F, x); \
  s += AFTER;                                                 \
  GO;
#define LANE_AT(w, runs)                                       \
  at_lanes_##w##_##runs : SWEEP_LANES(s, kind, w, runs, F, x); \
  s += AFTER;                                                  \
  GO;
#define SINGLE_AT(runs)                                   \
  at_singles_##runs : SWEEP_SINGLES(s, kind, runs, F, x); \
  s += AFTER;                                             \
  GO;
#define THROUGH(from, to)                                                                     \
  {                                                                                           \
    static const void *const way[] = {                                                        \
        /* in the order of block_shape */                                                     \
        &&at_other, BLOCK_SHAPES(SHAPE_WAY) BLOCK_LANES(LANE_WAY) BLOCK_SINGLES(SINGLE_WAY)}; \
    const block_node *s = b->node + (from), *stop = b->node + (to);                           \
    const block_kind *kind;                                                                   \
    bool far = b->numbers > FAR;                                                              \
    GO;                                                                                       \
  at_other:                                                                                   \
    BY_SHAPE(s, SWEEP_ANY, SWEEP_ANY_LANES, F, x);                                            \
    s += AFTER;                                                                               \
    GO;                                                                                       \
    BLOCK_SHAPES(SHAPE_AT) BLOCK_LANES(LANE_AT) BLOCK_SINGLES(SINGLE_AT)                      \
  }

#define SWEEP NAMED(forward_of)
#define SWEEP_SINGLES NAMED(forward_singles)
#define SWEEP_LANES NAMED(forward_lanes_of)
#define SWEEP_ANY NAMED(forward)
#define SWEEP_ANY_LANES NAMED(forward_lanes)
#define BEFORE 0
#define AFTER 1
#define AHEAD_OF AHEAD
TR_WIDE_TEXT(NAMED(sweep_down),
             (const tr_blocks *b, int first, int end, const FACTOR *F, NUMBER *x),
             (b, first, end, F, x), THROUGH(first, end))
#undef SWEEP
#undef SWEEP_LANES
#undef SWEEP_SINGLES
#undef SWEEP_ANY
#undef SWEEP_ANY_LANES
#undef BEFORE
#undef AFTER
#undef AHEAD_OF

#define SWEEP NAMED(backward_of)
#define SWEEP_SINGLES NAMED(backward_singles)
#define SWEEP_LANES NAMED(backward_lanes_of)
#define SWEEP_ANY NAMED(backward)
#define SWEEP_ANY_LANES NAMED(backward_lanes)
#define BEFORE -1
#define AFTER 0
#define AHEAD_OF -AHEAD
TR_WIDE_TEXT(NAMED(sweep_up), (const tr_blocks *b, int first, int end, const FACTOR *F, NUMBER *x),
             (b, first, end, F, x), THROUGH(end, first))
#undef SWEEP
#undef SWEEP_LANES
#undef SWEEP_SINGLES
#undef SWEEP_ANY
#undef SWEEP_ANY_LANES
#undef BEFORE
#undef AFTER
#undef AHEAD_OF
#undef GO
#undef SHAPE_WAY
#undef LANE_WAY
#undef SINGLE_WAY
#undef SHAPE_AT
#undef LANE_AT
#undef SINGLE_AT
#undef THROUGH
