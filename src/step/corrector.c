// SPDX-License-Identifier: Apache-2.0
// The shared implicit corrector of the index-3 family [NJK09, GNP05].
//
// Newton matrix: [ cm M + cq (cm M a + G' lam - Q)_q - cv Q_v , G' ; G T , 0 ] in (a1, lam1). The tangent
// of the retraction, T(d) = 1 + O(h), goes with G; with the O(h^2) stiffness it is left out.
// The scaling 1/cq of the constraints keeps the matrix well conditioned for h -> 0 and puts a floor of
// about eps |q|/cq under the corrections of a. Rows of velocities are scaled by 1/cv.
#include <float.h>
#include <math.h>
#include <string.h>

#include "full.h"
#include "math/lanes.h"
#include "places.h"
#include "tops.h"

// Pivot ratio of a matrix far from singular positions; with more than LONG unknowns the last pivots get small by
// mere length.
static const double REGULAR = 1e-4, LONG = 1000;

// Sizes of the entries are asked for where round-off is suspected, and each time that takes an assembly of its own unless
// the values of the matrix are kept. So many beyond LOOKS_PER_MATRIX, and they are, in spite of the memory.
static const double LOOKS = 8, LOOKS_MAX = 12, LOOKS_PER_MATRIX = 0.5;

typedef struct correction {
  tr_newton_problem p;
  tr_step *s;
  const tr_state *x0;
  tr_state *x1;
  double t1, length_scale;
  const double *dx; // what loops over long vectors are about: a correction or NULL, rows
  double *rows, *r;
  tops *top;      // (hands)
  bool begins;    // the first residual is still to come, x1 to be placed, predicted perhaps;
  bool evaluated; // or it is in newton.r
  bool waits;     // a residual that a matrix follows may be left to it:
  tr_walking due; // what leads to it, or none
} correction;

bool tr_step_regular(const tr_step *s) {
  return s->kkt.rcond > REGULAR * fmin(1, LONG / s->sys->pattern.n);
}

bool tr_step_looks(tr_step *s) {
  bool often = s->looks >= LOOKS;
  s->looks = fmax(0, s->looks - LOOKS_PER_MATRIX);
  return often;
}

const tr_kkt *tr_step_look(tr_step *s) {
  s->looks = fmin(LOOKS_MAX, s->looks + 1);
  return s->kkt.held ? &s->kkt : NULL;
}

TR_INLINE void write_part(void *what, int part, int first, int end) {
  const tr_corrector *c = what;
  (void)part;
  for (int i = first; i < end; i++) {
    c->dhat[i] = c->d_v * c->v[i] + c->d_a * c->a[i];
    if (c->d) c->dhat[i] += c->d_d * c->d[i];
    c->vhat[i] = c->v[i] + c->v_a * c->a[i];
  }
}

void tr_corrector_write(tr_step *s) {
  if (s->c.v) TR_SHARE(s->work, s->sys->nv, write_part, &s->c);
  s->c.v = s->c.d = NULL;
}

// d, v1 from a1, or from a1 - dx, which it then becomes; numbers first .. end - 1
TR_INLINE void place_all(const tr_corrector *c, int first, int end, const double *restrict dx,
                         double *restrict a, double *restrict d, double *restrict v) {
  const double *v0 = c->v, *a0 = c->a, *dhat = c->dhat, *vhat = c->vhat;
  double cq = c->cq, cv = c->cv, d_v = c->d_v, d_a = c->d_a, v_a = c->v_a;
  for (int i = first; dx && i < end; i++) a[i] -= dx[i];
  if (c->d) {
    const double *d0 = c->d;
    double d_d = c->d_d;
    for (int i = first; i < end; i++) {
      d[i] = ((d_v * v0[i] + d_a * a0[i]) + d_d * d0[i]) + cq * a[i];
      v[i] = (v0[i] + v_a * a0[i]) + cv * a[i];
    }
  } else if (v0)
    for (int i = first; i < end; i++) {
      d[i] = (d_v * v0[i] + d_a * a0[i]) + cq * a[i];
      v[i] = (v0[i] + v_a * a0[i]) + cv * a[i];
    }
  else
    for (int i = first; i < end; i++) d[i] = dhat[i] + cq * a[i], v[i] = vhat[i] + cv * a[i];
}
TR_WIDE(place_wide, place_all,
        (const tr_corrector *c, int first, int end, const double *dx, double *a, double *d,
         double *v),
        (c, first, end, dx, a, d, v))

