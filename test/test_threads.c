// SPDX-License-Identifier: Apache-2.0
// One constant system, several threads: each has a run of its own and gets what a lone run gets, bit by
// bit; and one run of a large system by a team, which gives the same bits for any number of threads. Built with
// the thread sanitizer too.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/team.h"
#include "helper_mechanics.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
enum { THREADS = 4, STEPS = SANITIZED ? 40 : 150 };

// A life in one thread. cmocka's assertions belong to the main thread, so the outcome is kept.
typedef struct job {
  tr_observer observer;
  const tr_system *sys;
  const char *method;
  uint64_t hash;
  tr_status status;
  double energy, tol;
  int threads, steps, found; // found: threads that there were
} job;

static tr_status mix(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  job *j = (job *)self;
  (void)info;
  const unsigned char *byte = (const unsigned char *)x->block;
  for (size_t i = 0; i < x->bytes; i++) j->hash = (j->hash ^ byte[i]) * 1099511628211u;
  return TR_OK;
}

static void *work(void *argument) {
  job *j = argument;
  tr_run_settings s = tr_run_defaults();
  tr_run *run = NULL;
  tr_reader *reader = NULL;
  int channel = tr_channel_find(j->sys, "energy.total");
  s.method = j->method;
  s.step = tr_system_simulation(j->sys).step;
  s.end = (j->steps > 0 ? j->steps : STEPS) * s.step;
  s.threads = j->threads != 0 ? j->threads : 1;
  s.control.tol = j->tol;
  j->hash = 14695981039346656037u;
  j->status = tr_run_new(j->sys, &s, NULL, &run, NULL);
  if (j->status == TR_OK) j->status = tr_run_observe(run, &j->observer);
  if (j->status == TR_OK) j->status = tr_run_all(run, NULL);
  if (j->status == TR_OK) j->found = tr_run_describe(run).threads;
  if (j->status == TR_OK) j->status = tr_reader_new(j->sys, 1, &channel, &reader, NULL);
  if (j->status == TR_OK) j->status = tr_reader_read(reader, tr_run_state(run), &j->energy);
  tr_reader_free(reader);
  tr_run_free(run);
  return NULL;
}

static job make_job(const tr_system *sys, int k) {
  return (job){
      .observer = {.step = mix}, .sys = sys, .method = k % 2 ? "newmark" : "hht-i3:alpha=-0.1"};
}

