// SPDX-License-Identifier: Apache-2.0
// The shipped models as texts inside the library, made from models/*.yaml by the build.
#ifndef TR_MODELS_H
#define TR_MODELS_H

#include <stddef.h>

typedef struct tr_stored_model {
  const char *name; // "slider_crank"
  const char *text;
  size_t size;
} tr_stored_model;

extern const tr_stored_model tr_stored_models[]; // a NULL name ends it

#endif
