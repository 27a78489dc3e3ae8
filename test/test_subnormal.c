// SPDX-License-Identifier: Apache-2.0
// Numbers below 2.2e-308 count as zero in steps, whatever mode the caller's processor is in, and that mode is back where the
// caller or an observer goes on.
#include "base/subnormal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/team.h"
#include "helper_mechanics.h"
#include "system/system.h"

// Halves are tripled away in each step: below 2.2e-308 after some 650.
static const char dies_out[] =
    "trammel: 1\n"
    "gravity: [0, 0]\n"
    "bodies:\n"
    "  wheel: {type: planar, mass: 1 kg, inertia: 1 kg m^2, omega: 1 rad/s}\n"
    "joints:\n"
    "  axle: {type: revolute, markers: [ground, wheel]}\n"
    "forces:\n"
    "  brake: {type: torsion-spring, markers: [ground, wheel], stiffness: 0, damping: 1000}\n"
    "simulation: {end: 1 s, step: 1 ms, method: \"newmark:beta=1/4,gamma=1/2\"}\n";

typedef struct watcher {
  tr_observer base;
  unsigned mode; // of the caller
  long calls;
} watcher;

static tr_status watch(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  watcher *w = (watcher *)self;
  (void)x, (void)info;
  assert_int_equal(tr_flush_mode(), w->mode);
  w->calls++;
  return TR_OK;
}

// Steps by all ways to make them; *least: the smallest |v| that is not 0.
static tr_run *run_in(const tr_system *sys, unsigned mode, double *least) {
  watcher w = {.base = {.step = watch}, .mode = mode};
  tr_error error = {0};
  tr_flush_take(mode);
  tr_run *run = new_run(sys, NULL, 1e-3, 1);
  assert_int_equal(tr_run_observe(run, &w.base), TR_OK);
  *least = INFINITY;
  for (int k = 1; k <= 900; k++) {
    tr_status status = k % 2 ? tr_run_step(run, &error) : tr_run_to(run, k * 1e-3, &error);
    if (status != TR_OK) fail_msg("%s", error.text);
    assert_int_equal(tr_flush_mode(), mode);
    double v = fabs(tr_run_state(run)->v[2]);
    if (v > 0) *least = fmin(*least, v);
  }
  assert_int_equal(tr_run_all(run, &error), TR_OK);
  assert_int_equal(tr_flush_mode(), mode);
  assert_true(w.calls >= 1000);
  return run;
}

static void small_numbers_are_zero(void **u) {
  (void)u;
#ifndef __SSE2__ // other processors are left as they are
  skip();
#endif
  unsigned before = tr_flush_mode();
  mechanism m = load_text(dies_out);
  double least[2];
  tr_run *plain = run_in(m.sys, 0, &least[0]), *flushed = run_in(m.sys, TR_FLUSH, &least[1]);
  tr_flush_take(before);
  const tr_state *x = tr_run_state(plain), *y = tr_run_state(flushed);
  for (int i = 0; i < 2; i++) {
    print_message("least speed: %g rad/s\n", least[i]);
    assert_true(least[i] >= DBL_MIN && least[i] < 1e-300);
  }
  assert_memory_equal(x->block, y->block, x->bytes);
  assert_true(x->v[2] == 0);
  tr_run_free(plain), tr_run_free(flushed);
  unload(&m);
}

static void see(void *what, int i) { ((unsigned *)what)[i] = tr_flush_mode(); }

// Threads of a team have the mode of who calls them.
static void teams_take_the_mode(void **u) {
  (void)u;
  enum { PARTS = 40 };
  unsigned before = tr_flush_mode(), seen[PARTS];
  tr_team *team = NULL;
  assert_int_equal(tr_team_new(NULL, 3, &team), TR_OK);
  for (int again = 0; again < 10; again++) {
    unsigned mode = again % 2 ? TR_FLUSH & ~0u : 0;
    tr_flush_take(mode);
    mode = tr_flush_mode(); // 0 where a processor has no such mode
    tr_team_share(team, PARTS, see, seen);
    tr_flush_take(before);
    for (int i = 0; i < PARTS; i++) assert_int_equal(seen[i], mode);
  }
  tr_team_free(team);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_numbers_are_zero),
      cmocka_unit_test(teams_take_the_mode),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
