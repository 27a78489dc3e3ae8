// SPDX-License-Identifier: Apache-2.0
// The pieces of the equations of motion, each a loop over elements.
//
// Elements leave wrenches on frames; bodies gather them:  Q = Q_body + sum J' W,  so every body is
// visited once for kinematics and once for the gathering, whatever hangs on it.
#include <math.h>
#include <string.h>

#include "elem/elem.h"
#include "math/v3.h"
#include "pieces.h"

static tr_body_at body_at(const tr_work *w, const sys_body *b) {
  return (tr_body_at){b->par, w->q + b->q, w->v + b->v, w->cache + b->cache, w->t};
}

tr_bodies_at tr_bodies_of(const tr_work *w, int first, int n) {
  return (tr_bodies_at){n, w->sys->slot + first, w->t, w->q, w->v, w->cache, w->sys->site};
}

static tr_bodies_at bodies_at(const tr_work *w, const sys_run *run) {
  return tr_bodies_of(w, run->first, run->count);
}

int tr_run_search(const sys_run *runs, int count, int element) {
  int lo = 0, hi = count - 1;
  while (lo < hi) { // the last one that begins there or before
    int mid = (lo + hi + 1) / 2;
    if (runs[mid].first <= element)
      lo = mid;
    else
      hi = mid - 1;
  }
  return lo;
}

// What the loops over elements are about, for those that share them.
typedef struct loop {
  tr_work *w;
  tr_level level;
  const double *lam, *mu;
  double *phi, *F, *P;
  tr_wrenches W;
} loop;

TR_APART void share(tr_work *w, int n, tr_range_part *part, loop l) {
  l.w = w;
  tr_team_ranges(w->team, n, TR_GRAIN, part, &l);
}

static sys_range bodies_among(const tr_system *s, int first, int end) {
  return range_of(s->body_run, s->nbody_run, first, end);
}

TR_INLINE void move_bodies(tr_work *w, const sys_range *of, tr_level level) {
  const tr_system *s = w->sys;
  for (int r = run_of(s->body_run, s->nbody_run, of); r < s->nbody_run; r++) {
    const sys_run run = run_within(&s->body_run[r], of);
    if (of && run.count <= 0) break;
    const tr_body_type *type = s->body[run.first].type;
    if (type->kinematics_run) {
      tr_bodies_at many = bodies_at(w, &run);
      type->kinematics_run(&many, level, w->frames);
      continue;
    }
    for (const sys_body *b = s->body + run.first; b < s->body + run.first + run.count; b++) {
      tr_body_at at = body_at(w, b);
      type->kinematics(&at, level, b->sites, s->site + b->site, tr_frame_at(w->frames, b->frame));
    }
  }
}

void tr_move_some(tr_work *w, const sys_range *of, tr_level level) { move_bodies(w, of, level); }

static void kinematics_part(void *what, int i, int first, int end) {
  const loop *l = what;
  sys_range of = bodies_among(l->w->sys, first, end);
  (void)i;
  move_bodies(l->w, &of, l->level);
}

TR_INLINE void go_to(tr_work *w, double t, const double *q, const double *v, const double *mem,
                     tr_level level) {
  const tr_system *s = w->sys;
  w->t = t, w->q = q, w->v = v, w->mem = mem;
  if (s->frame_size == TR_FRAME_OF_POINTS) tr_fit_frames(w, level);
  for (const sys_switched *k = s->switched; k < s->switched + s->nswitched; k++)
    memcpy(tr_frame_at(w->frames, k->frame)->R, mem + k->first, (size_t)k->count * sizeof *mem);
}

void tr_go_to(tr_work *w, double t, const double *q, const double *v, const double *mem,
              tr_level level) {
  go_to(w, t, q, v, mem, level);
}

void tr_kinematics(tr_work *w, double t, const double *q, const double *v, const double *mem,
                   tr_level level) {
  go_to(w, t, q, v, mem, level);
  if (w->team)
    share(w, w->sys->nbody, kinematics_part, (loop){.level = level});
  else
    move_bodies(w, NULL, level);
}

static const uint64_t HASH = 0x100000001b3; // FNV's

