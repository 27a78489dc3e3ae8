// SPDX-License-Identifier: Apache-2.0
// Methods: each proposes one step, through the shared implicit corrector. A method never accepts,
// rejects or prints; a new one is a file and a line in step_list.h.
//
// The corrector's unknowns are (a1, lam1):
//   q1 = q_n o exp(dhat + cq a1),  v1 = vhat + cv a1
//   e1 = cm Mass a1 + G1' lam1 - Q1 + history = 0,   e2 = Phi(q1, t1)/cq = 0
// with Mass = M(q1) or blocks frozen for the step. The stabilised form adds w and mu:
//   q1 = q_n o exp(dhat + cq a1 + cw w),   e3 = cm X w - G1' mu = 0,   e4 = (G1 v1 + Phi_t)/cv = 0
// with X = Mass or the unit matrix. In rows of velocities e2 = Gam(v1, q1, t1)/cv, and in the stabilised
// form, in place of the position, Gam_v w = 0: what is added to the positions is a motion they allow.
#ifndef TR_STEP_H
#define TR_STEP_H

#include "past.h"
#include "solve/newton.h"
#include "sparse/kkt.h"
#include "system/system.h"
#include "trammel/run.h"

typedef struct tr_step tr_step;

// Local truncation error: q2 h^2 q'' + q3 h^3 q''' of q, v2 h^2 q''' + v3 h^3 q'''' of v. v3 NaN: unknown,
// since feedback of the constraints with gains of 1/h makes v jump when the step changes. late: a1 is q'' at t1 + late h,
// of methods with a smooth a.
typedef struct tr_truncation {
  double q2, q3, v2, v3, late;
} tr_truncation;

// Of a divided difference: its part of what stands for it, and the time that it belongs to.
typedef struct tr_difference {
  double part, t;
} tr_difference;

typedef struct tr_method {
  tr_method_info info;
  size_t par_size;
  const char *(*check)(const void *par); // NULL or why the parameters do not fit, a static text
  bool recompute;    // a and lam in the state are the method's own: not for output
  bool direct;       // there is no Newton iteration
  bool passes_jumps; // a force that jumps to and fro does not stop it: whoever runs it has to look
  bool uneven;       // its formulas bear steps of any lengths, one after the other
  bool nearly_even;  // or those that are not too different
  bool guesses;      // the iteration begins where the method's own past leads
  const char *limit; // what else may be behind a step that fails, or NULL
  // The same for some parameters: a and lam alternate from step to step, undamped. NULL: never.
  bool (*alternates)(const void *par);
  // The same on index 3, but they fade: under step control each change of the step makes them ring again, by what the
  // velocities have settled at over h, and a and lam for the outside are computed anew. NULL: never.
  bool (*rings)(const void *par);
  // The same for some parameters: what the iteration leaves open lasts for ever. NULL: never.
  bool (*undamped)(const void *par);
  tr_truncation (*truncation)(const void *par);
  // Orders in q, v and lam with parameters that change them; NULL: none does, they are info's.
  void (*orders)(const void *par, int order[3]);
  bool smooth;      // a1 - a_n estimates h q''', unless undamped or ringing
  bool falls_short; // rotations by maps that fall short of the exponential
  int vectors;      // rooms of nv numbers kept in tr_step.room
  bool stabilised;  // calls tr_correct_si2
  bool goes_on;     // its a goes on as it did for long: more terms of its past pay
  bool corrected; // a corrector is all its iteration, and it asks nothing of a and lam in x1 before
  bool lean;      // has no use for the values of s->kkt
  bool two_sets;  // its iteration has twice the unknowns of index 3, as that one
  int sets;       // so many times them, where they are more; 0: as said above
  tr_status (*prepare)(tr_step *s); // allocate what begin and advance need, once; or NULL
  void (*release)(tr_step *s);      // what the arena does not hold of it; or NULL
  // Forget the past: x is the first state, or the first after a discontinuity.
  tr_status (*begin)(tr_step *s, const tr_state *x);
  // Proposes x1 = x at t0 + h from x0. x1 comes with the prediction of a and lam.
  tr_status (*advance)(tr_step *s, const tr_state *x0, double h, tr_state *x1);
  // x1 was accepted.
  void (*accept)(tr_step *s, const tr_state *x0, const tr_state *x1);
  // Other rows are left out from now on, and x->lam is of those that stay: what is known of the past of multipliers
  // is of no use. Or NULL: nothing is.
  void (*rows)(tr_step *s, const tr_state *x);
  // What is carried from step to step besides the state and the rooms: vectors of nv numbers, how many; and
  // the way back: after begin at x, room for as many as after steps of length h. Or NULL.
  int (*past)(tr_step *s, double **vectors);
  void (*resume)(tr_step *s, const tr_state *x, double h, int vectors);
  // Step control by the method itself, instead of `truncation`. error: as tr_step_error, with the order
  // that goes with it. choose, if there: the next step, after one of length h with e = error/tolerance,
  // whether or not e <= 1 let it pass; a step of such a method whose iteration fails is not tried again
  // in another way.
  double (*error)(tr_step *s, const tr_state *x0, double h, const tr_state *x1, bool velocity,
                  int *worst);
  int (*order)(const void *par);
  tr_kkt *(*answers)(tr_step *s); // see tr_step_answer; NULL: s->kkt
  double (*choose)(tr_step *s, double h, double e);
} tr_method;

