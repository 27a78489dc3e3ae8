// SPDX-License-Identifier: Apache-2.0
// Why a step failed, in words: what the user can do something about comes first.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ahead.h"

enum { TRIES = 9, POWER = 12 };
static const double ROUND = 1e-12, ROUND_V = 1e-10; // tolerances that round-off may spoil
static const double AHEAD = 1e-4;            // of the run: a little ahead of a step cut to nothing
static const double NEARLY_SINGULAR = 1e-13; // round-off of positions where some are hardly held
static const double SMALLEST = 1e-10; // of the run: a step that is as short as it ever may be
// Velocities so many times those of the start, that double within this part of the time so far, are a runaway.
// And fewer of them that do so within next to nothing, as at a pole.
static const double RUNAWAY = 1e4, SUDDEN = 1e-5, FASTER = 30, AT_ONCE = 1e-8;
static const double FED = 0.1; // of the power that a runaway takes: what forces and drives bring
static const double ENOUGH = 0.05; // of what would move: a tolerance that allows for it
static const double JAMMED = 4;    // times the velocities of the start: none there should be
enum { GROWING = 8 };              // steps: a jump of the constraints takes fewer
enum { EARLY = 20, BEYOND = 10 };  // steps: a start may still be felt; a run gets past a place
// h times a force's rate beyond which explicit formulas may explode, and beyond which they must.
static const double FASTEST = 0.3, UNSTABLE = 2;

// ---- contradictions -------------------------------------------------------------------------------

// Constraints that hold here and cannot a little later, since rows that repeat each other come to want different
// things, or a drive wants more than bars reach: who contradicts whom.
static bool tell_contradiction(const tr_run *r, double h, tr_error *error) {
  const tr_system *sys = r->sys;
  tr_projector p = r->projector;
  const tr_mask *mask = p.kkt->mask;
  tr_state x = {0};
  double *d = tr_resize(sys->al, NULL, ((size_t)sys->nv + 1) * sizeof *d);
  bool found = false, ready = d && tr_state_new(sys, &x, NULL) == TR_OK;
  double span = r->settings.end - r->first_t,
         ahead[] = {h, 2 * h, 1e-4 * span, 1e-3 * span, 1e-2 * span};
  p.again = true, p.again_and_again = false, p.room = NULL;
  for (int k = 0; k < 5 && ready && !found; k++) {
    tr_error why = {0};
    if (k > 0 && ahead[k] < h) continue;
    tr_state_copy(&x, &r->x);
    x.t += ahead[k];
    for (int i = 0; i < sys->nv; i++) d[i] = ahead[k] * x.v[i];
    tr_retract(sys, r->x.q, d, x.q);
    found = tr_project(&p, &x, NULL, &why) == TR_INCONSISTENT && strstr(why.text, " contradict");
    if (!found) continue;
    for (const char *line = why.text; *line; line += strcspn(line, "\n") + 1)
      if (strstr(line, " contradict")) // these come first
        tr_fail(error, TR_FAILED, NULL, "%.*s", (int)strcspn(line, "\n"), line);
    tr_fail(error, TR_FAILED, NULL,
            "step from t = %.9g s failed: the constraints cannot all hold at t = %.9g s", r->x.t,
            x.t);
  }
  p.kkt->mask = mask;
  tr_state_free(sys, &x);
  tr_resize(sys->al, d, 0);
  return found;
}

// ---- words ----------------------------------------------------------------------------------------

// "body "x", angle": what a velocity belongs to.
void tr_run_tell_coordinate(const tr_run *r, int worst, char *text, size_t room) {
  text[0] = 0;
  for (int i = 0; i < r->sys->nbody; i++) {
    const sys_body *b = &r->sys->body[i];
    if (worst < b->v || worst >= b->v + b->nv) continue;
    const char *const *names = b->type->coordinate_names;
    int n = 0;
    while (names && names[n]) n++;
    const char *name = worst - b->v < n ? names[worst - b->v] : NULL;
    snprintf(text, room, "%s \"%s\"%s%s", r->sys->number[b->v] ? b->type->name : "body", b->name,
             name ? ", " : "", name ? name : "");
  }
}

bool tr_run_below_round_off(const tr_run *r) {
  const tr_control_settings *c = &r->settings.control;
  return c->tol > 0 && c->tol < (c->velocities ? ROUND_V : ROUND);
}

