// SPDX-License-Identifier: Apache-2.0
// Revolute-spherical link: a massless rod of length L hinged to A, hinge axis A's z axis, with a
// ball at B. B's point stays on a circle about A in A's xy plane (2 rows):
//   phi = (d.d - L^2)/(2 L),   z_A . d
// The rod's rows are those of joint_distance.c; lam[0] is its tension. Coordinate: swing, the angle
// of the rod about z_A from x_A.
#include "primitive.h"

static const prim plane[] = {{DOT2, Z, 0}};

typedef struct par {
  double length;
} par;

static const tr_field fields[] = {
    {"length", TR_REAL, TR_LENGTH, offsetof(par, length), "auto", .positive = true,
     .doc = "of the link; by default what it is at the start"},
    {0}};

static const char *start(void *pv, int nd, const tr_frame *const *f) {
  (void)nd;
  par *p = pv;
  if (!isnan(p->length)) return NULL;
  double d[3];
  v3_sub(f[1]->p, f[0]->p, d);
  p->length = v3_norm(d);
  return p->length > 0 ? NULL : "the markers coincide at the start, so length must be given";
}

static void eval(const void *pv, double t, const tr_frame *const *f, const double *mem,
                 const double *lam, double *phi, double *w) {
  (void)t, (void)mem;
  double d[3], L = ((const par *)pv)->length;
  prim_eval(plane, 1, f, lam ? lam + 1 : NULL, phi + 1, w);
  v3_sub(f[1]->p, f[0]->p, d);
  phi[0] = 0.5 * (v3_dot(d, d) / L - L);
  if (lam) v3_axpy(lam[0] / L, d, w), v3_axpy(-lam[0] / L, d, w + 6);
}

static void jac(const void *pv, double t, const tr_frame *const *f, double *G) {
  (void)t;
  double d[3], L = ((const par *)pv)->length;
  v3_sub(f[1]->p, f[0]->p, d);
  memset(G, 0, 12 * sizeof *G);
  v3_scale(-1 / L, d, G), v3_scale(1 / L, d, G + 6);
  prim_jac(plane, 1, 1, f, G + 12);
}

static void geom(const void *pv, double t, const tr_frame *const *f, const double *lam, double *K) {
  (void)t;
  double k = lam[0] / ((const par *)pv)->length, S[9];
  m3_identity(S);
  add_block(K, 0, 0, k, S), add_block(K, 2, 2, k, S);
  add_block(K, 0, 2, -k, S), add_block(K, 2, 0, -k, S);
  prim_geom(plane, 1, f, lam + 1, K);
}

static void gamma3(const void *pv, double t, const tr_frame *const *f, double *out) {
  (void)t;
  double v[3];
  v3_sub(f[1]->v, f[0]->v, v);
  out[0] = v3_dot(v, v) / ((const par *)pv)->length;
  prim_gamma(plane, 1, f, out + 1);
}

static void rate(const void *pv, double t, const tr_frame *const *f, double *out) {
  (void)t;
  double d[3], v[3];
  v3_sub(f[1]->p, f[0]->p, d), v3_sub(f[1]->v, f[0]->v, v);
  out[0] = v3_dot(d, v) / ((const par *)pv)->length;
  prim_rate(plane, 1, f, out + 1);
}

static void measure(const void *pv, double t, const tr_frame *const *f, const double *mem,
                    double *out) {
  (void)pv;
  out[0] = unwrap(atan2(way_along(f, Y), way_along(f, X)), t, mem);
}

static void accept(const void *pv, double t, const tr_frame *const *f, double *mem) {
  double x = way_along(f, X), y = way_along(f, Y), d[3], u[3], v[3], ax[3], ay[3];
  (void)pv;
  m3_axis(f[0]->R, X, ax), m3_axis(f[0]->R, Y, ay);
  v3_sub(f[1]->p, f[0]->p, d), v3_sub(f[1]->v, f[0]->v, v);
  v3_cross(f[0]->w, d, u), v3_sub(v, u, v); // as A sees it
  turn_remember(atan2(y, x), (x * v3_dot(ay, v) - y * v3_dot(ax, v)) / (x * x + y * y), t, mem);
}

static const char *const names[] = {"swing", NULL};
static const tr_joint_ops spatial = {.rows = 2,
                                     .eval = eval,
                                     .jac = jac,
                                     .rate = rate,
                                     .geom = geom,
                                     .gamma = gamma3,
                                     .measure_names = names,
                                     .measure = measure};

const tr_joint_type tr_joint_revolute_spherical = {
    .name = "revolute-spherical",
    .doc = "massless link: hinged to A about A's z axis, with a ball at B",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .nmem = TURN_MEM,
    .spatial = &spatial,
    .start = start,
    .accept = accept,
};