typedef struct tr_corrector {
  double cq, cv, cm;
  const double *history; // (nv) or NULL
  const double *blocks;  // frozen mass, or NULL: M(q1)
  double *dhat, *vhat;   // (nv)
  // Or dhat = d_v v + d_a a + d_d d, vhat = v + v_a a, and they stay unwritten; v NULL: not so; d NULL: without.
  const double *v, *a, *d; // (nv)
  double d_v, d_a, d_d, v_a;
  double cw;        // stabilised form only
  bool unit_metric; // X = 1
  // The stabilised form under step control in the way of [YP98]: four corrections at most, which must
  // bring the error below a third of what the step may have. In the test are q, v, and if asked for
  // lam and mu.
  bool few, multipliers;
  // The same for higher orders than there: see tr_newton_problem.planned.
  bool brisk;
  // Coordinate split, X = 1: lam and mu are no unknowns but what P leaves over, see split.h; or NULL.
  // plain: the matrix does without (G' lam)_q.
  struct tr_split *split;
  bool plain;
} tr_corrector;

enum { TR_DEGREES = 4 };       // of polynomials that are compared: 0 .. 3
enum { TR_PAST_UNEVEN = 5 };   // what it needs of them when steps change
enum { TR_PAST_VECTORS = 16 }; // of tr_method.past at most

// What the past itself says about the best way to go on from it, see predict.c.
typedef struct tr_trend {
  double gram[TR_TERMS_MAX][TR_TERMS_MAX + 1]; // normal equations, the right-hand side last
  double b[TR_TERMS_MAX];                      // their solution,
  double w[TR_TERMS_MAX];                      // weights of the newest states by it
  bool tame;                                   // they are not too large
  double e[TR_DEGREES], e_b;                   // of the newest state: [k] by degree k; by b
  int steps;                                   // that went into it, all of the same length
} tr_trend;

// A prediction: out = w_0 newest + w_1 older_0 + .., of n states.
typedef struct tr_outlook {
  int n;
  const double *w, *newest;
  const tr_past *past;
  double *out;
} tr_outlook;

typedef struct tr_slots {
  int first, end;
} tr_slots;

// What a of the state where a method begins is good for. Differences tell q''' only where it is q'' of the very state.
typedef enum tr_start {
  TR_START_OWN,   // it is, and the method begins as its parameters say
  TR_START_BEST,  // it is, on the way: the best start, whatever the first was
  TR_START_KEPT,  // it was a moment ago: to go on with as it is
  TR_START_PLAIN, // it is what was asked for: as printed
} tr_start;

// The largest |q|, |v|, |a| of a state, and how fast what turns fastest does so; < 0: not known. Of stabilised methods also the
// largest angle of the step that led there.
typedef struct tr_tops {
  double q, v, a, turn, angle;
} tr_tops;

