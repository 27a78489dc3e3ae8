// SPDX-License-Identifier: Apache-2.0
// What all drivers share: the problems' reference values, the clock, and the line of results.
//
// A driver runs one problem with one setting and prints one line of comma-separated values,
//   engine,problem,n,method,setting,steps,cpu_s,setup_s,error,error_v,energy,peak_kb,words
// cpu_s: process CPU time from the first to the last step, the median over repetitions that fill
// BENCH_SECONDS; setup_s: all before it. error, error_v: of the observed point at the end and of its
// velocity. energy: |E - E0|, of ours the largest, of others at the end. words: why a run failed, else empty; a run
// that failed has no error.
//
// Observed:  A02 the point B0 at 10 s    CHAIN the tip at 1 s
//            SLIDER theta(10), omega(10) ANDREWS beta(0.03), beta'(0.03)
#ifndef BENCH_H
#define BENCH_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef enum bench_problem { A02, CHAIN, SLIDER, ANDREWS, BENCH_PROBLEMS } bench_problem;

typedef struct bench_result {
  const char *engine, *method;
  bench_problem problem;
  int n;
  double setting; // step or tolerance
  long steps;
  double cpu_s, setup_s, energy;
  long peak_kb;      // 0: of the whole process
  double x[3], v[3]; // observed at the end; v[0] NaN: not observed
  const char *words; // NULL: all is well
} bench_result;

static inline const char *bench_name(bench_problem p) {
  static const char *const name[] = {"a02", "chain", "slider", "andrews"};
  return name[p];
}

// BENCH_PROBLEMS: there is none of that name.
static inline bench_problem bench_find(const char *name) {
  int p = 0;
  while (p < BENCH_PROBLEMS && strcmp(name, bench_name((bench_problem)p)) != 0) p++;
  return (bench_problem)p;
}

static inline double bench_end(bench_problem p) {
  static const double end[] = {10, 1, 10, 0.03};
  return end[p];
}

static inline double bench_cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Seconds to fill with repetitions of one run.
static inline double bench_seconds(void) {
  const char *text = getenv("BENCH_SECONDS");
  return text ? atof(text) : 0;
}

// ---- references -----------------------------------------------------------------------------------

// A02: all uprights turn alike, couplers do not turn, so one angle is left:
//   ((N + 1)/3 + N) L theta'' = -((N + 1)/2 + N) g cos(theta),   theta(0) = pi/2, theta'(0) = -1
// by a Runge-Kutta of order 4, 200,000 steps in long double.
static inline void bench_four_bars(int n, double *x, double *v) {
  long double k = -9.81L * ((n + 1) / 2.0L + n) / ((n + 1) / 3.0L + n), h = 10 / 2e5L;
  long double a = acosl(0), w = -1;
  for (long i = 0; i < 200000; i++) {
    long double a1 = w, w1 = k * cosl(a);
    long double a2 = w + h / 2 * w1, w2 = k * cosl(a + h / 2 * a1);
    long double a3 = w + h / 2 * w2, w3 = k * cosl(a + h / 2 * a2);
    long double a4 = w + h * w3, w4 = k * cosl(a + h * a3);
    a += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    w += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
  }
  x[0] = (double)cosl(a), x[1] = (double)sinl(a), x[2] = 0;
  v[0] = (double)(-sinl(a) * w), v[1] = (double)(cosl(a) * w), v[2] = 0;
}

// NaN where no reference is known.
static inline void bench_reference(bench_problem p, int n, double *x, double *v) {
  x[0] = x[1] = x[2] = v[0] = v[1] = v[2] = 0;
  switch (p) {
    case A02: bench_four_bars(n, x, v); return;
    case SLIDER: x[0] = -1.121203702476, v[0] = 7.618726848920; return;
    case ANDREWS: // Test Set for IVP Solvers, recomputed in quadruple precision
      x[0] = 15.81077119515370709711939, v[0] = 1139.920302259106064198097;
      return;
    default: break;
  }
  v[0] = NAN;
  if (n == 10)
    x[0] = -0.897239457, x[2] = -0.148580260;
  else if (n == 100)
    x[0] = 7.534103850, x[2] = -4.905;
  else if (n == 1000) // IDA at 1e-8 and hht-i3 extrapolated from h = 1e-3, 5e-4 agree to 2e-8
    x[0] = 99.03696402, x[2] = -4.905;
  else if (n == 10000) // hht-i3 extrapolated likewise: the two differ by 6e-7
    x[0] = 999.56477196, x[2] = -4.905;
  else
    x[0] = NAN;
}

// Velocities count relative to the largest of the motion.
static inline double bench_speed(bench_problem p) {
  static const double speed[] = {8, 8, 12, 1100};
  return speed[p];
}

static inline double bench_distance(const double *a, const double *b) {
  return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

// One line without commas, kept for the result.
static inline const char *bench_words(const char *text) {
  static char words[300];
  size_t n = 0;
  for (; text[n] && n + 1 < sizeof words; n++)
    words[n] = (char)(text[n] == ',' || text[n] == '\n' ? ';' : text[n]);
  words[n] = 0;
  return words;
}

// ---- results --------------------------------------------------------------------------------------

static inline long bench_peak(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss;
}

static inline int bench_print(const bench_result *r) {
  double x[3], v[3], error = NAN, error_v = NAN;
  bench_reference(r->problem, r->n, x, v);
  if (!r->words) error = bench_distance(x, r->x), error_v = bench_distance(v, r->v);
  printf("%s,%s,%d,%s,%.6g,%ld,%.6g,%.6g,%.3e,%.3e,%.3e,%ld,%s\n", r->engine,
         bench_name(r->problem), r->n, r->method, r->setting, r->steps, r->cpu_s, r->setup_s, error,
         error_v / bench_speed(r->problem), r->energy, r->peak_kb ? r->peak_kb : bench_peak(),
         r->words ? r->words : "");
  return r->words ? 1 : 0;
}

static inline int bench_compare(const void *a, const void *b) {
  double d = *(const double *)a - *(const double *)b;
  return (d > 0) - (d < 0);
}

// Runs until BENCH_SECONDS are filled or a run fails; the median of cpu_s. run: fills r for one run.
static inline void bench_repeat(bench_result *r, void (*run)(bench_result *r, const void *data),
                                const void *data) {
  enum { MOST = 1001 };
  static double cpu[MOST];
  double sum = 0;
  int n = 0;
  do {
    run(r, data);
    sum += cpu[n++] = r->cpu_s;
  } while (!r->words && n < MOST && sum + 0.5 * r->cpu_s < bench_seconds());
  qsort(cpu, (size_t)n, sizeof *cpu, bench_compare);
  r->cpu_s = cpu[n / 2];
}

#endif
