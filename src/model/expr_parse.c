// SPDX-License-Identifier: Apache-2.0
// From text to a stack program, by recursive descent with the code written on the way out:
//
//   compare = sum [ (< <= > >= == !=) sum ]
//   sum     = product { (+ -) product }
//   product = signed { (* /) signed }
//   signed  = (+ -) signed | power
//   power   = operand [ ^ signed ]                     so -2^2 = -4, 2^-10, 2^3^2 = 2^9
//   operand = number [units] | pi [units] | ( compare ) [units] | name | name ( compare {, compare} )
//   units   = unit [^ integer] { [* /] unit [^ integer] }
// and in laws operand = time | variable | curve ( compare ) | measure ( marker {, marker} )
//
// After a number, pi or a parenthesis a word is a unit, and inside a chain of units unit symbols win
// over parameters: "2 N * m" is a torque even where a parameter m exists.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "expr_op.h"

enum { MAX_DEPTH = 100 };

typedef struct parser {
  tr_arena *arena;
  const char *text;
  int at; // next character
  const tr_scope *scope;
  tr_instruction *code; // one per character is enough
  int n, stack, depth;
  tr_expr_error *error;
} parser;

static bool fail(parser *p, int at, const char *format, ...) TR_PRINTF(3, 4);
static bool fail(parser *p, int at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  p->error->at = at;
  vsnprintf(p->error->text, TR_EXPR_TEXT, format, args);
  va_end(args);
  return false;
}

// A letter, digit or underscore; the locale has no say.
static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static char peek(parser *p) {
  while (isspace((unsigned char)p->text[p->at])) p->at++;
  return p->text[p->at];
}

// Length of the word here, 0 if none.
static int word_length(const parser *p) {
  const char *s = p->text + p->at;
  if (!is_word(s[0]) || isdigit((unsigned char)s[0])) return 0;
  int n = 0;
  while (is_word(s[n])) n++;
  return n;
}

static bool emit(parser *p, tr_instruction in, int change) {
  p->code[p->n++] = in;
  p->stack += change;
  if (p->stack > TR_EXPR_STACK) return fail(p, in.at, "the expression is too long");
  return true;
}

static bool enter(parser *p) {
  if (++p->depth > MAX_DEPTH) return fail(p, p->at, "the expression is nested too deeply");
  return true;
}

static bool parse_compare(parser *p);
static bool parse_signed(parser *p);

// ---- units --------------------------------------------------------------------------------------

// A word copied for messages.
typedef struct word {
  char text[TR_SHOWN];
} word;

static word word_at(const parser *p, int at, int n) {
  word w;
  if (n > TR_SHOWN - 1) n = TR_SHOWN - 1;
  memcpy(w.text, p->text + at, (size_t)n);
  w.text[n] = 0;
  return w;
}

static bool parse_unit_power(parser *p, int *power) {
  if (peek(p) != '^') return true;
  int at = p->at++, sign = 1;
  if (peek(p) == '-') {
    sign = -1;
    p->at++;
  }
  int digits = 0, value = 0;
  for (; isdigit((unsigned char)peek(p)) && digits < 2; digits++)
    value = 10 * value + (p->text[p->at++] - '0');
  if (digits == 0 || value > 9 || p->text[p->at] == '.')
    return fail(p, at, "the power of a unit must be a small whole number");
  *power *= sign * value;
  return true;
}

// Whether a unit follows at p->at, one that is no call: "min(" is the function.
static bool unit_here(const parser *p, tr_unit *unit, int *length) {
  int n = word_length(p);
  *length = n;
  if (n == 0) return false;
  int next = p->at + n;
  while (isspace((unsigned char)p->text[next])) next++;
  return p->text[next] != '(' && tr_unit_find(p->text + p->at, (size_t)n, unit);
}

// Ns, kgm: two units without a space between them.
static bool unknown_unit(parser *p, const word *w) {
  tr_unit a, b;
  size_t n = strlen(w->text), k = n - 1;
  for (; k > 0; k--)
    if (tr_unit_find(w->text, k, &a) && tr_unit_find(w->text + k, n - k, &b) &&
        !tr_dim_agree(a.dim, b.dim))
      break;
  if (strcmp(w->text, "Hz") == 0)
    snprintf(p->error->hint, TR_HINT, " (write rev/s or rad/s)");
  else if (k > 0)
    snprintf(p->error->hint, TR_HINT, " (did you mean \"%.*s %s\"?)", (int)k, w->text, w->text + k);
  else
    tr_hint(w->text, tr_unit_symbols(), p->error->hint);
  return fail(p, p->at, "unknown unit \"%s\"", w->text);
}

