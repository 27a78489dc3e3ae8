// SPDX-License-Identifier: Apache-2.0
// Tables: numbers come back bit by bit, rows are where the settings want them, the end is always
// there, a full disk is told.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "trammel/trammel.h"

enum { MAX_ROWS = 200, MAX_CHANNELS = 128 };

static const char text[] =
    "trammel: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  bob: {type: planar, mass: 1, inertia: 0.1, position: [1, 0]}\n"
    "joints:\n"
    "  pin: {type: revolute, bodies: [ground, bob], at: [0, 0]}\n";

typedef struct fixture {
  tr_model *model;
  tr_system *system;
  tr_run *run;
  char path[32];
} fixture;

static int setup(void **state) {
  static fixture f;
  tr_error e = {0};
  f = (fixture){.path = "/tmp/trammel-csv-XXXXXX"};
  int file = mkstemp(f.path);
  if (file < 0) return -1;
  close(file);
  tr_run_settings s = tr_run_defaults();
  s.end = 1, s.step = 1. / 64;
  if (tr_model_new(NULL, &f.model) || tr_model_read_text(f.model, text, strlen(text), "bob", &e) ||
      tr_compile(f.model, &f.system, &e) || tr_run_new(f.system, &s, NULL, &f.run, &e)) {
    print_error("%s", e.text);
    return -1;
  }
  *state = &f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  tr_run_free(f->run);
  tr_system_free(f->system);
  tr_model_free(f->model);
  unlink(f->path);
  return 0;
}

// Reads the first column of a table.
static int read_times(const char *path, double *t) {
  char line[4096];
  int n = -1; // the header
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  for (; fgets(line, sizeof line, file); n++)
    if (n >= 0 && n < MAX_ROWS) t[n] = strtod(line, NULL);
  fclose(file);
  return n;
}

typedef struct keeper {
  tr_observer observer;
  tr_reader *reader;
  int n, rows, stop_at;
  double values[MAX_ROWS][MAX_CHANNELS];
} keeper;

static tr_status keep(tr_observer *self, const tr_state *state, const tr_run_info *info) {
  keeper *k = (keeper *)self;
  if (k->reader) tr_reader_read(k->reader, state, k->values[k->rows]);
  k->rows++;
  return info->steps == k->stop_at ? TR_STOPPED : TR_OK;
}

static void numbers_come_back(void **state) {
  fixture *f = *state;
  static keeper k;
  k = (keeper){.observer = {.step = keep}, .stop_at = -1};
  int channels[MAX_CHANNELS];
  tr_error e = {0};
  tr_csv *csv;
  assert_in_range(tr_channel_count(f->system), 10, MAX_CHANNELS);
  assert_int_equal(tr_channels_choose(f->system, 0, NULL, channels, &k.n, &e), TR_OK);
  assert_int_equal(tr_reader_new(f->system, k.n, channels, &k.reader, &e), TR_OK);
  assert_int_equal(tr_csv_new(f->system, f->path, k.n, channels, (tr_csv_settings){0}, &csv, &e),
                   0);
  tr_run_observe(f->run, tr_csv_observer(csv));
  tr_run_observe(f->run, &k.observer);
  assert_int_equal(tr_run_all(f->run, &e), TR_OK);
  assert_int_equal(tr_csv_rows(csv), 65);
  assert_int_equal(tr_csv_close(csv, &e), TR_OK);

  FILE *file = fopen(f->path, "r");
  assert_non_null(file);
  int c;
  while ((c = fgetc(file)) != '\n') assert_true(c != EOF);
  for (int row = 0; row < k.rows; row++) {
    double x;
    assert_int_equal(fscanf(file, "%lf", &x), 1);
    for (int i = 0; i < k.n; i++) {
      assert_int_equal(fscanf(file, ",%lf", &x), 1);
      assert_memory_equal(&x, &k.values[row][i], sizeof x);
    }
  }
  fclose(file);
  tr_reader_free(k.reader);
}

