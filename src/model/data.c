// SPDX-License-Identifier: Apache-2.0
// The data section: curves through points, `name: {x: [..], y: [..], kind: cubic}`, used as name(x).
#include <math.h>
#include <string.h>

#include "planner.h"

static bool is_symbol(const char *s) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  return s[0] && !(s[0] >= '0' && s[0] <= '9') && s[strspn(s, letters)] == 0;
}

// A list of numbers of one kind: their unit goes to *unit.
static double *read_list(tr_planner *p, const tr_node *node, tr_value *unit) {
  if (node->kind != TR_LIST || node->count < 2)
    return tr_plan_fail(p, node, "a list of at least 2 numbers is expected"), NULL;
  double *x = TR_NEW(p->arena, node->count, double);
  if (!x) return tr_plan_no_memory(p), NULL;
  bool ok = true;
  int n = 0;
  *unit = (tr_value){.kind = TR_UNKNOWN};
  for (const tr_node *k = node->first; k; k = k->next) {
    tr_value v;
    if (!tr_plan_value(p, k, &v)) {
      ok = false;
      continue;
    }
    x[n++] = v.x;
    if (v.kind != TR_KNOWN) continue;
    if (unit->kind == TR_KNOWN && !tr_dim_agree(unit->dim, v.dim))
      ok = tr_plan_fail(p, k, "its unit is not that of the others");
    *unit = (tr_value){.kind = TR_KNOWN, .dim = v.dim};
  }
  return ok ? x : NULL;
}

static bool read_kind(tr_planner *p, const tr_node *node, bool *linear) {
  static const char *const kinds[] = {"cubic", "linear", NULL};
  char hint[TR_HINT], shown[TR_SHOWN];
  *linear = false;
  if (!node) return true;
  const char *text = node->kind == TR_SCALAR ? node->text : "";
  *linear = strcmp(text, "linear") == 0;
  if (*linear || strcmp(text, "cubic") == 0) return true;
  tr_plan_hint(p, text, kinds, hint);
  return tr_plan_fail(p, node, "unknown choice \"%s\"%s", tr_shown(text, shown), hint);
}

static bool check_order(tr_planner *p, const tr_node *list, int n, const double *x) {
  const tr_node *k = list->first;
  for (int i = 1; i < n; i++) {
    k = k->next;
    if (!(x[i] > x[i - 1]))
      return tr_plan_fail(p, k, "must increase, is %g after %g", x[i], x[i - 1]);
  }
  return true;
}

static void read_curve(tr_planner *p, const tr_node *node, tr_plan_curve *c) {
  const tr_node *list[2] = {tr_node_find(node, "x"), tr_node_find(node, "y")};
  bool linear, ok = true;
  for (const tr_node *k = node->first; k; k = k->next) {
    const tr_common_key *key = tr_curve_keys();
    while (key->key && strcmp(key->key, k->key) != 0) key++;
    if (!key->key) ok = tr_plan_unknown_key(p, k, tr_curve_keys(), NULL);
  }
  double *x = NULL, *y = NULL;
  for (int i = 0; i < 2; i++)
    if (!list[i]) ok = tr_plan_fail(p, node, "%s is missing", i ? "y" : "x");
  p->subject.key = "kind";
  ok = read_kind(p, tr_node_find(node, "kind"), &linear) && ok;
  p->subject.key = "x";
  if (list[0]) x = read_list(p, list[0], &c->x);
  if (x) ok = check_order(p, list[0], list[0]->count, x) && ok;
  p->subject.key = "y";
  if (list[1]) y = read_list(p, list[1], &c->y);
  if (x && y && list[0]->count != list[1]->count)
    ok = tr_plan_fail(p, list[1], "has %d numbers, x has %d", list[1]->count, list[0]->count);
  p->subject.key = NULL;
  if (!ok || !x || !y) return;
  int n = list[0]->count;
  double *m = linear ? NULL : TR_NEW(p->arena, n, double);
  double *work = linear ? NULL : TR_NEW(&p->scratch, n, double);
  if (!linear && (!m || !work)) {
    tr_plan_no_memory(p);
    return;
  }
  if (m) spline_curvature(n, x, y, m, work);
  c->spline = (tr_spline){.n = n, .x = x, .y = y, .m = m};
}

void tr_plan_data(tr_planner *p, const tr_node *section) {
  if (!section || (section->kind == TR_SCALAR && !section->text[0])) return;
  p->subject = (tr_subject){.kind = "data"};
  if (section->kind != TR_MAP) {
    tr_plan_fail(p, section, "a map of \"name: {x: [...], y: [...]}\" is expected");
    return;
  }
  // in the plan's arena: laws point to the splines
  p->curve = TR_NEW(p->arena, section->count, tr_plan_curve);
  if (!p->curve) {
    tr_plan_no_memory(p);
    return;
  }
  for (const tr_node *k = section->first; k && !p->no_memory; k = k->next) {
    size_t n = strlen(k->key);
    tr_plan_curve *c = &p->curve[p->ncurve++];
    *c = (tr_plan_curve){.node = k};
    p->subject = (tr_subject){.kind = "curve", .name = k->key};
    if (!is_symbol(k->key))
      tr_plan_fail_key(p, k, "a name is letters, digits and _, and starts with no digit");
    else if (tr_expr_is_reserved(k->key, n) || tr_expr_is_measure(k->key, n))
      tr_plan_fail_key(p, k, "this name is taken by a function or constant");
    else if (k->kind != TR_MAP)
      tr_plan_fail(p, k, "a map {x: [...], y: [...]} is expected");
    else
      read_curve(p, k, c);
  }
  p->subject = (tr_subject){0};
}
