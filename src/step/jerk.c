// SPDX-License-Identifier: Apache-2.0
// q''' by a central difference along the motion:
//   x(+-e) = (q o exp(+-e v + e^2/2 q''), v +- e q''),   q''' = (q''(x(e)) - q''(x(-e)))/(2e)
// whose points are off by e^3 in q and, the same on both sides, e^2 in v: an error of O(e^2). Where q'' jumps at x, as at the
// end of a load, by one ahead, where e^2 falls out likewise:
//   q''' = (4 q''(x(e)) - 3 q''(x) - q''(x(2e)))/(2e)
#include "jerk.h"

#include <math.h>
#include <string.h>

#include "math/vector.h"
#include "start.h"

static const double BESIDE = 1e-3;     // e/h
static const double JUMP = 1e-3;       // of the accelerations
static const double CONSISTENT = 1e-8; // G v + Phi_t over the velocities

tr_jerk *tr_jerk_new(tr_step *s) { return TR_NEW(&s->arena, 1, tr_jerk); }

// Before the first step there is but one state in the past. The first two vectors are in use for another step, and the
// first state that is kept goes to the end of the room.
static void find_room(tr_step *s, tr_jerk *j, double *q) {
  int nv = s->sys->nv;
  tr_past_clear(s);
  double *room = s->past_room;
  j->v = room, j->jerk = room + nv, j->a[0] = room + 2 * nv, j->a[1] = room + 3 * nv;
  j->q = q, j->lam = room + 4 * nv;
  // what is found later goes where nothing is read any more
  j->turn = j->a[1], j->normal = j->a[0], j->start_v = j->v, j->start_a = j->jerk;
}

// q'' there, or what `value` makes of it.
static tr_status look(tr_step *s, tr_jerk *j, const tr_state *x, double e, tr_along *value,
                      double *a) {
  const tr_system *sys = s->sys;
  tr_projector p = {.sys = sys, .work = s->work, .kkt = &s->kkt, .r = s->newton.r};
  tr_state beside = *x;
  for (int i = 0; i < sys->nv; i++) j->v[i] = e * x->v[i] + 0.5 * e * e * x->a[i];
  tr_retract(sys, x->q, j->v, j->q);
  for (int i = 0; i < sys->nv; i++) j->v[i] = x->v[i] + e * x->a[i];
  beside.t += e, beside.q = j->q, beside.v = j->v, beside.a = a, beside.lam = j->lam;
  memcpy(a, x->a, (size_t)sys->nv * sizeof *a);
  memcpy(j->lam, x->lam, (size_t)sys->nc * sizeof *j->lam);
  TR_TRY(tr_follow_accelerations(&p, &beside, a, j->lam));
  return value ? value(s, &beside, a) : TR_OK;
}

static bool consistent(tr_step *s, const tr_state *x, double h, double *rate) {
  tr_kinematics(s->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_rates(s->work, rate);
  double speed = fmax(vec_largest(x->v, s->sys->nv), h * vec_largest(x->a, s->sys->nv));
  return vec_largest(rate, s->sys->nc) <= CONSISTENT * speed;
}

// The rate of increments, u' = v + 1/2 [u, v] + .., has c in it.
static void find_turn(tr_step *s, tr_jerk *j, const tr_state *x) {
  int nv = s->sys->nv;
  double most = vec_largest(x->v, nv), e = most > 0 ? 1e-4 / most : 0;
  memset(j->turn, 0, (size_t)nv * sizeof *j->turn);
  if (s->sys->flat || e == 0) return;
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < nv; i++) j->v[i] = (side ? -e : e) * x->v[i];
    tr_increment_rate(s->sys, j->v, x->a, j->a[side]);
  }
  for (int i = 0; i < nv; i++) j->turn[i] = (j->a[0][i] - j->a[1][i]) / (2 * e);
}

// [M G'; G 0] (N x, .) = (0, G x)
static tr_status find_normal(tr_step *s, tr_jerk *j, const tr_state *x, double kappa) {
  int nv = s->sys->nv, nc = s->sys->nc;
  double *r = s->newton.r;
  tr_projector p = {.sys = s->sys, .work = s->work, .kkt = &s->kkt, .r = r};
  TR_TRY(tr_factor_mass(&p, x));
  memset(r, 0, (size_t)(nv + nc) * sizeof *r);
  for (int i = 0; i < nv; i++) j->normal[i] = kappa * j->jerk[i] + j->turn[i] / 6;
  tr_G_times(s->work, j->normal, r + nv);
  for (int i = 0; i < nc; i++)
    if (s->sys->of_velocity[i]) r[nv + i] = 0; // these have no drift
  TR_TRY(tr_kkt_solve(&s->kkt, 1, r));
  memcpy(j->normal, r, (size_t)nv * sizeof *r);
  return TR_OK;
}

