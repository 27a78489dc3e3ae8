// SPDX-License-Identifier: Apache-2.0
// Steps that pass are looked into where they may hide something.
//
// An error is estimated from the ends of a step. Where all is quiet there it is next to nothing, and steps grow threefold each
// time: what acts for a while in between, a rough patch, a gate, a stroke of each turn, is jumped over; and a first step that is
// a whole number of periods finds a torque of 50 Hz to be nothing again and again. So the first steps, those with hardly any error,
// and those that are longer than any lately are looked into: on the cubic through their ends, at times that have no common
// measure, the forces are compared with the line between those at the ends, as the methods see them:
//   z_k = answer(Q(s_k) - (1 - s_k) Q_0 - s_k Q_1),    e = |h sum_k d_k |z_k||
// with the time d_k that each stands for: how far that would lead within the step. Then a step ends just before it begins, and short ones
// follow. What was found to be short is looked for more closely from then on. Drives are seen by what Phi is open by.
// States and variables are put on their equations there: forces see variables as they are, and rates of states stand for forces,
//   X' = f:  z_k = (f(s_k) - (1 - s_k) X'_0 - s_k X'_1)/h
//
// Contacts and stops know their gaps. Where the rates at both ends of a step could have closed and opened one, all are looked at
// along the cubic, together. Sines of time in laws of forces tell their period: steps follow those that would be felt.
#include <math.h>
#include <string.h>

#include "inside.h"

enum { FIRST = 2 };              // steps that are looked into whatever they are
enum { LEAST = 5, MOST = 4000 }; // places in a step
static const double PLACES = 400, STILL_PLACES = 2000, FINEST = 40000; // in the whole time
static const double QUIET = 0.03, STILL = 1e-4; // of the tolerance: errors that say nothing
// Tolerances that count. Between the ends of a step of high order forces bend more than its error shows.
static const double MANY = 2, MANY_HIGH = 20, QUIET_HIGH = 1e-3;
static const double LONGER = 1.5,
                    FADES = 0.99; // than all lately; what these are worth after each step
static const double TURN = 6.283185307179586;
static const double CERTAIN = 0.1; // of that: by the diagonal of the mass alone it is none
static const double GOLDEN = 0.6180339887498949;
static const double SLOWER = 0.2; // a shorter step, where it hides something from the beginning
static const double FASTER = 1.5; // rates between the ends, of those there
static const double SAME = 1e-9;  // of a step: one time
static const double NEAR = 10;    // tolerances: what acts for a shorter way is not looked for
static const double MANY_BODIES = 300;  // velocities: where there are more there are fewer places
enum { FEW = 3 };                       // places where all gaps are looked at
static const double NARROW = 1e-3;      // of a step: no more places
enum { PHASES = 5 };                    // places in a period
enum { MOST_SWEEPS = 30 };              // over states and variables, besides one for each
static const double SETTLED = 1e-9;     // of one of them
enum { AGAIN = 64, MOST_AGAIN = 4096 }; // steps until they are looked at again
static const double CREST = 0.185;      // of a period: the longest step that follows a wave
static const double MOST_WAVES = 4000;  // in the whole time

// The matrix for numbers that depend on each other, with all that it will ever need.
static bool make_aside(tr_run *r) {
  double *v = r->inside->v;
  tr_projector p;
  if (!tr_run_aside(r, &p)) return false;
  memcpy(v, r->x.v, (size_t)r->sys->nv * sizeof *v);
  return tr_settle_aside(r->step, &r->aside, r->x.t, r->x.q, v, r->x.mem, r->x.lam) != TR_NO_MEMORY;
}

