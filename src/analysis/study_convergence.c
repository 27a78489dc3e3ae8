// SPDX-License-Identifier: Apache-2.0
// Errors of q, v and lam against the step, with orders; and against CPU time (work-precision).
//
// An error is the 2-norm of the difference from the reference, the largest over a grid of times that
// all steps land on, or the one at the end. Errors within ten times the reference's own are no
// errors of the method: they are shown, but no order is made of them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study.h"

enum { PARTS = 3 }; // groups q, v, lam

typedef struct errors {
  study_watch watch;
  study_reference ref;
  int times;
  const double *time;
  study_run *run;           // (methods x steps)
  double *error[PARTS];     // (methods x steps)
  double *shown[PARTS];     // the same without what diverged
  double *cpu, *low, *high; // (methods x steps) s; work-precision only
  int parts, part[PARTS];   // those that there are
  const char *unit[PARTS];
} errors;

static const char *const part_names[] = {"q", "v", "lam"};
static const char *const part_titles[] = {"positions", "velocities", "multipliers"};

// The unit all the numbers of a group share, else a word for the mixture.
static const char *unit_of(const study *s, const study_watch *w, int group) {
  static const char *const mixed[] = {"m or rad", "m/s or rad/s", "N or N m"};
  const char *unit = NULL;
  if (w->raw) return mixed[group];
  for (int i = 0; i < w->n; i++) {
    if (w->group[i] != group) continue;
    const char *u = tr_quantity_unit(tr_channel_quantity(s->sys, w->channel[i]));
    if (unit && strcmp(u, unit) != 0) return mixed[group];
    unit = u;
  }
  return unit && *unit ? unit : "1";
}

static tr_status choose_watch(study *s, errors *e) {
  int *channel = NULL, n = 0;
  if (s->set.outputs == 0) return tr_study_watch_make(s, true, 0, NULL, &e->watch);
  channel = TR_NEW(&s->arena, tr_channel_count(s->sys), int);
  if (!channel) return tr_no_memory(s->error);
  // by name or by element, as everywhere
  TR_TRY(tr_channels_choose(s->sys, s->set.outputs, s->set.output, channel, &n, s->error));
  TR_TRY(tr_study_watch_make(s, false, n, channel, &e->watch));
  if (e->watch.size[GROUP_Q] + e->watch.size[GROUP_V] + e->watch.size[GROUP_LAM] > 0) return TR_OK;
  return tr_fail(s->error, TR_BAD_INPUT, NULL,
                 "the chosen quantities hold no position, velocity or force");
}

static tr_status find_reference(study *s, errors *e) {
  if (s->set.reference) {
    TR_TRY(tr_study_reference_given(s, &e->watch, &e->times, &e->time, &e->ref));
  } else {
    TR_TRY(choose_watch(s, e));
    TR_TRY(tr_study_times(s, 32, &e->times, &e->time));
    TR_TRY(tr_study_reference_make(s, &e->watch, e->times, e->time, &e->ref));
  }
  for (int g = 0; g < PARTS; g++)
    if (e->watch.size[g] > 0) {
      e->unit[g] = unit_of(s, &e->watch, g);
      e->part[e->parts++] = g;
    }
  if (s->set.at_end || e->times == 1)
    tr_study_note(s, "Errors are 2-norms at t = %.6g s.", s->end);
  else
    tr_study_note(s, "Errors are 2-norms, the largest of %d times up to t = %.6g s.", e->times,
                  s->end);
  tr_study_note(s, s->set.recompute ? "Multipliers are computed from the states (index 1)."
                                    : "Multipliers are the methods' own, except where a method has "
                                      "none: then they are computed from the states.");
  return TR_OK;
}

static tr_status measure_errors(study *s, errors *e) {
  int n = s->methods * s->steps;
  e->run = TR_NEW(&s->arena, n, study_run);
  if (!e->run) return tr_no_memory(s->error);
  for (int g = 0; g < PARTS; g++) {
    e->error[g] = tr_study_numbers(s, n);
    e->shown[g] = tr_study_numbers(s, n);
    if (!e->error[g] || !e->shown[g]) return tr_no_memory(s->error);
  }
  for (int i = 0; i < n; i++)
    TR_TRY(tr_study_run_new(s, s->method[i / s->steps], s->step[i % s->steps], &e->watch, e->times,
                            e->time, &e->run[i]));
  TR_TRY(tr_study_run_all(s, "runs", n, e->run));
  tr_study_note_failures(s, n, e->run);
  for (int i = 0; i < n; i++) {
    double d[GROUPS];
    if (e->run[i].status != TR_OK) continue;
    tr_study_difference(&e->watch, e->times, e->run[i].y, e->ref.y, s->set.at_end, d);
    for (int k = 0; k < e->parts; k++) {
      int g = e->part[k];
      e->error[g][i] = d[g];
      if (d[g] < 10 * e->ref.scale[g]) e->shown[g][i] = d[g];
    }
  }
  return TR_OK;
}

