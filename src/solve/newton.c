// SPDX-License-Identifier: Apache-2.0
// Modified Newton with a matrix that outlives the step.
#include "newton.h"

#include <math.h>

#include "math/vector.h"
#include "newton_grain.h"
#include "noise.h"

// Slower than this: a new matrix is made at another place for the next solve; refresh for it and look for
// stagnation; give up on a fresh matrix.
static const double RATE_NEXT = 0.1, RATE_SLOW = 0.5, RATE_LOST = 2.0;
// What a matrix costs in corrections unless the problem knows better.
static const double USUAL_COST = 2.5;
// A matrix has led on if corrections have fallen to this part since the last one was given up.
static const double LEADS_ON = 0.1;
// Within a solve no more than this: solves to come have something of a new one, too.
static const double RENEWAL_MOST = 6;
// No better rate than this is believed: near singular positions one lucky correction hides a slow
// component, and the constraints would be left open. With a matrix of the same solve that is far from
// singular there is none: RATE_FRESH, and RATE_MARGIN times what was measured.
static const double RATE_MIN = 0.05, RATE_FRESH = 5e-3, RATE_MARGIN = 10;
// A new matrix is tried when it costs less than this share of all that it might save: what fresh ones need may have been
// found where the start of the iteration was bad.
static const double TRIAL = 0.05;
// Where round-off is all the tolerance there is nothing shows how far a matrix is off, and what it leaves of the
// prediction's error has one sign for as long as the motion goes one way: one that has served for so many times its price
// is renewed; where solves are closer together than SHORT and the motion has gone so far since, sooner.
static const double UNSEEN_AGE = 300, SHORT = 0.02, UNSEEN_WAY = 0.05, UNSEEN_WAY_AGE = 30;
// Solves between trials of reuse that did not pay.
enum { PATIENCE = 4, PATIENCE_MAX = 64 };
// Corrections below this share of the tolerance, or where that asks for all there is below so many times the floor,
// may be noise: a rate measured with them is a bound and tells nothing about the matrix. Far from the origin there is more
// of it, and sooner. In short steps it is no more than the floor, or so many times what second corrections with fresh
// matrices leave: the floor counts turns of bodies as if these were all a metre in size, and a matrix that is a radian old
// would leave all of that, with one sign.
static const double NOISY = 0.25, NOISY_FLOOR = 16, NOISY_LEFT = 4, FAR_FLOOR = 8, NOISY_FAR = 24;
// Far from the origin there is the grain of positions (newton_grain.h). Corrections below so many are noise. It is no more
// than second corrections with fresh matrices leave, the largest, slowly forgotten.
static const double NOISY_GRAIN = 4, GRAIN_FADE = 0.8;
// Solves for which round-off, once it has stopped a fresh matrix, may stop others; twice as many each time it
// does so again.
enum { BLUNT = 16, BLUNT_MAX = 256 };
// How a remembered rate ages with each solve that did not measure it.
static const double RATE_AGE = 1.5;
// Share of the tolerance for the error after a single correction, whose rate was not measured; the same near
// singular positions. No better rates than these are foreseen of one, and of two.
static const double ONCE = 0.6, ONCE_NEAR = 0.1, RATE_ONCE = 0.03, RATE_TWICE = 0.2,
                    RATE_WORST = 0.9; // and no worse one
