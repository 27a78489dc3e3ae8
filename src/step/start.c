// SPDX-License-Identifier: Apache-2.0
// Projection onto the constraints in the mass metric.
//
//   positions      [M G'; G 0] (d, .) = (0, Phi),        q <- q o exp(-d), repeated
//   velocities     [M G'; G 0] (d, .) = (0, G v + Phi_t), v <- v - d
// Rows of velocities have no part in the first; in the second they are Gam(v, q, t), which may be curved in
// v: Newton's method, with shorter steps where it goes astray.
// What is kept has a large mass (kept.h). Coordinates of deformations have one, too, but give way.
//
// Levenberg and Marquardt: a step that turns a body too far, or opens the constraints further, is tried
// again with a larger eps, [M G'; G -eps]. So a start in the neighbourhood stays on its branch, also
// where G is nearly singular or its rows repeat each other only once it is closed.
#include "kept.h"
#include "math/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 60, FEW = 4, MAX_HALVINGS = 8, MOST_NAMED = 6 };
static const double KEEP_WEIGHT = 1e8; // rows that mix coordinates leave eps times this in the rest
static const double MODE_WEIGHT = 1e6; // on coordinates of deformations
static const double REGULAR = 1e-10;   // eps, of 1/largest mass, where steps are good
static const double MOST_REGULAR = 1e4;
static const double NEAR_SINGULAR =
    1e-15; // where G has so little in some direction that eps is larger
// With more unknowns KLU takes so long that a larger eps, up to this, is the better way.
enum { LARGE = 2000 };
static const double LARGE_REGULAR = 1e-2;
static const double MOST_TURN =
    0.5;                          // rad, of a body in one step: longer ones lead to other branches
static const double STUCK = 1e-9; // of the positions: good enough where bars only just reach

// Deformations move only where nothing else can.
static void make_stiff(const tr_system *s, const sys_body *b, double *values) {
  int modes = b->type->modes ? b->type->modes(b->par, NULL) : 0;
  for (int i = b->v + b->nv - modes; i < b->v + b->nv; i++)
    values[tr_pattern_slot(&s->pattern, i, i)] *= MODE_WEIGHT;
}

// [M G'; G -eps] with kept coordinates heavy, factored.
static tr_status factor_projection(tr_projector *p, const tr_state *x, bool velocity, double eps) {
  TR_TRY(tr_kkt_hold(p->kkt));
  p->weight = KEEP_WEIGHT * tr_regular_matrix(p, x, eps);
  tr_kept_weigh(p, velocity, p->kkt->values);
  for (int i = 0; !p->again && i < p->sys->nbody; i++)
    make_stiff(p->sys, &p->sys->body[i], p->kkt->values);
  if (!velocity && p->sys->nvelocity > 0)
    tr_silence_rows(p->sys, p->sys->of_velocity, p->kkt->values);
  if (!velocity && p->loose) tr_silence_rows(p->sys, p->loose, p->kkt->values);
  p->kkt->only_blocks = p->sys->pattern.n > LARGE && eps >= REGULAR && eps < LARGE_REGULAR;
  tr_status status = tr_factor_regular(p);
  p->kkt->only_blocks = false;
  return status;
}

static double position_gap(tr_projector *p, const tr_state *x, double *phi) {
  tr_kinematics(p->work, x->t, x->q, x->v, x->mem, TR_AT_POSITION);
  tr_forces(p->work, NULL, NULL, phi);
  tr_clear_velocity_rows(p->sys, phi);
  for (int i = 0; p->loose && i < p->sys->nc; i++)
    if (p->loose[i]) phi[i] = 0;
  return vec_norm(phi, p->sys->nc);
}

