// SPDX-License-Identifier: Apache-2.0
// What pivots are measured against in measured plans: the sum of all that they were made of. Part of block.c, compiled for
// the sizes that matter.
#ifndef TR_BLOCK_MEASURE_H
#define TR_BLOCK_MEASURE_H

FIXED void add_sizes_of(const block_kind *kind, int w, int from, int end, const double *L,
                        const double *U, double *sum) {
  for (int r = from; r < end; r++) {
    const block_run *run = kind->run + r;
    const double *row = L + run->row * w, *column = U + run->row;
    for (int i = 0; i < run->size; i++, row += w, column++) {
      double x = row[0] * column[0];
      for (int k = 1; k < w; k++) x += row[k] * column[k * kind->rows];
      sum[run->first + i] += fabs(x);
    }
  }
}

// What node s takes from the diagonals of unknowns since .. before - 1, in absolute value, to sum (n).
static void add_sizes(const tr_blocks *b, const block_node *s, const double *F, int since,
                      int before, double *sum) {
  const block_kind *kind = (const block_kind *)(b->kind + s->kind);
  int from = since > 0 ? runs_before(s, kind, since) : 0;
  int end = before < INT_MAX ? runs_before(s, kind, before) : kind->runs, w = kind->width;
  const double *L = F + s->at + (kind->lanes ? w : w * w);
  const double *U = L + (kind->lanes ? kind->runs : kind->rows) * w;
  sum += s->first;
  if (kind->lanes) {
    for (int r = from; r < end; r++)
      for (int i = 0; i < kind->run[r].size; i++)
        sum[kind->run[r].first + i] += fabs(L[r * w + i] * U[r * w + i]);
    return;
  }
  switch (w) {
    case 3: add_sizes_of(kind, 3, from, end, L, U, sum); break;
    case 4: add_sizes_of(kind, 4, from, end, L, U, sum); break;
    case 5: add_sizes_of(kind, 5, from, end, L, U, sum); break;
    case 6: add_sizes_of(kind, 6, from, end, L, U, sum); break;
    default: add_sizes_of(kind, w, from, end, L, U, sum);
  }
}

FIXED void scale_node_of(int w, bool apart, const double *D, double *d) {
  for (int i = 0; i < w; i++) {
    double sum = d[i];
    for (int k = 0; k < i && !apart; k++) sum += fabs(D[i * w + k] * D[k * w + i]) * (d[k] * d[k]);
    d[i] = 1 / sqrt(sum);
  }
}

// d (width of the node) from the sums in it, to which pivots of the same node add.
static void scale_node(const tr_blocks *b, const block_node *s, const double *F, double *d) {
  const block_kind *kind = (const block_kind *)(b->kind + s->kind);
  const double *D = F + s->at;
  switch (kind->lanes ? 0 : kind->width) {
    case 0: scale_node_of(kind->width, true, D, d); break;
    case 3: scale_node_of(3, false, D, d); break;
    case 4: scale_node_of(4, false, D, d); break;
    case 5: scale_node_of(5, false, D, d); break;
    case 6: scale_node_of(6, false, D, d); break;
    default: scale_node_of(kind->width, false, D, d);
  }
}

#endif