// Where a failed iteration moved the accelerations most.
static int moved_most(const tr_run *r) {
  int worst = 0;
  double most = 0;
  for (int i = 0; i < r->sys->nv; i++) {
    double c = fabs(r->next.v[i] - r->x.v[i]);
    if (!(c <= most)) most = isfinite(c) ? c : INFINITY, worst = i;
  }
  return worst;
}

// The largest factor by which accelerations answer to a change of positions, or of velocities, which keeps
// the constraints: power iteration on differences. z (3 nv): the change, then room.
static double answer(tr_projector *p, tr_state *x, bool velocity, double *z) {
  const tr_system *sys = p->sys;
  int n = sys->nv;
  double *a = z + n, *d = a + n, eps = 1e-7, factor = 0;
  tr_state y;
  if (tr_state_new(sys, &y, NULL) != TR_OK) return 0;
  for (int i = 0; i < n; i++) z[i] = 1 + 0.3 * (i % 7);
  for (int k = 0; k < POWER; k++) {
    double length = vec_norm(z, n);
    if (!(length > 0) || !isfinite(length)) break;
    for (int i = 0; i < n; i++) z[i] /= length, d[i] = eps * z[i];
    tr_state_copy(&y, x);
    if (velocity)
      for (int i = 0; i < n; i++) y.v[i] += d[i];
    else
      tr_retract(sys, x->q, d, y.q);
    if (tr_solve_accelerations(p, &y, a, y.lam) != TR_OK) break;
    for (int i = 0; i < n; i++) z[i] = (a[i] - x->a[i]) / eps;
    factor = vec_norm(z, n);
  }
  tr_state_free(sys, &y);
  return factor;
}

// Forces too fast for the step of an explicit method: seen from the start, since here all is lost. Under step control
// h is the longest step that was accepted: its error was small, what it multiplies was still smaller. surely: only where they
// must, and by a force of the model; coordinates have rates of their own.
static bool tell_stiff(const tr_run *r, double h, bool surely, tr_error *error) {
  const tr_system *sys = r->sys;
  tr_projector p = r->projector;
  tr_state x = {0};
  const char *name = "";
  char where[160];
  bool fixed = !(r->settings.control.tol > 0);
  double rate = 0, limit = fixed && !surely ? FASTEST : UNSTABLE;
  bool told = false;
  int worst = 0;
  size_t n = 3 * (size_t)sys->nv + (size_t)sys->nmass;
  double *z = r->step->method->direct ? tr_resize(sys->al, NULL, (n + 1) * sizeof *z) : NULL;
  if (!z || tr_state_new(sys, &x, NULL) != TR_OK) goto done;
  if (tr_solve_accelerations(&p, &x, x.a, x.lam) != TR_OK) goto done;
  double damping = answer(&p, &x, true, z), force;
  for (int i = 1; i < sys->nv; i++)
    if (fabs(z[i]) > fabs(z[worst])) worst = i;
  double stiffness = sqrt(answer(&p, &x, false, z));
  if (stiffness > damping)
    for (int i = worst = 0; i < sys->nv; i++)
      if (fabs(z[i]) > fabs(z[worst])) worst = i;
  rate = fmax(damping, stiffness);
  if (!(h * rate > limit)) goto done;
  tr_run_tell_coordinate(r, worst, where, sizeof where);
  tr_kinematics(r->work, x.t, x.q, x.v, x.mem, TR_AT_VELOCITY);
  force = tr_probe_fastest(r->work, z + 3 * sys->nv, &name);
  bool known = force > 0.1 * rate;
  told = known || !surely;
  if (!told) goto done;
  tr_fail(error, TR_FAILED, NULL,
          "at t = %.9g s numbers explode: h = %.3g s is too long for an explicit method, since %s "
          "is moved by forces within %.2g s%s%s%s, %.3g rad/s; take %s below that, or an implicit "
          "method",
          r->x.t, h, where, 1 / rate, known ? " (force \"" : "", known ? name : "",
          known ? "\")" : "", rate, fixed ? "a step" : "a largest step (--max-step)");
done:
  tr_state_free(sys, &x);
  tr_resize(sys->al, z, 0);
  return told;
}