// A spring that is at rest acts: its force is zero, or round-off, but its slopes are not.
static bool acts(const tr_work *w, const sys_force *e, const tr_frame *const *f,
                 const double *wrench) {
  double K[36 * TR_MAX_MARKERS * TR_MAX_MARKERS], D[36 * TR_MAX_MARKERS * TR_MAX_MARKERS];
  int n = e->e.nd * e->e.markers;
  for (int k = 0; k < n; k++)
    if (wrench[k] != 0) return true;
  if (e->ops->one_sided) return false;
  memset(K, 0, (size_t)(n * n) * sizeof *K);
  memset(D, 0, (size_t)(n * n) * sizeof *D);
  e->ops->tangent(e->e.par, w->t, f, w->mem + e->e.mem, K, D);
  for (int k = 0; k < n * n; k++)
    if (K[k] != 0 || D[k] != 0) return true;
  return false;
}

void tr_load_forces(tr_work *w) {
  const tr_system *s = w->sys;
  const tr_frame *f[TR_MAX_MARKERS];
  double wrench[6 * TR_MAX_MARKERS];
  w->acting = 0;
  for (int i = 0; i < s->nforce; i++) {
    const sys_force *e = &s->force[i];
    frames_of(w, &e->e, f);
    e->ops->eval(e->e.par, w->t, f, w->mem + e->e.mem, wrench);
    put_wrenches(&e->e, wrench, w->W);
    w->acting = (w->acting ^ acts(w, e, f, wrench)) * HASH;
  }
}

// Joints that can be locked stand alone: they hold where they were locked, or not at all.
bool tr_load_idle(const tr_work *w, const sys_joint *j, const double *lam, double *phi,
                  tr_wrenches W) {
  static const double none[6 * TR_MAX_MARKERS] = {0};
  if (!tr_joint_idle(w, j)) return false;
  for (int r = 0; phi && r < j->ops->rows; r++) phi[j->row + r] = 0;
  if (lam) put_wrenches(&j->e, none, W);
  return true;
}

TR_INLINE void load_some(tr_work *w, const sys_range *of, const double *lam, double *phi,
                         tr_wrenches W) {
  const tr_system *s = w->sys;
  const tr_frame *f[TR_MAX_MARKERS];
  double wrench[6 * TR_MAX_MARKERS], rows[TR_MAX_ROWS];
  const tr_joint_run all = {.lam = lam, .phi = phi, .W = W};
  for (int r = run_of(s->joint_run, s->njoint_run, of); r < s->njoint_run; r++) {
    const sys_run run = run_within(&s->joint_run[r], of);
    if (of && run.count <= 0) break;
    const sys_joint *first = s->joint + run.first;
    const tr_joint_ops *ops = first->ops;
    if (tr_load_idle(w, first, lam, phi, W)) continue;
    if (ops->eval_run && first->lock < 0) {
      ops->eval_run(run.count, s->link + run.first, w->t, w->frames, &all);
      continue;
    }
    for (const sys_joint *e = first; e < first + run.count; e++) {
      frames_of(w, &e->e, f);
      ops->eval(e->e.par, w->t, f, w->mem + e->e.mem, lam ? lam + e->row : NULL,
                phi ? phi + e->row : rows, wrench);
      if (lam) put_wrenches(&e->e, wrench, W);
      for (int i = 0; e->lock >= 0 && phi && i < ops->rows; i++)
        phi[e->row + i] -= w->mem[e->lock + 1 + i];
    }
  }
}

void tr_load_some(tr_work *w, const sys_range *of, const double *lam, double *phi) {
  load_some(w, of, lam, phi, w->W);
}

static void load_part(void *what, int i, int first, int end) {
  const loop *l = what;
  sys_range of = range_of(l->w->sys->joint_run, l->w->sys->njoint_run, first, end);
  (void)i;
  load_some(l->w, &of, l->lam, l->phi, l->W);
}

static void load_joints(tr_work *w, const double *lam, double *phi, tr_wrenches W) {
  if (w->team && w->joints_apart)
    share(w, w->sys->njoint, load_part, (loop){.lam = lam, .phi = phi, .W = W});
  else
    load_some(w, NULL, lam, phi, W);
}

