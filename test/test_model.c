// SPDX-License-Identifier: Apache-2.0
// Good models: what the plan holds, round trips, models built by calls, failing allocations.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/plan.h"

#define PI 3.14159265358979323846

static const char rich[] =
    "# a model with one of everything\n"
    "trammel: 1\n"
    "name: 'rich: \"model\"'\n"
    "description: |\n"
    "  two lines # not a comment\n"
    "  of text\n"
    "parameters:\n"
    "  L1: 30 cm\n"
    "  part: 0.3*width   # used before it is there\n"
    "  width: 2*L1\n"
    "  theta0: 3*pi/2\n"
    "  N: 3\n"
    "  m: 2 kg\n"
    "gravity: [0, -9.81 m/s^2]\n"
    "bodies:\n"
    "  crank: {type: planar, mass: m, inertia: m*L1^2/12, position: [part, width], angle: theta0,\n"
    "    omega: 60 rpm, keep: [angle, vx]}\n"
    "  top:\n"
    "    type: spatial\n"
    "    mass: 1\n"
    "    inertia: [1, 2, 2.5, 0.1, 0.2, 0.3]\n"
    "    orientation: [{z: 90 deg}, {x: 90 deg}]\n"
    "    position: [1, 2, 3]\n"
    "    keep: all\n"
    "  ball: {type: spatial, mass: 1, inertia: 0.4, position: [1, 2]}\n"
    "markers:\n"
    "  A: {at: [0.1, 0.2]}\n"
    "  B: {body: crank, at: [L1, 0], angle: 90 deg}\n"
    "  C: {body: crank, at-global: [0, 0], angle-global: 0}\n"
    "  D: {body: top, like: E}\n"
    "  E: {body: ball, like: B}\n"
    "  F: {body: top, at: &here [0, 0, 1], orientation-global: identity}\n"
    "  G: {body: ball, at: *here}\n"
    "joints:\n"
    "  pin: {type: revolute, markers: [ground, {body: crank, like: A}]}\n"
    "  hinge: {type: revolute, bodies: [top, ball], at: [1, 1, 1], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  spring: {type: spring-damper, markers: [A, B], stiffness: 2 kN/mm, damping: 5 N s/m,\n"
    "    free-length: auto}\n"
    "repeat:\n"
    "  - for: i\n"
    "    from: 1\n"
    "    to: N\n"
    "    bodies:\n"
    "      link_{i}: {type: planar-point, mass: i*m, position: [i, i^2]}\n"
    "    repeat:\n"
    "      - {for: j, to: i-1, markers: {\"m_{i}_{j}\": {body: \"link_{i}\", at: [i, j]}}}\n"
    "    joints:\n"
    "      rod_{i}: {type: distance, markers: [ground, \"link_{i}\"]}\n"
    "simulation: {end: 2 s, step: 2^-10, method: \"hht-i3:alpha=-0.3\", output-step: 0.01 s}\n"
    "output: [crank.angle, \"energy.*\"]\n";

static tr_model *read_model(const char *text) {
  tr_model *model;
  tr_error error = {0};
  assert_int_equal(tr_model_new(NULL, &model), TR_OK);
  tr_status status = tr_model_read_text(model, text, strlen(text), "m.yaml", &error);
  assert_string_equal(error.text, "");
  assert_int_equal(status, TR_OK);
  return model;
}

static void plan_model(const tr_model *model, tr_arena *arena, tr_plan *plan) {
  tr_error error = {0};
  *arena = tr_arena_make(NULL);
  tr_status status = tr_model_plan(model, arena, arena, plan, &error);
  assert_string_equal(error.text, "");
  assert_int_equal(status, TR_OK);
}

static void assert_near(const double *x, const double *y, int n) {
  for (int k = 0; k < n; k++)
    if (!(fabs(x[k] - y[k]) < 1e-14)) fail_msg("entry %d: %.17g, expected %.17g", k, x[k], y[k]);
}

static const tr_plan_marker *marker(const tr_plan *plan, const char *name) {
  for (int k = 0; k < plan->nmarker; k++)
    if (strcmp(plan->marker[k].name, name) == 0) return &plan->marker[k];
  fail_msg("no marker %s", name);
  return NULL;
}

