// SPDX-License-Identifier: Apache-2.0
// Published results: the groups, and the rule by which a number agrees with a printed one.
//
// A printed "7.72e-2" has a last digit worth 1e-4, the unit. The computed number is rounded to units;
// then it must be the printed one, or one unit off. Bounds, "< 1e-9", are taken as they are. "-": nothing
// was printed.
#include "verify.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUP(g) extern const verify_group g;
#include "verify_list.h"
#undef GROUP
#define GROUP(g) &g,
static const verify_group *const groups[] = {
#include "verify_list.h"
};
#undef GROUP

int tr_verify_count(void) { return (int)(sizeof groups / sizeof *groups); }

tr_verify_group tr_verify_describe(int group) {
  if (group < 0 || group >= tr_verify_count()) return (tr_verify_group){"", "", ""};
  return groups[group]->info;
}

tr_status tr_verify(int group, tr_verifier *verifier, tr_error *error) {
  if (group < 0 || group >= tr_verify_count())
    return tr_fail(error, TR_BAD_INPUT, NULL, "there is no group %d of published results", group);
  const verify_group *g = groups[group];
  verify v = {.out = verifier, .group = g->info.name, .error = error, .expected = g->runs};
  if (verifier->progress) TR_TRY(verifier->progress(verifier, v.group, 0));
  return g->run(&v);
}

// ---- the rule -------------------------------------------------------------------------------------

// Decimal place of the last printed digit: "7.72e-2" -> -4, "8.00" -> -2, "2" -> 0.
static int last_place(const char *text) {
  const char *e = strpbrk(text, "eE"), *dot = strchr(text, '.');
  size_t end = e ? (size_t)(e - text) : strlen(text);
  int place = e ? atoi(e + 1) : 0;
  if (dot && (size_t)(dot - text) < end) place -= (int)(text + end - dot) - 1;
  return place;
}

void verify_compare(const char *published, double computed, tr_verify_entry *e) {
  e->published = published;
  e->computed = computed;
  if (strchr("<>-", published[0]) && !isdigit((unsigned char)published[1])) {
    double bound = strtod(published + 1, NULL);
    e->bound = true;
    e->difference = NAN;
    e->ok = e->digits = published[0] == '<'   ? computed < bound
                        : published[0] == '>' ? computed > bound
                                              : isfinite(computed);
    return;
  }
  double value = strtod(published, NULL), places = pow(10, -last_place(published));
  double off = fabs(round(computed * places) - round(value * places)); // in units
  e->difference = computed - value;
  e->digits = off == 0;
  e->ok = off <= 1;
}

tr_status verify_entry(verify *v, const char *unit, const char *published, double computed,
                       const char *note, const char *label, ...) {
  char text[160];
  va_list args;
  va_start(args, label);
  vsnprintf(text, sizeof text, label, args);
  va_end(args);
  tr_verify_entry e = {.group = v->group, .label = text, .unit = unit, .note = note ? note : ""};
  verify_compare(published, computed, &e);
  return v->out->entry(v->out, &e);
}
