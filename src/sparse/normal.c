// SPDX-License-Identifier: Apache-2.0
#include "normal.h"

#include <stdlib.h>
#include <string.h>

#include "math/lanes.h"

enum { LINKS = 6, STRIDE = TR_NORMAL_STRIDE };

// ---- order ----------------------------------------------------------------------------------------

// Neighbours of nodes that are still there, and lists of nodes by their number.
typedef struct graph {
  int (*to)[LINKS], *degree;
  int *next, *before;
  int head[LINKS + 1], tail[LINKS + 1];
} graph;

static void enlist(graph *g, int i) {
  int d = g->degree[i];
  g->before[i] = g->tail[d], g->next[i] = -1;
  *(g->tail[d] < 0 ? &g->head[d] : &g->next[g->tail[d]]) = i;
  g->tail[d] = i;
}

static void delist(graph *g, int i) {
  int d = g->degree[i];
  *(g->before[i] < 0 ? &g->head[d] : &g->next[g->before[i]]) = g->next[i];
  *(g->next[i] < 0 ? &g->tail[d] : &g->before[g->next[i]]) = g->before[i];
}

static bool tie(graph *g, int a, int b) {
  for (int k = 0; k < g->degree[a]; k++)
    if (g->to[a][k] == b) return true;
  if (g->degree[a] == LINKS || g->degree[b] == LINKS) return false;
  g->to[a][g->degree[a]++] = b, g->to[b][g->degree[b]++] = a;
  return true;
}

static void untie(graph *g, int a, int b) {
  int k = 0;
  while (g->to[a][k] != b) k++;
  g->to[a][k] = g->to[a][--g->degree[a]];
}

// The node is gone, its neighbours are each other's.
static bool eliminate(graph *g, int i) {
  int d = g->degree[i];
  delist(g, i);
  for (int k = 0; k < d; k++) delist(g, g->to[i][k]), untie(g, g->to[i][k], i);
  for (int k = 0; k < d; k++)
    for (int l = 0; l < k; l++)
      if (!tie(g, g->to[i][l], g->to[i][k])) return false;
  for (int k = 0; k < d; k++) enlist(g, g->to[i][k]);
  return true;
}

tr_status tr_normal_order(tr_allocator *al, int nodes, int pairs, const tr_normal_pair *pair,
                          int *rank, bool *good) {
  size_t n = (size_t)nodes;
  graph g;
  int *room = tr_resize(al, NULL, (LINKS + 3) * n * sizeof *room);
  if (!room) return TR_NO_MEMORY;
  g.to = (int(*)[LINKS])room, g.degree = room + LINKS * n, g.next = g.degree + n;
  g.before = g.next + n;
  memset(g.degree, 0, n * sizeof *g.degree);
  for (int d = 0; d <= LINKS; d++) g.head[d] = g.tail[d] = -1;
  *good = true;
  for (int k = 0; k < pairs; k++) *good &= tie(&g, pair[k].a, pair[k].b);
  for (int i = 0; i < nodes; i++) enlist(&g, i);
  for (int k = 0; k < nodes && *good; k++) {
    int d = 0;
    while (g.head[d] < 0) d++;
    int i = g.head[d];
    *good = eliminate(&g, i);
    rank[i] = k;
  }
  tr_resize(al, room, 0);
  return TR_OK;
}

// ---- plan -----------------------------------------------------------------------------------------

// Blocks of a node with later ones, ascending by these.
typedef struct later {
  int count, rank[LINKS], at[LINKS];
} later;

// The place of the block with a later one; -1: no room. *numbers grows by what was not there.
static int place(later *of, int rank, int at, int size, int *numbers) {
  int k = of->count;
  while (k > 0 && of->rank[k - 1] >= rank) k--;
  if (k < of->count && of->rank[k] == rank) return at < 0 ? of->at[k] : -1;
  if (of->count == LINKS) return -1;
  for (int i = of->count++; i > k; i--) of->rank[i] = of->rank[i - 1], of->at[i] = of->at[i - 1];
  if (at < 0) at = *numbers, *numbers += size;
  of->rank[k] = rank;
  return of->at[k] = at;
}

