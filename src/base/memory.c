// SPDX-License-Identifier: Apache-2.0
// Arenas, growing arrays and growing texts on one allocator hook.
#define _DEFAULT_SOURCE // madvise
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base.h"

enum { ALIGN = 64, ALIGN_SMALL = 16, SMALL = 512, CHUNK = 16 * 1024 };
enum { LARGE = 128 * 1024 }; // chunks from here on come from the system page by page
enum { LARGE_PAGE = 2 * 1024 * 1024 };

typedef struct tr_chunk {
  struct tr_chunk *next;
  size_t used, size; // of the bytes after this header
  bool clean;        // those that are not used yet are zero
} tr_chunk;

void *tr_resize(tr_allocator *al, void *block, size_t size) {
  if (al) return al->resize(al, block, size);
  if (size == 0) {
    free(block);
    return NULL;
  }
  return realloc(block, size);
}

tr_arena tr_arena_make(tr_allocator *al) { return (tr_arena){.al = al}; }

// First aligned offset into the chunk's payload at or after `used`.
static size_t aligned_offset(const tr_chunk *c, size_t align) {
  uintptr_t at = (uintptr_t)(c + 1) + c->used;
  return c->used + (size_t)((align - at % align) % align);
}

// A large chunk from the C library is zero already. Its pages are memory only once they are written to, so
// that rooms which a run has no use for cost nothing.
static tr_chunk *new_chunk(tr_arena *ar, size_t size) {
  bool clean = !ar->al && size >= LARGE;
  tr_chunk *c = clean ? calloc(1, sizeof *c + size) : tr_resize(ar->al, NULL, sizeof *c + size);
  if (c) *c = (tr_chunk){.next = ar->chunks, .size = size, .clean = clean};
  return c;
}

// Whole pages only, so that it takes no more memory. A system that has none may say so: nobody minds.
void tr_large_pages(void *p, size_t size) {
#ifdef MADV_HUGEPAGE
  size_t before = (LARGE_PAGE - (uintptr_t)p % LARGE_PAGE) % LARGE_PAGE;
  if (size < before + LARGE_PAGE) return;
  madvise((char *)p + before, (size - before) / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#else
  (void)p, (void)size;
#endif
}

static void *get(tr_arena *ar, size_t size, size_t align, bool zeroed) {
  tr_chunk *c = ar->chunks;
  if (!c || aligned_offset(c, align) + size > c->size) {
    // Grow geometrically so that large models take few chunks.
    size_t want = size + ALIGN, usual = CHUNK + ar->bytes / 8;
    if (want < size) return NULL;
    bool alone = c && want >= usual; // then the room left in the first one goes on being used
    c = new_chunk(ar, alone ? want : want > usual ? want : usual);
    if (!c) return NULL;
    if (alone)
      c->next = ar->chunks->next, ar->chunks->next = c;
    else
      ar->chunks = c;
  }
  size_t at = aligned_offset(c, align);
  char *p = (char *)(c + 1) + at;
  c->used = at + size;
  ar->bytes += size;
  if (zeroed && !c->clean) memset(p, 0, size);
  return p;
}

void *tr_arena_get(tr_arena *ar, size_t size) {
  return get(ar, size > 0 ? size : 1, size < SMALL ? ALIGN_SMALL : ALIGN, true);
}

// In a chunk of its own, from the start of a page on: what is in front of it is never written to.
void *tr_arena_busy(tr_arena *ar, size_t size, size_t busy) {
  if (ar->al || busy < LARGE_PAGE || !ar->chunks) return tr_arena_get(ar, size);
  tr_chunk *c = new_chunk(ar, size + LARGE_PAGE);
  if (!c) return NULL;
  c->next = ar->chunks->next, ar->chunks->next = c;
  char *p = (char *)(c + 1) + aligned_offset(c, LARGE_PAGE);
  c->used = c->size;
  ar->bytes += size;
  tr_large_pages(p, busy);
  return p;
}

void *tr_arena_raw(tr_arena *ar, size_t size) { return get(ar, size > 0 ? size : 1, ALIGN, false); }

char *tr_arena_text(tr_arena *ar, const char *text, size_t n) {
  char *s = get(ar, n + 1, 1, true);
  if (s) memcpy(s, text, n);
  return s;
}

char *tr_arena_printf(tr_arena *ar, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (n < 0) return NULL;
  char *s = get(ar, (size_t)n + 1, 1, true);
  if (!s) return NULL;
  va_start(args, format);
  vsnprintf(s, (size_t)n + 1, format, args);
  va_end(args);
  return s;
}

void tr_arena_free(tr_arena *ar) {
  for (tr_chunk *c = ar->chunks; c;) {
    tr_chunk *next = c->next;
    tr_resize(ar->al, c, 0);
    c = next;
  }
  ar->chunks = NULL;
  ar->bytes = 0;
}

void *tr_grow(tr_allocator *al, void *items, int count, int *capacity, size_t item_size) {
  if (count < *capacity) return items;
  if (*capacity > INT_MAX / 2) return NULL;
  int more = *capacity ? 2 * *capacity : 16;
  void *grown = tr_resize(al, items, (size_t)more * item_size);
  if (grown) *capacity = more;
  return grown;
}

void tr_text_add(tr_text *s, const char *format, ...) {
  if (s->failed) return;
  va_list args;
  va_start(args, format);
  int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (n < 0) return;
  size_t need = s->size + (size_t)n + 1;
  if (need > s->capacity) {
    size_t capacity = need < 256 ? 256 : 2 * need;
    char *data = tr_resize(s->al, s->data, capacity);
    if (!data) {
      s->failed = true;
      return;
    }
    s->data = data;
    s->capacity = capacity;
  }
  va_start(args, format);
  vsnprintf(s->data + s->size, (size_t)n + 1, format, args);
  va_end(args);
  s->size += (size_t)n;
}

void tr_text_free(tr_text *s) {
  tr_resize(s->al, s->data, 0);
  *s = (tr_text){.al = s->al};
}
