// SPDX-License-Identifier: Apache-2.0
// Markers: frames on bodies, given in the body's axes, by their global place at the start, or as
// `like: other`, the place where another marker is at the start.
//
//   global = body o local:   p = pb + Rb c,  R = Rb L;      local: c = Rb' (p - pb),  L = Rb' R
//
// Chains of `like` are resolved from their end after all markers are there; cycles are reported.
#include <stdio.h>
#include <string.h>

#include "math/v3.h"
#include "planner.h"

// ---- references ---------------------------------------------------------------------------------

// A near name; kinds: bits 1 << tr_name_kind of what might be meant.
static bool hint_reference(tr_planner *p, const char *text, unsigned kinds, char hint[TR_HINT]) {
  hint[0] = 0;
  if (!tr_plan_wants_hints(p) || p->names.count >= 100000) return true;
  const char **names = TR_NEW(&p->scratch, p->names.count + 2, const char *);
  if (!names) return tr_plan_no_memory(p);
  int n = 0;
  if (kinds & 1u << TR_NAME_BODY) names[n++] = "ground";
  for (const tr_name *k = p->first_name; k; k = k->next)
    if (kinds & 1u << k->kind) names[n++] = k->text;
  tr_plan_hint(p, text, names, hint);
  return true;
}

static bool unknown_reference(tr_planner *p, const tr_node *node, const char *what,
                              const char *text, unsigned kinds) {
  if (p->incomplete) {
    p->failures++; // what it names may have been left out
    return false;
  }
  char hint[TR_HINT], shown[TR_SHOWN];
  if (!hint_reference(p, text, kinds, hint)) return false;
  return tr_plan_fail(p, node, "unknown %s \"%s\"%s", what, tr_shown(text, shown), hint);
}

static const char *kind_words(tr_name_kind kind) {
  static const char *const words[] = {
      "a body",  "a marker",   "a joint", "a force", "a problem in coordinates of its own",
      "a state", "a variable", "reserved"};
  return words[kind];
}

static bool wrong_reference(tr_planner *p, const tr_node *node, const tr_name *name,
                            const char *what) {
  char shown[TR_SHOWN];
  return tr_plan_fail(p, node, "\"%s\" is %s; %s is expected", tr_shown(name->text, shown),
                      kind_words(name->kind), what);
}

int tr_plan_body_ref(tr_planner *p, const tr_node *node) {
  const char *text = tr_plan_text(p, node);
  if (!text) return -2;
  if (strcmp(text, "ground") == 0) return TR_GROUND;
  const tr_name *name = tr_plan_find_name(p, text);
  if (name && name->kind == TR_NAME_BODY) return name->index;
  if (name)
    wrong_reference(p, node, name, "a body");
  else
    unknown_reference(p, node, "body", text, 1u << TR_NAME_BODY);
  return -2;
}

static int find_marker(tr_planner *p, const tr_node *node, const char *text) {
  if (strcmp(text, "ground") == 0) return 0;
  const tr_name *name = tr_plan_find_name(p, text);
  if (name && name->kind == TR_NAME_BODY) return 1 + name->index;
  if (name && name->kind == TR_NAME_MARKER) return name->index;
  if (name)
    wrong_reference(p, node, name, "a marker or body");
  else
    unknown_reference(p, node, "marker", text, 1u << TR_NAME_BODY | 1u << TR_NAME_MARKER);
  return -1;
}

int tr_plan_marker_ref(tr_planner *p, const tr_node *node) {
  const char *text = tr_plan_text(p, node);
  return text ? find_marker(p, node, text) : -1;
}

int tr_plan_marker_named(tr_planner *p, const char *text, tr_expr_error *e) {
  char shown[TR_SHOWN];
  if (strcmp(text, "ground") == 0) return 0;
  const tr_name *name = tr_plan_find_name(p, text);
  if (name && name->kind == TR_NAME_BODY) return 1 + name->index;
  if (name && name->kind == TR_NAME_MARKER) return name->index;
  if (name) {
    snprintf(e->text, sizeof e->text, "\"%s\" is %s; a marker or body is expected",
             tr_shown(text, shown), kind_words(name->kind));
  } else if (p->incomplete) {
    p->failures++;
    return -2;
  } else {
    hint_reference(p, text, 1u << TR_NAME_BODY | 1u << TR_NAME_MARKER, e->hint);
    snprintf(e->text, sizeof e->text, "unknown marker \"%s\"", tr_shown(text, shown));
  }
  return -1;
}

int tr_plan_joint_ref(tr_planner *p, const tr_node *node, const char *text) {
  const tr_name *name = tr_plan_find_name(p, text);
  if (name && name->kind == TR_NAME_JOINT)
    return name->index < p->plan->njoint ? name->index : -1; // else broken, reported already
  if (name)
    wrong_reference(p, node, name, "a joint");
  else
    unknown_reference(p, node, "joint", text, 1u << TR_NAME_JOINT);
  return -1;
}

