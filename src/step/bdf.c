// SPDX-License-Identifier: Apache-2.0
// Backward differences of fixed leading coefficient, order and step chosen as in DASSL [YP98].
//
// P_j is the polynomial through the last j + 1 points, yp = P_k(t1). The corrector's derivative at t1 is
//   y' = yp' + cj (y - yp),   cj = (1 + 1/2 + .. + 1/k)/h
// which is the classical formula where the steps have been equal. Steps that others choose may change
// wildly, which this does not bear: there y' is that of the polynomial through y and the last k points,
//   y' = P_{k-1}' + cj (y - P_{k-1}),   cj = sum_{i<=k} 1/psi_i,   psi_i = t1 - t_{n+1-i}
// Positions are increments from q_n, the coordinates of a chart that moves along: u = 0 at t_n, and earlier points
// are carried over from one to the next. On curved coordinates the rate of u is not v but u'(u, v); the difference
// is taken where the prediction leads, where it is wrong by O(h^{k+2}) in u.
//
// Under step control rotations are increments from an even turning, at the rate `spin` since t_n:
//   q(t) = q_n o exp(u) o exp((t - t_n) spin),   u' = u'(u, E (v - spin)),   E = exp((t - t_n) spin)
// A body that turns evenly has u = 0, however far it turns, and the iteration knows nothing but what is near the
// base q_n o E, where its increment d has u = E d. All the spins are taken anew where one is no longer what it was.
//
// Local errors: with alpha_i = h/psi_i, sigma_i = (i - 1) sigma_{i-1} alpha_i,
//   error of the step  max(alpha_{k+1}, |alpha_{k+1} + sum_{i<=k} (alpha_i - 1/i)|) |y - P_k(t1)|
//   at order j         sigma_{j+1} |y - P_j(t1)|,  times j + 1 a measure of h^{j+1} |y^(j+1)|
// Across a jump of a force the first will not do at order 1: P_1 is off by the acceleration before the jump, y by the
// one after it, and the two may cancel (for a force that changes its sign where h is half the last one). So there
// the error is not less than h |v - P_1(t1)|/6, which is h^3 |y'''|/6 in smooth steps that end without acceleration
// and of the size of what a jump does to y. From order 2 on y - P_k shows the jump alone.
// The order falls when these measures do not grow with it, and rises when they fall, after k + 1 equal
// steps. The step doubles or stays or falls by 0.5 .. 0.9, so that the matrix can be kept. Where nothing is stiff and orders
// 4 and 5 are asked for it grows by 1.4 .. 2, and unless there is next to no error after k + 1 equal steps, as the
// order does: on uneven grids the formulas err by more than the estimate tells. Nor does it double blindly in the first
// phase: in short steps an error of positions means a large one of velocities.
// From order 3 on the formulas amplify lightly damped oscillations of h omega below 2 to 8: they would grow until the
// error is all theirs and the step resolves them. They then show by measures that hardly fall from one order to the
// next, |y^(j+1)| h = omega h |y^(j)|; the order falls to 2, which damps all of them, and rests there (rings). From order 5,
// which amplifies what is damped by less than 0.6 of the critical too, it falls to 4 first, which wants 0.3.
// A start knows v and a: it gets a point before it, extrapolated backwards; with fixed steps by q''' too.
#include "bdf.h"

#include <math.h>
#include <string.h>

#include "math/lanes.h"

enum { KINDS = 2 };

// The angle by which a step may turn, and increments of the past may differ from even turning: the chart gets singular at
// a turn. And by which a spin may be wrong in a step: the past of order 5 is not wider then.
static const double WIDEST = 5, UNEVEN = 0.8;

tr_status tr_bdf_make(tr_step *s, int most, tr_bdf *b) {
  size_t nv = (size_t)s->sys->nv, nc = (size_t)s->sys->nc;
  double *p = TR_NEW(&s->arena, (2 * BDF_POINTS + 4) * nv + BDF_POINTS * nc, double);
  double *turn = s->sys->flat ? p : TR_NEW(&s->arena, 3 * nv + (size_t)s->sys->nq, double);
  if (!p || !turn) return TR_NO_MEMORY;
  *b = (tr_bdf){.most = most, .jerk = tr_jerk_new(s), .vibrates = s->sys->nforce > 0};
  for (int i = 0; i < s->sys->nbody; i++)
    b->vibrates |= s->sys->body[i].type->modes || !s->sys->body[i].type->coordinate_names;
  if (!b->jerk) return TR_NO_MEMORY;
  for (int i = 0; i < BDF_POINTS; i++)
    b->u[i] = p, b->v[i] = p + nv, b->lam[i] = p + 2 * nv, p += 2 * nv + nc;
  if (!s->sys->flat)
    b->spin = turn, b->end_dp = turn + nv, b->d = turn + 2 * nv, b->base = turn + 3 * nv;
  b->dp = p, b->ddp = p + nv, b->vp = p + 2 * nv, b->dvp = p + 3 * nv;
  return TR_OK;
}

