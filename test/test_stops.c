// SPDX-License-Identifier: Apache-2.0
// A caller who comes back at times that steps do not fit: every method keeps its orders in q, v and lam at all of them.
//
// The times are multiples of f h with f from just above one step to many, and a pattern with everything in it, splinters
// of a hundredth of a step between long ways. The error is the largest over some times where h and h/4 both stop, against a
// method of fifth order that does so too; the order is measured between the two.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_claims.h"
#include "helper_mechanics.h"
#include "system/system.h"

enum { MOST_STOPS = 1100, ROOM = 100 };
static const double END = 1, FIRST = 0.3, APART = 0.0171;
static const double factors[] = {1.02, 1.1, 3.3, 5.01, 10.05, 20.3, 0}; // 0: the pattern
enum { FACTORS = sizeof factors / sizeof *factors };
static const double pattern[] = {2.3, 1.61, 0.77, 20.4, 0.013, 5, 17.02, 0.4};
static const double SLACK = 0.4;
// Fixed gains on the driven cart: 1.31, 1.77, 1.94, 1.97 over four halvings.
static const double SLACK_OF_FEEDBACK = 0.7;

static const char *const planar =
    "trammel: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  cart: {type: planar, mass: 2, inertia: 0.1}\n"
    "  bar: {type: planar, mass: 1.3, inertia: 0.05, com: [0.07, 0.03], position: [0.4, 0], angle: "
    "0.3,\n"
    "        omega: 2}\n"
    "  end: {type: planar, mass: 0.7, inertia: 0.02, position: [1.0, 0.2], angle: -0.8}\n"
    "joints:\n"
    "  rail: {type: point-on-line, markers: [ground, cart]}\n"
    "  upright: {type: orientation, markers: [ground, cart]}\n"
    "  pin: {type: revolute, markers: [cart, {body: bar, at: [-0.4, 0]}]}\n"
    "  knee: {type: revolute, markers: [{body: bar, at: [0.4, 0.1]}, {body: end, at: [-0.3, "
    "0.05]}]}\n"
    "  drive: {type: expression, phi: \"DX(cart) - 0.3*sin(5*time)*exp(0.2*time)\"}\n"
    "forces:\n"
    "  hinge: {type: torsion-spring, markers: [cart, bar], stiffness: 3, damping: 0.4}\n"
    "  air: {type: drag, markers: [end], linear: 0.2, quadratic: 0.5}\n";

static const char *const spatial =
    "trammel: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  arm: {type: spatial, mass: 2, inertia: [0.02, 0.2, 0.2], position: [0.5, 0, 0],\n"
    "        orientation: {x: 1.2}}\n"
    "  bob: {type: spatial, mass: 1, inertia: [0.05, 0.03, 0.02], position: [1, 0.1, -0.6],\n"
    "        orientation: [{z: 0.5}, {x: 1}, {z: 0.2}], omega: [1, 3, -2]}\n"
    "joints:\n"
    "  hinge: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [0.2, 0, 1]}\n"
    "  drive: {type: motion, joint: hinge, position: \"0.8*sin(3*time) + 0.5*time^2\"}\n"
    "  rope: {type: distance, markers: [{body: arm, at: [0.5, 0, 0]}, {body: bob, at: [0.02, 0.1, "
    "0]}]}\n"
    "forces:\n"
    "  air: {type: torque, markers: [bob], torque: [\"-0.05*WX(bob)\", \"-0.05*WY(bob)\", "
    "\"0.1*sin(time)\"]}\n";

typedef struct track {
  int stops;
  bool met[MOST_STOPS];
  double t[MOST_STOPS], q[MOST_STOPS][ROOM], v[MOST_STOPS][ROOM], lam[MOST_STOPS][ROOM];
} track;

// Both steps meet at the times FIRST + j APART, which are odd for either; the way goes on from there.
static void plan(track *k, double h, double factor) {
  double t = 0, meet = FIRST;
  k->stops = 0;
  for (int n = 0; meet < END; n++) {
    t += (factor > 0 ? factor : pattern[n % 8]) * h;
    if (t > meet) t = meet, meet += APART;
    assert_true(n < MOST_STOPS);
    k->met[n] = t + APART == meet;
    k->t[k->stops++] = t;
  }
}

