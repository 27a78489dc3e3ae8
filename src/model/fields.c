// SPDX-License-Identifier: Apache-2.0
// Parameter structs from field tables: the one place that knows how a field kind is written.
//
// The defaults of a table are evaluated once into a struct that every element starts from.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "planner.h"

// Of what must be positive: the squares of smaller numbers are nearly those that count as zero (base/subnormal.h).
static const double LEAST = 1e-150;

static bool is_word(const tr_node *node, const char *word) {
  return node->kind == TR_SCALAR && strcmp(node->text, word) == 0;
}

// ---- one field ----------------------------------------------------------------------------------

static bool check_bounds(tr_planner *p, const tr_node *node, const tr_field *f, double x) {
  if (f->positive && !(x > 0)) return tr_plan_fail(p, node, "must be positive, is %g", x);
  if (f->positive && x < LEAST)
    return tr_plan_fail(p, node, "must be at least %g, is %g: products of less count as zero",
                        LEAST, x);
  if (!(f->min < f->max) || (x >= f->min && x <= f->max)) return true;
  if (f->max == INFINITY) return tr_plan_fail(p, node, "must be at least %g, is %g", f->min, x);
  if (f->min == -INFINITY) return tr_plan_fail(p, node, "must be at most %g, is %g", f->max, x);
  return tr_plan_fail(p, node, "must be between %g and %g, is %g", f->min, f->max, x);
}

static bool read_reals(tr_planner *p, const tr_node *node, const tr_field *f, int least, int most,
                       double *out) {
  double x[3] = {0};
  int n;
  if (!tr_plan_numbers(p, node, f->quantity, least, most, x, &n)) return false;
  const tr_node *k = node->first;
  for (int i = 0; i < most; i++) {
    if (i < n && !check_bounds(p, k, f, x[i])) return false;
    if (i < n) k = k->next;
    out[i] = x[i];
  }
  return true;
}

static bool read_tensor(tr_planner *p, const tr_node *node, const tr_field *f, double *out) {
  double x[6] = {0};
  int n = node->count;
  if (node->kind == TR_SCALAR) {
    if (!tr_plan_number(p, node, f->quantity, &x[0])) return false;
    x[1] = x[2] = x[0];
  } else if (node->kind != TR_LIST || (n != 3 && n != 6)) {
    return tr_plan_fail(p, node,
                        "a list of 3 numbers (xx, yy, zz) or 6 (xx, yy, zz, xy, xz, yz) "
                        "is expected");
  } else if (!tr_plan_numbers(p, node, f->quantity, 3, 6, x, &n)) {
    return false;
  }
  const double full[9] = {x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2]};
  memcpy(out, full, sizeof full);
  return true;
}

static bool read_int(tr_planner *p, const tr_node *node, const tr_field *f, int *out) {
  long long x;
  if (!tr_plan_whole(p, node, &x)) return false;
  if (x < INT_MIN || x > INT_MAX) return tr_plan_fail(p, node, "is too large");
  if (!check_bounds(p, node, f, (double)x)) return false;
  *out = (int)x;
  return true;
}

static bool read_bool(tr_planner *p, const tr_node *node, bool *out) {
  *out = is_word(node, "true") || is_word(node, "yes");
  if (*out || is_word(node, "false") || is_word(node, "no")) return true;
  return tr_plan_fail(p, node, "true or false is expected");
}

// " (a, b or c)", as far as it fits
static void list_choices(const char *const *choices, char hint[TR_HINT]) {
  size_t n = 0;
  for (int k = 0; choices[k] && n < TR_HINT; k++) {
    const char *before = k == 0 ? " (" : choices[k + 1] ? ", " : " or ";
    n += (size_t)snprintf(hint + n, TR_HINT - n, "%s%s%s", before, choices[k],
                          choices[k + 1] ? "" : ")");
  }
  if (n >= TR_HINT) hint[0] = 0;
}

static bool read_choice(tr_planner *p, const tr_node *node, const tr_field *f, int *out) {
  char hint[TR_HINT], shown[TR_SHOWN];
  for (int k = 0; f->choices[k]; k++) {
    if (!is_word(node, f->choices[k])) continue;
    *out = k;
    return true;
  }
  if (node->kind != TR_SCALAR) return tr_plan_fail(p, node, "a word is expected");
  tr_plan_hint(p, node->text, f->choices, hint);
  if (!hint[0]) list_choices(f->choices, hint);
  return tr_plan_fail(p, node, "unknown choice \"%s\"%s", tr_shown(node->text, shown), hint);
}

