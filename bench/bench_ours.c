// SPDX-License-Identifier: Apache-2.0
// Our methods on the problems, through the library:
//   bench_ours PROBLEM N METHOD step=H|tol=TOL [steps=N]
// Runs of given steps are made once more, not timed, with an
// eye on the energy. steps: only so many, errors then mean nothing.
#include "ours.h"

typedef struct job {
  tr_system *system;
  tr_run_settings settings;
} job;

static const char *const observed[][7] = {{"B0.x", "B0.y", "B0.vx", "B0.vy"},
                                          {"tip.x", "tip.y", "tip.z"},
                                          {"crank.angle", "crank.omega"},
                                          {"K1.angle", "K1.omega"}};

static tr_status observe(const job *j, const tr_run *run, bench_result *r, tr_error *error) {
  double x[6] = {0};
  int channel[6], n = 0;
  tr_reader *reader = NULL;
  for (; observed[r->problem][n]; n++)
    channel[n] = tr_channel_find(j->system, observed[r->problem][n]);
  tr_status status = tr_reader_new(j->system, n, channel, &reader, error);
  if (status == TR_OK) status = tr_reader_read(reader, tr_run_state(run), x);
  tr_reader_free(reader);
  int half = n == 3 ? 3 : n / 2;
  memset(r->x, 0, sizeof r->x), memset(r->v, 0, sizeof r->v);
  memcpy(r->x, x, (size_t)half * sizeof *x);
  memcpy(r->v, x + half, (size_t)(n - half) * sizeof *x);
  if (half == n) r->v[0] = NAN;
  return status;
}

static void run(bench_result *r, const void *data) {
  const job *j = data;
  tr_error error = {0};
  tr_run *run = NULL;
  double before = bench_cpu();
  r->words = NULL;
  if (tr_run_new(j->system, &j->settings, NULL, &run, &error) != TR_OK) {
    r->words = bench_failure(&error);
    return;
  }
  double start = bench_cpu();
  r->setup_s = start - before;
  if (tr_run_all(run, &error) != TR_OK) r->words = bench_failure(&error);
  r->cpu_s = bench_cpu() - start;
  tr_run_info info = tr_run_describe(run);
  r->energy = info.max_energy_change;
  r->steps = info.steps;
  if (r->peak_kb == 0) r->peak_kb = bench_peak(); // of the first run alone, without the reader
  if (!r->words && observe(j, run, r, &error) != TR_OK) r->words = bench_failure(&error);
  if (getenv("BENCH_VERBOSE"))
    fprintf(stderr, "steps %ld rejected %ld newton %ld failures %ld matrices %ld solves %ld\n",
            info.steps, info.rejected, info.newton_iterations, info.newton_failures, info.jacobians,
            info.solves);
  tr_run_free(run);
}

static void watch_energy(job *j, bench_result *r) {
  bench_result watched = *r;
  j->settings.audit = true;
  run(&watched, j);
  r->energy = watched.energy;
}

int main(int argc, char **argv) {
  bench_give_back();
  bench_problem problem = argc > 4 ? bench_find(argv[1]) : BENCH_PROBLEMS;
  if (problem == BENCH_PROBLEMS) {
    fprintf(stderr, "bench_ours a02|chain|slider|andrews N METHOD step=H|tol=TOL [steps=N]\n");
    return 2;
  }
  tr_error error = {0};
  job j = {.settings = tr_run_defaults()};
  bool fixed = !strncmp(argv[4], "step=", 5);
  double setting = strtod(strchr(argv[4], '=') ? strchr(argv[4], '=') + 1 : "", NULL);
  char method[128];
  snprintf(method, sizeof method, "%s", argv[3]);
  for (char *p = method; *p; p++) *p = *p == ',' ? ';' : *p;
  bench_result r = {.engine = "trammel", .problem = problem, .n = atoi(argv[2])};
  r.method = method, r.setting = setting;
  j.settings.method = argv[3];
  j.settings.end = bench_end(problem);
  j.settings.audit = false;
  bool whole = true;
  for (int i = 5; i < argc; i++)
    if (!strncmp(argv[i], "steps=", 6)) j.settings.end = setting * atoi(argv[i] + 6), whole = false;
  if (fixed)
    j.settings.step = setting;
  else
    j.settings.control.tol = setting;
  double before = bench_cpu();
  const char *n = problem <= CHAIN ? argv[2] : NULL;
  if (bench_compile(bench_model(problem), n, &j.system, &error) == TR_OK) {
    before = bench_cpu() - before;
    bench_repeat(&r, run, &j);
    r.setup_s += before;
    if (!r.words && fixed && whole) watch_energy(&j, &r);
  } else {
    r.words = bench_failure(&error);
  }
  tr_system_free(j.system);
  return bench_print(&r);
}
