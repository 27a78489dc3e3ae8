// SPDX-License-Identifier: Apache-2.0
// Joints and forces: type, fields, and the markers they connect, by name, inline, made at one global
// place on several bodies, or those of other joints. The last are filled in when all joints are there.
#include <math.h>
#include <string.h>

#include "math/v3.h"
#include "planner.h"

// What joint types and force types share.
typedef struct view {
  const char *name;
  const tr_field *fields;
  size_t par_size;
  int markers, joints;
  bool joint;
  const char *(*take)(void *par, int k, const tr_joint_type *joint);
} view;

// The k-th type; false after the last.
static bool view_type(bool joint, int k, view *v) {
  if (joint) {
    const tr_joint_type *t = tr_joint_types()[k];
    if (t) *v = (view){t->name, t->fields, t->par_size, t->markers, t->joints, true, t->take};
    return t;
  }
  const tr_force_type *t = tr_force_types()[k];
  if (t) *v = (view){t->name, t->fields, t->par_size, t->markers, t->joints, false, t->take};
  return t;
}

// Index of the element's type, or -1 after reporting.
static int read_type(tr_planner *p, const tr_node *node, bool joint, view *v) {
  const tr_node *type = tr_plan_type(p, node);
  if (!type) return -1;
  const char *names[256], *text = type->kind == TR_SCALAR ? type->text : "";
  int k = 0;
  for (; view_type(joint, k, v) && k < 255; k++) {
    if (strcmp(v->name, text) == 0) return k;
    names[k] = v->name;
  }
  names[k] = NULL;
  char hint[TR_HINT], shown[TR_SHOWN];
  tr_plan_hint(p, text, names, hint);
  return tr_plan_fail(p, type, "unknown type \"%s\"%s", tr_shown(text, shown),
                      hint[0] ? hint : "; see `trammel list`"),
         -1;
}

// ---- markers ------------------------------------------------------------------------------------

static bool read_markers(tr_planner *p, const tr_node *list, int count, int *marker) {
  p->subject.key = "markers";
  if (list->kind != TR_LIST || list->count != count) {
    tr_plan_fail(p, list, "a list of %d marker%s is expected", count, count == 1 ? "" : "s");
    p->subject.key = NULL;
    return false;
  }
  bool ok = true;
  int n = 0;
  for (const tr_node *k = list->first; k; k = k->next, n++) {
    marker[n] = k->kind == TR_MAP ? tr_plan_inline_marker(p, k) : tr_plan_marker_ref(p, k);
    ok = ok && marker[n] >= 0;
  }
  p->subject.key = NULL;
  return ok;
}

// The global frame of at, orientation, axis.
static bool read_place(tr_planner *p, const tr_node *node, bool planar, tr_pose *g) {
  const tr_node *at = tr_node_find(node, "at"), *axis = tr_node_find(node, "axis"),
                *turn = tr_node_find(node, "orientation");
  int n;
  bool ok = true;
  *g = (tr_pose){0};
  m3_identity(g->R);
  if (!at) return tr_plan_fail(p, node, "\"at\" is missing: the place of the bodies' connection");
  if (axis && turn) return tr_plan_fail_key(p, axis, "\"axis\" contradicts \"orientation\"");
  p->subject.key = "at";
  ok = tr_plan_numbers(p, at, TR_LENGTH, 2, 3, g->p, &n);
  p->subject.key = axis ? "axis" : "orientation";
  if (axis) ok = tr_plan_axis(p, axis, planar, g->R) && ok;
  if (turn) ok = tr_plan_rotation(p, turn, g->R) && ok;
  p->subject.key = NULL;
  return ok;
}

static bool all_planar(const tr_planner *p, int count, const int *body) {
  bool some = false;
  for (int i = 0; i < count; i++) {
    const tr_body_type *type = body[i] >= 0 ? p->plan->body[body[i]].type : NULL;
    if (type && type->dim != 2) return false;
    if (type) some = true;
  }
  return some;
}

static bool read_bodies(tr_planner *p, const tr_node *node, const tr_node *list, int count,
                        int *marker) {
  tr_pose g;
  int body[TR_MAX_MARKERS];
  p->subject.key = "bodies";
  bool ok = list->kind == TR_LIST && list->count == count;
  if (!ok) tr_plan_fail(p, list, "a list of %d bod%s is expected", count, count == 1 ? "y" : "ies");
  int n = 0;
  for (const tr_node *k = ok ? list->first : NULL; k; k = k->next) {
    body[n] = tr_plan_body_ref(p, k);
    ok = ok && body[n++] != -2;
  }
  p->subject.key = NULL;
  if (!read_place(p, node, all_planar(p, n, body), &g) || !ok) return false;
  for (int i = 0; i < count; i++) {
    marker[i] = tr_plan_push_marker(p, body[i], &g, node->place);
    if (marker[i] < 0) return false;
  }
  return true;
}

