// SPDX-License-Identifier: Apache-2.0
// The tables of sections and of keys common to all types.
#include "sections.h"

#include <string.h>

const tr_section *tr_sections(void) {
  static const tr_section sections[] = {
      {"trammel", NULL, "version of the format: 1", false},
      {"name", NULL, "name of the model", false},
      {"description", NULL, "free text", false},
      {"parameters", "parameter",
       "named numbers for the expressions of the file, or of a repeat's block", true},
      {"data", "curve", "curves through points, for laws: name(x)", false},
      {"gravity", NULL, "acceleration of gravity, 2 or 3 numbers (m/s^2); none if absent", false},
      {"bodies", "body", "bodies by name", true},
      {"states", "state", "numbers with a rate, X' = f: controllers, actuators, filters", true},
      {"variables", "variable", "numbers by a formula, V = f, which may be implicit", true},
      {"markers", "marker", "frames fixed on bodies, by name", true},
      {"joints", "joint", "constraints between markers, by name", true},
      {"forces", "force", "forces between markers, by name", true},
      {"repeat", "repeat", "blocks of elements written once and made many times", true},
      {"simulation", NULL, "what a run does unless told otherwise", false},
      {"output", NULL, "names or patterns of the quantities to write: crank.angle, \"energy.*\"",
       false},
      {NULL, NULL, NULL, false}};
  return sections;
}

const tr_section *tr_section_find(const char *key) {
  for (const tr_section *s = tr_sections(); s->key; s++)
    if (strcmp(s->key, key) == 0) return s;
  return NULL;
}

const tr_field *tr_simulation_fields(void) {
  static const tr_field fields[] = {{.name = "end",
                                     .kind = TR_REAL,
                                     .quantity = TR_TIME,
                                     .offset = offsetof(tr_simulation_par, end),
                                     .preset = "auto",
                                     .positive = true,
                                     .doc = "end of the simulation; it starts at 0"},
                                    {.name = "step",
                                     .kind = TR_REAL,
                                     .quantity = TR_TIME,
                                     .offset = offsetof(tr_simulation_par, step),
                                     .preset = "auto",
                                     .positive = true,
                                     .doc = "step size"},
                                    {.name = "method",
                                     .kind = TR_TEXT,
                                     .offset = offsetof(tr_simulation_par, method),
                                     .preset = "",
                                     .doc = "integrator with its options: \"hht-i3:alpha=-0.3\""},
                                    {.name = "output-step",
                                     .kind = TR_REAL,
                                     .quantity = TR_TIME,
                                     .offset = offsetof(tr_simulation_par, output_step),
                                     .preset = "auto",
                                     .positive = true,
                                     .doc = "spacing of the output; every step if absent"},
                                    {.name = NULL}};
  return fields;
}

const tr_common_key *tr_curve_keys(void) {
  static const tr_common_key keys[] = {{"x", "places of the points, increasing"},
                                       {"y", "values there"},
                                       {"kind", "cubic, a natural spline, if absent; or linear"},
                                       {NULL, NULL}};
  return keys;
}

const tr_common_key *tr_state_keys(void) {
  static const tr_common_key keys[] = {
      {"initial", "value at the start; 0 if absent"},
      {"rate", "its rate, an expression of all that moves and of states and variables"},
      {"scale", "a usual size, in which the number is counted; by default 1 or |initial|"},
      {NULL, NULL}};
  return keys;
}

const tr_common_key *tr_variable_keys(void) {
  static const tr_common_key keys[] = {
      {"value", "an expression of all that moves and of states and variables, itself among them"},
      {"guess", "where the search of the first value begins; 0 if absent"},
      {"scale", "a usual size, in which the number is counted; by default 1 or |guess|"},
      {NULL, NULL}};
  return keys;
}

const tr_common_key *tr_body_keys(void) {
  static const tr_common_key keys[] = {
      {"type", "type of the body"},
      {"keep",
       "coordinates and velocities that the consistent start leaves as given: a list of "
       "their names, or all, positions, velocities"},
      {NULL, NULL}};
  return keys;
}

const tr_common_key *tr_marker_keys(void) {
  static const tr_common_key keys[] = {
      {"body", "the body it is fixed on; ground if absent"},
      {"at", "position in the body's axes from its origin (m)"},
      {"at-global", "position at the start, global (m)"},
      {"orientation", "orientation relative to the body"},
      {"orientation-global", "orientation at the start, global"},
      {"angle", "rotation about z relative to the body (rad)"},
      {"angle-global", "rotation about z at the start, global (rad)"},
      {"like", "another marker: same place and orientation at the start"},
      {NULL, NULL}};
  return keys;
}

const tr_common_key *tr_connection_keys(void) {
  static const tr_common_key keys[] = {
      {"type", "type of the element"},
      {"markers", "the markers it connects: names of markers or bodies, or maps as in markers"},
      {"bodies", "instead of markers: the bodies it connects, at one place"},
      {"at", "with bodies: the place at the start, global (m)"},
      {"orientation", "with bodies: orientation of the markers at the start, global"},
      {"axis",
       "with bodies: direction of the markers' z axis at the start, global; between planar bodies "
       "of their x axis"},
      {"joints", "instead of markers, where the type works on joints: the joints, by name"},
      {"joint", "the same where it works on one: its name"},
      {NULL, NULL}};
  return keys;
}

const tr_common_key *tr_repeat_keys(void) {
  static const tr_common_key keys[] = {{"for", "name of the loop variable"},
                                       {"from", "its first value; 0 if absent"},
                                       {"to", "its last value, included"},
                                       {NULL, NULL}};
  return keys;
}
