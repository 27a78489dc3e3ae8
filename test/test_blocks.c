// SPDX-License-Identifier: Apache-2.0
// The block solver against KLU: matrices of models, near singular ones, redundant ones with rows taken
// out, and of random linkages whose rows and columns need not match.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helper_solvers.h"
#include "sparse/block.h"
#include "system/system.h"

// A model at its start, and room to work there.
typedef struct place {
  mechanism m;
  tr_state x;
  tr_work *w;
} place;

static place at_start(mechanism m) {
  place p = {.m = m};
  assert_int_equal(tr_state_new(m.sys, &p.x, NULL), TR_OK);
  assert_int_equal(tr_work_new(m.sys, &p.w), TR_OK);
  return p;
}

static void leave(place *p) {
  tr_work_free(p->w);
  tr_state_free(p->m.sys, &p->x);
  unload(&p->m);
}

// ---- models ---------------------------------------------------------------------------------------

static void tangent_at(const tr_system *sys, tr_work *w, const tr_state *x, seed *s, double h,
                       double *values) {
  tr_coefficients c = {.cm = 1, .ck = h * h / 4, .cd = h / 2};
  for (int i = 0; i < sys->nv; i++) x->a[i] = draw(s);
  for (int i = 0; i < sys->nc; i++) x->lam[i] = draw(s);
  tr_tangent(w, 0, x->q, x->v, x->mem, x->a, x->lam, NULL, c, values);
}

static void models(void **u) {
  (void)u;
  static const struct {
    const char *model, *set;
  } row[] = {
      {"rod_chain.yaml", "N=4"},      {"rod_chain.yaml", "N=300"},
      {"four_bar_chain.yaml", "N=3"}, {"four_bar_chain.yaml", "N=60"},
      {"seven_body.yaml", NULL},      {"rod_net.yaml", "N=4"},
      {"rod_net.yaml", "N=12"},       {"three_link_pendulum.yaml", NULL},
      {"robot_arm.yaml", NULL},       {"epicyclic_gear.yaml", NULL},
      {"engine_mounts.yaml", NULL},
  };
  for (size_t r = 0; r < sizeof row / sizeof *row; r++) {
    const char *set[] = {row[r].set, NULL};
    place p = at_start(load_model(row[r].model, set));
    const tr_system *sys = p.m.sys;
    pair t;
    seed s = 5;
    pair_make(&t, &sys->pattern);
    double *d = calloc((size_t)sys->nv, sizeof *d), *q = calloc((size_t)sys->nq, sizeof *q);
    for (int turn = 0; turn < 4; turn++) { // at the start, then anywhere
      tangent_at(sys, p.w, &p.x, &s, pow(10, -2 - turn), t.k[0].values);
      double apart = compare_solvers(&t, &s, true);
      if (!(apart < 1e-11 / t.k[1].rcond && apart < 1e-6))
        fail_msg("%s: apart by %g, rcond %g", row[r].model, apart, t.k[1].rcond);
      for (int i = 0; i < sys->nv; i++) d[i] = 0.3 * draw(&s), p.x.v[i] = draw(&s);
      tr_retract(sys, p.x.q, d, q);
      memcpy(p.x.q, q, (size_t)sys->nq * sizeof *q);
    }
    assert_null(t.k[0].klu); // never asked for
    free(d), free(q);
    pair_free(&t);
    leave(&p);
  }
}

