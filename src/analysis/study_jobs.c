// SPDX-License-Identifier: Apache-2.0
// Work on all cores: threads take the next job from a counter; each job has a slot of its own.
//
// (1) The first failure (by job number among those that ran) is the study's.
// (2) Progress is told at most ten times a second, under a lock.
#include <time.h>
#include <unistd.h>

#include "study.h"

double tr_study_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void tr_study_expect(study *s, const char *what, double total) {
  atomic_store(&s->done, 0);
  s->total = total > 0 ? total : 1;
  s->what = what;
}

tr_status tr_study_tick(study *s, long steps) {
  long long done = atomic_fetch_add(&s->done, steps) + steps;
  int stop = atomic_load(&s->stop);
  if (stop != TR_OK) return (tr_status)stop;
  tr_study_progress *p = s->set.progress;
  if (!p || pthread_mutex_trylock(&s->lock) != 0) return TR_OK;
  tr_status status = TR_OK;
  double now = tr_study_clock();
  if (now - s->last_look > 0.1) {
    double share = (double)done / s->total;
    status = p->look(p, share < 1 ? share : 1, s->what);
    s->last_look = now;
  }
  pthread_mutex_unlock(&s->lock);
  if (status != TR_OK) atomic_store(&s->stop, status);
  return status;
}

typedef struct crew {
  study *s;
  study_task task;
  void *data;
  int n;
  atomic_int next;
  pthread_mutex_t lock;
  int failed; // job of the first failure, n: none
  tr_status status;
} crew;

static void *labour(void *argument) {
  crew *c = argument;
  for (;;) {
    int i = atomic_fetch_add(&c->next, 1);
    if (i >= c->n || atomic_load(&c->s->stop) != TR_OK) return NULL;
    tr_status status = c->task(c->s, c->data, i);
    if (status == TR_OK) continue;
    pthread_mutex_lock(&c->lock);
    if (i < c->failed) c->failed = i, c->status = status;
    pthread_mutex_unlock(&c->lock);
    atomic_store(&c->s->stop, status);
  }
}

static int threads_of(const study *s, int jobs) {
  long n = s->set.threads > 0 ? s->set.threads : sysconf(_SC_NPROCESSORS_ONLN);
  if (s->sys->al || n < 1) n = 1; // an allocator of the user's need not stand threads
  return n < jobs ? (int)n : jobs;
}

tr_status tr_study_work(study *s, int n, study_task task, void *data, bool serial) {
  crew c = {.s = s, .task = task, .data = data, .n = n, .failed = n};
  enum { MOST = 256 };
  pthread_t thread[MOST];
  int want = serial ? 1 : threads_of(s, n), got = 0;
  pthread_mutex_init(&c.lock, NULL);
  // The caller works too; a thread that cannot be made is done without.
  while (got < want - 1 && got < MOST && pthread_create(&thread[got], NULL, labour, &c) == 0) got++;
  labour(&c);
  for (int i = 0; i < got; i++) pthread_join(thread[i], NULL);
  pthread_mutex_destroy(&c.lock);
  return c.failed < n ? c.status : (tr_status)atomic_load(&s->stop);
}
