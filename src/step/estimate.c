// SPDX-License-Identifier: Apache-2.0
// The local error of a step, for step control.
//
// A method knows its truncation error as  e_q = q2 h^2 q'' + q3 h^3 q''',  e_v = v2 h^2 q''' + v3 h^3 q''''.
// The derivatives come from what is at hand:
//   h q''' = a1 - a_n                     where a is smooth: Newmark, HHT [GNP05] with enough damping
//   q'''   = 2 (A1 - A)/(h + h_)          elsewhere, A = (v1 - v_n)/h, A before that from the last step
//   q''''  = (q''' - q'''_)/(t - t_)
// the last of true divided differences: each a and A, and each q''', belongs to a time of its own, which moves when the
// step changes. Otherwise e_v would fall with h^2 there, and steps go to and fro.
// Not less than d - h (v_n + v1)/2: positions that go another way than velocities, as the constraints may
// force them to at a discontinuity. Where the motion is smooth it is O(h^3) and the smaller of the two.
// The norm is [GNP05]'s: components over Y_i = max(1, largest |q_i| so far), root mean square; that of
// velocities likewise. Rotations of curved coordinates have Y = 1; angles of bodies that are held off their centre, whose
// place within a turn is what others feel, none beyond one turn.
//
// States X have rates that stiff equations X' = f make of their errors, enlarged: X''' comes from X alone, by
// differences of the mean rates d/h, to begin with of that of the first step and the rate at its start, as if X'' had
// been 0 before. Not less than d - h (v_n + v1)/2 in the first steps, which alone would not do: where the formula is the
// trapezoidal rule it is nothing. Rates and variables are not tested: they follow from the rest.
#include <math.h>
#include <string.h>

#include "places.h"
#include "step.h"

static const double FORGIVEN = 10; // tolerances
static const double OTHER = 0.5;
static const double FELT = 0.2, MOSTLY = 2; // tolerances; times what is left without it
static const double FORGETS = 0.9;          // steps that grow do so in fewer
static const double STIFF = 0.45, FASTER = 0.001;

static const double TURN =
    6.283185307179586; // an angle is not known the worse the more often it went round

// A body turns if it is held off its centre: whether each of them does.
static void find_turning(const tr_system *sys, bool *matters, bool *turns) {
  double d[3];
  tr_sites_matter(sys, matters);
  for (int i = 0; i < sys->nbody; i++) {
    const sys_body *b = &sys->body[i];
    for (int k = b->site; k < b->site + b->sites; k++)
      turns[i] |= matters[k] && tr_off_centre(sys, b, sys->site[k].c);
  }
  for (int i = 0; i < sys->njoint; i++)
    for (int k = 0; k < 2 && sys->joint[i].e.markers > 1; k++) {
      if (!tr_weld_arm(sys, &sys->joint[i], k, d)) continue;
      int body = sys->joint[i].e.body[k];
      turns[body] |= tr_off_centre(sys, &sys->body[body], d);
    }
}

// Coordinate k is an angle.
static bool is_angle(const sys_body *b, int k) {
  return b->type->coordinate_names && k >= b->type->dim && k < 3 * (b->type->dim - 1);
}

// Y grows with the coordinates of accepted states: of those that are tried some are absurd.
static void grow_scales(tr_step *s, const tr_state *x1) {
  for (int i = 0; i < s->sys->nbody; i++) {
    const sys_body *b = &s->sys->body[i];
    int n = b->nq == b->nv ? b->nv : b->nq < b->nv ? 0 : 3; // position only on curved coordinates
    for (int k = 0; k < n; k++) {
      double size = fmin(fabs(x1->q[b->q + k]), s->most_scale[b->v + k]);
      s->scale_q[b->v + k] = fmax(s->scale_q[b->v + k], size);
    }
  }
  for (int i = 0; i < s->sys->nv; i++) s->scale_v[i] = fmax(s->scale_v[i], fabs(x1->v[i]));
}

// The last step, 0 at the start; not more than h, or a jump would fade with h/h_.
static double last_part(const tr_step *s, double h) { return fmin(s->last_h, h); }

// Where nothing damps what alternates from step to step, or little, a has more of it than of q''', its means have none.
static bool has_smooth_a(const tr_step *s) {
  const tr_method *m = s->method;
  bool alternates = (m->undamped && m->undamped(s->par)) || (m->rings && m->rings(s->par));
  return m->smooth && !alternates;
}

