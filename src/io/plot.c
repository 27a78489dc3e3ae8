// SPDX-License-Identifier: Apache-2.0
// Figures as SVG, written directly: panels in rows, one legend below them.
//
// (1) Colours are Okabe and Ito's, told apart by the colour-blind; beside them every style has a marker
//     and dashes of its own, so that print in grey will do.
// (2) Slope triangles go where they are farthest from every curve; where there is no room, behind the
//     curves, but never upon each other.
// (3) Text widths are estimated (no font is at hand): generous margins instead of measuring.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "file.h"
#include "plot_scale.h"

enum { TOP = 30, GAP = 10, FONT = 12, LEFT = 66, RIGHT = 16, HEAD = 24, FOOT = 46 };
enum { LEGEND_LINE = 20, LEGEND_KEY = 44, STYLES = 16, MAX_MARKERS = 24 };
static const double WIDTH = 300, HEIGHT = 230, SMALL = 200; // of a plot; SMALL: of one among many
static const double TALL = 300;                             // of many curves
static const double LETTER = 6.6;                           // width of a letter, on average

static const char *const colours[STYLES] = {
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F",
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F"};
static const char *const dashes[STYLES] = {"",    "",    "",    "",    "",        "",
                                           "5,3", "5,3", "2,2", "2,2", "8,3,2,3", "8,3,2,3",
                                           "9,3", "9,3", "1,3", "1,3"};

typedef struct box {
  double x, y, w, h;
} box;

typedef struct plot {
  tr_text *s;
  const tr_panel *panel;
  box in; // the plot itself
  plot_scale x, y;
  int index; // of the panel
} plot;

static void add_escaped(tr_text *s, const char *text) {
  for (; *text; text++) {
    if (*text == '&')
      tr_text_add(s, "&amp;");
    else if (*text == '<')
      tr_text_add(s, "&lt;");
    else if (*text == '>')
      tr_text_add(s, "&gt;");
    else if (*text == '"')
      tr_text_add(s, "&quot;");
    else if ((unsigned char)*text >= 0x20)
      tr_text_add(s, "%c", *text);
  }
}

// Characters, not bytes.
static double width_of(const char *text) {
  int n = 0;
  for (; *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80;
  return n * LETTER;
}

static void add_label(tr_text *s, double x, double y, const char *attributes, const char *text) {
  tr_text_add(s, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, attributes);
  add_escaped(s, text);
  tr_text_add(s, "</text>\n");
}

// ---- markers ----------------------------------------------------------------------------------------

static void add_polygon(tr_text *s, double x, double y, int n, const double *at,
                        const char *paint) {
  tr_text_add(s, "<polygon points=\"");
  for (int i = 0; i < n; i++)
    tr_text_add(s, "%s%.1f,%.1f", i ? " " : "", x + at[2 * i], y + at[2 * i + 1]);
  tr_text_add(s, "\" %s/>\n", paint);
}

// A shape around the origin, filled or open; circles have no corners, crosses are strokes.
typedef struct marker {
  int corners;
  double at[16];
  bool open;
} marker;

#define UP \
  3, { 0, -4.6, 4.2, 3, -4.2, 3 }
#define DOWN \
  3, { 0, 4.6, 4.2, -3, -4.2, -3 }
#define LEFTWARDS \
  3, { -4.6, 0, 3, 4.2, 3, -4.2 }
#define RIGHTWARDS \
  3, { 4.6, 0, -3, 4.2, -3, -4.2 }
#define SQUARE \
  4, { -3.4, -3.4, 3.4, -3.4, 3.4, 3.4, -3.4, 3.4 }
#define DIAMOND \
  4, { 0, -4.8, 4.2, 0, 0, 4.8, -4.2, 0 }
#define PENTAGON \
  5, { 0, -4.4, 4.2, -1.4, 2.6, 3.6, -2.6, 3.6, -4.2, -1.4 }
#define CROSS \
  8, { 0, 0, 3.4, 3.4, 0, 0, 3.4, -3.4, 0, 0, -3.4, -3.4, 0, 0, -3.4, 3.4 }
#define PLUS \
  8, { 0, 0, 4.4, 0, 0, 0, 0, 4.4, 0, 0, -4.4, 0, 0, 0, 0, -4.4 }
static const marker markers[STYLES] = {
    {.open = false},     {SQUARE, false},    {UP, false},       {DIAMOND, false},
    {DOWN, false},       {.open = true},     {SQUARE, true},    {UP, true},
    {DIAMOND, true},     {DOWN, true},       {CROSS, true},     {PLUS, true},
    {RIGHTWARDS, false}, {LEFTWARDS, false}, {PENTAGON, false}, {PENTAGON, true}};

// Of colour and dashes: beyond STYLES each marker comes again in the next colour.
static int tint(int style) { return (style + style / STYLES) % STYLES; }

static void add_marker(tr_text *s, int style, double x, double y) {
  const marker *m = &markers[style % STYLES];
  const char *c = colours[tint(style)];
  char paint[96];
  snprintf(paint, sizeof paint,
           m->open ? "fill=\"#fff\" stroke=\"%s\" stroke-width=\"1.4\"" : "fill=\"%s\"", c);
  if (m->corners > 0)
    add_polygon(s, x, y, m->corners, m->at, paint);
  else
    tr_text_add(s, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" %s/>\n", x, y, m->open ? 3.4 : 3.6,
                paint);
}

// Dashes tell styles apart where there are markers; a curve alone in its panel is solid.
static void add_stroke(tr_text *s, int style, bool solid) {
  if (style < 0) {
    tr_text_add(s, " fill=\"none\" stroke=\"#000\" stroke-width=\"1\" stroke-dasharray=\"6,4\"");
    return;
  }
  tr_text_add(s, " fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" stroke-linejoin=\"round\"",
              colours[tint(style)]);
  if (*dashes[tint(style)] && !solid)
    tr_text_add(s, " stroke-dasharray=\"%s\"", dashes[tint(style)]);
}

// ---- axes -------------------------------------------------------------------------------------------

static void add_grid_line(const plot *p, bool vertical, double at, bool strong) {
  const box *b = &p->in;
  const char *paint = strong ? "#d4d4d4" : "#ededed";
  if (vertical)
    tr_text_add(p->s, "<path d=\"M%.1f,%.1fV%.1f\" stroke=\"%s\"/>\n", at, b->y, b->y + b->h,
                paint);
  else
    tr_text_add(p->s, "<path d=\"M%.1f,%.1fH%.1f\" stroke=\"%s\"/>\n", b->x, at, b->x + b->w,
                paint);
}

static void add_tick_label(const plot *p, bool is_x, double at, const char *text) {
  const box *b = &p->in;
  if (is_x)
    tr_text_add(p->s, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", at,
                b->y + b->h + 17, text);
  else
    tr_text_add(p->s, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", b->x - 6,
                at + 4, text);
}

static void add_categories(const plot *p, const tr_axis *axis, bool is_x) {
  const plot_scale *s = is_x ? &p->x : &p->y;
  for (int k = 0; k < axis->ncategory; k++) {
    double at = tr_plot_at(s, k);
    add_grid_line(p, is_x, at, false);
    add_label(p->s, is_x ? at : p->in.x - 8, is_x ? p->in.y + p->in.h + 17 : at + 4,
              is_x ? " text-anchor=\"middle\"" : " text-anchor=\"end\"", axis->categories[k]);
  }
}

static void add_axis(const plot *p, bool is_x) {
  const tr_axis *axis = is_x ? &p->panel->x : &p->panel->y;
  const plot_scale *s = is_x ? &p->x : &p->y;
  if (axis->categories) {
    add_categories(p, axis, is_x);
    return;
  }
  plot_ticks t = tr_plot_ticks_of(s);
  char text[PLOT_LABEL];
  for (int pass = 0; pass < 2; pass++) // fine lines first
    for (int i = 0; i < t.n; i++) {
      double at = s->p0 + (s->p1 - s->p0) * (t.at[i] - s->lo) / (s->hi - s->lo);
      bool strong = !s->log || fabs(t.at[i] - round(t.at[i])) < 1e-9;
      if (strong == (pass == 1)) add_grid_line(p, is_x, at, strong);
      if (pass == 0 || !t.labelled[i]) continue;
      tr_plot_tick_label(s, t.at[i], text);
      add_tick_label(p, is_x, at, text);
    }
  if (s->exponent == 0) return;
  plot_scale power = {.log = true, .lo = -99, .hi = 99};
  tr_plot_tick_label(&power, s->exponent, text);
  const box *b = &p->in;
  tr_text_add(p->s, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">\xC3\x97%s</text>\n",
              is_x ? b->x + b->w + 4 : b->x - 6, is_x ? b->y + b->h + 36 : b->y - 6, "end", text);
}

// From the axis to the base line of its label: beyond the widest number.
static double label_distance(const plot_scale *y) {
  return fmax(50, tr_plot_tick_width(y, LETTER) + 18);
}

static void add_titles(const plot *p) {
  const box *b = &p->in;
  char turn[96];
  double across = b->y + b->h / 2, left = b->x - label_distance(&p->y);
  if (p->panel->title)
    add_label(p->s, b->x + b->w / 2, b->y - 8, " text-anchor=\"middle\" font-weight=\"bold\"",
              p->panel->title);
  double aside = p->x.exponent ? 20 : 0; // room for the power of ten
  add_label(p->s, b->x + b->w / 2 - aside, b->y + b->h + 36, " text-anchor=\"middle\"",
            p->panel->x.label);
  if (!p->panel->y.label || !*p->panel->y.label) return;
  snprintf(turn, sizeof turn, " text-anchor=\"middle\" transform=\"rotate(-90 %.1f %.1f)\"", left,
           across);
  add_label(p->s, left, across, turn, p->panel->y.label);
}

// ---- curves -----------------------------------------------------------------------------------------

static bool place(const plot *p, const tr_series *c, int i, double *px, double *py) {
  if (!tr_plot_visible(&p->panel->x, c->x[i]) || !tr_plot_visible(&p->panel->y, c->y[i]))
    return false;
  *px = tr_plot_at(&p->x, c->x[i]);
  *py = tr_plot_at(&p->y, c->y[i]);
  return true;
}

static void add_line(const plot *p, const tr_series *c) {
  double x, y, last_x = NAN, last_y = NAN;
  bool pen = false, any = false;
  tr_text_add(p->s, "<path clip-path=\"url(#c%d)\" d=\"", p->index);
  for (int i = 0; i < c->n; i++) {
    if (!place(p, c, i, &x, &y)) {
      pen = false;
      continue;
    }
    x = fmin(fmax(x, -1e4), 1e4), y = fmin(fmax(y, -1e4), 1e4);
    if (pen && fabs(x - last_x) < 0.15 && fabs(y - last_y) < 0.15) continue;
    tr_text_add(p->s, "%s%.1f,%.1f", pen ? "L" : "M", x, y);
    pen = any = true;
    last_x = x, last_y = y;
  }
  if (!any) tr_text_add(p->s, "M0,0");
  tr_text_add(p->s, "\"");
  add_stroke(p->s, c->style, !c->markers);
  tr_text_add(p->s, "/>\n");
}

static void add_whisker(const plot *p, const tr_series *c, int i, double x, double y) {
  bool along_x = p->panel->y.categories;
  const tr_axis *axis = along_x ? &p->panel->x : &p->panel->y;
  if (!c->low || !tr_plot_visible(axis, c->low[i]) || !tr_plot_visible(axis, c->high[i])) return;
  double a = tr_plot_at(along_x ? &p->x : &p->y, c->low[i]);
  double b = tr_plot_at(along_x ? &p->x : &p->y, c->high[i]);
  if (along_x)
    tr_text_add(p->s, "<path d=\"M%.1f,%.1fv8m0,-4H%.1fm0,-4v8\"", a, y - 4, b);
  else
    tr_text_add(p->s, "<path d=\"M%.1f,%.1fh8m-4,0V%.1fm-4,0h8\"", x - 4, a, b);
  add_stroke(p->s, c->style, true);
  tr_text_add(p->s, "/>\n");
}

static bool inside(const box *b, double x, double y) {
  return x >= b->x - 1 && x <= b->x + b->w + 1 && y >= b->y - 1 && y <= b->y + b->h + 1;
}

static void add_points(const plot *p, const tr_series *c, int index) {
  double x, y;
  int every = c->n > MAX_MARKERS ? (c->n + MAX_MARKERS / 2 - 1) / (MAX_MARKERS / 2) : 1;
  int first = every > 1 ? index * every / p->panel->series : 0; // curves that coincide share out
  for (int i = first; i < c->n; i += every) {
    if (!place(p, c, i, &x, &y) || !inside(&p->in, x, y)) continue;
    add_whisker(p, c, i, x, y);
    if (c->style >= 0) add_marker(p->s, c->style, x, y);
  }
}

// ---- slope triangles --------------------------------------------------------------------------------

// Distance from a point to a box.
static double clearance(const box *b, double x, double y) {
  double dx = fmax(fmax(b->x - x, x - b->x - b->w), 0);
  double dy = fmax(fmax(b->y - y, y - b->y - b->h), 0);
  return hypot(dx, dy);
}

static double segment_clearance(const box *b, double x0, double y0, double x1, double y1) {
  int n = 1 + (int)(fmin(hypot(x1 - x0, y1 - y0), 2000) / 5);
  double least = INFINITY;
  for (int i = 0; i <= n; i++)
    least = fmin(least, clearance(b, x0 + (x1 - x0) * i / n, y0 + (y1 - y0) * i / n));
  return least;
}

static double free_room(const plot *p, const box *b, int taken, const box *others) {
  double least = INFINITY, x, y, last_x = 0, last_y = 0;
  for (int k = 0; k < p->panel->series; k++) {
    const tr_series *c = &p->panel->s[k];
    bool pen = false;
    for (int i = 0; i < c->n; i++) {
      bool seen = place(p, c, i, &x, &y);
      if (seen)
        least = fmin(least, pen && c->lines ? segment_clearance(b, last_x, last_y, x, y)
                                            : clearance(b, x, y));
      pen = seen, last_x = x, last_y = y;
    }
  }
  for (int k = 0; k < taken; k++) {
    const box *o = &others[k];
    double dx = fmax(fmax(o->x - b->x - b->w, b->x - o->x - o->w), 0);
    double dy = fmax(fmax(o->y - b->y - b->h, b->y - o->y - o->h), 0);
    least = fmin(least, hypot(dx, dy) - 4);
  }
  return least;
}

static void draw_triangle(const plot *p, double slope, const box *b) {
  double x0 = b->x, x1 = b->x + b->w - 12, y0 = b->y + b->h, y1 = b->y;
  char text[16];
  snprintf(text, sizeof text, "%.3g", fabs(slope));
  if (slope > 0)
    tr_text_add(p->s, "<path d=\"M%.1f,%.1fH%.1fV%.1fZ\"", x0, y0, x1, y1);
  else
    tr_text_add(p->s, "<path d=\"M%.1f,%.1fV%.1fH%.1fZ\"", x0 + 12, y1, y0, x1 + 12);
  tr_text_add(p->s, " fill=\"#f2f2f2\" stroke=\"#333\" stroke-width=\"1\"/>\n");
  add_label(p->s, slope > 0 ? x1 + 3 : x0 + 3, 0.5 * (y0 + y1) + 4, " font-size=\"11\"", text);
}

// The best of a grid of places at least so far from everything, for smaller and smaller triangles.
static bool find_place(const plot *p, double slope, double least, int taken, box *places) {
  static const double bases[] = {44, 36, 28, 20};
  const box *in = &p->in;
  double decade_x = fabs(p->x.p1 - p->x.p0) / (p->x.hi - p->x.lo);
  double decade_y = fabs(p->y.p1 - p->y.p0) / (p->y.hi - p->y.lo);
  for (int k = 0; k < 4; k++) {
    box b = {.w = bases[k] + 12, .h = fabs(slope) * bases[k] / decade_x * decade_y};
    double best = least;
    bool found = false;
    if ((b.h < 6 && least > 0) || b.h > 0.6 * in->h) continue;
    for (int i = 0; i <= 24; i++)
      for (int j = 0; j <= 24; j++) {
        b.x = in->x + 6 + (in->w - b.w - 12) * i / 24;
        b.y = in->y + 6 + (in->h - b.h - 12) * j / 24;
        double room = fmin(free_room(p, &b, taken, places), 26);
        if (room > best) best = room, places[taken] = b, found = true;
      }
    if (found) return true;
  }
  return false;
}

static void add_triangles(const plot *p) {
  box places[8];
  int taken = 0;
  if (!p->x.log || !p->y.log) return;
  for (int k = 0; k < p->panel->slopes && k < 8; k++)
    if (find_place(p, p->panel->slope[k], 4, taken, places) ||
        find_place(p, p->panel->slope[k], -1, taken, places))
      draw_triangle(p, p->panel->slope[k], &places[taken++]);
}

// ---- panels and the legend --------------------------------------------------------------------------

static void add_panel(tr_text *s, const tr_panel *panel, int index, box in) {
  plot p = {.s = s, .panel = panel, .in = in, .index = index};
  p.x = tr_plot_scale_of(panel, 'x', in.x, in.x + in.w);
  p.y = tr_plot_scale_of(panel, 'y', in.y + in.h, in.y);
  tr_text_add(s,
              "<clipPath id=\"c%d\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>"
              "</clipPath>\n",
              index, in.x, in.y, in.w, in.h);
  add_axis(&p, true);
  add_axis(&p, false);
  add_triangles(&p);
  for (int k = 0; k < panel->series; k++)
    if (panel->s[k].lines) add_line(&p, &panel->s[k]);
  for (int k = 0; k < panel->series; k++)
    if (panel->s[k].markers) add_points(&p, &panel->s[k], k);
  tr_text_add(s,
              "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
              "stroke=\"#333\"/>\n",
              in.x, in.y, in.w, in.h);
  add_titles(&p);
}

static bool named_before(const tr_figure *f, int panel, const char *name) {
  for (int k = 0; k < panel; k++)
    for (int i = 0; i < f->panel[k].series; i++)
      if (f->panel[k].s[i].name && strcmp(f->panel[k].s[i].name, name) == 0) return true;
  return false;
}

// Series by name, each once; more: those that found no room.
static int gather(const tr_figure *f, const tr_series **out, int *more) {
  int n = 0;
  *more = 0;
  for (int k = 0; k < f->panels; k++)
    for (int i = 0; i < f->panel[k].series; i++) {
      const tr_series *c = &f->panel[k].s[i];
      bool known = !c->name;
      for (int j = 0; j < n; j++) known = known || strcmp(out[j]->name, c->name) == 0;
      if (known) continue;
      if (n < TR_FIGURE_NAMES)
        out[n++] = c;
      else if (k == 0 || !named_before(f, k, c->name))
        ++*more;
    }
  return n;
}

static void add_key(tr_text *s, const tr_series *c, double x, double y) {
  if (c->lines || c->style < 0) {
    tr_text_add(s, "<path d=\"M%.1f,%.1fh34\"", x, y);
    add_stroke(s, c->style, false);
    tr_text_add(s, "/>\n");
  }
  if (c->markers && c->style >= 0) add_marker(s, c->style, x + 17, y);
  add_label(s, x + LEGEND_KEY, y + 4, "", c->name);
}

// Sizes of a figure, from the outside in.
typedef struct layout {
  double left, w, h; // margin of a panel, size of its plot
  int columns, rows, keys, key_columns;
  double key_width, width, height, top;
} layout;

static layout lay_out(const tr_figure *f, int keys, const tr_series *const *key, int more) {
  layout l = {.left = LEFT, .w = WIDTH, .h = HEIGHT, .keys = keys};
  for (int k = 0; k < f->panels; k++)
    if (f->panel[k].series > 8 && !f->panel[k].y.categories) l.h = TALL;
  if (f->panels > 4) l.w = l.h = SMALL;
  for (int k = 0; k < f->panels; k++)
    for (int i = 0; i < f->panel[k].y.ncategory; i++)
      l.left = fmax(l.left, 16 + width_of(f->panel[k].y.categories[i]));
  for (int k = 0; k < f->panels; k++) {
    plot_scale y = tr_plot_scale_of(&f->panel[k], 'y', l.h, 0);
    if (!f->panel[k].y.categories) l.left = fmax(l.left, label_distance(&y) + 16);
  }
  l.columns = f->columns > 0 ? f->columns : 1;
  if (l.columns > f->panels) l.columns = f->panels;
  l.rows = l.columns > 0 ? (f->panels + l.columns - 1) / l.columns : 0;
  l.top = f->title ? TOP : GAP;
  l.width = l.columns * (l.left + l.w + RIGHT) + GAP;
  for (int i = 0; i < keys; i++)
    l.key_width = fmax(l.key_width, LEGEND_KEY + 14 + width_of(key[i]->name));
  l.width = fmax(l.width, l.key_width + 2 * GAP);
  l.key_columns = keys > 0 ? (int)fmax(1, floor((l.width - 2 * GAP) / l.key_width)) : 1;
  if (l.key_columns > keys && keys > 0) l.key_columns = keys;
  int lines = (keys + l.key_columns - 1) / l.key_columns;
  if (lines > 0) l.key_columns = (keys + lines - 1) / lines; // lines of equal length
  l.height = l.top + l.rows * (HEAD + l.h + FOOT) + GAP + (lines + (more > 0)) * LEGEND_LINE;
  return l;
}

static void draw(tr_text *s, const tr_figure *f) {
  const tr_series *key[TR_FIGURE_NAMES];
  int more, keys = gather(f, key, &more);
  if (keys == 1 && f->panels > 0 && f->panel[0].y.categories) keys = 0;
  layout l = lay_out(f, keys, key, more);
  tr_text_add(s,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
              "viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, 'Liberation Sans', "
              "sans-serif\" font-size=\"%d\">\n",
              l.width, l.height, l.width, l.height, FONT);
  if (f->title) {
    tr_text_add(s, "<title>");
    add_escaped(s, f->title);
    tr_text_add(s, "</title>\n");
  }
  tr_text_add(s, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
  if (f->title) add_label(s, l.width / 2, 20, " text-anchor=\"middle\" font-size=\"14\"", f->title);
  for (int k = 0; k < f->panels; k++) {
    box in = {GAP + (k % l.columns) * (l.left + l.w + RIGHT) + l.left,
              l.top + (k / l.columns) * (HEAD + l.h + FOOT) + HEAD, l.w, l.h};
    add_panel(s, &f->panel[k], k, in);
  }
  double left = 0.5 * (l.width - l.key_columns * l.key_width) + 7;
  double below = l.top + l.rows * (HEAD + l.h + FOOT) + GAP;
  for (int i = 0; i < keys; i++)
    add_key(s, key[i], left + (i % l.key_columns) * l.key_width,
            below + (i / l.key_columns) * LEGEND_LINE);
  if (more > 0) {
    char text[64];
    snprintf(text, sizeof text, "and %d more, drawn above but not named here", more);
    add_label(s, l.width / 2, l.height - GAP - 6, " text-anchor=\"middle\"", text);
  }
  tr_text_add(s, "</svg>\n");
}

tr_status tr_figure_svg(const tr_figure *f, tr_allocator *al, char **text, size_t *size,
                        tr_error *error) {
  tr_text s = {.al = al};
  *text = NULL, *size = 0;
  draw(&s, f);
  if (s.failed) {
    tr_text_free(&s);
    return tr_no_memory(error);
  }
  *text = s.data, *size = s.size;
  return TR_OK;
}

tr_status tr_figure_write_svg(const tr_figure *f, const char *path, tr_error *error) {
  char *text;
  size_t size;
  TR_TRY(tr_figure_svg(f, NULL, &text, &size, error));
  tr_status status = tr_file_write(path, text, size, error);
  tr_resize(NULL, text, 0);
  return status;
}
