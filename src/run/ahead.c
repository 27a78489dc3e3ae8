// SPDX-License-Identifier: Apache-2.0
// What forces and prescribed motions do along the way the bodies would go, q o exp(s v + s^2/2 a).
//
// One that jumps: they are looked at in a few places; where one changes most the interval is halved again and
// again. What is left of a change that was smooth is nothing, of a jump all.
#include "ahead.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLACES = 16, HALVINGS = 60, FEW = 2, ENOUGH = 8, SUSPECTS = 8, BESIDE = 12 };
static const double ROUND =
    1e-3; // of a jump: a residual that is known but for whole turns goes from c to -c
static const double MOVED = 1e-6; // m or rad: no nearer than that, places are not the same
static const double JUMP = 0.5;   // of the change over an interval that is left in the end
static const double SMOOTH = 0.1; // of it, left after a few halvings: there will be no more
static const double SMALL = 0.01; // of the largest jump: not what all is about
static const double TINY = 1e-6;  // of the largest force: not worth a word

static void look(tr_ahead *p, double s, double *out) {
  const tr_run *r = p->r;
  double way = p->held ? 0 : s;
  for (int i = 0; i < r->sys->nv; i++) {
    p->d[i] = way * (p->from->v[i] + 0.5 * way * p->from->a[i]);
    p->x.v[i] = p->from->v[i] + way * p->from->a[i];
  }
  tr_retract(r->sys, p->from->q, p->d, p->x.q);
  p->x.t = p->from->t + s;
  tr_kinematics(r->work, p->x.t, p->x.q, p->x.v, p->x.mem, TR_AT_VELOCITY);
  tr_probe(r->work, out);
  for (int i = 0; i < p->size - 2 * r->sys->nc; i++)
    if (isfinite(out[i])) p->scale[TR_PROBE_FORCE] = fmax(p->scale[TR_PROBE_FORCE], fabs(out[i]));
}

static double change(const tr_probe_part *part, const double *a, const double *b) {
  double most = 0;
  for (int i = part->at; i < part->at + part->n; i++) most = fmax(most, fabs(b[i] - a[i]));
  return most;
}

// Whether things move between two places of the way: near a singular position they may, however near those are, and
// all that depends on them seems to jump.
static bool moves(const tr_ahead *p, double from, double to) {
  if (p->held) return false;
  for (int i = 0; i < p->r->sys->nv; i++)
    if (!(fabs((to - from) * (p->from->v[i] + 0.5 * (to + from) * p->from->a[i])) <= MOVED))
      return true;
  return false;
}

// Whether a part that changes by `left` between two places next to each other does so beside them, too: that is the
// round-off of a force that is a difference of large numbers, and as large as all it ever does where that is 0.
static bool trembles(tr_ahead *p, const tr_probe_part *part, double from, double to, double left,
                     double widest) {
  double sum = 0, apart = to - from;
  for (int k = 0; k < BESIDE && apart < widest; k++, apart *= 3) {
    look(p, from - apart, p->m);
    sum += change(part, p->m, p->a);
    memcpy(p->a, p->m, (size_t)p->size * sizeof *p->a);
    look(p, to + apart, p->m);
    sum += change(part, p->b, p->m);
    memcpy(p->b, p->m, (size_t)p->size * sizeof *p->b);
  }
  return sum > JUMP * left;
}

// Whether a change by `left` between two places next to each other, p->a and p->b, is one of counting alone: a residual that
// is known but for whole turns comes round, or an element loses count of its turns, which it would not have, had it been
// asked to remember the first place.
static bool comes_round(tr_ahead *p, const tr_probe_part *part, double from, double to,
                        double left) {
  for (int i = part->at; i < part->at + part->n && part->what == TR_PROBE_PHI; i++)
    if (fabs(p->b[i] - p->a[i]) == left && fabs(p->a[i] + p->b[i]) < ROUND * left) return true;
  look(p, from, p->m);
  tr_accept(p->r->work, p->x.mem);
  look(p, to, p->m);
  memcpy(p->x.mem, p->from->mem, (size_t)p->r->sys->nmem * sizeof *p->x.mem);
  return change(part, p->a, p->m) < JUMP * left;
}