// ---- poses --------------------------------------------------------------------------------------

static tr_pose marker_pose(const tr_planner *p, const tr_plan_marker *m) {
  tr_pose b = tr_plan_body_pose(p, m->body), g;
  m3_mul(b.R, m->p, g.p);
  v3_axpy(1, b.p, g.p);
  m3_mulm(b.R, m->R, g.R);
  return g;
}

// Most markers are not turned.
static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static void set_turn(tr_planner *p, const double R[9], tr_plan_marker *m) {
  double *own = NULL;
  m->R = unit;
  if (memcmp(R, unit, sizeof unit) == 0) return;
  if (!(own = TR_NEW(p->arena, 9, double))) {
    tr_plan_no_memory(p);
    return;
  }
  m3_copy(R, own);
  m->R = own;
}

static void set_global(tr_planner *p, const tr_pose *g, bool position, bool orientation,
                       tr_plan_marker *m) {
  tr_pose b = tr_plan_body_pose(p, m->body);
  double d[3], R[9];
  v3_sub(g->p, b.p, d);
  if (position) m3_tmul(b.R, d, m->p);
  if (!orientation) return;
  m3_tmulm(b.R, g->R, R);
  set_turn(p, R, m);
}

static tr_plan_marker *push(tr_planner *p, int body, const char *name, tr_place place) {
  tr_plan *plan = p->plan;
  void *markers =
      tr_grow(p->arena->al, plan->marker, plan->nmarker, &p->marker_capacity, sizeof *plan->marker);
  if (!markers) return tr_plan_no_memory(p), NULL;
  plan->marker = markers;
  tr_plan_marker *m = &plan->marker[plan->nmarker++];
  *m = (tr_plan_marker){.name = name, .place = tr_plan_place(p, place), .body = body, .R = unit};
  return m;
}

int tr_plan_push_marker(tr_planner *p, int body, const tr_pose *global, tr_place place) {
  tr_plan_marker *m = push(p, body, "", place);
  if (!m) return -1;
  set_global(p, global, true, true, m);
  return p->plan->nmarker - 1;
}

bool tr_plan_origin_markers(tr_planner *p) {
  if (!push(p, TR_GROUND, "ground", (tr_place){0})) return false;
  for (int i = 0; i < p->plan->nbody; i++) {
    const tr_plan_body *b = &p->plan->body[i];
    if (!push(p, i, b->name, b->place)) return false;
  }
  return true;
}

// ---- one marker ---------------------------------------------------------------------------------

typedef struct marker_keys {
  const tr_node *body, *at, *at_global, *orientation, *orientation_global, *angle, *angle_global,
      *like;
} marker_keys;

static bool sort_keys(tr_planner *p, const tr_node *map, marker_keys *k) {
  bool ok = true;
  *k = (marker_keys){0};
  for (const tr_node *n = map->first; n; n = n->next) {
    const struct {
      const char *key;
      const tr_node **to;
    } rows[] = {{"body", &k->body},
                {"at", &k->at},
                {"at-global", &k->at_global},
                {"orientation", &k->orientation},
                {"orientation-global", &k->orientation_global},
                {"angle", &k->angle},
                {"angle-global", &k->angle_global},
                {"like", &k->like}};
    int i = 0, count = (int)(sizeof rows / sizeof *rows);
    while (i < count && strcmp(rows[i].key, n->key) != 0) i++;
    if (i == count)
      ok = tr_plan_unknown_key(p, n, tr_marker_keys(), NULL);
    else if (*rows[i].to)
      ok = tr_plan_fail_key(p, n, "\"%s\" is given twice", n->key);
    else
      *rows[i].to = n;
  }
  const tr_node *turn[4] = {k->orientation, k->orientation_global, k->angle, k->angle_global};
  const tr_node *first = NULL;
  for (int i = 0; i < 4; i++) {
    if (turn[i] && first)
      ok = tr_plan_fail_key(p, turn[i], "\"%s\" contradicts \"%s\"", turn[i]->key, first->key);
    else if (turn[i])
      first = turn[i];
  }
  if (k->at && k->at_global)
    ok = tr_plan_fail_key(p, k->at_global, "\"at-global\" contradicts \"at\"");
  const tr_node *other = k->at ? k->at : k->at_global ? k->at_global : first;
  if (k->like && other) ok = tr_plan_fail_key(p, other, "\"%s\" contradicts \"like\"", other->key);
  return ok;
}

static bool read_position(tr_planner *p, const tr_node *node, double x[3]) {
  int n;
  const char *outer = p->subject.key;
  p->subject.key = node->key;
  x[2] = 0;
  bool ok = tr_plan_numbers(p, node, TR_LENGTH, 2, 3, x, &n);
  p->subject.key = outer;
  return ok;
}

