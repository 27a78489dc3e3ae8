// SPDX-License-Identifier: Apache-2.0
// Outputs by name, "element.quantity", and their values at a state.
//
// (1) Owners of channels, in order: bodies and named markers (as markers), problems, joints, forces,
//     energy, constraint. Channel numbers run through the owners; names are made on demand.
// (2) A joint's reaction acts on the second marker's body, at that marker, in global axes: -G' lam.
// (3) A joint's last channels are its raw multipliers, row by row. They are there for who asks by name, and in
//     no list besides.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elem/elem.h"
#include "math/v3.h"
#include "math/vector.h"
#include "system.h"

typedef struct part {
  const char *name;
  tr_quantity quantity;
} part;

static const part planar_parts[] = {
    {"x", TR_LENGTH},        {"y", TR_LENGTH},        {"angle", TR_ANGLE},
    {"vx", TR_VELOCITY},     {"vy", TR_VELOCITY},     {"omega", TR_ANGULAR_VELOCITY},
    {"ax", TR_ACCELERATION}, {"ay", TR_ACCELERATION}, {"alpha", TR_ANGULAR_ACCELERATION}};
static const part spatial_parts[] = {{"x", TR_LENGTH},
                                     {"y", TR_LENGTH},
                                     {"z", TR_LENGTH},
                                     {"e0", TR_NUMBER},
                                     {"e1", TR_NUMBER},
                                     {"e2", TR_NUMBER},
                                     {"e3", TR_NUMBER},
                                     {"vx", TR_VELOCITY},
                                     {"vy", TR_VELOCITY},
                                     {"vz", TR_VELOCITY},
                                     {"wx", TR_ANGULAR_VELOCITY},
                                     {"wy", TR_ANGULAR_VELOCITY},
                                     {"wz", TR_ANGULAR_VELOCITY},
                                     {"ax", TR_ACCELERATION},
                                     {"ay", TR_ACCELERATION},
                                     {"az", TR_ACCELERATION},
                                     {"alx", TR_ANGULAR_ACCELERATION},
                                     {"aly", TR_ANGULAR_ACCELERATION},
                                     {"alz", TR_ANGULAR_ACCELERATION}};
static const part planar_reaction[] = {{"fx", TR_FORCE}, {"fy", TR_FORCE}, {"tz", TR_TORQUE}};
static const part spatial_reaction[] = {{"fx", TR_FORCE},  {"fy", TR_FORCE},  {"fz", TR_FORCE},
                                        {"tx", TR_TORQUE}, {"ty", TR_TORQUE}, {"tz", TR_TORQUE}};
static const part energy_parts[] = {
    {"kinetic", TR_ENERGY}, {"potential", TR_ENERGY}, {"total", TR_ENERGY}};
static const part constraint_parts[] = {{"position", TR_NUMBER}, {"velocity", TR_NUMBER}};

enum { PLANAR_PARTS = 9, SPATIAL_PARTS = 19 };

// What a measure's name says of its unit.
static tr_quantity measure_quantity(const char *name, bool rotary) {
  static const struct {
    const char *name;
    tr_quantity quantity;
  } known[] = {{"angle", TR_ANGLE},    {"angle1", TR_ANGLE},  {"angle2", TR_ANGLE},
               {"swing", TR_ANGLE},    {"bend", TR_ANGLE},    {"fx", TR_FORCE},
               {"fy", TR_FORCE},       {"fz", TR_FORCE},      {"tx", TR_TORQUE},
               {"ty", TR_TORQUE},      {"tz", TR_TORQUE},     {"normal", TR_FORCE},
               {"friction", TR_FORCE}, {"speed", TR_VELOCITY}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(name, known[i].name)) return known[i].quantity;
  if (!strcmp(name, "rate")) return rotary ? TR_ANGULAR_VELOCITY : TR_VELOCITY;
  if (!strcmp(name, "f")) return rotary ? TR_TORQUE : TR_FORCE;
  return TR_LENGTH;
}

static sys_marker marker_of(const tr_system *s, int marker) {
  if (marker > s->norigin) return s->marker[marker - 1 - s->norigin];
  if (marker > 0) return (sys_marker){s->body[marker - 1].name, marker - 1, -1};
  return (sys_marker){"ground", TR_GROUND, -1};
}

