// SPDX-License-Identifier: Apache-2.0
// What `trammel run` hands to its summary.
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli.h"

typedef struct run_result {
  const char *path, *csv_path; // csv_path NULL: none
  const tr_system *system;
  const tr_state *state; // the last accepted one
  tr_run_info info;
  tr_status status;
  const tr_error *error;
  long rows;
  int columns;
  int finals; // quantities at the end
  const int *final_channel;
  const double *final; // (finals)
  const tr_run *run;   // for its events
} run_result;

void summary_json(const run_result *r);
void summary_text(FILE *to, const run_result *r);
void final_text(FILE *to, const run_result *r); // the quantities at the end, all digits

#endif
