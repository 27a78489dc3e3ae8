// SPDX-License-Identifier: Apache-2.0
// The one-step map of a method, linearised by differences of the real stepper.
//
// What a method carries from step to step is z = (q, v, a, its rooms, the past of multistep methods). A
// reference run from x takes as many steps as it needs to have all of that, to z_0; the next one leads to
// z_1. With central differences of size delta,
//   A u = (F(z_0 + delta u) - F(z_0 - delta u)) / (2 delta),   in coordinates about z_1
// where q differs by increments. Not every z is one that runs meet: off the constraint manifold a method
// has modes of its own, which say nothing about the model. Hence A is looked at only on the smallest
// invariant space that holds what runs from consistent starts x o exp(delta t), t in the null space of G
// (and the same for v; of the rows that constrain positions where others constrain velocities alone), have after their first step: Arnoldi's process on that block, to its end. The
// eigenvalues of A on this space are the ones that runs can show.
//
// Blocks of z are scaled (q, h v, h^2 a; rooms by what they do to these; states and variables one by one), for the
// orthogonalisation, and so that round-off is nowhere multiplied by the gains of a controller.
//
// Where h omega is small all roots of the motion are next to 1, and A, near [1 1; 0 1], tells them only to the square root of
// the noise. There they come from runs alone: the coordinates y of runs from consistent starts near by, after as many
// steps as a method's own modes take to fade, and P steps later,
//   Y_P = H Y_0,   roots w = lambda(H)^(1/P)
// The modes of its own do not depend on h there: they are those of Arnoldi's process at the longest such step.
#include <math.h>
#include <string.h>

#include "linear.h"
#include "step/step.h"
#include "trammel/analysis.h"

// What is left of a vector is noise below this, over the size of the differences.
static const double NOISE = 3e-12;
static const double FAST =
    1e-2;            // m/s or rad/s: no more is added to velocities, whose squares are forces
enum { ROOMS = 32 }; // no method has more
// Steps are short below this h omega, roots of the motion are as near to 1 as this, and nothing moves where velocities and
// accelerations are that small.
static const double SHORT_STEP = 5e-3, APART = 0.1, STILL = 1e-6;
// Steps until a method's own modes have faded; their most, and the angle of the fastest mode, for the roots.
enum { FADE = 100, MOST_STEPS = 1000 };
static const double ANGLE = 0.5;

typedef struct map {
  const tr_system *sys;
  tr_step *step;
  tr_arena *ar;
  double h, delta;
  double used;           // size of the last difference
  int rooms, n;          // n = (3 + rooms) nv
  int leading;           // steps of a run until it is settled
  tr_state x0, x1;       // scratch
  tr_state z0, z1;       // states of the reference run
  double *room0, *room1; // (rooms nv) and what the method remembers there
  double *block_size;    // (n) largest entries of the block
  double *scale;         // (n)
  double *plus, *minus;  // (n) scratch
} map;

// ---- z <-> state ------------------------------------------------------------------------------------

// The vectors behind what the method remembers; how many.
static int find_rooms(const map *m, double **out) {
  const tr_method *type = m->step->method;
  for (int k = 0; k < type->vectors; k++) out[k] = m->step->room[k];
  return type->vectors + (type->past ? type->past(m->step, out + type->vectors) : 0);
}

static void get_rooms(const map *m, double *out) {
  double *room[ROOMS];
  int n = find_rooms(m, room);
  for (int k = 0; k < n && k < m->rooms; k++)
    memcpy(out + (size_t)k * m->sys->nv, room[k], (size_t)m->sys->nv * sizeof *out);
}

// After a start at x.
static void set_rooms(const map *m, const tr_state *x, const double *in) {
  double *room[ROOMS];
  const tr_method *type = m->step->method;
  if (type->resume) type->resume(m->step, x, m->h, m->rooms - type->vectors);
  find_rooms(m, room);
  for (int k = 0; k < m->rooms; k++)
    memcpy(room[k], in + (size_t)k * m->sys->nv, (size_t)m->sys->nv * sizeof *in);
}

