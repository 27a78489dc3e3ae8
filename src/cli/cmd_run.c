// SPDX-License-Identifier: Apache-2.0
// trammel run: a model in, a table and a summary out.
//
// Whatever ends the run (the end, a failure, Ctrl-C), the table keeps what was computed and the
// summary is printed. With --json standard output holds one object and nothing else.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

enum {
  METHOD,
  STEP,
  END,
  TOLERANCE,
  VELOCITIES,
  MULTIPLIERS,
  RULE,
  FIRST_STEP,
  MIN_STEP,
  MAX_STEP,
  SET,
  OUT,
  OUT_EVERY,
  OUTPUT,
  ITERATIONS,
  TOL,
  AS_GIVEN,
  ZERO_START,
  REDUNDANT,
  RECOMPUTE,
  NO_AUDIT,
  THREADS,
  JSON,
  FINAL,
  QUIET
};

static const option options_run[] = {
    [METHOD] = {"method", 'm', "NAME[:KEY=VALUE,...]", "integrator, e.g. hht-i3:alpha=-0.3"},
    [STEP] = {"step", 0, "TIME", "size of all steps, e.g. 2^-10 or \"1 ms\""},
    [END] = {"end", 0, "TIME", "end of the simulation"},
    [TOLERANCE] = {"tol", 0, "X", "control the error, e.g. 1e-5, instead of --step"},
    [VELOCITIES] = {"tol-velocities", 0, NULL, "with --tol: the error of velocities counts too"},
    [MULTIPLIERS] = {"tol-multipliers", 0, NULL, "with --tol: the error of multipliers counts too"},
    [RULE] = {"control", 0, "RULE", "with --tol: pi (default) or gnp05"},
    [FIRST_STEP] = {"first-step", 0, "TIME", "with --tol: the first one, and after each event"},
    [MIN_STEP] = {"min-step", 0, "TIME", "with --tol: give up below it"},
    [MAX_STEP] = {"max-step", 0, "TIME", "with --tol: no step longer than that"},
    [SET] = {"set", 's', "NAME=VALUE", "value of a parameter of the model (repeatable)"},
    [OUT] = {"out", 'o', "FILE", "write a CSV table; - is standard output"},
    [OUT_EVERY] = {"out-every", 0, "N|TIME",
                   "a row every N steps, or every TIME (\"10 ms\", 0.01)"},
    [OUTPUT] = {"output", 0, "PATTERN",
                "columns instead of the model's choice, also of --final and --json (repeatable)"},
    [ITERATIONS] = {"newton-iterations", 0, "K", "exactly K full Newton iterations a step"},
    [TOL] = {"newton-tol", 0, "X", "tolerance of Newton's method; --tol brings its own"},
    [AS_GIVEN] = {"no-consistent-start", 0, NULL, "start from the data as written"},
    [ZERO_START] = {"zero-start", 0, NULL,
                    "accelerations and multipliers 0 at the start, not the true ones"},
    [REDUNDANT] = {"redundant", 0, "POLICY",
                   "constraints that repeat others: least-norm, remove or fail"},
    [RECOMPUTE] = {"recompute", 0, NULL,
                   "accelerations and reactions from the equations at each output (index 1)"},
    [NO_AUDIT] = {"no-audit", 0, NULL, "do not watch energy and constraint violation"},
    [THREADS] = {"threads", 0, "N",
                 "that share the work on a large model; the results are the same, to the last bit"},
    [JSON] = {"json", 0, NULL, "the summary as one JSON object on standard output"},
    [FINAL] = {"final", 0, NULL, "also print every quantity at the end, or those of --output"},
    [QUIET] = {"quiet", 'q', NULL, "no progress line, no summary"},
    {0},
};

// What the command line asks for. Lists are as long as argv at most.
typedef struct request {
  const command *command;
  const char *path, *csv;
  tr_run_settings settings;
  tr_csv_settings csv_settings;
  bool every_given, rule_given, tol_given, json, final, quiet;
  int sets, outputs;
  const char **set, **output;
} request;

static bool out_every(request *r, const char *text) {
  r->every_given = true;
  r->csv_settings = (tr_csv_settings){0};
  if (text[strspn(text, "0123456789")] == '\0')
    return take_count(r->command, "out-every", text, &r->csv_settings.every);
  return take_positive(r->command, "out-every", text, TR_TIME, &r->csv_settings.spacing);
}

static bool rule(const command *c, const char *text, tr_control *value) {
  if (strcmp(text, "pi") == 0)
    *value = TR_CONTROL_PI;
  else if (strcmp(text, "gnp05") == 0)
    *value = TR_CONTROL_GNP05;
  else
    return usage_error(c, "--control %s: must be pi or gnp05", text), false;
  return true;
}

static bool policy(const command *c, const char *text, tr_redundant *value) {
  static const char *const words[] = {"least-norm", "remove", "fail", NULL};
  static const tr_redundant values[] = {TR_REDUNDANT_LEAST_NORM, TR_REDUNDANT_REMOVE,
                                        TR_REDUNDANT_FAIL};
  for (int i = 0; words[i]; i++)
    if (strcmp(words[i], text) == 0) {
      *value = values[i];
      return true;
    }
  usage_error(c, "--redundant %s: must be least-norm, remove or fail", text);
  return false;
}

