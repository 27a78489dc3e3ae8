// SPDX-License-Identifier: Apache-2.0
// Work against precision on one model: every method over tolerances, and IDA with our equations.
//   bench_precision MODEL.yaml [end=T] [methods=A;B;ida] [NAME=VALUE ..]
// prints lines of  method,tol,steps,cpu_ms,error  and, as comments, the reference and what failed.
//
// Error: the largest over all positions and orientations of the bodies at the end, relative to the larger
// of 1 and the largest of them. Reference: radau5 at 1e-12; the comment tells its distance from ggl-bdf of
// order 5 (on curved coordinates from radau5 at 1e-11). Times: CPU, the median of three. A method's
// ladder ends when a run has taken more than 0.2 s.
// IDA needs flat coordinates: spatial bodies get Euler parameters for it. It gets no models with states, drives in
// time or constraints on velocities.
#include <trammel/trammel.h>

#include "bench.h"
#ifdef BENCH_IDA
#include "peers/ggl_trammel.h"
#include "peers/ida_solve.h"
#endif

enum { MOST = 20000 };
static const double FIRST = 1e-3, LAST = 0.9e-10, ENOUGH = 0.2; // of tolerances, seconds

typedef struct problem {
  tr_system *sys;
  tr_reader *reader;
  double end;
  int channels;
} problem;

// ---- the model ------------------------------------------------------------------------------------

static bool ends_in(const char *name, const char *const *ends) {
  const char *dot = strrchr(name, '.');
  for (; dot && *ends; ends++)
    if (!strcmp(dot + 1, *ends)) return true;
  return false;
}

static bool begins_with_body(const tr_system *sys, const char *name) {
  char probe[200]; // bodies have a velocity beside, markers too: both will do
  snprintf(probe, sizeof probe, "%.*s.vx", (int)strcspn(name, "."), name);
  return tr_channel_find(sys, probe) >= 0;
}

static tr_status choose_channels(problem *p, tr_error *error) {
  static const char *const ends[] = {"x", "y", "z", "angle", "e0", "e1", "e2", "e3", NULL};
  static int channel[MOST];
  char name[200];
  int n = tr_channel_count(p->sys);
  for (int i = 0; i < n && p->channels < MOST; i++) {
    tr_channel_name(p->sys, i, name, sizeof name);
    if (ends_in(name, ends) && begins_with_body(p->sys, name)) channel[p->channels++] = i;
  }
  return tr_reader_new(p->sys, p->channels, channel, &p->reader, error);
}

// The text of a model, flat: spatial bodies get coordinates, on a line of their own if their type has one.
static char *read_text(const char *path, bool flat) {
  const char *what = "type: spatial", *more = "coordinates: euler-parameters";
  enum { ROOM = 1 << 19 };
  FILE *f = fopen(path, "r");
  char *text = calloc(1, ROOM), *out = calloc(4, ROOM), *to = out;
  const char *line = text;
  if (f && text && out && fread(text, 1, ROOM - 1, f) > 0)
    for (const char *s = text; *s;) {
      if (flat && !strncmp(s, what, strlen(what)) && s[strlen(what)] != '-') {
        s += strlen(what);
        if (*s == '\n')
          to += sprintf(to, "%s\n%*s%s", what, (int)strspn(line, " "), "", more);
        else
          to += sprintf(to, "%s, %s", what, more);
      } else {
        if (*s == '\n') line = s + 1;
        *to++ = *s++;
      }
    }
  if (f) fclose(f);
  free(text);
  return out;
}

static tr_status make(problem *p, int argc, char **argv, bool flat, tr_error *error) {
  tr_model *model = NULL;
  char *text = read_text(argv[1], flat);
  tr_status status = text ? tr_model_new(NULL, &model) : TR_BAD_INPUT;
  if (status == TR_OK) status = tr_model_read_text(model, text, strlen(text), argv[1], error);
  for (int i = 2; status == TR_OK && i < argc; i++) {
    char name[100];
    const char *value = strchr(argv[i], '=');
    if (!value || !strncmp(argv[i], "end=", 4) || !strncmp(argv[i], "methods=", 8)) continue;
    snprintf(name, sizeof name, "%.*s", (int)(value - argv[i]), argv[i]);
    status = tr_model_set(model, name, value + 1, error);
  }
  if (status == TR_OK) status = tr_compile(model, &p->sys, error);
  tr_model_free(model);
  free(text);
  if (status != TR_OK) return status;
  p->end = tr_system_simulation(p->sys).end;
  for (int i = 2; i < argc; i++)
    if (!strncmp(argv[i], "end=", 4)) p->end = atof(argv[i] + 4);
  return choose_channels(p, error);
}

// ---- runs -----------------------------------------------------------------------------------------

// NULL: done, else why not.
static const char *run_once(const problem *p, const char *method, double tol, bench_result *r,
                            double *at_end) {
  tr_error error = {0};
  tr_run_settings s = tr_run_defaults();
  tr_run *run = NULL;
  s.method = method, s.end = p->end, s.control.tol = tol, s.audit = false;
  tr_status status = tr_run_new(p->sys, &s, NULL, &run, &error);
  double cpu = bench_cpu();
  if (status == TR_OK) status = tr_run_all(run, &error);
  r->cpu_s = bench_cpu() - cpu;
  if (run) r->steps = tr_run_describe(run).steps;
  if (status == TR_OK) tr_reader_read(p->reader, tr_run_state(run), at_end);
  tr_run_free(run);
  return status == TR_OK ? NULL : bench_words(error.text);
}

