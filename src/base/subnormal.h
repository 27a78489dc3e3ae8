// SPDX-License-Identifier: Apache-2.0
// Numbers below 2.2e-308 count as zero in runs: while these begin and while steps are made.
//
// Motions that are damped, or not there at all but for round-off, die out geometrically down to there: by hht-i3 with
// alpha = -0.3 after some 500 steps. Many processors take 100 cycles and more for an operation with such a number. Who calls
// the library, and observers of a run, keep the mode of the processor that was there before; threads of a team have that of
// the thread that calls them, so bits do not depend on their number.
#ifndef TR_SUBNORMAL_H
#define TR_SUBNORMAL_H

#if defined(__SSE2__)
#include <emmintrin.h>

enum { TR_FLUSH = 0x8040 }; // results to zero, operands as zero

static inline unsigned tr_flush_mode(void) { return _mm_getcsr() & TR_FLUSH; }

// What was raised before stays raised.
static inline void tr_flush_take(unsigned mode) {
  unsigned now = _mm_getcsr(), then = (now & ~(unsigned)TR_FLUSH) | mode;
  if (then != now) _mm_setcsr(then);
}
#else
enum { TR_FLUSH };
static inline unsigned tr_flush_mode(void) { return 0; }
static inline void tr_flush_take(unsigned mode) { (void)mode; }
#endif

// The mode that was there before.
static inline unsigned tr_flush_begin(void) {
  unsigned before = tr_flush_mode();
  tr_flush_take(TR_FLUSH);
  return before;
}

#endif
