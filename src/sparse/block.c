// SPDX-License-Identifier: Apache-2.0
// The numbers of the block LU, node by node. With D the diagonal block of a node, L below, U right of it:
//   D := D^-1,   L := L D,   (rows, columns) -= L U into the nodes that own them
//   solve:  x_rows -= L x_pivots, downwards;  x_pivots := D (x_pivots - U x_rows), upwards
// A team works on the parts of the elimination side by side. What their nodes subtract from the top is left out
// then, and done afterwards node by node: in the order in which one alone does it, so the bits are the same.
// D is inverted by Gauss and Jordan with row pivoting, scaled so that its size tells how near to singular
// it is. Kernels are one text, compiled for the sizes that matter.
#include "block.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "block_shape.h"
#include "math/vector.h"

// ---- factor ---------------------------------------------------------------------------------------

static void note(double size, block_report *report) {
  report->least = size < report->least ? size : report->least;
  report->most = size > report->most ? size : report->most;
}

// D (w x w) := D^-1 with row pivoting; false when a pivot vanishes.
static bool invert_pivoting(int w, const double *d, double *restrict D, block_report *report) {
  int pivot[WIDTH];
  for (int c = 0; c < w; c++) {
    int best = c;
    for (int i = c + 1; i < w; i++)
      if (fabs(D[i * w + c]) * d[i] > fabs(D[best * w + c]) * d[best]) best = i;
    pivot[c] = best;
    double p = D[best * w + c], size = fabs(p) * d[best] * d[c];
    for (int j = 0; j < w && best != c; j++) {
      double x = D[c * w + j];
      D[c * w + j] = D[best * w + j], D[best * w + j] = x;
    }
    if (!(size > 0)) return false;
    note(size, report);
    p = 1 / p;
    D[c * w + c] = 1;
    for (int j = 0; j < w; j++) D[c * w + j] *= p;
    for (int i = 0; i < w; i++) {
      if (i == c) continue;
      double f = D[i * w + c];
      D[i * w + c] = 0;
      for (int j = 0; j < w; j++) D[i * w + j] -= f * D[c * w + j];
    }
  }
  for (int c = w - 1; c >= 0; c--)
    for (int i = 0; i < w && pivot[c] != c; i++) {
      double x = D[i * w + c];
      D[i * w + c] = D[i * w + pivot[c]], D[i * w + pivot[c]] = x;
    }
  return true;
}

// No pivoting was needed: |below| d_i <= 8 |pivot| d_c.
FIXED int fits(double below, double di, double pivot, double dc) {
  return fabs(below) * di <= 8 * fabs(pivot) * dc;
}

// 2 x 2 and 3 x 3 by minors, one division deep instead of two or three; the pivots are quotients of minors. False,
// and D as it was: not sure of them. Below SMALL_PIVOT minors would be differences of much larger numbers.
static const double SMALL_PIVOT = 1e-2;
FIXED bool invert_small(int w, const double *d, double *restrict D, block_report *report) {
  double a = D[0], b = D[1], c = D[w], e = D[w + 1], m = a * e - b * c, p = m / a;
  double sa = fabs(a) * d[0] * d[0], se = fabs(e) * d[1] * d[1], sp = fabs(p) * d[1] * d[1];
  double largest = sa > se ? sa : se;
  bool good = (m != 0) & fits(c, d[1], a, d[0]) & (sp > SMALL_PIVOT * se);
  double least = sa < sp ? sa : sp, most = sa > sp ? sa : sp;
  if (w == 2) {
    if (!good) return false;
    double r = 1 / m;
    D[0] = e * r, D[1] = -b * r, D[2] = -c * r, D[3] = a * r;
  } else {
    double f = D[2], g = D[5], h = D[6], k = D[7], l = D[8];
    double below = a * k - b * h; // times 1/a: what is below the second pivot
    double c0 = e * l - g * k, c1 = g * h - c * l, c2 = c * k - e * h;
    double det = a * c0 + b * c1 + f * c2, r = 1 / det, q = det / m;
    double sl = fabs(l) * d[2] * d[2], sq = fabs(q) * d[2] * d[2];
    good &=
        fits(h, d[2], a, d[0]) & fits(below, d[2], m, d[1]) & (det != 0) & (sq > SMALL_PIVOT * sl);
    if (!good) return false;
    D[0] = c0 * r, D[1] = (f * k - b * l) * r, D[2] = (b * g - f * e) * r;
    D[3] = c1 * r, D[4] = (a * l - f * h) * r, D[5] = (f * c - a * g) * r;
    D[6] = c2 * r, D[7] = -below * r, D[8] = m * r;
    largest = sl > largest ? sl : largest;
    least = sq < least ? sq : least, most = sq > most ? sq : most;
  }
  report->least = least < report->least ? least : report->least;
  report->most = most > report->most ? most : report->most;
  report->largest = largest > report->largest ? largest : report->largest;
  return true;
}

