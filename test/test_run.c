// SPDX-License-Identifier: Apache-2.0
// Runs: orders of convergence, the grid of steps, failures told honestly, the same
// bits run to run, and a budget of Newton iterations.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_mechanics.h"
#include "helper_problems.h"
#include "math/v3.h"
#include "system/system.h"

static tr_state new_state(const tr_system *sys) {
  tr_state x;
  assert_int_equal(tr_state_new(sys, &x, NULL), TR_OK);
  return x;
}

// ---- order ------------------------------------------------------------------------------------------

// Outputs that say where everything is and how it moves, at the end.
static void end_state(const tr_system *sys, const char *method, double h, double end, double *q,
                      double *v) {
  tr_run *run = new_run(sys, method, h, end);
  tr_error error = {0};
  if (tr_run_all(run, &error) != TR_OK) fail_msg("%s", error.text);
  memcpy(q, tr_run_state(run)->q, (size_t)sys->nq * sizeof *q);
  memcpy(v, tr_run_state(run)->v, (size_t)sys->nv * sizeof *v);
  tr_run_free(run);
}

static double difference(int n, const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

// Orders in q and v from three step sizes: |x_h - x_h/2|/|x_h/2 - x_h/4| = 2^p.
static void measure_order(const tr_system *sys, const char *method, double h, double end,
                          double order[2]) {
  double q[3][64], v[3][64];
  assert_true(sys->nq <= 64);
  for (int k = 0; k < 3; k++) end_state(sys, method, ldexp(h, -k), end, q[k], v[k]);
  order[0] = log2(difference(sys->nq, q[0], q[1]) / difference(sys->nq, q[1], q[2]));
  order[1] = log2(difference(sys->nv, v[0], v[1]) / difference(sys->nv, v[1], v[2]));
}

static void orders(void **u) {
  (void)u;
  static const struct {
    const char *model;
    double step, end;
  } on[] = {{"slider_crank.yaml", 0x1p-10, 1}, {"three_link_pendulum.yaml", 0x1p-9, 1}};
  static const struct {
    const char *method;
    int order;
  } with[] = {{"newmark:beta=1/4,gamma=1/2", 2},
              {"newmark:beta=0.3025,gamma=0.6", 1},
              {"newmark:beta=25/64,gamma=3/4", 1},
              {"hht-i3:alpha=-0.3", 2},
              {"hht-i3:alpha=-0.1", 2},
              {"hht-i3:alpha=0", 2}};
  for (size_t i = 0; i < sizeof on / sizeof *on; i++) {
    mechanism m = load_model(on[i].model, NULL);
    for (size_t k = 0; k < sizeof with / sizeof *with; k++) {
      double p[2];
      measure_order(m.sys, with[k].method, on[i].step, on[i].end, p);
      assert_near(p[0], with[k].order, 0.15, "%s, %s: order in q", on[i].model, with[k].method);
      assert_near(p[1], with[k].order, 0.15, "%s, %s: order in v", on[i].model, with[k].method);
    }
    unload(&m);
  }
}

// ---- the grid ---------------------------------------------------------------------------------------

typedef struct recorder {
  tr_observer observer;
  long calls;
  double t[4096];
  uint64_t hash;
  size_t bytes;
  long stop_at;
  tr_status answer;
} recorder;

static tr_status record(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  recorder *r = (recorder *)self;
  (void)info;
  if (r->calls < 4096) r->t[r->calls] = x->t;
  r->calls++;
  const unsigned char *byte = (const unsigned char *)x->block;
  for (size_t i = 0; i < r->bytes; i++) r->hash = (r->hash ^ byte[i]) * 1099511628211u;
  return r->stop_at && r->calls == r->stop_at ? r->answer : TR_OK;
}

static void grid_ends_exactly(void **u) {
  (void)u;
  static const struct {
    double step, end;
    long steps, on_grid;
  } row[] = {{0x1p-6, 1, 64, 63}, {0.001, 0.3, 300, 299}, {0.1, 0.3, 3, 2},
             {0.03, 1, 34, 32},   {0.4, 1, 3, 0},         {2, 1, 1, 0}};
  mechanism m = load_model("pendulum.yaml", NULL);
  for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
    static recorder r;
    r = (recorder){.observer = {.step = record}};
    tr_run *run = new_run(m.sys, "hht-i3", row[k].step, row[k].end);
    assert_int_equal(tr_run_observe(run, &r.observer), TR_OK);
    assert_int_equal(tr_run_all(run, NULL), TR_OK);
    assert_true(tr_run_state(run)->t == row[k].end);
    assert_int_equal(tr_run_describe(run).steps, row[k].steps);
    assert_int_equal(r.calls, row[k].steps + 1);
    assert_true(r.t[0] == 0);
    for (long i = 1; i <= row[k].on_grid; i++) assert_true(r.t[i] == (double)i * row[k].step);
    // the rest in equal parts
    double from = r.t[row[k].on_grid], parts = (double)(row[k].steps - row[k].on_grid);
    for (long i = row[k].on_grid + 1; i < row[k].steps; i++)
      assert_near(r.t[i], from + (row[k].end - from) * (double)(i - row[k].on_grid) / parts, 1e-15,
                  "step %ld", i);
    // a second call has nothing to do
    assert_int_equal(tr_run_all(run, NULL), TR_OK);
    assert_int_equal(tr_run_describe(run).steps, row[k].steps);
    tr_run_free(run);
  }
  unload(&m);
}

