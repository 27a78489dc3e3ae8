// SPDX-License-Identifier: Apache-2.0
// Contact of two spheres about the points of A and B (planar: discs). Law and friction: contact.h.
//
//   n = d/|d|, h = |d| - r_1 - r_2, the contact in the middle of the overlap: r_A = (r_1 + h/2) n,
//   r_B = r_A - d
#include "contact.h"

typedef struct par {
  contact_par contact; // first: what contact.h reads
  double radius[2];
} par;

static const tr_field fields[] = {{"radii", TR_VEC2, TR_LENGTH, offsetof(par, radius), .min = 0,
                                   .max = INFINITY, .doc = "of the spheres about A and B"},
                                  CONTACT_FIELDS,
                                  {0}};

static void touch(const void *pv, int nd, const tr_frame *const *f, touching *at) {
  const par *p = pv;
  double d[3];
  (void)nd;
  v3_sub(f[1]->p, f[0]->p, d);
  double L = v3_norm(d);
  at->h = L > 0 ? L - p->radius[0] - p->radius[1] : 0; // one centre in the other: no direction
  v3_scale(L > 0 ? 1 / L : 0, d, at->n);
  v3_scale(p->radius[0] + 0.5 * at->h, at->n, at->rA);
  v3_sub(at->rA, d, at->rB);
}

// dn = (1 - n n') dd/|d|
static void change(const void *pv, const tr_frame *const *f, const touching *at, const double *d,
                   touching *c) {
  const par *p = pv;
  double de[3], L = at->h + p->radius[0] + p->radius[1], arm = p->radius[0] + 0.5 * at->h;
  (void)f;
  v3_sub(d + 6, d, de);
  c->h = v3_dot(at->n, de);
  for (int i = 0; i < 3; i++) {
    c->n[i] = (de[i] - c->h * at->n[i]) / L;
    c->rA[i] = 0.5 * c->h * at->n[i] + arm * c->n[i];
    c->rB[i] = c->rA[i] - de[i];
  }
}

CONTACT_FUNCTIONS(2, 3)
CONTACT_FUNCTIONS(3, 6)

const tr_force_type tr_force_sphere_sphere = {
    .name = "sphere-sphere",
    .doc = "contact of two spheres about the points of A and B (planar: discs)",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .planar = &ops2,
    .spatial = &ops3,
};
