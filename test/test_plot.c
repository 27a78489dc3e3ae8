// SPDX-License-Identifier: Apache-2.0
// Figures and tables: SVG that is well-formed XML whatever the data, CSV that reads back, Markdown.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helper_mechanics.h"
#include "io/plot_scale.h"

// ---- a small judge of XML ----------------------------------------------------------------------------

enum { DEPTH = 64, NAME = 32 };

static bool is_name(char c) { return strchr(" \t\n/>=", c) == NULL && c != '\0'; }

// Attributes a="..." up to the end of the tag; NULL: not well-formed.
static const char *skip_attributes(const char *p) {
  for (;;) {
    while (*p == ' ' || *p == '\n') p++;
    if (*p == '>' || (*p == '/' && p[1] == '>')) return p;
    const char *start = p;
    while (is_name(*p)) p++;
    if (p == start || *p++ != '=' || *p++ != '"') return NULL;
    while (*p && *p != '"' && *p != '<') p++;
    if (*p++ != '"') return NULL;
  }
}

static bool is_entity(const char *p) {
  return strncmp(p, "&amp;", 5) == 0 || strncmp(p, "&lt;", 4) == 0 || strncmp(p, "&gt;", 4) == 0 ||
         strncmp(p, "&quot;", 6) == 0;
}

static bool well_formed(const char *p) {
  char open[DEPTH][NAME];
  int depth = 0, roots = 0;
  while (*p) {
    if (*p == '&' && !is_entity(p)) return false;
    if (*p++ != '<') continue;
    bool closing = *p == '/';
    p += closing;
    size_t n = 0;
    while (is_name(p[n])) n++;
    if (n == 0 || n >= NAME || depth == DEPTH) return false;
    if (closing) {
      if (depth == 0 || strlen(open[depth - 1]) != n || strncmp(open[depth - 1], p, n) != 0 ||
          p[n] != '>')
        return false;
      depth--;
      p += n + 1;
      continue;
    }
    snprintf(open[depth], NAME, "%.*s", (int)n, p);
    if (depth == 0 && roots++ > 0) return false;
    p = skip_attributes(p + n);
    if (!p) return false;
    if (*p == '/')
      p++;
    else
      depth++;
    p++;
  }
  return depth == 0 && roots == 1;
}

static void the_judge_judges(void **u) {
  (void)u;
  assert_true(well_formed("<a b=\"1\"><c/>x &amp; y</a>"));
  assert_false(well_formed("<a><b></a></b>"));
  assert_false(well_formed("<a b=1/>"));
  assert_false(well_formed("<a>&</a>"));
  assert_false(well_formed("<a/><b/>"));
  assert_false(well_formed("<a>"));
}

// ---- figures ----------------------------------------------------------------------------------------

static char *svg(const tr_figure *f) {
  char *text;
  size_t size;
  tr_error e = {0};
  assert_int_equal(tr_figure_svg(f, NULL, &text, &size, &e), TR_OK);
  assert_int_equal(strlen(text), size);
  assert_true(well_formed(text));
  assert_null(strstr(text, "nan"));
  assert_null(strstr(text, "inf"));
  return text;
}

static tr_axis axis(const char *label, bool is_log) {
  return (tr_axis){.label = label, .log = is_log, .min = NAN, .max = NAN};
}

// Every style, labels that want escaping, gaps, slopes.
static void curves(void **u) {
  (void)u;
  static const double slopes[] = {1, 2, -1};
  double x[12][6], y[12][6];
  tr_series s[13];
  for (int k = 0; k < 12; k++) {
    for (int i = 0; i < 6; i++) x[k][i] = ldexp(1, -6 - i), y[k][i] = (k + 1) * x[k][i] * x[k][i];
    y[k][k % 6] = k % 3 == 0 ? NAN : k % 3 == 1 ? 0 : INFINITY;
    s[k] = (tr_series){"a < b & \"c\"", k, true, true, 6, x[k], y[k], NULL, NULL};
  }
  s[12] = (tr_series){"exact", -1, true, false, 6, x[0], y[0], NULL, NULL};
  tr_panel p = {"<title>", axis("step h / s", true), axis("error & more", true), 13, s, 3, slopes};
  tr_figure f = {"f", "a figure \x01 with & in it", 1, 1, &p};
  char *text = svg(&f);
  assert_non_null(strstr(text, "a &lt; b &amp; &quot;c&quot;"));
  assert_non_null(strstr(text, "<polygon"));
  free(text);
}

