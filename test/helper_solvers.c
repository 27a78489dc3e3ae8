// SPDX-License-Identifier: Apache-2.0
#include "helper_solvers.h"

#include <math.h>
#include <string.h>

void pair_make(pair *t, const tr_pattern *p) {
  t->ar = tr_arena_make(NULL);
  for (int i = 0; i < 2; i++) {
    t->p[i] = *p;
    t->p[i].klu_only = i == 1;
    assert_int_equal(tr_pattern_analyse(&t->ar, &t->p[i], 0), TR_OK);
    assert_int_equal(tr_kkt_make(&t->ar, &t->p[i], &t->k[i]), TR_OK);
    t->x[i] = TR_NEW(&t->ar, 3 * p->n, double);
  }
  t->b = TR_NEW(&t->ar, 3 * p->n, double);
  assert_true(t->p[0].blocks && !t->p[0].klu && t->p[1].klu);
}

void pair_free(pair *t) {
  for (int i = 0; i < 2; i++) tr_kkt_free(&t->k[i]);
  tr_arena_free(&t->ar);
}

double compare_solvers(pair *t, seed *s, bool blocks) {
  int n = t->p[0].n;
  double apart = 0;
  memcpy(t->k[1].values, t->k[0].values, (size_t)t->p[0].nnz * sizeof *t->k[0].values);
  for (int i = 0; i < 2; i++) assert_int_equal(tr_kkt_factor(&t->k[i]), TR_OK);
  assert_true(t->k[0].rcond > 0 && t->k[0].rcond <= 1);
  draw_many(s, 3 * n, t->b);
  for (int count = 1; count <= 3; count += 2) {
    for (int i = 0; i < 2; i++) {
      memcpy(t->x[i], t->b, 3 * (size_t)n * sizeof *t->b);
      assert_int_equal(tr_kkt_solve(&t->k[i], count, t->x[i]), TR_OK);
    }
    double most = largest(count * n, t->x[1]);
    for (int j = 0; j < count * n; j++) apart = fmax(apart, fabs(t->x[0][j] - t->x[1][j]) / most);
  }
  if (t->k[0].by_blocks != blocks) // the first solve may have told
    fail_msg("by blocks: %d, rcond %g", t->k[0].by_blocks, t->k[1].rcond);
  return apart;
}

void pair_make_planned(pair *t, const tr_pattern *p) {
  *t = (pair){.ar = tr_arena_make(NULL), .p = {*p, *p}};
  t->p[1].klu_only = true;
  assert_int_equal(tr_pattern_analyse(&t->ar, &t->p[1], 0), TR_OK);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(tr_kkt_make(&t->ar, &t->p[i], &t->k[i]), TR_OK);
    t->x[i] = TR_NEW(&t->ar, 3 * p->n, double);
  }
  t->b = TR_NEW(&t->ar, 3 * p->n, double);
}
