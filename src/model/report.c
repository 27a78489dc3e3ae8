// SPDX-License-Identifier: Apache-2.0
// Messages: file:line:column: body "crank": mass: what is wrong (did you mean "..."?).
#include <stdio.h>
#include <string.h>

#include "planner.h"

enum { FEW = 40, LINE = 640 };

bool tr_plan_no_memory(tr_planner *p) {
  p->no_memory = true;
  return false;
}

tr_place tr_plan_place(const tr_planner *p, tr_place place) {
  if (place.file) place.file = p->file;
  return place;
}

static void report_at(tr_planner *p, tr_place place, const char *format, va_list args) {
  char line[LINE], name[TR_SHOWN], key[TR_SHOWN];
  size_t n = 0;
  const tr_subject *s = &p->subject;
  line[0] = 0;
  if (s->kind && s->name)
    n += (size_t)snprintf(line, LINE, "%s \"%s\": ", s->kind, tr_shown(s->name, name));
  else if (s->kind)
    n += (size_t)snprintf(line, LINE, "%s: ", s->kind);
  if (s->key) n += (size_t)snprintf(line + n, LINE - n, "%s: ", tr_shown(s->key, key));
  vsnprintf(line + n, LINE - n, format, args);
  tr_fail(p->error, TR_BAD_INPUT, &place, "%s", line);
}

// The first report of a node's value or of its key; later ones only count. Out of memory, what looks
// like a mistake may be none.
static bool is_first(tr_planner *p, const tr_node *node, bool key) {
  if (p->no_memory) return false;
  tr_cached *c = tr_plan_cached(p, node);
  p->failures++;
  bool *reported = !c ? NULL : key ? &c->key_reported : &c->reported;
  if (!reported || *reported) return false;
  *reported = true;
  return true;
}

bool tr_plan_fail(tr_planner *p, const tr_node *node, const char *format, ...) {
  if (!is_first(p, node, false)) return false;
  va_list args;
  va_start(args, format);
  report_at(p, node->place, format, args);
  va_end(args);
  return false;
}

bool tr_plan_fail_key(tr_planner *p, const tr_node *node, const char *format, ...) {
  if (!is_first(p, node, true)) return false;
  va_list args;
  va_start(args, format);
  report_at(p, node->key_place.line ? node->key_place : node->place, format, args);
  va_end(args);
  return false;
}

static void report(tr_planner *p, tr_place place, const char *format, ...) TR_PRINTF(3, 4);
static void report(tr_planner *p, tr_place place, const char *format, ...) {
  va_list args;
  va_start(args, format);
  report_at(p, place, format, args);
  va_end(args);
}

bool tr_plan_expr_error(tr_planner *p, const tr_node *node, const char *text, int offset,
                        const tr_expr_error *e) {
  if (e->no_memory) return tr_plan_no_memory(p);
  if (!is_first(p, node, false)) return false;
  char shown[TR_SHOWN];
  tr_place place = node->place;
  if (node->text_column > 0) place.column = node->text_column + offset + e->at;
  if (e->whole)
    report(p, place, "%s%s", e->text, e->hint);
  else
    report(p, place, "%s in \"%s\"%s", e->text, tr_shown(text, shown), e->hint);
  return false;
}

bool tr_plan_wants_hints(const tr_planner *p) { return p->error && p->error->count < FEW; }

const char *tr_plan_hint(const tr_planner *p, const char *word, const char *const *candidates,
                         char buffer[TR_HINT]) {
  buffer[0] = 0;
  return tr_plan_wants_hints(p) ? tr_hint(word, candidates, buffer) : buffer;
}

enum { KNOWN = 160 };

// " (known: a, b, c)"; nothing where they are too many for a line.
static const char *list_known(const char *const *names, char text[KNOWN]) {
  int n = snprintf(text, KNOWN, " (known: ");
  for (int i = 0; names[i] && n < KNOWN; i++)
    n += snprintf(text + n, (size_t)(KNOWN - n), "%s%s", i ? ", " : "", names[i]);
  if (n < KNOWN) n += snprintf(text + n, (size_t)(KNOWN - n), ")");
  if (n >= KNOWN || !names[0]) text[0] = 0;
  return text;
}

const tr_node *tr_plan_type(tr_planner *p, const tr_node *map) {
  static const tr_common_key type[] = {{"type", ""}, {0}};
  const tr_node *found = tr_node_find(map, "type");
  if (found) return found;
  for (const tr_node *k = map->first; k; k = k->next)
    if (strncmp(k->key, "type:", 5) == 0) return tr_plan_unknown_key(p, k, type, NULL), NULL;
  return tr_plan_fail(p, map, "type is missing"), NULL;
}

bool tr_plan_unknown_key(tr_planner *p, const tr_node *node, const tr_common_key *keys,
                         const tr_field *fields) {
  const char *candidates[2 * TR_MAX_FIELDS];
  int n = 0;
  for (; keys && keys->key; keys++) candidates[n++] = keys->key;
  for (; fields && fields->name && n < 2 * TR_MAX_FIELDS - 1; fields++)
    candidates[n++] = fields->name;
  candidates[n] = NULL;
  char near[TR_HINT], known[KNOWN], shown[TR_SHOWN];
  size_t length = strcspn(node->key, ":");
  for (int i = 0; node->key[length] && i < n; i++)
    if (strlen(candidates[i]) == length && strncmp(candidates[i], node->key, length) == 0)
      return tr_plan_fail_key(p, node, "unknown key \"%s\" (a blank must follow the colon)",
                              tr_shown(node->key, shown));
  const char *hint = tr_plan_hint(p, node->key, candidates, near);
  if (!hint[0] && tr_plan_wants_hints(p)) hint = list_known(candidates, known);
  return tr_plan_fail_key(p, node, "unknown key \"%s\"%s", tr_shown(node->key, shown), hint);
}
