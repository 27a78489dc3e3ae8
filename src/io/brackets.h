// SPDX-License-Identifier: Apache-2.0
// Which brackets of a YAML text are open at a place.
#ifndef TR_IO_BRACKETS_H
#define TR_IO_BRACKETS_H

#include "base/base.h"

typedef struct tr_bracket {
  const char *at;
  tr_place place;
} tr_bracket;

// The brackets of s (one itself, at the place `from`) up to `end` that are open just before `to`, at most `most` of them, the
// innermost last. Returns how many.
int tr_brackets_open(const char *s, const char *end, tr_place from, tr_place to, tr_bracket *open,
                     int most);

#endif