// out = -(out + sum J' W) + G_own' lam over a body's first n frames and own constraints
static void gather(tr_work *w, const sys_body *b, const tr_body_at *at, int n, tr_wrenches W,
                   const double *lam, double *out) {
  const tr_system *s = w->sys;
  for (int k = 0; k < n; k++)
    b->type->add_pull(at, s->site + b->site + k, tr_wrench_at(W, b->frame + k), out);
  for (int k = 0; k < b->nv; k++) out[k] = -out[k];
  if (b->nc == 0 || !lam) return;
  double *G = w->rows;
  b->type->jac(at, G);
  for (int r = 0; r < b->nc; r++)
    for (int k = 0; k < b->nv; k++) out[k] += G[r * b->nv + k] * lam[b->row + r];
}

static void clear(double *x, int n) {
  for (int i = 0; i < n; i++) x[i] = 0;
}

static void clear_part(void *what, int part, int first, int end) {
  (void)part;
  clear((double *)what + first, end - first);
}

TR_INLINE void gather_some(tr_work *w, const sys_range *of, const double *lam, double *F,
                           double *phi, const double *mu, double *P) {
  const tr_system *s = w->sys;
  for (int r = run_of(s->body_run, s->nbody_run, of); r < s->nbody_run; r++) {
    const sys_run run = run_within(&s->body_run[r], of);
    if (of && run.count <= 0) break;
    const tr_body_type *type = s->body[run.first].type;
    if (type->gather_run) {
      tr_bodies_at many = bodies_at(w, &run);
      if (F) type->gather_run(&many, s->gravity, w->W, F, P ? w->W2 : (tr_wrenches){0}, P);
      continue;
    }
    for (const sys_body *b = s->body + run.first; b < s->body + run.first + run.count; b++) {
      tr_body_at at = body_at(w, b);
      if (b->nc > 0 && phi) type->phi(&at, phi + b->row);
      if (!F) continue;
      clear(F + b->v, b->nv);
      type->add_force(&at, s->gravity, F + b->v);
      gather(w, b, &at, b->sites, w->W, lam, F + b->v);
      if (!P) continue;
      clear(P + b->v, b->nv);
      gather(w, b, &at, b->held, w->W2, mu, P + b->v);
    }
  }
}

void tr_gather_some(tr_work *w, const sys_range *of, double *F) {
  gather_some(w, of, NULL, F, NULL, NULL, NULL);
}

static void gather_part(void *what, int i, int first, int end) {
  const loop *l = what;
  sys_range of = bodies_among(l->w->sys, first, end);
  gather_some(tr_hand(l->w, i), &of, l->lam, l->F, l->phi, l->mu, l->P);
}

// F = -(own force + sum J' W) + G_own' lam, body by body; phi of own constraints. P = -sum J' W2 + G_own' mu.
void tr_gather_bodies(tr_work *w, const double *lam, double *F, double *phi, const double *mu,
                      double *P) {
  if (w->team)
    share(w, w->sys->nbody, gather_part, (loop){.lam = lam, .phi = phi, .F = F, .mu = mu, .P = P});
  else
    gather_some(w, NULL, lam, F, phi, mu, P);
}

void tr_forces(tr_work *w, const double *lam, double *F, double *phi) {
  const double *shown = w->reactions ? w->reactions : lam;
  if (w->sys->nreaction > 0 && shown) tr_show_reactions(w, shown);
  if (!lam && F) TR_SHARE(w, w->W.size * w->sys->nframe, clear_part, w->W.first);
  if (lam || phi) load_joints(w, lam, phi, w->W);
  if (F && w->sys->nforce > 0) tr_load_forces(w);
  tr_gather_bodies(w, lam, F, phi, NULL, NULL);
}

// ---- constraints ----------------------------------------------------------------------------------

// Rows on a frame -> rows on its body's velocities.
static void pull_rows(const tr_body_at *at, const sys_body *b, const tr_site *site, int rows,
                      int frame_stride, const double *Gf, int stride, double *G) {
  if (b->type->pull_rows) {
    b->type->pull_rows(at, site, rows, frame_stride, Gf, stride, G);
    return;
  }
  for (int r = 0; r < rows; r++) {
    memset(G + r * stride, 0, (size_t)b->nv * sizeof *G);
    b->type->add_pull(at, site, Gf + r * frame_stride, G + r * stride);
  }
}

