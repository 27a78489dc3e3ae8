// SPDX-License-Identifier: Apache-2.0
// Expressions of model files: parsed once into a small stack program, evaluated many times.
//
//   "m1*L1^2/12"  ->  var m1, var L1, 2, ^, *, 12, /
//
// (1) A program never recurses and its stack is bounded: long sums need two places, deep nesting is
//     refused by the parser.
// (2) Names are resolved to slots when parsing; evaluation reads an array of values.
// (3) Every instruction knows where in the text it came from, so evaluation errors have a column too.
#ifndef TR_EXPR_H
#define TR_EXPR_H

#include "base/base.h"
#include "unit.h"

// What is known about the unit of a value.
typedef enum tr_value_kind {
  TR_PLAIN,   // a number as written: fits any quantity, in SI
  TR_UNKNOWN, // made from parameters without a unit: fits any quantity
  TR_KNOWN,   // has the dimension dim
  TR_BROKEN   // comes from something already reported: say nothing more
} tr_value_kind;

typedef struct tr_value {
  double x; // SI
  tr_value_kind kind;
  tr_dim dim; // TR_KNOWN only, else zero
} tr_value;

typedef struct tr_expr tr_expr;

// What went wrong, and at which character of the text.
enum { TR_EXPR_TEXT = 192 };
enum { TR_HINT = 80 };
typedef struct tr_expr_error {
  int at;
  bool whole; // the text says it all: no need to show the expression
  bool no_memory;
  char text[TR_EXPR_TEXT];
  char hint[TR_HINT]; // ` (did you mean "x"?)` or ""
} tr_expr_error;

// Names an expression may use. find gives the slot of a name of n letters, or -1; list the known
// names for a suggestion (NULL: none).
typedef struct tr_scope tr_scope;
struct tr_scope {
  int (*find)(const tr_scope *self, const char *name, size_t n);
  const char *const *(*list)(const tr_scope *self);
  const struct tr_law_scope *law; // NULL: nothing in the expression moves
};

// What a law may use besides. curve gives the number of a curve of n letters, or -1; list all that can
// be called: functions, measures, curves.
typedef struct tr_law_scope {
  const tr_variable *variables; // or NULL
  int (*curve)(const tr_scope *scope, const char *name, size_t n);
  int (*number)(const tr_scope *scope, const char *name, size_t n); // a state or variable, or -1
  const char *const *(*list)(const tr_scope *scope);
} tr_law_scope;

// NULL: see error. scope NULL: no names but pi. The text must live as long as the expression.
const tr_expr *tr_expr_parse(tr_arena *arena, const char *text, const tr_scope *scope,
                             tr_expr_error *error);
// slots: the values of the scope's names. False: see error.
bool tr_expr_eval(const tr_expr *expr, const tr_value *slots, tr_value *value,
                  tr_expr_error *error);
// The slots an expression reads, one by one, or -1 after the last; *at starts with 0.
int tr_expr_slot(const tr_expr *expr, int *at);

// Whether a value fits a quantity. False: text says why not, as "is a length (m), a mass (kg) is
// expected".
bool tr_value_fits(tr_value value, tr_quantity quantity, char text[TR_EXPR_TEXT]);

// A word of n letters that an expression gives a meaning: a function or constant.
bool tr_expr_is_reserved(const char *name, size_t n);
bool tr_expr_is_measure(const char *name, size_t n); // in laws

// Text for messages: cut to a readable length, control characters replaced.
enum { TR_SHOWN = 64 };
const char *tr_shown(const char *text, char buffer[TR_SHOWN]);
// ` (did you mean "x"?)` or "".
const char *tr_hint(const char *word, const char *const *candidates, char buffer[TR_HINT]);

// Numbers whatever the locale says of decimal points. tr_number_scan: letters used, 0 if none;
// tr_number_print: the shortest text that reads back to the same double.
size_t tr_number_scan(const char *text, double *x);
enum { TR_NUMBER_TEXT = 40 };
const char *tr_number_print(double x, char buffer[TR_NUMBER_TEXT]);

#endif