// The same without, while the pivots on the diagonal are not much smaller than what is below.
FIXED bool invert(int w, const double *d, double *restrict D, block_report *report) {
  double B[WIDTH * WIDTH];
  if ((w == 2 || w == 3) && invert_small(w, d, D, report)) return true;
  block_report before = *report, slow;
  for (int i = 0; i < w * w; i++) B[i] = D[i];
  for (int i = 0; i < w; i++) {
    double x = fabs(B[i * w + i]) * d[i] * d[i];
    before.largest = x > before.largest ? x : before.largest;
  }
  *report = before;
  for (int c = 0; c < w; c++) {
    double p = B[c * w + c], size = fabs(p) * d[c];
    bool small = !(size > 0);
    for (int i = c + 1; i < w; i++) small |= fabs(B[i * w + c]) * d[i] > 8 * size;
    if (small) {
      slow = before; // the address of report is not handed on
      bool done = invert_pivoting(w, d, D, &slow);
      *report = slow;
      return done;
    }
    note(size * d[c], report);
    p = 1 / p;
    for (int j = 0; j < w; j++) B[c * w + j] *= p;
    B[c * w + c] = p;
    for (int i = 0; i < w; i++) {
      if (i == c) continue;
      double f = B[i * w + c];
      B[i * w + c] = 0;
      for (int j = 0; j < w; j++) B[i * w + j] -= f * B[c * w + j];
    }
  }
  for (int i = 0; i < w * w; i++) D[i] = B[i];
  return true;
}

#include "block_dense.h"

// The products of rows from `from` on and columns from there on, or of all others before them. size: of all runs, 0:
// they differ.
FIXED void subtract_products(const block_kind *kind, int w, int size, bool beyond, int from,
                             double *D) {
  const double *L = D + w * w, *U = L + kind->rows * w;
  const block_run *run = kind->run;
  for (int i = beyond ? from : 0; i < kind->runs; i++) {
    int j = beyond ? from : 0, end = beyond || i < from ? kind->runs : from;
    const block_target *target = block_targets(kind) + i * kind->runs + j;
    for (; j < end; j++, target++) {
      int ld = target->step;
      double *C = D + target->at;
      const double *A = L + run[i].row * w, *B = U + run[j].row;
      if (size > 0)
        subtract(size, w, size, A, B, kind->rows, C, ld);
      else
        subtract(run[i].size, w, run[j].size, A, B, kind->rows, C, ld);
    }
  }
}

#include "block_three.h"

FIXED bool factor_node(const block_node *s, const block_kind *kind, int w, int size,
                       const double *d, double *F, block_report *report, bool below, int top) {
  double *D = F + s->at, *L = D + w * w;
  if (size == 3 && (w == 2 || w == 3))
    return factor_threes(kind, w, d, D, report, below ? runs_before(s, kind, top) : kind->runs);
  if (!invert(w, d, D, report)) return false;
  for (int i = 0; i < kind->rows; i++) {
    double row[WIDTH];
    for (int k = 0; k < w; k++) row[k] = L[i * w + k];
    for (int j = 0; j < w; j++) {
      double sum = row[0] * D[j];
      for (int k = 1; k < w; k++) sum += row[k] * D[k * w + j];
      L[i * w + j] = sum;
    }
  }
  subtract_products(kind, w, size, false, below ? runs_before(s, kind, top) : kind->runs, D);
  return true;
}

