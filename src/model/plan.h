// SPDX-License-Identifier: Apache-2.0
// The description evaluated: parameters inserted, repeats unrolled, references resolved, units and
// bounds checked. What compile reads. It knows what is there, not its equations.
#ifndef TR_PLAN_H
#define TR_PLAN_H

#include "sections.h"
#include "tree.h"

typedef struct tr_plan_body {
  const char *name;
  tr_place place;
  const tr_body_type *type;  // NULL for a problem in the user's coordinates
  void *par;                 // type->par_size bytes, filled from the fields
  const tr_problem *problem; // or NULL
  unsigned keep_q, keep_v;   // bit i: coordinate i of type->coordinate_names / rate_names stays
} tr_plan_body;

enum { TR_GROUND = -1 };

// A frame fixed on a body, relative to the body's origin frame. Ground: global. The origins of ground
// and of every body with a type are markers too, under the body's name, and come first:
// marker 0 is "ground", marker 1 + i is body i.
typedef struct tr_plan_marker {
  const char *name; // "" when made for one joint by `at:`
  tr_place place;
  int body; // TR_GROUND or index
  double p[3];
  const double *R; // (9) the unit matrix is one for all
  int switched;    // > 0: its frame holds the parameters from this one - 1 on, in R
} tr_plan_marker;

typedef struct tr_plan_joint {
  const char *name;
  tr_place place;
  const tr_joint_type *type;
  void *par;
  int markers, marker[TR_MAX_MARKERS];
  int reaction; // marker on ground that shows what it does to its second body to laws; 0: none
  bool lockable, idle; // events may lock and unlock it; it does not hold at the start
} tr_plan_joint;

typedef struct tr_plan_force {
  const char *name;
  tr_place place;
  const tr_force_type *type;
  void *par;
  int markers, marker[TR_MAX_MARKERS];
} tr_plan_force;

// A parameter that events set: number `k` of them.
enum { TR_SWITCHED_PER_FRAME = 9 };
typedef struct tr_plan_switched_par {
  const char *name;
  double start;
} tr_plan_switched_par;
typedef struct tr_plan_set {
  int k;
  const struct tr_law *to;
} tr_plan_set;

typedef struct tr_plan_event {
  const char *name;
  tr_place place, when_place;
  tr_event_par par;
  int markers, marker[TR_MAX_MARKERS];
  int nset, nlock, nunlock, nsettle;
  tr_plan_set *set;
  int *lock, *unlock, *settle; // joints
} tr_plan_event;

typedef struct tr_plan {
  const char *name; // of the model, "" if none
  int nbody, nmarker, njoint, nforce, noutput, nevent, nswitched;
  tr_plan_body *body;
  tr_plan_marker *marker;
  tr_plan_joint *joint;
  tr_plan_force *force;
  tr_plan_event *event;
  tr_plan_switched_par *switched;
  double gravity[3]; // zero unless given
  // simulation section; NaN or NULL where it says nothing
  double end, step, output_step;
  const char *method;
  tr_place method_place;
  const char *warnings; // lines: what looks like a mistake
  const char **output;  // (noutput) names or patterns, as written
  tr_place *output_place;
} tr_plan;

// The lists of bodies, markers, joints and forces and the parameters of bodies are allocated in `lists`,
// everything else, what they point to too, in `arena`. All errors of the description are reported in one go.
tr_status tr_model_plan(const tr_model *model, tr_arena *arena, tr_arena *lists, tr_plan *plan,
                        tr_error *error);

#endif
