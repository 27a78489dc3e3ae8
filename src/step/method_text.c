// SPDX-License-Identifier: Apache-2.0
// Methods by text: "name:key=value,key=value", and back.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "step.h"

static const tr_method *named(const char *name, size_t n) {
  for (int i = 0; tr_methods()[i]; i++) {
    const tr_method *m = tr_methods()[i];
    if (strlen(m->info.name) == n && !strncmp(m->info.name, name, n)) return m;
  }
  return NULL;
}

static const char between[] = "methods of a list are separated by \";\"";

static const tr_method *find(const char *name, size_t n, tr_error *error) {
  const tr_method *m = named(name, n);
  if (m) return m;
  const char *names[64] = {0};
  for (int i = 0; tr_methods()[i] && i < 63; i++) names[i] = tr_methods()[i]->info.name;
  char word[64];
  snprintf(word, sizeof word, "%.*s", (int)n, name);
  size_t first = strcspn(word, " ,");
  const char *rest = word + first + strspn(word + first, " ,");
  if (*rest && named(word, first)) {
    bool list = named(rest, strcspn(rest, " ,"));
    tr_fail(error, TR_BAD_INPUT, NULL, "unknown method \"%s\" (%s)", word,
            list ? between : "a \":\" must stand between a method and its parameters");
    return NULL;
  }
  const char *near = tr_did_you_mean(word, names);
  tr_fail(error, TR_BAD_INPUT, NULL,
          near ? "unknown method \"%s\" (did you mean \"%s\"?)"
               : "unknown method \"%s\"; see `trammel list methods`",
          word, near);
  return NULL;
}

static const tr_field *field(const tr_method *m, const char *key) {
  for (const tr_field *f = m->info.fields; f && f->name; f++)
    if (!strcmp(f->name, key)) return f;
  return NULL;
}

static tr_status choose(const tr_method *m, const tr_field *f, const char *text, int *out,
                        tr_error *error) {
  for (int i = 0; f->choices[i]; i++)
    if (!strcmp(f->choices[i], text)) {
      *out = i;
      return TR_OK;
    }
  const char *near = tr_did_you_mean(text, f->choices);
  return tr_fail(error, TR_BAD_INPUT, NULL, "method %s: %s cannot be \"%s\"%s%s%s", m->info.name,
                 f->name, text, near ? " (did you mean \"" : "", near ? near : "",
                 near ? "\"?)" : "");
}

static tr_status set(const tr_method *m, const tr_field *f, const char *text, void *par,
                     tr_error *error) {
  void *at = (char *)par + f->offset;
  if (f->kind == TR_CHOICE) return choose(m, f, text, at, error);
  double x;
  tr_error why = {0};
  tr_status status = tr_number(text, f->quantity, &x, &why);
  if (status == TR_NO_MEMORY) return tr_no_memory(error);
  if (status != TR_OK)
    return tr_fail(error, TR_BAD_INPUT, NULL, "method %s: %s: %.*s", m->info.name, f->name,
                   (int)strcspn(why.text, "\n"), why.text);
  if (f->min < f->max && !(x >= f->min - 1e-12 && x <= f->max + 1e-12))
    return tr_fail(error, TR_BAD_INPUT, NULL, "method %s: %s = %g is outside [%g, %g]",
                   m->info.name, f->name, x, f->min, f->max);
  if (f->kind == TR_INT) {
    if (x != nearbyint(x))
      return tr_fail(error, TR_BAD_INPUT, NULL, "method %s: %s must be a whole number",
                     m->info.name, f->name);
    *(int *)at = (int)x;
  } else {
    *(double *)at = x;
  }
  return TR_OK;
}

static tr_status no_parameter(const tr_method *m, const char *key, tr_error *error) {
  const char *names[64] = {0};
  char all[256] = "none";
  int n = 0;
  size_t size = 0;
  for (const tr_field *f = m->info.fields; f && f->name && n < 63; f++) {
    if (size < sizeof all)
      size += (size_t)snprintf(all + size, sizeof all - size, "%s%s", n ? ", " : "", f->name);
    names[n++] = f->name;
  }
  const char *near = tr_did_you_mean(key, names);
  return tr_fail(error, TR_BAD_INPUT, NULL,
                 near ? "method %s has no parameter \"%s\" (did you mean \"%s\"?)"
                      : "method %s has no parameter \"%s\" (it has: %s)",
                 m->info.name, key, near ? near : all);
}

