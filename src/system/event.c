// SPDX-License-Identifier: Apache-2.0
// Events as the system knows them: expressions of frames, and the memory that their actions change.
//
//   g(t, q, v)     g' = g_q u + g_v (J a + bias) + g_t      n = J' g_q
// Joints that can be locked and parameters that can be set live in tr_state.mem, so that a copied state
// knows what holds in it.
#include <math.h>
#include <string.h>

#include "elem/law.h"
#include "math/v3.h"
#include "system.h"

// ---- compile --------------------------------------------------------------------------------------

static const char *describe(tr_system *s, const tr_plan_event *e) {
  const tr_plan_joint *joint = s->plan.joint;
  tr_text t = {.al = s->al};
  const char *and = "";
  for (int k = 0; k < e->nset; k++, and = ", ")
    tr_text_add(&t, "%sset %s", and, s->plan.switched[e->set[k].k].name);
  for (int k = 0; k < e->nunlock; k++, and = ", ")
    tr_text_add(&t, "%sunlock %s", and, joint[e->unlock[k]].name);
  if (!isnan(e->par.restitution)) tr_text_add(&t, "%simpact", and), and = ", ";
  for (int k = 0; k < e->nlock; k++, and = ", ")
    tr_text_add(&t, "%slock %s", and, joint[e->lock[k]].name);
  if (e->par.stop) tr_text_add(&t, "%sstop", and);
  const char *text = t.failed ? NULL : tr_arena_text(&s->arena, t.data ? t.data : "", t.size);
  tr_text_free(&t);
  return text;
}

// Whether a marker is a frame on ground that shows the reaction of a joint in space.
static bool shows_spatial(const tr_system *s, int marker) {
  for (int j = 0; j < s->plan.njoint; j++)
    if (s->plan.joint[j].reaction == marker && marker > 0) return s->joint[j].e.nd == 6;
  return false;
}

tr_status tr_number_events(tr_system *s, tr_error *error) {
  const tr_plan *p = &s->plan;
  s->nevent = p->nevent;
  s->event = TR_NEW(&s->arena, p->nevent + 1, sys_event);
  if (!s->event) return tr_no_memory(error);
  s->switched_mem = s->nmem;
  s->nmem += p->nswitched;
  for (int i = 0; i < p->nevent; i++) {
    const tr_plan_event *d = &p->event[i];
    sys_event *e = &s->event[i];
    *e = (sys_event){.plan = d, .text = describe(s, d)};
    e->e = (sys_element){.name = d->name, .nd = 3};
    if (!e->text || tr_connect(s, &e->e, d->marker, d->markers) != TR_OK)
      return tr_no_memory(error);
    for (int k = 0; k < d->markers; k++) {
      int b = e->e.body[k];
      if (b == TR_GROUND ? shows_spatial(s, d->marker[k]) : s->body[b].type->dim != 2) e->e.nd = 6;
    }
  }
  return TR_OK;
}

void tr_start_memory(const tr_system *s, double *mem) {
  for (int i = 0; i < s->plan.nswitched; i++) mem[s->switched_mem + i] = s->plan.switched[i].start;
  for (int i = 0; s->nlock > 0 && i < s->njoint; i++)
    if (s->joint[i].lock >= 0 && s->joint[i].idle) mem[s->joint[i].lock] = 1;
}

// ---- values ---------------------------------------------------------------------------------------

static const sys_element *frames_of(const tr_work *w, int event, const tr_frame **f) {
  const sys_element *e = &w->sys->event[event].e;
  for (int k = 0; k < e->markers; k++) f[k] = tr_frame_at(w->frames, e->frame[k]);
  return e;
}

double tr_event_value(const tr_work *w, int event) {
  const tr_frame *f[TR_MAX_MARKERS];
  const sys_element *e = frames_of(w, event, f);
  return law_value(w->sys->event[event].plan->par.when, e->nd, w->t, f, NULL);
}

// Whether a law is more than sums and products.
static bool is_curved(const tr_law *law) {
  for (int k = 0; k < law->n; k++)
    if (law->code[k].op > LAW_MULTIPLY) return true;
  return false;
}

