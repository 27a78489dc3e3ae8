// SPDX-License-Identifier: Apache-2.0
// The list of claims, the stepper.
#include "helper_claims.h"

#include <string.h>

// Orders that the defaults do not show. `newmark` at gamma = 1/2, hht at alpha = 0, gen-alpha at rho = 1
// are the trapezoidal rule on index 3.
static const claim variants[] = {
    {"newmark:beta=1/4,gamma=1/2", 2, 2, 2, true, false, true},
    {"hht-i3:alpha=0", 2, 2, 2, true, false, true},
    {"hht-i3:alpha=-0.05", 2, 2, 2, true, false, false},
    {"hht-i3:mass=end", 1, 1, 1, true, false, false},
    {"gen-alpha:rho=1", 2, 2, 2, true, false, true},
    {"gen-alpha:rho=0", 2, 2, 2, true, false, false},
    {"gen-alpha:index=2", 2, 2, 2, true, true, false},
    {"gen-alpha:rho=1,index=2", 2, 2, 2, true, true, false},
    {"gen-alpha:rho=0,index=2", 2, 2, 2, true, true, false},
    {"hht-si2:alpha=0", 2, 2, 2, true, true, false},
    {"hht-si2:mass=end", 1, 1, 1, true, true, false},
    {"nstiff-si2:metric=identity", 2, 2, 2, true, true, false},
    {"ggl-bdf:order=1", 1, 1, 1, true, true, false},
    {"ggl-bdf:order=5", 3, 3, 3, true, true, false},
    {"ggl-bdf:metric=identity", 2, 2, 2, true, true, false},
    {"cs:order=1", 1, 1, 1, true, true, false},
    {"cm:projector=frozen", 2, 2, 2, true, true, false},
    {"hht-add:b=1", 2, 2, 2, true, true, false},
    {"hht-add:b=0.3,alpha=-0.1", 2, 2, 2, true, true, false},
    {"pfpc2:passes=1", 1, 1, 1, false, false, false},
    {"pfpc2:passes=3", 2, 2, 2, false, false, false},
    {"baumgarte:scheme=euler", 1, 1, 1, false, false, false},
    {"baumgarte:scheme=euler,unit=1/s,alpha=5,beta=5", 1, 1, 1, false, false, false},
    {"baumgarte:unit=1/s,alpha=5,beta=5", 2, 2, 2, false, false, false},
    {"baumgarte:scheme=rk4,unit=1/s,alpha=5,beta=5", 4, 4, 4, false, false, false},
};

int all_claims(claim *list) {
  int n = 0;
  for (; tr_methods()[n]; n++) {
    const tr_method_info *m = &tr_methods()[n]->info;
    bool position = !strncmp(m->levels, "position", 8);
    bool velocity = !strncmp(m->levels, "position and velocity", 21);
    list[n] = (claim){m->name, m->order_q, m->order_v, m->order_lam, position, velocity, false};
  }
  int more = (int)(sizeof variants / sizeof *variants);
  assert_true(n + more <= MAX_CLAIMS);
  memcpy(list + n, variants, sizeof variants);
  return n + more;
}

tr_newton_settings newton_to(double tol) {
  tr_newton_settings s = tr_run_defaults().newton;
  s.tol = tol;
  return s;
}

stepper new_stepper(const tr_system *sys, const char *method, const tr_newton_settings *newton) {
  stepper s = {.sys = sys, .arena = tr_arena_make(NULL)};
  void *par;
  tr_error error = {0};
  if (tr_method_parse(&s.arena, method, &s.method, &par, &error) != TR_OK)
    fail_msg("%s", error.text);
  assert_int_equal(tr_step_new(sys, s.method, par, newton, NULL, &s.step, &error), TR_OK);
  assert_int_equal(tr_work_new(sys, &s.work), TR_OK);
  assert_int_equal(tr_state_new(sys, &s.x, NULL), TR_OK);
  assert_int_equal(tr_state_new(sys, &s.next, NULL), TR_OK);
  if (tr_consistent_start(sys, &s.x, NULL, &error) != TR_OK) fail_msg("%s", error.text);
  tr_kinematics(s.work, s.x.t, s.x.q, s.x.v, s.x.mem, TR_AT_VELOCITY);
  tr_accept(s.work, s.x.mem);
  assert_int_equal(tr_step_begin(s.step, &s.x), TR_OK);
  return s;
}

void free_stepper(stepper *s) {
  tr_step_free(s->step);
  tr_work_free(s->work);
  tr_state_free(s->sys, &s->x);
  tr_state_free(s->sys, &s->next);
  tr_arena_free(&s->arena);
}

void take_tried(stepper *s) {
  tr_step_accept(s->step, &s->x, &s->next);
  tr_state old = s->x;
  s->x = s->next;
  s->next = old;
  tr_kinematics(s->work, s->x.t, s->x.q, s->x.v, s->x.mem, TR_AT_VELOCITY);
  tr_accept(s->work, s->x.mem);
}

void take_step(stepper *s, double h) {
  tr_status status = tr_step_try(s->step, &s->x, h, &s->next);
  if (status != TR_OK)
    fail_msg("%s: step from t = %g with h = %g: %s", s->method->info.name, s->x.t, h,
             tr_status_text(status));
  take_tried(s);
}

void restart(stepper *s) {
  assert_int_equal(tr_accelerations(s->sys, &s->x, NULL), TR_OK);
  assert_int_equal(tr_step_begin(s->step, &s->x), TR_OK);
}