static bool read_text(tr_planner *p, const tr_node *node, const char **out) {
  if (node->kind != TR_SCALAR) return tr_plan_fail(p, node, "a text is expected");
  *out = tr_arena_text(p->arena, node->text, strlen(node->text));
  return *out || tr_plan_no_memory(p);
}

static bool read_row(tr_planner *p, const tr_node *node, const tr_field *f, tr_rows *out) {
  int n;
  double *x = TR_NEW(p->arena, node->count, double);
  double *own = TR_NEW(p->arena, node->count + 18, double);
  if (!x || !own) return tr_plan_no_memory(p);
  *out = (tr_rows){1, node->count, x, own};
  return tr_plan_numbers(p, node, f->quantity, node->count, node->count, x, &n);
}

static bool read_rows(tr_planner *p, const tr_node *node, const tr_field *f, tr_rows *out) {
  const tr_node *first = node->kind == TR_LIST ? node->first : NULL;
  if (f->flat && first && first->kind == TR_SCALAR) return read_row(p, node, f, out);
  if (node->kind != TR_LIST || (first && first->kind != TR_LIST))
    return tr_plan_fail(p, node, "a list of %s is expected",
                        f->flat ? "numbers, or of lists of numbers," : "lists of numbers");
  int rows = node->count, columns = first ? first->count : 0, n, i = 0;
  double *x = TR_NEW(p->arena, rows * columns + 1, double);
  double *own = TR_NEW(p->arena, rows * (columns + 18) + 1, double);
  if (!x || !own) return tr_plan_no_memory(p);
  for (const tr_node *k = first; k; k = k->next, i++)
    if (!tr_plan_numbers(p, k, f->quantity, columns, columns, x + i * columns, &n)) return false;
  *out = (tr_rows){rows, columns, x, own};
  return true;
}

// "auto": found at the start, where the default says that this is possible.
static bool read_auto(const tr_node *node, const tr_field *f, double *out) {
  if (!f->preset || strcmp(f->preset, "auto") != 0 || !is_word(node, "auto")) return false;
  int n = f->kind == TR_REAL ? 1 : f->kind == TR_VEC2 ? 2 : f->kind == TR_VEC3 ? 3 : 9;
  for (int i = 0; i < n; i++) out[i] = NAN;
  return true;
}

static bool read_laws(tr_planner *p, const tr_node *node, const tr_field *f, const tr_law **out) {
  static const tr_node zero = {.kind = TR_SCALAR, .text = "0"};
  if (node->kind == TR_SCALAR && f->quantity == TR_TORQUE) // about z
    return tr_plan_law(p, &zero, f, &out[0]) && tr_plan_law(p, &zero, f, &out[1]) &&
           tr_plan_law(p, node, f, &out[2]);
  if (node->kind != TR_LIST || (node->count != 2 && node->count != 3))
    return tr_plan_fail(p, node, "a list of 2 or 3 numbers or expressions is expected");
  bool ok = true;
  const tr_node *k = node->first;
  for (int i = 0; i < 3; i++) {
    ok = tr_plan_law(p, k ? k : &zero, f, &out[i]) && ok;
    if (k) k = k->next;
  }
  return ok;
}

// "global" is ground, "marker" the element's first one, unless something has that name.
static bool read_marker(tr_planner *p, const tr_node *node, int *out) {
  tr_expr_error e = {0};
  const char *text = tr_plan_text(p, node);
  if (!text) return false;
  *out = strcmp(text, "global") == 0 ? -1 : strcmp(text, "marker") == 0 ? 0 : -2;
  if (*out > -2 && !tr_plan_find_name(p, text)) return true;
  int marker = tr_plan_marker_ref(p, node);
  if (marker < 0) return false;
  *out = tr_plan_extra_marker(p, marker, &e);
  return *out > -2 || tr_plan_fail(p, node, "%s", e.text);
}

// A map here, or the one in a file that was read with the model.
static bool read_group(tr_planner *p, const tr_node *node, const tr_field *f, void *out) {
  const tr_node *map = node->kind == TR_SCALAR ? node->content : node;
  if (node->kind == TR_SCALAR && !map)
    return tr_plan_fail(p, node,
                        "a map is expected, or a file beside a model that is itself a file");
  if (map->kind != TR_MAP) return tr_plan_fail(p, map, "a map is expected");
  return tr_plan_fields(p, map, f->fields, f->size, NULL, out);
}

