// SPDX-License-Identifier: Apache-2.0
// From the plan to the constant system: numbering, sites, constraint blocks, masses, pattern.
//
// (1) An element is planar when all its markers sit on planar bodies or ground, else spatial.
// (2) A marker used by elements becomes one site per kind (nd = 3 or 6); sites are sorted by body, so
//     that a body's frames are neighbours. Ground comes first.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "elem/law.h"
#include "stretch.h"

enum { ALIKE = 4 }; // so many before are looked at for what is the same

#define NEW(count, type) TR_NEW(&s->arena, (count) > 0 ? (count) : 1, type)

// What the body computes once, before its sizes are known.
static tr_status prepare_body(tr_system *s, sys_body *b, const tr_place *place, tr_error *error) {
  if (!b->type->prepare) return TR_OK;
  double *room = NEW(b->type->room(b->par), double);
  if (!room) return tr_no_memory(error);
  const char *why = b->type->prepare(b->par, room);
  if (!why) return TR_OK;
  return tr_fail(error, TR_BAD_INPUT, place, "body \"%s\": %s", b->name, why);
}

static bool is_number(const sys_body *b) {
  return b->type == &tr_body_state || b->type == &tr_body_variable;
}

static void *keep_par(tr_system *s, const void *par, size_t size) {
  void *kept = tr_arena_get(&s->arena, size);
  return kept && size > 0 ? memcpy(kept, par, size) : kept;
}

// The start of all bodies, at rest or not.
static tr_status keep_start(tr_system *s, tr_error *error) {
  size_t nq = (size_t)s->nq, nv = (size_t)s->nv;
  bool moving = false;
  double *v = tr_resize(s->al, NULL, (nv + 1) * sizeof *v);
  s->start_q = NEW(s->nq, double);
  for (int i = 0; v && s->start_q && i < s->nbody; i++) {
    const sys_body *b = &s->body[i];
    b->type->start(b->par, s->start_q + b->q, v + b->v);
    for (int k = b->v; k < b->v + b->nv; k++) moving = moving || v[k] != 0;
  }
  if (v && moving) s->start_v = NEW(s->nv, double);
  if (s->start_v) memcpy(s->start_v, v, nv * sizeof *v);
  tr_resize(s->al, v, 0);
  return nq > 0 && (!s->start_q || !v || (moving && !s->start_v)) ? tr_no_memory(error) : TR_OK;
}

// What only the start reads is forgotten; then neighbours that are alike have one set of parameters.
static void forget_start(const tr_field *f, char *par) {
  for (; f && f->name; f++) {
    size_t n = f->kind == TR_VEC2 ? 2 : f->kind == TR_VEC3 ? 3 : f->kind == TR_ROTATION ? 9 : 1;
    if (f->start) memset(par + f->offset, 0, n * sizeof(double));
  }
}

static tr_status share_parameters(tr_system *s, tr_error *error) {
  for (int i = 0; i < s->nbody; i++) {
    sys_body *b = &s->body[i], *before = i > 0 ? b - 1 : NULL;
    if (s->plan.body[i].problem || b->type->prepare) continue;
    forget_start(b->type->fields, b->par);
    bool alike =
        before && before->type == b->type && !memcmp(before->par, b->par, b->type->par_size);
    b->par = alike ? before->par : keep_par(s, b->par, b->type->par_size);
    if (!b->par) return tr_no_memory(error);
  }
  return TR_OK;
}

