// SPDX-License-Identifier: Apache-2.0
// Values as calls give them: one scalar, or lists and maps in brackets, as in model files.
//
// Commas inside parentheses belong to the scalar, so that "[atan2(1, 2), 0]" is a list of two.
#include <stdio.h>
#include <string.h>

#include "tree.h"

enum { MAX_DEPTH = 16 };

typedef struct flow {
  tr_arena *arena;
  const char *at;
  const char *why; // NULL: fine so far, or out of memory
  int depth;
} flow;

static tr_node *parse_value(flow *f);

static char peek(flow *f) {
  while (*f->at == ' ' || *f->at == '\t' || *f->at == '\n' || *f->at == '\r') f->at++;
  return *f->at;
}

static tr_node *refuse(flow *f, const char *why) {
  f->why = why;
  return NULL;
}

// The end of a bare scalar: a separator outside of parentheses.
static const char *scalar_end(const char *s, bool key) {
  int open = 0;
  for (; *s; s++) {
    if (*s == '(') open++;
    if (*s == ')' && open > 0) open--;
    if (open == 0 && (*s == ',' || *s == ']' || *s == '}')) break;
    if (key && *s == ':') break;
  }
  return s;
}

static const char *parse_text(flow *f, bool key, bool *quoted) {
  char c = peek(f);
  const char *from = f->at, *end;
  *quoted = c == '"' || c == '\'';
  if (*quoted) {
    end = strchr(from + 1, c);
    if (!end) {
      f->why = "a quote is missing";
      return NULL;
    }
    f->at = end + 1;
    return tr_arena_text(f->arena, from + 1, (size_t)(end - from - 1));
  }
  end = scalar_end(from, key);
  f->at = end;
  while (end > from && (end[-1] == ' ' || end[-1] == '\t')) end--;
  if (end == from) {
    f->why = "a value is missing";
    return NULL;
  }
  return tr_arena_text(f->arena, from, (size_t)(end - from));
}

static tr_node *parse_scalar(flow *f) {
  bool quoted;
  const char *text = parse_text(f, false, &quoted);
  tr_node *node = text ? tr_node_new(f->arena, TR_SCALAR, (tr_place){0}) : NULL;
  if (!node) return NULL;
  node->text = text;
  node->quoted = quoted || !tr_text_is_plain(text);
  return node;
}

static tr_node *parse_collection(flow *f, tr_node_kind kind, char close) {
  tr_node *node = tr_node_new(f->arena, kind, (tr_place){0});
  if (!node) return NULL;
  if (++f->depth > MAX_DEPTH) return refuse(f, "nested too deeply");
  f->at++;
  while (peek(f) != close) {
    const char *key = NULL;
    if (kind == TR_MAP) {
      bool quoted;
      key = parse_text(f, true, &quoted);
      if (!key) return NULL;
      if (peek(f) != ':') return refuse(f, "a \":\" is missing");
      f->at++;
    }
    tr_node *child = parse_value(f);
    if (!child) return NULL;
    child->key = key;
    tr_node_append(node, child);
    if (peek(f) == ',')
      f->at++;
    else if (*f->at != close)
      return refuse(f, close == ']' ? "a \"]\" is missing" : "a \"}\" is missing");
  }
  f->at++;
  f->depth--;
  return node;
}

static tr_node *parse_value(flow *f) {
  char c = peek(f);
  if (c == '[') return parse_collection(f, TR_LIST, ']');
  if (c == '{') return parse_collection(f, TR_MAP, '}');
  return parse_scalar(f);
}

tr_node *tr_flow_parse(tr_arena *ar, const char *text, const char *what, tr_error *error) {
  flow f = {.arena = ar, .at = text};
  char c = peek(&f);
  tr_node *node;
  if (c == '[' || c == '{') {
    node = parse_value(&f);
    if (node && peek(&f) != 0) node = refuse(&f, "text after the closing bracket");
  } else {
    node = tr_node_new(ar, TR_SCALAR, (tr_place){0});
    if (node) node->text = tr_arena_text(ar, text, strlen(text));
    if (node && !node->text) node = NULL;
    if (node) node->quoted = !tr_text_is_plain(text);
  }
  if (!node && f.why)
    tr_fail(error, TR_BAD_INPUT, NULL, "%s: %s in \"%.100s\"", what, f.why, text);
  else if (!node)
    tr_no_memory(error);
  return node;
}