// The increment of one body from q0 to q1: (B' B)^-1 B' (q1 - q0), B = d(retract)/d(increment).
static tr_status body_increment(const map *m, const sys_body *b, const double *q0, const double *q1,
                                double *d) {
  if (!b->type->retract) {
    for (int i = 0; i < b->nv; i++) d[i] = b->nq > 0 ? q1[i] - q0[i] : 0; // variables have none
    return TR_OK;
  }
  tr_arena ar = tr_arena_make(m->sys->al);
  int n = b->nv, nq = b->nq;
  double *B = TR_NEW(&ar, n * nq, double), *N = TR_NEW(&ar, n * n, double);
  double *e = TR_NEW(&ar, n, double), *p = TR_NEW(&ar, nq, double);
  tr_status status = B && N && e && p ? TR_OK : TR_NO_MEMORY;
  for (int j = 0; j < n && status == TR_OK; j++)
    for (int sign = 1; sign >= -1; sign -= 2) {
      e[j] = sign * 1e-5;
      b->type->retract(b->par, q0, e, p);
      for (int i = 0; i < nq; i++) B[j * nq + i] += sign * p[i] / 2e-5;
      e[j] = 0;
    }
  for (int j = 0; j < n && status == TR_OK; j++) {
    d[j] = 0;
    for (int i = 0; i < nq; i++) d[j] += B[j * nq + i] * (q1[i] - q0[i]);
    for (int k = 0; k < n; k++)
      for (int i = 0; i < nq; i++) N[j * n + k] += B[j * nq + i] * B[k * nq + i];
  }
  if (status == TR_OK) status = tr_dense_solve(n, N, 1, d);
  tr_arena_free(&ar);
  return status;
}

// z of (x, rooms of the step) about (x0, room0).
static tr_status difference(const map *m, const tr_state *x0, const double *room0,
                            const tr_state *x, double *z) {
  int nv = m->sys->nv;
  for (int i = 0; i < m->sys->nbody; i++) {
    const sys_body *b = &m->sys->body[i];
    TR_TRY(body_increment(m, b, x0->q + b->q, x->q + b->q, z + b->v));
  }
  get_rooms(m, z + 3 * (size_t)nv);
  for (int i = 0; i < nv; i++) {
    z[nv + i] = x->v[i] - x0->v[i];
    z[2 * nv + i] = x->a[i] - x0->a[i];
  }
  for (int i = 0; i < m->rooms * nv; i++) z[3 * nv + i] -= room0[i];
  return TR_OK;
}

// One step from x0 to x1. A perturbation is small, and Newton's tolerance relative to it may lie below
// round-off: then a wider one.
static tr_status take_step(map *m, const tr_state *x0, tr_state *x1) {
  static const double tols[] = {1e-14, 1e-10, 1e-8};
  tr_status status = TR_OK;
  for (int k = 0; k < 3; k++) {
    m->step->settings.tol = tols[k];
    status = tr_step_try(m->step, x0, m->h, x1);
    if (status != TR_NO_CONVERGENCE) break;
  }
  if (status == TR_OK) tr_step_accept(m->step, x0, x1);
  return status;
}

// The first steps from x0, which gets lost, to x1.
static tr_status lead(map *m, tr_state *x0, tr_state *x1) {
  TR_TRY(tr_step_begin(m->step, x0));
  for (int k = 0; k < m->leading; k++) {
    if (k > 0) tr_state_copy(x0, x1);
    TR_TRY(take_step(m, x0, x1));
  }
  return TR_OK;
}

// One step from z_0 + f u; out: z about z_1.
static tr_status step_from(map *m, double f, const double *u, double *out) {
  int nv = m->sys->nv;
  tr_state_copy(&m->x0, &m->z0);
  for (int i = 0; i < nv; i++) out[i] = f * u[i];
  tr_retract(m->sys, m->z0.q, out, m->x0.q);
  for (int i = 0; i < nv; i++) m->x0.v[i] += f * u[nv + i], m->x0.a[i] += f * u[2 * nv + i];
  TR_TRY(tr_step_begin(m->step, &m->x0));
  for (int i = 0; i < m->rooms * nv; i++) out[i] = m->room0[i] + f * u[3 * nv + i];
  set_rooms(m, &m->x0, out);
  m->step->last_h = m->h;
  TR_TRY(take_step(m, &m->x0, &m->x1));
  return difference(m, &m->z1, m->room1, &m->x1, out);
}