static bool take_option(request *r, int i, const char *value) {
  tr_run_settings *s = &r->settings;
  const command *c = r->command;
  switch (i) {
    case METHOD: s->method = value; return true;
    case STEP: return take_positive(c, "step", value, TR_TIME, &s->step);
    case END: return take_positive(c, "end", value, TR_TIME, &s->end);
    case TOLERANCE: return take_positive(c, "tol", value, TR_NUMBER, &s->control.tol);
    case VELOCITIES: return s->control.velocities = true;
    case MULTIPLIERS: return s->control.multipliers = true;
    case RULE: return r->rule_given = rule(c, value, &s->control.rule);
    case FIRST_STEP: return take_positive(c, "first-step", value, TR_TIME, &s->control.first_step);
    case MIN_STEP: return take_positive(c, "min-step", value, TR_TIME, &s->control.min_step);
    case MAX_STEP: return take_positive(c, "max-step", value, TR_TIME, &s->control.max_step);
    case SET: r->set[r->sets++] = value; return true;
    case OUT: r->csv = value; return true;
    case OUT_EVERY: return out_every(r, value);
    case OUTPUT: r->output[r->outputs++] = value; return true;
    case ITERATIONS: return take_count(c, "newton-iterations", value, &s->newton.fixed_iterations);
    case TOL:
      return r->tol_given = take_positive(c, "newton-tol", value, TR_NUMBER, &s->newton.tol);
    case AS_GIVEN: s->consistent_start = false; return true;
    case ZERO_START: return s->zero_start = true;
    case REDUNDANT: return policy(c, value, &s->redundant);
    case RECOMPUTE: return s->recompute = true;
    case NO_AUDIT: s->audit = false; return true;
    case THREADS: return take_count(c, "threads", value, &s->threads);
    case JSON: return r->json = true;
    case FINAL: return r->final = true;
    case QUIET: return r->quiet = true;
    default: return false;
  }
}

// What is asked for must not be contradicted, or passed over, by something else; -1: fine, else the exit code.
static int check_together(const request *r) {
  const tr_run_settings *s = &r->settings;
  const tr_control_settings *c = &s->control;
  bool of_control = c->velocities || c->multipliers || c->first_step > 0 || c->min_step > 0 ||
                    c->max_step > 0 || r->rule_given;
  if (r->json && r->csv && strcmp(r->csv, "-") == 0)
    return usage_error(r->command, "--json and --out - both want standard output");
  if (!(c->tol > 0) && of_control)
    return usage_error(r->command,
                       "--tol-velocities, --tol-multipliers, --control, --first-step, --min-step "
                       "and --max-step go "
                       "with --tol");
  if (c->tol > 0 && !isnan(s->step))
    return usage_error(r->command,
                       "--tol chooses the steps, --step fixes them: give one of the two; beside "
                       "--tol there are --first-step, --min-step and --max-step");
  if (c->tol > 0 && r->tol_given)
    return usage_error(r->command,
                       "--newton-tol goes with --step: with --tol the tolerance of Newton's method "
                       "follows from it");
  if (r->tol_given && s->newton.fixed_iterations > 0)
    return usage_error(r->command, "--newton-tol says nothing beside --newton-iterations");
  if (r->csv && r->path && strcmp(r->csv, r->path) == 0)
    return usage_error(r->command, "--out %s would overwrite the model", r->csv);
  return -1;
}

// -1: go on, else the exit code.
static int read_request(request *r, int argc, char **argv) {
  options o = {.command = r->command, .argc = argc, .argv = argv};
  for (int i; (i = next_option(&o)) != OPTION_END;) {
    if (i == OPTION_HELP) return print_help(r->command), EXIT_OK;
    bool fine = i == OPTION_WORD ? take_word(&o, &r->path) : i >= 0 && take_option(r, i, o.value);
    if (!fine) return EXIT_USAGE;
  }
  return check_together(r);
}

// Everything a run needs; freed in one place.
typedef struct work {
  loaded loaded;
  tr_run *run;
  tr_csv *csv;
  int *channels; // of the table
  int finals, *final_channel;
  double *final;
  tr_reader *reader;
} work;

static void work_free(work *w) {
  tr_csv_close(w->csv, NULL);
  tr_reader_free(w->reader);
  tr_run_free(w->run);
  unload(&w->loaded);
  free(w->channels);
  free(w->final_channel);
  free(w->final);
}

// The columns of the command line, else of the model, else all.
static tr_status choose(work *w, const request *r, int *columns, tr_error *error) {
  tr_simulation sim = tr_system_simulation(w->loaded.system);
  int n = r->outputs ? r->outputs : sim.outputs;
  const char *const *patterns = r->outputs ? r->output : sim.output;
  return tr_channels_choose(w->loaded.system, n, patterns, w->channels, columns, error);
}

