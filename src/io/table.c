// SPDX-License-Identifier: Apache-2.0
// Tables as CSV and pages as Markdown; and a CSV of numbers read back.
//
// CSV: 17 significant digits, an empty cell for what is not a number, quotes round texts that need them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "trammel/report.h"

// ---- writing ----------------------------------------------------------------------------------------

static void add_quoted(tr_text *s, const char *text) {
  if (!strpbrk(text, ",\"\n")) {
    tr_text_add(s, "%s", text);
    return;
  }
  tr_text_add(s, "\"");
  for (; *text; text++) tr_text_add(s, *text == '"' ? "\"\"" : "%c", *text);
  tr_text_add(s, "\"");
}

// A point, whatever the locale.
static void add_number(tr_text *s, int digits, double x) {
  char text[40];
  if (!isfinite(x)) return;
  snprintf(text, sizeof text, "%.*g", digits, x);
  char *comma = strchr(text, ',');
  if (comma) *comma = '.';
  tr_text_add(s, "%s", text);
}

static void add_name(tr_text *s, const tr_column *c) {
  tr_text_add(s, *c->unit ? "%s [%s]" : "%s", c->name, c->unit);
}

tr_status tr_table_write_csv(const tr_table *t, const char *path, tr_error *error) {
  tr_text s = {0};
  for (int j = 0; j < t->columns; j++) {
    add_name(&s, &t->column[j]);
    tr_text_add(&s, j + 1 < t->columns ? "," : "\n");
  }
  for (int i = 0; i < t->rows; i++)
    for (int j = 0; j < t->columns; j++) {
      const tr_cell *c = &t->cell[(size_t)i * t->columns + j];
      if (c->text)
        add_quoted(&s, c->text);
      else
        add_number(&s, 17, c->number);
      tr_text_add(&s, j + 1 < t->columns ? "," : "\n");
    }
  tr_status status = s.failed ? tr_no_memory(error) : tr_file_write(path, s.data, s.size, error);
  tr_text_free(&s);
  return status;
}

static void add_markdown_table(tr_text *s, const tr_table *t) {
  enum { MOST_ROWS = 1000 };
  tr_text_add(s, "\n## %s\n\n", t->title);
  if (t->rows > MOST_ROWS) {
    tr_text_add(s, "%d rows: `%s.csv`\n", t->rows, t->name);
    return;
  }
  tr_text_add(s, "|");
  for (int j = 0; j < t->columns; j++) {
    tr_text_add(s, " ");
    add_name(s, &t->column[j]);
    tr_text_add(s, " |");
  }
  tr_text_add(s, "\n|");
  for (int j = 0; j < t->columns; j++) {
    bool is_text = t->rows > 0 && t->cell[j].text;
    tr_text_add(s, is_text ? "---|" : "---:|");
  }
  tr_text_add(s, "\n");
  for (int i = 0; i < t->rows; i++) {
    tr_text_add(s, "|");
    for (int j = 0; j < t->columns; j++) {
      const tr_cell *c = &t->cell[(size_t)i * t->columns + j];
      tr_text_add(s, " ");
      if (c->text)
        tr_text_add(s, "%s", c->text);
      else
        add_number(s, t->column[j].digits > 0 ? t->column[j].digits : 4, c->number);
      tr_text_add(s, " |");
    }
    tr_text_add(s, "\n");
  }
}

tr_status tr_page_write_markdown(const tr_page *p, const char *path, tr_error *error) {
  tr_text s = {0};
  tr_text_add(&s, "# %s\n\n", p->title);
  for (int i = 0; i < p->notes; i++) tr_text_add(&s, "- %s\n", p->note[i]);
  for (int i = 0; i < p->figures; i++)
    tr_text_add(&s, "\n![%s](%s.svg)\n", p->figure[i].title ? p->figure[i].title : p->title,
                p->figure[i].name);
  for (int i = 0; i < p->tables; i++) add_markdown_table(&s, &p->table[i]);
  tr_status status = s.failed ? tr_no_memory(error) : tr_file_write(path, s.data, s.size, error);
  tr_text_free(&s);
  return status;
}

// ---- reading ----------------------------------------------------------------------------------------

typedef struct reader {
  tr_csv_table table; // first: what the caller holds
  tr_arena arena;
} reader;

// "a,b,c\n" -> names; the text is cut up in place.
static tr_status read_header(reader *r, char *line, const tr_place *at, tr_error *error) {
  int n = 1;
  for (const char *p = line; *p; p++) n += *p == ',';
  const char **name = TR_NEW(&r->arena, n, const char *);
  if (!name) return tr_no_memory(error);
  r->table.columns = n;
  r->table.name = name;
  for (int j = 0; j < n; j++) {
    size_t length = strcspn(line, ",");
    name[j] = tr_arena_text(&r->arena, line, length);
    if (!name[j]) return tr_no_memory(error);
    if (length == 0) return tr_fail(error, TR_BAD_FILE, at, "column %d has no name", j + 1);
    line += length + 1;
  }
  return TR_OK;
}

static tr_status read_row(char *line, int n, double *out, const tr_place *at, tr_error *error) {
  for (int j = 0; j < n; j++) {
    char *end;
    out[j] = strtod(line, &end);
    bool empty = end == line;
    if (empty) out[j] = NAN;
    if (*end != (j + 1 < n ? ',' : '\0'))
      return tr_fail(error, TR_BAD_FILE, at, "%d numbers are expected", n);
    line = end + 1;
  }
  return TR_OK;
}

static tr_status parse(reader *r, const char *path, char *text, tr_error *error) {
  int lines = 0, row = 0;
  for (const char *p = text; *p; p++) lines += *p == '\n';
  double *value = NULL;
  tr_place at = {path, 0, 1};
  for (char *line = text; *line;) {
    size_t length = strcspn(line, "\n");
    char *next = line + length + (line[length] == '\n');
    line[length] = '\0';
    if (length > 0 && line[length - 1] == '\r') line[length - 1] = '\0';
    at.line++;
    if (at.line == 1) {
      TR_TRY(read_header(r, line, &at, error));
      value = TR_NEW(&r->arena, ((size_t)lines + 1) * (size_t)r->table.columns, double);
      if (!value) return tr_no_memory(error);
    } else if (*line) {
      TR_TRY(read_row(line, r->table.columns, value + (size_t)row * r->table.columns, &at, error));
      row++;
    }
    line = next;
  }
  r->table.rows = row;
  r->table.value = value;
  if (row > 0) return TR_OK;
  return tr_fail(error, TR_BAD_FILE, NULL, "%s: has no rows of numbers", path);
}

tr_status tr_csv_read(const char *path, tr_csv_table **table, tr_error *error) {
  *table = NULL;
  tr_text text = {0};
  TR_TRY(tr_file_read(path, &text, error));
  tr_arena ar = tr_arena_make(NULL);
  reader *r = TR_NEW(&ar, 1, reader);
  tr_status status = r ? TR_OK : tr_no_memory(error);
  if (r) r->arena = ar;
  char none[1] = "";
  if (status == TR_OK) status = parse(r, path, text.data ? text.data : none, error);
  tr_text_free(&text);
  if (status == TR_OK)
    *table = &r->table;
  else if (r)
    tr_csv_table_free(&r->table);
  return status;
}

void tr_csv_table_free(tr_csv_table *table) {
  if (!table) return;
  tr_arena arena = ((reader *)table)->arena; // the table itself lives in it
  tr_arena_free(&arena);
}