// A u; u in scaled coordinates, out likewise.
static tr_status apply(map *m, const double *u, double *out) {
  double *raw = out; // u unscaled, for a while
  double most = 0, fastest = 0;
  int nv = m->sys->nv;
  for (int i = 0; i < m->n; i++) {
    raw[i] = m->scale[i] > 0 ? u[i] / m->scale[i] : 0;
    most = fmax(most, fabs(u[i]));
    // a number itself, which may be large, counts like a velocity
    if (i < 2 * nv && m->sys->number[i % nv] == (i < nv)) fastest = fmax(fastest, fabs(raw[i]));
  }
  double f = fmin(m->delta / most, FAST / fastest);
  m->used = f;
  TR_TRY(step_from(m, f, raw, m->plus));
  TR_TRY(step_from(m, -f, raw, m->minus));
  double bent = 0, size = 1; // bent: 0 of a linear map
  for (int i = 0; i < m->n; i++) {
    out[i] = m->scale[i] * (m->plus[i] - m->minus[i]) / (2 * f);
    bent = fmax(bent, m->scale[i] * fabs(m->plus[i] + m->minus[i]) / (2 * f));
    size = fmax(size, fabs(out[i]));
  }
  return bent < 0.1 * size ? TR_OK : TR_NO_CONVERGENCE; // one of them went elsewhere
}

// ---- the block --------------------------------------------------------------------------------------

// First step from a consistent start near x: direction t in q (or in v), times f; out: z about z_0.
static tr_status start_near(map *m, const tr_state *x, const double *t, bool velocity, double f,
                            double *out) {
  int nv = m->sys->nv;
  tr_state_copy(&m->x0, x);
  for (int i = 0; i < nv; i++) out[i] = f * t[i];
  if (velocity)
    for (int i = 0; i < nv; i++) m->x0.v[i] += out[i] / m->h;
  else
    tr_retract(m->sys, x->q, out, m->x0.q);
  TR_TRY(tr_consistent_start(m->sys, &m->x0, NULL, NULL));
  TR_TRY(lead(m, &m->x0, &m->x1));
  return difference(m, &m->z0, m->room0, &m->x1, out);
}

static tr_status make_block(map *m, const tr_state *x, const tr_modes *modes, double *block) {
  for (int k = 0; k < modes->n; k++) {
    bool velocity = k >= modes->fq;
    const double *T = velocity ? modes->T : modes->Tq;
    const double *t = T + (size_t)(velocity ? k - modes->fq : k) * m->sys->nv;
    double f = velocity ? fmin(m->delta, FAST * m->h) : m->delta;
    TR_TRY(start_near(m, x, t, velocity, f, m->plus));
    TR_TRY(start_near(m, x, t, velocity, -f, m->minus));
    for (int i = 0; i < m->n; i++)
      block[(size_t)k * m->n + i] = (m->plus[i] - m->minus[i]) / (2 * f);
  }
  return TR_OK;
}

// What u, a part of a room, does to (q, h v, h^2 a) in a step; base: the step without it. One that does nothing, or the same
// forth and back, which is noise, is scratch and is left out (0).
static tr_status find_effect(map *m, const double *u, double size, const double *base,
                             double *out) {
  double f = m->delta * size, effect = 0, noise = 0;
  *out = 0;
  if (size == 0) return TR_OK;
  TR_TRY(step_from(m, f, u, m->plus));
  TR_TRY(step_from(m, -f, u, m->minus));
  for (int i = 0; i < 3 * m->sys->nv; i++) {
    effect = fmax(effect, m->scale[i] * fabs(m->plus[i] - m->minus[i]) / (2 * f));
    noise = fmax(noise, m->scale[i] * fabs(m->plus[i] + m->minus[i] - 2 * base[i]) / (2 * f));
  }
  if (effect * size > 0.1 * NOISE / m->delta && effect > 3 * noise) *out = effect;
  return TR_OK;
}

