// SPDX-License-Identifier: Apache-2.0
// Large systems are walked along stretch by stretch: stretches pass everything once, nothing before what it needs, and
// lead to the same bits as whole loops.
#include <math.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_mechanics.h"
#include "system/stretch.h"

// Rods of a chain whose joints are listed from the wrong end.
static const char backwards[] =
    "trammel: 1\n"
    "name: backwards\n"
    "gravity: [0, 0, -9.81]\n"
    "repeat:\n"
    "  - for: i\n"
    "    from: 1\n"
    "    to: 600\n"
    "    bodies:\n"
    "      rod_{i}: {type: spatial, mass: 0.1 kg, inertia: [1e-4, 2e-4, 2e-4], position: [0.1*i, "
    "0, 0]}\n"
    "  - for: i\n"
    "    from: 1\n"
    "    to: 599\n"
    "    joints:\n"
    "      ball_{i}: {type: spherical, bodies: [\"rod_{600-i}\", \"rod_{601-i}\"], at: [0.1*(600 - "
    "i) + 0.05, 0, 0]}\n"
    "simulation: {end: 1 s, step: 1 ms, method: hht-i3}\n";

// Points and rods by turns, on rods without mass, the last held by the first; springs to ground.
static const char mixed[] =
    "trammel: 1\n"
    "name: mixed\n"
    "gravity: [0, 0, -9.81]\n"
    "repeat:\n"
    "  - for: i\n"
    "    from: 1\n"
    "    to: 75\n"
    "    bodies:\n"
    "      a_{i}: {type: spatial, mass: 0.1 kg, inertia: [1e-4, 2e-4, 2e-4], position: [0.8*i, 0, "
    "0]}\n"
    "    repeat:\n"
    "      - for: k\n"
    "        from: 1\n"
    "        to: 7\n"
    "        bodies:\n"
    "          b_{i}_{k}: {type: spatial-point, mass: 0.1 kg, position: [0.8*i + 0.1*k, 0, 0]}\n"
    "        joints:\n"
    "          d_{i}_{k}: {type: distance, length: 0.1*k, markers: [{body: \"a_{i}\"}, {body: "
    "\"b_{i}_{k}\"}]}\n"
    "    forces:\n"
    "      s_{i}: {type: spring-damper, markers: [{at: [0.8*i, 0, 0.5]}, {body: \"a_{i}\"}], "
    "stiffness: 500, damping: 1}\n"
    "simulation: {end: 1 s, step: 1 ms, method: hht-i3}\n";

static mechanism load(int i) {
  static const char *const set_rods[] = {"N=700", NULL}, *const set_bars[] = {"N=300", NULL};
  return i == 0   ? load_model("rod_chain.yaml", set_rods)
         : i == 1 ? load_model("four_bar_chain.yaml", set_bars)
         : i == 2 ? load_text(backwards)
                  : load_text(mixed);
}
enum { MODELS = 4 };

// Bodies, joints, bodies in balance: each has passed what it needs.
typedef struct passed {
  const tr_system *s;
  int body, joint, held;
} passed;

static void pass_bodies(void *what, int hand, const sys_range *of) {
  passed *p = what;
  assert_int_equal(hand, 0);
  assert_int_equal(of->first, p->body);
  p->body = of->end;
}

static void pass_joints(void *what, int hand, const sys_range *of) {
  passed *p = what;
  assert_int_equal(hand, 0);
  assert_int_equal(of->first, p->joint);
  for (int j = of->first; j < of->end; j++)
    for (int k = 0; k < p->s->joint[j].e.markers; k++)
      assert_true(p->s->joint[j].e.body[k] < p->body);
  p->joint = of->end;
}

static void pass_held(void *what, int hand, const sys_range *of) {
  passed *p = what;
  assert_int_equal(hand, 0);
  assert_int_equal(of->first, p->held);
  for (int j = p->joint; j < p->s->njoint; j++)
    for (int k = 0; k < p->s->joint[j].e.markers; k++)
      assert_false(p->s->joint[j].e.body[k] >= of->first && p->s->joint[j].e.body[k] < of->end);
  p->held = of->end;
}

