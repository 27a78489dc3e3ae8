// SPDX-License-Identifier: Apache-2.0
// Splines, and the nearest foot on them. In tr_rows.own: OWN numbers per point, then blocks.
//
// On a piece of a span, of length L in u, second derivatives c2 are between those of its ends, MA and MB; m: the greater
// norm. So with its chord AB, and e = AB/L,
//   |c - chord| <= L^2 m/8,   |a.(c1 - e)| <= L/2 max |a.M| for any a,                                            (1)
//   (p - c).c2 is between the least and the greatest of (p - A or B).(MA or MB), give or take L^2 m^2/8.    (2)
// Runs of 1, 4, 16.. spans have chords, too, moved to the middle of what they stand for; no point of the curve is farther from
// them than their sag. Four at a time are a block. A run whose chord is farther away than the best foot so far, by more than its
// sag, is left alone.
// The foot is a root of g = (p - c).c1. By (1) and (2) the squared distance is convex on most pieces, g' < 0, and
// has one minimum there; else the piece is halved.
#include "curve.h"

#include <float.h>
#include <math.h>

#include "math/lanes.h"

enum { U, XX, YY, LENGTH, OWN }; // chord length, c2 there, length of the span from there on
enum { FAN = LANES, LEVELS = 16, HALVINGS = 12, ROUNDS = 60 };
// Of FAN runs: middles of their chords, directions, half lengths, sags.
enum { MX, MY, DX, DY, HALF, SAG, CHORD, BLOCK = CHORD * FAN };

static const double SIXTH = 1 / 6.0;
static const double BEYOND = 1e3;           // spans: how far an end goes on
static const double FLAT = 1e-12;           // of squared distances: not told apart
static const double SAME = 8 * DBL_EPSILON; // of squared distances: as near

static int spans(const tr_rows *r, bool closed) { return closed ? r->rows : r->rows - 1; }
static int following(const tr_rows *r, int i) { return i + 1 < r->rows ? i + 1 : 0; }
static double *blocks(const tr_rows *r) { return r->own + OWN * r->rows; }
static int upwards(int a, int b) { return (a + b - 1) / b; }
static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1]; }
static double lesser(double a, double b) { return a < b ? a : b; }
static double greater(double a, double b) { return a > b ? a : b; }

// ---- once ---------------------------------------------------------------------------------------

// Thomas' algorithm on the second derivatives M of one coordinate (column XX or YY):
//   h_i-1 M_i-1 + 2 (h_i-1 + h_i) M_i + h_i M_i+1 = 6 (s_i - s_i-1),  s slopes of the chords.
// A closed curve is relaxed by Gauss and Seidel: diagonally dominant, factor 1/2 or better
// a sweep.
static void solve(const tr_rows *r, bool closed, int axis) {
  int n = r->rows, column = XX + axis;
  const double *x = r->x + axis;
  double *own = r->own, *scratch = blocks(r);
  for (int sweep = 0; sweep < (closed ? 120 : 1); sweep++) {
    for (int i = closed ? 0 : 1; i < (closed ? n : n - 1); i++) {
      int a = i > 0 ? i - 1 : n - 1, b = following(r, i);
      double ha = own[OWN * a + LENGTH], hb = own[OWN * i + LENGTH];
      double rhs = 6 * ((x[2 * b] - x[2 * i]) / hb - (x[2 * i] - x[2 * a]) / ha);
      double before = own[OWN * a + column], after = closed ? own[OWN * b + column] : 0;
      double diagonal = 2 * (ha + hb);
      if (!closed && i > 1) diagonal -= ha * scratch[a];
      own[OWN * i + column] = (rhs - ha * before - hb * after) / diagonal;
      if (!closed) scratch[i] = hb / diagonal;
    }
  }
  for (int i = n - 2; !closed && i > 0; i--)
    own[OWN * i + column] -= scratch[i] * own[OWN * (i + 1) + column];
}

