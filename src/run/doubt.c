// SPDX-License-Identifier: Apache-2.0
// The last line of defence: a step that its iteration is content with is looked at once more before anybody else sees
// it. Cheap where nothing is doubtful.
#include <float.h>
#include <math.h>
#include <string.h>

#include "driver.h"

static const double LOST = 0.1;
// Velocities leap beyond so many times the largest so far. They rush beyond so many times those of the start, and all so
// far, when they double within this part of the time so far.
static const double LEAP = 4, RUSH = 10, SUDDEN = 1e-5;
static const double GROWN = 1.5,
                    BEYOND = 0.3; // in a step; of it not by the acceleration at its start
static const double FOLLOW = 0.1; // of the time in which they double: the step
static const double MOSTLY = 0.5; // of a velocity, or of its change: accounts for it
static const double MADE = 100;
static const double DIGITS = 3; // round-off of a position, over that of one evaluation
static const double HALF_TURN = 3.141592653589793;

// Rows were left out because they repeat others, and no longer do: the position was singular instead, or the rows that
// stand for them lead two ways there, and the step went the wrong one. Whatever is known of the rank: where the others
// hold these do.
static bool left_out_rows_open(tr_run *r, const tr_state *x) {
  const tr_redundancy *red = &r->projector.redundancy;
  double *phi = r->work->x, left_out = 0;
  if (red->count == 0) return false;
  tr_kinematics(r->work, x->t, x->q, x->v, x->mem, TR_AT_POSITION);
  tr_forces(r->work, NULL, NULL, phi);
  tr_clear_velocity_rows(r->sys, phi);
  for (int k = 0; k < red->count; k++) {
    left_out = fmax(left_out, fabs(phi[red->row[k]]));
    phi[red->row[k]] = 0;
  }
  double scale = fmax(1, vec_largest(x->q, r->sys->nq)), tol = r->settings.control.tol;
  double others = vec_largest(phi, r->sys->nc), most = 100 * others;
  if (tol > 0) most = fmin(most, fmax(2 * others, tol * scale)); // feedback may leave all open
  return left_out > most + 1e-9 * scale;
}

// Matrices so much nearer to singular than they were: rows may have gone bad. And steps so many times as long that the
// pivots are others for that alone.
static const double WORN = 0.1, OTHER_STEP = 1.5;

// The best rcond so far, made of the present step: what a change of the step has done to the last one it did to all.
static void note_soundness(tr_run *r, double rcond) {
  double c = r->step->matrix_cq;
  if (c > OTHER_STEP * r->sound_cq || OTHER_STEP * c < r->sound_cq) {
    if (r->last_rcond > 0) r->sound *= rcond / r->last_rcond;
    r->sound_cq = c;
  }
  r->sound = fmax(r->sound, rcond), r->last_rcond = rcond;
}

tr_status tr_run_renew_rows(tr_run *r, bool failed, bool *renewed) {
  double rcond = tr_step_rcond(r->step);
  note_soundness(r, rcond);
  if (!(rcond < WORN * r->sound || failed) || r->looked) return TR_OK;
  r->looked = true;
  tr_kkt counts = r->step->kkt; // as in tr_run_begin
  TR_TRY(tr_renew_rows(&r->projector, &r->x, &r->next, renewed));
  tr_kkt *kkt = &r->step->kkt;
  if (kkt->factorisations + kkt->refactorisations >
      counts.factorisations + counts.refactorisations) {
    tr_kkt_forget(kkt, &counts);
    r->step->newton.valid = false;
  }
  r->sound = rcond;
  if (!*renewed) return TR_OK;
  r->step->kkt.mask = r->step->projection.mask = r->projector.kkt->mask;
  r->current = false;
  tr_step_change_rows(r->step, &r->x);
  return TR_OK;
}