// Curves everywhere: the triangles of all slopes are there all the same.
static void crowded(void **u) {
  (void)u;
  static const double slopes[] = {1, 2, 5};
  double x[6], y[40][6];
  tr_series s[40];
  for (int i = 0; i < 6; i++) x[i] = ldexp(1, -6 - i);
  for (int k = 0; k < 40; k++) {
    for (int i = 0; i < 6; i++) y[k][i] = pow(10, 0.25 * k) * x[i];
    s[k] = (tr_series){"s", k % 16, true, true, 6, x, y[k], NULL, NULL};
  }
  tr_panel p = {NULL, axis("h / s", true), axis("error", true), 40, s, 3, slopes};
  tr_figure f = {"f", NULL, 1, 1, &p};
  char *text = svg(&f);
  int triangles = 0;
  for (const char *at = text; (at = strstr(at, "fill=\"#f2f2f2\"")) != NULL; at++) triangles++;
  assert_int_equal(triangles, 3);
  free(text);
}

// More series than the key names: it says how many it leaves out.
static void many_names(void **u) {
  (void)u;
  enum { MANY = 70 };
  static const double x[] = {1, 2}, y[] = {1, 3};
  char name[MANY][8];
  tr_series s[MANY];
  for (int k = 0; k < MANY; k++) {
    snprintf(name[k], sizeof name[k], "m%d", k);
    s[k] = (tr_series){name[k], k, true, true, 2, x, y, NULL, NULL};
  }
  tr_panel p[2];
  for (int k = 0; k < 2; k++)
    p[k] = (tr_panel){NULL, axis("h", true), axis("e", true), MANY, s, 0, NULL};
  tr_figure f = {"f", NULL, 2, 2, p};
  char *text = svg(&f);
  assert_non_null(strstr(text, ">m63<"));
  assert_null(strstr(text, ">m64<"));
  assert_non_null(strstr(text, ">and 6 more, drawn above but not named here<"));
  free(text);
}

// The label of the y axis keeps clear of its widest number, 5 10^-16.
static void label_beside_numbers(void **u) {
  (void)u;
  static const double x[] = {1, 2}, y[] = {2.1e-16, 1.2e-15};
  tr_series s = {"s", 0, true, true, 2, x, y, NULL, NULL};
  tr_panel p = {NULL, axis("x", false), axis("label", true), 1, &s, 0, NULL};
  tr_figure f = {"f", NULL, 1, 1, &p};
  char *text = svg(&f);
  double frame = 0, label = 0;
  const char *tick = strstr(text, "text-anchor=\"end\">5");
  const char *turned = strstr(text, "rotate(-90 ");
  assert_non_null(tick);
  assert_non_null(turned);
  while (strncmp(tick, "x=\"", 3) != 0) tick--;
  assert_int_equal(sscanf(tick, "x=\"%lf", &frame), 1);
  assert_int_equal(sscanf(turned, "rotate(-90 %lf", &label), 1);
  assert_true(frame - label > 46); // "5.10" of 12 and "-16" of 8.5 pixels high
  assert_true(label > 12);
  free(text);
}

// Nothing at all, one point, equal points, huge and tiny numbers, on both kinds of axis.
static void odd_data(void **u) {
  (void)u;
  static const double sets[][4] = {
      {NAN, NAN, NAN, NAN},     {0, 0, 0, 0},       {1, 1, 1, 1},
      {1e-300, 1, 1e300, 2},    {-5, -4, -3, -2},   {1e-13, 2e-13, 0, 1e-14},
      {1e6, 1e6 + 1, 1e6, 1e6}, {1, INFINITY, 2, 3}};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    for (int is_log = 0; is_log < 2; is_log++) {
      tr_series s = {"s", 0, true, true, 4, sets[i], sets[i], sets[i], sets[i]};
      tr_panel p[6];
      for (int k = 0; k < 6; k++)
        p[k] = (tr_panel){NULL, axis("x", is_log), axis("y", is_log), k > 0, &s, 0, NULL};
      tr_figure f = {"f", NULL, 6, 4, p};
      free(svg(&f));
    }
}

