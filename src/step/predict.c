// SPDX-License-Identifier: Apache-2.0
// Where the iteration of a step begins: a and lam extrapolated through the last accepted states.
//
// By polynomials: of which degree tells the past itself. The newest a is compared with what each degree
// would have predicted of it from the states before, e_k. Rough motions get fewer degrees, lest the
// extrapolation lead Newton's iteration away, perhaps to another root. A cubic must have been better than a
// parabola: noise in a, of the size of the tolerance, is made eight times larger by the one and sixteen by
// the other.
//
// By the trend, where steps are of one length h: vibrations of h omega ~ 1, and the parts of a and lam that
// change sign from step to step on index 3, are no polynomials in t, but they
// go on as they did. With backward differences D and m terms
//   x_(n+1) = sum_(j < m) (1 + b_j) D^j x_n,      b minimises  |D^m x_n - sum_j b_j D^j x_(n-1)|^2
// over all coordinates and over past n, each older step counting FADE times as much; b = 0 is the polynomial.
// a and lam have their own b, of six terms, in large systems eight (w: six). It is used while b, as it was before the newest state was known, would have
// predicted that better than the polynomial of whichever degree. w and mu of stabilised methods have the degree of a, or a
// trend of w's own: what the iteration leaves open is in w rather than in a, and least squares know how much of the past is
// noise.
#include <math.h>
#include <string.h>

#include "math/lanes.h"
#include "step.h"

enum { DEGREES = TR_DEGREES };
_Static_assert(TR_DEGREES == TR_PAST_UNEVEN - 1, "what the past can judge");
static const double BETTER = 0.5; // e_3/e_2 for which a cubic is taken; the same for a trend
static const double FADE = 0.5, RIDGE = 1e-12;
// b is found anew in every eighth step of tiny systems, where that takes longer than a correction, in every third
// of small ones, RESTS times as seldom while it does as well as before, and in every eighth of large ones, where
// it changes slowly; of stabilised methods in tiny systems only after DONE once it has settled and first corrections are
// round-off; in half that time if the last prediction missed by more than MISSED times what it did then. Where it was of no use TRIES times in a row, after
// WAIT steps, then twice as many. If it was WORSE than the polynomial by such a factor, the past that it was found by was
// of another kind or size: with stabilised methods a part FORGOTTEN of that is left then, and b is judged by the step after.
enum { TINY = 32, SMALL = 64, LARGE = 1000 }; // unknowns
enum { RESTS = 2 };
enum { EARLY = 50 }; // steps in which it still settles
enum { SETTLED = 8, DONE = 64, DONE_MAX = 10000 };
static const double MISSED = 2;
static const double IDLE = 1.05; // corrections
enum { TRIES = 6, WAIT = 8, WAIT_MAX = 64 };
static const double WORSE = 2, FORGOTTEN = 0.01;
enum { W_REST = 8 };             // steps after which the degree of w is judged
static const double EVEN = 1e-7; // steps that differ by less have one length
static const double WILDEST = 128,
                    WILDEST_LARGE = 512; // sum of |weights|; of the polynomial 2^m - 1

// ---- trend ----------------------------------------------------------------------------------------

enum { TRENDS = 3 };

// b (m) from the normal equations by L D L', of several trends side by side: one alone would wait for itself. What
// cannot be told apart from earlier terms gets none.
TR_INLINE void solve_all(int M, int count, tr_trend *const *f) {
  lanes A[TR_TERMS_MAX][TR_TERMS_MAX + 1], d[TR_TERMS_MAX], b[TR_TERMS_MAX];
  const tr_trend *x = f[0], *y = f[1], *z = f[count - 1];
  for (int j = 0; j < M; j++)
    for (int k = j; k <= M; k++)
      A[j][k] = (lanes){x->gram[j][k], y->gram[j][k], z->gram[j][k], z->gram[j][k]};
  for (int j = 0; j < M; j++) {
    d[j] = 1 / A[j][j];
    for (int i = 0; i < count; i++)
      if (!(A[j][j][i] > RIDGE * f[i]->gram[j][j])) d[j][i] = 0;
    if (count < TRENDS) d[j][2] = d[j][3] = d[j][1];
    for (int i = j + 1; i < M; i++) {
      lanes l = A[j][i] * d[j];
      for (int k = i; k <= M; k++) A[i][k] -= l * A[j][k];
    }
  }
  for (int j = M - 1; j >= 0; j--) {
    lanes sum = A[j][M];
    for (int k = j + 1; k < M; k++) sum -= A[j][k] * b[k];
    b[j] = sum * d[j];
    for (int i = 0; i < count; i++) f[i]->b[j] = b[j][i];
  }
}
TR_WIDE(solve_trends, solve_all, (int M, int count, tr_trend *const *f), (M, count, f))

