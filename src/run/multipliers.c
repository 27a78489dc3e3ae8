// SPDX-License-Identifier: Apache-2.0
// The error of multipliers under step control, where it is asked for.
//
// They are those of the equations at the states, whatever the method: those that a step solves for may ring when its length
// changes. They are off by some h^2 lam'', or less: by a part of what tells the newest from the line through the two
// before, with methods of high order from the parabola through three, over the largest so far, or the largest load on a body
// that is held: a pendulum let go at the height of its hinge begins with no tension.
#include <math.h>
#include <string.h>

#include "driver.h"

enum { MOST = 3 };
static const double PART = 1.0 / 12;

struct tr_multipliers {
  double *lam, *past[MOST], t[MOST]; // (nc) of the step just tried; before, newest first, and when
  double *a;                         // (nv) room
  double largest;
  int known;
};

tr_status tr_multipliers_make(tr_run *r, tr_error *error) {
  size_t nv = (size_t)r->sys->nv, nc = (size_t)r->sys->nc;
  tr_multipliers *m = r->multipliers = TR_NEW(&r->arena, 1, tr_multipliers);
  double *p = TR_NEW(&r->arena, (MOST + 1) * nc + nv + 1, double);
  if (!m || !p) return tr_no_memory(error);
  m->lam = p, m->a = p + (MOST + 1) * nc;
  for (int k = 0; k < MOST; k++) m->past[k] = p + (size_t)(k + 1) * nc;
  return TR_OK;
}

// The largest of mechanics: equations of states and variables have multipliers in whatever units.
static double largest_of(const tr_system *sys, const double *lam) {
  double most = 0;
  for (int i = 0; i < sys->nc; i++)
    if (!sys->of_number[i]) most = fmax(most, fabs(lam[i]));
  return most;
}

static double largest_on(const sys_body *b, const double *Q) {
  double most = 0;
  for (int k = 0; b->type->coordinate_names && k < b->type->dim; k++)
    most = fmax(most, fabs(Q[b->v + k]));
  return most;
}

// The largest applied force, weight too, on a body that something holds.
static double largest_load(tr_run *r) {
  const tr_system *sys = r->sys;
  const tr_state *x = &r->x;
  double *Q = r->multipliers->a, most = 0;
  tr_level level = sys->force_level > TR_AT_VELOCITY ? sys->force_level : TR_AT_VELOCITY;
  tr_kinematics(r->work, x->t, x->q, x->v, x->mem, level);
  tr_forces(r->work, NULL, Q, NULL);
  for (int i = 0; i < sys->njoint; i++)
    for (int m = 0; m < sys->joint[i].e.markers; m++) {
      int body = sys->joint[i].e.body[m];
      if (body != TR_GROUND) most = fmax(most, largest_on(&sys->body[body], Q));
    }
  for (int i = 0; i < sys->nbody; i++)
    if (sys->body[i].nc > 0) most = fmax(most, largest_on(&sys->body[i], Q));
  return isfinite(most) ? most : 0;
}

static void remember(tr_run *r, const double *lam, double t) {
  tr_multipliers *m = r->multipliers;
  double *room = m->past[MOST - 1];
  for (int k = MOST - 1; k > 0; k--) m->past[k] = m->past[k - 1], m->t[k] = m->t[k - 1];
  m->past[0] = room, m->t[0] = t;
  memcpy(room, lam, (size_t)r->sys->nc * sizeof *room);
  m->largest = fmax(m->largest, largest_of(r->sys, lam));
  if (m->known < (r->step->method->info.order_q > 2 ? MOST : 2)) m->known++;
}

void tr_multipliers_begin(tr_run *r) {
  if (!r->multipliers) return;
  r->multipliers->known = 0;
  r->multipliers->largest = fmax(r->multipliers->largest, largest_load(r));
  remember(r, r->x.lam, r->x.t);
}

void tr_multipliers_accept(tr_run *r) {
  if (r->multipliers) remember(r, r->multipliers->lam, r->x.t);
}

double tr_multipliers_error(tr_run *r) {
  tr_multipliers *m = r->multipliers;
  double weight[MOST], most = 0;
  if (!m) return 0;
  memcpy(m->lam, r->next.lam,
         (size_t)r->sys->nc * sizeof *m->lam); // a start for laws that read them
  tr_state x = r->next;
  x.lam = m->lam;
  if (tr_solve_accelerations(&r->projector, &x, m->a, m->lam) != TR_OK) return INFINITY;
  if (m->known < 2 || m->largest == 0) return 0;
  for (int k = 0; k < m->known; k++) {
    weight[k] = 1;
    for (int j = 0; j < m->known; j++)
      if (j != k) weight[k] *= (x.t - m->t[j]) / (m->t[k] - m->t[j]);
  }
  for (int i = 0; i < r->sys->nc; i++) {
    double e = m->lam[i];
    for (int k = 0; k < m->known; k++) e -= weight[k] * m->past[k][i];
    if (r->sys->of_number[i]) continue;
    if (!isfinite(e)) return INFINITY;
    most = fmax(most, fabs(e));
  }
  return PART * most / m->largest;
}