// A shorter last step, and stops on the way, do not spoil the order.
static void partial_steps_keep_the_order(void **u) {
  (void)u;
  // gamma = 1/2 is left out: its undamped oscillation in a is what any change of step excites
  static const char *const methods[] = {"hht-i3:alpha=-0.3", "hht-i3:alpha=-0.1",
                                        "newmark:beta=0.3025,gamma=0.6"};
  static const int order[] = {2, 2, 1};
  mechanism m = load_model("slider_crank.yaml", NULL);
  for (int k = 0; k < 3; k++) {
    double q[4][8], v[4][8];
    end_state(m.sys, methods[k], 0x1p-15, 1, q[3], v[3]);
    for (int i = 0; i < 3; i++) {
      // two odd stops; h' = 0.37 h and the like
      double h = ldexp(0.0037, -i);
      tr_run *run = new_run(m.sys, methods[k], h, 1);
      assert_int_equal(tr_run_to(run, 0.3 + 0.37 * h, NULL), TR_OK);
      assert_int_equal(tr_run_to(run, 0.6 + 0.71 * h, NULL), TR_OK);
      assert_int_equal(tr_run_all(run, NULL), TR_OK);
      memcpy(q[i], tr_run_state(run)->q, (size_t)m.sys->nq * sizeof(double));
      memcpy(v[i], tr_run_state(run)->v, (size_t)m.sys->nv * sizeof(double));
      tr_run_free(run);
    }
    for (int i = 0; i < 2; i++) {
      double p = log2(difference(6, q[i], q[3]) / difference(6, q[i + 1], q[3]));
      double pv = log2(difference(6, v[i], v[3]) / difference(6, v[i + 1], v[3]));
      assert_near(p, order[k], 0.35, "%s: order in q", methods[k]);
      assert_near(pv, order[k], 0.35, "%s: order in v", methods[k]);
    }
  }
  unload(&m);
}

// Observers end runs: kindly or not.
static void observers_stop(void **u) {
  (void)u;
  mechanism m = load_model("pendulum.yaml", NULL);
  static recorder r;
  tr_error error = {0};
  for (int kind = 0; kind < 2; kind++) {
    r = (recorder){
        .observer = {.step = record}, .stop_at = 10, .answer = kind ? TR_BAD_FILE : TR_STOPPED};
    tr_run *run = new_run(m.sys, "hht-i3", 0x1p-6, 1);
    assert_int_equal(tr_run_observe(run, &r.observer), TR_OK);
    assert_int_equal(tr_run_all(run, &error), r.answer);
    assert_int_equal(r.calls, 10);
    assert_true(tr_run_state(run)->t == 9 * 0x1p-6);
    // and may go on
    r.stop_at = 0;
    assert_int_equal(tr_run_all(run, NULL), TR_OK);
    assert_true(tr_run_state(run)->t == 1);
    assert_int_equal(r.calls, 65);
    tr_run_free(run);
  }
  unload(&m);
}

// ---- failure ----------------------------------------------------------------------------------------