void tr_bdf_orders(int most, int order[3]) { order[0] = order[1] = order[2] = most < 3 ? most : 3; }

void tr_bdf_begin(tr_bdf *b, const tr_step *s, const tr_state *x) {
  size_t size = (size_t)s->sys->nv * sizeof(double);
  memset(b->u[0], 0, size);
  memcpy(b->v[0], x->v, size);
  memcpy(b->lam[0], x->lam, (size_t)s->sys->nc * sizeof(double));
  b->points = b->lams = b->next = b->last_order = 1;
  b->equal = b->fails = b->ringing = b->rest = b->last_rest = 0;
  b->here = b->less = 0;
  b->last_h = 0;
  b->grown = b->spins = false;
  if (b->spin) memset(b->spin, 0, size);
}

void tr_bdf_rows(tr_bdf *b, const tr_step *s, const tr_state *x) {
  memcpy(b->lam[0], x->lam, (size_t)s->sys->nc * sizeof(double));
  b->lams = 1;
}

// The weights of all orders from one table of inverse distances: with x_i = t1 - t_{n-i}, X = prod x_j
//   value_i = X/x_i prod_{j != i} 1/(t_{n-i} - t_{n-j}),   slope_i = value_i sum_{j != i} 1/x_j
static void weigh(tr_bdf *b, int most) {
  // those of the last step where the grid is the same
  bool same = b->weighed >= most && b->weighed_h == b->h;
  for (int m = 0; same && m < most; m++) same = b->weighed_apart[m] == b->apart[m];
  if (same) return;
  b->weighed = most, b->weighed_h = b->h;
  memcpy(b->weighed_apart, b->apart, sizeof b->apart);
  double back[BDF_POINTS] = {0}, inverse[BDF_POINTS], factor[BDF_POINTS], X = 1, sum = 0;
  for (int m = 0; m <= most; m++) {
    if (m > 0) back[m] = back[m - 1] + b->apart[m - 1]; // t_n - t_{n-m}
    inverse[m] = 1 / (b->h + back[m]);
    X *= b->h + back[m], sum += inverse[m];
    factor[m] = 1;
    for (int i = 0; i < m; i++) {
      double d = 1 / (back[m] - back[i]);
      factor[i] *= d, factor[m] *= -d;
    }
    for (int i = 0; i <= m; i++) {
      b->value[m][i] = X * inverse[i] * factor[i];
      b->slope[m][i] = b->value[m][i] * (sum - inverse[i]);
    }
  }
}

// out[m] = sum_k w[m][k] y[k], sums of `count` kinds at once, n numbers each
TR_INLINE void combine_n(int n, int count, const double *const *w, double *const *y, int size,
                         double *const *out) {
  int i = 0;
  for (; i + LANES <= size; i += LANES) {
    lanes sum[KINDS] = {{0}};
    for (int k = 0; k < n; k++) {
      lanes x = *(const lanes_anywhere *)(y[k] + i);
      for (int m = 0; m < count; m++) sum[m] += w[m][k] * x;
    }
    for (int m = 0; m < count; m++) *(lanes_anywhere *)(out[m] + i) = sum[m];
  }
  for (; i < size; i++)
    for (int m = 0; m < count; m++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += w[m][k] * y[k][i];
      out[m][i] = sum;
    }
}

TR_INLINE void combine_any(int n, int count, const double *const *w, double *const *y, int size,
                           double *const *out) {
  if (count == 1)
    combine_n(n, 1, w, y, size, out);
  else
    combine_n(n, 2, w, y, size, out);
}

TR_WIDE(combine_kinds, combine_any,
        (int n, int count, const double *const *w, double *const *y, int size, double *const *out),
        (n, count, w, y, size, out))

typedef struct sums {
  int n, count;
  const double *const *w;
  double *const *y, *const *out;
} sums;

