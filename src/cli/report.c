// SPDX-License-Identifier: Apache-2.0
// Messages on stderr and JSON on stdout.
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "cli.h"

void put_plain(FILE *to, const char *text, size_t n) {
  for (size_t i = 0; i < n && text[i]; i++) {
    unsigned char c = (unsigned char)text[i];
    fputc((c < ' ' && c != '\n' && c != '\t') || c == 127 ? '?' : c, to);
  }
}

static void put_formatted(FILE *to, const char *format, va_list args) {
  char text[TR_ERROR_SIZE];
  vsnprintf(text, sizeof text, format, args);
  put_plain(to, text, sizeof text);
}

void complain(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("trammel: ", stderr);
  put_formatted(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
}

int usage_error(const command *self, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "trammel %s: ", self->name);
  put_formatted(stderr, format, args);
  fprintf(stderr, "\ntry: trammel %s --help\n", self->name);
  va_end(args);
  return EXIT_USAGE;
}

// "file:3:7: ..." stands as it is, for editors; the rest is marked as ours.
static bool has_place(const char *line, size_t n) {
  const char *end = line + n;
  for (const char *p = line; p + 2 < end && *p != ' '; p++)
    if (*p == ':' && p[1] >= '0' && p[1] <= '9') return true;
  return false;
}

void print_error(const tr_error *error) {
  int lines = 0;
  for (const char *line = error->text; *line; lines++) {
    size_t n = strcspn(line, "\n");
    if (!has_place(line, n)) fputs("trammel: ", stderr);
    put_plain(stderr, line, n);
    fputc('\n', stderr);
    line += n + (line[n] == '\n');
  }
  if (lines == 0) complain("%s", tr_status_text(error->status));
  if (error->count > lines && lines > 0) complain("and %d more", error->count - lines);
}

int exit_code(tr_status status) {
  switch (status) {
    case TR_OK: return EXIT_OK;
    case TR_BAD_INPUT: return EXIT_MODEL;
    case TR_BAD_FILE: return EXIT_FILE;
    case TR_STOPPED: return EXIT_INTERRUPTED;
    default: return EXIT_NUMERIC;
  }
}

const char *model_name(const tr_system *system, const char *path) {
  const char *name = tr_system_describe(system).name;
  return name && *name ? name : path;
}

const char *channel_name(const tr_system *system, int channel, char name[NAME_SIZE]) {
  tr_channel_name(system, channel, name, NAME_SIZE);
  return name;
}

int channel_width(const tr_system *system, bool raw) {
  int width = 1;
  for (int c = 0; c < tr_channel_count(system); c++) {
    int n = raw || !tr_channel_is_raw(system, c) ? tr_channel_name(system, c, NULL, 0) : 0;
    if (n > width) width = n;
  }
  return width;
}

// ---- JSON -----------------------------------------------------------------------------------------

static void put_text(FILE *to, const char *text) {
  fputc('"', to);
  for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
    if (*p == '"' || *p == '\\')
      fprintf(to, "\\%c", *p);
    else if (*p == '\n')
      fputs("\\n", to);
    else if (*p < 0x20)
      fprintf(to, "\\u%04x", *p);
    else
      fputc(*p, to);
  }
  fputc('"', to);
}

static void begin(json *j, const char *key) {
  if (j->depth > 0) fprintf(j->to, "%s\n%*s", j->first ? "" : ",", 2 * j->depth, "");
  j->first = false;
  if (!key) return;
  put_text(j->to, key);
  fputs(": ", j->to);
}

void json_open(json *j, const char *key, char bracket) {
  begin(j, key);
  fputc(bracket, j->to);
  j->closer[j->depth++] = bracket == '{' ? '}' : ']';
  j->first = true;
}

void json_close(json *j) {
  j->depth--;
  if (!j->first) fprintf(j->to, "\n%*s", 2 * j->depth, "");
  fputc(j->closer[j->depth], j->to);
  j->first = false;
  if (j->depth == 0) fputc('\n', j->to);
}

void json_text(json *j, const char *key, const char *text) {
  begin(j, key);
  if (text)
    put_text(j->to, text);
  else
    fputs("null", j->to);
}

void json_number(json *j, const char *key, double value) {
  begin(j, key);
  if (isfinite(value))
    fprintf(j->to, "%.17g", value);
  else
    fputs("null", j->to);
}

void json_int(json *j, const char *key, long value) {
  begin(j, key);
  fprintf(j->to, "%ld", value);
}

void json_bool(json *j, const char *key, bool value) {
  begin(j, key);
  fputs(value ? "true" : "false", j->to);
}

void json_items(json *j, const char *lines) {
  char line[NAME_SIZE];
  for (; *lines; lines += strcspn(lines, "\n") + 1) {
    snprintf(line, sizeof line, "%.*s", (int)strcspn(lines, "\n"), lines);
    json_text(j, NULL, line);
  }
}

void json_lines(json *j, const char *key, const char *lines) {
  json_open(j, key, '[');
  json_items(j, lines);
  json_close(j);
}

void json_error(json *j, const tr_error *error) {
  char text[TR_ERROR_SIZE];
  size_t n = (size_t)snprintf(text, sizeof text, "%s", error->text);
  if (n > 0 && text[n - 1] == '\n') text[n - 1] = '\0';
  json_text(j, "error", *text ? text : tr_status_text(error->status));
}

void json_failure(const char *path, const tr_error *error) {
  json j = {.to = stdout};
  json_open(&j, NULL, '{');
  json_text(&j, "file", path);
  json_text(&j, "status", "failed");
  json_error(&j, error);
  json_close(&j);
}
