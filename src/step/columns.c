// SPDX-License-Identifier: Apache-2.0
// The second half of stiff systems by the factors of the first, where few forces are stiff. There D = A - cm X is a sum of few
// u v' and little else, and with K = [A G'; G 0]
//   [cm X G'; G 0]^-1 = (1 + t_m v_m') .. (1 + t_1 v_1') K^-1,   t_k = y/(1 - v_k'y),   y = (1 + t_k-1 v_k-1') .. K^-1 u_k
// So the halves are two right-hand sides of one solve. What dw does to the first by the damping of forces, -cv Q_v = sum of
// u w', is no more than  K^-1 (-cv Q_v) dw = sum of K^-1 u_k (w_k'dw)  afterwards.
// u, v and w are what an elimination with pivots on the diagonal takes from D as long as these are large: one of each for a
// spring or a damper between two points. What the rest of D is worth is measured (metric.c).
#include <math.h>
#include <string.h>

#include "math/lanes.h"
#include "step.h"

enum { COLUMNS = 4 }; // a solve each for every matrix, in all less than another factorisation
static const double LEAST = 0.1;   // pivot over cm X
static const double OF_USE = 0.01; // v'y: constraints or heavy bodies take the stiffness of others

typedef struct tr_columns {
  int count, from, to; // v and w are 0 but for from .. to - 1
  double *v, *w;       // (COLUMNS nv)
  double *u, *t;       // (COLUMNS n) u, then K^-1 u
  double *left;        // (nv) diagonal of D
} tr_columns;

static tr_status make(tr_step *s) {
  size_t nv = (size_t)s->sys->nv, n = (size_t)s->sys->pattern.n;
  tr_columns *c = TR_NEW(&s->arena, 1, tr_columns);
  double *room = TR_NEW(&s->arena, 2 * COLUMNS * (nv + n) + nv, double);
  if (!c || !room) return TR_NO_MEMORY;
  c->v = room, c->w = c->v + COLUMNS * nv;
  c->u = c->w + COLUMNS * nv, c->t = c->u + COLUMNS * n, c->left = c->t + COLUMNS * n;
  s->columns = c;
  return TR_OK;
}

// Row i of the values A, or NULL, less what earlier columns have of it, over the pivot; behind the earlier rows.
static void take_row(const tr_step *s, const double *A, int i, double pivot, double *rows) {
  const tr_pattern *p = &s->sys->pattern;
  const tr_columns *c = s->columns;
  int nv = s->sys->nv;
  double *row = rows + c->count * nv;
  memset(row, 0, (size_t)nv * sizeof *row);
  for (int k = p->column[i]; A && k < p->column[i + 1] && p->row[k] < nv; k++) {
    int at = tr_pattern_slot(p, i, p->row[k]);
    if (at < p->nnz) row[p->row[k]] = A[at];
  }
  for (int l = 0; l < c->count; l++)
    for (int j = 0; j < nv; j++) row[j] -= c->u[l * p->n + i] * rows[l * nv + j];
  for (int j = 0; j < nv; j++) row[j] /= pivot;
}

// Column i of D, which is in s->projection, likewise, and the rows.
static void take(const tr_step *s, int i) {
  const tr_pattern *p = &s->sys->pattern;
  tr_columns *c = s->columns;
  const double *D = s->projection.values;
  int nv = s->sys->nv;
  double *u = c->u + c->count * p->n, *v = c->v + c->count * nv;
  memset(u, 0, (size_t)p->n * sizeof *u);
  for (int k = p->column[i]; k < p->column[i + 1] && p->row[k] < nv; k++) u[p->row[k]] = D[k];
  for (int l = 0; l < c->count; l++)
    for (int j = 0; j < nv; j++) u[j] -= c->v[l * nv + i] * c->u[l * p->n + j];
  take_row(s, D, i, u[i], c->v);
  take_row(s, s->damping, i, u[i], c->w);
  for (int j = 0; j < nv; j++) c->left[j] -= u[j] * v[j];
  c->left[i] = 0;
  c->count++;
}

// The largest of what is left of the diagonal, over cm X; *where that is.
static double largest_left(const tr_step *s, const double *blocks, int *where) {
  double most = 0;
  for (int i = 0; i < s->sys->nbody; i++) {
    const sys_body *b = &s->sys->body[i];
    for (int k = 0; k < b->nv; k++) {
      double mass = s->c.cm * blocks[b->mass + k * (b->nv + 1)];
      double x = fabs(s->columns->left[b->v + k]) / mass;
      if (x > most) most = x, *where = b->v + k;
    }
  }
  return most;
}

