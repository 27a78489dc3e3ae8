// SPDX-License-Identifier: Apache-2.0
// What is allowed but looks like a mistake: warnings, one line each.
//
// Fields are found by name in the types' tables: "mass", "inertia", "omega", "free-length". A type without
// one of them is not asked about it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/v3.h"
#include "planner.h"

enum { MOST_WARNINGS = 50 };

typedef struct lint {
  tr_planner *p;
  const tr_plan *plan;
  tr_text text;
  int count;
  double extent; // of the markers at the start
} lint;

static void warn(lint *l, const tr_place *place, const char *format, ...) TR_PRINTF(3, 4);
static void warn(lint *l, const tr_place *place, const char *format, ...) {
  char line[400];
  va_list args;
  if (++l->count > MOST_WARNINGS) return;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (place && place->file && place->line > 0)
    tr_text_add(&l->text, "%s:%d:%d: %s\n", place->file, place->line, place->column, line);
  else
    tr_text_add(&l->text, "%s\n", line);
}

// A field of a type's parameters, or NULL.
static const double *numbers(const tr_field *f, const void *par, const char *name) {
  for (; f && f->name; f++)
    if (strcmp(f->name, name) == 0) return (const double *)((const char *)par + f->offset);
  return NULL;
}

static bool is_point(const tr_body_type *type) {
  return type && type->nv == type->dim && !numbers(type->fields, NULL, "inertia") &&
         strstr(type->name, "point");
}

// ---- places -------------------------------------------------------------------------------------

static void marker_place(const tr_plan *plan, int marker, double p[3]) {
  const tr_plan_marker *m = &plan->marker[marker];
  double o[3] = {0}, R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (m->body != TR_GROUND && plan->body[m->body].type)
    plan->body[m->body].type->pose(plan->body[m->body].par, o, R);
  m3_mul(R, m->p, p);
  for (int i = 0; i < 3; i++) p[i] += o[i];
}

static void find_extent(lint *l) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, p[3];
  for (int i = 1; i < l->plan->nmarker; i++) {
    marker_place(l->plan, i, p);
    for (int k = 0; k < 3; k++) low[k] = fmin(low[k], p[k]), high[k] = fmax(high[k], p[k]);
  }
  for (int k = 0; k < 3; k++) p[k] = high[k] - low[k];
  l->extent = l->plan->nmarker > 1 ? v3_norm(p) : 0;
}

// ---- units --------------------------------------------------------------------------------------

static void look_at_gravity(lint *l) {
  const double *g = l->plan->gravity;
  double size = v3_norm(g);
  bool planar = l->plan->nbody > 0;
  for (int i = 0; i < l->plan->nbody; i++)
    if (!l->plan->body[i].type || l->plan->body[i].type->dim != 2) planar = false;
  if (planar && g[2] != 0)
    warn(l, NULL, "gravity: all bodies are planar, they do not feel its z component, %g m/s^2",
         g[2]);
  if (size > 500)
    warn(l, NULL, "gravity: %g m/s^2 is a lot; numbers without a unit are SI, lengths metres",
         size);
}

// Eigenvalues of a symmetric matrix, ascending [closed form by the cosine].
static void principal(const double J[9], double e[3]) {
  double q = (J[0] + J[4] + J[8]) / 3, p = 0, B[9];
  for (int i = 0; i < 9; i++) B[i] = J[i] - (i % 4 == 0 ? q : 0);
  for (int i = 0; i < 9; i++) p += B[i] * B[i];
  p = sqrt(p / 6);
  if (!(p > 0)) {
    e[0] = e[1] = e[2] = q;
    return;
  }
  double det = B[0] * (B[4] * B[8] - B[5] * B[7]) - B[1] * (B[3] * B[8] - B[5] * B[6]) +
               B[2] * (B[3] * B[7] - B[4] * B[6]);
  double r = fmin(1, fmax(-1, det / (2 * p * p * p))), phi = acos(r) / 3;
  e[2] = q + 2 * p * cos(phi);
  e[0] = q + 2 * p * cos(phi + 2 * TR_PI / 3);
  e[1] = 3 * q - e[0] - e[2];
}

static void look_at_inertia(lint *l, int i) {
  const tr_plan_body *b = &l->plan->body[i];
  const double *m = numbers(b->type->fields, b->par, "mass");
  const double *J = numbers(b->type->fields, b->par, "inertia");
  if (!m || !J) return;
  double e[3] = {0, 0, J[0]};
  if (b->type->dim == 3) {
    principal(J, e);
    if (e[2] > (e[0] + e[1]) * (1 + 1e-9))
      warn(l, &b->place,
           "body \"%s\": no body has the moments of inertia %.4g, %.4g, %.4g: none can be more "
           "than the "
           "other two together",
           b->name, e[0], e[1], e[2]);
  }
  double radius = sqrt(e[2] / *m);
  if (l->extent > 0 && radius > 10 * l->extent)
    warn(l, &b->place,
         "body \"%s\": radius of gyration %.3g m, while the whole model is %.3g m large; inertia "
         "is in "
         "kg m^2",
         b->name, radius, l->extent);
}