tr_status tr_inside_make(tr_run *r, tr_error *error) {
  const tr_system *s = r->sys;
  size_t nv = (size_t)s->nv, nc = (size_t)s->nc, ng = (size_t)tr_gaps(s);
  if (r->settings.control.rule == TR_CONTROL_GNP05) return TR_OK; // as published
  if (s->nforce == 0 && !s->rheonomic && s->nnumber == 0) return TR_OK;
  tr_inside *w = TR_NEW(&r->arena, 1, tr_inside);
  size_t of_gaps = (4 + SWEEPS - 2) * ng;
  double *p =
      TR_NEW(&r->arena, 17 * nv + (size_t)s->nq + (size_t)s->nmass + 4 * nc + of_gaps + 1, double);
  if (!w || !p) return tr_no_memory(error);
  w->who = TR_NEW(&r->arena, ng + 1, int);
  if (!w->who) return tr_no_memory(error);
  w->u = p, w->rate = (p += nv), w->v = (p += nv), w->Q0 = (p += nv), w->Q1 = (p += nv);
  w->Q = (p += nv), w->sum = (p += nv), w->inverse = (p += nv);
  w->scale = (p += nv), w->bend0 = (p += nv), w->bend1 = (p += nv);
  w->beside = (p += nv), w->scale_v = (p += nv), w->here = (p += nv);
  w->line = (p += nv), w->sure = (p += nv), w->z = (p += nv);
  w->phi0 = (p += nv + nc), w->phi1 = (p += nc), w->phi = (p += nc), w->mass = (p += nc);
  w->q = (p += s->nmass), w->gap0 = (p += s->nq), w->gap1 = (p += ng), w->rate0 = (p += ng);
  w->rate1 = (p += ng), w->gap = p + ng;
  w->gaps = (int)ng, w->fine = INFINITY, w->gap_t = w->till = NAN;
  w->timed = s->rheonomic || tr_probe_reads_time(s);
  w->waves = tr_probe_waves(s, WAVES, w->wave), w->crest = INFINITY;
  const tr_method *m = r->step->method;
  int order[3] = {m->info.order_q};
  if (m->orders) m->orders(r->step->par, order);
  w->stages = order[0] > 2 && !m->choose;
  bool high = order[0] > 2 && !w->stages;
  w->many = high ? MANY_HIGH : MANY, w->quiet = high ? QUIET_HIGH : QUIET;
  r->inside = w;
  w->loops = tr_numbers_loop(s), w->direct = tr_numbers_formulas(s);
  return w->loops && !make_aside(r) ? tr_no_memory(error) : TR_OK;
}

void tr_inside_begin(tr_run *r) {
  tr_inside *w = r->inside;
  if (!w) return;
  w->first = w->age = 0, w->longest = 0, w->gap_t = NAN;
}

// ---- places ----------------------------------------------------------------------------------------

// The k-th of n places in a step, as a fraction: one in each part, nowhere at the same place of it.
static double place(int k, int n) {
  double x = (k + 1) * GOLDEN;
  return (k + x - floor(x)) / n;
}

static tr_level level_of(const tr_run *r) {
  return r->sys->force_level > TR_AT_VELOCITY ? r->sys->force_level : TR_AT_VELOCITY;
}

// At the point of the last tr_kinematics, with v there: numbers as their equations have them, bodies as they are. One by one,
// those that depend on each other perhaps together; where that fails too they stay as they were.
static void settle_numbers(tr_run *r, double *v) {
  tr_inside *w = r->inside;
  size_t bytes = (size_t)r->sys->nv * sizeof *v;
  const tr_work *at = r->work;
  if (r->sys->nnumber == 0) return;
  memcpy(w->line, v, bytes);
  for (int k = 0; k < r->sys->nnumber + MOST_SWEEPS; k++) {
    double change = tr_sweep_numbers(r->work, v);
    if (isinf(change)) break;
    if (change <= SETTLED || w->direct) return;
  }
  memcpy(v, w->line, bytes);
  bool settled = w->loops && tr_settle_aside(r->step, &r->aside, at->t, at->q, v, at->mem,
                                             r->next.lam) == TR_OK;
  if (!settled) memcpy(v, w->line, bytes);
  tr_kinematics(r->work, at->t, at->q, v, at->mem, level_of(r));
}

