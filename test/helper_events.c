// SPDX-License-Identifier: Apache-2.0
#include "helper_events.h"

tr_system *compile_file(const char *file) {
  tr_error error = {0};
  tr_model *model;
  tr_system *sys;
  assert_int_equal(tr_model_new(NULL, &model), TR_OK);
  if (tr_model_read_file(model, file, &error) != TR_OK || tr_compile(model, &sys, &error) != TR_OK)
    fail_msg("%s", error.text);
  tr_model_free(model);
  return sys;
}

tr_run *start_run(const tr_system *sys, const char *method, double h, double tol) {
  tr_run_settings s = tr_run_defaults();
  s.method = method, s.step = h, s.control.tol = tol;
  return begin_run(sys, &s);
}

tr_run_info finish(tr_run *run, const char *about) {
  tr_error error = {0};
  if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", about ? about : "", error.text);
  return tr_run_describe(run);
}

double at_end(const tr_system *sys, const tr_run *run, const char *name) {
  return output(sys, tr_run_state(run), name);
}