// How the worst growth is forgotten by each solve that measures a smaller one; the age after which contraction grows no
// more; the share of it for which two corrections must have left more than they show.
static const double GROWTH_FADE = 0.97, GROWTH_SHARE = 0.75;
enum { GROWN = 40 };
// First corrections that have risen so far since they were least, at LEAST of the tolerance, show that something goes
// on that the matrix may know nothing of: its rate is measured again.
static const double RISEN = 4, LEAST = 0.2;
// With fresh matrices: the scatter of what is believed of them, no better rate, how it fades, how much larger a correction
// may be than the one it was measured on.
static const double SCATTER = 2, RATE_BELIEVED = 1e-6, RATE_FADE = 0.5, LARGER = 4;
enum { BELIEVED_MAX = 7 };
// Few corrections: slower than RATE_FEW will not do, unless they are below SMALL_FEW of the tolerance: the first
// may hide what the second shows. Better than RATE_TRUST is not believed of a rate measured in another
// solve; slower than RATE_STALE over three: a new matrix for the next solve.
static const double RATE_FEW = 0.9, RATE_TRUST = 0.5, RATE_STALE = 0.15, SMALL_FEW = 0.1;
// Planned ones: the scatter of a rate that grows with the age of the matrix, how the worst growth is forgotten.
static const double SCATTER_FEW = 2, FADE_FEW = 0.7;
// The share of the tolerance that constraints may be foreseen to be open by: that scatters.
static const double CLOSED = 0.1;

// Of what the norm does not see, over what it was: a correction that grows, the first one.
static const double UNSEEN_GROWN = 0.1, UNSEEN_FIRST = 1;

// Damping: the shortest part of a correction that is worth while.
static const double SHORTEST = 1e-4;
// Corrections with a matrix each: damped; as they come, which with two sets of unknowns next to stiff springs (h^2 k/m
// = 1e8 and more) go to and fro a hundred times before they shrink. Systems of more than 500 unknowns have fewer of these.
enum { MOST_DAMPED = 60, MOST_SINGLE = 200, LEAST_SINGLE = 30 };
static const double SINGLE_WORK = 1e5; // unknowns, in all
enum { MOST_KEPT = 30 };               // with one matrix for all
// Few corrections: matrices that may take the place of strained ones.
enum { RENEWED = 4 };

static tr_status refresh(tr_newton *nw, tr_newton_problem *p) {
  nw->valid = nw->known = false;
  nw->matrices++;
  nw->age = 0, nw->extra = 0, nw->noise = 0;
  p->regular = p->strained = p->finishes = false;
  TR_TRY(p->matrix(p));
  nw->valid = true;
  nw->strained = p->strained;
  nw->regular = p->regular;
  nw->side = p->side;
  return TR_OK;
}

// Correction of one iteration, with a new matrix where the old one will not do; its norm.
static tr_status correct(tr_newton *nw, tr_newton_problem *p, double *norm) {
  nw->iterations++;
  nw->residuals++;
  p->renews = !nw->valid;
  TR_TRY(p->residual(p, nw->r));
  p->renews = false;
  if (p->side != nw->side) nw->valid = false, nw->first_rate = 0;
  if (!nw->valid) TR_TRY(refresh(nw, p));
  TR_TRY(p->solve(p, nw->r));
  *norm = p->advance ? p->advance(p, nw->r) : p->norm(p, nw->r);
  if (!isfinite(*norm)) return TR_NOT_FINITE;
  if (!p->advance) p->update(p, nw->r);
  return TR_OK;
}

static tr_status solve_fixed(tr_newton *nw, tr_newton_problem *p) {
  double norm;
  for (int k = 0; k < nw->fixed_iterations; k++) {
    nw->valid = false;
    TR_TRY(correct(nw, p, &norm));
  }
  return TR_OK;
}

// The rate to be expected of a matrix that has moved on since it was measured.
static double aged(const tr_newton *nw) {
  double rate = nw->rate;
  for (int i = nw->rate_age; i < nw->age && rate < 1; i++) rate *= RATE_AGE;
  return rate;
}

// The same along a steady course, of the component that converges slowest.
static double foreseen(const tr_newton *nw) {
  return min2(RATE_WORST, nw->growth * (nw->age < GROWN ? nw->age : GROWN));
}

static bool is_short(const tr_newton_problem *p) { return p->way > 0 && p->way < SHORT; }