static tr_status number_bodies(tr_system *s, tr_error *error) {
  const tr_plan *p = &s->plan;
  s->nbody = p->nbody;
  s->body = NEW(p->nbody, sys_body);
  if (!s->body) return tr_no_memory(error);
  s->flat = s->aligned = s->constant_mass = true;
  s->max_nv = 1;
  s->ground_dim = 2;
  for (int i = 0; i < p->nbody; i++) {
    const tr_plan_body *d = &p->body[i];
    sys_body *b = &s->body[i];
    *b = (sys_body){.type = d->type,
                    .par = d->par,
                    .name = d->name,
                    .keep_q = d->keep_q & 0xffffu,
                    .keep_v = d->keep_v & 0x7fffu};
    if (d->problem) {
      tr_problem_par *par = NEW(1, tr_problem_par);
      if (!par) return tr_no_memory(error);
      par->problem = d->problem;
      b->type = &tr_body_problem;
      b->par = par;
    }
    if (b->type->variant) b->type = b->type->variant(b->par);
    if (b->type->prepare && !(b->par = keep_par(s, b->par, b->type->par_size)))
      return tr_no_memory(error);
    TR_TRY(prepare_body(s, b, &d->place, error));
    int ncache = b->type->ncache;
    b->nq = b->type->nq, b->nv = b->type->nv, b->nc = b->type->nc;
    if (b->type->sizes) b->type->sizes(b->par, &b->nq, &b->nv, &b->nc, &ncache);
    b->q = s->nq, b->v = s->nv, b->row = s->nc, b->cache = s->ncache;
    s->nq += b->nq, s->nv += b->nv, s->nc += b->nc, s->ncache += ncache;
    if (b->type->retract) s->flat = false;
    if (b->type->change) s->changes = true;
    if (b->type->trouble) s->troubles = true;
    if (b->nc > 0) s->nblock++;
    if (b->nc > 0 && b->type->phi_t) s->rheonomic = true;
    if (b->nv > s->max_nv) s->max_nv = b->nv;
    if (b->type->dim == 3) s->ground_dim = 3;
    if (b->nq != b->nv) s->aligned = false;
    if (is_number(b)) s->nnumber++;
    s->norigin += !d->problem;
  }
  s->aligned = s->aligned && s->flat;
  s->number = NEW(s->nv, bool);
  if (!s->number) return tr_no_memory(error);
  for (int i = 0; i < s->nbody; i++)
    if (is_number(&s->body[i])) s->number[s->body[i].v] = true;
  TR_TRY(keep_start(s, error));
  return share_parameters(s, error);
}

// nd of an element from its bodies; 0 when it joins ground with itself. Numbers fit everywhere.
static int dimension(const tr_system *s, const int *marker, int markers) {
  int nd = 0;
  bool number = false;
  for (int k = 0; k < markers; k++) {
    int b = s->plan.marker[marker[k]].body;
    if (b == TR_GROUND) continue;
    int own = s->body[b].type->dim == 2 ? 3 : 6;
    if (is_number(&s->body[b]))
      number = true;
    else if (own > nd)
      nd = own;
  }
  return nd == 0 && number ? 3 : nd;
}

tr_status tr_connect(tr_system *s, sys_element *e, const int *marker, int markers) {
  e->markers = (unsigned char)markers;
  e->frame = NEW(2 * markers, int);
  if (!e->frame) return TR_NO_MEMORY;
  e->body = e->frame + markers;
  for (int k = 0; k < markers; k++)
    e->frame[k] = marker[k], e->body[k] = s->plan.marker[marker[k]].body;
  return TR_OK;
}

static tr_status place_element(tr_system *s, sys_element *e, const tr_place *place,
                               const char *kind, const char *type, bool planar, bool spatial,
                               const int *marker, int markers, tr_error *error) {
  e->nd = (unsigned char)dimension(s, marker, markers);
  if (tr_connect(s, e, marker, markers) != TR_OK) return tr_no_memory(error);
  if (e->nd == 0)
    return tr_fail(error, TR_BAD_INPUT, place, "%s \"%s\": every marker is on ground", kind,
                   e->name);
  if (e->nd == 3 && !planar)
    return tr_fail(error, TR_BAD_INPUT, place,
                   "%s \"%s\": type %s is for spatial bodies, not for planar ones", kind, e->name,
                   type);
  if (e->nd == 6 && !spatial)
    return tr_fail(error, TR_BAD_INPUT, place,
                   "%s \"%s\": type %s is for planar bodies, not for spatial ones", kind, e->name,
                   type);
  for (int k = 0; k < markers; k++) {
    const tr_plan_marker *m = &s->plan.marker[marker[k]];
    if (e->nd == 3 && m->R[8] < 1 - 1e-9)
      tr_fail(error, TR_BAD_INPUT, place,
              "%s \"%s\": marker \"%s\" is tilted out of the plane; its z axis must be [0, 0, 1]",
              kind, e->name, m->name);
  }
  return TR_OK;
}

