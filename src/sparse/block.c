// SPDX-License-Identifier: Apache-2.0
// The numbers of the block LU, node by node. With D the diagonal block of a node, L below, U right of it:
//   D := D^-1,   L := L D,   (rows, columns) -= L U into the nodes that own them
//   solve:  x_rows -= L x_pivots, downwards;  x_pivots := D (x_pivots - U x_rows), upwards
// D is inverted by Gauss and Jordan with row pivoting, scaled so that its size tells how near to singular
// it is. Kernels are one text, compiled for the sizes that matter.
#include "block.h"

#include <math.h>
#include <string.h>

#include "math/lanes.h"

enum { WIDTH = 16 };
// One text, compiled for the widths and sizes of runs that matter.
#define BY_SHAPE(s, plain, lanes_of, ...)                            \
  do {                                                               \
    const block_kind *k = (const block_kind *)(b->kind + (s)->kind); \
    if (k->lanes) {                                                  \
      switch (k->width) {                                            \
        case 2: lanes_of(s, k, 2, __VA_ARGS__); break;               \
        case 3: lanes_of(s, k, 3, __VA_ARGS__); break;               \
        default: lanes_of(s, k, k->width, __VA_ARGS__);              \
      }                                                              \
      break;                                                         \
    }                                                                \
    switch (16 * k->width + (k->uniform < 16 ? k->uniform : 0)) {    \
      case 16 * 1 + 1: plain(s, k, 1, 1, __VA_ARGS__); break;        \
      case 16 * 1 + 2: plain(s, k, 1, 2, __VA_ARGS__); break;        \
      case 16 * 2 + 2: plain(s, k, 2, 2, __VA_ARGS__); break;        \
      case 16 * 2 + 3: plain(s, k, 2, 3, __VA_ARGS__); break;        \
      case 16 * 3 + 3: plain(s, k, 3, 3, __VA_ARGS__); break;        \
      case 16 * 4 + 2: plain(s, k, 4, 2, __VA_ARGS__); break;        \
      default: /* runs that differ */                                \
        switch (k->width) {                                          \
          case 1: plain(s, k, 1, 0, __VA_ARGS__); break;             \
          case 2: plain(s, k, 2, 0, __VA_ARGS__); break;             \
          case 3: plain(s, k, 3, 0, __VA_ARGS__); break;             \
          case 4: plain(s, k, 4, 0, __VA_ARGS__); break;             \
          case 5: plain(s, k, 5, 0, __VA_ARGS__); break;             \
          case 6: plain(s, k, 6, 0, __VA_ARGS__); break;             \
          default: plain(s, k, k->width, 0, __VA_ARGS__);            \
        }                                                            \
    }                                                                \
  } while (0)
#define FIXED static inline __attribute__((always_inline))

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
    note(sq, report);
  }
  note(sa, report), note(sp, report);
  report->largest = largest > report->largest ? largest : report->largest;
  return true;
}

// The same without, for as long as the pivots on the diagonal are not much smaller than what is below.
FIXED bool invert(int w, const double *d, double *restrict D, block_report *report) {
  double B[WIDTH * WIDTH];
  if ((w == 2 || w == 3) && invert_small(w, d, D, report)) return true;
  block_report before = *report;
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
      *report = before;
      return invert_pivoting(w, d, D, report);
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

// C (rows x columns, stride ld) -= A (rows x w) B (w x columns, stride ldb)
FIXED void subtract(int rows, int w, int columns, const double *restrict A,
                    const double *restrict B, int ldb, double *restrict C, int ld) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      double sum = A[i * w] * B[j];
      for (int k = 1; k < w; k++) sum += A[i * w + k] * B[k * ldb + j];
      C[i * ld + j] -= sum;
    }
}

