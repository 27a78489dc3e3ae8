// SPDX-License-Identifier: Apache-2.0
// Shape integrals of a deformable body; the equations are in flexible.h.
#include "flexible.h"

#include <math.h>
#include <string.h>

#include "math/v3.h"

const char *const tr_flex_starts[] = {"undeformed", "slow", "given", NULL};

enum { HEAD = (sizeof(tr_flexible) + sizeof(double) - 1) / sizeof(double) };

size_t tr_flexible_room(int n) {
  size_t k = (size_t)n;
  size_t one = HEAD + k * (3 + 3 + 9) + k * k * (9 + 3 + 3 + 3 + 2), z = k + 2;
  return one + HEAD + z * (3 + 3 + 9) + z * z * (9 + 3 + 3); // and the drawn one
}

static tr_flexible *lay_out(int n, double **room) {
  size_t k = (size_t)n;
  tr_flexible *f = (tr_flexible *)(void *)*room;
  double *p = *room + HEAD;
  f->n = n;
  f->S1 = p, p += 3 * k;
  f->X1 = p, p += 3 * k;
  f->J1 = p, p += 9 * k;
  f->J2 = p, p += 9 * k * k;
  f->X2 = p, p += 3 * k * k;
  f->M = p, p += k * k;
  f->K = p, p += k * k;
  f->C = p, p += k * k;
  *room = p;
  return f;
}

tr_flexible *tr_flexible_new(int n, bool stiffening, double *room) {
  size_t k = (size_t)n;
  memset(room, 0, tr_flexible_room(n) * sizeof *room);
  tr_flexible *f = lay_out(n, &room);
  if (!stiffening) return f;
  f->B = room, room += 3 * k * k;
  f->P = room, room += 2 * k * k;
  f->drawn = lay_out(n + 2, &room);
  return f;
}

// J += s (2 a.b 1 - a b' - b a')
static void add_inertia(double s, const double *a, const double *b, double *J) {
  double d = 2 * v3_dot(a, b);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) J[3 * i + j] += s * ((i == j ? d : 0) - a[i] * b[j] - b[i] * a[j]);
}

// J += s ([a] D [b] + [b] D [a]), D diagonal
static void add_turned(double s, const double *a, const double *D, const double *b, double *J) {
  double A[9], B[9];
  m3_skew(a, A), m3_skew(b, B);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        J[3 * i + j] += s * D[k] * (A[3 * i + k] * B[3 * k + j] + A[3 * j + k] * B[3 * k + i]);
}

// J += s ([a] [b] D + D [b] [a]), D diagonal
static void add_turned_twice(double s, const double *a, const double *b, const double *D,
                             double *J) {
  double d = v3_dot(a, b);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      // [a] [b] = b a' - a.b 1
      double ab = b[i] * a[j] - (i == j ? d : 0), ba = a[i] * b[j] - (i == j ? d : 0);
      J[3 * i + j] += s * (ab * D[j] + D[i] * ba);
    }
}

// A D A' and A D (psi' - psi x psi'/2) to second order, A = 1 + [psi] + [psi]^2/2
static void add_turned_pair(tr_flexible *f, const tr_flex_point *p, const double *a,
                            const double *b, int k) {
  double *J2 = f->J2 + 9 * k, *X2 = f->X2 + 3 * k, Db[3], x[3], y[3];
  add_turned(-0.5, a, p->D, b, J2);
  add_turned_twice(0.25, a, b, p->D, J2);
  add_turned_twice(0.25, b, a, p->D, J2);
  for (int i = 0; i < 3; i++) Db[i] = p->D[i] * b[i];
  v3_cross(a, Db, x);
  v3_cross(a, b, y);
  for (int i = 0; i < 3; i++) X2[i] += x[i] - 0.5 * p->D[i] * y[i];
}