// Whether some law of an element measures frames.
static bool measures_frames(const tr_field *fields, const void *par) {
  for (const tr_field *f = fields; f && f->name; f++) {
    const tr_law *const *law = (const void *)((const char *)par + f->offset);
    int laws = f->kind == TR_LAW ? 1 : f->kind == TR_LAW3 ? 3 : 0;
    for (int i = 0; i < laws; i++)
      for (int k = 0; law[i] && k < law[i]->inputs; k++)
        if (law[i]->input[k].kind > LAW_PARAMETER) return true;
  }
  return false;
}

static tr_status number_elements(tr_system *s, tr_error *error) {
  const tr_plan *p = &s->plan;
  int before = error->count;
  s->njoint = p->njoint, s->nforce = p->nforce;
  s->joint = NEW(p->njoint, sys_joint), s->force = NEW(p->nforce, sys_force);
  if (!s->joint || !s->force) return tr_no_memory(error);
  for (int i = 0; i < p->njoint; i++) {
    const tr_plan_joint *d = &p->joint[i];
    sys_joint *j = &s->joint[i];
    *j = (sys_joint){.type = d->type, .e = {.name = d->name, .par = d->par}};
    tr_status status = place_element(s, &j->e, &d->place, "joint", d->type->name, d->type->planar,
                                     d->type->spatial, d->marker, d->markers, error);
    if (status == TR_NO_MEMORY) return status;
    if (status != TR_OK) continue;
    j->ops = j->e.nd == 3 ? d->type->planar : d->type->spatial;
    j->row = s->nc, j->e.mem = s->nmem;
    s->nc += j->ops->rows;
    if (tr_joint_remembers(j)) s->nmem += d->type->nmem, s->remembers = true;
    j->lock = -1, j->idle = d->idle;
    if (d->lockable || d->idle) j->lock = s->nmem, s->nmem += 1 + j->ops->rows, s->nlock++;
    s->nblock++;
    if (j->ops->phi_t) s->rheonomic = true;
    if (j->ops->velocity) s->force_level = TR_AT_VELOCITY;
  }
  for (int i = 0; i < p->nforce; i++) {
    const tr_plan_force *d = &p->force[i];
    sys_force *f = &s->force[i];
    *f = (sys_force){.type = d->type, .e = {.name = d->name, .par = d->par}};
    tr_status status = place_element(s, &f->e, &d->place, "force", d->type->name, d->type->planar,
                                     d->type->spatial, d->marker, d->markers, error);
    if (status == TR_NO_MEMORY) return status;
    if (status != TR_OK) continue;
    f->whole = measures_frames(d->type->fields, d->par);
    f->ops = f->e.nd == 3 ? d->type->planar : d->type->spatial;
    f->e.mem = s->nmem;
    if (tr_force_remembers(f)) s->nmem += d->type->nmem, s->remembers = true;
    if (f->ops->uses_velocity) s->force_level = TR_AT_VELOCITY;
  }
  return error->count > before ? TR_BAD_INPUT : TR_OK;
}

void tr_place_site(const tr_system *s, int body, const sys_place *at, int nd, tr_site *site) {
  double *shape = site->shape;
  *site = (tr_site){.nd = nd, .shape = shape};
  if (body == TR_GROUND) {
    memcpy(site->c, at->p, sizeof site->c);
    site->R = at->R;
    site->angle = atan2(at->R[3], at->R[0]);
  } else {
    const sys_body *b = &s->body[body];
    b->type->site(b->par, at->p, at->R, site);
  }
  site->nd = nd;
}