static void chord_between(const double *A, const double *B, double *chord) {
  double e[2] = {B[0] - A[0], B[1] - A[1]}, length = sqrt(dot(e, e));
  chord[MX] = 0.5 * (A[0] + B[0]), chord[MY] = 0.5 * (A[1] + B[1]), chord[HALF] = 0.5 * length;
  chord[DX] = length > 0 ? e[0] / length : 1, chord[DY] = length > 0 ? e[1] / length : 0;
}

static double beside(const double *chord, const double *p) {
  return chord[DX] * (p[1] - chord[MY]) - chord[DY] * (p[0] - chord[MX]);
}

// Squared distance of p.
static double from_chord(const double *chord, const double *p) {
  double along = chord[DX] * (p[0] - chord[MX]) + chord[DY] * (p[1] - chord[MY]);
  double over = greater(fabs(along) - chord[HALF], 0), off = beside(chord, p);
  return off * off + over * over;
}

static void move(double by, double *chord) {
  chord[MX] -= by * chord[DY], chord[MY] += by * chord[DX];
}

// c - chord = -v (h - v)/2 (M + (v/h - 1/2)/3 (Mb - Ma)),  M = (Ma + Mb)/2: half of it in the middle, across, is moved along.
static void span_chord(const tr_rows *r, int i, double *chord) {
  int j = following(r, i);
  const double *a = r->own + OWN * i, *b = r->own + OWN * j;
  double M[2], dM[2], bow = a[LENGTH] * a[LENGTH] / 8;
  for (int k = 0; k < 2; k++) M[k] = 0.5 * (a[XX + k] + b[XX + k]), dM[k] = b[XX + k] - a[XX + k];
  chord_between(r->x + 2 * i, r->x + 2 * j, chord);
  double across = chord[DX] * M[1] - chord[DY] * M[0], along = chord[DX] * M[0] + chord[DY] * M[1];
  move(-0.5 * bow * across, chord);
  chord[SAG] = bow * (0.5 * fabs(across) + fabs(along) + sqrt(dot(dM, dM)) / 6);
}

// Of spans from `first` on, by the ends of their own chords.
static void run_chord(const tr_rows *r, int first, int end, double *chord) {
  double span[CHORD], most = 0, least = 0, sag = 0;
  chord_between(r->x + 2 * first, r->x + 2 * (end < r->rows ? end : 0), chord);
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 2 * first; k < 2 * end; k++) {
      span_chord(r, k / 2, span);
      double to = k % 2 ? span[HALF] : -span[HALF];
      double p[2] = {span[MX] + to * span[DX], span[MY] + to * span[DY]}, off = beside(chord, p);
      most = greater(most, off), least = lesser(least, off);
      if (pass) sag = greater(sag, span[SAG] + sqrt(from_chord(chord, p)));
    }
    if (!pass) move(0.5 * (most + least), chord);
  }
  chord[SAG] = sag;
}

// Level after level: runs of 1, 4, 16.. spans; the last one has a single block. What a block has too many is nowhere.
static void write_blocks(const tr_rows *r, bool closed) {
  int n = spans(r, closed), size = 1, runs = n;
  for (double *block = blocks(r);; size *= FAN, runs = upwards(runs, FAN)) {
    for (int i = 0; i < FAN * upwards(runs, FAN); i++) {
      double chord[CHORD] = {NAN};
      int first = size * i, end = n - first < size ? n : first + size;
      if (i < runs && size == 1) span_chord(r, i, chord);
      if (i < runs && size > 1) run_chord(r, first, end, chord);
      for (int k = 0; k < CHORD; k++) block[BLOCK * (i / FAN) + FAN * k + i % FAN] = chord[k];
    }
    if (runs <= FAN) return;
    block += BLOCK * upwards(runs, FAN);
  }
}

