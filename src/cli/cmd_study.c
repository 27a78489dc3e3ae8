// SPDX-License-Identifier: Apache-2.0
// trammel study: many runs of one model; tables and figures into a directory.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "study.h"

enum {
  METHODS,
  STEPS,
  END,
  SET,
  ERROR,
  LAM,
  REFERENCE,
  OUTPUT,
  JOINT,
  AT,
  REPEATS,
  THREADS,
  ITERATIONS,
  TOL,
  AS_GIVEN,
  ZERO_START,
  OUT,
  JSON,
  QUIET
};

static const option options_study[] = {
    [METHODS] = {"methods", 'm', "LIST", "methods, separated by ;  (default: all)"},
    [STEPS] = {"steps", 0, "LIST", "step sizes: 2^-6,2^-7,... or 2^-6..2^-11 (halving)"},
    [END] = {"end", 0, "TIME", "end of the runs"},
    [SET] = {"set", 's', "NAME=VALUE", "value of a parameter of the model (repeatable)"},
    [ERROR] = {"error", 0, "max|end", "errors: the largest over time (default), or at the end"},
    [LAM] = {"lam", 0, "native|recomputed", "multipliers: the method's, or from the states"},
    [REFERENCE] = {"reference", 0, "FILE", "a CSV table (t, quantities) instead of a computed one"},
    [OUTPUT] = {"output", 0, "PATTERN", "errors of these quantities only (repeatable)"},
    [JOINT] = {"joint", 0, "NAME", "drift: joint of the phase plot"},
    [AT] = {"at", 0, "equilibrium|start", "stability: where the model is linearised"},
    [REPEATS] = {"repeats", 0, "N", "cost, work-precision: measurements of each time (5)"},
    [THREADS] = {"threads", 'j', "N", "threads (default: all cores); times are taken one by one"},
    [ITERATIONS] = {"newton-iterations", 0, "K", "exactly K full Newton iterations a step"},
    [TOL] = {"newton-tol", 0, "X", "tolerance of Newton's method"},
    [AS_GIVEN] = {"no-consistent-start", 0, NULL, "start from the data as written"},
    [ZERO_START] = {"zero-start", 0, NULL, "accelerations and multipliers 0 at the start"},
    [OUT] = {"out", 'o', "DIR", "where the results go (out/study/KIND-MODEL)"},
    [JSON] = {"json", 0, NULL, "the tables as one JSON object on standard output"},
    [QUIET] = {"quiet", 'q', NULL, "no progress line, no summary"},
    {0},
};

// Options that some studies alone know what to do with.
static const struct {
  int option;
  unsigned kinds;
} particular[] = {
    {ERROR, 1u << TR_STUDY_CONVERGENCE | 1u << TR_STUDY_WORK_PRECISION},
    {LAM, 1u << TR_STUDY_CONVERGENCE | 1u << TR_STUDY_WORK_PRECISION},
    {REFERENCE, 1u << TR_STUDY_CONVERGENCE | 1u << TR_STUDY_WORK_PRECISION},
    {OUTPUT, 1u << TR_STUDY_CONVERGENCE | 1u << TR_STUDY_WORK_PRECISION},
    {JOINT, 1u << TR_STUDY_DRIFT},
    {AT, 1u << TR_STUDY_STABILITY},
    {REPEATS, 1u << TR_STUDY_COST | 1u << TR_STUDY_WORK_PRECISION},
};

typedef struct request {
  const command *command;
  const char *kind_name, *path, *out, *reference;
  tr_study_kind kind;
  tr_study_settings settings;
  double newton_tol; // NaN: the study's own
  char *method_text; // cut up in place
  const char **method, **set, **output;
  double *step;
  int sets;
  bool json, quiet;
  unsigned given; // options, by number
} request;

// ---- options ----------------------------------------------------------------------------------------

static char *trim(char *text) {
  while (*text == ' ') text++;
  size_t n = strlen(text);
  while (n > 0 && text[n - 1] == ' ') text[--n] = '\0';
  return text;
}

static bool take_methods(request *r, const char *text) {
  int n = 1;
  for (const char *p = text; *p; p++) n += *p == ';';
  free(r->method_text), free(r->method);
  r->method_text = strdup(text);
  r->method = calloc((size_t)n, sizeof *r->method);
  if (!r->method_text || !r->method) return false;
  r->settings.methods = 0;
  char *p = r->method_text;
  for (int i = 0; i < n; i++) {
    size_t length = strcspn(p, ";");
    char *next = p + length + (p[length] == ';');
    p[length] = '\0';
    char *name = trim(p);
    if (*name) r->method[r->settings.methods++] = name;
    p = next;
  }
  r->settings.method = r->method;
  if (r->settings.methods > 0) return true;
  usage_error(r->command, "--methods %s: which ones?", text);
  return false;
}

