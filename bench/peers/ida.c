// SPDX-License-Identifier: Apache-2.0
// SUNDIALS IDA on hand-written stabilised index-2 equations, matrix by hand, KLU.
//   ida PROBLEM N TOL|check [option=value ..]
//     test=motion|all    Newton's test: q and v alone, or the multipliers too (IDA's way)
//     newton=X           its coefficient (IDA: 0.33)        first=H    first step (IDA's estimate)
//     order=1..5         largest order                      ordering=amd|colamd, solver=klu|dense
// check: the matrix against differences of the residual.
#include "ida_solve.h"

typedef struct job {
  ggl *g;
  const ida_options *o;
} job;

static void run(bench_result *r, const void *data) {
  const job *j = data;
  ida_solve(r, j->g, j->o);
}

// -1: the matrix differs from differences of the residual by more than round-off.
static int check(ggl *g) {
  double *y = calloc((size_t)g->n, sizeof *y), *yp = calloc((size_t)g->n, sizeof *yp);
  double *r = calloc((size_t)g->n, sizeof *r), *s = calloc((size_t)g->n, sizeof *s), worst = 0;
  const double cj = 3, eps = 1e-6;
  for (int i = 0; i < g->n; i++) y[i] = sin(i + 1), yp[i] = cos(3 * i + 1);
  ggl_evaluate(g, 0, cj, y, yp);
  for (int j = 0; j < g->n; j++) {
    y[j] += eps, yp[j] += cj * eps, g->residual(g, 0, y, yp, r);
    y[j] -= 2 * eps, yp[j] -= 2 * cj * eps, g->residual(g, 0, y, yp, s);
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
  ida_options o = {.order = 5, .motion = 1, .amd = 1};
  ggl *g;
  bench_problem problem = argc > 2 ? bench_find(argv[1]) : BENCH_PROBLEMS;
  if (problem == BENCH_PROBLEMS) {
    fprintf(stderr, "ida a02|chain|slider|andrews N TOL|check [option=value ..]\n");
    return 2;
  }
  int n = atoi(argv[2]);
  for (int i = 4; i < argc; i++) {
    if (!strcmp(argv[i], "test=all")) o.motion = 0;
    if (!strncmp(argv[i], "order=", 6)) o.order = atoi(argv[i] + 6);
    if (!strncmp(argv[i], "newton=", 7)) o.newton = atof(argv[i] + 7);
    if (!strncmp(argv[i], "first=", 6)) o.first = atof(argv[i] + 6);
    if (!strcmp(argv[i], "ordering=colamd")) o.amd = 0;
    if (!strcmp(argv[i], "solver=dense")) o.dense = 1;
    snprintf(method + strlen(method), sizeof method - strlen(method), ":%s", argv[i]);
  }
  double before = bench_cpu();
  if (!(g = ggl_make(problem, n))) return 2;
  before = bench_cpu() - before;
  if (argc > 3 && !strcmp(argv[3], "check")) return check(g);
  o.tol = argc > 3 ? atof(argv[3]) : 1e-6;
  bench_result r = {
      .engine = "ida", .method = method, .problem = problem, .n = n, .setting = o.tol};
  o.end = bench_end(problem);
  bench_repeat(&r, run, &(job){g, &o});
  r.setup_s += before;
  ggl_free(g);
  return bench_print(&r);
}
