// SPDX-License-Identifier: Apache-2.0
// The constraint doctor: what repeats, what is free, whether the position is special.
//
// Nearly singular: with T = D G E^-1 G' D, E a metric of ways and turns, D so that the diagonal is 1, the smallest
// eigenvalue is about the squared sine of the angle between a constraint and the rest. Inverse
// iteration with the factored matrix: [E G'; G 0] (x, y) = (0, c) gives y = -(G E^-1 G')^-1 c, and x the
// motion that opens the constraints least for its size. Long chains have small eigenvalues by nature, but then many of them: a
// position counts as nearly singular when one stands apart.
#include <math.h>
#include <string.h>

#include "math/vector.h"
#include "motion_text.h"
#include "step/nearby.h"
#include "step/start.h"

enum { ITERATIONS = 12, MOST_MOTIONS = 6, MOST_JOINTS = 12 };
static const double APART =
    1e-4; // an eigenvalue smaller than this, and than a hundredth of the next

typedef struct doctor {
  const tr_system *sys;
  tr_own_projector own;
  tr_state x, y; // under examination; beside it
  tr_arena arena;
  tr_echelon *echelon;
  double *length, *scale, *z, *first; // (nc)
  double *motion;                     // (nv + nc)
  bool *depends;                      // (nc)
  tr_text redundant, reactions, motions;
} doctor;

// Deterministic numbers in (-1, 1).
static double draw(unsigned long long *s) {
  *s = *s * 6364136223846793005u + 1442695040888963407u;
  return (double)(*s >> 11) / 4503599627370496.0 - 1;
}

// ---- reactions --------------------------------------------------------------------------------------

// What the reactions of a joint read as, if they may be anything but zero; else none.
static int reaction_channels(const doctor *d, const sys_owner *owner, int *channels) {
  if (owner->kind != OWN_JOINT) return 0;
  const sys_joint *j = &d->sys->joint[owner->index];
  if (!(vec_largest(d->y.lam + j->row, j->ops->rows) > 1e-8)) return 0;
  for (int k = 0; k < j->e.nd; k++) channels[k] = owner->first + k;
  return j->e.nd;
}

// Those of all joints, one after the other.
static tr_status read_reactions(doctor *d, int *channels, double *value) {
  const tr_system *s = d->sys;
  tr_reader *reader;
  int n = 0;
  for (int o = 0; o < s->nowner; o++) n += reaction_channels(d, &s->owner[o], channels + n);
  TR_TRY(tr_reader_new(s, n, channels, &reader, NULL));
  tr_status status = tr_reader_read(reader, &d->y, value);
  tr_reader_free(reader);
  return status;
}

// A random part of the null space of G', read as reactions: what is not zero is not unique.
static tr_status tell_reactions(doctor *d) {
  const tr_system *s = d->sys;
  unsigned long long seed = 11;
  double *lam = d->y.lam, *least = d->z;
  for (int i = 0; i < s->nc; i++) lam[i] = draw(&seed);
  memcpy(least, lam, (size_t)s->nc * sizeof *least);
  TR_TRY(tr_spread_multipliers(&d->own.p, &d->x, least));
  for (int i = 0; i < s->nc; i++) lam[i] -= least[i];
  int named = 0, *channels = TR_NEW(&d->arena, 6 * (size_t)s->njoint, int);
  double *value = TR_NEW(&d->arena, 6 * (size_t)s->njoint, double);
  if (!channels || !value) return TR_NO_MEMORY;
  TR_TRY(read_reactions(d, channels, value));
  for (int o = 0; o < s->nowner; o++) {
    int n = reaction_channels(d, &s->owner[o], channels), parts = 0;
    for (int k = 0; k < n; k++) {
      char name[256];
      if (!(fabs(value[k]) > 1e-8)) continue;
      tr_channel_name(s, channels[k], name, sizeof name);
      if (parts == 0 && named++ >= MOST_JOINTS) break;
      if (parts++ == 0)
        tr_text_add(&d->reactions, "%s%s (", named > 1 ? ", " : "",
                    s->joint[s->owner[o].index].e.name);
      tr_text_add(&d->reactions, "%s%s", parts > 1 ? ", " : "", strrchr(name, '.') + 1);
    }
    if (parts > 0) tr_text_add(&d->reactions, ")");
    channels += n, value += n;
  }
  if (named > MOST_JOINTS)
    tr_text_add(&d->reactions, " and of %d more joints", named - MOST_JOINTS);
  if (named > 0) tr_text_add(&d->reactions, "\n");
  return TR_OK;
}

// ---- closeness --------------------------------------------------------------------------------------

// The metric: 1 for ways, the bodies' size squared for turns, whatever their masses.
static void find_metric(doctor *d, double *metric) {
  const tr_system *s = d->sys;
  double size = tr_body_size(s);
  for (int i = 0; i < s->nv; i++) metric[i] = 1;
  for (int i = 0; i < s->nbody; i++) {
    const sys_body *b = &s->body[i];
    for (int k = b->type->dim == 2 ? 2 : 3; k < b->nv; k++) metric[b->v + k] = size * size;
  }
}

