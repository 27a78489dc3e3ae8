// SPDX-License-Identifier: Apache-2.0
// A JSON Schema (draft 2020-12) of model files, from the tables that the reader itself uses: editors
// complete and check with it. Numbers may be texts (expressions, units), so bounds bind plain numbers
// only; what a text evaluates to is checked when the model is compiled.
#include <math.h>
#include <string.h>

#include "model/expr.h"
#include "model/sections.h"

// ---- pieces -------------------------------------------------------------------------------------

static void add_string(tr_text *s, const char *text) {
  tr_text_add(s, "\"");
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      tr_text_add(s, "\\%c", *text);
    else
      tr_text_add(s, "%c", *text);
  }
  tr_text_add(s, "\"");
}

static void add_number(tr_text *s, const char *key, double x) {
  char text[TR_NUMBER_TEXT];
  tr_text_add(s, ", \"%s\": %s", key, tr_number_print(x, text));
}

// `"key": {<ref or type>, "description": "doc (unit)"`, left open.
static void begin_property(tr_text *s, const char *key, const char *schema, const char *doc,
                           const char *unit) {
  char text[256];
  add_string(s, key);
  tr_text_add(s, ": {%s", schema);
  if (!doc) return;
  size_t n = strlen(doc);
  if (n > 200) n = 200;
  memcpy(text, doc, n);
  text[n] = 0;
  if (unit && unit[0]) {
    strcat(text, " (");
    strncat(text, unit, 40);
    strcat(text, ")");
  }
  tr_text_add(s, ", \"description\": ");
  add_string(s, text);
}

static const char *kind_schema(tr_field_kind kind) {
  switch (kind) {
    case TR_REAL: return "\"type\": [\"number\", \"string\"]";
    case TR_INT: return "\"type\": [\"integer\", \"string\"]";
    case TR_BOOL: return "\"enum\": [true, false, \"yes\", \"no\"]";
    case TR_VEC2: return "\"$ref\": \"#/$defs/vector2\"";
    case TR_VEC3: return "\"$ref\": \"#/$defs/vector\"";
    case TR_ROTATION: return "\"$ref\": \"#/$defs/rotation\"";
    case TR_TENSOR: return "\"$ref\": \"#/$defs/tensor\"";
    case TR_LAW3: return "\"$ref\": \"#/$defs/vector\"";
    case TR_LAW: return "\"$ref\": \"#/$defs/number\"";
    case TR_MARKER:
    case TR_TEXT: return "\"type\": \"string\"";
    case TR_ROWS: return "\"$ref\": \"#/$defs/rows\"";
    case TR_GROUP:
    case TR_CHOICE: break;
  }
  return "";
}

static void add_field(tr_text *s, const tr_field *f);

// A map by a table of its own, or the file that holds it.
static void add_group(tr_text *s, const tr_field *f) {
  begin_property(s, f->name,
                 "\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"object\", "
                 "\"additionalProperties\": false, \"properties\": {",
                 NULL, NULL);
  for (const tr_field *k = f->fields; k->name; k++) {
    tr_text_add(s, k == f->fields ? "\n        " : ",\n        ");
    add_field(s, k);
  }
  tr_text_add(s, "}, \"required\": [");
  int n = 0;
  for (const tr_field *k = f->fields; k->name; k++)
    if (!k->preset) tr_text_add(s, "%s\"%s\"", n++ ? ", " : "", k->name);
  tr_text_add(s, "]}], \"description\": ");
  add_string(s, f->doc);
  tr_text_add(s, "}");
}

static void add_field(tr_text *s, const tr_field *f) {
  if (f->kind == TR_GROUP) {
    add_group(s, f);
    return;
  }
  if (f->kind == TR_CHOICE) {
    begin_property(s, f->name, "\"type\": \"string\"", f->doc, NULL);
    tr_text_add(s, ", \"enum\": [");
    for (int k = 0; f->choices && f->choices[k]; k++) {
      if (k) tr_text_add(s, ", ");
      add_string(s, f->choices[k]);
    }
    tr_text_add(s, "]");
  } else {
    const char *schema = f->flat ? "\"$ref\": \"#/$defs/row_or_rows\"" : kind_schema(f->kind);
    begin_property(s, f->name, schema, f->doc, tr_quantity_unit(f->quantity));
  }
  bool number = f->kind == TR_REAL || f->kind == TR_INT;
  if (number && f->positive) tr_text_add(s, ", \"exclusiveMinimum\": 0");
  if (number && f->min < f->max) {
    if (isfinite(f->min)) add_number(s, "minimum", f->min);
    if (isfinite(f->max)) add_number(s, "maximum", f->max);
  }
  if (f->preset && f->preset[0]) {
    tr_text_add(s, ", \"default\": ");
    // "[0, 0]" is JSON already; words and numbers go as texts, which are valid values too.
    if (f->preset[0] == '[')
      tr_text_add(s, "%s", f->preset);
    else
      add_string(s, f->preset);
  }
  tr_text_add(s, "}");
}