// One "key=value" of the text.
static tr_status set_pair(const tr_method *m, char *pair, void *par, unsigned *seen,
                          tr_error *error) {
  if (named(pair, strcspn(pair, ":=")))
    return tr_fail(error, TR_BAD_INPUT, NULL, "method %s: \"%s\" is no parameter (%s)",
                   m->info.name, pair, between);
  char *eq = strchr(pair, '=');
  if (!eq)
    return tr_fail(error, TR_BAD_INPUT, NULL, "method %s: \"%s\" is not of the form key=value",
                   m->info.name, pair);
  *eq = 0;
  const tr_field *f = field(m, pair);
  unsigned bit = f ? 1u << (f - m->info.fields) : 0;
  if (*seen & bit)
    return tr_fail(error, TR_BAD_INPUT, NULL, "method %s: %s is given twice", m->info.name, pair);
  *seen |= bit;
  return f ? set(m, f, eq + 1, par, error) : no_parameter(m, pair, error);
}

// Splits at commas outside parentheses, so that expressions may call functions.
static char *next_pair(char **rest) {
  char *start = *rest, *c = start;
  if (!start || !*start) return NULL;
  for (int depth = 0; *c && (*c != ',' || depth > 0); c++) depth += (*c == '(') - (*c == ')');
  *rest = *c ? c + 1 : c;
  *c = 0;
  return start;
}

tr_status tr_method_parse(tr_arena *ar, const char *text, const tr_method **method, void **par,
                          tr_error *error) {
  size_t n = strcspn(text, ":");
  const tr_method *m = find(text, n, error);
  if (!m) return TR_BAD_INPUT;
  void *p = tr_arena_get(ar, m->par_size);
  char *rest = tr_arena_text(ar, text[n] ? text + n + 1 : "", strlen(text) - n);
  if (!p || !rest) return tr_no_memory(error);
  for (const tr_field *f = m->info.fields; f && f->name; f++)
    TR_TRY(set(m, f, f->preset, p, error));
  size_t last = strlen(text) - 1; // text is not empty: it has a name
  if (text[n] && (text[last] == ':' || text[last] == ','))
    return tr_fail(error, TR_BAD_INPUT, NULL, "method %s: key=value must follow \"%c\"",
                   m->info.name, text[last]);
  unsigned seen = 0;
  for (char *pair; (pair = next_pair(&rest));) TR_TRY(set_pair(m, pair, p, &seen, error));
  const char *why = m->check ? m->check(p) : NULL;
  if (why) return tr_fail(error, TR_BAD_INPUT, NULL, "method %s: %s", m->info.name, why);
  *method = m;
  *par = p;
  return TR_OK;
}

tr_status tr_method_parse_at(tr_arena *ar, const char *text, const tr_place *place,
                             const tr_method **method, void **par, tr_error *error) {
  tr_error why = {0};
  tr_status status = tr_method_parse(ar, text, method, par, &why);
  if (status == TR_OK) return TR_OK;
  return tr_fail(error, status, place, "%.*s", (int)strcspn(why.text, "\n"), why.text);
}

tr_status tr_method_of_model(tr_arena *ar, const tr_system *sys, const tr_method **method,
                             void **par, tr_error *error) {
  return tr_method_parse_at(ar, sys->plan.method, &sys->plan.method_place, method, par, error);
}

const char *tr_method_text(tr_arena *ar, const tr_method *m, const void *par) {
  tr_text s = {.al = ar->al};
  tr_text_add(&s, "%s", m->info.name);
  for (const tr_field *f = m->info.fields; f && f->name; f++) {
    const void *at = (const char *)par + f->offset;
    tr_text_add(&s, "%s%s=", f == m->info.fields ? ":" : ",", f->name);
    if (f->kind == TR_CHOICE)
      tr_text_add(&s, "%s", f->choices[*(const int *)at]);
    else if (f->kind == TR_INT)
      tr_text_add(&s, "%d", *(const int *)at);
    else
      tr_text_add(&s, "%.15g", *(const double *)at);
  }
  const char *copy = s.failed ? NULL : tr_arena_text(ar, s.data, s.size);
  tr_text_free(&s);
  return copy;
}
