// SPDX-License-Identifier: Apache-2.0
// Modified Newton with a matrix that outlives the step.
#include "newton.h"

#include <math.h>

// Slower than this: refresh for the next solve, refresh now, give up on a fresh matrix.
static const double RATE_NEXT = 0.1, RATE_NOW = 0.5, RATE_LOST = 2.0;
// How a remembered rate ages with each solve that did not measure it.
static const double RATE_AGE = 1.5;

static tr_status refresh(tr_newton *nw, tr_newton_problem *p) {
  nw->valid = nw->known = false;
  nw->matrices++;
  TR_TRY(p->matrix(p));
  nw->valid = true;
  return TR_OK;
}

// Correction of one iteration; its norm.
static tr_status correct(tr_newton *nw, tr_newton_problem *p, double *norm) {
  nw->iterations++;
  nw->residuals++;
  TR_TRY(p->residual(p, nw->r));
  TR_TRY(p->solve(p, nw->r));
  *norm = p->norm(p, nw->r);
  if (!isfinite(*norm)) return TR_NOT_FINITE;
  p->update(p, nw->r);
  return TR_OK;
}

static tr_status solve_fixed(tr_newton *nw, tr_newton_problem *p) {
  double norm;
  for (int k = 0; k < nw->fixed_iterations; k++) {
    TR_TRY(refresh(nw, p));
    TR_TRY(correct(nw, p, &norm));
  }
  return TR_OK;
}

// True when what is left of the error is below the tolerance.
static bool converged(tr_newton *nw, const tr_newton_problem *p, int k, double norm, double last) {
  if (k == 1) {
    if (norm <= p->floor) return true;
    if (!nw->known) return false;
    nw->rate = fmin(nw->rate * RATE_AGE, 1);
  } else {
    nw->rate = norm / last;
    nw->known = true;
  }
  return nw->rate < 1 && nw->rate / (1 - nw->rate) * norm <= p->tol;
}

// Corrections no longer shrink: fine if round-off is all there is.
static bool stagnated(tr_newton *nw, tr_newton_problem *p, double norm, tr_status *status) {
  bool floor = norm <= p->floor;
  if (!floor) {
    nw->residuals++;
    *status = p->residual(p, nw->r);
    if (*status != TR_OK) return false;
    floor = p->at_floor(p, nw->r);
  }
  if (floor) nw->stagnations++;
  return floor;
}

static tr_status iterate(tr_newton *nw, tr_newton_problem *p) {
  double norm = 0, last = 0, worst = 0;
  bool fresh = false;
  int since = 0; // iterations with this matrix in this solve
  for (int k = 1; k <= nw->max_iterations; k++) {
    if (!nw->valid) {
      TR_TRY(refresh(nw, p));
      fresh = true;
      since = 0;
    }
    last = norm;
    TR_TRY(correct(nw, p, &norm));
    since++;
    if (converged(nw, p, since, norm, last)) {
      if (since > 1) worst = fmax(worst, nw->rate);
      if (!nw->reuse || worst > RATE_NEXT) nw->valid = false;
      return TR_OK;
    }
    if (since < 2) continue;
    worst = fmax(worst, nw->rate);
    if (nw->rate <= RATE_NOW) continue;
    tr_status status = TR_OK;
    if (stagnated(nw, p, norm, &status)) return TR_OK;
    TR_TRY(status);
    if (!fresh || since > 3)
      nw->valid = false; // a new matrix here, not where the step began
    else if (nw->rate > RATE_LOST)
      return TR_NO_CONVERGENCE;
  }
  return TR_NO_CONVERGENCE;
}

tr_status tr_newton_solve(tr_newton *nw, tr_newton_problem *p) {
  tr_status status = nw->fixed_iterations > 0 ? solve_fixed(nw, p) : iterate(nw, p);
  if (status != TR_OK) nw->valid = nw->known = false;
  return status;
}
