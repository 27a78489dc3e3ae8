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

#include "pieces.h"
#include "products.h"
#include "sink.h"
#include "stretch.h"
#include "together.h"

// Blocks  sum over pairs of markers  J_i' (sK K_ij J_j + D_ij (sU U_j + sD J_j)); D may be NULL. Before each, where rates
// are asked for, its part with sD alone.
static void emit_pairs(sink *s, const tr_work *w, const sys_element *e, const double *K, double sK,
                       const double *D, double sU, double sD) {
  const tr_system *sys = w->sys;
  room r = carve(w);
  int n = e->markers * e->nd;
  bool by_K = sK != 0, by_D = D && (sU != 0 || sD != 0);
  rows_used of = displacements_of(e, by_K ? K : NULL, by_D ? D : NULL);
  int used = of.end - of.first;
  by_K &= used > 0, by_D &= used > 0;
  for (int k = 0; (by_K || by_D) && k < e->markers; k++) {
    if (e->body[k] == TR_GROUND) continue;
    const sys_body *b = &sys->body[e->body[k]];
    frame_jacobian(w, e, k, of, r.J[k]);
    tr_body_at at = body_at(w, b);
    if (!by_D) continue;
    if (sU != 0) b->type->twist_dq(&at, tr_site_of(sys, e->body[k], e->frame[k]), r.U[k]);
    for (int i = of.first * b->nv; i < of.end * b->nv; i++)
      r.U[k][i] = (sU != 0 ? sU * r.U[k][i] : 0) + sD * r.J[k][i];
  }
  for (int i = 0; i < e->markers; i++) {
    if (e->body[i] == TR_GROUND) continue;
    const sys_body *bi = &sys->body[e->body[i]];
    const double *J = r.J[i] + of.first * bi->nv;
    for (int j = 0; j < e->markers; j++) {
      if (e->body[j] == TR_GROUND) continue;
      const sys_body *bj = &sys->body[e->body[j]];
      int at = (i * e->nd + of.first) * n + j * e->nd + of.first, from = of.first * bj->nv;
      if (s->rates && by_D) {
        mul(used, bj->nv, n, sD, D + at, r.J[j] + from, false, r.KJ);
        tmul(used, bi->nv, bj->nv, 1, J, r.KJ, false, r.out);
        write_block(s, s->tape, r.out, s->rates);
      }
      if (by_K) mul(used, bj->nv, n, sK, K + at, r.J[j] + from, false, r.KJ);
      if (by_D) mul(used, bj->nv, n, 1, D + at, r.U[j] + from, by_K, r.KJ);
      if (by_K || by_D)
        tmul(used, bi->nv, bj->nv, 1, J, r.KJ, false, r.out);
      else
        memset(r.out, 0, (size_t)(bi->nv * bj->nv) * sizeof *r.out);
      emit(s, (tr_block_at){bi->v, bj->v, bi->nv, bj->nv, bj->nv, 1, false}, r.out);
    }
  }
}

// G T(d): the rows by the increment instead of the displacement at its end. Rows of velocities stay.
static const double *turn_rows(tr_work *w, const sys_joint *j, const sys_block *b,
                               const double *G) {
  const tr_system *sys = w->sys;
  double *rows = w->block;
  memcpy(rows, G, (size_t)(b->rows * b->width) * sizeof *rows);
  for (int k = 0, c = 0; k < j->e.markers; k++) {
    if (j->e.body[k] == TR_GROUND) continue;
    const sys_body *body = &sys->body[j->e.body[k]];
    if (body->type->pull_increment)
      body->type->pull_increment(body->par, w->increment + body->v, b->rows, b->width, rows + c);
    c += body->nv;
  }
  for (int r = 0; r < b->rows; r++)
    if (j->ops->velocity >> r & 1u)
      memcpy(rows + r * b->width, G + r * b->width, (size_t)b->width * sizeof *rows);
  return rows;
}

