// SPDX-License-Identifier: Apache-2.0
// Blows struck at once: p >= 0, W p >= b, p.(W p - b) = 0 with b = (1 + e) approach.
//
// W is symmetric and positive semidefinite, so this is the least of p.W p/2 - b.p over p >= 0: the change of v
// is unique, whatever the order, though p need not be where contacts repeat each other (a table on four legs). An
// active set S, factored as L D L' row by row; contacts that repeat those in it stay out [LH74, ch. 23]:
//   the one outside that lacks most joins, W_SS s = b_S; on the way from p to s those that reach zero leave.
// At first all join, which mostly is all there is to do.
#include <float.h>
#include <math.h>
#include <string.h>

#include "blows.h"

static const double CLEAR = 1e-12;   // of the largest energy: what approaches at all
static const double REPEATS = 1e-12; // of W_jj: what is left of it
static const double LACKS = 1e-13;   // of b

typedef struct problem {
  int m, n, width;   // contacts; in the set; of a row of W and L
  int *at, *set;     // (m) which blow; (n)
  double *W, *L;     // W by contacts, L by places in the set
  double *b, *p, *s; // (m)
} problem;

tr_status tr_blows_room(tr_blows *b, int n, int nv, tr_allocator *al) {
  if (n <= b->capacity) return TR_OK;
  size_t c = n > 2 * b->capacity ? (size_t)n : 2 * (size_t)b->capacity;
  tr_blow *blow = tr_resize(al, b->blow, c * sizeof *blow);
  if (blow) b->blow = blow;
  double *normal = tr_resize(al, b->normal, c * 2 * (size_t)nv * sizeof *normal);
  if (normal) b->normal = normal;
  double *room = tr_resize(al, b->room, c * (2 * c + 3) * sizeof *room);
  if (room) b->room = room;
  int *set = tr_resize(al, b->set, 2 * c * sizeof *set);
  if (set) b->set = set;
  if (!blow || !normal || !room || !set) return TR_NO_MEMORY;
  b->capacity = (int)c;
  return TR_OK;
}

void tr_blows_free(tr_blows *b, tr_allocator *al) {
  tr_resize(al, b->blow, 0);
  tr_resize(al, b->normal, 0);
  tr_resize(al, b->room, 0);
  tr_resize(al, b->set, 0);
}

double *tr_blow_normal(tr_blows *b, int nv, int i) {
  return b->normal + 2 * (size_t)nv * (size_t)i;
}

static double *row_of(const problem *q, int i) { return q->L + (size_t)i * (size_t)q->width; }

// One row more of L, with D on its diagonal; false: j repeats those in the set.
static bool join(problem *q, int j) {
  double *row = row_of(q, q->n), left;
  const double *w = q->W + (size_t)j * (size_t)q->width;
  left = w[j];
  for (int i = 0; i < q->n; i++) {
    const double *l = row_of(q, i);
    row[i] = w[q->set[i]];
    for (int k = 0; k < i; k++) row[i] -= l[k] * row[k];
  }
  for (int i = 0; i < q->n; i++) {
    double scaled = row[i] / row_of(q, i)[i];
    left -= scaled * row[i];
    row[i] = scaled;
  }
  if (!(left > REPEATS * w[j])) return false;
  row[q->n] = left;
  q->set[q->n++] = j;
  return true;
}

// s = W_SS^-1 b_S, by places in the set.
static void solve(problem *q) {
  for (int i = 0; i < q->n; i++) {
    q->s[i] = q->b[q->set[i]];
    for (int k = 0; k < i; k++) q->s[i] -= row_of(q, i)[k] * q->s[k];
  }
  for (int i = q->n - 1; i >= 0; i--) {
    q->s[i] /= row_of(q, i)[i];
    for (int k = i + 1; k < q->n; k++) q->s[i] -= row_of(q, k)[i] * q->s[k];
  }
}