// A matrix written to where it is factored is the one that goes there by its values, and so are its solutions; sizes
// that are found without room for a matrix are those of its entries.
static void check_in_place(const tr_system *sys, tr_work *w, const tr_state *x, seed *s) {
  const tr_pattern *p = &sys->pattern;
  tr_coefficients c = {.cm = 1, .ck = 1e-4, .cd = 1e-2};
  size_t n = (size_t)p->n, nv = (size_t)sys->nv;
  tr_arena ar = tr_arena_make(NULL);
  tr_kkt by_values, in_place;
  assert_int_equal(tr_kkt_make(&ar, p, &by_values), TR_OK);
  assert_int_equal(tr_kkt_make_lean(&ar, p, &in_place), TR_OK);
  double *values = by_values.values, *f = TR_NEW(&ar, n, double), *b = TR_NEW(&ar, 2 * n, double);
  double *expected = TR_NEW(&ar, p->blocks->numbers, double), *room = tr_kkt_blocks(&in_place);
  draw_many(s, (int)n, f);
  draw_many(s, (int)n, b);
  memcpy(b + n, b, n * sizeof *b);
  tr_kinematics(w, 0, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_forces(w, x->lam, f, NULL);
  tr_tangent_here(w, x->a, x->lam, NULL, c, values);
  for (int i = 0; i < p->blocks->numbers; i++) room[i] = NAN; // all of them are written
  tr_tangent_blocks(w, x->a, x->lam, NULL, c, room);
  tr_blocks_fill(p->blocks, NULL, p, values, expected);
  unsigned char *made =
      TR_NEW(&ar, p->blocks->numbers, unsigned char); // but what the factorisation writes
  tr_blocks_made(p->blocks, 1, made);
  for (int i = 0; i < p->blocks->numbers; i++) assert_true(made[i] || room[i] == expected[i]);

  tr_sizes z = {sys->nv, f, TR_NEW(&ar, nv, double), TR_NEW(&ar, nv, double)};
  double *pull = TR_NEW(&ar, nv, double);
  tr_tangent_sizes(w, x->a, x->lam, NULL, c, &z);
  for (int j = sys->nv; j < p->n; j++)
    for (int k = p->column[j]; k < p->column[j + 1]; k++)
      if (p->row[k] < sys->nv) pull[p->row[k]] += fabs(values[k] * f[j - sys->nv]);
  for (int i = 0; i < sys->nv; i++) {
    double diagonal = values[tr_pattern_slot(p, i, i)];
    assert_true(fabs(z.diagonal[i] - diagonal) <= 1e-14 * fabs(diagonal));
    assert_true(fabs(z.pull[i] - pull[i]) <= 1e-14 * pull[i]);
  }

  assert_true(tr_kkt_factor_blocks(&in_place));
  assert_int_equal(tr_kkt_factor(&by_values), TR_OK);
  assert_true(by_values.by_blocks && in_place.by_blocks && by_values.rcond == in_place.rcond);
  assert_int_equal(tr_kkt_solve(&by_values, 1, b), TR_OK);
  assert_int_equal(tr_kkt_solve(&in_place, 1, b + n), TR_OK);
  for (size_t i = 0; i < n && !tr_kkt_refines(&in_place); i++) assert_true(b[i] == b[n + i]);
  assert_true(in_place.values == NULL || p->nnz < 1 << 14 || tr_kkt_refines(&in_place));
  tr_kkt_free(&by_values), tr_kkt_free(&in_place);
  tr_arena_free(&ar);
}

static void written_in_place(void **u) {
  (void)u;
  static const char *const row[][2] = {
      {"rod_chain.yaml", "N=20"},      {"rod_chain.yaml", "N=500"}, // lean
      {"four_bar_chain.yaml", "N=60"}, {"rod_net.yaml", "N=4"},
      {"robot_arm.yaml", NULL},        {"stewart_platform.yaml", NULL}};
  for (size_t r = 0; r < sizeof row / sizeof *row; r++) {
    const char *set[] = {row[r][1], NULL};
    place p = at_start(load_model(row[r][0], set));
    const tr_system *sys = p.m.sys;
    seed s = 11;
    assert_true(sys->pattern.blocks != NULL);
    draw_many(&s, sys->nv, p.x.a);
    draw_many(&s, sys->nc, p.x.lam);
    draw_many(&s, sys->nv, p.x.v);
    check_in_place(sys, p.w, &p.x, &s);
    leave(&p);
  }
}

// Two or three such systems at once, as the stages of Radau IIA, cost m^3 of one: they take its order. The values are
// those of one times a block.
static void check_enlarged(const tr_pattern *p, const double *values, seed *s) {
  static const double block[3][3] = {{2, -1, 0.3}, {1, 2, -0.5}, {0.2, 0.4, 1}};
  for (int m = 2; m <= 3; m++) {
    tr_arena ar = tr_arena_make(NULL);
    tr_pattern large;
    pair t;
    assert_int_equal(tr_pattern_blocks(&ar, p, m, &large), TR_OK);
    assert_true(large.blocks && large.blocks->flops <= m * m * m * p->blocks->flops);
    assert_true(large.blocks->numbers <= 1.2 * m * m * p->blocks->numbers);
    pair_make(&t, &large);
    for (int j = 0; j < p->n; j++)
      for (int c = 0; c < m; c++)
        for (int e = p->column[j], at = large.column[m * j + c]; e < p->column[j + 1]; e++)
          for (int r = 0; r < m; r++) t.k[0].values[at++] = block[r][c] * values[e];
    double apart = compare_solvers(&t, s, true);
    if (!(apart < 1e-9)) fail_msg("%d times: apart by %g", m, apart);
    pair_free(&t);
    tr_arena_free(&ar);
  }
}

// At the start, with steps of several lengths; enlarged: and several at once.
static void against_klu(const mechanism *m, const char *what, bool enlarged) {
  tr_state x;
  tr_work *w;
  seed s = 3;
  assert_int_equal(tr_state_new(m->sys, &x, NULL), TR_OK);
  assert_int_equal(tr_work_new(m->sys, &w), TR_OK);
  pair t;
  pair_make_planned(&t, &m->sys->pattern);
  for (int turn = 0; turn < 3; turn++) {
    tangent_at(m->sys, w, &x, &s, pow(10, -2 - turn), t.k[0].values);
    double apart = compare_solvers(&t, &s, true);
    if (!(apart < 1e-9)) fail_msg("%s: apart by %g", what, apart);
  }
  if (enlarged) check_enlarged(&m->sys->pattern, t.k[0].values, &s);
  pair_free(&t);
  tr_work_free(w);
  tr_state_free(m->sys, &x);
}

// A tree of hinges, two branches at each body, and a star: bodies and joints go as wholes, from the leaves to
// the root, with next to no fill. Pivots of what carries the rest are large, and that is no trouble.
static void trees(void **u) {
  (void)u;
  static const char *const text[] = {
      "trammel: 1\n"
      "bodies: {b_1: {type: spatial, mass: 1, inertia: [0.1, 0.2, 0.3]}}\n"
      "joints: {j_1: {type: revolute, bodies: [ground, b_1], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
      "repeat:\n"
      "  - {for: i, from: 2, to: 255,\n"
      "     bodies: {\"b_{i}\": {type: spatial, mass: 1, inertia: [1e-3, 2e-3, 3e-3], "
      "position: "
      "[0.1*i, 0.1*sin(i), 0]}},\n"
      "     joints: {\"j_{i}\": {type: revolute, bodies: [\"b_{floor(i/2)}\", \"b_{i}\"],\n"
      "       at: [0.1*i - 0.1, 0.1, 0], axis: [cos(i), 1, 0]}}}\n",
      "trammel: 1\n"
      "bodies: {hub: {type: spatial, mass: 1, inertia: [1, 1, 1]}}\n"
      "repeat:\n"
      "  - {for: i, from: 1, to: 120,\n"
      "     bodies: {\"b_{i}\": {type: spatial, mass: 1, inertia: [0.1, 0.2, 0.3], position: "
      "[cos(i), "
      "sin(i), 0]}},\n"
      "     joints: {\"j_{i}\": {type: revolute, bodies: [hub, \"b_{i}\"], at: [cos(i), "
      "sin(i), "
      "0], "
      "axis: [0, 1, cos(i)]}}}\n"};
  for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
    mechanism m = load_text(text[k]);
    const tr_blocks *b = m.sys->pattern.blocks;
    assert_true(b && b->measured && b->flops < 80 * m.sys->pattern.n);
    if (k == 0) assert_true(b->nodes < 4 * m.sys->nbody); // with exact patterns there are six
    against_klu(&m, text[k], true);
    unload(&m);
  }
}

