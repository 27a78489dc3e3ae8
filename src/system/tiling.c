// SPDX-License-Identifier: Apache-2.0
// What of the assembly is due before which tile of the block solver (block_tile.c): fours of bodies, gaps to be cleared.
//
// (1) Whatever writes a number comes before the first tile that touches it, and what writes the same number comes
//     together: within a tile, gaps go first, then bodies, in the order of the tape.
// (2) First of all come elements, the bodies they add to, and whoever writes to more than one part, or to the top.
#include <string.h>

#include "sink.h"
#include "sparse/block.h"
#include "tiling.h"

static const double FIRST_MANY = 0.25; // of all fours, and tiles do not pay

typedef struct plan {
  tr_system *sys;
  const tr_blocks *b;
  int *due;        // (numbers)
  int fours;       // in the order of the tape
  sys_piece *four; // (fours)
  int *tile;       // (fours) when they are due
} plan;

// The earliest of what is written by numbers tape .. end - 1 of the tape.
static int find_due(const plan *p, int tape, int end) {
  const tr_system *sys = p->sys;
  int due = p->b->tiles;
  for (int i = tape; i < end; i += 2) {
    const int *shape = sys->block_shape + (sys->block_tape[i] >> 1);
    for (int k = 0; k < shape[0] && due != TR_DUE_FIRST; k++) {
      int at = p->due[sys->block_tape[i + 1] + shape[2 + 2 * k]];
      if (at == due) continue;
      if (due < p->b->tiles && tr_blocks_apart(p->b, at, due)) at = TR_DUE_FIRST;
      due = at < due ? at : due;
    }
  }
  return due < p->b->tiles ? due : TR_DUE_FIRST;
}

// That all is due then; true: some of it was not.
static bool make_due(const plan *p, int tape, int end, int due) {
  const tr_system *sys = p->sys;
  bool new = false;
  for (int i = tape; i < end; i += 2) {
    const int *shape = sys->block_shape + (sys->block_tape[i] >> 1);
    for (int k = 0; k < shape[0]; k++) {
      int *at = &p->due[sys->block_tape[i + 1] + shape[2 + 2 * k]];
      new |= *at > due;
      *at = *at > due ? due : *at;
    }
  }
  return new;
}

// Bodies of each run by fours, as they are evaluated.
static void list_fours(plan *p) {
  const tr_system *sys = p->sys;
  int tape = 0;
  p->fours = 0;
  for (int r = 0; r < sys->nbody_run; r++) {
    const sys_run *run = &sys->body_run[r];
    for (int i = 0; i < run->count; i++) {
      int body = run->first + i;
      if (i % LANES == 0) p->four[p->fours++] = (sys_piece){body, body, tape};
      tape += tr_body_tape(sys, body, true);
      p->four[p->fours - 1].end = body + 1;
    }
  }
  p->four[p->fours] = (sys_piece){sys->nbody, sys->nbody, tape};
}

// False: they are too many that wait for each other.
static bool find_tiles(const plan *p, int end) {
  enum { PASSES = 4 };
  int first = 0;
  bool more = true;
  make_due(p, p->four[p->fours].tape, end, TR_DUE_FIRST);
  for (int pass = 0; more; pass++) {
    if (pass == PASSES) return false;
    more = false;
    for (int i = 0; i < p->fours; i++) {
      p->tile[i] = find_due(p, p->four[i].tape, p->four[i + 1].tape);
      more |= make_due(p, p->four[i].tape, p->four[i + 1].tape, p->tile[i]);
    }
  }
  for (int i = 0; i < p->fours; i++) first += p->tile[i] == TR_DUE_FIRST;
  return first <= FIRST_MANY * p->fours;
}

static int gap_due(const plan *p, const sys_run *gap) {
  int due = p->due[gap->first];
  for (int i = gap->first + 1; i < gap->first + gap->count; i++) {
    int at = p->due[i];
    if (at == due) continue;
    if (tr_blocks_apart(p->b, at, due)) at = TR_DUE_FIRST;
    due = at < due ? at : due;
  }
  return due;
}