// A field of an element by its name.
static const void *field(const tr_field *f, const void *par, const char *name) {
  for (; f->name; f++)
    if (strcmp(f->name, name) == 0) return (const char *)par + f->offset;
  fail_msg("no field %s", name);
  return NULL;
}

static double real(const tr_plan_body *b, const char *name) {
  return *(const double *)field(b->type->fields, b->par, name);
}

// ---- the plan -----------------------------------------------------------------------------------

static void test_rich_bodies(void **state) {
  (void)state;
  tr_model *model = read_model(rich);
  tr_arena arena;
  tr_plan plan;
  plan_model(model, &arena, &plan);
  tr_model_free(model); // the plan stands alone
  assert_string_equal(plan.name, "rich: \"model\"");
  assert_int_equal(plan.nbody, 6);
  const tr_plan_body *crank = &plan.body[0], *top = &plan.body[1], *ball = &plan.body[2];
  assert_string_equal(crank->name, "crank");
  assert_string_equal(crank->place.file, "m.yaml");
  assert_int_equal(crank->place.line, 16);
  assert_int_equal(crank->place.column, 3);
  assert_true(real(crank, "mass") == 2);
  assert_true(fabs(real(crank, "inertia") - 2 * 0.09 / 12) < 1e-16);
  assert_true(fabs(real(crank, "omega") - 2 * PI) < 1e-15);
  assert_near(field(crank->type->fields, crank->par, "position"), (double[]){0.18, 0.6}, 2);
  assert_near(field(crank->type->fields, crank->par, "velocity"), (double[]){0, 0}, 2);
  assert_int_equal(crank->keep_q, 4);
  assert_int_equal(crank->keep_v, 1);
  assert_int_equal(top->keep_q, 63);
  assert_int_equal(top->keep_v, 63);
  assert_near(field(top->type->fields, top->par, "inertia"),
              (double[]){1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 2.5}, 9);
  assert_near(field(top->type->fields, top->par, "orientation"),
              (double[]){0, 0, 1, 1, 0, 0, 0, 1, 0}, 9);
  assert_near(field(ball->type->fields, ball->par, "inertia"),
              (double[]){0.4, 0, 0, 0, 0.4, 0, 0, 0, 0.4}, 9);
  assert_near(field(ball->type->fields, ball->par, "position"), (double[]){1, 2, 0}, 3);
  assert_string_equal(plan.body[5].name, "link_3");
  assert_true(real(&plan.body[5], "mass") == 6);
  assert_near(field(plan.body[5].type->fields, plan.body[5].par, "position"), (double[]){3, 9}, 2);
  tr_arena_free(&arena);
}

static void test_rich_markers(void **state) {
  (void)state;
  tr_model *model = read_model(rich);
  tr_arena arena;
  tr_plan plan;
  plan_model(model, &arena, &plan);
  assert_string_equal(plan.marker[0].name, "ground");
  assert_int_equal(plan.marker[0].body, TR_GROUND);
  for (int i = 0; i < plan.nbody; i++) {
    assert_string_equal(plan.marker[1 + i].name, plan.body[i].name);
    assert_int_equal(plan.marker[1 + i].body, i);
  }
  // crank: origin (0.18, 0.6), angle 3 pi / 2: its x axis points to -y, its y axis to x.
  assert_near(marker(&plan, "A")->p, (double[]){0.1, 0.2, 0}, 3);
  assert_near(marker(&plan, "B")->R, (double[]){0, -1, 0, 1, 0, 0, 0, 0, 1}, 9);
  assert_near(marker(&plan, "C")->p, (double[]){0.6, -0.18, 0}, 3);
  assert_near(marker(&plan, "C")->R, (double[]){0, -1, 0, 1, 0, 0, 0, 0, 1}, 9);
  // E on ball (at (1, 2, 0), not turned) where B is: (0.18, 0.3), turned by 2 pi.
  assert_near(marker(&plan, "E")->p, (double[]){0.18 - 1, 0.3 - 2, 0}, 3);
  assert_near(marker(&plan, "E")->R, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9);
  // D on top (at (1, 2, 3), R = [0 0 1; 1 0 0; 0 1 0]) at the same place.
  assert_near(marker(&plan, "D")->p, (double[]){0.3 - 2, -3, 0.18 - 1}, 3);
  assert_near(marker(&plan, "D")->R, (double[]){0, 1, 0, 0, 0, 1, 1, 0, 0}, 9);
  assert_near(marker(&plan, "F")->R, (double[]){0, 1, 0, 0, 0, 1, 1, 0, 0}, 9);
  assert_near(marker(&plan, "G")->p, (double[]){0, 0, 1}, 3);
  assert_near(marker(&plan, "m_3_2")->p, (double[]){3, 2, 0}, 3);
  assert_int_equal(marker(&plan, "m_3_2")->body, 5);
  tr_arena_free(&arena);
  tr_model_free(model);
}