typedef struct trend_sums {
  lanes gram[TR_TERMS_MAX][TR_TERMS_MAX + 1], most[DEGREES], most_b;
} trend_sums;

// One four of the newest states x[0], x[1] ..; the first finds the sums as they come.
TR_INLINE void add_sample(int M, bool first, lanes *x, const double *b, trend_sums *s) {
  lanes D[TR_TERMS_MAX], rest; // D^j x_1, then D^m x_0
  for (int j = 0; j < M; j++) {
    D[j] = x[1];
    for (int i = 0; i < M - j; i++) x[i] -= x[i + 1];
    if (j >= DEGREES) continue;
    if (first) s->most[j] = (lanes){0};
    lanes_raise(&x[0], &s->most[j]);
  }
  rest = x[0];
  for (int j = 0; j < M; j++) {
    rest -= b[j] * D[j];
    for (int k = j; k <= M; k++) {
      lanes product = D[j] * (k < M ? D[k] : x[0]);
      s->gram[j][k] = first ? product : s->gram[j][k] + product;
    }
  }
  if (first) s->most_b = (lanes){0};
  lanes_raise(&rest, &s->most_b);
}

TR_INLINE void load_sample(int M, int i, int n, const double *const *y, lanes *x) {
  if (i + LANES <= n)
    for (int j = 0; j <= M; j++) x[j] = *(const lanes_anywhere *)(y[j] + i);
  else
    for (int j = 0; j <= M; j++)
      for (int l = 0; l < LANES; l++) x[j][l] = i + l < n ? y[j][i + l] : 0;
}

TR_INLINE void follow_terms(int M, int n, const double *const *y, tr_trend *f) {
  trend_sums s;
  lanes x[TR_TERMS_MAX + 1];
  double b[TR_TERMS_MAX];
  for (int j = 0; j < M; j++) b[j] = f->b[j];
  load_sample(M, 0, n, y, x);
  add_sample(M, true, x, b, &s);
  for (int i = LANES; i < n; i += LANES) {
    load_sample(M, i, n, y, x);
    add_sample(M, false, x, b, &s);
  }
  for (int k = 0; k < DEGREES; k++) f->e[k] = lanes_top(&s.most[k]);
  f->e_b = lanes_top(&s.most_b);
  for (int j = 0; j < M; j++)
    for (int k = j; k <= M; k++) {
      lanes g = s.gram[j][k];
      f->gram[j][k] = FADE * f->gram[j][k] + ((g[0] + g[1]) + (g[2] + g[3]));
    }
}

TR_INLINE void follow_all(int terms, int n, const double *const *y, tr_trend *f) {
  if (terms == TR_TERMS_LARGE)
    follow_terms(TR_TERMS_LARGE, n, y, f);
  else
    follow_terms(TR_TERMS, n, y, f);
}

TR_WIDE(follow, follow_all, (int terms, int n, const double *const *y, tr_trend *f),
        (terms, n, y, f))

// Weights of the newest states from b, by Horner's scheme in the shift z:
//   sum (1 + b_j) (1 - z)^j = sum w_i z^i
TR_INLINE void weigh_terms(int M, double wildest, tr_trend *f) {
  double sum = 0, w[TR_TERMS_MAX] = {0};
#pragma GCC unroll 8
  for (int j = M - 1; j >= 0; j--) {
#pragma GCC unroll 8
    for (int i = M - 1; i > 0; i--) w[i] -= w[i - 1];
    w[0] += 1 + f->b[j];
  }
#pragma GCC unroll 8
  for (int i = 0; i < M; i++) sum += fabs(w[i]);
  memcpy(f->w, w, sizeof w);
  f->tame = sum < wildest;
}