// The same for large blocks: 2 x 4 entries of C at a time.
static void subtract_large(int rows, int w, int columns, const double *restrict A,
                           const double *restrict B, int ldb, double *restrict C, int ld) {
  int i = 0;
  for (; i + 2 <= rows; i += 2) {
    int j = 0;
    for (; j + 4 <= columns; j += 4) {
      double s[4] = {0}, t[4] = {0};
      for (int k = 0; k < w; k++) {
        double a = A[i * w + k], b = A[(i + 1) * w + k];
        for (int l = 0; l < 4; l++) s[l] += a * B[k * ldb + j + l], t[l] += b * B[k * ldb + j + l];
      }
      for (int l = 0; l < 4; l++) C[i * ld + j + l] -= s[l], C[(i + 1) * ld + j + l] -= t[l];
    }
    if (j < columns) {
      subtract(1, w, columns - j, A + i * w, B + j, ldb, C + i * ld + j, ld);
      subtract(1, w, columns - j, A + (i + 1) * w, B + j, ldb, C + (i + 1) * ld + j, ld);
    }
  }
  if (i < rows) subtract(1, w, columns, A + i * w, B, ldb, C + i * ld, ld);
}

// size: of all runs, 0: they differ.
FIXED bool factor_node(const block_node *s, const block_kind *kind, int w, int size,
                       const double *d, double *F, block_report *report) {
  double *D = F + s->at, *L = D + w * w;
  const double *U = L + kind->rows * w;
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
  const block_run *run = kind->run;
  const block_target *target = block_targets(kind);
  for (int i = 0; i < kind->runs; i++)
    for (int j = 0; j < kind->runs; j++, target++) {
      int ld = target->step;
      double *C = D + target->at;
      const double *A = L + run[i].row * w, *B = U + run[j].row;
      if (size > 0)
        subtract(size, w, size, A, B, kind->rows, C, ld);
      else if (w >= 4 && run[j].size >= 4)
        subtract_large(run[i].size, w, run[j].size, A, B, kind->rows, C, ld);
      else
        subtract(run[i].size, w, run[j].size, A, B, kind->rows, C, ld);
    }
  return true;
}

FIXED bool factor_lanes(const block_node *s, const block_kind *kind, int w, const double *d,
                        double *F, block_report *report) {
  double *D = F + s->at, *L = D + w;
  const double *U = L + kind->runs * w;
  for (int l = 0; l < w; l++) {
    double size = fabs(D[l]) * d[l] * d[l];
    if (!(size > 0)) return false;
    note(size, report);
    D[l] = 1 / D[l];
  }
  const block_target *target = block_targets(kind);
  for (int i = 0; i < kind->runs; i++) {
    for (int l = 0; l < w; l++) L[i * w + l] *= D[l];
    for (int j = 0; j < kind->runs; j++, target++)
      for (int l = 0; l < w; l++) D[target->at + l * target->step] -= L[i * w + l] * U[j * w + l];
  }
  return true;
}

// What node s takes from the diagonals below it, in absolute value, to sum (n).
static void add_sizes(const tr_blocks *b, const block_node *s, const double *F, double *sum) {
  const block_kind *kind = (const block_kind *)(b->kind + s->kind);
  int w = kind->width;
  const double *L = F + s->at + (kind->lanes ? w : w * w);
  const double *U = L + (kind->lanes ? kind->runs : kind->rows) * w;
  sum += s->first;
  for (int r = 0; r < kind->runs; r++) {
    const block_run *run = kind->run + r;
    for (int i = 0; i < run->size; i++) {
      double x = 0;
      if (kind->lanes) x = L[r * w + i] * U[r * w + i];
      for (int k = 0; k < w && !kind->lanes; k++)
        x += L[(run->row + i) * w + k] * U[k * kind->rows + run->row + i];
      sum[run->first + i] += fabs(x);
    }
  }
}

