// SPDX-License-Identifier: Apache-2.0
// What forces and prescribed motions do along the way ahead: jumps, what is no number, the largest.
#ifndef TR_AHEAD_H
#define TR_AHEAD_H

#include "driver.h"

typedef struct tr_suspect {
  tr_probe_part part;
  double change, from; // the largest over one of the intervals, and where that begins
} tr_suspect;

typedef struct tr_ahead {
  const tr_run *r;
  tr_arena arena;
  const tr_state *from;    // where the way begins
  bool held;               // it is one in time alone
  tr_state x;              // a place on it
  double *d, *made;        // (nv), (3 nv) accelerations
  double *a, *b, *m;       // (size) what the parts do on either end, and between
  double *gamma;           // (2 nc) right sides of the accelerations on either end
  double scale[TR_PROBES]; // the largest force, position, velocity
  int size, parts;
  tr_suspect *s; // (parts)
} tr_ahead;

bool tr_ahead_make(const tr_run *r, tr_ahead *p); // to be freed even if it failed
void tr_ahead_free(tr_ahead *p);

typedef struct tr_jump {
  const tr_probe_part *part; // NULL: there is none
  double t, before, size;    // before: the last time on the other side
} tr_jump;
// The one next to x on ways of length h, ahead and behind, and, tries - 1 times, longer ones.
tr_jump tr_ahead_find_jump(tr_ahead *p, const tr_state *x, double h, int tries);
bool tr_jump_follows(const tr_run *r, const tr_probe_part *part); // motion follows a jump of it
// Whether something but positions, as far as accelerations, changes at x from one time to another, as near as it can be.
bool tr_ahead_jumps(tr_ahead *p, const tr_state *x, double before, double after);
// The same, but not what changes as much beside them: a force that comes from nothing.
bool tr_ahead_breaks(tr_ahead *p, const tr_state *x, double before, double after);
// How far accelerations halfway between two times are off from the mean of both, with the bodies held at x: steps from one
// to the other would not feel it. INFINITY: they cannot be told.
double tr_ahead_bulge(tr_run *r, tr_ahead *p, const tr_state *x, double from, double to);
// "; force "x" is discontinuous ..." into text, or nothing.
void tr_jump_tell(const tr_jump *jump, char *text, size_t room);
void tr_run_tell_jump(const tr_run *r, double h, int tries, char *text, size_t room);
// The force that does most; NULL: there is none.
const char *tr_run_largest_force(const tr_run *r);

#endif
