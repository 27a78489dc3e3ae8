// SPDX-License-Identifier: Apache-2.0
// trammel COMMAND ...: finds the command, and loads models for those that need one.
#include <errno.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli.h"

static const command *const commands[] = {
    &command_run,  &command_study,   &command_verify, &command_check,
    &command_list, &command_outputs, &command_schema, NULL};

static void print_overview(FILE *to) {
  fputs("Trammel: dynamics of constrained mechanical systems.\n\nusage:\n", to);
  for (int i = 0; commands[i]; i++)
    fprintf(to, "  trammel %-8s %s\n", commands[i]->name, commands[i]->usage);
  fputs("\n", to);
  for (int i = 0; commands[i]; i++) fprintf(to, "  %-8s %s\n", commands[i]->name, commands[i]->doc);
  fputs("\ntrammel COMMAND --help tells more; trammel --version tells the version.\n", to);
}

static int dispatch(int argc, char **argv) {
  if (argc < 2) return print_overview(stderr), EXIT_USAGE;
  const char *name = argv[1];
  if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
    return printf("trammel %s\n", tr_version()), EXIT_OK;
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
    return print_overview(stdout), EXIT_OK;
  const char *names[sizeof commands / sizeof *commands + 2] = {"--help", "--version"};
  for (int i = 0; commands[i]; i++) {
    if (strcmp(name, commands[i]->name) == 0)
      return commands[i]->run(commands[i], argc - 2, argv + 2);
    names[i + 2] = commands[i]->name;
  }
  const char *near = nearest(name, names), *dot = strrchr(name, '.');
  if (dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0))
    complain("no command \"%s\"; did you mean trammel run %s?", name, name);
  else if (near)
    complain("no command \"%s\"; did you mean %s?", name, near);
  else
    complain("no command \"%s\"; trammel --help lists them", name);
  return EXIT_USAGE;
}

// "name=value" -> tr_model_set.
static tr_status apply_set(tr_model *model, const char *text, tr_error *error) {
  char name[128];
  const char *equals = strchr(text, '=');
  size_t n = equals ? (size_t)(equals - text) : 0;
  if (n == 0 || n >= sizeof name) {
    error->status = TR_BAD_INPUT;
    error->count = 1;
    snprintf(error->text, sizeof error->text, "--set %.80s: expected name=value\n", text);
    return TR_BAD_INPUT;
  }
  memcpy(name, text, n);
  name[n] = '\0';
  return tr_model_set(model, name, equals + 1, error);
}

int load(const command *self, const char *path, int n, const char *const *sets, bool as_json,
         loaded *out) {
  *out = (loaded){0};
  if (!path) return usage_error(self, "which model? usage: trammel %s %s", self->name, self->usage);
  tr_error error = {0};
  int code = EXIT_OK;
  tr_status status = tr_model_new(NULL, &out->model);
  if (status == TR_OK) status = tr_model_read_file(out->model, path, &error);
  if (status != TR_OK) code = exit_code(status);
  for (int i = 0; i < n && status == TR_OK; i++) {
    status = apply_set(out->model, sets[i], &error);
    if (status != TR_OK) code = EXIT_USAGE;
  }
  if (status == TR_OK) {
    status = tr_compile(out->model, &out->system, &error);
    if (status != TR_OK) code = exit_code(status);
    if (status == TR_BAD_INPUT) tr_check_model_method(out->model, &error);
  }
  if (status == TR_OK) return EXIT_OK;
  if (error.status == TR_OK) error.status = status;
  print_error(&error);
  if (as_json) json_failure(path, &error);
  unload(out);
  return code;
}

void unload(loaded *l) {
  tr_system_free(l->system);
  tr_model_free(l->model);
  *l = (loaded){0};
}

// Large blocks go back to the system when they are freed, whatever was freed before: the rooms that
// reading and compiling a model take are then there for the steps.
static void keep_memory_small(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
}

int main(int argc, char **argv) {
  keep_memory_small();
  int code = dispatch(argc, argv);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    complain("standard output cannot be written: %s", strerror(errno));
    if (code == EXIT_OK) code = EXIT_FILE;
  }
  return code;
}