static void test_rich_rest(void **state) {
  (void)state;
  tr_model *model = read_model(rich);
  tr_arena arena;
  tr_plan plan;
  plan_model(model, &arena, &plan);
  assert_int_equal(plan.njoint, 5);
  assert_int_equal(plan.nforce, 1);
  assert_near(plan.gravity, (double[]){0, -9.81, 0}, 3);
  const tr_plan_joint *pin = &plan.joint[0], *hinge = &plan.joint[1];
  assert_int_equal(pin->marker[0], 0);
  assert_string_equal(plan.marker[pin->marker[1]].name, "");
  assert_int_equal(plan.marker[pin->marker[1]].body, 0);
  assert_near(plan.marker[pin->marker[1]].p, (double[]){0.4, -0.08, 0}, 3);
  // The hinge's z axis is global x on both bodies; ball is not turned.
  assert_near(plan.marker[hinge->marker[1]].p, (double[]){0, -1, 1}, 3);
  const double *R = plan.marker[hinge->marker[1]].R;
  assert_near((double[]){R[2], R[5], R[8]}, (double[]){1, 0, 0}, 3);
  assert_string_equal(plan.joint[4].name, "rod_3");
  assert_int_equal(plan.joint[4].marker[1], 1 + 5);
  const tr_plan_force *spring = &plan.force[0];
  assert_true(*(const double *)field(spring->type->fields, spring->par, "stiffness") == 2e6);
  assert_true(isnan(*(const double *)field(spring->type->fields, spring->par, "free-length")));
  assert_true(plan.end == 2 && plan.step == 0.0009765625 && plan.output_step == 0.01);
  assert_string_equal(plan.method, "hht-i3:alpha=-0.3");
  assert_int_equal(plan.noutput, 2);
  assert_string_equal(plan.output[1], "energy.*");
  assert_int_equal(plan.output_place[1].column, 23);
  tr_arena_free(&arena);
  tr_model_free(model);
}

static void test_rotations(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double R[9];
  } rows[] = {
      {"identity", {1, 0, 0, 0, 1, 0, 0, 0, 1}},
      {"90 deg", {0, -1, 0, 1, 0, 0, 0, 0, 1}},
      {"[2, 0, 0, 2]", {0, -1, 0, 1, 0, 0, 0, 0, 1}},
      {"{axis: [0, 0, 5], angle: pi/2}", {0, -1, 0, 1, 0, 0, 0, 0, 1}},
      {"{axis: [0, 0, -5], angle: pi/2}", {0, 1, 0, -1, 0, 0, 0, 0, 1}},
      {"{axis: [1, 1, 1], angle: 120 deg}", {0, 0, 1, 1, 0, 0, 0, 1, 0}},
      {"{x: pi/2}", {1, 0, 0, 0, 0, -1, 0, 1, 0}},
      {"{y: pi/2}", {0, 0, 1, 0, 1, 0, -1, 0, 0}},
      {"[{z: 90 deg}, {x: 90 deg}]", {0, 0, 1, 1, 0, 0, 0, 1, 0}},
      {"{z-axis: [0, 0, 2], x-axis: [0, 3, 1]}", {0, -1, 0, 1, 0, 0, 0, 0, 1}},
      {"{z-axis: [0, 0, 1]}", {1, 0, 0, 0, 1, 0, 0, 0, 1}},
      {"{x-axis: [0, 1]}", {0, -1, 0, 1, 0, 0, 0, 0, 1}},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    char text[256];
    tr_arena arena;
    tr_plan plan;
    snprintf(text, sizeof text, "trammel: 1\nmarkers:\n  m: {orientation: %s}\n", rows[k].text);
    tr_model *model = read_model(text);
    plan_model(model, &arena, &plan);
    assert_near(plan.marker[1].R, rows[k].R, 9);
    tr_arena_free(&arena);
    tr_model_free(model);
  }
}

