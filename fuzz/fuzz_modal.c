// SPDX-License-Identifier: Apache-2.0
// Any text as a file of modal data, for a body in the plane and one in space: compiled or refused with a
// message; what compiles has finite masses.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/tree.h"
#include "system/system.h"

// libfyaml itself leaks on some broken documents; ours must not hide behind that.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libfyaml\n"; }

static void check_masses(const tr_system *sys) {
  tr_state x;
  tr_work *w;
  if (tr_state_new(sys, &x, NULL) != TR_OK || tr_work_new(sys, &w) != TR_OK) abort();
  double *M = calloc((size_t)sys->nmass, sizeof *M);
  if (!M) abort();
  tr_kinematics(w, 0, x.q, x.v, x.mem, TR_AT_BIAS);
  tr_mass_blocks(w, M);
  for (int i = 0; i < sys->nmass; i++)
    if (!isfinite(M[i])) abort();
  free(M);
  tr_work_free(w);
  tr_state_free(sys, &x);
}

static void try_body(const char *text, const tr_node *data) {
  tr_model *model;
  tr_system *sys;
  tr_error error = {0};
  if (tr_model_new(NULL, &model) != TR_OK) return;
  if (tr_model_read_text(model, text, strlen(text), "fuzz", &error) != TR_OK) abort();
  tr_node *body = tr_node_find(tr_node_find(model->root, "bodies"), "b");
  tr_node *modal = tr_node_find(body, "modal");
  modal->kind = TR_SCALAR, modal->text = "data", modal->content = data;
  if (tr_compile(model, &sys, &error) == TR_OK) {
    check_masses(sys);
    tr_system_free(sys);
  } else if (error.count == 0) {
    abort(); // a failure without a message
  }
  tr_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tr_model *file;
  tr_error error = {0};
  if (tr_model_new(NULL, &file) != TR_OK) return 0;
  if (tr_model_read_text(file, (const char *)data, size, "data", &error) == TR_OK) {
    try_body("{trammel: 1, bodies: {b: {type: planar-modal, modal: {}}}}", file->root);
    try_body("{trammel: 1, bodies: {b: {type: spatial-modal, modal: {}}}}", file->root);
  }
  tr_model_free(file);
  return 0;
}