// cr Gam_q on the bodies:  Gam_q = Gam_f J + Gam_u (J v)_q
static void emit_velocity_rows(sink *s, tr_work *w, const sys_joint *j, double cr) {
  const tr_system *sys = w->sys;
  const tr_frame *f[TR_MAX_MARKERS];
  double by_q[TR_MAX_ROWS * 6 * TR_MAX_MARKERS] = {0}, by_u[TR_MAX_ROWS * 6 * TR_MAX_MARKERS];
  int nd = j->e.nd, n = j->e.markers * nd, rows = j->ops->rows;
  room r = carve(w);
  frames_of(w, &j->e, f);
  bool idle = tr_joint_idle(w, j); // what it would say may not even be a number
  if (j->ops->jac_q && !idle) j->ops->jac_q(j->e.par, w->t, f, by_q);
  if (!idle) j->ops->jac(j->e.par, w->t, f, by_u);
  for (int i = 0; i < rows * n; i++) by_q[i] *= cr, by_u[i] = idle ? 0 : cr * by_u[i];
  for (int k = 0; k < j->e.markers; k++) {
    if (j->e.body[k] == TR_GROUND) continue;
    const sys_body *b = &sys->body[j->e.body[k]];
    tr_body_at at = body_at(w, b);
    frame_jacobian(w, &j->e, k, (rows_used){0, nd}, r.J[0]);
    b->type->twist_dq(&at, tr_site_of(sys, j->e.body[k], j->e.frame[k]), r.U[0]);
    for (int i = 0; i < rows; i++) {
      if (!(j->ops->velocity >> i & 1u)) continue;
      memset(r.out, 0, (size_t)b->nv * sizeof *r.out);
      for (int m = 0; m < nd; m++)
        for (int c = 0; c < b->nv; c++)
          r.out[c] += by_q[i * n + k * nd + m] * r.J[0][m * b->nv + c] +
                      by_u[i * n + k * nd + m] * r.U[0][m * b->nv + c];
      emit(s, (tr_block_at){sys->nv + j->row + i, b->v, 1, b->nv, b->nv, 1, j->ops->dense}, r.out);
    }
  }
}

static void emit_joint(sink *s, tr_work *w, const sys_joint *j, const double *lam,
                       tr_coefficients coef) {
  const tr_system *sys = w->sys;
  sys_block block;
  const sys_block *b = tr_joint_block(sys, j, &block);
  const double *G = tr_joint_rows(w, j), *rows = w->increment ? turn_rows(w, j, b, G) : G;
  int below = sys->nv + b->row;
  for (int k = 0, c = 0; k < b->count; c += b->nv[k++])
    emit(s, (tr_block_at){below, b->v[k], b->rows, b->nv[k], b->width, 1, j->ops->dense}, rows + c);
  for (int k = 0, c = 0; k < b->count && c < b->pull; c += b->nv[k++])
    emit(s, (tr_block_at){b->v[k], below, b->nv[k], b->rows, 1, b->width, j->ops->dense}, G + c);
  if (j->ops->velocity) emit_velocity_rows(s, w, j, coef.cr);
  if (!j->ops->geom && !j->ops->geom_v) return;
  const tr_frame *f[TR_MAX_MARKERS];
  double K[36 * TR_MAX_MARKERS * TR_MAX_MARKERS], D[36 * TR_MAX_MARKERS * TR_MAX_MARKERS];
  double some[TR_MAX_ROWS];
  size_t n = (size_t)(j->e.markers * j->e.nd);
  memset(K, 0, n * n * sizeof *K);
  if (j->ops->geom_v) memset(D, 0, n * n * sizeof *D);
  frames_of(w, &j->e, f);
  if (s->recorder)
    for (int r = 0; r < TR_MAX_ROWS; r++) some[r] = tr_record_random(s->recorder);
  const double *l = s->recorder ? some : lam && !tr_joint_idle(w, j) ? lam + j->row : NULL;
  if (l && j->ops->geom && coef.ck != 0) j->ops->geom(j->e.par, w->t, f, l, K);
  if (l && j->ops->geom_v) j->ops->geom_v(j->e.par, w->t, f, l, D);
  emit_pairs(s, w, &j->e, K, coef.ck, j->ops->geom_v ? D : NULL, coef.ck, coef.cd);
}

