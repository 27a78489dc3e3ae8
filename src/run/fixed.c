// SPDX-License-Identifier: Apache-2.0
// Fixed steps: t_k = t_0 + k h, never a sum.
//
// Where h does not divide the way to a time that is to be hit, the last two steps are equal and shorter; on a short way
// all of them are, so that a caller who comes back every so often has steps of one length. Splinters are left to
// callers: what is open at the velocities of index-3 methods, kappa h^2 N q''', is closed within them, and turns up in a
// and lam by 1/h.
// Where the length does change the method begins anew, unless its formulas bear it or forces are stiff (lengths.c): at a
// state that is consistent, with q'' and q''' from the equations (step/jerk.h), so that the orders of q, v and lam are
// those of equal steps.
#include <float.h>
#include <math.h>

#include "driver.h"

// A way of so many steps is short; the last ones of a long way, which are made equal.
static const double SHORT_WAY = 16, LAST_ONES = 2;

// A fixed step of length h to t1, reached to the last bit.
static tr_status advance(tr_run *r, double t1, double h, tr_error *error) {
  double before = tr_run_clock(r);
  bool coasts = tr_run_too_short(r, h, r->settings.step);
  if (coasts) {
    TR_TRY(tr_run_coast(r, t1, error));
  } else {
    if (r->sys->changes) TR_TRY(tr_run_change(r, h, error));
    if (!tr_run_bears(r, h)) TR_TRY(tr_run_begin_anew(r, h, error));
    tr_status status = tr_run_try(r, h, error);
    if (status > 0) return tr_run_explain(r, status, h, error);
    TR_TRY(status);
    tr_run_accept(r, t1, true);
    TR_TRY(tr_run_after_brief(r, error));
    if (tr_run_jams(r, h, error)) return TR_FAILED;
  }
  r->length = coasts ? 0 : h;
  if (h == r->settings.step)
    r->k++;
  else
    r->k = 0, r->t0 = t1;
  tr_run_time(r, before);
  return tr_run_look(r, error);
}

// The length of the next fixed step on the way to t, and where it ends: on the grid, or one of the equal parts of
// what is left. Lengths that differ by round-off are one.
static double next_fixed(const tr_run *r, double t, bool short_way, double near, double *t1) {
  double h = r->settings.step, left = t - r->x.t;
  double steps = round((t - r->t0) / h);
  bool fits = steps > (double)r->k && fabs(r->t0 + steps * h - t) <= near;
  if (fits || left > (short_way ? SHORT_WAY : LAST_ONES) * h) {
    *t1 = r->t0 + (double)(r->k + 1) * h;
    if (fabs(*t1 - t) <= near) *t1 = t;
    return h;
  }
  double parts = fmax(1, ceil(left / h - 1e-9)), length = left / parts;
  if (fabs(length - r->length) <= near) length = r->length;
  *t1 = parts > 1 ? r->x.t + length : t;
  return length;
}

tr_status tr_fixed_walk(tr_run *r, double t, tr_error *error) {
  double h = r->settings.step;
  double near = fmin(1e-9 * h + 2 * DBL_EPSILON * fmax(fabs(t), fabs(r->x.t)), 0.1 * h);
  bool short_way = t - r->x.t <= SHORT_WAY * h;
  while (r->x.t < t - near) {
    double t1 = t, length = next_fixed(r, t, short_way, near, &t1);
    TR_TRY(advance(r, t1, length, error));
  }
  return TR_OK;
}