static void sums_part(void *what, int part, int first, int end) {
  const sums *k = what;
  double *y[BDF_POINTS], *out[KINDS];
  (void)part;
  for (int i = 0; i < k->n; i++) y[i] = k->y[i] + first;
  for (int m = 0; m < k->count; m++) out[m] = k->out[m] + first;
  combine_kinds(k->n, k->count, k->w, y, end - first, out);
}

static void combine_both(const tr_step *s, int n, const double *const *w, double *const *y,
                         double *const *out) {
  if (s->work->team)
    TR_SHARE(s->work, s->sys->nv, sums_part, &(sums){n, KINDS, w, y, out});
  else
    combine_kinds(n, KINDS, w, y, s->sys->nv, out);
}

static void combine(const tr_step *s, int n, const double *w, double *const *y, int size,
                    double *out) {
  if (s->work->team)
    TR_SHARE(s->work, size, sums_part, &(sums){n, 1, &w, y, &out});
  else
    combine_kinds(n, 1, &w, y, size, &out);
}

// A point before the start, for order 2 from the first of fixed steps on. Counted when the step is taken.
static bool make_past(tr_bdf *b, tr_step *s, const tr_state *x0, double h) {
  if (b->points > 1 || b->most < 2 || s->allowed > 0) return false;
  if (!tr_jerk_past(s, b->jerk, x0, h, 0, b->u[1], b->v[1], s->c.dhat)) return false;
  for (int i = 0; i < s->sys->nv; i++) {
    b->u[1][i] = -b->u[1][i];
    b->v[1][i] = x0->v[i] - b->v[1][i];
  }
  b->apart[0] = h;
  return true;
}

// The base of the step, where there is one.
static void place_base(tr_bdf *b, tr_step *s, const tr_state *x0, double h) {
  s->base = b->spins ? b->base : NULL;
  if (!b->spins) return;
  for (int i = 0; i < s->sys->nv; i++) s->work->x[i] = h * b->spin[i];
  tr_retract_shared(s->work, x0->q, s->work->x, b->base);
}

void tr_bdf_predict(tr_bdf *b, tr_step *s, const tr_state *x0, double h) {
  int nv = s->sys->nv;
  bool chosen = s->allowed > 0; // by tr_bdf_choose
  double psi = h;
  b->h = h;
  place_base(b, s, x0, h);
  b->order = make_past(b, s, x0, h) ? 2 : b->next;
  b->cj = 0;
  for (int i = 1; i <= b->order; i++) {
    b->cj += 1 / (chosen ? i * h : psi);
    psi += b->apart[i - 1];
  }
  if (chosen && b->points == 1) { // the tangent at the start
    weigh(b, 0);
    for (int i = 0; i < nv; i++) {
      b->dp[i] = h * x0->v[i], b->ddp[i] = x0->v[i];
      b->vp[i] = x0->v[i] + h * x0->a[i], b->dvp[i] = x0->a[i];
    }
    return;
  }
  int n = chosen ? b->order + 1 : b->order;
  int points = b->points < b->order ? b->order : b->points; // with make_past's
  weigh(b, b->order + 1 < points ? b->order + 1 : points - 1);
  const double *value = b->value[n - 1], *slope = b->slope[n - 1];
  const double *const w[KINDS] = {value, slope};
  double *const of_u[KINDS] = {b->dp, b->ddp}, *const of_v[KINDS] = {b->vp, b->dvp};
  combine_both(s, n, w, b->u, of_u);
  combine_both(s, n, w, b->v, of_v);
}

typedef struct formula {
  const tr_bdf *b;
  const tr_corrector *c;
  const double *rate;
} formula;

TR_INLINE void corrector_part(void *what, int part, int first, int end) {
  const tr_bdf *b = ((formula *)what)->b;
  const tr_corrector *c = ((formula *)what)->c;
  double now = 1 / b->cj;
  (void)part;
  for (int i = first; i < end; i++) {
    c->vhat[i] = b->vp[i] - now * b->dvp[i];
    c->dhat[i] = b->dp[i] + now * (c->vhat[i] - b->ddp[i]);
  }
}

TR_INLINE void curved_part(void *what, int part, int first, int end) {
  const formula *f = what;
  double now = 1 / f->b->cj;
  (void)part;
  for (int i = first; i < end; i++) f->c->dhat[i] += now * (f->rate[i] - f->b->vp[i]);
}