// A hub with thousands of spokes is planned without what a dense matrix would take.
static void large_star(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\n"
      "bodies: {hub: {type: spatial, mass: 1, inertia: [1, 1, 1]}}\n"
      "repeat:\n"
      "  - {for: i, from: 1, to: 4000,\n"
      "     bodies: {\"b_{i}\": {type: spatial, mass: 1, inertia: [1, 2, 3], position: [cos(i), "
      "sin(i), 0]}},\n"
      "     joints: {\"j_{i}\": {type: revolute, bodies: [hub, \"b_{i}\"], at: [cos(i), sin(i), "
      "0], "
      "axis: [0, 1, cos(i)]}}}\n");
  const tr_pattern *p = &m.sys->pattern;
  assert_true(p->blocks && p->blocks->flops < 80.0 * p->n && p->blocks->numbers < 20.0 * p->n);
  unload(&m);
}

// Points on two rods each, between two hubs or on a rim around one: they go with their rods, and hubs last. Otherwise all rods
// would be tied to each other: tens of thousands of operations an unknown.
static void hubs(void **u) {
  (void)u;
  static const char *const text[] = {
      "trammel: 1\n"
      "bodies: {a: {type: spatial-point, mass: 1, position: [0, 0, 1]},\n"
      "  b: {type: spatial-point, mass: 1, position: [0, 0, -1]}}\n"
      "repeat:\n"
      "  - {for: i, to: 249,\n"
      "     bodies: {\"p_{i}\": {type: spatial-point, mass: 1, position: [cos(i), sin(i), "
      "0.5*sin(7*i)]}},\n"
      "     joints: {\"a_{i}\": {type: distance, markers: [a, \"p_{i}\"]},\n"
      "       \"b_{i}\": {type: distance, markers: [b, \"p_{i}\"]}}}\n",
      "trammel: 1\n"
      "bodies: {hub: {type: spatial-point, mass: 1}, p_0: {type: spatial-point, mass: 1, position: "
      "[1, 0, 0]}}\n"
      "joints: {s_0: {type: distance, markers: [hub, p_0]}}\n"
      "repeat:\n"
      "  - {for: i, from: 1, to: 249,\n"
      "     bodies: {\"p_{i}\": {type: spatial-point, mass: 1, position: [cos(i/50), sin(i/50), "
      "0.1*sin(7*i)]}},\n"
      "     joints: {\"s_{i}\": {type: distance, markers: [hub, \"p_{i}\"]},\n"
      "       \"r_{i}\": {type: distance, markers: [\"p_{i-1}\", \"p_{i}\"]}}}\n"};
  for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
    mechanism m = load_text(text[k]);
    const tr_blocks *b = m.sys->pattern.blocks;
    assert_true(b && b->measured && b->flops < 100 * m.sys->pattern.n);
    against_klu(&m, text[k], false);
    unload(&m);
  }
}