bool tr_event_switched(const tr_system *s, int event) {
  const tr_law *when = s->event[event].plan->par.when;
  for (int k = 0; k < when->inputs; k++)
    if (when->input[k].kind != LAW_TIME && when->input[k].kind != LAW_PARAMETER) return false;
  return true;
}

bool tr_event_winds(const tr_system *s, int event) {
  const tr_law *when = s->event[event].plan->par.when;
  int times = 0;
  if (!tr_event_switched(s, event)) return false;
  for (int k = 0; k < when->n; k++) {
    law_op op = when->code[k].op;
    times += op == LAW_INPUT && when->input[when->code[k].input].kind == LAW_TIME;
  }
  return times > 1 || is_curved(when);
}

double tr_event_value_at(const tr_work *w, int event, double t) {
  const tr_frame *f[TR_MAX_MARKERS];
  const sys_element *e = frames_of(w, event, f);
  return law_value(w->sys->event[event].plan->par.when, e->nd, t, f, NULL);
}

// Whether its expression has an input of the kind or of one after it.
static bool reads(const tr_system *s, int event, law_measure kind) {
  const tr_law *when = s->event[event].plan->par.when;
  for (int k = 0; k < when->inputs; k++)
    if (when->input[k].kind >= kind) return true;
  return false;
}

void tr_event_reads(const tr_system *s, int event, int marker, bool *place, bool *turn) {
  const tr_law *when = s->event[event].plan->par.when;
  bool round = s->event[event].e.nd == 6 || is_curved(when); // angles in space jump
  *place = *turn = false;
  for (int k = 0; k < when->inputs; k++) {
    const law_input *in = &when->input[k];
    bool way = in->kind == LAW_WAY || in->kind == LAW_VELOCITY;
    bool far = way || in->kind == LAW_DISTANCE || in->kind == LAW_SPEED || in->kind == LAW_RADIAL;
    bool ends = in->to == marker || in->from == marker;
    *place = *place || (far && ends);
    *turn = *turn || (in->kind == LAW_ANGLE && ends && round);
    *turn = *turn || ((way || in->kind == LAW_SPIN) && in->along == marker);
  }
}

bool tr_event_turns(const tr_system *s, int event) { return reads(s, event, LAW_STATE); }

bool tr_events_read_motion(const tr_system *s) {
  for (int i = 0; i < s->nevent; i++)
    if (reads(s, i, LAW_VELOCITY)) return true;
  return s->nevent > 0 && s->nreaction > 0;
}

double tr_event_touch(const tr_system *s, int event) {
  const tr_law *touch = s->event[event].plan->par.touch;
  return touch ? touch->value : 0;
}

double tr_event_rest(const tr_system *s, int event) {
  const tr_law *rest = s->event[event].plan->par.rest;
  return rest ? rest->value : 0;
}

double tr_event_set_value(const tr_work *w, int event, int k) {
  const tr_frame *f[TR_MAX_MARKERS];
  const sys_element *e = frames_of(w, event, f);
  return law_value(w->sys->event[event].plan->set[k].to, e->nd, w->t, f, NULL);
}

// by . x over a frame's displacements, x of the halves (place, turn)
static double along(int nd, const double *by, const double *place, const double *turn) {
  if (nd == 3) return by[0] * place[0] + by[1] * place[1] + by[2] * turn[2];
  return v3_dot(by, place) + v3_dot(by + 3, turn);
}