// A body whose inertia is lost in its deformation, at the state or where the step would go.
static bool tell_lost(const tr_run *r, double h, tr_error *error) {
  const tr_system *sys = r->sys;
  const tr_state *x[] = {&r->next, &r->x};
  const char *body = NULL;
  double *room = tr_resize(sys->al, NULL, ((size_t)sys->nmass + 1) * sizeof *room);
  for (int i = 0; room && i < 2 && !body; i++) {
    tr_kinematics(r->work, x[i]->t, x[i]->q, x[i]->v, x[i]->mem, TR_AT_VELOCITY);
    body = tr_mass_lost(r->work, tr_mass_blocks(r->work, room));
  }
  tr_resize(sys->al, room, 0);
  if (body)
    tr_fail(error, TR_FAILED, NULL,
            "step from t = %.9g s with h = %.3g s failed: body \"%s\" is deformed so far that its "
            "mass matrix is no longer positive definite: give it fewer modes or make several of "
            "it; methods that do not invert the mass (hht-i3) may go on",
            r->x.t, h, body);
  return body;
}

// Coordinates that end here, for this step or, when control has cut it to nothing, a little ahead.
static bool tell_trouble(const tr_run *r, double h, tr_error *error) {
  const double ahead = fmax(h, AHEAD * (r->settings.end - r->first_t));
  const char *body, *trouble = tr_trouble(r->sys, &r->next, h, &body);
  if (!trouble) trouble = tr_trouble(r->sys, &r->x, ahead, &body);
  if (!trouble && tr_run_turns(r, h, &body))
    trouble =
        "it turns by more than half a turn besides what its velocity made of the step, and joints "
        "lose count of "
        "the turns; a smaller step may help";
  if (trouble)
    tr_fail(error, TR_FAILED, NULL, "step from t = %.9g s with h = %.3g s failed: body \"%s\": %s",
            r->x.t, h, body, trouble);
  return trouble;
}

// What may help where a step of length h failed and no cause is known; "" where nothing is.
static const char *advise(const tr_run *r, double h) {
  const tr_method *m = r->step->method;
  const tr_control_settings *c = &r->settings.control;
  if (m->alternates && m->alternates(r->step->par))
    return "; without numerical damping its accelerations oscillate ever more from step to step: "
           "give it some (alpha, gamma, rho)";
  if (c->tol > 0)
    return c->min_step > 0 ? "; shorter steps are not allowed (min-step)"
                           : "; no shorter step makes a difference";
  if (r->settings.newton.fixed_iterations > 0)
    return "; a smaller step may help, or as many iterations as it takes (no --newton-iterations)";
  return h > SMALLEST * (r->settings.end - r->first_t) ? "; a smaller step may help" : "";
}

// A tolerance that asks for more than the arithmetic has.
static bool tell_round_off(const tr_run *r, double h, const char *where, tr_error *error) {
  double tol = r->settings.control.tol, floor = tol > 0 ? tr_run_round_off(r) : 0;
  if (!(tol < floor)) return false;
  tr_fail(error, TR_FAILED, NULL,
          "at t = %.9g s the step fell to %.3g s: %sround-off moves positions by %.1g, which hides "
          "whether %s is within the tolerance, %.3g; ask for %.1g",
          r->x.t, h, floor > NEARLY_SINGULAR ? "next to a singular position " : "", floor, where,
          tol, 2 * floor);
  return true;
}

// A state that was left open next to a singular position, by more than may be put right.
static bool tell_open(const tr_run *r, double h, tr_error *error) {
  double tol = r->settings.control.tol;
  if (!(r->left_open > 0) || r->closed_t != r->x.t) return false;
  tr_fail(error, TR_FAILED, NULL,
          "at t = %.9g s the step fell to %.3g s: next to a singular position the constraints are "
          "open, and closing them moves bodies by %.1g, far more than the tolerance, %.3g; ask for "
          "%.1g, or start elsewhere",
          r->x.t, h, r->left_open, tol, ENOUGH * r->left_open);
  return true;
}

