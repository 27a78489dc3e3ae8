// SPDX-License-Identifier: Apache-2.0
// What a law tells of time before anything moves: its program is run on what is known of each place of the stack.
//
// Known is v = e t + c + k mod(a t + b, p), or such a v bent, s |v| + d; all else is not. Lines that meet, knots of tables and
// ends of steps are instants, and where mod and floor begin anew trains of them. What else depends on time alone and is
// compared, or bent, is a switch whose times are found when they are near (law_range.c). A train is blind if what
// the law makes of mod within a period is not known.
#include <math.h>

#include "law.h"

typedef struct place {
  bool known, bent;
  double e, c, k, a, b, p;
  double s, d;
  int train;  // 1 + the instant where its mod begins anew, known or not; 0: none
  bool alone; // it depends on time alone
  int first;  // instruction of those that make it
} place;

typedef struct finder {
  tr_instant *out;
  int most, n;
  const law_source *of;
  int at;      // the instruction
  double wave; // the shortest period of a sine
} finder;

static const double TURN = 6.283185307179586;
enum { FEW_KNOTS = 64 }; // of a table of straight lines: each is a kink

static place number(double c) { return (place){.known = true, .c = c}; }
static bool is_number(const place *x) { return x->known && !x->bent && x->e == 0 && x->k == 0; }
static bool is_line(const place *x) { return x->known && !x->bent && x->e != 0 && x->k == 0; }

// Not known, made of two.
static place made_of(const place *x, const place *y) {
  return (place){.train = x->train ? x->train : y->train};
}

// 1 + which it is; 0: there is no room.
static int emit(finder *k, double t, double period, bool jump) {
  if (!isfinite(t) || !isfinite(period)) return 0;
  for (int i = 0; i < k->n; i++)
    if (k->out[i].t == t && k->out[i].period == period && !k->out[i].found.of) {
      k->out[i].jump |= jump;
      return i + 1;
    }
  if (k->n >= k->most) return 0;
  k->out[k->n++] = (tr_instant){.t = t, .period = period, .jump = jump};
  return k->n;
}

// x goes into what is not looked through.
static void blind(finder *k, const place *x) {
  if (x->train) k->out[x->train - 1].blind = true;
}

// n numbers, at x, tell when the instruction switches; false: not they alone.
static bool watch(finder *k, int n, const place *x, bool jump) {
  bool alone = true;
  for (int i = 0; i < n; i++) alone &= x[i].alone;
  if (!alone || k->n >= k->most) return false;
  k->out[k->n++] = (tr_instant){.found = {k->of, x[0].first, k->at}, .jump = jump};
  return true;
}

// Where x passes a level. Of stairs that is where one of them begins.
static void meet(finder *k, const place *x, double level, bool jump) {
  if (!x->known) return;
  if (x->bent) {
    place in = *x;
    double y = (level - x->d) / x->s;
    in.bent = false;
    if (y >= 0) meet(k, &in, y, jump), meet(k, &in, -y, jump);
    return;
  }
  double y = level - x->c;
  if (x->k == 0) {
    if (x->e != 0) emit(k, y / x->e, 0, jump);
  } else if (x->e == 0) {
    y /= x->k;
    if (y > 0 && y < x->p) emit(k, (y - x->b) / x->a, fabs(x->p / x->a), jump);
  } else {
    double n = (x->a * y / x->e + x->b) / x->p;
    emit(k, (floor(n) * x->p - x->b) / x->a, 0, jump);
    emit(k, (ceil(n) * x->p - x->b) / x->a, 0, jump);
  }
}

static place times(const place *x, double s) {
  place z = *x;
  if (s == 0) return number(0);
  if (z.bent)
    z.s *= s, z.d *= s;
  else
    z.e *= s, z.c *= s, z.k *= s;
  return z;
}

// x + s y
static place plus(const place *x, double s, const place *y) {
  place z = times(y, s);
  if (!x->known || !y->known) return made_of(x, y);
  if (x->bent || y->bent) {
    if (!is_number(x) && !is_number(y)) return made_of(x, y);
    place w = x->bent ? *x : z;
    w.d += x->bent ? z.c : x->c;
    return w;
  }
  bool same = x->a == z.a && x->b == z.b && x->p == z.p;
  if (x->k != 0 && z.k != 0 && !same) return made_of(x, y);
  place w = x->k != 0 ? *x : z;
  w.e = x->e + z.e, w.c = x->c + z.c, w.k = x->k + z.k;
  return w;
}

// Two that are compared, or of which the one or the other counts.
static void cross(finder *k, const place *x, bool jump) {
  place between = plus(&x[0], -1, &x[1]);
  if (between.known)
    meet(k, &between, 0, jump);
  else if (!watch(k, 2, x, jump))
    blind(k, &between);
}

static place product(finder *k, const place *x, const place *y) {
  if (is_number(y)) return times(x, y->c);
  if (is_number(x)) return times(y, x->c);
  meet(k, x, 0, false), meet(k, y, 0, false); // a square: what depends on it may be narrow
  blind(k, x), blind(k, y);
  return (place){0};
}

// mod(x, p) of a line
static place saw(finder *k, const place *x, double p) {
  place z = {.known = true, .k = 1, .a = x->e, .b = x->c, .p = p};
  z.train = emit(k, -z.b / z.a, fabs(z.p / z.a), true);
  return z;
}

