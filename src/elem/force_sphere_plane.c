// SPDX-License-Identifier: Apache-2.0
// Contact of a sphere about B's point with the half-space below A's xy plane; in the plane of a
// disc with what is below A's x axis. Law and friction: contact.h.
//
//   n = z_A (planar y_A), h = n.d - r, the contact in the plane below the centre: r_B = -(n.d) n,
//   r_A = d + r_B
#include "contact.h"

typedef struct par {
  contact_par contact; // first: what contact.h reads
  double radius;
} par;

static const tr_field fields[] = {{"radius", TR_REAL, TR_LENGTH, offsetof(par, radius), .min = 0,
                                   .max = INFINITY, .doc = "of the sphere; 0: a point"},
                                  CONTACT_FIELDS,
                                  {0}};

static void touch(const void *pv, int nd, const tr_frame *const *f, touching *at) {
  double d[3];
  m3_axis(f[0]->R, nd == 3 ? 1 : 2, at->n);
  v3_sub(f[1]->p, f[0]->p, d);
  double height = v3_dot(at->n, d);
  at->h = height - ((const par *)pv)->radius;
  v3_scale(-height, at->n, at->rB);
  v3_add(d, at->rB, at->rA);
}

// dn = dt_A x n
static void change(const void *pv, const tr_frame *const *f, const touching *at, const double *d,
                   touching *c) {
  double e[3], de[3], height = at->h + ((const par *)pv)->radius;
  v3_sub(f[1]->p, f[0]->p, e), v3_sub(d + 6, d, de);
  v3_cross(d + 3, at->n, c->n);
  c->h = v3_dot(c->n, e) + v3_dot(at->n, de);
  for (int i = 0; i < 3; i++) {
    c->rB[i] = -c->h * at->n[i] - height * c->n[i];
    c->rA[i] = de[i] + c->rB[i];
  }
}

CONTACT_FUNCTIONS(2, 3)
CONTACT_FUNCTIONS(3, 6)

const tr_force_type tr_force_sphere_plane = {
    .name = "sphere-plane",
    .doc = "contact of a sphere about B with the half-space below A's xy plane (disc, A's x axis)",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .planar = &ops2,
    .spatial = &ops3,
};
