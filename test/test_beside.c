// SPDX-License-Identifier: Apache-2.0
// Two matrices of one order, solved side by side: those of both halves of stabilised methods next to stiff springs.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_mechanics.h"
#include "sparse/block.h"
#include "step/corrector_si2.h"
#include "system/system.h"

// Rows of square loops of bars, with stiff springs across.
static tr_system *ladder(int loops, double k, double c) {
  char text[3000];
  snprintf(
      text, sizeof text,
      "trammel: 1\n"
      "parameters: {N: %d, L: 0.2, m: 0.5, k: %g, c: %g}\n"
      "gravity: [0, -9.81]\n"
      "repeat:\n"
      "  - for: i\n"
      "    from: 1\n"
      "    to: N\n"
      "    bodies:\n"
      "      top_{i}: {type: planar, mass: m, inertia: m*L^2/12, position: [(i-0.5)*L, L]}\n"
      "      low_{i}: {type: planar, mass: m, inertia: m*L^2/12, position: [(i-0.5)*L, 0]}\n"
      "      post_{i}: {type: planar, mass: m, inertia: m*L^2/12, position: [i*L, L/2]}\n"
      "    joints:\n"
      "      a_{i}: {type: revolute, bodies: [\"top_{i}\", \"post_{i}\"], at: [i*L, L]}\n"
      "      b_{i}: {type: revolute, bodies: [\"low_{i}\", \"post_{i}\"], at: [i*L, 0]}\n"
      "      c_{i}: {type: revolute, bodies: [\"post_{i-1}\", \"top_{i}\"], at: [(i-1)*L, L]}\n"
      "      d_{i}: {type: revolute, bodies: [\"post_{i-1}\", \"low_{i}\"], at: [(i-1)*L, 0]}\n"
      "    forces:\n"
      "      s_{i}: {type: spring-damper, stiffness: k, damping: c, markers:\n"
      "        [{body: \"post_{i-1}\", at: [0, L/2]}, {body: \"post_{i}\", at: [0, -L/2]}]}\n"
      "bodies:\n"
      "  post_0: {type: planar, mass: m, inertia: m*L^2/12, position: [0, L/2]}\n"
      "joints:\n"
      "  wall: {type: fixed, markers: [{at: [0, L/2]}, post_0]}\n"
      "simulation: {end: 0.3, step: 1 ms}\n",
      loops, k, c);
  return system_of_text(text);
}

// Each right-hand side comes out as it does by its own matrix alone. Chains have lanes of their own: they are refused.
static void same_solutions(void **u) {
  (void)u;
  static const char *const row[][2] = {{"rod_chain.yaml", "N=40"}, {"four_bar_chain.yaml", "N=60"},
                                       {"rod_net.yaml", "N=6"},    {"swinging_tree.yaml", "K=5"},
                                       {"robot_arm.yaml", NULL},   {"stewart_platform.yaml", NULL}};
  for (size_t r = 0; r < sizeof row / sizeof *row; r++) {
    const char *set[] = {row[r][1], NULL};
    mechanism m = load_model(row[r][0], set);
    const tr_pattern *p = &m.sys->pattern;
    tr_arena ar = tr_arena_make(NULL);
    tr_state x;
    tr_work *w;
    tr_kkt k[2];
    seed s = 7;
    size_t n = (size_t)p->n;
    assert_int_equal(tr_state_new(m.sys, &x, NULL), TR_OK);
    assert_int_equal(tr_work_new(m.sys, &w), TR_OK);
    draw_many(&s, m.sys->nc, x.lam);
    for (int i = 0; i < 2; i++) {
      tr_coefficients c = {.cm = 1, .ck = i == 0 ? 1e-3 : 0, .cd = i == 0 ? 1e-2 : 0};
      assert_int_equal(tr_kkt_make(&ar, p, &k[i]), TR_OK);
      tr_tangent(w, 0, x.q, x.v, x.mem, x.a, x.lam, NULL, c, k[i].values);
      k[i].rough = true;
      assert_int_equal(tr_kkt_factor(&k[i]), TR_OK);
    }
    double *twin = TR_NEW(&ar, 2 * (size_t)p->blocks->numbers, double);
    double *b = TR_NEW(&ar, 2 * n, double), *x2 = TR_NEW(&ar, 2 * n, double);
    draw_many(&s, 2 * p->n, b);
    memcpy(x2, b, 2 * n * sizeof *b);
    bool paired = tr_kkt_pair(&k[0], &k[1], twin);
    assert_true(paired == (r > 0) && paired == (p->blocks->windows == 0));
    if (paired) assert_int_equal(tr_kkt_solve_pair(&k[0], &k[1], twin, x2), TR_OK);
    for (int i = 0; paired && i < 2; i++) {
      double *alone = b + (size_t)i * n;
      assert_int_equal(tr_kkt_solve(&k[i], 1, alone), TR_OK);
      assert_all_near(p->n, x2 + (size_t)i * n, alone, 1e-13 / k[i].rcond * largest(p->n, alone),
                      "%s", row[r][0]);
    }
    tr_kkt_free(&k[0]), tr_kkt_free(&k[1]);
    tr_arena_free(&ar);
    tr_work_free(w);
    tr_state_free(m.sys, &x);
    unload(&m);
  }
}

