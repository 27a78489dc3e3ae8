// SPDX-License-Identifier: Apache-2.0
// States, evaluation workspaces, and the plain facts about a system.
#include <math.h>
#include <string.h>

#include "pieces.h"

static const double BESIDE = 2e-4; // of a time, or s: it is the same

tr_system_info tr_system_describe(const tr_system *s) {
  return (tr_system_info){.name = s->name,
                          .bodies = s->nbody - s->nnumber,
                          .markers = s->plan.nmarker - s->nnumber,
                          .joints = s->njoint - s->nnumber,
                          .numbers = s->nnumber,
                          .forces = s->nforce,
                          .nq = s->nq,
                          .nv = s->nv,
                          .nc = s->nc,
                          .nmem = s->nmem,
                          .nnz = s->pattern.nnz,
                          .bytes = s->arena.bytes,
                          .constant_mass = s->constant_mass,
                          .warnings = s->plan.warnings};
}

tr_simulation tr_system_simulation(const tr_system *s) {
  return (tr_simulation){.end = s->plan.end,
                         .step = s->plan.step,
                         .output_step = s->plan.output_step,
                         .method = s->plan.method,
                         .outputs = s->plan.noutput,
                         .output = s->plan.output};
}

void tr_start_motion(const tr_system *s, double *q, double *v) {
  size_t nv = (size_t)s->nv * sizeof *v;
  memcpy(q, s->start_q, (size_t)s->nq * sizeof *q);
  if (s->start_v)
    memcpy(v, s->start_v, nv);
  else
    memset(v, 0, nv);
}

tr_status tr_state_new(const tr_system *s, tr_state *x, tr_error *error) {
  size_t n = (size_t)s->nq + 2 * (size_t)s->nv + (size_t)s->nc + (size_t)s->nmem;
  *x = (tr_state){.bytes = n * sizeof(double)};
  x->block = tr_resize(s->al, NULL, x->bytes);
  if (!x->block) return tr_no_memory(error);
  tr_large_pages(x->block, x->bytes);
  memset(x->block, 0, x->bytes);
  x->q = x->block, x->v = x->q + s->nq, x->a = x->v + s->nv, x->lam = x->a + s->nv;
  x->mem = x->lam + s->nc;
  tr_start_motion(s, x->q, x->v);
  tr_start_memory(s, x->mem);
  return TR_OK;
}

void tr_state_free(const tr_system *s, tr_state *x) {
  if (!x || !x->block) return;
  tr_resize(s->al, x->block, 0);
  *x = (tr_state){0};
}

void tr_state_copy(tr_state *to, const tr_state *from) {
  to->t = from->t;
  memcpy(to->block, from->block, from->bytes);
}

// Ground's frames never move: written once.
static void fill_ground(tr_work *w) {
  memset(w->frames.first, 0, (size_t)w->sys->ground_sites * w->frames.size);
  for (int i = 0; i < w->sys->ground_sites; i++) {
    const tr_site *s = &w->sys->site[i];
    tr_frame *f = tr_frame_at(w->frames, i);
    memcpy(f->p, s->c, sizeof f->p);
    if (w->frames.size > offsetof(tr_frame, angle)) f->angle = s->angle;
    if (w->frames.size > offsetof(tr_frame, R) && s->R) memcpy(f->R, s->R, sizeof f->R);
  }
}

void tr_fit_frames(tr_work *w, tr_level level) {
  size_t size = level < TR_AT_VELOCITY ? offsetof(tr_frame, v)
                : level < TR_AT_BIAS   ? offsetof(tr_frame, ap)
                                       : TR_FRAME_OF_POINTS;
  if (size == w->frames.size) return;
  w->frames.size = size;
  fill_ground(w);
}

// What is written for one element and read at once.
static bool make_scratch(tr_arena *ar, tr_work *w) {
  const tr_system *s = w->sys;
  size_t nv = (size_t)s->max_nv, rows = TR_MAX_ROWS;
  for (int i = 0; i < s->nbody; i++)
    if ((size_t)s->body[i].nc > rows) rows = (size_t)s->body[i].nc;
  w->rows = TR_NEW(ar, s->max_rows, double);
  w->block = TR_NEW(ar, 3 * nv * nv + nv * rows + (12 * TR_MAX_MARKERS + 6) * nv, double);
  w->many = TR_NEW(ar, TR_MANY, double);
  w->many_of = TR_NEW(ar, 1, const tr_body_type *);
  return w->rows && w->block && w->many && w->many_of;
}

tr_status tr_work_hire(tr_work *w, tr_team *team) {
  const tr_system *s = w->sys;
  int n = tr_team_size(team);
  w->team = NULL;
  if (!team) return TR_OK;
  w->hand = TR_NEW(&w->arena, n, tr_work);
  bool fine = w->hand && tr_mark_tape(w) == TR_OK;
  for (int i = 1; fine && i < n; i++) {
    w->hand[i].sys = s;
    fine = make_scratch(&w->arena, &w->hand[i]);
  }
  w->team = fine ? team : NULL;
  return fine ? TR_OK : TR_NO_MEMORY;
}

tr_work *tr_hand(tr_work *w, int i) {
  if (i == 0) return w;
  tr_work *hand = &w->hand[i], own = *hand;
  *hand = *w;
  hand->rows = own.rows, hand->block = own.block, hand->many = own.many;
  hand->many_of = own.many_of;
  hand->team = NULL;
  return hand;
}

