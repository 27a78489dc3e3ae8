// SPDX-License-Identifier: Apache-2.0
// In which order nodes are visited. Numbering and places stay those of the elimination tree.
//
// Along a linkage the node of a joint needs that of the joint before, and the bodies between them, which need nobody,
// subtract from rows of both. If they do so between the two, what goes from joint to joint waits for each of these
// subtractions, one after the other, in factorisations and on the way down of solves. So a node that others write to lets
// leaves that follow it pass: by the time its turn has come they are done. Windows, which have an order of their own, stay
// where they are. Systems that are cut into parts keep their order: next to singular positions of a thousand windows of
// four-bars it is the better one, for what is left of pivots there is round-off.
#include "block_visit.h"

#include "block_window.h"

// Runs of a node next to which its leaves count. Larger ones, as nets have them, take their time anyway, and leaves had
// better be close to where they are needed.
enum { FEW = 2 };

static int run_first(const tr_blocks *b, int node, int run) {
  return b->node[node].first + kind_of(b, node)->run[run].first;
}

// inner (nodes): somebody writes to them; to (nodes): where they go
static void visit(tr_blocks *b, const int *inner, int *to) {
  const block_window *window = b->window;
  for (int s = 0; s < b->nodes; s++) {
    if (s == window->node) {
      s += BLOCK_FOUR * window++->period - 1;
      continue;
    }
    if (!inner[s] || kind_of(b, s)->runs > FEW) continue;
    int last = s;
    block_node late = b->node[s];
    for (; last + 1 < window->node && !inner[last + 1]; last++)
      b->node[last] = b->node[last + 1], to[last + 1] = last;
    b->node[last] = late, to[s] = last;
    s = last;
  }
}

void tr_let_leaves_pass(const int *of, int *room, tr_blocks *b) {
  int *inner = room, *to = room + b->nodes;
  if (b->parts > 0) return;
  for (int s = 0; s < b->nodes; s++) inner[s] = false, to[s] = s;
  for (int s = 0; s < b->nodes; s++)
    for (int r = 0; r < kind_of(b, s)->runs; r++) inner[of[run_first(b, s, r)]] = true;
  visit(b, inner, to);
  for (int w = 0; w < b->windows; w++) b->window[w].next = to[b->window[w].next];
}