static void all_is_passed_in_order(void **u) {
  (void)u;
  static const tr_walk all = {pass_bodies, pass_joints, pass_held};
  for (int i = 0; i < MODELS; i++) {
    mechanism m = load(i);
    tr_work *w = NULL;
    passed p = {.s = m.sys};
    tr_state x;
    assert_true(m.sys->nstretch > 1);
    assert_int_equal(tr_work_new(m.sys, &w), TR_OK);
    assert_int_equal(tr_state_new(m.sys, &x, NULL), TR_OK);
    tr_kinematics(w, 0, x.q, x.v, x.mem, TR_AT_VELOCITY);
    tr_walk_along(w, &all, &p);
    assert_int_equal(p.body, m.sys->nbody);
    assert_int_equal(p.joint, m.sys->njoint);
    assert_int_equal(p.held, m.sys->nbody);
    tr_state_free(m.sys, &x);
    tr_work_free(w);
    unload(&m);
  }
}

typedef struct trace {
  tr_observer observer;
  uint64_t hash;
} trace;

static tr_status mix(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  trace *t = (trace *)self;
  (void)info;
  const unsigned char *byte = (const unsigned char *)x->block;
  for (size_t i = 0; i < x->bytes; i++) t->hash = (t->hash ^ byte[i]) * 1099511628211u;
  return TR_OK;
}

static uint64_t bits(const tr_system *sys, const char *method, double tol, int threads) {
  trace t = {{.step = mix}, 14695981039346656037u};
  tr_run_settings s = tr_run_defaults();
  tr_run *run = NULL;
  s.method = method, s.step = 1e-3, s.end = 0.02, s.threads = threads, s.control.tol = tol;
  assert_int_equal(tr_run_new(sys, &s, NULL, &run, NULL), TR_OK);
  assert_int_equal(tr_run_observe(run, &t.observer), TR_OK);
  assert_int_equal(tr_run_all(run, NULL), TR_OK);
  tr_run_free(run);
  return t.hash;
}

static void whole_loops_give_the_same_bits(void **u) {
  (void)u;
  static const char *const methods[] = {"hht-i3:alpha=-0.1", "newmark", "nstiff",
                                        "hht-si2:alpha=-0.1", "nstiff-si2"};
  for (int i = 0; i < MODELS; i++) {
    mechanism m = load(i);
    tr_system whole = *m.sys;
    whole.nstretch = 0;
    for (int k = 0; k < 5; k++) {
      if (!in_turn(i + k, 0, 2)) continue;
      uint64_t expected = bits(&whole, methods[k], 0, 1);
      assert_true(bits(m.sys, methods[k], 0, 1) == expected);
      assert_true(bits(m.sys, methods[k], 0, -3) == expected);
    }
    assert_true(bits(m.sys, methods[0], 1e-4, 1) == bits(&whole, methods[0], 1e-4, 1));
    unload(&m);
  }
}

// What is the largest on the way: of any number of them, wherever it is, and what is no number is above all.
static void the_largest_is_found(void **u) {
  (void)u;
  double x[70];
  for (int n = 1; n <= 70; n++)
    for (int at = 0; at < n; at++) {
      for (int i = 0; i < n; i++) x[i] = (i % 2 ? -1 : 1) * (1 + 0.5 * sin(i));
      x[at] = at % 3 ? -2.5 : 2.5;
      assert_true(vec_largest(x, n) == 2.5);
      x[at] = at % 3 ? NAN : at % 2 ? -INFINITY : INFINITY;
      assert_true(vec_largest(x, n) == INFINITY);
      x[at] = -NAN;
      assert_true(vec_largest(x, n) == INFINITY);
    }
  memset(x, 0, sizeof x);
  assert_true(vec_largest(x, 70) == 0);
}

// A few bodies are not worth a walk; nor are those that elements ask for all at once.
static void small_systems_have_none(void **u) {
  (void)u;
  mechanism m = load_model("seven_body.yaml", NULL);
  assert_int_equal(m.sys->nstretch, 0);
  unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_is_passed_in_order),
      cmocka_unit_test(whole_loops_give_the_same_bits),
      cmocka_unit_test(the_largest_is_found),
      cmocka_unit_test(small_systems_have_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