static const sys_place *place_of(const tr_system *s, const sys_marker *m) {
  static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const sys_place origin = {.R = unit};
  return m->place < 0 ? &origin : s->place + m->place;
}

static int marker_dim(const tr_system *s, int marker) {
  int b = marker_of(s, marker).body;
  return b != TR_GROUND ? s->body[b].type->dim : s->ground_dim;
}

static int count_names(const char *const *names) {
  int n = 0;
  while (names && names[n]) n++;
  return n;
}

static int count_modes(const tr_system *s, int body) {
  const sys_body *b = &s->body[body];
  return b->type->modes ? b->type->modes(b->par, NULL) : 0;
}

// The row behind the k-th multiplier that is an output of its own: those of velocities, and that of a
// constraint without markers of its own, whose reactions no one marker shows. -1: there are fewer.
static int shown_row(const sys_joint *j, int k) {
  for (int r = 0; r < j->ops->rows; r++)
    if ((j->ops->velocity >> r & 1u || j->type->markers == 0) && k-- == 0) return r;
  return -1;
}

static int count_shown(const sys_joint *j) {
  int n = 0;
  while (shown_row(j, n) >= 0) n++;
  return n;
}

// "mu", or "mu1", "mu2" of several; "lam" of positions
static part describe_multiplier(const sys_joint *j, int k, char buffer[16]) {
  const char *letter = j->ops->velocity ? "mu" : "lam";
  if (count_shown(j) == 1) return (part){letter, TR_NUMBER};
  snprintf(buffer, 16, "%s%d", letter, k + 1);
  return (part){buffer, TR_NUMBER};
}

// Parts of a joint before its raw multipliers.
static int count_listed(const sys_joint *j) {
  return j->e.nd + count_names(j->ops->measure_names) + count_shown(j);
}

// None where the shown ones bear the same names.
static int count_raw(const sys_joint *j) {
  return j->type->markers == 0 && count_shown(j) > 1 ? 0 : j->ops->rows;
}

static int count_parts(const tr_system *s, const sys_owner *o) {
  switch (o->kind) {
    case OWN_MARKER: return marker_dim(s, o->index) == 2 ? PLANAR_PARTS : SPATIAL_PARTS;
    case OWN_PROBLEM: return 3 * s->body[o->index].nv + s->body[o->index].nc;
    case OWN_NUMBER: return 2;
    case OWN_MODES: return 3 * count_modes(s, o->index) + 1;
    case OWN_JOINT: return count_listed(&s->joint[o->index]) + count_raw(&s->joint[o->index]);
    case OWN_FORCE: return count_names(s->force[o->index].ops->measure_names);
    case OWN_ENERGY: return 3;
    case OWN_CONSTRAINT: return 2;
  }
  return 0;
}

// Name and quantity of a part; numbered parts ("q3") are written to buffer.
static part describe_part(const tr_system *s, const sys_owner *o, int k, char buffer[16]) {
  switch (o->kind) {
    case OWN_MARKER: return marker_dim(s, o->index) == 2 ? planar_parts[k] : spatial_parts[k];
    case OWN_PROBLEM: {
      static const char *const letter[] = {"q", "v", "a", "lam"};
      int n = s->body[o->index].nv, which = k < 3 * n ? k / n : 3;
      snprintf(buffer, 16, "%s%d", letter[which], k - which * n + 1);
      return (part){buffer, TR_NUMBER};
    }
    case OWN_MODES: {
      static const char *const prefix[] = {"eta", "eta_v", "eta_a"};
      int n = count_modes(s, o->index);
      if (k == 3 * n) return (part){"strain", TR_ENERGY};
      snprintf(buffer, 16, "%s%d", prefix[k / n], k % n + 1);
      return (part){buffer, TR_NUMBER};
    }
    case OWN_JOINT: {
      const sys_joint *j = &s->joint[o->index];
      if (k < j->e.nd) return j->e.nd == 3 ? planar_reaction[k] : spatial_reaction[k];
      int measures = count_names(j->ops->measure_names);
      if (k >= count_listed(j)) {
        snprintf(buffer, 16, "lam%d", k - count_listed(j) + 1);
        return (part){buffer, TR_NUMBER};
      }
      if (k >= j->e.nd + measures) return describe_multiplier(j, k - j->e.nd - measures, buffer);
      const char *name = j->ops->measure_names[k - j->e.nd];
      return (part){name, measure_quantity(name, false)};
    }
    case OWN_FORCE: {
      const tr_force_ops *ops = s->force[o->index].ops;
      const void *par = s->force[o->index].e.par;
      if (ops->measure_quantity)
        return (part){ops->measure_names[k], ops->measure_quantity(par, k)};
      bool rotary = ops->uses_moments; // unless it says that it goes along a length
      for (const char *const *n = ops->measure_names; *n; n++)
        if (!strcmp(*n, "length")) rotary = false;
      return (part){ops->measure_names[k], measure_quantity(ops->measure_names[k], rotary)};
    }
    case OWN_NUMBER: return (part){k == 0 ? "" : "rate", TR_NUMBER};
    case OWN_ENERGY: return energy_parts[k];
    case OWN_CONSTRAINT: return constraint_parts[k];
  }
  return (part){"", TR_NUMBER};
}

