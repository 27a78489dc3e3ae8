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
// noise. Where velocities are projected once positions are found (si2_project.c) the iteration is about a + cw/cq w and
// lam - cw/cq mu, and so is the past: with a matrix of its own each step bears the round-off of positions in it.
#include <math.h>
#include <string.h>

#include "trend.h"

enum { DEGREES = TR_DEGREES };
_Static_assert(TR_DEGREES == TR_PAST_UNEVEN - 1, "what the past can judge");
static const double BETTER = 0.5; // e_3/e_2 for which a cubic is taken; the same for a trend
// b is found anew in every eighth step of tiny systems, where that takes longer than a correction, in every third
// of others (of sums, which change less, in every fifth), RESTS times as seldom while it does as well as before if they are small or the method is stabilised (a and lam
// do not swing then) and there are no states, and in every eighth of large ones, where
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

enum { TRENDS = TR_TRENDS };

// ---- trends ---------------------------------------------------------------------------------------

static bool tiny(const tr_step *s) { return s->sys->nv + s->sys->nc <= TINY; }

static bool small(const tr_step *s) { return s->sys->nv + s->sys->nc <= SMALL; }

// Trends have been of use, and nothing but round-off is left to correct.
static bool calm(const tr_step *s) { return s->ample > DONE + s->calm_wait && s->untrusted == 0; }

// The trend of w is found with the others at first, then every other time in small systems and with states, every fourth in
// others or where w is what a projection finds; not in tiny systems where w is noise.
static bool finds_w(tr_step *s) {
  enum { OFTEN = 4 };
  bool none = !s->method->stabilised || s->sums || s->evens <= TR_TERMS;
  if (none) s->trend_w.steps = 0;
  if (none) return false;
  if (s->w_degree == 0 && tiny(s) && calm(s)) return false;
  bool now = s->trend_w.steps < OFTEN ||
             ++s->w_age >= (s->apart || (!small(s) && s->sys->nnumber == 0) ? 4 : 2);
  if (now) s->w_age = 0;
  return now;
}

// What is predicted of a state: a and lam, or their sums.
typedef struct course {
  const double *a, *lam;
} course;

// Of the last accepted state.
static course newest_of(const tr_step *s, const tr_state *x0) {
  if (s->sums) return (course){s->last_sum_a, s->last_sum_lam};
  return (course){s->newest_a ? s->newest_a : x0->a, x0->lam};
}

const double *tr_predict_newest_a(const tr_step *s, const tr_state *x0) {
  return newest_of(s, x0).a;
}

// Of the one after it.
static course next_of(const tr_step *s, const tr_state *x1) {
  if (s->sums) return (course){s->sum_a, s->sum_lam};
  return (course){x1->a, x1->lam};
}

