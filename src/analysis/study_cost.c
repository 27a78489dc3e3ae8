// SPDX-License-Identifier: Apache-2.0
// CPU time of the methods, and its ratio to hht-i3.
//
// In every round each method is measured once, there and back in alternating order, and ratios are made
// within the round: what slows the machine for a while slows both. Medians, with the range beside them.
#include <math.h>
#include <string.h>

#include "study.h"

typedef struct costs {
  int n, base; // methods with the yardstick, and which one it is
  const char **method;
  double *all, *ratio; // (steps x n x repeats)
  long *count;         // (steps x n) steps of a run
} costs;

static tr_status choose(study *s, costs *c) {
  static const char *const yardstick = "hht-i3";
  c->method = TR_NEW(&s->arena, s->methods + 1, const char *);
  if (!c->method) return tr_no_memory(s->error);
  c->base = -1;
  for (int m = 0; m < s->methods; m++) {
    c->method[c->n++] = s->method[m];
    size_t k = strlen(yardstick);
    char end = strncmp(s->method[m], yardstick, k) == 0 ? s->method[m][k] : 'x';
    if (c->base < 0 && (end == '\0' || end == ':')) c->base = m;
  }
  if (c->base >= 0) return TR_OK;
  c->base = c->n;
  c->method[c->n++] = yardstick;
  tr_study_note(s, "`hht-i3` was added as the yardstick.");
  return TR_OK;
}

static tr_status measure(study *s, costs *c) {
  int repeats = s->set.repeats, n = s->steps * c->n;
  double total = 0;
  c->all = tr_study_numbers(s, n * repeats), c->ratio = tr_study_numbers(s, n * repeats);
  c->count = TR_NEW(&s->arena, n, long);
  if (!c->all || !c->ratio || !c->count) return tr_no_memory(s->error);
  for (int k = 0; k < s->steps; k++) total += s->end / s->step[k] * c->n * (repeats + 1);
  tr_study_expect(s, "time measurements", total);
  for (int k = 0; k < s->steps; k++)
    for (int round = -1; round < repeats; round++) // the first one warms up
      for (int j = 0; j < c->n; j++) {
        int m = round % 2 ? c->n - 1 - j : j, at = k * c->n + m;
        double t;
        TR_TRY(tr_study_time(s, c->method[m], s->step[k], &t, &c->count[at]));
        if (round >= 0) c->all[at * repeats + round] = t;
      }
  for (int at = 0; at < n; at++) {
    const double *base = c->all + (size_t)(at - at % c->n + c->base) * repeats;
    for (int round = 0; round < repeats; round++)
      c->ratio[at * repeats + round] = c->all[at * repeats + round] / base[round];
  }
  for (int at = 0; at < n; at++) {
    tr_study_sort(repeats, c->ratio + (size_t)at * repeats);
    tr_study_sort(repeats, c->all + (size_t)at * repeats);
  }
  return TR_OK;
}

static tr_status write_table(study *s, const costs *c) {
  static const tr_column column[] = {{"method", "", 0},         {"h", "s", 6},
                                     {"steps", "", 9},          {"cpu", "s", 3},
                                     {"per_step", "us", 3},     {"per_step_min", "us", 3},
                                     {"per_step_max", "us", 3}, {"ratio", "", 3},
                                     {"ratio_min", "", 3},      {"ratio_max", "", 3}};
  int repeats = s->set.repeats;
  study_rows r;
  TR_TRY(tr_study_table(s, "cost", "CPU time", 10, column, s->steps * c->n, &r));
  for (int at = 0; at < s->steps * c->n; at++) {
    const double *t = c->all + (size_t)at * repeats, *q = c->ratio + (size_t)at * repeats;
    double f = 1e6 / (double)c->count[at], mid = tr_study_median(repeats, t);
    tr_study_put_text(&r, c->method[at % c->n]);
    tr_study_put(&r, s->step[at / c->n]);
    tr_study_put(&r, (double)c->count[at]);
    tr_study_put(&r, mid);
    tr_study_put(&r, f * mid), tr_study_put(&r, f * t[0]), tr_study_put(&r, f * t[repeats - 1]);
    tr_study_put(&r, tr_study_median(repeats, q)), tr_study_put(&r, q[0]),
        tr_study_put(&r, q[repeats - 1]);
    if (isnan(mid))
      tr_study_note(s, "`%s` with h = %.6g s failed.", c->method[at % c->n], s->step[at / c->n]);
  }
  tr_study_note(s,
                "Medians of %d rounds, each measurement at least %.3g s of whole runs; min and max "
                "over the rounds. Stepping only: no output, no audit.",
                repeats, s->set.measure);
  return TR_OK;
}

// For the smallest step.
static tr_status draw(study *s, const costs *c) {
  int repeats = s->set.repeats, first = (s->steps - 1) * c->n;
  tr_figure *f = tr_study_figure(
      s, "cost", tr_study_text(s, "%s, h = %.4g s", s->out.page.title, s->step[s->steps - 1]), 2,
      2);
  double *x = tr_study_numbers(s, 6 * c->n);
  if (!f || !x) return tr_no_memory(s->error);
  for (int m = 0; m < c->n; m++) {
    const double *t = c->all + (size_t)(first + m) * repeats;
    const double *q = c->ratio + (size_t)(first + m) * repeats;
    double us = 1e6 / (double)c->count[first + m];
    x[m] = us * tr_study_median(repeats, t), x[c->n + m] = us * t[0];
    x[2 * c->n + m] = us * t[repeats - 1];
    x[3 * c->n + m] = tr_study_median(repeats, q), x[4 * c->n + m] = q[0];
    x[5 * c->n + m] = q[repeats - 1];
  }
  TR_TRY(tr_study_bars(s, (tr_panel *)&f->panel[0], "time a step", "CPU time per step / \xC2\xB5s",
                       c->method, c->n, x, x + c->n, x + 2 * c->n));
  return tr_study_bars(s, (tr_panel *)&f->panel[1], "relative", "CPU time relative to hht-i3",
                       c->method, c->n, x + 3 * c->n, x + 4 * c->n, x + 5 * c->n);
}

tr_status tr_study_cost(study *s) {
  costs *c = TR_NEW(&s->arena, 1, costs);
  if (!c) return tr_no_memory(s->error);
  TR_TRY(choose(s, c));
  TR_TRY(measure(s, c));
  TR_TRY(write_table(s, c));
  return draw(s, c);
}