static bool read_turn(tr_planner *p, const tr_node *node, bool about_z, double R[9]) {
  const char *outer = p->subject.key;
  double angle;
  p->subject.key = node->key;
  // `angle` takes a number only.
  bool ok = (!about_z || tr_plan_number(p, node, TR_ANGLE, &angle)) && tr_plan_rotation(p, node, R);
  p->subject.key = outer;
  return ok;
}

// Everything but `like`. The body comes out even when something else is wrong.
static bool read_marker(tr_planner *p, const tr_node *map, marker_keys *k, tr_plan_marker *m) {
  bool ok = sort_keys(p, map, k);
  if (k->body) {
    int body = tr_plan_body_ref(p, k->body);
    if (body == -2)
      ok = false;
    else
      m->body = body;
  }
  if (!ok) return false;
  tr_pose g = {0};
  double R[9];
  if (k->at) ok = read_position(p, k->at, m->p);
  if (k->at_global) ok = read_position(p, k->at_global, g.p);
  const tr_node *local = k->orientation ? k->orientation : k->angle;
  const tr_node *global = k->orientation_global ? k->orientation_global : k->angle_global;
  m3_identity(R);
  if (local) ok = read_turn(p, local, local == k->angle, R) && ok;
  if (local && ok) set_turn(p, R, m);
  if (global) ok = read_turn(p, global, global == k->angle_global, g.R) && ok;
  if (ok) set_global(p, &g, k->at_global, global, m);
  return ok;
}

int tr_plan_inline_marker(tr_planner *p, const tr_node *node) {
  marker_keys k;
  tr_plan_marker *m = push(p, TR_GROUND, "", node->place);
  if (!m || !read_marker(p, node, &k, m)) return -1;
  int index = p->plan->nmarker - 1;
  if (k.like) {
    int other = tr_plan_marker_ref(p, k.like);
    if (other < 0) return -1;
    tr_pose g = marker_pose(p, &p->plan->marker[other]);
    set_global(p, &g, true, true, &p->plan->marker[index]);
  }
  return index;
}

// ---- named markers ------------------------------------------------------------------------------

void tr_plan_marker_each(tr_planner *p, const tr_node *node, const char *name) {
  marker_keys k;
  int index = p->plan->nmarker;
  if (!tr_plan_name(p, node, name, TR_NAME_MARKER, index)) return;
  tr_plan_marker *m = push(p, TR_GROUND, name, node->key_place);
  if (!m || !read_marker(p, node, &k, m) || !k.like) return;
  p->subject.key = "like";
  const char *target = tr_plan_text(p, k.like);
  void *likes = tr_grow(p->arena->al, p->like, p->nlike, &p->like_capacity, sizeof *p->like);
  if (!likes) {
    tr_plan_no_memory(p);
    return;
  }
  p->like = likes;
  if (target)
    p->like[p->nlike++] = (tr_like){.marker = index, .node = k.like, .target = target, .other = -1};
}

static void report_cycle(tr_planner *p, const tr_like *l) {
  p->subject = (tr_subject){"marker", p->plan->marker[l->marker].name, "like"};
  tr_plan_fail(p, l->node, "goes round in a circle through \"%s\"", l->target);
}

// Follows a chain of `like` to a marker that is known, then comes back along it. of[marker]: its
// entry in p->like plus one, or 0.
static void resolve(tr_planner *p, int start, const int *of, int *stack) {
  int n = 0;
  for (int k = start; k >= 0;) {
    tr_like *l = &p->like[k];
    if (l->state == 2) break;
    if (l->state == 1) {
      report_cycle(p, l);
      break;
    }
    l->state = 1;
    stack[n++] = k;
    k = l->other >= 0 ? of[l->other] - 1 : -1;
  }
  while (n > 0) {
    tr_like *l = &p->like[stack[--n]];
    l->state = 2;
    if (l->other < 0) continue;
    tr_pose g = marker_pose(p, &p->plan->marker[l->other]);
    set_global(p, &g, true, true, &p->plan->marker[l->marker]);
  }
}

bool tr_plan_likes(tr_planner *p) {
  if (p->nlike == 0 || p->no_memory) return !p->no_memory;
  int *of = TR_NEW(&p->scratch, p->plan->nmarker, int), *stack = TR_NEW(&p->scratch, p->nlike, int);
  if (!of || !stack) return tr_plan_no_memory(p);
  for (int k = 0; k < p->nlike; k++) {
    tr_like *l = &p->like[k];
    p->subject = (tr_subject){"marker", p->plan->marker[l->marker].name, "like"};
    l->other = find_marker(p, l->node, l->target);
    of[l->marker] = k + 1;
  }
  for (int k = 0; k < p->nlike; k++) resolve(p, k, of, stack);
  p->subject = (tr_subject){0};
  return !p->no_memory;
}
