// SPDX-License-Identifier: Apache-2.0
// The life of a method at work: rooms, trial, acceptance.
#include "step.h"
#include "places.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "full.h"
#include "system/pins.h"

#define METHOD(m) extern const tr_method m;
#include "step_list.h"
#undef METHOD
#define METHOD(m) &m,
static const tr_method *const methods[] = {
#include "step_list.h"
    NULL};
#undef METHOD

const tr_method *const *tr_methods(void) { return methods; }

int tr_method_count(void) { return (int)(sizeof methods / sizeof *methods) - 1; }

tr_method_info tr_method_describe(int method) {
  if (method < 0 || method >= tr_method_count()) return (tr_method_info){.name = ""};
  return methods[method]->info;
}

// More terms pay where a correction costs much more than a look at the past, with some stabilised methods where it comes from
// beyond the cache.
enum { LARGE = 1000, VAST = 10000 }; // unknowns

// r (n), another, and before them room for `more`. S of pins is there too, while neither is in use; where the second is never,
// S ends, and so does what is written to.
static tr_status make_newton(tr_step *s, size_t n, size_t more, double **before) {
  tr_arena *ar = &s->arena;
  size_t spare = 0;
  if (s->method->stabilised && s->sys->pattern.matrix_cost > 0)
    TR_TRY(tr_pins_make(s->sys, ar, &s->pins));
  if (s->pins) {
    size_t numbers = (size_t)s->pins->numbers;
    spare = numbers > 2 * n ? numbers - n : n;
  }
  size_t busy = s->pins ? (size_t)s->pins->numbers : n;
  *before = TR_BUSY_FIRST(ar, more + n + spare, more + busy, double);
  if (!*before) return TR_NO_MEMORY;
  double *r = s->newton.r = *before + more;
  s->newton.n = (int)n;
  s->newton.spare = s->pins ? r + n : TR_NEW(ar, n, double);
  if (!s->newton.spare) return TR_NO_MEMORY;
  if (s->pins) s->pins->S = r;
  return TR_OK;
}

// `count` rows of n numbers in doubles.
static size_t past_size(bool narrow, size_t count, size_t n) {
  return narrow ? (count * n + 1) / 2 : count * n;
}

// Each of them begins with `before` others.
static tr_past place_past(bool narrow, int count, size_t n, size_t before, double *room) {
  tr_past p = {.narrow = narrow, .count = count};
  for (size_t i = 0; i < (size_t)count; i++)
    p.older[i] = narrow ? (void *)((float *)room + i * n + before) : room + i * n + before;
  return p;
}

void tr_past_clear(tr_step *s) {
  size_t nv = (size_t)s->sys->nv, n = nv + (size_t)s->sys->nc;
  bool narrow = s->past_a.narrow;
  s->past_a = place_past(narrow, s->terms - 1, n, 0, s->past_room);
  s->past_lam = place_past(narrow, s->terms - 1, n, nv, s->past_room);
  if (!s->sum_room) return;
  s->sum_a = s->sum_room, s->sum_lam = s->sum_a + nv;
  s->last_sum_a = s->sum_room + n, s->last_sum_lam = s->last_sum_a + nv;
}

static tr_status make_past(tr_step *s, bool narrow) {
  size_t nv = (size_t)s->sys->nv, nc = (size_t)s->sys->nc, least = 4 * nv + nc;
  size_t size = past_size(narrow, (size_t)s->terms - 1, nv + nc);
  s->past_a.narrow = narrow;
  s->past_room = TR_BUSY(&s->arena, size > least ? size : least, double);
  if (!s->past_room) return TR_NO_MEMORY;
  tr_past_clear(s);
  return TR_OK;
}