static void weigh_trend(int M, tr_trend *f) {
  if (M == TR_TERMS)
    weigh_terms(TR_TERMS, WILDEST, f);
  else
    weigh_terms(TR_TERMS_LARGE, WILDEST_LARGE, f);
}

// A long past is cut into chunks, whose sums are added up in their order.
typedef struct chunks {
  int terms, count;
  const double *const *y;
  const double *b;
  tr_trend trend[TR_CHUNKS];
} chunks;

static double follow_chunk(void *what, int i, int first, int end) {
  chunks *c = what;
  const double *y[TR_TERMS_MAX + 1];
  c->trend[i] = (tr_trend){0};
  memcpy(c->trend[i].b, c->b, sizeof c->trend[i].b);
  for (int j = 0; j <= c->terms; j++) y[j] = c->y[j] + first;
  follow(c->terms, end - first, y, &c->trend[i]);
  return 1;
}

static void follow_chunks(const tr_work *w, int M, int n, const double *const *y, tr_trend *f) {
  chunks c; // large, and written as far as it is read
  c.terms = M, c.y = y, c.b = f->b;
  int count = (int)tr_sum(w, n, follow_chunk, &c);
  for (int j = 0; j < M; j++)
    for (int k = j; k <= M; k++) f->gram[j][k] *= FADE;
  memset(f->e, 0, sizeof f->e), f->e_b = 0;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < DEGREES; j++) f->e[j] = fmax(f->e[j], c.trend[i].e[j]);
    f->e_b = fmax(f->e_b, c.trend[i].e_b);
    for (int j = 0; j < M; j++)
      for (int k = j; k <= M; k++) f->gram[j][k] += c.trend[i].gram[j][k];
  }
}

static void learn(const tr_work *w, int terms, int n, const double *const *y, tr_trend *f) {
  if (f->steps == 0) *f = (tr_trend){0};
  if (n == 0) return;
  f->steps++;
  if (n > TR_CHUNK)
    follow_chunks(w, terms, n, y, f);
  else
    follow(terms, n, y, f);
}

static bool tiny(const tr_step *s) { return s->sys->nv + s->sys->nc <= TINY; }

// Trends have been of use, and nothing but round-off is left to correct.
static bool calm(const tr_step *s) { return s->ample > DONE + s->calm_wait && s->untrusted == 0; }

// The trend of w is found with the others at first, then every other time, or every fourth where w is what a projection
// finds; not in tiny systems where w is noise.
static bool finds_w(tr_step *s) {
  enum { OFTEN = 4 };
  if (!s->method->stabilised || s->evens <= TR_TERMS) s->trend_w.steps = 0;
  if (!s->method->stabilised || s->evens <= TR_TERMS) return false;
  if (s->w_degree == 0 && tiny(s) && calm(s)) return false;
  bool now = s->trend_w.steps < OFTEN || ++s->w_age >= (s->apart ? 4 : 2);
  if (now) s->w_age = 0;
  return now;
}

// What goes on like this: a and lam of x1, x0 and before; w, whose newest has no place among the others yet.
TR_APART void find_trends(tr_step *s, const tr_state *x0, const tr_state *x1) {
  const double *a[TR_TERMS_MAX + 1] = {x1->a, x0->a}, *lam[TR_TERMS_MAX + 1] = {x1->lam, x0->lam};
  const double *w[TR_TERMS + 1] = {s->w};
  tr_trend *const trends[TRENDS] = {&s->trend_a, &s->trend_lam, &s->trend_w};
  int terms = s->terms, count = finds_w(s) ? TRENDS : TRENDS - 1;
  for (int i = 0; i < terms - 1; i++) a[2 + i] = s->past_a[i], lam[2 + i] = s->past_lam[i];
  for (int i = 0; i < TR_TERMS; i++) w[1 + i] = s->past_w[i];
  learn(s->work, terms, s->sys->nv, a, &s->trend_a);
  learn(s->work, terms, s->sys->nc, lam, &s->trend_lam);
  if (count == TRENDS) learn(s->work, TR_TERMS, s->sys->nv, w, &s->trend_w);
  solve_trends(terms, terms == TR_TERMS ? count : TRENDS - 1, trends);
  if (count == TRENDS && terms != TR_TERMS)
    solve_trends(TR_TERMS, 2, (tr_trend *const[]){&s->trend_w, &s->trend_w});
  weigh_trend(terms, &s->trend_a);
  if (s->sys->nc > 0) weigh_trend(terms, &s->trend_lam);
  if (count == TRENDS) weigh_trend(TR_TERMS, &s->trend_w);
}

