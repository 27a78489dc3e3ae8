// SPDX-License-Identifier: Apache-2.0
// The KKT matrix from blocks.
//
// With frame Jacobians J, wrenches W = applied - constraint, and per element K, D on its frames:
//   (G' lam - Q)_q = sum J_i' K_geom J_j - sum J_i' (K J_j + D (J v)_q,j) - (J' W)_q|W - Q_body,q
//   Q_v            = sum J_i' D J_j + Q_body,v
// `tr_assemble` emits blocks in one fixed order into a sink. The same code collects the pattern (at
// generic states, so that an entry is missing only if it always vanishes), records the tape, and writes
// numbers where the tape says.
#include <math.h>
#include <string.h>

#include "sink.h"

static tr_body_at body_at(const tr_work *w, const sys_body *b) {
  return (tr_body_at){b->par, w->q + b->q, w->v + b->v, w->cache + b->cache, w->t};
}

// J (nd x nv): row k is J' e_k.
static void frame_jacobian(const tr_work *w, const sys_element *e, int k, double *J) {
  const sys_body *b = &w->sys->body[e->body[k]];
  tr_body_at at = body_at(w, b);
  memset(J, 0, (size_t)(e->nd * b->nv) * sizeof *J);
  for (int i = 0; i < e->nd; i++) {
    double unit[6] = {0};
    unit[i] = 1;
    b->type->add_pull(&at, w->sys->site + e->frame[k], unit, J + i * b->nv);
  }
}

// out (na x nb) = s A' B + (add ? out : 0), A (n x na), B (n x nb), B with its own row stride
static void tmul(int n, int na, int nb, double s, const double *A, const double *B, bool add,
                 double *out) {
  for (int i = 0; i < na; i++)
    for (int j = 0; j < nb; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += A[k * na + i] * B[k * nb + j];
      out[i * nb + j] = s * sum + (add ? out[i * nb + j] : 0);
    }
}

// out (nd x nv) = K_block J, K of row stride n
static void mul(int nd, int nv, int n, const double *K, const double *J, double *out) {
  for (int i = 0; i < nd; i++)
    for (int j = 0; j < nv; j++) {
      double sum = 0;
      for (int k = 0; k < nd; k++) sum += K[i * n + k] * J[k * nv + j];
      out[i * nv + j] = sum;
    }
}

// Scratch of the assembly, carved out of work->block: per marker J and (J v)_q, then temporaries.
typedef struct room {
  double *J[TR_MAX_MARKERS], *U[TR_MAX_MARKERS], *KJ, *out;
} room;
static room carve(const tr_work *w) {
  size_t nv = (size_t)w->sys->max_nv;
  room r;
  double *p = w->block;
  for (int k = 0; k < TR_MAX_MARKERS; k++) r.J[k] = p, p += 6 * nv, r.U[k] = p, p += 6 * nv;
  r.KJ = p, p += 6 * nv;
  r.out = p;
  return r;
}

// Blocks  sum over pairs of markers  J_i' (sK K_ij J_j + sU D_ij U_j + sD D_ij J_j); D may be NULL
static void emit_pairs(sink *s, const tr_work *w, const sys_element *e, const double *K, double sK,
                       const double *D, double sU, double sD) {
  const tr_system *sys = w->sys;
  room r = carve(w);
  int nd = e->nd, n = e->markers * nd;
  for (int k = 0; k < e->markers; k++) {
    if (e->body[k] == TR_GROUND) continue;
    const sys_body *b = &sys->body[e->body[k]];
    frame_jacobian(w, e, k, r.J[k]);
    tr_body_at at = body_at(w, b);
    if (D) b->type->twist_dq(&at, sys->site + e->frame[k], r.U[k]);
  }
  for (int i = 0; i < e->markers; i++) {
    if (e->body[i] == TR_GROUND) continue;
    const sys_body *bi = &sys->body[e->body[i]];
    for (int j = 0; j < e->markers; j++) {
      if (e->body[j] == TR_GROUND) continue;
      const sys_body *bj = &sys->body[e->body[j]];
      const double *Kij = K + i * nd * n + j * nd;
      mul(nd, bj->nv, n, Kij, r.J[j], r.KJ);
      tmul(nd, bi->nv, bj->nv, sK, r.J[i], r.KJ, false, r.out);
      if (D) {
        const double *Dij = D + i * nd * n + j * nd;
        mul(nd, bj->nv, n, Dij, r.U[j], r.KJ);
        tmul(nd, bi->nv, bj->nv, sU, r.J[i], r.KJ, true, r.out);
        mul(nd, bj->nv, n, Dij, r.J[j], r.KJ);
        tmul(nd, bi->nv, bj->nv, sD, r.J[i], r.KJ, true, r.out);
      }
      emit(s, (tr_block_at){bi->v, bj->v, bi->nv, bj->nv, bj->nv, 1, false}, r.out);
    }
  }
}

