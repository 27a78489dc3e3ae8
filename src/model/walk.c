// SPDX-License-Identifier: Apache-2.0
// Sections and repeat blocks unrolled, and the names of all elements.
//
// Every section is one walk over the whole description: bodies first, then markers, joints, forces,
// so that references may go forwards and backwards in the file.
#include <stdio.h>
#include <string.h>

#include "planner.h"

typedef struct walk {
  const char *section, *kind;
  tr_each each;
} walk;

static bool is_empty(const tr_node *node) {
  return !node || (node->kind == TR_SCALAR && !node->text[0] && !node->quoted);
}

// Counts iterations and elements; false once there are too many.
static bool count_one(tr_planner *p, const tr_node *node) {
  if (++p->made <= TR_MAX_ELEMENTS) return true;
  p->incomplete = true;
  if (p->made == TR_MAX_ELEMENTS + 1)
    tr_plan_fail(p, node, "the model has more than %d elements", TR_MAX_ELEMENTS);
  return false;
}

static void walk_section(tr_planner *p, const walk *w, const tr_node *section) {
  if (is_empty(section)) return;
  p->subject = (tr_subject){.kind = w->section};
  if (section->kind != TR_MAP) {
    p->incomplete = true;
    tr_plan_fail(p, section, "a map of \"name: {...}\" is expected");
    return;
  }
  for (const tr_node *k = section->first; k && !p->no_memory; k = k->next) {
    p->subject = (tr_subject){.kind = w->kind, .name = k->key};
    if (!count_one(p, k)) return;
    const char *name = tr_plan_key(p, k);
    if (!name) {
      p->incomplete = true;
      continue;
    }
    p->subject = (tr_subject){.kind = w->kind, .name = name};
    if (k->kind == TR_MAP) {
      w->each(p, k, name);
    } else {
      p->incomplete = true;
      tr_plan_fail(p, k, "a map {...} is expected");
    }
  }
}

// ---- repeat -------------------------------------------------------------------------------------

static void walk_repeat(tr_planner *p, const walk *w, const tr_node *list);

static void check_block_keys(tr_planner *p, const tr_node *block) {
  for (const tr_node *k = block->first; k; k = k->next) {
    const tr_common_key *key = tr_repeat_keys();
    while (key->key && strcmp(key->key, k->key) != 0) key++;
    const tr_section *s = tr_section_find(k->key);
    if (key->key || (s && s->in_repeat)) continue;
    tr_common_key all[20];
    int n = 0;
    for (key = tr_repeat_keys(); key->key; key++) all[n++] = *key;
    for (s = tr_sections(); s->key; s++)
      if (s->in_repeat) all[n++].key = s->key;
    all[n].key = NULL;
    tr_plan_unknown_key(p, k, all, NULL);
  }
}

// Why a name cannot be one of the block's, or NULL.
static const char *unfit(const tr_planner *p, const char *name, const char *missing) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  if (!name[0] || name[strspn(name, letters)] || (name[0] >= '0' && name[0] <= '9')) return missing;
  if (tr_expr_is_reserved(name, strlen(name)))
    return "this name is taken by a function or constant";
  if (p->scope.find(&p->scope, name, strlen(name)) >= 0)
    return "this name is taken by a parameter or an outer loop";
  return p->nlocal == TR_MAX_LOCALS ? "too many names in repeats inside each other" : NULL;
}

static const char *loop_variable(tr_planner *p, const tr_node *block) {
  const tr_node *node = tr_node_find(block, "for");
  if (!node) return tr_plan_fail(p, block, "\"for\" is missing"), NULL;
  const char *name = node->kind == TR_SCALAR ? node->text : "";
  const char *why = unfit(p, name, "the name of a loop variable is expected");
  p->subject.key = "for";
  if (why) tr_plan_fail(p, node, "%s", why);
  p->subject.key = NULL;
  return why ? NULL : name;
}

// The block's parameters as names in scope; they come after the loop's variable.
static bool declare_locals(tr_planner *p, const tr_node *section) {
  if (is_empty(section)) return true;
  if (section->kind != TR_MAP)
    return tr_plan_fail(p, section, "a map of \"name: value\" is expected");
  for (const tr_node *k = section->first; k; k = k->next) {
    const char *why = unfit(p, k->key, "a name is letters, digits and _, and starts with no digit");
    p->subject = (tr_subject){.kind = "parameter", .name = k->key};
    if (why) return tr_plan_fail_key(p, k, "%s", why);
    p->local[p->nlocal++] = k->key;
  }
  p->subject = (tr_subject){.kind = "repeat"};
  return true;
}

// Their values, one after the other: each may use those before it.
static bool set_locals(tr_planner *p, const tr_node *section, int first) {
  bool ok = true;
  p->nlocal = first;
  if (is_empty(section)) return true;
  for (const tr_node *k = section->first; k; k = k->next) {
    tr_value value = {.kind = TR_BROKEN};
    p->subject = (tr_subject){.kind = "parameter", .name = k->key};
    ok = tr_plan_value(p, k, &value) && ok;
    if (value.kind == TR_PLAIN) value.kind = TR_UNKNOWN;
    p->slots[p->nparameter + p->nlocal++] = value;
  }
  p->subject = (tr_subject){.kind = "repeat"};
  return ok;
}

