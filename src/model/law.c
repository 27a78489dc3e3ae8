// SPDX-License-Identifier: Apache-2.0
// Laws: an expression whose parameters are inserted as numbers, whose units are checked by the same
// rules as those of numbers, and whose remaining operations become the program of a tr_law.
//
// (1) The instructions of the expression are walked once with a stack of what is known of each value:
//     its unit, and whether it is constant. What is constant is evaluated and leaves one instruction.
// (2) A plain number may have any unit here, as may a product with one: in -100*DX(a) it is a stiffness.
//     Time fits everywhere, too: position: 3*time.
// (3) Inputs are found or added: a measure that occurs twice is evaluated once.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr_op.h"
#include "planner.h"

// ---- measures -------------------------------------------------------------------------------------

static const tr_measure measures[] = {{"DX", LAW_WAY, 0, 3, TR_LENGTH, TR_OF_MARKERS},
                                      {"DY", LAW_WAY, 1, 3, TR_LENGTH, TR_OF_MARKERS},
                                      {"DZ", LAW_WAY, 2, 3, TR_LENGTH, TR_OF_MARKERS},
                                      {"DM", LAW_DISTANCE, 0, 2, TR_LENGTH, TR_OF_MARKERS},
                                      {"VX", LAW_VELOCITY, 0, 3, TR_VELOCITY, TR_OF_MARKERS},
                                      {"VY", LAW_VELOCITY, 1, 3, TR_VELOCITY, TR_OF_MARKERS},
                                      {"VZ", LAW_VELOCITY, 2, 3, TR_VELOCITY, TR_OF_MARKERS},
                                      {"VM", LAW_SPEED, 0, 2, TR_VELOCITY, TR_OF_MARKERS},
                                      {"VR", LAW_RADIAL, 0, 2, TR_VELOCITY, TR_OF_MARKERS},
                                      {"AX", LAW_ANGLE, 0, 2, TR_ANGLE, TR_OF_MARKERS},
                                      {"AY", LAW_ANGLE, 1, 2, TR_ANGLE, TR_OF_MARKERS},
                                      {"AZ", LAW_ANGLE, 2, 2, TR_ANGLE, TR_OF_MARKERS},
                                      {"WX", LAW_SPIN, 0, 3, TR_ANGULAR_VELOCITY, TR_OF_MARKERS},
                                      {"WY", LAW_SPIN, 1, 3, TR_ANGULAR_VELOCITY, TR_OF_MARKERS},
                                      {"WZ", LAW_SPIN, 2, 3, TR_ANGULAR_VELOCITY, TR_OF_MARKERS},
                                      {"JQ", LAW_WAY, 0, 1, TR_QUANTITIES, TR_OF_COORDINATE},
                                      {"JV", LAW_VELOCITY, 0, 1, TR_QUANTITIES, TR_OF_COORDINATE},
                                      {"FX", LAW_VELOCITY, 0, 1, TR_FORCE, TR_OF_REACTION},
                                      {"FY", LAW_VELOCITY, 1, 1, TR_FORCE, TR_OF_REACTION},
                                      {"FZ", LAW_VELOCITY, 2, 1, TR_FORCE, TR_OF_REACTION},
                                      {"FM", LAW_SPEED, 0, 1, TR_FORCE, TR_OF_REACTION},
                                      {"TX", LAW_SPIN, 0, 1, TR_TORQUE, TR_OF_REACTION},
                                      {"TY", LAW_SPIN, 1, 1, TR_TORQUE, TR_OF_REACTION},
                                      {"TZ", LAW_SPIN, 2, 1, TR_TORQUE, TR_OF_REACTION}};
enum { MEASURES = sizeof measures / sizeof *measures };

int tr_measure_find(const char *name, size_t n) {
  for (int k = 0; k < MEASURES; k++)
    if (strlen(measures[k].name) == n && memcmp(measures[k].name, name, n) == 0) return k;
  return -1;
}

const tr_measure *tr_measure_at(int row) { return &measures[row]; }

