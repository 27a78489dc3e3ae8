// SPDX-License-Identifier: Apache-2.0
// The results of a study: files, text, JSON.
#include "study.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST_STEM = 64 };

static bool make_one(const char *path) { return mkdir(path, 0777) == 0 || errno == EEXIST; }

bool make_directory(const char *path) {
  char part[DIRECTORY_SIZE];
  size_t n = strlen(path);
  bool fine = n > 0 && n + LONGEST_STEM < sizeof part;
  errno = n > 0 ? ENAMETOOLONG : ENOENT;
  for (size_t i = 1; i <= n && fine; i++) {
    if (path[i] != '/' && path[i] != '\0') continue;
    memcpy(part, path, i);
    part[i] = '\0';
    fine = make_one(part);
  }
  if (!fine) complain("%s: cannot be made: %s", path, strerror(errno));
  return fine;
}

tr_status study_write(const tr_page *page, const char *dir, const char *kind, tr_error *error) {
  char path[1200];
  tr_status status = TR_OK;
  for (int i = 0; i < page->tables && status == TR_OK; i++) {
    snprintf(path, sizeof path, "%s/%s.csv", dir, page->table[i].name);
    status = tr_table_write_csv(&page->table[i], path, error);
  }
  for (int i = 0; i < page->figures && status == TR_OK; i++) {
    snprintf(path, sizeof path, "%s/%s.svg", dir, page->figure[i].name);
    status = tr_figure_write_svg(&page->figure[i], path, error);
  }
  snprintf(path, sizeof path, "%s/%s.md", dir, kind);
  return status == TR_OK ? tr_page_write_markdown(page, path, error) : status;
}

// ---- JSON -------------------------------------------------------------------------------------------

static void table_json(json *j, const tr_table *t) {
  json_open(j, t->name, '{');
  json_text(j, "title", t->title);
  json_open(j, "units", '{');
  for (int c = 0; c < t->columns; c++)
    if (*t->column[c].unit) json_text(j, t->column[c].name, t->column[c].unit);
  json_close(j);
  json_open(j, "rows", '[');
  for (int r = 0; r < t->rows; r++) {
    json_open(j, NULL, '{');
    for (int c = 0; c < t->columns; c++) {
      const tr_cell *cell = &t->cell[(size_t)r * t->columns + c];
      if (cell->text)
        json_text(j, t->column[c].name, cell->text);
      else
        json_number(j, t->column[c].name, cell->number);
    }
    json_close(j);
  }
  json_close(j);
  json_close(j);
}

void study_json(const tr_page *page, const char *kind, const char *model, const char *path,
                const char *dir) {
  json j = {.to = stdout};
  json_open(&j, NULL, '{');
  json_text(&j, "study", kind);
  json_text(&j, "model", model);
  json_text(&j, "file", path);
  json_text(&j, "status", "ok");
  json_text(&j, "out", dir);
  json_open(&j, "notes", '[');
  for (int i = 0; i < page->notes; i++) json_text(&j, NULL, page->note[i]);
  json_close(&j);
  json_open(&j, "tables", '{');
  for (int i = 0; i < page->tables; i++) table_json(&j, &page->table[i]);
  json_close(&j);
  json_close(&j);
}

// ---- text -------------------------------------------------------------------------------------------

enum { CELL = 128, SHORT = 32 };

static void cell_text(const tr_table *t, int row, int column, char *out) {
  const tr_cell *c = &t->cell[(size_t)row * t->columns + column];
  int digits = t->column[column].digits;
  if (c->text)
    snprintf(out, CELL, "%s", c->text);
  else if (isfinite(c->number))
    snprintf(out, CELL, "%.*g", digits > 0 ? digits : 4, c->number);
  else
    snprintf(out, CELL, "-");
}

static void head_text(const tr_column *c, char *out) {
  snprintf(out, CELL, *c->unit ? "%s [%s]" : "%s", c->name, c->unit);
}

static void table_text(const tr_table *t) {
  char text[CELL];
  printf("\n%s\n", t->title);
  for (int r = -1; r < t->rows; r++) {
    for (int c = 0; c < t->columns; c++) {
      int width = 0;
      for (int k = -1; k < t->rows; k++) {
        if (k < 0)
          head_text(&t->column[c], text);
        else
          cell_text(t, k, c, text);
        int n = (int)strlen(text);
        if (n > width) width = n;
      }
      if (r < 0)
        head_text(&t->column[c], text);
      else
        cell_text(t, r, c, text);
      bool left = t->rows > 0 && t->cell[c].text;
      printf(left ? "  %-*s" : "  %*s", width, text);
    }
    printf("\n");
  }
}

void study_text(const tr_page *page, const char *kind, const char *dir) {
  printf("%s\n", page->title);
  for (int i = 0; i < page->notes; i++) printf("  %s\n", page->note[i]);
  for (int i = 0; i < page->tables; i++)
    if (page->table[i].rows <= SHORT) table_text(&page->table[i]);
  printf("\n%s/%s.md", dir, kind);
  for (int i = 0; i < page->figures; i++) printf(", %s.svg", page->figure[i].name);
  for (int i = 0; i < page->tables; i++) printf(", %s.csv", page->table[i].name);
  printf("\n");
}
