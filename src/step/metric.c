// SPDX-License-Identifier: Apache-2.0
// The matrix of the second half of stabilised methods, [cm X G'; G 0], and when it needs a factorisation of its own:
// where A in place of cm X, A being the corner of the first half's, would make the iteration contract by no more than
// STIFF, or LITTLE where all terms count.
// Row sums of A - cm X over the diagonal of cm X are a bound. Where constraints take most of the stiffness, and where light
// bodies with stiff springs move with heavy ones, it is a poor one. What the motions z that constraints allow make of
// it is  z -> z - y,  [A G'; G 0](y, l) = (cm X z, 0):  some of these, and the last ratio tells. Where corrections are few
// none is to be spent on that: there the bound decides. Where few forces are stiff, A and some columns stand for cm X, and
// the factorisation is saved (columns.c), as long as these contract by LEFT.
//
// The rows of the first half's are G T, T of the chart of the increments (turn_rows): no use to the second where a body
// turns by an angle of order 1 in a step, since |T - 1| is half of it. From TURNS on the iteration would hardly converge, so
// the second has G, in a matrix of its own, and all terms (s->bends); from TURNS_LEAST on where steps have taken more
// than MANY corrections without, as long as the first TRIAL ones with it, less the SETTLES first, show that it saves some: many may come from
// stiffness as well.
#include <math.h>
#include <string.h>

#include "math/vector.h"
#include "sparse/block.h"
#include "step.h"

static const double STIFF = 0.3, LITTLE = 0.01;
static const double LEFT = 0.1;
static const double STUCK = 10; // damping over the mass
static const double MILD = 0.3; // over the diagonal of A
// What a correction costs less where halves do not wait for each other; how steps that lose one by that are forgotten.
static const double SAVED = 0.2, LOST_FADE = 0.9;
static const double SEVERAL = 1.5; // corrections: one alone is lost too easily
static const double TURNS = 0.8, TURNS_LEAST = 0.2,
                    TURNS_FADE = 1.002;                 // how that is forgotten from step to step
enum { MANY = 7, TRIAL = 8, SETTLES = 4, REST = 1000 }; // corrections; steps
static const double SAVES = 2.0 / 3;                    // of the corrections are left where it pays
static const double FARTHER = 1.5;                      // turns at which it may, after all
enum { POWERS = 4 };                                    // of the map of z,
static const double NOTHING = 1e-18; // unless no more of its square is left, which is round-off
static const double CHANGED = 1.5;   // row sums that tell of another contraction,
enum { SELDOM = 8 };                 // or so many looks at them

double tr_step_mass_like(const tr_step *s) { return s->bends && !s->turns ? LITTLE : STIFF; }

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
  if (!s->mass_slot) return TR_NO_MEMORY;
  return tr_step_kkt(s, &s->arena, &s->sys->pattern, &s->projection);
}

const int *tr_step_mass_slots(tr_step *s) {
  if (!s->slots_known) tr_mass_slots(s->sys, s->mass_slot);
  s->slots_known = true;
  return s->mass_slot;
}

tr_status tr_bend_make(tr_step *s) {
  size_t nq = (size_t)s->sys->nq, nv = (size_t)s->sys->nv, nc = (size_t)s->sys->nc;
  if (!s->bent) s->bent = TR_NEW(&s->arena, nq + 4 * nv + 5 * nc, double);
  return s->bent ? TR_OK : TR_NO_MEMORY;
}

tr_status tr_metric_by_turn(tr_step *s, double turn) {
  bool turns = turn > TURNS || (s->turns_from > 0 && turn > s->turns_from);
  if (turns && turn <= TURNS) s->turns_from *= TURNS_FADE;
  if (turns != s->turns) s->newton.valid = false;
  s->turns = s->bends = turns;
  return turns ? tr_bend_make(s) : TR_OK;
}

