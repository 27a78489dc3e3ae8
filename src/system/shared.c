// SPDX-License-Identifier: Apache-2.0
// For those who share the work of a system: whether that pays, where their ranges of the assembly begin, loops over
// plain numbers.
#include "pieces.h"
#include "sink.h"
#include "sparse/block.h"

// Measured: unknowns from which on two threads gain a quarter or more; multiplications per unknown of a factorisation that
// is all that counts; one in so many is few; how far neighbours may be apart, as a share of all.
enum { SHARED_MIN = 8000, FEW = 16 };
static const double FLOPS_MANY = 300, NEAR = 0.02;

// Numbers of the tape: two for each block.
static void mark_bodies(const tr_system *s, bool joined, int *tape) {
  int at = 0, next = 0;
  for (int i = 0; i < s->nbody; i++) {
    for (;
         next <= s->nbody / TR_GRAIN && run_border(s->body_run, s->nbody_run, next * TR_GRAIN) <= i;
         next++)
      tape[next] = at;
    at += tr_body_tape(s, i, joined);
  }
  for (; next <= s->nbody / TR_GRAIN; next++) tape[next] = at;
}

bool tr_joints_apart(const tr_system *s) {
  for (int i = 0; i < s->njoint; i++)
    if (s->joint[i].e.first != (1u << s->joint[i].e.markers) - 1) return false;
  return true;
}

tr_status tr_mark_tape(tr_work *w) {
  const tr_system *s = w->sys;
  for (int joined = 0; joined < 2; joined++) {
    int *tape = w->body_tape[joined] = TR_NEW(&w->arena, s->nbody / TR_GRAIN + 1, int);
    if (!tape) return TR_NO_MEMORY;
    mark_bodies(s, joined, tape);
  }
  w->joints_apart = tr_joints_apart(s);
  return TR_OK;
}

// Bodies and their joints are at like places in their lists, so that whoever has the one has the other too.
static bool neighbours_together(const tr_system *s) {
  int apart = 0;
  for (int i = 0; i < s->njoint; i++)
    for (int k = 0; k < s->joint[i].e.markers; k++) {
      int b = s->joint[i].e.body[k];
      double off = (double)i / s->njoint - (double)b / s->nbody;
      apart += b != TR_GROUND && (off < -NEAR || off > NEAR);
    }
  return apart * FEW <= s->njoint;
}

static bool shares_well(const tr_system *s) {
  const tr_blocks *b = s->pattern.blocks;
  if (s->pattern.n < SHARED_MIN || !b || b->parts < 2) return false;
  if (b->flops > FLOPS_MANY * b->n) return true;
  return s->nforce * FEW <= s->nbody && s->nloose == 0 && tr_joints_apart(s) &&
         neighbours_together(s);
}

tr_status tr_team_for(const tr_system *s, int threads, tr_team **team) {
  *team = NULL;
  if (threads >= 0 && (threads <= 1 || !shares_well(s))) return TR_OK;
  return tr_team_new(s->al, threads < 0 ? -threads : threads, team);
}

// ---- numbers ---------------------------------------------------------------------------------------

typedef struct sum {
  tr_sum_part *of;
  void *what;
  int n, size;
  double chunk[TR_CHUNKS];
} sum;

static void sum_chunk(void *what, int i) {
  sum *s = what;
  int first = i * s->size, end = first + s->size;
  s->chunk[i] = s->of(s->what, i, first, end < s->n ? end : s->n);
}

double tr_sum_of(const tr_work *w, int n, tr_sum_part *of, void *what) {
  sum s = {.of = of, .what = what, .n = n, .size = TR_CHUNK};
  if (n / TR_CHUNKS >= TR_CHUNK) s.size = (n / TR_CHUNKS / TR_GRAIN_NUMBERS + 1) * TR_GRAIN_NUMBERS;
  int count = (n + s.size - 1) / s.size;
  double all = 0;
  tr_team_share(w->team, count, sum_chunk, &s);
  for (int i = 0; i < count; i++) all += s.chunk[i];
  return all;
}

typedef struct copying {
  const double *from;
  double *to;
} copying;

static void copy_part(void *what, int part, int first, int end) {
  const copying *c = what;
  (void)part;
  memcpy(c->to + first, c->from + first, (size_t)(end - first) * sizeof *c->to);
}

void tr_copy_of(tr_team *team, const double *from, double *to, int n) {
  tr_team_ranges(team, n, TR_GRAIN_NUMBERS, copy_part, &(copying){from, to});
}

typedef struct numbers {
  const double *x;
  double most[TR_TEAM_MAX];
} numbers;

static void largest_part(void *what, int i, int first, int end) {
  numbers *k = what;
  k->most[i] = vec_largest(k->x + first, end - first);
}

double tr_largest_of(tr_team *team, const double *x, int n) {
  numbers k = {.x = x};
  double most = 0;
  tr_team_ranges(team, n, TR_GRAIN_NUMBERS, largest_part, &k);
  for (int i = 0; i < tr_team_size(team); i++) most = k.most[i] > most ? k.most[i] : most;
  return most;
}
