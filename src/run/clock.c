// SPDX-License-Identifier: Apache-2.0
// How long steps take, and what is between them, by the wall clock.
#include <math.h>
#include <time.h>

#include "driver.h"

static const double SHORT_CALL = 1e-4; // seconds

double tr_clock(clockid_t which) {
  struct timespec t;
  clock_gettime(which, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double tr_clock_wall(void) { return tr_clock(CLOCK_MONOTONIC); }

// The process may be put aside at any moment: an interval of many times the usual length says nothing.
static void count(double interval, double *mean, double *sum) {
  double most = 8 * *mean + 1e-6;
  if (*mean > 0 && interval > most) interval = *mean;
  *mean = *mean > 0 ? 0.95 * *mean + 0.05 * interval : interval;
  *sum += interval;
}

void tr_run_count_time(tr_run *r, double since) {
  double now = tr_clock_wall();
  if (r->last_step_end > 0) count(since - r->last_step_end, &r->rest_mean, &r->rest_wall);
  count(now - since, &r->step_mean, &r->step_wall);
  r->last_step_end = now;
}

// A caller who goes step by step would wait for the clocks of every call, and that of the CPU takes half a microsecond: of
// short steps one in TR_WATCHED is looked at, one whose step is watched, and those since the last are taken to be like it.
tr_call_time tr_call_begin(tr_run *r, bool single) {
  bool brief = single && r->step_mean > 0 && r->step_mean < SHORT_CALL;
  tr_call_time w = {.single = single, .steps = r->info.steps};
  r->last_step_end = 0;
  if (brief && w.steps > TR_WATCHED && w.steps % TR_WATCHED != 0)
    return w; // the first ones take longer
  w.on = true;
  w.clock = r->team ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID;
  w.cpu = tr_clock(w.clock), w.wall = tr_clock_wall();
  w.step = r->step_wall, w.rest = r->rest_wall;
  return w;
}

// CPU time is shared out between steps and the rest like the clock's.
void tr_call_end(tr_run *r, const tr_call_time *w) {
  long steps = r->info.steps - w->steps;
  double step = r->step_wall - w->step, rest = r->rest_wall - w->rest;
  if (!w->on || !(step > 0)) { // none of its steps was watched
    r->unwatched += steps;
    return;
  }
  double cpu = tr_clock(w->clock) - w->cpu, wall = tr_clock_wall() - w->wall;
  double share = w->single ? fmin(step / wall, 1) : step / (step + rest);
  if (steps > 0) {
    r->step_cpu = share * cpu / (double)steps, r->step_took = share * wall / (double)steps;
    share *= 1 + (double)r->unwatched / (double)steps, r->unwatched = 0;
  }
  r->info.cpu_s += share * cpu, r->info.wall_s += share * wall;
}
