// SPDX-License-Identifier: Apache-2.0
// The parameter-free predictor-corrector of first and second order [WHTC07].
//
//   predictor: [M G'; G 0] (x, lam) = (Q, -Phi/h^2 - (G v + Phi_t)/h),   vp = v + h x,  dp = h vp
//   corrector: at half of the increment u (Gh, Qh) and at q_n o exp(u) (Phi):
//              [M Gh'; Gh 0] (x, lam) = (Qh, -2 Phi/h^2 - 2/h Gh (v - u/h))
//              v1 = v + h x,   q1 = q_n o exp(h (v + v1)/2)
// Rows of velocities: Gam_v x = -Gam/h in the predictor, in the corrector with Gam at q_n o exp(u) and the v1
// before, Gam_v(half) (v + h x - v1) = -Gam.
// The predictor alone is pfpc1. The first corrector pass takes u = dp and (v + vp)/2; as published it
// stops there and is of first order in the motion wherever Q depends on v or rotations are spatial,
// since vp lacks gacc. A second pass with u = h (v + v1)/2 restores order 2. lam belongs to t + h/2.
// Rotations: implicit Euler for Euler parameters in the predictor, Cayley's map in the corrector.
#include <math.h>
#include <string.h>

#include "start.h"
#include "step.h"

typedef struct par {
  int passes;
} par;

static const tr_field fields[] = {
    {"passes", TR_INT, TR_NUMBER, offsetof(par, passes), "2", .min = 1, .max = 10,
     .doc = "of the corrector; 1 is the published form"},
    {0}};

enum { TRIAL, START, END, ROOMS };

// Factors [M G'; G 0] at a point and leaves (-Q, Phi, G) of it: r (nv + nc) and work->G.
// lam: a guess, for forces that depend on reactions.
static tr_status look(tr_step *s, double t, const double *q, const double *v, const double *mem,
                      const double *lam, double *r) {
  tr_coefficients mass = {.cm = 1};
  tr_tangent(s->work, t, q, v, mem, NULL, NULL, NULL, mass, s->kkt.values);
  tr_plain_columns(s->work, s->kkt.values);
  s->newton.matrices++;
  TR_TRY(tr_kkt_factor(&s->kkt));
  s->newton.residuals++;
  if (s->sys->nreaction > 0) tr_show_reactions(s->work, lam);
  tr_forces(s->work, NULL, r, r + s->sys->nv);
  for (int i = 0; i < s->sys->nv; i++) r[i] = -r[i];
  return TR_OK;
}

// x1.q, for v1 from accelerations at the place `at`. In Euler parameters the step is made in w, as in the paper.
static void turn(tr_step *s, const tr_state *x0, const double *at, double h, double k,
                 tr_state *x1) {
  const tr_body_step from = {x0->q, x0->v, at, h};
  tr_cayley(s->sys, k, s->d);
  tr_turn_by(s->sys, &from, k, s->d, x1->v);
  tr_retract(s->sys, x0->q, s->d, x1->q);
}

static tr_status predict(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  int nv = s->sys->nv, nc = s->sys->nc;
  double *r = s->newton.r;
  TR_TRY(look(s, x0->t, x0->q, x0->v, x0->mem, x0->lam, r));
  tr_rates(s->work, s->lam);
  tr_clear_velocity_rows(s->sys, r + nv);
  for (int i = 0; i < nc; i++) r[nv + i] = -r[nv + i] / (h * h) - s->lam[i] / h;
  TR_TRY(tr_solve_with_reactions(s->work, &s->kkt, r));
  for (int i = 0; i < nv; i++) {
    x1->a[i] = r[i];
    x1->v[i] = x0->v[i] + h * r[i];
    s->d[i] = h * x1->v[i];
  }
  memcpy(x1->lam, r + nv, (size_t)nc * sizeof *r);
  memcpy(x1->mem, x0->mem, (size_t)s->sys->nmem * sizeof *x1->mem);
  x1->t = x0->t + h;
  turn(s, x0, x0->q, h, 2, x1);
  return TR_OK;
}

static tr_status advance_1(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  return predict(s, x0, h, x1);
}

// At the place of half the increment: velocities of the start and of the end so far, as seen from there.
typedef struct midway {
  double *q, *v0, *v1; // (nq), (nv), (nv)
} midway;