// What corrections of this size say about the matrix is noise.
static bool noisy(const tr_newton *nw, const tr_newton_problem *p, double norm) {
  bool near = p->tol <= (p->far ? FAR_FLOOR : 1) * p->floor;
  double most = NOISY_FLOOR;
  if (is_short(p) && nw->left > 0) most = min2(most, max2(1, NOISY_LEFT * nw->left));
  double size = near ? (p->far ? NOISY_FAR : most) * p->floor : NOISY * p->tol;
  if (p->grain > 0) size = max2(NOISY * p->tol, NOISY_GRAIN * p->grain);
  return p->steady && norm <= size;
}

// The same, far away: it is no use asking for less.
static bool grainy(const tr_newton_problem *p, double norm) {
  return norm <= NOISY_GRAIN * p->grain;
}

// A good rate of a fresh matrix is believed. Of tiny systems, which may be anything, it is measured.
static bool exact_here(const tr_newton_problem *p) {
  return p->regular && (!p->inexact || p->finishes) && p->matrix_cost > 0;
}

// A first correction with a fresh matrix will do, by what was measured of others.
static bool believable(tr_newton *nw, const tr_newton_problem *p, double norm) {
  if (!nw->reuse || !(nw->first_rate > 0) || nw->believed >= BELIEVED_MAX) return false;
  if (norm > LARGER * nw->first_norm) return false;
  double rate = max2(RATE_BELIEVED, nw->first_rate * max2(1, norm / nw->first_norm));
  if (!(rate < RATE_MIN && SCATTER * rate * norm <= p->tol)) return false;
  nw->believed++;
  return true;
}

static bool small(double rate, double norm, double tol) {
  return rate < 1 && rate / (1 - rate) * norm <= tol;
}

// A first correction will do.
static bool once(tr_newton *nw, const tr_newton_problem *p, bool fresh, double norm) {
  if (norm <= p->floor) return true;
  if (p->blind) return false;
  if (p->steady) {
    if (fresh) return exact_here(p) && believable(nw, p, norm);
    double most = (nw->regular ? ONCE : ONCE_NEAR) * p->tol;
    if (!(nw->growth > 0 && small(max2(RATE_ONCE, foreseen(nw)), norm, most))) return false;
    if (norm > RISEN * max2(nw->least, LEAST * p->tol)) return false;
    nw->least = min2(nw->least, norm);
    return true;
  }
  return nw->known && small(max2(RATE_MIN, aged(nw) * max2(1, norm / nw->norm)), norm, p->tol);
}

// What the last two corrections tell about the matrix.
static void measure(tr_newton *nw, const tr_newton_problem *p, bool fresh, int k, double norm,
                    double last) {
  double rate = norm / last;
  bool more = noisy(nw, p, norm); // it may be less
  nw->rate = more && nw->known ? min2(foreseen(nw), rate) : rate, nw->rate_age = nw->age;
  nw->norm = last;
  nw->known = true;
  if (k == 2) nw->least = last;
  if (fresh && k == 2) nw->left = max2(GRAIN_FADE * nw->left, norm / p->floor);
  if (fresh && k == 2 && exact_here(p)) {
    // of the second correction, where round-off is all the tolerance there is, what that does not explain
    double noise = p->tol <= p->floor ? (p->far ? FAR_FLOOR : 1) * p->floor : 0;
    if (p->grain > 0) noise = p->grain;
    double left = sqrt(max2(0, norm * norm - noise * noise)) / last;
    left = max2(RATE_FADE * nw->first_rate, left); // it scatters
    nw->first_rate = max2(noise > 0 ? RATE_BELIEVED : 0, left);
    // a start from rest tells nothing about bodies that spin
    nw->first_norm = last, nw->believed = nw->believed < 0 ? BELIEVED_MAX : 0;
  }
  if (fresh || !p->steady) return;
  int age = nw->age < GROWN ? nw->age : GROWN;
  if (more && !(nw->growth > 0)) rate = min2(RATE_ONCE, rate);
  if (more && nw->growth > 0) rate = min2(nw->growth * age, rate);
  if (rate > RATE_SLOW && nw->blunt > 0) return; // that was round-off
  nw->growth = max2(GROWTH_FADE * nw->growth, rate / age);
}