// Markers in a plane must lie in it; a joint needs two bodies.
static bool check_markers(tr_planner *p, const tr_node *node, const view *v, const int *marker) {
  bool planar = true, apart = v->markers < 2;
  int some = TR_GROUND;
  const tr_plan_marker *all = p->plan->marker;
  for (int i = 0; i < v->markers; i++) {
    int body = all[marker[i]].body;
    const tr_body_type *type = body >= 0 ? p->plan->body[body].type : NULL;
    if (body >= 0 && !type) return true; // broken, reported already
    if (body >= 0) some = body;
    if (type && type->dim != 2) planar = false;
    if (body != all[marker[0]].body) apart = true;
  }
  if (v->joint && !apart) {
    const char *name = some == TR_GROUND ? "ground" : p->plan->body[some].name;
    return tr_plan_fail(p, node, "all its markers are on \"%s\"", name);
  }
  for (int i = 0; planar && some != TR_GROUND && i < v->markers; i++)
    if (all[marker[i]].R[8] < 1 - 1e-9)
      return tr_plan_fail(p, node, "marker %d turns out of the plane: its z axis must stay z",
                          i + 1);
  return true;
}

// joints: [a, b], or joint: a
static const tr_node *first_joint(const tr_node *list) {
  return list->kind == TR_LIST ? list->first : list;
}
static const tr_node *next_joint(const tr_node *list, const tr_node *k) {
  return list->kind == TR_LIST ? k->next : NULL;
}

// Notes the joints' names; their markers come with tr_plan_joins.
static bool read_joints(tr_planner *p, const tr_node *node, const tr_node *list, const view *v) {
  if (v->joints == 0)
    return tr_plan_fail_key(p, list, "type %s connects markers, not joints", v->name);
  bool one = strcmp(list->key, "joint") == 0;
  p->subject.key = list->key;
  bool ok = one ? list->kind == TR_SCALAR && v->joints == 1
                : list->kind == TR_LIST && list->count == v->joints;
  if (!ok && one && v->joints == 1)
    tr_plan_fail(p, list, "the name of a joint is expected");
  else if (!ok)
    tr_plan_fail(p, list, "a list of %d joint%s is expected", v->joints, v->joints > 1 ? "s" : "");
  tr_joined j = {.joint = v->joint,
                 .index = (v->joint ? p->plan->njoint : p->plan->nforce) - 1,
                 .node = node,
                 .list = list};
  int n = 0;
  for (const tr_node *k = ok ? first_joint(list) : NULL; k; k = next_joint(list, k), n++) {
    j.name[n] = tr_plan_text(p, k);
    ok = ok && j.name[n];
  }
  p->subject.key = NULL;
  if (!ok) return false;
  void *grown =
      tr_grow(p->arena->al, p->joined, p->njoined, &p->joined_capacity, sizeof *p->joined);
  if (!grown) return tr_plan_no_memory(p);
  p->joined = grown;
  p->joined[p->njoined++] = j;
  return true;
}

// One of markers, bodies, joints. False: none, or several, reported.
static const tr_node *read_way(tr_planner *p, const tr_node *node, const view *v) {
  static const char *const ways[] = {"markers", "bodies", "joints", "joint"};
  static const char *const with_bodies[] = {"at", "orientation", "axis"};
  const tr_node *way = NULL;
  for (int i = 0; i < 4; i++) {
    const tr_node *k = tr_node_find(node, ways[i]);
    if (way && k)
      return tr_plan_fail_key(p, k, "\"%s\" contradicts \"%s\"", k->key, way->key), NULL;
    if (k) way = k;
  }
  if (!way)
    return tr_plan_fail(p, node, "%s",
                        v->joints == 1  ? "joint or markers are missing"
                        : v->joints > 1 ? "joints are missing"
                                        : "markers are missing"),
           NULL;
  for (int i = 0; i < 3 && strcmp(way->key, "bodies") != 0; i++) {
    const tr_node *k = tr_node_find(node, with_bodies[i]);
    if (!k) continue;
    tr_plan_fail_key(p, k, "\"%s\" goes with \"bodies\", not with \"%s\"", k->key, way->key);
    return NULL;
  }
  return way;
}

// A type without markers of its own: its fields name them.
static bool read_nothing(tr_planner *p, const tr_node *node, const view *v) {
  for (const tr_node *k = node->first; k; k = k->next)
    for (const tr_common_key *c = tr_connection_keys(false); c->key; c++)
      if (strcmp(c->key, "type") != 0 && strcmp(c->key, k->key) == 0)
        return tr_plan_fail_key(p, k, "type %s has no \"%s\": its law names the markers", v->name,
                                k->key);
  if (p->nextra > 0 || p->failures > 0) return true;
  return tr_plan_fail(p, node, "its law names no marker");
}

static bool read_connection(tr_planner *p, const tr_node *node, const view *v, int *marker) {
  for (int i = 0; i < TR_MAX_MARKERS; i++) marker[i] = -1;
  if (v->markers == 0) return read_nothing(p, node, v);
  const tr_node *way = read_way(p, node, v);
  if (!way) return false;
  if (way->key[0] == 'j') return read_joints(p, node, way, v);
  if (way->key[0] == 'm') {
    if (!read_markers(p, way, v->markers, marker)) return false;
  } else if (!read_bodies(p, node, way, v->markers, marker)) {
    return false;
  }
  return check_markers(p, node, v, marker);
}