static bool trusted(const tr_trend *f, int degree) {
  return f->steps > 1 && f->tame && f->e_b < BETTER * f->e[degree];
}

// ---- past -----------------------------------------------------------------------------------------

// A step to t is as long as the last one.
static bool even(const tr_step *s, double t) {
  double h = t - s->past_t[0];
  return fabs(s->past_t[0] - s->past_t[1] - h) <= EVEN * h;
}

static bool undamped(const tr_step *s) {
  return s->method->undamped && s->method->undamped(s->par);
}

// Not where a is not what it seems; nor where what the iteration leaves open lasts for ever: the better the
// start, the earlier it stops.
static bool follows_trend(const tr_step *s) {
  const tr_method *m = s->method;
  return s->settings.predictor == TR_PREDICT_TREND && s->settings.fixed_iterations == 0 &&
         s->allowed == 0 && !m->recompute && !undamped(s);
}

// Of stabilised methods: one correction is mostly enough, so that nothing would be won by a better start; in tiny systems
// it is round-off, too.
static bool idles(const tr_step *s) {
  return s->newton.last_count <= IDLE && (!tiny(s) || calm(s));
}

static int rest(const tr_step *s) {
  int n = s->sys->nv + s->sys->nc;
  bool done = calm(s) && s->trend_rest > 1 && s->trend_a.steps > SETTLED;
  if (tiny(s) && s->method->stabilised) return done ? DONE : 8;
  if (tiny(s)) return 8 * s->trend_rest;
  if (n <= SMALL) return s->method->stabilised ? 2 * s->trend_rest + 1 : 3 * s->trend_rest;
  return s->trend_a.steps < EARLY ? 1 : n <= LARGE ? 3 : 8;
}

// b is to be found anew.
static bool due(const tr_step *s) {
  if (s->trend_a.steps < 2 || s->waited) return true;
  if (s->untrusted >= TRIES) return s->trend_age >= s->trend_wait;
  return s->trend_age >= rest(s) || (s->missed && 2 * s->trend_age >= rest(s));
}

// Trends that are of no use several times in a row are looked for less and less often.
static void doubt(tr_step *s) {
  if (trusted(&s->trend_a, s->degree) || trusted(&s->trend_lam, s->degree)) {
    s->untrusted = s->trend_wait = 0;
  } else if (++s->untrusted >= TRIES) {
    s->trend_wait = s->trend_wait ? 2 * s->trend_wait : WAIT;
    if (s->trend_wait > WAIT_MAX) s->trend_wait = WAIT_MAX;
  }
}

// A wait is over, before which b has been that much worse than the polynomial.
static bool misled(const tr_step *s) {
  const tr_trend *f = &s->trend_a;
  return s->method->stabilised && s->untrusted >= TRIES && f->e_b >= WORSE * f->e[s->degree];
}

static void forget_most(tr_step *s) {
  tr_trend *const trends[TRENDS] = {&s->trend_a, &s->trend_lam, &s->trend_w};
  for (int i = 0; i < TRENDS; i++) {
    for (int j = 0; j < TR_TERMS_MAX; j++)
      for (int k = j; k <= TR_TERMS_MAX; k++) trends[i]->gram[j][k] *= FORGOTTEN;
    if (trends[i]->steps > 1) trends[i]->steps = 1;
  }
}

void tr_predict_begin(tr_step *s, const tr_state *x) {
  s->past = 1, s->past_t[0] = x->t, s->evens = 0;
  s->trend_age++;
  s->trend_a.steps = s->trend_lam.steps = s->trend_w.steps = 0;
}

static const double *newest_a(const tr_step *s, const tr_state *x0) {
  return s->newest_a ? s->newest_a : x0->a;
}

