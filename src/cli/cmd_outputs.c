// SPDX-License-Identifier: Apache-2.0
// trammel outputs: the names a model offers for its table. trammel schema: for editors.
#include <stdlib.h>

#include "cli.h"

enum { SET, JSON, NAMES, ALL };

static const option options_outputs[] = {
    [SET] = {"set", 's', "NAME=VALUE", "value of a parameter of the model (repeatable)"},
    [JSON] = {"json", 0, NULL, "as JSON"},
    [NAMES] = {"names", 0, NULL, "names only"},
    [ALL] = {"all", 0, NULL, "also the multipliers of all joints, row by row: NAME.lam1, ..."},
    {0},
};

static void print_json(const tr_system *system, bool all) {
  json j = {.to = stdout};
  char name[NAME_SIZE];
  json_open(&j, NULL, '[');
  for (int c = 0; c < tr_channel_count(system); c++) {
    if (!all && tr_channel_is_raw(system, c)) continue;
    tr_quantity q = tr_channel_quantity(system, c);
    json_open(&j, NULL, '{');
    json_text(&j, "name", channel_name(system, c, name));
    json_text(&j, "quantity", tr_quantity_name(q));
    json_text(&j, "unit", tr_quantity_unit(q));
    json_close(&j);
  }
  json_close(&j);
}

static void print_text(const tr_system *system, bool names_only, bool all) {
  char name[NAME_SIZE];
  int width = channel_width(system, all), n = tr_channel_count(system);
  for (int c = 0; c < n; c++) {
    if (!all && tr_channel_is_raw(system, c)) continue;
    tr_quantity q = tr_channel_quantity(system, c);
    if (names_only)
      printf("%s\n", channel_name(system, c, name));
    else
      printf("%-*s  %-8s %s\n", width, channel_name(system, c, name), tr_quantity_unit(q),
             tr_quantity_name(q));
  }
}

static int run_outputs(const command *self, int argc, char **argv) {
  arguments a;
  loaded l = {0};
  int code = read_arguments(self, argc, argv, &a);
  if (code < 0) code = load(self, a.word, a.sets, a.set, false, &l);
  if (l.system && a.given & 1u << JSON)
    print_json(l.system, a.given & 1u << ALL);
  else if (l.system)
    print_text(l.system, a.given & 1u << NAMES, a.given & 1u << ALL);
  unload(&l);
  free(a.set);
  return code;
}

const command command_outputs = {
    "outputs", "MODEL.yaml [--set NAME=VALUE]... [--json|--names] [--all]",
    "lists the quantities a model offers for output", options_outputs, run_outputs};

static const option options_schema[] = {{0}};

static int run_schema(const command *self, int argc, char **argv) {
  arguments a;
  int code = read_arguments(self, argc, argv, &a);
  free(a.set);
  if (code >= 0) return code;
  if (a.word) return usage_error(self, "one too many: \"%s\"", a.word);
  char *text = NULL;
  size_t size = 0;
  tr_status status = tr_model_schema(NULL, &text, &size);
  if (status == TR_OK)
    fwrite(text, 1, size, stdout);
  else
    complain("%s", tr_status_text(status));
  free(text); // the library was given the C heap
  return exit_code(status);
}

const command command_schema = {"schema", "", "prints the JSON Schema of model files",
                                options_schema, run_schema};