static bool loop_bound(tr_planner *p, const tr_node *block, const char *key, long long *x) {
  const tr_node *node = tr_node_find(block, key);
  if (!node && strcmp(key, "from") == 0) return true;
  if (!node) return tr_plan_fail(p, block, "\"%s\" is missing", key);
  p->subject.key = key;
  bool ok = tr_plan_whole(p, node, x);
  p->subject.key = NULL;
  return ok;
}

static void walk_block(tr_planner *p, const walk *w, const tr_node *block) {
  long long from = 0, to = 0;
  p->subject = (tr_subject){.kind = "repeat"};
  if (block->kind != TR_MAP) {
    p->incomplete = true;
    tr_plan_fail(p, block, "a map {for: ..., from: ..., to: ..., ...} is expected");
    return;
  }
  check_block_keys(p, block);
  const char *name = loop_variable(p, block);
  bool ok = loop_bound(p, block, "from", &from);
  ok = loop_bound(p, block, "to", &to) && ok;
  if (p->loops == TR_MAX_LOOPS)
    ok = tr_plan_fail(p, block, "more than %d loops inside each other", TR_MAX_LOOPS);
  if (!ok || !name) {
    p->incomplete = true;
    return;
  }
  int slot = p->nlocal;
  p->local[p->nlocal++] = p->loop[p->loops++] = name;
  const tr_node *parameters = tr_node_find(block, "parameters");
  const tr_node *section = tr_node_find(block, w->section), *inner = tr_node_find(block, "repeat");
  if (!declare_locals(p, parameters)) p->incomplete = true, to = from - 1;
  for (long long i = from; i <= to && !p->no_memory; i++) {
    p->subject = (tr_subject){.kind = "repeat"};
    if (!count_one(p, block)) break;
    p->slots[p->nparameter + slot] = (tr_value){.x = (double)i, .kind = TR_UNKNOWN};
    if (!set_locals(p, parameters, slot + 1)) p->incomplete = true;
    walk_section(p, w, section);
    walk_repeat(p, w, inner);
  }
  p->loops--, p->nlocal = slot;
}

static void walk_repeat(tr_planner *p, const walk *w, const tr_node *list) {
  if (is_empty(list)) return;
  p->subject = (tr_subject){.kind = "repeat"};
  if (list->kind != TR_LIST) {
    p->incomplete = true;
    tr_plan_fail(p, list, "a list of blocks is expected");
    return;
  }
  for (const tr_node *k = list->first; k && !p->no_memory; k = k->next) walk_block(p, w, k);
}

void tr_plan_walk(tr_planner *p, const char *section, tr_each each) {
  walk w = {section, tr_section_find(section)->kind, each};
  if (p->made > TR_MAX_ELEMENTS) return; // an earlier walk was already too long
  p->made = 0;
  walk_section(p, &w, tr_node_find(p->model->root, section));
  walk_repeat(p, &w, tr_node_find(p->model->root, "repeat"));
  p->subject = (tr_subject){0};
}

// ---- names --------------------------------------------------------------------------------------

static const char *kind_word(tr_name_kind kind) {
  static const char *const words[] = {"body",    "marker", "joint",    "force",
                                      "problem", "state",  "variable", ""};
  return words[kind];
}

static bool is_name(const char *s) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789-";
  return s[0] && s[0] != '-' && !(s[0] >= '0' && s[0] <= '9') && s[strspn(s, letters)] == 0;
}

const tr_name *tr_plan_find_name(const tr_planner *p, const char *name) {
  return tr_table_find(&p->names, NULL, name, strlen(name));
}

static bool report_taken(tr_planner *p, const tr_node *node, const tr_name *first) {
  p->incomplete = true;
  if (first->place.line > 0 && first->place.line == node->key_place.line &&
      first->place.column == node->key_place.column)
    return tr_plan_fail_key(p, node, "the repeat makes this name again; put {%s} into it",
                            p->loops ? p->loop[p->loops - 1] : "");
  if (first->kind == TR_NAME_RESERVED) return tr_plan_fail_key(p, node, "this name is reserved");
  if (first->place.line > 0)
    return tr_plan_fail_key(p, node, "this name is already used by the %s at line %d",
                            kind_word(first->kind), first->place.line);
  return tr_plan_fail_key(p, node, "this name is already used by a %s", kind_word(first->kind));
}

bool tr_plan_name(tr_planner *p, const tr_node *node, const char *name, tr_name_kind kind,
                  int index) {
  const tr_name *first = tr_plan_find_name(p, name);
  if (first) return report_taken(p, node, first);
  if (!is_name(name)) {
    p->incomplete = true;
    return tr_plan_fail_key(p, node,
                            "a name is letters, digits, _ and -, and starts with a letter or _");
  }
  tr_name *n = TR_NEW(&p->scratch, 1, tr_name);
  if (!n || !tr_table_put(&p->names, NULL, name, strlen(name), n)) return tr_plan_no_memory(p);
  *n = (tr_name){.text = name, .kind = kind, .index = index, .place = node->key_place};
  if (p->last_name)
    p->last_name->next = n;
  else
    p->first_name = n;
  p->last_name = n;
  return true;
}