static tr_status make_past_w(tr_step *s, bool narrow) {
  size_t nv = (size_t)s->sys->nv, n = nv + (size_t)s->sys->nc;
  double *p = TR_BUSY(&s->arena, 2 * n + past_size(narrow, TR_TERMS - 1, n), double);
  double *sums = TR_BUSY(&s->arena, (s->pins ? 2 : 1) * n, double);
  if (!p || !sums) return TR_NO_MEMORY;
  s->w = p, s->mu = s->w + nv;
  s->last_w = p + n, s->last_mu = s->last_w + nv;
  s->past_w = place_past(narrow, TR_TERMS - 1, n, 0, p + 2 * n);
  s->sum_a = sums, s->sum_lam = sums + nv;
  if (s->pins) s->sum_room = sums;
  return TR_OK;
}

static tr_status allocate(tr_step *s, tr_team *team) {
  size_t nv = (size_t)s->sys->nv, nc = (size_t)s->sys->nc;
  tr_arena *ar = &s->arena;
  TR_TRY(tr_work_new(s->sys, &s->work));
  TR_TRY(tr_work_hire(s->work, team));
  if (s->method->stabilised || s->method->two_sets) TR_TRY(tr_wrenches_keep(s->work));
  bool full = s->settings.fixed_iterations > 0 && !s->method->direct;
  size_t sets = s->method->stabilised || s->method->two_sets || full ? 2 : 1;
  size_t n = (s->method->sets > 0 ? (size_t)s->method->sets : sets) * (nv + nc);
  TR_TRY(make_newton(s, n, (s->method->vectors > 0 ? 2 : 1) * nv, &s->d));
  s->c.dhat = TR_NEW(ar, 2 * nv > (size_t)s->sys->nq ? 2 * nv : (size_t)s->sys->nq, double);
  s->c.vhat = s->c.dhat + nv;
  s->lam = TR_NEW(ar, nc + (s->method->direct ? 0 : 3 * nv + nc), double);
  s->found = s->lam + nc;
  s->blocks = TR_NEW(ar, s->sys->constant_mass ? 1 : s->sys->nmass, double);
  s->room = TR_NEW(ar, s->method->vectors, double *);
  if (!s->c.dhat || !s->lam || !s->blocks || !s->room) return TR_NO_MEMORY;
  if (s->method->vectors > 0) s->room[0] = s->d + nv;
  for (int i = 1; i < s->method->vectors; i++)
    if (!(s->room[i] = TR_NEW(ar, nv, double))) return TR_NO_MEMORY;
  bool narrow = nv + nc > LARGE && !s->method->recompute; // whose newest may be elsewhere
  bool goes_on = !s->method->stabilised || (s->method->goes_on && nv + nc > VAST);
  s->terms = narrow && goes_on ? TR_TERMS_LARGE : TR_TERMS;
  TR_TRY(make_past(s, narrow));
  if (full) TR_TRY(tr_full_new(s, &s->full));
  if (s->method->stabilised) {
    TR_TRY(make_past_w(s, narrow));
    TR_TRY(tr_projection_make(s));
    bool bends = s->method->choose != NULL;
    bool damped = bends || s->sys->nforce > 0;
    if (damped) s->damping = TR_NEW(ar, s->sys->pattern.nnz + 1, double);
    bool gives = damped && tr_damping_gives(s->sys);
    if (damped) s->damped = TR_NEW(ar, nv, tr_slots);
    if (gives) s->stuck = TR_NEW(ar, nv, double);
    if (bends) TR_TRY(tr_bend_make(s));
    if (damped && (!s->damping || !s->damped)) return TR_NO_MEMORY;
    if (gives && !s->stuck) return TR_NO_MEMORY;
  }
  if (s->method->prepare) TR_TRY(s->method->prepare(s));
  bool lean = s->method->lean && s->sys->nvelocity == 0;
  tr_status status = (lean ? tr_kkt_make_lean : tr_kkt_make)(ar, &s->sys->pattern, &s->kkt);
  s->kkt.team = team;
  return status;
}

tr_status tr_step_kkt(const tr_step *s, tr_arena *ar, const tr_pattern *p, tr_kkt *k) {
  tr_status status = tr_kkt_make(ar, p, k);
  k->team = s->work->team;
  return status;
}