const char *const *tr_measure_names(void) {
  static const char *const names[] = {"DX", "DY", "DZ", "DM", "VX", "VY", "VZ", "VM", "VR",
                                      "AX", "AY", "AZ", "WX", "WY", "WZ", "JQ", "JV", "FX",
                                      "FY", "FZ", "FM", "TX", "TY", "TZ", NULL};
  return names;
}

bool tr_expr_is_measure(const char *name, size_t n) { return tr_measure_find(name, n) >= 0; }

// ---- the compiler ---------------------------------------------------------------------------------

typedef struct operand {
  int from;      // its first instruction
  bool constant; // a single one
  int marker;    // local number; markers have no instruction
} operand;

typedef struct compiler {
  tr_planner *p;
  const tr_node *node;
  const tr_field *field;
  law_instruction *code;
  int n, inputs, depth;
  law_input input[TR_LAW_INPUTS];
  tr_value value[TR_EXPR_STACK + 1];
  operand stack[TR_EXPR_STACK + 1];
  tr_expr_error error;
} compiler;

static bool fail(compiler *c, int at, const char *format, ...) TR_PRINTF(3, 4);
static bool fail(compiler *c, int at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  c->error.at = at;
  vsnprintf(c->error.text, sizeof c->error.text, format, args);
  va_end(args);
  return false;
}

static void push(compiler *c, tr_value value, law_instruction in) {
  c->value[c->depth] = value;
  c->stack[c->depth++] = (operand){.from = c->n, .constant = in.op == LAW_CONSTANT};
  c->code[c->n++] = in;
}

static void push_constant(compiler *c, tr_value value) {
  push(c, value, (law_instruction){.op = LAW_CONSTANT, .x = value.x});
}

static bool push_input(compiler *c, int at, tr_value value, law_input in) {
  int k = 0;
  while (k < c->inputs && memcmp(&c->input[k], &in, sizeof in) != 0) k++;
  if (k == TR_LAW_INPUTS)
    return fail(c, at, "more than %d different measures in one law: let a variable hold a part",
                TR_LAW_INPUTS);
  if (k == c->inputs) c->input[c->inputs++] = in;
  push(c, value, (law_instruction){.op = LAW_INPUT, .input = k});
  return true;
}

static tr_value of_quantity(tr_quantity q) {
  tr_dim dim = tr_quantity_dim(q);
  return (tr_value){.x = 1, .kind = tr_dim_is_zero(dim) ? TR_UNKNOWN : TR_KNOWN, .dim = dim};
}

static bool push_marker(compiler *c, const tr_instruction *in) {
  const char *text = tr_plan_text_part(c->p, c->node, in->at, in->u.length);
  if (!text) return false;
  int marker = tr_plan_marker_named(c->p, text, &c->error);
  if (marker >= 0)
    marker = tr_plan_extra_marker(c->p, marker, &c->error);
  else
    marker = -2;
  c->error.at = in->at;
  if (marker < -1) return false;
  c->value[c->depth] = (tr_value){0};
  c->stack[c->depth++] = (operand){.from = c->n, .marker = marker};
  return true;
}

// A joint, by its number among the joints that are there so far.
static bool push_joint(compiler *c, const tr_instruction *in) {
  char shown[TR_SHOWN];
  const char *text = tr_plan_text_part(c->p, c->node, in->at, in->u.length);
  if (!text) return false;
  const tr_name *name = tr_plan_find_name(c->p, text);
  if (!name || name->kind != TR_NAME_JOINT)
    return fail(c, in->at,
                name ? "\"%s\" is no joint"
                     : "unknown joint \"%s\" (of joints, those "
                       "before this one are known)",
                tr_shown(text, shown));
  if (name->index >= c->p->plan->njoint) // itself
    return fail(c, in->at, "joint \"%s\" in its own law", tr_shown(text, shown));
  c->value[c->depth] = (tr_value){0};
  c->stack[c->depth++] = (operand){.from = c->n, .marker = name->index};
  return true;
}

static bool has_measure(const tr_joint_type *type, const char *name) {
  const tr_joint_ops *ops = type->spatial ? type->spatial : type->planar;
  for (const char *const *n = ops->measure_names; n && *n; n++)
    if (strcmp(*n, name) == 0) return true;
  return false;
}

