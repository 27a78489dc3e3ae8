// SPDX-License-Identifier: Apache-2.0
// What a run did so far, and what its user should know of it: velocities that go to and fro, energy from nowhere, noise.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ahead.h"

// Fading count of changes the other way, and how many of them are worth a look: one in four steps; steps between two
// looks.
static const double SWING_FADE = 0.9, SWINGS = 2.5;
enum { LEAST_PAUSE = 16, SELDOM = 8 }; // steps; of all so far, one part in so many
// How far to look, when again, how far apart it must be then, and until when that tells anything, in steps.
enum { SWUNG = 4, AGAIN = 9, APART = 2, SOON = 12 };
// Steps cut to less than this part of what was tried, so many of them, are worth a look, then each time there are twice
// as many.
static const double CUT = 0.125;
enum { CUTS = 2 };
static const double CREPT = 30;    // tolerances, worth a word
static const double NOISE = 1e-6;  // of the velocities, worth a word
static const double FEW = 0.05;    // of the steps
static const double RESTS = 100;   // times that: no velocities but noise
static const double ACROSS = 0.01; // of the velocities may be across the constraints
// With so much of them there, and so much of the largest there were, it is no motion of the mechanism. |G v| has metres for
// radians: it tells where there is nothing to look for, by levers as short as that.
static const double LOST = 0.25, LOST_OF_TOP = 0.05, LEAST_LEVER = 1e-6;
// Steps in which that may have grown; coarse ones are off by as much from the first.
enum { GROWN = 50 };
// Of the largest kinetic energy came from nowhere: a good part, next to all.
static const double SPURIOUS = 0.1, ALL = 0.8;
static const double FALL = 0.05;   // of it lost within a few steps, with nothing to take it
static const double TRIFLE = 1e-6; // of the energy, and in J: what round-off and tolerances may do
static const double LEAST_ENERGY = 1e-9;
static const double PUMPED = 1e3; // of the energy at the start: worth a word

// Dry friction by sign() makes some methods go to and fro across rest, with steps that all succeed. Velocities that
// change the other way every few steps are worth a look for a jump, now and then. What jumps only once, the last time some
// steps ago, is not what they swing about.
typedef struct tr_swing {
  double *last, *often; // (nv) how velocities changed in the last step; how often the other way
  int pause;            // steps until the next look may follow
  tr_jump found;        // by the last look,
  long found_at;        // at this step
  char jump[300];       // what was found twice
  double *crept;        // (nv) ways in steps that go to and fro across rest,
  double last_h;        // and the last of these
  double *path;         // (nv) ways since the velocities changed their signs
  double widest;        // half of the longest such way, over the scale of its coordinate
  tr_ahead p;
} tr_swing;

tr_status tr_swing_make(tr_run *r, tr_error *error) {
  tr_swing *w = r->swing = TR_NEW(&r->arena, 1, tr_swing);
  int n = r->sys->nv;
  if (!w || !tr_ahead_make(r, &w->p)) return tr_no_memory(error);
  w->last = TR_NEW(&r->arena, 4 * n, double);
  if (!w->last) return tr_no_memory(error);
  w->often = w->last + n, w->path = w->often + n, w->crept = w->path + n;
  return TR_OK;
}

void tr_swing_free(tr_run *r) {
  if (r->swing && r->swing->p.r) tr_ahead_free(&r->swing->p);
}

// A way that goes on counts whole.
static void measure_ways(tr_run *r, double h) {
  tr_swing *w = r->swing;
  const double *before = r->next.v, *now = r->x.v;
  for (int i = 0; i < r->sys->nv; i++) {
    double size = r->step->scale_q[i];
    w->path[i] += 0.5 * h * (before[i] + now[i]);
    bool turns = (before[i] > 0) != (now[i] > 0);
    w->widest = fmax(w->widest, fabs(w->path[i]) / (turns ? 2 * size : size));
    if (turns) w->path[i] = 0;
  }
}