// A bob whose rod is longer at each moment than it can follow: the rail ends at t = 0.5.
// x^2 = 1 - 2 t has no solution beyond 0.5, and is singular there
static tr_status shrinking(const tr_problem *p, double t, const double *q, double *phi) {
  (void)p;
  phi[0] = q[0] * q[0] - 1 + 2 * t;
  return TR_OK;
}

static void failure_is_honest(void **u) {
  (void)u;
  static const double q0[] = {1}, v0[] = {-1}, v1[] = {1};
  const tr_problem dead_end = {
      .n = 1, .m = 1, .q0 = q0, .v0 = v0, .mass = unit_mass, .force = no_force, .phi = shrinking};
  const tr_problem refusal = {.n = 1,
                              .m = 1,
                              .q0 = q0,
                              .v0 = v1,
                              .mass = unit_mass,
                              .force = no_force,
                              .phi = refuses_late};
  const tr_problem *const problem[] = {&dead_end, &refusal};
  static const char *const methods[] = {"hht-i3", "newmark"};
  for (int k = 0; k < 4; k++) {
    mechanism m = load_problem(problem[k / 2]);
    static recorder r;
    r = (recorder){.observer = {.step = record}};
    tr_run *run = new_run(m.sys, methods[k % 2], 0.01, 1);
    tr_error error = {0};
    assert_int_equal(tr_run_observe(run, &r.observer), TR_OK);
    assert_int_equal(tr_run_all(run, &error), TR_FAILED);
    assert_int_equal(error.status, TR_FAILED);
    assert_non_null(strstr(error.text, "step from t = "));
    const tr_state *x = tr_run_state(run);
    tr_run_info info = tr_run_describe(run);
    // up to the end of the rail, not beyond, and what was accepted is on it
    assert_true(x->t > 0.3 && x->t <= 0.5 + 1e-12);
    assert_int_equal(r.calls, info.steps + 1);
    assert_true(r.t[r.calls - 1] == x->t && info.t == x->t);
    assert_true(isfinite(x->q[0]) && isfinite(x->v[0]));
    if (k / 2)
      assert_near(x->q[0], 1 + x->t, 1e-9, "last state");
    else
      assert_near(x->q[0] * x->q[0], 1 - 2 * x->t, 1e-15, "last state, on the rail");
    // asking again fails again, and changes nothing
    double t = x->t, q = x->q[0];
    assert_int_equal(tr_run_all(run, NULL), TR_FAILED);
    assert_true(tr_run_state(run)->t == t && tr_run_state(run)->q[0] == q);
    tr_run_free(run);
    unload(&m);
  }
}

static void bad_settings(void **u) {
  (void)u;
  mechanism m = load_model("pendulum.yaml", NULL);
  tr_run_settings s[8];
  for (int k = 0; k < 8; k++) s[k] = tr_run_defaults();
  s[0].step = 0, s[1].step = -1, s[2].step = INFINITY, s[3].end = -1, s[4].end = INFINITY;
  s[5].newton.max_iterations = 0, s[6].newton.tol = 0, s[7].method = "newmark:beta=0.1,gamma=0.5";
  for (int k = 0; k < 8; k++) {
    tr_error error = {0};
    tr_run *run;
    assert_int_equal(tr_run_new(m.sys, &s[k], NULL, &run, &error), TR_BAD_INPUT);
    assert_null(run);
    assert_int_equal(error.count, 1);
  }
  unload(&m);
}

// ---- bits, budgets ----------------------------------------------------------------------------------

static uint64_t run_hash(const tr_system *sys, const char *method, double step, long steps) {
  static recorder r;
  tr_state size = new_state(sys);
  r = (recorder){.observer = {.step = record}, .hash = 14695981039346656037u, .bytes = size.bytes};
  tr_state_free(sys, &size);
  tr_run *run = new_run(sys, method, step, step * (double)steps);
  assert_int_equal(tr_run_observe(run, &r.observer), TR_OK);
  assert_int_equal(tr_run_all(run, NULL), TR_OK);
  tr_run_free(run);
  return r.hash;
}

