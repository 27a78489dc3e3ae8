// SPDX-License-Identifier: Apache-2.0
// Blows struck at once: p >= 0, W p >= b, p.(W p - b) = 0 with b = (1 + e) approach.
//
// W = N M^-1 N' is positive semidefinite, and this says that u = M^-1 N' p is the least change of v, in energy,
// with N u >= b: unique, whatever the order, though p need not be where contacts repeat each other (a table on
// four legs). There is one, as with twice the velocity taken away all leave. A dual active set S [GI83], W_SS = L D L'
// row by row: the contact j that lacks most is pushed, p_j + t and p_S - t r with W_SS r = W_Sj, which leaves the rates of S,
// until it lacks nothing and joins, or until one of S no longer pushes, leaves, and j is pushed on. One that repeats
// those in S gains nothing by t, and so takes the place of one of them.
#include <float.h>
#include <math.h>
#include <string.h>

#include "blows.h"

static const double CLEAR = 1e-12;   // of the largest energy: what approaches at all
static const double REPEATS = 1e-12; // of W_jj: what is left of it
static const double LACKS = 1e-13;   // of what adds up to it
static const double ROUND = 1e-10;   // of the largest r: no dependence

typedef struct problem {
  int m, n, width; // contacts; in the set; of a row of W and L
  int *at, *set;   // (m) which blow; (n)
  double *W, *L;   // W by contacts, L by places in the set
  double *b, *p;   // (m)
  double *r, *s;   // (m) by places in the set
} problem;

tr_status tr_blows_room(tr_blows *b, int n, int nv, tr_allocator *al) {
  if (n <= b->capacity) return TR_OK;
  size_t c = n > 2 * b->capacity ? (size_t)n : 2 * (size_t)b->capacity;
  tr_blow *blow = tr_resize(al, b->blow, c * sizeof *blow);
  if (blow) b->blow = blow;
  double *normal = tr_resize(al, b->normal, c * 2 * (size_t)nv * sizeof *normal);
  if (normal) b->normal = normal;
  double *room = tr_resize(al, b->room, c * (2 * c + 4) * sizeof *room);
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

// How j depends on the set: r, W_SS r = W_Sj. What is left of W_jj without it; the row of L that j would have is behind.
static double depend(problem *q, int j) {
  double *row = row_of(q, q->n);
  const double *w = q->W + (size_t)j * (size_t)q->width;
  double left = w[j];
  for (int i = 0; i < q->n; i++) {
    const double *l = row_of(q, i);
    row[i] = w[q->set[i]];
    for (int k = 0; k < i; k++) row[i] -= l[k] * row[k];
  }
  for (int i = 0; i < q->n; i++) {
    double scaled = row[i] / row_of(q, i)[i];
    left -= scaled * row[i];
    q->r[i] = row[i] = scaled;
  }
  for (int i = q->n - 1; i >= 0; i--)
    for (int k = i + 1; k < q->n; k++) q->r[i] -= row_of(q, k)[i] * q->r[k];
  return left > REPEATS * w[j] ? left : 0;
}

// One row more of L, behind already, with D on its diagonal.
static void join(problem *q, int j, double left) {
  row_of(q, q->n)[q->n] = left;
  q->set[q->n++] = j;
}

static void leave(problem *q, int place) {
  int n = q->n;
  q->p[q->set[place]] = 0;
  for (int i = place + 1; i < n; i++) q->set[i - 1] = q->set[i];
  q->n = place;
  for (int i = place; i < n - 1; i++) {
    int j = q->set[i];
    double left = depend(q, j);
    if (left > 0)
      join(q, j, left); // set[n] is written at n <= i
    else
      q->p[j] = 0;
  }
}

// What j lacks, above round-off.
static double lack_of(const problem *q, int j) {
  const double *w = q->W + (size_t)j * (size_t)q->width;
  double lack = q->b[j], size = fabs(lack);
  for (int i = 0; i < q->m; i++) lack -= w[i] * q->p[i], size += fabs(w[i] * q->p[i]);
  return lack > LACKS * size ? lack : 0;
}

// The one that lacks most by the energy of it, -1: none. Those in the set lack nothing.
static int find_lacking(const problem *q, int refused) {
  int worst = -1;
  double most = 0;
  for (int j = 0; j < q->m; j++) {
    bool in = j == refused;
    for (int i = 0; i < q->n; i++) in |= q->set[i] == j;
    double lack = in ? 0 : lack_of(q, j);
    double energy = lack * lack / q->W[(size_t)j * (size_t)q->width + (size_t)j];
    if (lack > 0 && energy > most) most = energy, worst = j;
  }
  return worst;
}

// Until j lacks nothing; false: nothing can be done for it, but for round-off.
static bool push(problem *q, int j) {
  double lack = lack_of(q, j);
  for (int k = 0; k <= q->m; k++) {
    double left = depend(q, j), t = left > 0 ? lack / left : INFINITY, most = 0;
    int stops = -1;
    for (int i = 0; i < q->n; i++) most = fmax(most, fabs(q->r[i]));
    for (int i = 0; i < q->n; i++) {
      if (!(q->r[i] > ROUND * most)) continue;
      double far = q->p[q->set[i]] / q->r[i];
      if (far < t) t = far, stops = i;
    }
    if (t == INFINITY) break;
    for (int i = 0; i < q->n; i++) q->p[q->set[i]] = fmax(0, q->p[q->set[i]] - t * q->r[i]);
    q->p[j] += t, lack -= t * left;
    if (stops < 0) return join(q, j, depend(q, j)), true;
    leave(q, stops);
  }
  return false;
}

// p_S once more, from what it should do: free of what has added up.
static void refine(problem *q) {
  for (int i = 0; i < q->n; i++) {
    q->s[i] = q->b[q->set[i]];
    for (int k = 0; k < i; k++) q->s[i] -= row_of(q, i)[k] * q->s[k];
  }
  for (int i = q->n - 1; i >= 0; i--) {
    q->s[i] /= row_of(q, i)[i];
    for (int k = i + 1; k < q->n; k++) q->s[i] -= row_of(q, k)[i] * q->s[k];
  }
  for (int i = 0; i < q->n; i++)
    if (!(q->s[i] >= 0)) return;
  memset(q->p, 0, (size_t)q->m * sizeof *q->p);
  for (int i = 0; i < q->n; i++) q->p[q->set[i]] = q->s[i];
}

static void find_impulses(problem *q) {
  int refused = -1, j;
  memset(q->p, 0, (size_t)q->m * sizeof *q->p);
  for (int i = 0; i < 20 * q->m && (j = find_lacking(q, refused)) >= 0; i++) {
    refused = push(q, j) ? -1 : j;
    refine(q);
  }
}

double tr_blow_energy(const tr_blow *x) {
  return x->approach > 0 ? 0.5 * x->approach * x->approach / x->answer : 0;
}

void tr_blows_strike(tr_blows *b, int nv, bool every, double *v) {
  size_t c = (size_t)b->capacity;
  problem q = {.width = b->capacity, .at = b->set, .set = b->set + c, .W = b->room};
  q.L = q.W + c * c, q.b = q.L + c * c, q.p = q.b + c, q.s = q.p + c, q.r = q.s + c;
  double most = 0;
  for (int i = 0; i < b->n; i++) most = fmax(most, tr_blow_energy(&b->blow[i]));
  for (int i = 0; i < b->n; i++) {
    const tr_blow *x = &b->blow[i];
    if (!every && tr_blow_energy(x) < CLEAR * most) continue;
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
