// SPDX-License-Identifier: Apache-2.0
// Beam force: a massless Timoshenko beam of length L along A's x axis, clamped at both frames.
// Stress-free when B stands at (L, 0, 0) of A with parallel axes.
//
// The stiffness of B against A (A's axes, x = place - (L, 0, 0), rotation vector; six.h):
//   x: E A/L,  xx: G J/L
//   y, zz: E Iz/(L^3 (1 + Py)) [12, -6 L; -6 L, (4 + Py) L^2],  Py = 12 E Iz s_y/(G A L^2)
//   z, yy: E Iy/(L^3 (1 + Pz)) [12, +6 L; +6 L, (4 + Pz) L^2],  Pz = 12 E Iy s_z/(G A L^2)
// s = 0 is Euler and Bernoulli's beam. A's end takes the reaction. C = tau K. For deflections that
// are small against L; a slender part is better cut into several.
#include <math.h>

#include "six.h"

typedef struct par {
  six_par six; // first: what six.h reads
  double length, young, shear, area, Iy, Iz, J, sy, sz, tau;
} par;

static const tr_field fields[] = {
    {"length", TR_REAL, TR_LENGTH, offsetof(par, length), "auto", .positive = true,
     .doc = "L, without load; by default the distance at the start"},
    {"young", TR_REAL, TR_PRESSURE, offsetof(par, young), .positive = true, .doc = "modulus E"},
    {"shear", TR_REAL, TR_PRESSURE, offsetof(par, shear), "auto", .positive = true,
     .doc = "modulus G; by default E/2.6"},
    {"area", TR_REAL, TR_AREA, offsetof(par, area), .positive = true, .doc = "A"},
    {"Iy", TR_REAL, TR_AREA_MOMENT, offsetof(par, Iy), .positive = true,
     .doc = "second moment of area about y: bending in the xz plane"},
    {"Iz", TR_REAL, TR_AREA_MOMENT, offsetof(par, Iz), .positive = true,
     .doc = "second moment of area about z: bending in the xy plane"},
    {"J", TR_REAL, TR_AREA_MOMENT, offsetof(par, J), "auto", .positive = true,
     .doc = "torsion constant; by default Iy + Iz, as of a round section"},
    {"shear-y", TR_REAL, TR_NUMBER, offsetof(par, sy), "0", .min = 0, .max = 10,
     .doc = "s_y, shear deflection along y: 1.2 of a rectangle, 0: none"},
    {"shear-z", TR_REAL, TR_NUMBER, offsetof(par, sz), "0", .min = 0, .max = 10,
     .doc = "s_z, along z"},
    {"damping-time", TR_REAL, TR_TIME, offsetof(par, tau), "0", .min = 0, .max = INFINITY,
     .doc = "tau: damping over stiffness"},
    {0}};

// Bending: place i, rotation j, the sign of their coupling.
static void bend(const par *p, double EI, double shear, double sign, int i, int j, double *K) {
  double L = p->length, P = 12 * EI * shear / (p->shear * p->area * L * L);
  double k = EI / (L * L * L * (1 + P));
  K[7 * i] = 12 * k, K[7 * j] = (4 + P) * L * L * k;
  K[6 * i + j] = K[6 * j + i] = sign * 6 * L * k;
}

static const char *start(void *pv, int nd, const tr_frame *const *f) {
  par *p = pv;
  double d[3] = {0}, *K = p->six.K;
  for (int i = 0; i < (nd == 3 ? 2 : 3); i++) d[i] = f[1]->p[i] - f[0]->p[i];
  if (isnan(p->length)) p->length = v3_norm(d);
  if (!(p->length > 0)) return "the markers coincide at the start, so length must be given";
  if (isnan(p->shear)) p->shear = p->young / 2.6;
  if (isnan(p->J)) p->J = p->Iy + p->Iz;
  memset(K, 0, 36 * sizeof *K);
  K[0] = p->young * p->area / p->length;
  K[7 * 3] = p->shear * p->J / p->length;
  bend(p, p->young * p->Iz, p->sy, -1, 1, 5, K);
  bend(p, p->young * p->Iy, p->sz, 1, 2, 4, K);
  for (int i = 0; i < 36; i++) p->six.C[i] = p->tau * K[i];
  memset(p->six.F0, 0, sizeof p->six.F0), memset(p->six.x0, 0, sizeof p->six.x0);
  p->six.x0[0] = p->length;
  return NULL;
}

const tr_force_type tr_force_beam = {
    .name = "beam",
    .doc = "massless beam along A's x axis, clamped at both frames",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .planar = &six_planar,
    .spatial = &six_spatial,
    .start = start,
};
