// SPDX-License-Identifier: Apache-2.0
// Redundant for good, or singular only here? A position from which the mechanism has moved on a little, along
// any mixture of its free motions and back onto the constraints, has the rank that is usual nearby. In a
// singular position most mixtures lead off the constraints, but only to second order: the
// projection then ends on one of the branches. With many loops it may find none of them, hence what is known without it:
//
// A row that repeats others, w_k' G = 0 with w_k = (1, -weights), opens along a free motion u by Phi = w_k' gamma(u)/2 to
// second order.
// (1) Where some of these forms are not 0 the rows are not redundant for good.
// (2) Where a sum of them, c_k w_k' gamma(u), is positive for all u the position is locked: nothing can move [CW96].
// (3) Where all are 0 for the velocities, these lead along a branch.
#include "nearby.h"

#include <math.h>
#include <string.h>

#include "math/vector.h"

static const double NUDGE = 0.02; // rad, and of the bodies' size
static const double STAYS = 0.1;  // less than this of it: it has come back
enum { TRIES = 2 };
// Among so many rows loops may be in so many others' way, seen from multiplications per row, that to put a position on
// them takes longer than many a run: a chain of loops has 2, a lattice of 34,000 rows 60.
enum { MANY = 3000, TANGLED = 10 };

// What is left of a form, of its terms, and of the squares of the velocities, where it is not 0.
static const double TURNS = 1e-3, NO_TURN = 1e-9;
static const double DEFINITE = 1e-6; // what must be left of a pivot
enum { FEW = 24 };                   // motions that all forms are looked at for
enum { PATIENCE = 20 }; // iterations of a projection: where it is slower it finds nothing

static double draw(unsigned long long *s) {
  *s = *s * 6364136223846793005u + 1442695040888963407u;
  return (double)(*s >> 11) / 4503599627370496.0 - 1;
}

double tr_body_size(const tr_system *s) {
  double most = 0;
  for (int i = s->ground_sites; i < s->nsite; i++) {
    const double *c = s->site[i].c;
    most = fmax(most, sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]));
  }
  return most > 0 ? most : 1;
}

static bool is_way(const sys_body *b, int k) { return k < (b->type->dim == 2 ? 2 : 3); }

// A motion as a small increment.
static void shorten(const tr_system *s, double *out) {
  double size = tr_body_size(s), most = 0;
  for (int i = 0; i < s->nbody; i++)
    for (int k = 0; k < s->body[i].nv; k++)
      most = fmax(most, fabs(out[s->body[i].v + k]) / (is_way(&s->body[i], k) ? size : 1));
  for (int i = 0; i < s->nv; i++) out[i] *= most > 0 ? NUDGE / most : 0;
}

// Free motions with random weights, as a small increment.
static void some_motion(const tr_system *s, const tr_echelon *e, unsigned long long *seed,
                        double *out) {
  for (int j = 0; j < s->nv; j++) out[j] = tr_echelon_is_free(e, j) ? draw(seed) : 0;
  tr_echelon_solve(e, out);
  shorten(s, out);
}

// ---- second order ---------------------------------------------------------------------------------

typedef struct bending {
  tr_projector *p;
  const tr_state *x;
  const tr_redundancy *red;
  int free, *column; // motions, and which velocity is 1 in each
  double *u;         // (nv) a motion
  double *gamma;     // (2 nc)
  double *form;      // (count) w_k' gamma(u)
  double *size;      // (count) of the terms of these
} bending;

// (G u)_q u alone, whatever moves by itself, into gamma.
static void bend(const bending *b) {
  const tr_system *s = b->p->sys;
  double *term = b->gamma + s->nc;
  static const double sign[] = {1, -1, 0}, weight[] = {0.5, 0.5, -1};
  memset(b->gamma, 0, (size_t)s->nc * sizeof *b->gamma);
  for (int k = 0; k < 3; k++) {
    double *v = b->p->r;
    for (int i = 0; i < s->nv; i++) v[i] = sign[k] * b->u[i];
    tr_kinematics(b->p->work, b->x->t, b->x->q, v, b->x->mem, TR_AT_BIAS);
    tr_gamma(b->p->work, term);
    for (int i = 0; i < s->nc; i++) b->gamma[i] += weight[k] * term[i];
  }
}

