// SPDX-License-Identifier: Apache-2.0
// States and variables at a place, by their equations alone and without a matrix.
//
// Each in turn, the others as they are, variables first: rates of states read these, and seldom the other way round. What is
// no formula of itself is known at once, a chain of formulas after as many sweeps as it is long, if it stands in the wrong
// order. Else one step of Newton's,
//   Gam(v) = 0:  v <- v - Gam/Gam_v
#include <math.h>

#include "elem/law.h"
#include "pieces.h"

static bool reads_itself(const tr_law *law) {
  for (int k = 0; k < law->inputs; k++)
    if (law->input[k].kind == LAW_VALUE && law->input[k].to == 0) return true;
  return false;
}

// Of the number in its own units, v = V/scale.
static double change(const tr_work *w, const sys_joint *j) {
  const tr_equation_par *par = j->e.par;
  const tr_frame *f[TR_MAX_MARKERS];
  double gam, gam_t, G[TR_LAW_MAX_N];
  frames_of(w, &j->e, f);
  if (reads_itself(par->law)) {
    j->ops->look(par, w->t, f, NULL, &gam, &gam_t, G);
    return -gam / (G[0] * par->scalar->scale);
  }
  j->ops->eval(par, w->t, f, NULL, NULL, &gam, NULL);
  return -gam;
}

static bool is_state(const tr_system *s, int body) { return s->body[body].nq > 0; }

static bool stands_behind(const tr_system *s, int a, int b) {
  return is_state(s, a) != is_state(s, b) ? is_state(s, a) : a > b;
}

// In any order, somebody in a loop reads one that stands behind.
bool tr_numbers_loop(const tr_system *s) {
  for (const sys_joint *j = s->joint; j < s->joint + s->njoint; j++) {
    const tr_equation_par *par = j->e.par;
    for (int k = 0; j->type == &tr_joint_equation && k < par->law->inputs; k++) {
      const law_input *in = &par->law->input[k];
      if (in->kind == LAW_VALUE && in->to >= 0 && stands_behind(s, j->e.body[in->to], j->e.body[0]))
        return true;
    }
  }
  return false;
}

bool tr_numbers_formulas(const tr_system *s) {
  if (tr_numbers_loop(s)) return false;
  for (const sys_joint *j = s->joint; j < s->joint + s->njoint; j++)
    if (j->type == &tr_joint_equation && reads_itself(((const tr_equation_par *)j->e.par)->law))
      return false;
  return true;
}

static void show(const tr_work *w, const sys_body *b) {
  tr_body_at at = {b->par, w->q + b->q, w->v + b->v, w->cache + b->cache, w->t};
  b->type->kinematics(&at, TR_AT_VELOCITY, b->sites, w->sys->site + b->site,
                      tr_frame_at(w->frames, b->frame));
}

static double sweep(tr_work *w, bool states, double *v) {
  const tr_system *s = w->sys;
  double most = 0;
  for (const sys_joint *j = s->joint; j < s->joint + s->njoint; j++) {
    if (j->type != &tr_joint_equation || s->follows[j->row]) continue;
    const sys_body *b = &s->body[j->e.body[0]];
    if (is_state(s, j->e.body[0]) != states) continue;
    double d = change(w, j);
    if (d == 0) continue;
    v[b->v] += d;
    show(w, b);
    double part = fabs(d) / fmax(1, fabs(v[b->v]));
    if (!(part <= most)) most = isfinite(part) ? part : INFINITY;
  }
  return most;
}

double tr_sweep_numbers(tr_work *w, double *v) {
  w->v = v;
  double variables = sweep(w, false, v), states = sweep(w, true, v);
  return fmax(variables, states);
}