// ---- names ----------------------------------------------------------------------------------------

static unsigned hash(const char *name, size_t n) {
  unsigned h = 2166136261u;
  for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)name[i]) * 16777619u;
  return h;
}

const char *tr_owner_name(const tr_system *s, const sys_owner *o) {
  switch (o->kind) {
    case OWN_MARKER: return marker_of(s, o->index).name;
    case OWN_PROBLEM:
    case OWN_NUMBER:
    case OWN_MODES: return s->body[o->index].name;
    case OWN_JOINT: return s->joint[o->index].e.name;
    case OWN_FORCE: return s->force[o->index].e.name;
    case OWN_ENERGY: return "energy";
    case OWN_CONSTRAINT: break;
  }
  return "constraint";
}

static void add_owner(tr_system *s, sys_owner_kind kind, int index) {
  sys_owner *o = &s->owner[s->nowner];
  int first = o->first;
  *o = (sys_owner){kind & 0xf, (unsigned)index & 0xfffffff, first};
  int parts = count_parts(s, o);
  const char *name = tr_owner_name(s, o);
  if (parts == 0) return;
  unsigned h = hash(name, strlen(name)) & (unsigned)(s->hash_size - 1);
  while (s->owner_hash[h] >= 0) h = (h + 1) & (unsigned)(s->hash_size - 1);
  s->owner_hash[h] = s->nowner++;
  s->owner[s->nowner].first = first + parts;
}

tr_site tr_marker_site(const tr_system *s, int marker) {
  if (s->marker_site) return s->marker_site[marker];
  tr_site site = {0};
  sys_marker m = marker_of(s, marker);
  tr_place_site(s, m.body, place_of(s, &m), marker_dim(s, marker) == 2 ? 3 : 6, &site);
  return site;
}

tr_status tr_make_channels(tr_system *s, tr_error *error) {
  int most = s->njoint + s->nforce + 2, markers = 1 + s->norigin + s->nmarker;
  most += markers;
  for (int i = 0; i < s->nbody; i++)
    most += !s->body[i].type->site + (s->body[i].type->modes != NULL);
  s->hash_size = 16;
  while (s->hash_size < 2 * most) s->hash_size *= 2;
  s->owner = TR_NEW(&s->arena, most + 1, sys_owner);
  s->owner_hash = TR_NEW(&s->arena, s->hash_size, int);
  if (!s->owner || !s->owner_hash) return tr_no_memory(error);
  for (int i = 0; i < s->nbody && !s->marker_site; i++)
    if (s->body[i].type->shape_size && s->body[i].type->shape_size(s->body[i].par) > 0 &&
        !(s->marker_site = TR_NEW(&s->arena, markers, tr_site)))
      return tr_no_memory(error);
  for (int i = 0; i < s->hash_size; i++) s->owner_hash[i] = -1;
  for (int m = 1; m < markers; m++) { // marker 0 is ground itself
    sys_marker d = marker_of(s, m);
    bool number = d.body != TR_GROUND && s->number[s->body[d.body].v];
    if (number || (d.body != TR_GROUND && !s->body[d.body].type->site))
      continue; // the origin of a problem is no place
    if (s->marker_site && tr_make_site(s, d.body, place_of(s, &d), m <= s->norigin,
                                       marker_dim(s, m) == 2 ? 3 : 6, &s->marker_site[m]) != TR_OK)
      return tr_no_memory(error);
    add_owner(s, OWN_MARKER, m);
  }
  for (int i = 0; i < s->nbody; i++)
    if (!s->body[i].type->site) add_owner(s, OWN_PROBLEM, i);
  for (int i = 0; i < s->nbody; i++)
    if (s->body[i].type->modes) add_owner(s, OWN_MODES, i);
  for (int i = 0; i < s->nbody; i++)
    if (s->number[s->body[i].v]) add_owner(s, OWN_NUMBER, i);
  for (int i = 0; i < s->njoint; i++)
    if (s->joint[i].type != &tr_joint_equation) add_owner(s, OWN_JOINT, i);
  for (int i = 0; i < s->nforce; i++) add_owner(s, OWN_FORCE, i);
  add_owner(s, OWN_ENERGY, 0);
  add_owner(s, OWN_CONSTRAINT, 0);
  return TR_OK;
}