static void categories(void **u) {
  (void)u;
  static const char *const names[] = {"one", "two & a half"};
  static const double x[] = {1, 2}, y[] = {0, 1}, low[] = {0.5, 1.5}, high[] = {1.5, 2.5};
  tr_series s = {NULL, 3, false, true, 2, x, y, low, high};
  tr_panel p = {"t", axis("time / s", false), axis("", false), 1, &s, 0, NULL};
  p.y.categories = names, p.y.ncategory = 2;
  tr_figure f = {"f", "t", 1, 1, &p};
  char *text = svg(&f);
  assert_non_null(strstr(text, "two &amp; a half"));
  free(text);
}

// ---- tables -----------------------------------------------------------------------------------------

static void tables(void **u) {
  (void)u;
  static const tr_column c[] = {{"method", "", 0}, {"h", "s", 3}};
  static const tr_cell cell[] = {{"a,b \"c\"", 0}, {NULL, 0.1}, {"d", 0}, {NULL, NAN}};
  tr_table t = {"t", "A table", 2, 2, c, cell};
  char file_name[] = "/tmp/trammel-table-XXXXXX", got[256] = "";
  int file = mkstemp(file_name);
  assert_true(file >= 0);
  close(file);
  tr_error e = {0};
  assert_int_equal(tr_table_write_csv(&t, file_name, &e), TR_OK);
  FILE *f = fopen(file_name, "r");
  assert_true(fread(got, 1, sizeof got - 1, f) > 0);
  fclose(f);
  assert_string_equal(got, "method,h [s]\n\"a,b \"\"c\"\"\",0.10000000000000001\nd,\n");
  tr_page page = {"Page", 0, 1, 0, NULL, &t, NULL};
  assert_int_equal(tr_page_write_markdown(&page, file_name, &e), TR_OK);
  assert_int_equal(tr_table_write_csv(&t, "/nowhere/at/all", &e), TR_BAD_FILE);
  assert_non_null(strstr(e.text, "/nowhere/at/all"));
  unlink(file_name);
}

static tr_status read_text(const char *text, tr_csv_table **t, tr_error *e) {
  char file_name[] = "/tmp/trammel-table-XXXXXX";
  int file = mkstemp(file_name);
  assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
  close(file);
  *e = (tr_error){0};
  tr_status status = tr_csv_read(file_name, t, e);
  unlink(file_name);
  return status;
}

static void reading(void **u) {
  (void)u;
  tr_csv_table *t;
  tr_error e;
  assert_int_equal(read_text("t,a.x\r\n0,1e-3\n0.5,\n\n1,3\n", &t, &e), TR_OK);
  assert_int_equal(t->columns, 2);
  assert_int_equal(t->rows, 3);
  assert_string_equal(t->name[1], "a.x");
  assert_true(t->value[1] == 1e-3 && isnan(t->value[3]) && t->value[5] == 3);
  tr_csv_table_free(t);
  static const char *const bad[] = {"",         "t,a\n",      "t,,a\n0,1,2\n",
                                    "t,a\n1\n", "t,a\n1,x\n", "t,a\n1,2,3\n"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(read_text(bad[i], &t, &e), TR_BAD_FILE);
    assert_null(t);
    assert_true(e.count == 1);
  }
  assert_int_equal(tr_csv_read("/nowhere.csv", &t, &e), TR_BAD_FILE);
  tr_csv_table_free(NULL);
}

// Two labelled ticks at least on a linear axis, wherever it begins and ends, and no crowd: each its 20 pixels.
static void ticks(void **u) {
  (void)u;
  srand(1);
  for (int i = 0; i < 10000; i++) {
    double middle = 2.0 * rand() / RAND_MAX - 1, half = pow(10, 3.0 * rand() / RAND_MAX - 3);
    double size = pow(10, 24.0 * rand() / RAND_MAX - 12), room = 100 + 400.0 * rand() / RAND_MAX;
    plot_scale s = {.lo = size * (middle - half), .hi = size * (middle + half), .p1 = room};
    plot_ticks t = tr_plot_ticks_of(&s);
    if (t.n < 2 || t.n * 20 > room)
      fail_msg("%d ticks on %g pixels from %g to %g", t.n, room, s.lo, s.hi);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_judge_judges), cmocka_unit_test(curves),
      cmocka_unit_test(crowded),          cmocka_unit_test(odd_data),
      cmocka_unit_test(categories),       cmocka_unit_test(tables),
      cmocka_unit_test(reading),          cmocka_unit_test(ticks),
      cmocka_unit_test(many_names),       cmocka_unit_test(label_beside_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
