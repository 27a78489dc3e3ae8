// SPDX-License-Identifier: Apache-2.0
// Statuses, the collecting tr_error, and the nearest word for a misspelt one.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base.h"

const char *tr_version(void) { return TR_VERSION; }

const char *tr_status_text(tr_status status) {
  switch (status) {
    case TR_OK: return "ok";
    case TR_NO_CONVERGENCE: return "no convergence";
    case TR_SINGULAR: return "singular matrix";
    case TR_NOT_FINITE: return "not a finite number";
    case TR_NO_MEMORY: return "out of memory";
    case TR_BAD_INPUT: return "bad input";
    case TR_BAD_FILE: return "file cannot be read or written";
    case TR_INCONSISTENT: return "inconsistent start";
    case TR_STOPPED: return "stopped";
    case TR_FAILED: return "failed";
  }
  return "unknown status";
}

tr_status tr_fail(tr_error *error, tr_status status, const tr_place *place, const char *format,
                  ...) {
  if (!error) return status;
  if (error->status == TR_OK) error->status = status;
  error->count++;
  char line[1024];
  int n = 0;
  if (place && place->file && place->line > 0)
    n = snprintf(line, sizeof line, "%s:%d:%d: ", place->file, place->line, place->column);
  else if (place && place->file)
    n = snprintf(line, sizeof line, "%s: ", place->file);
  if (n < 0 || n >= (int)sizeof line) n = 0;
  va_list args;
  va_start(args, format);
  vsnprintf(line + n, sizeof line - (size_t)n, format, args);
  va_end(args);
  // Whole lines only: a message that does not fit is counted, not cut.
  size_t have = strlen(error->text), need = strlen(line);
  if (have + need + 2 <= TR_ERROR_SIZE) {
    memcpy(error->text + have, line, need);
    memcpy(error->text + have + need, "\n", 2);
  }
  return status;
}

tr_status tr_no_memory(tr_error *error) {
  return tr_fail(error, TR_NO_MEMORY, NULL, "out of memory");
}

enum { WORD = 48 };

// Edits (insert, delete, replace, swap neighbours) between two words, case ignored.
static int distance(const char *a, const char *b) {
  int n = (int)strlen(a), m = (int)strlen(b);
  if (n >= WORD || m >= WORD) return WORD;
  int d[WORD + 1][WORD + 1];
  for (int i = 0; i <= n; i++) d[i][0] = i;
  for (int j = 0; j <= m; j++) d[0][j] = j;
  for (int i = 1; i <= n; i++) {
    for (int j = 1; j <= m; j++) {
      int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
      int best = d[i - 1][j - 1] + (ca != cb);
      if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
      if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
          tolower((unsigned char)a[i - 2]) == cb && d[i - 2][j - 2] + 1 < best)
        best = d[i - 2][j - 2] + 1;
      d[i][j] = best;
    }
  }
  return d[n][m];
}

const char *tr_did_you_mean(const char *word, const char *const *candidates) {
  const char *best = NULL;
  // at most a third of the letters wrong, and in short words one
  int n = (int)strlen(word), best_distance = n < 3 ? 1 : (n + 1) / 3;
  for (int k = 0; candidates && candidates[k]; k++) {
    int d = distance(word, candidates[k]);
    if (d < best_distance || (d == best_distance && !best)) {
      best_distance = d;
      best = candidates[k];
    }
  }
  // or what begins with it: "ggl" for "ggl-bdf"
  for (int k = 0; !best && n > 2 && candidates && candidates[k]; k++)
    if (strncmp(candidates[k], word, (size_t)n) == 0) best = candidates[k];
  return best;
}
