// SPDX-License-Identifier: Apache-2.0
// The linear solver: dense, KLU and block paths agree, reuse of pivots is watched, broken matrices are
// statuses.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helper_mechanics.h"
#include "sparse/block_count.h"
#include "sparse/kkt.h"

enum { MAX_SIZE = 64 };
typedef enum back_end { DENSE, KLU, BLOCKS, PATHS } back_end;

// [M G'; G 0] of random numbers, M banded and dominant, G with `reach` entries a row.
typedef struct matrix {
  tr_arena ar;
  int n;
  double A[MAX_SIZE * MAX_SIZE]; // row-major
  tr_pattern p;
} matrix;

static void set(matrix *m, int i, int j, double x) { m->A[i * m->n + j] = x; }

static void draw_values(matrix *m, seed *s, int nv, int nc, double scale) {
  m->n = nv + nc;
  memset(m->A, 0, sizeof m->A);
  for (int i = 0; i < nv; i++)
    for (int j = i; j < nv && j < i + 3; j++) {
      double x = i == j ? scale * (4 + draw(s)) : scale * draw(s);
      set(m, i, j, x), set(m, j, i, x);
    }
  for (int r = 0; r < nc; r++)
    for (int k = 0; k < 4; k++) {
      int j = (r * nv / (nc + 1) + k) % nv;
      double x = draw(s);
      set(m, nv + r, j, x), set(m, j, nv + r, x);
    }
}

// leading: unknowns with a mass, of which the block solver makes use; 0: none are known.
static void take_pattern(matrix *m, back_end by, int leading) {
  int *column = TR_NEW(&m->ar, m->n + 1, int), *row = TR_NEW(&m->ar, m->n * m->n, int), nnz = 0;
  assert_true(column && row);
  for (int j = 0; j < m->n; j++) {
    for (int i = 0; i < m->n; i++)
      if (m->A[i * m->n + j] != 0) row[nnz++] = i;
    column[j + 1] = nnz;
  }
  m->p = (tr_pattern){.n = m->n, .nnz = nnz, .column = column, .row = row, .leading = leading};
  m->p.klu_only = by == KLU;
  assert_int_equal(tr_pattern_analyse(&m->ar, &m->p, by == DENSE ? MAX_SIZE : 0), TR_OK);
  assert_true(m->p.klu == (by == KLU) && (m->p.blocks != NULL) == (by == BLOCKS));
}

static void fill(const matrix *m, tr_kkt *k) {
  for (int j = 0; j < m->n; j++)
    for (int s = m->p.column[j]; s < m->p.column[j + 1]; s++)
      k->values[s] = m->A[m->p.row[s] * m->n + j];
}

static void release(matrix *m, tr_kkt *k) {
  if (k) tr_kkt_free(k);
  tr_arena_free(&m->ar);
}