// The same of so few that it is not worth a call.
static inline void place_few(const tr_corrector *c, int first, int end, const double *dx, double *a,
                             double *d, double *v) {
  double cq = c->cq, cv = c->cv, d_v = c->d_v, d_a = c->d_a, v_a = c->v_a;
  const double *last_v = c->v, *last_a = c->a;
  int i = first;
  for (; last_v && !c->d && i + 1 < end; i += 2) {
    lanes_pair a1 = *(lanes_pair *)(a + i), v0 = *(const lanes_pair *)(last_v + i),
               a0 = *(const lanes_pair *)(last_a + i);
    if (dx) *(lanes_pair *)(a + i) = a1 -= *(const lanes_pair *)(dx + i);
    *(lanes_pair *)(d + i) = (d_v * v0 + d_a * a0) + cq * a1;
    *(lanes_pair *)(v + i) = (v0 + v_a * a0) + cv * a1;
  }
  if (i < end) place_all(c, i, end, dx, a, d, v);
}

static inline void place_numbers(const correction *k, const double *dx, int first, int end) {
  enum { FEW = 16 };
  tr_step *s = k->s;
  if (end - first <= FEW)
    place_few(&s->c, first, end, dx, k->x1->a, s->d, k->x1->v);
  else
    place_wide(&s->c, first, end, dx, k->x1->a, s->d, k->x1->v);
}

TR_INLINE void place_part(void *what, int part, int first, int end) {
  const correction *k = what;
  (void)part;
  place_numbers(k, k->dx, first, end);
}

TR_INLINE void update_lam(void *what, int part, int first, int end) {
  const correction *k = what;
  const double *dx = k->dx + k->s->sys->nv;
  double *lam = k->x1->lam;
  (void)part;
  for (int i = first; i < end; i++) lam[i] -= dx[i];
}

TR_INLINE void scale_rows(void *what, int part, int first, int end) {
  const correction *k = what;
  double icq = 1 / k->s->c.cq, *rows = k->rows;
  (void)part;
  for (int i = first; i < end; i++) rows[i] *= icq;
}

// ---- large systems, stretch by stretch -------------------------------------------------------------

static bool walks(const tr_step *s) { return s->sys->nstretch > 0 && s->c.blocks; }

static void move_bodies(void *what, int hand, const sys_range *of) {
  const correction *k = what;
  (void)hand;
  tr_move_some(k->s->work, of, k->s->sys->force_level);
}

// From the last state: predicted, placed, moved.
static void begin_bodies(void *what, int hand, const sys_range *of) {
  const correction *k = what;
  const tr_step *s = k->s;
  sys_range v = tr_velocities_of(s->sys, of);
  if (s->ahead) tr_predict_some(&s->ahead_a, v.first, v.end);
  place_numbers(k, NULL, v.first, v.end);
  tr_retract_some(s->sys, of, k->x0->q, s->d, k->x1->q);
  move_bodies(what, hand, of);
}

static void raise_all(const tr_step *s, const tr_state *x, const sys_range *of, tops *top) {
  sys_range v = tr_velocities_of(s->sys, of);
  raise(&top->a, x->a, v), raise(&top->v, x->v, v);
  raise(&top->q, x->q, tr_coordinates_of(s->sys, of));
  if (s->floored) top->fastest = max2(top->fastest, tr_fastest_turn(s->sys, of, x->v));
}

