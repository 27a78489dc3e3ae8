// SPDX-License-Identifier: Apache-2.0
// Results as data: tables of numbers and figures of curves; and their way to disk as CSV, Markdown
// and SVG. Whoever computes fills the structs and knows nothing of files; the writers know nothing of
// mechanics.
#ifndef TRAMMEL_REPORT_H
#define TRAMMEL_REPORT_H

#include "output.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- tables ---------------------------------------------------------------------------------------

typedef struct tr_column {
  const char *name; // "error_v"
  const char *unit; // "m/s"; "" for none
  int digits;       // significant digits in Markdown; CSV has 17
} tr_column;

// text NULL: a number; a number that is not finite is an empty cell.
typedef struct tr_cell {
  const char *text;
  double number;
} tr_cell;

typedef struct tr_table {
  const char *name;  // a file's stem: "errors"
  const char *title; // one line
  int columns, rows;
  const tr_column *column; // (columns)
  const tr_cell *cell;     // (rows x columns) row-major
} tr_table;

// ---- figures --------------------------------------------------------------------------------------

typedef struct tr_axis {
  const char *label; // with its unit: "step h / s"
  bool log;
  double min, max;               // NaN: from the data
  const char *const *categories; // (ncategory) names at 0, 1, 2 ..: instead of numbers, or NULL
  int ncategory;
} tr_axis;

// Points whose coordinates are not finite (or not positive on a log axis) break the curve.
typedef struct tr_series {
  const char *name; // in the legend; NULL: not there
  int style;        // colour, marker and dashes; -1: a thin black dashed line without markers
  bool lines, markers;
  int n;
  const double *x, *y;      // (n)
  const double *low, *high; // (n) whiskers along x for categories on y, else along y; or NULL
} tr_series;

typedef struct tr_panel {
  const char *title;
  tr_axis x, y;
  int series;
  const tr_series *s;
  int slopes;          // triangles that show a slope of both-log panels, put where there is room
  const double *slope; // (slopes)
} tr_panel;

// Names that a figure's key has room for; of more series it tells how many there are.
enum { TR_FIGURE_NAMES = 64 };
typedef struct tr_figure {
  const char *name;    // a file's stem
  const char *title;   // or NULL
  int panels, columns; // so many side by side
  const tr_panel *panel;
} tr_figure;

// ---- writers --------------------------------------------------------------------------------------

// Header "name [unit],...", then rows.
TR_API tr_status tr_table_write_csv(const tr_table *table, const char *path, tr_error *error);
// A Markdown page: title, notes as a list, figures as pictures NAME.svg beside it, tables.
typedef struct tr_page {
  const char *title;
  int notes, tables, figures;
  const char *const *note;
  const tr_table *table;
  const tr_figure *figure;
} tr_page;
TR_API tr_status tr_page_write_markdown(const tr_page *page, const char *path, tr_error *error);
TR_API tr_status tr_figure_write_svg(const tr_figure *figure, const char *path, tr_error *error);
// The same into a new block of the allocator (NULL: the C heap), terminated; size without the end.
TR_API tr_status tr_figure_svg(const tr_figure *figure, tr_allocator *allocator, char **text,
                               size_t *size, tr_error *error);

// ---- a CSV table read back --------------------------------------------------------------------------

typedef struct tr_csv_table {
  int columns, rows;
  const char *const *name; // (columns)
  const double *value;     // (rows x columns) row-major
} tr_csv_table;
TR_API tr_status tr_csv_read(const char *path, tr_csv_table **table, tr_error *error);
TR_API void tr_csv_table_free(tr_csv_table *table); // NULL is fine

#ifdef __cplusplus
}
#endif
#endif