int tr_channel_count(const tr_system *s) { return s->owner[s->nowner].first; }

static const sys_owner *owner_of(const tr_system *s, int channel) {
  int lo = 0, hi = s->nowner;
  while (hi - lo > 1) {
    int mid = lo + (hi - lo) / 2;
    if (s->owner[mid].first <= channel)
      lo = mid;
    else
      hi = mid;
  }
  return &s->owner[lo];
}

int tr_channel_name(const tr_system *s, int channel, char *name, size_t size) {
  char buffer[16];
  if (channel < 0 || channel >= tr_channel_count(s)) return snprintf(name, size, "%s", "");
  const sys_owner *o = owner_of(s, channel);
  part p = describe_part(s, o, channel - o->first, buffer);
  return snprintf(name, size, "%s%s%s", tr_owner_name(s, o), p.name[0] ? "." : "", p.name);
}

tr_quantity tr_channel_quantity(const tr_system *s, int channel) {
  char buffer[16];
  if (channel < 0 || channel >= tr_channel_count(s)) return TR_NUMBER;
  const sys_owner *o = owner_of(s, channel);
  return describe_part(s, o, channel - o->first, buffer).quantity;
}

bool tr_channel_is_raw(const tr_system *s, int channel) {
  if (channel < 0 || channel >= tr_channel_count(s)) return false;
  const sys_owner *o = owner_of(s, channel);
  return o->kind == OWN_JOINT && channel - o->first >= count_listed(&s->joint[o->index]);
}

int tr_channel_find(const tr_system *s, const char *name) {
  const char *dot = strrchr(name, '.');
  size_t n = dot ? (size_t)(dot - name) : strlen(name);
  const char *part_name = dot ? dot + 1 : ""; // a number goes by its name alone
  unsigned h = hash(name, n) & (unsigned)(s->hash_size - 1);
  for (; s->owner_hash[h] >= 0; h = (h + 1) & (unsigned)(s->hash_size - 1)) {
    const sys_owner *o = &s->owner[s->owner_hash[h]];
    const char *own = tr_owner_name(s, o);
    if (strncmp(own, name, n) != 0 || own[n]) continue;
    char buffer[16];
    for (int k = 0; k < o[1].first - o->first; k++)
      if (!strcmp(describe_part(s, o, k, buffer).name, part_name)) return o->first + k;
    // a deformable body owns two: its frame, its modes
  }
  return -1;
}

// ---- values ---------------------------------------------------------------------------------------

struct tr_reader {
  const tr_system *sys;
  tr_arena arena;
  tr_work *work;
  int n;
  int *channel;
};

tr_status tr_reader_new(const tr_system *s, int n, const int *channels, tr_reader **reader,
                        tr_error *error) {
  *reader = NULL;
  tr_arena ar = tr_arena_make(s->al);
  tr_reader *r = TR_NEW(&ar, 1, tr_reader);
  int *copy = r ? TR_NEW(&ar, n > 0 ? n : 1, int) : NULL;
  tr_work *work = NULL;
  if (!copy || tr_work_new(s, &work) != TR_OK) {
    tr_arena_free(&ar);
    return tr_no_memory(error);
  }
  *r = (tr_reader){.sys = s, .work = work, .n = n, .channel = copy};
  for (int i = 0; i < n; i++) {
    if (channels[i] < 0 || channels[i] >= tr_channel_count(s)) {
      tr_work_free(work);
      tr_arena_free(&ar);
      return tr_fail(error, TR_BAD_INPUT, NULL, "channel %d does not exist", channels[i]);
    }
    copy[i] = channels[i];
  }
  r->arena = ar;
  *reader = r;
  return TR_OK;
}

