// SPDX-License-Identifier: Apache-2.0
// Generalised-alpha in Lie-group form [BCA12], on index 3 or, stabilised, on index 2 [ACB15].
//
//   q1 = q_n o exp(h v + h^2 (1/2-beta) A + h^2 beta A1 (+ h w)),  v1 = v + h (1-gamma) A + h gamma A1
//   (1 - am) A1 + am A = (1 - af) a1 + af a,   M(q1) a1 + G1' lam1 - Q1 = 0
//   Phi(q1, t1) = 0   (stabilised: and G1 v1 + Phi_t = 0, with M w = G1' mu)
//   am = (2 rho - 1)/(rho + 1), af = rho/(rho + 1), gamma = 1/2 + af - am, beta = (gamma + 1/2)^2/4
// a is the true acceleration at t_n; A, the algorithm's own, belongs to t_n + (am - af) h and is
// rescaled like HHT's when the step changes; A_0 likewise, see jerk.h.
#include <string.h>

#include "jerk.h"

typedef struct par {
  double rho;
  int index, start;
} par;

enum { INDEX_3, INDEX_2 };
enum { START_SMOOTH, START_PRINTED };
enum { ALGORITHMIC, NEXT, ROOMS };

static const char *const indices[] = {"3", "2", NULL};
static const char *const starts[] = {"smooth", "printed", NULL};
static const tr_field fields[] = {
    {"rho", TR_REAL, TR_NUMBER, offsetof(par, rho), "0.8", .min = 0, .max = 1,
     .doc = "spectral radius at infinite frequency: 1 no damping, 0 most"},
    {"index", TR_CHOICE, TR_NUMBER, offsetof(par, index), "3", .choices = indices,
     .doc = "3: positions are constrained; 2: velocities too"},
    {"start", TR_CHOICE, TR_NUMBER, offsetof(par, start), "smooth", .choices = starts,
     .doc = "A_0 at its own time; `printed`: at t_0, and lam is off by O(h) for some steps"},
    {0}};

static tr_status make_room(tr_step *s) {
  s->memory = tr_jerk_new(s);
  return s->memory ? TR_OK : TR_NO_MEMORY;
}

static bool undamped(const void *pv) { return ((const par *)pv)->rho >= 1; }

// Without damping a and lam alternate on index 3, like those of the trapezoidal rule.
static bool alternates(const void *pv) {
  const par *p = pv;
  return p->rho >= 1 && p->index == INDEX_3;
}

static bool rings(const void *pv) {
  const par *p = pv;
  return p->rho >= 0.9 && p->index == INDEX_3;
}

static tr_status begin(tr_step *s, const tr_state *x) {
  memcpy(s->room[ALGORITHMIC], x->a, (size_t)s->sys->nv * sizeof *x->a);
  return TR_OK;
}

// A step from v and a with the A of its own time, if A is NULL from that of the last one, stretched.
typedef struct loop {
  tr_step *s;
  const double *v, *a, *A;
  double h, am, af, gamma, beta, stretch, share;
} loop;

TR_INLINE void predict_part(void *what, int part, int first, int end) {
  const loop *k = what;
  const tr_corrector *c = &k->s->c;
  const double *v = k->v, *a = k->a, *last = k->s->room[ALGORITHMIC];
  const double *own = k->A;
  double *next = k->s->room[NEXT], h = k->h, am = k->am, af = k->af, gamma = k->gamma;
  double beta = k->beta, stretch = k->stretch;
  (void)part;
  for (int i = first; i < end; i++) {
    double A = own ? own[i] : a[i] + stretch * (last[i] - a[i]);
    double rest = (af * a[i] - am * A) / (1 - am); // A1 = rest + share a1
    next[i] = rest;
    c->dhat[i] = h * v[i] + h * h * ((0.5 - beta) * A + beta * rest);
    c->vhat[i] = v[i] + h * ((1 - gamma) * A + gamma * rest);
  }
}

static tr_status advance(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  const par *p = s->par;
  tr_corrector *c = &s->c;
  double am = (2 * p->rho - 1) / (p->rho + 1), af = p->rho / (p->rho + 1);
  double gamma = 0.5 + af - am, beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
  double share = (1 - af) / (1 - am); // of a1 in A1
  double stretch = s->last_h > 0 ? h / s->last_h : 1;
  double shift = am - af;
  tr_jerk *j = s->memory;
  bool index_3 = p->index == INDEX_3 && !alternates(p);
  double kappa = index_3 ? 1.0 / 6 - 0.5 * shift - beta : 0;
  bool smooth = (p->start == START_SMOOTH || s->start == TR_START_BEST) &&
                tr_jerk_start(s, j, x0, h, shift, kappa, s->c.dhat);
  const double *v = smooth ? j->start_v : x0->v;
  c->cq = beta * h * h * share, c->cv = gamma * h * share, c->cm = 1;
  c->blocks = s->sys->constant_mass ? s->sys->mass : NULL;
  TR_SHARE(
      s->work, s->sys->nv, predict_part,
      &(loop){s, v, x0->a, smooth ? j->start_a : NULL, h, am, af, gamma, beta, stretch, share});
  if (p->index == INDEX_3) return tr_correct(s, x0, x0->t + h, x1);
  c->cw = h;
  return tr_correct_si2(s, x0, x0->t + h, x1);
}

TR_INLINE void keep_part(void *what, int part, int first, int end) {
  const loop *k = what;
  const double *rest = k->s->room[NEXT], *a = k->a;
  double *A = k->s->room[ALGORITHMIC], share = k->share;
  (void)part;
  for (int i = first; i < end; i++) A[i] = rest[i] + share * a[i];
}

static void accept(tr_step *s, const tr_state *x0, const tr_state *x1) {
  (void)x0;
  const par *p = s->par;
  double share = (1 - p->rho / (p->rho + 1)) / (1 - (2 * p->rho - 1) / (p->rho + 1));
  TR_SHARE(s->work, s->sys->nv, keep_part, &(loop){.s = s, .a = x1->a, .share = share});
}

// HHT's, with the shift of A in place of alpha.
static tr_truncation truncation(const void *pv) {
  double rho = ((const par *)pv)->rho;
  double shift = (2 * rho - 1) / (rho + 1) - rho / (rho + 1), gamma = 0.5 - shift;
  double beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
  return (tr_truncation){.q3 = beta + 0.5 * shift - 1.0 / 6, .v3 = 1.0 / 12 - 0.5 * shift * shift};
}

static void orders(const void *pv, int order[3]) {
  order[0] = order[1] = 2;
  order[2] = ((const par *)pv)->start == START_PRINTED ? 1 : 2; // off by O(h) at first
}

const tr_method tr_method_gen_alpha = {
    .info = {.name = "gen-alpha",
             .doc = "generalised-alpha, Lie-group form, on index 3 or stabilised index 2",
             .fields = fields,
             .levels = "position; index=2: position and velocity",
             .order_q = 2,
             .order_v = 2,
             .order_lam = 2,
             .damping = "high frequencies, by rho",
             .cost = "one KKT system; index=2: a second right-hand side",
             .reference = "BCA12, ACB15"},
    .par_size = sizeof(par),
    .alternates = alternates,
    .rings = rings,
    .undamped = undamped,
    .vectors = ROOMS,
    .stabilised = true,
    .truncation = truncation,
    .orders = orders,
    .prepare = make_room,
    .begin = begin,
    .advance = advance,
    .accept = accept,
};
