// SPDX-License-Identifier: Apache-2.0
// Systems to try something on: every shipped model, problems by callbacks, and small ones that put every
// registered joint and force between every pair of bodies it can join. Fields get values by their kind.
#ifndef HELPER_PAIRS_H
#define HELPER_PAIRS_H

#include <trammel/trammel.h>

typedef void (*system_use)(const tr_system *sys, const char *name, void *context);
void on_every_system(system_use use, void *context);
int forget_systems(void **state); // the teardown of who has used them

#endif