tr_status tr_make_site(tr_system *s, int body, const sys_place *at, bool origin, int nd,
                       tr_site *site) {
  int shape = 0;
  const sys_body *b = body == TR_GROUND ? NULL : &s->body[body];
  if (b && b->type->shape_size) shape = b->type->shape_size(b->par);
  site->shape = shape > 0 ? NEW(shape, double) : NULL;
  if (shape > 0 && !site->shape) return TR_NO_MEMORY;
  tr_place_site(s, body, at, nd, site);
  // the reference frame, which no deformation moves
  if (shape > 0 && origin) memset(site->shape, 0, (size_t)shape * sizeof *site->shape);
  return TR_OK;
}

static sys_place place_of(const tr_plan_marker *d) {
  return (sys_place){d->R, {d->p[0], d->p[1], d->p[2]}};
}

// One of the last places, or a new one.
static int share_place(tr_system *s, sys_place *place, sys_place x) {
  for (int i = s->nplace - 1; i >= 0 && i >= s->nplace - ALIKE; i--)
    if (place[i].R == x.R && !memcmp(place[i].p, x.p, sizeof x.p)) return i;
  place[s->nplace] = x;
  return s->nplace++;
}

// Markers with names, for outputs.
static tr_status keep_markers(tr_system *s, tr_error *error) {
  const tr_plan *p = &s->plan;
  for (int i = 1 + s->norigin; i < p->nmarker; i++) s->nmarker += p->marker[i].name[0] != 0;
  sys_place *place = tr_resize(s->al, NULL, ((size_t)s->nmarker + 1) * sizeof *place);
  s->marker = NEW(s->nmarker, sys_marker);
  for (int i = 1 + s->norigin, n = 0; place && s->marker && i < p->nmarker; i++) {
    const tr_plan_marker *m = &p->marker[i];
    if (m->name[0])
      s->marker[n++] = (sys_marker){m->name, m->body, share_place(s, place, place_of(m))};
  }
  s->place = NEW(s->nplace, sys_place);
  if (place && s->place) memcpy(s->place, place, (size_t)s->nplace * sizeof *place);
  bool done = place && s->place && s->marker;
  tr_resize(s->al, place, 0);
  return done ? TR_OK : tr_no_memory(error);
}

static sys_element *element(tr_system *s, int i) {
  if (i < s->njoint) return &s->joint[i].e;
  i -= s->njoint;
  return i < s->nforce ? &s->force[i].e : &s->event[i - s->nforce].e;
}

// How many markers of n elements have frames that hold parameters.
static int holding_markers(tr_system *s, int n) {
  int count = 0;
  for (int i = 0; s->plan.nswitched > 0 && i < n; i++)
    for (int k = 0; k < element(s, i)->markers; k++)
      count += s->plan.marker[element(s, i)->frame[k]].switched > 0;
  return count;
}

// A site whose frame holds parameters.
static void hold_parameters(tr_system *s, int marker, int frame) {
  int first = s->plan.marker[marker].switched - 1, left = s->plan.nswitched - first;
  int count = left < TR_SWITCHED_PER_FRAME ? left : TR_SWITCHED_PER_FRAME;
  if (first >= 0)
    s->switched[s->nswitched++] = (sys_switched){frame, s->switched_mem + first, count};
}

static bool sees_points(const tr_system *s, int i) {
  if (i < s->njoint) return s->joint[i].ops->sight != TR_SEES_FRAMES;
  if (i >= s->njoint + s->nforce) return false;
  const sys_force *f = &s->force[i - s->njoint];
  return f->ops->sight != TR_SEES_FRAMES && !f->whole;
}

// The site that marker k of element i uses, 1 + its number in *use; elements that look at points have
// their own, which costs less than to share.
static int *shared_site(tr_system *s, int i, int k, int *use, int *own) {
  const sys_element *e = element(s, i);
  *own = 0;
  return sees_points(s, i) ? own : &use[2 * e->frame[k] + (e->nd == 6)];
}