// Dry friction with a narrow transition, but no jump: explicit steps that are longer than it bears go to and fro across rest,
// about a mean that creeps with h times the acceleration, while positions pass. There forces change, between stages or from
// one end of the step to the other, by more than would stop the body.
static void watch_creep(tr_run *r, double h) {
  tr_swing *w = r->swing;
  const double *kick = r->step->kick;
  for (int i = 0; i < r->sys->nv; i++) {
    double size = fmax(fabs(r->x.v[i]), fabs(r->next.v[i]));
    if (r->sys->number[i] || w->often[i] < SWINGS || !(fabs(kick[i]) > size)) continue;
    w->crept[i] += h * size, w->last_h = h;
  }
}

void tr_swing_watch(tr_run *r, double h) {
  tr_swing *w = r->swing;
  double most = 0;
  if (r->settings.control.tol > 0) measure_ways(r, h);
  for (int i = 0; i < r->sys->nv; i++) {
    double dv = r->x.v[i] - r->next.v[i];
    w->often[i] = SWING_FADE * w->often[i] + (dv * w->last[i] < 0);
    w->last[i] = dv;
    most = fmax(most, w->often[i]);
  }
  if (most >= SWINGS && r->step->kick) watch_creep(r, h);
  if (w->pause > 0) w->pause--;
  if (most < SWINGS || w->pause > 0 || w->jump[0]) return;
  // no further than bodies are still known to turn
  double span = SWUNG * h, rate = tr_run_turning(r, r->x.v), bend = tr_run_turning(r, r->x.a);
  while (span * (rate + 0.5 * span * bend) > 1) span *= 0.5;
  tr_jump jump = tr_ahead_find_jump(&w->p, &r->x, span, 1);
  bool again = jump.part && jump.part == w->found.part && jump.t > w->found.t + APART * h &&
               r->info.steps <= w->found_at + SOON;
  if (again) tr_jump_tell(&jump, w->jump, sizeof w->jump);
  w->pause = jump.part ? AGAIN : (int)fmax(LEAST_PAUSE, (double)r->info.steps / SELDOM);
  w->found = jump, w->found_at = r->info.steps;
}

void tr_run_watch_cut(tr_run *r, double tried, double h) {
  tr_cuts *c = &r->cuts;
  if (!(h < CUT * tried) || ++c->count < CUTS || (c->count & (c->count - 1)) != 0) return;
  tr_ahead p;
  if (tr_ahead_make(r, &p)) {
    tr_jump jump = tr_ahead_find_jump(&p, &r->x, tried, 1);
    bool again = jump.part && c->of && !strcmp(c->of, jump.part->name);
    if (again) tr_jump_tell(&jump, c->jump, sizeof c->jump);
    if (jump.part) c->of = jump.part->name;
  }
  tr_ahead_free(&p);
}

// No forces but weight, springs and dampers, no bodies by callbacks, which may hide some, no constraints that could move or
// want velocities: energy can only fall.
static bool nothing_drives(const tr_system *sys) {
  bool alone = sys->nevent == 0 && sys->nnumber == 0 && sys->nvelocity == 0;
  for (int i = 0; i < sys->nbody; i++) alone &= sys->body[i].type->coordinate_names != NULL;
  for (int i = 0; i < sys->njoint; i++) alone &= sys->joint[i].ops->phi_t == NULL;
  for (int i = 0; i < sys->nforce; i++) {
    const tr_force_type *type = sys->force[i].type;
    alone &= type->passive && type->passive(sys->force[i].e.par);
  }
  return alone;
}

// Energy from nowhere that is this part of the largest motion there was.
static bool gained(const tr_run *r, double part) {
  double most = fmax(part * r->most_kinetic, TRIFLE * fabs(r->info.energy0));
  return r->settings.audit && r->gain > fmax(most, LEAST_ENERGY) && nothing_drives(r->sys);
}

bool tr_run_gained(const tr_run *r) { return gained(r, SPURIOUS); }