// F = -Q and phi there; with rates of states in their places.
static void forces_here(tr_run *r, double *F, double *phi) {
  tr_forces(r->work, NULL, F, phi);
  for (int i = 0; i < r->sys->nbody && r->sys->nnumber > 0; i++) {
    const sys_body *b = &r->sys->body[i];
    if (r->sys->number[b->v]) F[b->v] = b->nq > 0 ? -r->work->v[b->v] : 0;
  }
}

// q and v at the fraction s of the step, v the derivative of the cubic u.
static void move_to(tr_run *r, double h, double s, tr_level level) {
  tr_inside *w = r->inside;
  const double *d = r->step->d, *v0 = r->x.v;
  double to = s * s * (3 - 2 * s), from0 = h * s * (1 - s) * (1 - s), from1 = h * s * s * (s - 1);
  double dto = 6 * s * (1 - s) / h, dfrom0 = (1 - s) * (1 - 3 * s), dfrom1 = s * (3 * s - 2);
  for (int i = 0; i < r->sys->nv; i++) {
    w->u[i] = to * d[i] + from0 * v0[i] + from1 * w->rate[i];
    w->z[i] = dto * d[i] + dfrom0 * v0[i] + dfrom1 * w->rate[i];
  }
  tr_retract(r->sys, r->x.q, w->u, w->q);
  tr_increment_velocity(r->work, w->u, w->z, w->v);
  for (int i = 0; i < r->sys->nv && r->sys->nnumber > 0; i++)
    if (r->sys->number[i]) w->v[i] = (1 - s) * v0[i] + s * r->next.v[i];
  tr_kinematics(r->work, r->x.t + s * h, w->q, w->v, r->next.mem, level);
  if (level > TR_AT_POSITION) settle_numbers(r, w->v);
}

static void forces_at(tr_run *r, const tr_state *x, double *Q, double *phi) {
  tr_kinematics(r->work, x->t, x->q, x->v, x->mem, level_of(r));
  forces_here(r, Q, phi);
}

void tr_inside_forces(tr_run *r, double t, double *F) {
  tr_inside *w = r->inside;
  tr_retract(r->sys, r->x.q, w->z, w->q);
  tr_kinematics(r->work, t, w->q, w->v, r->next.mem, level_of(r));
  settle_numbers(r, w->v);
  forces_here(r, F, NULL);
}

// Methods with stages see the forces there too: a cubic through them and the ends.
static const double stage[] = {0.15505102572168220, 0.64494897427831781};

static void see_stages(tr_run *r, double h) {
  tr_inside *w = r->inside;
  for (int k = 0; k < 2 && r->inside->stages; k++) {
    double s = stage[k], *Q = k ? w->bend1 : w->bend0;
    move_to(r, h, s, level_of(r));
    forces_here(r, Q, NULL);
    for (int i = 0; i < r->sys->nv; i++) Q[i] -= (1 - s) * w->Q0[i] + s * w->Q1[i];
  }
}

// What the cubic is beside the line.
static void bend(const tr_run *r, double s, double *Q) {
  const tr_inside *w = r->inside;
  double a = stage[0], b = stage[1], f = s * (1 - s);
  double la = f * (s - b) / (a * (1 - a) * (a - b)), lb = f * (s - a) / (b * (1 - b) * (b - a));
  for (int i = 0; i < r->sys->nv && r->inside->stages; i++)
    Q[i] += la * w->bend0[i] + lb * w->bend1[i];
}

