// SPDX-License-Identifier: Apache-2.0
// The stack machine of laws. A place of the stack holds a value, its gradient g (m) and its Hessian H
// (m x m) by the m inputs, as far as the order asks for them:
//   f(a)    g = f' g_a                       H = f' H_a + f'' g_a g_a'
//   a b     g = a g_b + b g_a                H = a H_b + b H_a + g_a g_b' + g_b g_a'
//   a/b=r   g = (g_a - r g_b)/b              H = (H_a - r H_b - g g_b' - g_b g')/b
#include "law.h"

#include <string.h>

#include "math/v3.h"

enum { PLACE_SIZE = 1 + TR_LAW_INPUTS + TR_LAW_INPUTS * TR_LAW_INPUTS };

typedef struct machine {
  int m, order, size; // inputs; derivatives wanted; numbers of a place
  double *top;        // first operand of the instruction being executed
} machine;

// ---- arithmetic on places -----------------------------------------------------------------------------

static void constant(const machine *k, double *a, double x) {
  a[0] = x;
  for (int i = 1; i < k->size; i++) a[i] = 0;
}

// f: value, first and second derivative at a.
static void chain(const machine *k, double *a, const double f[3]) {
  double *g = a + 1, *H = g + k->m;
  a[0] = f[0];
  if (k->order > 1)
    for (int i = 0; i < k->m; i++)
      for (int j = 0; j < k->m; j++)
        H[i * k->m + j] = f[1] * H[i * k->m + j] + (g[i] * g[j] != 0 ? f[2] * g[i] * g[j] : 0);
  if (k->order > 0)
    for (int i = 0; i < k->m; i++) g[i] = g[i] != 0 ? f[1] * g[i] : 0;
}

// a += s b
static void add(const machine *k, double *a, double s, const double *b) {
  for (int i = 0; i < k->size; i++) a[i] += s * b[i];
}

static void multiply(const machine *k, double *a, const double *b) {
  int m = k->m;
  double *ga = a + 1, *Ha = ga + m;
  const double *gb = b + 1, *Hb = gb + m;
  if (k->order > 1)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++)
        Ha[i * m + j] = a[0] * Hb[i * m + j] + b[0] * Ha[i * m + j] + ga[i] * gb[j] + gb[i] * ga[j];
  if (k->order > 0)
    for (int i = 0; i < m; i++) ga[i] = a[0] * gb[i] + b[0] * ga[i];
  a[0] *= b[0];
}

static void divide(const machine *k, double *a, const double *b) {
  int m = k->m;
  double r = a[0] / b[0], *g = a + 1, *H = g + m;
  const double *gb = b + 1, *Hb = gb + m;
  if (k->order > 0)
    for (int i = 0; i < m; i++) g[i] = (g[i] - r * gb[i]) / b[0];
  if (k->order > 1)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++)
        H[i * m + j] = (H[i * m + j] - r * Hb[i * m + j] - g[i] * gb[j] - gb[i] * g[j]) / b[0];
  a[0] = r;
}

// th = atan2(y, x):  th_i = (x y_i - y x_i)/r^2 and its derivative
static void angle(const machine *k, double *y, const double *x) {
  int m = k->m;
  double r2 = y[0] * y[0] + x[0] * x[0], *gy = y + 1, *Hy = gy + m, th[TR_LAW_INPUTS];
  const double *gx = x + 1, *Hx = gx + m;
  if (k->order > 0)
    for (int i = 0; i < m; i++) th[i] = (x[0] * gy[i] - y[0] * gx[i]) / r2;
  if (k->order > 1)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++)
        Hy[i * m + j] = (gx[j] * gy[i] - gy[j] * gx[i] + x[0] * Hy[i * m + j] -
                         y[0] * Hx[i * m + j] - 2 * th[i] * (x[0] * gx[j] + y[0] * gy[j])) /
                        r2;
  if (k->order > 0) memcpy(gy, th, (size_t)m * sizeof *th);
  y[0] = atan2(y[0], x[0]);
}