// The room in block k, scaled by that: its part of the bodies, and of each state and variable, whose units are their own.
static tr_status scale_room(map *m, int k, double *u, const double *base) {
  int nv = m->sys->nv;
  const bool *number = m->sys->number;
  for (int first = 0, bodies = 0; first < nv; first++) {
    bool alone = number[first];
    int last = alone ? first + 1 : nv;
    if (!alone && bodies++) continue;
    double size = 0, effect;
    for (int i = first; i < last; i++)
      if (number[i] == alone) {
        size = fmax(size, fabs(m->block_size[k * nv + i]));
        u[k * nv + i] = i % 2 ? 1 : -1.3;
      }
    TR_TRY(find_effect(m, u, size, base, &effect));
    for (int i = first; i < last; i++)
      if (number[i] == alone) u[k * nv + i] = 0, m->scale[k * nv + i] = effect;
  }
  return TR_OK;
}

// A state or a variable may answer to velocities, or be answered, with any gain: it is counted in units of what the runs make of it.
static void scale_numbers(map *m) {
  int nv = m->sys->nv;
  for (int i = 0; i < nv; i++) {
    double size = 0;
    for (int k = i; k < 3 * nv && m->sys->number[i]; k += nv)
      size = fmax(size, m->scale[k] * m->block_size[k]);
    for (int k = i; k < 3 * nv && size > 0; k += nv) m->scale[k] /= size;
  }
}

static tr_status make_scale(map *m) {
  int nv = m->sys->nv, n = m->n;
  double *u = TR_NEW(m->ar, n, double), *base = TR_NEW(m->ar, n, double);
  if (!u || !base) return TR_NO_MEMORY;
  for (int i = 0; i < n; i++) m->scale[i] = i < nv ? 1 : i < 2 * nv ? m->h : m->h * m->h;
  scale_numbers(m);
  TR_TRY(step_from(m, 0, u, base));
  for (int k = 3; k < 3 + m->rooms; k++) TR_TRY(scale_room(m, k, u, base));
  return TR_OK;
}

// ---- Arnoldi ----------------------------------------------------------------------------------------

static tr_status spectrum(map *m, const tr_state *x, const tr_modes *modes, double complex **w,
                          int *found) {
  int n = m->n, count = 0, block = modes->n, most = n < 400 ? n : 400;
  double *Z = TR_NEW(m->ar, (size_t)block * n, double);
  double *V = TR_NEW(m->ar, ((size_t)most + 1) * n, double);
  double *AV = TR_NEW(m->ar, (size_t)most * n, double);
  if (!Z || !V || !AV) return TR_NO_MEMORY;
  TR_TRY(make_block(m, x, modes, Z));
  for (int k = 0; k < block; k++)
    for (int i = 0; i < n; i++)
      m->block_size[i] = fmax(m->block_size[i], fabs(Z[(size_t)k * n + i]));
  TR_TRY(make_scale(m));
  for (int k = 0; k < block; k++) {
    for (int i = 0; i < n; i++) Z[(size_t)k * n + i] *= m->scale[i];
    double same = NOISE / (k < modes->fq ? m->delta : fmin(m->delta, FAST * m->h));
    if (count < most && tr_extend_basis(n, V, count, Z + (size_t)k * n, same)) count++;
  }
  for (int k = 0; k < count; k++) {
    TR_TRY(apply(m, V + (size_t)k * n, AV + (size_t)k * n));
    double same = NOISE / m->used;
    if (count < most && tr_extend_basis(n, V, count, AV + (size_t)k * n, same)) count++;
  }
  double *H = TR_NEW(m->ar, (size_t)count * count, double);
  *w = TR_NEW(m->ar, count, double complex);
  if (!H || !*w) return TR_NO_MEMORY;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++)
      H[(size_t)i * count + j] = tr_dot(n, V + (size_t)i * n, AV + (size_t)j * n);
  *found = count;
  return tr_eigenvalues(m->ar, count, H, *w);
}

// ---- life -------------------------------------------------------------------------------------------

// Steps until the method remembers all it ever will.
static tr_status find_lead(map *m, const tr_state *x) {
  double *room[ROOMS];
  tr_state_copy(&m->x0, x);
  TR_TRY(tr_step_begin(m->step, &m->x0));
  for (int last = -1; last != m->rooms; m->leading++) {
    last = m->rooms;
    TR_TRY(take_step(m, &m->x0, &m->x1));
    tr_state_copy(&m->x0, &m->x1);
    m->rooms = find_rooms(m, room);
  }
  if (m->leading > 1) m->leading--; // the last one brought nothing new
  return TR_OK;
}