// True when what is left of the error is below the tolerance.
static bool converged(tr_newton *nw, const tr_newton_problem *p, bool fresh, int k, double norm,
                      double last) {
  if (k == 1) return once(nw, p, fresh, norm);
  measure(nw, p, fresh, k, norm, last);
  double rate = max2(RATE_MIN, nw->rate);
  if (!fresh && p->steady)
    rate = max2(max2(noisy(nw, p, norm) ? RATE_MIN : RATE_TWICE, nw->rate),
                GROWTH_SHARE * foreseen(nw));
  else if (fresh && exact_here(p))
    rate = min2(rate, max2(RATE_FRESH, RATE_MARGIN * nw->rate));
  return small(rate, norm, max2(p->tol, p->grain));
}

// Corrections of this rate until the tolerance is met.
static double remaining(const tr_newton_problem *p, double rate, double norm) {
  return rate < 1 ? log(p->tol / norm) / log(rate) : INFINITY;
}

static double matrix_cost(const tr_newton_problem *p) {
  return p->matrix_cost > 0 ? p->matrix_cost : min2(RENEWAL_MOST, max2(USUAL_COST, p->renewal));
}

// A new matrix costs less than this one, with what corrections by either are still to come.
static bool pays(const tr_newton *nw, const tr_newton_problem *p, double norm) {
  double after = p->partial && nw->slow_rate > 0 ? remaining(p, nw->slow_rate, norm) : 0;
  return remaining(p, nw->rate, norm) > matrix_cost(p) + after;
}

static bool off_unseen(const tr_newton *nw, const tr_newton_problem *p) {
  bool moved = is_short(p) && nw->age * p->way > UNSEEN_WAY;
  return nw->age > (moved ? UNSEEN_WAY_AGE : UNSEEN_AGE) * matrix_cost(p);
}

// The matrix of earlier solves is expected to cost more here than a new one would: as in the last solve,
// or for its first reuse as foreseen.
static bool outlived(tr_newton *nw, const tr_newton_problem *p) {
  double corrections = nw->last_count, rate = max2(RATE_MIN, nw->reuse_rate);
  if (p->tol <= p->floor && !p->lasts && off_unseen(nw, p)) return true;
  if (!(p->matrix_cost > 0)) return false;
  bool tries = nw->age > 1 && nw->regular; // next to a singular position a fresh one may be useless
  if (tries && p->matrix_cost < TRIAL * nw->age * (nw->last_count - 1)) return true;
  if (!(nw->reuse_rate > 0)) return false;
  if (nw->age == 1)
    corrections = rate < RATE_SLOW ? ceil(max2(1, remaining(p, rate, nw->first))) : INFINITY;
  if (corrections - nw->fresh_count <= (matrix_cost(p) + nw->extra) / nw->age) return false;
  if (nw->age > 1) return true;
  if (nw->wait-- > 0) return true;
  nw->patience = nw->patience >= PATIENCE_MAX ? PATIENCE_MAX
                 : nw->patience               ? 2 * nw->patience
                                              : PATIENCE;
  nw->wait = nw->patience;
  return false;
}

// A matrix slower than this is not handed on to the next solve. Where reuse is planned its price decides, in the
// next solve, unless it was made near a singular position; elsewhere nothing is gained where fresh ones were no
// better.
static double handed_on(const tr_newton *nw, const tr_newton_problem *p) {
  if (p->matrix_cost > 0 && (nw->regular || p->inexact)) return RATE_SLOW;
  double fresh = p->partial ? max2(nw->fresh_rate, nw->slow_rate) : nw->fresh_rate;
  return max2(RATE_NEXT, min2(RATE_SLOW, 1.5 * fresh));
}

