// SPDX-License-Identifier: Apache-2.0
// Laws: expressions of time, of an element's own variables and of the motion of frames, compiled to a
// constant program, with exact derivatives.
//
//   F(x_1 .. x_m),  x_k an input: time, a variable (length, rate, ...), a measure of frames
// The program is a list for a stack machine. Derivatives are carried forward with every value, to the
// order asked for: F_k, and F_kl. The measures' own derivatives by displacements and twists of the
// frames are known in closed form, so that
//   F_q = sum F_k x_k,q      F_qq = sum F_k x_k,qq + sum F_kl x_k,q x_l,q'
//
// (1) A law is constant after compile and knows how many markers its element has in all: its frames
//     come after the element's own, and the element's arrays have `markers` times nd numbers.
// (2) Evaluation allocates nothing; stack and inputs are bounded, the compiler refuses what needs more.
// (3) At a kink (abs, min, max, if, steps) the derivative is that of the branch taken.
#ifndef TR_LAW_H
#define TR_LAW_H

#include "elem.h"
#include "math/spline.h"

enum { TR_LAW_STACK = 32, TR_LAW_INPUTS = 12, TR_LAW_VARIABLES = 4 };
enum { TR_LAW_MAX_N = 6 * TR_MAX_MARKERS };

typedef enum law_op {
  LAW_NONE, // no program of its own: the compiler writes others for it
  LAW_CONSTANT,
  LAW_INPUT,
  LAW_NEGATE,
  LAW_ADD,
  LAW_SUBTRACT,
  LAW_MULTIPLY,
  LAW_DIVIDE,
  LAW_POWER,       // a^b
  LAW_POWER_FIXED, // a^x
  LAW_LESS,
  LAW_LESS_EQUAL,
  LAW_GREATER,
  LAW_GREATER_EQUAL,
  LAW_EQUAL,
  LAW_NOT_EQUAL,
  LAW_SIN,
  LAW_COS,
  LAW_TAN,
  LAW_ASIN,
  LAW_ACOS,
  LAW_ATAN,
  LAW_SINH,
  LAW_COSH,
  LAW_TANH,
  LAW_SQRT,
  LAW_ABS,
  LAW_EXP,
  LAW_LOG,
  LAW_LOG10,
  LAW_FLOOR,
  LAW_CEIL,
  LAW_ROUND,
  LAW_SIGN,
  LAW_CURVE, // a spline through data
  LAW_ATAN2,
  LAW_MIN,
  LAW_MAX,
  LAW_MOD,
  LAW_IF,
  LAW_STEP, // (x, x0, y0, x1, y1): smooth from y0 to y1, cubic
  LAW_STEP5,
  LAW_HAVSIN
} law_op;

typedef struct law_instruction {
  law_op op;
  int input;
  double x;
  const tr_spline *curve;
} law_instruction;

// d = p_to - p_from, its rate, the relative angular velocity, each along an axis of frame `along`.
typedef enum law_measure {
  LAW_TIME,
  LAW_VARIABLE,  // axis: which
  LAW_PARAMETER, // axis: which of those in the matrix of frame `to`; has no derivative
  LAW_WAY,       // c . d                            DX DY DZ
  LAW_DISTANCE,  // |d|                              DM
  LAW_ANGLE,     // of `to` about an axis of `from`  AX AY AZ
  LAW_STATE,     // the number that `to` shows: X
  LAW_VELOCITY,  // c . d'                           VX VY VZ
  LAW_SPEED,     // |d'|                             VM
  LAW_RADIAL,    // |d|'                             VR
  LAW_SPIN,      // c . w                            WX WY WZ
  LAW_VALUE      // the number that `to` shows: V, or X'
} law_measure;

typedef struct law_input {
  law_measure kind;
  int axis;
  int to, from, along; // local frames; -1: global
} law_input;

struct tr_law {
  int n, inputs;
  const law_instruction *code; // (n)
  law_input *input;            // (inputs)
  int markers;                 // of the element, its own and those of its laws
  bool constant;               // then
  double value;
  tr_quantity quantity; // of the result, TR_QUANTITIES: not known
};

static inline bool law_is_zero(const tr_law *law) { return law->constant && law->value == 0; }

// The value; variables in the order of the field's table, NULL if it has none.
double law_value(const tr_law *law, int nd, double t, const tr_frame *const *f,
                 const double *variable);

typedef struct law_slope {
  double value, time, variable[TR_LAW_VARIABLES];
  double q[TR_LAW_MAX_N], v[TR_LAW_MAX_N]; // (markers nd) by displacements, by twists
} law_slope;
void law_derive(const tr_law *law, int nd, double t, const tr_frame *const *f,
                const double *variable, law_slope *out);

// Laws of positions: the Hessian by displacements, added s times to H (n x n), n = markers nd; and what
// is left of the second derivative by time when the frames do not accelerate.
void law_add_hessian(const tr_law *law, int nd, double t, const tr_frame *const *f, double s,
                     double *H);
