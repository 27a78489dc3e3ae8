// SPDX-License-Identifier: Apache-2.0
// A mechanism as IDA gets it: the stabilised index-2 equations of Gear, Gupta and Leimkuhler,
//   q' - v + G' mu = 0,   M v' - f + G' lam = 0,   G v = 0,   Phi = 0
// in y = (q, v, lam, mu), with the sparse matrix dF/dy + cj dF/dy' written by hand.
#ifndef GGL_H
#define GGL_H

#include <stdbool.h>

#include "../bench.h"

typedef struct ggl ggl;
struct ggl {
  int nq, nc; // n = 2 (nq + nc)
  void (*residual)(const ggl *g, double t, const double *y, const double *yp, double *r);
  // Emits every entry in one fixed order, by ggl_emit.
  void (*matrix)(ggl *g, double t, double cj, const double *y, const double *yp);
  void (*observe)(const ggl *g, const double *y, double *x, double *v); // or NULL
  double (*energy)(const ggl *g, const double *y);                      // or NULL
  void (*accept)(ggl *g, double t, const double *y);                    // after each step, or NULL
  bool (*algebraic)(const ggl *g, int i);                               // of q and v, or NULL: none
  double *q0, *v0;
  void *data;
  // the matrix, compressed columns
  int n, nnz, *column, *row;
  double *values;
  // private to ggl.c
  int entries, at, *slot, *entry_row, *entry_column;
  double *entry;
};

// a += x at (row, column). Entries that are ever emitted belong to the pattern.
static inline void ggl_emit(ggl *g, int row, int column, double x) {
  if (g->slot) {
    g->values[g->slot[g->at++]] += x;
  } else {
    g->entry_row[g->at] = row, g->entry_column[g->at] = column;
    g->entry[g->at++] = x;
  }
}

ggl *ggl_make(bench_problem problem, int n); // NULL: no memory
int ggl_finish(ggl *g); // n and the pattern, once a mechanism is filled in; 0: done
void ggl_free(ggl *g);
void ggl_evaluate(ggl *g, double t, double cj, const double *y, const double *yp); // values
// y, yp consistent: multipliers and accelerations from the equations. 0: done.
int ggl_start(ggl *g, double *y, double *yp);

// The mechanisms: fill nq, nc, entries (at most), the functions, q0, v0, data.
int ggl_planar(ggl *g, bench_problem problem, int n);
int ggl_andrews(ggl *g);

#endif