// Corrections that would have met the tolerance, by the last two of k: perhaps the last one told no more than
// that there was no need for it. Not whole: lest chance, which has it just above or below, seem to cost a
// correction.
static double needed(const tr_newton *nw, const tr_newton_problem *p, int k, double norm,
                     double last) {
  double enough = (nw->regular || k > 2 ? ONCE : ONCE_NEAR) * p->tol;
  if (k == 1 || !p->steady || !(norm < last)) return k;
  if (norm <= enough) return k - 1;
  return k - 1 + min2(1, log(norm / enough) / log(last / norm));
}

// What a solve of `count` corrections that began with a matrix of that age tells about reuse. Where it ended
// with another, that was not worth its while, and the other begins anew.
static void learn(tr_newton *nw, const tr_newton_problem *p, int age, double count, double worst) {
  bool renewed = age > 0 && nw->age == 0;
  nw->last_count = age > 1 && !renewed ? 0.5 * (nw->last_count + count) : count;
  if (age == 0) {
    nw->fresh_count = count, nw->fresh_rate = worst;
    return;
  }
  if (worst > 0 && age == 1) nw->reuse_rate = worst;
  if (renewed) return;
  nw->fresh_count = min2(nw->fresh_count, count); // a fresh one would have done as well
  nw->extra += max2(0, count - nw->fresh_count);
  if (nw->patience > 0 && ceil(count) - nw->fresh_count <= matrix_cost(p) / age) nw->patience = 0;
}

// *done is false where there must be another correction, *since 0 where that tells nothing about the matrix.
static tr_status finish(tr_newton *nw, tr_newton_problem *p, int *since, bool *done) {
  nw->residuals++;
  tr_status status = p->finish(p, *since);
  *done = status != TR_NO_CONVERGENCE;
  if (!*done && p->finishes && (!p->inexact || p->moved)) *since = 0; // what moved was not in it
  p->moved = false;
  return *done ? status : TR_OK;
}

// Corrections no longer shrink: fine if round-off is all there is.
static bool stagnated(tr_newton *nw, tr_newton_problem *p, int since, double norm,
                      tr_status *status) {
  bool floor = norm <= p->floor;
  if (!floor) {
    nw->residuals++;
    *status = p->residual(p, nw->r);
    if (*status != TR_OK) return false;
    bool closed = !p->closed || p->closed(p, nw->r);
    floor = (closed && tr_noise_known(nw, p, norm)) || p->at_floor(p, nw->r) ||
            (closed && tr_noise_explains(nw, p, norm));
  }
  if (floor && p->finishes) {
    tr_status finished = finish(nw, p, &since, &floor);
    if (finished != TR_OK) *status = finished, floor = false;
  }
  if (floor) nw->stagnations++;
  return floor;
}

// Corrections by an old matrix next to a singular position no longer shrink and may be noise. A matrix made here, which may
// be nearer to it, would make more of round-off.
static bool stopped_near(const tr_newton *nw, const tr_newton_problem *p, double norm,
                         double last) {
  return !nw->regular && p->closed && noisy(nw, p, norm) && norm > RATE_SLOW * last;
}