FIXED void subtract_lanes(const block_kind *kind, int w, bool beyond, int from, double *D) {
  const double *L = D + w, *U = L + kind->runs * w;
  for (int i = beyond ? from : 0; i < kind->runs; i++) {
    int j = beyond ? from : 0, end = beyond || i < from ? kind->runs : from;
    const block_target *target = block_targets(kind) + i * kind->runs + j;
    double row[WIDTH]; // what is subtracted from might be L, for all that the compiler knows
    for (int l = 0; l < w; l++) row[l] = L[i * w + l];
    for (; j < end; j++, target++) {
      double *C = D + target->at, product[WIDTH];
      for (int l = 0; l < w; l++) product[l] = row[l] * U[j * w + l];
      for (int l = 0; l < w; l++) C[(ptrdiff_t)l * target->step] -= product[l];
    }
  }
}

FIXED bool factor_lanes(const block_node *s, const block_kind *kind, int w, const double *d,
                        double *F, block_report *report, bool below, int top) {
  double *D = F + s->at, *L = D + w;
  for (int l = 0; l < w; l++) {
    double size = fabs(D[l]) * d[l] * d[l];
    if (!(size > 0)) return false;
    note(size, report);
    D[l] = 1 / D[l];
  }
  for (int i = 0; i < kind->runs; i++)
    for (int l = 0; l < w; l++) L[i * w + l] *= D[l];
  subtract_lanes(kind, w, false, below ? runs_before(s, kind, top) : kind->runs, D);
  return true;
}

#include "block_measure.h"

// Nodes from *next on, before `end` and before the next wide one, which *next is then; `below`: as far as they do not
// reach into the top. In measured plans d (n) holds the sums until the node's turn has come.
FIXED void factor_all(const tr_blocks *b, bool below, int *next, int end, double *scale, double *F,
                      block_report *report, bool *ok) {
  block_report met = *report; // in registers
  bool good = *ok, measured = b->measured, far = b->numbers > FAR;
  const block_node *s = b->node + *next;
  for (; s < b->node + end && good; s++) {
    if (is_wide((const block_kind *)(b->kind + s->kind))) break;
    double *d = scale + s->first;
    if (far) fetch(F + s->at, AHEAD);
    if (measured) scale_node(b, s, F, d);
    BY_SHAPE(s, good = factor_node, good = factor_lanes, d, F, &met, below, b->top);
    if (measured && good) add_sizes(b, s, F, 0, below ? b->top : INT_MAX, scale);
  }
  *report = met, *ok = good, *next = (int)(s - b->node);
}

FIXED void factor_whole(const tr_blocks *b, int *next, int end, double *scale, double *F,
                        block_report *report, bool *ok) {
  factor_all(b, false, next, end, scale, F, report, ok);
}

FIXED void factor_lower(const tr_blocks *b, int *next, int end, double *scale, double *F,
                        block_report *report, bool *ok) {
  factor_all(b, true, next, end, scale, F, report, ok);
}

TR_WIDE(factor_some, factor_whole,
        (const tr_blocks *b, int *next, int end, double *scale, double *F, block_report *report,
         bool *ok),
        (b, next, end, scale, F, report, ok))
TR_WIDE(factor_some_below, factor_lower,
        (const tr_blocks *b, int *next, int end, double *scale, double *F, block_report *report,
         bool *ok),
        (b, next, end, scale, F, report, ok))

#include "block_four.h"

// Nodes first .. end - 1.
static void factor_nodes(const tr_blocks *b, bool below, int first, int end, double *scale,
                         double *F, block_report *report, bool *ok) {
  const block_window *window = window_from(b, first);
  while (first < end && *ok) {
    if (first == window->node) {
      factor_windows(b, &window, end, scale, F, report, ok);
      first = window[-1].node + BLOCK_FOUR * window[-1].period;
      continue;
    }
    int until = window->node < end ? window->node : end;
    (below ? factor_some_below : factor_some)(b, &first, until, scale, F, report, ok);
    if (first >= until || !*ok) continue;
    const block_node *s = b->node + first++;
    const block_kind *kind = (const block_kind *)(b->kind + s->kind);
    if (b->measured) scale_node(b, s, F, scale + s->first);
    int limit = below ? runs_before(s, kind, b->top) : kind->runs;
    factor_wide(kind, limit, scale + s->first, F + s->at, report, ok);
    if (b->measured && *ok) add_sizes(b, s, F, 0, below ? b->top : INT_MAX, scale);
  }
}