// Schema of the keys that all types of a section share.
static const char *common_schema(const char *key) {
  static const struct {
    const char *key, *schema;
  } rows[] = {
      {"type", "\"type\": \"string\""},
      {"keep", "\"type\": [\"string\", \"array\"], \"items\": {\"type\": \"string\"}"},
      {"body", "\"type\": \"string\""},
      {"like", "\"type\": \"string\""},
      {"at", "\"$ref\": \"#/$defs/vector\""},
      {"at-global", "\"$ref\": \"#/$defs/vector\""},
      {"axis", "\"$ref\": \"#/$defs/vector\""},
      {"orientation", "\"$ref\": \"#/$defs/rotation\""},
      {"orientation-global", "\"$ref\": \"#/$defs/rotation\""},
      {"markers",
       "\"type\": \"array\", \"items\": {\"anyOf\": [{\"type\": \"string\"}, "
       "{\"$ref\": \"#/$defs/marker\"}]}"},
      {"bodies", "\"type\": \"array\", \"items\": {\"type\": \"string\"}"},
      {"joints", "\"type\": \"array\", \"items\": {\"type\": \"string\"}"},
      {"joint", "\"type\": \"string\""},
      {"for", "\"type\": \"string\""},
      {"x", "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}"},
      {"y", "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}"},
      {"kind", "\"enum\": [\"cubic\", \"linear\"]"},
      {"active", "\"enum\": [true, false, \"yes\", \"no\"]"},
      {"lock", "\"type\": [\"string\", \"array\"], \"items\": {\"type\": \"string\"}"},
      {"unlock", "\"type\": [\"string\", \"array\"], \"items\": {\"type\": \"string\"}"},
      {"settle", "\"type\": [\"string\", \"array\"], \"items\": {\"type\": \"string\"}"},
      {"set", "\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/number\"}"},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (strcmp(rows[k].key, key) == 0) return rows[k].schema;
  return "\"type\": [\"number\", \"string\"]";
}

static bool is_field(const tr_field *fields, const char *key) {
  for (; fields && fields->name; fields++)
    if (strcmp(fields->name, key) == 0) return true;
  return false;
}

static int add_common(tr_text *s, const tr_common_key *keys, const tr_field *except) {
  int n = 0;
  for (; keys->key; keys++) {
    if (strcmp(keys->key, "type") == 0 || is_field(except, keys->key)) continue;
    if (n++) tr_text_add(s, ", ");
    begin_property(s, keys->key, common_schema(keys->key), keys->doc, NULL);
    tr_text_add(s, "}");
  }
  return n;
}

// ---- types --------------------------------------------------------------------------------------

typedef struct view {
  const char *name, *doc;
  const tr_field *fields;
} view;

// The k-th type of a section; false after the last.
static bool view_type(const char *section, int k, view *v) {
  if (section[0] == 'b') {
    const tr_body_type *t = tr_body_types()[k];
    if (t) *v = (view){t->name, t->doc, t->fields};
    return t;
  }
  if (section[0] == 'j') {
    const tr_joint_type *t = tr_joint_types()[k];
    if (t) *v = (view){t->name, t->doc, t->fields};
    return t;
  }
  const tr_force_type *t = tr_force_types()[k];
  if (t) *v = (view){t->name, t->doc, t->fields};
  return t;
}

static void add_type(tr_text *s, const view *v, const tr_common_key *common) {
  tr_text_add(s, "{\"if\": {\"properties\": {\"type\": {\"const\": \"%s\"}}}, \"then\": {",
              v->name);
  tr_text_add(s, "\"additionalProperties\": false, \"properties\": {\"type\": {\"description\": ");
  add_string(s, v->doc ? v->doc : "");
  tr_text_add(s, "}");
  for (const tr_field *f = v->fields; f && f->name; f++) {
    tr_text_add(s, ",\n      ");
    add_field(s, f);
  }
  tr_text_add(s, ",\n      ");
  add_common(s, common, v->fields);
  tr_text_add(s, "}, \"required\": [\"type\"");
  for (const tr_field *f = v->fields; f && f->name; f++)
    if (!f->preset) tr_text_add(s, ", \"%s\"", f->name);
  tr_text_add(s, "]}}");
}

static void add_section_types(tr_text *s, const char *section, const char *kind,
                              const tr_common_key *common) {
  view v;
  tr_text_add(s,
              ",\n  \"%s\": {\"type\": \"object\", \"required\": [\"type\"],\n    \"properties\": "
              "{\"type\": {\"enum\": [",
              kind);
  for (int k = 0; view_type(section, k, &v); k++) tr_text_add(s, "%s\"%s\"", k ? ", " : "", v.name);
  tr_text_add(s, "]}},\n    \"allOf\": [");
  for (int k = 0; view_type(section, k, &v); k++) {
    tr_text_add(s, "%s\n     ", k ? "," : "");
    add_type(s, &v, common);
  }
  tr_text_add(s, "]}");
}

// ---- the whole ----------------------------------------------------------------------------------

static const char *const definitions =
    "\"number\": {\"type\": [\"number\", \"string\"], \"description\": \"a number, or an "
    "expression with units: 30 cm, 3*pi/2\"},\n"
    "  \"vector2\": {\"type\": [\"array\", \"string\"], \"items\": {\"$ref\": \"#/$defs/number\"}, "
    "\"minItems\": 2, \"maxItems\": 2},\n"
    "  \"vector\": {\"type\": [\"array\", \"string\"], \"items\": {\"$ref\": \"#/$defs/number\"}, "
    "\"minItems\": 2, \"maxItems\": 3},\n"
    "  \"tensor\": {\"type\": [\"array\", \"number\", \"string\"], \"items\": {\"$ref\": "
    "\"#/$defs/number\"}, \"minItems\": 3, \"maxItems\": 6},\n"
    "  \"row_or_rows\": {\"type\": \"array\", \"items\": {\"anyOf\": [{\"$ref\": "
    "\"#/$defs/number\"}, {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}}]}},\n"
    "  \"rows\": {\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": {\"$ref\": "
    "\"#/$defs/number\"}}},\n"
    "  \"turn\": {\"type\": \"object\", \"additionalProperties\": false, \"properties\": {"
    "\"axis\": {\"$ref\": \"#/$defs/vector\"}, \"angle\": {\"$ref\": \"#/$defs/number\"}, "
    "\"x\": {\"$ref\": \"#/$defs/number\"}, \"y\": {\"$ref\": \"#/$defs/number\"}, "
    "\"z\": {\"$ref\": \"#/$defs/number\"}, \"z-axis\": {\"$ref\": \"#/$defs/vector\"}, "
    "\"x-axis\": {\"$ref\": \"#/$defs/vector\"}}},\n"
    "  \"rotation\": {\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"$ref\": \"#/$defs/turn\"}, "
    "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/turn\"}}, {\"type\": \"array\", "
    "\"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 4, \"maxItems\": 4}]}";

static void add_sections(tr_text *s, bool in_repeat) {
  bool first = true;
  for (const tr_section *k = tr_sections(); k->key; k++) {
    if (in_repeat && !k->in_repeat) continue;
    tr_text_add(s, "%s\n    ", first ? "" : ",");
    first = false;
    if (strcmp(k->key, "repeat") == 0) {
      begin_property(s, k->key,
                     "\"type\": [\"array\", \"null\"], \"items\": {\"$ref\": "
                     "\"#/$defs/block\"}",
                     k->doc, NULL);
    } else if (strcmp(k->key, "parameters") == 0) {
      begin_property(s, k->key,
                     "\"type\": [\"object\", \"null\"], \"additionalProperties\": "
                     "{\"$ref\": \"#/$defs/number\"}",
                     k->doc, NULL);
    } else if (strcmp(k->key, "data") == 0) {
      begin_property(s, k->key,
                     "\"type\": [\"object\", \"null\"], \"additionalProperties\": "
                     "{\"$ref\": \"#/$defs/curve\"}",
                     k->doc, NULL);
    } else if (k->kind) {
      begin_property(s, k->key,
                     "\"type\": [\"object\", \"null\"], \"additionalProperties\": ", NULL, NULL);
      tr_text_add(s, "{\"$ref\": \"#/$defs/%s\"}, \"description\": ", k->kind);
      add_string(s, k->doc);
    } else if (strcmp(k->key, "trammel") == 0) {
      begin_property(s, k->key, "\"const\": 1", k->doc, NULL);
    } else if (strcmp(k->key, "gravity") == 0) {
      begin_property(s, k->key, "\"$ref\": \"#/$defs/vector\"", k->doc, NULL);
    } else if (strcmp(k->key, "simulation") == 0) {
      begin_property(s, k->key, "\"$ref\": \"#/$defs/simulation\"", k->doc, NULL);
    } else if (strcmp(k->key, "output") == 0) {
      begin_property(s, k->key,
                     "\"type\": [\"array\", \"string\", \"null\"], \"items\": {\"type\": "
                     "\"string\"}",
                     k->doc, NULL);
    } else {
      begin_property(s, k->key, "\"type\": [\"string\", \"number\"]", k->doc, NULL);
    }
    tr_text_add(s, "}");
  }
}

static void add_events(tr_text *s) {
  tr_text_add(s,
              ",\n  \"event\": {\"type\": \"object\", \"additionalProperties\": false, "
              "\"required\": [\"when\"], \"properties\": {");
  for (const tr_field *f = tr_event_fields(); f->name; f++) {
    add_field(s, f);
    tr_text_add(s, ", ");
  }
  add_common(s, tr_event_keys(), NULL);
  tr_text_add(s, "}}");
}

static void add_definitions(tr_text *s) {
  tr_text_add(s, " \"$defs\": {\n  %s", definitions);
  tr_text_add(s,
              ",\n  \"marker\": {\"type\": \"object\", \"additionalProperties\": false, "
              "\"properties\": {");
  add_common(s, tr_marker_keys(), NULL);
  tr_text_add(s, "}}");
  tr_text_add(s,
              ",\n  \"curve\": {\"type\": \"object\", \"additionalProperties\": false, "
              "\"required\": [\"x\", \"y\"], \"properties\": {");
  add_common(s, tr_curve_keys(), NULL);
  tr_text_add(s, "}}");
  tr_text_add(s,
              ",\n  \"state\": {\"type\": \"object\", \"additionalProperties\": false, "
              "\"required\": [\"rate\"], \"properties\": {");
  add_common(s, tr_state_keys(), NULL);
  tr_text_add(s, "}}");
  tr_text_add(s,
              ",\n  \"variable\": {\"type\": \"object\", \"additionalProperties\": false, "
              "\"required\": [\"value\"], \"properties\": {");
  add_common(s, tr_variable_keys(), NULL);
  tr_text_add(s, "}}");
  add_section_types(s, "bodies", "body", tr_body_keys());
  add_section_types(s, "joints", "joint", tr_connection_keys(true));
  add_section_types(s, "forces", "force", tr_connection_keys(false));
  add_events(s);
  tr_text_add(s,
              ",\n  \"simulation\": {\"type\": [\"object\", \"null\"], "
              "\"additionalProperties\": false, \"properties\": {");
  for (const tr_field *f = tr_simulation_fields(); f->name; f++) {
    if (f != tr_simulation_fields()) tr_text_add(s, ", ");
    add_field(s, f);
  }
  tr_text_add(s,
              "}},\n  \"block\": {\"type\": \"object\", \"additionalProperties\": false, "
              "\"required\": [\"for\", \"to\"], \"properties\": {");
  add_common(s, tr_repeat_keys(), NULL);
  tr_text_add(s, ",");
  add_sections(s, true);
  tr_text_add(s, "}}\n }");
}

tr_status tr_model_schema(tr_allocator *allocator, char **text, size_t *size) {
  tr_text s = {.al = allocator};
  tr_text_add(&s,
              "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
              " \"title\": \"Trammel model\", \"type\": \"object\", \"required\": "
              "[\"trammel\"],\n \"additionalProperties\": false,\n \"properties\": {");
  add_sections(&s, false);
  tr_text_add(&s, "},\n");
  add_definitions(&s);
  tr_text_add(&s, "\n}\n");
  *text = NULL;
  *size = 0;
  if (s.failed) {
    tr_text_free(&s);
    return TR_NO_MEMORY;
  }
  *text = s.data;
  *size = s.size;
  return TR_OK;
}
