// SPDX-License-Identifier: Apache-2.0
// What stabilised methods need of the constraints at one point, every joint visited once.
//
// A joint with `look` gives phi, Phi_t and G on its frames in one go, for it is dear to look at; the rest
// are products:  -G' lam,  -G' mu,  G u + Phi_t.  Others are cheap and evaluated for each.
#include <string.h>

#include "pieces.h"

static void twists(int nd, int markers, const tr_frame *const *f, double *u) {
  for (int k = 0; k < markers; k++, u += nd) {
    memcpy(u, f[k]->v, (size_t)(nd == 3 ? 2 : 3) * sizeof *u);
    if (nd == 3)
      u[2] = f[k]->w[2];
    else
      memcpy(u + 3, f[k]->w, 3 * sizeof *u);
  }
}

typedef struct multipliers {
  const double *lam, *mu;
  const double *x; // for rows of velocities, or NULL
} multipliers;

// A loop over joints, for those who share it.
typedef struct loop {
  tr_work *w;
  multipliers m;
  double *phi, *rate;
} loop;

// Not where joints put wrenches on one frame, whose sum has an order.
TR_APART void share(tr_work *w, bool apart, tr_range_part *part, loop l) {
  l.w = w;
  if (w->team && apart)
    tr_team_ranges(w->team, w->sys->njoint, TR_GRAIN, part, &l);
  else
    part(&l, 0, 0, w->sys->njoint);
}

static sys_range joints_among(const tr_system *s, int first, int end) {
  return range_of(s->joint_run, s->njoint_run, first, end);
}

// The rows of velocities, once phi holds Gam.
static void finish(tr_work *w, const sys_joint *j, const double *G, const double *x, double *phi,
                   double *rate) {
  for (int r = j->row; r < j->row + j->ops->rows; r++)
    if (j->ops->velocity >> (r - j->row) & 1u) rate[r] = phi[r];
  if (x) tr_joint_velocity_rows(w->sys, j, G ? G : tr_joint_rows(w, j), x, phi);
}

// x (n) = -G' lam and y = -G' mu on the first m columns, rate += G u
TR_INLINE void pull_of(int rows, int n, int m, const double *restrict G, const double *lam,
                       const double *mu, const double *restrict u, double *restrict x,
                       double *restrict y, double *restrict rate) {
  for (int c = 0; c < n; c++) x[c] = y[c] = 0;
  for (int r = 0; r < rows; r++, G += n) {
    double l = lam[r], k = mu[r], sum = 0;
    for (int c = 0; c < m; c++) x[c] -= l * G[c], y[c] -= k * G[c];
    for (int c = 0; c < n; c++) sum += G[c] * u[c];
    rate[r] += sum;
  }
}

// The usual sizes are known where it is compiled.
static void pull(int rows, int n, int m, const double *G, const double *lam, const double *mu,
                 const double *u, double *x, double *y, double *rate) {
  if (n == 12 && m == 12)
    pull_of(rows, 12, 12, G, lam, mu, u, x, y, rate);
  else if (n == 6 && m == 6)
    pull_of(rows, 6, 6, G, lam, mu, u, x, y, rate);
  else
    pull_of(rows, n, m, G, lam, mu, u, x, y, rate);
}

static void look(tr_work *w, const sys_joint *j, const multipliers *m, double *phi, double *rate) {
  double G[TR_MAX_ROWS * 6 * TR_MAX_MARKERS];
  double x[6 * TR_MAX_MARKERS], y[6 * TR_MAX_MARKERS], u[6 * TR_MAX_MARKERS];
  const tr_frame *f[TR_MAX_MARKERS];
  const tr_joint_ops *ops = j->ops;
  int n = j->e.markers * j->e.nd, pulled = ops->one_sided ? j->e.nd : n;
  frames_of(w, &j->e, f);
  ops->look(j->e.par, w->t, f, w->mem + j->e.mem, phi + j->row, rate + j->row, G);
  twists(j->e.nd, j->e.markers, f, u);
  pull(ops->rows, n, pulled, G, m->lam + j->row, m->mu + j->row, u, x, y, rate + j->row);
  put_both(&j->e, x, y, w->W, w->W2);
  if (ops->velocity) finish(w, j, m->x ? tr_pull_joint(w, j, G) : NULL, m->x, phi, rate);
}

