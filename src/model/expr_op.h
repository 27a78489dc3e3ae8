// SPDX-License-Identifier: Apache-2.0
// The stack program of an expression, shared by its parser and its evaluation.
#ifndef TR_EXPR_OP_H
#define TR_EXPR_OP_H

#include "expr.h"

typedef enum tr_op {
  TR_OP_NUMBER,
  TR_OP_SLOT,
  TR_OP_UNIT, // value in a unit
  TR_OP_NEGATE,
  TR_OP_ADD,
  TR_OP_SUBTRACT,
  TR_OP_MULTIPLY,
  TR_OP_DIVIDE,
  TR_OP_POWER,
  TR_OP_LESS,
  TR_OP_LESS_EQUAL,
  TR_OP_GREATER,
  TR_OP_GREATER_EQUAL,
  TR_OP_EQUAL,
  TR_OP_NOT_EQUAL,
  TR_OP_CALL
} tr_op;

typedef struct tr_instruction {
  tr_op op;
  int at; // offset into the text
  union {
    double number;
    int slot;
    const tr_unit *unit;
    struct {
      int function; // row of tr_functions
      int arguments;
    } call;
  } u;
} tr_instruction;

struct tr_expr {
  const char *text;
  int n;
  const tr_instruction *code; // (n)
};

enum { TR_EXPR_STACK = 512 }; // places; the parser refuses what needs more

typedef enum tr_function_rule {
  TR_RULE_ANGLE,   // angle or plain in, plain out: sin
  TR_RULE_INVERSE, // plain in, angle out: asin
  TR_RULE_PLAIN,   // plain in, plain out: exp
  TR_RULE_SAME,    // arguments agree, result like them: min
  TR_RULE_SIGN,    // anything in, plain out
  TR_RULE_SQRT,    // half the exponents
  TR_RULE_ATAN2,   // arguments agree, angle out
  TR_RULE_IF       // (plain, a, b)
} tr_function_rule;

typedef struct tr_function {
  const char *name;
  int least, most; // arguments
  tr_function_rule rule;
  double (*f1)(double);
  double (*f2)(double, double); // folds more than two
} tr_function;

int tr_function_find(const char *name, size_t n); // row or -1
const tr_function *tr_function_at(int row);
const char *const *tr_function_names(void); // NULL-terminated

#endif
