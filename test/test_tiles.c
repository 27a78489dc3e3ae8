// SPDX-License-Identifier: Apache-2.0
// Large matrices, filled and factored tile by tile with half of the first solve on the way, against the same all at once:
// bit for bit, by one or by several. Nothing of the room is what it was before: a number that came too late, or never,
// would show.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/team.h"
#include "helper_mechanics.h"
#include "sparse/block.h"
#include "system/system.h"

// Rods, five of them held by springs, which add to what must be there before them.
static mechanism make_chain(void) {
  return load_text(
      "trammel: 1\n"
      "repeat:\n"
      "  - {for: i, from: 1, to: 1, bodies: {\"b_{i}\": {type: spatial, mass: 0.1,\n"
      "     inertia: [7e-6, 9e-5, 9e-5], position: [0.1*i - 0.05, 0, 0]}},\n"
      "     joints: {\"j_{i}\": {type: spherical, bodies: [ground, \"b_{i}\"], at: [0, 0, 0]}}}\n"
      "  - {for: i, from: 2, to: 4000, bodies: {\"b_{i}\": {type: spatial, mass: 0.1,\n"
      "     inertia: [7e-6, 9e-5, 9e-5], position: [0.1*i - 0.05, 0, 0]}},\n"
      "     joints: {\"j_{i}\": {type: spherical, bodies: [\"b_{i-1}\", \"b_{i}\"],\n"
      "     at: [0.1*i - 0.1, 0, 0]}}}\n"
      "  - {for: i, from: 1, to: 5, forces: {\"s_{i}\": {type: spring-damper,\n"
      "     markers: [{at: [80*i, 1, 0]}, \"b_{800*i}\"], stiffness: 3, free-length: 0.5}}}\n");
}

typedef struct side {
  tr_kkt k;
  tr_work *w;
  tr_team *team;
  double *b;
} side;

static void open_side(const tr_system *sys, tr_arena *ar, int threads, side *s) {
  assert_int_equal(tr_work_new(sys, &s->w), TR_OK);
  assert_int_equal(tr_team_new(sys->al, threads, &s->team), TR_OK);
  assert_int_equal(tr_work_hire(s->w, s->team), TR_OK);
  assert_int_equal(tr_kkt_make_lean(ar, &sys->pattern, &s->k), TR_OK);
  s->k.team = s->team, s->k.rough = true;
  s->b = TR_NEW(ar, sys->pattern.n, double);
  assert_non_null(s->b);
}

static void close_side(side *s) { tr_kkt_free(&s->k), tr_work_free(s->w), tr_team_free(s->team); }

// With forces in the joints, and one right-hand side for all.
static void factor(const tr_system *sys, side *s, const tr_state *x) {
  tr_coefficients c = {.cm = 1, .ck = 2.5e-5, .cd = 5e-3};
  seed random = 5;
  double *F = tr_kkt_blocks(&s->k);
  tr_kinematics(s->w, 0, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_forces(s->w, x->lam, s->b, NULL);
  draw_many(&random, sys->pattern.n, s->b);
  for (int i = 0; i < sys->pattern.blocks->numbers; i++) F[i] = NAN;
  assert_true(tr_tangent_factor(s->w, x->a, x->lam, NULL, c, &s->k, s->b));
}

// Both have made a matrix before, whose scale they use. tiles: of the other.
static void compare(const tr_system *sys, const tr_state *x, side *whole, side *tiled, int tiles) {
  tr_blocks *b = sys->pattern.blocks;
  size_t n = (size_t)sys->pattern.n;
  b->tiles = tiles;
  assert_true(tr_kkt_goes_by_tiles(&tiled->k));
  factor(sys, tiled, x);
  assert_true(tiled->k.begun == tiled->b);
  assert_int_equal(tr_kkt_solve(&tiled->k, 1, tiled->b), TR_OK);
  b->tiles = 0;
  factor(sys, whole, x);
  assert_int_equal(tr_kkt_solve(&whole->k, 1, whole->b), TR_OK);
  assert_memory_equal(whole->k.factors, tiled->k.factors, (size_t)b->numbers * sizeof(double));
  assert_true(whole->k.rcond == tiled->k.rcond);
  assert_memory_equal(whole->b, tiled->b, n * sizeof *whole->b);
  assert_int_equal(tr_kkt_solve(&whole->k, 1, whole->b), TR_OK);
  b->tiles = tiles;
  assert_int_equal(tr_kkt_solve(&tiled->k, 1, tiled->b), TR_OK); // from the beginning
  assert_memory_equal(whole->b, tiled->b, n * sizeof *whole->b);
}

static void check(mechanism m) {
  const tr_system *sys = m.sys;
  int tiles = sys->pattern.blocks->tiles;
  tr_arena ar = tr_arena_make(sys->al);
  tr_state x;
  seed random = 3;
  assert_true(tiles > 4 && sys->tiling);
  assert_int_equal(tr_state_new(sys, &x, NULL), TR_OK);
  draw_many(&random, sys->nv, x.v), draw_many(&random, sys->nv, x.a);
  for (int threads = 1; threads <= 2; threads++) {
    side whole, tiled;
    open_side(sys, &ar, 1, &whole), open_side(sys, &ar, threads, &tiled);
    draw_many(&random, sys->nc, x.lam);
    factor(sys, &whole, &x), factor(sys, &tiled, &x);
    draw_many(&random, sys->nc, x.lam);
    compare(sys, &x, &whole, &tiled, tiles);
    close_side(&whole), close_side(&tiled);
  }
  tr_state_free(sys, &x);
  tr_arena_free(&ar);
  unload(&m);
}

static void along_a_chain(void **u) {
  (void)u;
  check(make_chain());
}

static void in_a_net(void **u) {
  (void)u;
  check(load_model("rod_net.yaml", (const char *const[]){"N=22", NULL}));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(along_a_chain),
      cmocka_unit_test(in_a_net),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