// Below it an error is not the method's: ten times the reference's, or what Newton's tolerance leaves (methods
// of high order iterate to round-off).
static double floor_of(const study *s, const errors *e, int g, int m) {
  double newton = s->claim[m][g] > 3 ? 0 : s->set.newton_tol * e->ref.scale[g];
  return 10 * fmax(e->ref.error[g], newton);
}

static double order_of(const study *s, const errors *e, int g, int m) {
  return tr_study_order(s->steps, s->step, e->error[g] + (size_t)m * s->steps, floor_of(s, e, g, m),
                        0.5 * e->ref.scale[g]);
}

// ---- tables -----------------------------------------------------------------------------------------

static tr_status write_errors(study *s, const errors *e, bool timed) {
  tr_column c[16] = {{"method", "", 0}, {"h", "s", 6}};
  int n = 2;
  if (timed) {
    c[n++] = (tr_column){"cpu", "s", 3};
    c[n++] = (tr_column){"cpu_min", "s", 3};
    c[n++] = (tr_column){"cpu_max", "s", 3};
  }
  for (int k = 0; k < e->parts; k++) {
    const char *name = part_names[e->part[k]];
    c[n++] = (tr_column){tr_study_text(s, "error_%s", name), e->unit[e->part[k]], 3};
    if (!timed) c[n++] = (tr_column){tr_study_text(s, "order_%s", name), "", 3};
  }
  study_rows r;
  TR_TRY(tr_study_table(s, "errors", "Errors", n, c, s->methods * s->steps, &r));
  for (int i = 0; i < s->methods * s->steps; i++) {
    tr_study_put_text(&r, s->method[i / s->steps]);
    tr_study_put(&r, s->step[i % s->steps]);
    if (timed)
      tr_study_put(&r, e->cpu[i]), tr_study_put(&r, e->low[i]), tr_study_put(&r, e->high[i]);
    for (int k = 0; k < e->parts; k++) {
      int g = e->part[k];
      const double *x = e->error[g];
      tr_study_put(&r, x[i]);
      if (timed) continue;
      double floor = floor_of(s, e, g, i / s->steps);
      bool fine = i % s->steps > 0 && x[i] > floor && x[i - 1] > floor;
      tr_study_put(
          &r, fine ? tr_study_order(2, s->step + i % s->steps - 1, x + i - 1, 0, INFINITY) : NAN);
    }
  }
  return TR_OK;
}

// Why an order is missing, or less than claimed.
typedef enum verdict { AS_CLAIMED, TOO_GOOD, UNSTEADY, TOO_LOW, VERDICTS } verdict;

static verdict judge(const study *s, const errors *e, int g, int m, double order) {
  if (!isnan(order)) return order < s->claim[m][g] - 0.25 ? TOO_LOW : AS_CLAIMED;
  const double *x = e->error[g] + (size_t)m * s->steps;
  int there = 0, above = 0;
  for (int i = 0; i < s->steps; i++) there += !isnan(x[i]), above += x[i] > floor_of(s, e, g, m);
  if (there < 3) return AS_CLAIMED; // of too few runs nothing can be said
  return above < 3 ? TOO_GOOD : UNSTEADY;
}

// The methods of one verdict: "`a` in q, v; `b` in lam (1.54 of 2)".
static const char *list_verdicts(study *s, const errors *e, verdict which) {
  char text[900] = "";
  for (int m = 0; m < s->methods; m++)
    for (int k = 0, named = 0; k < e->parts; k++) {
      int g = e->part[k];
      size_t n = strlen(text);
      double order = order_of(s, e, g, m);
      if (judge(s, e, g, m, order) != which) continue;
      if (named++ == 0)
        snprintf(text + n, sizeof text - n, "%s`%s` in %s", n ? "; " : "", s->method[m],
                 part_names[g]);
      else
        snprintf(text + n, sizeof text - n, ", %s", part_names[g]);
      n = strlen(text);
      if (which == TOO_LOW)
        snprintf(text + n, sizeof text - n, " (%.2f of %d)", order, s->claim[m][g]);
    }
  return *text ? tr_study_text(s, "%s", text) : NULL;
}

static void note_verdicts(study *s, const errors *e) {
  static const char *const words[VERDICTS] = {
      [TOO_GOOD] = "No order, since errors are soon down to the reference's or to Newton's: %s.",
      [UNSTEADY] = "No steady order: %s.",
      [TOO_LOW] = "Less than claimed: %s."};
  bool doubt = false;
  for (int v = TOO_GOOD; v < VERDICTS; v++) {
    const char *list = list_verdicts(s, e, (verdict)v);
    if (!list) continue;
    tr_study_note(s, words[v], list);
    doubt = doubt || v != TOO_GOOD;
  }
  if (doubt)
    tr_study_note(s,
                  "An order shows once steps resolve the fastest motion and while laws and "
                  "forces are smooth: try smaller steps (`--steps`), a shorter run (`--end`).");
}

