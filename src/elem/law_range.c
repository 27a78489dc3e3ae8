// SPDX-License-Identifier: Apache-2.0
// What a law of time alone takes on within an interval, and where it switches next.
//
// Its program is run on ranges [lo, hi]. Those of each instruction are exact, apart from round-off, so that a range of an
// expression holds all its values and shrinks with the interval; of a single time it is the value itself.
// An instruction that switches - a comparison, sign, floor, mod, the ends of a ramp, a kink - has an index that tells where it
// stands: a sign, or the number of a stair. Where the range of the index is one number nothing switches, else the
// interval is halved, the earlier half first, until no time is left between its ends.
#include <float.h>
#include <math.h>

#include "law.h"
#include "math/v3.h"

typedef struct range {
  double lo, hi;
} range;

enum { MOST_PIECES = 128 };
static const double LEAST_PIECE = 2; // eps

static const range ANY = {-INFINITY, INFINITY};

static range of(double lo, double hi) {
  if (isnan(lo) || isnan(hi)) return ANY;
  return lo <= hi ? (range){lo, hi} : (range){hi, lo};
}
static range hull(range a, range b) { return (range){fmin(a.lo, b.lo), fmax(a.hi, b.hi)}; }
static range with(range a, double x) { return (range){fmin(a.lo, x), fmax(a.hi, x)}; }
static bool holds(range a, double x) { return a.lo <= x && a.hi >= x; }
static range sum(range a, range b) { return of(a.lo + b.lo, a.hi + b.hi); }
static range less(range a, range b) { return of(a.lo - b.hi, a.hi - b.lo); }

// ---- two numbers ------------------------------------------------------------------------------------

static double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }
static double quotient(double a, double b) { return a / b; }

// A function that has no extremum but at the corners.
static range corners(double (*f)(double, double), range a, range b) {
  return hull(hull(of(f(a.lo, b.lo), f(a.lo, b.hi)), of(f(a.hi, b.lo), f(a.hi, b.hi))),
              of(f(a.lo, b.lo), f(a.hi, b.hi)));
}

static range divided(range a, range b) { return holds(b, 0) ? ANY : corners(quotient, a, b); }

static range power(range a, range b) {
  if (a.lo > 0 || (a.lo == a.hi && b.lo == b.hi)) return corners(pow, a, b);
  return ANY;
}

static range angle(range y, range x) {
  if (holds(y, 0) && x.lo <= 0 && (y.lo != y.hi || x.lo != x.hi)) return (range){-TR_PI, TR_PI};
  return corners(atan2, y, x);
}

static range rest(range a, range b) {
  range n = divided(a, b);
  double k = floor(n.lo);
  if (k != floor(n.hi) || isinf(k)) return with(b, 0);
  return sum(a, corners(product, (range){-k, -k}, b));
}

static range compared(law_op op, range a, range b) {
  range d = less(a, b);
  switch (op) {
    case LAW_LESS: return of(d.hi < 0, d.lo < 0);
    case LAW_LESS_EQUAL: return of(d.hi <= 0, d.lo <= 0);
    case LAW_GREATER: return of(d.lo > 0, d.hi > 0);
    case LAW_GREATER_EQUAL: return of(d.lo >= 0, d.hi >= 0);
    case LAW_EQUAL: return of(d.lo == 0 && d.hi == 0, holds(d, 0));
    default: return of(!holds(d, 0), d.lo != 0 || d.hi != 0);
  }
}

// ---- one number -------------------------------------------------------------------------------------

// Of sin or cos with f at the ends, which is 1 at top + 2 pi n.
static range wave(range x, double f0, double f1, double top) {
  double turn = 2 * TR_PI;
  range y = of(f0, f1);
  if (!(x.hi - x.lo < turn)) return (range){-1, 1};
  if (floor((x.hi - top) / turn) > floor((x.lo - top) / turn)) y.hi = 1;
  if (floor((x.hi - top) / turn + 0.5) > floor((x.lo - top) / turn + 0.5)) y.lo = -1;
  return y;
}

