// SPDX-License-Identifier: Apache-2.0
// Joints and forces: type, fields, and the markers they connect, by name, inline, or made at one
// global place on several bodies.
#include <math.h>
#include <string.h>

#include "math/v3.h"
#include "planner.h"

// What joint types and force types share.
typedef struct view {
  const char *name;
  const tr_field *fields;
  size_t par_size;
  int markers;
  bool joint;
} view;

// The k-th type; false after the last.
static bool view_type(bool joint, int k, view *v) {
  if (joint) {
    const tr_joint_type *t = tr_joint_types()[k];
    if (t) *v = (view){t->name, t->fields, t->par_size, t->markers, true};
    return t;
  }
  const tr_force_type *t = tr_force_types()[k];
  if (t) *v = (view){t->name, t->fields, t->par_size, t->markers, false};
  return t;
}

// Index of the element's type, or -1 after reporting.
static int read_type(tr_planner *p, const tr_node *node, bool joint, view *v) {
  const tr_node *type = tr_node_find(node, "type");
  if (!type) return tr_plan_fail(p, node, "type is missing"), -1;
  const char *names[256], *text = type->kind == TR_SCALAR ? type->text : "";
  int k = 0;
  for (; view_type(joint, k, v) && k < 255; k++) {
    if (strcmp(v->name, text) == 0) return k;
    names[k] = v->name;
  }
  names[k] = NULL;
  char hint[TR_HINT], shown[TR_SHOWN];
  tr_plan_hint(p, text, names, hint);
  return tr_plan_fail(p, type, "unknown type \"%s\"%s", tr_shown(text, shown), hint), -1;
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
static bool read_place(tr_planner *p, const tr_node *node, tr_pose *g) {
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
  if (axis) ok = tr_plan_axis(p, axis, g->R) && ok;
  if (turn) ok = tr_plan_rotation(p, turn, g->R) && ok;
  p->subject.key = NULL;
  return ok;
}

static bool read_bodies(tr_planner *p, const tr_node *node, const tr_node *list, int count,
                        int *marker) {
  tr_pose g;
  int body[TR_MAX_MARKERS];
  p->subject.key = "bodies";
  bool ok = list->kind == TR_LIST && list->count == count;
  if (!ok) tr_plan_fail(p, list, "a list of %d bodies is expected", count);
  int n = 0;
  for (const tr_node *k = ok ? list->first : NULL; k; k = k->next) {
    body[n] = tr_plan_body_ref(p, k);
    ok = ok && body[n++] != -2;
  }
  p->subject.key = NULL;
  if (!read_place(p, node, &g) || !ok) return false;
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

static bool read_connection(tr_planner *p, const tr_node *node, const view *v, int *marker) {
  const tr_node *markers = tr_node_find(node, "markers"), *bodies = tr_node_find(node, "bodies");
  for (int i = 0; i < TR_MAX_MARKERS; i++) marker[i] = -1;
  if (markers && bodies) return tr_plan_fail_key(p, bodies, "\"bodies\" contradicts \"markers\"");
  if (!markers && !bodies) return tr_plan_fail(p, node, "markers are missing");
  if (markers) {
    static const char *const with_bodies[] = {"at", "orientation", "axis"};
    for (int i = 0; i < 3; i++) {
      const tr_node *k = tr_node_find(node, with_bodies[i]);
      if (k)
        return tr_plan_fail_key(p, k, "\"%s\" goes with \"bodies\", not with \"markers\"", k->key);
    }
    if (!read_markers(p, markers, v->markers, marker)) return false;
  } else if (!read_bodies(p, node, bodies, v->markers, marker)) {
    return false;
  }
  return check_markers(p, node, v, marker);
}

// ---- joints and forces --------------------------------------------------------------------------

// The parameters, filled; NULL only when memory is short.
static void *read_common(tr_planner *p, const tr_node *node, const view *v, int *marker) {
  void *par = tr_arena_get(p->arena, v->par_size);
  if (!par) return tr_plan_no_memory(p), NULL;
  tr_plan_fields(p, node, v->fields, v->par_size, tr_connection_keys(), par);
  read_connection(p, node, v, marker);
  return par;
}

void tr_plan_joint_each(tr_planner *p, const tr_node *node, const char *name) {
  tr_plan *plan = p->plan;
  view v;
  if (!tr_plan_name(p, node, name, TR_NAME_JOINT, plan->njoint)) return;
  int type = read_type(p, node, true, &v);
  if (type < 0) return;
  void *grown =
      tr_grow(p->arena->al, plan->joint, plan->njoint, &p->joint_capacity, sizeof *plan->joint);
  if (!grown) {
    tr_plan_no_memory(p);
    return;
  }
  plan->joint = grown;
  tr_plan_joint *j = &plan->joint[plan->njoint++];
  *j = (tr_plan_joint){
      .name = name, .place = tr_plan_place(p, node->key_place), .type = tr_joint_types()[type]};
  j->markers = v.markers;
  j->par = read_common(p, node, &v, j->marker);
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
  f->markers = v.markers;
  f->par = read_common(p, node, &v, f->marker);
}