// The forms along u; whether some are not 0.
static bool opens(const bending *b) {
  double speed = vec_largest(b->u, b->p->sys->nv);
  bool any = false;
  bend(b);
  for (int k = 0; k < b->red->count; k++) {
    const tr_sources *from = &b->red->source[k];
    double left = b->gamma[b->red->row[k]], size = fabs(left);
    for (int i = 0; i < from->n; i++) {
      left -= from->weight[i] * b->gamma[from->row[i]];
      size += fabs(from->weight[i] * b->gamma[from->row[i]]);
    }
    b->form[k] = left, b->size[k] = size;
    any |= fabs(left) > TURNS * size && fabs(left) > NO_TURN * speed * speed;
  }
  return any;
}

// The i-th motion into u, or more of it.
static void add_motion(const bending *b, const tr_echelon *e, int i, double weight) {
  b->u[b->column[i]] += weight;
  tr_echelon_solve(e, b->u);
}

// sum c_k w_k' gamma along the motion i + sign j.
static double sum_forms(const bending *b, const tr_echelon *e, const double *c, int i, int j,
                        double sign) {
  double sum = 0;
  memset(b->u, 0, (size_t)b->p->sys->nv * sizeof *b->u);
  b->u[b->column[i]] = 1;
  add_motion(b, e, j, sign);
  opens(b);
  for (int k = 0; k < b->red->count; k++) sum += c[k] * b->form[k];
  return sum;
}

// c: each form by its trace, so that those of one sign add up.
static void weigh_forms(const bending *b, const tr_echelon *e, double *c) {
  int count = b->red->count;
  double all = 0;
  memset(c, 0, (size_t)count * sizeof *c);
  for (int i = 0; i < b->free; i++) {
    memset(b->u, 0, (size_t)b->p->sys->nv * sizeof *b->u);
    add_motion(b, e, i, 1);
    opens(b);
    for (int k = 0; k < count; k++) c[k] += b->form[k], all = fmax(all, b->size[k]);
  }
  for (int k = 0; k < count; k++) c[k] = fabs(c[k]) > TURNS * all ? 1 / c[k] : 0;
}

// Cholesky: S (n x n) is positive, and not by round-off.
static bool positive(int n, double *S) {
  for (int j = 0; j < n; j++) {
    double least = DEFINITE * S[j * n + j];
    for (int k = 0; k < j; k++) S[j * n + j] -= S[j * n + k] * S[j * n + k];
    if (!(S[j * n + j] > fmax(least, 0))) return false;
    S[j * n + j] = sqrt(S[j * n + j]);
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++) S[i * n + j] -= S[i * n + k] * S[j * n + k];
      S[i * n + j] /= S[j * n + j];
    }
  }
  return true;
}

static tr_status find_lock(const bending *b, const tr_echelon *e, tr_arena *ar, bool *locked) {
  int n = b->free;
  double *S = TR_NEW(ar, (size_t)n * (size_t)n, double), *c = TR_NEW(ar, b->red->count, double);
  if (!S || !c) return TR_NO_MEMORY;
  weigh_forms(b, e, c);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      S[i * n + j] = i == j ? sum_forms(b, e, c, i, i, 0)
                            : (sum_forms(b, e, c, i, j, 1) - sum_forms(b, e, c, i, j, -1)) / 4;
  *locked = positive(n, S);
  return TR_OK;
}

// What is known to second order: out->turns, out->locked; whether the velocities lead along a branch.
static tr_status look_at_bending(tr_projector *p, const tr_state *x, const tr_echelon *e,
                                 const tr_redundancy *red, tr_nearby *out, bool *along) {
  const tr_system *s = p->sys;
  tr_arena own = tr_arena_make(s->al);
  unsigned long long seed = 7;
  int few = s->nv - tr_echelon_rank(e) <= FEW ? s->nv - tr_echelon_rank(e) : 0;
  bending b = {.p = p, .x = x, .red = red};
  b.column = TR_NEW(&own, s->nv, int);
  b.u = TR_NEW(&own, s->nv, double);
  b.gamma = TR_NEW(&own, 2 * s->nc, double);
  b.form = TR_NEW(&own, 2 * red->count, double);
  tr_status status = b.column && b.u && b.gamma && b.form ? TR_OK : TR_NO_MEMORY;
  b.size = b.form ? b.form + red->count : NULL;
  *along = false;
  if (status == TR_OK) {
    for (int k = 0; k < TRIES && !out->turns; k++) {
      some_motion(s, e, &seed, b.u);
      out->turns = opens(&b);
    }
    for (int j = 0; few > 0 && j < s->nv; j++)
      if (tr_echelon_is_free(e, j)) b.column[b.free++] = j;
    if (out->turns && few > 0) status = find_lock(&b, e, &own, &out->locked);
    memcpy(b.u, x->v, (size_t)s->nv * sizeof *x->v);
    *along = out->turns && vec_largest(x->v, s->nv) > 0 && !opens(&b);
  }
  tr_arena_free(&own);
  return status;
}

