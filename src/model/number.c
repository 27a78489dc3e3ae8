// SPDX-License-Identifier: Apache-2.0
// tr_number: one expression without names, against a quantity.
#include <math.h>

#include "expr.h"

tr_status tr_number(const char *text, tr_quantity quantity, double *value, tr_error *error) {
  tr_arena arena = tr_arena_make(NULL);
  tr_expr_error e;
  tr_value v = {0};
  char why[TR_EXPR_TEXT], shown[TR_SHOWN];
  tr_status status = TR_OK;
  tr_shown(text, shown);
  const tr_expr *expr = tr_expr_parse(&arena, text, NULL, &e);
  if (expr ? !tr_expr_eval(expr, NULL, &v, &e) : true) {
    if (e.no_memory)
      status = tr_no_memory(error);
    else if (e.whole)
      status = tr_fail(error, TR_BAD_INPUT, NULL, "%s%s", e.text, e.hint);
    else
      status = tr_fail(error, TR_BAD_INPUT, NULL, "%s in \"%s\"%s", e.text, shown, e.hint);
  } else if (!isfinite(v.x)) {
    status = tr_fail(error, TR_BAD_INPUT, NULL, "\"%s\" is not a finite number", shown);
  } else if (!tr_value_fits(v, quantity, why)) {
    status = tr_fail(error, TR_BAD_INPUT, NULL, "\"%s\" %s", shown, why);
  } else {
    *value = v.x;
  }
  tr_arena_free(&arena);
  return status;
}