// ---- what is connected to what ------------------------------------------------------------------

// Counted once for all bodies, in p->scratch.
static int *count_touches(const lint *l) {
  const tr_plan *plan = l->plan;
  int *n = TR_NEW(&l->p->scratch, plan->nbody + 1, int);
  if (!n) return NULL;
  for (int i = 0; i < plan->njoint; i++)
    for (int k = 0; k < plan->joint[i].markers; k++)
      n[plan->marker[plan->joint[i].marker[k]].body + 1]++;
  for (int i = 0; i < plan->nforce; i++)
    for (int k = 0; k < plan->force[i].markers; k++)
      n[plan->marker[plan->force[i].marker[k]].body + 1]++;
  return n;
}

static void look_at_bodies(lint *l) {
  const tr_plan *plan = l->plan;
  const int *touched = count_touches(l);
  if (!touched) return;
  bool falls = v3_norm(plan->gravity) > 0;
  for (int i = 0; i < plan->nbody; i++) {
    const tr_plan_body *b = &plan->body[i];
    if (!b->type) continue;
    if (touched[i + 1] == 0 && plan->nbody > 1)
      warn(l, &b->place, "body \"%s\": no joint and no force touches it%s", b->name,
           falls ? "; it falls freely" : "");
    look_at_inertia(l, i);
    const double *w = numbers(b->type->fields, b->par, "omega");
    double speed = !w ? 0 : b->type->dim == 2 ? fabs(*w) : v3_norm(w);
    if (speed * plan->step > 1)
      warn(l, &b->place, "body \"%s\": turns by %.3g rad in a step of %g s, the model's own",
           b->name, speed * plan->step, plan->step);
  }
}

static void look_at_forces(lint *l) {
  const tr_plan *plan = l->plan;
  for (int i = 0; i < plan->nforce; i++) {
    const tr_plan_force *f = &plan->force[i];
    bool torque =
        strcmp(f->type->name, "torque") == 0 || strcmp(f->type->name, "torsion-spring") == 0;
    for (int k = 0; torque && k < f->type->markers && k < f->markers; k++) {
      int body = plan->marker[f->marker[k]].body;
      if (body != TR_GROUND && is_point(plan->body[body].type))
        warn(l, &f->place, "force \"%s\": a torque on \"%s\" does nothing, it is a point mass",
             f->name, plan->body[body].name);
    }
    if (strcmp(f->type->name, "spring-damper") != 0) continue;
    double a[3], b[3], d[3];
    const double *rest = numbers(f->type->fields, f->par, "free-length");
    marker_place(plan, f->marker[0], a), marker_place(plan, f->marker[1], b);
    for (int k = 0; k < 3; k++) d[k] = b[k] - a[k];
    if (v3_norm(d) < 1e-12 && !(rest && *rest == 0))
      warn(l, &f->place,
           "force \"%s\": its two points are at the same place at the start, so that it has no "
           "direction",
           f->name);
  }
}

// A named marker on ground that nothing uses shows nothing either.
static void look_at_markers(lint *l) {
  const tr_plan *plan = l->plan;
  bool *used = TR_NEW(&l->p->scratch, plan->nmarker + 1, bool);
  if (!used) return;
  for (int i = 0; i < plan->njoint; i++)
    for (int k = 0; k < plan->joint[i].markers; k++) used[plan->joint[i].marker[k]] = true;
  for (int i = 0; i < plan->nforce; i++)
    for (int k = 0; k < plan->force[i].markers; k++) used[plan->force[i].marker[k]] = true;
  for (int i = 0; i < l->p->nlike; i++) used[l->p->like[i].other] = true;
  for (int i = 1 + plan->nbody; i < plan->nmarker; i++) {
    const tr_plan_marker *m = &plan->marker[i];
    if (m->name[0] && m->body == TR_GROUND && !used[i])
      warn(l, &m->place, "marker \"%s\": on ground and not used", m->name);
  }
}

static void look_at_parameters(lint *l) {
  for (int i = 0; i < l->p->nparameter; i++) {
    const tr_parameter *q = &l->p->parameter[i];
    tr_place place = tr_plan_place(l->p, q->node->key_place);
    if (!q->used) warn(l, &place, "parameter \"%s\": not used", q->node->key);
  }
}

bool tr_plan_lint(tr_planner *p) {
  lint l = {.p = p, .plan = p->plan, .text = {.al = p->arena->al}};
  find_extent(&l);
  look_at_parameters(&l);
  look_at_gravity(&l);
  look_at_bodies(&l);
  look_at_markers(&l);
  look_at_forces(&l);
  if (l.count > MOST_WARNINGS)
    tr_text_add(&l.text, "and %d more warnings\n", l.count - MOST_WARNINGS);
  const char *text = tr_arena_text(p->arena, l.text.data ? l.text.data : "", l.text.size);
  bool ok = text && !l.text.failed;
  p->plan->warnings = text;
  tr_text_free(&l.text);
  return ok || tr_plan_no_memory(p);
}
