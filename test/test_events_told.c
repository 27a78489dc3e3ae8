// SPDX-License-Identifier: Apache-2.0
// Events that only tell: found as all others are, and nobody else notices.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_events.h"

static const double SPACING = 0.0137;

// Everything that rows hold, as one number; those at events apart.
typedef struct watcher {
  tr_observer observer;
  const tr_system *sys;
  uint64_t hash;
  long rows, at_events;
  double last;
} watcher;

static void mix(uint64_t *hash, const double *x, int n) {
  const unsigned char *p = (const unsigned char *)x;
  for (size_t i = 0; i < (size_t)n * sizeof *x; i++) *hash = (*hash ^ p[i]) * 0x100000001b3u;
}

static tr_status look(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  watcher *w = (watcher *)self;
  assert_true(x->t >= w->last); // rows come in order
  w->last = x->t;
  w->at_events += info->at_event;
  // the row of an event at a sampling time stands for the sample
  bool both = w->observer.spacing > 0 && fabs(x->t - 3 * SPACING) < 1e-9;
  if (info->at_event || both) return TR_OK;
  tr_system_info n = tr_system_describe(w->sys);
  mix(&w->hash, &x->t, 1);
  mix(&w->hash, x->q, n.nq), mix(&w->hash, x->v, n.nv);
  mix(&w->hash, x->a, n.nv), mix(&w->hash, x->lam, n.nc);
  w->rows++;
  return TR_OK;
}

// A model with more events: name, when, touch or NULL, ...
static tr_system *compile_with(const char *file, const char *const *events) {
  char name[100];
  tr_error error = {0};
  tr_model *model;
  tr_system *sys;
  snprintf(name, sizeof name, "models/%s.yaml", file);
  assert_int_equal(tr_model_new(NULL, &model), TR_OK);
  tr_status status = tr_model_read_file(model, name, &error);
  if (status == TR_OK && !strcmp(file, "four_bar_chain"))
    status = tr_model_set(model, "N", "12", &error); // large enough for the sparse solver
  for (int i = 0; status == TR_OK && events && events[i]; i += 3) {
    const tr_arg args[] = {{.key = "when", .text = events[i + 1]},
                           {.key = "message", .text = "told"},
                           {.key = events[i + 2] ? "touch" : NULL, .text = events[i + 2]},
                           {0}};
    status = tr_model_add(model, "events", events[i], args, &error);
  }
  if (status != TR_OK || tr_compile(model, &sys, &error) != TR_OK) fail_msg("%s", error.text);
  tr_model_free(model);
  return sys;
}

typedef struct outcome {
  tr_run_info info;
  watcher every, sampled;
} outcome;

static outcome go(const tr_system *sys, const char *method, double end, double tol, bool audit) {
  outcome o = {0};
  tr_error error = {0};
  tr_run *run;
  tr_run_settings s = tr_run_defaults();
  s.method = method, s.end = end, s.control.tol = tol, s.audit = audit;
  if (tr_run_new(sys, &s, NULL, &run, &error) != TR_OK) fail_msg("%s: %s", method, error.text);
  o.every = (watcher){.observer = {.step = look}, .sys = sys, .hash = 1};
  o.sampled = (watcher){.observer = {.step = look, .spacing = SPACING}, .sys = sys, .hash = 1};
  tr_run_observe(run, &o.every.observer), tr_run_observe(run, &o.sampled.observer);
  if (tr_run_all(run, &error) != TR_OK) fail_msg("%s: %s", method, error.text);
  o.info = tr_run_describe(run);
  tr_run_free(run);
  return o;
}

