// SPDX-License-Identifier: Apache-2.0
// A client of the installed library: a pendulum by calls, one second.
#include <stdio.h>
#include <trammel/trammel.h>

int main(void) {
  tr_error error = {0};
  tr_model *model = NULL;
  tr_system *system = NULL;
  tr_run *run = NULL;
  const char text[] =
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "bodies:\n  bob: {type: planar, mass: 1, inertia: 0.1, position: [1, 0]}\n"
      "joints:\n  pin: {type: revolute, bodies: [ground, bob], at: [0, 0]}\n";
  tr_status status = tr_model_new(NULL, &model);
  if (status == TR_OK)
    status = tr_model_read_text(model, text, sizeof text - 1, "pendulum", &error);
  if (status == TR_OK) status = tr_compile(model, &system, &error);
  tr_run_settings settings = tr_run_defaults();
  settings.end = 1;
  settings.step = 1e-3;
  if (status == TR_OK) status = tr_run_new(system, &settings, NULL, &run, &error);
  if (status == TR_OK) status = tr_run_all(run, &error);
  if (status == TR_OK)
    printf("trammel %s: %ld steps\n", tr_version(), tr_run_describe(run).steps);
  else
    fprintf(stderr, "%s: %s", tr_status_text(status), error.text);
  tr_run_free(run);
  tr_system_free(system);
  tr_model_free(model);
  return status == TR_OK ? 0 : 1;
}
