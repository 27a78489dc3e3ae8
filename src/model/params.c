// SPDX-License-Identifier: Apache-2.0
// The parameters section: evaluated in the order of what depends on what, by a depth-first walk with
// its own stack. Also the scope of every expression: parameters, then what the repeats around it name.
#include <math.h>
#include <string.h>

#include "planner.h"

// ---- scope --------------------------------------------------------------------------------------

static const tr_planner *owner(const tr_scope *scope) {
  return (const tr_planner *)((const char *)scope - offsetof(tr_planner, scope));
}

static int find_slot(const tr_scope *scope, const char *name, size_t n) {
  const tr_planner *p = owner(scope);
  for (int k = p->nlocal - 1; k >= 0; k--)
    if (strlen(p->local[k]) == n && memcmp(p->local[k], name, n) == 0) return p->nparameter + k;
  tr_parameter *q = tr_table_find(&p->symbols, NULL, name, n);
  if (q) q->used = true;
  return q ? (int)(q - p->parameter) : -1;
}

// All names in scope, for hints; NULL when there are too many or memory is short.
static const char *const *list_names(const tr_scope *scope) {
  tr_planner *p = (tr_planner *)owner(scope);
  if (p->nparameter > 10000 || !tr_plan_wants_hints(p)) return NULL;
  int numbers = scope->law ? p->nnumber : 0; // states and variables
  const char **names = TR_NEW(&p->scratch, p->nparameter + p->nlocal + numbers + 2, const char *);
  int n = 0;
  for (int k = 0; names && k < numbers; k++) names[n++] = p->plan->body[p->first_number + k].name;
  for (int k = 0; names && k < p->nparameter; k++) names[n++] = p->parameter[k].node->key;
  for (int k = 0; names && k < p->nlocal; k++) names[n++] = p->local[k];
  if (names) names[n] = "pi";
  return names;
}

// ---- parameters ---------------------------------------------------------------------------------

static bool is_symbol(const char *s) {
  if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_", s[0]) || !s[0]) return false;
  return s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789")] == 0;
}

static void declare(tr_planner *p, const tr_node *node, tr_parameter *q) {
  p->subject = (tr_subject){.kind = "parameter", .name = node->key};
  tr_parameter *first = tr_table_find(&p->symbols, NULL, node->key, strlen(node->key));
  *q = (tr_parameter){.node = node, .state = 2};
  p->slots[q - p->parameter] = (tr_value){.kind = TR_BROKEN};
  if (!is_symbol(node->key)) {
    tr_plan_fail_key(p, node, "a name is letters, digits and _, and starts with no digit");
  } else if (tr_expr_is_reserved(node->key, strlen(node->key))) {
    tr_plan_fail_key(p, node, "this name is taken by a function or constant");
  } else if (first && first->node->place.line > 0) {
    tr_plan_fail_key(p, node, "given twice, first at line %d", first->node->key_place.line);
  } else if (first) {
    tr_plan_fail_key(p, node, "given twice");
  } else if (!tr_table_put(&p->symbols, NULL, node->key, strlen(node->key), q)) {
    tr_plan_no_memory(p);
  } else {
    q->state = 0;
  }
}

// After all are declared.
static void parse(tr_planner *p, tr_parameter *q) {
  const tr_node *node = q->node;
  tr_expr_error e;
  p->subject = (tr_subject){.kind = "parameter", .name = node->key};
  q->state = 2;
  if (node->kind != TR_SCALAR) {
    tr_plan_fail(p, node, "a number is expected, not a %s", node->kind == TR_LIST ? "list" : "map");
  } else if (!node->text[0]) {
    tr_plan_fail(p, node, "a value is missing");
  } else {
    q->expr = tr_expr_parse(&p->scratch, node->text, &p->scope, &e);
    if (q->expr)
      q->state = 0;
    else
      tr_plan_expr_error(p, node, node->text, 0, &e);
  }
}

// stack[from..n-1] is the cycle.
static void report_cycle(tr_planner *p, const int *stack, int from, int n) {
  tr_text text = {.al = p->arena->al};
  for (int k = from; k < n && k < from + 8; k++)
    tr_text_add(&text, "%.40s -> ", p->parameter[stack[k]].node->key);
  const tr_node *node = p->parameter[stack[from]].node;
  tr_text_add(&text, "%s%.40s", n > from + 8 ? "... -> " : "", node->key);
  p->subject = (tr_subject){.kind = "parameter", .name = node->key};
  if (text.failed)
    tr_plan_no_memory(p);
  else
    tr_plan_fail(p, node, "depends on itself: %s", text.data);
  tr_text_free(&text);
}

static void finish(tr_planner *p, int index) {
  tr_parameter *q = &p->parameter[index];
  tr_value v;
  tr_expr_error e;
  char shown[TR_SHOWN];
  q->state = 2;
  p->subject = (tr_subject){.kind = "parameter", .name = q->node->key};
  if (!tr_expr_eval(q->expr, p->slots, &v, &e)) {
    tr_plan_expr_error(p, q->node, q->node->text, 0, &e);
    return;
  }
  if (v.kind == TR_BROKEN) return;
  if (!isfinite(v.x)) {
    tr_plan_fail(p, q->node, "\"%s\" is not a finite number", tr_shown(q->node->text, shown));
    return;
  }
  if (v.kind == TR_PLAIN) v.kind = TR_UNKNOWN; // its use decides what it is
  p->slots[index] = v;
}

// Depth first from one parameter; stack has room for all.
static void resolve(tr_planner *p, int index, int *stack) {
  int n = 0;
  stack[n++] = index;
  p->parameter[index].state = 1;
  while (n > 0) {
    tr_parameter *q = &p->parameter[stack[n - 1]];
    int use = tr_expr_slot(q->expr, &q->next_use);
    if (use < 0) {
      finish(p, stack[--n]);
    } else if (p->parameter[use].state == 0) {
      p->parameter[use].state = 1;
      stack[n++] = use;
    } else if (p->parameter[use].state == 1) {
      int from = n - 1;
      while (stack[from] != use) from--;
      report_cycle(p, stack, from, n);
      for (int k = from; k < n; k++) p->parameter[stack[k]].state = 2; // broken, all of them
      n = from;
    }
  }
}

bool tr_plan_parameters(tr_planner *p, const tr_node *section) {
  p->scope = (tr_scope){.find = find_slot, .list = list_names};
  p->symbols.al = p->arena->al;
  p->subject = (tr_subject){.kind = "parameters"};
  bool empty = !section || (section->kind == TR_SCALAR && !section->text[0]);
  if (!empty && section->kind != TR_MAP) {
    tr_plan_fail(p, section, "a map of \"name: value\" is expected");
    p->incomplete = empty = true;
  }
  int count = empty ? 0 : section->count;
  p->slots = TR_NEW(&p->scratch, count + TR_MAX_LOCALS, tr_value);
  p->parameter = TR_NEW(&p->scratch, count, tr_parameter);
  int *stack = TR_NEW(&p->scratch, count, int);
  if (!p->slots || !p->parameter || !stack) return tr_plan_no_memory(p);
  for (const tr_node *k = empty ? NULL : section->first; k; k = k->next)
    declare(p, k, &p->parameter[p->nparameter++]);
  for (int k = 0; k < count; k++)
    if (p->parameter[k].state == 0) parse(p, &p->parameter[k]);
  for (int k = 0; k < count && !p->no_memory; k++)
    if (p->parameter[k].state == 0) resolve(p, k, stack);
  p->subject = (tr_subject){0};
  return !p->no_memory;
}