static tr_status prepare(map *m, const tr_state *x, const tr_mask *mask, const char *method,
                         tr_error *error) {
  const tr_method *type;
  void *par;
  tr_newton_settings newton = tr_run_defaults().newton;
  newton.reuse = false, newton.max_iterations = 50;
  TR_TRY(tr_method_parse(m->ar, method, &type, &par, error));
  TR_TRY(tr_step_new(m->sys, type, par, &newton, NULL, &m->step, error));
  m->step->kkt.mask = m->step->projection.mask = mask;
  m->step->start = TR_START_PLAIN; // q''' by differences is no smooth function of the start
  tr_state *state[] = {&m->x0, &m->x1, &m->z0, &m->z1};
  for (int k = 0; k < 4; k++) TR_TRY(tr_state_new(m->sys, state[k], error));
  TR_TRY(find_lead(m, x));
  m->n = (3 + m->rooms) * m->sys->nv;
  m->room0 = TR_NEW(m->ar, m->n, double), m->room1 = TR_NEW(m->ar, m->n, double);
  m->scale = TR_NEW(m->ar, m->n, double), m->block_size = TR_NEW(m->ar, m->n, double);
  m->plus = TR_NEW(m->ar, m->n, double), m->minus = TR_NEW(m->ar, m->n, double);
  if (!m->room0 || !m->room1 || !m->scale || !m->block_size || !m->plus || !m->minus)
    return TR_NO_MEMORY;
  // the reference run, and one step more
  tr_state_copy(&m->x0, x);
  TR_TRY(lead(m, &m->x0, &m->z0));
  get_rooms(m, m->room0);
  TR_TRY(take_step(m, &m->z0, &m->z1));
  get_rooms(m, m->room1);
  return TR_OK;
}

static void release(map *m) {
  tr_state *state[] = {&m->x0, &m->x1, &m->z0, &m->z1};
  for (int k = 0; k < 4; k++) tr_state_free(m->sys, state[k]);
  tr_step_free(m->step);
}

static tr_status spectrum_of_step(tr_arena *ar, const tr_system *sys, const tr_state *x,
                                  const tr_modes *modes, const char *method, double h, double delta,
                                  double complex **w, int *n, tr_error *error) {
  map m = {.sys = sys, .ar = ar, .h = h, .delta = delta};
  *n = 0;
  tr_status status = prepare(&m, x, modes->mask, method, error);
  if (status == TR_OK && modes->n > 0) status = spectrum(&m, x, modes, w, n);
  release(&m);
  return status;
}

// ---- short steps ------------------------------------------------------------------------------------

static tr_status walk(map *m, int steps, tr_state *x) {
  for (int k = 0; k < steps; k++) {
    TR_TRY(take_step(m, x, &m->x1));
    tr_state_copy(x, &m->x1);
  }
  return TR_OK;
}

// y (n) of x about x0: free directions of places, then of velocities times tau.
static tr_status free_coordinates(map *m, const tr_modes *modes, double tau, const tr_state *x0,
                                  const tr_state *x, double *y) {
  int nv = m->sys->nv;
  TR_TRY(difference(m, x0, m->room0, x, m->plus));
  for (int k = 0; k < modes->fq; k++) y[k] = tr_dot(nv, modes->Tq + (size_t)k * nv, m->plus);
  for (int k = 0; k < modes->f; k++)
    y[modes->fq + k] = tau * tr_dot(nv, modes->T + (size_t)k * nv, m->plus + nv);
  return TR_OK;
}