// Whether steps with it, once settled, take fewer corrections than the last two without.
static void judge_turns(tr_step *s, double turn, long corrections) {
  if (s->turns_tried == TRIAL) return;
  if (s->turns_tried >= SETTLES) s->turns_after += corrections;
  if (++s->turns_tried < TRIAL) return;
  double before = (double)s->turns_before, after = (double)s->turns_after / (TRIAL - SETTLES);
  if (after > SAVES * before) s->turns_from = 0, s->turns_rest = REST, s->turns_vain = turn;
}

void tr_metric_learn(tr_step *s, double turn, long corrections) {
  bool usual = s->newton.resort == TR_NEWTON_USUAL;
  if (!usual) return;
  if (s->turns) {
    if (turn <= TURNS) judge_turns(s, turn, corrections);
    return;
  }
  bool many = turn > TURNS_LEAST && corrections > MANY;
  if (s->turns_rest > 0) {
    s->turns_rest--;
    many &= turn > FARTHER * s->turns_vain;
  }
  s->turns_many = many ? s->turns_many + 1 : 0;
  long last = s->turns_last;
  s->turns_last = corrections;
  if (s->turns_many < 2) return; // one alone is a kink
  s->turns_before = last < corrections ? last : corrections;
  s->turns_from = 0.9 * turn;
  s->turns_tried = 0, s->turns_after = 0;
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

// Row sums of A - cm X, of the values in s->kkt, over the diagonal of cm X: the largest. In s->work->x they are left.
static double row_sums(tr_step *s, const double *blocks) {
  const tr_system *sys = s->sys;
  const tr_pattern *p = &sys->pattern;
  double *P = s->projection.values, *off = s->work->x, most = 0;
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
      most = fmax(most, off[b->v + k] / (s->c.cm * x));
    }
  }
  return most;
}

// z'X z, of its diagonal
static double square(const tr_system *sys, const double *blocks, const double *z) {
  double sum = 0;
  for (int i = 0; i < sys->nbody; i++) {
    const sys_body *b = &sys->body[i];
    for (int k = 0; k < b->nv; k++)
      sum += blocks[b->mass + k * (b->nv + 1)] * z[b->v + k] * z[b->v + k];
  }
  return sum;
}

// With the factors in s->kkt and the row sums in s->work->x, as forces of any sign.
static double contraction(tr_step *s, const double *blocks) {
  const tr_system *sys = s->sys;
  int nv = sys->nv, n = sys->pattern.n;
  size_t below = (size_t)sys->nc * sizeof(double);
  double *z = s->newton.spare, *y = z + n, before, after = 0, rate = 0;
  for (int i = 0; i < nv; i++) z[i] = (i * 2654435761u >> 16 & 1u) ? s->work->x[i] : -s->work->x[i];
  memset(z + nv, 0, below);
  if (tr_kkt_solve(&s->kkt, 1, z) != TR_OK) return INFINITY;
  before = square(sys, blocks, z);
  double least = NOTHING * before;
  for (int m = 0; m < POWERS && before > least; m++, before = after) {
    tr_mass_times_shared(s->work, blocks, z, y);
    for (int i = 0; i < nv; i++) y[i] *= s->c.cm;
    memset(y + nv, 0, below);
    if (tr_kkt_solve(&s->kkt, 1, y) != TR_OK) return INFINITY;
    if (s->columns_used > 0) tr_columns_correct(s, y);
    for (int i = 0; i < nv; i++) z[i] -= y[i];
    after = square(sys, blocks, z);
    rate = sqrt(after / before);
  }
  return isfinite(rate) ? rate : INFINITY;
}

// What is to be expected of A in place of cm X: the bound, or where that is too large what was measured not long ago.
double tr_metric_contraction(tr_step *s, double rows, const double *blocks) {
  if (rows <= tr_step_mass_like(s)) return rows;
  bool known = rows < CHANGED * s->far_rows && s->far_rows < CHANGED * rows;
  if (!known || s->far_looks++ >= SELDOM)
    s->contraction = contraction(s, blocks), s->far_rows = rows, s->far_looks = 0;
  return s->contraction;
}

