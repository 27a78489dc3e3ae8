// SPDX-License-Identifier: Apache-2.0
// Figures of [YP98]: failures to converge over eps; energy of the oscillation and step over time.
//
// Oscillations are over after some hundred of their periods ~ eps^(1/2) (the spring's: eps), and the slow
// motion takes 10 s: only a logarithm of time shows both.
#include <math.h>
#include <stdio.h>

#include "trammel/report.h"
#include "verify_yp98.h"

static const int drawn[YP98_DRAWN] = {3, 6}; // eps = 1e-3, 1e-6
static const double PER_DECADE = 50;

yp98_curve *yp98_curve_of(yp98_results *r, int problem, int tolerance, int iteration, int power) {
  if (!r || tolerance != YP98_TOLERANCES - 1) return NULL;
  for (int e = 0; e < YP98_DRAWN; e++)
    if (drawn[e] == power) return &r->curve[e][problem][iteration];
  return NULL;
}

// ---- watching ---------------------------------------------------------------------------------------

static tr_status look(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  yp98_watch *w = (yp98_watch *)self;
  yp98_curve *c = w->curve;
  double energy;
  TR_TRY(tr_reader_read(w->reader, x, &energy));
  if (info->steps == 0) {
    w->start = energy - w->rest;
  } else if (c->n == 0 || (c->n < YP98_POINTS && log10(x->t / c->t[c->n - 1]) * PER_DECADE >= 1)) {
    c->t[c->n] = x->t, c->h[c->n] = x->t - w->last;
    c->energy[c->n++] = (energy - w->rest) / w->start;
  }
  w->last = x->t;
  return TR_OK;
}

tr_status yp98_watch_make(verify *v, const tr_system *system, double rest, yp98_curve *curve,
                          yp98_watch *w) {
  *w = (yp98_watch){.observer = {.step = look}, .curve = curve, .rest = rest};
  int channel = tr_channel_find(system, "energy.total");
  return tr_reader_new(system, 1, &channel, &w->reader, v->error);
}

// ---- drawing ----------------------------------------------------------------------------------------

enum { PANELS = 2 * YP98_PROBLEMS, TITLE = 64 };
typedef struct sheet {
  tr_figure figure;
  tr_panel panel[PANELS];
  char title[PANELS][TITLE];
  tr_series series[PANELS][YP98_ITERATIONS];
} sheet;

static void open_sheet(sheet *s, const char *name, const char *title) {
  *s = (sheet){.figure = {name, title, PANELS, YP98_PROBLEMS, s->panel}};
}

// Where its title goes.
static char *open_panel(sheet *s, int row, int problem, tr_axis x, tr_axis y) {
  int at = row * YP98_PROBLEMS + problem;
  s->panel[at] = (tr_panel){
      .title = s->title[at], .x = x, .y = y, .series = YP98_ITERATIONS, .s = s->series[at]};
  return s->title[at];
}

static void add_curve(sheet *s, int row, int problem, int iteration, int n, const double *x,
                      const double *y) {
  s->series[row * YP98_PROBLEMS + problem][iteration] =
      (tr_series){.name = yp98_iteration[iteration],
                  .style = iteration,
                  .lines = true,
                  .markers = true,
                  .n = n,
                  .x = x,
                  .y = y};
}

static double most_failures(const yp98_results *r, int problem, int tolerance) {
  double most = 5; // whole numbers at the ticks
  for (int i = 0; i < YP98_ITERATIONS; i++)
    for (int k = 0; k < YP98_POWERS; k++)
      most = fmax(most, 1.05 * r->failures[problem][tolerance][i][k]);
  return most;
}

static tr_status draw_failures(verify *v, const yp98_results *r, sheet *s) {
  const tr_axis x = {.label = "eps", .log = true, .min = NAN, .max = NAN};
  double eps[YP98_POWERS];
  for (int k = 0; k < YP98_POWERS; k++) eps[k] = pow(10, -1 - k);
  open_sheet(s, "yen-petzold-failures", "Newton iterations that did not converge");
  for (int t = 0; t < YP98_TOLERANCES; t++)
    for (int p = 0; p < YP98_PROBLEMS; p++) {
      const tr_axis y = {.label = "failures in 10 s", .min = 0, .max = most_failures(r, p, t)};
      char *title = open_panel(s, t, p, x, y);
      snprintf(title, TITLE, "%s, TOL %g", yp98_problem[p], yp98_tolerance[t]);
      for (int i = 0; i < YP98_ITERATIONS; i++)
        add_curve(s, t, p, i, YP98_POWERS, eps, r->failures[p][t][i]);
    }
  return v->out->figure(v->out, &s->figure);
}

static tr_status draw_curves(verify *v, const yp98_results *r, bool energy, sheet *s) {
  const tr_axis x = {.label = "t / s", .log = true, .min = NAN, .max = 10};
  const tr_axis y = energy ? (tr_axis){.label = "E/E(0)", .min = 0, .max = 1.1}
                           : (tr_axis){.label = "step h / s", .log = true, .min = NAN, .max = NAN};
  if (energy)
    open_sheet(s, "yen-petzold-energy", "Energy of the oscillation, TOL 1e-4");
  else
    open_sheet(s, "yen-petzold-steps", "Steps, TOL 1e-4");
  for (int e = 0; e < YP98_DRAWN; e++)
    for (int p = 0; p < YP98_PROBLEMS; p++) {
      char *title = open_panel(s, e, p, x, y);
      snprintf(title, TITLE, "%s, eps = 1e-%d", yp98_problem[p], drawn[e]);
      for (int i = 0; i < YP98_ITERATIONS; i++) {
        const yp98_curve *c = &r->curve[e][p][i];
        add_curve(s, e, p, i, c->n, c->t, energy ? c->energy : c->h);
      }
    }
  return v->out->figure(v->out, &s->figure);
}

tr_status yp98_draw(verify *v, const yp98_results *r) {
  sheet s;
  TR_TRY(draw_failures(v, r, &s));
  TR_TRY(draw_curves(v, r, true, &s));
  return draw_curves(v, r, false, &s);
}
