// SPDX-License-Identifier: Apache-2.0
// Scales of a plot: data to pixels, and ticks. Plain values, no memory.
#ifndef TR_PLOT_SCALE_H
#define TR_PLOT_SCALE_H

#include <stdbool.h>

#include "trammel/report.h"

typedef struct plot_scale {
  bool log;
  double lo, hi; // in data, or in log10 of them
  double p0, p1; // pixels of lo and hi
  int exponent;  // linear: ticks are shown divided by 10^exponent
} plot_scale;

enum { PLOT_TICKS = 64 };
typedef struct plot_ticks {
  int n;
  double at[PLOT_TICKS];     // in data, or in log10 of them
  bool labelled[PLOT_TICKS]; // else a fine line only
} plot_ticks;

bool tr_plot_visible(const tr_axis *axis, double x); // finite, and positive on a log axis
// From the data of all series; which: 'x' or 'y'.
plot_scale tr_plot_scale_of(const tr_panel *panel, char which, double p0, double p1);
double tr_plot_at(const plot_scale *s, double x);
plot_ticks tr_plot_ticks_of(const plot_scale *s);
// As SVG: "0.5", or 10 with a raised exponent. Into a buffer of 96 characters.
enum { PLOT_LABEL = 96 };
void tr_plot_tick_label(const plot_scale *s, double at, char *text);
double tr_plot_tick_width(const plot_scale *s, double letter); // of the widest label, estimated

#endif
