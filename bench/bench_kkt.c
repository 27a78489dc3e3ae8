// SPDX-License-Identifier: Apache-2.0
// The block solver against KLU on the KKT matrix of a model at its start:
//   bench_kkt MODEL.yaml [NAME=VALUE ...]
// prints the order, microseconds of a factorisation and of solves with one and two right-hand sides by
// both (best of several, CPU time), and how far their solutions are apart.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sparse/block.h"
#include "system/system.h"
#include "trammel/trammel.h"

enum { REPEAT = 7 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

typedef struct timing {
  double factor, solve[2]; // us
  double *x;
} timing;

static bool measure(const tr_pattern *p, const double *values, timing *out) {
  tr_arena ar = tr_arena_make(NULL);
  tr_kkt k;
  int n = p->n, turns = 1 + 400000 / p->nnz;
  double *b = malloc(2 * (size_t)n * sizeof *b);
  bool ok = b && tr_kkt_make(&ar, p, &k) == TR_OK;
  *out = (timing){INFINITY, {INFINITY, INFINITY}, b};
  if (!ok) return false;
  k.rough = true; // as in a step
  memcpy(k.values, values, ((size_t)p->nnz + 1) * sizeof *values);
  ok = tr_kkt_factor(&k) == TR_OK;
  for (int r = 0; r < REPEAT && ok; r++) {
    double t0 = now();
    for (int i = 0; i < turns && ok; i++) ok = tr_kkt_factor(&k) == TR_OK;
    out->factor = fmin(out->factor, (now() - t0) / turns);
    for (int count = 2; count >= 1; count--) {
      double sum = 0;
      for (int i = 0; i < turns && ok; i++) {
        for (int j = 0; j < count * n; j++) b[j] = (j * 7 % 11) - 5;
        t0 = now();
        ok = tr_kkt_solve(&k, count, b) == TR_OK;
        sum += now() - t0;
      }
      out->solve[count - 1] = fmin(out->solve[count - 1], sum / turns);
    }
  }
  tr_kkt_free(&k);
  tr_arena_free(&ar);
  return ok;
}

static void show(const char *name, const tr_pattern *p, const tr_pattern *klu,
                 const double *values) {
  timing a, b;
  bool ok = measure(p, values, &a) & measure(klu, values, &b);
  double apart = 0, most = 0;
  for (int i = 0; i < p->n && ok; i++) {
    apart = fmax(apart, fabs(a.x[i] - b.x[i]));
    most = fmax(most, fabs(b.x[i]));
  }
  printf(
      "%-28s %7d %8.1f %7.1f %8.1f %8.1f %8.1f | %8.1f %8.1f %8.1f | %5.2f %5.2f %5.2f  %.0e%s%s\n",
      name, p->n, p->blocks ? p->blocks->flops / p->n : 0,
      p->blocks ? (double)p->blocks->numbers / p->n : 0, a.factor, a.solve[0], a.solve[1], b.factor,
      b.solve[0], b.solve[1], b.factor / a.factor, b.solve[0] / a.solve[0], b.solve[1] / a.solve[1],
      apart / most, ok ? "" : " failed", p->blocks ? "" : " no blocks");
  free(a.x), free(b.x);
}

int main(int argc, char **argv) {
  tr_error error = {0};
  tr_model *model = NULL;
  tr_system *sys = NULL;
  tr_state x;
  tr_work *w = NULL;
  bool ok = argc > 1 && tr_model_new(NULL, &model) == TR_OK &&
            tr_model_read_file(model, argv[1], &error) == TR_OK;
  for (int i = 2; i < argc && ok; i++) {
    char *value = strchr(argv[i], '=');
    if (value) *value++ = 0;
    ok = value && tr_model_set(model, argv[i], value, &error) == TR_OK;
  }
  double t0 = now();
  ok = ok && tr_compile(model, &sys, &error) == TR_OK;
  t0 = now() - t0;
  ok = ok && tr_state_new(sys, &x, &error) == TR_OK && tr_work_new(sys, &w) == TR_OK;
  if (!ok) {
    fprintf(stderr, "bench_kkt: %s\n", error.text);
    return 1;
  }
  for (int i = 0; i < sys->nv; i++) x.a[i] = sin(i);
  for (int i = 0; i < sys->nc; i++) x.lam[i] = cos(i);
  double h = 1e-3;
  double *values = calloc((size_t)sys->pattern.nnz + 1, sizeof *values);
  tr_coefficients c = {.cm = 1, .ck = h * h / 4, .cd = h / 2};
  tr_tangent(w, 0, x.q, x.v, x.mem, x.a, x.lam, NULL, c, values);
  tr_arena ar = tr_arena_make(NULL);
  tr_pattern klu = sys->pattern;
  klu.klu_only = true;
  if (tr_pattern_analyse(&ar, &klu, 0) != TR_OK) return 1;
  printf("%-28s %7s %8s %7s %8s %8s %8s | %8s %8s %8s |  ratios           apart\n", "model", "n",
         "flops/n", "room/n", "factor", "solve", "solve 2", "KLU", "solve", "solve 2");
  const char *slash = strrchr(argv[1], '/');
  show(slash ? slash + 1 : argv[1], &sys->pattern, &klu, values);
  printf("compiled in %.0f us\n", t0);
  tr_arena_free(&ar);
  free(values);
  tr_work_free(w);
  tr_state_free(sys, &x);
  tr_system_free(sys);
  tr_model_free(model);
  return 0;
}