// Y (n) += sign y, of the run from x moved by f along direction k, after FADE steps and after P more.
static tr_status follow_run(map *m, const tr_state *x, const tr_modes *modes, int k, double f,
                            double tau, int P, const tr_state *at[2], double *Y0, double *Y1) {
  bool velocity = k >= modes->fq;
  const double *t = velocity ? modes->T + (size_t)(k - modes->fq) * m->sys->nv
                             : modes->Tq + (size_t)k * m->sys->nv;
  double *y = m->minus, sign = f > 0 ? 1 : -1;
  tr_state_copy(&m->x0, x);
  for (int i = 0; i < m->sys->nv; i++) m->plus[i] = f * t[i];
  if (velocity)
    for (int i = 0; i < m->sys->nv; i++) m->x0.v[i] += m->plus[i] / tau;
  else
    tr_retract(m->sys, x->q, m->plus, m->x0.q);
  TR_TRY(tr_consistent_start(m->sys, &m->x0, NULL, NULL));
  TR_TRY(tr_step_begin(m->step, &m->x0));
  TR_TRY(walk(m, FADE, &m->x0));
  TR_TRY(free_coordinates(m, modes, tau, at[0], &m->x0, y));
  for (int i = 0; i < modes->n; i++) Y0[i] += sign * y[i];
  TR_TRY(walk(m, P, &m->x0));
  TR_TRY(free_coordinates(m, modes, tau, at[1], &m->x0, y));
  for (int i = 0; i < modes->n; i++) Y1[i] += sign * y[i];
  return TR_OK;
}

static tr_status roots_of_runs(map *m, const tr_state *x, const tr_modes *modes,
                               double complex *w) {
  int n = modes->n, P = (int)fmin(MOST_STEPS, fmax(FADE, ANGLE / (m->h * modes->omega)));
  double tau = 1 / modes->omega;
  const tr_state *at[2] = {&m->z0, &m->z1};
  double *Y0 = TR_NEW(m->ar, (size_t)n * n, double), *Y1 = TR_NEW(m->ar, (size_t)n * n, double);
  if (!Y0 || !Y1) return TR_NO_MEMORY;
  tr_state_copy(&m->z0, x);
  TR_TRY(tr_step_begin(m->step, &m->z0));
  TR_TRY(walk(m, FADE, &m->z0));
  tr_state_copy(&m->z1, &m->z0);
  TR_TRY(walk(m, P, &m->z1));
  for (int k = 0; k < n; k++) {
    double f = k < modes->fq ? m->delta : FAST * tau, *row = Y0 + (size_t)k * n;
    for (int sign = 1; sign >= -1; sign -= 2)
      TR_TRY(follow_run(m, x, modes, k, sign * f, tau, P, at, row, Y1 + (size_t)k * n));
    for (int i = 0; i < n; i++) row[i] /= 2 * f, Y1[(size_t)k * n + i] /= 2 * f;
  }
  TR_TRY(tr_dense_solve(n, Y0, n, Y1)); // rows are runs: H'
  TR_TRY(tr_eigenvalues(m->ar, n, Y1, w));
  for (int i = 0; i < n; i++) w[i] = cexp(clog(w[i]) / P);
  return TR_OK;
}

// Nothing moves at x: runs stay there.
static bool rests(const tr_system *sys, const tr_state *x) {
  double most = 0;
  for (int i = 0; i < sys->nv; i++)
    if (!sys->number[i]) most = fmax(most, fmax(fabs(x->v[i]), fabs(x->a[i])));
  return most < STILL && !sys->rheonomic;
}

tr_status tr_step_spectrum(tr_arena *ar, const tr_system *sys, const tr_state *x,
                           const tr_modes *modes, const char *method, double h, double delta,
                           double complex **w, int *n, tr_error *error) {
  double slow = h * modes->omega / SHORT_STEP;
  if (!(slow < 1 && slow > 0) || !rests(sys, x))
    return spectrum_of_step(ar, sys, x, modes, method, h, delta, w, n, error);
  double complex *own;
  int count;
  TR_TRY(spectrum_of_step(ar, sys, x, modes, method, h / slow, delta, &own, &count, error));
  map m = {.sys = sys, .ar = ar, .h = h, .delta = delta};
  *n = modes->n, *w = TR_NEW(ar, modes->n + count, double complex);
  tr_status status = *w ? prepare(&m, x, modes->mask, method, error) : TR_NO_MEMORY;
  if (status == TR_OK) status = roots_of_runs(&m, x, modes, *w);
  for (int i = 0; status == TR_OK && i < count; i++)
    if (cabs(own[i] - 1) > APART) (*w)[(*n)++] = own[i];
  if (*w) release(&m);
  return status;
}
