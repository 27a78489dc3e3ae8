// SPDX-License-Identifier: Apache-2.0
// Questions about a system at one state: consistency, degrees of freedom.
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
  int coordinates, constraints; // nv, nc
  int rank;                     // of G at the start, after assembly
  int freedom;                  // nv - rank
  double phi, phi_v;            // 2-norms as given
  const char *worst;            // element with the largest |Phi|, or ""
  char findings[2048];          // redundant constraints by name, a line each, or empty
} tr_check_info;
TR_API tr_status tr_check(const tr_system *system, const tr_state *state, tr_check_info *info,
                          tr_error *error);

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

#ifdef __cplusplus
}
#endif
#endif