struct tr_step {
  const tr_system *sys;
  tr_work *work;
  const tr_method *method;
  const void *par;
  tr_newton_settings settings;
  tr_newton newton;
  tr_kkt kkt;
  tr_kkt projection; // [cm X G'; G 0], used by stabilised methods and HHT-ADD on stiff systems
  struct tr_narrow
      *narrow;      // the same without what is always 0, where it is factored; NULL: not yet
  double *twin;     // its factors and those of kkt side by side, once that was of use,
  bool paired;      // as it is,
  int paired_age;   // matrices since that was looked at
  double w_lost;    // corrections a step that would be lost if halves did not wait for each other
  double damped_by; // the largest part of the matrix that is damping, by its diagonal
  int *mass_slot;   // where X goes in it: tr_step_mass_slots
  bool slots_known;
  bool remote;                      // bodies were far from the origin where the method began
  bool stiff;                       // it is needed: kkt is too far from it
  struct tr_columns *columns;       // that do for its factors (columns.c); NULL: not yet
  int columns_used;                 // so many do now,
  int columns_known, columns_looks; // and did when that was measured, matrices ago
  int columns_wait;                 // matrices for which they do not
  double far;  // how slowly one in place of the other would contract, when that was looked at last,
  int far_age; // matrices ago,
  uint64_t far_side;    // with these forces acting
  double contraction;   // the same by measurement,
  double far_rows;      // when row sums were these; 0: never
  int far_looks;        // looks at them since
  double rows;          // these where values are at hand, when they were looked at last
  int near;             // matrices that need no such look
  double half_rate;     // contraction of its second half by the matrix of the first, lately,
  int half_age;         // solves since it was measured,
  double half_first;    // w's first correction when that of positions was
  struct tr_pins *pins; // the second half by itself, where all constraints are pins; or NULL
  bool apart;           // that pays,
  double effort;        // by what the last steps took
  int efforts;          // how many are in it
  int joined,
      joins; // steps for which it does not, whatever they take; how many after the next refusal, or half
  bool made_apart;      // the matrix at hand is of the first half: nothing is known of it for both
  struct tr_full *full; // for a given number of iterations, see full.h; or NULL
  double *damping;      // (nnz + 1) -cv Q_v in the pattern, for stabilised methods on stiff systems
  tr_slots *damped;     // (nv) what is not 0 in its columns
  double *
      stuck; // (nv) its diagonal over cm M where it is many times that, as of friction that sticks; or 0. NULL: none does
  bool sticks; // so it is somewhere
  // for stabilised methods on bodies that turn far in a step
  bool turns;        // the second half has a matrix of its own, with G, and the iteration all terms
  double turns_from; // the angle from which on that pays; 0: none yet
  int turns_many;    // steps in a row that took many corrections without
  long turns_last;   // what the last took, and the fewer of two when it began,
  long turns_before;
  int turns_tried;   // the first steps with it,
  long turns_after;  // what some of them took
  int turns_rest;    // steps for which it is left alone, since it did not pay
  double turns_vain; // at this angle
  // and with few corrections
  bool bends;         // the iteration has all terms, see corrector_si2.c
  double bends_from;  // the step from which on that pays; 0: none yet
  double *bent;       // (nq + 4 nv + 5 nc) a place beside, its rates, corrections of corrections
  bool numbers_apart; // no constraint reads states or variables
  double *w, *mu;     // (nv), (nc) of the step under way, stabilised methods
  double *last_w, *last_mu; // and of the last accepted one; mu = w + nv,
  tr_past past_w;           // as before it
  int degree;               // of the last prediction
  double *sum_a, *sum_lam;  // (nv), (nc) a + cw/cq w, lam - cw/cq mu
  // Where velocities are projected once positions are found these two are what the iteration is about: they are predicted, and
  // w and mu are none then.
  bool sums;                         // so the past is, a step ago
  bool summed;                       // they are the prediction of the step under way
  double *last_sum_a, *last_sum_lam; // of the last accepted one
  double *sum_room;                  // (2 n) where they are at first, or NULL
  int summable;                      // steps in a row that this was so, up to a number
  int felt, feels; // steps for which w is predicted, since forces feel it; how many the next time
  tr_corrector c;
  double **room;      // (method->vectors) of nv numbers
  void *memory;       // what the method's prepare made
  double *blocks;     // (nmass) for a frozen mass
  double *d;          // (nv) increment of the step under way, dhat + cq a1
  const double *base; // (nq) where it begins, or NULL: at the last state; see bdf.c
  double *lam;        // (nc) scratch
  bool afresh;        // begin the iteration at the last state
  bool calm;          // begin the iteration where the bodies coast to
  double *aim;    // or with this increment (nv), and the multipliers as they come; NULL: neither
  double aim_h;   // length of the step that it is from
  double *found;  // (3 nv + nc) room for it, see try.c
  int unsettled;  // a number whose equation the last try found no solution of; -1: none
  long failures;  // tries of steps that came to nothing, whatever was tried next
  tr_start start; // what a of the first state is good for
  double size;    // of the model in m, not more than 1
  double allowed; // error of q under step control, 0: fixed steps
  bool allows_v;  // and of v
  bool ringing;   // the last estimate was mostly of what alternates from step to step
  double error;   // of the last try, over the scales,
  double taken;   // and the part of what is allowed that the last steps took, see tr_step_share
  double *scale_q, *scale_v, *jerk, *last_jerk, *mean_a; // (nv) see estimate.c
  tr_difference jerk_is, last_jerk_is;
  double *most_scale;          // (nv) scale_q does not grow beyond
  double *mean_v, *mean_slope; // (nv) of states
  double *filtered;            // (nv + nc) room
  double *first_force;         // (nv) of a step of an explicit method, what acts at its start,
  double *other_force;         // and what acts otherwise at one of its stages, at most; 0: not told
  double *kick;                // (nv) what the change of forces, had it come at once, would do to v
  bool pulled;                 // something but weight acts on bodies
  bool filters;                // kkt has the matrix of a corrector, for the error of velocities
  double last_h;               // of the last accepted step, 0: none yet
  // while a step is tried, the largest |v|, |a| where it begins; < 0: not known
  double top_v, top_a;
  tr_tops led;    // of where the one tried last leads, q < 0: not known;
  tr_tops known;  // once it is accepted, of the state
  double known_t; // at this time, NAN: of none
  double top_d;   // of the one tried last: |d|, likewise,
  double change;  // and no less than velocities changed by in it; INFINITY: not known
  bool floored;   // round-off was all the tolerance of the last one
  double matrix_cq, matrix_cv, matrix_cm; // coefficients behind the factored matrix
  double last_cq;                         // of the last step it was used in
  double looks;                           // at sizes of its entries, see corrector.c
  // the past, newest first
  int past, terms; // states, and those that it goes on from
  double past_t[TR_TERMS_MAX + 1];
  int evens;                // steps of one length up to the newest
  tr_past past_a, past_lam; // of those before the newest
  double *past_room;        // (4 nv + nc) where they are, free before the first step
  const double *newest_a;   // (nv) the newest a, where it is not that of the state; or NULL
  tr_trend trend_a, trend_lam, trend_w;
  // predictions are left to the corrector, which walks along all bodies anyway (system/stretch.h); x1 is still to be
  // predicted: so
  bool later, ahead;
  tr_outlook ahead_a, ahead_lam;
  double ahead_w[TR_TERMS_MAX], line[TR_TERMS_MAX]; // weights of these, of w
  int trend_age;                                    // steps since they were found
  int trend_rest; // how many times the usual number of them may be
  int untrusted;  // times in a row that they were found of no use
  int trend_wait; // steps until they are found again then
  bool waited;    // that was the last step: they are judged by the next
  bool missed;    // the last prediction by far
  int ample;      // steps in a row whose first corrections were round-off,
  int calm_wait;  // and for how many more that must be so for trends to rest
  int w_age;      // times since that of w was found with them
  int w_degree;   // w is predicted by no higher one than this
  tr_arena arena;
};

