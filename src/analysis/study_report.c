// SPDX-License-Identifier: Apache-2.0
// The results of a study: notes, tables, figures, fitted orders.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study.h"

void tr_study_note(study *s, const char *format, ...) {
  tr_page *p = &s->out.page;
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  for (int i = 0; i < p->notes; i++)
    if (strcmp(s->note[i], text) == 0) return; // said already
  if (p->notes == STUDY_NOTES) return;
  if (p->notes == STUDY_NOTES - 1) snprintf(text, sizeof text, "And more of that kind.");
  const char *copy = tr_arena_text(&s->arena, text, strlen(text));
  if (copy)
    s->note[p->notes++] = copy;
  else
    s->starved = true;
}

const char *tr_study_text(study *s, const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  const char *copy = tr_arena_text(&s->arena, text, strlen(text));
  if (!copy) s->starved = true;
  return copy ? copy : "";
}

double *tr_study_numbers(study *s, int n) {
  double *x = TR_NEW(&s->arena, n, double);
  for (int i = 0; x && i < n; i++) x[i] = NAN;
  return x;
}

// ---- tables -----------------------------------------------------------------------------------------

tr_status tr_study_table(study *s, const char *name, const char *title, int columns,
                         const tr_column *column, int rows, study_rows *r) {
  tr_column *own = TR_NEW(&s->arena, columns, tr_column);
  tr_cell *cell = TR_NEW(&s->arena, (size_t)rows * columns, tr_cell);
  if (!own || !cell) return tr_no_memory(s->error);
  memcpy(own, column, (size_t)columns * sizeof *own);
  tr_table *t = &s->table[s->out.page.tables++];
  *t = (tr_table){name, title, columns, rows, own, cell};
  *r = (study_rows){t, cell, 0};
  return TR_OK;
}

void tr_study_put(study_rows *r, double x) { r->cell[r->at++] = (tr_cell){.number = x}; }

void tr_study_put_text(study_rows *r, const char *text) {
  r->cell[r->at++] = (tr_cell){.text = text};
}

// ---- figures ----------------------------------------------------------------------------------------

tr_figure *tr_study_figure(study *s, const char *name, const char *title, int panels, int columns) {
  tr_panel *p = TR_NEW(&s->arena, panels, tr_panel);
  if (!p) {
    tr_no_memory(s->error);
    return NULL;
  }
  tr_figure *f = &s->figure[s->out.page.figures++];
  *f = (tr_figure){name, title, panels, columns, p};
  return f;
}

tr_status tr_study_curves(study *s, tr_panel *p, const char *title, const char *x_label,
                          const char *y_label, int n, const double *const *x,
                          const double *const *y) {
  tr_series *c = TR_NEW(&s->arena, s->methods + 1, tr_series); // one may be added
  if (!c) return tr_no_memory(s->error);
  for (int m = 0; m < s->methods; m++)
    c[m] = (tr_series){.name = s->method[m],
                       .style = s->style[m],
                       .lines = true,
                       .markers = true,
                       .n = n,
                       .x = x[m],
                       .y = y[m]};
  *p = (tr_panel){.title = title,
                  .x = {.label = x_label, .log = true, .min = NAN, .max = NAN},
                  .y = {.label = y_label, .log = true, .min = NAN, .max = NAN},
                  .series = s->methods,
                  .s = c};
  return TR_OK;
}

tr_status tr_study_slopes(study *s, tr_panel *p, const double *order, double sign) {
  enum { STEEPEST = 6, MOST = 4 };
  bool seen[STEEPEST + 1] = {false};
  double *slope = tr_study_numbers(s, MOST);
  if (!slope) return tr_no_memory(s->error);
  for (int m = 0; m < s->methods; m++) {
    double whole = round(order[m]);
    if (whole >= 1 && whole <= STEEPEST && fabs(order[m] - whole) <= 0.25) seen[(int)whole] = true;
  }
  p->slope = slope, p->slopes = 0;
  for (int k = 1; k <= STEEPEST && p->slopes < MOST; k++)
    if (seen[k]) slope[p->slopes++] = sign * k;
  return TR_OK;
}

tr_status tr_study_bars(study *s, tr_panel *p, const char *title, const char *x_label,
                        const char *const *name, int n, const double *value, const double *low,
                        const double *high) {
  tr_series *c = TR_NEW(&s->arena, n, tr_series);
  double *at = tr_study_numbers(s, n);
  const char **names = TR_NEW(&s->arena, n, const char *); // the first on top
  if (!c || !at || !names) return tr_no_memory(s->error);
  for (int i = 0; i < n; i++) {
    at[i] = n - 1 - i;
    names[n - 1 - i] = name[i];
    c[i] = (tr_series){.style = i < s->methods ? s->style[i] : i,
                       .markers = true,
                       .n = 1,
                       .x = value + i,
                       .y = at + i,
                       .low = low + i,
                       .high = high + i};
  }
  *p = (tr_panel){.title = title,
                  .x = {.label = x_label, .min = 0, .max = NAN},
                  .y = {.label = "", .min = NAN, .max = NAN, .categories = names, .ncategory = n},
                  .series = n,
                  .s = c};
  return TR_OK;
}

// ---- orders -----------------------------------------------------------------------------------------

static double slope_of(int n, const double *x, const double *y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; i++) sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
  double d = n * sxx - sx * sx;
  return d > 0 ? (n * sxy - sx * sy) / d : NAN;
}

static const double FLAT = 0.3; // no order but round-off

// From the finest usable step on to coarser ones, as long as the order from step to step stays what it is;
// if it does not stay for two, the same without the finest step, which may suffer from round-off.
double tr_study_order(int n, const double *h, const double *error, double floor, double ceiling) {
  enum { MOST = 64, FINEST = 4 };
  double x[MOST], y[MOST];
  int used = 0;
  for (int i = n - 1; i >= 0 && used < MOST; i--)
    if (error[i] > floor && error[i] < ceiling) x[used] = log(h[i]), y[used++] = log(error[i]);
  if (used < 2) return NAN;
  if (used == 2) {
    double p = slope_of(2, x, y);
    return p > FLAT ? p : NAN;
  }
  for (int from = 0; from + 2 < used; from++) {
    double low = INFINITY, high = -INFINITY;
    int to = from; // the last one that fits in
    while (to + 1 < used && to - from + 1 < FINEST) {
      double p = slope_of(2, x + to, y + to);
      low = fmin(low, p), high = fmax(high, p);
      if (!(high - low <= 0.15 * fmax(2, high))) break;
      to++;
    }
    if (to - from >= 2 && low > FLAT) return slope_of(to - from + 1, x + from, y + from);
  }
  return NAN;
}

void tr_study_sort(int n, double *x) {
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && x[j] < x[j - 1]; j--) {
      double y = x[j];
      x[j] = x[j - 1], x[j - 1] = y;
    }
}

double tr_study_median(int n, const double *sorted) {
  return 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
}
