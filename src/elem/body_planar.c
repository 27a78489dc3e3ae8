// SPDX-License-Identifier: Apache-2.0
// Planar rigid body: q = (x, y, angle) of the centre of mass, v = q'.
//
// M = diag(m, m, I) is constant. A marker at c in body axes, arm r = R(angle) c:
//   p = (x, y) + r,   u = (v + omega z x r, omega),   bias acceleration -omega^2 r
//   J' w = (f, n + r x f),   (J' w)_q has one entry: d(r x f)/dangle = -r . f
// cache: cos, sin of the angle.
#include <math.h>

#include "body_run.h"
#include "elem.h"

typedef struct par {
  double mass, inertia, com[2], position[2], angle, velocity[2], omega;
} par;

static const tr_field fields[] = {
    {"mass", TR_REAL, TR_MASS, offsetof(par, mass), .positive = true, .doc = "mass"},
    {"inertia", TR_REAL, TR_INERTIA, offsetof(par, inertia), .positive = true,
     .doc = "moment of inertia about the centre of mass"},
    {"com", TR_VEC2, TR_LENGTH, offsetof(par, com), "[0, 0]",
     .doc = "centre of mass in body axes, from the origin"},
    {"position", TR_VEC2, TR_LENGTH, offsetof(par, position), "[0, 0]",
     .doc = "origin at the start"},
    {"angle", TR_REAL, TR_ANGLE, offsetof(par, angle), "0", .doc = "angle at the start"},
    {"velocity", TR_VEC2, TR_VELOCITY, offsetof(par, velocity), "[0, 0]",
     .doc = "velocity of the origin at the start"},
    {"omega", TR_REAL, TR_ANGULAR_VELOCITY, offsetof(par, omega), "0",
     .doc = "angular velocity at the start"},
    {0}};

static const char *const coordinate_names[] = {"x", "y", "angle", NULL};
static const char *const rate_names[] = {"vx", "vy", "omega", NULL};

static void pose(const void *pv, double p[3], double R[9]) {
  const par *b = pv;
  double c = cos(b->angle), s = sin(b->angle);
  p[0] = b->position[0], p[1] = b->position[1], p[2] = 0;
  for (int i = 0; i < 9; i++) R[i] = 0;
  R[0] = c, R[1] = -s, R[3] = s, R[4] = c, R[8] = 1;
}

static void start(const void *pv, double *q, double *v) {
  const par *b = pv;
  double c = cos(b->angle), s = sin(b->angle);
  double rx = c * b->com[0] - s * b->com[1], ry = s * b->com[0] + c * b->com[1];
  q[0] = b->position[0] + rx, q[1] = b->position[1] + ry, q[2] = b->angle;
  v[0] = b->velocity[0] - b->omega * ry, v[1] = b->velocity[1] + b->omega * rx, v[2] = b->omega;
}

static void site(const void *pv, const double p[3], const double R[9], tr_site *s) {
  const par *b = pv;
  s->c[0] = p[0] - b->com[0], s->c[1] = p[1] - b->com[1], s->c[2] = p[2];
  for (int i = 0; i < 9; i++) s->R[i] = R[i];
  s->angle = atan2(R[3], R[0]);
}

// What a spatial element sees of a planar body: the same motion in three dimensions.
static void lift(const tr_body_at *b, const tr_site *s, tr_frame *f) {
  double c = b->cache[0], n = b->cache[1];
  const double *L = s->R;
  for (int j = 0; j < 3; j++) {
    f->R[j] = c * L[j] - n * L[3 + j];
    f->R[3 + j] = n * L[j] + c * L[3 + j];
    f->R[6 + j] = L[6 + j];
  }
  f->p[2] = s->c[2];
  f->v[2] = f->ap[2] = f->w[0] = f->w[1] = f->aw[0] = f->aw[1] = 0;
}

