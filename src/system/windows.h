// SPDX-License-Identifier: Apache-2.0
// Windows for pins.h: along chains of bars, bodies that nothing but two pins hold (tr_four_bars), segments of as many bars each,
// four of which go side by side (sparse/fold.h). Joints between two segments, and what is left over, belong to none.
#ifndef TR_SYSTEM_WINDOWS_H
#define TR_SYSTEM_WINDOWS_H

#include "system.h"

enum { TR_WINDOW_LINKS = 32 }; // at most: beyond, the joints between segments take no time

typedef struct tr_windows {
  int count, links; // windows, and bars in each segment
  const tr_body_type *type;
  int *bar; // (4 links count) bodies: of the first window four for each link
  int *run; // (4 count) the first of each segment if these are neighbours; else -1
  int *row; // (4 (links + 1) count) rows of the joints before, between and behind them
  double *
      known; // (4 TR_BAR_KNOWN) of four bars, `step` numbers from one four to the next; 0: all are alike
  int step;
} tr_windows;

// Those of joint j of a window, one for each lane.
static inline const int *tr_window_rows(const tr_windows *w, int window, int j) {
  return w->row + LANES * ((w->links + 1) * window + j);
}

// Joints of `rows` rows each. out->count 0: there are none.
tr_status tr_windows_find(const tr_system *sys, int rows, tr_arena *ar, tr_windows *out);

#endif
