// SPDX-License-Identifier: Apache-2.0
// Scalars of the tree to numbers, and names with {expressions} to texts.
//
// Inside repeats an expression is parsed once per node and kept; outside it is used once and its
// memory goes back at once, so that large files without repeats stay small.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "planner.h"

tr_cached *tr_plan_cached(tr_planner *p, const tr_node *node) {
  tr_cached *c = tr_table_find(&p->cache, node, "", 0);
  if (c) return c;
  c = TR_NEW(&p->scratch, 1, tr_cached);
  if (!c || !tr_table_put(&p->cache, node, "", 0, c)) {
    tr_plan_no_memory(p);
    return NULL;
  }
  return c;
}

// ---- numbers ------------------------------------------------------------------------------------

static const char *kind_text(const tr_node *node) {
  return node->kind == TR_LIST ? "a list" : "a map";
}

static bool evaluate(tr_planner *p, const tr_node *node, tr_value *value) {
  tr_expr_error e;
  const tr_expr *expr = NULL;
  tr_cached *c = p->loops > 0 ? tr_plan_cached(p, node) : NULL;
  if (p->no_memory || (c && c->reported)) return false;
  if (c) expr = c->expr;
  if (!expr) expr = tr_expr_parse(c ? &p->scratch : &p->brief, node->text, &p->scope, &e);
  if (c) c->expr = expr;
  if (expr && !tr_plan_check_still(p, node, expr)) return false;
  bool ok = expr && tr_expr_eval(expr, p->slots, value, &e);
  if (!c) tr_arena_free(&p->brief);
  return ok || tr_plan_expr_error(p, node, node->text, 0, &e);
}

bool tr_plan_value(tr_planner *p, const tr_node *node, tr_value *value) {
  if (node->kind != TR_SCALAR)
    return tr_plan_fail(p, node, "a number is expected, not %s", kind_text(node));
  if (!node->text[0]) return tr_plan_fail(p, node, "a value is missing");
  double x;
  size_t n = tr_number_scan(node->text, &x); // most scalars are just that
  if (n > 0 && node->text[n] == 0)
    *value = (tr_value){.x = x, .kind = TR_PLAIN};
  else if (!evaluate(p, node, value))
    return false;
  if (value->kind == TR_BROKEN) return false;
  char shown[TR_SHOWN];
  if (!isfinite(value->x))
    return tr_plan_fail(p, node, "\"%s\" is not a finite number", tr_shown(node->text, shown));
  return true;
}

bool tr_plan_number(tr_planner *p, const tr_node *node, tr_quantity quantity, double *x) {
  tr_value value;
  char why[TR_EXPR_TEXT], shown[TR_SHOWN];
  if (!tr_plan_value(p, node, &value)) return false;
  if (!tr_value_fits(value, quantity, why))
    return tr_plan_fail(p, node, "\"%s\" %s", tr_shown(node->text, shown), why);
  *x = value.x;
  return true;
}

bool tr_plan_whole(tr_planner *p, const tr_node *node, long long *x) {
  double value;
  if (!tr_plan_number(p, node, TR_NUMBER, &value)) return false;
  double whole = round(value);
  if (fabs(value - whole) > 1e-9 * fmax(1, fabs(whole)) || fabs(whole) > 1e15)
    return tr_plan_fail(p, node, "must be a whole number, is %g", value);
  *x = (long long)whole;
  return true;
}

bool tr_plan_numbers(tr_planner *p, const tr_node *node, tr_quantity quantity, int least, int most,
                     double *x, int *n) {
  if (node->kind != TR_LIST || node->count < least || node->count > most) {
    if (least == most) return tr_plan_fail(p, node, "a list of %d numbers is expected", least);
    return tr_plan_fail(p, node, "a list of %d or %d numbers is expected", least, most);
  }
  bool ok = true;
  *n = 0;
  for (const tr_node *k = node->first; k; k = k->next)
    ok = tr_plan_number(p, k, quantity, &x[(*n)++]) && ok;
  return ok;
}

// ---- templates ----------------------------------------------------------------------------------

typedef struct tr_template {
  const char *before; // literal text, then
  size_t n;
  const tr_expr *expr; // an expression, NULL at the end
  const char *text;    // of the expression
  int offset;          // of the expression
  struct tr_template *next;
} tr_template;

// A name being made: the node's key or its text.
typedef struct naming {
  tr_planner *p;
  const tr_node *node;
  bool key;
  int base; // of the text within the node's
} naming;