// How far its rows of velocities are from those of the other.
double tr_fill_projection(tr_step *s, const double *blocks) {
  const tr_system *sys = s->sys;
  const tr_pattern *p = &sys->pattern;
  double *P = s->projection.values;
  if (s->turns) {
    tr_tangent_here(s->work, NULL, NULL, s->c.blocks, (tr_coefficients){0}, P);
  } else {
    memcpy(P, s->kkt.values, ((size_t)p->nnz + 1) * sizeof *P);
    for (int j = 0; j < sys->nv; j++)
      for (int k = p->column[j]; k < p->column[j + 1] && p->row[k] < sys->nv; k++) P[k] = 0;
  }
  add_metric(s, s->c.cm, blocks);
  double bent = tr_plain_velocity_rows(s->work, P);
  tr_plain_columns(s->work, P);
  return bent;
}

// Some columns do for a factorisation, as was measured not long ago: how many. After row_sums.
static int by_columns(tr_step *s, const double *blocks) {
  bool usual = s->newton.resort == TR_NEWTON_USUAL && s->newton.fixed_iterations == 0;
  bool tiny = !(s->sys->pattern.matrix_cost > 0); // their second factorisation costs little
  if (!usual || tiny || s->turns || s->c.split) return 0;
  if (s->columns_wait > 0) return s->columns_wait--, 0;
  int count = s->columns_used = tr_columns_find(s, blocks);
  bool known = count == s->columns_known && s->columns_looks++ < SELDOM;
  if (count > 0 && !known) {
    if (contraction(s, blocks) > LEFT) count = 0;
    s->columns_looks = 0;
  }
  if (count == 0) s->columns_wait = SELDOM;
  return s->columns_known = count;
}

bool tr_make_projection(tr_step *s, const double *blocks, bool always) {
  const tr_system *sys = s->sys;
  bool plain = sys->nvelocity == 0 && sys->nreaction == 0;
  bool measures = plain && !always && s->method->stabilised && !s->c.few;
  s->columns_used = 0;
  double rows = s->rows = row_sums(s, blocks);
  bool known = s->columns_known > 0; // A is as far as it was, and they are measured anyway
  bool far =
      (measures && !known ? tr_metric_contraction(s, rows, blocks) : rows) > tr_step_mass_like(s);
  if (!far && plain && !always) return false;
  s->columns_used = far && measures ? by_columns(s, blocks) : 0;
  double bent = tr_fill_projection(s, blocks);
  s->rows = max2(rows, bent);
  if (s->columns_used > 0) tr_kkt_apply_mask(&s->projection), s->projection.rcond = 0;
  return far || bent > STIFF || sys->nreaction > 0 || tr_step_holds_numbers(s);
}