// What goes on like this: a and lam of x1, x0 and before; w, whose newest has no place among the others yet.
TR_APART void find_trends(tr_step *s, course x0, course x1) {
  tr_trend *const trends[TRENDS] = {&s->trend_a, &s->trend_lam, &s->trend_w};
  int terms = s->terms, count = finds_w(s) ? TRENDS : TRENDS - 1;
  tr_trend_learn(s->work, terms, s->sys->nv, &(tr_course){x1.a, x0.a, &s->past_a}, &s->trend_a);
  tr_trend_learn(s->work, terms, s->sys->nc, &(tr_course){x1.lam, x0.lam, &s->past_lam},
                 &s->trend_lam);
  if (count == TRENDS)
    tr_trend_learn(s->work, TR_TERMS, s->sys->nv, &(tr_course){s->w, s->last_w, &s->past_w},
                   &s->trend_w);
  tr_trend_solve(terms, terms == TR_TERMS ? count : TRENDS - 1, trends);
  if (count == TRENDS && terms != TR_TERMS)
    tr_trend_solve(TR_TERMS, 2, (tr_trend *const[]){&s->trend_w, &s->trend_w});
  tr_trend_weigh(terms, &s->past_a, &s->trend_a);
  if (s->sys->nc > 0) tr_trend_weigh(terms, &s->past_lam, &s->trend_lam);
  if (count == TRENDS) tr_trend_weigh(TR_TERMS, &s->past_w, &s->trend_w);
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

// a and lam do not swing, nor does a controller.
static bool rests(const tr_step *s) { return s->method->stabilised && s->sys->nnumber == 0; }

static int rest(const tr_step *s) {
  int n = s->sys->nv + s->sys->nc;
  bool done = calm(s) && s->trend_rest > 1 && s->trend_a.steps > SETTLED;
  if (tiny(s)) return s->method->stabilised && done ? DONE : 8 * s->trend_rest;
  if (n <= SMALL) return s->method->stabilised ? 2 * s->trend_rest + 1 : 3 * s->trend_rest;
  if (s->trend_a.steps < EARLY) return 1;
  return n > LARGE ? 8 : rests(s) ? (s->sums ? 5 : 3) * s->trend_rest : 3;
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
  s->past = 1, s->past_t[0] = x->t, s->evens = 0, s->w_lost = 1;
  s->trend_age++;
  s->trend_a.steps = s->trend_lam.steps = s->trend_w.steps = 0;
  tr_past_clear(s);
  if (!s->sums) return;
  tr_copy(s->work, x->a, s->last_sum_a, s->sys->nv);
  tr_copy(s->work, x->lam, s->last_sum_lam, s->sys->nc);
}

// The past begins anew where it is of something else from now on; not where the step changes, for which it may be asked for.
static void choose_sums(tr_step *s, const tr_state *x0, double t) {
  bool sums = s->apart && tr_si2_sums_pay(s);
  if (sums == s->sums || (s->last_h > 0 && !even(s, t))) return;
  s->sums = sums;
  if (!sums) tr_predict_forget_w(s, 0);
  tr_predict_begin(s, x0);
}

// Room for a new vector at the front of the older ones, in place of the oldest. All places move on, whose number
// is known: that takes no call, as a loop would.
static void *push(tr_past *p) {
  void *oldest = p->older[p->count - 1], *kept[TR_TERMS_MAX - 2];
  memcpy(kept, p->older, sizeof kept);
  memcpy(p->older + 1, kept, sizeof kept);
  return p->older[0] = oldest;
}

typedef struct difference {
  const double *newest, *before;
  float *to;
} difference;

static void change_part(void *what, int part, int first, int end) {
  const difference *c = what;
  (void)part;
  for (int i = first; i < end; i++) c->to[i] = tr_past_narrow(c->newest[i] - c->before[i]);
}

// So few that a call would take longer, or `rep movs`, which gcc takes where it has counted small ones.
static inline void copy_few(const double *from, double *to, int n) {
  int i = 0;
#pragma GCC unroll 1
  for (; i + LANES <= n; i += LANES)
    *(lanes_anywhere *)(to + i) = *(const lanes_anywhere *)(from + i);
  if (n & 2) {
    *(lanes_pair *)(to + i) = *(const lanes_pair *)(from + i);
    i += 2;
  }
  if (n & 1) to[i] = from[i];
}

// The state before the newest joins those before.
static inline void keep(tr_step *s, tr_past *p, const double *newest, const double *before, int n) {
  void *to = push(p);
  if (p->narrow)
    TR_SHARE(s->work, n, change_part, &(difference){newest, before, to});
  else if (n <= SMALL)
    copy_few(before, to, n);
  else
    tr_copy(s->work, before, to, n);
}

// The newest difference, should no prediction have come by: `before` is where that goes.
static void settle(tr_step *s, tr_past *p, const double *newest, const double *before, int n) {
  if (p->fresh) TR_SHARE(s->work, n, change_part, &(difference){newest, before, p->older[0]});
  p->fresh = false;
}

static void settle_w(tr_step *s) {
  settle(s, &s->past_w, s->last_w, s->w, s->sys->nv + s->sys->nc);
}

void tr_predict_settle_sums(tr_step *s) {
  settle(s, &s->past_a, s->last_sum_a, s->sum_a, s->sys->nv);
  settle(s, &s->past_lam, s->last_sum_lam, s->sum_lam, s->sys->nc);
}

// The newest state joins the past, and *next is room for the one after it. Of differences the newest is found with the next
// prediction, which goes where the older state is until then.
static void hand_on(tr_past *p, double **newest, double **next) {
  double *to = push(p), *before = *newest;
  *newest = *next;
  p->used = true;
  if (p->narrow)
    *next = before, p->fresh = true;
  else
    *next = to, p->older[0] = before;
}

static void keep_sums(tr_step *s) {
  tr_predict_settle_sums(s);
  hand_on(&s->past_a, &s->last_sum_a, &s->sum_a);
  hand_on(&s->past_lam, &s->last_sum_lam, &s->sum_lam);
}

void tr_predict_remember_w(tr_step *s) {
  settle_w(s);
  hand_on(&s->past_w, &s->last_w, &s->w);
  s->mu = s->w + s->sys->nv, s->last_mu = s->last_w + s->sys->nv;
}

void tr_predict_forget_w(tr_step *s, int first) {
  tr_past *p = &s->past_w;
  size_t size = p->narrow ? sizeof(float) : sizeof(double);
  int n = s->sys->nv + s->sys->nc - first;
  if (!p->used) return; // it is 0 still
  settle_w(s);
  memset(s->last_w + first, 0, (size_t)n * sizeof *s->last_w);
  for (int i = 0; i < p->count; i++)
    memset((char *)p->older[i] + (size_t)first * size, 0, (size_t)n * size);
}

void tr_predict_remember(tr_step *s, const tr_state *x0, const tr_state *x1) {
  course before = newest_of(s, x0), now = next_of(s, x1);
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
    find_trends(s, before, now);
    if (!s->waited) doubt(s);
  }
  if (s->sums) {
    keep_sums(s);
    return;
  }
  keep(s, &s->past_a, now.a, before.a, s->sys->nv);
  keep(s, &s->past_lam, now.lam, before.lam, s->sys->nc);
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
TR_INLINE void judge_terms(bool narrow, int n, const double *newest, const void *const *older,
                           const double (*w)[DEGREES], double *e) {
  lanes most[DEGREES] = {0};
  for (int i = 0; i < n; i += LANES) {
    lanes x[DEGREES + 1];
    tr_past_load(false, newest, i, n, &x[0]);
    for (int j = 1; j <= DEGREES; j++) {
      tr_past_load(narrow, older[j - 1], i, n, &x[j]);
      if (narrow) x[j] = x[j - 1] - x[j];
    }
    for (int k = 0; k < DEGREES; k++) {
      lanes d = x[0];
      for (int j = 0; j <= k; j++) d -= w[k][j] * x[j + 1];
      lanes_raise(&d, &most[k]);
    }
  }
  for (int k = 0; k < DEGREES; k++) e[k] = lanes_top(&most[k]);
}

TR_INLINE void judge_all(bool narrow, int n, const double *newest, const void *const *older,
                         const double (*w)[DEGREES], double *e) {
  if (narrow)
    judge_terms(true, n, newest, older, w, e);
  else
    judge_terms(false, n, newest, older, w, e);
}

TR_WIDE(judge, judge_all,
        (bool narrow, int n, const double *newest, const void *const *older,
         const double (*w)[DEGREES], double *e),
        (narrow, n, newest, older, w, e))

// The e_k of the degrees below `judged` with steps of any length.
static void judge_past(tr_step *s, const double *newest, int judged, double *e) {
  double w[DEGREES][DEGREES] = {{0}};
  if (s->sums) tr_predict_settle_sums(s);
  const void *older[DEGREES];
  for (int j = 0; j < DEGREES; j++) older[j] = s->past_a.older[j < judged ? j : 0];
  for (int k = 0; k < judged; k++) weigh(k + 1, s->past_t + 1, s->past_t[0], w[k]);
  judge(s->past_a.narrow, s->sys->nv, newest, older, w, e);
}

// Mostly the first number tells.
static bool all_below(double most, const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) < most)) return false;
  return true;
}