// The same from one of which nothing is known.
static void meet_bodies(void *what, int hand, const sys_range *of) {
  const correction *k = what;
  begin_bodies(what, hand, of);
  raise_all(k->s, k->x0, of, &k->top[hand]);
}

static void load_joints(void *what, int hand, const sys_range *of) {
  const correction *k = what;
  sys_range rows = tr_rows_of(k->s->sys, of);
  (void)hand;
  tr_load_some(k->s->work, of, k->x1->lam, k->rows);
  scale_rows(what, 0, rows.first, rows.end);
}

static void begin_joints(void *what, int hand, const sys_range *of) {
  const correction *k = what;
  sys_range rows = tr_rows_of(k->s->sys, of);
  if (k->s->ahead) tr_predict_some(&k->s->ahead_lam, rows.first, rows.end);
  load_joints(what, hand, of);
}

static void balance_bodies(void *what, int hand, const sys_range *of) {
  const correction *k = what;
  const tr_corrector *c = &k->s->c;
  tr_gather_some(tr_hand(k->s->work, hand), of, k->r);
  tr_mass_add_some(k->s->sys, of, c->blocks, c->cm, k->x1->a, c->history, k->r);
}

static void shift_bodies(void *what, int hand, const sys_range *of) {
  const correction *k = what;
  sys_range v = tr_velocities_of(k->s->sys, of);
  tops *top = &k->top[hand];
  place_numbers(k, k->dx, v.first, v.end);
  raise(&top->d, k->s->d, v), raise(&top->dx, k->dx, v);
  tr_retract_some(k->s->sys, of, k->x0->q, k->s->d, k->x1->q);
  if (k->s->allowed > 0)
    raise(&top->v, k->x1->v, v);
  else
    raise_all(k->s, k->x1, of, top);
}

static void shift_joints(void *what, int hand, const sys_range *of) {
  const correction *k = what;
  sys_range rows = tr_rows_of(k->s->sys, of);
  update_lam(what, hand, rows.first, rows.end);
}

static tops walk(correction *k, const tr_walk *along) {
  return tr_walk_to_tops(k->s->work, along, k, &k->top);
}

// How to the residual r: from the last state on or where the bodies are.
static const tr_walk *way_to_residual(correction *k, double *r) {
  static const tr_walk on = {move_bodies, load_joints, balance_bodies},
                       first = {begin_bodies, begin_joints, balance_bodies};
  const tr_step *s = k->s;
  const tr_state *x = k->x1;
  const tr_walk *way = k->begins ? &first : &on;
  k->r = r, k->rows = r + s->sys->nv, k->begins = false;
  tr_go_to(s->work, k->t1, x->q, x->v, x->mem, s->sys->force_level);
  return way;
}

static void have_walked(correction *k) { k->due.walk = NULL, k->s->ahead = false; }

static void walk_now(correction *k) {
  if (k->due.walk) walk(k, k->due.walk);
  have_walked(k);
}

// The largest of the correction.
static double walk_on(correction *k) {
  static const tr_walk update = {shift_bodies, shift_joints, NULL};
  tr_step *s = k->s;
  tops top = walk(k, &update);
  s->top_d = top.d;
  s->change = s->top_v >= 0 ? s->top_v + top.v : INFINITY;
  if (!(s->allowed > 0)) s->led = (tr_tops){top.q, top.v, top.a, s->floored ? top.fastest : -1, 0};
  return top.dx;
}

// ----------------------------------------------------------------------------------------------------

// q1, v1 from a1, or from a1 - dx
TR_INLINE void place(correction *k, const double *dx) {
  tr_work *w = k->s->work;
  k->dx = dx;
  TR_SHARE(w, k->s->sys->nv, place_part, k);
  tr_retract_shared(w, k->x0->q, k->s->d, k->x1->q);
}

// ---- what Newton asks for -------------------------------------------------------------------------

