// SPDX-License-Identifier: Apache-2.0
// The stack program of an expression, shared by its parser and its evaluation.
#ifndef TR_EXPR_OP_H
#define TR_EXPR_OP_H

#include "elem/law.h"
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
  TR_OP_CALL,
  // laws only
  TR_OP_TIME,
  TR_OP_VARIABLE, // slot: row of the variables
  TR_OP_CURVE,    // slot: which curve; one operand
  TR_OP_STATE,    // slot: body behind a state or variable
  TR_OP_NAMED,    // the same by a name with {expressions}; length as below
  TR_OP_MARKER,   // length: letters of its name, from `at` on
  TR_OP_JOINT,    // the same of a joint
  TR_OP_MEASURE   // call: row of the measures, its markers
} tr_op;

typedef struct tr_instruction {
  tr_op op;
  int at; // offset into the text
  union {
    double number;
    int slot;
    int length;
    const tr_unit *unit;
    struct {
      int function; // row of tr_functions or tr_measures
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
  TR_RULE_IF,      // (plain, a, b)
  TR_RULE_STEP     // (a, a0, b0, a1, b1), result like b
} tr_function_rule;

typedef struct tr_function {
  const char *name;
  int least, most; // arguments
  tr_function_rule rule;
  double (*f1)(double);
  double (*f2)(double, double); // folds more than two
  law_op op;                    // the same in a law
} tr_function;

int tr_function_find(const char *name, size_t n); // row or -1
const tr_function *tr_function_at(int row);
const char *const *tr_function_names(void); // NULL-terminated

// One instruction on its operands a[0], a[1], ...; the result goes to a[0]. False: see error.
int tr_instruction_operands(const tr_instruction *in);
bool tr_instruction_apply(const tr_instruction *in, tr_value *a, tr_expr_error *error);

// Measures of markers, in laws: DX(to, from, along); and of a joint: its coordinate, its reaction.
typedef enum tr_measure_of { TR_OF_MARKERS, TR_OF_COORDINATE, TR_OF_REACTION } tr_measure_of;
typedef struct tr_measure {
  const char *name;
  law_measure kind;
  int axis;
  int most; // markers; the first is required, the others are ground
  tr_quantity quantity;
  tr_measure_of of;
} tr_measure;
int tr_measure_find(const char *name, size_t n); // row or -1
const tr_measure *tr_measure_at(int row);
const char *const *tr_measure_names(void);

#endif