// A step for loops over velocities.
typedef struct trial {
  tr_step *s;
  const tr_state *x0, *x1;
  double h, last, f;
  tr_truncation c;
  double *e;
} trial;

// h q''' by accelerations, by velocities.
static void jerk_part(void *what, int part, int first, int end) {
  const trial *k = what;
  const double *a0 = k->x0->a, *a1 = k->x1->a;
  double *j = k->s->jerk, h = k->h;
  (void)part;
  for (int i = first; i < end; i++) j[i] = (a1[i] - a0[i]) / h;
}
static void mean_part(void *what, int part, int first, int end) {
  const trial *k = what;
  const double *v0 = k->x0->v, *v1 = k->x1->v, *mean = k->s->mean_a;
  double *j = k->s->jerk, h = k->h, last = k->last;
  (void)part;
  for (int i = first; i < end; i++) j[i] = 2 * ((v1[i] - v0[i]) / h - mean[i]) / (h + last);
}

// Errors: of positions, of the increment, of velocities.
static void position_part(void *what, int part, int first, int end) {
  const trial *k = what;
  const double *v0 = k->x0->v, *v1 = k->x1->v, *j = k->s->jerk;
  double h = k->h, q2 = k->c.q2, q3 = k->c.q3;
  (void)part;
  for (int i = first; i < end; i++) k->e[i] = q2 * h * (v1[i] - v0[i]) + q3 * h * h * h * j[i];
}
static void increment_part(void *what, int part, int first, int end) {
  const trial *k = what;
  const double *v0 = k->x0->v, *v1 = k->x1->v, *d = k->s->d;
  double h = k->h;
  (void)part;
  for (int i = first; i < end; i++) k->e[i] = d[i] - 0.5 * h * (v0[i] + v1[i]);
}
static void velocity_part(void *what, int part, int first, int end) {
  const trial *k = what;
  const double *j = k->s->jerk, *before = k->s->last_jerk;
  double h = k->h, v2 = k->c.v2, f = k->f;
  double now = k->s->jerk_is.part, last = k->s->last_jerk_is.part;
  (void)part;
  for (int i = first; i < end; i++)
    k->e[i] = v2 * h * h * j[i] + f * (now * j[i] - last * before[i]);
}

// q''' into s->jerk; the factor that makes a divided difference of it, and the time that this one belongs to.
static void find_jerk(tr_step *s, tr_truncation c, const tr_state *x0, double h,
                      const tr_state *x1) {
  double last = s->last_h, apart = h + c.late * (h - last);
  trial k = {.s = s, .x0 = x0, .x1 = x1, .h = h, .last = last_part(s, h)};
  if (has_smooth_a(s)) { // a_n belongs to t_n + late h_
    TR_SHARE(s->work, s->sys->nv, jerk_part, &k);
    s->jerk_is = (tr_difference){h / apart, x0->t + c.late * last + 0.5 * apart};
    return;
  }
  s->jerk_is.part = (h + last_part(s, h)) / (h + last);
  s->jerk_is.t = x0->t + 0.25 * (h - last);
  TR_SHARE(s->work, s->sys->nv, mean_part, &k);
}

// With little damping on index 3 velocities across the constraints alternate too, by what they had settled at when the
// step changed, and q''' by its means has 4/h^2 times that. It does not fade, and steps get shorter for it. That it is
// so shows in the sum of two in a row, in which there is little of it.
static bool rings(const tr_step *s) {
  const tr_method *m = s->method;
  return m->rings && m->rings(s->par) && s->last_h > 0;
}

// error: the square of what was found with q''' as it is.
static bool alternates(const tr_step *s, double c, double error) {
  double sum = 0, least = FELT * s->allowed;
  for (int i = 0; i < s->sys->nv; i++) {
    double e = 0.5 * c * (s->jerk[i] + s->last_jerk[i]) / s->scale_q[i];
    sum += e * e;
  }
  return error > least * least && error * s->sys->nv > MOSTLY * MOSTLY * sum;
}

typedef struct errors {
  const double *e, *scale;
  double most[TR_CHUNKS]; // of each chunk, and where
  int worst[TR_CHUNKS];
} errors;

static double square_part(void *what, int chunk, int first, int end) {
  errors *k = what;
  double sum = 0, most = 0;
  int worst = first;
  for (int i = first; i < end; i++) {
    double x = k->e[i] / k->scale[i];
    sum += x * x;
    if (fabs(x) > most) most = fabs(x), worst = i;
  }
  k->most[chunk] = most, k->worst[chunk] = worst;
  return sum;
}

