// SPDX-License-Identifier: Apache-2.0
// Threads do not meet: several runs of one shared system, and whole models of their own, side by side,
// give the bits of a run alone. Also run under the thread sanitizer.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trammel/trammel.h"

enum { THREADS = 4, MAX_CHANNELS = 256 };

static const char text[] =
    "trammel: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {N: 5}\n"
    "repeat:\n"
    "  - for: i\n"
    "    from: 1\n"
    "    to: N\n"
    "    bodies:\n"
    "      \"link_{i}\": {type: planar, mass: 1, inertia: 0.1, position: [i - 0.5, 0]}\n"
    "joints:\n"
    "  pin: {type: revolute, bodies: [ground, link_1], at: [0, 0]}\n"
    "  knee: {type: revolute, bodies: [link_1, link_2], at: [1, 0]}\n"
    "  rod: {type: distance, markers: [link_2, link_3]}\n";

typedef struct job {
  const tr_system *system; // NULL: make one's own
  tr_status status;
  int n;
  double values[MAX_CHANNELS];
} job;

static tr_status simulate(const tr_system *system, job *j, tr_error *error) {
  int channels[MAX_CHANNELS];
  tr_run *run = NULL;
  tr_reader *reader = NULL;
  tr_run_settings s = tr_run_defaults();
  s.end = 0.25, s.step = 1. / 512;
  if (tr_channel_count(system) > MAX_CHANNELS) return TR_BAD_INPUT;
  tr_status status = tr_run_new(system, &s, NULL, &run, error);
  if (status == TR_OK) status = tr_run_all(run, error);
  if (status == TR_OK) status = tr_channels_choose(system, 0, NULL, channels, &j->n, error);
  if (status == TR_OK) status = tr_reader_new(system, j->n, channels, &reader, error);
  if (status == TR_OK) status = tr_reader_read(reader, tr_run_state(run), j->values);
  tr_reader_free(reader);
  tr_run_free(run);
  return status;
}

static tr_status compile(tr_model **model, tr_system **system, tr_error *error) {
  tr_status status = tr_model_new(NULL, model);
  if (status == TR_OK) status = tr_model_read_text(*model, text, strlen(text), "chain", error);
  if (status == TR_OK) status = tr_compile(*model, system, error);
  return status;
}

static void *work(void *argument) {
  job *j = argument;
  tr_error error = {0};
  tr_model *model = NULL;
  tr_system *own = NULL;
  j->status = j->system ? TR_OK : compile(&model, &own, &error);
  if (j->status == TR_OK) j->status = simulate(j->system ? j->system : own, j, &error);
  tr_system_free(own);
  tr_model_free(model);
  return NULL;
}

static void side_by_side_as_alone(void **unused) {
  (void)unused;
  static job alone, jobs[THREADS];
  pthread_t threads[THREADS];
  tr_error error = {0};
  tr_model *model = NULL;
  tr_system *system = NULL;
  tr_status status = compile(&model, &system, &error);
  if (status == TR_OK) status = simulate(system, &alone, &error);
  if (status != TR_OK) print_error("%s", error.text);
  assert_int_equal(status, TR_OK);
  for (int i = 0; i < THREADS; i++) {
    jobs[i] = (job){.system = i < THREADS / 2 ? system : NULL};
    assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(jobs[i].status, TR_OK);
    assert_int_equal(jobs[i].n, alone.n);
    assert_memory_equal(jobs[i].values, alone.values, (size_t)alone.n * sizeof(double));
  }
  tr_system_free(system);
  tr_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(side_by_side_as_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
