// SPDX-License-Identifier: Apache-2.0
// One step tried, and what is left to try where Newton fails.
//
// Under step control: once more from the last state, then from coasting; the step gets shorter anyway. A step that
// must not be shortened is insisted upon: damped corrections, undamped ones with a matrix each (solve/newton.h), and
// at last the solutions of shorter steps one after the other, each the start of the next. Next to a singular position, before
// all that, with a matrix from where the step begins.
//
// Angles repeat themselves, and next to a stiff spring an iteration that was thrown far off may find the step's
// equations solved some turns, or millions of turns, away. So a solution that leaves coasting by more
// than a turn is believed only when another start leads to it as well: what a motor does to a flywheel in a long
// step does, a wrong turn does not.
#include <math.h>
#include <string.h>

#include "step.h"

static const double TURN = 6.283185307179586, SAME = 1e-6;
// Shorter steps: the first, the shortest, the ratio of two that is too small to go on.
static const double FIRST = 0.0625, SHORTEST = 1e-12, RATIO = 1.05;
// Matrices after which there are no more of them: so many unknowns in all.
enum { MOST = 2000, LEAST = 120 };
static const double WORK = 6e5;

typedef struct turning {
  const tr_step *s;
  const tr_state *x0;
  double h;
  bool any[TR_TEAM_MAX];
} turning;

static void look_for_turns(void *what, int part, int first, int end) {
  turning *k = what;
  k->any[part] = vec_apart(k->s->d + first, k->h, k->x0->v + first, end - first) > TURN;
}

// Whether some body turns by more than TURN besides what it did.
static bool some_turns_away(const tr_step *s, const tr_state *x0, double h) {
  for (int i = 0; i < s->sys->nbody; i++) {
    const sys_body *b = &s->sys->body[i];
    const char *const *name = b->type->coordinate_names;
    for (int k = 0; name && name[k]; k++) { // places, then angles
      double d = s->d[b->v + k] - h * x0->v[b->v + k];
      if (k >= b->type->dim && fabs(d) > TURN && fabs(d - 0.5 * h * h * x0->a[b->v + k]) > TURN)
        return true;
    }
  }
  return false;
}

TR_APART bool turns_away_shared(const tr_step *s, const tr_state *x0, double h) {
  turning all = {.s = s, .x0 = x0, .h = h};
  bool any = false;
  TR_SHARE(s->work, s->sys->nv, look_for_turns, &all);
  for (int i = 0; i < TR_TEAM_MAX; i++) any |= all.any[i];
  return any && some_turns_away(s, x0, h);
}

static double largest_increment(const tr_step *s) {
  return s->top_d >= 0 ? s->top_d : tr_largest(s->work, s->d, s->sys->nv);
}

// What is largest where the step leads to; those that walk along large systems find it on their way.
static void look_back(tr_step *s, const tr_state *x1) {
  const tr_system *sys = s->sys;
  s->led.q = tr_largest(s->work, x1->q, sys->nq), s->led.v = tr_largest(s->work, x1->v, sys->nv);
  s->led.a = tr_largest(s->work, x1->a, sys->nv), s->led.turn = -1;
  s->top_d = tr_largest(s->work, s->d, sys->nv);
  s->change = s->top_v + s->led.v;
}

// |d - h v| <= |d| + h |v|: seldom as much.
static bool turns_away(tr_step *s, const tr_state *x0, double h, const tr_state *x1) {
  if (!s->later) look_back(s, x1);
  if (s->top_v >= 0 && largest_increment(s) + h * s->top_v <= TURN) return false;
  if (s->work->team) return turns_away_shared(s, x0, h);
  // of all coordinates: seldom as much
  return vec_apart(s->d, h, x0->v, s->sys->nv) > TURN && some_turns_away(s, x0, h);
}

