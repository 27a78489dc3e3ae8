// SPDX-License-Identifier: Apache-2.0
// Models with spatial bodies, in any of their coordinates, and what moves in them.
#ifndef HELPER_ROTATIONS_H
#define HELPER_ROTATIONS_H

#include "trammel/trammel.h"

extern const char *const rotation_coordinates[]; // by tr_spatial_coordinates
extern const int rotation_models;
const char *rotation_name(int model);
double rotation_end(int model);
double rotation_step(int model); // the largest one with asymptotic errors

// Fails the test with the library's message.
void compile_text(const char *text, tr_model **model, tr_system **system);
void compile_rotation(int which, int coordinates, tr_model **model, tr_system **system);

enum { MOTION_MAX = 64 };
// Position and orientation of every body, then velocities and angular velocities: the number of values.
int read_motion(const tr_system *s, const tr_state *x, double *out);

#endif