tr_status tr_normal_plan(tr_arena *ar, tr_allocator *al, int width, int nodes, const int *rank,
                         const int *row, const int *own, const int *other, int pairs,
                         const tr_normal_pair *pair, int numbers, tr_normal **out) {
  *out = NULL;
  int size = width * STRIDE, filled = numbers, links = 0, targets = 0;
  later *of = tr_resize(al, NULL, (size_t)(nodes + 1) * sizeof *of);
  int *by = tr_resize(al, NULL, (size_t)(nodes + 1) * sizeof *by);
  tr_status status = of && by ? TR_OK : TR_NO_MEMORY;
  bool good = status == TR_OK;
  if (good) memset(of, 0, (size_t)nodes * sizeof *of);
  for (int i = 0; good && i < nodes; i++) by[rank[i]] = i;
  for (int k = 0; good && k < pairs; k++) {
    int a = rank[pair[k].a], b = rank[pair[k].b];
    good = place(&of[a < b ? a : b], a < b ? b : a, pair[k].at, size, &numbers) >= 0;
  }
  for (int i = 0; good && i < nodes; i++) {
    const later *n = &of[i];
    links += n->count, targets += n->count * (n->count + 1) / 2;
    for (int k = 0; k < n->count; k++)
      for (int l = k + 1; good && l < n->count; l++)
        good = place(&of[n->rank[k]], n->rank[l], -1, size, &numbers) >= 0;
  }
  if (good) {
    tr_normal *p = TR_NEW(ar, 1, tr_normal);
    normal_node *node = TR_NEW(ar, nodes, normal_node);
    normal_link *link = TR_NEW(ar, links + 1, normal_link);
    int *target = TR_NEW(ar, targets + 1, int);
    if (p && node && link && target) {
      *p = (tr_normal){width, nodes, numbers, filled, node, links, link, target};
      links = targets = 0;
      for (int i = 0; i < nodes; i++) {
        const later *n = &of[i];
        int j = by[i];
        node[i] = (normal_node){own[j], other[j], row[j], n->count, 0};
        for (int k = 0; k < n->count; k++) {
          link[links++] = (normal_link){n->at[k], row[by[n->rank[k]]]};
          target[targets++] = own[by[n->rank[k]]];
          for (int l = k + 1; l < n->count; l++)
            target[targets++] = place(&of[n->rank[k]], n->rank[l], -1, size, &numbers);
        }
      }
      *out = p;
    } else {
      status = TR_NO_MEMORY;
    }
  }
  tr_resize(al, of, 0), tr_resize(al, by, 0);
  return status;
}

// ---- numbers --------------------------------------------------------------------------------------

#define ROW(F, at) (*(const lanes_anywhere *)((F) + (at)))
#define TURNED(x) __builtin_shufflevector(x, x, 1, 2, 0, 3)

// Of symmetric rows D, whose last column is nothing to it: the inverse; the determinant.
TR_INLINE double invert3(const lanes *D, lanes *E) {
  lanes a = TURNED(D[0]), b = TURNED(D[1]), c = TURNED(D[2]);
  lanes x = D[1] * c - b * D[2], y = D[2] * a - c * D[0], z = D[0] * b - a * D[1];
  x = TURNED(x), y = TURNED(y), z = TURNED(z);
  lanes p = D[0] * x;
  double det = p[0] + p[1] + p[2], f = 1 / det;
  E[0] = f * x, E[1] = f * y, E[2] = f * z;
  return det;
}

TR_INLINE double invert2(const lanes *D, lanes *E) {
  double a = D[0][0], b = D[0][1], c = D[1][1], det = a * c - b * b, f = 1 / det;
  E[0] = (lanes){f * c, -f * b}, E[1] = (lanes){-f * b, f * a};
  return det;
}