// ---- functions of one number --------------------------------------------------------------------------

static void power_fixed(double x, double c, int order, double f[3]) {
  f[0] = pow(x, c);
  if (order == 0) return;
  f[1] = c == 0 ? 0 : c * pow(x, c - 1);
  f[2] = c == 0 || c == 1 ? 0 : c * (c - 1) * pow(x, c - 2);
}

static void circular(law_op op, double x, double f[3]) {
  double s = sin(x), c = cos(x);
  if (op == LAW_SIN)
    f[0] = s, f[1] = c, f[2] = -s;
  else if (op == LAW_COS)
    f[0] = c, f[1] = -s, f[2] = -c;
  else
    f[0] = tan(x), f[1] = 1 / (c * c), f[2] = 2 * f[0] * f[1];
}

static void inverse_circular(law_op op, double x, double f[3]) {
  if (op == LAW_ATAN) {
    f[0] = atan(x), f[1] = 1 / (1 + x * x), f[2] = -2 * x * f[1] * f[1];
    return;
  }
  double sign = op == LAW_ASIN ? 1 : -1, w = 1 / sqrt(1 - x * x);
  f[0] = op == LAW_ASIN ? asin(x) : acos(x), f[1] = sign * w, f[2] = sign * x * w * w * w;
}

static void hyperbolic(law_op op, double x, double f[3]) {
  if (op == LAW_TANH) {
    f[0] = tanh(x), f[1] = 1 - f[0] * f[0], f[2] = -2 * f[0] * f[1];
    return;
  }
  double s = sinh(x), c = cosh(x);
  f[0] = f[2] = op == LAW_SINH ? s : c, f[1] = op == LAW_SINH ? c : s;
}

static double sign_of(double x) { return (x > 0) - (x < 0); }

// f: value and two derivatives of a function at x.
static void function(const law_instruction *in, double x, int order, double f[3]) {
  f[1] = f[2] = 0;
  switch (in->op) {
    case LAW_POWER_FIXED: power_fixed(x, in->x, order, f); break;
    case LAW_NEGATE: f[0] = -x, f[1] = -1; break;
    case LAW_SIN:
    case LAW_COS:
    case LAW_TAN: circular(in->op, x, f); break;
    case LAW_ASIN:
    case LAW_ACOS:
    case LAW_ATAN: inverse_circular(in->op, x, f); break;
    case LAW_SINH:
    case LAW_COSH:
    case LAW_TANH: hyperbolic(in->op, x, f); break;
    case LAW_SQRT: f[0] = sqrt(x), f[1] = 0.5 / f[0], f[2] = -0.5 * f[1] / x; break;
    case LAW_ABS: f[0] = fabs(x), f[1] = x < 0 ? -1 : 1; break;
    case LAW_EXP: f[0] = f[1] = f[2] = exp(x); break;
    case LAW_LOG: f[0] = log(x), f[1] = 1 / x, f[2] = -f[1] / x; break;
    case LAW_LOG10: f[0] = log10(x), f[1] = 1 / (x * log(10)), f[2] = -f[1] / x; break;
    case LAW_FLOOR: f[0] = floor(x); break;
    case LAW_CEIL: f[0] = ceil(x); break;
    case LAW_ROUND: f[0] = round(x); break;
    case LAW_SIGN: f[0] = sign_of(x); break;
    case LAW_CURVE: spline_at(in->curve, x, f); break;
    default: f[0] = x; break;
  }
}

// From 0 at u <= 0 to 1 at u >= 1.
static void ramp(law_op op, double u, double f[3]) {
  f[0] = u >= 1, f[1] = f[2] = 0;
  if (!(u > 0 && u < 1)) return;
  if (op == LAW_STEP) {
    f[0] = u * u * (3 - 2 * u), f[1] = 6 * u * (1 - u), f[2] = 6 - 12 * u;
  } else if (op == LAW_STEP5) {
    f[0] = u * u * u * (10 + u * (6 * u - 15));
    f[1] = 30 * u * u * (1 - u) * (1 - u), f[2] = 60 * u * (1 - u) * (1 - 2 * u);
  } else {
    f[0] = 0.5 * (1 - cos(TR_PI * u));
    f[1] = 0.5 * TR_PI * sin(TR_PI * u), f[2] = 0.5 * TR_PI * TR_PI * cos(TR_PI * u);
  }
}