// Number by number, never copied as a whole: what has just been written in parts cannot be read as one.
const sys_block *tr_joint_block(const tr_system *s, const sys_joint *j, sys_block *to) {
  int count = 0, width = 0;
  for (int k = 0; k < j->e.markers; k++) {
    if (j->e.body[k] == TR_GROUND) continue;
    const sys_body *b = &s->body[j->e.body[k]];
    to->v[count] = b->v, to->nv[count++] = b->nv;
    width += b->nv;
  }
  to->row = j->row, to->rows = j->ops->rows, to->G = j->G;
  to->count = count, to->width = width;
  to->pull = j->ops->one_sided ? to->nv[0] : width;
  return to;
}

const sys_block *tr_block(const tr_system *s, int i, sys_block *to) {
  if (i >= s->nown) return tr_joint_block(s, &s->joint[i - s->nown], to);
  const sys_body *b = &s->body[s->own[i]];
  to->row = b->row, to->rows = b->nc, to->G = b->G;
  to->count = 1, to->v[0] = b->v, to->nv[0] = to->width = to->pull = b->nv;
  return to;
}

const double *tr_pull_joint(tr_work *w, const sys_joint *j, const double *Gf) {
  const tr_system *s = w->sys;
  double *first = w->G ? w->G + j->G : w->rows, *G = first;
  int nd = j->e.nd, n = j->e.markers * nd, rows = j->ops->rows, width = 0;
  for (int k = 0; k < j->e.markers; k++)
    if (j->e.body[k] != TR_GROUND) width += s->body[j->e.body[k]].nv;
  if (!Gf) clear(G, rows * width);
  for (int k = 0; Gf && k < j->e.markers; k++) {
    if (j->e.body[k] == TR_GROUND) continue;
    const sys_body *b = &s->body[j->e.body[k]];
    tr_body_at at = body_at(w, b);
    pull_rows(&at, b, tr_site_of(s, j->e.body[k], j->e.frame[k]), rows, n, Gf + k * nd, width, G);
    G += b->nv;
  }
  return first;
}

const double *tr_joint_rows(tr_work *w, const sys_joint *j) {
  const tr_frame *f[TR_MAX_MARKERS];
  double Gf[TR_MAX_ROWS * 6 * TR_MAX_MARKERS];
  if (tr_joint_idle(w, j)) return tr_pull_joint(w, j, NULL);
  frames_of(w, &j->e, f);
  j->ops->jac(j->e.par, w->t, f, Gf);
  return tr_pull_joint(w, j, Gf);
}

const double *tr_own_rows(tr_work *w, const sys_body *b) {
  tr_body_at at = body_at(w, b);
  double *G = w->G ? w->G + b->G : w->rows;
  b->type->jac(&at, G);
  return G;
}

const double *tr_block_rows(tr_work *w, int i) {
  const tr_system *s = w->sys;
  return i < s->nown ? tr_own_rows(w, &s->body[s->own[i]])
                     : tr_joint_rows(w, &s->joint[i - s->nown]);
}

static void rows_part(void *what, int part, int first, int end) {
  tr_work *w = tr_hand(what, part);
  for (int i = first; i < end; i++) tr_block_rows(w, i);
}

void tr_jacobian(tr_work *w) {
  if (w->G) tr_team_ranges(w->team, w->sys->nblock, TR_GRAIN, rows_part, w);
}

// Row r of a block with rows G times v.
static double row_times(const double *G, const sys_block *b, int r, const double *v) {
  double sum = 0;
  G += r * b->width;
  for (int k = 0; k < b->count; k++)
    for (int c = 0; c < b->nv[k]; c++) sum += *G++ * v[b->v[k] + c];
  return sum;
}

static void times_part(void *what, int part, int first, int end) {
  const loop *l = what;
  tr_work *w = tr_hand(l->w, part);
  for (int i = first; i < end; i++) {
    sys_block b;
    tr_block(w->sys, i, &b);
    const double *G = w->G ? w->G + b.G : tr_block_rows(w, i);
    for (int r = 0; r < b.rows; r++) l->phi[b.row + r] = row_times(G, &b, r, l->lam);
  }
}

void tr_G_times(tr_work *w, const double *v, double *out) {
  share(w, w->sys->nblock, times_part, (loop){.lam = v, .phi = out});
}

void tr_joint_velocity_rows(const tr_system *s, const sys_joint *j, const double *G,
                            const double *x, double *out) {
  sys_block b;
  tr_joint_block(s, j, &b);
  for (int r = 0; r < b.rows; r++)
    if (j->ops->velocity >> r & 1u) out[b.row + r] = row_times(G, &b, r, x);
}

