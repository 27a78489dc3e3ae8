// SPDX-License-Identifier: Apache-2.0
// trammel list: what is built in, from the tables: as text, names, JSON or Markdown.
//
// Each kind turns its i-th item into an `entry`; each format prints entries. docs/reference is this
// command's Markdown.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { JSON, MARKDOWN, NAMES };
enum { MAX_NOTES = 6, NOTE_SIZE = 320 };

static const option options_list[] = {
    [JSON] = {"json", 0, NULL, "as JSON"},
    [MARKDOWN] = {"markdown", 0, NULL, "as Markdown"},
    [NAMES] = {"names", 0, NULL, "names only"},
    {0},
};

// ---- entries --------------------------------------------------------------------------------------

typedef struct note {
  const char *key;
  char text[NOTE_SIZE];
} note;

typedef struct entry {
  const char *name, *doc;
  const tr_field *fields; // or NULL
  int notes;
  note note[MAX_NOTES];
} entry;

static void add_note(entry *e, const char *key, const char *text) {
  if (!text || !*text || e->notes == MAX_NOTES) return;
  note *n = &e->note[e->notes++];
  n->key = key;
  snprintf(n->text, sizeof n->text, "%s", text);
}

// "a, b, c" of a NULL-terminated list.
static const char *joined(const char *const *names, char *text, size_t size) {
  text[0] = '\0';
  for (size_t n = 0; names && *names && n < size; names++)
    n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "", *names);
  return text;
}

static bool body_entry(int i, entry *e) {
  const tr_body_type *b = tr_body_types()[i];
  if (!b) return false;
  char text[NOTE_SIZE];
  *e = (entry){.name = b->name, .doc = b->doc, .fields = b->fields};
  add_note(e, "space", b->dim == 2 ? "planar" : "spatial");
  add_note(e, "positions", joined(b->coordinate_names, text, sizeof text));
  add_note(e, "velocities", joined(b->rate_names, text, sizeof text));
  return true;
}

// "2 markers", "4 markers, or 2 joints".
static const char *connects(int markers, int joints, char *text, size_t size) {
  int n = snprintf(text, size, "%d marker%s", markers, markers == 1 ? "" : "s");
  if (joints)
    snprintf(text + n, size - (size_t)n, ", or %d joint%s", joints, joints == 1 ? "" : "s");
  return text;
}

static bool joint_entry(int i, entry *e) {
  const tr_joint_type *j = tr_joint_types()[i];
  if (!j) return false;
  char text[NOTE_SIZE];
  *e = (entry){.name = j->name, .doc = j->doc, .fields = j->fields};
  add_note(e, "connects", connects(j->markers, j->joints, text, sizeof text));
  int n = 0;
  if (j->planar) n += snprintf(text, sizeof text, "%d planar", j->planar->rows);
  if (j->spatial)
    snprintf(text + n, sizeof text - (size_t)n, "%s%d spatial", n ? ", " : "", j->spatial->rows);
  add_note(e, "constraints", text);
  const tr_joint_ops *ops = j->spatial ? j->spatial : j->planar;
  add_note(e, "measures", joined(ops ? ops->measure_names : NULL, text, sizeof text));
  return true;
}

static bool force_entry(int i, entry *e) {
  const tr_force_type *f = tr_force_types()[i];
  if (!f) return false;
  char text[NOTE_SIZE];
  *e = (entry){.name = f->name, .doc = f->doc, .fields = f->fields};
  add_note(e, "connects", connects(f->markers, f->joints, text, sizeof text));
  add_note(e, "space",
           f->planar && f->spatial ? "planar, spatial"
           : f->planar             ? "planar"
                                   : "spatial");
  const tr_force_ops *ops = f->spatial ? f->spatial : f->planar;
  add_note(e, "measures", joined(ops ? ops->measure_names : NULL, text, sizeof text));
  return true;
}

static bool event_entry(int i, entry *e) {
  if (i > 0) return false;
  *e = (entry){.name = "event",
               .doc = "what happens when an expression crosses zero",
               .fields = tr_event_fields()};
  add_note(e, "set", "parameters that laws read, and their new values: {k: 2*k}");
  add_note(e, "lock, unlock", "a joint or a list of joints that hold from now on, or no longer");
  add_note(e, "settle", "with restitution: joints to lock when the impacts have died away");
  return true;
}

