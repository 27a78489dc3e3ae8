// SPDX-License-Identifier: Apache-2.0
// Work against precision on one model: every method over tolerances, and IDA with our equations.
//   bench_precision MODEL.yaml [end=T] [methods=A;B;ida] [enough=S] [tol=X] [NAME=VALUE ..]
// prints lines of  method,tol,steps,cpu_ms,error  and, as comments, the reference and what failed. tol: one run of each
// method at this tolerance and no reference, to be counted.
//
// Error: the largest over all positions and orientations of the bodies at 20 times that divide the run, relative to the larger
// of 1 and the largest of them; methods interpolate. Reference: radau5 at 1e-12; the comment tells its distance from
// ggl-bdf of order 5 and from radau5 at 1e-11. Times: CPU, the median of five, in rounds through all methods and tolerances. A
// method's ladder ends when a run has taken more than 0.2 s, or `enough`; such a run is not repeated.
// IDA has a tenth of its coefficient for Newton's test and AMD (ida), its own (ida:newton=0.33), or COLAMD
// (ida:ordering=colamd); multipliers are out of all tests. It needs flat coordinates: spatial bodies get Euler parameters for it. It gets no models with events, or laws
// that read reactions.
#include <trammel/trammel.h>

#include "bench.h"
#ifdef BENCH_IDA
#include "peers/ggl_trammel.h"
#include "peers/ida_solve.h"
#endif

enum { MOST = 20000, SAMPLES = 20 };
static const double FIRST = 1e-3, LAST = 0.9e-10; // of tolerances

typedef struct problem {
  tr_system *sys;
  tr_reader *reader;
  double end, enough, tol; // tol > 0: the only one
  int channels;
  bool *turn; // (channels) the first of four Euler parameters, known up to their sign
} problem;