// d (width of the node) from the sums in it, to which pivots of the same node add.
static void scale_node(const tr_blocks *b, const block_node *s, const double *F, double *d) {
  const block_kind *kind = (const block_kind *)(b->kind + s->kind);
  int w = kind->width;
  const double *D = F + s->at;
  for (int i = 0; i < w; i++) {
    for (int k = 0; k < i && !kind->lanes; k++)
      d[i] += fabs(D[i * w + k] * D[k * w + i]) * d[k] * d[k];
    d[i] = 1 / sqrt(d[i]);
  }
}

// In measured plans d (n) holds the sums until the node's turn has come.
FIXED void factor_all(const tr_blocks *b, double *scale, double *F, block_report *report,
                      bool *ok) {
  for (const block_node *s = b->node; s < b->node + b->nodes && *ok; s++) {
    double *d = scale + s->first;
    if (b->measured) scale_node(b, s, F, d);
    BY_SHAPE(s, *ok = factor_node, *ok = factor_lanes, d, F, report);
    if (b->measured && *ok) add_sizes(b, s, F, scale);
  }
}

TR_WIDE(factor_nodes, factor_all,
        (const tr_blocks *b, double *scale, double *F, block_report *report, bool *ok),
        (b, scale, F, report, ok))

void tr_blocks_slots(const tr_blocks *b, const tr_pattern *p, int *slot) {
  for (int j = 0; j < p->n; j++)
    for (int k = p->column[j]; k < p->column[j + 1]; k++)
      slot[k] = b->column[2 * j] + b->offsets[b->column[2 * j + 1] + k - p->column[j]];
}

void tr_blocks_fill(const tr_blocks *b, const tr_pattern *p, const double *values, double *F) {
  memset(F, 0, (size_t)b->numbers * sizeof *F);
  for (int j = 0; j < b->n; j++) {
    const int *offset = b->offsets + b->column[2 * j + 1];
    double *first = F + b->column[2 * j];
    for (int k = p->column[j]; k < p->column[j + 1]; k++) first[*offset++] = values[k];
  }
}

bool tr_blocks_factor(const tr_blocks *b, double *d, double *F, block_report *report) {
  bool ok = true;
  *report = (block_report){.least = INFINITY};
  for (int s = 0; b->measured && s < b->nodes; s++) {
    const block_node *node = &b->node[s];
    const block_kind *kind = (const block_kind *)(b->kind + node->kind);
    for (int k = 0; k < kind->width; k++)
      d[node->first + k] = fabs(F[node->at + (kind->lanes ? k : k * (kind->width + 1))]);
  }
  factor_nodes(b, d, F, report, &ok);
  return ok && isfinite(report->most + report->largest);
}

// ---- solve ----------------------------------------------------------------------------------------

#define NUMBER double
#define NAMED(name) name
#include "block_sweep.h"
#undef NUMBER
#undef NAMED
TR_WIDE(sweep, sweep_all, (const tr_blocks *b, const double *F, double *x), (b, F, x))

typedef double pair __attribute__((vector_size(16)));
#define NUMBER pair
#define NAMED(name) name##_pair
#include "block_sweep.h"
TR_WIDE(sweep_pair, sweep_all_pair, (const tr_blocks *b, const double *F, pair *x), (b, F, x))

void tr_blocks_solve(const tr_blocks *b, const double *F, double *x, int count, double *rhs) {
  int n = b->n;
  for (; count >= 2; count -= 2, rhs += 2 * n) {
    const double *from = rhs;
    double *second = rhs + n;
    for (int k = 0; k < n; k++) {
      int j = b->order[k];
      x[2 * k] = from[j], x[2 * k + 1] = second[j];
    }
    sweep_pair(b, F, (pair *)x);
    for (int k = 0; k < n; k++) {
      int j = b->order[k];
      double u = x[2 * k], v = x[2 * k + 1]; // order is not reread for the stores
      rhs[j] = u, second[j] = v;
    }
  }
  if (count == 0) return;
  for (int k = 0; k < n; k++) x[k] = rhs[b->order[k]];
  sweep(b, F, x);
  for (int k = 0; k < n; k++) rhs[b->order[k]] = x[k];
}