// Every bit of every state, run to run: of one system, and of the model compiled anew.
static void same_bits(void **u) {
  (void)u;
  int count = 0, differ = 0;
  int steps = (int)or_less(100, 40);
  for (const char *const *name = shipped_models(); *name; name++) {
    static const char *const methods[] = {"newmark", "hht-i3"};
    for (int k = 0; k < 2; k++) {
      mechanism a = load_model(*name, NULL), b = load_model(*name, NULL);
      double h = tr_system_simulation(a.sys).step;
      uint64_t hash = run_hash(a.sys, methods[k], h, steps);
      assert_true(hash == run_hash(a.sys, methods[k], h, steps));
      assert_true(hash == run_hash(b.sys, methods[k], h, steps));
      count++, differ += hash != run_hash(a.sys, methods[1 - k], h, steps);
      unload(&a), unload(&b);
    }
  }
  assert_true(differ >
              0.9 * count); // the hash sees; what turns steadily is the same by all methods
}

// Newton iterations and matrices per step of the shipped simulations: what was measured, and 30 %.
static void newton_budget(void **u) {
  (void)u;
  static const struct {
    const char *model;
    double iterations, matrices; // per step
  } budget[] = {
      {"cam_follower.yaml", 2.87, 0.009},
      {"diving_board.yaml", 1.74, 0.039},
      {"engine_mounts.yaml", 1.60, 0.114},
      {"epicyclic_gear.yaml", 1.25, 0.026},
      {"newtons_cradle.yaml", 1.46, 0.001},
      {"rack_and_pinion.yaml", 1.03, 0.001},
      {"screw_jack.yaml", 2.34, 0.076},
      {"universal_shaft.yaml", 1.50, 0.039},
      {"double_pendulum.yaml", 1.63, 0.042},
      {"four_bar_chain.yaml", 1.31, 0.048},
      {"heavy_top.yaml", 2.65, 0.542},
      {"pendulum.yaml", 1.91, 0.084},
      {"planar_double_pendulum.yaml", 2.00, 3.000},
      {"rod_chain.yaml", 2.13, 0.460},
      {"seven_body.yaml", 1.27, 0.025},
      {"slider_crank.yaml", 1.18, 0.018},
      {"three_link_pendulum.yaml", 2.24, 0.101},
      {"quick_return.yaml", 1.39, 0.026},
      {"robot_arm.yaml", 1.23, 0.011},
      {"robot_arm_pid.yaml", 2.05, 0.122}, // of steps around its own: 0.10 .. 0.15
      {"shake_table.yaml", 1.26, 0.001},
      {"rod_net.yaml", 2.50, 0.086},
      {"bricard.yaml", 1.30, 0.008},
      {"slider_crank_flexible.yaml", 1.09, 0.006},
      {"rolling_coin.yaml", 1.10, 0.026},
      {"swinging_tree.yaml", 1.55, 0.040},
      {"skate.yaml", 1.22, 0.040},
      {"flexible_arm.yaml", 1.65, 0.024},
      {"flexible_four_bar.yaml", 1.52, 0.024},
      {"rotating_beam.yaml", 1.62, 0.001},
  };
  for (const char *const *name = shipped_models(); *name; name++) {
    mechanism m = load_model(*name, NULL);
    tr_run *run = new_run(m.sys, NULL, NAN, NAN);
    assert_int_equal(tr_run_all(run, NULL), TR_OK);
    tr_run_info i = tr_run_describe(run);
    double iterations = (double)i.newton_iterations / (double)i.steps;
    double matrices = (double)i.jacobians / (double)i.steps;
    assert_true(i.solves >= i.newton_iterations);
    assert_true(i.residuals >= i.newton_iterations);
    assert_true(i.factorisations >= i.jacobians && i.refactorisations < i.factorisations);
    bool listed = false;
    for (size_t k = 0; k < sizeof budget / sizeof *budget; k++) {
      if (strcmp(budget[k].model, *name) != 0) continue;
      listed = true;
      if (iterations > 1.3 * budget[k].iterations || matrices > 1.3 * budget[k].matrices)
        fail_msg("%s: %.3f iterations and %.3f matrices a step", *name, iterations, matrices);
    }
    if (!listed && (iterations > 4 || matrices > 0.5)) // what none should cost without a reason
      fail_msg("%s: no budget yet for {%.2f, %.3f}", *name, iterations, matrices);
    tr_run_free(run);
    unload(&m);
  }
}