static tr_status residual(tr_newton_problem *p, double *r) {
  correction *k = (correction *)p;
  tr_step *s = k->s;
  const tr_corrector *c = &s->c;
  const tr_state *x = k->x1;
  int nv = s->sys->nv, nc = s->sys->nc;
  tr_work *w = s->work;
  if (walks(s)) {
    if (!k->evaluated) k->due = (tr_walking){way_to_residual(k, r), k};
    k->evaluated = false;
    if (!p->renews || !k->waits) walk_now(k);
  } else {
    tr_kinematics(w, k->t1, x->q, x->v, x->mem, s->sys->force_level);
    tr_forces(w, x->lam, r, r + nv);
    const double *blocks = c->blocks ? c->blocks : tr_mass_blocks(w, s->blocks);
    tr_mass_add(w, blocks, c->cm, x->a, c->history, r);
    k->rows = r + nv;
    TR_SHARE(w, nc, scale_rows, k);
  }
  p->side = w->acting;
  for (int i = 0; s->sys->nvelocity > 0 && i < nc; i++)
    if (s->sys->of_velocity[i]) r[nv + i] *= c->cq / c->cv;
  return TR_OK;
}

static tr_coefficients weights(const tr_corrector *c) {
  return (tr_coefficients){.cm = c->cm, .ck = c->cq, .cd = c->cv, .cr = c->cq / c->cv};
}

// The matrix at the point of the last residual: its values, or NULL, in blocks, and factored; false: that failed.
static bool evaluate(const correction *k, double *values) {
  tr_step *s = k->s;
  tr_work *w = s->work;
  tr_coefficients c = weights(&s->c);
  bool done = true;
  w->increment = s->sys->flat ? NULL : s->d;
  w->due = k->due.walk ? &k->due : NULL;
  if (values)
    tr_tangent_here(w, k->x1->a, k->x1->lam, s->c.blocks, c, values);
  else
    done = tr_tangent_factor(w, k->x1->a, k->x1->lam, s->c.blocks, c, &s->kkt, s->newton.r);
  w->increment = NULL, w->due = NULL;
  return done;
}

// Straight to where it is factored, unless solves with the last one had to be refined: they need the values, as they
// will again.
static tr_status matrix(tr_newton_problem *p) {
  correction *k = (correction *)p;
  tr_step *s = k->s;
  const tr_corrector *c = &s->c;
  bool values = s->sys->nvelocity > 0 || tr_kkt_wants_values(&s->kkt);
  if (tr_step_looks(s)) values = true;
  s->kkt.rough = true;
  bool blocks = !values && tr_kkt_blocks(&s->kkt);
  s->matrix_cq = c->cq, s->matrix_cv = c->cv, s->matrix_cm = c->cm;
  if (!blocks) walk_now(k);
  bool done = blocks && evaluate(k, NULL);
  have_walked(k);
  if (!done || tr_kkt_refines(&s->kkt)) {
    TR_TRY(tr_kkt_hold(&s->kkt));
    evaluate(k, s->kkt.values);
    s->kkt.held = true;
  }
  if (!done) TR_TRY(tr_kkt_factor(&s->kkt));
  p->regular = tr_step_regular(s);
  const double *mass = c->blocks ? c->blocks : s->sys->constant_mass ? s->sys->mass : s->blocks;
  p->strained = tr_step_strained(s, c->cq / c->cm, mass, s->newton.r); // blocks of the residual
  return TR_OK;
}

