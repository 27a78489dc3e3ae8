// SPDX-License-Identifier: Apache-2.0
// The work of tr_model_plan, shared by its files:
//
//   plan.c      the order of things, simulation, gravity, output
//   report.c    messages with place and subject, each mistake once
//   eval.c      scalars to numbers, names with {templates}
//   params.c    the parameters section
//   walk.c      sections and repeat blocks, names of elements
//   fields.c    parameter structs from field tables
//   rotation.c  orientations
//   law.c data.c  expressions of what moves, and the curves they use
//   bodies.c markers.c connect.c   the elements themselves
//   numbers.c   states and variables
//   events.c    what is watched while a run goes, and the parameters it changes
//
// (1) A mistake is reported once, at the node that holds it, however often a repeat comes by.
// (2) What was reported leaves something broken behind (a value, a body without type) so that
//     what depends on it stays silent.
// (3) Out of memory sets no_memory; everybody returns early and tr_model_plan reports it.
#ifndef TR_PLANNER_H
#define TR_PLANNER_H

#include "elem/law.h"
#include "expr.h"
#include "plan.h"
#include "sections.h"
#include "table.h"

enum { TR_MAX_LOOPS = 8, TR_MAX_LOCALS = 100, TR_MAX_ELEMENTS = 2000000, TR_MAX_FIELDS = 64 };

// What the messages are about: body "crank": mass: ...
typedef struct tr_subject {
  const char *kind, *name, *key; // each may be NULL
} tr_subject;

typedef struct tr_pose {
  double p[3], R[9];
} tr_pose;

typedef enum tr_name_kind {
  TR_NAME_BODY,
  TR_NAME_MARKER,
  TR_NAME_JOINT,
  TR_NAME_FORCE,
  TR_NAME_PROBLEM,
  TR_NAME_STATE,
  TR_NAME_VARIABLE,
  TR_NAME_EVENT,
  TR_NAME_RESERVED
} tr_name_kind;

typedef struct tr_name {
  const char *text;
  tr_name_kind kind;
  int index;
  tr_place place;
  struct tr_name *next; // all names in their order
} tr_name;

typedef struct tr_parameter {
  const tr_node *node;
  const tr_expr *expr;     // NULL: broken
  int state;               // 0 to do, 1 being done, 2 done
  int next_use;            // progress through the slots it reads
  const char *switched_by; // an event that sets it, or NULL; then
  int switched;            // its number among those
  bool used;               // some expression names it
} tr_parameter;

// A marker waiting for the place of another one.
typedef struct tr_like {
  int marker, other;
  const tr_node *node;
  const char *target;
  int state; // 0 to do, 1 being done, 2 done
} tr_like;

// An element waiting for the markers of the joints it is given by.
typedef struct tr_joined {
  bool joint; // or a force
  int index;
  const tr_node *node, *list;
  const char *name[TR_MAX_MARKERS / 2];
} tr_joined;

// A curve of the data section.
typedef struct tr_plan_curve {
  const tr_node *node;
  tr_spline spline;
  tr_value x, y; // units
} tr_plan_curve;

