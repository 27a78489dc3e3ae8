// SPDX-License-Identifier: Apache-2.0
// The problems as models of ours. Drivers run from the root of the source tree, where the models are.
#ifndef BENCH_OURS_H
#define BENCH_OURS_H

#include <malloc.h>

#include <trammel/trammel.h>

#include "bench.h"

// Arrays that are freed go back to the system, as with the command.
static inline void bench_give_back(void) { mallopt(M_MMAP_THRESHOLD, 128 * 1024); }

static inline const char *bench_model(bench_problem problem) {
  static const char *const models[] = {"models/four_bar_chain.yaml", "models/rod_chain.yaml",
                                       "bench/slider.yaml", "models/seven_body.yaml"};
  return models[problem];
}

// n: the parameter N of the model, NULL: it has none.
static inline tr_status bench_compile(const char *file, const char *n, tr_system **system,
                                      tr_error *error) {
  tr_model *model = NULL;
  tr_status status = tr_model_new(NULL, &model);
  if (status == TR_OK) status = tr_model_read_file(model, file, error);
  if (status == TR_OK && n) status = tr_model_set(model, "N", n, error);
  if (status == TR_OK) status = tr_compile(model, system, error);
  tr_model_free(model);
  return status;
}

static inline const char *bench_failure(const tr_error *error) {
  return bench_words(error->text[0] ? error->text : tr_status_text(error->status));
}

#endif
