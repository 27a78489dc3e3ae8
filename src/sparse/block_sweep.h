// SPDX-License-Identifier: Apache-2.0
// The sweeps of a solve, for one right-hand side (NUMBER is double) or two side by side (NUMBER is a pair
// of them). Included twice by block.c, with NAMED to tell the functions apart.

// x_rows -= L x_pivots; size: of all runs, 0: they differ; runs: how many, 0: as many as there are
FIXED void NAMED(forward_of)(const block_node *s, const block_kind *kind, int w, int size, int runs,
                             const double *F, NUMBER *restrict x) {
  const double *L = F + s->at + w * w;
  const block_run *run = kind->run;
  NUMBER y[WIDTH];
  x += s->first;
  for (int k = 0; k < w; k++) y[k] = x[k];
  for (int i = 0; i < (runs > 0 ? runs : kind->runs); i++) {
    int n = size > 0 ? size : run[i].size;
    NUMBER *to = x + run[i].first;
    for (int a = 0; a < n; a++, L += w) {
      NUMBER sum = L[0] * y[0];
      for (int k = 1; k < w; k++) sum += L[k] * y[k];
      to[a] -= sum;
    }
  }
}

// x_pivots := D (x_pivots - U x_rows)
FIXED void NAMED(backward_of)(const block_node *s, const block_kind *kind, int w, int size,
                              int runs, const double *F, NUMBER *restrict x) {
  int rows = runs > 0 ? runs * size : kind->rows;
  const double *D = F + s->at, *U = D + w * w + rows * w;
  const block_run *run = kind->run;
  NUMBER y[WIDTH];
  x += s->first;
  for (int k = 0; k < w; k++) y[k] = x[k];
  for (int i = 0; i < (runs > 0 ? runs : kind->runs); i++) {
    int n = size > 0 ? size : run[i].size;
    const NUMBER *from = x + run[i].first;
    const double *block = U + (runs > 0 ? i * size : run[i].row);
    for (int a = 0; a < n; a++)
      for (int k = 0; k < w; k++) y[k] -= block[k * rows + a] * from[a];
  }
  for (int k = 0; k < w; k++) {
    NUMBER sum = D[k * w] * y[0];
    for (int l = 1; l < w; l++) sum += D[k * w + l] * y[l];
    x[k] = sum;
  }
}

FIXED void NAMED(forward_lanes_of)(const block_node *s, const block_kind *kind, int w, int runs,
                                   const double *F, NUMBER *restrict x) {
  const double *L = F + s->at + w;
  const block_run *run = kind->run;
  x += s->first;
  for (int i = 0; i < (runs > 0 ? runs : kind->runs); i++)
    for (int l = 0; l < w; l++) x[run[i].first + l] -= L[i * w + l] * x[l];
}

// The same of any node in runs from .. end - 1.
static void NAMED(forward_runs)(const tr_blocks *b, int node, int from, int end, const double *F,
                                NUMBER *x) {
  const block_node *s = b->node + node;
  const block_kind *kind = (const block_kind *)(b->kind + s->kind);
  int w = kind->width;
  const double *L = F + s->at + (kind->lanes ? w + from * w : w * (w + kind->run[from].row));
  x += s->first;
  for (const block_run *run = kind->run + from; run < kind->run + end; run++)
    for (int a = 0; a < run->size; a++, L += kind->lanes ? 1 : w) {
      NUMBER sum = L[0] * x[kind->lanes ? a : 0];
      for (int k = 1; k < w && !kind->lanes; k++) sum += L[k] * x[k];
      x[run->first + a] -= sum;
    }
}

FIXED void NAMED(backward_lanes_of)(const block_node *s, const block_kind *kind, int w, int runs,
                                    const double *F, NUMBER *restrict x) {
  if (runs == 0) runs = kind->runs;
  const double *D = F + s->at, *U = D + w + runs * w;
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
                          const double *F, NUMBER *restrict x) {
  NAMED(forward_of)(s, kind, w, size, 0, F, x);
}
FIXED void NAMED(backward)(const block_node *s, const block_kind *kind, int w, int size,
                           const double *F, NUMBER *restrict x) {
  NAMED(backward_of)(s, kind, w, size, 0, F, x);
}
FIXED void NAMED(forward_lanes)(const block_node *s, const block_kind *kind, int w, const double *F,
                                NUMBER *restrict x) {
  NAMED(forward_lanes_of)(s, kind, w, 0, F, x);
}
FIXED void NAMED(backward_lanes)(const block_node *s, const block_kind *kind, int w,
                                 const double *F, NUMBER *restrict x) {
  NAMED(backward_lanes_of)(s, kind, w, 0, F, x);
}

// Nodes first .. end - 1, and the way back.
#define SHAPE(w, size, runs)             \
  case BLOCK_##w##_##size##_##runs:      \
    SWEEP(s, kind, w, size, runs, F, x); \
    break;
#define LANE(w, runs)                    \
  case BLOCK_LANES_##w##_##runs:         \
    SWEEP_LANES(s, kind, w, runs, F, x); \
    break;
#define SWEEP NAMED(forward_of)
#define SWEEP_LANES NAMED(forward_lanes_of)
FIXED void NAMED(down_all)(const tr_blocks *b, int first, int end, const double *F, NUMBER *x) {
  bool far = b->numbers > FAR;
  for (const block_node *s = b->node + first; s < b->node + end; s++) {
    if (far) fetch(F + s->at, AHEAD);
    const block_kind *kind = (const block_kind *)(b->kind + s->kind);
    switch (kind->shape) {
      BLOCK_SHAPES(SHAPE)
      BLOCK_LANES(LANE)
      default: BY_SHAPE(s, NAMED(forward), NAMED(forward_lanes), F, x);
    }
  }
}
#undef SWEEP
#undef SWEEP_LANES

#define SWEEP NAMED(backward_of)
#define SWEEP_LANES NAMED(backward_lanes_of)
FIXED void NAMED(up_all)(const tr_blocks *b, int first, int end, const double *F, NUMBER *x) {
  bool far = b->numbers > FAR;
  for (const block_node *s = b->node + end; s-- > b->node + first;) {
    if (far) fetch(F + s->at, -AHEAD);
    const block_kind *kind = (const block_kind *)(b->kind + s->kind);
    switch (kind->shape) {
      BLOCK_SHAPES(SHAPE)
      BLOCK_LANES(LANE)
      default: BY_SHAPE(s, NAMED(backward), NAMED(backward_lanes), F, x);
    }
  }
}
#undef SWEEP
#undef SWEEP_LANES
#undef SHAPE
#undef LANE

FIXED void NAMED(sweep_all)(const tr_blocks *b, const double *F, NUMBER *x) {
  NAMED(down_all)(b, 0, b->nodes, F, x);
  NAMED(up_all)(b, 0, b->nodes, F, x);
}