// [unit ...] after an operand.
static bool parse_units(parser *p) {
  peek(p);
  int start = p->at, n;
  if (word_length(p) == 0) return true;
  tr_unit *all = TR_NEW(p->arena, 1, tr_unit);
  if (!all) {
    p->error->no_memory = true;
    return false;
  }
  *all = (tr_unit){.mul = 1, .div = 1};
  for (int power = 1;;) {
    tr_unit one;
    if (!unit_here(p, &one, &n)) {
      word w = word_at(p, p->at, n);
      return unknown_unit(p, &w);
    }
    p->at += n;
    if (!parse_unit_power(p, &power)) return false;
    *all = tr_unit_times(*all, one, power);
    // Go on with "* unit", "/ unit" or "unit"; anything else belongs to the expression.
    char c = peek(p);
    int before = p->at;
    power = c == '/' ? -1 : 1;
    if (c == '*' || c == '/') {
      p->at++;
      peek(p);
      if (!unit_here(p, &one, &n)) {
        p->at = before;
        break;
      }
    } else if (word_length(p) == 0) {
      break;
    }
  }
  return emit(p, (tr_instruction){.op = TR_OP_UNIT, .at = start, .u.unit = all}, 0);
}

// ---- operands -----------------------------------------------------------------------------------

static bool parse_arguments(parser *p, int function, int at) {
  const tr_function *f = tr_function_at(function);
  p->at++; // (
  int n = 0;
  if (peek(p) != ')') {
    for (;;) {
      if (!parse_compare(p)) return false;
      n++;
      if (peek(p) != ',') break;
      p->at++;
    }
  }
  if (peek(p) != ')') {
    // YAML may have cut the text at a comma.
    if (!p->text[p->at] && f->most > 1 && n < f->most)
      snprintf(p->error->hint, TR_HINT, " (inside brackets a text with a comma needs quotes)");
    return fail(p, p->at, "a \")\" is missing");
  }
  p->at++;
  if (n < f->least || n > f->most) {
    char text[64];
    snprintf(text, sizeof text, "%s takes %d argument%s", f->name, f->least,
             f->most > f->least ? " or more"
             : f->least == 1    ? ""
                                : "s");
    return fail(p, at, "%s", text);
  }
  return emit(p,
              (tr_instruction){
                  .op = TR_OP_CALL, .at = at, .u.call = {.function = function, .arguments = n}},
              1 - n);
}

// ---- operands of laws -----------------------------------------------------------------------------

// A marker's name up to a comma or parenthesis; {expressions} in it are the planner's business.
static bool parse_marker(parser *p, bool joint) {
  peek(p);
  int at = p->at, n = 0, depth = 0;
  for (char c; (c = p->text[at + n]) && (depth > 0 || !strchr(",()", c)); n++)
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
  p->at += n;
  while (n > 0 && isspace((unsigned char)p->text[at + n - 1])) n--;
  if (n == 0) return fail(p, at, "the name of a %s is missing", joint ? "joint" : "marker");
  return emit(
      p, (tr_instruction){.op = joint ? TR_OP_JOINT : TR_OP_MARKER, .at = at, .u.length = n}, 1);
}

static bool parse_measure(parser *p, int row, int at) {
  const tr_measure *m = tr_measure_at(row);
  int n = 0;
  do {
    p->at++; // ( or ,
    if (!parse_marker(p, m->of != TR_OF_MARKERS)) return false;
    n++;
  } while (peek(p) == ',');
  if (peek(p) != ')') {
    if (!p->text[p->at] && n < m->most)
      snprintf(p->error->hint, TR_HINT, " (inside brackets a text with a comma needs quotes)");
    return fail(p, p->at, "a \")\" is missing");
  }
  p->at++;
  if (n > m->most)
    return fail(p, at, "%s takes %d %s%s%s", m->name, m->most,
                m->of == TR_OF_MARKERS ? "marker" : "joint", m->most > 1 ? "s" : "",
                m->most > 1 ? " at most" : "");
  return emit(
      p,
      (tr_instruction){.op = TR_OP_MEASURE, .at = at, .u.call = {.function = row, .arguments = n}},
      1 - n);
}

static bool parse_curve(parser *p, int curve, int at, const char *name) {
  p->at++; // (
  if (!parse_compare(p)) return false;
  if (peek(p) == ',') return fail(p, at, "%s takes 1 argument", name);
  if (peek(p) != ')') return fail(p, p->at, "a \")\" is missing");
  p->at++;
  return emit(p, (tr_instruction){.op = TR_OP_CURVE, .at = at, .u.slot = curve}, 0);
}

static bool unknown_function(parser *p, int at, const word *w) {
  const tr_law_scope *law = p->scope ? p->scope->law : NULL;
  if (!law && tr_measure_find(w->text, strlen(w->text)) >= 0)
    return fail(p, at, "the measure %s outside of a law", w->text);
  tr_hint(w->text, law ? law->list(p->scope) : tr_function_names(), p->error->hint);
  return fail(p, at, "unknown function \"%s\"", w->text);
}