static bool on_planar_bodies(const tr_plan *plan, const tr_plan_joint *j) {
  for (int k = 0; k < j->markers; k++) {
    int body = plan->marker[j->marker[k]].body;
    if (body >= 0 && plan->body[body].type && plan->body[body].type->dim == 3) return false;
  }
  return true;
}

// The coordinate of a joint or its rate: measures of its two markers.
static bool push_coordinate(compiler *c, const tr_instruction *in, const tr_measure *m,
                            const tr_plan_joint *j) {
  bool rate = m->kind == LAW_VELOCITY, angle = has_measure(j->type, "angle");
  if (!angle && !has_measure(j->type, "s"))
    return fail(c, in->at, "joint \"%.40s\" has neither an angle nor a way s", j->name);
  int b = tr_plan_extra_marker(c->p, j->marker[1], &c->error);
  int a = b < -1 ? b : tr_plan_extra_marker(c->p, j->marker[0], &c->error);
  c->error.at = in->at;
  if (a < -1) return false;
  law_input x = {.to = b, .from = a, .along = a, .axis = angle ? 2 : 0};
  x.kind = angle ? (rate ? LAW_SPIN : LAW_ANGLE) : rate ? LAW_VELOCITY : LAW_WAY;
  if (!angle && !on_planar_bodies(c->p->plan, j)) x.axis = 2;
  if (x.kind == LAW_ANGLE) x.along = -1;
  tr_quantity q = angle ? (rate ? TR_ANGULAR_VELOCITY : TR_ANGLE) : rate ? TR_VELOCITY : TR_LENGTH;
  return push_input(c, in->at, of_quantity(q), x);
}

// What a joint does to its second body: a frame on ground whose twist is the wrench, see tr_show_reactions.
static bool push_reaction(compiler *c, const tr_instruction *in, const tr_measure *m,
                          tr_plan_joint *j) {
  static const tr_pose origin = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  if (j->reaction == 0) j->reaction = tr_plan_push_marker(c->p, TR_GROUND, &origin, j->place);
  if (j->reaction < 0) return false;
  int marker = tr_plan_extra_marker(c->p, j->reaction, &c->error);
  c->error.at = in->at;
  if (marker < -1) return false;
  law_input x = {.kind = m->kind, .axis = m->axis, .to = marker, .from = -1, .along = -1};
  return push_input(c, in->at, of_quantity(m->quantity), x);
}

static bool push_joint_measure(compiler *c, const tr_instruction *in, const tr_measure *m) {
  tr_plan_joint *j = &c->p->plan->joint[c->stack[--c->depth].marker];
  bool reaction = m->of == TR_OF_REACTION, rate = m->kind == LAW_VELOCITY;
  if (c->field->reach == TR_OF_TIME)
    return fail(c, in->at, "%s depends on the motion: a law of time is expected", m->name);
  if (c->field->reach == TR_OF_POSITIONS && (reaction || rate))
    return fail(c, in->at, "%s in a law of positions and time", m->name);
  if (j->markers != 2 || j->marker[0] < 0 || j->marker[1] < 0)
    return fail(c, in->at, "joint \"%.40s\" has no two markers of its own", j->name);
  return reaction ? push_reaction(c, in, m, j) : push_coordinate(c, in, m, j);
}

// A state or variable, by the origin marker of the body behind it.
static bool push_state(compiler *c, const tr_instruction *in, int slot) {
  const tr_plan_body *b = &c->p->plan->body[slot];
  bool state = b->type == &tr_body_state;
  if (c->field->reach == TR_OF_TIME)
    return fail(c, in->at, "\"%.40s\" depends on the motion: a law of time is expected", b->name);
  if (c->field->reach == TR_OF_POSITIONS && !state)
    return fail(c, in->at, "the variable \"%.40s\" in a law of positions and time", b->name);
  int marker = tr_plan_extra_marker(c->p, 1 + slot, &c->error);
  c->error.at = in->at;
  if (marker < -1) return false;
  tr_value value = c->p->number[slot - c->p->first_number];
  value.x = 1;
  return push_input(
      c, in->at, value,
      (law_input){.kind = state ? LAW_STATE : LAW_VALUE, .to = marker, .from = -1, .along = -1});
}

