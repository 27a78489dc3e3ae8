// SPDX-License-Identifier: Apache-2.0
// Velocities of corrector_si2.c, whose symbols these are, where all constraints are pins and no force reads velocities:
// then these act on positions by gyroscopic forces alone, and the halves are solved one after the other. With the
// positions found, u = v1 + f w, f = cv cw/cq, is what v1 is without w, and e3 = 0, e4 = 0 are
//   S x = G u,   S = G X^-1 G',   v1 = u - X^-1 G' x,   w = X^-1 G' x/f,   mu = cm x/f
// Nothing of w and mu is needed before that, nor afterwards, if forces do not feel the difference of u and v1 (s->sums):
//   a1 = sum_a - X^-1 G' x/cv,   lam1 = sum_lam + cm/cv x
// If they do, or bodies turn too far, w is predicted in the steps to come, and all is as it is elsewhere.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "corrector_si2.h"
#include "math/lanes.h"
#include "math/vector.h"
#include "system/pins.h"

// The share of the tolerance for what the change of w leaves in positions.
static const double SHARE = 0.25;

// Corrections of a step, a matrix counted as so many of them, from which on it pays and to which it goes on; of how many steps
// the mean is. Loops need matrices next to singular positions, which pass: these are not to change it.
typedef struct pay {
  double from, to, fade;
} pay;
static const double MATRIX = 2.5;
static const pay OPEN = {2.4, 1.5, 0.1}, LOOPS = {3, 2, 0.02};
// At first it is of all steps, and so many before.
enum { EARLY = 10 };
// What they are taken for where halves go together again: that takes new matrices, which are not to count.
static const double JOINTLY = 1;

// Unknowns up to which it does not pay where gyroscopic forces see the change of velocities, and a correction more is due to
// that; what such a step counts less. Larger ones go on all the same.
enum { SMALL = 64 };
static const double AGAIN = 10;
// Steps in which both halves go together after one in which S was of no use, or the matrix nearly singular: at first, and at
// most.
enum { JOINED_FIRST = 32, JOINED_MOST = 512 };

// Steps in which w is predicted after one whose forces felt it: at first, and at most.
enum { FELT_FIRST = 64, FELT_MOST = 4096 };

// Steps in a row with a projection after which sums are predicted, for their past begins anew; in large systems at once.
enum { APART_LONG = 32 };

// No loops, or one that hangs on nothing.
static bool is_open(const tr_step *s) { return s->sys->njoint <= s->sys->nbody; }
static const pay *pays(const tr_step *s) { return is_open(s) ? &OPEN : &LOOPS; }

// Where one correction by an old matrix is enough, two right-hand sides of it are cheaper. A refusal is forgotten by as many
// steps as it makes wait.
void tr_si2_learn(tr_step *s, const correction *k, long corrections, long matrices) {
  double count = (double)corrections + MATRIX * (double)matrices;
  s->effort += max2(pays(s)->fade, 1.0 / (EARLY + s->efforts)) * (count - s->effort);
  if (s->efforts < INT_MAX - EARLY) s->efforts++;
  if (k->apart && s->joins > 0) s->joins--;
  if (s->felt > 0)
    s->felt--;
  else if (s->feels > 0)
    s->feels--;
  s->summable = s->apart && s->summable < APART_LONG ? s->summable + 1 : s->apart ? APART_LONG : 0;
  bool was = s->apart;
  if (s->joined > 0)
    s->joined--, s->apart = false;
  else
    s->apart = s->effort > (s->apart ? pays(s)->to : pays(s)->from);
  if (was && !s->apart && s->joined == 0) s->effort = JOINTLY;
}

// What tr_si2_projects asks for besides, of a step that is still to come. Loops have singular positions, next to which halves go
// together, and w had better be known.
static bool may_ever_project(const tr_step *s) {
  return is_open(s) && s->pins && tr_step_steady(s) && s->settings.fixed_iterations == 0 &&
         !s->c.unit_metric && !s->kkt.mask;
}

// In large systems w has no room before it is needed.
void tr_si2_learn_anew(tr_step *s) {
  s->apart = s->past_a.narrow && may_ever_project(s);
  s->effort = s->apart ? OPEN.from : is_open(s) ? 0 : 0.5 * (LOOPS.from + LOOPS.to);
  s->efforts = 0;
  s->felt = s->feels = 0, s->summable = s->apart ? APART_LONG : 0;
}