double tr_error_square(const tr_step *s, const double *e, const double *scale, int *worst,
                       double *most) {
  errors k; // large, and written as far as it is read
  int n = s->sys->nv, chunks = n > TR_CHUNK ? TR_CHUNKS : 1;
  k.e = e, k.scale = scale;
  for (int i = 0; i < chunks; i++) k.most[i] = 0;
  double sum = tr_sum(s->work, n, square_part, &k);
  for (int i = 0; i < chunks; i++)
    if (k.most[i] > *most) *most = k.most[i], *worst = k.worst[i];
  return sum / n;
}

// The last step as estimates of states see it: divided differences for implicit methods, whose rates at the end tell of
// a jump; explicit ones must not forget it.
static double last_seen(const tr_step *s, double h) {
  return s->method->direct ? last_part(s, h) : s->last_h;
}

// The slope of the mean rate of a state over this step and the last one.
static double mean_slope(const tr_step *s, int i, double h) {
  return 2 * (s->d[i] / h - s->mean_v[i]) / (h + last_seen(s, h));
}

// Errors of states and variables in place of those of coordinates.
static void test_numbers(const tr_step *s, tr_truncation c, const tr_state *x0, double h,
                         const tr_state *x1, double *e) {
  for (int i = 0; s->sys->nnumber > 0 && i < s->sys->nv; i++) {
    if (!s->sys->number[i]) continue;
    double slope = mean_slope(s, i, h);
    double jerk = 2 * (slope - s->mean_slope[i]) / (h + last_seen(s, h));
    double off = s->d[i] - 0.5 * h * (x0->v[i] + x1->v[i]);
    e[i] = h * h * (c.q2 * slope + c.q3 * h * jerk);
    // a rate that is another one at the end may have jumped, which explicit methods see nothing of
    double rate = fmax(fabs(x0->v[i]), fabs(x1->v[i]));
    bool jumps = s->method->direct && fabs(x1->v[i] - x0->v[i]) > OTHER * rate;
    if ((s->past < TR_PAST_UNEVEN || jumps) && fabs(off) > fabs(e[i])) e[i] = off;
  }
}

void tr_forget_numbers(const tr_system *sys, double *e) {
  for (int i = 0; sys->nnumber > 0 && i < sys->nv; i++)
    if (sys->number[i]) e[i] = 0;
}

// Accelerations across the constraints swing from step to step with little damping, and jump when the step
// changes; differences of them say nothing of the velocities, which the constraints hold there (on index 3
// up to a drift that no step inherits). What counts is the part of e along the constraints,
//   [ A G'; G 0 ] (e, .) = (cm M e, 0),   A = cm M + O(h), the matrix of the iteration,
// and A in place of cm M takes from it what stiff forces take from the error.
static void filter(tr_step *s, double *e) {
  int nv = s->sys->nv, nc = s->sys->nc;
  double *b = s->filtered;
  tr_mass_times_shared(s->work, s->c.blocks ? s->c.blocks : s->blocks, e, b);
  for (int i = 0; i < nv; i++) b[i] *= s->matrix_cm;
  memset(b + nv, 0, (size_t)nc * sizeof *b);
  if (tr_kkt_solve(&s->kkt, 1, b) == TR_OK) memcpy(e, b, (size_t)nv * sizeof *e);
}

tr_status tr_step_answer(tr_step *s, double *b) {
  double cm = s->filters ? s->matrix_cm : 1;
  for (int i = 0; i < s->sys->nv; i++) b[i] *= cm;
  return tr_kkt_solve(s->method->answers ? s->method->answers(s) : &s->kkt, 1, b);
}

// What acts, with these reactions, Phi, and G v + Phi_t at a state.
static void measure(tr_step *s, const tr_state *x, const double *lam, double *Q, double *phi,
                    double *rate) {
  tr_level level = s->sys->force_level > TR_AT_VELOCITY ? s->sys->force_level : TR_AT_VELOCITY;
  tr_kinematics(s->work, x->t, x->q, x->v, x->mem, level);
  if (s->sys->nreaction > 0) tr_show_reactions(s->work, lam);
  tr_forces(s->work, NULL, Q, phi);
  tr_rates(s->work, rate);
}

