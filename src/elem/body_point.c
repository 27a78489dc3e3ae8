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

static inline void place_frames(int n, const double *q, const double *v, tr_level level, int count,
                                const tr_site *s, tr_frames frames, tr_frame *f) {
  for (int k = 0; k < count; k++, s++, f = tr_frame_after(frames, f)) {
    for (int i = 0; i < 3; i++) f->p[i] = i < n ? s->c[i] + q[i] : s->c[i];
    for (int i = 0; level >= TR_AT_VELOCITY && i < 3; i++) f->v[i] = i < n ? v[i] : 0;
    for (int i = 0; level >= TR_AT_BIAS && i < 3; i++) f->ap[i] = 0;
    if (n == 2) f->angle = s->angle;
    if (s->point) continue;
    m3_copy(s->R, f->R);
    f->angle = s->angle;
    for (int i = 0; i < 3; i++) f->w[i] = f->aw[i] = 0;
  }
}

static inline void place_run(int n, const tr_bodies_at *b, tr_level level, tr_frames frames) {
  for (const tr_body_slot *s = b->slot; s < b->slot + b->n; s++)
    place_frames(n, b->q + s->q, b->v + s->v, level, (int)s->sites, b->site + s->site, frames,
                 tr_frame_at(frames, s->frame));
}

// out = -(m g + sum W) over the first sites
static inline void gather(int n, const tr_body_slot *s, int sites, const double *g, tr_wrenches W,
                          double *out) {
  double sum[3] = {0}, m = ((const par *)s->par)->mass;
  const double *w = tr_wrench_at(W, s->frame);
  for (int i = 0; g && i < n; i++) sum[i] = m * g[i];
  for (int k = 0; k < sites; k++, w += W.size)
    for (int i = 0; i < n; i++) sum[i] += w[i];
  for (int i = 0; i < n; i++) out[s->v + i] = -sum[i];
}

static inline void gather_run(int n, const tr_bodies_at *b, const double *g, tr_wrenches W,
                              double *F, tr_wrenches W2, double *F2) {
  for (const tr_body_slot *s = b->slot; s < b->slot + b->n; s++) {
    if (W.first) gather(n, s, (int)s->sites, g, W, F);
    if (W2.first) gather(n, s, s->held, NULL, W2, F2);
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
    place_frames(n, b->q, b->v, level, count, s, (tr_frames){f, sizeof *f}, f);                   \
  }                                                                                               \
  static void place_##word(const tr_bodies_at *b, tr_level level, tr_frames frames) {             \
    place_run(n, b, level, frames);                                                               \
  }                                                                                               \
  static void gather_##word(const tr_bodies_at *b, const double g[3], tr_wrenches W, double *F,   \
                            tr_wrenches W2, double *F2) {                                         \
    gather_run(n, b, g, W, F, W2, F2);                                                            \
  }                                                                                               \
  static void pull_run_##word(const tr_bodies_at *b, tr_wrenches W, double *F) {                  \
    gather_run(n, b, NULL, (tr_wrenches){0}, NULL, W, F);                                         \
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
      .kinematics_run = place_##word,                                                             \
      .gather_run = gather_##word,                                                                \
      .pull_run = pull_run_##word,                                                                \
  };

POINT(2, planar)
POINT(3, spatial)
