// SPDX-License-Identifier: Apache-2.0
#include "pins.h"

#include <math.h>
#include <stdlib.h>

#include "math/lanes.h"
#include "sparse/fold.h"
#include "together.h"

// A determinant of this part of what masses alone make of it is none.
static const double NONE = 1e-5;

// ---- plan -----------------------------------------------------------------------------------------

// Nothing but pins, of one kind: rows of a joint, or 0.
static int only_pins(const tr_system *s) {
  int rows = s->njoint > 0 ? s->joint[0].ops->rows : 0;
  if (s->nloose > 0 || s->nown > 0 || s->nreaction > 0 || s->nswitched > 0 || s->nlock > 0)
    return 0;
  if (s->nvelocity > 0 || s->nnumber > 0 || s->rheonomic || rows < 2 || rows > 3) return 0;
  for (int i = 0; i < s->njoint; i++)
    if (s->joint[i].ops->rows != rows || s->joint[i].row != rows * i) return 0;
  for (int i = 0; i < s->nbody; i++)
    if (!s->body[i].type->pins_four || !s->body[i].constant_mass) return 0;
  for (int i = 0; i < s->nforce; i++)
    if (s->force[i].ops->uses_velocity) return 0;
  return rows;
}

static int pairs_of(int pins) { return pins * (pins - 1) / 2; }

typedef struct planning {
  const tr_system *s;
  const tr_windows *windows;
  int rows, nodes, pairs, numbers;
  int *node; // of joints, or -1: it is within a window
  int *row;  // of nodes
  int *rank, *own, *other;
  bool *inside;  // (bodies) in a window
  double *light; // sums of 1/m at joints
  tr_normal_pair *pair;
} planning;

static int bars_of(const tr_windows *w) { return LANES * w->links * w->count; }

static int node_of(const planning *k, const tr_pin *pin) { return k->node[pin->row / k->rows]; }

// Blocks of a body or segment, its pins as they come: where they are, those of two nodes among the pairs.
static void number_blocks(planning *k, const tr_pin *pin, int pins) {
  int size = k->rows * TR_NORMAL_STRIDE;
  for (int i = 0; i < pins; i++)
    for (int j = i; j < pins; j++, k->numbers += size) {
      int a = node_of(k, &pin[i]), b = node_of(k, &pin[j]);
      if (i == j)
        *(k->own[a] < 0 ? &k->own[a] : &k->other[a]) = k->numbers;
      else
        k->pair[k->pairs++] = (tr_normal_pair){a, b, k->numbers};
    }
}

static void sort(const planning *k, tr_pin *pin, int pins) {
  for (int i = 1; i < pins; i++) {
    tr_pin one = pin[i];
    int j = i, rank = k->rank[node_of(k, &one)];
    for (; j > 0 && k->rank[node_of(k, &pin[j - 1])] > rank; j--) pin[j] = pin[j - 1];
    pin[j] = one;
  }
}

static void number_segments(planning *k, int *end) {
  const tr_windows *w = k->windows;
  for (int i = 0; i < LANES * w->count; i++) {
    tr_pin pin[2] = {{.row = tr_window_rows(w, i / LANES, 0)[i % LANES]},
                     {.row = tr_window_rows(w, i / LANES, w->links)[i % LANES]}};
    bool turned = k->rank[node_of(k, &pin[0])] > k->rank[node_of(k, &pin[1])];
    end[i] = turned ? -1 - k->numbers : k->numbers;
    sort(k, pin, 2);
    number_blocks(k, pin, 2);
  }
}

// Its pins as they are sorted. known may be NULL.
static bool is_bar(const tr_system *s, int body, const tr_pin *pin, double *known) {
  const tr_body_type *type = s->body[body].type;
  double none[TR_BAR_KNOWN];
  int pins = pins_of(s, body);
  return type->bar && pins > 0 && pins <= 2 &&
         type->bar(s->slot[body].par, pins, pin, s->site, known ? known : none);
}

static bool goes_with(const tr_system *s, const pins_four *four, int body, bool bar) {
  return four->count < LANES && four->first + four->count == body && bar == (four->known >= 0) &&
         s->body[four->first].type == s->body[body].type &&
         (bar || pins_of(s, four->first) == pins_of(s, body));
}