// d1 = dp + (v1 + u'(dp, vp) - vp + w - dp')/cj,   v1 = vp + (a1 - vp')/cj
void tr_bdf_corrector(const tr_bdf *b, tr_step *s) {
  tr_corrector *c = &s->c;
  double now = 1 / b->cj;
  c->cq = now * now, c->cv = c->cw = now, c->cm = 1;
  c->few = s->allowed > 0;
  c->brisk = c->few && b->most > 2;
  c->blocks = s->sys->constant_mass ? s->sys->mass : NULL;
  TR_SHARE(s->work, s->sys->nv, corrector_part, &(formula){.b = b, .c = c});
  if (s->sys->flat) return;
  double *rate = s->work->x, *v = s->work->y;
  const double *dp = b->dp;
  tr_copy(s->work, b->vp, v, s->sys->nv);
  if (b->spins) { // in axes of the base
    for (int i = 0; i < s->sys->nv; i++)
      c->dhat[i] = b->dp[i] - now * b->ddp[i], b->end_dp[i] = b->dp[i], v[i] -= b->spin[i];
    tr_turn_increment(s->work, b->spin, -b->h, c->dhat);
    tr_turn_increment(s->work, b->spin, -b->h, b->end_dp);
    for (int i = 0; i < s->sys->nv; i++) c->dhat[i] += now * c->vhat[i];
    dp = b->end_dp;
  }
  tr_increment_rate_shared(s->work, dp, v, rate);
  TR_SHARE(s->work, s->sys->nv, curved_part, &(formula){.b = b, .c = c, .rate = rate});
}

tr_status tr_bdf_finish(tr_bdf *b, tr_step *s, tr_status status) {
  s->base = NULL;
  if (!b->spins || status != TR_OK) return status;
  memcpy(b->d, s->d, (size_t)s->sys->nv * sizeof *b->d);
  tr_turn_increment(s->work, b->spin, b->h, b->d);
  for (int i = 0; i < s->sys->nv; i++) s->work->x[i] = -b->h * b->spin[i];
  tr_shift_increment(s->work, s->work->x, s->d);
  return TR_OK;
}

void tr_bdf_start(const tr_bdf *b, const tr_step *s, tr_state *x1) {
  int nv = s->sys->nv, k = b->order;
  tr_copy(s->work, b->dvp, x1->a, nv);
  if (k > 2 && k + 1 < b->points && !s->stiff) { // on P_{k+1}
    double *p = s->work->x;
    combine(s, k + 2, b->value[k + 1], b->v, nv, p);
    for (int i = 0; i < nv; i++) x1->a[i] += b->cj * (p[i] - b->vp[i]);
  }
  int n = b->order > 2 ? b->order : b->order + 1; // a degree less than the rest: they are noisier
  if (n > b->lams) n = b->lams;
  combine(s, n, b->value[n - 1], b->lam, s->sys->nc, x1->lam);
}

// The past as increments from x1, and with other spins where those are wrong: with t = t1 - t_k, and d in axes of the base,
//   exp(u_k) := exp(-d) exp(E^-1 u_k) exp(-t spin) exp(t new)
static void carry(tr_bdf *b, const tr_step *s, const tr_state *x1) {
  const tr_system *sys = s->sys;
  int nv = sys->nv;
  double *u, *by = s->work->x, *d = s->work->y, *spin = b->end_dp, t = 0;
  tr_copy(s->work, b->spins ? b->d : s->d, d, nv);
  if (b->spins) tr_turn_increment(s->work, b->spin, -b->h, d);
  bool anew =
      s->allowed > 0 && !sys->flat && b->h * tr_largest_turn(s->work, x1->v, b->spin) > UNEVEN;
  if (anew) { // or none, where nothing turns fast any more
    memset(spin, 0, (size_t)nv * sizeof *spin);
    if (b->h * tr_largest_turn(s->work, x1->v, spin) > UNEVEN) tr_take_turns(sys, x1->v, spin);
  }
  for (int k = 1; k < b->points; k++) {
    u = b->u[k], t += b->apart[k - 1];
    if (b->spins) tr_turn_increment(s->work, b->spin, -b->h, u);
    double angle = tr_shift_increment(s->work, d, u);
    if (anew) {
      double *more = b->dp;
      for (int i = 0; i < nv; i++) by[i] = t * b->spin[i], more[i] = t * spin[i];
      tr_shift_increment(s->work, by, more);
      for (int i = 0; i < nv; i++) u[i] = -u[i];
      angle = tr_shift_increment(s->work, more, u);
      for (int i = 0; i < nv; i++) u[i] = -u[i];
    }
    if (angle > WIDEST) b->points = k;
  }
  if (!anew) return;
  memcpy(b->spin, spin, (size_t)nv * sizeof *spin);
  memset(spin, 0, (size_t)nv * sizeof *spin);
  b->spins = tr_largest_turn(s->work, b->spin, spin) > 0;
}

