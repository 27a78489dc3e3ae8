// SPDX-License-Identifier: Apache-2.0
// The sweeps of a solve, for one right-hand side (NUMBER is double) or two side by side (NUMBER is a pair
// of them). Included twice by block.c, with NAMED to tell the functions apart.

// x_rows -= L x_pivots; size: of all runs, 0: they differ
FIXED void NAMED(forward)(const block_node *s, const block_kind *kind, int w, int size,
                          const double *F, NUMBER *restrict x) {
  const double *L = F + s->at + w * w;
  const block_run *run = kind->run;
  NUMBER y[WIDTH];
  x += s->first;
  for (int k = 0; k < w; k++) y[k] = x[k];
  for (int i = 0; i < kind->runs; i++) {
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
FIXED void NAMED(backward)(const block_node *s, const block_kind *kind, int w, int size,
                           const double *F, NUMBER *restrict x) {
  const double *D = F + s->at, *U = D + w * w + kind->rows * w;
  const block_run *run = kind->run;
  NUMBER y[WIDTH];
  x += s->first;
  for (int k = 0; k < w; k++) y[k] = x[k];
  for (int i = 0; i < kind->runs; i++) {
    int n = size > 0 ? size : run[i].size;
    const NUMBER *from = x + run[i].first;
    const double *block = U + run[i].row;
    for (int a = 0; a < n; a++)
      for (int k = 0; k < w; k++) y[k] -= block[k * kind->rows + a] * from[a];
  }
  for (int k = 0; k < w; k++) {
    NUMBER sum = D[k * w] * y[0];
    for (int l = 1; l < w; l++) sum += D[k * w + l] * y[l];
    x[k] = sum;
  }
}

FIXED void NAMED(forward_lanes)(const block_node *s, const block_kind *kind, int w, const double *F,
                                NUMBER *restrict x) {
  const double *L = F + s->at + w;
  const block_run *run = kind->run;
  x += s->first;
  for (int i = 0; i < kind->runs; i++)
    for (int l = 0; l < w; l++) x[run[i].first + l] -= L[i * w + l] * x[l];
}

FIXED void NAMED(backward_lanes)(const block_node *s, const block_kind *kind, int w,
                                 const double *F, NUMBER *restrict x) {
  const double *D = F + s->at, *U = D + w + kind->runs * w;
  const block_run *run = kind->run;
  x += s->first;
  for (int l = 0; l < w; l++) {
    NUMBER sum = x[l];
    for (int i = 0; i < kind->runs; i++) sum -= U[i * w + l] * x[run[i].first + l];
    x[l] = sum * D[l];
  }
}

FIXED void NAMED(sweep_all)(const tr_blocks *b, const double *F, NUMBER *x) {
  for (const block_node *s = b->node; s < b->node + b->nodes; s++)
    BY_SHAPE(s, NAMED(forward), NAMED(forward_lanes), F, x);
  for (const block_node *s = b->node + b->nodes; s-- > b->node;)
    BY_SHAPE(s, NAMED(backward), NAMED(backward_lanes), F, x);
}