// What forces and drives bring beyond what potentials give, x (T, V) being looked at some time before and after:
//   P = v'Q + d(T + V)/dt at this v + lam' Phi_t
static double power(const tr_run *r, double time, tr_state *x) {
  const tr_system *s = r->sys;
  double T[2], V[2], P = 0, *d = r->work->x, *Q = r->projector.r;
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < s->nv; i++) d[i] = (k ? time : -time) * r->x.v[i];
    tr_retract(s, r->x.q, d, x->q);
    tr_kinematics(r->work, r->x.t, x->q, r->x.v, r->x.mem, TR_AT_VELOCITY);
    tr_energy(r->work, &T[k], &V[k]);
  }
  tr_kinematics(r->work, r->x.t, r->x.q, r->x.v, r->x.mem, TR_AT_BIAS);
  tr_forces(r->work, NULL, Q, NULL); // -Q
  for (int i = 0; i < s->nv; i++) P -= s->number[i] ? 0 : Q[i] * r->x.v[i];
  memset(x->v, 0, (size_t)s->nv * sizeof *x->v);
  tr_kinematics(r->work, r->x.t, r->x.q, x->v, r->x.mem, TR_AT_VELOCITY);
  tr_rates(r->work, Q);
  for (int i = 0; i < s->nc; i++) P += s->of_number[i] ? 0 : Q[i] * r->x.lam[i];
  return P + (T[1] + V[1] - T[0] - V[0]) / (2 * time);
}

// A light body that heavy ones whip on takes what these have: no force feeds M_ii v_i a_i. Explicit steps that are too
// long may, and others that are undamped, which shows in the energy.
bool tr_run_whipped(const tr_run *r, int i) {
  double T, V, doubles = fabs(r->x.v[i] / r->x.a[i]), P;
  tr_state x;
  if (r->step->method->direct || tr_run_gained(r)) return false;
  if (tr_state_new(r->sys, &x, NULL) != TR_OK) return false;
  P = power(r, 0.1 * doubles, &x);
  x.v[i] = r->x.v[i];
  tr_kinematics(r->work, r->x.t, r->x.q, x.v, r->x.mem, TR_AT_VELOCITY);
  tr_energy(r->work, &T, &V);
  tr_state_free(r->sys, &x);
  return P < FED * 2 * T / doubles;
}

bool tr_run_runaway(const tr_run *r, tr_error *error) {
  int fastest = 0;
  char where[160];
  for (int i = 1; i < r->sys->nv; i++)
    if (!r->sys->number[i] && fabs(r->x.v[i]) > fabs(r->x.v[fastest])) fastest = i;
  double v = r->sys->nv > 0 ? fabs(r->x.v[fastest]) : 0, times = v / fmax(1, r->first_speed);
  double doubles = v > 0 ? v / fabs(r->x.a[fastest]) : INFINITY;
  double part = doubles / (r->x.t - r->first_t);
  bool pole = times > FASTER && part < AT_ONCE;
  if (r->growing < GROWING || !(pole || (times > RUNAWAY && part < SUDDEN))) return false;
  double ahead = AHEAD * (r->settings.end - r->first_t);
  // angles that run away next to their singularity are no motion
  const char *body, *trouble = tr_trouble(r->sys, &r->x, ahead, &body);
  if (trouble) {
    tr_fail(error, TR_FAILED, NULL, "step from t = %.9g s failed: body \"%s\": %s", r->x.t, body,
            trouble);
    return true;
  }
  if (tr_run_whipped(r, fastest)) return false;
  const char *force = tr_run_largest_force(r);
  if (!force && (tr_run_not_finite(r, ahead, error) || tell_contradiction(r, ahead, error)))
    return true;
  tr_run_tell_coordinate(r, fastest, where, sizeof where);
  tr_fail(
      error, TR_FAILED, NULL,
      "at t = %.9g s the motion runs away: %s has a velocity of %.3g, which doubles within %.2g "
      "s%s%s%s%s",
      r->x.t, where, v, doubles, force ? "; force \"" : "", force ? force : "",
      force ? "\" is the largest; " : "",
      !force ? ""
      : pole ? "a force that grows without bound towards a place (1/x) has a pole there"
             : "a force that grows with what it drives has no end");
  return true;
}

// A run that began where motions are free to first order only ends there, or bounces.
static bool tell_locked(const tr_run *r, double h, tr_error *error) {
  if (r->locked)
    tr_fail(
        error, TR_FAILED, NULL,
        "step from t = %.9g s with h = %.3g s failed: the position is locked from the start on, "
        "motions are free to first order only, and it takes infinite reactions to bear a load "
        "along them; make it longer or shorter, or elastic",
        r->x.t, h);
  return r->locked;
}