tr_status tr_step_new(const tr_system *sys, const tr_method *method, const void *par,
                      const tr_newton_settings *settings, tr_team *team, tr_step **step,
                      tr_error *error) {
  *step = NULL;
  tr_arena ar = tr_arena_make(sys->al);
  tr_step *s = TR_NEW(&ar, 1, tr_step);
  if (!s) return tr_no_memory(error);
  s->sys = sys;
  s->method = method;
  s->par = par;
  s->taken = 1;
  s->settings = *settings;
  s->newton.max_iterations = settings->max_iterations;
  s->newton.fixed_iterations = settings->fixed_iterations;
  s->newton.reuse = settings->reuse;
  s->unsettled = -1;
  s->top_v = s->top_a = s->top_d = -1, s->change = INFINITY;
  s->led.q = -1, s->known_t = NAN;
  s->later = sys->nstretch > 0 && method->corrected;
  s->arena = ar;
  tr_status status = allocate(s, team);
  if (status != TR_OK) {
    tr_step_free(s);
    if (status != TR_BAD_INPUT) return tr_no_memory(error);
    return tr_fail(error, TR_BAD_INPUT, NULL,
                   "the model is too large for a given number of Newton iterations: their whole "
                   "matrix has more entries than can be counted; leave the number out");
  }
  *step = s;
  return TR_OK;
}

void tr_step_free(tr_step *s) {
  if (!s) return;
  if (s->method->release && s->memory) s->method->release(s);
  tr_full_free(s->full);
  tr_kkt_free(&s->kkt);
  tr_kkt_free(&s->projection);
  tr_second_free(s);
  tr_work_free(s->work);
  tr_arena arena = s->arena; // the step itself lives in it
  tr_arena_free(&arena);
}

// See tr_forces_at_floor.
static const double FARTHEST = 64;

// Steps that take so much of the error allowed are as long as it lets them be.
static const double FULL = 0.01;

double tr_step_share(const tr_step *s) {
  double part = fmin(1, s->taken / FULL);
  return part * sqrt(part);
}

// With steps of one length.
static double fixed_tolerance(const tr_step *s, const tr_state *x0) {
  double v = 0, a = 0;
  for (int i = 0; s->sys->nnumber > 0 && i < s->sys->nv; i++) {
    if (s->sys->number[i]) continue; // rates of states are no measure of mechanics
    v = fmax(v, fabs(x0->v[i])), a = fmax(a, fabs(x0->a[i]));
  }
  if (a == 0) {
    v = s->top_v >= 0 ? s->top_v : tr_largest(s->work, x0->v, s->sys->nv);
    a = s->top_a >= 0 ? s->top_a : tr_largest(s->work, x0->a, s->sys->nv);
  }
  a *= s->c.cv; // what a does to the velocities in a step
  return s->settings.tol * min2(1000 * a, max2(v, a));
}

double tr_step_tolerance(const tr_step *s, const tr_state *x0) {
  if (!(s->allowed > 0)) return fixed_tolerance(s, x0);
  // under step control a thousandth of the error that the step may make in q [GNP05], and in v where that
  // counts: with little damping what is left swings on across the constraints
  double per_q = s->c.cv / s->c.cq, share = tr_step_share(s);
  double tol = 1e-3 * s->allowed * (s->allows_v ? fmin(1, per_q) : per_q);
  return share < 1 ? fmax(share * tol, fmin(tol, fixed_tolerance(s, x0))) : tol;
}

void tr_forces_pull(const tr_kkt *A, int nv, const double *f, double *pull) {
  const tr_pattern *p = A->p;
  memset(pull, 0, (size_t)nv * sizeof *pull);
  for (int j = nv; j < p->n; j++)
    for (int k = p->column[j]; k < p->column[j + 1] && p->row[k] < nv; k++)
      pull[p->row[k]] += fabs(A->values[k] * f[j - nv]);
}