// -Q_lam of a force that depends on reactions:  the twist it reads is -G_B' lam, so  J_i' D_ik G_B'
static void emit_reactions(sink *s, tr_work *w, const sys_force *e, const double *D) {
  static const int plane[3] = {0, 1, 5}, space[6] = {0, 1, 2, 3, 4, 5};
  const tr_system *sys = w->sys;
  room r = carve(w);
  int nd = e->e.nd, n = e->e.markers * nd;
  for (int k = 0; k < e->e.markers; k++) {
    const sys_joint *j = tr_joint_shown(sys, e->e.frame[k]);
    if (!j) continue;
    const tr_frame *f[TR_MAX_MARKERS];
    double G[TR_MAX_ROWS * 6 * TR_MAX_MARKERS], R[6 * TR_MAX_ROWS] = {0};
    int jd = j->e.nd, jn = j->e.markers * jd, rows = j->ops->rows;
    frames_of(w, &j->e, f);
    j->ops->jac(j->e.par, w->t, f, G);
    for (int a = 0; a < nd; a++)
      for (int b = 0; b < jd; b++)
        if ((nd == 3 ? plane : space)[a] == (jd == 3 ? plane : space)[b])
          for (int c = 0; c < rows; c++) R[a * rows + c] = G[c * jn + jd + b];
    for (int i = 0; i < e->e.markers; i++) {
      if (e->e.body[i] == TR_GROUND) continue;
      const sys_body *b = &sys->body[e->e.body[i]];
      frame_jacobian(w, &e->e, i, (rows_used){0, nd}, r.J[0]);
      mul(nd, rows, n, 1, D + i * nd * n + k * nd, R, false, r.KJ);
      tmul(nd, b->nv, rows, 1, r.J[0], r.KJ, false, r.out);
      emit(s, (tr_block_at){b->v, sys->nv + j->row, b->nv, rows, rows, 1, true}, r.out);
    }
  }
}

