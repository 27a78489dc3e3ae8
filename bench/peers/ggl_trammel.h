// SPDX-License-Identifier: Apache-2.0
// Any model whose coordinates are flat as a mechanism for IDA: our equations, its integrator.
#ifndef GGL_TRAMMEL_H
#define GGL_TRAMMEL_H

#include "ggl.h"
#include "system/system.h"

// NULL: no memory, curved coordinates, events, laws that read reactions. x: a consistent start.
ggl *ggl_of_system(const tr_system *sys, const tr_state *x);
void ggl_of_system_free(ggl *g);
// q, v and what elements remember from y.
void ggl_state_of(const ggl *g, double t, const double *y, tr_state *x);

#endif
