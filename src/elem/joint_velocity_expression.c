// SPDX-License-Identifier: Apache-2.0
// A constraint on velocities written by the user: gam(t, positions, velocities) = 0, one row, a law that
// names its markers. It need not be the rate of anything, nor linear in the velocities.
//   G = gam_u,   gamma = gam_t + gam_q u,   the wrench is -lam gam_u,   (G' lam)_q = lam gam_uq, (..)_u
#include "law.h"

typedef struct par {
  const tr_law *gam;
} par;

static const tr_field fields[] = {
    {"gam", TR_LAW, TR_QUANTITIES, offsetof(par, gam),
     .doc = "what stays zero: a law of velocities, positions and time", .reach = TR_OF_VELOCITIES},
    {0}};

static void eval(int nd, const par *p, double t, const tr_frame *const *f, const double *lam,
                 double *phi, double *w) {
  law_slope s;
  if (!lam) {
    phi[0] = law_value(p->gam, nd, t, f, NULL);
    return;
  }
  law_derive(p->gam, nd, t, f, NULL, &s);
  phi[0] = s.value;
  for (int i = 0; i < p->gam->markers * nd; i++) w[i] = -lam[0] * s.v[i];
}

static void two(int nd, const par *p, double t, const tr_frame *const *f, const tr_joint_two *io) {
  law_slope s;
  law_derive(p->gam, nd, t, f, NULL, &s);
  io->phi[0] = io->rate[0] = s.value;
  for (int i = 0; i < p->gam->markers * nd; i++)
    io->w[i] = -io->lam[0] * s.v[i], io->w2[i] = -io->mu[0] * s.v[i];
}

static void slope(int nd, const par *p, double t, const tr_frame *const *f, bool by_twists,
                  double *G) {
  law_slope s;
  law_derive(p->gam, nd, t, f, NULL, &s);
  for (int i = 0; i < p->gam->markers * nd; i++) G[i] = by_twists ? s.v[i] : s.q[i];
}

static void look(int nd, const par *p, double t, const tr_frame *const *f, double *phi, double *G) {
  law_slope s;
  law_derive(p->gam, nd, t, f, NULL, &s);
  phi[0] = s.value;
  for (int i = 0; i < p->gam->markers * nd; i++) G[i] = s.v[i];
}

static void bend(int nd, const par *p, double t, const tr_frame *const *f, double lam,
                 bool by_twists, double *K) {
  double unused[TR_LAW_MAX_N * TR_LAW_MAX_N];
  int n = p->gam->markers * nd;
  for (int i = 0; i < n * n; i++) unused[i] = 0;
  law_add_twist_hessian(p->gam, nd, t, f, lam, by_twists ? unused : K, by_twists ? K : unused);
}

static double drift(int nd, const par *p, double t, const tr_frame *const *f) {
  return law_drift(p->gam, nd, t, f);
}

TR_VELOCITY_LAW(2, 3, false)
TR_VELOCITY_LAW(3, 6, false)

const tr_joint_type tr_joint_velocity_expression = {
    .name = "velocity-expression",
    .doc = "one constraint written as an expression of velocities, positions and time",
    .fields = fields,
    .par_size = sizeof(par),
    .planar = &ops2,
    .spatial = &ops3,
};