// The same where the name has {expressions} in it.
static bool push_named(compiler *c, const tr_instruction *in) {
  char shown[TR_SHOWN];
  const char *text = tr_plan_text_part(c->p, c->node, in->at, in->u.length);
  if (!text) return false;
  int slot = tr_plan_number_named(&c->p->scope, text, strlen(text));
  if (slot >= 0) return push_state(c, in, slot);
  return fail(c, in->at, "unknown state or variable \"%s\"", tr_shown(text, shown));
}

static bool push_measure(compiler *c, const tr_instruction *in) {
  const tr_measure *m = &measures[in->u.call.function];
  if (m->of != TR_OF_MARKERS) return push_joint_measure(c, in, m);
  law_input x = {.kind = m->kind, .axis = m->axis, .to = -1, .from = -1, .along = -1};
  int *frame[3] = {&x.to, &x.from, &x.along};
  c->depth -= in->u.call.arguments;
  for (int k = 0; k < in->u.call.arguments; k++) *frame[k] = c->stack[c->depth + k].marker;
  if (c->field->reach == TR_OF_TIME)
    return fail(c, in->at, "%s depends on the motion: a law of time is expected", m->name);
  if (c->field->reach == TR_OF_POSITIONS && m->kind >= LAW_VELOCITY)
    return fail(c, in->at, "%s is a velocity: a law of positions and time is expected", m->name);
  if (x.to < 0 && x.from < 0) return fail(c, in->at, "%s of ground relative to ground", m->name);
  return push_input(c, in->at, of_quantity(m->quantity), x);
}

// A parameter: a number, unless events set it.
static bool push_slot(compiler *c, const tr_instruction *in) {
  tr_planner *p = c->p;
  int slot = in->u.slot;
  const tr_parameter *q = slot < p->nparameter ? &p->parameter[slot] : NULL;
  if (!q || !q->switched_by) return push_constant(c, p->slots[slot]), true;
  if (c->field->reach == TR_OF_TIME)
    return fail(c, in->at, "\"%.40s\" is set by an event: a law of time alone cannot follow it",
                q->node->key);
  int marker = tr_plan_switched_marker(p, q->switched);
  if (marker < 0) return false;
  int frame = tr_plan_extra_marker(p, marker, &c->error);
  c->error.at = in->at;
  if (frame < 0) return false;
  return push_input(c, in->at, p->slots[slot],
                    (law_input){.kind = LAW_PARAMETER,
                                .axis = q->switched % TR_SWITCHED_PER_FRAME,
                                .to = frame,
                                .from = -1,
                                .along = -1});
}

// ---- operations -----------------------------------------------------------------------------------

static void emit(compiler *c, law_op op) { c->code[c->n++] = (law_instruction){.op = op}; }

static law_op operation(tr_op op) {
  switch (op) {
    case TR_OP_NEGATE: return LAW_NEGATE;
    case TR_OP_ADD: return LAW_ADD;
    case TR_OP_SUBTRACT: return LAW_SUBTRACT;
    case TR_OP_MULTIPLY: return LAW_MULTIPLY;
    case TR_OP_DIVIDE: return LAW_DIVIDE;
    case TR_OP_POWER: return LAW_POWER;
    default: return (law_op)(LAW_LESS + (op - TR_OP_LESS));
  }
}

// The unit of a curve's result, and what its argument must be.
static bool check_curve(compiler *c, const tr_instruction *in, tr_value *a) {
  const tr_plan_curve *curve = &c->p->curve[in->u.slot];
  char is[TR_DIM_TEXT], want[TR_DIM_TEXT];
  if (a->kind == TR_KNOWN && curve->x.kind == TR_KNOWN && !tr_dim_agree(a->dim, curve->x.dim)) {
    tr_dim_describe(a->dim, is), tr_dim_describe(curve->x.dim, want);
    return fail(c, in->at, "%.40s of %s: %s is expected", curve->node->key, is, want);
  }
  if (a->kind != TR_BROKEN) *a = curve->y;
  if (curve->spline.n == 0) a->kind = TR_BROKEN;
  return true;
}

