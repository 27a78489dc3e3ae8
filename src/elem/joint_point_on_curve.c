// SPDX-License-Identifier: Apache-2.0
// Point on a curve: B's point stays on a plane curve fixed in A's xy plane, the cubic spline
// through given points (curve.h). Planar 1 row; spatial 2, the second keeps it in the plane. A cam
// with a roller follower is the same with B, the roller's centre, at a distance from a closed
// curve: B stays in touch.
//
//   phi = e(x, y) -+ r,  (x, y) = d in A's axes;   N = n and T = t in global axes
//   G = (-N, N x d, N, 0) as of an axis fixed in A; beyond that its derivative has
//   -k/(1 - k e) q q',  q = (-T, T x d, T, 0),   since the foot moves along
// The curve must not bend inside the point's distance: 1 - k e > 0. Coordinate: u, the chord length
// of the foot from the first point.
#include "curve.h"
#include "force.h"
#include "primitive.h"

typedef struct par {
  tr_rows points;
  bool closed;
  int inside;
  double radius;
  double offset; // of e, with its sign
} par;

static const char *const sides[] = {"outside", "inside", NULL};
static const tr_field curve_fields[] = {
    {"points", TR_ROWS, TR_LENGTH, offsetof(par, points),
     .doc = "x, y in A's axes, in the order of the curve"},
    {"closed", TR_BOOL, TR_NUMBER, offsetof(par, closed), "false",
     .doc = "whether the last point is followed by the first"},
    {0}};
static const tr_field cam_fields[] = {
    {"points", TR_ROWS, TR_LENGTH, offsetof(par, points),
     .doc = "x, y of the profile in A's axes, all around; the curve is closed"},
    {"radius", TR_REAL, TR_LENGTH, offsetof(par, radius), "0", .min = 0, .max = INFINITY,
     .doc = "of the roller about B's point; 0: a point"},
    {"side", TR_CHOICE, TR_NUMBER, offsetof(par, inside), "outside", .doc = "where the roller runs",
     .choices = sides},
    {0}};

static const char *start_curve(void *pv, int nd, const tr_frame *const *f) {
  par *p = pv;
  (void)nd, (void)f;
  p->offset = 0;
  return curve_prepare(&p->points, p->closed);
}

// Counterclockwise, the left of the curve is its inside.
static const char *start_cam(void *pv, int nd, const tr_frame *const *f) {
  par *p = pv;
  (void)nd, (void)f;
  p->closed = true;
  const char *why = curve_prepare(&p->points, true);
  if (why) return why;
  const double *x = p->points.x;
  double area = 0;
  for (int i = 0, n = p->points.rows; i < n; i++) {
    int j = (i + 1) % n;
    area += x[2 * i] * x[2 * j + 1] - x[2 * j] * x[2 * i + 1];
  }
  p->offset = (area > 0) == (p->inside == 1) ? p->radius : -p->radius;
  return NULL;
}

typedef struct place {
  foot foot;
  double T[3], d[3];
  tr_frame A; // with N for its z axis
  const tr_frame *f[2];
} place;

static const prim along[] = {{DOT2, Z, 0}};

static void look(const par *p, const tr_frame *const *f, place *k) {
  double local[3];
  v3_sub(f[1]->p, f[0]->p, k->d);
  m3_tmul(f[0]->R, k->d, local);
  k->foot = curve_foot(&p->points, p->closed, local);
  const double *t = k->foot.t;
  k->A = *f[0];
  for (int i = 0; i < 3; i++) {
    double x = f[0]->R[3 * i], y = f[0]->R[3 * i + 1];
    k->T[i] = t[0] * x + t[1] * y;
    k->A.R[3 * i + 2] = -t[1] * x + t[0] * y;
  }
  k->f[0] = &k->A, k->f[1] = f[1];
}

static double bending(const place *k) { return k->foot.k / (1 - k->foot.k * k->foot.e); }

static void eval3(const void *pv, double t, const tr_frame *const *f, const double *mem,
                  const double *lam, double *phi, double *w) {
  place k;
  double more[12], unused;
  (void)t, (void)mem;
  look(pv, f, &k);
  prim_eval(along, 1, k.f, lam, &unused, w);
  phi[0] = k.foot.e - ((const par *)pv)->offset;
  prim_eval(along, 1, f, lam ? lam + 1 : NULL, phi + 1, more);
  for (int i = 0; lam && i < 12; i++) w[i] += more[i];
}

static void jac3(const void *pv, double t, const tr_frame *const *f, double *G) {
  place k;
  (void)t;
  look(pv, f, &k);
  prim_jac(along, 1, 1, k.f, G), prim_jac(along, 1, 1, f, G + 12);
}

static void look3(const void *pv, double t, const tr_frame *const *f, const double *mem,
                  double *phi, double *phi_t, double *G) {
  place k;
  (void)t, (void)mem;
  look(pv, f, &k);
  phi[0] = k.foot.e - ((const par *)pv)->offset;
  prim_eval(along, 1, f, NULL, phi + 1, NULL);
  phi_t[0] = phi_t[1] = 0;
  prim_jac(along, 1, 1, k.f, G), prim_jac(along, 1, 1, f, G + 12);
}

