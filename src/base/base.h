// SPDX-License-Identifier: Apache-2.0
// What every layer stands on: memory, errors, small text helpers. No mechanics.
//
// (1) Every object owns one arena; freeing the object frees the arena. Nothing else is freed singly.
// (2) A failed allocation is a TR_NO_MEMORY status; it never aborts.
#ifndef TR_BASE_H
#define TR_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "trammel/status.h"

// Return on failure: the one macro that hides control flow.
#define TR_TRY(call)                \
  do {                              \
    tr_status try_ = (call);        \
    if (try_ != TR_OK) return try_; \
  } while (0)

// Where something was written; file NULL: built by calls.
typedef struct tr_place {
  const char *file;
  int line, column; // from 1
} tr_place;

// ---- memory ---------------------------------------------------------------------------------------

void *tr_resize(tr_allocator *al, void *block, size_t size); // al NULL: C heap; size 0 frees

typedef struct tr_arena {
  tr_allocator *al;
  struct tr_chunk *chunks; // the first one has room left
  size_t bytes;            // handed out
} tr_arena;
tr_arena tr_arena_make(tr_allocator *al);
void *tr_arena_get(tr_arena *ar,
                   size_t size); // zeroed, aligned to 64 if not small; NULL: out of memory
void *tr_arena_raw(tr_arena *ar, size_t size); // not zeroed: what is never used costs no memory
// Zeroed, for what every step goes through: its first bytes, as many as are busy, on large pages where the system has them, and
// they are many.
void *tr_arena_busy(tr_arena *ar, size_t size, size_t busy);
void tr_large_pages(void *p, size_t size); // the same of a block that was not written to yet
char *tr_arena_text(tr_arena *ar, const char *text, size_t n); // a terminated copy
char *tr_arena_printf(tr_arena *ar, const char *format, ...) TR_PRINTF(2, 3);
void tr_arena_free(tr_arena *ar);
#define TR_RAW(ar, n, type) ((type *)tr_arena_raw((ar), (size_t)(n) * sizeof(type)))
#define TR_BUSY(ar, n, type) TR_BUSY_FIRST(ar, n, n, type)
#define TR_BUSY_FIRST(ar, n, busy, type) \
  ((type *)tr_arena_busy((ar), (size_t)(n) * sizeof(type), (size_t)(busy) * sizeof(type)))
#define TR_NEW(ar, n, type) ((type *)tr_arena_get((ar), (size_t)(n) * sizeof(type)))

// A growing array of T in an allocator's heap: for building, before sizes are known.
// On failure items stay as they were and NULL comes back.
void *tr_grow(tr_allocator *al, void *items, int count, int *capacity, size_t item_size);

// A growing text.
typedef struct tr_text {
  tr_allocator *al;
  char *data; // terminated once anything was added
  size_t size, capacity;
  bool failed; // out of memory: later additions are dropped
} tr_text;
void tr_text_add(tr_text *s, const char *format, ...) TR_PRINTF(2, 3);
void tr_text_free(tr_text *s);

// ---- errors ---------------------------------------------------------------------------------------

// Appends "file:line:column: <message>\n" (place NULL or without file: just the message), keeps the
// first status, counts. error may be NULL. Returns status for `return tr_fail(...)`.
tr_status tr_fail(tr_error *error, tr_status status, const tr_place *place, const char *format, ...)
    TR_PRINTF(4, 5);
tr_status tr_no_memory(tr_error *error); // tr_fail with TR_NO_MEMORY

// The candidate nearest to a misspelt word, or NULL when none is near. candidates: NULL-terminated.
const char *tr_did_you_mean(const char *word, const char *const *candidates);

#endif