double tr_metric_rows(const tr_step *s, const double *A, const double *blocks) {
  const tr_system *sys = s->sys;
  const tr_pattern *p = &sys->pattern;
  double *off = s->work->x, most = 0;
  memset(off, 0, (size_t)sys->nv * sizeof *off);
  for (int i = 0; i < sys->nbody; i++) {
    const sys_body *b = &sys->body[i];
    const double *X = blocks + b->mass;
    for (int c = 0; c < b->nv; c++) {
      tr_block_column at = tr_blocks_column(p->blocks, b->v + c);
      const int *row = p->row + p->column[b->v + c], *end = p->row + p->column[b->v + c + 1];
      for (int k = 0; row + k < end && row[k] < sys->nv; k++) {
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

// Springs and dampers are as stiff as they were, whatever moves; of others, and of bodies by callbacks, nothing is known.
bool tr_damping_gives(const tr_system *sys) {
  bool gives = false;
  for (int i = 0; i < sys->nbody; i++) gives |= !sys->body[i].type->coordinate_names;
  for (int i = 0; i < sys->nforce; i++) {
    const sys_force *f = &sys->force[i];
    gives |= f->ops->uses_velocity && !(f->type->passive && f->type->passive(f->e.par));
  }
  return gives;
}

// Where -cv Q_v hides the mass: once it has gone corrections by it tell little.
static void find_stuck(tr_step *s, const double *blocks) {
  const tr_pattern *p = &s->sys->pattern;
  s->sticks = false;
  for (int i = 0; i < s->sys->nbody; i++) {
    const sys_body *b = &s->sys->body[i];
    for (int c = 0, j = b->v; c < b->nv; c++, j++) {
      int k = s->damped[j].first;
      while (k < s->damped[j].end && p->row[k] != j) k++;
      double mass = s->c.cm * blocks[b->mass + c * (b->nv + 1)];
      double ratio = k < s->damped[j].end && mass > 0 ? s->damping[k] / mass : 0;
      s->stuck[j] = ratio > STUCK ? ratio : 0;
      s->sticks |= ratio > STUCK;
    }
  }
}

// All of it: forces across velocities, as those of spin, have nothing on the diagonal.
static void measure_damping(tr_step *s) {
  const tr_pattern *p = &s->sys->pattern;
  const double *A = s->kkt.values;
  double most = 0; // its square
  for (int j = 0; j < s->sys->nv; j++) {
    double diagonal = fabs(A[tr_pattern_slot(p, j, j)]);
    for (int k = s->damped[j].first; k < s->damped[j].end; k++) {
      double other = fabs(A[tr_pattern_slot(p, p->row[k], p->row[k])]), f = s->damping[k];
      if (f * f > most * diagonal * other) most = f * f / (diagonal * other);
    }
  }
  s->damped_by = sqrt(most);
}

// Where in the columns of -cv Q_v there is anything.
void tr_find_damping(tr_step *s, const double *blocks) {
  const tr_pattern *p = &s->sys->pattern;
  for (int j = 0; j < s->sys->nv; j++) {
    int first = p->column[j], end = first;
    while (end < p->column[j + 1] && p->row[end] < s->sys->nv) end++;
    while (end > first && s->damping[end - 1] == 0) end--;
    while (first < end && s->damping[first] == 0) first++;
    s->damped[j].first = first, s->damped[j].end = end;
  }
  if (s->c.few && s->stuck) find_stuck(s, blocks);
  if (!s->c.few) measure_damping(s);
}

// What dw does to y by the damping is more than the matrix leaves of it.
void tr_metric_share(tr_step *s, double y, double dw, double tol) {
  bool lost = s->damped_by * dw > max2(tol, s->newton.rate * y);
  s->w_lost = LOST_FADE * s->w_lost + (1 - LOST_FADE) * lost;
}

bool tr_damping_mild(const tr_step *s) {
  double count = s->newton.last_count;
  return s->damped_by <= MILD || (count >= SEVERAL && s->w_lost <= SAVED * count);
}

// The first half by dw: r += cw/cq (cm M - cv Q_v) dw, where X = 1; elsewhere M comes with e3.
void tr_couple_halves(const tr_step *s, double *dw, double *r) {
  const tr_corrector *c = &s->c;
  const tr_pattern *p = &s->sys->pattern;
  double f = c->cw / c->cq;
  if (tr_step_holds_numbers(s)) tr_second_hold(s, dw, r);
  if (c->unit_metric) {
    tr_mass_times_shared(s->work, c->blocks ? c->blocks : s->blocks, dw, s->work->x);
    for (int i = 0; i < s->sys->nv; i++) r[i] += c->cm * f * s->work->x[i];
  }
  // forces that read reactions:  Q_lam dlam = Q_lam (l + cw/cq dmu)
  const double *turned = dw + s->sys->nv; // -dmu
  for (int j = s->sys->nv; s->sys->nreaction > 0 && !c->unit_metric && j < p->n; j++)
    for (int k = p->column[j]; k < p->column[j + 1] && p->row[k] < s->sys->nv; k++)
      r[p->row[k]] += f * (s->kkt.values[k] - s->projection.values[k]) * turned[j - s->sys->nv];
  if (!s->damping) return;
  for (int j = 0; j < s->sys->nv; j++) {
    double x = f * dw[j];
    if (x == 0) continue;
    for (int k = s->damped[j].first; k < s->damped[j].end; k++) r[p->row[k]] += s->damping[k] * x;
  }
}
