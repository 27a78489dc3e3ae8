// SPDX-License-Identifier: Apache-2.0
// Baumgarte's stabilisation with an explicit scheme [WHTC07]:
//
//   [M G'; G 0] (a, lam) = (Q, -gacc - 2 alpha (G v + Phi_t) - beta^2 Phi)
// in rows of velocities (.., -gacc - alpha Gam), which a gain of 1/h brings back in one Euler step. Numbers have no
// feedback: where a stage leads, and in the end, their rates are put on their equations. Nor has e.e = 1, which the end of
// the step sees to: at stages, which are off it by the curve of e, gains of 1/h would turn that into a pull along the motion.
//   euler  q1 = q o exp(h v),           v1 = v + h a
//   heun   q1 = q o exp(h (v + vp)/2),  v1 = v + h (a + a2)/2,  a2 at q o exp(h v), vp = v + h a
//   rk4    the classical scheme, on rotations for the increment u: u' = dexp_u^-1 v
// alpha and beta count in 1/h by default; alpha = beta = 1/h makes Phi third order locally, but gains
// that grow with 1/h cost v its second order (and rk4 all beyond). With fixed gains (unit=1/s) the
// schemes keep their orders.
#include <math.h>
#include <string.h>

#include "step.h"

typedef struct par {
  double alpha, beta;
  int unit, scheme;
} par;

enum { PER_STEP, PER_SECOND };
enum { EULER, HEUN, RK4 };

static const char *const units[] = {"1/h", "1/s", NULL};
static const char *const schemes[] = {"euler", "heun", "rk4", NULL};
static const tr_field fields[] = {{"alpha", TR_REAL, TR_NUMBER, offsetof(par, alpha), "1", .min = 0,
                                   .max = 1e12, .doc = "velocity gain"},
                                  {"beta", TR_REAL, TR_NUMBER, offsetof(par, beta), "1", .min = 0,
                                   .max = 1e12, .doc = "position gain"},
                                  {"unit", TR_CHOICE, TR_NUMBER, offsetof(par, unit), "1/h",
                                   .choices = units, .doc = "of alpha and beta"},
                                  {"scheme", TR_CHOICE, TR_NUMBER, offsetof(par, scheme), "heun",
                                   .choices = schemes, .doc = "explicit integrator"},
                                  {0}};

enum { A1, A2, A3, A4, V2, V3, V4, U, RATE, ROOMS };

// Forces that depend on reactions feel those of the motion alone: the feedback's, gains of 1/h^2 times a gap of
// O(h^2) at the second stage of heun, do not vanish with h. At the point of the last kinematics.
static tr_status react(tr_step *s, double *r) {
  int nv = s->sys->nv;
  tr_forces(s->work, NULL, r, NULL);
  tr_gamma(s->work, r + nv);
  for (int i = 0; i < nv + s->sys->nc; i++) r[i] = -r[i];
  return tr_solve_with_reactions(s->work, &s->kkt, r);
}

// Rows of coordinates that are put right after each step, e.e = 1 of Euler parameters.
static void clear_closed(const tr_system *sys, double *rows) {
  for (int i = 0; i < sys->nbody; i++) {
    const sys_body *b = &sys->body[i];
    for (int k = 0; b->type->close && k < b->nc; k++) rows[b->row + k] = 0;
  }
}

// guess: of lam, for forces that depend on reactions.
static tr_status accelerate(tr_step *s, double h, double t, const double *q, const double *v,
                            const double *mem, const double *guess, double *a, double *lam) {
  const par *p = s->par;
  int nv = s->sys->nv, nc = s->sys->nc;
  double gain = p->unit == PER_STEP ? 1 / h : 1, al = gain * p->alpha, be = gain * p->beta;
  double *r = s->newton.r, *phi = r + nv + nc, *rate = s->lam;
  tr_coefficients mass = {.cm = 1};
  tr_tangent(s->work, t, q, v, mem, NULL, NULL, NULL, mass, s->kkt.values);
  tr_plain_columns(s->work, s->kkt.values);
  s->newton.matrices++;
  TR_TRY(tr_kkt_factor(&s->kkt));
  s->newton.residuals++;
  tr_kinematics(s->work, t, q, v, mem, TR_AT_BIAS);
  if (s->sys->nreaction > 0) tr_show_reactions(s->work, guess);
  if (s->sys->nreaction > 0) TR_TRY(react(s, r));
  tr_forces(s->work, NULL, r, phi);
  tr_rates(s->work, rate);
  tr_gamma(s->work, r + nv);
  for (int i = 0; i < nv; i++) r[i] = -r[i];
  tr_estimate_stage(s, r, a == s->room[A1]);
  tr_clear_velocity_rows(s->sys, phi);
  clear_closed(s->sys, phi), clear_closed(s->sys, rate);
  for (int i = 0; i < nc; i++) {
    double damp = s->sys->of_number[i] ? 0 : s->sys->of_velocity[i] ? al : 2 * al;
    r[nv + i] = -(r[nv + i] + damp * rate[i] + be * be * phi[i]);
  }
  TR_TRY(tr_kkt_solve(&s->kkt, 1, r));
  memcpy(a, r, (size_t)nv * sizeof *a);
  if (lam) memcpy(lam, r + nv, (size_t)nc * sizeof *lam);
  return TR_OK;
}

// out = v + f a
static void along(const tr_step *s, const double *v, double f, const double *a, double *out) {
  for (int i = 0; i < s->sys->nv; i++) out[i] = v[i] + f * a[i];
}