static void add_pair(tr_flexible *f, const tr_flex_point *p, int i, int j) {
  const double *pi = p->phi + 3 * i, *pj = p->phi + 3 * j, *ti = p->psi + 3 * i,
               *tj = p->psi + 3 * j;
  int k = i * f->n + j;
  double x[3];
  add_inertia(0.5 * p->m, pi, pj, f->J2 + 9 * k);
  v3_cross(pi, pj, x);
  v3_axpy(p->m, x, f->X2 + 3 * k);
  f->M[k] += p->m * v3_dot(pi, pj);
  for (int a = 0; a < 3; a++) f->M[k] += p->D[a] * (ti[a] * tj[a]);
  if (p->turns) add_turned_pair(f, p, ti, tj, k);
  if (!f->B) return;
  v3_axpy(p->m, p->b + 3 * k, f->B + 3 * k);
}

void tr_flexible_add(tr_flexible *f, const tr_flex_point *p) {
  f->m += p->m;
  v3_axpy(p->m, p->c, f->S0);
  add_inertia(0.5 * p->m, p->c, p->c, f->J0);
  for (int a = 0; a < 3; a++) f->J0[4 * a] += p->D[a];
  for (int j = 0; j < f->n; j++) {
    const double *phi = p->phi + 3 * j, *psi = p->psi + 3 * j;
    double x[3];
    v3_axpy(p->m, phi, f->S1 + 3 * j);
    add_inertia(p->m, p->c, phi, f->J1 + 9 * j);
    v3_cross(p->c, phi, x);
    v3_axpy(p->m, x, f->X1 + 3 * j);
    for (int a = 0; a < 3; a++) f->X1[3 * j + a] += p->D[a] * psi[a];
    if (p->turns) { // [psi] D - D [psi]
      f->turns = true;
      double S[9];
      m3_skew(psi, S);
      for (int k = 0; k < 9; k++) f->J1[9 * j + k] += S[k] * (p->D[k % 3] - p->D[k / 3]);
    }
    for (int i = 0; i < f->n; i++) add_pair(f, p, i, j);
  }
}

void tr_flexible_set_mass(tr_flexible *f, const double *M) {
  for (int k = 0; k < f->n * f->n; k++) {
    for (int a = 0; a < 3; a++) f->J2[9 * k + 4 * a] += M[k] - f->M[k];
    f->M[k] = M[k];
  }
}

void tr_flexible_damp(tr_flexible *f, double zeta, const double rayleigh[2]) {
  int n = f->n;
  for (int k = 0; k < n * n; k++) f->C[k] += rayleigh[0] * f->M[k] + rayleigh[1] * f->K[k];
  for (int j = 0; j < n; j++)
    f->C[(n + 1) * j] += 2 * zeta * sqrt(fmax(0, f->K[(n + 1) * j] * f->M[(n + 1) * j]));
}

void tr_flexible_draw(tr_flexible *f) {
  int n = f->n;
  double m = f->m, S = f->S0[0], I = f->J0[4], det = m * I - S * S;
  for (int k = 0; k < n * n; k++) { // sum m (p + q c) and sum m c (p + q c)
    double B = f->B[3 * k], c = f->P[n * n + k];
    f->P[k] = (I * B - S * c) / det;
    f->P[n * n + k] = (m * c - S * B) / det;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      f->drawn->K[i * (n + 2) + j] = f->K[i * n + j];
      f->drawn->C[i * (n + 2) + j] = f->C[i * n + j];
    }
}

bool tr_flexible_positive(int n, double *A) {
  for (int j = 0; j < n; j++) {
    double d = A[j * n + j], first = d;
    for (int k = 0; k < j; k++) d -= A[j * n + k] * A[j * n + k];
    if (!(d > 1e-14 * first) || !isfinite(d)) return false;
    A[j * n + j] = sqrt(d);
    for (int i = j + 1; i < n; i++) {
      double x = A[i * n + j];
      for (int k = 0; k < j; k++) x -= A[i * n + k] * A[j * n + k];
      A[i * n + j] = x / A[j * n + j];
    }
  }
  return true;
}

