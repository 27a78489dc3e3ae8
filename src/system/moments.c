// SPDX-License-Identifier: Apache-2.0
// Times that laws name: where one that reads the time compares it with a number, or a ramp or a table of it has a corner.
// Each number on the stack of its program is c0 + c1 t or unknown; what is compared is then equal at a known time.
// Parameters that events set are unknown, and so is what repeats (mod, floor).
#include <math.h>

#include "elem/law.h"
#include "system.h"

enum { MOST_KNOTS = 32 }; // longer tables are courses, not pulses

typedef struct line {
  bool known;
  double c0, c1;
} line;

typedef struct moments {
  double from, to, *out; // out NULL: just count
  int n;
} moments;

// Where x is y.
static void note(moments *m, line x, double y) {
  if (!x.known || x.c1 == 0) return;
  double t = (y - x.c0) / x.c1;
  if (!(t > m->from && t < m->to)) return;
  if (m->out) m->out[m->n] = t;
  m->n++;
}

static line combine(law_op op, line a, line b) {
  line none = {0};
  if (!a.known || (op != LAW_NEGATE && !b.known)) return none;
  if (op == LAW_NEGATE) return (line){true, -a.c0, -a.c1};
  if (op == LAW_ADD) return (line){true, a.c0 + b.c0, a.c1 + b.c1};
  if (op == LAW_SUBTRACT) return (line){true, a.c0 - b.c0, a.c1 - b.c1};
  if (op == LAW_MULTIPLY && b.c1 == 0) return (line){true, a.c0 * b.c0, a.c1 * b.c0};
  if (op == LAW_MULTIPLY && a.c1 == 0) return (line){true, a.c0 * b.c0, a.c0 * b.c1};
  if (op == LAW_DIVIDE && b.c1 == 0) return (line){true, a.c0 / b.c0, a.c1 / b.c0};
  return none;
}

// What an instruction makes of its operands a; the moments in it.
static line follow(const tr_law *law, const law_instruction *in, const line *a, moments *m) {
  if (in->op == LAW_CONSTANT) return (line){true, in->x, 0};
  if (in->op == LAW_INPUT) return (line){law->input[in->input].kind == LAW_TIME, 0, 1};
  if (in->op >= LAW_NEGATE && in->op <= LAW_DIVIDE) return combine(in->op, a[0], a[1]);
  if (in->op >= LAW_LESS && in->op <= LAW_NOT_EQUAL) note(m, combine(LAW_SUBTRACT, a[0], a[1]), 0);
  if (in->op == LAW_MIN || in->op == LAW_MAX) note(m, combine(LAW_SUBTRACT, a[0], a[1]), 0);
  if (in->op == LAW_ABS || in->op == LAW_SIGN) note(m, a[0], 0);
  if (in->op >= LAW_STEP)
    for (int k = 1; k < 4; k += 2)
      if (a[k].known && a[k].c1 == 0) note(m, a[0], a[k].c0);
  for (int i = 0; in->op == LAW_CURVE && in->curve->n <= MOST_KNOTS && i < in->curve->n; i++)
    note(m, a[0], in->curve->x[i]);
  return (line){0};
}

static void read_law(const tr_law *law, moments *m) {
  line stack[TR_LAW_STACK + 2] = {{0}};
  int top = 0;
  bool time = false;
  for (int k = 0; k < law->inputs; k++) time |= law->input[k].kind == LAW_TIME;
  for (int k = 0; time && k < law->n; k++) {
    top -= law_operands(law->code[k].op);
    stack[top] = follow(law, &law->code[k], stack + top, m);
    top++;
  }
}

static void read_element(const tr_field *fields, const void *par, moments *m) {
  for (const tr_field *f = fields; f && f->name; f++) {
    const tr_law *const *law = (const void *)((const char *)par + f->offset);
    int laws = f->kind == TR_LAW ? 1 : f->kind == TR_LAW3 ? 3 : 0;
    for (int i = 0; i < laws; i++)
      if (law[i]) read_law(law[i], m);
  }
}

int tr_moments(const tr_system *s, double from, double to, double *out) {
  moments m = {from, to, out, 0};
  for (int i = 0; i < s->njoint; i++) read_element(s->joint[i].type->fields, s->joint[i].e.par, &m);
  for (int i = 0; i < s->nforce; i++) read_element(s->force[i].type->fields, s->force[i].e.par, &m);
  return m.n;
}