static void test_small(void **state) {
  (void)state;
  static const char *const fine[] = {
      "trammel: 1\n",
      "trammel: "
      "1\nbodies:\nmarkers:\njoints:\nforces:\nrepeat:\nsimulation:\noutput:\nparameters:\n",
      "{trammel: 1, parameters: {a: 1}}",
      "---\ntrammel: 1\n...\n",
      "\xef\xbb\xbf"
      "trammel: 1\n",
      "trammel: 1\r\nname: x\r\n",
      "trammel: 1\nrepeat:\n  - {for: i, from: 3, to: 2, markers: {m: {like: nobody}}}\n",
      "trammel: 1\nparameters: {N: 2}\nrepeat:\n  - {for: i, to: N, markers: {\"m_{i}\": {}}}\n"
      "markers:\n  last: {like: \"m_{N}\"}\n",
  };
  for (size_t k = 0; k < sizeof fine / sizeof *fine; k++) {
    tr_arena arena;
    tr_plan plan;
    tr_model *model = read_model(fine[k]);
    plan_model(model, &arena, &plan);
    tr_arena_free(&arena);
    tr_model_free(model);
  }
}

// ---- round trips --------------------------------------------------------------------------------

static void assert_same(const tr_node *a, const tr_node *b) {
  assert_int_equal(a->kind, b->kind);
  assert_int_equal(a->count, b->count);
  assert_int_equal(a->key != NULL, b->key != NULL);
  if (a->key) assert_string_equal(a->key, b->key);
  if (a->kind == TR_SCALAR) {
    assert_string_equal(a->text, b->text);
    assert_int_equal(a->quoted, b->quoted);
  }
  const tr_node *y = b->first;
  for (const tr_node *x = a->first; x; x = x->next, y = y->next) assert_same(x, y);
}

static void check_round_trip(const tr_model *model) {
  char *text, *again;
  size_t size, size2;
  tr_model *second;
  tr_error error = {0};
  assert_int_equal(tr_model_write_text(model, &text, &size, &error), TR_OK);
  assert_int_equal(tr_model_new(NULL, &second), TR_OK);
  tr_status status = tr_model_read_text(second, text, size, "again.yaml", &error);
  if (status != TR_OK) print_error("%s\n%s", error.text, text);
  assert_int_equal(status, TR_OK);
  assert_same(model->root, second->root);
  assert_int_equal(tr_model_write_text(second, &again, &size2, &error), TR_OK);
  assert_string_equal(text, again);
  tr_model_release(model, text);
  tr_model_release(second, again);
  tr_model_free(second);
}

static void test_round_trip(void **state) {
  (void)state;
  static const char *const texts[] = {
      rich,
      "trammel: 1\nname: 'a # b: c'\ndescription: \"\\x01\\t\\\"\\\\ \\u2028 \\u00e9 \\U0001F600 "
      "\"\n",
      "trammel: 1\nname: >\n  folded\n  text\n\n  more\n",
      "trammel: 1\nname: many\n  lines\n\n  plain\n",
      "trammel: 1\nname: ''\ndescription:\noutput: [a, '', \"[b]\", '{c}', -d, \"- e\", ~, "
      "'null']\n",
      "trammel: 1\n'a b: c': {'x, y': 1, \"[\": 2}\nb: [[], {}, [[1, 2], {a: []}], ]\n",
      "trammel: 1\nlist:\n  -\n  - a\n  -\n    - b\n    -\n      c: d\n      e:\n      - f: g\n",
      "a: &x {b: [1, 2]}\nc: *x\nd: [*x, *x]\n",
  };
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    tr_model *model = read_model(texts[k]);
    check_round_trip(model);
    tr_model_free(model);
  }
}