// Control keeps positions within the tolerance step by step, and a stiff force that is off by that has any energy. Where
// next to all the motion there was is of that kind, it is no result, unless no motion is wider than the tolerance: then it
// is as good as was asked for, and a note tells.
static bool pumped(const tr_run *r, tr_error *error) {
  bool fast = r->sys->nforce > 0;
  double tol = r->settings.control.tol;
  for (int i = 0; i < r->sys->nbody; i++) fast |= r->sys->body[i].type->modes != NULL;
  if (!(tol > 0) || !r->step->method->direct || !fast || !gained(r, ALL)) return false;
  if (r->swing->widest <= tol) return false;
  tr_fail(
      error, TR_FAILED, NULL,
      "the energy grew by %.2g J from %.2g J until t = %.9g s, and nothing is there that could "
      "bring it: forces are too fast for an explicit method at this tolerance; take an implicit "
      "one, or a much smaller tolerance",
      r->gain, r->energy1, r->x.t);
  return true;
}

static const char *finer(const tr_run *r) {
  return r->settings.control.tol > 0 ? "take a smaller tolerance" : "take shorter ones";
}

// A good part of the motion.
static bool note_gain(tr_run *r, char *note, size_t room) {
  if (!tr_run_gained(r)) return false;
  bool direct = r->step->method->direct;
  snprintf(note, room,
           "the energy grew by %.2g J from %.2g J, and nothing is there that could bring it: the "
           "steps%s do; %s, or %s\n",
           r->gain, r->energy1, direct ? " of an explicit method" : "", finer(r),
           direct ? "an implicit one" : "more numerical damping");
  return true;
}

// Joints alone take no energy, but that of velocities across them, where the run may begin with some. Methods do, where motions are
// too fast for their steps.
static bool note_fall(tr_run *r, char *note, size_t room) {
  bool rigid = r->settings.consistent_start && r->sys->nforce == 0 && nothing_drives(r->sys);
  for (int i = 0; i < r->sys->nbody; i++) rigid &= r->sys->body[i].type->modes == NULL;
  if (!r->settings.audit || !rigid || !(r->fall > FALL * r->most_kinetic)) return false;
  if (!(r->fall > fmax(TRIFLE * fabs(r->info.energy0), LEAST_ENERGY))) return false;
  snprintf(note, room,
           "until t = %.9g s the energy fell by %.2g J within a few steps, and nothing is there "
           "that could take it: the steps are too long for what happens there; %s\n",
           r->fall_t, r->fall, finer(r));
  return true;
}

// How far velocities are from their constraints: a look aside, which is no part of the run's counts. Uses r->next.
static double find_across(tr_run *r) {
  tr_start_info info;
  tr_projector p;
  if (r->info.steps == 0 || r->sys->nc == 0 || !tr_run_aside(r, &p)) return 0;
  tr_state_copy(&r->next, &r->x);
  p.again = true;
  return tr_project(&p, &r->next, &info, NULL) == TR_OK ? info.moved_v : 0;
}

// With little damping, on index 3, velocities across the constraints alternate ever more where links turn far in a step. Once
// they are a good part of all there are it is no result.
static bool astray(tr_run *r, tr_error *error) {
  double speed = vec_largest(r->x.v, r->sys->nv);
  for (int i = 0; i < r->sys->njoint; i++)
    if (r->sys->joint[i].ops->phi_t) return false; // the end may be at a kink of a drive
  double lever =
      r->step->method->direct ? 1 : LEAST_LEVER; // explicit ones creep where all is locked
  if (!r->settings.audit || r->info.steps < GROWN || !(r->info.max_phi_v > lever * LOST * speed))
    return false;
  double across = find_across(r);
  if (!(across > LOST * speed && across > LOST_OF_TOP * r->top_speed)) return false;
  tr_fail(
      error, TR_FAILED, NULL,
      "at t = %.9g s velocities have gone astray across the constraints, by %.2g of %.2g: %s is "
      "unstable at such steps here; %s, more numerical damping, or a method that holds velocities "
      "(hht-si2)",
      r->x.t, across, speed, r->step->method->info.name, finer(r));
  return true;
}

bool tr_run_made_up(tr_run *r, tr_error *error) { return pumped(r, error) || astray(r, error); }