void tr_bdf_accept(tr_bdf *b, const tr_step *s, const tr_state *x0, const tr_state *x1) {
  int nv = s->sys->nv, last = BDF_POINTS - 1;
  double h = b->h;
  if (s->allowed > 0 && b->points == 1) { // a point before the start
    for (int i = 0; i < nv; i++) {
      b->u[1][i] = -h * x0->v[i] + 0.5 * h * h * x0->a[i]; // nothing spins yet
      b->v[1][i] = x0->v[i] - h * x0->a[i];
    }
    b->apart[0] = h;
    b->points = 2;
  }
  if (b->points < b->order) b->points = b->order; // make_past's
  double *u = b->u[last], *v = b->v[last], *lam = b->lam[last];
  for (int i = last; i > 0; i--) {
    b->u[i] = b->u[i - 1], b->v[i] = b->v[i - 1], b->lam[i] = b->lam[i - 1];
    b->apart[i] = b->apart[i - 1];
  }
  b->u[0] = u, b->v[0] = v, b->lam[0] = lam, b->apart[0] = h;
  if (b->points < BDF_POINTS) b->points++;
  if (b->lams < BDF_POINTS) b->lams++;
  carry(b, s, x1);
  memset(u, 0, (size_t)nv * sizeof *u);
  tr_copy(s->work, x1->v, v, nv);
  tr_copy(s->work, x1->lam, lam, s->sys->nc);
  bool same = fabs(h - b->last_h) <= 1e-9 * h && b->order == b->last_order;
  b->equal = same ? b->equal + 1 : 1;
  if (b->lams > b->points) b->lams = b->points;
  int bears = s->allowed > 0 ? b->points - 1 : b->points;
  if (!(s->allowed > 0)) b->next = b->most;
  if (b->next > bears) b->next = bears > 1 ? bears : 1;
  b->last_h = h, b->last_order = b->order;
  b->fails = 0;
}

// As many points before the last one as the order needs.
int tr_bdf_past(tr_bdf *b, double **vectors) {
  int n = (b->points < b->most ? b->points : b->most) - 1;
  for (int i = 0; i < n; i++) vectors[2 * i] = b->u[i + 1], vectors[2 * i + 1] = b->v[i + 1];
  return 2 * n;
}

void tr_bdf_resume(tr_bdf *b, double h, int vectors) {
  b->points = b->next = b->order = b->last_order = vectors / 2 + 1;
  for (int i = 0; i < b->points; i++) b->apart[i] = h;
  b->last_h = h;
}

// ---- step control ---------------------------------------------------------------------------------

// sum_i ((now_i - sum_k w_k y_ki)/scale_i)^2
TR_INLINE void deviate_all(int n, const double *w, double *const *y, int size, const double *now,
                           const double *scale, double *out) {
  lanes total = {0};
  int i = 0;
  for (; i + LANES <= size; i += LANES) {
    lanes e = *(const lanes_anywhere *)(now + i);
    for (int k = 0; k < n; k++) e -= w[k] * *(const lanes_anywhere *)(y[k] + i);
    e /= *(const lanes_anywhere *)(scale + i);
    total += e * e;
  }
  *out = (total[0] + total[1]) + (total[2] + total[3]);
  for (; i < size; i++) {
    double e = now[i];
    for (int k = 0; k < n; k++) e -= w[k] * y[k][i];
    e /= scale[i];
    *out += e * e;
  }
}

TR_WIDE(deviate_wide, deviate_all,
        (int n, const double *w, double *const *y, int size, const double *now, const double *scale,
         double *out),
        (n, w, y, size, now, scale, out))

typedef struct deviation {
  int n;
  const double *w;
  double *const *y;
  const double *now, *scale;
} deviation;