// What parts left out of the top.
FIXED void factor_beyond(const tr_blocks *b, double *scale, double *F) {
  for (int k = 0; k < b->first_bridge[b->parts]; k++) {
    const block_node *s = b->node + b->bridge[k];
    const block_kind *kind = (const block_kind *)(b->kind + s->kind);
    int from = runs_before(s, kind, b->top);
    if (kind->lanes)
      subtract_lanes(kind, kind->width, true, from, F + s->at);
    else if (is_wide(kind))
      subtract_wide(kind, from, kind->runs, from, kind->runs, F + s->at);
    else
      subtract_products(kind, kind->width, kind->uniform, true, from, F + s->at);
    if (b->measured) add_sizes(b, s, F, b->top, INT_MAX, scale);
  }
}

TR_WIDE(factor_bridges, factor_beyond, (const tr_blocks *b, double *scale, double *F),
        (b, scale, F))

void tr_blocks_slots(const tr_blocks *b, const tr_pattern *p, int *slot) {
  for (int j = 0; j < p->n; j++)
    for (int k = p->column[j]; k < p->column[j + 1]; k++)
      slot[k] = b->column[2 * j] + b->offsets[b->column[2 * j + 1] + k - p->column[j]];
}

int tr_blocks_next(const tr_blocks *b, int number, int *end) {
  const block_window *w = first_window(b, BY_NUMBER, number + 1);
  *end = w->node < b->nodes ? b->node[w->node].at : b->numbers;
  if (w == b->window) return 1;
  window_numbers n = numbers_in(b, w - 1);
  if (number >= n.rest && (number < n.low || number >= n.rest_low)) return 1;
  *end = number < n.rest ? n.rest : n.rest_low;
  return BLOCK_FOUR;
}

// Of the last nodes of a window: U, L.
typedef struct made_numbers {
  int first[2], count[2];
} made_numbers;
static made_numbers made_in(const tr_blocks *b, const block_window *w) {
  if (!w->clean) return (made_numbers){0};
  window_numbers n = numbers_in(b, w);
  int width = kind_of_last(b, w)->width, from = n.rest + BLOCK_FOUR * width * width;
  return (made_numbers){{from, n.rest_low}, {n.low - from, n.end - n.rest_low}};
}

void tr_blocks_made(const tr_blocks *b, int value, unsigned char *made) {
  for (const block_window *w = b->window; w < b->window + b->windows; w++) {
    made_numbers m = made_in(b, w);
    for (int k = 0; k < 2; k++) memset(made + m.first[k], value, (size_t)m.count[k]);
  }
}

void tr_blocks_clear_made(const tr_blocks *b, double *F) {
  for (const block_window *w = b->window; w < b->window + b->windows; w++) {
    made_numbers m = made_in(b, w);
    for (int k = 0; k < 2; k++) memset(F + m.first[k], 0, (size_t)m.count[k] * sizeof *F);
  }
}

enum { CLEARED = 512, FILLED = 16 }; // numbers and columns that are worth a call

static void clear_part(void *what, int i, int first, int end) {
  (void)i;
  memset((double *)what + first, 0, (size_t)(end - first) * sizeof(double));
}

void tr_blocks_clear(const tr_blocks *b, tr_team *team, double *F) {
  tr_team_ranges(team, b->numbers, CLEARED, clear_part, F);
}

typedef struct filling {
  const tr_blocks *b;
  const tr_pattern *p;
  const double *values;
  double *F;
} filling;

static void fill_part(void *what, int i, int from, int end) {
  const filling *f = what;
  const tr_pattern *p = f->p;
  (void)i;
  for (int j = from; j < end; j++) {
    const int *offset = f->b->offsets + f->b->column[2 * j + 1];
    double *first = f->F + f->b->column[2 * j];
    for (int k = p->column[j]; k < p->column[j + 1]; k++) first[*offset++] = f->values[k];
  }
}

