// SPDX-License-Identifier: Apache-2.0
// Nodes of the description.
#include "tree.h"

#include <string.h>

tr_node *tr_node_new(tr_arena *ar, tr_node_kind kind, tr_place place) {
  tr_node *node = TR_NEW(ar, 1, tr_node);
  if (node) *node = (tr_node){.kind = kind, .place = place};
  return node;
}

void tr_node_append(tr_node *parent, tr_node *child) {
  if (parent->last)
    parent->last->next = child;
  else
    parent->first = child;
  parent->last = child;
  parent->count++;
}

tr_node *tr_node_find(const tr_node *map, const char *key) {
  if (!map || map->kind != TR_MAP) return NULL;
  for (tr_node *n = map->first; n; n = n->next)
    if (strcmp(n->key, key) == 0) return n;
  return NULL;
}

// Printable ASCII that starts harmlessly and holds neither ": " nor " #".
bool tr_text_is_plain(const char *text) {
  size_t n = strlen(text);
  if (n == 0) return true; // nothing at all: YAML's empty value
  if (n > 200 || text[n - 1] == ' ' || text[n - 1] == ':') return false;
  char c = text[0];
  bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  bool sign = (c == '-' || c == '.') && text[1] > ' ' && text[1] != c;
  if (!letter && !sign && c != '_' && c != '(' && c != '+') return false;
  for (size_t k = 0; k < n; k++) {
    if (text[k] < 32 || text[k] > 126) return false;
    if (text[k] == ':' && text[k + 1] == ' ') return false;
    if (text[k] == ' ' && text[k + 1] == '#') return false;
  }
  return true;
}
