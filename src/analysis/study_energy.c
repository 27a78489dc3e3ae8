// SPDX-License-Identifier: Apache-2.0
// Energy error against the step: (1/T) int |E - E*| dt and max |E - E*|.
//
// E* is E(0) where the reference keeps its energy, and all steps then count (trapezoidal rule). Where it
// does not (dampers, drives), E* is the reference's energy, compared on a grid of times.
#include <math.h>

#include "study.h"

typedef struct watcher {
  tr_observer observer; // first: the run hands it back to us
  tr_work *work;
  double e0, t, last, integral, most;
  bool begun;
} watcher;

static tr_status look(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  (void)info;
  watcher *w = (watcher *)self;
  double T, V;
  tr_kinematics(w->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_energy(w->work, &T, &V);
  if (!w->begun)
    w->e0 = T + V, w->begun = true;
  else
    w->integral += 0.5 * (x->t - w->t) * (w->last + fabs(T + V - w->e0));
  w->t = x->t, w->last = fabs(T + V - w->e0);
  if (!(w->last <= w->most)) w->most = w->last;
  return TR_OK;
}

typedef struct energies {
  study_watch watch;
  study_reference ref;
  int times;
  const double *time;
  bool conservative;
  study_run *run;         // (methods x steps)
  double *average, *most; // (methods x steps)
} energies;

static tr_status task(study *s, void *data, int i) {
  energies *e = data;
  study_run *r = &e->run[i];
  watcher w = {.observer = {.step = look}};
  if (e->conservative) {
    TR_TRY(tr_work_new(s->sys, &w.work));
    r->observer = &w.observer;
  }
  tr_status status = tr_study_run_one(s, r);
  tr_work_free(w.work);
  if (status != TR_OK || r->status != TR_OK) return status;
  if (e->conservative) {
    e->average[i] = w.integral / s->end, e->most[i] = w.most;
    return TR_OK;
  }
  double sum = 0, last = 0, t = 0, most = 0;
  for (int j = 0; j < e->times; j++) {
    double d = fabs(r->y[j] - e->ref.y[j]);
    sum += 0.5 * (e->time[j] - t) * (last + d);
    t = e->time[j], last = d;
    most = fmax(most, d);
  }
  e->average[i] = sum / s->end, e->most[i] = most;
  return TR_OK;
}

// E at the start of every run.
static tr_status start_energy(study *s, double *e0) {
  tr_state x;
  tr_work *w = NULL;
  double T, V;
  TR_TRY(tr_state_new(s->sys, &x, s->error));
  tr_status status = tr_consistent_start(s->sys, &x, NULL, s->error);
  if (status == TR_OK && tr_work_new(s->sys, &w) != TR_OK) status = tr_no_memory(s->error);
  if (status == TR_OK) {
    tr_kinematics(w, x.t, x.q, x.v, x.mem, TR_AT_VELOCITY);
    tr_energy(w, &T, &V);
    *e0 = T + V;
  }
  tr_work_free(w);
  tr_state_free(s->sys, &x);
  return status;
}

static tr_status prepare(study *s, energies *e) {
  int *channel = TR_NEW(&s->arena, 1, int);
  double e0, change = 0;
  if (!channel) return tr_no_memory(s->error);
  channel[0] = tr_channel_find(s->sys, "energy.total");
  if (channel[0] < 0)
    return tr_fail(s->error, TR_BAD_INPUT, NULL, "the model has no quantity energy.total");
  TR_TRY(tr_study_watch_make(s, false, 1, channel, &e->watch));
  TR_TRY(tr_study_times(s, 512, &e->times, &e->time));
  TR_TRY(tr_study_reference_make(s, &e->watch, e->times, e->time, &e->ref));
  TR_TRY(start_energy(s, &e0));
  for (int j = 0; j < e->times; j++) change = fmax(change, fabs(e->ref.y[j] - e0));
  double scale = fmax(fabs(e0), e->ref.scale[GROUP_ENERGY]);
  e->conservative = change <= fmax(100 * e->ref.error[GROUP_ENERGY], 1e-9 * scale);
  if (e->conservative)
    tr_study_note(s,
                  "The reference keeps its energy (change %.1e J): errors are |E - E(0)|, E(0) = "
                  "%.6g J, over all steps.",
                  change, e0);
  else
    tr_study_note(s,
                  "The energy of this model changes (by %.3g J): errors are against the energy of "
                  "the reference at %d times.",
                  change, e->times);
  return TR_OK;
}

static tr_status write_table(study *s, const energies *e, double floor) {
  static const tr_column c[] = {{"method", "", 0},
                                {"h", "s", 6},
                                {"average_energy_error", "J", 3},
                                {"order_average", "", 3},
                                {"max_energy_error", "J", 3},
                                {"order_max", "", 3}};
  static const tr_column fit[] = {
      {"method", "", 0}, {"order_average", "", 3}, {"order_max", "", 3}};
  const double *part[] = {e->average, e->most};
  study_rows r;
  TR_TRY(tr_study_table(s, "energy", "Energy errors", 6, c, s->methods * s->steps, &r));
  for (int i = 0; i < s->methods * s->steps; i++) {
    int k = i % s->steps;
    tr_study_put_text(&r, s->method[i / s->steps]);
    tr_study_put(&r, s->step[k]);
    for (int g = 0; g < 2; g++) {
      tr_study_put(&r, part[g][i]);
      tr_study_put(
          &r, k > 0 ? tr_study_order(2, s->step + k - 1, part[g] + i - 1, floor, INFINITY) : NAN);
    }
  }
  TR_TRY(tr_study_table(s, "orders", "Fitted orders", 3, fit, s->methods, &r));
  for (int m = 0; m < s->methods; m++) {
    tr_study_put_text(&r, s->method[m]);
    for (int g = 0; g < 2; g++)
      tr_study_put(
          &r, tr_study_order(s->steps, s->step, part[g] + (size_t)m * s->steps, floor, INFINITY));
  }
  return TR_OK;
}

// What the figure shows of the errors: not those of runs that went astray, far above all others of their step.
static tr_status sift(study *s, const double *error, double **shown) {
  const double ASTRAY = 1e3;
  int n = s->methods * s->steps;
  double least = INFINITY, most = 0;
  *shown = tr_study_numbers(s, n);
  if (!*shown) return tr_no_memory(s->error);
  for (int k = 0; k < s->steps; k++) least = fmin(least, s->step[k]);
  for (int i = 0; i < n; i++)
    if (s->step[i % s->steps] == least && isfinite(error[i])) most = fmax(most, error[i]);
  for (int i = 0; i < n; i++) {
    double ratio = s->step[i % s->steps] / least;
    (*shown)[i] = most > 0 && error[i] > ASTRAY * most * ratio * ratio ? NAN : error[i];
  }
  return TR_OK;
}

static void note_strays(study *s, const energies *e, const double *shown) {
  for (int i = 0; i < s->methods * s->steps; i++)
    if (isfinite(e->most[i]) && isnan(shown[i]))
      tr_study_note(
          s, "`%s` went astray with h = %.4g s: an energy error of %.1e J, not in the figure.",
          s->method[i / s->steps], s->step[i % s->steps], e->most[i]);
}

static tr_status draw(study *s, const energies *e, double floor) {
  double *part[2];
  TR_TRY(sift(s, e->average, &part[0]));
  TR_TRY(sift(s, e->most, &part[1]));
  note_strays(s, e, part[1]);
  static const char *const titles[] = {"average over time", "largest"};
  static const char *const kept[] = {"(1/T) \xE2\x88\xAB|E \xE2\x88\x92 E(0)| dt / J",
                                     "max |E \xE2\x88\x92 E(0)| / J"};
  static const char *const lost[] = {"(1/T) \xE2\x88\xAB|E \xE2\x88\x92 E*| dt / J",
                                     "max |E \xE2\x88\x92 E*| / J"};
  tr_figure *f = tr_study_figure(s, "energy", s->out.page.title, 2, 2);
  if (!f) return TR_NO_MEMORY;
  const double **x = TR_NEW(&s->arena, s->methods, const double *);
  const double **y = TR_NEW(&s->arena, s->methods, const double *);
  double *order = tr_study_numbers(s, s->methods);
  if (!x || !y || !order) return tr_no_memory(s->error);
  for (int g = 0; g < 2; g++) {
    tr_panel *p = (tr_panel *)&f->panel[g];
    for (int m = 0; m < s->methods; m++) {
      x[m] = s->step, y[m] = part[g] + (size_t)m * s->steps;
      order[m] = tr_study_order(s->steps, s->step, y[m], floor, INFINITY);
    }
    TR_TRY(tr_study_curves(s, p, titles[g], "step h / s", e->conservative ? kept[g] : lost[g],
                           s->steps, x, y));
    TR_TRY(tr_study_slopes(s, p, order, 1));
  }
  return TR_OK;
}

tr_status tr_study_energy(study *s) {
  energies *e = TR_NEW(&s->arena, 1, energies);
  if (!e) return tr_no_memory(s->error);
  TR_TRY(prepare(s, e));
  int n = s->methods * s->steps;
  double total = 0;
  e->run = TR_NEW(&s->arena, n, study_run);
  e->average = tr_study_numbers(s, n), e->most = tr_study_numbers(s, n);
  if (!e->run || !e->average || !e->most) return tr_no_memory(s->error);
  for (int i = 0; i < n; i++) {
    double h = s->step[i % s->steps];
    total += s->end / h;
    TR_TRY(
        tr_study_run_new(s, s->method[i / s->steps], h, &e->watch, e->times, e->time, &e->run[i]));
  }
  tr_study_expect(s, "runs", total);
  TR_TRY(tr_study_work(s, n, task, e, false));
  tr_study_note_failures(s, n, e->run);
  double scale = e->ref.scale[GROUP_ENERGY];
  double floor = e->conservative ? 1e-14 * scale : 10 * e->ref.error[GROUP_ENERGY];
  TR_TRY(write_table(s, e, floor));
  return draw(s, e, floor);
}
