// SPDX-License-Identifier: Apache-2.0
// The consistent start: positions, velocities, accelerations and multipliers that belong together.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helper_mechanics.h"
#include "math/v3.h"
#include "sparse/block.h"
#include "step/start.h"
#include "system/system.h"

static tr_state new_state(const tr_system *sys) {
  tr_state x;
  assert_int_equal(tr_state_new(sys, &x, NULL), TR_OK);
  return x;
}

static void gaps(const tr_system *sys, const tr_state *x, double *phi, double *phi_v) {
  *phi = output(sys, x, "constraint.position");
  *phi_v = output(sys, x, "constraint.velocity");
}

// Every shipped model, pushed off its constraints, comes back to them; once there it stays.
static void perturbed_start(void **u) {
  (void)u;
  for (const char *const *name = shipped_models(); *name; name++) {
    mechanism m = load_model(*name, NULL);
    const tr_system *sys = m.sys;
    tr_state x = new_state(sys), y = new_state(sys);
    tr_start_info info;
    seed s = 31;
    double phi, phi_v, *d = malloc((size_t)sys->nv * sizeof *d), speed;
    assert_non_null(d);
    for (int i = 0; i < sys->nv; i++) d[i] = 1e-3 * draw(&s);
    tr_retract(sys, x.q, d, y.q);
    memcpy(x.q, y.q, (size_t)sys->nq * sizeof *x.q);
    for (int i = 0; i < sys->nv; i++) x.v[i] += 1e-2 * draw(&s);
    tr_state_copy(&y, &x);
    tr_error why = {0};
    if (tr_consistent_start(sys, &x, &info, &why) != TR_OK) fail_msg("%s: %s", *name, why.text);
    gaps(sys, &x, &phi, &phi_v);
    speed = fmax(1, largest(sys->nv, x.v));
    bool loose = tr_idle_rows(sys, x.mem, NULL) == sys->nc; // nothing holds yet
    bool positions = !loose && sys->nc > sys->nvelocity;    // constraints of them
    assert_true(phi <= 1e-14 * fmax(1, largest(sys->nq, x.q)) * sqrt(sys->nc));
    assert_true(phi_v <= 1e-13 * speed * sqrt(sys->nc));
    assert_true((!positions || info.phi_before > 1e-5) && (loose || info.phi_v_before > 1e-4));
    assert_near(info.phi_after, phi, 1e-15, "%s: phi_after", *name);
    assert_true((positions ? info.moved_q > 1e-5 : info.moved_q == 0) && info.moved_q < 1);
    // kept coordinates have not moved: by a bit where they are coordinates of the state, to round-off where
    // they are turned
    for (int b = 0; b < sys->nbody; b++) {
      const sys_body *body = &sys->body[b];
      double Rx[9], Ry[9], wx[3], wy[3];
      for (int k = 0; k < body->nv && body->type->dim == 2; k++) {
        if (body->keep_q >> k & 1u) assert_true(x.q[body->q + k] == y.q[body->q + k]);
        if (body->keep_v >> k & 1u) assert_true(x.v[body->v + k] == y.v[body->v + k]);
      }
      if (body->type->dim == 2 || !body->keep_v) continue;
      assert_int_equal(body->nq, 7);
      quat_to_m3(x.q + body->q + 3, Rx), quat_to_m3(y.q + body->q + 3, Ry);
      m3_mul(Rx, x.v + body->v + 3, wx), m3_mul(Ry, y.v + body->v + 3, wy);
      for (int k = 0; k < 3; k++)
        if (body->keep_v >> (3 + k) & 1u) assert_true(fabs(wx[k] - wy[k]) < 1e-13 * speed);
    }
    // and a consistent state is left alone, to round-off
    tr_state_copy(&y, &x);
    assert_int_equal(tr_consistent_start(sys, &x, &info, NULL), TR_OK);
    assert_true(info.moved_q <= 1e-14 * fmax(1, largest(sys->nq, x.q)));
    assert_true(info.moved_v <= 1e-13 * speed);
    tr_state_free(sys, &x), tr_state_free(sys, &y);
    free(d);
    unload(&m);
  }
}

