// SPDX-License-Identifier: Apache-2.0
// Bodies that are held off their centre: steps under error control follow their turning.
//
// An eccentric of a millimetre moves by less than a tolerance that is fit for a crane, however far it turns in a step.
// What it pulls with is then taken at angles that have nothing to do with those in between. Its angle shows
// nothing of that: it goes on as it did, and is driven faster and faster, until the pull of what began as nothing moves
// the crane. So no step turns an arm, a place on a rigid body other than its centre of mass where a joint or a force acts,
// by more than a radian by the velocity at its start, or by two in the end; three times as much with a method that looks at
// three places of a step. Where a torque or a weld has its markers does not matter; of a weld the arm is the way between
// the centres. What turns about its arm, as a wheel does about the axle that holds it, does not turn it.
#include <float.h>
#include <math.h>

#include "driver.h"
#include "step/places.h"

static const double FARTHEST = 1, TOO_FAR = 2; // rad
static const double AGAIN = 0.8,
                    KEPT = 0.5; // of it: a new length, and from which on the last one is kept

struct tr_arm {
  int turn; // place of the angle, or of three of the rotation, in v
  bool plane;
  double n[3]; // its direction, body axes
};

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool has_turns(const sys_body *b) {
  bool rigid = b->type->coordinate_names && !b->type->modes;
  return rigid && ((b->type->dim == 2 && b->nq == 3 && b->nv == 3) ||
                   (b->type->dim == 3 && b->nq == 7 && b->nv == 6));
}

// Adds that to a place c, unless it is there: neighbours in the list of a body's sites are often the same.
static void add(const tr_run *r, const sys_body *b, const double *c, struct tr_arm *arms,
                int *count) {
  double length = sqrt(dot(c, c));
  bool plane = b->type->dim == 2;
  struct tr_arm arm = {.turn = b->v + b->type->dim, .plane = plane};
  if (!tr_off_centre(r->sys, b, c)) return;
  for (int k = 0; k < 3; k++) arm.n[k] = c[k] / length;
  for (int i = *count; i-- > 0 && arms[i].turn == arm.turn;) {
    double along = dot(arms[i].n, arm.n);
    if (plane || 1 - fabs(along) < DBL_EPSILON) return;
  }
  arms[(*count)++] = arm;
}

tr_status tr_arms_make(tr_run *r, tr_error *error) {
  const tr_system *s = r->sys;
  int most = 0;
  if (r->settings.control.rule == TR_CONTROL_GNP05) return TR_OK; // as published
  for (int i = 0; i < s->nbody; i++) most += has_turns(&s->body[i]) ? 2 * s->body[i].sites : 0;
  r->arms = TR_NEW(&r->arena, most + 1, struct tr_arm);
  bool *used = TR_NEW(&r->arena, s->nsite + 1, bool);
  if (!r->arms || !used) return tr_no_memory(error);
  tr_sites_matter(s, used);
  for (int i = 0; i < s->nbody; i++) {
    const sys_body *b = &s->body[i];
    for (int k = 0; has_turns(b) && k < b->sites; k++)
      if (used[b->site + k]) add(r, b, s->site[b->site + k].c, r->arms, &r->narms);
  }
  for (int i = 0; i < s->njoint; i++)
    for (int k = 0; k < 2 && s->joint[i].e.markers > 1; k++) {
      double d[3];
      if (!tr_weld_arm(s, &s->joint[i], k, d)) continue;
      const sys_body *b = &s->body[s->joint[i].e.body[k]];
      if (has_turns(b)) add(r, b, d, r->arms, &r->narms);
    }
  return TR_OK;
}

double tr_run_turning(const tr_run *r, const double *v) {
  double most = 0;
  for (int i = 0; i < r->sys->nbody; i++) {
    const sys_body *b = &r->sys->body[i];
    const double *w = v + b->v + b->type->dim;
    if (has_turns(b)) most = fmax(most, b->type->dim == 2 ? w[0] * w[0] : dot(w, w));
  }
  return sqrt(most);
}

static double arms_turn(const tr_run *r, const double *v) {
  double most = 0;
  for (int i = 0; i < r->narms; i++) {
    const struct tr_arm *arm = &r->arms[i];
    const double *w = v + arm->turn;
    double along = arm->plane ? 0 : dot(w, arm->n);
    double square = arm->plane ? w[0] * w[0] : dot(w, w) - along * along;
    most = fmax(most, square);
  }
  return sqrt(most);
}

static double places(const tr_run *r) { return r->step->method->info.order_q > 2 ? 3 : 1; }

bool tr_arms_lost(const tr_run *r) {
  return r->narms > 0 && arms_turn(r, r->step->d) > TOO_FAR * places(r);
}

double tr_arms_follow(tr_run *r, double h, double least) {
  double rate = r->narms > 0 ? arms_turn(r, r->x.v) / places(r) : 0, turn = rate * r->arms_h;
  if (!(rate * h > FARTHEST)) return h;
  if (!(turn >= KEPT && turn <= FARTHEST)) r->arms_h = AGAIN * FARTHEST / rate;
  return fmax(r->arms_h, fmin(h, least));
}