// [E G'; G 0] with the metric E, factored; and D.
static tr_status factor_metric(doctor *d) {
  const tr_system *s = d->sys;
  tr_work *w = d->own.p.work;
  const tr_pattern *t = &s->pattern;
  double *metric = d->motion, *values = d->own.kkt.values;
  tr_coefficients c = {.cm = 1};
  tr_tangent(w, d->x.t, d->x.q, d->x.v, d->x.mem, NULL, NULL, NULL, c, values);
  find_metric(d, metric);
  for (int j = 0; j < s->nv; j++)
    for (int k = t->column[j]; k < t->column[j + 1] && t->row[k] < s->nv; k++)
      values[k] = t->row[k] == j ? metric[j] : 0;
  for (int i = 0; i < s->nblock; i++) {
    sys_block block;
    const sys_block *b = tr_block(s, i, &block);
    const double *rows = tr_block_rows(w, i);
    for (int r = 0; r < b->rows; r++) {
      const double *G = rows + r * b->width;
      double sum = 0;
      for (int k = 0; k < b->count; k++)
        for (int j = 0; j < b->nv[k]; j++, G++) sum += *G * *G / metric[b->v[k] + j];
      d->scale[b->row + r] = sum > 0 && !s->of_number[b->row + r] ? 1 / sqrt(sum) : 0;
    }
  }
  if (s->nnumber > 0) tr_silence_rows(s, s->of_number, values);
  return tr_kkt_factor(&d->own.kkt);
}

static void orthogonalise(int n, const double *to, double *z) {
  double dot = 0;
  for (int i = 0; i < n; i++) dot += to[i] * z[i];
  for (int i = 0; i < n; i++) z[i] -= dot * to[i];
}

// Smallest eigenvalue of T, on what is orthogonal to `apart` if given; its vector in z, the motion in
// d->motion.
static tr_status smallest(doctor *d, const double *apart, double *z, double *eigenvalue) {
  const tr_system *s = d->sys;
  unsigned long long seed = 5;
  double *b = d->motion;
  for (int i = 0; i < s->nc; i++) z[i] = draw(&seed);
  *eigenvalue = 1;
  for (int k = 0; k <= ITERATIONS; k++) {
    for (int i = 0; i < s->nc; i++)
      if (d->depends[i] || d->scale[i] == 0) z[i] = 0;
    if (apart) orthogonalise(s->nc, apart, z);
    double norm = vec_norm(z, s->nc);
    if (!(norm > 0)) return TR_OK;
    for (int i = 0; i < s->nc; i++) z[i] /= norm;
    if (k > 0) *eigenvalue = 1 / norm;
    if (k == ITERATIONS) return TR_OK;
    memset(b, 0, (size_t)s->nv * sizeof *b);
    for (int i = 0; i < s->nc; i++) b[s->nv + i] = d->scale[i] > 0 ? z[i] / d->scale[i] : 0;
    TR_TRY(tr_kkt_solve(&d->own.kkt, 1, b));
    for (int i = 0; i < s->nc; i++) z[i] = d->scale[i] > 0 ? -b[s->nv + i] / d->scale[i] : 0;
  }
  return TR_OK;
}

static tr_status find_closeness(doctor *d, tr_examination *e) {
  double one, two;
  if (d->sys->nc == 0) return TR_OK;
  tr_status status = tr_diagnose(&d->own.p, &d->x);
  if (status == TR_OK) status = factor_metric(d);
  if (status != TR_OK) return status == TR_NO_MEMORY ? status : TR_OK;
  TR_TRY(smallest(d, NULL, d->first, &one));
  TR_TRY(smallest(d, d->first, d->z, &two));
  TR_TRY(smallest(d, NULL, d->first, &one)); // again, for the motion
  e->closeness = sqrt(fmin(one, 1));
  e->nearly = one < APART && one < 0.01 * two;
  return TR_OK;
}

// ---- all of it --------------------------------------------------------------------------------------

static tr_status tell_motions(doctor *d, const tr_examination *e, bool all) {
  const tr_system *s = d->sys;
  bool singular = e->rank_nearby > e->rank || e->locked || e->branches;
  if (!singular && !e->nearly && !all) return TR_OK;
  tr_teller *teller;
  tr_status status = tr_teller_new(s, &d->x, &teller);
  if (status == TR_OK && e->nearly && !singular)
    status = tr_tell_motion(teller, d->motion, &d->motions);
  int count = singular || all ? e->freedom : 0;
  for (int j = 0, k = 0; k < count && k < MOST_MOTIONS && status == TR_OK; j++) {
    if (!tr_echelon_is_free(d->echelon, j)) continue;
    memset(d->motion, 0, (size_t)s->nv * sizeof *d->motion);
    d->motion[j] = 1, k++;
    tr_echelon_solve(d->echelon, d->motion);
    status = tr_tell_motion(teller, d->motion, &d->motions);
  }
  if (count > MOST_MOTIONS) tr_text_add(&d->motions, "and %d more\n", count - MOST_MOTIONS);
  tr_teller_free(teller);
  return status;
}

