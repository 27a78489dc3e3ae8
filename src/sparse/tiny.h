// SPDX-License-Identifier: Apache-2.0
// Systems so small that zeros do not pay: k->scaled is stored and factored dense.
#ifndef TR_TINY_H
#define TR_TINY_H

#include "kkt.h"

tr_status tr_tiny_make(tr_arena *ar, tr_kkt *k);
tr_status tr_tiny_factor(tr_kkt *k);                 // TR_OK, TR_SINGULAR
bool tr_tiny_solve(tr_kkt *k, int count, double *b); // false: not all is finite

#endif
