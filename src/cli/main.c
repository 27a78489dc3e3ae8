// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "trammel/trammel.h"

int main(void) {
  printf("%s\n", tr_version());
  return 0;
}