static void test_files(void **state) {
  (void)state;
  const char *path = "test_model.tmp.yaml";
  tr_model *model = read_model(rich), *second;
  tr_error error = {0};
  assert_int_equal(tr_model_write_file(model, path, &error), TR_OK);
  assert_int_equal(tr_model_new(NULL, &second), TR_OK);
  assert_int_equal(tr_model_read_file(second, path, &error), TR_OK);
  assert_same(model->root, second->root);
  assert_int_equal(tr_model_read_file(second, path, &error), TR_BAD_INPUT); // not empty
  remove(path);
  tr_model_free(model);
  tr_model_free(second);
}

// ---- by calls -----------------------------------------------------------------------------------

static tr_status zero_mass(const tr_problem *p, const double *q, double *M) {
  (void)p, (void)q, (void)M;
  return TR_OK;
}

static tr_status zero_force(const tr_problem *p, double t, const double *q, const double *v,
                            double *Q) {
  (void)p, (void)t, (void)q, (void)v, (void)Q;
  return TR_OK;
}

static tr_model *build(void) {
  tr_model *m;
  tr_error e = {0};
  const double at[2] = {0.5, -0.1};
  assert_int_equal(tr_model_new(NULL, &m), TR_OK);
  tr_model_add_value(m, &(tr_arg){"name", .text = "built: by calls"}, &e);
  tr_model_add_value(m, &(tr_arg){"gravity", .vec = (double[]){0, -9.81, 0}, .n = 3}, &e);
  tr_model_add_value(m, &(tr_arg){"simulation", .text = "{end: 2 s, method: \"newmark\"}"}, &e);
  tr_model_add(m, "parameters", "L", (tr_arg[]){{"value", .text = "30 cm"}, {0}}, &e);
  tr_model_add(m, "parameters", "k", (tr_arg[]){{"value", .num = 0.1}, {0}}, &e);
  tr_model_add(m, "bodies", "rod",
               (tr_arg[]){{"type", .text = "planar"},
                          {"mass", .num = 2},
                          {"inertia", .text = "2 kg * L^2/12"},
                          {"position", .text = "[max(L, 1 cm), 0]"},
                          {0}},
               &e);
  tr_model_add(m, "markers", "tip",
               (tr_arg[]){{"body", .text = "rod"}, {"at", .vec = at, .n = 2}, {0}}, &e);
  tr_model_add(m, "joints", "pin",
               (tr_arg[]){{"type", .text = "revolute"},
                          {"markers", .text = "[ground, {body: rod, at: [-L, 0]}]"},
                          {0}},
               &e);
  assert_string_equal(e.text, "");
  return m;
}

static void test_build(void **state) {
  (void)state;
  tr_model *m = build();
  tr_arena arena;
  tr_plan plan;
  plan_model(m, &arena, &plan);
  assert_string_equal(plan.name, "built: by calls");
  assert_string_equal(plan.method, "newmark");
  assert_true(real(&plan.body[0], "mass") == 2);
  assert_near(marker(&plan, "tip")->p, (double[]){0.5, -0.1, 0}, 3);
  assert_near(plan.marker[plan.joint[0].marker[1]].p, (double[]){-0.3, 0, 0}, 3);
  assert_null(plan.body[0].place.file);
  tr_arena_free(&arena);
  check_round_trip(m);
  tr_model_free(m);
}

static void test_build_errors(void **state) {
  (void)state;
  tr_model *m = build();
  tr_error e = {0};
  tr_arena arena = tr_arena_make(NULL);
  tr_plan plan;
  tr_model_add(m, "bodys", "x", NULL, &e);
  tr_model_add(m, "bodies", "x", (tr_arg[]){{"position", .text = "[1, 2"}, {0}}, &e);
  tr_model_add(m, "bodies", "x", (tr_arg[]){{"mass", .num = NAN}, {0}}, &e);
  tr_model_add(m, "parameters", "x", (tr_arg[]){{0}}, &e);
  tr_model_add_value(m, &(tr_arg){"name", .text = "again"}, &e);
  tr_model_add_value(m, &(tr_arg){"bodies", .text = "{}"}, &e);
  assert_string_equal(e.text,
                      "unknown section \"bodys\"\n"
                      "body \"x\": position: a \"]\" is missing in \"[1, 2\"\n"
                      "body \"x\": mass: not a finite number\n"
                      "parameter \"x\": one value is expected\n"
                      "name: given twice\n"
                      "unknown key \"bodies\"\n");
  e = (tr_error){0};
  tr_model_add(m, "bodies", "rod", (tr_arg[]){{"type", .text = "planar"}, {"mas", .num = 1}, {0}},
               &e);
  tr_model_add(m, "bodies", "arm", (tr_arg[]){{"type", .text = "planar"}, {"mas", .num = 1}, {0}},
               &e);
  assert_int_equal(tr_model_plan(m, &arena, &arena, &plan, &e), TR_BAD_INPUT);
  assert_string_equal(e.text,
                      "body \"rod\": this name is already used by a body\n"
                      "body \"arm\": unknown key \"mas\" (did you mean \"mass\"?)\n"
                      "body \"arm\": mass, inertia are missing\n");
  tr_arena_free(&arena);
  tr_model_free(m);
}