// By the ranks, which are all alike at first. to->four may still be missing.
static void number(planning *k, tr_pins *to) {
  const tr_system *s = k->s;
  pins_four now = {0};
  tr_pin *pin = to->pin;
  k->pairs = k->numbers = to->fours = 0;
  for (int i = 0; i < k->nodes; i++) k->own[i] = k->other[i] = -1;
  number_segments(k, to->end);
  for (int b = 0; b < s->nbody; b++) {
    int pins = pins_of(s, b);
    if (k->inside[b]) continue;
    memcpy(pin, s->pin + s->first_pin[b], (size_t)pins * sizeof *pin);
    sort(k, pin, pins);
    bool bar = is_bar(s, b, pin, NULL);
    if (to->fours > 0 && goes_with(s, &now, b, bar))
      now.count++;
    else
      now = (pins_four){b, 1, (int)(pin - to->pin), k->numbers, bar - 1}, to->fours++;
    if (to->four) to->four[to->fours - 1] = now;
    number_blocks(k, pin, pins);
    pin += pins;
  }
}

// What determinants of nodes are to be compared with.
static void weigh(planning *k, tr_pins *to) {
  const tr_system *s = k->s;
  const tr_windows *w = k->windows;
  for (int i = 0; i < s->njoint; i++) k->light[i] = 0;
  for (int b = 0; b < s->nbody; b++)
    for (int i = s->first_pin[b]; i < s->first_pin[b + 1]; i++)
      k->light[s->pin[i].row / k->rows] += 1 / s->mass[s->body[b].mass];
  for (int i = 0; i < s->njoint; i++) k->light[i] = NONE * pow(k->light[i], k->rows);
  for (int i = 0; i < to->plan->nodes; i++)
    to->plan->node[i].least = k->light[to->plan->node[i].row / k->rows];
  if (w->count == 0) return;
  for (int i = 0, n = LANES * (w->links - 1); i < (w->step > 0 ? n * w->count : LANES); i++)
    to->least[i] = k->light[tr_window_rows(w, i / n, 1)[i % n] / k->rows];
}

// Joints within windows have no node. The number of pins of bodies that are in none.
static int name_nodes(planning *k) {
  const tr_windows *w = k->windows;
  for (int i = 0; i < k->s->njoint; i++) k->node[i] = 0;
  for (int b = 0; b < k->s->nbody; b++) k->inside[b] = false;
  for (int i = 0; i < bars_of(w); i++) k->inside[w->bar[i]] = true;
  for (int i = 0, n = LANES * (w->links - 1); i < n * w->count; i++)
    k->node[tr_window_rows(w, i / n, 1)[i % n] / k->rows] = -1;
  k->nodes = 0;
  for (int i = 0; i < k->s->njoint; i++)
    if (k->node[i] == 0)
      k->row[k->nodes] = i * k->rows, k->rank[k->nodes] = 0, k->node[i] = k->nodes++;
  return k->s->first_pin[k->s->nbody] - 2 * bars_of(w);
}

// Of bars that are in no window; those that were met lately are looked for.
static tr_status know(const tr_system *s, tr_arena *ar, tr_pins *to) {
  enum { SIZE = LANES * TR_BAR_KNOWN, LATELY = 8 };
  int count = 0, bars = 0;
  for (int i = 0; i < to->fours; i++) bars += to->four[i].known >= 0;
  double *all = tr_resize(s->al, NULL, ((size_t)bars + 1) * SIZE * sizeof *all);
  if (!all) return TR_NO_MEMORY;
  for (int i = 0; i < to->fours; i++) {
    pins_four *four = &to->four[i];
    const tr_pin *pin = to->pin + four->pin;
    double one[TR_BAR_KNOWN], *now = all + (size_t)count * SIZE;
    if (four->known < 0) continue;
    for (int l = 0; l < LANES; l++) {
      int b = four->first + (l < four->count ? l : 0);
      is_bar(s, b, l < four->count ? pin : to->pin + four->pin, one);
      pin += pins_of(s, b);
      for (int n = 0; n < TR_BAR_KNOWN; n++) now[LANES * n + l] = one[n];
    }
    int at = count;
    while (at > 0 && at > count - LATELY &&
           memcmp(all + (size_t)(at - 1) * SIZE, now, SIZE * sizeof *now) != 0)
      at--;
    bool found = at > 0 && at > count - LATELY;
    four->known = SIZE * (found ? at - 1 : count++);
  }
  to->known = TR_NEW(ar, SIZE * count + 1, double);
  if (to->known) memcpy(to->known, all, (size_t)count * SIZE * sizeof *all);
  tr_resize(s->al, all, 0);
  return to->known ? TR_OK : TR_NO_MEMORY;
}

