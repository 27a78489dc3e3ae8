// SPDX-License-Identifier: Apache-2.0
// A node and its parent, whose pivots follow, become one where that is faster in spite of the zeros it then has: rows
// that only the parent has. Exact patterns have x, y, z and the rotation of a body that hinges hold in four nodes, and
// five multipliers in three; as two whole blocks they take a fifth of the instructions.
//
// What a node of w pivots, m rows in r runs costs, in multiplications:
//   factor  NODE + TARGET r^2 + w (w^2 + w m + m^2)        solve  NODE + 2 RUN r + w (w + 2 m)
// and SOLVES of the latter come to one of the former. Coordinates and multipliers stay apart: pivots of the one are
// not to be looked for among the other.
#include "block_merge.h"

static const double NODE = 20, RUN = 6, TARGET = 10, SOLVES = 2.5;
static const double WORTH_IT = 0.9;

int tr_count_runs(const draft *d, int rows, const int *row) {
  int runs = 0;
  for (int k = 0; k < rows; k++)
    runs += k == 0 || row[k] != row[k - 1] + 1 || d->of[row[k]] != d->of[row[k - 1]];
  return runs;
}

static double cost(double w, double m, double r) {
  double factor = NODE + TARGET * r * r + w * (w * w + w * m + m * m);
  return factor + SOLVES * (NODE + 2 * RUN * r + w * (w + 2 * m));
}

static bool merges(const draft *d, const node_draft *s, const node_draft *parent, int leading,
                   const int *order) {
  int end = s->first + s->width, width = s->width + parent->width;
  if (s->rows == 0 || s->row[0] != end || parent->first != end || width > WIDTH_MAX) return false;
  if ((order[s->first] < leading) != (order[end] < leading)) return false;
  int runs = tr_count_runs(d, s->rows, s->row);
  int its_runs = tr_count_runs(d, parent->rows, parent->row);
  double apart = cost(s->width, s->rows, runs) + cost(parent->width, parent->rows, its_runs);
  return cost(width, parent->rows, its_runs) < WORTH_IT * apart;
}

void tr_merge_nodes(draft *d, int leading, const int *order) {
  int kept = 0;
  for (int s = 0; s < d->count; s++) {
    node_draft node = d->node[s];
    for (; kept > 0 && merges(d, &d->node[kept - 1], &node, leading, order); kept--) {
      node.first = d->node[kept - 1].first;
      node.width += d->node[kept - 1].width;
      node.sorted |= d->node[kept - 1].sorted;
    }
    d->node[kept++] = node;
  }
  d->count = kept;
  for (int s = 0; s < kept; s++)
    for (int k = 0; k < d->node[s].width; k++) d->of[d->node[s].first + k] = s;
}