static bool check_units(compiler *c, const tr_instruction *in, tr_value *a, const operand *o) {
  if (in->op == TR_OP_CURVE) return check_curve(c, in, a);
  if (in->op == TR_OP_POWER && a[0].kind == TR_KNOWN && !o[1].constant)
    return fail(c, in->at, "a power of something with a unit needs a constant exponent");
  if (in->op == TR_OP_CALL && tr_function_at(in->u.call.function)->rule == TR_RULE_STEP &&
      o[1].constant && o[3].constant && a[1].x == a[3].x)
    return fail(c, in->at, "%s begins and ends at the same place",
                tr_function_at(in->u.call.function)->name);
  return tr_instruction_apply(in, a, &c->error);
}

// The instructions after those of the operands.
static void emit_operation(compiler *c, const tr_instruction *in, const operand *o, double last) {
  if (in->op == TR_OP_CURVE) {
    c->code[c->n++] = (law_instruction){.op = LAW_CURVE, .curve = &c->p->curve[in->u.slot].spline};
  } else if (in->op == TR_OP_UNIT) {
    c->code[c->n++] = (law_instruction){.op = LAW_CONSTANT, .x = in->u.unit->mul};
    emit(c, LAW_MULTIPLY);
    c->code[c->n++] = (law_instruction){.op = LAW_CONSTANT, .x = in->u.unit->div};
    emit(c, LAW_DIVIDE);
  } else if (in->op == TR_OP_POWER && o[1].constant) {
    c->code[c->n - 1] = (law_instruction){.op = LAW_POWER_FIXED, .x = last};
  } else if (in->op != TR_OP_CALL) {
    emit(c, operation(in->op));
  } else {
    const tr_function *f = tr_function_at(in->u.call.function);
    int folds = f->most > f->least ? in->u.call.arguments - 1 : 1;
    for (int k = 0; k < folds; k++) emit(c, f->op);
  }
}

static bool operate(compiler *c, const tr_instruction *in) {
  int n = tr_instruction_operands(in);
  c->depth -= n;
  tr_value *a = &c->value[c->depth];
  const operand *o = &c->stack[c->depth];
  double last = a[n - 1].x;
  bool constant = true;
  for (int k = 0; k < n; k++) constant = constant && o[k].constant;
  if (!check_units(c, in, a, o)) return false;
  if (constant && in->op == TR_OP_CURVE) {
    double y[3];
    if (a->kind == TR_BROKEN)
      y[0] = 0;
    else
      spline_at(&c->p->curve[in->u.slot].spline, last, y);
    a->x = y[0];
  }
  if (constant) { // one instruction instead
    c->n = o[0].from;
    push_constant(c, *a);
    return true;
  }
  emit_operation(c, in, o, last);
  c->stack[c->depth++].constant = false;
  return true;
}

static bool walk(compiler *c, const tr_expr *expr) {
  for (int k = 0; k < expr->n; k++) {
    const tr_instruction *in = &expr->code[k];
    bool ok = true;
    switch (in->op) {
      case TR_OP_NUMBER: push_constant(c, (tr_value){.x = in->u.number, .kind = TR_UNKNOWN}); break;
      case TR_OP_SLOT: ok = push_slot(c, in); break;
      case TR_OP_TIME:
        ok = push_input(c, in->at, (tr_value){.x = 1, .kind = TR_UNKNOWN},
                        (law_input){.kind = LAW_TIME});
        break;
      case TR_OP_VARIABLE:
        ok = push_input(c, in->at, of_quantity(c->field->variables[in->u.slot].quantity),
                        (law_input){.kind = LAW_VARIABLE, .axis = in->u.slot});
        break;
      case TR_OP_STATE: ok = push_state(c, in, in->u.slot); break;
      case TR_OP_NAMED: ok = push_named(c, in); break;
      case TR_OP_MARKER: ok = push_marker(c, in); break;
      case TR_OP_JOINT: ok = push_joint(c, in); break;
      case TR_OP_MEASURE: ok = push_measure(c, in); break;
      default: ok = operate(c, in); break;
    }
    if (!ok) return false;
  }
  return true;
}

// ---- the law --------------------------------------------------------------------------------------

static int stack_needed(const compiler *c) {
  int depth = 0, most = 0;
  for (int k = 0; k < c->n; k++) {
    depth += 1 - law_operands(c->code[k].op);
    if (depth > most) most = depth;
  }
  return most;
}

