// SPDX-License-Identifier: Apache-2.0
// tr_model_plan: from the description as written to what is there.
//
// Order: parameters, the small sections, then bodies, markers, joints and forces, each walk over the
// whole description. Arrays grow on the heap while their length is unknown and move into the plan's
// arena at the end.
#include "plan.h"

#include <math.h>
#include <string.h>

#include "planner.h"

static void check_root(tr_planner *p, const tr_node *root) {
  for (const tr_node *k = root->first; k; k = k->next) {
    if (tr_section_find(k->key)) continue;
    tr_common_key all[24];
    int n = 0;
    for (const tr_section *s = tr_sections(); s->key; s++) all[n++].key = s->key;
    all[n].key = NULL;
    tr_plan_unknown_key(p, k, all, NULL);
  }
  const tr_node *version = tr_node_find(root, "trammel");
  if (!version) {
    tr_node *first = tr_node_new(&p->scratch, TR_SCALAR, (tr_place){.file = p->file, .line = 0});
    if (first)
      tr_plan_fail(p, first, "\"trammel: 1\" is missing: the version of the format");
    else
      tr_plan_no_memory(p);
  } else if (version->kind != TR_SCALAR || strcmp(version->text, TR_FORMAT_VERSION) != 0) {
    p->subject.key = "trammel";
    tr_plan_fail(p, version, "the version of the format must be 1");
    p->subject.key = NULL;
  }
}

static void plan_name(tr_planner *p, const tr_node *root) {
  const tr_node *name = tr_node_find(root, "name"), *text = tr_node_find(root, "description");
  p->plan->name = "";
  p->subject = (tr_subject){.key = "name"};
  if (name && name->kind != TR_SCALAR) {
    tr_plan_fail(p, name, "a text is expected");
  } else if (name) {
    p->plan->name = tr_arena_text(p->arena, name->text, strlen(name->text));
    if (!p->plan->name) tr_plan_no_memory(p);
  }
  p->subject.key = "description";
  if (text && text->kind != TR_SCALAR) tr_plan_fail(p, text, "a text is expected");
  p->subject.key = NULL;
}

static void plan_gravity(tr_planner *p, const tr_node *node) {
  int n;
  if (!node) return;
  p->subject = (tr_subject){.key = "gravity"};
  tr_plan_numbers(p, node, TR_ACCELERATION, 2, 3, p->plan->gravity, &n);
  p->subject.key = NULL;
}

static void plan_simulation(tr_planner *p, const tr_node *node) {
  static const tr_node empty = {.kind = TR_MAP};
  tr_simulation_par s = {0};
  tr_plan *plan = p->plan;
  plan->end = plan->step = plan->output_step = NAN;
  p->subject = (tr_subject){.kind = "simulation"};
  if (!node || (node->kind == TR_SCALAR && !node->text[0])) node = &empty;
  if (node->kind != TR_MAP) {
    tr_plan_fail(p, node, "a map {end: ..., step: ..., method: ...} is expected");
  } else if (tr_plan_fields(p, node, tr_simulation_fields(), sizeof s, NULL, &s)) {
    plan->end = s.end;
    plan->step = s.step;
    plan->output_step = s.output_step;
    plan->method = s.method && s.method[0] ? s.method : NULL;
    const tr_node *method = tr_node_find(node, "method");
    if (method) plan->method_place = tr_plan_place(p, method->place);
  }
  p->subject = (tr_subject){0};
}

static void plan_output(tr_planner *p, const tr_node *node) {
  tr_plan *plan = p->plan;
  if (!node || (node->kind == TR_SCALAR && !node->text[0])) return;
  p->subject = (tr_subject){.key = "output"};
  if (node->kind == TR_MAP) {
    tr_plan_fail(p, node, "a list of names is expected");
    return;
  }
  const tr_node *first = node->kind == TR_LIST ? node->first : node;
  int count = node->kind == TR_LIST ? node->count : 1;
  plan->output = TR_NEW(p->arena, count, const char *);
  plan->output_place = TR_NEW(p->arena, count, tr_place);
  if (!plan->output || !plan->output_place) {
    tr_plan_no_memory(p);
    return;
  }
  for (const tr_node *k = first; k && plan->noutput < count; k = k->next) {
    const char *text = tr_plan_text(p, k);
    if (!text) continue;
    plan->output_place[plan->noutput] = tr_plan_place(p, k->place);
    plan->output[plan->noutput++] = text;
  }
  p->subject.key = NULL;
}

// ---- names that are taken -----------------------------------------------------------------------