double tr_step_turn(const tr_step *s, const tr_state *x0, double h, const char **body) {
  double most = 0;
  for (int i = 0; i < s->sys->nbody && !s->sys->flat; i++) {
    const sys_body *b = &s->sys->body[i];
    double square = 0;
    for (int k = 3; b->nq > b->nv && k < 6; k++) {
      double d = s->d[b->v + k] - h * x0->v[b->v + k];
      square += d * d;
    }
    if (square > most) most = square, *body = b->name;
  }
  return sqrt(most);
}

// The method's step, with what was said of turns: *seen, the last such solution is in s->found. What explicit methods
// leave open of bodies' own constraints is closed, lest it swing about them ever more.
static tr_status propose(tr_step *s, const tr_state *x0, double h, tr_state *x1, bool *seen) {
  s->unsettled = -1;
  tr_status status = s->method->advance(s, x0, h, x1);
  s->failures += status > 0;
  if (s->method->direct && status == TR_OK) tr_close_own(s->sys, x1->q, x1->v);
  if (status != TR_OK || s->allowed > 0 || s->method->direct || !turns_away(s, x0, h, x1))
    return status;
  double *d = s->found, off = 0, size = 0;
  for (int i = 0; i < s->sys->nv; i++)
    off = fmax(off, fabs(d[i] - s->d[i])), size = fmax(size, fabs(s->d[i]));
  if (*seen && off <= SAME * size) return TR_OK;
  memcpy(d, s->d, (size_t)s->sys->nv * sizeof *d);
  *seen = true;
  s->failures++;
  return TR_NO_CONVERGENCE;
}

static void start_from(const tr_step *s, const double *a, const double *lam, tr_state *x1) {
  memcpy(x1->a, a, (size_t)s->sys->nv * sizeof *a);
  memcpy(x1->lam, lam, (size_t)s->sys->nc * sizeof *lam);
}

// From the last state instead of an extrapolation, then from coasting: stiff forces that are far from their
// equilibrium make the others useless. With fresh matrices.
static tr_status begin_anew(tr_step *s, const tr_state *x0, double h, tr_state *x1, bool *seen) {
  start_from(s, x0->a, x0->lam, x1);
  s->degree = 0;
  s->newton.valid = false;
  tr_status status = propose(s, x0, h, x1, seen);
  if (status <= TR_OK) return status;
  s->calm = true;
  s->newton.valid = false;
  status = propose(s, x0, h, x1, seen);
  s->calm = false;
  return status;
}

// By shorter steps, until there have been so many matrices. Where forces are stiff their solutions differ in a, which goes
// like 1/h^2, and hardly in the increments.
static tr_status approach(tr_step *s, const tr_state *x0, double h, long matrices, tr_state *x1) {
  size_t nv = (size_t)s->sys->nv, nc = (size_t)s->sys->nc;
  double known = 0, part = FIRST, ratio = 4, *d = s->found + nv, *a = d + nv, *lam = a + nv;
  tr_status status = TR_NO_CONVERGENCE;
  start_from(s, x0->a, x0->lam, x1);
  while (part > SHORTEST && ratio > RATIO) {
    s->aim = known > 0 ? d : NULL;
    s->aim_h = known * h;
    s->newton.valid = false;
    status = s->method->advance(s, x0, part * h, x1);
    if (status == TR_OK && turns_away(s, x0, part * h, x1)) status = TR_NO_CONVERGENCE;
    if (status < 0 || (status == TR_OK && part == 1)) break;
    if (status == TR_OK) {
      memcpy(d, s->d, nv * sizeof *d);
      memcpy(a, x1->a, nv * sizeof *a);
      memcpy(lam, x1->lam, nc * sizeof *lam);
      known = part;
      ratio = fmin(16, 2 * ratio);
      part = fmin(1, ratio * known);
    } else if (s->newton.matrices >= matrices) {
      break;
    } else {
      ratio = known > 0 ? sqrt(fmin(ratio, part / known)) : ratio;
      part = known > 0 ? ratio * known : FIRST * part;
      start_from(s, known > 0 ? a : x0->a, known > 0 ? lam : x0->lam, x1);
    }
  }
  s->aim = NULL;
  return status;
}

