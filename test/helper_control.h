// SPDX-License-Identifier: Apache-2.0
// What the tests of error control share: runs under control, by the defaults of every method and some others.
#ifndef TR_HELPER_CONTROL_H
#define TR_HELPER_CONTROL_H

#include "helper_events.h"

tr_run_settings controlled(const char *method, double tol, double end);
int control_cases(void);
const char *control_method(int i);
// No run begins with these settings, and the error has `why` in it.
void assert_refused(const tr_system *sys, const tr_run_settings *s, const char *why);

#endif
