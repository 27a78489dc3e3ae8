// SPDX-License-Identifier: Apache-2.0
// States and variables: each becomes a body that is a number and a joint that is its equation.
//
//   states:    name: {initial: 0, rate: "...", scale: 1}       X' = rate
//   variables: name: {value: "...", guess: 0, scale: 1}        V = value
// Laws read them by their names, so these are known before any law; the equations come last. The unit of
// `initial` or `guess`, if it has one, is that of the number.
#include <math.h>
#include <string.h>

#include "planner.h"

int tr_plan_number_named(const tr_scope *scope, const char *name, size_t n) {
  const tr_planner *p = (const tr_planner *)((const char *)scope - offsetof(tr_planner, scope));
  if (p->nnumber == 0) return -1;
  const tr_name *known = tr_table_find(&p->names, NULL, name, n);
  bool number = known && (known->kind == TR_NAME_STATE || known->kind == TR_NAME_VARIABLE);
  return number ? known->index : -1;
}

static bool check_keys(tr_planner *p, const tr_node *node, const tr_common_key *keys) {
  bool ok = true;
  for (const tr_node *k = node->first; k; k = k->next) {
    const tr_common_key *key = keys;
    while (key->key && strcmp(key->key, k->key) != 0) key++;
    if (!key->key) ok = tr_plan_unknown_key(p, k, keys, NULL);
  }
  return ok;
}

static bool read_value(tr_planner *p, const tr_node *node, const char *key, tr_value *x) {
  const tr_node *k = tr_node_find(node, key);
  if (!k) return true;
  p->subject.key = key;
  bool ok = tr_plan_value(p, k, x);
  if (ok && x->kind != TR_BROKEN && !isfinite(x->x)) ok = tr_plan_fail(p, k, "is not finite");
  p->subject.key = NULL;
  return ok && x->kind != TR_BROKEN;
}

// Letters, digits and _: an expression must be able to say it.
static bool check_word(tr_planner *p, const tr_node *node, const char *name) {
  if (strchr(name, '-'))
    return tr_plan_fail_key(p, node, "\"-\" in the name: expressions would read a difference");
  if (tr_expr_is_reserved(name, strlen(name)) || strcmp(name, "time") == 0)
    return tr_plan_fail_key(p, node, "this name is taken by a function or constant");
  if (p->scope.find(&p->scope, name, strlen(name)) >= 0)
    return tr_plan_fail_key(p, node, "this name is taken by a parameter");
  return true;
}

static bool read_number(tr_planner *p, const tr_node *node, bool state, tr_scalar_par *par,
                        tr_value *unit) {
  tr_value start = {.kind = TR_UNKNOWN}, scale = {.kind = TR_UNKNOWN};
  if (!check_keys(p, node, state ? tr_state_keys() : tr_variable_keys())) return false;
  if (!read_value(p, node, state ? "initial" : "guess", &start)) return false;
  if (!read_value(p, node, "scale", &scale)) return false;
  par->start = start.x;
  par->scale = tr_node_find(node, "scale") ? scale.x : fmax(1, fabs(start.x));
  *unit = (tr_value){.kind = start.kind == TR_PLAIN ? TR_UNKNOWN : start.kind, .dim = start.dim};
  if (par->scale > 0) return true;
  p->subject.key = "scale";
  tr_plan_fail(p, tr_node_find(node, "scale"), "must be positive");
  p->subject.key = NULL;
  return false;
}

static void push_number(tr_planner *p, const tr_node *node, const char *name, bool state) {
  tr_scalar_par *par = TR_NEW(p->arena, 1, tr_scalar_par);
  void *units =
      tr_grow(p->arena->al, p->number, p->nnumber, &p->number_capacity, sizeof *p->number);
  if (units) p->number = units;
  if (!par || !units) {
    tr_plan_no_memory(p);
    return;
  }
  int body = p->plan->nbody;
  if (!check_word(p, node, name) ||
      !tr_plan_name(p, node, name, state ? TR_NAME_STATE : TR_NAME_VARIABLE, body)) {
    p->incomplete = true;
    return;
  }
  tr_value unit = {.kind = TR_BROKEN};
  *par = (tr_scalar_par){.scale = 1};
  if (!read_number(p, node, state, par, &unit)) unit.kind = TR_BROKEN;
  tr_plan_body *b = tr_plan_push_body(p);
  if (!b) return;
  *b = (tr_plan_body){.name = name,
                      .place = tr_plan_place(p, node->key_place),
                      .type = state ? &tr_body_state : &tr_body_variable,
                      .par = par};
  p->number[p->nnumber++] = unit;
}

void tr_plan_state_each(tr_planner *p, const tr_node *node, const char *name) {
  push_number(p, node, name, true);
}

void tr_plan_variable_each(tr_planner *p, const tr_node *node, const char *name) {
  push_number(p, node, name, false);
}

void tr_plan_equation_each(tr_planner *p, const tr_node *node, const char *name) {
  const tr_name *known = tr_plan_find_name(p, name);
  if (!known || (known->kind != TR_NAME_STATE && known->kind != TR_NAME_VARIABLE)) return;
  bool state = known->kind == TR_NAME_STATE;
  const char *key = state ? "rate" : "value";
  const tr_node *law = tr_node_find(node, key);
  if (!law) {
    tr_plan_fail(p, node, "\"%s\" is missing", key);
    return;
  }
  tr_equation_par *par = TR_NEW(p->arena, 1, tr_equation_par);
  tr_plan_joint *j = par ? tr_plan_push_joint(p) : NULL;
  if (!j) {
    tr_plan_no_memory(p);
    return;
  }
  *j = (tr_plan_joint){.name = name,
                       .place = tr_plan_place(p, node->key_place),
                       .type = &tr_joint_equation,
                       .par = par,
                       .markers = 1};
  j->marker[0] = 1 + known->index;
  par->scalar = p->plan->body[known->index].par;
  p->own_markers = 1, p->nextra = 0;
  p->subject.key = key;
  if (tr_plan_law(p, law, tr_joint_equation.fields, &par->law))
    tr_plan_settle_markers(p, tr_joint_equation.fields, par, j->marker, &j->markers);
  p->subject.key = NULL;
}