// Room for a new vector at the front of the older ones, in place of the oldest. All places move on, whose number
// is known: that takes no call, as a loop would.
static double *push(int count, double **older) {
  double *oldest = older[count - 1], *kept[TR_TERMS_MAX - 2];
  memcpy(kept, older, sizeof kept);
  memcpy(older + 1, kept, sizeof kept);
  return older[0] = oldest;
}

static void keep(tr_step *s, const double *a, const double *lam) {
  double *to_a = push(s->terms - 1, s->past_a), *to_lam = push(s->terms - 1, s->past_lam);
  tr_copy(s->work, a, to_a, s->sys->nv);
  tr_copy(s->work, lam, to_lam, s->sys->nc);
}

void tr_predict_remember(tr_step *s, const tr_state *x0, const tr_state *x1) {
  if (s->past < 2 || !even(s, x1->t)) s->evens = 0;
  if (s->evens <= s->terms) s->evens++;
  double times[TR_TERMS_MAX];
  memcpy(times, s->past_t, sizeof times);
  memcpy(s->past_t + 1, times, sizeof times);
  s->past_t[0] = x1->t;
  if (s->past <= s->terms) s->past++;
  s->trend_age++;
  // an old trend has cost a correction: the next one waits for longer
  if (s->trend_age > 8 && s->ample == 0 && s->newton.last_count > IDLE && s->calm_wait < DONE_MAX)
    s->calm_wait = 4 * s->calm_wait + DONE;
  // a correction of stabilised methods has w in it too
  s->missed = !s->method->stabilised && s->newton.first > MISSED * s->c.cv * s->trend_a.e_b;
  if (s->past <= s->terms || s->evens < s->terms) {
    s->trend_a.steps = s->trend_lam.steps = s->trend_w.steps = 0;
  } else if (follows_trend(s) && due(s)) {
    s->waited = !s->waited && misled(s);
    if (s->waited) forget_most(s);
    bool settles = s->trend_a.steps < 2 || s->missed || (s->method->stabilised && !idles(s));
    s->trend_rest = settles ? 1 : s->trend_rest < RESTS ? 2 * s->trend_rest : RESTS;
    s->trend_age = 0;
    find_trends(s, x0, x1);
    if (!s->waited) doubt(s);
  }
  keep(s, newest_a(s, x0), x0->lam);
}

// Lagrange's weights at t of n values at the times `at`, newest first; of steps of one length.
static const double even_ones[][4] = {{1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}};
static void weigh(int n, const double *at, double t, double *w) {
  double h = t - at[0], uneven = 0;
  for (int i = 1; i < n; i++) uneven += fabs(at[i - 1] - at[i] - h);
  if (n <= 4 && uneven <= EVEN * h) {
    for (int i = 0; i < n; i++) w[i] = even_ones[n - 1][i];
    return;
  }
  for (int i = 0; i < n; i++) {
    w[i] = 1;
    for (int j = 0; j < n; j++)
      if (j != i) w[i] *= (t - at[j]) / (at[i] - at[j]);
  }
}

// e[k] = max |y_0 - sum_i w[k][i] y_(i+1)|, i <= k
TR_INLINE void judge_all(int n, const double *const *y, const double (*w)[DEGREES], double *e) {
  lanes most[DEGREES] = {0};
  int i = 0;
  for (; i + LANES <= n; i += LANES) {
    lanes x[DEGREES + 1];
    for (int j = 0; j <= DEGREES; j++) x[j] = *(const lanes_anywhere *)(y[j] + i);
    for (int k = 0; k < DEGREES; k++) {
      lanes d = x[0];
      for (int j = 0; j <= k; j++) d -= w[k][j] * x[j + 1];
      lanes_raise(&d, &most[k]);
    }
  }
  for (int k = 0; k < DEGREES; k++) {
    e[k] = lanes_top(&most[k]);
    for (int m = i; m < n; m++) {
      double d = y[0][m];
      for (int j = 0; j <= k; j++) d -= w[k][j] * y[j + 1][m];
      e[k] = fabs(d) > e[k] ? fabs(d) : e[k];
    }
  }
}