static double velocity_gap(tr_projector *p, const tr_state *x, double *gap) {
  tr_kinematics(p->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_rates(p->work, gap);
  return vec_norm(gap, p->sys->nc);
}

static int worst_row(const tr_system *s, const double *gap) {
  int worst = 0;
  for (int i = 1; i < s->nc; i++)
    if (!(fabs(gap[i]) <= fabs(gap[worst]))) worst = i;
  return worst;
}

// Names the constraint that is worst off.
static tr_status blame(const tr_projector *p, const double *gap, const char *what,
                       tr_error *error) {
  const tr_system *s = p->sys;
  int worst = worst_row(s, gap);
  double t = p->work->t;
  const char *kind, *name = tr_row_owner(s, worst, &kind);
  bool finite = s->nc == 0 || isfinite(gap[worst]);
  if (!finite && tr_tell_failed(p->work, t, t, "", TR_INCONSISTENT, error)) return TR_INCONSISTENT;
  if (!finite)
    return tr_fail(error, TR_INCONSISTENT, NULL, "%s \"%s\": its residual is not a finite number",
                   kind, name);
  return tr_fail(error, TR_INCONSISTENT, NULL, "%s \"%s\": %s (residual %.3g)", kind, name, what,
                 s->nc > 0 ? gap[worst] : 0.0);
}

// All that stay open by more than a hundredth of the worst, after the worst itself.
static void name_open(const tr_system *s, const double *gap, tr_error *error) {
  int named = 0, worst = worst_row(s, gap);
  for (int i = 0; i < s->nblock; i++) {
    sys_block block;
    const sys_block *b = tr_block(s, i, &block);
    double open = vec_norm(gap + b->row, b->rows);
    if (!(open > 0.01 * fabs(gap[worst])) || (worst >= b->row && worst < b->row + b->rows))
      continue;
    const char *kind, *name = tr_row_owner(s, b->row, &kind);
    if (named++ < MOST_NAMED)
      tr_fail(error, TR_INCONSISTENT, NULL, "%s \"%s\": stays open by %.3g", kind, name, open);
  }
  if (named > MOST_NAMED)
    tr_fail(error, TR_INCONSISTENT, NULL, "and %d more stay open", named - MOST_NAMED);
}

// Why: constraints that contradict each other, which stay open, and what is kept.
static tr_status not_assembled(tr_projector *p, const tr_state *x, double *phi, tr_error *error) {
  tr_redundancy r = {0};
  tr_text text = {.al = p->sys->al};
  if (!error) return TR_INCONSISTENT;
  tr_kinematics(p->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  if (tr_find_redundancy(p->work, p->arena, 0, NULL, &r) == TR_OK && r.count > 0 &&
      tr_redundancy_text(p->sys, &r, "contradict", &text) == TR_OK)
    for (const char *line = text.data; *line; line += strcspn(line, "\n") + 1)
      tr_fail(error, TR_INCONSISTENT, NULL, "%.*s", (int)strcspn(line, "\n"), line);
  tr_text_free(&text);
  blame(p, phi, p->again ? "cannot be closed" : "cannot be assembled from the given start", error);
  name_open(p->sys, phi, error);
  tr_kept_name(p, false, error);
  return TR_INCONSISTENT;
}

// The correction at x into p->r.
static tr_status correction(tr_projector *p, const tr_state *x, const double *given, double eps) {
  const tr_system *s = p->sys;
  tr_status status = factor_projection(p, x, false, eps);
  position_gap(p, x, p->r + s->nv);
  memset(p->r, 0, (size_t)s->nv * sizeof *p->r);
  tr_kept_pull(p, false, given, p->r);
  if (status == TR_OK) status = tr_kkt_solve(p->kkt, 1, p->r);
  if (status == TR_OK) tr_kept_hold(p, false, given, p->r);
  return status;
}

// x.q <- q0 o exp(-d) with the smallest eps that is good, or `once` with the first that has a solution. The new gap;
// not below the old one: none is.
static double move(tr_projector *p, tr_state *x, double *q0, const double *given, double gap,
                   bool once, double *eps, tr_status *status) {
  const tr_system *s = p->sys;
  memcpy(q0, x->q, (size_t)s->nq * sizeof *q0);
  for (;; *eps *= *eps < 1e-6 ? 1e4 : 10) {
    *status = correction(p, x, given, *eps);
    if (*status == TR_OK && tr_carried_turn(s, q0, p->r) <= MOST_TURN) {
      for (int i = 0; i < s->nv; i++) p->work->x[i] = -p->r[i];
      tr_carry(s, q0, p->work->x, x->q, NULL);
      double now = position_gap(p, x, p->r + s->nv);
      if (now < gap) {
        for (int i = 0; i < s->nv; i++) p->work->x[i] = -p->r[i];
        tr_carry(s, q0, p->work->x, x->q, x->v);
        return now;
      }
      memcpy(x->q, q0, (size_t)s->nq * sizeof *q0);
    }
    bool found = *status != TR_SINGULAR || *eps >= LARGE_REGULAR;
    if ((once && found) || *eps >= MOST_REGULAR) return gap;
  }
}

static tr_status project_positions(tr_projector *p, tr_state *x, double *room, double *given,
                                   tr_start_info *info, tr_error *error) {
  const tr_system *s = p->sys;
  double *phi = p->r + s->nv, eps = REGULAR;
  double scale = fmax(1, vec_largest(x->q, s->nq));
  double gap = info->phi_before = position_gap(p, x, phi);
  tr_kept_values(p, false, given);
  double done = 4 * DBL_EPSILON * scale * sqrt(fmax(1, s->nc));
  int most = p->patience > 0 ? p->patience : MAX_ITERATIONS;
  while (gap > done || !isfinite(gap)) {
    if (info->iterations++ == most && gap <= STUCK * scale) break;
    if (info->iterations > most || !isfinite(gap)) return not_assembled(p, x, phi, error);
    tr_status status;
    double now = move(p, x, room, given, gap, gap <= 1e3 * done, &eps, &status);
    if (now >= gap) { // no progress: at round-off, or stuck
      position_gap(p, x, phi);
      if (gap <= fmax(1e3 * done, STUCK * scale)) break;
      if (status != TR_OK)
        return blame(p, phi, "cannot be assembled: the equations are singular", error);
      return not_assembled(p, x, phi, error);
    }
    gap = now, eps = fmax(REGULAR, eps / 10);
  }
  info->phi_after = gap;
  return TR_OK;
}

// v <- v - f d, d in p->r; with rows of velocities, unless told to go all the way, f is halved until the
// gap shrinks.
static double change(tr_projector *p, tr_state *x, bool whole, double before, double *gap) {
  const tr_system *s = p->sys;
  double *v0 = p->work->x, f = 1, now = before;
  memcpy(v0, x->v, (size_t)s->nv * sizeof *v0);
  for (int k = 0; k <= MAX_HALVINGS; k++, f *= 0.5) {
    for (int i = 0; i < s->nv; i++) x->v[i] = v0[i] - f * p->r[i];
    now = velocity_gap(p, x, gap);
    if (now < before || s->nvelocity == 0 || whole) break;
  }
  return now;
}

// Rows that repeat each other have nothing but eps for a pivot, which light bodies make small.
static tr_status factor_velocities(tr_projector *p, const tr_state *x, double eps) {
  tr_status status;
  while ((status = factor_projection(p, x, true, eps)) == TR_SINGULAR && eps < LARGE_REGULAR)
    eps *= 100;
  return status;
}

// Newton's iteration until the gap no longer shrinks; whole steps may first open it, above `good`.
static tr_status close_velocities(tr_projector *p, tr_state *x, double *given, bool whole,
                                  double good, double *gap, double *left) {
  const tr_system *s = p->sys;
  double now = velocity_gap(p, x, gap), last = INFINITY, done = 1e-6 * good;
  bool curved = s->nvelocity > 0;
  int most = curved ? MAX_ITERATIONS : 2 * FEW;
  for (int k = 0; k < most && (curved ? now > 0 : now > (k < FEW ? done : good)); k++) {
    if (curved && !(now < last) && !(whole && now > good)) break;
    double eps = curved || k < FEW ? REGULAR : NEAR_SINGULAR;
    if ((curved || k % FEW == 0) && factor_velocities(p, x, eps) != TR_OK) return TR_FAILED;
    last = now = velocity_gap(p, x, gap);
    memset(p->r, 0, (size_t)s->nv * sizeof *p->r);
    tr_kept_pull(p, true, given, p->r);
    if (tr_kkt_solve(p->kkt, 1, p->r) != TR_OK) return TR_FAILED;
    tr_kept_hold(p, true, given, p->r);
    now = change(p, x, whole, last, gap);
  }
  *left = now;
  return now <= good ? TR_OK : TR_FAILED;
}

// Short steps keep to the solution that is near. Where they get stuck, as at a variable of a steep law
// behind others, whole ones are tried from the beginning: a chain of explicit laws takes one for each link.
static tr_status project_velocities(tr_projector *p, tr_state *x, const double *v0, double *given,
                                    tr_start_info *info, tr_error *error) {
  const tr_system *s = p->sys;
  double *gap = p->r + s->nv;
  double now = info->phi_v_before = velocity_gap(p, x, gap);
  double size = fmax(vec_largest(x->v, s->nv), now);
  double good = 1e6 * 16 * DBL_EPSILON * size * sqrt(fmax(1, s->nc));
  tr_status status = close_velocities(p, x, given, false, good, gap, &info->phi_v_after);
  if (status != TR_OK && s->nnumber > 0) {
    memcpy(x->v, v0, (size_t)s->nv * sizeof *x->v);
    status = close_velocities(p, x, given, true, good, gap, &info->phi_v_after);
  }
  if (status == TR_OK) return TR_OK;
  blame(p, gap,
        s->nc > 0 && s->of_number[worst_row(s, gap)] ? "no value of it was found that fits its law"
                                                     : "its velocities cannot be made consistent",
        error);
  tr_kept_name(p, true, error);
  return TR_INCONSISTENT;
}

tr_status tr_project(tr_projector *p, tr_state *x, tr_start_info *info, tr_error *error) {
  const tr_system *s = p->sys;
  tr_start_info own;
  if (!info) info = &own;
  *info = (tr_start_info){0};
  if (!p->again) tr_change_coordinates(s, 0, x); // at a pole there would be no numbers
  if (s->nc == 0) return TR_OK;
  p->kkt->mask = NULL; // of an earlier state; singular rows are no trouble here
  size_t nq = (size_t)s->nq, nv = (size_t)s->nv;
  tr_kinematics(p->work, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  int held = tr_kept_values(p, false, NULL), held_v = tr_kept_values(p, true, NULL);
  size_t want = 2 * nq + 2 * nv + (size_t)held + (size_t)held_v;
  double *before = p->room ? p->room : tr_resize(s->al, NULL, (want + 1) * sizeof *before);
  if (!before) return tr_no_memory(error);
  double *v0 = before + nq, *carried = v0 + nv, *room = carried + nv;
  double *given = room + nq, *given_v = given + held;
  memcpy(before, x->q, nq * sizeof *before);
  memcpy(v0, x->v, nv * sizeof *before);
  tr_kept_values(p, true, given_v);
  tr_status status = project_positions(p, x, room, given, info, error);
  if (status == TR_OK && !p->again) tr_change_coordinates(s, 0, x);
  memcpy(carried, x->v, nv * sizeof *carried);
  if (status == TR_OK) status = project_velocities(p, x, carried, given_v, info, error);
  memcpy(room, x->q, nq * sizeof *room);
  memcpy(carried, x->v, nv * sizeof *carried);
  if (!p->again) tr_plain_motion(s, before, v0), tr_plain_motion(s, room, carried);
  for (size_t i = 0; i < nq; i++) info->moved_q = fmax(info->moved_q, fabs(room[i] - before[i]));
  for (size_t i = 0; i < nv; i++)
    if (!s->number[i]) info->moved_v = fmax(info->moved_v, fabs(carried[i] - v0[i]));
  if (p->again_and_again)
    p->room = before;
  else
    tr_resize(s->al, before, 0);
  return status;
}