double law_ramp(law_op op, double u) {
  double f[3];
  ramp(op, u, f);
  return f[0];
}

// ---- instructions -------------------------------------------------------------------------------------

int law_operands(law_op op) {
  if (op == LAW_CONSTANT || op == LAW_INPUT) return 0;
  if (op >= LAW_STEP) return 5;
  if (op == LAW_IF) return 3;
  if (op >= LAW_ATAN2 || (op >= LAW_ADD && op <= LAW_POWER) ||
      (op >= LAW_LESS && op <= LAW_NOT_EQUAL))
    return 2;
  return 1;
}

static bool compare(law_op op, double a, double b) {
  switch (op) {
    case LAW_LESS: return a < b;
    case LAW_LESS_EQUAL: return a <= b;
    case LAW_GREATER: return a > b;
    case LAW_GREATER_EQUAL: return a >= b;
    case LAW_EQUAL: return a == b;
    default: return a != b;
  }
}

// y0 + (y1 - y0) S((x - x0)/(x1 - x0)); the operands are used up
static void step(const machine *k, law_op op) {
  double f[3], *x = k->top, *x0 = x + k->size, *y0 = x0 + k->size, *x1 = y0 + k->size,
               *y1 = x1 + k->size;
  add(k, x, -1, x0);
  add(k, x1, -1, x0);
  divide(k, x, x1);
  ramp(op, x[0], f);
  chain(k, x, f);
  add(k, y1, -1, y0);
  multiply(k, x, y1);
  add(k, x, 1, y0);
}

// a^b = exp(b log a), with the value of pow
static void power(const machine *k, double *a, double *b) {
  static const law_instruction log_in = {.op = LAW_LOG}, exp_in = {.op = LAW_EXP};
  double f[3], x = pow(a[0], b[0]);
  function(&log_in, a[0], k->order, f);
  chain(k, a, f);
  multiply(k, a, b);
  function(&exp_in, a[0], k->order, f);
  f[0] = x;
  chain(k, a, f);
}

static void copy(const machine *k, double *a, const double *b) {
  memmove(a, b, (size_t)k->size * sizeof *a);
}

static void execute(const machine *k, const law_instruction *in) {
  double *a = k->top, *b = a + k->size, *c = b + k->size, f[3];
  switch (in->op) {
    case LAW_ADD: add(k, a, 1, b); return;
    case LAW_SUBTRACT: add(k, a, -1, b); return;
    case LAW_MULTIPLY: multiply(k, a, b); return;
    case LAW_DIVIDE: divide(k, a, b); return;
    case LAW_POWER: power(k, a, b); return;
    case LAW_ATAN2: angle(k, a, b); return;
    case LAW_MIN:
      if (b[0] < a[0]) copy(k, a, b);
      return;
    case LAW_MAX:
      if (b[0] > a[0]) copy(k, a, b);
      return;
    case LAW_MOD: add(k, a, -floor(a[0] / b[0]), b); return;
    case LAW_IF: copy(k, a, a[0] != 0 ? b : c); return;
    case LAW_STEP:
    case LAW_STEP5:
    case LAW_HAVSIN: step(k, in->op); return;
    default: break;
  }
  if (in->op >= LAW_LESS && in->op <= LAW_NOT_EQUAL) {
    constant(k, a, compare(in->op, a[0], b[0]));
    return;
  }
  function(in, a[0], k->order, f);
  chain(k, a, f);
}