static void emit_force(sink *s, tr_work *w, const sys_force *e, double ck, double cd) {
  const tr_frame *f[TR_MAX_MARKERS];
  double K[36 * TR_MAX_MARKERS * TR_MAX_MARKERS], D[36 * TR_MAX_MARKERS * TR_MAX_MARKERS];
  int nd = e->e.nd, n = e->e.markers * nd, points = nd == 3 ? 2 : 3;
  memset(K, 0, (size_t)(n * n) * sizeof *K);
  memset(D, 0, (size_t)(n * n) * sizeof *D);
  frames_of(w, &e->e, f);
  if (!s->recorder) {
    e->ops->tangent(e->e.par, w->t, f, w->mem + e->e.mem, K, D);
  } else {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (e->whole || e->ops->uses_moments || (i % nd < points && j % nd < points))
          K[i * n + j] = tr_record_random(s->recorder),
                    D[i * n + j] = tr_record_random(s->recorder);
  }
  emit_pairs(s, w, &e->e, K, -ck, D, -ck, -cd);
  if (w->sys->nreaction > 0) emit_reactions(s, w, e, D);
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
  for (int k = 0; k < b->sites; k++)
    b->type->add_wrench_dq(&at, sys->site + b->site + k, tr_wrench_at(w->W, b->frame + k), K);
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

static void emit_block(sink *s, const sys_body *b, const double *K) {
  emit(s, (tr_block_at){b->v, b->v, b->nv, b->nv, b->nv, 1, whole_block(b)}, K);
}

static void emit_own_rows(sink *s, tr_work *w, const sys_body *b) {
  const double *G = tr_own_rows(w, b);
  int below = w->sys->nv + b->row;
  bool whole = whole_block(b);
  emit(s, (tr_block_at){below, b->v, b->nc, b->nv, b->nv, 1, whole}, G);
  emit(s, (tr_block_at){b->v, below, b->nv, b->nc, 1, b->nv, whole}, G);
}

// The type of all bodies of a joint; NULL: they differ.
static const tr_body_type *type_joined(const tr_system *sys, const sys_joint *j) {
  const tr_body_type *type = NULL;
  for (int k = 0; k < 2; k++) {
    if (j->e.body[k] == TR_GROUND) continue;
    const tr_body_type *t = sys->body[j->e.body[k]].type;
    if (type && t != type) return NULL;
    type = t;
  }
  return type;
}

const tr_body_type *tr_joins_points(const tr_system *sys, const sys_joint *j) {
  if (j->ops->sight != TR_JOINS_POINTS || j->lock >= 0) return NULL;
  const tr_body_type *type = type_joined(sys, j);
  return type && type->tangent_four ? type : NULL;
}

const tr_body_type *tr_joins_frames(const tr_system *sys, const sys_joint *j) {
  if (!j->ops->prims || j->lock >= 0) return NULL;
  const tr_body_type *type = type_joined(sys, j);
  return type && type->joint_rows ? type : NULL;
}

// What the assembly is about, for those that share it.
typedef struct assembly {
  sink *s;
  tr_work *w;
  const double *a, *lam, *blocks;
  tr_coefficients c;
  const int *tape; // behind the last element
  int walked;      // tiles that w->due has gone ahead of
} assembly;

TR_INLINE void assemble_bodies(const assembly *m, sink *s, tr_work *w, const sys_range *of) {
  const tr_system *sys = w->sys;
  for (int r = run_of(sys->body_run, sys->nbody_run, of); r < sys->nbody_run; r++) {
    const sys_run run = run_within(&sys->body_run[r], of);
    if (of && run.count <= 0) break;
    const sys_body *b = sys->body + run.first;
    if (b->type->tangent_four) {
      emit_bodies(s, w, &run, m->c);
      continue;
    }
    for (int i = 0; i < run.count; i++, b++) {
      if (s->rates) {
        body_tangent(w, b, NULL, NULL, m->blocks, (tr_coefficients){.cd = m->c.cd}, w->block);
        write_block(s, s->tape, w->block, s->rates);
      }
      body_tangent(w, b, m->a, m->lam, m->blocks, m->c, w->block);
      emit_block(s, b, w->block);
      if (b->nc > 0) emit_own_rows(s, w, b);
    }
  }
}

// Joints but those of points, which come with their bodies, and forces.
static void assemble_elements(const assembly *m, sink *s, tr_work *w) {
  const tr_system *sys = w->sys;
  queue q = {.joints = 0};
  for (int i = 0; i < sys->nloose; i++) {
    const sys_joint *j = &sys->joint[sys->loose[i]];
    if (enqueue(s, w, j, &q, m->lam, m->c.ck)) continue;
    flush(s, w, &q, m->lam, m->c.ck);
    emit_joint(s, w, j, m->lam, m->c);
  }
  flush(s, w, &q, m->lam, m->c.ck);
  for (int i = 0; i < sys->nforce; i++) emit_force(s, w, &sys->force[i], m->c.ck, m->c.cd);
}

static void bodies_part(void *what, int i, int first, int end) {
  assembly *m = what;
  sink s = *m->s;
  const tr_system *sys = m->w->sys;
  if (first > 0) s.tape += m->w->body_tape[s.joined][first / TR_GRAIN];
  sys_range of = range_of(sys->body_run, sys->nbody_run, first, end);
  assemble_bodies(m, &s, tr_hand(m->w, i), &of);
  if (end == sys->nbody) m->tape = s.tape;
}

void tr_assemble(sink *s, tr_work *w, const double *a, const double *lam, const double *blocks,
                 tr_coefficients c) {
  const tr_system *sys = w->sys;
  assembly m = {s, w, a, lam, blocks, c, s->tape, 0};
  tr_team *team = s->mode == SINK_WRITE ? w->team : NULL;
  if (team) {
    tr_team_ranges(team, sys->nbody, TR_GRAIN, bodies_part, &m);
    s->tape = m.tape;
  } else {
    assemble_bodies(&m, s, w, NULL);
  }
  assemble_elements(&m, s, w);
}

void tr_tangent(tr_work *w, double t, const double *q, const double *v, const double *mem,
                const double *a, const double *lam, const double *blocks, tr_coefficients c,
                double *values) {
  tr_kinematics(w, t, q, v, mem, TR_AT_VELOCITY);
  tr_forces(w, lam, w->x, NULL); // leaves the wrenches on the frames
  tr_tangent_here(w, a, lam, blocks, c, values);
  tr_jacobian(w);
}

void tr_tangent_here(tr_work *w, const double *a, const double *lam, const double *blocks,
                     tr_coefficients c, double *values) {
  const tr_system *sys = w->sys;
  sink s = {.mode = SINK_WRITE, .values = values, .tape = sys->tape, .shape = sys->shape};
  for (int i = 0; i < sys->nclear; i++) values[sys->clear[i]] = 0;
  values[sys->pattern.nnz] = 0;
  s.rates = w->rates;
  if (s.rates)
    memset(s.rates, 0, (size_t)sys->pattern.nnz * sizeof *s.rates); // most blocks have none
  tr_assemble(&s, w, a, lam, blocks, c);
}

static void clear_gaps(void *what, int i, int first, int end) {
  const sink *s = what;
  (void)i;
  for (const sys_run *gap = s->gap + first; gap < s->gap + end; gap++)
    memset(s->values + gap->first, 0, (size_t)gap->count * sizeof *s->values);
}

static sink sink_of_blocks(const tr_system *sys, double *to) {
  sink s = {.mode = SINK_WRITE, .values = to, .tape = sys->block_tape, .shape = sys->block_shape};
  s.joined = true, s.gap = sys->gap;
  return s;
}

void tr_tangent_blocks(tr_work *w, const double *a, const double *lam, const double *blocks,
                       tr_coefficients c, double *to) {
  const tr_system *sys = w->sys;
  sink s = sink_of_blocks(sys, to);
  tr_team_ranges(w->team, sys->ngap, 1, clear_gaps, &s);
  tr_assemble(&s, w, a, lam, blocks, c);
}

// What is due before a tile, by one of the team; before all of them, by the caller.
static void fill_tile(void *what, int hand, int tile) {
  assembly *m = what;
  const sys_tiling *t = m->w->sys->tiling;
  const sys_pieces *p = &t->written;
  tr_work *w = tr_hand(m->w, hand);
  sink s = *m->s;
  if (w->due) tr_walk_ahead(w, tile), m->walked = tile + 1;
  clear_gaps(&s, hand, t->first_gap[tile + 1], t->first_gap[tile + 2]);
  for (int i = p->first[tile + 1]; i < p->first[tile + 2]; i++) {
    s.tape = m->s->tape + p->piece[i].tape;
    assemble_bodies(m, &s, w, &(sys_range){p->piece[i].first, p->piece[i].end});
  }
  s.tape = m->s->tape + t->elements;
  if (tile < 0) assemble_elements(m, &s, w);
}

bool tr_tangent_factor(tr_work *w, const double *a, const double *lam, const double *blocks,
                       tr_coefficients c, tr_kkt *kkt, const double *rhs) {
  double *to = tr_kkt_blocks(kkt);
  if (!w->sys->tiling || !tr_kkt_goes_by_tiles(kkt)) {
    if (w->due) tr_walk_along(w, w->due->walk, w->due->what);
    tr_tangent_blocks(w, a, lam, blocks, c, to);
    return tr_kkt_factor_blocks(kkt);
  }
  sink s = sink_of_blocks(w->sys, to);
  assembly m = {&s, w, a, lam, blocks, c, s.tape, 0};
  bool done = tr_kkt_factor_tiles(kkt, fill_tile, &m, rhs);
  while (w->due && m.walked < w->sys->tiling->tiles)
    tr_walk_ahead(w, m.walked++); // it has given up
  return done;
}

void tr_size_block(const tr_sizes *out, tr_block_at at, const double *block) {
  for (int i = 0; i < at.rows && at.i < out->nv; i++)
    for (int j = 0; j < at.columns; j++) {
      double x = block[i * at.down + j * at.across];
      if (at.j >= out->nv) out->pull[at.i + i] += fabs(x * out->f[at.j + j - out->nv]);
      if (at.i + i == at.j + j) out->diagonal[at.i + i] += x;
    }
}

void tr_tangent_sizes(tr_work *w, const double *a, const double *lam, const double *blocks,
                      tr_coefficients c, const tr_sizes *out) {
  sink s = {.mode = SINK_SIZES, .sizes = out};
  memset(out->pull, 0, (size_t)out->nv * sizeof *out->pull);
  memset(out->diagonal, 0, (size_t)out->nv * sizeof *out->diagonal);
  tr_assemble(&s, w, a, lam, blocks, c);
}

double tr_plain_velocity_rows(tr_work *w, double *values) {
  const tr_system *sys = w->sys;
  double most = 0;
  if (sys->nvelocity == 0) return 0;
  for (const sys_joint *j = sys->joint; j < sys->joint + sys->njoint; j++) {
    if (!j->ops->velocity || tr_joint_idle(w, j)) continue;
    sys_block block;
    const sys_block *b = tr_joint_block(sys, j, &block);
    const double *rows = tr_joint_rows(w, j);
    for (int r = 0; r < b->rows; r++) {
      if (!(j->ops->velocity >> r & 1u)) continue;
      const double *G = rows + r * b->width;
      bool own =
          sys->of_number[b->row + r]; // the number comes first, and what it reads is not moved
      double all = 0, off = 0;
      // a body may occur twice: first everything away, then everything there
      for (int pass = 0; pass < 2; pass++)
        for (int k = 0, at = 0; k < b->count; k++)
          for (int c = 0; c < b->nv[k]; c++, at++) {
            double *x = &values[tr_pattern_slot(&sys->pattern, sys->nv + b->row + r, b->v[k] + c)];
            if (pass == 0) off += fabs(*x - G[at]), *x = 0;
            if (pass == 1) all += own && at > 0 ? 0 : fabs(G[at]), *x += G[at];
          }
      most = fmax(most, off / all);
    }
  }
  return most;
}

void tr_plain_columns(tr_work *w, double *values) {
  const tr_system *sys = w->sys;
  const tr_pattern *p = &sys->pattern;
  for (int i = 0; i < sys->nreaction; i++) {
    const sys_joint *j = &sys->joint[sys->reaction[i].joint];
    sys_block block;
    const sys_block *b = tr_joint_block(sys, j, &block);
    const double *rows = tr_joint_rows(w, j);
    for (int r = 0; r < b->rows; r++) {
      const double *G = rows + r * b->width;
      int column = sys->nv + b->row + r;
      for (int k = p->column[column]; k < p->column[column + 1] && p->row[k] < sys->nv; k++)
        values[k] = 0;
      for (int k = 0, at = 0; k < b->count && at < b->pull; k++)
        for (int c = 0; c < b->nv[k]; c++, at++)
          values[tr_pattern_slot(p, b->v[k] + c, column)] += G[at];
    }
  }
}

tr_status tr_solve_with_reactions(tr_work *w, tr_kkt *kkt, double *r) {
  enum { SWEEPS = 100 };
  const tr_system *s = w->sys;
  int nv = s->nv, nc = s->nc;
  double *rows = w->x, *last = w->y;
  if (s->nreaction == 0) return tr_kkt_solve(kkt, 1, r);
  memcpy(rows, r + nv, (size_t)nc * sizeof *rows);
  for (int k = 0;; k++) {
    TR_TRY(tr_kkt_solve(kkt, 1, r));
    double change = 0, size = 0;
    for (int i = 0; i < nc; i++) {
      change = fmax(change, fabs(r[nv + i] - (k > 0 ? last[i] : INFINITY)));
      size = fmax(size, fabs(r[nv + i]));
    }
    if (change <= 1e-13 * size || size == 0) return TR_OK;
    if (k == SWEEPS) return TR_NO_CONVERGENCE;
    memcpy(last, r + nv, (size_t)nc * sizeof *last);
    tr_show_reactions(w, last);
    tr_forces(w, NULL, r, NULL);
    for (int i = 0; i < nv; i++) r[i] = -r[i];
    memcpy(r + nv, rows, (size_t)nc * sizeof *rows);
  }
}

void tr_silence_rows(const tr_system *sys, const bool *rows, double *values) {
  const tr_pattern *p = &sys->pattern;
  for (int j = 0; j < p->n; j++) {
    bool out = j >= sys->nv && rows[j - sys->nv];
    for (int k = p->column[j]; k < p->column[j + 1]; k++) {
      int i = p->row[k];
      if (out || (i >= sys->nv && rows[i - sys->nv])) values[k] = i == j;
    }
  }
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
