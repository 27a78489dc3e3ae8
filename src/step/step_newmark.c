// SPDX-License-Identifier: Apache-2.0
// Newmark's method on the index-3 equations [GNP05, NJK09].
//
//   q1 = q + h v + h^2 (1/2 - beta) a + h^2 beta a1,   v1 = v + h (1 - gamma) a + h gamma a1
//   M(q1) a1 + G1' lam1 - Q1 = 0,   Phi(q1, t1) = 0
// Second order for gamma = 1/2 only; but then a and lam carry an error that alternates from step to step,
// is not damped and does not vanish with h: they are computed anew for output, and over long runs it
// grows until velocities are lost or Newton fails. gen-alpha with index=2, rho=1 has neither fault. Velocity drift G v = kappa h^2 G q''' with
// kappa = gamma/2 - beta - 1/12: of second order, not first.
#include "jerk.h"

typedef struct par {
  double beta, gamma;
} par;

static const tr_field fields[] = {
    {"beta", TR_REAL, TR_NUMBER, offsetof(par, beta), "0.3025", .min = 1e-3, .max = 1,
     .doc = "weight of a1 in q1; 1/4 with gamma 1/2 is the trapezoidal rule"},
    {"gamma", TR_REAL, TR_NUMBER, offsetof(par, gamma), "0.6", .min = 0.5, .max = 1,
     .doc = "weight of a1 in v1; more than 1/2 damps and costs an order"},
    {0}};

static const char *check(const void *pv) {
  const par *p = pv;
  double least = 0.25 * (p->gamma + 0.5) * (p->gamma + 0.5);
  return p->beta >= least * (1 - 1e-12)
             ? NULL
             : "beta must be at least (gamma + 1/2)^2/4, or high frequencies are unstable";
}

static bool alternates(const void *pv) { return ((const par *)pv)->gamma <= 0.5; }

static tr_status make_room(tr_step *s) {
  s->memory = tr_jerk_new(s);
  return s->memory ? TR_OK : TR_NO_MEMORY;
}

// Where it begins anew on the way the velocities are what they settle at; the first start is as printed.
static const double *velocities(tr_step *s, const tr_state *x0, double h) {
  const par *p = s->par;
  tr_jerk *j = s->memory;
  double kappa = 0.5 * p->gamma - p->beta - 1.0 / 12;
  bool settled = s->start == TR_START_BEST && !alternates(p) &&
                 tr_jerk_start(s, j, x0, h, 0, kappa, s->c.dhat);
  return settled ? j->start_v : x0->v;
}

static tr_status advance(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  const par *p = s->par;
  tr_corrector *c = &s->c;
  const double *v = velocities(s, x0, h);
  c->cq = p->beta * h * h, c->cv = p->gamma * h, c->cm = 1;
  c->blocks = s->sys->constant_mass ? s->sys->mass : NULL;
  c->v = v, c->a = x0->a;
  c->d_v = h, c->d_a = h * h * (0.5 - p->beta), c->v_a = h * (1 - p->gamma);
  return tr_correct(s, x0, x0->t + h, x1);
}

static tr_truncation truncation(const void *pv) {
  const par *p = pv;
  return (tr_truncation){
      .q3 = p->beta - 1.0 / 6, .v2 = p->gamma - 0.5, .v3 = 0.5 * p->gamma - 1.0 / 6};
}

static void orders(const void *pv, int order[3]) {
  order[0] = order[1] = order[2] = ((const par *)pv)->gamma == 0.5 ? 2 : 1;
}

const tr_method tr_method_newmark = {
    .info = {.name = "newmark",
             .doc = "Newmark on index 3",
             .fields = fields,
             .levels = "position",
             .order_q = 1,
             .order_v = 1,
             .order_lam = 1,
             .damping = "grows with gamma; none at 1/2: order 2, but long runs go astray",
             .cost = "one KKT system",
             .reference = "GNP05"},
    .par_size = sizeof(par),
    .check = check,
    .alternates = alternates,
    .undamped = alternates,
    .truncation = truncation,
    .orders = orders,
    .smooth = true,
    .lean = true,
    .prepare = make_room,
    .corrected = true,
    .advance = advance,
};
