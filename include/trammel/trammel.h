// SPDX-License-Identifier: Apache-2.0
// Trammel: dynamics of constrained mechanical systems.
//   tr_model -> tr_compile -> const tr_system -> tr_run -> observers
#ifndef TRAMMEL_H
#define TRAMMEL_H
#include "study.h" // IWYU pragma: export
#endif
