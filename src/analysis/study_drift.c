// SPDX-License-Identifier: Apache-2.0
// Violation of the constraints: |Phi| and |G v + Phi_t| after every step, over time and against the
// step; and one joint's first two components of G v + Phi_t as a curve in their plane.
//
// Time histories belong to the middle one of the steps; a point is the largest value of its interval, at the
// time of the last step in it. Intervals without a step, and a violation of 0, which a log axis has no
// place for, are no points.
#include <math.h>
#include <string.h>

#include "study.h"

enum { BINS = 120, POINTS = 600 };

typedef struct watcher {
  tr_observer observer; // first: the run hands it back to us
  tr_work *work;
  int nc, row; // row of the joint
  double end, h;
  double phi, rate, sum_phi, sum_rate; // largest, and sums
  long steps, every;
  double *bin_phi, *bin_rate; // (BINS) or NULL
  double *bin_time;           // (BINS) of the last step in it
  double *first, *second;     // (POINTS) or NULL
  int points;
} watcher;

typedef struct drifts {
  study_run *run;            // (methods x steps)
  double *most[2], *mean[2]; // (methods x steps) position, velocity
  double *bins[2], *time;    // (methods x BINS)
  double *plane[2];          // (methods x POINTS)
  int shown;                 // step of the histories
  int row, joint;            // joint < 0: none has two rows
} drifts;

static double norm(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i];
  return sqrt(s);
}

static void keep(double *x, double y) {
  if (!(y <= *x)) *x = y;
}

