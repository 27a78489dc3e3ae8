// SPDX-License-Identifier: Apache-2.0
// Modal data: checks, expansion of the tables, sums; see modal.h.
#include "modal.h"

#include <math.h>
#include <string.h>

#include "math/v3.h"

#define FIELDS(space)                                                                    \
  {"nodes", TR_ROWS, TR_NUMBER, offsetof(tr_modal, nodes), .doc = space##_NODES},        \
      {"shapes", TR_ROWS, TR_NUMBER, offsetof(tr_modal, shapes), .doc = space##_SHAPES}, \
      {"stiffness",  TR_ROWS,                                                            \
       TR_NUMBER,    offsetof(tr_modal, stiffness),                                      \
       .flat = true, .doc = "modal stiffness: one number per mode, or a matrix"},        \
      {"mass",                                                                           \
       TR_ROWS,                                                                          \
       TR_NUMBER,                                                                        \
       offsetof(tr_modal, mass),                                                         \
       "[]",                                                                             \
       .flat = true,                                                                     \
       .doc = "modal mass likewise; that of the nodes if absent"},                       \
      {"damping",                                                                        \
       TR_ROWS,                                                                          \
       TR_NUMBER,                                                                        \
       offsetof(tr_modal, damping),                                                      \
       "[]",                                                                             \
       .flat = true,                                                                     \
       .doc = "modal damping likewise; none if absent"},                                 \
      {"damping-ratio",                                                                  \
       TR_REAL,                                                                          \
       TR_NUMBER,                                                                        \
       offsetof(tr_modal, zeta),                                                         \
       "0",                                                                              \
       .min = 0,                                                                         \
       .max = 10,                                                                        \
       .doc = "of every mode, added; needs diagonal mass and stiffness"},                \
      {"rayleigh", TR_VEC2,                                                              \
       TR_NUMBER,  offsetof(tr_modal, rayleigh),                                         \
       "[0, 0]",   .min = 0,                                                             \
       .max = 1e9, .doc = "damping [a, b] = a mass + b stiffness, added, in 1/s and s"}, \
      {"total-mass",                                                                     \
       TR_REAL,                                                                          \
       TR_MASS,                                                                          \
       offsetof(tr_modal, total_mass),                                                   \
       "auto",                                                                           \
       .positive = true,                                                                 \
       .doc = "of the body; that of the nodes if absent"},                               \
  {                                                                                      \
    "com", TR_VEC3, TR_LENGTH, offsetof(tr_modal, com), "auto",                          \
        .doc = "centre of mass, undeformed; that of the nodes if absent"                 \
  }

#define PLANAR_NODES "rows [x, y, mass] or [x, y, mass, inertia] in body axes"
#define PLANAR_SHAPES "rows [ux, uy] or [ux, uy, rz], a row per node, mode after mode"
#define SPATIAL_NODES "rows [x, y, z, mass] or with inertias [.., Dx, Dy, Dz], in body axes"
#define SPATIAL_SHAPES \
  "rows [ux, uy, uz] or with rotations [.., rx, ry, rz], a row per node, mode after mode"

const tr_field tr_modal_planar_fields[] = {
    FIELDS(PLANAR),
    {"inertia", TR_REAL, TR_INERTIA, offsetof(tr_modal, inertia) + 8 * sizeof(double), "auto",
     .positive = true, .doc = "about the centre of mass; that of the nodes if absent"},
    {0}};
const tr_field tr_modal_spatial_fields[] = {
    FIELDS(SPATIAL),
    {"inertia", TR_TENSOR, TR_INERTIA, offsetof(tr_modal, inertia), "auto",
     .doc = "about the centre of mass; that of the nodes if absent"},
    {0}};

int tr_modal_modes(const tr_modal *d) { return d->nodes.rows ? d->shapes.rows / d->nodes.rows : 0; }

// ---- checks -----------------------------------------------------------------------------------------

static bool fits(const tr_rows *r, int n) {
  return r->columns == n && (r->rows == 1 || r->rows == n);
}

static bool symmetric(const tr_rows *r) {
  for (int i = 0; r->rows > 1 && i < r->rows; i++)
    for (int j = 0; j < i; j++) {
      double a = r->x[i * r->columns + j], b = r->x[j * r->columns + i];
      if (fabs(a - b) > 1e-9 * (fabs(a) + fabs(b))) return false;
    }
  return true;
}

static bool diagonal(const tr_rows *r) {
  for (int i = 0; r->rows > 1 && i < r->rows; i++)
    for (int j = 0; j < r->columns; j++)
      if (i != j && r->x[i * r->columns + j] != 0) return false;
  return true;
}

// A diagonal or a matrix, written out.
static void square(const tr_rows *r, int n, double *A) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i * n + j] = r->rows == n && n > 1 ? 0.5 * (r->x[i * n + j] + r->x[j * n + i])
                     : i == j              ? r->x[i]
                                           : 0;
}

