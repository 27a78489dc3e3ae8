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

// What goes to the last nodes of four periods: D, L and U of their own, D of the next.
typedef struct four_sums {
  lanes D[9], L[9], U[9], next[9];
} four_sums;

// Where the product of rows of one run and columns of another, n of them, goes, and from one row to the next.
FIXED double *sum_at(four_sums *sums, run_place row, run_place column, int n,
                     const block_target *target, double *D, int *step) {
  *step = target->step;
  if (row == RUN_FREE || column == RUN_FREE) return D + target->at;
  *step = LANES * n;
  if (row == RUN_NEXT) return (double *)(column == RUN_NEXT ? sums->next : sums->L);
  return (double *)(column == RUN_NEXT ? sums->U : sums->D);
}

// Nodes of w pivots, their first run of `one` rows, the second of two, or 0.
FIXED bool factor_four_of(const block_kind *kind, int w, int one, int two, const run_place *place,
                          const double *d, double *D, four_sums *sums, four_report *r,
                          block_report *report) {
  int rows = one + two, runs = two > 0 ? 2 : 1;
  double *at = D + LANES * w * w;
  const double *U = at + LANES * rows * w;
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
  const block_target *target = block_targets(kind);
#pragma GCC unroll 4
  for (int b = 0; b < runs * runs; b++, target++) {
    bool down = b >= runs, right = b % runs > 0;
    int m = down ? two : one, n = right ? two : one;
    int step;
    double *to = sum_at(sums, place[down], place[right], n, target, D, &step);
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
FIXED bool factor_four_lanes(const block_kind *kind, int w, int runs, const run_place *place,
                             const double *d, double *D, four_sums *sums, four_report *r) {
  double *at = D + LANES * w;
  const double *U = at + LANES * runs * w;
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
  const block_target *target = block_targets(kind);
#pragma GCC unroll 4
  for (int b = 0; b < runs * runs; b++, target++) {
    int step;
    double *to = sum_at(sums, place[b / runs], place[b % runs], w + 1, target, D, &step);
    for (int l = 0; l < w; l++, to += step)
      AT(to) -= L[b / runs * w + l] * OF(U + LANES * (b % runs * w + l));
  }
  return lanes_all(&good);
}

// Free node s of the first period and those of the others.
FIXED bool factor_four(const tr_blocks *b, const block_window *window, const block_node *s,
                       const double *scale, double *F, four_sums *sums, four_report *r,
                       block_report *report) {
  const block_kind *kind = (const block_kind *)(b->kind + s->kind);
  run_place place[2] = {place_of(b, window, s, kind, 0),
                        place_of(b, window, s, kind, kind->runs > 1)};
  const double *d = scale + s->first;
  double *D = F + s->at;
#define SHAPE(w, one, two)        \
  case BLOCK_##w##_##one##_##two: \
    return factor_four_of(kind, w, one, two, place, d, D, sums, r, report);
#define LANE(w, runs) \
  case BLOCK_LANES_##w##_##runs: return factor_four_lanes(kind, w, runs, place, d, D, sums, r);
  switch (kind->shape) {
    BLOCK_FOURS(SHAPE)
    BLOCK_FOUR_LANES(LANE)
    default: __builtin_unreachable();
  }
#undef SHAPE
#undef LANE
}

// The sums to the numbers of the last nodes, w pivots each, and that of the fourth to the node to come.
FIXED void spend(int w, four_sums *sums, double *D, double *next) {
  int n = w * w;
  lanes x[3 * 9];
  for (int i = 0; i < n; i++) {
    lanes later;
    lanes_later(&sums->next[i], &later);
    x[i] = sums->D[i] + later, x[n + i] = sums->L[i], x[2 * n + i] = sums->U[i];
    next[i] += sums->next[i][LANES - 1];
  }
  for (int k = 0; k < 3 * n; k += LANES) {
    int at = k + LANES <= 3 * n ? k : 3 * n - LANES; // once more the last ones, of which nothing is left
    lanes y[LANES] = {x[at], x[at + 1], x[at + 2], x[at + 3]};
    for (int i = 0; i < k - at; i++) y[i] = (lanes){0};
    lanes_transpose(y);
    for (int l = 0; l < LANES; l++) AT(D + 3 * n * l + at) += y[l];
  }
}

// The last nodes of all periods.
FIXED void factor_rest(const tr_blocks *b, const block_window *window, const double *scale,
                       four_sums *sums, double *F, block_report *report, bool *ok) {
  int period = window->period;
  const block_node *s = b->node + window->node + period - 1;
  const block_kind *kind;
  bool good = *ok;
#define SHAPE(w, one, two)                                                        \
  case BLOCK_##w##_##one##_##two:                                                 \
    spend(w, sums, F + s->at, F + b->node[window->next].at);                      \
    for (int i = 0; i < BLOCK_FOUR && good; i++, s += period) {                   \
      kind = (const block_kind *)(b->kind + s->kind);                             \
      good = factor_node(s, kind, w, one, scale + s->first, F, report, false, 0); \
    }                                                                             \
    break;
  switch (((const block_kind *)(b->kind + s->kind))->shape) {
    BLOCK_RESTS(SHAPE)
    default: __builtin_unreachable();
  }
#undef SHAPE
  *ok = good;
}

FIXED void factor_all_of(const tr_blocks *b, const block_window *window, const double *scale,
                         double *F, block_report *report, bool *ok) {
  const block_node *s = b->node + window->node;
  lanes least = {report->least, report->least, report->least, report->least}, none = {0};
  four_report r = {least, none, none};
  four_sums sums = {0};
  block_report met = *report;
  bool good = true;
  if (b->numbers > FAR) fetch_window(b, window, F, AHEAD);
  for (int o = 0; o < window->period - 1 && good; o++)
    good = factor_four(b, window, s + o, scale, F, &sums, &r, &met);
  factor_rest(b, window, scale, &sums, F, &met, &good);
  lanes most = {met.most, met.most, met.most, met.most};
  for (int l = 0; l < LANES; l++) met.least = r.least[l] < met.least ? r.least[l] : met.least;
  lanes_raise(&most, &r.most);
  met.most = lanes_top(&r.most);
  double largest = lanes_top(&r.largest);
  met.largest = largest > met.largest ? largest : met.largest;
  *report = met, *ok = good;
}
TR_WIDE(factor_window, factor_all_of,
        (const tr_blocks *b, const block_window *window, const double *scale, double *F,
         block_report *report, bool *ok),
        (b, window, scale, F, report, ok))