// The jump of a part in (from, to), of size 0: there is none.
static tr_jump halve(tr_ahead *p, const tr_probe_part *part, double from, double to) {
  static const tr_jump none = {0};
  look(p, from, p->a), look(p, to, p->b);
  double whole = change(part, p->a, p->b), left = whole, widest = to - from;
  for (int k = 0; k < HALVINGS && to - from > 2 * DBL_EPSILON * (fabs(p->from->t) + fabs(to));
       k++) {
    double mid = 0.5 * (from + to);
    look(p, mid, p->m);
    bool first = change(part, p->a, p->m) >= change(part, p->m, p->b);
    if (first)
      to = mid, memcpy(p->b, p->m, (size_t)p->size * sizeof *p->b);
    else
      from = mid, memcpy(p->a, p->m, (size_t)p->size * sizeof *p->a);
    left = change(part, p->a, p->b);
    if (k > FEW && left < (k > ENOUGH ? JUMP : SMOOTH) * whole) return none; // it was smooth
  }
  if (moves(p, from, to)) return none;
  if (!(left > JUMP * whole && left > TINY * p->scale[part->what])) return none;
  if (comes_round(p, part, from, to, left)) return none;
  tr_jump jump = {part, p->from->t + to, p->from->t + from, left};
  return trembles(p, part, from, to, left, widest) ? none : jump;
}

// Where each part changes most on a way of length h, ahead and behind.
static void suspect_all(tr_ahead *p, double h) {
  for (int i = 0; i < p->parts; i++) p->s[i].change = 0;
  look(p, -h, p->a);
  for (int k = 1 - PLACES; k <= PLACES; k++) {
    look(p, h * k / PLACES, p->b);
    for (int i = 0; i < p->parts; i++) {
      double c = change(&p->s[i].part, p->a, p->b);
      if (c > p->s[i].change) p->s[i].change = c, p->s[i].from = h * (k - 1) / PLACES;
    }
    memcpy(p->a, p->b, (size_t)p->size * sizeof *p->a);
  }
}

// The jump next to where the way begins, among the parts that change most. Those that are small beside the others do not
// count.
static tr_jump find_jump(tr_ahead *p, double h) {
  tr_jump found[SUSPECTS], next = {0};
  double most = 0;
  int n = 0;
  suspect_all(p, h);
  for (int k = 0; k < SUSPECTS; k++) {
    tr_suspect *worst = NULL;
    for (int i = 0; i < p->parts; i++)
      if (p->s[i].change > TINY * p->scale[p->s[i].part.what] &&
          p->s[i].change > (worst ? worst->change : 0))
        worst = &p->s[i];
    if (!worst) break;
    tr_jump jump = halve(p, &worst->part, worst->from, worst->from + h / PLACES);
    if (jump.size > 0) found[n++] = jump;
    most = fmax(most, jump.size);
    worst->change = 0;
  }
  for (int k = 0; k < n; k++) {
    double apart = fabs(found[k].t - p->from->t), least = fabs(next.t - p->from->t);
    bool nearer =
        !next.part || apart < 0.5 * least || (apart < 2 * least && found[k].size > next.size);
    if (found[k].size > SMALL * most && nearer) next = found[k];
  }
  return next;
}

bool tr_ahead_make(const tr_run *r, tr_ahead *p) {
  const tr_system *sys = r->sys;
  *p = (tr_ahead){.r = r, .arena = tr_arena_make(sys->al)};
  p->size = tr_probe_size(sys), p->parts = tr_probe_parts(sys);
  p->d = TR_NEW(&p->arena, 4 * sys->nv + 3 * p->size + 2 * sys->nc + 1, double);
  p->s = TR_NEW(&p->arena, p->parts + 1, tr_suspect);
  if (!p->d || !p->s || tr_state_new(sys, &p->x, NULL) != TR_OK) return false;
  p->made = p->d + sys->nv, p->a = p->made + 3 * sys->nv, p->b = p->a + p->size,
  p->m = p->b + p->size;
  p->gamma = p->m + p->size;
  for (int i = 0, at = 0; i < p->parts; i++) {
    p->s[i].part = tr_probe_describe(sys, i, at);
    if (i < sys->nforce) at += p->s[i].part.n;
  }
  return true;
}