// The same where only some are.
static bool tell_held(const tr_run *r, double h, tr_error *error) {
  if (r->held)
    tr_fail(error, TR_FAILED, NULL,
            "step from t = %.9g s with h = %.3g s failed: the position was partly locked at the "
            "start: motions across joint \"%s\" and what it repeats are free to first order only, "
            "and it takes infinite reactions to bear a load along them; make these longer or "
            "shorter, or elastic",
            r->x.t, h, r->held);
  return r->held;
}

bool tr_run_is_jammed(const tr_run *r, double h, tr_error *error) {
  return r->top_speed > JAMMED * fmax(1, r->first_speed) && tell_locked(r, h, error);
}

// Counted iterations that the accelerations of the start lead astray: a run without them, tried, gets past here.
static bool tell_start(const tr_run *r, double h, tr_error *error) {
  tr_run_settings s = r->settings;
  int count = s.newton.fixed_iterations;
  tr_run *other = NULL;
  if (count == 0 || s.zero_start || r->given || r->info.steps > EARLY) return false;
  s.method = r->info.method, s.zero_start = true, s.audit = false, s.threads = 1;
  s.end = fmin(s.end, r->x.t + BEYOND * h);
  bool helps =
      tr_run_new(r->sys, &s, NULL, &other, NULL) == TR_OK && tr_run_all(other, NULL) == TR_OK;
  tr_run_free(other);
  if (helps)
    tr_fail(error, TR_FAILED, NULL,
            "step from t = %.9g s with h = %.3g s failed: from the accelerations at the start %d "
            "Newton iteration%s a step %s nowhere; begun at zero (--zero-start) the run gets past "
            "here; a smaller step may help too, or as many iterations as it takes",
            r->x.t, h, count, count > 1 ? "s" : "", count > 1 ? "lead" : "leads");
  return helps;
}

// No constraint repeats others where the step begins.
static bool all_independent(const tr_run *r) {
  tr_projector p = r->projector;
  const tr_mask *mask = p.kkt->mask;
  bool independent = false;
  if (tr_all_independent(&p, &r->x, &independent) != TR_OK) independent = false;
  p.kkt->mask = mask;
  return independent;
}

// Why a step failed: of constraints and reactions only where there are any.
static const char *reason(const tr_run *r, tr_status why, bool constrained) {
  bool direct = r->step->method->direct;
  if (why == TR_NOT_FINITE) return "numbers are no longer finite";
  if (why == TR_SINGULAR && constrained && all_independent(r))
    return "the matrix became singular, though constraints are independent where the step begins: "
           "it is too long for this motion";
  if (why == TR_SINGULAR)
    return constrained ? "the matrix is singular (redundant constraints or a singular position)"
                       : "the matrix is singular";
  if (!direct) return "Newton's iteration does not converge";
  return constrained ? "its constraints are torn open" : "it makes energy of nothing";
}

// An explicit method came where the equation of a state or a variable has no solution.
static bool tell_unsettled(const tr_run *r, double h, tr_error *error) {
  char where[160];
  if (!r->step->method->direct || r->step->unsettled < 0) return false;
  tr_run_tell_coordinate(r, r->step->unsettled, where, sizeof where);
  tr_fail(error, TR_FAILED, NULL,
          "step from t = %.9g s with h = %.3g s failed: no value of %s was found that fits its "
          "law%s",
          r->x.t, h, where, advise(r, h));
  return true;
}

