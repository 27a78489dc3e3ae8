// SPDX-License-Identifier: Apache-2.0
// trammel check: degrees of freedom, consistency of the start, what each element contributes.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { SET, MOTIONS, JSON };

static const option options_check[] = {
    [SET] = {"set", 's', "NAME=VALUE", "value of a parameter of the model (repeatable)"},
    [MOTIONS] = {"motions", 0, NULL, "also tell what can move: every free motion in words"},
    [JSON] = {"json", 0, NULL, "one JSON object on standard output"},
    {0},
};

typedef struct findings {
  const char *path;
  const tr_system *system;
  double *violation;      // of each element, at the start as written
  tr_check_info check;    // of the start as written
  tr_examination *doctor; // after assembly; NULL: there is no consistent start
  tr_start_info start;
  bool assembled; // there is a consistent start
  tr_status status;
  tr_error error;
} findings;

static void elements_json(json *j, const findings *f) {
  json_open(j, "elements", '[');
  for (int i = 0; i < tr_element_count(f->system); i++) {
    tr_element_info e = tr_element_describe(f->system, i);
    json_open(j, NULL, '{');
    json_text(j, "kind", e.kind);
    json_text(j, "type", e.type);
    json_text(j, "name", e.name);
    json_int(j, "coordinates", e.coordinates);
    json_int(j, "constraints", e.constraints);
    json_number(j, "phi", f->violation[i]);
    json_close(j);
  }
  json_close(j);
}

static const char *position_word(const tr_examination *e) {
  return e->locked                                 ? "locked"
         : e->rank_nearby > e->rank || e->branches ? "singular"
         : e->nearly                               ? "nearly singular"
                                                   : "regular";
}

static void print_json(const findings *f) {
  json j = {.to = stdout};
  json_open(&j, NULL, '{');
  json_text(&j, "model", model_name(f->system, f->path));
  json_text(&j, "file", f->path);
  json_text(&j, "status", f->status == TR_OK ? "ok" : "failed");
  if (f->status != TR_OK) json_error(&j, &f->error);
  json_int(&j, "coordinates", f->check.coordinates);
  json_int(&j, "constraints", f->check.constraints);
  int rank = f->doctor ? f->doctor->rank : f->check.rank;
  json_int(&j, "constraints_idle", f->check.idle);
  json_int(&j, "rank", rank);
  json_int(&j, "redundant", f->check.constraints - rank);
  json_int(&j, "degrees_of_freedom", f->doctor ? f->doctor->freedom : f->check.freedom);
  json_int(&j, "degrees_of_freedom_of_positions", f->check.freedom_of_positions);
  json_int(&j, "gruebler", f->check.coordinates - f->check.constraints);
  json_lines(&j, "findings", f->doctor ? f->doctor->redundant : f->check.findings);
  if (f->doctor) {
    json_int(&j, "rank_nearby", f->doctor->rank_nearby);
    json_number(&j, "closeness", f->doctor->closeness);
    json_text(&j, "position", position_word(f->doctor));
    json_lines(&j, "motions", f->doctor->motions);
    json_lines(&j, "reactions_not_unique", f->doctor->reactions);
  }
  json_lines(&j, "warnings", tr_system_describe(f->system).warnings);
  json_open(&j, "start", '{');
  json_number(&j, "position_violation", f->check.phi);
  json_number(&j, "velocity_violation", f->check.phi_v);
  json_text(&j, "worst", f->check.worst);
  json_number(&j, "moved_positions", f->start.moved_q);
  json_number(&j, "moved_velocities", f->start.moved_v);
  json_close(&j);
  elements_json(&j, f);
  json_close(&j);
}

static void elements_text(const findings *f) {
  int width = 4, type_width = 4, n = tr_element_count(f->system);
  int kind_width = tr_system_describe(f->system).numbers > 0 ? 8 : 6;
  for (int i = 0; i < n; i++) {
    tr_element_info e = tr_element_describe(f->system, i);
    if ((int)strlen(e.name) > width) width = (int)strlen(e.name);
    if ((int)strlen(e.type) > type_width) type_width = (int)strlen(e.type);
  }
  printf("\n%-*s %-*s %-*s coordinates constraints       |Phi|\n", kind_width, "kind", type_width,
         "type", width, "name");
  for (int i = 0; i < n; i++) {
    tr_element_info e = tr_element_describe(f->system, i);
    printf("%-*s %-*s %-*s %11d %11d %11.3g\n", kind_width, e.kind, type_width, e.type, width,
           e.name, e.coordinates, e.constraints, f->violation[i]);
  }
}

static void lines(const char *label, const char *text) {
  for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
    printf("%-18s %.*s\n", line == text ? label : "", (int)strcspn(line, "\n"), line);
}

static void doctor_text(const tr_examination *e) {
  lines("redundant", e->redundant);
  lines("not unique", e->reactions);
  if (e->locked)
    printf("%-18s it goes nowhere: %d motions are free to first order only\n", "locked position",
           e->freedom);
  else if (e->rank_nearby > e->rank)
    printf("%-18s the rank is %d here and %d nearby: %d motions are free instead of %d\n",
           "singular position", e->rank, e->rank_nearby, e->freedom,
           e->coordinates - e->rank_nearby);
  else if (e->branches)
    printf("%-18s %d motions are free here, and not all of them go on\n", "singular position",
           e->freedom);
  else if (e->nearly)
    printf("%-18s closeness %.2g: here is a motion that is almost free\n", "nearly singular",
           e->closeness);
  bool singular = e->locked || e->branches || e->rank_nearby > e->rank;
  lines(e->nearly && !singular ? "almost free" : "free motions", e->motions);
}

