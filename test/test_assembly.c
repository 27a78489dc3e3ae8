// SPDX-License-Identifier: Apache-2.0
// The assembly of bad starts: closed on the branch they are on, or what cannot be closed is named.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helper_machine.h"
#include "math/v3.h"
#include "system/system.h"

static double site_distance(const tr_system *sys, int body) {
  double most = 0;
  const tr_body_slot *slot = &sys->slot[body];
  for (int i = slot->site; i < slot->site + slot->sites; i++)
    most = fmax(most, v3_norm(sys->site[i].c));
  return most;
}

// Every position off by up to 10 % of its body's size, every turn by up to 0.1 rad, and deformations, which turn
// sections by several times their number, by 0.01.
static void spoil(const tr_system *sys, seed *s, const tr_state *from, tr_state *x) {
  double *d = calloc((size_t)sys->nv + 1, sizeof *d);
  assert_non_null(d);
  for (int i = 0; i < sys->nbody; i++) {
    const sys_body *b = &sys->body[i];
    double size = site_distance(sys, i);
    for (int k = 0; k < b->nv; k++)
      d[b->v + k] = 0.1 * draw(s) * (k < (b->type->dim == 2 ? 2 : 3) ? size : 1);
    int modes = b->type->modes ? b->type->modes(b->par, NULL) : 0;
    for (int k = b->nv - modes; k < b->nv; k++) d[b->v + k] *= 0.1;
  }
  tr_retract(sys, from->q, d, x->q);
  free(d);
}

// Mechanisms without freedom come back to where they were; others stay on their branch: no body turns
// by much.
static void bad_starts(void **unused) {
  (void)unused;
  for (const char *const *name = shipped_models(); *name; name++) {
    mechanism m = load_model(*name, NULL);
    const tr_system *sys = m.sys;
    tr_state ref, x;
    tr_examination *e = examine_start(&m, false, &ref);
    seed s = 77;
    // angles there are coupled to ways or to each other by large factors
    bool geared = strstr(*name, "screw") || strstr(*name, "gear") || strstr(*name, "rack");
    assert_int_equal(tr_state_new(sys, &x, NULL), TR_OK);
    for (int k = 0; k < 20; k++) {
      tr_error error = {0};
      tr_state_copy(&x, &ref);
      spoil(sys, &s, &ref, &x);
      if (tr_consistent_start(sys, &x, NULL, &error) != TR_OK)
        fail_msg("%s, start %d: %s", *name, k, error.text);
      for (int i = 0; i < sys->nq && e->freedom == 0; i++)
        assert_near(x.q[i], ref.q[i], 1e-9, "%s, start %d", *name, k);
      for (int b = 0; b < sys->nbody && !geared; b++) {
        const sys_body *body = &sys->body[b];
        double turn = 0;
        if (body->type->dim == 2 && body->nv == 3) turn = x.q[body->q + 2] - ref.q[body->q + 2];
        if (body->type->dim == 3 && body->nq == 7) {
          double dot = 0;
          for (int i = 3; i < 7; i++) dot += x.q[body->q + i] * ref.q[body->q + i];
          turn = 2 * acos(fmin(1, fabs(dot)));
        }
        if (!(fabs(turn) < 0.5))
          fail_msg("%s, start %d: body %s has turned by %g", *name, k, body->name, turn);
      }
    }
    tr_state_free(sys, &x), tr_state_free(sys, &ref);
    tr_examination_free(e);
    unload(&m);
  }
}

// The start says which branch: a four-bar open or crossed, a slider to the left or right.
static void branches(void **unused) {
  (void)unused;
  for (int side = -1; side <= 1; side += 2)
    for (int k = 0; k < 10; k++) {
      char text[1024];
      seed s = 100 + (seed)k;
      double x = 0.1 * draw(&s), y = 0.1 * draw(&s), turn = 0.15 * draw(&s);
      snprintf(
          text, sizeof text,
          "trammel: 1\nbodies:\n"
          "  crank: {type: planar, mass: 1, inertia: 0.1, angle: 30 deg, keep: [angle]}\n"
          "  rod: {type: planar, mass: 1, inertia: 0.1, position: [%g, %g], angle: %g}\n"
          "joints:\n"
          "  O: {type: revolute, markers: [ground, crank]}\n"
          "  A: {type: revolute, markers: [{body: crank, at: [1, 0]}, {body: rod, at: [-1, 0]}]}\n"
          "  slide: {type: point-on-line, markers: [ground, {body: rod, at: [1, 0]}]}\n",
          0.866 + side * 0.968 + x, 0.25 + y, (side > 0 ? -0.253 : -2.889) + turn);
      mechanism m = load_text(text);
      tr_state at;
      assert_int_equal(tr_state_new(m.sys, &at, NULL), TR_OK);
      assert_int_equal(tr_consistent_start(m.sys, &at, NULL, NULL), TR_OK);
      assert_near(output(m.sys, &at, "slide.s"), cos(TR_PI / 6) + side * 2 * sqrt(1 - 1. / 16),
                  1e-12, "slider, side %d", side);
      tr_state_free(m.sys, &at);
      unload(&m);
    }
}