// [M G'; G 0] (a, lam) = (Q, -gacc): checked by the equations themselves.
static void accelerations(void **u) {
  (void)u;
  for (const char *const *name = shipped_models(); *name; name++) {
    mechanism m = load_model(*name, NULL);
    const tr_system *sys = m.sys;
    tr_state x = new_state(sys);
    tr_work *w;
    double *F = calloc((size_t)(2 * sys->nv + 2 * sys->nc + sys->nmass), sizeof *F);
    double *Ma = F + sys->nv, *g = Ma + sys->nv, *Ga = g + sys->nc, *room = Ga + sys->nc;
    assert_non_null(F);
    assert_int_equal(tr_work_new(sys, &w), TR_OK);
    assert_int_equal(tr_consistent_start(sys, &x, NULL, NULL), TR_OK);
    tr_kinematics(w, x.t, x.q, x.v, x.mem, TR_AT_BIAS);
    tr_forces(w, x.lam, F, NULL);
    tr_mass_times(sys, tr_mass_blocks(w, room), x.a, Ma);
    tr_gamma(w, g);
    tr_jacobian(w);
    tr_G_times(w, x.a, Ga);
    double scale = fmax(1, largest(sys->nv, Ma) + largest(sys->nc, x.lam));
    for (int i = 0; i < sys->nv; i++)
      assert_near(Ma[i] + F[i], 0, 1e-11 * scale, "%s: M a + G' lam - Q", *name);
    for (int i = 0; i < sys->nc; i++)
      assert_near(Ga[i] + g[i], 0, 1e-11 * fmax(1, largest(sys->nv, x.a)), "%s: G a + gacc", *name);
    tr_work_free(w);
    tr_state_free(sys, &x);
    free(F);
    unload(&m);
  }
}

// The projection is the shortest way in the mass metric: M dq is in the range of G'. Two unequal point
// masses on a rod too long move in inverse proportion to their masses, along it.
static void mass_metric(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\nbodies:\n  a: {type: planar-point, mass: 1, position: [0, 0], velocity: [-1, "
      "5]}\n"
      "  b: {type: planar-point, mass: 3, position: [1.2, 0], velocity: [3, -2]}\n"
      "joints: {rod: {type: distance, markers: [a, b], length: 1}}\n");
  tr_state x = new_state(m.sys);
  assert_int_equal(tr_consistent_start(m.sys, &x, NULL, NULL), TR_OK);
  const double q[] = {0.15, 0, 1.15, 0}, v[] = {2, 5, 2, -2};
  assert_all_near(4, x.q, q, 1e-14, "positions");
  assert_all_near(4, x.v, v, 1e-13, "velocities");
  // relative acceleration along the rod: -|d'|^2, shared 3 to 1
  const double a[] = {0.75 * 49, 0, -0.25 * 49, 0};
  assert_all_near(4, x.a, a, 1e-11, "accelerations");
  assert_near(x.lam[0], 0.75 * 49, 1e-11, "tension");
  tr_state_free(m.sys, &x);
  unload(&m);
}

// Two joints too far apart. The message names the one that is worst off where the search ended.
static void impossible_start(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\nbodies:\n"
      "  bar: {type: planar, mass: 1, inertia: 0.1, angle: 20 deg, position: [-0.5, 0.3]}\n"
      "joints:\n  left: {type: revolute, markers: [{at: [-1, 0]}, {body: bar, at: [-0.5, 0]}]}\n"
      "  far: {type: distance, markers: [{at: [9, 0]}, bar], length: 1}\n"
      "simulation: {end: 1, step: 0.01}\n");
  tr_state x = new_state(m.sys);
  tr_check_info check;
  tr_error error = {0};
  tr_run *run;
  char name[64];
  assert_int_equal(tr_consistent_start(m.sys, &x, NULL, &error), TR_INCONSISTENT);
  assert_int_equal(tr_check(m.sys, &x, &check, NULL), TR_OK);
  assert_true(check.phi > 1);
  snprintf(name, sizeof name, "joint \"%s\": cannot be assembled", check.worst);
  assert_non_null(strstr(error.text, name));
  assert_int_equal(error.count, 2);
  assert_non_null(strstr(error.text, "\": stays open by "));
  error = (tr_error){0};
  assert_int_equal(tr_run_new(m.sys, NULL, NULL, &run, &error), TR_INCONSISTENT);
  assert_null(run);
  assert_non_null(strstr(error.text, name));
  tr_state_free(m.sys, &x);
  unload(&m);
}

