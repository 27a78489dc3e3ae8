// SPDX-License-Identifier: Apache-2.0
// Statuses have texts, errors collect lines and count on when the text is full.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"

static void texts(void **unused) {
  (void)unused;
  for (int s = TR_FAILED; s <= TR_NOT_FINITE; s++)
    assert_string_not_equal(tr_status_text((tr_status)s), "unknown status");
  assert_string_equal(tr_status_text((tr_status)99), "unknown status");
}

static void errors_collect(void **unused) {
  (void)unused;
  tr_error e = {0};
  tr_place place = {"a.yaml", 3, 7};
  assert_int_equal(tr_fail(&e, TR_BAD_INPUT, &place, "joint \"%s\": no axis", "knee"),
                   TR_BAD_INPUT);
  assert_int_equal(tr_fail(&e, TR_BAD_FILE, NULL, "second"), TR_BAD_FILE);
  assert_int_equal(e.status, TR_BAD_INPUT);
  assert_string_equal(e.text, "a.yaml:3:7: joint \"knee\": no axis\nsecond\n");
  for (int i = 0; i < 2000; i++) tr_fail(&e, TR_BAD_INPUT, &place, "filling the text up");
  assert_int_equal(e.count, 2002);
  assert_true(strlen(e.text) < TR_ERROR_SIZE);
}

static void nearest_word(void **unused) {
  (void)unused;
  const char *const words[] = {"revolute", "prismatic", "fixed", NULL};
  assert_string_equal(tr_did_you_mean("revolut", words), "revolute");
  assert_null(tr_did_you_mean("gear", words));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts),
      cmocka_unit_test(errors_collect),
      cmocka_unit_test(nearest_word),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