static void *refuse(const naming *m, const char *text, int offset, const tr_expr_error *e) {
  char shown[TR_SHOWN];
  if (e->no_memory)
    tr_plan_no_memory(m->p);
  else if (!m->key)
    tr_plan_expr_error(m->p, m->node, text, m->base + offset, e);
  else
    tr_plan_fail_key(m->p, m->node, "%s in \"%s\"%s", e->text, tr_shown(text, shown), e->hint);
  return NULL;
}

static const tr_template *parse_template(const naming *m, const char *text) {
  tr_arena *arena = &m->p->scratch;
  tr_template *first = NULL, *last = NULL;
  tr_expr_error e = {.no_memory = true};
  for (const char *s = text;;) {
    tr_template *t = TR_NEW(arena, 1, tr_template);
    if (!t) return refuse(m, text, 0, &e);
    const char *open = strchr(s, '{'), *close = open ? strchr(open, '}') : NULL;
    *t = (tr_template){.before = s, .n = open ? (size_t)(open - s) : strlen(s)};
    if (last)
      last->next = t;
    else
      first = t;
    last = t;
    if (!open) return first;
    if (!close) {
      e = (tr_expr_error){.at = (int)(open - text), .text = "\"{\" without \"}\""};
      return refuse(m, text, 0, &e);
    }
    t->text = tr_arena_text(arena, open + 1, (size_t)(close - open - 1));
    if (!t->text) return refuse(m, text, 0, &e);
    t->offset = (int)(open + 1 - text);
    t->expr = tr_expr_parse(arena, t->text, &m->p->scope, &e);
    if (!t->expr) return refuse(m, t->text, t->offset, &e);
    e = (tr_expr_error){.no_memory = true};
    s = close + 1;
  }
}

static const char *expand(const naming *m, const tr_template *t) {
  char out[256];
  size_t n = 0;
  tr_expr_error e = {0};
  for (; t; t = t->next) {
    if (n + t->n + 24 > sizeof out) {
      snprintf(e.text, sizeof e.text, "the name is too long");
      return refuse(m, m->key ? m->node->key : m->node->text, 0, &e);
    }
    memcpy(out + n, t->before, t->n);
    n += t->n;
    if (!t->expr) break;
    tr_value v;
    if (!tr_expr_eval(t->expr, m->p->slots, &v, &e)) return refuse(m, t->text, t->offset, &e);
    if (v.kind == TR_BROKEN) return NULL;
    double whole = round(v.x);
    if (!(fabs(v.x - whole) <= 1e-9 * fmax(1, fabs(whole)) && fabs(whole) < 1e15)) {
      snprintf(e.text, sizeof e.text, "a whole number is expected, not %g,", v.x);
      return refuse(m, t->text, t->offset, &e);
    }
    n += (size_t)snprintf(out + n, sizeof out - n, "%lld", (long long)whole);
  }
  const char *text = tr_arena_text(m->p->arena, out, n);
  if (!text) tr_plan_no_memory(m->p);
  return text;
}

static const char *expanded(tr_planner *p, const tr_node *node, const char *text, bool key) {
  if (!strchr(text, '{')) {
    const char *copy = tr_arena_text(p->arena, text, strlen(text));
    if (!copy) tr_plan_no_memory(p);
    return copy;
  }
  tr_cached *c = tr_plan_cached(p, node);
  if (!c || (key ? c->key_reported : c->reported)) return NULL;
  naming m = {p, node, key, 0};
  const tr_template **t = key ? &c->key : &c->text;
  if (!*t) *t = parse_template(&m, text);
  return *t ? expand(&m, *t) : NULL;
}

const char *tr_plan_key(tr_planner *p, const tr_node *node) {
  return expanded(p, node, node->key, true);
}

const char *tr_plan_text(tr_planner *p, const tr_node *node) {
  if (node->kind != TR_SCALAR)
    return tr_plan_fail(p, node, "a text is expected, not %s", kind_text(node)), NULL;
  if (!node->text[0]) return tr_plan_fail(p, node, "a value is missing"), NULL;
  return expanded(p, node, node->text, false);
}

const char *tr_plan_text_part(tr_planner *p, const tr_node *node, int at, int n) {
  const char *text = tr_arena_text(&p->scratch, node->text + at, (size_t)n);
  if (!text) tr_plan_no_memory(p);
  if (!text || !strchr(text, '{')) return text;
  naming m = {p, node, false, at};
  const tr_template *t = parse_template(&m, text);
  return t ? expand(&m, t) : NULL;
}
