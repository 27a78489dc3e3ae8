// SPDX-License-Identifier: Apache-2.0
// Options from tables: --name value, --name=value, -n value; help from the same tables.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MAX_OPTIONS = 32, LONGEST_WORD = 40 };

// Edit distance, case ignored; words longer than the table are never near.
static int distance(const char *a, const char *b) {
  int row[LONGEST_WORD + 1];
  int na = (int)strlen(a), nb = (int)strlen(b);
  if (na > LONGEST_WORD || nb > LONGEST_WORD) return LONGEST_WORD;
  for (int j = 0; j <= nb; j++) row[j] = j;
  for (int i = 1; i <= na; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      int up = row[j];
      int cost = diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
      if (up + 1 < cost) cost = up + 1;
      if (row[j - 1] + 1 < cost) cost = row[j - 1] + 1;
      row[j] = cost;
      diagonal = up;
    }
  }
  return row[nb];
}

const char *nearest(const char *word, const char *const *words) {
  const char *best = NULL;
  int least = (int)strlen(word) / 3 + 2; // a third of the letters may be wrong
  for (; *words; words++) {
    int d = distance(word, *words);
    if (d < least) least = d, best = *words;
  }
  return best;
}

// Index of "name" (n characters), or OPTION_BAD.
static int find(const command *c, const char *name, size_t n) {
  if (n == 4 && strncmp(name, "help", n) == 0) return OPTION_HELP;
  for (int i = 0; c->options[i].name; i++)
    if (strlen(c->options[i].name) == n && strncmp(name, c->options[i].name, n) == 0) return i;
  const char *words[MAX_OPTIONS] = {"help"};
  for (int i = 0; i + 2 < MAX_OPTIONS && c->options[i].name; i++) words[i + 1] = c->options[i].name;
  char given[LONGEST_WORD + 1];
  snprintf(given, sizeof given, "%.*s", (int)n, name);
  const char *near = nearest(given, words);
  if (near)
    usage_error(c, "no option --%s; did you mean --%s?", given, near);
  else
    usage_error(c, "no option --%s", given);
  return OPTION_BAD;
}

static int find_letter(const command *c, char letter) {
  if (letter == 'h') return OPTION_HELP;
  for (int i = 0; c->options[i].name; i++)
    if (c->options[i].letter == letter) return i;
  usage_error(c, "no option -%c", letter);
  return OPTION_BAD;
}

int next_option(options *o) {
  o->value = NULL;
  if (o->at >= o->argc) return OPTION_END;
  const char *arg = o->argv[o->at++];
  if (!o->only_words && strcmp(arg, "--") == 0) {
    o->only_words = true;
    return next_option(o);
  }
  if (o->only_words || arg[0] != '-' || arg[1] == '\0') {
    o->value = arg;
    return OPTION_WORD;
  }
  bool is_long = arg[1] == '-';
  const char *equals = is_long ? strchr(arg, '=') : NULL;
  size_t n = equals ? (size_t)(equals - arg - 2) : strlen(arg + 2);
  int i = is_long ? find(o->command, arg + 2, n) : find_letter(o->command, arg[1]);
  if (i < 0) return i;
  const option *chosen = &o->command->options[i];
  if (!is_long && arg[2]) equals = arg + 1; // -oFILE
  if (!chosen->value) {
    if (equals) return usage_error(o->command, "--%s takes no value", chosen->name), OPTION_BAD;
    return i;
  }
  if (equals)
    o->value = equals + 1;
  else if (o->at < o->argc)
    o->value = o->argv[o->at++];
  else
    return usage_error(o->command, "--%s needs a value: %s", chosen->name, chosen->value),
           OPTION_BAD;
  return i;
}

bool take_word(const options *o, const char **word) {
  if (!*word) {
    *word = o->value;
    return true;
  }
  usage_error(o->command, "one too many: \"%s\"", o->value);
  return false;
}

int read_arguments(const command *self, int argc, char **argv, arguments *out) {
  options o = {.command = self, .argc = argc, .argv = argv};
  *out = (arguments){.set = calloc((size_t)argc + 1, sizeof *out->set)};
  if (!out->set) return EXIT_NUMERIC;
  for (int i; (i = next_option(&o)) != OPTION_END;) {
    if (i == OPTION_HELP) return print_help(self), EXIT_OK;
    if (i == OPTION_BAD || (i == OPTION_WORD && !take_word(&o, &out->word))) return EXIT_USAGE;
    if (i < 0) continue;
    out->given |= 1u << i;
    if (o.value) out->set[out->sets++] = o.value;
  }
  return -1;
}

static bool take_number(const command *c, const char *name, const char *text, tr_quantity quantity,
                        double *value) {
  tr_error error = {0};
  if (tr_number(text, quantity, value, &error) == TR_OK && isfinite(*value)) return true;
  error.text[strcspn(error.text, "\n")] = '\0';
  usage_error(c, "--%s %s: %s", name, text, error.text[0] ? error.text : "not a finite number");
  return false;
}

bool take_positive(const command *c, const char *name, const char *text, tr_quantity quantity,
                   double *value) {
  if (!take_number(c, name, text, quantity, value)) return false;
  if (*value > 0) return true;
  usage_error(c, "--%s %s: must be greater than zero", name, text);
  return false;
}

bool take_count(const command *c, const char *name, const char *text, int *value) {
  double x;
  if (!take_positive(c, name, text, TR_NUMBER, &x)) return false;
  if (x != floor(x) || x > 1e9) {
    usage_error(c, "--%s %s: must be a whole number", name, text);
    return false;
  }
  *value = (int)x;
  return true;
}

void print_help(const command *self) {
  printf("usage: trammel %s %s\n%s\n\n", self->name, self->usage, self->doc);
  for (const option *o = self->options; o->name; o++) {
    char head[64], letter[8] = "    ";
    if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(head, sizeof head, "%s--%s%s%s", letter, o->name, o->value ? " " : "",
             o->value ? o->value : "");
    printf("  %-36s %s\n", head, o->doc);
  }
  printf("  %-36s %s\n", "-h, --help", "this text");
}