// What forces, and constraints that move with time, are off from the line between the ends.
static void defect_at(tr_run *r, double h, double s) {
  tr_inside *w = r->inside;
  bool drives = r->sys->rheonomic && !w->stages; // these see them by themselves
  move_to(r, h, s, level_of(r));
  forces_here(r, w->Q, drives ? w->phi : NULL);
  if (r->sys->nnumber > 0) memcpy(w->here, w->Q, (size_t)r->sys->nv * sizeof *w->Q);
  for (int i = 0; i < r->sys->nv; i++) w->Q[i] = (1 - s) * w->Q0[i] + s * w->Q1[i] - w->Q[i];
  bend(r, s, w->Q);
  for (int i = 0; i < r->sys->nc; i++)
    w->phi[i] =
        !drives || r->sys->of_velocity[i] ? 0 : w->phi[i] - (1 - s) * w->phi0[i] - s * w->phi1[i];
}

// ---- how much it is --------------------------------------------------------------------------------

static double size_of(const tr_run *r, const double *e, const double *scale) {
  double most = 0;
  int worst = 0;
  return sqrt(tr_error_square(r->step, e, scale, &worst, &most)) / r->settings.control.tol;
}

// In a step of length h. The rate of a state goes as far within it as an acceleration of 1/h of it.
static void find_masses(tr_run *r, double h) {
  tr_inside *w = r->inside;
  const double *blocks = tr_mass_blocks(r->work, w->mass);
  for (int i = 0; i < r->sys->nbody; i++) {
    const sys_body *b = &r->sys->body[i];
    for (int k = 0; k < b->nv; k++) {
      double m = blocks[b->mass + k * (b->nv + 1)];
      bool angle = b->type->coordinate_names && k >= b->type->dim && b->nv <= 6;
      double scale = r->step->scale_q[b->v + k];
      bool number = r->sys->number[b->v];
      w->inverse[b->v + k] = number ? 1 / h : m > 0 ? 1 / m : 0;
      w->scale[b->v + k] = angle && isfinite(scale) ? fmin(scale, TURN) : scale;
      w->scale_v[b->v + k] = number ? INFINITY : r->step->scale_v[b->v + k];
    }
  }
}

// Of z (nv) that lasts for d in a step of length h, over MANY tolerances.
static double counts(const tr_run *r, double h, double d, const double *z) {
  const tr_inside *w = r->inside;
  double e = h * d * size_of(r, z, w->scale);
  if (r->settings.control.velocities) e = fmax(e, d * size_of(r, z, w->scale_v));
  return e / w->many;
}

// The same by the diagonal of the mass, without constraints; and of what drives are open by.
static double seems(const tr_run *r, double h, double d) {
  const tr_inside *w = r->inside;
  for (int i = 0; i < r->sys->nv; i++) w->z[i] = w->Q[i] * w->inverse[i];
  double e = counts(r, h, d, w->z);
  double open = vec_largest(w->phi, r->sys->nc) / (r->inside->many * r->settings.control.tol);
  return fmax(e, r->sys->rheonomic ? open : 0);
}

// The same as it is: z of the defect; the larger of what it does, and what drives are open by.
static double is(tr_run *r, double h, double d) {
  tr_inside *w = r->inside;
  const tr_system *s = r->sys;
  double open = 0;
  if (s->rheonomic && vec_largest(w->phi, s->nc) > 0) {
    memset(w->z, 0, (size_t)s->nv * sizeof *w->z);
    memcpy(w->z + s->nv, w->phi, (size_t)s->nc * sizeof *w->z);
    if (tr_step_answer(r->step, w->z) == TR_OK) open = size_of(r, w->z, w->scale) / r->inside->many;
  }
  memcpy(w->z, w->Q, (size_t)s->nv * sizeof *w->z);
  memset(w->z + s->nv, 0, (size_t)s->nc * sizeof *w->z);
  if (tr_step_answer(r->step, w->z) != TR_OK || !vec_finite(w->z, s->nv)) return open;
  for (int i = 0; i < s->nv && s->nnumber > 0; i++)
    if (s->number[i]) w->z[i] = w->Q[i] / h;
  for (int i = 0; i < s->nv; i++) w->sum[i] += d * fabs(w->z[i]);
  return fmax(open, counts(r, h, d, w->z));
}