static void kinematics(const tr_body_at *b, tr_level level, int n, const tr_site *site,
                       tr_frame *f) {
  const double *q = b->q, *v = b->v;
  double c = cos(q[2]), s = sin(q[2]);
  b->cache[0] = c, b->cache[1] = s;
  for (int k = 0; k < n; k++, site++, f++) {
    double rx = c * site->c[0] - s * site->c[1], ry = s * site->c[0] + c * site->c[1];
    f->p[0] = q[0] + rx, f->p[1] = q[1] + ry;
    f->angle = q[2] + site->angle;
    if (site->nd == 6) {
      lift(b, site, f);
    } else if (!site->point) {
      // R(angle) R(site)
      double fc = c * site->R[0] - s * site->R[3], fs = s * site->R[0] + c * site->R[3];
      f->R[0] = fc, f->R[1] = -fs, f->R[3] = fs, f->R[4] = fc;
    }
    if (level < TR_AT_VELOCITY) continue;
    f->v[0] = v[0] - v[2] * ry, f->v[1] = v[1] + v[2] * rx, f->w[2] = v[2];
    f->ap[0] = -v[2] * v[2] * rx, f->ap[1] = -v[2] * v[2] * ry, f->aw[2] = 0;
  }
}

static void arm(const tr_body_at *b, const tr_site *s, double *rx, double *ry) {
  *rx = b->cache[0] * s->c[0] - b->cache[1] * s->c[1];
  *ry = b->cache[1] * s->c[0] + b->cache[0] * s->c[1];
}

static void add_pull(const tr_body_at *b, const tr_site *s, const double *w, double *out) {
  double rx, ry;
  arm(b, s, &rx, &ry);
  out[0] += w[0], out[1] += w[1], out[2] += w[s->nd - 1] + rx * w[1] - ry * w[0];
}

static void add_wrench_dq(const tr_body_at *b, const tr_site *s, const double *w, double *K) {
  double rx, ry;
  arm(b, s, &rx, &ry);
  K[8] -= rx * w[0] + ry * w[1];
}

static void twist_dq(const tr_body_at *b, const tr_site *s, double *U) {
  double rx, ry;
  arm(b, s, &rx, &ry);
  for (int i = 0; i < 3 * s->nd; i++) U[i] = 0;
  U[2] = -b->v[2] * rx, U[5] = -b->v[2] * ry;
}

static void mass(const tr_body_at *b, double *M) {
  const par *p = b->par;
  for (int i = 0; i < 9; i++) M[i] = 0;
  M[0] = M[4] = p->mass, M[8] = p->inertia;
}

static void add_force(const tr_body_at *b, const double g[3], double *Q) {
  const par *p = b->par;
  Q[0] += p->mass * g[0], Q[1] += p->mass * g[1];
}

static void energy(const tr_body_at *b, const double g[3], double *kinetic, double *potential) {
  const par *p = b->par;
  const double *q = b->q, *v = b->v;
  *kinetic = 0.5 * (p->mass * (v[0] * v[0] + v[1] * v[1]) + p->inertia * v[2] * v[2]);
  *potential = -p->mass * (g[0] * q[0] + g[1] * q[1]);
}

// (sign, 0, -sign ry), (0, sign, sign rx), and nothing in the third direction
static void point_rows(const tr_body_at *b, const tr_site *s, double sign, int stride, double *G) {
  double rx, ry;
  arm(b, s, &rx, &ry);
  G[0] = sign, G[1] = 0, G[2] = -sign * ry;
  G[stride] = 0, G[stride + 1] = sign, G[stride + 2] = sign * rx;
  if (s->nd == 6) G[2 * stride] = G[2 * stride + 1] = G[2 * stride + 2] = 0;
}

static void tangent(const tr_body_at *b, const double g[3], int n, const tr_site *s,
                    const double *W, double cm, double ck, double cd, double *K) {
  const par *p = b->par;
  (void)g, (void)cd;
  for (int k = 0; k < n; k++, s++, W += 6) add_wrench_dq(b, s, W, K);
  K[0] = K[4] = cm * p->mass, K[8] = cm * p->inertia - ck * K[8];
}

TR_BODY_RUNS(3)

const tr_body_type tr_body_planar = {
    .name = "planar",
    .doc = "rigid body in the x-y plane",
    .fields = fields,
    .par_size = sizeof(par),
    .dim = 2,
    .nq = 3,
    .nv = 3,
    .ncache = 2,
    .constant_mass = true,
    .coordinate_names = coordinate_names,
    .rate_names = rate_names,
    .pose = pose,
    .start = start,
    .site = site,
    .kinematics = kinematics,
    .add_pull = add_pull,
    .add_wrench_dq = add_wrench_dq,
    .twist_dq = twist_dq,
    .mass = mass,
    .add_force = add_force,
    .energy = energy,
    .kinematics_run = kinematics_run,
    .gather_run = gather_run,
    .pull_run = pull_run,
    .pull_rows = pull_rows,
    .point_rows = point_rows,
    .tangent = tangent,
};