// Steps of one length begin where the trend of the past leads: the same motion as from polynomials, to the
// tolerance, with fewer corrections.
static void trend_saves_corrections(void **u) {
  (void)u;
  static const struct {
    const char *model;
    double share; // of the corrections; measured, and 10 %
  } list[] = {{"bricard.yaml", 0.64}, {"pendulum.yaml", 0.86}, {"universal_shaft.yaml", 0.60}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    mechanism m = load_model(list[k].model, NULL);
    tr_run_info info[2];
    tr_run *run[2];
    for (int i = 0; i < 2; i++) {
      tr_run_settings s = tr_run_defaults();
      assert_int_equal(s.newton.predictor, TR_PREDICT_TREND);
      if (i == 0) s.newton.predictor = TR_PREDICT_CUBIC;
      s.end = 2;
      assert_int_equal(tr_run_new(m.sys, &s, NULL, &run[i], NULL), TR_OK);
      assert_int_equal(tr_run_all(run[i], NULL), TR_OK);
      info[i] = tr_run_describe(run[i]);
    }
    double share = (double)info[1].newton_iterations / (double)info[0].newton_iterations;
    if (!(share < list[k].share)) fail_msg("%s: %.3f of the corrections", list[k].model, share);
    const tr_state *a = tr_run_state(run[0]), *b = tr_run_state(run[1]);
    // every step may leave the tolerance in v, and that lasts
    double speed = 1, most = (double)info[0].steps * 1e-10 * a->t;
    for (int i = 0; i < m.sys->nv; i++) speed = fmax(speed, fabs(a->v[i]));
    for (int i = 0; i < m.sys->nq; i++)
      assert_near(b->q[i], a->q[i], most * speed, "%s: q[%d]", list[k].model, i);
    tr_run_free(run[0]), tr_run_free(run[1]);
    unload(&m);
  }
}

// A parallelogram that starts with its bars on one line: a row is redundant there and nowhere else. Rows
// left out must not stay out.
static void singular_start_is_left(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  left: {type: planar, mass: 1 kg, inertia: 0.1, position: [0.5, 0]}\n"
      "  coupler: {type: planar, mass: 1 kg, inertia: 0.1, position: [2, 0]}\n"
      "  right: {type: planar, mass: 1 kg, inertia: 0.1, position: [2.5, 0]}\n"
      "joints:\n"
      "  A: {type: revolute, bodies: [ground, left], at: [0, 0]}\n"
      "  B: {type: revolute, bodies: [left, coupler], at: [1, 0]}\n"
      "  C: {type: revolute, bodies: [coupler, right], at: [3, 0]}\n"
      "  D: {type: revolute, bodies: [ground, right], at: [2, 0]}\n");
  for (int i = 0; i < 4; i++) {
    tr_run_settings s = tr_run_defaults();
    tr_error error = {0};
    tr_run *run;
    s.method = i % 2 ? "nstiff-si2" : "hht-i3", s.step = 1e-3, s.end = 0.5;
    s.control.tol = i < 2 ? 0 : 1e-5;
    if (tr_run_new(m.sys, &s, NULL, &run, &error) != TR_OK) fail_msg("%s", error.text);
    assert_int_equal(tr_run_describe(run).redundant, 1);
    if (tr_run_all(run, &error) != TR_OK) fail_msg("%s", error.text);
    assert_true(tr_run_describe(run).max_phi < 1e-6);
    assert_int_equal(tr_run_describe(run).redundant, 0);
    tr_run_free(run);
  }
  unload(&m);
}

// A ball that bounces: the velocity is turned at the floor and the run goes on from there. Between
// bounces HHT is exact for a parabola.
static tr_status one_mass(const tr_problem *p, const double *q, double *M) {
  (void)p, (void)q;
  M[0] = 1;
  return TR_OK;
}

static tr_status weigh(const tr_problem *p, double t, const double *q, const double *v, double *Q) {
  (void)p, (void)t, (void)q, (void)v;
  Q[0] = -9.81;
  return TR_OK;
}

