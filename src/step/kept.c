// SPDX-License-Identifier: Apache-2.0
// Rows of what is kept on the velocities of its body: the pull of a unit wrench on the body's origin.
#include "kept.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Kept names are motions of the body's origin in global axes, as positions and outputs are: the k-th
// is the k-th displacement of the origin's frame (x, y, angle or x, y, z, rx, ry, rz).
static bool kept(const tr_projector *p, const sys_body *b, bool velocity, int k) {
  unsigned mask = velocity ? b->keep_v : b->keep_q;
  return !p->again && k < 6 && (mask >> k & 1u);
}

static tr_body_at body_at(const tr_work *w, const sys_body *b) {
  return (tr_body_at){b->par, w->q + b->q, w->v + b->v, w->cache + b->cache, w->t};
}

// The body's own frame; its marker comes after ground's.
static tr_site origin_of(const tr_work *w, const sys_body *b) {
  return tr_marker_site(w->sys, 1 + (int)(b - w->sys->body));
}

// Row of a kept name on the body's velocities.
static void kept_row(const tr_work *w, const sys_body *b, int k, double *row) {
  tr_body_at at = body_at(w, b);
  double unit[6] = {0};
  unit[k] = 1;
  memset(row, 0, (size_t)b->nv * sizeof *row);
  tr_site site = origin_of(w, b);
  b->type->add_pull(&at, &site, unit, row);
}

// Its value; turns of a spatial body have none, they are kept step by step.
static double kept_value(const tr_work *w, const sys_body *b, bool velocity, int k) {
  tr_body_at at = body_at(w, b);
  tr_site site = origin_of(w, b);
  tr_frame f = {0};
  b->type->kinematics(&at, TR_AT_VELOCITY, 1, &site, &f);
  int lines = site.nd == 3 ? 2 : 3;
  if (velocity) return k < lines ? f.v[k] : site.nd == 3 ? f.w[2] : f.w[k - 3];
  return k < lines ? f.p[k] : site.nd == 3 ? f.angle : 0;
}

int tr_kept_values(const tr_projector *p, bool velocity, double *values) {
  int n = 0;
  for (int i = 0; i < p->sys->nbody; i++)
    for (int k = 0; k < 6; k++)
      if (kept(p, &p->sys->body[i], velocity, k)) {
        if (values) values[n] = kept_value(p->work, &p->sys->body[i], velocity, k);
        n++;
      }
  return n;
}

// values += weight row' row for everything kept of a body
static void make_heavy(const tr_projector *p, const sys_body *b, bool velocity, double *values) {
  const tr_pattern *t = &p->sys->pattern;
  double *row = p->work->block;
  for (int k = 0; k < 6; k++) {
    if (!kept(p, b, velocity, k)) continue;
    kept_row(p->work, b, k, row);
    for (int i = 0; i < b->nv; i++)
      for (int j = 0; j < b->nv; j++)
        if (row[i] * row[j] != 0)
          values[tr_pattern_slot(t, b->v + i, b->v + j)] += p->weight * row[i] * row[j];
  }
}

void tr_kept_weigh(const tr_projector *p, bool velocity, double *values) {
  for (int i = 0; i < p->sys->nbody; i++) make_heavy(p, &p->sys->body[i], velocity, values);
}

void tr_kept_pull(const tr_projector *p, bool velocity, const double *given, double *r) {
  double *row = p->work->block;
  for (int i = 0; i < p->sys->nbody; i++) {
    const sys_body *b = &p->sys->body[i];
    for (int k = 0; k < 6; k++) {
      if (!kept(p, b, velocity, k)) continue;
      double off = kept_value(p->work, b, velocity, k) - *given++;
      kept_row(p->work, b, k, row);
      for (int j = 0; j < b->nv; j++) r[b->v + j] += p->weight * off * row[j];
    }
  }
}

static double dot(const double *x, const double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}

// Rows are orthonormalised one by one in work->block.
void tr_kept_hold(const tr_projector *p, bool velocity, const double *given, double *d) {
  for (int i = 0; i < p->sys->nbody; i++) {
    const sys_body *b = &p->sys->body[i];
    double *row = p->work->block, *x = d + b->v;
    for (int k = 0; k < 6; k++) {
      if (!kept(p, b, velocity, k)) continue;
      kept_row(p->work, b, k, row);
      double rest = kept_value(p->work, b, velocity, k) - *given++ - dot(row, x, b->nv);
      for (const double *e = p->work->block; e < row; e += b->nv) {
        double s = dot(e, row, b->nv);
        for (int j = 0; j < b->nv; j++) row[j] -= s * e[j];
      }
      double length = sqrt(dot(row, row, b->nv));
      if (!(length > 0)) continue;
      for (int j = 0; j < b->nv; j++) row[j] /= length;
      for (int j = 0; j < b->nv; j++) x[j] += rest / length * row[j];
      row += b->nv;
    }
  }
}

void tr_kept_name(const tr_projector *p, bool velocity, tr_error *error) {
  const tr_system *s = p->sys;
  for (int i = 0; i < s->nbody; i++) {
    const sys_body *b = &s->body[i];
    const char *const *name = velocity ? b->type->rate_names : b->type->coordinate_names;
    if (!(velocity ? b->keep_v : b->keep_q) || p->again) continue;
    char names[64] = "";
    for (int k = 0; name && name[k]; k++)
      if (kept(p, b, velocity, k)) {
        size_t n = strlen(names);
        snprintf(names + n, sizeof names - n, "%s%s", n > 0 ? ", " : "", name[k]);
      }
    tr_fail(error, TR_INCONSISTENT, NULL,
            "body \"%s\": keeps %s as given; leave it free if it may %s", b->name, names,
            velocity ? "change" : "move");
  }
}