static bool same_site(const tr_site *a, const tr_site *b) {
  return a->nd == b->nd && a->point == b->point && !memcmp(a->c, b->c, sizeof a->c) &&
         a->R == b->R && a->angle == b->angle && a->shape == b->shape;
}

// The sites of a body among those of the bodies just before it; -1: they are not there.
static int seek_sites(const tr_system *s, const tr_site *all, int body) {
  const sys_body *b = &s->body[body], *before = b;
  while (before > s->body && b - before < ALIKE) {
    before--;
    int same = 0;
    while (same < b->sites && same < before->sites &&
           same_site(all + b->frame + same, all + before->site + same))
      same++;
    if (same == b->sites) return before->site;
  }
  return -1;
}

// s->site from one for each frame, which move up where others are shared.
static bool share_sites(tr_system *s, tr_site *all) {
  int n = s->ground_sites;
  for (int i = 0; i < s->nbody; i++) {
    sys_body *b = &s->body[i];
    b->site = seek_sites(s, all, i);
    if (b->site >= 0) continue;
    memmove(all + n, all + b->frame, (size_t)b->sites * sizeof *all);
    b->site = n, n += b->sites;
  }
  s->nsite = n;
  s->site = NEW(n, tr_site);
  if (s->site) memcpy(s->site, all, (size_t)n * sizeof *all);
  return s->site;
}

static tr_status number_sites(tr_system *s, tr_error *error) {
  int n = s->njoint + s->nforce + s->nevent, own;
  bool failed = true;
  tr_site *all = NULL;
  size_t markers = (size_t)s->plan.nmarker;
  int *use = tr_resize(s->al, NULL, (2 * markers + 1) * sizeof *use);
  int *count = tr_resize(s->al, NULL, ((size_t)s->nbody + 2) * sizeof *count);
  if (use && count) {
    memset(use, 0, 2 * markers * sizeof *use);
    memset(count, 0, ((size_t)s->nbody + 2) * sizeof *count);
    for (int i = 0; i < n; i++)
      for (int k = 0; k < element(s, i)->markers; k++) {
        int *u = shared_site(s, i, k, use, &own);
        if (*u == 0) count[element(s, i)->body[k] + 2]++;
        *u = 1;
      }
    // prefix sums: count[b + 1] is the first site of body b, ground being -1
    for (int b = 1; b < s->nbody + 2; b++) count[b] += count[b - 1];
    s->nframe = count[s->nbody + 1];
    s->ground_sites = count[1];
    for (int b = 0; b < s->nbody; b++) {
      s->body[b].frame = count[b + 1];
      s->body[b].sites = count[b + 2] - count[b + 1];
    }
    memset(use, 0, 2 * markers * sizeof *use);
    s->switched = NEW(holding_markers(s, n), sys_switched);
    all = tr_resize(s->al, NULL, ((size_t)s->nframe + 1) * sizeof *all);
    failed = !s->switched || !all;
  }
  for (int i = 0; i < n && !failed; i++) { // joints first
    sys_element *e = element(s, i);
    for (int k = 0; k < e->markers; k++) {
      int *u = shared_site(s, i, k, use, &own);
      if (*u == 0) {
        *u = 1 + count[e->body[k] + 1]++;
        sys_place at = place_of(&s->plan.marker[e->frame[k]]);
        bool origin = e->frame[k] == 1 + e->body[k];
        failed = failed || tr_make_site(s, e->body[k], &at, origin, e->nd, &all[*u - 1]) != TR_OK;
        hold_parameters(s, e->frame[k], *u - 1);
        all[*u - 1].point = sees_points(s, i);
        e->first |= (unsigned char)(1u << k);
        if (i < s->njoint && e->body[k] != TR_GROUND) s->body[e->body[k]].held++;
      }
      e->frame[k] = *u - 1;
    }
  }
  failed = failed || !share_sites(s, all);
  tr_resize(s->al, use, 0);
  tr_resize(s->al, count, 0);
  tr_resize(s->al, all, 0);
  return failed ? tr_no_memory(error) : TR_OK;
}

