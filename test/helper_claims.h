// SPDX-License-Identifier: Apache-2.0
// What the methods claim: every registered one with its defaults, from its own description, and the
// parameters that matter. And a stepper, for tests that meddle with the steps.
#ifndef TR_HELPER_CLAIMS_H
#define TR_HELPER_CLAIMS_H

#include "helper_motion.h"
#include "step/step.h"

typedef struct claim {
  const char *text;
  int q, v, lam;           // orders
  bool position, velocity; // constraint levels enforced
  bool alternates;         // a and lam, ever more so: not for long runs
} claim;
enum { MAX_CLAIMS = 64 };
int all_claims(claim *list); // how many

typedef struct stepper {
  const tr_system *sys;
  tr_arena arena;
  const tr_method *method;
  tr_step *step;
  tr_work *work;
  tr_state x, next;
} stepper;
// At the consistent start of the model.
stepper new_stepper(const tr_system *sys, const char *method, const tr_newton_settings *newton);
void free_stepper(stepper *s);
void take_step(stepper *s, double h);
void take_tried(stepper *s); // the step that was tried last
// As after a discontinuity: accelerations from the state, no past.
void restart(stepper *s);

// The Newton settings of a run, with another tolerance.
tr_newton_settings newton_to(double tol);

#endif