// False: they are too many.
static bool take_all(const tr_step *s, const double *blocks) {
  const tr_pattern *p = &s->sys->pattern;
  tr_columns *c = s->columns;
  int pivot = 0;
  c->count = 0;
  for (int j = 0; j < s->sys->nv; j++) {
    int at = tr_pattern_slot(p, j, j);
    c->left[j] = at < p->nnz ? s->projection.values[at] : 0;
  }
  while (largest_left(s, blocks, &pivot) > LEAST) {
    if (c->count == COLUMNS) return false;
    take(s, pivot);
  }
  return true;
}

// v'z, v of the numbers from .. to - 1
TR_INLINE double dot(int from, int to, const double *v, const double *z) {
  lanes sums = {0};
  int j = from;
  for (; j + LANES <= to; j += LANES)
    sums += *(const lanes_anywhere *)(v + j) * *(const lanes_anywhere *)(z + j);
  double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (; j < to; j++) sum += v[j] * z[j];
  return sum;
}

// x += f t_k (v_k'z), one column after the other
TR_INLINE void add_all(const tr_columns *c, int nv, int n, const double *v, const double *t,
                       double f, const double *z, double *x) {
  for (int k = 0; k < c->count; k++, v += nv, t += n) {
    double by = f * dot(c->from, c->to, v, z);
    int i = 0;
    for (; i + LANES <= n; i += LANES)
      *(lanes_anywhere *)(x + i) += *(const lanes_anywhere *)(t + i) * by;
    for (; i < n; i++) x[i] += t[i] * by;
  }
}
TR_WIDE(add, add_all,
        (const tr_columns *c, int nv, int n, const double *v, const double *t, double f,
         const double *z, double *x),
        (c, nv, n, v, t, f, z, x))

// The k-th of those that were taken, after those that are kept, if it is of use.
static void keep(const tr_step *s, int k) {
  tr_columns *c = s->columns;
  int nv = s->sys->nv, n = s->sys->pattern.n, to = c->count;
  double *t = c->t + to * n;
  memcpy(t, c->u + k * n, (size_t)n * sizeof *t);
  tr_columns_correct(s, t);
  double sum = dot(0, nv, c->v + k * nv, t);
  if (!(fabs(sum) > OF_USE)) return;
  double by = 1 / (1 - sum);
  for (int i = 0; i < n; i++) t[i] *= by;
  if (k > to) {
    memcpy(c->v + to * nv, c->v + k * nv, (size_t)nv * sizeof *c->v);
    memcpy(c->w + to * nv, c->w + k * nv, (size_t)nv * sizeof *c->w);
    memcpy(c->u + to * n, c->u + k * n, (size_t)n * sizeof *c->u);
  }
  c->count++;
}

int tr_columns_find(tr_step *s, const double *blocks) {
  if (!s->columns && make(s) != TR_OK) return 0;
  tr_columns *c = s->columns;
  int nv = s->sys->nv;
  if (!take_all(s, blocks) || tr_kkt_solve(&s->kkt, c->count, c->u) != TR_OK) return 0;
  int taken = c->count;
  c->from = nv, c->to = 0;
  for (int k = 0; k < taken * nv; k++)
    if (c->v[k] != 0 || c->w[k] != 0) {
      int j = k % nv;
      c->from = j < c->from ? j : c->from, c->to = j >= c->to ? j + 1 : c->to;
    }
  c->count = 0;
  for (int k = 0; k < taken; k++) keep(s, k);
  return c->count;
}

void tr_columns_correct(const tr_step *s, double *z) {
  const tr_columns *c = s->columns;
  add(c, s->sys->nv, s->sys->pattern.n, c->v, c->t, 1, z, z);
}

tr_status tr_columns_solve(tr_step *s, double *r) {
  const tr_columns *c = s->columns;
  int nv = s->sys->nv, n = s->sys->pattern.n;
  TR_TRY(tr_kkt_solve(&s->kkt, 2, r));
  tr_columns_correct(s, r + n);
  add(c, nv, n, c->w, c->u, s->c.cw / s->c.cq, r + n, r);
  return TR_OK;
}
