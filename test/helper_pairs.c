// SPDX-License-Identifier: Apache-2.0
#include "helper_pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elem/elem.h"
#include "elem/modal.h"
#include "helper_mechanics.h"
#include "helper_problems.h"
#include "system/system.h"

// A choice "auto" is one the element cannot make from markers alone.
static const char *settled(const tr_field *f) {
  return strcmp(f->choices[0], "auto") == 0 ? f->choices[1] : NULL;
}

// A law of all that the field allows; of optional ones the first.
static const char *some_law(const tr_field *fields, const tr_field *f) {
  bool optional = f->preset && !f->preset[0];
  if (f->kind == TR_LAW3)
    return "[\"2 + 3*DX(m2, m1, m0)*VY(m3)\", \"-3*WZ(m2) + sin(time + AZ(m3, m0))\", 0]";
  if (optional && f != fields) return NULL;
  if (f->reach == TR_OF_TIME) return "0.3*sin(2*time)";
  if (f->reach == TR_OF_POSITIONS)
    return "\"2*DM(m0, m1)^2 + 2*DX(m1, m2, m0)*cos(AZ(m3, m0)) - 2 + 0.3*time\"";
  return "\"0.8 + 2*DX(m2, m3, m0)*VY(m3, m2) - sin(time + 2*WZ(m2)*AZ(m3))\"";
}

// Three nodes, two modes.
static const char planar_modal[] =
    "{nodes: [[0, 0, 1.2, 0.1], [0.5, 0.1, 0.7, 0.2], [0.9, -0.1, 1.1, 0.1]], "
    "shapes: [[0, 0, 0], [0.1, 0.4, 0.9], [-0.1, 1, 1.3], [0, 0, 0.8], [0.3, 0.7, 0.1], "
    "[0.2, 0.1, -1]], stiffness: [[5, 0.3], [0.3, 9]], damping: [0.1, 0.2]}";
static const char spatial_modal[] =
    "{nodes: [[0, 0, 0, 1.2, 0.1, 0.2, 0.1], [0.5, 0.1, 0.3, 0.7, 0.2, 0.1, 0.1], "
    "[0.9, -0.1, 0.2, 1.1, 0.1, 0.1, 0.3]], "
    "shapes: [[0, 0, 0, 0, 0, 0], [0.1, 0.4, 0.2, 0.9, 0.1, 0.3], [-0.1, 1, 0.4, 0.2, -0.3, 1.3], "
    "[0, 0, 0, 0.8, 0.2, 0.1], [0.3, 0.7, 0.5, 0.1, 0.2, 0.4], [0.2, 0.1, -0.6, -1, 0.3, 0.2]], "
    "stiffness: [[5, 0.3], [0.3, 9]], damping: [0.1, 0.2]}";

static const char *some_value(const tr_field *fields, const tr_field *f) {
  switch (f->kind) {
    case TR_VEC3: return "[0.4, 0.3, 0.5]";
    case TR_VEC2: return "[0.4, 0.3]";
    case TR_TENSOR: return "[1.1, 1.3, 1.6, 0.2, 0.1, -0.3]";
    case TR_REAL: return "0.8";
    case TR_CHOICE: return settled(f);
    case TR_LAW:
    case TR_LAW3: return some_law(fields, f);
    case TR_MARKER: return "m3";
    case TR_GROUP: return f->fields == tr_modal_planar_fields ? planar_modal : spatial_modal;
    case TR_ROWS: return "[[5, -3], [2.5, 0], [-2.5, 0], [-5, -3], [-2.5, -6], [2.5, -6]]";
    default: return NULL;
  }
}

// "type: name, field: value, ..." with what the table requires.
static int describe(char *text, size_t size, const char *type, const tr_field *fields) {
  int n = snprintf(text, size, "type: %s", type);
  for (const tr_field *f = fields; f && f->name; f++) {
    bool fits = !(f->min < f->max) || (0.8 >= f->min && 0.8 <= f->max);
    char middle[32]; // of bounds that 0.8 does not keep
    snprintf(middle, sizeof middle, "%g", 0.5 * (f->min + f->max));
    const char *value = f->kind == TR_REAL && !fits ? middle : some_value(fields, f);
    if (f->preset && (!value || f->kind == TR_ROWS)) continue;
    assert_non_null(value);
    n += snprintf(text + n, size - (size_t)n, ", %s: %s", f->name, value);
  }
  return n;
}

// Systems do not change: they are made once for all that is tried on them.
typedef struct made {
  mechanism m;
  char name[128];
} made;
static made *system_at;
static int systems;

