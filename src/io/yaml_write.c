// SPDX-License-Identifier: Apache-2.0
// The tree of a model as YAML: short lists and maps of scalars in one line, the rest as blocks.
//
// Reading the text gives the same tree: what the tree holds as quoted is quoted here, and only what
// is surely plain is not.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/tree.h"

enum { WIDTH = 90 };

// ---- scalars ------------------------------------------------------------------------------------

// A character that must be escaped inside double quotes: its code and length, or 0.
static unsigned special(const unsigned char *s, int *length) {
  *length = 1;
  if (s[0] < 32 || s[0] == 127 || s[0] == '"' || s[0] == '\\') return s[0];
  if (s[0] == 0xC2 && (s[1] & 0xE0) == 0x80) { // U+0080 .. U+009F: control characters
    *length = 2;
    return 0x80u + (s[1] & 0x1Fu);
  }
  if (s[0] == 0xC2 && s[1] == 0xA0) {
    *length = 2;
    return 0xA0;
  }
  bool three = s[0] >= 0xE0 && s[0] < 0xF0 && s[1] && s[2];
  unsigned code = three ? (s[0] & 15u) << 12 | (s[1] & 63u) << 6 | (s[2] & 63u) : 0;
  *length = 3;
  if (code == 0x2028 || code == 0x2029 || code == 0xFEFF || code >= 0xFFFE) return code;
  *length = 1;
  return 0;
}

static void write_quoted(tr_text *out, const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  tr_text_add(out, "\"");
  while (*s) {
    int n;
    unsigned code = special(s, &n);
    if (code == 0) {
      // A run of ordinary characters at once.
      const unsigned char *from = s;
      do s++;
      while (*s && special(s, &n) == 0);
      tr_text_add(out, "%.*s", (int)(s - from), (const char *)from);
      continue;
    }
    if (code == '"' || code == '\\')
      tr_text_add(out, "\\%c", (int)code);
    else if (code == '\n')
      tr_text_add(out, "\\n");
    else if (code == '\t')
      tr_text_add(out, "\\t");
    else
      tr_text_add(out, code < 256 ? "\\x%02x" : "\\u%04x", code);
    s += n;
  }
  tr_text_add(out, "\"");
}

// Inside brackets commas and brackets need quotes too.
static bool plain_in_flow(const char *text) { return text[0] && !text[strcspn(text, ",[]{}:#")]; }

static void write_scalar(tr_text *out, const tr_node *node) {
  if (node->quoted)
    write_quoted(out, node->text);
  else
    tr_text_add(out, "%s", node->text);
}

static void write_key(tr_text *out, const char *key) {
  if (key[0] && tr_text_is_plain(key) && !strchr(key, ':'))
    tr_text_add(out, "%s:", key);
  else {
    write_quoted(out, key);
    tr_text_add(out, ":");
  }
}

// ---- collections --------------------------------------------------------------------------------

// Width of a node in one line, or more than WIDTH if it needs a block.
static size_t flow_width(const tr_node *node) {
  if (node->kind == TR_SCALAR)
    return node->quoted                ? 2 * strlen(node->text) + 2
           : plain_in_flow(node->text) ? strlen(node->text)
                                       : WIDTH + 1;
  size_t width = 2;
  for (const tr_node *k = node->first; k && width <= WIDTH; k = k->next) {
    if (k->key && !(plain_in_flow(k->key) && tr_text_is_plain(k->key))) return WIDTH + 1;
    width += flow_width(k) + (k->key ? strlen(k->key) + 2 : 0) + 2;
  }
  return width;
}

static void write_flow(tr_text *out, const tr_node *node) {
  if (node->kind == TR_SCALAR) {
    write_scalar(out, node);
    return;
  }
  tr_text_add(out, node->kind == TR_MAP ? "{" : "[");
  for (const tr_node *k = node->first; k; k = k->next) {
    if (k != node->first) tr_text_add(out, ", ");
    if (k->key) tr_text_add(out, "%s: ", k->key);
    write_flow(out, k);
  }
  tr_text_add(out, node->kind == TR_MAP ? "}" : "]");
}

static void write_block(tr_text *out, const tr_node *node, int indent);

// The value after "key:" or "-".
static void write_value(tr_text *out, const tr_node *node, int indent, bool element) {
  if (node->kind == TR_SCALAR) {
    if (node->quoted || node->text[0]) tr_text_add(out, " ");
    write_scalar(out, node);
    tr_text_add(out, "\n");
  } else if (!node->first || (element && flow_width(node) + (size_t)indent <= WIDTH)) {
    tr_text_add(out, " ");
    write_flow(out, node);
    tr_text_add(out, "\n");
  } else {
    tr_text_add(out, "\n");
    write_block(out, node, indent);
  }
}

static void write_block(tr_text *out, const tr_node *node, int indent) {
  for (const tr_node *k = node->first; k; k = k->next) {
    if (node->kind == TR_MAP) {
      tr_text_add(out, "%*s", indent, "");
      write_key(out, k->key);
    } else if (k->kind == TR_MAP && k->first && flow_width(k) + (size_t)indent > WIDTH) {
      // The first key of a map in a list stands beside its dash.
      size_t at = out->size + (size_t)indent;
      write_block(out, k, indent + 2);
      if (!out->failed) out->data[at] = '-';
      continue;
    } else {
      tr_text_add(out, "%*s-", indent, "");
    }
    // Sections stay blocks; what is in them goes into one line where it fits.
    write_value(out, k, indent + 2, indent > 0 || k->kind == TR_LIST);
  }
}

// ---- models -------------------------------------------------------------------------------------

static tr_status write_model(const tr_model *model, tr_text *out, tr_error *error) {
  if (model->problems)
    return tr_fail(error, TR_BAD_INPUT, NULL,
                   "problem \"%.60s\": functions cannot be written to a file",
                   model->problems->name);
  write_block(out, model->root, 0);
  if (!model->root->first) tr_text_add(out, "{}\n");
  return out->failed ? tr_no_memory(error) : TR_OK;
}

tr_status tr_model_write_text(const tr_model *model, char **text, size_t *size, tr_error *error) {
  tr_text out = {.al = model->arena.al};
  tr_status status = write_model(model, &out, error);
  *text = NULL;
  *size = 0;
  if (status != TR_OK) {
    tr_text_free(&out);
    return status;
  }
  *text = out.data;
  *size = out.size;
  return TR_OK;
}

tr_status tr_model_write_file(const tr_model *model, const char *path, tr_error *error) {
  char *text;
  size_t size;
  TR_TRY(tr_model_write_text(model, &text, &size, error));
  tr_status status = TR_OK;
  FILE *file = fopen(path, "wb");
  bool ok = file && fwrite(text, 1, size, file) == size;
  if (file && fclose(file) != 0) ok = false;
  if (!ok)
    status =
        tr_fail(error, TR_BAD_FILE, NULL, "%.200s: cannot be written: %s", path, strerror(errno));
  tr_model_release(model, text);
  return status;
}
