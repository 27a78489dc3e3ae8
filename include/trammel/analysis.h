// SPDX-License-Identifier: Apache-2.0
// Questions about a system at one state: consistency, degrees of freedom. Published results, computed
// again.
#ifndef TRAMMEL_ANALYSIS_H
#define TRAMMEL_ANALYSIS_H

#include "run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tr_start_info {
  double phi_before, phi_v_before; // 2-norms of Phi and G v + Phi_t as given
  double phi_after, phi_v_after;
  double moved_q, moved_v; // largest change of a coordinate, of a velocity
  int iterations;
} tr_start_info;

// Projects q and v onto the constraints in the mass metric (kept coordinates stay exactly), then
// finds a and lam. A consistent state is left alone to round-off. info may be NULL.
TR_API tr_status tr_consistent_start(const tr_system *system, tr_state *state, tr_start_info *info,
                                     tr_error *error);
// a and lam at a state, from [M G'; G 0] (a, lam) = (Q, -gacc). q and v are left alone.
TR_API tr_status tr_accelerations(const tr_system *system, tr_state *state, tr_error *error);

typedef struct tr_check_info {
  int coordinates, constraints; // nv, and rows that hold
  int idle;                     // rows of joints that hold only once an event has locked them
  int rank;                     // of G at the start, after assembly
  int freedom;                  // of velocities: nv - rank
  int of_velocities;            // rows that constrain velocities only (nonholonomic)
  int freedom_of_positions;     // more than `freedom` by those that are independent
  double phi, phi_v;            // 2-norms as given
  const char *worst;            // element with the largest |Phi|, or ""
  char findings[2048];          // redundant constraints by name, a line each, or empty
} tr_check_info;
// The method named in the model's simulation section exists and its parameters fit.
TR_API tr_status tr_check_method(const tr_system *system, tr_error *error);
// The same for a model that does not compile, beside its other mistakes.
TR_API tr_status tr_check_model_method(const tr_model *model, tr_error *error);
TR_API tr_status tr_check(const tr_system *system, const tr_state *state, tr_check_info *info,
                          tr_error *error);

// ---- the constraint doctor --------------------------------------------------------------------------

// The constraints at a consistent state, in numbers and in words. Texts are lines, "" where there is
// nothing to say, and live as long as the examination.
typedef struct tr_examination {
  int coordinates, constraints;
  int gruebler;      // coordinates - constraints
  int rank, freedom; // rank of G, coordinates - rank; -1: too large to tell
  int rank_nearby;   // where the mechanism moves to. More than rank: the position is singular
  bool locked;       // motions are free to first order only: bars that just reach, say
  bool branches;     // not all motions that are free here go on: singular, whatever the rank nearby
  double closeness;  // 0 .. 1: sine of the angle that is left between constraints
  bool nearly;       // so little that the position is nearly singular
  const char *redundant; // joint "D": 3 of 5 rows repeat what "A", "B", "C" say
  const char *reactions; // those that are not unique: A (fz, tx, ty), B (fz)
  const char *motions; // of a (nearly) singular position what is (almost) free; else all, if asked
} tr_examination;
TR_API tr_status tr_examine(const tr_system *system, const tr_state *state, bool all_motions,
                            tr_examination **examination, tr_error *error);
TR_API void tr_examination_free(tr_examination *examination); // NULL is fine

// What an element adds to the equations: unknowns or constraint rows.
typedef struct tr_element_info {
  const char *kind; // "body", "joint", "force"
  const char *type, *name;
  int coordinates, constraints;
} tr_element_info;
TR_API int tr_element_count(const tr_system *system);
TR_API tr_element_info tr_element_describe(const tr_system *system, int element);
// The 2-norm of each element's rows of Phi at a state, (tr_element_count) numbers.
TR_API tr_status tr_element_violations(const tr_system *system, const tr_state *state,
                                       double *violation);

// ---- published results ----------------------------------------------------------------------------

// One number of a paper beside ours. The texts live as long as the call that hands them over.
typedef struct tr_verify_entry {
  const char *group, *label;
  const char *unit;      // "" where it has none
  const char *published; // as printed: "7.72e-2"; or a bound: "< 1e-9", "> 0"; or "-": nothing
  double computed;
  double difference; // computed - published; NaN for a bound
  bool bound;        // no number was printed: a bound, a trend, or nothing
  bool digits;       // every printed digit is reproduced; of a bound: it holds
  bool ok;           // and here the last one may be off by one
  const char *note;  // or ""
} tr_verify_entry;

struct tr_figure;
// Embed it in a struct of your own. Anything but TR_OK ends the run with that status.
typedef struct tr_verifier tr_verifier;
struct tr_verifier {
  tr_status (*entry)(tr_verifier *self, const tr_verify_entry *entry);
  // From time to time, done = 0 .. 1 of the group; may be NULL.
  tr_status (*progress)(tr_verifier *self, const char *group, double done);
  // A figure of the group (report.h), to be used before it returns; may be NULL: none are made.
  tr_status (*figure)(tr_verifier *self, const struct tr_figure *figure);
};

typedef struct tr_verify_group {
  const char *name, *doc, *reference; // reference: key into docs/references.md
} tr_verify_group;
TR_API int tr_verify_count(void);
TR_API tr_verify_group tr_verify_describe(int group);
// Runs one group, entry by entry in a fixed order. A deviation is an entry that is not ok; the status
// tells of runs that could not be done.
TR_API tr_status tr_verify(int group, tr_verifier *verifier, tr_error *error);

#ifdef __cplusplus
}
#endif
#endif