// What is told of the end: the choice of the command line, else all. room: for so many.
static tr_status choose_final(work *w, const request *r, size_t room, tr_error *error) {
  const tr_system *system = w->loaded.system;
  w->final = calloc(room, sizeof *w->final);
  w->final_channel = calloc(room, sizeof *w->final_channel);
  if (!w->final || !w->final_channel) return TR_NO_MEMORY;
  tr_status status =
      tr_channels_choose(system, r->outputs, r->output, w->final_channel, &w->finals, error);
  if (status != TR_OK) return status;
  return tr_reader_new(system, w->finals, w->final_channel, &w->reader, error);
}

static tr_status open_csv(work *w, const request *r, int columns, tr_error *error) {
  if (!r->csv) return TR_OK;
  const tr_system *system = w->loaded.system;
  tr_simulation sim = tr_system_simulation(system);
  tr_csv_settings settings = r->csv_settings;
  if (!r->every_given) settings.spacing = isnan(sim.output_step) ? 0 : sim.output_step;
  return tr_csv_new(system, r->csv, columns, w->channels, settings, &w->csv, error);
}

static tr_status prepare(work *w, const request *r, int *columns, tr_error *error) {
  const tr_system *system = w->loaded.system;
  size_t n = (size_t)tr_channel_count(system) + 1;
  w->channels = calloc(n, sizeof *w->channels);
  if (!w->channels) return TR_NO_MEMORY;
  tr_status status = choose(w, r, columns, error);
  if (status == TR_OK && (r->final || r->json)) status = choose_final(w, r, n, error);
  if (status == TR_OK) status = tr_run_new(system, &r->settings, NULL, &w->run, error);
  // last, so that a start that fails leaves an older table alone
  if (status == TR_OK) status = open_csv(w, r, *columns, error);
  return status;
}

static void print_summary(const request *r, const run_result *result) {
  FILE *to = r->csv && strcmp(r->csv, "-") == 0 ? stderr : stdout;
  if (r->json) {
    summary_json(result);
    return;
  }
  if (!r->quiet) summary_text(to, result);
  if (r->final) final_text(to, result);
}

static int simulate(work *w, const request *r, int columns) {
  tr_error error = {0};
  progress line = progress_start(r->quiet);
  catch_interrupts();
  // the table comes first, so that it has the step at which an interrupt is noticed
  if (w->csv) tr_run_observe(w->run, tr_csv_observer(w->csv));
  tr_run_observe(w->run, &line.observer);
  tr_status status = tr_run_all(w->run, &error);
  if (status != TR_OK && error.status == TR_OK) error.status = status;

  tr_csv_end(w->csv, tr_run_state(w->run));
  run_result result = {.path = r->path,
                       .csv_path = r->csv,
                       .system = w->loaded.system,
                       .state = tr_run_state(w->run),
                       .info = tr_run_describe(w->run),
                       .columns = columns,
                       .rows = w->csv ? tr_csv_rows(w->csv) : 0,
                       .finals = w->finals,
                       .final_channel = w->final_channel,
                       .final = w->final,
                       .run = w->run};
  progress_end(&line, &result.info);
  tr_error csv_error = {0};
  tr_status closed = tr_csv_close(w->csv, &csv_error);
  w->csv = NULL;
  result.error = &error;
  if (status == TR_STOPPED && result.info.stopped_by) status = TR_OK; // as the model wants it
  if (closed != TR_OK) status = closed, result.error = &csv_error;
  result.status = status;
  if (w->reader && tr_reader_read(w->reader, result.state, w->final) != TR_OK)
    for (int i = 0; i < w->finals; i++) w->final[i] = NAN;

  if (status == TR_STOPPED)
    complain("interrupted at t = %.9g s", result.state->t);
  else if (status != TR_OK)
    print_error(result.error);
  print_summary(r, &result);
  return exit_code(status) == EXIT_MODEL ? EXIT_NUMERIC : exit_code(status);
}

static int run(const command *self, int argc, char **argv) {
  work w = {0};
  request r = {.command = self, .settings = tr_run_defaults()};
  r.set = calloc((size_t)argc + 1, sizeof *r.set);
  r.output = calloc((size_t)argc + 1, sizeof *r.output);
  int code = r.set && r.output ? read_request(&r, argc, argv) : EXIT_NUMERIC;
  if (code >= 0) goto done;
  code = load(self, r.path, r.sets, r.set, r.json, &w.loaded);
  if (code != EXIT_OK) goto done;

  int columns = 0;
  tr_error error = {0};
  tr_status status = prepare(&w, &r, &columns, &error);
  if (status == TR_OK) {
    code = simulate(&w, &r, columns);
  } else {
    if (error.status == TR_OK) error.status = status;
    print_error(&error);
    if (r.json) json_failure(r.path, &error);
    // a bad method, tolerance or pattern is the fault of whoever wrote it
    bool ours = r.settings.method || r.outputs || r.settings.control.tol > 0;
    code = status == TR_BAD_INPUT && ours ? EXIT_USAGE : exit_code(status);
  }
done:
  work_free(&w);
  free(r.set);
  free(r.output);
  return code;
}

const command command_run = {"run", "MODEL.yaml [OPTIONS]",
                             "simulates a model; numbers may be expressions with units",
                             options_run, run};
