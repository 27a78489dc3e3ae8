// SPDX-License-Identifier: Apache-2.0
// Lists of whole numbers, each stored once: what looks alike takes no room of its own.
//
// A list is pushed number by number behind the others; tr_lists_share ends it and says where it is, which is
// where the same list was first pushed.
#ifndef TR_LISTS_H
#define TR_LISTS_H

#include "base.h"

typedef struct tr_lists {
  tr_allocator *al;
  bool failed; // out of memory: what comes after it is dropped
  int *number, length, capacity;
  int (*hash)[2], hash_size, count; // open addressing: first number and length of a list, -1: free
} tr_lists;

void tr_lists_push(tr_lists *l, int x);
int tr_lists_share(tr_lists *l, int first);
// All lists into the arena, and the rooms away; NULL: out of memory, now or before.
int *tr_lists_keep(tr_lists *l, tr_arena *ar);
void tr_lists_free(tr_lists *l);

#endif