static bool reads_reactions(const tr_system *s, const sys_element *e) {
  for (int k = 0; k < e->markers; k++)
    if (tr_joint_shown(s, e->frame[k])) return true;
  return false;
}

static tr_status make_blocks(tr_system *s, tr_error *error) {
  s->own = NEW(s->nblock - s->njoint, int);
  s->of_velocity = NEW(s->nc, bool), s->of_number = NEW(s->nc, bool);
  s->follows = NEW(s->nc, bool);
  if (!s->own || !s->of_velocity || !s->of_number || !s->follows) return tr_no_memory(error);
  for (int i = 0; i < s->nbody; i++) {
    sys_body *b = &s->body[i];
    if (b->nc == 0) continue;
    s->own[s->nown++] = i;
    b->G = s->nG;
    s->nG += b->nc * b->nv;
    if (b->nc * b->nv > s->max_rows) s->max_rows = b->nc * b->nv;
  }
  for (int i = 0; i < s->njoint; i++) {
    sys_joint *j = &s->joint[i];
    j->G = s->nG;
    sys_block block;
    int numbers = j->ops->rows * tr_joint_block(s, j, &block)->width;
    s->nG += numbers;
    if (numbers > s->max_rows) s->max_rows = numbers;
    for (int r = 0; r < j->ops->rows; r++) {
      s->of_velocity[j->row + r] = j->ops->velocity >> r & 1u;
      s->nvelocity += s->of_velocity[j->row + r];
      s->of_number[j->row + r] = j->type == &tr_joint_equation;
      s->follows[j->row + r] = s->of_number[j->row + r] && reads_reactions(s, &j->e);
    }
  }
  return TR_OK;
}

// Elements find their "auto" parameters in the frames at the start.
static tr_status start_elements(tr_system *s, tr_work *w, tr_error *error) {
  tr_state x;
  int before = error->count;
  TR_TRY(tr_state_new(s, &x, error));
  tr_kinematics(w, 0, x.q, x.v, x.mem, TR_AT_BIAS);
  for (int i = 0; i < s->njoint + s->nforce; i++) { // events have nothing to find
    bool joint = i < s->njoint;
    const sys_element *e = element(s, i);
    const char *(*start)(void *, int, const tr_frame *const *) =
        joint ? s->joint[i].type->start : s->force[i - s->njoint].type->start;
    if (!start) continue;
    const tr_frame *f[TR_MAX_MARKERS];
    for (int k = 0; k < e->markers; k++) f[k] = tr_frame_at(w->frames, e->frame[k]);
    const char *why = start(e->par, e->nd, f);
    const tr_place *place = joint ? &s->plan.joint[i].place : &s->plan.force[i - s->njoint].place;
    if (why)
      tr_fail(error, TR_BAD_INPUT, place, "%s \"%s\": %s", joint ? "joint" : "force", e->name, why);
  }
  tr_state_free(s, &x);
  return error->count > before ? TR_BAD_INPUT : TR_OK;
}

// What of the frames is there: up to the angle or R where all are points, else everything.
static size_t find_frame_size(const tr_system *s) {
  size_t size = TR_FRAME_OF_POINTS;
  for (int i = 0; i < s->nsite; i++)
    if (!s->site[i].point) return sizeof(tr_frame);
  for (int i = 0; i < s->nbody; i++) {
    const sys_body *b = &s->body[i];
    if (b->sites == 0) continue;
    if (!s->slot[i].points || !b->type->kinematics_run) return sizeof(tr_frame);
    if (b->type->dim == 2) size = offsetof(tr_frame, R);
  }
  return size;
}