TR_WIDE(judge, judge_all, (int n, const double *const *y, const double (*w)[DEGREES], double *e),
        (n, y, w, e))

// The e_k of the degrees below `judged` with steps of any length.
static void judge_past(const tr_step *s, const double *newest, int judged, double *e) {
  double w[DEGREES][DEGREES] = {{0}};
  const double *y[DEGREES + 1];
  for (int j = 0; j <= DEGREES; j++) y[j] = j > 0 && j <= judged ? s->past_a[j - 1] : newest;
  for (int k = 0; k < judged; k++) weigh(k + 1, s->past_t + 1, s->past_t[0], w[k]);
  judge(s->sys->nv, y, w, e);
}

// Mostly the first number tells.
static bool all_below(double most, const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) < most)) return false;
  return true;
}

static int best_degree(const tr_step *s, const double *newest) {
  double judgement[DEGREES];
  const double *e = s->trend_a.e;
  int judged = s->past - 1 < DEGREES ? s->past - 1 : DEGREES;
  if (judged < 1) return 0;
  if (s->trend_a.steps == 0 || (s->trend_age > 0 && s->missed))
    judge_past(s, newest, judged, judgement), e = judgement;
  if (all_below(e[0], newest, s->sys->nv)) return 0;
  if (judged > 1 && e[1] > e[0]) return 1;
  return judged == DEGREES && e[3] < BETTER * e[2] ? 3 : 2;
}

// out = w_0 a + w_1 older_0 + ..
TR_INLINE void combine_all(int n, const double *w, const double *a, double *const *older, int size,
                           double *restrict out) {
  const double *b = older[0], *c = older[1], *d = older[2], *e = older[3], *f = older[4];
  const double *g = n > TR_TERMS ? older[5] : NULL, *h = n > TR_TERMS ? older[6] : NULL;
  switch (n) {
    case TR_TERMS_LARGE:
      for (int i = 0; i < size; i++)
        out[i] = ((w[0] * a[i] + w[1] * b[i]) + (w[2] * c[i] + w[3] * d[i])) +
                 ((w[4] * e[i] + w[5] * f[i]) + (w[6] * g[i] + w[7] * h[i]));
      return;
    case TR_TERMS:
      for (int i = 0; i < size; i++)
        out[i] =
            (w[0] * a[i] + w[1] * b[i]) + (w[2] * c[i] + w[3] * d[i]) + (w[4] * e[i] + w[5] * f[i]);
      return;
    case 4:
      for (int i = 0; i < size; i++)
        out[i] = (w[0] * a[i] + w[1] * b[i]) + (w[2] * c[i] + w[3] * d[i]);
      return;
    case 3:
      for (int i = 0; i < size; i++) out[i] = w[0] * a[i] + w[1] * b[i] + w[2] * c[i];
      return;
    case 2:
      for (int i = 0; i < size; i++) out[i] = w[0] * a[i] + w[1] * b[i];
      return;
    default: memcpy(out, a, (size_t)size * sizeof *out);
  }
}

TR_WIDE(combine_here, combine_all,
        (int n, const double *w, const double *a, double *const *older, int size, double *out),
        (n, w, a, older, size, out))

void tr_predict_some(const tr_outlook *c, int first, int end) {
  double *older[TR_TERMS_MAX - 1];
  for (int j = 0; j < (c->n > TR_TERMS ? c->n : TR_TERMS) - 1; j++) older[j] = c->older[j] + first;
  combine_here(c->n, c->w, c->a + first, older, end - first, c->out + first);
}

static void combine_part(void *what, int part, int first, int end) {
  (void)part;
  tr_predict_some(what, first, end);
}

static inline void combine(const tr_work *by, int n, const double *w, const double *a,
                           double *const *older, int size, double *out) {
  if (by->team)
    TR_SHARE(by, size, combine_part, &(tr_outlook){n, w, a, older, out});
  else
    combine_here(n, w, a, older, size, out);
}

void tr_predict_now(tr_step *s) {
  TR_SHARE(s->work, s->sys->nv, combine_part, &s->ahead_a);
  TR_SHARE(s->work, s->sys->nc, combine_part, &s->ahead_lam);
  s->ahead = false;
}

