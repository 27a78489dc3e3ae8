// SPDX-License-Identifier: Apache-2.0
// What a start keeps as it is given, coordinates or velocities of bodies' origins in global axes, while the rest is made
// consistent. It gets a mass so large that it moves by nothing, and what it would still move is dropped: the iteration
// then converges to a state where it is exactly what it was.
//
// After tr_kinematics at velocities. Nothing is kept of a new beginning (tr_projector.again).
#ifndef TR_KEPT_H
#define TR_KEPT_H

#include "start.h"

// Values of everything kept, in order, and how many they are; NULL: just count.
int tr_kept_values(const tr_projector *p, bool velocity, double *values);
// values of [M G'; G 0] += p->weight row' row for everything kept.
void tr_kept_weigh(const tr_projector *p, bool velocity, double *values);
// r (nv) += weight row' (value - given)
void tr_kept_pull(const tr_projector *p, bool velocity, const double *given, double *r);
// The correction d (nv), to be subtracted, is made to undo what has crept into the kept values: row . d = value - given.
void tr_kept_hold(const tr_projector *p, bool velocity, const double *given, double *d);
// It may be the reason why there is no consistent state: the error tells what is kept.
void tr_kept_name(const tr_projector *p, bool velocity, tr_error *error);

#endif
