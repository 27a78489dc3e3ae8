// SPDX-License-Identifier: Apache-2.0
// The lists of what is built in. A new element is one file and one line in elem_list.h.
#ifndef TR_ELEM_H
#define TR_ELEM_H

#include "trammel/model.h"
#include "trammel/plugin.h"

#define BODY(type) extern const tr_body_type type;
#define JOINT(type) extern const tr_joint_type type;
#define FORCE(type) extern const tr_force_type type;
#include "elem_list.h"
#undef BODY
#undef JOINT
#undef FORCE

// The body behind a tr_problem: not in the list, since it has no keys in model files.
extern const tr_body_type tr_body_problem;
// par of tr_body_problem.
typedef struct tr_problem_par {
  const tr_problem *problem;
} tr_problem_par;

// Numbers among the unknowns, and their equations: the sections `states` and `variables`. Not in the lists
// either.
extern const tr_body_type tr_body_state, tr_body_variable;
extern const tr_joint_type tr_joint_equation;
typedef struct tr_scalar_par {
  double start, scale; // X at the start, or a guess of V; what both are counted in
} tr_scalar_par;
typedef struct tr_equation_par {
  const tr_law *law;
  const tr_scalar_par *scalar;
} tr_equation_par;

// A place in the program of a law that switches as time tells, see law_range.c.
typedef struct law_switch {
  const struct law_source *of; // NULL: none
  int first, at;               // instructions: the first of what it looks at, and its own
} law_switch;
// The first time after *from and up to `till` at which it switches, found with an error of eps scale; INFINITY: there is none.
// NAN: so many instructions did not do. *from: nothing is before that (law_range.c).
double law_next_switch(const law_switch *w, double *from, double till, double scale, long work);
bool law_switches_within(const law_switch *w, double from, double to); // or may do so

// A time at which a law of it may jump, or have a kink or something narrow, see law_instants.c.
typedef struct tr_instant {
  double t, period; // 0: once
  law_switch found; // or the times are looked for
  bool jump;
  bool blind; // what the law does within the period is not known
} tr_instant;

#endif
