// SPDX-License-Identifier: Apache-2.0
// What a look into a step sees of stiff forces: the cubic is off by less than the tolerance, they multiply that.
//
// Places that are no farther apart than the tolerance tells, along the defect, are compared. Where their forces differ by
// as much as the defect it is forgotten. What they differ by changes little from place to place of a step: once it is known of a
// few, the least of these serves the others, unless it explains less than twice the defect of some velocity.
#include <math.h>
#include <string.h>

#include "inside.h"

static const double STIFF = 0.5; // of a defect
enum { SURE = 2 };               // places

// Forces where bodies are moved by f z, states by the tolerance the same way or back.
static void forces_beside(tr_run *r, double t, double f, double *F) {
  tr_inside *w = r->inside;
  double tol = r->settings.control.tol;
  for (int i = 0; i < r->sys->nv; i++) {
    double by = f * w->Q[i] * w->inverse[i];
    if (r->sys->number[i] && w->Q[i] != 0) by = copysign(tol * w->scale[i], by);
    w->z[i] = w->u[i] + by;
  }
  tr_inside_forces(r, t, F);
}

// The same with states and velocities of the line between the ends. Rates that read them have their tolerances, over h of
// velocities, multiplied by what may be a large number, and by that the bend of the cubic of a stiff state.
static void forces_by_line(tr_run *r, double h, double s, double *F) {
  tr_inside *w = r->inside;
  for (int i = 0; i < r->sys->nv; i++) {
    w->z[i] = r->sys->number[i] ? s * r->step->d[i] : w->u[i];
    w->v[i] = (1 - s) * r->x.v[i] + s * r->next.v[i];
  }
  tr_inside_forces(r, r->x.t + s * h, F);
}

// Whether bodies together are uncertain by more than this part of their defect.
static bool are_stiff(const tr_run *r, const double *uncertain, double part) {
  const tr_inside *w = r->inside;
  double by = 0, whole = 0;
  for (int i = 0; i < r->sys->nv; i++) {
    if (r->sys->number[i]) continue;
    by = fmax(by, uncertain[i] * w->inverse[i]);
    whole = fmax(whole, fabs(w->Q[i]) * w->inverse[i]);
  }
  return by > part * whole;
}

// Whether all of the defect is explained by what was found at other places, of each velocity by itself: a stiff body tells nothing of
// another.
static bool is_known(const tr_run *r) {
  const tr_inside *w = r->inside;
  for (int i = 0; i < r->sys->nv; i++)
    if (!(w->sure[i] >= 2 * STIFF * fabs(w->Q[i]))) return false;
  return true;
}

// What is stiff of the defect is forgotten, given what forces and rates are uncertain by, in w->beside: of bodies together, of each
// state by itself. True: that was all.
static bool forget_stiff(tr_run *r) {
  tr_inside *w = r->inside;
  bool left = false;
  for (int i = 0; i < r->sys->nv; i++) {
    if (!r->sys->number[i]) continue;
    if (w->beside[i] > STIFF * fabs(w->Q[i])) w->Q[i] = 0;
    left |= w->Q[i] != 0;
  }
  if (!are_stiff(r, w->beside, STIFF)) return false;
  for (int i = 0; i < r->sys->nv; i++)
    if (!r->sys->number[i]) w->Q[i] = 0;
  memset(w->phi, 0, (size_t)r->sys->nc * sizeof *w->phi);
  return !left;
}

static bool test(tr_run *r, double h, double s) {
  tr_inside *w = r->inside;
  int n = r->sys->nv;
  double most = 0;
  bool numbers = r->sys->nnumber > 0;
  for (int i = 0; i < n; i++)
    if (!r->sys->number[i]) most = fmax(most, fabs(w->Q[i] * w->inverse[i]) / w->scale[i]);
  memset(w->beside, 0, (size_t)n * sizeof *w->beside);
  if (!(most > 0) && !numbers) return false;
  double f = most > 0 ? r->settings.control.tol / most : 1;
  forces_beside(r, r->x.t + s * h, -f, w->beside);
  forces_beside(r, r->x.t + s * h, f, w->z);
  for (int i = 0; i < n; i++) w->beside[i] = 0.5 * fabs(w->z[i] - w->beside[i]);
  if (forget_stiff(r)) return true;
  if (!numbers) return false;
  forces_by_line(r, h, s, w->z);
  for (int i = 0; i < n; i++) w->beside[i] = fmax(w->beside[i], fabs(w->here[i] - w->z[i]));
  return forget_stiff(r);
}

bool tr_inside_stiff(tr_run *r, double h, double s) {
  tr_inside *w = r->inside;
  if (w->tested >= SURE && is_known(r)) return true;
  bool stiff = test(r, h, s);
  for (int i = 0; i < r->sys->nv; i++)
    w->sure[i] = w->tested == 0 ? w->beside[i] : fmin(w->sure[i], w->beside[i]);
  w->tested++;
  return stiff;
}
