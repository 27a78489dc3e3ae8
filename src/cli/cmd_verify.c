// SPDX-License-Identifier: Apache-2.0
// trammel verify: the tables of the papers, published | computed | difference.
//
// Exit code 1 when a number, rounded to the printed digits, is more than one unit of the last digit away
// from the printed one. Text and Markdown appear as the numbers come.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study.h"

enum { JSON, MARKDOWN, LIST, PLOTS, QUIET };
enum { LABEL = 66 };

static const option options_verify[] = {
    [JSON] = {"json", 0, NULL, "one JSON object on standard output"},
    [MARKDOWN] = {"markdown", 0, NULL, "Markdown tables on standard output"},
    [LIST] = {"list", 0, NULL, "names of the groups and what they are"},
    [PLOTS] = {"plots", 0, "DIR", "figures of the groups that have some, as SVG"},
    [QUIET] = {"quiet", 'q', NULL, "no progress line; as text only what is off, and the count"},
    {0},
};

typedef struct report {
  tr_verifier verifier;
  progress line;
  unsigned given;
  json json;
  const char *plots; // directory, or NULL
  tr_error *error;
  int numbers, digits,
      off; // printed ones, reproduced in every digit, not even to one unit of the last
  int bounds, crossed;
} report;

static bool has(const report *r, int which) { return r->given & 1u << which; }

// ---- groups ---------------------------------------------------------------------------------------

static void open_group(report *r, tr_verify_group g) {
  if (has(r, JSON)) {
    json_open(&r->json, NULL, '{');
    json_text(&r->json, "name", g.name);
    json_text(&r->json, "doc", g.doc);
    json_text(&r->json, "reference", g.reference);
    json_open(&r->json, "entries", '[');
  } else if (has(r, MARKDOWN)) {
    printf("## %s\n\n%s [%s]\n\n", g.name, g.doc, g.reference);
    puts("| | published | computed | difference | |\n|---|---|---|---|---|");
  } else if (!has(r, QUIET)) {
    printf("%s: %s [%s]\n", g.name, g.doc, g.reference);
    printf("  %-*s %10s %13s %11s\n", LABEL, "", "published", "computed", "difference");
  }
}

static void close_group(report *r) {
  if (has(r, JSON)) {
    json_close(&r->json);
    json_close(&r->json);
  } else if (has(r, MARKDOWN) || !has(r, QUIET)) {
    putchar('\n');
  }
}

// ---- entries --------------------------------------------------------------------------------------

static void entry_json(json *j, const tr_verify_entry *e) {
  json_open(j, NULL, '{');
  json_text(j, "label", e->label);
  json_text(j, "unit", e->unit);
  json_text(j, "published", e->published);
  json_number(j, "computed", e->computed);
  json_number(j, "difference", e->difference);
  json_bool(j, "bound", e->bound);
  json_bool(j, "digits", e->digits);
  json_bool(j, "ok", e->ok);
  json_text(j, "note", e->note);
  json_close(j);
}

// A bar ends a cell: \|.
static void put_cell(const char *text) {
  fputs("| ", stdout);
  for (; *text; text++) {
    if (*text == '|') putchar('\\');
    putchar(*text);
  }
  putchar(' ');
}

static void entry_text(const report *r, const tr_verify_entry *e) {
  char label[256], computed[32], difference[32] = "";
  bool power = strpbrk(e->published, "eE");
  snprintf(label, sizeof label, "%s%s%s", e->label, *e->unit ? ", " : "", e->unit);
  snprintf(computed, sizeof computed, power ? "%.5e" : "%.5f", e->computed);
  if (isfinite(e->difference)) snprintf(difference, sizeof difference, "%.1e", e->difference);
  bool holds = e->bound && strcmp(e->published, "-") != 0;
  const char *verdict = !e->ok ? "OFF" : holds ? "holds" : e->digits ? "" : "last digit";
  const char *comma = *verdict && *e->note ? "; " : "";
  if (has(r, MARKDOWN)) {
    put_cell(label);
    printf("| %s | %s | %s | %s%s%s |\n", e->published, computed, difference, verdict, comma,
           e->note);
  } else if (!has(r, QUIET) || !e->ok) {
    printf("  %-*s %10s %13s %11s%s%s%s%s\n", LABEL, label, e->published, computed, difference,
           *verdict || *e->note ? "  " : "", verdict, comma, e->note);
  }
}

static tr_status on_entry(tr_verifier *self, const tr_verify_entry *e) {
  report *r = (report *)self;
  if (!e->bound)
    r->numbers++, r->digits += e->digits, r->off += !e->ok;
  else if (strcmp(e->published, "-") != 0 || !e->ok)
    r->bounds++, r->crossed += !e->ok;
  progress_clear(&r->line);
  if (has(r, JSON))
    entry_json(&r->json, e);
  else
    entry_text(r, e);
  return TR_OK;
}

static tr_status on_progress(tr_verifier *self, const char *group, double done) {
  return progress_note(&((report *)self)->line, group, done);
}