static void follow(const tr_system *sys, const char *method, double h, track *k) {
  tr_error error = {0};
  tr_run_settings set = tr_run_defaults();
  tr_run *run = NULL;
  set.method = method, set.step = h, set.end = END;
  set.newton.tol = 1e-12; // what is left open swings on for ever in undamped methods
  run = begin_run(sys, &set);
  assert_true(sys->nq <= ROOM && sys->nc <= ROOM);
  for (int i = 0; i < k->stops; i++) {
    if (tr_run_to(run, k->t[i], &error) != TR_OK) fail_msg("%s: %s", method, error.text);
    const tr_state *x = tr_run_state(run);
    assert_true(x->t == k->t[i]);
    memcpy(k->q[i], x->q, (size_t)sys->nq * sizeof *x->q);
    memcpy(k->v[i], x->v, (size_t)sys->nv * sizeof *x->v);
    memcpy(k->lam[i], x->lam, (size_t)sys->nc * sizeof *x->lam);
  }
  tr_run_free(run);
}

static double difference(int n, const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

// The largest errors of q, v, lam where both steps meet. Splinters are left out for lam: round-off of positions by 1/h^2.
static void look_at(const tr_system *sys, const track *k, const track *fine, double h,
                    double e[3]) {
  e[0] = e[1] = e[2] = 0;
  for (int i = 1; i < k->stops; i++) {
    if (!k->met[i]) continue;
    e[0] = fmax(e[0], difference(sys->nq, k->q[i], fine->q[i]));
    e[1] = fmax(e[1], difference(sys->nv, k->v[i], fine->v[i]));
    if (k->t[i] - k->t[i - 1] > 0.1 * h)
      e[2] = fmax(e[2], difference(sys->nc, k->lam[i], fine->lam[i]));
  }
}

// Feedback of 1/h makes velocities jump whenever the step changes: its positions alone are looked at.
static bool check(const char *model, const claim *c, double factor, double coarse[3],
                  double fine[3]) {
  const int claimed[] = {c->q, c->v, c->lam};
  const char *const what[] = {"q", "v", "lam"};
  const double noise[] = {1e-9, 1e-8, 1e-6};
  bool ok = true;
  for (int i = 0; i < (c->position ? 3 : 1); i++) {
    double p = 0.5 * log2(coarse[i] / fine[i]);
    if (fine[i] < noise[i] || p > claimed[i] - (c->position ? SLACK : SLACK_OF_FEEDBACK)) continue;
    print_error("%s, %s, stops every %g h: order %.2f in %s, claimed %d: errors %.3g %.3g\n", model,
                c->text, factor, p, what[i], claimed[i], coarse[i], fine[i]);
    ok = false;
  }
  return ok;
}

static bool try_model(int model, const char *name, const tr_system *sys) {
  static track fine[2], own;
  claim c[MAX_CLAIMS];
  int claims = all_claims(c);
  bool ok = true;
  for (int f = 0; f < FACTORS; f++) {
    double step[] = {0x1p-8, 0x1p-10};
    if (!in_turn(model, f, 3)) continue;
    for (int k = 0; k < 2; k++) {
      plan(&fine[k], step[k], factors[f]);
      follow(sys, "radau5", step[k], &fine[k]);
    }
    bool all = factors[f] < 1.1 ||
               factors[f] > 16; // equal steps in between: the methods as they come will do
    for (int i = 0; i < (all ? claims : tr_method_count()); i++) {
      double e[2][3];
      if (!in_turn(i, f + model, 6)) continue;
      for (int k = 0; k < 2; k++) {
        plan(&own, step[k], factors[f]);
        follow(sys, c[i].text, step[k], &own);
        look_at(sys, &own, &fine[k], step[k], e[k]);
      }
      ok &= check(name, &c[i], factors[f], e[0], e[1]);
    }
  }
  return ok;
}

static void orders_at_odd_times(void **u) {
  (void)u;
  mechanism m[] = {load_model("pendulum.yaml", NULL), load_text(planar), load_text(spatial)};
  const char *const name[] = {"pendulum", "driven cart", "driven arm"};
  bool ok = true;
  for (int k = 0; k < 3; k++) ok &= try_model(k, name[k], m[k].sys);
  for (int k = 0; k < 3; k++) unload(&m[k]);
  assert_true(ok);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(orders_at_odd_times)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