static place mod(finder *k, const place *x) {
  if (is_line(&x[0]) && is_number(&x[1]) && x[1].c > 0) return saw(k, &x[0], x[1].c);
  if (watch(k, 2, x, true)) return made_of(&x[0], &x[1]);
  blind(k, &x[0]), blind(k, &x[1]);
  return (place){0};
}

// floor(x) = x - mod(x, 1), ceil(x) = x + mod(-x, 1)
static place stairs(finder *k, law_op op, const place *x) {
  place y = *x, back = times(x, -1);
  if (op == LAW_ROUND) y.c += 0.5;
  place z = saw(k, op == LAW_CEIL ? &back : &y, 1);
  return plus(&y, op == LAW_CEIL ? 1 : -1, &z);
}

static place bend(finder *k, const place *x) {
  place z = *x;
  if (!x->known || x->bent || (x->e != 0 && x->k != 0)) {
    if (!watch(k, 1, x, false)) blind(k, x);
    return (place){.train = x->train};
  }
  meet(k, x, 0, false);
  z.bent = true, z.s = 1, z.d = 0;
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
  law_op op = in->op;
  if (op == LAW_NEGATE) return times(x, -1);
  if (is_number(x)) return (place){0};
  if (op == LAW_ABS) return bend(k, x);
  bool floors = op == LAW_FLOOR || op == LAW_CEIL || op == LAW_ROUND;
  if (is_line(x) && floors) return stairs(k, op, x);
  if (floors && watch(k, 1, x, true)) return made_of(x, x);
  if (op == LAW_SIGN) {
    meet(k, x, 0, true);
    if (!x->known && !watch(k, 1, x, true)) blind(k, x);
    return (place){0};
  }
  if (is_line(x) && (op == LAW_SIN || op == LAW_COS)) k->wave = fmin(k->wave, TURN / fabs(x->e));
  if (op == LAW_TANH || op == LAW_ATAN || op == LAW_POWER_FIXED) meet(k, x, 0, false);
  if (op == LAW_CURVE) meet_table(k, in->curve, x);
  blind(k, x);
  return (place){0};
}

// STEP and the like
static place ramp(finder *k, const place *x) {
  bool straight = x[0].known && is_number(&x[1]) && is_number(&x[3]);
  if (!straight && x[1].alone && x[3].alone && watch(k, 1, x, false)) return (place){0};
  for (int i = 1; i <= 3; i += 2)
    if (is_number(&x[i])) meet(k, &x[0], x[i].c, false);
  if (!x[0].known) blind(k, &x[0]);
  for (int i = 1; i < 5; i++) blind(k, &x[i]);
  return (place){0};
}

static place execute(finder *k, const tr_law *law, const law_instruction *in, const place *x) {
  int n = law_operands(in->op);
  switch (in->op) {
    case LAW_CONSTANT: return number(in->x);
    case LAW_INPUT:
      if (k->of->parameter[in->input]) return number(*k->of->parameter[in->input]);
      return law->input[in->input].kind == LAW_TIME ? (place){.known = true, .e = 1} : (place){0};
    case LAW_ADD: return plus(&x[0], 1, &x[1]);
    case LAW_SUBTRACT: return plus(&x[0], -1, &x[1]);
    case LAW_MULTIPLY: return product(k, &x[0], &x[1]);
    case LAW_DIVIDE:
      if (is_number(&x[1]) && x[1].c != 0) return times(&x[0], 1 / x[1].c);
      break;
    case LAW_MOD: return mod(k, x);
    case LAW_MIN:
    case LAW_MAX: cross(k, x, false); return made_of(&x[0], &x[1]);
    case LAW_STEP:
    case LAW_STEP5:
    case LAW_HAVSIN: return ramp(k, x);
    case LAW_IF: return made_of(&x[1], &x[2]);
    default: break;
  }
  if (in->op >= LAW_LESS && in->op <= LAW_NOT_EQUAL) {
    cross(k, x, true);
    return (place){0};
  }
  if (n == 1) return function(k, in, &x[0]);
  for (int i = 0; i < n; i++) blind(k, &x[i]);
  return (place){0};
}

// What the instruction makes of the places at x.
static place next_place(finder *k, const place *x) {
  const tr_law *law = k->of->law;
  const law_instruction *in = &law->code[k->at];
  int n = law_operands(in->op);
  bool alone = true;
  if (in->op == LAW_INPUT)
    alone = law->input[in->input].kind == LAW_TIME || k->of->number[in->input] ||
            k->of->parameter[in->input];
  for (int i = 0; i < n; i++) alone &= x[i].alone;
  place z = execute(k, law, in, x);
  z.alone = alone, z.first = n > 0 ? x[0].first : k->at;
  return z;
}

static void run(finder *k) {
  const law_source *s = k->of;
  place stack[TR_LAW_STACK + 1] = {{0}};
  for (int top = 0; s->timed && k->at < s->law->n; k->at++, top++) {
    top -= law_operands(s->law->code[k->at].op);
    stack[top] = next_place(k, stack + top);
  }
}

int law_find_instants(const law_source *s, int n, int most, tr_instant *out) {
  finder k = {.out = out, .most = most, .n = n, .of = s};
  run(&k);
  return k.n;
}

double law_wave(const tr_law *law) {
  law_source s = {.law = law, .timed = true};
  finder k = {.of = &s, .wave = INFINITY};
  run(&k);
  return k.wave;
}