// ---- a look ----------------------------------------------------------------------------------------

// Whether n places seem to show something, before the constraints and stiff forces are asked.
static bool seems_to_hide(tr_run *r, double h, int n) {
  double sum = 0;
  for (int k = 0; k < n && sum <= CERTAIN; k++) {
    defect_at(r, h, place(k, n));
    sum += seems(r, h, h / n);
  }
  return !(sum <= CERTAIN);
}

// What is hidden in the step, over what may be; it begins behind w->until and lasts for w->after.
static double find_hidden(tr_run *r, double h, int n) {
  tr_inside *w = r->inside;
  double most = 0;
  int begins = n, lasts = 0;
  memset(w->sum, 0, (size_t)r->sys->nv * sizeof *w->sum);
  for (int k = 0; k < n; k++) {
    defect_at(r, h, place(k, n));
    if (seems(r, h, h) <= CERTAIN || tr_inside_stiff(r, h, place(k, n))) continue;
    double e = is(r, h, h / n);
    most = fmax(most, e);
    if (e * n > 1) lasts++;
    if (e * n > 1 && begins == n) begins = k;
  }
  double e = fmax(most, counts(r, h, 1, w->sum));
  if (!(e > 1)) return e;
  if (begins == n) begins = 0;
  w->until = begins > 0 ? h * place(begins - 1, n) : SLOWER * h;
  w->after = begins > 0 ? h * (place(begins, n) - place(begins - 1, n)) : w->until;
  double span = r->settings.end - r->first_t;
  w->fine = fmin(w->fine, fmax(0.25 * lasts * h / n, span / FINEST));
  return e;
}

static int places_in(const tr_run *r, double h, double e) {
  double places = (e < STILL ? STILL_PLACES : PLACES) * fmin(1, MANY_BODIES / r->sys->nv);
  double apart = fmin(r->inside->fine, (r->settings.end - r->first_t) / places), most = MOST;
  if (!r->inside->timed) // no nearer than the tolerance tells places apart
    most = fmin(most, vec_largest(r->step->d, r->sys->nv) / (NEAR * r->settings.control.tol));
  return (int)fmax(LEAST, fmin(most, ceil(h / apart)));
}

static double look(tr_run *r, double h, double e) {
  tr_inside *w = r->inside;
  int n = places_in(r, h, e);
  forces_at(r, &r->x, w->Q0, w->phi0);
  forces_at(r, &r->next, w->Q1, w->phi1);
  find_masses(r, h);
  see_stages(r, h);
  w->tested = 0;
  return seems_to_hide(r, h, n) ? find_hidden(r, h, n) : 0;
}

// ---- gaps ------------------------------------------------------------------------------------------

// Whether one may be closed between two places next to each other, by its rate: g_a + g_b < rate (b - a) h.
static bool may_close(const tr_inside *w, double h, int k) {
  double way = FASTER * h * (w->at[k + 1] - w->at[k]);
  const double *a = w->seen[k], *b = w->seen[k + 1];
  for (int j = 0; j < w->near; j++) {
    int i = w->who[j];
    if (a[i] > 0 && b[i] > 0 && a[i] + b[i] < way * fmax(w->rate0[i], w->rate1[i])) return true;
  }
  return false;
}

// All gaps at a place behind the k-th.
static void sweep(tr_run *r, double h, int k, double s) {
  tr_inside *w = r->inside;
  double *gap = w->gap + (size_t)(w->swept - 2) * (size_t)w->gaps;
  for (int i = w->swept++; i > k + 1; i--)
    w->at[i] = w->at[i - 1], w->seen[i] = w->seen[i - 1], w->doubt[i] = w->doubt[i - 1];
  move_to(r, h, s, TR_AT_POSITION);
  tr_gaps_here(r->work, gap, NULL);
  w->at[k + 1] = s, w->seen[k + 1] = gap;
  w->doubt[k] = may_close(w, h, k), w->doubt[k + 1] = may_close(w, h, k + 1);
}

