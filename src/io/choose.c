// SPDX-License-Identifier: Apache-2.0
// Channels by name, element or shell pattern.
//
// A word is tried as a full name first, since names of elements may hold characters that mean
// something in a pattern ("link[3].x"); then as an element's name; then as a pattern.
#include <fnmatch.h>
#include <string.h>

#include "base/base.h"
#include "system/system.h"
#include "trammel/output.h"

enum { LONGEST_NAME = 512 };

static bool matches(const tr_system *system, int channel, const char *pattern) {
  char name[LONGEST_NAME];
  tr_channel_name(system, channel, name, sizeof name);
  size_t n = strlen(pattern);
  if (strncmp(name, pattern, n) == 0 && (name[n] == '\0' || name[n] == '.')) return true;
  return fnmatch(pattern, name, 0) == 0;
}

static void add(int channel, int *channels, int *count) {
  for (int i = 0; i < *count; i++)
    if (channels[i] == channel) return;
  channels[(*count)++] = channel;
}

tr_status tr_channels_choose(const tr_system *system, int n, const char *const *patterns,
                             int *channels, int *count, tr_error *error) {
  tr_status status = TR_OK;
  int all = tr_channel_count(system);
  *count = 0;
  for (int c = 0; n == 0 && c < all; c++) channels[(*count)++] = c;
  for (int i = 0; i < n; i++) {
    int exact = tr_channel_find(system, patterns[i]), found = 0;
    if (exact >= 0) add(exact, channels, count);
    for (int c = 0; exact < 0 && c < all; c++) {
      if (!matches(system, c, patterns[i])) continue;
      add(c, channels, count);
      found++;
    }
    if (exact < 0 && found == 0) {
      // the model's own choice has a place in its file
      bool own = patterns == system->plan.output;
      status = tr_fail(error, TR_BAD_INPUT, own ? &system->plan.output_place[i] : NULL,
                       "output \"%s\" matches no channel of the model; see `trammel outputs`",
                       patterns[i]);
    }
  }
  return status;
}
