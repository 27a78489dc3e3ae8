// SPDX-License-Identifier: Apache-2.0
// Solves with the factors of block.c: right-hand sides into the order of the elimination, down, up, and back.
#include "block_shape.h"
#include "block_tile.h"

#define FACTOR double
#define NUMBER double
#define NAMED(name) name
#include "block_sweep.h"
#undef NUMBER
#undef NAMED
#include "block_four_sweep.h"

TR_WIDE(windows_down, down_windows,
        (const tr_blocks *b, const block_window **window, int end, const double *F, double *x),
        (b, window, end, F, x))
TR_WIDE(windows_up, up_windows,
        (const tr_blocks *b, const block_window **window, int first, const double *F, double *x),
        (b, window, first, F, x))

typedef double pair __attribute__((vector_size(16)));
#define NUMBER pair
#define NAMED(name) name##_pair
#include "block_sweep.h"
#undef FACTOR
#undef NAMED
#define FACTOR pair
#define NAMED(name) name##_twin
#include "block_sweep.h"

#include "block_load.h"

enum { TWIN_GRAIN = 1 << 14 }; // numbers of factors worth handing out

typedef struct solving {
  const tr_blocks *b;
  const double *F;
  double *x, *rhs;
  bool two;                   // right-hand sides, side by side
  bool twin;                  // with a matrix each: F is of pairs
  bool fine[BLOCK_PARTS_MAX]; // they came out finite
} solving;

// Of threes that begin with the first unknown: free nodes of windows, all else.
FIXED void load_all(const tr_blocks *b, int first, int end, const double *rhs, double *x) {
  const block_window *w = first_window(b, BY_UNKNOWN, first);
  while (first < end) {
    int until = w->node < b->nodes ? b->node[w->node].first : end;
    if (until > end) until = end;
    if (first < until) load_threes(until - first, b->order + first, rhs, x + first);
    if (until == end) return;
    first = until + window_free(b, w++);
    load_fours(first - until, b->order + until, rhs, x + until);
  }
}

// fine: they are finite
FIXED void unload_all(const tr_blocks *b, int first, int end, const double *x, double *rhs,
                      bool *fine) {
  const block_window *w = first_window(b, BY_UNKNOWN, first);
  double odd = 0;
  while (first < end) {
    int until = w->node < b->nodes ? b->node[w->node].first : end;
    if (until > end) until = end;
    if (first < until) odd += unload_threes(until - first, b->order + first, x + first, rhs);
    if (until == end) break;
    first = until + window_free(b, w++);
    odd += unload_fours(first - until, b->order + until, x + until, rhs);
  }
  *fine = odd == 0;
}

TR_WIDE(load_some, load_all, (const tr_blocks *b, int first, int end, const double *rhs, double *x),
        (b, first, end, rhs, x))
TR_WIDE(unload_some, unload_all,
        (const tr_blocks *b, int first, int end, const double *x, double *rhs, bool *fine),
        (b, first, end, x, rhs, fine))

// Unknowns first .. end - 1 of the elimination.
static void load(const solving *s, int first, int end) {
  const int *order = s->b->order + first;
  bool threes = by_threes(s->b, first, end);
  if (s->two)
    (threes ? load_two_threes : load_two)(end - first, order, s->rhs, s->rhs + s->b->n,
                                          (pair *)s->x + first);
  else if (threes)
    load_some(s->b, first, end, s->rhs, s->x);
  else
    load_one(end - first, order, s->rhs, s->x + first);
}

// True: they are finite.
static bool unload(const solving *s, int first, int end) {
  const int *order = s->b->order + first;
  bool threes = by_threes(s->b, first, end);
  bool fine;
  if (!s->two && threes) {
    unload_some(s->b, first, end, s->x, s->rhs, &fine);
    return fine;
  }
  if (!s->two) return unload_one(end - first, order, s->x + first, s->rhs) == 0;
  const pair *x = (const pair *)s->x + first;
  return (threes ? unload_two_threes : unload_two)(end - first, order, x, s->rhs,
                                                   s->rhs + s->b->n) == 0;
}

