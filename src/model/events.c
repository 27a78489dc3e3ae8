// SPDX-License-Identifier: Apache-2.0
// The events section: what is watched, and what happens.
//
// (1) A parameter that some event sets moves: it is read by laws at run time, through a frame on ground
//     whose matrix holds TR_SWITCHED_PER_FRAME of them, and by nothing else. Which ones is known before
//     any element is read.
// (2) The markers of an event are those that its laws name.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "planner.h"

// ---- parameters that move -------------------------------------------------------------------------

static void note_set(tr_planner *p, const tr_node *event) {
  const tr_node *set = event->kind == TR_MAP ? tr_node_find(event, "set") : NULL;
  if (!set || set->kind != TR_MAP) return;
  for (const tr_node *k = set->first; k; k = k->next) {
    tr_parameter *q = tr_table_find(&p->symbols, NULL, k->key, strlen(k->key));
    if (q && !q->switched_by) q->switched_by = event->key, q->switched = p->plan->nswitched++;
  }
}

static void note_events(tr_planner *p, const tr_node *block) {
  if (!block || block->kind != TR_MAP) return;
  const tr_node *events = tr_node_find(block, "events"), *list = tr_node_find(block, "repeat");
  for (const tr_node *k = events && events->kind == TR_MAP ? events->first : NULL; k; k = k->next)
    note_set(p, k);
  for (const tr_node *k = list && list->kind == TR_LIST ? list->first : NULL; k; k = k->next)
    note_events(p, k);
}

// The first parameter an expression reads that moves, or NULL.
static const tr_parameter *moving(const tr_planner *p, const tr_expr *expr) {
  for (int at = 0, slot; (slot = tr_expr_slot(expr, &at)) >= 0;)
    if (slot < p->nparameter && p->parameter[slot].switched_by) return &p->parameter[slot];
  return NULL;
}

bool tr_plan_check_still(tr_planner *p, const tr_node *node, const tr_expr *expr) {
  const tr_parameter *q = p->plan->nswitched > 0 ? moving(p, expr) : NULL;
  if (!q) return true;
  return tr_plan_fail(p, node,
                      "\"%s\" is set by event \"%s\" while the model runs: only laws can follow it",
                      q->node->key, q->switched_by);
}

bool tr_plan_switched(tr_planner *p) {
  tr_plan *plan = p->plan;
  note_events(p, p->model->root);
  plan->switched = TR_NEW(p->arena, plan->nswitched, tr_plan_switched_par);
  p->switched_marker = TR_NEW(&p->scratch, plan->nswitched / TR_SWITCHED_PER_FRAME + 1, int);
  if (!plan->switched || !p->switched_marker) return tr_plan_no_memory(p);
  for (int k = 0; k < p->nparameter; k++) {
    const tr_parameter *q = &p->parameter[k];
    p->subject = (tr_subject){.kind = "parameter", .name = q->node->key};
    if (q->expr) tr_plan_check_still(p, q->node, q->expr);
    if (!q->switched_by) continue;
    const char *name = tr_arena_text(p->arena, q->node->key, strlen(q->node->key));
    if (!name) return tr_plan_no_memory(p);
    plan->switched[q->switched] = (tr_plan_switched_par){name, p->slots[k].x};
  }
  p->subject = (tr_subject){0};
  return true;
}

// The marker of the frame that holds a parameter; made when first asked for. -1: out of memory.
int tr_plan_switched_marker(tr_planner *p, int switched) {
  static const tr_pose origin = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  int frame = switched / TR_SWITCHED_PER_FRAME, *m = &p->switched_marker[frame];
  if (*m > 0) return *m; // 0 is ground itself: none yet
  *m = tr_plan_push_marker(p, TR_GROUND, &origin, (tr_place){0});
  if (*m > 0) p->plan->marker[*m].switched = 1 + frame * TR_SWITCHED_PER_FRAME;
  return *m;
}

// ---- one event ------------------------------------------------------------------------------------

// A name or a list of names of joints.
static bool read_locks(tr_planner *p, const tr_node *map, const char *key, int *n, int **joint) {
  const tr_node *node = tr_node_find(map, key);
  *n = 0;
  if (!node) return true;
  p->subject.key = key;
  bool list = node->kind == TR_LIST, ok = node->kind != TR_MAP;
  int count = list ? node->count : 1;
  if (!ok) tr_plan_fail(p, node, "the name of a joint, or a list of names, is expected");
  *joint = TR_NEW(p->arena, count, int);
  if (!*joint) return tr_plan_no_memory(p);
  for (const tr_node *k = ok ? (list ? node->first : node) : NULL; k; k = list ? k->next : NULL) {
    const char *text = tr_plan_text(p, k);
    int index = text ? tr_plan_joint_ref(p, k, text) : -1;
    ok = ok && index >= 0;
    if (index < 0) continue;
    (*joint)[(*n)++] = index;
    p->plan->joint[index].lockable = true;
  }
  p->subject.key = NULL;
  return ok;
}

