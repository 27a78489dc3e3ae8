// SPDX-License-Identifier: Apache-2.0
// Bodies that are held off their centre: steps under error control follow their turning.
//
// An eccentric of a millimetre moves by less than a tolerance that is fit for a crane, however far it turns in a step.
// What it pulls with is then taken at angles that have nothing to do with those in between. Its angle shows
// nothing of that: it goes on as it did, and is driven faster and faster, until the pull of what began as nothing moves
// the crane. So no step turns an arm, a place on a rigid body other than its centre of mass where a joint or a force acts,
// by more than a radian by the velocity at its start, or by two in the end; three times as much with a method that looks at
// three places of a step. So is what an event reads that does more than tell, one radian with any method: a crossing that comes once
// a turn shows at the ends of such steps, as long as it may happen; and where it reads a place along a body's axes, or a curve of its angle, the arm
// is all of the body. Where a torque or a weld has its markers does not matter; of a weld the arm is the way between
// the centres. What turns about its arm, as a wheel does about the axle that holds it, does not turn it.
#include <float.h>
#include <math.h>
#include <string.h>

#include "events.h"
#include "step/places.h"

static const double FARTHEST = 1, TOO_FAR = 2; // rad
static const double AGAIN = 0.8,
                    KEPT = 0.5; // of it: a new length, and from which on the last one is kept

struct tr_arm {
  int turn; // place of the angle, or of three of the rotation, in v
  bool plane;
  bool read;   // by an event
  double n[3]; // its direction, body axes; 0: any
};

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool has_turns(const sys_body *b) {
  bool rigid = b->type->coordinate_names && !b->type->modes;
  return rigid && ((b->type->dim == 2 && b->nq == 3 && b->nv == 3) ||
                   (b->type->dim == 3 && b->nq == 7 && b->nv == 6));
}

// Adds that to a place c, or with NULL all of the body, unless it is there: neighbours in the list of a body's sites are
// often the same.
static void add(tr_run *r, const sys_body *b, const double *c, bool read) {
  bool plane = b->type->dim == 2;
  struct tr_arm arm = {.turn = b->v + b->type->dim, .plane = plane, .read = read};
  double length = c ? sqrt(dot(c, c)) : 0;
  if (c && !tr_off_centre(r->sys, b, c)) return;
  for (int k = 0; c && k < 3; k++) arm.n[k] = c[k] / length;
  for (int i = r->narms; i-- > 0 && r->arms[i].turn == arm.turn;) {
    double along = dot(r->arms[i].n, arm.n);
    if (!plane && !(1 - fabs(along) < DBL_EPSILON)) continue;
    r->arms[i].read = r->arms[i].read || read;
    return;
  }
  r->arms[r->narms++] = arm;
}

// What an event reads of a site: its place, or the turning of its body.
enum { PLACE = 1, TURNS = 2 };

static void mark_read(tr_run *r, int event) {
  const tr_system *s = r->sys;
  const sys_element *e = &s->event[event].e;
  bool idle = tells(r, event) || (r->watch && r->watch[event].idle);
  for (int k = 0; k < e->markers && !idle; k++) {
    bool place, turn;
    if (e->body[k] == TR_GROUND) continue;
    tr_event_reads(s, event, k, &place, &turn);
    r->sites_read[tr_site_of(s, e->body[k], e->frame[k]) - s->site] |=
        (place ? PLACE : 0) | (turn ? TURNS : 0);
  }
}

tr_status tr_arms_make(tr_run *r, tr_error *error) {
  const tr_system *s = r->sys;
  int most = 0;
  if (r->settings.control.rule == TR_CONTROL_GNP05) return TR_OK; // as published
  for (int i = 0; i < s->nbody; i++) most += has_turns(&s->body[i]) ? 3 * s->body[i].sites : 0;
  r->arms = TR_NEW(&r->arena, most + 1, struct tr_arm);
  r->sites_used = TR_NEW(&r->arena, s->nsite + 1, bool);
  r->sites_read = TR_NEW(&r->arena, s->nsite + 1, int);
  if (!r->arms || !r->sites_used || !r->sites_read) return tr_no_memory(error);
  tr_sites_matter(s, r->sites_used);
  tr_arms_gather(r);
  return TR_OK;
}

void tr_arms_gather(tr_run *r) {
  const tr_system *s = r->sys;
  int *read = r->sites_read;
  if (!r->arms) return;
  r->narms = 0;
  memset(read, 0, (size_t)s->nsite * sizeof *read);
  for (int i = 0; i < s->nevent; i++) mark_read(r, i);
  for (int i = 0; i < s->nbody; i++) {
    const sys_body *b = &s->body[i];
    for (int k = 0; has_turns(b) && k < b->sites; k++) {
      int at = b->site + k;
      if (r->sites_used[at] || read[at] & PLACE) add(r, b, s->site[at].c, read[at] & PLACE);
      if (read[at] & TURNS) add(r, b, NULL, true);
    }
  }
  for (int i = 0; i < s->njoint; i++)
    for (int k = 0; k < 2 && s->joint[i].e.markers > 1; k++) {
      double d[3];
      if (!tr_weld_arm(s, &s->joint[i], k, d)) continue;
      const sys_body *b = &s->body[s->joint[i].e.body[k]];
      if (has_turns(b)) add(r, b, d, false);
    }
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

static double places(const tr_run *r) { return r->step->method->info.order_q > 2 ? 3 : 1; }

// By the fastest of them, over what the method bears.
static double arms_turn(const tr_run *r, const double *v) {
  double most = 0, more = places(r);
  for (int i = 0; i < r->narms; i++) {
    const struct tr_arm *arm = &r->arms[i];
    const double *w = v + arm->turn;
    double along = arm->plane ? 0 : dot(w, arm->n);
    double square = arm->plane ? w[0] * w[0] : dot(w, w) - along * along;
    most = fmax(most, arm->read ? square * more * more : square);
  }
  return sqrt(most) / more;
}

bool tr_arms_turned(const tr_run *r) { return arms_turn(r, r->step->d) > TOO_FAR; }

double tr_arms_follow(tr_run *r, double h, double least) {
  double rate = r->narms > 0 ? arms_turn(r, r->x.v) : 0, turn = rate * r->arms_h;
  if (!(rate * h > FARTHEST)) return h;
  if (!(turn >= KEPT && turn <= FARTHEST)) r->arms_h = AGAIN * FARTHEST / rate;
  return fmax(r->arms_h, fmin(h, least));
}
