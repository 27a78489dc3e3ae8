// SPDX-License-Identifier: Apache-2.0
// Hilber-Hughes-Taylor on index 3 (HHT-I3) and on stabilised index 2 (HHT-SI2) [NJK09].
//
// Newmark's formulas with gamma = (1 - 2 alpha)/2, beta = (1 - alpha)^2/4, alpha in [-1/3, 0], and
//   1/(1+alpha) Mbar a1 + F1 - alpha/(1+alpha) F_n = 0,   F = G' lam - Q,   Phi(q1, t1) = 0
// HHT-SI2 adds h^2/2 w to the increment of q, with Mbar w = G1' mu and G1 v1 + Phi_t = 0.
// a1 approximates q'' at t_n + (1+alpha) h. Hence
//   - Mbar = M(q_n o (1+alpha) h v_n). The printed M(q1) costs an order where M varies; it is kept as
//     mass=end for comparison.
//   - a_0 is q'' at t_0 + alpha h, see jerk.h. The printed q''(t_0) is kept as start=printed.
//   - when the step changes from h to h', a_n becomes q''_n + (h'/h)(a_n - q''_n), with q''_n on the
//     line through a_n and the a of the step before.
// F_{n+1} follows from the equation itself once it is solved; no extra evaluation.
#include <math.h>

#include "jerk.h"

typedef struct par {
  double alpha;
  int mass, start;
} par;

enum { MASS_MIDDLE, MASS_END };
enum { START_SMOOTH, START_PRINTED };
enum { HISTORY, ACCELERATION, BEFORE, ROOMS }; // the last two only where steps change

// The a that a step uses in place of x0->a, and that of the step before it. used NULL: x0->a itself; before
// NULL: likewise, of the step before, which the predictor remembers.
typedef struct memory {
  tr_jerk *jerk;
  const double *used, *before;
} memory;

static const char *const masses[] = {"intermediate", "end", NULL};
static const char *const starts[] = {"smooth", "printed", NULL};
static const tr_field fields[] = {
    {"alpha", TR_REAL, TR_NUMBER, offsetof(par, alpha), "-0.3", .min = -1.0 / 3, .max = 0,
     .doc = "numerical damping: 0 none, -1/3 most"},
    {"mass", TR_CHOICE, TR_NUMBER, offsetof(par, mass), "intermediate", .choices = masses,
     .doc = "where M(q) is taken; `end` is the printed, first-order form"},
    {"start", TR_CHOICE, TR_NUMBER, offsetof(par, start), "smooth", .choices = starts,
     .doc = "a_0 at t_0 + alpha h; `printed`: at t_0, and lam is off by O(h) for some steps"},
    {0}};

// Without damping a and lam alternate on index 3, like those of the trapezoidal rule.
static bool alternates(const void *pv) { return ((const par *)pv)->alpha >= 0; }
static bool rings(const void *pv) { return ((const par *)pv)->alpha >= -0.05; }

static tr_status make_room(tr_step *s) {
  memory *m = s->memory = TR_NEW(&s->arena, 1, memory);
  if (m) m->jerk = tr_jerk_new(s);
  return m && m->jerk ? TR_OK : TR_NO_MEMORY;
}

// of F_n in the equation; they are kept together
static double weight(const tr_step *s) {
  double al = ((const par *)s->par)->alpha;
  return -al / (1 + al);
}

static tr_status begin(tr_step *s, const tr_state *x) {
  tr_kinematics(s->work, x->t, x->q, x->v, x->mem, s->sys->force_level);
  double *history = s->room[HISTORY], w = weight(s);
  tr_forces(s->work, x->lam, history, NULL);
  for (int i = 0; i < s->sys->nv; i++) history[i] *= w;
  return TR_OK;
}

// What loops over velocities are about.
typedef struct shared {
  const double *a, *before; // NULL: as it is in the past,
  const double *newest;     // before which that was,
  const double *fresh;      // and is, if that is still to come there
  const tr_past *past;
  double *to, shift;
} shared;

TR_INLINE void rescale_part(void *what, int part, int first, int end) {
  const shared *k = what;
  const double *a = k->a, *before = k->before;
  (void)part;
  for (int i = first; i < end; i++) {
    double change = before ? a[i] - before[i] : tr_past_change(k->past, k->newest, k->fresh, 0, i);
    k->to[i] = a[i] + k->shift * change;
  }
}

// a_n for a step of length h: it belongs to t_n + alpha h_n, on a line with the a before it. NULL: as it is.
static const double *rescale(tr_step *s, const tr_state *x0, double h) {
  const memory *m = s->memory;
  double al = ((const par *)s->par)->alpha, *a = s->room[ACCELERATION];
  double shift = s->last_h > 0 ? al * (h / s->last_h - 1) : 0;
  if (fabs(shift) < 1e-9) return NULL;
  shared k = {x0->a, m->before, tr_predict_newest_a(s, x0), s->sum_a, &s->past_a, a, shift};
  TR_SHARE(s->work, s->sys->nv, rescale_part, &k);
  return a;
}

