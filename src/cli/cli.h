// SPDX-License-Identifier: Apache-2.0
// What the commands share: exit codes, options, messages, JSON. Only public headers below this line.
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "trammel/trammel.h"

// Also in the manual page.
enum {
  EXIT_OK = 0,
  EXIT_NUMERIC = 1, // the run or the check failed
  EXIT_USAGE = 2,
  EXIT_MODEL = 3, // the description is wrong
  EXIT_FILE = 4,  // a file cannot be read or written
  EXIT_INTERRUPTED = 130
};

// ---- options --------------------------------------------------------------------------------------

// A table of them ends with a NULL name.
typedef struct option {
  const char *name;  // without the dashes
  char letter;       // or 0
  const char *value; // what --help calls it; NULL: a flag
  const char *doc;
} option;

typedef struct command {
  const char *name, *usage, *doc;
  const option *options;
  int (*run)(const struct command *self, int argc, char **argv); // argv[0]: first after the name
} command;

// Walks argv in order. next_option gives the index of an option, or one of the codes below.
typedef struct options {
  const command *command;
  int argc, at;
  char **argv;
  const char *value;
  bool only_words; // after "--"
} options;
enum { OPTION_END = -1, OPTION_WORD = -2, OPTION_BAD = -3, OPTION_HELP = -4 };
int next_option(options *o);

// A word where one file is expected: keeps the first, complains about a second.
bool take_word(const options *o, const char **word);
// All of argv, for commands whose options are flags and perhaps --set, with one word at most.
typedef struct arguments {
  unsigned given;   // bit i: option i was there
  const char *word; // NULL: none
  const char **set; // (sets) values of the options that take one; the caller frees it
  int sets;
} arguments;
int read_arguments(const command *self, int argc, char **argv, arguments *out); // -1, or exit code

// The value of an option as a number; on failure a message and false.
bool take_positive(const command *c, const char *name, const char *text, tr_quantity quantity,
                   double *value);
bool take_count(const command *c, const char *name, const char *text, int *value);

void print_help(const command *self);
const char *nearest(const char *word, const char *const *words); // NULL: none is near

// ---- messages -------------------------------------------------------------------------------------

// n bytes of text, or less if it ends before; what a terminal would obey comes as "?".
void put_plain(FILE *to, const char *text, size_t n);
void complain(const char *format, ...) TR_PRINTF(1, 2); // "trammel: ...\n" on stderr
int usage_error(const command *self, const char *format, ...) TR_PRINTF(2, 3); // and EXIT_USAGE
void print_error(const tr_error *error);
int exit_code(tr_status status);
const char *model_name(const tr_system *system, const char *path);

enum { NAME_SIZE = 512 };
const char *channel_name(const tr_system *system, int channel, char name[NAME_SIZE]);
int channel_width(const tr_system *system, bool raw); // of the longest name; raw: multipliers too

// ---- JSON -----------------------------------------------------------------------------------------

// Written with indentation as the calls come. key is NULL inside arrays.
typedef struct json {
  FILE *to;
  int depth;
  bool first;
  char closer[8];
} json;
void json_open(json *j, const char *key, char bracket); // '{' or '['
void json_close(json *j);
void json_text(json *j, const char *key, const char *text); // NULL: null
void json_number(json *j, const char *key, double value);   // 17 digits; null if not finite
void json_int(json *j, const char *key, long value);
void json_bool(json *j, const char *key, bool value);
void json_lines(json *j, const char *key, const char *lines); // a list of texts
void json_items(json *j, const char *lines);                  // in an open list
void json_error(json *j, const tr_error *error); // under "error", lines separated by \n
// A whole object that tells of a failure before there was anything else to tell.
void json_failure(const char *path, const tr_error *error);

// ---- progress -------------------------------------------------------------------------------------

// A line on the terminal, at most ten times a second; also where Ctrl-C is noticed.
typedef struct progress {
  tr_observer observer;
  bool shown;   // draw at all
  bool drawn;   // there is a line to clear
  long next;    // look at the clock again at this step
  double start; // seconds
} progress;
progress progress_start(bool quiet);
void progress_end(progress *p, const tr_run_info *info);
// For work that is more than one run: what is being done, done = 0 .. 1 of it; and away with the line.
tr_status progress_note(progress *p, const char *what, double done); // TR_STOPPED after Ctrl-C
void progress_clear(progress *p);
void catch_interrupts(void);
bool was_interrupted(void);

// ---- commands -------------------------------------------------------------------------------------

extern const command command_run, command_study, command_verify, command_check, command_list,
    command_outputs, command_schema;

// Model -> system for the commands that need one; sets: (n) "name=value". Reports on failure.
typedef struct loaded {
  tr_model *model;
  tr_system *system;
} loaded;
int load(const command *self, const char *path, int n, const char *const *sets, bool as_json,
         loaded *out);
void unload(loaded *l);

#endif
