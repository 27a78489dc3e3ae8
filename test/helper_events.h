// SPDX-License-Identifier: Apache-2.0
// What the tests of events share: runs by any method, by fixed steps or under control.
#ifndef TR_HELPER_EVENTS_H
#define TR_HELPER_EVENTS_H

#include "helper_mechanics.h"

tr_system *compile_file(const char *file); // "models/clutch.yaml"
// A run by fixed steps, or with tol > 0 under control; h NaN: the model's.
tr_run *start_run(const tr_system *sys, const char *method, double h, double tol);
// To the end; fails the test where it does not get there.
tr_run_info finish(tr_run *run, const char *about);
double at_end(const tr_system *sys, const tr_run *run, const char *name);

#endif
