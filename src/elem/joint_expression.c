// SPDX-License-Identifier: Apache-2.0
// A constraint written by the user: phi(t, positions) = 0, one row, a law that names its markers.
//   G = phi_q,  Phi_t = phi_t,  gamma = u' phi_qq u + 2 phi_qt u + phi_tt,  (G' lam)_q = lam phi_qq
#include "law.h"

typedef struct par {
  const tr_law *phi;
} par;

static const tr_field fields[] = {
    {"phi", TR_LAW, TR_QUANTITIES, offsetof(par, phi),
     .doc = "what stays zero: a law of positions and time", .reach = TR_OF_POSITIONS},
    {0}};

static void look(int nd, const par *p, double t, const tr_frame *const *f, law_slope *s) {
  law_derive(p->phi, nd, t, f, NULL, s);
}

static void eval(int nd, const par *p, double t, const tr_frame *const *f, const double *lam,
                 double *phi, double *w) {
  law_slope s;
  if (!lam) {
    phi[0] = law_value(p->phi, nd, t, f, NULL);
    return;
  }
  look(nd, p, t, f, &s);
  phi[0] = s.value;
  for (int i = 0; i < p->phi->markers * nd; i++) w[i] = -lam[0] * s.q[i];
}

static void jac(int nd, const par *p, double t, const tr_frame *const *f, double *G) {
  law_slope s;
  look(nd, p, t, f, &s);
  for (int i = 0; i < p->phi->markers * nd; i++) G[i] = s.q[i];
}

static void look_all(int nd, const par *p, double t, const tr_frame *const *f, double *phi,
                     double *phi_t, double *G) {
  law_slope s;
  look(nd, p, t, f, &s);
  phi[0] = s.value, phi_t[0] = s.time;
  for (int i = 0; i < p->phi->markers * nd; i++) G[i] = s.q[i];
}

#define EXPRESSION(d, nd)                                                                    \
  static void eval##d(const void *p, double t, const tr_frame *const *f, const double *mem,  \
                      const double *lam, double *phi, double *w) {                           \
    (void)mem;                                                                               \
    eval(nd, p, t, f, lam, phi, w);                                                          \
  }                                                                                          \
  static void jac##d(const void *p, double t, const tr_frame *const *f, double *G) {         \
    jac(nd, p, t, f, G);                                                                     \
  }                                                                                          \
  static void geom##d(const void *p, double t, const tr_frame *const *f, const double *lam,  \
                      double *K) {                                                           \
    law_add_hessian(((const par *)p)->phi, nd, t, f, lam[0], K);                             \
  }                                                                                          \
  static void gamma##d(const void *p, double t, const tr_frame *const *f, double *out) {     \
    out[0] = law_bias(((const par *)p)->phi, nd, t, f);                                      \
  }                                                                                          \
  static void phi_t##d(const void *p, double t, const tr_frame *const *f, const double *mem, \
                       double *out) {                                                        \
    law_slope s;                                                                             \
    (void)mem;                                                                               \
    look(nd, p, t, f, &s);                                                                   \
    out[0] = s.time;                                                                         \
  }                                                                                          \
  static void look##d(const void *p, double t, const tr_frame *const *f, const double *mem,  \
                      double *phi, double *phi_t, double *G) {                               \
    (void)mem;                                                                               \
    look_all(nd, p, t, f, phi, phi_t, G);                                                    \
  }                                                                                          \
  static const tr_joint_ops ops##d = {.rows = 1,                                             \
                                      .dense = true,                                         \
                                      .eval = eval##d,                                       \
                                      .jac = jac##d,                                         \
                                      .geom = geom##d,                                       \
                                      .gamma = gamma##d,                                     \
                                      .phi_t = phi_t##d,                                     \
                                      .look = look##d};
EXPRESSION(2, 3)
EXPRESSION(3, 6)

const tr_joint_type tr_joint_expression = {
    .name = "expression",
    .doc = "one constraint written as an expression of positions and time",
    .fields = fields,
    .par_size = sizeof(par),
    .planar = &ops2,
    .spatial = &ops3,
};