static tr_status explain(const tr_run *r, tr_status why, double h, tr_error *error) {
  char jump[300], where[160];
  if (why < 0)
    return tr_fail(error, why, NULL, "step from t = %.9g s: %s", r->x.t, tr_status_text(why));
  if (tr_run_tell_failed(r, h, error)) return TR_FAILED;
  if (why == TR_NO_CONVERGENCE && tell_unsettled(r, h, error)) return TR_FAILED;
  bool fixed = !(r->settings.control.tol > 0);
  double longest = fixed ? h : r->info.largest_step;
  if (tell_locked(r, h, error) || tr_run_runaway(r, error) || tell_start(r, h, error))
    return TR_FAILED;
  // numbers that must explode bring bodies into any trouble
  if (fixed && tell_stiff(r, h, true, error)) return TR_FAILED;
  if (tell_trouble(r, h, error) || tell_lost(r, h, error) || tell_stiff(r, longest, false, error))
    return TR_FAILED;
  double ahead = fmax(h, AHEAD * (r->settings.end - r->first_t));
  if (why == TR_NOT_FINITE && tr_run_not_finite(r, ahead, error)) return TR_FAILED;
  tr_run_tell_jump(r, h, TRIES, jump, sizeof jump);
  if (!jump[0] && (tell_contradiction(r, h, error) || tell_held(r, h, error))) return TR_FAILED;
  tr_run_tell_coordinate(r, moved_most(r), where, sizeof where);
  if (!jump[0] && why == TR_NO_CONVERGENCE && tell_round_off(r, h, where, error)) return TR_FAILED;
  if (!jump[0] && tell_open(r, h, error)) return TR_FAILED;
  const tr_method *m = r->step->method;
  bool constrained = false;
  for (int i = 0; i < r->sys->nc; i++) constrained |= !r->sys->of_number[i];
  bool limited = m->limit && constrained && !jump[0];
  return tr_fail(error, TR_FAILED, NULL,
                 "step from t = %.9g s with h = %.3g s failed: %s, worst for %s%s%s%s%s", r->x.t, h,
                 reason(r, why, constrained), where, jump[0] ? jump : advise(r, h),
                 limited ? "; " : "", limited ? m->info.name : "", limited ? m->limit : "");
}

static tr_status explain_collapse(const tr_run *r, int worst, double h, tr_error *error) {
  char jump[300], where[160];
  if (tell_locked(r, h, error) || tr_run_runaway(r, error) || tell_trouble(r, h, error) ||
      tell_stiff(r, r->info.largest_step, false, error))
    return TR_FAILED;
  double ahead = fmax(h, AHEAD * (r->settings.end - r->first_t));
  if (r->settings.control.min_step == 0 && tr_run_not_finite(r, ahead, error)) return TR_FAILED;
  tr_run_tell_coordinate(r, worst, where, sizeof where);
  tr_run_tell_jump(r, h, TRIES, jump, sizeof jump);
  if (!jump[0] && (tell_contradiction(r, h, error) || tell_held(r, h, error))) return TR_FAILED;
  if (r->settings.control.min_step > 0)
    return tr_fail(
        error, TR_FAILED, NULL,
        "at t = %.9g s the error of %s needs a step below the smallest allowed, %.3g s%s", r->x.t,
        where, h, jump);
  if (!jump[0] && (tell_round_off(r, h, where, error) || tell_open(r, h, error))) return TR_FAILED;
  return tr_fail(error, TR_FAILED, NULL,
                 "at t = %.9g s the step fell to %.3g s: the error of %s does not fall with it%s",
                 r->x.t, h, where,
                 jump[0]                     ? jump
                 : tr_run_below_round_off(r) ? "; the tolerance is near round-off, ask for less"
                                             : ", as at a singular position");
}

// Whoever explains borrows the matrix; its numbers are not the steps'.
static void take_back(const tr_run *r, const tr_kkt *then) {
  tr_kkt *k = &r->step->kkt;
  k->factorisations = then->factorisations, k->refactorisations = then->refactorisations;
  k->solves = then->solves;
}

tr_status tr_run_explain(const tr_run *r, tr_status why, double h, tr_error *error) {
  tr_kkt counts = r->step->kkt;
  tr_status status = explain(r, why, h, error);
  take_back(r, &counts);
  return status;
}

tr_status tr_run_collapse(const tr_run *r, int worst, double h, tr_error *error) {
  tr_kkt counts = r->step->kkt;
  tr_status status = explain_collapse(r, worst, h, error);
  take_back(r, &counts);
  return status;
}

tr_status tr_run_stall(const tr_run *r, double h, tr_error *error) {
  char jump[300];
  tr_run_tell_jump(r, h, 2, jump, sizeof jump);
  if (!jump[0]) return TR_OK;
  return tr_fail(error, TR_FAILED, NULL, "at t = %.9g s steps of %.3g s lead nowhere, %ld so far%s",
                 r->x.t, h, r->info.steps, jump);
}
