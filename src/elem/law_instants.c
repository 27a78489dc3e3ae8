// SPDX-License-Identifier: Apache-2.0
// What a law tells of time before anything moves: its program is run on what is known of each place of the stack.
//
// A line a t + b bent (|.|) or sawn (mod p), plus c, or a number c is known; all else is not. Lines that meet, knots of
// tables and ends of steps are instants, and where mod and floor begin anew trains of them.
#include <math.h>

#include "law.h"

typedef enum shape { UNKNOWN, NUMBER, LINE, BENT, SAW } shape;

typedef struct place {
  shape is;
  double a, b, c, p;
} place;

typedef struct finder {
  tr_instant *out;
  int most, n;
} finder;

enum { FEW_KNOTS = 64 }; // of a table of straight lines: each is a kink

static const place unknown = {.is = UNKNOWN};

static place number(double c) { return (place){.is = NUMBER, .c = c}; }

static void emit(finder *k, double t, double period, bool jump) {
  if (!isfinite(t) || !isfinite(period)) return;
  for (int i = 0; i < k->n; i++)
    if (k->out[i].t == t && k->out[i].period == period) {
      k->out[i].jump |= jump;
      return;
    }
  if (k->n < k->most) k->out[k->n++] = (tr_instant){t, period, jump};
}

// Where x passes a level.
static void meet(finder *k, const place *x, double level, bool jump) {
  double y = level - x->c;
  if (x->is == LINE) emit(k, (y - x->b) / x->a, 0, jump);
  if (x->is == BENT && y >= 0)
    emit(k, (y - x->b) / x->a, 0, jump), emit(k, (-y - x->b) / x->a, 0, jump);
  if (x->is == SAW && y > 0 && y < x->p) emit(k, (y - x->b) / x->a, fabs(x->p / x->a), jump);
}

static bool is_straight(const place *x) { return x->is == NUMBER || x->is == LINE; }

static place plus(const place *x, double s, const place *y) {
  place z = *x;
  if (y->is == NUMBER && x->is != UNKNOWN) {
    z.c += s * y->c;
    return z;
  }
  if (!is_straight(x) || y->is != LINE) return unknown;
  z = (place){LINE, x->a + s * y->a, x->b + s * y->b, x->c + s * y->c, 0};
  return z.a == 0 ? number(z.b + z.c) : z;
}

static place times(const place *x, double s) {
  if (x->is == NUMBER) return number(s * x->c);
  if (x->is != LINE || s == 0) return s == 0 ? number(0) : unknown;
  return (place){LINE, s * x->a, s * x->b, s * x->c, 0};
}

// Two that are compared, or of which the one or the other counts.
static void cross(finder *k, const place *x, const place *y, bool jump) {
  place between = is_straight(x) && is_straight(y) ? plus(x, -1, y) : unknown;
  if (between.is == LINE)
    meet(k, &between, 0, jump);
  else if (y->is == NUMBER)
    meet(k, x, y->c, jump);
  else if (x->is == NUMBER)
    meet(k, y, x->c, jump);
}

static place product(finder *k, const place *x, const place *y) {
  if (y->is == NUMBER) return times(x, y->c);
  if (x->is == NUMBER) return times(y, x->c);
  meet(k, x, 0, false), meet(k, y, 0, false); // a square: what depends on it may be narrow
  return unknown;
}

static place saw(finder *k, const place *x, const place *y) {
  if (x->is != LINE || y->is != NUMBER || !(y->c > 0)) return unknown;
  place z = {SAW, x->a, x->b + x->c, 0, y->c};
  emit(k, -z.b / z.a, fabs(z.p / z.a), true);
  return z;
}

// Something begins or ends at knot i of a table, next to a stretch where all is the same.
static bool is_edge(const tr_spline *s, int i) {
  if (i <= 0 || i >= s->n - 1) return i == 0 || i == s->n - 1;
  return (s->y[i - 1] == s->y[i]) != (s->y[i] == s->y[i + 1]);
}

static void meet_table(finder *k, const tr_spline *s, const place *x) {
  for (int i = 0; i < s->n; i++) {
    bool near = is_edge(s, i - 1) || is_edge(s, i) || is_edge(s, i + 1);
    if (near || (!s->m && s->n <= FEW_KNOTS)) meet(k, x, s->x[i], false);
  }
}

static place function(finder *k, const law_instruction *in, const place *x) {
  if (in->op == LAW_NEGATE) return times(x, -1);
  if (x->is == NUMBER) return unknown;
  if (in->op == LAW_ABS && x->is == LINE) {
    meet(k, x, 0, false);
    return (place){BENT, x->a, x->b + x->c, 0, 0};
  }
  if (in->op == LAW_SIGN) meet(k, x, 0, true);
  if (in->op == LAW_TANH || in->op == LAW_ATAN || in->op == LAW_POWER_FIXED) meet(k, x, 0, false);
  if (x->is == LINE && (in->op == LAW_FLOOR || in->op == LAW_CEIL || in->op == LAW_ROUND)) {
    double at = in->op == LAW_ROUND ? 0.5 : 0;
    emit(k, (at - x->b - x->c) / x->a, fabs(1 / x->a), true);
  }
  if (in->op == LAW_CURVE) meet_table(k, in->curve, x);
  return unknown;
}

static place execute(finder *k, const tr_law *law, const law_instruction *in, const place *x) {
  switch (in->op) {
    case LAW_CONSTANT: return number(in->x);
    case LAW_INPUT:
      return law->input[in->input].kind == LAW_TIME ? (place){.is = LINE, .a = 1} : unknown;
    case LAW_ADD: return x[0].is == NUMBER ? plus(&x[1], 1, &x[0]) : plus(&x[0], 1, &x[1]);
    case LAW_SUBTRACT: return plus(&x[0], -1, &x[1]);
    case LAW_MULTIPLY: return product(k, &x[0], &x[1]);
    case LAW_DIVIDE: return x[1].is == NUMBER && x[1].c != 0 ? times(&x[0], 1 / x[1].c) : unknown;
    case LAW_MOD: return saw(k, &x[0], &x[1]);
    case LAW_MIN:
    case LAW_MAX: cross(k, &x[0], &x[1], false); return unknown;
    case LAW_STEP:
    case LAW_STEP5:
    case LAW_HAVSIN:
      if (x[1].is == NUMBER) meet(k, &x[0], x[1].c, false);
      if (x[3].is == NUMBER) meet(k, &x[0], x[3].c, false);
      return unknown;
    default: break;
  }
  if (in->op >= LAW_LESS && in->op <= LAW_NOT_EQUAL) cross(k, &x[0], &x[1], true);
  return law_operands(in->op) == 1 ? function(k, in, &x[0]) : unknown;
}

int law_find_instants(const tr_law *law, int n, int most, tr_instant *out) {
  finder k = {out, most, n};
  place stack[TR_LAW_STACK + 1] = {{0}};
  int top = 0;
  bool time = false;
  for (int i = 0; i < law->inputs; i++) time |= law->input[i].kind == LAW_TIME;
  for (int i = 0; time && i < law->n; i++) {
    const law_instruction *in = &law->code[i];
    top -= law_operands(in->op);
    stack[top] = execute(&k, law, in, stack + top);
    top++;
  }
  return k.n;
}