static tr_quantity quantity_of(tr_value value) {
  int q = 0;
  if (value.kind != TR_KNOWN) return TR_QUANTITIES;
  while (q < TR_QUANTITIES && !tr_dim_agree(value.dim, tr_quantity_dim((tr_quantity)q))) q++;
  return (tr_quantity)q;
}

static bool depends_on_velocities(const compiler *c) {
  for (int k = 0; k < c->inputs; k++)
    if (c->input[k].kind >= LAW_VELOCITY) return true;
  return false;
}

static bool check_result(compiler *c, tr_value value) {
  char why[TR_EXPR_TEXT], shown[TR_SHOWN];
  const char *text = tr_shown(c->node->text, shown);
  for (int k = 0; k < c->n; k++)
    if (c->code[k].op == LAW_CONSTANT && !isfinite(c->code[k].x))
      return tr_plan_fail(c->p, c->node, "a constant part of \"%s\" is not a finite number", text);
  if (c->field->quantity != TR_QUANTITIES && !tr_value_fits(value, c->field->quantity, why))
    return tr_plan_fail(c->p, c->node, "\"%s\" %s", text, why);
  if (c->field->reach == TR_OF_VELOCITIES && !depends_on_velocities(c))
    return tr_plan_fail(c->p, c->node, "\"%s\" does not depend on velocities", text);
  if (stack_needed(c) > TR_LAW_STACK)
    return tr_plan_fail(c->p, c->node, "the law \"%s\" is nested too deeply", text);
  return true;
}

static const tr_law *settle(const compiler *c, tr_value value) {
  tr_arena *arena = c->p->arena;
  tr_law *law = TR_NEW(arena, 1, tr_law);
  law_instruction *code = TR_NEW(arena, c->n, law_instruction);
  law_input *input = TR_NEW(arena, c->inputs + 1, law_input);
  if (!law || !code || !input) return tr_plan_no_memory(c->p), NULL;
  memcpy(code, c->code, (size_t)c->n * sizeof *code);
  memcpy(input, c->input, (size_t)c->inputs * sizeof *input);
  *law = (tr_law){.n = c->n,
                  .inputs = c->inputs,
                  .code = code,
                  .input = input,
                  .markers = c->p->own_markers,
                  .constant = c->n == 1 && code[0].op == LAW_CONSTANT,
                  .value = code[0].x,
                  .quantity = quantity_of(value)};
  if (law->constant) law->inputs = 0;
  return law;
}

static bool compile(tr_planner *p, const tr_node *node, const tr_field *field, const tr_expr *expr,
                    const tr_law **law) {
  compiler *c = TR_NEW(&p->brief, 1, compiler);
  // a unit becomes four instructions of its one, and takes at least two letters
  law_instruction *code = TR_NEW(&p->brief, 4 * expr->n + 1, law_instruction);
  if (!c || !code) return tr_plan_no_memory(p);
  *c = (compiler){.p = p, .node = node, .field = field, .code = code};
  if (!walk(c, expr))
    return c->error.text[0] && tr_plan_expr_error(p, node, node->text, 0, &c->error);
  tr_value value = c->value[0];
  if (value.kind == TR_BROKEN) return false;
  if (!check_result(c, value)) return false;
  *law = settle(c, value);
  return *law;
}

static int find_curve(const tr_scope *scope, const char *name, size_t n) {
  const tr_planner *p = (const tr_planner *)((const char *)scope - offsetof(tr_planner, scope));
  for (int k = 0; k < p->ncurve; k++)
    if (strlen(p->curve[k].node->key) == n && memcmp(p->curve[k].node->key, name, n) == 0) return k;
  return -1;
}

static const char *const *list_calls(const tr_scope *scope) {
  tr_planner *p = (tr_planner *)((const char *)scope - offsetof(tr_planner, scope));
  const char *const *const known[] = {tr_function_names(), tr_measure_names()};
  int n = 0;
  for (int i = 0; i < 2; i++)
    for (const char *const *name = known[i]; *name; name++) n++;
  const char **names =
      tr_plan_wants_hints(p) ? TR_NEW(&p->scratch, n + p->ncurve + 1, const char *) : NULL;
  if (!names) return NULL;
  n = 0;
  for (int i = 0; i < 2; i++)
    for (const char *const *name = known[i]; *name; name++) names[n++] = *name;
  for (int k = 0; k < p->ncurve; k++) names[n++] = p->curve[k].node->key;
  return names;
}

