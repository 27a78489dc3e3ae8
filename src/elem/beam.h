// SPDX-License-Identifier: Apache-2.0
// Uniform Euler-Bernoulli beams along x, 0 <= x <= L: their modes and shape integrals.
//
// Bending modes are the eigenfunctions of the supports chosen, with b L = beta, z = x/L:
//   simply-supported   sin(beta z),                          beta = k pi
//   clamped-free       cosh - cos - sigma (sinh - sin),      cos beta cosh beta = -1
//   free-free          cosh + cos - sigma (sinh + sin),      cos beta cosh beta = 1
// Axial and torsion modes: sin((k - 1/2) pi z), fixed at x = 0, or cos(k pi z) of a free beam. All are
// scaled to 1 at their largest end (simply-supported: amplitude 1), so that coordinates are lengths and
// angles. Supports say which frame the deformation is measured in: through both ends, tangent at x = 0,
// or moving with the mean of the beam; joints do the supporting.
// Integrals are sums over Gauss points, dense enough to be exact to round-off.
#ifndef TR_BEAM_H
#define TR_BEAM_H

#include "flexible.h"

typedef enum tr_beam_support { TR_SIMPLY_SUPPORTED, TR_CLAMPED_FREE, TR_FREE_FREE } tr_beam_support;
extern const char *const tr_beam_supports[];

typedef struct tr_beam {
  double length, density, area, young, shear;
  double Iy, Iz, J, polar; // bending in xz, in xy; torsion; polar: of the mass, Iy + Iz
  int support;             // tr_beam_support
  int bending_y, bending_z, axial, torsion; // modes along y, along z, ..; numbered in this order
  bool stiffening;
  double zeta, rayleigh[2];
} tr_beam;

int tr_beam_modes(const tr_beam *b);
size_t tr_beam_room(const tr_beam *b);
// The body; NULL text: fine.
const char *tr_beam_make(const tr_beam *b, bool planar, double *room, tr_flexible **flex);
// Shapes at a point of the beam: off the axis it goes with its section, beyond the ends with the last one.
void tr_beam_shape(const tr_beam *b, const double p[3], double *shape);

#endif