static tr_status write_orders(study *s, const errors *e) {
  tr_column c[8] = {{"method", "", 0}};
  int n = 1;
  for (int k = 0; k < e->parts; k++)
    c[n++] = (tr_column){tr_study_text(s, "order_%s", part_names[e->part[k]]), "", 3};
  for (int k = 0; k < e->parts; k++)
    c[n++] = (tr_column){tr_study_text(s, "claimed_%s", part_names[e->part[k]]), "", 3};
  study_rows r;
  TR_TRY(tr_study_table(s, "orders", "Fitted orders", n, c, s->methods, &r));
  for (int m = 0; m < s->methods; m++) {
    tr_study_put_text(&r, s->method[m]);
    for (int k = 0; k < e->parts; k++) tr_study_put(&r, order_of(s, e, e->part[k], m));
    for (int k = 0; k < e->parts; k++) tr_study_put(&r, s->claim[m][e->part[k]]);
  }
  tr_study_note(
      s,
      "Fitted orders: least squares over the three or four finest steps between which the "
      "order is steady, without errors below ten times the reference's or Newton's tolerance; "
      "blank where it is "
      "nowhere steady. Claimed ones are those of the methods with the given parameters.");
  note_verdicts(s, e);
  return TR_OK;
}

static tr_status write_reference(study *s, const errors *e) {
  static const tr_column c[] = {
      {"quantity", "", 0}, {"estimated_error", "", 2}, {"largest", "", 3}};
  study_rows r;
  if (s->set.reference) return TR_OK;
  TR_TRY(tr_study_table(s, "reference", "Reference", 3, c, e->parts, &r));
  for (int k = 0; k < e->parts; k++) {
    tr_study_put_text(&r, part_names[e->part[k]]);
    tr_study_put(&r, e->ref.error[e->part[k]]);
    tr_study_put(&r, e->ref.scale[e->part[k]]);
  }
  return TR_OK;
}

// ---- figure -----------------------------------------------------------------------------------------

static tr_status draw(study *s, const errors *e, bool timed) {
  const char *title = s->out.page.title;
  tr_figure *f =
      tr_study_figure(s, timed ? "work-precision" : "convergence", title, e->parts, e->parts);
  if (!f) return TR_NO_MEMORY;
  const double **x = TR_NEW(&s->arena, s->methods, const double *);
  const double **y = TR_NEW(&s->arena, (size_t)s->methods * PARTS, const double *);
  double *order = tr_study_numbers(s, s->methods);
  if (!x || !y || !order) return tr_no_memory(s->error);
  for (int k = 0; k < e->parts; k++) {
    int g = e->part[k];
    tr_panel *p = (tr_panel *)&f->panel[k];
    for (int m = 0; m < s->methods; m++) {
      x[m] = timed ? e->cpu + (size_t)m * s->steps : s->step;
      y[m] = e->shown[g] + (size_t)m * s->steps;
      order[m] = order_of(s, e, g, m);
    }
    TR_TRY(tr_study_curves(
        s, p, part_titles[g], timed ? "CPU time / s" : "step h / s",
        tr_study_text(s, "error of %s / %s%s%s", part_names[g], strchr(e->unit[g], ' ') ? "(" : "",
                      e->unit[g], strchr(e->unit[g], ' ') ? ")" : ""),
        s->steps, x, y));
    TR_TRY(tr_study_slopes(s, p, order, timed ? -1 : 1));
  }
  return TR_OK;
}

// ---- time -------------------------------------------------------------------------------------------

static tr_status measure_times(study *s, errors *e) {
  int n = s->methods * s->steps, repeats = s->set.repeats;
  double *all = tr_study_numbers(s, n * repeats), total = 0;
  e->cpu = tr_study_numbers(s, n), e->low = tr_study_numbers(s, n),
  e->high = tr_study_numbers(s, n);
  if (!all || !e->cpu || !e->low || !e->high) return tr_no_memory(s->error);
  for (int i = 0; i < n; i++) total += s->end / s->step[i % s->steps] * repeats;
  tr_study_expect(s, "time measurements", total);
  for (int k = 0; k < repeats; k++)
    for (int j = 0; j < n; j++) {
      int i = k % 2 ? n - 1 - j : j; // there and back, so that a drift of the clock cancels
      long steps;
      if (e->run[i].status != TR_OK) continue;
      TR_TRY(tr_study_time(s, s->method[i / s->steps], s->step[i % s->steps], &all[i * repeats + k],
                           &steps));
    }
  for (int i = 0; i < n; i++) {
    double *x = all + (size_t)i * repeats;
    tr_study_sort(repeats, x);
    e->cpu[i] = tr_study_median(repeats, x), e->low[i] = x[0], e->high[i] = x[repeats - 1];
  }
  tr_study_note(s, "CPU times: median of %d, measured one after the other in alternating order.",
                repeats);
  return TR_OK;
}

tr_status tr_study_convergence(study *s) {
  errors *e = TR_NEW(&s->arena, 1, errors);
  if (!e) return tr_no_memory(s->error);
  bool timed = s->kind == TR_STUDY_WORK_PRECISION;
  TR_TRY(find_reference(s, e));
  TR_TRY(measure_errors(s, e));
  if (timed) TR_TRY(measure_times(s, e));
  TR_TRY(write_errors(s, e, timed));
  if (!timed) TR_TRY(write_orders(s, e));
  TR_TRY(write_reference(s, e));
  return draw(s, e, timed);
}