// Worth a look at its constraints: a given number of corrections is never tested, and what was taken for round-off, or
// moves far besides what it did, may not be what it seems. Control looks at those of methods without iteration.
static bool doubtful(const tr_run *r, double h, long stagnations) {
  const tr_step *s = r->step;
  if (s->method->direct && r->settings.control.tol > 0) return false;
  if (r->sys->nc == 0) return false;
  if (s->newton.fixed_iterations > 0 || s->newton.stagnations > stagnations) return true;
  double most = LOST * r->extent;
  return !(s->change * h <= most) && !(vec_apart(r->next.v, 1, r->x.v, r->sys->nv) * h <= most);
}

// Whatever the iteration says, constraints are lost when open by a good part of the size of the whole, or, in the
// first steps, which may begin far off, by more than that; those of explicit methods also when they open so fast that they
// will be in a step as long.
static bool lost_constraints(tr_run *r, double h) {
  const tr_state *x = &r->next;
  double *gap = r->work->x;
  tr_kinematics(r->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_forces(r->work, NULL, NULL, gap);
  tr_clear_velocity_rows(r->sys, gap);
  double most = r->info.steps < 2 ? r->extent : LOST * r->extent;
  if (!(vec_largest(gap, r->sys->nc) <= most)) return true;
  if (!r->step->method->direct) return false;
  tr_rates(r->work, gap);
  tr_clear_velocity_rows(r->sys, gap);
  return !(h * vec_largest(gap, r->sys->nc) <= most);
}

// T1 + V1 beyond MADE times all that was there and that forces could have done on the way: constraints that stand still
// do no work, so that an explicit method has made it. After a look at the constraints of the step.
static bool makes_energy(tr_run *r) {
  const tr_state *x = &r->next;
  const tr_system *s = r->sys;
  double T0, V0, T1, V1, *d = r->work->x, *Q = r->projector.r, work = 0, moved;
  tr_energy(r->work, &T1, &V1);
  memset(d, 0, (size_t)s->nv * sizeof *d);
  tr_kinematics(r->work, x->t, x->q, d, x->mem, TR_AT_VELOCITY);
  tr_rates(r->work, Q);
  moved = vec_largest(Q, s->nc); // by drives
  tr_kinematics(r->work, r->x.t, r->x.q, r->x.v, r->x.mem, TR_AT_BIAS);
  tr_energy(r->work, &T0, &V0);
  tr_forces(r->work, NULL, Q, NULL);
  for (int i = 0; i < s->nv; i++) work += fabs(Q[i] * r->step->d[i]);
  return moved == 0 && T1 > MADE * (T0 + fabs(V1 - V0) + work);
}

// Joints in space count turns by the rate that they had: beyond half a turn more or less they lose count, which two bodies
// may share.
bool tr_run_turns(const tr_run *r, double h, const char **body) {
  double most = r->settings.control.tol > 0 ? HALF_TURN / 2 : HALF_TURN;
  return r->sys->remembers && tr_step_turn(r->step, &r->x, h, body) > most;
}

tr_status tr_run_doubt(tr_run *r, double h, long stagnations) {
  const char *body;
  if (doubtful(r, h, stagnations) &&
      (lost_constraints(r, h) || (r->step->method->direct && r->info.steps > 1 && makes_energy(r))))
    return TR_NO_CONVERGENCE;
  if (r->sys->troubles && tr_trouble(r->sys, &r->next, h, &body)) return TR_NO_CONVERGENCE;
  if (tr_run_turns(r, h, &body) || tr_arms_lost(r)) return TR_NO_CONVERGENCE;
  return left_out_rows_open(r, &r->next) ? TR_SINGULAR : TR_OK;
}

// What round-off in the constraints does to positions, over what is left of these there:
//   [M G'; G 0] (d, .) = (0, eps |q|)
// at the state and where the step would have led. Some digits more are lost on the way.
double tr_run_round_off(const tr_run *r) {
  const tr_state *at[] = {&r->x, &r->next};
  const tr_system *s = r->sys;
  tr_projector p = r->projector;
  double most = 0;
  for (int k = 0; k < 2; k++) {
    if (s->nc == 0 || !vec_finite(at[k]->q, s->nq) || tr_factor_mass(&p, at[k]) != TR_OK) continue;
    double scale = fmax(1, vec_largest(at[k]->q, s->nq));
    memset(p.r, 0, (size_t)s->nv * sizeof *p.r);
    tr_rows_noise(0, s->nc, DBL_EPSILON * scale, p.r + s->nv);
    if (tr_kkt_solve(p.kkt, 1, p.r) == TR_OK) most = fmax(most, vec_largest(p.r, s->nv) / scale);
  }
  return DIGITS * most;
}

// An impact turns velocities round; a pole of a force makes them many times as large within a step, whose positions are
// none the worse for it.
static bool leaps(const tr_run *r, const tr_state *x0, const tr_state *x1, tr_leap *leap) {
  double most = LEAP * r->top_speed;
  bool far = false;
  for (int i = 0; i < r->sys->nv; i++) {
    double v = fabs(x1->v[i]);
    if (v <= most || r->sys->number[i]) continue;
    most = v, far = true;
    *leap = (tr_leap){x0->t, x0->v[i], x1->v[i], i};
  }
  return far;
}

// Velocities that rush towards a pole closer than the tolerance, which steps may pass without noticing.
static bool rushes(const tr_run *r, tr_leap *leap) {
  double most = fmax(r->top_speed, RUSH * fmax(1, r->first_speed));
  bool far = false;
  for (int i = 0; i < r->sys->nv; i++) {
    double v = r->x.v[i], a = r->x.a[i];
    if (fabs(v) <= most || r->sys->number[i] || a * v < 0) continue;
    if (!(fabs(v) < SUDDEN * (r->x.t - r->first_t) * fabs(a))) continue;
    most = fabs(v), far = true;
    *leap = (tr_leap){r->next.t, r->next.v[i], v, i};
  }
  return far;
}

// Where the largest velocity rushes so, an attraction 1/x^2 is met after a third of the time in which it doubles.
double tr_run_follow(const tr_run *r, double h) {
  double most = LEAP * fmax(1, r->first_speed), so_far = r->x.t - r->first_t;
  if (!(r->top_speed > most)) return h;
  for (int i = 0; i < r->sys->nv; i++) {
    double v = fabs(r->x.v[i]), a = fabs(r->x.a[i]);
    bool largest = v >= r->top_speed && !r->sys->number[i] && r->x.a[i] * r->x.v[i] > 0;
    if (largest && v < SUDDEN * so_far * a) h = fmin(h, FOLLOW * v / a);
  }
  return h;
}

bool tr_run_leapt(const tr_run *r, double h) {
  double most = fmax(GROWN * r->top_speed, LEAP * fmax(1, r->first_speed));
  for (int i = 0; i < r->sys->nv; i++) {
    double v = r->next.v[i], expected = r->x.v[i] + h * r->x.a[i];
    if (fabs(v) > most && fabs(v - expected) > BEYOND * fabs(v) && !r->sys->number[i]) return true;
  }
  return false;
}

static double largest_speed(const tr_run *r) {
  double most = 0;
  if (r->sys->nnumber == 0) return tr_largest(r->work, r->x.v, r->sys->nv);
  for (int i = 0; i < r->sys->nv; i++)
    if (!r->sys->number[i] && fabs(r->x.v[i]) > most) most = fabs(r->x.v[i]);
  return most;
}

void tr_run_take_speed(tr_run *r) { r->top_speed = fmax(r->top_speed, largest_speed(r)); }

// A drive makes velocity i what it is, [M G'; G 0] (-u, .) = (0, Phi_t), and the way in the last step is what velocities
// on either end may make of it.
static bool is_driven(tr_run *r, tr_projector *p, int i) {
  const tr_system *s = r->sys;
  const tr_state *x0 = &r->next, *x1 = &r->x;
  double *still = r->work->x, h = x1->t - x0->t, way = r->step->d[i];
  double most = 0.5 * h * (fabs(x0->v[i]) + fabs(x1->v[i])) * (1 + 1e-9);
  if (s->nc == 0 || !(fabs(way - 0.5 * h * (x0->v[i] + x1->v[i])) <= most)) return false;
  if (tr_factor_mass(p, x1) != TR_OK) return false;
  memset(still, 0, (size_t)s->nv * sizeof *still);
  tr_kinematics(r->work, x1->t, x1->q, still, x1->mem, TR_AT_VELOCITY);
  tr_rates(r->work, p->r + s->nv);
  memset(p->r, 0, (size_t)s->nv * sizeof *p->r);
  return tr_kkt_solve(p->kkt, 1, p->r) == TR_OK && fabs(p->r[i]) > MOSTLY * fabs(x1->v[i]);
}

// Accelerations with bodies held where the step began account for its velocity i: time makes it. Uses r->next.
static bool is_pushed(tr_run *r, tr_projector *p, int i) {
  static const double part[] = {0, 0.5, 1}, weight[] = {1.0 / 6, 4.0 / 6, 1.0 / 6};
  tr_state *x = &r->next;
  double t = x->t, h = r->x.t - t, by = 0;
  for (int k = 0; k < 3; k++) {
    x->t = t + part[k] * h;
    if (tr_solve_accelerations(p, x, x->a, x->lam) != TR_OK) return false;
    by += weight[k] * h * x->a[i];
  }
  x->t = t;
  double change = r->x.v[i] - x->v[i];
  return by * change > MOSTLY * change * change;
}

// So does the acceleration where bodies were when velocity i was a half of what it is. Uses r->next.
static bool was_pushed(tr_run *r, tr_projector *p, int i) {
  const tr_state *x1 = &r->x;
  tr_state *x = &r->next;
  double back = -x1->v[i] / x1->a[i], *d = r->work->x;
  for (int k = 0; k < r->sys->nv; k++) d[k] = back * x1->v[k];
  tr_retract(r->sys, x1->q, d, x->q);
  memcpy(x->v, x1->v, (size_t)r->sys->nv * sizeof *x->v);
  x->t = x1->t;
  return tr_solve_accelerations(p, x, x->a, x->lam) == TR_OK &&
         x->a[i] * x1->a[i] > MOSTLY * x1->a[i] * x1->a[i];
}

// Made when the first asks.
bool tr_run_aside(tr_run *r, tr_projector *p) {
  *p = r->projector;
  p->kkt = &r->aside;
  if (!r->aside.p && tr_kkt_make(&r->arena, &r->sys->pattern, &r->aside) != TR_OK) return false;
  r->aside.mask = r->projector.kkt->mask;
  return true;
}

// A place has no part in it.
static bool made_by_time(tr_run *r, int i, bool rush) {
  tr_projector p;
  return tr_run_aside(r, &p) &&
         (is_driven(r, &p, i) || (rush ? was_pushed(r, &p, i) : is_pushed(r, &p, i)));
}

static bool is_thrown_back(const tr_run *r, int i) {
  double way = r->step->d[i];
  return way * r->x.v[i] < 0 && way * r->next.v[i] < 0;
}

void tr_run_watch_speed(tr_run *r) {
  tr_leap leap = {0};
  bool known = r->sys->nnumber == 0 && r->step->known_t == r->x.t; // it was just accepted
  double speed = known ? r->step->known.v : largest_speed(r);
  // time had a pole: what was made by it went back against its velocities
  if (isnan(r->leap.t) && !isnan(r->driven.t) && is_thrown_back(r, r->driven.of))
    r->leap = r->driven;
  if (isnan(r->leap.t) && speed > r->top_speed) {
    bool leapt = speed > LEAP * r->top_speed && leaps(r, &r->next, &r->x, &leap);
    bool rush = !leapt && r->settings.control.tol > 0 && rushes(r, &leap);
    rush = rush && !tr_run_whipped(r, leap.of);
    if (leapt || rush) *(made_by_time(r, leap.of, rush) ? &r->driven : &r->leap) = leap;
  }
  r->top_speed = max2(r->top_speed, speed);
  r->fastest = max2(r->fastest, speed);
}
