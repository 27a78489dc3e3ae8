// SPDX-License-Identifier: Apache-2.0
#include "pins.h"

#include <math.h>
#include <stdlib.h>

#include "pieces.h"
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
  int rows, pairs, numbers;
  int *rank, *own, *other;
  double *light; // sums of 1/m
  tr_normal_pair *pair;
} planning;

// Blocks of a body, its pins as they come: where they are, those of two joints among the pairs.
static void number_body(planning *k, const tr_pin *pin, int pins) {
  int size = k->rows * TR_NORMAL_STRIDE;
  for (int i = 0; i < pins; i++)
    for (int j = i; j < pins; j++, k->numbers += size) {
      int a = pin[i].row / k->rows, b = pin[j].row / k->rows;
      if (i == j)
        *(k->own[a] < 0 ? &k->own[a] : &k->other[a]) = k->numbers;
      else
        k->pair[k->pairs++] = (tr_normal_pair){a, b, k->numbers};
    }
}

static void number(planning *k, const tr_pin *pin, int *at) {
  const tr_system *s = k->s;
  k->pairs = k->numbers = 0;
  for (int i = 0; i < s->njoint; i++) k->own[i] = k->other[i] = -1;
  for (int b = 0; b < s->nbody; b++) {
    if (at) at[b] = k->numbers;
    number_body(k, pin + s->first_pin[b], pins_of(s, b));
  }
}

static void sort(const planning *k, tr_pin *pin, int pins) {
  for (int i = 1; i < pins; i++) {
    tr_pin one = pin[i];
    int j = i, rank = k->rank[one.row / k->rows];
    for (; j > 0 && k->rank[pin[j - 1].row / k->rows] > rank; j--) pin[j] = pin[j - 1];
    pin[j] = one;
  }
}

// What determinants of nodes are to be compared with.
static void weigh(planning *k, tr_normal *plan) {
  const tr_system *s = k->s;
  for (int i = 0; i < s->njoint; i++) k->light[i] = 0;
  for (int b = 0; b < s->nbody; b++)
    for (int i = s->first_pin[b]; i < s->first_pin[b + 1]; i++)
      k->light[s->pin[i].row / k->rows] += 1 / s->mass[s->body[b].mass];
  for (int i = 0; i < plan->nodes; i++)
    plan->node[i].least = NONE * pow(k->light[plan->node[i].row / k->rows], k->rows);
}

static tr_status plan(planning *k, tr_arena *ar, tr_pins *to) {
  const tr_system *s = k->s;
  int pins = s->first_pin[s->nbody];
  bool good;
  memcpy(to->pin, s->pin, (size_t)pins * sizeof *to->pin);
  number(k, to->pin, NULL);
  TR_TRY(tr_normal_order(s->al, s->njoint, k->pairs, k->pair, k->rank, &good));
  if (!good) return TR_OK;
  for (int b = 0; b < s->nbody; b++) sort(k, to->pin + s->first_pin[b], pins_of(s, b));
  number(k, to->pin, to->at);
  TR_TRY(tr_normal_plan(ar, s->al, k->rows, s->njoint, k->rank, k->own, k->other, k->pairs, k->pair,
                        k->numbers, &to->plan));
  if (!to->plan) return TR_OK;
  weigh(k, to->plan);
  to->block = k->rows * TR_NORMAL_STRIDE;
  return TR_OK;
}