static tr_status examine(doctor *d, bool all, tr_examination *e) {
  const tr_system *s = d->sys;
  tr_work *w = d->own.p.work;
  tr_redundancy r = {.known = true};
  bool independent = false;
  int held = s->nc - tr_idle_rows(s, d->x.mem, NULL);
  if (s->nc > TR_MANY_ROWS && !all) {
    tr_status status = tr_all_independent(&d->own.p, &d->x, &independent);
    if (status == TR_NO_MEMORY) return status;
  }
  tr_kinematics(w, d->x.t, d->x.q, d->x.v, d->x.mem, TR_AT_VELOCITY);
  if (!independent) {
    tr_status status = tr_eliminate_constraints(w, 0, &d->echelon, d->length, d->depends);
    if (status == TR_FAILED) return TR_OK; // too much work: nothing is known
    TR_TRY(status);
  }
  e->rank = e->rank_nearby = independent ? held : tr_echelon_rank(d->echelon);
  e->freedom = s->nv - e->rank;
  if (e->rank < held) TR_TRY(tr_find_redundancy(w, &d->arena, 0, NULL, &r));
  TR_TRY(tr_redundancy_text(s, &r, "repeat", &d->redundant));
  if (r.count > 0 && e->freedom > 0) {
    tr_nearby nearby;
    TR_TRY(tr_look_nearby(&d->own.p, &d->x, d->echelon, &r, &d->y, &nearby));
    e->rank_nearby = nearby.rank, e->locked = nearby.locked;
    e->branches = nearby.turns;
  }
  TR_TRY(find_closeness(d, e));
  TR_TRY(tell_motions(d, e, all));
  if (d->own.p.redundancy.count > 0) return tell_reactions(d);
  return TR_OK;
}

static bool prepare(doctor *d, const tr_state *x) {
  const tr_system *s = d->sys;
  d->length = TR_NEW(&d->arena, s->nc, double);
  d->scale = TR_NEW(&d->arena, s->nc, double);
  d->z = TR_NEW(&d->arena, s->nc, double);
  d->first = TR_NEW(&d->arena, s->nc, double);
  d->motion = TR_NEW(&d->arena, s->nv + s->nc, double);
  d->depends = TR_NEW(&d->arena, s->nc, bool);
  if (!d->length || !d->scale || !d->z || !d->first || !d->motion || !d->depends) return false;
  if (tr_state_new(s, &d->x, NULL) != TR_OK || tr_state_new(s, &d->y, NULL) != TR_OK) return false;
  tr_state_copy(&d->x, x), tr_state_copy(&d->y, x);
  return true;
}

static const char *keep_text(tr_arena *ar, const tr_text *text) {
  return tr_arena_text(ar, text->data ? text->data : "", text->size);
}

// The examination is the first thing in its arena.
typedef struct record {
  tr_examination e;
  tr_arena arena;
} record;

tr_status tr_examine(const tr_system *s, const tr_state *x, bool all, tr_examination **out,
                     tr_error *error) {
  doctor d = {.sys = s, .arena = tr_arena_make(s->al)};
  d.redundant.al = d.reactions.al = d.motions.al = s->al;
  tr_arena ar = tr_arena_make(s->al);
  record *k = TR_NEW(&ar, 1, record);
  *out = NULL;
  tr_status status = k ? tr_projector_open(s, &d.own) : TR_NO_MEMORY;
  if (status != TR_OK) goto done;
  int held = s->nc - tr_idle_rows(s, x->mem, NULL);
  k->e = (tr_examination){.coordinates = s->nv, .constraints = held, .gruebler = s->nv - held};
  k->e.rank = k->e.rank_nearby = k->e.freedom = -1, k->e.closeness = 1;
  status = prepare(&d, x) ? examine(&d, all, &k->e) : TR_NO_MEMORY;
  // states and variables have an equation each, and no part in the mechanism
  k->e.coordinates -= s->nnumber, k->e.constraints -= s->nnumber;
  if (k->e.rank >= 0) k->e.rank -= s->nnumber, k->e.rank_nearby -= s->nnumber;
  tr_projector_close(&d.own);
  k->e.redundant = keep_text(&ar, &d.redundant);
  k->e.reactions = keep_text(&ar, &d.reactions);
  k->e.motions = keep_text(&ar, &d.motions);
  if (!k->e.redundant || !k->e.reactions || !k->e.motions) status = TR_NO_MEMORY;
done:
  if (d.x.block) tr_state_free(s, &d.x);
  if (d.y.block) tr_state_free(s, &d.y);
  tr_echelon_free(d.echelon);
  tr_text_free(&d.redundant), tr_text_free(&d.reactions), tr_text_free(&d.motions);
  tr_arena_free(&d.arena);
  if (status == TR_OK) {
    k->arena = ar;
    *out = &k->e;
    return TR_OK;
  }
  tr_arena_free(&ar);
  if (status == TR_NO_MEMORY) return tr_no_memory(error);
  return tr_fail(error, status, NULL, "the constraints cannot be examined: %s",
                 tr_status_text(status));
}

void tr_examination_free(tr_examination *e) {
  if (!e) return;
  tr_arena arena = ((record *)(void *)e)->arena;
  tr_arena_free(&arena);
}