// What cannot be closed is named, with all that is open and what was to be kept.
static void contradictions(void **unused) {
  (void)unused;
  mechanism m = load_text(
      "trammel: 1\nbodies:\n"
      "  one: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0.1], keep: [angle]}\n"
      "  two: {type: planar, mass: 1, inertia: 0.1, position: [1.5, 0.1]}\n"
      "joints:\n"
      "  left: {type: revolute, markers: [ground, {body: one, at: [-0.5, 0]}]}\n"
      "  middle: {type: revolute, markers: [{body: one, at: [0.5, 0]}, {body: two, at: [-0.5, "
      "0]}]}\n"
      "  right: {type: revolute, markers: [{at: [2.3, 0]}, {body: two, at: [0.5, 0]}]}\n");
  tr_state x;
  tr_error error = {0};
  assert_int_equal(tr_state_new(m.sys, &x, NULL), TR_OK);
  assert_int_equal(tr_consistent_start(m.sys, &x, NULL, &error), TR_INCONSISTENT);
  assert_non_null(strstr(error.text, "contradicts what"));
  assert_non_null(strstr(error.text, "cannot be assembled from the given start (residual"));
  assert_non_null(strstr(error.text, "stays open by 0.1"));
  assert_non_null(strstr(error.text, "body \"one\": keeps angle as given"));
  tr_state_free(m.sys, &x);
  unload(&m);
}

// A hinge turns a body to where its z is along x, or back: 3-1-3 angles have a pole there with the axes that the start
// was written in. The same place and energy as in Lie-group form.
static void at_a_pole(void **unused) {
  (void)unused;
  static const char *const by[] = {"lie", "euler-313"};
  static const double turn[][2] = {{90, 10}, {90, 20}, {90, 36}, {90, 60},
                                   {0, 37},  {0, 40},  {0, 80}};
  for (size_t i = 0; i < sizeof turn / sizeof *turn; i++) {
    double energy[2], tip[2];
    for (int k = 0; k < 2; k++) {
      char text[900];
      snprintf(text, sizeof text,
               "trammel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
               "  a: {type: spatial, coordinates: %s, mass: 1, inertia: [0.02, 0.03, 0.04], "
               "position: [0, 0.5, 0.2], omega: [1, 2, 3], "
               "orientation: {axis: [0, 1, 0], angle: %g deg}}\nmarkers:\n"
               "  g: {body: ground, orientation: {axis: [0, 1, 0], angle: %g deg}}\n"
               "  m: {body: a, at: [0, -0.5, 0]}\n"
               "joints:\n  j: {type: revolute, markers: [g, m]}\n",
               by[k], turn[i][1], turn[i][0]);
      mechanism m = load_text(text);
      tr_error error = {0};
      tr_state x;
      assert_int_equal(tr_state_new(m.sys, &x, NULL), TR_OK);
      if (tr_consistent_start(m.sys, &x, NULL, &error) != TR_OK)
        fail_msg("%s, from %g to %g: %s", by[k], turn[i][1], turn[i][0], error.text);
      energy[k] = output(m.sys, &x, "energy.total"), tip[k] = output(m.sys, &x, "a.y");
      tr_state_free(m.sys, &x);
      unload(&m);
    }
    assert_near(energy[1], energy[0], 1e-9, "from %g to %g", turn[i][1], turn[i][0]);
    assert_near(tip[1], tip[0], 1e-9, "from %g to %g", turn[i][1], turn[i][0]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_starts),
      cmocka_unit_test(branches),
      cmocka_unit_test(contradictions),
      cmocka_unit_test(at_a_pole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
