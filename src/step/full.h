// SPDX-License-Identifier: Apache-2.0
// Newton's matrix with nothing left out, for a given number of iterations.
//
// The methods that hold velocities too have two sets of index-3 size, and their usual iteration solves
// one after the other and leaves small terms out: it ends in the same place, but comes there another
// way. Who counts the iterations wants the way itself. Here both sets are one sparse system: unknown i of
// set 0 and of set 1 stand side by side, at 2 i and 2 i + 1, and so do the equations.
#ifndef TR_FULL_H
#define TR_FULL_H

#include "step.h"

typedef struct tr_full {
  const tr_system *sys;
  tr_pattern one; // that of the system, with whole blocks for every constraint
  tr_pattern two; // and a block of 2 x 2 for each of its entries
  tr_kkt kkt;
  double *some, *none;             // (nnz + 1) two tangents, by the system's pattern
  double *b;                       // (2 (nv + nc))
  double *q, *d, *rate;            // (nq), (nv), (2 nc) a place beside
  double *slope, *bend_q, *bend_v; // (nc) see tr_full_rate_slope
  bool *masked;                    // (nv + nc) rows taken out
  double ratio;                    // that the second set is taken by
} tr_full;

// In the arena of the step; TR_BAD_INPUT: too many entries to be counted.
tr_status tr_full_new(tr_step *s, tr_full **full);
void tr_full_free(tr_full *f);

// A new matrix: zero, and 1 for the rows that are taken out.
void tr_full_clear(tr_full *f, const tr_mask *mask);
// f->some = the tangent at x by `with` less that by `without`, in which a and lam are 0.
void tr_full_tangent(tr_full *f, tr_work *w, const tr_state *x, const double *a, const double *lam,
                     const double *blocks, tr_coefficients with, tr_coefficients without);
// The entry `row`, `column` of equations `set` and unknowns `of` grows by x.
void tr_full_add(tr_full *f, int set, int of, int row, int column, double x);
// Constraint rows: of positions, of velocities, of states and variables.
enum { TR_PHI = 1, TR_GAM = 2, TR_NUMBERS = 4, TR_ALL = 7 };
// The same for parts of values (system's pattern): the leading block, rows of velocities, columns of
// multipliers; for blocks of the mass, NULL: the unit matrix.
void tr_full_add_corner(tr_full *f, int set, int of, double x, const double *values);
void tr_full_add_rows(tr_full *f, int set, int of, double x, const double *values);
void tr_full_add_columns(tr_full *f, int set, int of, double x, const double *values, int rows);
void tr_full_add_mass(tr_full *f, int set, int of, double x, const double *blocks);
// The same for rows of G (nG) in the order of work->G, and for their transpose.
void tr_full_add_G(tr_full *f, int set, int of, double x, const double *G, int rows);
void tr_full_add_Gt(tr_full *f, int set, int of, double x, const double *G, int rows);
// What is there so far, by displacements at the end of the increment d, is taken by the increment
// itself: times T(d). Nothing changes on flat coordinates.
void tr_full_turn(tr_full *f, const double *d);
// Column j of (G v + Phi_t) by increments, with q1 = q0 o exp(d + ..): f->slope (nc). With z (nv) also those of
// Gam_v z by increments and by velocities: f->bend_q, f->bend_v (nc), 0 in rows of positions.
void tr_full_rate_slope(tr_full *f, tr_work *w, const double *q0, const double *d,
                        const tr_state *x1, double length, const double *z, int j);
// The whole matrix of the stabilised form (full_si2.c). numbers: w of states and variables is 0.
tr_status tr_full_matrix_si2(tr_step *s, const tr_state *x0, const tr_state *x1, double length,
                             bool numbers);
// With the second equations, and the second unknowns, times ratio: entries of 1/h are gone.
tr_status tr_full_factor(tr_full *f, double ratio);
// r = (set 0: nv, nc; set 1: nv, nc), in place.
tr_status tr_full_solve(tr_full *f, double *r);

#endif