static void find_sizes(const tr_kkt *A, const tr_sizes *out) {
  tr_forces_pull(A, out->nv, out->f, out->pull);
  for (int i = 0; i < out->nv; i++) {
    int k = A->p->column[i], end = A->p->column[i + 1]; // not far: bodies have few neighbours
    while (k < end && A->p->row[k] < i) k++;
    out->diagonal[i] = A->values[k < end && A->p->row[k] == i ? k : A->p->nnz];
  }
}

tr_sizes tr_step_sizes(tr_step *s, const double *f) {
  return (tr_sizes){s->sys->nv, f, s->newton.spare, tr_step_more_room(s)};
}

// The sizes are those of the iterate, which may have been thrown off: its own round-off explains anything. What counts
// is bounded by FARTHEST times what `spread`, which comes from the last state, does to the row that bears most.
bool tr_forces_at_floor(tr_step *s, const tr_kkt *A, const double *x, const double *f,
                        double spread, double units, const double *r) {
  int nv = s->sys->nv;
  double *pull = tr_step_room(s);
  tr_sizes z = tr_step_sizes(s, f);
  if (A) find_sizes(A, &z);
  tr_constraint_force(s->work, f, pull);
  double force = tr_largest(s->work, pull, nv);
  double most = FARTHEST * spread * tr_largest(s->work, z.diagonal, nv);
  for (int i = 0; i < nv; i++) {
    double size = fabs(z.diagonal[i]) * (fabs(x[i]) + spread) + force + z.pull[i];
    if (!(fabs(r[i]) <= units * DBL_EPSILON * fmin(size, most))) return false;
  }
  return true;
}

// Forces f out of balance move bodies by c f/m: beyond STRAINED, in radians or sizes of the model, the springs that make
// them are overloaded, and so is the matrix.
static const double STRAINED = 0.5;

// How far frames of joints and forces are apart, in metres of error allowed and in sizes of bodies: below that they are
// at one place, up to what steps leave of the constraints and to round-off.
static const double APART = 1e-3, APART_OF_BODY = 1e-9;

