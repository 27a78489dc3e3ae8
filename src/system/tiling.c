// SPDX-License-Identifier: Apache-2.0
// What of the assembly is due before which tile of the block solver (block_tile.c): fours of bodies, gaps to be cleared.
//
// (1) Whatever writes a number comes before the first tile that touches it, and what writes the same number comes
//     together: within a tile, gaps go first, then bodies, in the order of the tape.
// (2) First of all come elements, the bodies they add to, and whoever writes to more than one part, or to the top.
// (3) A walk to the residual may go just ahead: what it has written is in the cache still when a tile reads it. Before its
//     bodies are written, and before half a solve has gone through it, all joints must have been looked at that hold them
//     or whose rows it reads, hence all bodies of these. By eights, which are evaluated together.
#include <string.h>

#include "pieces.h"
#include "sink.h"
#include "sparse/block.h"
#include "tiling.h"

static const double FIRST_MANY =
    0.25; // of all fours, and tiles do not pay; of all bodies, nor does a walk by them
enum { PIECE_LEAST = 32 }; // bodies, the mean: smaller ones are no walk

typedef struct plan {
  tr_system *sys;
  const tr_blocks *b;
  int *due;        // (numbers)
  int fours;       // in the order of the tape
  sys_piece *four; // (fours)
  int *tile;       // (fours) when they are due
  int *to;         // room for as many, or for eights, whatever they are more
  sys_piece *sorted;
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

// Those that follow each other become one piece. item: n of them, tile: when they are due.
static tr_status sort_pieces(const plan *p, int n, const sys_piece *item, const int *tile,
                             sys_pieces *out) {
  int tiles = p->b->tiles, *to = p->to, count = 0;
  int *first = out->first = TR_NEW(&p->sys->arena, tiles + 2, int);
  sys_piece *piece = p->sorted;
  if (!first) return TR_NO_MEMORY;
  sort_by_tile(n, tile, tiles, first, to);
  for (int i = 0; i < n; i++) piece[to[i]] = item[i];
  for (int k = 0; k < tiles + 1; k++) {
    int i = first[k], end = first[k + 1];
    first[k] = count;
    for (int begin = i; i < end; i++)
      if (i > begin && piece[count - 1].end == piece[i].first)
        piece[count - 1].end = piece[i].end;
      else
        piece[count++] = piece[i];
  }
  first[tiles + 1] = count;
  if (!(out->piece = TR_NEW(&p->sys->arena, count, sys_piece))) return TR_NO_MEMORY;
  memcpy(out->piece, piece, (size_t)count * sizeof *piece);
  return TR_OK;
}

// ---- the walk --------------------------------------------------------------------------------------

typedef struct eights {
  int count, *of; // (elements)
  int *due;
  sys_piece *piece;
} eights;

static int most_eights(int elements, int runs) { return elements / 8 + runs + 1; }

static void find_eights(const sys_run *runs, int count, eights *e) {
  for (int r = 0; r < count; r++)
    for (int i = 0; i < runs[r].count; i++) {
      int at = runs[r].first + i;
      if (i % 8 == 0) e->piece[e->count++].first = at;
      e->of[at] = e->count - 1;
      e->piece[e->count - 1].end = at + 1;
    }
}

static void want(const eights *e, int element, int tile) {
  int *due = e->due + e->of[element];
  *due = tile < *due ? tile : *due;
}

// read: (n) the tile that reads an unknown of the residual; body: (nbody) that writes a body, then that needs what acts on it.
static void find_walk(const plan *p, const int *read, int *body, const eights *bodies,
                      const eights *joints, const eights *held) {
  const tr_system *s = p->sys;
  for (int i = 0; i < s->nbody; i++)
    for (int k = 0; k < s->body[i].nv; k++) want(held, i, read[s->body[i].v + k]);
  for (int j = 0; j < s->njoint; j++)
    for (int k = 0; k < s->joint[j].ops->rows; k++)
      want(joints, j, read[s->nv + s->joint[j].row + k]);
  for (int i = 0; i < s->nloose; i++) want(joints, s->loose[i], TR_DUE_FIRST);
  for (int i = 0; i < s->nbody; i++) {
    int due = held->due[held->of[i]];
    body[i] = due < body[i] ? due : body[i];
    want(bodies, i, body[i]);
  }
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j < s->njoint; j++)
      for (int k = 0; k < s->joint[j].e.markers; k++) {
        int b = s->joint[j].e.body[k];
        if (b != TR_GROUND && pass == 0) want(joints, j, body[b]);
        if (b != TR_GROUND && pass == 1) want(bodies, b, joints->due[joints->of[j]]);
      }
}

