// SPDX-License-Identifier: Apache-2.0
// Penalty contact of two smooth surfaces: Hunt and Crossley's normal force, regularised friction.
//
// A contact is a unit normal n from A's surface to B, a gap h (negative: depth), and the arms r_A,
// r_B from the frames' points to the place of contact. With V the velocity there of B against A,
// V_t its tangential part:
//   N = k d^e (1 - chi n.V),  d = -h > 0;  none where this is negative (it never pulls)
//   F = N (n - phi V_t) on B, phi = mu/sqrt(V_t^2 + v_0^2)
// chi is about 3/2 (1 - restitution)/(speed of impact), whatever k and e. A type gives `touch`, the
// geometry, and `change`, its derivative along a displacement.
#ifndef TR_CONTACT_H
#define TR_CONTACT_H

#include <math.h>
#include <string.h>

#include "elem.h"
#include "force.h"
#include "math/v3.h"

typedef struct contact_par {
  double stiffness, exponent, damping, mu, transition;
} contact_par;

// The keys every contact has; `par` begins with a contact_par.
#define CONTACT_FIELDS                                                                             \
  {"stiffness",         TR_REAL, TR_STIFFNESS, offsetof(contact_par, stiffness), .positive = true, \
   .doc = "k, in N/m^e"},                                                                          \
      {"exponent", TR_REAL,  TR_NUMBER, offsetof(contact_par, exponent),                           \
       "1.5",      .min = 1, .max = 5,  .doc = "e; 3/2 as Hertz"},                                 \
      {"damping", TR_REAL,  TR_NUMBER,       offsetof(contact_par, damping),                       \
       "0",       .min = 0, .max = INFINITY, .doc = "chi of Hunt and Crossley, in s/m"},           \
      {"friction", TR_REAL,  TR_NUMBER,       offsetof(contact_par, mu),                           \
       "0",        .min = 0, .max = INFINITY, .doc = "coefficient mu"},                            \
  {                                                                                                \
    "transition-velocity", TR_REAL, TR_VELOCITY, offsetof(contact_par, transition), "0.001",       \
        .positive = true, .doc = "v_0, below which friction fades"                                 \
  }

typedef struct touching {
  double n[3], h, rA[3], rB[3];
} touching;

typedef struct contact {
  touching at;
  double V[3], vn, vt[3], base, fade, N, phi, yy, F[3];
} contact;

// False: apart.
static inline bool contact_look(const contact_par *p, const tr_frame *const *f, contact *k) {
  double spin[3];
  k->N = 0;
  if (!(k->at.h < 0)) return false;
  v3_sub(f[1]->v, f[0]->v, k->V);
  v3_cross(f[1]->w, k->at.rB, spin), v3_axpy(1, spin, k->V);
  v3_cross(f[0]->w, k->at.rA, spin), v3_axpy(-1, spin, k->V);
  k->vn = v3_dot(k->at.n, k->V);
  for (int i = 0; i < 3; i++) k->vt[i] = k->V[i] - k->vn * k->at.n[i];
  k->base = p->stiffness * pow(-k->at.h, p->exponent);
  k->fade = 1 - p->damping * k->vn;
  if (!(k->fade > 0)) return false;
  k->N = k->base * k->fade;
  k->yy = v3_dot(k->vt, k->vt) + p->transition * p->transition;
  k->phi = p->mu / sqrt(k->yy);
  for (int i = 0; i < 3; i++) k->F[i] = k->N * (k->at.n[i] - k->phi * k->vt[i]);
  return true;
}

static inline void contact_wrench(const contact *k, double *w) {
  double m[3];
  for (int i = 0; i < 3; i++) w[i] = -k->F[i], w[6 + i] = k->F[i];
  v3_cross(k->at.rA, k->F, m), v3_scale(-1, m, w + 3);
  v3_cross(k->at.rB, k->F, w + 9);
}

// The wrench's change when the geometry changes by d and V by dV.
static inline void contact_push(const contact_par *p, const contact *k, const touching *d,
                                const double *dV, double *dw) {
  double dvn = v3_dot(d->n, k->V) + v3_dot(k->at.n, dV), dvt[3], dF[3], m[3];
  for (int i = 0; i < 3; i++) dvt[i] = dV[i] - dvn * k->at.n[i] - k->vn * d->n[i];
  double dphi = -k->phi * v3_dot(k->vt, dvt) / k->yy;
  double dN = -k->base * (p->exponent / -k->at.h * d->h * k->fade + p->damping * dvn);
  for (int i = 0; i < 3; i++)
    dF[i] = dN * (k->at.n[i] - k->phi * k->vt[i]) +
            k->N * (d->n[i] - dphi * k->vt[i] - k->phi * dvt[i]);
  for (int i = 0; i < 3; i++) dw[i] = -dF[i], dw[6 + i] = dF[i];
  v3_cross(k->at.rB, dF, dw + 9), v3_cross(d->rB, k->F, m), v3_axpy(1, m, dw + 9);
  v3_cross(dF, k->at.rA, dw + 3), v3_cross(k->F, d->rA, m), v3_axpy(1, m, dw + 3);
}

typedef void (*touch_change)(const void *p, const tr_frame *const *f, const touching *at,
                             const double *d, touching *change);