// What windows keep is behind S.
static void measure(const planning *k, tr_pins *to) {
  const tr_windows *w = k->windows;
  int each = (w->links - 1) * tr_fold_kept(k->rows);
  to->rows = k->rows;
  to->numbers = to->kept = to->plan->numbers;
  to->numbers += LANES * w->count * each;
}

static tr_status plan(planning *k, tr_arena *ar, tr_pins *to) {
  const tr_system *s = k->s;
  bool good;
  to->pin = TR_NEW(ar, name_nodes(k) + 1, tr_pin);
  to->end = TR_NEW(ar, LANES * k->windows->count + 1, int);
  to->least = TR_NEW(ar, k->windows->step > 0 ? bars_of(k->windows) : LANES, double);
  if (!to->pin || !to->end || !to->least) return TR_NO_MEMORY;
  number(k, to);
  to->four = TR_NEW(ar, to->fours + 1, pins_four);
  if (!to->four) return TR_NO_MEMORY;
  TR_TRY(tr_normal_order(s->al, k->nodes, k->pairs, k->pair, k->rank, &good));
  if (!good) return TR_OK;
  number(k, to);
  TR_TRY(tr_normal_plan(ar, s->al, k->rows, k->nodes, k->rank, k->row, k->own, k->other, k->pairs,
                        k->pair, k->numbers, &to->plan));
  if (!to->plan) return TR_OK;
  weigh(k, to);
  measure(k, to);
  return know(s, ar, to);
}

tr_status tr_pins_make(const tr_system *s, tr_arena *ar, tr_pins **out) {
  planning k = {.s = s, .rows = only_pins(s)};
  *out = NULL;
  if (k.rows == 0) return TR_OK;
  size_t n = (size_t)s->njoint, pairs = 0;
  for (int b = 0; b < s->nbody; b++) pairs += (size_t)pairs_of(pins_of(s, b));
  k.pair = tr_resize(s->al, NULL, (pairs + 1) * sizeof *k.pair);
  k.light = tr_resize(s->al, NULL, n * sizeof *k.light);
  k.rank = tr_resize(s->al, NULL, 5 * n * sizeof *k.rank);
  k.inside = tr_resize(s->al, NULL, (size_t)s->nbody * sizeof *k.inside);
  tr_pins *p = TR_NEW(ar, 1, tr_pins);
  tr_status status = TR_NO_MEMORY;
  if (k.pair && k.light && k.rank && k.inside && p) {
    k.own = k.rank + n, k.other = k.own + n, k.node = k.other + n, k.row = k.node + n;
    k.windows = &p->windows;
    status = tr_windows_find(s, k.rows, ar, &p->windows);
    if (status == TR_OK) status = plan(&k, ar, p);
    if (status == TR_OK && !p->plan && p->windows.count > 0) { // both ends on one body, perhaps
      p->windows = (tr_windows){0}, p->four = NULL;
      status = plan(&k, ar, p);
    }
  }
  tr_resize(s->al, k.pair, 0), tr_resize(s->al, k.light, 0), tr_resize(s->al, k.rank, 0);
  tr_resize(s->al, k.inside, 0);
  if (status == TR_OK && p->plan) *out = p;
  return status;
}

// ---- use ------------------------------------------------------------------------------------------

// A loop over bodies and windows, for those who share it: S, or the way back.
typedef struct loop {
  tr_work *w;
  const tr_pins *p;
  const double *q, *v, *was;
  double f, little, *x, *out;
  const tr_pins_taking *taking;
  bool back;
  double *most; // by ranges
  bool *bad;
} loop;

static tr_bodies_at all_of(const loop *k) {
  const tr_system *s = k->w->sys;
  return (tr_bodies_at){s->nbody, s->slot, 0, k->q, k->v, k->w->cache, s->site};
}

static void visit_bodies(const loop *k, const pins_four *four, tr_bodies_at *all, double *most) {
  const tr_system *s = k->w->sys;
  const tr_body_type *type = s->body[four->first].type;
  tr_pinned_four io = {.x = k->x, .out = k->out, .was = k->was, .f = k->f, .most = most};
  int pins = io.pins = pins_of(s, four->first);
  int size = pins * (pins + 1) / 2 * k->p->rows * TR_NORMAL_STRIDE;
  for (int l = 0; l < LANES; l++) {
    int i = l < four->count ? l : 0;
    io.slot[l] = s->slot + four->first + i, io.pin[l] = k->p->pin + four->pin + i * pins;
    io.S[l] = k->p->S + four->at + i * size;
  }
  (k->back ? type->pulled_four : type->pins_four)(all, &io);
}

