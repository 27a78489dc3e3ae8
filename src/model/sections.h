// SPDX-License-Identifier: Apache-2.0
// The keys of a model file and of its fixed parts, once: for the reader of the tree, the writer by
// calls and the schema.
#ifndef TR_SECTIONS_H
#define TR_SECTIONS_H

#include "trammel/model.h"

#define TR_FORMAT_VERSION "1"

typedef struct tr_section {
  const char *key;
  const char *kind; // what one entry is called: "body"; NULL: the section is a value
  const char *doc;
  bool in_repeat; // may stand inside a repeat block
} tr_section;

// Ended by a NULL key.
const tr_section *tr_sections(void);
const tr_section *tr_section_find(const char *key); // NULL: none

// The simulation section, and the struct its fields fill.
typedef struct tr_simulation_par {
  double end, step, output_step;
  const char *method; // "": not given
} tr_simulation_par;
const tr_field *tr_simulation_fields(void);

// Keys that elements of a section take besides the fields of their type; tables ended by a NULL key.
typedef struct tr_common_key {
  const char *key, *doc;
} tr_common_key;
const tr_common_key *tr_curve_keys(void);    // all of them
const tr_common_key *tr_state_keys(void);    // all of them
const tr_common_key *tr_variable_keys(void); // all of them
const tr_common_key *tr_body_keys(void);
const tr_common_key *tr_marker_keys(void);
const tr_common_key *tr_connection_keys(void); // joints and forces
const tr_common_key *tr_repeat_keys(void);     // besides the sections

#endif