// x1.q = q o exp(f d)
static void move(tr_step *s, const tr_state *x0, double f, const double *d, tr_state *x1) {
  for (int i = 0; i < s->sys->nv; i++) s->d[i] = f * d[i];
  tr_retract(s->sys, x0->q, s->d, x1->q);
}

static tr_status heun(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  double **k = s->room;
  along(s, x0->v, h, k[A1], k[V2]);
  move(s, x0, h, x0->v, x1);
  TR_TRY(tr_settle_numbers(s, x0->t + h, x1->q, k[V2], x0->mem, x0->lam));
  TR_TRY(accelerate(s, h, x0->t + h, x1->q, k[V2], x0->mem, x0->lam, k[A2], NULL));
  for (int i = 0; i < s->sys->nv; i++) {
    k[U][i] = 0.5 * (x0->v[i] + k[V2][i]);
    x1->v[i] = x0->v[i] + 0.5 * h * (k[A1][i] + k[A2][i]);
  }
  move(s, x0, h, k[U], x1);
  return TR_OK;
}

// Stage: increment h f du behind, velocities v_i, accelerations a_i; leaves du_i in V_i.
static tr_status stage(tr_step *s, const tr_state *x0, double h, double f, const double *du,
                       const double *a, double *v, double *a_out, tr_state *x1) {
  double **k = s->room;
  along(s, x0->v, h * f, a, v);
  for (int i = 0; i < s->sys->nv; i++) k[U][i] = h * f * du[i];
  tr_retract(s->sys, x0->q, k[U], x1->q);
  TR_TRY(tr_settle_numbers(s, x0->t + h * f, x1->q, v, x0->mem, x0->lam));
  TR_TRY(accelerate(s, h, x0->t + h * f, x1->q, v, x0->mem, x0->lam, a_out, NULL));
  tr_increment_rate(s->sys, k[U], v, k[RATE]);
  memcpy(v, k[RATE], (size_t)s->sys->nv * sizeof *v);
  return TR_OK;
}

static tr_status rk4(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  double **k = s->room;
  TR_TRY(stage(s, x0, h, 0.5, x0->v, k[A1], k[V2], k[A2], x1));
  TR_TRY(stage(s, x0, h, 0.5, k[V2], k[A2], k[V3], k[A3], x1));
  TR_TRY(stage(s, x0, h, 1, k[V3], k[A3], k[V4], k[A4], x1));
  for (int i = 0; i < s->sys->nv; i++) {
    k[U][i] = (x0->v[i] + 2 * k[V2][i] + 2 * k[V3][i] + k[V4][i]) / 6;
    x1->v[i] = x0->v[i] + h / 6 * (k[A1][i] + 2 * k[A2][i] + 2 * k[A3][i] + k[A4][i]);
  }
  move(s, x0, h, k[U], x1);
  return TR_OK;
}

static tr_status euler(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  along(s, x0->v, h, s->room[A1], x1->v);
  move(s, x0, h, x0->v, x1);
  return TR_OK;
}

static tr_status advance(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  static tr_status (*const scheme[])(tr_step *, const tr_state *, double, tr_state *) = {
      [EULER] = euler, [HEUN] = heun, [RK4] = rk4};
  double **k = s->room;
  TR_TRY(accelerate(s, h, x0->t, x0->q, x0->v, x0->mem, x0->lam, k[A1], x1->lam));
  memcpy(x1->mem, x0->mem, (size_t)s->sys->nmem * sizeof *x1->mem);
  memcpy(x1->a, k[A1], (size_t)s->sys->nv * sizeof *x1->a);
  x1->t = x0->t + h;
  TR_TRY(scheme[((const par *)s->par)->scheme](s, x0, h, x1));
  return tr_settle_numbers(s, x1->t, x1->q, x1->v, x1->mem, x1->lam);
}

// rk4 is taken for heun: safe, not sharp.
static tr_truncation truncation(const void *pv) {
  const par *p = pv;
  bool fixed = p->unit == PER_SECOND;
  if (p->scheme == EULER) return (tr_truncation){.q2 = 0.5, .v2 = 0.5, .v3 = fixed ? 0 : NAN};
  return (tr_truncation){.q3 = 1.0 / 6, .v3 = fixed ? 1.0 / 12 : NAN};
}

// Fixed gains keep the scheme's; those of 1/h let v fall to first order.
static void orders(const void *pv, int order[3]) {
  static const int of_scheme[] = {[EULER] = 1, [HEUN] = 2, [RK4] = 4};
  const par *p = pv;
  int own = of_scheme[p->scheme];
  order[0] = order[1] = order[2] = own;
  if (p->unit == PER_STEP && own > 1) order[0] = 2, order[1] = order[2] = 1;
}

const tr_method tr_method_baumgarte = {
    .info = {.name = "baumgarte",
             .doc = "index 1 with Baumgarte's feedback, explicit",
             .fields = fields,
             .levels = "none exactly; pulled back by feedback",
             .order_q = 2,
             .order_v = 1,
             .order_lam = 1,
             .damping = "none; explicit, so stiff forces need small steps",
             .cost = "one factorisation and one solve per stage (1, 2 or 4)",
             .reference = "WHTC07"},
    .par_size = sizeof(par),
    .recompute = true,
    .passes_jumps = true,
    .direct = true,
    .limit =
        " pulls constraints back by gains: next to a dead centre, where they hold next to nothing, "
        "that "
        "tears them open",
    .vectors = ROOMS,
    .two_sets = true,
    .truncation = truncation,
    .orders = orders,
    .advance = advance,
};