// Blocks of a second pin that is not there go nowhere, and nothing pulls at it.
static void visit_bars(const loop *k, const pins_four *four, tr_bodies_at *all, double *most) {
  const tr_system *s = k->w->sys;
  const tr_body_type *type = s->body[four->first].type;
  int n = k->p->rows, size = n * TR_NORMAL_STRIDE;
  const tr_pin *pin = k->p->pin + four->pin;
  double *S = k->p->S + four->at, *to[3][LANES], nowhere[3 * TR_NORMAL_STRIDE], x[LANES * 6] = {0};
  lanes link[TR_FOLD_LINK];
  tr_four_bars io = {
      .known = k->p->known + four->known, .S = (double *)link, .x = x, .out = k->out};
  io.was = k->was, io.f = k->f, io.little = k->little, io.most = most;
  for (int l = 0; l < four->count; l++) {
    int pins = pins_of(s, four->first + l);
    io.slot[l] = s->slot + four->first + l;
    to[0][l] = S;
    for (int i = 1; i < 3; i++) to[i][l] = pins < 2 ? nowhere : S + i * size;
    for (int i = 0; i < pins && k->back; i++)
      for (int r = 0; r < n; r++) x[LANES * (n * i + r) + l] = k->x[pin[i].row + r];
    S += (2 * pins - 1) * size, pin += pins;
  }
  for (int l = four->count; l < LANES; l++) { // the first one again
    io.slot[l] = io.slot[0];
    to[0][l] = to[0][0], to[1][l] = to[2][l] = nowhere;
    for (int i = 0; i < 2 * n && k->back; i++) x[LANES * i + l] = x[LANES * i];
  }
  (k->back ? type->barred_four : type->bars_four)(all, &io);
  if (!k->back) tr_fold_put(n, io.S, to[0], to[1], to[2]);
}

static void take_bodies(const loop *k, int part, int first, int end) {
  const tr_system *s = k->w->sys;
  if (!k->taking) return;
  k->taking->take(k->taking->what, part, s->slot[first].v, tr_velocity_of(s, end));
}

static void visit_fours(void *what, int part, int begin, int end) {
  loop *k = what;
  tr_bodies_at all = all_of(k);
  for (const pins_four *four = k->p->four + begin, *last = k->p->four + end; four < last; four++) {
    (four->known < 0 ? visit_bodies : visit_bars)(k, four, &all, &k->most[part]);
    if (k->back) take_bodies(k, part, four->first, four->first + four->count);
  }
}

// What is left of segments, like blocks of bodies with two pins.
static void put_segments(const tr_pins *p, const int *end, const double *fold) {
  double *to[3][LANES];
  int size = p->rows * TR_NORMAL_STRIDE;
  for (int l = 0; l < LANES; l++) {
    double *S = p->S + (end[l] < 0 ? -1 - end[l] : end[l]);
    to[0][l] = end[l] < 0 ? S + 2 * size : S, to[1][l] = S + size;
    to[2][l] = end[l] < 0 ? S : S + 2 * size;
  }
  tr_fold_put(p->rows, fold, to[0], to[1], to[2]);
  for (int l = 0; l < LANES; l++)
    for (int i = 0; i < p->rows && end[l] < 0; i++)
      for (int j = 0; j < i; j++) {
        double *a = &to[1][l][TR_NORMAL_STRIDE * i + j], *b = &to[1][l][TR_NORMAL_STRIDE * j + i];
        double x = *a;
        *a = *b, *b = x;
      }
}

// Where windows keep what they need on the way back, of the nodes between links.
static double *kept_of(const tr_pins *p, int window) {
  return p->S + p->kept + window * (LANES * (p->windows.links - 1) * tr_fold_kept(p->rows));
}

static void look_at(tr_four_bars *io, const tr_system *s, const tr_windows *w, int link) {
  for (int l = 0; l < LANES; l++) io->slot[l] = s->slot + w->bar[LANES * link + l];
  io->known = w->known + (size_t)w->step * (size_t)link;
}

