// SPDX-License-Identifier: Apache-2.0
// Ranges and ticks: decades on log axes (1, 2, 5 when the range is short), round steps on linear ones.
#include "plot_scale.h"

#include <math.h>
#include <stdio.h>

static const double PAD = 0.05; // of the range, beyond the data

bool tr_plot_visible(const tr_axis *axis, double x) { return isfinite(x) && (!axis->log || x > 0); }

static double value(const plot_scale *s, double x) { return s->log ? log10(x) : x; }

// By the points that can be seen: both coordinates count.
static void widen(plot_scale *s, const tr_panel *p, const tr_axis *axis, const tr_series *c,
                  const double *x) {
  for (int i = 0; x && i < c->n; i++) {
    bool seen = tr_plot_visible(&p->x, c->x[i]) && tr_plot_visible(&p->y, c->y[i]);
    if (!seen || !tr_plot_visible(axis, x[i])) continue;
    double u = value(s, x[i]);
    s->lo = fmin(s->lo, u), s->hi = fmax(s->hi, u);
  }
}

plot_scale tr_plot_scale_of(const tr_panel *p, char which, double p0, double p1) {
  const tr_axis *axis = which == 'x' ? &p->x : &p->y;
  plot_scale s = {.log = axis->log, .lo = INFINITY, .hi = -INFINITY, .p0 = p0, .p1 = p1};
  bool categories = p->y.categories; // whiskers then lie along x
  for (int k = 0; k < p->series; k++) {
    const tr_series *c = &p->s[k];
    widen(&s, p, axis, c, which == 'x' ? c->x : c->y);
    if ((which == 'x') != categories) continue;
    widen(&s, p, axis, c, c->low);
    widen(&s, p, axis, c, c->high);
  }
  if (axis->categories) {
    s.lo = -0.5, s.hi = axis->ncategory - 0.5;
    return s;
  }
  if (s.lo > s.hi) s.lo = s.log ? -1 : 0, s.hi = s.log ? 0 : 1; // nothing to show
  double least = s.log ? 0.2 : 1e-9 * fmax(fabs(s.lo), fabs(s.hi));
  if (!s.log && least == 0) least = 1;
  if (s.hi - s.lo < least) s.lo -= 0.5 * least, s.hi += 0.5 * least;
  double pad = PAD * (s.hi - s.lo);
  s.lo -= pad, s.hi += pad;
  if (!isnan(axis->min)) s.lo = value(&s, axis->min);
  if (!isnan(axis->max)) s.hi = value(&s, axis->max);
  double most = fmax(fabs(s.lo), fabs(s.hi));
  if (!s.log && (most >= 1e4 || most < 1e-2)) s.exponent = (int)floor(log10(most));
  return s;
}

double tr_plot_at(const plot_scale *s, double x) {
  return s->p0 + (s->p1 - s->p0) * (value(s, x) - s->lo) / (s->hi - s->lo);
}

static void add(plot_ticks *t, const plot_scale *s, double at, bool labelled) {
  double slack = 1e-9 * (s->hi - s->lo);
  if (t->n == PLOT_TICKS || at < s->lo - slack || at > s->hi + slack) return;
  t->at[t->n] = at;
  t->labelled[t->n++] = labelled;
}

// Multiples of 1, 2 or 5 that do not crowd; at least two of them can be seen.
static plot_ticks linear_ticks(const plot_scale *s) {
  static const double round[] = {10, 5, 2, 1, 0.5, 0.2, 0.1};
  plot_ticks t = {0};
  double room = fabs(s->p1 - s->p0), count = fmax(2, room / 46);
  double raw = (s->hi - s->lo) / count, unit = pow(10, floor(log10(raw)));
  int m = 3;
  while (m > 0 && raw > round[m] * unit) m--;
  for (; t.n < 2 && m < 7; m++) {
    double step = round[m] * unit;
    t.n = 0;
    for (double k = ceil(s->lo / step - 1e-9); k * step <= s->hi + 1e-9 * step; k++)
      add(&t, s, k * step, true);
  }
  return t;
}

// Every decade labelled, or every 2nd, 3rd ..; between them fine lines, labelled when decades are few.
static plot_ticks log_ticks(const plot_scale *s) {
  plot_ticks t = {0};
  double decades = s->hi - s->lo, room = fabs(s->p1 - s->p0);
  int every = (int)fmax(1, ceil(decades / fmax(2, room / 34)));
  int first = (int)floor(s->lo), last = (int)ceil(s->hi), inside = 0;
  for (int k = first; k <= last; k++) inside += k >= s->lo && k <= s->hi;
  for (int k = first; k <= last; k++) {
    add(&t, s, k, (k % every + every) % every == 0);
    for (int m = 2; decades < 5 && m <= 9; m++)
      add(&t, s, k + log10(m), inside < 2 && (m == 2 || m == 5));
  }
  return t;
}

plot_ticks tr_plot_ticks_of(const plot_scale *s) { return s->log ? log_ticks(s) : linear_ticks(s); }

void tr_plot_tick_label(const plot_scale *s, double at, char *text) {
  static const char *const raised =
      "%s10<tspan dy=\"-4\" font-size=\"8.5\">%s%d</tspan>"; // exponent
  if (!s->log) {
    double x = at / pow(10, s->exponent);
    if (fabs(x) < 1e-12 * fmax(fabs(s->lo), fabs(s->hi)) / pow(10, s->exponent)) x = 0;
    snprintf(text, PLOT_LABEL, "%s%.4g", x < 0 ? "\xE2\x88\x92" : "", fabs(x));
    return;
  }
  int k = (int)floor(at + 1e-9);
  double m = pow(10, at - k);
  const char *minus = k < 0 ? "\xE2\x88\x92" : "";
  if (s->lo >= -2.2 && s->hi <= 3.2) {
    snprintf(text, PLOT_LABEL, "%.4g", pow(10, at));
  } else if (fabs(m - 1) < 1e-6) {
    snprintf(text, PLOT_LABEL, raised, "", minus, k < 0 ? -k : k);
  } else {
    char lead[16];
    snprintf(lead, sizeof lead, "%.0f\xC2\xB7", m);
    snprintf(text, PLOT_LABEL, raised, lead, minus, k < 0 ? -k : k);
  }
}

// Letters outside of tags; raised ones are smaller.
static double width_of_label(const char *text, double letter) {
  double width = 0, size = letter;
  for (; *text; text++) {
    if (*text == '<') {
      size = text[1] == '/' ? letter : 0.7 * letter;
      while (*text && *text != '>') text++;
    } else if (((unsigned char)*text & 0xC0) != 0x80) {
      width += size;
    }
  }
  return width;
}

double tr_plot_tick_width(const plot_scale *s, double letter) {
  plot_ticks t = tr_plot_ticks_of(s);
  double most = 0;
  char text[PLOT_LABEL];
  for (int i = 0; i < t.n; i++) {
    if (!t.labelled[i]) continue;
    tr_plot_tick_label(s, t.at[i], text);
    most = fmax(most, width_of_label(text, letter));
  }
  return most;
}
