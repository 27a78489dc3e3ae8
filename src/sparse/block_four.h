// SPDX-License-Identifier: Apache-2.0
// Four nodes of one kind that do not see each other, one in each lane, as those of bodies along a chain (block_window.h).
// What they subtract from the last nodes of their periods is summed up before. Included by block.c, compiled for the
// shapes that matter.

typedef struct four_report {
  lanes least, most, largest;
} four_report;

FIXED void size_of(const lanes *x, const lanes *d, lanes *size) {
  *size = (lanes)((lanes_mask)*x & 0x7fffffffffffffffll) * *d * *d;
}

FIXED void lower(const lanes *x, lanes *least) {
  lanes_mask less = *x < *least;
  *least = (lanes)(((lanes_mask)*x & less) | ((lanes_mask)*least & ~less));
}

FIXED void note_four(const lanes *size, four_report *r) {
  lower(size, &r->least), lanes_raise(size, &r->most);
}

// As `fits`.
FIXED void fit_four(const lanes *below, const lanes *di, const lanes *pivot, const lanes *dc,
                    lanes_mask *good) {
  lanes b = (lanes)((lanes_mask)*below & 0x7fffffffffffffffll) * *di;
  lanes p = 8 * (lanes)((lanes_mask)*pivot & 0x7fffffffffffffffll) * *dc;
  *good &= b <= p;
}

// As `invert`, w <= 3, d: four of each; false: in one of the lanes this is no way.
FIXED bool invert_four(int w, const double *d, lanes *D, four_report *r) {
  lanes sa, a = D[0], d0 = OF(d);
  size_of(&a, &d0, &sa);
  lanes_mask good = sa > 0;
  if (w == 1) {
    if (!lanes_all(&good)) return false;
    note_four(&sa, r), lanes_raise(&sa, &r->largest);
    D[0] = 1 / a;
    return true;
  }
  lanes b = D[1], c = D[w], e = D[w + 1], m = a * e - b * c, p = m / a, se, sp, d1 = OF(d + LANES);
  size_of(&e, &d1, &se), size_of(&p, &d1, &sp);
  good &= (m != 0) & (sp > SMALL_PIVOT * se);
  fit_four(&c, &d1, &a, &d0, &good);
  if (w == 2) {
    if (!lanes_all(&good)) return false;
    lanes f = 1 / m;
    D[0] = e * f, D[1] = -b * f, D[2] = -c * f, D[3] = a * f;
  } else {
    lanes f = D[2], g = D[5], h = D[6], k = D[7], l = D[8], below = a * k - b * h;
    lanes c0 = e * l - g * k, c1 = g * h - c * l, c2 = c * k - e * h, d2 = OF(d + 2 * LANES);
    lanes det = a * c0 + b * c1 + f * c2, q = det / m, sl, sq;
    size_of(&l, &d2, &sl), size_of(&q, &d2, &sq);
    good &= (det != 0) & (sq > SMALL_PIVOT * sl);
    fit_four(&h, &d2, &a, &d0, &good), fit_four(&below, &d2, &m, &d1, &good);
    if (!lanes_all(&good)) return false;
    lanes s = 1 / det;
    D[0] = c0 * s, D[1] = (f * k - b * l) * s, D[2] = (b * g - f * e) * s;
    D[3] = c1 * s, D[4] = (a * l - f * h) * s, D[5] = (f * c - a * g) * s;
    D[6] = c2 * s, D[7] = -below * s, D[8] = m * s;
    note_four(&sq, r), lanes_raise(&sl, &r->largest);
  }
  note_four(&sa, r), note_four(&sp, r);
  lanes_raise(&sa, &r->largest), lanes_raise(&se, &r->largest);
  return true;
}

TR_APART bool invert_one(const double *d, double *D, block_report *report) {
  return invert(3, d, D, report);
}

// The same one by one, with pivoting.
TR_APART bool invert_each(int w, const double *d, double *D, block_report *report) {
  bool good = true;
  for (int l = 0; l < LANES && good; l++) {
    double B[9], scale[3];
    for (int i = 0; i < w * w; i++) B[i] = D[LANES * i + l];
    for (int i = 0; i < w; i++) scale[i] = d[LANES * i + l];
    good = invert(w, scale, B, report);
    for (int i = 0; i < w * w; i++) D[LANES * i + l] = B[i];
  }
  return good;
}

// ---- the last nodes of a window, of three pivots ---------------------------------------------------

// x, y, z, . -> y, z, x, .
FIXED void turn(const lanes *a, lanes *b) { *b = __builtin_shufflevector(*a, *a, 1, 2, 0, 3); }
FIXED void cross(const lanes *a, const lanes *b, lanes *c) {
  lanes x, y, z;
  turn(a, &x), turn(b, &y);
  z = *a * y - x * *b;
  turn(&z, c);
}