// out: value, gradient (m), Hessian (m x m), as order says.
static void run(const tr_law *law, int order, const double *x, double *out) {
  double stack[TR_LAW_STACK * PLACE_SIZE];
  int m = law->inputs;
  machine k = {.m = m, .order = order, .size = 1 + (order > 0 ? m : 0) + (order > 1 ? m * m : 0)};
  double *next = stack;
  for (int i = 0; i < law->n; i++) {
    const law_instruction *in = &law->code[i];
    if (in->op <= LAW_INPUT) {
      constant(&k, next, in->op == LAW_INPUT ? x[in->input] : in->x);
      if (in->op == LAW_INPUT && order > 0) next[1 + in->input] = 1;
      next += k.size;
      continue;
    }
    k.top = next - law_operands(in->op) * k.size;
    execute(&k, in);
    next = k.top + k.size;
  }
  memcpy(out, stack, (size_t)k.size * sizeof *out);
}

// ---- laws ---------------------------------------------------------------------------------------------

static void gather(const tr_law *law, int nd, double t, const tr_frame *const *f,
                   const double *variable, double *x) {
  for (int k = 0; k < law->inputs; k++) {
    const law_input *in = &law->input[k];
    x[k] = in->kind == LAW_TIME       ? t
           : in->kind == LAW_VARIABLE ? variable[in->axis]
                                      : measure_value(in, nd, f);
  }
}

double law_value(const tr_law *law, int nd, double t, const tr_frame *const *f,
                 const double *variable) {
  double x[TR_LAW_INPUTS], value;
  if (law->constant) return law->value;
  gather(law, nd, t, f, variable, x);
  run(law, 0, x, &value);
  return value;
}

void law_derive(const tr_law *law, int nd, double t, const tr_frame *const *f,
                const double *variable, law_slope *out) {
  double x[TR_LAW_INPUTS], y[1 + TR_LAW_INPUTS];
  size_t n = (size_t)(law->markers * nd);
  memset(out->q, 0, n * sizeof *out->q);
  memset(out->v, 0, n * sizeof *out->v);
  memset(out->variable, 0, sizeof out->variable);
  out->time = 0, out->value = law->value;
  if (law->constant) return;
  gather(law, nd, t, f, variable, x);
  run(law, 1, x, y);
  out->value = y[0];
  for (int k = 0; k < law->inputs; k++) {
    const law_input *in = &law->input[k];
    if (in->kind == LAW_TIME)
      out->time += y[1 + k];
    else if (in->kind == LAW_VARIABLE)
      out->variable[in->axis] += y[1 + k];
    else if (in->kind > LAW_PARAMETER)
      measure_add_slope(in, nd, f, y[1 + k], out->q, out->v);
  }
}

// Program of a law of positions to second order, and the gradient of every input by displacements.
typedef struct second {
  double y[PLACE_SIZE], slope[TR_LAW_INPUTS][TR_LAW_MAX_N];
} second;

static void derive_twice(const tr_law *law, int nd, double t, const tr_frame *const *f, second *s) {
  double x[TR_LAW_INPUTS];
  size_t n = (size_t)(law->markers * nd);
  gather(law, nd, t, f, NULL, x);
  run(law, 2, x, s->y);
  for (int k = 0; k < law->inputs; k++) {
    memset(s->slope[k], 0, n * sizeof **s->slope);
    if (law->input[k].kind > LAW_PARAMETER)
      measure_add_slope(&law->input[k], nd, f, 1, s->slope[k], NULL);
  }
}

void law_add_hessian(const tr_law *law, int nd, double t, const tr_frame *const *f, double s,
                     double *H) {
  second d;
  int n = law->markers * nd, m = law->inputs;
  if (law->constant) return;
  derive_twice(law, nd, t, f, &d);
  const double *g = d.y + 1, *h = g + m;
  for (int k = 0; k < m; k++) {
    if (law->input[k].kind > LAW_PARAMETER)
      measure_add_hessian(&law->input[k], nd, f, s * g[k], n, H);
    for (int l = 0; l < m; l++) {
      double w = s * h[k * m + l];
      if (w == 0) continue;
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) H[i * n + j] += w * d.slope[k][i] * d.slope[l][j];
    }
  }
}

