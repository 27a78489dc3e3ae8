// SPDX-License-Identifier: Apache-2.0
// Bodies: type, fields, what is kept at the start, and the pose of the origin there.
#include <string.h>

#include "math/v3.h"
#include "planner.h"

tr_plan_body *tr_plan_push_body(tr_planner *p) {
  tr_plan *plan = p->plan;
  void *bodies =
      tr_grow(p->arena->al, plan->body, plan->nbody, &p->body_capacity, sizeof *plan->body);
  if (!bodies) return tr_plan_no_memory(p), NULL;
  plan->body = bodies;
  void *poses = tr_grow(p->arena->al, p->pose, plan->nbody, &p->pose_capacity, sizeof *p->pose);
  if (!poses) return tr_plan_no_memory(p), NULL;
  p->pose = poses;
  tr_pose *pose = &p->pose[plan->nbody];
  *pose = (tr_pose){0};
  m3_identity(pose->R);
  tr_plan_body *body = &plan->body[plan->nbody++];
  *body = (tr_plan_body){0};
  return body;
}

static const tr_body_type *read_type(tr_planner *p, const tr_node *node) {
  const tr_node *type = tr_plan_type(p, node);
  if (!type) return NULL;
  const tr_body_type *const *all = tr_body_types();
  const char *names[256], *text = type->kind == TR_SCALAR ? type->text : "";
  int n = 0;
  for (; all[n] && n < 255; n++) {
    if (strcmp(all[n]->name, text) == 0) return all[n];
    names[n] = all[n]->name;
  }
  names[n] = NULL;
  char hint[TR_HINT], shown[TR_SHOWN];
  tr_plan_hint(p, text, names, hint);
  return tr_plan_fail(p, type, "unknown type \"%s\"%s", tr_shown(text, shown),
                      hint[0] ? hint : "; see `trammel list bodies`"),
         NULL;
}

// ---- keep ---------------------------------------------------------------------------------------

static int count_names(const char *const *names) {
  int n = 0;
  while (names && names[n] && n < 32) n++;
  return n;
}

static unsigned all_bits(const char *const *names) {
  int n = count_names(names);
  return n >= 32 ? ~0u : (1u << n) - 1;
}

static bool keep_word(tr_planner *p, const tr_node *node, tr_plan_body *b) {
  const char *const *q = b->type->coordinate_names, *const *v = b->type->rate_names;
  const char *word = node->kind == TR_SCALAR ? node->text : "";
  bool all = strcmp(word, "all") == 0, found = all;
  if (all || strcmp(word, "positions") == 0) b->keep_q |= all_bits(q), found = true;
  if (all || strcmp(word, "velocities") == 0) b->keep_v |= all_bits(v), found = true;
  const char *candidates[72];
  int n = 0;
  for (int k = 0; k < count_names(q); k++) {
    if (strcmp(q[k], word) == 0) b->keep_q |= 1u << k, found = true;
    candidates[n++] = q[k];
  }
  for (int k = 0; k < count_names(v); k++) {
    if (strcmp(v[k], word) == 0) b->keep_v |= 1u << k, found = true;
    candidates[n++] = v[k];
  }
  if (found) return true;
  candidates[n++] = "all";
  candidates[n++] = "positions";
  candidates[n++] = "velocities";
  candidates[n] = NULL;
  char hint[TR_HINT], shown[TR_SHOWN];
  tr_plan_hint(p, word, candidates, hint);
  return tr_plan_fail(p, node, "%s bodies have no coordinate \"%s\"%s", b->type->name,
                      tr_shown(word, shown), hint);
}

static bool read_keep(tr_planner *p, const tr_node *node, tr_plan_body *b) {
  bool ok = true;
  p->subject.key = "keep";
  if (node->kind == TR_MAP)
    ok = tr_plan_fail(p, node, "a list of coordinate names is expected");
  else if (node->kind == TR_SCALAR)
    ok = keep_word(p, node, b);
  for (const tr_node *k = node->kind == TR_LIST ? node->first : NULL; k; k = k->next)
    ok = keep_word(p, k, b) && ok;
  p->subject.key = NULL;
  return ok;
}

// ---- bodies -------------------------------------------------------------------------------------

// What a complaint is about: its first words, as "modal: mass: ..", may be keys one in the other.
static const tr_node *blamed(const tr_node *node, const char *why) {
  char key[64];
  for (const char *end; (end = strchr(why, ':')) && end - why < (long)sizeof key; why = end + 2) {
    memcpy(key, why, (size_t)(end - why));
    key[end - why] = 0;
    const tr_node *map = node->kind == TR_SCALAR && node->content ? node->content : node;
    const tr_node *at = map->kind == TR_MAP ? tr_node_find(map, key) : NULL;
    if (!at || end[1] != ' ') break;
    node = at;
  }
  return node;
}

void tr_plan_body_each(tr_planner *p, const tr_node *node, const char *name) {
  int index = p->plan->nbody;
  if (!tr_plan_name(p, node, name, TR_NAME_BODY, index)) return;
  tr_plan_body *b = tr_plan_push_body(p);
  if (!b) return;
  b->name = name;
  b->place = tr_plan_place(p, node->key_place);
  b->type = read_type(p, node);
  if (!b->type) return;
  b->par = tr_arena_get(p->lists, b->type->par_size);
  if (!b->par) {
    tr_plan_no_memory(p);
    return;
  }
  bool ok = tr_plan_fields(p, node, b->type->fields, b->type->par_size, tr_body_keys(), b->par);
  const tr_node *keep = tr_node_find(node, "keep");
  if (keep) read_keep(p, keep, b);
  if (!ok) return;
  const char *why = b->type->check ? b->type->check(b->par) : NULL;
  if (why)
    tr_plan_fail(p, blamed(node, why), "%s", why);
  else if (b->type->pose)
    b->type->pose(b->par, p->pose[index].p, p->pose[index].R);
}

bool tr_plan_problems(tr_planner *p) {
  for (const tr_named_problem *k = p->model->problems; k; k = k->next) {
    p->subject = (tr_subject){.kind = "problem", .name = k->name};
    const char *name = tr_arena_text(p->arena, k->name, strlen(k->name));
    tr_node *node = tr_node_new(&p->scratch, TR_MAP, (tr_place){0});
    if (!name || !node) return tr_plan_no_memory(p);
    if (!tr_plan_name(p, node, name, TR_NAME_PROBLEM, p->plan->nbody)) continue;
    tr_plan_body *b = tr_plan_push_body(p);
    if (!b) return false;
    b->name = name;
    b->problem = k->problem;
  }
  p->subject = (tr_subject){0};
  return !p->no_memory;
}

tr_pose tr_plan_body_pose(const tr_planner *p, int body) {
  if (body >= 0) return p->pose[body];
  tr_pose ground = {0};
  m3_identity(ground.R);
  return ground;
}
