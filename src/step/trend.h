// SPDX-License-Identifier: Apache-2.0
// How something goes on: its trend, see predict.c.
#ifndef TR_TREND_H
#define TR_TREND_H

#include "step.h"

enum { TR_TRENDS = 3 }; // that are found side by side at most

// The newest state of y, of n numbers each, is learnt from, after `terms` others and one more.
void tr_trend_learn(const tr_work *w, int terms, int n, const tr_course *y, tr_trend *f);
// b of two or three trends.
void tr_trend_solve(int terms, int count, tr_trend *const *f);
// The weights of what is kept in p from b.
void tr_trend_weigh(int terms, const tr_past *p, tr_trend *f);

#endif
