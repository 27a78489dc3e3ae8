// SPDX-License-Identifier: Apache-2.0
// Evaluation of a stack program: every value carries what is known of its unit.
//
//   a + b      known + known must agree; otherwise the known one decides
//   a * b      plain * known = known, unknown * anything = unknown
//   f(a)       by the function's rule
// A product whose units cancel is a plain number again.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr_op.h"

// ---- functions ----------------------------------------------------------------------------------

static double sign_of(double x) { return (x > 0) - (x < 0); }
static double smaller(double a, double b) { return b < a ? b : a; }
static double larger(double a, double b) { return b > a ? b : a; }
// The remainder with the sign of b: mod(-1, 3) = 2.
static double modulo(double a, double b) { return a - b * floor(a / b); }

enum { MANY = 400 };

static const tr_function functions[] = {
    {"sin", 1, 1, TR_RULE_ANGLE, sin, NULL, LAW_SIN},
    {"cos", 1, 1, TR_RULE_ANGLE, cos, NULL, LAW_COS},
    {"tan", 1, 1, TR_RULE_ANGLE, tan, NULL, LAW_TAN},
    {"asin", 1, 1, TR_RULE_INVERSE, asin, NULL, LAW_ASIN},
    {"acos", 1, 1, TR_RULE_INVERSE, acos, NULL, LAW_ACOS},
    {"atan", 1, 1, TR_RULE_INVERSE, atan, NULL, LAW_ATAN},
    {"atan2", 2, 2, TR_RULE_ATAN2, NULL, atan2, LAW_ATAN2},
    {"sinh", 1, 1, TR_RULE_PLAIN, sinh, NULL, LAW_SINH},
    {"cosh", 1, 1, TR_RULE_PLAIN, cosh, NULL, LAW_COSH},
    {"tanh", 1, 1, TR_RULE_PLAIN, tanh, NULL, LAW_TANH},
    {"sqrt", 1, 1, TR_RULE_SQRT, sqrt, NULL, LAW_SQRT},
    {"abs", 1, 1, TR_RULE_SAME, fabs, NULL, LAW_ABS},
    {"exp", 1, 1, TR_RULE_PLAIN, exp, NULL, LAW_EXP},
    {"log", 1, 1, TR_RULE_PLAIN, log, NULL, LAW_LOG},
    {"log10", 1, 1, TR_RULE_PLAIN, log10, NULL, LAW_LOG10},
    {"min", 1, MANY, TR_RULE_SAME, NULL, smaller, LAW_MIN},
    {"max", 1, MANY, TR_RULE_SAME, NULL, larger, LAW_MAX},
    {"floor", 1, 1, TR_RULE_PLAIN, floor, NULL, LAW_FLOOR},
    {"ceil", 1, 1, TR_RULE_PLAIN, ceil, NULL, LAW_CEIL},
    {"round", 1, 1, TR_RULE_PLAIN, round, NULL, LAW_ROUND},
    {"mod", 2, 2, TR_RULE_SAME, NULL, modulo, LAW_MOD},
    {"sign", 1, 1, TR_RULE_SIGN, sign_of, NULL, LAW_SIGN},
    {"if", 3, 3, TR_RULE_IF, NULL, NULL, LAW_IF},
    {"step", 5, 5, TR_RULE_STEP, NULL, NULL, LAW_STEP},
    {"step5", 5, 5, TR_RULE_STEP, NULL, NULL, LAW_STEP5},
    {"havsin", 5, 5, TR_RULE_STEP, NULL, NULL, LAW_HAVSIN},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

int tr_function_find(const char *name, size_t n) {
  for (int k = 0; k < FUNCTIONS; k++)
    if (strlen(functions[k].name) == n && memcmp(functions[k].name, name, n) == 0) return k;
  return -1;
}

const tr_function *tr_function_at(int row) { return &functions[row]; }

const char *const *tr_function_names(void) {
  static const char *const names[] = {"sin",   "cos",  "tan",  "asin",  "acos",   "atan",  "atan2",
                                      "sinh",  "cosh", "tanh", "sqrt",  "abs",    "exp",   "log",
                                      "log10", "min",  "max",  "floor", "ceil",   "round", "mod",
                                      "sign",  "if",   "step", "step5", "havsin", NULL};
  return names;
}

bool tr_expr_is_reserved(const char *name, size_t n) {
  return tr_function_find(name, n) >= 0 || (n == 2 && memcmp(name, "pi", 2) == 0) ||
         (n == 4 && memcmp(name, "time", 4) == 0);
}

// ---- units of results ---------------------------------------------------------------------------

typedef struct machine {
  const tr_instruction *in; // being executed
  tr_expr_error *error;
} machine;

static bool fail(machine *m, const char *format, ...) TR_PRINTF(2, 3);
static bool fail(machine *m, const char *format, ...) {
  va_list args;
  va_start(args, format);
  m->error->at = m->in->at;
  vsnprintf(m->error->text, TR_EXPR_TEXT, format, args);
  va_end(args);
  return false;
}

static bool has_unit(tr_value v) { return v.kind == TR_KNOWN && !tr_dim_is_plain(v.dim); }

// Units that cancelled leave a plain number.
static tr_value known(double x, tr_dim dim) {
  if (tr_dim_is_zero(dim)) return (tr_value){.x = x, .kind = TR_PLAIN};
  return (tr_value){.x = x, .kind = TR_KNOWN, .dim = dim};
}

// The unit of a sum, a minimum, a choice of a and b; x is left to the caller.
static bool merge(machine *m, const char *what, tr_value a, tr_value b, tr_value *out) {
  if (a.kind == TR_KNOWN && b.kind == TR_KNOWN && !tr_dim_agree(a.dim, b.dim)) {
    char text[2][TR_DIM_TEXT];
    tr_dim_describe(a.dim, text[0]);
    tr_dim_describe(b.dim, text[1]);
    return fail(m, "\"%s\" of two kinds: %s and %s", what, text[0], text[1]);
  }
  if (a.kind == TR_BROKEN || b.kind == TR_BROKEN)
    out->kind = TR_BROKEN;
  else if (a.kind == TR_KNOWN)
    *out = a;
  else if (b.kind == TR_KNOWN)
    *out = b;
  else
    *out = (tr_value){.kind = a.kind == TR_UNKNOWN ? TR_UNKNOWN : b.kind};
  return true;
}

static tr_value multiply(tr_value a, tr_value b, double weight) {
  double x = weight > 0 ? a.x * b.x : a.x / b.x;
  if (a.kind == TR_BROKEN || b.kind == TR_BROKEN) return (tr_value){.kind = TR_BROKEN};
  if (a.kind == TR_UNKNOWN || b.kind == TR_UNKNOWN) return (tr_value){.x = x, .kind = TR_UNKNOWN};
  return known(x, tr_dim_add(a.dim, b.dim, weight));
}

static bool power(machine *m, tr_value a, tr_value b, tr_value *out) {
  char text[TR_DIM_TEXT];
  if (has_unit(b)) {
    tr_dim_describe(b.dim, text);
    return fail(m, "the exponent is %s, not a plain number", text);
  }
  double x = pow(a.x, b.x);
  if (a.kind == TR_BROKEN || b.kind == TR_BROKEN)
    *out = (tr_value){.kind = TR_BROKEN};
  else if (a.kind == TR_KNOWN)
    *out = known(x, tr_dim_add((tr_dim){{0}}, a.dim, b.x));
  else
    *out = (tr_value){.x = x, .kind = a.kind == TR_UNKNOWN ? TR_UNKNOWN : b.kind};
  if (out->kind == TR_KNOWN && a.kind != TR_KNOWN) out->kind = TR_PLAIN;
  return true;
}

static bool compare(machine *m, tr_value a, tr_value b, tr_value *out) {
  static const char *const symbol[] = {"<", "<=", ">", ">=", "==", "!="};
  bool yes = false;
  switch (m->in->op) {
    case TR_OP_LESS: yes = a.x < b.x; break;
    case TR_OP_LESS_EQUAL: yes = a.x <= b.x; break;
    case TR_OP_GREATER: yes = a.x > b.x; break;
    case TR_OP_GREATER_EQUAL: yes = a.x >= b.x; break;
    case TR_OP_EQUAL: yes = a.x == b.x; break;
    default: yes = a.x != b.x; break;
  }
  tr_value unit = {0};
  if (!merge(m, symbol[m->in->op - TR_OP_LESS], a, b, &unit)) return false;
  *out = (tr_value){.x = yes, .kind = unit.kind == TR_BROKEN ? TR_BROKEN : TR_PLAIN};
  return true;
}

static bool with_unit(machine *m, tr_value a, tr_value *out) {
  const tr_unit *u = m->in->u.unit;
  if (a.kind == TR_KNOWN) return fail(m, "a unit on a value that already has one");
  if (a.kind == TR_BROKEN)
    *out = a;
  else
    *out = (tr_value){.x = a.x * u->mul / u->div, .kind = TR_KNOWN, .dim = u->dim};
  return true;
}

// ---- calls --------------------------------------------------------------------------------------

static bool demand_plain(machine *m, const tr_function *f, tr_value a) {
  if (!has_unit(a)) return true;
  char text[TR_DIM_TEXT];
  tr_dim_describe(a.dim, text);
  return fail(m, "%s of %s: %sa plain number is expected", f->name, text,
              f->rule == TR_RULE_ANGLE ? "an angle or " : "");
}

// step(x, x0, y0, x1, y1): x's agree, y's agree.
static bool step(machine *m, const tr_function *f, const tr_value *a, tr_value *out) {
  tr_value x = a[0];
  if (!merge(m, f->name, x, a[1], &x) || !merge(m, f->name, x, a[3], &x)) return false;
  if (!merge(m, f->name, a[2], a[4], out)) return false;
  double u = (a[0].x - a[1].x) / (a[3].x - a[1].x);
  out->x = a[2].x + (a[4].x - a[2].x) * law_ramp(f->op, u);
  return true;
}

// n arguments from a[0] on; the result replaces a[0].
static bool call(machine *m, tr_value *a) {
  const tr_function *f = &functions[m->in->u.call.function];
  int n = m->in->u.call.arguments;
  tr_value out = a[0];
  int first = f->rule == TR_RULE_IF ? 1 : 0; // those that must agree
  bool broken = false;
  for (int k = 0; k < n; k++) broken = broken || a[k].kind == TR_BROKEN;
  if (broken) {
    a[0] = (tr_value){.kind = TR_BROKEN};
    return true;
  }
  if (f->rule == TR_RULE_STEP) {
    if (!step(m, f, a, &out)) return false;
    a[0] = out;
    return true;
  }
  if (f->rule == TR_RULE_ANGLE || f->rule == TR_RULE_INVERSE || f->rule == TR_RULE_PLAIN ||
      f->rule == TR_RULE_IF) {
    if (!demand_plain(m, f, a[0])) return false;
  }
  if (first) out = a[first];
  for (int k = first + 1; k < n; k++)
    if (!merge(m, f->name, out, a[k], &out)) return false;
  double x = f->f1 ? f->f1(a[0].x) : a[0].x;
  for (int k = 1; f->f2 && k < n; k++) x = f->f2(x, a[k].x);
  switch (f->rule) {
    case TR_RULE_ANGLE:
    case TR_RULE_PLAIN:
    case TR_RULE_SIGN: out = (tr_value){.kind = TR_PLAIN}; break;
    case TR_RULE_INVERSE:
    case TR_RULE_ATAN2: out = (tr_value){.kind = TR_KNOWN, .dim = {{0, 0, 0, 1}}}; break;
    case TR_RULE_SQRT:
      if (out.kind == TR_KNOWN) out = known(0, tr_dim_add((tr_dim){{0}}, out.dim, 0.5));
      break;
    case TR_RULE_IF: x = a[0].x != 0 ? a[1].x : a[2].x; break;
    case TR_RULE_SAME:
    case TR_RULE_STEP: break;
  }
  out.x = x;
  a[0] = out;
  return true;
}

// ---- the machine --------------------------------------------------------------------------------

// Operators on the top of the stack: a[0] and, for two operands, a[1]; the result goes to a[0].
static bool operate(machine *m, tr_value *a) {
  tr_value out = {0};
  switch (m->in->op) {
    case TR_OP_UNIT:
      if (!with_unit(m, a[0], &out)) return false;
      break;
    case TR_OP_NEGATE:
      out = a[0];
      out.x = -out.x;
      break;
    case TR_OP_ADD:
      if (!merge(m, "+", a[0], a[1], &out)) return false;
      out.x = a[0].x + a[1].x;
      break;
    case TR_OP_SUBTRACT:
      if (!merge(m, "-", a[0], a[1], &out)) return false;
      out.x = a[0].x - a[1].x;
      break;
    case TR_OP_MULTIPLY: out = multiply(a[0], a[1], 1); break;
    case TR_OP_DIVIDE: out = multiply(a[0], a[1], -1); break;
    case TR_OP_POWER:
      if (!power(m, a[0], a[1], &out)) return false;
      break;
    default:
      if (!compare(m, a[0], a[1], &out)) return false;
  }
  a[0] = out;
  return true;
}

int tr_instruction_operands(const tr_instruction *in) {
  switch (in->op) {
    case TR_OP_NUMBER:
    case TR_OP_SLOT:
    case TR_OP_TIME:
    case TR_OP_VARIABLE:
    case TR_OP_STATE:
    case TR_OP_NAMED:
    case TR_OP_JOINT:
    case TR_OP_MARKER: return 0;
    case TR_OP_UNIT:
    case TR_OP_NEGATE:
    case TR_OP_CURVE: return 1;
    case TR_OP_CALL:
    case TR_OP_MEASURE: return in->u.call.arguments;
    default: return 2;
  }
}

bool tr_instruction_apply(const tr_instruction *in, tr_value *a, tr_expr_error *error) {
  machine m = {.in = in, .error = error};
  return in->op == TR_OP_CALL ? call(&m, a) : operate(&m, a);
}

bool tr_expr_eval(const tr_expr *expr, const tr_value *slots, tr_value *value,
                  tr_expr_error *error) {
  tr_value stack[TR_EXPR_STACK + 1];
  int n = 0;
  *error = (tr_expr_error){0};
  for (int k = 0; k < expr->n; k++) {
    const tr_instruction *in = &expr->code[k];
    if (in->op == TR_OP_NUMBER) {
      stack[n++] = (tr_value){.x = in->u.number, .kind = TR_PLAIN};
    } else if (in->op == TR_OP_SLOT) {
      stack[n++] = slots[in->u.slot];
    } else {
      n -= tr_instruction_operands(in);
      if (!tr_instruction_apply(in, stack + n, error)) return false;
      n++;
    }
  }
  *value = stack[0];
  return true;
}

bool tr_value_fits(tr_value value, tr_quantity quantity, char text[TR_EXPR_TEXT]) {
  if (value.kind != TR_KNOWN || tr_dim_agree(value.dim, tr_quantity_dim(quantity))) return true;
  char is[TR_DIM_TEXT], expected[TR_DIM_TEXT];
  tr_dim_describe(value.dim, is);
  tr_quantity_describe(quantity, expected);
  snprintf(text, TR_EXPR_TEXT, "is %.80s, %.80s is expected", is, expected);
  return false;
}