typedef struct tr_planner {
  const tr_model *model;
  tr_plan *plan;
  tr_arena *lists;  // of what ends with the plan
  void *nothing;    // parameters of elements that have none, or NULL
  tr_arena *arena;  // of the plan
  tr_arena scratch; // for the time of planning
  tr_arena brief;   // for one expression
  tr_error *error;
  int failures;
  bool no_memory;
  bool incomplete;  // elements were left out because of a mistake: missing names mean nothing
  const char *file; // the source's name, in the plan's arena
  tr_subject subject;

  tr_scope scope; // of expressions: parameters and the loops around
  tr_table symbols;
  int nparameter;
  tr_parameter *parameter; // (nparameter)
  tr_value *slots;         // (nparameter + TR_MAX_LOCALS)
  int nlocal;              // names that the repeats around give: loop variables and parameters
  const char *local[TR_MAX_LOCALS];
  int loops; // inside each other
  const char *loop[TR_MAX_LOOPS];
  long made; // iterations and elements of this walk

  tr_table cache; // node -> tr_cached; field table -> defaults
  tr_table names; // name -> tr_name
  tr_name *first_name, *last_name;
  tr_pose *pose; // (nbody) origins at the start
  tr_like *like; // (nlike)
  int nlike, like_capacity;
  // of the element being read: its type's markers, and those that its fields name besides
  int own_markers, nextra, extra[TR_MAX_MARKERS];
  int ncurve;
  tr_plan_curve *curve; // (ncurve)
  // states and variables: bodies first_number .. + nnumber, with their units
  int first_number, nnumber, number_capacity;
  tr_value *number;
  tr_joined *joined; // (njoined)
  int njoined, joined_capacity;
  int body_capacity, pose_capacity, marker_capacity, joint_capacity, force_capacity;
  int event_capacity;
  int *switched_marker; // of the frames that hold switched parameters, 0: not made yet
} tr_planner;

// ---- report.c -----------------------------------------------------------------------------------

// All return false, for `return tr_plan_fail(...)`.
bool tr_plan_fail(tr_planner *p, const tr_node *node, const char *format, ...) TR_PRINTF(3, 4);
bool tr_plan_fail_key(tr_planner *p, const tr_node *node, const char *format, ...)
    TR_PRINTF(3, 4); // at the node's key
bool tr_plan_no_memory(tr_planner *p);
tr_place tr_plan_place(const tr_planner *p, tr_place place); // in the plan's own memory
// A hint while messages are few: suggestions for thousands of mistakes cost too much.
bool tr_plan_wants_hints(const tr_planner *p);
const char *tr_plan_hint(const tr_planner *p, const char *word, const char *const *candidates,
                         char buffer[TR_HINT]);
// The type of an element, or NULL after reporting.
const tr_node *tr_plan_type(tr_planner *p, const tr_node *map);
// Unknown key in a map; candidates from up to two tables and a field table.
bool tr_plan_unknown_key(tr_planner *p, const tr_node *node, const tr_common_key *keys,
                         const tr_field *fields);

// ---- lint.c -------------------------------------------------------------------------------------

bool tr_plan_lint(tr_planner *p); // plan->warnings, once everything else is there

// ---- eval.c -------------------------------------------------------------------------------------

// What is remembered of a node inside repeats, and of reported nodes anywhere.
typedef struct tr_cached {
  const tr_expr *expr;
  const struct tr_template *key, *text;
  bool reported, key_reported;
} tr_cached;
tr_cached *tr_plan_cached(tr_planner *p, const tr_node *node); // NULL: out of memory

bool tr_plan_value(tr_planner *p, const tr_node *node, tr_value *value);
bool tr_plan_number(tr_planner *p, const tr_node *node, tr_quantity quantity, double *x);
bool tr_plan_whole(tr_planner *p, const tr_node *node, long long *x);
// A list of `least` to `most` numbers; *n how many.
bool tr_plan_numbers(tr_planner *p, const tr_node *node, tr_quantity quantity, int least, int most,
                     double *x, int *n);
// Key or text with its {expressions} put in; in the plan's arena.
const char *tr_plan_key(tr_planner *p, const tr_node *node);
const char *tr_plan_text(tr_planner *p, const tr_node *node);
// n letters of a scalar's text from `at` on, likewise; a short-lived text.
const char *tr_plan_text_part(tr_planner *p, const tr_node *node, int at, int n);
bool tr_plan_expr_error(tr_planner *p, const tr_node *node, const char *text, int offset,
                        const tr_expr_error *e);

// ---- the rest -----------------------------------------------------------------------------------

bool tr_plan_parameters(tr_planner *p, const tr_node *section);

// Calls `each` for every element of a section, repeats unrolled, in the order of the file: first
// the section itself, then the blocks. The subject is set.
typedef void (*tr_each)(tr_planner *p, const tr_node *node, const char *name);
void tr_plan_walk(tr_planner *p, const char *section, tr_each each);
// Registers a name. False: invalid or taken, reported.
bool tr_plan_name(tr_planner *p, const tr_node *node, const char *name, tr_name_kind kind,
                  int index);