static void rows_by_steps_with_the_end(void **state) {
  fixture *f = *state;
  double t[MAX_ROWS];
  int none = 0;
  tr_error e = {0};
  tr_csv *csv;
  tr_csv_settings every = {.every = 10};
  assert_int_equal(tr_csv_new(f->system, f->path, 0, &none, every, &csv, &e), TR_OK);
  tr_run_observe(f->run, tr_csv_observer(csv));
  assert_int_equal(tr_run_all(f->run, &e), TR_OK);
  assert_int_equal(tr_csv_close(csv, &e), TR_OK);
  assert_int_equal(read_times(f->path, t), 8);
  assert_true(t[1] == 10. / 64 && t[6] == 60. / 64 && t[7] == 1);
}

static void rows_by_time(void **state) {
  fixture *f = *state;
  double t[MAX_ROWS];
  int none = 0;
  tr_error e = {0};
  tr_csv *csv;
  tr_csv_settings spaced = {.spacing = 0.1};
  assert_int_equal(tr_csv_new(f->system, f->path, 0, &none, spaced, &csv, &e), TR_OK);
  tr_run_observe(f->run, tr_csv_observer(csv));
  assert_int_equal(tr_run_all(f->run, &e), TR_OK);
  assert_int_equal(tr_csv_close(csv, &e), TR_OK);
  assert_int_equal(read_times(f->path, t), 11);
  for (int i = 0; i <= 10; i++) assert_true(t[i] == i * 0.1);
}

static void a_stopped_run_keeps_its_end(void **state) {
  fixture *f = *state;
  static keeper k;
  k = (keeper){.observer = {.step = keep}, .stop_at = 13};
  double t[MAX_ROWS];
  int none = 0;
  tr_error e = {0};
  tr_csv *csv;
  tr_csv_settings every = {.every = 10};
  assert_int_equal(tr_csv_new(f->system, f->path, 0, &none, every, &csv, &e), TR_OK);
  tr_run_observe(f->run, tr_csv_observer(csv));
  tr_run_observe(f->run, &k.observer);
  assert_int_equal(tr_run_all(f->run, &e), TR_STOPPED);
  assert_int_equal(tr_csv_close(csv, &e), TR_OK);
  assert_int_equal(read_times(f->path, t), 3);
  assert_true(t[2] == 13. / 64);
}

static void a_full_disk_is_told(void **state) {
  fixture *f = *state;
  int none = 0;
  tr_error e = {0};
  tr_csv *csv;
  if (access("/dev/full", W_OK) != 0) skip();
  tr_csv_settings all = {0};
  assert_int_equal(tr_csv_new(f->system, "/dev/full", 0, &none, all, &csv, &e), TR_OK);
  tr_run_observe(f->run, tr_csv_observer(csv));
  assert_int_equal(tr_run_all(f->run, &e), TR_OK);
  assert_int_equal(tr_csv_close(csv, &e), TR_BAD_FILE);
  assert_non_null(strstr(e.text, "/dev/full"));
  assert_int_equal(tr_csv_new(f->system, "/nowhere/a.csv", 0, &none, all, &csv, &e), TR_BAD_FILE);
  assert_null(csv);
}

static void channels_by_pattern(void **state) {
  fixture *f = *state;
  int channels[MAX_CHANNELS], n;
  char name[64];
  tr_error e = {0};
  const char *const words[] = {"energy.*", "bob.x", "energy.total", "bob"};
  assert_int_equal(tr_channels_choose(f->system, 3, words, channels, &n, &e), TR_OK);
  assert_int_equal(n, 4);
  tr_channel_name(f->system, channels[3], name, sizeof name);
  assert_string_equal(name, "bob.x");
  assert_int_equal(tr_channels_choose(f->system, 4, words, channels, &n, &e), TR_OK);
  assert_int_equal(n, 3 + 9);
  const char *const wrong[] = {"bob.z", "bob.y", "bo"};
  assert_int_equal(tr_channels_choose(f->system, 3, wrong, channels, &n, &e), TR_BAD_INPUT);
  assert_int_equal(e.count, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(numbers_come_back, setup, teardown),
      cmocka_unit_test_setup_teardown(rows_by_steps_with_the_end, setup, teardown),
      cmocka_unit_test_setup_teardown(rows_by_time, setup, teardown),
      cmocka_unit_test_setup_teardown(a_stopped_run_keeps_its_end, setup, teardown),
      cmocka_unit_test_setup_teardown(a_full_disk_is_told, setup, teardown),
      cmocka_unit_test_setup_teardown(channels_by_pattern, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