// Built-in methods, NULL-terminated.
const tr_method *const *tr_methods(void);

// "name:key=value,key=value" -> method and parameters in the arena.
tr_status tr_method_parse(tr_arena *ar, const char *text, const tr_method **method, void **par,
                          tr_error *error);
// The same; errors have its place in the file.
tr_status tr_method_parse_at(tr_arena *ar, const char *text, const tr_place *place,
                             const tr_method **method, void **par, tr_error *error);
// The method that the model's simulation section asks for; errors have its place in the file.
tr_status tr_method_of_model(tr_arena *ar, const tr_system *sys, const tr_method **method,
                             void **par, tr_error *error);
// The full text of a method with all its parameters.
const char *tr_method_text(tr_arena *ar, const tr_method *method, const void *par);

// team: who shares the work on its workspace and matrices, or NULL; the caller's to free after the step.
tr_status tr_step_new(const tr_system *sys, const tr_method *method, const void *par,
                      const tr_newton_settings *settings, tr_team *team, tr_step **step,
                      tr_error *error);
void tr_step_free(tr_step *s);
// For methods that have matrices of their own, in an arena.
tr_status tr_step_kkt(const tr_step *s, tr_arena *ar, const tr_pattern *p, tr_kkt *k);
tr_status tr_step_begin(tr_step *s, const tr_state *x);
// Other rows are left out from now on: matrices and multipliers of the past are forgotten, motions are not.
void tr_step_change_rows(tr_step *s, const tr_state *x);
// How near to singular the matrices of the last iteration are, as tr_kkt says it; 0: unknown.
double tr_step_rcond(const tr_step *s);
tr_status tr_step_try(tr_step *s, const tr_state *x0, double h, tr_state *x1);
void tr_step_accept(tr_step *s, const tr_state *x0, const tr_state *x1);