FIXED void write_three(const lanes *x, double *to) {
  AT(to) = x[0], AT(to + 3) = x[1];
  *(lanes_pair *)(to + 6) = __builtin_shufflevector(x[2], x[2], 0, 1), to[8] = x[2][2];
}
FIXED void transpose_three(lanes *x) {
  lanes y[LANES] = {x[0], x[1], x[2], x[2]};
  lanes_transpose(y);
  x[0] = y[0], x[1] = y[1], x[2] = y[2];
}

// As invert_small: rows D become columns of the inverse over f. False: D is as it was.
FIXED bool invert_three(const double *d, lanes *D, double *f, four_report *r) {
  lanes C[3], scale = {d[0], d[1], d[2], d[0]}, S, T, pivots, below, beside, by, size;
  cross(&D[1], &D[2], &C[0]), cross(&D[2], &D[0], &C[1]), cross(&D[0], &D[1], &C[2]);
  lanes product = D[0] * C[0];
  double a = D[0][0], m = C[2][2], det = product[0] + product[1] + product[2];
  pivots = (lanes){a, m / a, det / m, a};
  size_of(&pivots, &scale, &S);
  pivots = (lanes){a, D[1][1], D[2][2], a};
  size_of(&pivots, &scale, &T);
  below = (lanes){D[1][0], D[2][0], C[1][2], 0}, by = (lanes){d[1], d[2], d[2], 0};
  beside = (lanes){a, a, m, a}, size = (lanes){d[0], d[0], d[1], d[0]};
  lanes_mask good = (S > SMALL_PIVOT * T) & (beside != 0);
  fit_four(&below, &by, &beside, &size, &good);
  if (!lanes_all(&good) || det == 0) return false;
  note_four(&S, r), lanes_raise(&T, &r->largest);
  *f = 1 / det;
  for (int k = 0; k < 3; k++) D[k] = C[k];
  return true;
}

// D (3 x 3), behind them U, and L of four nodes that follow each other, each writes to D of the next, the last one to `next`.
// They come by rows and go by columns. Each waits for the one before: 1 / det comes last of all.
FIXED bool factor_columns(const double *d, double *at, double *low, double *next, four_report *r,
                          block_report *report) {
  lanes D[3];
  read_three(at, D);
  for (int l = 0; l < BLOCK_FOUR; l++, at += 9, low += 9, d += 3) {
    lanes L[3], U[3], LD[3];
    double one = 1;
    if (!invert_three(d, D, &one, r)) {
      write_three(D, at);
      if (!invert_one(d, at, report)) return false;
      read_three(at, D), transpose_three(D);
    }
    lanes f = {one, one, one, one};
    read_three(low, L), read_three(at + 4 * 9, U);
    transpose_three(L);
    for (int k = 0; k < 3; k++) combine_three(L, &D[k], &LD[k]);
    for (int k = 0; k < 3; k++) D[k] *= f;
    write_three(D, at);
    read_three(l < BLOCK_FOUR - 1 ? at + 9 : next, D);
#define ROW(k) \
  D[k] -= (U[0] * EVERY(LD[0], k) + U[1] * EVERY(LD[1], k) + U[2] * EVERY(LD[2], k)) * f
    ROW(0), ROW(1), ROW(2);
#undef ROW
    for (int k = 0; k < 3; k++) LD[k] *= f;
    write_three(LD, low);
    transpose_three(U);
    write_three(U, at + 4 * 9);
  }
  write_three(D, next);
  return true;
}

// The same of w pivots, and all by rows.
FIXED bool factor_rows(int w, const double *d, double *D, double *L, double *next,
                       block_report *report) {
  int n = w * w;
  for (int l = 0; l < BLOCK_FOUR; l++, D += n, L += n, d += w) {
    double I[9], row[3], *to = l < BLOCK_FOUR - 1 ? D + n : next;
    const double *U = D + BLOCK_FOUR * n;
    for (int i = 0; i < n; i++) I[i] = D[i];
    if (!invert(w, d, I, report)) return false;
    for (int i = 0; i < n; i++) D[i] = I[i];
    for (int i = 0; i < w; i++) {
      for (int j = 0; j < w; j++) {
        row[j] = L[i * w] * I[j];
        for (int k = 1; k < w; k++) row[j] += L[i * w + k] * I[k * w + j];
      }
      for (int j = 0; j < w; j++) L[i * w + j] = row[j];
      for (int j = 0; j < w; j++) {
        double sum = row[0] * U[j];
        for (int k = 1; k < w; k++) sum += row[k] * U[k * w + j];
        to[i * w + j] -= sum;
      }
    }
  }
  return true;
}

