// SPDX-License-Identifier: Apache-2.0
// Small texts around expressions: numbers in any locale, what to show of a text, hints.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr.h"

const char *tr_shown(const char *text, char buffer[TR_SHOWN]) {
  size_t n = 0;
  for (; text[n] && n < TR_SHOWN - 4; n++) {
    unsigned char c = (unsigned char)text[n];
    buffer[n] = c < 32 || c == 127 ? '?' : (char)c;
  }
  buffer[n] = 0;
  if (text[n]) {
    while (n > 0 && ((unsigned char)buffer[n - 1] & 0x80)) n--; // no cut inside a character
    memcpy(buffer + n, "...", 4);
  }
  return buffer;
}

// What other programs call it, if the candidates have it.
static const char *by_another_name(const char *word, const char *const *candidates) {
  static const struct {
    const char *word, *ours;
  } names[] = {{"hinge", "revolute"},
               {"pin", "revolute"},
               {"slider", "prismatic"},
               {"translational", "prismatic"},
               {"ball", "spherical"},
               {"weld", "fixed"},
               {"rigid", "fixed"},
               {"rigid", "spatial"},
               {"hooke", "universal"},
               {"rod", "distance"},
               {"spring", "spring-damper"},
               {"damper", "spring-damper"},
               {"rotational-spring", "torsion-spring"},
               {"contact", "sphere-plane"},
               {"point", "planar-point"},
               {"mass-point", "spatial-point"},
               {"dt", "step"},
               {"timestep", "step"},
               {"integrator", "method"},
               {"solver", "method"},
               {"duration", "end"},
               {"t", "time"},
               {"k", "stiffness"},
               {"c", "damping"},
               {"d", "damping"},
               {"length0", "free-length"},
               {"l0", "free-length"},
               {"body1", "bodies"},
               {"body2", "bodies"},
               {"body", "bodies"},
               {"marker", "markers"},
               {"theta", "angle"},
               {"pos", "position"},
               {"vel", "velocity"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (int k = 0; !strcmp(word, names[i].word) && candidates && candidates[k]; k++)
      if (!strcmp(candidates[k], names[i].ours)) return candidates[k];
  return NULL;
}

const char *tr_hint(const char *word, const char *const *candidates, char buffer[TR_HINT]) {
  buffer[0] = 0;
  if (!word[0]) return buffer;
  const char *near = by_another_name(word, candidates);
  if (!near && strlen(word) > 1) near = tr_did_you_mean(word, candidates);
  // One-letter names: only another case is near.
  for (int k = 0; !word[1] && candidates && candidates[k]; k++)
    if (tolower((unsigned char)candidates[k][0]) == tolower((unsigned char)word[0]) &&
        !candidates[k][1])
      near = candidates[k];
  char shown[TR_SHOWN];
  if (near) snprintf(buffer, TR_HINT, " (did you mean \"%.50s\"?)", tr_shown(near, shown));
  return buffer;
}

// ---- numbers ------------------------------------------------------------------------------------

static char decimal_point(void) {
  char half[8];
  snprintf(half, sizeof half, "%.1f", 0.5);
  return half[1];
}

// Length of digits [. digits] [e [sign] digits] with at least one digit before the exponent.
static size_t number_length(const char *s, size_t *point) {
  size_t n = 0, digits = 0;
  *point = 0;
  for (; isdigit((unsigned char)s[n]); n++) digits++;
  if (s[n] == '.') {
    size_t k = n + 1;
    for (; isdigit((unsigned char)s[k]); k++) digits++;
    *point = n + 1;
    n = k;
  }
  if (digits == 0) return 0;
  if (s[n] == 'e' || s[n] == 'E') {
    size_t k = n + 1;
    if (s[k] == '+' || s[k] == '-') k++;
    if (isdigit((unsigned char)s[k])) {
      while (isdigit((unsigned char)s[k])) k++;
      n = k;
    }
  }
  return n;
}

size_t tr_number_scan(const char *text, double *x) {
  size_t point, n = number_length(text, &point);
  char copy[128];
  if (n == 0 || n >= sizeof copy) return 0;
  memcpy(copy, text, n);
  copy[n] = 0;
  if (point) copy[point - 1] = decimal_point();
  *x = strtod(copy, NULL);
  return n;
}

const char *tr_number_print(double x, char buffer[TR_NUMBER_TEXT]) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(buffer, TR_NUMBER_TEXT, "%.*g", digits, x);
    if (strtod(buffer, NULL) == x) break;
  }
  char *point = strchr(buffer, decimal_point());
  if (point) *point = '.';
  return buffer;
}
