// SPDX-License-Identifier: Apache-2.0
// Walks to the residual that go just ahead of the tiles of a factorisation: nothing a tile needs is missing, everything is
// passed once, also where the factorisation gives up, and runs come to the same bits as when the walk is over before the
// first tile.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_mechanics.h"
#include "sparse/block.h"
#include "system/stretch.h"

// 4000 rods, body i at the place mod(turn i, 4000) of the chain; what joins them.
#define RODS(turn, joints)                                                           \
  "trammel: 1\n"                                                                     \
  "gravity: [0, -9.81, 0]\n"                                                         \
  "repeat:\n"                                                                        \
  "  - {for: i, from: 0, to: 3999, bodies: {\"b_{i}\": {type: spatial, mass: 0.1,\n" \
  "     inertia: [7e-6, 9e-5, 9e-5], position: [\"0.1*mod(" turn                     \
  "*i, 4000) + 0.05\", 0, 0]}}}\n" joints
#define BALLS(one, other)                                                            \
  "  - {for: i, from: 0, to: 3998, joints: {\"j_{i}\": {type: spherical, markers:\n" \
  "     [{body: \"b_{" one "}\", at: [0.05, 0, 0]}, {body: \"b_{" other              \
  "}\", at: [-0.05, 0, 0]}]}}}\n"
#define FIRST "first: {type: spherical, markers: [ground, {body: b_0, at: [-0.05, 0, 0]}]}"

// 4000 bodies in a circle.
static const char ring[] =
    "trammel: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {R: 63.66, d: 2*pi/4000}\n"
    "repeat:\n"
    "  - {for: i, from: 0, to: 3999, bodies: {\"b_{i}\": {type: spatial, mass: 0.1,\n"
    "     inertia: [7e-6, 9e-5, 9e-5], position: [R*cos(i*d), R*sin(i*d), 0]}},\n"
    "     joints: {\"j_{i}\": {type: spherical, bodies: [\"b_{i}\", \"b_{mod(i + 1, 4000)}\"],\n"
    "     at: [R*cos((i + 0.5)*d), R*sin((i + 0.5)*d), 0]}}}\n"
    "joints: {held: {type: spherical, bodies: [ground, b_0], at: [R, 0, 0.05]}}\n";

typedef struct scene {
  const char *text; // or NULL:
  const char *model, *set;
  bool walks;
} scene;