const char *curve_prepare(const tr_rows *r, bool closed) {
  if (r->columns != 2) return "points are lists of 2 numbers";
  if (r->rows < (closed ? 3 : 2))
    return closed ? "a closed curve needs 3 points" : "2 points are needed";
  for (int i = 0; i < OWN * r->rows; i++) r->own[i] = 0;
  for (int i = 0; i < spans(r, closed); i++) {
    const double *a = r->x + 2 * i, *b = r->x + 2 * following(r, i);
    double h = hypot(b[0] - a[0], b[1] - a[1]);
    if (!(h > 0)) return "neighbouring points coincide";
    r->own[OWN * i + LENGTH] = h;
    if (i + 1 < r->rows) r->own[OWN * (i + 1) + U] = r->own[OWN * i + U] + h;
  }
  solve(r, closed, 0), solve(r, closed, 1);
  write_blocks(r, closed);
  return NULL;
}

// ---- the foot -----------------------------------------------------------------------------------

// c and its first two derivatives by u at v from the beginning of a span, the third everywhere on it.
typedef struct cubic {
  double c[2], c1[2], c2[2], c3[2]; // at its beginning
  double h;
} cubic;

typedef long long pair_mask __attribute__((vector_size(16)));
#define PAIR(of) (*(const lanes_pair *)(block + FAN * (of)))

typedef struct place {
  double v, d[2], c1[2], c2[2]; // d = p - c
} place;

// What is known while the nearest foot is looked for.
typedef struct search {
  const tr_rows *r;
  const double *p, *level[LEVELS]; // blocks of runs of 1, 4, 16.. spans
  double least, reach;             // squared distance of the best so far, its root
  int span;                        // and where it is
  place at;
} search;

static cubic cubic_of(const tr_rows *r, int i) {
  int j = following(r, i);
  const double *a = r->own + OWN * i, *b = r->own + OWN * j;
  double h = a[LENGTH], by_h = 1 / h;
  cubic s = {.h = h};
  for (int k = 0; k < 2; k++) {
    double Ma = a[XX + k], Mb = b[XX + k];
    s.c[k] = r->x[2 * i + k];
    s.c1[k] = (r->x[2 * j + k] - s.c[k]) * by_h - h * (2 * Ma + Mb) * SIXTH;
    s.c2[k] = Ma, s.c3[k] = (Mb - Ma) * by_h;
  }
  return s;
}

static void go_to(const cubic *s, const double *p, double v, place *at) {
  at->v = v;
  for (int k = 0; k < 2; k++) {
    double bend = 0.5 * s->c2[k], third = v * s->c3[k];
    at->d[k] = p[k] - (s->c[k] + v * (s->c1[k] + v * (bend + third * SIXTH)));
    at->c1[k] = s->c1[k] + v * (s->c2[k] + 0.5 * third);
    at->c2[k] = s->c2[k] + third;
  }
}

static void offer(search *s, int i, const place *at) {
  double dd = dot(at->d, at->d);
  if (!(dd <= s->least * (1 + SAME))) return;
  bool later = i > s->span || (i == s->span && at->v > s->at.v);
  if (dd >= s->least * (1 - SAME) && later) return;
  s->least = dd, s->reach = sqrt(dd) * (1 + SAME), s->span = i, s->at = *at;
}

