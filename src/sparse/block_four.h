// SPDX-License-Identifier: Apache-2.0
// Four nodes of one kind that do not see each other, one in each lane, as those of bodies along a chain (block_window.h).
// Each number is what block.c makes of it for one node. Included by block.c, compiled for the shapes that matter.

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

// As `invert`, w <= 3; false: in one of the lanes this is no way.
FIXED bool invert_four(int w, const double *scale, int next, lanes *D, four_report *r) {
  lanes sa, a = D[0], d0, d1, d2;
  gather(scale, next, &d0);
  gather(scale + (w > 1), next, &d1), gather(scale + (w > 2 ? 2 : 0), next, &d2);
  size_of(&a, &d0, &sa);
  lanes_mask good = sa > 0;
  if (w == 1) {
    if (!lanes_all(&good)) return false;
    note_four(&sa, r), lanes_raise(&sa, &r->largest);
    D[0] = 1 / a;
    return true;
  }
  lanes b = D[1], c = D[w], e = D[w + 1], m = a * e - b * c, p = m / a, se, sp;
  size_of(&e, &d1, &se), size_of(&p, &d1, &sp);
  good &= (m != 0) & (sp > SMALL_PIVOT * se);
  fit_four(&c, &d1, &a, &d0, &good);
  if (w == 2) {
    if (!lanes_all(&good)) return false;
    lanes f = 1 / m;
    D[0] = e * f, D[1] = -b * f, D[2] = -c * f, D[3] = a * f;
  } else {
    lanes f = D[2], g = D[5], h = D[6], k = D[7], l = D[8], below = a * k - b * h;
    lanes c0 = e * l - g * k, c1 = g * h - c * l, c2 = c * k - e * h;
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

// The products of run i, of m rows, and run j, of n columns.
FIXED void scatter_four(int m, int n, const lanes *x, const block_target *target, double *D,
                        int step) {
  double *to = D + target->at;
  if (target->step == n) {
    subtract_four(m * n, x, to, step);
    return;
  }
#pragma GCC unroll 4
  for (int i = 0; i < m; i++) subtract_four(n, x + i * n, to + i * target->step, step);
}

// Nodes of w pivots, their first run of `one` rows, the second of two, or 0. False: nothing was done.
FIXED bool factor_four_of(const block_kind *kind, int w, int one, int two, int step,
                          const double *d, int next, double *D, four_report *r) {
  int rows = one + two, runs = two > 0 ? 2 : 1;
  lanes x[9 + 2 * 3 * 6];
  const lanes *L = x + w * w, *U = L + rows * w;
  load_four(w * (w + 2 * rows), D, step, x);
  if (!invert_four(w, d, next, x, r)) return false;
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) {
    lanes *row = x + w * (w + i), a = row[0], b = w > 1 ? row[1] : a, c = w > 2 ? row[2] : a;
    for (int j = 0; j < w; j++) {
      lanes sum = a * x[j];
      if (w > 1) sum += b * x[w + j];
      if (w > 2) sum += c * x[2 * w + j];
      row[j] = sum;
    }
  }
  store_four(w * (w + rows) < LANES ? LANES : w * (w + rows), x, D, step);
  const block_target *target = block_targets(kind);
#pragma GCC unroll 4
  for (int b = 0; b < runs * runs; b++, target++) {
    bool down = b >= runs, right = b % runs > 0;
    int m = down ? two : one, n = right ? two : one;
    lanes p[9];
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        const lanes *row = L + w * (i + (down ? one : 0)), *column = U + j + (right ? one : 0);
        lanes sum = row[0] * column[0];
        if (w > 1) sum += row[1] * column[rows];
        if (w > 2) sum += row[2] * column[2 * rows];
        p[i * n + j] = sum;
      }
    scatter_four(m, n, p, target, D, step);
  }
  return true;
}

// Nodes of w lanes.
FIXED bool factor_four_lanes(const block_kind *kind, int w, int runs, int step, const double *d,
                             int next, double *D, four_report *r) {
  lanes x[3 + 2 * 9];
  lanes_mask good = {-1, -1, -1, -1};
  four_report met = *r;
  load_four(w + 2 * runs * w, D, step, x);
  for (int l = 0; l < w; l++) {
    lanes scale, size;
    gather(d + l, next, &scale);
    size_of(x + l, &scale, &size);
    good &= size > 0;
    note_four(&size, &met);
    x[l] = 1 / x[l];
  }
  if (!lanes_all(&good)) return false;
  *r = met;
  for (int i = 0; i < runs * w; i++) x[w + i] *= x[i % w];
  store_four(w + runs * w, x, D, step);
  const lanes *L = x + w, *U = L + runs * w;
  const block_target *target = block_targets(kind);
#pragma GCC unroll 9
  for (int b = 0; b < runs * runs; b++, target++) {
    const lanes *row = L + b / runs * w, *column = U + b % runs * w;
    for (int l = 0; l < w; l++) {
      lanes p = row[l] * column[l];
      double *to = D + target->at + (ptrdiff_t)l * target->step;
      for (int i = 0; i < LANES; i++) to[i * step] -= p[i];
    }
  }
  return true;
}

// Node s and those of the three periods to come. False: nothing was done.
FIXED bool factor_four(const tr_blocks *b, const block_node *s, int period, const double *scale,
                       double *F, four_report *r) {
  const block_kind *kind = (const block_kind *)(b->kind + s->kind);
  int step = s[period].at - s->at, next = s[period].first - s->first;
  const double *d = scale + s->first;
  double *D = F + s->at;
#define SHAPE(w, one, two)        \
  case BLOCK_##w##_##one##_##two: \
    return factor_four_of(kind, w, one, two, step, d, next, D, r);
#define LANE(w, runs) \
  case BLOCK_LANES_##w##_##runs: return factor_four_lanes(kind, w, runs, step, d, next, D, r);
  switch (kind->shape) {
    BLOCK_FOURS(SHAPE)
    BLOCK_FOUR_LANES(LANE)
    default: return false;
  }
#undef SHAPE
#undef LANE
}

// One alone.
FIXED void factor_one(const tr_blocks *b, const block_node *s, const double *scale, double *F,
                      block_report *report, bool *ok) {
  const double *d = scale + s->first;
  bool good = *ok;
  if (good) BY_SHAPE(s, good = factor_node, good = factor_lanes, d, F, report, false, 0);
  *ok = good;
}

// The one of each period that is not free.
FIXED void factor_rest(const tr_blocks *b, const block_node *s, int period, const double *scale,
                       double *F, block_report *report, bool *ok) {
  const block_kind *kind = (const block_kind *)(b->kind + s->kind);
  bool good = *ok;
#define SHAPE(w, one, two)                                                        \
  case BLOCK_##w##_##one##_##two:                                                 \
    for (int i = 0; i < BLOCK_FOUR && good; i++, s += period)                     \
      good = factor_node(s, kind, w, one, scale + s->first, F, report, false, 0); \
    break;
  switch (kind->shape) {
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
  block_report met = *report;
  int period = window->period;
  bool good = true;
  if (b->numbers > FAR) fetch_window(b, window, F, AHEAD);
  for (int o = 0; o < period; o++) {
    if (o == window->rest || factor_four(b, s + o, period, scale, F, &r)) continue;
    for (int i = 0; i < BLOCK_FOUR; i++) factor_one(b, s + o + i * period, scale, F, &met, &good);
  }
  factor_rest(b, s + window->rest, period, scale, F, &met, &good);
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