// u = J x, or row by row where a body does not tell
TR_INLINE void twist_of(const tr_work *w, const sys_body *b, const tr_site *site, const double *x,
                        double *u) {
  tr_body_at at = {b->par, w->q + b->q, w->v + b->v, w->cache + b->cache, w->t};
  double *row = w->rows;
  if (b->type->twist) {
    b->type->twist(&at, site, x, u);
    return;
  }
  for (int i = 0; i < site->nd; i++) {
    double along[6] = {0};
    along[i] = 1, u[i] = 0;
    memset(row, 0, (size_t)b->nv * sizeof *row);
    b->type->add_pull(&at, site, along, row);
    for (int c = 0; c < b->nv; c++) u[i] += row[c] * x[c];
  }
}

// The twist u (nd) of a joint's k-th frame, had its body the velocities x here; of ground 0, and then up to 6 of them.
TR_INLINE void twist_at(const tr_work *w, const sys_joint *j, int k, const double *x, double *u) {
  const tr_system *s = w->sys;
  int body = j->e.body[k];
  if (body == TR_GROUND)
    for (int i = 0; i < 6; i++) u[i] = 0;
  else
    twist_of(w, &s->body[body], tr_site_of(s, body, j->e.frame[k]), x + s->body[body].v, u);
}

// Wrenches go to x and y, or where nothing is there to add them to at once to their frames: true.
TR_INLINE bool place_two(const tr_work *w, const sys_joint *j, double *x, double *y,
                         tr_joint_two *io) {
  const int *at = j->e.frame;
  bool alone = j->e.first == 3 && w->W.size == 6;
  io->w = alone ? tr_wrench_at(w->W, at[0]) : x, io->w2 = alone ? tr_wrench_at(w->W2, at[0]) : y;
  io->apart = alone ? 6 * (at[1] - at[0]) : 0;
  return alone;
}

static void evaluate_two(tr_work *w, const sys_joint *j, const multipliers *m, double *phi,
                         double *rate) {
  double x[6 * TR_MAX_MARKERS], y[6 * TR_MAX_MARKERS];
  const tr_frame *f[TR_MAX_MARKERS];
  tr_joint_two io = {.lam = m->lam + j->row,
                     .mu = m->mu + j->row,
                     .phi = phi + j->row,
                     .rate = rate + j->row,
                     .w = x,
                     .w2 = y};
  frames_of(w, &j->e, f);
  bool alone = j->ops->prims && place_two(w, j, x, y, &io);
  j->ops->eval_two(j->e.par, w->t, f, w->mem + j->e.mem, &io);
  if (!alone) put_both(&j->e, x, y, w->W, w->W2);
}

// With other twists, of a joint that has two markers.
static void evaluate_along(tr_work *w, const sys_joint *j, const multipliers *m, double *phi,
                           double *rate) {
  double x[12], y[12], u[12];
  int nd = j->e.nd;
  const tr_frame *f[] = {tr_frame_at(w->frames, j->e.frame[0]),
                         tr_frame_at(w->frames, j->e.frame[1])};
  tr_joint_two io = {.lam = m->lam + j->row,
                     .mu = m->mu + j->row,
                     .phi = phi + j->row,
                     .rate = rate + j->row,
                     .w = x,
                     .w2 = y,
                     .u = u};
  twist_at(w, j, 0, m->x, u), twist_at(w, j, 1, m->x, u + nd);
  bool alone = nd == 6 && place_two(w, j, x, y, &io);
  io.grounded = alone && j->e.body[0] == TR_GROUND;
  j->ops->eval_two(j->e.par, w->t, f, w->mem + j->e.mem, &io);
  if (!alone) put_both(&j->e, x, y, w->W, w->W2);
}

static void evaluate(tr_work *w, const sys_joint *j, const multipliers *m, double *phi,
                     double *rate) {
  double wrench[6 * TR_MAX_MARKERS], rows[TR_MAX_ROWS];
  const tr_joint_ops *ops = j->ops;
  const tr_frame *f[TR_MAX_MARKERS];
  const double *mem = w->mem + j->e.mem;
  frames_of(w, &j->e, f);
  ops->eval(j->e.par, w->t, f, mem, m->lam + j->row, phi + j->row, wrench);
  put_wrenches(&j->e, wrench, w->W);
  ops->eval(j->e.par, w->t, f, mem, m->mu + j->row, rows, wrench);
  put_wrenches(&j->e, wrench, w->W2);
  if (ops->velocity != (1u << ops->rows) - 1) tr_joint_rate(w, j, f, rate + j->row);
  if (ops->velocity) finish(w, j, NULL, m->x, phi, rate);
}

typedef void one_joint(tr_work *w, const sys_joint *j, const multipliers *m, double *phi,
                       double *rate);

static void idle(tr_work *w, const sys_joint *j, const multipliers *m, double *phi, double *rate) {
  tr_load_idle(w, j, m->lam, phi, w->W);
  tr_load_idle(w, j, m->mu, rate, w->W2);
}

