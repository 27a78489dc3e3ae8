// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of small dense matrices.
#ifndef TR_EIGEN_H
#define TR_EIGEN_H

#include <complex.h>

#include "base/base.h"

// Of A (n x n, row-major, destroyed) into w (n). TR_NO_CONVERGENCE, TR_NOT_FINITE, TR_NO_MEMORY.
tr_status tr_eigenvalues(tr_arena *ar, int n, double *A, double complex *w);
// x := A^-1 x (n x columns, row-major), A destroyed; by elimination with pivoting. TR_SINGULAR.
tr_status tr_dense_solve(int n, double *A, int columns, double *x);

#endif
