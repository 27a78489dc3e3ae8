// SPDX-License-Identifier: Apache-2.0
// Point masses in the plane and in space: q = position, v = q', M = m 1. They carry no rotation: a
// frame on one keeps its axes, and a moment on it does nothing.
#include "elem.h"
#include "math/v3.h"

typedef struct par {
  double mass, position[3], velocity[3];
} par;

#define POINT_FIELDS(kind, zero)                                                    \
  {"mass", TR_REAL, TR_MASS, offsetof(par, mass), .positive = true, .doc = "mass"}, \
      {"position",                                                                  \
       kind,                                                                        \
       TR_LENGTH,                                                                   \
       offsetof(par, position),                                                     \
       zero,                                                                        \
       .start = true,                                                               \
       .doc = "position at the start"},                                             \
      {"velocity",                                                                  \
       kind,                                                                        \
       TR_VELOCITY,                                                                 \
       offsetof(par, velocity),                                                     \
       zero,                                                                        \
       .start = true,                                                               \
       .doc = "velocity at the start"},                                             \
  {                                                                                 \
    0                                                                               \
  }

static const tr_field planar_fields[] = {POINT_FIELDS(TR_VEC2, "[0, 0]")};
static const tr_field spatial_fields[] = {POINT_FIELDS(TR_VEC3, "[0, 0, 0]")};

static const char *const planar_coordinates[] = {"x", "y", NULL};
static const char *const planar_rates[] = {"vx", "vy", NULL};
static const char *const spatial_coordinates[] = {"x", "y", "z", NULL};
static const char *const spatial_rates[] = {"vx", "vy", "vz", NULL};

static void pose(const void *pv, double p[3], double R[9]) {
  v3_copy(((const par *)pv)->position, p);
  m3_identity(R);
}

static void site(const void *pv, const double p[3], const double R[9], tr_site *s) {
  (void)pv;
  v3_copy(p, s->c);
  s->R = R;
  s->angle = atan2(R[3], R[0]);
}

static void start(int n, const par *b, double *q, double *v) {
  for (int i = 0; i < n; i++) q[i] = b->position[i], v[i] = b->velocity[i];
}

static void kinematics(int n, const tr_body_at *b, int count, const tr_site *s, tr_frame *f) {
  for (int k = 0; k < count; k++, s++, f++) {
    v3_copy(s->c, f->p);
    m3_copy(s->R, f->R);
    f->angle = s->angle;
    for (int i = 0; i < 3; i++) f->v[i] = f->w[i] = f->ap[i] = f->aw[i] = 0;
    for (int i = 0; i < n; i++) f->p[i] += b->q[i], f->v[i] = b->v[i];
  }
}

static void mass(int n, const tr_body_at *b, double *M) {
  for (int i = 0; i < n * n; i++) M[i] = i % (n + 1) ? 0 : ((const par *)b->par)->mass;
}

static void add_force(int n, const tr_body_at *b, const double g[3], double *Q) {
  for (int i = 0; i < n; i++) Q[i] += ((const par *)b->par)->mass * g[i];
}

static void energy(int n, const tr_body_at *b, const double g[3], double *kin, double *pot) {
  double m = ((const par *)b->par)->mass;
  *kin = *pot = 0;
  for (int i = 0; i < n; i++) *kin += 0.5 * m * b->v[i] * b->v[i], *pot -= m * g[i] * b->q[i];
}

static void add_wrench_dq(const tr_body_at *b, const tr_site *s, const double *w, double *K) {
  (void)b, (void)s, (void)w, (void)K;
}

// The same functions for n = 2 and n = 3.
#define POINT(n, word)                                                                            \
  static void start_##word(const void *p, double *q, double *v) { start(n, p, q, v); }            \
  static void kinematics_##word(const tr_body_at *b, tr_level level, int count, const tr_site *s, \
                                tr_frame *f) {                                                    \
    (void)level;                                                                                  \
    kinematics(n, b, count, s, f);                                                                \
  }                                                                                               \
  static void pull_##word(const tr_body_at *b, const tr_site *s, const double *w, double *o) {    \
    (void)b, (void)s;                                                                             \
    for (int i = 0; i < n; i++) o[i] += w[i];                                                     \
  }                                                                                               \
  static void twist_##word(const tr_body_at *b, const tr_site *s, double *U) {                    \
    (void)b;                                                                                      \
    for (int i = 0; i < s->nd * n; i++) U[i] = 0;                                                 \
  }                                                                                               \
  static void mass_##word(const tr_body_at *b, double *M) { mass(n, b, M); }                      \
  static void force_##word(const tr_body_at *b, const double g[3], double *Q) {                   \
    add_force(n, b, g, Q);                                                                        \
  }                                                                                               \
  static void energy_##word(const tr_body_at *b, const double g[3], double *k, double *p) {       \
    energy(n, b, g, k, p);                                                                        \
  }                                                                                               \
  const tr_body_type tr_body_##word##_point = {                                                   \
      .name = #word "-point",                                                                     \
      .doc = "point mass, " #word,                                                                \
      .fields = word##_fields,                                                                    \
      .par_size = sizeof(par),                                                                    \
      .dim = n,                                                                                   \
      .nq = n,                                                                                    \
      .nv = n,                                                                                    \
      .constant_mass = true,                                                                      \
      .coordinate_names = word##_coordinates,                                                     \
      .rate_names = word##_rates,                                                                 \
      .pose = pose,                                                                               \
      .start = start_##word,                                                                      \
      .site = site,                                                                               \
      .kinematics = kinematics_##word,                                                            \
      .add_pull = pull_##word,                                                                    \
      .add_wrench_dq = add_wrench_dq,                                                             \
      .twist_dq = twist_##word,                                                                   \
      .mass = mass_##word,                                                                        \
      .add_force = force_##word,                                                                  \
      .energy = energy_##word,                                                                    \
  };

POINT(2, planar)
POINT(3, spatial)