static bool reserve_names(tr_planner *p) {
  static const char *const reserved[] = {"ground", "energy", "constraint"};
  for (int k = 0; k < 3; k++) {
    tr_name *n = TR_NEW(&p->scratch, 1, tr_name);
    if (!n) return tr_plan_no_memory(p);
    *n = (tr_name){.text = reserved[k], .kind = TR_NAME_RESERVED};
    if (!tr_table_put(&p->names, NULL, reserved[k], strlen(reserved[k]), n))
      return tr_plan_no_memory(p);
  }
  return true;
}

// ---- into the arena -----------------------------------------------------------------------------

// Moves a heap array into the arena. NULL stays in place of an array when memory is short.
static void *settle(tr_planner *p, tr_arena *arena, void *items, int count, size_t size) {
  void *kept = p->no_memory ? NULL : tr_arena_get(arena, (size_t)count * size);
  if (kept && count > 0) memcpy(kept, items, (size_t)count * size);
  if (!kept) tr_plan_no_memory(p);
  tr_resize(p->arena->al, items, 0);
  return kept;
}

static void settle_all(tr_planner *p, tr_arena *lists) {
  tr_plan *plan = p->plan;
  plan->body = settle(p, lists, plan->body, plan->nbody, sizeof *plan->body);
  plan->marker = settle(p, lists, plan->marker, plan->nmarker, sizeof *plan->marker);
  plan->joint = settle(p, lists, plan->joint, plan->njoint, sizeof *plan->joint);
  plan->force = settle(p, lists, plan->force, plan->nforce, sizeof *plan->force);
  plan->event = settle(p, p->arena, plan->event, plan->nevent, sizeof *plan->event);
  tr_resize(p->arena->al, p->pose, 0);
  tr_resize(p->arena->al, p->number, 0);
  tr_resize(p->arena->al, p->like, 0);
  tr_resize(p->arena->al, p->joined, 0);
  tr_table_free(&p->cache);
  tr_table_free(&p->names);
  tr_table_free(&p->symbols);
  tr_arena_free(&p->scratch);
  tr_arena_free(&p->brief);
}

static void plan_elements(tr_planner *p) {
  tr_plan_walk(p, "bodies", tr_plan_body_each);
  p->first_number = p->plan->nbody;
  tr_plan_walk(p, "states", tr_plan_state_each);
  tr_plan_walk(p, "variables", tr_plan_variable_each);
  if (!tr_plan_origin_markers(p) || !tr_plan_problems(p)) return;
  tr_plan_walk(p, "markers", tr_plan_marker_each);
  if (!tr_plan_likes(p)) return;
  tr_plan_walk(p, "joints", tr_plan_joint_each);
  tr_plan_walk(p, "forces", tr_plan_force_each);
  tr_plan_joins(p);
  tr_plan_walk(p, "states", tr_plan_equation_each);
  tr_plan_walk(p, "variables", tr_plan_equation_each);
  tr_plan_walk(p, "events", tr_plan_event_each);
}

tr_status tr_model_plan(const tr_model *model, tr_arena *arena, tr_arena *lists, tr_plan *plan,
                        tr_error *error) {
  const tr_node *root = model->root;
  tr_allocator *al = arena->al;
  *plan = (tr_plan){0};
  tr_planner p = {.model = model,
                  .plan = plan,
                  .arena = arena,
                  .lists = lists,
                  .scratch = tr_arena_make(al),
                  .brief = tr_arena_make(al),
                  .error = error,
                  .cache = {.al = al},
                  .names = {.al = al},
                  .symbols = {.al = al}};
  if (model->source) p.file = tr_arena_text(arena, model->source, strlen(model->source));
  if ((model->source && !p.file) || !reserve_names(&p)) {
    p.no_memory = true;
  } else {
    check_root(&p, root);
    if (tr_plan_parameters(&p, tr_node_find(root, "parameters")) && tr_plan_switched(&p)) {
      plan_name(&p, root);
      tr_plan_data(&p, tr_node_find(root, "data"));
      plan_gravity(&p, tr_node_find(root, "gravity"));
      plan_simulation(&p, tr_node_find(root, "simulation"));
      plan_output(&p, tr_node_find(root, "output"));
      plan_elements(&p);
    }
  }
  if (!p.no_memory && p.failures == 0) tr_plan_lint(&p);
  settle_all(&p, lists);
  if (p.no_memory) return tr_no_memory(error);
  return p.failures ? TR_BAD_INPUT : TR_OK;
}