// Feedback with gains of 1/h takes back in one step what the constraints are open by, however short it is: a jump
// of the velocities that says nothing of this step's error and does not fall with h. So a step that does not
// pass is looked at again: across the constraints the error is what is open in the end, or what is moved
// there beyond what was open before, which can be no more than accepted steps have left, FORGIVEN:
//   [M G'; G 0] (e, .) = (M e, n),   |n| = max(|Phi1|, |G e| - |Phi_n| - h |G v_n + Phi_t|)
// in rows of velocities            |n| = max(h/2 |Gam1|, |Gam_v e| - h |Gam_n|)
static void forgive_feedback(tr_step *s, const tr_state *x0, double h, const tr_state *x1,
                             double *e) {
  const tr_system *sys = s->sys;
  int nv = sys->nv;
  double *b = s->filtered, *open = b + nv, *before = s->newton.r + nv, *rate = s->newton.spare;
  measure(s, x0, x0->lam, s->newton.r, before, rate);
  tr_jacobian(s->work);
  tr_G_times(s->work, e, s->lam);
  for (int i = 0; i < sys->nc; i++) {
    double was = h * fabs(rate[i]) + (sys->of_velocity[i] ? 0 : fabs(before[i]));
    double moved = fabs(s->lam[i]) - fmin(was, FORGIVEN * sqrt(nv) * s->allowed);
    before[i] = moved > 0 ? copysign(moved, s->lam[i]) : 0;
  }
  measure(s, x1, x1->lam, b, open, s->lam);
  tr_mass_times_shared(s->work, tr_mass_blocks(s->work, s->blocks), e, b);
  for (int i = 0; i < sys->nc; i++) {
    if (sys->of_velocity[i]) open[i] = sys->follows[i] ? 0 : 0.5 * h * s->lam[i];
    if (fabs(before[i]) > fabs(open[i])) open[i] = before[i];
  }
  if (tr_kkt_solve(&s->kkt, 1, b) == TR_OK) memcpy(e, b, (size_t)nv * sizeof *e);
}

// Rates of states that read velocities have all the ripples that feedback leaves in these, however short the step is. Only
// what is as large as the rates themselves may be a jump.
static void forget_ripples(const tr_step *s, const tr_state *x0, const tr_state *x1,
                           const double *rate, double *n) {
  for (int i = 0; i < s->sys->njoint; i++) {
    const sys_joint *j = &s->sys->joint[i];
    if (!s->sys->of_number[j->row]) continue;
    int v = s->sys->body[j->e.body[0]].v;
    if (fabs(rate[j->row]) <= OTHER * fmax(fabs(x0->v[v]), fabs(x1->v[v]))) n[j->row] = 0;
  }
}

// A method that has not looked at forces and constraints where it leads steps into a contact, or beyond the start of a
// drive, without noticing. What the change of the forces over the step, as if it had come at once, does to the
// positions, into s->filtered, and what is open, into s->newton.r:
//   [M G'; G 0] (e, .) = (c h^2 (Q1 - Q_n), 0)
//   [M G'; G 0] (e, .) = (0, n),   n = Phi1, in rows of velocities h/2 Gam1
// With gains that do not grow with 1/h what was open before is so still: n less Phi_n + h (G v_n + Phi_t), h/2 Gam_n.
static bool look_ahead(tr_step *s, tr_truncation c, const tr_state *x0, double h,
                       const tr_state *x1) {
  const tr_system *sys = s->sys;
  int nv = sys->nv;
  double *b = s->filtered, *open = b + nv, *rate = s->lam, f = c.q2 != 0 ? c.q2 : c.q3;
  double *Q = s->newton.r, *n = Q + nv, *was = s->newton.spare, kept = isnan(c.v3) ? 0 : 1;
  measure(s, x0, x1->lam, Q, n, was);
  measure(s, x1, x1->lam, b, open, rate);
  for (int i = 0; i < sys->nc; i++)
    n[i] = sys->follows[i]       ? 0
           : sys->of_velocity[i] ? 0.5 * h * (rate[i] - kept * was[i])
                                 : open[i] - kept * (n[i] + h * was[i]);
  if (sys->nnumber > 0) forget_ripples(s, x0, x1, rate, n);
  for (int i = 0; i < nv; i++) {
    double change = Q[i] - b[i], other = s->other_force[i];
    b[i] = f * h * h * (fabs(other) > fabs(change) ? other : change);
  }
  memset(open, 0, (size_t)sys->nc * sizeof *open);
  memset(Q, 0, (size_t)nv * sizeof *Q);
  return tr_kkt_solve(&s->kkt, 1, b) == TR_OK &&
         (sys->nc == 0 || tr_kkt_solve(&s->kkt, 1, Q) == TR_OK);
}