double law_bias(const tr_law *law, int nd, double t, const tr_frame *const *f);

// Laws of motion: the derivatives of the gradient by twists, added s times: by displacements to Q, by
// twists to V (n x n each); and what is left of the derivative by time when the frames do not accelerate.
void law_add_twist_hessian(const tr_law *law, int nd, double t, const tr_frame *const *f, double s,
                           double *Q, double *V);
double law_drift(const tr_law *law, int nd, double t, const tr_frame *const *f);

// K (n x n) = K0 (own x own, the first frames) + g by': a force along g (own) whose size has the slope
// `by` (n).
void law_spread(int own, int n, const double *K0, const double *g, const double *by, double *K);

// Laws of time alone: F, F', F''.
void law_of_time(const tr_law *law, double t, double out[3]);

// What a law reads, as far as that is time alone.
typedef struct law_source {
  const tr_law *law;
  const struct law_source *number[TR_LAW_INPUTS]; // the law of a number that is one of time alone
  const double *parameter[TR_LAW_INPUTS];         // where one stands that events set, as it is now
  bool timed, alone; // it reads the time, itself or by numbers; that alone, but for parameters
  int deep;          // numbers that are made of numbers: so many times
} law_source;

// Instants that its program tells (law_instants.c): those that are not there yet are added to the n in out, up to `most`;
// how many there are then.
int law_find_instants(const law_source *s, int n, int most, tr_instant *out);

double law_wave(const tr_law *law); // the shortest period of a sine of time in it, or INFINITY

int law_operands(law_op op);
// The value of STEP, STEP5, HAVSIN from 0 to 1.
double law_ramp(law_op op, double u);

// ---- measures of frames (law_measure.c) -------------------------------------------------------------

double measure_value(const law_input *m, int nd, const tr_frame *const *f);
// Adds s times the derivatives by displacements and twists; either may be NULL.
void measure_add_slope(const law_input *m, int nd, const tr_frame *const *f, double s, double *q,
                       double *v);
// H (n x n) += s times the derivative of the gradient by displacements. WAY, DISTANCE, ANGLE only.
void measure_add_hessian(const law_input *m, int nd, const tr_frame *const *f, double s, int n,
                         double *H);
// The same of the gradient by twists: by displacements into Q, by twists into V. Measures of velocity.
void measure_add_twist_hessian(const law_input *m, int nd, const tr_frame *const *f, double s,
                               int n, double *Q, double *V);

// One row of velocities by a law, as ops##d, for frames of nd coordinates: from eval, two, slope, bend, drift and look of the
// file that it stands in.
#define TR_VELOCITY_LAW(d, nd, sided)                                                         \
  static void eval##d(const void *p, double t, const tr_frame *const *f, const double *mem,   \
                      const double *lam, double *phi, double *w) {                            \
    (void)mem;                                                                                \
    eval(nd, p, t, f, lam, phi, w);                                                           \
  }                                                                                           \
  static void jac##d(const void *p, double t, const tr_frame *const *f, double *G) {          \
    slope(nd, p, t, f, true, G);                                                              \
  }                                                                                           \
  static void jac_q##d(const void *p, double t, const tr_frame *const *f, double *G) {        \
    slope(nd, p, t, f, false, G);                                                             \
  }                                                                                           \
  static void geom##d(const void *p, double t, const tr_frame *const *f, const double *lam,   \
                      double *K) {                                                            \
    bend(nd, p, t, f, lam[0], false, K);                                                      \
  }                                                                                           \
  static void geom_v##d(const void *p, double t, const tr_frame *const *f, const double *lam, \
                        double *D) {                                                          \
    bend(nd, p, t, f, lam[0], true, D);                                                       \
  }                                                                                           \
  static void gamma##d(const void *p, double t, const tr_frame *const *f, double *out) {      \
    out[0] = drift(nd, p, t, f);                                                              \
  }                                                                                           \
  static void look##d(const void *p, double t, const tr_frame *const *f, const double *mem,   \
                      double *phi, double *phi_t, double *G) {                                \
    (void)mem, phi_t[0] = 0;                                                                  \
    look(nd, p, t, f, phi, G);                                                                \
  }                                                                                           \
  static void two##d(const void *p, double t, const tr_frame *const *f, const double *mem,    \
                     const tr_joint_two *io) {                                                \
    (void)mem;                                                                                \
    two(nd, p, t, f, io);                                                                     \
  }                                                                                           \
  static const tr_joint_ops ops##d = {.rows = 1,                                              \
                                      .velocity = 1,                                          \
                                      .one_sided = sided,                                     \
                                      .dense = true,                                          \
                                      .eval = eval##d,                                        \
                                      .jac = jac##d,                                          \
                                      .jac_q = jac_q##d,                                      \
                                      .geom = geom##d,                                        \
                                      .geom_v = geom_v##d,                                    \
                                      .gamma = gamma##d,                                      \
                                      .look = look##d,                                        \
                                      .eval_two = two##d};

#endif
