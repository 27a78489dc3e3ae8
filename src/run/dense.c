// SPDX-License-Identifier: Apache-2.0
// Dense output: states between steps, which the steps know nothing of.
//
// Cubic Hermite interpolation of the increment u of q over the step (u(0) = 0, u(1) = d; its rates
// from v on either end) and of v (its rates from a); a and lam on a line [GNP05].
//
// For a method of high order that would lose digits. Its a are those of the states (index 1), so u'' is
// known on either end too: u is of degree 5, v follows from u', a and lam from the state. So do a and lam of any method
// where they are to be recomputed. But X'' of a state that is stiff, by its equation X' = F, is off by what X' is over the
// time constant: the method's own serves where the two differ by more than it does from that of the cubic.
#include <math.h>
#include <string.h>

#include "driver.h"

tr_status tr_dense_make(tr_run *r, tr_error *error) {
  TR_TRY(tr_state_new(r->sys, &r->before, error));
  TR_TRY(tr_state_new(r->sys, &r->sample, error));
  r->increment = TR_NEW(&r->arena, 7 * (size_t)r->sys->nv, double);
  if (!r->increment) return tr_no_memory(error);
  r->rate = r->increment + r->sys->nv;
  r->own_a = r->rate + r->sys->nv;
  r->bend = r->own_a + r->sys->nv;
  r->high_order = r->fresh && r->step->method->info.order_q > 3;
  r->sampling = true;
  return TR_OK;
}

void tr_dense_keep(tr_run *r) {
  tr_state_copy(&r->before, tr_run_state(r)); // with a and lam as observers saw them
  memcpy(r->own_a, r->x.a, (size_t)r->sys->nv * sizeof *r->own_a);
  memcpy(r->increment, r->step->d, (size_t)r->sys->nv * sizeof *r->increment);
  tr_increment_rate(r->sys, r->increment, r->next.v, r->rate);
}

static double bend_of(double sharp, double own, double cubic) {
  return fabs(sharp - own) <= fabs(own - cubic) ? sharp : own;
}

// u and v at the fraction s of the step.
static void interpolate_high(tr_run *r, const tr_state *x1, double s, double *u, double *v) {
  const tr_state *x0 = &r->before;
  int n = r->sys->nv;
  double h = x1->t - x0->t, s2 = s * s, s3 = s2 * s, s4 = s3 * s, s5 = s4 * s;
  const double p[] = {10 * s3 - 15 * s4 + 6 * s5, h * (s - 6 * s3 + 8 * s4 - 3 * s5),
                      h * (-4 * s3 + 7 * s4 - 3 * s5), 0.5 * h * h * (s2 - 3 * s3 + 3 * s4 - s5),
                      0.5 * h * h * (s3 - 2 * s4 + s5)};
  const double dp[] = {30 * (s2 - 2 * s3 + s4) / h, 1 - 18 * s2 + 32 * s3 - 15 * s4,
                       -12 * s2 + 28 * s3 - 15 * s4, 0.5 * h * (2 * s - 9 * s2 + 12 * s3 - 5 * s4),
                       0.5 * h * (3 * s2 - 8 * s3 + 5 * s4)};
  double *du = r->bend + n;
  tr_increment_end end = {r->increment, r->rate, x1->v, x1->a};
  tr_increment_bend(r->sys, &end, h, du, r->bend);
  for (int i = 0; i < n; i++) {
    double x[] = {r->increment[i], x0->v[i], r->rate[i], x0->a[i], r->bend[i]};
    if (r->sys->number[i]) {
      double mean = x[0] / h;
      x[3] = bend_of(x[3], r->own_a[i], (6 * mean - 4 * x[1] - 2 * x[2]) / h);
      x[4] = bend_of(x[4], r->x.a[i], (-6 * mean + 2 * x[1] + 4 * x[2]) / h);
    }
    u[i] = du[i] = 0;
    for (int k = 0; k < 5; k++) u[i] += p[k] * x[k], du[i] += dp[k] * x[k];
  }
  tr_increment_velocity(r->work, u, du, v);
}

const tr_state *tr_dense_motion(tr_run *r, double t) {
  const tr_state *x0 = &r->before, *x1 = tr_run_state(r);
  tr_state *x = &r->sample;
  double h = x1->t - x0->t, s = (t - x0->t) / h;
  double to = s * s * (3 - 2 * s), from0 = h * s * (1 - s) * (1 - s), from1 = h * s * s * (s - 1);
  double *u = r->projector.r;
  for (int i = 0; i < r->sys->nv; i++) {
    u[i] = to * r->increment[i] + from0 * x0->v[i] + from1 * r->rate[i];
    x->v[i] = x0->v[i] + to * (x1->v[i] - x0->v[i]) + from0 * x0->a[i] + from1 * x1->a[i];
  }
  if (r->high_order) interpolate_high(r, x1, s, u, x->v);
  memcpy(x->mem, x1->mem, (size_t)r->sys->nmem * sizeof *x->mem);
  tr_retract(r->sys, x0->q, u, x->q);
  x->t = t;
  return x;
}

const tr_state *tr_dense_at(tr_run *r, double t) {
  const tr_state *x0 = &r->before, *x1 = tr_run_state(r);
  tr_state *x = &r->sample;
  double s = (t - x0->t) / (x1->t - x0->t);
  tr_dense_motion(r, t);
  for (int i = 0; i < r->sys->nv; i++) x->a[i] = x0->a[i] + s * (x1->a[i] - x0->a[i]);
  for (int i = 0; i < r->sys->nc; i++) x->lam[i] = x0->lam[i] + s * (x1->lam[i] - x0->lam[i]);
  if ((r->high_order || r->settings.recompute) &&
      tr_solve_accelerations(&r->projector, x, x->a, x->lam) == TR_OK &&
      r->settings.redundant == TR_REDUNDANT_LEAST_NORM)
    (void)tr_spread_multipliers(&r->projector, x, x->lam);
  return x;
}

tr_status tr_dense_sharpen(tr_run *r) {
  size_t nv = (size_t)r->sys->nv, nc = (size_t)r->sys->nc;
  tr_state *x0 = &r->before;
  memcpy(r->plain, x0->a, nv * sizeof *x0->a);
  memcpy(r->plain + nv, x0->lam, nc * sizeof *x0->lam);
  TR_TRY(tr_solve_accelerations(&r->projector, x0, x0->a, x0->lam));
  tr_state_copy(&r->shown, &r->x);
  TR_TRY(tr_solve_accelerations(&r->projector, &r->x, r->shown.a, r->shown.lam));
  r->current = true;
  return TR_OK;
}

void tr_dense_blunt(tr_run *r) {
  size_t nv = (size_t)r->sys->nv, nc = (size_t)r->sys->nc;
  memcpy(r->before.a, r->plain, nv * sizeof *r->plain);
  memcpy(r->before.lam, r->plain + nv, nc * sizeof *r->plain);
  r->current = false;
}