void tr_ahead_free(tr_ahead *p) {
  tr_state_free(p->r->sys, &p->x);
  tr_arena_free(&p->arena);
}

static void set_out(tr_ahead *p, const tr_state *x) {
  p->from = x;
  tr_state_copy(&p->x, x);
  p->scale[TR_PROBE_FORCE] = 0;
  p->scale[TR_PROBE_PHI] = fmax(1, vec_largest(x->q, p->r->sys->nq));
  p->scale[TR_PROBE_PHI_T] = fmax(1, vec_largest(x->v, p->r->sys->nv));
}

tr_jump tr_ahead_find_jump(tr_ahead *p, const tr_state *x, double h, int tries) {
  const tr_run *r = p->r;
  double span = r->settings.end - r->first_t;
  tr_jump jump = {0};
  set_out(p, x);
  for (int k = 0; k < tries && !jump.part; k++, h *= 30) {
    jump = find_jump(p, fmin(h, 0.1 * span));
    if (h > 0.1 * span) break;
  }
  return jump;
}

// Positions that are made to jump lead nowhere: no motion follows them.
bool tr_jump_follows(const tr_run *r, const tr_probe_part *part) {
  int row = part->at - (tr_probe_size(r->sys) - 2 * r->sys->nc);
  return part->what != TR_PROBE_PHI || r->sys->of_velocity[row];
}

// What the parts do at x at two times; whether accelerations that are made change.
static bool look_twice(tr_ahead *p, const tr_state *x, double before, double after) {
  int nc = p->r->sys->nc;
  double *gamma = p->gamma, most = 1;
  set_out(p, x);
  look(p, before - x->t, p->a),
      tr_kinematics(p->r->work, p->x.t, p->x.q, p->x.v, p->x.mem, TR_AT_BIAS);
  tr_gamma(p->r->work, gamma);
  look(p, after - x->t, p->b),
      tr_kinematics(p->r->work, p->x.t, p->x.q, p->x.v, p->x.mem, TR_AT_BIAS);
  tr_gamma(p->r->work, gamma + nc);
  for (int i = 0; i < 2 * nc; i++) most = fmax(most, fabs(gamma[i]));
  for (int i = 0; i < nc; i++)
    if (fabs(gamma[i] - gamma[nc + i]) > TINY * most) return true;
  return false;
}

// The change of each part that is worth a word; whether there is one.
static bool find_changes(tr_ahead *p) {
  bool any = false;
  for (int i = 0; i < p->parts; i++) {
    const tr_probe_part *part = &p->s[i].part;
    double by = tr_jump_follows(p->r, part) ? change(part, p->a, p->b) : 0;
    p->s[i].change = by > TINY * p->scale[part->what] ? by : 0;
    any |= p->s[i].change > 0;
  }
  return any;
}

bool tr_ahead_jumps(tr_ahead *p, const tr_state *x, double before, double after) {
  return look_twice(p, x, before, after) || find_changes(p);
}

bool tr_ahead_breaks(tr_ahead *p, const tr_state *x, double before, double after) {
  double apart = after - before;
  if (look_twice(p, x, before, after)) return true;
  if (!find_changes(p)) return false;
  look(p, before - apart - x->t, p->m);
  for (int i = 0; i < p->parts; i++) p->s[i].from = change(&p->s[i].part, p->m, p->a);
  look(p, after + apart - x->t, p->m);
  for (int i = 0; i < p->parts; i++) {
    double beside = p->s[i].from + change(&p->s[i].part, p->b, p->m);
    if (p->s[i].change > 0 && beside < JUMP * p->s[i].change) return true;
  }
  return false;
}

