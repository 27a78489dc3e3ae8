// SPDX-License-Identifier: Apache-2.0
// Our methods on the problems, through the library:
//   bench_ours PROBLEM N METHOD step=H|tol=TOL [audit] [steps=N]
// Run from the root of the source tree, where the models are. audit: the energy is watched, and the
// time is that of the steps alone as the library counts it. steps: only so many, errors then mean nothing.
#include <malloc.h>

#include <trammel/trammel.h>

#include "bench.h"

typedef struct job {
  tr_system *system;
  tr_run_settings settings;
  tr_reader *reader;
  int channels;
} job;

static const char *const models[] = {"models/four_bar_chain.yaml", "models/rod_chain.yaml",
                                     "bench/slider.yaml", "models/seven_body.yaml"};
static const char *const observed[][7] = {{"B0.x", "B0.y", "B0.vx", "B0.vy"},
                                          {"tip.x", "tip.y", "tip.z"},
                                          {"crank.angle", "crank.omega"},
                                          {"K1.angle", "K1.omega"}};

static const char *plain(const tr_error *error) {
  return bench_words(error->text[0] ? error->text : tr_status_text(error->status));
}

static tr_status make(job *j, bench_problem problem, const char *n, tr_error *error) {
  tr_model *model = NULL;
  tr_status status = tr_model_new(NULL, &model);
  if (status == TR_OK) status = tr_model_read_file(model, models[problem], error);
  if (status == TR_OK && problem <= CHAIN) status = tr_model_set(model, "N", n, error);
  if (status == TR_OK) status = tr_compile(model, &j->system, error);
  tr_model_free(model);
  int channel[6];
  for (j->channels = 0; status == TR_OK && observed[problem][j->channels]; j->channels++)
    channel[j->channels] = tr_channel_find(j->system, observed[problem][j->channels]);
  return status == TR_OK ? tr_reader_new(j->system, j->channels, channel, &j->reader, error)
                         : status;
}

static void observe(const job *j, const tr_run *run, bench_result *r) {
  double x[6] = {0};
  int half = j->channels == 3 ? 3 : j->channels / 2;
  tr_reader_read(j->reader, tr_run_state(run), x);
  memset(r->x, 0, sizeof r->x), memset(r->v, 0, sizeof r->v);
  memcpy(r->x, x, (size_t)half * sizeof *x);
  memcpy(r->v, x + half, (size_t)(j->channels - half) * sizeof *x);
  if (half == j->channels) r->v[0] = NAN;
}

static void run(bench_result *r, const void *data) {
  const job *j = data;
  tr_error error = {0};
  tr_run *run = NULL;
  double before = bench_cpu();
  r->words = NULL;
  if (tr_run_new(j->system, &j->settings, NULL, &run, &error) != TR_OK) {
    r->words = plain(&error);
    return;
  }
  double start = bench_cpu();
  r->setup_s = start - before;
  if (tr_run_all(run, &error) != TR_OK) r->words = plain(&error);
  r->cpu_s = bench_cpu() - start;
  tr_run_info info = tr_run_describe(run);
  if (j->settings.audit) r->cpu_s = info.cpu_s;
  r->energy = info.max_energy_change;
  r->steps = info.steps;
  observe(j, run, r);
  if (getenv("BENCH_VERBOSE"))
    fprintf(stderr, "steps %ld rejected %ld newton %ld failures %ld matrices %ld solves %ld\n",
            info.steps, info.rejected, info.newton_iterations, info.newton_failures, info.jacobians,
            info.solves);
  tr_run_free(run);
}

int main(int argc, char **argv) {
  mallopt(M_MMAP_THRESHOLD,
          128 * 1024); // arrays that are freed go back to the system, as with the command
  bench_problem problem = argc > 4 ? bench_find(argv[1]) : BENCH_PROBLEMS;
  if (problem == BENCH_PROBLEMS) {
    fprintf(stderr, "bench_ours a02|chain|slider|andrews N METHOD step=H|tol=TOL [audit]\n");
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
  for (int i = 5; i < argc; i++) {
    if (!strcmp(argv[i], "audit")) j.settings.audit = true;
    if (!strncmp(argv[i], "steps=", 6)) j.settings.end = setting * atoi(argv[i] + 6);
  }
  if (fixed)
    j.settings.step = setting;
  else
    j.settings.control.tol = setting;
  double before = bench_cpu();
  if (make(&j, problem, argv[2], &error) == TR_OK) {
    before = bench_cpu() - before;
    bench_repeat(&r, run, &j);
    r.setup_s += before;
  } else {
    r.words = plain(&error);
  }
  tr_reader_free(j.reader);
  tr_system_free(j.system);
  return bench_print(&r);
}