// The largest |q| where a step begins.
static inline double tr_step_top_q(const tr_step *s, const tr_state *x0) {
  return s->known_t == x0->t ? s->known.q : tr_largest(s->work, x0->q, s->sys->nq);
}

// The error of v allowed in a step: tol of the largest velocity, and not more than 1000 tol of the
// largest acceleration over the step, lest a and lam suffer when h is small.
double tr_step_tolerance(const tr_step *s, const tr_state *x0);

// Under step control: the part of its usual tolerance that Newton's iteration has. What it leaves of positions is d/h in
// velocities, in every step. So where steps are far shorter than positions ask for it is as much less as their error.
double tr_step_share(const tr_step *s);

// The largest angle by which the step just tried turns a body besides what it did, in space; whose it is.
double tr_step_turn(const tr_step *s, const tr_state *x0, double h, const char **body);

// What earlier steps told about the iteration may be relied upon: steps of one length, and a tolerance that does
// not ask for all there is.
static inline bool tr_step_steady(const tr_step *s) {
  const double tight =
      1e-11; // below that Newton's tolerance asks for all that the iteration can give
  return !(s->allowed > 0) && s->settings.tol >= tight;
}
bool tr_step_regular(const tr_step *s);
// The values of the matrix in s->kkt, for the sizes of its entries, or NULL; whether that is asked for so often that the next
// matrix had better keep them: once for each.
const tr_kkt *tr_step_look(tr_step *s);
bool tr_step_looks(tr_step *s);
// A matrix just made under step control was far from balance (solve/newton.h), by c r/m and by applied forces as large;
// r (nv): the residual, c: positions by accelerations, blocks: the mass.
bool tr_step_strained(tr_step *s, double c, const double *blocks, const double *r);

// The matrix of an earlier step may serve the coefficients in s->c: the same, or under step control
// near enough for the iteration to bear.
bool tr_step_matrix_fits(tr_step *s);

// The local error of a step relative to the scales, and the coordinate that is worst. Once per try.
double tr_step_error(tr_step *s, const tr_state *x0, double h, const tr_state *x1, bool velocity,
                     int *worst);
// Accelerations along the constraints that answer forces, b = (forces, 0), in place, by the matrix of the step just tried:
//   [A G'; G 0] (b, .) = (cm b, 0),  A = cm M + what stiff forces of the step take from it
tr_status tr_step_answer(tr_step *s, double *b);
int tr_step_order(const tr_step *s); // the error goes like h^(order + 1)
// For estimates: the mean square of e_i/scale_i; most, worst: the largest |e_i/scale_i| so far, and where.
double tr_error_square(const tr_step *s, const double *e, const double *scale, int *worst,
                       double *most);
