// SPDX-License-Identifier: Apache-2.0
// The description as written: a tree of scalars, lists and maps with their places.
//
// (1) The tree is what was read or added, nothing evaluated; writer(reader(text)) is the same tree.
// (2) All nodes and texts live in the model's arena.
#ifndef TR_TREE_H
#define TR_TREE_H

#include "base/base.h"
#include "trammel/model.h"

typedef enum tr_node_kind { TR_SCALAR, TR_LIST, TR_MAP } tr_node_kind;

typedef struct tr_node tr_node;
struct tr_node {
  tr_node_kind kind;
  tr_place place;
  const char *text; // TR_SCALAR: the value's text
  bool quoted;      // TR_SCALAR: was written in quotes, so surely a text
  int text_column;  // TR_SCALAR: where text[0] stands if text is in the file as it is, else 0
  const char *key;  // of an entry in a map
  tr_place key_place;
  tr_node *first, *last, *next; // children; sibling
  int count;                    // children
  const tr_node *content;       // TR_SCALAR that names a file: what stands in it, or NULL
};

typedef struct tr_named_problem {
  const char *name;
  const tr_problem *problem;
  struct tr_named_problem *next;
} tr_named_problem;

struct tr_model {
  tr_arena arena;
  tr_node *root;      // TR_MAP
  const char *source; // file name for messages, or NULL
  tr_named_problem *problems, *last_problem;
};

tr_node *tr_node_new(tr_arena *ar, tr_node_kind kind, tr_place place); // NULL: out of memory
void tr_node_append(tr_node *parent, tr_node *child);
tr_node *tr_node_find(const tr_node *map, const char *key); // NULL: none

// A text that YAML reads back unchanged without quotes. What is not plain is kept as `quoted`.
bool tr_text_is_plain(const char *text);

// From a value as calls give it: "[a, {x: 1}]" is a list, "0.3" a scalar. NULL: error has the
// message, with `what` before it.
tr_node *tr_flow_parse(tr_arena *ar, const char *text, const char *what, tr_error *error);

#endif