void tr_blocks_fill(const tr_blocks *b, tr_team *team, const tr_pattern *p, const double *values,
                    double *F) {
  tr_blocks_clear(b, team, F);
  tr_team_ranges(team, b->n, FILLED, fill_part, &(filling){b, p, values, F});
}

// What a factorisation is about; tiling: or NULL, the matrix is there.
typedef struct factoring {
  const tr_blocks *b;
  const tr_block_tiling *tiling;
  double *d, *F; // d: of all, or of the top
} factoring;

// What the parts have come to.
typedef struct sharing {
  const factoring *f;
  int hands;
  block_report report[BLOCK_PARTS_MAX];
  bool ok[BLOCK_PARTS_MAX];
} sharing;

static void factor_tiles(const factoring *f, bool below, int hand, int first, int end,
                         block_report *report, bool *ok) {
  const tr_block_tiling *tiling = f->tiling;
  const int *tile = f->b->tile;
  for (int t = first; t < end && *ok; t++) {
    double *d = tiling->before(tiling->what, hand, t);
    factor_nodes(f->b, below, tile[t], tile[t + 1], d, f->F, report, ok);
    if (tiling->after) tiling->after(tiling->what, t);
  }
}

static void factor_part(sharing *s, int hand, int p) {
  const factoring *f = s->f;
  const tr_blocks *b = f->b;
  block_report report = {.least = INFINITY}; // written all the time: away from the others'
  bool ok = true;
  if (f->tiling)
    factor_tiles(f, true, hand, b->first_tile[p], b->first_tile[p + 1], &report, &ok);
  else
    factor_nodes(b, true, b->part[p], b->part[p + 1], f->d, f->F, &report, &ok);
  s->report[p] = report, s->ok[p] = ok;
}

static void factor_parts(void *what, int hand) {
  sharing *s = what;
  int parts = s->f->b->parts, end = parts * (hand + 1) / s->hands;
  for (int p = parts * hand / s->hands; p < end; p++) factor_part(s, hand, p);
}

TR_APART bool factor_shared(const factoring *f, tr_team *team, block_report *report) {
  const tr_blocks *b = f->b;
  sharing s;
  bool ok = true;
  s.f = f, s.hands = tr_team_size(team);
  tr_team_share(team, s.hands, factor_parts, &s);
  for (int p = 0; p < b->parts; p++) {
    ok &= s.ok[p];
    report->least = fmin(report->least, s.report[p].least);
    report->most = fmax(report->most, s.report[p].most);
    report->largest = fmax(report->largest, s.report[p].largest);
  }
  if (!ok) return false;
  factor_bridges(b, f->d, f->F);
  factor_nodes(b, false, b->part[b->parts], b->nodes, f->d, f->F, report, &ok);
  return ok;
}

static bool factor(const factoring *f, tr_team *team, block_report *report) {
  const tr_blocks *b = f->b;
  bool ok = true;
  *report = (block_report){.least = INFINITY};
  if (team && b->parts > 1) {
    ok = factor_shared(f, team, report);
  } else {
    if (f->tiling) factor_tiles(f, false, 0, 0, b->tiles, report, &ok);
    factor_nodes(b, false, f->tiling ? b->tile[b->tiles] : 0, b->nodes, f->d, f->F, report, &ok);
  }
  return ok && isfinite(report->most + report->largest);
}

bool tr_blocks_factor_tiles(const tr_blocks *b, tr_team *team, const tr_block_tiling *tiling,
                            double *F, block_report *report) {
  double *d = tiling->before(tiling->what, 0, TR_DUE_FIRST);
  if (tiling->after) tiling->after(tiling->what, TR_DUE_FIRST);
  return factor(&(factoring){b, tiling, d, F}, team, report);
}

bool tr_blocks_factor(const tr_blocks *b, tr_team *team, double *d, double *F,
                      block_report *report) {
  for (int s = 0; b->measured && s < b->nodes; s++) {
    const block_node *node = &b->node[s];
    const block_kind *kind = (const block_kind *)(b->kind + node->kind);
    for (int k = 0; k < kind->width; k++)
      d[node->first + k] = fabs(F[node->at + (kind->lanes ? k : k * (kind->width + 1))]);
  }
  return factor(&(factoring){.b = b, .d = d, .F = F}, team, report);
}