static void threads_share_a_system(void **u) {
  (void)u;
  int models = 0, differ = 0; // some motions are exact by any method
  for (const char *const *name = shipped_models(); *name; name++) {
    mechanism m = load_model(*name, NULL);
    job alone[2], together[THREADS];
    pthread_t thread[THREADS];
    for (int k = 0; k < 2; k++) {
      alone[k] = make_job(m.sys, k);
      work(&alone[k]);
      assert_int_equal(alone[k].status, TR_OK);
    }
    models++, differ += alone[0].hash != alone[1].hash;
    for (int k = 0; k < THREADS; k++) {
      together[k] = make_job(m.sys, k);
      assert_int_equal(pthread_create(&thread[k], NULL, work, &together[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) assert_int_equal(pthread_join(thread[k], NULL), 0);
    for (int k = 0; k < THREADS; k++) {
      assert_int_equal(together[k].status, TR_OK);
      assert_true(together[k].hash == alone[k % 2].hash);
      assert_true(together[k].energy == alone[k % 2].energy);
    }
    unload(&m);
  }
  assert_true(differ > models / 2);
}

// ---- teams ------------------------------------------------------------------------------------------

typedef struct tally {
  int count[1000], range[1000];
} tally;

static void tick(void *what, int i) { ((tally *)what)->count[i]++; }

static void tick_range(void *what, int i, int first, int end) {
  for (int k = first; k < end; k++) ((tally *)what)->count[k]++, ((tally *)what)->range[k] = i;
}

// Everything is done once, by one thread, in one piece each.
static void teams_do_all_of_it(void **u) {
  (void)u;
  for (int threads = 1; threads <= 5; threads++) {
    tr_team *team = NULL;
    assert_int_equal(tr_team_new(NULL, threads, &team), TR_OK);
    assert_int_equal(tr_team_size(team), threads);
    assert_true((team == NULL) == (threads == 1));
    for (int again = 0; again < 200; again++) {
      tally t = {0};
      int n = 5 * again;
      tr_team_share(team, n, tick, &t);
      for (int i = 0; i < 1000; i++) assert_int_equal(t.count[i], i < n);
      tr_team_ranges(team, 1000 - n, 3, tick_range, &t);
      for (int i = 0; i < 1000; i++) assert_int_equal(t.count[i], (i < n) + (i < 1000 - n));
      for (int i = 1; i < 1000 - n; i++)
        assert_true(t.range[i] == t.range[i - 1] || (t.range[i] > t.range[i - 1] && i % 3 == 0));
    }
    tr_team_free(team);
  }
}

// Rods on ball joints and springs, some stiff, that tie neighbours and every tenth rod to ground.
static const char stiff_mix[] =
    "trammel: 1\n"
    "name: stiff mix\n"
    "gravity: [0, 0, -9.81]\n"
    "repeat:\n"
    "  - for: i\n"
    "    from: 1\n"
    "    to: 1100\n"
    "    bodies:\n"
    "      rod_{i}: {type: spatial, mass: 0.1 kg, inertia: [1e-4, 2e-4, 2e-4], position: [0.1*i, "
    "0, 0]}\n"
    "  - for: i\n"
    "    from: 1\n"
    "    to: 1099\n"
    "    joints:\n"
    "      ball_{i}: {type: spherical, bodies: [\"rod_{i}\", \"rod_{i+1}\"], at: [0.1*i + 0.05, 0, "
    "0]}\n"
    "    forces:\n"
    "      tie_{i}: {type: spring-damper, markers: [{body: \"rod_{i}\", at: [0, 0.02, 0]}, {body: "
    "\"rod_{i+1}\", at: [0, 0.02, 0]}], stiffness: 10^(4 + 2*sin(i)), damping: 1}\n"
    "  - for: i\n"
    "    from: 1\n"
    "    to: 110\n"
    "    forces:\n"
    "      hang_{i}: {type: spring-damper, markers: [{at: [i, 0, 0.5]}, {body: \"rod_{10*i}\"}], "
    "stiffness: 50, damping: 1}\n"
    "simulation: {end: 1 s, step: 1 ms, method: hht-i3}\n";

// A tree of rods on ball joints, four branches at every end, whose leaves are tied to each other in a ring.
static const char tree_with_loops[] =
    "trammel: 1\n"
    "name: tree with loops\n"
    "parameters: {K: 4, L: 0.1 m, m: 0.1 kg}\n"
    "gravity: [3, 2, -9]\n"
    "bodies:\n"
    "  rod_0_0: {type: spatial, mass: m, inertia: [1e-4, 1e-4, 2e-5], position: [0, 0, -L/2]}\n"
    "joints:\n"
    "  root: {type: spherical, bodies: [ground, rod_0_0], at: [0, 0, 0]}\n"
    "repeat:\n"
    "  - for: k\n"
    "    from: 1\n"
    "    to: K\n"
    "    repeat:\n"
    "      - for: i\n"
    "        to: 4^k - 1\n"
    "        bodies:\n"
    "          rod_{k}_{i}: {type: spatial, mass: m, inertia: [1e-4, 1e-4, 2e-5], position: [0, 0, "
    "-(k "
    "+ 0.5)*L]}\n"
    "        joints:\n"
    "          ball_{k}_{i}: {type: spherical, bodies: [\"rod_{k-1}_{floor(i/4)}\", "
    "\"rod_{k}_{i}\"], at: [0, 0, -k*L]}\n"
    "  - for: i\n"
    "    to: 4^K - 2\n"
    "    joints:\n"
    "      link_{i}: {type: distance, length: 0.02 m, markers: [{body: \"rod_{K}_{i}\", at: [0.01, "
    "0, "
    "-L/2]}, {body: \"rod_{K}_{i+1}\", at: [-0.01, 0, -L/2]}]}\n"
    "simulation: {end: 1 s, step: 1 ms, method: hht-i3}\n";

// Runs of `steps` steps, or of that time with a tolerance, by one thread and by teams of 2 to `most`; forced: also where
// a team does not pay. team: there is one.
typedef struct contest {
  const char *method;
  int steps, most;
  double tol;
  bool forced, team;
} contest;

static void assert_same_bits(const mechanism *m, contest c) {
  job one = {.observer = {.step = mix}, .sys = m->sys, .method = c.method, .steps = c.steps};
  one.tol = c.tol;
  job many = one;
  work(&one);
  if (one.status != TR_OK) fail_msg("%s: status %d", c.method, one.status);
  assert_int_equal(one.found, 1);
  for (int threads = 2; threads <= c.most; threads++) {
    many.threads = c.forced ? -threads : threads;
    work(&many);
    if (many.status != TR_OK) fail_msg("%s, %d threads: %d", c.method, threads, many.status);
    assert_int_equal(many.found, c.team ? threads : 1);
    if (many.hash != one.hash || many.energy != one.energy)
      fail_msg("%s, tol %g: other bits with %d threads", c.method, c.tol, threads);
  }
}

static void teams_give_the_same_bits(void **u) {
  (void)u;
  static const struct {
    const char *file, *set;
    int steps;
    bool team;
  } large[] = {{"rod_chain.yaml", "N=1200", 10, true},
               {"swinging_tree.yaml", "K=10", 4, false},
               {"rod_net.yaml", "N=24", 4, true},
               {"four_bar_chain.yaml", "N=600", 10, false}};
  for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
    const char *set[] = {large[i].set, NULL};
    if (SANITIZED && !large[i].team) continue; // one thread
    mechanism m = load_model(large[i].file, set);
    int steps = SANITIZED ? 2 : large[i].steps;
    contest c = {"hht-i3:alpha=-0.1", steps, SANITIZED ? 3 : 4, 0, false, large[i].team};
    assert_same_bits(&m, c);
    c.method = "hht-si2:alpha=-0.1", c.steps = SANITIZED ? 3 : c.steps / 2; // predicted on its way
    assert_same_bits(&m, c);
    unload(&m);
  }
  if (SANITIZED) return;
  mechanism m = load_text(stiff_mix);
  assert_same_bits(&m, (contest){"hht-i3", 5, 4, 0, false, false});
  assert_same_bits(&m, (contest){"newmark", 3, 4, 0, false, false});
  unload(&m);
}

// Every method, whether or not a team pays: with steps of one length and with a tolerance. Sanitizers, which take their
// time, see a part of it.
static void all_methods_give_the_same_bits(void **u) {
  (void)u;
  static const struct {
    const char *file, *set, *text;
    int steps;
  } models[] = {{"rod_chain.yaml", "N=320", NULL, 5},      {NULL, NULL, tree_with_loops, 2},
                {"rod_net.yaml", "N=14", NULL, 3},         {"swinging_tree.yaml", "K=8", NULL, 3},
                {"four_bar_chain.yaml", "N=150", NULL, 5}, {NULL, NULL, stiff_mix, 2}};
  int count = SANITIZED ? 1 : (int)(sizeof models / sizeof *models);
  for (int i = 0; i < count; i++) {
    const char *set[] = {models[i].set, NULL};
    mechanism m = models[i].file ? load_model(models[i].file, set) : load_text(models[i].text);
    int steps = SANITIZED ? 1 : models[i].steps;
    for (int k = 0; k < tr_method_count(); k++) {
      const char *name = tr_method_describe(k).name;
      bool dense = !strcmp(name, "cs") || !strcmp(name, "cm"); // of a full matrix
      if (dense && (SANITIZED || tr_system_describe(m.sys).nv > 1000)) continue;
      assert_same_bits(&m, (contest){name, steps, SANITIZED ? 2 : 3, 0, true, true});
      assert_same_bits(&m, (contest){name, steps, 2, 1e-4, true, true});
    }
    assert_same_bits(&m, (contest){"gen-alpha:index=2", steps, 2, 0, true, true});
    assert_same_bits(&m, (contest){"nstiff-si2:metric=identity", steps, 2, 0, true, true});
    unload(&m);
  }
}

// Sums over more than one chunk.
static void long_sums_give_the_same_bits(void **u) {
  (void)u;
  static const char *const methods[] = {"hht-i3", "hht-si2", "ggl-bdf:order=5", "radau5"};
  const char *set[] = {"N=1200", NULL};
  mechanism m = load_model("rod_chain.yaml", set);
  for (int k = 0; k < (SANITIZED ? 3 : 4); k++)
    assert_same_bits(&m, (contest){methods[k], 3, SANITIZED ? 2 : 4, 1e-4, false, true});
  unload(&m);
}

// A small one is left to one.
static void small_runs_have_no_team(void **u) {
  (void)u;
  mechanism m = load_model("slider_crank.yaml", NULL);
  job j = {.observer = {.step = mix}, .sys = m.sys, .method = "hht-i3", .threads = 4};
  work(&j);
  assert_int_equal(j.status, TR_OK);
  assert_int_equal(j.found, 1);
  unload(&m);
}

// Models are read and compiled side by side: no global state there either.
typedef struct build {
  const char *file;
  tr_status status;
  tr_system_info info;
} build;

static void *read_and_compile(void *argument) {
  build *b = argument;
  tr_model *model = NULL;
  tr_system *sys = NULL;
  char file[512];
  snprintf(file, sizeof file, "%s/models/%s", SOURCE_DIR, b->file);
  b->status = tr_model_new(NULL, &model);
  if (b->status == TR_OK) b->status = tr_model_read_file(model, file, NULL);
  if (b->status == TR_OK) b->status = tr_compile(model, &sys, NULL);
  if (b->status == TR_OK) b->info = tr_system_describe(sys);
  tr_system_free(sys);
  tr_model_free(model);
  return NULL;
}

static void threads_compile(void **u) {
  (void)u;
  static const char *const files[THREADS] = {"slider_crank.yaml", "rod_chain.yaml",
                                             "slider_crank.yaml", "seven_body.yaml"};
  build b[THREADS];
  pthread_t thread[THREADS];
  for (int k = 0; k < THREADS; k++) {
    b[k] = (build){.file = files[k]};
    assert_int_equal(pthread_create(&thread[k], NULL, read_and_compile, &b[k]), 0);
  }
  for (int k = 0; k < THREADS; k++) assert_int_equal(pthread_join(thread[k], NULL), 0);
  for (int k = 0; k < THREADS; k++) {
    build again = {.file = files[k]};
    read_and_compile(&again);
    assert_int_equal(b[k].status, TR_OK);
    assert_int_equal(b[k].info.nv, again.info.nv);
    assert_int_equal(b[k].info.nnz, again.info.nnz);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_share_a_system),
      cmocka_unit_test(threads_compile),
      cmocka_unit_test(teams_do_all_of_it),
      cmocka_unit_test(teams_give_the_same_bits),
      cmocka_unit_test(small_runs_have_no_team),
      cmocka_unit_test(all_methods_give_the_same_bits),
      cmocka_unit_test(long_sums_give_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