// The largest of the bodies: where joints and forces hold them, from their centres, and their radii of gyration.
static double largest_body(tr_step *s) {
  const tr_system *sys = s->sys;
  const double *blocks = tr_mass_blocks(s->work, s->blocks);
  double square = 0;
  for (int i = 0; i < sys->nbody; i++) {
    const sys_body *b = &sys->body[i];
    if (!b->type->coordinate_names || sys->number[b->v]) continue;
    for (int m = 0; m < b->sites; m++) {
      const double *c = sys->site[b->site + m].c;
      square = fmax(square, c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    }
    const double *M = blocks + b->mass;
    int turns = 3 * (b->type->dim - 1);
    for (int k = b->type->dim; k < b->nv && k < turns && M[0] > 0; k++)
      square = fmax(square, M[k * (b->nv + 1)] / M[0]);
  }
  return sqrt(square);
}

// How far the frames of joints and forces are apart, or how large the bodies are if these are at one place; 1 m at most.
static double find_size(tr_step *s, const tr_state *x) {
  const tr_system *sys = s->sys;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  double size = 0;
  if (sys->nforce == 0) return 1;
  tr_kinematics(s->work, x->t, x->q, x->v, x->mem, TR_AT_POSITION);
  for (int i = 0; i < sys->njoint + sys->nforce; i++) {
    const sys_element *e = i < sys->njoint ? &sys->joint[i].e : &sys->force[i - sys->njoint].e;
    for (int m = 0; m < e->markers; m++) {
      if (e->body[m] >= 0 && sys->number[sys->body[e->body[m]].v]) continue;
      const double *p = tr_frame_at(s->work->frames, e->frame[m])->p;
      for (int k = 0; k < 3; k++) low[k] = fmin(low[k], p[k]), high[k] = fmax(high[k], p[k]);
    }
  }
  for (int k = 0; k < 3; k++) size = fmax(size, high[k] - low[k]);
  if (size >= 1) return 1;
  double body = largest_body(s);
  if (!(size > fmax(APART * s->allowed, APART_OF_BODY * body))) size = body;
  return size > 0 ? fmin(size, 1) : 1;
}

static bool strains(const tr_step *s, double c, const double *blocks, const double *f) {
  const tr_system *sys = s->sys;
  bool far = false;
  for (int i = 0; i < sys->nbody && !far; i++) {
    const sys_body *b = &sys->body[i];
    for (int k = 0; k < b->nv && !sys->number[b->v]; k++) {
      double most = STRAINED * (b->type->coordinate_names && k < b->type->dim ? s->size : 1);
      far |= fabs(f[b->v + k]) * c > most * blocks[b->mass + k * (b->nv + 1)];
    }
  }
  return far;
}

// Multipliers may be off as well, next to singular positions, but they are unknowns and follow in the next correction.
bool tr_step_strained(tr_step *s, double c, const double *blocks, const double *r) {
  if (!(s->allowed > 0) || s->sys->nforce == 0 || !strains(s, c, blocks, r)) return false;
  if (s->sys->nreaction > 0) return true;
  tr_forces(s->work, NULL, s->work->x, NULL);
  return strains(s, c, blocks, s->work->x);
}

// So near a singular position that round-off moves the step farther than this there are other branches, or the iterate
// was thrown off and explains itself.
static const double MOST_NOISE = 1e-6;

double tr_step_most_noise(const tr_step *s, double length) {
  if (s->c.few && s->c.multipliers) return 0; // which may move by anything there
  if (s->c.few) return fmax(1, MOST_NOISE * length / s->allowed);
  return MOST_NOISE * length * s->c.cv / s->c.cq;
}

// Of either sign and of size 1/2 .. 3/2, with no pattern from row to row: what a loop adds up, with weights of 1 and -1,
// must not cancel.
static double draw_of(int i, int draw) {
  unsigned x = (unsigned)i + 0x9e3779b9u * (1u + (unsigned)draw);
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  x ^= x >> 16;
  double size = 0.5 + (double)(x & 0x7fffffffu) / 2147483648.0;
  return x >> 31 ? -size : size;
}

void tr_rows_noise(int draw, int n, double rows, double *r) {
  for (int i = 0; i < n; i++) r[i] = draw_of(i, draw) * rows;
}

void tr_forces_noise(tr_step *s, int draw, const tr_kkt *A, const double *x, const double *f,
                     double *r) {
  tr_sizes z = tr_step_sizes(s, f);
  z.pull = r;
  if (A) find_sizes(A, &z);
  for (int i = 0; i < s->sys->nv; i++)
    r[i] = draw_of(i, draw) * DBL_EPSILON * (z.pull[i] + fabs(z.diagonal[i] * x[i]));
}

bool tr_rows_at_floor(tr_step *s, const tr_kkt *A, double c, double positions, double noise,
                      const double *r) {
  const tr_system *sys = s->sys;
  for (int i = 0; i < sys->nc; i++)
    if (!(sys->of_velocity[i] || fabs(r[i]) * c <= positions)) return false;
  if (sys->nvelocity == 0) return true;
  double *size = s->work->x; // of the rows
  memset(size, 0, (size_t)sys->nc * sizeof *size);
  for (int j = 0; j < sys->nv; j++)
    for (int k = A->p->column[j]; k < A->p->column[j + 1]; k++)
      if (A->p->row[k] >= sys->nv) size[A->p->row[k] - sys->nv] += fabs(A->values[k]);
  for (int i = 0; i < sys->nc; i++)
    if (sys->of_velocity[i] && !sys->follows[i] && !(fabs(r[i]) * s->c.cv <= size[i] * noise))
      return false;
  return true;
}

bool tr_rows_closed(const tr_step *s, double length, double tol, const double *r) {
  static const double MANY = 1024;
  const tr_mask *mask = s->kkt.mask;
  double most = fmax(MANY * DBL_EPSILON * length, tol * s->c.cq / s->c.cv) / s->c.cq;
  for (int i = 0, out = 0; i < s->sys->nc; i++) {
    while (mask && out < mask->count && mask->row[out] < s->sys->nv + i) out++;
    bool left = mask && out < mask->count && mask->row[out] == s->sys->nv + i;
    if (!left && !s->sys->of_velocity[i] && !(fabs(r[i]) <= most)) return false;
  }
  return true;
}

static const double LIGHT = 0.03; // a contraction that does not count

bool tr_step_matrix_fits(tr_step *s) {
  const tr_corrector *c = &s->c;
  bool last = c->brisk && c->cq == s->last_cq;
  s->last_cq = c->cq;
  if (c->cq == s->matrix_cq && c->cv == s->matrix_cv && c->cm == s->matrix_cm) return true;
  // few corrections: while 0.6 < cj/cj_old < 1/0.6 [YP98]
  double ratio = c->cq / s->matrix_cq, near = c->few ? 0.36 : 0.4;
  bool light = c->brisk && !s->stiff && fmax(1, ratio) * s->far <= LIGHT; // next to M in any case
  if (!(s->allowed > 0) || (!light && !(ratio > near && ratio < 1 / near))) return false;
  if (!last) s->newton.known = false; // the rate is another one
  return true;
}

tr_status tr_step_begin(tr_step *s, const tr_state *x) {
  s->last_h = 0, s->known_t = NAN;
  s->newton.valid = s->newton.known = false;
  // what was learnt of other matrices may not hold beyond a discontinuity
  s->newton.first_rate = s->newton.reuse_rate = s->newton.growth = s->newton.slow_rate = 0;
  s->newton.believed = -1, s->newton.grain = s->newton.left = 0;
  s->half_rate = 0, s->joined = s->joins = 0;
  tr_si2_learn_anew(s);
  if (s->method->stabilised && !s->sums) tr_predict_forget_w(s, 0);
  s->size = find_size(s, x);
  s->remote = tr_far_away(s->sys, x->q);
  tr_predict_begin(s, x);
  tr_estimate_begin(s, x);
  return s->method->begin ? s->method->begin(s, x) : TR_OK;
}

void tr_step_change_rows(tr_step *s, const tr_state *x) {
  s->newton.valid = s->newton.known = false;
  if (s->method->stabilised && !s->sums) tr_predict_forget_w(s, s->sys->nv);
  tr_predict_begin(s, x);
  if (s->method->rows) s->method->rows(s, x);
}

double tr_step_rcond(const tr_step *s) {
  double a = s->kkt.rcond, b = s->projection.rcond;
  return a > 0 && b > 0 ? min2(a, b) : max2(a, b);
}

void tr_step_calm(const tr_step *s, const tr_state *x0, double t1, tr_state *x1) {
  for (int i = 0; s->aim && i < s->sys->nv; i++) x1->a[i] = (s->aim[i] - s->c.dhat[i]) / s->c.cq;
  if (!s->calm) return;
  double h = t1 - x0->t;
  for (int i = 0; i < s->sys->nv; i++) x1->a[i] = (h * x0->v[i] - s->c.dhat[i]) / s->c.cq;
  memset(x1->lam, 0, (size_t)s->sys->nc * sizeof *x1->lam);
}

void tr_step_accept(tr_step *s, const tr_state *x0, const tr_state *x1) {
  if (!tr_step_guesses(s))
    tr_predict_remember(s, x0, x1);
  else if (s->past <= s->terms)
    s->past++;
  if (s->method->accept) s->method->accept(s, x0, x1);
  if (s->method->stabilised && !s->sums) tr_predict_remember_w(s);
  if (s->allowed > 0) tr_estimate_accept(s, x0, x1);
  s->known = s->led, s->known_t = s->led.q >= 0 ? x1->t : NAN, s->led.q = -1;
  s->last_h = x1->t - x0->t;
}