static void twists(int nd, int markers, const tr_frame *const *f, double *u) {
  for (int k = 0; k < markers; k++, u += nd) {
    if (nd == 3)
      u[0] = f[k]->v[0], u[1] = f[k]->v[1], u[2] = f[k]->w[2];
    else
      v3_copy(f[k]->v, u), v3_copy(f[k]->w, u + 3);
  }
}

double law_bias(const tr_law *law, int nd, double t, const tr_frame *const *f) {
  second d;
  double u[TR_LAW_MAX_N], rate[TR_LAW_INPUTS], H[TR_LAW_MAX_N * TR_LAW_MAX_N], sum = 0;
  int n = law->markers * nd, m = law->inputs;
  if (law->constant) return 0;
  derive_twice(law, nd, t, f, &d);
  const double *g = d.y + 1, *h = g + m;
  twists(nd, law->markers, f, u);
  memset(H, 0, (size_t)(n * n) * sizeof *H);
  for (int k = 0; k < m; k++) {
    rate[k] = law->input[k].kind == LAW_TIME;
    for (int i = 0; i < n; i++) rate[k] += d.slope[k][i] * u[i];
    if (law->input[k].kind > LAW_PARAMETER) measure_add_hessian(&law->input[k], nd, f, g[k], n, H);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) sum += u[i] * H[i * n + j] * u[j];
  for (int k = 0; k < m; k++)
    for (int l = 0; l < m; l++) sum += h[k * m + l] * rate[k] * rate[l];
  return sum;
}

void law_add_twist_hessian(const tr_law *law, int nd, double t, const tr_frame *const *f, double s,
                           double *Q, double *V) {
  double x[TR_LAW_INPUTS] = {0}, y[PLACE_SIZE];
  double by_q[TR_LAW_INPUTS][TR_LAW_MAX_N], by_v[TR_LAW_INPUTS][TR_LAW_MAX_N];
  int n = law->markers * nd, m = law->inputs;
  if (law->constant) return;
  gather(law, nd, t, f, NULL, x);
  run(law, 2, x, y);
  const double *g = y + 1, *h = g + m;
  for (int k = 0; k < m; k++) {
    memset(by_q[k], 0, (size_t)n * sizeof **by_q);
    memset(by_v[k], 0, (size_t)n * sizeof **by_v);
    if (law->input[k].kind <= LAW_VARIABLE) continue;
    measure_add_slope(&law->input[k], nd, f, 1, by_q[k], by_v[k]);
    measure_add_twist_hessian(&law->input[k], nd, f, s * g[k], n, Q, V);
  }
  for (int k = 0; k < m; k++)
    for (int l = 0; l < m; l++) {
      double w = s * h[k * m + l];
      if (w == 0 || law->input[k].kind < LAW_VELOCITY) continue;
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
          Q[i * n + j] += w * by_v[k][i] * by_q[l][j];
          V[i * n + j] += w * by_v[k][i] * by_v[l][j];
        }
    }
}

double law_drift(const tr_law *law, int nd, double t, const tr_frame *const *f) {
  law_slope s;
  double u[TR_LAW_MAX_N];
  law_derive(law, nd, t, f, NULL, &s);
  twists(nd, law->markers, f, u);
  double sum = s.time;
  for (int i = 0; i < law->markers * nd; i++) sum += s.q[i] * u[i];
  return sum;
}

void law_spread(int own, int n, const double *K0, const double *g, const double *by, double *K) {
  for (int i = 0; i < own; i++)
    for (int j = 0; j < n; j++) K[i * n + j] += (j < own ? K0[i * own + j] : 0) + g[i] * by[j];
}

void law_of_time(const tr_law *law, double t, double out[3]) {
  out[0] = law->value, out[1] = out[2] = 0;
  if (!law->constant) run(law, 2, &t, out);
}