// The root of g = d.c1 between lo and hi, of which the first has g > 0 and the other g < 0, from *at on. In steps of Chebyshev,
//   s = g/q,  s + s^2 g''/(2 q),   q = -g' = c1.c1 - d.c2,   g'' = d.c3 - 3 c1.c2,
// whose error is 2 c^2/s, c the second term, and of the order of s^3.
static void descend(const cubic *k, const double *p, double lo, double hi, place *at) {
  for (int round = 0; round < ROUNDS; round++) {
    double v = at->v, g = dot(at->d, at->c1), speed = dot(at->c1, at->c1);
    double q = speed - dot(at->d, at->c2);
    double by_q = 1 / (q > 0 ? q : speed), s = g * by_q, c = 0;
    if (q > 0) c = 0.5 * s * s * (dot(at->d, k->c3) - 3 * dot(at->c1, at->c2)) * by_q;
    *(g > 0 ? &lo : &hi) = v;
    bool last =
        (q > 0 && fabs(s) * speed <= 1e-5 * k->h * q && 2 * c * c <= 1e-16 * k->h * fabs(s)) ||
        !(hi - lo > DBL_EPSILON * k->h);
    double next = v + s + (fabs(c) < 0.5 * fabs(s) ? c : 0);
    if (!(next >= lo)) next = last ? lo : 0.5 * (v + lo);
    if (!(next <= hi)) next = last ? hi : 0.5 * (v + hi);
    go_to(k, p, next, at);
    if (last) return;
  }
}

// By (1) and (2): 1, d.d is convex between A and B, or the same to round-off in all its minima; -1, it is concave; 0, neither is
// known. mm = m^2; q is between slow^2/EE - bend and `most`, all by L^2.
static int shape(const place *A, const place *B, double mm) {
  double L = B->v - A->v, LL = L * L, slack = LL * mm / 8;
  double AA = dot(A->d, A->c2), AB = dot(A->d, B->c2);
  double BA = dot(B->d, A->c2), BB = dot(B->d, B->c2);
  double E[2] = {A->d[0] - B->d[0], A->d[1] - B->d[1]}, EE = dot(E, E);
  double turn = 0.5 * LL * greater(fabs(dot(E, A->c2)), fabs(dot(E, B->c2)));
  double slow = greater(EE - turn, 0), fast = EE + turn;
  double bend = LL * (greater(greater(AA, AB), greater(BA, BB)) + slack);
  if (slow * slow > bend * EE) return 1;
  double most = fast * fast / EE + 2 * LL * slack;
  most -= LL * (lesser(lesser(AA, AB), lesser(BA, BB)) - slack);
  if (greater(bend - slow * slow / EE, most) <= FLAT * dot(A->d, A->d)) return 1;
  return most < 0 ? -1 : 0;
}

// The nearest place from A to B on span i.
static void on_piece(search *s, int i, const cubic *k, const place *A, const place *B, int left) {
  double L = B->v - A->v, mm = greater(dot(A->c2, A->c2), dot(B->c2, B->c2));
  int convex = shape(A, B, mm);
  place at;
  if (convex == 0 && left > 0) {
    double bound = s->reach + L * L * sqrt(mm) / 8, chord[CHORD], origin[2] = {0};
    chord_between(A->d, B->d, chord);
    if (!(from_chord(chord, origin) <= bound * bound)) return;
    go_to(k, s->p, A->v + 0.5 * L, &at);
    on_piece(s, i, k, A, &at, left - 1), on_piece(s, i, k, &at, B, left - 1);
    return;
  }
  double gA = dot(A->d, A->c1), gB = dot(B->d, B->c1);
  if (convex >= 0 && gA > 0 && gB < 0) {
    go_to(k, s->p, A->v + L * gA / (gA - gB), &at);
    descend(k, s->p, A->v, B->v, &at);
    offer(s, i, &at);
  } else {
    if (!(gA > 0)) offer(s, i, A);
    if (!(gB < 0)) offer(s, i, B);
  }
}

static void on_span(search *s, int i) {
  const tr_rows *r = s->r;
  cubic k = cubic_of(r, i);
  const double *p = s->p, *x = r->x + 2 * following(r, i), *M = r->own + OWN * following(r, i) + XX;
  place A = {0, {p[0] - k.c[0], p[1] - k.c[1]}, {k.c1[0], k.c1[1]}, {k.c2[0], k.c2[1]}};
  place B = {k.h, {p[0] - x[0], p[1] - x[1]}, {0}, {M[0], M[1]}};
  for (int j = 0; j < 2; j++) B.c1[j] = k.c1[j] + 0.5 * k.h * (k.c2[j] + M[j]);
  on_piece(s, i, &k, &A, &B, HALVINGS);
}