// On curved coordinates, with T everywhere. The second set of unknowns stays 0.
static tr_status matrix_full(tr_newton_problem *p) {
  const correction *k = (correction *)p;
  tr_step *s = k->s;
  tr_full *f = s->full;
  const tr_corrector *c = &s->c;
  const tr_state *x = k->x1;
  tr_coefficients with = {c->cm, c->cq, 0, c->cq / c->cv}, without = {c->cm, 0, 0, 0},
                  rest = {c->cm, 0, c->cv, 0};
  tr_full_clear(f, s->kkt.mask);
  tr_full_tangent(f, s->work, x, x->a, x->lam, c->blocks, with, without);
  tr_full_add_corner(f, 0, 0, 1, f->some);
  tr_full_add_rows(f, 0, 0, 1, f->some);
  tr_full_add_G(f, 0, 0, 1, s->work->G, TR_PHI);
  tr_full_turn(f, s->d);
  tr_tangent(s->work, k->t1, x->q, x->v, x->mem, x->a, x->lam, c->blocks, rest, f->some);
  tr_full_add_corner(f, 0, 0, 1, f->some);
  tr_full_add_rows(f, 0, 0, 1, f->some);
  tr_full_add_columns(f, 0, 0, 1, f->some, TR_ALL);
  for (int i = 0; i < f->one.n; i++) tr_full_add(f, 1, 1, i, i, 1);
  return tr_full_factor(f, 1);
}

static tr_status solve_full(tr_newton_problem *p, double *r) {
  tr_full *f = ((correction *)p)->s->full;
  memset(r + f->one.n, 0, (size_t)f->one.n * sizeof *r);
  return tr_full_solve(f, r);
}

static tr_status solve(tr_newton_problem *p, double *r) {
  return tr_kkt_solve(&((correction *)p)->s->kkt, 1, r);
}

static void update(tr_newton_problem *p, const double *dx) {
  correction *k = (correction *)p;
  k->dx = dx;
  if (walks(k->s)) {
    walk_on(k);
    return;
  }
  TR_SHARE(k->s->work, k->s->sys->nc, update_lam, k);
  place(k, dx);
}

// The correction of the velocities, cv da.
static double norm(const tr_newton_problem *p, const double *dx) {
  const tr_step *s = ((const correction *)p)->s;
  return s->c.cv * tr_largest(s->work, dx, s->sys->nv);
}

static double advance(tr_newton_problem *p, const double *dx) {
  correction *k = (correction *)p;
  k->dx = dx;
  return k->s->c.cv * walk_on(k);
}

// The sizes of its entries: those of the matrix in use, or here where its values are not at hand.
static const tr_kkt *look(const correction *k, const tr_sizes *out) {
  tr_step *s = k->s;
  const tr_kkt *held = tr_step_look(s);
  if (held) return held;
  tr_tangent_sizes(s->work, k->x1->a, k->x1->lam, s->c.blocks, weights(&s->c), out);
  return NULL;
}

// Constraints at round-off of the coordinates, forces at round-off of their terms.
static bool at_floor(const tr_newton_problem *p, const double *r) {
  const correction *k = (const correction *)p;
  tr_step *s = k->s;
  double positions = 64 * DBL_EPSILON * k->length_scale;
  double v = tr_largest(s->work, k->x0->v, s->sys->nv);
  double a = tr_largest(s->work, k->x0->a, s->sys->nv);
  double noise = 64 * DBL_EPSILON * fmax(v, s->c.cv * a) + positions * s->c.cv / s->c.cq;
  tr_sizes sizes = tr_step_sizes(s, k->x1->lam);
  return tr_rows_at_floor(s, &s->kkt, s->c.cq, positions, noise, r + s->sys->nv) &&
         tr_forces_at_floor(s, look(k, &sizes), k->x1->a, k->x1->lam, k->length_scale / s->c.cq, 64,
                            r);
}

static bool closed(const tr_newton_problem *p, const double *r) {
  const correction *k = (const correction *)p;
  return tr_rows_closed(k->s, k->length_scale, p->tol, r + k->s->sys->nv);
}