tr_status tr_pins_make(const tr_system *s, tr_arena *ar, tr_pins **out) {
  planning k = {.s = s, .rows = only_pins(s)};
  *out = NULL;
  if (k.rows == 0) return TR_OK;
  size_t n = (size_t)s->njoint, pairs = 0;
  for (int b = 0; b < s->nbody; b++) pairs += (size_t)pairs_of(pins_of(s, b));
  k.pair = tr_resize(s->al, NULL, (pairs + 1) * sizeof *k.pair);
  k.light = tr_resize(s->al, NULL, n * sizeof *k.light);
  k.rank = tr_resize(s->al, NULL, 3 * n * sizeof *k.rank);
  tr_pins *p = TR_NEW(ar, 1, tr_pins);
  if (p) p->pin = TR_NEW(ar, s->first_pin[s->nbody] + 1, tr_pin), p->at = TR_NEW(ar, s->nbody, int);
  tr_status status = TR_NO_MEMORY;
  if (k.pair && k.light && k.rank && p && p->pin && p->at) {
    k.own = k.rank + n, k.other = k.own + n;
    status = plan(&k, ar, p);
  }
  tr_resize(s->al, k.pair, 0), tr_resize(s->al, k.light, 0), tr_resize(s->al, k.rank, 0);
  if (status == TR_OK && p->plan) *out = p;
  return status;
}

// ---- use ------------------------------------------------------------------------------------------

// A loop over bodies, for those who share it: S, or with x and out the way back.
typedef struct loop {
  tr_work *w;
  const tr_pins *p;
  const double *q, *v, *x, *was;
  double f, *out, *most; // (size of the team)
} loop;

TR_INLINE void visit(const loop *k, double *most, const sys_run *run) {
  const tr_system *s = k->w->sys;
  const tr_body_type *type = s->body[run->first].type;
  tr_bodies_at all = {s->nbody, s->slot, 0, k->q, k->v, k->w->cache, s->site};
  tr_pinned_four io = {.x = k->x, .out = k->out, .was = k->was, .f = k->f, .most = most};
  for (int done = 0, n; done < run->count; done += n) {
    int first = run->first + done, room = LANES - done % LANES, left = run->count - done;
    int pins = io.pins = pins_of(s, first), size = pins * (pins + 1) / 2 * k->p->block;
    const tr_pin *pin = k->p->pin + s->first_pin[first];
    double *S = k->p->S + k->p->at[first];
    room = room < left ? room : left, n = 1;
    while (n < room && pins_of(s, first + n) == pins) n++;
    for (int l = 0; l < LANES; l++) {
      int i = l < n ? l : 0;
      io.slot[l] = s->slot + first + i, io.pin[l] = pin + i * pins, io.S[l] = S + i * size;
    }
    (k->x ? type->pulled_four : type->pins_four)(&all, &io);
  }
}

static void visit_some(const loop *k, double *most, const sys_range *of) {
  const tr_system *s = k->w->sys;
  for (int r = run_of(s->body_run, s->nbody_run, of); r < s->nbody_run; r++) {
    const sys_run run = run_within(&s->body_run[r], of);
    if (of && run.count <= 0) break;
    visit(k, most, &run);
  }
}

static void visit_part(void *what, int i, int first, int end) {
  const loop *k = what;
  sys_range of = range_of(k->w->sys->body_run, k->w->sys->nbody_run, first, end);
  visit_some(k, &k->most[i], &of);
}

TR_APART double visit_all(loop k) {
  double most[TR_TEAM_MAX] = {0}, top = 0;
  k.most = most;
  if (k.w->team)
    tr_team_ranges(k.w->team, k.w->sys->nbody, TR_GRAIN, visit_part, &k);
  else
    visit_some(&k, most, NULL);
  for (int i = 0; i < TR_TEAM_MAX; i++) top = most[i] > top ? most[i] : top;
  return top;
}

bool tr_pins_solve(tr_work *w, const tr_pins *p, const double *q, const double *v, double *x) {
  visit_all((loop){.w = w, .p = p, .q = q, .v = v});
  return tr_normal_solve(p->plan, p->S, x);
}

double tr_pins_pull(tr_work *w, const tr_pins *p, const double *q, const double *v, const double *x,
                    double f, const double *was, double *out) {
  return visit_all((loop){.w = w, .p = p, .q = q, .v = v, .x = x, .was = was, .f = f, .out = out});
}