// ---- a look ---------------------------------------------------------------------------------------

// beside, moved by beside->a, back onto the constraints; velocities have no part in it.
static tr_status come_back(tr_projector *p, const tr_state *x, tr_state *beside) {
  const tr_mask *mask = p->kkt->mask;
  int patience = p->patience;
  tr_retract(p->sys, x->q, beside->a, beside->q);
  bool free = tr_held_velocity_rows(p->sys, x->mem) == 0;
  for (int i = 0; free && i < p->sys->nv; i++) beside->v[i] = 0;
  p->kkt->mask = NULL, p->patience = PATIENCE;
  tr_status status = tr_project(p, beside, NULL, NULL);
  p->kkt->mask = mask, p->patience = patience;
  return status;
}

// The motion is kept in beside->a.
tr_status tr_look_nearby(tr_projector *p, const tr_state *x, const tr_echelon *e,
                         const tr_redundancy *red, tr_state *beside, tr_nearby *out) {
  unsigned long long seed = 3;
  double least = STAYS * NUDGE * fmin(1, tr_body_size(p->sys));
  int back = 0, there = 0;
  bool along = false;
  *out = (tr_nearby){.rank = tr_echelon_rank(e)};
  if (tr_held_velocity_rows(p->sys, x->mem) == 0)
    TR_TRY(look_at_bending(p, x, e, red, out, &along));
  out->looked = out->locked;
  for (int k = along ? -1 : 0; k < TRIES && !out->locked; k++) {
    tr_redundancy r;
    tr_state_copy(beside, x);
    if (k < 0)
      memcpy(beside->a, x->v, (size_t)p->sys->nv * sizeof *x->v), shorten(p->sys, beside->a);
    else
      some_motion(p->sys, e, &seed, beside->a);
    tr_status status = come_back(p, x, beside);
    if (status == TR_NO_MEMORY || (status != TR_OK && out->turns)) // enough is known
      return status == TR_NO_MEMORY ? status : TR_OK;
    if (status != TR_OK) continue;
    tr_kinematics(p->work, beside->t, beside->q, beside->v, beside->mem, TR_AT_VELOCITY);
    TR_TRY(tr_find_redundant_rows(p->work, p->arena, 0, NULL, &r));
    if (r.known && r.rank > out->rank) out->rank = r.rank;
    double moved = 0;
    for (int i = 0; i < p->sys->nq; i++) moved = fmax(moved, fabs(beside->q[i] - x->q[i]));
    back += moved < least, there++;
    if (k < 0 && out->rank > tr_echelon_rank(e)) break;
  }
  if (there > 0) out->looked = true, out->locked = back == there;
  return TR_OK;
}

tr_status tr_look_beside(tr_projector *p, const tr_state *x, tr_nearby *out) {
  const tr_system *s = p->sys;
  tr_arena own = tr_arena_make(s->al);
  tr_echelon *e = NULL;
  tr_state beside = {0};
  double *length = TR_NEW(&own, s->nc, double);
  bool *depends = TR_NEW(&own, s->nc, bool);
  tr_status status = length && depends ? tr_state_new(s, &beside, NULL) : TR_NO_MEMORY;
  tr_kinematics(p->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  if (status == TR_OK) status = tr_eliminate_constraints(p->work, 0, &e, length, depends);
  bool looks = status == TR_OK && !(s->nc > MANY && tr_echelon_work(e) > TANGLED * s->nc);
  bool along;
  *out = (tr_nearby){.rank = out->rank, .many = true};
  if (looks)
    status = tr_look_nearby(p, x, e, &p->redundancy, &beside, out);
  else if (status == TR_OK && tr_held_velocity_rows(s, x->mem) == 0)
    status = look_at_bending(p, x, e, &p->redundancy, out, &along);
  tr_echelon_free(e);
  if (beside.block) tr_state_free(s, &beside);
  tr_arena_free(&own);
  return status == TR_FAILED ? TR_OK : status;
}