static void test_set(void **state) {
  (void)state;
  tr_model *m = read_model(rich);
  tr_error e = {0};
  tr_arena arena;
  tr_plan plan;
  assert_int_equal(tr_model_set(m, "L1", "2*width2", &e), TR_OK);
  assert_int_equal(tr_model_set(m, "L1", "0.5 m", &e), TR_OK);
  assert_int_equal(tr_model_set(m, "N", "1", &e), TR_OK);
  plan_model(m, &arena, &plan);
  assert_int_equal(plan.nbody, 4);
  assert_near(marker(&plan, "B")->p, (double[]){0.5, 0, 0}, 3);
  tr_arena_free(&arena);
  assert_int_equal(tr_model_set(m, "tetha0", "1", &e), TR_BAD_INPUT);
  assert_string_equal(e.text, "the model has no parameter \"tetha0\" (did you mean \"theta0\"?)\n");
  e = (tr_error){0};
  assert_int_equal(tr_model_set(m, "theta0", "2*(", &e), TR_OK);
  arena = tr_arena_make(NULL);
  assert_int_equal(tr_model_plan(m, &arena, &arena, &plan, &e), TR_BAD_INPUT);
  assert_string_equal(e.text, "parameter \"theta0\": a value is missing at the end in \"2*(\"\n");
  tr_arena_free(&arena);
  tr_model_free(m);
}

static void test_problems(void **state) {
  (void)state;
  const double q0[2] = {0};
  tr_problem good = {.n = 2, .q0 = q0, .mass = zero_mass, .force = zero_force};
  tr_problem bad = {.n = 2, .m = 1, .q0 = q0, .mass = zero_mass, .force = zero_force};
  tr_model *m = build();
  tr_error e = {0};
  tr_arena arena;
  tr_plan plan;
  assert_int_equal(tr_model_add_problem(m, "p", &good, &e), TR_OK);
  assert_int_equal(tr_model_add_problem(m, "q", &bad, &e), TR_BAD_INPUT);
  assert_string_equal(e.text, "problem \"q\": phi is required for m > 0\n");
  plan_model(m, &arena, &plan);
  assert_int_equal(plan.nbody, 2);
  assert_null(plan.body[1].type);
  assert_ptr_equal(plan.body[1].problem, &good);
  assert_string_equal(marker(&plan, "rod")->name, plan.marker[1].name);
  tr_arena_free(&arena);
  // Names are unique here too, and a problem has no frame.
  e = (tr_error){0};
  assert_int_equal(tr_model_add_problem(m, "rod", &good, &e), TR_OK);
  tr_model_add(m, "markers", "f", (tr_arg[]){{"body", .text = "p"}, {0}}, &e);
  arena = tr_arena_make(NULL);
  assert_int_equal(tr_model_plan(m, &arena, &arena, &plan, &e), TR_BAD_INPUT);
  assert_string_equal(e.text,
                      "problem \"rod\": this name is already used by a body\n"
                      "marker \"f\": \"p\" is a problem in coordinates of its own; "
                      "a body is expected\n");
  tr_arena_free(&arena);
  tr_model_free(m);
}

// ---- size and memory ----------------------------------------------------------------------------