// KLU is not the first choice for what it says of its pivots on the diagonal: on random linkages of rods zeros there make
// it many times as many operations.
static void random_rods(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\n"
      "repeat:\n"
      "  - {for: i, to: 299, bodies: {\"p_{i}\": {type: spatial-point, mass: 1, position: [cos(i), "
      "sin(1.7*i), sin(3.1*i)]}}}\n"
      "  - {for: i, to: 259, joints: {\"a_{i}\": {type: distance, markers: [\"p_{i}\", "
      "\"p_{mod(11*i + 292, 300)}\"]},\n"
      "      \"b_{i}\": {type: distance, markers: [\"p_{i}\", \"p_{mod(57*i + 33, 300)}\"]}}}\n");
  const tr_pattern *p = &m.sys->pattern;
  assert_true(p->blocks && !p->klu && p->blocks->flops > 2000.0 * p->n); // many, and KLU was asked
  against_klu(&m, "random rods", false);
  unload(&m);
}

// A cloth of points and rods: its separators have coordinates and multipliers, and what is eliminated before goes into
// them in few pieces.
static void cloth(void **u) {
  (void)u;
  place p = at_start(
      load_text("trammel: 1\n"
                "repeat:\n"
                "  - {for: i, from: 0, to: 899,\n"
                "     bodies: {\"p_{i}\": {type: spatial-point, mass: 1 + 0.5*sin(i), position: "
                "[0.1*(i - 30*floor(i/30)), 0.1*floor(i/30), 0.05*sin(3*i)]}}}\n"
                "  - {for: i, from: 0, to: 869, joints: {\"a_{i}\": {type: distance, markers: "
                "[\"p_{i}\", \"p_{i+30}\"]}}}\n"
                "  - {for: i, from: 0, to: 869, joints: {\"b_{i}\": {type: distance, markers: "
                "[\"p_{i + floor(i/29)}\", \"p_{i + 1 + floor(i/29)}\"]}}}\n"));
  pair t;
  seed s = 5;
  pair_make(&t, &p.m.sys->pattern);
  const tr_blocks *b = p.m.sys->pattern.blocks;
  double pieces = 0;
  for (int i = 0; i < b->nodes; i++) {
    const block_kind *k = (const block_kind *)(b->kind + b->node[i].kind);
    pieces += (double)k->runs * k->runs;
  }
  if (!(pieces < 2e5)) fail_msg("%g pieces", pieces); // 3.5e5 in the order of AMD
  for (int turn = 0; turn < 2; turn++) {
    tangent_at(p.m.sys, p.w, &p.x, &s, 1e-2, t.k[0].values);
    double apart = compare_solvers(&t, &s, true);
    if (!(apart < 1e-9)) fail_msg("apart by %g", apart);
  }
  pair_free(&t);
  leave(&p);
}