static inline void contact_tangent(const contact_par *p, const tr_frame *const *f, const contact *k,
                                   touch_change change, double *K, double *D) {
  for (int j = 0; j < 12; j++) {
    double d[12] = {0}, dV[3], spin[3], dw[12];
    touching dt;
    d[j] = 1;
    change(p, f, &k->at, d, &dt);
    v3_cross(f[1]->w, dt.rB, dV), v3_cross(f[0]->w, dt.rA, spin), v3_axpy(-1, spin, dV);
    contact_push(p, k, &dt, dV, dw);
    for (int i = 0; i < 12; i++) K[12 * i + j] = dw[i];
    // the twist j: V changes alone
    dt = (touching){0};
    v3_sub(d + 6, d, dV);
    v3_cross(d + 9, k->at.rB, spin), v3_axpy(1, spin, dV);
    v3_cross(d + 3, k->at.rA, spin), v3_axpy(-1, spin, dV);
    contact_push(p, k, &dt, dV, dw);
    for (int i = 0; i < 12; i++) D[12 * i + j] = dw[i];
  }
}

static inline double contact_potential(const contact_par *p, double h) {
  return h < 0 ? p->stiffness * pow(-h, p->exponent + 1) / (p->exponent + 1) : 0;
}

// ---- tables -------------------------------------------------------------------------------------

static const char *const contact_names[] = {"normal", "friction", "gap", NULL};

// From `touch(p, nd, f, at)` and `change`, on spatial frames (planar ones are embedded).
#define CONTACT_FUNCTIONS(d, nd)                                                               \
  static void eval##d(const void *p, double t, const tr_frame *const *f, const double *mem,    \
                      double *w) {                                                             \
    (void)t, (void)mem;                                                                        \
    contact_eval(p, nd, f, touch, w);                                                          \
  }                                                                                            \
  static void tangent##d(const void *p, double t, const tr_frame *const *f, const double *mem, \
                         double *K, double *D) {                                               \
    (void)t, (void)mem;                                                                        \
    contact_tangents(p, nd, f, touch, change, K, D);                                           \
  }                                                                                            \
  static double gap##d(const void *p, double t, const tr_frame *const *f, const double *mem) { \
    tr_frame g[2];                                                                             \
    const tr_frame *pg[2];                                                                     \
    touching at;                                                                               \
    (void)t, (void)mem;                                                                        \
    contact_frames(nd, f, g, pg);                                                              \
    touch(p, nd, pg, &at);                                                                     \
    return at.h;                                                                               \
  }                                                                                            \
  static double potential##d(const void *p, double t, const tr_frame *const *f,                \
                             const double *mem) {                                              \
    return contact_potential(p, gap##d(p, t, f, mem));                                         \
  }                                                                                            \
  static void measure##d(const void *p, double t, const tr_frame *const *f, const double *mem, \
                         double *out) {                                                        \
    (void)t, (void)mem;                                                                        \
    contact_measure(p, nd, f, touch, out);                                                     \
  }                                                                                            \
  static const tr_force_ops ops##d = {.uses_velocity = true,                                   \
                                      .uses_moments = true,                                    \
                                      .one_sided = true,                                       \
                                      .eval = eval##d,                                         \
                                      .tangent = tangent##d,                                   \
                                      .potential = potential##d,                               \
                                      .measure_names = contact_names,                          \
                                      .measure = measure##d,                                   \
                                      .gap = gap##d};

typedef void (*touch_find)(const void *p, int nd, const tr_frame *const *f, touching *at);

static inline void contact_frames(int nd, const tr_frame *const *f, tr_frame *g,
                                  const tr_frame **pg) {
  for (int k = 0; k < 2; k++) {
    if (nd == 3) embed(f[k], &g[k]);
    pg[k] = nd == 3 ? &g[k] : f[k];
  }
}

static inline void contact_eval(const void *p, int nd, const tr_frame *const *f, touch_find touch,
                                double *w) {
  tr_frame g[2];
  const tr_frame *pg[2];
  contact k;
  double full[12] = {0};
  contact_frames(nd, f, g, pg);
  touch(p, nd, pg, &k.at);
  if (contact_look(p, pg, &k)) contact_wrench(&k, full);
  for (int i = 0; i < 2 * nd; i++) w[i] = full[nd == 3 ? in_plane[i] : i];
}

static inline void contact_tangents(const void *p, int nd, const tr_frame *const *f,
                                    touch_find touch, touch_change change, double *K, double *D) {
  tr_frame g[2];
  const tr_frame *pg[2];
  contact k;
  double K3[144], D3[144];
  contact_frames(nd, f, g, pg);
  touch(p, nd, pg, &k.at);
  if (!contact_look(p, pg, &k)) return;
  contact_tangent(p, pg, &k, change, K3, D3);
  for (int i = 0; i < 2 * nd; i++)
    for (int j = 0; j < 2 * nd; j++) {
      int from = nd == 3 ? 12 * in_plane[i] + in_plane[j] : 12 * i + j;
      K[2 * nd * i + j] = K3[from], D[2 * nd * i + j] = D3[from];
    }
}

static inline void contact_measure(const void *p, int nd, const tr_frame *const *f,
                                   touch_find touch, double *out) {
  tr_frame g[2];
  const tr_frame *pg[2];
  contact k;
  contact_frames(nd, f, g, pg);
  touch(p, nd, pg, &k.at);
  bool on = contact_look(p, pg, &k);
  out[0] = k.N, out[1] = on ? k.N * k.phi * v3_norm(k.vt) : 0, out[2] = k.at.h;
}

#endif
