// SPDX-License-Identifier: Apache-2.0
// A model built or changed by calls: the same tree that a file gives, without places.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr.h"
#include "sections.h"
#include "tree.h"

tr_status tr_model_new(tr_allocator *allocator, tr_model **model) {
  *model = NULL;
  tr_model *m = tr_resize(allocator, NULL, sizeof *m);
  if (!m) return TR_NO_MEMORY;
  *m = (tr_model){.arena = tr_arena_make(allocator)};
  m->root = tr_node_new(&m->arena, TR_MAP, (tr_place){0});
  if (!m->root) {
    tr_model_free(m);
    return TR_NO_MEMORY;
  }
  *model = m;
  return TR_OK;
}

void tr_model_free(tr_model *model) {
  if (!model) return;
  tr_allocator *al = model->arena.al;
  tr_arena_free(&model->arena);
  tr_resize(al, model, 0);
}

void tr_model_release(const tr_model *model, char *text) {
  tr_resize(model ? model->arena.al : NULL, text, 0);
}

// ---- adding -------------------------------------------------------------------------------------

static tr_node *add_child(tr_model *m, tr_node *parent, const char *key, tr_node *child) {
  const char *copy = child ? tr_arena_text(&m->arena, key, strlen(key)) : NULL;
  if (!copy) return NULL;
  child->key = copy;
  tr_node_append(parent, child);
  return child;
}

static tr_node *new_scalar(tr_model *m, const char *text) {
  tr_node *node = tr_node_new(&m->arena, TR_SCALAR, (tr_place){0});
  if (!node) return NULL;
  node->text = tr_arena_text(&m->arena, text, strlen(text));
  node->quoted = !tr_text_is_plain(text);
  return node->text ? node : NULL;
}

// The version of the format comes first.
static bool begin(tr_model *m) {
  return m->root->first || add_child(m, m->root, "trammel", new_scalar(m, TR_FORMAT_VERSION));
}

// A section of the root, made when it is not there yet.
static tr_node *section_node(tr_model *m, const char *section) {
  if (!begin(m)) return NULL;
  tr_node *node = tr_node_find(m->root, section);
  if (node) return node;
  return add_child(m, m->root, section, tr_node_new(&m->arena, TR_MAP, (tr_place){0}));
}

static tr_node *number_node(tr_model *m, double x) {
  char text[TR_NUMBER_TEXT];
  return new_scalar(m, tr_number_print(x, text));
}

// The value of one argument. NULL: wrong, or out of memory; error says which.
static tr_node *arg_node(tr_model *m, const tr_arg *arg, const char *what, tr_error *error) {
  if (arg->text) return tr_flow_parse(&m->arena, arg->text, what, error);
  const double *x = arg->vec ? arg->vec : &arg->num;
  int n = arg->vec ? arg->n : 1;
  for (int k = 0; k < n; k++) {
    if (isfinite(x[k])) continue;
    tr_fail(error, TR_BAD_INPUT, NULL, "%s: not a finite number", what);
    return NULL;
  }
  tr_node *node = arg->vec ? tr_node_new(&m->arena, TR_LIST, (tr_place){0}) : number_node(m, *x);
  for (int k = 0; arg->vec && node && k < n; k++) {
    tr_node *item = number_node(m, x[k]);
    if (item)
      tr_node_append(node, item);
    else
      node = NULL;
  }
  if (!node) tr_no_memory(error);
  return node;
}

