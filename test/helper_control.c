// SPDX-License-Identifier: Apache-2.0
#include "helper_control.h"

#include <string.h>

tr_run_settings controlled(const char *method, double tol, double end) {
  tr_run_settings s = tr_run_defaults();
  s.method = method, s.end = end, s.control.tol = tol;
  return s;
}

// Defaults of every method, and some that differ from them.
static const char *const variants[] = {"hht-i3:alpha=-0.05", "gen-alpha:index=2", "gen-alpha:rho=0",
                                       "baumgarte:unit=1/s,alpha=20,beta=20"};
enum { VARIANTS = sizeof variants / sizeof *variants };

int control_cases(void) { return tr_method_count() + VARIANTS; }

const char *control_method(int i) {
  return i < tr_method_count() ? tr_method_describe(i).name : variants[i - tr_method_count()];
}

void assert_refused(const tr_system *sys, const tr_run_settings *s, const char *why) {
  tr_error error = {0};
  tr_run *run;
  assert_int_equal(tr_run_new(sys, s, NULL, &run, &error), TR_BAD_INPUT);
  assert_null(run);
  if (!strstr(error.text, why)) fail_msg("\"%s\" instead of \"%s\"", error.text, why);
}
