// SPDX-License-Identifier: Apache-2.0
// Factors of a large matrix do not fit into the cache: what is written there and factored later comes from far twice. So
// the parts are cut into tiles, each of which is written right before it is factored. A node subtracts from nodes to come,
// also from those of other tiles: what a number is before that must be there in time (tr_blocks_due).
#include "block_tile.h"

#include "block_shape.h"

// Numbers of a tile, a part of the cache that a core has for itself; of a matrix that is much more than that (measured).
enum { TILE = 1 << 14, TILED_MIN = 1 << 18 };

// Where the next tile begins: a window is in one of them, and so are three unknowns that go together.
static int tile_end(const tr_blocks *b, int s, int end, const block_window **window) {
  int first = b->node[s].at;
  while (s < end && (b->node[s].at - first < TILE || (b->threes && b->node[s].first % 3 != 0))) {
    bool opens = s == (*window)->node;
    s += opens ? BLOCK_FOUR * (*window)->period : 1;
    *window += opens;
  }
  return s;
}

static int cut_tiles(const tr_blocks *b, int *tile, int *first) {
  const block_window *window = b->window;
  int count = 0;
  for (int p = 0; p < b->parts; p++) {
    if (first) first[p] = count;
    for (int s = b->part[p]; s < b->part[p + 1]; s = tile_end(b, s, b->part[p + 1], &window)) {
      if (tile) tile[count] = s;
      count++;
    }
  }
  if (first) first[b->parts] = count;
  if (tile) tile[count] = b->part[b->parts];
  return count;
}

// The last unknown of a node, or of those of its last run that is not in the top.
static int last_of(const tr_blocks *b, int s) {
  const block_kind *kind = (const block_kind *)(b->kind + b->node[s].kind);
  int runs = runs_before(b->node + s, kind, b->top);
  const block_run *last = kind->run + runs - 1;
  return b->node[s].first + (runs > 0 ? last->first + last->size : kind->width) - 1;
}

// The end of the window that unknown i is in, or i + 1.
static int end_from(const tr_blocks *b, int i) {
  const block_window *w = first_window(b, BY_UNKNOWN, i + 1);
  int end = w > b->window ? window_end(b, w - 1) : 0;
  return i < end ? end : i + 1;
}

// The unknowns of a part that its tiles up to this one touch, windows as a whole.
static void find_reach(const tr_blocks *b, int p, int *reach) {
  int next = b->part[p + 1], all = next < b->nodes ? b->node[next].first : b->n, most = 0;
  for (int t = b->first_tile[p]; t < b->first_tile[p + 1]; t++) {
    for (int s = b->tile[t]; s < b->tile[t + 1]; s++) {
      int last = last_of(b, s);
      most = last > most ? last : most;
    }
    most = end_from(b, most) - 1;
    int whole = b->threes ? (most + 3) / 3 * 3 : most + 1;
    reach[t] = whole < all && b->tile[t + 1] < next ? whole : all;
  }
}

tr_status tr_find_tiles(tr_arena *ar, tr_blocks *b) {
  if (b->measured || b->numbers < TILED_MIN || b->parts == 0) return TR_OK;
  int count = cut_tiles(b, NULL, NULL);
  int *tile = TR_NEW(ar, count + 1, int), *first = TR_NEW(ar, b->parts + 1, int);
  int *reach = TR_NEW(ar, count, int);
  if (!tile || !first || !reach) return TR_NO_MEMORY;
  cut_tiles(b, tile, first);
  b->tiles = count, b->tile = tile, b->first_tile = first, b->reach = reach;
  for (int p = 0; p < b->parts; p++) find_reach(b, p, reach);
  return TR_OK;
}

// ---- what is due when ------------------------------------------------------------------------------

static void touch(int tile, int count, int *due) {
  for (int i = 0; i < count; i++)
    if (tile < due[i]) due[i] = tile;
}

static void touch_targets(const tr_blocks *b, const block_node *s, int tile, int *due) {
  const block_kind *kind = (const block_kind *)(b->kind + s->kind);
  const block_target *to = block_targets(kind);
  for (int i = 0; i < kind->runs; i++)
    for (int j = 0; j < kind->runs; j++, to++)
      for (int k = 0; k < kind->run[i].size; k++) // of lanes one number each
        touch(tile, kind->lanes ? 1 : kind->run[j].size, due + s->at + to->at + k * to->step);
}

// Numbers of a window, and the diagonal block that its last node writes to; the node behind it.
static int touch_window(const tr_blocks *b, const block_window *w, int tile, int *due) {
  int first = b->node[w->node].at, width = kind_of_last(b, w)->width;
  touch(tile, numbers_in(b, w).end - first, due + first);
  touch(tile, width * width, due + b->node[w->next].at);
  return w->node + BLOCK_FOUR * w->period;
}

void tr_blocks_due(const tr_blocks *b, int *due) {
  int top = b->part[b->parts], border = top < b->nodes ? b->node[top].at : b->numbers;
  const block_window *window = b->window;
  for (int i = 0; i < b->numbers; i++) due[i] = i < border ? b->tiles : TR_DUE_FIRST;
  for (int t = 0; t < b->tiles; t++)
    for (int s = b->tile[t]; s < b->tile[t + 1];) {
      if (s == window->node) {
        s = touch_window(b, window++, t, due);
        continue;
      }
      const block_kind *kind = (const block_kind *)(b->kind + b->node[s].kind);
      touch(t, size_up(kind) + size_low(kind), due + b->node[s].at);
      touch_targets(b, b->node + s++, t, due);
    }
  for (int i = border - 1; i-- > 0;) // what windows leave free before them
    if (due[i] == b->tiles) due[i] = due[i + 1];
}

void tr_blocks_read(const tr_blocks *b, int *tile) {
  for (int i = b->top; i < b->n; i++) tile[b->order[i]] = TR_DUE_FIRST;
  for (int t = 0; t < b->tiles; t++)
    for (int i = tile_from(b, t); i < b->reach[t]; i++) tile[b->order[i]] = t;
}

bool tr_blocks_apart(const tr_blocks *b, int one, int other) {
  for (int p = 0; p < b->parts; p++)
    if ((one < b->first_tile[p + 1]) != (other < b->first_tile[p + 1])) return true;
  return false;
}
