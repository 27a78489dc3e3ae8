// SPDX-License-Identifier: Apache-2.0
// Channels by name, element or shell pattern.
//
// A word is tried as a full name first, since names of elements may hold characters that mean
// something in a pattern ("link[3].x"); then as an element's name; then as a pattern. Raw multipliers are in
// none of these but where the word says lam.
#include <fnmatch.h>
#include <string.h>

#include "base/base.h"
#include "system/system.h"
#include "trammel/output.h"

enum { LONGEST_NAME = 512 };

// What a pattern must say to mean raw multipliers as well.
static bool names_multipliers(const char *pattern) {
  const char *dot = strrchr(pattern, '.');
  return dot && strncmp(dot, ".lam", 4) == 0;
}

static bool matches(const tr_system *system, int channel, const char *pattern) {
  char name[LONGEST_NAME];
  tr_channel_name(system, channel, name, sizeof name);
  size_t n = strlen(pattern);
  if (strncmp(name, pattern, n) == 0 && (name[n] == '\0' || name[n] == '.')) return true;
  return fnmatch(pattern, name, 0) == 0;
}

// Whether some channel of an element may match: what the pattern says before its first wildcard.
static bool may_match(const char *element, const char *pattern) {
  size_t plain = strcspn(pattern, "*?[\\"), n = strlen(element);
  if (plain <= n) return strncmp(element, pattern, plain) == 0;
  return strncmp(element, pattern, n) == 0 && pattern[n] == '.';
}

// The channels chosen so far, and a mark for each.
typedef struct choice {
  int *channels, *count;
  bool *taken;
} choice;

static void add(choice *k, int channel) {
  if (!k->taken[channel]) k->channels[(*k->count)++] = channel;
  k->taken[channel] = true;
}

// How many channels match.
static int add_matching(const tr_system *s, const char *pattern, choice *k) {
  int found = 0;
  bool raw = names_multipliers(pattern);
  for (int i = 0; i < s->nowner; i++) {
    if (!may_match(tr_owner_name(s, &s->owner[i]), pattern)) continue;
    for (int c = s->owner[i].first; c < s->owner[i + 1].first; c++) {
      if (!matches(s, c, pattern) || (!raw && tr_channel_is_raw(s, c))) continue;
      add(k, c);
      found++;
    }
  }
  return found;
}

// The channel whose name is nearest to a word, or NULL; its name goes to near or other.
static const char *nearest(const tr_system *s, const char *word, char near[LONGEST_NAME],
                           char other[LONGEST_NAME]) {
  const char *best = NULL;
  for (int c = 0; c < tr_channel_count(s); c++) {
    char *name = best == near ? other : near;
    tr_channel_name(s, c, name, LONGEST_NAME);
    const char *two[] = {best ? best : name, best ? name : NULL, NULL};
    const char *found = tr_did_you_mean(word, two);
    if (found) best = found;
  }
  return best;
}

static tr_status unknown(const tr_system *s, const char *word, const tr_place *place,
                         tr_error *error) {
  char a[LONGEST_NAME], b[LONGEST_NAME];
  const char *near = nearest(s, word, a, b);
  return tr_fail(error, TR_BAD_INPUT, place,
                 near ? "output \"%s\" matches no channel of the model (did you mean \"%s\"?)"
                      : "output \"%s\" matches no channel of the model; see `trammel outputs`",
                 word, near);
}

tr_status tr_channels_choose(const tr_system *system, int n, const char *const *patterns,
                             int *channels, int *count, tr_error *error) {
  tr_status status = TR_OK;
  int all = tr_channel_count(system);
  *count = 0;
  for (int c = 0; n == 0 && c < all; c++)
    if (!tr_channel_is_raw(system, c)) channels[(*count)++] = c;
  choice k = {channels, count, tr_resize(system->al, NULL, (size_t)all + 1)};
  if (!k.taken) return tr_no_memory(error);
  memset(k.taken, 0, (size_t)all + 1);
  for (int i = 0; i < n; i++) {
    int exact = tr_channel_find(system, patterns[i]);
    if (exact >= 0) {
      add(&k, exact);
    } else if (add_matching(system, patterns[i], &k) == 0) {
      // the model's own choice has a place in its file
      bool own = patterns == system->plan.output;
      status = unknown(system, patterns[i], own ? &system->plan.output_place[i] : NULL, error);
    }
  }
  tr_resize(system->al, k.taken, 0);
  return status;
}