// NULL, or what is wrong with a modal matrix for n modes, of three texts: its size, its symmetry, its sign.
static const char *check_matrix(const tr_rows *r, int n, bool definite, const char *const why[3]) {
  double A[TR_MAX_MODES * TR_MAX_MODES], most = 0;
  if (!fits(r, n)) return why[0];
  if (!symmetric(r)) return why[1];
  square(r, n, A);
  for (int i = 0; i < n; i++) most = fmax(most, fabs(A[(n + 1) * i]));
  for (int i = 0; i < n && !definite; i++) A[(n + 1) * i] += 1e-9 * most + 1e-300;
  return tr_flexible_positive(n, A) ? NULL : why[2];
}

static const char *check_matrices(const tr_modal *d, int n) {
  static const char *const stiffness[3] = {
      "modal: stiffness: needs one number per mode, or a matrix",
      "modal: stiffness: the matrix is not symmetric",
      "modal: stiffness: is negative for some deformation; it must be positive or zero for all"};
  static const char *const mass[3] = {
      "modal: mass: needs one number per mode, or a matrix",
      "modal: mass: the matrix is not symmetric",
      "modal: mass: must be positive for every mode, as a matrix positive definite"};
  static const char *const damping[3] = {
      "modal: damping: needs one number per mode, or a matrix",
      "modal: damping: the matrix is not symmetric",
      "modal: damping: is negative for some motion; it must be positive or zero for all"};
  const char *why = check_matrix(&d->stiffness, n, false, stiffness);
  if (!why && d->mass.rows) why = check_matrix(&d->mass, n, true, mass);
  if (!why && d->damping.rows) why = check_matrix(&d->damping, n, false, damping);
  return why;
}

const char *tr_modal_check(const tr_modal *d, bool planar) {
  int lines = planar ? 2 : 3, own = planar ? 1 : 3, n = tr_modal_modes(d);
  if (d->nodes.rows == 0 || (d->nodes.columns != lines + 1 && d->nodes.columns != lines + 1 + own))
    return planar ? "modal: nodes: must be rows [x, y, mass] or [x, y, mass, inertia]"
                  : "modal: nodes: must be rows [x, y, z, mass] or [x, y, z, mass, Dx, Dy, Dz]";
  if (n == 0 || d->shapes.rows % d->nodes.rows)
    return "modal: shapes: need one row for every node, mode after mode";
  if (d->shapes.columns != lines && d->shapes.columns != lines + own)
    return planar ? "modal: shapes: must be rows [ux, uy] or [ux, uy, rz]"
                  : "modal: shapes: must be rows [ux, uy, uz] or [ux, uy, uz, rx, ry, rz]";
  if (n > TR_MAX_MODES) return "modal: shapes: at most 60 modes";
  const char *why = check_matrices(d, n);
  if (why) return why;
  if (d->zeta > 0 && !(diagonal(&d->stiffness) && d->mass.rows && diagonal(&d->mass)))
    return "modal: damping-ratio: needs diagonal mass and stiffness; give damping or rayleigh";
  for (int i = 0; i < d->nodes.rows; i++)
    for (int k = lines; k < d->nodes.columns; k++)
      if (!(d->nodes.x[i * d->nodes.columns + k] >= 0))
        return "modal: nodes: masses and inertias must not be negative";
  return NULL;
}

// ---- sums -------------------------------------------------------------------------------------------

size_t tr_modal_room(const tr_modal *d) {
  int n = tr_modal_modes(d);
  return tr_flexible_room(n) + 6 * (size_t)n * (size_t)d->nodes.rows + (size_t)(n * n);
}

// The tables, node by node, in three dimensions.
static void expand(tr_modal *d, bool planar) {
  int n = tr_modal_modes(d), nodes = d->nodes.rows, columns = d->shapes.columns;
  int lines = planar ? 2 : 3;
  for (int k = 0; k < nodes; k++)
    for (int j = 0; j < n; j++) {
      const double *from = d->shapes.x + (size_t)(j * nodes + k) * (size_t)columns;
      double *phi = d->phi + 3 * ((size_t)k * (size_t)n + (size_t)j);
      double *psi = d->psi + 3 * ((size_t)k * (size_t)n + (size_t)j);
      for (int a = 0; a < 3; a++) phi[a] = psi[a] = 0;
      for (int a = 0; a < lines; a++) phi[a] = from[a];
      if (columns == lines) continue;
      if (planar) psi[2] = from[2];
      for (int a = 0; !planar && a < 3; a++) psi[a] = from[3 + a];
    }
}