static range tangent(range x) {
  bool pole = floor(x.lo / TR_PI + 0.5) != floor(x.hi / TR_PI + 0.5);
  return pole || isinf(x.lo) ? ANY : of(tan(x.lo), tan(x.hi));
}

static range fixed_power(range x, double c) {
  if (c != floor(c)) x = (range){fmax(x.lo, 0), fmax(x.hi, 0)};
  range y = of(pow(x.lo, c), pow(x.hi, c));
  if (!holds(x, 0) || c == 0) return y;
  return c > 0 ? with(y, 0) : ANY;
}

// Over each piece of the curve that is met: the ends and what it bends by between them.
static range curve(const tr_spline *s, range x) {
  double f[3];
  range y = {INFINITY, -INFINITY};
  if (isinf(x.lo) || isinf(x.hi)) return ANY;
  for (int i = -1; i < s->n; i++) {
    double a = i < 0 ? x.lo : fmax(x.lo, s->x[i]);
    double b = i == s->n - 1 ? x.hi : fmin(x.hi, s->x[i + 1]);
    if (a > b) continue;
    double m = s->m && i >= 0 && i < s->n - 1 ? fmax(fabs(s->m[i]), fabs(s->m[i + 1])) : 0;
    double bent = 0.125 * m * (b - a) * (b - a);
    spline_at(s, a, f), y = hull(y, (range){f[0] - bent, f[0] + bent});
    spline_at(s, b, f), y = hull(y, (range){f[0] - bent, f[0] + bent});
  }
  return y;
}

static double sign_of(double x) { return (x > 0) - (x < 0); }

static range function(const law_instruction *in, range x) {
  double a = x.lo, b = x.hi;
  bool zero = a < 0 && b > 0;
  switch (in->op) {
    case LAW_NEGATE: return (range){-b, -a};
    case LAW_POWER_FIXED: return fixed_power(x, in->x);
    case LAW_SIN: return wave(x, sin(a), sin(b), 0.5 * TR_PI);
    case LAW_COS: return wave(x, cos(a), cos(b), 0);
    case LAW_TAN: return tangent(x);
    case LAW_ASIN: return of(asin(fmax(a, -1)), asin(fmin(b, 1)));
    case LAW_ACOS: return of(acos(fmin(b, 1)), acos(fmax(a, -1)));
    case LAW_ATAN: return of(atan(a), atan(b));
    case LAW_SINH: return of(sinh(a), sinh(b));
    case LAW_COSH: return zero ? with(of(cosh(a), cosh(b)), 1) : of(cosh(a), cosh(b));
    case LAW_TANH: return of(tanh(a), tanh(b));
    case LAW_SQRT: return of(sqrt(fmax(a, 0)), sqrt(b));
    case LAW_ABS: return zero ? with(of(-a, b), 0) : of(fabs(a), fabs(b));
    case LAW_EXP: return of(exp(a), exp(b));
    case LAW_LOG: return of(log(fmax(a, 0)), log(b));
    case LAW_LOG10: return of(log10(fmax(a, 0)), log10(b));
    case LAW_FLOOR: return of(floor(a), floor(b));
    case LAW_CEIL: return of(ceil(a), ceil(b));
    case LAW_ROUND: return of(round(a), round(b));
    case LAW_SIGN: return of(sign_of(a), sign_of(b));
    case LAW_CURVE: return curve(in->curve, x);
    default: return ANY;
  }
}

// (x - x0)/(x1 - x0) of STEP and the like
static range way(const range *x) { return divided(less(x[0], x[1]), less(x[3], x[1])); }

static range ramp(law_op op, const range *x) {
  range u = way(x), s = {law_ramp(op, u.lo), law_ramp(op, u.hi)};
  return sum(x[2], corners(product, s, less(x[4], x[2])));
}

static range choice(const range *x) {
  if (!holds(x[0], 0)) return x[1];
  return x[0].lo == 0 && x[0].hi == 0 ? x[2] : hull(x[1], x[2]);
}

// ---- programs ---------------------------------------------------------------------------------------