// Squared distances from the chords of a block.
TR_INLINE void from_chords(const double *block, const double *p, lanes_pair *dd) {
  for (int k = 0; k < FAN / 2; k++, block += 2) {
    lanes_pair x = p[0] - PAIR(MX), y = p[1] - PAIR(MY), dx = PAIR(DX), dy = PAIR(DY);
    lanes_pair off = dx * y - dy * x, over = dx * x + dy * y, none = {0};
    over = (lanes_pair)((pair_mask)over & 0x7fffffffffffffffll) - PAIR(HALF);
    lanes_raise_pair(&over, &none);
    dd[k] = off * off + none * none;
  }
}

// The first of the least.
static int nearest_of(const lanes_pair *dd) {
  int a = dd[0][1] < dd[0][0], b = dd[1][1] < dd[1][0];
  return dd[1][b] < dd[0][a] ? 2 + b : a;
}

// Whether some of a block may be nearer than the best so far.
TR_INLINE bool in_reach(double reach, const double *block, const lanes_pair *dd) {
  lanes_pair a = reach + PAIR(SAG);
  block += 2;
  lanes_pair b = reach + PAIR(SAG);
  pair_mask near = (dd[0] <= a * a) | (dd[1] <= b * b);
  return (near[0] | near[1]) != 0;
}

static void on_block(search *s, int level, int number);

static void on_run(search *s, int level, int number, double dd, double sag) {
  double bound = s->reach + sag;
  if (!(dd <= bound * bound)) return;
  if (level > 0)
    on_block(s, level - 1, number);
  else
    on_span(s, number);
}

// Its runs, the one with the nearest chord before the others.
static void on_block(search *s, int level, int number) {
  const double *block = s->level[level] + BLOCK * number, *sag = block + FAN * SAG;
  lanes_pair dd[FAN / 2];
  from_chords(block, s->p, dd);
  int first = nearest_of(dd);
  on_run(s, level, FAN * number + first, dd[first / 2][first % 2], sag[first]);
  dd[first / 2][first % 2] = NAN;
  if (!in_reach(s->reach, block, dd)) return;
  for (int k = 0; k < FAN; k++) on_run(s, level, FAN * number + k, dd[k / 2][k % 2], sag[k]);
}

// Where a curve goes on beyond its first point, and beyond its last.
static void beyond(search *s, int i, bool first) {
  cubic k = cubic_of(s->r, i);
  place at;
  go_to(&k, s->p, first ? 0 : k.h, &at);
  double g = dot(at.d, at.c1);
  if (first ? !(g < 0) : !(g > 0)) return;
  descend(&k, s->p, first ? -BEYOND * k.h : k.h, first ? 0 : BEYOND * k.h, &at);
  offer(s, i, &at);
}

foot curve_foot(const tr_rows *r, bool closed, const double p[2]) {
  search s = {.r = r, .p = p, .least = INFINITY, .reach = INFINITY};
  int n = spans(r, closed), top = 0;
  s.level[0] = blocks(r);
  for (int runs = n; runs > FAN; top++) {
    runs = upwards(runs, FAN);
    s.level[top + 1] = s.level[top] + BLOCK * runs;
  }
  on_block(&s, top, 0);
  if (!closed) beyond(&s, 0, true), beyond(&s, n - 1, false);
  const double *d = s.at.d, *c1 = s.at.c1, *c2 = s.at.c2;
  double by_speed = 1 / sqrt(dot(c1, c1));
  foot f = {.u = r->own[OWN * s.span + U] + s.at.v, .t = {c1[0] * by_speed, c1[1] * by_speed}};
  f.k = (c1[0] * c2[1] - c1[1] * c2[0]) * by_speed * by_speed * by_speed;
  f.e = -f.t[1] * d[0] + f.t[0] * d[1];
  return f;
}
