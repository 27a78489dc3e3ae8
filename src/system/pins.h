// SPDX-License-Identifier: Apache-2.0
// Velocities projected onto constraints that are all pins, at the cost of a fraction of a solve: with S = G M^-1 G'
//   S x = G v,   v - M^-1 G' x   has no part against them
// S is built body by body from what pins of one have to do with each other, at a place q, and solved node by node
// (sparse/normal.h), a node for each joint. Segments of chains are folded while that is done (windows.h): for what is left
// each is like a body with two pins.
#ifndef TR_SYSTEM_PINS_H
#define TR_SYSTEM_PINS_H

#include "sparse/normal.h"
#include "system.h"
#include "windows.h"

// Up to four neighbours in no window: bars, with one pin or two, or others with as many pins.
typedef struct pins_four {
  int first, count; // bodies
  int pin, at;      // pins and blocks of the first; those of the others follow
  int known;        // of bars, a place in tr_pins.known; else -1
} pins_four;

typedef struct tr_pins {
  tr_normal *plan;
  tr_windows windows;
  int *
      end; // (4 windows) where blocks of each segment are; -1 - that: its ends are eliminated in the other order
  double *least; // (4 (links - 1) windows) see tr_fold; 4, if all bars are alike
  int fours;
  pins_four *four;
  double *known; // (4 TR_BAR_KNOWN each) of bars among these, the same for several that are alike
  tr_pin *pin;   // of these bodies, those of one in the order of elimination
  int numbers, kept; // in all; where those kept of windows begin
  double *S;         // (numbers) room that its owner gives it, of no use in between
  int rows;          // of a joint
} tr_pins;

// *out NULL: there are other constraints, or too many of them hang together.
tr_status tr_pins_make(const tr_system *sys, tr_arena *ar, tr_pins **out);
// S and G v at q; x (nc + 2) of them, those of joints within windows still to come. False: S is nearly singular, or something
// is no number.
bool tr_pins_solve(tr_work *w, const tr_pins *p, const double *q, const double *v, double *x);
// Whoever takes from v what is known of velocities first .. end - 1, while it is at hand, or NULL: nobody does; part: whose
// they are.
typedef struct tr_pins_taking {
  void (*take)(void *what, int part, int first, int end);
  void *what;
} tr_pins_taking;
// All of x; out (nv) = M^-1 G' x, at the same place, to be taken from v; and by how much accelerations by gyroscopic forces
// change at most if that is in place of f was, or what is surely below `little`.
double tr_pins_pull(tr_work *w, const tr_pins *p, const double *q, const double *v, double little,
                    double f, const double *was, double *x, double *out,
                    const tr_pins_taking *taking);

#endif
