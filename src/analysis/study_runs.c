// SPDX-License-Identifier: Apache-2.0
// Runs of a study: what is looked at, when, and how long it took.
//
// Runs stop at multiples of their step only, so that no step is cut short by looking.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "study.h"

// ---- what and when ----------------------------------------------------------------------------------

static int group_of(tr_quantity q) {
  switch (q) {
    case TR_LENGTH:
    case TR_ANGLE:
    case TR_NUMBER: return GROUP_Q;
    case TR_VELOCITY:
    case TR_ANGULAR_VELOCITY: return GROUP_V;
    case TR_FORCE:
    case TR_TORQUE: return GROUP_LAM;
    case TR_ENERGY: return GROUP_ENERGY;
    default: return GROUP_NONE;
  }
}

tr_status tr_study_watch_make(study *s, bool raw, int channels, const int *channel,
                              study_watch *w) {
  int own = raw ? s->sys->nq + s->sys->nv + s->sys->nc : 0;
  *w = (study_watch){.raw = raw, .channels = channels, .channel = channel, .n = own + channels};
  int *group = TR_NEW(&s->arena, w->n, int), at = 0;
  if (!group) return tr_no_memory(s->error);
  for (int i = 0; i < own; i++, at++)
    group[at] = i < s->sys->nq ? GROUP_Q : i < s->sys->nq + s->sys->nv ? GROUP_V : GROUP_LAM;
  for (int i = 0; i < channels; i++, at++)
    group[at] = tr_channel_is_raw(s->sys, channel[i])
                    ? GROUP_LAM
                    : group_of(tr_channel_quantity(s->sys, channel[i]));
  for (int i = 0; i < w->n; i++)
    if (group[i] >= 0) w->size[group[i]]++;
  w->group = group;
  return TR_OK;
}

// a/b when it is a whole number, else 0.
static long whole(double a, double b) {
  double k = a / b;
  return k >= 0.5 && k < 1e15 && fabs(k - round(k)) < 1e-6 * fmin(1, 1e3 / k) ? lround(k) : 0;
}

// Last steps that are shorter have errors of their own: they would hide the order. So the usual steps are made to divide
// the end, the run ends where all given ones land, and where they never do so they are shortened.
static void fit_steps(study *s) {
  bool nested = true;
  for (int i = 1; i < s->steps; i++) nested = nested && whole(s->step[0], s->step[i]) > 0;
  if (nested && whole(s->end, s->step[0]) > 0) return;
  double most = ceil(s->end / s->step[0] - 1e-9);
  if (s->set.steps == 0) {
    for (int i = 0; i < s->steps; i++) s->step[i] = ldexp(s->end / most, -i);
  } else if (nested) {
    double asked = s->end;
    s->end = s->step[0] * floor(s->end / s->step[0]);
    tr_study_note(s, "The steps do not divide %.6g s: runs end at %.6g s, where all of them land.",
                  asked, s->end);
  } else {
    for (int i = 0; i < s->steps; i++) s->step[i] = s->end / ceil(s->end / s->step[i] - 1e-9);
    tr_study_note(s,
                  "The steps do not all divide the largest: each is shortened so that it "
                  "divides the end, where errors are taken.");
  }
}

tr_status tr_study_times(study *s, int most, int *count, const double **times) {
  fit_steps(s);
  long k = whole(s->end, s->step[0]), n = 1;
  bool all = k > 0;
  for (int i = 1; i < s->steps; i++) all = all && whole(s->step[0], s->step[i]) > 0;
  for (long d = 1; all && d <= most; d++)
    if (k % d == 0) n = d;
  double *t = tr_study_numbers(s, (int)n);
  if (!t) return tr_no_memory(s->error);
  for (long i = 0; i < n; i++) t[i] = s->end * (double)(i + 1) / (double)n;
  *count = (int)n, *times = t;
  return TR_OK;
}

// ---- one run ----------------------------------------------------------------------------------------

tr_status tr_study_run_new(study *s, const char *method, double h, const study_watch *watch,
                           int times, const double *time, study_run *r) {
  *r = (study_run){.method = method,
                   .h = h,
                   .newton_tol = s->set.newton_tol,
                   .recompute = s->set.recompute,
                   .watch = watch,
                   .times = times,
                   .time = time};
  if (!watch) return TR_OK;
  r->y = tr_study_numbers(s, times * watch->n);
  return r->y ? TR_OK : tr_no_memory(s->error);
}

static tr_status look(const study *s, const study_watch *w, tr_reader *reader, const tr_state *x,
                      double *y) {
  if (w->raw) {
    size_t nq = (size_t)s->sys->nq, nv = (size_t)s->sys->nv, nc = (size_t)s->sys->nc;
    memcpy(y, x->q, nq * sizeof *y), memcpy(y + nq, x->v, nv * sizeof *y);
    tr_plain_motion(s->sys, y, y + nq);
    y += nq + nv;
    memcpy(y, x->lam, nc * sizeof *y), y += nc;
  }
  return reader ? tr_reader_read(reader, x, y) : TR_OK;
}

