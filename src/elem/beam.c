// SPDX-License-Identifier: Apache-2.0
// Beam modes and their integrals; see beam.h.
//
// Hyperbolic functions are written in decaying exponentials, so that high modes do not cancel:
//   cosh x - sigma sinh x = ((1 - sigma) e^x + (1 + sigma) e^-x)/2,   1 - sigma = r/(sinh beta -+ sin beta)
// with r = -e^-beta +- (sin beta - cos beta) of order 1, so (1 - sigma) e^x = 2 r e^(x - beta)/(1 - ...).
#include "beam.h"

#include <math.h>
#include <string.h>

#include "math/v3.h"

const char *const tr_beam_supports[] = {"simply-supported", "clamped-free", "free-free", NULL};

enum { BEND_Y, BEND_Z, AXIAL, TORSION };
enum { SINE, COSINE, HYPERBOLIC };

// A mode but for the place: what its formula has of constants.
typedef struct wave {
  int kind, form;
  double x; // its phase at the end
  double sign, rest, sigma, scale;
} wave;

// A shape function with its derivatives by z = x/L.
typedef struct mode {
  double f, d, dd;
} mode;

// Root k of cos beta cosh beta = sign, by Newton on cos beta - sign/cosh beta.
static double root(int k, double sign) {
  double x = sign > 0 ? (k + 0.5) * TR_PI : (k - 0.5) * TR_PI;
  for (int i = 0; i < 20; i++) {
    double u = 1 / cosh(x);
    x -= (cos(x) - sign * u) / (-sin(x) + sign * u * tanh(x));
  }
  return x;
}

static wave bending(int support, int k) {
  if (support == TR_SIMPLY_SUPPORTED) return (wave){.form = SINE, .x = k * TR_PI};
  double sign = support == TR_CLAMPED_FREE ? -1 : 1, beta = root(k, sign);
  double e = exp(-beta), s = sin(beta), c = cos(beta);
  // (1 - sigma) e^x/2 and (1 + sigma) e^-x/2
  double rest = (-e - sign * (s - c)) / (1 - e * e - sign * 2 * e * s);
  double scale = sign > 0 ? 0.5 : k % 2 ? 0.5 : -0.5;
  return (wave){0, HYPERBOLIC, beta, sign, rest, 1 - 2 * e * rest, scale};
}

// Axial or torsion.
static wave along(int support, int k) {
  bool free = support == TR_FREE_FREE;
  return (wave){.form = free ? COSINE : SINE, .x = free ? k * TR_PI : (k - 0.5) * TR_PI};
}

// All modes of a beam.
static void make_waves(const tr_beam *b, wave *w) {
  const int count[] = {b->bending_y, b->bending_z, b->axial, b->torsion};
  for (int kind = BEND_Y; kind <= TORSION; kind++)
    for (int k = 1; k <= count[kind]; k++, w++) {
      *w = kind <= BEND_Z ? bending(b->support, k) : along(b->support, k);
      w->kind = kind;
    }
}

static mode shape_of(const wave *w, double z) {
  double beta = w->x, x = beta * z, C = cos(x), S = sin(x);
  if (w->form == SINE) return (mode){S, beta * C, -beta * beta * S};
  if (w->form == COSINE) return (mode){C, -beta * S, -beta * beta * C};
  double up = w->rest * exp(x - beta), down = 0.5 * (1 + w->sigma) * exp(-x);
  mode m = {up + down + w->sign * (C - w->sigma * S), up - down + w->sign * (-S - w->sigma * C),
            up + down - w->sign * (C - w->sigma * S)};
  return (mode){w->scale * m.f, w->scale * beta * m.d, w->scale * beta * beta * m.dd};
}

int tr_beam_modes(const tr_beam *b) { return b->bending_y + b->bending_z + b->axial + b->torsion; }

// ---- points -----------------------------------------------------------------------------------------

enum { GAUSS = 8 };
static const double gauss_x[GAUSS / 2] = {0.1834346424956498049, 0.5255324099163289858,
                                          0.7966664774136267396, 0.9602898564975362317};
static const double gauss_w[GAUSS / 2] = {0.3626837833783619830, 0.3137066458778872873,
                                          0.2223810344533744706, 0.1012285362903762591};

// The i-th of GAUSS n points on (0, z) and its weight.
static double gauss(int n, int i, double z, double *weight) {
  int panel = i / GAUSS, k = i % GAUSS;
  double h = z / n, x = k < GAUSS / 2 ? -gauss_x[k] : gauss_x[k - GAUSS / 2];
  *weight = 0.5 * h * gauss_w[k % (GAUSS / 2)];
  return h * (panel + 0.5 + 0.5 * x);
}

// Panels per length: two for each half wave of the products.
static int panels(const tr_beam *b) {
  int most = b->bending_y;
  if (b->bending_z > most) most = b->bending_z;
  if (b->axial > most) most = b->axial;
  if (b->torsion > most) most = b->torsion;
  return 2 * most + 4;
}

// phi and psi (n x 3) on the axis at z.
static void axis_shapes(const tr_beam *b, const wave *w, double z, double *phi, double *psi) {
  int n = tr_beam_modes(b);
  memset(phi, 0, (size_t)(3 * n) * sizeof *phi);
  memset(psi, 0, (size_t)(3 * n) * sizeof *psi);
  for (int j = 0; j < n; j++) {
    mode m = shape_of(&w[j], z);
    switch (w[j].kind) {
      case BEND_Y: phi[3 * j + 1] = m.f, psi[3 * j + 2] = m.d / b->length; break;
      case BEND_Z: phi[3 * j + 2] = m.f, psi[3 * j + 1] = -m.d / b->length; break;
      case AXIAL: phi[3 * j] = m.f; break;
      default: psi[3 * j] = m.f;
    }
  }
}