// What goes to the last nodes of four periods: D, U and L of their own, D of the next, w x w each.
enum { SUM_D, SUM_U, SUM_L, SUM_NEXT, SUMS };

// Where the product of rows of one run and columns of another, n of them, goes, and from one row to the next.
FIXED double *sum_at(lanes *sums, int w, run_place row, run_place column, int n,
                     const block_target *target, double *D, int *step) {
  *step = target->step;
  if (row == RUN_FREE || column == RUN_FREE) return D + target->at;
  int sum = (row == RUN_NEXT ? SUM_L : 0) | (column == RUN_NEXT ? SUM_U : 0);
  *step = LANES * n;
  return (double *)(sums + w * w * sum);
}

// Nodes of w pivots, their first run of `one` rows, the second of two, or 0. at: of L
FIXED bool factor_four_of(const four_op *op, int w, int one, int two, const double *d, double *D,
                          double *at, lanes *sums, four_report *r, block_report *report) {
  int rows = one + two, runs = two > 0 ? 2 : 1;
  const double *U = D + LANES * w * w;
  lanes I[9], L[6 * 3];
  for (int i = 0; i < w * w; i++) I[i] = OF(D + LANES * i);
  if (!invert_four(w, d, I, r)) {
    if (!invert_each(w, d, D, report)) return false;
    for (int i = 0; i < w * w; i++) I[i] = OF(D + LANES * i);
  }
  for (int i = 0; i < w * w; i++) AT(D + LANES * i) = I[i];
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++, at += LANES * w) {
    lanes a = OF(at), b = OF(at + (w > 1 ? LANES : 0)), c = OF(at + (w > 2 ? 2 * LANES : 0));
    for (int j = 0; j < w; j++) {
      lanes sum = a * I[j];
      if (w > 1) sum += b * I[w + j];
      if (w > 2) sum += c * I[2 * w + j];
      L[i * w + j] = sum, AT(at + LANES * j) = sum;
    }
  }
  const block_target *target = block_targets(op->kind);
#pragma GCC unroll 4
  for (int b = 0; b < runs * runs; b++, target++) {
    bool down = b >= runs, right = b % runs > 0;
    int m = down ? two : one, n = right ? two : one;
    int step;
    double *to = sum_at(sums, one, op->place[down], op->place[right], n, target, D, &step);
    for (int i = 0; i < m; i++, to += step)
      for (int j = 0; j < n; j++) {
        const lanes *row = L + w * (i + (down ? one : 0));
        const double *column = U + LANES * (j + (right ? one : 0));
        lanes sum = row[0] * OF(column);
        if (w > 1) sum += row[1] * OF(column + LANES * rows);
        if (w > 2) sum += row[2] * OF(column + 2 * LANES * rows);
        AT(to + LANES * j) -= sum;
      }
  }
  return true;
}

// Nodes of w lanes.
FIXED bool factor_four_lanes(const four_op *op, int w, int runs, const double *d, double *D,
                             double *at, lanes *sums, four_report *r) {
  const double *U = D + LANES * w;
  lanes_mask good = {-1, -1, -1, -1};
  lanes I[3], L[2 * 3];
  for (int l = 0; l < w; l++) {
    lanes x = OF(D + LANES * l), scale = OF(d + LANES * l), size;
    size_of(&x, &scale, &size);
    good &= size > 0;
    note_four(&size, r);
    I[l] = 1 / x, AT(D + LANES * l) = I[l];
  }
  for (int i = 0; i < runs * w; i++)
    L[i] = OF(at + LANES * i) * I[i % w], AT(at + LANES * i) = L[i];
  const block_target *target = block_targets(op->kind);
#pragma GCC unroll 4
  for (int b = 0; b < runs * runs; b++, target++) {
    int step;
    run_place row = op->place[b / runs], column = op->place[b % runs];
    double *to = sum_at(sums, w, row, column, w + 1, target, D, &step);
    for (int l = 0; l < w; l++, to += step)
      AT(to) -= L[b / runs * w + l] * OF(U + LANES * (b % runs * w + l));
  }
  return lanes_all(&good);
}

// A free node of the first period and those of the others; d, F: of the window.
FIXED bool factor_four(const four_op *op, const double *d, double *F, lanes *sums, four_report *r,
                       block_report *report) {
  double *D = F + op->at, *L = F + op->low;
  d += op->x;
#define SHAPE(w, one, two)        \
  case BLOCK_##w##_##one##_##two: \
    return factor_four_of(op, w, one, two, d, D, L, sums, r, report);
#define LANE(w, runs) \
  case BLOCK_LANES_##w##_##runs: return factor_four_lanes(op, w, runs, d, D, L, sums, r);
  switch (op->shape) {
    BLOCK_FOURS(SHAPE)
    BLOCK_FOUR_LANES(LANE)
    default: __builtin_unreachable();
  }
#undef SHAPE
#undef LANE
}