static tr_status look(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  (void)info;
  watcher *w = (watcher *)self;
  double *r = w->work->x;
  tr_kinematics(w->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_forces(w->work, NULL, NULL, r);
  tr_clear_velocity_rows(w->work->sys, r);
  double phi = norm(r, w->nc);
  tr_rates(w->work, r);
  double rate = norm(r, w->nc);
  keep(&w->phi, phi), keep(&w->rate, rate);
  w->sum_phi += phi, w->sum_rate += rate;
  if (w->bin_phi && x->t > 0) {
    int b = (int)(BINS * (x->t - 0.5 * w->h) / w->end);
    b = b < 0 ? 0 : b >= BINS ? BINS - 1 : b;
    keep(&w->bin_phi[b], phi), keep(&w->bin_rate[b], rate);
    w->bin_time[b] = x->t;
  }
  if (w->first && w->steps % w->every == 0 && w->points < POINTS) {
    w->first[w->points] = r[w->row];
    w->second[w->points++] = r[w->row + 1];
  }
  w->steps++;
  return TR_OK;
}

static tr_status task(study *s, void *data, int i) {
  drifts *d = data;
  int m = i / s->steps;
  study_run *r = &d->run[i];
  watcher w = {
      .observer = {.step = look}, .nc = s->sys->nc, .row = d->row, .end = s->end, .h = r->h};
  if (i % s->steps == d->shown) {
    w.bin_phi = d->bins[0] + (size_t)m * BINS, w.bin_rate = d->bins[1] + (size_t)m * BINS;
    w.bin_time = d->time + (size_t)m * BINS;
    w.every = 1 + (long)(s->end / r->h) / (POINTS - 1);
    if (d->joint >= 0) {
      w.first = d->plane[0] + (size_t)m * POINTS;
      w.second = d->plane[1] + (size_t)m * POINTS;
    }
  }
  TR_TRY(tr_work_new(s->sys, &w.work));
  r->observer = &w.observer;
  tr_status status = tr_study_run_one(s, r);
  tr_work_free(w.work);
  if (status != TR_OK || r->status != TR_OK) return status;
  d->most[0][i] = w.phi, d->most[1][i] = w.rate;
  d->mean[0][i] = w.sum_phi / (double)w.steps, d->mean[1][i] = w.sum_rate / (double)w.steps;
  return TR_OK;
}

// ---- the joint --------------------------------------------------------------------------------------

typedef struct probe {
  tr_observer observer;
  tr_work *work;
  double *most; // (nc) largest rates
} probe;

static tr_status look_at_rows(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  (void)info;
  const probe *p = (const probe *)self;
  double *r = p->work->x;
  tr_kinematics(p->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_rates(p->work, r);
  for (int i = 0; i < p->work->sys->nc; i++) p->most[i] = fmax(p->most[i], fabs(r[i]));
  return TR_OK;
}

// The joint whose first two rows drift most with a method that does not hold velocities: others show little.
static tr_status find_joint(study *s, drifts *d, int times, const double *time) {
  probe p = {.observer = {.step = look_at_rows}, .most = tr_study_numbers(s, s->sys->nc)};
  study_run r;
  double best = -1;
  if (!p.most) return tr_no_memory(s->error);
  for (int i = 0; i < s->sys->nc; i++) p.most[i] = 0;
  TR_TRY(tr_study_run_new(s, "hht-i3", s->step[d->shown], NULL, times, time, &r));
  TR_TRY(tr_work_new(s->sys, &p.work));
  r.observer = &p.observer;
  tr_status status = tr_study_run_one(s, &r);
  tr_work_free(p.work);
  for (int i = 0; i < s->sys->njoint; i++) {
    const sys_joint *j = &s->sys->joint[i];
    if (j->ops->rows < 2) continue;
    double here = hypot(p.most[j->row], p.most[j->row + 1]);
    if (here > best) best = here, d->joint = i;
  }
  return status;
}

static tr_status choose_joint(study *s, drifts *d, int times, const double *time) {
  const char *want = s->set.joint;
  d->joint = -1;
  if (!want) TR_TRY(find_joint(s, d, times, time));
  for (int i = 0; want && i < s->sys->njoint && d->joint < 0; i++)
    if (strcmp(s->sys->joint[i].e.name, want) == 0) d->joint = i;
  if (d->joint >= 0) d->row = s->sys->joint[d->joint].row;
  if (!want) return TR_OK;
  if (d->joint < 0) {
    const char **names = TR_NEW(&s->arena, s->sys->njoint + 1, const char *);
    if (!names) return tr_no_memory(s->error);
    for (int i = 0; i < s->sys->njoint; i++) names[i] = s->sys->joint[i].e.name;
    const char *near = tr_did_you_mean(want, names);
    return tr_fail(s->error, TR_BAD_INPUT, NULL, "no joint \"%.100s\"%s%s%s", want,
                   near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  }
  if (s->sys->joint[d->joint].ops->rows < 2)
    return tr_fail(s->error, TR_BAD_INPUT, NULL,
                   "joint \"%.100s\" has one constraint; the phase plot takes two", want);
  return TR_OK;
}

// ---- results ----------------------------------------------------------------------------------------

static const double ROUND_OFF = 1e-9; // what is below is tolerance and round-off
static const char *const part_names[] = {"position", "velocity"};
static const char *const part_units[] = {"m or rad", "m/s or rad/s"};

static tr_status write_table(study *s, const drifts *d) {
  static const tr_column c[] = {{"method", "", 0},
                                {"h", "s", 6},
                                {"max_position_violation", "m or rad", 3},
                                {"mean_position_violation", "m or rad", 3},
                                {"order_position", "", 3},
                                {"max_velocity_violation", "m/s or rad/s", 3},
                                {"mean_velocity_violation", "m/s or rad/s", 3},
                                {"order_velocity", "", 3}};
  static const tr_column fit[] = {
      {"method", "", 0}, {"order_position", "", 3}, {"order_velocity", "", 3}};
  study_rows r;
  TR_TRY(tr_study_table(s, "drift", "Largest and mean violation", 8, c, s->methods * s->steps, &r));
  for (int i = 0; i < s->methods * s->steps; i++) {
    int k = i % s->steps;
    tr_study_put_text(&r, s->method[i / s->steps]);
    tr_study_put(&r, s->step[k]);
    for (int g = 0; g < 2; g++) {
      tr_study_put(&r, d->most[g][i]);
      tr_study_put(&r, d->mean[g][i]);
      tr_study_put(
          &r, k > 0 ? tr_study_order(2, s->step + k - 1, d->most[g] + i - 1, ROUND_OFF, INFINITY)
                    : NAN);
    }
  }
  TR_TRY(tr_study_table(s, "orders", "Fitted orders of the largest violation", 3, fit, s->methods,
                        &r));
  for (int m = 0; m < s->methods; m++) {
    tr_study_put_text(&r, s->method[m]);
    for (int g = 0; g < 2; g++)
      tr_study_put(&r, tr_study_order(s->steps, s->step, d->most[g] + (size_t)m * s->steps,
                                      ROUND_OFF, INFINITY));
  }
  tr_study_note(s, "No orders below a violation of %g: that is Newton's tolerance and round-off.",
                ROUND_OFF);
  return TR_OK;
}

// What the figures show, in numbers: violation over time, and the plane.
static tr_status write_histories(study *s, const drifts *d) {
  static const tr_column h[] = {{"method", "", 0},
                                {"t", "s", 6},
                                {"position_violation", "m or rad", 3},
                                {"velocity_violation", "m/s or rad/s", 3}};
  static const tr_column p[] = {
      {"method", "", 0}, {"row_1", "m/s or rad/s", 6}, {"row_2", "m/s or rad/s", 6}};
  const double *phi = d->bins[0], *rate = d->bins[1], *x = d->plane[0], *y = d->plane[1];
  int n = 0, m = 0;
  study_rows r;
  for (int i = 0; i < s->methods * BINS; i++) n += !isnan(phi[i]);
  for (int i = 0; i < s->methods * POINTS; i++) m += !isnan(x[i]);
  TR_TRY(tr_study_table(s, "history",
                        tr_study_text(s, "Largest violation in intervals that end at t, h = %.4g s",
                                      s->step[d->shown]),
                        4, h, n, &r));
  for (int i = 0; i < s->methods * BINS; i++) {
    if (isnan(phi[i])) continue;
    tr_study_put_text(&r, s->method[i / BINS]);
    tr_study_put(&r, d->time[i]), tr_study_put(&r, phi[i]), tr_study_put(&r, rate[i]);
  }
  if (d->joint < 0) return TR_OK;
  const char *title = tr_study_text(s, "Velocity constraint of joint %s, h = %.4g s",
                                    s->sys->joint[d->joint].e.name, s->step[d->shown]);
  TR_TRY(tr_study_table(s, "phase", title, 3, p, m, &r));
  for (int i = 0; i < s->methods * POINTS; i++) {
    if (isnan(x[i])) continue;
    tr_study_put_text(&r, s->method[i / POINTS]);
    tr_study_put(&r, x[i]), tr_study_put(&r, y[i]);
  }
  return TR_OK;
}

// The points of the histories at one level, one curve per method.
static tr_status draw_history(study *s, const drifts *d, int g, const char *y_label, tr_panel *p) {
  const double **x = TR_NEW(&s->arena, s->methods, const double *);
  const double **y = TR_NEW(&s->arena, s->methods, const double *);
  int *points = TR_NEW(&s->arena, s->methods, int);
  if (!x || !y || !points) return tr_no_memory(s->error);
  for (int m = 0; m < s->methods; m++) {
    const double *t = d->time + (size_t)m * BINS, *bin = d->bins[g] + (size_t)m * BINS;
    double *at = tr_study_numbers(s, BINS), *value = tr_study_numbers(s, BINS);
    if (!at || !value) return tr_no_memory(s->error);
    for (int b = 0; b < BINS; b++)
      if (bin[b] > 0) at[points[m]] = t[b], value[points[m]++] = bin[b];
    x[m] = at, y[m] = value;
  }
  TR_TRY(tr_study_curves(s, p,
                         tr_study_text(s, "%s level, h = %.4g s", part_names[g], s->step[d->shown]),
                         "time t / s", y_label, BINS, x, y));
  for (int m = 0; m < s->methods; m++) ((tr_series *)p->s)[m].n = points[m];
  p->x.log = false;
  return TR_OK;
}

static tr_status draw(study *s, const drifts *d) {
  static const char *const symbols[] = {"|\xCE\xA6|", "|G v + \xCE\xA6\xE2\x82\x9C|"};
  tr_figure *f = tr_study_figure(s, "drift", s->out.page.title, 4, 2);
  if (!f) return TR_NO_MEMORY;
  const double **x = TR_NEW(&s->arena, s->methods, const double *);
  const double **y = TR_NEW(&s->arena, s->methods, const double *);
  double *order = tr_study_numbers(s, s->methods);
  if (!x || !y || !order) return tr_no_memory(s->error);
  for (int g = 0; g < 2; g++) {
    tr_panel *p = (tr_panel *)&f->panel[g], *q = (tr_panel *)&f->panel[2 + g];
    TR_TRY(draw_history(s, d, g, tr_study_text(s, "%s / (%s)", symbols[g], part_units[g]), p));
    for (int m = 0; m < s->methods; m++) {
      x[m] = s->step, y[m] = d->most[g] + (size_t)m * s->steps;
      order[m] = tr_study_order(s->steps, s->step, y[m], ROUND_OFF, INFINITY);
    }
    TR_TRY(tr_study_curves(s, q, tr_study_text(s, "%s level, largest", part_names[g]), "step h / s",
                           tr_study_text(s, "max %s / (%s)", symbols[g], part_units[g]), s->steps,
                           x, y));
    TR_TRY(tr_study_slopes(s, q, order, 1));
  }
  return TR_OK;
}

// One small panel per method, each on its own scale.
static tr_status draw_plane(study *s, const drifts *d) {
  if (d->joint < 0) {
    tr_study_note(s, "No joint has two constraints: there is no phase plot.");
    return TR_OK;
  }
  const char *name = s->sys->joint[d->joint].e.name;
  tr_figure *f = tr_study_figure(
      s, "phase",
      tr_study_text(s, "%s: joint %s, h = %.4g s", s->out.page.title, name, s->step[d->shown]),
      s->methods, 4);
  if (!f) return TR_NO_MEMORY;
  const char *x_label = "row 1 of G v + \xCE\xA6\xE2\x82\x9C / (m/s)";
  const char *y_label = "row 2 of G v + \xCE\xA6\xE2\x82\x9C / (m/s)";
  for (int m = 0; m < s->methods; m++) {
    tr_series *c = TR_NEW(&s->arena, 1, tr_series);
    if (!c) return tr_no_memory(s->error);
    *c = (tr_series){.style = s->style[m],
                     .lines = true,
                     .n = POINTS,
                     .x = d->plane[0] + (size_t)m * POINTS,
                     .y = d->plane[1] + (size_t)m * POINTS};
    *(tr_panel *)&f->panel[m] = (tr_panel){.title = s->method[m],
                                           .x = {.label = x_label, .min = NAN, .max = NAN},
                                           .y = {.label = y_label, .min = NAN, .max = NAN},
                                           .series = 1,
                                           .s = c};
  }
  return TR_OK;
}

tr_status tr_study_drift(study *s) {
  drifts *d = TR_NEW(&s->arena, 1, drifts);
  if (!d) return tr_no_memory(s->error);
  if (s->sys->nc == 0)
    return tr_fail(s->error, TR_BAD_INPUT, NULL, "the model has no constraints that could drift");
  int n = s->methods * s->steps, times;
  const double *time;
  double total = 0;
  d->shown = s->steps / 2;
  TR_TRY(tr_study_times(s, 1, &times, &time));
  TR_TRY(choose_joint(s, d, times, time));
  d->run = TR_NEW(&s->arena, n, study_run);
  d->time = tr_study_numbers(s, s->methods * BINS);
  for (int g = 0; g < 2; g++) {
    d->most[g] = tr_study_numbers(s, n), d->mean[g] = tr_study_numbers(s, n);
    d->bins[g] = tr_study_numbers(s, s->methods * BINS);
    d->plane[g] = tr_study_numbers(s, s->methods * POINTS);
    if (!d->most[g] || !d->mean[g] || !d->bins[g] || !d->plane[g]) return tr_no_memory(s->error);
  }
  if (!d->run || !d->time) return tr_no_memory(s->error);
  for (int i = 0; i < n; i++) {
    double h = s->step[i % s->steps];
    total += s->end / h;
    TR_TRY(tr_study_run_new(s, s->method[i / s->steps], h, NULL, times, time, &d->run[i]));
  }
  tr_study_expect(s, "runs", total);
  TR_TRY(tr_study_work(s, n, task, d, false));
  tr_study_note_failures(s, n, d->run);
  TR_TRY(write_table(s, d));
  TR_TRY(write_histories(s, d));
  TR_TRY(draw(s, d));
  return draw_plane(s, d);
}