static void freeze_mass(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  const par *p = s->par;
  s->c.blocks = NULL;
  if (s->sys->constant_mass) s->c.blocks = s->sys->mass;
  if (s->sys->constant_mass || p->mass == MASS_END) return;
  for (int i = 0; i < s->sys->nv; i++) s->d[i] = (1 + p->alpha) * h * x0->v[i];
  tr_retract_shared(s->work, x0->q, s->d, x1->q);
  tr_kinematics(s->work, x0->t, x1->q, x0->v, x0->mem, TR_AT_POSITION);
  s->c.blocks = tr_mass_blocks(s->work, s->blocks);
}

static void prepare(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  const par *p = s->par;
  tr_corrector *c = &s->c;
  double al = p->alpha, gamma = 0.5 * (1 - 2 * al), beta = 0.25 * (1 - al) * (1 - al);
  memory *m = s->memory;
  m->used = rescale(s, x0, h);
  // undamped it goes back the way it came: no change of the velocities there
  bool index_3 = !s->method->stabilised && !alternates(p);
  double kappa = index_3 ? 1.0 / 6 - 0.5 * al - beta : 0;
  const double *v = x0->v;
  bool smooth = p->start == START_SMOOTH || s->start == TR_START_BEST;
  if (smooth && !(s->last_h > 0) && tr_jerk_start(s, m->jerk, x0, h, al, kappa, x1->q))
    v = m->jerk->start_v, m->used = m->jerk->start_a;
  const double *a = m->used ? m->used : x0->a;
  c->cq = beta * h * h, c->cv = gamma * h, c->cm = 1 / (1 + al);
  c->v = v, c->a = a;
  c->d_v = h, c->d_a = h * h * (0.5 - beta), c->v_a = h * (1 - gamma);
  c->history = s->room[HISTORY];
  freeze_mass(s, x0, h, x1);
}

static tr_status advance_i3(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  prepare(s, x0, h, x1);
  return tr_correct(s, x0, x0->t + h, x1);
}

static tr_status advance_si2(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  prepare(s, x0, h, x1);
  s->c.cw = 0.5 * h * h;
  return tr_correct_si2(s, x0, x0->t + h, x1);
}

// F1 = -cm Mbar a1 - history once the equation is solved; else evaluated.
static void accept(tr_step *s, const tr_state *x0, const tr_state *x1) {
  (void)x0;
  const double *blocks = s->c.blocks;
  memory *m = s->memory;
  double *spare = s->room[BEFORE];
  m->before = m->used;
  if (m->used == s->room[ACCELERATION])
    s->room[BEFORE] = s->room[ACCELERATION], s->room[ACCELERATION] = spare;
  if (s->settings.fixed_iterations > 0) { // the equation may be far from solved
    begin(s, x1);
    return;
  }
  if (!blocks) {
    tr_kinematics(s->work, x1->t, x1->q, x1->v, x1->mem, TR_AT_POSITION);
    blocks = tr_mass_blocks(s->work, s->blocks);
  }
  tr_mass_weigh(s->work, blocks, -weight(s), s->c.cm, x1->a, s->room[HISTORY]);
}

static tr_truncation truncation(const void *pv) {
  double al = ((const par *)pv)->alpha, beta = 0.25 * (1 - al) * (1 - al);
  return (tr_truncation){
      .q3 = beta + 0.5 * al - 1.0 / 6, .v3 = 1.0 / 12 - 0.5 * al * al, .late = al};
}

// `mass=end`: 1 where the mass varies; the printed start: lam is off by O(h) at first.
static void orders(const void *pv, int order[3]) {
  const par *p = pv;
  order[0] = order[1] = p->mass == MASS_END ? 1 : 2;
  order[2] = p->mass == MASS_END || p->start == START_PRINTED ? 1 : 2;
}

const tr_method tr_method_hht_i3 = {
    .info = {.name = "hht-i3",
             .doc = "Hilber-Hughes-Taylor on index 3",
             .fields = fields,
             .levels = "position",
             .order_q = 2,
             .order_v = 2,
             .order_lam = 2,
             .damping = "high frequencies, by alpha",
             .cost = "one KKT system",
             .reference = "NJK09"},
    .par_size = sizeof(par),
    .alternates = alternates,
    .rings = rings,
    .undamped = alternates,
    .vectors = ROOMS,
    .truncation = truncation,
    .orders = orders,
    .smooth = true,
    .prepare = make_room,
    .lean = true,
    .begin = begin,
    .corrected = true,
    .advance = advance_i3,
    .accept = accept,
};

const tr_method tr_method_hht_si2 = {
    .info = {.name = "hht-si2",
             .doc = "Hilber-Hughes-Taylor on stabilised index 2",
             .fields = fields,
             .levels = "position and velocity",
             .order_q = 2,
             .order_v = 2,
             .order_lam = 2,
             .damping = "high frequencies, by alpha",
             .cost = "one KKT system, two right-hand sides",
             .reference = "NJK09"},
    .par_size = sizeof(par),
    .undamped = alternates,
    .vectors = ROOMS,
    .stabilised = true,
    .goes_on = true,
    .lean = true,
    .truncation = truncation,
    .orders = orders,
    .smooth = true,
    .prepare = make_room,
    .begin = begin,
    .corrected = true,
    .advance = advance_si2,
    .accept = accept,
};