static bool read_set_one(tr_planner *p, const tr_node *node, tr_plan_event *e) {
  static const tr_field any = {.name = "set", .kind = TR_LAW, .quantity = TR_QUANTITIES};
  char hint[TR_HINT], shown[TR_SHOWN], is[TR_DIM_TEXT], want[TR_DIM_TEXT];
  const tr_parameter *q = tr_table_find(&p->symbols, NULL, node->key, strlen(node->key));
  if (!q || !q->switched_by) {
    tr_plan_hint(p, node->key, p->scope.list(&p->scope), hint);
    return tr_plan_fail_key(p, node, "no parameter \"%s\"%s", tr_shown(node->key, shown), hint);
  }
  const tr_law *law = NULL;
  if (!tr_plan_law(p, node, &any, &law)) return false;
  tr_value old = p->slots[q - p->parameter];
  if (old.kind == TR_KNOWN && law->quantity != TR_QUANTITIES &&
      !tr_dim_agree(old.dim, tr_quantity_dim(law->quantity))) {
    tr_dim_describe(tr_quantity_dim(law->quantity), is), tr_dim_describe(old.dim, want);
    return tr_plan_fail(p, node, "\"%s\" is %s, the parameter was %s", tr_shown(node->text, shown),
                        is, want);
  }
  e->set[e->nset] = (tr_plan_set){q->switched, law};
  e->nset++;
  return true;
}

static bool read_set(tr_planner *p, const tr_node *map, tr_plan_event *e) {
  const tr_node *node = tr_node_find(map, "set");
  if (!node) return true;
  p->subject.key = "set";
  bool ok = node->kind == TR_MAP;
  if (!ok) tr_plan_fail(p, node, "a map {parameter: value, ...} is expected");
  e->set = TR_NEW(p->arena, node->count, tr_plan_set);
  if (!e->set) return tr_plan_no_memory(p);
  for (const tr_node *k = ok ? node->first : NULL; k; k = k->next) ok = read_set_one(p, k, e) && ok;
  p->subject.key = NULL;
  return ok;
}

static bool measures_velocity(const tr_law *law) {
  for (int k = 0; k < law->inputs; k++)
    if (law->input[k].kind >= LAW_VELOCITY) return true;
  return false;
}

static bool measures_frames(const tr_law *law) {
  for (int k = 0; k < law->inputs; k++)
    if (law->input[k].kind > LAW_PARAMETER) return true;
  return false;
}

static bool is_positive(const tr_law *law) { return !law || (law->constant && law->value > 0); }

static bool check(tr_planner *p, const tr_node *node, const tr_plan_event *e) {
  const tr_event_par *par = &e->par;
  bool impact = !isnan(par->restitution);
  const tr_node *when = tr_node_find(node, "when"), *touch = tr_node_find(node, "touch");
  if (par->when->constant)
    return tr_plan_fail(p, when, "depends on nothing that changes: it never crosses zero");
  if (!is_positive(par->touch)) return tr_plan_fail(p, touch, "touch: must be a positive constant");
  if (!is_positive(par->rest))
    return tr_plan_fail(p, tr_node_find(node, "rest"), "rest: must be a positive constant");
  if (impact && (!measures_frames(par->when) || measures_velocity(par->when)))
    return tr_plan_fail(p, when,
                        "restitution acts along the gradient of an expression of "
                        "positions: no velocities, and something that moves");
  if (impact && par->direction == TR_CROSS_BOTH)
    return tr_plan_fail(p, node,
                        "restitution needs a direction: falling where contact is where "
                        "the expression is negative, else rising");
  if (!impact && (e->nsettle > 0 || par->rest))
    return tr_plan_fail(p, node, "\"settle\" and \"rest\" go with \"restitution\"");
  if (par->stop || impact || par->message[0] || e->nset || e->nlock || e->nunlock) return true;
  return tr_plan_fail(p, node,
                      "nothing happens: give one of stop, restitution, set, lock, unlock, "
                      "message");
}

void tr_plan_event_each(tr_planner *p, const tr_node *node, const char *name) {
  tr_plan *plan = p->plan;
  if (!tr_plan_name(p, node, name, TR_NAME_EVENT, plan->nevent)) return;
  void *grown =
      tr_grow(p->arena->al, plan->event, plan->nevent, &p->event_capacity, sizeof *plan->event);
  if (!grown) {
    tr_plan_no_memory(p);
    return;
  }
  plan->event = grown;
  tr_plan_event e = {.name = name, .place = tr_plan_place(p, node->key_place)};
  const tr_node *when = node->kind == TR_MAP ? tr_node_find(node, "when") : NULL;
  e.when_place = when ? tr_plan_place(p, when->place) : e.place;
  p->own_markers = p->nextra = 0;
  bool ok = tr_plan_fields(p, node, tr_event_fields(), sizeof e.par, tr_event_keys(), &e.par);
  ok = read_set(p, node, &e) && ok;
  ok = read_locks(p, node, "lock", &e.nlock, &e.lock) && ok;
  ok = read_locks(p, node, "unlock", &e.nunlock, &e.unlock) && ok;
  ok = read_locks(p, node, "settle", &e.nsettle, &e.settle) && ok;
  tr_plan_settle_markers(p, tr_event_fields(), &e.par, e.marker, &e.markers);
  if (ok && !p->no_memory && check(p, node, &e)) plan->event[plan->nevent++] = e;
}