// b_ij,x += -1/L int over (from, to) of f_i' f_j' dz, where both bend one way.
static void add_shortening(const tr_beam *b, const wave *w, double from, double to, int count,
                           double *out) {
  int n = b->bending_y + b->bending_z, all = tr_beam_modes(b);
  for (int i = 0; i < GAUSS * count && to > from; i++) {
    double weight, z = from + gauss(count, i, to - from, &weight), d[TR_MAX_MODES];
    for (int j = 0; j < n; j++) d[j] = shape_of(&w[j], z).d;
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        if (w[j].kind == w[k].kind) out[3 * (j * all + k)] -= weight * d[j] * d[k] / b->length;
  }
}

void tr_beam_shape(const tr_beam *b, const double p[3], double *shape) {
  int n = tr_beam_modes(b);
  double z = fmin(1, fmax(0, p[0] / b->length)), *phi = shape, *psi = shape + 3 * n;
  double arm[3] = {p[0] - z * b->length, p[1], p[2]}, x[3];
  wave w[TR_MAX_MODES];
  if (n == 0) return; // rigid
  make_waves(b, w);
  axis_shapes(b, w, z, phi, psi);
  for (int j = 0; j < n; j++) {
    v3_cross(psi + 3 * j, arm, x);
    v3_axpy(1, x, phi + 3 * j);
  }
  if (!b->stiffening) return;
  memset(shape + 6 * n, 0, (size_t)(3 * n * n) * sizeof *shape);
  add_shortening(b, w, 0, z, panels(b), shape + 6 * n);
  // the arm turns: 1/2 psi x (psi x arm) to second order
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double y[3];
      v3_cross(psi + 3 * j, arm, x);
      v3_cross(psi + 3 * i, x, y);
      v3_axpy(0.5, y, shape + 6 * n + 3 * (i * n + j));
      v3_axpy(0.5, y, shape + 6 * n + 3 * (j * n + i));
    }
}

// ---- integrals --------------------------------------------------------------------------------------

// room: the body, then phi, psi and b of one point.
size_t tr_beam_room(const tr_beam *b) {
  size_t n = (size_t)tr_beam_modes(b);
  return tr_flexible_room((int)n) + 6 * (n + 2) + 3 * n * n;
}

static double stiffness(const tr_beam *b, const wave *w, double z) {
  mode m = shape_of(w, z);
  double L = b->length;
  switch (w->kind) {
    case BEND_Y: return b->young * b->Iz * m.dd * m.dd / (L * L * L);
    case BEND_Z: return b->young * b->Iy * m.dd * m.dd / (L * L * L);
    case AXIAL: return b->young * b->area * m.d * m.d / L;
    default: return b->shear * b->J * m.d * m.d / L;
  }
}

// The point with the two shapes of drawing in, and sum m c b in place of P1.
static void add_drawn(tr_flexible *f, const tr_flex_point *p, double *phi) {
  int n = f->n;
  phi[3 * n] = 1, phi[3 * n + 3] = p->c[0];
  tr_flexible_add(f->drawn, p);
  for (int k = 0; k < n * n; k++) f->P[n * n + k] += p->m * p->c[0] * p->b[3 * k];
}

// Modes of one kind are orthogonal in mass and stiffness; those of different kinds do not meet.
const char *tr_beam_make(const tr_beam *b, bool planar, double *room, tr_flexible **flex) {
  int n = tr_beam_modes(b), count = panels(b);
  tr_flexible *f = tr_flexible_new(n, b->stiffening, room);
  double *phi = room + tr_flexible_room(n), *psi = phi + 3 * (n + 2), *bend = psi + 3 * (n + 2);
  double before = 0;
  wave w[TR_MAX_MODES];
  make_waves(b, w);
  memset(phi, 0, (size_t)(6 * (n + 2) + 3 * n * n) * sizeof *bend);
  // points in increasing order, so that b is summed on the way
  static const int order[GAUSS] = {3, 2, 1, 0, 4, 5, 6, 7};
  for (int i = 0; i < GAUSS * count; i++) {
    double weight, z = gauss(count, i / GAUSS * GAUSS + order[i % GAUSS], 1, &weight);
    double line = weight * b->length * b->density;
    axis_shapes(b, w, z, phi, psi);
    if (b->stiffening) add_shortening(b, w, before, z, 1, bend);
    before = z;
    tr_flex_point p = {
        line * b->area, {z * b->length, 0, 0}, {line * b->polar, 0, 0}, phi, psi, bend, false};
    tr_flexible_add(f, &p);
    if (b->stiffening) add_drawn(f, &p, phi);
    for (int j = 0; j < n; j++) f->K[(n + 1) * j] += weight * stiffness(b, &w[j], z);
  }
  for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++)
      if (j != k && fabs(f->M[j * n + k]) < 1e-12 * f->m) f->M[j * n + k] = 0;
  tr_flexible_damp(f, b->zeta, b->rayleigh);
  if (b->stiffening) tr_flexible_draw(f);
  *flex = f;
  return tr_flexible_check(f, planar);
}