static bool all_push(const problem *q) {
  for (int i = 0; i < q->n; i++)
    if (!(q->s[i] >= 0)) return false;
  return true;
}

static void take(problem *q) {
  memset(q->p, 0, (size_t)q->m * sizeof *q->p);
  for (int i = 0; i < q->n; i++) q->p[q->set[i]] = q->s[i];
}

// From p towards s as far as none pulls; those that stop it leave.
static void retreat(problem *q) {
  double far = 1;
  int n = q->n, kept = 0;
  for (int i = 0; i < n; i++) {
    double p = q->p[q->set[i]];
    if (q->s[i] < 0) far = fmin(far, p / (p - q->s[i]));
  }
  for (int i = 0; i < n; i++) {
    double *p = &q->p[q->set[i]];
    bool stops = q->s[i] < 0 && *p / (*p - q->s[i]) <= far;
    *p = stops ? 0 : *p + far * (q->s[i] - *p);
    if (!stops) q->set[kept++] = q->set[i];
  }
  q->n = 0;
  for (int i = 0; i < kept; i++)
    if (!join(q, q->set[i])) q->p[q->set[i]] = 0; // set[n] is written at n <= i
}

// The one outside the set that lacks most, -1: none; refused: one that cannot join.
static int find_lacking(const problem *q, int refused) {
  int worst = -1;
  double most = LACKS;
  for (int j = 0; j < q->m; j++) {
    const double *w = q->W + (size_t)j * (size_t)q->width;
    double lack = q->b[j];
    bool in = j == refused;
    for (int i = 0; i < q->n; i++) lack -= w[q->set[i]] * q->p[q->set[i]], in |= q->set[i] == j;
    if (!in && lack > most * q->b[j]) most = lack / q->b[j], worst = j;
  }
  return worst;
}

static void find_impulses(problem *q) {
  for (int j = 0; j < q->m; j++) (void)join(q, j);
  solve(q);
  if (all_push(q)) {
    take(q);
    if (find_lacking(q, -1) < 0) return;
  }
  q->n = 0;
  memset(q->p, 0, (size_t)q->m * sizeof *q->p);
  int refused = -1, j;
  for (int i = 0; i < 20 * q->m && (j = find_lacking(q, refused)) >= 0; i++) {
    refused = join(q, j) ? -1 : j;
    solve(q);
    for (int left = q->n; left > 0 && !all_push(q); left--) retreat(q), solve(q);
    take(q);
  }
}

void tr_blows_strike(tr_blows *b, int nv, double *v) {
  size_t c = (size_t)b->capacity;
  problem q = {.width = b->capacity, .at = b->set, .set = b->set + c, .W = b->room};
  q.L = q.W + c * c, q.b = q.L + c * c, q.p = q.b + c, q.s = q.p + c;
  double most = 0;
  for (int i = 0; i < b->n; i++)
    most = fmax(most, b->blow[i].approach * b->blow[i].approach / b->blow[i].answer);
  for (int i = 0; i < b->n; i++) {
    const tr_blow *x = &b->blow[i];
    if (x->approach * x->approach / x->answer < CLEAR * most) continue;
    q.b[q.m] = (1 + x->e) * x->approach;
    q.at[q.m++] = i;
  }
  for (int i = 0; i < q.m; i++)
    for (int j = 0; j <= i; j++) {
      const double *n = tr_blow_normal(b, nv, q.at[i]), *z = tr_blow_normal(b, nv, q.at[j]) + nv;
      double w = 0;
      for (int k = 0; k < nv; k++) w += n[k] * z[k];
      q.W[(size_t)i * c + (size_t)j] = q.W[(size_t)j * c + (size_t)i] = w;
    }
  find_impulses(&q);
  for (int i = 0; i < q.m; i++) {
    const double *z = tr_blow_normal(b, nv, q.at[i]) + nv;
    for (int k = 0; k < nv; k++) v[k] += q.p[i] * z[k];
  }
}