void tr_reader_free(tr_reader *r) {
  if (!r) return;
  tr_work_free(r->work);
  tr_arena arena = r->arena;
  tr_arena_free(&arena);
}

static tr_body_at body_at(const tr_work *w, const sys_body *b) {
  return (tr_body_at){b->par, w->q + b->q, w->v + b->v, w->cache + b->cache, w->t};
}

// acceleration of a frame: J a + bias
static void accelerate(const tr_work *w, const sys_body *b, const tr_site *site, const double *a,
                       tr_frame *f) {
  tr_body_at at = body_at(w, b);
  for (int k = 0; k < site->nd; k++) {
    double unit[6] = {0}, *row = w->block, sum = 0;
    unit[k] = 1;
    memset(row, 0, (size_t)b->nv * sizeof *row);
    b->type->add_pull(&at, site, unit, row);
    for (int i = 0; i < b->nv; i++) sum += row[i] * a[b->v + i];
    if (site->nd == 3)
      *(k < 2 ? &f->ap[k] : &f->aw[2]) += sum;
    else
      *(k < 3 ? &f->ap[k] : &f->aw[k - 3]) += sum;
  }
}

static void read_marker(const tr_reader *r, int marker, const tr_state *x, double *out) {
  const tr_system *s = r->sys;
  tr_site here = tr_marker_site(s, marker), *site = &here;
  int bi = marker_of(s, marker).body;
  tr_frame f = {0};
  double e[4];
  if (bi == TR_GROUND) {
    memcpy(f.p, site->c, sizeof f.p);
    memcpy(f.R, site->R, sizeof f.R);
    f.angle = site->angle;
    m3_to_quat(f.R, e);
  } else {
    const sys_body *b = &s->body[bi];
    tr_body_at at = body_at(r->work, b);
    b->type->kinematics(&at, TR_AT_BIAS, 1, site, &f);
    accelerate(r->work, b, site, x->a, &f);
    if (site->nd == 6 && b->type->quaternion) {
      double eb[4], es[4], near[4];
      b->type->quaternion(&at, eb);
      m3_to_quat(site->R, es);
      quat_mul(eb, es, near);
      memcpy(e, near, sizeof e);
      if (site->shape) { // the section is turned besides: its quaternion, of the same sign
        m3_to_quat(f.R, e);
        double same = e[0] * near[0] + v3_dot(e + 1, near + 1);
        for (int i = 0; same < 0 && i < 4; i++) e[i] = -e[i];
      }
    } else if (site->nd == 6) {
      m3_to_quat(f.R, e);
    }
  }
  if (site->nd == 3) {
    double v[9] = {f.p[0], f.p[1], f.angle, f.v[0], f.v[1], f.w[2], f.ap[0], f.ap[1], f.aw[2]};
    memcpy(out, v, sizeof v);
    return;
  }
  memcpy(out, f.p, 3 * sizeof *out), memcpy(out + 3, e, 4 * sizeof *out);
  memcpy(out + 7, f.v, 3 * sizeof *out), memcpy(out + 10, f.w, 3 * sizeof *out);
  memcpy(out + 13, f.ap, 3 * sizeof *out), memcpy(out + 16, f.aw, 3 * sizeof *out);
}

static void read_joint(const tr_reader *r, int index, const tr_state *x, double *out) {
  const sys_joint *j = &r->sys->joint[index];
  const tr_frame *f[TR_MAX_MARKERS];
  double w[6 * TR_MAX_MARKERS] = {0}, phi[TR_MAX_ROWS];
  for (int k = 0; k < j->e.markers; k++) f[k] = tr_frame_at(r->work->frames, j->e.frame[k]);
  j->ops->eval(j->e.par, x->t, f, x->mem + j->e.mem, x->lam + j->row, phi, w);
  memcpy(out, w + j->e.nd, (size_t)j->e.nd * sizeof *out);
  if (j->ops->measure) j->ops->measure(j->e.par, x->t, f, x->mem + j->e.mem, out + j->e.nd);
  out += j->e.nd + count_names(j->ops->measure_names);
  for (int k = 0, row; (row = shown_row(j, k)) >= 0; k++) *out++ = x->lam[j->row + row];
  for (int k = 0; k < count_raw(j); k++) *out++ = x->lam[j->row + k];
}