// At the limit of stability errors of velocities grow, while those of positions are too small for the tolerance to see.
// There the change of forces over the step, had it come at once, would change velocities by as much as they do change:
// h |da| = h rate |dv|, with the fastest of their rates. So where that is STIFF what is left of it counts, over FASTER of the
// velocities or the tolerance. e: what look_ahead found.
static double judge_speed(tr_step *s, tr_truncation c, const tr_state *x0, double h,
                          const tr_state *x1, double *e, int *worst, double *most) {
  int n = s->sys->nv;
  double f = c.q2 != 0 ? c.q2 : c.q3, part = s->allowed / (h * fmax(s->allowed, FASTER));
  double by_forces = 0, all = 0;
  for (int i = 0; i < n; i++) {
    double dv = (x1->v[i] - x0->v[i]) / s->scale_v[i], da = e[i] / (f * h * s->scale_v[i]);
    by_forces += da * da, all += dv * dv;
    s->kick[i] = e[i] / (f * h);
    e[i] *= part;
  }
  return by_forces > STIFF * STIFF * all ? tr_error_square(s, e, s->scale_v, worst, most) : 0;
}

// The error of positions of explicit methods, squared; e and error as others have them.
static double judge_explicit(tr_step *s, tr_truncation c, const tr_state *x0, double h,
                             const tr_state *x1, double *e, double error, int *worst) {
  double most = 0, allowed = s->allowed * s->allowed;
  if (s->sys->nc > 0 && error > allowed && isnan(c.v3)) {
    forgive_feedback(s, x0, h, x1, e);
    test_numbers(s, c, x0, h, x1, e);
    error = fmin(error, tr_error_square(s, e, s->scale_q, worst, &most));
  }
  if (error > allowed || !(s->pulled || s->sys->nc > 0) || !look_ahead(s, c, x0, h, x1))
    return error;
  if (s->sys->nc > 0)
    error = fmax(error, tr_error_square(s, s->newton.r, s->scale_q, worst, &most));
  if (!s->pulled) return error;
  error = fmax(error, tr_error_square(s, s->filtered, s->scale_q, worst, &most));
  return fmax(error, judge_speed(s, c, x0, h, x1, s->filtered, worst, &most));
}

// On curved coordinates not less than d - h (v_n + v1)/2 either: maps that stand for the exponential fall short of the
// angle by (w h)^3, of which velocities show nothing.
static void turn_short(const tr_step *s, const tr_state *x0, double h, const tr_state *x1,
                       double *e) {
  for (int i = 0; i < s->sys->nbody && !s->sys->flat; i++) {
    const sys_body *b = &s->sys->body[i];
    for (int k = b->v; b->nq > b->nv && k < b->v + b->nv; k++) {
      double off = s->d[k] - 0.5 * h * (x0->v[k] + x1->v[k]);
      if (fabs(off) > fabs(e[k])) e[k] = off;
    }
  }
}

static double find_error(tr_step *s, const tr_state *x0, double h, const tr_state *x1,
                         bool velocity, int *worst) {
  int n = s->sys->nv;
  double *e = s->work->x, most = 0;
  if (s->method->error) return s->method->error(s, x0, h, x1, velocity, worst);
  tr_truncation c = s->method->truncation(s->par);
  find_jerk(s, c, x0, h, x1);
  trial k = {.s = s, .x0 = x0, .x1 = x1, .h = h, .c = c, .e = e};
  TR_SHARE(s->work, n, position_part, &k);
  if (s->method->falls_short) turn_short(s, x0, h, x1, e);
  test_numbers(s, c, x0, h, x1, e);
  double error = tr_error_square(s, e, s->scale_q, worst, &most);
  s->ringing = rings(s) && alternates(s, c.q3 * h * h * h, error);
  if (s->method->direct) error = judge_explicit(s, c, x0, h, x1, e, error, worst);
  if (!isnan(c.v3)) {
    TR_SHARE(s->work, n, increment_part, &k);
    tr_forget_numbers(s->sys, e);
    error = fmax(error, tr_error_square(s, e, s->scale_q, worst, &most));
  }
  if (velocity) {
    tr_difference now = s->jerk_is, last = s->last_jerk_is;
    k.f = s->last_h > 0 ? c.v3 * h * h * h / (now.t - last.t) : 0;
    TR_SHARE(s->work, n, velocity_part, &k);
    tr_forget_numbers(s->sys, e);
    if (s->filters) filter(s, e);
    error = fmax(error, tr_error_square(s, e, s->scale_v, worst, &most));
  }
  return sqrt(error);
}