// M = E (B, b), b the last column of D
TR_INLINE void divide(int w, const lanes *E, const lanes *D, const double *B, lanes *M) {
  lanes x[3];
  for (int c = 0; c < w; c++)
    x[c] = __builtin_shufflevector((lanes)ROW(B, STRIDE * c), D[c], 0, 1, 2, 7);
  for (int r = 0; r < w; r++) {
    M[r] = E[r][0] * x[0] + E[r][1] * x[1];
    if (w > 2) M[r] += E[r][2] * x[2];
  }
}

// to -= B' M
TR_INLINE void subtract(int w, const double *B, const lanes *M, double *to) {
  for (int r = 0; r < w; r++) {
    lanes sum = B[r] * M[0] + B[STRIDE + r] * M[1];
    if (w > 2) sum += B[2 * STRIDE + r] * M[2];
    *(lanes_anywhere *)(to + STRIDE * r) -= sum;
  }
}

TR_INLINE void put(int w, const lanes *M, double *to) {
  for (int r = 0; r < w; r++) *(lanes_anywhere *)(to + STRIDE * r) = M[r];
}

TR_INLINE bool factor(int w, const tr_normal *p, double *F) {
  const normal_node *end = p->node + p->nodes;
  const normal_link *link = p->link;
  const int *target = p->target;
  for (const normal_node *n = p->node; n < end; link += n->links, n++) {
    lanes D[3], E[3], M[LINKS][3];
    for (int r = 0; r < w; r++) D[r] = ROW(F, n->own + STRIDE * r);
    if (n->other >= 0)
      for (int r = 0; r < w; r++) D[r] += ROW(F, n->other + STRIDE * r);
    double det = w == 3 ? invert3(D, E) : invert2(D, E);
    if (!(det > n->least)) return false;
    if (n->links == 1) {
      double *B = F + link->at;
      divide(w, E, D, B, M[0]);
      subtract(w, B, M[0], F + *target++);
      put(w, M[0], B);
      continue;
    }
    if (n->links == 0) {
      double *b = F + n->own + STRIDE - 1;
      for (int r = 0; r < w; r++) {
        double sum = E[r][0] * D[0][3] + E[r][1] * D[1][3];
        b[STRIDE * r] = w > 2 ? sum + E[r][2] * D[2][3] : sum;
      }
      continue;
    }
    for (int k = 0; k < n->links; k++) divide(w, E, D, F + link[k].at, M[k]);
    for (int k = 0; k < n->links; k++)
      for (int l = k; l < n->links; l++) subtract(w, F + link[k].at, M[l], F + *target++);
    for (int k = 0; k < n->links; k++) put(w, M[k], F + link[k].at);
  }
  return true;
}

TR_INLINE void substitute(int w, const tr_normal *p, const double *F, double *x) {
  const normal_link *link = p->link + p->links;
  for (const normal_node *n = p->node + p->nodes; n-- > p->node;) {
    link -= n->links;
    const double *b = F + (n->links > 0 ? link->at : n->own) + STRIDE - 1;
    double sum[3];
    for (int r = 0; r < w; r++) sum[r] = b[STRIDE * r];
    for (int k = 0; k < n->links; k++) {
      const double *M = F + link[k].at, *y = x + link[k].row;
      for (int r = 0; r < w; r++)
        for (int c = 0; c < w; c++) sum[r] -= M[STRIDE * r + c] * y[c];
    }
    for (int r = 0; r < w; r++) x[n->row + r] = sum[r];
  }
}

TR_INLINE void solve_all(const tr_normal *p, double *F, double *x, bool *done) {
  *done = p->width == 3 ? factor(3, p, F) : factor(2, p, F);
  if (*done && p->width == 3) substitute(3, p, F, x);
  if (*done && p->width == 2) substitute(2, p, F, x);
}
TR_WIDE(solve_wide, solve_all, (const tr_normal *p, double *F, double *x, bool *done),
        (p, F, x, done))

bool tr_normal_solve(const tr_normal *p, double *F, double *x) {
  bool done;
  memset(F + p->filled, 0, (size_t)(p->numbers - p->filled) * sizeof *F);
  solve_wide(p, F, x, &done);
  return done;
}