static bool read_field(tr_planner *p, const tr_node *node, const tr_field *f, void *par) {
  void *out = (char *)par + f->offset;
  double *x = out;
  switch (f->kind) {
    case TR_REAL:
      if (read_auto(node, f, x)) return true;
      return tr_plan_number(p, node, f->quantity, x) && check_bounds(p, node, f, *x);
    case TR_INT: return read_int(p, node, f, out);
    case TR_BOOL: return read_bool(p, node, out);
    case TR_VEC2: return read_auto(node, f, x) || read_reals(p, node, f, 2, 2, x);
    case TR_VEC3: return read_auto(node, f, x) || read_reals(p, node, f, 2, 3, x);
    case TR_ROTATION: return read_auto(node, f, x) || tr_plan_rotation(p, node, x);
    case TR_TENSOR: return read_auto(node, f, x) || read_tensor(p, node, f, x);
    case TR_CHOICE: return read_choice(p, node, f, out);
    case TR_TEXT: return read_text(p, node, out);
    case TR_LAW: return tr_plan_law(p, node, f, out);
    case TR_LAW3: return read_laws(p, node, f, out);
    case TR_MARKER: return read_marker(p, node, out);
    case TR_ROWS: return read_rows(p, node, f, out);
    case TR_GROUP: return read_group(p, node, f, out);
  }
  return false;
}

// ---- all fields ---------------------------------------------------------------------------------

// The struct with all defaults in it; NULL after reporting.
static const void *defaults(tr_planner *p, const tr_field *fields, size_t size) {
  void *par = tr_table_find(&p->cache, fields, "", 0);
  if (par) return par;
  par = tr_arena_get(&p->scratch, size);
  if (!par || !tr_table_put(&p->cache, fields, "", 0, par)) return tr_plan_no_memory(p), NULL;
  for (const tr_field *f = fields; f->name; f++) {
    if (!f->preset || (f->kind == TR_LAW && !f->preset[0])) continue;
    tr_node *node = NULL;
    if (f->kind == TR_TEXT || f->kind == TR_LAW) {
      node = tr_node_new(&p->scratch, TR_SCALAR, (tr_place){0});
      if (node) node->text = f->preset;
    } else {
      node = tr_flow_parse(&p->scratch, f->preset, f->name, p->error);
    }
    if (!node) return tr_plan_no_memory(p), NULL;
    p->subject.key = f->name;
    read_field(p, node, f, par);
    p->subject.key = NULL;
  }
  return par;
}

static bool is_common(const tr_common_key *keys, const char *key) {
  for (; keys && keys->key; keys++)
    if (strcmp(keys->key, key) == 0) return true;
  return false;
}

static bool report_missing(tr_planner *p, const tr_node *map, const tr_field *fields,
                           const bool *seen) {
  char list[256] = "";
  size_t n = 0;
  int count = 0;
  for (int i = 0; fields[i].name; i++) {
    if (seen[i] || fields[i].preset || n >= sizeof list) continue;
    n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", count ? ", " : "", fields[i].name);
    count++;
  }
  if (count == 0) return true;
  return tr_plan_fail(p, map, "%s %s missing", list, count > 1 ? "are" : "is");
}

bool tr_plan_fields(tr_planner *p, const tr_node *map, const tr_field *fields, size_t par_size,
                    const tr_common_key *common, void *par) {
  static const tr_field none[] = {{.name = NULL}};
  bool seen[TR_MAX_FIELDS] = {false}, ok = true;
  const void *from = fields ? defaults(p, fields, par_size) : NULL;
  if (fields && !from) return false;
  if (from) memcpy(par, from, par_size);
  if (!fields) fields = none;
  for (const tr_node *k = map->first; k; k = k->next) {
    if (is_common(common, k->key)) continue;
    int i = 0;
    while (fields[i].name && strcmp(fields[i].name, k->key) != 0) i++;
    if (!fields[i].name) {
      ok = tr_plan_unknown_key(p, k, common, fields);
    } else if (seen[i]) {
      ok = tr_plan_fail_key(p, k, "\"%s\" is given twice", k->key);
    } else {
      seen[i] = true;
      p->subject.key = k->key;
      ok = read_field(p, k, &fields[i], par) && ok;
      p->subject.key = NULL;
    }
  }
  return report_missing(p, map, fields, seen) && ok;
}