double tr_step_error(tr_step *s, const tr_state *x0, double h, const tr_state *x1, bool velocity,
                     int *worst) {
  *worst = 0;
  s->error = find_error(s, x0, h, x1, velocity, worst);
  if (s->error > s->allowed) s->taken = 1; // no step is short without need here
  return s->error;
}

int tr_step_order(const tr_step *s) {
  if (s->method->order) return s->method->order(s->par);
  tr_truncation c = s->method->truncation(s->par);
  return c.q2 != 0 ? 1 : 2;
}

tr_status tr_estimate_make(tr_step *s) {
  size_t nv = (size_t)s->sys->nv;
  double *p = TR_NEW(&s->arena, 12 * nv + (size_t)s->sys->nc, double);
  bool *turns = TR_NEW(&s->arena, s->sys->nbody + s->sys->nsite + 1, bool);
  if (!p || !turns) return TR_NO_MEMORY;
  s->scale_q = p, s->scale_v = p + nv, s->jerk = p + 2 * nv, s->last_jerk = p + 3 * nv;
  s->mean_a = p + 4 * nv, s->mean_v = p + 5 * nv, s->mean_slope = p + 6 * nv;
  s->most_scale = p + 7 * nv, s->first_force = p + 8 * nv, s->other_force = p + 9 * nv;
  s->kick = p + 10 * nv, s->filtered = p + 11 * nv;
  s->pulled = s->sys->nforce > 0;
  find_turning(s->sys, turns + s->sys->nbody, turns);
  for (int i = 0; i < s->sys->nbody; i++) {
    const sys_body *b = &s->sys->body[i];
    s->pulled |= b->type->modes != NULL;
    for (int k = 0; k < b->nv; k++)
      s->most_scale[b->v + k] = turns[i] && is_angle(b, k) ? TURN : INFINITY;
  }
  return TR_OK;
}

void tr_estimate_stage(tr_step *s, const double *force, bool first) {
  if (!s->first_force) return;
  size_t bytes = (size_t)s->sys->nv * sizeof *force;
  if (first) memcpy(s->first_force, force, bytes), memset(s->other_force, 0, bytes);
  for (int i = 0; i < s->sys->nv && !first; i++) {
    double change = force[i] - s->first_force[i];
    if (fabs(change) > fabs(s->other_force[i])) s->other_force[i] = change;
  }
}

void tr_estimate_begin(tr_step *s, const tr_state *x) {
  if (!s->scale_q) return;
  for (int i = 0; i < s->sys->nv; i++) s->scale_q[i] = s->scale_v[i] = 1;
  for (int i = 0; i < s->sys->nbody; i++) // what has no coordinate has no error of it
    if (s->sys->body[i].nq == 0) s->scale_q[s->sys->body[i].v] = INFINITY;
  memcpy(s->mean_a, x->a, (size_t)s->sys->nv * sizeof *s->mean_a);
  memcpy(s->mean_v, x->v, (size_t)s->sys->nv * sizeof *s->mean_v);
  memset(s->mean_slope, 0, (size_t)s->sys->nv * sizeof *s->mean_slope);
  s->ringing = false;
  grow_scales(s, x);
}

void tr_estimate_accept(tr_step *s, const tr_state *x0, const tr_state *x1) {
  grow_scales(s, x1);
  s->taken = fmax(s->error / s->allowed, FORGETS * s->taken);
  if (s->method->error) return;
  double h = x1->t - x0->t, *j = s->last_jerk;
  s->last_jerk = s->jerk, s->jerk = j;
  s->last_jerk_is = s->jerk_is;
  for (int i = 0; i < s->sys->nv; i++) s->mean_a[i] = (x1->v[i] - x0->v[i]) / h;
  for (int i = 0; s->sys->nnumber > 0 && i < s->sys->nv; i++) {
    s->mean_slope[i] = mean_slope(s, i, h);
    s->mean_v[i] = s->d[i] / h;
  }
}