static void restarts(void **u) {
  (void)u;
  static const double q0[] = {1};
  const tr_problem ball = {
      .n = 1, .q0 = q0, .constant_mass = true, .mass = one_mass, .force = weigh};
  mechanism m = load_problem(&ball);
  tr_error error = {0};
  double fall = sqrt(2 / 9.81);
  tr_run *run = new_run(m.sys, "hht-i3:alpha=-0.1", 1e-3, 10);
  assert_int_equal(tr_run_to(run, fall, &error), TR_OK);
  tr_state x = new_state(m.sys);
  tr_state_copy(&x, tr_run_state(run));
  assert_true(fabs(x.q[0]) < 1e-9);
  x.v[0] = -0.5 * x.v[0];
  assert_int_equal(tr_run_restart(run, &x, &error), TR_OK);
  assert_int_equal(tr_run_to(run, 1.5 * fall, &error), TR_OK);
  // the top of the second arc, a quarter of the height
  assert_true(fabs(tr_run_state(run)->q[0] - 0.25) < 1e-9 && fabs(tr_run_state(run)->v[0]) < 1e-9);
  // back in time, and the same again
  double top = tr_run_state(run)->q[0];
  assert_int_equal(tr_run_restart(run, &x, &error), TR_OK);
  assert_true(tr_run_state(run)->t == x.t);
  assert_int_equal(tr_run_to(run, 1.5 * fall, &error), TR_OK);
  assert_true(tr_run_state(run)->q[0] == top);
  tr_state other = {.bytes = 8};
  assert_int_equal(tr_run_restart(run, &other, &error), TR_BAD_INPUT);
  // a state that is none leaves the run where it is
  x.q[0] = NAN;
  double height = tr_run_state(run)->q[0];
  error = (tr_error){0};
  assert_int_equal(tr_run_restart(run, &x, &error), TR_BAD_INPUT);
  assert_non_null(strstr(error.text, "not finite"));
  assert_true(tr_run_state(run)->q[0] == height);
  assert_int_equal(tr_run_step(run, &error), TR_OK);
  tr_state_free(m.sys, &x);
  tr_run_free(run);
  unload(&m);
}

// What elements remember must be finite as well; a refused state does not touch the run.
static void memories_are_checked(void **unused) {
  (void)unused;
  mechanism m = load_model("clutch.yaml", NULL);
  tr_error error = {0};
  tr_run *run = new_run(m.sys, "hht-i3", 1e-3, 1), *alone = new_run(m.sys, "hht-i3", 1e-3, 1);
  assert_int_equal(tr_run_to(run, 0.3, &error), TR_OK);
  assert_int_equal(tr_run_to(alone, 0.3, &error), TR_OK);
  tr_state x = new_state(m.sys);
  assert_true(m.sys->nmem > 0);
  for (int i = 0; i < m.sys->nmem; i++) {
    tr_state_copy(&x, tr_run_state(run));
    x.mem[i] = i % 2 ? INFINITY : NAN;
    error = (tr_error){0};
    assert_int_equal(tr_run_restart(run, &x, &error), TR_BAD_INPUT);
    assert_non_null(strstr(error.text, "the state has memories that are not finite"));
    tr_run *another;
    assert_int_equal(tr_run_new(m.sys, NULL, &x, &another, &error), TR_BAD_INPUT);
  }
  assert_int_equal(tr_run_all(run, &error), TR_OK);
  assert_int_equal(tr_run_all(alone, &error), TR_OK);
  assert_memory_equal(tr_run_state(run)->block, tr_run_state(alone)->block, x.bytes);
  tr_state_free(m.sys, &x);
  tr_run_free(run);
  tr_run_free(alone);
  unload(&m);
}

// A state of a system that has other numbers of coordinates or constraints.
static void foreign_states(void **u) {
  (void)u;
  static const char *const others[] = {"pendulum.yaml", "seven_body.yaml", "heavy_top.yaml"};
  mechanism m = load_model("slider_crank.yaml", NULL);
  tr_run *run = new_run(m.sys, "hht-i3", 1e-3, 1), *another;
  for (int k = 0; k < 3; k++) {
    mechanism o = load_model(others[k], NULL);
    tr_state x = new_state(o.sys);
    tr_error error = {0};
    assert_int_equal(tr_run_restart(run, &x, &error), TR_BAD_INPUT);
    assert_non_null(strstr(error.text, "the state is of another system"));
    assert_int_equal(tr_run_new(m.sys, NULL, &x, &another, &error), TR_BAD_INPUT);
    tr_state_free(o.sys, &x);
    unload(&o);
  }
  tr_run_free(run);
  unload(&m);
}