tr_status tr_model_add(tr_model *model, const char *section, const char *name, const tr_arg *args,
                       tr_error *error) {
  char what[160];
  const tr_section *s = tr_section_find(section);
  if (!s || !s->kind || strcmp(section, "repeat") == 0)
    return tr_fail(error, TR_BAD_INPUT, NULL, "unknown section \"%.60s\"", section);
  tr_node *parent = section_node(model, section);
  if (!parent) return tr_no_memory(error);
  if (parent->kind != TR_MAP)
    return tr_fail(error, TR_BAD_INPUT, &parent->place, "%s: a map is expected", section);
  tr_node *element = NULL;
  if (strcmp(section, "parameters") == 0) {
    snprintf(what, sizeof what, "parameter \"%.60s\"", name);
    if (!args || !args[0].key || args[1].key)
      return tr_fail(error, TR_BAD_INPUT, NULL, "%s: one value is expected", what);
    element = arg_node(model, &args[0], what, error);
    if (!element) return TR_BAD_INPUT;
    return add_child(model, parent, name, element) ? TR_OK : tr_no_memory(error);
  }
  element = tr_node_new(&model->arena, TR_MAP, (tr_place){0});
  if (!element) return tr_no_memory(error);
  for (; args && args->key; args++) {
    snprintf(what, sizeof what, "%s \"%.60s\": %.60s", s->kind, name, args->key);
    tr_node *value = arg_node(model, args, what, error);
    if (!value) return TR_BAD_INPUT;
    if (!add_child(model, element, args->key, value)) return tr_no_memory(error);
  }
  return add_child(model, parent, name, element) ? TR_OK : tr_no_memory(error);
}

tr_status tr_model_add_value(tr_model *model, const tr_arg *arg, tr_error *error) {
  const tr_section *s = tr_section_find(arg->key);
  if (!s || s->kind || strcmp(arg->key, "trammel") == 0)
    return tr_fail(error, TR_BAD_INPUT, NULL, "unknown key \"%.60s\"", arg->key);
  if (!begin(model)) return tr_no_memory(error);
  if (tr_node_find(model->root, arg->key))
    return tr_fail(error, TR_BAD_INPUT, NULL, "%s: given twice", arg->key);
  tr_node *value = arg_node(model, arg, arg->key, error);
  if (!value) return TR_BAD_INPUT;
  return add_child(model, model->root, arg->key, value) ? TR_OK : tr_no_memory(error);
}

tr_status tr_model_add_problem(tr_model *model, const char *name, const tr_problem *problem,
                               tr_error *error) {
  const char *why = NULL;
  if (!problem) return tr_fail(error, TR_BAD_INPUT, NULL, "problem \"%.60s\": none is given", name);
  if (problem->n <= 0 || problem->m < 0)
    why = "n must be positive and m not negative";
  else if (!problem->q0)
    why = "q0 is missing";
  else if (!problem->mass || !problem->force)
    why = "mass and force are required";
  else if (problem->m > 0 && !problem->phi)
    why = "phi is required for m > 0";
  if (why) return tr_fail(error, TR_BAD_INPUT, NULL, "problem \"%.60s\": %s", name, why);
  tr_named_problem *p = TR_NEW(&model->arena, 1, tr_named_problem);
  const char *copy = p ? tr_arena_text(&model->arena, name, strlen(name)) : NULL;
  if (!copy || !begin(model)) return tr_no_memory(error);
  *p = (tr_named_problem){.name = copy, .problem = problem};
  if (model->last_problem)
    model->last_problem->next = p;
  else
    model->problems = p;
  model->last_problem = p;
  return TR_OK;
}

// ---- parameters ---------------------------------------------------------------------------------

static tr_status unknown_parameter(const tr_node *parameters, const char *name, tr_error *error) {
  const char *names[256];
  int n = 0;
  for (const tr_node *k = parameters ? parameters->first : NULL; k && n < 255; k = k->next)
    names[n++] = k->key;
  names[n] = NULL;
  char hint[TR_HINT], shown[TR_SHOWN];
  tr_hint(name, names, hint);
  return tr_fail(error, TR_BAD_INPUT, NULL, "the model has no parameter \"%s\"%s",
                 tr_shown(name, shown), hint);
}

tr_status tr_model_set(tr_model *model, const char *parameter, const char *value, tr_error *error) {
  tr_node *parameters = tr_node_find(model->root, "parameters");
  if (parameters && parameters->kind != TR_MAP) parameters = NULL;
  tr_node *node = tr_node_find(parameters, parameter);
  if (!node) return unknown_parameter(parameters, parameter, error);
  const char *text = tr_arena_text(&model->arena, value, strlen(value));
  if (!text) return tr_no_memory(error);
  node->kind = TR_SCALAR;
  node->text = text;
  node->quoted = !tr_text_is_plain(text);
  node->text_column = 0;
  node->place = (tr_place){0};
  node->first = node->last = NULL;
  node->count = 0;
  return TR_OK;
}