void tr_velocity_rows_times(tr_work *w, const double *x, double *out) {
  for (const sys_joint *j = w->sys->joint; j < w->sys->joint + w->sys->njoint; j++)
    if (j->ops->velocity) tr_joint_velocity_rows(w->sys, j, tr_joint_rows(w, j), x, out);
}

void tr_Gt_times(tr_work *w, const double *lam, double *out) {
  const tr_system *s = w->sys;
  memset(out, 0, (size_t)s->nv * sizeof *out);
  for (int i = 0; i < s->nblock; i++) {
    sys_block b;
    tr_block(s, i, &b);
    const double *rows = w->G ? w->G + b.G : tr_block_rows(w, i);
    for (int r = 0; r < b.rows; r++) {
      const double *G = rows + r * b.width, *end = G + b.pull;
      for (int k = 0; k < b.count && G < end; k++)
        for (int c = 0; c < b.nv[k]; c++) out[b.v[k] + c] += *G++ * lam[b.row + r];
    }
  }
}

void tr_phi_t(tr_work *w, double *out) {
  const tr_system *s = w->sys;
  const tr_frame *f[TR_MAX_MARKERS];
  memset(out, 0, (size_t)s->nc * sizeof *out);
  if (!s->rheonomic) return;
  for (int i = 0; i < s->nbody; i++) {
    const sys_body *b = &s->body[i];
    if (b->nc == 0 || !b->type->phi_t) continue;
    tr_body_at at = body_at(w, b);
    b->type->phi_t(&at, out + b->row);
  }
  for (int i = 0; i < s->njoint; i++) {
    const sys_joint *j = &s->joint[i];
    if (!j->ops->phi_t || tr_joint_idle(w, j)) continue;
    frames_of(w, &j->e, f);
    j->ops->phi_t(j->e.par, w->t, f, w->mem + j->e.mem, out + j->row);
  }
}

// The frames' bias accelerations through G, plus what the element itself adds.
void tr_gamma(tr_work *w, double *out) {
  const tr_system *s = w->sys;
  const tr_frame *f[TR_MAX_MARKERS];
  double Gf[TR_MAX_ROWS * 6 * TR_MAX_MARKERS];
  for (int i = 0; i < s->nbody; i++) {
    const sys_body *b = &s->body[i];
    if (b->nc == 0) continue;
    tr_body_at at = body_at(w, b);
    b->type->gamma(&at, out + b->row);
  }
  for (int i = 0; i < s->njoint; i++) {
    const sys_joint *j = &s->joint[i];
    double *o = out + j->row;
    int nd = j->e.nd, n = j->e.markers * nd;
    frames_of(w, &j->e, f);
    memset(o, 0, (size_t)j->ops->rows * sizeof *o);
    if (tr_joint_idle(w, j)) continue;
    if (j->ops->gamma) j->ops->gamma(j->e.par, w->t, f, o);
    j->ops->jac(j->e.par, w->t, f, Gf);
    for (int r = 0; r < j->ops->rows; r++)
      for (int k = 0; k < j->e.markers; k++) {
        const double *g = Gf + r * n + k * nd;
        int lines = nd == 3 ? 2 : 3;
        for (int c = 0; c < lines; c++) o[r] += g[c] * f[k]->ap[c];
        if (tr_site_of(s, j->e.body[k], j->e.frame[k])->point) continue;
        for (int c = lines; c < nd; c++) o[r] += g[c] * f[k]->aw[nd == 3 ? 2 : c - 3];
      }
  }
}

// Through jac where an element has no shortcut.
static void rate_by_jac(const tr_system *s, const sys_joint *j, double t, const tr_frame *const *f,
                        const double *mem, double *out) {
  double Gf[TR_MAX_ROWS * 6 * TR_MAX_MARKERS];
  int nd = j->e.nd, n = j->e.markers * nd;
  memset(out, 0, (size_t)j->ops->rows * sizeof *out);
  if (j->ops->phi_t) j->ops->phi_t(j->e.par, t, f, mem, out);
  j->ops->jac(j->e.par, t, f, Gf);
  for (int r = 0; r < j->ops->rows; r++)
    for (int k = 0; k < j->e.markers; k++) {
      const double *g = Gf + r * n + k * nd;
      bool point = tr_site_of(s, j->e.body[k], j->e.frame[k])->point;
      if (nd == 3)
        out[r] += g[0] * f[k]->v[0] + g[1] * f[k]->v[1] + (point ? 0 : g[2] * f[k]->w[2]);
      else
        out[r] += v3_dot(g, f[k]->v) + (point ? 0 : v3_dot(g + 3, f[k]->w));
    }
}