void tr_predict(tr_step *s, const tr_state *x0, double t, tr_state *x1) {
  const double *a = newest_a(s, x0);
  double w[TR_TERMS_MAX] = {1};
  int degree = s->settings.fixed_iterations > 0 ? 0 : (int)s->settings.predictor;
  if (degree > 0) {
    int best = best_degree(s, a);
    degree = best < degree ? best : degree;
  }
  s->degree = degree;
  const tr_trend *ta = &s->trend_a, *tl = &s->trend_lam;
  int n = degree + 1 < s->past ? degree + 1 : s->past;
  bool goes_on = s->settings.predictor == TR_PREDICT_TREND && even(s, t);
  bool trend_a = goes_on && trusted(ta, degree), trend_lam = goes_on && trusted(tl, degree);
  if (!trend_a || !trend_lam) weigh(n, s->past_t, t, w);
  // what a method begins with may be in the rooms of the past
  if (s->later && s->last_h > 0) {
    memcpy(s->ahead_w, w, sizeof w);
    s->ahead_a =
        (tr_outlook){trend_a ? s->terms : n, trend_a ? ta->w : s->ahead_w, a, s->past_a, x1->a};
    s->ahead_lam = (tr_outlook){trend_lam ? s->terms : n, trend_lam ? tl->w : s->ahead_w, x0->lam,
                                s->past_lam, x1->lam};
    s->ahead = true;
    return;
  }
  combine(s->work, trend_a ? s->terms : n, trend_a ? ta->w : w, a, s->past_a, s->sys->nv, x1->a);
  combine(s->work, trend_lam ? s->terms : n, trend_lam ? tl->w : w, x0->lam, s->past_lam,
          s->sys->nc, x1->lam);
}

// Where there are many, some velocities stand for all: every so many, and not the same of each body, which have 2, 3 or 6.
static int w_stride(const tr_step *s) {
  enum { SOME = 16 };
  return s->sys->nv <= 2 * SOME ? 1 : s->sys->nv / SOME / 6 * 6 + 5;
}

// The best degree for w: by squares of its newest differences. What grows with each of these is noise, round-off and what
// the iteration leaves open: then the last one is the best guess.
static int w_degree(const tr_step *s) {
  const double *a = s->past_w[0], *b = s->past_w[1], *c = s->past_w[2], *d = s->past_w[3];
  double e0 = 0, e1 = 0, e2 = 0;
  for (int i = 0, stride = w_stride(s); i < s->sys->nv; i += stride) {
    double x = a[i] - b[i], y = b[i] - c[i], z = c[i] - d[i];
    e0 += x * x;
    x -= y, y -= z;
    e1 += x * x;
    x -= y;
    e2 += x * x;
  }
  return e0 <= e1 && e1 <= e2 ? 0 : DEGREES - 1;
}

tr_outlook tr_look_ahead_w(tr_step *s, double t) {
  double *line = s->line;
  const double *w = line;
  line[0] = 2, line[1] = -1;
  int degree = s->c.few || (undamped(s) && s->degree > 1) ? 1 : s->degree;
  int states = s->past - 1; // the first has none
  if (s->evens < TR_TERMS)
    s->w_degree = DEGREES - 1;
  else if (s->trend_age % W_REST == 0)
    s->w_degree = w_degree(s);
  if (!s->c.few && degree > s->w_degree) degree = s->w_degree;
  bool smooth =
      s->degree >= 2 || s->paired; // next to stiff springs a is never, and its trend is as good
  bool same = even(s, t), goes_on = smooth && same && trusted(&s->trend_w, degree);
  int n = degree < states ? degree + 1 : states > 1 ? states : 1;
  if (goes_on)
    n = TR_TERMS, w = s->trend_w.w;
  else if (same && n <= s->evens && n <= 4)
    w = even_ones[n - 1];
  else if (!s->c.few || n < 2)
    weigh(n, s->past_t, t, line);
  return (tr_outlook){n, w, s->past_w[0], s->past_w + 1, s->w}; // mu follows w
}

void tr_predict_w(tr_step *s, double t) {
  tr_outlook x = tr_look_ahead_w(s, t);
  combine(s->work, x.n, x.w, x.a, x.older, s->sys->nv + s->sys->nc, x.out);
}
