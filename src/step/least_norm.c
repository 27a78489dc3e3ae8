// SPDX-License-Identifier: Apache-2.0
// The forces f = G' lam by multipliers of least norm, those without a part in the null space of G':
//
//   y = G z,  G'G z = f
// by conjugate gradients. r = f - G' y is what is left, and with D, the diagonal of G'G,
//   [D G'; G -eps] (x, d) = (r, 0)   so   eps d = G x,  (eps D + G'G) x = eps r
// a guess at what is lacking: y + d would leave eps/(eps + l) of r, with l the eigenvalues of G D^-1 G', which know nothing of
// masses. Long structures, which bend like beams, have some below any eps; gradients take a round or so for each of them
// instead of l/eps rounds. What a solve leaves of G x - eps d, divided by eps, is in y, in the null space too, where nothing
// shows it: so eps is no smaller than that, and each solution is refined once, as that residual is known to far more
// digits than the solution has there. Products are sums of squares, r' x = x' D x + eps d' d, as x is a small difference
// where l is large.
#include "start.h"

#include <float.h>
#include <string.h>

#include "math/vector.h"

static const double EPS = 1e-5, LARGEST = 1e-2; // where pivots are too small
static const double NEARLY = 1e-9;              // of f: what is left is next to round-off,
static const double SAME = 1e-6;                // of f: the same forces
enum { MOST = 100, WAIT = 2, STRAYS = 40 };     // rounds; without a gain, there and before

static double dot(const double *x, const double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}

// p->r <- solution of the factored system for p->r; room: 2 (nv + nc).
static tr_status solve_refined(tr_projector *p, double *room) {
  size_t n = (size_t)(p->sys->nv + p->sys->nc);
  double *b = room, *rest = room + n;
  memcpy(b, p->r, n * sizeof *b);
  TR_TRY(tr_kkt_solve(p->kkt, 1, p->r));
  tr_kkt_multiply(p->kkt, p->r, rest);
  for (size_t i = 0; i < n; i++) rest[i] = b[i] - rest[i];
  TR_TRY(tr_kkt_solve(p->kkt, 1, rest));
  for (size_t i = 0; i < n; i++) p->r[i] += rest[i];
  return TR_OK;
}

// x' D x + eps d' d of (x, d) in p->r; room: 2 (nv + nc).
static double square(const tr_projector *p, double eps, double *room) {
  int nv = p->sys->nv, nc = p->sys->nc;
  double *Dx = room + nv + nc;
  memcpy(room, p->r, (size_t)nv * sizeof *room);
  memset(room + nv, 0, (size_t)nc * sizeof *room);
  tr_kkt_multiply(p->kkt, room, Dx);
  return dot(p->r, Dx, nv) + eps * dot(p->r + nv, p->r + nv, nc);
}

// lam <- the best y found, unless that makes other forces: then it stays what it is.
static tr_status iterate(tr_projector *p, double eps, double *lam) {
  int nv = p->sys->nv, nc = p->sys->nc, best = 0;
  double *f = p->spread, *y = f + nv, *way = y + nc, *found = way + nc;
  double *room = found + nc;
  tr_Gt_times(p->work, lam, f);
  memset(y, 0, 3 * (size_t)nc * sizeof *y);
  double size = vec_norm(f, nv), least = size, last = INFINITY;
  memcpy(p->r, f, (size_t)nv * sizeof *f);
  for (int k = 1; k <= MOST && least > 4 * DBL_EPSILON * size; k++) {
    memset(p->r + nv, 0, (size_t)nc * sizeof *p->r);
    TR_TRY(solve_refined(p, room));
    double now = square(p, eps, room);
    for (int i = 0; i < nc; i++) way[i] = p->r[nv + i] + now / last * way[i];
    double length = eps * dot(way, way, nc);
    if (!(length > 0)) break;
    for (int i = 0; i < nc; i++) y[i] += now / length * way[i];
    tr_Gt_times(p->work, y, p->r);
    for (int i = 0; i < nv; i++) p->r[i] = f[i] - p->r[i];
    double left = vec_norm(p->r, nv);
    if (left < least) memcpy(found, y, (size_t)nc * sizeof *y), least = left, best = k;
    if (k - best >= (least <= NEARLY * size ? WAIT : STRAYS)) break;
    last = now;
  }
  if (least <= SAME * size) memcpy(lam, found, (size_t)nc * sizeof *lam);
  return TR_OK;
}

// [D G'; G -eps] into the values.
static void fill(tr_projector *p, const tr_state *x, double eps) {
  const tr_pattern *t = &p->sys->pattern;
  double *values = p->kkt->values;
  int nv = p->sys->nv;
  (void)tr_regular_matrix(p, x, 1);
  for (int j = 0; j < nv; j++) {
    double sum = 0;
    for (int k = t->column[j]; k < t->column[j + 1]; k++) {
      if (t->row[k] >= nv) sum += values[k] * values[k];
      if (t->row[k] < nv) values[k] = 0;
    }
    values[tr_pattern_slot(t, j, j)] = sum > 0 ? sum : 1;
  }
  for (int i = nv; i < nv + p->sys->nc; i++) values[tr_pattern_slot(t, i, i)] = -eps;
}

tr_status tr_spread_multipliers(tr_projector *p, const tr_state *x, double *lam) {
  if (p->redundancy.count == 0) return TR_OK;
  const tr_mask *mask = p->kkt->mask;
  tr_status status = TR_SINGULAR;
  TR_TRY(tr_kkt_hold(p->kkt));
  p->kkt->mask = NULL;
  for (double eps = EPS; status == TR_SINGULAR && eps <= LARGEST; eps *= 10) {
    fill(p, x, eps);
    status = tr_factor_regular(p);
    if (status == TR_OK) status = iterate(p, eps, lam);
  }
  p->kkt->mask = mask;
  return status;
}