static tr_flex_point node_at(const tr_modal *d, int k, bool planar) {
  const double *x = d->nodes.x + (size_t)k * (size_t)d->nodes.columns;
  size_t at = 3 * (size_t)k * (size_t)tr_modal_modes(d);
  tr_flex_point p = {.phi = d->phi + at, .psi = d->psi + at};
  int lines = planar ? 2 : 3;
  for (int a = 0; a < lines; a++) p.c[a] = x[a];
  p.m = x[lines];
  if (planar && d->nodes.columns == 4) p.D[2] = x[3];
  for (int a = 0; !planar && d->nodes.columns == 7 && a < 3; a++) p.D[a] = x[4 + a];
  p.turns = !planar && d->nodes.columns == 7 && d->shapes.columns == 6;
  return p;
}

// What is told of the undeformed body replaces the sums.
static void set_rigid(const tr_modal *d, tr_flexible *f, bool planar) {
  double c[3], J[9];
  bool mass = !isnan(d->total_mass), com = !isnan(d->com[0]), inertia = !isnan(d->inertia[8]);
  double m = mass ? d->total_mass : f->m;
  for (int a = 0; a < 3; a++) c[a] = com ? d->com[a] : f->S0[a] / f->m;
  // about the old centre, then about the new place of it
  double old[3], d2;
  v3_scale(1 / f->m, f->S0, old);
  d2 = v3_dot(old, old);
  for (int i = 0; i < 9; i++)
    J[i] = f->J0[i] - f->m * ((i % 4 == 0 ? d2 : 0) - old[i / 3] * old[i % 3]);
  if (inertia && planar) J[8] = d->inertia[8];
  if (inertia && !planar) m3_copy(d->inertia, J);
  d2 = v3_dot(c, c);
  for (int i = 0; i < 9; i++) f->J0[i] = J[i] + m * ((i % 4 == 0 ? d2 : 0) - c[i / 3] * c[i % 3]);
  f->m = m;
  v3_scale(m, c, f->S0);
}

const char *tr_modal_make(tr_modal *d, bool planar, double *room, tr_flexible **flex) {
  int n = tr_modal_modes(d);
  tr_flexible *f = tr_flexible_new(n, false, room);
  d->phi = room + tr_flexible_room(n);
  d->psi = d->phi + 3 * (size_t)n * (size_t)d->nodes.rows;
  double *M = d->psi + 3 * (size_t)n * (size_t)d->nodes.rows;
  expand(d, planar);
  for (int k = 0; k < d->nodes.rows; k++) {
    tr_flex_point p = node_at(d, k, planar);
    tr_flexible_add(f, &p);
  }
  if (!(f->m > 0)) return "modal: the nodes have no mass";
  set_rigid(d, f, planar);
  square(&d->stiffness, n, f->K);
  if (d->mass.rows) {
    square(&d->mass, n, M);
    tr_flexible_set_mass(f, M);
  }
  if (d->damping.rows) square(&d->damping, n, f->C);
  tr_flexible_damp(f, d->zeta, d->rayleigh);
  *flex = f;
  return tr_flexible_check(f, planar);
}

void tr_modal_shape(const tr_modal *d, const double p[3], bool planar, double *shape) {
  size_t n = (size_t)tr_modal_modes(d);
  int near = 0;
  double best = INFINITY, arm[3] = {0}, x[3];
  for (int k = 0; k < d->nodes.rows; k++) {
    const double *c = d->nodes.x + (size_t)k * (size_t)d->nodes.columns;
    double dx = p[0] - c[0], dy = p[1] - c[1], dz = planar ? 0 : p[2] - c[2];
    double far = dx * dx + dy * dy + dz * dz;
    if (far < best) best = far, near = k, arm[0] = dx, arm[1] = dy, arm[2] = dz;
  }
  memcpy(shape, d->phi + 3 * n * (size_t)near, 3 * n * sizeof *shape);
  memcpy(shape + 3 * n, d->psi + 3 * n * (size_t)near, 3 * n * sizeof *shape);
  for (size_t j = 0; j < n; j++) {
    v3_cross(shape + 3 * (n + j), arm, x);
    v3_axpy(1, x, shape + 3 * j);
  }
}
