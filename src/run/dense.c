// SPDX-License-Identifier: Apache-2.0
// Dense output: states between steps, which the steps know nothing of.
//
// Cubic Hermite interpolation of the increment u of q over the step (u(0) = 0, u(1) = d; its rates
// from v on either end) and of v (its rates from a); a and lam on a line [GNP05].
#include <math.h>
#include <string.h>

#include "driver.h"

tr_status tr_dense_make(tr_run *r, tr_error *error) {
  TR_TRY(tr_state_new(r->sys, &r->before, error));
  TR_TRY(tr_state_new(r->sys, &r->sample, error));
  r->increment = TR_NEW(&r->arena, 2 * (size_t)r->sys->nv, double);
  if (!r->increment) return tr_no_memory(error);
  r->rate = r->increment + r->sys->nv;
  r->sampling = true;
  return TR_OK;
}

void tr_dense_keep(tr_run *r) {
  tr_state_copy(&r->before, tr_run_state(r)); // with a and lam as observers saw them
  memcpy(r->increment, r->step->d, (size_t)r->sys->nv * sizeof *r->increment);
  tr_increment_rate(r->sys, r->increment, r->next.v, r->rate);
}

const tr_state *tr_dense_at(tr_run *r, double t) {
  const tr_state *x0 = &r->before, *x1 = tr_run_state(r);
  tr_state *x = &r->sample;
  double h = x1->t - x0->t, s = (t - x0->t) / h;
  double to = s * s * (3 - 2 * s), from0 = h * s * (1 - s) * (1 - s), from1 = h * s * s * (s - 1);
  double *u = r->projector.r;
  for (int i = 0; i < r->sys->nv; i++) {
    u[i] = to * r->increment[i] + from0 * x0->v[i] + from1 * r->rate[i];
    x->v[i] = x0->v[i] + to * (x1->v[i] - x0->v[i]) + from0 * x0->a[i] + from1 * x1->a[i];
    x->a[i] = x0->a[i] + s * (x1->a[i] - x0->a[i]);
  }
  for (int i = 0; i < r->sys->nc; i++) x->lam[i] = x0->lam[i] + s * (x1->lam[i] - x0->lam[i]);
  memcpy(x->mem, x1->mem, (size_t)r->sys->nmem * sizeof *x->mem);
  tr_retract(r->sys, x0->q, u, x->q);
  x->t = t;
  return x;
}