static bool parse_call(parser *p, int at, const word *w, int n) {
  const char *name = p->text + at;
  const tr_law_scope *law = p->scope ? p->scope->law : NULL;
  int row = tr_function_find(name, (size_t)n);
  if (row >= 0) return parse_arguments(p, row, at);
  row = law ? tr_measure_find(name, (size_t)n) : -1;
  if (row >= 0) return parse_measure(p, row, at);
  row = law ? law->curve(p->scope, name, (size_t)n) : -1;
  if (row >= 0) return parse_curve(p, row, at, w->text);
  return unknown_function(p, at, w);
}

// time, or a variable of the element: emitted, with *found; both come before parameters.
static bool parse_moving(parser *p, int at, int n, bool *found) {
  const char *name = p->text + at;
  const tr_variable *v = p->scope->law->variables;
  *found = true;
  if (n == 4 && memcmp(name, "time", 4) == 0)
    return emit(p, (tr_instruction){.op = TR_OP_TIME, .at = at}, 1);
  for (int k = 0; v && v[k].name; k++)
    if (strlen(v[k].name) == (size_t)n && memcmp(name, v[k].name, (size_t)n) == 0)
      return emit(p, (tr_instruction){.op = TR_OP_VARIABLE, .at = at, .u.slot = k}, 1);
  int number = p->scope->law->number(p->scope, name, (size_t)n);
  if (number >= 0)
    return emit(p, (tr_instruction){.op = TR_OP_STATE, .at = at, .u.slot = number}, 1);
  *found = false;
  return true;
}

// name_{i}: a state or variable whose name the planner makes.
static bool parse_template_name(parser *p, int at) {
  int n = 0, depth = 0;
  for (char c;
       (c = p->text[at + n]) && (depth > 0 || c == '{' || c == '_' || isalnum((unsigned char)c));
       n++)
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
  p->at = at + n;
  return emit(p, (tr_instruction){.op = TR_OP_NAMED, .at = at, .u.length = n}, 1);
}

// A near name, of variables first.
static void hint_name(parser *p, const char *text) {
  const tr_variable *v = p->scope && p->scope->law ? p->scope->law->variables : NULL;
  const char *names[TR_LAW_VARIABLES + 2] = {"time"};
  for (int k = 0; v && v[k].name && k < TR_LAW_VARIABLES; k++) names[1 + k] = v[k].name;
  if (p->scope && p->scope->law) tr_hint(text, names, p->error->hint);
  if (!p->error->hint[0]) tr_hint(text, p->scope ? p->scope->list(p->scope) : NULL, p->error->hint);
}

static bool parse_name(parser *p) {
  int at = p->at, n = word_length(p);
  const char *name = p->text + at;
  word w = word_at(p, at, n);
  p->at += n;
  if (p->text[p->at] == '{' && p->scope && p->scope->law) return parse_template_name(p, at);
  if (peek(p) == '(') return parse_call(p, at, &w, n);
  if (n == 2 && memcmp(name, "pi", 2) == 0)
    return emit(p,
                (tr_instruction){.op = TR_OP_NUMBER, .at = at, .u.number = 3.14159265358979323846},
                1) &&
           parse_units(p);
  if (p->scope && p->scope->law) {
    bool found, ok = parse_moving(p, at, n, &found);
    if (found) return ok;
  }
  int slot = p->scope ? p->scope->find(p->scope, name, (size_t)n) : -1;
  if (slot >= 0) return emit(p, (tr_instruction){.op = TR_OP_SLOT, .at = at, .u.slot = slot}, 1);
  p->error->whole = at == 0 && p->text[n] == 0;
  if (tr_function_find(name, (size_t)n) >= 0)
    return fail(p, at, "the function \"%s\" needs its arguments in ( )", w.text);
  if (strcmp(w.text, "time") == 0) return fail(p, at, "the time outside of a law");
  if (p->scope && p->scope->law && tr_measure_find(name, (size_t)n) >= 0)
    return fail(p, at, "the measure \"%s\" needs its markers in ( )", w.text);
  hint_name(p, w.text);
  return fail(p, at, "unknown name \"%s\"", w.text);
}

static bool unexpected(parser *p) {
  char c = p->text[p->at];
  int n = word_length(p);
  if (n == 0 && (c < 32 || c > 126)) return fail(p, p->at, "unexpected character");
  return fail(p, p->at, "unexpected \"%s\"", word_at(p, p->at, n ? n : 1).text);
}