static double deviate_part(void *what, int chunk, int first, int end) {
  const deviation *k = what;
  double *y[BDF_POINTS], sum;
  (void)chunk;
  for (int i = 0; i < k->n; i++) y[i] = k->y[i] + first;
  deviate_wide(k->n, k->w, y, end - first, k->now + first, k->scale + first, &sum);
  return sum;
}

// |y - P_order(t1)|, root mean square over the coordinates that count.
static double deviate(const tr_bdf *b, const tr_step *s, double *const *y, const double *now,
                      const double *scale, int order, int *worst) {
  double *p = s->work->x, sum = 0, most = 0;
  int count = 0;
  if (!worst && !b->without && s->sys->nnumber == 0 && b->points > 1 && s->sys->nv > 0) {
    deviation k = {order + 1, b->value[order], y, now, scale};
    return sqrt(tr_sum(s->work, s->sys->nv, deviate_part, &k) / s->sys->nv);
  }
  if (b->points == 1 || order == b->order)
    p = y == b->u ? b->dp : b->vp;
  else
    combine(s, order + 1, b->value[order], y, s->sys->nv, p);
  bool all = !b->without || !memchr(b->without, false, (size_t)s->sys->nv); // or no one counts
  for (int i = 0; i < s->sys->nv; i++) {
    if (!all && b->without[i]) continue;
    if (s->sys->number[i] && (y == b->v || isinf(scale[i]))) continue; // see estimate.c
    double e = (now[i] - p[i]) / scale[i];
    sum += e * e;
    count++;
    if (worst && fabs(e) > most) most = fabs(e), *worst = i;
  }
  return count > 0 ? sqrt(sum / count) : 0;
}

// The next step might be of a higher order.
static bool may_rise(const tr_bdf *b) {
  int k = b->order;
  return k < (b->rest > 0 ? b->calm : b->most) && b->equal + 1 > k + 1 && b->last_order == k &&
         k + 1 <= b->points - 1;
}

double tr_bdf_error(tr_bdf *b, const tr_step *s, const tr_state *x1, bool velocity, int *worst) {
  int k = b->order;
  double alpha[BDF_POINTS + 1], psi = b->h, sigma[BDF_POINTS + 1], leading = 0;
  alpha[1] = sigma[1] = 1;
  for (int i = 2; i <= k + 1; i++) {
    psi += i - 2 < b->points - 1 ? b->apart[i - 2] : b->h;
    alpha[i] = b->h / psi;
    sigma[i] = (i - 1) * sigma[i - 1] * alpha[i];
  }
  for (int i = 1; i <= k; i++) leading += alpha[i] - 1.0 / i;
  for (int j = 0; j < 4; j++) {
    int order = k - 2 + j;
    b->tau[j] = b->sigma[j] = 0;
    if (order < 1 || order > b->points - 1 + (b->points == 1)) continue;
    if (j == 3 && !may_rise(b)) continue;
    double e =
        deviate(b, s, b->u, b->spins ? b->d : s->d, s->scale_q, order, j == 2 ? worst : NULL);
    // velocities in axes that turn fast are what is wrong first
    if (b->spins) e = fmax(e, b->h * deviate(b, s, b->v, x1->v, s->scale_q, order, NULL));
    if (velocity) e = fmax(e, deviate(b, s, b->v, x1->v, s->scale_v, order, NULL));
    b->sigma[j] = j < 3 ? sigma[order + 1] : 1.0 / (k + 2);
    b->tau[j] = b->sigma[j] * e;
  }
  double e = fmax(alpha[k + 1], fabs(alpha[k + 1] + leading)) * (b->tau[2] / b->sigma[2]);
  return k > 1 ? e : fmax(e, b->h / 6 * deviate(b, s, b->v, x1->v, s->scale_q, 1, NULL));
}

// Whether an order less would do.
static bool falls(const tr_bdf *b) {
  int k = b->order;
  double here = (k + 1) * b->tau[2], less = k * b->tau[1], least = (k - 1) * b->tau[0];
  if (k < 2) return false;
  return k == 2 ? less <= 0.5 * here : fmax(less, least) <= here;
}

// Whether the order changes after an accepted step: -1, 0, 1.
static int change(const tr_bdf *b, bool fall) {
  int k = b->order;
  if (fall) return -1;
  if (!may_rise(b)) return 0;
  double here = (k + 1) * b->tau[2], less = k * b->tau[1], more = (k + 2) * b->tau[3];
  if (k == 1) return more < 0.5 * here;
  if (less <= fmin(here, more)) return -1;
  return more < here;
}