// A lattice of bars with distance joints between them: wide nodes whose rows belong to many others.
static void lattice(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\n"
      "repeat:\n"
      "  - {for: i, to: 11, repeat: [{for: j, to: 11,\n"
      "     bodies: {\"p_{i}_{j}\": {type: planar, mass: 1, inertia: 0.1, position: [i, j]}}}]}\n"
      "  - {for: i, from: 1, to: 11, repeat: [{for: j, to: 11, joints: {\"h_{i}_{j}\": {type: "
      "distance,\n"
      "     markers: [{body: \"p_{i-1}_{j}\", at: [0.2, 0.1]}, {body: \"p_{i}_{j}\", at: [-0.2, "
      "0]}]}}}]}\n"
      "  - {for: i, to: 11, repeat: [{for: j, from: 1, to: 11, joints: {\"v_{i}_{j}\": {type: "
      "distance,\n"
      "     markers: [{body: \"p_{i}_{j-1}\", at: [0.1, 0.2]}, {body: \"p_{i}_{j}\", at: [0, "
      "-0.2]}]}}}]}\n");
  const tr_blocks *b = m.sys->pattern.blocks;
  int wide = 0;
  for (int i = 0; i < b->nodes; i++) {
    const block_kind *kind = (const block_kind *)(b->kind + b->node[i].kind);
    wide += kind->width > 6 && kind->rows > 16 && kind->runs > 4 && kind->uniform == 0;
  }
  assert_true(wide > 10);
  against_klu(&m, "lattice", false);
  unload(&m);
}

// Across their hinges long chains are stiff beams, and where axes are askew that cancels: pivots get smaller than is trusted.
// Refinement is all they need, and within an iteration not even that.
static void hinges_askew(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\n"
      "bodies: {b_1: {type: spatial, mass: 0.1, inertia: [7e-6, 9e-5, 9e-5], position: [0.05, 0, "
      "0]}}\n"
      "joints: {j_1: {type: revolute, bodies: [ground, b_1], at: [0, 0, 0], axis: [0.1, 1, "
      "0.2]}}\n"
      "repeat:\n"
      "  - {for: i, from: 2, to: 300,\n"
      "     bodies: {\"b_{i}\": {type: spatial, mass: 0.1, inertia: [7e-6, 9e-5, 9e-5], "
      "position: [0.1*i - 0.05, 0, 0]}},\n"
      "     joints: {\"j_{i}\": {type: revolute, bodies: [\"b_{i-1}\", \"b_{i}\"],\n"
      "       at: [0.1*i - 0.1, 0, 0], axis: [0.1, 1, 0.2]}}}\n");
  tr_state x;
  tr_work *w;
  pair t;
  seed s = 4;
  assert_int_equal(tr_state_new(m.sys, &x, NULL), TR_OK);
  assert_int_equal(tr_work_new(m.sys, &w), TR_OK);
  pair_make_planned(&t, &m.sys->pattern);
  for (int rough = 0; rough < 2; rough++) {
    t.k[0].rough = rough;
    tangent_at(m.sys, w, &x, &s, 1e-3, t.k[0].values);
    double apart = compare_solvers(&t, &s, true);
    assert_true(t.k[0].rcond < 3e-7 && t.k[0].doubt == (rough ? BLOCK_FAIR : BLOCK_PROVEN));
    assert_true(apart < (rough ? 1e-8 : 1e-10));
  }
  pair_free(&t);
  tr_work_free(w);
  tr_state_free(m.sys, &x);
  unload(&m);
}