static void test_large(void **state) {
  (void)state;
  tr_model *m = read_model(
      "trammel: 1\nparameters: {N: 50000, L: 1 m}\nrepeat:\n  - for: i\n    to: N-1\n    bodies:\n"
      "      link_{i}: {type: planar, mass: 1 kg, inertia: 1, position: [L*(i+0.5), 0]}\n"
      "    markers:\n      tip_{i}: {body: \"link_{i}\", at: [L/2, 0]}\n"
      "  - for: i\n    from: 1\n    to: N-1\n    joints:\n"
      "      pin_{i}: {type: revolute, bodies: [\"link_{i-1}\", \"link_{i}\"], at: [i*L, 0]}\n");
  tr_arena arena;
  tr_plan plan;
  plan_model(m, &arena, &plan);
  assert_int_equal(plan.nbody, 50000);
  assert_int_equal(plan.njoint, 49999);
  assert_near(plan.marker[plan.joint[49998].marker[1]].p, (double[]){-0.5, 0, 0}, 3);
  tr_arena_free(&arena);
  tr_model_free(m);
}

typedef struct failing {
  tr_allocator base;
  long left; // allocations that still succeed
  long live; // blocks
} failing;

static void *failing_resize(tr_allocator *self, void *block, size_t size) {
  failing *f = (failing *)self;
  if (size == 0) {
    f->live -= block != NULL;
    free(block);
    return NULL;
  }
  if (f->left-- <= 0) return NULL;
  void *p = realloc(block, size);
  f->live += p && !block;
  return p;
}

static tr_status everything(failing *f) {
  tr_model *model;
  tr_error error = {0};
  char *text = NULL;
  size_t size;
  TR_TRY(tr_model_new(&f->base, &model));
  tr_arena arena = tr_arena_make(&f->base);
  tr_plan plan;
  tr_status status = tr_model_read_text(model, rich, sizeof rich - 1, "m.yaml", &error);
  if (status == TR_OK) status = tr_model_plan(model, &arena, &arena, &plan, &error);
  if (status == TR_OK) status = tr_model_write_text(model, &text, &size, &error);
  if (text) tr_model_release(model, text);
  if (status == TR_OK) status = tr_model_set(model, "N", "7", &error);
  const tr_arg args[] = {{"type", .text = "planar"}, {"position", .text = "[1, 2]"}, {0}};
  if (status == TR_OK) status = tr_model_add(model, "bodies", "b", args, &error);
  tr_arena_free(&arena);
  tr_model_free(model);
  if (status == TR_OK) status = tr_model_schema(&f->base, &text, &size);
  if (status == TR_OK) tr_resize(&f->base, text, 0);
  return status;
}

static void test_failing_memory(void **state) {
  (void)state;
  tr_status status = TR_NO_MEMORY;
  for (long n = 0; status != TR_OK; n++) {
    failing f = {{failing_resize}, n, 0};
    status = everything(&f);
    assert_int_equal(f.live, 0);
    if (status != TR_OK) assert_int_equal(status, TR_NO_MEMORY);
    assert_true(n < 10000);
  }
}

static void test_schema(void **state) {
  (void)state;
  char *text;
  size_t size;
  assert_int_equal(tr_model_schema(NULL, &text, &size), TR_OK);
  assert_int_equal(strlen(text), size);
  // Every type and field is in it; brackets balance outside of texts.
  for (const tr_body_type *const *t = tr_body_types(); *t; t++)
    assert_non_null(strstr(text, (*t)->name));
  for (const tr_joint_type *const *t = tr_joint_types(); *t; t++)
    assert_non_null(strstr(text, (*t)->name));
  int depth = 0;
  bool quoted = false;
  for (const char *s = text; *s; s++) {
    if (quoted && *s == '\\')
      s++;
    else if (*s == '"')
      quoted = !quoted;
    else if (!quoted)
      depth += (*s == '{' || *s == '[') - (*s == '}' || *s == ']');
  }
  assert_int_equal(depth, 0);
  assert_false(quoted);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rich_bodies),    cmocka_unit_test(test_rich_markers),
      cmocka_unit_test(test_rich_rest),      cmocka_unit_test(test_rotations),
      cmocka_unit_test(test_small),          cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_files),          cmocka_unit_test(test_build),
      cmocka_unit_test(test_build_errors),   cmocka_unit_test(test_set),
      cmocka_unit_test(test_problems),       cmocka_unit_test(test_large),
      cmocka_unit_test(test_failing_memory), cmocka_unit_test(test_schema),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
