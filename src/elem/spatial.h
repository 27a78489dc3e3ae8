// SPDX-License-Identifier: Apache-2.0
// The spatial rigid body: one set of parameters, three sets of coordinates.
#ifndef TR_SPATIAL_H
#define TR_SPATIAL_H

#include "elem.h"

typedef struct tr_spatial_par {
  double mass, inertia[9], com[3], position[3], orientation[9], velocity[3], omega[3];
  int coordinates; // tr_spatial_coordinates
} tr_spatial_par;

typedef enum tr_spatial_coordinates {
  TR_LIE,
  TR_EULER_PARAMETERS,
  TR_EULER_313
} tr_spatial_coordinates;

extern const tr_body_type tr_body_spatial_ep, tr_body_spatial_313;

// Shared by the three tables. Names for `keep`: rotations are about the body axes in all of them.
extern const tr_field tr_spatial_fields[];
extern const char *const tr_spatial_coordinate_names[], *const tr_spatial_rate_names[];
const char *tr_spatial_check(const void *par);
void tr_spatial_pose(const void *par, double p[3], double R[9]);
void tr_spatial_site(const void *par, const double p[3], const double R[9], tr_site *site);
// Centre of mass, its velocity, and the angular velocity in body axes, all at the start.
void tr_spatial_start(const void *par, double r[3], double v[3], double w[3]);

#endif
