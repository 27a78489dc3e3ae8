// SPDX-License-Identifier: Apache-2.0
// One YAML 1.2 document to the tree of a model, by libfyaml's events.
//
// (1) Anchors and aliases work by copying, up to a limit; merge keys and tags are refused.
// (2) Duplicate keys are found here, so that the message can name both places.
// (3) Nothing reaches the screen: libfyaml's complaints are collected and become messages of ours.
// (4) On any failure the model is left empty.
#include <errno.h>
#include <libfyaml.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "io/brackets.h"
#include "model/expr.h"
#include "model/sections.h"
#include "model/table.h"
#include "model/tree.h"

enum { MAX_DEPTH = 60, MAX_COPIES = 200000, MAX_KEY = 250, MAX_SYNTAX_ERRORS = 5 };

// A list or map being read.
typedef struct frame {
  tr_node *node;
  const char *key; // of the entry to come, or NULL
  tr_place key_place;
  const char *anchor;  // of the collection, or NULL
  const char *bracket; // in the text, that it began with, or NULL
  bool dropped;        // the entry to come repeats a key
} frame;

typedef struct reader {
  tr_model *model;
  const char *text; // the document
  size_t size;
  tr_error *error;
  int failures, documents;
  bool no_memory, stop;
  tr_node *root;
  frame stack[MAX_DEPTH];
  int depth;
  tr_table keys;    // (map, key) -> node
  tr_table anchors; // name -> node
  int copies;
} reader;

static bool fail(reader *r, tr_place place, const char *format, ...) TR_PRINTF(3, 4);
static bool fail(reader *r, tr_place place, const char *format, ...) {
  char line[512];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  tr_fail(r->error, TR_BAD_INPUT, &place, "%s", line);
  r->failures++;
  return false;
}

static bool no_memory(reader *r) {
  r->no_memory = r->stop = true;
  return false;
}

static tr_place token_place(const reader *r, struct fy_token *token) {
  const struct fy_mark *m = token ? fy_token_start_mark(token) : NULL;
  return m ? (tr_place){r->model->source, m->line + 1, m->column + 1}
           : (tr_place){.file = r->model->source};
}

static const char *token_text(reader *r, struct fy_token *token, size_t *n) {
  const char *text = token ? fy_token_get_text(token, n) : "";
  if (!token) *n = 0;
  if (!text) return no_memory(r), NULL;
  const char *copy = tr_arena_text(&r->model->arena, text, *n);
  return copy ? copy : (no_memory(r), NULL);
}

// ---- placing a node -----------------------------------------------------------------------------

// `body "crank": ` for messages about a place deep in the document, or "".
static void subject(const reader *r, char out[96]) {
  out[0] = 0;
  for (int k = r->depth - 1; k > 0; k--) {
    const tr_section *s = r->stack[k - 1].key ? tr_section_find(r->stack[k - 1].key) : NULL;
    if (!s || !s->kind || !r->stack[k].key) continue;
    char shown[TR_SHOWN];
    snprintf(out, 96, "%s \"%s\": ", s->kind, tr_shown(r->stack[k].key, shown));
    return;
  }
}

static bool report_twice(reader *r, const char *key, tr_place place, const tr_node *first) {
  char about[96], shown[TR_SHOWN];
  frame *f = &r->stack[r->depth - 1];
  const char *kept = f->key;
  f->key = NULL; // the message is about what holds the key
  subject(r, about);
  f->key = kept;
  const tr_section *s = r->depth > 1 && r->stack[r->depth - 2].key
                            ? tr_section_find(r->stack[r->depth - 2].key)
                            : NULL;
  const char *what = s && s->kind && !about[0] ? s->kind : "key";
  return fail(r, place, "%s%s \"%s\" is given twice, first at line %d", about, what,
              tr_shown(key, shown), first->key_place.line);
}

