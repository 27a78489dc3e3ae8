// SPDX-License-Identifier: Apache-2.0
// NSTIFF: BDF2 on index 3, and NSTIFF-SI2: the same on stabilised index 2 [NJK09].
//
//   d1 = 1/3 d_n + 2h/3 (v1 + w),   v1 = v + 1/3 (v - v_) + 2h/3 a1,   q1 = q_n o exp(d1)
//   M(q1) a1 + G1' lam1 - Q1 = 0,   Phi(q1, t1) = 0
// NSTIFF has w = 0; its velocity drift has kappa = -1/3. NSTIFF-SI2 adds G1 v1 + Phi_t = 0 with
// M w = G1' mu, or w = G1' mu with metric=identity as printed: positions and velocities both hold to the
// tolerance of the iteration.
// d_n is the previous increment; on rotations the commutator terms are O(h^3), so order 2 holds. The
// first step has a past extrapolated with q''' (jerk.h). Printed is backward Euler, start=printed, which
// keeps order 2 in q and v; but lam is off by O(h), NSTIFF's by O(1), until the first steps are forgotten.
#include <string.h>

#include "bdf2.h"
#include "jerk.h"
#include "math/lanes.h"

typedef struct par {
  int start, metric;
} par;

enum { START_SMOOTH, START_PRINTED };
enum { METRIC_MASS, METRIC_IDENTITY };
enum { INCREMENT, VELOCITY, ROOMS }; // d_n and v - v_

static const char *const metrics[] = {"mass", "identity", NULL};
static const char *const starts[] = {"smooth", "printed", NULL};
#define START                                                               \
  {                                                                         \
    "start", TR_CHOICE, TR_NUMBER, offsetof(par, start), "smooth",          \
        .choices = starts,                                                  \
        .doc =                                                              \
            "with a state before the first; `printed`: by backward Euler, " \
            "and lam is off for some steps"                                 \
  }
static const tr_field fields_i3[] = {START, {0}};
static const tr_field fields[] = {
    START,
    {"metric", TR_CHOICE, TR_NUMBER, offsetof(par, metric), "mass", .choices = metrics,
     .doc = "of the position correction; `identity` is the printed form, which depends on units"},
    {0}};

static tr_status make_room(tr_step *s) {
  s->memory = tr_jerk_new(s);
  return s->memory ? TR_OK : TR_NO_MEMORY;
}

static tr_status begin(tr_step *s, const tr_state *x) {
  (void)x;
  size_t size = (size_t)s->sys->nv * sizeof(double);
  memset(s->room[INCREMENT], 0, size);
  memset(s->room[VELOCITY], 0, size);
  ((tr_jerk *)s->memory)->used = false;
  return TR_OK;
}

// What loops over velocities are about.
typedef struct loop {
  tr_step *s;
  const double *v0, *v;
  bdf2 b;
} loop;

// vhat = v + past dv,  dhat = past d + now vhat;  d = d1,  dv = v1 - v0.  Of few numbers it is not worth a call.
TR_INLINE void lead_all(int n, bdf2 b, const double *restrict v, const double *restrict d,
                        const double *restrict dv, double *restrict dhat, double *restrict vhat) {
  double both = b.now * b.past;
  for (int i = 0; i < n; i++) {
    vhat[i] = v[i] + b.past * dv[i];
    dhat[i] = (b.now * v[i] + both * dv[i]) + b.past * d[i];
  }
}
TR_WIDE(lead_wide, lead_all,
        (int n, bdf2 b, const double *v, const double *d, const double *dv, double *dhat,
         double *vhat),
        (n, b, v, d, dv, dhat, vhat))

TR_INLINE void keep_all(int n, const double *restrict d1, const double *restrict v1,
                        const double *restrict v0, double *restrict d, double *restrict dv) {
  for (int i = 0; i < n; i++) d[i] = d1[i], dv[i] = v1[i] - v0[i];
}
TR_WIDE(keep_wide, keep_all,
        (int n, const double *d1, const double *v1, const double *v0, double *d, double *dv),
        (n, d1, v1, v0, d, dv))
enum { FEW = 16 };

TR_INLINE void lead_part(void *what, int part, int first, int end) {
  const loop *k = what;
  const tr_corrector *c = &k->s->c;
  const double *d = k->s->room[INCREMENT] + first, *dv = k->s->room[VELOCITY] + first;
  int n = end - first;
  (void)part;
  if (n <= FEW)
    lead_all(n, k->b, k->v + first, d, dv, c->dhat + first, c->vhat + first);
  else
    lead_wide(n, k->b, k->v + first, d, dv, c->dhat + first, c->vhat + first);
}