// All bars of the four-bar windows on one line: KLU takes over, the blocks come back later.
static void singular_position(void **u) {
  (void)u;
  const char *set[] = {"N=10", NULL};
  place p = at_start(load_model("four_bar_chain.yaml", set));
  pair t;
  seed s = 9;
  pair_make(&t, &p.m.sys->pattern);
  tangent_at(p.m.sys, p.w, &p.x, &s, 1e-3, t.k[0].values);
  assert_true(compare_solvers(&t, &s, true) < 1e-9);
  static const double off[] = {1e-2, 1e-5, 1e-6, 1e-2, 1e-2, 1e-2, 1e-2, 1e-2};
  static const bool blocks[] = {true, false, false, false, false, true, true, true};
  for (int k = 0; k < 8; k++) {
    for (int i = 0; i < p.m.sys->nbody; i++) { // uprights lie down, `off` from the line
      double *q = p.x.q + p.m.sys->body[i].q, a = (i <= 10 ? off[k] : 0);
      if (i <= 10)
        q[0] = i + 0.5 * cos(a), q[1] = 0.5 * sin(a), q[2] = a;
      else
        q[0] = i - 11 + 0.5 + cos(off[k]), q[1] = sin(off[k]), q[2] = 0;
    }
    tangent_at(p.m.sys, p.w, &p.x, &s, 1e-3, t.k[0].values);
    double apart = compare_solvers(&t, &s, blocks[k]);
    // multipliers are as large as 1/off^2 and known to as many digits less
    assert_true(apart < (blocks[k] ? 1e-14 / (off[k] * off[k]) / t.k[1].rcond : 1e-12));
  }
  pair_free(&t);
  leave(&p);
}

// A scale that was found where reactions are huge makes pivots of other matrices look small: within an iteration it is given
// up after some of them, elsewhere it stays.
static void poor_scale(void **u) {
  (void)u;
  const char *set[] = {"N=40", NULL};
  place p = at_start(load_model("four_bar_chain.yaml", set));
  const tr_system *sys = p.m.sys;
  for (int rough = 0; rough < 2; rough++) {
    tr_arena ar = tr_arena_make(NULL);
    tr_kkt k;
    seed s = 4;
    assert_int_equal(tr_kkt_make(&ar, &sys->pattern, &k), TR_OK);
    k.rough = rough;
    tangent_at(sys, p.w, &p.x, &s, 1e-3, k.values);
    assert_int_equal(tr_kkt_factor(&k), TR_OK);
    assert_false(tr_kkt_refines(&k));
    double usual = k.rcond;
    tr_coefficients c = {.cm = 1, .ck = 1e-6 / 4, .cd = 1e-3 / 2};
    for (int i = 0; i < sys->nc; i++) p.x.lam[i] = 4e9 * draw(&s);
    tr_tangent(p.w, 0, p.x.q, p.x.v, p.x.mem, p.x.a, p.x.lam, NULL, c, k.values);
    k.managed = false; // it gets a scale
    assert_int_equal(tr_kkt_factor(&k), TR_OK);
    assert_true(k.by_blocks);
    int small = 0;
    for (int turn = 0; turn < 8; turn++) {
      tangent_at(sys, p.w, &p.x, &s, 1e-3, k.values);
      assert_int_equal(tr_kkt_factor(&k), TR_OK);
      assert_true(k.by_blocks);
      small += tr_kkt_refines(&k);
    }
    print_message("%s: %d of 8 with small pivots, the last %g, %g by another scale\n",
                  rough ? "rough" : "plain", small, k.rcond, usual);
    assert_int_equal(small, rough ? 4 : 8);
    if (rough) assert_true(k.rcond > 0.5 * usual);
    tr_kkt_free(&k);
    tr_arena_free(&ar);
  }
  leave(&p);
}