static int best_degree(tr_step *s, const double *newest) {
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

TR_INLINE double weighted(int n, const double *w, const double *x) {
  switch (n) {
    case TR_TERMS_LARGE:
      return ((w[0] * x[0] + w[1] * x[1]) + (w[2] * x[2] + w[3] * x[3])) +
             ((w[4] * x[4] + w[5] * x[5]) + (w[6] * x[6] + w[7] * x[7]));
    case TR_TERMS:
      return (w[0] * x[0] + w[1] * x[1]) + (w[2] * x[2] + w[3] * x[3]) +
             (w[4] * x[4] + w[5] * x[5]);
    case 4: return (w[0] * x[0] + w[1] * x[1]) + (w[2] * x[2] + w[3] * x[3]);
    case 3: return w[0] * x[0] + w[1] * x[1] + w[2] * x[2];
    case 2: return w[0] * x[0] + w[1] * x[1];
    default: return x[0];
  }
}

// Fresh: out still has the state before the newest.
TR_INLINE void combine_terms(int n, bool narrow, bool fresh, const tr_outlook *c, int size,
                             double *restrict out, float *restrict change) {
  const double *w = c->w, *newest = c->newest;
  const void *older[TR_TERMS_MAX];
#pragma GCC unroll 8
  for (int k = 1; k < n; k++) older[k] = c->past->older[k - 1];
  for (int i = 0; i < size; i++) {
    double x[TR_TERMS_MAX] = {newest[i]};
    if (fresh) change[i] = tr_past_narrow(newest[i] - out[i]);
#pragma GCC unroll 8
    for (int k = 1; k < n; k++)
      x[k] = fresh && k == 1 ? (double)change[i] : tr_past_at(narrow, older[k], i);
    out[i] = weighted(n, w, x);
  }
}

TR_INLINE void combine_kind(int n, const tr_outlook *c, int size) {
  const tr_past *p = c->past;
  if (!p->narrow && n <= TR_TERMS)
    combine_terms(n, false, false, c, size, c->out, NULL);
  else if (p->fresh)
    combine_terms(n, true, true, c, size, c->out, p->older[0]);
  else
    combine_terms(n, true, false, c, size, c->out, NULL);
}

// out = w_0 newest + w_1 older_0 + ..
TR_INLINE void combine_all(const tr_outlook *c, int size) {
  switch (c->n) {
    case TR_TERMS_LARGE: combine_kind(TR_TERMS_LARGE, c, size); break;
    case TR_TERMS: combine_kind(TR_TERMS, c, size); break;
    case 4: combine_kind(4, c, size); break;
    case 3: combine_kind(3, c, size); break;
    case 2: combine_kind(2, c, size); break;
    default: combine_kind(1, c, size);
  }
}

TR_WIDE(combine_here, combine_all, (const tr_outlook *c, int size), (c, size))

void tr_predict_some(const tr_outlook *c, int first, int end) {
  tr_past p = tr_past_from(c->past, first);
  combine_here(&(tr_outlook){c->n, c->w, c->newest + first, &p, c->out + first}, end - first);
}

static void combine_part(void *what, int part, int first, int end) {
  (void)part;
  tr_predict_some(what, first, end);
}

static inline void combine(const tr_work *by, int size, tr_outlook *c) {
  if (by->team)
    tr_team_ranges(by->team, size, TR_GRAIN_NUMBERS, combine_part, c);
  else
    combine_here(c, size);
}

void tr_predict_now(tr_step *s) {
  TR_SHARE(s->work, s->sys->nv, combine_part, &s->ahead_a);
  TR_SHARE(s->work, s->sys->nc, combine_part, &s->ahead_lam);
  tr_have_predicted(s);
}

void tr_predict(tr_step *s, const tr_state *x0, double t, tr_state *x1) {
  if (s->pins) choose_sums(s, x0, t);
  course newest = newest_of(s, x0);
  double w[TR_TERMS_MAX] = {1}, *a = s->sums ? s->sum_a : x1->a,
         *lam = s->sums ? s->sum_lam : x1->lam;
  int degree = s->settings.fixed_iterations > 0 ? 0 : (int)s->settings.predictor;
  if (degree > 0) {
    int best = best_degree(s, newest.a);
    degree = best < degree ? best : degree;
  }
  s->degree = degree;
  const tr_trend *ta = &s->trend_a, *tl = &s->trend_lam;
  int n = degree + 1 < s->past ? degree + 1 : s->past;
  bool goes_on = s->settings.predictor == TR_PREDICT_TREND && even(s, t);
  bool trend_a = goes_on && trusted(ta, degree), trend_lam = goes_on && trusted(tl, degree);
  if (!trend_a || !trend_lam) weigh(n, s->past_t, t, w), tr_past_weigh(&s->past_a, n, w);
  tr_outlook to_a = {trend_a ? s->terms : n, trend_a ? ta->w : w, newest.a, &s->past_a, a};
  tr_outlook to_lam = {trend_lam ? s->terms : n, trend_lam ? tl->w : w, newest.lam, &s->past_lam,
                       lam};
  s->summed = s->sums;
  // what a method begins with may be in the rooms of the past
  if (s->later && s->last_h > 0) {
    memcpy(s->ahead_w, w, sizeof w);
    s->ahead_a = to_a, s->ahead_lam = to_lam;
    if (!trend_a) s->ahead_a.w = s->ahead_w;
    if (!trend_lam) s->ahead_lam.w = s->ahead_w;
    s->ahead = true;
    return;
  }
  combine(s->work, s->sys->nv, &to_a);
  combine(s->work, s->sys->nc, &to_lam);
  s->past_a.fresh = s->past_lam.fresh = false;
}

// Where there are many, some velocities stand for all: every so many, and not the same of each body, which have 2, 3 or 6.
static int w_stride(const tr_step *s) {
  enum { SOME = 16 };
  return s->sys->nv <= 2 * SOME ? 1 : s->sys->nv / SOME / 6 * 6 + 5;
}

// The best degree for w: by squares of its newest differences. What grows with each of these is noise, round-off and what
// the iteration leaves open: then the last one is the best guess.
static int w_degree(const tr_step *s) {
  const tr_past *p = &s->past_w;
  double e0 = 0, e1 = 0, e2 = 0;
  for (int i = 0, stride = w_stride(s); i < s->sys->nv; i += stride) {
    double x = tr_past_change(p, s->last_w, s->w, 0, i);
    double y = tr_past_change(p, s->last_w, s->w, 1, i);
    double z = tr_past_change(p, s->last_w, s->w, 2, i);
    e0 += x * x;
    x -= y, y -= z;
    e1 += x * x;
    x -= y;
    e2 += x * x;
  }
  return e0 <= e1 && e1 <= e2 ? 0 : DEGREES - 1;
}

TR_INLINE tr_outlook look_ahead_w(tr_step *s, double t) {
  double *line = s->line;
  const double *w = line;
  line[0] = 2, line[1] = -1; // of two states if there are few corrections
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
  if (s->past_w.narrow && !goes_on) {
    if (w != line) memcpy(line, w, (size_t)n * sizeof *line);
    tr_past_weigh(&s->past_w, n, line), w = line;
  }
  return (tr_outlook){n, w, s->last_w, &s->past_w, s->w}; // mu follows w
}

tr_outlook tr_look_ahead_w(tr_step *s, double t) { return look_ahead_w(s, t); }

void tr_predict_w(tr_step *s, double t) {
  tr_outlook x = look_ahead_w(s, t);
  combine(s->work, s->sys->nv + s->sys->nc, &x);
  s->past_w.fresh = false;
}