// Where a run has come to; iterations > 0: so many full Newton corrections, with the matrix of both halves as one.
typedef struct end {
  tr_run *run;
  tr_run_info info;
} end;

static end go(const tr_system *sys, const char *method, int iterations, int threads) {
  tr_run_settings s = tr_run_defaults();
  tr_error error = {0};
  end e;
  s.method = method, s.step = 1e-3, s.end = or_less(0.3, 0.06), s.threads = threads;
  s.newton.fixed_iterations = iterations;
  e.run = begin_run(sys, &s);
  if (tr_run_all(e.run, &error) != TR_OK) fail_msg("%s: %s", method, error.text);
  e.info = tr_run_describe(e.run);
  return e;
}

// The steps are those of the method, whoever solves for them; velocities keep the constraints, with weak dampers as with
// strong ones, whose forces see the corrections of velocities.
static void same_steps(void **u) {
  (void)u;
  static const char *const method[] = {"hht-si2:alpha=-0.1", "nstiff-si2"};
  static const double damping[] = {0, 200, 20000};
  for (int m = 0; m < 2; m++)
    for (int d = 0; d < 3; d++) {
      tr_system *sys = ladder(6, 2e6, damping[d]);
      end usual = go(sys, method[m], 0, 1), full = go(sys, method[m], 6, 1);
      const tr_state *x = tr_run_state(usual.run), *y = tr_run_state(full.run);
      assert_all_near(sys->nq, x->q, y->q, 1e-9, "%s, c = %g: q", method[m], damping[d]);
      assert_all_near(sys->nv, x->v, y->v, 1e-6, "%s, c = %g: v", method[m], damping[d]);
      assert_true(usual.info.max_phi_v < 1e-9);
      tr_run_free(usual.run), tr_run_free(full.run);
      tr_system_free(sys);
    }
}

static void same_bits(void **u) {
  (void)u;
  tr_system *sys = ladder(400, 2e6, 200);
  end alone = go(sys, "nstiff-si2", 0, 1), shared = go(sys, "nstiff-si2", 0, 3);
  const tr_state *x = tr_run_state(alone.run), *y = tr_run_state(shared.run);
  assert_memory_equal(x->block, y->block, x->bytes);
  tr_run_free(alone.run), tr_run_free(shared.run);
  tr_system_free(sys);
}

// A force across the velocity, as that of a magnet, has nothing on the diagonal, and couples the halves nevertheless.
static void across_velocities(void **u) {
  (void)u;
  tr_system *sys = system_of_text(
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "repeat:\n"
      "  - for: i\n"
      "    from: 1\n"
      "    to: 6\n"
      "    bodies: {\"b{i}\": {type: planar, mass: 1, inertia: 0.01, position: [0.3*i - 0.15, "
      "0]}}\n"
      "    forces:\n"
      "      s{i}: {type: spring-damper, stiffness: 1e7, markers:\n"
      "        [{at: [0.3*i - 0.2, 0.7]}, {body: \"b{i}\", at: [0.05, 0]}]}\n"
      "  - {for: i, from: 2, to: 6, joints: {\"j{i}\": {type: revolute, bodies: [\"b{i-1}\", "
      "\"b{i}\"],\n"
      "     at: [0.3*i - 0.3, 0]}}}\n"
      "joints: {j1: {type: revolute, bodies: [ground, b1], at: [0, 0]}}\n"
      "forces: {mag: {type: force, markers: [b6], force: [-1e5*VY(b6), 1e5*VX(b6)]}}\n");
  end e = go(sys, "nstiff-si2", 0, 1);
  if (e.info.newton_failures > 0 || e.info.newton_iterations >= 600)
    fail_msg("%ld corrections, %ld failures", e.info.newton_iterations, e.info.newton_failures);
  tr_run_free(e.run);
  tr_system_free(sys);
}

