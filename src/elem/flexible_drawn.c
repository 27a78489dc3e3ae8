// SPDX-License-Identifier: Apache-2.0
// Inertia with stiffening as that of a body with two shapes more; see flexible.h.
//   (M a)_x  = N' ((M_z a_z)_z N + M_z (0, P a)) + (P)' M_z a_z
//   Q_x = N' (Q_zz N + Q_zz' (0, P x') - (M_z g)_z N) + P' (Q_z - M_z g),  g = (0, P x' x')
//   Q_x' = N' (Q_zz' N - 2 M_z (0, P x'))
#include <string.h>

#include "flexible.h"

enum { MOST = 6 + TR_MAX_MODES + 2, CACHE = 32 + 15 * (TR_MAX_MODES + 2) };

typedef struct drawn {
  int n, r, nz; // modes, rigid velocities, r + n + 2
  const double *P;
  double q[MOST + 1], v[MOST], cache[CACHE];
  double N[2][TR_MAX_MODES]; // P x
  tr_body_at at;
} drawn;

// out[k][j] = sum_i P_kij z_i
static void rows_of(const tr_flexible *f, const double *z, double out[2][TR_MAX_MODES]) {
  int n = f->n;
  for (int k = 0; k < 2; k++)
    for (int j = 0; j < n; j++) {
      out[k][j] = 0;
      for (int i = 0; i < n; i++) out[k][j] += f->P[(k * n + i) * n + j] * z[i];
    }
}

static double product(int n, const double *a, const double *b) {
  double sum = 0;
  for (int j = 0; j < n; j++) sum += a[j] * b[j];
  return sum;
}

static void enter(const tr_flex_plain *t, const tr_flexible *f, const void *par,
                  const tr_body_at *b, drawn *d) {
  int n = d->n = f->n, rq = t->rigid_q, r = d->r = t->rigid_v;
  d->nz = r + n + 2, d->P = f->P;
  memcpy(d->q, b->q, (size_t)(rq + n) * sizeof *d->q);
  memcpy(d->v, b->v, (size_t)(r + n) * sizeof *d->v);
  rows_of(f, b->q + rq, d->N);
  for (int k = 0; k < 2; k++) {
    d->q[rq + n + k] = 0.5 * product(n, d->N[k], b->q + rq);
    d->v[r + n + k] = product(n, d->N[k], b->v + r);
  }
  d->at = (tr_body_at){.par = par, .q = d->q, .v = d->v, .cache = d->cache, .t = b->t};
  t->deform(&d->at);
}

// out (r + n) += s N' z
static void pull(const drawn *d, double s, const double *z, double *out) {
  for (int i = 0; i < d->r + d->n; i++) out[i] += s * z[i];
  for (int k = 0; k < 2; k++)
    for (int j = 0; j < d->n; j++) out[d->r + j] += s * d->N[k][j] * z[d->r + d->n + k];
}

// Z (nz x nz) -> out (nv x nv) += s N' Z N
static void pull_both(const drawn *d, double s, const double *Z, double *out) {
  int nv = d->r + d->n, nz = d->nz;
  for (int i = 0; i < nz; i++) {
    double row[MOST] = {0}, one[MOST] = {0};
    pull(d, 1, Z + i * nz, row);
    one[i] = 1;
    double weight[MOST] = {0};
    pull(d, s, one, weight);
    for (int j = 0; j < nv; j++)
      for (int k = 0; weight[j] != 0 && k < nv; k++) out[j * nv + k] += weight[j] * row[k];
  }
}

// out += s N' Z (0, E): columns of the modes
static void pull_last(const drawn *d, double s, const double *Z, double E[2][TR_MAX_MODES],
                      double *out) {
  int nv = d->r + d->n, nz = d->nz;
  for (int k = 0; k < 2; k++) {
    double column[MOST], y[MOST] = {0};
    for (int i = 0; i < nz; i++) column[i] = Z[i * nz + nz - 2 + k];
    pull(d, s, column, y);
    for (int i = 0; i < nv; i++)
      for (int j = 0; j < d->n; j++) out[i * nv + d->r + j] += y[i] * E[k][j];
  }
}

// out += s P' z: z's last two on the modes
static void add_P(const drawn *d, double s, const double *z, double *out) {
  int nv = d->r + d->n, n = d->n;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        out[(d->r + i) * nv + d->r + j] += s * d->P[(k * n + i) * n + j] * z[d->nz - 2 + k];
}

