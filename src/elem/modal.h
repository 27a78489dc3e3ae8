// SPDX-License-Identifier: Apache-2.0
// Modal data from outside, of a finite-element code say: nodes with masses, mode shapes at them, modal mass
// and stiffness; and the shape integrals as sums over the nodes.
#ifndef TR_MODAL_H
#define TR_MODAL_H

#include "flexible.h"

typedef struct tr_modal {
  tr_rows nodes;  // x y z mass, Dx Dy Dz; in the plane x y mass, D
  tr_rows shapes; // a row per node, mode after mode: ux uy uz, rx ry rz; in the plane ux uy, rz
  tr_rows stiffness, mass, damping;      // one row: a diagonal
  double total_mass, com[3], inertia[9]; // NaN: from the nodes
  double zeta, rayleigh[2];
  double *phi, *psi; // (nodes x modes x 3) from prepare
} tr_modal;

extern const tr_field tr_modal_planar_fields[], tr_modal_spatial_fields[];

int tr_modal_modes(const tr_modal *d);
// NULL, or what does not fit together.
const char *tr_modal_check(const tr_modal *d, bool planar);
size_t tr_modal_room(const tr_modal *d);
const char *tr_modal_make(tr_modal *d, bool planar, double *room, tr_flexible **flex);
// Shapes of the node nearest to p, on a rigid arm where p is off it.
void tr_modal_shape(const tr_modal *d, const double p[3], bool planar, double *shape);

#endif
