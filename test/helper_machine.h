// SPDX-License-Identifier: Apache-2.0
// A mechanism in motion: load, go to a time, read an output.
#ifndef TR_HELPER_MACHINE_H
#define TR_HELPER_MACHINE_H

#include "helper_mechanics.h"

typedef struct machine {
  mechanism m;
  tr_run *run;
} machine;

machine start(const char *text, const char *method, double step, double end);
// A shipped model with the method and step of its own; set as in load_model.
machine shipped(const char *file, const char *const *set);
// The same under error control with a method; NULL: its own.
machine shipped_within(const char *file, const char *method, double tol);
void go_to(machine *k, double t);
double read_output(const machine *k, const char *name);
void stop(machine *k);

// The consistent start of a mechanism in *x, a new state, and what is to be told of it.
tr_examination *examine_start(const mechanism *m, bool motions, tr_state *x);

#endif