// With room behind the last for whoever reads four numbers of three.
static tr_wrenches make_wrenches(tr_arena *ar, const tr_system *s) {
  int size = s->frame_size < sizeof(tr_frame) ? 3 : 6;
  return (tr_wrenches){TR_BUSY(ar, (size_t)size * (size_t)s->nframe + 1, double), size};
}

tr_status tr_work_new(const tr_system *s, tr_work **out) {
  *out = NULL;
  tr_arena ar = tr_arena_make(s->al);
  tr_work *w = TR_NEW(&ar, 1, tr_work);
  if (!w) return TR_NO_MEMORY;
  size_t n = (size_t)(s->nv > s->nc ? s->nv : s->nc);
  w->sys = s;
  w->frames = (tr_frames){TR_BUSY(&ar, (size_t)s->nframe * s->frame_size, char), s->frame_size};
  w->W = make_wrenches(&ar, s);
  w->W2 = w->W;
  w->cache = TR_BUSY(&ar, s->ncache, double);
  bool scratch = make_scratch(&ar, w);
  w->x = TR_NEW(&ar, n, double);
  w->y = TR_NEW(&ar, n, double);
  w->arena = ar;
  if (!w->frames.first || !w->W.first || !w->cache || !scratch || !w->x || !w->y) {
    tr_work_free(w);
    return TR_NO_MEMORY;
  }
  fill_ground(w);
  *out = w;
  return TR_OK;
}

tr_status tr_wrenches_keep(tr_work *w) {
  if (w->W2.first != w->W.first) return TR_OK;
  tr_wrenches own = make_wrenches(&w->arena, w->sys);
  if (own.first) w->W2 = own;
  return own.first ? TR_OK : TR_NO_MEMORY;
}

tr_status tr_rows_keep(tr_work *w) {
  if (!w->G) w->G = TR_NEW(&w->arena, w->sys->nG, double);
  return w->G ? TR_OK : TR_NO_MEMORY;
}

void tr_work_free(tr_work *w) {
  if (!w) return;
  tr_arena arena = w->arena; // the workspace itself lives in it
  tr_arena_free(&arena);
}

void tr_accept(tr_work *w, double *mem) {
  const tr_system *s = w->sys;
  const tr_frame *f[TR_MAX_MARKERS];
  if (!s->remembers) return;
  for (int i = 0; i < s->njoint; i++) {
    const sys_joint *j = &s->joint[i];
    if (!tr_joint_remembers(j)) continue;
    frames_of(w, &j->e, f);
    j->type->accept(j->e.par, w->t, f, mem + j->e.mem);
  }
  for (int i = 0; i < s->nforce; i++) {
    const sys_force *e = &s->force[i];
    if (!tr_force_remembers(e)) continue;
    frames_of(w, &e->e, f);
    e->type->accept(e->e.par, w->t, f, mem + e->e.mem);
  }
}

const char *tr_trouble(const tr_system *s, const tr_state *x, double h, const char **name) {
  for (int r = 0; r < s->nbody_run; r++) {
    const sys_body *b = s->body + s->body_run[r].first, *end = b + s->body_run[r].count;
    for (; b < end && b->type->trouble; b++) {
      tr_body_at at = {.par = b->par, .q = x->q + b->q, .v = x->v + b->v, .t = x->t};
      const char *why = b->type->trouble(&at, h);
      *name = b->name;
      if (why) return why;
    }
  }
  return NULL;
}

// Differences look a little before and behind a time.
bool tr_tell_failed(const tr_work *w, double from, double to, const char *head, tr_status status,
                    tr_error *error) {
  double t, aside = BESIDE * fmax(1, fabs(from));
  for (const sys_body *b = w->sys->body; b < w->sys->body + w->sys->nbody; b++) {
    tr_body_at at = {.par = b->par, .cache = w->cache + b->cache};
    const char *function = b->type->failed ? b->type->failed(&at, &t) : NULL;
    if (!function || !(t >= from - aside && t <= to + aside)) continue;
    tr_fail(error, status, NULL, "%s%s \"%s\": its callback %s failed at t = %.9g s", head,
            b->type->name, b->name, function, t);
    return true;
  }
  return false;
}

bool tr_change_coordinates(const tr_system *s, double h, tr_state *x) {
  bool changed = false;
  for (int i = 0; s->changes && i < s->nbody; i++) {
    const sys_body *b = &s->body[i];
    if (b->type->change) changed |= b->type->change(h, x->q + b->q, x->v + b->v, x->a + b->v);
  }
  return changed;
}

void tr_plain_motion(const tr_system *s, double *q, double *v) {
  for (int i = 0; s->changes && i < s->nbody; i++) {
    const sys_body *b = &s->body[i];
    if (b->type->plain) b->type->plain(q + b->q, v + b->v);
  }
}

void tr_clear_velocity_rows(const tr_system *s, double *x) {
  for (int i = 0; s->nvelocity > 0 && i < s->nc; i++)
    if (s->of_velocity[i]) x[i] = 0;
}

const char *tr_row_owner(const tr_system *s, int row, const char **kind) {
  for (int i = 0; i < s->njoint; i++)
    if (row >= s->joint[i].row && row < s->joint[i].row + s->joint[i].ops->rows) {
      bool number = s->joint[i].type == &tr_joint_equation;
      *kind = number ? s->body[s->joint[i].e.body[0]].type->name : "joint";
      return s->joint[i].e.name;
    }
  *kind = "body";
  for (int i = 0; i < s->nbody; i++)
    if (row >= s->body[i].row && row < s->body[i].row + s->body[i].nc) return s->body[i].name;
  return "";
}