static tr_status iterate(tr_newton *nw, tr_newton_problem *p) {
  double norm = 0, last = 0, begun = 0;
  double worst = 0, stale = 0; // rates: of this matrix, of the one found here
  bool fresh = false;
  int since = 0; // iterations with this matrix in this solve
  if (nw->blunt > 0) nw->blunt--;
  if (p->far) tr_newton_take_grain(nw, p);
  if (nw->valid && (nw->age++, outlived(nw, p))) nw->valid = false;
  int age = nw->valid ? nw->age : 0;
  for (int k = 1; k <= nw->max_iterations; k++) {
    if (!nw->valid) {
      if (!fresh && p->matrix_cost > 0) stale = worst, worst = 0;
      fresh = true, since = 0;
    }
    last = norm;
    long before = nw->matrices + !nw->valid;
    TR_TRY(correct(nw, p, &norm));
    if (nw->matrices > before) fresh = true, since = 0; // on the other side of a kink
    if (k == 1) nw->first = begun = norm;
    bool done = converged(nw, p, fresh, ++since, norm, last);
    if (done && nw->strained) {
      nw->valid = false;
      continue;
    }
    if (done && p->finishes) TR_TRY(finish(nw, p, &since, &done));
    if (done) {
      if (since > 1) worst = max2(worst, nw->rate);
      if (fresh) nw->dull = 0, tr_newton_find_grain(nw, p);
      learn(nw, p, age, needed(nw, p, k, norm, last), age > 0 && fresh ? stale : worst);
      if (!nw->reuse || (worst > handed_on(nw, p) && !noisy(nw, p, norm))) nw->valid = false;
      return TR_OK;
    }
    if (since < 2) continue;
    if (fresh && since == 2 && p->partial && nw->rate <= RATE_SLOW) nw->slow_rate = nw->rate;
    worst = max2(worst, nw->rate);
    // that is round-off, as it was lately
    bool dulled = (p->steady || p->partial || p->far) && nw->blunt > 0 && nw->rate > RATE_SLOW;
    bool grain = !fresh && grainy(p, norm);
    dulled |= grain;
    tr_status status = TR_OK;
    bool asked = !fresh && stopped_near(nw, p, norm, last);
    if (asked && stagnated(nw, p, since, norm, &status)) {
      nw->valid = nw->reuse;
      return TR_OK;
    }
    TR_TRY(status);
    if (!fresh && !dulled && pays(nw, p, norm)) {
      nw->valid = false; // a new matrix here, not where the step began
      if (nw->rate <= RATE_SLOW) continue;
    }
    double rate = grain ? norm / last : nw->rate;
    if (rate <= RATE_SLOW) continue;
    bool blamed = !fresh && norm > p->floor && nw->blunt == 0 && !grain;
    if (blamed) { // that may be the old matrix's fault
      bool here = !asked && p->closed && !nw->regular && stagnated(nw, p, since, norm, &status);
      TR_TRY(status);
      nw->valid = here && nw->reuse;
      if (here) return TR_OK;
      continue;
    }
    if (!asked && stagnated(nw, p, since, norm, &status)) {
      bool again = (p->steady || p->far) && nw->dull < BLUNT_MAX;
      if (fresh) nw->dull = again ? 2 * nw->dull : nw->dull;
      if (fresh) nw->blunt = nw->dull = nw->dull > BLUNT ? nw->dull : BLUNT;
      // round-off tells nothing about a matrix that is no worse than a fresh one
      nw->valid = nw->reuse && (nw->valid || (p->matrix_cost > 0 && !fresh));
      return TR_OK;
    }
    TR_TRY(status);
    if (p->brief && fresh && since > 3) {
      if (!(norm < LEADS_ON * begun)) return TR_NO_CONVERGENCE;
      begun = norm;
    }
    if (!fresh || since > 3)
      nw->valid = false;
    else if (since > 2 && nw->rate > RATE_LOST)
      return TR_NO_CONVERGENCE;
  }
  return TR_NO_CONVERGENCE;
}

// Unknowns that the norm does not see run away from an old matrix; *last: how much they moved before.
static bool runs_away(const tr_newton *nw, const tr_newton_problem *p, double *last) {
  if (!p->unseen || nw->age == 0) return false;
  double now = p->unseen(p, nw->r), before = *last;
  *last = now;
  return before > 0 ? now > before && now > UNSEEN_GROWN : now > UNSEEN_FIRST;
}

// The rate that few corrections may count on at the k-th.
static double rate_few(tr_newton *nw, const tr_newton_problem *p, int k) {
  int age = nw->age + 1;
  if (k > 1) {
    if (p->planned) nw->growth = fmax(nw->rate / age, FADE_FEW * nw->growth);
    if (p->planned && age == 1) nw->first_rate = fmax(nw->rate, FADE_FEW * nw->first_rate);
    nw->rate_age = nw->age, nw->believed = 0;
    return nw->rate;
  }
  if (!nw->known) return 1;
  if (!p->planned || nw->believed++ >= BELIEVED_MAX) return fmax(RATE_TRUST, nw->rate);
  return fmax(SCATTER_FEW * nw->rate * age / (nw->rate_age + 1), nw->growth * age);
}