double tr_ahead_bulge(tr_run *r, tr_ahead *p, const tr_state *x, double from, double to) {
  const double at[] = {from, to, 0.5 * (from + to)};
  int nv = r->sys->nv;
  double most = 0;
  set_out(p, x);
  for (int k = 0; k < 3; k++) {
    p->x.t = at[k];
    if (tr_solve_accelerations(&r->projector, &p->x, p->made + k * nv, p->x.lam) != TR_OK)
      return INFINITY;
  }
  for (int i = 0; i < nv; i++) {
    const double *a = p->made + i;
    most = fmax(most, fabs(a[2 * nv] - 0.5 * (a[0] + a[nv])));
  }
  return most;
}

void tr_jump_tell(const tr_jump *jump, char *text, size_t room) {
  if (jump->part)
    snprintf(text, room,
             "; %s \"%s\" is discontinuous at t = %.9g s: it jumps by %.3g. Let an event find the "
             "place, or smooth the law (STEP, tanh)",
             jump->part->kind, jump->part->name, jump->t, jump->size);
}

void tr_run_tell_jump(const tr_run *r, double h, int tries, char *text, size_t room) {
  tr_ahead p;
  text[0] = 0;
  if (tr_ahead_make(r, &p)) {
    tr_jump jump = tr_ahead_find_jump(&p, &r->x, h, tries);
    tr_jump_tell(&jump, text, room);
  }
  tr_ahead_free(&p);
}

// ---- no numbers -----------------------------------------------------------------------------------

static bool all_finite(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

bool tr_run_tell_failed(const tr_run *r, double h, tr_error *error) {
  char head[80] = "";
  if (h > 0)
    snprintf(head, sizeof head, "step from t = %.9g s with h = %.3g s failed: ", r->x.t, h);
  return tr_tell_failed(r->work, r->x.t, r->x.t + h, head, TR_FAILED, error);
}

bool tr_run_not_finite(const tr_run *r, double h, tr_error *error) {
  const tr_probe_part *part = NULL;
  tr_ahead p;
  if (h == 0 && tr_run_tell_failed(r, h, error)) return true;
  if (tr_ahead_make(r, &p)) {
    p.from = &r->x;
    tr_state_copy(&p.x, &r->x);
    for (int k = 0; k <= PLACES && !part; k++) {
      look(&p, h * k / PLACES, p.a);
      if (!all_finite(p.x.q, r->sys->nq) || !all_finite(p.x.v, r->sys->nv)) break;
      for (int i = 0; i < p.parts && !part; i++)
        if (!all_finite(p.a + p.s[i].part.at, p.s[i].part.n)) part = &p.s[i].part;
    }
  }
  char from[60] = "";
  if (h > 0) snprintf(from, sizeof from, "step from t = %.9g s failed: ", r->x.t);
  if (part)
    tr_fail(error, TR_FAILED, NULL, "%s%s \"%s\": its %s is not a finite number at t = %.9g s",
            from, part->kind, part->name,
            part->what == TR_PROBE_FORCE ? "value"
            : part->what == TR_PROBE_PHI ? "residual"
                                         : "rate",
            p.x.t);
  tr_ahead_free(&p);
  return part;
}

// The force that does most.
const char *tr_run_largest_force(const tr_run *r) {
  tr_ahead p;
  const char *name = NULL;
  double most = 0;
  if (tr_ahead_make(r, &p)) {
    p.from = &r->x;
    tr_state_copy(&p.x, &r->x);
    look(&p, 0, p.a);
    for (int i = 0; i < r->sys->nforce; i++)
      for (int k = p.s[i].part.at; k < p.s[i].part.at + p.s[i].part.n; k++)
        if (fabs(p.a[k]) > most) most = fabs(p.a[k]), name = p.s[i].part.name;
  }
  tr_ahead_free(&p);
  return name;
}
