// SPDX-License-Identifier: Apache-2.0
// Places on bodies that their turning moves: whoever looks at how far a body has turned wants to know whether it matters.
// Where a torque or a weld has its markers does not; of a weld the arm is the way between the centres.
#include "places.h"

#include <math.h>

static const double AT_CENTRE = 1e-9; // radii of gyration
static const double FAR = 4;          // m

bool tr_off_centre(const tr_system *sys, const sys_body *b, const double *c) {
  const double *M = sys->mass + b->mass;
  double square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2], least = 0;
  for (int k = b->type->dim; b->constant_mass && k < b->nv && k < 3 * (b->type->dim - 1); k++)
    least = fmax(least, M[k * (b->nv + 1)] / M[0]);
  return square > AT_CENTRE * AT_CENTRE * least;
}

// Markers that a law names follow the element's own, and it reads where they are.
static void mark(const tr_system *s, const sys_element *e, bool anywhere, int own, bool *matters) {
  for (int k = anywhere ? own : 0; k < e->markers; k++)
    if (e->body[k] != TR_GROUND) matters[tr_site_of(s, e->body[k], e->frame[k]) - s->site] = true;
}

void tr_sites_matter(const tr_system *s, bool *matters) {
  for (int i = 0; i < s->njoint; i++) {
    const tr_joint_type *type = s->joint[i].type;
    mark(s, &s->joint[i].e, type->anywhere, type->markers, matters);
  }
  for (int i = 0; i < s->nforce; i++) {
    const tr_force_type *type = s->force[i].type;
    mark(s, &s->force[i].e, type->anywhere, type->markers, matters);
  }
}

bool tr_weld_arm(const tr_system *s, const sys_joint *j, int k, double *d) {
  if (j->ops->rows != j->e.nd || !j->type->anywhere) return false;
  int of = j->e.body[k], to = j->e.body[1 - k];
  if (of == TR_GROUND || to == TR_GROUND) return false;
  const tr_site *a = tr_site_of(s, of, j->e.frame[k]), *b = tr_site_of(s, to, j->e.frame[1 - k]);
  double at[3] = {0};
  if (j->e.nd == 3) {
    double co = cos(a->angle - b->angle), si = sin(a->angle - b->angle);
    at[0] = co * b->c[0] - si * b->c[1], at[1] = si * b->c[0] + co * b->c[1];
  } else {
    double inside[3] = {0}; // R_b' c_b
    for (int m = 0; m < 9; m++) inside[m % 3] += b->R[m] * b->c[m / 3];
    for (int m = 0; m < 9; m++) at[m / 3] += a->R[m] * inside[m % 3];
  }
  for (int m = 0; m < 3; m++) d[m] = a->c[m] - at[m];
  return true;
}

bool tr_far_away(const tr_system *s, const double *q) {
  for (int i = 0; i < s->nbody; i++) {
    const sys_body *b = &s->body[i];
    for (int k = 0; k < b->type->dim && k < b->nq && b->type->dim > 1; k++)
      if (fabs(q[b->q + k]) > FAR) return true;
  }
  return false;
}

// Of each body, its velocities first .. end - 1 of nv.
TR_INLINE double fastest(int bodies, const double *v, int nv, int first, int end, double most) {
  for (; bodies > 0; bodies--, v += nv)
    for (int k = first; k < end; k++) most = max2(most, fabs(v[k]));
  return most;
}

// Where bodies are evaluated together their velocities follow each other: nothing else of them is looked at.
double tr_fastest_turn(const tr_system *s, const sys_range *of, const double *v) {
  double most = 0;
  for (int i = run_of(s->body_run, s->nbody_run, of); i < s->nbody_run; i++) {
    const sys_run run = run_within(&s->body_run[i], of);
    if (of && run.count <= 0) break;
    const sys_body *b = &s->body[run.first];
    int dim = b->type->dim, end = 3 * (dim - 1);
    bool alike = b->type->kinematics_run != NULL;
    if (alike && dim == 3 && b->nv == 6) {
      most = fastest(run.count, v + b->v, 6, 3, 6, most);
    } else if (alike && dim == 2 && b->nv == 3) {
      most = fastest(run.count, v + b->v, 3, 2, 3, most);
    } else {
      for (; b < s->body + run.first + run.count; b++)
        most = fastest(1, v + b->v, b->nv, dim, end < b->nv ? end : b->nv, most);
    }
  }
  return most;
}