static const scene scenes[] = {
    // held at one end, joints listed one way or the other; at both; closed
    {RODS("1", BALLS("i", "i + 1") "joints: {" FIRST "}\n"), .walks = true},
    {RODS("1", BALLS("3998 - i", "3999 - i") "joints: {" FIRST "}\n"), .walks = true},
    {RODS("1", BALLS("i", "i + 1") "joints: {" FIRST
                                   ", last: {type: distance, length: 5, markers: [{at: [400, 5, "
                                   "0]}, {body: b_3999, at: [0.05, 0, 0]}]}}\n"),
     .walks = true},
    {ring, .walks = true},
    // neighbours in thirds of the list: 3 * 2667 = 1 of 4000; and anywhere: 1663 * 1727 = 1
    {RODS("3", BALLS("mod(2667*i, 4000)", "mod(2667*(i + 1), 4000)") "joints: {" FIRST "}\n"),
     .walks = true},
    {RODS("1663", BALLS("mod(1727*i, 4000)", "mod(1727*(i + 1), 4000)") "joints: {" FIRST "}\n"),
     .walks = false},
    {RODS("1", BALLS("i", "i + 1") "joints: {" FIRST "}\n"
                                   "forces: {s: {type: spring-damper, markers: [{at: [80, 1, 0]}, "
                                   "b_800], stiffness: 3, free-length: 0.5}}\n"),
     .walks = false},
    {.model = "four_bar_chain.yaml", .set = "N=3500", .walks = true},
    {.model = "rod_net.yaml", .set = "N=22", .walks = false},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static mechanism load(const scene *s) {
  if (s->text) return load_text(s->text);
  return load_model(s->model, (const char *const[]){s->set, NULL});
}

// ---- what is passed ---------------------------------------------------------------------------------

typedef struct passed {
  const tr_system *s;
  unsigned char *body, *joint, *held; // times
} passed;

static void count(unsigned char *times, const sys_range *of) {
  for (int i = of->first; i < of->end; i++) times[i]++;
}

static void pass_bodies(void *what, int hand, const sys_range *of) {
  assert_int_equal(hand, 0);
  count(((passed *)what)->body, of);
}

static void pass_joints(void *what, int hand, const sys_range *of) {
  const passed *p = what;
  assert_int_equal(hand, 0);
  count(p->joint, of);
  for (int j = of->first; j < of->end; j++)
    for (int k = 0; k < p->s->joint[j].e.markers; k++) {
      int b = p->s->joint[j].e.body[k];
      assert_true(b == TR_GROUND || p->body[b]);
    }
}

static void pass_held(void *what, int hand, const sys_range *of) {
  assert_int_equal(hand, 0);
  count(((passed *)what)->held, of);
}

static const tr_walk all = {pass_bodies, pass_joints, pass_held};

static void assert_all_once(const passed *p) {
  for (int i = 0; i < p->s->nbody; i++) assert_true(p->body[i] == 1 && p->held[i] == 1);
  for (int j = 0; j < p->s->njoint; j++) assert_int_equal(p->joint[j], 1);
}

static passed pass_nothing(const tr_system *s, tr_arena *ar) {
  size_t n = (size_t)(2 * s->nbody + s->njoint);
  unsigned char *room = TR_NEW(ar, n, unsigned char);
  assert_non_null(room);
  return (passed){s, room, room + s->nbody, room + s->nbody + s->njoint};
}

// Bodies that are written by then, and those and the joints whose rows the solve reads: all joints that hold the former have
// been passed, or what acts on them has been gathered after that.
static void check_tile(const passed *p, const int *read, int tile) {
  const tr_system *s = p->s;
  const sys_pieces *w = &s->tiling->written;
  unsigned char *now = p->held;
  for (int j = 0; j < s->njoint; j++) {
    for (int k = 0; k < s->joint[j].ops->rows; k++)
      assert_true(read[s->nv + s->joint[j].row + k] > tile || p->joint[j]);
    for (int k = 0; k < s->joint[j].e.markers; k++) {
      int b = s->joint[j].e.body[k];
      assert_true(b == TR_GROUND || !now[b] || p->joint[j]);
      for (int i = w->first[tile + 1]; i < w->first[tile + 2]; i++)
        assert_true(b < w->piece[i].first || b >= w->piece[i].end || p->joint[j]);
    }
  }
  for (int b = 0; b < s->nbody; b++)
    for (int k = 0; k < s->body[b].nv; k++) assert_true(read[s->body[b].v + k] > tile || now[b]);
  for (int i = w->first[tile + 1]; i < w->first[tile + 2]; i++)
    for (int b = w->piece[i].first; b < w->piece[i].end; b++) assert_true(p->body[b]);
}

static void all_is_there_before_a_tile(void **u) {
  (void)u;
  for (int i = 0; i < SCENES; i++) {
    mechanism m = load(&scenes[i]);
    const tr_system *s = m.sys;
    bool walks = s->tiling && s->tiling->walks;
    if (walks != scenes[i].walks) fail_msg("scene %d: %d", i, walks);
    if (walks) {
      tr_arena ar = tr_arena_make(s->al);
      passed p = pass_nothing(s, &ar);
      int *read = TR_NEW(&ar, s->pattern.n, int);
      tr_work *w = NULL;
      assert_int_equal(tr_work_new(s, &w), TR_OK);
      assert_non_null(read);
      tr_blocks_read(s->pattern.blocks, read);
      w->due = &(tr_walking){&all, &p};
      for (int t = TR_DUE_FIRST; t < s->tiling->tiles; t++) {
        tr_walk_ahead(w, t);
        check_tile(&p, read, t);
      }
      assert_all_once(&p);
      tr_work_free(w);
      tr_arena_free(&ar);
    }
    unload(&m);
  }
}

// ---- where it is made -------------------------------------------------------------------------------

// By a factorisation that comes through, whole or in tiles, and by one that does not.
static void it_is_made_in_any_case(void **u) {
  (void)u;
  mechanism m = load(&scenes[0]);
  const tr_system *s = m.sys;
  tr_arena ar = tr_arena_make(s->al);
  tr_work *w = NULL;
  tr_kkt kkt;
  tr_state x;
  assert_int_equal(tr_work_new(s, &w), TR_OK);
  assert_int_equal(tr_kkt_make_lean(&ar, &s->pattern, &kkt), TR_OK);
  assert_int_equal(tr_state_new(s, &x, NULL), TR_OK);
  double *r = TR_NEW(&ar, s->pattern.n, double);
  for (int i = 0; i < 3; i++) {
    tr_coefficients c = {.cm = i < 2 ? 1 : NAN, .ck = 2.5e-5, .cd = 5e-3};
    passed p = pass_nothing(s, &ar);
    tr_kinematics(w, 0, x.q, x.v, x.mem, TR_AT_VELOCITY);
    tr_forces(w, x.lam, r, r + s->nv);
    assert_int_equal(tr_kkt_goes_by_tiles(&kkt), i > 0);
    w->due = &(tr_walking){&all, &p};
    assert_int_equal(tr_tangent_factor(w, x.a, x.lam, NULL, c, &kkt, r), i < 2);
    w->due = NULL;
    assert_all_once(&p);
  }
  tr_kkt_free(&kkt);
  tr_state_free(s, &x);
  tr_work_free(w);
  tr_arena_free(&ar);
  unload(&m);
}

// ---- runs -------------------------------------------------------------------------------------------

typedef struct trace {
  tr_observer observer;
  uint64_t hash;
  long corrections, matrices;
} trace;

static tr_status mix(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  trace *t = (trace *)self;
  const unsigned char *byte = (const unsigned char *)x->block;
  for (size_t i = 0; i < x->bytes; i++) t->hash = (t->hash ^ byte[i]) * 1099511628211u;
  t->corrections = info->newton_iterations, t->matrices = info->jacobians;
  return TR_OK;
}

// reuse: of matrices; without, there is one in every correction.
static trace trace_run(const tr_system *sys, bool reuse, double tol, int threads) {
  trace t = {{.step = mix}, 14695981039346656037u, 0, 0};
  tr_run_settings s = tr_run_defaults();
  tr_run *run = NULL;
  s.method = reuse ? "hht-i3:alpha=-0.1" : "nstiff", s.newton.reuse = reuse, s.step = 1e-3,
  s.end = or_less(0.012, 0.003), s.threads = threads, s.control.tol = tol;
  assert_int_equal(tr_run_new(sys, &s, NULL, &run, NULL), TR_OK);
  assert_int_equal(tr_run_observe(run, &t.observer), TR_OK);
  tr_error error;
  if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", s.method, error.text);
  tr_run_free(run);
  return t;
}

static void assert_same(trace got, trace want) {
  assert_int_equal(got.corrections, want.corrections);
  assert_int_equal(got.matrices, want.matrices);
  assert_true(got.hash == want.hash);
}

static void runs_have_the_same_bits(void **u) {
  (void)u;
  for (int i = 0; i < SCENES; i++) {
    mechanism m = load(&scenes[i]);
    tr_system apart = *m.sys;
    sys_tiling tiling = {0};
    if (m.sys->tiling) tiling = *m.sys->tiling, tiling.walks = false, apart.tiling = &tiling;
    if (in_turn(i, 0, 2)) {
      trace expected = trace_run(&apart, true, 0, 1);
      assert_same(trace_run(m.sys, true, 0, 1), expected);
      for (int k = 0; k < 2; k++)
        if (in_turn(i / 2, k, 2)) assert_same(trace_run(m.sys, true, 0, -2 - k), expected);
    }
    if (in_turn(i, 1, 2)) {
      trace fresh = trace_run(&apart, false, 0, 1);
      assert_true(fresh.matrices >= (long)or_less(12, 3));
      assert_same(trace_run(m.sys, false, 0, 1), fresh);
    }
    if (i == 0) assert_same(trace_run(m.sys, true, 1e-4, 1), trace_run(&apart, true, 1e-4, 1));
    unload(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_is_there_before_a_tile),
      cmocka_unit_test(it_is_made_in_any_case),
      cmocka_unit_test(runs_have_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
