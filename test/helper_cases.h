// SPDX-License-Identifier: Apache-2.0
// How many of a loop's cases to run.
//
// The release tests run all: there numbers are judged. Sanitizers judge the code that a case goes through, at a fifth of
// the speed, and most combinations go through the same: of methods x models x tolerances they get some of each, and every
// method in one test or another. With TR_TEST_LONG they get all, too.
#ifndef TR_HELPER_CASES_H
#define TR_HELPER_CASES_H

#include <stdbool.h>

bool all_cases(void);
// Whether case i is to be run in way k of its loop: in all, or in every n-th, another one for the next case.
bool in_turn(int i, int k, int n);
// A length or a count that has a shorter one.
double or_less(double all, double less);

#endif