// One hinge said once, twice, thrice: the same motion, and reactions shared as the settings say.
static void redundant_constraints(void **u) {
  (void)u;
  static const char *const more[] = {
      "", "  two: {type: revolute, markers: [ground, {body: bar, at: [-0.5, 0]}]}\n"};
  double q[3][3], f[3][2], g[2];
  for (int k = 0; k < 3; k++) {
    char text[1024];
    snprintf(text, sizeof text,
             "trammel: 1\ngravity: [0, -9.81]\nbodies:\n"
             "  bar: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
             "joints:\n  one: {type: revolute, markers: [ground, {body: bar, at: [-0.5, 0]}]}\n%s",
             more[k > 0]);
    mechanism m = load_text(text);
    tr_run_settings s = tr_run_defaults();
    tr_error error = {0};
    tr_run *run;
    s.end = 1, s.step = 0.01;
    s.redundant = k == 2 ? TR_REDUNDANT_REMOVE : TR_REDUNDANT_LEAST_NORM;
    assert_int_equal(tr_run_new(m.sys, &s, NULL, &run, &error), TR_OK);
    assert_int_equal(tr_run_all(run, &error), TR_OK);
    const tr_state *x = tr_run_state(run);
    tr_run_info info = tr_run_describe(run);
    memcpy(q[k], x->q, sizeof q[k]);
    f[k][0] = output(m.sys, x, "one.fx"), f[k][1] = output(m.sys, x, "one.fy");
    assert_int_equal(info.redundant, k ? 2 : 0);
    assert_true((info.warnings[0] != 0) == (k > 0));
    if (k > 0) {
      assert_non_null(strstr(info.warnings, "\"two\""));
      g[0] = output(m.sys, x, "two.fx"), g[1] = output(m.sys, x, "two.fy");
      // shared equally, or all on the first
      for (int i = 0; i < 2; i++)
        assert_near(g[i], k == 1 ? f[k][i] : 0, 1e-12, "reaction of the second hinge");
    }
    tr_run_free(run);
    s.redundant = TR_REDUNDANT_FAIL;
    tr_status status = tr_run_new(m.sys, &s, NULL, &run, &error);
    assert_int_equal(status, k ? TR_INCONSISTENT : TR_OK);
    if (k) assert_non_null(strstr(error.text, "joint \"two\""));
    tr_run_free(run);
    unload(&m);
  }
  for (int k = 1; k < 3; k++) {
    assert_all_near(3, q[k], q[0], 1e-9, "motion, %d", k);
    for (int i = 0; i < 2; i++)
      assert_near(f[k][i] * (k == 1 ? 2 : 1), f[0][i], 1e-6, "reaction of the first hinge");
  }
}

// Points around two hubs, each on a rod to either, near the line between its ends: all alike, and so they move, though their
// given velocities differ a little. Rods in line
// have small pivots in the order of such hubs, small as the square of their angle: no reason to take other equations for the
// start.
static void nearly_in_line(void **u) {
  (void)u;
  static const double off[] = {1e-4, 1e-3};
  enum { POINTS = 400 };
  for (int k = 0; k < 2; k++) {
    char text[1600];
    snprintf(
        text, sizeof text,
        "trammel: 1\ngravity: [0, 0, -9.81]\n"
        "bodies: {a: {type: spatial, mass: 10, inertia: [1, 1, 1]},\n"
        "  b: {type: spatial, mass: 10, inertia: [1, 1, 1], position: [0, 0, 1]}}\n"
        "joints: {base: {type: fixed, bodies: [ground, a], at: [0, 0, 0]}}\n"
        "repeat:\n"
        "  - {for: i, to: %d,\n"
        "     bodies: {\"p_{i}\": {type: spatial-point, mass: 0.1, position: "
        "[%.17g*cos(2*pi*i/%d), %.17g*sin(2*pi*i/%d), 0.5],\n"
        "       velocity: [(0.5 + 1e-6*cos(pi*i))*cos(2*pi*i/%d), (0.5 + "
        "1e-6*cos(pi*i))*sin(2*pi*i/%d), 0]}},\n"
        "     joints: {\"a_{i}\": {type: distance, markers: [{body: a, at: [0.3*cos(2*pi*i/%d), "
        "0.3*sin(2*pi*i/%d), 0]}, \"p_{i}\"]},\n"
        "       \"b_{i}\": {type: distance, markers: [{body: b, at: [0.3*cos(2*pi*i/%d), "
        "0.3*sin(2*pi*i/%d), 0]}, \"p_{i}\"]}}}\n"
        "forces: {k: {type: bushing, markers: [{at: [0, 0, 1]}, {body: b}], stiffness: [3e3, "
        "3e3, 3e3], torsion-stiffness: [500, 500, 500]}}\n",
        POINTS - 1, 0.3 + off[k], POINTS, 0.3 + off[k], POINTS, POINTS, POINTS, POINTS, POINTS,
        POINTS, POINTS);
    mechanism m = load_text(text);
    assert_true(m.sys->pattern.blocks && m.sys->pattern.blocks->bold);
    tr_state x = new_state(m.sys);
    assert_int_equal(tr_consistent_start(m.sys, &x, NULL, NULL), TR_OK);
    double low[2] = {INFINITY, INFINITY}, high[2] = {0, 0};
    for (int i = 2; i < m.sys->nbody; i++)
      for (int what = 0; what < 2; what++) {
        const double *of = (what ? x.a : x.v) + m.sys->body[i].v;
        double size = hypot(of[0], of[1]);
        low[what] = fmin(low[what], size), high[what] = fmax(high[what], size);
      }
    print_message("%g m off the line: velocities differ by %.1e, accelerations by %.1e\n", off[k],
                  high[0] / low[0] - 1, high[1] / low[1] - 1);
    assert_true(low[0] > 0.1 && high[0] - low[0] < 1e-9 * low[0]);
    assert_true(low[1] > 0 && high[1] - low[1] < 1e-11 / (off[k] * off[k]) * low[1]);
    tr_state_free(m.sys, &x);
    unload(&m);
  }
}