static tr_status noise(tr_newton_problem *p, double *b) {
  const correction *k = (correction *)p;
  tr_step *s = k->s;
  tr_sizes sizes = {s->sys->nv, k->x1->lam, b, tr_step_sizes(s, NULL).diagonal};
  if (p->of_rows)
    memset(b, 0, (size_t)s->sys->nv * sizeof *b);
  else
    tr_forces_noise(s, p->draw, look(k, &sizes), k->x1->a, k->x1->lam, b);
  tr_rows_noise(p->draw, s->sys->nc, DBL_EPSILON * k->length_scale / s->c.cq, b + s->sys->nv);
  for (int i = 0; i < s->sys->nc; i++)
    if (s->sys->of_velocity[i]) b[s->sys->nv + i] *= s->c.cq / s->c.cv;
  return p->solve(p, b);
}

// What is known of where the step begins: of steps of one length the last one has left it.
static tr_tops begin_here(correction *k) {
  static const tr_walk meet = {meet_bodies, begin_joints, balance_bodies};
  tr_step *s = k->s;
  k->begins = true;
  if (!(s->allowed > 0) && s->known_t == k->x0->t) return s->known;
  way_to_residual(k, s->newton.r);
  tops top = walk(k, &meet);
  have_walked(k), k->evaluated = true;
  return (tr_tops){top.q, top.v, top.a, s->floored ? top.fastest : -1, 0};
}

static const tr_newton_problem usual_problem = {.residual = residual,
                                                .matrix = matrix,
                                                .solve = solve,
                                                .update = update,
                                                .norm = norm,
                                                .at_floor = at_floor,
                                                .closed = closed,
                                                .noise = noise};

tr_status tr_correct(tr_step *s, const tr_state *x0, double t1, tr_state *x1) {
  const tr_corrector *c = &s->c;
  correction k; // number by number: clearing all of it takes longer than this
  k.p = usual_problem;
  k.s = s, k.x0 = x0, k.x1 = x1, k.t1 = t1;
  k.begins = k.evaluated = false, k.due.walk = NULL;
  if (s->sys->nmem > 0) memcpy(x1->mem, x0->mem, (size_t)s->sys->nmem * sizeof *x1->mem);
  x1->t = t1, s->filters = true;
  s->led.q = -1;
  bool known = walks(s) && !s->aim && !s->calm;
  tr_tops top = {.turn = -1};
  if (known)
    top = begin_here(&k), s->top_v = top.v, s->top_a = top.a;
  else
    top.q = tr_step_top_q(s, x0);
  if (s->ahead && !known) tr_predict_now(s);
  k.length_scale = max2(1, top.q);
  k.p.floor = 4 * DBL_EPSILON * k.length_scale * c->cv / c->cq;
  k.p.tol = max2(k.p.floor, tr_step_tolerance(s, x0));
  if (k.p.tol <= k.p.floor && top.turn < 0) top.turn = tr_fastest_turn(s->sys, NULL, x0->v);
  if (k.p.tol <= k.p.floor) k.p.way = (t1 - x0->t) * top.turn;
  if (known) s->floored = k.p.tol <= k.p.floor;
  // the estimate of step control suffers from what slow iterations leave
  k.p.matrix_cost = s->allowed > 0 ? 0 : s->sys->pattern.matrix_cost;
  k.p.renewal = s->allowed > 0 ? 0 : s->sys->pattern.tiny_cost;
  k.p.steady = tr_step_steady(s);
  k.p.lasts = s->method->undamped && s->method->undamped(s->par);
  k.p.most_noise = tr_step_most_noise(s, k.length_scale);
  k.p.far = s->remote;
  if (!tr_step_matrix_fits(s)) s->newton.valid = false;
  if (s->aim || s->calm) tr_corrector_write(s), tr_step_calm(s, x0, t1, x1);
  if (s->full && !s->sys->flat) k.p.matrix = matrix_full, k.p.solve = solve_full;
  k.waits = k.p.matrix == matrix && tr_walk_may_wait(s->work);
  if (walks(s)) k.p.advance = advance;
  if (!known) place(&k, NULL);
  return tr_newton_solve(&s->newton, &k.p);
}