// ---- joints and forces --------------------------------------------------------------------------

// The parameters, filled; NULL only when memory is short.
static void *read_common(tr_planner *p, const tr_node *node, const view *v, int *marker,
                         int *markers) {
  void *par = v->par_size == 0 && p->nothing ? p->nothing : tr_arena_get(p->arena, v->par_size);
  if (v->par_size == 0) p->nothing = par;
  *markers = v->markers;
  if (!par) return tr_plan_no_memory(p), NULL;
  p->own_markers = v->markers, p->nextra = 0;
  tr_plan_fields(p, node, v->fields, v->par_size, tr_connection_keys(v->joint), par);
  read_connection(p, node, v, marker);
  tr_plan_settle_markers(p, v->fields, par, marker, markers);
  return par;
}

static bool read_active(tr_planner *p, const tr_node *node) {
  static const tr_field fields[] = {{.name = "active", .kind = TR_BOOL, .preset = "yes"},
                                    {.name = NULL}};
  const tr_node *active = tr_node_find(node, "active");
  bool on = true;
  if (!active) return on;
  tr_node alone = *active, map = {.kind = TR_MAP, .place = node->place};
  alone.next = NULL;
  map.first = &alone;
  tr_plan_fields(p, &map, fields, sizeof on, NULL, &on);
  return on;
}

tr_plan_joint *tr_plan_push_joint(tr_planner *p) {
  tr_plan *plan = p->plan;
  void *grown =
      tr_grow(p->arena->al, plan->joint, plan->njoint, &p->joint_capacity, sizeof *plan->joint);
  if (!grown) return tr_plan_no_memory(p), NULL;
  plan->joint = grown;
  return &plan->joint[plan->njoint++];
}

void tr_plan_joint_each(tr_planner *p, const tr_node *node, const char *name) {
  view v;
  if (!tr_plan_name(p, node, name, TR_NAME_JOINT, p->plan->njoint)) return;
  int type = read_type(p, node, true, &v);
  if (type < 0) return;
  tr_plan_joint *j = tr_plan_push_joint(p);
  if (!j) return;
  *j = (tr_plan_joint){
      .name = name, .place = tr_plan_place(p, node->key_place), .type = tr_joint_types()[type]};
  j->par = read_common(p, node, &v, j->marker, &j->markers);
  p->plan->joint[p->plan->njoint - 1].idle = !read_active(p, node);
}

void tr_plan_force_each(tr_planner *p, const tr_node *node, const char *name) {
  tr_plan *plan = p->plan;
  view v;
  if (!tr_plan_name(p, node, name, TR_NAME_FORCE, plan->nforce)) return;
  int type = read_type(p, node, false, &v);
  if (type < 0) return;
  void *grown =
      tr_grow(p->arena->al, plan->force, plan->nforce, &p->force_capacity, sizeof *plan->force);
  if (!grown) {
    tr_plan_no_memory(p);
    return;
  }
  plan->force = grown;
  tr_plan_force *f = &plan->force[plan->nforce++];
  *f = (tr_plan_force){
      .name = name, .place = tr_plan_place(p, node->key_place), .type = tr_force_types()[type]};
  f->par = read_common(p, node, &v, f->marker, &f->markers);
}

// ---- joints of joints -----------------------------------------------------------------------------

static void join(tr_planner *p, const tr_joined *j) {
  tr_plan *plan = p->plan;
  tr_plan_joint *self = j->joint ? &plan->joint[j->index] : NULL;
  tr_plan_force *force = j->joint ? NULL : &plan->force[j->index];
  int *marker = self ? self->marker : force->marker, n = 0;
  void *par = self ? self->par : force->par;
  view v;
  for (int k = 0; view_type(j->joint, k, &v); k++)
    if (strcmp(v.name, self ? self->type->name : force->type->name) == 0) break;
  p->subject =
      (tr_subject){j->joint ? "joint" : "force", self ? self->name : force->name, j->list->key};
  for (const tr_node *node = first_joint(j->list); node; node = next_joint(j->list, node), n++) {
    int other = tr_plan_joint_ref(p, node, j->name[n]);
    if (other < 0) return;
    const tr_plan_joint *o = &plan->joint[other];
    const char *why = o->markers != 2 ? "it has no markers of its own"
                      : v.take && par ? v.take(par, n, o->type)
                                      : NULL;
    if (why) {
      tr_plan_fail(p, node, "\"%s\" does not fit: %s", o->name, why);
      return;
    }
    for (int i = 0; i < 2; i++) {
      marker[2 * n + i] = o->marker[i];
      if (o->marker[i] < 0) return; // broken, reported already
    }
  }
  p->subject.key = NULL;
  check_markers(p, j->node, &v, marker);
}

void tr_plan_joins(tr_planner *p) {
  for (int k = 0; k < p->njoined && !p->no_memory; k++) join(p, &p->joined[k]);
  p->subject = (tr_subject){0};
}