// A matrix made next to a singular position makes much of round-off, and corrections by it lead anywhere, perhaps to a
// solution that is nothing but noise. One from beside it, which a short step leaves behind, passes by: but for
// stiffness and damping, cq K + cv D, it is that of the whole step.
static bool may_pass(const tr_step *s) {
  const tr_method *m = s->method;
  bool one_matrix = !m->two_sets && m->sets == 0 && !m->direct; // of index-3 size
  return one_matrix && !(s->allowed > 0) && !s->newton.regular && s->newton.reuse;
}

static tr_status pass_by(tr_step *s, const tr_state *x0, double h, tr_state *x1, bool *seen) {
  double cq = s->c.cq, cv = s->c.cv, cm = s->c.cm;
  start_from(s, x0->a, x0->lam, x1);
  s->newton.valid = false;
  tr_status status = s->method->advance(s, x0, FIRST * h, x1);
  if (status < 0) return status;
  if (status > 0 || !s->newton.valid) return TR_NO_CONVERGENCE;
  s->matrix_cq = cq, s->matrix_cv = cv, s->matrix_cm = cm;
  s->newton.resort = TR_NEWTON_KEPT;
  tr_predict(s, x0, x0->t + h, x1);
  status = propose(s, x0, h, x1, seen);
  s->newton.resort = TR_NEWTON_USUAL;
  s->newton.valid = false;
  return status;
}

static tr_status damp(tr_step *s, const tr_state *x0, double h, tr_state *x1, bool *seen) {
  s->newton.resort = TR_NEWTON_DAMPED;
  start_from(s, x0->a, x0->lam, x1);
  return propose(s, x0, h, x1, seen);
}

// Damped corrections are the cheaper way past a kink; but two sets of unknowns, one of which the norm does not
// see, are seldom damped well.
static tr_status insist(tr_step *s, const tr_state *x0, double h, tr_state *x1, bool *seen) {
  bool early = !s->method->two_sets;
  long most = s->newton.matrices + (long)fmin(MOST, fmax(LEAST, WORK / s->newton.n));
  tr_status status = early ? damp(s, x0, h, x1, seen) : TR_NO_CONVERGENCE;
  s->newton.resort = TR_NEWTON_SINGLY;
  if (status > TR_OK) status = begin_anew(s, x0, h, x1, seen);
  if (status > TR_OK && !early) status = damp(s, x0, h, x1, seen);
  s->newton.resort = TR_NEWTON_SINGLY;
  if (status > TR_OK) status = approach(s, x0, h, most, x1);
  s->newton.resort = TR_NEWTON_USUAL;
  return status;
}

static tr_status try(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  bool seen = false;
  if (!tr_step_guesses(s)) tr_predict(s, x0, x0->t + h, x1);
  if (s->settings.fixed_iterations > 0) {
    tr_status counted = s->method->advance(s, x0, h, x1);
    s->failures += counted > 0;
    return counted;
  }
  tr_status status = propose(s, x0, h, x1, &seen);
  if (status <= TR_OK || (s->allowed > 0 && s->method->choose)) return status;
  if (may_pass(s) && !seen) status = pass_by(s, x0, h, x1, &seen); // from the same start
  if (status <= TR_OK) return status;
  s->afresh = true;
  status = begin_anew(s, x0, h, x1, &seen);
  if (status > TR_OK && !(s->allowed > 0) && !s->method->direct)
    status = insist(s, x0, h, x1, &seen);
  s->afresh = false;
  return status;
}

tr_status tr_step_try(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  bool needed = !(s->allowed > 0) && !s->method->direct && !s->later;
  if (needed && s->known_t == x0->t)
    s->top_v = s->known.v, s->top_a = s->known.a;
  else if (needed)
    s->top_v = tr_largest(s->work, x0->v, s->sys->nv);
  tr_status status = try(s, x0, h, x1);
  s->top_v = s->top_a = -1;
  return status;
}
