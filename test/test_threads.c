// SPDX-License-Identifier: Apache-2.0
// One constant system, several threads: each has a run of its own and gets what a lone run gets, bit by
// bit. Built with the thread sanitizer too.
#include <pthread.h>
#include <stdio.h>

#include "helper_mechanics.h"

enum { THREADS = 4, STEPS = 150 };

// A life in one thread. cmocka's assertions belong to the main thread, so the outcome is kept.
typedef struct job {
  tr_observer observer;
  const tr_system *sys;
  const char *method;
  uint64_t hash;
  tr_status status;
  double energy;
} job;

static tr_status mix(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  job *j = (job *)self;
  (void)info;
  const unsigned char *byte = (const unsigned char *)x->block;
  for (size_t i = 0; i < x->bytes; i++) j->hash = (j->hash ^ byte[i]) * 1099511628211u;
  return TR_OK;
}

static void *work(void *argument) {
  job *j = argument;
  tr_run_settings s = tr_run_defaults();
  tr_run *run = NULL;
  tr_reader *reader = NULL;
  int channel = tr_channel_find(j->sys, "energy.total");
  s.method = j->method;
  s.step = tr_system_simulation(j->sys).step;
  s.end = STEPS * s.step;
  j->hash = 14695981039346656037u;
  j->status = tr_run_new(j->sys, &s, NULL, &run, NULL);
  if (j->status == TR_OK) j->status = tr_run_observe(run, &j->observer);
  if (j->status == TR_OK) j->status = tr_run_all(run, NULL);
  if (j->status == TR_OK) j->status = tr_reader_new(j->sys, 1, &channel, &reader, NULL);
  if (j->status == TR_OK) j->status = tr_reader_read(reader, tr_run_state(run), &j->energy);
  tr_reader_free(reader);
  tr_run_free(run);
  return NULL;
}

static job make_job(const tr_system *sys, int k) {
  return (job){
      .observer = {.step = mix}, .sys = sys, .method = k % 2 ? "newmark" : "hht-i3:alpha=-0.1"};
}

static void threads_share_a_system(void **u) {
  (void)u;
  int models = 0, differ = 0; // some motions are exact by any method
  for (const char *const *name = shipped_models(); *name; name++) {
    mechanism m = load_model(*name, NULL);
    job alone[2], together[THREADS];
    pthread_t thread[THREADS];
    for (int k = 0; k < 2; k++) {
      alone[k] = make_job(m.sys, k);
      work(&alone[k]);
      assert_int_equal(alone[k].status, TR_OK);
    }
    models++, differ += alone[0].hash != alone[1].hash;
    for (int k = 0; k < THREADS; k++) {
      together[k] = make_job(m.sys, k);
      assert_int_equal(pthread_create(&thread[k], NULL, work, &together[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) assert_int_equal(pthread_join(thread[k], NULL), 0);
    for (int k = 0; k < THREADS; k++) {
      assert_int_equal(together[k].status, TR_OK);
      assert_true(together[k].hash == alone[k % 2].hash);
      assert_true(together[k].energy == alone[k % 2].energy);
    }
    unload(&m);
  }
  assert_true(differ > models / 2);
}

// Models are read and compiled side by side: no global state there either.
typedef struct build {
  const char *file;
  tr_status status;
  tr_system_info info;
} build;

static void *read_and_compile(void *argument) {
  build *b = argument;
  tr_model *model = NULL;
  tr_system *sys = NULL;
  char file[512];
  snprintf(file, sizeof file, "%s/models/%s", SOURCE_DIR, b->file);
  b->status = tr_model_new(NULL, &model);
  if (b->status == TR_OK) b->status = tr_model_read_file(model, file, NULL);
  if (b->status == TR_OK) b->status = tr_compile(model, &sys, NULL);
  if (b->status == TR_OK) b->info = tr_system_describe(sys);
  tr_system_free(sys);
  tr_model_free(model);
  return NULL;
}

static void threads_compile(void **u) {
  (void)u;
  static const char *const files[THREADS] = {"slider_crank.yaml", "rod_chain.yaml",
                                             "slider_crank.yaml", "seven_body.yaml"};
  build b[THREADS];
  pthread_t thread[THREADS];
  for (int k = 0; k < THREADS; k++) {
    b[k] = (build){.file = files[k]};
    assert_int_equal(pthread_create(&thread[k], NULL, read_and_compile, &b[k]), 0);
  }
  for (int k = 0; k < THREADS; k++) assert_int_equal(pthread_join(thread[k], NULL), 0);
  for (int k = 0; k < THREADS; k++) {
    build again = {.file = files[k]};
    read_and_compile(&again);
    assert_int_equal(b[k].status, TR_OK);
    assert_int_equal(b[k].info.nv, again.info.nv);
    assert_int_equal(b[k].info.nnz, again.info.nnz);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_share_a_system),
      cmocka_unit_test(threads_compile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