// Nodes first .. end - 1, whole windows among them.
static void down(const solving *s, int first, int end) {
  const tr_blocks *b = s->b;
  if (s->twin) {
    sweep_down_twin(b, first, end, (const pair *)s->F, (pair *)s->x);
    return;
  }
  if (s->two) {
    sweep_down_pair(b, first, end, s->F, (pair *)s->x);
    return;
  }
  for (const block_window *w = window_from(b, first); first < end;) {
    int until = w->node < end ? w->node : end;
    if (first < until) sweep_down(b, first, until, s->F, s->x);
    if (until == end) return;
    windows_down(b, &w, end, s->F, s->x);
    first = w[-1].node + BLOCK_FOUR * w[-1].period;
  }
}

// A bridge in the rows of its part, or in those of the top.
static void down_bridge(const solving *s, int node, bool beyond) {
  const tr_blocks *b = s->b;
  const block_kind *kind = (const block_kind *)(b->kind + b->node[node].kind);
  int border = runs_before(b->node + node, kind, b->top);
  int from = beyond ? border : 0, end = beyond ? kind->runs : border;
  if (s->twin)
    forward_runs_twin(b, node, from, end, (const pair *)s->F, (pair *)s->x);
  else if (s->two)
    forward_runs_pair(b, node, from, end, s->F, (pair *)s->x);
  else
    forward_runs(b, node, from, end, s->F, s->x);
}

static void up(const solving *s, int first, int end) {
  const tr_blocks *b = s->b;
  if (s->twin) {
    sweep_up_twin(b, first, end, (const pair *)s->F, (pair *)s->x);
    return;
  }
  if (s->two) {
    sweep_up_pair(b, first, end, s->F, (pair *)s->x);
    return;
  }
  for (const block_window *w = window_from(b, end); first < end;) {
    int since = w > b->window ? w[-1].node + BLOCK_FOUR * w[-1].period : 0;
    if (since < first) since = first;
    if (since < end) sweep_up(b, since, end, s->F, s->x);
    if (since == first) return;
    windows_up(b, &w, first, s->F, s->x);
    end = w->node;
  }
}

static int first_of(const tr_blocks *b, int node) {
  return node < b->nodes ? b->node[node].first : b->n;
}