// Whether the matrix should not be used again after a solve that k corrections ended, the first of this norm: if they
// are more than each solve so far has cost with the matrix itself. They are not counted whole, see `needed`.
static bool worn(tr_newton *nw, const tr_newton_problem *p, int k, double rate, double first) {
  if (!p->planned) return k > 2 && nw->rate > RATE_STALE;
  double count = k > 1 ? log(p->tol * (1 - rate) / first) / log(rate) : 1;
  count = fmax(1, fmin(k, count));
  nw->extra += count;
  return count * (nw->age + 1) > matrix_cost(p) + nw->extra;
}

// What the constraints are off by after the k-th correction is within the tolerance, if it falls as by the last one, or
// by the rate that the first may count on.
static bool closes(const tr_newton_problem *p, int k, double rate, double before) {
  if (k == 1) return rate * p->open <= CLOSED * p->tol;
  return p->open * p->open <= CLOSED * p->tol * before;
}

static tr_status iterate_few(tr_newton *nw, tr_newton_problem *p, int most) {
  double norm = 0, first = 0, unseen = 0, open = 0;
  int renewed = 0;
  for (int k = 1, left = most; left > 0; k++, left--) {
    long before = nw->matrices;
    open = p->open;
    TR_TRY(correct(nw, p, &norm));
    bool floor = norm <= p->floor;
    if (floor && (!p->planned || k == 1)) return TR_OK;
    if (!floor && runs_away(nw, p, &unseen)) return TR_NO_CONVERGENCE;
    if (nw->matrices > before) { // a new matrix has a rate of its own
      k = 1;
      if (p->planned) nw->known = nw->first_rate > 0, nw->rate = nw->first_rate, nw->rate_age = 0;
    }
    if (k == 1) {
      first = norm;
    } else {
      nw->rate = pow(norm / first, 1.0 / (k - 1)); // the mean so far
      nw->known = true;
      // with a fresh matrix the second may show what the first has hidden
      bool early = k == 2 && nw->age == 0 && !p->strict;
      if (nw->rate > (early ? RATE_LOST : RATE_FEW) && norm > (early ? 1 : SMALL_FEW) * p->tol)
        break;
    }
    double rate = rate_few(nw, p, k);
    if (rate < 1 && (floor || (rate / (1 - rate) * norm <= p->tol && closes(p, k, rate, open)))) {
      if (nw->strained && renewed++ < RENEWED) {
        nw->valid = nw->known = false, k = 0, left = most + 1;
        continue;
      }
      if (nw->strained) break;
      if (nw->age > 0) nw->patience = 0;
      if (worn(nw, p, k, rate, first) || nw->wait > 0) nw->valid = false;
      if (nw->wait > 0) nw->wait--;
      return TR_OK;
    }
  }
  tr_status status = TR_NO_CONVERGENCE;
  return stagnated(nw, p, most, norm, &status) ? TR_OK
         : status == TR_OK                     ? TR_NO_CONVERGENCE
                                               : status;
}

// kept: all with the matrix there is, else each with its own.
static tr_status iterate_singly(tr_newton *nw, tr_newton_problem *p, bool kept) {
  double norm = 0, last = 0;
  long matrices = nw->matrices;
  double most = kept ? MOST_KEPT : min2(MOST_SINGLE, max2(LEAST_SINGLE, SINGLE_WORK / nw->n));
  for (int k = 0; k < most; k++, last = norm) {
    if (!kept) nw->valid = false;
    TR_TRY(correct(nw, p, &norm));
    if (kept && (nw->matrices > matrices || (k > 1 && norm > RATE_LOST * last)))
      return TR_NO_CONVERGENCE;
    double rate = k > 0 ? fmax(kept ? RATE_TWICE : RATE_MIN, norm / last) : 1;
    if (norm <= p->floor || (rate < 1 && rate / (1 - rate) * norm <= p->tol)) return TR_OK;
    tr_status status = TR_OK;
    if (k > 2 && rate > RATE_SLOW && stagnated(nw, p, k, norm, &status)) return TR_OK;
    TR_TRY(status);
    if (kept && k > 3 && rate > RATE_WORST) return TR_NO_CONVERGENCE;
  }
  return TR_NO_CONVERGENCE;
}