static size_t numbers(const problem *p) { return (size_t)SAMPLES * (size_t)p->channels; }

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
  if (!(p->turn = calloc(MOST, sizeof *p->turn))) return TR_NO_MEMORY;
  for (int i = 0; i < n && p->channels < MOST; i++) {
    tr_channel_name(p->sys, i, name, sizeof name);
    if (!ends_in(name, ends) || !begins_with_body(p->sys, name)) continue;
    p->turn[p->channels] = ends_in(name, (const char *const[]){"e0", NULL});
    channel[p->channels++] = i;
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

static bool is_own(const char *option) {
  static const char *const own[] = {"end=", "methods=", "enough=", "tol="};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (!strncmp(option, own[i], strlen(own[i]))) return true;
  return false;
}

static tr_status make(problem *p, int argc, char **argv, bool flat, tr_error *error) {
  tr_model *model = NULL;
  char *text = read_text(argv[1], flat);
  tr_status status = text ? tr_model_new(NULL, &model) : TR_BAD_INPUT;
  if (status == TR_OK) status = tr_model_read_text(model, text, strlen(text), argv[1], error);
  for (int i = 2; status == TR_OK && i < argc; i++) {
    char name[100];
    const char *value = strchr(argv[i], '=');
    if (!value || is_own(argv[i])) continue;
    snprintf(name, sizeof name, "%.*s", (int)(value - argv[i]), argv[i]);
    status = tr_model_set(model, name, value + 1, error);
  }
  if (status == TR_OK) status = tr_compile(model, &p->sys, error);
  tr_model_free(model);
  free(text);
  if (status != TR_OK) return status;
  p->end = tr_system_simulation(p->sys).end, p->enough = 0.2;
  for (int i = 2; i < argc; i++) {
    if (!strncmp(argv[i], "end=", 4)) p->end = atof(argv[i] + 4);
    if (!strncmp(argv[i], "enough=", 7)) p->enough = atof(argv[i] + 7);
    if (!strncmp(argv[i], "tol=", 4)) p->tol = atof(argv[i] + 4);
  }
  return choose_channels(p, error);
}

// ---- runs -----------------------------------------------------------------------------------------

// Reads positions where a run divides into samples.
typedef struct sampler {
  tr_observer observer;
  const problem *p;
  double *x; // (SAMPLES x channels)
} sampler;

static tr_status sample(tr_observer *self, const tr_state *state, const tr_run_info *info) {
  const sampler *s = (const sampler *)self;
  int k = (int)lround(state->t / s->p->end * SAMPLES);
  (void)info;
  if (k < 1 || k > SAMPLES) return TR_OK;
  return tr_reader_read(s->p->reader, state, s->x + (size_t)(k - 1) * (size_t)s->p->channels);
}

// NULL: done, else why not.
static const char *run_once(const problem *p, const char *method, double tol, bench_result *r,
                            double *x) {
  tr_error error = {0};
  tr_run_settings s = tr_run_defaults();
  sampler to = {{sample, .spacing = p->end / SAMPLES, .motion_only = true}, p, x};
  tr_run *run = NULL;
  s.method = method, s.end = p->end, s.control.tol = tol, s.audit = false, s.threads = 1;
  memset(x, 0, numbers(p) * sizeof *x);
  tr_status status = tr_run_new(p->sys, &s, NULL, &run, &error);
  if (status == TR_OK) status = tr_run_observe(run, &to.observer);
  double cpu = bench_cpu();
  if (status == TR_OK) status = tr_run_all(run, &error);
  r->cpu_s = bench_cpu() - cpu;
  if (run) {
    tr_run_info i = tr_run_describe(run);
    r->steps = i.steps;
    if (getenv("BENCH_VERBOSE"))
      fprintf(stderr,
              "%s %g: steps %ld rejected %ld (newton %ld) corrections %ld residuals %ld matrices "
              "%ld factors %ld solves %ld\n",
              method, tol, i.steps, i.rejected, i.newton_failures, i.newton_iterations, i.residuals,
              i.jacobians, i.factorisations, i.solves);
    if (status == TR_OK) // the last sample is no multiple of the spacing, by round-off
      tr_reader_read(p->reader, tr_run_state(run), x + numbers(p) - p->channels);
  }
  tr_run_free(run);
  return status == TR_OK ? NULL : bench_words(error.text);
}

// |a - b| of Euler parameters, whichever way round.
static double turned(const double *a, const double *b) {
  double plus = 0, minus = 0;
  for (int i = 0; i < 4; i++)
    plus = fmax(plus, fabs(a[i] - b[i])), minus = fmax(minus, fabs(a[i] + b[i]));
  return fmin(plus, minus);
}

static double distance(const problem *p, const double *a, const double *b) {
  double most = 0, scale = 1;
  for (int k = 0; k < SAMPLES; k++, a += p->channels, b += p->channels)
    for (int i = 0; i < p->channels; i++) {
      scale = fmax(scale, fabs(b[i]));
      most = fmax(most, p->turn[i] ? turned(a + i, b + i) : fabs(a[i] - b[i]));
      if (p->turn[i]) i += 3;
    }
  return most / scale;
}

typedef const char *runner(const problem *p, const char *method, double tol, bench_result *r,
                           double *x);

// A run that was done, to be done again.
enum { ROUNDS = 5, JOBS = 1000 };
typedef struct job {
  const problem *p;
  const char *method;
  runner *run;
  double tol, error, cpu[ROUNDS];
  long steps;
  int count;
} job;
static job jobs[JOBS];
static int job_count;

// The first round.
static void climb(const problem *p, const char *method, runner *run, const double *reference,
                  double *x) {
  double tol = p->tol > 0 ? p->tol : FIRST, last = p->tol > 0 ? 0 : LAST;
  for (; tol > last; tol = p->tol > 0 ? 0 : tol / 10) {
    if (job_count == JOBS) {
      printf("# %s at %.1e: one run too many\n", method, tol);
      return;
    }
    bench_result r = {0};
    const char *words = run(p, method, tol, &r, x);
    if (words) {
      printf("# %s at %.1e: %s\n", method, tol, words);
      if (r.steps == 0) return; // it has no error control
      continue;
    }
    jobs[job_count++] =
        (job){p, method, run, tol, distance(p, x, reference), {r.cpu_s}, r.steps, 1};
    if (r.cpu_s > p->enough) return;
  }
}

static void repeat_all(double *x) {
  for (int round = 1; round < ROUNDS; round++)
    for (job *j = jobs; j < jobs + job_count; j++) {
      bench_result r = {0};
      if (j->cpu[0] > j->p->enough || j->p->tol > 0) continue;
      if (!j->run(j->p, j->method, j->tol, &r, x)) j->cpu[j->count++] = r.cpu_s;
    }
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print_all(void) {
  for (job *j = jobs; j < jobs + job_count; j++) {
    qsort(j->cpu, (size_t)j->count, sizeof *j->cpu, by_size);
    printf("%s,%.3g,%ld,%.4g,%.3e\n", j->method, j->tol, j->steps, 1e3 * j->cpu[j->count / 2],
           j->error);
  }
}

#ifdef BENCH_IDA
typedef struct onlooker {
  const problem *p;
  const ggl *g;
  tr_state *state;
  double *x;
} onlooker;

static void look(void *who, int k, double t, const double *y) {
  const onlooker *l = who;
  ggl_state_of(l->g, t, y, l->state);
  tr_reader_read(l->p->reader, l->state, l->x + (size_t)k * (size_t)l->p->channels);
}

static const char *run_ida(const problem *p, const char *method, double tol, bench_result *r,
                           double *x) {
  tr_state start;
  if (tr_state_new(p->sys, &start, NULL) != TR_OK) return "no memory";
  ggl *g = NULL;
  if (tr_consistent_start(p->sys, &start, NULL, NULL) == TR_OK) g = ggl_of_system(p->sys, &start);
  ida_options o = {.tol = tol, .order = 5, .motion = 1, .end = p->end};
  o.newton = strstr(method, "newton=0.33") ? 0.33 : 0.033, o.amd = !strstr(method, "colamd");
  o.samples = SAMPLES, o.see = look, o.who = &(onlooker){p, g, &start, x};
  r->words = "equations that the driver for IDA does not write";
  memset(x, 0, numbers(p) * sizeof *x);
  if (g) ida_solve(r, g, &o);
  ggl_of_system_free(g);
  tr_state_free(p->sys, &start);
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

static void free_problem(problem *p) {
  tr_reader_free(p->reader);
  tr_system_free(p->sys);
  free(p->turn);
}

// false: there is none.
static bool find_reference(const problem *p, double *reference, double *x) {
  bench_result r = {0};
  const char *words = run_once(p, "radau5", 1e-12, &r, reference);
  if (words) printf("# reference: %s\n", words);
  bool found = !words;
  words = run_once(p, "ggl-bdf:order=5", 1e-11, &r, x);
  printf("# reference: radau5 at 1e-12, ggl-bdf:order=5 at 1e-11 differs by %.1e%s\n",
         distance(p, x, reference), words ? words : "");
  words = run_once(p, "radau5", 1e-11, &r, x);
  printf("# radau5 at 1e-11 by %.1e%s\n", distance(p, x, reference), words ? words : "");
  return found;
}

// flat: room for the model as IDA gets it
static void climb_all(const problem *p, problem *flat, int argc, char **argv,
                      const double *reference, double *x) {
  for (int i = 0; i < tr_method_count(); i++) {
    const char *method = tr_method_describe(i).name;
    if (wanted(argc, argv, method)) climb(p, method, run_once, reference, x);
  }
  if (wanted(argc, argv, "ggl-bdf:order=5")) climb(p, "ggl-bdf:order=5", run_once, reference, x);
#ifdef BENCH_IDA
  static const char *const settings[] = {"ida", "ida:newton=0.33", "ida:ordering=colamd"};
  enum { SETTINGS = sizeof settings / sizeof *settings };
  tr_error error = {0};
  bool any = false;
  for (int i = 0; i < SETTINGS; i++) any |= wanted(argc, argv, settings[i]);
  if (any && make(flat, argc, argv, true, &error) == TR_OK)
    for (int i = 0; i < SETTINGS; i++)
      if (wanted(argc, argv, settings[i])) climb(flat, settings[i], run_ida, reference, x);
  if (error.text[0]) printf("# ida: %s\n", bench_words(error.text));
#else
  (void)flat;
#endif
}

int main(int argc, char **argv) {
  tr_error error = {0};
  problem p = {0}, flat = {0};
  if (argc < 2 || make(&p, argc, argv, false, &error) != TR_OK) return fail(&error, argv[1]);
  double *reference = calloc(numbers(&p), sizeof *reference), *x = calloc(numbers(&p), sizeof *x);
  bool fine = reference && x && (p.tol > 0 || find_reference(&p, reference, x));
  if (reference && x) climb_all(&p, &flat, argc, argv, reference, x), repeat_all(x), print_all();
  free(reference), free(x);
  free_problem(&p), free_problem(&flat);
  return fine ? 0 : 1;
}
