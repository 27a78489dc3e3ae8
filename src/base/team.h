// SPDX-License-Identifier: Apache-2.0
// Threads that share the work of one large problem.
//
// (1) What is shared is cut into parts that write to places of their own, so that results do not depend on who
//     does what, nor on how many there are. Sums over parts are for the caller, in the order of parts.
// (2) A team of one is NULL: then all is done by the caller, at once.
// (3) One caller at a time; parts do not share work themselves.
#ifndef TR_TEAM_H
#define TR_TEAM_H

#include "base.h"

typedef struct tr_team tr_team;

// Functions for teams, kept out of those that small problems go through without one.
#define TR_APART static __attribute__((noinline))

// threads <= 1: *team is NULL. TR_FAILED: the system gives no threads.
tr_status tr_team_new(tr_allocator *al, int threads, tr_team **team);
void tr_team_free(tr_team *team);
int tr_team_size(const tr_team *team);
int tr_team_cores(void); // of the machine, as far as they are ours

// part(what, i), i = 0 .. parts - 1, each once, neighbours by one thread and every time by the same one as far as
// that has time for it.
void tr_team_share(tr_team *team, int parts, void (*part)(void *what, int i), void *what);

// 0 .. n - 1 in as many ranges as there are threads; they begin at multiples of `grain`, which is to take some 50 ns
// at least. i: number of the range. Of few items the caller does all.
typedef void tr_range_part(void *what, int i, int first, int end);
void tr_team_ranges(tr_team *team, int n, int grain, tr_range_part *part, void *what);
enum { TR_TEAM_MAX = 64 };

#endif