// e (nv) with 0 for states and variables.
void tr_forget_numbers(const tr_system *sys, double *e);
tr_status tr_estimate_make(tr_step *s); // before the first step, for whoever wants estimates
// Explicit methods may tell what acts at each stage, for the estimate; first: of the step.
void tr_estimate_stage(tr_step *s, const double *force, bool first);
void tr_estimate_begin(tr_step *s, const tr_state *x);
void tr_estimate_accept(tr_step *s, const tr_state *x0, const tr_state *x1);

// Room for a vector (nv), and for another, until kkt is used again: that of its solves, if it has any to spare.
static inline double *tr_step_room(const tr_step *s) {
  return s->kkt.factors ? s->kkt.work : s->work->x;
}
static inline double *tr_step_more_room(const tr_step *s) {
  return s->kkt.factors ? s->kkt.work + s->sys->nv : s->work->y;
}

// |G'| |f|, with the G' of a matrix: next to a singular position large multipliers cancel each other.
void tr_forces_pull(const tr_kkt *A, int nv, const double *f, double *pull);
// Round-off in the rows of A x + G' f, that looks random; the same in the rows of constraints, of
// the size `rows`.
// A NULL: its sizes are in tr_step_sizes (for the noise, in r and the same diagonal).
tr_sizes tr_step_sizes(tr_step *s, const double *f);
void tr_forces_noise(tr_step *s, int draw, const tr_kkt *A, const double *x, const double *f,
                     double *r);
void tr_rows_noise(int draw, int n, double rows, double *r);
// A correction above this, unless it is 0, is none of round-off, by the norm of the correctors (solve/newton.h); length:
// the size of the last state.
double tr_step_most_noise(const tr_step *s, double length);
// The rows r (nv) of an equation A x + G' f = .. are mere round-off, given that x is known no better than
// to eps `spread`: `units` of eps. After a residual; A is the corner of a matrix that has been evaluated.
bool tr_forces_at_floor(tr_step *s, const tr_kkt *A, const double *x, const double *f,
                        double spread, double units, const double *r);

// Constraint rows r (nc) are mere round-off: |r_i| c <= positions; in rows of velocities, scaled by 1/cv,
// what the noise of the velocities does to the row of A.
bool tr_rows_at_floor(tr_step *s, const tr_kkt *A, double c, double positions, double noise,
                      const double *r);

// Rows of positions r (nc), scaled by 1/cq, that hold: within the tolerance of velocities, or not many times round-off.
bool tr_rows_closed(const tr_step *s, double length, double tol, const double *r);

// For methods: room for s->projection; and s->projection from the matrix in s->kkt and the mass. True: they
// differ so much that one cannot stand for the other; where it can it is made only if `always`.
tr_status tr_projection_make(tr_step *s);
const int *tr_step_mass_slots(tr_step *s); // tr_mass_slots, found when they are needed first
bool tr_make_projection(tr_step *s, const double *blocks, bool always);
// The same without a look at s->kkt, which is of no use with s->turns.
double tr_fill_projection(tr_step *s, const double *blocks);
// s->projection factored, for one right-hand side at a time; or, where that may be and pays, beside s->kkt (s->paired), for
// those of both halves together: tr_kkt_solve_pair with s->twin (narrow.c).
tr_status tr_second_factor(tr_step *s, bool beside);
// The next one beside s->kkt, which is a matrix in blocks, not factored yet. False: both are to be made anew.
bool tr_second_beside(tr_step *s, const double *mass);
tr_status tr_second_solve(tr_step *s, double *r);
void tr_second_hold(const tr_step *s, double *dw, double *r); // where tr_step_holds_numbers
void tr_second_free(tr_step *s);
// The same by s->kkt and some columns of A - cm X, which is in the corner of s->projection then (columns.c): how many, 0: too
// many; what they add to z after a solve with s->kkt; both halves of r.
int tr_columns_find(tr_step *s, const double *blocks);
void tr_columns_correct(const tr_step *s, double *z);
tr_status tr_columns_solve(tr_step *s, double *r);
// Row sums of A - cm X over the diagonal of cm X, the largest, of a matrix in blocks. Then, once it is factored in s->kkt,
// the contraction to be expected of A where cm X should be; what it may be for A to serve.
double tr_metric_rows(const tr_step *s, const double *A, const double *blocks);
double tr_metric_contraction(tr_step *s, double rows, const double *blocks);
double tr_step_mass_like(const tr_step *s);
tr_status tr_bend_make(tr_step *s); // s->bent, when it is needed first
// s->turns and s->bends for a step that turns a body so far; after it, with so many corrections.
tr_status tr_metric_by_turn(tr_step *s, double turn);
void tr_metric_learn(tr_step *s, double turn, long corrections);
// On stiff systems what is found with s->projection, dw (nv) and -dmu (nc), acts on the right of the first half by the damping
// of forces (s->damping, written with the matrix), and what of dw is not for states is taken away.
void tr_find_damping(tr_step *s, const double *blocks);
// Of a first correction, with the sizes of both halves.
void tr_metric_share(tr_step *s, double y, double dw, double tol);
// It is a small part of A, or corrections lose less by it than they save: halves need not know each other's.
bool tr_damping_mild(const tr_step *s);
bool tr_damping_gives(const tr_system *sys); // it may vanish with the velocity, as that of friction
void tr_couple_halves(const tr_step *s, double *dw, double *r);
bool tr_step_holds_numbers(const tr_step *s); // w = 0 for states and variables
// With s->calm: a such that q1 = q_n o exp(h v_n), no multipliers; with s->aim: such that the increment is that.
void tr_step_calm(const tr_step *s, const tr_state *x0, double t1, tr_state *x1);