static void keep(mechanism m, const char *name) {
  made *more = realloc(system_at, (size_t)(systems + 1) * sizeof *more);
  assert_non_null(more);
  system_at = more, more[systems].m = m;
  snprintf(more[systems++].name, sizeof more->name, "%s", name);
}

// Two bodies (NULL: ground) and one joint or force between `markers` markers on them, by turns.
static void try_pair(const tr_body_type *a, const tr_body_type *b, const char *section,
                     const char *type, const tr_field *fields, int markers) {
  char text[8192], name[128];
  int n = 0;
  const tr_body_type *body[2] = {a, b};
  bool space = a->dim == 3 || (markers > 1 && b && b->dim == 3);
  n += snprintf(text + n, sizeof text - (size_t)n, "trammel: 1\ngravity: [1, -2%s]\nbodies:\n",
                space || (b && b->dim == 3) ? ", 3" : "");
  for (int k = 0; k < 2; k++) {
    if (!body[k]) continue;
    n += snprintf(text + n, sizeof text - (size_t)n, "  b%d: {", k);
    n += describe(text + n, sizeof text - (size_t)n, body[k]->name, body[k]->fields);
    n += snprintf(text + n, sizeof text - (size_t)n, "}\n");
  }
  // markers off the bodies' origins and tilted, within the plane where all is planar
  const char *at[4] = {"at: [0.3, -0.2", "at: [-0.5, 0.4", "at: [0.1, 0.3", "at: [0.2, -0.6"};
  const char *tilt[2] = {"orientation: {axis: [1, 2, 3], angle: 40 deg}",
                         "orientation: {axis: [3, -1, 1], angle: -25 deg}"};
  n += snprintf(text + n, sizeof text - (size_t)n, "markers:\n");
  for (int k = 0; k < 4; k++) {
    const tr_body_type *on = body[k % 2];
    n += snprintf(text + n, sizeof text - (size_t)n, "  m%d: {", k);
    if (on) n += snprintf(text + n, sizeof text - (size_t)n, "body: b%d, ", k % 2);
    n += snprintf(text + n, sizeof text - (size_t)n, "%s%s], %s}\n", at[k],
                  space && !(on && on->dim == 2) ? ", 0.6" : "",
                  space ? tilt[k % 2] : "angle: 20 deg");
  }
  n += snprintf(text + n, sizeof text - (size_t)n, "%s:\n  e: {", section);
  n += describe(text + n, sizeof text - (size_t)n, type, fields);
  const char *list[5] = {"", "m0", "m1, m0", "", "m1, m0, m3, m2"};
  if (markers > 0)
    n += snprintf(text + n, sizeof text - (size_t)n, ", markers: [%s]", list[markers]);
  snprintf(text + n, sizeof text - (size_t)n, "}\n");
  snprintf(name, sizeof name, "%s between %s and %s", type, a->name, b ? b->name : "ground");
  keep(load_text(text), name);
}

static int each_pair(const char *section, const char *type, const tr_field *fields, bool planar,
                     bool spatial, int markers) {
  int done = 0;
  for (const tr_body_type *const *a = tr_body_types(); *a; a++)
    for (const tr_body_type *const *b = a;; b++) { // the last, NULL, is ground
      bool space = (*a)->dim == 3 || (markers > 1 && *b && (*b)->dim == 3);
      if (space ? spatial : planar) try_pair(*a, *b, section, type, fields, markers), done++;
      if (!*b) break;
    }
  return done;
}

static void make_all(void) {
  for (const char *const *name = shipped_models(); *name; name++)
    keep(load_model(*name, NULL), *name);
  const tr_problem *const problem[] = {&bead, &tr_problem_seven_angles, &tr_problem_slider_crank};
  for (int k = 0; k < 3; k++) keep(load_problem(problem[k]), "problem");
  for (const tr_joint_type *const *j = tr_joint_types(); *j; j++)
    assert_true(
        each_pair("joints", (*j)->name, (*j)->fields, (*j)->planar, (*j)->spatial, (*j)->markers));
  for (const tr_force_type *const *f = tr_force_types(); *f; f++)
    assert_true(
        each_pair("forces", (*f)->name, (*f)->fields, (*f)->planar, (*f)->spatial, (*f)->markers));
}

void on_every_system(system_use use, void *context) {
  if (systems == 0) make_all();
  for (int i = 0; i < systems; i++) use(system_at[i].m.sys, system_at[i].name, context);
}

int forget_systems(void **state) {
  (void)state;
  for (int i = 0; i < systems; i++) unload(&system_at[i].m);
  free(system_at);
  system_at = NULL, systems = 0;
  return 0;
}