// Times have 16 digits: late ones do not tell a short step from none.
static void late_times(void **u) {
  (void)u;
  mechanism m = load_model("slider_crank.yaml", NULL);
  tr_state x;
  tr_error error = {0};
  tr_run *run = NULL;
  assert_int_equal(tr_state_new(m.sys, &x, NULL), TR_OK);
  for (int k = 0; k < 4; k++) { // begun there, begun anew there; with a tolerance
    tr_run_settings set = tr_run_defaults();
    bool fixed = k < 2, anew = k % 2;
    set.step = 1e-3, set.end = anew ? 1 : fixed ? 1e15 : 1e12;
    if (!fixed) set.control.tol = 1e-6;
    x.t = fixed ? 1e15 : 1e12;
    assert_int_equal(tr_run_new(m.sys, &set, anew ? NULL : &x, &run, &error), TR_OK);
    if (anew) assert_int_equal(tr_run_restart(run, &x, &error), TR_OK);
    tr_status status = fixed ? tr_run_step(run, &error) : tr_run_to(run, x.t + 0.01, &error);
    assert_int_equal(status, TR_BAD_INPUT);
    assert_non_null(strstr(error.text, "lost in the round-off of times"));
    error = (tr_error){0};
    status = tr_run_to(run, x.t + (fixed ? 1 : 1000), &error);
    assert_int_equal(status, TR_BAD_INPUT);
    assert_non_null(strstr(error.text, "lost in the round-off of times"));
    assert_true(tr_run_state(run)->t == x.t && tr_run_describe(run).steps == 0);
    error = (tr_error){0};
    tr_run_free(run);
  }
  tr_state_free(m.sys, &x);
  unload(&m);
}

// Beyond the end, from where there was no way to begin with.
static void beyond_the_end(void **u) {
  (void)u;
  mechanism m = load_model("slider_crank.yaml", NULL);
  tr_error error = {0};
  tr_run *run = NULL, *plain = NULL;
  tr_run_settings set = tr_run_defaults();
  set.control.tol = 1e-6, set.end = 0.2;
  assert_int_equal(tr_run_new(m.sys, &set, NULL, &plain, &error), TR_OK);
  assert_int_equal(tr_run_all(plain, &error), TR_OK);
  set.end = 0;
  assert_int_equal(tr_run_new(m.sys, &set, NULL, &run, &error), TR_OK);
  assert_int_equal(tr_run_to(run, 0.2, &error), TR_OK);
  assert_true(tr_run_state(run)->t == 0.2);
  assert_true(tr_run_describe(run).steps < 2 * tr_run_describe(plain).steps);
  assert_true(fabs(tr_run_state(run)->q[2] - tr_run_state(plain)->q[2]) < 1e-4);
  tr_run_free(run), tr_run_free(plain);
  unload(&m);
}

// The time of steps that are made one by one, of which some are looked at: those that are not count, calls without a step
// do not.
static void time_of_single_steps(void **unused) {
  (void)unused;
  mechanism m = load_model("slider_crank.yaml", NULL);
  tr_error error = {0};
  tr_run *run = new_run(m.sys, "hht-i3", 1e-3, 1);
  for (int k = 0; k < 34; k++) assert_int_equal(tr_run_step(run, &error), TR_OK);
  for (int k = 0; k < 20; k++) {
    tr_run_info before = tr_run_describe(run);
    for (int i = 0; i < 100; i++)
      assert_int_equal(tr_run_to(run, tr_run_state(run)->t, &error), TR_OK);
    assert_true(tr_run_describe(run).cpu_s == before.cpu_s);
    assert_true(tr_run_describe(run).wall_s == before.wall_s);
    assert_int_equal(tr_run_step(run, &error), TR_OK);
    assert_true(tr_run_describe(run).wall_s > before.wall_s);
  }
  tr_run_free(run);
  unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(time_of_single_steps),
      cmocka_unit_test(restarts),
      cmocka_unit_test(foreign_states),
      cmocka_unit_test(late_times),
      cmocka_unit_test(beyond_the_end),
      cmocka_unit_test(memories_are_checked),
      cmocka_unit_test(orders),
      cmocka_unit_test(grid_ends_exactly),
      cmocka_unit_test(partial_steps_keep_the_order),
      cmocka_unit_test(observers_stop),
      cmocka_unit_test(failure_is_honest),
      cmocka_unit_test(bad_settings),
      cmocka_unit_test(same_bits),
      cmocka_unit_test(newton_budget),
      cmocka_unit_test(trend_saves_corrections),
      cmocka_unit_test(singular_start_is_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
