// SPDX-License-Identifier: Apache-2.0
// Any model whose coordinates are flat as a mechanism for IDA: our equations, its integrator.
#ifndef GGL_TRAMMEL_H
#define GGL_TRAMMEL_H

#include "ggl.h"
#include "system/system.h"

// NULL: no memory, curved coordinates, states, constraints on velocities or that depend on time. x: a consistent start.
ggl *ggl_of_system(const tr_system *sys, const tr_state *x);
void ggl_of_system_free(ggl *g);

#endif