bool tr_run_tell_astray(tr_run *r, tr_error *error) {
  tr_error now = {0};
  if (!astray(r, &now)) return false;
  if (!error || !strstr(error->text, now.text))
    tr_fail(error, TR_FAILED, NULL, "%.*s", (int)strcspn(now.text, "\n"), now.text);
  return true;
}

// Undamped on index 3 velocities across the constraints alternate ever more, until they are as large as those along them.
static bool note_drift(tr_run *r, char *note, size_t room) {
  const tr_method *m = r->step->method;
  if (!m->alternates || !m->alternates(r->step->par)) return false;
  double speed = vec_largest(r->x.v, r->sys->nv), across = find_across(r);
  if (!(across > ACROSS * r->top_speed)) return false;
  snprintf(
      note, room,
      "velocities have gone astray across the constraints, by %.2g of %.2g: without numerical "
      "damping accelerations "
      "oscillate ever more from step to step on index 3; give it some (alpha, gamma, rho), or take "
      "gen-alpha:index=2,rho=1, which needs none\n",
      across, speed);
  return true;
}

// An explicit method on a mode that is too fast for its steps may go on for ever, with small positions and absurd
// velocities.
static bool note_energy(tr_run *r, char *note, size_t room) {
  if (note_gain(r, note, room) || note_fall(r, note, room)) return true;
  double change = r->info.max_energy_change, times = change / fabs(r->info.energy0);
  if (!r->step->method->direct || !(times > PUMPED) || !isfinite(times)) return false;
  snprintf(note, room,
           "the energy changed by %.2g J, %.2g times what it was: if no drive or force brings that "
           "much, "
           "the steps of an explicit method do; compare with an implicit one\n",
           change, times);
  return true;
}

// The shortest step but for a few: single ones, next to times that were to be hit, are forgotten with the next.
static double usual_shortest(const tr_run *r) {
  long left = (long)fmax(1, FEW * (double)r->info.steps);
  int i = 0;
  for (int k = 0; k < TR_LENGTHS && left >= 0; k++) {
    if (r->lengths[k].n > 0) i = k;
    left -= r->lengths[k].n;
  }
  return r->lengths[i].n > 0 ? r->lengths[i].shortest : r->info.smallest_step;
}

// Velocities are differences of positions in methods that enforce those alone. Where all rests there are none to
// compare with but those that would move things within the run.
static void note_noise(tr_run *r, char *note, size_t room) {
  bool positions = strcmp(r->step->method->info.levels, "position") == 0;
  if (!positions || r->sys->nc == 0 || r->info.steps == 0) return;
  double q = fmax(1, vec_largest(r->x.q, r->sys->nq));
  double v = fmax(r->fastest, vec_largest(r->x.v, r->sys->nv));
  if (!(DBL_EPSILON * q > NOISE * v * r->info.smallest_step)) return; // nor with any longer step
  double h = usual_shortest(r), noise = DBL_EPSILON * q / h;
  if (v < RESTS * noise) v = fmax(v, q / (r->settings.end - r->first_t));
  if (!(noise > NOISE * v)) return;
  snprintf(
      note, room,
      "steps of %.2g s are so short that the round-off of positions, eps |q|/h = %.2g, shows in "
      "velocities and reactions; methods that enforce velocities too (hht-si2) have far less of "
      "it\n",
      h, noise);
}

// Steps jump over a pole that is closer than their length or tolerance, or past the end of a motion that runs away.
static bool note_leap(tr_run *r, char *note, size_t room) {
  char where[160];
  bool controlled = r->settings.control.tol > 0;
  if (isnan(r->leap.t) || (controlled && r->step->method->direct)) return false;
  tr_run_tell_coordinate(r, r->leap.of, where, sizeof where);
  snprintf(
      note, room,
      "in the step from t = %.9g s the velocity of %s went from %.3g to %.3g, far beyond what it "
      "was before: see whether %s agrees; a force may have a pole there\n",
      r->leap.t, where, r->leap.from, r->leap.to,
      controlled ? "a smaller tolerance" : "a smaller step or error control");
  return true;
}