bool tr_si2_sums_pay(const tr_step *s) {
  bool long_apart = s->summable == APART_LONG || s->past_a.narrow;
  return long_apart && s->felt == 0 && may_ever_project(s);
}

// ---- the first half -----------------------------------------------------------------------------------

void tr_si2_tell(correction *k) {
  const tr_step *s = k->s;
  double ratio = k->ratio;
  if (k->sums) memset(s->w, 0, (size_t)(s->sys->nv + s->sys->nc) * sizeof *s->w); // and mu
  k->sums = false;
  for (int i = 0; i < s->sys->nv; i++) k->x1->a[i] = s->sum_a[i] - ratio * s->w[i];
  for (int i = 0; i < s->sys->nc; i++) k->x1->lam[i] = s->sum_lam[i] + ratio * s->mu[i];
}

void tr_si2_join(correction *k) {
  tr_step *s = k->s;
  tr_si2_tell(k);
  s->top_d = -1, s->change = INFINITY;
  k->apart = k->parted = k->p.finishes = false;
  k->p.inexact = true, k->p.finish = tr_si2_finish, k->p.advance = NULL;
  s->joins = s->joins < JOINED_FIRST ? JOINED_FIRST : 2 * s->joins;
  if (s->joins > JOINED_MOST) s->joins = JOINED_MOST;
  s->joined = s->joins;
}

// ---- the second ---------------------------------------------------------------------------------------

typedef struct projection {
  const correction *k;
  double f;
  bool walks;
  double *x;
  double top[TR_TEAM_MAX], top_a[TR_TEAM_MAX]; // the largest velocity, acceleration, of each hand
} projection;

TR_INLINE void add_all(int n, double f, const double *restrict w, double *restrict v) {
  for (int i = 0; i < n; i++) v[i] += f * w[i];
}
TR_WIDE(add, add_all, (int n, double f, const double *w, double *v), (n, f, w, v))

// v -= dv, a = sum - dv/cv, which comes as dv
TR_INLINE void give_all(int n, double icv, const double *restrict sum, double *restrict a,
                        double *restrict v) {
  for (int i = 0; i < n; i++) v[i] -= a[i], a[i] = sum[i] - icv * a[i];
}
TR_WIDE(give, give_all, (int n, double icv, const double *sum, double *a, double *v),
        (n, icv, sum, a, v))

// v -= dv, w = dv/f, a = sum - ratio w, which comes as dv
TR_INLINE void take_all(int n, double g, double ratio, const double *restrict sum,
                        double *restrict w, double *restrict a, double *restrict v) {
  for (int i = 0; i < n; i++) {
    double now = g * a[i];
    v[i] -= a[i], a[i] = sum[i] - ratio * now, w[i] = now;
  }
}
TR_WIDE(take, take_all,
        (int n, double g, double ratio, const double *sum, double *w, double *a, double *v),
        (n, g, ratio, sum, w, a, v))

TR_INLINE void add_part(void *what, int part, int first, int end) {
  const projection *j = what;
  (void)part;
  add(end - first, j->f, j->k->s->w + first, j->k->x1->v + first);
}

// What was just written is looked at while it is at hand.
TR_INLINE void take_part(void *what, int part, int first, int end) {
  projection *j = what;
  const correction *k = j->k;
  const tr_step *s = k->s;
  double *v = k->x1->v + first, *a = k->x1->a + first;
  int n = end - first;
  if (k->sums)
    give(n, 1 / s->c.cv, s->sum_a + first, a, v);
  else
    take(n, 1 / j->f, k->ratio, s->sum_a + first, s->w + first, a, v);
  if (!j->walks) return;
  j->top[part] = max2(j->top[part], vec_largest(v, n));
  j->top_a[part] = max2(j->top_a[part], vec_largest(a, n));
}

// mu of x in its place, lam
TR_INLINE void scale_all(int n, double g, double ratio, const double *restrict sum,
                         double *restrict mu, double *restrict lam) {
  for (int i = 0; i < n; i++) mu[i] *= g, lam[i] = sum[i] + ratio * mu[i];
}
TR_WIDE(scale, scale_all,
        (int n, double g, double ratio, const double *sum, double *mu, double *lam),
        (n, g, ratio, sum, mu, lam))