static void times(const drawn *d, const double *M, const double *a, double *out) {
  for (int i = 0; i < d->nz; i++) out[i] = product(d->nz, M + i * d->nz, a);
}

void tr_drawn_mass(const tr_flex_plain *t, const tr_flexible *f, const void *par,
                   const tr_body_at *b, double *M) {
  drawn d;
  double Z[MOST * MOST];
  enter(t, f, par, b, &d);
  t->mass(&d.at, Z);
  int nv = d.r + d.n;
  memset(M, 0, (size_t)(nv * nv) * sizeof *M);
  pull_both(&d, 1, Z, M);
  for (int i = 0; i < nv; i++) // symmetric to the last bit
    for (int j = 0; j < i; j++) M[i * nv + j] = M[j * nv + i];
}

void tr_drawn_add_mass_dq(const tr_flex_plain *t, const tr_flexible *f, const void *par,
                          const tr_body_at *b, const double *a, double *K) {
  drawn d;
  double Z[MOST * MOST], az[MOST], Ma[MOST], E[2][TR_MAX_MODES];
  enter(t, f, par, b, &d);
  memcpy(az, a, (size_t)(d.r + d.n) * sizeof *az);
  for (int k = 0; k < 2; k++) az[d.r + d.n + k] = product(d.n, d.N[k], a + d.r);
  t->mass(&d.at, Z);
  times(&d, Z, az, Ma);
  rows_of(f, a + d.r, E);
  pull_last(&d, 1, Z, E, K);
  add_P(&d, 1, Ma, K);
  memset(Z, 0, (size_t)(d.nz * d.nz) * sizeof *Z);
  t->add_mass_dq(&d.at, az, Z);
  pull_both(&d, 1, Z, K);
}

// F = Q_z - M_z g; M_z to Z, g (nz)
static void pushed(const tr_flex_plain *t, const tr_flexible *f, const drawn *d,
                   const double grav[3], double E[2][TR_MAX_MODES], double *Z, double *g,
                   double *F) {
  memset(g, 0, (size_t)d->nz * sizeof *g);
  rows_of(f, d->v + d->r, E);
  for (int k = 0; k < 2; k++) g[d->r + d->n + k] = product(d->n, E[k], d->v + d->r);
  t->mass(&d->at, Z);
  times(d, Z, g, F);
  for (int i = 0; i < d->nz; i++) F[i] = -F[i];
  t->add_force(&d->at, grav, F);
}

void tr_drawn_add_force(const tr_flex_plain *t, const tr_flexible *f, const void *par,
                        const tr_body_at *b, const double g[3], double *Q) {
  drawn d;
  double Z[MOST * MOST], F[MOST], gz[MOST], E[2][TR_MAX_MODES];
  enter(t, f, par, b, &d);
  pushed(t, f, &d, g, E, Z, gz, F);
  pull(&d, 1, F, Q);
}

void tr_drawn_add_force_tangent(const tr_flex_plain *t, const tr_flexible *f, const void *par,
                                const tr_body_at *b, const double g[3], double *Qq, double *Qv) {
  drawn d;
  double Z[MOST * MOST], V[MOST * MOST], F[MOST], gz[MOST], E[2][TR_MAX_MODES];
  enter(t, f, par, b, &d);
  size_t bytes = (size_t)(d.nz * d.nz) * sizeof *Z;
  pushed(t, f, &d, g, E, Z, gz, F);
  pull_last(&d, -2, Z, E, Qv);
  add_P(&d, 1, F, Qq);
  memset(Z, 0, bytes);
  t->add_mass_dq(&d.at, gz, Z);
  pull_both(&d, -1, Z, Qq);
  memset(Z, 0, bytes), memset(V, 0, bytes);
  t->add_force_tangent(&d.at, g, Z, V);
  pull_both(&d, 1, Z, Qq);
  pull_last(&d, 1, V, E, Qq);
  pull_both(&d, 1, V, Qv);
}

void tr_drawn_energy(const tr_flex_plain *t, const tr_flexible *f, const void *par,
                     const tr_body_at *b, const double g[3], double *kinetic, double *potential) {
  drawn d;
  enter(t, f, par, b, &d);
  t->energy(&d.at, g, kinetic, potential);
}