// Not where wrenches are added up in one order, or much is needed from the beginning, or all is in splinters.
static tr_status order_walk(const plan *p, tr_arena *own, sys_tiling *t) {
  const tr_system *s = p->sys;
  if (s->nstretch == 0 || s->nforce > 0 || s->nvelocity > 0 || !tr_joints_apart(s)) return TR_OK;
  int most = most_eights(s->nbody, s->nbody_run),
      most_joints = most_eights(s->njoint, s->njoint_run);
  int n = p->b->n, rest = 2 * s->nbody + s->njoint, dues = 2 * most + most_joints;
  int *read = TR_BUSY(own, n + rest + dues, int), *body = read + n; // one room, given back
  sys_piece *piece = TR_NEW(own, most + most_joints, sys_piece);
  if (!read || !piece) return TR_NO_MEMORY;
  int *of = body + s->nbody, *due = of + s->nbody + s->njoint;
  eights bodies = {0, of, due, piece}, joints = {0, of + s->nbody, due + 2 * most, piece + most};
  find_eights(s->body_run, s->nbody_run, &bodies);
  find_eights(s->joint_run, s->njoint_run, &joints);
  eights held = bodies;
  held.due = due + most;
  for (int i = 0; i < dues; i++) due[i] = p->b->tiles;
  for (int i = 0; i < p->fours; i++)
    for (int k = p->four[i].first; k < p->four[i].end; k++) body[k] = p->tile[i];
  tr_blocks_read(p->b, read);
  find_walk(p, read, body, &bodies, &joints, &held);
  TR_TRY(sort_pieces(p, bodies.count, piece, bodies.due, &t->bodies));
  TR_TRY(sort_pieces(p, joints.count, joints.piece, joints.due, &t->joints));
  TR_TRY(sort_pieces(p, held.count, piece, held.due, &t->held));
  int pieces = t->bodies.first[p->b->tiles + 1], first = 0;
  for (int i = 0; i < bodies.count; i++)
    if (bodies.due[i] == TR_DUE_FIRST) first += piece[i].end - piece[i].first;
  t->walks = pieces * PIECE_LEAST <= s->nbody && first <= FIRST_MANY * s->nbody;
  return TR_OK;
}

// ----------------------------------------------------------------------------------------------------

static tr_status find_tiling(tr_system *sys, int ntape, tr_arena *own) {
  const tr_blocks *b = sys->pattern.blocks;
  plan p = {.sys = sys, .b = b, .due = TR_BUSY(own, b->numbers, int)};
  int most = sys->nbody / LANES + sys->nbody_run + 2;
  int others = most_eights(sys->njoint, sys->njoint_run), room = most > others ? most : others;
  p.four = TR_NEW(own, most, sys_piece), p.tile = TR_NEW(own, most, int);
  p.sorted = TR_NEW(own, room, sys_piece), p.to = TR_NEW(own, room, int);
  if (!p.due || !p.four || !p.tile || !p.sorted || !p.to) return TR_NO_MEMORY;
  list_fours(&p);
  tr_blocks_due(b, p.due);
  if (!find_tiles(&p, ntape)) return TR_OK;
  sys_tiling *t = TR_NEW(&sys->arena, 1, sys_tiling);
  int *first = TR_NEW(&sys->arena, (size_t)b->tiles + 2, int);
  if (!t || !first) return TR_NO_MEMORY;
  t->tiles = b->tiles, t->first_gap = first, t->elements = p.four[p.fours].tape;
  TR_TRY(sort_gaps(&p, own, t->first_gap));
  TR_TRY(sort_pieces(&p, p.fours, p.four, p.tile, &t->written));
  TR_TRY(order_walk(&p, own, t));
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
