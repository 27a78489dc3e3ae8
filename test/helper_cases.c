// SPDX-License-Identifier: Apache-2.0
#include "helper_cases.h"

#include <stdlib.h>

bool all_cases(void) {
#ifdef SANITIZED
  return getenv("TR_TEST_LONG") != NULL;
#else
  return true;
#endif
}

bool in_turn(int i, int k, int n) { return all_cases() || i % n == k % n; }

double or_less(double all, double less) { return all_cases() ? all : less; }