// To a time, with a look at the world every so many steps.
static tr_status go_to(study *s, tr_run *run, double h, double t, tr_error *error) {
  enum { CHUNK = 500 };
  for (;;) {
    tr_run_info before = tr_run_describe(run);
    double left = t - before.t;
    if (left <= 1e-9 * h) return TR_OK;
    double next = left > 1.5 * CHUNK * h ? before.t + CHUNK * h : t;
    TR_TRY(tr_run_to(run, next, error));
    TR_TRY(tr_study_tick(s, tr_run_describe(run).steps - before.steps));
  }
}

static void explain(study_run *r, const tr_error *error) {
  snprintf(r->why, sizeof r->why, "%.*s", (int)strcspn(error->text, "\n"), error->text);
  if (!*r->why) snprintf(r->why, sizeof r->why, "%s", tr_status_text(r->status));
}

static tr_run_settings settings_of(const study *s, const study_run *r) {
  tr_run_settings set = tr_run_defaults();
  set.method = r->method, set.step = r->h, set.end = s->end;
  set.recompute = r->recompute, set.audit = false;
  set.newton.tol = r->newton_tol;
  if (r->exact) return set;
  set.newton.fixed_iterations = s->set.newton_iterations;
  set.consistent_start = !s->set.start_as_given;
  set.zero_start = s->set.zero_start;
  return set;
}

tr_status tr_study_run_one(study *s, study_run *r) {
  tr_error error = {0};
  tr_run *run = NULL;
  tr_reader *reader = NULL;
  tr_run_settings set = settings_of(s, r);
  tr_status status = tr_run_new(s->sys, &set, NULL, &run, &error);
  if (status == TR_OK && r->watch && r->watch->channels > 0)
    status = tr_reader_new(s->sys, r->watch->channels, r->watch->channel, &reader, &error);
  if (status == TR_OK && r->observer) status = tr_run_observe(run, r->observer);
  for (int j = 0; j < r->times && status == TR_OK; j++) {
    status = go_to(s, run, r->h, r->time[j], &error);
    if (status == TR_OK && r->watch)
      status = look(s, r->watch, reader, tr_run_state(run), r->y + (size_t)j * r->watch->n);
  }
  r->status = status;
  if (status != TR_OK) explain(r, &error);
  if (run) r->info = tr_run_describe(run);
  r->info.method = r->info.warnings = NULL; // they belong to the run
  tr_reader_free(reader);
  tr_run_free(run);
  return status == TR_NO_MEMORY || status == TR_STOPPED ? status : TR_OK;
}

static tr_status task(study *s, void *data, int i) {
  return tr_study_run_one(s, (study_run *)data + i);
}

tr_status tr_study_run_all(study *s, const char *what, int n, study_run *runs) {
  double total = 0;
  for (int i = 0; i < n; i++) total += s->end / runs[i].h;
  tr_study_expect(s, what, total);
  return tr_study_work(s, n, task, runs, false);
}

void tr_study_note_failures(study *s, int n, const study_run *runs) {
  for (int i = 0; i < n;) { // runs of one method lie together
    int end = i, failed = 0, first = -1;
    for (; end < n && runs[end].method == runs[i].method; end++)
      if (runs[end].status != TR_OK) {
        failed++;
        if (first < 0) first = end;
      }
    if (failed > 0)
      tr_study_note(s, "`%s` failed with %d of %d steps, with h = %.4g s: %s.", runs[i].method,
                    failed, end - i, runs[first].h, runs[first].why);
    i = end;
  }
}

// ---- time -------------------------------------------------------------------------------------------

static double cpu_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

tr_status tr_study_time(study *s, const char *method, double h, double *seconds, long *steps) {
  study_run r = {.method = method, .h = h, .newton_tol = s->set.newton_tol};
  tr_run_settings set = settings_of(s, &r);
  double sum = 0;
  long count = 0;
  *seconds = NAN;
  do {
    tr_run *run;
    tr_status status = tr_run_new(s->sys, &set, NULL, &run, NULL);
    if (status == TR_NO_MEMORY) return tr_no_memory(s->error);
    if (status != TR_OK) return TR_OK;
    double before = cpu_clock();
    status = tr_run_all(run, NULL);
    sum += cpu_clock() - before;
    count++;
    *steps = tr_run_describe(run).steps;
    tr_run_free(run);
    if (status == TR_NO_MEMORY) return tr_no_memory(s->error);
    if (status != TR_OK) return TR_OK;
  } while (sum < s->set.measure);
  *seconds = sum / (double)count;
  return tr_study_tick(s, *steps);
}

// ---- differences ------------------------------------------------------------------------------------

void tr_study_difference(const study_watch *w, int times, const double *y, const double *reference,
                         bool at_end, double *out) {
  for (int g = 0; g < GROUPS; g++) out[g] = 0;
  for (int j = at_end ? times - 1 : 0; j < times; j++) {
    double sum[GROUPS] = {0};
    for (int i = 0; i < w->n; i++) {
      size_t at = (size_t)j * w->n + i;
      double d = y[at] - (reference ? reference[at] : 0);
      if (w->group[i] >= 0) sum[w->group[i]] += d * d;
    }
    for (int g = 0; g < GROUPS; g++) {
      double d = sqrt(sum[g]);
      if (!(d <= out[g])) out[g] = d; // a NaN stays
      if (isnan(d)) out[g] = NAN;
    }
  }
  for (int g = 0; g < GROUPS; g++)
    if (w->size[g] == 0) out[g] = NAN;
}