// Runs of neighbours of one type.
static tr_status make_runs(tr_system *s, tr_error *error) {
  s->body_run = NEW(s->nbody, sys_run), s->joint_run = NEW(s->njoint, sys_run);
  s->slot = TR_BUSY(&s->arena, s->nbody, tr_body_slot);
  s->link = TR_BUSY(&s->arena, s->njoint, tr_link);
  if (!s->body_run || !s->joint_run || !s->slot || !s->link) return tr_no_memory(error);
  for (int i = 0; i < s->nbody; i++) {
    const sys_body *b = &s->body[i];
    bool points = true;
    for (int k = b->site; k < b->site + b->sites; k++)
      points = points && s->site[k].point && s->site[k].nd == (b->type->dim == 2 ? 3 : 6);
    s->slot[i] = (tr_body_slot){
        b->par, b->q,   b->v, b->cache, b->frame, b->site, (unsigned)b->sites & INT_MAX,
        points, b->held};
    if (i == 0 || b->type != s->body[i - 1].type) s->body_run[s->nbody_run++].first = i;
    s->body_run[s->nbody_run - 1].count++;
  }
  for (int i = 0; i < s->njoint; i++) {
    const sys_joint *j = &s->joint[i];
    s->link[i] = (tr_link){j->e.par, {j->e.frame[0], j->e.frame[1]}, j->row};
    bool alone = j->lock >= 0 || (i > 0 && s->joint[i - 1].lock >= 0);
    if (i == 0 || alone || j->ops != s->joint[i - 1].ops) s->joint_run[s->njoint_run++].first = i;
    s->joint_run[s->njoint_run - 1].count++;
  }
  s->frame_size = find_frame_size(s);
  return TR_OK;
}

// Everything but the order of the unknowns. lists, w: needed no longer than here.
static tr_status build(tr_system *s, const tr_model *model, tr_arena *lists, tr_work **w,
                       tr_error *error) {
  TR_TRY(tr_model_plan(model, &s->arena, lists, &s->plan, error));
  s->name = s->plan.name;
  memcpy(s->gravity, s->plan.gravity, sizeof s->gravity);
  TR_TRY(number_bodies(s, error));
  if (s->nv == 0)
    return tr_fail(error, TR_BAD_INPUT, &(tr_place){.file = model->source},
                   "the model has no bodies, so nothing can move");
  TR_TRY(number_elements(s, error));
  TR_TRY(tr_number_events(s, error));
  TR_TRY(number_sites(s, error));
  TR_TRY(tr_find_reactions(s, error));
  TR_TRY(make_runs(s, error));
  TR_TRY(make_blocks(s, error));
  TR_TRY(tr_make_masses(s, error));
  if (tr_find_stretches(s) != TR_OK) return tr_no_memory(error);
  TR_TRY(keep_markers(s, error));
  TR_TRY(tr_make_channels(s, error));
  if (tr_work_new(s, w) != TR_OK) return tr_no_memory(error);
  TR_TRY(start_elements(s, *w, error));
  s->plan.marker = NULL, s->plan.body = NULL, s->plan.joint = NULL, s->plan.force = NULL;
  tr_arena_free(lists);
  return tr_record_pattern(s, *w, error);
}

tr_status tr_compile(const tr_model *model, tr_system **system, tr_error *error) {
  tr_error own = {0}; // the steps below look at the count
  if (!error) error = &own;
  *system = NULL;
  tr_arena arena = tr_arena_make(model->arena.al);
  tr_system *s = TR_NEW(&arena, 1, tr_system);
  if (!s) return tr_no_memory(error);
  s->arena = arena;
  s->al = model->arena.al;
  tr_work *w = NULL;
  tr_arena lists = tr_arena_make(s->al);
  tr_status status = build(s, model, &lists, &w, error);
  tr_work_free(w);
  tr_arena_free(&lists);
  if (status == TR_OK) status = tr_order_pattern(s, error);
  if (status != TR_OK) {
    tr_system_free(s);
    return status;
  }
  *system = s;
  return TR_OK;
}

void tr_system_free(tr_system *s) {
  if (!s) return;
  tr_arena arena = s->arena; // the system itself lives in it
  tr_arena_free(&arena);
}
