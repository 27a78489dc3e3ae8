// SPDX-License-Identifier: Apache-2.0
// A progress line on a terminal, and the clean end on Ctrl-C.
//
// The clock is read only every so many steps, adapted to how long a step takes.
#include <math.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

// A signal handler has no other way to tell.
static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
  (void)number;
  interrupted = 1;
}

// The second signal kills.
void catch_interrupts(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
}

bool was_interrupted(void) { return interrupted; }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void draw(double elapsed, const tr_run_info *info) {
  double done = info->end > 0 ? info->t / info->end : 0;
  char eta[64] = "";
  if (done > 0 && done < 1) {
    long left = (long)ceil(elapsed * (1 - done) / done);
    if (left < 120)
      snprintf(eta, sizeof eta, "  eta %ld s", left);
    else
      snprintf(eta, sizeof eta, "  eta %ld min %02ld s", left / 60, left % 60);
  }
  fprintf(stderr, "\r%5.1f %%  t = %.4g s of %.4g s  step %ld%s\033[K", 100 * fmin(done, 1),
          info->t, info->end, info->steps, eta);
  fflush(stderr);
}

static tr_status look(tr_observer *self, const tr_state *state, const tr_run_info *info) {
  (void)state;
  progress *p = (progress *)self;
  if (interrupted) return TR_STOPPED;
  if (!p->shown || info->steps < p->next) return TR_OK;
  double elapsed = now() - p->start;
  draw(elapsed, info);
  double rate = elapsed > 0 ? (double)info->steps / elapsed : 0; // steps a second
  p->next = info->steps + 1 + (long)fmin(0.1 * rate, 1e6);
  return TR_OK;
}

progress progress_start(bool quiet) {
  return (progress){.observer = {.step = look, .motion_only = true},
                    .shown = !quiet && isatty(STDERR_FILENO),
                    .next = 0,
                    .start = now()};
}

void progress_end(progress *p, const tr_run_info *info) {
  if (!p->shown) return;
  draw(now() - p->start, info);
  fputc('\n', stderr);
}

tr_status progress_note(progress *p, const char *what, double done) {
  if (interrupted) return TR_STOPPED;
  if (!p->shown) return TR_OK;
  fprintf(stderr, "\r%5.1f %%  %s\033[K", 100 * done, what);
  fflush(stderr);
  p->drawn = true;
  return TR_OK;
}

void progress_clear(progress *p) {
  if (!p->drawn) return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  p->drawn = false;
}