double tr_event_slope(const tr_work *w, int event, const double *a, double *n) {
  const tr_system *s = w->sys;
  const tr_frame *f[TR_MAX_MARKERS];
  const sys_element *e = frames_of(w, event, f);
  law_slope by;
  law_derive(s->event[event].plan->par.when, e->nd, w->t, f, NULL, &by);
  double rate = by.time;
  if (n) memset(n, 0, (size_t)s->nv * sizeof *n);
  for (int k = 0; k < e->markers; k++) {
    const double *q = by.q + k * e->nd, *v = by.v + k * e->nd;
    rate += along(e->nd, q, f[k]->v, f[k]->w) + along(e->nd, v, f[k]->ap, f[k]->aw);
    if (e->body[k] == TR_GROUND) continue;
    const sys_body *b = &s->body[e->body[k]];
    tr_body_at at = {b->par, w->q + b->q, w->v + b->v, w->cache + b->cache, w->t};
    double *pull = w->block;
    memset(pull, 0, (size_t)b->nv * sizeof *pull);
    b->type->add_pull(&at, tr_site_of(s, e->body[k], e->frame[k]), v, pull);
    for (int i = 0; i < b->nv; i++) rate += pull[i] * a[b->v + i];
    if (n) b->type->add_pull(&at, tr_site_of(s, e->body[k], e->frame[k]), q, n + b->v);
  }
  return rate;
}

double tr_event_bend(const tr_work *w, int event, const double *a) {
  const tr_system *s = w->sys;
  const tr_law *when = s->event[event].plan->par.when;
  const tr_frame *f[TR_MAX_MARKERS];
  const sys_element *e = frames_of(w, event, f);
  law_slope by;
  if (reads(s, event, LAW_STATE)) return NAN;
  law_derive(when, e->nd, w->t, f, NULL, &by);
  double bend = law_bias(when, e->nd, w->t, f);
  for (int k = 0; k < e->markers; k++) {
    const double *q = by.q + k * e->nd;
    bend += along(e->nd, q, f[k]->ap, f[k]->aw);
    if (e->body[k] == TR_GROUND) continue;
    const sys_body *b = &s->body[e->body[k]];
    tr_body_at at = {b->par, w->q + b->q, w->v + b->v, w->cache + b->cache, w->t};
    double *pull = w->block;
    memset(pull, 0, (size_t)b->nv * sizeof *pull);
    b->type->add_pull(&at, tr_site_of(s, e->body[k], e->frame[k]), q, pull);
    for (int i = 0; i < b->nv; i++) bend += pull[i] * a[b->v + i];
  }
  return bend;
}

// ---- joints that are locked -----------------------------------------------------------------------

void tr_joint_lock(tr_work *w, int joint, bool on, double *mem) {
  const sys_joint *j = &w->sys->joint[joint];
  const tr_frame *f[TR_MAX_MARKERS];
  double wrench[6 * TR_MAX_MARKERS], *idle = mem + j->lock;
  if (on && *idle == 0) return; // it holds where it is
  *idle = !on;
  if (!on) return;
  for (int k = 0; k < j->e.markers; k++) f[k] = tr_frame_at(w->frames, j->e.frame[k]);
  j->ops->eval(j->e.par, w->t, f, mem + j->e.mem, NULL, idle + 1, wrench);
  for (int r = 0; r < j->ops->rows; r++)
    if (w->sys->of_velocity[j->row + r]) idle[1 + r] = 0; // Gam = 0, whatever the velocities were
}

void tr_joints_give_way(const tr_system *s, const bool *rows, const double *phi, double *mem) {
  for (int i = 0; s->nlock > 0 && i < s->njoint; i++) {
    const sys_joint *j = &s->joint[i];
    for (int r = 0; j->lock >= 0 && r < j->ops->rows; r++)
      if (rows[j->row + r] && !s->of_velocity[j->row + r]) mem[j->lock + 1 + r] += phi[j->row + r];
  }
}

int tr_idle_rows(const tr_system *s, const double *mem, int *rows) {
  int n = 0;
  for (int i = 0; s->nlock > 0 && i < s->njoint; i++) {
    const sys_joint *j = &s->joint[i];
    if (j->lock < 0 || mem[j->lock] == 0) continue;
    for (int r = 0; r < j->ops->rows; r++, n++)
      if (rows) rows[n] = j->row + r;
  }
  return n;
}

int tr_held_velocity_rows(const tr_system *s, const double *mem) {
  int n = s->nvelocity;
  for (int i = 0; s->nlock > 0 && i < s->njoint; i++) {
    const sys_joint *j = &s->joint[i];
    for (int r = 0; j->lock >= 0 && mem[j->lock] != 0 && r < j->ops->rows; r++)
      n -= s->of_velocity[j->row + r];
  }
  return n;
}