// The first bridge from a node on.
static int bridge_from(const tr_blocks *b, int node) {
  int lo = 0, hi = b->first_bridge[b->parts];
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (b->bridge[mid] < node)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

// All but what they have in the rows of the top.
static void down_below(const solving *s, int first, int end) {
  const tr_blocks *b = s->b;
  for (int k = bridge_from(b, first); k < b->first_bridge[b->parts] && b->bridge[k] < end; k++) {
    down(s, first, b->bridge[k]);
    down_bridge(s, b->bridge[k], false);
    first = b->bridge[k] + 1;
  }
  down(s, first, end);
}

// What no tile before has touched, then down.
static void down_tile(const solving *s, bool shared, int t) {
  const tr_blocks *b = s->b;
  load(s, tile_from(b, t), b->reach[t]);
  (shared ? down_below : down)(s, b->tile[t], b->tile[t + 1]);
}

static bool up_tile(const solving *s, int t) {
  const int *node = s->b->tile + t;
  up(s, node[0], node[1]);
  return unload(s, first_of(s->b, node[0]), first_of(s->b, node[1]));
}

static void down_part(void *what, int p) {
  const solving *s = what;
  const tr_blocks *b = s->b;
  for (int t = b->tiles > 0 ? b->first_tile[p] : 0; b->tiles > 0 && t < b->first_tile[p + 1]; t++)
    down_tile(s, true, t);
  if (b->tiles > 0) return;
  load(s, first_of(b, b->part[p]), first_of(b, b->part[p + 1]));
  down_below(s, b->part[p], b->part[p + 1]);
}

static void up_part(void *what, int p) {
  solving *s = what;
  const tr_blocks *b = s->b;
  if (b->tiles == 0) {
    up(s, b->part[p], b->part[p + 1]);
    s->fine[p] = unload(s, first_of(b, b->part[p]), first_of(b, b->part[p + 1]));
    return;
  }
  s->fine[p] = true;
  for (int t = b->first_tile[p + 1] - 1; t >= b->first_tile[p]; t--) s->fine[p] &= up_tile(s, t);
}

// `descended`: the parts have gone down.
TR_APART bool solve_together(solving *s, tr_team *team, bool descended) {
  const tr_blocks *b = s->b;
  int top = b->part[b->parts];
  if (!descended) tr_team_share(team, b->parts, down_part, s);
  load(s, b->top, b->n);
  for (int k = 0; k < b->first_bridge[b->parts]; k++) down_bridge(s, b->bridge[k], true);
  down(s, top, b->nodes);
  up(s, top, b->nodes);
  bool fine = unload(s, b->top, b->n);
  tr_team_share(team, b->parts, up_part, s);
  for (int p = 0; p < b->parts; p++) fine &= s->fine[p];
  return fine;
}

TR_APART bool solve_tiles(const solving *s, bool descended) {
  const tr_blocks *b = s->b;
  int top = b->part[b->parts];
  if (!descended) load(s, b->top, b->n);
  for (int t = 0; !descended && t < b->tiles; t++) down_tile(s, false, t);
  down(s, top, b->nodes);
  up(s, top, b->nodes);
  bool fine = unload(s, b->top, b->n);
  for (int t = b->tiles - 1; t >= 0; t--) fine &= up_tile(s, t);
  return fine;
}

static bool solve_alone(const solving *s) {
  if (s->b->tiles > 0) return solve_tiles(s, false);
  load(s, 0, s->b->n);
  down(s, 0, s->b->nodes);
  up(s, 0, s->b->nodes);
  return unload(s, 0, s->b->n);
}

void tr_blocks_descend(const tr_blocks *b, tr_team *team, const double *F, double *x,
                       const double *rhs, int tile) {
  bool shared = team && b->parts > 1;
  solving s = {.b = b, .F = F, .x = x, .rhs = (double *)rhs}; // which is not written
  if (tile != TR_DUE_FIRST)
    down_tile(&s, shared, tile);
  else if (!shared)
    load(&s, b->top, b->n);
}

bool tr_blocks_ascend(const tr_blocks *b, tr_team *team, const double *F, double *x, double *rhs) {
  solving s = {.b = b, .F = F, .x = x, .rhs = rhs};
  return team && b->parts > 1 ? solve_together(&s, team, true) : solve_tiles(&s, true);
}

bool tr_blocks_solve(const tr_blocks *b, tr_team *team, const double *F, double *x, int count,
                     double *rhs) {
  bool fine = true, shared = team && b->parts > 1;
  for (int done = 0; done < count;) {
    solving s = {.b = b,
                 .F = F,
                 .x = x,
                 .rhs = rhs + done * b->n,
                 .two = b->windows == 0 && count - done >= 2};
    done += s.two ? 2 : 1;
    fine &= shared ? solve_together(&s, team, false) : solve_alone(&s);
  }
  return fine;
}

TR_INLINE void pair_up_all(int n, const double *restrict one, const double *restrict other,
                           double *restrict twin) {
  for (int i = 0; i < n; i++) twin[2 * i] = one[i], twin[2 * i + 1] = other[i];
}
TR_WIDE(pair_up, pair_up_all, (int n, const double *one, const double *other, double *twin),
        (n, one, other, twin))

typedef struct pairing {
  const double *one, *other;
  double *twin;
} pairing;

static void pair_part(void *what, int part, int first, int end) {
  const pairing *k = what;
  (void)part;
  pair_up(end - first, k->one + first, k->other + first, k->twin + 2 * (size_t)first);
}

void tr_blocks_pair(const tr_blocks *b, tr_team *team, const double *one, const double *other,
                    double *twin) {
  tr_team_ranges(team, b->numbers, TWIN_GRAIN, pair_part, &(pairing){one, other, twin});
}

bool tr_blocks_solve_twins(const tr_blocks *b, tr_team *team, const double *twin, double *x,
                           double *rhs) {
  solving s = {.b = b, .F = twin, .x = x, .rhs = rhs, .two = true, .twin = true};
  return team && b->parts > 1 ? solve_together(&s, team, false) : solve_alone(&s);
}