static bool take_key(reader *r, const char *key, size_t n, tr_place place) {
  frame *f = &r->stack[r->depth - 1];
  f->key = key;
  f->key_place = place;
  f->dropped = true;
  if (n != strlen(key)) return fail(r, place, "a key holds a zero byte");
  if (n > MAX_KEY) return fail(r, place, "a key is longer than %d letters", MAX_KEY);
  if (strcmp(key, "<<") == 0) return fail(r, place, "merge keys (<<) are not supported");
  tr_node *first = tr_table_find(&r->keys, f->node, key, n);
  if (first) return report_twice(r, key, place, first);
  f->dropped = false;
  return true;
}

// Puts a finished or just opened node where it belongs.
static bool attach(reader *r, tr_node *node) {
  if (r->depth == 0) {
    r->root = node;
    return true;
  }
  frame *f = &r->stack[r->depth - 1];
  if (f->node->kind == TR_LIST) {
    tr_node_append(f->node, node);
    return true;
  }
  node->key = f->key;
  node->key_place = f->key_place;
  if (!f->dropped) {
    tr_node_append(f->node, node);
    if (!tr_table_put(&r->keys, f->node, f->key, strlen(f->key), node)) return no_memory(r);
  }
  return true;
}

// After a value in a map a key comes next.
static void next_entry(reader *r) {
  if (r->depth > 0) r->stack[r->depth - 1].key = NULL;
}

static bool key_expected(const reader *r) {
  return r->depth > 0 && r->stack[r->depth - 1].node->kind == TR_MAP && !r->stack[r->depth - 1].key;
}

// ---- aliases ------------------------------------------------------------------------------------

static bool set_anchor(reader *r, const char *name, tr_node *node) {
  if (!name) return true;
  return tr_table_put(&r->anchors, NULL, name, strlen(name), node) || no_memory(r);
}

static tr_node *copy_node(reader *r, const tr_node *from, int depth, tr_place place) {
  if (++r->copies > MAX_COPIES || depth > MAX_DEPTH) {
    fail(r, place, depth > MAX_DEPTH ? "nested too deeply" : "aliases make the document too large");
    r->stop = true;
    return NULL;
  }
  tr_node *to = tr_node_new(&r->model->arena, from->kind, from->place);
  if (!to) return no_memory(r), NULL;
  to->text = from->text;
  to->quoted = from->quoted;
  to->text_column = from->text_column;
  for (const tr_node *k = from->first; k; k = k->next) {
    tr_node *child = copy_node(r, k, depth + 1, place);
    if (!child) return NULL;
    child->key = k->key;
    child->key_place = k->key_place;
    tr_node_append(to, child);
  }
  return to;
}

static bool on_alias(reader *r, struct fy_event *e) {
  size_t n;
  tr_place place = token_place(r, e->alias.anchor);
  const char *name = token_text(r, e->alias.anchor, &n);
  char shown[TR_SHOWN];
  if (!name) return false;
  if (key_expected(r)) return fail(r, place, "a key must be a text");
  tr_node *from = tr_table_find(&r->anchors, NULL, name, n);
  tr_node *node = NULL;
  if (from)
    node = copy_node(r, from, r->depth, place);
  else
    fail(r, place, "unknown alias \"*%s\"", tr_shown(name, shown));
  bool ok = node && attach(r, node);
  next_entry(r);
  return ok;
}

// ---- values -------------------------------------------------------------------------------------

static bool check_tag(reader *r, struct fy_token *tag) {
  if (!tag) return true;
  return fail(r, token_place(r, tag), "tags (!...) are not supported");
}

// The column of the text's first letter if the text stands in the file as it is, else 0.
static int text_column(struct fy_token *token, size_t n) {
  const struct fy_mark *from = token ? fy_token_start_mark(token) : NULL;
  const struct fy_mark *to = token ? fy_token_end_mark(token) : NULL;
  if (!from || !to || from->line != to->line) return 0;
  return (size_t)(to->column - from->column) == n ? from->column + 1 : 0;
}

// Indent of the first line with text at or after a place, or a large number if there is none.
static int next_indent(const reader *r, size_t at) {
  int indent = 0;
  for (; at < r->size; at++) {
    if (r->text[at] == ' ')
      indent++;
    else if (r->text[at] == '\n' || r->text[at] == '\r')
      indent = 0;
    else
      return indent;
  }
  return 1 << 20;
}