bool tr_plan_law(tr_planner *p, const tr_node *node, const tr_field *field, const tr_law **law) {
  if (node->kind != TR_SCALAR)
    return tr_plan_fail(p, node, "an expression is expected, not a %s",
                        node->kind == TR_LIST ? "list" : "map");
  if (!node->text[0]) return tr_plan_fail(p, node, "a value is missing");
  tr_cached *cached = p->loops > 0 ? tr_plan_cached(p, node) : NULL;
  if (p->no_memory || (cached && cached->reported)) return false;
  tr_expr_error e;
  tr_law_scope scope = {field->variables, find_curve, tr_plan_number_named, list_calls};
  const tr_expr *expr = cached ? cached->expr : NULL;
  p->scope.law = &scope;
  if (!expr) expr = tr_expr_parse(cached ? &p->scratch : &p->brief, node->text, &p->scope, &e);
  p->scope.law = NULL;
  if (cached) cached->expr = expr;
  bool ok =
      expr ? compile(p, node, field, expr, law) : tr_plan_expr_error(p, node, node->text, 0, &e);
  tr_arena_free(&p->brief);
  return ok;
}

// ---- markers that fields name ---------------------------------------------------------------------

int tr_plan_extra_marker(tr_planner *p, int marker, tr_expr_error *e) {
  if (marker == 0) return -1;
  int k = 0;
  while (k < p->nextra && p->extra[k] != marker) k++;
  if (p->own_markers + k == TR_MAX_MARKERS) {
    snprintf(
        e->text, sizeof e->text,
        "the element has more than %d markers with those of its laws: let a variable hold a part",
        TR_MAX_MARKERS);
    return -2;
  }
  if (k == p->nextra) p->extra[p->nextra++] = marker;
  return p->own_markers + k;
}

static bool renumber(tr_planner *p, const int *map, int markers, const tr_law **law) {
  tr_law *own = TR_NEW(p->arena, 1, tr_law);
  law_input *input = own ? TR_NEW(p->arena, (*law)->inputs + 1, law_input) : NULL;
  if (!input) return tr_plan_no_memory(p);
  *own = **law;
  own->markers = markers;
  own->input = input;
  for (int k = 0; k < own->inputs; k++) {
    input[k] = (*law)->input[k];
    if (input[k].kind <= LAW_VARIABLE) continue;
    int *frame[3] = {&input[k].to, &input[k].from, &input[k].along};
    for (int i = 0; i < 3; i++)
      if (*frame[i] >= 0) *frame[i] = map[*frame[i]];
  }
  *law = own;
  return true;
}

bool tr_plan_settle_markers(tr_planner *p, const tr_field *fields, void *par, int *marker,
                            int *markers) {
  int map[TR_MAX_MARKERS], n = p->own_markers;
  if (p->nextra == 0) return true;
  // one that the element has anyway keeps its number
  for (int k = 0; k < TR_MAX_MARKERS; k++) map[k] = k;
  for (int k = 0; k < p->nextra; k++) {
    int i = 0;
    while (i < p->own_markers && marker[i] != p->extra[k]) i++;
    if (i == p->own_markers) {
      i = n++;
      marker[i] = p->extra[k];
    }
    map[p->own_markers + k] = i;
  }
  *markers = n;
  for (const tr_field *f = fields; f && f->name; f++) {
    void *at = (char *)par + f->offset;
    const tr_law **law = at;
    int *frame = at, laws = f->kind == TR_LAW ? 1 : f->kind == TR_LAW3 ? 3 : 0;
    for (int k = 0; k < laws; k++)
      if (law[k] && !renumber(p, map, n, &law[k])) return false;
    if (f->kind == TR_MARKER && *frame >= 0) *frame = map[*frame];
  }
  p->nextra = 0;
  return true;
}