// G T(d): the rows by the increment instead of the displacement at its end.
static const double *turn_rows(tr_work *w, const sys_joint *j) {
  const tr_system *sys = w->sys;
  const sys_block *b = &sys->block[j->block];
  double *rows = w->block;
  memcpy(rows, w->G + b->G, (size_t)(b->rows * b->width) * sizeof *rows);
  for (int k = 0, c = 0; k < j->e.markers; k++) {
    if (j->e.body[k] == TR_GROUND) continue;
    const sys_body *body = &sys->body[j->e.body[k]];
    if (body->type->pull_increment)
      body->type->pull_increment(body->par, w->increment + body->v, b->rows, b->width, rows + c);
    c += body->nv;
  }
  return rows;
}

static void emit_joint(sink *s, tr_work *w, const sys_joint *j, const double *lam, double ck) {
  const tr_system *sys = w->sys;
  const sys_block *b = &sys->block[j->block];
  const double *G = w->G + b->G, *rows = w->increment ? turn_rows(w, j) : G;
  int below = sys->nv + b->row;
  for (int k = 0, c = 0; k < b->count; c += b->nv[k++])
    emit(s, (tr_block_at){below, b->v[k], b->rows, b->nv[k], b->width, 1, j->ops->dense}, rows + c);
  for (int k = 0, c = 0; k < b->count; c += b->nv[k++])
    emit(s, (tr_block_at){b->v[k], below, b->nv[k], b->rows, 1, b->width, j->ops->dense}, G + c);
  if (!j->ops->geom) return;
  const tr_frame *f[TR_MAX_MARKERS];
  double K[36 * TR_MAX_MARKERS * TR_MAX_MARKERS], some[TR_MAX_ROWS];
  size_t n = (size_t)(j->e.markers * j->e.nd);
  memset(K, 0, n * n * sizeof *K);
  for (int k = 0; k < j->e.markers; k++) f[k] = w->frame + j->e.frame[k];
  if (s->mode != SINK_WRITE)
    for (int r = 0; r < TR_MAX_ROWS; r++) some[r] = tr_record_random(s->recorder);
  const double *l = s->mode != SINK_WRITE ? some : lam ? lam + j->row : NULL;
  if (l) j->ops->geom(j->e.par, w->t, f, l, K);
  emit_pairs(s, w, &j->e, K, ck, NULL, 0, 0);
}

static void emit_force(sink *s, tr_work *w, const sys_force *e, double ck, double cd) {
  const tr_frame *f[TR_MAX_MARKERS];
  double K[36 * TR_MAX_MARKERS * TR_MAX_MARKERS], D[36 * TR_MAX_MARKERS * TR_MAX_MARKERS];
  int nd = e->e.nd, n = e->e.markers * nd, points = nd == 3 ? 2 : 3;
  memset(K, 0, (size_t)(n * n) * sizeof *K);
  memset(D, 0, (size_t)(n * n) * sizeof *D);
  for (int k = 0; k < e->e.markers; k++) f[k] = w->frame + e->e.frame[k];
  if (s->mode == SINK_WRITE) {
    e->ops->tangent(e->e.par, w->t, f, w->mem + e->e.mem, K, D);
  } else {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (e->whole || e->ops->uses_moments || (i % nd < points && j % nd < points))
          K[i * n + j] = tr_record_random(s->recorder),
                    D[i * n + j] = tr_record_random(s->recorder);
  }
  emit_pairs(s, w, &e->e, K, -ck, D, -ck, -cd);
}

// K = cm M + ck ((M a)_q + (G_own' lam)_q - Q_q - (J' W)_q) - cd Q_v of one body
static void body_tangent(tr_work *w, const sys_body *b, const double *a, const double *lam,
                         const double *blocks, tr_coefficients c, double *K) {
  const tr_system *sys = w->sys;
  tr_body_at at = body_at(w, b);
  size_t nn = (size_t)b->nv * (size_t)b->nv;
  double *D = K + nn, *M = D + nn;
  memset(K, 0, 2 * nn * sizeof *K);
  if (b->type->add_force_tangent) b->type->add_force_tangent(&at, sys->gravity, K, D);
  for (int k = b->site; k < b->site + b->sites; k++)
    b->type->add_wrench_dq(&at, sys->site + k, w->W + 6 * k, K);
  for (size_t i = 0; i < nn; i++) K[i] = -c.ck * K[i] - c.cd * D[i];
  if (b->nc > 0 && lam && c.ck != 0) {
    memset(D, 0, nn * sizeof *D);
    b->type->add_geom(&at, lam + b->row, D);
    for (size_t i = 0; i < nn; i++) K[i] += c.ck * D[i];
  }
  if (a && !blocks && b->type->add_mass_dq && c.ck != 0) {
    memset(D, 0, nn * sizeof *D);
    b->type->add_mass_dq(&at, a + b->v, D);
    for (size_t i = 0; i < nn; i++) K[i] += c.ck * c.cm * D[i];
  }
  const double *mass = (blocks && !b->constant_mass ? blocks : sys->mass) + b->mass;
  if (!blocks && !b->constant_mass) {
    b->type->mass(&at, M);
    mass = M;
  }
  for (size_t i = 0; i < nn; i++) K[i] += c.cm * mass[i];
}

