// SPDX-License-Identifier: Apache-2.0
// Chains, along which four bodies at a time are eliminated side by side, against KLU.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_solvers.h"

typedef struct chain {
  const char *what, *body, *joint; // %d: the number of the body
  int shapes[3];                   // of the nodes of a body, 0: no more
} chain;

static const chain chains[] = {
    {"rods",
     "{type: spatial, mass: 0.1, inertia: [7e-6, 9e-5, 9e-5], position: [0.1*i - 0.05, 0, 0]}",
     "spherical",
     {BLOCK_1_2_0, BLOCK_2_3_3, BLOCK_LANES_3_2}},
    {"boxes on corners",
     "{type: spatial, mass: 0.1, inertia: [7e-5, 8e-5, 9e-5], position: [0.1*i - 0.05, 0.02, "
     "-0.01]}",
     "spherical",
     {BLOCK_3_3_3, BLOCK_LANES_3_2}},
    {"bars in a plane",
     "{type: planar, mass: 0.1, inertia: 9e-5, position: [0.1*i - 0.05, 0.01]}",
     "revolute",
     {BLOCK_1_2_2, BLOCK_LANES_2_2}},
};
enum { BODIES = 41 };

static mechanism make(const chain *c) {
  char text[2048];
  snprintf(text, sizeof text,
           "trammel: 1\n"
           "repeat:\n"
           "  - {for: i, from: 1, to: 1, bodies: {\"b_{i}\": %s},\n"
           "     joints: {\"j_{i}\": {type: %s, bodies: [ground, \"b_{i}\"], at: [0, 0%s]}}}\n"
           "  - {for: i, from: 2, to: %d, bodies: {\"b_{i}\": %s},\n"
           "     joints: {\"j_{i}\": {type: %s, bodies: [\"b_{i-1}\", \"b_{i}\"], at: [0.1*i - "
           "0.1, 0%s]}}}\n",
           c->body, c->joint, strcmp(c->joint, "revolute") ? ", 0" : "", BODIES, c->body, c->joint,
           strcmp(c->joint, "revolute") ? ", 0" : "");
  return load_text(text);
}

// Nearly all bodies are in windows, by the nodes that they have.
static void check_windows(const chain *c, const tr_blocks *b) {
  assert_true(b && BLOCK_FOUR * b->windows >= BODIES - 9);
  for (int w = 0; w < b->windows; w++) {
    const block_window *window = &b->window[w];
    for (int o = 0; o < window->period; o++) {
      const block_kind *kind = (const block_kind *)(b->kind + b->node[window->node + o].kind);
      bool found = o == window->period - 1;
      for (int k = 0; k < 3; k++) found |= c->shapes[k] > 0 && kind->shape == c->shapes[k];
      if (!found) fail_msg("%s: shape %d", c->what, kind->shape);
    }
  }
}

// Anywhere, with any forces in the joints.
static void tangent_at(const mechanism *m, tr_work *w, tr_state *x, seed *s, double *values) {
  tr_coefficients c = {.cm = 1, .ck = 2.5e-5, .cd = 5e-3};
  double d[6 * BODIES], q[7 * BODIES];
  draw_many(s, m->sys->nv, d), draw_many(s, m->sys->nv, x->v), draw_many(s, m->sys->nv, x->a);
  draw_many(s, m->sys->nc, x->lam);
  tr_retract(m->sys, x->q, d, q);
  memcpy(x->q, q, (size_t)m->sys->nq * sizeof *q);
  tr_tangent(w, 0, x->q, x->v, x->mem, x->a, x->lam, NULL, c, values);
}

static void against_klu(void **u) {
  (void)u;
  for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
    mechanism m = make(&chains[i]);
    tr_state x;
    tr_work *w;
    pair s;
    seed random = 7;
    assert_int_equal(tr_state_new(m.sys, &x, NULL), TR_OK);
    assert_int_equal(tr_work_new(m.sys, &w), TR_OK);
    pair_make(&s, &m.sys->pattern);
    check_windows(&chains[i], s.p[0].blocks);
    for (int turn = 0; turn < 4; turn++) {
      tangent_at(&m, w, &x, &random, s.k[0].values);
      double apart = compare_solvers(&s, &random, true);
      if (!(apart < 1e-9)) fail_msg("%s: apart by %g", chains[i].what, apart);
    }
    pair_free(&s);
    tr_work_free(w), tr_state_free(m.sys, &x), unload(&m);
  }
}

// The rotation of one body of four, of the first, the second .. , is a block that needs other pivots than those on its
// diagonal: all four go one by one then.
static void one_needs_pivots(void **u) {
  (void)u;
  mechanism m = make(&chains[1]);
  tr_state x;
  tr_work *w;
  pair s;
  seed random = 8;
  assert_int_equal(tr_state_new(m.sys, &x, NULL), TR_OK);
  assert_int_equal(tr_work_new(m.sys, &w), TR_OK);
  pair_make(&s, &m.sys->pattern);
  const tr_pattern *p = &s.p[0];
  for (int body = 12; body < 12 + BLOCK_FOUR; body++) {
    tangent_at(&m, w, &x, &random, s.k[0].values);
    int first = 6 * body + 3, turned = 0; // rotations of the body
    for (int j = first; j < first + 3; j++)
      for (int k = p->column[j]; k < p->column[j + 1]; k++)
        if (p->row[k] >= first && p->row[k] < first + 3) {
          bool corner = p->row[k] == first && j == first;
          s.k[0].values[k] = corner ? 1e-9 : 1e-4 * (1 + 0.5 * (p->row[k] != j));
          turned++;
        }
    assert_int_equal(turned, 9);
    double apart = compare_solvers(&s, &random, true);
    if (!(apart < 1e-8)) fail_msg("body %d: apart by %g", body, apart);
  }
  pair_free(&s);
  tr_work_free(w), tr_state_free(m.sys, &x), unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_klu),
      cmocka_unit_test(one_needs_pivots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
