// SPDX-License-Identifier: Apache-2.0
// F = c + x_lead + sum a_k sin(x_k + b_k) + d x_0 x_last
#include "helper_laws.h"

#include <string.h>

enum { POOL = 64, CODE = 8 * TR_LAW_INPUTS + 8 };
typedef struct made {
  tr_law law;
  law_instruction code[CODE];
  law_input input[TR_LAW_INPUTS];
} made;

static made *next_law(void) {
  static made pool[POOL];
  static int next;
  made *m = &pool[next++ % POOL];
  memset(m, 0, sizeof *m);
  m->law.code = m->code, m->law.input = m->input, m->law.quantity = TR_QUANTITIES;
  return m;
}

static void code(made *m, law_op op, int input, double x) {
  m->code[m->law.n++] = (law_instruction){.op = op, .input = input, .x = x};
}

static void input(made *m, law_measure kind, int axis, int to, int from, int along) {
  m->input[m->law.inputs++] = (law_input){kind, axis, to, from, along};
}

static void write_program(made *m, seed *s, double c, int lead) {
  code(m, LAW_CONSTANT, 0, c);
  if (lead >= 0) code(m, LAW_INPUT, lead, 0), code(m, LAW_ADD, 0, 0);
  for (int k = 0; k < m->law.inputs; k++) {
    code(m, LAW_INPUT, k, 0), code(m, LAW_CONSTANT, 0, draw(s)), code(m, LAW_ADD, 0, 0);
    code(m, LAW_SIN, 0, 0), code(m, LAW_CONSTANT, 0, 0.3 * draw(s)), code(m, LAW_MULTIPLY, 0, 0);
    code(m, LAW_ADD, 0, 0);
  }
  code(m, LAW_INPUT, 0, 0), code(m, LAW_INPUT, m->law.inputs - 1, 0);
  code(m, LAW_MULTIPLY, 0, 0), code(m, LAW_CONSTANT, 0, 0.2 * draw(s));
  code(m, LAW_MULTIPLY, 0, 0), code(m, LAW_ADD, 0, 0);
}

static const tr_law *draw_law(seed *s, const tr_field *f, int own, int markers, bool lively) {
  made *m = next_law();
  int a = own, b = own + 1;
  m->law.markers = markers;
  if (f->reach == TR_OF_MOTION && !lively) {
    m->law.constant = true;
    m->law.value = 1 + 0.9 * draw(s);
    code(m, LAW_CONSTANT, 0, m->law.value);
    return &m->law;
  }
  input(m, LAW_TIME, 0, 0, 0, 0);
  if (f->reach == TR_OF_TIME) {
    write_program(m, s, 0.3 * draw(s), -1);
    return &m->law;
  }
  if (f->reach == TR_OF_POSITIONS) {
    input(m, LAW_DISTANCE, 0, b, a, -1);
    input(m, LAW_ANGLE, 2, b, a, -1);
    input(m, LAW_WAY, 1, b, a, a);
    write_program(m, s, -2, 1);
    return &m->law;
  }
  if (f->reach == TR_OF_VELOCITIES) {
    // those whose reactions balance: see test_nonholonomic.c for the others
    input(m, LAW_DISTANCE, 0, b, a, -1);
    input(m, LAW_ANGLE, 2, b, a, -1);
    input(m, LAW_RADIAL, 0, b, a, -1);
    input(m, LAW_SPIN, 2, b, a, a);
    write_program(m, s, -0.3, 3);
    return &m->law;
  }
  for (int k = 0; f->variables && f->variables[k].name; k++) input(m, LAW_VARIABLE, k, 0, 0, 0);
  input(m, LAW_WAY, 0, a, b, 0);
  input(m, LAW_WAY, 1, 0, -1, b);
  input(m, LAW_DISTANCE, 0, b, -1, -1);
  input(m, LAW_ANGLE, 2, b, a, -1);
  input(m, LAW_VELOCITY, 0, 0, b, a);
  input(m, LAW_SPEED, 0, a, b, -1);
  input(m, LAW_RADIAL, 0, a, 0, -1);
  input(m, LAW_SPIN, 2, b, a, 0);
  write_program(m, s, draw(s), -1);
  return &m->law;
}

static const tr_law *no_law(int markers) {
  made *m = next_law();
  m->law.constant = true, m->law.markers = markers;
  code(m, LAW_CONSTANT, 0, 0);
  return &m->law;
}

static bool measures(const tr_field *f, bool lively) {
  if (f->kind == TR_MARKER) return lively;
  return (f->kind == TR_LAW || f->kind == TR_LAW3) &&
         (f->reach == TR_OF_POSITIONS || f->reach == TR_OF_VELOCITIES ||
          (f->reach == TR_OF_MOTION && lively));
}

int frames_of_laws(const tr_field *fields, bool lively) {
  for (const tr_field *f = fields; f && f->name; f++)
    if (measures(f, lively)) return 2;
  return 0;
}

void draw_laws(seed *s, const tr_field *fields, int own, int markers, bool lively, void *par) {
  int optional = 0;
  for (const tr_field *f = fields; f && f->name; f++)
    optional += f->kind == TR_LAW && f->preset && !f->preset[0];
  int given = (int)((0.5 + 0.5 * draw(s)) * optional);
  for (const tr_field *f = fields; f && f->name; f++) {
    void *at = (char *)par + f->offset;
    const tr_law **law = at;
    if (f->kind == TR_MARKER) *(int *)at = lively ? own + 1 : -1;
    if (f->kind == TR_LAW3)
      for (int k = 0; k < 3; k++)
        law[k] = k == 2 && draw(s) > 0 ? no_law(markers) : draw_law(s, f, own, markers, lively);
    if (f->kind != TR_LAW) continue;
    *law = f->preset && !f->preset[0] && given-- != 0 ? NULL : draw_law(s, f, own, markers, lively);
  }
}
