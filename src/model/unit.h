// SPDX-License-Identifier: Apache-2.0
// Dimensions, the units of model files, and the dimension of every quantity.
//
// A dimension is the exponents of m, kg, s and rad. The radian is carried along so that messages can
// say "angle", but it never decides whether two dimensions agree: N m/rad and N m are the same.
#ifndef TR_UNIT_H
#define TR_UNIT_H

#include <stdbool.h>
#include <stddef.h>

#include "trammel/model.h"

typedef struct tr_dim {
  double e[4]; // m, kg, s, rad
} tr_dim;

tr_dim tr_dim_add(tr_dim a, tr_dim b, double weight); // of x * y^weight
bool tr_dim_agree(tr_dim a, tr_dim b);                // but for rad
bool tr_dim_is_plain(tr_dim a);                       // but for rad
bool tr_dim_is_zero(tr_dim a);                        // rad included

tr_dim tr_quantity_dim(tr_quantity quantity);

enum { TR_DIM_TEXT = 96 };
// "a length (m)", "a plain number", or "of the unit kg/m^3" when the dimension has no name.
void tr_dim_describe(tr_dim dim, char text[TR_DIM_TEXT]);
void tr_quantity_describe(tr_quantity quantity, char text[TR_DIM_TEXT]);

// A unit: its size in SI is mul / div, two exact numbers wherever possible, so that 35 cm becomes
// 35 / 100, correctly rounded, and not 35 * 0.01.
typedef struct tr_unit {
  double mul, div;
  tr_dim dim;
} tr_unit;
// A unit symbol of n letters, prefix included. False: not a unit.
bool tr_unit_find(const char *symbol, size_t n, tr_unit *unit);
tr_unit tr_unit_times(tr_unit a, tr_unit b, int power); // a * b^power
// The common symbols, NULL-terminated: candidates for a misspelt one.
const char *const *tr_unit_symbols(void);

#endif
