// SPDX-License-Identifier: Apache-2.0
// The set-up of IDA: tolerances on q and v, multipliers out of the error test (IDASetSuppressAlg), the
// matrix by hand, KLU.
#include "ida_solve.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

static const char *said; // by IDA

static int residual(realtype t, N_Vector y, N_Vector yp, N_Vector r, void *data) {
  const ggl *g = data;
  g->residual(g, t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp), N_VGetArrayPointer(r));
  return 0;
}

static int jacobian(realtype t, realtype cj, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix J,
                    void *data, N_Vector a, N_Vector b, N_Vector c) {
  (void)r, (void)a, (void)b, (void)c;
  ggl *g = data;
  ggl_evaluate(g, t, cj, N_VGetArrayPointer(y), N_VGetArrayPointer(yp));
  if (SUNMatGetID(J) == SUNMATRIX_DENSE) {
    for (int j = 0; j < g->n; j++)
      for (int k = g->column[j]; k < g->column[j + 1]; k++)
        SM_ELEMENT_D(J, g->row[k], j) = g->values[k];
    return 0;
  }
  sunindextype *column = SUNSparseMatrix_IndexPointers(J), *row = SUNSparseMatrix_IndexValues(J);
  for (int j = 0; j <= g->n; j++) column[j] = g->column[j];
  for (int k = 0; k < g->nnz; k++) row[k] = g->row[k];
  memcpy(SUNSparseMatrix_Data(J), g->values, (size_t)g->nnz * sizeof *g->values);
  return 0;
}

static void keep_words(int code, const char *module, const char *function, char *message,
                       void *data) {
  (void)code, (void)module, (void)function, (void)data;
  said = bench_words(message);
}

// The last one is the end itself, to the bit.
static double sample(const ida_options *o, int k) {
  return k + 1 < o->samples ? (k + 1) * o->end / o->samples : o->end;
}

static void integrate(bench_result *r, void *ida, ggl *g, const ida_options *o, N_Vector y,
                      N_Vector yp, N_Vector between) {
  const double *now = N_VGetArrayPointer(y);
  double t = 0, E0 = g->energy ? g->energy(g, now) : NAN, cpu = bench_cpu();
  int seen = 0;
  IDASetStopTime(ida, o->end);
  while (t < o->end) {
    int flag = IDASolve(ida, o->end, &t, y, yp, IDA_ONE_STEP);
    if (flag < 0) {
      r->words = said ? said : bench_words(IDAGetReturnFlagName(flag));
      break;
    }
    if (g->accept) g->accept(g, t, now);
    for (; seen < o->samples && sample(o, seen) <= t; seen++) {
      IDAGetDky(ida, sample(o, seen), 0, between);
      o->see(o->who, seen, sample(o, seen), N_VGetArrayPointer(between));
    }
  }
  r->cpu_s = bench_cpu() - cpu;
  IDAGetNumSteps(ida, &r->steps);
  if (g->observe) g->observe(g, now, r->x, r->v);
  r->energy = g->energy ? fabs(g->energy(g, now) - E0) : NAN;
  if (getenv("BENCH_VERBOSE")) {
    long jac, res, newton, fails, tests;
    IDAGetNumJacEvals(ida, &jac), IDAGetNumResEvals(ida, &res);
    IDAGetNumNonlinSolvIters(ida, &newton), IDAGetNumNonlinSolvConvFails(ida, &fails);
    IDAGetNumErrTestFails(ida, &tests);
    fprintf(
        stderr,
        "steps %ld residuals %ld newton %ld matrices %ld test failures %ld newton failures %ld\n",
        r->steps, res, newton, jac, tests, fails);
  }
}

void ida_solve(bench_result *r, ggl *g, const ida_options *o) {
  int n = g->n, free_ = 2 * g->nq;
  double before = bench_cpu();
  SUNContext context;
  SUNContext_Create(NULL, &context);
  N_Vector y = N_VNew_Serial(n, context), yp = N_VClone(y), id = N_VClone(y), at = N_VClone(y);
  N_Vector between = N_VClone(y);
  SUNMatrix J =
      o->dense ? SUNDenseMatrix(n, n, context) : SUNSparseMatrix(n, n, g->nnz, CSC_MAT, context);
  SUNLinearSolver ls = o->dense ? SUNLinSol_Dense(y, J, context) : SUNLinSol_KLU(y, J, context);
  if (!o->dense) SUNLinSol_KLUSetOrdering(ls, o->amd ? 0 : 1);
  void *ida = IDACreate(context);
  said = NULL;
  r->words = ggl_start(g, N_VGetArrayPointer(y), N_VGetArrayPointer(yp)) ? "no start" : NULL;
  for (int i = 0; i < n; i++) {
    N_VGetArrayPointer(id)[i] = i < free_ && !(g->algebraic && g->algebraic(g, i));
    N_VGetArrayPointer(at)[i] = i < free_ || !o->motion ? o->tol : 1e10;
  }
  IDASetErrHandlerFn(ida, keep_words, NULL);
  IDAInit(ida, residual, 0, y, yp);
  IDASVtolerances(ida, o->tol, at);
  IDASetId(ida, id);
  IDASetSuppressAlg(ida, SUNTRUE);
  if (o->newton > 0) IDASetNonlinConvCoef(ida, o->newton);
  if (o->first > 0) IDASetInitStep(ida, o->first);
  IDASetMaxOrd(ida, o->order);
  IDASetMaxNumSteps(ida, -1);
  IDASetUserData(ida, g);
  IDASetLinearSolver(ida, ls, J);
  IDASetJacFn(ida, jacobian);
  r->setup_s = bench_cpu() - before;
  if (!r->words) integrate(r, ida, g, o, y, yp, between);
  IDAFree(&ida);
  SUNLinSolFree(ls);
  SUNMatDestroy(J);
  N_VDestroy(y), N_VDestroy(yp), N_VDestroy(id), N_VDestroy(at);
  N_VDestroy(between);
  SUNContext_Free(&context);
}
