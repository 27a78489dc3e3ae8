// SPDX-License-Identifier: Apache-2.0
// SUNDIALS IDA on hand-written stabilised index-2 equations, matrix by hand, KLU.
//   ida PROBLEM N TOL [test=all|motion] [order=1..5] [ordering=amd|colamd] [solver=klu|dense]
//
// relative = absolute tolerance on q and v; multipliers out of the error test (IDASetSuppressAlg). Newton's
// test in IDA counts all unknowns; test=motion gives the multipliers a tolerance so wide that they do not.
#include <ida/ida.h>
#include <klu.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "ggl.h"

typedef struct options {
  double tol;
  int order, motion, amd, dense, all_errors;
  double newton, first; // 0: IDA's own
  ggl *g;
} options;

static const char *said; // by IDA

static int residual(realtype t, N_Vector y, N_Vector yp, N_Vector r, void *data) {
  (void)t;
  const ggl *g = data;
  g->residual(g, N_VGetArrayPointer(y), N_VGetArrayPointer(yp), N_VGetArrayPointer(r));
  return 0;
}

static int jacobian(realtype t, realtype cj, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix J,
                    void *data, N_Vector a, N_Vector b, N_Vector c) {
  (void)t, (void)r, (void)a, (void)b, (void)c;
  ggl *g = data;
  ggl_evaluate(g, cj, N_VGetArrayPointer(y), N_VGetArrayPointer(yp));
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

static void solve(bench_result *r, void *ida, N_Vector y, N_Vector yp, const options *o) {
  double t = 0, end = bench_end(r->problem), cpu = bench_cpu();
  IDASetStopTime(ida, end);
  while (t < end) {
    int flag = IDASolve(ida, end, &t, y, yp, IDA_NORMAL);
    if (flag < 0) {
      r->words = said ? said : bench_words(IDAGetReturnFlagName(flag));
      break;
    }
  }
  r->cpu_s = bench_cpu() - cpu;
  IDAGetNumSteps(ida, &r->steps);
  o->g->observe(o->g, N_VGetArrayPointer(y), r->x, r->v);
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

static void run(bench_result *r, const void *data) {
  const options *o = data;
  ggl *g = o->g;
  int n = g->n, free_ = 2 * g->nq;
  double before = bench_cpu();
  SUNContext context;
  SUNContext_Create(NULL, &context);
  N_Vector y = N_VNew_Serial(n, context), yp = N_VClone(y), id = N_VClone(y), at = N_VClone(y);
  SUNMatrix J =
      o->dense ? SUNDenseMatrix(n, n, context) : SUNSparseMatrix(n, n, g->nnz, CSC_MAT, context);
  SUNLinearSolver ls = o->dense ? SUNLinSol_Dense(y, J, context) : SUNLinSol_KLU(y, J, context);
  if (!o->dense) SUNLinSol_KLUSetOrdering(ls, o->amd ? 0 : 1);
  void *ida = IDACreate(context);
  said = NULL;
  r->words = ggl_start(g, N_VGetArrayPointer(y), N_VGetArrayPointer(yp)) ? "no start" : NULL;
  for (int i = 0; i < n; i++) {
    N_VGetArrayPointer(id)[i] = i < free_;
    N_VGetArrayPointer(at)[i] = i < free_ || !o->motion ? o->tol : 1e10;
  }
  IDASetErrHandlerFn(ida, keep_words, NULL);
  IDAInit(ida, residual, 0, y, yp);
  IDASVtolerances(ida, o->tol, at);
  IDASetId(ida, id);
  IDASetSuppressAlg(ida, o->all_errors ? SUNFALSE : SUNTRUE);
  if (o->newton > 0) IDASetNonlinConvCoef(ida, o->newton);
  if (o->first > 0) IDASetInitStep(ida, o->first);
  IDASetMaxOrd(ida, o->order);
  IDASetMaxNumSteps(ida, -1);
  IDASetUserData(ida, g);
  IDASetLinearSolver(ida, ls, J);
  IDASetJacFn(ida, jacobian);
  r->setup_s = bench_cpu() - before;
  if (!r->words) solve(r, ida, y, yp, o);
  IDAFree(&ida);
  SUNLinSolFree(ls);
  SUNMatDestroy(J);
  N_VDestroy(y), N_VDestroy(yp), N_VDestroy(id), N_VDestroy(at);
  SUNContext_Free(&context);
}

// -1: the matrix differs from differences of the residual by more than round-off.
static int check(ggl *g) {
  double *y = calloc((size_t)g->n, sizeof *y), *yp = calloc((size_t)g->n, sizeof *yp);
  double *r = calloc((size_t)g->n, sizeof *r), *s = calloc((size_t)g->n, sizeof *s), worst = 0;
  const double cj = 3, eps = 1e-6;
  for (int i = 0; i < g->n; i++) y[i] = sin(i + 1), yp[i] = cos(3 * i + 1);
  ggl_evaluate(g, cj, y, yp);
  for (int j = 0; j < g->n; j++) {
    y[j] += eps, yp[j] += cj * eps, g->residual(g, y, yp, r);
    y[j] -= 2 * eps, yp[j] -= 2 * cj * eps, g->residual(g, y, yp, s);
    y[j] += eps, yp[j] += cj * eps;
    for (int i = 0; i < g->n; i++) r[i] = (r[i] - s[i]) / (2 * eps);
    for (int k = g->column[j]; k < g->column[j + 1]; k++) r[g->row[k]] -= g->values[k];
    for (int i = 0; i < g->n; i++) worst = fmax(worst, fabs(r[i]));
  }
  printf("matrix against differences: %.1e\n", worst);
  free(y), free(yp), free(r), free(s);
  return worst < 1e-6 ? 0 : -1;
}

int main(int argc, char **argv) {
  static char method[128] = "ggl";
  options o = {.order = 5, .motion = 1, .amd = 1};
  bench_problem problem = argc > 2 ? bench_find(argv[1]) : BENCH_PROBLEMS;
  if (problem == BENCH_PROBLEMS) {
    fprintf(stderr, "ida a02|chain|slider|andrews N TOL|check [option=value ..]\n");
    return 2;
  }
  int n = atoi(argv[2]);
  for (int i = 4; i < argc; i++) {
    if (!strcmp(argv[i], "test=all")) o.motion = 0;
    if (!strncmp(argv[i], "order=", 6)) o.order = atoi(argv[i] + 6);
    if (!strcmp(argv[i], "errors=all")) o.all_errors = 1;
    if (!strncmp(argv[i], "newton=", 7)) o.newton = atof(argv[i] + 7);
    if (!strncmp(argv[i], "first=", 6)) o.first = atof(argv[i] + 6);
    if (!strcmp(argv[i], "ordering=colamd")) o.amd = 0;
    if (!strcmp(argv[i], "solver=dense")) o.dense = 1;
    snprintf(method + strlen(method), sizeof method - strlen(method), ":%s", argv[i]);
  }
  double before = bench_cpu();
  if (!(o.g = ggl_make(problem, n))) return 2;
  before = bench_cpu() - before;
  if (argc > 3 && !strcmp(argv[3], "check")) return check(o.g);
  o.tol = argc > 3 ? atof(argv[3]) : 1e-6;
  bench_result r = {
      .engine = "ida", .method = method, .problem = problem, .n = n, .setting = o.tol};
  r.energy = NAN;
  bench_repeat(&r, run, &o);
  r.setup_s += before;
  ggl_free(o.g);
  return bench_print(&r);
}
