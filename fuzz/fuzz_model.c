// SPDX-License-Identifier: Apache-2.0
// Any text: read, plan, write, read again. Nothing may crash, leak or change on the way.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/plan.h"

// libfyaml itself leaks on some broken documents; ours must not hide behind that.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libfyaml\n"; }

static bool same(const tr_node *a, const tr_node *b) {
  if (a->kind != b->kind || a->count != b->count || !a->key != !b->key) return false;
  if (a->key && strcmp(a->key, b->key) != 0) return false;
  if (a->kind == TR_SCALAR && (strcmp(a->text, b->text) != 0 || a->quoted != b->quoted))
    return false;
  const tr_node *y = b->first;
  for (const tr_node *x = a->first; x; x = x->next, y = y->next)
    if (!same(x, y)) return false;
  return true;
}

static void round_trip(const tr_model *model) {
  char *text;
  size_t size;
  tr_model *again;
  tr_error error = {0};
  if (tr_model_write_text(model, &text, &size, &error) != TR_OK) abort();
  if (tr_model_new(NULL, &again) != TR_OK) abort();
  if (tr_model_read_text(again, text, size, "again", &error) != TR_OK) abort();
  if (!same(model->root, again->root)) abort();
  tr_model_free(again);
  tr_model_release(model, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tr_model *model;
  tr_error error = {0};
  if (tr_model_new(NULL, &model) != TR_OK) return 0;
  if (tr_model_read_text(model, (const char *)data, size, "fuzz", &error) == TR_OK) {
    tr_arena arena = tr_arena_make(NULL);
    tr_plan plan;
    tr_model_plan(model, &arena, &arena, &plan, &error);
    tr_arena_free(&arena);
    round_trip(model);
  } else if (error.count == 0) {
    abort(); // a failure without a message
  }
  tr_model_free(model);
  return 0;
}