// ---- order ----------------------------------------------------------------------------------------

// Nodes are visited once, and before all that they write to; bridges are those who write to the top.
static void visited_in_order(void **u) {
  (void)u;
  static const char *const row[][2] = {
      {"four_bar_chain.yaml", "N=3"},   {"four_bar_chain.yaml", "N=40"},
      {"four_bar_chain.yaml", "N=700"}, {"rod_net.yaml", "N=9"},
      {"rod_net.yaml", "N=20"},         {"rod_chain.yaml", "N=10"},
      {"rod_chain.yaml", "N=2500"},     {"swinging_tree.yaml", "K=7"},
      {"stewart_platform.yaml", NULL},  {"bricard.yaml", NULL},
  };
  int moved = 0;
  for (size_t r = 0; r < sizeof row / sizeof *row; r++) {
    const char *set[] = {row[r][1], NULL};
    mechanism m = load_model(row[r][0], set);
    const tr_blocks *b = m.sys->pattern.blocks;
    assert_non_null(b);
    int *turn = malloc((size_t)b->n * sizeof *turn), bridges = 0; // when an unknown is eliminated
    for (int i = 0; i < b->n; i++) turn[i] = -1;
    for (int s = 0, pass = 0; pass < 2; s + 1 < b->nodes ? s++ : (pass++, s = 0)) {
      const block_node *node = b->node + s;
      const block_kind *kind = (const block_kind *)(b->kind + node->kind);
      const block_window *w = b->window;
      while (w->node < b->nodes && s >= w->node + BLOCK_FOUR * w->period) w++;
      // free nodes of a window lie side by side, and before the others
      int inside = s >= w->node ? s - w->node : -1, apart = 1, when = s;
      if (inside >= 0 && inside % w->period < w->period - 1) apart = BLOCK_FOUR, when = w->node;
      for (int i = 0; i < kind->width && pass == 0; i++) {
        assert_int_equal(turn[node->first + apart * i], -1);
        turn[node->first + apart * i] = when;
      }
      if (pass == 0) continue;
      if (s > 0 && node->first < node[-1].first && inside < 0) moved++;
      int last = 0;
      for (int k = 0; k < kind->runs; k++) {
        last = node->first + kind->run[k].first;
        assert_true(turn[last] > when || (apart > 1 && turn[last] == when));
      }
      if (kind->runs > 0 && last >= b->top && s < b->part[b->parts])
        assert_int_equal(b->bridge[bridges++], s);
    }
    for (int i = 0; i < b->n; i++) assert_true(turn[i] >= 0);
    assert_int_equal(bridges, b->first_bridge[b->parts]);
    free(turn);
    unload(&m);
  }
  assert_true(moved > 100);
}

// ---- random linkages ------------------------------------------------------------------------------

enum { BODIES = 40, LIMIT = 520 };

typedef struct linkage {
  int n, nv;
  double A[LIMIT * LIMIT]; // row-major
} linkage;

static int pick(seed *s, int n) { return (int)((draw(s) + 1) * 0.49999 * n); }