static double distance(int n, const double *a, const double *b) {
  double most = 0, scale = 1;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i])), scale = fmax(scale, fabs(b[i]));
  return most / scale;
}

static double median(double a, double b, double c) { return fmax(fmin(a, b), fmin(fmax(a, b), c)); }

typedef const char *runner(const problem *p, const char *method, double tol, bench_result *r,
                           double *at_end);

static void climb(const problem *p, const char *method, runner *run, const double *reference,
                  double *x) {
  for (double tol = FIRST; tol > LAST; tol /= 10) {
    bench_result r = {0};
    const char *words = run(p, method, tol, &r, x);
    if (words) {
      printf("# %s at %.1e: %s\n", method, tol, words);
      if (r.steps == 0) return; // it has no error control
      continue;
    }
    double error = distance(p->channels, x, reference), cpu[3] = {r.cpu_s, r.cpu_s, r.cpu_s};
    for (int i = 1; i < 3 && r.cpu_s < ENOUGH; i++) {
      run(p, method, tol, &r, x);
      cpu[i] = r.cpu_s;
    }
    r.cpu_s = median(cpu[0], cpu[1], cpu[2]);
    printf("%s,%.3g,%ld,%.4g,%.3e\n", method, tol, r.steps, 1e3 * r.cpu_s, error);
    fflush(stdout);
    if (r.cpu_s > ENOUGH) return;
  }
}

#ifdef BENCH_IDA
static const char *run_ida(const problem *p, const char *method, double tol, bench_result *r,
                           double *at_end) {
  tr_state x;
  ida_options o = {.tol = tol, .order = 5, .motion = 1, .amd = 1, .newton = 0.033, .end = p->end};
  if (tr_state_new(p->sys, &x, NULL) != TR_OK) return "no memory";
  ggl *g = NULL;
  (void)method;
  if (tr_consistent_start(p->sys, &x, NULL, NULL) == TR_OK) g = ggl_of_system(p->sys, &x);
  double *y = g ? calloc((size_t)g->n, sizeof *y) : NULL;
  r->words = "equations that the driver for IDA does not write";
  if (y) {
    ida_solve(r, g, &o, y);
    memcpy(x.q, y, (size_t)g->nq * sizeof *y);
    memcpy(x.v, y + g->nq, (size_t)g->nq * sizeof *y);
    x.t = p->end;
    tr_reader_read(p->reader, &x, at_end);
  }
  free(y);
  ggl_of_system_free(g);
  tr_state_free(p->sys, &x);
  return r->words;
}
#endif

// Whether a method is wanted: all, or those listed.
static bool wanted(int argc, char **argv, const char *method) {
  size_t k = strlen(method);
  for (int i = 2; i < argc; i++) {
    if (strncmp(argv[i], "methods=", 8) != 0) continue;
    for (const char *s = argv[i] + 8;; s++) {
      if (!strncmp(s, method, k) && (s[k] == 0 || s[k] == ';')) return true;
      if (!(s = strchr(s, ';'))) return false;
    }
  }
  return true;
}

static int fail(const tr_error *error, const char *path) {
  fprintf(stderr, "%s\n", error->text[0] ? error->text : path);
  return 1;
}

int main(int argc, char **argv) {
  static double reference[MOST], x[MOST];
  tr_error error = {0};
  problem p = {0};
  bench_result r = {0};
  if (argc < 2 || make(&p, argc, argv, false, &error) != TR_OK) return fail(&error, argv[1]);
  const char *words = run_once(&p, "radau5", 1e-12, &r, reference);
  if (words) printf("# reference: %s\n", words);
  const char *other = run_once(&p, "ggl-bdf:order=5", 1e-11, &r, x);
  printf("# reference: radau5 at 1e-12, ggl-bdf:order=5 at 1e-11 differs by %.1e%s\n",
         distance(p.channels, x, reference), other ? other : "");
  other = run_once(&p, "radau5", 1e-11, &r, x);
  printf("# radau5 at 1e-11 by %.1e%s\n", distance(p.channels, x, reference), other ? other : "");
  for (int i = 0; i < tr_method_count(); i++) {
    const char *method = tr_method_describe(i).name;
    if (wanted(argc, argv, method)) climb(&p, method, run_once, reference, x);
  }
  if (wanted(argc, argv, "ggl-bdf:order=5")) climb(&p, "ggl-bdf:order=5", run_once, reference, x);
#ifdef BENCH_IDA
  problem flat = {0};
  if (wanted(argc, argv, "ida") && make(&flat, argc, argv, true, &error) == TR_OK)
    climb(&flat, "ida", run_ida, reference, x);
  if (error.text[0]) printf("# ida: %s\n", bench_words(error.text));
  tr_reader_free(flat.reader);
  tr_system_free(flat.sys);
#endif
  tr_reader_free(p.reader);
  tr_system_free(p.sys);
  return words ? 1 : 0;
}