// Steps, states, samples and counters, bit by bit, by every method, fixed and controlled.
static void test_bits(void **state) {
  (void)state;
  static const struct {
    const char *model, *when;
    double end;
  } cases[] = {
      {"slider_crank", "VY(rod)", 0.4},      {"four_bar_chain", "sin(90*DX(upright_0))", 0.05},
      {"heavy_top", "VZ(top)", 0.2},         {"rolling_coin", "sin(40*DX(coin))", 0.1},
      {"sarrus", "sin(300*time)*2", 0.1},    {"inverted_pendulum_pid", "VX(cart)", 0.4},
      {"bouncing_ball", "VY(ball)", 1.3},    {"latch", "sin(9*AZ(door))", 1.7},
      {"clutch", "WZ(load) - 12 rad/s", 1.0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *const events[] = {"told_start",  "time",
                                  NULL, //
                                  "told",        cases[i].when,
                                  NULL, //
                                  "told_often",  "sin(100*time)",
                                  NULL, //
                                  "told_sample", "time - 3*0.0137",
                                  NULL, //
                                  "told_touch",  "1 - cos(70*time)",
                                  "1e-6",        NULL};
    tr_system *plain = compile_with(cases[i].model, NULL);
    tr_system *watched = compile_with(cases[i].model, events);
    for (int m = 0; m < tr_method_count(); m++)
      for (int k = 0; k < 3; k++) {
        if (!in_turn(m + (int)i, k, 6)) continue;
        const char *method = tr_method_describe(m).name;
        double tol = k == 1 ? 1e-4 : 0;
        outcome a = go(plain, method, cases[i].end, tol, k < 2);
        outcome b = go(watched, method, cases[i].end, tol, k < 2);
        if (a.every.hash != b.every.hash || a.every.rows != b.every.rows)
          fail_msg("%s by %s, %d: steps differ, %ld and %ld rows", cases[i].model, method, k,
                   a.every.rows, b.every.rows);
        if (a.sampled.hash != b.sampled.hash || a.sampled.rows != b.sampled.rows)
          fail_msg("%s by %s, %d: samples differ, %ld and %ld", cases[i].model, method, k,
                   a.sampled.rows, b.sampled.rows);
        assert_int_equal(a.info.steps, b.info.steps);
        assert_int_equal(a.info.rejected, b.info.rejected);
        assert_int_equal(a.info.newton_iterations, b.info.newton_iterations);
        assert_int_equal(a.info.residuals, b.info.residuals);
        assert_int_equal(a.info.factorisations, b.info.factorisations);
        if (b.info.events < a.info.events + 3)
          fail_msg("%s by %s, %d: %ld events", cases[i].model, method, k, b.info.events);
      }
    tr_system_free(plain), tr_system_free(watched);
  }
}

// Several in one step, by every method: each in its time, with a row of its own.
static void test_times(void **state) {
  (void)state;
  const char *const events[] = {"tick", "sin(1000*time)", NULL, "tock", "cos(1000*time)", NULL,
                                NULL};
  tr_system *sys = compile_with("slider_crank", events);
  for (int m = 0; m < tr_method_count(); m++)
    for (int k = 0; k < 2; k++) {
      const char *method = tr_method_describe(m).name;
      tr_error error = {0};
      tr_run *run = start_run(sys, method, 1e-3, k ? 1e-4 : 0);
      watcher w = {.observer = {.step = look}, .sys = sys};
      tr_run_observe(run, &w.observer);
      if (tr_run_to(run, 0.1, &error) != TR_OK) fail_msg("%s: %s", method, error.text);
      long n = tr_run_describe(run).events;
      // steps of 1e-3 are below the distance of two; those under control may pass over some
      if (k == 0) assert_int_equal(n, 64);
      assert_true(n > 8);
      for (long i = 1; i < n; i++) { // the first is at the start
        tr_event_record e = tr_run_event(run, i);
        double phase = 1000 * e.t / (0.5 * acos(-1));
        assert_near(phase, nearbyint(phase), 1e-10, "%s: event %ld", method, i);
        assert_string_equal(e.name, lrint(phase) % 2 ? "tock" : "tick");
        assert_true(e.t > tr_run_event(run, i - 1).t);
        assert_true(e.before == e.after);
      }
      assert_int_equal(w.at_events, n - 1);
      tr_run_free(run);
    }
  tr_system_free(sys);
}

// ---- no number --------------------------------------------------------------------------------------

// A point that comes from x = -1 with speed 2.
static void test_no_number(void **state) {
  (void)state;
  static const struct {
    const char *events, *error; // NULL: it runs
  } cases[] = {
      {"  e: {message: x,\n      when: log(-DX(p)/(1 m))}\n",
       "m.yaml:6:13: event \"e\": its expression is not a finite number (nan) at t = 0.5 s\n"},
      {"  e: {when: log(-DX(p)/(1 m)) - log(0.1), message: x}\n",
       "m.yaml:5:13: event \"e\": its expression is not a finite number (nan) at t = 0.5 s\n"},
      {"  e: {when: log(-DX(p)/(1 m)) - log(0.1), stop: yes}\n", NULL},
      {"  e: {when: log(-DX(p)/(1 m)) - log(0.1), once: yes, message: x}\n", NULL},
      {"  e: {when: \"1/time\", message: x}\n",
       "m.yaml:5:13: event \"e\": its expression is not a finite number (inf) at t = 0 s\n"},
      {"  e: {when: time - 0.3, set: {k: sqrt(DX(p)/(1 m))}}\n",
       "m.yaml:5:3: event \"e\" at t = 0.3 s: sets \"k\" to what is not a finite number (nan)\n"},
      {"  e: {when: time - 0.3, set: {k: -1}}\n  f: {when: \"sqrt(k) - 3\", message: x}\n",
       "m.yaml:6:13: event \"f\": its expression is not a finite number (nan) at t = 0.3 s\n"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "parameters: {k: 1}\n"
             "bodies: {p: {type: planar-point, mass: 1, position: [-1, 0], velocity: [2, 0]}}\n"
             "events:\n%ssimulation: {end: 1, step: 0.07}\n",
             cases[i].events);
    tr_system *sys = system_of_text(text);
    for (int m = 0; m < tr_method_count(); m++) {
      tr_error error = {0};
      tr_run *run = start_run(sys, tr_method_describe(m).name, NAN, m % 2 ? 1e-6 : 0);
      tr_status status = tr_run_all(run, &error);
      if (cases[i].error)
        assert_int_equal(status, TR_FAILED);
      else
        assert_true(status == TR_OK || status == TR_STOPPED);
      assert_string_equal(error.text, cases[i].error ? cases[i].error : "");
      if (strstr(cases[i].events, "0.1"))
        assert_near(tr_run_event(run, 0).t, 0.45, 1e-12, "case %zu", i);
      tr_run_free(run);
    }
    tr_system_free(sys);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bits),
      cmocka_unit_test(test_times),
      cmocka_unit_test(test_no_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
