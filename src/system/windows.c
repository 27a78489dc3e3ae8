// SPDX-License-Identifier: Apache-2.0
#include "windows.h"

#include <string.h>

#include "together.h"

enum { KNOWN = TR_BAR_KNOWN };

// Bars in the order of their chains, which follow each other.
typedef struct chains {
  const tr_system *s;
  const tr_body_type *type;
  int rows, bars;
  int (*at)[2]; // (joints) bars at each, or -1
  int *bar;     // (bars)
  int (*row)[2];
  int *number; // (bars) its place in the chain
} chains;

static const tr_pin *pins_at(const tr_system *s, int body) { return s->pin + s->first_pin[body]; }

static bool is_bar(const chains *c, int body) {
  const tr_system *s = c->s;
  const tr_body_type *type = s->body[body].type;
  double known[KNOWN];
  if (!type->bar || (c->type && type != c->type) || pins_of(s, body) != 2) return false;
  const tr_pin *pin = pins_at(s, body);
  return pin[0].row != pin[1].row && type->bar(s->slot[body].par, 2, pin, s->site, known);
}

static void find_bars(chains *c) {
  for (int i = 0; i < c->s->njoint; i++) c->at[i][0] = c->at[i][1] = -1;
  for (int b = 0; b < c->s->nbody; b++) {
    if (!is_bar(c, b)) continue;
    c->type = c->s->body[b].type;
    for (int k = 0; k < 2; k++) {
      int *at = c->at[pins_at(c->s, b)[k].row / c->rows];
      at[at[0] >= 0] = b;
    }
  }
}

// From a joint that has one bar to the next that has not two. Those gone along are taken out.
static void follow(chains *c, int joint) {
  for (int number = 0;; number++) {
    int *at = c->at[joint], b = at[at[0] < 0];
    if (b < 0) return;
    const tr_pin *pin = pins_at(c->s, b);
    int row = joint * c->rows, to = pin[pin[0].row == row].row, next = to / c->rows;
    c->bar[c->bars] = b, c->number[c->bars] = number;
    c->row[c->bars][0] = row, c->row[c->bars++][1] = to;
    bool ends = c->at[next][0] < 0 || c->at[next][1] < 0;
    at[at[0] < 0] = -1;
    at = c->at[next], at[at[0] != b] = -1;
    if (ends) return;
    joint = next;
  }
}

// Segments of so many bars; of each the first one is noted if that is asked for.
static int cut(const chains *c, int links, int *first) {
  int count = 0;
  for (int i = 0; i + links <= c->bars;) {
    bool whole = c->number[i + links - 1] == c->number[i] + links - 1;
    if (whole && first) first[count] = i;
    count += whole;
    i += whole ? links : 1;
    while (!whole && i < c->bars && c->number[i] > 0) i++;
  }
  return count / LANES * LANES;
}

// The length for which most joints are within.
static int best_length(const chains *c) {
  int best = 0, most = 0;
  for (int links = 2; links <= TR_WINDOW_LINKS; links++) {
    int within = cut(c, links, NULL) * (links - 1);
    if (within >= most && within > 0) most = within, best = links;
  }
  return best;
}

static void know(const chains *c, int bar, int lane, double *to) {
  double known[KNOWN];
  const tr_system *s = c->s;
  const tr_pin *pin = pins_at(s, c->bar[bar]);
  bool turned = pin[0].row != c->row[bar][0];
  tr_pin pins[2] = {pin[turned], pin[!turned]};
  s->body[c->bar[bar]].type->bar(s->slot[c->bar[bar]].par, 2, pins, s->site, known);
  for (int i = 0; i < KNOWN; i++) to[LANES * i + lane] = known[i];
}

// One room for all bars if they are alike.
static tr_status know_all(const chains *c, const int *first, tr_arena *ar, tr_windows *out) {
  double one[LANES * KNOWN], other[LANES * KNOWN];
  int size = LANES * KNOWN;
  for (int l = 0; l < LANES; l++) know(c, first[0], l, one);
  memcpy(other, one, sizeof other);
  for (int i = 0; i < LANES * out->count * out->links && out->step == 0; i++) {
    know(c, first[i / out->links] + i % out->links, 0, other);
    if (memcmp(one, other, sizeof one) != 0) out->step = size;
  }
  out->known = TR_NEW(ar, out->step > 0 ? size * out->links * out->count : size, double);
  if (!out->known) return TR_NO_MEMORY;
  memcpy(out->known, one, sizeof one);
  for (int i = 0; i < LANES * out->count * out->links && out->step > 0; i++)
    know(c, first[i / out->links] + i % out->links, i / out->links % LANES,
         out->known + size * (i / out->links / LANES * out->links + i % out->links));
  return TR_OK;
}

// The first of neighbours, in this order or the other; or -1.
static int find_run(const int *bar, int n) {
  int step = bar[1] - bar[0];
  if (step != 1 && step != -1) return -1;
  for (int i = 1; i < n; i++)
    if (bar[i] - bar[i - 1] != step) return -1;
  return bar[step > 0 ? 0 : n - 1];
}

static tr_status place(chains *c, int *first, tr_arena *ar, tr_windows *out) {
  int links = best_length(c);
  if (links == 0) return TR_OK;
  out->links = links, out->count = cut(c, links, first) / LANES, out->type = c->type;
  out->bar = TR_NEW(ar, LANES * links * out->count, int);
  out->row = TR_NEW(ar, LANES * (links + 1) * out->count, int);
  out->run = TR_NEW(ar, LANES * out->count, int);
  if (!out->bar || !out->row || !out->run) return TR_NO_MEMORY;
  for (int i = 0; i < LANES * out->count; i++) {
    int *bar = out->bar + LANES * links * (i / LANES) + i % LANES;
    int *row = out->row + LANES * (links + 1) * (i / LANES) + i % LANES;
    for (int j = 0; j < links; j++, bar += LANES, row += LANES)
      *bar = c->bar[first[i] + j], *row = c->row[first[i] + j][0];
    *row = c->row[first[i] + links - 1][1];
    out->run[i] = find_run(c->bar + first[i], links);
  }
  return know_all(c, first, ar, out);
}

tr_status tr_windows_find(const tr_system *s, int rows, tr_arena *ar, tr_windows *out) {
  size_t n = (size_t)s->nbody, joints = (size_t)s->njoint;
  chains c = {.s = s, .rows = rows};
  *out = (tr_windows){0};
  int *room = tr_resize(s->al, NULL, (2 * joints + 5 * n + 1) * sizeof *room);
  if (!room) return TR_NO_MEMORY;
  c.at = (int(*)[2])room, c.row = (int(*)[2])(room + 2 * joints), c.bar = room + 2 * (joints + n);
  c.number = c.bar + n;
  find_bars(&c);
  for (int i = 0; i < s->njoint; i++)
    if ((c.at[i][0] < 0) != (c.at[i][1] < 0)) follow(&c, i);
  tr_status status = place(&c, c.number + n, ar, out);
  tr_resize(s->al, room, 0);
  if (status != TR_OK) out->count = 0;
  return status;
}