// Whether the error has been that of an oscillation which the formula amplifies. The measures of an oscillation, cosines
// and sines, are compared by their mean squares over the last steps.
//   growth per step at an angle phi = h omega   phi^4/4 at order 3, phi^6/3 at order 4, none below phi = 0.7 at order 5
// What swings by more than SMALL of the scales is the motion itself: its error is what the tolerance allows. What swings by
// less than NOISE tolerances is what the iteration left.
static const double AMPLIFIED[BDF_ORDER + 1] = {[3] = 0.25, [4] = 0.45, [5] = 0.75},
                                          LATER = 0.4; // of order 3 on the way to higher ones
static const double FORGET = 0.85, SMALL = 3e-3, NOISE = 0.3;
// Steps. HOLD: in which an oscillation that order 5 has made dies at order 4, unless that amplifies it too.
enum { LASTING = 16, HOLD = 24, REST = 32, MOST_REST = 512 };
static bool rings(tr_bdf *b, const tr_step *s) {
  int k = b->order;
  double here = (k + 1) * b->tau[2], less = k * b->tau[1];
  if (b->rest > 0) b->rest--;
  b->since_5 = k == 5 ? 0 : b->since_5 + 1;
  if (k < 3 || !b->vibrates) return false;
  b->here = FORGET * b->here + here * here, b->less = FORGET * b->less + less * less;
  double angle = sqrt(b->here / b->less);
  double swing = here / pow(angle, k + 1);
  double least = k == 3 && b->most > 3 ? LATER : AMPLIFIED[k];
  bool any = angle > least && swing > NOISE * s->allowed && swing < SMALL;
  b->ringing = b->ringing < 0 || any ? b->ringing + 1 : 0;
  if (b->ringing < LASTING) return false;
  b->ringing = 0;
  b->last_rest = b->last_rest == 0 ? REST : 2 * b->last_rest;
  if (b->last_rest > MOST_REST) b->last_rest = MOST_REST;
  b->rest = b->last_rest;
  b->calm = b->since_5 < LASTING ? 4 : 2;
  if (b->calm == 4) b->ringing = -HOLD;
  return true;
}

// The angle by which the step turns a body.
static double turned(const tr_step *s) {
  double *u = s->work->x;
  if (s->sys->flat) return 0;
  memset(u, 0, (size_t)s->sys->nv * sizeof *u);
  return tr_largest_turn(s->work, s->d, u);
}

// The factor that the step may grow by at the order next to b->order: what its error allows, and the chart.
static double allowed(const tr_bdf *b, const tr_step *s, int step, double angle) {
  double r = pow(2 * b->tau[2 + step] / s->allowed + 1e-4, -1.0 / (b->order + step + 1));
  return angle * r > WIDEST ? WIDEST / angle : r;
}

// Less growth is not worth while; what errors no grid can make large enough.
static const double GROWTH = 1.4, IDLE = 1e-2;

double tr_bdf_choose(tr_bdf *b, const tr_step *s, double h, double e) {
  int k = b->order;
  bool fall = falls(b), finely = b->most > 3 && !s->stiff;
  double tol = s->allowed, r;
  if (e > 1) {
    b->grown = true;
    b->next = ++b->fails < 3 ? k - fall : 1;
    if (b->fails > 1 || !isfinite(e)) return 0.25 * h;
    r = 0.9 * pow(2 * b->tau[2 - fall] / tol + 1e-4, -1.0 / (b->next + 1));
    return h * fmax(0.25, fmin(0.9, r));
  }
  double angle = turned(s);
  if (fall || k == b->most || 2 * angle > WIDEST) b->grown = true;
  if (!b->grown) {
    b->next = k + 1;
    return finely ? h * fmax(0.9, fmin(2, allowed(b, s, 0, angle))) : 2 * h;
  }
  if (rings(b, s)) {
    b->next = b->calm < k ? b->calm : k;
    return h;
  }
  int step = change(b, fall);
  r = allowed(b, s, step, angle);
  b->next = k + step;
  if (r <= 1) return h * fmax(0.5, fmin(0.9, r));
  if (!finely) return r >= 2 ? 2 * h : h;
  bool may = b->equal > k || b->tau[2 + step] < IDLE * tol;
  return r >= GROWTH && may ? h * fmin(2, r) : h;
}