static void own_rate(tr_work *w, const sys_body *b, const tr_body_at *at, double *out) {
  double *G = w->rows;
  clear(out, b->nc);
  if (b->type->phi_t) b->type->phi_t(at, out);
  b->type->jac(at, G);
  for (int r = 0; r < b->nc; r++)
    for (int k = 0; k < b->nv; k++) out[r] += G[r * b->nv + k] * at->v[k];
}

void tr_joint_rate(const tr_work *w, const sys_joint *j, const tr_frame *const *f, double *out) {
  double gam[TR_MAX_ROWS];
  if (tr_joint_idle(w, j)) {
    clear(out, j->ops->rows);
    return;
  }
  if (j->ops->velocity == (1u << j->ops->rows) - 1)
    ; // Gam is all there is
  else if (j->ops->rate)
    j->ops->rate(j->e.par, w->t, f, out);
  else
    rate_by_jac(w->sys, j, w->t, f, w->mem + j->e.mem, out);
  if (!j->ops->velocity) return;
  j->ops->eval(j->e.par, w->t, f, w->mem + j->e.mem, NULL, gam, NULL);
  for (int r = 0; r < j->ops->rows; r++)
    if (j->ops->velocity >> r & 1u) out[r] = gam[r];
}

void tr_own_rates(tr_work *w, double *out) {
  const tr_system *s = w->sys;
  for (int i = 0; i < s->nown; i++) {
    const sys_body *b = &s->body[s->own[i]];
    tr_body_at at = body_at(w, b);
    own_rate(w, b, &at, out + b->row);
  }
}

TR_INLINE void pull_some(tr_work *w, const sys_range *of, const double *mu, double *out) {
  const tr_system *s = w->sys;
  for (int r = run_of(s->body_run, s->nbody_run, of); r < s->nbody_run; r++) {
    const sys_run run = run_within(&s->body_run[r], of);
    if (of && run.count <= 0) break;
    const tr_body_type *type = s->body[run.first].type;
    if (type->pull_run) {
      tr_bodies_at many = bodies_at(w, &run);
      type->pull_run(&many, w->W2, out);
      continue;
    }
    for (const sys_body *b = s->body + run.first; b < s->body + run.first + run.count; b++) {
      tr_body_at at = body_at(w, b);
      clear(out + b->v, b->nv);
      gather(w, b, &at, b->held, w->W2, mu, out + b->v);
    }
  }
}

static void pull_part(void *what, int i, int first, int end) {
  const loop *l = what;
  sys_range of = bodies_among(l->w->sys, first, end);
  pull_some(tr_hand(l->w, i), &of, l->mu, l->P);
}

void tr_gather_second(tr_work *w, const double *mu, double *out) {
  if (w->team)
    share(w, w->sys->nbody, pull_part, (loop){.mu = mu, .P = out});
  else
    pull_some(w, NULL, mu, out);
}

// By way of a set of wrenches that forces never touch, where it is kept.
void tr_constraint_force(tr_work *w, const double *mu, double *out) {
  load_joints(w, mu, NULL, w->W2);
  tr_gather_second(w, mu, out);
}

// ---- the rest -------------------------------------------------------------------------------------

void tr_energy(tr_work *w, double *kinetic, double *potential) {
  const tr_system *s = w->sys;
  const tr_frame *f[TR_MAX_MARKERS];
  *kinetic = *potential = 0;
  for (int i = 0; i < s->nbody; i++) {
    tr_body_at at = body_at(w, &s->body[i]);
    double T, V;
    s->body[i].type->energy(&at, s->gravity, &T, &V);
    *kinetic += T, *potential += V;
  }
  for (int i = 0; i < s->nforce; i++) {
    const sys_force *e = &s->force[i];
    if (!e->ops->potential) continue;
    frames_of(w, &e->e, f);
    *potential += e->ops->potential(e->e.par, w->t, f, w->mem + e->e.mem);
  }
}