// What is a at x is not on a line before and after it, by far.
static bool jumps(const tr_jerk *j, const double *a, int nv) {
  double bend = 0, slope = 0;
  for (int i = 0; i < nv; i++) {
    bend = fmax(bend, fabs(j->a[0][i] - 2 * a[i] + j->a[1][i]));
    slope = fmax(slope, fabs(j->a[0][i] - j->a[1][i]));
  }
  return bend > 0.5 * slope && bend > JUMP * vec_largest(a, nv);
}

// The rate of `value`, which is `now` at x, into j->jerk; NULL: that of q''. False: unknown, or changing so fast that a step
// of length h has no use for it.
static bool find(tr_step *s, tr_jerk *j, const tr_state *x, double h, tr_along *value,
                 const double *now) {
  int nv = s->sys->nv;
  double e = BESIDE * h;
  s->newton.valid = false; // its matrix goes
  for (int side = 0; side < 2; side++)
    if (look(s, j, x, side ? -e : e, value, j->a[side]) != TR_OK) return false;
  for (int i = 0; i < nv; i++) j->jerk[i] = (j->a[0][i] - j->a[1][i]) / (2 * e);
  if (jumps(j, now, nv)) {
    if (look(s, j, x, 2 * e, value, j->a[1]) != TR_OK) return false;
    for (int i = 0; i < nv; i++) j->jerk[i] = (4 * j->a[0][i] - 3 * now[i] - j->a[1][i]) / (2 * e);
  }
  double change = h * vec_largest(j->jerk, nv);
  return change <= fmax(vec_largest(now, nv), vec_largest(x->v, nv) / h);
}

// Whether a step from x is the first, and x a state to look around from.
static bool begins(tr_step *s, tr_jerk *j, const tr_state *x, double h, double *q) {
  bool known = s->start == TR_START_OWN || s->start == TR_START_BEST;
  j->used = false;
  if (s->last_h > 0 || s->past > 1 || !known) return false;
  find_room(s, j, q);
  return consistent(s, x, h, j->lam);
}

// q''' and the velocities for a first step of length h; false: leave the start as it is.
static bool make_start(tr_step *s, tr_jerk *j, const tr_state *x, double h, double kappa,
                       double *q) {
  if (!begins(s, j, x, h, q) || !find(s, j, x, h, NULL, x->a)) return false;
  find_turn(s, j, x);
  if (kappa != 0 && find_normal(s, j, x, kappa) != TR_OK) return false;
  for (int i = 0; i < s->sys->nv; i++)
    j->start_v[i] = x->v[i] + (kappa != 0 ? h * h * j->normal[i] : 0);
  return j->used = true;
}

bool tr_jerk_start(tr_step *s, tr_jerk *j, const tr_state *x, double h, double shift, double kappa,
                   double *q) {
  if ((shift == 0 && kappa == 0) || !make_start(s, j, x, h, kappa, q)) return false;
  for (int i = 0; i < s->sys->nv; i++) j->start_a[i] = x->a[i] + shift * h * j->jerk[i];
  return true;
}

const double *tr_jerk_along(tr_step *s, tr_jerk *j, const tr_state *x, double h, tr_along *value,
                            const double *now, double *q) {
  return begins(s, j, x, h, q) && find(s, j, x, h, value, now) ? j->jerk : NULL;
}

const double *tr_jerk_past(tr_step *s, tr_jerk *j, const tr_state *x, double h, double kappa,
                           double *increment, double *change, double *q) {
  if (s->start == TR_START_KEPT && s->last_h == 0) {
    j->used = false;
    for (int i = 0; i < s->sys->nv; i++)
      increment[i] = h * (x->v[i] - 0.5 * h * x->a[i]), change[i] = h * x->a[i];
    return x->v;
  }
  if (!make_start(s, j, x, h, kappa, q)) return NULL;
  for (int i = 0; i < s->sys->nv; i++) {
    increment[i] = h * (x->v[i] - h * (0.5 * x->a[i] - h / 6 * (j->jerk[i] + j->turn[i])));
    change[i] = h * (x->a[i] - 0.5 * h * j->jerk[i]);
  }
  return j->start_v;
}