static void read_force(const tr_reader *r, int index, const tr_state *x, double *out) {
  const sys_force *e = &r->sys->force[index];
  const tr_frame *f[TR_MAX_MARKERS];
  for (int k = 0; k < e->e.markers; k++) f[k] = tr_frame_at(r->work->frames, e->e.frame[k]);
  e->ops->measure(e->e.par, x->t, f, x->mem + e->e.mem, out);
}

static void read_problem(const tr_reader *r, const sys_owner *o, int k, const tr_state *x,
                         double *out) {
  const sys_body *b = &r->sys->body[o->index];
  int n = b->nv, which = k < 3 * n ? k / n : 3, i = k - which * n;
  const double *from[] = {x->q + b->q, x->v + b->v, x->a + b->v, x->lam + b->row};
  *out = from[which][i];
}

static double read_mode(const tr_reader *r, const sys_owner *o, int k, const tr_state *x) {
  const sys_body *b = &r->sys->body[o->index];
  int n = count_modes(r->sys, o->index), i = n > 0 ? k % n - n : 0;
  if (k == 3 * n) {
    tr_body_at at = body_at(r->work, b);
    return b->type->strain(&at);
  }
  return k < n       ? x->q[b->q + b->nq + i]
         : k < 2 * n ? x->v[b->v + b->nv + i]
                     : x->a[b->v + b->nv + i];
}

// X and its rate, or V and its rate
static void read_number(const tr_reader *r, int index, const tr_state *x, double out[2]) {
  const sys_body *b = &r->sys->body[index];
  double scale = ((const tr_scalar_par *)b->par)->scale;
  bool state = b->type == &tr_body_state;
  out[0] = scale * (state ? x->q[b->q] : x->v[b->v]);
  out[1] = scale * (state ? x->v[b->v] : x->a[b->v]);
}

static void read_constraint(const tr_reader *r, double out[2]) {
  tr_work *w = r->work;
  int nc = r->sys->nc;
  tr_forces(w, NULL, NULL, w->x);
  tr_clear_velocity_rows(r->sys, w->x);
  out[0] = vec_norm(w->x, nc);
  tr_rates(w, w->x);
  out[1] = vec_norm(w->x, nc);
}

tr_status tr_reader_read(tr_reader *r, const tr_state *x, double *values) {
  const tr_system *s = r->sys;
  tr_kinematics(r->work, x->t, x->q, x->v, x->mem, TR_AT_BIAS);
  if (s->nreaction > 0) tr_show_reactions(r->work, x->lam);
  double part_values[SPATIAL_PARTS + TR_MAX_MEASURES + 2 * TR_MAX_ROWS] = {0};
  const sys_owner *last = NULL;
  for (int i = 0; i < r->n; i++) {
    const sys_owner *o = owner_of(s, r->channel[i]);
    int k = r->channel[i] - o->first;
    if (o->kind == OWN_PROBLEM) {
      read_problem(r, o, k, x, &values[i]);
      continue;
    }
    if (o->kind == OWN_MODES) {
      values[i] = read_mode(r, o, k, x);
      continue;
    }
    if (o != last) {
      switch (o->kind) {
        case OWN_MARKER: read_marker(r, o->index, x, part_values); break;
        case OWN_JOINT: read_joint(r, o->index, x, part_values); break;
        case OWN_FORCE: read_force(r, o->index, x, part_values); break;
        case OWN_NUMBER: read_number(r, o->index, x, part_values); break;
        case OWN_ENERGY:
          tr_energy(r->work, &part_values[0], &part_values[1]);
          part_values[2] = part_values[0] + part_values[1];
          break;
        case OWN_CONSTRAINT: read_constraint(r, part_values); break;
        case OWN_PROBLEM:
        case OWN_MODES: break;
      }
      last = o;
    }
    values[i] = part_values[k];
  }
  return TR_OK;
}