// libfyaml 0.7 misreads block texts whose | or > does not stand on the line of their key, and those
// that are not indented more than the key: refuse both.
static bool check_block(reader *r, struct fy_token *token, enum fy_scalar_style style,
                        tr_place place) {
  if (style != FYSS_LITERAL && style != FYSS_FOLDED) return true;
  const frame *f = r->depth > 0 ? &r->stack[r->depth - 1] : NULL;
  const struct fy_mark *m = fy_token_start_mark(token);
  if (!f || !f->key || !m || m->line != f->key_place.line)
    return fail(r, place, "a block text (| or >) must begin on the line of its key");
  if (next_indent(r, m->input_pos) <= f->key_place.column - 1)
    return fail(r, place, "a block text (| or >) must be indented more than its key");
  return true;
}

static bool on_scalar(reader *r, struct fy_event *e) {
  size_t n, length;
  struct fy_token *token = e->scalar.value;
  tr_place place = token_place(r, token);
  if (token == NULL && r->depth > 0) place = r->stack[r->depth - 1].key_place;
  enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
  // The marks of a quoted text are those of the text; the value begins at the quote.
  if (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED) place.column--;
  const char *text = token_text(r, token, &n);
  if (!text) return false;
  check_tag(r, e->scalar.tag);
  if (key_expected(r)) return take_key(r, text, n, place);
  tr_node *node = tr_node_new(&r->model->arena, TR_SCALAR, place);
  if (!node) return no_memory(r);
  node->text = text;
  node->quoted = style != FYSS_PLAIN || !tr_text_is_plain(text);
  node->text_column = text_column(token, n);
  if (check_block(r, token, style, place) && n != strlen(text))
    fail(r, place, "a text holds a zero byte");
  const char *anchor = e->scalar.anchor ? token_text(r, e->scalar.anchor, &length) : NULL;
  bool ok = attach(r, node) && set_anchor(r, anchor, node);
  next_entry(r);
  return ok;
}

static bool on_open(reader *r, tr_node_kind kind, struct fy_token *start, struct fy_token *anchor,
                    struct fy_token *tag) {
  size_t n;
  tr_place place = token_place(r, start);
  check_tag(r, tag);
  if (key_expected(r)) {
    r->stop = true;
    return fail(r, place, "a key must be a text");
  }
  if (r->depth == MAX_DEPTH) {
    r->stop = true;
    return fail(r, place, "nested too deeply");
  }
  tr_node *node = tr_node_new(&r->model->arena, kind, place);
  if (!node || !attach(r, node)) return no_memory(r);
  const char *name = anchor ? token_text(r, anchor, &n) : NULL;
  const struct fy_mark *m = start ? fy_token_start_mark(start) : NULL;
  const char *first = m && m->input_pos < r->size ? r->text + m->input_pos : NULL;
  bool flow = first && (*first == '{' || *first == '[');
  r->stack[r->depth++] = (frame){.node = node, .anchor = name, .bracket = flow ? first : NULL};
  return true;
}

static bool on_close(reader *r) {
  frame *f = &r->stack[--r->depth];
  bool ok = set_anchor(r, f->anchor, f->node);
  next_entry(r);
  return ok;
}

static void on_event(reader *r, struct fy_event *e) {
  switch (e->type) {
    case FYET_DOCUMENT_START:
      if (++r->documents < 2) break;
      fail(r, token_place(r, e->document_start.document_start), "only one document is allowed");
      r->stop = true;
      break;
    case FYET_SCALAR: on_scalar(r, e); break;
    case FYET_ALIAS: on_alias(r, e); break;
    case FYET_SEQUENCE_START:
      on_open(r, TR_LIST, e->sequence_start.sequence_start, e->sequence_start.anchor,
              e->sequence_start.tag);
      break;
    case FYET_MAPPING_START:
      on_open(r, TR_MAP, e->mapping_start.mapping_start, e->mapping_start.anchor,
              e->mapping_start.tag);
      break;
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END: on_close(r); break;
    default: break;
  }
}