// A part f of the correction in nw->r, as large as it may be; *after: the norm of the one that follows.
static tr_status damp(tr_newton *nw, tr_newton_problem *p, double norm, double *f, double *after) {
  for (; *f > SHORTEST; *f *= 0.5) {
    for (int i = 0; i < nw->n; i++) nw->spare[i] = *f * nw->r[i];
    p->update(p, nw->spare);
    nw->residuals++;
    tr_status status = p->residual(p, nw->spare);
    if (status == TR_OK) status = p->solve(p, nw->spare);
    if (status < 0) return status;
    *after = status == TR_OK ? p->norm(p, nw->spare) : INFINITY;
    if (*after <= (1 - 0.25 * *f) * norm || *after <= p->floor) return TR_OK;
    for (int i = 0; i < nw->n; i++) nw->spare[i] = -*f * nw->r[i];
    p->update(p, nw->spare);
  }
  return TR_NO_CONVERGENCE;
}

static tr_status iterate_damped(tr_newton *nw, tr_newton_problem *p) {
  double f = 1, norm = 0, after = 0;
  for (int k = 0; k < MOST_DAMPED; k++) {
    nw->iterations++, nw->residuals++;
    TR_TRY(p->residual(p, nw->r));
    TR_TRY(refresh(nw, p));
    TR_TRY(p->solve(p, nw->r));
    norm = p->norm(p, nw->r);
    if (!isfinite(norm)) return TR_NOT_FINITE;
    if (norm <= p->floor) return TR_OK;
    f = fmin(1, 4 * f);
    tr_status status = damp(nw, p, norm, &f, &after), floor = TR_OK;
    if (status == TR_NO_CONVERGENCE && stagnated(nw, p, k, norm, &floor)) return TR_OK;
    TR_TRY(floor);
    TR_TRY(status);
    double rate = fmax(RATE_MIN, after / norm);
    if (f == 1 && rate < 1 && rate / (1 - rate) * after <= p->tol) {
      p->update(p, nw->spare);
      return TR_OK;
    }
    if (rate > RATE_SLOW && stagnated(nw, p, k, after, &status)) return TR_OK;
    TR_TRY(status);
  }
  return TR_NO_CONVERGENCE;
}

tr_status tr_newton_few(tr_newton *nw, tr_newton_problem *p, int most) {
  bool reused = nw->valid;
  if (reused) nw->age++;
  tr_status status = iterate_few(nw, p, most);
  if (status == TR_OK) return status;
  nw->valid = nw->known = false;
  if (reused && !p->strict) { // the second time no more of that for a while
    nw->wait = nw->patience < PATIENCE_MAX ? 2 * nw->patience : PATIENCE_MAX;
    nw->patience = nw->wait > 0 ? nw->wait : 1;
  }
  return status;
}

tr_status tr_newton_solve(tr_newton *nw, tr_newton_problem *p) {
  tr_status status = nw->fixed_iterations > 0         ? solve_fixed(nw, p)
                     : nw->resort == TR_NEWTON_KEPT   ? iterate_singly(nw, p, true)
                     : nw->resort == TR_NEWTON_SINGLY ? iterate_singly(nw, p, false)
                     : nw->resort == TR_NEWTON_DAMPED ? iterate_damped(nw, p)
                                                      : iterate(nw, p);
  if (nw->resort != TR_NEWTON_USUAL) nw->valid = nw->known = false;
  if (status != TR_OK) nw->valid = nw->known = false, nw->first_rate = 0;
  return status;
}
