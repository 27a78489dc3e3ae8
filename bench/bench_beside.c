// SPDX-License-Identifier: Apache-2.0
// Methods side by side: what a step of each costs over one of the first.
//   bench_beside PROBLEM|MODEL.yaml N|- STEP SECONDS METHOD [METHOD ...]
// N: of the problem or the model's parameter, -: it has none. STEP 0: the model's. A machine that others use, too, is slow for
// milliseconds and for seconds, so whole runs one after the other say little of 15 %. Here the motion is cut into slices of
// about two milliseconds, and the methods take turns slice by slice, in rounds until SECONDS of CPU time are gone, three at
// least. What a slice costs without load is the least of its times in all rounds (it does the same to the last bit in each),
// and their sum is the run. A line for each method:
//   problem,n,method,steps,newton,matrices,us,ratio,ratio_all
// newton, matrices: of a step, nan where the method fails. ratio_all: by the sums of all times, load and all.
#include "ours.h"

enum { MOST_METHODS = 8, MOST_SLICES = 20000, LEAST_ROUNDS = 3, LEAST_STEPS = 32 };

typedef struct side {
  const char *method;
  tr_run *run;
  bool failed;
  double least[MOST_SLICES], time;
} side;

typedef struct motion {
  tr_system *system;
  tr_run_settings settings;
  double step;
  int sides, slices, steps, all; // steps: of a slice, the last may have fewer; all: of the motion
  side *side;
} motion;

static tr_status begin(motion *m, side *s, tr_error *error) {
  m->settings.method = s->method;
  tr_run_free(s->run);
  s->run = NULL;
  return tr_run_new(m->system, &m->settings, NULL, &s->run, error);
}

static tr_status walk(const motion *m, const side *s, int to, double *cpu, tr_error *error) {
  double before = bench_cpu();
  tr_status status = tr_run_to(s->run, to * m->step, error);
  *cpu = bench_cpu() - before;
  return status;
}

// Slices of two milliseconds, by the time of some steps of the first method, and not too few steps, for the end of a slice is
// work, too.
static tr_status cut(motion *m, tr_error *error) {
  tr_status status = begin(m, m->side, error);
  if (status != TR_OK) return status;
  tr_run_info info = tr_run_describe(m->side->run);
  double cpu = 0, all = floor(info.end / info.step * (1 + 1e-9));
  m->step = info.step, m->all = all < 1 ? 1 : all < 1e9 ? (int)all : 1000000000;
  int done = 0, n = 1;
  for (; done + n <= m->all && (cpu < 1.4e-3 || n <= LEAST_STEPS) && status == TR_OK;
       done += n, n *= 2)
    status = walk(m, m->side, done + n, &cpu, error);
  m->steps = n > 1 ? n / 2 : 1;
  m->slices = (m->all + m->steps - 1) / m->steps;
  if (m->slices > MOST_SLICES) m->slices = MOST_SLICES, m->all = MOST_SLICES * m->steps;
  return status;
}

// Who fails is left out from then on.
static void once_through(motion *m) {
  tr_error error;
  for (int s = 0; s < m->sides; s++)
    m->side[s].failed = m->side[s].failed || begin(m, &m->side[s], &error) != TR_OK;
  for (int i = 0; i < m->slices; i++)
    for (int s = 0; s < m->sides; s++) {
      side *x = &m->side[s];
      double cpu = 0;
      int to = (i + 1) * m->steps;
      if (x->failed) continue;
      x->failed = walk(m, x, to < m->all ? to : m->all, &cpu, &error) != TR_OK;
      x->time += cpu;
      if (x->least[i] == 0 || cpu < x->least[i]) x->least[i] = cpu;
    }
}

static void print(const motion *m, const char *name, const char *n) {
  double sum[MOST_METHODS] = {0};
  for (int s = 0; s < m->sides; s++) {
    const side *x = &m->side[s];
    if (x->failed) {
      printf("%s,%s,%s,0,nan,nan,nan,nan,nan\n", name, n, bench_words(x->method));
      continue;
    }
    for (int i = 0; i < m->slices; i++) sum[s] += x->least[i];
    tr_run_info info = tr_run_describe(x->run);
    double steps = (double)info.steps;
    printf("%s,%s,%s,%ld,%.3f,%.3f,%.4g,%.3f,%.3f\n", name, n, bench_words(x->method), info.steps,
           (double)info.newton_iterations / steps, (double)info.jacobians / steps,
           1e6 * sum[s] / steps, sum[s] / sum[0], x->time / m->side[0].time);
  }
}

int main(int argc, char **argv) {
  static side sides[MOST_METHODS];
  if (argc < 6 || argc - 5 > MOST_METHODS) {
    fprintf(stderr, "bench_beside PROBLEM|MODEL.yaml N|- STEP SECONDS METHOD [METHOD ...]\n");
    return 2;
  }
  bench_give_back();
  tr_error error = {0};
  motion m = {.settings = tr_run_defaults(), .sides = argc - 5, .side = sides};
  bench_problem problem = bench_find(argv[1]);
  const char *file = problem < BENCH_PROBLEMS ? bench_model(problem) : argv[1];
  bool sized = strcmp(argv[2], "-") != 0 && problem != SLIDER && problem != ANDREWS;
  tr_status status = bench_compile(file, sized ? argv[2] : NULL, &m.system, &error);
  if (problem < BENCH_PROBLEMS) m.settings.end = bench_end(problem);
  if (atof(argv[3]) > 0) m.settings.step = atof(argv[3]);
  m.settings.audit = false;
  for (int s = 0; s < m.sides; s++) sides[s].method = argv[5 + s];
  if (status == TR_OK) status = cut(&m, &error);
  double before = bench_cpu(), seconds = atof(argv[4]);
  for (int r = 0; status == TR_OK && (r < LEAST_ROUNDS || bench_cpu() - before < seconds); r++)
    once_through(&m);
  if (status == TR_OK)
    print(&m, argv[1], argv[2]);
  else
    fprintf(stderr, "%s\n", bench_failure(&error));
  for (int s = 0; s < m.sides; s++) tr_run_free(sides[s].run);
  tr_system_free(m.system);
  return status == TR_OK ? 0 : 1;
}
