#include "trammel/model.h"
tr_status tr_model_schema(tr_allocator *a, char **t, size_t *s) {
  (void)a;
  (void)t;
  (void)s;
  return TR_FAILED;
}