static void close_velocity_rows(tr_step *s, double h, const midway *m, const double *gam,
                                double *r) {
  double *change = s->room[TRIAL];
  for (int i = 0; i < s->sys->nv; i++) change[i] = m->v0[i] - m->v1[i];
  tr_velocity_rows_times(s->work, change, r);
  for (int i = 0; i < s->sys->nc; i++)
    if (s->sys->of_velocity[i]) r[i] = -(gam[i] + r[i]) / h;
}

// One pass. The increment so far is in s->d, that of vp in the first one.
static tr_status correct(tr_step *s, const tr_state *x0, double h, bool first, tr_state *x1) {
  int nv = s->sys->nv, nc = s->sys->nc;
  double *r = s->newton.r, *room = s->room[TRIAL], *phi = s->lam;
  const midway m = {s->c.dhat, s->room[START], s->room[END]};
  tr_kinematics(s->work, x0->t + h, x1->q, x1->v, x1->mem, s->sys->force_level);
  tr_forces(s->work, NULL, NULL, phi);
  for (int i = 0; i < nv; i++) room[i] = 0.5 * s->d[i];
  tr_retract(s->sys, x0->q, room, m.q);
  tr_see_from(s->sys, m.q, x0->q, x0->v, m.v0);
  tr_see_from(s->sys, m.q, x1->q, x1->v, m.v1);
  for (int i = 0; i < nv; i++) room[i] = 0.5 * (m.v0[i] + m.v1[i]);
  TR_TRY(look(s, x0->t + 0.5 * h, m.q, room, x1->mem, x1->lam, r));
  for (int i = 0; i < nv; i++) room[i] = m.v0[i] - (first ? m.v1[i] : room[i]);
  tr_G_times(s->work, room, r + nv);
  for (int i = 0; i < nc; i++) r[nv + i] = -2 * phi[i] / (h * h) - 2 / h * r[nv + i];
  if (s->sys->nvelocity > 0) close_velocity_rows(s, h, &m, phi, r + nv);
  TR_TRY(tr_solve_with_reactions(s->work, &s->kkt, r));
  for (int i = 0; i < nv; i++) {
    x1->a[i] = r[i];
    x1->v[i] = x0->v[i] + h * r[i];
    s->d[i] = 0.5 * h * (x0->v[i] + x1->v[i]);
  }
  memcpy(x1->lam, r + nv, (size_t)nc * sizeof *r);
  turn(s, x0, m.q, h, 4, x1);
  return TR_OK;
}

static tr_status advance_2(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  int passes = ((const par *)s->par)->passes;
  TR_TRY(predict(s, x0, h, x1));
  for (int k = 0; k < passes; k++) {
    s->newton.iterations++;
    TR_TRY(correct(s, x0, h, k == 0, x1));
  }
  return TR_OK;
}

static tr_truncation truncation_1(const void *pv) {
  (void)pv;
  return (tr_truncation){.q2 = 0.5, .v2 = 0.5, .v3 = NAN};
}

static tr_truncation truncation_2(const void *pv) {
  (void)pv;
  return (tr_truncation){.q3 = 1.0 / 12, .v3 = NAN};
}

const tr_method tr_method_pfpc1 = {
    .info = {.name = "pfpc1",
             .doc = "parameter-free scheme of first order",
             .levels = "none exactly; position to O(h^2)",
             .order_q = 1,
             .order_v = 1,
             .order_lam = 1,
             .damping = "none; gyroscopic moments feed energy into long runs",
             .cost = "one factorisation and one solve",
             .reference = "WHTC07"},
    .recompute = true,
    .passes_jumps = true,
    .direct = true,
    .falls_short = true,
    .vectors = ROOMS,
    .truncation = truncation_1,
    .advance = advance_1,
};

static void orders_2(const void *pv, int order[3]) { // of one pass: 1 with damping or rotations
  order[0] = order[1] = order[2] = ((const par *)pv)->passes > 1 ? 2 : 1;
}

const tr_method tr_method_pfpc2 = {
    .info = {.name = "pfpc2",
             .doc = "parameter-free predictor-corrector of second order",
             .fields = fields,
             .levels = "none exactly; position to O(h^3)",
             .order_q = 2,
             .order_v = 2,
             .order_lam = 2,
             .damping = "none to speak of",
             .cost = "one factorisation and one solve for the predictor and for each pass",
             .reference = "WHTC07"},
    .par_size = sizeof(par),
    .recompute = true,
    .passes_jumps = true,
    .direct = true,
    .falls_short = true,
    .vectors = ROOMS,
    .truncation = truncation_2,
    .orders = orders_2,
    .advance = advance_2,
};