// lam of x alone
TR_INLINE void pull_all(int n, double g, const double *restrict sum, const double *restrict x,
                        double *restrict lam) {
  for (int i = 0; i < n; i++) lam[i] = sum[i] + g * x[i];
}
TR_WIDE(pull, pull_all, (int n, double g, const double *sum, const double *x, double *lam),
        (n, g, sum, x, lam))

TR_INLINE void mu_part(void *what, int part, int first, int end) {
  const projection *j = what;
  const tr_step *s = j->k->s;
  (void)part;
  if (j->k->sums)
    pull(end - first, s->c.cm / s->c.cv, s->sum_lam + first, j->x + first, j->k->x1->lam + first);
  else
    scale(end - first, s->c.cm / j->f, j->k->ratio, s->sum_lam + first, j->x + first,
          j->k->x1->lam + first);
}

void tr_si2_feel(tr_step *s) {
  s->feels = s->feels < FELT_FIRST ? FELT_FIRST : s->feels < FELT_MOST ? 2 * s->feels : FELT_MOST;
  s->felt = s->feels;
}

// Forces feel w: it is known from here on, by a = sum - ratio w.
static void tell_w(correction *k, const double *x) {
  tr_step *s = k->s;
  double of_a = s->c.cq / s->c.cw, of_x = s->c.cm * of_a / s->c.cv;
  for (int i = 0; i < s->sys->nv; i++) s->w[i] = of_a * (s->sum_a[i] - k->x1->a[i]);
  for (int i = 0; i < s->sys->nc; i++) s->mu[i] = of_x * x[i];
  k->sums = false;
  tr_si2_feel(s);
}

// Where S is of no use the iteration goes on with both halves.
tr_status tr_si2_project(tr_newton_problem *p, int since) {
  correction *k = (correction *)p;
  tr_step *s = k->s;
  int nv = s->sys->nv;
  projection j;
  j.k = k, j.f = s->c.cv * k->ratio, j.walks = tr_si2_walks(k), j.x = s->mu;
  for (int i = 0; j.walks && i < tr_team_size(s->work->team); i++) j.top[i] = j.top_a[i] = 0;
  if (k->sums && s->kkt.factors) j.x = s->kkt.work;
  (void)since;
  if (!k->sums) TR_SHARE(s->work, nv, add_part, &j);
  if (!tr_pins_solve(s->work, s->pins, k->x1->q, k->x1->v, j.x)) {
    j.f = -j.f;
    if (!k->sums) TR_SHARE(s->work, nv, add_part, &j);
    tr_si2_join(k);
    s->newton.valid = false;
    return TR_NO_CONVERGENCE;
  }
  double little = SHARE * p->tol * s->c.cm / s->c.cv, f = k->sums ? 0 : j.f;
  const double *was = k->sums ? k->x1->v : s->w; // with f = 0 any
  double turned = tr_pins_pull(s->work, s->pins, k->x1->q, k->x1->v, little, f, was, j.x, k->x1->a,
                               j.walks ? &(tr_pins_taking){take_part, &j} : NULL);
  if (!j.walks) TR_SHARE(s->work, nv, take_part, &j);
  TR_SHARE(s->work, s->sys->nc, mu_part, &j);
  k->led.v = k->led.a = 0;
  for (int i = 0; j.walks && i < tr_team_size(s->work->team); i++)
    k->led.v = max2(k->led.v, j.top[i]), k->led.a = max2(k->led.a, j.top_a[i]);
  // x is in all velocities
  if (!isfinite(j.walks ? k->led.v : tr_largest(s->work, j.x, s->sys->nc))) return TR_NOT_FINITE;
  if (j.walks && s->top_v >= 0) s->change = s->top_v + k->led.v;
  if (j.walks && turned <= little) s->led = k->led;
  if (turned <= little) return TR_OK;
  if (k->sums) tell_w(k, j.x);
  if (s->sys->nv + s->sys->nc <= SMALL) s->effort -= AGAIN * pays(s)->fade;
  return TR_NO_CONVERGENCE;
}