// Steps rejected and iterations ended by round-off, both again and again: shorter steps have no smaller errors.
static bool note_round_off(tr_run *r, char *note, size_t room) {
  const tr_control_settings *c = &r->settings.control;
  long floors = r->step->newton.stagnations, often = r->info.steps / 20;
  if (!tr_run_below_round_off(r) || floors <= often || r->info.rejected <= often || often == 0)
    return false;
  snprintf(
      note, room,
      "%ld steps were rejected and %ld iterations ended at round-off: a tolerance of %.2g%s is "
      "below what round-off lets steps keep here, and costs far more of them; ask for less\n",
      r->info.rejected, floors, c->tol, c->velocities ? " on velocities" : "");
  return true;
}

static size_t note_swing(const tr_run *r, char *note, size_t room) {
  const tr_swing *w = r->swing;
  char where[160];
  int most = 0;
  if (w && w->jump[0]) // "; force .."
    return (size_t)snprintf(note, room, "velocities go to and fro every few steps%s\n", w->jump);
  if (!w || !(r->settings.control.tol > 0) || r->sys->nv == 0) return 0;
  for (int i = 0; i < r->sys->nbody; i++) // modes swing all the time
    if (r->sys->body[i].type->modes) return 0;
  const double *size = r->step->scale_q;
  for (int i = 0; i < r->sys->nv; i++)
    if (w->crept[i] / size[i] > w->crept[most] / size[most]) most = i;
  if (!(w->crept[most] > CREPT * r->settings.control.tol * size[most])) return 0;
  tr_run_tell_coordinate(r, most, where, sizeof where);
  return (size_t)snprintf(
      note, room,
      "velocities go to and fro every few steps: what acts on %s changes faster than steps of "
      "%.2g s of an explicit method can follow, and where dry friction should hold it it creeps; "
      "take an implicit method, or a largest step (--max-step) far below that\n",
      where, w->last_h);
}

void tr_run_note(tr_run *r) {
  size_t room = sizeof r->note;
  const tr_method *m = r->step->method;
  r->note[0] = 0;
  size_t n = note_swing(r, r->note, room);
  if (n == 0 && r->cuts.jump[0]) // "; force .."
    n = (size_t)snprintf(r->note, room,
                         "steps were cut short %ld times, and what is left of the jumps on the way "
                         "falls with the root of the tolerance%s\n",
                         r->cuts.count, r->cuts.jump);
  if (r->sys->nreaction > 0 && m->alternates && m->alternates(r->step->par))
    n += (size_t)snprintf(r->note + n, room - n,
                          "reactions alternate from step to step with this method, and so do laws "
                          "that read them, whatever the step: take one with numerical damping\n");
  char *note = r->note + n;
  if (note_round_off(r, note, room - n)) return;
  // energy tells more than leaps do, where there are no forces that may have poles
  if (r->sys->nforce == 0 && (note_drift(r, note, room - n) || note_energy(r, note, room - n)))
    return;
  if (note_leap(r, note, room - n) || note_drift(r, note, room - n) ||
      note_energy(r, note, room - n))
    return;
  note_noise(r, note, room - n);
}

tr_run_info tr_run_describe(const tr_run *r) {
  tr_run_info i = r->info;
  const tr_newton *n = &r->step->newton;
  i.t = r->x.t;
  i.cpu_s += (double)r->unwatched * r->step_cpu, i.wall_s += (double)r->unwatched * r->step_took;
  i.mean_phi = r->settings.audit && i.steps > 0 ? r->phi_sum / (double)i.steps : NAN;
  i.notes = r->note;
  if (!(r->settings.control.tol > 0)) i.newton_failures = r->step->failures;
  i.newton_iterations = n->iterations;
  i.residuals = n->residuals;
  i.jacobians = n->matrices;
  i.stagnations = n->stagnations;
  const tr_kkt *kkt[] = {&r->step->kkt, &r->step->projection};
  for (int k = 0; k < 2; k++) {
    i.factorisations += kkt[k]->factorisations + kkt[k]->refactorisations;
    i.refactorisations += kkt[k]->refactorisations;
    i.solves += kkt[k]->solves;
  }
  return i;
}
