// SPDX-License-Identifier: Apache-2.0
// The equation of a number (body_scalar.c): X' = F(t, q, v, X, V) or V = F(t, q, v, X, V), implicit if F
// depends on the number itself. One row of velocities,
//   Gam = (v_0 - F)/scale,   Gam_u = (1 - F_u)/scale,   Gam_q = -F_q/scale,   gamma = -(F_t + F_q u)/scale
// whose reaction acts on the number alone, the first frame: what F reads feels nothing of it.
#include "law.h"

static const tr_field fields[] = {{"value", TR_LAW, TR_QUANTITIES, offsetof(tr_equation_par, law),
                                   .doc = "the right-hand side", .reach = TR_OF_MOTION},
                                  {0}};

static double scale_of(const tr_equation_par *p) { return p->scalar->scale; }

// The law reads the number's own rate or value.
static bool is_implicit(const tr_equation_par *p) {
  for (int k = 0; k < p->law->inputs; k++)
    if (p->law->input[k].kind == LAW_VALUE && p->law->input[k].to == 0) return true;
  return false;
}

// Gam, and F_u on the first frame in s if F depends on the number itself.
static double value(int nd, const tr_equation_par *p, double t, const tr_frame *const *f,
                    bool implicit, law_slope *s) {
  if (implicit)
    law_derive(p->law, nd, t, f, NULL, s);
  else
    s->value = law_value(p->law, nd, t, f, NULL);
  return (f[0]->v[0] - s->value) / scale_of(p);
}

// w = -Gam_u' lam
static void pull(int nd, const tr_equation_par *p, bool implicit, const law_slope *s, double lam,
                 double *w) {
  for (int i = 0; i < p->law->markers * nd; i++) w[i] = 0;
  for (int i = 0; implicit && i < nd; i++) w[i] = lam * s->v[i] / scale_of(p);
  w[0] -= lam / scale_of(p);
}

static void eval(int nd, const tr_equation_par *p, double t, const tr_frame *const *f,
                 const double *lam, double *phi, double *w) {
  law_slope s;
  bool implicit = lam && is_implicit(p);
  phi[0] = value(nd, p, t, f, implicit, &s);
  if (lam) pull(nd, p, implicit, &s, lam[0], w);
}

static void two(int nd, const tr_equation_par *p, double t, const tr_frame *const *f,
                const tr_joint_two *io) {
  law_slope s;
  bool implicit = is_implicit(p);
  io->phi[0] = io->rate[0] = value(nd, p, t, f, implicit, &s);
  pull(nd, p, implicit, &s, io->lam[0], io->w);
  pull(nd, p, implicit, &s, io->mu[0], io->w2);
}

static void slope(int nd, const tr_equation_par *p, double t, const tr_frame *const *f,
                  bool by_twists, double *G) {
  law_slope s;
  law_derive(p->law, nd, t, f, NULL, &s);
  for (int i = 0; i < p->law->markers * nd; i++) G[i] = -(by_twists ? s.v : s.q)[i] / scale_of(p);
  if (by_twists) G[0] += 1 / scale_of(p);
}

static void look(int nd, const tr_equation_par *p, double t, const tr_frame *const *f, double *phi,
                 double *G) {
  law_slope s;
  law_derive(p->law, nd, t, f, NULL, &s);
  phi[0] = (f[0]->v[0] - s.value) / scale_of(p);
  for (int i = 0; i < p->law->markers * nd; i++) G[i] = -s.v[i] / scale_of(p);
  G[0] += 1 / scale_of(p);
}

// The derivative of what acts on the first frame, lam Gam_u.
static void bend(int nd, const tr_equation_par *p, double t, const tr_frame *const *f, double lam,
                 bool by_twists, double *K) {
  double Q[TR_LAW_MAX_N * TR_LAW_MAX_N], V[TR_LAW_MAX_N * TR_LAW_MAX_N];
  int n = p->law->markers * nd;
  if (!is_implicit(p)) return;
  for (int i = 0; i < n * n; i++) Q[i] = V[i] = 0;
  law_add_twist_hessian(p->law, nd, t, f, -lam / scale_of(p), Q, V);
  for (int i = 0; i < nd * n; i++) K[i] += (by_twists ? V : Q)[i];
}

static double drift(int nd, const tr_equation_par *p, double t, const tr_frame *const *f) {
  return -law_drift(p->law, nd, t, f) / scale_of(p);
}

TR_VELOCITY_LAW(2, 3, true)
TR_VELOCITY_LAW(3, 6, true)

const tr_joint_type tr_joint_equation = {
    .name = "equation",
    .doc = "the equation of a state or a variable",
    .fields = fields,
    .par_size = sizeof(tr_equation_par),
    .markers = 1,
    .planar = &ops2,
    .spatial = &ops3,
};
