// SPDX-License-Identifier: Apache-2.0
// A hash table from (owner, text) to a pointer. The texts must live as long as the table.
#ifndef TR_TABLE_H
#define TR_TABLE_H

#include "base/base.h"

typedef struct tr_table {
  tr_allocator *al;
  struct tr_table_entry *entries; // open addressing, a power of two
  size_t count, capacity;
} tr_table;

// NULL: not there.
void *tr_table_find(const tr_table *t, const void *owner, const char *text, size_t n);
// Adds or replaces. False: out of memory. value must not be NULL.
bool tr_table_put(tr_table *t, const void *owner, const char *text, size_t n, void *value);
void tr_table_free(tr_table *t);

#endif