static void emit_body(sink *s, tr_work *w, const sys_body *b, const double *a, const double *lam,
                      const double *blocks, tr_coefficients c) {
  const tr_system *sys = w->sys;
  double *K = w->block;
  if (b->type->tangent) {
    tr_body_at at = body_at(w, b);
    memset(K, 0, (size_t)(b->nv * b->nv) * sizeof *K);
    b->type->tangent(&at, sys->gravity, b->sites, sys->site + b->site, w->W + 6 * b->site, c.cm,
                     c.ck, c.cd, K);
  } else {
    body_tangent(w, b, a, lam, blocks, c, K);
  }
  // Equations by functions: nothing is known of their pattern. Kept coordinates get weights on the
  // whole block at the start.
  bool whole = b->type->sizes != NULL || b->keep_q || b->keep_v;
  emit(s, (tr_block_at){b->v, b->v, b->nv, b->nv, b->nv, 1, whole}, K);
  if (b->nc == 0) return;
  const double *G = w->G + sys->block[b->block].G;
  int below = sys->nv + b->row;
  emit(s, (tr_block_at){below, b->v, b->nc, b->nv, b->nv, 1, whole}, G);
  emit(s, (tr_block_at){b->v, below, b->nv, b->nc, 1, b->nv, whole}, G);
}

void tr_assemble(sink *s, tr_work *w, const double *a, const double *lam, const double *blocks,
                 tr_coefficients c) {
  const tr_system *sys = w->sys;
  tr_jacobian(w);
  for (int i = 0; i < sys->nbody; i++) emit_body(s, w, &sys->body[i], a, lam, blocks, c);
  for (int i = 0; i < sys->njoint; i++) emit_joint(s, w, &sys->joint[i], lam, c.ck);
  for (int i = 0; i < sys->nforce; i++) emit_force(s, w, &sys->force[i], c.ck, c.cd);
}

void tr_tangent(tr_work *w, double t, const double *q, const double *v, const double *mem,
                const double *a, const double *lam, const double *blocks, tr_coefficients c,
                double *values) {
  tr_kinematics(w, t, q, v, mem, TR_AT_VELOCITY);
  tr_forces(w, lam, w->x, NULL); // leaves the wrenches on the frames
  tr_tangent_here(w, a, lam, blocks, c, values);
}

void tr_tangent_here(tr_work *w, const double *a, const double *lam, const double *blocks,
                     tr_coefficients c, double *values) {
  const tr_system *sys = w->sys;
  sink s = {.mode = SINK_WRITE, .values = values, .tape = sys->tape, .shape = sys->shape};
  for (int i = 0; i < sys->nclear; i++) values[sys->clear[i]] = 0;
  values[sys->pattern.nnz] = 0;
  tr_assemble(&s, w, a, lam, blocks, c);
}

// ((G v)_q)_r = v' (G' e_r)_q: the geometric stiffness of one row at a time.
tr_status tr_Gv_dq(tr_work *w, double t, const double *q, const double *v, const double *mem,
                   double *out) {
  const tr_system *sys = w->sys;
  size_t nv = (size_t)sys->nv, nnz = (size_t)sys->pattern.nnz + 1;
  double *values = tr_resize(sys->al, NULL, (nnz + (size_t)sys->nc + 1) * sizeof *values);
  if (!values) return TR_NO_MEMORY;
  double *unit = values + nnz;
  memset(unit, 0, (size_t)sys->nc * sizeof *unit);
  memset(out, 0, nv * (size_t)sys->nc * sizeof *out);
  tr_coefficients c = {.ck = 1};
  for (int r = 0; r <= sys->nc; r++) {
    // the last pass, lam = 0, is what the forces add to every row
    if (r > 0) unit[r - 1] = 0;
    if (r < sys->nc) unit[r] = 1;
    tr_tangent(w, t, q, v, mem, NULL, unit, NULL, c, values);
    for (int j = 0; j < sys->nv; j++) {
      double sum = 0;
      for (int k = sys->pattern.column[j]; k < sys->pattern.column[j + 1]; k++)
        if (sys->pattern.row[k] < sys->nv) sum += v[sys->pattern.row[k]] * values[k];
      if (r < sys->nc)
        out[(size_t)r * nv + (size_t)j] += sum;
      else
        for (int i = 0; i < sys->nc; i++) out[(size_t)i * nv + (size_t)j] -= sum;
    }
  }
  tr_resize(sys->al, values, 0);
  return TR_OK;
}