static range execute(const law_instruction *in, const range *x) {
  switch (in->op) {
    case LAW_ADD: return sum(x[0], x[1]);
    case LAW_SUBTRACT: return less(x[0], x[1]);
    case LAW_MULTIPLY: return corners(product, x[0], x[1]);
    case LAW_DIVIDE: return divided(x[0], x[1]);
    case LAW_POWER: return power(x[0], x[1]);
    case LAW_ATAN2: return angle(x[0], x[1]);
    case LAW_MIN: return (range){fmin(x[0].lo, x[1].lo), fmin(x[0].hi, x[1].hi)};
    case LAW_MAX: return (range){fmax(x[0].lo, x[1].lo), fmax(x[0].hi, x[1].hi)};
    case LAW_MOD: return rest(x[0], x[1]);
    case LAW_IF: return choice(x);
    case LAW_STEP:
    case LAW_STEP5:
    case LAW_HAVSIN: return ramp(in->op, x);
    default: break;
  }
  if (in->op >= LAW_LESS && in->op <= LAW_NOT_EQUAL) return compared(in->op, x[0], x[1]);
  return function(in, x[0]);
}

static void run(const law_source *s, int from, int to, range t, range *stack, long *work);

// An input, on the times t: the time, a number, a parameter.
static range read(const law_source *s, int input, range t, long *work) {
  const law_source *number = s->number[input];
  const double *x = number ? &number->law->value : s->parameter[input];
  range inner[TR_LAW_STACK + 1];
  if (!number && !x) return t;
  if (!number || number->law->constant) return (range){*x, *x};
  run(number, 0, number->law->n, t, inner, work);
  return inner[0];
}

// Instructions from one to before another, on the times t; their results stand in stack.
static void run(const law_source *s, int from, int to, range t, range *stack, long *work) {
  const tr_law *law = s->law;
  int top = 0;
  *work += to - from;
  for (int i = from; i < to; i++) {
    const law_instruction *in = &law->code[i];
    top -= law_operands(in->op);
    if (in->op == LAW_CONSTANT) {
      stack[top] = (range){in->x, in->x};
    } else if (in->op == LAW_INPUT) {
      stack[top] = read(s, in->input, t, work);
    } else {
      stack[top] = execute(in, stack + top);
    }
    top++;
  }
}

// Where the instruction that switches stands, given what it works on.
static range index_of(law_op op, const range *x) {
  range y;
  if (op == LAW_FLOOR) return of(floor(x[0].lo), floor(x[0].hi));
  if (op == LAW_CEIL) return of(ceil(x[0].lo), ceil(x[0].hi));
  if (op == LAW_ROUND) return of(round(x[0].lo), round(x[0].hi));
  if (op == LAW_MOD) {
    y = divided(x[0], x[1]);
    return of(floor(y.lo), floor(y.hi));
  }
  if (op >= LAW_STEP) {
    y = way(x);
    return of((y.lo > 0) + (y.lo >= 1), (y.hi > 0) + (y.hi >= 1));
  }
  y = law_operands(op) == 2 ? less(x[0], x[1]) : x[0];
  return of(sign_of(y.lo), sign_of(y.hi));
}

static range stands(const law_switch *w, double from, double to, long *work) {
  range stack[TR_LAW_STACK + 1];
  run(w->of, w->first, w->at, (range){from, to}, stack, work);
  return index_of(w->of->law->code[w->at].op, stack);
}

bool law_switches_within(const law_switch *w, double from, double to) {
  long work = 0;
  range k = stands(w, from, to, &work);
  return k.lo != k.hi;
}

double law_next_switch(const law_switch *w, double *from, double till, double scale, long work) {
  double end[MOST_PIECES], least = LEAST_PIECE * DBL_EPSILON * scale;
  int n = 0;
  long done = 0;
  for (end[n++] = till; n > 0 && done < work;) {
    double to = end[n - 1];
    range k = stands(w, *from, to, &done);
    bool one = k.lo == k.hi, small = to - *from <= least || n == MOST_PIECES;
    if (!one && !small) {
      end[n++] = *from + 0.5 * (to - *from);
      continue;
    }
    double before = *from;
    *from = to, n--;
    if (!one && stands(w, before, before, &done).lo != stands(w, to, to, &done).lo) return to;
  }
  return n > 0 ? NAN : INFINITY;
}