// n sums for each of four nodes, whose numbers are n apart: they are added there, or are all that is there.
FIXED void spread(int n, const lanes *sums, bool add, double *to) {
#pragma GCC unroll 3
  for (int k = 0; k < n; k += LANES) {
    int at = k + LANES <= n ? k : n - LANES, again = add ? k - at : 0; // have been added
    lanes y[LANES];
    for (int i = 0; i < LANES; i++) y[i] = i < again ? (lanes){0} : sums[at + i];
    lanes_transpose(y);
    for (int l = 0; l < LANES; l++)
      if (add)
        AT(to + n * l + at) += y[l];
      else
        AT(to + n * l + at) = y[l];
  }
}

// The sums to the last nodes of all periods, w pivots each, and that of the fourth to the node to come. Then these.
FIXED bool factor_last(int w, const block_window *window, const double *d, double *D, double *L,
                       double *next, lanes *sums, four_report *r, block_report *report) {
  int n = w * w;
#pragma GCC unroll 9
  for (int i = 0; i < n; i++) {
    lanes later;
    lanes_later(&sums[SUM_NEXT * n + i], &later);
    sums[i] += later;
    next[i] += sums[SUM_NEXT * n + i][LANES - 1];
  }
  spread(n, sums, true, D);
  if (window->clean)
    spread(n, sums + SUM_U * n, false, D + LANES * n), spread(n, sums + SUM_L * n, false, L);
  else
    spread(n, sums + SUM_U * n, true, D + LANES * n), spread(n, sums + SUM_L * n, true, L);
  return w == 3 ? factor_columns(d, D, L, next, r, report) : factor_rows(w, d, D, L, next, report);
}

#define SHAPE(w, one, two) \
  case BLOCK_##w##_##one##_##two: return factor_last(w, window, d, D, L, next, sums, r, report);
FIXED bool factor_rest(const tr_blocks *b, const block_window *window, const window_numbers *n,
                       const double *scale, double *F, lanes *sums, four_report *r,
                       block_report *report) {
  const block_node *s = b->node + window->node + window->period - 1;
  const double *d = scale + s->first;
  double *D = F + s->at, *L = F + b->node[window->node].at + n->rest_low;
  double *next = F + b->node[window->next].at;
  switch (((const block_kind *)(b->kind + s->kind))->shape) {
    BLOCK_RESTS(SHAPE)
    default: __builtin_unreachable();
  }
}
#undef SHAPE

// Windows from *window on that follow each other and begin before node `end`.
FIXED void factor_all_of(const tr_blocks *b, const block_window **window, int end,
                         const double *scale, double *F, block_report *report, bool *ok) {
  const block_window *w = *window;
  lanes least = {report->least, report->least, report->least, report->least}, none = {0};
  four_report r = {least, none, none};
  block_report met = *report;
  four_op op[BLOCK_PERIOD_MAX];
  window_numbers n;
  bool good = true;
  do {
    lanes sums[SUMS * 9];
    const block_node *s = b->node + w->node;
#pragma GCC unroll 36
    for (int i = 0; i < SUMS * 9; i++) sums[i] = none;
    if (w == *window || !w->alike) n = list_ops(b, w, op);
    if (b->numbers > FAR) fetch_window(F, s->at, s->at + n.end, AHEAD);
    for (int o = 0; o < w->period - 1 && good; o++)
      good = factor_four(op + o, scale + s->first, F + s->at, sums, &r, &met);
    if (good) good = factor_rest(b, w, &n, scale, F, sums, &r, &met);
    w++;
  } while (good && w->node < end && w->node == w[-1].node + BLOCK_FOUR * w[-1].period);
  *window = w;
  lanes most = {met.most, met.most, met.most, met.most};
  for (int l = 0; l < LANES; l++) met.least = r.least[l] < met.least ? r.least[l] : met.least;
  lanes_raise(&most, &r.most);
  met.most = lanes_top(&r.most);
  double largest = lanes_top(&r.largest);
  met.largest = largest > met.largest ? largest : met.largest;
  *report = met, *ok = good;
}
TR_WIDE(factor_windows, factor_all_of,
        (const tr_blocks *b, const block_window **window, int end, const double *scale, double *F,
         block_report *report, bool *ok),
        (b, window, end, scale, F, report, ok))