// Items by the tile they are due before: to[i] is where item i goes, first[t + 1] where those of tile t begin (tiles + 2).
static void sort_by_tile(int count, const int *tile, int tiles, int *first, int *to) {
  for (int i = 0; i < count; i++) first[tile[i] + 2]++;
  for (int t = 1; t < tiles + 2; t++) first[t] += first[t - 1];
  for (int i = 0; i < count; i++) to[i] = first[tile[i] + 1]++;
  for (int t = tiles + 1; t > 0; t--) first[t] = first[t - 1];
  first[0] = 0;
}

static tr_status sort_gaps(const plan *p, tr_arena *own, int *first) {
  tr_system *sys = p->sys;
  int n = sys->ngap, *room = TR_NEW(own, 2 * (size_t)n + 1, int), *to = room + n;
  sys_run *gap = TR_NEW(own, n + 1, sys_run);
  if (!room || !gap) return TR_NO_MEMORY;
  for (int i = 0; i < n; i++) gap[i] = sys->gap[i], room[i] = gap_due(p, gap + i);
  sort_by_tile(n, room, p->b->tiles, first, to);
  for (int i = 0; i < n; i++) sys->gap[to[i]] = gap[i];
  return TR_OK;
}

// Fours that follow each other become one piece.
static tr_status sort_fours(const plan *p, tr_arena *own, sys_tiling *t) {
  int tiles = p->b->tiles, n = p->fours, *to = TR_NEW(own, n, int), count = 0;
  sys_piece *piece = TR_NEW(own, n, sys_piece);
  if (!to || !piece) return TR_NO_MEMORY;
  sort_by_tile(n, p->tile, tiles, t->first_piece, to);
  for (int i = 0; i < n; i++) piece[to[i]] = p->four[i];
  for (int k = 0; k < tiles + 1; k++) {
    int i = t->first_piece[k], end = t->first_piece[k + 1];
    t->first_piece[k] = count;
    for (int first = i; i < end; i++)
      if (i > first && piece[count - 1].end == piece[i].first)
        piece[count - 1].end = piece[i].end;
      else
        piece[count++] = piece[i];
  }
  t->first_piece[tiles + 1] = count;
  if (!(t->piece = TR_NEW(&p->sys->arena, count, sys_piece))) return TR_NO_MEMORY;
  memcpy(t->piece, piece, (size_t)count * sizeof *piece);
  return TR_OK;
}

static tr_status find_tiling(tr_system *sys, int ntape, tr_arena *own) {
  const tr_blocks *b = sys->pattern.blocks;
  plan p = {.sys = sys, .b = b, .due = TR_BUSY(own, b->numbers, int)};
  int most = sys->nbody / LANES + sys->nbody_run + 2;
  p.four = TR_NEW(own, most, sys_piece), p.tile = TR_NEW(own, most, int);
  if (!p.due || !p.four || !p.tile) return TR_NO_MEMORY;
  list_fours(&p);
  tr_blocks_due(b, p.due);
  if (!find_tiles(&p, ntape)) return TR_OK;
  sys_tiling *t = TR_NEW(&sys->arena, 1, sys_tiling);
  int *first = TR_NEW(&sys->arena, 2 * ((size_t)b->tiles + 2), int);
  if (!t || !first) return TR_NO_MEMORY;
  t->first_piece = first, t->first_gap = first + b->tiles + 2, t->elements = p.four[p.fours].tape;
  TR_TRY(sort_gaps(&p, own, t->first_gap));
  TR_TRY(sort_fours(&p, own, t));
  sys->tiling = t;
  return TR_OK;
}

tr_status tr_find_tiling(tr_system *sys, int ntape) {
  if (sys->pattern.blocks->tiles == 0) return TR_OK;
  tr_arena own = tr_arena_make(sys->al);
  tr_status status = find_tiling(sys, ntape, &own);
  tr_arena_free(&own);
  return status;
}