// Whether the method begins its iteration by itself, so that what follows is not needed.
static inline bool tr_step_guesses(const tr_step *s) {
  return s->method->guesses || (s->allowed > 0 && s->method->choose);
}
// The past (predict.c): it begins at x; x1 joins it after x0, its newest; a and lam of x1 at time t from it and x0.
void tr_predict_begin(tr_step *s, const tr_state *x);
void tr_predict_remember(tr_step *s, const tr_state *x0, const tr_state *x1);
void tr_predict(tr_step *s, const tr_state *x0, double t, tr_state *x1);
void tr_past_clear(
    tr_step *s); // nothing is kept of a and lam: states have their places as they lie in the room
// It may be left to the corrector (s->ahead): numbers first .. end - 1; all of it.
void tr_predict_some(const tr_outlook *ahead, int first, int end);
void tr_predict_now(tr_step *s);
static inline void tr_have_predicted(tr_step *s) {
  s->ahead = s->past_a.fresh = s->past_lam.fresh = false;
}
void tr_predict_settle_sums(tr_step *s); // before s->sum_a and s->sum_lam are written to otherwise
const double *tr_predict_newest_a(const tr_step *s,
                                  const tr_state *x0); // what past_a goes back from
// w and mu likewise, of the same degree: what it will be, numbers of w and then of mu, whose past has its newest
// difference once all are; all of it; theirs of an accepted step; their past is 0 from number `first` on.
tr_outlook tr_look_ahead_w(tr_step *s, double t);
void tr_predict_w(tr_step *s, double t);
void tr_predict_remember_w(tr_step *s);
void tr_predict_forget_w(tr_step *s, int first);

// For methods: solves the corrector from the prediction in x1; leaves q, v, a, lam in x1.
tr_status tr_correct(tr_step *s, const tr_state *x0, double t1, tr_state *x1);
// For explicit methods: the v of states and variables on their equations at a place, with bodies as they are; guess: of
// lam, for laws that read reactions. By the matrix [M G'; G 0] in s->kkt (settle.c).
tr_status tr_settle_numbers(tr_step *s, double t, const double *q, double *v, const double *mem,
                            const double *guess);
// The same for whoever looks on between steps, by matrices of the place in one of its own.
tr_status tr_settle_aside(tr_step *s, tr_kkt *kkt, double t, const double *q, double *v,
                          const double *mem, const double *guess);
void tr_corrector_write(tr_step *s); // dhat and vhat, where v and a stand for them
tr_status tr_correct_si2(tr_step *s, const tr_state *x0, double t1, tr_state *x1);
void tr_si2_learn_anew(tr_step *s); // nothing is known of what its steps take
bool tr_si2_sums_pay(const tr_step *s);
// Whether a step of length h needs all terms of its matrix: worth another trial after one without them.
static inline bool tr_step_bends(const tr_step *s, double h) {
  return s->bends_from > 0 && h >= s->bends_from;
}

#endif