// Bodies of 1 to 7 velocities with springs between some, joints of 1 to 5 rows on one to three bodies;
// values of rows and columns differ. loops: joints between any two, else a tree. one_sided: some rows
// touch a body that the columns do not; some multipliers touch each other.
static void draw_linkage(linkage *l, seed *s, bool loops, bool one_sided) {
  int v[BODIES + 1] = {0}, rows = 0;
  memset(l->A, 0, sizeof l->A);
  for (int i = 0; i < BODIES; i++) v[i + 1] = v[i] + 1 + pick(s, 7);
  l->nv = v[BODIES], l->n = LIMIT;
#define AT(i, j) l->A[(i)*LIMIT + (j)]
  for (int i = 0; i < BODIES; i++) {
    for (int a = v[i]; a < v[i + 1]; a++)
      for (int c = v[i]; c < v[i + 1]; c++) AT(a, c) = a == c ? 5 + draw(s) : 0.4 * draw(s);
    if (pick(s, 4) > 0 || i == 0) continue;
    int j = i - 1 - pick(s, i < 3 ? i : 3);
    for (int a = v[i]; a < v[i + 1]; a++)
      for (int c = v[j]; c < v[j + 1]; c++) AT(a, c) = 0.2 * draw(s), AT(c, a) = 0.2 * draw(s);
  }
  for (int i = 1; i < BODIES; i++) {
    int r = l->nv + rows, size = v[i + 1] - v[i],
        count = 1 + pick(s, size > 5 ? 4 : (size + 1) / 2);
    int other = loops ? pick(s, i) : i - 1;
    for (int k = 0; k < count; k++) {
      for (int a = v[i]; a < v[i + 1]; a++)
        AT(r + k, a) = draw(s), AT(a, r + k) = AT(r + k, a) * (1 + 0.02 * draw(s));
      for (int a = v[other]; a < v[other + 1]; a++)
        AT(r + k, a) = draw(s), AT(a, r + k) = AT(r + k, a) * (1 + 0.02 * draw(s));
      if (one_sided && pick(s, 3) == 0) AT(r + k, v[pick(s, BODIES)]) += 0.01 * draw(s);
      if (one_sided && pick(s, 3) == 0 && rows > 0)
        AT(r + k, l->nv + pick(s, rows)) = 0.01 * draw(s);
    }
    rows += count;
  }
#undef AT
  l->n = l->nv + rows;
  assert_true(l->n <= LIMIT);
}

static void random_linkages(void **u) {
  (void)u;
  linkage *l = malloc(sizeof *l);
  assert_non_null(l);
  seed s = 31;
  for (int turn = 0; turn < 40; turn++) {
    draw_linkage(l, &s, turn % 2, turn % 4 > 1);
    tr_arena ar = tr_arena_make(NULL);
    int *column = TR_NEW(&ar, l->n + 1, int), *row = TR_NEW(&ar, l->n * l->n, int), nnz = 0;
    for (int j = 0; j < l->n; j++) {
      for (int i = 0; i < l->n; i++)
        if (l->A[i * LIMIT + j] != 0) row[nnz++] = i;
      column[j + 1] = nnz;
    }
    pair t;
    pair_make(&t,
              &(tr_pattern){.n = l->n, .nnz = nnz, .leading = l->nv, .column = column, .row = row});
    for (int j = 0; j < l->n; j++)
      for (int k = column[j]; k < column[j + 1]; k++) t.k[0].values[k] = l->A[row[k] * LIMIT + j];
    double apart = compare_solvers(&t, &s, true);
    if (!(apart < 1e-9)) fail_msg("linkage %d: apart by %g", turn, apart);
    pair_free(&t);
    tr_arena_free(&ar);
  }
  free(l);
}

// Rows taken out of a redundant loop: the same by both, zero for what was taken out.
static void masked(void **u) {
  (void)u;
  const char *set[] = {"N=6", NULL};
  place p = at_start(load_model("rod_chain.yaml", set));
  pair t;
  seed s = 3;
  tr_mask mask[2];
  int nv = p.m.sys->nv, rows[] = {nv + 1, nv + 5, nv + 6, nv + 7};
  pair_make(&t, &p.m.sys->pattern);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(tr_mask_make(&t.ar, &t.p[i], 4, rows, &mask[i]), TR_OK);
    t.k[i].mask = &mask[i];
  }
  for (int turn = 0; turn < 3; turn++) {
    tangent_at(p.m.sys, p.w, &p.x, &s, 1e-2, t.k[0].values);
    assert_true(compare_solvers(&t, &s, true) < 1e-11);
    for (int i = 0; i < 4; i++) assert_true(t.x[0][rows[i]] == 0);
  }
  pair_free(&t);
  leave(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(models),          cmocka_unit_test(written_in_place),
      cmocka_unit_test(trees),           cmocka_unit_test(cloth),
      cmocka_unit_test(large_star),      cmocka_unit_test(hubs),
      cmocka_unit_test(random_rods),     cmocka_unit_test(singular_position),
      cmocka_unit_test(random_linkages), cmocka_unit_test(masked),
      cmocka_unit_test(lattice),         cmocka_unit_test(hinges_askew),
      cmocka_unit_test(poor_scale),      cmocka_unit_test(visited_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