// At a few places for all, then in the longest part where one may be closed, and again.
static void sweep_gaps(tr_run *r, double h) {
  tr_inside *w = r->inside;
  w->at[0] = 0, w->seen[0] = w->gap0, w->at[1] = 1, w->seen[1] = w->gap1, w->swept = 2;
  for (int k = 0; k < FEW; k++) sweep(r, h, k, place(k, FEW));
  while (w->swept < SWEEPS) {
    double longest = NARROW;
    int in = -1;
    for (int k = 0; k < w->swept - 1; k++)
      if (w->doubt[k] && w->at[k + 1] - w->at[k] > longest)
        longest = w->at[k + 1] - w->at[k], in = k;
    if (in < 0) return;
    sweep(r, h, in, 0.5 * (w->at[in] + w->at[in + 1]));
  }
}

static double between(const tr_inside *w, int i, int k) { // where gap i is 0 before the k-th place
  double a = w->seen[k - 1][i], b = w->seen[k][i];
  return w->at[k - 1] + (w->at[k] - w->at[k - 1]) * a / (a - b);
}

// When gap i is closed for the first time: false: never.
static bool is_closed(const tr_inside *w, int i, double *from, double *to) {
  int k = 1;
  while (k < w->swept - 1 && !(w->seen[k][i] < 0)) k++;
  if (k == w->swept - 1) return false;
  *from = between(w, i, k);
  while (w->seen[k][i] < 0) k++; // it is open in the end
  *to = between(w, i, k);
  return true;
}

// Contacts that close and open again within the step: the first that counts.
static double pass_gaps(tr_run *r, double h) {
  tr_inside *w = r->inside;
  double passed = -1, e = 0;
  for (int n = 0; n < FEW && e <= 1; n++) {
    double from = 2, to = 2, a, b;
    for (int j = 0; j < w->near; j++)
      if (is_closed(w, w->who[j], &a, &b) && a > passed && a < from) from = a, to = b;
    if (from > 1) break;
    if (n == 0) forces_at(r, &r->x, w->Q0, w->phi0), forces_at(r, &r->next, w->Q1, w->phi1);
    defect_at(r, h, 0.5 * (from + to));
    e = is(r, h, (to - from) * h), passed = from;
    w->until = fmax(from, 0.01) * h, w->after = 0.5 * (to - from) * h;
  }
  return e;
}