enum { MOST_STEPS = 200 };

static bool add_step(request *r, double h) {
  if (r->settings.steps == MOST_STEPS) {
    usage_error(r->command, "--steps: at most %d", MOST_STEPS);
    return false;
  }
  r->step[r->settings.steps++] = h;
  return true;
}

// "a" or "a..b", halving from the larger to the smaller.
static bool take_step(request *r, char *text) {
  double a, b;
  char *dots = strstr(text, "..");
  if (dots) *dots = '\0';
  if (!take_positive(r->command, "steps", trim(text), TR_TIME, &a)) return false;
  if (!dots) return add_step(r, a);
  if (!take_positive(r->command, "steps", trim(dots + 2), TR_TIME, &b)) return false;
  if (b > a) {
    double x = a;
    a = b, b = x;
  }
  for (; a >= b * (1 - 1e-9); a *= 0.5)
    if (!add_step(r, a)) return false;
  return true;
}

// At commas outside parentheses.
static bool take_steps(request *r, const char *text) {
  char *copy = strdup(text), *part = copy;
  int depth = 0;
  bool fine = copy != NULL;
  r->settings.steps = 0;
  r->settings.step = r->step;
  for (char *p = copy; fine; p++) {
    char c = *p;
    depth += (c == '(') - (c == ')');
    if (c != '\0' && (c != ',' || depth > 0)) continue;
    *p = '\0';
    fine = take_step(r, part);
    part = p + 1;
    if (c == '\0') break;
  }
  free(copy);
  return fine;
}

// One of two words.
static bool take_word_of(const request *r, const char *name, const char *value, const char *no,
                         const char *yes, bool *out) {
  *out = strcmp(value, yes) == 0;
  if (*out || strcmp(value, no) == 0) return true;
  usage_error(r->command, "--%s %s: must be %s or %s", name, value, no, yes);
  return false;
}

static bool take_option(request *r, int i, const char *value) {
  tr_study_settings *s = &r->settings;
  const command *c = r->command;
  switch (i) {
    case METHODS: return take_methods(r, value);
    case STEPS: return take_steps(r, value);
    case END: return take_positive(c, "end", value, TR_TIME, &s->end);
    case SET: r->set[r->sets++] = value; return true;
    case ERROR: return take_word_of(r, "error", value, "max", "end", &s->at_end);
    case LAM: return take_word_of(r, "lam", value, "native", "recomputed", &s->recompute);
    case REFERENCE: r->reference = value; return true;
    case OUTPUT: r->output[s->outputs++] = value; return true;
    case JOINT: s->joint = value; return true;
    case AT: return take_word_of(r, "at", value, "equilibrium", "start", &s->at_start);
    case REPEATS: return take_count(c, "repeats", value, &s->repeats);
    case THREADS: return take_count(c, "threads", value, &s->threads);
    case ITERATIONS: return take_count(c, "newton-iterations", value, &s->newton_iterations);
    case TOL: return take_positive(c, "newton-tol", value, TR_NUMBER, &r->newton_tol);
    case AS_GIVEN: return s->start_as_given = true;
    case ZERO_START: return s->zero_start = true;
    case OUT: r->out = value; return true;
    case JSON: return r->json = true;
    case QUIET: return r->quiet = true;
    default: return false;
  }
}

static int find_kind(request *r) {
  const char *names[TR_STUDY_KINDS + 1] = {0};
  if (!r->kind_name)
    return usage_error(r->command, "which study? usage: trammel study %s", r->command->usage);
  for (int k = 0; k < TR_STUDY_KINDS; k++) {
    names[k] = tr_study_name((tr_study_kind)k);
    if (strcmp(names[k], r->kind_name) != 0) continue;
    r->kind = (tr_study_kind)k;
    return -1;
  }
  const char *near = nearest(r->kind_name, names);
  if (near) return usage_error(r->command, "no study \"%s\"; did you mean %s?", r->kind_name, near);
  return usage_error(r->command, "no study \"%s\"; trammel study --help lists them", r->kind_name);
}

static int refuse_others(const request *r) {
  for (size_t k = 0; k < sizeof particular / sizeof *particular; k++) {
    int i = particular[k].option;
    if (r->given >> i & 1u && !(particular[k].kinds >> r->kind & 1u))
      return usage_error(r->command, "study %s takes no --%s", r->kind_name, options_study[i].name);
  }
  return -1;
}

static void print_kinds(void) {
  printf("\nkinds:\n");
  for (int k = 0; k < TR_STUDY_KINDS; k++)
    printf("  %-16s %s\n", tr_study_name((tr_study_kind)k), tr_study_doc((tr_study_kind)k));
}

