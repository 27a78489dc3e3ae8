// SPDX-License-Identifier: Apache-2.0
// One lock-step team: the caller raises `call`, the others take their parts, the last one to finish ends it. Calls
// follow each other within microseconds, so whoever waits looks again and again for a while before it goes to
// sleep.
#define _GNU_SOURCE // sched_getaffinity
#include "team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "subnormal.h"

enum { LOOKS = 4000 }; // some 50 us
enum { FEW = 16 };     // grains that are not worth to be shared

typedef struct member {
  tr_team *team;
  int number;
  pthread_t thread;
} member;

struct tr_team {
  tr_allocator *al;
  int size;
  member *member; // (size), the caller is the first
  void (*part)(void *what, int i);
  void *what;
  int parts;
  unsigned mode;                 // of the caller's processor, see subnormal.h
  _Alignas(64) atomic_uint call; // how many there have been
  _Alignas(64) atomic_int busy;  // members that have not finished
  _Alignas(64) atomic_int asleep;
  bool over;
  pthread_mutex_t lock;
  pthread_cond_t wake;
};

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

static void work(tr_team *t, int number) {
  int first = t->parts * number / t->size, end = t->parts * (number + 1) / t->size;
  for (int i = first; i < end; i++) t->part(t->what, i);
}

// Until another call than `seen`.
static unsigned wait_for_call(tr_team *t, unsigned seen) {
  for (int k = 0; k < LOOKS; k++, relax()) {
    unsigned now = atomic_load_explicit(&t->call, memory_order_acquire);
    if (now != seen) return now;
  }
  pthread_mutex_lock(&t->lock);
  atomic_fetch_add(&t->asleep, 1);
  while (atomic_load(&t->call) == seen) pthread_cond_wait(&t->wake, &t->lock);
  atomic_fetch_sub(&t->asleep, 1);
  pthread_mutex_unlock(&t->lock);
  return atomic_load(&t->call);
}

static void *serve(void *of) {
  member *m = of;
  tr_team *t = m->team;
  for (unsigned seen = 0;;) {
    seen = wait_for_call(t, seen);
    if (t->over) return NULL;
    tr_flush_take(t->mode);
    work(t, m->number);
    atomic_fetch_sub_explicit(&t->busy, 1, memory_order_release);
  }
}

static void call(tr_team *t) {
  atomic_fetch_add(&t->call, 1);
  if (atomic_load(&t->asleep) == 0) return;
  pthread_mutex_lock(&t->lock);
  pthread_cond_broadcast(&t->wake);
  pthread_mutex_unlock(&t->lock);
}

void tr_team_share(tr_team *t, int parts, void (*part)(void *what, int i), void *what) {
  if (!t || parts <= 1) {
    for (int i = 0; i < parts; i++) part(what, i);
    return;
  }
  t->part = part, t->what = what, t->parts = parts, t->mode = tr_flush_mode();
  atomic_store_explicit(&t->busy, t->size - 1, memory_order_relaxed);
  call(t);
  work(t, 0);
  for (int k = 0; atomic_load_explicit(&t->busy, memory_order_acquire) > 0; k++)
    if (k < LOOKS)
      relax();
    else
      sched_yield();
}

typedef struct ranges {
  tr_range_part *part;
  void *what;
  int n, grain, count;
} ranges;

static int bound(const ranges *r, int i) {
  if (i == r->count) return r->n;
  return (int)((long long)r->n * i / r->count) / r->grain * r->grain;
}

static void one_range(void *what, int i) {
  const ranges *r = what;
  int first = bound(r, i), end = bound(r, i + 1);
  if (first < end) r->part(r->what, i, first, end);
}

void tr_team_ranges(tr_team *t, int n, int grain, tr_range_part *part, void *what) {
  if (!t || n < FEW * grain) {
    if (n > 0) part(what, 0, 0, n);
    return;
  }
  ranges r = {part, what, n, grain, t->size};
  tr_team_share(t, t->size, one_range, &r);
}

int tr_team_size(const tr_team *t) { return t ? t->size : 1; }

int tr_team_cores(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? (int)n : 1;
}

tr_status tr_team_new(tr_allocator *al, int threads, tr_team **team) {
  *team = NULL;
  if (threads <= 1) return TR_OK;
  if (threads > TR_TEAM_MAX) threads = TR_TEAM_MAX;
  tr_team *t = tr_resize(al, NULL, sizeof *t + (size_t)threads * sizeof(member));
  if (!t) return TR_NO_MEMORY;
  *t = (tr_team){.al = al, .size = 1, .member = (member *)(t + 1)};
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->wake, NULL);
  *team = t;
  for (int i = 1; i < threads; i++, t->size++) {
    t->member[i] = (member){.team = t, .number = i};
    if (pthread_create(&t->member[i].thread, NULL, serve, &t->member[i]) != 0) {
      tr_team_free(t);
      *team = NULL;
      return TR_FAILED;
    }
  }
  return TR_OK;
}

void tr_team_free(tr_team *t) {
  if (!t) return;
  t->over = true;
  call(t);
  for (int i = 1; i < t->size; i++) pthread_join(t->member[i].thread, NULL);
  pthread_cond_destroy(&t->wake);
  pthread_mutex_destroy(&t->lock);
  tr_resize(t->al, t, 0);
}
