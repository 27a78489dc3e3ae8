// SPDX-License-Identifier: Apache-2.0
// The matrix of the second half of stabilised methods, [cm X G'; G 0], and when it needs a factorisation of its own:
// where row sums of A - cm X are beyond STIFF of the diagonal of cm X, A being the corner of the first half's, or
// LITTLE where all terms count.
#include <math.h>
#include <string.h>

#include "sparse/block.h"
#include "step.h"

static const double STIFF = 0.3, LITTLE = 0.01;

double tr_step_mass_like(const tr_step *s) { return s->bends ? LITTLE : STIFF; }

bool tr_step_holds_numbers(const tr_step *s) { return s->numbers_apart && !s->c.split; }

// Whether constraints read no states or variables.
static bool numbers_apart(const tr_system *sys) {
  const tr_pattern *p = &sys->pattern;
  if (sys->nnumber == 0) return false;
  for (int j = 0; j < sys->nv; j++)
    for (int k = p->column[j]; sys->number[j] && k < p->column[j + 1]; k++)
      if (p->row[k] >= sys->nv && !sys->of_number[p->row[k] - sys->nv]) return false;
  return true;
}

tr_status tr_projection_make(tr_step *s) {
  s->numbers_apart = s->method->stabilised && numbers_apart(s->sys);
  s->mass_slot = TR_NEW(&s->arena, tr_mass_slots(s->sys, NULL), int);
  return s->mass_slot ? tr_kkt_make(&s->arena, &s->sys->pattern, &s->projection) : TR_NO_MEMORY;
}

const int *tr_step_mass_slots(tr_step *s) {
  if (!s->slots_known) tr_mass_slots(s->sys, s->mass_slot);
  s->slots_known = true;
  return s->mass_slot;
}

// The corner of s->projection += f X.
static void add_metric(tr_step *s, double f, const double *blocks) {
  const tr_system *sys = s->sys;
  double *P = s->projection.values;
  const int *slot = tr_step_mass_slots(s);
  for (int i = 0; i < sys->nbody; i++) {
    const sys_body *b = &sys->body[i];
    for (int k = 0; k < b->nv * b->nv; k++, slot++)
      P[*slot] += f * (s->c.unit_metric ? k % (b->nv + 1) == 0 : blocks[b->mass + k]);
  }
}

// Row sums of A - cm X beyond that part of the diagonal of cm X.
static bool far_from_mass(tr_step *s, const double *blocks) {
  double most = tr_step_mass_like(s) * s->c.cm;
  const tr_system *sys = s->sys;
  const tr_pattern *p = &sys->pattern;
  double *P = s->projection.values, *off = s->work->x;
  for (int j = 0; j < sys->nv; j++)
    for (int k = p->column[j]; k < p->column[j + 1] && p->row[k] < sys->nv; k++)
      P[k] = s->kkt.values[k];
  add_metric(s, -s->c.cm, blocks);
  memset(off, 0, (size_t)sys->nv * sizeof *off);
  for (int j = 0; j < sys->nv; j++)
    for (int k = p->column[j]; k < p->column[j + 1] && p->row[k] < sys->nv; k++)
      off[p->row[k]] += fabs(P[k]);
  for (int i = 0; i < sys->nbody; i++) {
    const sys_body *b = &sys->body[i];
    for (int k = 0; k < b->nv; k++) {
      double x = s->c.unit_metric ? 1 : blocks[b->mass + k * (b->nv + 1)];
      if (off[b->v + k] > most * x) return true;
    }
  }
  return false;
}

bool tr_make_projection(tr_step *s, const double *blocks, bool always) {
  const tr_system *sys = s->sys;
  const tr_pattern *p = &sys->pattern;
  double *P = s->projection.values;
  bool plain = sys->nvelocity == 0 && sys->nreaction == 0;
  bool far = far_from_mass(s, blocks);
  if (!far && plain && !always) return false;
  memcpy(P, s->kkt.values, ((size_t)p->nnz + 1) * sizeof *P);
  for (int j = 0; j < sys->nv; j++)
    for (int k = p->column[j]; k < p->column[j + 1] && p->row[k] < sys->nv; k++) P[k] = 0;
  add_metric(s, s->c.cm, blocks);
  double bent = tr_plain_velocity_rows(s->work, P);
  tr_plain_columns(s->work, P);
  return far || bent > STIFF || sys->nreaction > 0 || tr_step_holds_numbers(s);
}

double tr_distance_from_metric(const tr_step *s, const double *A, const double *blocks) {
  const tr_system *sys = s->sys;
  const tr_pattern *p = &sys->pattern;
  double *off = tr_step_room(s), most = 0;
  memset(off, 0, (size_t)sys->nv * sizeof *off);
  for (int i = 0; i < sys->nbody; i++) {
    const sys_body *b = &sys->body[i];
    const double *X = blocks + b->mass;
    for (int c = 0; c < b->nv; c++) {
      tr_block_column at = tr_blocks_column(p->blocks, b->v + c);
      const int *row = p->row + p->column[b->v + c];
      for (int k = 0; row[k] < sys->nv; k++) {
        int r = row[k] - b->v;
        double x = A[at.first + at.offset[k]];
        if (r >= 0 && r < b->nv) x -= s->c.cm * X[r * b->nv + c];
        off[row[k]] += fabs(x);
      }
    }
  }
  for (int i = 0; i < sys->nbody; i++) {
    const sys_body *b = &sys->body[i];
    for (int k = 0; k < b->nv; k++)
      most = fmax(most, off[b->v + k] / (s->c.cm * blocks[b->mass + k * (b->nv + 1)]));
  }
  return most;
}