TR_INLINE void load(tr_work *w, const sys_range *of, const multipliers *m, double *phi,
                    double *rate) {
  const tr_system *s = w->sys;
  const multipliers alone = {m->lam, m->mu, NULL};
  for (int r = run_of(s->joint_run, s->njoint_run, of); r < s->njoint_run; r++) {
    const sys_run run = run_within(&s->joint_run[r], of);
    if (of && run.count <= 0) break;
    const sys_joint *j = s->joint + run.first, *end = j + run.count;
    const tr_joint_ops *ops = j->ops;
    if (tr_joint_idle(w, j)) {
      idle(w, j, m, phi, rate);
    } else if (ops->eval_run && j->lock < 0) {
      const tr_joint_run all = {m->lam, m->mu, phi, rate, w->W, w->W2};
      ops->eval_run(run.count, s->link + run.first, w->t, w->frames, &all);
    } else {
      bool rows = ops->velocity && m->x && !(w->numbers_rest && s->of_number[j->row]);
      bool two = ops->eval_two && (!rows || ops->two_along);
      const multipliers *own = rows ? m : &alone;
      one_joint *of_one = !two ? ops->look ? look : evaluate : rows ? evaluate_along : evaluate_two;
      for (; j < end; j++) {
        of_one(w, j, own, phi, rate);
        for (int i = 0; j->lock >= 0 && i < ops->rows; i++)
          if (!(ops->velocity >> i & 1u)) phi[j->row + i] -= w->mem[j->lock + 1 + i];
      }
    }
  }
}

static void load_part(void *what, int i, int first, int end) {
  const loop *l = what;
  sys_range of = joints_among(l->w->sys, first, end);
  load(tr_hand(l->w, i), &of, &l->m, l->phi, l->rate);
}

void tr_stabilised(tr_work *w, const double *lam, const double *mu, const double *x, double *F,
                   double *phi, double *rate, double *P) {
  multipliers m = {lam, mu, x};
  if (w->sys->nreaction > 0) tr_show_reactions(w, w->reactions ? w->reactions : lam);
  if (w->sys->nown > 0) tr_own_rates(w, rate);
  if (w->team)
    share(w, w->joints_apart, load_part, (loop){.m = m, .phi = phi, .rate = rate});
  else
    load(w, NULL, &m, phi, rate);
  tr_load_forces(w);
  tr_gather_bodies(w, lam, F, phi, mu, P);
}

// mu NULL: rates alone.
TR_INLINE void rates(tr_work *w, const sys_joint *j, const double *mu, double *rate) {
  double wrench[6 * TR_MAX_MARKERS], rows[TR_MAX_ROWS];
  const tr_frame *f[TR_MAX_MARKERS];
  frames_of(w, &j->e, f);
  if (mu) {
    j->ops->eval(j->e.par, w->t, f, w->mem + j->e.mem, mu + j->row, rows, wrench);
    put_wrenches(&j->e, wrench, w->W2);
  }
  tr_joint_rate(w, j, f, rate + j->row);
}

TR_INLINE void rates_some(tr_work *w, const sys_range *of, const double *mu, double *rate) {
  const tr_system *s = w->sys;
  const tr_joint_run both = {.mu = mu, .rate = rate, .W2 = mu ? w->W2 : (tr_wrenches){0}};
  for (int r = run_of(s->joint_run, s->njoint_run, of); r < s->njoint_run; r++) {
    const sys_run run = run_within(&s->joint_run[r], of);
    if (of && run.count <= 0) break;
    const sys_joint *j = s->joint + run.first, *end = j + run.count;
    if (tr_joint_idle(w, j))
      tr_load_idle(w, j, mu, rate, w->W2);
    else if (j->ops->eval_run && j->lock < 0)
      j->ops->eval_run(run.count, s->link + run.first, w->t, w->frames, &both);
    else
      for (; j < end; j++) rates(w, j, mu, rate);
  }
}

static void rates_part(void *what, int i, int first, int end) {
  const loop *l = what;
  sys_range of = joints_among(l->w->sys, first, end);
  (void)i;
  rates_some(l->w, &of, l->m.mu, l->rate);
}

TR_INLINE void find_rates(tr_work *w, const double *mu, double *rate) {
  tr_own_rates(w, rate);
  if (w->team)
    share(w, w->joints_apart || !mu, rates_part, (loop){.m.mu = mu, .rate = rate});
  else
    rates_some(w, NULL, mu, rate);
}

void tr_rates(tr_work *w, double *out) { find_rates(w, NULL, out); }

void tr_stabilised_rates(tr_work *w, const double *mu, double *rate, double *P) {
  find_rates(w, mu, rate);
  tr_gather_second(w, mu, P);
}
