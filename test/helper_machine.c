// SPDX-License-Identifier: Apache-2.0
// Mechanisms in motion for the tests.
#include "helper_machine.h"

#include <math.h>

machine start(const char *text, const char *method, double step, double end) {
  machine k = {.m = load_text(text)};
  k.run = new_run(k.m.sys, method, step, end);
  return k;
}

machine shipped(const char *file, const char *const *set) {
  machine k = {.m = load_model(file, set)};
  k.run = new_run(k.m.sys, NULL, NAN, NAN);
  return k;
}

machine shipped_within(const char *file, const char *method, double tol) {
  machine k = {.m = load_model(file, NULL)};
  tr_run_settings s = tr_run_defaults();
  s.method = method, s.control.tol = tol;
  k.run = begin_run(k.m.sys, &s);
  return k;
}

void go_to(machine *k, double t) {
  tr_error error = {0};
  if (tr_run_to(k->run, t, &error) != TR_OK) fail_msg("%s", error.text);
}

double read_output(const machine *k, const char *name) {
  return output(k->m.sys, tr_run_state(k->run), name);
}

void stop(machine *k) {
  tr_run_free(k->run);
  unload(&k->m);
}

tr_examination *examine_start(const mechanism *m, bool motions, tr_state *x) {
  tr_examination *e;
  tr_error error = {0};
  assert_int_equal(tr_state_new(m->sys, x, NULL), TR_OK);
  if (tr_consistent_start(m->sys, x, NULL, &error) != TR_OK) fail_msg("%s", error.text);
  if (tr_examine(m->sys, x, motions, &e, &error) != TR_OK) fail_msg("%s", error.text);
  return e;
}
