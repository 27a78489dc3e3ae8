// SPDX-License-Identifier: Apache-2.0
// Where the blocks of the assembly go.
//
// A block is a dense matrix whose entry (r, c) is block[r down + c across]; it belongs to rows i.. and
// columns j.. of the KKT matrix. `assemble` (tangent.c) emits all blocks in one fixed order, and does so
// in four modes: to collect the pattern and to record the tape (pattern.c), to write numbers, and to look at
// their sizes where there is no room for them.
//
// The tape has two numbers for each block: 2 shape + add, and the slot of its first entry. A shape, common
// to the many blocks that look alike, is the number of entries, that of fours, and for each entry its slot, from that
// of the first one on, and its place in the block. Fours, which come first, are entries whose slots follow each other.
// add: some of its slots were written before by another block; else the block overwrites.
// In the slots of the block solver, which has what belongs to a body in one place, all blocks that a body has together
// (together.h), up to TR_PINS pins, are one, with zeros for what is next to them and has no slot.
#ifndef TR_SINK_H
#define TR_SINK_H

#include "system.h"

typedef enum sink_mode { SINK_COLLECT, SINK_RECORD, SINK_WRITE, SINK_SIZES } sink_mode;

typedef struct sink {
  sink_mode mode;
  double *values, *rates;       // rates: or NULL
  const int *tape, *shape;      // SINK_WRITE
  bool joined;                  // slots are those of the block solver,
  const sys_run *gap;           // and these are to be cleared before
  struct tr_recorder *recorder; // SINK_COLLECT, SINK_RECORD
  const tr_sizes *sizes;        // SINK_SIZES
} sink;

typedef struct tr_block_at {
  int i, j, rows, columns, down, across;
  bool whole; // zeros belong to the pattern too
} tr_block_at;

// Collecting and recording; failures are kept in the recorder.
void tr_record_block(struct tr_recorder *r, tr_block_at at, const double *block);
void tr_size_block(const tr_sizes *out, tr_block_at at, const double *block);
double tr_record_random(struct tr_recorder *r); // in [-1/2, 1/2)

// Every block of the matrix, in the one order (tangent.c). a, lam, blocks: see tr_tangent.
void tr_assemble(sink *s, tr_work *w, const double *a, const double *lam, const double *blocks,
                 tr_coefficients c);

// Numbers of the tape that belong to a body.
static inline int tr_body_tape(const tr_system *sys, int body, bool joined) {
  int pins = sys->first_pin[body + 1] - sys->first_pin[body];
  if (sys->body[body].nc > 0) return 6;
  return !joined ? 2 + 4 * pins : pins <= TR_PINS ? 2 : 2 * ((pins + TR_PINS - 1) / TR_PINS);
}

// The type of the bodies whose points it joins, if that makes the rows of such joints (tr_pin); else NULL.
const tr_body_type *tr_joins_points(const tr_system *sys, const sys_joint *j);
const tr_body_type *tr_joins_frames(const tr_system *sys, const sys_joint *j); // by primitives

// Three entries at a time: most blocks have a multiple of these.
static inline void write_block(const sink *s, const int *tape, const double *block, double *v) {
  const int *shape = s->shape + (tape[0] >> 1), *end = shape + 2 + 2 * *shape;
  v += tape[1];
  shape += 2;
  if (tape[0] & 1) {
    for (; shape < end; shape += 2) v[shape[0]] += block[shape[1]];
    return;
  }
  for (; shape + 6 <= end; shape += 6) {
    double a = block[shape[1]], b = block[shape[3]], c = block[shape[5]];
    v[shape[0]] = a, v[shape[2]] = b, v[shape[4]] = c;
  }
  for (; shape < end; shape += 2) v[shape[0]] = block[shape[1]];
}

static inline void emit(sink *s, tr_block_at at, const double *block) {
  if (s->mode == SINK_WRITE)
    write_block(s, s->tape, block, s->values), s->tape += 2;
  else if (s->mode == SINK_SIZES)
    tr_size_block(s->sizes, at, block);
  else
    tr_record_block(s->recorder, at, block);
}

#endif