// The mass matrix of the undeformed body in body axes: origin, rotation, modes.
static void whole_mass(const tr_flexible *f, bool planar, double *A) {
  int r = planar ? 3 : 6, lines = planar ? 2 : 3, N = r + f->n;
  double S[9];
  memset(A, 0, (size_t)(N * N) * sizeof *A);
  m3_skew(f->S0, S);
  for (int i = 0; i < lines; i++) {
    A[i * N + i] = f->m;
    for (int j = 0; j < r - lines; j++)
      A[i * N + lines + j] = A[(lines + j) * N + i] = -S[3 * i + (planar ? 2 : j)];
    for (int j = 0; j < f->n; j++) A[i * N + r + j] = A[(r + j) * N + i] = f->S1[3 * j + i];
  }
  for (int i = 0; i < r - lines; i++) {
    int a = planar ? 2 : i;
    for (int j = 0; j < r - lines; j++)
      A[(lines + i) * N + lines + j] = f->J0[3 * a + (planar ? 2 : j)];
    for (int j = 0; j < f->n; j++)
      A[(lines + i) * N + r + j] = A[(r + j) * N + lines + i] = f->X1[3 * j + a];
  }
  for (int i = 0; i < f->n; i++)
    for (int j = 0; j < f->n; j++) A[(r + i) * N + r + j] = f->M[i * f->n + j];
}

const char *tr_flexible_check(const tr_flexible *f, bool planar) {
  enum { MOST = 6 + TR_MAX_MODES };
  double A[MOST * MOST];
  whole_mass(f, planar, A);
  if (!tr_flexible_positive((planar ? 3 : 6) + f->n, A))
    return "its mass matrix is not positive definite: a mode that moves as the whole body does, "
           "two modes alike, no inertia about an axis, or a total mass less than its modes move";
  return NULL;
}

// ---- sites ------------------------------------------------------------------------------------------

int tr_flexible_shape_size(const tr_flexible *f) { return f->n * (f->B ? 6 + 3 * f->n : 6); }

const double *tr_flexible_place(const tr_flexible *f, const tr_site *s, const double *x,
                                double y[3], double *room) {
  const double *phi = s->shape, *Y = phi;
  if (tr_flexible_bend(f, s, x, room)) {
    for (int k = 0; k < 3 * f->n; k++) room[k] += phi[k];
    Y = room;
  }
  v3_copy(s->c, y);
  for (int j = 0; j < f->n; j++)
    for (int a = 0; a < 3; a++) y[a] += 0.5 * (phi[3 * j + a] + Y[3 * j + a]) * x[j];
  return Y;
}

bool tr_flexible_bend(const tr_flexible *f, const tr_site *s, const double *z, double *out) {
  int n = f->n;
  if (!f->B) return false;
  const double *b = s->shape + 6 * n;
  memset(out, 0, (size_t)(3 * n) * sizeof *out);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3 * n; k++) out[k] += z[i] * b[3 * n * i + k];
  return true;
}

// ---- start ------------------------------------------------------------------------------------------

const char *tr_flex_deform_check(const tr_flex_deform *d, int n) {
  int x = d->x.rows * d->x.columns, rate = d->rate.rows * d->rate.columns;
  if (d->start != TR_FLEX_GIVEN)
    return x || rate ? "deformation: it and its rate go with start: given" : NULL;
  if (x != n) return "deformation: needs one number per mode";
  return rate == n || rate == 0 ? NULL : "deformation-rate: needs one number per mode";
}

void tr_flex_deform_start(const tr_flex_deform *d, int n, double *x, double *rate) {
  bool given = d->start == TR_FLEX_GIVEN;
  for (int j = 0; j < n; j++) {
    x[j] = given && d->x.rows ? d->x.x[j] : 0;
    rate[j] = given && d->rate.rows ? d->rate.x[j] : 0;
  }
}