// One bar of a chain is a thousand times as heavy as the others. Matrices are far from the masses while it swings, until
// velocities are projected by a matrix of their own.
static void a_heavy_bar(void **u) {
  (void)u;
  static const double at[6][4] = {{0.003536860, -0.049874749, 0.007073720, -0.099749499},
                                  {0.038154219, -0.138915844, 0.062160997, -0.078332691},
                                  {0.117001541, -0.192858200, 0.095533649, -0.029552021},
                                  {0.212535190, -0.192858200, 0.095533649, 0.029552021},
                                  {0.291382513, -0.138915844, 0.062160997, 0.078332691},
                                  {0.325999872, -0.049874749, 0.007073720, 0.099749499}};
  char text[4096];
  int n = snprintf(text, sizeof text, "trammel: 1\ngravity: [1, 0.5, -9.81]\nbodies:\n");
  for (int i = 0; i < 6; i++)
    n += snprintf(
        text + n, sizeof text - (size_t)n,
        "  b%d: {type: spatial, mass: %g, inertia: [%g, %g, %g], position: [%.9g, 0, %.9g], "
        "orientation: {x-axis: [%.9g, 0, %.9g]}}\n",
        i + 1, i == 3 ? 100.0 : 0.1, i == 3 ? 6.7e-3 : 6.7e-6, i == 3 ? 8.7e-2 : 8.7e-5,
        i == 3 ? 8.7e-2 : 8.7e-5, at[i][0], at[i][1], at[i][2], at[i][3]);
  n += snprintf(
      text + n, sizeof text - (size_t)n,
      "joints:\n  j1: {type: spherical, markers: [{at: [0, 0, 0]}, {body: b1, at: [-0.05, 0, "
      "0]}]}\n");
  for (int i = 2; i <= 6; i++)
    n += snprintf(
        text + n, sizeof text - (size_t)n,
        "  j%d: {type: spherical, markers: [{body: b%d, at: [0.05, 0, 0]}, {body: b%d, at: "
        "[-0.05, 0, 0]}]}\n",
        i, i - 1, i);
  tr_system *sys = system_of_text(text);
  static const char *const method[] = {"hht-si2", "hht-si2:alpha=-0.1", "nstiff-si2",
                                       "gen-alpha:index=2"};
  for (int m = 0; m < 4; m++) {
    end e = go(sys, method[m], 0, 1);
    if (!(e.info.max_phi_v < 1e-8)) fail_msg("%s: %g", method[m], e.info.max_phi_v);
    tr_run_free(e.run);
  }
  tr_system_free(sys);
}

// Small systems are moved several numbers at a time, and measured on the way: as one by one, to the last bit.
enum { MOST = 19 };
static void small_of(int nv, int nc, bool given) {
  double room[14][MOST], dx[4 * MOST], da, dw, most_a = 0, most_w = 0;
  for (int i = 0; i < 14 * MOST; i++) room[i / MOST][i % MOST] = sin(1.7 * i + nv);
  for (int i = 0; i < 4 * MOST; i++) dx[i] = cos(2.3 * i + nc);
  tr_system sys = {.nv = nv, .nc = nc};
  tr_work work = {0};
  tr_step s = {.sys = &sys, .work = &work, .w = room[0], .mu = room[1], .d = room[2]};
  s.sum_a = room[3], s.sum_lam = room[4];
  s.c = (tr_corrector){.cq = 0.3, .cv = 0.7, .cw = 0.2, .d_v = 0.1, .d_a = 0.6, .v_a = 0.4};
  s.c.dhat = room[5], s.c.vhat = room[6];
  if (given) s.c.v = room[7], s.c.a = room[8];
  tr_state x1 = {.a = room[9], .lam = room[10], .v = room[11]};
  correction k = {.s = &s, .x1 = &x1, .ratio = 2.0 / 3};
  double was[14][MOST];
  memcpy(was, room, sizeof was);
  assert_true(tr_si2_is_small(&k));
  tr_si2_shift_small(&k, dx, &da, &dw);
  for (int i = 0; i < nv; i++) {
    double x = dx[i], z = dx[nv + nc + i];
    double w = was[0][i] - z, a = was[9][i] - (x - k.ratio * z), sum = a + k.ratio * w;
    double d0 = given ? s.c.d_v * was[7][i] + s.c.d_a * was[8][i] : was[5][i];
    double v0 = given ? was[7][i] + s.c.v_a * was[8][i] : was[6][i];
    assert_true(room[0][i] == w && room[9][i] == a && room[3][i] == sum);
    assert_true(room[2][i] == d0 + s.c.cq * sum && room[11][i] == v0 + s.c.cv * a);
    most_a = fmax(most_a, fabs(x)), most_w = fmax(most_w, fabs(z));
  }
  for (int i = 0; i < nc; i++) {
    double m = dx[2 * nv + nc + i], mu = was[1][i] + m;
    double lam = was[10][i] - (dx[nv + i] - k.ratio * m);
    assert_true(room[1][i] == mu && room[10][i] == lam && room[4][i] == lam - k.ratio * mu);
  }
  for (int i = 0; i < 14; i++) // and nothing else
    for (int j = i == 1 || i == 4 || i == 10 ? nc : nv; j < MOST; j++)
      assert_true(room[i][j] == was[i][j]);
  assert_true(da == most_a && dw == most_w);
  memcpy(was, room, sizeof was);
  tr_si2_place_small(&k); // where they are already
  assert_memory_equal(was, room, sizeof was);
  dx[nv - 1] = NAN;
  tr_si2_shift_small(&k, dx, &da, &dw);
  assert_true(isinf(da) && isinf(dw));
}

static void small_systems(void **u) {
  (void)u;
  for (int nv = 1; nv < MOST; nv++)
    for (int nc = 0; nc < MOST; nc++) small_of(nv, nc, nc % 2 == 0), small_of(nv, nc, nc % 3 == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_solutions), cmocka_unit_test(same_steps),
      cmocka_unit_test(same_bits),      cmocka_unit_test(across_velocities),
      cmocka_unit_test(a_heavy_bar),    cmocka_unit_test(small_systems)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