static void print_text(const findings *f) {
  const tr_check_info *c = &f->check;
  tr_system_info s = tr_system_describe(f->system);
  printf("%-18s ", "model");
  put_plain(stdout, model_name(f->system, f->path), SIZE_MAX);
  putchar('\n');
  printf("%-18s bodies %d, markers %d, joints %d, forces %d", "elements", s.bodies, s.markers,
         s.joints, s.forces);
  if (s.numbers > 0) printf(", states and variables %d", s.numbers);
  printf("\n");
  int rank = f->doctor ? f->doctor->rank : c->rank, count = c->coordinates - c->constraints;
  printf("%-18s %d coordinate%s, %d constraint%s", "equations", c->coordinates,
         c->coordinates == 1 ? "" : "s", c->constraints, c->constraints == 1 ? "" : "s");
  printf(rank < 0 ? ", too large to tell their rank" : " of rank %d", rank);
  if (c->idle > 0) printf("; %d more wait%s for an event", c->idle, c->idle == 1 ? "s" : "");
  printf("\n");
  printf(rank < 0 ? "%-18s not known" : "%-18s %d", "degrees of freedom", c->coordinates - rank);
  if (c->of_velocities > 0)
    printf(" of velocities, %d of positions: %d of the constraints %s velocities only",
           c->freedom_of_positions, c->of_velocities, c->of_velocities == 1 ? "is on" : "are on");
  printf(rank >= 0 && rank < c->constraints ? ", while Gruebler counts %d\n" : "\n", count);
  if (f->doctor)
    doctor_text(f->doctor);
  else
    lines("redundant", c->findings);
  lines("warning", s.warnings);
  printf("%-18s |Phi| = %.3g, |G v + Phi_t| = %.3g", "start as written", c->phi, c->phi_v);
  if (c->phi > 1e-12 && c->worst && *c->worst) printf(", most of it in %s", c->worst);
  if (f->assembled)
    printf("\n%-18s moves positions by %.3g, velocities by %.3g\n", "consistent start",
           f->start.moved_q, f->start.moved_v);
  else
    printf("\n%-18s not found\n", "consistent start");
  elements_text(f);
}

static tr_status examine(findings *f, bool motions, tr_state *given, tr_state *state) {
  tr_simulation sim = tr_system_simulation(f->system);
  tr_status method = tr_check_method(f->system, &f->error), outputs = TR_OK;
  int *channels = calloc((size_t)tr_channel_count(f->system) + 1, sizeof *channels), count;
  if (channels && sim.outputs > 0)
    outputs = tr_channels_choose(f->system, sim.outputs, sim.output, channels, &count, &f->error);
  free(channels);
  tr_status status = tr_state_new(f->system, given, &f->error);
  if (status == TR_OK) status = tr_state_new(f->system, state, &f->error);
  if (status == TR_OK) status = tr_check(f->system, given, &f->check, &f->error);
  if (status == TR_OK) status = tr_element_violations(f->system, given, f->violation);
  if (status == TR_OK) status = tr_consistent_start(f->system, state, &f->start, &f->error);
  f->assembled = status == TR_OK;
  if (status != TR_OK) return status;
  tr_check_info assembled;
  status = tr_check(f->system, state, &assembled, &f->error);
  f->check.freedom_of_positions = assembled.freedom_of_positions;
  if (status == TR_OK) status = tr_examine(f->system, state, motions, &f->doctor, &f->error);
  if (status == TR_OK) status = method;
  return status == TR_OK ? outputs : status;
}

static int check(const command *self, const char *path, int sets, const char *const *set,
                 bool motions, bool as_json) {
  loaded l;
  int code = load(self, path, sets, set, as_json, &l);
  if (code != EXIT_OK) return code;
  tr_state given = {0}, state = {0};
  findings *f = calloc(1, sizeof *f);
  double *violation = calloc((size_t)tr_element_count(l.system) + 1, sizeof *violation);
  if (f && violation) {
    f->violation = violation;
    f->path = path;
    f->system = l.system;
    f->status = examine(f, motions, &given, &state);
    if (f->status != TR_OK) print_error(&f->error);
    if (as_json)
      print_json(f);
    else if (given.block)
      print_text(f);
    bool written = f->status == TR_BAD_INPUT; // a method, an output that there is not
    code = f->status == TR_OK || written ? exit_code(f->status) : EXIT_NUMERIC;
  } else {
    complain("%s", tr_status_text(TR_NO_MEMORY));
    code = EXIT_NUMERIC;
  }
  if (state.block) tr_state_free(l.system, &state);
  if (given.block) tr_state_free(l.system, &given);
  free(violation);
  if (f) tr_examination_free(f->doctor);
  free(f);
  unload(&l);
  return code;
}

static int run(const command *self, int argc, char **argv) {
  arguments a;
  int code = read_arguments(self, argc, argv, &a);
  if (code < 0)
    code = check(self, a.word, a.sets, a.set, a.given & 1u << MOTIONS, a.given & 1u << JSON);
  free(a.set);
  return code;
}

const command command_check = {"check", "MODEL.yaml [--set NAME=VALUE]... [--motions] [--json]",
                               "counts degrees of freedom, checks the start, lists the elements",
                               options_check, run};