// -1: go on, else the exit code.
static int read_request(request *r, int argc, char **argv) {
  options o = {.command = r->command, .argc = argc, .argv = argv};
  for (int i; (i = next_option(&o)) != OPTION_END;) {
    if (i == OPTION_HELP) return print_help(r->command), print_kinds(), EXIT_OK;
    bool fine;
    if (i == OPTION_WORD)
      fine = take_word(&o, r->kind_name ? &r->path : &r->kind_name);
    else
      fine = i >= 0 && take_option(r, i, o.value);
    if (!fine) return EXIT_USAGE;
    if (i >= 0) r->given |= 1u << i;
  }
  r->settings.output = r->output;
  int code = find_kind(r);
  return code < 0 ? refuse_others(r) : code;
}

// ---- progress ---------------------------------------------------------------------------------------

typedef struct line {
  tr_study_progress progress;
  bool shown, drawn;
} line;

static tr_status look(tr_study_progress *self, double share, const char *what) {
  line *l = (line *)self;
  if (was_interrupted()) return TR_STOPPED;
  if (!l->shown) return TR_OK;
  fprintf(stderr, "\r%5.1f %%  %s\033[K", 100 * share, what);
  fflush(stderr);
  l->drawn = true;
  return TR_OK;
}

// ---- the study --------------------------------------------------------------------------------------

// Where results go: the option, or out/study/KIND-MODEL.
static bool find_directory(const request *r, char *dir, size_t size) {
  const char *stem = strrchr(r->path, '/');
  stem = stem ? stem + 1 : r->path;
  if (r->out)
    snprintf(dir, size, "%s", r->out);
  else
    snprintf(dir, size, "out/study/%s-%.*s", r->kind_name, (int)strcspn(stem, "."), stem);
  return make_directory(dir); // refuses what was cut off
}

static int run_study(request *r, loaded *l, const char *dir) {
  line bar = {.progress = {look}, .shown = !r->quiet && isatty(STDERR_FILENO)};
  tr_study *study = NULL;
  tr_csv_table *reference = NULL;
  tr_error error = {0};
  r->settings.progress = &bar.progress;
  r->settings.model = model_name(l->system, r->path);
  catch_interrupts();
  tr_status status = TR_OK;
  if (r->reference) status = tr_csv_read(r->reference, &reference, &error);
  r->settings.reference = reference;
  if (status == TR_OK) status = tr_study_run(l->system, r->kind, &r->settings, &study, &error);
  if (bar.drawn) fputs("\r\033[K", stderr);
  if (status == TR_OK) status = study_write(&study->page, dir, r->kind_name, &error);
  int code = exit_code(status);
  if (status == TR_STOPPED) {
    complain("interrupted");
  } else if (status != TR_OK) {
    if (error.status == TR_OK) error.status = status;
    print_error(&error);
    if (r->json) json_failure(r->path, &error);
    if (status == TR_BAD_INPUT) code = EXIT_USAGE;
  } else if (r->json) {
    study_json(&study->page, r->kind_name, model_name(l->system, r->path), r->path, dir);
  } else if (!r->quiet) {
    study_text(&study->page, r->kind_name, dir);
  }
  tr_study_free(study);
  tr_csv_table_free(reference);
  return code;
}

static int run(const command *self, int argc, char **argv) {
  request r = {.command = self, .newton_tol = NAN};
  r.settings = tr_study_defaults(TR_STUDY_CONVERGENCE);
  loaded l = {0};
  r.set = calloc((size_t)argc + 1, sizeof *r.set);
  r.output = calloc((size_t)argc + 1, sizeof *r.output);
  r.step = calloc(MOST_STEPS, sizeof *r.step);
  int code = r.set && r.output && r.step ? read_request(&r, argc, argv) : EXIT_NUMERIC;
  if (code < 0) {
    code = load(self, r.path, r.sets, r.set, r.json, &l);
    double usual = tr_study_defaults(r.kind).newton_tol;
    r.settings.newton_tol = isnan(r.newton_tol) ? usual : r.newton_tol;
    char dir[DIRECTORY_SIZE];
    if (code == EXIT_OK)
      code = find_directory(&r, dir, sizeof dir) ? run_study(&r, &l, dir) : EXIT_FILE;
  }
  unload(&l);
  free(r.set), free(r.output), free(r.step), free(r.method), free(r.method_text);
  return code;
}

const command command_study = {
    "study", "KIND MODEL.yaml [OPTIONS]",
    "compares methods on a model: tables (CSV, Markdown) and figures (SVG)", options_study, run};
