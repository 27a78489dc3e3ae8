// SPDX-License-Identifier: Apache-2.0
// Studies in tests: run one, look into its tables and notes.
#ifndef TR_HELPER_STUDY_H
#define TR_HELPER_STUDY_H

#include <math.h>
#include <string.h>

#include "helper_mechanics.h"

static inline tr_study *run_study(const tr_system *sys, tr_study_kind kind,
                                  const tr_study_settings *set) {
  tr_study *out;
  tr_error e = {0};
  tr_status status = tr_study_run(sys, kind, set, &out, &e);
  if (status != TR_OK) fail_msg("%s", e.text);
  return out;
}

static inline const tr_table *table(const tr_study *s, const char *name) {
  for (int i = 0; i < s->page.tables; i++)
    if (strcmp(s->page.table[i].name, name) == 0) return &s->page.table[i];
  fail_msg("no table %s", name);
  return NULL;
}

// A number by row and the name of its column.
static inline double number(const tr_table *t, int row, const char *column) {
  for (int j = 0; j < t->columns; j++)
    if (strcmp(t->column[j].name, column) == 0) return t->cell[(size_t)row * t->columns + j].number;
  fail_msg("no column %s", column);
  return NAN;
}

static inline int count_notes(const tr_study *s, const char *words) {
  int n = 0;
  for (int i = 0; i < s->page.notes; i++) n += strstr(s->page.note[i], words) != NULL;
  return n;
}

static inline bool has_note(const tr_study *s, const char *words) {
  return count_notes(s, words) > 0;
}

#endif