// ---- the stream ---------------------------------------------------------------------------------

// Where a line of the text begins; the end if there are fewer.
static const char *line_start(const reader *r, int line) {
  const char *s = r->text, *end = r->text + r->size;
  for (; s < end && line > 1; s++) line -= *s == '\n';
  return s;
}

// Whether a line of the text has a name with a {template}: inside brackets it needs quotes, and
// YAML's own message does not help there.
static bool has_template(const reader *r, int line) {
  const char *s = line_start(r, line), *end = r->text + r->size;
  for (; s + 1 < end && *s != '\n'; s++)
    if (s[1] == '{' && (*s == '_' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z')))
      return true;
  return false;
}

// Whether a line after the one that begins at s, up to `end`, is indented no more than it. Blank ones do not count, nor those
// that begin with a closing bracket.
static bool steps_back(const reader *r, const char *s, const char *end) {
  size_t indent = strspn(s, " ");
  while ((s = memchr(s, '\n', (size_t)(end - s))) && ++s < end) {
    size_t n = 0, left = (size_t)(r->text + r->size - s);
    while (n < left && s[n] == ' ') n++;
    if (n < left && !strchr("\r\n#}]", s[n]) && n <= indent) return true;
  }
  return false;
}

// A bracket that is still open where the error was noticed, and is what is wrong: another one was closed, or the text ends,
// or lines in between are indented no more than the one it is in.
static bool open_bracket(const reader *r, tr_place noticed, const char *text, tr_bracket *found) {
  tr_bracket open[MAX_DEPTH];
  int n = 0;
  for (int k = 0; k < r->depth && !n; k++)
    if (r->stack[k].bracket)
      n = tr_brackets_open(r->stack[k].bracket, r->text + r->size, r->stack[k].node->place, noticed,
                           open, MAX_DEPTH);
  size_t here = (size_t)(line_start(r, noticed.line) - r->text);
  bool any = strstr(text, "mismatched") || next_indent(r, here) == 1 << 20;
  while (n-- > 0) {
    *found = open[n];
    if (any || steps_back(r, line_start(r, found->place.line), line_start(r, noticed.line + 1)))
      return true;
  }
  return false;
}

static void report_one(reader *r, tr_place place, const char *text) {
  tr_bracket open;
  if (strstr(text, "quoted scalar") && (strstr(text, "closing") || strstr(text, "indented"))) {
    const char *at = line_start(r, place.line) + place.column - 1;
    if (place.column > 1 && at < r->text + r->size && *at != '"' && *at != '\'') place.column--;
    fail(r, place, "the closing quote is missing, or lines of the text are indented too little");
  } else if (strstr(text, "flow") && has_template(r, place.line)) {
    fail(r, place, "%s (names with {...} need quotes inside brackets)", text);
  } else if (open_bracket(r, place, text, &open)) {
    fail(r, open.place, "\"%c\" is not closed (noticed at line %d, column %d: %s)", *open.at,
         place.line, place.column, text);
  } else {
    fail(r, place, "%s", text);
  }
}

static void report_syntax(reader *r, struct fy_diag *diag) {
  void *at = NULL;
  struct fy_diag_error *e;
  int n = 0, line = -1, column = -1;
  while ((e = fy_diag_errors_iterate(diag, &at)) != NULL && n < MAX_SYNTAX_ERRORS) {
    if (e->type < FYET_ERROR || (e->line == line && e->column == column)) continue;
    line = e->line;
    column = e->column;
    char text[160];
    snprintf(text, sizeof text, "%s", e->msg ? e->msg : "not valid YAML");
    text[strcspn(text, "\r\n")] = 0;
    report_one(r, (tr_place){r->model->source, e->line, e->column}, text);
    n++;
  }
  if (n == 0 && !r->failures) fail(r, (tr_place){.file = r->model->source}, "not valid YAML");
}

static void read_events(reader *r, struct fy_parser *parser, struct fy_diag *diag) {
  bool ended = false;
  while (!r->stop && !ended) {
    struct fy_event *e = fy_parser_parse(parser);
    if (!e) break;
    ended = e->type == FYET_STREAM_END;
    on_event(r, e);
    fy_parser_event_free(parser, e);
  }
  if (!ended && !r->stop) report_syntax(r, diag);
}

// Length of the UTF-8 character at s, or 0 if it is none that a text file may hold.
static int character(const unsigned char *s, size_t left) {
  if (s[0] < 0x80) return s[0] >= 32 ? s[0] != 127 : s[0] == '\t' || s[0] == '\n' || s[0] == '\r';
  int n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
  if (s[0] < 0xC2 || s[0] > 0xF4 || left < (size_t)n) return 0;
  for (int k = 1; k < n; k++)
    if ((s[k] & 0xC0) != 0x80) return 0;
  unsigned second = s[1];
  bool overlong = (s[0] == 0xE0 && second < 0xA0) || (s[0] == 0xF0 && second < 0x90);
  bool outside = (s[0] == 0xED && second >= 0xA0) || (s[0] == 0xF4 && second >= 0x90);
  bool control = s[0] == 0xC2 && second < 0xA0;
  return overlong || outside || control ? 0 : n;
}

// The characters of the text, before libfyaml sees them: it loops on some of the wrong ones.
static bool check_text(reader *r) {
  const unsigned char *s = (const unsigned char *)r->text;
  tr_place place = {r->model->source, 1, 1};
  for (size_t k = 0; k < r->size;) {
    int n = character(s + k, r->size - k);
    if (n == 0) return fail(r, place, "not a text in UTF-8");
    bool yaml = r->size - k >= 8 && memcmp(s + k, "%YAML 1.", 8) == 0;
    if (place.column == 1 && s[k] == '%' && !yaml)
      return fail(r, place, "directives (%%...) are not supported");
    place.column++;
    if (s[k] == '\n') {
      place.line++;
      place.column = 1;
    }
    k += (size_t)n;
  }
  return true;
}

static void read_stream(reader *r) {
  struct fy_diag_cfg diag_cfg = {.level = FYET_ERROR, .module_mask = ~0u};
  struct fy_diag *diag = fy_diag_create(&diag_cfg);
  if (!diag) {
    no_memory(r);
    return;
  }
  fy_diag_set_collect_errors(diag, true);
  struct fy_parse_cfg cfg = {
      .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE,
      .diag = diag};
  struct fy_parser *parser = fy_parser_create(&cfg);
  if (!parser || fy_parser_set_string(parser, r->text, r->size) != 0)
    no_memory(r);
  else
    read_events(r, parser, diag);
  fy_parser_destroy(parser);
  fy_diag_destroy(diag);
}

// One document whose nodes live in the model's arena; model->source is the name for its places.
static tr_status read_document(tr_model *model, const char *text, size_t size, const char *what,
                               tr_node **root, tr_error *error) {
  reader r = {.model = model,
              .text = text,
              .size = size,
              .error = error,
              .keys = {.al = model->arena.al},
              .anchors = {.al = model->arena.al}};
  tr_place file = {.file = model->source};
  if (size > 0 && check_text(&r)) read_stream(&r);
  bool empty = !r.root || (r.root->kind == TR_SCALAR && !r.root->text[0] && !r.root->quoted);
  if (!r.failures && !r.no_memory) {
    if (empty)
      fail(&r, file, "the file is empty");
    else if (r.root->kind != TR_MAP)
      fail(&r, r.root->place, "a map of %s is expected", what);
  }
  tr_table_free(&r.keys);
  tr_table_free(&r.anchors);
  if (r.no_memory) return tr_no_memory(error);
  if (r.failures) return TR_BAD_INPUT;
  *root = r.root;
  return TR_OK;
}

// ---- files --------------------------------------------------------------------------------------

static tr_status bad_file(tr_error *error, const char *path, const char *what) {
  return tr_fail(error, TR_BAD_FILE, NULL, "%.200s: %s: %s", path, what, strerror(errno));
}

static tr_status load(tr_allocator *al, FILE *file, const char *path, char **text, size_t *size,
                      tr_error *error) {
  size_t capacity = 0, got;
  do {
    if (*size == capacity) {
      capacity = capacity ? 2 * capacity : 64 * 1024;
      char *more = tr_resize(al, *text, capacity);
      if (!more) return tr_no_memory(error);
      *text = more;
    }
    got = fread(*text + *size, 1, capacity - *size, file);
    *size += got;
  } while (got > 0);
  return ferror(file) ? bad_file(error, path, "cannot be read") : TR_OK;
}

static tr_status read_whole(tr_allocator *al, const char *path, char **text, size_t *size,
                            tr_error *error) {
  FILE *file = fopen(path, "rb");
  if (!file) return bad_file(error, path, "cannot be opened");
  tr_status status = load(al, file, path, text, size, error);
  fclose(file);
  return status;
}

// `modal: name`: the file, beside the model, becomes the content of the node.
static tr_status read_content(tr_model *model, tr_node *node, tr_error *error) {
  const char *source = model->source, *slash = strrchr(source, '/');
  size_t folder = slash && node->text[0] != '/' ? (size_t)(slash - source) + 1 : 0;
  const char *path = tr_arena_printf(&model->arena, "%.*s%s", (int)folder, source, node->text);
  char *text = NULL;
  size_t size = 0;
  tr_node *root = NULL;
  if (!path) return tr_no_memory(error);
  tr_error own = {0};
  struct stat about;
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
    return tr_fail(error, TR_BAD_FILE, &node->place, "%.200s: is not a file", path);
  tr_status status = read_whole(model->arena.al, path, &text, &size, &own);
  if (status == TR_BAD_FILE)
    tr_fail(error, status, &node->place, "%.*s", (int)strcspn(own.text, "\n"), own.text);
  if (status == TR_OK) {
    model->source = path;
    status = read_document(model, text, size, "modal data", &root, error);
    model->source = source;
  }
  node->content = root;
  tr_resize(model->arena.al, text, 0);
  return status;
}

// Bodies stand in the root and in the blocks of repeats, which may hold repeats.
static tr_status read_contents(tr_model *model, const tr_node *map, tr_error *error) {
  tr_status status = TR_OK;
  const tr_node *bodies = tr_node_find(map, "bodies"), *repeat = tr_node_find(map, "repeat");
  for (const tr_node *b = bodies && bodies->kind == TR_MAP ? bodies->first : NULL; b; b = b->next) {
    tr_node *modal = b->kind == TR_MAP ? tr_node_find(b, "modal") : NULL;
    if (!modal || modal->kind != TR_SCALAR || !modal->text[0]) continue;
    tr_status now = read_content(model, modal, error);
    if (status == TR_OK) status = now;
  }
  const tr_node *block = repeat && repeat->kind != TR_SCALAR ? repeat->first : NULL;
  for (; block; block = block->next) {
    tr_status now = block->kind == TR_MAP ? read_contents(model, block, error) : TR_OK;
    if (status == TR_OK) status = now;
  }
  return status;
}

tr_status tr_model_read_text(tr_model *model, const char *text, size_t size, const char *name,
                             tr_error *error) {
  if (model->root->first || model->problems)
    return tr_fail(error, TR_BAD_INPUT, NULL, "the model to read into is not empty");
  if (!name) name = "model";
  tr_node *root = NULL;
  model->source = tr_arena_text(&model->arena, name, strlen(name));
  if (!model->source) return tr_no_memory(error);
  TR_TRY(read_document(model, text, size, "sections", &root, error));
  TR_TRY(read_contents(model, root, error));
  model->root = root;
  return TR_OK;
}

tr_status tr_model_read_file(tr_model *model, const char *path, tr_error *error) {
  char *text = NULL;
  size_t size = 0;
  tr_status status = read_whole(model->arena.al, path, &text, &size, error);
  if (status == TR_OK) status = tr_model_read_text(model, text, size, path, error);
  tr_resize(model->arena.al, text, 0);
  return status;
}