static bool method_entry(int i, entry *e) {
  if (i >= tr_method_count()) return false;
  tr_method_info m = tr_method_describe(i);
  char text[NOTE_SIZE];
  *e = (entry){.name = m.name, .doc = m.doc, .fields = m.fields};
  add_note(e, "enforces", m.levels);
  snprintf(text, sizeof text, "%d in q, %d in v, %d in the multipliers", m.order_q, m.order_v,
           m.order_lam);
  add_note(e, "order", text);
  add_note(e, "damping", m.damping);
  add_note(e, "cost", m.cost);
  add_note(e, "reference", m.reference);
  return true;
}

static bool unit_entry(int i, entry *e) {
  if (i >= TR_QUANTITIES) return false;
  const char *unit = tr_quantity_unit((tr_quantity)i);
  *e = (entry){.name = tr_quantity_name((tr_quantity)i), .doc = *unit ? unit : "no unit"};
  return true;
}

typedef struct kind {
  const char *name, *title, *doc;
  bool (*entry)(int i, entry *e);
} kind;

static const kind kinds[] = {
    {"bodies", "Bodies", "Types of `bodies:` in a model.", body_entry},
    {"joints", "Joints", "Types of `joints:` in a model.", joint_entry},
    {"forces", "Forces", "Types of `forces:` in a model.", force_entry},
    {"events", "Events", "Entries of `events:` in a model; see [Events](../events.md).",
     event_entry},
    {"methods", "Methods",
     "Integrators: `--method name:key=value,...` or `simulation: {method: ...}`.", method_entry},
    {"units", "Quantities", "The unit of a number that is written without one.", unit_entry},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

// ---- fields ---------------------------------------------------------------------------------------

static const char *type_text(const tr_field *f, char *text, size_t size) {
  switch (f->kind) {
    case TR_REAL: return "number";
    case TR_INT: return "integer";
    case TR_BOOL: return "boolean";
    case TR_VEC2: return "2 numbers";
    case TR_VEC3: return "3 numbers";
    case TR_ROTATION: return "rotation";
    case TR_TENSOR: return "3 or 6 numbers";
    case TR_CHOICE: return joined(f->choices, text, size);
    case TR_TEXT: return "text";
    case TR_LAW: return f->reach == TR_OF_TIME ? "law of time" : "law";
    case TR_LAW3: return "3 laws";
    case TR_MARKER: return "marker";
    case TR_ROWS: return f->flat ? "numbers, or lists of them" : "lists of numbers";
    case TR_GROUP: return "map, or file";
  }
  return "";
}

static const char *bounds_text(const tr_field *f, char *text, size_t size) {
  text[0] = '\0';
  if (f->min < f->max) {
    if (isfinite(f->min) && isfinite(f->max))
      snprintf(text, size, "%s%g .. %g", f->positive && f->min <= 0 ? "> 0, " : "", f->min, f->max);
    else if (isfinite(f->min))
      snprintf(text, size, f->positive && f->min <= 0 ? "> 0" : ">= %g", f->min);
    else if (isfinite(f->max))
      snprintf(text, size, "%s<= %g", f->positive ? "> 0, " : "", f->max);
  }
  if (!text[0] && f->positive) snprintf(text, size, "> 0");
  return text;
}

static const char *default_text(const tr_field *f) { return f->preset ? f->preset : "required"; }

// The field after f; the fields of a group come after it, with outer being the group.
static const tr_field *next_field(const tr_field *f, const tr_field **outer) {
  if (f->kind == TR_GROUP) {
    *outer = f;
    return f->fields;
  }
  if (f[1].name || !*outer) return f + 1;
  f = *outer;
  *outer = NULL;
  return f + 1;
}

// ---- formats --------------------------------------------------------------------------------------

static void print_text(const kind *k) {
  entry e;
  char type[NOTE_SIZE], bounds[64];
  printf("%s\n", k->title);
  for (int i = 0; k->entry(i, &e); i++) {
    printf("\n  %s: %s\n", e.name, e.doc);
    for (int n = 0; n < e.notes; n++) printf("    (%s: %s)\n", e.note[n].key, e.note[n].text);
    for (const tr_field *f = e.fields, *outer = NULL; f && f->name; f = next_field(f, &outer))
      printf("%s    %-14s %-16s %-8s %-12s %-14s %s\n", outer ? "  " : "", f->name,
             type_text(f, type, sizeof type), tr_quantity_unit(f->quantity), default_text(f),
             bounds_text(f, bounds, sizeof bounds), f->doc);
  }
}

static void print_markdown(const kind *k) {
  entry e;
  char type[NOTE_SIZE], bounds[64];
  printf("# %s\n\n%s Written by `trammel list %s --markdown`.\n", k->title, k->doc, k->name);
  for (int i = 0; k->entry(i, &e); i++) {
    printf("\n## %s\n\n%s\n", e.name, e.doc);
    for (int n = 0; n < e.notes; n++)
      printf("%s- %s: %s\n", n ? "" : "\n", e.note[n].key, e.note[n].text);
    if (!e.fields || !e.fields->name) continue;
    puts("\n| key | type | unit | default | bounds | |\n|---|---|---|---|---|---|");
    for (const tr_field *f = e.fields, *outer = NULL; f->name; f = next_field(f, &outer))
      printf("| %s`%s` | %s | %s | %s | %s | %s |\n", outer ? "&nbsp;&nbsp;" : "", f->name,
             type_text(f, type, sizeof type), tr_quantity_unit(f->quantity), default_text(f),
             bounds_text(f, bounds, sizeof bounds), f->doc);
  }
}

static void field_json(json *j, const tr_field *f) {
  char type[NOTE_SIZE];
  json_open(j, NULL, '{');
  json_text(j, "name", f->name);
  json_text(j, "type", f->kind == TR_CHOICE ? "choice" : type_text(f, type, sizeof type));
  json_text(j, "quantity", tr_quantity_name(f->quantity));
  json_text(j, "unit", tr_quantity_unit(f->quantity));
  json_bool(j, "required", !f->preset);
  json_text(j, "default", f->preset);
  if (f->min < f->max) {
    json_number(j, "min", f->min);
    json_number(j, "max", f->max);
  }
  if (f->positive) json_bool(j, "positive", true);
  if (f->kind == TR_CHOICE) {
    json_open(j, "choices", '[');
    for (const char *const *c = f->choices; *c; c++) json_text(j, NULL, *c);
    json_close(j);
  }
  json_text(j, "doc", f->doc);
  if (f->kind == TR_GROUP) {
    json_open(j, "fields", '[');
    for (const tr_field *k = f->fields; k->name; k++) field_json(j, k);
    json_close(j);
  }
  json_close(j);
}

static void print_json(json *j, const kind *k) {
  entry e;
  json_open(j, k->name, '[');
  for (int i = 0; k->entry(i, &e); i++) {
    json_open(j, NULL, '{');
    json_text(j, "name", e.name);
    json_text(j, "doc", e.doc);
    for (int n = 0; n < e.notes; n++) json_text(j, e.note[n].key, e.note[n].text);
    json_open(j, "fields", '[');
    for (const tr_field *f = e.fields; f && f->name; f++) field_json(j, f);
    json_close(j);
    json_close(j);
  }
  json_close(j);
}

static void print_names(const kind *k) {
  entry e;
  for (int i = 0; k->entry(i, &e); i++) puts(e.name);
}

static int find_kind(const command *self, const char *word) {
  const char *names[KINDS + 1] = {0};
  for (int i = 0; i < KINDS; i++) {
    if (strcmp(word, kinds[i].name) == 0) return i;
    names[i] = kinds[i].name;
  }
  const char *near = nearest(word, names);
  usage_error(self, "no list \"%s\"; did you mean %s?", word,
              near ? near : "bodies, joints, forces, events, methods or units");
  return -1;
}

static void print_kinds(unsigned given, int first, int last) {
  json j = {.to = stdout};
  if (given & 1u << JSON) json_open(&j, NULL, '{');
  for (int i = first; i <= last; i++) {
    bool spaced = !(given & (1u << JSON | 1u << NAMES));
    if (i > first && spaced) putchar('\n');
    if (given & 1u << JSON)
      print_json(&j, &kinds[i]);
    else if (given & 1u << MARKDOWN)
      print_markdown(&kinds[i]);
    else if (given & 1u << NAMES)
      print_names(&kinds[i]);
    else
      print_text(&kinds[i]);
  }
  if (given & 1u << JSON) json_close(&j);
}

static int run(const command *self, int argc, char **argv) {
  arguments a;
  int code = read_arguments(self, argc, argv, &a);
  free(a.set);
  if (code >= 0) return code;
  int first = 0, last = KINDS - 1;
  if (a.word && (first = last = find_kind(self, a.word)) < 0) return EXIT_USAGE;
  print_kinds(a.given, first, last);
  return EXIT_OK;
}

const command command_list = {
    "list", "[bodies|joints|forces|events|methods|units] [--json|--markdown|--names]",
    "lists what is built in, with parameters, units and defaults", options_list, run};