static long made(const tr_kkt *k) { return k->factorisations + k->refactorisations; }

static void move(const tr_system *sys, const tr_state *x, double e, tr_state *y) {
  tr_state_copy(y, x);
  for (int i = 0; i < sys->nv; i++) y->a[i] = e * x->v[i];
  tr_retract(sys, x->q, y->a, y->q);
  memcpy(y->a, x->a, (size_t)sys->nv * sizeof *y->a);
}

static void follow(tr_projector *p, tr_state *y, tr_state *exact, const char *what) {
  const tr_system *sys = p->sys;
  tr_state_copy(exact, y);
  assert_int_equal(tr_follow_accelerations(p, y, y->a, y->lam), TR_OK);
  assert_int_equal(tr_accelerations(sys, exact, NULL), TR_OK);
  double a = largest(sys->nv, exact->a), lam = largest(sys->nc, exact->lam);
  for (int i = 0; i < sys->nv; i++) assert_near(y->a[i], exact->a[i], 1e-11 * a, "%s: a", what);
  for (int i = 0; i < sys->nc; i++)
    assert_near(y->lam[i], exact->lam[i], 1e-11 * lam, "%s: lam", what);
}

// Where a matrix takes long it is made once for a place, and serves the places beside; far away it does not.
static void matrices_are_known_again(void **u) {
  (void)u;
  mechanism m = load_model("rod_net.yaml", (const char *const[]){"N=20", NULL});
  const tr_system *sys = m.sys;
  tr_arena arena = tr_arena_make(sys->al);
  tr_kkt kkt;
  tr_projector p = {.sys = sys, .kkt = &kkt, .arena = &arena};
  tr_state x = new_state(sys), y = new_state(sys), exact = new_state(sys);
  seed s = 5;
  assert_int_equal(tr_kkt_make_lean(&arena, &sys->pattern, &kkt), TR_OK);
  assert_int_equal(tr_work_new(sys, &p.work), TR_OK);
  assert_non_null(p.r = TR_NEW(&arena, sys->nv + sys->nc, double));
  for (int i = 0; i < sys->nv; i++) x.v[i] = draw(&s);
  assert_int_equal(tr_solve_accelerations(&p, &x, x.a, x.lam), TR_OK);
  long first = made(&kkt);
  assert_int_equal(tr_solve_accelerations(&p, &x, y.a, y.lam), TR_OK);
  assert_int_equal(made(&kkt), first);
  assert_memory_equal(x.a, y.a, (size_t)sys->nv * sizeof *x.a);
  move(sys, &x, 1e-6, &y);
  follow(&p, &y, &exact, "beside");
  assert_int_equal(made(&kkt), first);
  move(sys, &x, 0.5, &y);
  follow(&p, &y, &exact, "far away");
  assert_true(made(&kkt) > first);
  first = made(&kkt); // of that place now
  assert_int_equal(tr_solve_accelerations(&p, &x, y.a, y.lam), TR_OK);
  assert_true(made(&kkt) > first);
  for (int i = 0; i < sys->nv; i++)
    assert_near(y.a[i], x.a[i], 1e-11 * largest(sys->nv, x.a), "back again");
  tr_work_free(p.work);
  tr_kkt_free(&kkt);
  tr_arena_free(&arena);
  tr_state_free(sys, &x), tr_state_free(sys, &y), tr_state_free(sys, &exact);
  unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrices_are_known_again),
      cmocka_unit_test(perturbed_start),
      cmocka_unit_test(accelerations),
      cmocka_unit_test(mass_metric),
      cmocka_unit_test(impossible_start),
      cmocka_unit_test(redundant_constraints),
      cmocka_unit_test(nearly_in_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