const tr_name *tr_plan_find_name(const tr_planner *p, const char *name);

// Fills par from the map's entries and the defaults. Keys in `common` are left to the caller.
// False: something was reported.
bool tr_plan_fields(tr_planner *p, const tr_node *map, const tr_field *fields, size_t par_size,
                    const tr_common_key *common, void *par);
bool tr_plan_rotation(tr_planner *p, const tr_node *node, double R[9]);
bool tr_plan_law(tr_planner *p, const tr_node *node, const tr_field *field, const tr_law **law);
// The local number of a marker besides the element's own, -1 for ground; -2: too many, e says so.
int tr_plan_extra_marker(tr_planner *p, int marker, tr_expr_error *e);
// After fields and connection: what the fields named joins marker[]; laws hear how many there are.
bool tr_plan_settle_markers(tr_planner *p, const tr_field *fields, void *par, int *marker,
                            int *markers);
void tr_plan_data(tr_planner *p, const tr_node *section);
// A right-handed frame with z along a given direction; planar: x, unless it is z itself. False:
// reported.
bool tr_plan_axis(tr_planner *p, const tr_node *node, bool planar, double R[9]);

// States and variables: first the numbers themselves, then, when every marker is there, their equations.
void tr_plan_state_each(tr_planner *p, const tr_node *node, const char *name);
void tr_plan_variable_each(tr_planner *p, const tr_node *node, const char *name);
void tr_plan_equation_each(tr_planner *p, const tr_node *node, const char *name);
int tr_plan_number_named(const tr_scope *scope, const char *name, size_t n); // body, or -1
tr_plan_body *tr_plan_push_body(tr_planner *p);
tr_plan_joint *tr_plan_push_joint(tr_planner *p);
void tr_plan_body_each(tr_planner *p, const tr_node *node, const char *name);
bool tr_plan_problems(tr_planner *p);
bool tr_plan_origin_markers(tr_planner *p); // ground and the bodies
void tr_plan_marker_each(tr_planner *p, const tr_node *node, const char *name);
bool tr_plan_likes(tr_planner *p); // resolves `like` of all markers
void tr_plan_joint_each(tr_planner *p, const tr_node *node, const char *name);
void tr_plan_force_each(tr_planner *p, const tr_node *node, const char *name);
void tr_plan_joins(tr_planner *p); // resolves `joints` of joints and forces

void tr_plan_event_each(tr_planner *p, const tr_node *node, const char *name);
// After the parameters: which of them events set. False: out of memory.
bool tr_plan_switched(tr_planner *p);
// False, reported: a number is wanted, and the expression reads what events set.
bool tr_plan_check_still(tr_planner *p, const tr_node *node, const tr_expr *expr);
// The marker whose frame holds a switched parameter. -1: out of memory.
int tr_plan_switched_marker(tr_planner *p, int switched);

// Body index of a reference, TR_GROUND, or -2 after reporting.
int tr_plan_body_ref(tr_planner *p, const tr_node *node);
// Marker index of a reference (marker, body, ground), or -1 after reporting.
int tr_plan_marker_ref(tr_planner *p, const tr_node *node);
// The same of a name: -1: e says why, -2: nothing to be said.
int tr_plan_marker_named(tr_planner *p, const char *text, tr_expr_error *e);
// Joint index of a name, or -1 after reporting.
int tr_plan_joint_ref(tr_planner *p, const tr_node *node, const char *text);
// An unnamed marker from a map. -1 after reporting.
int tr_plan_inline_marker(tr_planner *p, const tr_node *node);
// A marker at a global pose, fixed on body. -1: out of memory.
int tr_plan_push_marker(tr_planner *p, int body, const tr_pose *global, tr_place place);
tr_pose tr_plan_body_pose(const tr_planner *p, int body);

#endif