static void gaps_at(tr_run *r, const tr_state *x, double *gap, double *rate) {
  tr_kinematics(r->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_gaps_here(r->work, gap, rate);
}

static double look_at_gaps(tr_run *r, double h) {
  tr_inside *w = r->inside;
  if (!(fabs(r->x.t - w->gap_t) <= SAME * h)) gaps_at(r, &r->x, w->gap0, w->rate0);
  w->gap_t = r->x.t, w->near = 0;
  gaps_at(r, &r->next, w->gap1, w->rate1);
  for (int i = 0; i < w->gaps; i++) {
    double way = FASTER * h * fmax(w->rate0[i], w->rate1[i]);
    if (w->gap0[i] > 0 && w->gap1[i] > 0 && w->gap0[i] + w->gap1[i] < way) w->who[w->near++] = i;
  }
  if (w->near == 0) return 0;
  sweep_gaps(r, h);
  return pass_gaps(r, h);
}

// ---- waves -----------------------------------------------------------------------------------------

// A force that goes to and fro in time makes velocities of a period over a turn, which last: whether they would be felt
// within the whole time. With the bodies held where they are; answered by the diagonal of the mass, or by the step just taken,
// with constraints and stiff forces.
static bool is_felt(tr_run *r, const tr_state *at, double period, bool answered) {
  tr_inside *w = r->inside;
  double span = r->settings.end - r->first_t;
  tr_state x = *at;
  if (MOST_WAVES * period < span) return false;
  forces_at(r, at, w->Q0, NULL);
  find_masses(r, span);
  x.v = w->v;
  memset(w->phi, 0, (size_t)r->sys->nc * sizeof *w->phi);
  for (int k = 0; k < PHASES; k++) {
    x.t = at->t + period * place(k, PHASES);
    memcpy(x.v, at->v, (size_t)r->sys->nv * sizeof *x.v);
    tr_kinematics(r->work, x.t, x.q, x.v, x.mem, level_of(r));
    settle_numbers(r, x.v);
    forces_here(r, w->Q, NULL);
    for (int i = 0; i < r->sys->nv; i++) w->Q[i] -= w->Q0[i];
    if (!answered && seems(r, span, period / TURN) > 1) return true;
    if (answered && is(r, span, period / TURN) > 1) return true;
  }
  return false;
}

static double find_crest(tr_run *r, const tr_state *x, bool answered) {
  tr_inside *w = r->inside;
  uint64_t acting = r->work->acting;
  double crest = INFINITY;
  for (int k = 0; k < w->waves; k++)
    if (CREST * w->wave[k] < crest && is_felt(r, x, w->wave[k], answered))
      crest = CREST * w->wave[k];
  r->work->acting = acting;
  return crest;
}

double tr_inside_follow(tr_run *r, double h) {
  tr_inside *w = r->inside;
  if (!w || w->waves == 0) return h;
  if (w->first == 0 && w->age == 0) w->crest = find_crest(r, &r->x, false), w->again = AGAIN;
  return fmin(h, w->crest);
}

// After a step of length h. The matrix of a long one takes forces for stiff that are not to the wave: then a short one follows,
// which tells.
static void ask_again(tr_run *r, double h) {
  tr_inside *w = r->inside;
  if (w->waves == 0 || w->age-- > 0) return;
  double seems = find_crest(r, &r->next, false), crest = find_crest(r, &r->next, true);
  bool tells = h <= 1.001 * seems;
  w->age = tells || crest <= seems ? w->again : 0;
  if (!tells && crest > seems) w->again = w->again < MOST_AGAIN ? 2 * w->again : MOST_AGAIN;
  w->crest = tells ? crest : fmin(crest, seems);
}

// ---- control ---------------------------------------------------------------------------------------

double tr_inside_error(tr_run *r, double h, double e) {
  tr_inside *w = r->inside;
  if (!w) return e;
  double shortest = fmin(w->fine, (r->settings.end - r->first_t) / STILL_PLACES);
  bool doubtful = h > shortest && (e < w->quiet || w->first < FIRST || h > LONGER * w->longest);
  if (!doubtful && w->gaps == 0) return e;
  uint64_t acting = r->work->acting;
  r->aside.mask = r->projector.kkt->mask;
  tr_increment_rate(r->sys, r->step->d, r->next.v, w->rate);
  double found = doubtful ? look(r, h, e) : 0;
  if (found <= 1 && w->gaps > 0) found = look_at_gaps(r, h);
  r->work->acting = acting;
  if (!(found > 1)) return e;
  w->till = r->x.t + w->until;
  return found;
}

double tr_inside_shorter(const tr_run *r, double h, double wish) {
  const tr_inside *w = r->inside;
  (void)wish;
  return w ? fmin(w->until, 0.9 * h) : wish;
}

double tr_inside_next(tr_run *r, double h, double wish) {
  tr_inside *w = r->inside;
  if (!w) return wish;
  w->first++;
  ask_again(r, h);
  w->longest = fmax(h, FADES * w->longest);
  double *gap = w->gap0, *rate = w->rate0;
  w->gap0 = w->gap1, w->gap1 = gap, w->rate0 = w->rate1, w->rate1 = rate;
  w->gap_t = r->x.t + h;
  bool there = r->x.t + 1.001 * h >= w->till;
  if (there) w->till = NAN, wish = fmin(wish, w->after), w->first = 0;
  return wish;
}
