// SPDX-License-Identifier: Apache-2.0
#include "lists.h"

#include <string.h>

void tr_lists_push(tr_lists *l, int x) {
  int *grown = l->failed ? NULL : tr_grow(l->al, l->number, l->length, &l->capacity, sizeof x);
  if (!grown) {
    l->failed = true;
    return;
  }
  l->number = grown;
  grown[l->length++] = x;
}

static unsigned hash_of(const int *list, int n) {
  unsigned h = 2166136261u;
  for (int i = 0; i < n; i++) h = (h ^ (unsigned)list[i]) * 16777619u;
  return h ^ h >> 15;
}

static void grow_hash(tr_lists *l) {
  int size = l->hash_size ? 2 * l->hash_size : 64;
  int(*hash)[2] = tr_resize(l->al, NULL, (size_t)size * sizeof *hash);
  if (!hash) {
    l->failed = true;
    return;
  }
  for (int i = 0; i < size; i++) hash[i][0] = -1;
  for (int i = 0; i < l->hash_size; i++) {
    if (l->hash[i][0] < 0) continue;
    unsigned h = hash_of(l->number + l->hash[i][0], l->hash[i][1]) & (unsigned)(size - 1);
    while (hash[h][0] >= 0) h = (h + 1) & (unsigned)(size - 1);
    memcpy(hash[h], l->hash[i], sizeof *hash);
  }
  tr_resize(l->al, l->hash, 0);
  l->hash = hash, l->hash_size = size;
}

int tr_lists_share(tr_lists *l, int first) {
  int n = l->length - first;
  if (!l->failed && 2 * (l->count + 1) > l->hash_size) grow_hash(l);
  if (l->failed) return 0;
  unsigned h = hash_of(l->number + first, n) & (unsigned)(l->hash_size - 1);
  for (; l->hash[h][0] >= 0; h = (h + 1) & (unsigned)(l->hash_size - 1)) {
    const int *known = l->number + l->hash[h][0];
    if (l->hash[h][1] != n || memcmp(known, l->number + first, (size_t)n * sizeof *known)) continue;
    l->length = first;
    return l->hash[h][0];
  }
  l->hash[h][0] = first, l->hash[h][1] = n;
  l->count++;
  return first;
}

int *tr_lists_keep(tr_lists *l, tr_arena *ar) {
  int *kept = l->failed ? NULL : TR_NEW(ar, l->length + 1, int);
  if (kept && l->length > 0) memcpy(kept, l->number, (size_t)l->length * sizeof *kept);
  tr_lists_free(l);
  return kept;
}

void tr_lists_free(tr_lists *l) {
  tr_resize(l->al, l->number, 0);
  tr_resize(l->al, l->hash, 0);
  *l = (tr_lists){.al = l->al};
}