// Gauss with full pivoting: the reference. A and b are destroyed.
static void eliminate(int n, double *A, double *b, double *x) {
  int order[MAX_SIZE];
  for (int j = 0; j < n; j++) order[j] = j;
  for (int c = 0; c < n; c++) {
    int pi = c, pj = c;
    for (int i = c; i < n; i++)
      for (int j = c; j < n; j++)
        if (fabs(A[i * n + j]) > fabs(A[pi * n + pj])) pi = i, pj = j;
    for (int j = 0; j < n; j++) {
      double t = A[c * n + j];
      A[c * n + j] = A[pi * n + j], A[pi * n + j] = t;
    }
    double t = b[c];
    b[c] = b[pi], b[pi] = t;
    for (int i = 0; i < n; i++) {
      t = A[i * n + c];
      A[i * n + c] = A[i * n + pj], A[i * n + pj] = t;
    }
    int o = order[c];
    order[c] = order[pj], order[pj] = o;
    for (int i = c + 1; i < n; i++) {
      double f = A[i * n + c] / A[c * n + c];
      for (int j = c; j < n; j++) A[i * n + j] -= f * A[c * n + j];
      b[i] -= f * b[c];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= A[i * n + j] * b[j];
    b[i] /= A[i * n + i];
  }
  for (int i = 0; i < n; i++) x[order[i]] = b[i];
}

// All paths solve the same systems as the reference does, to round-off of their condition (< 1e4).
static void paths_agree(void **u) {
  (void)u;
  static matrix m[PATHS];
  seed s = 7;
  for (int size = 3; size <= 60; size += 3) {
    tr_kkt k[PATHS];
    seed again = s;
    for (back_end by = 0; by < PATHS; by++) {
      again = s;
      draw_values(&m[by], &again, size - size / 3, size / 3, 1);
      take_pattern(&m[by], by, by == BLOCKS ? size - size / 3 : 0);
      assert_int_equal(tr_kkt_make(&m[by].ar, &m[by].p, &k[by]), TR_OK);
    }
    for (int round = 0; round < 3; round++) {
      double b[MAX_SIZE], x[MAX_SIZE], want[MAX_SIZE], y[MAX_SIZE], scale;
      static double A[MAX_SIZE * MAX_SIZE];
      s = again;
      draw_values(&m[0], &s, size - size / 3, size / 3, pow(10, round));
      for (int i = 1; i < PATHS; i++) memcpy(m[i].A, m[0].A, sizeof m[0].A);
      draw_many(&s, size, b);
      memcpy(A, m[0].A, sizeof A), memcpy(y, b, sizeof y);
      eliminate(size, A, y, want);
      scale = largest(size, want);
      for (back_end by = 0; by < PATHS; by++) {
        fill(&m[by], &k[by]);
        assert_int_equal(tr_kkt_factor(&k[by]), TR_OK);
        memcpy(x, b, sizeof x);
        assert_int_equal(tr_kkt_solve(&k[by], 1, x), TR_OK);
        assert_all_near(size, x, want, 1e-10 * scale, "size %d, path %d", size, by);
        // again and again with the same factors, several right-hand sides at once: the same numbers
        double many[3 * MAX_SIZE];
        for (int again_k = 0; again_k < 12; again_k++) {
          for (int c = 0; c < 3; c++)
            for (int i = 0; i < size; i++) many[c * size + i] = (c + 1) * b[i];
          assert_int_equal(tr_kkt_solve(&k[by], 3, many), TR_OK);
          for (int c = 0; c < 3; c++)
            for (int i = 0; i < size; i++)
              assert_near(many[c * size + i], (c + 1) * want[i], 3e-10 * scale, "size %d, solve %d",
                          size, again_k);
        }
        tr_kkt_multiply(&k[by], x, y);
        assert_all_near(size, y, b, 1e-11 * pow(10, round) * fmax(1, scale), "A x = b, size %d",
                        size);
      }
      again = s;
    }
    // counters: the dense path factors each time, KLU reuses its pivots
    for (back_end by = 0; by < PATHS; by++) assert_int_equal(k[by].solves, 3 * 37);
    assert_int_equal(k[DENSE].factorisations, 3);
    assert_int_equal(k[DENSE].refactorisations, 0);
    assert_int_equal(k[KLU].factorisations, 1);
    assert_int_equal(k[KLU].refactorisations, 2);
    assert_true(k[BLOCKS].by_blocks && !k[BLOCKS].klu);
    for (back_end by = 0; by < PATHS; by++) release(&m[by], &k[by]);
  }
}

static void make(matrix *m, tr_kkt *k, seed *s, back_end by) {
  draw_values(m, s, 8, 4, 1);
  take_pattern(m, by, by == BLOCKS ? 8 : 0);
  assert_int_equal(tr_kkt_make(&m->ar, &m->p, k), TR_OK);
  fill(m, k);
}

static void scale_row(const matrix *m, tr_kkt *k, int row, double f) {
  for (int s = 0; s < m->p.nnz; s++)
    if (m->p.row[s] == row) k->values[s] *= f;
}

// A zero row, a zero matrix: no factorisation, and a good matrix works again after.
static void singular(void **u) {
  (void)u;
  static matrix m;
  for (back_end by = 0; by < PATHS; by++)
    for (int first = 0; first < 2; first++) { // before and after a good factorisation
      tr_kkt k;
      seed s = 11;
      double x[MAX_SIZE];
      make(&m, &k, &s, by);
      if (first) assert_int_equal(tr_kkt_factor(&k), TR_OK);
      scale_row(&m, &k, 9, 0);
      assert_int_equal(tr_kkt_factor(&k), TR_SINGULAR);
      memset(k.values, 0, (size_t)m.p.nnz * sizeof *k.values);
      assert_int_equal(tr_kkt_factor(&k), TR_SINGULAR);
      fill(&m, &k);
      assert_int_equal(tr_kkt_factor(&k), TR_OK);
      draw_many(&s, m.n, x);
      assert_int_equal(tr_kkt_solve(&k, 1, x), TR_OK);
      release(&m, &k);
    }
}

// A constraint that follows from two others: the pivot is round-off, not zero, and singular all the same.
// With a small singular value s of G the
// pivot is s^2: a change of 1e-5 makes the matrix regular.
static void singular_to_working_precision(void **u) {
  (void)u;
  static matrix m;
  for (back_end by = 0; by < PATHS; by++)
    for (int k = 0; k < 20; k++) {
      tr_kkt kkt;
      seed s = 100 + (seed)k;
      draw_values(&m, &s, 14, 3, pow(10, k % 7 - 3));
      double a = draw(&s), b = draw(&s);
      for (int j = 0; j < 14; j++) {
        double x = a * m.A[14 * m.n + j] + b * m.A[15 * m.n + j];
        set(&m, 16, j, x), set(&m, j, 16, x);
      }
      take_pattern(&m, by, 14);
      assert_int_equal(tr_kkt_make(&m.ar, &m.p, &kkt), TR_OK);
      fill(&m, &kkt);
      assert_int_equal(tr_kkt_factor(&kkt), TR_SINGULAR);
      for (int j = 0; j < 14; j++)
        if (m.A[16 * m.n + j] != 0) {
          double x = m.A[16 * m.n + j] * (1 + 1e-5 * draw(&s));
          set(&m, 16, j, x), set(&m, j, 16, x);
        }
      double bad[MAX_SIZE * 8];
      assert_true(m.p.nnz <= MAX_SIZE * 8);
      memcpy(bad, kkt.values, (size_t)m.p.nnz * sizeof *bad);
      fill(&m, &kkt);
      assert_int_equal(tr_kkt_factor(&kkt), TR_OK);
      // and with the pivots of the good one
      memcpy(kkt.values, bad, (size_t)m.p.nnz * sizeof *bad);
      assert_int_equal(tr_kkt_factor(&kkt), TR_SINGULAR);
      release(&m, &kkt);
    }
}

static void not_finite(void **u) {
  (void)u;
  static matrix m;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (back_end by = 0; by < PATHS; by++)
    for (int which = 0; which < 3; which++) {
      tr_kkt k;
      seed s = 13;
      double x[MAX_SIZE];
      make(&m, &k, &s, by);
      for (int at = 0; at < m.p.nnz; at += 7) {
        fill(&m, &k);
        k.values[at] = bad[which];
        assert_int_equal(tr_kkt_factor(&k), TR_NOT_FINITE);
      }
      fill(&m, &k);
      assert_int_equal(tr_kkt_factor(&k), TR_OK);
      for (int i = 0; i < m.n; i++) { // however often it was used before
        draw_many(&s, m.n, x);
        x[i] = bad[which];
        assert_int_equal(tr_kkt_solve(&k, 1, x), TR_NOT_FINITE);
        draw_many(&s, m.n, x);
        assert_int_equal(tr_kkt_solve(&k, 1, x), TR_OK);
      }
      release(&m, &k);
    }
}

// Two right-hand sides of fresh factors: as one by one, to the last bit; what is not finite in either is seen.
static void two_at_once(void **u) {
  (void)u;
  static matrix m;
  seed s = 17;
  for (int size = 3; size <= TR_DENSE_MAX + 3; size += 3) { // and one too large for that
    tr_kkt k;
    double b[2 * MAX_SIZE], one[2 * MAX_SIZE];
    draw_values(&m, &s, size - size / 3, size / 3, 1);
    take_pattern(&m, DENSE, 0);
    assert_int_equal(tr_kkt_make(&m.ar, &m.p, &k), TR_OK);
    assert_null(k.klu); // a dense one
    fill(&m, &k);
    assert_int_equal(tr_kkt_factor(&k), TR_OK);
    draw_many(&s, 2 * size, b);
    memcpy(one, b, sizeof one);
    assert_int_equal(tr_kkt_solve(&k, 1, one), TR_OK);
    assert_int_equal(tr_kkt_solve(&k, 1, one + size), TR_OK);
    for (int i = 0; i <= 2 * size; i++) { // with the i-th no number, at last with all fine
      double two[2 * MAX_SIZE];
      memcpy(two, b, sizeof two);
      if (i < 2 * size) two[i] = NAN;
      assert_int_equal(tr_kkt_factor(&k), TR_OK);
      assert_int_equal(tr_kkt_solve(&k, 2, two), i < 2 * size ? TR_NOT_FINITE : TR_OK);
      if (i == 2 * size) assert_memory_equal(two, one, 2 * (size_t)size * sizeof *two);
    }
    release(&m, &k);
  }
}

// Pivots that were fine for the first matrix are tiny for the second: it is factored anew and solved
// as well as the first.
static void pivot_growth(void **u) {
  (void)u;
  static matrix m;
  tr_kkt k;
  seed s = 17;
  double x[MAX_SIZE], b[MAX_SIZE], want[MAX_SIZE], y[MAX_SIZE];
  static double A[MAX_SIZE * MAX_SIZE];
  draw_values(&m, &s, 20, 8, 1);
  take_pattern(&m, KLU, 0);
  assert_int_equal(tr_kkt_make(&m.ar, &m.p, &k), TR_OK);
  fill(&m, &k);
  assert_int_equal(tr_kkt_factor(&k), TR_OK);
  for (int i = 0; i < 20; i++) m.A[i * m.n + i] *= 1e-8;
  fill(&m, &k);
  assert_int_equal(tr_kkt_factor(&k), TR_OK);
  assert_int_equal(k.refactorisations, 1);
  assert_int_equal(k.factorisations, 2);
  draw_many(&s, m.n, b);
  memcpy(A, m.A, sizeof A), memcpy(y, b, sizeof y), memcpy(x, b, sizeof x);
  eliminate(m.n, A, y, want);
  assert_int_equal(tr_kkt_solve(&k, 1, x), TR_OK);
  assert_all_near(m.n, x, want, 1e-9 * largest(m.n, want), "after pivot growth");
  release(&m, &k);
}

static void slots(void **u) {
  (void)u;
  static matrix m;
  seed s = 19;
  draw_values(&m, &s, 12, 5, 1);
  take_pattern(&m, KLU, 0);
  for (int i = 0; i < m.n; i++)
    for (int j = 0; j < m.n; j++) {
      int slot = tr_pattern_slot(&m.p, i, j);
      if (m.A[i * m.n + j] == 0) {
        assert_int_equal(slot, m.p.nnz);
      } else {
        assert_true(slot >= m.p.column[j] && slot < m.p.column[j + 1]);
        assert_int_equal(m.p.row[slot], i);
      }
    }
  release(&m, NULL);
}

// Against an elimination of the graph itself, sparse to dense, in any order.
static void operations_are_counted(void **u) {
  (void)u;
  enum { N = 30 };
  seed s = {3};
  for (int turn = 0; turn < 200; turn++) {
    bool tied[N][N] = {0};
    int first[N + 1] = {0}, to[N * N], order[N], n = 1 + turn % N;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) tied[i][j] = tied[j][i] = fabs(draw(&s)) < turn / 400.0;
    for (int i = 0; i < n; i++) {
      first[i + 1] = first[i];
      for (int j = 0; j < n; j++)
        if (tied[i][j]) to[first[i + 1]++] = j;
      order[i] = (int)((i * 7L + turn) % n);
      if (n % 7 == 0) order[i] = n - 1 - i;
    }
    double want = 0, got;
    bool gone[N] = {0};
    for (int k = 0; k < n; k++) {
      int p = order[k], rows = 1;
      gone[p] = true;
      for (int i = 0; i < n; i++) rows += tied[p][i] && !gone[i];
      want += rows * rows;
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          if (i != j && tied[p][i] && tied[p][j]) tied[i][j] = true;
    }
    assert_int_equal(tr_count_operations(NULL, n, first, to, order, &got), TR_OK);
    assert_true(got == want);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(paths_agree),
      cmocka_unit_test(singular),
      cmocka_unit_test(singular_to_working_precision),
      cmocka_unit_test(not_finite),
      cmocka_unit_test(two_at_once),
      cmocka_unit_test(pivot_growth),
      cmocka_unit_test(slots),
      cmocka_unit_test(operations_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