static bool parse_operand(parser *p) {
  char c = peek(p);
  int at = p->at;
  if (c == '(') {
    p->at++;
    if (!parse_compare(p)) return false;
    if (peek(p) != ')') return fail(p, p->at, "a \")\" is missing");
    p->at++;
    return parse_units(p);
  }
  if (isdigit((unsigned char)c) || c == '.') {
    double x;
    size_t n = tr_number_scan(p->text + at, &x);
    if (n == 0) return fail(p, at, "a number should stand here");
    p->at += (int)n;
    if (p->text[p->at] == '.') return fail(p, at, "a number should stand here");
    return emit(p, (tr_instruction){.op = TR_OP_NUMBER, .at = at, .u.number = x}, 1) &&
           parse_units(p);
  }
  if (word_length(p) > 0) return parse_name(p);
  if (c == 0) return fail(p, at, "a value is missing at the end");
  if (strchr("+-*/^)<>=!,", c))
    return fail(p, at, "a value is missing before \"%.1s\"", p->text + at);
  return unexpected(p);
}

// ---- operators ----------------------------------------------------------------------------------

static bool parse_power(parser *p) {
  if (!parse_operand(p)) return false;
  if (peek(p) != '^') return true;
  int at = p->at++;
  return parse_signed(p) && emit(p, (tr_instruction){.op = TR_OP_POWER, .at = at}, -1);
}

static bool parse_signed(parser *p) {
  if (!enter(p)) return false;
  char c = peek(p);
  int at = p->at;
  bool ok;
  if (c == '-' || c == '+') {
    p->at++;
    ok =
        parse_signed(p) && (c == '+' || emit(p, (tr_instruction){.op = TR_OP_NEGATE, .at = at}, 0));
  } else {
    ok = parse_power(p);
  }
  p->depth--;
  return ok;
}

static bool parse_product(parser *p) {
  if (!parse_signed(p)) return false;
  for (char c; (c = peek(p)) == '*' || c == '/';) {
    int at = p->at++;
    if (!parse_signed(p)) return false;
    if (!emit(p, (tr_instruction){.op = c == '*' ? TR_OP_MULTIPLY : TR_OP_DIVIDE, .at = at}, -1))
      return false;
  }
  return true;
}

static bool parse_sum(parser *p) {
  if (!parse_product(p)) return false;
  for (char c; (c = peek(p)) == '+' || c == '-';) {
    int at = p->at++;
    if (!parse_product(p)) return false;
    if (!emit(p, (tr_instruction){.op = c == '+' ? TR_OP_ADD : TR_OP_SUBTRACT, .at = at}, -1))
      return false;
  }
  return true;
}

// The comparison here and its length, or 0.
static int comparison(const char *s, tr_op *op) {
  bool equal = s[0] && s[1] == '=';
  if (s[0] == '<')
    *op = equal ? TR_OP_LESS_EQUAL : TR_OP_LESS;
  else if (s[0] == '>')
    *op = equal ? TR_OP_GREATER_EQUAL : TR_OP_GREATER;
  else if (s[0] == '=' && equal)
    *op = TR_OP_EQUAL;
  else if (s[0] == '!' && equal)
    *op = TR_OP_NOT_EQUAL;
  else
    return 0;
  return equal ? 2 : 1;
}

static bool parse_compare(parser *p) {
  if (!enter(p) || !parse_sum(p)) return false;
  peek(p);
  tr_op op;
  int at = p->at, n = comparison(p->text + at, &op);
  p->at += n;
  if (n && !(parse_sum(p) && emit(p, (tr_instruction){.op = op, .at = at}, -1))) return false;
  p->depth--;
  return true;
}

const tr_expr *tr_expr_parse(tr_arena *arena, const char *text, const tr_scope *scope,
                             tr_expr_error *error) {
  *error = (tr_expr_error){0};
  size_t length = strlen(text);
  tr_expr *expr = NULL;
  if (length > 1000000) {
    snprintf(error->text, TR_EXPR_TEXT, "the expression is too long");
    return NULL;
  }
  parser p = {.arena = arena, .text = text, .scope = scope, .error = error};
  expr = tr_arena_get(arena, sizeof *expr + (length + 1) * sizeof *p.code);
  if (!expr) {
    error->no_memory = true;
    return NULL;
  }
  p.code = (tr_instruction *)(expr + 1);
  if (!parse_compare(&p)) return NULL;
  if (peek(&p) != 0) {
    unexpected(&p);
    return NULL;
  }
  *expr = (tr_expr){.text = text, .n = p.n, .code = p.code};
  return expr;
}

int tr_expr_slot(const tr_expr *expr, int *at) {
  while (*at < expr->n) {
    const tr_instruction *in = &expr->code[(*at)++];
    if (in->op == TR_OP_SLOT) return in->u.slot;
  }
  return -1;
}
