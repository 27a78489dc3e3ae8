// SPDX-License-Identifier: Apache-2.0
// Bad models and the exact messages they must give.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/plan.h"

typedef struct bad {
  const char *title, *text, *messages;
} bad;

#define ROD "trammel: 1\nbodies:\n  rod: {type: planar, mass: 1, inertia: 1}\n"

static const bad table[] = {
#include "bad_events.h"
#include "bad_laws.h"
#include "bad_models.h"
};

static void check(const bad *b) {
  tr_model *model;
  tr_error error = {0};
  assert_int_equal(tr_model_new(NULL, &model), TR_OK);
  tr_status status = tr_model_read_text(model, b->text, strlen(b->text), "m.yaml", &error);
  if (status == TR_OK) {
    tr_arena arena = tr_arena_make(NULL);
    tr_plan plan;
    status = tr_model_plan(model, &arena, &arena, &plan, &error);
    tr_arena_free(&arena);
  } else {
    assert_null(model->root->first); // a failed read leaves the model empty
  }
  tr_model_free(model);
  if (status != TR_BAD_INPUT || strcmp(error.text, b->messages) != 0)
    print_error("%s: expected\n%sbut got\n%s", b->title, b->messages, error.text);
  assert_int_equal(status, TR_BAD_INPUT);
  assert_int_equal(error.status, TR_BAD_INPUT);
  assert_string_equal(error.text, b->messages);
  int lines = 0;
  for (const char *s = error.text; *s; s++) lines += *s == '\n';
  assert_int_equal(error.count, lines);
}

static void test_table(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) check(&table[k]);
}

// Without a tr_error the status alone must come out.
static void test_no_error(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    tr_model *model;
    tr_plan plan;
    tr_arena arena = tr_arena_make(NULL);
    assert_int_equal(tr_model_new(NULL, &model), TR_OK);
    tr_status status = tr_model_read_text(model, table[k].text, strlen(table[k].text), NULL, NULL);
    if (status == TR_OK) status = tr_model_plan(model, &arena, &arena, &plan, NULL);
    assert_int_equal(status, TR_BAD_INPUT);
    tr_arena_free(&arena);
    tr_model_free(model);
  }
}

static void test_files(void **state) {
  (void)state;
  tr_model *model;
  tr_error error = {0};
  assert_int_equal(tr_model_new(NULL, &model), TR_OK);
  assert_int_equal(tr_model_read_file(model, "no-such-file.yaml", &error), TR_BAD_FILE);
  assert_string_equal(error.text,
                      "no-such-file.yaml: cannot be opened: No such file or directory\n");
  error = (tr_error){0};
  assert_int_equal(tr_model_read_file(model, "/", &error), TR_BAD_FILE);
  error = (tr_error){0};
  assert_int_equal(tr_model_write_file(model, "/no/such/dir/x.yaml", &error), TR_BAD_FILE);
  tr_model_free(model);
}

// A thousand mistakes: counted all, shown as many as fit, each line whole, and fast.
static void test_many(void **state) {
  (void)state;
  tr_text text = {0};
  tr_model *model;
  tr_plan plan;
  tr_error error = {0};
  tr_arena arena = tr_arena_make(NULL);
  tr_text_add(&text, "trammel: 1\nmarkers:\n");
  for (int k = 0; k < 1000; k++) tr_text_add(&text, "  m%d: {body: b%d}\n", k, k);
  assert_int_equal(tr_model_new(NULL, &model), TR_OK);
  assert_int_equal(tr_model_read_text(model, text.data, text.size, "m.yaml", &error), TR_OK);
  assert_int_equal(tr_model_plan(model, &arena, &arena, &plan, &error), TR_BAD_INPUT);
  assert_int_equal(error.count, 1000);
  size_t n = strlen(error.text);
  assert_true(n > TR_ERROR_SIZE - 200 && error.text[n - 1] == '\n');
  tr_arena_free(&arena);
  tr_model_free(model);
  tr_text_free(&text);
}

static void check_limit(const tr_text *text, const char *message) {
  tr_model *model;
  tr_error error = {0};
  assert_int_equal(tr_model_new(NULL, &model), TR_OK);
  assert_int_equal(tr_model_read_text(model, text->data, text->size, "m", &error), TR_BAD_INPUT);
  assert_string_equal(error.text, message);
  tr_model_free(model);
}

// Documents that would grow without end: aliases of aliases, nesting.
static void test_limits(void **state) {
  (void)state;
  tr_text text = {0};
  tr_text_add(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
  for (int k = 1; k < 10; k++) {
    tr_text_add(&text, "a%d: &a%d [x", k, k);
    for (int i = 0; i < 9; i++) tr_text_add(&text, ", *a%d", k - 1);
    tr_text_add(&text, "]\n");
  }
  check_limit(&text, "m:6:19: aliases make the document too large\n");
  text.size = 0;
  tr_text_add(&text, "a0: &a0 [x]\n");
  for (int k = 1; k < 100; k++) tr_text_add(&text, "a%d: &a%d [*a%d]\n", k, k, k - 1);
  check_limit(&text, "m:60:13: nested too deeply\n");
  text.size = 0;
  for (int k = 0; k < 10000; k++) tr_text_add(&text, "[");
  check_limit(&text, "m:1:61: nested too deeply\n");
  tr_text_free(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table), cmocka_unit_test(test_no_error), cmocka_unit_test(test_files),
      cmocka_unit_test(test_many),  cmocka_unit_test(test_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