static void fold_windows(void *what, int part, int begin, int end) {
  loop *k = what;
  const tr_pins *p = k->p;
  const tr_windows *w = &p->windows;
  tr_bodies_at all = all_of(k);
  tr_four_bars io = {0};
  int size = LANES * tr_fold_kept(p->rows);
  for (int i = begin; i < end; i++) {
    lanes fold[TR_FOLD_LINK], link[TR_FOLD_LINK];
    double *node = kept_of(p, i);
    const double *least = p->least + (w->step > 0 ? LANES * (w->links - 1) * i : 0);
    for (int j = 0; j < w->links; j++) {
      look_at(&io, k->w->sys, w, w->links * i + j);
      io.S = (double *)(j > 0 ? link : fold);
      w->type->bars_four(&all, &io);
      if (j == 0) continue;
      k->bad[part] |= !tr_fold(p->rows, io.S, least, (double *)fold, node);
      node += size, least += w->step > 0 ? LANES : 0;
    }
    put_segments(p, p->end + LANES * i, (const double *)fold);
  }
}

// x of one node in each lane, and where it belongs.
static void take_x(int n, const double *x, const int *row, double *to) {
  for (int l = 0; l < LANES; l++) {
    const double *from = x + row[l];
    to[l] = from[0], to[LANES + l] = from[1];
    if (n > 2) to[2 * LANES + l] = from[2];
  }
}

static void put_x(int n, const double *from, const int *row, double *x) {
  for (int l = 0; l < LANES; l++) {
    double *to = x + row[l];
    to[0] = from[l], to[1] = from[LANES + l];
    if (n > 2) to[2] = from[2 * LANES + l];
  }
}

static void take_window(const loop *k, int part, int window) {
  const tr_windows *w = &k->p->windows;
  const int *bar = w->bar + LANES * w->links * window, *run = w->run + LANES * window;
  for (int l = 0; l < LANES; l++)
    if (run[l] >= 0)
      take_bodies(k, part, run[l], run[l] + w->links);
    else
      for (int j = l; j < LANES * w->links; j += LANES) take_bodies(k, part, bar[j], bar[j] + 1);
}

static void unfold_windows(void *what, int part, int begin, int end) {
  loop *k = what;
  const tr_pins *p = k->p;
  const tr_windows *w = &p->windows;
  tr_bodies_at all = all_of(k);
  tr_four_bars io = {.out = k->out, .was = k->was, .f = k->f, .little = k->little};
  io.most = &k->most[part];
  int n = p->rows, size = LANES * tr_fold_kept(n), last = w->links - 1;
  for (int i = end - 1; i >= begin; i--) { // what was kept last is still in the cache
    lanes room[3 * (TR_WINDOW_LINKS + 1)];
    double *first = (double *)room, *x = first + LANES * n * w->links;
    double *node = kept_of(p, i) + size * last;
    const int *row = tr_window_rows(w, i, w->links);
    take_x(n, k->x, tr_window_rows(w, i, 0), first), take_x(n, k->x, row, x);
    for (int j = last; j >= 0; j--) {
      const double *ahead = x;
      row -= LANES;
      x -= LANES * n;
      if (j > 0) tr_unfold(n, node -= size, first, ahead, x), put_x(n, x, row, k->x);
      io.x = x;
      look_at(&io, k->w->sys, w, w->links * i + j);
      w->type->barred_four(&all, &io);
    }
    take_window(k, part, i);
  }
}

static void visit_all(loop *k) {
  enum { FOURS = TR_GRAIN / LANES };
  tr_team *team = k->w->team;
  tr_team_ranges(team, k->p->windows.count, 1, k->back ? unfold_windows : fold_windows, k);
  tr_team_ranges(team, k->p->fours, FOURS, visit_fours, k);
}

bool tr_pins_solve(tr_work *w, const tr_pins *p, const double *q, const double *v, double *x) {
  bool bad[TR_TEAM_MAX];
  double most[TR_TEAM_MAX];
  int size = tr_team_size(w->team);
  loop k = {.w = w, .p = p, .q = q, .v = v, .most = most, .bad = bad};
  for (int i = 0; i < size; i++) bad[i] = false, most[i] = 0;
  visit_all(&k);
  for (int i = 0; i < size; i++)
    if (bad[i]) return false;
  return tr_normal_solve(p->plan, p->S, x);
}

double tr_pins_pull(tr_work *w, const tr_pins *p, const double *q, const double *v, double little,
                    double f, const double *was, double *x, double *out,
                    const tr_pins_taking *taking) {
  loop k = {.w = w, .p = p, .q = q, .v = v, .was = was, .f = f, .little = little};
  k.taking = taking;
  double by_range[TR_TEAM_MAX], most = 0;
  int size = tr_team_size(w->team);
  k.x = x, k.out = out, k.back = true, k.most = by_range;
  for (int i = 0; i < size; i++) by_range[i] = 0;
  visit_all(&k);
  for (int i = 0; i < size; i++) most = by_range[i] > most ? by_range[i] : most;
  return most;
}
