// SPDX-License-Identifier: Apache-2.0
// Open addressing with linear probing; at most half full.
#include "table.h"

#include <stdint.h>
#include <string.h>

struct tr_table_entry {
  const void *owner;
  const char *text;
  size_t n;
  void *value; // NULL: free place
};

// FNV-1a over the text, then a mix with the owner's address.
static size_t hash(const void *owner, const char *text, size_t n) {
  uint64_t h = 14695981039346656037u;
  for (size_t k = 0; k < n; k++) h = (h ^ (unsigned char)text[k]) * 1099511628211u;
  h ^= (uint64_t)(uintptr_t)owner * 0x9E3779B97F4A7C15u;
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9u;
  return (size_t)(h ^ h >> 32);
}

static struct tr_table_entry *place(const tr_table *t, const void *owner, const char *text,
                                    size_t n) {
  size_t mask = t->capacity - 1, k = hash(owner, text, n) & mask;
  for (;; k = (k + 1) & mask) {
    struct tr_table_entry *e = &t->entries[k];
    if (!e->value) return e;
    if (e->owner == owner && e->n == n && (n == 0 || memcmp(e->text, text, n) == 0)) return e;
  }
}

void *tr_table_find(const tr_table *t, const void *owner, const char *text, size_t n) {
  return t->capacity ? place(t, owner, text, n)->value : NULL;
}

static bool grow(tr_table *t) {
  tr_table next = {.al = t->al, .count = t->count, .capacity = t->capacity ? 2 * t->capacity : 64};
  size_t bytes = next.capacity * sizeof *next.entries;
  next.entries = tr_resize(t->al, NULL, bytes);
  if (!next.entries) return false;
  memset(next.entries, 0, bytes);
  for (size_t k = 0; k < t->capacity; k++) {
    struct tr_table_entry *e = &t->entries[k];
    if (e->value) *place(&next, e->owner, e->text, e->n) = *e;
  }
  tr_resize(t->al, t->entries, 0);
  *t = next;
  return true;
}

bool tr_table_put(tr_table *t, const void *owner, const char *text, size_t n, void *value) {
  if (2 * (t->count + 1) > t->capacity && !grow(t)) return false;
  struct tr_table_entry *e = place(t, owner, text, n);
  if (!e->value) t->count++;
  *e = (struct tr_table_entry){.owner = owner, .text = text, .n = n, .value = value};
  return true;
}

void tr_table_free(tr_table *t) {
  tr_resize(t->al, t->entries, 0);
  *t = (tr_table){.al = t->al};
}