static void geom3(const void *pv, double t, const tr_frame *const *f, const double *lam,
                  double *K) {
  place k;
  double q[12] = {0};
  (void)t;
  look(pv, f, &k);
  prim_geom(along, 1, k.f, lam, K);
  v3_scale(-1, k.T, q), v3_cross(k.T, k.d, q + 3), v3_copy(k.T, q + 6);
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++) K[12 * i + j] -= lam[0] * bending(&k) * q[i] * q[j];
  prim_geom(along, 1, f, lam + 1, K);
}

static void gamma3(const void *pv, double t, const tr_frame *const *f, double *out) {
  place k;
  double v[3], spin[3];
  (void)t;
  look(pv, f, &k);
  prim_gamma(along, 1, k.f, out), prim_gamma(along, 1, f, out + 1);
  v3_sub(f[1]->v, f[0]->v, v);
  v3_cross(f[0]->w, k.d, spin), v3_axpy(-1, spin, v); // as seen in A
  double speed = v3_dot(k.T, v);
  out[0] -= bending(&k) * speed * speed;
}

static void measure3(const void *pv, double t, const tr_frame *const *f, const double *mem,
                     double *out) {
  place k;
  (void)t, (void)mem;
  look(pv, f, &k);
  out[0] = k.foot.u;
}

// ---- the plane, as a part of space: the first row -----------------------------------------------

typedef struct pair {
  tr_frame g[2];
  const tr_frame *f[2];
} pair;

static void lift(const tr_frame *const *f, pair *p) {
  for (int k = 0; k < 2; k++) embed(f[k], &p->g[k]), p->f[k] = &p->g[k];
}

static void eval2(const void *pv, double t, const tr_frame *const *f, const double *mem,
                  const double *lam, double *phi, double *w) {
  pair p;
  double rows[2], full[12], two[2] = {lam ? lam[0] : 0, 0};
  lift(f, &p);
  eval3(pv, t, p.f, mem, lam ? two : NULL, rows, full);
  phi[0] = rows[0];
  for (int i = 0; lam && i < 6; i++) w[i] = full[in_plane[i]];
}

static void jac2(const void *pv, double t, const tr_frame *const *f, double *G) {
  pair p;
  double full[24];
  lift(f, &p);
  jac3(pv, t, p.f, full);
  for (int i = 0; i < 6; i++) G[i] = full[in_plane[i]];
}

static void look2(const void *pv, double t, const tr_frame *const *f, const double *mem,
                  double *phi, double *phi_t, double *G) {
  pair p;
  double rows[2], unused[2], full[24];
  lift(f, &p);
  look3(pv, t, p.f, mem, rows, unused, full);
  phi[0] = rows[0], phi_t[0] = 0;
  for (int i = 0; i < 6; i++) G[i] = full[in_plane[i]];
}

static void geom2(const void *pv, double t, const tr_frame *const *f, const double *lam,
                  double *K) {
  pair p;
  double full[144] = {0}, two[2] = {lam[0], 0};
  lift(f, &p);
  geom3(pv, t, p.f, two, full);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) K[6 * i + j] += full[12 * in_plane[i] + in_plane[j]];
}

static void gamma2(const void *pv, double t, const tr_frame *const *f, double *out) {
  pair p;
  double rows[2];
  lift(f, &p);
  gamma3(pv, t, p.f, rows);
  out[0] = rows[0];
}

static void measure2(const void *pv, double t, const tr_frame *const *f, const double *mem,
                     double *out) {
  pair p;
  lift(f, &p);
  measure3(pv, t, p.f, mem, out);
}

static const char *const names[] = {"u", NULL};
static const tr_joint_ops planar = {.rows = 1,
                                    .dense = true,
                                    .eval = eval2,
                                    .jac = jac2,
                                    .geom = geom2,
                                    .gamma = gamma2,
                                    .look = look2,
                                    .measure_names = names,
                                    .measure = measure2};
static const tr_joint_ops spatial = {.rows = 2,
                                     .dense = true,
                                     .eval = eval3,
                                     .jac = jac3,
                                     .geom = geom3,
                                     .gamma = gamma3,
                                     .look = look3,
                                     .measure_names = names,
                                     .measure = measure3};

const tr_joint_type tr_joint_point_on_curve = {
    .name = "point-on-curve",
    .doc = "B's point stays on a curve in A's xy plane, the cubic spline through given points",
    .fields = curve_fields,
    .par_size = sizeof(par),
    .markers = 2,
    .planar = &planar,
    .spatial = &spatial,
    .start = start_curve,
};

const tr_joint_type tr_joint_cam = {
    .name = "cam",
    .doc = "cam and roller: B's point keeps its distance from a closed curve in A's xy plane",
    .fields = cam_fields,
    .par_size = sizeof(par),
    .markers = 2,
    .planar = &planar,
    .spatial = &spatial,
    .start = start_cam,
};