static void prepare(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  tr_corrector *c = &s->c;
  double *d = s->room[INCREMENT], *dv = s->room[VELOCITY], last = s->last_h;
  const double *v = NULL;
  if (!(last > 0) && (((const par *)s->par)->start == START_SMOOTH || s->start != TR_START_OWN))
    v = tr_jerk_past(s, s->memory, x0, h, s->method->stabilised ? 0 : -1.0 / 3, d, dv, x1->q);
  if (v) last = h;
  if (!v) v = x0->v;
  bdf2 b = bdf2_weights(h, last);
  c->cq = b.now * b.now, c->cv = b.now, c->cm = 1, c->cw = b.now;
  c->blocks = s->sys->constant_mass ? s->sys->mass : NULL;
  if (s->later) { // where bodies are walked along: dhat and vhat are of no other use
    c->v = v, c->a = dv, c->d = d;
    c->v_a = b.past, c->d_v = b.now, c->d_a = b.now * b.past, c->d_d = b.past;
    return;
  }
  TR_SHARE(s->work, s->sys->nv, lead_part, &(loop){.s = s, .v = v, .b = b});
}

static tr_status advance_i3(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  prepare(s, x0, h, x1);
  return tr_correct(s, x0, x0->t + h, x1);
}

static tr_status advance_si2(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  prepare(s, x0, h, x1);
  s->c.unit_metric = ((const par *)s->par)->metric == METRIC_IDENTITY;
  return tr_correct_si2(s, x0, x0->t + h, x1);
}

TR_INLINE void keep_part(void *what, int part, int first, int end) {
  const loop *k = what;
  const double *now = k->s->d + first;
  double *d = k->s->room[INCREMENT] + first, *dv = k->s->room[VELOCITY] + first;
  int n = end - first;
  (void)part;
  if (n <= FEW)
    keep_all(n, now, k->v + first, k->v0 + first, d, dv);
  else
    keep_wide(n, now, k->v + first, k->v0 + first, d, dv);
}

static void accept(tr_step *s, const tr_state *x0, const tr_state *x1) {
  const tr_jerk *j = s->memory;
  const double *v0 = s->last_h == 0 && j->used ? j->start_v : x0->v;
  TR_SHARE(s->work, s->sys->nv, keep_part, &(loop){.s = s, .v0 = v0, .v = x1->v});
}

// Of BDF2 with equal steps.
static tr_truncation truncation(const void *pv) {
  (void)pv;
  return (tr_truncation){.q3 = 2.0 / 9, .v3 = 2.0 / 9};
}

static void orders(const void *pv, int order[3]) {
  order[0] = order[1] = 2;
  order[2] = ((const par *)pv)->start == START_PRINTED ? 0 : 2; // off, at first, for any h
}

static void orders_si2(const void *pv, int order[3]) {
  order[0] = order[1] = 2;
  order[2] = ((const par *)pv)->start == START_PRINTED ? 1 : 2; // off by O(h) at first
}

const tr_method tr_method_nstiff = {
    .info = {.name = "nstiff",
             .doc = "BDF2 on index 3",
             .fields = fields_i3,
             .levels = "position",
             .order_q = 2,
             .order_v = 2,
             .order_lam = 2,
             .damping = "high frequencies, completely",
             .cost = "one KKT system",
             .reference = "NJK09"},
    .par_size = sizeof(par),
    .vectors = ROOMS,
    .truncation = truncation,
    .orders = orders,
    .prepare = make_room,
    .begin = begin,
    .lean = true,
    .corrected = true,
    .advance = advance_i3,
    .accept = accept,
};

const tr_method tr_method_nstiff_si2 = {
    .info = {.name = "nstiff-si2",
             .doc = "BDF2 on stabilised index 2",
             .fields = fields,
             .levels = "position and velocity",
             .order_q = 2,
             .order_v = 2,
             .order_lam = 2,
             .damping = "high frequencies, completely",
             .cost = "one KKT system, two right-hand sides",
             .reference = "NJK09"},
    .par_size = sizeof(par),
    .vectors = ROOMS,
    .stabilised = true,
    .lean = true,
    .truncation = truncation,
    .orders = orders_si2,
    .prepare = make_room,
    .begin = begin,
    .corrected = true,
    .advance = advance_si2,
    .accept = accept,
};