static tr_status on_figure(tr_verifier *self, const tr_figure *figure) {
  report *r = (report *)self;
  char path[DIRECTORY_SIZE + 64];
  snprintf(path, sizeof path, "%s/%s.svg", r->plots, figure->name);
  return tr_figure_write_svg(figure, path, r->error);
}

// ---- the command ----------------------------------------------------------------------------------

static int find_group(const command *self, const char *name) {
  enum { MAX_GROUPS = 64 };
  const char *names[MAX_GROUPS + 1] = {0};
  for (int g = 0; g < tr_verify_count() && g < MAX_GROUPS; g++) {
    names[g] = tr_verify_describe(g).name;
    if (strcmp(names[g], name) == 0) return g;
  }
  const char *near = nearest(name, names);
  if (near)
    usage_error(self, "no group \"%s\"; did you mean %s?", name, near);
  else
    usage_error(self, "no group \"%s\"; trammel verify --list shows them", name);
  return -1;
}

// Marks the groups named on the command line. -1: go on, else the exit code.
static int read_words(const command *self, int argc, char **argv, report *r, bool *chosen) {
  options o = {.command = self, .argc = argc, .argv = argv};
  bool any = false;
  for (int i; (i = next_option(&o)) != OPTION_END;) {
    if (i == OPTION_HELP) return print_help(self), EXIT_OK;
    if (i == OPTION_BAD) return EXIT_USAGE;
    if (i >= 0) {
      r->given |= 1u << i;
      if (i == PLOTS) r->plots = o.value;
      continue;
    }
    int g = find_group(self, o.value);
    if (g < 0) return EXIT_USAGE;
    any = chosen[g] = true;
  }
  if (has(r, JSON) && has(r, MARKDOWN))
    return usage_error(self, "--json and --markdown exclude each other");
  for (int g = 0; g < tr_verify_count() && !any; g++) chosen[g] = true;
  return -1;
}

static int list_groups(void) {
  for (int g = 0; g < tr_verify_count(); g++)
    printf("%-22s %s\n", tr_verify_describe(g).name, tr_verify_describe(g).doc);
  return EXIT_OK;
}

static void close_report(report *r, tr_status status, const tr_error *error) {
  progress_clear(&r->line);
  if (has(r, JSON)) {
    json_close(&r->json);
    json_text(&r->json, "status",
              status == TR_STOPPED                         ? "interrupted"
              : status != TR_OK || r->off + r->crossed > 0 ? "failed"
                                                           : "ok");
    if (status != TR_OK && status != TR_STOPPED) json_error(&r->json, error);
    json_int(&r->json, "count", r->numbers);
    json_int(&r->json, "digits", r->digits);
    json_int(&r->json, "off", r->off);
    json_int(&r->json, "bounds", r->bounds);
    json_int(&r->json, "bounds_crossed", r->crossed);
    json_close(&r->json);
    return;
  }
  if (r->numbers > 0 || r->bounds == 0)
    printf(
        "%d numbers: %d agree in every printed digit, %d but for one unit of the last, %d are "
        "off\n",
        r->numbers, r->digits, r->numbers - r->digits - r->off, r->off);
  if (r->bounds > 0)
    printf("%d bounds and trends: %d hold, %d do not\n", r->bounds, r->bounds - r->crossed,
           r->crossed);
}

static int verify(report *r, const bool *chosen) {
  tr_error error = {0};
  tr_status status = TR_OK;
  r->error = &error;
  if (r->plots && !make_directory(r->plots)) return EXIT_FILE;
  if (r->plots) r->verifier.figure = on_figure;
  r->line = progress_start(has(r, QUIET));
  catch_interrupts();
  if (has(r, JSON)) {
    json_open(&r->json, NULL, '{');
    json_open(&r->json, "groups", '[');
  }
  for (int g = 0; g < tr_verify_count() && status == TR_OK; g++) {
    if (!chosen[g]) continue;
    open_group(r, tr_verify_describe(g));
    status = tr_verify(g, &r->verifier, &error);
    close_group(r);
  }
  if (error.status == TR_OK) error.status = status;
  close_report(r, status, &error);
  if (status == TR_STOPPED) return complain("interrupted"), EXIT_INTERRUPTED;
  if (status != TR_OK) return print_error(&error), exit_code(status);
  return r->off + r->crossed > 0 ? EXIT_NUMERIC : EXIT_OK;
}

static int run(const command *self, int argc, char **argv) {
  report r = {.verifier = {.entry = on_entry, .progress = on_progress}, .json = {.to = stdout}};
  bool *chosen = calloc((size_t)tr_verify_count() + 1, sizeof *chosen);
  int code = chosen ? read_words(self, argc, argv, &r, chosen) : EXIT_NUMERIC;
  if (code < 0) code = has(&r, LIST) ? list_groups() : verify(&r, chosen);
  free(chosen);
  return code;
}

const command command_verify = {
    "verify", "[GROUP]... [--list] [--json | --markdown] [--plots DIR] [--quiet]",
    "computes published results anew and compares, digit by digit", options_verify, run};
